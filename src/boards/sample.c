/* SPDX-License-Identifier: Apache-2.0 */
#include "boards/sample.h"
#include <string.h>
#include "base/error.h"

#define TYPE_TRACE    2
#define TYPE_RESOURCE 3

const struct board_layout board_layout_multikron = {
	.trace_bytes = 16,
	.resource_bytes = 80,
	.timestamp_bytes = 5,
	.data_bytes = 6,
	.fifo_overrun = 1 << 2,
	.shadow_overrun = 1 << 1,
	.must_be_zero = 1 << 0,
};

const struct board_layout board_layout_multikron2 = {
	.trace_bytes = 20,
	.resource_bytes = 84,
	.timestamp_bytes = 7,
	.data_bytes = 8,
	.fifo_overrun = 1 << 1,
	.shadow_overrun = 1 << 2,
};

unsigned board_sample_size(const struct board_layout *layout, uint8_t header)
{
	unsigned type = header >> 3 & 3;

	if (header & layout->must_be_zero)
		return 0;
	if (type == TYPE_TRACE)
		return layout->trace_bytes;
	return type == TYPE_RESOURCE ? layout->resource_bytes : 0;
}

static uint64_t take_field(const struct board_layout *layout, const uint8_t **bytes, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value = value << 8 | (*bytes)[layout->lsb_first ? size - 1 - i : i];
	*bytes += size;
	return value;
}

static void put_field(const struct board_layout *layout, uint8_t **bytes, unsigned size,
		      uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		(*bytes)[layout->lsb_first ? i : size - 1 - i] = (uint8_t)(value >> 8 * i);
	*bytes += size;
}

int board_sample_decode(const struct board_layout *layout, const uint8_t *bytes,
			struct board_sample *sample)
{
	uint8_t header = *bytes++;
	unsigned size = board_sample_size(layout, header);

	if (!size)
		return -KRON_ECORRUPT;
	memset(sample, 0, sizeof(*sample));
	sample->resource = size == layout->resource_bytes;
	sample->cpu = header >> 5;
	sample->fifo_overrun = header & layout->fifo_overrun;
	sample->shadow_overrun = header & layout->shadow_overrun;
	sample->timestamp = take_field(layout, &bytes, layout->timestamp_bytes);
	sample->source = (uint32_t)take_field(layout, &bytes, 4);
	sample->data = take_field(layout, &bytes, layout->data_bytes);
	for (unsigned i = 0; sample->resource && i < BOARD_SAMPLE_COUNTERS; i++)
		sample->counter[i] = (uint32_t)take_field(layout, &bytes, 4);
	return (int)size;
}

int board_sample_encode(const struct board_layout *layout, const struct board_sample *sample,
			uint8_t *bytes)
{
	unsigned type = sample->resource ? TYPE_RESOURCE : TYPE_TRACE;
	unsigned flags = (sample->fifo_overrun ? layout->fifo_overrun : 0U) |
			 (sample->shadow_overrun ? layout->shadow_overrun : 0U);
	uint8_t header = (uint8_t)((sample->cpu & 7U) << 5 | type << 3 | flags);

	*bytes++ = header;
	put_field(layout, &bytes, layout->timestamp_bytes, sample->timestamp);
	put_field(layout, &bytes, 4, sample->source);
	put_field(layout, &bytes, layout->data_bytes, sample->data);
	for (unsigned i = 0; sample->resource && i < BOARD_SAMPLE_COUNTERS; i++)
		put_field(layout, &bytes, 4, sample->counter[i]);
	return (int)board_sample_size(layout, header);
}
