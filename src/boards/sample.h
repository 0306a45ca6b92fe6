/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of MultiKron or MultiKron II, and its bytes on the collection network.
 *
 *                    header  time stamp  source  user data  counters 0..15
 *   MultiKron           1        5          4        6        resource: 16 x 4     16 or 80 bytes
 *   MultiKron II        1        7          4        8        resource: 16 x 4     20 or 84 bytes
 *
 * Header, from bit 7: CPU 3 bits, type 2 bits (2 trace, 3 resource), then on MultiKron FIFO
 * overrun, shadow overrun, read error (never set); on MultiKron II shadow overrun, FIFO overrun, a
 * bit that means nothing. Fields have their most significant byte first, unless lsb_first. */
#ifndef BOARDS_SAMPLE_H
#define BOARDS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#define BOARD_SAMPLE_COUNTERS 16
#define BOARD_SAMPLE_MAX      84 /* bytes of the longest sample */

struct board_sample {
	bool resource; /* counter[] is valid */
	uint8_t cpu;
	bool fifo_overrun;
	bool shadow_overrun;
	uint64_t timestamp; /* as many bits as the chip sends */
	uint32_t source;
	uint64_t data;
	uint32_t counter[BOARD_SAMPLE_COUNTERS]; /* zero in a trace sample */
	uint64_t lost; /* samples lost in all before this one was accepted; filled by the board */
};

/* What differs between the chips on the wire. Copy one to set lsb_first. */
struct board_layout {
	uint8_t trace_bytes;
	uint8_t resource_bytes;
	uint8_t timestamp_bytes;
	uint8_t data_bytes;
	uint8_t fifo_overrun;   /* mask in the header */
	uint8_t shadow_overrun; /* mask in the header */
	uint8_t must_be_zero;   /* header bits that are never set */
	bool lsb_first;         /* OQ-MK1-02 */
};

extern const struct board_layout board_layout_multikron;
extern const struct board_layout board_layout_multikron2;

/* Bytes of the sample that starts with this header; 0 if no sample does. */
unsigned board_sample_size(const struct board_layout *layout, uint8_t header);

/* Bytes to sample; lost becomes 0. bytes must hold as many as its first one promises.
 * Returns that number, or -KRON_ECORRUPT, with *sample untouched, if no sample starts so. */
int board_sample_decode(const struct board_layout *layout, const uint8_t *bytes,
			struct board_sample *sample);

/* Sample to bytes; bits that do not fit their field are cut off. Returns how many bytes, at most
 * BOARD_SAMPLE_MAX. */
int board_sample_encode(const struct board_layout *layout, const struct board_sample *sample,
			uint8_t *bytes);

#endif
