/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/account.h"
#include <stdio.h>
#include <string.h>
#include "base/json.h"

void collect_account_sum(const struct collect_output *output, struct collect_totals *totals)
{
	*totals = (struct collect_totals){ .threads = (uint32_t)output->streams,
					   .processes = (uint32_t)output->processes };
	for (size_t i = 0; i < output->streams; i++) {
		const struct collect_stream *stream = &output->stream[i];

		for (unsigned g = 0; g < KRON_WIRE_GROUPS; g++)
			totals->triggered += stream->triggered[g];
		totals->events += stream->events;
		totals->bytes += stream->bytes;
		totals->lost_full += stream->lost_full;
		totals->lost_nested += stream->lost_nested;
		totals->lost_cut += stream->lost_cut;
		totals->lost_disk += stream->lost_disk;
		totals->waits += stream->waits;
		totals->wait_ticks += stream->wait_ticks;
		totals->damaged += stream->damaged;
	}
	for (size_t i = 0; i < output->processes; i++) {
		totals->lost_no_ring += output->process[i].lost_no_ring;
		totals->triggered += output->process[i].lost_no_ring;
	}
}

static void put_points(struct base_json *json, const struct collect_output *output)
{
	base_json_array(json, "points");
	for (size_t i = 0; i < output->points; i++) {
		base_json_object(json, NULL);
		base_json_unsigned(json, "ticks", output->point[i].ticks);
		base_json_unsigned(json, "wall_ns", output->point[i].wall_ns);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

static const char *source_name(uint32_t source)
{
	static const char *const names[] = { [KRON_WIRE_SOFTWARE] = "software",
					     [KRON_WIRE_CLOCK] = "clock",
					     [KRON_WIRE_STOPWATCH] = "stopwatch",
					     [KRON_WIRE_PERF] = "perf" };

	return source < sizeof(names) / sizeof(names[0]) ? names[source] : "";
}

static void put_counters(struct base_json *json, const struct collect_output *output)
{
	base_json_array(json, "counters");
	for (unsigned i = 0; i < KRON_WIRE_COUNTERS; i++) {
		const struct kron_wire_counter *counter = &output->counter[i];
		char name[sizeof(counter->name)];

		snprintf(name, sizeof(name), "counter%u", i);
		base_json_object(json, NULL);
		base_json_unsigned(json, "index", i);
		base_json_string(json, "name", counter->name[0] ? counter->name : name);
		base_json_string(json, "source", source_name(counter->source));
		base_json_bool(json, "shared", counter->shared);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

/* Whatever a program wrote there, every string of the copy ends within it. */
static void put_names(struct base_json *json, const struct collect_process *process)
{
	base_json_array(json, "names");
	for (uint32_t at = 0; at < process->names_used;) {
		const char *text = process->names + at;

		base_json_object(json, NULL);
		base_json_unsigned(json, "id", at + 1);
		base_json_string(json, "text", text);
		base_json_end(json, '}');
		at += (uint32_t)strlen(text) + 1;
	}
	base_json_end(json, ']');
}

static void put_processes(struct base_json *json, const struct collect_output *output)
{
	base_json_array(json, "processes");
	for (size_t i = 0; i < output->processes; i++) {
		const struct collect_process *process = &output->process[i];

		base_json_object(json, NULL);
		base_json_unsigned(json, "pid", process->pid);
		base_json_string(json, "command", process->command);
		base_json_unsigned(json, "lost_no_ring", process->lost_no_ring);
		put_names(json, process);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

static void put_stream(struct base_json *json, const struct collect_stream *stream)
{
	char file[32];

	snprintf(file, sizeof(file), TRACE_FILE_STREAM "%u", stream->number);
	base_json_object(json, NULL);
	base_json_string(json, "file", file);
	base_json_unsigned(json, "process", stream->process);
	base_json_unsigned(json, "pid", stream->pid);
	base_json_unsigned(json, "tid", stream->tid);
	base_json_string(json, "thread", stream->thread);
	base_json_bool(json, "nested", stream->nested);
	base_json_unsigned(json, "events", stream->events);
	base_json_array(json, "triggered");
	for (unsigned i = 0; i < KRON_WIRE_GROUPS; i++)
		base_json_unsigned(json, NULL, stream->triggered[i]);
	base_json_end(json, ']');
	base_json_unsigned(json, "waits", stream->waits);
	base_json_unsigned(json, "wait_ticks", stream->wait_ticks);
	base_json_object(json, "lost");
	base_json_unsigned(json, "full", stream->lost_full);
	base_json_unsigned(json, "nested", stream->lost_nested);
	base_json_unsigned(json, "cut", stream->lost_cut);
	base_json_unsigned(json, "disk", stream->lost_disk);
	base_json_end(json, '}');
	base_json_end(json, '}');
}

void collect_account_put(struct base_out *out, const struct collect_output *output, int exit_code,
			 bool complete)
{
	struct base_json json;

	base_json_init(&json, out, true);
	base_json_object(&json, NULL);
	base_json_string(&json, "schema", "kron.trace/1");
	base_json_string(&json, "model", "native");
	base_json_object(&json, "clock");
	base_json_unsigned(&json, "hz", output->hz);
	base_json_end(&json, '}');
	put_points(&json, output);
	base_json_unsigned(&json, "begin_ticks", output->point[0].ticks);
	base_json_unsigned(&json, "end_ticks",
			   complete ? output->point[output->points - 1].ticks : 0);
	base_json_string(&json, "command", output->command);
	base_json_signed(&json, "exit_code", exit_code);
	base_json_bool(&json, "complete", complete);
	base_json_object(&json, "cost");
	base_json_unsigned(&json, "trace_ps", output->trace_ps);
	base_json_unsigned(&json, "resource_ps", output->resource_ps);
	base_json_end(&json, '}');
	put_counters(&json, output);
	put_processes(&json, output);
	base_json_array(&json, "streams");
	for (size_t i = 0; complete && i < output->streams; i++)
		put_stream(&json, &output->stream[i]);
	base_json_end(&json, ']');
	base_json_end(&json, '}');
	base_out_text(out, "\n");
}
