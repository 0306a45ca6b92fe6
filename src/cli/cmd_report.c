/* SPDX-License-Identifier: Apache-2.0 */
/* kron report: what happened in a trace. */
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "report/report.h"

struct report_options {
	bool json;
	bool csv;
	uint64_t top;
};

static const struct base_option report_table[] = {
	{ "json", 0, BASE_FLAG(struct report_options, json), .help = "print one JSON object" },
	{ "csv", 0, BASE_FLAG(struct report_options, csv),
	  .help = "print comma-separated values, section by section" },
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

static void tell_damage(struct cli *cli, const struct report *report)
{
	const struct trace_info *info = report->info;

	for (size_t i = 0; i < info->streams; i++) {
		const struct trace_stream_info *stream = &info->stream[i];

		if (!stream->damage)
			continue;
		cli_error(cli, "%s/%s: offset %llu: %s; %llu events before it are in the report",
			  report->trace, stream->file, (unsigned long long)stream->damaged_at,
			  stream->damage, (unsigned long long)stream->events);
	}
	if (info->problem)
		cli_error(cli, "%s/.kron.json: %s", report->trace, info->problem);
	else if (report->analysis.native && !info->complete)
		cli_error(cli, "%s: the recorder did not come to its end", report->trace);
}

static int run_report(struct cli *cli, const struct report_options *options, const char *dir)
{
	struct report_progress progress = { 0 };
	struct report_config config = {
		.alloc = cli->alloc, .trace = dir, .progress = on_progress, .context = &progress
	};
	struct report report;
	bool whole;
	int error = trace_reader_open(&config.reader, cli->io, cli->alloc, dir);

	if (error == -KRON_ECORRUPT) {
		cli_error(cli, "%s: not a trace of Kron's", dir);
		return CLI_INPUT;
	}
	if (error) {
		int cause = errno;

		cli_fail(cli, dir, error);
		if (error == -KRON_EIO && cause == ENOENT)
			cli_hint(cli, "kron record -- PROGRAM");
		return error == -KRON_EINVAL ? CLI_USAGE : CLI_INPUT;
	}
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
	whole = report_complete(&report);
	tell_damage(cli, &report);
	if (!options->json && !options->csv)
		cli_hint(cli, "kron export %s --to perfetto -o trace.pftrace", dir);
	report_close(&report);
	trace_reader_close(config.reader);
	return whole ? CLI_DONE : CLI_INPUT;
}

int cmd_report(struct cli *cli, int argc, char **argv)
{
	struct report_options options;
	struct base_args args;
	int code = cli_parse(cli, &report_command, &options, argc, argv, &args);

	if (code != CLI_GO)
		return code;
	if (options.json && options.csv) {
		cli_error(cli, "--json and --csv exclude each other");
		cli_hint(cli, "kron report --help");
		return CLI_USAGE;
	}
	return run_report(cli, &options, args.count ? args.list[0] : "kron.data");
}
