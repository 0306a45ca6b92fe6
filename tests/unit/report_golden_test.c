/* SPDX-License-Identifier: Apache-2.0 */
/* The traces in tests/golden, which tests/cli/report reads: small enough to work out by hand. They are
 * binary, so here is where they come from: made anew, they are the same byte for byte.
 * KRON_UPDATE_GOLDEN=1 writes them. */
#include "unit/test.h"
#include <kron/wire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "support/files.h"
#include "support/native_trace.h"

/* Where the traces are to be made now. */
static const char *place(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/golden/%s", KRON_TESTS_DIR, name);
	return getenv("KRON_UPDATE_GOLDEN") ? path : name;
}

static void check_golden(const char *name, unsigned streams)
{
	char mine[512], golden[512];

	for (unsigned i = 0; i < streams + 2; i++) {
		uint8_t *actual, *expected;
		size_t size;
		char file[32];

		snprintf(file, sizeof(file), "stream_%u", i - 2);
		if (i < 2)
			snprintf(file, sizeof(file), "%s", i ? "metadata" : ".kron.json");
		snprintf(golden, sizeof(golden), "%s/golden/%s/%s", KRON_TESTS_DIR, name, file);
		snprintf(mine, sizeof(mine), "%s/%s", name, file);
		if (getenv("KRON_UPDATE_GOLDEN"))
			continue;
		size = files_read(mine, &actual);
		CHECK_EQUAL(files_read(golden, &expected), size);
		assert_memory_equal(actual, expected, size);
		free(actual);
		free(expected);
	}
}

#define PARSE 1
#define WORK  7
#define LOCK  0x5500
#define GATE  0x5600
#define READY 0x5700

static const char queue_json[] =
	"{\n"
	"  \"schema\": \"kron.trace/1\", \"model\": \"native\", \"clock\": { \"hz\": 1000000000 "
	"},\n"
	"  \"points\": [ { \"ticks\": 1000, \"wall_ns\": 1763236800000000000 } ],\n"
	"  \"begin_ticks\": 1000, \"end_ticks\": 1001000,\n"
	"  \"command\": \"./queue 3\", \"exit_code\": 0, \"complete\": true,\n"
	"  \"cost\": { \"trace_ps\": 10000, \"resource_ps\": 20000 },\n"
	"  \"counters\": [ { \"index\": 0, \"name\": \"items\", \"source\": \"software\" },\n"
	"                { \"index\": 3, \"name\": \"page-faults\", \"source\": \"perf\" } ],\n"
	"  \"processes\": [ { \"pid\": 4711, \"command\": \"queue\", \"lost_no_ring\": 0,\n"
	"    \"names\": [ { \"id\": 1, \"text\": \"parse\" }, { \"id\": 7, \"text\": \"work\" } ] "
	"} ],\n"
	"  \"streams\": [\n"
	"    { \"file\": \"stream_0\", \"process\": 0, \"tid\": 4711, \"thread\": \"queue\",\n"
	"      \"events\": 8, \"triggered\": [4,0,0,0,0,0,0,0,0,0,0,0,0,0,0,4],\n"
	"      \"lost\": { \"full\": 0 } },\n"
	"    { \"file\": \"stream_1\", \"process\": 0, \"tid\": 4712, \"thread\": \"worker, "
	"first\",\n"
	"      \"events\": 16, \"triggered\": [8,0,0,0,0,0,0,0,0,0,0,0,0,0,0,8],\n"
	"      \"lost\": { \"full\": 0 } },\n"
	"    { \"file\": \"stream_2\", \"process\": 0, \"tid\": 4713, \"thread\": \"worker two\",\n"
	"      \"events\": 11, \"triggered\": [8,0,0,0,0,0,0,0,0,0,0,0,0,0,0,6],\n"
	"      \"waits\": 2, \"wait_ticks\": 1500, \"lost\": { \"full\": 2, \"nested\": 1 } } ]\n"
	"}\n";

static void main_thread(struct native_trace *trace)
{
	native_trace_mark(trace, 0, 1000, KRON_WIRE_REGION_BEGIN, PARSE);
	native_trace_data(trace, 0, 2000, 42);
	native_trace_mark(trace, 0, 101000, KRON_WIRE_REGION_END, PARSE);
	native_trace_mark(trace, 0, 110000, KRON_WIRE_THREAD_CREATE, 0x4000);
	native_trace_mark(trace, 0, 120000, KRON_WIRE_THREAD_CREATE, 0x4000);
	native_trace_mark(trace, 0, 200000, KRON_WIRE_JOIN_WAIT, 4712);
	native_trace_mark(trace, 0, 900000, KRON_WIRE_JOIN_GO, 4712);
	native_trace_data(trace, 0, 1000000, 43);
}

/* Holds the lock 50 us, then 10 us and 40 us with a wait for a condition between them. */
static void first_worker(struct native_trace *trace)
{
	uint32_t counter[TRACE_COUNTERS] = { 0 };

	native_trace_mark(trace, 1, 200000, KRON_WIRE_REGION_BEGIN, WORK);
	native_trace_counters(trace, 1, 201000, 0, counter);
	native_trace_mark(trace, 1, 210000, KRON_WIRE_LOCK_WAIT, LOCK);
	native_trace_mark(trace, 1, 211000, KRON_WIRE_LOCK_GOT, LOCK);
	native_trace_mark(trace, 1, 261000, KRON_WIRE_LOCK_FREE, LOCK);
	counter[0] = 5;
	counter[3] = 2;
	native_trace_counters(trace, 1, 270000, 0, counter);
	native_trace_mark(trace, 1, 300000, KRON_WIRE_REGION_END, WORK);
	native_trace_mark(trace, 1, 310000, KRON_WIRE_LOCK_GOT, LOCK);
	native_trace_mark(trace, 1, 320000, KRON_WIRE_LOCK_FREE, LOCK);
	native_trace_mark(trace, 1, 320000, KRON_WIRE_COND_WAIT, READY);
	native_trace_mark(trace, 1, 330000, KRON_WIRE_COND_GO, READY);
	native_trace_mark(trace, 1, 330000, KRON_WIRE_LOCK_GOT, LOCK);
	native_trace_mark(trace, 1, 370000, KRON_WIRE_LOCK_FREE, LOCK);
	counter[0] = 6;
	native_trace_counters(trace, 1, 380000, 0, counter);
	native_trace_mark(trace, 1, 400000, KRON_WIRE_BARRIER_WAIT, GATE);
	native_trace_mark(trace, 1, 600000, KRON_WIRE_BARRIER_GO, GATE);
}

/* Waits 50 us for the lock; then three events are lost, the end of its second visit among them. */
static void second_worker(struct native_trace *trace)
{
	native_trace_mark(trace, 2, 205000, KRON_WIRE_REGION_BEGIN, WORK);
	native_trace_mark(trace, 2, 211000, KRON_WIRE_LOCK_WAIT, LOCK);
	native_trace_mark(trace, 2, 261000, KRON_WIRE_LOCK_GOT, LOCK);
	native_trace_mark(trace, 2, 281000, KRON_WIRE_LOCK_FREE, LOCK);
	native_trace_mark(trace, 2, 405000, KRON_WIRE_REGION_END, WORK);
	native_trace_mark(trace, 2, 406000, KRON_WIRE_REGION_BEGIN, WORK);
	native_trace_lost(trace, 2, 3);
	native_trace_mark(trace, 2, 500000, KRON_WIRE_REGION_BEGIN, PARSE);
	native_trace_mark(trace, 2, 510000, KRON_WIRE_REGION_END, PARSE);
	native_trace_mark(trace, 2, 600000, KRON_WIRE_BARRIER_WAIT, GATE);
	native_trace_mark(trace, 2, 600000, KRON_WIRE_BARRIER_GO, GATE);
	native_trace_data(trace, 2, 700000, 44);
}

/* A program of three threads with a lock, a barrier, a condition, counters and losses. */
static void queue_is_as_described(void **state)
{
	struct native_trace trace;
	char path[512];

	(void)state;
	native_trace_init(&trace, place("queue", path, sizeof(path)), 3);
	main_thread(&trace);
	first_worker(&trace);
	second_worker(&trace);
	native_trace_write(&trace, queue_json);
	check_golden("queue", 3);
}

/* The recorder was killed: kron.json stops short, a stream stops inside an event. */
static void cut_is_as_described(void **state)
{
	struct native_trace trace;
	char path[512], file[600];
	uint8_t *data;
	size_t size;

	(void)state;
	native_trace_init(&trace, place("cut", path, sizeof(path)), 1);
	main_thread(&trace);
	native_trace_write(&trace, "{ \"schema\": \"kron.trace/1\", \"model\": \"native\",\n");
	snprintf(file, sizeof(file), "%s/stream_0", getenv("KRON_UPDATE_GOLDEN") ? path : "cut");
	size = files_read(file, &data);
	files_write(file, data, size - 20);
	free(data);
	check_golden("cut", 1);
}

TEST_MAIN(TEST_IN_DIR(queue_is_as_described), TEST_IN_DIR(cut_is_as_described))
