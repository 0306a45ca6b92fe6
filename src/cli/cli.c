/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"

/* Longest message; paths in it are at most PATH_MAX. */
#define MESSAGE_MAX 8192

static bool wants_colour(int fd)
{
	const char *no_colour = getenv("NO_COLOR"); /* no-color.org: any text but the empty one */
	const char *term = getenv("TERM");

	if (no_colour && *no_colour)
		return false;
	if (!term || !*term || !strcmp(term, "dumb"))
		return false;
	return isatty(fd);
}

void cli_init(struct cli *cli, struct base_io *io, struct base_alloc *alloc)
{
	cli->io = io;
	cli->alloc = alloc;
	base_out_init(&cli->out, io, STDOUT_FILENO);
	base_out_init(&cli->err, io, STDERR_FILENO);
	cli->command = NULL;
	cli->colour_out = wants_colour(STDOUT_FILENO);
	cli->colour_err = wants_colour(STDERR_FILENO);
}

/* Text that came from outside must not steer the terminal. */
static void put_clean(struct base_out *out, char *text)
{
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	base_out_text(out, text);
}

/* One line; label stands between the name of the command and the message. */
static void put_message(struct cli *cli, const char *colour, const char *label, const char *format,
			va_list list) __attribute__((format(printf, 4, 0)));

static void put_message(struct cli *cli, const char *colour, const char *label, const char *format,
			va_list list)
{
	char text[MESSAGE_MAX];
	int saved_errno = errno;

	/* What was printed before must also be seen before. */
	base_out_flush(&cli->out);
	vsnprintf(text, sizeof(text), format, list);
	base_out_printf(&cli->err, "%skron%s%s:%s %s", cli->colour_err ? colour : "",
			cli->command ? " " : "", cli->command ? cli->command : "",
			cli->colour_err ? "\033[0m" : "", label);
	put_clean(&cli->err, text);
	base_out_text(&cli->err, "\n");
	base_out_flush(&cli->err);
	errno = saved_errno;
}

void cli_error(struct cli *cli, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	put_message(cli, "\033[1;31m", "", format, list);
	va_end(list);
}

void cli_note(struct cli *cli, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	put_message(cli, "\033[1m", "", format, list);
	va_end(list);
}

void cli_hint(struct cli *cli, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	put_message(cli, "\033[1m", "hint: ", format, list);
	va_end(list);
}

int cli_fail(struct cli *cli, const char *what, int error)
{
	cli_error(cli, "%s: %s", what, base_error_text(error));
	return error == -KRON_EINVAL ? CLI_USAGE : CLI_INPUT;
}

int cli_finish(struct cli *cli, int code)
{
	int error = base_out_flush(&cli->out);

	if (!error)
		return code;
	cli_fail(cli, "standard output", error);
	return code == CLI_DONE ? CLI_INPUT : code;
}

int cli_parse(struct cli *cli, const struct base_command *command, void *targets, int argc,
	      char **argv, struct base_args *args)
{
	if (base_options_parse(command, targets, argc, argv, args)) {
		cli_error(cli, "%s", args->error);
		cli_hint(cli, "%s --help", command->name);
		return CLI_USAGE;
	}
	if (args->help) {
		base_options_help(command, &cli->out);
		return CLI_DONE;
	}
	return CLI_GO;
}
