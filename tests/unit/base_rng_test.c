/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include "base/rng.h"

/* The outputs of the authors' xoshiro256starstar.c for the state 1, 2, 3, 4. */
static void the_sequence_is_that_of_xoshiro256starstar(void **state)
{
	static const uint64_t wanted[] = {
		UINT64_C(11520),
		UINT64_C(0),
		UINT64_C(1509978240),
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832),
		UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576),
	};
	struct base_rng rng = { { 1, 2, 3, 4 } };

	(void)state;
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		CHECK_EQUAL(base_rng_next(&rng), wanted[i]);
}

/* The outputs of the authors' splitmix64.c for the state 0. */
static void the_seed_goes_through_splitmix64(void **state)
{
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 0);
	CHECK_EQUAL(rng.state[0], UINT64_C(0xe220a8397b1dcdaf));
	CHECK_EQUAL(rng.state[1], UINT64_C(0x6e789e6aa1b965f4));
	CHECK_EQUAL(rng.state[2], UINT64_C(0x06c45d188009454f));
	CHECK_EQUAL(rng.state[3], UINT64_C(0xf88bb8a8724c81ec));
}

static void the_same_seed_gives_the_same_numbers_and_a_copy_replays(void **state)
{
	struct base_rng one, two, copy;

	(void)state;
	base_rng_seed(&one, 42);
	base_rng_seed(&two, 42);
	for (unsigned i = 0; i < 100; i++)
		CHECK_EQUAL(base_rng_next(&one), base_rng_next(&two));
	copy = one;
	CHECK_EQUAL(base_rng_next(&copy), base_rng_next(&one));
	base_rng_seed(&two, 43);
	CHECK(base_rng_next(&one) != base_rng_next(&two));
}

static void below_stays_below(void **state)
{
	static const uint64_t bounds[] = {
		1, 2, 3, 10, 64, 1000, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX
	};
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 3);
	for (unsigned i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		for (unsigned j = 0; j < 1000; j++)
			CHECK(base_rng_below(&rng, bounds[i]) < bounds[i]);
	CHECK_EQUAL(base_rng_below(&rng, 0), 0);
}

/* With 3/4 of 2^64 as the bound, a plain remainder would give the lowest third twice as often as
 * the others: half of the numbers instead of a third. */
static void below_does_not_prefer_small_numbers(void **state)
{
	uint64_t bound = UINT64_C(3) << 62;
	unsigned low = 0, count = 30000;
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 4);
	for (unsigned i = 0; i < count; i++)
		low += base_rng_below(&rng, bound) < bound / 3;
	CHECK(low > count / 3 - 500 && low < count / 3 + 500); /* some six standard deviations */
}

TEST_MAIN(TEST(the_sequence_is_that_of_xoshiro256starstar), TEST(the_seed_goes_through_splitmix64),
	  TEST(the_same_seed_gives_the_same_numbers_and_a_copy_replays), TEST(below_stays_below),
	  TEST(below_does_not_prefer_small_numbers))
