/* SPDX-License-Identifier: Apache-2.0 */
/* The trace that a recording becomes: its directory, streams, names and accounts. */
#ifndef COLLECT_OUTPUT_H
#define COLLECT_OUTPUT_H

#include "collect/collect.h"
#include "collect/stream.h"
#include "trace/ctf_dir.h"

/* A process that was measured, as the trace will tell it. */
struct collect_process {
	uint32_t pid;
	char command[64];
	uint64_t lost_no_ring;
	char *names; /* a copy; zero-terminated strings */
	uint32_t names_used;
};

/* Both clocks at one instant. */
struct collect_point {
	uint64_t ticks;
	uint64_t wall_ns;
};

#define COLLECT_POINTS 256

struct collect_output {
	struct base_io *io;
	struct base_alloc *alloc;
	struct trace_path path;
	const struct collect_config *config;
	char *command;
	struct kron_wire_counter counter[KRON_WIRE_COUNTERS];
	struct collect_stream *stream;
	size_t streams, stream_capacity;
	struct collect_process *process;
	size_t processes, process_capacity;
	uint32_t tenant[KRON_WIRE_PROCESSES]; /* slot to index in process[], plus 1; 0: none */
	struct collect_point point[COLLECT_POINTS];
	size_t points;
	uint64_t point_every,
		point_skipped; /* when they get too many, every second one is dropped */
	uint64_t hz;
	uint64_t trace_ps, resource_ps;
	int error; /* the first */
	int cause;
};

/* Make the directory and write what is known already. */
int collect_output_open(struct collect_output *output, struct base_io *io, struct base_alloc *alloc,
			const struct collect_config *config);

/* A new stream with its file; NULL if there is no memory for it. Moves output->stream. */
struct collect_stream *collect_output_stream(struct collect_output *output);

/* The stream has ended: close its file. */
void collect_output_done(struct collect_output *output, struct collect_stream *stream);

/* Note a process that occupies a slot, or what is new about it. Returns its number in the trace. */
uint32_t collect_output_process(struct collect_output *output, uint32_t slot,
				const struct kron_wire_process *process);

/* The process has left the slot. */
void collect_output_process_end(struct collect_output *output, uint32_t slot,
				const struct kron_wire_process *process);

/* Compare the clocks. */
void collect_output_point(struct collect_output *output);

int collect_output_error(const struct collect_output *output);

/* Write names and accounts, free everything. */
int collect_output_close(struct collect_output *output, int exit_code, uint32_t refused,
			 struct collect_totals *totals);

#endif
