/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II: clocks, address lines, and the handshake of one access. */
#include <kron/multikron.h>
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

/* Every one of the 64 data lines carries a bit of its own, in and out. The time stamp is the widest
 * readable register; its upper eight bits do not exist. MK2-001 */
static void data_path_is_64_bits_wide(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_open(&bus, 0);
	for (unsigned bit = 0; bit < 64; bit++) {
		mk2_bus_forget(&bus);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, UINT64_C(1) << bit);
		mk2_bus_drain(&bus);
		CHECK_ROW(bit, mk2_bus_sample(&bus, 0).data, UINT64_C(1) << bit);
	}
	for (unsigned bit = 0; bit < 64; bit++) {
		uint64_t value = UINT64_C(1) << bit;

		mk2_bus_test_write(&bus, MULTIKRON2_TIMESTAMP, value);
		CHECK_ROW(bit, mk2_bus_read(&bus, MULTIKRON2_TIMESTAMP),
			  (bit < 56 ? value : 0) | UINT64_C(0xff00000000000000));
	}
}

/* The chip field is bits 8:2 of a physical address; the bytes of a word and the device field are no
 * business of the chip, and neighbours are four bytes apart. MK2-004 */
static void chip_field_is_seven_bits_above_the_byte_field(void **state)
{
	static struct mk2_bus bus;
	const uint64_t base = UINT64_C(0x8000f200);

	(void)state;
	mk2_bus_init(&bus, NULL);
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++) {
		uint64_t physical = base + 4 * (MULTIKRON2_SOURCE + i);

		mk2_bus_drive(&bus,
			      MULTIKRON2_START | MULTIKRON2_WRITE | MULTIKRON2_A(physical >> 2),
			      0x100 + i);
		CHECK(mk2_bus_wait(&bus, 1));
	}
	for (unsigned i = 0; i < 4 * MULTIKRON_CPUS; i++) {
		uint64_t physical = base + 128 + i;

		mk2_bus_drive(&bus,
			      MULTIKRON2_START | MULTIKRON2_READ | MULTIKRON2_A(physical >> 2), 0);
		CHECK(mk2_bus_wait(&bus, 1));
		CHECK_ROW(i, bus.out.data, MK2_WORD(0x100 + i / 4));
	}
}

/* Bits 3:0 of the address name the counter in 64..95 and the filter level in 96..127; the other
 * bits of the range do not. MK2-005 */
static void low_address_bits_select_counter_and_filter_level(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_open(&bus, 0);
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_ALL(MULTIKRON2_MODE_SOFTWARE));
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_KEEP));
	for (unsigned i = 0; i < 16; i++) {
		mk2_bus_write(&bus, 64 + i, 0x1000 * (i + 1));
		mk2_bus_write(&bus, 80 + i, 0);
		for (unsigned j = 0; j < 16; j++)
			CHECK_ROW(i, multikron2_counter(&bus.chip, j),
				  j <= i ? 0x1000 * (j + 1) + 1 : 0);
		CHECK_ROW(i, mk2_bus_read(&bus, 64 + i), MK2_WORD(0x1000 * (i + 1) + 1));
		CHECK_ROW(i, mk2_bus_read(&bus, 80 + i), MK2_WORD(0x1000 * (i + 1) + 1));
	}
	for (unsigned address = 96; address < 128; address++) {
		uint64_t before = bus.chip.core.accepted;

		mk2_bus_write(&bus, MULTIKRON2_FILTER, UINT64_C(1) << (address & 15));
		mk2_bus_write(&bus, address, 0);
		CHECK_ROW(address, bus.chip.core.accepted, before + 1);
		mk2_bus_write(&bus, MULTIKRON2_FILTER, ~(UINT64_C(1) << (address & 15)));
		mk2_bus_write(&bus, address, 0);
		CHECK_ROW(address, bus.chip.core.accepted, before + 1);
		mk2_bus_drain(&bus);
		mk2_bus_forget(&bus);
	}
}

/* Everything is sampled by the node clock: a level counts once however long it lasts, and without a
 * node clock nothing moves, however the pins would like it. MK2-006 MK2-022 */
static void everything_happens_at_node_clocks(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_KEEP));
	mk2_bus_set(&bus, MULTIKRON2_TSCLK | MULTIKRON2_X(3));
	CHECK_EQUAL(bus.chip.core.timestamp, 0); /* the edge waits for a node clock */
	CHECK_EQUAL(multikron2_counter(&bus.chip, 3), 0);
	mk2_bus_clock(&bus, 1);
	CHECK_EQUAL(bus.chip.core.timestamp, 1);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 3), 1);
	mk2_bus_clock(&bus, 50);
	CHECK_EQUAL(bus.chip.core.timestamp, 1);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 3), 1);
	/* Away and back between two node clocks: not seen. */
	mk2_bus_clear(&bus, MULTIKRON2_TSCLK | MULTIKRON2_X(3));
	mk2_bus_set(&bus, MULTIKRON2_TSCLK | MULTIKRON2_X(3));
	mk2_bus_clock(&bus, 1);
	CHECK_EQUAL(bus.chip.core.timestamp, 1);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 3), 1);
	/* A write is the data at the clock of its strobe, whatever comes after. */
	mk2_bus_drive(&bus, MULTIKRON2_START | MULTIKRON2_WRITE | MULTIKRON2_A(MULTIKRON2_FILTER),
		      0x1234);
	mk2_bus_drive(&bus, MULTIKRON2_A(MULTIKRON2_CSR), 0xffff);
	CHECK(mk2_bus_acked(&bus));
	CHECK_EQUAL(bus.chip.core.filter, 0x1234);
}

/* The pairs of clocks the report names keep to a third of the node clock; a second of each counts
 * every time stamp clock and is no fault. MK2-007 */
static void time_stamp_clock_up_to_a_third_of_the_node_clock(void **state)
{
	static const struct multikron_osc rows[] = {
		{ .hz = 10000000, .node_hz = 50000000 },
		{ .hz = 16600000, .node_hz = 50000000 },
		{ .hz = 13300000, .node_hz = 40000000 },
		{ .hz = 6660000, .node_hz = 20000000 },
		{ .hz = 1, .node_hz = 3 },
	};
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct multikron_osc osc = rows[r];
		struct multikron_pins in = { 0 };

		/* Clock by clock first, then the fast way. */
		mk2_bus_init(&bus, NULL);
		for (unsigned i = 0; i < 30000; i++)
			mk2_bus_drive(&bus, multikron_osc_step(&osc) ? MULTIKRON2_TSCLK : 0, 0);
		CHECK_ROW(r, bus.chip.core.faults, 0);

		mk2_bus_init(&bus, NULL);
		osc = rows[r];
		multikron2_run_clocked(&bus.chip, in, osc.node_hz, &osc);
		CHECK_ROW(r, bus.chip.core.timestamp, osc.hz);
		CHECK_ROW(r, bus.chip.core.faults, 0);
	}
}

/* Above a third the fault is raised, and the clock counts all the same. MK2-007 */
static void faster_time_stamp_clock_is_a_fault(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_drive(&bus, MULTIKRON2_TSCLK, 0); /* the first edge has no predecessor */
	mk2_bus_clock(&bus, 2);
	mk2_bus_drive(&bus, MULTIKRON2_TSCLK, 0);
	CHECK_EQUAL(bus.chip.core.faults, 0);
	mk2_bus_clock(&bus, 1);
	mk2_bus_drive(&bus, MULTIKRON2_TSCLK, 0);
	CHECK_EQUAL(bus.chip.core.faults, MULTIKRON_FAULT_TIMESTAMP_FAST);
	CHECK_EQUAL(bus.chip.core.timestamp, 3);
}

/* There is no lower bound: any distance from three node clocks on is fine, however long. MK2-007 */
static void slow_time_stamp_clock_is_no_fault(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	for (unsigned distance = 3; distance < 600; distance++) {
		mk2_bus_drive(&bus, MULTIKRON2_TSCLK, 0);
		mk2_bus_clock(&bus, distance - 1);
		CHECK_ROW(distance, bus.chip.core.faults, 0);
		mk2_bus_drive(&bus, MULTIKRON2_TSCLK, 0);
		mk2_bus_run(&bus, distance - 1);
		CHECK_ROW(distance, bus.chip.core.faults, 0);
	}
	CHECK_EQUAL(bus.chip.core.timestamp, 2 * 597);
}

/* clang-format off */
static const struct {
	uint64_t strobes;
	bool starts;
	uint32_t fault;
} start_rows[] = {
	{ 0,                                                     false, 0 },
	{ MULTIKRON2_START,                                      false, 0 },
	{ MULTIKRON2_READ,                                       false, 0 },
	{ MULTIKRON2_WRITE,                                      false, 0 },
	{ MULTIKRON2_READ | MULTIKRON2_WRITE,                    false, 0 },
	{ MULTIKRON2_READ | MULTIKRON2_START,                    true,  0 },
	{ MULTIKRON2_WRITE | MULTIKRON2_START,                   true,  0 },
	{ MULTIKRON2_READ | MULTIKRON2_WRITE | MULTIKRON2_START, true,  MULTIKRON_FAULT_BUS },
};
/* clang-format on */

/* An access starts with a strobe and START together, and not otherwise. Both strobes are taken as a
 * read. MK2-015 */
static void access_starts_with_strobe_and_start_together(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < sizeof(start_rows) / sizeof(start_rows[0]); r++) {
		bool writes = start_rows[r].strobes == (MULTIKRON2_WRITE | MULTIKRON2_START);

		mk2_bus_init(&bus, NULL);
		mk2_bus_drive(&bus, start_rows[r].strobes | MULTIKRON2_A(MULTIKRON2_FILTER), 0xff);
		CHECK_ROW(r, mk2_bus_wait(&bus, 10), start_rows[r].starts);
		CHECK_ROW(r, bus.chip.core.filter, writes ? 0xff : 0);
		if (start_rows[r].strobes & MULTIKRON2_READ && start_rows[r].starts)
			CHECK_ROW(r, bus.out.data, UINT64_C(0xffffffffffff0000));
		CHECK_ROW(r, bus.chip.core.faults, start_rows[r].fault);
	}
}

/* START tied: the strobes alone are the bus. MK2-016 */
static void start_tied_leaves_control_to_the_strobes(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_set(&bus, MULTIKRON2_START);
	mk2_bus_clock(&bus, 20);
	CHECK(!mk2_bus_acked(&bus));
	mk2_bus_drive(&bus, MULTIKRON2_WRITE | MULTIKRON2_A(MULTIKRON2_FILTER), 0x77);
	CHECK(mk2_bus_wait(&bus, 1));
	mk2_bus_drive(&bus, MULTIKRON2_READ | MULTIKRON2_A(MULTIKRON2_FILTER), 0);
	CHECK(mk2_bus_wait(&bus, 1));
	CHECK_EQUAL(bus.out.data, UINT64_C(0xffffffffffff0077));
	CHECK_EQUAL(bus.chip.core.faults, 0);
}

/* START never: no interaction, however long the strobes last. MK2-016 */
static void without_start_no_interaction_ever_occurs(void **state)
{
	static struct mk2_bus bus;
	static struct mk2_view before, after;

	(void)state;
	mk2_bus_populate(&bus, true);
	mk2_bus_view(&bus, &before);
	for (unsigned i = 0; i < 4 * MK2_ADDRESSES; i++) {
		mk2_bus_drive(&bus,
			      (i & 1 ? MULTIKRON2_READ : MULTIKRON2_WRITE) | MULTIKRON2_A(i / 4),
			      MK2_ONES);
		CHECK(!mk2_bus_acked(&bus));
	}
	mk2_bus_clock(&bus, 10);
	mk2_bus_view(&bus, &after);
	mk2_bus_check_view(0, &after, &before);
	CHECK_EQUAL(bus.chip.core.faults, 0);
}

/* Between start and acknowledge, strobes, START, address, data and CPU lines may do what they like:
 * the access stays the one that was started, and takes its time. MK2-017 */
static void levels_are_ignored_once_an_interaction_has_started(void **state)
{
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();
	const uint64_t noise[] = {
		MULTIKRON2_READ | MULTIKRON2_START | MULTIKRON2_A(MULTIKRON2_CSR),
		MULTIKRON2_WRITE | MULTIKRON2_START | MULTIKRON2_A(MULTIKRON2_SOFT_RESET),
		MULTIKRON2_START,
		MULTIKRON2_READ | MULTIKRON2_WRITE | MULTIKRON2_C(5),
	};

	(void)state;
	config.core.base_clocks = 6;
	mk2_bus_init(&bus, &config);
	mk2_bus_open(&bus, 0);
	for (unsigned turn = 0; turn < 4; turn++) {
		mk2_bus_strobe_write(&bus, MULTIKRON2_TRACE + turn, 0x1111 * turn);
		for (unsigned i = 0; i < 4; i++) {
			mk2_bus_drive(&bus, noise[(i + turn) % 4], MK2_ONES);
			CHECK(!mk2_bus_acked(&bus));
		}
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(turn, mk2_bus_acked(&bus), true);
		mk2_bus_strobe_read(&bus, MULTIKRON2_MODE);
		for (unsigned i = 0; i < 4; i++)
			mk2_bus_drive(&bus, noise[(i + turn) % 4], MK2_ONES);
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(turn, mk2_bus_acked(&bus), true);
		CHECK_ROW(turn, bus.out.data, UINT64_C(0x4444444444444444));
	}
	mk2_bus_drain(&bus);
	CHECK_EQUAL(bus.samples, 4);
	for (unsigned turn = 0; turn < 4; turn++) {
		CHECK_EQUAL(mk2_bus_sample(&bus, turn).data, 0x1111 * turn);
		CHECK_EQUAL(mk2_bus_sample(&bus, turn).header, 0x10);
	}
	CHECK_EQUAL(bus.chip.core.faults, 0);
}

/* Strobe and START both still there at ACK is a fault; taking away either of them is enough.
 * MK2-018 */
static void strobe_or_start_must_go_before_ack(void **state)
{
	/* clang-format off */
	static const struct {
		uint64_t strobe, at_ack;
		bool fault;
	} rows[] = {
		{ MULTIKRON2_READ,  0,                                   false },
		{ MULTIKRON2_READ,  MULTIKRON2_START,                    false },
		{ MULTIKRON2_READ,  MULTIKRON2_READ,                     false },
		{ MULTIKRON2_READ,  MULTIKRON2_READ | MULTIKRON2_START,  true },
		{ MULTIKRON2_WRITE, 0,                                   false },
		{ MULTIKRON2_WRITE, MULTIKRON2_START,                    false },
		{ MULTIKRON2_WRITE, MULTIKRON2_WRITE,                    false },
		{ MULTIKRON2_WRITE, MULTIKRON2_WRITE | MULTIKRON2_START, true },
	};
	/* clang-format on */
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_drive(&bus, rows[r].strobe | MULTIKRON2_START, 0);
		mk2_bus_drive(&bus, rows[r].at_ack, 0);
		CHECK_ROW(r, mk2_bus_acked(&bus), true);
		CHECK_ROW(r, bus.chip.core.faults, rows[r].fault ? MULTIKRON_FAULT_STROBE_HELD : 0);
	}
}

/* That is why it must be released: a strobe that is still there after ACK is the next interaction,
 * and a trigger makes a second sample. MK2-018 */
static void strobe_still_there_after_ack_starts_a_new_interaction(void **state)
{
	const uint64_t trigger =
		MULTIKRON2_WRITE | MULTIKRON2_START | MULTIKRON2_A(MULTIKRON2_TRACE);
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_open(&bus, 0);
	for (unsigned i = 0; i < 6; i++) {
		mk2_bus_drive(&bus, trigger, 0x10 + i);
		CHECK_ROW(i, mk2_bus_acked(&bus), i % 2 == 1);
	}
	mk2_bus_clock(&bus, 10);
	CHECK_EQUAL(bus.chip.core.accepted, 3);
	CHECK_EQUAL(bus.chip.core.faults, MULTIKRON_FAULT_STROBE_HELD);
	mk2_bus_drain(&bus);
	for (unsigned i = 0; i < 3; i++)
		CHECK_ROW(i, mk2_bus_sample(&bus, i).data, 0x10 + 2 * i);
}

/* ACK lasts one node clock; with it a write is done, and after it the data of a read are gone from
 * the bus. MK2-019 MK2-020 */
static void ack_lasts_one_node_clock(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_strobe_write(&bus, MULTIKRON2_COUNTER + 4, 0xabcd);
	CHECK(!mk2_bus_acked(&bus));
	CHECK_EQUAL(multikron2_counter(&bus.chip, 4), 0);
	mk2_bus_clock(&bus, 1);
	CHECK(mk2_bus_acked(&bus));
	CHECK_EQUAL(multikron2_counter(&bus.chip, 4), 0xabcd);
	mk2_bus_clock(&bus, 1);
	CHECK(!mk2_bus_acked(&bus));

	mk2_bus_strobe_read(&bus, MULTIKRON2_COUNTER + 4);
	CHECK(!mk2_bus_acked(&bus));
	CHECK_EQUAL(bus.out.data, 0);
	mk2_bus_clock(&bus, 1);
	CHECK(mk2_bus_acked(&bus));
	CHECK_EQUAL(bus.out.data, MK2_WORD(0xabcd));
	mk2_bus_drive(&bus, 0, UINT64_C(0x123456789abcdef0)); /* the bus is the caller's again */
	CHECK(!mk2_bus_acked(&bus));
	CHECK_EQUAL(bus.out.data, UINT64_C(0x123456789abcdef0));
}

/* HOLD at the time of ACK keeps ACK and the data for as long as it stays, and no longer; strobes
 * meanwhile start nothing. MK2-021 */
static void hold_extends_ack_and_read_data(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned held = 1; held < 40; held++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_write(&bus, MULTIKRON2_FILTER, 0x5a5a);
		mk2_bus_strobe_read(&bus, MULTIKRON2_FILTER);
		for (unsigned i = 0; i < held; i++) {
			uint64_t noise = i % 3 ? MULTIKRON2_WRITE | MULTIKRON2_START : 0;

			mk2_bus_drive(&bus, MULTIKRON2_HOLD | noise, 0);
			CHECK_ROW(held, mk2_bus_acked(&bus), true);
			CHECK_ROW(held, bus.out.data, UINT64_C(0xffffffffffff5a5a));
		}
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(held, mk2_bus_acked(&bus), false);
		CHECK_ROW(held, bus.out.data, 0);
		mk2_bus_clock(&bus, 5);
		CHECK_ROW(held, mk2_bus_acked(&bus), false);
		CHECK_ROW(held, bus.chip.core.filter, 0x5a5a);
	}
}

/* A held write is one write: a sample held for long is one sample. At the tick that releases
 * HOLD the next access may start. MK2-021 */
static void held_write_acts_once(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_open(&bus, 0);
	mk2_bus_set(&bus, MULTIKRON2_HOLD); /* asserted well before ACK */
	mk2_bus_strobe_write(&bus, MULTIKRON2_TRACE, 1);
	mk2_bus_clock(&bus, 30);
	CHECK(mk2_bus_acked(&bus));
	CHECK_EQUAL(bus.chip.core.accepted, 1);
	mk2_bus_clear(&bus, MULTIKRON2_HOLD);
	mk2_bus_strobe_write(&bus, MULTIKRON2_TRACE, 2);
	CHECK(!mk2_bus_acked(&bus));
	mk2_bus_clock(&bus, 1);
	CHECK(mk2_bus_acked(&bus));
	CHECK_EQUAL(bus.chip.core.accepted, 2);
}

/* HOLD that ends before ACK, or comes only after it, is ignored. MK2-021 */
static void hold_at_other_times_is_ignored(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_drive(&bus, MULTIKRON2_HOLD, 0);
	mk2_bus_drive(&bus,
		      MULTIKRON2_HOLD | MULTIKRON2_READ | MULTIKRON2_START |
			      MULTIKRON2_A(MULTIKRON2_CSR),
		      0);
	mk2_bus_clock(&bus, 1); /* acknowledged without HOLD */
	CHECK(mk2_bus_acked(&bus));
	mk2_bus_set(&bus, MULTIKRON2_HOLD);
	mk2_bus_clock(&bus, 1);
	CHECK(!mk2_bus_acked(&bus));
	CHECK_EQUAL(bus.out.data, 0);
	mk2_bus_strobe_read(&bus, MULTIKRON2_CSR); /* and it blocks no access */
	mk2_bus_clock(&bus, 1);
	CHECK(mk2_bus_acked(&bus));
}

/* The wait-state pin adds one clock to every access, is looked at during RESET only, and shows
 * as CSR bit 12. MK2-023 MK2-083 */
static void wait_state_pin_is_sampled_during_reset(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned wait = 0; wait < 2; wait++) {
		uint32_t csr = 0x8000 | wait << 12;

		mk2_bus_init(&bus, NULL);
		mk2_bus_set(&bus, wait ? MULTIKRON2_WAITSTATE : 0);
		mk2_bus_reset(&bus, 5);
		bus.levels ^= MULTIKRON2_WAITSTATE;
		CHECK_ROW(wait, mk2_bus_csr(&bus), csr);
		for (unsigned i = 1; i < MK2_ADDRESSES; i++) {
			CHECK_ROW(i, mk2_bus_write(&bus, i, 0), 2 + wait);
			mk2_bus_read(&bus, i);
			CHECK_ROW(i, bus.clocks, 2 + wait);
		}
		CHECK_EQUAL(mk2_bus_write(&bus, MULTIKRON2_SOFT_RESET, 0), 2 + wait);
		CHECK_ROW(wait, mk2_bus_csr(&bus), csr);
		CHECK_ROW(wait, bus.chip.core.wait_clocks, 0); /* preset waits are not errors */
	}
}

/* The report gives no number for the shortest access, so the model has a knob. */
static void base_clocks_sets_the_shortest_access(void **state)
{
	static const unsigned rows[] = { 1, 2, 3, 7, 255 };
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	for (unsigned r = 0; r < 5; r++) {
		config.core.base_clocks = rows[r];
		mk2_bus_init(&bus, &config);
		CHECK_ROW(r, mk2_bus_write(&bus, MULTIKRON2_FILTER, 0x3c3c), rows[r]);
		CHECK_ROW(r, mk2_bus_read(&bus, MULTIKRON2_FILTER), UINT64_C(0xffffffffffff3c3c));
		CHECK_ROW(r, bus.clocks, rows[r]);
		mk2_bus_set(&bus, MULTIKRON2_WAITSTATE);
		mk2_bus_reset(&bus, 5);
		CHECK_ROW(r, mk2_bus_write(&bus, MULTIKRON2_FILTER, 1), rows[r] + 1);
	}
}

/* The pads that changed are MultiKron's second wait-state pad and its internal-test pad; with START
 * tied, a MultiKron board works: the same strobes are acknowledged at the same clocks. MK2-024 */
static void start_tied_behaves_like_multikron(void **state)
{
	static struct mk2_bus bus;
	static struct multikron old;

	(void)state;
	CHECK_EQUAL(MULTIKRON2_HOLD, MULTIKRON_W1);
	CHECK_EQUAL(MULTIKRON2_WAITSTATE, MULTIKRON_W0);
	CHECK_EQUAL(MULTIKRON2_START, MULTIKRON_ITEST);
	mk2_bus_init(&bus, NULL);
	CHECK(multikron_init(&old, NULL));
	mk2_bus_set(&bus, MULTIKRON2_START);
	for (unsigned i = 0; i < 200; i++) {
		uint64_t strobe = i % 5 == 0 ? MULTIKRON2_WRITE : i % 7 == 0 ? MULTIKRON2_READ : 0;
		uint64_t control = strobe | MULTIKRON2_A(MULTIKRON2_FILTER) | MULTIKRON2_C(0);
		struct multikron_pins in = { i, control, 0 };

		mk2_bus_drive(&bus, control, i);
		in = multikron_tick(&old, in);
		CHECK_ROW(i, mk2_bus_acked(&bus), (in.control & MULTIKRON_RDY) != 0);
		CHECK_ROW(i, bus.chip.core.filter, old.core.filter);
	}
	CHECK(bus.chip.core.filter != 0);
}

/* A board may hand back the pins it got: output bits among the inputs mean nothing, whatever the
 * chip is doing. */
static void output_bits_of_the_inputs_are_ignored(void **state)
{
	static struct mk2_bus clean, dirty;

	(void)state;
	mk2_bus_init(&clean, NULL);
	mk2_bus_open(&clean, 0);
	mk2_bus_set(&clean, MULTIKRON2_NETRDY);
	dirty = clean;
	for (unsigned n = 0; n < 400; n++) {
		uint64_t control = n == 5 ? MULTIKRON2_WRITE | MULTIKRON2_START |
						    MULTIKRON2_A(MULTIKRON2_RESOURCE)
				   : n == 9 ? MULTIKRON2_READ | MULTIKRON2_START
					    : 0;

		if (n >= 60 && n < 70)
			control |= MULTIKRON2_OUTDIS;
		if (n >= 250 && n < 256)
			control |= MULTIKRON2_RESET;
		mk2_bus_drive(&clean, control, n);
		mk2_bus_drive(&dirty, control | MULTIKRON2_OUTPUTS, n);
		CHECK_ROW(n, dirty.out.control & MULTIKRON2_OUTPUTS,
			  clean.out.control & MULTIKRON2_OUTPUTS);
		CHECK_ROW(n, dirty.out.data, clean.out.data);
	}
	CHECK_EQUAL(clean.elements, MK2_SAMPLE_BYTES - 5); /* less those behind OUTDIS */
}

/* OUTDIS takes the pads away from the chip, not the work. */
static void output_disable_hides_the_outputs_only(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_open(&bus, 0);
	mk2_bus_set(&bus, MULTIKRON2_OUTDIS | MULTIKRON2_NETRDY);
	mk2_bus_strobe_write(&bus, MULTIKRON2_TRACE, 1);
	for (unsigned i = 0; i < 100; i++) {
		mk2_bus_drive(&bus, i == 50 ? MULTIKRON2_READ | MULTIKRON2_START : 0, 0x77);
		CHECK_ROW(i, bus.out.control & MULTIKRON2_OUTPUTS, 0);
		CHECK_ROW(i, bus.out.data, 0x77);
	}
	CHECK_EQUAL(bus.chip.core.sent, 1);
}

TEST_MAIN(TEST(data_path_is_64_bits_wide), TEST(chip_field_is_seven_bits_above_the_byte_field),
	  TEST(low_address_bits_select_counter_and_filter_level),
	  TEST(everything_happens_at_node_clocks),
	  TEST(time_stamp_clock_up_to_a_third_of_the_node_clock),
	  TEST(faster_time_stamp_clock_is_a_fault), TEST(slow_time_stamp_clock_is_no_fault),
	  TEST(access_starts_with_strobe_and_start_together),
	  TEST(start_tied_leaves_control_to_the_strobes),
	  TEST(without_start_no_interaction_ever_occurs),
	  TEST(levels_are_ignored_once_an_interaction_has_started),
	  TEST(strobe_or_start_must_go_before_ack),
	  TEST(strobe_still_there_after_ack_starts_a_new_interaction),
	  TEST(ack_lasts_one_node_clock), TEST(hold_extends_ack_and_read_data),
	  TEST(held_write_acts_once), TEST(hold_at_other_times_is_ignored),
	  TEST(wait_state_pin_is_sampled_during_reset), TEST(base_clocks_sets_the_shortest_access),
	  TEST(start_tied_behaves_like_multikron), TEST(output_bits_of_the_inputs_are_ignored),
	  TEST(output_disable_hides_the_outputs_only))
