/* SPDX-License-Identifier: Apache-2.0 */
/* Any sequence of elements, to both receivers.
 *
 * The input is pairs of bytes: the element's byte, then bit 0 its parity, bit 1 EOM, bit 2 "parity
 * is right, whatever bit 0 says" (so that the fuzzer gets past it), bit 7 a cut before it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "boards/receiver.h"

#define FLAG_PARITY 1
#define FLAG_EOM    2
#define FLAG_GOOD   4
#define FLAG_CUT    128

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
	if (!condition)
		abort();
}

/* What was received in this message. */
struct history {
	uint8_t byte[BOARD_RECEIVER_BUFFER * 4];
	bool good[BOARD_RECEIVER_BUFFER * 4];
	size_t count;
};

static bool odd_parity(uint8_t byte)
{
	return __builtin_popcount(byte) % 2 == 0;
}

static void remember(struct history *history, uint8_t byte, bool parity)
{
	if (history->count == sizeof(history->byte)) {
		history->count = sizeof(history->byte) / 2;
		memmove(history->byte, history->byte + history->count, history->count);
		memmove(history->good, history->good + history->count, history->count);
	}
	history->byte[history->count] = byte;
	history->good[history->count++] = parity == odd_parity(byte);
}

/* The sample is the last elements of the message, all with good parity. */
static void check_sample(const struct board_layout *layout, const struct history *history,
			 const struct board_sample *sample)
{
	uint8_t bytes[BOARD_SAMPLE_MAX];
	size_t size = (size_t)board_sample_encode(layout, sample, bytes);
	size_t start = history->count - size;

	require(size <= history->count);
	require(size == (sample->resource ? layout->resource_bytes : layout->trace_bytes));
	if (!layout->must_be_zero)
		bytes[0] |= history->byte[start] & 1;
	require(!memcmp(bytes, history->byte + start, size));
	for (size_t i = start; i < history->count; i++)
		require(history->good[i]);
}

static void check_counts(const struct board_receiver *receiver)
{
	const struct board_receiver_counts *counts = &receiver->counts;

	require(counts->elements == counts->delivered + counts->dropped + receiver->length);
	require(board_receiver_drops(receiver) <= counts->dropped);
	require((board_receiver_drops(receiver) == 0) == (counts->dropped == 0));
	require(receiver->held <= BOARD_RECEIVER_BUFFER);
}

static void receive(const struct board_layout *layout, const uint8_t *data, size_t size)
{
	struct history history = { .count = 0 };
	struct board_receiver receiver;
	struct board_sample sample;

	board_receiver_init(&receiver, layout);
	for (size_t i = 0; i + 1 < size; i += 2) {
		uint8_t flags = data[i + 1];
		bool parity = flags & FLAG_GOOD ? odd_parity(data[i]) : flags & FLAG_PARITY;

		if (flags & FLAG_CUT) {
			board_receiver_cut(&receiver);
			history.count = 0;
		}
		remember(&history, data[i], parity);
		if (board_receiver_element(&receiver, data[i], parity, flags & FLAG_EOM, &sample))
			check_sample(layout, &history, &sample);
		if (flags & FLAG_EOM)
			history.count = 0;
		check_counts(&receiver);
	}
	board_receiver_cut(&receiver);
	check_counts(&receiver);
	require(receiver.length == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	receive(&board_layout_multikron, data, size);
	receive(&board_layout_multikron2, data, size);
	return 0;
}
