/* SPDX-License-Identifier: Apache-2.0 */
/* The ring against a slow model: triggers and drains in random order, by the real inline functions, the
 * real recorder and the real reader. KRON_SEED and KRON_OPS repeat and lengthen it. */
#include "support/files.h"
#include "support/loopback.h"
#include "unit/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "trace/reader.h"

#define CASES 12

/* What must be in the trace. */
struct expected {
	bool resource, overrun;
	uint64_t data;
	uint32_t source;
	uint64_t discarded;
	uint32_t counter0;
};

/* Bytes are counted as wire.h says; there are no bytes. */
struct model {
	uint64_t size, head, tail;
	uint64_t triggered, lost, noted_lost;
	uint32_t source, noted_source;
	uint32_t counter0;
	struct expected *event;
	size_t events, room;
};

static struct base_rng rng;
static struct model model;
static struct loopback loop;

static uint64_t below(uint64_t bound)
{
	return base_rng_below(&rng, bound);
}

/* The bytes that the next record of so many takes, with notes and filler. */
static uint64_t model_need(uint64_t bytes)
{
	bool loss = model.lost != model.noted_lost, source = model.source != model.noted_source;
	uint64_t need = bytes + (loss ? 16 : 0) + (source ? 16 : 0);
	uint64_t left = model.size - model.head % model.size;

	return need + (left < need ? left : 0);
}

static bool model_has_room(uint64_t bytes)
{
	return model.size - (model.head - model.tail) >= model_need(bytes);
}

static void model_trigger(bool resource, uint64_t data)
{
	uint64_t bytes = resource ? KRON_WIRE_RESOURCE_BYTES : KRON_WIRE_TRACE_BYTES;

	model.triggered++;
	if (!model_has_room(bytes)) {
		model.lost++;
		return;
	}
	if (model.events == model.room) {
		model.room = model.room ? 2 * model.room : 4096;
		model.event = realloc(model.event, model.room * sizeof(*model.event));
		assert_non_null(model.event);
	}
	model.head += model_need(bytes);
	model.event[model.events++] = (struct expected){ .resource = resource,
							 .overrun = model.lost != model.noted_lost,
							 .data = data,
							 .source = model.source,
							 .discarded = model.lost,
							 .counter0 = model.counter0 };
	model.noted_lost = model.lost;
	model.noted_source = model.source;
}

static void drain(void)
{
	collect_step(loop.collect, true);
	model.tail = model.head;
}

static void trigger(bool resource, bool waits)
{
	uint64_t data = base_rng_next(&rng);

	/* In one thread nobody would make room while the trigger waits for it. */
	if (waits && !model_has_room(resource ? KRON_WIRE_RESOURCE_BYTES : KRON_WIRE_TRACE_BYTES))
		drain();
	model_trigger(resource, data);
	if (resource)
		kron_resource((unsigned)below(16), data);
	else
		kron_trace((unsigned)below(16), data);
}

static void operate(bool *waits)
{
	uint64_t choice = below(1000);
	uint64_t burst = below(4) ? below(20) : below(400);

	if (choice < 500) {
		while (burst--)
			trigger(false, *waits);
	} else if (choice < 700) {
		for (burst /= 4; burst--;)
			trigger(below(3) > 0, *waits);
	} else if (choice < 900) {
		drain();
	} else if (choice < 950) {
		model.source = (uint32_t)below(5);
		kron_source(model.source);
	} else if (choice < 990) {
		kron_count(0);
		model.counter0++;
	} else {
		*waits = !*waits;
		kron_policy_set(*waits ? KRON_POLICY_WAIT : KRON_POLICY_DISCARD);
	}
}

/* Event by event. */
static void check_trace(void)
{
	struct trace_reader *reader;
	struct trace_event event = { 0 };
	unsigned stream;
	size_t i = 0;
	bool mark;

	CHECK_EQUAL(trace_reader_open(&reader, &base_io_system, &base_alloc_system, LOOPBACK_TRACE),
		    0);
	for (; trace_reader_next(reader, &event, &stream, &mark) == 1; i++) {
		const struct expected *expected = &model.event[i];

		CHECK(i < model.events);
		CHECK_EQUAL(event.resource, expected->resource);
		CHECK_EQUAL(event.data, expected->data);
		CHECK_EQUAL(event.fifo_overrun, expected->overrun);
		CHECK_EQUAL(event.source, expected->source);
		CHECK_EQUAL(event.discarded, expected->discarded);
		if (event.resource)
			CHECK_EQUAL(event.counter[0], expected->counter0);
	}
	CHECK_EQUAL(i, model.events);
	if (model.triggered)
		CHECK_EQUAL(trace_reader_info(reader)->stream[0].discarded, model.lost);
	trace_reader_close(reader);
}

static void run_case(uint64_t seed, uint64_t operations)
{
	struct collect_totals totals;
	bool waits = false;

	base_rng_seed(&rng, seed);
	files_wipe(LOOPBACK_TRACE);
	model = (struct model){ .size = UINT64_C(4096) << below(4),
				.event = model.event,
				.room = model.room };
	loop = (struct loopback){ .io = &base_io_system,
				  .alloc = &base_alloc_system,
				  .rings = 2,
				  .ring_bytes = model.size };
	CHECK_EQUAL(loopback_open(&loop), 0);
	kron_source(0); /* a first note, so that the model need not know thread ids */
	model.noted_source = UINT32_MAX;
	for (uint64_t i = 0; i < operations; i++)
		operate(&waits);
	CHECK_EQUAL(loopback_close(&loop, &totals), 0);
	CHECK_EQUAL(totals.triggered, model.triggered);
	CHECK_EQUAL(totals.events, model.events);
	CHECK_EQUAL(totals.lost_full, model.lost);
	CHECK_EQUAL(totals.lost_cut + totals.lost_nested + totals.lost_disk + totals.damaged, 0);
	check_trace();
}

static void the_ring_does_as_the_model(void **state)
{
	const char *seed = getenv("KRON_SEED"), *operations = getenv("KRON_OPS");
	uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
	uint64_t in_all = operations ? strtoull(operations, NULL, 10) / 50 : 24000;

	(void)state;
	for (uint64_t i = 0; i < CASES; i++) {
		printf("KRON_SEED=%llu\n", (unsigned long long)(first + i));
		run_case(first + i, in_all / CASES);
	}
	free(model.event);
}

TEST_MAIN(TEST_IN_DIR(the_ring_does_as_the_model))
