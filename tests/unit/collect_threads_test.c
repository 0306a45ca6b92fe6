/* SPDX-License-Identifier: Apache-2.0 */
/* Recorder and threads that trigger at the same time, in one process: for ThreadSanitizer (make
 * check-tsan), and for the accounts. */
#include "support/files.h"
#include "support/loopback.h"
#include "unit/test.h"
#include <pthread.h>
#include <stdlib.h>

#define THREADS 4

static uint64_t events;
static uint32_t ended; /* threads */

static void *work(void *unused)
{
	for (uint64_t i = 0; i < events; i++) {
		if (i % 16 == 0)
			kron_resource(1, i);
		else
			kron_trace(2, i);
		if (i % 100 == 0) {
			KRON_SCOPE("hundred");
			kron_source((uint32_t)i);
			kron_count(3);
		}
	}
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
	return unused;
}

static void run(enum kron_wire_policy policy, bool to_the_end)
{
	struct loopback loop = { .io = &base_io_system,
				 .alloc = &base_alloc_system,
				 .rings = 8,
				 .ring_bytes = 4096,
				 .policy = policy,
				 .same_addresses = to_the_end };
	struct collect_totals totals;
	pthread_t thread[THREADS];
	uint64_t lost;

	__atomic_store_n(&ended, 0, __ATOMIC_RELAXED);
	CHECK_EQUAL(loopback_open(&loop), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) < (to_the_end ? THREADS : 1))
		if (collect_step(loop.collect, false) == 0)
			collect_sleep(loop.collect, 1);
	for (unsigned i = 0; to_the_end && i < THREADS; i++)
		pthread_join(thread[i], NULL);
	CHECK_EQUAL(loopback_close(&loop, &totals), 0);
	for (unsigned i = 0; !to_the_end && i < THREADS; i++)
		pthread_join(thread[i], NULL);
	lost = totals.lost_full + totals.lost_nested + totals.lost_no_ring + totals.lost_cut;
	CHECK_EQUAL(totals.triggered, totals.events + lost);
	CHECK_EQUAL(totals.lost_nested, 0);
	CHECK(totals.threads <= THREADS); /* no second rings */
	if (to_the_end) {
		CHECK_EQUAL(totals.triggered, THREADS * (events + 2 * ((events + 99) / 100)));
		CHECK_EQUAL(totals.lost_cut + totals.lost_no_ring + totals.damaged, 0);
		CHECK(policy == KRON_WIRE_DISCARD || lost == 0);
	}
	files_wipe(LOOPBACK_TRACE);
}

static void threads_and_recorder_agree(void **state)
{
	const char *text = getenv("KRON_OPS");

	(void)state;
	events = text ? strtoull(text, NULL, 10) / 20 : 30000;
	run(KRON_WIRE_DISCARD, true);
	run(KRON_WIRE_WAIT, true);
}

/* The recording ends while they are at it. */
static void the_recorder_may_end_first(void **state)
{
	(void)state;
	for (events = 100; events < 100000; events *= 10) {
		run(KRON_WIRE_WAIT, false);
		run(KRON_WIRE_DISCARD, false);
	}
}

TEST_MAIN(TEST_IN_DIR(threads_and_recorder_agree), TEST_IN_DIR(the_recorder_may_end_first))
