/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II: pairs of resource counters as one counter of 64 bits. */
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

#define DOUBLE(mode) (MULTIKRON2_MODE_DOUBLE | (mode))

/* The value of the pair whose even counter is i. */
static uint64_t pair(const struct mk2_bus *bus, unsigned i)
{
	unsigned low = i + (bus->chip.config.odd_word_low ? 1 : 0);

	return (uint64_t)multikron2_counter(&bus->chip, low ^ 1) << 32 |
	       multikron2_counter(&bus->chip, low);
}

static void load(struct mk2_bus *bus, unsigned i, uint64_t value)
{
	unsigned low = i + (bus->chip.config.odd_word_low ? 1 : 0);

	mk2_bus_write(bus, MULTIKRON2_COUNTER + low, value & UINT32_MAX);
	mk2_bus_write(bus, MULTIKRON2_COUNTER + (low ^ 1), value >> 32);
}

static void enable(struct mk2_bus *bus, unsigned i, unsigned how)
{
	mk2_bus_write(bus, MULTIKRON2_ENABLE, MULTIKRON2_FIELD(i, how));
}

/* A chip with counter i and its partner as one software counter, loaded and enabled. */
static void start(struct mk2_bus *bus, const struct multikron2_config *config, unsigned i,
		  uint64_t value)
{
	mk2_bus_init(bus, config);
	mk2_bus_write(bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(i, DOUBLE(MULTIKRON2_MODE_SOFTWARE)));
	load(bus, i, value);
	enable(bus, i, MULTIKRON2_ENABLE_KEEP);
}

static void increment(struct mk2_bus *bus, unsigned i, unsigned times)
{
	while (times--)
		mk2_bus_write(bus, MULTIKRON2_COUNTER_NO_COPY + i, 0);
}

/* Pairs are (0,1), (2,3) and so on: the even counter carries into the odd one above it, and nobody
 * else takes part. MK2-144 MK2-152 MK2-153 */
static void even_counter_carries_into_the_odd_one(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i += 2) {
		start(&bus, NULL, i, UINT64_C(0x00000005fffffffe));
		for (unsigned n = 0; n < 4; n++) {
			CHECK_ROW(i, pair(&bus, i), UINT64_C(0x00000005fffffffe) + n);
			increment(&bus, i, 1);
		}
		CHECK_ROW(i, multikron2_counter(&bus.chip, i), 2);
		CHECK_ROW(i, multikron2_counter(&bus.chip, i + 1), 6);
		for (unsigned j = 0; j < MULTIKRON_COUNTERS; j++)
			if (j / 2 != i / 2)
				CHECK_ROW(i, multikron2_counter(&bus.chip, j), 0);
	}
}

/* The carry works for every source: clocks, gated clocks, edges, pulses, and each select.
 * MK2-153 */
static void every_source_carries(void **state)
{
	/* What is counted in 3000 clocks from a hundred on, every third a time stamp clock. */
	static const struct {
		unsigned mode, clock;
		uint64_t counts;
	} rows[] = {
		{ MULTIKRON2_MODE_CLOCK, MULTIKRON2_CLOCK_NODE, 3000 },
		{ MULTIKRON2_MODE_CLOCK, MULTIKRON2_CLOCK_NODE_10, 300 },
		{ MULTIKRON2_MODE_CLOCK, MULTIKRON2_CLOCK_NODE_100, 30 },
		{ MULTIKRON2_MODE_CLOCK, MULTIKRON2_CLOCK_STAMP, 1000 },
		{ MULTIKRON2_MODE_GATED, MULTIKRON2_CLOCK_NODE, 1500 },
		{ MULTIKRON2_MODE_EXTERNAL, MULTIKRON2_CLOCK_NODE, 1500 },
	};
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		const uint64_t first = UINT64_C(0x2fffffff0);

		mk2_bus_init(&bus, NULL);
		mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(6, DOUBLE(rows[r].mode)));
		mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_FIELD(6, rows[r].clock));
		load(&bus, 6, first);
		mk2_bus_clock(&bus, 98 - bus.ticks % 100);
		enable(&bus, 6, MULTIKRON2_ENABLE_KEEP);
		for (unsigned n = 0; n < 3000; n++)
			mk2_bus_drive(&bus,
				      (n % 3 == 0 ? MULTIKRON2_TSCLK : 0) |
					      (n % 2 ? MULTIKRON2_X(6) : MULTIKRON2_X(7)),
				      0);
		CHECK_ROW(r, pair(&bus, 6), first + rows[r].counts);
	}
	mk2_bus_clock(&bus, 1); /* X low again */
	uint64_t before = pair(&bus, 6);

	for (unsigned n = 0; n < 50; n++)
		mk2_bus_pulse(&bus, UINT16_C(3) << 6);
	CHECK_EQUAL(pair(&bus, 6), before + 50);
}

/* The even fields govern: whatever the odd counter's mode, clock, enable and X pin say is kept, and
 * does nothing while the pair is a pair. MK2-144 MK2-153 */
static void odd_settings_do_nothing_in_a_pair(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < 8 * 4; r++) {
		unsigned mode = r / 4, how = r % 4;

		start(&bus, NULL, 2, UINT64_C(0x700000007));
		mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(3, mode));
		mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT,
			      MULTIKRON2_FIELD(3, MULTIKRON2_CLOCK_NODE));
		enable(&bus, 3, how); /* disabling and clearing the odd half included */
		mk2_bus_set(&bus, MULTIKRON2_X(3));
		mk2_bus_clock(&bus, 20);
		mk2_bus_pulse(&bus, 0x8);
		increment(&bus, 3, 5); /* at the odd address: ignored */
		CHECK_ROW(r, pair(&bus, 2), UINT64_C(0x700000007));
		increment(&bus, 2, 3);
		CHECK_ROW(r, pair(&bus, 2), UINT64_C(0x70000000a));
		CHECK_ROW(r, bus.chip.mode >> 12 & 15, mode ? mode : 4);
		CHECK_ROW(r, bus.chip.enable >> 12 & 15, how < 2 ? 1 : 2);
	}
}

/* Bit 3 in an odd field pairs nobody: not with the counter below, not with the one above.
 * MK2-144 */
static void double_precision_bit_of_an_odd_field_is_ignored(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_MODE, UINT64_C(0xa2a2a2a2a2a2a2a2));
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_MODE), UINT64_C(0xa2a2a2a2a2a2a2a2));
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_KEEP));
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		mk2_bus_write(&bus, MULTIKRON2_COUNTER + i, UINT32_MAX - 1);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		increment(&bus, i, 3);
		CHECK_ROW(i, multikron2_counter(&bus.chip, i), UINT32_MAX); /* it sticks, alone */
		for (unsigned j = i + 1; j < MULTIKRON_COUNTERS; j++)
			CHECK_ROW(i, multikron2_counter(&bus.chip, j), UINT32_MAX - 1);
	}
}

/* Clearing by the even field clears both words; disabling it stops both. MK2-153 MK2-148 */
static void even_enable_field_clears_and_stops_both_words(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, NULL, 4, UINT64_C(0x1234567ffffffff));
	enable(&bus, 4, MULTIKRON2_DISABLE);
	increment(&bus, 4, 3);
	CHECK_EQUAL(pair(&bus, 4), UINT64_C(0x1234567ffffffff));
	enable(&bus, 4, MULTIKRON2_ENABLE_KEEP);
	increment(&bus, 4, 1);
	CHECK_EQUAL(pair(&bus, 4), UINT64_C(0x123456800000000));
	enable(&bus, 4, MULTIKRON2_ENABLE_RESET);
	CHECK_EQUAL(pair(&bus, 4), 0);
	increment(&bus, 4, 2);
	CHECK_EQUAL(pair(&bus, 4), 2);
	/* In single precision it would have spared the odd one. */
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(4, MULTIKRON2_MODE_SOFTWARE));
	mk2_bus_write(&bus, MULTIKRON2_COUNTER + 5, 55);
	enable(&bus, 4, MULTIKRON2_ENABLE_RESET);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 4), 0);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 5), 55);
}

/* Each word is loaded at its own address and nothing else moves; the next count starts from
 * both. */
static void words_are_loaded_one_by_one(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, NULL, 8, 0);
	mk2_bus_write(&bus, MULTIKRON2_COUNTER + 9, 0xaaaaaaaa);
	CHECK_EQUAL(pair(&bus, 8), UINT64_C(0xaaaaaaaa00000000));
	mk2_bus_write(&bus, MULTIKRON2_COUNTER + 8, 0xffffffff);
	CHECK_EQUAL(pair(&bus, 8), UINT64_C(0xaaaaaaaaffffffff));
	increment(&bus, 8, 1);
	CHECK_EQUAL(pair(&bus, 8), UINT64_C(0xaaaaaaab00000000));
	mk2_bus_write(&bus, MULTIKRON2_COUNTER + 9, 1);
	CHECK_EQUAL(pair(&bus, 8), UINT64_C(0x0000000100000000));
}

/* A load of one word of a pair that counts node clocks: the written word stays in that clock,
 * and the other is neither lost nor loaded. */
static void words_are_loaded_while_the_pair_counts(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_MODE, DOUBLE(MULTIKRON2_MODE_CLOCK));
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_CLOCK_NODE);
	enable(&bus, 0, MULTIKRON2_ENABLE_RESET);
	mk2_bus_clock(&bus, 10);
	mk2_bus_write(&bus, MULTIKRON2_COUNTER + 1, 77);
	CHECK_EQUAL(pair(&bus, 0), (UINT64_C(77) << 32) + 12);
	mk2_bus_write(&bus, MULTIKRON2_COUNTER, 0xfffffff0);
	CHECK_EQUAL(pair(&bus, 0), UINT64_C(0x4dfffffff0));
	mk2_bus_clock(&bus, 100);
	CHECK_EQUAL(pair(&bus, 0), UINT64_C(0x4dfffffff0) + 100);
}

/* Read with copy of one half and without copy of the other: always the same instant, also while the
 * carry runs through; two reads with copy are two instants and may tear. MK2-136 MK2-137 */
static void halves_read_with_one_copy_belong_together(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned n = 0; n < 12; n++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_write(&bus, MULTIKRON2_MODE, DOUBLE(MULTIKRON2_MODE_CLOCK));
		mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_CLOCK_NODE);
		load(&bus, 0, UINT64_C(0x3fffffff8));
		enable(&bus, 0, MULTIKRON2_ENABLE_KEEP);
		mk2_bus_clock(&bus, n);
		uint64_t low = mk2_bus_read(&bus, MULTIKRON2_COUNTER) & UINT32_MAX;
		uint64_t high = mk2_bus_read(&bus, MULTIKRON2_COUNTER_NO_COPY + 1) & UINT32_MAX;

		CHECK_ROW(n, high << 32 | low, UINT64_C(0x3fffffff8) + n + 2);
	}
	/* n = 4: the low word is read before, the high word after the carry. */
	mk2_bus_init(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_MODE, DOUBLE(MULTIKRON2_MODE_CLOCK));
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_CLOCK_NODE);
	load(&bus, 0, UINT64_C(0x3fffffff8));
	enable(&bus, 0, MULTIKRON2_ENABLE_KEEP);
	mk2_bus_clock(&bus, 4);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_COUNTER), MK2_WORD(0xfffffffe));
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_COUNTER + 1), MK2_WORD(4));
}

/* A pair sticks at 2^64-1, both words, and 2^32-1 in the low word is nothing special. MK2-133 */
static void pair_sticks_at_its_maximum(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, NULL, 12, UINT64_MAX - 2);
	for (unsigned n = 0; n < 6; n++) {
		CHECK_ROW(n, pair(&bus, 12), UINT64_MAX - (n < 2 ? 2 - n : 0));
		increment(&bus, 12, 1);
	}
	mk2_bus_write(&bus, MULTIKRON2_COUNTER + 12, 5); /* out of it by a load */
	increment(&bus, 12, 1);
	CHECK_EQUAL(pair(&bus, 12), UINT64_C(0xffffffff00000006));
	load(&bus, 12, UINT64_MAX);
	enable(&bus, 12, MULTIKRON2_ENABLE_RESET);
	CHECK_EQUAL(pair(&bus, 12), 0);
	load(&bus, 12, UINT32_MAX);
	increment(&bus, 12, 1);
	CHECK_EQUAL(pair(&bus, 12), UINT64_C(1) << 32);
}

/* Saturation by clocks, in one clock at a time and in one stride past the end. MK2-133 */
static void clocked_pair_sticks_at_its_maximum(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned stride = 0; stride < 2; stride++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_write(&bus, MULTIKRON2_MODE, DOUBLE(MULTIKRON2_MODE_CLOCK));
		mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_CLOCK_NODE);
		load(&bus, 0, UINT64_MAX - 50);
		enable(&bus, 0, MULTIKRON2_ENABLE_KEEP);
		if (stride)
			mk2_bus_run(&bus, UINT64_MAX);
		else
			mk2_bus_clock(&bus, 49);
		CHECK_ROW(stride, pair(&bus, 0), UINT64_MAX - !stride);
		mk2_bus_clock(&bus, 10);
		CHECK_ROW(stride, pair(&bus, 0), UINT64_MAX);
	}
}

/* A 64-bit counter fills in 11 690 years at 50 MHz, ten times that at a tenth, a hundred times at a
 * hundredth. MK2-134 */
static void pair_fills_after_2_to_the_64_clocks(void **state)
{
	static const struct {
		unsigned clock, divisor;
		unsigned years; /* of 31557600 s at 50 MHz */
	} rows[] = {
		{ MULTIKRON2_CLOCK_NODE, 1, 11690 },
		{ MULTIKRON2_CLOCK_NODE_10, 10, 116908 },
		{ MULTIKRON2_CLOCK_NODE_100, 100, 1169084 },
	};
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < 3; r++) {
		const unsigned divisor = rows[r].divisor;

		mk2_bus_init(&bus, NULL);
		mk2_bus_write(&bus, MULTIKRON2_MODE, DOUBLE(MULTIKRON2_MODE_CLOCK));
		mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, rows[r].clock);
		mk2_bus_clock(&bus, 98 - bus.ticks % 100); /* the pair starts on a hundred */
		enable(&bus, 0, MULTIKRON2_ENABLE_RESET);
		/* divisor times 2^64-1 clocks fill it; stop one count early. */
		for (unsigned n = 1; n < divisor; n++)
			mk2_bus_run(&bus, UINT64_MAX);
		mk2_bus_run(&bus, UINT64_MAX - divisor);
		CHECK_ROW(r, pair(&bus, 0), UINT64_MAX - 1);
		mk2_bus_clock(&bus, divisor - 1);
		CHECK_ROW(r, pair(&bus, 0), UINT64_MAX - 1);
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(r, pair(&bus, 0), UINT64_MAX);
		mk2_bus_run(&bus, 1000);
		CHECK_ROW(r, pair(&bus, 0), UINT64_MAX);
		CHECK_ROW(r, UINT64_MAX / 1000000 * divisor / 50 / 31557600, rows[r].years);
	}
}

/* Field 1000 makes a pair and keeps the source; with the knob it does nothing. Back to single
 * takes a source code. MK2-145 */
static void mode_1000_sets_double_precision_only(void **state)
{
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	for (unsigned nop = 0; nop < 2; nop++) {
		config.mode_8_is_nop = nop;
		mk2_bus_init(&bus, &config);
		mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_MODE_SOFTWARE);
		mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_MODE_DOUBLE);
		CHECK_ROW(nop, bus.chip.mode & 15, nop ? 2 : 10);
		mk2_bus_write(&bus, MULTIKRON2_COUNTER, UINT32_MAX);
		enable(&bus, 0, MULTIKRON2_ENABLE_KEEP);
		increment(&bus, 0, 1);
		CHECK_ROW(nop, pair(&bus, 0), nop ? UINT32_MAX : UINT64_C(1) << 32);
		mk2_bus_write(&bus, MULTIKRON2_MODE, 0);
		CHECK_ROW(nop, bus.chip.mode & 15, nop ? 2 : 10);
		mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_MODE_SOFTWARE);
		CHECK_ROW(nop, bus.chip.mode & 15, 2);
		mk2_bus_write(&bus, MULTIKRON2_COUNTER, UINT32_MAX);
		uint32_t odd = multikron2_counter(&bus.chip, 1);

		increment(&bus, 0, 1);
		CHECK_ROW(nop, multikron2_counter(&bus.chip, 0), UINT32_MAX);
		CHECK_ROW(nop, multikron2_counter(&bus.chip, 1), odd);
	}
	/* Other codes with bit 3 are no NOP. */
	mk2_bus_write(&bus, MULTIKRON2_MODE, DOUBLE(MULTIKRON2_MODE_CLOCK));
	CHECK_EQUAL(bus.chip.mode & 15, 9);
}

/* Apart again, both counters are what their own fields say, which were kept meanwhile. MK2-144 */
static void counters_of_a_former_pair_go_their_own_ways(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, NULL, 0, UINT64_C(0x500000009));
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(1, MULTIKRON2_MODE_SOFTWARE));
	enable(&bus, 1, MULTIKRON2_ENABLE_KEEP);
	increment(&bus, 1, 4);
	CHECK_EQUAL(pair(&bus, 0), UINT64_C(0x500000009));
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(0, MULTIKRON2_MODE_SOFTWARE));
	increment(&bus, 1, 4);
	increment(&bus, 0, 1);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 0), 10);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 1), 9);
}

/* The knob swaps the words and nothing else: the even counter's fields, pin and address still drive
 * the pair. */
static void odd_word_low_swaps_the_words(void **state)
{
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	config.odd_word_low = true;
	start(&bus, &config, 4, UINT64_C(0x00000005ffffffff));
	CHECK_EQUAL(multikron2_counter(&bus.chip, 4), 5);
	increment(&bus, 5, 3); /* still ignored */
	increment(&bus, 4, 2);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 4), 6);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 5), 1);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_COUNTER + 4), MK2_WORD(6));
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_COUNTER_NO_COPY + 5), MK2_WORD(1));
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(4, DOUBLE(MULTIKRON2_MODE_EXTERNAL)));
	mk2_bus_pulse(&bus, 0x20);
	CHECK_EQUAL(pair(&bus, 4), UINT64_C(0x600000001));
	mk2_bus_pulse(&bus, 0x10);
	CHECK_EQUAL(pair(&bus, 4), UINT64_C(0x600000002));
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(4, DOUBLE(MULTIKRON2_MODE_CLOCK)));
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_FIELD(4, MULTIKRON2_CLOCK_NODE));
	load(&bus, 4, UINT64_C(0x00000007fffffff0));
	uint64_t before = pair(&bus, 4);

	mk2_bus_run(&bus, UINT64_C(0x300000000));
	CHECK_EQUAL(pair(&bus, 4), before + UINT64_C(0x300000000));
	mk2_bus_run(&bus, UINT64_MAX);
	CHECK_EQUAL(pair(&bus, 4), UINT64_MAX);
	enable(&bus, 5, MULTIKRON2_ENABLE_RESET); /* the odd field clears nothing */
	CHECK_EQUAL(pair(&bus, 4), UINT64_MAX);
	enable(&bus, 4, MULTIKRON2_ENABLE_RESET);
	CHECK_EQUAL(pair(&bus, 4), 0);
}

TEST_MAIN(TEST(even_counter_carries_into_the_odd_one), TEST(every_source_carries),
	  TEST(odd_settings_do_nothing_in_a_pair),
	  TEST(double_precision_bit_of_an_odd_field_is_ignored),
	  TEST(even_enable_field_clears_and_stops_both_words), TEST(words_are_loaded_one_by_one),
	  TEST(words_are_loaded_while_the_pair_counts),
	  TEST(halves_read_with_one_copy_belong_together), TEST(pair_sticks_at_its_maximum),
	  TEST(clocked_pair_sticks_at_its_maximum), TEST(pair_fills_after_2_to_the_64_clocks),
	  TEST(mode_1000_sets_double_precision_only),
	  TEST(counters_of_a_former_pair_go_their_own_ways), TEST(odd_word_low_swaps_the_words))
