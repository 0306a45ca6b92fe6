/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets of the trace reader share: a directory with a native trace, of which they
 * change one file, and a reading of it with everything that a user would see. */
#ifndef FUZZ_TRACE_H
#define FUZZ_TRACE_H

#include <stddef.h>
#include <stdint.h>

/* The program stops if this is false. */
void fuzz_require(int condition);

/* Replace a file of the trace; the first call makes the trace, with an empty stream_0 and two events
 * in stream_1. */
void fuzz_trace_file(const char *name, const uint8_t *data, size_t size);

/* Read all events and report on them in every format. Stops the program if time goes back, if stream
 * 0 has more events than bytes allow, or if stream 1 has not its two. */
void fuzz_trace_read(size_t stream_0_bytes);

#endif
