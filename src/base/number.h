/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as people type them. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdint.h>

/* The number that is the whole of text: decimal digits (leading zeros do not make it octal), or 0x
 * and hexadecimal digits. No sign, no space.
 * Returns 0, or -KRON_EINVAL with *value untouched if it is empty, has something else in it, or
 * stands for 2^64 or more. */
int base_number_parse(const char *text, uint64_t *value);

#endif
