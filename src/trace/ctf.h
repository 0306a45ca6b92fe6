/* SPDX-License-Identifier: Apache-2.0 */
/* Writer of sample traces: CTF 1.8, which babeltrace2 reads as it is.
 *
 * A trace is a directory:
 *   metadata    TSDL text; says how to read the streams
 *   .kron.json  schema "kron.trace/1": model, clock, nodes, names of counters. Its name starts with
 *               a dot because readers of CTF take every other file for a stream.
 *   stream_N    packets of node N (a simulated chip, a thread)
 *
 * A packet, little endian, no padding:
 *   header   u32 magic, u32 stream_id = 0, u64 stream_instance_id = N
 *   context  u64 timestamp_begin, timestamp_end, content_size, packet_size, packet_seq_num,
 *            events_discarded (in all, before the end of this packet); u32 source, cpu_id
 *   events   u64 word, u64 data; of a resource event sixteen u32 counters behind it
 * The word, from bit 0: time stamp 56, event id 2 (2 trace, 3 resource), shadow overrun 1, FIFO
 * overrun 1, spare 1, cpu 3.
 *
 * Invariants of a stream:
 *   1. All events of a packet have the packet's source and cpu.
 *   2. If events were lost between two others, a packet starts there, events_discarded has grown,
 *      and the packet has that one event only. So readers, who take the loss to lie between the
 *      ends of two packets, show it exactly where it was.
 *   3. Readers know a loss by the difference of two packets. So a packet without events stands
 *      before losses that precede the first event, and behind those that follow the last.
 *   4. Time does not go back, within packets and between them.
 *   5. A packet that could not be written whole is taken back. */
#ifndef TRACE_CTF_H
#define TRACE_CTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/alloc.h"
#include "base/io.h"

#define TRACE_COUNTERS     16
#define TRACE_STREAMS_MAX  4096
#define TRACE_MAGIC        UINT32_C(0xc1fc1fc1)
#define TRACE_HEADER_BYTES 72    /* packet header and context */
#define TRACE_PACKET_BYTES 65536 /* at most, in all */

struct trace_event {
	bool resource; /* counter[] is valid */
	bool fifo_overrun;
	bool shadow_overrun;
	uint32_t cpu; /* all of it in the packet, three bits of it in the event */
	uint32_t source;
	uint64_t timestamp; /* in ticks of the trace's clock, all 64 bits, never going back */
	uint64_t data;
	uint32_t counter[TRACE_COUNTERS];
	uint64_t discarded; /* events of this stream lost before this one, in all; never falling */
};

/* Everything is the caller's and needed during trace_ctf_open() only. */
struct trace_ctf_info {
	const char *model;           /* what made the events: "multikron2" */
	uint64_t clock_hz;           /* of the time stamps */
	uint64_t start;              /* a time before all events; 0 for a chip since its reset */
	uint64_t epoch_ns;           /* wall clock, since 1970, at time 0; 0: unknown */
	unsigned streams;            /* nodes, 1..TRACE_STREAMS_MAX */
	const char *const *counters; /* TRACE_COUNTERS names; NULL: "counter0".."counter15" */
};

struct trace_stream; /* in ctf.c */

/* The caller's. */
struct trace_ctf {
	struct base_io *io;
	struct base_alloc *alloc;
	struct trace_stream *stream;
	unsigned streams;
	uint64_t time_max; /* later than that, readers cannot express in nanoseconds */
	int error;         /* the first one; after it nothing more is written */
	int saved_errno;
};

/* Create the trace directory dir. If there is a trace already it becomes dir.old; a trace of that
 * name is removed first. An empty directory is used. Files are never opened through a symbolic
 * link, and the directory must not be one.
 * Returns 0; the trace must be closed then. On failure there is nothing to close, and what was
 * created is removed again (dir.old stays):
 * -KRON_EEXIST: dir (or dir.old, if it would have to go) is something else; nothing was touched.
 * -KRON_EINVAL: dir is empty, or info makes no sense.
 * -KRON_ENOMEM, -KRON_EIO. */
int trace_ctf_open(struct trace_ctf *ctf, struct base_io *io, struct base_alloc *alloc,
		   const char *dir, const struct trace_ctf_info *info);

/* Append one event to a stream. Allocates nothing.
 * Returns 0; -KRON_EINVAL, and the trace is as before, if there is no such stream, if time or the
 * count of lost events went back, or if the time is more than 2^63 ns, which no reader takes;
 * -KRON_EIO if a packet could not be written, now or before. */
int trace_ctf_event(struct trace_ctf *ctf, unsigned stream, const struct trace_event *event);

/* Write what is left, close the files and free everything, whatever happens. discarded[] has the
 * events lost in all for each stream; NULL: none since the last event.
 * Returns 0 or the first error, with errno as it was then; all packets written are readable. */
int trace_ctf_close(struct trace_ctf *ctf, const uint64_t *discarded);

/* Remove the incomplete last packet from every stream of a trace that was cut off (the machine went
 * down, a copy was interrupted), because babeltrace2 refuses a trace with one. All packets before
 * it stay as they are. *removed is the number of bytes that went, 0 if the trace was whole.
 * Returns 0; -KRON_ECORRUPT if dir is no trace, or a stream has something that is no packet where
 * one should start: that stream is untouched; -KRON_ENOMEM, -KRON_EIO. */
int trace_ctf_mend(struct base_io *io, struct base_alloc *alloc, const char *dir,
		   uint64_t *removed);

#endif
