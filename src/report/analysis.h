/* SPDX-License-Identifier: Apache-2.0 */
/* What happened in a trace, found in one pass over its events. Times are ticks of the trace's clock.
 * Memory grows with the number of regions, threads and locks, not with that of events.
 *
 * Pairs. An end belongs to the latest begin on its thread that has the same value and no end yet, as
 * include/kron/wire.h says; regions of a thread need not be nested. What finds no partner because
 * events were lost, or because the trace begins late or stops early, is counted as unmatched and
 * nowhere else.
 *
 * Losses. A thread that waits triggers nothing. So if events of a thread were lost while it seems to
 * wait, the end of the wait was among them: the wait is unmatched. A region may well be open while
 * events are lost; its time is counted, and over_losses too, because an end and a begin of the same
 * region may be among the lost events, and two visits look like one.
 *
 * Self time is the part of a region's time when no region that was begun later was open on its thread.
 *
 * Counters. Between two resource events of a thread each counter has gone on by some amount. It is
 * given to the innermost region open just before the later of the two (so an end that is a resource
 * event still counts for its region, a begin for the region around it), or to none. A counter that
 * stands lower than before was set anew: then its value is the amount. A native thread's counters start
 * at zero, so its first resource event counts too; where those of a chip started is not known. Of a shared counter the
 * resource events of all threads of its process count in order of time, so that nothing is given
 * twice; there a lower value only means that two threads met, and the amount is none.
 *
 * Holding. A lock is held from LOCK_GOT to LOCK_FREE of the same thread. That a mutex is free while its
 * thread waits for a condition is in the trace, as a LOCK_FREE before and a LOCK_GOT behind the wait.
 * Locks that are freed by another thread (semaphores) have no holding time. */
#ifndef REPORT_ANALYSIS_H
#define REPORT_ANALYSIS_H

#include "stats/histogram.h"
#include "stats/map.h"
#include "trace/reader.h"

enum report_wait {
	REPORT_WAIT_LOCK,
	REPORT_WAIT_BARRIER,
	REPORT_WAIT_COND,
	REPORT_WAIT_JOIN,
	REPORT_WAITS,
};

/* Times of one kind. */
struct report_sum {
	uint64_t count, total, max;
};

/* All visits of all threads to the regions of one name. */
struct report_region {
	struct stats_histogram time;
	uint64_t self;
	uint64_t unmatched_begins, unmatched_ends;
	uint64_t over_losses; /* visits during which events were lost */
	uint64_t counter[TRACE_COUNTERS];
};

/* A stream of the trace. */
struct report_thread {
	uint64_t events;    /* of them all */
	uint64_t resources; /* of those with counters */
	uint64_t first, last;
	uint64_t waiting; /* between first and last; waits inside waits count once */
	struct report_sum wait[REPORT_WAITS];
	uint64_t unmatched;               /* begins and ends of regions, waits */
	uint32_t counter[TRACE_COUNTERS]; /* of the last resource event */
	struct report_track *track;       /* in analysis.c; NULL when all is read */
};

/* Something that threads wait for, of one process. */
struct report_lock {
	uint32_t process; /* index in the trace's info, or UINT32_MAX */
	uint32_t kind;    /* enum report_wait, not JOIN */
	uint64_t address;
	struct report_sum wait;
	struct report_sum held;
	uint64_t acquired; /* LOCK_GOT, BARRIER_GO, COND_GO */
};

struct report_waiter {
	uint32_t lock;   /* index */
	uint32_t stream; /* who */
	struct report_sum wait;
};

/* Events of a stream from one source; of a chip from one processor, too. */
struct report_source {
	uint32_t stream;
	uint32_t source;
	uint32_t cpu; /* UINT32_MAX if not told apart */
	uint32_t pad;
	uint64_t events;
};

/* The arrays are the analysis's. Index i of an array is index i of its map. */
struct report_analysis {
	struct base_alloc *alloc;
	const struct trace_info *info;
	bool native;
	struct report_region *region;
	size_t regions, region_room;
	uint64_t outside[TRACE_COUNTERS]; /* counted while no region was open */
	struct report_thread *thread;     /* info->streams */
	struct report_lock *lock;
	size_t locks, lock_room;
	struct report_waiter *waiter;
	size_t waiters, waiter_room;
	struct report_source *source;
	size_t sources, source_room;
	struct report_shared *shared; /* info->processes + 1; in analysis.c */
	uint64_t first, last;         /* of all events */
	uint64_t events, resources;
	uint64_t unmatched_region_begins, unmatched_region_ends, unmatched_waits, unmatched_goes;
	uint64_t over_losses;
	struct stats_map region_map; /* names */
	struct stats_map ids;        /* process and id of a name */
	uint32_t *id_region;         /* region of an id */
	size_t id_room;
	struct stats_map lock_map, waiter_map, source_map;
};

/* Returns 0 and the analysis must be closed; -KRON_ENOMEM. info is needed as long. */
int report_analysis_open(struct report_analysis *analysis, struct base_alloc *alloc,
			 const struct trace_info *info);
void report_analysis_close(struct report_analysis *analysis);

/* Take in the next event as trace_reader_next() gave it. Returns 0, -KRON_ENOMEM. */
int report_analysis_event(struct report_analysis *analysis, const struct trace_reader *reader,
			  const struct trace_event *event, unsigned stream, bool mark);

/* All events have come: what is open now stays unmatched. */
void report_analysis_finish(struct report_analysis *analysis);

/* The name of a region; valid until the analysis is closed. */
const char *report_region_name(const struct report_analysis *analysis, size_t region);

#endif
