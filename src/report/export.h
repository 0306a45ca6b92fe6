/* SPDX-License-Identifier: Apache-2.0 */
/* Sample traces in the formats of other people's tools. Memory does not grow with the trace.
 *
 * A file appears whole or not at all: FILE.tmp is written and takes the name at the end, replacing
 * a regular file that was there. What is no regular file (a device, a pipe, a symbolic link) is
 * written as it is. */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include "base/alloc.h"
#include "base/io.h"
#include "trace/reader.h"

enum report_export_format {
	REPORT_EXPORT_PERFETTO,
	REPORT_EXPORT_CHROME,
	REPORT_EXPORT_CSV,
	REPORT_EXPORT_SQLITE,
	REPORT_EXPORT_FORMATS,
};

#define REPORT_EXPORT_SUFFIX ".tmp"

struct report_export_config {
	struct base_io *io;
	struct base_alloc *alloc;
	struct trace_reader *reader; /* at its first event */
	enum report_export_format format;
	const char *path; /* NULL: to fd, which stays open */
	int fd;
	/* Called now and then with the bytes of events read so far; true: stop. NULL: nobody
	 * asks. */
	bool (*progress)(void *context, uint64_t bytes);
	void *context;
};

struct report_export_result {
	uint64_t events;
	uint64_t lost;      /* in all streams, and for want of a ring */
	uint64_t unmatched; /* ends of regions and waits without their begins; not exported */
	uint64_t unclosed;  /* begins without their ends; ended with their streams */
	uint64_t too_deep;  /* begins not exported, nested too deep */
	bool reading;       /* the error below is one of reading */
	bool stopped;       /* progress() said so; no file is left */
};

/* Read all events and write them. *result is filled in whatever happens.
 * Returns 0; -KRON_ENOMEM; -KRON_EIO: errno tells, EISDIR if path is a directory;
 * -KRON_EEXIST: path and REPORT_EXPORT_SUFFIX is there, and may be somebody's;
 * -KRON_EINVAL: SQLite needs a regular file. */
int report_export_run(const struct report_export_config *config,
		      struct report_export_result *result);

#endif
