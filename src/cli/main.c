/* SPDX-License-Identifier: Apache-2.0 */
/* kron: the table of commands, and what stands before a command. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/text.h"
#include "cli/cli.h"

static const struct cli_command commands[] = {
	{ "record", "run a program and collect its samples", cmd_record },
	{ "report", "say what happened in a trace: regions, waits, losses, cost", cmd_report },
	{ "export", "write a trace for another tool: Perfetto, Chrome, CSV, SQLite", cmd_export },
	{ "filter", "read or set the filter register of a running program", cmd_filter },
	{ "chip", "drive a model of a measurement chip from a script", cmd_chip },
	{ "doctor", "say what works here, and which package adds what is missing", cmd_doctor },
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

struct main_options {
	bool version;
};

static const struct base_option main_table[] = {
	{ "version", 'V', BASE_FLAG(struct main_options, version), .help = "print the version" },
	{ 0 },
};

static const struct base_argument main_arguments[] = {
	{ "COMMAND", BASE_ARGUMENT_OPTIONAL, NULL },
	{ "ARGS", BASE_ARGUMENT_MANY, NULL },
	{ 0 },
};

static const struct base_command main_command = {
	.name = "kron",
	.options = main_table,
	.arguments = main_arguments,
	.stop_at_argument = true,
};

static void print_help(struct base_out *out)
{
	size_t width = 0;

	base_out_text(out, "usage: kron COMMAND [options] [--] [ARGS]\n"
			   "       kron help [COMMAND]\n"
			   "\n"
			   "Kron measures parallel programs.\n"
			   "\n"
			   "Commands:\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strlen(commands[i].name) > width)
			width = strlen(commands[i].name);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		base_options_help_row(out, commands[i].name, width, commands[i].summary);
	base_out_text(out, "\nOptions:\n");
	base_options_help_options(main_table, out);
	base_out_text(out, "\n'kron help COMMAND' tells more about one of them.\n");
}

static const struct cli_command *find_command(struct cli *cli, const char *name)
{
	const char *best = NULL;

	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
		base_text_suggest(name, commands[i].name, &best);
	}
	if (best)
		cli_error(cli, "unknown command '%s'; did you mean '%s'?", name, best);
	else
		cli_error(cli, "unknown command '%s'", name);
	cli_hint(cli, "kron --help");
	return NULL;
}

static int run_command(struct cli *cli, int argc, char **argv)
{
	const struct cli_command *command = find_command(cli, argv[0]);

	if (!command)
		return CLI_USAGE;
	cli->command = command->name;
	return command->run(cli, argc, argv);
}

/* kron help [COMMAND]: what kron --help and kron COMMAND --help say. */
static int run_help(struct cli *cli, int argc, char **argv)
{
	char flag[] = "--help";
	char *words[] = { NULL, flag, NULL };

	if (argc > 2) {
		cli_error(cli, "unexpected argument '%s'", argv[2]);
		cli_hint(cli, "kron help %s", argv[1]);
		return CLI_USAGE;
	}
	if (argc < 2 || !strcmp(argv[1], "help") || !strcmp(argv[1], "--help")) {
		print_help(&cli->out);
		return CLI_DONE;
	}
	words[0] = argv[1];
	return run_command(cli, 2, words);
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct main_options options;
	struct base_args args;

	if (base_options_parse(&main_command, &options, argc, argv, &args)) {
		cli_error(cli, "%s", args.error);
		cli_hint(cli, "kron --help");
		return CLI_USAGE;
	}
	if (args.help) {
		print_help(&cli->out);
		return CLI_DONE;
	}
	if (options.version) {
		base_out_text(&cli->out, "kron " KRON_VERSION "\n");
		return CLI_DONE;
	}
	if (!args.count) {
		print_help(&cli->err);
		base_out_flush(&cli->err);
		return CLI_USAGE;
	}
	if (!strcmp(args.list[0], "help"))
		return run_help(cli, args.count, args.list);
	return run_command(cli, args.count, args.list);
}

/* A caller may have closed standard input, output or error. Then the first file opened would get
 * that number and our output. Hold the place with a descriptor that refuses to be used. */
static void hold_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* SIGPIPE stays as it was found. By default it ends `kron ... | head` quietly; if the caller
 * ignores it, the write fails and cli_finish() says so. */
int main(int argc, char **argv)
{
	struct cli cli;

	hold_standard_descriptors();
	cli_init(&cli, &base_io_system, &base_alloc_system);
	return cli_finish(&cli, run(&cli, argc, argv));
}
