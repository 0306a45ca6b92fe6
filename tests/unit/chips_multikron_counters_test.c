/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron: the sixteen resource counters: what they count (Table 4), how they are controlled and
 * how they are read. */
#include "support/mk_bus.h"
#include "unit/test.h"

#include <kron/multikron.h>

#define NODE_HZ  UINT64_C(50000000)
#define STAMP_HZ UINT64_C(10000000)
#define FULL     UINT32_MAX

/* The bits of MUX SEL that give counter i this code. */
static uint64_t mux(unsigned i, unsigned code)
{
	return (uint64_t)(code & 1) << i | (uint64_t)(code >> 1) << (32 + i);
}

static uint64_t mux_all(unsigned code)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		word |= mux(i, code);
	return word;
}

static void init_counting(struct mk_bus *bus, uint64_t mux_sel)
{
	mk_bus_init(bus, NULL);
	mk_bus_write(bus, MULTIKRON_MUX_SEL, mux_sel);
	mk_bus_write(bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
}

/* Three slow clocks, i + 1 external pulses on pin i, and 20 + i increments of counter i. */
static void stimulate(struct mk_bus *bus)
{
	mk_bus_stamp(bus, 30);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		mk_bus_external(bus, (uint16_t)(1u << i), i + 1);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		for (unsigned n = 0; n < 20 + i; n++)
			mk_bus_write(bus, MULTIKRON_COUNTER + i, UINT64_MAX);
}

/* Table 4: what counter i has counted after all that, the node clocks being counted by the test. */
static uint64_t table_4(unsigned code, unsigned i, uint64_t clocks)
{
	switch (code) {
	case 0: /* MK1-110 */
		return 3;
	case 1: /* MK1-111 */
		return i + 1;
	case 2: /* MK1-112 */
		return 20 + i;
	default: /* MK1-113 */
		return clocks;
	}
}

/* MK1-110, MK1-111, MK1-112, MK1-113, MK1-114, MK1-116, MK1-125: Table 4 for every counter and
 * code: it counts its own source and none of the others, which are all active. */
static void table_4_sources(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned turn = 0; turn < 4; turn++) {
		uint64_t mux_sel = 0;

		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			mux_sel |= mux(i, (i + turn) % 4);
		init_counting(&bus, mux_sel);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_MUX_SEL), mux_sel);
		uint64_t start = bus.ticks - bus.access_ticks;
		stimulate(&bus);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_DISABLE, 0xffff);
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			MK_BUS_EXPECT(mk_bus_row("code %u, counter %u", (i + turn) % 4, i),
				      multikron_counter(&bus.chip, i),
				      table_4((i + turn) % 4, i, bus.ticks - start));
	}
}

/* MK1-118, MK1-116: the example of the report: odd counters on the node clock, even ones on their
 * pins. */
static void worked_mux_example(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_counting(&bus, UINT64_C(0x0000aaaa0000ffff));
	uint64_t start = bus.ticks;
	mk_bus_external(&bus, 0xffff, 9);
	mk_bus_stamp(&bus, 100);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_EQUAL(multikron_counter(&bus.chip, i), i % 2 ? bus.ticks - start : 9);
	uint64_t word = 0;
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		word |= mux(i, i % 2 ? MULTIKRON_MUX_NODE : MULTIKRON_MUX_EXTERNAL);
	CHECK_EQUAL(word, UINT64_C(0x0000aaaa0000ffff));
}

/* MK1-119, MK1-117: one write gives all sixteen their codes, code 00 included; the reserved bits do
 * nothing. */
static void mux_write_changes_all_codes_at_once(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_counting(&bus, mux_all(MULTIKRON_MUX_NODE));
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, UINT64_C(0xffff0000ffff0000));
	uint32_t before = multikron_counter(&bus.chip, 7);
	mk_bus_clock(&bus, 50);
	mk_bus_external(&bus, 0xffff, 3);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_EQUAL(multikron_counter(&bus.chip, i), before);
	mk_bus_stamp(&bus, 10);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_EQUAL(multikron_counter(&bus.chip, i), before + 1);
}

/* MK1-111: only the rise counts: not the fall, not the level, and not a level that was already high
 * when the counter was enabled. */
static void external_counting_is_of_rising_edges(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, mux_all(MULTIKRON_MUX_EXTERNAL));
	bus.hold |= MULTIKRON_X(6);
	mk_bus_clock(&bus, 3);
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
	mk_bus_clock(&bus, 10);
	CHECK_EQUAL(multikron_counter(&bus.chip, 6), 0);
	bus.hold &= ~MULTIKRON_X(6);
	mk_bus_clock(&bus, 10);
	CHECK_EQUAL(multikron_counter(&bus.chip, 6), 0);
	bus.hold |= MULTIKRON_X(6);
	mk_bus_clock(&bus, 10);
	CHECK_EQUAL(multikron_counter(&bus.chip, 6), 1);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_EQUAL(multikron_counter(&bus.chip, i), i == 6);
}

/* MK1-115: a signal may be as fast as the node clock, which levels cannot show: one count per clock
 * is the most, whether it comes as a pulse, as an edge or as both. */
static void external_signal_counts_at_most_once_per_node_clock(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_counting(&bus, mux_all(MULTIKRON_MUX_EXTERNAL));
	for (unsigned i = 0; i < 100; i++) {
		struct multikron_pins pins = { .control = bus.hold | (i % 2 ? MULTIKRON_X(1) : 0),
					       .pulse = 0x0007 };

		multikron_tick(&bus.chip, pins);
		CHECK_EQUAL(multikron_counter(&bus.chip, 0), i + 1);
		CHECK_EQUAL(multikron_counter(&bus.chip, 1), i + 1);
	}
	struct multikron_pins pins = { .control = bus.hold, .pulse = 0x0005 };
	multikron_run(&bus.chip, pins, 1000);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), 1100);
	CHECK_EQUAL(multikron_counter(&bus.chip, 1), 100);
	CHECK_EQUAL(multikron_counter(&bus.chip, 2), 1100);
	CHECK_EQUAL(multikron_counter(&bus.chip, 3), 0);
}

/* MK1-114, MK1-066, MK1-067, MK1-110: one prescaler for all counters: a tenth or a hundredth of the
 * time stamp clock by the CSR, at the same clock for every counter. */
static void slow_clock_is_a_tenth_or_a_hundredth(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned slow = 0; slow < 2; slow++) {
		init_counting(&bus, 0);
		mk_bus_write(&bus, MULTIKRON_CSR,
			     slow ? MULTIKRON_CSR_SLOW_10US : MULTIKRON_CSR_SLOW_1US);
		for (unsigned stamps = 1; stamps <= 420; stamps++) {
			mk_bus_stamp(&bus, 1);
			for (unsigned i = 0; i < MULTIKRON_COUNTERS; i += 5)
				CHECK_EQUAL(multikron_counter(&bus.chip, i),
					    stamps / (slow ? 100 : 10));
		}
	}
}

/* MK1-114: the CSR selects a tap of a divider that runs on: neither the choice nor an enable starts
 * it anew. */
static void slow_clock_choice_does_not_restart_the_prescaler(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_stamp(&bus, 95);
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0x0001);
	mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_SLOW_10US);
	mk_bus_stamp(&bus, 4);
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0x8000);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), 0);
	mk_bus_stamp(&bus, 1);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), 1);
	CHECK_EQUAL(multikron_counter(&bus.chip, 15), 1);
	mk_bus_stamp(&bus, 7);
	mk_bus_write(&bus, MULTIKRON_CSR, MULTIKRON_CSR_SLOW_1US);
	mk_bus_stamp(&bus, 3);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), 2);
	CHECK_EQUAL(multikron_counter(&bus.chip, 15), 2);
}

/* MK1-112, MK1-034, MK1-125, MK1-107: a write adds one to the addressed counter if its code says
 * so, whatever the data; with any other code it does nothing at all. */
static void write_increments_only_with_the_software_code(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned code = 0; code < 3; code++)
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
			init_counting(&bus, mux_all(code));
			mk_bus_write(&bus, MULTIKRON_COUNTER + i, 0);
			mk_bus_write(&bus, MULTIKRON_COUNTER + i, UINT64_C(0x123456789abcdef0));
			for (unsigned k = 0; k < MULTIKRON_COUNTERS; k++)
				MK_BUS_EXPECT(mk_bus_row("code %u, %u of %u", code, k, i),
					      multikron_counter(&bus.chip, k),
					      code == 2 && k == i ? 2 : 0);
		}
	init_counting(&bus, mux_all(MULTIKRON_MUX_NODE));
	uint64_t start = bus.ticks;
	mk_bus_write(&bus, MULTIKRON_COUNTER, 77);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), bus.ticks - start);
}

/* MK1-126, MK1-122: a disabled counter counts nothing, software increments included. */
static void disabled_counter_counts_nothing(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned code = 0; code < 4; code++) {
		mk_bus_init(&bus, NULL);
		mk_bus_write(&bus, MULTIKRON_MUX_SEL, mux_all(code));
		stimulate(&bus);
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			CHECK_EQUAL(multikron_counter(&bus.chip, i), 0);
	}
}

/* MK1-120, MK1-028, MK1-123: a 1 clears its counter, a 0 and the reserved bits leave theirs alone.
 * */
static void resource_reset_clears_the_chosen_counters(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		mk_bus_init(&bus, NULL);
		mk_bus_test(&bus, MK_BUS_INSTRUCTION(3, 0x89abcdef));
		mk_bus_write(&bus, MULTIKRON_RESOURCE_RESET, UINT64_C(1) << bit);
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			MK_BUS_EXPECT(mk_bus_row("bit %u, counter %u", bit, i),
				      multikron_counter(&bus.chip, i), i == bit ? 0 : 0x89abcdef);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_RESOURCE_ENABLE), 0);
	}
}

/* MK1-120: the register clears itself: a counter that runs goes on from 0, and the clock that meets
 * the reset is not counted. */
static void resource_reset_is_a_pulse(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_counting(&bus, mux_all(MULTIKRON_MUX_NODE));
	mk_bus_clock(&bus, 20);
	mk_bus_write(&bus, MULTIKRON_RESOURCE_RESET, 0x0f0f);
	uint64_t reset = bus.ticks;
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), 0);
	CHECK_EQUAL(multikron_counter(&bus.chip, 4), 22);
	mk_bus_clock(&bus, 1);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), 1);
	CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_RESOURCE_RESET), 0);
	mk_bus_clock(&bus, 100);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), bus.ticks - reset);
	CHECK_EQUAL(multikron_counter(&bus.chip, 4), bus.ticks - reset + 22);
}

/* MK1-121, MK1-122, MK1-029, MK1-030, MK1-123: 1s enable or disable, 0s change nothing, bits 31:16
 * and above are not there, and the Enable register tells the state. */
static void enable_and_disable_act_on_their_ones(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		const uint64_t one = UINT64_C(1) << bit;

		mk_bus_init(&bus, NULL);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, one);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_RESOURCE_ENABLE), one & 0xffff);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xff00);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_RESOURCE_ENABLE), (one & 0xffff) | 0xff00);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_DISABLE, 0);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_DISABLE, one);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_RESOURCE_ENABLE), 0xffff & ~one);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_RESOURCE_DISABLE), 0);
	}
}

/* MK1-121, MK1-122, MK1-124: counts add up over the enabled periods, whose first clock is the one
 * after the enable and whose last is that of the disable. */
static void counts_accumulate_over_enabled_periods(void **state)
{
	struct mk_bus bus;
	uint64_t total = 0;

	(void)state;
	mk_bus_init(&bus, NULL);
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, mux_all(MULTIKRON_MUX_NODE));
	for (unsigned i = 0; i < 5; i++) {
		mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0x0010);
		uint64_t on = bus.ticks;
		mk_bus_clock(&bus, 10 * i);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_DISABLE, 0x0010);
		total += bus.ticks - on;
		mk_bus_clock(&bus, 33);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_COUNTER + 4), total);
	}
	CHECK_EQUAL(total, 100 + 5 * 2);
}

/* MK1-127, MK1-130, MK1-131, MK1-034: a read copies all counters to the shadow registers and
 * returns the chosen one in bits 31:0, everything above 0; afterwards the shadow registers are
 * free. */
static void read_returns_the_counter_and_leaves_shadow_free(void **state)
{
	struct mk_bus bus;

	(void)state;
	mk_bus_init_sampling(&bus, NULL, 0);
	mk_bus_test(&bus, MK_BUS_INSTRUCTION(3, 0xfedcba00));
	mk_bus_write(&bus, MULTIKRON_MUX_SEL, mux_all(MULTIKRON_MUX_SOFTWARE));
	mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		for (unsigned n = 0; n <= i; n++)
			mk_bus_write(&bus, MULTIKRON_COUNTER + i, 0);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_COUNTER + i), 0xfedcba01 + i);
		for (unsigned k = 0; k < MULTIKRON_COUNTERS; k++)
			CHECK_EQUAL(bus.chip.core.shadow[k], multikron_counter(&bus.chip, k));
		CHECK(!(mk_bus_read(&bus, MULTIKRON_CSR) & MULTIKRON_CSR_SHADOW_FULL));
	}
	mk_bus_read(&bus, MULTIKRON_COUNTER);
	mk_bus_write(&bus, MULTIKRON_RESOURCE, 0);
	CHECK_EQUAL(bus.chip.core.overruns, 0);
	CHECK_EQUAL(bus.chip.core.accepted, 1);
}

/* MK1-127: a read returns the count of the clock in which it is acknowledged. */
static void read_is_of_the_clock_of_its_rdy(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned w = 0; w < 4; w++) {
		mk_bus_init(&bus, NULL);
		mk_bus_reset(&bus, w);
		mk_bus_write(&bus, MULTIKRON_MUX_SEL, mux_all(MULTIKRON_MUX_NODE));
		mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0x0004);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_COUNTER + 2), 3 + w);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_COUNTER + 2), 2 * (3 + w));
	}
}

/* MK1-107: sixteen counters of 32 bits: each of the bits can be reached, and no write in normal
 * mode loads one. */
static void counters_are_32_bits_wide_and_not_loadable(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned bit = 0; bit < 32; bit++) {
		mk_bus_init(&bus, NULL);
		mk_bus_write(&bus, MULTIKRON_MUX_SEL, mux_all(MULTIKRON_MUX_NODE));
		mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
		mk_bus_run(&bus, UINT64_C(1) << bit);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_DISABLE, 0xffff);
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
			mk_bus_write(&bus, MULTIKRON_COUNTER + i, 0x5555);
			CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_COUNTER + i),
				    (UINT64_C(1) << bit) + 2);
		}
	}
}

/* One more event of the given source for every counter. */
static void one_event(struct mk_bus *bus, unsigned code)
{
	if (code == MULTIKRON_MUX_SLOW)
		mk_bus_stamp(bus, 10);
	else if (code == MULTIKRON_MUX_EXTERNAL)
		mk_bus_external(bus, 0xffff, 1);
	else
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			mk_bus_write(bus, MULTIKRON_COUNTER + i, 0);
}

/* MK1-108: whatever the source, a counter stops at 2^32 - 1, stays there, and counts again only
 * after a reset. */
static void counters_saturate(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned code = 0; code < 4; code++) {
		mk_bus_init(&bus, NULL);
		mk_bus_test(&bus, MK_BUS_INSTRUCTION(3, FULL - 1));
		mk_bus_write(&bus, MULTIKRON_MUX_SEL, mux_all(code));
		mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
		for (unsigned n = 0; n < 3; n++) {
			one_event(&bus, code);
			for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
				MK_BUS_EXPECT(mk_bus_row("code %u", code),
					      multikron_counter(&bus.chip, i), FULL);
		}
		mk_bus_write(&bus, MULTIKRON_RESOURCE_DISABLE, 0xffff);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_ENABLE, 0xffff);
		CHECK_EQUAL(mk_bus_read(&bus, MULTIKRON_COUNTER), FULL);
		mk_bus_write(&bus, MULTIKRON_RESOURCE_RESET, 0xffff);
		uint64_t reset = bus.ticks;
		one_event(&bus, code);
		CHECK_EQUAL(multikron_counter(&bus.chip, 3), code == 3 ? bus.ticks - reset : 1);
	}
}

/* MK1-108, MK1-109: on the node clock a counter is full after exactly 2^32 - 1 clocks: 85.9 s at 50
 * MHz. */
static void node_clock_fills_a_counter_in_86_seconds(void **state)
{
	struct mk_bus bus;

	(void)state;
	init_counting(&bus, mux_all(MULTIKRON_MUX_NODE));
	uint64_t start = bus.ticks;
	mk_bus_run(&bus, FULL - 1);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), FULL - 1);
	mk_bus_run(&bus, 1);
	CHECK_EQUAL(multikron_counter(&bus.chip, 0), FULL);
	CHECK_EQUAL((bus.ticks - start) * 1000 / NODE_HZ, 85899);
	mk_bus_run(&bus, UINT64_C(1) << 33);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_EQUAL(multikron_counter(&bus.chip, i), FULL);
}

/* MK1-108: a counter stays full however many clocks a caller asks for, in whatever portions. */
static void no_number_of_clocks_wraps_a_counter(void **state)
{
	static const uint64_t portions[][2] = {
		{ UINT64_C(1) << 63, UINT64_C(1) << 63 },
		{ 1000, UINT64_MAX - 500 },
		{ UINT64_MAX - 500, 1000 },
		{ UINT64_MAX, UINT64_MAX },
	};
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		init_counting(&bus, mux_all(MULTIKRON_MUX_NODE));
		mk_bus_run(&bus, portions[i][0]);
		mk_bus_run(&bus, portions[i][1]);
		CHECK_EQUAL(multikron_counter(&bus.chip, 9), FULL);
	}
	init_counting(&bus, mux_all(MULTIKRON_MUX_NODE));
	mk_bus_run(&bus, UINT64_MAX - 10);
	mk_bus_clock(&bus, 50);
	CHECK_EQUAL(multikron_counter(&bus.chip, 9), FULL);
}

/* clang-format off */
static const struct {
	uint64_t csr;
	unsigned divisor;
	uint64_t tenth_seconds, hundredth_hours;
} fills[] = {
	{ MULTIKRON_CSR_SLOW_1US,  10,  42949,  119 },
	{ MULTIKRON_CSR_SLOW_10US, 100, 429496, 1193 },
};
/* clang-format on */

/* MK1-109, MK1-114: on the slow clocks of a 10 MHz time stamp clock it takes 1.19 and 11.9 hours.
 * */
static void slow_clocks_fill_a_counter_in_hours(void **state)
{
	struct mk_bus bus;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct multikron_osc osc = { .hz = STAMP_HZ, .node_hz = NODE_HZ };
		const uint64_t period = NODE_HZ / STAMP_HZ * fills[i].divisor;
		uint64_t clocks = FULL * period - period;

		init_counting(&bus, 0);
		mk_bus_write(&bus, MULTIKRON_CSR, fills[i].csr);
		struct multikron_pins pins = { .control = bus.hold };
		multikron_run_clocked(&bus.chip, pins, clocks, &osc);
		MK_BUS_EXPECT(mk_bus_row("divisor %u", fills[i].divisor),
			      multikron_counter(&bus.chip, 5), FULL - 1);
		for (; multikron_counter(&bus.chip, 5) < FULL; clocks++)
			multikron_run_clocked(&bus.chip, pins, 1, &osc);
		CHECK_EQUAL(clocks * 10 / NODE_HZ, fills[i].tenth_seconds);
		CHECK_EQUAL(clocks / NODE_HZ / 36, fills[i].hundredth_hours);
		multikron_run_clocked(&bus.chip, pins, 100 * period, &osc);
		CHECK_EQUAL(multikron_counter(&bus.chip, 5), FULL);
	}
}

/* The value of a counter may be asked for at any time without changing what comes of it. */
static void looking_at_a_counter_changes_nothing(void **state)
{
	struct mk_bus looked, left;

	(void)state;
	init_counting(&looked, UINT64_C(0x0000cccc0000aaaa));
	left = looked;
	for (unsigned n = 0; n < 500; n++) {
		mk_bus_tick(&looked, n % 3 ? 0 : MULTIKRON_TSCLK | 0xffff, 0);
		mk_bus_tick(&left, n % 3 ? 0 : MULTIKRON_TSCLK | 0xffff, 0);
		multikron_counter(&looked.chip, n % MULTIKRON_COUNTERS);
	}
	CHECK(!mk_bus_difference(&looked.chip, &left.chip));
	CHECK_EQUAL(multikron_counter(&left.chip, 0), 16);
	CHECK_EQUAL(multikron_counter(&left.chip, 1), 167);
	CHECK_EQUAL(multikron_counter(&left.chip, 2), 0);
	CHECK_EQUAL(multikron_counter(&left.chip, 3), 500);
}

TEST_MAIN(TEST(table_4_sources), TEST(worked_mux_example),
	  TEST(mux_write_changes_all_codes_at_once), TEST(external_counting_is_of_rising_edges),
	  TEST(external_signal_counts_at_most_once_per_node_clock),
	  TEST(slow_clock_is_a_tenth_or_a_hundredth),
	  TEST(slow_clock_choice_does_not_restart_the_prescaler),
	  TEST(write_increments_only_with_the_software_code), TEST(disabled_counter_counts_nothing),
	  TEST(resource_reset_clears_the_chosen_counters), TEST(resource_reset_is_a_pulse),
	  TEST(enable_and_disable_act_on_their_ones), TEST(counts_accumulate_over_enabled_periods),
	  TEST(read_returns_the_counter_and_leaves_shadow_free),
	  TEST(read_is_of_the_clock_of_its_rdy), TEST(counters_are_32_bits_wide_and_not_loadable),
	  TEST(counters_saturate), TEST(node_clock_fills_a_counter_in_86_seconds),
	  TEST(no_number_of_clocks_wraps_a_counter), TEST(slow_clocks_fill_a_counter_in_hours),
	  TEST(looking_at_a_counter_changes_nothing))
