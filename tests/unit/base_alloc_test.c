/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <string.h>
#include "base/alloc.h"
#include "base/error.h"
#include "support/fault.h"

static void memory_comes_zeroed(void **state)
{
	struct fault fault;
	unsigned char *bytes;

	(void)state;
	fault_init(&fault, FAULT_NONE, 0);
	bytes = base_alloc_get(&fault.alloc, 1000); /* fault fills what it hands out with 0xa5 */
	assert_non_null(bytes);
	for (unsigned i = 0; i < 1000; i++)
		CHECK_EQUAL(bytes[i], 0);
	base_alloc_free(&fault.alloc, bytes);
	CHECK_EQUAL(fault_leaked_blocks(&fault), 0);
}

static void no_bytes_are_not_out_of_memory(void **state)
{
	void *ptr;

	(void)state;
	ptr = base_alloc_get(&base_alloc_system, 0);
	assert_non_null(ptr);
	base_alloc_free(&base_alloc_system, ptr);
}

static void freeing_null_is_nothing(void **state)
{
	struct fault fault;

	(void)state;
	fault_init(&fault, FAULT_NONE, 0);
	base_alloc_free(&fault.alloc, NULL);
	base_alloc_free(&base_alloc_system, NULL);
}

static void out_of_memory_is_null(void **state)
{
	struct fault fault;

	(void)state;
	fault_init(&fault, FAULT_ENOMEM, 1);
	assert_null(base_alloc_get(&fault.alloc, 8));
}

static void an_array_grows_only_when_full(void **state)
{
	struct fault fault;
	int *items = NULL;
	size_t capacity = 0;

	(void)state;
	fault_init(&fault, FAULT_NONE, 0);
	for (size_t count = 0; count < 1000; count++) {
		CHECK_EQUAL(base_alloc_grow(&fault.alloc, (void **)&items, &capacity, count,
					    sizeof(*items)),
			    0);
		CHECK(capacity > count);
		items[count] = (int)count;
	}
	for (int i = 0; i < 1000; i++)
		CHECK_EQUAL(items[i], i);
	CHECK(fault.alloc_calls < 12); /* doubling: the copies stay a constant part of the work */
	base_alloc_free(&fault.alloc, items);
	CHECK_EQUAL(fault_leaked_blocks(&fault), 0);
}

static void an_array_that_cannot_grow_stays_as_it_was(void **state)
{
	struct fault fault;
	char *items = NULL, *before;
	size_t capacity = 0, full;

	(void)state;
	fault_init(&fault, FAULT_ENOMEM, 2);
	CHECK_EQUAL(base_alloc_grow(&fault.alloc, (void **)&items, &capacity, 0, 1), 0);
	memset(items, 'x', capacity);
	before = items;
	full = capacity;
	CHECK_EQUAL(base_alloc_grow(&fault.alloc, (void **)&items, &capacity, full, 1),
		    -KRON_ENOMEM);
	assert_ptr_equal(items, before);
	CHECK_EQUAL(capacity, full);
	CHECK_EQUAL(items[full - 1], 'x');
	base_alloc_free(&fault.alloc, items);
}

/* A size that does not fit into size_t must not become a small one. */
static void an_array_too_big_to_express_is_out_of_memory(void **state)
{
	void *items = NULL;
	size_t capacity = 0;

	(void)state;
	CHECK_EQUAL(base_alloc_grow(&base_alloc_system, &items, &capacity, 0, SIZE_MAX / 4),
		    -KRON_ENOMEM);
	capacity = SIZE_MAX / 2 + 1;
	CHECK_EQUAL(base_alloc_grow(&base_alloc_system, &items, &capacity, capacity, 1),
		    -KRON_ENOMEM);
	capacity = SIZE_MAX / 8;
	CHECK_EQUAL(base_alloc_grow(&base_alloc_system, &items, &capacity, capacity, 16),
		    -KRON_ENOMEM);
	CHECK_EQUAL(capacity, SIZE_MAX / 8);
	assert_null(items);
}

static int build_list(struct fault *fault, void *ctx)
{
	uint64_t *items = NULL;
	size_t capacity = 0;
	int error = 0;

	(void)ctx;
	for (size_t count = 0; count < 200 && !error; count++)
		error = base_alloc_grow(&fault->alloc, (void **)&items, &capacity, count,
					sizeof(*items));
	base_alloc_free(&fault->alloc, items);
	return error;
}

static void growing_survives_every_fault(void **state)
{
	(void)state;
	CHECK_EQUAL(fault_walk(build_list, NULL), 5); /* 16, 32, 64, 128, 256 */
}

TEST_MAIN(TEST(memory_comes_zeroed), TEST(no_bytes_are_not_out_of_memory),
	  TEST(freeing_null_is_nothing), TEST(out_of_memory_is_null),
	  TEST(an_array_grows_only_when_full), TEST(an_array_that_cannot_grow_stays_as_it_was),
	  TEST(an_array_too_big_to_express_is_out_of_memory), TEST(growing_survives_every_fault))
