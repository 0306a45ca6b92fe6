/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/options.h"
#include "base/rng.h"

struct options {
	uint64_t fifo_depth;
	uint64_t node_hz;
	uint64_t cache;
	uint64_t any;
	const char *vcd;
	const char *out;
	bool json;
	bool verbose;
	unsigned engine;
};

static const char *const engines[] = { "hybrid", "decoupled", "coupled", NULL };

static const struct base_option table[] = {
	{ "fifo-depth", 'f', BASE_UNSIGNED(struct options, fifo_depth, 2, 64), .value = "N",
	  .preset = "8", .help = "samples in the FIFO" },
	{ "node-hz", 0, BASE_UNSIGNED(struct options, node_hz, 1, 0), .value = "HZ",
	  .suffix = BASE_SUFFIX_DECIMAL, .preset = "10M", .help = "node clock" },
	{ "cache", 0, BASE_UNSIGNED(struct options, cache, 0, 1 << 30), .value = "BYTES",
	  .suffix = BASE_SUFFIX_BINARY, .help = "size of the cache" },
	{ "any", 0, BASE_UNSIGNED(struct options, any, 0, 0), .value = "N", .help = "any number" },
	{ "vcd", 0, BASE_STRING(struct options, vcd), .value = "FILE", .help = "write FILE" },
	{ "out", 'o', BASE_STRING(struct options, out), .preset = "kron.data", .help = "trace" },
	{ "json", 'j', BASE_FLAG(struct options, json), .help = "print one JSON object" },
	{ "verbose", 'v', BASE_FLAG(struct options, verbose), .help = "say more" },
	{ "engine", 'e', BASE_CHOICE(struct options, engine, engines), .value = "NAME",
	  .preset = "decoupled", .help = "how to simulate" },
	{ 0 },
};

static const struct base_argument arguments[] = {
	{ "MODEL", BASE_ARGUMENT_REQUIRED, "the chip" },
	{ "SCRIPT", BASE_ARGUMENT_OPTIONAL, "commands" },
	{ 0 },
};

static const struct base_argument many[] = {
	{ "PROG", BASE_ARGUMENT_REQUIRED, "the program" },
	{ "ARGS", BASE_ARGUMENT_MANY, "its arguments" },
	{ 0 },
};

static const struct base_argument optional[] = {
	{ "A", BASE_ARGUMENT_MANY, NULL },
	{ 0 },
};

static const struct base_command chip = { .name = "kron chip",
					  .options = table,
					  .arguments = arguments };
static const struct base_command record = {
	.name = "kron record", .options = table, .arguments = many, .stop_at_argument = true
};
static const struct base_command loose = { .name = "kron loose",
					   .options = table,
					   .arguments = optional };

static struct options options;
static struct base_args args;

/* Parse the words up to NULL; parse_words(&chip, "a", NULL) is `kron chip a`. */
static int parse_words(const struct base_command *command, ...)
{
	static char *words[32];
	static char buffers[32][128];
	va_list list;
	const char *word;
	int count = 0;

	va_start(list, command);
	words[count++] = strcpy(buffers[0], "command");
	while ((word = va_arg(list, const char *))) {
		words[count] = strcpy(buffers[count], word);
		count++;
	}
	words[count] = NULL;
	va_end(list);
	memset(&options, 0xa5, sizeof(options));
	return base_options_parse(command, &options, count, words, &args);
}

#define PARSE(command, ...) CHECK_EQUAL(parse_words(&(command), __VA_ARGS__, NULL), 0)
#define PARSE_ERROR(text, command, ...)                                                            \
	do {                                                                                       \
		CHECK_EQUAL(parse_words(&(command), __VA_ARGS__, NULL), -KRON_EINVAL);             \
		assert_string_equal(args.error, text);                                             \
	} while (0)

static void targets_start_with_their_presets(void **state)
{
	(void)state;
	PARSE(chip, "multikron");
	CHECK_EQUAL(options.fifo_depth, 8);
	CHECK_EQUAL(options.node_hz, 10000000);
	CHECK_EQUAL(options.cache, 0);
	assert_null(options.vcd);
	assert_string_equal(options.out, "kron.data");
	CHECK(!options.json && !options.verbose);
	CHECK_EQUAL(options.engine, 1);
}

static void a_value_is_given_in_four_ways(void **state)
{
	(void)state;
	PARSE(chip, "m", "--fifo-depth", "4");
	CHECK_EQUAL(options.fifo_depth, 4);
	PARSE(chip, "m", "--fifo-depth=5");
	CHECK_EQUAL(options.fifo_depth, 5);
	PARSE(chip, "m", "-f6");
	CHECK_EQUAL(options.fifo_depth, 6);
	PARSE(chip, "m", "-f", "7");
	CHECK_EQUAL(options.fifo_depth, 7);
	PARSE_ERROR("--fifo-depth: '=9' is not a number (2..64)", chip, "m", "-f=9");
}

static void the_last_of_several_wins(void **state)
{
	(void)state;
	PARSE(chip, "m", "-f4", "--fifo-depth=5");
	CHECK_EQUAL(options.fifo_depth, 5);
}

static void options_and_arguments_may_be_mixed(void **state)
{
	(void)state;
	PARSE(chip, "--json", "model", "-f", "4", "script", "-v");
	CHECK_EQUAL(args.count, 2);
	assert_string_equal(args.list[0], "model");
	assert_string_equal(args.list[1], "script");
	assert_null(args.list[2]);
	CHECK(options.json && options.verbose);
	CHECK_EQUAL(options.fifo_depth, 4);
}

static void flags_stand_in_a_row_and_a_value_may_follow(void **state)
{
	(void)state;
	PARSE(chip, "m", "-jv");
	CHECK(options.json && options.verbose);
	PARSE(chip, "m", "-jvf4");
	CHECK(options.json && options.verbose);
	CHECK_EQUAL(options.fifo_depth, 4);
	PARSE(chip, "m", "-jo", "file");
	assert_string_equal(options.out, "file");
	PARSE(chip, "m", "-oj"); /* a value, not a flag */
	assert_string_equal(options.out, "j");
	CHECK(!options.json);
}

static void behind_two_dashes_everything_is_an_argument(void **state)
{
	(void)state;
	PARSE(chip, "-j", "--", "--json", "--");
	CHECK_EQUAL(args.count, 2);
	assert_string_equal(args.list[0], "--json");
	assert_string_equal(args.list[1], "--");
	PARSE(loose, "--", "--help");
	CHECK(!args.help);
	CHECK_EQUAL(args.count, 1);
}

static void one_dash_is_an_argument(void **state)
{
	(void)state;
	PARSE(chip, "m", "-");
	CHECK_EQUAL(args.count, 2);
	assert_string_equal(args.list[1], "-");
}

static void a_value_may_look_like_an_option(void **state)
{
	(void)state;
	PARSE(chip, "m", "--vcd", "--json", "-o", "--");
	assert_string_equal(options.vcd, "--json");
	assert_string_equal(options.out, "--");
	CHECK(!options.json);
}

static void a_string_may_be_empty_and_contain_anything(void **state)
{
	(void)state;
	PARSE(chip, "m", "--vcd=", "--out=a=b");
	assert_string_equal(options.vcd, "");
	assert_string_equal(options.out, "a=b");
}

static void parsing_can_stop_at_the_first_argument(void **state)
{
	(void)state;
	PARSE(record, "-j", "prog", "--verbose", "-x", "--");
	CHECK(options.json && !options.verbose);
	CHECK_EQUAL(args.count, 4);
	assert_string_equal(args.list[1], "--verbose");
	assert_string_equal(args.list[3], "--");
	PARSE(record, "-j", "--", "prog", "--help");
	CHECK(!args.help);
	CHECK_EQUAL(args.count, 2);
	assert_string_equal(args.list[0], "prog");
}

static void numbers_may_be_hexadecimal(void **state)
{
	(void)state;
	PARSE(chip, "m", "-f", "0x10");
	CHECK_EQUAL(options.fifo_depth, 16);
}

static void suffixes_multiply_where_the_table_says_so(void **state)
{
	(void)state;
	PARSE(chip, "m", "--node-hz", "3K");
	CHECK_EQUAL(options.node_hz, 3000);
	PARSE(chip, "m", "--node-hz", "20m");
	CHECK_EQUAL(options.node_hz, 20000000);
	PARSE(chip, "m", "--node-hz", "2G");
	CHECK_EQUAL(options.node_hz, UINT64_C(2000000000));
	PARSE(chip, "m", "--cache", "256k");
	CHECK_EQUAL(options.cache, 256 * 1024);
	PARSE(chip, "m", "--cache", "0x10M");
	CHECK_EQUAL(options.cache, 16 << 20);
	PARSE(chip, "m", "--cache", "1G");
	CHECK_EQUAL(options.cache, 1 << 30);
	PARSE_ERROR("--fifo-depth: '4K' is not a number (2..64)", chip, "m", "-f4K");
}

static void bad_numbers_are_refused_with_the_range(void **state)
{
	(void)state;
	PARSE_ERROR("--fifo-depth: 1 is out of range (2..64)", chip, "m", "--fifo-depth", "1");
	PARSE_ERROR("--fifo-depth: 65 is out of range (2..64)", chip, "m", "-f65");
	PARSE_ERROR("--fifo-depth: 'x' is not a number (2..64)", chip, "m", "-fx");
	PARSE_ERROR("--fifo-depth: '' is not a number (2..64)", chip, "m", "--fifo-depth=");
	PARSE_ERROR("--fifo-depth: '-4' is not a number (2..64)", chip, "m", "-f", "-4");
	PARSE_ERROR("--cache: 2G is out of range (0..1073741824)", chip, "m", "--cache=2G");
	PARSE_ERROR("--cache: 'K' is not a number (0..1073741824)", chip, "m", "--cache=K");
	PARSE_ERROR("--cache: '1 ' is not a number (0..1073741824)", chip, "m", "--cache=1 ");
	PARSE_ERROR("--cache: '1KK' is not a number (0..1073741824)", chip, "m", "--cache=1KK");
	PARSE_ERROR("--cache: '0000000000000000000000000000000000000001' is not a number "
		    "(0..1073741824)",
		    chip, "m", "--cache=0000000000000000000000000000000000000001K");
	PARSE_ERROR("--node-hz: 0 is out of range (1..18446744073709551615)", chip, "m",
		    "--node-hz=0");
	PARSE_ERROR("--node-hz: '99999999999G' is not a number (1..18446744073709551615)", chip,
		    "m", "--node-hz=99999999999G");
	PARSE_ERROR("--any: '18446744073709551616' is not a number (0..18446744073709551615)", chip,
		    "m", "--any=18446744073709551616");
	PARSE(chip, "m", "--any=18446744073709551615");
	CHECK_EQUAL(options.any, UINT64_MAX);
}

static void choices_are_words_of_a_list(void **state)
{
	(void)state;
	PARSE(chip, "m", "--engine", "hybrid");
	CHECK_EQUAL(options.engine, 0);
	PARSE(chip, "m", "-ecoupled");
	CHECK_EQUAL(options.engine, 2);
	PARSE_ERROR("--engine: 'fast' is not one of hybrid, decoupled, coupled", chip, "m",
		    "--engine=fast");
	PARSE_ERROR("--engine: 'coup' is not one of hybrid, decoupled, coupled", chip, "m",
		    "--engine=coup");
}

static void unknown_options_are_refused_with_a_guess(void **state)
{
	(void)state;
	PARSE_ERROR("unknown option --fifo-dept; did you mean --fifo-depth?", chip, "m",
		    "--fifo-dept", "4");
	PARSE_ERROR("unknown option --fifo-dept; did you mean --fifo-depth?", chip, "m",
		    "--fifo-dept=4");
	PARSE_ERROR("unknown option --hlep; did you mean --help?", chip, "m", "--hlep");
	PARSE_ERROR("unknown option --frobnicate", chip, "m", "--frobnicate");
	PARSE_ERROR("unknown option --fifo", chip, "m", "--fifo"); /* no abbreviations */
	PARSE_ERROR("unknown option --", chip, "m", "--=4");
	PARSE_ERROR("unknown option -x", chip, "m", "-x");
	PARSE_ERROR("unknown option -x", chip, "m", "-jx");
}

static void missing_and_superfluous_values_are_refused(void **state)
{
	(void)state;
	PARSE_ERROR("--fifo-depth needs a value: N", chip, "m", "--fifo-depth");
	PARSE_ERROR("--fifo-depth needs a value: N", chip, "m", "-jf");
	PARSE_ERROR("--out needs a value: VALUE", chip, "m", "-o");
	PARSE_ERROR("--json takes no value", chip, "m", "--json=yes");
	PARSE_ERROR("--json takes no value", chip, "m", "--json=");
}

static void missing_and_superfluous_arguments_are_refused(void **state)
{
	(void)state;
	PARSE_ERROR("MODEL is missing", chip, "-j");
	PARSE_ERROR("unexpected argument 'c'", chip, "a", "b", "c");
	PARSE_ERROR("PROG is missing", record, "--");
	PARSE(loose, "-j");
	PARSE(loose, "a", "b", "c", "d");
	CHECK_EQUAL(args.count, 4);
}

static void help_ends_parsing_without_complaints(void **state)
{
	(void)state;
	PARSE(chip, "--help");
	CHECK(args.help);
	PARSE(chip, "-h", "--nonsense");
	CHECK(args.help);
	PARSE(chip, "-jh");
	CHECK(args.help);
	PARSE_ERROR("unknown option --nonsense", chip, "--nonsense", "--help");
}

static void a_table_may_use_h_itself(void **state)
{
	static const struct base_option own[] = {
		{ "height", 'h', BASE_UNSIGNED(struct options, any, 0, 0), .value = "N" },
		{ 0 },
	};
	static const struct base_command command = { .name = "kron own", .options = own };

	(void)state;
	PARSE(command, "-h3");
	CHECK(!args.help);
	CHECK_EQUAL(options.any, 3);
	PARSE(command, "--help");
	CHECK(args.help);
}

static void tables_may_be_missing(void **state)
{
	static const struct base_command command = { .name = "kron bare" };

	(void)state;
	CHECK_EQUAL(parse_words(&command, NULL), 0);
	CHECK_EQUAL(args.count, 0);
	assert_null(args.list[0]);
	PARSE_ERROR("unexpected argument 'x'", command, "x");
	PARSE_ERROR("unknown option --json", command, "--json");
}

static void a_preset_that_makes_no_sense_is_found(void **state)
{
	static const struct base_option wrong[] = {
		{ "depth", 0, BASE_UNSIGNED(struct options, any, 2, 4), .preset = "5" },
		{ 0 },
	};
	static const struct base_command command = { .name = "kron wrong", .options = wrong };

	(void)state;
	CHECK_EQUAL(parse_words(&command, NULL), -KRON_EINVAL);
	assert_string_equal(args.error, "--depth: 5 is out of range (2..4)");
}

static void an_empty_command_line_is_no_crime(void **state)
{
	static const struct base_command command = { .name = "kron", .options = table };
	char *words[] = { NULL };

	(void)state;
	CHECK_EQUAL(base_options_parse(&command, &options, 0, words, &args), 0);
	CHECK_EQUAL(args.count, 0);
	assert_null(args.list[0]);
}

static void an_error_text_is_cut_and_not_overrun(void **state)
{
	char word[1000], *words[] = { word, word, NULL };

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = 0;
	memcpy(word, "--", 2);
	CHECK_EQUAL(base_options_parse(&loose, &options, 2, words, &args), -KRON_EINVAL);
	CHECK(strlen(args.error) < sizeof(args.error));
	memcpy(word, "--fifo-depth=", 13);
	CHECK_EQUAL(base_options_parse(&loose, &options, 2, words, &args), -KRON_EINVAL);
	memcpy(word, "--engine=", 9);
	CHECK_EQUAL(base_options_parse(&loose, &options, 2, words, &args), -KRON_EINVAL);
	CHECK(strlen(args.error) < sizeof(args.error));
}

/* Words out of a bag of difficult ones, in any order: an error or not, but every argument comes
 * from argv and nothing is read behind its end (the sanitizers watch). */
static void random_command_lines_do_no_harm(void **state)
{
	static const char *const bag[] = { "--",        "-",         "",        "--fifo-depth",
					   "-f",        "-f4",       "--json",  "-jv",
					   "--vcd=",    "--engine",  "coupled", "4",
					   "--node-hz", "10M",       "m",       "-o",
					   "--=",       "--any=0x1", "-jf" };
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 7);
	for (unsigned round = 0; round < 20000; round++) {
		char buffers[8][16], *words[9];
		int count = 1 + (int)base_rng_below(&rng, 8);
		const struct base_command *command = base_rng_below(&rng, 2) ? &chip : &record;

		for (int i = 0; i < count; i++)
			words[i] = strcpy(buffers[i],
					  bag[base_rng_below(&rng, sizeof(bag) / sizeof(bag[0]))]);
		words[count] = NULL;
		if (base_options_parse(command, &options, count, words, &args)) {
			CHECK(*args.error);
			continue;
		}
		CHECK(args.count < count);
		CHECK(!*args.error);
		assert_null(args.list[args.count]);
		for (int i = 0; i < args.count; i++)
			assert_non_null(args.list[i]);
		CHECK(options.fifo_depth >= 2 && options.fifo_depth <= 64);
		CHECK(options.engine < 3);
	}
}

TEST_MAIN(TEST(targets_start_with_their_presets), TEST(a_value_is_given_in_four_ways),
	  TEST(the_last_of_several_wins), TEST(options_and_arguments_may_be_mixed),
	  TEST(flags_stand_in_a_row_and_a_value_may_follow),
	  TEST(behind_two_dashes_everything_is_an_argument), TEST(one_dash_is_an_argument),
	  TEST(a_value_may_look_like_an_option), TEST(a_string_may_be_empty_and_contain_anything),
	  TEST(parsing_can_stop_at_the_first_argument), TEST(numbers_may_be_hexadecimal),
	  TEST(suffixes_multiply_where_the_table_says_so),
	  TEST(bad_numbers_are_refused_with_the_range), TEST(choices_are_words_of_a_list),
	  TEST(unknown_options_are_refused_with_a_guess),
	  TEST(missing_and_superfluous_values_are_refused),
	  TEST(missing_and_superfluous_arguments_are_refused),
	  TEST(help_ends_parsing_without_complaints), TEST(a_table_may_use_h_itself),
	  TEST(tables_may_be_missing), TEST(a_preset_that_makes_no_sense_is_found),
	  TEST(an_empty_command_line_is_no_crime), TEST(an_error_text_is_cut_and_not_overrun),
	  TEST(random_command_lines_do_no_harm))
