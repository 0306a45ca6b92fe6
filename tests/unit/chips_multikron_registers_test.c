/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron: the address map (Table A-1) and the CSR (Table 2), row by row and bit by bit. */
#include "support/mk_bus.h"
#include "unit/test.h"

#include <kron/multikron.h>

enum reads { READS_ZERO, READS_VALUE, READS_SOURCE, READS_STALE };
enum writes { IGNORED, ACTS };

/* Table A-1 outside test mode, complete: every offset from 0 to 127 once, in order. The values are
 * those of a busy chip (mk_bus_init_busy) with one wait state and read wait off. */
/* clang-format off */
static const struct map_row {
	unsigned first, last;
	enum reads reads;
	uint64_t value;
	enum writes writes;
} map[] = {
	{   0,   0, READS_ZERO,   0,                             ACTS },    /* MK1-021, MK1-020 */
	{   1,   1, READS_VALUE,  0x57c1,                        ACTS },    /* MK1-022 */
	{   2,   2, READS_VALUE,  UINT64_C(0x0f0f0f0f0f0f0f),    IGNORED }, /* MK1-023 */
	{   3,   3, READS_ZERO,   0,                             IGNORED }, /* MK1-038, MK1-019 */
	{   4,   4, READS_VALUE,  0xffff,                        ACTS },    /* MK1-024 */
	{   5,   5, READS_VALUE,  0x0f0ff0f0,                    ACTS },    /* MK1-025 */
	{   6,   6, READS_VALUE,  0x0f0ff0f2,                    ACTS },    /* MK1-026 */
	{   7,   7, READS_ZERO,   0,                             IGNORED }, /* MK1-038 */
	{   8,   8, READS_VALUE,  UINT64_C(0x0000ffff0000ffff),  ACTS },    /* MK1-027 */
	{   9,   9, READS_ZERO,   0,                             IGNORED }, /* MK1-038 */
	{  10,  10, READS_ZERO,   0,                             ACTS },    /* MK1-028, MK1-020 */
	{  11,  11, READS_VALUE,  0xffff,                        ACTS },    /* MK1-029 */
	{  12,  12, READS_ZERO,   0,                             ACTS },    /* MK1-030, MK1-020 */
	{  13,  13, READS_ZERO,   0,                             IGNORED }, /* MK1-031 */
	{  14,  14, READS_ZERO,   0,                             IGNORED }, /* MK1-032 */
	{  15,  15, READS_ZERO,   0,                             IGNORED }, /* MK1-038 */
	{  16,  23, READS_SOURCE, 0xc0de0001,                    ACTS },    /* MK1-033 */
	{  24,  31, READS_ZERO,   0,                             IGNORED }, /* MK1-038 */
	{  32,  47, READS_STALE,  0,                             ACTS },    /* MK1-034 */
	{  48,  63, READS_ZERO,   0,                             IGNORED }, /* MK1-035 */
	{  64,  95, READS_ZERO,   0,                             IGNORED }, /* MK1-038 */
	{  96, 111, READS_ZERO,   0,                             ACTS },    /* MK1-036, MK1-020 */
	{ 112, 127, READS_ZERO,   0,                             ACTS },    /* MK1-037, MK1-020 */
};
/* clang-format on */
#define MAP (sizeof(map) / sizeof(map[0]))

/* A table with a hole would test less than it says. */
static void table_a1_covers_every_offset(void **state)
{
	unsigned next = 0;

	(void)state;
	for (unsigned i = 0; i < MAP; i++) {
		CHECK_EQUAL(map[i].first, next);
		next = map[i].last + 1;
	}
	CHECK_EQUAL(next, 128);
}

static void init_map_chip(struct mk_bus *bus)
{
	mk_bus_init_busy(bus, 1);
	mk_bus_write(bus, MULTIKRON_CSR, MULTIKRON_CSR_READ_WAIT_OFF | MULTIKRON_CSR_DISCARD);
	mk_bus_clock(bus, 1);
}

static uint64_t expected_read(const struct mk_bus *bus, const struct map_row *row, unsigned address)
{
	unsigned index = address - row->first;

	switch (row->reads) {
	case READS_VALUE:
		return row->value;
	case READS_SOURCE:
		return row->value + index;
	case READS_STALE:
		return MULTIKRON_READ_ERROR | bus->chip.core.shadow[index];
	case READS_ZERO:
		break;
	}
	return 0;
}

/* MK1-002, MK1-019, MK1-020, MK1-021, MK1-022, MK1-023, MK1-024, MK1-025, MK1-026, MK1-027,
 * MK1-028, MK1-029, MK1-030, MK1-031, MK1-032, MK1-033, MK1-034, MK1-035, MK1-038: what a read of
 * each of the 128 offsets returns, with 0 in every bit that is not there, that it is acknowledged,
 * and that it changes nothing. The caller's ones on the bus show which bits the chip drives. */
static void table_a1_reads(void **state)
{
	struct mk_bus bus, idle;

	(void)state;
	for (unsigned i = 0; i < MAP; i++)
		for (unsigned address = map[i].first; address <= map[i].last; address++) {
			const char *row = mk_bus_row("read of %u", address);

			init_map_chip(&bus);
			idle = bus;
			MK_BUS_EXPECT(row, mk_bus_read(&bus, address),
				      expected_read(&bus, &map[i], address));
			mk_bus_clock(&idle, bus.access_ticks);
			MK_BUS_EXPECT(row, bus.access_ticks, map[i].reads == READS_STALE ? 4 : 3);
			MK_BUS_EXPECT(row, mk_bus_difference(&bus.chip, &idle.chip) == NULL, true);
		}
}

/* Whether a write leaves the chip other than the same clocks without a write. */
static bool write_acts(const struct mk_bus *before, unsigned address, uint64_t data)
{
	struct mk_bus bus = *before, idle = *before;

	mk_bus_write(&bus, address, data);
	mk_bus_clock(&idle, bus.access_ticks);
	CHECK_EQUAL(bus.access_ticks, 3);
	return mk_bus_difference(&bus.chip, &idle.chip) != NULL;
}

/* MK1-019, MK1-021, MK1-022, MK1-023, MK1-024, MK1-025, MK1-026, MK1-027, MK1-028, MK1-029,
 * MK1-030, MK1-031, MK1-032, MK1-033, MK1-034, MK1-035, MK1-036, MK1-037, MK1-038: which of the 128
 * offsets a write reaches. All are acknowledged; where the table has no write nothing in the chip
 * changes. */
static void table_a1_writes(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < MAP; i++)
		for (unsigned address = map[i].first; address <= map[i].last; address++) {
			init_map_chip(&bus);
			if (address >= MULTIKRON_COUNTER)
				mk_bus_write(&bus, MULTIKRON_MUX_SEL, UINT64_C(0xffff) << 32);
			if (address == MULTIKRON_RESOURCE_ENABLE)
				mk_bus_write(&bus, MULTIKRON_RESOURCE_DISABLE, 0x8421);
			mk_bus_clock(&bus, 1);
			bool acts = write_acts(&bus, address, 0);
			acts |= write_acts(&bus, address, UINT64_MAX);
			MK_BUS_EXPECT(mk_bus_row("write to %u", address), acts,
				      map[i].writes == ACTS);
		}
}

/* MK1-021, MK1-025, MK1-026, MK1-034, MK1-096, MK1-100: where the written data are to be ignored
 * the effect is there whatever they are. */
static void commands_ignore_their_data(void **state)
{
	static const unsigned commands[] = { 0, 5, 6, 32, 47 };
	struct mk_bus bus, zero, ones;

	(void)state;
	init_map_chip(&bus);
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, UINT64_C(0xffff) << 32);
	for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		zero = ones = bus;
		CHECK(write_acts(&bus, commands[i], 0));
		mk_bus_write(&zero, commands[i], 0);
		mk_bus_write(&ones, commands[i], UINT64_MAX);
		CHECK(!mk_bus_difference(&zero.chip, &ones.chip));
	}
	mk_bus_write(&bus, MULTIKRON_WAIT_COUNTER, UINT64_MAX);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_WAIT_COUNTER), 0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER), 0x0f0ff0f2);
	mk_bus_write(&bus, MULTIKRON_OVERRUN_COUNTER, UINT64_MAX);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER), 0);
}

/* The registers that hold what was written, and the bits they have. */
/* clang-format off */
static const struct {
	unsigned first, last;
	uint64_t bits;
} stored[] = {
	{  4,  4, 0xffff },                       /* MK1-024 */
	{  8,  8, UINT64_C(0x0000ffff0000ffff) }, /* MK1-027, MK1-117 */
	{ 16, 23, 0xffffffff },                   /* MK1-033, MK1-082 */
};
/* clang-format on */

/* MK1-002, MK1-003, MK1-024, MK1-027, MK1-033, MK1-081, MK1-082, MK1-117, MK1-119: each bit of each
 * register alone, set and cleared; the bits that are not there are ignored and read 0. A write
 * replaces the whole register: a 0 is not "leave alone". */
static void registers_keep_each_of_their_bits(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	for (unsigned i = 0; i < sizeof(stored) / sizeof(stored[0]); i++)
		for (unsigned address = stored[i].first; address <= stored[i].last; address++)
			for (unsigned bit = 0; bit < 64; bit++) {
				const uint64_t one = UINT64_C(1) << bit;
				const char *row = mk_bus_row("offset %u bit %u", address, bit);

				mk_bus_write(&bus, address, one);
				MK_BUS_EXPECT(row, mk_bus_read(&bus, address),
					      one & stored[i].bits);
				mk_bus_write(&bus, address, ~one);
				MK_BUS_EXPECT(row, mk_bus_read(&bus, address),
					      ~one & stored[i].bits);
			}
}

/* MK1-033, MK1-081: eight registers, the index being the low three address bits, each reachable by
 * whichever processor is on the bus. */
static void any_processor_reaches_every_source_register(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	for (unsigned cpu = 0; cpu < MULTIKRON_CPUS; cpu++) {
		bus.hold = MULTIKRON_C(cpu);
		for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
			mk_bus_write(&bus, MULTIKRON_SOURCE + i, 0x10000 * cpu + i + 1);
		bus.hold = MULTIKRON_C(7 - cpu);
		for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
			CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_SOURCE + i), 0x10000 * cpu + i + 1);
	}
	CHECK_EQUAL(bus.chip.core.faults, 0);
}

#define CSR_ON                                                                                     \
	(MULTIKRON_CSR_SAMPLING | MULTIKRON_CSR_WRITE_WAIT | MULTIKRON_CSR_READ_WAIT |             \
	 MULTIKRON_CSR_SLOW_10US)

/* Table 2, write column: what the CSR reads after a 1 in this bit alone was written, on a chip in
 * its default state and on one with everything on. */
/* clang-format off */
static const struct {
	unsigned bit;
	uint64_t from_default, from_on;
} csr_writes[] = {
	{  0, 0x0001, CSR_ON },                             /* MK1-053: sampling */
	{  1, 0,      CSR_ON & ~MULTIKRON_CSR_SAMPLING },   /* MK1-054 */
	{  2, 0x0004, CSR_ON },                             /* MK1-055: write wait */
	{  3, 0,      CSR_ON & ~MULTIKRON_CSR_WRITE_WAIT }, /* MK1-056 */
	{  4, 0x0010, CSR_ON },                             /* MK1-057: read wait */
	{  5, 0,      CSR_ON & ~MULTIKRON_CSR_READ_WAIT },  /* MK1-058 */
	{  6, 0,      CSR_ON },                             /* MK1-059: read only */
	{  7, 0,      CSR_ON },                             /* MK1-060: read only */
	{  8, 0,      CSR_ON },                             /* MK1-061: read only */
	{  9, 0,      CSR_ON },                             /* MK1-062: read only */
	{ 10, 0,      CSR_ON },                             /* MK1-063: read only */
	{ 11, 0,      CSR_ON },                             /* MK1-064: not there */
	{ 12, 0,      CSR_ON },                             /* MK1-065: read only */
	{ 13, 0,      CSR_ON },                             /* MK1-065: read only */
	{ 14, 0x4000, CSR_ON },                             /* MK1-066: 10 us */
	{ 15, 0,      CSR_ON & ~MULTIKRON_CSR_SLOW_10US },  /* MK1-067 */
	{ 16, 0, CSR_ON }, { 17, 0, CSR_ON }, { 18, 0, CSR_ON }, { 19, 0, CSR_ON }, /* MK1-068 */
	{ 20, 0, CSR_ON }, { 21, 0, CSR_ON }, { 22, 0, CSR_ON }, { 23, 0, CSR_ON },
	{ 24, 0, CSR_ON }, { 25, 0, CSR_ON }, { 26, 0, CSR_ON }, { 27, 0, CSR_ON },
	{ 28, 0, CSR_ON }, { 29, 0, CSR_ON }, { 30, 0, CSR_ON }, { 31, 0, CSR_ON },
};
/* clang-format on */

static uint64_t csr_after(uint64_t before, uint64_t written)
{
	struct mk_bus bus;

	mk_bus_init(&bus, NULL);
	mk_bus_write(&bus, MULTIKRON_CSR, before);
	mk_bus_write(&bus, MULTIKRON_CSR, written);
	CHECK_EQUAL(bus.chip.core.faults, 0);
	return mk_bus_read(&bus, MULTIKRON_CSR);
}

/* MK1-052, MK1-053, MK1-054, MK1-055, MK1-056, MK1-057, MK1-058, MK1-059, MK1-060, MK1-061,
 * MK1-062, MK1-063, MK1-064, MK1-065, MK1-066, MK1-067, MK1-068: bits 0 to 31 one at a time. The
 * zeros beside each of them change nothing. */
static void table_2_writes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 32; i++) {
		const uint64_t one = UINT64_C(1) << i;

		CHECK_EQUAL(csr_writes[i].bit, i);
		MK_BUS_EXPECT(mk_bus_row("bit %u, default", i), csr_after(0, one),
			      csr_writes[i].from_default);
		MK_BUS_EXPECT(mk_bus_row("bit %u, on", i), csr_after(CSR_ON, one),
			      csr_writes[i].from_on);
	}
	CHECK_EQUAL(csr_after(CSR_ON, 0), CSR_ON);
	CHECK_EQUAL(csr_after(0, UINT64_C(0xffffffff) << 32), 0);
}

/* MK1-052, MK1-053, MK1-055, MK1-057, MK1-066: several 1s in one write act together. */
static void csr_commands_combine(void **state)
{
	(void)state;
	CHECK_EQUAL(csr_after(0, CSR_ON), CSR_ON);
	CHECK_EQUAL(csr_after(CSR_ON, 0x802a), 0);
	CHECK_EQUAL(csr_after(MULTIKRON_CSR_SAMPLING, 0x4006), 0x4004);
}

/* Situations for the status bits of Table 2. The network is not there. */
static void trace(struct mk_bus *bus)
{
	mk_bus_write(bus, MULTIKRON_TRACE, 0);
}

static void resource(struct mk_bus *bus)
{
	mk_bus_write(bus, MULTIKRON_RESOURCE, 0);
}

static void lost_resource(struct mk_bus *bus)
{
	resource(bus);
	resource(bus);
}

static void lost_trace(struct mk_bus *bus)
{
	mk_bus_fill(bus);
	trace(bus);
}

static void lost_both(struct mk_bus *bus)
{
	resource(bus);
	mk_bus_fill(bus);
	resource(bus);
}

static void resource_behind_trace(struct mk_bus *bus)
{
	trace(bus);
	resource(bus);
}

static void nothing(struct mk_bus *bus)
{
	(void)bus;
}

/* clang-format off */
static const struct {
	const char *what;
	void (*prepare)(struct mk_bus *bus);
	uint64_t csr; /* beside the sampling bit */
} csr_reads[] = {
	{ "empty",                 nothing,               0 },
	{ "one trace sample",      trace,                 0 },
	{ "FIFO full",             mk_bus_fill,           0x0040 }, /* MK1-059 */
	{ "shadow full, at head",  resource,              0x0480 }, /* MK1-060, MK1-063 */
	{ "shadow full, not head", resource_behind_trace, 0x0080 }, /* MK1-060, MK1-063 */
	{ "FIFO overrun",          lost_trace,            0x0140 }, /* MK1-061 */
	{ "shadow overrun",        lost_resource,         0x0680 }, /* MK1-062 */
	{ "both overruns",         lost_both,             0x07c0 },
};
/* clang-format on */

/* MK1-059, MK1-060, MK1-061, MK1-062, MK1-063, MK1-064, MK1-065, MK1-068, MK1-069: the status bits
 * in normal mode, each with its cause, bit 10 included. Writing 1s to the read-only ones, and to
 * the bits that are not there, clears none of them. */
static void table_2_status_bits(void **state)
{
	const uint64_t read_only = UINT64_C(0xffffffffffff3fc0);
	struct mk_bus bus;

	(void)state;
	for (unsigned w = 0; w < 4; w++)
		for (unsigned i = 0; i < sizeof(csr_reads) / sizeof(csr_reads[0]); i++) {
			const uint64_t expected = csr_reads[i].csr | w << 12 | 1;

			mk_bus_init(&bus, NULL);
			mk_bus_reset(&bus, w);
			bus.hold &= ~MULTIKRON_FREE;
			mk_bus_write(&bus, MULTIKRON_FILTER, 0xffff);
			mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING);
			csr_reads[i].prepare(&bus);
			MK_BUS_EXPECT(csr_reads[i].what, mk_bus_read(&bus, MULTIKRON_CSR),
				      expected);
			mk_bus_write(&bus, MULTIKRON_CSR, read_only);
			MK_BUS_EXPECT(csr_reads[i].what, mk_bus_read(&bus, MULTIKRON_CSR),
				      expected);
		}
}

/* MK1-059, MK1-060, MK1-063: the status follows the FIFO as it empties. */
static void status_bits_clear_as_the_network_takes_the_samples(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	bus.hold &= ~MULTIKRON_FREE;
	resource(&bus);
	mk_bus_fill(&bus);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR), 0x04c1);
	bus.hold |= MULTIKRON_FREE;
	while (bus.elements < 80)
		mk_bus_clock(&bus, 1);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR), 0x0001);
}

/* clang-format off */
static const struct { uint64_t pair, on; } pairs[] = {
	{ MULTIKRON_CSR_SAMPLING | MULTIKRON_CSR_SAMPLING_OFF,   MULTIKRON_CSR_SAMPLING },
	{ MULTIKRON_CSR_WRITE_WAIT | MULTIKRON_CSR_DISCARD,      MULTIKRON_CSR_WRITE_WAIT },
	{ MULTIKRON_CSR_READ_WAIT | MULTIKRON_CSR_READ_WAIT_OFF, MULTIKRON_CSR_READ_WAIT },
	{ MULTIKRON_CSR_SLOW_10US | MULTIKRON_CSR_SLOW_1US,      MULTIKRON_CSR_SLOW_10US },
};
/* clang-format on */

/* MK1-070: both bits of a pair in one write: the default wins, or the other with the knob; either
 * way it is told, and the other pairs are left alone. */
static void both_bits_of_a_pair_choose_the_default(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned wins = 0; wins < 2; wins++)
		for (unsigned i = 0; i < 4; i++)
			for (unsigned before = 0; before < 2; before++) {
				struct multikron_config config = { .fifo_depth = 8,
								   .base_clocks = 2,
								   .enable_wins = wins };
				const uint64_t others = before ? CSR_ON & ~pairs[i].on : 0;

				mk_bus_init(&bus, &config);
				mk_bus_write(&bus, MULTIKRON_CSR, before ? CSR_ON : 0);
				CHECK_EQUAL(bus.chip.core.faults, 0);
				mk_bus_write(&bus, MULTIKRON_CSR, pairs[i].pair);
				MK_BUS_EXPECT(mk_bus_row("pair %u, wins %u", i, wins),
					      mk_bus_read(&bus, MULTIKRON_CSR),
					      others | (wins ? pairs[i].on : 0));
				CHECK_EQUAL(bus.chip.core.faults, MULTIKRON_FAULT_CSR_PAIR);
			}
}

/* With the TEST pin Table A-1 differs in these rows only. The TEST register is as the busy chip's
 * preparation left it, and the data of the first sample in the FIFO are 1. */
static struct map_row test_row(const struct map_row *row)
{
	struct map_row changed = *row;

	if (row->first == MULTIKRON_FIFO_OUTPUT) {
		changed.reads = READS_VALUE;
		changed.value = 1;
	} else if (row->first == MULTIKRON_TEST_REGISTER) {
		changed.reads = READS_VALUE;
		changed.value = MK_BUS_INSTRUCTION(3, 0x12345678);
		changed.writes = ACTS;
	} else if (row->first == MULTIKRON_COUNTER) {
		changed.writes = IGNORED;
	}
	return changed;
}

/* MK1-031, MK1-032, MK1-152, MK1-154: the pin adds two registers and takes the increments away; all
 * other offsets are what they were, and none of them reaches the TEST register but the resets. */
static void table_a1_in_test_mode(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < MAP; i++)
		for (unsigned address = map[i].first; address <= map[i].last; address++) {
			const struct map_row row = test_row(&map[i]);
			const char *name = mk_bus_row("offset %u", address);

			init_map_chip(&bus);
			if (address >= MULTIKRON_COUNTER)
				mk_bus_write(&bus, MULTIKRON_MUX_SEL, UINT64_C(0xffff) << 32);
			if (address == MULTIKRON_RESOURCE_ENABLE)
				mk_bus_write(&bus, MULTIKRON_RESOURCE_DISABLE, 0x8421);
			bus.hold |= MULTIKRON_TEST;
			mk_bus_clock(&bus, 1);
			bool acts = write_acts(&bus, address, 0);
			acts |= write_acts(&bus, address, UINT64_MAX);
			MK_BUS_EXPECT(name, acts, row.writes == ACTS);
			if (address != MULTIKRON_RESOURCE_ENABLE)
				MK_BUS_EXPECT(name, mk_bus_read(&bus, address),
					      expected_read(&bus, &row, address));
			if (address == MULTIKRON_TEST_REGISTER || address == MULTIKRON_SOFT_RESET)
				continue;
			mk_bus_write(&bus, address, UINT64_C(0xfffeffffffff));
			MK_BUS_EXPECT(name, bus.chip.test_register,
				      MK_BUS_INSTRUCTION(3, 0x12345678));
		}
}

TEST_MAIN(TEST(table_a1_covers_every_offset), TEST(table_a1_reads), TEST(table_a1_writes),
	  TEST(table_a1_in_test_mode), TEST(commands_ignore_their_data),
	  TEST(registers_keep_each_of_their_bits),
	  TEST(any_processor_reaches_every_source_register), TEST(table_2_writes),
	  TEST(csr_commands_combine), TEST(table_2_status_bits),
	  TEST(status_bits_clear_as_the_network_takes_the_samples),
	  TEST(both_bits_of_a_pair_choose_the_default))
