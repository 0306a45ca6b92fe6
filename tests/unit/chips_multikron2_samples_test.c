/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II: which writes make samples, and what is in them (Table B2). */
#include <string.h>
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

#define STAMP UINT64_C(0x00a1b2c3d4e5f6)
#define DATA  UINT64_C(0x0123456789abcdef)

/* A chip with a time, sources and counters that can be told apart. */
static void start(struct mk2_bus *bus, const struct multikron2_config *config)
{
	mk2_bus_init(bus, config);
	mk2_bus_test_write(bus, MULTIKRON2_TIMESTAMP, STAMP | UINT64_C(0x99) << 48);
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		mk2_bus_write(bus, MULTIKRON2_SOURCE + i, 0x70605040u + i);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		mk2_bus_write(bus, MULTIKRON2_COUNTER + i, 0x01020300u * (i + 1));
	mk2_bus_open(bus, 0);
}

/* A trigger is taken if its filter bit is 1, for all levels and both kinds; the address is
 * otherwise the same. MK2-053 MK2-054 MK2-089 */
static void filter_decides_level_by_level(void **state)
{
	static const uint16_t rows[] = { 0x0000, 0xffff, 0xa5c3, 0x5a3c, 0x0001, 0x8000, 0x7ffe };
	static struct mk2_bus bus;

	(void)state;
	start(&bus, NULL);
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		mk2_bus_write(&bus, MULTIKRON2_FILTER, rows[r]);
		for (unsigned i = 0; i < 32; i++) {
			mk2_bus_forget(&bus);
			mk2_bus_write(&bus, MULTIKRON2_TRACE + i, i);
			mk2_bus_drain(&bus);
			if (!(rows[r] >> (i & 15) & 1)) {
				CHECK_ROW(i, bus.elements, 0);
				continue;
			}
			CHECK_ROW(i, bus.elements, i < 16 ? MK2_TRACE_BYTES : MK2_SAMPLE_BYTES);
			CHECK_ROW(i, mk2_bus_sample(&bus, 0).data, i);
		}
	}
}

/* A rejected trigger costs what an accepted one costs: it is acknowledged in the same two
 * clocks, even where an accepted one would have to wait, and leaves no trace in counters and
 * flags. MK2-090 */
static void rejected_trigger_takes_the_same_time(void **state)
{
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	config.core.fifo_depth = 2;
	start(&bus, &config);
	mk2_bus_write(&bus, MULTIKRON2_FILTER, 0x00ff);
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_WRITE_WAIT);
	CHECK_EQUAL(mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0), 2);
	CHECK_EQUAL(mk2_bus_write(&bus, MULTIKRON2_TRACE, 0), 2); /* now FIFO and shadow are full */
	mk2_bus_clear(&bus, MULTIKRON2_C(0));                     /* no CPU line: no fault either */
	for (unsigned i = 8; i < 16; i++) {
		CHECK_ROW(i, mk2_bus_write(&bus, MULTIKRON2_TRACE + i, 0), 2);
		CHECK_ROW(i, mk2_bus_write(&bus, MULTIKRON2_RESOURCE + i, 0), 2);
	}
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_DISCARD);
	CHECK_EQUAL(mk2_bus_write(&bus, MULTIKRON2_RESOURCE + 8, 0), 2);
	CHECK_EQUAL(bus.chip.core.wait_clocks, 0);
	CHECK_EQUAL(bus.chip.core.overruns, 0);
	CHECK_EQUAL(bus.chip.core.lost, 0);
	CHECK_EQUAL(bus.chip.core.accepted, 2);
	CHECK_EQUAL(bus.chip.core.faults, 0);
	CHECK_EQUAL(mk2_bus_csr(&bus) & 0x300, 0);
}

/* With sampling off no trigger makes a sample, and none waits or is lost. MK2-091 MK2-071
 * MK2-072 */
static void no_samples_while_sampling_is_disabled(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_SAMPLING_OFF);
	for (unsigned i = 0; i < 32; i++)
		CHECK_ROW(i, mk2_bus_write(&bus, MULTIKRON2_TRACE + i, 0), 2);
	CHECK_EQUAL(bus.chip.core.accepted + bus.chip.core.lost, 0);
	CHECK_EQUAL(bus.chip.core.overruns, 0);
	CHECK_EQUAL(bus.chip.core.fifo_count, 0);
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_SAMPLING);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
	CHECK_EQUAL(bus.chip.core.accepted, 1);
}

/* The CPU line picks the Source register and the index in the header, for both kinds.
 * MK2-092 MK2-093 */
static void cpu_line_selects_source_and_index(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, NULL);
	for (unsigned cpu = 0; cpu < MULTIKRON_CPUS; cpu++) {
		mk2_bus_forget(&bus);
		mk2_bus_cpu(&bus, cpu);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, cpu);
		mk2_bus_write(&bus, MULTIKRON2_RESOURCE, cpu);
		mk2_bus_drain(&bus);
		for (unsigned k = 0; k < 2; k++) {
			CHECK_ROW(cpu, mk2_bus_sample(&bus, k).source, 0x70605040u + cpu);
			CHECK_ROW(cpu, mk2_bus_sample(&bus, k).header >> 5, cpu);
		}
	}
	CHECK_EQUAL(bus.chip.core.faults, 0);
}

/* At most one line may be active, and a sample needs one: anything else is a fault, and the lowest
 * line (or the first processor) is taken. MK2-093 */
static void other_than_one_cpu_line_is_a_fault(void **state)
{
	/* clang-format off */
	static const struct {
		uint8_t lines;
		uint8_t cpu;
		uint32_t faults;
	} rows[] = {
		{ 0x01, 0, 0 }, { 0x80, 7, 0 },
		{ 0x00, 0, MULTIKRON_FAULT_CPU_LINES },
		{ 0x03, 0, MULTIKRON_FAULT_CPU_LINES },
		{ 0x90, 4, MULTIKRON_FAULT_CPU_LINES },
		{ 0xff, 0, MULTIKRON_FAULT_CPU_LINES },
	};
	/* clang-format on */
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		start(&bus, NULL);
		bus.levels = (uint64_t)rows[r].lines << MULTIKRON2_C_SHIFT;
		mk2_bus_read(&bus, MULTIKRON2_CSR); /* other accesses do not mind */
		mk2_bus_write(&bus, MULTIKRON2_SOURCE, 0x70605040u);
		CHECK_ROW(r, bus.chip.core.faults, 0);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		CHECK_ROW(r, bus.chip.core.faults, rows[r].faults);
		mk2_bus_drain(&bus);
		CHECK_ROW(r, mk2_bus_sample(&bus, 0).source, 0x70605040u + rows[r].cpu);
		CHECK_ROW(r, mk2_bus_sample(&bus, 0).header, rows[r].cpu << 5 | 0x10);
	}
}

/* Table B2, byte by byte: header, seven of time, four of source, eight of data; a resource
 * sample goes on with sixteen counters of four. MK2-095 MK2-096 MK2-097 MK2-161 */
static void samples_have_the_bytes_of_table_b2(void **state)
{
	/* clang-format off */
	static const uint8_t trace[MK2_TRACE_BYTES] = {
		0x50,
		0x99, 0xa1, 0xb2, 0xc3, 0xd4, 0xe5, 0xf6,
		0x70, 0x60, 0x50, 0x42,
		0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	};
	static const uint8_t counters[64] = {
		0x01, 0x02, 0x03, 0x00,  0x02, 0x04, 0x06, 0x00,
		0x03, 0x06, 0x09, 0x00,  0x04, 0x08, 0x0c, 0x00,
		0x05, 0x0a, 0x0f, 0x00,  0x06, 0x0c, 0x12, 0x00,
		0x07, 0x0e, 0x15, 0x00,  0x08, 0x10, 0x18, 0x00,
		0x09, 0x12, 0x1b, 0x00,  0x0a, 0x14, 0x1e, 0x00,
		0x0b, 0x16, 0x21, 0x00,  0x0c, 0x18, 0x24, 0x00,
		0x0d, 0x1a, 0x27, 0x00,  0x0e, 0x1c, 0x2a, 0x00,
		0x0f, 0x1e, 0x2d, 0x00,  0x10, 0x20, 0x30, 0x00,
	};
	/* clang-format on */
	static struct mk2_bus bus;

	(void)state;
	start(&bus, NULL);
	mk2_bus_cpu(&bus, 2);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, DATA);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, DATA);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(bus.elements, MK2_TRACE_BYTES + MK2_SAMPLE_BYTES);
	for (unsigned i = 0; i < bus.elements; i++) {
		unsigned k = i < MK2_TRACE_BYTES ? i : i - MK2_TRACE_BYTES;
		uint8_t expected = k < MK2_TRACE_BYTES ? trace[k] : counters[k - MK2_TRACE_BYTES];

		if (i == MK2_TRACE_BYTES)
			expected |= 0x08; /* type 11 */
		CHECK_ROW(i, bus.element[i].byte, expected);
		CHECK_ROW(i, bus.element[i].eom, i == 19 || i == 103);
	}
}

/* With the knob, the least significant byte of every field goes first; fields keep their order. */
static void lsb_first_turns_each_field_round(void **state)
{
	/* clang-format off */
	static const uint8_t bytes[28] = {
		0x18,
		0xf6, 0xe5, 0xd4, 0xc3, 0xb2, 0xa1, 0x99,
		0x40, 0x50, 0x60, 0x70,
		0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01,
		0x00, 0x03, 0x02, 0x01,  0x00, 0x06, 0x04, 0x02,
	};
	/* clang-format on */
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	config.core.lsb_first = true;
	start(&bus, &config);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, DATA);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_FIFO),
		    MK2_WORD(0x1899a1b2)); /* the FIFO is not */
	mk2_bus_drain(&bus);
	CHECK_EQUAL(bus.elements, MK2_SAMPLE_BYTES);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		CHECK_ROW(i, bus.element[i].byte, bytes[i]);
}

/* clang-format off */
/* Which losses come before a sample, and the header it then has. */
static const struct {
	uint8_t cpu;
	bool resource, shadow_lost, fifo_lost;
	uint8_t header, spare;
} header_rows[] = {
	{ 5, false, false, false, 0xb0, 0xb1 }, /* the four vectors of MK2-101 */
	{ 5, true,  false, false, 0xb8, 0xb9 },
	{ 0, false, false, true,  0x12, 0x13 },
	{ 0, false, true,  false, 0x14, 0x15 },
	{ 3, false, true,  true,  0x76, 0x77 },
	{ 3, true,  false, true,  0x7a, 0x7b },
	{ 3, true,  true,  false, 0x7c, 0x7d },
	{ 7, true,  true,  true,  0xfe, 0xff },
};
/* clang-format on */

/* Lose one sample for each of the reasons wanted, then let the network take what is there. */
static void lose(struct mk2_bus *bus, bool shadow, bool fifo)
{
	if (shadow) {
		mk2_bus_write(bus, MULTIKRON2_RESOURCE, 0);
		mk2_bus_write(bus, MULTIKRON2_RESOURCE, 0);
	}
	/* Entries pushed in test mode leave the flags alone. */
	for (unsigned i = 0; fifo && i < MULTIKRON_FIFO_MAX; i++)
		mk2_bus_test_write(bus, MULTIKRON2_FIFO, 0);
	if (fifo)
		mk2_bus_write(bus, MULTIKRON2_TRACE, 0);
	mk2_bus_drain(bus);
	mk2_bus_forget(bus);
}

/* Header: CPU 7:5, type 4:3 with 10 a trace and 11 a resource sample, shadow overrun 2, FIFO
 * overrun 1, and a spare bit that is 0, or what the knob says. MK2-098 MK2-099 MK2-100 MK2-101
 * MK2-102 MK2-103 */
static void header_has_the_bits_of_table_b2(void **state)
{
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	for (unsigned r = 0; r < 2 * sizeof(header_rows) / sizeof(header_rows[0]); r++) {
		unsigned i = r / 2;

		config.header_spare = r & 1;
		start(&bus, &config);
		lose(&bus, header_rows[i].shadow_lost, header_rows[i].fifo_lost);
		mk2_bus_cpu(&bus, header_rows[i].cpu);
		mk2_bus_write(&bus,
			      header_rows[i].resource ? MULTIKRON2_RESOURCE : MULTIKRON2_TRACE, 0);
		/* The next one is clean: the flags were told. */
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_drain(&bus);
		CHECK_ROW(i, mk2_bus_sample(&bus, 0).header,
			  r & 1 ? header_rows[i].spare : header_rows[i].header);
		CHECK_ROW(i, mk2_bus_sample(&bus, 1).header & 0x06, 0);
		CHECK_ROW(i, mk2_bus_sample(&bus, 1).header & 0x01, r & 1);
	}
}

/* The five FIFO groups are the 160 bits from the header down, and the 161st bit is in the CSR. The
 * head stays the head until the network takes it. MK2-046 MK2-081 MK2-104 MK2-166 MK2-167 */
static void fifo_groups_show_the_head_sample(void **state)
{
	static const uint32_t group[5] = { 0x5099a1b2, 0xc3d4e5f6, 0x70605042, 0x01234567,
					   0x89abcdef };
	static struct mk2_bus bus;

	(void)state;
	start(&bus, NULL);
	for (unsigned i = 0; i < 5; i++)
		CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON2_FIFO + i), MK2_UPPER); /* empty */
	mk2_bus_cpu(&bus, 2);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, DATA);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
	for (unsigned turn = 0; turn < 3; turn++)
		for (unsigned i = 0; i < 5; i++)
			CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON2_FIFO + i), MK2_WORD(group[i]));
	CHECK_EQUAL(mk2_bus_csr(&bus) & MULTIKRON2_CSR_FIFO_BIT_160, 0);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	while (!bus.samples)
		mk2_bus_clock(&bus, 1);
	mk2_bus_clear(&bus, MULTIKRON2_NETRDY);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_FIFO), MK2_WORD(0x5899a1b2));
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_FIFO + 4), MK2_UPPER);
	CHECK_EQUAL(mk2_bus_csr(&bus) & MULTIKRON2_CSR_FIFO_BIT_160, MULTIKRON2_CSR_FIFO_BIT_160);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(mk2_bus_csr(&bus) & MULTIKRON2_CSR_FIFO_BIT_160, 0);
}

/* The report gives no depth; the model takes any from 2 to its maximum, and loses the sample after.
 * MK2-104 */
static void fifo_holds_as_many_samples_as_its_depth(void **state)
{
	static const unsigned rows[] = { 2, 3, 8, 63, MULTIKRON_FIFO_MAX };
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		config.core.fifo_depth = rows[r];
		start(&bus, &config);
		for (unsigned i = 0; i < rows[r]; i++) {
			CHECK_ROW(r, mk2_bus_csr(&bus) & MULTIKRON2_CSR_FIFO_FULL, 0);
			mk2_bus_write(&bus, MULTIKRON2_TRACE, i);
		}
		CHECK_ROW(r, mk2_bus_csr(&bus) & MULTIKRON2_CSR_FIFO_FULL,
			  MULTIKRON2_CSR_FIFO_FULL);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 999);
		CHECK_ROW(r, bus.chip.core.accepted, rows[r]);
		CHECK_ROW(r, bus.chip.core.lost, 1);
		mk2_bus_drain(&bus);
		CHECK_ROW(r, bus.chip.core.sent, rows[r]);
		for (unsigned i = 0; i < rows[r]; i++)
			CHECK_ROW(r, mk2_bus_sample(&bus, i).data, i);
	}
}

/* One instant: all counters of a resource sample, and its time, are those of the node clock that
 * took it; counting goes on meanwhile. MK2-105 */
static void resource_sample_freezes_one_instant(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_open(&bus, 0);
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_ALL(MULTIKRON2_MODE_CLOCK));
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_ALL(MULTIKRON2_CLOCK_NODE));
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_RESET));
	uint64_t zero = bus.ticks;

	mk2_bus_clock(&bus, 100);
	mk2_bus_strobe_write(&bus, MULTIKRON2_RESOURCE, 0);
	mk2_bus_drive(&bus, MULTIKRON2_TSCLK, 0); /* a time stamp clock in the very tick */
	CHECK(mk2_bus_acked(&bus));
	uint32_t instant = (uint32_t)(bus.ticks - zero);

	mk2_bus_drain(&bus);
	CHECK_EQUAL(instant, 102);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		CHECK_ROW(i, mk2_bus_sample(&bus, 0).counter[i], instant);
		CHECK_ROW(i, multikron2_counter(&bus.chip, i), bus.ticks - zero);
	}
	CHECK_EQUAL(mk2_bus_sample(&bus, 0).time, 1);
}

/* One rank of shadow registers: after a resource sample it is busy until the last of 84 bytes has
 * gone, 84 network clocks, at either phase of NETCLK. MK2-106 */
static void shadow_registers_are_busy_for_84_network_clocks(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		unsigned rising = 0, clocks = 0;

		mk2_bus_init(&bus, NULL);
		mk2_bus_open(&bus, 0);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY);
		mk2_bus_align(&bus, phase);
		mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
		CHECK(bus.chip.core.shadow_busy);
		while (bus.chip.core.shadow_busy) {
			mk2_bus_clock(&bus, 1);
			rising += (bus.out.control & MULTIKRON2_NETCLK) != 0;
			clocks++;
		}
		CHECK_ROW(phase, rising, 84);
		/* The tick that took the sample may itself have been half a network clock. */
		CHECK_ROW(phase, clocks, phase ? 167 : 168);
		CHECK_ROW(phase, bus.samples, 1);
	}
}

TEST_MAIN(TEST(filter_decides_level_by_level), TEST(rejected_trigger_takes_the_same_time),
	  TEST(no_samples_while_sampling_is_disabled), TEST(cpu_line_selects_source_and_index),
	  TEST(other_than_one_cpu_line_is_a_fault), TEST(samples_have_the_bytes_of_table_b2),
	  TEST(lsb_first_turns_each_field_round), TEST(header_has_the_bits_of_table_b2),
	  TEST(fifo_groups_show_the_head_sample), TEST(fifo_holds_as_many_samples_as_its_depth),
	  TEST(resource_sample_freezes_one_instant),
	  TEST(shadow_registers_are_busy_for_84_network_clocks))
