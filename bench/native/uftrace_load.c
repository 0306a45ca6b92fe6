/* SPDX-License-Identifier: Apache-2.0 */
/* uftrace's part of bench/native: calls of a function that does nothing, instrumented by -pg. Mode
 * region is its only one. */
#include <stdio.h>
#include <string.h>
#include <kron/clock.h>
#include "load.h"

void leaf(uint64_t data); /* not static: the compiler must not see that it does nothing */

__attribute__((noinline)) void leaf(uint64_t data)
{
	__asm__ volatile("" : : "r"(data));
}

int main(int argc, char **argv)
{
	struct load load;
	uint64_t start;

	load_start(&load, argc, argv);
	if (strcmp(load.mode, "region"))
		return 2;
	load_rdtsc(&load);
	start = kron_clock();
	for (uint64_t i = 0; i < load.events; i++)
		leaf(i);
	load_print("event",
		   (double)(kron_clock() - start) / load.ticks_per_ns / (double)load.events);
	return 0;
}
