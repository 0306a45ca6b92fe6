/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II against MultiKron: what Appendix A of the report says has changed, on both chips
 * side by side, so that neither drifts into the other. */
#include <kron/multikron.h>
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

/* The older chip with as much of a bus as these tests need. */
struct old {
	struct multikron chip;
	uint64_t levels;
	struct multikron_pins out;
	uint8_t sent[256];
	size_t bytes;
};

static void old_tick(struct old *old, uint64_t control, uint64_t data)
{
	const uint64_t taken = MULTIKRON_NETCLK | MULTIKRON_LOAD;
	struct multikron_pins in = { data, old->levels | control, 0 };

	old->out = multikron_tick(&old->chip, in);
	if ((old->out.control & taken) == taken && old->bytes < sizeof(old->sent))
		old->sent[old->bytes++] = (uint8_t)(old->out.control >> MULTIKRON_N_SHIFT);
}

static void old_clock(struct old *old, unsigned n)
{
	while (n--)
		old_tick(old, 0, 0);
}

static void old_finish(struct old *old)
{
	unsigned limit = 1000;

	while (!(old->out.control & MULTIKRON_RDY) && --limit)
		old_tick(old, 0, 0);
	CHECK(limit);
}

static void old_write(struct old *old, unsigned address, uint64_t data)
{
	old_tick(old, MULTIKRON_WR | MULTIKRON_A(address), data);
	old_finish(old);
}

static uint64_t old_read(struct old *old, unsigned address)
{
	old_tick(old, MULTIKRON_RD | MULTIKRON_A(address), 0);
	old_finish(old);
	return old->out.data;
}

static void old_init(struct old *old)
{
	static const struct old zero;

	*old = zero;
	CHECK(multikron_init(&old->chip, NULL));
	old->levels = MULTIKRON_C(0);
	old_write(old, MULTIKRON_FILTER, 0xffff);
	old_write(old, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING);
}

static void old_drain(struct old *old)
{
	old->levels |= MULTIKRON_FREE;
	old_clock(old, 400);
	old->levels &= ~MULTIKRON_FREE;
}

static void start(struct mk2_bus *bus, struct old *old)
{
	mk2_bus_init(bus, NULL);
	mk2_bus_open(bus, 0);
	old_init(old);
}

/* A trace sample is 1+7+4+8 bytes instead of 1+5+4+6, a resource sample 84 instead of 80: more time
 * and more data. MK2-172 */
static void trace_sample_has_20_bytes_instead_of_16(void **state)
{
	/* clang-format off */
	static const uint8_t now[20] = {
		0x10,  0, 0, 0, 0, 0, 0, 3,  0xa1, 0xa2, 0xa3, 0xa4,
		0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	};
	static const uint8_t then[16] = {
		0x10,  0, 0, 0, 0, 3,  0xa1, 0xa2, 0xa3, 0xa4,
		0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	};
	/* clang-format on */
	const uint64_t data = UINT64_C(0x0123456789abcdef);
	static struct mk2_bus bus;
	static struct old old;

	(void)state;
	start(&bus, &old);
	mk2_bus_stamp(&bus, 3);
	for (unsigned n = 0; n < 3; n++) {
		old_tick(&old, MULTIKRON_TSCLK, 0);
		old_clock(&old, 2);
	}
	mk2_bus_write(&bus, MULTIKRON2_SOURCE, 0xa1a2a3a4);
	old_write(&old, MULTIKRON_SOURCE, 0xa1a2a3a4);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, data);
	old_write(&old, MULTIKRON_TRACE, data);
	mk2_bus_drain(&bus);
	old_drain(&old);
	CHECK_EQUAL(bus.elements, sizeof(now));
	CHECK_EQUAL(old.bytes, sizeof(then));
	for (unsigned i = 0; i < sizeof(now); i++)
		CHECK_ROW(i, bus.element[i].byte, now[i]);
	for (unsigned i = 0; i < sizeof(then); i++)
		CHECK_ROW(i, old.sent[i], then[i]);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, data);
	old_write(&old, MULTIKRON_RESOURCE, data);
	mk2_bus_drain(&bus);
	old_drain(&old);
	CHECK_EQUAL(bus.elements, sizeof(now) + 84);
	CHECK_EQUAL(old.bytes, sizeof(then) + 80);
}

/* Counters can be loaded, where MultiKron has only increments. MK2-173 */
static void counters_became_writable(void **state)
{
	static struct mk2_bus bus;
	static struct old old;

	(void)state;
	start(&bus, &old);
	mk2_bus_write(&bus, MULTIKRON2_COUNTER + 2, 1000);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_COUNTER + 2), MK2_WORD(1000));
	old_write(&old, MULTIKRON_MUX_SEL, UINT64_C(0x0000000400000000)); /* 2: software */
	old_write(&old, MULTIKRON_RESOURCE_ENABLE, 0x4);
	old_write(&old, MULTIKRON_COUNTER + 2, 1000);
	CHECK_EQUAL(old_read(&old, MULTIKRON_COUNTER + 2), 1);
}

/* Reads come in two kinds; MultiKron's copies always. MK2-173 */
static void reads_without_copy_are_new(void **state)
{
	static struct mk2_bus bus;
	static struct old old;

	(void)state;
	start(&bus, &old);
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_MODE_SOFTWARE);
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ENABLE_RESET);
	old_write(&old, MULTIKRON_MUX_SEL, UINT64_C(0x0000000100000000));
	old_write(&old, MULTIKRON_RESOURCE_ENABLE, 0x1);
	for (unsigned n = 1; n < 4; n++) {
		mk2_bus_write(&bus, MULTIKRON2_COUNTER_NO_COPY, 0);
		old_write(&old, MULTIKRON_COUNTER, 0);
		CHECK_ROW(n, mk2_bus_read(&bus, MULTIKRON2_COUNTER_NO_COPY), MK2_WORD(n - 1));
		CHECK_ROW(n, mk2_bus_read(&bus, MULTIKRON2_COUNTER), MK2_WORD(n));
		CHECK_ROW(n, old_read(&old, MULTIKRON_COUNTER), n);
	}
}

/* Enable with 64 bits of fields does what three registers of 16 bits did, and Mode what MUX SEL
 * did; the same words mean different things. MK2-173 */
static void three_field_registers_replace_mux_reset_enable_disable(void **state)
{
	static struct mk2_bus bus;
	static struct old old;

	(void)state;
	start(&bus, &old);
	/* Counters 0 and 1 count node clocks, for ten clocks. */
	mk2_bus_write(&bus, MULTIKRON2_MODE, 0x11);
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, 0x11);
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, 0x22);
	mk2_bus_clock(&bus, 8);
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, 0x31); /* stop 0; clear 1 and let it run */
	old_write(&old, MULTIKRON_MUX_SEL, UINT64_C(0x0000000300000003));
	old_write(&old, MULTIKRON_RESOURCE_ENABLE, 3);
	old_clock(&old, 8);
	old_write(&old, MULTIKRON_RESOURCE_DISABLE, 1);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 0), 10);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 1), 0);
	CHECK_EQUAL(multikron_counter(&old.chip, 0), 10);
	CHECK_EQUAL(multikron_counter(&old.chip, 1), 10);
	old_write(&old, MULTIKRON_RESOURCE_RESET, 2);
	CHECK_EQUAL(multikron_counter(&old.chip, 1), 0);
	/* MultiKron's enable and disable registers mean nothing at 11, and 10 and 12 changed
	 * hands. */
	mk2_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
	CHECK_EQUAL(bus.chip.enable, UINT64_C(0x1111111111111121));
	mk2_bus_write(&bus, MULTIKRON_RESOURCE_RESET, 0x4444);
	mk2_bus_write(&bus, MULTIKRON_RESOURCE_DISABLE, 0x4444);
	CHECK_EQUAL(bus.chip.enable, UINT64_C(0x1111111111111121));
	CHECK_EQUAL(bus.chip.mode, UINT64_C(0x4444444444444444));
}

/* Source registers moved from 16 to 32, counters from 32 to 64, Mode is at 10, Enable at 8, Clock
 * Select at 12; the old places are something else. MK2-174 */
static void registers_moved(void **state)
{
	static struct mk2_bus bus;
	static struct old old;

	(void)state;
	CHECK_EQUAL(MULTIKRON2_MODE, 10);
	CHECK_EQUAL(MULTIKRON2_ENABLE, 8);
	CHECK_EQUAL(MULTIKRON2_CLOCK_SELECT, 12);
	start(&bus, &old);
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++) {
		mk2_bus_write(&bus, 16 + i, 0x1600 + i);
		mk2_bus_write(&bus, 32 + i, 0x3200 + i);
		old_write(&old, 16 + i, 0x1600 + i);
		old_write(&old, 32 + i, 0x3200 + i);
		CHECK_ROW(i, bus.chip.core.source[i], 0x3200 + i);
		CHECK_ROW(i, old.chip.core.source[i], 0x1600 + i);
		CHECK_ROW(i, mk2_bus_read(&bus, 32 + i), MK2_WORD(0x3200 + i));
		CHECK_ROW(i, mk2_bus_read(&bus, 16 + i), MK2_ONES);
		CHECK_ROW(i, old_read(&old, 16 + i), 0x1600 + i);
	}
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		mk2_bus_write(&bus, 64 + i, 0x6400 + i);
		old_write(&old, 64 + i, 0x6400 + i);
		CHECK_ROW(i, mk2_bus_read(&bus, 64 + i), MK2_WORD(0x6400 + i));
		CHECK_ROW(i, mk2_bus_read(&bus, 80 + i), MK2_WORD(0x6400 + i));
		CHECK_ROW(i, old_read(&old, 64 + i), 0);
		CHECK_ROW(i, old_read(&old, 32 + i), 0);
	}
	mk2_bus_write(&bus, 10, 0x2);
	mk2_bus_write(&bus, 12, 0x3);
	mk2_bus_write(&bus, 8, 0x2);
	CHECK_EQUAL(mk2_bus_read(&bus, 10), UINT64_C(0x4444444444444442));
	CHECK_EQUAL(mk2_bus_read(&bus, 12), UINT64_C(0x4444444444444443));
	CHECK_EQUAL(mk2_bus_read(&bus, 8), UINT64_C(0x1111111111111112));
}

/* What is not there reads as ones, on MultiKron as zeros: unassigned addresses, write-only ones,
 * and the bits above a register. MK2-175 MK2-002 */
static void unused_bits_read_one_instead_of_zero(void **state)
{
	/* clang-format off */
	static const struct {
		unsigned address, old_address;
		uint64_t used;
	} rows[] = {
		{ 3, 3, 0 }, { 9, 9, 0 }, { 15, 15, 0 }, { 0, 0, 0 }, { 24, 24, 0 }, { 40, 48, 0 },
		{ 63, 63, 0 }, { 96, 96, 0 }, { 111, 111, 0 }, { 112, 112, 0 }, { 127, 127, 0 },
		{ MULTIKRON2_TIMESTAMP,       MULTIKRON_TIMESTAMP,       0x00ffffffffffffff },
		{ MULTIKRON2_FILTER,          MULTIKRON_FILTER,          0xffff },
		{ MULTIKRON2_WAIT_COUNTER,    MULTIKRON_WAIT_COUNTER,    0xffffffff },
		{ MULTIKRON2_OVERRUN_COUNTER, MULTIKRON_OVERRUN_COUNTER, 0xffffffff },
		{ MULTIKRON2_SOURCE,          MULTIKRON_SOURCE,          0xffffffff },
		{ MULTIKRON2_COUNTER,         MULTIKRON_COUNTER,         0xffffffff },
	};
	/* clang-format on */
	static struct mk2_bus bus;
	static struct old old;

	(void)state;
	start(&bus, &old);
	mk2_bus_write(&bus, MULTIKRON2_FILTER, 0);
	old_write(&old, MULTIKRON_FILTER, 0);
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		CHECK_ROW(r, mk2_bus_read(&bus, rows[r].address), ~rows[r].used);
		CHECK_ROW(r, old_read(&old, rows[r].old_address), 0);
	}
	/* The exception: unused bits of the CSR itself are 0 on both. */
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_CSR) & 0x282a, 0);
	CHECK_EQUAL(old_read(&old, MULTIKRON_CSR) & 0x082a, 0);
}

/* A read of busy shadow registers looks like any other: MultiKron tells by bit 63, MultiKron II has
 * that bit always, and no header flag either. MK2-176 MK2-123 */
static void stale_read_is_no_longer_told(void **state)
{
	static struct mk2_bus bus;
	static struct old old;

	(void)state;
	start(&bus, &old);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_COUNTER), MK2_UPPER);
	CHECK_EQUAL(old_read(&old, MULTIKRON_COUNTER), 0);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
	old_write(&old, MULTIKRON_RESOURCE, 0);
	mk2_bus_write(&bus, MULTIKRON2_COUNTER, 7);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_COUNTER), MK2_UPPER);
	CHECK_EQUAL(old_read(&old, MULTIKRON_COUNTER), MULTIKRON_READ_ERROR);
	mk2_bus_drain(&bus);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(mk2_bus_sample(&bus, 0).header, 0x18);
	CHECK_EQUAL(mk2_bus_sample(&bus, 1).header, 0x10);
}

/* The two overrun flags changed places in the header. MK2-100 */
static void header_flags_changed_places(void **state)
{
	static struct mk2_bus bus;
	static struct old old;

	(void)state;
	start(&bus, &old);
	for (unsigned n = 0; n < 9; n++) { /* one more than both hold */
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		old_write(&old, MULTIKRON_TRACE, 0);
	}
	mk2_bus_drain(&bus);
	old_drain(&old);
	mk2_bus_forget(&bus);
	old.bytes = 0;
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
	old_write(&old, MULTIKRON_TRACE, 0);
	mk2_bus_drain(&bus);
	old_drain(&old);
	CHECK_EQUAL(mk2_bus_sample(&bus, 0).header, 0x12);
	CHECK_EQUAL(old.sent[0], 0x14);
}

/* The slow clocks are tenths and hundredths of the node clock, with or without a time stamp
 * clock; on MultiKron they are of the time stamp clock. MK2-177 */
static void prescalers_divide_the_node_clock(void **state)
{
	static struct mk2_bus bus;
	static struct old old;

	(void)state;
	start(&bus, &old);
	mk2_bus_write(&bus, MULTIKRON2_MODE, 0x11);
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, 0x32);
	mk2_bus_clock(&bus, 98 - bus.ticks % 100);
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, 0x33);
	old_write(&old, MULTIKRON_RESOURCE_ENABLE, 0x3); /* MUX code 0: the slow clock */
	for (unsigned n = 0; n < 600; n++) {             /* no time stamp clock at all */
		mk2_bus_clock(&bus, 1);
		old_clock(&old, 1);
	}
	CHECK_EQUAL(multikron2_counter(&bus.chip, 0), 60);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 1), 6);
	CHECK_EQUAL(multikron_counter(&old.chip, 0), 0);
	for (unsigned n = 0; n < 600; n++) { /* 200 time stamp clocks */
		mk2_bus_drive(&bus, n % 3 ? 0 : MULTIKRON2_TSCLK, 0);
		old_tick(&old, n % 3 ? 0 : MULTIKRON_TSCLK, 0);
	}
	CHECK_EQUAL(multikron2_counter(&bus.chip, 0), 120);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 1), 12);
	CHECK_EQUAL(multikron_counter(&old.chip, 0), 20);
}

/* CSR bits 14 and 15 no longer select a slow clock: no counter counts differently for them.
 * MK2-088 */
static void slow_clock_select_is_gone_from_the_csr(void **state)
{
	static struct mk2_bus bus;
	static struct old old;
	uint32_t counted[2][MULTIKRON_COUNTERS], old_counted[2];

	(void)state;
	for (unsigned slow = 0; slow < 2; slow++) {
		uint64_t csr = slow ? MULTIKRON_CSR_SLOW_10US : MULTIKRON_CSR_SLOW_1US;

		start(&bus, &old);
		mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_ALL(MULTIKRON2_MODE_CLOCK));
		mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, UINT64_C(0x4321432143214321));
		mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_RESET));
		mk2_bus_write(&bus, MULTIKRON2_CSR, csr);
		old_write(&old, MULTIKRON_CSR, csr);
		old_write(&old, MULTIKRON_RESOURCE_ENABLE, 1);
		for (unsigned n = 0; n < 3000; n++) {
			mk2_bus_drive(&bus, n % 3 ? 0 : MULTIKRON2_TSCLK, 0);
			old_tick(&old, n % 3 ? 0 : MULTIKRON_TSCLK, 0);
		}
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			counted[slow][i] = multikron2_counter(&bus.chip, i);
		old_counted[slow] = multikron_counter(&old.chip, 0);
	}
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_ROW(i, counted[1][i], counted[0][i]);
	CHECK_EQUAL(old_counted[0], 100);
	CHECK_EQUAL(old_counted[1], 10);
}

/* MultiKron's TEST register and its instructions do not exist, test mode or not. MK2-170 */
static void test_register_is_gone(void **state)
{
	/* MultiKron: set and increment all, load and advance the FIFO, network off. */
	static const uint64_t instructions[] = {
		UINT64_C(0x000100ffffff), UINT64_C(0x000200ffffff), UINT64_C(0x000300ffffff),
		UINT64_C(0x000400000000), UINT64_C(0x000800000000), UINT64_C(0x000c00000000),
		UINT64_C(0x004000000000), UINT64_C(0x008012345678), UINT64_C(0x010000000000),
	};
	static struct mk2_bus bus;
	static struct old old;
	static struct mk2_view before, after;

	(void)state;
	mk2_bus_populate(&bus, true);
	old_init(&old);
	mk2_bus_set(&bus, MULTIKRON2_TEST);
	old.levels |= MULTIKRON_TEST;
	mk2_bus_view(&bus, &before);
	for (unsigned i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++) {
		mk2_bus_write(&bus, MULTIKRON_TEST_REGISTER, instructions[i]);
		mk2_bus_write(&bus, MULTIKRON_FIFO_OUTPUT, instructions[i]);
		mk2_bus_view(&bus, &after);
		mk2_bus_check_view(i, &after, &before);
		CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON_TEST_REGISTER), MK2_ONES);
		CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON_FIFO_OUTPUT), MK2_ONES);
		mk2_bus_write(&bus, MULTIKRON2_HIGH_ORDER, 0xcafef00d); /* the reads changed it */
		old_write(&old, MULTIKRON_TEST_REGISTER, instructions[i]);
		CHECK_ROW(i, old_read(&old, MULTIKRON_TEST_REGISTER), instructions[i]);
	}
	CHECK_EQUAL(multikron_counter(&old.chip, 0),
		    0x01000000); /* there it was set and incremented */
}

TEST_MAIN(TEST(trace_sample_has_20_bytes_instead_of_16), TEST(counters_became_writable),
	  TEST(reads_without_copy_are_new),
	  TEST(three_field_registers_replace_mux_reset_enable_disable), TEST(registers_moved),
	  TEST(unused_bits_read_one_instead_of_zero), TEST(stale_read_is_no_longer_told),
	  TEST(header_flags_changed_places), TEST(prescalers_divide_the_node_clock),
	  TEST(slow_clock_select_is_gone_from_the_csr), TEST(test_register_is_gone))
