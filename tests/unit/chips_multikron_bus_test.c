/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron: the processor interface, clock by clock. */
#include "support/mk_bus.h"
#include "unit/test.h"

#include <kron/multikron.h>
#include <string.h>

/* clang-format off */
static const struct {
	const char *what;
	uint64_t strobe;
	unsigned address;
	unsigned clocks; /* with no wait states */
} accesses[] = {
	{ "register write",     MULTIKRON_WR, MULTIKRON_FILTER,       2 },
	{ "register read",      MULTIKRON_RD, MULTIKRON_FILTER,       2 },
	{ "CSR write",          MULTIKRON_WR, MULTIKRON_CSR,          2 },
	{ "time stamp read",    MULTIKRON_RD, MULTIKRON_TIMESTAMP,    2 },
	{ "source write",       MULTIKRON_WR, MULTIKRON_SOURCE + 7,   2 },
	{ "counter increment",  MULTIKRON_WR, MULTIKRON_COUNTER + 3,  2 },
	{ "counter read",       MULTIKRON_RD, MULTIKRON_COUNTER,      3 },
	{ "last counter read",  MULTIKRON_RD, MULTIKRON_COUNTER + 15, 3 },
	{ "reserved read",      MULTIKRON_RD, 48,                     2 },
	{ "unassigned write",   MULTIKRON_WR, 3,                      2 },
	{ "write-only read",    MULTIKRON_RD, MULTIKRON_TRACE,        2 },
	{ "read-only write",    MULTIKRON_WR, MULTIKRON_TIMESTAMP,    2 },
	{ "trace trigger",      MULTIKRON_WR, MULTIKRON_TRACE + 4,    2 },
	{ "resource trigger",   MULTIKRON_WR, MULTIKRON_RESOURCE + 4, 2 },
	{ "software reset",     MULTIKRON_WR, MULTIKRON_SOFT_RESET,   2 },
};
/* clang-format on */
#define ACCESSES (sizeof(accesses) / sizeof(accesses[0]))

static unsigned measure(struct mk_bus *bus, unsigned i)
{
	if (!mk_bus_start(bus, accesses[i].strobe, accesses[i].address, 0))
		CHECK(mk_bus_wait(bus, MK_BUS_PATIENCE));
	return (unsigned)bus->access_ticks;
}

/* MK1-015, MK1-016, MK1-101: the two pins give 0 to 3 more clocks to every access, a counter read
 * takes one more still, and the Wait Counter counts neither. */
static void access_time_is_base_plus_wait_states_plus_counter_read(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned w = 0; w < 4; w++) {
		mk_bus_init(&bus, NULL);
		mk_bus_reset(&bus, w);
		mk_bus_write(&bus, MULTIKRON_FILTER, 0xffff);
		for (unsigned sampling = 0; sampling < 2; sampling++)
			for (unsigned i = 0; i < ACCESSES; i++) {
				const char *row = mk_bus_row("%s, %u waits", accesses[i].what, w);

				mk_bus_write(&bus, MULTIKRON_CSR, sampling);
				MK_BUS_EXPECT(row, measure(&bus, i), accesses[i].clocks + w);
				MK_BUS_EXPECT(row, bus.chip.core.wait_clocks, 0);
			}
	}
}

/* The base is a guess of the model (OQ-MK1-27), hence a knob: everything else adds to it, at the
 * end of its range too. */
static void base_clocks_shift_every_access(void **state)
{
	static const unsigned bases[] = { 1, 2, 3, 5, 254, 255 };
	struct mk_bus bus;

	(void)state;
	for (unsigned b = 0; b < sizeof(bases) / sizeof(bases[0]); b++)
		for (unsigned w = 0; w < 4; w++) {
			struct multikron_config config = { .fifo_depth = 8,
							   .base_clocks = bases[b] };

			mk_bus_init(&bus, &config);
			mk_bus_reset(&bus, w);
			for (unsigned i = 0; i < ACCESSES; i++)
				MK_BUS_EXPECT(mk_bus_row("%s, base %u, %u waits", accesses[i].what,
							 bases[b], w),
					      measure(&bus, i),
					      accesses[i].clocks - 2 + bases[b] + w);
		}
}

/* MK1-015, MK1-043: the pins may carry something else once RESET is over, and a software reset
 * does not look at them. */
static void wait_state_pins_are_seen_only_during_reset(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned w = 0; w < 4; w++) {
		mk_bus_init(&bus, NULL);
		mk_bus_reset(&bus, 3 - w);
		mk_bus_reset(&bus, w);
		bus.hold |= (w & 1 ? 0 : MULTIKRON_W0) | (w & 2 ? 0 : MULTIKRON_W1);
		mk_bus_clock(&bus, 10);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR), w << 12);
		CHECK_EQUAL(bus.access_ticks, 2 + w);
		mk_bus_write(&bus, MULTIKRON_SOFT_RESET, 0);
		CHECK_EQUAL(bus.access_ticks, 2 + w);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_CSR), w << 12);
		CHECK_EQUAL(bus.access_ticks, 2 + w);
	}
}

/* MK1-011, MK1-012: a processor that sees RDY may rely on the effect; before that clock there is
 * none, and RDY is gone one clock later. */
static void rdy_comes_with_the_action_for_one_clock(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_reset(&bus, 3);
	CHECK(!mk_bus_start(&bus, MULTIKRON_WR, MULTIKRON_FILTER, 0x1234));
	for (int i = 0; i < 3; i++) {
		CHECK_EQUAL(bus.chip.core.filter, 0);
		CHECK(!mk_bus_wait(&bus, 1));
	}
	CHECK_EQUAL(bus.chip.core.filter, 0);
	CHECK(mk_bus_wait(&bus, 1));
	CHECK_EQUAL(bus.chip.core.filter, 0x1234);
	for (int i = 0; i < 10; i++)
		CHECK(!mk_bus_wait(&bus, 1));
}

/* MK1-012: address, data and processor belong to the clock of the strobe; what the bus carries
 * during the wait states is somebody else's. */
static void address_data_and_cpu_are_taken_with_the_strobe(void **state)
{
	const uint64_t noise = MULTIKRON_A(127) | MULTIKRON_C(6);
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_reset(&bus, 3);
	mk_bus_write(&bus, MULTIKRON_FILTER, 0x0002);
	mk_bus_write(&bus, MULTIKRON_SOURCE + 2, 0x22222222);
	mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING);
	bus.hold = MULTIKRON_FREE;
	mk_bus_tick(&bus, MULTIKRON_WR | MULTIKRON_A(MULTIKRON_TRACE + 1) | MULTIKRON_C(2), 0xabcd);
	for (int i = 0; i < 4; i++)
		mk_bus_tick(&bus, noise, UINT64_MAX);
	CHECK(bus.out.control & MULTIKRON_RDY);
	mk_bus_drain(&bus);
	struct mk_bus_sample sample = mk_bus_sample(&bus, 0);
	CHECK_EQUAL(sample.header, 2 << 5 | 2 << 3);
	CHECK_EQUAL(sample.source, 0x22222222);
	CHECK_EQUAL(sample.data, 0xabcd);
	CHECK_EQUAL(bus.chip.core.faults, 0);
}

/* MK1-012: between the strobe and RDY, both included, a second strobe is not an access. */
static void strobes_are_ignored_while_busy(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_reset(&bus, 3);
	mk_bus_tick(&bus, MULTIKRON_WR | MULTIKRON_A(MULTIKRON_FILTER), 0x1111);
	for (int i = 0; i < 4; i++) {
		CHECK(!(bus.out.control & MULTIKRON_RDY));
		mk_bus_tick(&bus, MULTIKRON_WR | MULTIKRON_A(MULTIKRON_SOURCE), 0x2222);
	}
	CHECK(bus.out.control & MULTIKRON_RDY);
	CHECK(!mk_bus_wait(&bus, 20));
	CHECK_EQUAL(bus.chip.core.filter, 0x1111);
	CHECK_EQUAL(bus.chip.core.source[0], 0);
}

/* The report asks for no recovery time: a strobe that is still there after RDY is the next access,
 * so a processor that holds it gets one access every two clocks. */
static void held_strobe_is_one_access_after_another(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, UINT64_C(1) << (32 + 5));
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 1 << 5);
	for (unsigned i = 1; i <= 20; i++) {
		mk_bus_tick(&bus, MULTIKRON_WR | MULTIKRON_A(MULTIKRON_COUNTER + 5), 0);
		CHECK_EQUAL((bus.out.control & MULTIKRON_RDY) != 0, i % 2 == 0);
		CHECK_EQUAL(multikron_counter(&bus.chip, 5), i / 2);
	}
}

/* A master that changes the address with every RDY loses nothing. */
static void back_to_back_accesses_may_differ(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_tick(&bus, MULTIKRON_WR | MULTIKRON_A(MULTIKRON_FILTER), 0x7777);
	mk_bus_tick(&bus, 0, 0);
	CHECK(bus.out.control & MULTIKRON_RDY);
	mk_bus_tick(&bus, MULTIKRON_RD | MULTIKRON_A(MULTIKRON_FILTER), 0);
	CHECK(!(bus.out.control & MULTIKRON_RDY));
	mk_bus_tick(&bus, 0, 0);
	CHECK(bus.out.control & MULTIKRON_RDY);
	CHECK_EQUAL(bus.out.data, 0x7777);
	mk_bus_tick(&bus, MULTIKRON_RD | MULTIKRON_A(MULTIKRON_CSR), 0);
	mk_bus_tick(&bus, 0, 5);
	CHECK(bus.out.control & MULTIKRON_RDY);
	CHECK_EQUAL(bus.out.data, 0);
}

/* No decoder asserts both strobes; if it happens nothing may be written, and it is told. */
static void both_strobes_are_a_read_and_a_fault(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_write(&bus, MULTIKRON_FILTER, 0x0f0f);
	CHECK_EQUAL(bus.chip.core.faults, 0);
	CHECK(!mk_bus_start(&bus, MULTIKRON_RD | MULTIKRON_WR, MULTIKRON_FILTER, 0xffff));
	CHECK(mk_bus_wait(&bus, 1));
	CHECK_EQUAL(bus.out.data, 0x0f0f);
	CHECK_EQUAL(bus.chip.core.filter, 0x0f0f);
	CHECK_EQUAL(bus.chip.core.faults, MULTIKRON_FAULT_BUS);
}

/* MK1-005, MK1-010: selection is the decoder's; without a strobe whatever runs over address, data
 * and CPU lines is for another device. */
static void without_a_strobe_nothing_is_addressed(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_busy(&bus, 0);
	mk_bus_clock(&bus, 1);
	struct multikron twin = bus.chip;
	for (unsigned address = 0; address < 128; address++) {
		struct multikron_pins idle = { .control = bus.hold };

		mk_bus_tick(&bus, MULTIKRON_A(address) | MULTIKRON_C(address % 8), UINT64_MAX);
		CHECK(!(bus.out.control & MULTIKRON_RDY));
		multikron_tick(&twin, idle);
		CHECK(!mk_bus_difference(&bus.chip, &twin));
	}
}

/* MK1-001, MK1-002: sixty-four data pins; the chip drives them all while it acknowledges a read,
 * with 0 where a register has no bit, and leaves them alone at every other clock. */
static void data_pins_are_driven_only_with_the_rdy_of_a_read(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_reset(&bus, 2);
	mk_bus_start(&bus, MULTIKRON_WR, MULTIKRON_FILTER, 0x55aa);
	for (uint64_t i = 1; i < 8; i++) {
		mk_bus_tick(&bus, 0, ~i);
		CHECK_EQUAL(bus.out.data, ~i);
	}
	mk_bus_start(&bus, MULTIKRON_RD, MULTIKRON_FILTER, UINT64_MAX);
	CHECK_EQUAL(bus.out.data, UINT64_MAX);
	for (unsigned i = 0; i < 6; i++) {
		mk_bus_tick(&bus, 0, UINT64_MAX);
		CHECK_EQUAL(bus.out.data, i == 2 ? 0x55aa : UINT64_MAX);
		CHECK_EQUAL((bus.out.control & MULTIKRON_RDY) != 0, i == 2);
	}
}

/* MK1-004, MK1-005: seven address pins, one step per four bytes. Every pin counts: an address that
 * differs in any one of them does not reach the register. */
static void seven_address_pins_step_by_four_bytes(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	for (unsigned byte = 0x40; byte <= 0x5c; byte += 4)
		mk_bus_write(&bus, byte / 4, 0x1000 + byte);
	for (unsigned byte = 0x40; byte <= 0x5c; byte += 4)
		CHECK_EQUAL(mk_bus_read(&bus, byte / 4), 0x1000 + byte);
	for (unsigned pin = 0; pin < 7; pin++) {
		mk_bus_init(&bus, NULL);
		mk_bus_write(&bus, MULTIKRON_SOURCE ^ 1u << pin, 0xffffffff);
		MK_BUS_EXPECT(mk_bus_row("pin %u", pin), mk_bus_read(&bus, MULTIKRON_SOURCE), 0);
		mk_bus_write(&bus, MULTIKRON_SOURCE, 0x12345678);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_SOURCE), 0x12345678);
		CHECK(mk_bus_read(&bus, MULTIKRON_SOURCE ^ 1u << pin) != 0x12345678);
	}
}

/* MK1-009: on a 64-bit bus an odd word might be expected in the upper half. It is not. */
static void data_start_at_bit_0_at_even_and_odd_offsets(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	for (unsigned i = 0; i < 2; i++) {
		mk_bus_write(&bus, MULTIKRON_SOURCE + i, UINT64_C(0x89abcdef01234567));
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_SOURCE + i), 0x01234567);
		mk_bus_write(&bus, MULTIKRON_TRACE + i, UINT64_C(0x89abcdef01234567));
	}
	mk_bus_drain(&bus);
	for (unsigned i = 0; i < 2; i++)
		CHECK_EQUAL(mk_bus_sample(&bus, i).data, UINT64_C(0xcdef01234567));
}

/* MK1-017, MK1-098: a full FIFO adds its clocks to the preset ones, and only those are counted. */
static void blocking_adds_to_the_preset_wait_states(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned w = 0; w < 4; w++) {
		mk_bus_init(&bus, NULL);
		mk_bus_reset(&bus, w);
		mk_bus_write(&bus, MULTIKRON_FILTER, 0xffff);
		mk_bus_write(&bus, MULTIKRON_CSR,
			     MULTIKRON_CSR_SAMPLING | MULTIKRON_CSR_WRITE_WAIT);
		mk_bus_fill(&bus);
		CHECK(!mk_bus_start(&bus, MULTIKRON_WR, MULTIKRON_TRACE, 0));
		CHECK(!mk_bus_wait(&bus, 100));
		CHECK_EQUAL(bus.chip.core.wait_clocks, 101 - (2 + w) + 1);
		bus.hold |= MULTIKRON_FREE;
		CHECK(mk_bus_wait(&bus, 40));
		CHECK_EQUAL(bus.access_ticks, 2 + w + bus.chip.core.wait_clocks);
		CHECK(!mk_bus_wait(&bus, 10));
	}
}

/* MK1-017: while one access waits no other can start, and the waiting one is acknowledged once. */
static void waiting_access_ignores_strobes_too(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, MULTIKRON_CSR_WRITE_WAIT);
	mk_bus_fill(&bus);
	CHECK(!mk_bus_start(&bus, MULTIKRON_WR, MULTIKRON_TRACE, 0xbeef));
	for (int i = 0; i < 50; i++) {
		mk_bus_tick(&bus, MULTIKRON_WR | MULTIKRON_A(MULTIKRON_SOFT_RESET), 0);
		CHECK(!(bus.out.control & MULTIKRON_RDY));
	}
	bus.hold |= MULTIKRON_FREE;
	CHECK(mk_bus_wait(&bus, 40));
	mk_bus_drain(&bus);
	CHECK_EQUAL(mk_bus_samples(&bus), 9);
	CHECK_EQUAL(mk_bus_sample(&bus, 8).data, 0xbeef);
}

/* MK1-172: with all outputs off the chip looks dead and works on: what the network did not hear
 * is gone, what was written is there. */
static void output_disable_silences_the_pins_and_nothing_else(void **state)
{
	const uint64_t triggers[] = { MULTIKRON_RESOURCE, MULTIKRON_TRACE + 3 };
	struct mk_bus on, off;

	(void)state;
	mk_bus_init_sampling(&on, NULL, 0);
	off = on;
	off.hold |= MULTIKRON_OUTDIS;
	for (unsigned i = 0; i < 200; i++) {
		uint64_t strobe = i == 2 || i == 8 ? MULTIKRON_WR : i == 20 ? MULTIKRON_RD : 0;
		uint64_t address = strobe == MULTIKRON_RD ? MULTIKRON_FILTER : triggers[i / 8 % 2];

		mk_bus_tick(&on, strobe | MULTIKRON_A(address), 0x1234);
		mk_bus_tick(&off, strobe | MULTIKRON_A(address), 0x1234);
		CHECK_EQUAL(off.out.control & MULTIKRON_OUTPUTS, 0);
		CHECK_EQUAL(off.out.data, 0x1234);
		CHECK(!mk_bus_difference(&on.chip, &off.chip));
		if (i == 21)
			CHECK_EQUAL(on.out.data, 0xffff);
	}
	CHECK_EQUAL(on.elements, 96);
	CHECK_EQUAL(off.elements, 0);
}

/* MK1-172: the internal-test pin must be grounded; the model says when it is not and does nothing
 * else. The eight internal test outputs stay silent. */
static void internal_test_pin_is_only_reported(void **state)
{
	const uint64_t t = UINT64_C(0xff) << MULTIKRON_T_SHIFT;
	struct mk_bus good, bad;

	(void)state;
	mk_bus_init_sampling(&good, NULL, 0);
	bad = good;
	bad.hold |= MULTIKRON_ITEST;
	mk_bus_write(&good, MULTIKRON_RESOURCE, 5);
	mk_bus_write(&bad, MULTIKRON_RESOURCE, 5);
	CHECK_EQUAL(good.chip.core.faults, 0);
	CHECK_EQUAL(bad.chip.core.faults, MULTIKRON_FAULT_INTERNAL_TEST);
	bad.chip.core.faults = 0;
	CHECK(!mk_bus_difference(&good.chip, &bad.chip));
	for (unsigned i = 0; i < 200; i++) {
		mk_bus_clock(&good, 1);
		mk_bus_clock(&bad, 1);
		CHECK_EQUAL(good.out.control & MULTIKRON_OUTPUTS,
			    bad.out.control & MULTIKRON_OUTPUTS);
		CHECK_EQUAL(good.out.control & t, 0);
	}
}

/* A board feeds the pins of one tick into the next; old outputs must not come back. */
static void outputs_are_computed_anew_at_every_clock(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_reset(&bus, 1);
	for (unsigned i = 0; i < 8; i++) {
		mk_bus_tick(&bus, MULTIKRON_OUTPUTS, 0);
		CHECK_EQUAL(bus.out.control & MULTIKRON_OUTPUTS, i % 2 ? 0 : MULTIKRON_NETCLK);
	}
	mk_bus_tick(&bus, MULTIKRON_OUTPUTS | MULTIKRON_RESET, 0);
	CHECK_EQUAL(bus.out.control & MULTIKRON_OUTPUTS, 0);
}

/* clang-format off */
static const struct {
	struct multikron_config config;
	bool good;
} configs[] = {
	{ { .fifo_depth = 2,  .base_clocks = 1 },   true },
	{ { .fifo_depth = 64, .base_clocks = 255 }, true },
	{ { .fifo_depth = 8,  .base_clocks = 2 },   true },
	{ { .fifo_depth = 0,  .base_clocks = 2 },   true },
	{ { .fifo_depth = 1,  .base_clocks = 2 },   false },
	{ { .fifo_depth = 65, .base_clocks = 2 },   false },
	{ { .fifo_depth = 8,  .base_clocks = 0 },   true },
	{ { .fifo_depth = 8,  .base_clocks = 256 }, false },
	{ { .fifo_depth = ~0u, .base_clocks = ~0u }, false },
};
/* clang-format on */

/* The ranges stand in the header; a refused configuration must not cost the chip in use. */
static void init_refuses_what_is_out_of_range(void **state)
{
	struct multikron chip, before;

	(void)state;
	for (unsigned i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		memset(&chip, 0xa5, sizeof(chip));
		memcpy(&before, &chip, sizeof(chip));
		MK_BUS_EXPECT(mk_bus_row("row %u", i), multikron_init(&chip, &configs[i].config),
			      configs[i].good);
		if (!configs[i].good)
			CHECK_EQUAL(memcmp(&chip, &before, sizeof(chip)), 0);
	}
}

/* The defaults are those of the header, and a fresh chip is one that has just been reset. */
static void fresh_chip_is_a_reset_chip(void **state)
{
	struct mk_bus fresh, reset;

	(void)state;
	mk_bus_init(&fresh, NULL);
	CHECK_EQUAL(fresh.chip.core.config.fifo_depth, 8);
	CHECK_EQUAL(fresh.chip.core.config.base_clocks, 2);
	CHECK(!fresh.chip.core.config.lsb_first);
	CHECK(!fresh.chip.core.config.enable_wins);
	CHECK(!fresh.chip.core.config.stamp_at_request);
	reset = fresh;
	mk_bus_clock(&reset, 3);
	mk_bus_reset(&reset, 0);
	for (unsigned i = 0; i < 5; i++) {
		CHECK(!mk_bus_difference(&fresh.chip, &reset.chip));
		mk_bus_clock(&fresh, 1);
		mk_bus_clock(&reset, 1);
		CHECK_EQUAL(fresh.out.control, reset.out.control);
	}
	CHECK_EQUAL(fresh.chip.core.faults, 0);
}

TEST_MAIN(TEST(access_time_is_base_plus_wait_states_plus_counter_read),
	  TEST(base_clocks_shift_every_access), TEST(wait_state_pins_are_seen_only_during_reset),
	  TEST(rdy_comes_with_the_action_for_one_clock),
	  TEST(address_data_and_cpu_are_taken_with_the_strobe),
	  TEST(strobes_are_ignored_while_busy), TEST(held_strobe_is_one_access_after_another),
	  TEST(back_to_back_accesses_may_differ), TEST(both_strobes_are_a_read_and_a_fault),
	  TEST(without_a_strobe_nothing_is_addressed),
	  TEST(data_pins_are_driven_only_with_the_rdy_of_a_read),
	  TEST(seven_address_pins_step_by_four_bytes),
	  TEST(data_start_at_bit_0_at_even_and_odd_offsets),
	  TEST(blocking_adds_to_the_preset_wait_states), TEST(waiting_access_ignores_strobes_too),
	  TEST(output_disable_silences_the_pins_and_nothing_else),
	  TEST(internal_test_pin_is_only_reported), TEST(outputs_are_computed_anew_at_every_clock),
	  TEST(init_refuses_what_is_out_of_range), TEST(fresh_chip_is_a_reset_chip))
