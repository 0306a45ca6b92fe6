/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest recorder: it makes the memory that libkron looks for, runs a program, and reads the rings
 * when that has ended. Nothing is drained meanwhile, so the rings must be large enough and as many as
 * there will be threads. */
#ifndef MINI_RECORDER_H
#define MINI_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <kron/wire.h>

struct mini_recorder {
	struct kron_wire *wire; /* mapped until mini_recorder_close() */
	int fd;
};

/* Filter and policy are those of a new process. ring_bytes is a power of two. False, with errno, if the
 * system has no memory for it. */
bool mini_recorder_open(struct mini_recorder *recorder, uint32_t rings, uint64_t ring_bytes,
			uint32_t filter, enum kron_wire_policy policy);
void mini_recorder_close(struct mini_recorder *recorder);

/* Run a program, with KRON_RING set if recorder is not NULL, LD_PRELOAD if preload is not NULL, and up
 * to size - 1 bytes of its standard output in output, zero-terminated. Returns as waitpid() tells it; -1
 * if the program cannot be started. */
int mini_recorder_run(const struct mini_recorder *recorder, const char *preload,
		      const char *const argv[], char *output, size_t size);

struct kron_wire_process *mini_recorder_process(const struct mini_recorder *recorder, uint32_t i);
struct kron_wire_ring *mini_recorder_ring(const struct mini_recorder *recorder, uint32_t i);

struct mini_event {
	uint64_t word; /* time stamp, type and flags as in wire.h */
	uint64_t data;
	const uint32_t *counters; /* sixteen, in the ring; NULL if it has none */
};

/* The event at *offset, which starts at 0 and is moved behind it. Filler and notes are skipped. False at
 * the end, or if the ring went round and the beginning is lost. */
bool mini_recorder_next(const struct mini_recorder *recorder, const struct kron_wire_ring *ring,
			uint64_t *offset, struct mini_event *event);

#endif
