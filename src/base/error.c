/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include <errno.h>
#include <string.h>

static const char *const phrases[] = {
	[0] = "success",
	[KRON_ENOMEM] = "out of memory",
	[KRON_EIO] = "input/output error",
	[KRON_EINVAL] = "invalid argument",
	[KRON_ESYNTAX] = "malformed input",
	[KRON_ETRUNCATED] = "input ends in the middle of something",
	[KRON_ECORRUPT] = "input contradicts itself",
	[KRON_EEXIST] = "already exists",
	[KRON_EBUSY] = "in use by another kron",
};

const char *base_error_text(int error)
{
	/* Callers have the negated code in hand; both signs are understood. Unsigned, because
	 * -INT_MIN does not exist. */
	unsigned code = error < 0 ? 0u - (unsigned)error : (unsigned)error;

	if (code == KRON_EIO && errno)
		return strerror(errno); /* thread-local since glibc 2.32 */
	if (code >= sizeof(phrases) / sizeof(phrases[0]))
		return "unknown error";
	return phrases[code];
}
