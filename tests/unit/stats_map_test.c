/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <stdio.h>
#include "base/error.h"
#include "stats/map.h"
#include "support/fault.h"

/* Names get numbers in the order of their first coming, and keep them. */
static void each_name_has_one_number(void **state)
{
	enum { NAMES = 5000 };
	struct stats_map map;
	uint32_t index;
	char name[32];

	(void)state;
	stats_map_init(&map, &base_alloc_system);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < NAMES; i++) {
			snprintf(name, sizeof(name), "name %u", i * 7919 % NAMES);
			CHECK_EQUAL(stats_map_add_name(&map, name, &index), round == 0);
			CHECK_EQUAL(index, i);
		}
	}
	for (unsigned i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "name %u", i * 7919 % NAMES);
		assert_string_equal(stats_map_key(&map, i), name);
	}
	CHECK_EQUAL(map.count, NAMES);
	stats_map_free(&map);
}

/* Keys are bytes: a key that begins another is another, and so is the empty one. */
static void length_counts(void **state)
{
	static const char zeros[16] = { 0 };
	struct stats_map map;
	uint32_t index;

	(void)state;
	stats_map_init(&map, &base_alloc_system);
	for (unsigned i = 0; i <= sizeof(zeros); i++) {
		CHECK_EQUAL(stats_map_add(&map, zeros, i, &index), 1);
		CHECK_EQUAL(index, i);
	}
	for (unsigned i = 0; i <= sizeof(zeros); i++) {
		CHECK_EQUAL(stats_map_add(&map, zeros, i, &index), 0);
		CHECK_EQUAL(index, i);
	}
	stats_map_free(&map);
}

static int add_some(struct fault *fault, void *ctx)
{
	struct stats_map map;
	uint32_t index;
	int result = 0;

	(void)ctx;
	stats_map_init(&map, &fault->alloc);
	for (uint32_t key = 0; key < 100 && result >= 0; key++)
		result = stats_map_add(&map, &key, sizeof(key), &index);
	/* After a failure it is as it was. */
	for (uint32_t key = 0; key < map.count; key++) {
		CHECK_EQUAL(stats_map_add(&map, &key, sizeof(key), &index), 0);
		CHECK_EQUAL(index, key);
	}
	stats_map_free(&map);
	return result;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	CHECK(fault_walk(add_some, NULL) > 5);
}

TEST_MAIN(TEST(each_name_has_one_number), TEST(length_counts), TEST(memory_may_run_out))
