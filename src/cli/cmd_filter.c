/* SPDX-License-Identifier: Apache-2.0 */
/* kron filter: read or set the filter register of a running program. */
#include <limits.h>
#include "base/number.h"
#include "cli/cli.h"
#include "cli/groups.h"
#include "collect/peek.h"

static const struct base_argument filter_arguments[] = {
	{ "PID", BASE_ARGUMENT_REQUIRED, "a process that runs under kron record" },
	{ "GROUPS", BASE_ARGUMENT_OPTIONAL, "let these through: 0-3,7 or 0x8f, all, none" },
	{ 0 },
};

static const struct base_example filter_examples[] = {
	{ "kron filter 4711", "which groups are let through now" },
	{ "kron filter 4711 none", "silence; the program goes on at full speed" },
	{ 0 },
};

static const struct base_command filter_command = {
	.name = "kron filter",
	.summary = "Read or set the filter register of a program that runs under kron record.",
	.arguments = filter_arguments,
	.examples = filter_examples,
	.footer = CLI_EXIT_CODES,
};

static int refused(struct cli *cli, const char *pid, enum collect_peek_result result)
{
	static const char *const why[] = {
		[COLLECT_PEEK_NO_PROCESS] = "there is no such process",
		[COLLECT_PEEK_NOT_YOURS] = "it belongs to another user",
		[COLLECT_PEEK_NOT_RECORDED] = "it does not run under kron record, or does not use "
					      "libkron",
	};

	cli_error(cli, "%s: %s", pid, why[result]);
	return CLI_INPUT;
}

int cmd_filter(struct cli *cli, int argc, char **argv)
{
	struct base_args args;
	enum collect_peek_result result;
	uint32_t groups = 0, before = 0;
	char text[64];
	uint64_t pid;
	int code = cli_parse(cli, &filter_command, NULL, argc, argv, &args);

	if (code != CLI_GO)
		return code;
	if (base_number_parse(args.list[0], &pid) || pid == 0 || pid > INT_MAX) {
		cli_error(cli, "PID: '%s' is not a process number", args.list[0]);
		return CLI_USAGE;
	}
	if (args.count > 1) {
		code = cli_groups_parse(cli, "GROUPS", args.list[1], &groups);
		if (code != CLI_GO)
			return code;
	}
	result = collect_peek_filter((pid_t)pid, args.count > 1 ? &groups : NULL, &before);
	if (result != COLLECT_PEEK_DONE)
		return refused(cli, args.list[0], result);
	cli_groups_print(args.count > 1 ? groups : before, text, sizeof(text));
	base_out_printf(&cli->out, "%s\n", text);
	return CLI_DONE;
}
