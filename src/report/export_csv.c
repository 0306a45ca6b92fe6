/* SPDX-License-Identifier: Apache-2.0 */
/* CSV: a line of names, then a line per event in order of time. Numbers are decimal; what an event has
 * not is empty. */
#include <string.h>
#include "base/csv.h"
#include "report/exporter.h"

/* A number and what follows it. Printing is most of the work here, and printf() half of that. */
static void put_number(struct base_out *out, uint64_t value, char after)
{
	char text[21];
	size_t start = sizeof(text);

	text[--start] = after;
	do
		text[--start] = (char)('0' + value % 10);
	while (value /= 10);
	base_out_write(out, text + start, sizeof(text) - start);
}

static int csv_begin(struct report_export *export)
{
	struct base_out *out = &export->out;

	base_out_text(out, "ns,ticks,stream,pid,tid,thread,cpu,source,type,fifo_overrun,"
			   "shadow_overrun,lost_before,mark,name,value,data");
	for (unsigned i = 0; i < TRACE_COUNTERS; i++) {
		const char *name = report_export_counter_name(export->info, i);

		base_out_printf(out, ",counter%u", i);
		if (name) {
			base_out_text(out, ":");
			base_csv_text(out, name);
		}
	}
	base_out_text(out, "\n");
	return 0;
}

/* Who: stream, process, thread. */
static void put_stream(struct report_export *export, unsigned stream)
{
	const struct trace_process *process = report_export_process(export, stream);
	struct base_out *out = &export->out;

	put_number(out, stream, ',');
	if (process) {
		put_number(out, process->pid, ',');
		put_number(out, export->info->stream[stream].tid, ',');
	} else {
		base_out_text(out, ",,");
	}
	base_csv_text(out, report_export_stream_name(export, stream));
}

/* Mark, name, value. */
static void put_mark(struct report_export *export, const struct report_export_event *event)
{
	struct base_out *out = &export->out;
	uint64_t value = report_export_mark_value(event->event->data);

	if (!event->mark) {
		base_out_text(out, ",,,");
		return;
	}
	base_out_text(out, event->mark->name);
	base_out_text(out, ",");
	if (event->mark->category == REPORT_EXPORT_REGION)
		base_csv_text(out, trace_reader_name(export->reader, event->stream, value));
	base_out_text(out, ",");
	put_number(out, value, ',');
}

/* The last columns, and the end of the line. */
static void put_counters(struct base_out *out, const struct trace_event *event)
{
	static const char none[] = ",,,,,,,,,,,,,,,"; /* between sixteen */

	if (!event->resource)
		base_out_text(out, none);
	for (unsigned i = 0; event->resource && i < TRACE_COUNTERS; i++)
		put_number(out, event->counter[i], i + 1 < TRACE_COUNTERS ? ',' : '\n');
	if (!event->resource)
		base_out_text(out, "\n");
}

static int csv_event(struct report_export *export, const struct report_export_event *event)
{
	const struct trace_event *it = event->event;
	struct base_out *out = &export->out;

	put_number(out, event->ns, ',');
	put_number(out, it->timestamp, ',');
	put_stream(export, event->stream);
	base_out_text(out, ",");
	put_number(out, it->cpu, ',');
	put_number(out, it->source, ',');
	base_out_text(out, it->resource ? "resource," : "trace,");
	put_number(out, it->fifo_overrun, ',');
	put_number(out, it->shadow_overrun, ',');
	put_number(out, event->lost, ',');
	put_mark(export, event);
	put_number(out, it->data, ',');
	put_counters(out, it);
	return 0;
}

static int csv_end(struct report_export *export)
{
	(void)export; /* the last line is the end */
	return 0;
}

const struct report_exporter report_export_csv = {
	.begin = csv_begin,
	.event = csv_event,
	.end = csv_end,
};
