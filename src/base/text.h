/* SPDX-License-Identifier: Apache-2.0 */
/* Small things about strings. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>

/* How many characters must be inserted, deleted, replaced or swapped with their neighbour to make
 * one string of the other. Beyond BASE_TEXT_DISTANCE_MAX characters a string is too long to
 * compare, and the answer is that number. */
#define BASE_TEXT_DISTANCE_MAX 63
unsigned base_text_distance(const char *a, const char *b);

/* For "did you mean": keeps in *best the candidate nearest to typed. Start with *best NULL; a
 * candidate that is nothing like it is ignored, and the first of equals wins. */
void base_text_suggest(const char *typed, const char *candidate, const char **best);

#endif
