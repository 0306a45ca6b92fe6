/* SPDX-License-Identifier: Apache-2.0 */
/* A writer of protocol buffers: messages of a bounded size, one after the other, without a schema.
 *
 *   report_protobuf_begin(&pb, 1);
 *   report_protobuf_unsigned(&pb, 8, time_ns);
 *   report_protobuf_end(&pb);
 *   report_protobuf_flush(&pb, out);
 *
 * Source: "Encoding", protobuf.dev. A field is a varint, number << 3 | wire type, and its value:
 * wire type 0 a varint, 2 a length and so many bytes (text, nested messages). */
#ifndef REPORT_PROTOBUF_H
#define REPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/io.h"

#define REPORT_PROTOBUF_DEPTH 8
#define REPORT_PROTOBUF_BYTES 8192
#define REPORT_PROTOBUF_TEXT  1000 /* longer text is cut, between characters */

/* The caller's; nothing to free. */
struct report_protobuf {
	bool broken; /* too much, or too deep */
	unsigned depth;
	size_t used;
	size_t start[REPORT_PROTOBUF_DEPTH]; /* of the contents of each open message */
	uint8_t buffer[REPORT_PROTOBUF_BYTES];
};

void report_protobuf_init(struct report_protobuf *pb);

/* A nested message, up to its end. */
void report_protobuf_begin(struct report_protobuf *pb, unsigned field);
void report_protobuf_end(struct report_protobuf *pb);

/* uint32, uint64, enum and bool; int32 and int64; string (UTF-8 is the caller's care). */
void report_protobuf_unsigned(struct report_protobuf *pb, unsigned field, uint64_t value);
void report_protobuf_signed(struct report_protobuf *pb, unsigned field, int64_t value);
void report_protobuf_text(struct report_protobuf *pb, unsigned field, const char *text);

/* Give what has been put together to out, and start anew. Returns 0, or -KRON_EINVAL, and nothing
 * was written, if messages are open or it was too much. Errors of out are left to its flush. */
int report_protobuf_flush(struct report_protobuf *pb, struct base_out *out);

#endif
