/* SPDX-License-Identifier: Apache-2.0 */
#include "report/export_mark.h"
#include <inttypes.h>
#include <kron/wire.h>
#include <stdio.h>

const char *const report_export_category_name[REPORT_EXPORT_CATEGORIES] = {
	[REPORT_EXPORT_TRACE] = "trace", [REPORT_EXPORT_REGION] = "region",
	[REPORT_EXPORT_WAIT] = "wait",   [REPORT_EXPORT_THREAD] = "thread",
	[REPORT_EXPORT_LOSS] = "loss",
};

#define ROW(kind, name, role, category, begin, label)                                              \
	[KRON_WIRE_##kind] = { name, REPORT_EXPORT_##role, REPORT_EXPORT_##category,               \
			       KRON_WIRE_##begin, label }

/* clang-format off */
static const struct report_export_mark marks[REPORT_EXPORT_KINDS] = {
	[0] = { "unknown", REPORT_EXPORT_INSTANT, REPORT_EXPORT_TRACE, 0, "unknown mark" },
	/*  kind           name             role     category begun by       label */
	ROW(REGION_BEGIN,  "region_begin",  BEGIN,   REGION,  REGION_BEGIN,  NULL),
	ROW(REGION_END,    "region_end",    END,     REGION,  REGION_BEGIN,  NULL),
	ROW(LOCK_WAIT,     "lock_wait",     BEGIN,   WAIT,    LOCK_WAIT,     "wait lock"),
	ROW(LOCK_GOT,      "lock_got",      END_IF_ANY, WAIT,    LOCK_WAIT,     "got lock"),
	ROW(LOCK_FREE,     "lock_free",     INSTANT, WAIT,    LOCK_FREE,     "free lock"),
	ROW(BARRIER_WAIT,  "barrier_wait",  BEGIN,   WAIT,    BARRIER_WAIT,  "wait barrier"),
	ROW(BARRIER_GO,    "barrier_go",    END,     WAIT,    BARRIER_WAIT,  "go barrier"),
	ROW(COND_WAIT,     "cond_wait",     BEGIN,   WAIT,    COND_WAIT,     "wait cond"),
	ROW(COND_GO,       "cond_go",       END,     WAIT,    COND_WAIT,     "go cond"),
	ROW(JOIN_WAIT,     "join_wait",     BEGIN,   WAIT,    JOIN_WAIT,     "wait join"),
	ROW(JOIN_GO,       "join_go",       END,     WAIT,    JOIN_WAIT,     "go join"),
	ROW(THREAD_CREATE, "thread_create", INSTANT, THREAD,  THREAD_CREATE, "create thread"),
	ROW(THREAD_START,  "thread_start",  INSTANT, THREAD,  THREAD_START,  "start thread"),
	ROW(THREAD_EXIT,   "thread_exit",   INSTANT, THREAD,  THREAD_EXIT,   "exit thread"),
};
/* clang-format on */

unsigned report_export_mark_kind(uint64_t data)
{
	return (unsigned)(data >> KRON_WIRE_KIND_SHIFT);
}

uint64_t report_export_mark_value(uint64_t data)
{
	return data & KRON_WIRE_VALUE_MASK;
}

const struct report_export_mark *report_export_mark_find(unsigned kind)
{
	return &marks[kind < REPORT_EXPORT_KINDS ? kind : 0];
}

const char *report_export_mark_label(const struct trace_reader *reader, unsigned stream,
				     uint64_t data, char buffer[REPORT_EXPORT_LABEL])
{
	unsigned kind = report_export_mark_kind(data);
	uint64_t value = report_export_mark_value(data);
	const struct report_export_mark *mark = report_export_mark_find(kind);
	/* Threads are known by number, everything else by its address. */
	bool number = mark->begin == KRON_WIRE_JOIN_WAIT;

	if (!mark->label)
		return trace_reader_name(reader, stream, value);
	if (kind == KRON_WIRE_THREAD_EXIT)
		return mark->label;
	snprintf(buffer, REPORT_EXPORT_LABEL, number ? "%s %" PRIu64 : "%s 0x%" PRIx64, mark->label,
		 value);
	return buffer;
}
