/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share: where results and diagnostics go, exit codes, the table of commands.
 * Only this folder prints diagnostics and picks exit codes. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include "base/alloc.h"
#include "base/io.h"
#include "base/options.h"

enum cli_exit {
	CLI_DONE = 0,
	CLI_NO = 1,       /* the answer is no */
	CLI_USAGE = 2,    /* the command line makes no sense */
	CLI_INPUT = 3,    /* bad or incomplete input, or the results could not be written */
	CLI_INTERNAL = 4, /* an internal check failed */
};

/* The footer of a command's help. */
#define CLI_EXIT_CODES                                                                             \
	"Exit codes: 0 done, 1 the answer is no, 2 usage, 3 bad or incomplete input or output, "   \
	"4 internal check failed."

struct cli {
	struct base_io *io;
	struct base_alloc *alloc;
	struct base_out out; /* standard output; main() flushes it and reports its error */
	struct base_out err; /* standard error; written by the functions below */
	const char *command; /* the one that runs, or NULL */
	bool colour_out;     /* standard output is a terminal, and NO_COLOR is not set */
	bool colour_err;     /* likewise standard error */
};

struct cli_command {
	const char *name;
	const char *summary; /* one line for `kron help` */
	/* argv[0] is the command's name, argv[argc] NULL. Returns the exit code. */
	int (*run)(struct cli *cli, int argc, char **argv);
};

int cmd_chip(struct cli *cli, int argc, char **argv);
int cmd_doctor(struct cli *cli, int argc, char **argv);
int cmd_export(struct cli *cli, int argc, char **argv);
int cmd_filter(struct cli *cli, int argc, char **argv);
int cmd_record(struct cli *cli, int argc, char **argv);
int cmd_report(struct cli *cli, int argc, char **argv);

/* Standard input, output and error through io. */
void cli_init(struct cli *cli, struct base_io *io, struct base_alloc *alloc);

/* Flush what is left. Returns `code`, or CLI_INPUT, having said so, if standard output did not take
 * everything and code was CLI_DONE. */
int cli_finish(struct cli *cli, int code);

/* One line on standard error, after everything printed so far on standard output; control
 * characters become '?'. */
void cli_error(struct cli *cli, const char *format, ...)
	__attribute__((format(printf, 2, 3))); /* kron chip: message */
void cli_note(struct cli *cli, const char *format, ...)
	__attribute__((format(printf, 2, 3))); /* the same, not an error: what was written, lost */
void cli_hint(struct cli *cli, const char *format, ...)
	__attribute__((format(printf, 2, 3))); /* kron chip: hint: what to type next */

/* Say what went wrong with `what` (a file, an option) and return the exit code for it: "kron chip:
 * a.vcd: No space left on device". error is a negative enum kron_error; errno is looked at. */
int cli_fail(struct cli *cli, const char *what, int error);

/* Parse the command line. Returns CLI_GO to go on, or the exit code to return at once: help was
 * asked for and printed, or the error has been told. */
#define CLI_GO (-1)
int cli_parse(struct cli *cli, const struct base_command *command, void *targets, int argc,
	      char **argv, struct base_args *args);

#endif
