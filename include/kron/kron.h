/* SPDX-License-Identifier: Apache-2.0 */
/* Measure a program: one call per event. Link with -lkron and run it under `kron record`.
 *
 *   kron_trace(3, order_id);            // an event of group 3 with 64 bits of data
 *   KRON_SCOPE("parse");                // a region, to the end of the block: how often, how long
 *   kron_count(0);                      // counter 0, plus one
 *   kron_resource(3, order_id);         // an event that carries all sixteen counters
 *
 * Without `kron record` nothing happens: the filter register is zero, and a trigger is one test of it.
 * With it a trigger reads the time stamp counter and stores 16 bytes into a ring of its own thread:
 * no lock, no system call. If the ring is full the event is discarded and counted, or the trigger
 * waits (kron_policy_set, kron record --on-full).
 *
 * Everything here may be called from any thread and from signal handlers, never prints, never exits,
 * and leaves errno alone. Groups are 0..15, counters 0..15; other numbers count as modulo 16.
 * With KRON_DISABLE defined all of it does nothing; arguments are still evaluated. */
#ifndef KRON_H
#define KRON_H

#include <stdbool.h>
#include <stdint.h>

#define KRON_GROUPS       16
#define KRON_COUNTERS     16
#define KRON_GROUP_REGION 15 /* of region events */
#define KRON_GROUP_THREAD 14 /* of the lock, wait and thread events of `kron record --pthread` */

#ifdef __cplusplus
extern "C" {
#endif

/* What to do when a ring is full. */
enum kron_policy { KRON_POLICY_DISCARD, KRON_POLICY_WAIT };

/* What a counter counts. KRON_COUNTER_PERF cannot be set by the program: see `kron record --counters`. */
enum kron_counter_source {
	KRON_COUNTER_SOFTWARE, /* kron_count() and kron_add() */
	KRON_COUNTER_CLOCK, /* the time stamp clock while it is enabled, in units of 1024 ticks */
	KRON_COUNTER_STOPWATCH, /* the same between kron_watch_start() and kron_watch_stop() */
	KRON_COUNTER_PERF,      /* a perf event of this thread */
};

#ifndef KRON_DISABLE

#include <kron/wire.h>

/* The filter register of this process, read or set: bit g lets group g through. */
uint32_t kron_filter_get(void);
void kron_filter_set(uint32_t groups);

/* What the triggers of this process do from here on when their ring is full. */
void kron_policy_set(enum kron_policy policy);

/* The source id of this thread's events from here on; its thread id if never called. */
void kron_source(uint32_t id);

/* Counters, of the calling thread; one that was configured as shared belongs to the process. They have
 * 32 bits and stop at the top. All are enabled, zero, and count software events at first. */
void kron_counter_enable(unsigned i);
void kron_counter_disable(unsigned i);
void kron_counter_reset(unsigned i); /* zero and enabled, as one step */
uint32_t kron_counter_read(unsigned i);
void kron_counter_write(unsigned i, uint32_t value);
void kron_counter_select(unsigned i,
			 enum kron_counter_source source); /* KRON_COUNTER_PERF: ignored */
/* Of a stop-watch counter: what passes between the two is added. A second start changes nothing. */
void kron_watch_start(unsigned i);
void kron_watch_stop(unsigned i);

/* The id of a name; those that find no room share one, which has no name in the trace. 0 while nothing is
 * recorded. Takes its time; the region macros call it once. */
uint32_t kron_name(const char *name);

/* Not for use: what the inline functions below need. */
extern const volatile uint32_t *kron_detail_filter;
extern __thread struct kron_wire_ring *kron_detail_ring __attribute__((tls_model("initial-exec")));
void kron_detail_trace(unsigned group, uint64_t data, uint64_t flags);
void kron_detail_resource(unsigned group, uint64_t data);
void kron_detail_add(unsigned i, uint32_t n);

#include <kron/clock.h>

/* How far ahead of a record its place is fetched: as many records as a fetch from another processor's
 * cache takes, some twenty lines. */
#define KRON_DETAIL_AHEAD 2048

static inline bool kron_detail_open(unsigned group)
{
	return __builtin_expect(__atomic_load_n(kron_detail_filter, __ATOMIC_RELAXED) >> group & 1,
				0);
}

/* Take the ring for one record of so many bytes. Returns true with *head and *limit, or false for the slow
 * way: there is no ring yet, no room, or another trigger of this thread is at it.
 *
 * While limit is 0 a signal handler that triggers goes the slow way, to another ring. One that comes
 * before that, between the load and the store, has done all its work when we read head; the limit
 * we hold is then old, but there is room up to an old limit, too. */
static inline bool kron_detail_enter(struct kron_wire_ring *ring, unsigned bytes, uint64_t *head,
				     uint64_t *limit)
{
	if (__builtin_expect(!ring, 0))
		return false;
	*limit = __atomic_load_n(&ring->limit, __ATOMIC_RELAXED);
	__atomic_store_n(&ring->limit, 0, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	if (__builtin_expect(*head + bytes <= *limit, 1))
		return true;
	__atomic_store_n(&ring->limit, *limit, __ATOMIC_RELAXED);
	return false;
}

/* The record is complete: let the recorder see it, then let the next trigger begin. */
static inline void kron_detail_leave(struct kron_wire_ring *ring, uint64_t head, uint64_t limit)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	/* Pairs with the acquire load in src/collect/stream.c. */
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	__atomic_store_n(&ring->limit, limit, __ATOMIC_RELAXED);
}

static inline void kron_detail_trigger(unsigned group, uint64_t data, uint64_t flags)
{
	struct kron_wire_ring *ring = kron_detail_ring;
	uint64_t head, limit;

	if (__builtin_expect(!kron_detail_enter(ring, KRON_WIRE_TRACE_BYTES, &head, &limit), 0)) {
		kron_detail_trace(group, data, flags);
		return;
	}
	ring->triggered[group]++;
	uint64_t *slot = (uint64_t *)(uintptr_t)(ring->origin + head);
	kron_clock_fetch(ring->origin + head + KRON_DETAIL_AHEAD);
	slot[0] = flags | kron_clock_stamp();
	slot[1] = data;
	kron_detail_leave(ring, head + KRON_WIRE_TRACE_BYTES, limit);
}

/* One event of a group, with 64 bits of data. */
static inline void kron_trace(unsigned group, uint64_t data)
{
	group &= KRON_GROUPS - 1;
	if (kron_detail_open(group))
		kron_detail_trigger(group, data, (uint64_t)KRON_WIRE_TRACE << KRON_WIRE_TYPE_SHIFT);
}

/* One event that carries all sixteen counters of this instant. Counters that are not plain software
 * counters make it go the slow way, and so does too little room before the end of the ring. */
static inline void kron_resource(unsigned group, uint64_t data)
{
	struct kron_wire_ring *ring = kron_detail_ring;
	uint64_t head, limit;

	group &= KRON_GROUPS - 1;
	if (!kron_detail_open(group))
		return;
	if (__builtin_expect(!ring || ring->slow, 0) ||
	    __builtin_expect(!kron_detail_enter(ring, KRON_WIRE_RESOURCE_BYTES, &head, &limit),
			     0)) {
		kron_detail_resource(group, data);
		return;
	}
	ring->triggered[group]++;
	uint64_t *slot = (uint64_t *)(uintptr_t)(ring->origin + head);
	kron_clock_fetch(ring->origin + head + KRON_DETAIL_AHEAD);
	kron_clock_fetch(ring->origin + head + KRON_DETAIL_AHEAD + 64);
	slot[0] = (uint64_t)KRON_WIRE_RESOURCE << KRON_WIRE_TYPE_SHIFT | kron_clock_stamp();
	slot[1] = data;
	__builtin_memcpy(&slot[2], ring->counter, sizeof(ring->counter));
	kron_detail_leave(ring, head + KRON_WIRE_RESOURCE_BYTES, limit);
}

/* Counter i, plus n. Costs nothing worth mentioning while nothing is recorded. */
static inline void kron_add(unsigned i, uint32_t n)
{
	if (__builtin_expect(__atomic_load_n(kron_detail_filter, __ATOMIC_RELAXED) != 0, 0))
		kron_detail_add(i & (KRON_COUNTERS - 1), n);
}

static inline void kron_count(unsigned i)
{
	kron_add(i, 1);
}

static inline void kron_detail_region(uint64_t kind, uint32_t *id, const char *name)
{
	if (!kron_detail_open(KRON_GROUP_REGION))
		return;
	uint32_t known = __atomic_load_n(id, __ATOMIC_RELAXED);
	if (__builtin_expect(!known, 0)) {
		known = kron_name(name); /* twice at once is harmless: the same name, the same id */
		__atomic_store_n(id, known, __ATOMIC_RELAXED);
	}
	kron_detail_trigger(KRON_GROUP_REGION, kind << KRON_WIRE_KIND_SHIFT | known,
			    (uint64_t)KRON_WIRE_TRACE << KRON_WIRE_TYPE_SHIFT | KRON_WIRE_MARK);
}

/* A region of the thread's time. Regions may nest; name is looked up once per place in the source, so
 * it must be the same every time. */
#define kron_region_begin(name) KRON_DETAIL_REGION(KRON_WIRE_REGION_BEGIN, name)
#define kron_region_end(name)   KRON_DETAIL_REGION(KRON_WIRE_REGION_END, name)
#define KRON_DETAIL_REGION(kind, name)                                                             \
	do {                                                                                       \
		static uint32_t kron_detail_id;                                                    \
		kron_detail_region(kind, &kron_detail_id, name);                                   \
	} while (0)

/* A region that ends with the scope, however it is left: KRON_SCOPE("parse"); at the start of a
 * block. Two of them in one block need two lines. */
struct kron_detail_scope {
	uint32_t *id;
	const char *name;
#ifdef __cplusplus
	~kron_detail_scope()
	{
		kron_detail_region(KRON_WIRE_REGION_END, id, name);
	}
#endif
};

#ifdef __cplusplus
#define KRON_DETAIL_CLEANUP __attribute__((unused))
#else
static inline void kron_detail_scope_end(struct kron_detail_scope *scope)
{
	kron_detail_region(KRON_WIRE_REGION_END, scope->id, scope->name);
}
#define KRON_DETAIL_CLEANUP __attribute__((cleanup(kron_detail_scope_end), unused))
#endif

#define KRON_DETAIL_PASTE2(a, b) a##b
#define KRON_DETAIL_PASTE(a, b)  KRON_DETAIL_PASTE2(a, b)
#define KRON_SCOPE(text)                                                                           \
	static uint32_t KRON_DETAIL_PASTE(kron_detail_id_, __LINE__);                              \
	kron_detail_region(KRON_WIRE_REGION_BEGIN, &KRON_DETAIL_PASTE(kron_detail_id_, __LINE__),  \
			   text);                                                                  \
	KRON_DETAIL_CLEANUP struct kron_detail_scope KRON_DETAIL_PASTE(                            \
		kron_detail_scope_, __LINE__) = { &KRON_DETAIL_PASTE(kron_detail_id_, __LINE__),   \
						  text }

#else /* KRON_DISABLE */

/* clang-format off */
static inline uint32_t kron_filter_get(void) { return 0; }
static inline void kron_filter_set(uint32_t groups) { (void)groups; }
static inline void kron_policy_set(enum kron_policy policy) { (void)policy; }
static inline void kron_source(uint32_t id) { (void)id; }
static inline void kron_counter_enable(unsigned i) { (void)i; }
static inline void kron_counter_disable(unsigned i) { (void)i; }
static inline void kron_counter_reset(unsigned i) { (void)i; }
static inline uint32_t kron_counter_read(unsigned i) { (void)i; return 0; }
static inline void kron_counter_write(unsigned i, uint32_t value) { (void)i; (void)value; }
static inline void kron_counter_select(unsigned i, enum kron_counter_source source) { (void)i; (void)source; }
static inline void kron_watch_start(unsigned i) { (void)i; }
static inline void kron_watch_stop(unsigned i) { (void)i; }
static inline uint32_t kron_name(const char *name) { (void)name; return 0; }
static inline void kron_trace(unsigned group, uint64_t data) { (void)group; (void)data; }
static inline void kron_resource(unsigned group, uint64_t data) { (void)group; (void)data; }
static inline void kron_add(unsigned i, uint32_t n) { (void)i; (void)n; }
static inline void kron_count(unsigned i) { (void)i; }
#define kron_region_begin(name) ((void)(name))
#define kron_region_end(name)   ((void)(name))
#define KRON_SCOPE(text)        ((void)(text))
/* clang-format on */

#endif /* KRON_DISABLE */

#ifdef __cplusplus
}
#endif
#endif
