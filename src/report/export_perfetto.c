/* SPDX-License-Identifier: Apache-2.0 */
/* Perfetto: a file of TracePackets, protocol buffers.
 *
 * A stream is a packet sequence and a track: that of its thread, or a plain one where there is no
 * thread to show (nodes of a simulated machine, signal handlers that interrupted a trigger).
 * Regions and waits are slices, all other events instants. A counter has a track from the moment it
 * counts, below its thread or, if it is shared, below its process.
 *
 * Where events were lost, a packet with previous_packet_dropped says so. Readers forget all names
 * of the sequence there, so the same packet brings them anew; then an instant "lost" shows the
 * place.
 *
 * Invariants:
 *   1. A track is described before it is used.
 *   2. Slices of a track are nested, and time does not go back within a sequence.
 *   3. The first packet of a sequence brings names and never previous_packet_dropped, which readers
 *      take there for the beginning of a recording.
 *
 * Source: the field numbers of trace_packet.proto, track_event.proto, track_descriptor.proto,
 * counter_descriptor.proto, process_descriptor.proto, thread_descriptor.proto, interned_data.proto,
 * debug_annotation.proto and clock_snapshot.proto in protos/perfetto/ of Perfetto. */
#include <kron/wire.h>
#include <string.h>
#include "base/error.h"
#include "report/exporter.h"
#include "report/protobuf.h"

#define TRACE_PACKET 1 /* in the file */

enum packet_field {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_PREVIOUS_DROPPED = 42,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_FIRST_ON_SEQUENCE = 87,
};

enum sequence_flag { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };

enum clock_field { CLOCKS_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };

enum clock_builtin { CLOCK_ID_REALTIME = 1, CLOCK_ID_BOOTTIME = 6 };

enum track_field {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};

enum process_field { PROCESS_PID = 1, PROCESS_NAME = 6 };

enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

enum counter_field { COUNTER_UNIT = 3 };

enum counter_unit { COUNTER_UNIT_COUNT = 2 };

enum event_field {
	EVENT_CATEGORY_IID = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK_UUID = 11,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
};

enum event_type { TYPE_SLICE_BEGIN = 1, TYPE_SLICE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };

enum annotation_field { ANNOTATION_NAME_IID = 1, ANNOTATION_UINT = 3, ANNOTATION_POINTER = 7 };

enum interned_field { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_ANNOTATION = 3 };

enum interned_string_field { INTERNED_IID = 1, INTERNED_TEXT = 2 };

/* Names that are sent once per sequence; their ids start at 1. */
enum name_index { NAME_TRACE, NAME_RESOURCE, NAME_LOST, NAMES };
static const char *const names[NAMES] = { "trace", "resource", "lost" };

enum annotation_index {
	ANNOTATION_DATA,
	ANNOTATION_SOURCE,
	ANNOTATION_CPU,
	ANNOTATION_EVENTS,
	ANNOTATIONS,
};
static const char *const annotations[ANNOTATIONS] = { "data", "source", "cpu", "events" };

/* Tracks: uuid_of(owner, 0) that of the owner itself, and behind it those of its counters. */
#define TRACKS_PER_OWNER (TRACE_COUNTERS + 1)

struct perfetto {
	struct report_protobuf pb;
	struct report_export_values *values; /* of each owner: streams, then processes */
};

static struct perfetto *state_of(struct report_export *export)
{
	return export->state;
}

/* Never 0, which is the track of everything. Owners: streams, then processes, then the machine. */
static uint64_t uuid_of(size_t owner, size_t track)
{
	return 1 + (uint64_t)owner * TRACKS_PER_OWNER + track;
}

static size_t machine_of(const struct report_export *export)
{
	return export->info->streams + export->info->processes;
}

static uint32_t sequence_of(unsigned stream)
{
	return stream + 1;
}

/* What stands in no stream. */
static uint32_t common_sequence(const struct report_export *export)
{
	return (uint32_t) export->info->streams + 1;
}

static void packet_begin(struct report_protobuf *pb, uint32_t sequence)
{
	report_protobuf_begin(pb, TRACE_PACKET);
	report_protobuf_unsigned(pb, PACKET_SEQUENCE_ID, sequence);
}

static int packet_end(struct report_export *export)
{
	struct report_protobuf *pb = &state_of(export)->pb;

	report_protobuf_end(pb);
	return report_protobuf_flush(pb, &export->out);
}

/* ---- Names ---- */

static void put_interned(struct report_protobuf *pb, unsigned field, const char *const *text,
			 unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		report_protobuf_begin(pb, field);
		report_protobuf_unsigned(pb, INTERNED_IID, i + 1);
		report_protobuf_text(pb, INTERNED_TEXT, text[i]);
		report_protobuf_end(pb);
	}
}

/* Begin a packet from which on the sequence stands on its own. */
static void state_packet_begin(struct report_protobuf *pb, unsigned stream)
{
	packet_begin(pb, sequence_of(stream));
	report_protobuf_unsigned(pb, PACKET_SEQUENCE_FLAGS, SEQUENCE_CLEARED);
	report_protobuf_begin(pb, PACKET_INTERNED_DATA);
	put_interned(pb, INTERNED_CATEGORY, report_export_category_name, REPORT_EXPORT_CATEGORIES);
	put_interned(pb, INTERNED_NAME, names, NAMES);
	put_interned(pb, INTERNED_ANNOTATION, annotations, ANNOTATIONS);
	report_protobuf_end(pb);
}

/* ---- Tracks ---- */

/* The track of all streams that belong to no process. */
static int put_machine(struct report_export *export)
{
	struct report_protobuf *pb = &state_of(export)->pb;

	packet_begin(pb, common_sequence(export));
	report_protobuf_begin(pb, PACKET_TRACK_DESCRIPTOR);
	report_protobuf_unsigned(pb, TRACK_UUID, uuid_of(machine_of(export), 0));
	report_protobuf_text(pb, TRACK_NAME, export->info->model);
	report_protobuf_end(pb);
	return packet_end(export);
}

static int put_process(struct report_export *export, size_t number)
{
	const struct trace_process *process = &export->info->process[number];
	struct report_protobuf *pb = &state_of(export)->pb;

	packet_begin(pb, common_sequence(export));
	report_protobuf_begin(pb, PACKET_TRACK_DESCRIPTOR);
	report_protobuf_unsigned(pb, TRACK_UUID, uuid_of(export->info->streams + number, 0));
	report_protobuf_begin(pb, TRACK_PROCESS);
	report_protobuf_signed(pb, PROCESS_PID, (int32_t)process->pid);
	report_protobuf_text(pb, PROCESS_NAME, process->command);
	report_protobuf_end(pb);
	report_protobuf_end(pb);
	return packet_end(export);
}

/* One track a thread is allowed, and the thread itself has it. */
static void put_thread(struct report_export *export, unsigned stream,
		       const struct trace_process *process)
{
	struct report_protobuf *pb = &state_of(export)->pb;

	report_protobuf_begin(pb, TRACK_THREAD);
	report_protobuf_signed(pb, THREAD_PID, (int32_t)process->pid);
	report_protobuf_signed(pb, THREAD_TID, (int32_t) export->info->stream[stream].tid);
	report_protobuf_text(pb, THREAD_NAME, report_export_stream_name(export, stream));
	report_protobuf_end(pb);
}

/* The first packet of a sequence. */
static int put_stream(struct report_export *export, unsigned stream)
{
	const struct trace_process *process = report_export_process(export, stream);
	const struct trace_stream_info *about = &export->info->stream[stream];
	struct report_protobuf *pb = &state_of(export)->pb;
	size_t parent = process ? export->info->streams + about->process : machine_of(export);
	char buffer[REPORT_EXPORT_LABEL];

	state_packet_begin(pb, stream);
	report_protobuf_unsigned(pb, PACKET_FIRST_ON_SEQUENCE, true);
	report_protobuf_begin(pb, PACKET_TRACK_DESCRIPTOR);
	report_protobuf_unsigned(pb, TRACK_UUID, uuid_of(stream, 0));
	report_protobuf_unsigned(pb, TRACK_PARENT, uuid_of(parent, 0));
	if (process && about->tid && !about->nested)
		put_thread(export, stream, process);
	else
		report_protobuf_text(pb, TRACK_NAME,
				     report_export_stream_label(export, stream, buffer));
	report_protobuf_end(pb);
	return packet_end(export);
}

static int put_counter_track(struct report_export *export, unsigned stream, size_t owner,
			     unsigned counter)
{
	struct report_protobuf *pb = &state_of(export)->pb;
	const char *name = export->info->counter[counter].name;

	packet_begin(pb, sequence_of(stream));
	report_protobuf_begin(pb, PACKET_TRACK_DESCRIPTOR);
	report_protobuf_unsigned(pb, TRACK_UUID, uuid_of(owner, 1 + counter));
	report_protobuf_unsigned(pb, TRACK_PARENT, uuid_of(owner, 0));
	report_protobuf_text(pb, TRACK_NAME, name);
	report_protobuf_begin(pb, TRACK_COUNTER);
	report_protobuf_unsigned(pb, COUNTER_UNIT, COUNTER_UNIT_COUNT);
	report_protobuf_end(pb);
	report_protobuf_end(pb);
	return packet_end(export);
}

/* The wall clock at nanosecond 0, for those who merge traces. */
static int put_clocks(struct report_export *export)
{
	struct report_protobuf *pb = &state_of(export)->pb;
	const struct {
		unsigned id;
		uint64_t ns;
	} clocks[] = {
		{ CLOCK_ID_BOOTTIME,
		  trace_reader_ns(export->reader, export->info->point[0].ticks) },
		{ CLOCK_ID_REALTIME, export->info->point[0].wall_ns },
	};

	packet_begin(pb, common_sequence(export));
	report_protobuf_begin(pb, PACKET_CLOCK_SNAPSHOT);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		report_protobuf_begin(pb, CLOCKS_CLOCK);
		report_protobuf_unsigned(pb, CLOCK_ID, clocks[i].id);
		report_protobuf_unsigned(pb, CLOCK_TIMESTAMP, clocks[i].ns);
		report_protobuf_end(pb);
	}
	report_protobuf_end(pb);
	return packet_end(export);
}

/* ---- Events ---- */

static void event_begin(struct report_export *export, unsigned stream, uint64_t ns,
			enum event_type type, uint64_t uuid)
{
	struct report_protobuf *pb = &state_of(export)->pb;

	packet_begin(pb, sequence_of(stream));
	report_protobuf_unsigned(pb, PACKET_TIMESTAMP, ns);
	report_protobuf_unsigned(pb, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	report_protobuf_begin(pb, PACKET_TRACK_EVENT);
	report_protobuf_unsigned(pb, EVENT_TYPE, type);
	report_protobuf_unsigned(pb, EVENT_TRACK_UUID, uuid);
}

static int event_end(struct report_export *export)
{
	report_protobuf_end(&state_of(export)->pb);
	return packet_end(export);
}

static void put_category(struct report_protobuf *pb, enum report_export_category category)
{
	report_protobuf_unsigned(pb, EVENT_CATEGORY_IID, (uint64_t)category + 1);
}

static void put_annotation(struct report_protobuf *pb, enum annotation_index annotation,
			   enum annotation_field field, uint64_t value)
{
	report_protobuf_begin(pb, EVENT_ANNOTATION);
	report_protobuf_unsigned(pb, ANNOTATION_NAME_IID, (uint64_t)annotation + 1);
	report_protobuf_unsigned(pb, field, value);
	report_protobuf_end(pb);
}

/* A slice begins, or something happens, that Kron knows the meaning of. */
static int put_mark(struct report_export *export, const struct report_export_event *event)
{
	struct report_protobuf *pb = &state_of(export)->pb;
	bool slice = event->mark->role == REPORT_EXPORT_BEGIN;
	char buffer[REPORT_EXPORT_LABEL];

	if (!event->drawn)
		return 0;
	event_begin(export, event->stream, event->ns, slice ? TYPE_SLICE_BEGIN : TYPE_INSTANT,
		    uuid_of(event->stream, 0));
	put_category(pb, event->mark->category);
	report_protobuf_text(pb, EVENT_NAME,
			     report_export_mark_label(export->reader, event->stream,
						      event->event->data, buffer));
	return event_end(export);
}

static int put_plain(struct report_export *export, const struct report_export_event *event)
{
	struct report_protobuf *pb = &state_of(export)->pb;
	enum name_index name = event->event->resource ? NAME_RESOURCE : NAME_TRACE;

	event_begin(export, event->stream, event->ns, TYPE_INSTANT, uuid_of(event->stream, 0));
	put_category(pb, REPORT_EXPORT_TRACE);
	report_protobuf_unsigned(pb, EVENT_NAME_IID, (uint64_t)name + 1);
	put_annotation(pb, ANNOTATION_DATA, ANNOTATION_POINTER, event->event->data);
	put_annotation(pb, ANNOTATION_SOURCE, ANNOTATION_UINT, event->event->source);
	put_annotation(pb, ANNOTATION_CPU, ANNOTATION_UINT, event->event->cpu);
	return event_end(export);
}

static int put_counter(struct report_export *export, const struct report_export_event *event,
		       unsigned counter)
{
	size_t owner = report_export_counter_owner(export, event->stream, counter);
	struct report_export_values *values = &state_of(export)->values[owner];
	uint32_t value = event->event->counter[counter];
	bool described = values->known[counter];
	int error = 0;

	if (!report_export_counter_changes(values, export->info, counter, value))
		return 0;
	if (!described)
		error = put_counter_track(export, event->stream, owner, counter);
	if (error)
		return error;
	event_begin(export, event->stream, event->ns, TYPE_COUNTER, uuid_of(owner, 1 + counter));
	report_protobuf_signed(&state_of(export)->pb, EVENT_COUNTER_VALUE, value);
	return event_end(export);
}

static int perfetto_event(struct report_export *export, const struct report_export_event *event)
{
	int error = event->mark ? put_mark(export, event) : put_plain(export, event);

	for (unsigned i = 0; !error && event->event->resource && i < TRACE_COUNTERS; i++)
		error = put_counter(export, event, i);
	return error;
}

static int perfetto_slice(struct report_export *export, unsigned stream,
			  const struct report_export_slice *slice, uint64_t ns)
{
	(void)slice; /* it is the innermost one; an end has no name */
	event_begin(export, stream, ns, TYPE_SLICE_END, uuid_of(stream, 0));
	return event_end(export);
}

static int perfetto_loss(struct report_export *export, unsigned stream, uint64_t lost, uint64_t ns)
{
	struct report_protobuf *pb = &state_of(export)->pb;
	int error;

	state_packet_begin(pb, stream);
	report_protobuf_unsigned(pb, PACKET_PREVIOUS_DROPPED, true);
	error = packet_end(export);
	if (error)
		return error;
	event_begin(export, stream, ns, TYPE_INSTANT, uuid_of(stream, 0));
	put_category(pb, REPORT_EXPORT_LOSS);
	report_protobuf_unsigned(pb, EVENT_NAME_IID, (uint64_t)NAME_LOST + 1);
	put_annotation(pb, ANNOTATION_EVENTS, ANNOTATION_UINT, lost);
	return event_end(export);
}

/* ---- Beginning and end ---- */

static int perfetto_begin(struct report_export *export)
{
	const struct trace_info *info = export->info;
	struct perfetto *perfetto = state_of(export);
	int error = 0;

	report_protobuf_init(&perfetto->pb);
	perfetto->values = base_alloc_get(export->config->alloc,
					  machine_of(export) * sizeof(*perfetto->values));
	if (!perfetto->values)
		return -KRON_ENOMEM;
	if (info->points)
		error = put_clocks(export);
	for (size_t i = 0; !error && i < info->processes; i++)
		error = put_process(export, i);
	for (unsigned i = 0; i < info->streams; i++)
		if (!report_export_process(export, i)) {
			error = error ? error : put_machine(export);
			break;
		}
	for (unsigned i = 0; !error && i < info->streams; i++)
		error = put_stream(export, i);
	return error;
}

static int perfetto_end(struct report_export *export)
{
	(void)export; /* a file of packets needs no end */
	return 0;
}

static void perfetto_close(struct report_export *export)
{
	base_alloc_free(export->config->alloc, state_of(export)->values);
}

const struct report_exporter report_export_perfetto = {
	.state_size = sizeof(struct perfetto),
	.begin = perfetto_begin,
	.event = perfetto_event,
	.slice = perfetto_slice,
	.loss = perfetto_loss,
	.end = perfetto_end,
	.close = perfetto_close,
};
