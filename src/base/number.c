/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include <stddef.h>
#include "base/error.h"

/* The value of a digit, or 16 for anything else. */
static unsigned digit_value(char digit)
{
	if (digit >= '0' && digit <= '9')
		return (unsigned)(digit - '0');
	if (digit >= 'a' && digit <= 'f')
		return (unsigned)(digit - 'a') + 10;
	if (digit >= 'A' && digit <= 'F')
		return (unsigned)(digit - 'A') + 10;
	return 16;
}

int base_number_parse(const char *text, uint64_t *value)
{
	unsigned base = 10;
	uint64_t sum = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (!*text)
		return -KRON_EINVAL;
	for (; *text; text++) {
		unsigned digit = digit_value(*text);

		if (digit >= base || __builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return -KRON_EINVAL;
	}
	*value = sum;
	return 0;
}
