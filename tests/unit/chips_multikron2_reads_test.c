/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II: reads of the resource counters with and without copy (Table B3b), and what they
 * cost the network. */
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

#define DEPTH     4u
#define SHADOW(i) (0x51000000u + (i))
#define LIVE(i)   (0x1e000000u + (i))

static void load_all(struct mk2_bus *bus, uint32_t first)
{
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		mk2_bus_write(bus, MULTIKRON2_COUNTER + i, first + i);
}

/* Shadow registers with values of an earlier copy or sample, counters with newer ones. */
static void start(struct mk2_bus *bus, bool read_wait, bool shadow_busy, bool fifo_full)
{
	struct multikron2_config config = mk2_bus_config();

	config.core.fifo_depth = DEPTH;
	mk2_bus_init(bus, &config);
	mk2_bus_open(bus, read_wait ? MULTIKRON2_CSR_READ_WAIT : MULTIKRON2_CSR_READ_WAIT_OFF);
	load_all(bus, SHADOW(0));
	if (shadow_busy)
		mk2_bus_write(bus, MULTIKRON2_RESOURCE, 0);
	else
		mk2_bus_read(bus, MULTIKRON2_COUNTER);
	for (unsigned i = 0; fifo_full && i < DEPTH - shadow_busy; i++)
		mk2_bus_write(bus, MULTIKRON2_TRACE, 0);
	load_all(bus, LIVE(0));
}

/* clang-format off */
static const struct {
	bool read_wait, copy, busy;
	bool fresh; /* else what the shadow registers held */
	bool waits;
} b3b[] = {
	/* wait copy busy  fresh waits */
	{ 1,    1,   0,    1,    0 }, /* MK2-120 */
	{ 1,    1,   1,    1,    1 }, /* MK2-121 */
	{ 1,    0,   0,    0,    0 }, /* MK2-124 */
	{ 1,    0,   1,    0,    0 }, /* MK2-125 */
	{ 0,    1,   0,    1,    0 }, /* MK2-122 */
	{ 0,    1,   1,    0,    0 }, /* MK2-123 */
	{ 0,    0,   0,    0,    0 }, /* MK2-124 */
	{ 0,    0,   1,    0,    0 }, /* MK2-125 */
};
/* clang-format on */

static void check_b3b(unsigned r, unsigned i, bool fifo_full)
{
	static struct mk2_bus bus;
	unsigned address = (b3b[r].copy ? MULTIKRON2_COUNTER : MULTIKRON2_COUNTER_NO_COPY) + i;

	start(&bus, b3b[r].read_wait, b3b[r].busy, fifo_full);
	mk2_bus_strobe_read(&bus, address);
	if (b3b[r].waits) {
		uint64_t strobed = bus.ticks;

		CHECK_ROW(r, mk2_bus_wait(&bus, 83), false);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY);
		CHECK_ROW(r, mk2_bus_wait(&bus, 1000), true);
		mk2_bus_clear(&bus, MULTIKRON2_NETRDY);
		CHECK_ROW(r, bus.ticks, mk2_bus_sample(&bus, 0).last_tick + 1);
		CHECK_ROW(r, bus.chip.core.wait_clocks, bus.ticks - strobed - 1);
	} else {
		CHECK_ROW(r, mk2_bus_wait(&bus, 1), true);
		CHECK_ROW(r, bus.chip.core.wait_clocks, 0);
	}
	CHECK_ROW(r, bus.out.data, MK2_WORD(b3b[r].fresh ? LIVE(i) : SHADOW(i)));
	CHECK_ROW(r, bus.chip.core.overruns, 0);
	CHECK_ROW(r, bus.chip.core.shadow_busy, b3b[r].busy && !b3b[r].waits);
	for (unsigned j = 0; j < MULTIKRON_COUNTERS; j++)
		CHECK_ROW(r, bus.chip.core.shadow[j], b3b[r].fresh ? LIVE(j) : SHADOW(j));
	mk2_bus_drain(&bus);
	for (unsigned j = 0; b3b[r].busy && j < MULTIKRON_COUNTERS; j++)
		CHECK_ROW(r, mk2_bus_sample(&bus, 0).counter[j], SHADOW(j));
	CHECK_ROW(r, bus.chip.core.overruns, 0);
	CHECK_ROW(r, bus.chip.core.accepted, bus.chip.core.sent);
}

/* Table B3b, all eight rows, for every counter, with the FIFO full and not: reads do not care.
 * MK2-127 MK2-135 MK2-075 MK2-076 */
static void counter_reads_act_as_in_table_b3b(void **state)
{
	(void)state;
	for (unsigned r = 0; r < sizeof(b3b) / sizeof(b3b[0]); r++)
		for (unsigned i = 0; i < 2 * MULTIKRON_COUNTERS; i++)
			check_b3b(r, i / 2, i & 1);
}

/* A read with copy copies all sixteen and returns its own; a read without copy returns what was
 * last copied, however old. MK2-136 MK2-132 */
static void read_with_copy_copies_all_counters(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	for (unsigned turn = 0; turn < MULTIKRON_COUNTERS; turn++) {
		load_all(&bus, 0x100 * turn);
		CHECK_ROW(turn, mk2_bus_read(&bus, MULTIKRON2_COUNTER + turn),
			  MK2_WORD(0x100 * turn + turn));
		load_all(&bus, 0xffff0000);
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			CHECK_ROW(turn, mk2_bus_read(&bus, MULTIKRON2_COUNTER_NO_COPY + i),
				  MK2_WORD(0x100 * turn + i));
	}
}

static void count_node_clocks(struct mk2_bus *bus)
{
	mk2_bus_write(bus, MULTIKRON2_MODE, MULTIKRON2_ALL(MULTIKRON2_MODE_CLOCK));
	mk2_bus_write(bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_ALL(MULTIKRON2_CLOCK_NODE));
	mk2_bus_write(bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_RESET));
}

/* One read with copy and fifteen without: sixteen values of one instant. Sixteen reads with copy:
 * sixteen instants, one access apart. MK2-137 */
static void one_copy_gives_one_instant(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	count_node_clocks(&bus);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_COUNTER), MK2_WORD(2));
	for (unsigned i = 1; i < MULTIKRON_COUNTERS; i++)
		CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON2_COUNTER_NO_COPY + i), MK2_WORD(2));
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON2_COUNTER + i), MK2_WORD(34 + 2 * i));
}

/* Counters are 32 bits: whatever they hold, the upper half of a read is ones, of a stale one too.
 * MK2-139 MK2-176 */
static void counter_reads_have_ones_above_bit_31(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned busy = 0; busy < 2; busy++) {
		start(&bus, false, busy, false);
		for (unsigned i = 64; i < 96; i++)
			CHECK_ROW(i, mk2_bus_read(&bus, i) >> 32, 0xffffffff);
	}
}

/* A read with copy borrows the shadow registers for no time at all: they are not busy afterwards,
 * and the next read or resource sample does not wait. MK2-131 MK2-078 */
static void read_with_copy_never_marks_the_shadow_registers_busy(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, true, false, false);
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_WRITE_WAIT);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		mk2_bus_read(&bus, MULTIKRON2_COUNTER + i);
		CHECK_ROW(i, bus.clocks, 2);
		CHECK_ROW(i, mk2_bus_csr(&bus) & MULTIKRON2_CSR_SHADOW_FULL, 0);
	}
	mk2_bus_read(&bus, MULTIKRON2_COUNTER);
	CHECK_EQUAL(mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0), 2);
	CHECK_EQUAL(mk2_bus_csr(&bus) & MULTIKRON2_CSR_SHADOW_FULL, MULTIKRON2_CSR_SHADOW_FULL);
	CHECK_EQUAL(bus.chip.core.wait_clocks, 0);
}

/* Clocks from the taking of a resource sample to its last byte, with reads of `address` strobed
 * from `first` clocks after it on, back to back. */
static uint64_t transmission(bool phase, unsigned address, unsigned first, unsigned reads)
{
	static struct mk2_bus bus;

	start(&bus, false, false, false);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	mk2_bus_drain(&bus);
	mk2_bus_forget(&bus);
	mk2_bus_align(&bus, phase);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0x77);
	uint64_t taken = bus.ticks;

	mk2_bus_clock(&bus, first);
	while (reads--)
		mk2_bus_read(&bus, address);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(bus.elements, MK2_SAMPLE_BYTES);
	CHECK_EQUAL(mk2_bus_sample(&bus, 0).data, 0x77);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_EQUAL(mk2_bus_sample(&bus, 0).counter[i], LIVE(i));
	return mk2_bus_sample(&bus, 0).last_tick - taken;
}

/* The whole transmission takes exactly two node clocks longer for a read without copy, wherever
 * in it the read falls and at both phases of NETCLK; after the last byte a read costs nothing.
 * MK2-125 MK2-126 */
static void read_without_copy_delays_the_network_by_two_clocks(void **state)
{
	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		uint64_t plain = transmission(phase, 0, 0, 0);

		CHECK_ROW(phase, plain, phase ? 167 : 168);
		for (unsigned first = 0; first < 172; first++) {
			bool busy = first + 2 <= plain; /* the clock at which the read acts */
			unsigned address = MULTIKRON2_COUNTER_NO_COPY + first % 16;

			CHECK_ROW(first, transmission(phase, address, first, 1),
				  plain + (busy ? 2 : 0));
		}
		/* Reading all but one, as to complete a set, costs 15 network clocks. */
		CHECK_ROW(phase, transmission(phase, MULTIKRON2_COUNTER_NO_COPY, 20, 15),
			  plain + 30);
	}
}

/* Only that read uses the network's bus: others, a stale read with copy included, delay nothing.
 * MK2-126 */
static void other_reads_do_not_delay_the_network(void **state)
{
	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		uint64_t plain = transmission(phase, 0, 0, 0);

		for (unsigned address = 0; address < MK2_ADDRESSES; address++)
			if (address / 16 != 5)
				CHECK_ROW(address, transmission(phase, address, 31, 3), plain);
	}
}

/* With free shadow registers there is nothing to share: a trace sample is not delayed. With busy
 * ones it is, even if their own sample is still behind it. MK2-125 */
static void delay_depends_on_busy_shadow_registers(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned queued = 0; queued < 2; queued++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_open(&bus, 0);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY);
		mk2_bus_align(&bus, true);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		uint64_t taken = bus.ticks;

		if (queued)
			mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
		mk2_bus_clock(&bus, 5);
		mk2_bus_read(&bus, MULTIKRON2_COUNTER_NO_COPY);
		mk2_bus_drain(&bus);
		CHECK_ROW(queued, mk2_bus_sample(&bus, 0).last_tick - taken, queued ? 41 : 39);
	}
}

/* The delay is only as long as needed: a network that is not ready anyway loses nothing to a read.
 * MK2-125 */
static void stalled_network_loses_nothing_to_a_read(void **state)
{
	static struct mk2_bus bus;
	uint64_t last[2];

	(void)state;
	for (unsigned read = 0; read < 2; read++) {
		start(&bus, false, true, false);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY);
		mk2_bus_clock(&bus, 20);
		mk2_bus_clear(&bus, MULTIKRON2_NETRDY);
		for (unsigned i = 0; i < 10; i++) {
			if (read)
				mk2_bus_read(&bus, MULTIKRON2_COUNTER_NO_COPY + i);
			else
				mk2_bus_clock(&bus, 2);
		}
		mk2_bus_clock(&bus, 4);
		mk2_bus_drain(&bus);
		last[read] = mk2_bus_sample(&bus, 0).last_tick;
	}
	CHECK_EQUAL(last[1], last[0]);
}

/* While the read has the bus, FIFODA is not asserted: from the clock of the read until the network
 * clock it takes has passed. MK2-126 */
static void fifoda_is_not_asserted_during_the_delay(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		start(&bus, false, true, false);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY);
		mk2_bus_clock(&bus, 20);
		mk2_bus_align(&bus, phase);
		mk2_bus_strobe_read(&bus, MULTIKRON2_COUNTER_NO_COPY);
		CHECK_ROW(phase, bus.out.control & MULTIKRON2_FIFODA, MULTIKRON2_FIFODA);
		uint64_t byte = bus.out.control & MULTIKRON2_N;

		mk2_bus_clock(&bus, 1);
		CHECK_ROW(phase, mk2_bus_acked(&bus), true);
		CHECK_ROW(phase, bus.out.control & MULTIKRON2_FIFODA, 0);
		mk2_bus_clock(&bus, 1);
		if (phase) { /* the read acted at a falling edge: this is the rising one it takes */
			CHECK_EQUAL(bus.out.control & MULTIKRON2_FIFODA, 0);
			mk2_bus_clock(&bus, 1);
		} else {
			CHECK_EQUAL(bus.out.control & MULTIKRON2_N,
				    byte); /* not lost: still there */
		}
		CHECK_ROW(phase, bus.out.control & MULTIKRON2_FIFODA, MULTIKRON2_FIFODA);
	}
}

TEST_MAIN(TEST(counter_reads_act_as_in_table_b3b), TEST(read_with_copy_copies_all_counters),
	  TEST(one_copy_gives_one_instant), TEST(counter_reads_have_ones_above_bit_31),
	  TEST(read_with_copy_never_marks_the_shadow_registers_busy),
	  TEST(read_without_copy_delays_the_network_by_two_clocks),
	  TEST(other_reads_do_not_delay_the_network), TEST(delay_depends_on_busy_shadow_registers),
	  TEST(stalled_network_loses_nothing_to_a_read),
	  TEST(fifoda_is_not_asserted_during_the_delay))
