/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II: the interface of the model itself: configuration, long runs, quiet. */
#include <string.h>
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

/* A configuration out of range is refused, and the chip left alone; the bounds are in range. */
static void init_refuses_a_bad_configuration(void **state)
{
	/* clang-format off */
	static const struct {
		unsigned fifo_depth, base_clocks;
		bool good;
	} rows[] = {
		{ 8, 2, true },  { 2, 2, true },  { MULTIKRON_FIFO_MAX, 2, true },
		{ 8, 1, true },  { 8, 255, true },
		{ 0, 2, true }, { 1, 2, false }, { MULTIKRON_FIFO_MAX + 1, 2, false },
		{ 8, 0, true }, { 8, 256, false }, { 8, UINT32_MAX, false },
		{ UINT32_MAX, 2, false },
	};
	/* clang-format on */
	static struct multikron2 chip, before;

	(void)state;
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct multikron2_config config = mk2_bus_config();

		config.core.fifo_depth = rows[r].fifo_depth;
		config.core.base_clocks = rows[r].base_clocks;
		memset(&chip, 0x5a, sizeof(chip));
		memset(&before, 0x5a, sizeof(before));
		CHECK_ROW(r, multikron2_init(&chip, &config), rows[r].good);
		CHECK_ROW(r, memcmp(&chip, &before, sizeof(chip)) == 0, !rows[r].good);
	}
}

/* No configuration means the documented defaults. */
static void init_without_configuration_takes_the_defaults(void **state)
{
	static struct multikron2 chip;

	(void)state;
	CHECK(multikron2_init(&chip, NULL));
	CHECK_EQUAL(chip.core.config.fifo_depth, 8);
	CHECK_EQUAL(chip.core.config.base_clocks, 2);
	CHECK(!chip.core.config.lsb_first);
	CHECK(!chip.core.config.enable_wins);
	CHECK(!chip.core.config.stamp_at_request);
	CHECK(!chip.config.odd_word_low);
	CHECK(!chip.config.mode_8_is_nop);
	CHECK(!chip.config.header_spare);
	CHECK_EQUAL(chip.core.faults, 0);
}

/* Knobs survive both resets. */
static void configuration_survives_resets(void **state)
{
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	config.core.fifo_depth = 3;
	config.header_spare = true;
	mk2_bus_init(&bus, &config);
	for (unsigned turn = 0; turn < 3; turn++) {
		if (turn == 1)
			mk2_bus_write(&bus, MULTIKRON2_SOFT_RESET, 0);
		if (turn == 2)
			mk2_bus_reset(&bus, 5);
		mk2_bus_open(&bus, 0);
		for (unsigned n = 0; n < 5; n++)
			mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		CHECK_ROW(turn, bus.chip.core.fifo_count, 3);
		mk2_bus_forget(&bus);
		mk2_bus_drain(&bus);
		CHECK_ROW(turn, mk2_bus_sample(&bus, 0).header, 0x11);
	}
}

/* Quiet: nothing queued, no access under way. Whatever then happens to the inputs, nothing but
 * NETCLK appears on the network. */
static void quiet_means_empty_and_idle(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	CHECK(multikron2_quiet(&bus.chip));
	mk2_bus_open(&bus, 0);
	mk2_bus_clock(&bus, 1);
	CHECK(multikron2_quiet(&bus.chip));
	mk2_bus_strobe_read(&bus, MULTIKRON2_CSR);
	CHECK(!multikron2_quiet(&bus.chip)); /* under way */
	mk2_bus_clock(&bus, 2);
	CHECK(multikron2_quiet(&bus.chip));
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
	mk2_bus_clock(&bus, 10);
	CHECK(!multikron2_quiet(&bus.chip)); /* stalled is not quiet */
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	while (!bus.samples) {
		CHECK(!multikron2_quiet(&bus.chip));
		mk2_bus_clock(&bus, 1);
	}
	CHECK(multikron2_quiet(&bus.chip));
	for (unsigned n = 0; n < 500; n++) {
		mk2_bus_drive(&bus, (uint64_t)n * 0x9e37 & 0xffff, n);
		CHECK_ROW(n, bus.out.control & MULTIKRON2_OUTPUTS & ~MULTIKRON2_NETCLK, 0);
		CHECK_ROW(n, multikron2_quiet(&bus.chip), true);
	}
}

/* Situations to run on from, by hand: each sets up a chip and the inputs of the run. */

static void idle(struct mk2_bus *bus)
{
	mk2_bus_init(bus, NULL);
}

/* All sources and clocks, a pair among them, external signals high and low. */
static void counting(struct mk2_bus *bus)
{
	mk2_bus_init(bus, NULL);
	mk2_bus_write(bus, MULTIKRON2_MODE, UINT64_C(0x4213373b1111119c));
	mk2_bus_write(bus, MULTIKRON2_CLOCK_SELECT, UINT64_C(0x1234123412341234));
	mk2_bus_write(bus, MULTIKRON2_COUNTER + 8, UINT32_MAX - 70);
	mk2_bus_write(bus, MULTIKRON2_COUNTER + 4, UINT32_MAX - 20);
	mk2_bus_write(bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_KEEP));
	mk2_bus_clock(bus, 7);
	mk2_bus_set(bus, UINT64_C(0xaf5b)); /* rises in the first tick of the run */
}

static void counting_stamps(struct mk2_bus *bus)
{
	counting(bus);
	mk2_bus_set(bus, MULTIKRON2_TSCLK);
}

static void access_under_way(struct mk2_bus *bus)
{
	struct multikron2_config config = mk2_bus_config();

	config.core.base_clocks = 20;
	mk2_bus_init(bus, &config);
	mk2_bus_strobe_read(bus, MULTIKRON2_MODE);
}

static void held(struct mk2_bus *bus)
{
	counting(bus);
	mk2_bus_strobe_read(bus, MULTIKRON2_COUNTER + 8);
	mk2_bus_set(bus, MULTIKRON2_HOLD);
}

static void strobe_stuck(struct mk2_bus *bus)
{
	counting(bus);
	mk2_bus_open(bus, 0);
	mk2_bus_set(bus, MULTIKRON2_WRITE | MULTIKRON2_START | MULTIKRON2_A(MULTIKRON2_TRACE) |
				 MULTIKRON2_NETRDY);
}

static void sending(struct mk2_bus *bus)
{
	counting(bus);
	mk2_bus_open(bus, 0);
	mk2_bus_write(bus, MULTIKRON2_TRACE, 0x1234);
	mk2_bus_write(bus, MULTIKRON2_RESOURCE, 0x5678);
	mk2_bus_set(bus, MULTIKRON2_NETRDY);
}

static void stalled(struct mk2_bus *bus)
{
	sending(bus);
	mk2_bus_clear(bus, MULTIKRON2_NETRDY);
	mk2_bus_write(bus, MULTIKRON2_RESOURCE, 0); /* lost */
}

/* Taken, but not yet on the pins, at either phase of NETCLK. */
static void just_taken(struct mk2_bus *bus)
{
	mk2_bus_init(bus, NULL);
	mk2_bus_open(bus, 0);
	mk2_bus_align(bus, false);
	mk2_bus_write(bus, MULTIKRON2_TRACE, 0x1234);
}

static void just_taken_at_the_other_phase(struct mk2_bus *bus)
{
	mk2_bus_init(bus, NULL);
	mk2_bus_open(bus, 0);
	mk2_bus_align(bus, true);
	mk2_bus_strobe_write(bus, MULTIKRON2_TRACE, 0x1234);
}

static void stalled_and_read(struct mk2_bus *bus)
{
	stalled(bus);
	mk2_bus_align(bus, true);
	mk2_bus_strobe_read(bus, MULTIKRON2_COUNTER_NO_COPY);
}

static void waiting(struct mk2_bus *bus)
{
	sending(bus);
	mk2_bus_write(bus, MULTIKRON2_CSR, MULTIKRON2_CSR_WRITE_WAIT);
	mk2_bus_strobe_write(bus, MULTIKRON2_RESOURCE, 9);
}

static void waiting_for_ever(struct mk2_bus *bus)
{
	waiting(bus);
	mk2_bus_clear(bus, MULTIKRON2_NETRDY);
}

static void delayed_by_a_read(struct mk2_bus *bus)
{
	sending(bus);
	mk2_bus_clock(bus, 50);
	mk2_bus_read(bus, MULTIKRON2_COUNTER_NO_COPY);
}

static void in_reset(struct mk2_bus *bus)
{
	sending(bus);
	mk2_bus_set(bus, MULTIKRON2_RESET | MULTIKRON2_WAITSTATE);
}

static void in_test_mode(struct mk2_bus *bus)
{
	counting(bus);
	mk2_bus_set(bus, MULTIKRON2_TEST | MULTIKRON2_NETRDY);
	mk2_bus_write(bus, MULTIKRON2_NETWORK_OFF, 0);
	mk2_bus_write(bus, MULTIKRON2_FIFO, 0x12);
}

static void outputs_disabled(struct mk2_bus *bus)
{
	sending(bus);
	mk2_bus_set(bus, MULTIKRON2_OUTDIS);
}

static void (*const situations[])(struct mk2_bus *) = {
	idle,
	counting,
	counting_stamps,
	access_under_way,
	held,
	strobe_stuck,
	sending,
	stalled,
	waiting,
	waiting_for_ever,
	delayed_by_a_read,
	just_taken,
	just_taken_at_the_other_phase,
	stalled_and_read,
	in_reset,
	in_test_mode,
	outputs_disabled,
};

static const unsigned lengths[] = { 1, 2, 3, 5, 7, 10, 21, 99, 100, 101, 169, 400, 1000, 2501 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void check_same(unsigned row, struct mk2_bus *a, struct mk2_bus *b)
{
	static struct mk2_view seen, expected;

	CHECK_ROW(row, a->out.data, b->out.data);
	CHECK_ROW(row, a->out.control, b->out.control);
	CHECK_ROW(row, a->chip.core.faults, b->chip.core.faults);
	CHECK_ROW(row, a->chip.core.timestamp, b->chip.core.timestamp);
	CHECK_ROW(row, a->chip.core.wait_clocks, b->chip.core.wait_clocks);
	CHECK_ROW(row, a->chip.core.overruns, b->chip.core.overruns);
	CHECK_ROW(row, a->chip.core.accepted, b->chip.core.accepted);
	CHECK_ROW(row, a->chip.core.lost, b->chip.core.lost);
	CHECK_ROW(row, a->chip.core.sent, b->chip.core.sent);
	CHECK_ROW(row, multikron2_quiet(&a->chip), multikron2_quiet(&b->chip));
	a->levels &= ~(MULTIKRON2_RESET | MULTIKRON2_WRITE | MULTIKRON2_HOLD | MULTIKRON2_OUTDIS);
	mk2_bus_set(a, MULTIKRON2_NETRDY);
	b->levels = a->levels;
	/* What comes after is the same as well, the phase of every divider included. */
	a->elements = b->elements = 0;
	for (unsigned n = 0; n < 110; n++) {
		mk2_bus_clock(a, 1);
		mk2_bus_clock(b, 1);
		CHECK_ROW(row, a->out.control, b->out.control);
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			CHECK_ROW(row, multikron2_counter(&a->chip, i),
				  multikron2_counter(&b->chip, i));
	}
	CHECK_ROW(row, a->chip.core.faults, b->chip.core.faults); /* those of a release, too */
	mk2_bus_view(a, &seen);
	mk2_bus_view(b, &expected);
	mk2_bus_check_view(row, &seen, &expected);
}

/* A run is n ticks: same pins, same chip, from any of these situations, with a pulse in each of the
 * ticks or none. */
static void run_is_the_same_as_ticks(void **state)
{
	static struct mk2_bus fast, slow;

	(void)state;
	for (unsigned s = 0; s < 2 * COUNT(situations); s++) {
		for (unsigned l = 0; l < COUNT(lengths); l++) {
			situations[s / 2](&fast);
			slow = fast;
			struct multikron_pins in = { 0x1111, fast.levels, s % 2 ? 0x8008 : 0 };

			fast.out = multikron2_run(&fast.chip, in, lengths[l]);
			for (unsigned n = 0; n < lengths[l]; n++)
				slow.out = multikron2_tick(&slow.chip, in);
			check_same(100 * s + l, &fast, &slow);
		}
	}
}

/* The same with an oscillator on the time stamp clock pin, which is left in the same phase. */
static void clocked_run_is_the_same_as_ticks(void **state)
{
	static const struct multikron_osc rows[] = {
		{ .hz = 1, .node_hz = 5 },     { .hz = 10000000, .node_hz = 50000000 },
		{ .hz = 133, .node_hz = 400 }, { .hz = 1, .node_hz = 3 },
		{ .hz = 7, .node_hz = 1000 },  { .hz = 0, .node_hz = 10 },
	};
	static struct mk2_bus fast, slow;

	(void)state;
	for (unsigned s = 0; s < COUNT(situations) * COUNT(rows); s++) {
		for (unsigned l = 0; l < COUNT(lengths); l++) {
			struct multikron_osc osc = rows[s % COUNT(rows)], step = osc;

			situations[s / COUNT(rows)](&fast);
			mk2_bus_clear(&fast, MULTIKRON2_TSCLK);
			slow = fast;
			struct multikron_pins in = { 0x1111, fast.levels, 0 };

			fast.out = multikron2_run_clocked(&fast.chip, in, lengths[l], &osc);
			for (unsigned n = 0; n < lengths[l]; n++) {
				in.control = fast.levels |
					     (multikron_osc_step(&step) ? MULTIKRON2_TSCLK : 0);
				slow.out = multikron2_tick(&slow.chip, in);
			}
			CHECK_ROW(s, osc.phase, step.phase);
			check_same(100 * s + l, &fast, &slow);
		}
	}
}

/* Where an edge of the run comes too soon after one before it, the fault is raised by the run as by
 * the ticks, and older faults stay. */
static void clocked_run_finds_the_same_faults(void **state)
{
	static struct mk2_bus fast, slow;
	unsigned faults = 0;

	(void)state;
	for (unsigned r = 0; r < 5 * 4; r++) {
		struct multikron_osc osc = { .hz = 1, .node_hz = 5, .phase = r % 5 }, step = osc;

		mk2_bus_init(&fast, NULL);
		mk2_bus_write(&fast, MULTIKRON2_CSR, 3); /* a fault of another kind */
		mk2_bus_drive(&fast, MULTIKRON2_TSCLK, 0);
		mk2_bus_clock(&fast, r / 5);
		slow = fast;
		struct multikron_pins in = { 0, fast.levels, 0 };

		fast.out = multikron2_run_clocked(&fast.chip, in, 20, &osc);
		for (unsigned n = 0; n < 20; n++) {
			in.control =
				fast.levels | (multikron_osc_step(&step) ? MULTIKRON2_TSCLK : 0);
			slow.out = multikron2_tick(&slow.chip, in);
		}
		CHECK_ROW(r, osc.phase, step.phase);
		CHECK_ROW(r, fast.chip.core.faults & MULTIKRON_FAULT_CSR_PAIR,
			  MULTIKRON_FAULT_CSR_PAIR);
		faults += (slow.chip.core.faults & MULTIKRON_FAULT_TIMESTAMP_FAST) != 0;
		check_same(r, &fast, &slow);
	}
	CHECK(faults > 0 && faults < 20);
}

/* A long run in one piece or in many: the pieces add up, over everything that counts. */
static void long_runs_add_up(void **state)
{
	static struct mk2_bus whole, parts;
	struct multikron_osc one = { .hz = 133, .node_hz = 400 }, many = one;
	const uint64_t clocks = UINT64_C(123456789012);

	(void)state;
	counting(&whole);
	parts = whole;
	struct multikron_pins in = { 0, whole.levels, 0 };

	whole.out = multikron2_run_clocked(&whole.chip, in, clocks, &one);
	for (unsigned n = 0; n < 1000; n++)
		parts.out = multikron2_run_clocked(&parts.chip, in, clocks / 1000, &many);
	parts.out = multikron2_run_clocked(&parts.chip, in, clocks % 1000, &many);
	CHECK_EQUAL(one.phase, many.phase);
	CHECK_EQUAL(whole.chip.core.timestamp, clocks / 400 * 133 + clocks % 400 * 133 / 400);
	CHECK_EQUAL(whole.chip.core.faults, 0);
	check_same(0, &whole, &parts);
}

/* The oscillator: of every node_hz clocks, hz see a rising edge, whatever the ratio. */
static void oscillator_is_exact(void **state)
{
	static const struct multikron_osc rows[] = {
		{ .hz = 1, .node_hz = 3 },     { .hz = 2, .node_hz = 7 },
		{ .hz = 3, .node_hz = 10 },    { .hz = 10, .node_hz = 50 },
		{ .hz = 133, .node_hz = 400 }, { .hz = 1, .node_hz = 997 },
	};

	(void)state;
	for (unsigned r = 0; r < COUNT(rows); r++) {
		struct multikron_osc osc = rows[r];
		bool last = false; /* as the pin of a new chip */

		for (unsigned turn = 0; turn < 5; turn++) {
			uint64_t edges = 0;

			for (uint64_t n = 0; n < osc.node_hz; n++) {
				bool level = multikron_osc_step(&osc);

				edges += level && !last;
				last = level;
				CHECK_ROW(r, osc.phase < osc.node_hz, true);
			}
			CHECK_ROW(r, edges, osc.hz);
		}
	}
}

/* A copy of the struct is a snapshot: both chips go on by themselves. */
static void copy_is_a_snapshot(void **state)
{
	static struct mk2_bus bus, copy;

	(void)state;
	sending(&bus);
	copy = bus;
	mk2_bus_drain(&bus);
	CHECK_EQUAL(copy.chip.core.fifo_count, 2);
	mk2_bus_forget(&copy);
	mk2_bus_drain(&copy);
	CHECK_EQUAL(mk2_bus_sample(&copy, 0).data, 0x1234);
	CHECK_EQUAL(mk2_bus_sample(&copy, 1).data, 0x5678);
}

TEST_MAIN(TEST(init_refuses_a_bad_configuration),
	  TEST(init_without_configuration_takes_the_defaults), TEST(configuration_survives_resets),
	  TEST(quiet_means_empty_and_idle), TEST(run_is_the_same_as_ticks),
	  TEST(clocked_run_is_the_same_as_ticks), TEST(clocked_run_finds_the_same_faults),
	  TEST(long_runs_add_up), TEST(oscillator_is_exact), TEST(copy_is_a_snapshot))
