/* SPDX-License-Identifier: Apache-2.0 */
/* kron.json as the reader takes it: what is right is used, what is wrong is told and ignored. */
#include "unit/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/rng.h"
#include "support/files.h"
#include "support/native_trace.h"
#include "trace/reader.h"

#define DIR_NAME "trace"

/* A trace of two streams with this kron.json. */
static struct trace_reader *open_with(const char *json, size_t size)
{
	struct trace_reader *reader = NULL;

	if (!files_exist(DIR_NAME)) {
		struct native_trace trace;

		native_trace_init(&trace, DIR_NAME, 2);
		for (unsigned i = 0; i < 4; i++)
			native_trace_data(&trace, i % 2, i, i);
		native_trace_write(&trace, NULL);
	}
	files_write(DIR_NAME "/.kron.json", json, size);
	CHECK_EQUAL(trace_reader_open(&reader, &base_io_system, &base_alloc_system, DIR_NAME), 0);
	return reader;
}

static unsigned count_events(struct trace_reader *reader)
{
	struct trace_event event;
	unsigned stream, count = 0;
	bool mark;

	while (trace_reader_next(reader, &event, &stream, &mark) > 0)
		count++;
	return count;
}

static const char all[] =
	"{ \"schema\": \"kron.trace/1\", \"model\": \"native\", \"clock\": { \"hz\": 2793000000 "
	"},\n"
	"  \"points\": [ { \"ticks\": 1000, \"wall_ns\": 50000 }, { \"ticks\": 2000, \"wall_ns\": "
	"70000 },\n"
	"                { \"ticks\": 3000, \"wall_ns\": 80000 } ],\n"
	"  \"begin_ticks\": 123, \"end_ticks\": 456, \"command\": \"./prog -x 3\", \"exit_code\": "
	"-7,\n"
	"  \"complete\": true, \"cost\": { \"trace_ps\": 9800, \"resource_ps\": 12100 },\n"
	"  \"counters\": [ { \"index\": 2, \"name\": \"items\", \"source\": \"software\", "
	"\"shared\": true } ],\n"
	"  \"processes\": [ { \"pid\": 4711, \"command\": \"prog\", \"lost_no_ring\": 3, "
	"\"names\":\n"
	"    [ { \"id\": 7, \"text\": \"solve\" }, { \"id\": 1, \"text\": \"parse \\u00e4\" } ] } "
	"],\n"
	"  \"streams\": [ { \"file\": \"stream_1\", \"process\": 0, \"pid\": 4711, \"tid\": 4712,\n"
	"    \"thread\": \"worker\", \"nested\": true, \"events\": 2,\n"
	"    \"triggered\": [ 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16 ], \"waits\": 5, "
	"\"wait_ticks\": 60,\n"
	"    \"lost\": { \"full\": 1, \"nested\": 2, \"cut\": 3, \"disk\": 4 } } ] }";

static void every_member_is_used(void **state)
{
	struct trace_reader *reader = open_with(all, strlen(all));
	const struct trace_info *info = trace_reader_info(reader);
	const struct trace_stream_info *stream = &info->stream[1];

	(void)state;
	CHECK(!info->problem);
	assert_string_equal(info->model, "native");
	assert_string_equal(info->command, "./prog -x 3");
	CHECK_EQUAL(info->clock_hz, 2793000000);
	CHECK_EQUAL(info->points, 3);
	CHECK_EQUAL(info->begin_ticks, 123);
	CHECK_EQUAL(info->end_ticks, 456);
	CHECK_EQUAL(info->trace_cost_ps, 9800);
	CHECK_EQUAL(info->resource_cost_ps, 12100);
	CHECK(info->complete);
	assert_int_equal(info->exit_code, -7);
	assert_string_equal(info->counter[2].name, "items");
	assert_string_equal(info->counter[2].source, "software");
	CHECK(info->counter[2].shared && !info->counter[1].shared);
	assert_string_equal(info->counter[1].name, "counter1");
	CHECK_EQUAL(info->processes, 1);
	CHECK_EQUAL(info->process[0].lost_no_ring, 3);
	CHECK_EQUAL(info->process[0].names, 2);
	assert_string_equal(trace_reader_name(reader, 1, 7), "solve");
	assert_string_equal(trace_reader_name(reader, 1, 1), "parse \303\244");
	assert_string_equal(trace_reader_name(reader, 1, 2), TRACE_NAME_UNKNOWN);
	assert_string_equal(trace_reader_name(reader, 0, 7), TRACE_NAME_UNKNOWN);
	CHECK_EQUAL(info->streams, 2);
	CHECK_EQUAL(stream->tid, 4712);
	CHECK(stream->nested && stream->accounted && !info->stream[0].accounted);
	assert_string_equal(stream->thread, "worker");
	CHECK_EQUAL(stream->triggered[15], 16);
	CHECK_EQUAL(stream->lost_full + 10 * stream->lost_nested + 100 * stream->lost_cut +
			    1000 * stream->lost_disk,
		    4321);
	CHECK_EQUAL(stream->waits, 5);
	CHECK_EQUAL(stream->wait_ticks, 60);
	CHECK_EQUAL(stream->recorded, 2);
	CHECK_EQUAL(count_events(reader), 4);
	trace_reader_close(reader);
}

/* Between points in proportion, behind the last by the frequency, before the first nothing. */
static void times_follow_the_points(void **state)
{
	struct trace_reader *reader = open_with(all, strlen(all));

	(void)state;
	CHECK_EQUAL(trace_reader_ns(reader, 0), 0);
	CHECK_EQUAL(trace_reader_ns(reader, 1000), 0);
	CHECK_EQUAL(trace_reader_ns(reader, 1500), 10000);
	CHECK_EQUAL(trace_reader_ns(reader, 2000), 20000);
	CHECK_EQUAL(trace_reader_ns(reader, 2500), 25000);
	CHECK_EQUAL(trace_reader_ns(reader, 3000 + 2793), 31000);
	trace_reader_close(reader);
}

static void what_is_wrong_is_told_by_its_name(void **state)
{
	static const struct {
		const char *json, *problem;
	} rows[] = {
		{ "", "line 1" },
		{ "{", "line 1" },
		{ "[]", "not an object" },
		{ "{}", "schema" },
		{ "{\"schema\":1}", "schema: not text" },
		{ "{\"schema\":\"kron.trace/2\"}", "kron.trace/2" },
#define OK "{\"schema\":\"kron.trace/1\","
		{ OK "\"model\":[]}", "model: not text" },
		{ OK "\"clock\":5}", "clock: not an object" },
		{ OK "\"clock\":{\"hz\":-1}}", "clock.hz: not a number" },
		{ OK "\"clock\":{\"hz\":0}}", "frequency" },
		{ OK "\"begin_ticks\":1.5}", "begin_ticks" },
		{ OK "\"complete\":1}", "complete: not true or false" },
		{ OK "\"exit_code\":\"0\"}", "exit_code" },
		{ OK "\"exit_code\":4294967296}", "exit_code" },
		{ OK "\"points\":[1]}", "points[0]: not an object" },
		{ OK "\"points\":[{\"ticks\":1}]}", "points[0]" },
		{ OK "\"points\":[{\"ticks\":2,\"wall_ns\":1},{\"ticks\":2,\"wall_ns\":2}]}",
		  "points[1]: goes back" },
		{ OK "\"counters\":{}}", "counters: not an array" },
		{ OK "\"counters\":[{\"index\":16}]}", "counters[0].index" },
		{ OK "\"counters\":[{\"index\":1,\"name\":2}]}", "counters[0].name: not text" },
		{ OK "\"processes\":[7]}", "processes[0]: not an object" },
		{ OK "\"processes\":[{\"pid\":4294967296}]}", "processes[0].pid" },
		{ OK "\"processes\":[{\"names\":[{\"id\":1}]}]}", "processes[0].names" },
		{ OK "\"processes\":[{\"names\":[3]}]}", "processes[0].names" },
		{ OK "\"streams\":3}", "streams: not an array" },
		{ OK "\"streams\":[3]}", "streams[0]: not an object" },
		{ OK "\"streams\":[{}]}", "streams[0].file" },
		{ OK "\"streams\":[{\"file\":\"../stream_0\"}]}", "streams[0].file" },
		{ OK "\"streams\":[{\"file\":\"stream_1\",\"process\":0}]}", "streams[0].process" },
		{ OK "\"streams\":[{\"file\":\"stream_1\",\"triggered\":[1]}]}", "16 numbers" },
		{ OK "\"streams\":[{\"file\":\"stream_1\",\"lost\":{\"full\":\"x\"}}]}",
		  "streams[0].lost.full" },
#undef OK
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct trace_reader *reader = open_with(rows[i].json, strlen(rows[i].json));
		const char *problem = trace_reader_info(reader)->problem;

		if (!problem || !strstr(problem, rows[i].problem))
			print_error("%s: %s\n", rows[i].json, problem ? problem : "no problem");
		CHECK(problem && strstr(problem, rows[i].problem));
		CHECK_EQUAL(count_events(reader), 4);
		CHECK(trace_reader_info(reader)->clock_hz != 0);
		trace_reader_close(reader);
	}
}

/* Cut anywhere, or with any byte changed, it never costs an event. */
static void damage_costs_no_events(void **state)
{
	char changed[sizeof(all)];
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 1);
	for (size_t i = 0; i < 2 * strlen(all); i++) {
		struct trace_reader *reader;
		size_t at = i / 2, size = i % 2 ? strlen(all) : at;

		memcpy(changed, all, sizeof(all));
		if (i % 2)
			changed[at] = (char)base_rng_next(&rng);
		reader = open_with(changed, size);
		CHECK_EQUAL(count_events(reader), 4);
		trace_reader_name(reader, 1, 7);
		trace_reader_ns(reader, 2500);
		trace_reader_close(reader);
	}
}

/* Nobody writes such a file; it is not even parsed. */
static void a_file_too_large_is_refused(void **state)
{
	size_t size = (32 << 20) + 2;
	char *big = malloc(size);
	struct trace_reader *reader;

	(void)state;
	assert_non_null(big);
	memset(big, ' ', size);
	reader = open_with(big, size);
	assert_non_null(strstr(trace_reader_info(reader)->problem, "larger"));
	trace_reader_close(reader);
	free(big);
}

TEST_MAIN(TEST_IN_DIR(every_member_is_used), TEST_IN_DIR(times_follow_the_points),
	  TEST_IN_DIR(what_is_wrong_is_told_by_its_name), TEST_IN_DIR(damage_costs_no_events),
	  TEST_IN_DIR(a_file_too_large_is_refused))
