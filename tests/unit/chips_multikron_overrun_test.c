/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron: full FIFO and busy shadow registers: what is lost, what waits, and who counts it
 * (Tables 3A and 3B, and Table B3a of NISTIR 5571). */
#include "support/mk_bus.h"
#include "unit/test.h"

#include <kron/multikron.h>

static const struct multikron_config shallow = { .fifo_depth = 4, .base_clocks = 2 };

/* Samples in the FIFO, the network being stalled: a trace sample leads, so that FIFO and shadow
 * registers become free at different times. */
static void occupy(struct mk_bus *bus, bool fifo_full, bool shadow_full)
{
	bus->hold &= ~MULTIKRON_FREE;
	mk_bus_write(bus, MULTIKRON_TRACE, 0);
	if (shadow_full)
		mk_bus_write(bus, MULTIKRON_RESOURCE, 0);
	if (fifo_full)
		mk_bus_fill(bus);
	CHECK_EQUAL(bus->chip.core.shadow_busy, shadow_full);
	CHECK_EQUAL(bus->chip.core.overruns, 0);
}

/* The rows of Table B3a with "T or R" written out. after: bytes that have left when a waiting
 * sample is taken, 0 if it does not wait. */
/* clang-format off */
static const struct b3a {
	bool wait, resource, fifo_full, shadow_full;
	bool taken;
	bool fifo_flag, shadow_flag; /* in the next header */
	unsigned overruns;
	unsigned after;
} b3a[] = {
	/* wait  R  FIFO shadow   taken  flags  overruns  after */
	{  1,    0, 0,   0,       1,     0, 0,  0,        0 },
	{  1,    1, 0,   0,       1,     0, 0,  0,        0 },  /* MK1-089 */
	{  1,    0, 0,   1,       1,     0, 0,  0,        0 },  /* MK1-088 */
	{  1,    1, 0,   1,       1,     0, 0,  0,        96 }, /* MK1-091 */
	{  1,    0, 1,   0,       1,     0, 0,  0,        16 }, /* MK1-092 */
	{  1,    1, 1,   0,       1,     0, 0,  0,        16 },
	{  1,    0, 1,   1,       1,     0, 0,  0,        16 },
	{  1,    1, 1,   1,       1,     0, 0,  0,        96 },
	{  0,    0, 0,   0,       1,     0, 0,  0,        0 },
	{  0,    1, 0,   0,       1,     0, 0,  0,        0 },  /* MK1-089 */
	{  0,    0, 0,   1,       1,     0, 0,  0,        0 },  /* MK1-088 */
	{  0,    1, 0,   1,       0,     0, 1,  1,        0 },  /* MK1-090 */
	{  0,    0, 1,   0,       0,     1, 0,  1,        0 },  /* MK1-092 */
	{  0,    1, 1,   0,       0,     1, 0,  1,        0 },
	{  0,    0, 1,   1,       0,     1, 0,  1,        0 },
	{  0,    1, 1,   1,       0,     1, 1,  1,        0 },  /* MK1-097 */
};
/* clang-format on */
#define MARK UINT64_C(0x77aa77aa77aa)

static const char *b3a_name(unsigned i)
{
	return mk_bus_row("row %u: wait %d resource %d fifo %d shadow %d", i, b3a[i].wait,
			  b3a[i].resource, b3a[i].fifo_full, b3a[i].shadow_full);
}

static void b3a_trigger(struct mk_bus *bus, unsigned i)
{
	unsigned address = b3a[i].resource ? MULTIKRON_RESOURCE : MULTIKRON_TRACE;

	if (!b3a[i].after) {
		mk_bus_write(bus, address, MARK);
		MK_BUS_EXPECT(b3a_name(i), bus->access_ticks, 2);
		MK_BUS_EXPECT(b3a_name(i), bus->chip.core.wait_clocks, 0);
		return;
	}
	CHECK(!mk_bus_start(bus, MULTIKRON_WR, address, MARK));
	MK_BUS_EXPECT(b3a_name(i), mk_bus_wait(bus, 50), false);
	MK_BUS_EXPECT(b3a_name(i), bus->chip.core.wait_clocks, 50);
	bus->hold |= MULTIKRON_FREE;
	CHECK(mk_bus_wait(bus, MK_BUS_PATIENCE));
	MK_BUS_EXPECT(b3a_name(i), bus->elements, b3a[i].after);
	MK_BUS_EXPECT(b3a_name(i), bus->chip.core.wait_clocks, bus->access_ticks - 2);
}

/* The last sample is the one of the row, if it was taken; the next one carries the flags. */
static void b3a_check(struct mk_bus *bus, unsigned i)
{
	const uint64_t flags = (b3a[i].fifo_flag ? MULTIKRON_CSR_FIFO_OVERRUN : 0) |
			       (b3a[i].shadow_flag ? MULTIKRON_CSR_SHADOW_OVERRUN : 0);
	const uint64_t both = MULTIKRON_CSR_FIFO_OVERRUN | MULTIKRON_CSR_SHADOW_OVERRUN;

	MK_BUS_EXPECT(b3a_name(i), mk_bus_read(bus, MULTIKRON_CSR) & both, flags);
	MK_BUS_EXPECT(b3a_name(i), mk_bus_read(bus, MULTIKRON_OVERRUN_COUNTER), b3a[i].overruns);
	MK_BUS_EXPECT(b3a_name(i), bus->chip.core.lost, b3a[i].overruns);
	mk_bus_drain(bus);
	struct mk_bus_sample last = mk_bus_sample(bus, mk_bus_samples(bus) - 1);
	MK_BUS_EXPECT(b3a_name(i), last.data == MARK, b3a[i].taken);
	if (b3a[i].taken) {
		MK_BUS_EXPECT(b3a_name(i), last.header, b3a[i].resource ? 0x18 : 0x10);
		MK_BUS_EXPECT(b3a_name(i), last.length, b3a[i].resource ? 80 : 16);
	}
	mk_bus_write(bus, MULTIKRON_TRACE, 0);
	mk_bus_drain(bus);
	MK_BUS_EXPECT(b3a_name(i), mk_bus_sample(bus, mk_bus_samples(bus) - 1).header,
		      0x10 | (unsigned)b3a[i].fifo_flag << 2 | (unsigned)b3a[i].shadow_flag << 1);
}

/* MK1-088, MK1-089, MK1-090, MK1-091, MK1-092, MK1-093, MK1-094, MK1-097, MK1-098, MK1-099,
 * MK1-104: every row: taken at once, taken after exactly the wait it needs, or discarded with the
 * right flags and one count. */
static void table_b3a_samples(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < sizeof(b3a) / sizeof(b3a[0]); i++) {
		mk_bus_init_sampling(&bus, &shallow, 0);
		occupy(&bus, b3a[i].fifo_full, b3a[i].shadow_full);
		mk_bus_write(&bus, MULTIKRON_CSR,
			     b3a[i].wait ? MULTIKRON_CSR_WRITE_WAIT : MULTIKRON_CSR_DISCARD);
		b3a_trigger(&bus, i);
		b3a_check(&bus, i);
	}
}

/* Table 3B, the choice between wait and discard standing for the control bit. */
/* clang-format off */
static const struct { bool full, wait; bool at_once, later; unsigned flag; } table_3b[] = {
	{ 0, 0, 1, 0, 0 }, /* MK1-089 */
	{ 0, 1, 1, 0, 0 }, /* MK1-089 */
	{ 1, 0, 0, 0, 1 }, /* MK1-090 */
	{ 1, 1, 0, 1, 0 }, /* MK1-091 */
};
/* clang-format on */

/* MK1-089, MK1-090, MK1-091, MK1-087: Table 3B with an otherwise empty FIFO: there is one rank of
 * shadow registers, so a second resource sample is taken at once only if the first has gone. */
static void table_3b_resource_samples(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		mk_bus_init_sampling(&bus, NULL, 0);
		mk_bus_write(&bus, MULTIKRON_CSR,
			     table_3b[i].wait ? MULTIKRON_CSR_WRITE_WAIT : MULTIKRON_CSR_DISCARD);
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 1);
		if (!table_3b[i].full)
			mk_bus_drain(&bus);
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 2);
		const char *row = mk_bus_row("row %u", i);
		MK_BUS_EXPECT(row, bus.access_ticks == 2, !table_3b[i].later);
		MK_BUS_EXPECT(row, bus.chip.core.accepted,
			      1 + table_3b[i].at_once + table_3b[i].later);
		MK_BUS_EXPECT(row, bus.chip.core.shadow_overrun, table_3b[i].flag);
		if (table_3b[i].later)
			MK_BUS_EXPECT(row, bus.elements, 80);
	}
}

/* clang-format off */
static const struct { bool full, wait; bool immediate, right; } table_3a[] = {
	{ 0, 0, 1, 1 }, /* MK1-127 */
	{ 0, 1, 1, 1 }, /* MK1-127 */
	{ 1, 0, 1, 0 }, /* MK1-128 */
	{ 1, 1, 0, 1 }, /* MK1-129 */
};
/* clang-format on */

/* MK1-127, MK1-128, MK1-129, MK1-016: Table 3A: right data at once, wrong data with bit 63 at once,
 * or right data of the moment when the shadow registers came free. */
static void table_3a_counter_reads(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const char *row = mk_bus_row("row %u", i);

		mk_bus_init_sampling(&bus, NULL,
				     table_3a[i].wait ? MULTIKRON_CSR_READ_WAIT
						      : MULTIKRON_CSR_READ_WAIT_OFF);
		mk_bus_write(&bus, MULTIKRON_MUX_SEL, UINT64_C(0x0000ffff0000ffff));
		mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0x0200);
		uint64_t start = bus.ticks;
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
		uint64_t stale = bus.ticks - start;
		if (!table_3a[i].full)
			mk_bus_drain(&bus);
		uint64_t data = mk_bus_read(&bus, MULTIKRON_COUNTER + 9);
		MK_BUS_EXPECT(row, bus.access_ticks == 3, table_3a[i].immediate);
		MK_BUS_EXPECT(row, data,
			      table_3a[i].right ? bus.ticks - start : stale | MULTIKRON_READ_ERROR);
		MK_BUS_EXPECT(row, bus.chip.core.wait_clocks, bus.access_ticks - 3);
		CHECK_EQUAL(bus.chip.core.overruns, 0);
	}
}

/* MK1-128: a refused read leaves the shadow registers as they are: the sample that is being sent is
 * whole, and every later refused read returns the same. */
static void refused_read_disturbs_nothing(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, UINT64_C(0x0000ffff0000ffff));
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
	uint64_t start = bus.ticks;
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	uint64_t stale = bus.ticks - start;
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_COUNTER + i), stale | MULTIKRON_READ_ERROR);
	mk_bus_drain(&bus);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_EQUAL(mk_bus_sample(&bus, 0).counter[i], stale);
	CHECK(!(mk_bus_read(&bus, MULTIKRON_COUNTER) & MULTIKRON_READ_ERROR));
}

/* MK1-099: each wait option is for its own kind of access; with neither of them, or with the other
 * one, nothing waits and the Wait Counter stands still. */
static void wait_options_are_independent(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned both = 0; both < 2; both++) {
		mk_bus_init_sampling(&bus, NULL, both ? MULTIKRON_CSR_READ_WAIT : 0);
		bus.hold &= ~MULTIKRON_FREE;
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
		CHECK_EQUAL(bus.access_ticks, 2);
		CHECK_EQUAL(bus.chip.core.overruns, 1);
		mk_bus_write(&bus, MULTIKRON_CSR,
			     MULTIKRON_CSR_WRITE_WAIT | MULTIKRON_CSR_READ_WAIT_OFF);
		CHECK(mk_bus_read(&bus, MULTIKRON_COUNTER) & MULTIKRON_READ_ERROR);
		CHECK_EQUAL(bus.access_ticks, 3);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_WAIT_COUNTER), 0);
	}
}

/* MK1-098, MK1-099, MK1-100, MK1-025: the Wait Counter adds up the clocks of several waits of both
 * kinds, and a write to it starts it at 0 again. */
static void wait_counter_adds_up_every_lost_clock(void **state)
{
	struct mk_bus bus;
	uint64_t waits = 0;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, MULTIKRON_CSR_WRITE_WAIT | MULTIKRON_CSR_READ_WAIT);
	for (unsigned i = 0; i < 4; i++) {
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
		waits += bus.access_ticks - 2;
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
		waits += bus.access_ticks - 2;
		mk_bus_read(&bus, MULTIKRON_COUNTER);
		waits += bus.access_ticks - 3;
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_WAIT_COUNTER), waits);
	}
	CHECK(waits > 8 * 150);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER), 0);
	mk_bus_write(&bus, MULTIKRON_WAIT_COUNTER, 0xffffffff);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_WAIT_COUNTER), 0);
}

/* MK1-101, MK1-016: wait states and the extra clock of a counter read are no waits in this sense.
 * */
static void wait_counter_ignores_preset_clocks(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_reset(&bus, 3);
	mk_bus_write(&bus, MULTIKRON_FILTER, 0xffff);
	mk_bus_write(&bus, MULTIKRON_CSR,
		     MULTIKRON_CSR_SAMPLING | MULTIKRON_CSR_WRITE_WAIT | MULTIKRON_CSR_READ_WAIT);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		mk_bus_read(&bus, MULTIKRON_COUNTER + i);
		CHECK_EQUAL(bus.access_ticks, 6);
		mk_bus_write(&bus, MULTIKRON_TRACE + i, 0);
		mk_bus_drain(&bus);
	}
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_WAIT_COUNTER), 0);
}

/* MK1-094, MK1-096, MK1-026: every lost sample counts once; samples that wait are not lost; a write
 * clears. */
static void overrun_counter_counts_lost_samples(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, &shallow, 0);
	occupy(&bus, true, true);
	for (unsigned i = 1; i <= 100; i++) {
		mk_bus_write(&bus, i % 3 ? MULTIKRON_TRACE : MULTIKRON_RESOURCE, i);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER), i);
		CHECK_EQUAL(bus.chip.core.lost, i);
	}
	mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_WRITE_WAIT);
	CHECK(!mk_bus_start(&bus, MULTIKRON_WR, MULTIKRON_TRACE, 0));
	CHECK(!mk_bus_wait(&bus, 100));
	CHECK_EQUAL(bus.chip.core.overruns, 100);
	bus.hold |= MULTIKRON_FREE;
	CHECK(mk_bus_wait(&bus, 100));
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER), 100);
	mk_bus_write(&bus, MULTIKRON_OVERRUN_COUNTER, 12345);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER), 0);
	CHECK_EQUAL(bus.chip.core.lost, 100);
}

/* MK1-095, MK1-100: unlike the resource counters these two wrap and go on. */
static void error_counters_wrap(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, &shallow, 0);
	occupy(&bus, true, false);
	mk_bus_test(&bus, MK_BUS_INSTRUCTION(1, 0xff));
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER), 0xffffffff);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER), 0);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER), 1);
	mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_WRITE_WAIT);
	CHECK(!mk_bus_start(&bus, MULTIKRON_WR, MULTIKRON_TRACE, 0));
	CHECK_EQUAL(bus.chip.core.wait_clocks, 0xffffffff);
	for (unsigned i = 0; i < 5; i++) {
		CHECK(!mk_bus_wait(&bus, 1));
		CHECK_EQUAL(bus.chip.core.wait_clocks, i);
	}
}

/* MK1-102, MK1-103, MK1-104: a flag stays pending until a sample of either type is accepted, which
 * carries it however many were lost; the sample after that does not. */
static void overrun_flag_goes_with_the_next_accepted_sample(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned type = MULTIKRON_TRACE; type <= MULTIKRON_RESOURCE; type += 16) {
		mk_bus_init_sampling(&bus, &shallow, 0);
		occupy(&bus, true, true);
		for (unsigned i = 0; i < 3; i++) {
			mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
			CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR) & 0x300, 0x300);
		}
		mk_bus_drain(&bus);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR), 0x301);
		mk_bus_write(&bus, type, 0);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR) & 0x300, 0);
		mk_bus_write(&bus, MULTIKRON_TRACE, 0);
		mk_bus_drain(&bus);
		CHECK_EQUAL(mk_bus_sample(&bus, 4).header & 7, 6);
		CHECK_EQUAL(mk_bus_sample(&bus, 5).header & 7, 0);
		for (unsigned i = 0; i < 4; i++)
			CHECK_EQUAL(mk_bus_sample(&bus, i).header & 7, 0);
	}
}

/* MK1-102, MK1-103: the two flags are apart: a loss to one cause does not raise the other. */
static void overrun_flags_do_not_mix(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, &shallow, 0);
	occupy(&bus, false, true);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR) & 0x300, 0x200);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0); /* carries it; one entry left */
	mk_bus_fill(&bus);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR) & 0x300, 0x100);
	mk_bus_drain(&bus);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	mk_bus_drain(&bus);
	CHECK_EQUAL(mk_bus_sample(&bus, 2).header, 0x12);
	CHECK_EQUAL(mk_bus_sample(&bus, 3).header, 0x10);
	CHECK_EQUAL(mk_bus_sample(&bus, 4).header, 0x1c);
}

/* MK1-105: the shadow registers of a resource sample with the network to itself are occupied for 80
 * network clocks, that is 159 or 160 node clocks by the phase of the network clock. */
static void shadow_registers_are_occupied_for_80_network_clocks(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		unsigned clocks = 0, edges = 0;

		mk_bus_init_sampling(&bus, NULL, 0);
		mk_bus_clock(&bus, phase);
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
		bool high = bus.out.control & MULTIKRON_NETCLK;
		CHECK_EQUAL(high, bus.ticks % 2);
		for (; bus.chip.core.shadow_busy; clocks++) {
			mk_bus_clock(&bus, 1);
			edges += (bus.out.control & MULTIKRON_NETCLK) != 0;
		}
		CHECK_EQUAL(edges, 80);
		CHECK_EQUAL(clocks, high ? 160 : 159);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR), 1);
	}
}

/* MK1-106: trace samples queued ahead come first, and the shadow registers are busy until the last
 * byte of their own sample has left. */
static void shadow_registers_stay_busy_behind_trace_samples(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	bus.hold &= ~MULTIKRON_FREE;
	mk_bus_write(&bus, MULTIKRON_TRACE, 1);
	mk_bus_write(&bus, MULTIKRON_TRACE, 2);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 3);
	mk_bus_write(&bus, MULTIKRON_TRACE, 4);
	bus.hold |= MULTIKRON_FREE;
	while (bus.chip.core.shadow_busy)
		mk_bus_clock(&bus, 1);
	CHECK_EQUAL(bus.elements, 2 * 16 + 80);
	CHECK_EQUAL(bus.element[111] & MK_BUS_EOM, MK_BUS_EOM);
	mk_bus_drain(&bus);
	CHECK_EQUAL(bus.elements, 3 * 16 + 80);
}

/* MK1-106: nor does a stalled network free them. */
static void shadow_registers_stay_busy_while_the_network_is_stalled(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	while (bus.elements < 79)
		mk_bus_clock(&bus, 1);
	bus.hold &= ~MULTIKRON_FREE;
	mk_bus_clock(&bus, 500);
	CHECK(mk_bus_read(&bus, MULTIKRON_CSR) & MULTIKRON_CSR_SHADOW_FULL);
	bus.hold |= MULTIKRON_FREE;
	mk_bus_clock(&bus, 2);
	CHECK(!(mk_bus_read(&bus, MULTIKRON_CSR) & MULTIKRON_CSR_SHADOW_FULL));
}

/* MK1-132, MK1-129: a counter read right behind a resource sample is blocked for the rest of its 80
 * network clocks, and answers in the clock after the last byte. */
static void counter_read_is_blocked_for_at_most_80_network_clocks(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		mk_bus_init_sampling(&bus, NULL, MULTIKRON_CSR_READ_WAIT);
		mk_bus_clock(&bus, phase);
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
		bool high = bus.out.control & MULTIKRON_NETCLK;
		mk_bus_read(&bus, MULTIKRON_COUNTER);
		CHECK_EQUAL(bus.access_ticks, (high ? 160 : 159) + 1);
		CHECK_EQUAL(bus.chip.core.wait_clocks, bus.access_ticks - 3);
		CHECK_EQUAL(bus.elements, 80);
	}
}

/* A sample that waits has the time at which it is taken, or with the knob that of its request. One
 * that does not wait has the time of its RDY either way, though another waited before it. */
static void waiting_sample_is_stamped_when_taken(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned at_request = 0; at_request < 2; at_request++) {
		struct multikron_config config = { .fifo_depth = 4,
						   .base_clocks = 2,
						   .stamp_at_request = at_request };

		mk_bus_init_sampling(&bus, &config, MULTIKRON_CSR_WRITE_WAIT);
		mk_bus_stamp(&bus, 3);
		occupy(&bus, true, false);
		CHECK(!mk_bus_start(&bus, MULTIKRON_WR, MULTIKRON_TRACE, 0));
		CHECK(!mk_bus_wait(&bus, 10));
		mk_bus_stamp(&bus, 7);
		bus.hold |= MULTIKRON_FREE;
		CHECK(mk_bus_wait(&bus, 100));
		mk_bus_drain(&bus);
		CHECK_EQUAL(mk_bus_sample(&bus, 4).timestamp, at_request ? 3 : 10);
		CHECK_EQUAL(mk_bus_sample(&bus, 3).timestamp, 3);
		mk_bus_clock(&bus, 2);
		mk_bus_tick(&bus, MULTIKRON_WR | MULTIKRON_A(MULTIKRON_TRACE), 0);
		mk_bus_tick(&bus, MULTIKRON_TSCLK, 0);
		CHECK(bus.out.control & MULTIKRON_RDY);
		mk_bus_drain(&bus);
		CHECK_EQUAL(mk_bus_sample(&bus, 5).timestamp, 11);
	}
}

/* MK1-085: the counters of a sample that had to wait are those of the moment it is taken. */
static void waiting_sample_has_the_counters_of_its_rdy(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, MULTIKRON_CSR_WRITE_WAIT);
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, UINT64_C(0x0000ffff0000ffff));
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
	uint64_t start = bus.ticks;
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	uint64_t taken = bus.ticks;
	CHECK(bus.access_ticks > 150);
	mk_bus_drain(&bus);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_EQUAL(mk_bus_sample(&bus, 1).counter[i], taken - start);
}

/* The accounts say after any sample how many were lost before it. */
static void accounts_tell_what_was_lost_before_each_sample(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, &shallow, 0);
	occupy(&bus, true, false);
	for (unsigned i = 0; i < 5; i++)
		mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	mk_bus_drain(&bus);
	CHECK_EQUAL(bus.chip.core.sent, 4);
	CHECK_EQUAL(bus.chip.core.lost, 5);
	CHECK_EQUAL(bus.chip.core.sent_lost, 0);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	mk_bus_drain(&bus);
	CHECK_EQUAL(bus.chip.core.accepted, 5);
	CHECK_EQUAL(bus.chip.core.sent, 5);
	CHECK_EQUAL(bus.chip.core.sent_lost, 5);
}

TEST_MAIN(TEST(table_b3a_samples), TEST(table_3b_resource_samples), TEST(table_3a_counter_reads),
	  TEST(refused_read_disturbs_nothing), TEST(wait_options_are_independent),
	  TEST(wait_counter_adds_up_every_lost_clock), TEST(wait_counter_ignores_preset_clocks),
	  TEST(overrun_counter_counts_lost_samples), TEST(error_counters_wrap),
	  TEST(overrun_flag_goes_with_the_next_accepted_sample), TEST(overrun_flags_do_not_mix),
	  TEST(shadow_registers_are_occupied_for_80_network_clocks),
	  TEST(shadow_registers_stay_busy_behind_trace_samples),
	  TEST(shadow_registers_stay_busy_while_the_network_is_stalled),
	  TEST(counter_read_is_blocked_for_at_most_80_network_clocks),
	  TEST(waiting_sample_is_stamped_when_taken),
	  TEST(waiting_sample_has_the_counters_of_its_rdy),
	  TEST(accounts_tell_what_was_lost_before_each_sample))
