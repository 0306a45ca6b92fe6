/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include "base/error.h"

static void every_error_has_its_own_phrase(void **state)
{
	(void)state;
	errno = 0;
	for (int i = 0; i <= KRON_EBUSY; i++) {
		assert_non_null(base_error_text(-i));
		assert_string_not_equal(base_error_text(-i), "unknown error");
		for (int j = 0; j < i; j++)
			assert_string_not_equal(base_error_text(-i), base_error_text(-j));
	}
}

static void both_signs_are_understood(void **state)
{
	(void)state;
	assert_string_equal(base_error_text(-KRON_ENOMEM), "out of memory");
	assert_string_equal(base_error_text(KRON_ENOMEM), "out of memory");
}

static void an_io_error_tells_the_cause(void **state)
{
	(void)state;
	errno = ENOSPC;
	assert_string_equal(base_error_text(-KRON_EIO), strerror(ENOSPC));
	errno = 0;
	assert_string_equal(base_error_text(-KRON_EIO), "input/output error");
}

static void a_number_that_is_no_error_is_called_so(void **state)
{
	(void)state;
	assert_string_equal(base_error_text(-KRON_EBUSY - 1), "unknown error");
	assert_string_equal(base_error_text(INT_MIN), "unknown error");
	assert_string_equal(base_error_text(INT_MAX), "unknown error");
}

TEST_MAIN(TEST(every_error_has_its_own_phrase), TEST(both_signs_are_understood),
	  TEST(an_io_error_tells_the_cause), TEST(a_number_that_is_no_error_is_called_so))
