/* SPDX-License-Identifier: Apache-2.0 */
/* One stream of a trace that is read: a window over the file, and the checks of every field in it.
 * Part of trace/reader.h; nobody else includes this.
 *
 * Invariants of a cursor:
 *   1. window[at..end) are the bytes of the file from `offset + at` on, not looked at yet.
 *   2. While `ready`, these start with a whole event that has passed every check and whose time is
 *      `time`.
 *   3. A cursor that is `done` holds neither window nor descriptor. */
#ifndef TRACE_READER_STREAM_H
#define TRACE_READER_STREAM_H

#include "trace/ctf_dir.h"
#include "trace/reader.h"

/* A native event's data is Kron's own: bit 60 of its word, "spare" in the metadata. */
#define TRACE_WORD_MARK (UINT64_C(1) << 60)

/* What the cursors of a trace share. */
struct trace_files {
	struct base_io *io;
	struct base_alloc *alloc;
	struct trace_path path;
	struct trace_cursor *cursor;
	size_t cursors;
	size_t opened; /* descriptors held by cursors */
	size_t hand;   /* the cursor that was last asked to give its descriptor back */
	size_t window_bytes;
};

struct trace_cursor {
	struct trace_stream_info *info; /* the reader's */
	uint64_t number;                /* N of stream_N */
	bool missing;                   /* there is no such file */
	bool begun;                     /* the first event has been looked for */
	bool ready;
	bool done;
	int fd;            /* -1: not open */
	uint64_t fd_at;    /* where the descriptor is in the file */
	uint8_t *window;   /* files->window_bytes, or NULL */
	size_t at, end;    /* invariant 1 */
	uint64_t offset;   /* in the file, of window[0] */
	uint64_t content;  /* bytes of the packet's content from `at` on */
	uint64_t padding;  /* bytes of the packet behind its content */
	uint64_t time;     /* of the event at `at`, or of the last before it */
	uint64_t time_end; /* of the packet */
	uint64_t packets;  /* begun */
	uint64_t discarded;
	uint32_t source, cpu;
	uint32_t size; /* of the event at `at` */
};

/* A time that no event of the stream is before; 0 if that cannot be told without reading on. The
 * stream must not have begun. Returns 0 or -KRON_EIO. */
int trace_cursor_peek(struct trace_files *files, struct trace_cursor *cursor, uint64_t *time);

/* Leave the event that is ready, if one is, and find the next. Returns 1 if one is ready; 0 at the
 * end, clean or damaged; -KRON_ENOMEM or -KRON_EIO, and may be called again. */
int trace_cursor_next(struct trace_files *files, struct trace_cursor *cursor);

/* The event that is ready. */
void trace_cursor_event(const struct trace_cursor *cursor, struct trace_event *event, bool *mark);

/* Back to the start of the file, with nothing held. */
void trace_cursor_rewind(struct trace_files *files, struct trace_cursor *cursor);

#endif
