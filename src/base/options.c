/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing by option tables; the help is in options_help.c. */
#include "base/options.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

/* Where parsing stands. argv[1..kept) are the arguments found so far, moved to the front. */
struct parser {
	const struct base_command *command;
	char *targets;
	char **argv;
	int argc;
	int next; /* index of the word to look at */
	int kept;
	struct base_args *args;
};

static int fail(struct base_args *args, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int fail(struct base_args *args, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(args->error, sizeof(args->error), format, list);
	va_end(list);
	return -KRON_EINVAL;
}

static bool in_table(const struct base_option *option)
{
	return option && option->name;
}

/* The power of 1000 or 1024 that a suffix stands for, or 0. */
static uint64_t suffix_factor(enum base_option_suffix suffix, char letter)
{
	uint64_t unit = suffix == BASE_SUFFIX_BINARY ? 1024 : 1000;

	if (suffix == BASE_SUFFIX_NONE)
		return 0;
	switch (letter) {
	case 'K':
	case 'k':
		return unit;
	case 'M':
	case 'm':
		return unit * unit;
	case 'G':
	case 'g':
		return unit * unit * unit;
	}
	return 0;
}

static int parse_number(const struct base_option *option, const char *text, uint64_t *value)
{
	char digits[32];
	size_t length = strlen(text);
	uint64_t factor = length ? suffix_factor(option->suffix, text[length - 1]) : 0;
	uint64_t number;

	if (!factor)
		return base_number_parse(text, value);
	if (length > sizeof(digits))
		return -KRON_EINVAL;
	memcpy(digits, text, length - 1);
	digits[length - 1] = 0;
	if (base_number_parse(digits, &number) || __builtin_mul_overflow(number, factor, &number))
		return -KRON_EINVAL;
	*value = number;
	return 0;
}

static int set_unsigned(const struct base_option *option, uint64_t *target, const char *text,
			struct base_args *args)
{
	uint64_t max = option->max ? option->max : UINT64_MAX;
	uint64_t value;

	if (parse_number(option, text, &value))
		return fail(args, "--%s: '%.40s' is not a number (%" PRIu64 "..%" PRIu64 ")",
			    option->name, text, option->min, max);
	if (value < option->min || value > max)
		return fail(args, "--%s: %.40s is out of range (%" PRIu64 "..%" PRIu64 ")",
			    option->name, text, option->min, max);
	*target = value;
	return 0;
}

static int set_choice(const struct base_option *option, unsigned *target, const char *text,
		      struct base_args *args)
{
	for (unsigned i = 0; option->choices[i]; i++) {
		if (!strcmp(option->choices[i], text)) {
			*target = i;
			return 0;
		}
	}
	fail(args, "--%s: '%.40s' is not one of", option->name, text);
	for (unsigned i = 0; option->choices[i]; i++) {
		size_t used = strlen(args->error);

		snprintf(args->error + used, sizeof(args->error) - used, "%s %s", i ? "," : "",
			 option->choices[i]);
	}
	return -KRON_EINVAL;
}

/* Give an option its value; NULL is what a missing preset stands for, and what a flag gets. */
static int set_value(const struct base_option *option, char *targets, const char *text,
		     struct base_args *args)
{
	void *target = targets + option->offset;

	switch (option->type) {
	case BASE_OPTION_FLAG:
		*(bool *)target = text != NULL;
		return 0;
	case BASE_OPTION_STRING:
		*(const char **)target = text;
		return 0;
	case BASE_OPTION_UNSIGNED:
		*(uint64_t *)target = 0;
		return text ? set_unsigned(option, target, text, args) : 0;
	case BASE_OPTION_CHOICE:
		*(unsigned *)target = 0;
		return text ? set_choice(option, target, text, args) : 0;
	}
	return fail(args, "--%s: not an option type", option->name);
}

static int set_presets(const struct base_command *command, char *targets, struct base_args *args)
{
	for (const struct base_option *option = command->options; in_table(option); option++) {
		int error = set_value(option, targets, option->preset, args);

		if (error)
			return error;
	}
	return 0;
}

static int take_next(struct parser *parser, const struct base_option *option, const char **value)
{
	if (parser->next == parser->argc)
		return fail(parser->args, "--%s needs a value: %s", option->name,
			    option->value ? option->value : "VALUE");
	*value = parser->argv[parser->next++];
	return 0;
}

static int unknown_long(struct parser *parser, const char *name, size_t length)
{
	char typed[BASE_TEXT_DISTANCE_MAX + 1];
	const char *best = NULL;

	if (length > BASE_TEXT_DISTANCE_MAX)
		length = BASE_TEXT_DISTANCE_MAX;
	snprintf(typed, sizeof(typed), "%.*s", (int)length, name);
	for (const struct base_option *option = parser->command->options; in_table(option);
	     option++)
		base_text_suggest(typed, option->name, &best);
	base_text_suggest(typed, "help", &best);
	if (best)
		return fail(parser->args, "unknown option --%s; did you mean --%s?", typed, best);
	return fail(parser->args, "unknown option --%s", typed);
}

/* --name, --name VALUE, --name=VALUE; word points behind the dashes. */
static int parse_long(struct parser *parser, const char *word)
{
	const struct base_option *option = parser->command->options;
	size_t length = strcspn(word, "=");
	const char *value = word[length] ? word + length + 1 : NULL;
	int error;

	while (in_table(option) && (strncmp(option->name, word, length) || option->name[length]))
		option++;
	if (!in_table(option)) {
		if (length != 4 || strncmp(word, "help", length))
			return unknown_long(parser, word, length);
		if (value)
			return fail(parser->args, "--help takes no value");
		parser->args->help = true;
		return 0;
	}
	if (option->type == BASE_OPTION_FLAG) {
		if (value)
			return fail(parser->args, "--%s takes no value", option->name);
		return set_value(option, parser->targets, "", parser->args);
	}
	if (!value) {
		error = take_next(parser, option, &value);
		if (error)
			return error;
	}
	return set_value(option, parser->targets, value, parser->args);
}

/* -n, -n VALUE, -nVALUE, -ab; word points behind the dash. */
static int parse_short(struct parser *parser, const char *word)
{
	for (; *word; word++) {
		const struct base_option *option = parser->command->options;
		const char *value = word + 1;
		int error;

		while (in_table(option) && option->letter != *word)
			option++;
		if (!in_table(option)) {
			if (*word != 'h')
				return fail(parser->args, "unknown option -%c", *word);
			parser->args->help = true;
			return 0;
		}
		if (option->type == BASE_OPTION_FLAG) {
			set_value(option, parser->targets, "", parser->args);
			continue;
		}
		if (!*value) {
			error = take_next(parser, option, &value);
			if (error)
				return error;
		}
		return set_value(option, parser->targets, value, parser->args);
	}
	return 0;
}

/* Everything from here on is an argument. */
static void keep_rest(struct parser *parser)
{
	while (parser->next < parser->argc)
		parser->argv[parser->kept++] = parser->argv[parser->next++];
}

static int parse_words(struct parser *parser)
{
	while (parser->next < parser->argc && !parser->args->help) {
		char *word = parser->argv[parser->next++];
		int error = 0;

		if (!strcmp(word, "--")) {
			keep_rest(parser);
		} else if (word[0] == '-' && word[1] == '-') {
			error = parse_long(parser, word + 2);
		} else if (word[0] == '-' && word[1]) {
			error = parse_short(parser, word + 1);
		} else {
			parser->argv[parser->kept++] = word;
			if (parser->command->stop_at_argument)
				keep_rest(parser);
		}
		if (error)
			return error;
	}
	return 0;
}

static int check_arguments(const struct base_command *command, struct base_args *args)
{
	const struct base_argument *argument = command->arguments;
	int given = 0;

	for (; argument && argument->name; argument++, given++) {
		if (argument->kind == BASE_ARGUMENT_MANY)
			return 0;
		if (argument->kind == BASE_ARGUMENT_REQUIRED && given >= args->count)
			return fail(args, "%s is missing", argument->name);
	}
	if (args->count > given)
		return fail(args, "unexpected argument '%.100s'", args->list[given]);
	return 0;
}

int base_options_parse(const struct base_command *command, void *targets, int argc, char **argv,
		       struct base_args *args)
{
	struct parser parser = {
		.command = command,
		.targets = targets,
		.argv = argv,
		.argc = argc,
		.next = 1,
		.kept = 1,
		.args = args,
	};
	int error;

	memset(args, 0, sizeof(*args));
	args->list = argv + argc;
	error = set_presets(command, targets, args);
	if (!error && argc > 0)
		error = parse_words(&parser);
	if (error || args->help || argc <= 0)
		return error;
	args->list = argv + 1;
	args->count = parser.kept - 1;
	argv[parser.kept] = NULL;
	return check_arguments(command, args);
}
