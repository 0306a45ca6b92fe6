/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's half of native measurement: makes the shared memory, drains the rings into a trace,
 * keeps the accounts. What programs put into that memory is not trusted: the worst a broken or hostile
 * one can do is to spoil its own streams.
 *
 * Memory is bounded: the rings, made once, and some hundred bytes per thread and process seen. */
#ifndef COLLECT_H
#define COLLECT_H

#include <stdbool.h>
#include <stdint.h>
#include <kron/wire.h>
#include "base/alloc.h"
#include "base/io.h"

struct collect_config {
	const char *dir;     /* of the trace */
	const char *command; /* as typed, for the trace */
	uint64_t ring_bytes; /* of each thread's ring; a power of two */
	uint32_t rings;      /* threads at a time, 1..KRON_WIRE_RINGS_MAX */
	uint32_t filter;     /* of new processes */
	enum kron_wire_policy policy;
	struct kron_wire_counter counter[KRON_WIRE_COUNTERS];
};

/* What has been collected. */
struct collect_totals {
	uint64_t events;    /* in the trace */
	uint64_t bytes;     /* of stream files */
	uint64_t triggered; /* let through by filters */
	uint64_t lost_full, lost_nested, lost_no_ring, lost_cut, lost_disk;
	uint64_t waits, wait_ticks;
	uint32_t threads; /* streams */
	uint32_t processes;
	uint32_t refused; /* processes that were not measured: too many at a time */
	uint32_t damaged; /* rings whose contents made no sense */
};

struct collect; /* in collect.c */

/* Make the shared memory and the trace directory. Returns 0 and *collect, to be closed by the same thread;
 * programs take its end for the end of the recorder.
 * Returns -KRON_EINVAL if config makes no sense; -KRON_EEXIST if dir is something else than a trace;
 * -KRON_ENOMEM; -KRON_EIO. What was created is removed then. */
int collect_open(struct collect **collect, struct base_io *io, struct base_alloc *alloc,
		 const struct collect_config *config);

/* The value of the environment variable KRON_WIRE_ENV for the programs to be measured. */
const char *collect_environment(const struct collect *collect);

/* Drain what is worth draining: rings that are a quarter full, ended, or waited long enough; with
 * `all`, everything. Returns the bytes taken. Write errors are kept: collect_error(). */
uint64_t collect_step(struct collect *collect, bool all);

/* Sleep until a program wants room, a signal comes, or so many milliseconds have passed. */
void collect_sleep(struct collect *collect, unsigned milliseconds);

/* 0, or the first error in writing the trace, with errno; collecting goes on, losses are counted. */
int collect_error(const struct collect *collect);

/* Drain everything, stop all triggers, write names and accounts, free everything. Returns 0 or the first
 * error. */
int collect_close(struct collect *collect, int exit_code, struct collect_totals *totals);

/* What one trigger costs here and now, in picoseconds. */
uint64_t collect_calibrate_trace(void);
uint64_t collect_calibrate_resource(void);

#endif
