/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <stdio.h>
#include <string.h>
#include "base/options.h"
#include "support/capture.h"

struct options {
	uint64_t depth, hz, size, seed;
	const char *vcd;
	bool json;
	unsigned engine;
};

static const char *const engines[] = { "hybrid", "coupled", NULL };

static const struct base_option table[] = {
	{ "fifo-depth", 'f', BASE_UNSIGNED(struct options, depth, 2, 64), .value = "N",
	  .preset = "8", .help = "samples in the FIFO" },
	{ "node-hz", 0, BASE_UNSIGNED(struct options, hz, 1, 0), .value = "HZ",
	  .suffix = BASE_SUFFIX_DECIMAL, .preset = "10M", .help = "frequency of the node clock" },
	{ "cache", 0, BASE_UNSIGNED(struct options, size, 0, 0), .value = "BYTES",
	  .suffix = BASE_SUFFIX_BINARY, .help = "size of the cache" },
	{ "seed", 0, BASE_UNSIGNED(struct options, seed, 0, 0), .value = "N", .help = "seed" },
	{ "vcd", 0, BASE_STRING(struct options, vcd), .value = "FILE",
	  .help = "write the waveforms to FILE, one change a line, so that a viewer can show "
		  "them" },
	{ "json", 'j', BASE_FLAG(struct options, json), .help = "print one JSON object" },
	{ "engine", 0, BASE_CHOICE(struct options, engine, engines), .value = "NAME",
	  .preset = "hybrid", .help = "how to simulate" },
	{ "an-option-with-a-very-long-name", 0, BASE_FLAG(struct options, json), .help = "wide" },
	{ 0 },
};

static const struct base_argument arguments[] = {
	{ "MODEL", BASE_ARGUMENT_REQUIRED, "multikron or multikron2" },
	{ "SCRIPT", BASE_ARGUMENT_OPTIONAL, "commands; standard input without it" },
	{ 0 },
};

static const struct base_example examples[] = {
	{ "kron chip multikron2 boot.mk", "run a script" },
	{ "echo 'read 1' | kron chip multikron", NULL },
	{ 0 },
};

static const struct base_command chip = {
	.name = "kron chip",
	.summary = "Drive a model of a measurement chip.",
	.options = table,
	.arguments = arguments,
	.examples = examples,
	.footer =
		"Exit codes: 0 done, 1 an expectation failed, 2 usage, 3 bad or incomplete input, "
		"4 internal check failed.",
};

static struct capture capture;

static const char *help_of(const struct base_command *command)
{
	capture_init(&capture);
	base_options_help(command, &capture.out);
	return capture_text(&capture);
}

static void help_is_made_from_the_tables(void **state)
{
	(void)state;
	assert_string_equal(
		help_of(&chip),
		"usage: kron chip [options] MODEL [SCRIPT]\n"
		"\n"
		"Drive a model of a measurement chip.\n"
		"\n"
		"Arguments:\n"
		"  MODEL   multikron or multikron2\n"
		"  SCRIPT  commands; standard input without it\n"
		"\n"
		"Options:\n"
		"  -f, --fifo-depth N  samples in the FIFO (2..64; default 8)\n"
		"  --node-hz HZ        frequency of the node clock (at least 1; K, M, G: powers\n"
		"                      of 1000; default 10M)\n"
		"  --cache BYTES       size of the cache (K, M, G: powers of 1024)\n"
		"  --seed N            seed\n"
		"  --vcd FILE          write the waveforms to FILE, one change a line, so that a\n"
		"                      viewer can show them\n"
		"  -j, --json          print one JSON object\n"
		"  --engine NAME       how to simulate (hybrid, coupled; default hybrid)\n"
		"  --an-option-with-a-very-long-name\n"
		"                      wide\n"
		"  -h, --help          show this help\n"
		"\n"
		"Examples:\n"
		"  kron chip multikron2 boot.mk\n"
		"      run a script\n"
		"  echo 'read 1' | kron chip multikron\n"
		"\n"
		"Exit codes: 0 done, 1 an expectation failed, 2 usage, 3 bad or incomplete input,\n"
		"4 internal check failed.\n");
}

static void no_line_of_the_help_is_wider_than_80_columns(void **state)
{
	(void)state;
	for (const char *line = help_of(&chip); *line; line += strcspn(line, "\n") + 1)
		CHECK(strcspn(line, "\n") <= 80);
}

static void a_bare_command_has_help(void **state)
{
	static const struct base_command bare = { .name = "kron bare" };

	(void)state;
	assert_string_equal(help_of(&bare), "usage: kron bare [options]\n"
					    "\n"
					    "Options:\n"
					    "  -h, --help  show this help\n");
}

static void a_command_that_runs_a_program_shows_the_dashes(void **state)
{
	static const struct base_argument many[] = {
		{ "PROG", BASE_ARGUMENT_REQUIRED, "the program" },
		{ "ARGS", BASE_ARGUMENT_MANY, NULL },
		{ 0 },
	};
	static const struct base_command record = { .name = "kron record",
						    .arguments = many,
						    .stop_at_argument = true };
	const char *text = help_of(&record);

	(void)state;
	CHECK_EQUAL(strncmp(text, "usage: kron record [options] [--] PROG [ARGS]...\n", 49), 0);
}

static void help_does_not_claim_a_letter_that_is_taken(void **state)
{
	static const struct base_option own[] = {
		{ "height", 'h', BASE_UNSIGNED(struct options, size, 0, 0), .value = "N",
		  .help = "height" },
		{ 0 },
	};

	(void)state;
	capture_init(&capture);
	base_options_help_options(own, &capture.out);
	assert_string_equal(capture_text(&capture), "  -h, --height N  height\n"
						    "  --help          show this help\n");
}

static void a_word_wider_than_the_page_stands_alone(void **state)
{
	static const char word[] = "https://example.org/a/very/long/address/that/does/not/fit/"
				   "into/the/line/whatever/one/does";
	char text[256], wanted[256];

	(void)state;
	snprintf(wanted, sizeof(wanted), "  x  see\n     %s\n     there\n", word);
	capture_init(&capture);
	snprintf(text, sizeof(text), "see %s  there", word);
	base_options_help_row(&capture.out, "x", 1, text);
	assert_string_equal(capture_text(&capture), wanted);
}

static void an_empty_text_is_an_empty_column(void **state)
{
	(void)state;
	capture_init(&capture);
	base_options_help_row(&capture.out, "x", 3, "");
	assert_string_equal(capture_text(&capture), "  x    \n");
}

TEST_MAIN(TEST(help_is_made_from_the_tables), TEST(no_line_of_the_help_is_wider_than_80_columns),
	  TEST(a_bare_command_has_help), TEST(a_command_that_runs_a_program_shows_the_dashes),
	  TEST(help_does_not_claim_a_letter_that_is_taken),
	  TEST(a_word_wider_than_the_page_stands_alone), TEST(an_empty_text_is_an_empty_column))
