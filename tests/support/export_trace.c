/* SPDX-License-Identifier: Apache-2.0 */
#include "support/export_trace.h"
#include <errno.h>
#include <kron/wire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "trace/ctf_dir.h"
#include "trace/ctf_text.h"
#include "trace/reader.h"
#include "unit/test.h"

#define PATH_BYTES 512

/* ---- Files ---- */

int export_trace_enter(void **state)
{
	char *path = strdup("/tmp/kron_export_XXXXXX");

	*state = path;
	return !path || !mkdtemp(path) || chdir(path);
}

int export_trace_leave(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
	free(*state);
	return chdir("/") || system(command);
}

static FILE *create(const char *dir, const char *name)
{
	char path[PATH_BYTES];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	return file;
}

char *export_trace_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	struct stat about;
	char *data;

	assert_non_null(file);
	CHECK_EQUAL(fstat(fileno(file), &about), 0);
	*size = (size_t)about.st_size;
	data = calloc(1, *size + 1);
	assert_non_null(data);
	CHECK_EQUAL(fread(data, 1, *size, file), *size);
	fclose(file);
	return data;
}

static void write_metadata(const char *dir)
{
	const struct trace_ctf_info info = { .model = "native", .clock_hz = 1000000000 };
	FILE *file = create(dir, TRACE_FILE_METADATA);
	struct base_out out;

	base_out_init(&out, &base_io_system, fileno(file));
	trace_text_metadata(&out, &info);
	CHECK_EQUAL(base_out_flush(&out), 0);
	CHECK_EQUAL(fclose(file), 0);
}

/* ---- Packets ---- */

struct packet {
	size_t size;
	uint8_t bytes[TRACE_HEADER_BYTES + KRON_WIRE_RESOURCE_BYTES];
};

static void put(struct packet *packet, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		packet->bytes[packet->size++] = (uint8_t)(value >> 8 * i);
}

/* Layout: trace/ctf.h. */
static void put_header(struct packet *packet, unsigned stream, uint64_t ticks, uint64_t number,
		       uint64_t lost, uint32_t source, size_t content)
{
	uint64_t bits = 8 * (TRACE_HEADER_BYTES + content);

	packet->size = 0;
	put(packet, TRACE_MAGIC, 4);
	put(packet, 0, 4);
	put(packet, stream, 8);
	put(packet, ticks, 8);
	put(packet, ticks, 8);
	put(packet, bits, 8);
	put(packet, bits, 8);
	put(packet, number, 8);
	put(packet, lost, 8);
	put(packet, source, 4);
	put(packet, 0, 4);
}

static void put_event(struct packet *packet, const struct export_trace_event *event, bool overrun)
{
	uint64_t type = event->resource ? KRON_WIRE_RESOURCE : KRON_WIRE_TRACE;
	uint64_t kind = (uint64_t)event->kind << KRON_WIRE_KIND_SHIFT;

	put(packet,
	    (event->ticks & KRON_WIRE_TIME_MASK) | type << KRON_WIRE_TYPE_SHIFT |
		    (overrun ? KRON_WIRE_FIFO_OVERRUN : 0) | (event->kind ? KRON_WIRE_MARK : 0),
	    8);
	put(packet, kind | event->data, 8);
	for (unsigned i = 0; event->resource && i < TRACE_COUNTERS; i++)
		put(packet, event->counter[i], 4);
}

struct writer {
	FILE *file;
	uint64_t packets;
	uint64_t lost;
	uint64_t ticks;
};

static void write_packet(struct writer *writer, const struct packet *packet)
{
	CHECK_EQUAL(fwrite(packet->bytes, 1, packet->size, writer->file), packet->size);
	writer->packets++;
}

/* A packet without events, which tells of losses behind the last event. */
static void write_empty(struct writer *writer, unsigned stream, uint64_t lost)
{
	struct packet packet;

	put_header(&packet, stream, writer->ticks, writer->packets, lost, 0, 0);
	write_packet(writer, &packet);
	writer->lost = lost;
}

static void write_event(struct writer *writer, const struct export_trace_event *event)
{
	size_t content = event->resource ? KRON_WIRE_RESOURCE_BYTES : KRON_WIRE_TRACE_BYTES;
	struct packet packet;

	writer->ticks = event->ticks;
	if (!writer->packets)
		write_empty(writer, event->stream, 0);
	put_header(&packet, event->stream, event->ticks, writer->packets, event->lost,
		   event->source, content);
	put_event(&packet, event, event->lost > writer->lost);
	write_packet(writer, &packet);
	writer->lost = event->lost;
}

void export_trace_write(const char *dir, const char *json, const struct export_trace_event *event,
			size_t events, unsigned streams, const uint64_t *lost)
{
	struct writer writer[EXPORT_TRACE_STREAMS] = { 0 };
	char name[TRACE_NAME_BYTES];
	FILE *file;

	CHECK(streams <= EXPORT_TRACE_STREAMS);
	CHECK_EQUAL(mkdir(dir, 0777), 0);
	write_metadata(dir);
	if (json) {
		file = create(dir, TRACE_FILE_JSON);
		CHECK(fputs(json, file) >= 0);
		CHECK_EQUAL(fclose(file), 0);
	}
	for (unsigned i = 0; i < streams; i++) {
		snprintf(name, sizeof(name), TRACE_FILE_STREAM "%u", i);
		writer[i].file = create(dir, name);
	}
	for (size_t i = 0; i < events; i++)
		write_event(&writer[event[i].stream], &event[i]);
	for (unsigned i = 0; i < streams; i++) {
		if (lost && lost[i] > writer[i].lost)
			write_empty(&writer[i], i, lost[i]);
		CHECK_EQUAL(fclose(writer[i].file), 0);
	}
}

/* ---- The story ---- */

/* clang-format off */
static const char story_json[] =
"{\n"
"  \"schema\": \"kron.trace/1\",\n"
"  \"model\": \"native\",\n"
"  \"clock\": { \"hz\": 1000000000 },\n"
"  \"points\": [ { \"ticks\": 1000, \"wall_ns\": 1763236800000000000 } ],\n"
"  \"begin_ticks\": 1000, \"end_ticks\": 3000,\n"
"  \"command\": \"./prog -x 3\", \"exit_code\": 0, \"complete\": true,\n"
"  \"cost\": { \"trace_ps\": 9800, \"resource_ps\": 12100 },\n"
"  \"counters\": [\n"
"    { \"index\": 0, \"name\": \"items\", \"source\": \"software\", \"shared\": false },\n"
"    { \"index\": 2, \"name\": \"bytes\", \"source\": \"software\", \"shared\": true } ],\n"
"  \"processes\": [\n"
"    { \"pid\": 4711, \"command\": \"prog\", \"lost_no_ring\": 3, \"names\": [\n"
"      { \"id\": 1, \"text\": \"parse\" },\n"
"      { \"id\": 7, \"text\": \"solve, \\\"fast\\\"\\n\\u00b5\" } ] },\n"
"    { \"pid\": 4712, \"command\": \"child\", \"lost_no_ring\": 0, \"names\": [\n"
"      { \"id\": 1, \"text\": \"idle\" } ] } ],\n"
"  \"streams\": [\n"
"    { \"file\": \"stream_0\", \"process\": 0, \"tid\": 4711, \"thread\": \"prog\" },\n"
"    { \"file\": \"stream_1\", \"process\": 0, \"tid\": 4713, \"thread\": \"worker, 1\" },\n"
"    { \"file\": \"stream_2\", \"process\": 0, \"tid\": 4713, \"thread\": \"worker, 1\",\n"
"      \"nested\": true },\n"
"    { \"file\": \"stream_3\", \"process\": 1, \"tid\": 4712, \"thread\": \"child\" } ]\n"
"}\n";

#define PARSE 1
#define SOLVE 7
#define IDLE  1

static const struct export_trace_event story[EXPORT_STORY_EVENTS] = {
	/* Regions with a lock inside; the last end has no begin. */
	{ 0, 1100, KRON_WIRE_REGION_BEGIN, .data = PARSE },
	{ 0, 1150, 0, .data = 0xabc, .source = 9 },
	{ 0, 1200, KRON_WIRE_REGION_BEGIN, .data = SOLVE },
	{ 0, 1300, KRON_WIRE_LOCK_WAIT, .data = 0x5000 },
	{ 0, 1400, KRON_WIRE_LOCK_GOT, .data = 0x5000 },
	{ 0, 1450, KRON_WIRE_LOCK_FREE, .data = 0x5000 },
	{ 0, 1500, KRON_WIRE_REGION_END, .data = SOLVE },
	{ 0, 1600, KRON_WIRE_REGION_END, .data = PARSE },
	{ 0, 1700, 0, .data = 5, .resource = true, .counter = { [0] = 10, [2] = 100, [7] = 42 } },
	{ 0, 1800, 0, .data = 6, .resource = true, .counter = { [0] = 10, [2] = 150, [7] = 43 } },
	{ 0, 1900, KRON_WIRE_REGION_END, .data = PARSE },
	/* A lock got without waiting. A loss in a region, which hides the end of an inner one; and a wait for ever. */
	{ 1, 1250, KRON_WIRE_THREAD_START, .data = 0x400100 },
	{ 1, 1260, KRON_WIRE_BARRIER_WAIT, .data = 0x6000 },
	{ 1, 1350, KRON_WIRE_BARRIER_GO, .data = 0x6000 },
	{ 1, 1355, KRON_WIRE_LOCK_GOT, .data = 0x5008 },
	{ 1, 1360, KRON_WIRE_REGION_BEGIN, .data = SOLVE },
	{ 1, 1700, KRON_WIRE_REGION_BEGIN, .data = PARSE, .lost = 5 },
	{ 1, 1760, KRON_WIRE_REGION_END, .data = SOLVE, .lost = 5 },
	{ 1, 1800, KRON_WIRE_COND_WAIT, .data = 0x7000, .lost = 5 },
	/* A signal handler; another process. */
	{ 2, 1701, 0, .data = UINT64_MAX },
	{ 3, 2000, KRON_WIRE_REGION_BEGIN, .data = IDLE, .resource = true, .counter = { [2] = 7 } },
	{ 3, 2100, KRON_WIRE_REGION_END, .data = IDLE },
	{ 3, 2200, KRON_WIRE_THREAD_EXIT, .data = 0 },
	{ 3, 2300, 99, .data = 5 },
};
/* clang-format on */

void export_trace_story(const char *dir)
{
	static const uint64_t lost[] = { 0, 7, 0, 0 };

	export_trace_write(dir, story_json, story, EXPORT_STORY_EVENTS, 4, lost);
}

/* ---- Export ---- */

int export_trace_run(struct base_io *io, struct base_alloc *alloc, const char *dir,
		     enum report_export_format format, const char *path,
		     struct report_export_result *result)
{
	struct report_export_config config = {
		.io = io, .alloc = alloc, .format = format, .path = path
	};
	int error = trace_reader_open(&config.reader, io, alloc, dir);
	int cause;

	if (error)
		return error;
	error = report_export_run(&config, result);
	cause = errno;
	trace_reader_close(config.reader);
	errno = cause;
	return error;
}
