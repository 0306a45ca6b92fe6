/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II: resets, the time stamp, the CSR of Table B1, source registers. */
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

/* clang-format off */
/* Table B1: what a read gives after a 1 was written to one bit of a reset chip, and of a chip with
 * sampling, both waits and 32-bit mode on. */
static const struct {
	uint16_t from_reset, from_on;
} csr_rows[16] = {
	/*  0 */ { 0x8001, 0x4015 }, /* MK2-071 */
	/*  1 */ { 0x8000, 0x4014 }, /* MK2-072 */
	/*  2 */ { 0x8004, 0x4015 }, /* MK2-073 */
	/*  3 */ { 0x8000, 0x4011 }, /* MK2-074 */
	/*  4 */ { 0x8010, 0x4015 }, /* MK2-075 */
	/*  5 */ { 0x8000, 0x4005 }, /* MK2-076 */
	/*  6 */ { 0x8000, 0x4015 }, /* MK2-077 */
	/*  7 */ { 0x8000, 0x4015 }, /* MK2-078 */
	/*  8 */ { 0x8000, 0x4015 }, /* MK2-079 */
	/*  9 */ { 0x8000, 0x4015 }, /* MK2-080 */
	/* 10 */ { 0x8000, 0x4015 }, /* MK2-081 */
	/* 11 */ { 0x8000, 0x4015 }, /* MK2-082 */
	/* 12 */ { 0x8000, 0x4015 }, /* MK2-083 */
	/* 13 */ { 0x8000, 0x4015 }, /* MK2-084 */
	/* 14 */ { 0x4000, 0x4015 }, /* MK2-085 */
	/* 15 */ { 0x8000, 0x8015 }, /* MK2-086 */
};
/* clang-format on */

/* Table B1, bit by bit: a 1 acts, a 0 leaves alone, read-only bits ignore both; the read has ones
 * above bit 15. MK2-026 MK2-070 MK2-087 */
static void csr_bits_act_as_in_table_b1(void **state)
{
	static struct mk2_bus bus;
	const uint64_t upper = UINT64_C(0xffffffffffff0000);

	(void)state;
	for (unsigned bit = 0; bit < 16; bit++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_write(&bus, MULTIKRON2_CSR, 0);
		CHECK_ROW(bit, mk2_bus_read(&bus, MULTIKRON2_CSR), upper | 0x8000);
		mk2_bus_write(&bus, MULTIKRON2_CSR, UINT64_C(1) << bit);
		CHECK_ROW(bit, mk2_bus_read(&bus, MULTIKRON2_CSR),
			  upper | csr_rows[bit].from_reset);

		mk2_bus_init(&bus, NULL);
		mk2_bus_write(&bus, MULTIKRON2_CSR, 0x4015);
		mk2_bus_write(&bus, MULTIKRON2_CSR, 0);
		CHECK_ROW(bit, mk2_bus_read(&bus, MULTIKRON2_CSR), upper | 0x4015);
		mk2_bus_write(&bus, MULTIKRON2_CSR, UINT64_C(1) << bit);
		CHECK_ROW(bit, mk2_bus_read(&bus, MULTIKRON2_CSR), upper | csr_rows[bit].from_on);
		CHECK_ROW(bit, bus.chip.core.faults, 0);
	}
}

static void trigger(struct mk2_bus *bus, unsigned address, unsigned times)
{
	while (times--)
		mk2_bus_write(bus, address, 0);
}

/* The status bits follow the chip: each is seen off, on, and off again. The wait-state bit has its
 * test with the pin. MK2-077 MK2-078 MK2-079 MK2-080 MK2-081 */
static void csr_status_bits_follow_the_chip(void **state)
{
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	config.core.fifo_depth = 3;
	mk2_bus_init(&bus, &config);
	mk2_bus_open(&bus, 0);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8001);
	trigger(&bus, MULTIKRON2_TRACE, 2);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8001); /* two of three: not full */
	trigger(&bus, MULTIKRON2_TRACE, 1);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8041); /* FIFO full */
	trigger(&bus, MULTIKRON2_TRACE, 1);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8141); /* and overrun */
	mk2_bus_drain(&bus);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8101); /* until the next sample tells */
	trigger(&bus, MULTIKRON2_TRACE, 1);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8001);
	trigger(&bus, MULTIKRON2_RESOURCE, 1);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8081); /* shadow full; the FIFO's head is a trace sample */
	trigger(&bus, MULTIKRON2_RESOURCE, 1);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8281); /* and overrun */
	mk2_bus_test_write(&bus, MULTIKRON2_FIFO, 0);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x82c1);
	mk2_bus_forget(&bus);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	while (bus.elements < 21)
		mk2_bus_clock(&bus, 1);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8681); /* the head is the resource sample: 161st bit */
	mk2_bus_drain(&bus);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8201);
	trigger(&bus, MULTIKRON2_TRACE, 1);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8001);
}

/* Both bits of a pair are against the report. The model flags it, and the default side wins unless
 * told otherwise. */
static void csr_pair_conflict_is_a_fault_and_default_wins(void **state)
{
	/* clang-format off */
	static const struct {
		uint16_t pair, default_wins, enable_wins;
	} rows[] = {
		{ 0x0003, 0x4014, 0x8001 },
		{ 0x000c, 0x4011, 0x8004 },
		{ 0x0030, 0x4005, 0x8010 },
		{ 0xc000, 0x8015, 0x4000 },
		{ 0xc03f, 0x8000, 0x4015 },
	};
	/* clang-format on */
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_write(&bus, MULTIKRON2_CSR, 0x4015);
		CHECK_ROW(r, bus.chip.core.faults, 0);
		mk2_bus_write(&bus, MULTIKRON2_CSR, rows[r].pair);
		CHECK_ROW(r, mk2_bus_csr(&bus), rows[r].default_wins);
		CHECK_ROW(r, bus.chip.core.faults, MULTIKRON_FAULT_CSR_PAIR);

		config.core.enable_wins = true;
		mk2_bus_init(&bus, &config);
		mk2_bus_write(&bus, MULTIKRON2_CSR, rows[r].pair);
		CHECK_ROW(r, mk2_bus_csr(&bus), rows[r].enable_wins);
		CHECK_ROW(r, bus.chip.core.faults, MULTIKRON_FAULT_CSR_PAIR);
	}
}

/* Hardware reset: everything back to the beginning, time stamp included. MK2-056 MK2-057 MK2-059
 * MK2-060 MK2-061 MK2-062 MK2-063 MK2-064 */
static void hardware_reset_returns_to_the_initial_state(void **state)
{
	static struct mk2_bus bus;
	static struct mk2_view view, expected;

	(void)state;
	for (unsigned busy = 0; busy < 2; busy++) {
		mk2_bus_populate(&bus, busy);
		mk2_bus_write(&bus, MULTIKRON2_CSR, 0x4015);
		mk2_bus_test_write(&bus, MULTIKRON2_NETWORK_OFF, 0);
		mk2_bus_reset(&bus, 5);
		CHECK_EQUAL(bus.chip.core.timestamp, 0);
		mk2_bus_view(&bus, &view);
		mk2_bus_reset_view(&expected);
		mk2_bus_check_view(busy, &view, &expected);
		CHECK_EQUAL(view.reg[MULTIKRON2_MODE], UINT64_C(0x4444444444444444));
		CHECK_EQUAL(view.reg[MULTIKRON2_CLOCK_SELECT], UINT64_C(0x4444444444444444));
		CHECK_EQUAL(view.reg[MULTIKRON2_ENABLE], UINT64_C(0x1111111111111111));
		CHECK_EQUAL(view.reg[MULTIKRON2_CSR] & 0x15, 0);
		CHECK_EQUAL(bus.chip.core.faults, 0);
		CHECK(!bus.chip.network_off);
	}
	/* And that is what a new chip is. */
	mk2_bus_init(&bus, NULL);
	mk2_bus_view(&bus, &view);
	mk2_bus_check_view(2, &view, &expected);
}

/* Five node clocks of RESET are enough, four are not; the fault comes when it is released.
 * MK2-056 */
static void reset_takes_five_node_clocks(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned n = 1; n < 9; n++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_clock(&bus, 3);
		mk2_bus_reset(&bus, n);
		CHECK_ROW(n, bus.chip.core.faults, 0);
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(n, bus.chip.core.faults, n < 5 ? MULTIKRON_FAULT_RESET_SHORT : 0);
		/* Each RESET is timed by itself. */
		bus.chip.core.faults = 0;
		mk2_bus_reset(&bus, n);
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(n, bus.chip.core.faults, n < 5 ? MULTIKRON_FAULT_RESET_SHORT : 0);
	}
}

/* RESET waits for nothing: it ends an access and a transmission under way, silences all outputs,
 * and accepts nothing while it lasts. MK2-056 */
static void reset_stops_everything_at_once(void **state)
{
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	config.core.base_clocks = 4;
	mk2_bus_init(&bus, &config);
	mk2_bus_open(&bus, 0);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
	mk2_bus_clock(&bus, 10);
	CHECK(bus.elements > 0);
	mk2_bus_strobe_read(&bus, MULTIKRON2_CSR);
	size_t sent = bus.elements;

	mk2_bus_set(&bus, MULTIKRON2_TSCLK | MULTIKRON2_X(0)); /* high throughout: no edges later */
	for (unsigned i = 0; i < 8; i++) {
		mk2_bus_drive(&bus,
			      MULTIKRON2_RESET | MULTIKRON2_WRITE | MULTIKRON2_START |
				      MULTIKRON2_A(MULTIKRON2_FILTER),
			      MK2_ONES);
		CHECK_ROW(i, bus.out.control & MULTIKRON2_OUTPUTS, 0);
	}
	for (unsigned i = 0; i < 100; i++) {
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(i, bus.out.control & MULTIKRON2_OUTPUTS & ~MULTIKRON2_NETCLK, 0);
		CHECK_ROW(i, (bus.out.control & MULTIKRON2_NETCLK) != 0, i % 2 == 0);
	}
	CHECK_EQUAL(bus.elements, sent);
	CHECK_EQUAL(bus.chip.core.filter, 0);
	CHECK_EQUAL(bus.chip.core.timestamp, 0);
	CHECK(multikron2_quiet(&bus.chip));
}

/* Software reset: the same state, but for the time stamp, which goes on counting without losing a
 * clock, and the latched wait state. The data are ignored. MK2-025 MK2-057 MK2-058 */
static void software_reset_spares_the_time_stamp(void **state)
{
	static struct mk2_bus bus;
	static struct mk2_view view, expected;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_set(&bus, MULTIKRON2_WAITSTATE);
	mk2_bus_reset(&bus, 5);
	mk2_bus_open(&bus, 0x4014);
	mk2_bus_stamp(&bus, 41);
	mk2_bus_strobe_write(&bus, MULTIKRON2_SOFT_RESET, UINT64_C(0x1234));
	mk2_bus_clock(&bus, 1);
	CHECK(!mk2_bus_acked(&bus)); /* one wait state */
	mk2_bus_drive(&bus, MULTIKRON2_TSCLK, 0);
	CHECK(mk2_bus_acked(&bus));
	CHECK_EQUAL(bus.chip.core.timestamp, 42);
	mk2_bus_view(&bus, &view);
	mk2_bus_reset_view(&expected);
	expected.reg[MULTIKRON2_TIMESTAMP] |= 42;
	expected.reg[MULTIKRON2_CSR] |= MULTIKRON2_CSR_WAIT_STATE;
	mk2_bus_check_view(0, &view, &expected);
	mk2_bus_clock(&bus, 2);
	mk2_bus_stamp(&bus, 8);
	CHECK_EQUAL(bus.chip.core.timestamp, 50);
}

/* The clocks of the chip run on through a software reset: NETCLK keeps its phase and so do the
 * prescalers; a sample being sent ends without its end. MK2-058 */
static void software_reset_spares_the_clocks_and_cuts_a_sample(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_open(&bus, 0);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
	mk2_bus_clock(&bus, 50);
	mk2_bus_write(&bus, MULTIKRON2_SOFT_RESET, 0);
	CHECK(bus.elements > 20);
	size_t sent = bus.elements;

	for (unsigned i = 0; i < 300; i++) {
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(i, (bus.out.control & MULTIKRON2_NETCLK) != 0, bus.ticks % 2);
	}
	CHECK_EQUAL(bus.elements, sent);
	CHECK_EQUAL(bus.samples, 0);
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_MODE_CLOCK);
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_CLOCK_NODE_10);
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ENABLE_KEEP);
	uint64_t start = bus.ticks / 10;

	for (unsigned i = 0; i < 40; i++) {
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(i, multikron2_counter(&bus.chip, 0), bus.ticks / 10 - start);
	}
}

/* The accounts of the model are of one life of the chip: RESET clears them, software reset does
 * not; faults are the caller's to clear. */
static void hardware_reset_clears_the_accounts_but_no_faults(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_populate(&bus, true);
	mk2_bus_write(&bus, MULTIKRON2_CSR, 3); /* a pair: fault */
	mk2_bus_drain(&bus);
	mk2_bus_write(&bus, MULTIKRON2_SOFT_RESET, 0);
	CHECK_EQUAL(bus.chip.core.accepted, 2);
	CHECK_EQUAL(bus.chip.core.lost, 2);
	CHECK_EQUAL(bus.chip.core.sent, 2);
	CHECK_EQUAL(bus.chip.core.sent_lost, 1);
	mk2_bus_reset(&bus, 5);
	mk2_bus_clock(&bus, 1);
	CHECK_EQUAL(bus.chip.core.accepted, 0);
	CHECK_EQUAL(bus.chip.core.lost, 0);
	CHECK_EQUAL(bus.chip.core.sent, 0);
	CHECK_EQUAL(bus.chip.core.sent_lost, 0);
	CHECK_EQUAL(bus.chip.core.faults, MULTIKRON_FAULT_CSR_PAIR);
}

/* All 56 bits count, appear in a read under eight ones, and in a sample; outside test mode they
 * cannot be written. MK2-027 MK2-065 MK2-066 MK2-068 */
static void time_stamp_has_56_bits(void **state)
{
	static const uint64_t rows[] = {
		0,
		0xff,
		0xffffffff,
		UINT64_C(0xffffffffff),
		UINT64_C(0xfffffffffffffe),
		UINT64_C(0xffffffffffffff),
	};
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		uint64_t next = (rows[r] + 1) & UINT64_C(0xffffffffffffff);

		mk2_bus_init(&bus, NULL);
		mk2_bus_open(&bus, 0);
		mk2_bus_test_write(&bus, MULTIKRON2_TIMESTAMP, rows[r]);
		CHECK_ROW(r, mk2_bus_read(&bus, MULTIKRON2_TIMESTAMP),
			  rows[r] | UINT64_C(0xff00000000000000));
		mk2_bus_stamp(&bus, 1);
		mk2_bus_write(&bus, MULTIKRON2_TIMESTAMP, 0x1234);
		CHECK_ROW(r, mk2_bus_read(&bus, MULTIKRON2_TIMESTAMP),
			  next | UINT64_C(0xff00000000000000));
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_drain(&bus);
		CHECK_ROW(r, mk2_bus_sample(&bus, 0).time, next);
	}
}

/* At 10 MHz the time stamp wraps after 2^56 clocks, more than two centuries; the model runs them.
 * MK2-067 */
static void time_stamp_wraps_after_228_years(void **state)
{
	struct multikron_osc osc = { .hz = 10000000, .node_hz = 50000000 };
	struct multikron_pins in = { 0 };
	const uint64_t node_clocks = UINT64_C(5) << 56;
	static struct multikron2 chip;

	(void)state;
	CHECK(multikron2_init(&chip, NULL));
	multikron2_run_clocked(&chip, in, node_clocks - 5, &osc);
	CHECK_EQUAL(chip.core.timestamp, (UINT64_C(1) << 56) - 1);
	multikron2_run_clocked(&chip, in, 5, &osc);
	CHECK_EQUAL(chip.core.timestamp, 0);
	multikron2_run_clocked(&chip, in, 35, &osc);
	CHECK_EQUAL(chip.core.timestamp, 7);
	CHECK_EQUAL(node_clocks / osc.node_hz / 31557600, 228);
}

/* Two chips with one clock and one RESET agree for ever, whatever else they do; a RESET of one
 * alone ends it. MK2-069 */
static void common_clock_and_reset_synchronise_chips(void **state)
{
	static struct mk2_bus a, b;

	(void)state;
	mk2_bus_init(&a, NULL);
	mk2_bus_init(&b, NULL);
	mk2_bus_stamp(&a, 7); /* powered up at different times */
	mk2_bus_reset(&a, 6);
	mk2_bus_reset(&b, 6);
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t stamp = i % 5 < 2 ? MULTIKRON2_TSCLK : 0;
		uint64_t write = MULTIKRON2_START | MULTIKRON2_WRITE;

		mk2_bus_drive(&a, stamp | (i % 6 == 1 ? write | MULTIKRON2_A(i) : 0), i);
		mk2_bus_drive(&b, stamp | (i % 9 == 4 ? write | MULTIKRON2_A(3 * i) : 0), ~i);
		CHECK_ROW(i, a.chip.core.timestamp, i / 5 + 1);
		CHECK_ROW(i, b.chip.core.timestamp, i / 5 + 1);
	}
	mk2_bus_reset(&b, 5);
	mk2_bus_clock(&a, 5);
	mk2_bus_stamp(&a, 3);
	mk2_bus_stamp(&b, 3);
	CHECK_EQUAL(a.chip.core.timestamp, 603);
	CHECK_EQUAL(b.chip.core.timestamp, 3);
}

/* Eight source registers of 32 bits, for every processor to read and write whoever it is.
 * MK2-049 MK2-092 MK2-094 */
static void source_registers_belong_to_every_processor(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	for (unsigned cpu = 0; cpu < MULTIKRON_CPUS; cpu++) {
		for (unsigned i = 0; i < MULTIKRON_CPUS; i++) {
			mk2_bus_cpu(&bus, cpu);
			mk2_bus_write(&bus, MULTIKRON2_SOURCE + i, 0xffff0000u + 16 * cpu + i);
			mk2_bus_cpu(&bus, 7 - cpu);
			CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON2_SOURCE + i),
				  MK2_WORD(0xffff0000u + 16 * cpu + i));
		}
	}
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		CHECK_ROW(i, bus.chip.core.source[i], 0xffff0070u + i);
}

TEST_MAIN(TEST(csr_bits_act_as_in_table_b1), TEST(csr_status_bits_follow_the_chip),
	  TEST(csr_pair_conflict_is_a_fault_and_default_wins),
	  TEST(hardware_reset_returns_to_the_initial_state), TEST(reset_takes_five_node_clocks),
	  TEST(reset_stops_everything_at_once), TEST(software_reset_spares_the_time_stamp),
	  TEST(software_reset_spares_the_clocks_and_cuts_a_sample),
	  TEST(hardware_reset_clears_the_accounts_but_no_faults), TEST(time_stamp_has_56_bits),
	  TEST(time_stamp_wraps_after_228_years), TEST(common_clock_and_reset_synchronise_chips),
	  TEST(source_registers_belong_to_every_processor))
