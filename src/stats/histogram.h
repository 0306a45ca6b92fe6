/* SPDX-License-Identifier: Apache-2.0 */
/* How many values there were of each size, in buckets whose width grows with the value.
 *
 * Below STATS_EXACT every value has a bucket of its own; above, each power of two is cut into
 * STATS_EXACT / 2 buckets of equal width. So whatever is read off is at most one part in STATS_EXACT
 * away from a value that was added, over all of 64 bits, in a few kilobytes. Count, total, least and
 * greatest value are exact. */
#ifndef STATS_HISTOGRAM_H
#define STATS_HISTOGRAM_H

#include <stdint.h>
#include "base/alloc.h"

#define STATS_EXACT_BITS 7
#define STATS_EXACT      (1 << STATS_EXACT_BITS)
#define STATS_PIECES     (64 - STATS_EXACT_BITS + 1)

struct stats_histogram {
	struct base_alloc *alloc;
	uint64_t count;
	uint64_t total; /* UINT64_MAX if it is more */
	uint64_t min;   /* UINT64_MAX if there is none */
	uint64_t max;
	/* Piece 0 has the values below STATS_EXACT, piece k those of the k-th power of two from
	 * there. NULL: all buckets are empty. */
	uint64_t *piece[STATS_PIECES];
};

void stats_histogram_init(struct stats_histogram *histogram, struct base_alloc *alloc);
void stats_histogram_free(struct stats_histogram *histogram);

/* Returns 0, or -KRON_ENOMEM with the histogram as it was. */
int stats_histogram_add(struct stats_histogram *histogram, uint64_t value);

/* The smallest value that at least `permille` of a thousand values are not above: 500 is the median.
 * It is the middle of a bucket, and not below the least nor above the greatest value. 0 if there are
 * no values. */
uint64_t stats_histogram_quantile(const struct stats_histogram *histogram, unsigned permille);

/* 0 if there are no values. */
uint64_t stats_histogram_mean(const struct stats_histogram *histogram);

#endif
