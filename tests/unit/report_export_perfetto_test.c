/* SPDX-License-Identifier: Apache-2.0 */
/* The judge is support/perfetto_check.h here, and the real protoc in tests/cli/export/. */
#include "unit/test.h"
#include <kron/wire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "report/protobuf.h"
#include "support/capture.h"
#include "support/export_trace.h"
#include "support/perfetto_check.h"

static void export_to(const char *dir, struct report_export_result *result,
		      struct perfetto_counts *counts)
{
	const char *wrong;
	size_t size;
	char *data;

	CHECK_EQUAL(export_trace_run(&base_io_system, &base_alloc_system, dir,
				     REPORT_EXPORT_PERFETTO, "out", result),
		    0);
	data = export_trace_read("out", &size);
	wrong = perfetto_check(data, size, counts);
	if (wrong)
		fail_msg("%s", wrong);
	free(data);
}

static void the_story_is_told(void **state)
{
	struct report_export_result result;
	struct perfetto_counts counts;

	(void)state;
	export_trace_story("t");
	export_to("t", &result, &counts);
	CHECK_EQUAL(result.events, EXPORT_STORY_EVENTS);
	CHECK_EQUAL(result.lost, EXPORT_STORY_LOST);
	CHECK_EQUAL(result.unmatched, EXPORT_STORY_UNMATCHED);
	CHECK_EQUAL(result.unclosed, EXPORT_STORY_UNCLOSED);
	/* Two processes, four streams; items and counter7 of one thread, bytes of two processes,
	 * and items of the other, which is 0 but has a name. */
	CHECK_EQUAL(counts.tracks, 2 + 4 + 5);
	CHECK_EQUAL(counts.counter_tracks, 5);
	CHECK_EQUAL(counts.begins, 8);
	CHECK_EQUAL(counts.ends, 8);
	/* Four of the program, two of locks, thread start and exit, an unknown mark; two losses. */
	CHECK_EQUAL(counts.instants, 4 + 5 + 2);
	/* items once each, bytes twice and once, counter7 twice. */
	CHECK_EQUAL(counts.counters, 1 + 2 + 2 + 2);
	CHECK_EQUAL(counts.dropped, 2);
	CHECK_EQUAL(counts.depth_max, 3);
}

/* Losses before the first event are no beginning of a recording. */
static void losses_come_behind_the_first_packet(void **state)
{
	static const struct export_trace_event event[] = { { 0, 100, 0, .data = 1, .lost = 9 } };
	struct report_export_result result;
	struct perfetto_counts counts;

	(void)state;
	export_trace_write("t", "{}", event, 1, 1, NULL);
	export_to("t", &result, &counts);
	CHECK_EQUAL(counts.dropped, 1);
	CHECK_EQUAL(result.lost, 9);
}

static void a_trace_without_events_has_its_tracks(void **state)
{
	struct report_export_result result;
	struct perfetto_counts counts;

	(void)state;
	export_trace_write("t", "{}", NULL, 0, 3, NULL);
	export_to("t", &result, &counts);
	CHECK_EQUAL(counts.tracks, 4); /* three, and the one above them */
	CHECK_EQUAL(counts.packets, 4);
}

/* ---- Random events ---- */

#define EVENTS 400

static void random_event(struct base_rng *rng, struct export_trace_event *event)
{
	*event = (struct export_trace_event){
		.stream = (unsigned)base_rng_below(rng, 3),
		.kind = (unsigned)base_rng_below(rng, 16),
		.data = base_rng_below(rng, 4),
		.resource = base_rng_below(rng, 8) == 0,
	};
	for (unsigned i = 0; i < TRACE_COUNTERS; i += 5)
		event->counter[i] = (uint32_t)base_rng_below(rng, 3);
}

/* Marks in any order, with losses between them, become nested slices. */
static void whatever_happens_the_file_is_sound(void **state)
{
	const char *seed = getenv("KRON_SEED"), *ops = getenv("KRON_OPS");
	unsigned long rounds = ops ? strtoul(ops, NULL, 0) / (50 * EVENTS) + 1 : 20;
	static struct export_trace_event event[EVENTS];
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, seed ? strtoull(seed, NULL, 0) : 1);
	for (unsigned long round = 0; round < rounds; round++) {
		struct report_export_result result;
		struct perfetto_counts counts;
		uint64_t lost[3] = { 0 }, ticks = 1000;

		for (unsigned i = 0; i < EVENTS; i++) {
			random_event(&rng, &event[i]);
			event[i].ticks = ticks += base_rng_below(&rng, 3);
			if (base_rng_below(&rng, 16) == 0)
				lost[event[i].stream] += 1 + base_rng_below(&rng, 5);
			event[i].lost = lost[event[i].stream];
		}
		lost[0] += base_rng_below(&rng, 2);
		export_trace_write("t", "{}", event, EVENTS, 3, lost);
		export_to("t", &result, &counts);
		CHECK_EQUAL(result.events, EVENTS);
		CHECK_EQUAL(result.lost, lost[0] + lost[1] + lost[2]);
		CHECK_EQUAL(counts.begins, counts.ends);
		CHECK(counts.begins > EVENTS / 8);
		CHECK_EQUAL(system("rm -r t"), 0);
	}
}

/* ---- The checker itself ---- */

struct tale {
	struct report_protobuf pb;
	struct capture capture;
};

static void tell_track(struct tale *tale, uint64_t uuid, bool counter)
{
	report_protobuf_begin(&tale->pb, 1);
	report_protobuf_unsigned(&tale->pb, 10, 1);
	report_protobuf_unsigned(&tale->pb, 13, 1);
	report_protobuf_begin(&tale->pb, 60);
	report_protobuf_unsigned(&tale->pb, 1, uuid);
	if (counter) {
		report_protobuf_begin(&tale->pb, 8);
		report_protobuf_end(&tale->pb);
	}
	report_protobuf_end(&tale->pb);
	report_protobuf_end(&tale->pb);
}

static void tell_event(struct tale *tale, uint64_t time, uint64_t uuid, uint64_t type,
		       uint64_t dropped)
{
	report_protobuf_begin(&tale->pb, 1);
	report_protobuf_unsigned(&tale->pb, 10, 1);
	report_protobuf_unsigned(&tale->pb, 8, time);
	report_protobuf_unsigned(&tale->pb, 42, dropped);
	report_protobuf_begin(&tale->pb, 11);
	report_protobuf_unsigned(&tale->pb, 9, type);
	report_protobuf_unsigned(&tale->pb, 11, uuid);
	if (type == 4)
		report_protobuf_unsigned(&tale->pb, 30, 1);
	report_protobuf_end(&tale->pb);
	report_protobuf_end(&tale->pb);
}

static const char *judge(struct tale *tale, size_t less)
{
	struct perfetto_counts counts;
	const char *wrong;

	CHECK_EQUAL(report_protobuf_flush(&tale->pb, &tale->capture.out), 0);
	capture_text(&tale->capture);
	wrong = perfetto_check(tale->capture.text, tale->capture.length - less, &counts);
	capture_init(&tale->capture);
	tell_track(tale, 1, false); /* for the next one */
	tell_track(tale, 2, true);
	return wrong;
}

static void the_checker_finds_what_is_wrong(void **state)
{
	static struct tale tale;

	(void)state;
	report_protobuf_init(&tale.pb);
	capture_init(&tale.capture);
	assert_null(judge(&tale, 0));
	tell_event(&tale, 5, 1, 1, 0);
	tell_event(&tale, 5, 2, 4, 0);
	tell_event(&tale, 6, 1, 2, 0);
	assert_null(judge(&tale, 0));
	tell_event(&tale, 5, 1, 3, 0);
	assert_non_null(judge(&tale, 1)); /* cut */
	tell_event(&tale, 5, 3, 3, 0);
	assert_non_null(judge(&tale, 0)); /* no such track */
	tell_event(&tale, 5, 1, 1, 0);
	assert_non_null(judge(&tale, 0)); /* open */
	tell_event(&tale, 5, 1, 2, 0);
	assert_non_null(judge(&tale, 0)); /* never begun */
	tell_event(&tale, 5, 1, 3, 0);
	tell_event(&tale, 4, 1, 3, 0);
	assert_non_null(judge(&tale, 0)); /* back in time */
	tell_event(&tale, 5, 1, 4, 0);
	assert_non_null(judge(&tale, 0)); /* a counter elsewhere */
	tell_event(&tale, 5, 2, 3, 0);
	assert_non_null(judge(&tale, 0)); /* something else on its track */
	tell_event(&tale, 5, 1, 3, 1);
	assert_non_null(judge(&tale, 0)); /* behind a dropped packet, without a new state */
	tell_track(&tale, 1, false);
	assert_non_null(judge(&tale, 0)); /* described twice */
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, export_trace_enter, export_trace_leave)

TEST_MAIN(IN_DIR(the_story_is_told), IN_DIR(losses_come_behind_the_first_packet),
	  IN_DIR(a_trace_without_events_has_its_tracks), IN_DIR(whatever_happens_the_file_is_sound),
	  TEST(the_checker_finds_what_is_wrong))
