/* SPDX-License-Identifier: Apache-2.0 */
/* The judge of the traces is the real babeltrace2. Without it those tests are skipped. */
#include "unit/test.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/error.h"
#include "base/rng.h"
#include "support/fault.h"
#include "support/files.h"
#include "trace/ctf.h"

static const struct trace_ctf_info info = { .model = "multikron2",
					    .clock_hz = 10000000,
					    .streams = 1 };

static uint64_t word(const uint8_t *data, size_t offset, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)data[offset + i] << 8 * i;
	return value;
}

/* ---- babeltrace2 ---- */

struct output {
	int status;
	char text[1 << 18];
};

/* Static, because it is large; one at a time. */
static struct output *babeltrace(const char *arguments)
{
	static struct output output;
	char command[256];
	size_t size;
	FILE *pipe;

	snprintf(command, sizeof(command), "TZ=UTC exec babeltrace2 %s 2>&1", arguments);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	size = fread(output.text, 1, sizeof(output.text) - 1, pipe);
	assert_true(size < sizeof(output.text) - 1);
	output.text[size] = '\0';
	output.status = WEXITSTATUS(pclose(pipe));
	return &output;
}

static void need_babeltrace(void)
{
	if (babeltrace("--version")->status)
		skip();
}

static unsigned lines_of(const char *text)
{
	unsigned lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* All events and nothing else: no warning, no error. */
static void check_text(const char *arguments, const char *expected)
{
	struct output *output = babeltrace(arguments);

	assert_string_equal(output->text, expected);
	CHECK_EQUAL(output->status, 0);
}

/* ---- Writing ---- */

static void open_trace(struct trace_ctf *ctf, const char *dir, const struct trace_ctf_info *about)
{
	CHECK_EQUAL(trace_ctf_open(ctf, &base_io_system, &base_alloc_system, dir, about), 0);
}

static void put_event(struct trace_ctf *ctf, uint64_t time, uint64_t discarded)
{
	struct trace_event event = { .timestamp = time, .discarded = discarded, .source = 7 };

	CHECK_EQUAL(trace_ctf_event(ctf, 0, &event), 0);
}

/* Three packets: two events, one of another source, a resource event after a loss. */
static int write_small(struct base_io *io, struct base_alloc *alloc, const char *dir)
{
	struct trace_event event = { .timestamp = 100, .source = 7, .data = 0xabc, .cpu = 3 };
	const uint64_t discarded = 4;
	struct trace_ctf ctf;
	int error;

	error = trace_ctf_open(&ctf, io, alloc, dir, &info);
	if (error)
		return error;
	trace_ctf_event(&ctf, 0, &event);
	event.timestamp = 150;
	trace_ctf_event(&ctf, 0, &event);
	event.timestamp = 200;
	event.source = 8;
	trace_ctf_event(&ctf, 0, &event);
	event.timestamp = 300;
	event.resource = true;
	event.discarded = 4;
	event.counter[15] = 15;
	trace_ctf_event(&ctf, 0, &event);
	return trace_ctf_close(&ctf, &discarded);
}

/* ---- What a reader sees ---- */

static void babeltrace2_shows_every_field(void **state)
{
	struct trace_event event = { .timestamp = 100,
				     .cpu = 5,
				     .source = 0xffffffff,
				     .data = 0x0123456789abcdef,
				     .fifo_overrun = true };
	struct trace_ctf ctf;

	(void)state;
	need_babeltrace();
	open_trace(&ctf, "t", &info);
	CHECK_EQUAL(trace_ctf_event(&ctf, 0, &event), 0);
	event = (struct trace_event){ .timestamp = 20000000,
				      .resource = true,
				      .shadow_overrun = true,
				      .cpu = 9, /* three bits of it in the event */
				      .counter = { 1, 0xffffffff, [15] = 3 } };
	CHECK_EQUAL(trace_ctf_event(&ctf, 0, &event), 0);
	CHECK_EQUAL(trace_ctf_close(&ctf, NULL), 0);

	check_text("--clock-cycles t",
		   "[00000000000000000100] (+???????????\?) trace: "
		   "{ source = 4294967295, cpu_id = 5 }, "
		   "{ shadow_overrun = 0, fifo_overrun = 1, spare = 0, cpu = 5 }, "
		   "{ data = 0x123456789ABCDEF }\n"
		   "[00000000000020000000] (+000019999900) resource: { source = 0, cpu_id = 9 }, "
		   "{ shadow_overrun = 1, fifo_overrun = 0, spare = 0, cpu = 1 }, "
		   "{ data = 0x0, counters = [ [0] = 1, [1] = 4294967295, [2] = 0, [3] = 0, "
		   "[4] = 0, [5] = 0, [6] = 0, [7] = 0, [8] = 0, [9] = 0, [10] = 0, [11] = 0, "
		   "[12] = 0, [13] = 0, [14] = 0, [15] = 3 ] }\n");
	check_text("--clock-seconds t",
		   "[0.000010000] (+?.????????\?) trace: "
		   "{ source = 4294967295, cpu_id = 5 }, "
		   "{ shadow_overrun = 0, fifo_overrun = 1, spare = 0, cpu = 5 }, "
		   "{ data = 0x123456789ABCDEF }\n"
		   "[2.000000000] (+1.999990000) resource: { source = 0, cpu_id = 9 }, "
		   "{ shadow_overrun = 1, fifo_overrun = 0, spare = 0, cpu = 1 }, "
		   "{ data = 0x0, counters = [ [0] = 1, [1] = 4294967295, [2] = 0, [3] = 0, "
		   "[4] = 0, [5] = 0, [6] = 0, [7] = 0, [8] = 0, [9] = 0, [10] = 0, [11] = 0, "
		   "[12] = 0, [13] = 0, [14] = 0, [15] = 3 ] }\n");
}

/* The line that babeltrace2 --clock-cycles --no-delta prints for an event. */
static int print_event(char *text, size_t size, const struct trace_event *event)
{
	int length = snprintf(text, size,
			      "[%020" PRIu64 "] %s: { source = %" PRIu32 ", cpu_id = %" PRIu32
			      " }, { shadow_overrun = %d, fifo_overrun = %d, spare = 0, "
			      "cpu = %" PRIu32 " }, { data = 0x%" PRIX64,
			      event->timestamp, event->resource ? "resource" : "trace",
			      event->source, event->cpu, event->shadow_overrun, event->fifo_overrun,
			      event->cpu & 7, event->data);

	for (unsigned i = 0; event->resource && i < TRACE_COUNTERS; i++)
		length += snprintf(text + length, size - (size_t)length, "%s[%u] = %" PRIu32,
				   i ? ", " : ", counters = [ ", i, event->counter[i]);
	length +=
		snprintf(text + length, size - (size_t)length, event->resource ? " ] }\n" : " }\n");
	return length;
}

static struct trace_event random_event(struct base_rng *rng, uint64_t time)
{
	struct trace_event event = {
		.resource = base_rng_below(rng, 4) == 0,
		.fifo_overrun = base_rng_below(rng, 2),
		.shadow_overrun = base_rng_below(rng, 2),
		.cpu = (uint32_t)base_rng_below(rng, 3),
		.source = (uint32_t)base_rng_below(rng, 2),
		.timestamp = time,
		.data = base_rng_next(rng),
	};

	for (unsigned i = 0; i < TRACE_COUNTERS; i++)
		event.counter[i] = (uint32_t)base_rng_next(rng);
	return event;
}

/* Random events in three streams, and times that pass 2^56: the packets carry all 64 bits. */
static void random_events_come_back_in_order_of_time(void **state)
{
	struct trace_ctf_info about = info;
	static char expected[1 << 18];
	uint64_t time = (UINT64_C(1) << 56) - 50000;
	struct trace_ctf ctf;
	struct base_rng rng;
	size_t length = 0;

	(void)state;
	need_babeltrace();
	base_rng_seed(&rng, 1);
	about.streams = 3;
	about.clock_hz = 1000000000; /* a nanosecond is a tick, so that nothing is rounded */
	open_trace(&ctf, "t", &about);
	for (unsigned i = 0; i < 500; i++) {
		struct trace_event event = random_event(&rng, time);

		CHECK_EQUAL(trace_ctf_event(&ctf, (unsigned)base_rng_below(&rng, 3), &event), 0);
		length += (size_t)print_event(expected + length, sizeof(expected) - length, &event);
		time += 1 + base_rng_below(&rng, 500);
	}
	assert_true(time > UINT64_C(1) << 56);
	CHECK_EQUAL(trace_ctf_close(&ctf, NULL), 0);
	check_text("--clock-cycles --no-delta t", expected);
}

static void a_trace_without_events_is_readable(void **state)
{
	struct trace_ctf ctf;

	(void)state;
	need_babeltrace();
	open_trace(&ctf, "t", &info);
	/* While it is being written, too. */
	check_text("t", "");
	CHECK_EQUAL(trace_ctf_close(&ctf, NULL), 0);
	check_text("t", "");
}

static void names_may_have_any_character(void **state)
{
	const char *names[TRACE_COUNTERS];
	struct trace_ctf_info about = info;
	struct trace_ctf ctf;
	struct output *output;

	(void)state;
	need_babeltrace();
	for (unsigned i = 0; i < TRACE_COUNTERS; i++)
		names[i] = "cache \"misses\"\n";
	about.model = "a \"b\" \\ \t\xc3\xa9 */ c";
	about.counters = names;
	open_trace(&ctf, "t", &about);
	put_event(&ctf, 1, 0);
	CHECK_EQUAL(trace_ctf_close(&ctf, NULL), 0);
	output = babeltrace("--component=sink.text.details t");
	CHECK_EQUAL(output->status, 0);
	assert_non_null(strstr(output->text, "model: a \"b\" \\ \t\xc3\xa9 */ c\n"));
}

/* ---- Losses ---- */

static const char event_line[] = "trace: { source = 7, cpu_id = 0 }, { shadow_overrun = 0, "
				 "fifo_overrun = 0, spare = 0, cpu = 0 }, { data = 0x0 }";

/* babeltrace2 reports so many events, and these losses: how many, between which ticks of 100 ns. */
static void check_losses(unsigned events, unsigned count, const uint64_t (*loss)[3])
{
	struct output *output = babeltrace("--clock-cycles --no-delta t");
	const char *at = output->text;
	char text[160];

	CHECK_EQUAL(output->status, 0);
	for (unsigned i = 0; i < count; i++) {
		snprintf(
			text, sizeof(text),
			"WARNING: Tracer discarded %" PRIu64 " event%s between [00:00:00.%09" PRIu64
			"] and [00:00:00.%09" PRIu64 "] in trace",
			loss[i][0], loss[i][0] == 1 ? "" : "s", 100 * loss[i][1], 100 * loss[i][2]);
		at = strstr(at, text);
		if (!at)
			print_message("%s\nnot in\n%s", text, output->text);
		assert_non_null(at);
		at++;
	}
	CHECK_EQUAL(lines_of(output->text), events + count);
	at = output->text;
	for (unsigned i = 0; i < events; i++) {
		at = strstr(at, event_line);
		assert_non_null(at);
		at++;
	}
}

static void losses_are_reported_where_they_were(void **state)
{
	static const uint64_t losses[][3] = { { 3, 20, 30 }, { 2, 40, 50 }, { 1, 50, 60 } };
	struct trace_ctf ctf;

	(void)state;
	need_babeltrace();
	open_trace(&ctf, "t", &info);
	put_event(&ctf, 10, 0);
	put_event(&ctf, 20, 0);
	put_event(&ctf, 30, 3);
	put_event(&ctf, 40, 3);
	put_event(&ctf, 50, 5);
	put_event(&ctf, 60, 6);
	put_event(&ctf, 70, 6);
	put_event(&ctf, 80, 6);
	CHECK_EQUAL(trace_ctf_close(&ctf, (const uint64_t[]){ 6 }), 0);
	check_losses(8, 3, losses);
}

static void losses_before_the_first_event_are_reported(void **state)
{
	static const uint64_t losses[][3] = { { 5, 0, 30 } };
	struct trace_ctf ctf;

	(void)state;
	need_babeltrace();
	open_trace(&ctf, "t", &info);
	put_event(&ctf, 30, 5);
	put_event(&ctf, 40, 5);
	CHECK_EQUAL(trace_ctf_close(&ctf, NULL), 0);
	check_losses(2, 1, losses);
}

static void losses_after_the_last_event_are_reported(void **state)
{
	static const uint64_t losses[][3] = { { 9, 30, 30 } };
	struct trace_ctf ctf;

	(void)state;
	need_babeltrace();
	open_trace(&ctf, "t", &info);
	put_event(&ctf, 30, 0);
	CHECK_EQUAL(trace_ctf_close(&ctf, (const uint64_t[]){ 9 }), 0);
	check_losses(1, 1, losses);
}

static void losses_without_any_event_are_reported(void **state)
{
	static const uint64_t losses[][3] = { { 9, 25, 25 } };
	struct trace_ctf_info about = info;
	struct trace_ctf ctf;

	(void)state;
	need_babeltrace();
	about.start = 25;
	open_trace(&ctf, "t", &about);
	CHECK_EQUAL(trace_ctf_close(&ctf, (const uint64_t[]){ 9 }), 0);
	check_losses(0, 1, losses);
}

/* ---- Packets ---- */

struct packet {
	uint64_t instance, begin, end, size, number, discarded;
	uint32_t source, cpu;
	uint64_t offset;
};

/* The packets of a stream file, which must be whole. Returns how many. */
static unsigned packets_of(const char *path, struct packet *packet, unsigned max)
{
	uint8_t *data;
	size_t size = files_read(path, &data), at = 0;
	unsigned count = 0;

	for (; at < size; count++) {
		assert_true(count < max && size - at >= TRACE_HEADER_BYTES);
		CHECK_EQUAL(word(data, at, 4), TRACE_MAGIC);
		CHECK_EQUAL(word(data, at + 4, 4), 0);
		packet[count] = (struct packet){
			.instance = word(data, at + 8, 8),
			.begin = word(data, at + 16, 8),
			.end = word(data, at + 24, 8),
			.size = word(data, at + 40, 8) / 8,
			.number = word(data, at + 48, 8),
			.discarded = word(data, at + 56, 8),
			.source = (uint32_t)word(data, at + 64, 4),
			.cpu = (uint32_t)word(data, at + 68, 4),
			.offset = at,
		};
		CHECK_EQUAL(word(data, at + 32, 8), packet[count].size * 8);
		CHECK_EQUAL(packet[count].number, count);
		CHECK(packet[count].size <= TRACE_PACKET_BYTES);
		at += packet[count].size;
	}
	CHECK_EQUAL(at, size);
	free(data);
	return count;
}

static void a_packet_has_one_source_and_one_cpu(void **state)
{
	static const uint32_t ids[][2] = { { 1, 0 }, { 1, 0 }, { 2, 0 }, { 2, 1 }, { 1, 1 } };
	struct trace_ctf_info about = info;
	struct packet packet[8];
	struct trace_ctf ctf;

	(void)state;
	about.streams = 2;
	open_trace(&ctf, "t", &about);
	for (unsigned i = 0; i < 5; i++) {
		struct trace_event event = { .timestamp = 10 * i,
					     .source = ids[i][0],
					     .cpu = ids[i][1] };

		CHECK_EQUAL(trace_ctf_event(&ctf, 1, &event), 0);
	}
	CHECK_EQUAL(trace_ctf_close(&ctf, NULL), 0);
	CHECK_EQUAL(packets_of("t/stream_0", packet, 8), 0);
	CHECK_EQUAL(packets_of("t/stream_1", packet, 8), 4);
	CHECK_EQUAL(packet[0].begin, 0);
	CHECK_EQUAL(packet[0].end, 10);
	for (unsigned i = 0; i < 4; i++) {
		CHECK_EQUAL(packet[i].instance, 1);
		CHECK_EQUAL(packet[i].source, ids[i + 1][0]);
		CHECK_EQUAL(packet[i].cpu, ids[i + 1][1]);
		CHECK_EQUAL(packet[i].end, 10 * (i + 1));
	}
}

/* The layout of design and header, bit for bit. */
static void an_event_is_one_word_data_and_counters(void **state)
{
	struct trace_event event = { .resource = true,
				     .fifo_overrun = true,
				     .cpu = 6,
				     .timestamp = 0x01fedcba98765432,
				     .data = 0x1122334455667788 };
	struct trace_ctf_info about = info;
	struct trace_ctf ctf;
	uint8_t *data;

	(void)state;
	about.clock_hz = 1000000000;
	for (unsigned i = 0; i < TRACE_COUNTERS; i++)
		event.counter[i] = 0xc0000000 + i;
	open_trace(&ctf, "t", &about);
	CHECK_EQUAL(trace_ctf_event(&ctf, 0, &event), 0);
	event.resource = event.fifo_overrun = false;
	event.shadow_overrun = true;
	CHECK_EQUAL(trace_ctf_event(&ctf, 0, &event), 0);
	CHECK_EQUAL(trace_ctf_close(&ctf, NULL), 0);
	CHECK_EQUAL(files_read("t/stream_0", &data), TRACE_HEADER_BYTES + 80 + 16);
	CHECK_EQUAL(word(data, 16, 8), 0x01fedcba98765432);
	CHECK_EQUAL(word(data, 72, 8), 0xcbfedcba98765432); /* 110 0 1 0 11 */
	CHECK_EQUAL(word(data, 80, 8), 0x1122334455667788);
	for (unsigned i = 0; i < TRACE_COUNTERS; i++)
		CHECK_EQUAL(word(data, 88 + 4 * i, 4), 0xc0000000 + i);
	CHECK_EQUAL(word(data, 152, 8), 0xc6fedcba98765432); /* 110 0 0 1 10 */
	CHECK_EQUAL(word(data, 160, 8), 0x1122334455667788);
	free(data);
}

static void many_events_fill_packets(void **state)
{
	struct packet packet[8];
	struct trace_ctf ctf;
	unsigned count;

	(void)state;
	need_babeltrace();
	open_trace(&ctf, "t", &info);
	for (unsigned i = 0; i < 10000; i++)
		put_event(&ctf, i / 2, 0);
	CHECK_EQUAL(trace_ctf_close(&ctf, NULL), 0);
	count = packets_of("t/stream_0", packet, 8);
	CHECK_EQUAL(count, 3);
	CHECK(packet[0].size > TRACE_PACKET_BYTES - 100);
	CHECK_EQUAL(packet[2].end, 4999);
	check_text("--component=sink.utils.counter --params=step=+0 t",
		   "          10000 Event messages\n"
		   "              1 Stream beginning message\n"
		   "              1 Stream end message\n"
		   "              3 Packet beginning messages\n"
		   "              3 Packet end messages\n"
		   "              0 Discarded event messages\n"
		   "              0 Discarded packet messages\n"
		   "              0 Message iterator inactivity messages\n"
		   "          10008 messages (TOTAL)\n");
}

/* ---- What it refuses ---- */

static void time_and_losses_never_go_back(void **state)
{
	struct trace_event event = { .timestamp = 99, .discarded = 5, .source = 7 };
	struct trace_ctf_info about = info;
	struct trace_ctf ctf;

	(void)state;
	need_babeltrace();
	about.start = 100;
	open_trace(&ctf, "t", &about);
	CHECK(trace_ctf_event(&ctf, 0, &event) == -KRON_EINVAL);
	CHECK(trace_ctf_event(&ctf, 1, &event) == -KRON_EINVAL);
	put_event(&ctf, 100, 5);
	event.timestamp = 101;
	event.discarded = 4;
	CHECK(trace_ctf_event(&ctf, 0, &event) == -KRON_EINVAL);
	put_event(&ctf, 100, 5);
	CHECK(trace_ctf_close(&ctf, (const uint64_t[]){ 4 }) == -KRON_EINVAL);
	check_losses(2, 1, (const uint64_t[][3]){ { 5, 100, 100 } });
}

/* babeltrace2 cannot open a trace with a time of more than 2^63 ns. */
static void times_that_no_reader_takes_are_refused(void **state)
{
	static const uint64_t hz[] = { 1, 10000000, 33333333, 1000000000, 5000000000 };
	char text[64];

	(void)state;
	need_babeltrace();
	for (unsigned i = 0; i < sizeof(hz) / sizeof(hz[0]); i++) {
		struct trace_ctf_info about = { .model = "m", .clock_hz = hz[i], .streams = 1 };
		struct trace_event event = { .source = 7 };
		struct trace_ctf ctf;
		uint64_t last;

		open_trace(&ctf, "t", &about);
		last = ctf.time_max;
		event.timestamp = last + 1;
		CHECK(trace_ctf_event(&ctf, 0, &event) == -KRON_EINVAL);
		put_event(&ctf, last, 0);
		CHECK_EQUAL(trace_ctf_close(&ctf, NULL), 0);
		snprintf(text, sizeof(text), "[%020" PRIu64 "] ", last);
		CHECK_EQUAL(babeltrace("--clock-cycles --no-delta t")->status, 0);
		assert_non_null(strstr(babeltrace("--clock-cycles --no-delta t")->text, text));
		/* Not refused without need: it is at least 292 years, or nearly all of 64 bits. */
		CHECK(last / hz[i] >= UINT64_C(9223372036) || last >> 56 == 0xfe);
	}
}

static void info_must_make_sense(void **state)
{
	const char *names[TRACE_COUNTERS] = { "one" };
	struct trace_ctf_info bad[] = { info, info, info, info, info, info };
	struct trace_ctf ctf;

	(void)state;
	bad[0].model = NULL;
	bad[1].clock_hz = 0;
	bad[2].streams = 0;
	bad[3].streams = TRACE_STREAMS_MAX + 1;
	bad[4].counters = names;
	bad[5].start = UINT64_MAX;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(trace_ctf_open(&ctf, &base_io_system, &base_alloc_system, "t", &bad[i]) ==
		      -KRON_EINVAL);
	CHECK(trace_ctf_open(&ctf, &base_io_system, &base_alloc_system, "", &info) == -KRON_EINVAL);
	CHECK(trace_ctf_open(&ctf, &base_io_system, &base_alloc_system, "///", &info) ==
	      -KRON_EINVAL);
	CHECK(!files_exist("t"));
}

static void kron_json_names_what_the_metadata_cannot(void **state)
{
	static const char expected[] = "{\n"
				       "  \"schema\": \"kron.trace/1\",\n"
				       "  \"model\": \"multikron2\",\n"
				       "  \"clock\": {\n"
				       "    \"name\": \"timestamp\",\n"
				       "    \"hz\": 10000000,\n"
				       "    \"start\": 0\n"
				       "  },\n"
				       "  \"nodes\": [\n"
				       "    {\n"
				       "      \"node\": 0,\n"
				       "      \"stream\": \"stream_0\"\n"
				       "    }\n"
				       "  ],\n"
				       "  \"counters\": [\n"
				       "    \"counter0\",\n"
				       "    \"counter1\",\n";
	uint8_t *data;

	(void)state;
	CHECK_EQUAL(write_small(&base_io_system, &base_alloc_system, "t"), 0);
	files_read("t/.kron.json", &data);
	assert_memory_equal(data, expected, sizeof(expected) - 1);
	free(data);
}

static void the_same_events_give_the_same_bytes(void **state)
{
	static const char *const names[] = { "metadata", ".kron.json", "stream_0" };
	char path[32];

	(void)state;
	CHECK_EQUAL(write_small(&base_io_system, &base_alloc_system, "a"), 0);
	CHECK_EQUAL(write_small(&base_io_system, &base_alloc_system, "b/"), 0);
	for (unsigned i = 0; i < 3; i++) {
		uint8_t *a, *b;
		size_t size;

		snprintf(path, sizeof(path), "a/%s", names[i]);
		size = files_read(path, &a);
		path[0] = 'b';
		CHECK_EQUAL(files_read(path, &b), size);
		assert_memory_equal(a, b, size);
		free(a);
		free(b);
	}
}

/* ---- Cut off ---- */

/* What babeltrace2 says about the first packets of a stream. */
static void check_prefix(const uint8_t *data, size_t size, const char *whole)
{
	struct output *output;

	files_write("t/stream_0", data, size);
	output = babeltrace("--clock-cycles --no-delta t");
	CHECK_EQUAL(output->status, 0);
	assert_true(lines_of(output->text) <= lines_of(whole));
	for (char *line = strtok(output->text, "\n"); line; line = strtok(NULL, "\n"))
		assert_non_null(strstr(whole, line));
}

static void a_trace_cut_off_anywhere_is_readable_up_to_the_cut(void **state)
{
	struct packet packet[8];
	uint64_t removed, whole = 0;
	size_t size;
	char *text;
	uint8_t *data;
	unsigned count, at = 0;

	(void)state;
	need_babeltrace();
	CHECK_EQUAL(write_small(&base_io_system, &base_alloc_system, "t"), 0);
	count = packets_of("t/stream_0", packet, 8);
	CHECK_EQUAL(count, 3);
	text = strdup(babeltrace("--clock-cycles --no-delta t")->text);
	CHECK_EQUAL(lines_of(text), 5); /* four events and a warning */
	size = files_read("t/stream_0", &data);
	for (size_t cut = 0; cut <= size; cut++) {
		uint8_t *left;

		if (at < count && cut == packet[at].offset + packet[at].size) {
			whole = cut;
			at++;
			check_prefix(data, cut, text);
		}
		files_write("t/stream_0", data, cut);
		CHECK_EQUAL(trace_ctf_mend(&base_io_system, &base_alloc_system, "t", &removed), 0);
		CHECK_EQUAL(removed, cut - whole);
		CHECK_EQUAL(files_read("t/stream_0", &left), whole);
		assert_memory_equal(left, data, whole);
		free(left);
	}
	CHECK_EQUAL(at, count);
	assert_string_equal(babeltrace("--clock-cycles --no-delta t")->text, text);
	free(data);
	free(text);
}

static void mending_leaves_alone_what_is_no_trace(void **state)
{
	uint64_t removed = 77;
	uint8_t *data;
	size_t size;

	(void)state;
	CHECK(trace_ctf_mend(&base_io_system, &base_alloc_system, "t", &removed) == -KRON_ECORRUPT);
	CHECK_EQUAL(mkdir("t", 0777), 0);
	CHECK(trace_ctf_mend(&base_io_system, &base_alloc_system, "t", &removed) == -KRON_ECORRUPT);
	files_write("t/stream_0", "xyz", 3);
	CHECK(trace_ctf_mend(&base_io_system, &base_alloc_system, "t", &removed) == -KRON_ECORRUPT);
	files_wipe("t");
	CHECK_EQUAL(write_small(&base_io_system, &base_alloc_system, "t"), 0);
	size = files_read("t/stream_0", &data);
	/* A damaged magic, then a size of no packet. */
	for (unsigned round = 0; round < 2; round++) {
		data[round ? 42 : 0] ^= 0x80;
		files_write("t/stream_0", data, size - 1);
		CHECK(trace_ctf_mend(&base_io_system, &base_alloc_system, "t", &removed) ==
		      -KRON_ECORRUPT);
		data[round ? 42 : 0] ^= 0x80;
		free(data);
		CHECK_EQUAL(files_read("t/stream_0", &data), size - 1);
	}
	free(data);
	CHECK_EQUAL(removed, 77);
}

/* A disk with room for so many bytes. */
struct disk {
	struct base_io io;
	size_t room;
};

static ssize_t disk_write(struct base_io *io, int fd, const void *data, size_t size)
{
	struct disk *disk = (struct disk *)io;

	if (!disk->room) {
		errno = ENOSPC;
		return -1;
	}
	if (size > disk->room)
		size = disk->room;
	disk->room -= size;
	return base_io_system.write(&base_io_system, fd, data, size);
}

static void a_full_disk_leaves_complete_packets(void **state)
{
	struct packet packet[8];
	struct disk disk = { .io = base_io_system };
	unsigned failed_open = 0, failed_later = 0;
	uint64_t removed;

	(void)state;
	disk.io.write = disk_write;
	for (size_t room = 1;; room += 13) {
		int error;

		disk.room = room;
		errno = 0;
		error = write_small(&disk.io, &base_alloc_system, "t");
		if (!error)
			break;
		CHECK_EQUAL(-error, KRON_EIO);
		CHECK_EQUAL(errno, ENOSPC);
		if (files_exist("t")) {
			failed_later++;
			packets_of("t/stream_0", packet, 8);
			CHECK_EQUAL(
				trace_ctf_mend(&base_io_system, &base_alloc_system, "t", &removed),
				0);
			CHECK_EQUAL(removed, 0);
		} else {
			failed_open++;
		}
		files_wipe("t");
	}
	CHECK(failed_open > 100 && failed_later > 20);
}

/* ---- Every call fails in turn ---- */

static int run_new(struct fault *fault, void *context)
{
	int error = write_small(&fault->io, &fault->alloc, "t"), cause = errno;

	(void)context;
	files_wipe("t");
	errno = cause;
	return error;
}

static int run_over_old(struct fault *fault, void *context)
{
	int error, cause;

	(void)context;
	write_small(&base_io_system, &base_alloc_system, "t");
	write_small(&base_io_system, &base_alloc_system, "t");
	error = write_small(&fault->io, &fault->alloc, "t");
	cause = errno;
	files_wipe("t");
	files_wipe("t.old");
	errno = cause;
	return error;
}

static int run_mend(struct fault *fault, void *context)
{
	uint64_t removed = 0;
	int error, cause;

	(void)context;
	write_small(&base_io_system, &base_alloc_system, "t");
	CHECK_EQUAL(truncate("t/stream_0", 100), 0);
	error = trace_ctf_mend(&fault->io, &fault->alloc, "t", &removed);
	cause = errno;
	CHECK_EQUAL(removed, error ? 0 : 100);
	files_wipe("t");
	errno = cause;
	return error;
}

static void every_failing_call_is_reported_and_nothing_leaks(void **state)
{
	(void)state;
	CHECK(fault_walk(run_new, NULL) > 30);
	CHECK(fault_walk(run_over_old, NULL) > 40);
	CHECK(fault_walk(run_mend, NULL) > 5);
}

/* A failed opening removes what it made, and nothing else. */
static void a_failed_opening_leaves_nothing_behind(void **state)
{
	(void)state;
	for (unsigned nth = 1;; nth++) {
		struct fault fault;
		struct trace_ctf ctf;
		int error;

		fault_init(&fault, FAULT_EIO, nth);
		error = trace_ctf_open(&ctf, &fault.io, &fault.alloc, "t", &info);
		if (!error) {
			trace_ctf_close(&ctf, NULL);
			break;
		}
		CHECK(!files_exist("t"));
		fault_clean(&fault);
	}
	files_wipe("t");
}

TEST_MAIN(TEST_IN_DIR(babeltrace2_shows_every_field),
	  TEST_IN_DIR(random_events_come_back_in_order_of_time),
	  TEST_IN_DIR(a_trace_without_events_is_readable),
	  TEST_IN_DIR(names_may_have_any_character),
	  TEST_IN_DIR(losses_are_reported_where_they_were),
	  TEST_IN_DIR(losses_before_the_first_event_are_reported),
	  TEST_IN_DIR(losses_after_the_last_event_are_reported),
	  TEST_IN_DIR(losses_without_any_event_are_reported),
	  TEST_IN_DIR(a_packet_has_one_source_and_one_cpu),
	  TEST_IN_DIR(an_event_is_one_word_data_and_counters),
	  TEST_IN_DIR(many_events_fill_packets), TEST_IN_DIR(time_and_losses_never_go_back),
	  TEST_IN_DIR(times_that_no_reader_takes_are_refused), TEST_IN_DIR(info_must_make_sense),
	  TEST_IN_DIR(kron_json_names_what_the_metadata_cannot),
	  TEST_IN_DIR(the_same_events_give_the_same_bytes),
	  TEST_IN_DIR(a_trace_cut_off_anywhere_is_readable_up_to_the_cut),
	  TEST_IN_DIR(mending_leaves_alone_what_is_no_trace),
	  TEST_IN_DIR(a_full_disk_leaves_complete_packets),
	  TEST_IN_DIR(every_failing_call_is_reported_and_nothing_leaks),
	  TEST_IN_DIR(a_failed_opening_leaves_nothing_behind))
