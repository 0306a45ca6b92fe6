/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron: the time stamp, the oscillator that drives it, and running many clocks at once. */
#include "support/mk_bus.h"
#include "unit/test.h"

#include <kron/multikron.h>

#define NODE_HZ  UINT64_C(50000000)
#define STAMP_HZ UINT64_C(10000000)

/* MK1-046: one count per rising edge of the pin, however long it stays high or low, and the node
 * clock alone does nothing. */
static void time_stamp_counts_rising_edges_of_its_pin(void **state)
{
	static const unsigned high[] = { 1, 2, 3, 7, 1, 20 };
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_clock(&bus, 10);
	CHECK_EQUAL(bus.chip.core.timestamp, 0);
	for (unsigned i = 0; i < sizeof(high) / sizeof(high[0]); i++) {
		for (unsigned n = 0; n < high[i]; n++) {
			mk_bus_tick(&bus, MULTIKRON_TSCLK, 0);
			CHECK_EQUAL(bus.chip.core.timestamp, i + 1);
		}
		mk_bus_clock(&bus, 3 + i);
		CHECK_EQUAL(bus.chip.core.timestamp, i + 1);
	}
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TIMESTAMP), 6);
	CHECK_EQUAL(bus.chip.core.faults, 0);
}

/* MK1-046, MK1-047, MK1-023: fifty-six bits, all of them readable, bits 63:56 0; then it wraps. */
static void time_stamp_is_56_bits_wide_and_wraps(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_test(&bus, MK_BUS_INSTRUCTION(2, 0x3fff));
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TIMESTAMP), UINT64_C(0x00ffffffffffffff));
	mk_bus_stamp(&bus, 1);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TIMESTAMP), 0);
	mk_bus_stamp(&bus, 1);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TIMESTAMP), 1);
}

/* MK1-047, MK1-023: no write in normal mode changes it. */
static void time_stamp_cannot_be_written(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_stamp(&bus, 3);
	mk_bus_write(&bus, MULTIKRON_TIMESTAMP, UINT64_C(0x123456789abcde));
	mk_bus_write(&bus, MULTIKRON_TEST_REGISTER, MK_BUS_INSTRUCTION(2, 0x3fff));
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TIMESTAMP), 3);
}

/* MK1-047: a read returns the count of its own clock, the edge of that clock included. */
static void time_stamp_read_is_that_of_its_rdy(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_stamp(&bus, 2);
	mk_bus_tick(&bus, MULTIKRON_RD | MULTIKRON_A(MULTIKRON_TIMESTAMP), 0);
	mk_bus_tick(&bus, MULTIKRON_TSCLK, 0);
	CHECK(bus.out.control & MULTIKRON_RDY);
	CHECK_EQUAL(bus.out.data, 3);
}

/* MK1-014: edges at least three node clocks apart are a clock of at most a third of the node clock;
 * closer ones are reported and still counted. */
static void time_stamp_clock_above_a_third_is_reported(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned period = 2; period < 6; period++) {
		mk_bus_init(&bus, NULL);
		for (unsigned i = 0; i < 10; i++) {
			mk_bus_tick(&bus, MULTIKRON_TSCLK, 0);
			mk_bus_clock(&bus, period - 1);
		}
		MK_BUS_EXPECT(mk_bus_row("period %u", period), bus.chip.core.faults,
			      period < 3 ? MULTIKRON_FAULT_TIMESTAMP_FAST : 0);
		CHECK_EQUAL(bus.chip.core.timestamp, 10);
	}
}

/* MK1-048: a sample carries bits 39:0, whatever stands above them. */
static void sample_carries_40_bits_of_time(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_test(&bus, MK_BUS_INSTRUCTION(2, 0x3e72));
	mk_bus_stamp(&bus, 5);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TIMESTAMP), UINT64_C(0xfffff00fff00f5));
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	mk_bus_drain(&bus);
	CHECK_EQUAL(mk_bus_sample(&bus, 0).timestamp, UINT64_C(0xf00fff00f5));
}

/* A sample has the time of the clock in which it is taken, the edge of that clock included. */
static void sample_time_is_that_of_its_rdy(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_stamp(&bus, 2);
	mk_bus_tick(&bus, MULTIKRON_WR | MULTIKRON_A(MULTIKRON_TRACE), 0);
	mk_bus_tick(&bus, MULTIKRON_TSCLK, 0);
	CHECK(bus.out.control & MULTIKRON_RDY);
	mk_bus_clock(&bus, 2);
	mk_bus_stamp(&bus, 4);
	mk_bus_drain(&bus);
	CHECK_EQUAL(mk_bus_sample(&bus, 0).timestamp, 3);
}

/* Different work for two chips: samples, software resets, reads that wait. */
static void mixed_tick(struct mk_bus *bus, unsigned i, unsigned period, unsigned address)
{
	uint64_t tsclk = i % 5 < 2 ? MULTIKRON_TSCLK : 0;
	uint64_t strobe = i % period == 0 ? MULTIKRON_WR : i % period == 3 ? MULTIKRON_RD : 0;

	mk_bus_tick(bus, tsclk | strobe | MULTIKRON_A(address), 1);
}

/* MK1-049: chips that share time stamp clock and hardware reset agree on the time at every clock,
 * whatever each of them does, and two samples of one instant say so. */
static void chips_that_share_clock_and_reset_share_time(void **state)
{
	struct mk_bus a, b;

	(void)state;
	mk_bus_init_busy(&a, 3);
	mk_bus_init_sampling(&b, NULL, 0);
	mk_bus_stamp(&b, 17);
	mk_bus_reset(&a, 0);
	mk_bus_reset(&b, 0);
	a.hold |= MULTIKRON_FREE;
	for (unsigned i = 0; i < 3000; i++) {
		mixed_tick(&a, i, 90, MULTIKRON_SOFT_RESET);
		mixed_tick(&b, i, 7, i < 1000 ? 1 + i % 100 : MULTIKRON_COUNTER);
		CHECK_EQUAL(a.chip.core.timestamp, i / 5 + 1);
		CHECK_EQUAL(b.chip.core.timestamp, i / 5 + 1);
	}
	for (struct mk_bus *bus = &a; bus; bus = bus == &a ? &b : NULL) {
		mk_bus_drain(bus);
		bus->elements = 0;
		mk_bus_write(bus, MULTIKRON_FILTER, 1);
		mk_bus_write(bus, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING);
		mk_bus_write(bus, MULTIKRON_TRACE, 0);
		mk_bus_drain(bus);
		CHECK_EQUAL(mk_bus_sample(bus, 0).timestamp, 600);
	}
}

/* Take a trace sample on a copy of the chip and return its time. */
static uint64_t time_of_a_sample(struct mk_bus bus)
{
	mk_bus_write(&bus, MULTIKRON_TRACE, 1);
	mk_bus_drain(&bus);
	return mk_bus_sample(&bus, 0).timestamp;
}

/* Run clocked until the time stamp has moved by n; returns the node clocks it took. */
static uint64_t run_stamps(struct mk_bus *bus, struct multikron_osc *osc, uint64_t n)
{
	const uint64_t target = bus->chip.core.timestamp + n;
	const uint64_t most = (n - 1) * (osc->node_hz / osc->hz);
	struct multikron_pins pins = { .control = bus->hold };
	uint64_t clocks = most;

	if (most)
		multikron_run_clocked(&bus->chip, pins, most, osc);
	for (; bus->chip.core.timestamp != target; clocks++) {
		CHECK(clocks < most + 100);
		multikron_run_clocked(&bus->chip, pins, 1, osc);
	}
	return clocks;
}

/* MK1-050: at 10 MHz the 40 bits of a sample start again after 2^40 clocks: 109 951 s, 30.5 h. */
static void forty_bits_at_10_mhz_last_30_hours(void **state)
{
	const uint64_t wrap = UINT64_C(1) << 40;
	struct multikron_osc osc = { .hz = STAMP_HZ, .node_hz = NODE_HZ };
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	run_stamps(&bus, &osc, 2);
	CHECK_EQUAL(time_of_a_sample(bus), 2);
	uint64_t clocks = run_stamps(&bus, &osc, wrap - 3);
	CHECK_EQUAL(time_of_a_sample(bus), wrap - 1);
	clocks += run_stamps(&bus, &osc, 1);
	CHECK_EQUAL(time_of_a_sample(bus), 0);
	clocks += run_stamps(&bus, &osc, 2);
	CHECK_EQUAL(time_of_a_sample(bus), 2);
	CHECK_EQUAL(bus.chip.core.timestamp, wrap + 2);
	CHECK_EQUAL(clocks / NODE_HZ, 109951);
	CHECK_EQUAL(clocks / NODE_HZ / 360, 305); /* tenths of an hour */
}

/* clang-format off */
static const struct { uint64_t hz, node_hz; } ratios[] = {
	{ 1, 5 }, { 166, 500 }, { 16666666, 50000000 }, { 1, 3 }, { 3, 10 }, { 7, 22 }, { 1, 100 },
	{ 333, 1000 }, { 0, 7 },
};
/* clang-format on */
#define RATIOS (sizeof(ratios) / sizeof(ratios[0]))

/* MK1-014: from a low pin and phase 0 on, the oscillator is exact over every node_hz clocks and
 * never faster than the chip allows. */
static void oscillator_is_exact_and_never_too_fast(void **state)
{
	(void)state;
	for (unsigned r = 0; r < RATIOS; r++) {
		struct multikron_osc osc = { .hz = ratios[r].hz, .node_hz = ratios[r].node_hz };
		const char *row = mk_bus_row("ratio %u", r);
		uint64_t windows = ratios[r].node_hz < 10000 ? 5 : 1;
		uint64_t gap = 3;
		bool high = false;

		for (uint64_t w = 0; w < windows; w++) {
			uint64_t edges = 0;

			for (uint64_t i = 0; i < ratios[r].node_hz; i++, gap++) {
				bool now = multikron_osc_step(&osc);

				MK_BUS_EXPECT(row, osc.phase < osc.node_hz, true);
				if (now && !high) {
					MK_BUS_EXPECT(row, gap >= 3, true);
					edges++;
					gap = 0;
				}
				high = now;
			}
			MK_BUS_EXPECT(row, edges, ratios[r].hz);
		}
	}
}

/* Situations for multikron_run: what the chip has been told before, and the inputs held. */
static void start_counters(struct mk_bus *bus)
{
	mk_bus_write(bus, MULTIKRON_MUX_SEL, UINT64_C(0x0000666600005555));
	mk_bus_write(bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
}

static void queue_samples(struct mk_bus *bus)
{
	bus->hold &= ~MULTIKRON_FREE;
	mk_bus_write(bus, MULTIKRON_TRACE, 0x111111111111);
	mk_bus_write(bus, MULTIKRON_RESOURCE, 0x222222222222);
	mk_bus_write(bus, MULTIKRON_TRACE, 0x333333333333);
}

static void wait_for_the_fifo(struct mk_bus *bus)
{
	mk_bus_write(bus, MULTIKRON_CSR, MULTIKRON_CSR_WRITE_WAIT);
	mk_bus_fill(bus);
	CHECK(!mk_bus_start(bus, MULTIKRON_WR, MULTIKRON_TRACE, 9));
}

static void wait_for_the_shadow_registers(struct mk_bus *bus)
{
	mk_bus_write(bus, MULTIKRON_CSR, MULTIKRON_CSR_READ_WAIT);
	queue_samples(bus);
	CHECK(!mk_bus_start(bus, MULTIKRON_RD, MULTIKRON_COUNTER + 3, 9));
}

static void pattern_in_test_mode(struct mk_bus *bus)
{
	queue_samples(bus);
	mk_bus_test(bus, MK_BUS_INSTRUCTION(0x140, 0));
}

static void nearly_full_counters(struct mk_bus *bus)
{
	mk_bus_test(bus, MK_BUS_INSTRUCTION(3, 0xfffffff0));
}

/* clang-format off */
static const struct {
	const char *name;
	void (*prepare)(struct mk_bus *bus);
	uint64_t control; /* beside C0 */
	uint16_t pulse;
} situations[] = {
	{ "idle",                  NULL,                          MULTIKRON_FREE, 0 },
	{ "idle, no network",      NULL,                          0, 0 },
	{ "clock pins high",       NULL,                          MULTIKRON_TSCLK | 0xffff, 0 },
	{ "pulses",                NULL,                          MULTIKRON_FREE, 0xffff },
	{ "some pulses",           nearly_full_counters,          MULTIKRON_FREE, 0x5a5a },
	{ "saturating",            nearly_full_counters,          MULTIKRON_FREE, 0 },
	{ "sending",               queue_samples,                 MULTIKRON_FREE, 0 },
	{ "stalled",               queue_samples,                 0, 0 },
	{ "outputs off",           queue_samples,                 MULTIKRON_FREE | MULTIKRON_OUTDIS, 0 },
	{ "test mode",             queue_samples,                 MULTIKRON_FREE | MULTIKRON_TEST, 0 },
	{ "network disabled",      pattern_in_test_mode,          MULTIKRON_FREE | MULTIKRON_TEST, 0 },
	{ "orphan",                pattern_in_test_mode,          MULTIKRON_FREE, 0 },
	{ "FIFO wait",             wait_for_the_fifo,             MULTIKRON_FREE, 0 },
	{ "endless FIFO wait",     wait_for_the_fifo,             0, 0 },
	{ "FIFO wait, test mode",  wait_for_the_fifo,             MULTIKRON_TEST, 0 },
	{ "shadow wait",           wait_for_the_shadow_registers, MULTIKRON_FREE, 0 },
	{ "endless shadow wait",   wait_for_the_shadow_registers, 0, 0 },
	{ "reset",                 queue_samples,                 MULTIKRON_RESET | MULTIKRON_W1, 0 },
	{ "read strobe held",      NULL,                          MULTIKRON_RD | MULTIKRON_A(35), 0 },
	{ "write strobe held",     NULL,                          MULTIKRON_WR | MULTIKRON_A(33), 0 },
	{ "trigger held",          NULL,   MULTIKRON_FREE | MULTIKRON_WR | MULTIKRON_A(112), 0 },
	{ "internal test",         queue_samples,                 MULTIKRON_ITEST, 0 },
};
/* clang-format on */
#define SITUATIONS (sizeof(situations) / sizeof(situations[0]))

static struct multikron_pins prepare(struct mk_bus *bus, unsigned s, unsigned phase)
{
	mk_bus_init_sampling(bus, NULL, 0);
	start_counters(bus);
	mk_bus_stamp(bus, 3);
	if (situations[s].prepare)
		situations[s].prepare(bus);
	mk_bus_clock(bus, phase);
	return (struct multikron_pins){ .data = 0x1234,
					.control = situations[s].control | MULTIKRON_C(0),
					.pulse = situations[s].pulse };
}

/* The clock pins at every tick, from the oscillator if there is one. */
static struct multikron_pins step(struct multikron *chip, struct multikron_pins pins,
				  struct multikron_osc *osc)
{
	if (osc) {
		pins.control &= ~MULTIKRON_TSCLK;
		if (multikron_osc_step(osc))
			pins.control |= MULTIKRON_TSCLK;
	}
	return multikron_tick(chip, pins);
}

/* What happens after the stretch shows whatever the two ways left behind: edges of every clock pin,
 * `low` clocks after it, and the network. */
static void compare_future(struct multikron a, struct multikron b, unsigned low, const char *name)
{
	for (unsigned i = 0; i < 40; i++) {
		struct multikron_pins pins = { .control = MULTIKRON_FREE | MULTIKRON_C(0) };

		if (i >= low && (i - low) % 4 < 2)
			pins.control |= MULTIKRON_TSCLK | 0xffff << MULTIKRON_X_SHIFT;
		struct multikron_pins p = multikron_tick(&a, pins), q = multikron_tick(&b, pins);
		MK_BUS_EXPECT(name, p.control, q.control);
		MK_BUS_EXPECT(name, p.data, q.data);
		const char *difference = mk_bus_difference(&a, &b);
		if (difference)
			print_error("%s\n", difference);
		MK_BUS_EXPECT(name, difference == NULL, true);
	}
}

/* The same stretch in one call and tick by tick. */
static void compare(unsigned s, uint64_t n, const struct multikron_osc *osc)
{
	for (unsigned phase = 0; phase < 2; phase++) {
		struct mk_bus run;
		struct multikron_osc run_osc = { 0 }, tick_osc = { 0 };
		struct multikron_pins pins = prepare(&run, s, phase), a, b = pins;
		const char *row = mk_bus_row("%s, %u clocks", situations[s].name, (unsigned)n);

		struct multikron ticks = run.chip;
		if (osc) {
			run_osc = tick_osc = *osc;
			a = multikron_run_clocked(&run.chip, pins, n, &run_osc);
		} else {
			a = multikron_run(&run.chip, pins, n);
		}
		for (uint64_t i = 0; i < n; i++)
			b = step(&ticks, pins, osc ? &tick_osc : NULL);
		MK_BUS_EXPECT(row, a.control, b.control);
		MK_BUS_EXPECT(row, a.data, b.data);
		MK_BUS_EXPECT(row, run_osc.phase, tick_osc.phase);
		for (unsigned low = 0; low < 4; low++)
			compare_future(run.chip, ticks, low, row);
	}
}

static const uint64_t lengths[] = {
	1, 2, 3, 4, 5, 7, 16, 31, 32, 33, 99, 100, 101, 160, 333, 2000
};
#define LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

/* A shortcut must not be seen: one call is n ticks, in every situation, at every length. */
static void run_is_n_ticks(void **state)
{
	(void)state;
	for (unsigned s = 0; s < SITUATIONS; s++)
		for (unsigned i = 0; i < LENGTHS; i++)
			compare(s, lengths[i], NULL);
}

/* MK1-046, MK1-114: the same with a time stamp clock, whose edges fall anywhere in the stretch. */
static void clocked_run_is_n_ticks(void **state)
{
	(void)state;
	for (unsigned s = 0; s < SITUATIONS; s++)
		for (unsigned i = 0; i < LENGTHS; i++)
			for (unsigned r = 0; r < RATIOS; r++) {
				struct multikron_osc osc = { .hz = ratios[r].hz,
							     .node_hz = ratios[r].node_hz };

				osc.phase = i * osc.node_hz / LENGTHS;
				compare(s, lengths[i], &osc);
			}
}

/* A simulator skips a quiet chip. It is quiet only with an empty FIFO and no access under way. */
static void quiet_means_empty_and_idle(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_clock(&bus, 1);
	CHECK(multikron_quiet(&bus.chip));
	mk_bus_start(&bus, MULTIKRON_RD, MULTIKRON_CSR, 0);
	CHECK(!multikron_quiet(&bus.chip));
	CHECK(mk_bus_wait(&bus, 1));
	mk_bus_clock(&bus, 1);
	CHECK(multikron_quiet(&bus.chip));
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	for (unsigned i = 0; bus.elements < 16; i++) {
		CHECK(!multikron_quiet(&bus.chip));
		CHECK(i < 100);
		mk_bus_clock(&bus, 1);
	}
	mk_bus_clock(&bus, 1);
	CHECK(multikron_quiet(&bus.chip));
	mk_bus_fill(&bus);
	mk_bus_clock(&bus, 1000);
	CHECK(!multikron_quiet(&bus.chip));
}

TEST_MAIN(TEST(time_stamp_counts_rising_edges_of_its_pin),
	  TEST(time_stamp_is_56_bits_wide_and_wraps), TEST(time_stamp_cannot_be_written),
	  TEST(time_stamp_read_is_that_of_its_rdy),
	  TEST(time_stamp_clock_above_a_third_is_reported), TEST(sample_carries_40_bits_of_time),
	  TEST(sample_time_is_that_of_its_rdy), TEST(chips_that_share_clock_and_reset_share_time),
	  TEST(forty_bits_at_10_mhz_last_30_hours), TEST(oscillator_is_exact_and_never_too_fast),
	  TEST(run_is_n_ticks), TEST(clocked_run_is_n_ticks), TEST(quiet_means_empty_and_idle))
