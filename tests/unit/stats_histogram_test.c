/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms against the sorted values themselves. */
#include "unit/test.h"
#include <stdlib.h>
#include "base/error.h"
#include "base/rng.h"
#include "stats/histogram.h"
#include "support/fault.h"

#define VALUES 20000

static const unsigned permilles[] = { 0, 1, 10, 100, 250, 500, 750, 900, 990, 999, 1000 };

static int ascending(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* The definition in the header, by sorting. */
static uint64_t exact(const uint64_t *sorted, size_t count, unsigned permille)
{
	size_t wanted = (count * permille + 999) / 1000;

	return sorted[wanted ? wanted - 1 : 0];
}

static void check_values(uint64_t *value, size_t count)
{
	struct stats_histogram histogram;
	uint64_t total = 0;

	stats_histogram_init(&histogram, &base_alloc_system);
	for (size_t i = 0; i < count; i++) {
		CHECK_EQUAL(stats_histogram_add(&histogram, value[i]), 0);
		total = value[i] > UINT64_MAX - total ? UINT64_MAX : total + value[i];
	}
	qsort(value, count, sizeof(*value), ascending);
	CHECK_EQUAL(histogram.count, count);
	CHECK_EQUAL(histogram.total, total);
	CHECK_EQUAL(histogram.min, value[0]);
	CHECK_EQUAL(histogram.max, value[count - 1]);
	CHECK_EQUAL(stats_histogram_mean(&histogram), total / count);
	for (unsigned i = 0; i < sizeof(permilles) / sizeof(permilles[0]); i++) {
		uint64_t expected = exact(value, count, permilles[i]);
		uint64_t actual = stats_histogram_quantile(&histogram, permilles[i]);
		uint64_t error = actual > expected ? actual - expected : expected - actual;

		CHECK(error <= expected / STATS_EXACT);
		CHECK(actual >= histogram.min && actual <= histogram.max);
		if (expected < STATS_EXACT)
			CHECK_EQUAL(actual, expected);
	}
	stats_histogram_free(&histogram);
}

/* Uniform in the number of bits, so that every power of two has its share. */
static void quantiles_are_right_to_one_part_in_128(void **state)
{
	static uint64_t value[VALUES];
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 1);
	for (unsigned round = 0; round < 20; round++) {
		size_t count = 1 + base_rng_below(&rng, VALUES);
		unsigned bits = 1 + (unsigned)base_rng_below(&rng, 64);

		for (size_t i = 0; i < count; i++)
			value[i] = base_rng_next(&rng) >> (64 - bits) >>
				   base_rng_below(&rng, round % 2 ? bits : 1);
		check_values(value, count);
	}
}

static void the_ends_of_the_range_are_taken(void **state)
{
	uint64_t value[] = { 0,
			     UINT64_MAX,
			     1,
			     STATS_EXACT - 1,
			     STATS_EXACT,
			     STATS_EXACT + 1,
			     UINT64_MAX - 1,
			     UINT64_C(1) << 63 };

	(void)state;
	check_values(value, sizeof(value) / sizeof(value[0]));
	check_values(value, 1);
}

static void without_values_there_is_nothing(void **state)
{
	struct stats_histogram histogram;

	(void)state;
	stats_histogram_init(&histogram, &base_alloc_system);
	CHECK_EQUAL(stats_histogram_quantile(&histogram, 500), 0);
	CHECK_EQUAL(stats_histogram_mean(&histogram), 0);
	CHECK_EQUAL(histogram.count, 0);
	stats_histogram_free(&histogram);
}

static int add_some(struct fault *fault, void *ctx)
{
	struct stats_histogram histogram;
	int error = 0;

	(void)ctx;
	stats_histogram_init(&histogram, &fault->alloc);
	for (uint64_t value = 1; value && !error; value <<= 9) {
		uint64_t count = histogram.count;

		error = stats_histogram_add(&histogram, value);
		CHECK_EQUAL(histogram.count, count + !error);
	}
	stats_histogram_free(&histogram);
	return error;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	CHECK(fault_walk(add_some, NULL) > 5);
}

TEST_MAIN(TEST(quantiles_are_right_to_one_part_in_128), TEST(the_ends_of_the_range_are_taken),
	  TEST(without_values_there_is_nothing), TEST(memory_may_run_out))
