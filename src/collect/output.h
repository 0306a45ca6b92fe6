/* SPDX-License-Identifier: Apache-2.0 */
/* The trace that a recording becomes: its directory, streams, names and accounts. */
#ifndef COLLECT_OUTPUT_H
#define COLLECT_OUTPUT_H

#include "collect/collect.h"
#include "collect/stream.h"
#include "trace/ctf_dir.h"

/* However long it takes, and whatever programs do: more is not kept. */
#define COLLECT_STREAMS     65536
#define COLLECT_PROCESSES   65536
#define COLLECT_NAMES_BYTES (UINT64_C(16) << 20)

/* A process that was measured, as the trace will tell it. */
struct collect_process {
	uint32_t pid;
	char command[64];
	uint64_t lost_no_ring;
	uint64_t forgone; /* lost, too: for threads with a ring there was no stream */
	char *names;      /* a copy; zero-terminated strings */
	uint32_t names_used;
};

/* The clocks at one instant. */
struct collect_point {
	uint64_t ticks;
	uint64_t wall_ns;
	uint64_t steady_ns; /* of a clock that nobody sets */
};

#define COLLECT_POINTS 256

struct collect_output {
	struct base_io *io;
	struct base_alloc *alloc;
	struct trace_path path;
	int lock;     /* of the directory; -1: none */
	bool created; /* the directory is ours */
	int reserve;  /* a file without a name that keeps room on the disk, or -1 */
	char *command;
	struct kron_wire_counter counter[KRON_WIRE_COUNTERS];
	struct collect_stream *stream;
	size_t streams, stream_capacity;
	struct collect_process *process;
	size_t processes, process_capacity;
	uint64_t names_bytes;
	uint32_t tenant[KRON_WIRE_PROCESSES]; /* slot to index in process[], plus 1; 0: none */
	struct collect_point point[COLLECT_POINTS];
	size_t points;
	uint64_t point_every, point_skipped; /* when there are too many, every second one goes */
	uint64_t hz;
	uint64_t trace_ps, resource_ps;
	int error; /* the first */
	int cause;
};

/* Make the directory and write what is known already. */
int collect_output_open(struct collect_output *output, struct base_io *io, struct base_alloc *alloc,
			const struct collect_config *config);

/* A new stream with its file; NULL if there is no memory for it, or too many. Moves output->stream. */
struct collect_stream *collect_output_stream(struct collect_output *output);

/* Note the error of a stream, if it has one. */
void collect_output_heed(struct collect_output *output, const struct collect_stream *stream);

/* A thread of this process for which there was no stream has ended: all that it triggered is lost. */
void collect_output_forgone(struct collect_output *output, uint32_t process,
			    const struct kron_wire_ring *ring);

/* The stream has ended: close its file. */
void collect_output_done(struct collect_output *output, struct collect_stream *stream);

/* Note a process that occupies a slot, or what is new about it. Returns its number in the trace;
 * UINT32_MAX if there is no memory for it, or too many. */
uint32_t collect_output_process(struct collect_output *output, uint32_t slot,
				const struct kron_wire_process *process);

/* The process has left the slot. */
void collect_output_process_end(struct collect_output *output, uint32_t slot,
				const struct kron_wire_process *process);

/* All events are written: what is left to be told may have the room that was kept. */
void collect_output_use_reserve(struct collect_output *output);

/* Compare the clocks. */
void collect_output_point(struct collect_output *output);

int collect_output_error(const struct collect_output *output);

/* Write names and accounts, free everything. */
int collect_output_close(struct collect_output *output, int exit_code, uint32_t refused,
			 struct collect_totals *totals);

#endif
