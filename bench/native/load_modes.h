/* SPDX-License-Identifier: Apache-2.0 */
/* The modes that all tracers are measured in, around a trigger that is compiled into the loop:
 * the includer has defined
 *
 *   static inline void load_trigger(uint64_t data);
 *
 *   file     one thread, events back to back; prints ns per event
 *   file2    two threads; prints ns per event, of the two together
 *   latency  one thread, an event every PERIOD_NS; prints what one trigger takes: p50 to max */
#ifndef LOAD_MODES_H
#define LOAD_MODES_H

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <kron/clock.h>
#include "load.h"

#define PERIOD_NS    200
#define WARM_EVENTS  1000 /* before the clock starts: rings, caches, page tables */
#define EMPTY_ROUNDS 10001

struct load_thread {
	const struct load *load;
	pthread_barrier_t *barrier;
	int cpu;
};

static void play_events(uint64_t events)
{
	for (uint64_t i = 0; i < events; i++)
		load_trigger(i);
}

static void mode_file(const struct load *load)
{
	uint64_t start;

	play_events(WARM_EVENTS);
	start = kron_clock();
	play_events(load->events);
	load_print("event",
		   (double)(kron_clock() - start) / load->ticks_per_ns / (double)load->events);
}

static void *thread_main(void *argument)
{
	struct load_thread *thread = argument;

	load_pin(thread->cpu);
	play_events(WARM_EVENTS);
	pthread_barrier_wait(thread->barrier); /* start */
	play_events(thread->load->events);
	pthread_barrier_wait(thread->barrier); /* end */
	return NULL;
}

static void mode_file2(const struct load *load)
{
	pthread_t id[LOAD_THREADS];
	struct load_thread thread[LOAD_THREADS];
	pthread_barrier_t barrier;
	uint64_t start;

	pthread_barrier_init(&barrier, NULL, LOAD_THREADS + 1);
	for (unsigned i = 0; i < LOAD_THREADS; i++) {
		thread[i] = (struct load_thread){ load, &barrier, load->cpu[i] };
		pthread_create(&id[i], NULL, thread_main, &thread[i]);
	}
	pthread_barrier_wait(&barrier);
	start = kron_clock();
	pthread_barrier_wait(&barrier);
	load_print("event", (double)(kron_clock() - start) / load->ticks_per_ns /
				    (double)(LOAD_THREADS * load->events));
	for (unsigned i = 0; i < LOAD_THREADS; i++)
		pthread_join(id[i], NULL);
	pthread_barrier_destroy(&barrier);
}

/* What two readings of the clock with nothing between them are apart. */
static uint64_t empty_ticks(void)
{
	static double ticks[EMPTY_ROUNDS];

	for (unsigned i = 0; i < EMPTY_ROUNDS; i++) {
		uint64_t start = kron_clock();

		ticks[i] = (double)(kron_clock() - start);
	}
	return (uint64_t)load_median(ticks, EMPTY_ROUNDS);
}

/* Events that are late follow each other at once until the schedule is met again. */
static void play_schedule(const struct load *load, struct load_histogram *histogram)
{
	double period = PERIOD_NS * load->ticks_per_ns;
	uint64_t begin = kron_clock();

	for (uint64_t i = 0; i < load->events; i++) {
		uint64_t due = begin + (uint64_t)((double)i * period);
		uint64_t start, end;

		do
			start = kron_clock();
		while (start < due);
		start = kron_clock();
		load_trigger(i);
		end = kron_clock();
		load_histogram_add(histogram, end - start);
	}
	load_print("pace",
		   (double)(kron_clock() - begin) / load->ticks_per_ns / (double)load->events);
}

static void mode_latency(const struct load *load)
{
	static struct load_histogram histogram;
	uint64_t empty = empty_ticks();
	static const struct {
		const char *name;
		double share;
	} rows[] = {
		{ "p50", 0.5 },       { "p99", 0.99 }, { "p99.9", 0.999 },
		{ "p99.99", 0.9999 }, { "max", 1 },
	};

	play_events(WARM_EVENTS);
	play_schedule(load, &histogram);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		load_print(rows[i].name, load_histogram_ticks(&histogram, rows[i].share, empty) /
						 load->ticks_per_ns);
}

/* False: no such mode. */
static bool load_common_mode(const struct load *load)
{
	if (!strcmp(load->mode, "file"))
		mode_file(load);
	else if (!strcmp(load->mode, "file2"))
		mode_file2(load);
	else if (!strcmp(load->mode, "latency"))
		mode_latency(load);
	else
		return false;
	return true;
}

#endif
