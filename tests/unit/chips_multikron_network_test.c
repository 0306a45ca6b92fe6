/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron: the output to the collection network, clock by clock. */
#include "support/mk_bus.h"
#include "unit/test.h"

#include <kron/multikron.h>

#define NETWORK (MULTIKRON_N | MULTIKRON_PARITY | MULTIKRON_EOM | MULTIKRON_LOAD | MULTIKRON_NETCLK)

static bool netclk(const struct mk_bus *bus)
{
	return bus->out.control & MULTIKRON_NETCLK;
}

static bool load(const struct mk_bus *bus)
{
	return bus->out.control & MULTIKRON_LOAD;
}

static unsigned byte_on_pins(const struct mk_bus *bus)
{
	return (unsigned)((bus->out.control & MULTIKRON_N) >> MULTIKRON_N_SHIFT);
}

/* A simple pseudo-random sequence, the same in every run. */
static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

/* MK1-134: half the node clock, whatever the chip is doing; high first after a reset. */
static void network_clock_is_half_the_node_clock(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_reset(&bus, 0);
	for (unsigned i = 0; i < 500; i++) {
		uint64_t strobe = i % 11 == 3 ? MULTIKRON_WR : i % 11 == 7 ? MULTIKRON_RD : 0;

		bus.hold = i % 97 < 40 ? MULTIKRON_FREE : MULTIKRON_TEST;
		mk_bus_tick(&bus, strobe | MULTIKRON_A(i % 128), UINT64_C(0x5555ffff));
		CHECK_EQUAL(netclk(&bus), i % 2 == 0);
	}
}

/* MK1-138, MK1-134: with the network free a byte leaves at every rising network clock, without a
 * gap inside a sample or between two. */
static void one_byte_per_network_clock(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	bus.hold &= ~MULTIKRON_FREE;
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	if (netclk(&bus))
		mk_bus_clock(&bus, 1);
	bus.hold |= MULTIKRON_FREE;
	for (unsigned i = 1; i <= 112; i++) {
		mk_bus_clock(&bus, 1);
		CHECK_EQUAL(bus.elements, i);
		mk_bus_clock(&bus, 1);
		CHECK_EQUAL(bus.elements, i);
	}
	CHECK(multikron_quiet(&bus.chip));
}

/* MK1-133, MK1-139: ten bits per element: a byte, the parity bit that makes nine ones odd, for each
 * of the 256 bytes, and the end flag, which the parity does not cover. */
static void parity_makes_byte_and_parity_odd(void **state)
{
	bool seen[2][256] = { { false } };
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, MULTIKRON_CSR_WRITE_WAIT);
	for (unsigned value = 0; value < 256; value++)
		mk_bus_write(&bus, MULTIKRON_TRACE, value << 8 | value);
	mk_bus_drain(&bus);
	CHECK_EQUAL(bus.elements, 256 * 16);
	for (unsigned i = 0; i < bus.elements; i++) {
		unsigned byte = bus.element[i] & 0xff, ones = 0;

		for (unsigned bit = 0; bit < 8; bit++)
			ones += byte >> bit & 1;
		MK_BUS_EXPECT(mk_bus_row("byte 0x%x", byte), (bus.element[i] & MK_BUS_PARITY) != 0,
			      ones % 2 == 0);
		seen[(bus.element[i] & MK_BUS_EOM) != 0][byte] = true;
	}
	for (unsigned value = 0; value < 256; value++) {
		CHECK(seen[0][value]);
		CHECK(seen[1][value]);
	}
}

/* MK1-140, MK1-133: the end flag is there with byte 16 of a trace sample and byte 80 of a resource
 * sample, and with no other. */
static void end_flag_is_on_the_last_byte_only(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	mk_bus_drain(&bus);
	CHECK_EQUAL(bus.elements, 16 + 80 + 16);
	for (unsigned i = 0; i < bus.elements; i++)
		CHECK_EQUAL((bus.element[i] & MK_BUS_EOM) != 0, i == 15 || i == 95 || i == 111);
}

/* MK1-135: Load comes with the byte one node clock before the rising network clock and stays with
 * it over that edge; the byte does not change in between. */
static void load_and_byte_precede_the_rising_network_clock(void **state)
{
	struct mk_bus bus;
	uint64_t before = 0;
	unsigned rising = 0;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, UINT64_C(0x0123456789ab));
	if (netclk(&bus))
		mk_bus_clock(&bus, 1);
	for (unsigned i = 0; i < 160; i++) {
		const uint64_t pins = bus.out.control & NETWORK;

		if (netclk(&bus)) {
			CHECK_EQUAL(pins, before | MULTIKRON_NETCLK);
			rising++;
		} else {
			CHECK(load(&bus));
		}
		before = pins;
		mk_bus_clock(&bus, 1);
	}
	CHECK_EQUAL(rising, 80);
}

/* MK1-135, MK1-138: with nothing to send nothing is driven but the network clock, Free or not. */
static void nothing_is_presented_without_a_sample(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	for (unsigned i = 0; i < 100; i++) {
		bus.hold = i % 3 ? MULTIKRON_FREE : 0;
		mk_bus_clock(&bus, 1);
		CHECK_EQUAL(bus.out.control & NETWORK & ~MULTIKRON_NETCLK, 0);
	}
}

/* MK1-136, MK1-137: what Free is at the node clock that makes the network clock rise decides: then
 * the byte goes or stays. What it was a clock earlier does not. */
static void free_decides_at_the_rising_network_clock(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	bus.hold &= ~MULTIKRON_FREE;
	mk_bus_write(&bus, MULTIKRON_TRACE, 0);
	if (netclk(&bus))
		mk_bus_clock(&bus, 1);
	mk_bus_tick(&bus, 0, 0);
	CHECK_EQUAL(bus.elements, 0);
	mk_bus_tick(&bus, MULTIKRON_FREE, 0);
	CHECK(load(&bus));
	mk_bus_tick(&bus, 0, 0);
	CHECK(!load(&bus));
	CHECK_EQUAL(bus.elements, 0);
	mk_bus_tick(&bus, 0, 0);
	mk_bus_tick(&bus, MULTIKRON_FREE, 0);
	CHECK(load(&bus) && netclk(&bus));
	CHECK_EQUAL(bus.elements, 1);
}

/* MK1-137: while Free is away Load is not asserted and the byte stands still, for as long as it
 * takes; then everything goes on as if nothing had been. */
static void byte_is_held_while_the_network_is_not_free(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_write(&bus, MULTIKRON_TRACE, UINT64_C(0x112233445566));
	while (bus.elements < 11)
		mk_bus_clock(&bus, 1);
	bus.hold &= ~MULTIKRON_FREE;
	mk_bus_clock(&bus, 1);
	for (unsigned i = 0; i < 1001; i++) {
		CHECK_EQUAL(byte_on_pins(&bus), 0x22);
		CHECK(bus.out.control & MULTIKRON_PARITY);
		CHECK(!load(&bus));
		mk_bus_clock(&bus, 1);
	}
	mk_bus_drain(&bus);
	CHECK_EQUAL(mk_bus_sample(&bus, 0).data, UINT64_C(0x112233445566));
	CHECK_EQUAL(bus.elements, 16);
}

/* MK1-137, MK1-136: a network that stalls at random loses no byte and gets none twice, and Load is
 * never there without Free. */
static void random_stalls_lose_nothing(void **state)
{
	struct mk_bus smooth, rough;
	uint32_t seed = 1992;

	(void)state;
	mk_bus_init_sampling(&smooth, NULL, 0);
	smooth.hold &= ~MULTIKRON_FREE;
	for (unsigned i = 0; i < 8; i++)
		mk_bus_write(&smooth, i == 3 ? MULTIKRON_RESOURCE : MULTIKRON_TRACE,
			     UINT64_C(0x0123456789ab) * (i + 1));
	rough = smooth;
	mk_bus_drain(&smooth);
	for (unsigned i = 0; rough.elements < smooth.elements; i++) {
		bool free = next(&seed) & 1;

		CHECK(i < 10000);
		mk_bus_tick(&rough, free ? MULTIKRON_FREE : 0, 0);
		CHECK(free || !load(&rough));
	}
	mk_bus_clock(&rough, 1);
	CHECK(multikron_quiet(&rough.chip));
	for (unsigned i = 0; i < smooth.elements; i++)
		CHECK_EQUAL(rough.element[i], smooth.element[i]);
}

/* Samples in 1 ms of 50 MHz node clocks with a processor that never stops triggering. */
static unsigned samples_per_ms(unsigned address)
{
	struct mk_bus bus;

	mk_bus_init_sampling(&bus, NULL, MULTIKRON_CSR_WRITE_WAIT);
	for (unsigned i = 0; i < 1000; i++)
		mk_bus_tick(&bus, MULTIKRON_WR | MULTIKRON_A(address), 0);
	bus.elements = 0;
	for (unsigned i = 0; i < 50000; i++)
		mk_bus_tick(&bus, MULTIKRON_WR | MULTIKRON_A(address), 0);
	CHECK_EQUAL(bus.elements, 25000); /* MK1-134: 25 Mbyte/s */
	return mk_bus_samples(&bus);
}

/* MK1-141, MK1-134, MK1-138: at 50 MHz the network takes 25 Mbyte/s: 1.5625 million trace samples
 * or 0.3125 million resource samples per second, one after another without a gap. */
static void peak_rates_are_those_of_the_network_clock(void **state)
{
	unsigned trace = samples_per_ms(MULTIKRON_TRACE);
	unsigned resource = samples_per_ms(MULTIKRON_RESOURCE);

	(void)state;
	CHECK(trace == 1562 || trace == 1563);
	CHECK(resource == 312 || resource == 313);
}

/* MK1-143: a node without a collection network has the use of counters, time stamp and registers;
 * samples fill the FIFO and then meet the overrun rules. */
static void chip_is_useful_without_a_network(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	bus.hold &= ~MULTIKRON_FREE;
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, UINT64_C(0x0000ffff0000ffff));
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 1);
	uint64_t start = bus.ticks;
	for (unsigned i = 1; i <= 20; i++) {
		mk_bus_write(&bus, MULTIKRON_TRACE, i);
		mk_bus_stamp(&bus, 10);
		uint64_t count = mk_bus_read(&bus, MULTIKRON_COUNTER);
		CHECK_EQUAL(count, bus.ticks - start);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_TIMESTAMP), 10 * i);
		mk_bus_write(&bus, MULTIKRON_SOURCE + 1, i);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_SOURCE + 1), i);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_OVERRUN_COUNTER), i > 8 ? i - 8 : 0);
	}
	CHECK_EQUAL(bus.elements, 0);
	mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_WRITE_WAIT);
	CHECK(!mk_bus_start(&bus, MULTIKRON_WR, MULTIKRON_TRACE, 0));
	CHECK(!mk_bus_wait(&bus, 10000));
}

/* MK1-041: a software reset in the middle of a sample cuts it short: no more bytes, no end flag,
 * and the next sample starts with its header. */
static void software_reset_cuts_a_sample_short(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		mk_bus_init_sampling(&bus, NULL, 0);
		mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
		mk_bus_write(&bus, MULTIKRON_TRACE, 0);
		mk_bus_clock(&bus, 20 + phase);
		mk_bus_write(&bus, MULTIKRON_SOFT_RESET, 0);
		unsigned cut = bus.elements;
		CHECK(cut > 8 && cut < 16);
		mk_bus_clock(&bus, 200);
		CHECK_EQUAL(bus.elements, cut);
		CHECK_EQUAL(mk_bus_samples(&bus), 0);
		mk_bus_write(&bus, MULTIKRON_FILTER, 1);
		mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING);
		mk_bus_write(&bus, MULTIKRON_TRACE, 0xabc);
		bus.elements = 0;
		mk_bus_drain(&bus);
		CHECK_EQUAL(bus.elements, 16);
		CHECK_EQUAL(mk_bus_sample(&bus, 0).header, 0x10);
		CHECK_EQUAL(mk_bus_sample(&bus, 0).data, 0xabc);
	}
}

/* A sample taken in a clock that leaves the network clock low stands on the pins in that clock,
 * else in the next. */
static void first_byte_is_presented_at_the_next_low_network_clock(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		mk_bus_init_sampling(&bus, NULL, 0);
		mk_bus_clock(&bus, phase);
		mk_bus_write(&bus, MULTIKRON_TRACE, 0);
		if (netclk(&bus)) {
			CHECK(!load(&bus));
			CHECK_EQUAL(byte_on_pins(&bus), 0);
			mk_bus_clock(&bus, 1);
		}
		CHECK(load(&bus));
		CHECK_EQUAL(byte_on_pins(&bus), 0x10);
		mk_bus_clock(&bus, 1);
		CHECK_EQUAL(bus.elements, 1);
	}
}

TEST_MAIN(TEST(network_clock_is_half_the_node_clock), TEST(one_byte_per_network_clock),
	  TEST(parity_makes_byte_and_parity_odd), TEST(end_flag_is_on_the_last_byte_only),
	  TEST(load_and_byte_precede_the_rising_network_clock),
	  TEST(nothing_is_presented_without_a_sample),
	  TEST(free_decides_at_the_rising_network_clock),
	  TEST(byte_is_held_while_the_network_is_not_free), TEST(random_stalls_lose_nothing),
	  TEST(peak_rates_are_those_of_the_network_clock), TEST(chip_is_useful_without_a_network),
	  TEST(software_reset_cuts_a_sample_short),
	  TEST(first_byte_is_presented_at_the_next_low_network_clock))
