/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of libkron. It lives in somebody else's program: it never prints, never exits, leaves
 * errno alone, allocates nothing, and starts no thread. */
#ifndef PROBE_H
#define PROBE_H

#include <kron/kron.h>

struct probe {
	struct kron_wire *wire;            /* NULL: not recorded */
	struct kron_wire_process *process; /* this process's slot */
	uint32_t process_index;
};

extern struct probe probe;

/* The ring for triggers in signal handlers that interrupted a trigger of the same thread. */
extern __thread struct kron_wire_ring *probe_nested
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

struct kron_wire_ring *probe_ring_at(uint32_t index);

/* The calling thread's ring, claimed if it has none; NULL if there is none to be had. */
struct kron_wire_ring *probe_ring_own(void);

/* Claim a ring for the calling thread; NULL if all are taken. */
struct kron_wire_ring *probe_ring_claim(bool nested);

/* The thread is at its end: its rings are the recorder's. */
void probe_ring_release(void *unused);

/* Have probe_ring_release() called when the calling thread ends. */
void probe_watch_exit(void);

/* Be measured by the recorder whose memory this is; it must stay. */
void probe_attach(struct kron_wire *wire);

/* The plug-in that this libkron is a part of is unloaded, or the program ends: no thread may call back
 * into it. */
void probe_forget(void);

/* The recorder is gone or has finished: trigger no more. */
void probe_detach(void);

/* Is it there, and collecting? */
bool probe_recorder_lives(void);

/* If it sleeps, it shall not. */
void probe_recorder_wake(void);

/* Sleep while *word, which the recorder wakes us by, has this value; for a time at most. */
void probe_recorder_wait(uint32_t *word, uint32_t value, unsigned timeout_ms);

/* In the child: what the thread that forked, and those that are not here, may have left half done or
 * open. probe.process is still the parent's. */
void probe_names_after_fork(void);
void probe_counters_after_fork(void);

/* Counters. */
void probe_counters_init(struct kron_wire_ring *ring);
void probe_counters_release(struct kron_wire_ring *ring);
/* Bring the counters in `which` up to date. */
void probe_counters_update(struct kron_wire_ring *ring, uint32_t which);

/* perf events of the calling thread. Returns a descriptor, or -1. */
int probe_perf_open(uint32_t type, uint64_t config, uint64_t *id);
void probe_perf_close(int fd, uint64_t id);
/* The value so far; false if the descriptor is not that event any more. */
bool probe_perf_read(int fd, uint64_t id, uint64_t *value);

#endif
