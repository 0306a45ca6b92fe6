/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include <string.h>

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Optimal string alignment, three rows at a time: row i holds the distances of the first i
 * characters of a to every start of b. */
unsigned base_text_distance(const char *a, const char *b)
{
	unsigned rows[3][BASE_TEXT_DISTANCE_MAX + 1];
	size_t length_a = strlen(a), length_b = strlen(b);

	if (length_a > BASE_TEXT_DISTANCE_MAX || length_b > BASE_TEXT_DISTANCE_MAX)
		return BASE_TEXT_DISTANCE_MAX;
	for (unsigned j = 0; j <= length_b; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= length_a; i++) {
		unsigned *row = rows[i % 3];
		const unsigned *above = rows[(i - 1) % 3];

		row[0] = i;
		for (unsigned j = 1; j <= length_b; j++) {
			unsigned differs = a[i - 1] != b[j - 1];
			unsigned least = smaller(above[j], row[j - 1]) + 1;

			least = smaller(least, above[j - 1] + differs);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				least = smaller(least, rows[(i - 2) % 3][j - 2] + 1);
			row[j] = least;
		}
	}
	return rows[length_a % 3][length_b];
}

void base_text_suggest(const char *typed, const char *candidate, const char **best)
{
	unsigned distance = base_text_distance(typed, candidate);
	size_t length = strlen(candidate);

	/* A third of the letters may be wrong, at most three: more is another word. */
	if (distance > 3 || distance * 3 > length + 1)
		return;
	if (!*best || distance < base_text_distance(typed, *best))
		*best = candidate;
}
