/* SPDX-License-Identifier: Apache-2.0 */
/* .kron.json of a trace that is read. Part of trace/reader.h; nobody else includes this.
 *
 * Every member may be missing. One of a wrong type or range counts as missing, and the first such is
 * told in `problem`; so is a file that cannot be understood at all. */
#ifndef TRACE_READER_JSON_H
#define TRACE_READER_JSON_H

#include "trace/reader.h"

#define TRACE_JSON_BYTES_MAX (32 << 20)

struct json_t;

struct trace_json {
	struct base_alloc *alloc;
	struct json_t *root; /* NULL: there is nothing to be had; strings handed out are in it */
	struct trace_process *process;
	struct trace_name *name; /* of all processes */
	struct trace_point *point;
	char problem[256]; /* empty: none */
};

/* Read and parse the file. Returns 0, and json must be closed; so if it is missing or damaged, which
 * `problem` tells. Returns -KRON_ENOMEM, -KRON_EIO. */
int trace_json_open(struct trace_json *json, struct base_io *io, struct base_alloc *alloc,
		    const char *path);

void trace_json_close(struct trace_json *json);

/* Call visit() with the number of every stream that the file tells of, until it returns an error,
 * which is returned; otherwise 0. */
int trace_json_streams(const struct trace_json *json, int (*visit)(void *context, uint32_t number),
		       void *context);

/* Overwrite in info what the file tells. info->stream is there already, in the order of number[],
 * which is that of the files. What info points to is json's. Returns 0 or -KRON_ENOMEM. */
int trace_json_fill(struct trace_json *json, struct trace_info *info, const uint32_t *number);

/* The number N of a file name stream_N, as Kron writes it. Returns whether it is one. */
bool trace_stream_number(const char *file, uint32_t *number);

#endif
