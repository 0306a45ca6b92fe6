/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that a measured program (libkron) and its recorder (kron record) share.
 *
 * One sealed memfd, made by the recorder and named to the program by the environment variable
 * KRON_WIRE_ENV as "/proc/PID/fd/N":
 *
 *   struct kron_wire                    one page: geometry, start values, who sleeps
 *   struct kron_wire_process  x 64      what belongs to a process: filter register, policy, names
 *   ring slots                x rings   struct kron_wire_ring, one page, and ring_bytes of samples behind it
 *
 * A record in a ring is a multiple of 16 bytes and starts with a word, from bit 0: time stamp 56, type 2,
 * shadow overrun 1, FIFO overrun 1, mark 1, cpu 3. Types 2 (trace, 16 bytes) and 3 (resource, 80
 * bytes) are events and go to the trace as they are; 0 and 1 are for the recorder.
 *
 * Invariants, kept by the program, never trusted by the recorder:
 *   1. head and tail count bytes for ever, from ring_bytes on; tail <= head <= tail + ring_bytes.
 *   2. No record goes over the end of the ring: the rest is filled with KRON_WIRE_PAD.
 *   3. triggered[] is counted before its record is published, so at every instant
 *      triggered = published + lost + (1 if the thread is inside a trigger).
 *   4. Time stamps of a ring do not go back.
 *
 * Fields that both sides use are read and written with the compiler's __atomic functions. */
#ifndef KRON_WIRE_H
#define KRON_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#define KRON_WIRE_ENV     "KRON_RING"
#define KRON_WIRE_MAGIC   UINT32_C(0x6b726f6e)
#define KRON_WIRE_VERSION 1

#define KRON_WIRE_PAGE      4096
#define KRON_WIRE_PROCESSES 64
#define KRON_WIRE_RINGS_MAX 1024
#define KRON_WIRE_GROUPS    16
#define KRON_WIRE_COUNTERS  16
#define KRON_WIRE_NAMES     61440      /* bytes of names per process */
#define KRON_WIRE_NAMELESS  UINT32_MAX /* id of all names that found no room */

/* A field that starts a cache line, so that program and recorder do not share one by accident. */
#define KRON_WIRE_LINE __attribute__((aligned(64)))

/* Smallest and largest ring; powers of two. */
#define KRON_WIRE_RING_MIN (UINT64_C(1) << 12)
#define KRON_WIRE_RING_MAX (UINT64_C(1) << 30)

/* The word of a record. */
#define KRON_WIRE_TIME_BITS      56
#define KRON_WIRE_TIME_MASK      ((UINT64_C(1) << KRON_WIRE_TIME_BITS) - 1)
#define KRON_WIRE_TYPE_SHIFT     56
#define KRON_WIRE_SHADOW_OVERRUN (UINT64_C(1) << 58)
#define KRON_WIRE_FIFO_OVERRUN   (UINT64_C(1) << 59) /* events were lost just before this one */
#define KRON_WIRE_MARK           (UINT64_C(1) << 60) /* data is Kron's own: struct of a mark */
#define KRON_WIRE_CPU_SHIFT      61

enum kron_wire_type {
	KRON_WIRE_PAD = 0,      /* skip 16 bytes */
	KRON_WIRE_NOTE = 1,     /* 16 bytes for the recorder: data is a note */
	KRON_WIRE_TRACE = 2,    /* word, data */
	KRON_WIRE_RESOURCE = 3, /* word, data, sixteen 32-bit counters */
};
#define KRON_WIRE_TRACE_BYTES    16
#define KRON_WIRE_RESOURCE_BYTES 80

/* Data of a note: kind in bits 63..56, value below. */
enum kron_wire_note {
	KRON_WIRE_NOTE_LOST = 1,   /* events lost in this ring so far, all causes */
	KRON_WIRE_NOTE_SOURCE = 2, /* source id of the events from here on */
};

/* Data of a marked event: kind in bits 63..56, value in bits 55..0. A begin and an end with the same
 * value belong together, innermost first. */
enum kron_wire_mark {
	KRON_WIRE_REGION_BEGIN = 1, /* value: name */
	KRON_WIRE_REGION_END = 2,
	KRON_WIRE_LOCK_WAIT = 3, /* value: address of the mutex, rwlock, spinlock or semaphore */
	KRON_WIRE_LOCK_GOT = 4,
	KRON_WIRE_LOCK_FREE = 5, /* unlocked; no begin */
	KRON_WIRE_BARRIER_WAIT = 6,
	KRON_WIRE_BARRIER_GO = 7,
	KRON_WIRE_COND_WAIT = 8, /* value: address of the condition variable */
	KRON_WIRE_COND_GO = 9,
	KRON_WIRE_JOIN_WAIT = 10, /* value: thread id of the other, 0 if unknown */
	KRON_WIRE_JOIN_GO = 11,
	KRON_WIRE_THREAD_CREATE = 12, /* value: address of the start routine */
	KRON_WIRE_THREAD_START = 13,  /* value: address of the start routine */
	KRON_WIRE_THREAD_EXIT = 14,
};
#define KRON_WIRE_KIND_SHIFT 56
#define KRON_WIRE_VALUE_MASK ((UINT64_C(1) << KRON_WIRE_KIND_SHIFT) - 1)

enum kron_wire_policy { KRON_WIRE_DISCARD, KRON_WIRE_WAIT };

/* Where a counter counts from. */
enum kron_wire_source {
	KRON_WIRE_SOFTWARE = 0,  /* kron_count(), kron_add() */
	KRON_WIRE_CLOCK = 1,     /* time stamp clock while enabled, in units of 1024 ticks */
	KRON_WIRE_STOPWATCH = 2, /* as CLOCK, between kron_watch_start() and kron_watch_stop() */
	KRON_WIRE_PERF = 3,      /* a perf event of the thread */
};

struct kron_wire_counter {
	uint32_t source; /* enum kron_wire_source */
	uint32_t shared; /* one for the process instead of one per thread */
	uint32_t perf_type;
	uint32_t pad;
	uint64_t perf_config;
	char name[40];
};

/* First page. Written by the recorder before the program starts, except where said. */
struct kron_wire {
	uint32_t magic;
	uint32_t version;
	uint64_t total_bytes;
	uint64_t process_offset; /* of the first process slot */
	uint64_t ring_offset;    /* of the first ring slot */
	uint64_t ring_bytes;     /* a power of two */
	uint64_t ring_stride;    /* from slot to slot */
	uint32_t rings;
	uint32_t recorder_pid; /* the kernel adds FUTEX_OWNER_DIED when that thread ends */
	uint32_t filter;       /* of a new process */
	uint32_t policy;       /* of a new process */
	uint32_t closed;       /* the recorder has stopped: trigger no more */
	uint32_t asleep;       /* futex: 1 while the recorder sleeps; programs wake it */
	uint32_t refused;      /* processes that found no slot and are not measured */
	uint32_t pad1;
	uint32_t rings_used; /* highest ring slot ever claimed, plus 1 */
	uint32_t pad;
	struct kron_wire_counter counter[KRON_WIRE_COUNTERS];
};

/* A slot is claimed FREE -> CLAIMED by a compare-and-swap of the program, LIVE when filled in, DONE by
 * the program or by the recorder when it finds the process gone; only the recorder frees it. Above a
 * CLAIMED stands who claims, because until the slot is LIVE nothing else in it tells. */
enum kron_wire_state {
	KRON_WIRE_FREE,
	KRON_WIRE_CLAIMED,
	KRON_WIRE_LIVE,
	KRON_WIRE_DONE,
};
#define KRON_WIRE_CLAIM(pid)    ((uint32_t)(pid) << 2 | KRON_WIRE_CLAIMED)
#define KRON_WIRE_STATE(word)   ((word)&3)
#define KRON_WIRE_CLAIMER(word) ((word) >> 2)

struct kron_wire_process {
	uint32_t state;
	uint32_t pid;
	uint64_t image;  /* differs between programs that a process executes one after the other */
	uint32_t filter; /* the filter register: bit g lets group g through */
	uint32_t policy; /* enum kron_wire_policy */
	uint64_t lost_no_ring[KRON_WIRE_GROUPS]; /* triggered and lost: all rings were taken */
	uint32_t shared_counter[KRON_WIRE_COUNTERS];
	uint32_t shared_enabled; /* bit i: shared counter i counts */
	uint32_t unloaded;   /* its libkron has gone with a plug-in; the next may have the slot */
	char command[64];    /* what is running, zero-terminated */
	uint32_t names_used; /* bytes of names[] */
	char names[KRON_WIRE_NAMES]; /* zero-terminated strings; a name's id is its offset + 1 */
};

/* One page per ring. The first line is written by the program at every event. */
struct kron_wire_ring {
	uint64_t head KRON_WIRE_LINE; /* bytes published */
	uint64_t limit;  /* head up to which there is room without looking; 0 inside a trigger */
	uint64_t origin; /* plus head: the program's address of the next record */
	uint64_t pad0[5];
	uint64_t triggered[KRON_WIRE_GROUPS] KRON_WIRE_LINE; /* let through by the filter */
	uint32_t counter[KRON_WIRE_COUNTERS]; /* the thread's own, as sampled by a resource event */
	uint32_t enabled;                     /* bit i: counter i counts */
	uint32_t slow; /* bit i: counter i must be brought up to date before a resource event */
	uint64_t lost_full;    /* no room */
	uint64_t lost_nested;  /* a signal handler inside a signal handler inside a trigger */
	uint64_t waits;        /* triggers that waited for room */
	uint64_t wait_ticks;   /* for how long in all */
	uint64_t noted_lost;   /* as told by the last KRON_WIRE_NOTE_LOST */
	uint32_t next_source;  /* of the thread's next event */
	uint32_t noted_source; /* as told by the last KRON_WIRE_NOTE_SOURCE */
	/* The program's own: counters that count clocks, or something outside. */
	uint8_t counter_source[KRON_WIRE_COUNTERS]; /* enum kron_wire_source */
	uint64_t counter_since[KRON_WIRE_COUNTERS]; /* running since; 0: not */
	uint64_t counter_ticks[KRON_WIRE_COUNTERS]; /* before that */
	int32_t counter_fd[KRON_WIRE_COUNTERS];     /* of a perf event; -1: none */
	uint64_t counter_id[KRON_WIRE_COUNTERS];    /* what the kernel calls it */

	uint64_t tail KRON_WIRE_LINE; /* bytes consumed; written by the recorder only */
	uint32_t waiting;             /* futex: 1 while the program waits for room */
	uint32_t pad1;

	uint32_t state KRON_WIRE_LINE; /* enum kron_wire_state */
	uint32_t process;              /* index of its process slot */
	uint32_t pid;
	uint32_t tid;
	uint32_t source; /* source id of the first event */
	uint32_t nested; /* 1: the events of signal handlers that interrupted a trigger */
	char thread_name[16];
};

#define KRON_WIRE_PROCESS_STRIDE (16 * KRON_WIRE_PAGE)
#define KRON_WIRE_RING_OFFSET                                                                      \
	(KRON_WIRE_PAGE + KRON_WIRE_PROCESSES * (uint64_t)KRON_WIRE_PROCESS_STRIDE)

/* Is this the first page of such a memory, and of one with so many bytes? */
static inline bool kron_wire_good(const struct kron_wire *wire, uint64_t bytes)
{
	uint64_t ring = wire->ring_bytes, rings = wire->rings;

	return wire->magic == KRON_WIRE_MAGIC && wire->version == KRON_WIRE_VERSION &&
	       ring >= KRON_WIRE_RING_MIN && ring <= KRON_WIRE_RING_MAX && !(ring & (ring - 1)) &&
	       rings >= 1 && rings <= KRON_WIRE_RINGS_MAX &&
	       wire->process_offset == KRON_WIRE_PAGE &&
	       wire->ring_offset == KRON_WIRE_RING_OFFSET &&
	       wire->ring_stride == ring + KRON_WIRE_PAGE && wire->total_bytes == bytes &&
	       bytes == wire->ring_offset + rings * wire->ring_stride;
}

#ifndef __cplusplus
_Static_assert(sizeof(struct kron_wire) <= KRON_WIRE_PAGE, "one page");
_Static_assert(sizeof(struct kron_wire_process) <= KRON_WIRE_PROCESS_STRIDE, "its slot");
_Static_assert(sizeof(struct kron_wire_ring) <= KRON_WIRE_PAGE, "one page");
#endif

#endif
