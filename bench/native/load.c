/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <kron/clock.h>

#define CLOCK_NS     20000000 /* how long the clock is measured */
#define RDTSC_ROUNDS 41
#define RDTSC_TURNS  20000

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static double measure_clock(void)
{
	uint64_t start_ns = now_ns(), start = kron_clock(), end_ns;

	do
		end_ns = now_ns();
	while (end_ns - start_ns < CLOCK_NS);
	return (double)(kron_clock() - start) / (double)(end_ns - start_ns);
}

void load_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

void load_start(struct load *load, int argc, char **argv)
{
	if (argc != 4 || sscanf(argv[3], "%d,%d", &load->cpu[0], &load->cpu[1]) < 1) {
		fprintf(stderr, "usage: %s MODE EVENTS CPU[,CPU]\n", argv[0]);
		exit(2);
	}
	load->mode = argv[1];
	load->events = strtoull(argv[2], NULL, 10);
	load_pin(load->cpu[0]);
	load->ticks_per_ns = measure_clock();
}

void load_print(const char *name, double value)
{
	printf("%s %.3f\n", name, value);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

double load_median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), compare_doubles);
	return values[count / 2];
}

void load_rdtsc(const struct load *load)
{
	double ticks[RDTSC_ROUNDS];

	for (unsigned round = 0; round < RDTSC_ROUNDS; round++) {
		uint64_t start = kron_clock();

		for (unsigned i = 0; i < RDTSC_TURNS; i++)
			kron_clock();
		ticks[round] = (double)(kron_clock() - start) / RDTSC_TURNS;
	}
	load_print("rdtsc", load_median(ticks, RDTSC_ROUNDS) / load->ticks_per_ns);
}

void load_histogram_add(struct load_histogram *histogram, uint64_t ticks)
{
	histogram->count++;
	if (ticks < LOAD_NEAR)
		histogram->near[ticks]++;
	else if (histogram->fars < LOAD_FAR)
		histogram->far[histogram->fars++] = ticks;
}

static int compare_ticks(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

double load_histogram_ticks(struct load_histogram *histogram, double share, uint64_t empty)
{
	uint64_t rank = (uint64_t)(share * (double)histogram->count), seen = 0, ticks;

	if (rank >= histogram->count)
		rank = histogram->count - 1;
	for (ticks = 0; ticks < LOAD_NEAR; ticks++) {
		seen += histogram->near[ticks];
		if (seen > rank)
			break;
	}
	if (ticks == LOAD_NEAR) {
		qsort(histogram->far, histogram->fars, sizeof(uint64_t), compare_ticks);
		ticks = histogram->far[rank - seen < histogram->fars ? rank - seen
								     : histogram->fars - 1];
	}
	return ticks > empty ? (double)(ticks - empty) : 0;
}
