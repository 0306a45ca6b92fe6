/* SPDX-License-Identifier: Apache-2.0 */
/* A unit test file is a program: static test functions whose names are the claims, and one
 * TEST_MAIN(...) that lists them. cmocka does the rest. */
#ifndef TEST_H
#define TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define CHECK(condition)              assert_true(condition)
#define CHECK_EQUAL(actual, expected) assert_int_equal((uintmax_t)(actual), (uintmax_t)(expected))

#define TEST(name) cmocka_unit_test(name)
#define TEST_MAIN(...)                                                                             \
	int main(void)                                                                             \
	{                                                                                          \
		const struct CMUnitTest tests[] = { __VA_ARGS__ };                                 \
		return cmocka_run_group_tests(tests, NULL, NULL);                                  \
	}

#endif
