/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <string.h>
#include "base/text.h"

static void distance_counts_typing_errors(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned distance;
	} rows[] = {
		{ "", "", 0 },           { "chip", "chip", 0 },      { "", "chip", 4 },
		{ "chip", "", 4 },       { "chp", "chip", 1 },       { "chiip", "chip", 1 },
		{ "chap", "chip", 1 },   { "chpi", "chip", 1 },      { "hcpi", "chip", 2 },
		{ "abc", "xyz", 3 },     { "kitten", "sitting", 3 }, { "doctro", "doctor", 1 },
		{ "chip", "doctor", 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK_EQUAL(base_text_distance(rows[i].a, rows[i].b), rows[i].distance);
		CHECK_EQUAL(base_text_distance(rows[i].b, rows[i].a), rows[i].distance);
	}
}

static void very_long_words_are_not_compared(void **state)
{
	char word[BASE_TEXT_DISTANCE_MAX + 2];

	(void)state;
	memset(word, 'x', sizeof(word));
	word[BASE_TEXT_DISTANCE_MAX + 1] = 0;
	CHECK_EQUAL(base_text_distance(word, word), BASE_TEXT_DISTANCE_MAX);
	CHECK_EQUAL(base_text_distance(word, ""), BASE_TEXT_DISTANCE_MAX);
	word[BASE_TEXT_DISTANCE_MAX] = 0;
	CHECK_EQUAL(base_text_distance(word, word), 0);
}

static const char *suggestion(const char *typed)
{
	static const char *const words[] = { "chip", "ship", "doctor", "record", "report" };
	const char *best = NULL;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		base_text_suggest(typed, words[i], &best);
	return best;
}

static void the_nearest_word_is_suggested(void **state)
{
	(void)state;
	assert_string_equal(suggestion("chpi"), "chip");
	assert_string_equal(suggestion("shi"), "ship");
	assert_string_equal(suggestion("hip"), "chip"); /* the first of equals */
	assert_string_equal(suggestion("repord"), "record");
	assert_string_equal(suggestion("docter"), "doctor");
}

static void nothing_is_suggested_for_another_word(void **state)
{
	(void)state;
	assert_null(suggestion("frobnicate"));
	assert_null(suggestion("x"));
	assert_null(suggestion(""));
	assert_null(suggestion("html"));
}

TEST_MAIN(TEST(distance_counts_typing_errors), TEST(very_long_words_are_not_compared),
	  TEST(the_nearest_word_is_suggested), TEST(nothing_is_suggested_for_another_word))
