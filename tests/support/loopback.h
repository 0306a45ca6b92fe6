/* SPDX-License-Identifier: Apache-2.0 */
/* Recorder and program in one process: the memory of collect_open(), libkron attached to it. A test that
 * uses this is linked with kron_collect and kron_probe. The trace is in ./trace. What cannot be done ends
 * the test. */
#ifndef LOOPBACK_H
#define LOOPBACK_H

#include "collect/collect.h"
#include "probe/probe.h"

#define LOOPBACK_TRACE "trace"

struct loopback {
	struct base_io *io;
	struct base_alloc *alloc;
	uint32_t rings;
	uint64_t ring_bytes;
	enum kron_wire_policy policy;
	/* libkron uses the recorder's mapping, so that ThreadSanitizer sees both sides at the same
	 * addresses; no thread may trigger while it is closed. Else it has one of its own. */
	bool same_addresses;

	struct collect *collect;
	struct kron_wire *wire; /* as libkron sees it; stays mapped for ever */
};

/* Fill in what stands before the empty line. Returns what collect_open() does; libkron is attached if that
 * is 0. */
int loopback_open(struct loopback *loopback);

/* Let the calling thread go, close the recorder. Returns what collect_close() does. */
int loopback_close(struct loopback *loopback, struct collect_totals *totals);

struct kron_wire_ring *loopback_ring(const struct loopback *loopback, uint32_t i);
struct kron_wire_process *loopback_process(const struct loopback *loopback, uint32_t i);

#endif
