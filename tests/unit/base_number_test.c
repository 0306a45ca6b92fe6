/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/error.h"
#include "base/number.h"
#include "base/rng.h"

static void check_good(const char *text, uint64_t wanted)
{
	uint64_t value = ~wanted;

	CHECK_EQUAL(base_number_parse(text, &value), 0);
	CHECK_EQUAL(value, wanted);
}

static void decimal_numbers_are_read(void **state)
{
	(void)state;
	check_good("0", 0);
	check_good("7", 7);
	check_good("42", 42);
	check_good("18446744073709551615", UINT64_MAX);
}

static void hexadecimal_numbers_are_read_in_either_case(void **state)
{
	(void)state;
	check_good("0x0", 0);
	check_good("0xdeadBEEF", 0xdeadbeef);
	check_good("0Xff", 255);
	check_good("0xffffffffffffffff", UINT64_MAX);
	check_good("0x00000000000000000001", 1);
}

static void leading_zeros_do_not_make_it_octal(void **state)
{
	(void)state;
	check_good("010", 10);
	check_good("08", 8);
	check_good("000000000000000000000000000001", 1);
}

static void everything_else_is_refused_and_the_value_left_alone(void **state)
{
	static const char *const bad[] = {
		"",
		" ",
		"0x",
		"x10",
		"-1",
		"+1",
		" 1",
		"1 ",
		"1\n",
		"1.0",
		"1e3",
		"12a",
		"0xg",
		"a",
		"0x-1",
		"0x 1",
		"00x1",
		"0b1",
		"1,000",
		"\xd9\xa1",
		/* 2^64, and numbers that come back into range if they are allowed to wrap */
		"18446744073709551616",
		"18446744073709551625",
		"36893488147419103233",
		"99999999999999999999999",
		"0x10000000000000000",
		"0x1ffffffffffffffff",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t value = 12345;

		if (base_number_parse(bad[i], &value) != -KRON_EINVAL)
			fail_msg("'%s' was accepted", bad[i]);
		CHECK_EQUAL(value, 12345);
	}
}

static void what_printf_prints_reads_back(void **state)
{
	struct base_rng rng;
	char text[32];

	(void)state;
	base_rng_seed(&rng, 2);
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t value = base_rng_next(&rng) >> base_rng_below(&rng, 64);

		snprintf(text, sizeof(text), "%" PRIu64, value);
		check_good(text, value);
		snprintf(text, sizeof(text), "0x%" PRIx64, value);
		check_good(text, value);
	}
}

TEST_MAIN(TEST(decimal_numbers_are_read), TEST(hexadecimal_numbers_are_read_in_either_case),
	  TEST(leading_zeros_do_not_make_it_octal),
	  TEST(everything_else_is_refused_and_the_value_left_alone),
	  TEST(what_printf_prints_reads_back))
