/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/histogram.h"
#include "base/error.h"

struct place {
	unsigned piece, bucket;
};

static unsigned buckets_of(unsigned piece)
{
	return piece ? STATS_EXACT / 2 : STATS_EXACT;
}

static struct place place_of(uint64_t value)
{
	unsigned top, shift;

	if (value < STATS_EXACT)
		return (struct place){ 0, (unsigned)value };
	top = 63 - (unsigned)__builtin_clzll(value);
	shift = top - (STATS_EXACT_BITS - 1);
	return (struct place){ top - STATS_EXACT_BITS + 1,
			       (unsigned)(value >> shift) - STATS_EXACT / 2 };
}

/* The value in the middle of a bucket. */
static uint64_t middle_of(struct place place)
{
	uint64_t low = (uint64_t)(place.bucket + STATS_EXACT / 2) << place.piece;

	return place.piece ? low + ((UINT64_C(1) << place.piece) - 1) / 2 : place.bucket;
}

void stats_histogram_init(struct stats_histogram *histogram, struct base_alloc *alloc)
{
	*histogram = (struct stats_histogram){ .alloc = alloc, .min = UINT64_MAX };
}

void stats_histogram_free(struct stats_histogram *histogram)
{
	for (unsigned i = 0; i < STATS_PIECES; i++)
		base_alloc_free(histogram->alloc, histogram->piece[i]);
	stats_histogram_init(histogram, histogram->alloc);
}

int stats_histogram_add(struct stats_histogram *histogram, uint64_t value)
{
	struct place place = place_of(value);
	uint64_t **piece = &histogram->piece[place.piece];

	if (!*piece) {
		*piece =
			base_alloc_get(histogram->alloc, buckets_of(place.piece) * sizeof(**piece));
		if (!*piece)
			return -KRON_ENOMEM;
	}
	(*piece)[place.bucket]++;
	histogram->count++;
	histogram->total =
		value > UINT64_MAX - histogram->total ? UINT64_MAX : histogram->total + value;
	if (value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	return 0;
}

static uint64_t within(const struct stats_histogram *histogram, uint64_t value)
{
	if (value < histogram->min)
		return histogram->min;
	return value > histogram->max ? histogram->max : value;
}

uint64_t stats_histogram_quantile(const struct stats_histogram *histogram, unsigned permille)
{
	unsigned __int128 product = (unsigned __int128)histogram->count * permille;
	uint64_t wanted = (uint64_t)((product + 999) / 1000), seen = 0;

	if (!histogram->count)
		return 0;
	if (wanted <= 1)
		return histogram->min;
	if (wanted >= histogram->count)
		return histogram->max;
	for (unsigned i = 0; i < STATS_PIECES; i++) {
		for (unsigned k = 0; histogram->piece[i] && k < buckets_of(i); k++) {
			seen += histogram->piece[i][k];
			if (seen >= wanted)
				return within(histogram, middle_of((struct place){ i, k }));
		}
	}
	return histogram->max;
}

uint64_t stats_histogram_mean(const struct stats_histogram *histogram)
{
	return histogram->count ? histogram->total / histogram->count : 0;
}
