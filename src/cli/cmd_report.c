/* SPDX-License-Identifier: Apache-2.0 */
/* kron report: what happened in a trace. */
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/trace_dir.h"
#include "report/report.h"

struct report_options {
	bool json;
	bool csv;
	bool mend;
	uint64_t top;
};

static const struct base_option report_table[] = {
	{ "json", 0, BASE_FLAG(struct report_options, json), .help = "print one JSON object" },
	{ "csv", 0, BASE_FLAG(struct report_options, csv),
	  .help = "print comma-separated values, section by section" },
	{ "mend", 0, BASE_FLAG(struct report_options, mend),
	  .help = "first remove packets that were cut off, so that babeltrace2 reads the trace" },
	{ "top", 0, BASE_UNSIGNED(struct report_options, top, 0, 0), .value = "N", .preset = "20",
	  .help = "rows of a table in the text, 0 for all; --json and --csv have all" },
	{ 0 },
};

static const struct base_argument report_arguments[] = {
	{ "DIR", BASE_ARGUMENT_OPTIONAL, "the trace; kron.data if it is missing" },
	{ 0 },
};

static const struct base_example report_examples[] = {
	{ "kron report", "regions, threads, locks, losses and cost of kron.data" },
	{ "kron report --json | jq '.regions[] | [.name, .total_ns]'", "for scripts" },
	{ 0 },
};

static const struct base_command report_command = {
	.name = "kron report",
	.summary =
		"Say what happened in a trace: regions, waits, locks, counters, losses, and what "
		"measuring cost.",
	.options = report_table,
	.arguments = report_arguments,
	.examples = report_examples,
	.footer = "Exit codes: 0 done, 2 usage, 3 the trace is bad or incomplete; what could be "
		  "read is printed all the same.",
};

/* How much there is to read, as far as known. */
struct report_progress {
	struct cli_progress line;
	uint64_t events;
};

static void on_progress(void *context, uint64_t events)
{
	struct report_progress *progress = context;

	cli_progress_show(&progress->line, "events", events,
			  progress->events > events ? progress->events : events);
}

static uint64_t recorded_events(const struct trace_info *info)
{
	uint64_t events = 0;

	for (size_t i = 0; i < info->streams; i++)
		events += info->stream[i].recorded;
	return events;
}

static void print_report(struct cli *cli, const struct report_options *options,
			 const struct report *report)
{
	if (options->json)
		report_put_json(report, &cli->out);
	else if (options->csv)
		report_put_csv(report, &cli->out);
	else
		report_put_text(report, &cli->out, cli->colour_out, (size_t)options->top);
}

static void tell_losses(struct cli *cli, const struct report *report)
{
	const struct report_analysis *analysis = &report->analysis;

	if (report->lost)
		cli_note(cli, "%s: %llu %s lost", report->trace, (unsigned long long)report->lost,
			 report->lost == 1 ? "event was" : "events were");
	if (report->lost_no_ring)
		cli_note(cli, "%s: %llu of them because all rings were taken", report->trace,
			 (unsigned long long)report->lost_no_ring);
	if (report->unmatched)
		cli_note(cli,
			 "%s: without partner and not in the times: %llu begins or ends of regions "
			 "and waits",
			 report->trace, (unsigned long long)report->unmatched);
	if (analysis->over_losses)
		cli_note(cli,
			 "%s: visits to regions with losses inside, some of which may be two: %llu",
			 report->trace, (unsigned long long)analysis->over_losses);
}

static int run_report(struct cli *cli, const struct report_options *options, const char *dir)
{
	struct report_progress progress = { 0 };
	struct report_config config = {
		.alloc = cli->alloc, .trace = dir, .progress = on_progress, .context = &progress
	};
	struct report report;
	int error;
	int code = cli_trace_open(cli, dir, &config.reader);

	if (code != CLI_GO)
		return code;
	progress.events = recorded_events(trace_reader_info(config.reader));
	cli_progress_begin(&progress.line, cli);
	error = report_open(&report, &config);
	cli_progress_end(&progress.line);
	if (error) {
		cli_fail(cli, dir, error);
		trace_reader_close(config.reader);
		return CLI_INPUT;
	}
	print_report(cli, options, &report);
	tell_losses(cli, &report);
	code = cli_trace_damage(cli, dir, report.info);
	if (!options->json && !options->csv)
		cli_hint(cli, "kron export %s --to perfetto -o trace.pftrace", dir);
	report_close(&report);
	trace_reader_close(config.reader);
	return code;
}

/* Other readers of CTF refuse a trace whose last packet is not whole. */
static int mend(struct cli *cli, const char *dir)
{
	uint64_t removed;
	int error = trace_ctf_mend(cli->io, cli->alloc, dir, &removed);

	if (error) {
		cli_error(cli, "%s: it cannot be mended: %s", dir, base_error_text(error));
		return CLI_INPUT;
	}
	cli_note(cli, "%s: %llu bytes of incomplete packets removed", dir,
		 (unsigned long long)removed);
	return CLI_GO;
}

int cmd_report(struct cli *cli, int argc, char **argv)
{
	struct report_options options;
	struct base_args args;
	const char *dir;
	int code = cli_parse(cli, &report_command, &options, argc, argv, &args);

	if (code != CLI_GO)
		return code;
	if (options.json && options.csv) {
		cli_error(cli, "--json and --csv exclude each other");
		cli_hint(cli, "kron report --help");
		return CLI_USAGE;
	}
	dir = args.count ? args.list[0] : CLI_TRACE_DIR;
	if (options.mend) {
		code = mend(cli, dir);
		if (code != CLI_GO)
			return code;
	}
	return run_report(cli, &options, dir);
}
