/* SPDX-License-Identifier: Apache-2.0 */
/* Judges a Perfetto file by itself, from the bytes; knows nothing of the trace it came from.
 *
 *   1. It is a sequence of packets, every one with a sequence id.
 *   2. A packet that needs the state of its sequence comes behind one that cleared it, and behind a
 *      dropped packet another has cleared it.
 *   3. A track is described once, before it is used; its parent is described before it.
 *   4. Time does not go back within a sequence.
 *   5. Per track, begins and ends are nested, and nothing is open at the end.
 *   6. Counter values are on counter tracks, and nothing else is. */
#ifndef PERFETTO_CHECK_H
#define PERFETTO_CHECK_H

#include <stddef.h>
#include <stdint.h>

struct perfetto_counts {
	unsigned packets, tracks, counter_tracks, begins, ends, instants, counters, dropped;
	unsigned depth_max;
};

/* Returns NULL, or the rule that is broken, in words. */
const char *perfetto_check(const void *data, size_t size, struct perfetto_counts *counts);

#endif
