/* SPDX-License-Identifier: Apache-2.0 */
#include "support/native_trace.h"
#include <kron/wire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "trace/ctf_dir.h"
#include "trace/ctf_text.h"
#include "trace/packet.h"
#include "unit/test.h"

void native_trace_init(struct native_trace *trace, const char *dir, unsigned streams)
{
	*trace = (struct native_trace){ .streams = streams };
	assert_true(snprintf(trace->dir, sizeof(trace->dir), "%s", dir) < (int)sizeof(trace->dir));
	trace->stream = calloc(streams ? streams : 1, sizeof(*trace->stream));
	assert_non_null(trace->stream);
}

static void put(struct native_stream *stream, const void *data, size_t size)
{
	if (stream->size + size > stream->room) {
		stream->room = 2 * stream->room + size + 256;
		stream->data = realloc(stream->data, stream->room);
		assert_non_null(stream->data);
	}
	memcpy(stream->data + stream->size, data, size);
	stream->size += size;
}

/* Complete the packet under construction, with events or without. */
static void end_packet(struct native_trace *trace, struct native_stream *stream)
{
	uint8_t head[TRACE_HEADER_BYTES] = { 0 };

	if (stream->size == stream->packet)
		put(stream, head, sizeof(head));
	trace_packet_head(stream->data + stream->packet,
			  &(struct trace_packet){
				  .stream = (uint64_t)(stream - trace->stream),
				  .begin = stream->packet_events ? stream->begin : stream->last,
				  .end = stream->last,
				  .bytes = stream->size - stream->packet - TRACE_HEADER_BYTES,
				  .number = stream->packets++,
				  .discarded = stream->discarded,
				  .source = stream->source,
				  .cpu = stream->cpu,
			  });
	stream->packet = stream->size;
	stream->packet_events = 0;
}

static bool packet_full(const struct native_trace *trace, const struct native_stream *stream)
{
	return (trace->packet_events && stream->packet_events >= trace->packet_events) ||
	       stream->size - stream->packet + KRON_WIRE_RESOURCE_BYTES > TRACE_PACKET_BYTES;
}

static void lose(struct native_trace *trace, struct native_stream *stream, uint64_t discarded)
{
	if (stream->packet_events || !stream->packets)
		end_packet(trace, stream);
	stream->discarded = discarded;
}

void native_trace_event(struct native_trace *trace, unsigned number,
			const struct trace_event *event, bool mark)
{
	struct native_stream *stream = &trace->stream[number];
	bool lost = event->discarded > stream->discarded;
	uint64_t word = event->timestamp & KRON_WIRE_TIME_MASK;
	uint8_t head[TRACE_HEADER_BYTES] = { 0 };

	assert_true(number < trace->streams && event->timestamp >= stream->last);
	if (lost)
		lose(trace, stream, event->discarded);
	else if (stream->packet_events &&
		 (packet_full(trace, stream) || event->source != stream->source))
		end_packet(trace, stream);
	if (!stream->packet_events) {
		put(stream, head, sizeof(head));
		stream->begin = event->timestamp;
	}
	word |= (uint64_t)(event->resource ? KRON_WIRE_RESOURCE : KRON_WIRE_TRACE)
		<< KRON_WIRE_TYPE_SHIFT;
	word |= event->fifo_overrun || lost ? KRON_WIRE_FIFO_OVERRUN : 0;
	word |= event->shadow_overrun ? KRON_WIRE_SHADOW_OVERRUN : 0;
	word |= mark ? KRON_WIRE_MARK : 0;
	word |= (uint64_t)(event->cpu & 7) << KRON_WIRE_CPU_SHIFT;
	put(stream, &word, sizeof(word));
	put(stream, &event->data, sizeof(event->data));
	if (event->resource)
		put(stream, event->counter, sizeof(event->counter));
	stream->last = event->timestamp;
	stream->source = event->source;
	stream->cpu = event->cpu;
	stream->events++;
	stream->packet_events++;
	if (lost)
		end_packet(trace, stream);
}

static void simple(struct native_trace *trace, unsigned stream, struct trace_event *event,
		   bool mark)
{
	event->source = stream + 1;
	event->discarded = trace->stream[stream].discarded;
	native_trace_event(trace, stream, event, mark);
}

void native_trace_mark(struct native_trace *trace, unsigned stream, uint64_t time, unsigned kind,
		       uint64_t value)
{
	struct trace_event event = { .timestamp = time,
				     .data = (uint64_t)kind << KRON_WIRE_KIND_SHIFT | value };

	simple(trace, stream, &event, true);
}

void native_trace_data(struct native_trace *trace, unsigned stream, uint64_t time, uint64_t data)
{
	struct trace_event event = { .timestamp = time, .data = data };

	simple(trace, stream, &event, false);
}

void native_trace_counters(struct native_trace *trace, unsigned stream, uint64_t time,
			   uint64_t data, const uint32_t counter[TRACE_COUNTERS])
{
	struct trace_event event = { .timestamp = time, .data = data, .resource = true };

	memcpy(event.counter, counter, sizeof(event.counter));
	simple(trace, stream, &event, false);
}

void native_trace_lost(struct native_trace *trace, unsigned number, uint64_t more)
{
	struct native_stream *stream = &trace->stream[number];

	lose(trace, stream, stream->discarded + more);
	end_packet(trace, stream);
}

static void write_file(const struct native_trace *trace, const char *name, const void *data,
		       size_t size)
{
	char path[sizeof(trace->dir) + TRACE_NAME_BYTES];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", trace->dir, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void write_metadata(const struct native_trace *trace)
{
	const struct trace_ctf_info info = { .model = "native", .clock_hz = NATIVE_TRACE_HZ };
	char path[sizeof(trace->dir) + TRACE_NAME_BYTES];
	struct base_out out;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", trace->dir, TRACE_FILE_METADATA);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	assert_true(fd >= 0);
	base_out_init(&out, &base_io_system, fd);
	trace_text_metadata(&out, &info);
	assert_int_equal(base_out_flush(&out), 0);
	close(fd);
}

void native_trace_write(struct native_trace *trace, const char *json)
{
	mkdir(trace->dir, 0777);
	write_metadata(trace);
	for (unsigned i = 0; i < trace->streams; i++) {
		struct native_stream *stream = &trace->stream[i];
		char name[TRACE_NAME_BYTES];

		if (stream->packet_events)
			end_packet(trace, stream);
		snprintf(name, sizeof(name), TRACE_FILE_STREAM "%u", i);
		write_file(trace, name, stream->data ? (const void *)stream->data : "",
			   stream->size);
		free(stream->data);
	}
	free(trace->stream);
	if (json)
		write_file(trace, TRACE_FILE_JSON, json, strlen(json));
}
