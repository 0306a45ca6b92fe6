/* SPDX-License-Identifier: Apache-2.0 */
/* The help that option tables make; parsing is in options.c. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/options.h"

#define HELP_COLUMNS 80
#define HELP_WIDEST  28 /* a longer left column has its text on the next line */

static bool in_options(const struct base_option *option)
{
	return option && option->name;
}

static void put_spaces(struct base_out *out, size_t count)
{
	while (count--)
		base_out_write(out, " ", 1);
}

/* Text from column `at` on, broken at spaces; later lines start at column `indent`. */
static void put_wrapped(struct base_out *out, const char *text, size_t at, size_t indent)
{
	bool first = true;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (!first && at + 1 + length > HELP_COLUMNS) {
			base_out_text(out, "\n");
			put_spaces(out, indent);
			at = indent;
		} else if (!first) {
			base_out_text(out, " ");
			at++;
		}
		base_out_write(out, text, length);
		at += length;
		first = false;
		text += length + strspn(text + length, " ");
	}
	base_out_text(out, "\n");
}

void base_options_help_row(struct base_out *out, const char *left, size_t width, const char *text)
{
	size_t length = strlen(left);

	base_out_printf(out, "  %s", left);
	if (length > width) {
		base_out_text(out, "\n");
		length = 0;
		put_spaces(out, 2);
	}
	put_spaces(out, width - length + 2);
	put_wrapped(out, text, width + 4, width + 4);
}

/* "-n, --name VALUE" */
static void option_left(const struct base_option *option, char *text, size_t size)
{
	char letter[8] = "";
	bool valued = option->type != BASE_OPTION_FLAG;

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	snprintf(text, size, "%s--%s%s%s", letter, option->name, valued ? " " : "",
		 !valued         ? ""
		 : option->value ? option->value
				 : "VALUE");
}

static void append(char *text, size_t size, const char *more)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s", more);
}

/* "2..64", "K, M, G allowed": what a number may be. */
static void append_range(const struct base_option *option, char *text, size_t size)
{
	char range[64] = "";

	if (option->max)
		snprintf(range, sizeof(range), "%" PRIu64 "..%" PRIu64, option->min, option->max);
	else if (option->min)
		snprintf(range, sizeof(range), "at least %" PRIu64, option->min);
	append(text, size, range);
	if (option->suffix == BASE_SUFFIX_NONE)
		return;
	append(text, size, *range ? "; " : "");
	append(text, size,
	       option->suffix == BASE_SUFFIX_BINARY ? "K, M, G: powers of 1024"
						    : "K, M, G: powers of 1000");
}

static void append_choices(const struct base_option *option, char *text, size_t size)
{
	for (unsigned i = 0; option->choices[i]; i++) {
		append(text, size, i ? ", " : "");
		append(text, size, option->choices[i]);
	}
}

/* The help of an option, with "(2..64; default 8)" made from its row. */
static void option_text(const struct base_option *option, char *text, size_t size)
{
	char facts[256] = "";

	if (option->type == BASE_OPTION_UNSIGNED)
		append_range(option, facts, sizeof(facts));
	else if (option->type == BASE_OPTION_CHOICE)
		append_choices(option, facts, sizeof(facts));
	if (option->preset && option->type != BASE_OPTION_FLAG) {
		append(facts, sizeof(facts), *facts ? "; default " : "default ");
		append(facts, sizeof(facts), option->preset);
	}
	snprintf(text, size, "%s%s%s%s", option->help ? option->help : "", *facts ? " (" : "",
		 facts, *facts ? ")" : "");
}

static const char *help_left(const struct base_option *options)
{
	for (; in_options(options); options++)
		if (options->letter == 'h')
			return "--help";
	return "-h, --help";
}

void base_options_help_options(const struct base_option *options, struct base_out *out)
{
	char left[96], text[1024];
	size_t width = strlen(help_left(options));

	for (const struct base_option *option = options; in_options(option); option++) {
		option_left(option, left, sizeof(left));
		if (strlen(left) > width && strlen(left) <= HELP_WIDEST)
			width = strlen(left);
	}
	for (const struct base_option *option = options; in_options(option); option++) {
		option_left(option, left, sizeof(left));
		option_text(option, text, sizeof(text));
		base_options_help_row(out, left, width, text);
	}
	base_options_help_row(out, help_left(options), width, "show this help");
}

static void help_usage(const struct base_command *command, struct base_out *out)
{
	static const char *const forms[] = {
		[BASE_ARGUMENT_REQUIRED] = " %s",
		[BASE_ARGUMENT_OPTIONAL] = " [%s]",
		[BASE_ARGUMENT_MANY] = " [%s]...",
	};

	base_out_printf(out, "usage: %s [options]%s", command->name,
			command->stop_at_argument ? " [--]" : "");
	for (const struct base_argument *row = command->arguments; row && row->name; row++) {
		const char *form = forms[row->kind];
		const char *hole = strchr(form, '%');

		base_out_write(out, form, (size_t)(hole - form));
		base_out_text(out, row->name);
		base_out_text(out, hole + 2);
	}
	base_out_text(out, "\n");
}

static void help_arguments(const struct base_argument *arguments, struct base_out *out)
{
	size_t width = 0;

	if (!arguments || !arguments->name)
		return;
	for (const struct base_argument *row = arguments; row->name; row++)
		if (strlen(row->name) > width)
			width = strlen(row->name);
	base_out_text(out, "\nArguments:\n");
	for (const struct base_argument *row = arguments; row->name; row++)
		base_options_help_row(out, row->name, width, row->help ? row->help : "");
}

static void help_examples(const struct base_example *examples, struct base_out *out)
{
	if (!examples || !examples->command)
		return;
	base_out_text(out, "\nExamples:\n");
	for (const struct base_example *row = examples; row->command; row++) {
		base_out_printf(out, "  %s\n", row->command);
		if (row->comment) {
			put_spaces(out, 6);
			put_wrapped(out, row->comment, 6, 6);
		}
	}
}

void base_options_help(const struct base_command *command, struct base_out *out)
{
	help_usage(command, out);
	if (command->summary) {
		base_out_text(out, "\n");
		put_wrapped(out, command->summary, 0, 0);
	}
	help_arguments(command->arguments, out);
	base_out_text(out, "\nOptions:\n");
	base_options_help_options(command->options, out);
	help_examples(command->examples, out);
	if (command->footer) {
		base_out_text(out, "\n");
		put_wrapped(out, command->footer, 0, 0);
	}
}
