/* SPDX-License-Identifier: Apache-2.0 */
/* The sixteen counters: of a thread, in its ring, or shared, in the process slot. They have 32 bits and
 * stop at the top, as on MultiKron II.
 *
 * A counter of clocks runs from counter_since on, with counter_ticks from before; its value is worked
 * out when somebody looks. A perf event counts in the kernel; what it had when the counter was last
 * written or enabled is subtracted. */
#include "probe/probe.h"
#include <errno.h>
#include <string.h>

#define EXPORT     __attribute__((visibility("default")))
#define UNIT_SHIFT 10 /* a counter of clocks counts units of 1024 ticks */

static uint32_t saturate(uint64_t value)
{
	return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static bool shared(unsigned i)
{
	return probe.wire && probe.wire->counter[i].shared;
}

/* What the clock or the kernel has counted so far. False if the program has closed our descriptor: then
 * the counter stays as it is. */
static bool read_raw(const struct kron_wire_ring *ring, unsigned i, uint64_t *value)
{
	if (ring->counter_source[i] == KRON_WIRE_PERF)
		return probe_perf_read(ring->counter_fd[i], ring->counter_id[i], value);
	*value = kron_clock();
	return true;
}

/* Does the counter's value change by itself? */
static bool runs(const struct kron_wire_ring *ring, unsigned i)
{
	return ring->counter_source[i] != KRON_WIRE_SOFTWARE;
}

static void update(struct kron_wire_ring *ring, unsigned i)
{
	uint64_t total = ring->counter_ticks[i], now;

	if (ring->counter_since[i]) {
		if (!read_raw(ring, i, &now))
			return;
		total += now - (ring->counter_since[i] - 1);
	}
	ring->counter[i] =
		saturate(ring->counter_source[i] == KRON_WIRE_PERF ? total : total >> UNIT_SHIFT);
}

void probe_counters_update(struct kron_wire_ring *ring, uint32_t which)
{
	for (unsigned i = 0; which; i++, which >>= 1) {
		if (!(which & 1))
			continue;
		if (shared(i))
			ring->counter[i] = __atomic_load_n(&probe.process->shared_counter[i],
							   __ATOMIC_RELAXED);
		else
			update(ring, i);
	}
}

/* counter_since is the raw value plus one, so that 0 can mean "not running". */
static void start(struct kron_wire_ring *ring, unsigned i)
{
	uint64_t now;

	if (!ring->counter_since[i] && read_raw(ring, i, &now))
		ring->counter_since[i] = now + 1;
}

static void stop(struct kron_wire_ring *ring, unsigned i)
{
	uint64_t now;

	if (!ring->counter_since[i])
		return;
	if (read_raw(ring, i, &now))
		ring->counter_ticks[i] += now - (ring->counter_since[i] - 1);
	ring->counter_since[i] = 0;
}

static void set(struct kron_wire_ring *ring, unsigned i, uint32_t value)
{
	ring->counter[i] = value;
	ring->counter_ticks[i] = value;
	if (ring->counter_source[i] != KRON_WIRE_PERF)
		ring->counter_ticks[i] <<= UNIT_SHIFT;
	if (!ring->counter_since[i])
		return;
	ring->counter_since[i] = 0;
	start(ring, i);
}

static void choose(struct kron_wire_ring *ring, unsigned i, uint32_t source)
{
	ring->counter_source[i] = (uint8_t)source;
	ring->counter_since[i] = 0;
	set(ring, i, ring->counter[i]);
	if (runs(ring, i) || shared(i))
		ring->slow |= 1u << i;
	else
		ring->slow &= ~(1u << i);
	if ((ring->enabled >> i & 1) && (source == KRON_WIRE_CLOCK || source == KRON_WIRE_PERF))
		start(ring, i);
}

void probe_counters_init(struct kron_wire_ring *ring)
{
	ring->enabled = 0xffff;
	for (unsigned i = 0; i < KRON_WIRE_COUNTERS; i++) {
		const struct kron_wire_counter *config = &probe.wire->counter[i];

		ring->counter_fd[i] = -1;
		if (config->source == KRON_WIRE_PERF && !ring->nested)
			ring->counter_fd[i] = probe_perf_open(
				config->perf_type, config->perf_config, &ring->counter_id[i]);
		choose(ring, i, ring->nested ? KRON_WIRE_SOFTWARE : config->source);
	}
}

void probe_counters_release(struct kron_wire_ring *ring)
{
	for (unsigned i = 0; i < KRON_WIRE_COUNTERS; i++) {
		probe_perf_close(ring->counter_fd[i], ring->counter_id[i]);
		ring->counter_fd[i] = -1;
	}
}

/* The descriptors that the child has got with the fork count threads of the parent. The parent's rings
 * stay as they are. */
void probe_counters_after_fork(void)
{
	uint32_t used = __atomic_load_n(&probe.wire->rings_used, __ATOMIC_ACQUIRE);

	for (uint32_t r = 0; r < used && r < probe.wire->rings; r++) {
		const struct kron_wire_ring *ring = probe_ring_at(r);

		if (KRON_WIRE_STATE(__atomic_load_n(&ring->state, __ATOMIC_ACQUIRE)) !=
			    KRON_WIRE_LIVE ||
		    ring->process != probe.process_index)
			continue;
		for (unsigned i = 0; i < KRON_WIRE_COUNTERS; i++)
			probe_perf_close(ring->counter_fd[i], ring->counter_id[i]);
	}
}

/* A handler may come in between and count, too. */
static void add_own(struct kron_wire_ring *ring, unsigned i, uint32_t n)
{
	uint32_t old;

	do
		old = __atomic_load_n(&ring->counter[i], __ATOMIC_RELAXED);
	while (!kron_clock_swap(&ring->counter[i], old, saturate((uint64_t)old + n)));
}

static void add_shared(unsigned i, uint32_t n)
{
	uint32_t *counter = &probe.process->shared_counter[i];
	uint32_t old = __atomic_load_n(counter, __ATOMIC_RELAXED);

	if (!(__atomic_load_n(&probe.process->shared_enabled, __ATOMIC_RELAXED) >> i & 1))
		return;
	while (!__atomic_compare_exchange_n(counter, &old, saturate((uint64_t)old + n), true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

EXPORT void kron_detail_add(unsigned i, uint32_t n)
{
	struct kron_wire_ring *ring = kron_detail_ring;
	int saved_errno;

	if (__builtin_expect(ring && !(ring->slow >> i & 1), 1)) {
		if (ring->enabled >> i & 1)
			add_own(ring, i, n);
		return;
	}
	if (shared(i)) {
		add_shared(i, n);
		return;
	}
	saved_errno = errno;
	ring = probe_ring_own();
	if (ring && (ring->enabled >> i & 1) && !runs(ring, i))
		add_own(ring, i, n);
	errno = saved_errno;
}

/* The functions below are for set-up and reading; they take their time. */

static void enable(unsigned i, bool on)
{
	struct kron_wire_ring *ring = probe_ring_own();

	i %= KRON_COUNTERS;
	if (!ring)
		return;
	if (shared(i)) {
		if (on)
			__atomic_fetch_or(&probe.process->shared_enabled, 1u << i,
					  __ATOMIC_RELAXED);
		else
			__atomic_fetch_and(&probe.process->shared_enabled, ~(1u << i),
					   __ATOMIC_RELAXED);
		return;
	}
	if (on)
		ring->enabled |= 1u << i;
	else
		ring->enabled &= ~(1u << i);
	if (!on)
		stop(ring, i);
	else if (ring->counter_source[i] == KRON_WIRE_CLOCK ||
		 ring->counter_source[i] == KRON_WIRE_PERF)
		start(ring, i);
}

EXPORT void kron_counter_enable(unsigned i)
{
	int saved_errno = errno;

	enable(i, true);
	errno = saved_errno;
}

EXPORT void kron_counter_disable(unsigned i)
{
	int saved_errno = errno;

	enable(i, false);
	errno = saved_errno;
}

EXPORT void kron_counter_write(unsigned i, uint32_t value)
{
	int saved_errno = errno;
	struct kron_wire_ring *ring = probe_ring_own();

	i %= KRON_COUNTERS;
	if (ring && shared(i))
		__atomic_store_n(&probe.process->shared_counter[i], value, __ATOMIC_RELAXED);
	else if (ring)
		set(ring, i, value);
	errno = saved_errno;
}

EXPORT void kron_counter_reset(unsigned i)
{
	kron_counter_write(i, 0);
	kron_counter_enable(i);
}

EXPORT uint32_t kron_counter_read(unsigned i)
{
	int saved_errno = errno;
	struct kron_wire_ring *ring = probe_ring_own();
	uint32_t value = 0;

	i %= KRON_COUNTERS;
	if (ring) {
		probe_counters_update(ring, ring->slow & 1u << i);
		value = ring->counter[i];
	}
	errno = saved_errno;
	return value;
}

EXPORT void kron_counter_select(unsigned i, enum kron_counter_source source)
{
	static const uint8_t wire_source[] = { [KRON_COUNTER_SOFTWARE] = KRON_WIRE_SOFTWARE,
					       [KRON_COUNTER_CLOCK] = KRON_WIRE_CLOCK,
					       [KRON_COUNTER_STOPWATCH] = KRON_WIRE_STOPWATCH };
	int saved_errno = errno;
	struct kron_wire_ring *ring = probe_ring_own();

	i %= KRON_COUNTERS;
	if (ring && (unsigned)source < sizeof(wire_source) && !shared(i) &&
	    ring->counter_source[i] != KRON_WIRE_PERF)
		choose(ring, i, wire_source[source]);
	errno = saved_errno;
}

EXPORT void kron_watch_start(unsigned i)
{
	int saved_errno = errno;
	struct kron_wire_ring *ring = probe_ring_own();

	i %= KRON_COUNTERS;
	if (ring && ring->counter_source[i] == KRON_WIRE_STOPWATCH && (ring->enabled >> i & 1))
		start(ring, i);
	errno = saved_errno;
}

EXPORT void kron_watch_stop(unsigned i)
{
	int saved_errno = errno;
	struct kron_wire_ring *ring = probe_ring_own();

	i %= KRON_COUNTERS;
	if (ring && ring->counter_source[i] == KRON_WIRE_STOPWATCH)
		stop(ring, i);
	errno = saved_errno;
}
