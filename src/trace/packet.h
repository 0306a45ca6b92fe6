/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a CTF packet, as ctf.h describes it. */
#ifndef TRACE_PACKET_H
#define TRACE_PACKET_H

#include <stdint.h>
#include "trace/ctf.h"

struct trace_packet {
	uint64_t stream; /* its number */
	uint64_t begin;  /* time of the first event */
	uint64_t end;    /* time of the last event */
	uint64_t bytes;  /* of events behind the head */
	uint64_t number; /* of the packet in its stream */
	uint64_t discarded;
	uint32_t source;
	uint32_t cpu;
};

/* Write a number, least significant byte first. Return where the next one goes. */
uint8_t *trace_packet_u32(uint8_t *at, uint32_t value);
uint8_t *trace_packet_u64(uint8_t *at, uint64_t value);

/* Write TRACE_HEADER_BYTES. */
void trace_packet_head(uint8_t *at, const struct trace_packet *packet);

#endif
