/* SPDX-License-Identifier: Apache-2.0 */
/* What Kron's own events, the marks of kron/wire.h, are called in other people's tools. */
#ifndef REPORT_EXPORT_MARK_H
#define REPORT_EXPORT_MARK_H

#include <stdint.h>
#include "trace/reader.h"

enum report_export_role {
	REPORT_EXPORT_INSTANT,
	REPORT_EXPORT_BEGIN,
	REPORT_EXPORT_END,
	REPORT_EXPORT_END_IF_ANY, /* an instant if nothing began: a lock got without waiting */
};

enum report_export_category {
	REPORT_EXPORT_TRACE, /* the program's own events */
	REPORT_EXPORT_REGION,
	REPORT_EXPORT_WAIT,
	REPORT_EXPORT_THREAD,
	REPORT_EXPORT_LOSS,
	REPORT_EXPORT_CATEGORIES,
};

struct report_export_mark {
	const char *name; /* for tables: "lock_wait" */
	enum report_export_role role;
	enum report_export_category category;
	unsigned begin; /* the kind that begins what this one ends */
	const char
		*label; /* for time lines, the value follows: "wait lock"; NULL: a region's name */
};

/* One past the last kind of enum kron_wire_mark. */
#define REPORT_EXPORT_KINDS 15

/* Longest text made by report_export_mark_label(), with its zero. */
#define REPORT_EXPORT_LABEL 64

extern const char *const report_export_category_name[REPORT_EXPORT_CATEGORIES];

unsigned report_export_mark_kind(uint64_t data);
uint64_t report_export_mark_value(uint64_t data);

/* Never NULL: an unknown kind is an instant called "unknown". */
const struct report_export_mark *report_export_mark_find(unsigned kind);

/* The text of a mark on a time line: the region's name, or what is waited for. It is the reader's,
 * or in buffer. */
const char *report_export_mark_label(const struct trace_reader *reader, unsigned stream,
				     uint64_t data, char buffer[REPORT_EXPORT_LABEL]);

#endif
