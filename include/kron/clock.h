/* SPDX-License-Identifier: Apache-2.0 */
/* The time stamp clock, and all else that depends on the processor. Only x86-64 has been tested. */
#ifndef KRON_CLOCK_H
#define KRON_CLOCK_H

#include <stdint.h>
#include <kron/wire.h>

#if defined(__x86_64__)

static inline uint64_t kron_clock(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static inline void kron_clock_pause(void)
{
	__asm__ volatile("pause");
}

#elif defined(__aarch64__)

static inline uint64_t kron_clock(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

static inline void kron_clock_pause(void)
{
	__asm__ volatile("yield");
}

#else
#error "Kron knows the time stamp clocks of x86-64 and aarch64 only"
#endif

/* As in the word of a record. */
static inline uint64_t kron_clock_stamp(void)
{
	return kron_clock() & KRON_WIRE_TIME_MASK;
}

#endif
