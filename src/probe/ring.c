/* SPDX-License-Identifier: Apache-2.0 */
/* Everything about rings that the inline trigger of kron.h does not do: claiming one, going over its
 * end, running out of room. While a record is written limit is 0, so a signal handler that triggers in
 * the middle of it goes to the thread's second ring. */
#include "probe/probe.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

#define SPINS    2000 /* before a trigger that waits goes to sleep */
#define SLEEP_MS 50   /* before it looks whether the recorder still lives */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct kron_wire_ring *probe_ring_at(uint32_t index)
{
	return (void *)((char *)probe.wire + probe.wire->ring_offset +
			(uint64_t)index * probe.wire->ring_stride);
}

/* Pages that are there before the first event do not fault in the middle of one. */
static void populate(char *base, uint64_t bytes)
{
	if (madvise(base, bytes, MADV_POPULATE_WRITE) == 0)
		return;
	for (uint64_t i = 0; i < bytes; i += KRON_WIRE_PAGE)
		*(volatile char *)(base + i) = 0;
}

static char *memory(struct kron_wire_ring *ring)
{
	return (char *)ring + KRON_WIRE_PAGE;
}

static void fill_ring(struct kron_wire_ring *ring, bool nested)
{
	/* Everything but state, which the recorder reads. */
	memset(ring, 0, offsetof(struct kron_wire_ring, state));
	ring->head = ring->tail = probe.wire->ring_bytes;
	ring->limit = ring->head; /* so the first trigger comes here */
	ring->process = probe.process_index;
	ring->pid = probe.process->pid;
	ring->tid = (uint32_t)syscall(SYS_gettid);
	ring->nested = nested;
	ring->source = nested ? kron_detail_ring->next_source : ring->tid;
	ring->next_source = ring->noted_source = ring->source;
	prctl(PR_GET_NAME, ring->thread_name);
	populate(memory(ring), probe.wire->ring_bytes);
	probe_counters_init(ring);
}

struct kron_wire_ring *probe_ring_claim(bool nested)
{
	uint32_t claim = KRON_WIRE_CLAIM(probe.process->pid);

	/* The lowest that is free: memory is used for as many as are needed at a time. */
	for (uint32_t i = 0; i < probe.wire->rings; i++) {
		struct kron_wire_ring *ring = probe_ring_at(i);
		uint32_t used = __atomic_load_n(&probe.wire->rings_used, __ATOMIC_RELAXED);
		uint32_t expected = KRON_WIRE_FREE;

		if (__atomic_load_n(&ring->state, __ATOMIC_RELAXED) != KRON_WIRE_FREE ||
		    !__atomic_compare_exchange_n(&ring->state, &expected, claim, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		fill_ring(ring, nested);
		while (used < i + 1 &&
		       !__atomic_compare_exchange_n(&probe.wire->rings_used, &used, i + 1, false,
						    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
		/* Publishes the slot; pairs with the acquire in src/collect/collect.c. */
		__atomic_store_n(&ring->state, KRON_WIRE_LIVE, __ATOMIC_RELEASE);
		return ring;
	}
	return NULL;
}

static void give_back(struct kron_wire_ring *ring)
{
	probe_counters_release(ring);
	__atomic_store_n(&ring->state, KRON_WIRE_DONE, __ATOMIC_RELEASE);
}

void probe_ring_release(void *unused)
{
	int saved_errno = errno;
	struct kron_wire_ring *ring = kron_detail_ring;
	struct kron_wire_ring *nested = probe_nested;

	(void)unused;
	kron_detail_ring = NULL;
	probe_nested = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (ring)
		give_back(ring);
	if (nested)
		give_back(nested);
	errno = saved_errno;
}

/* *slot is kron_detail_ring or probe_nested. A signal handler may get there first. */
static struct kron_wire_ring *own_ring(struct kron_wire_ring **slot, bool nested)
{
	struct kron_wire_ring *ring;

	if (*slot)
		return *slot;
	ring = probe_ring_claim(nested);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (*slot) {
		if (ring)
			give_back(ring);
		return *slot;
	}
	*slot = ring;
	if (ring)
		probe_watch_exit();
	return ring;
}

struct kron_wire_ring *probe_ring_own(void)
{
	return probe.wire ? own_ring(&kron_detail_ring, false) : NULL;
}

static uint64_t lost(const struct kron_wire_ring *ring)
{
	return ring->lost_full + ring->lost_nested;
}

static uint64_t room(const struct kron_wire_ring *ring)
{
	/* Pairs with the release in src/collect/stream.c: what was read there may be overwritten. */
	uint64_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

	return probe.wire->ring_bytes - (ring->head - tail);
}

/* Wait until there is room for so many bytes. False: nobody will ever make it. */
static bool wait_for_room(struct kron_wire_ring *ring, uint64_t bytes)
{
	uint64_t start = kron_clock();
	bool found;

	__atomic_store_n(&ring->waits, ring->waits + 1, __ATOMIC_RELAXED);
	probe_recorder_wake();
	for (unsigned i = 0; i < SPINS && room(ring) < bytes; i++)
		kron_clock_pause();
	while (!(found = room(ring) >= bytes) && probe_recorder_lives()) {
		__atomic_store_n(&ring->waiting, 1, __ATOMIC_SEQ_CST);
		if (room(ring) < bytes) {
			probe_recorder_wake();
			probe_recorder_wait(&ring->waiting, 1, SLEEP_MS);
		}
		__atomic_store_n(&ring->waiting, 0, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&ring->wait_ticks, ring->wait_ticks + (kron_clock() - start),
			 __ATOMIC_RELAXED);
	return found;
}

/* Write one record at head. There is room, and it does not go over the end. */
static void put(struct kron_wire_ring *ring, uint64_t word, uint64_t data, unsigned bytes)
{
	char *place = memory(ring) + (ring->head & (probe.wire->ring_bytes - 1));
	uint64_t *slot = (uint64_t *)(void *)place;

	slot[0] = word;
	slot[1] = data;
	/* A handler's event carries the counters of its thread, which stand in the first ring. */
	if (bytes == KRON_WIRE_RESOURCE_BYTES)
		memcpy(&slot[2], kron_detail_ring->counter, sizeof(ring->counter));
	__atomic_store_n(&ring->head, ring->head + bytes, __ATOMIC_RELEASE);
}

/* What must be told before the next record. */
static bool loss_pending(const struct kron_wire_ring *ring)
{
	return lost(ring) != ring->noted_lost;
}

static bool source_pending(const struct kron_wire_ring *ring)
{
	return kron_detail_ring->next_source != ring->noted_source;
}

/* How far the inline trigger may go: to the end of the ring, of the room, and a quarter of the ring at
 * most, so that somebody looks now and then whether the recorder should wake. Nowhere, if there is
 * something to be told first. */
static uint64_t find_limit(struct kron_wire_ring *ring)
{
	uint64_t size = probe.wire->ring_bytes;
	uint64_t free = room(ring);
	uint64_t reach = size - (ring->head & (size - 1));

	if (reach > free)
		reach = free;
	if (reach > size / 4)
		reach = size / 4;
	if (free < size / 2)
		probe_recorder_wake();
	return ring->head + (loss_pending(ring) || source_pending(ring) ? 0 : reach);
}

/* Filler up to the end of the ring, if so many bytes would go over it. */
static uint64_t filler(const struct kron_wire_ring *ring, uint64_t bytes)
{
	uint64_t left = probe.wire->ring_bytes - (ring->head & (probe.wire->ring_bytes - 1));

	return left < bytes ? left : 0;
}

static void put_filler(struct kron_wire_ring *ring, uint64_t bytes)
{
	for (; bytes; bytes -= KRON_WIRE_TRACE_BYTES)
		put(ring, (uint64_t)KRON_WIRE_PAD << KRON_WIRE_TYPE_SHIFT, 0,
		    KRON_WIRE_TRACE_BYTES);
}

static void put_note(struct kron_wire_ring *ring, enum kron_wire_note kind, uint64_t value)
{
	put(ring, (uint64_t)KRON_WIRE_NOTE << KRON_WIRE_TYPE_SHIFT | kron_clock_stamp(),
	    (uint64_t)kind << KRON_WIRE_KIND_SHIFT | (value & KRON_WIRE_VALUE_MASK),
	    KRON_WIRE_TRACE_BYTES);
}

static void lose(struct kron_wire_ring *ring)
{
	__atomic_store_n(&ring->lost_full, ring->lost_full + 1, __ATOMIC_RELAXED);
	if (!probe_recorder_lives())
		probe_detach();
}

static bool find_room(struct kron_wire_ring *ring, uint64_t bytes)
{
	if (room(ring) >= bytes)
		return true;
	if (__atomic_load_n(&probe.process->policy, __ATOMIC_RELAXED) != KRON_WIRE_WAIT) {
		probe_recorder_wake();
		return false;
	}
	if (wait_for_room(ring, bytes))
		return true;
	probe_detach();
	return false;
}

/* The first record behind a loss says so in its header, and a note before it tells how many. */
static void store(struct kron_wire_ring *ring, uint64_t flags, uint64_t data, unsigned bytes)
{
	bool after_loss = loss_pending(ring), other_source = source_pending(ring);
	uint64_t need = bytes + (unsigned)(after_loss + other_source) * KRON_WIRE_TRACE_BYTES;
	uint64_t fill = filler(ring, need);

	if (!find_room(ring, fill + need)) {
		lose(ring);
		return;
	}
	put_filler(ring, fill);
	if (after_loss) {
		ring->noted_lost = lost(ring);
		put_note(ring, KRON_WIRE_NOTE_LOST, ring->noted_lost);
		flags |= KRON_WIRE_FIFO_OVERRUN;
	}
	if (other_source) {
		ring->noted_source = kron_detail_ring->next_source;
		put_note(ring, KRON_WIRE_NOTE_SOURCE, ring->noted_source);
	}
	if (bytes == KRON_WIRE_RESOURCE_BYTES)
		probe_counters_update(kron_detail_ring, kron_detail_ring->slow);
	put(ring, flags | kron_clock_stamp(), data, bytes);
}

/* Take the ring for one record; false if a trigger of this thread is already at it. */
static bool enter(struct kron_wire_ring *ring)
{
	if (__atomic_load_n(&ring->limit, __ATOMIC_RELAXED) == 0)
		return false;
	__atomic_store_n(&ring->limit, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return true;
}

static void leave(struct kron_wire_ring *ring)
{
	uint64_t limit = find_limit(ring);

	ring->origin =
		(uintptr_t)memory(ring) + (ring->head & (probe.wire->ring_bytes - 1)) - ring->head;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&ring->limit, limit, __ATOMIC_RELAXED);
}

static void lose_without_ring(unsigned group)
{
	__atomic_fetch_add(&probe.process->lost_no_ring[group], 1, __ATOMIC_RELAXED);
}

/* An event of a signal handler that interrupted a trigger, perhaps one of the nested ring itself. */
static void trigger_nested(unsigned group, uint64_t data, uint64_t flags, unsigned bytes)
{
	struct kron_wire_ring *ring = own_ring(&probe_nested, true);

	if (!ring) {
		lose_without_ring(group);
		return;
	}
	if (!enter(ring)) {
		__atomic_fetch_add(&ring->triggered[group], 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&ring->lost_nested, 1, __ATOMIC_RELAXED);
		return;
	}
	__atomic_fetch_add(&ring->triggered[group], 1, __ATOMIC_RELAXED);
	store(ring, flags, data, bytes);
	leave(ring);
}

static void trigger(unsigned group, uint64_t data, uint64_t flags, unsigned bytes)
{
	int saved_errno = errno;
	struct kron_wire_ring *ring = probe_ring_own();

	if (!ring) {
		if (probe.wire)
			lose_without_ring(group);
	} else if (!enter(ring)) {
		trigger_nested(group, data, flags, bytes);
	} else {
		ring->triggered[group]++;
		store(ring, flags, data, bytes);
		leave(ring);
	}
	errno = saved_errno;
}

EXPORT void kron_detail_trace(unsigned group, uint64_t data, uint64_t flags)
{
	trigger(group, data, flags, KRON_WIRE_TRACE_BYTES);
}

EXPORT void kron_detail_resource(unsigned group, uint64_t data)
{
	trigger(group, data, (uint64_t)KRON_WIRE_RESOURCE << KRON_WIRE_TYPE_SHIFT,
		KRON_WIRE_RESOURCE_BYTES);
}

EXPORT void kron_source(uint32_t id)
{
	int saved_errno = errno;
	struct kron_wire_ring *ring = probe_ring_own();

	if (ring)
		ring->next_source = id;
	if (ring && enter(ring))
		leave(ring); /* so that the next trigger comes here and tells */
	errno = saved_errno;
}
