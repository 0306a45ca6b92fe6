/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a sample trace, native or simulated: the streams of ctf.h and the names of .kron.json.
 *
 * Nothing in a trace is trusted. A stream that is cut off or damaged is read up to there, and its info
 * tells where and why; the others are read to their ends. A missing or damaged .kron.json costs names
 * and accounts, not events.
 *
 * Memory is bounded whatever the size of the trace: a window for each stream that has begun and not
 * ended, the names, and a few words for each stream. Descriptors are shared among the streams. */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/alloc.h"
#include "base/io.h"
#include "trace/ctf.h"

#define TRACE_GROUPS       16
#define TRACE_NAME_UNKNOWN "?" /* of a name, thread or command that .kron.json does not tell */

/* A name that a process registered: regions. */
struct trace_name {
	uint32_t id;
	const char *text;
};

struct trace_process {
	uint32_t pid;
	const char *command;
	const struct trace_name *name; /* sorted by id */
	size_t names;
	uint64_t lost_no_ring; /* events lost because all rings were taken */
};

/* One stream file: a thread, or a node of a simulated machine. */
struct trace_stream_info {
	const char *file; /* "stream_0" */
	uint32_t process; /* index in info.process, or UINT32_MAX */
	uint32_t tid;
	const char *thread; /* its name */
	bool nested;        /* events of signal handlers that interrupted a trigger of thread tid */
	bool accounted;     /* .kron.json has the accounts below */
	uint64_t triggered[TRACE_GROUPS];
	uint64_t lost_full, lost_nested, lost_cut, lost_disk;
	uint64_t waits, wait_ticks;
	uint64_t recorded; /* events in the file, as .kron.json tells; 0 if it does not */
	/* Complete when the stream has been read. */
	uint64_t events;
	uint64_t discarded; /* events_discarded of the last packet */
	uint64_t
		damaged_at; /* offset in the file from which it could not be read; UINT64_MAX: none */
	const char *damage; /* why, in words; NULL: none */
};

struct trace_counter_info {
	const char *name;
	const char *source; /* "software", "clock", "stopwatch", "perf"; "" if unknown */
	bool shared;
};

/* Ticks and wall-clock time at one instant. */
struct trace_point {
	uint64_t ticks;
	uint64_t wall_ns; /* since 1970 */
};

struct trace_info {
	const char *model;   /* "native", "multikron", "multikron2" */
	const char *command; /* as typed; "" if unknown */
	uint64_t clock_hz;
	const struct trace_point *point;
	size_t points;
	uint64_t begin_ticks, end_ticks; /* of the recording; 0 if unknown */
	uint64_t trace_cost_ps; /* of one trace trigger, calibrated in this run; 0 unknown */
	uint64_t resource_cost_ps;
	bool complete; /* the recorder came to its end */
	int exit_code;
	const struct trace_process *process;
	size_t processes;
	struct trace_stream_info *stream;
	size_t streams;
	struct trace_counter_info counter[TRACE_COUNTERS];
	const char *problem; /* what is wrong with .kron.json, or NULL */
};

struct trace_reader; /* in reader.c */

/* Open a trace directory; io and alloc are needed until it is closed. Returns 0 and *reader, to be
 * closed; what info points to lives as long. Streams are in the order of their numbers; one that
 * .kron.json tells of and that has no file is there too, damaged.
 * Returns -KRON_ENOMEM; -KRON_EIO: errno tells; -KRON_EINVAL: dir is empty or the root;
 * -KRON_ECORRUPT: metadata is not that of a Kron trace. */
int trace_reader_open(struct trace_reader **reader, struct base_io *io, struct base_alloc *alloc,
		      const char *dir);

void trace_reader_close(struct trace_reader *reader);

const struct trace_info *trace_reader_info(const struct trace_reader *reader);

/* The next event of all streams in order of time, ties in order of streams. event->discarded is what
 * its stream had lost before it; `mark` is set if data is Kron's own (enum kron_wire_mark). The upper
 * bits of event->cpu are the packet's, the lower three the event's. counter[] is untouched unless the
 * event has counters.
 * Returns 1, 0 at the end of all streams, or -KRON_ENOMEM, -KRON_EIO; then the call can be repeated. */
int trace_reader_next(struct trace_reader *reader, struct trace_event *event, unsigned *stream,
		      bool *mark);

/* Start again at the first event. Returns 0, -KRON_ENOMEM, -KRON_EIO. */
int trace_reader_rewind(struct trace_reader *reader);

/* The text of a name of the process of a stream; TRACE_NAME_UNKNOWN if there is none. */
const char *trace_reader_name(const struct trace_reader *reader, unsigned stream, uint64_t id);

/* Ticks to nanoseconds since the first point (or since tick 0), by the points on either side, beyond
 * them by the frequency. 0 for what was before the first point. */
uint64_t trace_reader_ns(const struct trace_reader *reader, uint64_t ticks);

#endif
