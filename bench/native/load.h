/* SPDX-License-Identifier: Apache-2.0 */
/* What the measured programs of bench/native share. Each is run by bench/native/run as
 *
 *   PROGRAM MODE EVENTS CPU[,CPU]
 *
 * and prints lines "name value" for it, times in nanoseconds. Every program measures a bare rdtsc
 * loop itself, on the same processor and just before its own rows, so that ratios to it hold
 * whatever the clock frequency was. */
#ifndef LOAD_H
#define LOAD_H

#include <stdint.h>

#define LOAD_THREADS 2

struct load {
	const char *mode;
	uint64_t events;       /* per thread */
	int cpu[LOAD_THREADS]; /* where its threads run */
	double ticks_per_ns;   /* of kron_clock() */
};

/* Durations in ticks: exact, and no memory is touched but what they need. */
#define LOAD_NEAR 65536
#define LOAD_FAR  1000000
struct load_histogram {
	uint32_t near[LOAD_NEAR];
	uint64_t far[LOAD_FAR]; /* LOAD_NEAR ticks and above */
	uint64_t fars;
	uint64_t count;
};

/* Reads the arguments, pins this thread to the first processor, and measures the clock. Exits with
 * code 2 if the arguments are wrong. */
void load_start(struct load *load, int argc, char **argv);

/* Pins the calling thread. Exits if that cannot be done: a figure would mean nothing. */
void load_pin(int cpu);

double load_median(double *values, unsigned count);

/* Measures and prints "rdtsc": one turn of a loop that holds a rdtsc and nothing else. */
void load_rdtsc(const struct load *load);

void load_print(const char *name, double value);

void load_histogram_add(struct load_histogram *histogram, uint64_t ticks);

/* The duration that the given share of all does not exceed, less the ticks that an empty
 * measurement takes. */
double load_histogram_ticks(struct load_histogram *histogram, double share, uint64_t empty);

#endif
