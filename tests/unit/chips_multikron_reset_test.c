/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron: hardware reset, software reset, and what each of them leaves alone. */
#include "support/mk_bus.h"
#include "unit/test.h"

#include <kron/multikron.h>

/* Everything that both resets clear, read back as a processor would. */
static void check_cleared(struct mk_bus *bus, unsigned w)
{
	const uint64_t held = bus->hold;

	CHECK_EQUAL(mk_bus_read(bus, MULTIKRON_CSR), w << 12);
	CHECK_EQUAL(mk_bus_read(bus, MULTIKRON_FILTER), 0);
	CHECK_EQUAL(mk_bus_read(bus, MULTIKRON_WAIT_COUNTER), 0);
	CHECK_EQUAL(mk_bus_read(bus, MULTIKRON_OVERRUN_COUNTER), 0);
	CHECK_EQUAL(mk_bus_read(bus, MULTIKRON_MUX_SEL), 0);
	CHECK_EQUAL(mk_bus_read(bus, MULTIKRON_RESOURCE_ENABLE), 0);
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		CHECK_EQUAL(mk_bus_read(bus, MULTIKRON_SOURCE + i), 0);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		CHECK_EQUAL(mk_bus_read(bus, MULTIKRON_COUNTER + i), 0);
		CHECK_EQUAL(bus->access_ticks, 3 + w);
	}
	bus->hold |= MULTIKRON_TEST;
	CHECK_EQUAL(mk_bus_read(bus, MULTIKRON_TEST_REGISTER), 0);
	CHECK_EQUAL(mk_bus_read(bus, MULTIKRON_FIFO_OUTPUT), 0);
	bus->hold = held;
}

/* The FIFO is empty: with the network free nothing comes but the clock. */
static void check_silent(struct mk_bus *bus)
{
	bus->hold |= MULTIKRON_FREE;
	for (unsigned i = 0; i < 200; i++) {
		mk_bus_clock(bus, 1);
		CHECK_EQUAL(bus->out.control & MULTIKRON_OUTPUTS & ~MULTIKRON_NETCLK, 0);
	}
}

/* The busy chip is what a reset test needs: if any of this read 0 the test would prove nothing. */
static void busy_chip_has_something_in_every_register(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_busy(&bus, 3);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR), 0x77d5);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_FILTER), 0xffff);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TIMESTAMP), UINT64_C(0x0f0f0f0f0f0f0f));
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_WAIT_COUNTER), 0x0f0ff0f0);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER), 0x0f0ff0f2);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_MUX_SEL), UINT64_C(0x0000ffff0000ffff));
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_RESOURCE_ENABLE), 0xffff);
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_SOURCE + i), 0xc0de0001 + i);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK(multikron_counter(&bus.chip, i) > 0x12345678);
}

/* MK1-040, MK1-042, MK1-045, MK1-069: after a hardware reset every register reads 0, the time stamp
 * too, but for the wait states in the CSR, whatever was going on before. */
static void hardware_reset_clears_everything(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned w = 0; w < 4; w++) {
		mk_bus_init_busy(&bus, 3 - w);
		mk_bus_reset(&bus, w);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TIMESTAMP), 0);
		check_cleared(&bus, w);
		check_silent(&bus);
	}
}

/* MK1-021, MK1-041, MK1-045, MK1-069: a software reset clears the same but the time stamp, whatever
 * the data say, and is acknowledged like any other write. */
static void software_reset_clears_everything_but_time(void **state)
{
	static const uint64_t data[] = { 0, UINT64_MAX };
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		mk_bus_init_busy(&bus, 2);
		mk_bus_write(&bus, MULTIKRON_SOFT_RESET, data[i]);
		CHECK_EQUAL(bus.access_ticks, 4);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TIMESTAMP), UINT64_C(0x0f0f0f0f0f0f0f));
		check_cleared(&bus, 2);
		check_silent(&bus);
	}
}

/* MK1-042: the defaults as behaviour: no sampling, losses instead of waits, an error bit instead of
 * a read wait, a slow clock of a tenth. */
static void defaults_after_reset_are_the_starred_ones(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_busy(&bus, 0);
	mk_bus_reset(&bus, 0);
	bus.hold &= ~MULTIKRON_FREE;
	mk_bus_write(&bus, MULTIKRON_FILTER, 0xffff);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	CHECK_EQUAL(bus.chip.core.fifo_count, 0);
	mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	CHECK_EQUAL(bus.access_ticks, 2);
	CHECK_EQUAL(bus.chip.core.overruns, 1);
	CHECK(mk_bus_read(&bus, MULTIKRON_COUNTER) & MULTIKRON_READ_ERROR);
	CHECK_EQUAL(bus.access_ticks, 3);
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 1);
	mk_bus_stamp(&bus, 10);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), 1);
}

/* MK1-044, MK1-041: the time stamp does not lose a clock to a software reset, not even one that
 * rises in the very tick of the reset, and the slow clock keeps its phase. */
static void software_reset_loses_no_time_stamp_clock(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned phase = 0; phase < 3; phase++) {
		mk_bus_init(&bus, NULL);
		mk_bus_stamp(&bus, 5);
		for (unsigned i = 0; i < 9; i++) {
			uint64_t tsclk = (i + phase) % 3 == 0 ? MULTIKRON_TSCLK : 0;
			uint64_t strobe = i == 2 ? MULTIKRON_WR : 0;

			mk_bus_tick(&bus, tsclk | strobe | MULTIKRON_A(MULTIKRON_SOFT_RESET), 0);
			CHECK_EQUAL((bus.out.control & MULTIKRON_RDY) != 0, i == 3);
		}
		CHECK_EQUAL(bus.chip.core.timestamp, 8);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 1);
		mk_bus_stamp(&bus, 1);
		CHECK_EQUAL(multikron_counter(&bus.chip, 0), 0);
		mk_bus_stamp(&bus, 1);
		CHECK_EQUAL(multikron_counter(&bus.chip, 0), 1);
		CHECK_EQUAL(bus.chip.core.faults, 0);
	}
}

/* MK1-044, MK1-014: nor does it see a clock that was not there, if the pin is high throughout, or
 * forget when the last one was: edges too close are reported across it. */
static void software_reset_remembers_the_clock_pins(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	bus.hold |= MULTIKRON_TSCLK;
	mk_bus_clock(&bus, 5);
	mk_bus_write(&bus, MULTIKRON_SOFT_RESET, 0);
	mk_bus_clock(&bus, 5);
	CHECK_EQUAL(bus.chip.core.timestamp, 1);
	bus.hold &= ~MULTIKRON_TSCLK;
	mk_bus_clock(&bus, 5);
	mk_bus_start(&bus, MULTIKRON_WR | MULTIKRON_TSCLK, MULTIKRON_SOFT_RESET, 0);
	CHECK(mk_bus_wait(&bus, 1));
	mk_bus_tick(&bus, MULTIKRON_TSCLK, 0);
	CHECK_EQUAL(bus.chip.core.timestamp, 3);
	CHECK_EQUAL(bus.chip.core.faults, MULTIKRON_FAULT_TIMESTAMP_FAST);
}

/* MK1-134: the network clock is the receiver's; a software reset must not make it stumble. */
static void software_reset_keeps_the_network_clock(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	for (unsigned i = 0; i < 12; i++) {
		uint64_t strobe = i == 3 || i == 6 ? MULTIKRON_WR : 0;

		mk_bus_tick(&bus, strobe | MULTIKRON_A(MULTIKRON_SOFT_RESET), 0);
		CHECK_EQUAL((bus.out.control & MULTIKRON_NETCLK) != 0, i % 2 == 0);
	}
}

/* What no register holds is not the processor's to clear: the accounts of samples survive a
 * software reset, and a hardware reset starts them anew. */
static void accounts_survive_software_reset_only(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_fill(&bus);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	mk_bus_drain(&bus);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	mk_bus_drain(&bus);
	mk_bus_write(&bus, MULTIKRON_SOFT_RESET, 0);
	CHECK_EQUAL(bus.chip.core.accepted, 9);
	CHECK_EQUAL(bus.chip.core.sent, 9);
	CHECK_EQUAL(bus.chip.core.lost, 1);
	CHECK_EQUAL(bus.chip.core.sent_lost, 1);
	mk_bus_reset(&bus, 0);
	CHECK_EQUAL(bus.chip.core.accepted, 0);
	CHECK_EQUAL(bus.chip.core.sent, 0);
	CHECK_EQUAL(bus.chip.core.lost, 0);
	CHECK_EQUAL(bus.chip.core.sent_lost, 0);
}

/* MK1-039: five node clocks are the minimum. A shorter pulse resets the model all the same (the pin
 * is asynchronous), but the real part is out of its specification, so it is told. */
static void short_reset_is_reported(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned clocks = 1; clocks < 9; clocks++) {
		mk_bus_init(&bus, NULL);
		mk_bus_write(&bus, MULTIKRON_FILTER, 0xffff);
		for (unsigned i = 0; i < clocks; i++) {
			mk_bus_tick(&bus, MULTIKRON_RESET, 0);
			CHECK_EQUAL(bus.chip.core.filter, 0);
		}
		mk_bus_clock(&bus, 1);
		MK_BUS_EXPECT(mk_bus_row("%u clocks", clocks), bus.chip.core.faults,
			      clocks < 5 ? MULTIKRON_FAULT_RESET_SHORT : 0);
	}
}

/* MK1-039: two short pulses do not add up to a long one. */
static void interrupted_reset_is_short(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	for (unsigned i = 0; i < 7; i++)
		mk_bus_tick(&bus, i == 3 ? 0 : MULTIKRON_RESET, 0);
	bus.chip.core.faults = 0;
	mk_bus_clock(&bus, 1);
	CHECK_EQUAL(bus.chip.core.faults, MULTIKRON_FAULT_RESET_SHORT);
}

/* While RESET is asserted the chip is held: nothing counts, no strobe is taken, no output moves. */
static void nothing_happens_during_reset(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	for (unsigned i = 0; i < 30; i++) {
		uint64_t tsclk = i % 3 == 0 ? MULTIKRON_TSCLK : 0;

		mk_bus_tick(&bus, tsclk | MULTIKRON_RESET | MULTIKRON_RD | MULTIKRON_A(1), 0x77);
		CHECK_EQUAL(bus.out.control & MULTIKRON_OUTPUTS, 0);
		CHECK_EQUAL(bus.out.data, 0x77);
	}
	mk_bus_clock(&bus, 1);
	CHECK_EQUAL(bus.out.control & MULTIKRON_OUTPUTS, MULTIKRON_NETCLK);
	CHECK_EQUAL(bus.chip.core.timestamp, 0);
}

/* MK1-039: reset is unconditional: an access under way is never acknowledged, and the chip takes
 * the next one at once. */
static void reset_ends_an_access(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, MULTIKRON_CSR_WRITE_WAIT);
	mk_bus_fill(&bus);
	CHECK(!mk_bus_start(&bus, MULTIKRON_WR, MULTIKRON_TRACE, 0));
	CHECK(!mk_bus_wait(&bus, 10));
	mk_bus_reset(&bus, 0);
	CHECK(!mk_bus_wait(&bus, 100));
	mk_bus_write(&bus, MULTIKRON_FILTER, 0x8001);
	CHECK_EQUAL(bus.access_ticks, 2);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_FILTER), 0x8001);
}

/* MK1-046, MK1-111: a pin that was high before, during and after the reset has not risen. */
static void level_held_through_reset_is_no_edge(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	bus.hold |= MULTIKRON_TSCLK | MULTIKRON_X(4);
	mk_bus_clock(&bus, 2);
	mk_bus_reset(&bus, 0);
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, 1 << 4);
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 1 << 4);
	mk_bus_clock(&bus, 5);
	CHECK_EQUAL(bus.chip.core.timestamp, 0);
	CHECK_EQUAL(multikron_counter(&bus.chip, 4), 0);
	bus.hold &= ~(MULTIKRON_TSCLK | MULTIKRON_X(4));
	mk_bus_clock(&bus, 3);
	mk_bus_tick(&bus, MULTIKRON_TSCLK | MULTIKRON_X(4), 0);
	CHECK_EQUAL(bus.chip.core.timestamp, 1);
	CHECK_EQUAL(multikron_counter(&bus.chip, 4), 1);
}

/* MK1-114: the prescaler starts with the hardware reset, so that chips that share clock and reset
 * share the slow clock too. */
static void hardware_reset_starts_the_prescaler(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_stamp(&bus, 7);
	mk_bus_reset(&bus, 0);
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 1);
	mk_bus_stamp(&bus, 9);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), 0);
	mk_bus_stamp(&bus, 1);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), 1);
}

TEST_MAIN(TEST(busy_chip_has_something_in_every_register), TEST(hardware_reset_clears_everything),
	  TEST(software_reset_clears_everything_but_time),
	  TEST(defaults_after_reset_are_the_starred_ones),
	  TEST(software_reset_loses_no_time_stamp_clock),
	  TEST(software_reset_remembers_the_clock_pins),
	  TEST(software_reset_keeps_the_network_clock), TEST(accounts_survive_software_reset_only),
	  TEST(short_reset_is_reported), TEST(interrupted_reset_is_short),
	  TEST(nothing_happens_during_reset), TEST(reset_ends_an_access),
	  TEST(level_held_through_reset_is_no_edge), TEST(hardware_reset_starts_the_prescaler))
