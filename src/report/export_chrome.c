/* SPDX-License-Identifier: Apache-2.0 */
/* Chrome's JSON: one object, "traceEvents" an array of events with "ph" (what it is), "ts"
 * (microseconds), "pid", "tid". Regions and waits are pairs of B and E, all other events instants
 * (i), counters C; M names processes and threads.
 *
 * Numbers of JavaScript are exact to 53 bits, so the 64 bits of data are a string.
 * Source: "Trace Event Format" of the Chromium project. */
#include <inttypes.h>
#include <stdio.h>
#include "base/error.h"
#include "base/json.h"
#include "report/exporter.h"

/* More than Linux gives a process or thread, so that streams without one of their own get a line
 * each; and 0, the kernel's, viewers leave out. */
#define PID_FREE UINT32_C(4194304)
#define TID_FREE (PID_FREE + 1)

#define NS_PER_US 1000.0

struct chrome {
	struct base_json json;
	struct report_export_values *values;
};

static struct chrome *state_of(struct report_export *export)
{
	return export->state;
}

static uint32_t pid_of(struct report_export *export, unsigned stream)
{
	const struct trace_process *process = report_export_process(export, stream);

	return process ? process->pid : PID_FREE;
}

static uint32_t tid_of(struct report_export *export, unsigned stream)
{
	const struct trace_stream_info *about = &export->info->stream[stream];
	bool thread = report_export_process(export, stream) && about->tid && !about->nested;

	return thread ? about->tid : TID_FREE + stream;
}

/* ---- Names ---- */

static void put_name(struct base_json *json, const char *what, uint32_t pid, uint32_t tid,
		     const char *name)
{
	base_json_object(json, NULL);
	base_json_string(json, "ph", "M");
	base_json_string(json, "name", what);
	base_json_unsigned(json, "pid", pid);
	base_json_unsigned(json, "tid", tid);
	base_json_object(json, "args");
	base_json_string(json, "name", name);
	base_json_end(json, '}');
	base_json_end(json, '}');
	base_out_text(json->out, "\n");
}

static void put_names(struct report_export *export)
{
	const struct trace_info *info = export->info;
	struct base_json *json = &state_of(export)->json;
	char buffer[REPORT_EXPORT_LABEL];
	bool homeless = false;

	for (unsigned i = 0; i < info->streams; i++)
		homeless |= !report_export_process(export, i);
	if (homeless)
		put_name(json, "process_name", PID_FREE, PID_FREE, info->model);
	for (size_t i = 0; i < info->processes; i++)
		put_name(json, "process_name", info->process[i].pid, info->process[i].pid,
			 info->process[i].command);
	for (unsigned i = 0; i < info->streams; i++)
		put_name(json, "thread_name", pid_of(export, i), tid_of(export, i),
			 report_export_stream_label(export, i, buffer));
}

/* ---- Events ---- */

static void event_begin(struct report_export *export, const char *phase, unsigned stream,
			uint64_t ns)
{
	struct base_json *json = &state_of(export)->json;

	base_json_object(json, NULL);
	base_json_string(json, "ph", phase);
	base_json_double(json, "ts", (double)ns / NS_PER_US);
	base_json_unsigned(json, "pid", pid_of(export, stream));
	base_json_unsigned(json, "tid", tid_of(export, stream));
}

static void event_end(struct report_export *export)
{
	struct base_json *json = &state_of(export)->json;

	base_json_end(json, '}');
	base_out_text(json->out, "\n");
}

static void put_title(struct base_json *json, enum report_export_category category,
		      const char *name)
{
	base_json_string(json, "name", name);
	base_json_string(json, "cat", report_export_category_name[category]);
}

static void put_mark(struct report_export *export, const struct report_export_event *event)
{
	struct base_json *json = &state_of(export)->json;
	bool slice = event->mark->role == REPORT_EXPORT_BEGIN;
	char buffer[REPORT_EXPORT_LABEL];

	if (!event->drawn)
		return;
	event_begin(export, slice ? "B" : "i", event->stream, event->ns);
	put_title(json, event->mark->category,
		  report_export_mark_label(export->reader, event->stream, event->event->data,
					   buffer));
	if (!slice)
		base_json_string(json, "s", "t"); /* an instant of its thread */
	event_end(export);
}

static void put_plain(struct report_export *export, const struct report_export_event *event)
{
	const struct trace_event *it = event->event;
	struct base_json *json = &state_of(export)->json;
	char data[24];

	snprintf(data, sizeof(data), "0x%" PRIx64, it->data);
	event_begin(export, "i", event->stream, event->ns);
	put_title(json, REPORT_EXPORT_TRACE, it->resource ? "resource" : "trace");
	base_json_string(json, "s", "t");
	base_json_object(json, "args");
	base_json_string(json, "data", data);
	base_json_unsigned(json, "source", it->source);
	base_json_unsigned(json, "cpu", it->cpu);
	base_json_end(json, '}');
	event_end(export);
}

/* Counters belong to a process. Those of threads are kept apart by an id. */
static void put_counter(struct report_export *export, const struct report_export_event *event,
			unsigned counter)
{
	size_t owner = report_export_counter_owner(export, event->stream, counter);
	uint32_t value = event->event->counter[counter];
	struct base_json *json = &state_of(export)->json;
	char id[16];

	if (!report_export_counter_changes(&state_of(export)->values[owner], export->info, counter,
					   value))
		return;
	event_begin(export, "C", event->stream, event->ns);
	base_json_string(json, "name", export->info->counter[counter].name);
	if (owner < export->info->streams) {
		snprintf(id, sizeof(id), "%" PRIu32, tid_of(export, event->stream));
		base_json_string(json, "id", id);
	}
	base_json_object(json, "args");
	base_json_unsigned(json, "value", value);
	base_json_end(json, '}');
	event_end(export);
}

static int chrome_event(struct report_export *export, const struct report_export_event *event)
{
	if (event->mark)
		put_mark(export, event);
	else
		put_plain(export, event);
	for (unsigned i = 0; event->event->resource && i < TRACE_COUNTERS; i++)
		put_counter(export, event, i);
	return 0;
}

static int chrome_slice(struct report_export *export, unsigned stream,
			const struct report_export_slice *slice, uint64_t ns)
{
	(void)slice;
	event_begin(export, "E", stream, ns);
	event_end(export);
	return 0;
}

static int chrome_loss(struct report_export *export, unsigned stream, uint64_t lost, uint64_t ns)
{
	struct base_json *json = &state_of(export)->json;

	event_begin(export, "i", stream, ns);
	put_title(json, REPORT_EXPORT_LOSS, "lost");
	base_json_string(json, "s", "t");
	base_json_object(json, "args");
	base_json_unsigned(json, "events", lost);
	base_json_end(json, '}');
	event_end(export);
	return 0;
}

/* ---- Beginning and end ---- */

static int chrome_begin(struct report_export *export)
{
	const struct trace_info *info = export->info;
	struct chrome *chrome = state_of(export);

	chrome->values = base_alloc_get(export->config->alloc, (info->streams + info->processes) *
								       sizeof(*chrome->values));
	if (!chrome->values)
		return -KRON_ENOMEM;
	base_json_init(&chrome->json, &export->out, false);
	base_json_object(&chrome->json, NULL);
	base_json_string(&chrome->json, "displayTimeUnit", "ns");
	base_json_object(&chrome->json, "otherData");
	base_json_string(&chrome->json, "model", info->model);
	base_json_string(&chrome->json, "command", info->command);
	base_json_end(&chrome->json, '}');
	base_json_array(&chrome->json, "traceEvents");
	base_out_text(&export->out, "\n");
	put_names(export);
	return 0;
}

static int chrome_end(struct report_export *export)
{
	struct base_json *json = &state_of(export)->json;

	base_json_end(json, ']');
	base_json_end(json, '}');
	base_out_text(json->out, "\n");
	return 0;
}

static void chrome_close(struct report_export *export)
{
	base_alloc_free(export->config->alloc, state_of(export)->values);
}

const struct report_exporter report_export_chrome = {
	.state_size = sizeof(struct chrome),
	.begin = chrome_begin,
	.event = chrome_event,
	.slice = chrome_slice,
	.loss = chrome_loss,
	.end = chrome_end,
	.close = chrome_close,
};
