/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's stream: from its ring to its file. */
#ifndef COLLECT_STREAM_H
#define COLLECT_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <kron/wire.h>
#include "base/io.h"

/* The recorder's own record of a ring's tenant. Everything it relies on is here, nothing in the ring. */
struct collect_stream {
	uint32_t number;
	int fd;
	uint64_t ring_bytes;
	uint64_t tail;    /* bytes consumed */
	uint64_t time;    /* of the last event, 64 bits */
	uint64_t packets; /* written */
	uint64_t bytes;   /* written */
	uint64_t events;  /* written */
	uint64_t noted;   /* lost in the ring, as its notes say */
	uint64_t lost_disk;
	uint64_t told; /* events_discarded of the last packet */
	uint32_t source;
	bool damaged; /* what is in the ring made no sense; it is not read any more */
	bool broken;  /* the file does not end with a whole packet; it is not written any more */
	int error;    /* the first write error, and its errno */
	int cause;
	/* Who it was; filled when the ring is found. */
	uint32_t process, pid, tid;
	bool nested;
	char thread[16];
	/* Accounts, copied from the ring when it ends. */
	uint64_t triggered[KRON_WIRE_GROUPS];
	uint64_t lost_full, lost_nested, lost_cut;
	uint64_t waits, wait_ticks;
};

/* Move everything that the ring has published to the file. data is the ring's memory. Returns the
 * bytes taken from the ring. */
uint64_t collect_stream_drain(struct collect_stream *stream, struct base_io *io,
			      struct kron_wire_ring *ring, const char *data);

/* The tenant has gone and the ring is drained: take its accounts, and write the losses that no event
 * follows. */
void collect_stream_end(struct collect_stream *stream, struct base_io *io,
			const struct kron_wire_ring *ring);

/* Are there losses that the file does not tell, because the disk was full at the end? */
bool collect_stream_owes(const struct collect_stream *stream);

/* Tell them now. */
void collect_stream_tell(struct collect_stream *stream, struct base_io *io);

#endif
