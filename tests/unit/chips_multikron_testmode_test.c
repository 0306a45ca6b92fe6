/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron: test mode, Appendix C. Table C-1 field by field and encoding by encoding. */
#include "support/mk_bus.h"
#include "unit/test.h"

#include <kron/multikron.h>

/* Instruction bits of the TEST register, to be shifted above the data. */
#define SET(encoding)   ((encoding) << 0)
#define INC(encoding)   ((encoding) << 2)
#define GROUP(encoding) ((encoding) << 4)
#define NETWORK_OFF     (1 << 6)
#define PATTERN         (1 << 7)
#define ADVANCE         (1 << 8)

enum group { NONE, ERRORS, STAMP, RESOURCES };

static void init_test(struct mk_bus *bus)
{
	mk_bus_init_sampling(bus, NULL, 0);
	bus->hold |= MULTIKRON_TEST;
}

static void instruct(struct mk_bus *bus, unsigned instruction, uint32_t data)
{
	mk_bus_write(bus, MULTIKRON_TEST_REGISTER, MK_BUS_INSTRUCTION(instruction, data));
}

static uint64_t read_group(struct mk_bus *bus, unsigned group)
{
	instruct(bus, GROUP(group) | NETWORK_OFF, 0);
	return mk_bus_read(bus, MULTIKRON_FIFO_OUTPUT);
}

/* Each data bit in four counter bits. */
static uint64_t replicate(uint32_t data, unsigned bits)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bits; i++)
		if (data >> i & 1)
			value |= UINT64_C(0xf) << 4 * i;
	return value;
}

struct counts {
	uint64_t errors, stamp, resource;
};

static void check_counts(struct mk_bus *bus, const char *row, struct counts expected)
{
	MK_BUS_EXPECT(row, bus->chip.core.wait_clocks, expected.errors);
	MK_BUS_EXPECT(row, bus->chip.core.overruns, expected.errors);
	MK_BUS_EXPECT(row, bus->chip.core.timestamp, expected.stamp);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		MK_BUS_EXPECT(row, multikron_counter(&bus->chip, i), expected.resource);
}

/* MK1-155, MK1-156, MK1-157, MK1-158, MK1-160, MK1-161: instruction bits 1:0 and 3:2, all sixteen
 * combinations: which counters are set, which are incremented, both if both are asked for, and a
 * fault where they are the same. */
static void table_c1_set_and_increment(void **state)
{
	const uint32_t first = 0x0f0f3a51, data = 0x8421a5c6;
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		const unsigned set = i & 3, inc = i >> 2;
		struct counts expected = { replicate(first, 8), replicate(first, 14), first };

		init_test(&bus);
		instruct(&bus, SET(ERRORS), first);
		instruct(&bus, SET(STAMP), first);
		instruct(&bus, SET(RESOURCES), first);
		check_counts(&bus, "first", expected);
		CHECK_EQUAL(bus.chip.core.faults, 0);
		instruct(&bus, SET(set) | INC(inc), data);
		if (set == ERRORS)
			expected.errors = replicate(data, 8);
		if (set == STAMP)
			expected.stamp = replicate(data, 14);
		if (set == RESOURCES)
			expected.resource = data;
		expected.errors += inc == ERRORS;
		expected.stamp += inc == STAMP;
		expected.resource += inc == RESOURCES;
		const char *row = mk_bus_row("set %u, increment %u", set, inc);
		check_counts(&bus, row, expected);
		MK_BUS_EXPECT(row, bus.chip.core.faults,
			      set && set == inc ? MULTIKRON_FAULT_TEST_SET_INC : 0);
		check_counts(&bus, row, expected);
	}
}

/* clang-format off */
static const struct { unsigned set; uint32_t data; struct counts counts; } vectors[] = {
	{ ERRORS,    0x01,       { 0x0000000f, 0, 0 } },
	{ ERRORS,    0x80,       { 0xf0000000, 0, 0 } },
	{ ERRORS,    0xffffff00, { 0, 0, 0 } },
	{ ERRORS,    0xa5,       { 0xf0f00f0f, 0, 0 } },
	{ STAMP,     0x2001,     { 0, UINT64_C(0xf000000000000f), 0 } },
	{ STAMP,     0xffffc000, { 0, 0, 0 } },
	{ STAMP,     0x1234,     { 0, UINT64_C(0x0f00f000ff0f00), 0 } },
	{ RESOURCES, 0x80000001, { 0, 0, 0x80000001 } },
};
/* clang-format on */

/* MK1-159, MK1-156, MK1-157, MK1-158: worked values, read over the bus; data bits beyond 8 and 14
 * are not used. */
static void worked_set_examples(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		const char *row = mk_bus_row("vector %u", i);

		init_test(&bus);
		instruct(&bus, SET(vectors[i].set), vectors[i].data);
		check_counts(&bus, row, vectors[i].counts);
		MK_BUS_EXPECT(row, mk_bus_read(&bus, MULTIKRON_WAIT_COUNTER),
			      vectors[i].counts.errors);
		MK_BUS_EXPECT(row, mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER),
			      vectors[i].counts.errors);
		MK_BUS_EXPECT(row, mk_bus_read(&bus, MULTIKRON_TIMESTAMP), vectors[i].counts.stamp);
		for (unsigned c = 0; c < MULTIKRON_COUNTERS; c++)
			MK_BUS_EXPECT(row, mk_bus_read(&bus, MULTIKRON_COUNTER + c),
				      vectors[i].counts.resource);
	}
}

/* MK1-157, MK1-158, MK1-156: every data bit alone, so that each one's place is known. */
static void each_data_bit_sets_its_own_counter_bits(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_test(&bus);
	for (unsigned bit = 0; bit < 32; bit++) {
		const uint32_t one = UINT32_C(1) << bit;
		const uint64_t nibble = bit < 14 ? UINT64_C(0xf) << 4 * bit : 0;

		instruct(&bus, SET(ERRORS), one);
		instruct(&bus, SET(STAMP), one);
		instruct(&bus, SET(RESOURCES), one);
		check_counts(&bus, mk_bus_row("bit %u", bit),
			     (struct counts){ bit < 8 ? nibble : 0, nibble, one });
	}
}

/* MK1-160, MK1-095, MK1-100, MK1-108: increments carry through; the error counters and the time
 * stamp wrap, the resource counters stay full. Enable bits and codes do not matter. */
static void test_increments_carry_wrap_and_saturate(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_test(&bus);
	instruct(&bus, SET(ERRORS), 0x0f);
	instruct(&bus, INC(ERRORS), 0);
	CHECK_EQUAL(bus.chip.core.wait_clocks, 0x00010000);
	CHECK_EQUAL(bus.chip.core.overruns, 0x00010000);
	instruct(&bus, SET(STAMP), 0x03ff);
	instruct(&bus, INC(STAMP), 0);
	CHECK_EQUAL(bus.chip.core.timestamp, UINT64_C(1) << 40);
	instruct(&bus, SET(ERRORS), 0xff);
	instruct(&bus, SET(STAMP), 0x3fff);
	instruct(&bus, SET(RESOURCES), 0xffffffff);
	for (unsigned group = ERRORS; group <= RESOURCES; group++)
		instruct(&bus, INC(group), 0);
	check_counts(&bus, "full + 1", (struct counts){ 0, 0, 0xffffffff });
	CHECK_EQUAL(bus.chip.core.faults, 0);
}

/* MK1-161: the fault says which use was wrong, and only that one. */
static void set_and_increment_of_the_same_counters_is_reported(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned group = ERRORS; group <= RESOURCES; group++) {
		init_test(&bus);
		instruct(&bus, SET(group) | INC(group % 3 + 1), 0);
		CHECK_EQUAL(bus.chip.core.faults, 0);
		instruct(&bus, SET(group) | INC(group), 0);
		CHECK_EQUAL(bus.chip.core.faults, MULTIKRON_FAULT_TEST_SET_INC);
	}
}

/* MK1-154: the pin alone stops all normal counting: time stamp, every source of the resource
 * counters, Wait and Overrun. The prescaler is not one of the counters and runs on. */
static void nothing_counts_in_test_mode(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, UINT64_C(0x0000cccc0000aaaa));
	bus.hold |= MULTIKRON_TEST;
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
	mk_bus_stamp(&bus, 25);
	mk_bus_external(&bus, 0xffff, 10);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		mk_bus_write(&bus, MULTIKRON_COUNTER + i, 0);
	mk_bus_fill(&bus);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR) & 0x300, 0x100);
	mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_WRITE_WAIT);
	CHECK(!mk_bus_start(&bus, MULTIKRON_WR, MULTIKRON_TRACE, 0));
	CHECK(!mk_bus_wait(&bus, 100));
	check_counts(&bus, "test mode", (struct counts){ 0, 0, 0 });
	bus.hold &= ~MULTIKRON_TEST;
	CHECK(!mk_bus_wait(&bus, 1));
	CHECK_EQUAL(bus.chip.core.wait_clocks, 1);
	CHECK_EQUAL(multikron_counter(&bus.chip, 3), 1);
	mk_bus_stamp(&bus, 5);
	CHECK_EQUAL(bus.chip.core.timestamp, 5);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), 1);
}

/* MK1-153, MK1-032, MK1-171, MK1-003: the register keeps 48 bits, read back in test mode, the seven
 * undefined instruction bits included; bits 63:48 are not there. */
static void test_register_keeps_48_bits(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_test(&bus);
	for (unsigned bit = 0; bit < 64; bit++) {
		const uint64_t one = UINT64_C(1) << bit;

		mk_bus_write(&bus, MULTIKRON_TEST_REGISTER, one);
		MK_BUS_EXPECT(mk_bus_row("bit %u", bit), mk_bus_read(&bus, MULTIKRON_TEST_REGISTER),
			      bit < 48 ? one : 0);
	}
}

/* MK1-171: instruction bits 15:9 command nothing. */
static void undefined_instruction_bits_do_nothing(void **state)
{
	struct mk_bus bus, idle;

	(void)state;
	mk_bus_init_busy(&bus, 0);
	bus.hold |= MULTIKRON_TEST;
	instruct(&bus, 0, 0);
	for (unsigned bit = 41; bit < 48; bit++) {
		mk_bus_write(&bus, MULTIKRON_TEST_REGISTER, 0);
		idle = bus;
		mk_bus_write(&bus, MULTIKRON_TEST_REGISTER, UINT64_C(1) << bit);
		mk_bus_clock(&idle, 2);
		idle.chip.test_register = UINT64_C(1) << bit;
		CHECK(!mk_bus_difference(&bus.chip, &idle.chip));
	}
}

/* MK1-152, MK1-031, MK1-032: without the pin the TEST register and FIFO Output read 0 and no write
 * reaches them; what was in the register before is still there when the pin comes back. */
static void test_registers_work_only_with_the_pin(void **state)
{
	struct mk_bus bus, idle;

	(void)state;
	init_test(&bus);
	bus.hold &= ~MULTIKRON_FREE;
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0x1234);
	instruct(&bus, NETWORK_OFF, 0x600d);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_FIFO_OUTPUT), 0x1234);
	bus.hold &= ~MULTIKRON_TEST;
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_FIFO_OUTPUT), 0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TEST_REGISTER), 0);
	for (unsigned bit = 0; bit < 48; bit++) {
		idle = bus;
		mk_bus_write(&bus, MULTIKRON_TEST_REGISTER, UINT64_C(1) << bit | 0x55);
		mk_bus_clock(&idle, 2);
		CHECK(!mk_bus_difference(&bus.chip, &idle.chip));
	}
	mk_bus_write(&bus, MULTIKRON_FIFO_OUTPUT, UINT64_MAX);
	bus.hold |= MULTIKRON_TEST;
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TEST_REGISTER),
		    MK_BUS_INSTRUCTION(NETWORK_OFF, 0x600d));
	mk_bus_write(&bus, MULTIKRON_FIFO_OUTPUT, UINT64_MAX);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_FIFO_OUTPUT), 0x1234);
}

/* A sample of which every field is known, in test mode, the network being disabled. */
static void take_known_sample(struct mk_bus *bus, unsigned address)
{
	init_test(bus);
	instruct(bus, SET(STAMP) | NETWORK_OFF, 0x3e72);
	instruct(bus, INC(STAMP) | NETWORK_OFF, 0);
	instruct(bus, INC(STAMP) | NETWORK_OFF, 0); /* 0xfffff00fff00f2 */
	mk_bus_write(bus, MULTIKRON_SOURCE + 6, 0x21436587);
	uint64_t held = bus->hold;
	bus->hold = (bus->hold & ~MULTIKRON_C(0)) | MULTIKRON_C(6);
	mk_bus_write(bus, address, UINT64_C(0xffffa1b2c3d4e5f6));
	bus->hold = held;
}

/* clang-format off */
static const struct { unsigned encoding; uint32_t trace, resource; } groups[] = {
	{ 0, 0xc3d4e5f6, 0xc3d4e5f6 }, /* 31:0    user data 31:0 */
	{ 1, 0x6587a1b2, 0x6587a1b2 }, /* 63:32   source 15:0, user data 47:32 */
	{ 2, 0x00f22143, 0x00f22143 }, /* 95:64   time stamp 15:0, source 31:16 */
	{ 3, 0xd0f00fff, 0xd8f00fff }, /* 127:96  header, time stamp 39:16 */
};
/* clang-format on */

/* MK1-162, MK1-168, MK1-169, MK1-170, MK1-031, MK1-084: instruction bits 5:4 choose the 32 bits
 * that FIFO Output returns; reading removes nothing; where each field of a sample stands; bit 128
 * is in none of the groups but in the CSR. */
static void table_c1_read_groups(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned resource = 0; resource < 2; resource++) {
		take_known_sample(&bus, resource ? MULTIKRON_RESOURCE : MULTIKRON_TRACE);
		for (unsigned twice = 0; twice < 2; twice++)
			for (unsigned i = 0; i < 4; i++)
				MK_BUS_EXPECT(mk_bus_row("group %u", groups[i].encoding),
					      read_group(&bus, groups[i].encoding),
					      resource ? groups[i].resource : groups[i].trace);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR) & MULTIKRON_CSR_FIFO_BIT_128,
			    resource ? MULTIKRON_CSR_FIFO_BIT_128 : 0);
		CHECK_EQUAL(bus.chip.core.fifo_count, 1);
	}
}

/* MK1-162: the choice stays until the next TEST write, through other accesses and a pause of test
 * mode. */
static void read_group_persists(void **state)
{
	struct mk_bus bus;

	(void)state;
	take_known_sample(&bus, MULTIKRON_TRACE);
	bus.hold &= ~MULTIKRON_FREE;
	CHECK_EQUAL(read_group(&bus, 2), 0x00f22143);
	for (unsigned i = 0; i < 3; i++) {
		mk_bus_write(&bus, MULTIKRON_FILTER, 0);
		mk_bus_read(&bus, MULTIKRON_COUNTER);
		bus.hold &= ~MULTIKRON_TEST;
		mk_bus_clock(&bus, 10);
		bus.hold |= MULTIKRON_TEST;
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_FIFO_OUTPUT), 0x00f22143);
	}
}

/* The output of an empty FIFO is not defined by the report; the model reads 0. */
static void fifo_output_of_an_empty_fifo_is_zero(void **state)
{
	struct mk_bus bus;

	(void)state;
	take_known_sample(&bus, MULTIKRON_RESOURCE);
	instruct(&bus, ADVANCE | NETWORK_OFF, 0);
	for (unsigned i = 0; i < 4; i++)
		CHECK_EQUAL(read_group(&bus, i), 0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR), 1);
	instruct(&bus, ADVANCE | NETWORK_OFF, 0);
	CHECK_EQUAL(bus.chip.core.fifo_count, 0);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0x77);
	CHECK_EQUAL(read_group(&bus, 0), 0x77);
}

/* MK1-163: instruction bit 6 stops the network output until it is written 0; a sample under way
 * goes on where it stopped. Leaving test mode lets the network go, too. */
static void table_c1_network_disable(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const bool leave = i & 1;
		const unsigned phase = i >> 1;

		init_test(&bus);
		mk_bus_write(&bus, MULTIKRON_TRACE, UINT64_C(0x123456789abc));
		mk_bus_clock(&bus, 10 + phase);
		instruct(&bus, NETWORK_OFF, 0);
		mk_bus_clock(&bus, 1); /* a byte that stood on the pins may still go */
		unsigned stopped = bus.elements;
		CHECK(stopped > 3 && stopped < 10);
		for (unsigned n = 0; n < 50; n++) {
			mk_bus_clock(&bus, 1);
			CHECK_EQUAL(bus.out.control & MULTIKRON_OUTPUTS & ~MULTIKRON_NETCLK, 0);
		}
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR), 1);
		CHECK_EQUAL(bus.elements, stopped);
		if (leave)
			bus.hold &= ~MULTIKRON_TEST;
		else
			instruct(&bus, 0, 0);
		mk_bus_drain(&bus);
		CHECK_EQUAL(bus.elements, 16);
		CHECK_EQUAL(mk_bus_sample(&bus, 0).data, UINT64_C(0x123456789abc));
		if (leave) { /* the bit is still set, and acts again with the pin */
			bus.hold |= MULTIKRON_TEST;
			mk_bus_write(&bus, MULTIKRON_TRACE, 0);
			mk_bus_clock(&bus, 50);
			CHECK_EQUAL(bus.elements, 16);
		}
	}
}

/* MK1-164, MK1-165, MK1-169: instruction bit 7 = 0 writes nothing; 1 pushes at once an entry with
 * the data in all four groups and data bit 0 as bit 128. */
static void table_c1_fifo_load(void **state)
{
	static const uint32_t data[] = { 0xdeadbeef, 0x12345678, 0, 0xffffffff };
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		init_test(&bus);
		instruct(&bus, NETWORK_OFF, data[i]);
		CHECK_EQUAL(bus.chip.core.fifo_count, 0);
		instruct(&bus, PATTERN | NETWORK_OFF, data[i]);
		CHECK_EQUAL(bus.chip.core.fifo_count, 1);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR) & MULTIKRON_CSR_FIFO_BIT_128,
			    data[i] & 1 ? MULTIKRON_CSR_FIFO_BIT_128 : 0);
		for (unsigned group = 0; group < 4; group++)
			CHECK_EQUAL(read_group(&bus, group), data[i]);
		CHECK_EQUAL(bus.chip.core.fifo_count, 1);
	}
}

/* MK1-165: each load is one entry, in order; when the FIFO is full further ones are dropped without
 * a flag, for no sample is lost. */
static void fifo_loads_fill_the_fifo_and_no_more(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_test(&bus);
	for (unsigned i = 0; i < 12; i++)
		instruct(&bus, PATTERN | NETWORK_OFF, 2 * i);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR), 0x41);
	CHECK_EQUAL(bus.chip.core.overruns, 0);
	for (unsigned i = 0; i < 8; i++) {
		CHECK_EQUAL(read_group(&bus, i % 4), 2 * i);
		instruct(&bus, ADVANCE | NETWORK_OFF, 0);
	}
	CHECK_EQUAL(bus.chip.core.fifo_count, 0);
}

/* MK1-166, MK1-164: while the mode lasts a trigger of either type in test mode loads the pattern in
 * place of its own data; back in 0, or without the pin, it loads a sample. */
static void trigger_loads_the_pattern_while_selected(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned address = 96; address < 128; address += 31) {
		init_test(&bus);
		instruct(&bus, PATTERN | NETWORK_OFF, 0xcafe0001);
		instruct(&bus, PATTERN | NETWORK_OFF | ADVANCE, 0xcafe0001);
		CHECK_EQUAL(bus.chip.core.fifo_count, 1);
		mk_bus_write(&bus, address, 0x1111);
		CHECK_EQUAL(bus.chip.core.fifo_count, 2);
		CHECK(!bus.chip.core.shadow_busy);
		instruct(&bus, ADVANCE | NETWORK_OFF, 0);
		CHECK(mk_bus_read(&bus, MULTIKRON_CSR) & MULTIKRON_CSR_FIFO_BIT_128);
		for (unsigned group = 0; group < 4; group++)
			CHECK_EQUAL(read_group(&bus, group), 0xcafe0001);
		mk_bus_write(&bus, address, 0x2222);
		instruct(&bus, ADVANCE | NETWORK_OFF, 0);
		CHECK_EQUAL(read_group(&bus, 0), 0x2222);
	}
}

/* MK1-166, MK1-152: the mode acts only with the pin. */
static void pattern_mode_needs_the_pin(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_test(&bus);
	instruct(&bus, PATTERN | NETWORK_OFF, 0xcafe0000);
	bus.hold &= ~(MULTIKRON_TEST | MULTIKRON_FREE);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0x3333);
	mk_bus_drain(&bus);
	CHECK_EQUAL(mk_bus_sample(&bus, 0).data, UINT64_C(0x0000cafe0000));
	CHECK_EQUAL(mk_bus_sample(&bus, 1).header, 0x10);
	CHECK_EQUAL(mk_bus_sample(&bus, 1).data, 0x3333);
}

/* MK1-166: sampling, filter and a full FIFO stand before the pattern as before a sample; the shadow
 * registers do not, and pending flags stay for a sample that can carry them. */
static void pattern_trigger_passes_the_usual_gates(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_test(&bus);
	instruct(&bus, NETWORK_OFF, 0);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0); /* lost: the flag is pending */
	instruct(&bus, PATTERN | NETWORK_OFF, 0x10);
	CHECK_EQUAL(bus.chip.core.fifo_count, 2);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	CHECK_EQUAL(bus.chip.core.fifo_count, 3);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR) & 0x300, 0x200);
	CHECK(bus.chip.core.shadow_busy);
	mk_bus_write(&bus, MULTIKRON_FILTER, 0xfffe);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	CHECK_EQUAL(bus.chip.core.fifo_count, 3);
	mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING_OFF);
	mk_bus_write(&bus, MULTIKRON_TRACE + 1, 0);
	CHECK_EQUAL(bus.chip.core.fifo_count, 3);
	mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING);
	for (unsigned i = 0; i < 6; i++)
		mk_bus_write(&bus, MULTIKRON_TRACE + 1, 0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR) & 0x3c0, 0x3c0);
	CHECK_EQUAL(bus.access_ticks, 2);
	mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_WRITE_WAIT);
	CHECK(!mk_bus_start(&bus, MULTIKRON_WR, MULTIKRON_TRACE + 1, 0));
	CHECK(!mk_bus_wait(&bus, 50));
}

/* MK1-167: instruction bit 8 is one advance per write and needs no 0 in between; a write without it
 * advances nothing. */
static void table_c1_advance(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_test(&bus);
	instruct(&bus, NETWORK_OFF, 0);
	for (unsigned i = 1; i <= 5; i++)
		mk_bus_write(&bus, MULTIKRON_TRACE, i);
	for (unsigned i = 1; i <= 3; i++) {
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_FIFO_OUTPUT), i);
		CHECK_EQUAL(bus.chip.core.fifo_count, 6 - i);
		instruct(&bus, ADVANCE | NETWORK_OFF, 0);
	}
	for (unsigned i = 0; i < 3; i++)
		instruct(&bus, NETWORK_OFF, 0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_FIFO_OUTPUT), 4);
	CHECK_EQUAL(bus.chip.core.fifo_count, 2);
	instruct(&bus, ADVANCE | NETWORK_OFF, 0);
	instruct(&bus, ADVANCE | NETWORK_OFF, 0);
	CHECK_EQUAL(bus.chip.core.fifo_count, 0);
	CHECK_EQUAL(bus.elements, 0);
}

/* MK1-167: with the head entry the shadow registers are given free, so that the next resource
 * sample is taken. */
static void advance_frees_the_shadow_registers(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_test(&bus);
	instruct(&bus, NETWORK_OFF, 0);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 1);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR) & 0x480, 0x480);
	instruct(&bus, ADVANCE | NETWORK_OFF, 0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR), 1);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 2);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR) & 0x780, 0x480);
	instruct(&bus, 0, 0);
	mk_bus_drain(&bus);
	CHECK_EQUAL(mk_bus_samples(&bus), 1);
	CHECK_EQUAL(mk_bus_sample(&bus, 0).data, 2);
}

/* MK1-167: a resource sample further back has lost its counters to the advance: it is dropped whole
 * when its turn comes, at once or later, and what stands behind it is sent as ever. */
static void advance_drops_a_resource_sample_further_back(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned ahead = 1; ahead < 4; ahead++) {
		init_test(&bus);
		instruct(&bus, NETWORK_OFF, 0);
		for (unsigned i = 0; i < ahead; i++)
			mk_bus_write(&bus, MULTIKRON_TRACE, 2);
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 3);
		instruct(&bus, ADVANCE | NETWORK_OFF, 0);
		instruct(&bus, SET(RESOURCES) | NETWORK_OFF, 0x44444444);
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 4);
		mk_bus_write(&bus, MULTIKRON_TRACE, 5);
		CHECK(bus.chip.core.shadow_busy);
		instruct(&bus, SET(RESOURCES), 0x55555555);
		mk_bus_drain(&bus);
		CHECK_EQUAL(bus.elements, 16 * (ahead - 1) + 80 + 16);
		CHECK_EQUAL(mk_bus_samples(&bus), ahead + 1);
		for (unsigned i = 0; i < ahead - 1; i++)
			CHECK_EQUAL(mk_bus_sample(&bus, i).data, 2);
		CHECK_EQUAL(mk_bus_sample(&bus, ahead - 1).data, 4);
		CHECK_EQUAL(mk_bus_sample(&bus, ahead - 1).counter[15], 0x44444444);
		CHECK_EQUAL(mk_bus_sample(&bus, ahead).data, 5);
		CHECK_EQUAL(bus.chip.core.lost, 0);
		CHECK(!bus.chip.core.shadow_busy);
	}
}

/* MK1-167: an advance in the middle of a sample: the byte on the pins is not taken, and the next
 * sample starts with its header. */
static void advance_starts_the_next_sample_at_its_header(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		init_test(&bus);
		mk_bus_write(&bus, MULTIKRON_TRACE, 1);
		mk_bus_write(&bus, MULTIKRON_TRACE, 2);
		mk_bus_clock(&bus, 8 + phase);
		instruct(&bus, ADVANCE, 0);
		unsigned cut = bus.elements;
		CHECK(cut > 4 && cut < 10);
		mk_bus_drain(&bus);
		CHECK_EQUAL(bus.elements, cut + 16);
		CHECK_EQUAL(bus.element[cut] & 0xff, 0x10);
		CHECK_EQUAL(bus.element[cut + 15] & 0x2ff, MK_BUS_EOM | 2);
	}
}

/* MK1-155, MK1-165, MK1-167: one write may do it all: set, then increment, then load, then advance.
 * */
static void one_instruction_runs_its_fields_in_order(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_test(&bus);
	instruct(&bus, SET(ERRORS) | INC(STAMP) | PATTERN | ADVANCE | NETWORK_OFF, 0xff);
	check_counts(&bus, "all fields", (struct counts){ 0xffffffff, 1, 0 });
	CHECK_EQUAL(bus.chip.core.fifo_count, 0); /* loaded, then advanced */
	instruct(&bus, PATTERN | NETWORK_OFF, 0x10);
	instruct(&bus, PATTERN | ADVANCE | NETWORK_OFF, 0x20);
	CHECK_EQUAL(bus.chip.core.fifo_count, 1);
	CHECK_EQUAL(read_group(&bus, 0), 0x20);
}

/* MK1-165, MK1-145: a pattern with bit 128 goes out with whatever the shadow registers hold, one
 * without it alone. */
static void pattern_goes_out_with_the_shadow_registers_if_bit_128(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_test(&bus);
	instruct(&bus, SET(RESOURCES), 0x01020304);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_COUNTER), 0x01020304);
	instruct(&bus, PATTERN, 0xdeadbeef);
	instruct(&bus, PATTERN, 0xdeadbeee);
	mk_bus_drain(&bus);
	CHECK_EQUAL(mk_bus_samples(&bus), 2);
	struct mk_bus_sample odd = mk_bus_sample(&bus, 0), even = mk_bus_sample(&bus, 1);
	CHECK_EQUAL(odd.length, 80);
	CHECK_EQUAL(odd.header, 0xde);
	CHECK_EQUAL(odd.timestamp, UINT64_C(0xadbeefdead));
	CHECK_EQUAL(odd.source, 0xbeefdead);
	CHECK_EQUAL(odd.data, UINT64_C(0xbeefdeadbeef));
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_EQUAL(odd.counter[i], 0x01020304);
	CHECK_EQUAL(even.length, 16);
	CHECK_EQUAL(even.data, UINT64_C(0xbeeedeadbeee));
}

TEST_MAIN(TEST(table_c1_set_and_increment), TEST(worked_set_examples),
	  TEST(each_data_bit_sets_its_own_counter_bits),
	  TEST(test_increments_carry_wrap_and_saturate),
	  TEST(set_and_increment_of_the_same_counters_is_reported),
	  TEST(nothing_counts_in_test_mode), TEST(test_register_keeps_48_bits),
	  TEST(undefined_instruction_bits_do_nothing), TEST(test_registers_work_only_with_the_pin),
	  TEST(table_c1_read_groups), TEST(read_group_persists),
	  TEST(fifo_output_of_an_empty_fifo_is_zero), TEST(table_c1_network_disable),
	  TEST(table_c1_fifo_load), TEST(fifo_loads_fill_the_fifo_and_no_more),
	  TEST(trigger_loads_the_pattern_while_selected), TEST(pattern_mode_needs_the_pin),
	  TEST(pattern_trigger_passes_the_usual_gates), TEST(table_c1_advance),
	  TEST(advance_frees_the_shadow_registers),
	  TEST(advance_drops_a_resource_sample_further_back),
	  TEST(advance_starts_the_next_sample_at_its_header),
	  TEST(one_instruction_runs_its_fields_in_order),
	  TEST(pattern_goes_out_with_the_shadow_registers_if_bit_128))
