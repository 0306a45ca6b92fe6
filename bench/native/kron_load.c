/* SPDX-License-Identifier: Apache-2.0 */
/* Kron's part of bench/native. Group 0 is open, group CLOSED is not; see bench/native/run.
 *
 *   trigger  bursts of EVENTS triggers, half a ring, each when the recorder has made room; prints
 *            the medians per turn of a bare rdtsc, an empty loop, a rejected trigger, a trigger,
 *            and a trigger with all sixteen counters, taken in turns
 *   region   begin and end of a region, back to back; prints ns per pair
 *
 * and the modes of load_modes.h. */
#include <stdio.h>
#include <time.h>
#include <kron/kron.h>

#define CLOSED 5
#define ROUNDS 41

static inline void load_trigger(uint64_t data)
{
	kron_trace(0, data);
}

#include "load_modes.h"

static void play_empty(uint64_t turns)
{
	for (uint64_t i = 0; i < turns; i++)
		__asm__ volatile("" : : "r"(i));
}

static void play_rdtsc(uint64_t turns)
{
	for (uint64_t i = 0; i < turns; i++)
		kron_clock();
}

static void play_rejected(uint64_t turns)
{
	for (uint64_t i = 0; i < turns; i++)
		kron_trace(CLOSED, i);
}

static void play_resources(uint64_t turns)
{
	for (uint64_t i = 0; i < turns; i++)
		kron_resource(0, i);
}

static const struct trigger_row {
	const char *name;
	void (*play)(uint64_t turns);
	uint64_t bytes; /* of a record; 0: none */
} trigger_rows[] = {
	{ "rdtsc", play_rdtsc, 0 },
	{ "empty", play_empty, 0 },
	{ "rejected", play_rejected, 0 },
	{ "trace", play_events, KRON_WIRE_TRACE_BYTES },
	{ "resource", play_resources, KRON_WIRE_RESOURCE_BYTES },
};

#define TRIGGER_ROWS (sizeof(trigger_rows) / sizeof(trigger_rows[0]))

/* Until there is room for the next burst. The recorder leaves less than a quarter of the ring, half
 * a burst, alone for a while, so nobody waits for more than that. */
static void wait_for_room(uint64_t events)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const struct kron_wire_ring *ring = kron_detail_ring;

	while (ring && ring->head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >
			       events / 2 * KRON_WIRE_TRACE_BYTES)
		nanosleep(&pause, NULL);
}

static double play_row(const struct trigger_row *row, uint64_t events)
{
	/* The same bytes whatever the record. */
	uint64_t turns = row->bytes ? events * KRON_WIRE_TRACE_BYTES / row->bytes : events;
	uint64_t start;

	wait_for_room(events);
	row->play(16); /* the processor was asleep, and the caches are the recorder's */
	start = kron_clock();
	row->play(turns);
	return (double)(kron_clock() - start) / (double)turns;
}

static void mode_trigger(const struct load *load)
{
	static double ticks[TRIGGER_ROWS][ROUNDS];

	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned r = 0; r < TRIGGER_ROWS; r++)
			ticks[r][round] = play_row(&trigger_rows[r], load->events);
	for (unsigned r = 0; r < TRIGGER_ROWS; r++)
		load_print(trigger_rows[r].name,
			   load_median(ticks[r], ROUNDS) / load->ticks_per_ns);
}

static void mode_region(const struct load *load)
{
	uint64_t start = kron_clock();

	for (uint64_t i = 0; i < load->events; i++) {
		kron_region_begin("leaf");
		kron_region_end("leaf");
	}
	load_print("event",
		   (double)(kron_clock() - start) / load->ticks_per_ns / (double)load->events);
}

int main(int argc, char **argv)
{
	struct load load;

	load_start(&load, argc, argv);
	if (!(kron_filter_get() & 1)) {
		fprintf(stderr, "kron_load: group 0 is closed: run it under kron record\n");
		return 1;
	}
	if (!strcmp(load.mode, "trigger")) {
		mode_trigger(&load);
		return 0;
	}
	load_rdtsc(&load);
	if (!strcmp(load.mode, "region")) {
		mode_region(&load);
		return 0;
	}
	return load_common_mode(&load) ? 0 : 2;
}
