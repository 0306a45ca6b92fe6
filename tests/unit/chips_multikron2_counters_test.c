/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II: the resource counters and their three control registers (Tables B5, B6, B7). Pairs
 * of counters have a file of their own. */
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

#define MAX UINT32_MAX

static uint32_t count(const struct mk2_bus *bus, unsigned i)
{
	return multikron2_counter(&bus->chip, i);
}

static unsigned field(uint64_t reg, unsigned i)
{
	return (unsigned)(reg >> (4 * i)) & 15;
}

static void set_mode(struct mk2_bus *bus, unsigned i, unsigned mode, unsigned clock)
{
	mk2_bus_write(bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(i, mode));
	mk2_bus_write(bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_FIELD(i, clock));
}

static void enable(struct mk2_bus *bus, unsigned i, unsigned how)
{
	mk2_bus_write(bus, MULTIKRON2_ENABLE, MULTIKRON2_FIELD(i, how));
}

enum kind { CLOCK, SOFTWARE, GATED, EXTERNAL };

/* Ten clocks with X high, three increments, ten more clocks with X low; then see what was counted.
 * The counter's clock is the node clock. */
static void check_kind(unsigned row, struct mk2_bus *bus, unsigned i, enum kind kind)
{
	static const uint32_t expected[] = {
		[CLOCK] = 26, [SOFTWARE] = 3, [GATED] = 10, [EXTERNAL] = 1
	};

	mk2_bus_write(bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_FIELD(i, MULTIKRON2_CLOCK_NODE));
	enable(bus, i, MULTIKRON2_ENABLE_RESET);
	CHECK_ROW(row, count(bus, i), 0);
	mk2_bus_set(bus, MULTIKRON2_X(i));
	mk2_bus_clock(bus, 10);
	mk2_bus_clear(bus, MULTIKRON2_X(i));
	for (unsigned n = 0; n < 3; n++)
		mk2_bus_write(bus, MULTIKRON2_COUNTER_NO_COPY + i, 0);
	mk2_bus_clock(bus, 10);
	CHECK_ROW(row, count(bus, i), expected[kind]);
}

/* clang-format off */
/* Table B5: what a field reads as and counts after one write, on a counter that was in the default
 * mode (external, single) and on one that was gated, single. */
static const struct {
	uint8_t from_external;
	enum kind counts_external;
	uint8_t from_gated;
	enum kind counts_gated;
} b5[16] = {
	/* 0000 */ { 0x4, EXTERNAL, 0x3, GATED },    /* nothing changes */
	/* 0001 */ { 0x1, CLOCK,    0x1, CLOCK },
	/* 0010 */ { 0x2, SOFTWARE, 0x2, SOFTWARE },
	/* 0011 */ { 0x3, GATED,    0x3, GATED },
	/* 0100 */ { 0x4, EXTERNAL, 0x4, EXTERNAL },
	/* 0101 */ { 0x5, CLOCK,    0x5, CLOCK },
	/* 0110 */ { 0x6, SOFTWARE, 0x6, SOFTWARE },
	/* 0111 */ { 0x7, GATED,    0x7, GATED },
	/* 1000 */ { 0xc, EXTERNAL, 0xb, GATED },    /* precision set, source unchanged */
	/* 1001 */ { 0x9, CLOCK,    0x9, CLOCK },
	/* 1010 */ { 0xa, SOFTWARE, 0xa, SOFTWARE },
	/* 1011 */ { 0xb, GATED,    0xb, GATED },
	/* 1100 */ { 0xc, EXTERNAL, 0xc, EXTERNAL },
	/* 1101 */ { 0xd, CLOCK,    0xd, CLOCK },
	/* 1110 */ { 0xe, SOFTWARE, 0xe, SOFTWARE },
	/* 1111 */ { 0xf, GATED,    0xf, GATED },
};
/* clang-format on */

/* Table B5, all sixteen encodings, in an even and in an odd field. In the odd field bit 3 is
 * kept and does nothing. MK2-060 MK2-143 MK2-145 */
static void mode_fields_act_as_in_table_b5(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < 4 * 16; r++) {
		unsigned code = r & 15, i = r & 16 ? 7 : 10;
		bool gated = r & 32;

		mk2_bus_init(&bus, NULL);
		CHECK_ROW(r, field(mk2_bus_read(&bus, MULTIKRON2_MODE), i), 4);
		if (gated)
			mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(i, 3));
		mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(i, code));
		CHECK_ROW(r, field(mk2_bus_read(&bus, MULTIKRON2_MODE), i),
			  gated ? b5[code].from_gated : b5[code].from_external);
		check_kind(r, &bus, i, gated ? b5[code].counts_gated : b5[code].counts_external);
	}
}

/* clang-format off */
/* Table B6: how a field reads after one write to a reset chip, and how many node clocks make a
 * count; 0 is the time stamp clock. */
static const struct {
	uint8_t reads;
	unsigned divisor;
} b6[16] = {
	/* 0000 */ { 4, 0 }, /* nothing changes */
	/* 0001 */ { 1, 1 },
	/* 0010 */ { 2, 10 },
	/* 0011 */ { 3, 100 },
	/* 0100 */ { 4, 0 },
	/* 0101 */ { 5, 1 },
	/* 0110 */ { 6, 10 },
	/* 0111 */ { 7, 100 },
	/* 1000 */ { 4, 0 }, /* nothing changes: bit 3 does not count */
	/* 1001 */ { 1, 1 },
	/* 1010 */ { 2, 10 },
	/* 1011 */ { 3, 100 },
	/* 1100 */ { 4, 0 },
	/* 1101 */ { 5, 1 },
	/* 1110 */ { 6, 10 },
	/* 1111 */ { 7, 100 },
};
/* clang-format on */

/* Table B6, all sixteen encodings: every node clock, every tenth or hundredth since RESET, or every
 * time stamp clock, checked at each of 450 clocks. MK2-061 MK2-146 */
static void clock_fields_act_as_in_table_b6(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned code = 0; code < 16; code++) {
		unsigned i = code % 3 + 5, divisor = b6[code].divisor;

		mk2_bus_init(&bus, NULL);
		mk2_bus_clock(&bus, 37);
		mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_FIELD(i, MULTIKRON2_MODE_CLOCK));
		mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_FIELD(i, code));
		CHECK_ROW(code, field(mk2_bus_read(&bus, MULTIKRON2_CLOCK_SELECT), i),
			  b6[code].reads);
		enable(&bus, i, MULTIKRON2_ENABLE_RESET);
		uint64_t start = bus.ticks;

		for (unsigned n = 0; n < 450; n++) {
			mk2_bus_drive(&bus, n % 4 < 2 ? MULTIKRON2_TSCLK : 0, 0);
			CHECK_ROW(code, count(&bus, i),
				  divisor ? bus.ticks / divisor - start / divisor : n / 4 + 1);
		}
		CHECK_EQUAL(bus.chip.core.timestamp, 113);
	}
}

/* From a refused code back: a 0 field leaves any clock as it is. MK2-142 MK2-146 */
static void zero_clock_field_keeps_the_clock(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, UINT64_C(0x7654321776543217));
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, 0);
	CHECK_EQUAL(bus.chip.clock_select, UINT64_C(0x7654321776543217));
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_ALL(8));
	CHECK_EQUAL(bus.chip.clock_select, UINT64_C(0x7654321776543217));
}

/* Table B7, all sixteen encodings, from a disabled and from an enabled counter that holds 500.
 * MK2-062 MK2-148 MK2-149 */
static void enable_fields_act_as_in_table_b7(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < 32; r++) {
		unsigned code = r & 15, i = r & 7;
		bool was = r & 16;
		/* Bits 1:0: nothing, disable, enable, clear and enable; bits 3:2 do not matter. */
		bool is = (code & 3) == 0 ? was : (code & 3) != 1;
		uint32_t base = (code & 3) == 3 ? 0 : 500;

		mk2_bus_init(&bus, NULL);
		set_mode(&bus, i, MULTIKRON2_MODE_SOFTWARE, 0);
		mk2_bus_write(&bus, MULTIKRON2_COUNTER + i, 500);
		CHECK_ROW(r, field(mk2_bus_read(&bus, MULTIKRON2_ENABLE), i), 1);
		if (was)
			enable(&bus, i, MULTIKRON2_ENABLE_KEEP);
		enable(&bus, i, code);
		CHECK_ROW(r, count(&bus, i), base);
		CHECK_ROW(r, field(mk2_bus_read(&bus, MULTIKRON2_ENABLE), i), is ? 2 : 1);
		mk2_bus_write(&bus, MULTIKRON2_COUNTER_NO_COPY + i, 0);
		CHECK_ROW(r, count(&bus, i), base + is);
	}
}

/* Field j is bits 4j+3..4j, in all three registers: a write of one field changes that field and no
 * other, and a zero field never changes. MK2-033 MK2-035 MK2-037 MK2-140 MK2-141 MK2-142 */
static void control_registers_have_sixteen_fields_of_four_bits(void **state)
{
	static const struct {
		unsigned address;
		uint64_t reset;
		uint64_t code;
	} rows[] = {
		{ MULTIKRON2_MODE, UINT64_C(0x4444444444444444), 0x2 },
		{ MULTIKRON2_CLOCK_SELECT, UINT64_C(0x4444444444444444), 0x1 },
		{ MULTIKRON2_ENABLE, UINT64_C(0x1111111111111111), 0x2 },
	};
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < 3; r++) {
		uint64_t expected = rows[r].reset;

		mk2_bus_init(&bus, NULL);
		for (unsigned n = 0; n < 16; n++) {
			unsigned j = n * 7 % 16;

			mk2_bus_write(&bus, rows[r].address, rows[r].code << (4 * j));
			expected &= ~(UINT64_C(15) << (4 * j));
			expected |= rows[r].code << (4 * j);
			CHECK_ROW(r, mk2_bus_read(&bus, rows[r].address), expected);
			mk2_bus_write(&bus, rows[r].address, 0);
			CHECK_ROW(r, mk2_bus_read(&bus, rows[r].address), expected);
		}
	}
}

/* Field j is the field of counter j: enabling, gating and clocking one moves that one. MK2-140 */
static void field_j_controls_counter_j(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned j = 0; j < MULTIKRON_COUNTERS; j++) {
		mk2_bus_init(&bus, NULL);
		set_mode(&bus, j, MULTIKRON2_MODE_GATED, MULTIKRON2_CLOCK_NODE);
		enable(&bus, j, MULTIKRON2_ENABLE_RESET);
		mk2_bus_set(&bus, MULTIKRON2_X(j));
		mk2_bus_clock(&bus, 9);
		mk2_bus_clear(&bus, MULTIKRON2_X(j));
		mk2_bus_set(&bus,
			    UINT64_C(0xffff) & ~MULTIKRON2_X(j)); /* everybody else's signal */
		mk2_bus_clock(&bus, 30);
		mk2_bus_stamp(&bus, 5);
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			CHECK_ROW(j, count(&bus, i), i == j ? 9 : 0);
	}
}

/* Where no internal clock is counted, the selected clock means nothing. MK2-147 */
static void clock_select_matters_only_to_clocked_modes(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned clock = 1; clock < 8; clock++) {
		mk2_bus_init(&bus, NULL);
		set_mode(&bus, 2, MULTIKRON2_MODE_SOFTWARE, clock);
		set_mode(&bus, 3, MULTIKRON2_MODE_EXTERNAL, clock);
		set_mode(&bus, 4, MULTIKRON2_MODE_CLOCK, clock);
		set_mode(&bus, 5, MULTIKRON2_MODE_GATED, clock);
		mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_RESET));
		mk2_bus_set(&bus, MULTIKRON2_X(5));
		mk2_bus_stamp(&bus, 100);
		CHECK_ROW(clock, count(&bus, 2), 0);
		CHECK_ROW(clock, count(&bus, 3), 0);
		CHECK_ROW(clock, count(&bus, 4) != 0, true);
		CHECK_ROW(clock, count(&bus, 5), count(&bus, 4));
	}
}

/* Enabled and high: both are needed, clock by clock, whatever clock it is. A pulse between two
 * clocks is no level. MK2-150 */
static void gated_counter_counts_while_x_is_high(void **state)
{
	static struct mk2_bus bus;
	uint32_t node = 0, tenth = 0, stamp = 0;

	(void)state;
	mk2_bus_init(&bus, NULL);
	set_mode(&bus, 0, MULTIKRON2_MODE_GATED, MULTIKRON2_CLOCK_NODE);
	set_mode(&bus, 1, MULTIKRON2_MODE_GATED, MULTIKRON2_CLOCK_NODE_10);
	set_mode(&bus, 2, MULTIKRON2_MODE_GATED, MULTIKRON2_CLOCK_STAMP);
	mk2_bus_set(&bus, UINT64_C(7));
	mk2_bus_clock(&bus, 50);
	CHECK_EQUAL(count(&bus, 0) + count(&bus, 1) + count(&bus, 2), 0); /* disabled */
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, 0x222);
	for (unsigned n = 0; n < 2000; n++) {
		bool high = n * n % 7 < 3; /* an irregular signal */

		mk2_bus_clear(&bus, UINT64_C(7));
		mk2_bus_set(&bus, high ? UINT64_C(7) : 0);
		mk2_bus_drive(&bus, n % 3 == 0 ? MULTIKRON2_TSCLK : 0, 0);
		node += high;
		tenth += high && bus.ticks % 10 == 0;
		stamp += high && n % 3 == 0;
		CHECK_ROW(n, count(&bus, 0), node);
		CHECK_ROW(n, count(&bus, 1), tenth);
		CHECK_ROW(n, count(&bus, 2), stamp);
	}
	mk2_bus_clear(&bus, UINT64_C(7));
	for (unsigned n = 0; n < 20; n++)
		mk2_bus_pulse(&bus, 0xffff);
	CHECK_EQUAL(count(&bus, 0), node);
}

/* External mode counts rising edges, not levels and not falling edges. MK2-151 */
static void external_counter_counts_rising_edges(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_set(&bus, MULTIKRON2_X(9));
	mk2_bus_clock(&bus, 5); /* high before it was enabled: no edge */
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_KEEP));
	mk2_bus_clock(&bus, 5);
	CHECK_EQUAL(count(&bus, 9), 0);
	for (unsigned n = 1; n <= 20; n++) {
		mk2_bus_clear(&bus, MULTIKRON2_X(9));
		mk2_bus_clock(&bus, n % 3 + 1);
		CHECK_ROW(n, count(&bus, 9), n - 1);
		mk2_bus_set(&bus, MULTIKRON2_X(9));
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(n, count(&bus, 9), n);
		mk2_bus_clock(&bus, n % 5);
		CHECK_ROW(n, count(&bus, 9), n);
	}
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_ROW(i, count(&bus, i), i == 9 ? 20 : 0);
}

/* The fastest signal allowed is as fast as the node clock: one count per clock, and never two.
 * MK2-151 */
static void external_signal_may_be_as_fast_as_the_node_clock(void **state)
{
	static struct mk2_bus bus;
	struct multikron_pins both = { 0, MULTIKRON2_X(1), 0xffff };

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_FIELD(0, 2) | MULTIKRON2_FIELD(1, 2));
	for (unsigned n = 1; n <= 100; n++) {
		mk2_bus_pulse(&bus, 0x0003);
		CHECK_ROW(n, count(&bus, 0), n);
	}
	multikron2_tick(&bus.chip, both); /* an edge and a pulse in one clock */
	CHECK_EQUAL(count(&bus, 1), 101);
	CHECK_EQUAL(count(&bus, 2), 0);
}

/* Software increments count in software mode only, and only when enabled. MK2-052 MK2-138 */
static void increment_needs_software_mode_and_enable(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned mode = 1; mode < 8; mode++) {
		for (unsigned how = MULTIKRON2_DISABLE; how <= MULTIKRON2_ENABLE_RESET; how++) {
			bool counts = (mode == 2 || mode == 6) && how != MULTIKRON2_DISABLE;

			mk2_bus_init(&bus, NULL);
			mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_ALL(mode));
			mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(how));
			for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
				for (unsigned n = 0; n <= i; n++)
					mk2_bus_write(&bus, MULTIKRON2_COUNTER_NO_COPY + i,
						      MK2_ONES);
			for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
				if (mode % 4 != 1) /* those count node clocks as well */
					CHECK_ROW(mode, count(&bus, i), counts ? i + 1 : 0);
		}
	}
}

/* Sixteen counters that can be loaded, incremented and read; a load changes its counter alone
 * and no shadow register. MK2-051 MK2-132 MK2-135 MK2-173 */
static void counters_are_readable_writable_and_incrementable(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_ALL(MULTIKRON2_MODE_SOFTWARE));
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_KEEP));
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		mk2_bus_write(&bus, MULTIKRON2_COUNTER + i, 0x89abcdef);
		for (unsigned j = 0; j < MULTIKRON_COUNTERS; j++) {
			CHECK_ROW(i, count(&bus, j), j <= i ? 0x89abcdef + (j < i) : 0);
			CHECK_ROW(i, bus.chip.core.shadow[j], 0);
		}
		mk2_bus_write(&bus, MULTIKRON2_COUNTER_NO_COPY + i, 0);
	}
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON2_COUNTER + i), MK2_WORD(0x89abcdf0));
}

/* Where a count and a load or clear meet in one clock, what was written stays. */
static void written_value_wins_over_a_count(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	set_mode(&bus, 0, MULTIKRON2_MODE_CLOCK, MULTIKRON2_CLOCK_NODE);
	enable(&bus, 0, MULTIKRON2_ENABLE_KEEP);
	mk2_bus_clock(&bus, 10);
	CHECK_EQUAL(count(&bus, 0), 10);
	mk2_bus_write(&bus, MULTIKRON2_COUNTER, 1000);
	CHECK_EQUAL(count(&bus, 0), 1000);
	mk2_bus_clock(&bus, 5);
	CHECK_EQUAL(count(&bus, 0), 1005);
	enable(&bus, 0, MULTIKRON2_ENABLE_RESET);
	CHECK_EQUAL(count(&bus, 0), 0);
	mk2_bus_clock(&bus, 3);
	CHECK_EQUAL(count(&bus, 0), 3);
	/* A new mode acts from the next clock on. */
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_MODE_EXTERNAL);
	CHECK_EQUAL(count(&bus, 0), 5);
	mk2_bus_clock(&bus, 5);
	CHECK_EQUAL(count(&bus, 0), 5);
}

/* At 2^32-1 a counter sticks, whatever it counts, until it is cleared or loaded. MK2-133 */
static void counters_stick_at_their_maximum(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned mode = 1; mode <= 4; mode++) {
		mk2_bus_init(&bus, NULL);
		set_mode(&bus, 5, mode, MULTIKRON2_CLOCK_NODE);
		mk2_bus_set(&bus, mode == MULTIKRON2_MODE_GATED ? MULTIKRON2_X(5) : 0);
		mk2_bus_write(&bus, MULTIKRON2_COUNTER + 5, MAX - 40);
		mk2_bus_write(&bus, MULTIKRON2_COUNTER + 6, 7);
		enable(&bus, 5, MULTIKRON2_ENABLE_KEEP);
		uint32_t last = count(&bus, 5);

		for (unsigned n = 0; n < 60; n++) {
			mk2_bus_write(&bus, MULTIKRON2_COUNTER_NO_COPY + 5, 0);
			mk2_bus_pulse(&bus, 0x20);
			CHECK_ROW(mode, count(&bus, 5) >= last, true);
			last = count(&bus, 5);
		}
		CHECK_ROW(mode, last, MAX);
		CHECK_ROW(mode, count(&bus, 4), 0);
		CHECK_ROW(mode, count(&bus, 6), 7);
		CHECK_ROW(mode, mk2_bus_read(&bus, MULTIKRON2_COUNTER + 5), MK2_ONES);
		enable(&bus, 5, MULTIKRON2_DISABLE);
		enable(&bus, 5, MULTIKRON2_ENABLE_KEEP); /* no way out */
		CHECK_ROW(mode, count(&bus, 5), MAX);
		enable(&bus, 5, MULTIKRON2_DISABLE);
		mk2_bus_write(&bus, MULTIKRON2_COUNTER + 5, 12);
		CHECK_ROW(mode, count(&bus, 5), 12);
		enable(&bus, 5, MULTIKRON2_ENABLE_RESET);
		CHECK_ROW(mode, count(&bus, 5), 0);
	}
}

/* A 32-bit counter fills in 85.9 s at 50 MHz, in 14.3 minutes at a tenth and in 2.39 hours at a
 * hundredth of it. Every clock of it is run. MK2-134 */
static void counter_fills_after_2_to_the_32_clocks(void **state)
{
	static const struct {
		unsigned clock;
		uint64_t divisor;
		unsigned seconds;
	} rows[] = {
		{ MULTIKRON2_CLOCK_NODE, 1, 85 },
		{ MULTIKRON2_CLOCK_NODE_10, 10, 858 },    /* 14.3 minutes */
		{ MULTIKRON2_CLOCK_NODE_100, 100, 8589 }, /* 2.39 hours */
	};
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < 3; r++) {
		const uint64_t divisor = rows[r].divisor, full = MAX * divisor;

		mk2_bus_init(&bus, NULL);
		set_mode(&bus, 3, MULTIKRON2_MODE_CLOCK, rows[r].clock);
		mk2_bus_clock(&bus, 98 - bus.ticks % 100); /* the counter starts on a hundred */
		enable(&bus, 3, MULTIKRON2_ENABLE_RESET);
		mk2_bus_run(&bus, full - divisor);
		CHECK_ROW(r, count(&bus, 3), MAX - 1);
		if (divisor > 1) {
			mk2_bus_run(&bus, divisor - 1);
			CHECK_ROW(r, count(&bus, 3), MAX - 1);
		}
		mk2_bus_run(&bus, 1);
		CHECK_ROW(r, count(&bus, 3), MAX);
		CHECK_ROW(r, full / 50000000, rows[r].seconds);
		mk2_bus_run(&bus, full);
		CHECK_ROW(r, count(&bus, 3), MAX);
		CHECK_ROW(r, count(&bus, 2), 0);
	}
}

/* Stop-watch for software: enable at the start, disable at the end, as often as wanted; the
 * clocks in between add up. MK2-154 */
static void software_stop_watch_counts_between_enable_and_disable(void **state)
{
	static struct mk2_bus bus;
	uint64_t total = 0;

	(void)state;
	mk2_bus_init(&bus, NULL);
	set_mode(&bus, 8, MULTIKRON2_MODE_CLOCK, MULTIKRON2_CLOCK_NODE);
	for (unsigned n = 0; n < 10; n++) {
		enable(&bus, 8, n ? MULTIKRON2_ENABLE_KEEP : MULTIKRON2_ENABLE_RESET);
		uint64_t start = bus.ticks;

		mk2_bus_clock(&bus, 100 * n + 3);
		enable(&bus, 8, MULTIKRON2_DISABLE);
		total += bus.ticks - start;
		mk2_bus_clock(&bus, 50);
		CHECK_ROW(n, count(&bus, 8), total);
	}
}

/* Stop-watch for hardware: enabled once, the external signal starts and stops it. MK2-154 */
static void hardware_stop_watch_counts_while_the_signal_is_active(void **state)
{
	static struct mk2_bus bus;
	uint64_t total = 0;

	(void)state;
	mk2_bus_init(&bus, NULL);
	set_mode(&bus, 8, MULTIKRON2_MODE_GATED, MULTIKRON2_CLOCK_NODE);
	enable(&bus, 8, MULTIKRON2_ENABLE_RESET);
	for (unsigned n = 0; n < 10; n++) {
		mk2_bus_set(&bus, MULTIKRON2_X(8));
		mk2_bus_clock(&bus, 17 * n + 1);
		mk2_bus_clear(&bus, MULTIKRON2_X(8));
		total += 17 * n + 1;
		mk2_bus_clock(&bus, 40);
		CHECK_ROW(n, mk2_bus_read(&bus, MULTIKRON2_COUNTER + 8), MK2_WORD(total));
	}
}

struct context {
	uint64_t mode, clock, enable;
	uint32_t counter[MULTIKRON_COUNTERS];
};

static void save(struct mk2_bus *bus, struct context *process)
{
	process->enable = mk2_bus_read(bus, MULTIKRON2_ENABLE);
	mk2_bus_write(bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_DISABLE));
	process->mode = mk2_bus_read(bus, MULTIKRON2_MODE);
	process->clock = mk2_bus_read(bus, MULTIKRON2_CLOCK_SELECT);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		process->counter[i] = (uint32_t)mk2_bus_read(bus, i ? MULTIKRON2_COUNTER_NO_COPY + i
								    : MULTIKRON2_COUNTER);
}

static void restore(struct mk2_bus *bus, const struct context *process)
{
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		mk2_bus_write(bus, MULTIKRON2_COUNTER + i, process->counter[i]);
	mk2_bus_write(bus, MULTIKRON2_MODE, process->mode);
	mk2_bus_write(bus, MULTIKRON2_CLOCK_SELECT, process->clock);
	mk2_bus_write(bus, MULTIKRON2_ENABLE, process->enable);
}

/* Virtual counters: two processes take turns on the one set; each finds its counters and
 * settings as it left them, also those it started with clear-and-enable, and counts its own
 * clocks only. MK2-155 */
static void counters_can_be_saved_and_restored_per_process(void **state)
{
	static struct mk2_bus bus;
	struct context process[2] = { { .mode = UINT64_C(0x1234567b1234567f),
					.clock = UINT64_C(0x4321765143217651),
					.enable = UINT64_C(0x3333333333333333) },
				      { .mode = UINT64_C(0x2222222222222222),
					.clock = UINT64_C(0x1111111111111111),
					.enable = UINT64_C(0x3131313131313131) } };
	uint32_t clocks = 0, calls = 0;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_set(&bus, 1); /* X0: counter 0 of the first process is gated and 64 bits wide */
	for (unsigned turn = 0; turn < 20; turn++) {
		restore(&bus, &process[turn % 2]);
		uint64_t start = bus.ticks;

		for (unsigned n = 0; n < turn; n++) {
			mk2_bus_write(&bus, MULTIKRON2_COUNTER_NO_COPY + 5, 0);
			calls += turn % 2;
		}
		mk2_bus_clock(&bus, 10);
		save(&bus, &process[turn % 2]);
		/* The save disables two clocks after its first read. */
		clocks += turn % 2 ? 0 : (uint32_t)(bus.ticks - start) - 2 * (2 + 16);
		CHECK_ROW(turn, process[0].counter[0], clocks);
		CHECK_ROW(turn, process[0].counter[1], 0);
		CHECK_ROW(turn, process[1].counter[5], calls);
		CHECK_ROW(turn, process[0].mode, UINT64_C(0x1234567b1234567f));
		CHECK_ROW(turn, process[0].clock, UINT64_C(0x4321765143217651));
		CHECK_ROW(turn, process[0].enable, UINT64_C(0x2222222222222222));
	}
	CHECK(clocks > 0 && calls == 100);
	CHECK_EQUAL(process[1].enable, UINT64_C(0x2121212121212121));
}

TEST_MAIN(TEST(mode_fields_act_as_in_table_b5), TEST(clock_fields_act_as_in_table_b6),
	  TEST(zero_clock_field_keeps_the_clock), TEST(enable_fields_act_as_in_table_b7),
	  TEST(control_registers_have_sixteen_fields_of_four_bits),
	  TEST(field_j_controls_counter_j), TEST(clock_select_matters_only_to_clocked_modes),
	  TEST(gated_counter_counts_while_x_is_high), TEST(external_counter_counts_rising_edges),
	  TEST(external_signal_may_be_as_fast_as_the_node_clock),
	  TEST(increment_needs_software_mode_and_enable),
	  TEST(counters_are_readable_writable_and_incrementable),
	  TEST(written_value_wins_over_a_count), TEST(counters_stick_at_their_maximum),
	  TEST(counter_fills_after_2_to_the_32_clocks),
	  TEST(software_stop_watch_counts_between_enable_and_disable),
	  TEST(hardware_stop_watch_counts_while_the_signal_is_active),
	  TEST(counters_can_be_saved_and_restored_per_process))
