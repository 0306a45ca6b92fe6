/* SPDX-License-Identifier: Apache-2.0 */
/* Sample traces as kron record would write them, made by hand: every event in a packet of its
 * own. */
#ifndef EXPORT_TRACE_H
#define EXPORT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "report/export.h"
#include "trace/ctf.h"

#define EXPORT_TRACE_STREAMS 8

struct export_trace_event {
	unsigned stream; /* below EXPORT_TRACE_STREAMS */
	uint64_t ticks;
	unsigned kind; /* enum kron_wire_mark; 0: the program's own event */
	uint64_t data; /* of a mark its value */
	uint64_t lost; /* in its stream, in all, before it */
	bool resource;
	uint32_t source;
	uint32_t counter[TRACE_COUNTERS];
};

/* A trace in the new directory dir. Its clock has 1 GHz. lost[] is what each stream has lost in the
 * end; NULL: nothing behind the last event. */
void export_trace_write(const char *dir, const char *json, const struct export_trace_event *event,
			size_t events, unsigned streams, const uint64_t *lost);

/* The trace of tests/golden/export/: two processes, four streams, everything that can happen. */
void export_trace_story(const char *dir);

/* What stands in it. */
#define EXPORT_STORY_EVENTS    24
#define EXPORT_STORY_LOST      10
#define EXPORT_STORY_UNMATCHED 1
#define EXPORT_STORY_UNCLOSED  1

/* Export dir to path through io and alloc. Returns what report_export_run() or trace_reader_open()
 * returned. */
int export_trace_run(struct base_io *io, struct base_alloc *alloc, const char *dir,
		     enum report_export_format format, const char *path,
		     struct report_export_result *result);

/* Each test works in a directory of its own: for cmocka_unit_test_setup_teardown(). */
int export_trace_enter(void **state);
int export_trace_leave(void **state);

/* All of a file, zero-terminated, to be freed. */
char *export_trace_read(const char *path, size_t *size);

#endif
