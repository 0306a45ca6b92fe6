/* SPDX-License-Identifier: Apache-2.0 */
/* kron export: a trace in the formats of other people's tools. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/trace_dir.h"
#include "report/export.h"
#include "trace/ctf_dir.h"
#include "trace/reader.h"

/* To begin with; a chip has no regions. */
#define QUERY_SLICES "select name, count(*), sum(duration_ns) from slice group by name"
#define QUERY_EVENTS "select ns, source, data from event limit 10"

struct export_options {
	unsigned to; /* enum report_export_format */
	const char *output;
};

static const char *const formats[REPORT_EXPORT_FORMATS + 1] = {
	[REPORT_EXPORT_PERFETTO] = "perfetto",
	[REPORT_EXPORT_CHROME] = "chrome",
	[REPORT_EXPORT_CSV] = "csv",
	[REPORT_EXPORT_SQLITE] = "sqlite",
};

static const struct base_option export_table[] = {
	{ "to", 't', BASE_CHOICE(struct export_options, to, formats), .value = "FORMAT",
	  .preset = "perfetto", .help = "the format" },
	{ "output", 'o', BASE_STRING(struct export_options, output), .value = "FILE",
	  .help = "write FILE, replacing a regular file when all is written; -: standard output, "
		  "not for sqlite" },
	{ 0 },
};

static const struct base_argument export_arguments[] = {
	{ "DIR", BASE_ARGUMENT_OPTIONAL, "the trace; " CLI_TRACE_DIR " if it is missing" },
	{ 0 },
};

static const struct base_example export_examples[] = {
	{ "kron export --to perfetto -o run.pftrace", "time lines for ui.perfetto.dev" },
	{ "kron export --to sqlite -o run.db && sqlite3 run.db '" QUERY_SLICES "'",
	  "ask questions" },
	{ "kron export --to csv -o - | head", "look at the first events" },
	{ 0 },
};

static const struct base_command export_command = {
	.name = "kron export",
	.summary = "Write a trace in the format of another tool.",
	.options = export_table,
	.arguments = export_arguments,
	.examples = export_examples,
	.footer = CLI_EXIT_CODES,
};

struct export_run {
	struct cli *cli;
	const struct export_options *options;
	const char *dir;
	struct trace_reader *reader;
	struct cli_progress progress;
	uint64_t total_bytes; /* of all streams */
	struct report_export_result result;
};

static bool on_progress(void *context, uint64_t bytes)
{
	struct export_run *run = context;

	cli_progress_show(&run->progress, "export",
			  bytes < run->total_bytes ? bytes : run->total_bytes, run->total_bytes);
	return cli_interrupted;
}

static bool to_output(const struct export_options *options)
{
	return !strcmp(options->output, "-");
}

static int check_options(struct cli *cli, const struct export_options *options)
{
	if (!options->output || !*options->output) {
		cli_error(cli, "which file to write? -o FILE is missing");
	} else if (to_output(options) && options->to == REPORT_EXPORT_SQLITE) {
		cli_error(cli, "-o -: a database cannot go to standard output");
	} else if (to_output(options) && options->to == REPORT_EXPORT_PERFETTO &&
		   isatty(STDOUT_FILENO)) {
		cli_error(cli, "-o -: this format is not text, and standard output is a terminal");
	} else {
		return CLI_GO;
	}
	cli_hint(cli, "kron export --help");
	return CLI_USAGE;
}

/* For the progress line; a file that cannot be looked at counts nothing. */
static int sum_sizes(struct export_run *run)
{
	const struct trace_info *info = trace_reader_info(run->reader);
	struct trace_path path;
	int error = trace_path_init(&path, run->cli->alloc, run->dir, "");

	if (error)
		return error;
	for (size_t i = 0; i < info->streams; i++) {
		struct stat about;

		if (!stat(trace_path_file(&path, info->stream[i].file), &about))
			run->total_bytes += (uint64_t)about.st_size;
	}
	base_alloc_free(run->cli->alloc, path.text);
	return 0;
}

/* Say why nothing was written. */
static int tell_error(struct export_run *run, int error)
{
	const char *output = run->options->output;
	struct cli *cli = run->cli;

	if (run->result.reading)
		return cli_fail(cli, run->dir, error);
	if (error == -KRON_EEXIST) {
		cli_error(cli, "%s%s: it exists: another export runs, or one was killed", output,
			  REPORT_EXPORT_SUFFIX);
		cli_hint(cli, "rm %s%s", output, REPORT_EXPORT_SUFFIX);
		return CLI_INPUT;
	}
	if (error == -KRON_EINVAL && run->options->to == REPORT_EXPORT_SQLITE) {
		cli_error(cli, "%s: a database must be a regular file", output);
		return CLI_INPUT;
	}
	return cli_fail(cli, to_output(run->options) ? "standard output" : output, error);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void tell_next(struct export_run *run)
{
	bool native = !strcmp(trace_reader_info(run->reader)->model, "native");
	const char *output = run->options->output;
	struct cli *cli = run->cli;

	if (to_output(run->options))
		return;
	switch ((enum report_export_format)run->options->to) {
	case REPORT_EXPORT_PERFETTO:
		cli_hint(cli, "open %s in ui.perfetto.dev", output);
		break;
	case REPORT_EXPORT_CHROME:
		cli_hint(cli, "open %s in chrome://tracing or ui.perfetto.dev", output);
		break;
	case REPORT_EXPORT_SQLITE:
		cli_hint(cli, "sqlite3 %s '%s'", output, native ? QUERY_SLICES : QUERY_EVENTS);
		break;
	case REPORT_EXPORT_CSV:
		cli_hint(cli, "head -n 3 %s", output);
		break;
	case REPORT_EXPORT_FORMATS:
		break;
	}
}

/* What could not be nested as it came. */
static void tell_slices(struct export_run *run)
{
	const struct {
		uint64_t count;
		const char *fate;
	} rows[] = {
		{ run->result.unclosed, "without an end: they end with their thread" },
		{ run->result.unmatched, "without a begin: left out" },
		{ run->result.too_deep, "nested too deep: left out" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].count)
			cli_note(run->cli, "%llu regions or waits %s",
				 (unsigned long long)rows[i].count, rows[i].fate);
}

static int tell_result(struct export_run *run)
{
	const struct report_export_result *result = &run->result;
	const struct trace_info *info = trace_reader_info(run->reader);
	struct cli *cli = run->cli;
	int code = cli_trace_damage(run->cli, run->dir, trace_reader_info(run->reader));

	tell_slices(run);
	cli_note(cli, "wrote %s: %llu event%s of %zu stream%s, %llu lost",
		 to_output(run->options) ? "standard output" : run->options->output,
		 (unsigned long long)result->events, plural(result->events), info->streams,
		 plural(info->streams), (unsigned long long)result->lost);
	tell_next(run);
	return code;
}

static int export_trace(struct export_run *run)
{
	struct report_export_config config = {
		.io = run->cli->io,
		.alloc = run->cli->alloc,
		.reader = run->reader,
		.format = (enum report_export_format)run->options->to,
		.path = to_output(run->options) ? NULL : run->options->output,
		.fd = STDOUT_FILENO,
		.progress = on_progress,
		.context = run,
	};
	int error = sum_sizes(run);

	if (error)
		return cli_fail(run->cli, run->dir, error);
	cli_catch_interrupts();
	cli_progress_begin(&run->progress, run->cli);
	error = report_export_run(&config, &run->result);
	cli_progress_end(&run->progress);
	if (error)
		return tell_error(run, error);
	if (run->result.stopped) {
		cli_note(run->cli, "stopped; %s was not written", run->options->output);
		return 128 + cli_interrupted;
	}
	return tell_result(run);
}

int cmd_export(struct cli *cli, int argc, char **argv)
{
	struct export_options options;
	struct export_run run = { .cli = cli, .options = &options };
	struct base_args args;
	int code = cli_parse(cli, &export_command, &options, argc, argv, &args);

	if (code == CLI_GO)
		code = check_options(cli, &options);
	if (code != CLI_GO)
		return code;
	run.dir = args.count ? args.list[0] : CLI_TRACE_DIR;
	code = cli_trace_open(cli, run.dir, &run.reader);
	if (code != CLI_GO)
		return code;
	code = export_trace(&run);
	trace_reader_close(run.reader);
	return code;
}
