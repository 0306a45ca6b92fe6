/* SPDX-License-Identifier: Apache-2.0 */
/* The far end of the collection network: 10-bit elements in, samples out.
 *
 * An element is a byte, its odd parity, and EOM, which stands on the last byte of a sample only.
 * The claim: damage to one element (a flipped bit, an element changed, lost, doubled or slipped in)
 * costs at most the sample it touches. All others come out unchanged and in order, and nothing
 * comes out that was not sent.
 *
 * How: EOM splits the stream into messages. An intact sample ends with an EOM, so a message holds
 * at most one, at its end. A message that is exactly a sample is delivered; one of another length
 * is explained by the least damage. Only if that explanation says "debris, then an intact sample"
 * is its end delivered; in a tie nothing is. What a stray EOM cuts off is known by its length.
 *
 * What the elements cannot tell:
 *   1. A byte changed together with its parity, or a good element with EOM slipped in before the
 *      last one: a wrong sample with nothing wrong about it. It is delivered.
 *   2. An element slipped in before a sample that is itself the header of a sample at least as
 *      long: the start of that sample, or not? Taken as its start; the sample behind it is lost.
 *   3. A sample cut short without EOM (the chip was reset), then an intact one. Both are lost if
 *      together they are as long as a sample, shorter than the header of the first says, or at
 *      most BOARD_RECEIVER_SLACK longer, or if it is the first sample of a stream. Who knows of the
 *      reset calls board_receiver_cut() and loses only the one.
 *   4. A stream that starts inside a sample. Its tail may happen to look like a sample, and a tail
 *      that looks like the first part of a sample may cost the sample behind it.
 *   5. Several damages in one sample or in neighbours: what is delivered has good parity, a known
 *      type and the right length, but may never have been sent. */
#ifndef BOARDS_RECEIVER_H
#define BOARDS_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>
#include "boards/sample.h"

#define BOARD_RECEIVER_BUFFER 512 /* elements kept of a message that does not end */
#define BOARD_RECEIVER_SLACK  4   /* elements; more than that too many is a sample cut short */

/* Always: elements == delivered + dropped + what has arrived since the last EOM.
 * A dropped piece is counted once, under the first of its causes as they stand here. A sample that
 * a stray EOM breaks in two is one piece. */
struct board_receiver_counts {
	uint64_t elements;  /* seen */
	uint64_t samples;   /* delivered */
	uint64_t delivered; /* elements of these */
	uint64_t dropped;   /* elements not delivered */
	/* Pieces dropped, by cause. */
	uint64_t overflow; /* no EOM within BOARD_RECEIVER_BUFFER elements */
	uint64_t parity;   /* an element with even parity */
	uint64_t type;     /* no sample starts with such a header */
	uint64_t early;    /* ends before its header says: EOM too early, or cut short */
	uint64_t late;     /* goes on longer than its header says: EOM missing */
};

/* The caller's; nothing to free. Read counts; leave the rest alone. */
struct board_receiver {
	const struct board_layout *layout;
	struct board_receiver_counts counts;
	uint64_t length;   /* elements since the last EOM */
	uint64_t last_bad; /* of these, the last with even parity, counted from 1; 0 if none */
	unsigned held;     /* the last of these are in byte[] */
	unsigned missing;  /* the message before ended so much before its header says; 0 if not */
	bool longer;       /* that message was longer than one element */
	bool started;      /* an EOM was seen, so the next message starts with a sample */
	uint8_t header;    /* first byte since the last EOM */
	bool header_good;  /* it has good parity */
	uint8_t byte[BOARD_RECEIVER_BUFFER];
};

/* layout must outlive the receiver. */
void board_receiver_init(struct board_receiver *receiver, const struct board_layout *layout);

/* One element. Returns 1 if it completed a sample, which is now in *sample, or 0, with *sample
 * untouched. */
int board_receiver_element(struct board_receiver *receiver, uint8_t byte, bool parity, bool eom,
			   struct board_sample *sample);

/* The sample under way will not go on: the chip was reset, or the stream has ended. */
void board_receiver_cut(struct board_receiver *receiver);

/* Pieces dropped, for whatever cause. */
uint64_t board_receiver_drops(const struct board_receiver *receiver);

/* The time stamps of one chip, extended to 64 bits. Start with last 0 and the bits the chip sends,
 * 8 * layout.timestamp_bytes. Right for any length of time if the chip's first sample comes before
 * its stamp has wrapped, and one at least per wrap after that (MK1-051). Stamps must not go back: a
 * smaller one means a wrap if `elapsed`, the most clocks that may have passed since the stamp before,
 * allows it; otherwise the clock was set back, and the stamp is returned as it is. After a hardware
 * reset start again. */
struct board_time {
	uint64_t last;
	unsigned bits; /* 1..64 */
};

uint64_t board_time_extend(struct board_time *time, uint64_t stamp, uint64_t elapsed);

#endif
