/* SPDX-License-Identifier: Apache-2.0 */
/* The time stamp clock, and all else that depends on the processor. Only x86-64 has been tested. */
#ifndef KRON_CLOCK_H
#define KRON_CLOCK_H

#include <stdbool.h>
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

/* Fetch the cache line at an address, to be written soon: the recorder has had it. Any address will do.
 * The compiler's own prefetch only reads, unless it is told that the processor has this instruction. */
static inline void kron_clock_fetch(uint64_t address)
{
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)(uintptr_t)address));
}

/* Compare and swap against signal handlers of the same thread only: one instruction, without a lock.
 * Returns whether *word was as expected. */
static inline bool kron_clock_swap(uint32_t *word, uint32_t expected, uint32_t desired)
{
	bool done;

	__asm__ volatile("cmpxchgl %3, %1"
			 : "=@ccz"(done), "+m"(*word), "+a"(expected)
			 : "r"(desired)
			 : "memory");
	return done;
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

static inline void kron_clock_fetch(uint64_t address)
{
	__builtin_prefetch((const void *)(uintptr_t)address, 1);
}

static inline bool kron_clock_swap(uint32_t *word, uint32_t expected, uint32_t desired)
{
	return __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
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
