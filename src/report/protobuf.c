/* SPDX-License-Identifier: Apache-2.0 */
#include "report/protobuf.h"
#include <string.h>
#include "base/error.h"

#define WIRE_VARINT   0
#define WIRE_LENGTH   2
#define VARINT_MAX    10 /* bytes of 64 bits */
#define LENGTH_SHORT  1  /* bytes kept free for a length: most messages are short */
#define VARINT_MORE   0x80
#define VARINT_BITS   7
#define FIELD_SHIFT   3
#define UTF8_CONTINUE 0x80 /* of the two highest bits, 10 */

void report_protobuf_init(struct report_protobuf *pb)
{
	pb->broken = false;
	pb->depth = 0;
	pb->used = 0;
}

/* Whether so many bytes fit; if not, nothing more is taken. */
static bool has_room(struct report_protobuf *pb, size_t size)
{
	if (size > sizeof(pb->buffer) - pb->used)
		pb->broken = true;
	return !pb->broken;
}

static size_t encode(uint8_t bytes[VARINT_MAX], uint64_t value)
{
	size_t length = 0;

	while (value >= VARINT_MORE) {
		bytes[length++] = (uint8_t)(value | VARINT_MORE);
		value >>= VARINT_BITS;
	}
	bytes[length++] = (uint8_t)value;
	return length;
}

static void put_bytes(struct report_protobuf *pb, const void *bytes, size_t size)
{
	if (!has_room(pb, size))
		return;
	memcpy(pb->buffer + pb->used, bytes, size);
	pb->used += size;
}

static void put_varint(struct report_protobuf *pb, uint64_t value)
{
	uint8_t bytes[VARINT_MAX];

	put_bytes(pb, bytes, encode(bytes, value));
}

static void put_tag(struct report_protobuf *pb, unsigned field, unsigned wire)
{
	put_varint(pb, (uint64_t)field << FIELD_SHIFT | wire);
}

void report_protobuf_begin(struct report_protobuf *pb, unsigned field)
{
	put_tag(pb, field, WIRE_LENGTH);
	if (pb->depth == REPORT_PROTOBUF_DEPTH || !has_room(pb, LENGTH_SHORT)) {
		pb->broken = true;
		return;
	}
	pb->used += LENGTH_SHORT;
	pb->start[pb->depth++] = pb->used;
}

void report_protobuf_end(struct report_protobuf *pb)
{
	uint8_t bytes[VARINT_MAX];
	size_t start, size, length;

	if (pb->broken || !pb->depth) {
		pb->broken = true;
		return;
	}
	start = pb->start[--pb->depth];
	size = pb->used - start;
	length = encode(bytes, size);
	if (!has_room(pb, length - LENGTH_SHORT))
		return;
	memmove(pb->buffer + start - LENGTH_SHORT + length, pb->buffer + start, size);
	memcpy(pb->buffer + start - LENGTH_SHORT, bytes, length);
	pb->used += length - LENGTH_SHORT;
}

void report_protobuf_unsigned(struct report_protobuf *pb, unsigned field, uint64_t value)
{
	put_tag(pb, field, WIRE_VARINT);
	put_varint(pb, value);
}

/* int32 and int64 are their two's complement in 64 bits. */
void report_protobuf_signed(struct report_protobuf *pb, unsigned field, int64_t value)
{
	report_protobuf_unsigned(pb, field, (uint64_t)value);
}

static size_t text_length(const char *text)
{
	size_t length = strnlen(text, REPORT_PROTOBUF_TEXT + 1);

	if (length <= REPORT_PROTOBUF_TEXT)
		return length;
	length = REPORT_PROTOBUF_TEXT;
	while (length && ((unsigned char)text[length] & 0xc0) == UTF8_CONTINUE)
		length--;
	return length;
}

void report_protobuf_text(struct report_protobuf *pb, unsigned field, const char *text)
{
	size_t length = text_length(text);

	put_tag(pb, field, WIRE_LENGTH);
	put_varint(pb, length);
	put_bytes(pb, text, length);
}

int report_protobuf_flush(struct report_protobuf *pb, struct base_out *out)
{
	bool good = !pb->broken && !pb->depth;

	if (good)
		base_out_write(out, pb->buffer, pb->used);
	report_protobuf_init(pb);
	return good ? 0 : -KRON_EINVAL;
}
