/* SPDX-License-Identifier: Apache-2.0 */
/* Counters in every state, by what they read and what resource events carry. Configured by `kron record
 * --counters 1=clock,2=stopwatch,3=page-faults,4=shared:software,5=context-switches`. */
#include <kron/kron.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define PAGES 64

static void tell(const char *claim, bool holds)
{
	printf("%s: %s\n", claim, holds ? "yes" : "NO");
}

static void software(void)
{
	kron_add(0, 5);
	kron_count(0);
	kron_count(16); /* modulo 16 */
	tell("software counts", kron_counter_read(0) == 7);
	kron_counter_disable(0);
	kron_add(0, 100);
	tell("disabled does not", kron_counter_read(0) == 7);
	kron_counter_enable(0);
	kron_count(0);
	tell("enabled goes on", kron_counter_read(0) == 8);
	kron_counter_write(0, UINT32_MAX - 1);
	kron_count(0);
	kron_count(0);
	kron_add(0, 1000);
	tell("it stops at the top", kron_counter_read(0) == UINT32_MAX);
	kron_counter_disable(0);
	kron_counter_reset(0);
	kron_count(0);
	tell("reset is zero and enabled", kron_counter_read(0) == 1);
}

static void spend(void)
{
	struct timespec pause = { .tv_nsec = 2000000 };

	nanosleep(&pause, NULL);
}

static void clocks(void)
{
	uint32_t first = kron_counter_read(1), second;

	spend();
	second = kron_counter_read(1);
	tell("a clock runs", second > first);
	kron_counter_disable(1);
	first = kron_counter_read(1);
	spend();
	tell("disabled it stands", kron_counter_read(1) == first);
	kron_counter_write(1, 1000);
	tell("written it has that", kron_counter_read(1) == 1000);
	kron_counter_enable(1);
	spend();
	tell("and goes on from it", kron_counter_read(1) > 1000);
	kron_counter_write(1, UINT32_MAX - 1);
	spend();
	tell("it stops at the top, too", kron_counter_read(1) == UINT32_MAX);
	kron_count(1);
	tell("counting does nothing to it", kron_counter_read(1) == UINT32_MAX);
}

static void watches(void)
{
	uint32_t stopped;

	spend();
	tell("a stopwatch waits", kron_counter_read(2) == 0);
	kron_watch_start(2);
	spend();
	kron_watch_stop(2);
	stopped = kron_counter_read(2);
	tell("it ran", stopped > 0);
	spend();
	tell("it stopped", kron_counter_read(2) == stopped);
	kron_watch_start(2);
	spend();
	kron_watch_stop(2);
	tell("it adds up", kron_counter_read(2) > stopped);
	kron_counter_select(6, KRON_COUNTER_STOPWATCH);
	kron_watch_start(6);
	spend();
	kron_watch_stop(6);
	tell("a program can have one of its own", kron_counter_read(6) > 0);
	kron_counter_select(6, KRON_COUNTER_SOFTWARE);
	kron_counter_write(6, 41);
	kron_count(6);
	tell("and make it a software counter again", kron_counter_read(6) == 42);
	kron_counter_select(3, KRON_COUNTER_SOFTWARE);
	kron_counter_select(6, (enum kron_counter_source)77);
	tell("what makes no sense is ignored", kron_counter_read(6) == 42);
}

static void perf(void)
{
	uint32_t before = kron_counter_read(3), switches = kron_counter_read(5);
	volatile char *memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; memory != MAP_FAILED && i < PAGES; i++)
		memory[i * 4096] = 1;
	tell("page faults are counted", kron_counter_read(3) - before >= PAGES);
	spend();
	tell("context switches are counted", kron_counter_read(5) > switches);
	kron_counter_disable(3);
	before = kron_counter_read(3);
	munmap((void *)(uintptr_t)memory, PAGES * 4096);
	memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	for (unsigned i = 0; memory != MAP_FAILED && i < PAGES; i++)
		memory[i * 4096] = 1;
	tell("disabled they are not", kron_counter_read(3) == before);
}

static void *count_shared(void *unused)
{
	for (unsigned i = 0; i < 10000; i++) {
		kron_count(4);
		kron_count(0);
	}
	return unused;
}

static void shared(void)
{
	pthread_t thread[3];
	uint32_t own = kron_counter_read(0);

	for (unsigned i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, count_shared, NULL);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	tell("all threads count one shared counter", kron_counter_read(4) == 30000);
	tell("and their own are their own", kron_counter_read(0) == own);
	kron_counter_disable(4);
	kron_count(4);
	tell("disabled for all", kron_counter_read(4) == 30000);
	kron_counter_write(4, UINT32_MAX - 5);
	kron_counter_enable(4);
	kron_add(4, 1000);
	tell("the shared one stops at the top", kron_counter_read(4) == UINT32_MAX);
}

int main(void)
{
	software();
	clocks();
	watches();
	perf();
	shared();
	kron_counter_write(0, 7);
	kron_counter_write(15, 15);
	kron_resource(2, 99);
	return 0;
}
