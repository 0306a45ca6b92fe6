/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <string.h>
#include "base/error.h"
#include "base/rng.h"
#include "boards/sample.h"

/* Every field has a value of its own in every byte. */
static const struct board_sample patterned = {
	.resource = true,
	.cpu = 5,
	.timestamp = 0xa1a2a3a4a5a6a7,
	.source = 0xb1b2b3b4,
	.data = 0xc1c2c3c4c5c6c7c8,
	.counter = { 0xd0d1d2d3, 0xd4d5d6d7, [15] = 0xe0e1e2e3 },
};

/* MK1-144, MK1-145, MK1-150: order and width of the fields, most significant byte first. */
static void a_multikron_sample_is_laid_out_as_in_tables_6_and_7(void **state)
{
	static const uint8_t start[] = { 0xb8, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xb1, 0xb2,
					 0xb3, 0xb4, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8,
					 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7 };
	static const uint8_t end[] = { 0xe0, 0xe1, 0xe2, 0xe3 };
	uint8_t bytes[BOARD_SAMPLE_MAX];
	struct board_sample trace = patterned;

	(void)state;
	CHECK_EQUAL(board_sample_encode(&board_layout_multikron, &patterned, bytes), 80);
	assert_memory_equal(bytes, start, sizeof(start));
	assert_memory_equal(bytes + 76, end, sizeof(end));
	trace.resource = false;
	CHECK_EQUAL(board_sample_encode(&board_layout_multikron, &trace, bytes), 16);
	CHECK_EQUAL(bytes[0], 0xb0);
	assert_memory_equal(bytes + 1, start + 1, 15);
}

/* MK2-161, MK2-172: 1 + 7 + 4 + 8 bytes, and sixteen counters. */
static void a_multikron2_sample_has_the_longer_stamp_and_data(void **state)
{
	static const uint8_t start[] = { 0xb8, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,
					 0xb1, 0xb2, 0xb3, 0xb4, 0xc1, 0xc2, 0xc3, 0xc4,
					 0xc5, 0xc6, 0xc7, 0xc8, 0xd0, 0xd1, 0xd2, 0xd3 };
	static const uint8_t end[] = { 0xe0, 0xe1, 0xe2, 0xe3 };
	uint8_t bytes[BOARD_SAMPLE_MAX];
	struct board_sample trace = patterned;

	(void)state;
	CHECK_EQUAL(board_sample_encode(&board_layout_multikron2, &patterned, bytes), 84);
	assert_memory_equal(bytes, start, sizeof(start));
	assert_memory_equal(bytes + 80, end, sizeof(end));
	trace.resource = false;
	CHECK_EQUAL(board_sample_encode(&board_layout_multikron2, &trace, bytes), 20);
}

static uint8_t header_of(const struct board_layout *layout, const struct board_sample *sample)
{
	uint8_t bytes[BOARD_SAMPLE_MAX];

	board_sample_encode(layout, sample, bytes);
	return bytes[0];
}

/* MK1-146, MK1-147, MK1-149, MK1-151: the test vectors of the report. */
static void multikron_headers_match_the_vectors(void **state)
{
	struct board_sample trace = { .cpu = 3 };
	struct board_sample resource = { .cpu = 3, .resource = true };
	struct board_sample fifo = { .fifo_overrun = true };
	struct board_sample shadow = { .shadow_overrun = true };

	(void)state;
	CHECK_EQUAL(header_of(&board_layout_multikron, &trace), 0x70);
	CHECK_EQUAL(header_of(&board_layout_multikron, &resource), 0x78);
	CHECK_EQUAL(header_of(&board_layout_multikron, &fifo), 0x14);
	CHECK_EQUAL(header_of(&board_layout_multikron, &shadow), 0x12);
}

/* OQ-MK2-03: the overrun flags changed places. */
static void multikron2_headers_have_shadow_before_fifo(void **state)
{
	struct board_sample fifo = { .fifo_overrun = true };
	struct board_sample shadow = { .shadow_overrun = true };

	(void)state;
	CHECK_EQUAL(header_of(&board_layout_multikron2, &fifo), 0x12);
	CHECK_EQUAL(header_of(&board_layout_multikron2, &shadow), 0x14);
}

static void lsb_first_reverses_every_field_but_not_their_order(void **state)
{
	static const uint8_t start[] = { 0xb8, 0xa7, 0xa6, 0xa5, 0xa4, 0xa3, 0xb4, 0xb3,
					 0xb2, 0xb1, 0xc8, 0xc7, 0xc6, 0xc5, 0xc4, 0xc3,
					 0xd3, 0xd2, 0xd1, 0xd0, 0xd7, 0xd6, 0xd5, 0xd4 };
	struct board_layout layout = board_layout_multikron;
	uint8_t bytes[BOARD_SAMPLE_MAX];

	(void)state;
	layout.lsb_first = true;
	CHECK_EQUAL(board_sample_encode(&layout, &patterned, bytes), 80);
	assert_memory_equal(bytes, start, sizeof(start));
}

static struct board_sample random_sample(struct base_rng *rng, const struct board_layout *layout)
{
	struct board_sample sample = {
		.resource = base_rng_below(rng, 2),
		.cpu = (uint8_t)base_rng_below(rng, 8),
		.fifo_overrun = base_rng_below(rng, 2),
		.shadow_overrun = base_rng_below(rng, 2),
		.timestamp = base_rng_next(rng) >> (64 - 8 * layout->timestamp_bytes),
		.source = (uint32_t)base_rng_next(rng),
		.data = base_rng_next(rng) >> (64 - 8 * layout->data_bytes),
	};

	for (unsigned i = 0; sample.resource && i < BOARD_SAMPLE_COUNTERS; i++)
		sample.counter[i] = (uint32_t)base_rng_next(rng);
	return sample;
}

static void check_equal(const struct board_sample *a, const struct board_sample *b)
{
	CHECK_EQUAL(a->resource, b->resource);
	CHECK_EQUAL(a->cpu, b->cpu);
	CHECK_EQUAL(a->fifo_overrun, b->fifo_overrun);
	CHECK_EQUAL(a->shadow_overrun, b->shadow_overrun);
	CHECK_EQUAL(a->timestamp, b->timestamp);
	CHECK_EQUAL(a->source, b->source);
	CHECK_EQUAL(a->data, b->data);
	assert_memory_equal(a->counter, b->counter, sizeof(a->counter));
	CHECK_EQUAL(a->lost, b->lost);
}

static void decoding_undoes_encoding(void **state)
{
	struct board_layout layouts[] = { board_layout_multikron, board_layout_multikron2,
					  board_layout_multikron, board_layout_multikron2 };
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 1);
	layouts[2].lsb_first = layouts[3].lsb_first = true;
	for (unsigned round = 0; round < 10000; round++) {
		const struct board_layout *layout = &layouts[round % 4];
		struct board_sample sent = random_sample(&rng, layout), received;
		uint8_t bytes[BOARD_SAMPLE_MAX];
		int size = board_sample_encode(layout, &sent, bytes);

		memset(&received, 0xff, sizeof(received));
		CHECK_EQUAL(board_sample_decode(layout, bytes, &received), size);
		check_equal(&received, &sent);
	}
}

/* Types 0 and 1 do not exist; on MultiKron the read error is never set (MK1-148), on MultiKron II
 * that bit means nothing. */
static void other_headers_start_no_sample(void **state)
{
	const uint8_t bytes[BOARD_SAMPLE_MAX] = { 0x11 };
	struct board_sample sample = patterned;

	(void)state;
	for (unsigned header = 0; header < 256; header++) {
		unsigned type = header >> 3 & 3;
		unsigned size = board_sample_size(&board_layout_multikron, (uint8_t)header);
		unsigned size2 = board_sample_size(&board_layout_multikron2, (uint8_t)header);

		CHECK_EQUAL(size, header & 1 || type < 2 ? 0 : type == 2 ? 16 : 80);
		CHECK_EQUAL(size2, type < 2 ? 0 : type == 2 ? 20 : 84);
	}
	CHECK(board_sample_decode(&board_layout_multikron, bytes, &sample) == -KRON_ECORRUPT);
	check_equal(&sample, &patterned);
	CHECK_EQUAL(board_sample_decode(&board_layout_multikron2, bytes, &sample), 20);
}

TEST_MAIN(TEST(a_multikron_sample_is_laid_out_as_in_tables_6_and_7),
	  TEST(a_multikron2_sample_has_the_longer_stamp_and_data),
	  TEST(multikron_headers_match_the_vectors),
	  TEST(multikron2_headers_have_shadow_before_fifo),
	  TEST(lsb_first_reverses_every_field_but_not_their_order), TEST(decoding_undoes_encoding),
	  TEST(other_headers_start_no_sample))
