/* SPDX-License-Identifier: Apache-2.0 */
/* Native traces made to order, as the recorder would write them. Events of a stream are given in
 * order of time; everything is written at the end. A check that fails ends the test. */
#ifndef NATIVE_TRACE_H
#define NATIVE_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include "trace/ctf.h"

#define NATIVE_TRACE_HZ UINT64_C(1000000000) /* a tick is a nanosecond, to read times with ease */

struct native_stream {
	uint8_t *data;
	size_t size, room;
	size_t packet; /* offset of the packet that takes the next event */
	uint64_t events, packet_events, packets;
	uint64_t begin, last, discarded;
	uint32_t source, cpu;
};

struct native_trace {
	char dir[256];
	unsigned packet_events; /* of a packet, at most; 0: as many as go in */
	unsigned streams;
	struct native_stream *stream;
};

void native_trace_init(struct native_trace *trace, const char *dir, unsigned streams);

/* event->discarded and source are heeded; a packet starts where they change. */
void native_trace_event(struct native_trace *trace, unsigned stream,
			const struct trace_event *event, bool mark);

/* A mark (enum kron_wire_mark), user data, counters: what most tests need. */
void native_trace_mark(struct native_trace *trace, unsigned stream, uint64_t time, unsigned kind,
		       uint64_t value);
void native_trace_data(struct native_trace *trace, unsigned stream, uint64_t time, uint64_t data);
void native_trace_counters(struct native_trace *trace, unsigned stream, uint64_t time,
			   uint64_t data, const uint32_t counter[TRACE_COUNTERS]);

/* So many more events of the stream are lost, before its next event or at its end. */
void native_trace_lost(struct native_trace *trace, unsigned stream, uint64_t more);

/* Make the directory, or write into one that is there; json is the text of kron.json, NULL: none.
 * Everything is freed. */
void native_trace_write(struct native_trace *trace, const char *json);

#endif
