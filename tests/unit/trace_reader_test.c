/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of traces: what was written comes back, and nothing in a trace can break it. */
#include "unit/test.h"
#include <errno.h>
#include <inttypes.h>
#include <kron/wire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "base/rng.h"
#include "support/fault.h"
#include "support/files.h"
#include "support/native_trace.h"
#include "trace/reader.h"

#define DIR_NAME "trace"

struct seen {
	struct trace_event event;
	unsigned stream;
	bool mark;
};

struct list {
	struct seen *item;
	size_t count, room;
};

static void add(struct list *list, const struct seen *seen)
{
	if (list->count == list->room) {
		list->room = 2 * list->room + 64;
		list->item = realloc(list->item, list->room * sizeof(*list->item));
		assert_non_null(list->item);
	}
	list->item[list->count++] = *seen;
}

static struct trace_reader *open_trace(void)
{
	struct trace_reader *reader = NULL;

	CHECK_EQUAL(trace_reader_open(&reader, &base_io_system, &base_alloc_system, DIR_NAME), 0);
	return reader;
}

static void read_rest(struct trace_reader *reader, struct list *list)
{
	struct seen seen;
	int result;

	memset(&seen, 0, sizeof(seen));
	while ((result = trace_reader_next(reader, &seen.event, &seen.stream, &seen.mark)) > 0) {
		add(list, &seen);
		memset(&seen, 0, sizeof(seen));
	}
	CHECK_EQUAL(result, 0);
}

static bool same(const struct seen *a, const struct seen *b)
{
	const struct trace_event *x = &a->event, *y = &b->event;

	return a->stream == b->stream && a->mark == b->mark && x->resource == y->resource &&
	       x->fifo_overrun == y->fifo_overrun && x->shadow_overrun == y->shadow_overrun &&
	       x->cpu == y->cpu && x->source == y->source && x->timestamp == y->timestamp &&
	       x->data == y->data && x->discarded == y->discarded &&
	       (!x->resource || !memcmp(x->counter, y->counter, sizeof(x->counter)));
}

static void check_same(const struct list *a, const struct list *b)
{
	CHECK_EQUAL(a->count, b->count);
	for (size_t i = 0; i < a->count; i++)
		CHECK(same(&a->item[i], &b->item[i]));
}

static int by_time(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->event.timestamp != y->event.timestamp)
		return x->event.timestamp < y->event.timestamp ? -1 : 1;
	return (x->stream > y->stream) - (x->stream < y->stream);
}

static struct trace_event random_event(struct base_rng *rng, uint64_t time, uint64_t discarded)
{
	struct trace_event event = {
		.resource = base_rng_below(rng, 4) == 0,
		.fifo_overrun = base_rng_below(rng, 2),
		.shadow_overrun = base_rng_below(rng, 2),
		.cpu = (uint32_t)base_rng_below(rng, 40),
		.source = (uint32_t)base_rng_below(rng, 3),
		.timestamp = time,
		.data = base_rng_next(rng),
		.discarded = discarded,
	};

	for (unsigned i = 0; event.resource && i < TRACE_COUNTERS; i++)
		event.counter[i] = (uint32_t)base_rng_next(rng);
	return event;
}

/* Events that trace/ctf.h wrote come back, all streams as one, in order of time; ties in order of
 * streams; and once more after a rewind. */
static void what_was_written_comes_back_in_order_of_time(void **state)
{
	enum { STREAMS = 7, EVENTS = 40000 };
	static const char *const counters[TRACE_COUNTERS] = { "a", "b", "c", "d", "e", "f",
							      "g", "h", "i", "j", "k", "l",
							      "m", "n", "o", "p" };
	const struct trace_ctf_info info = { .model = "multikron2",
					     .clock_hz = 10000000,
					     .streams = STREAMS,
					     .counters = counters };
	uint64_t time[STREAMS] = { 0 }, discarded[STREAMS] = { 0 }, count[STREAMS] = { 0 };
	struct list written = { 0 }, read = { 0 }, again = { 0 };
	struct trace_reader *reader;
	struct trace_ctf ctf;
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 1);
	CHECK_EQUAL(trace_ctf_open(&ctf, &base_io_system, &base_alloc_system, DIR_NAME, &info), 0);
	for (unsigned i = 0; i < EVENTS; i++) {
		struct seen seen = { .stream = (unsigned)base_rng_below(&rng, STREAMS) };

		time[seen.stream] += base_rng_below(&rng, 3);
		discarded[seen.stream] += base_rng_below(&rng, 100) == 0;
		count[seen.stream]++;
		seen.event = random_event(&rng, time[seen.stream], discarded[seen.stream]);
		CHECK_EQUAL(trace_ctf_event(&ctf, seen.stream, &seen.event), 0);
		add(&written, &seen);
	}
	CHECK_EQUAL(trace_ctf_close(&ctf, NULL), 0);
	/* Within a stream the order of writing is that of time, and glibc's qsort is stable. */
	qsort(written.item, written.count, sizeof(*written.item), by_time);
	reader = open_trace();
	read_rest(reader, &read);
	check_same(&read, &written);
	for (unsigned i = 0; i < STREAMS; i++) {
		const struct trace_stream_info *stream = &trace_reader_info(reader)->stream[i];

		CHECK_EQUAL(stream->events, count[i]);
		CHECK_EQUAL(stream->discarded, discarded[i]);
		CHECK(!stream->damage);
		CHECK_EQUAL(stream->damaged_at, UINT64_MAX);
	}
	CHECK(!trace_reader_info(reader)->problem);
	assert_string_equal(trace_reader_info(reader)->model, "multikron2");
	assert_string_equal(trace_reader_info(reader)->counter[2].name, "c");
	CHECK_EQUAL(trace_reader_info(reader)->clock_hz, 10000000);
	CHECK_EQUAL(trace_reader_ns(reader, 25), 2500);
	CHECK_EQUAL(trace_reader_rewind(reader), 0);
	read_rest(reader, &again);
	check_same(&again, &written);
	trace_reader_close(reader);
	free(written.item);
	free(read.item);
	free(again.item);
}

/* A small trace of two streams, with packets of three events, losses, and an empty packet. */
static void write_small(void)
{
	uint32_t counter[TRACE_COUNTERS] = { 1, 2, 3 };
	struct native_trace trace;

	native_trace_init(&trace, DIR_NAME, 2);
	trace.packet_events = 3;
	for (unsigned i = 0; i < 10; i++) {
		native_trace_data(&trace, 1, 5 + 10 * i, i);
		native_trace_mark(&trace, 0, 10 * i, 1 + i % 2, 7);
		if (i % 4 == 1)
			native_trace_counters(&trace, 0, 10 * i + 1, i, counter);
		if (i % 4 == 2)
			native_trace_lost(&trace, 0, i);
	}
	native_trace_write(&trace, "{ \"schema\": \"kron.trace/1\" }");
}

static uint64_t word_at(const uint8_t *data, size_t offset)
{
	uint64_t value;

	memcpy(&value, data + offset, sizeof(value));
	return value;
}

/* By the layout in ctf.h: how many events end at or before `cut`, and whether a packet does. */
static size_t events_before(const uint8_t *data, size_t size, size_t cut, bool *between)
{
	size_t at = 0, events = 0;

	*between = cut == 0;
	while (at < size) {
		size_t end = at + word_at(data, at + 40) / 8;

		for (at += TRACE_HEADER_BYTES; at < end;) {
			at += (word_at(data, at) >> 56 & 3) == 3 ? 80 : 16;
			events += at <= cut;
		}
		*between |= end == cut;
	}
	return events;
}

static void split(const struct list *all, unsigned stream, struct list *some)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->item[i].stream == stream)
			add(some, &all->item[i]);
}

/* The first `count` events of stream 0, and all of stream 1. */
static void check_part(const struct list *all, const struct list *read, size_t count)
{
	struct list whole[2] = { 0 }, part[2] = { 0 };

	for (unsigned i = 0; i < 2; i++) {
		split(all, i, &whole[i]);
		split(read, i, &part[i]);
	}
	whole[0].count = count;
	check_same(&part[0], &whole[0]);
	check_same(&part[1], &whole[1]);
	for (unsigned i = 0; i < 2; i++) {
		free(whole[i].item);
		free(part[i].item);
	}
}

static void read_all(struct list *list)
{
	struct trace_reader *reader = open_trace();

	read_rest(reader, list);
	trace_reader_close(reader);
}

/* Wherever a stream is cut, every event that is whole is delivered, and the cut is told, unless it
 * is between packets, where only kron.json can tell. */
static void a_stream_cut_at_any_byte_is_read_up_to_the_last_whole_event(void **state)
{
	struct list all = { 0 };
	uint8_t *data;
	size_t size;

	(void)state;
	write_small();
	read_all(&all);
	size = files_read(DIR_NAME "/stream_0", &data);
	for (size_t cut = 0; cut <= size; cut++) {
		struct list read = { 0 };
		struct trace_reader *reader;
		const struct trace_stream_info *stream;
		bool between;
		size_t expected = events_before(data, size, cut, &between);

		files_write(DIR_NAME "/stream_0", data, cut);
		reader = open_trace();
		read_rest(reader, &read);
		check_part(&all, &read, expected);
		stream = &trace_reader_info(reader)->stream[0];
		CHECK_EQUAL(!stream->damage, between);
		CHECK_EQUAL(stream->damaged_at == UINT64_MAX, between);
		CHECK(between || stream->damaged_at <= cut);
		CHECK(!trace_reader_info(reader)->stream[1].damage);
		trace_reader_close(reader);
		free(read.item);
	}
	free(data);
	free(all.item);
}

/* With the number of events in kron.json, a stream that lacks its last packets is known as such. */
static void missing_packets_at_the_end_are_told_by_the_recorded_count(void **state)
{
	static const char json[] = "{ \"schema\": \"kron.trace/1\","
				   " \"streams\": [ { \"file\": \"stream_0\", \"events\": 13 } ] }";
	struct list read = { 0 };
	struct trace_reader *reader;
	uint8_t *data;

	(void)state;
	write_small();
	files_write(DIR_NAME "/.kron.json", json, strlen(json));
	reader = open_trace();
	read_rest(reader, &read);
	CHECK_EQUAL(trace_reader_info(reader)->stream[0].events, 13);
	CHECK(!trace_reader_info(reader)->stream[0].damage);
	trace_reader_close(reader);
	files_read(DIR_NAME "/stream_0", &data);
	files_write(DIR_NAME "/stream_0", data, word_at(data, 40) / 8);
	reader = open_trace();
	read_rest(reader, &read);
	CHECK_EQUAL(trace_reader_info(reader)->stream[0].events, 3);
	assert_non_null(strstr(trace_reader_info(reader)->stream[0].damage, "early"));
	trace_reader_close(reader);
	free(data);
	free(read.item);
}

/* Bytes changed anywhere: whole packets before them are delivered as they were, the other stream is
 * untouched, time never goes back, and nothing worse happens. */
static void a_changed_byte_costs_nothing_before_it(void **state)
{
	static const uint8_t changes[] = { 0x01, 0x80, 0xff, 0x03 };
	struct list all = { 0 }, first = { 0 };
	uint8_t *data;
	size_t size;

	(void)state;
	write_small();
	read_all(&all);
	split(&all, 0, &first);
	size = files_read(DIR_NAME "/stream_0", &data);
	for (size_t i = 0; i < 4 * size; i++) {
		struct list read = { 0 }, part = { 0 };
		size_t at = i / 4, packet = 0, before;
		uint64_t time = 0;
		bool between;

		while (packet + word_at(data, packet + 40) / 8 <= at)
			packet += word_at(data, packet + 40) / 8;
		before = events_before(data, size, packet, &between);
		data[at] ^= changes[i % 4];
		files_write(DIR_NAME "/stream_0", data, size);
		data[at] ^= changes[i % 4];
		read_all(&read);
		split(&read, 0, &part);
		CHECK(part.count >= before);
		for (size_t k = 0; k < before; k++)
			CHECK(same(&part.item[k], &first.item[k]));
		CHECK_EQUAL(read.count - part.count, all.count - first.count);
		for (size_t k = 0; k < read.count; k++) {
			CHECK(read.item[k].event.timestamp >= time);
			time = read.item[k].event.timestamp;
		}
		free(read.item);
		free(part.item);
	}
	free(data);
	free(all.item);
	free(first.item);
}

/* Each field that is wrong ends the stream there and is told by name. The first packet of stream 0 has
 * events at 72, 88 and, with counters, 104; the second packet is at 184. */
static void every_field_is_checked(void **state)
{
	static const struct {
		size_t offset;
		uint8_t value;
		uint64_t damaged_at;
		const char *damage;
	} rows[] = {
		{ 0, 0x55, 0, "no packet" },
		{ 4, 1, 0, "stream id" },
		{ 8, 9, 0, "another stream" },
		{ 23, 9, 0, "time goes back" },
		{ 32, 1, 0, "packet size" },
		{ 39, 1, 0, "packet size" },
		{ 40, 0x48, 0, "packet size" },
		{ 43, 1, 0, "packet size" },
		{ 48, 5, 0, "missing" },
		{ 56, 200, 184, "lost events falls" },
		{ 31, 1, 184, "time goes back" },
		{ 32, 0x40, 104, "over the end" },
		{ 73, 0xff, 72, "time of an event" },
		{ 79, 0x10, 72, "unknown kind" },
		{ 95, 0x11, 88, "unknown kind" },
	};
	uint8_t *data;
	size_t size;

	(void)state;
	write_small();
	size = files_read(DIR_NAME "/stream_0", &data);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t old = data[rows[i].offset];
		struct list read = { 0 };
		struct trace_reader *reader;
		const char *damage;

		data[rows[i].offset] = rows[i].value;
		files_write(DIR_NAME "/stream_0", data, size);
		data[rows[i].offset] = old;
		reader = open_trace();
		read_rest(reader, &read);
		damage = trace_reader_info(reader)->stream[0].damage;
		assert_non_null(damage);
		assert_non_null(strstr(damage, rows[i].damage));
		CHECK_EQUAL(trace_reader_info(reader)->stream[0].damaged_at, rows[i].damaged_at);
		trace_reader_close(reader);
		free(read.item);
	}
	free(data);
}

/* A packet may be longer than its content; only zeros are padding. */
static void padding_is_skipped_and_must_be_zero(void **state)
{
	uint8_t *data, *padded;
	size_t size, packet;
	uint64_t bits;

	(void)state;
	write_small();
	size = files_read(DIR_NAME "/stream_0", &data);
	packet = word_at(data, 40) / 8;
	padded = calloc(1, size + 100);
	assert_non_null(padded);
	memcpy(padded, data, packet);
	memcpy(padded + packet + 100, data + packet, size - packet);
	bits = 8 * (packet + 100);
	memcpy(padded + 40, &bits, sizeof(bits));
	for (unsigned bad = 0; bad < 2; bad++) {
		struct list read = { 0 };
		struct trace_reader *reader;

		padded[packet + 50] = (uint8_t)bad;
		files_write(DIR_NAME "/stream_0", padded, size + 100);
		reader = open_trace();
		read_rest(reader, &read);
		CHECK_EQUAL(trace_reader_info(reader)->stream[0].events, bad ? 3 : 13);
		CHECK_EQUAL(trace_reader_info(reader)->stream[0].damaged_at,
			    bad ? packet + 50 : UINT64_MAX);
		trace_reader_close(reader);
		free(read.item);
	}
	free(data);
	free(padded);
}

/* Event time stamps have 56 bits; the packet has 64. */
static void time_stamps_go_over_56_bits(void **state)
{
	static const uint64_t times[] = { (UINT64_C(1) << 56) - 2, (UINT64_C(1) << 56) - 1,
					  (UINT64_C(1) << 56) + 5, (UINT64_C(2) << 56) + 4,
					  (UINT64_C(9) << 56) + 9, (UINT64_C(9) << 56) + 9 };
	struct native_trace trace;
	struct list read = { 0 };

	(void)state;
	native_trace_init(&trace, DIR_NAME, 1);
	for (unsigned i = 0; i < 6; i++) {
		trace.packet_events = i < 4 ? 4 : 1;
		native_trace_data(&trace, 0, times[i], i);
	}
	native_trace_write(&trace, NULL);
	read_all(&read);
	CHECK_EQUAL(read.count, 6);
	for (unsigned i = 0; i < 6; i++)
		CHECK_EQUAL(read.item[i].event.timestamp, times[i]);
	free(read.item);
}

/* More streams than descriptors are no obstacle. */
static void two_thousand_streams_need_few_descriptors(void **state)
{
	enum { STREAMS = 2000, EVENTS = 300 };
	struct rlimit limit, low;
	struct native_trace trace;
	struct list read = { 0 };
	struct trace_reader *reader;

	(void)state;
	native_trace_init(&trace, DIR_NAME, STREAMS);
	for (unsigned i = 0; i < EVENTS * STREAMS; i++)
		native_trace_data(&trace, i % STREAMS, i, i);
	native_trace_write(&trace, NULL);
	CHECK_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = limit;
	low.rlim_cur = 40;
	CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &low), 0);
	reader = open_trace();
	read_rest(reader, &read);
	CHECK_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK_EQUAL(trace_reader_info(reader)->streams, STREAMS);
	CHECK_EQUAL(read.count, EVENTS * STREAMS);
	for (unsigned i = 0; i < read.count; i++) {
		CHECK_EQUAL(read.item[i].event.data, i);
		CHECK_EQUAL(read.item[i].stream, i % STREAMS);
	}
	trace_reader_close(reader);
	free(read.item);
}

/* Files that are no streams of ours are told or passed over, never waited for or followed. */
static void what_is_no_file_is_told(void **state)
{
	static const char json[] = "{ \"streams\": [ { \"file\": \"stream_7\" } ] }";
	const struct trace_stream_info *stream;
	struct list read = { 0 };
	struct trace_reader *reader;

	(void)state;
	write_small();
	files_write(DIR_NAME "/.kron.json", json, strlen(json));
	CHECK_EQUAL(symlink("stream_0", DIR_NAME "/stream_2"), 0);
	CHECK_EQUAL(mkdir(DIR_NAME "/stream_3", 0777), 0);
	CHECK_EQUAL(mkfifo(DIR_NAME "/stream_4", 0666), 0);
	files_write(DIR_NAME "/stream_05", "x", 1);
	files_write(DIR_NAME "/stream_99999999999", "x", 1);
	reader = open_trace();
	read_rest(reader, &read);
	CHECK_EQUAL(read.count, 23);
	CHECK_EQUAL(trace_reader_info(reader)->streams, 6);
	stream = trace_reader_info(reader)->stream;
	assert_non_null(strstr(stream[2].damage, "symbolic link"));
	assert_non_null(strstr(stream[3].damage, "not a file"));
	assert_non_null(strstr(stream[4].damage, "not a file"));
	assert_string_equal(stream[5].file, "stream_7");
	assert_non_null(strstr(stream[5].damage, "no such file"));
	trace_reader_close(reader);
	free(read.item);
	CHECK_EQUAL(rmdir(DIR_NAME "/stream_3"), 0);
}

static void what_is_no_trace_is_refused(void **state)
{
	struct trace_reader *reader;
	char big[70000];

	(void)state;
	CHECK_EQUAL(trace_reader_open(&reader, &base_io_system, &base_alloc_system, "nothing"),
		    -KRON_EIO);
	CHECK_EQUAL(errno, ENOENT);
	CHECK_EQUAL(trace_reader_open(&reader, &base_io_system, &base_alloc_system, ""),
		    -KRON_EINVAL);
	write_small();
	memset(big, ' ', sizeof(big));
	files_write(DIR_NAME "/metadata", big, sizeof(big));
	CHECK_EQUAL(trace_reader_open(&reader, &base_io_system, &base_alloc_system, DIR_NAME),
		    -KRON_ECORRUPT);
	files_write(DIR_NAME "/metadata", "/* CTF 1.8 */\n", 14);
	CHECK_EQUAL(trace_reader_open(&reader, &base_io_system, &base_alloc_system, DIR_NAME),
		    -KRON_ECORRUPT);
}

/* kron.json may be missing: the metadata has model and frequency. */
static void without_kron_json_events_are_read(void **state)
{
	struct list read = { 0 };
	struct trace_reader *reader;

	(void)state;
	write_small();
	CHECK_EQUAL(unlink(DIR_NAME "/.kron.json"), 0);
	reader = open_trace();
	read_rest(reader, &read);
	CHECK_EQUAL(read.count, 23);
	assert_string_equal(trace_reader_info(reader)->model, "native");
	CHECK_EQUAL(trace_reader_info(reader)->clock_hz, NATIVE_TRACE_HZ);
	assert_string_equal(trace_reader_info(reader)->problem,
			    "it is missing: no names, processes, losses or cost");
	assert_string_equal(trace_reader_info(reader)->counter[15].name, "counter15");
	assert_string_equal(trace_reader_name(reader, 0, 1), TRACE_NAME_UNKNOWN);
	assert_string_equal(trace_reader_name(reader, 99, 1), TRACE_NAME_UNKNOWN);
	trace_reader_close(reader);
	free(read.item);
}

static int read_once(struct fault *fault, void *ctx)
{
	struct trace_reader *reader;
	struct trace_event event;
	unsigned stream;
	bool mark;
	int result, cause, count = 0;

	(void)ctx;
	result = trace_reader_open(&reader, &fault->io, &fault->alloc, DIR_NAME);
	if (result)
		return result;
	while ((result = trace_reader_next(reader, &event, &stream, &mark)) > 0)
		count++;
	cause = errno;
	trace_reader_close(reader);
	errno = cause;
	return result < 0 ? result : count;
}

static void every_call_may_fail(void **state)
{
	static const char json[] =
		"{ \"schema\": \"kron.trace/1\", \"points\": [ { \"ticks\": 1, \"wall_ns\": 2 } ],"
		" \"processes\": [ { \"pid\": 1, \"names\": [ { \"id\": 1, \"text\": \"a\" } ] } ],"
		" \"streams\": [ { \"file\": \"stream_0\", \"process\": 0 } ] }";

	(void)state;
	write_small();
	files_write(DIR_NAME "/.kron.json", json, strlen(json));
	CHECK(fault_walk(read_once, NULL) > 50);
}

/* A read that fails in the middle can be tried again, and nothing is missing. */
static void after_a_failed_read_it_goes_on(void **state)
{
	struct list all = { 0 };

	(void)state;
	write_small();
	read_all(&all);
	for (unsigned nth = 1;; nth++) {
		struct list read = { 0 };
		struct trace_reader *reader;
		struct seen seen;
		struct fault fault;
		int result;

		fault_init(&fault, FAULT_EIO, nth);
		if (trace_reader_open(&reader, &fault.io, &fault.alloc, DIR_NAME)) {
			fault_clean(&fault);
			continue;
		}
		do {
			memset(&seen, 0, sizeof(seen));
			result = trace_reader_next(reader, &seen.event, &seen.stream, &seen.mark);
			if (result > 0)
				add(&read, &seen);
		} while (result);
		check_same(&read, &all);
		free(read.item);
		trace_reader_close(reader);
		fault_clean(&fault);
		if (!fault.hit)
			break;
	}
	free(all.item);
}

TEST_MAIN(TEST_IN_DIR(what_was_written_comes_back_in_order_of_time),
	  TEST_IN_DIR(a_stream_cut_at_any_byte_is_read_up_to_the_last_whole_event),
	  TEST_IN_DIR(missing_packets_at_the_end_are_told_by_the_recorded_count),
	  TEST_IN_DIR(a_changed_byte_costs_nothing_before_it), TEST_IN_DIR(every_field_is_checked),
	  TEST_IN_DIR(padding_is_skipped_and_must_be_zero),
	  TEST_IN_DIR(time_stamps_go_over_56_bits),
	  TEST_IN_DIR(two_thousand_streams_need_few_descriptors),
	  TEST_IN_DIR(what_is_no_file_is_told), TEST_IN_DIR(what_is_no_trace_is_refused),
	  TEST_IN_DIR(without_kron_json_events_are_read), TEST_IN_DIR(every_call_may_fail),
	  TEST_IN_DIR(after_a_failed_read_it_goes_on))
