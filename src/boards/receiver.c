/* SPDX-License-Identifier: Apache-2.0 */
#include "boards/receiver.h"
#include <string.h>

/* Costs of explanations, in damaged elements. They are compared, nothing else. */
#define COST_LOST_EOM  1
#define COST_STRAY_EOM 1
#define COST_HEADER    1 /* the first byte is not the header that was sent */
#define COST_TRUNCATED BOARD_RECEIVER_SLACK
#define COST_NO_START  3 /* the stream starts inside this sample; dearer than any single damage */
#define COST_NEVER     UINT64_MAX

void board_receiver_init(struct board_receiver *receiver, const struct board_layout *layout)
{
	memset(receiver, 0, sizeof(*receiver));
	receiver->layout = layout;
}

static bool parity_odd(uint8_t byte, bool parity)
{
	return (__builtin_popcount(byte) + parity) % 2 == 1;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What the header of the message promises; 0 if it is damaged. */
static unsigned expected(const struct board_receiver *receiver)
{
	if (!receiver->header_good)
		return 0;
	return board_sample_size(receiver->layout, receiver->header);
}

/* An element never changes a message's length beyond one, so damage is measured in length. */
static uint64_t cost_of_length(const struct board_receiver *receiver, uint64_t length)
{
	uint64_t cost = COST_HEADER + min(distance(length, receiver->layout->trace_bytes),
					  distance(length, receiver->layout->resource_bytes));
	unsigned size = expected(receiver);

	return size ? min(cost, distance(length, size)) : cost;
}

/* All of the message is one damaged sample. */
static uint64_t cost_of_one(const struct board_receiver *receiver)
{
	uint64_t cost = cost_of_length(receiver, receiver->length);

	if (receiver->length < expected(receiver))
		cost = min(cost, COST_STRAY_EOM);
	if (!receiver->started)
		cost = min(cost, COST_NO_START);
	return cost;
}

static bool ends_with_sample(const struct board_receiver *receiver, unsigned size)
{
	if (size > receiver->held || receiver->last_bad > receiver->length - size)
		return false;
	return board_sample_size(receiver->layout, receiver->byte[receiver->held - size]) == size;
}

/* The message is debris, then an intact sample of this size. */
static uint64_t cost_of_debris(const struct board_receiver *receiver, unsigned size)
{
	uint64_t debris = receiver->length - size;
	uint64_t lost_eom = COST_LOST_EOM + cost_of_length(receiver, debris);

	if (!ends_with_sample(receiver, size))
		return COST_NEVER;
	/* Slipped in between two samples, element by element; or a sample cut short. */
	lost_eom = min(lost_eom, debris);
	if (debris < expected(receiver))
		lost_eom = min(lost_eom, COST_TRUNCATED);
	return lost_eom;
}

/* Size of the intact sample at the end of the message; 0 if there is none. */
static unsigned find_sample(const struct board_receiver *receiver)
{
	unsigned trace = receiver->layout->trace_bytes;
	unsigned resource = receiver->layout->resource_bytes;
	uint64_t best = cost_of_one(receiver);
	unsigned size = 0;

	if (receiver->length == trace || receiver->length == resource)
		return ends_with_sample(receiver, (unsigned)receiver->length)
			       ? (unsigned)receiver->length
			       : 0;
	if (receiver->length > resource && cost_of_debris(receiver, resource) < best) {
		best = cost_of_debris(receiver, resource);
		size = resource;
	}
	if (receiver->length > trace && cost_of_debris(receiver, trace) < best)
		size = trace;
	return size;
}

/* Count the first `length` elements of the message as one piece that was dropped. */
static void drop(struct board_receiver *receiver, uint64_t length)
{
	struct board_receiver_counts *counts = &receiver->counts;
	unsigned size = board_sample_size(receiver->layout, receiver->header);

	counts->dropped += length;
	if (length > BOARD_RECEIVER_BUFFER)
		counts->overflow++;
	else if (receiver->last_bad)
		counts->parity++;
	else if (!size)
		counts->type++;
	else if (length < size)
		counts->early++;
	else
		counts->late++;
}

/* A stray EOM in the middle of a sample leaves the rest of it as a message of its own. If the EOM
 * came with an element of its own that was slipped in, the rest is one longer than it seems. */
static bool is_tail(const struct board_receiver *receiver)
{
	unsigned missing = receiver->missing;

	return missing && (receiver->length == missing ||
			   (receiver->longer && receiver->length == missing + 1));
}

static void deliver(struct board_receiver *receiver, unsigned size, struct board_sample *sample)
{
	board_sample_decode(receiver->layout, receiver->byte + receiver->held - size, sample);
	receiver->counts.samples++;
	receiver->counts.delivered += size;
}

static void start_message(struct board_receiver *receiver)
{
	receiver->length = 0;
	receiver->last_bad = 0;
	receiver->held = 0;
	receiver->started = true;
}

/* The message is complete. */
static int judge(struct board_receiver *receiver, struct board_sample *sample)
{
	bool tail = is_tail(receiver);
	unsigned size = tail ? 0 : find_sample(receiver);
	unsigned promised = expected(receiver);

	receiver->missing = 0;
	if (size)
		deliver(receiver, size, sample);
	if (tail) {
		receiver->counts.dropped += receiver->length;
	} else if (receiver->length > size) {
		drop(receiver, receiver->length - size);
		if (!size && receiver->length < promised)
			receiver->missing = promised - (unsigned)receiver->length;
		receiver->longer = receiver->length > 1;
	}
	start_message(receiver);
	return size > 0;
}

/* Make room by forgetting all but what can still become a sample. */
static void forget(struct board_receiver *receiver)
{
	memmove(receiver->byte, receiver->byte + receiver->held - BOARD_SAMPLE_MAX,
		BOARD_SAMPLE_MAX);
	receiver->held = BOARD_SAMPLE_MAX;
}

int board_receiver_element(struct board_receiver *receiver, uint8_t byte, bool parity, bool eom,
			   struct board_sample *sample)
{
	bool good = parity_odd(byte, parity);

	receiver->counts.elements++;
	if (receiver->held == BOARD_RECEIVER_BUFFER)
		forget(receiver);
	receiver->byte[receiver->held++] = byte;
	if (receiver->length++ == 0) {
		receiver->header = byte;
		receiver->header_good = good;
	}
	if (!good)
		receiver->last_bad = receiver->length;
	return eom ? judge(receiver, sample) : 0;
}

void board_receiver_cut(struct board_receiver *receiver)
{
	receiver->missing = 0;
	if (receiver->length)
		drop(receiver, receiver->length);
	start_message(receiver);
}

uint64_t board_receiver_drops(const struct board_receiver *receiver)
{
	const struct board_receiver_counts *counts = &receiver->counts;

	return counts->overflow + counts->parity + counts->type + counts->early + counts->late;
}

uint64_t board_time_extend(struct board_time *time, uint64_t stamp, uint64_t elapsed)
{
	uint64_t mask = UINT64_MAX >> (64 - time->bits);
	uint64_t extended = (time->last & ~mask) | (stamp & mask);
	uint64_t back = time->last - extended;

	if (extended < time->last && mask - back < elapsed)
		extended += mask + 1;
	else if (extended < time->last)
		extended = stamp & mask;
	time->last = extended;
	return extended;
}
