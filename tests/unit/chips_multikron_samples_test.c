/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron: what makes a sample, and what it consists of (Tables 1, 5, 6 and 7). */
#include "support/mk_bus.h"
#include "unit/test.h"

#include <kron/multikron.h>

/* Table 1, upper half: address bits 5:4 and what a write there requests. */
/* clang-format off */
static const struct {
	unsigned first, last;
	unsigned length; /* bytes of the sample, 0 if there is none */
	unsigned type;   /* in the header */
} triggers[] = {
	{  64,  79,  0, 0 }, /* 00 */
	{  80,  95,  0, 0 }, /* 01 */
	{  96, 111, 16, 2 }, /* 10 trace */
	{ 112, 127, 80, 3 }, /* 11 resource */
};
/* clang-format on */

/* MK1-006, MK1-007, MK1-008, MK1-036, MK1-037, MK1-038, MK1-071, MK1-147: address bit 6 selects
 * triggering, bits 5:4 the type, bits 3:0 the filter level. Each trigger is one sample, taken if
 * its own filter bit alone is set and not taken if it alone is clear. */
static void table_1_triggers(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < 4; i++)
		for (unsigned address = triggers[i].first; address <= triggers[i].last; address++) {
			const uint64_t level = UINT64_C(1) << (address & 15);
			const char *row = mk_bus_row("offset %u", address);

			mk_bus_init_sampling(&bus, NULL, 0);
			mk_bus_write(&bus, MULTIKRON_FILTER, ~level);
			mk_bus_write(&bus, address, 0);
			MK_BUS_EXPECT(row, bus.chip.core.accepted, 0);
			mk_bus_write(&bus, MULTIKRON_FILTER, level);
			mk_bus_write(&bus, address, address);
			mk_bus_drain(&bus);
			MK_BUS_EXPECT(row, bus.elements, triggers[i].length);
			MK_BUS_EXPECT(row, mk_bus_samples(&bus), triggers[i].length ? 1 : 0);
			if (!triggers[i].length)
				continue;
			MK_BUS_EXPECT(row, mk_bus_sample(&bus, 0).header, triggers[i].type << 3);
			MK_BUS_EXPECT(row, mk_bus_sample(&bus, 0).data, address);
		}
}

/* MK1-006: no write below 64 and no read at all is a trigger. */
static void commands_and_reads_take_no_sample(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned address = 0; address < 128; address++) {
		mk_bus_init_sampling(&bus, NULL, 0);
		if (address < 64)
			mk_bus_write(&bus, address, 0);
		mk_bus_read(&bus, address);
		MK_BUS_EXPECT(mk_bus_row("offset %u", address), bus.chip.core.accepted, 0);
		CHECK(!mk_bus_wait(&bus, 100));
		CHECK_EQUAL(bus.elements, 0);
	}
}

/* MK1-001, MK1-071, MK1-072, MK1-073: the user data are D47..D0, in both types of sample; D63..D48
 * reach nothing. */
static void user_data_are_the_low_48_bits(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned bit = 0; bit < 64; bit++)
		for (unsigned type = 0; type < 2; type++) {
			const uint64_t one = UINT64_C(1) << bit;

			mk_bus_init_sampling(&bus, NULL, 0);
			mk_bus_write(&bus, type ? MULTIKRON_RESOURCE : MULTIKRON_TRACE, one);
			mk_bus_drain(&bus);
			struct mk_bus_sample sample = mk_bus_sample(&bus, 0);
			MK_BUS_EXPECT(mk_bus_row("bit %u", bit), sample.data, bit < 48 ? one : 0);
			CHECK_EQUAL(sample.header, (2 + type) << 3);
			CHECK_EQUAL(sample.timestamp, 0);
			CHECK_EQUAL(sample.source, 0);
			for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
				CHECK_EQUAL(sample.counter[i], 0);
		}
}

/* MK1-074, MK1-078: with sampling off a trigger is a write that does nothing, even where a sample
 * would be lost or would wait. */
static void no_sample_while_sampling_is_off(void **state)
{
	struct mk_bus bus, idle;

	(void)state;
	for (unsigned wait = 0; wait < 2; wait++)
		for (unsigned address = 96; address < 128; address++) {
			mk_bus_init_busy(&bus, 0);
			mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING_OFF);
			mk_bus_write(&bus, MULTIKRON_CSR,
				     wait ? MULTIKRON_CSR_WRITE_WAIT : MULTIKRON_CSR_DISCARD);
			idle = bus;
			mk_bus_write(&bus, address, 1);
			CHECK_EQUAL(bus.access_ticks, 2);
			mk_bus_clock(&idle, 2);
			CHECK(!mk_bus_difference(&bus.chip, &idle.chip));
		}
}

/* MK1-075, MK1-076: any combination of levels, changed at run time: of one trigger of each level
 * exactly the open ones give samples, for both types. */
static void filter_passes_exactly_the_open_levels(void **state)
{
	static const uint16_t filters[] = { 0, 0xffff, 0x0001, 0x8000, 0xa5c3, 0x5a3c, 0x0ff0 };
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, MULTIKRON_CSR_WRITE_WAIT);
	for (unsigned i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		for (unsigned type = MULTIKRON_TRACE; type <= MULTIKRON_RESOURCE; type += 16) {
			unsigned n = 0;

			mk_bus_write(&bus, MULTIKRON_FILTER, filters[i]);
			bus.elements = 0;
			for (unsigned level = 0; level < 16; level++)
				mk_bus_write(&bus, type + level, level);
			mk_bus_drain(&bus);
			for (unsigned level = 0; level < 16; level++)
				if (filters[i] >> level & 1)
					CHECK_EQUAL(mk_bus_sample(&bus, n++).data, level);
			CHECK_EQUAL(mk_bus_samples(&bus), n);
		}
}

/* MK1-077: instrumentation may stay in the program, because a trigger that is filtered out costs
 * what an accepted one costs. */
static void filtered_trigger_costs_the_same_time(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned w = 0; w < 4; w++)
		for (unsigned type = MULTIKRON_TRACE; type <= MULTIKRON_RESOURCE; type += 16) {
			mk_bus_init(&bus, NULL);
			mk_bus_reset(&bus, w);
			mk_bus_write(&bus, MULTIKRON_FILTER, 0x0001);
			mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING);
			mk_bus_write(&bus, type, 0);
			uint64_t taken = bus.access_ticks;
			CHECK_EQUAL(bus.chip.core.accepted, 1);
			mk_bus_write(&bus, type + 1, 0);
			CHECK_EQUAL(bus.chip.core.accepted, 1);
			CHECK_EQUAL(bus.access_ticks, taken);
			CHECK_EQUAL(bus.access_ticks, 2 + w);
		}
}

/* MK1-077, MK1-078: a filtered trigger looks at neither FIFO nor shadow registers: it does not
 * wait, counts nothing and sets no flag. */
static void filtered_trigger_never_waits_and_loses_nothing(void **state)
{
	struct mk_bus bus, idle;

	(void)state;
	for (unsigned wait = 0; wait < 2; wait++)
		for (unsigned type = MULTIKRON_TRACE; type <= MULTIKRON_RESOURCE; type += 16) {
			mk_bus_init_busy(&bus, 0);
			mk_bus_write(&bus, MULTIKRON_FILTER, 0xfff7);
			mk_bus_write(&bus, MULTIKRON_CSR,
				     wait ? MULTIKRON_CSR_WRITE_WAIT : MULTIKRON_CSR_DISCARD);
			idle = bus;
			mk_bus_write(&bus, type + 3, 1);
			CHECK_EQUAL(bus.access_ticks, 2);
			mk_bus_clock(&idle, 2);
			CHECK(!mk_bus_difference(&bus.chip, &idle.chip));
		}
}

/* MK1-079, MK1-080, MK1-083: the active line of C0..C7 chooses the Source register and stands in
 * the header as a number. */
static void cpu_line_selects_source_and_header(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		mk_bus_write(&bus, MULTIKRON_SOURCE + i, 0x9abcdef0 + i);
	for (unsigned i = 0; i < 2 * MULTIKRON_CPUS; i++) { /* up, then down */
		const unsigned cpu = i < MULTIKRON_CPUS ? i : 2 * MULTIKRON_CPUS - 1 - i;

		bus.hold = MULTIKRON_FREE | MULTIKRON_C(cpu);
		mk_bus_write(&bus, MULTIKRON_TRACE, 0);
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
		mk_bus_drain(&bus);
		CHECK_EQUAL(mk_bus_sample(&bus, 2 * i).header, cpu << 5 | 2 << 3);
		CHECK_EQUAL(mk_bus_sample(&bus, 2 * i).source, 0x9abcdef0 + cpu);
		CHECK_EQUAL(mk_bus_sample(&bus, 2 * i + 1).header, cpu << 5 | 3 << 3);
		CHECK_EQUAL(mk_bus_sample(&bus, 2 * i + 1).source, 0x9abcdef0 + cpu);
	}
	CHECK_EQUAL(bus.chip.core.faults, 0);
}

/* MK1-082: the operating system updates the register at a context switch; samples taken before keep
 * the old identity, samples taken after carry the new one, all 32 bits of it. */
static void context_switch_changes_the_source_of_later_samples(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	bus.hold &= ~MULTIKRON_FREE;
	mk_bus_write(&bus, MULTIKRON_SOURCE, 0x80000001);
	mk_bus_write(&bus, MULTIKRON_TRACE, 1);
	mk_bus_write(&bus, MULTIKRON_SOURCE, 0x7ffffffe);
	mk_bus_write(&bus, MULTIKRON_TRACE, 2);
	mk_bus_drain(&bus);
	CHECK_EQUAL(mk_bus_sample(&bus, 0).source, 0x80000001);
	CHECK_EQUAL(mk_bus_sample(&bus, 1).source, 0x7ffffffe);
}

/* clang-format off */
static const struct { unsigned lines, cpu; bool fault; } cpu_lines[] = {
	{ 0x00, 0, true }, { 0x01, 0, false }, { 0x80, 7, false }, { 0x10, 4, false },
	{ 0x03, 0, true }, { 0xc0, 6, true },  { 0xff, 0, true },  { 0xa8, 3, true },
};
/* clang-format on */

/* MK1-079: at most one line may be active. None or several is reported at a trigger that wants a
 * sample, and only there; the sample has the lowest active line, or 0. */
static void cpu_lines_must_be_one_of_eight(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < sizeof(cpu_lines) / sizeof(cpu_lines[0]); i++) {
		const char *row = mk_bus_row("lines 0x%x", cpu_lines[i].lines);

		mk_bus_init_sampling(&bus, NULL, 0);
		for (unsigned s = 0; s < MULTIKRON_CPUS; s++)
			mk_bus_write(&bus, MULTIKRON_SOURCE + s, s + 1);
		bus.hold = MULTIKRON_FREE | (uint64_t)cpu_lines[i].lines << MULTIKRON_C_SHIFT;
		mk_bus_read(&bus, MULTIKRON_CSR);
		MK_BUS_EXPECT(row, bus.chip.core.faults, 0);
		mk_bus_write(&bus, MULTIKRON_TRACE, 0);
		MK_BUS_EXPECT(row, bus.chip.core.faults,
			      cpu_lines[i].fault ? MULTIKRON_FAULT_CPU_LINES : 0);
		mk_bus_drain(&bus);
		MK_BUS_EXPECT(row, mk_bus_sample(&bus, 0).header, cpu_lines[i].cpu << 5 | 2 << 3);
		MK_BUS_EXPECT(row, mk_bus_sample(&bus, 0).source, cpu_lines[i].cpu + 1);
	}
}

/* MK1-084: the FIFO keeps 128 bits of several samples, in order, and a 129th bit with each that
 * says whether counters follow. */
static void fifo_keeps_samples_and_their_type_in_order(void **state)
{
	static const unsigned depths[] = { 2, 3, 8, 64 };
	struct mk_bus bus;

	(void)state;
	for (unsigned d = 0; d < sizeof(depths) / sizeof(depths[0]); d++) {
		struct multikron_config config = { .fifo_depth = depths[d], .base_clocks = 2 };
		unsigned resource = depths[d] / 2;

		mk_bus_init_sampling(&bus, &config, 0);
		bus.hold &= ~MULTIKRON_FREE;
		for (unsigned i = 0; i < depths[d] + 3; i++)
			mk_bus_write(&bus, i == resource ? MULTIKRON_RESOURCE : MULTIKRON_TRACE,
				     UINT64_C(0xfedcba987600) + i);
		CHECK_EQUAL(bus.chip.core.overruns, 3);
		mk_bus_drain(&bus);
		CHECK_EQUAL(mk_bus_samples(&bus), depths[d]);
		for (unsigned i = 0; i < depths[d]; i++) {
			CHECK_EQUAL(mk_bus_sample(&bus, i).length, i == resource ? 80 : 16);
			CHECK_EQUAL(mk_bus_sample(&bus, i).data, UINT64_C(0xfedcba987600) + i);
		}
	}
}

/* MK1-085, MK1-086: all counters of a resource sample are those of its instant; they count on while
 * the copies are sent, and the sample does not see it. */
static void counters_of_a_sample_are_of_one_instant(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, UINT64_C(0x0000ffff0000ffff));
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
	uint64_t start = bus.ticks;
	mk_bus_clock(&bus, 37);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	uint64_t taken = bus.ticks;
	while (bus.elements < 80) {
		mk_bus_clock(&bus, 1);
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			CHECK_EQUAL(multikron_counter(&bus.chip, i), bus.ticks - start);
	}
	struct mk_bus_sample sample = mk_bus_sample(&bus, 0);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_EQUAL(sample.counter[i], taken - start);
}

/* Lose samples so that the next accepted one carries the flags asked for. */
static void raise_flags(struct mk_bus *bus, bool fifo, bool shadow)
{
	bus->hold &= ~MULTIKRON_FREE;
	if (shadow) {
		mk_bus_write(bus, MULTIKRON_RESOURCE, 0);
		if (!fifo)
			mk_bus_write(bus, MULTIKRON_RESOURCE, 0);
	}
	if (fifo) {
		mk_bus_fill(bus);
		mk_bus_write(bus, shadow ? MULTIKRON_RESOURCE : MULTIKRON_TRACE, 0);
	}
	mk_bus_drain(bus);
	bus->elements = 0;
}

/* MK1-146, MK1-147, MK1-149, MK1-102, MK1-103, MK1-083, MK1-148: Table 5, every combination: CPU 3
 * bits, type 2, FIFO overrun, shadow overrun, read error, from the most significant bit down. */
static void table_5_header(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < 64; i++) {
		const unsigned cpu = i & 7, type = 2 + (i >> 3 & 1);
		const bool fifo = i >> 4 & 1, shadow = i >> 5 & 1;

		mk_bus_init_sampling(&bus, NULL, 0);
		raise_flags(&bus, fifo, shadow);
		bus.hold = MULTIKRON_FREE | MULTIKRON_C(cpu);
		mk_bus_write(&bus, type == 3 ? MULTIKRON_RESOURCE : MULTIKRON_TRACE, 0);
		mk_bus_drain(&bus);
		MK_BUS_EXPECT(
			mk_bus_row("cpu %u type %u fifo %d shadow %d", cpu, type, fifo, shadow),
			mk_bus_sample(&bus, 0).header,
			cpu << 5 | type << 3 | (unsigned)fifo << 2 | (unsigned)shadow << 1);
	}
}

/* clang-format off */
static const struct { unsigned cpu, address; bool fifo; uint8_t header; } headers[] = {
	{ 3, MULTIKRON_TRACE,    false, 0x70 },
	{ 3, MULTIKRON_RESOURCE, false, 0x78 },
	{ 0, MULTIKRON_TRACE,    true,  0x14 },
};
/* clang-format on */

/* MK1-151: the three worked examples, as numbers. */
static void worked_header_examples(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		mk_bus_init_sampling(&bus, NULL, 0);
		raise_flags(&bus, headers[i].fifo, false);
		bus.hold = MULTIKRON_FREE | MULTIKRON_C(headers[i].cpu);
		mk_bus_write(&bus, headers[i].address, 0);
		mk_bus_drain(&bus);
		CHECK_EQUAL(mk_bus_sample(&bus, 0).header, headers[i].header);
	}
}

/* MK1-148: the third flag belongs to counter reads; one that has just failed leaves no trace in the
 * samples before and after it. */
static void read_error_never_stands_in_a_sample(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	bus.hold &= ~MULTIKRON_FREE;
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	CHECK(mk_bus_read(&bus, MULTIKRON_COUNTER) & MULTIKRON_READ_ERROR);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	CHECK(mk_bus_read(&bus, MULTIKRON_COUNTER) & MULTIKRON_READ_ERROR);
	mk_bus_drain(&bus);
	CHECK_EQUAL(mk_bus_sample(&bus, 0).header, 0x18);
	CHECK_EQUAL(mk_bus_sample(&bus, 1).header, 0x10);
}

/* A sample in which no two neighbouring bytes can be mistaken for each other. */
static void take_distinct_sample(struct mk_bus *bus, bool lsb_first, unsigned address)
{
	struct multikron_config config = { .fifo_depth = 8,
					   .base_clocks = 2,
					   .lsb_first = lsb_first };

	mk_bus_init_sampling(bus, &config, 0);
	mk_bus_test(bus, MK_BUS_INSTRUCTION(2, 0x3e72));
	mk_bus_stamp(bus, 5); /* time stamp 0xfffff00fff00f5 */
	mk_bus_write(bus, MULTIKRON_SOURCE + 5, 0x21436587);
	mk_bus_write(bus, MULTIKRON_MUX_SEL, UINT64_C(0x0000ffff0000ffff));
	mk_bus_write(bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		mk_bus_run(bus, 0x01020304 + 0x0103070f * i);
		mk_bus_write(bus, MULTIKRON_RESOURCE_DISABLE, UINT64_C(1) << i);
	}
	bus->hold = MULTIKRON_FREE | MULTIKRON_C(5);
	mk_bus_write(bus, address, UINT64_C(0xffffa1b2c3d4e5f6));
	mk_bus_drain(bus);
}

/* Table 6: the bytes of the trace part in the order in which they are sent. */
/* clang-format off */
static const struct { const char *field; unsigned bytes; uint64_t value; } table_6[] = {
	{ "header",    1, 5 << 5 | 2 << 3 },
	{ "timestamp", 5, UINT64_C(0xf00fff00f5) },
	{ "source",    4, 0x21436587 },
	{ "user data", 6, UINT64_C(0xa1b2c3d4e5f6) },
};
/* clang-format on */

static uint8_t byte_of(uint64_t value, unsigned bytes, unsigned i, bool lsb_first)
{
	return (uint8_t)(value >> 8 * (lsb_first ? i : bytes - 1 - i));
}

static unsigned check_trace_part(const struct mk_bus_sample *sample, bool lsb_first)
{
	const unsigned resource = sample->length == 80 ? 1 << 3 : 0;
	unsigned at = 0;

	for (unsigned f = 0; f < 4; f++)
		for (unsigned i = 0; i < table_6[f].bytes; i++, at++)
			MK_BUS_EXPECT(mk_bus_row("%s, byte %u", table_6[f].field, i),
				      sample->byte[at],
				      byte_of(table_6[f].value | (f ? 0 : resource),
					      table_6[f].bytes, i, lsb_first));
	return at;
}

/* MK1-144, MK1-150, MK1-048, MK1-073: Table 6: 16 bytes, header first, each field most significant
 * byte first, or reversed field by field with the knob. */
static void table_6_trace_sample(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned lsb_first = 0; lsb_first < 2; lsb_first++) {
		take_distinct_sample(&bus, lsb_first, MULTIKRON_TRACE);
		struct mk_bus_sample sample = mk_bus_sample(&bus, 0);
		CHECK_EQUAL(sample.length, 16);
		CHECK_EQUAL(bus.elements, 16);
		CHECK_EQUAL(check_trace_part(&sample, lsb_first), 16);
	}
}

/* MK1-145, MK1-150, MK1-085: Table 7: the same with the counters 0 to 15 behind it, 80 bytes. */
static void table_7_resource_sample(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned lsb_first = 0; lsb_first < 2; lsb_first++) {
		take_distinct_sample(&bus, lsb_first, MULTIKRON_RESOURCE);
		struct mk_bus_sample sample = mk_bus_sample(&bus, 0);
		CHECK_EQUAL(sample.length, 80);
		CHECK_EQUAL(bus.elements, 80);
		unsigned at = check_trace_part(&sample, lsb_first);
		uint32_t value = 0;
		for (unsigned c = 0; c < MULTIKRON_COUNTERS; c++) {
			value += 0x01020304 + 0x0103070f * c + 2; /* two clocks per write */
			CHECK_EQUAL(multikron_counter(&bus.chip, c), value);
			for (unsigned i = 0; i < 4; i++, at++)
				MK_BUS_EXPECT(mk_bus_row("counter %u, byte %u", c, i),
					      sample.byte[at], byte_of(value, 4, i, lsb_first));
		}
		CHECK_EQUAL(at, 80);
	}
}

TEST_MAIN(TEST(table_1_triggers), TEST(commands_and_reads_take_no_sample),
	  TEST(user_data_are_the_low_48_bits), TEST(no_sample_while_sampling_is_off),
	  TEST(filter_passes_exactly_the_open_levels), TEST(filtered_trigger_costs_the_same_time),
	  TEST(filtered_trigger_never_waits_and_loses_nothing),
	  TEST(cpu_line_selects_source_and_header),
	  TEST(context_switch_changes_the_source_of_later_samples),
	  TEST(cpu_lines_must_be_one_of_eight), TEST(fifo_keeps_samples_and_their_type_in_order),
	  TEST(counters_of_a_sample_are_of_one_instant), TEST(table_5_header),
	  TEST(worked_header_examples), TEST(read_error_never_stands_in_a_sample),
	  TEST(table_6_trace_sample), TEST(table_7_resource_sample))
