/* SPDX-License-Identifier: Apache-2.0 */
/* What library functions return: 0 or a count, or one of these, negated. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

enum kron_error {
	KRON_ENOMEM = 1, /* out of memory */
	KRON_EIO,        /* the system refused; errno tells why */
	KRON_EINVAL,     /* an argument or option makes no sense */
	KRON_ESYNTAX,    /* malformed text input */
	KRON_ETRUNCATED, /* the input stops in the middle of something */
	KRON_ECORRUPT,   /* the input contradicts itself */
	KRON_EEXIST,     /* something is there that must not be overwritten */
	KRON_EBUSY,      /* somebody else is at it */
};

/* A short phrase for -error ("out of memory"); for KRON_EIO, that of errno. Static or
 * thread-local. */
const char *base_error_text(int error);

#endif
