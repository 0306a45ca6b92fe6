/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/packet.h"
#include <limits.h>

uint8_t *trace_packet_u32(uint8_t *at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		*at++ = (uint8_t)(value >> 8 * i);
	return at;
}

uint8_t *trace_packet_u64(uint8_t *at, uint64_t value)
{
	return trace_packet_u32(trace_packet_u32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

void trace_packet_head(uint8_t *at, const struct trace_packet *packet)
{
	uint64_t bits = (TRACE_HEADER_BYTES + packet->bytes) * CHAR_BIT;

	at = trace_packet_u32(at, TRACE_MAGIC);
	at = trace_packet_u32(at, 0);
	at = trace_packet_u64(at, packet->stream);
	at = trace_packet_u64(at, packet->begin);
	at = trace_packet_u64(at, packet->end);
	at = trace_packet_u64(at, bits);
	at = trace_packet_u64(at, bits);
	at = trace_packet_u64(at, packet->number);
	at = trace_packet_u64(at, packet->discarded);
	at = trace_packet_u32(at, packet->source);
	trace_packet_u32(at, packet->cpu);
}
