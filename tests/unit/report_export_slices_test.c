/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include "base/error.h"
#include "report/export_slices.h"
#include "support/fault.h"

static struct report_export_slices slices;

static int enter(void **state)
{
	(void)state;
	return report_export_slices_open(&slices, &base_alloc_system, 2);
}

static int leave(void **state)
{
	(void)state;
	report_export_slices_close(&slices);
	return 0;
}

static void push(unsigned stream, uint64_t data, uint64_t ns)
{
	CHECK_EQUAL(report_export_slices_push(&slices, stream, data, ns), 1);
}

static void check_pop(unsigned stream, uint64_t data, uint64_t ns)
{
	struct report_export_slice slice;

	CHECK(report_export_slices_pop(&slices, stream, &slice));
	CHECK_EQUAL(slice.data, data);
	CHECK_EQUAL(slice.begin_ns, ns);
}

static void an_end_closes_its_begin(void **state)
{
	struct report_export_slice slice;

	(void)state;
	push(0, 1, 10);
	push(0, 2, 20);
	CHECK_EQUAL(report_export_slices_match(&slices, 0, 2, false), 1);
	check_pop(0, 2, 20);
	CHECK_EQUAL(report_export_slices_match(&slices, 0, 1, false), 1);
	check_pop(0, 1, 10);
	CHECK(!report_export_slices_pop(&slices, 0, &slice));
	CHECK_EQUAL(slices.unmatched, 0);
}

static void an_end_closes_what_began_inside(void **state)
{
	(void)state;
	push(0, 1, 10);
	push(0, 2, 20);
	push(0, 3, 30);
	CHECK_EQUAL(report_export_slices_match(&slices, 0, 2, false), 2);
	check_pop(0, 3, 30);
	check_pop(0, 2, 20);
	CHECK_EQUAL(report_export_slices_match(&slices, 0, 3, false), 0);
	CHECK_EQUAL(slices.unmatched, 1);
	check_pop(0, 1, 10);
}

static void the_innermost_of_equals_ends(void **state)
{
	(void)state;
	push(0, 1, 10);
	push(0, 1, 20);
	CHECK_EQUAL(report_export_slices_match(&slices, 0, 1, false), 1);
	check_pop(0, 1, 20);
}

static void streams_know_nothing_of_each_other(void **state)
{
	struct report_export_slice slice;

	(void)state;
	push(0, 1, 10);
	CHECK_EQUAL(report_export_slices_match(&slices, 1, 1, false), 0);
	CHECK(!report_export_slices_pop(&slices, 1, &slice));
	CHECK_EQUAL(slices.unmatched, 1);
}

/* A lock that was free is got without a wait. */
static void an_end_that_may_stand_alone_is_not_missed(void **state)
{
	(void)state;
	CHECK_EQUAL(report_export_slices_match(&slices, 0, 1, true), 0);
	CHECK_EQUAL(slices.unmatched, 0);
	push(0, 1, 10);
	CHECK_EQUAL(report_export_slices_match(&slices, 0, 1, true), 1);
}

/* Balanced nesting beyond the limit loses its innermost part and nothing else. */
static void what_is_too_deep_is_dropped_in_pairs(void **state)
{
	(void)state;
	for (unsigned i = 0; i < REPORT_EXPORT_DEPTH; i++)
		push(0, 1, i);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQUAL(report_export_slices_push(&slices, 0, 1, 999), 0);
	CHECK_EQUAL(slices.too_deep, 3);
	for (unsigned i = 0; i < 3; i++)
		CHECK_EQUAL(report_export_slices_match(&slices, 0, 1, false), 0);
	for (unsigned i = REPORT_EXPORT_DEPTH; i > 0; i--) {
		CHECK_EQUAL(report_export_slices_match(&slices, 0, 1, false), 1);
		check_pop(0, 1, i - 1);
	}
	CHECK_EQUAL(slices.unmatched, 0);
}

static int run(struct fault *fault, void *context)
{
	struct report_export_slices some;
	int result = report_export_slices_open(&some, &fault->alloc, 3);

	(void)context;
	if (result)
		return result;
	result = report_export_slices_push(&some, 2, 1, 1);
	report_export_slices_close(&some);
	return result;
}

static void out_of_memory_is_reported(void **state)
{
	(void)state;
	CHECK_EQUAL(fault_walk(run, NULL), 2);
}

#define SLICES(test) cmocka_unit_test_setup_teardown(test, enter, leave)

TEST_MAIN(SLICES(an_end_closes_its_begin), SLICES(an_end_closes_what_began_inside),
	  SLICES(the_innermost_of_equals_ends), SLICES(streams_know_nothing_of_each_other),
	  SLICES(an_end_that_may_stand_alone_is_not_missed),
	  SLICES(what_is_too_deep_is_dropped_in_pairs), TEST(out_of_memory_is_reported))
