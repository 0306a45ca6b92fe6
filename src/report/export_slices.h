/* SPDX-License-Identifier: Apache-2.0 */
/* Which regions and waits are open in each stream, so that what other tools are given is nested,
 * though events may be missing:
 *   1. An end whose begin is not there is dropped.
 *   2. An end closes all that began after its begin and is still open; it takes the innermost begin
 *      of its kind and value.
 *   3. Begins deeper than REPORT_EXPORT_DEPTH, and as many ends, are dropped: with ends lost for
 *      ever the stack would grow for ever. */
#ifndef REPORT_EXPORT_SLICES_H
#define REPORT_EXPORT_SLICES_H

#include <stdbool.h>
#include <stdint.h>
#include "base/alloc.h"

#define REPORT_EXPORT_DEPTH 256

struct report_export_slice {
	uint64_t begin_ns;
	uint64_t data; /* of the event that began it: kind and value */
};

struct report_export_stack {
	unsigned depth;
	unsigned beyond; /* begins dropped by 3., whose ends have not come */
	struct report_export_slice slice[REPORT_EXPORT_DEPTH];
};

struct report_export_slices {
	struct base_alloc *alloc;
	struct report_export_stack **stack; /* of each stream; NULL before its first begin */
	size_t streams;
	uint64_t unmatched; /* ends dropped by 1. */
	uint64_t too_deep;  /* begins dropped by 3. */
};

/* Returns 0, or -KRON_ENOMEM with nothing to close. */
int report_export_slices_open(struct report_export_slices *slices, struct base_alloc *alloc,
			      size_t streams);
void report_export_slices_close(struct report_export_slices *slices);

/* A begin. Returns 1 if it is taken, 0 if it is dropped; -KRON_ENOMEM. */
int report_export_slices_push(struct report_export_slices *slices, unsigned stream, uint64_t data,
			      uint64_t ns);

/* How many slices end with an end whose begin's kind and value are in data; 0 if it is dropped. As
 * many are to be popped. `alone`: it may well come without a begin, and is not counted then. */
unsigned report_export_slices_match(struct report_export_slices *slices, unsigned stream,
				    uint64_t data, bool alone);

/* Close the innermost slice; false if none is open. */
bool report_export_slices_pop(struct report_export_slices *slices, unsigned stream,
			      struct report_export_slice *slice);

#endif
