/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <errno.h>
#include <math.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/json.h"
#include "base/rng.h"
#include "support/capture.h"

static struct capture capture;
static struct base_json json;

static void begin(bool pretty)
{
	capture_init(&capture);
	base_json_init(&json, &capture.out, pretty);
}

static void write_sample(void)
{
	base_json_object(&json, NULL);
	base_json_string(&json, "schema", "kron.test/1");
	base_json_array(&json, "counters");
	base_json_unsigned(&json, NULL, 1);
	base_json_unsigned(&json, NULL, 2);
	base_json_end(&json, ']');
	base_json_object(&json, "empty");
	base_json_end(&json, '}');
	base_json_array(&json, "none");
	base_json_end(&json, ']');
	base_json_bool(&json, "lost", false);
	base_json_end(&json, '}');
}

static void an_object_stands_on_one_line(void **state)
{
	(void)state;
	begin(false);
	write_sample();
	assert_string_equal(capture_text(&capture),
			    "{\"schema\": \"kron.test/1\", \"counters\": [1, 2], \"empty\": {}, "
			    "\"none\": [], \"lost\": false}");
}

static void a_pretty_object_has_a_line_a_member(void **state)
{
	(void)state;
	begin(true);
	write_sample();
	assert_string_equal(capture_text(&capture), "{\n"
						    "  \"schema\": \"kron.test/1\",\n"
						    "  \"counters\": [\n"
						    "    1,\n"
						    "    2\n"
						    "  ],\n"
						    "  \"empty\": {},\n"
						    "  \"none\": [],\n"
						    "  \"lost\": false\n"
						    "}");
}

static void objects_may_follow_each_other_with_newlines_between(void **state)
{
	(void)state;
	begin(false);
	for (unsigned i = 0; i < 2; i++) {
		base_json_object(&json, NULL);
		base_json_unsigned(&json, "n", i);
		base_json_end(&json, '}');
		base_out_text(&capture.out, "\n");
	}
	assert_string_equal(capture_text(&capture), "{\"n\": 0}\n{\"n\": 1}\n");
}

static void every_kind_of_value_can_stand_alone(void **state)
{
	(void)state;
	begin(true);
	base_json_string(&json, NULL, "x");
	assert_string_equal(capture_text(&capture), "\"x\"");
	begin(true);
	base_json_bool(&json, NULL, true);
	assert_string_equal(capture_text(&capture), "true");
	begin(true);
	base_json_string(&json, NULL, NULL);
	assert_string_equal(capture_text(&capture), "null");
}

static void integers_keep_all_their_digits(void **state)
{
	(void)state;
	begin(false);
	base_json_array(&json, NULL);
	base_json_unsigned(&json, NULL, UINT64_MAX);
	base_json_signed(&json, NULL, INT64_MIN);
	base_json_signed(&json, NULL, -1);
	base_json_signed(&json, NULL, INT64_MAX);
	base_json_unsigned(&json, NULL, 0);
	base_json_end(&json, ']');
	assert_string_equal(capture_text(&capture),
			    "[18446744073709551615, -9223372036854775808, -1, "
			    "9223372036854775807, 0]");
}

static const char *string_text(const char *value)
{
	begin(false);
	base_json_string(&json, NULL, value);
	return capture_text(&capture);
}

static void quotes_and_control_characters_are_escaped(void **state)
{
	(void)state;
	assert_string_equal(string_text("a\"b\\c/d"), "\"a\\\"b\\\\c/d\"");
	assert_string_equal(string_text("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
	assert_string_equal(string_text("\x01\x1f\x7f"), "\"\\u0001\\u001f\\u007f\"");
	assert_string_equal(string_text("\033[31m"), "\"\\u001b[31m\"");
	assert_string_equal(string_text(""), "\"\"");
}

static void keys_are_escaped_too(void **state)
{
	(void)state;
	begin(false);
	base_json_object(&json, NULL);
	base_json_bool(&json, "a\n\xff", true);
	base_json_end(&json, '}');
	assert_string_equal(capture_text(&capture), "{\"a\\n\xef\xbf\xbd\": true}");
}

static void utf8_passes_unchanged(void **state)
{
	/* The first and last character of every length, and around the surrogates. */
	static const char text[] = "\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80"
				   "\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\xc3\xa9";
	const char *written = string_text(text);

	(void)state;
	CHECK_EQUAL(strlen(written), sizeof(text) - 1 + 2);
	assert_memory_equal(written + 1, text, sizeof(text) - 1);
}

static void bad_bytes_become_the_replacement_character(void **state)
{
#define R "\xef\xbf\xbd"
	(void)state;
	assert_string_equal(string_text("\x80"), "\"" R "\"");             /* stray */
	assert_string_equal(string_text("a\xffz"), "\"a" R "z\"");         /* never in UTF-8 */
	assert_string_equal(string_text("\xc3"), "\"" R "\"");             /* cut by the end */
	assert_string_equal(string_text("\xe2\x82"), "\"" R R "\"");       /* cut by the end */
	assert_string_equal(string_text("\xe2\x82x"), "\"" R R "x\"");     /* cut by a letter */
	assert_string_equal(string_text("\xf0\x9f\x98"), "\"" R R R "\""); /* cut by the end */
	assert_string_equal(string_text("\xc0\xaf"), "\"" R R "\"");       /* '/' made longer */
	assert_string_equal(string_text("\xe0\x80\xaf"), "\"" R R R "\""); /* likewise */
	assert_string_equal(string_text("\xed\xa0\x80"), "\"" R R R "\""); /* surrogate */
	assert_string_equal(string_text("\xf4\x90\x80\x80"), "\"" R R R R "\""); /* too big */
	assert_string_equal(string_text("\xf5\x80\x80\x80"), "\"" R R R R "\"");
	assert_string_equal(string_text("\xc3\""), "\"" R "\\\"\""); /* the quote is not eaten */
#undef R
}

/* Independent of the writer: every byte of the result is allowed in a JSON string. */
static void random_bytes_never_break_the_string(void **state)
{
	struct base_rng rng;
	char text[64];

	(void)state;
	base_rng_seed(&rng, 5);
	for (unsigned round = 0; round < 5000; round++) {
		size_t length = base_rng_below(&rng, sizeof(text));
		const char *written, *last;

		for (size_t i = 0; i < length; i++)
			text[i] = (char)(1 + base_rng_below(&rng, 255));
		text[length] = 0;
		written = string_text(text);
		last = written + strlen(written) - 1;
		CHECK(last > written && *written == '"' && *last == '"');
		for (const char *c = written + 1; c < last; c++) {
			CHECK((unsigned char)*c >= 0x20 && *c != '"');
			if (*c == '\\')
				c++;
			CHECK(c < last);
		}
	}
}

static const char *double_text(double value)
{
	begin(false);
	base_json_double(&json, NULL, value);
	return capture_text(&capture);
}

static void doubles_are_as_short_as_they_can_be(void **state)
{
	(void)state;
	assert_string_equal(double_text(0), "0");
	assert_string_equal(double_text(1), "1");
	assert_string_equal(double_text(0.1), "0.1");
	assert_string_equal(double_text(-2.5), "-2.5");
	assert_string_equal(double_text(1e21), "1e+21");
	assert_string_equal(double_text(1.0 / 3), "0.3333333333333333");
	assert_string_equal(double_text(0.1 + 0.2), "0.30000000000000004");
	assert_string_equal(double_text(-0.0), "-0");
}

static void doubles_read_back_as_the_same_number(void **state)
{
	struct base_rng rng;

	(void)state;
	CHECK(strtod(double_text(DBL_MAX), NULL) == DBL_MAX);
	CHECK(strtod(double_text(DBL_MIN), NULL) == DBL_MIN);
	CHECK(strtod(double_text(DBL_TRUE_MIN), NULL) == DBL_TRUE_MIN);
	base_rng_seed(&rng, 6);
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t bits = base_rng_next(&rng);
		double value;

		memcpy(&value, &bits, sizeof(value));
		if (isfinite(value))
			CHECK(strtod(double_text(value), NULL) == value);
	}
}

/* JSON has no such numbers. */
static void nan_and_infinity_are_null(void **state)
{
	(void)state;
	assert_string_equal(double_text((double)NAN), "null");
	assert_string_equal(double_text((double)INFINITY), "null");
	assert_string_equal(double_text(-(double)INFINITY), "null");
}

static void the_deepest_nesting_is_written(void **state)
{
	(void)state;
	begin(false);
	for (unsigned i = 0; i < BASE_JSON_DEPTH; i++)
		base_json_array(&json, NULL);
	base_json_unsigned(&json, NULL, 1);
	for (unsigned i = 0; i < BASE_JSON_DEPTH; i++)
		base_json_end(&json, ']');
	CHECK_EQUAL(base_out_flush(&capture.out), 0);
	CHECK_EQUAL(capture.length, 2 * BASE_JSON_DEPTH + 1);
}

static void nesting_too_deep_breaks_the_writer(void **state)
{
	(void)state;
	begin(false);
	for (unsigned i = 0; i < BASE_JSON_DEPTH + 1; i++)
		base_json_object(&json, i ? "x" : NULL);
	CHECK_EQUAL(base_out_flush(&capture.out), -KRON_EINVAL);
}

static void closing_what_is_not_open_breaks_the_writer(void **state)
{
	(void)state;
	begin(false);
	base_json_end(&json, '}');
	CHECK_EQUAL(base_out_flush(&capture.out), -KRON_EINVAL);
}

static void a_full_disk_is_reported_at_the_end(void **state)
{
	(void)state;
	begin(true);
	capture.limit = 10;
	write_sample();
	CHECK_EQUAL(base_out_flush(&capture.out), -KRON_EIO);
	CHECK_EQUAL(errno, ENOSPC);
}

TEST_MAIN(TEST(an_object_stands_on_one_line), TEST(a_pretty_object_has_a_line_a_member),
	  TEST(objects_may_follow_each_other_with_newlines_between),
	  TEST(every_kind_of_value_can_stand_alone), TEST(integers_keep_all_their_digits),
	  TEST(quotes_and_control_characters_are_escaped), TEST(keys_are_escaped_too),
	  TEST(utf8_passes_unchanged), TEST(bad_bytes_become_the_replacement_character),
	  TEST(random_bytes_never_break_the_string), TEST(doubles_are_as_short_as_they_can_be),
	  TEST(doubles_read_back_as_the_same_number), TEST(nan_and_infinity_are_null),
	  TEST(the_deepest_nesting_is_written), TEST(nesting_too_deep_breaks_the_writer),
	  TEST(closing_what_is_not_open_breaks_the_writer),
	  TEST(a_full_disk_is_reported_at_the_end))
