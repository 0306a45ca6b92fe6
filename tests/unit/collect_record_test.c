/* SPDX-License-Identifier: Apache-2.0 */
/* kron record on programs that do what programs do: triggered = stored + lost, exactly, always. */
#include "support/recording.h"
#include "support/files.h"
#include "unit/test.h"
#include <kron/wire.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIGGERS      " -- " RECORDING_PROGRAM " "
#define PROGRAM(name) RECORDING_PROGRAMS "/" name

static struct recording r;

/* Run, exit code 0, identity. */
static void record(const char *args)
{
	recording_run(&r, args);
	if (r.status)
		print_error("%s%s", r.out, r.err);
	CHECK_EQUAL(r.status, 0);
	CHECK(r.complete);
	recording_check(&r);
}

static void nothing_lost(void)
{
	CHECK_EQUAL(r.events, r.triggered);
}

/* ---- Rings ---- */

/* The defaults lose nothing of what a megabyte holds. */
static void one_thread_is_recorded(void **state)
{
	(void)state;
	record(TRIGGERS "threads 1 50000");
	nothing_lost();
	CHECK_EQUAL(r.streams, 1);
	recording_check_babeltrace(&r);
}

/* The smallest ring and a program that never waits: most is lost, and counted. */
static void losses_of_small_rings_are_counted(void **state)
{
	(void)state;
	record("-b 4K" TRIGGERS "threads 2 200000");
	CHECK(r.lost_full > 0);
	CHECK_EQUAL(r.told, 400000);
	recording_check_babeltrace(&r);
}

/* The last events of a burst are lost, and nothing comes behind them for a while, or ever. */
static void losses_are_told_where_they_are(void **state)
{
	(void)state;
	record("-b 4K" TRIGGERS "bursts 5 5000");
	CHECK(r.lost_full > 0);
	recording_check_babeltrace(&r);
}

static void nothing_is_lost_by_who_waits(void **state)
{
	(void)state;
	record("-b 4K --on-full wait" TRIGGERS "threads 2 100000");
	nothing_lost();
	CHECK(r.waits > 0);
	recording_check_babeltrace(&r);
}

static void events_of_two_sizes_share_a_ring(void **state)
{
	(void)state;
	record("-b 4K --on-full wait" TRIGGERS "mixed 20000");
	nothing_lost();
	record("-b 4K" TRIGGERS "mixed 20000");
	recording_check_babeltrace(&r);
}

static void the_policy_can_be_switched(void **state)
{
	(void)state;
	record("-b 4K" TRIGGERS "policies 50000");
	CHECK(r.waits > 0);
}

/* ---- What order events have ---- */

struct order {
	uint64_t next[256]; /* by stream: the event to come */
	uint64_t overruns;  /* events with the flag */
	uint64_t gaps;      /* that lie behind missing ones */
	uint64_t wrong;
};

/* Data counts up; where some are missing the flag is set, and events_discarded has grown by as many. */
static void check_order(void *context, const struct trace_info *info, unsigned stream,
			const struct trace_event *event, bool mark)
{
	static uint64_t discarded[256];
	struct order *order = context;
	uint64_t number = event->data & UINT32_MAX;

	(void)info;
	(void)mark;
	if (stream >= 256)
		return;
	if (order->next[stream] == 0)
		discarded[stream] = 0;
	if (number != order->next[stream]) {
		order->gaps++;
		order->wrong += !event->fifo_overrun;
	}
	order->wrong += number - order->next[stream] != event->discarded - discarded[stream];
	order->overruns += event->fifo_overrun;
	order->next[stream] = number + 1;
	discarded[stream] = event->discarded;
}

static void every_gap_is_marked_and_measured(void **state)
{
	struct order order = { 0 };

	(void)state;
	record("-b 4K" TRIGGERS "threads 2 3000000");
	recording_read(&r, check_order, &order);
	CHECK(order.gaps > 0);
	CHECK_EQUAL(order.wrong, 0);
	CHECK_EQUAL(order.overruns, order.gaps);
}

/* ---- Threads and processes ---- */

static void two_hundred_threads_at_once(void **state)
{
	(void)state;
	record("-b 64K" TRIGGERS "threads 200 500");
	CHECK_EQUAL(r.streams, 200);
	CHECK_EQUAL(r.lost_no_ring, 0);
}

static void more_threads_than_rings_are_counted(void **state)
{
	(void)state;
	record("-b 4K" TRIGGERS "threads 600 2000");
	CHECK(r.lost_no_ring > 0 || r.streams == 600);
}

/* The rings go from thread to thread: never more than a few are needed. */
static void a_thousand_short_threads(void **state)
{
	(void)state;
	record(TRIGGERS "short 1000 5");
	nothing_lost();
	CHECK_EQUAL(r.streams, 1000);
}

static void named_region(void *context, const struct trace_info *info, unsigned stream,
			 const struct trace_event *event, bool mark)
{
	uint32_t process = info->stream[stream].process;
	uint32_t id = (uint32_t)(event->data & UINT32_MAX);
	unsigned *found = context;

	if (!mark || process >= info->processes)
		return;
	for (size_t i = 0; i < info->process[process].names; i++) {
		const struct trace_name *name = &info->process[process].name[i];

		found[0] += name->id == id && strcmp(name->text, "in a child") == 0;
		found[1] += name->id == id && strcmp(name->text, "in both") == 0;
	}
}

static void children_are_measured(void **state)
{
	unsigned found[2] = { 0, 0 };

	(void)state;
	record(TRIGGERS "forks 20");
	nothing_lost();
	CHECK_EQUAL(r.processes, 21);
	recording_read(&r, named_region, found);
	CHECK_EQUAL(found[0], 20);
	CHECK_EQUAL(found[1], 42);
}

static void children_that_execute_are_measured(void **state)
{
	(void)state;
	record(TRIGGERS "execs 20");
	nothing_lost();
	CHECK_EQUAL(r.told, 20 * (5 + 10));
}

static void more_processes_than_slots_are_told(void **state)
{
	(void)state;
	record("-b 4K" TRIGGERS "crowd 100");
	nothing_lost();
	CHECK_EQUAL(r.processes, KRON_WIRE_PROCESSES);
	CHECK_EQUAL(r.events, (KRON_WIRE_PROCESSES - 1) * 10);
	assert_non_null(strstr(r.err, "37 processes were not measured"));
}

static void nothing_is_lost_at_an_exit(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		recording_run(&r, TRIGGERS "exit 37");
		CHECK_EQUAL(WEXITSTATUS(r.status), 37);
		CHECK_EQUAL(r.events, 37);
		CHECK_EQUAL(r.triggered, 37);
	}
}

static void a_signal_that_ends_the_program_loses_nothing(void **state)
{
	static const int numbers[] = { SIGKILL, SIGSEGV, SIGTERM, SIGABRT };
	char args[512];

	(void)state;
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		snprintf(args, sizeof(args), TRIGGERS "dies %d", numbers[i]);
		recording_run(&r, args);
		CHECK_EQUAL(WEXITSTATUS(r.status), 128 + numbers[i]);
		recording_check(&r);
		nothing_lost();
	}
}

/* ---- Signal handlers ---- */

static void handlers_trigger(void **state)
{
	(void)state;
	record("-b 64K --on-full wait" TRIGGERS "signals 3000000");
	CHECK_EQUAL(r.events + r.lost_nested, r.triggered);
	record("-b 4K" TRIGGERS "signals 1000000");
}

static void counts_of_handlers_are_not_lost(void **state)
{
	(void)state;
	record(TRIGGERS "profile 30000000");
	assert_non_null(strstr(r.out, "counted all"));
}

/* ---- What programs do to their surroundings ---- */

static void programs_may_close_everything(void **state)
{
	(void)state;
	record("--counters 0=page-faults" TRIGGERS "close 10000");
	nothing_lost();
}

static void errno_is_left_alone(void **state)
{
	(void)state;
	record("--counters 1=page-faults,2=clock -b 4K" TRIGGERS "errno 2000");
	assert_non_null(strstr(r.out, "changed 0\n"));
}

static void plug_ins_come_and_go(void **state)
{
	static const char *const hosts[] = { PROGRAM("kron_host"), PROGRAM("kron_host_static") };
	static const char *const plugins[] = { PROGRAM("kron_plugin.so"),
					       PROGRAM("kron_plugin_static.so") };
	char args[1024];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		snprintf(args, sizeof(args), "-b 4K --on-full wait -- %s %s 100 20", hosts[i / 2],
			 plugins[i % 2]);
		record(args);
		nothing_lost();
	}
}

static void cplusplus_scopes_end(void **state)
{
	(void)state;
	if (access(PROGRAM("kron_scopes"), X_OK))
		skip();
	record("-- " PROGRAM("kron_scopes"));
	nothing_lost();
}

/* ---- Sources, filters, names, counters ---- */

static void source_follows(void *context, const struct trace_info *info, unsigned stream,
			   const struct trace_event *event, bool mark)
{
	unsigned *wrong = context;

	(void)info;
	(void)stream;
	(void)mark;
	*wrong += event->source != 1000 + (event->data >> 32);
}

static void the_source_id_is_the_programs(void **state)
{
	unsigned wrong = 0;

	(void)state;
	record("-b 4K" TRIGGERS "sources 20000"); /* the ring overflows now and then */
	recording_read(&r, source_follows, &wrong);
	CHECK_EQUAL(wrong, 0);
}

static void groups_are_filtered(void **state)
{
	(void)state;
	record("-g 0-3,7" TRIGGERS "filters");
	assert_non_null(strstr(r.out, "filter 0x008f"));
	CHECK_EQUAL(r.events, 6);
	record("-g none" TRIGGERS "filters");
	CHECK_EQUAL(r.events, 1);
	record("-g 0x8000" TRIGGERS "filters");
	CHECK_EQUAL(r.events, 2);
}

static void names_run_out_and_regions_do_not(void **state)
{
	(void)state;
	record(TRIGGERS "names 2000");
	nothing_lost();
}

static void has_counters(void *context, const struct trace_info *info, unsigned stream,
			 const struct trace_event *event, bool mark)
{
	unsigned *found = context;

	(void)stream;
	(void)mark;
	if (event->data != 99)
		return;
	*found += event->resource && event->counter[0] == 7 && event->counter[15] == 15 &&
		  event->counter[3] > 0 && event->counter[4] == UINT32_MAX;
	assert_string_equal(info->counter[3].name, "page-faults");
	assert_string_equal(info->counter[0].name, "items");
	CHECK(info->counter[4].shared);
}

static void counters_count(void **state)
{
	unsigned found = 0;

	(void)state;
	recording_run(&r, "--counters 0=software:items,1=clock,2=stopwatch,3=page-faults,"
			  "4=shared:software,5=context-switches -- " PROGRAM("kron_counters"));
	CHECK_EQUAL(r.status, 0);
	assert_null(strstr(r.out, "NO"));
	assert_non_null(strstr(r.out, "stops at the top"));
	recording_read(&r, has_counters, &found);
	CHECK_EQUAL(found, 1);
}

/* ---- Without a recorder ---- */

static void run_alone(const char *ring, const char *way)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s " RECORDING_PROGRAM " %s >alone 2>&1", ring, way);
	recording_link_programs();
	CHECK_EQUAL(system(command), 0);
}

static void without_a_recorder_nothing_happens(void **state)
{
	uint8_t *text;

	(void)state;
	run_alone("", "filters");
	files_read("alone", &text);
	assert_string_equal((char *)text, "filter 0x0000\ntriggered 0\n");
	free(text);
}

/* Whatever the variable names, the program runs as if it were not there. */
static void a_wrong_recorder_is_ignored(void **state)
{
	struct kron_wire wire = { .magic = KRON_WIRE_MAGIC,
				  .version = KRON_WIRE_VERSION,
				  .total_bytes = 8192,
				  .rings = 1,
				  .ring_bytes = 4096 };
	static const char *const paths[] = { "garbage",   "short", "forged",
					     "absent",    ".",     "/dev/null",
					     "/dev/zero", "fifo",  "/proc/1/fd/0",
					     "''" };
	char garbage[8192], ring[64];

	(void)state;
	memset(garbage, 0x5a, sizeof(garbage));
	files_write("garbage", garbage, sizeof(garbage));
	memset(garbage, 0, sizeof(garbage));
	memcpy(garbage, &wire, sizeof(wire));
	files_write("forged", garbage, sizeof(garbage));
	files_write("short", garbage, 100);
	CHECK_EQUAL(system("mkfifo fifo"), 0);
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		snprintf(ring, sizeof(ring), "KRON_RING=%s", paths[i]);
		run_alone(ring, "threads 2 100");
	}
}

TEST_MAIN(TEST_IN_DIR(one_thread_is_recorded), TEST_IN_DIR(losses_of_small_rings_are_counted),
	  TEST_IN_DIR(losses_are_told_where_they_are), TEST_IN_DIR(nothing_is_lost_by_who_waits),
	  TEST_IN_DIR(events_of_two_sizes_share_a_ring), TEST_IN_DIR(the_policy_can_be_switched),
	  TEST_IN_DIR(every_gap_is_marked_and_measured), TEST_IN_DIR(two_hundred_threads_at_once),
	  TEST_IN_DIR(more_threads_than_rings_are_counted), TEST_IN_DIR(a_thousand_short_threads),
	  TEST_IN_DIR(children_are_measured), TEST_IN_DIR(children_that_execute_are_measured),
	  TEST_IN_DIR(more_processes_than_slots_are_told), TEST_IN_DIR(nothing_is_lost_at_an_exit),
	  TEST_IN_DIR(a_signal_that_ends_the_program_loses_nothing), TEST_IN_DIR(handlers_trigger),
	  TEST_IN_DIR(counts_of_handlers_are_not_lost), TEST_IN_DIR(programs_may_close_everything),
	  TEST_IN_DIR(errno_is_left_alone), TEST_IN_DIR(plug_ins_come_and_go),
	  TEST_IN_DIR(cplusplus_scopes_end), TEST_IN_DIR(the_source_id_is_the_programs),
	  TEST_IN_DIR(groups_are_filtered), TEST_IN_DIR(names_run_out_and_regions_do_not),
	  TEST_IN_DIR(counters_count), TEST_IN_DIR(without_a_recorder_nothing_happens),
	  TEST_IN_DIR(a_wrong_recorder_is_ignored))
