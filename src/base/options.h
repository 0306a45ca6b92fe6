/* SPDX-License-Identifier: Apache-2.0 */
/* Commands as tables: one struct base_command drives parsing and --help; the two cannot disagree.
 *
 *   struct copy_options {
 *           uint64_t depth;
 *           const char *file;
 *           bool json;
 *   };
 *   static const struct base_option copy_table[] = {
 *           { "depth", 'd', BASE_UNSIGNED(struct copy_options, depth, 2, 64), .value = "N",
 *             .preset = "8", .help = "entries in the queue" },
 *           { "file", 0, BASE_STRING(struct copy_options, file), .value = "FILE",
 *             .help = "write the log to FILE" },
 *           { "json", 0, BASE_FLAG(struct copy_options, json), .help = "print one JSON object" },
 *           { 0 },
 *   };
 *
 * Accepted: --name VALUE, --name=VALUE, -nVALUE, -n VALUE, flags in a row (-ab), and "--", behind
 * which everything is an argument. Options and arguments may be mixed. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/io.h"

enum base_option_type {
	BASE_OPTION_FLAG,     /* bool: becomes true */
	BASE_OPTION_STRING,   /* const char *: points into argv */
	BASE_OPTION_UNSIGNED, /* uint64_t: decimal or 0x, min..max */
	BASE_OPTION_CHOICE,   /* unsigned: index of the word in choices */
};

/* What the suffixes K, M and G of a number multiply by. */
enum base_option_suffix {
	BASE_SUFFIX_NONE,    /* not allowed */
	BASE_SUFFIX_DECIMAL, /* powers of 1000: frequencies */
	BASE_SUFFIX_BINARY,  /* powers of 1024: sizes */
};

struct base_option {
	const char *name; /* long name without the dashes; NULL ends the table */
	char letter;      /* short name, or 0 */
	enum base_option_type type;
	size_t offset;     /* of the target in the caller's struct */
	uint64_t min, max; /* of a number; max 0: no limit */
	const char *value; /* stands for the value in the help: "N" */
	/* The default as it would be typed; NULL: false, no string, 0, the first choice. */
	const char *preset;
	const char *help; /* what it does; range, choices and default are added */
	enum base_option_suffix suffix;
	const char *const *choices; /* ends with NULL */
};

/* Type and target of an option; compilers warn if the member has another type. */
#define BASE_FLAG(holder, member)                                                                  \
	.type = BASE_OPTION_FLAG, .offset = BASE_TARGET(holder, member, bool)
#define BASE_STRING(holder, member)                                                                \
	.type = BASE_OPTION_STRING, .offset = BASE_TARGET(holder, member, const char *)
#define BASE_UNSIGNED(holder, member, low, high)                                                   \
	.type = BASE_OPTION_UNSIGNED, .offset = BASE_TARGET(holder, member, uint64_t),             \
	.min = (low), .max = (high)
#define BASE_CHOICE(holder, member, words)                                                         \
	.type = BASE_OPTION_CHOICE, .offset = BASE_TARGET(holder, member, unsigned),               \
	.choices = (words)
/* The comparison is never evaluated; it only has the compiler compare the types. */
#define BASE_TARGET(holder, member, wanted)                                                        \
	(offsetof(holder, member) + 0 * sizeof(&((holder *)0)->member == (wanted *)0))

enum base_argument_kind {
	BASE_ARGUMENT_REQUIRED,
	BASE_ARGUMENT_OPTIONAL,
	BASE_ARGUMENT_MANY, /* none or more; the last row */
};

struct base_argument {
	const char *name; /* NULL ends the table */
	enum base_argument_kind kind;
	const char *help;
};

struct base_example {
	const char *command; /* as typed; NULL ends the table */
	const char *comment; /* what it shows */
};

/* Every table may be NULL: empty. */
struct base_command {
	const char *name;    /* as typed: "kron chip" */
	const char *summary; /* one sentence */
	const struct base_option *options;
	const struct base_argument *arguments;
	const struct base_example *examples;
	const char *footer;    /* last paragraph of the help: exit codes */
	bool stop_at_argument; /* what follows the first argument is not ours: "-- PROG ARGS" */
};

/* What base_options_parse() found. */
struct base_args {
	int count;       /* arguments left when the options are gone */
	char **list;     /* they; in the caller's argv, which is rearranged. list[count] is NULL */
	bool help;       /* --help or -h was given; everything else is incomplete */
	char error[256]; /* after -KRON_EINVAL: which option, what is wrong, what is allowed */
};

/* Give every target its preset, then what argv says; argv[0], the command's name, is skipped, and
 * argv[argc] must be NULL. -h and --help need no row.
 * Returns 0, or -KRON_EINVAL with args->error and the targets in any state. */
int base_options_parse(const struct base_command *command, void *targets, int argc, char **argv,
		       struct base_args *args);

/* All of --help. */
void base_options_help(const struct base_command *command, struct base_out *out);

/* Its parts, for a help that is put together differently: the lines of the options, and one line of
 * a table whose left column is `width` wide, its text wrapped. */
void base_options_help_options(const struct base_option *options, struct base_out *out);
void base_options_help_row(struct base_out *out, const char *left, size_t width, const char *text);

#endif
