/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II: the output to the collection network, clock by clock. */
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

#define OUTPUT (MULTIKRON2_N | MULTIKRON2_PARITY | MULTIKRON2_EOM | MULTIKRON2_FIFODA)

static void start(struct mk2_bus *bus)
{
	mk2_bus_init(bus, NULL);
	mk2_bus_open(bus, 0);
}

static bool high(const struct mk2_bus *bus, uint64_t pin)
{
	return (bus->out.control & pin) != 0;
}

static unsigned byte(const struct mk2_bus *bus)
{
	return bus->out.control >> MULTIKRON2_N_SHIFT & 0xff;
}

/* The network clock is half the node clock, busy or idle, and begins high after RESET. MK2-157 */
static void netclk_is_half_the_node_clock(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
	mk2_bus_clock(&bus, 3);
	mk2_bus_reset(&bus, 6);
	CHECK(!high(&bus, MULTIKRON2_NETCLK));
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	for (unsigned n = 0; n < 1000; n++) {
		if (n == 300)
			mk2_bus_open(&bus, 0); /* four clocks */
		mk2_bus_drive(&bus,
			      n == 500 ? MULTIKRON2_WRITE | MULTIKRON2_START |
						 MULTIKRON2_A(MULTIKRON2_RESOURCE)
				       : 0,
			      0);
		CHECK_ROW(n, high(&bus, MULTIKRON2_NETCLK), n % 2 == 0);
	}
	CHECK_EQUAL(bus.samples, 1);
}

/* With nothing to send, nothing is presented, ready or not; the internal test pins are never
 * driven. */
static void idle_output_presents_nothing(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus);
	for (unsigned n = 0; n < 100; n++) {
		bus.levels ^= n % 3 ? MULTIKRON2_NETRDY : 0;
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(n, bus.out.control & OUTPUT, 0);
		CHECK_ROW(n, bus.out.control >> MULTIKRON2_T_SHIFT, 0);
	}
}

/* Ten bits: the byte, a parity that makes nine of them odd, and EOM, high on the last byte
 * alone. All byte values there are. MK2-156 MK2-161 */
static void elements_are_byte_parity_and_eom(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus);
	for (unsigned n = 0; n < 256; n += 8) {
		uint64_t data = 0;

		for (unsigned i = 0; i < 8; i++)
			data = data << 8 | (n + i);
		mk2_bus_forget(&bus);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, data);
		mk2_bus_drain(&bus);
		CHECK_ROW(n, bus.elements, MK2_TRACE_BYTES);
		for (unsigned i = 0; i < MK2_TRACE_BYTES; i++) {
			unsigned ones = (unsigned)__builtin_popcount(bus.element[i].byte);

			CHECK_ROW(n, bus.element[i].parity, ones % 2 == 0);
			CHECK_ROW(n, bus.element[i].eom, i == MK2_TRACE_BYTES - 1);
			if (i >= 12)
				CHECK_ROW(n, bus.element[i].byte, n + i - 12);
		}
	}
	mk2_bus_forget(&bus);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
	mk2_bus_drain(&bus);
	for (unsigned i = 0; i < MK2_SAMPLE_BYTES; i++) {
		unsigned ones = (unsigned)__builtin_popcount(bus.element[i].byte);

		CHECK_ROW(i, bus.element[i].parity, ones % 2 == 0);
		CHECK_ROW(i, bus.element[i].eom, i == MK2_SAMPLE_BYTES - 1);
	}
}

/* A byte per network clock, from the first falling edge on, without a gap between samples: at
 * either phase the k-th byte leaves at a clock that can be written down. MK2-157 */
static void one_byte_leaves_per_network_clock(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		start(&bus);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY);
		mk2_bus_align(&bus, phase);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		/* Taken at a falling edge of NETCLK, it is presented at once, else at the next. */
		uint64_t first = bus.ticks + (phase ? 1 : 2);

		mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_drain(&bus);
		CHECK_ROW(phase, bus.elements, 20 + 84 + 20);
		for (unsigned i = 0; i < bus.elements; i++)
			CHECK_ROW(i, bus.element[i].tick, first + 2 * i);
	}
}

/* FIFODA and the byte stand a full node clock, 20 ns at 50 MHz, before the rising edge of NETCLK
 * that transfers them, and still at it. MK2-158 */
static void byte_is_valid_one_node_clock_before_the_rising_edge(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, UINT64_C(0x0123456789abcdef));
	mk2_bus_align(&bus, false);
	for (unsigned i = bus.elements ? 1 : 0; i < MK2_TRACE_BYTES; i++) {
		mk2_bus_clock(&bus, 1);
		struct multikron_pins before = bus.out;

		CHECK_ROW(i, high(&bus, MULTIKRON2_NETCLK), false);
		CHECK_ROW(i, high(&bus, MULTIKRON2_FIFODA), true);
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(i, bus.elements, i + 1);
		CHECK_ROW(i, bus.out.control & OUTPUT, before.control & OUTPUT);
	}
	CHECK_EQUAL(bus.samples, 1);
}

/* clang-format off */
/* NETRDY at the falling and at the rising edge of NETCLK, and FIFODA at them. */
static const struct {
	bool ready_low, ready_high;
	bool fifoda_low, fifoda_high;
} ready_rows[] = {
	{ 0, 0,  0, 0 },
	{ 0, 1,  0, 1 },
	{ 1, 0,  1, 0 },
	{ 1, 1,  1, 1 },
};
/* clang-format on */

/* NETRDY counts as it is at each node clock: FIFODA goes with it, and the byte is transferred if
 * it is there at the rising edge of NETCLK. If not, the same byte is there next time. MK2-158
 * MK2-159 */
static void byte_is_transferred_if_ready_at_the_rising_edge(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < 4; r++) {
		start(&bus);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_align(&bus, false);
		for (unsigned turn = 0; turn < 8; turn++) {
			unsigned transferred = ready_rows[r].fifoda_high ? turn : 0;

			CHECK_ROW(r, bus.elements, transferred);
			mk2_bus_drive(&bus, ready_rows[r].ready_low ? MULTIKRON2_NETRDY : 0, 0);
			CHECK_ROW(r, high(&bus, MULTIKRON2_NETCLK), false);
			CHECK_ROW(r, high(&bus, MULTIKRON2_FIFODA), ready_rows[r].fifoda_low);
			CHECK_ROW(r, byte(&bus), transferred ? 0 : 0x10);
			mk2_bus_drive(&bus, ready_rows[r].ready_high ? MULTIKRON2_NETRDY : 0, 0);
			CHECK_ROW(r, high(&bus, MULTIKRON2_FIFODA), ready_rows[r].fifoda_high);
			CHECK_ROW(r, byte(&bus), transferred ? 0 : 0x10);
		}
	}
}

/* Whatever NETRDY does, FIFODA is never there without it, and no byte is lost or sent twice.
 * MK2-159 */
static void stalls_lose_nothing_and_fifoda_needs_netrdy(void **state)
{
	static struct mk2_bus bus;
	uint32_t random = 12345;
	uint64_t sent = 0, seen = 0;

	(void)state;
	start(&bus);
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_WRITE_WAIT);
	for (unsigned n = 0; n < 60000; n++) {
		bool strobe = n % 61 == 0;

		random = random * 1664525 + 1013904223;
		mk2_bus_clear(&bus, MULTIKRON2_NETRDY);
		mk2_bus_set(&bus, random >> 30 ? MULTIKRON2_NETRDY : 0);
		if (strobe && bus.chip.core.bus != MULTIKRON_BUS_BUSY)
			mk2_bus_strobe_write(&bus, MULTIKRON2_TRACE + 16 * (n % 5 == 0), sent++);
		else
			mk2_bus_clock(&bus, 1);
		if (!(bus.levels & MULTIKRON2_NETRDY))
			CHECK_ROW(n, high(&bus, MULTIKRON2_FIFODA), false);
		if (bus.elements && bus.element[bus.elements - 1].eom) {
			CHECK_ROW(n, mk2_bus_sample(&bus, 0).data, seen++);
			mk2_bus_forget(&bus);
		}
	}
	mk2_bus_drain(&bus);
	CHECK_EQUAL(bus.samples, sent);
	CHECK_EQUAL(bus.chip.core.lost, 0);
	CHECK(sent > 300);
}

/* A sample stalled for long is there unchanged when the network is ready again. MK2-159 */
static void stalled_byte_stays_presented(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, UINT64_C(0x1122334455667788));
	while (bus.elements < 15)
		mk2_bus_clock(&bus, 1);
	mk2_bus_clear(&bus, MULTIKRON2_NETRDY);
	mk2_bus_clock(&bus, 1);
	for (unsigned n = 0; n < 500; n++) {
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(n, byte(&bus), 0x44);
		CHECK_ROW(n, high(&bus, MULTIKRON2_EOM), false);
		CHECK_ROW(n, high(&bus, MULTIKRON2_FIFODA), false);
	}
	CHECK_EQUAL(bus.elements, 15);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(mk2_bus_sample(&bus, 0).data, UINT64_C(0x1122334455667788));
}

/* Samples per second of 25 million network clocks, by a processor that always has the next trigger
 * waiting, from one end of message to another a thousand samples later. */
static uint64_t rate(unsigned address)
{
	static struct mk2_bus bus;
	uint64_t first = 0, last = 0;

	start(&bus);
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_WRITE_WAIT);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	while (bus.samples <= 1000) {
		mk2_bus_write(&bus, address, 0);
		for (size_t i = 0; i < bus.elements; i++)
			if (bus.element[i].eom)
				last = bus.element[i].tick;
		if (!first)
			first = last;
		mk2_bus_forget(&bus);
	}
	return UINT64_C(25000000) * 2 * (bus.samples - 1) / (last - first);
}

/* At a 25 MHz network clock 1.25 million trace samples or 297.6 thousand resource samples a
 * second: 20 and 84 network clocks each, and the chip keeps that up. MK2-160 */
static void peak_rates_are_one_sample_per_20_and_84_network_clocks(void **state)
{
	(void)state;
	CHECK_EQUAL(rate(MULTIKRON2_TRACE), 1250000);
	CHECK_EQUAL(rate(MULTIKRON2_RESOURCE), 297619);
}

/* Without a network the registers and counters still serve the node. */
static void chip_works_without_a_network(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus);
	for (unsigned n = 0; n < 50; n++) {
		mk2_bus_write(&bus, MULTIKRON2_TRACE, n);
		mk2_bus_write(&bus, MULTIKRON2_RESOURCE, n);
	}
	mk2_bus_stamp(&bus, 30);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_TIMESTAMP), UINT64_C(0xff0000000000001e));
	CHECK_EQUAL(bus.chip.core.accepted, 8);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_OVERRUN_COUNTER), MK2_WORD(92));
	CHECK_EQUAL(bus.elements, 0);
}

TEST_MAIN(TEST(netclk_is_half_the_node_clock), TEST(idle_output_presents_nothing),
	  TEST(elements_are_byte_parity_and_eom), TEST(one_byte_leaves_per_network_clock),
	  TEST(byte_is_valid_one_node_clock_before_the_rising_edge),
	  TEST(byte_is_transferred_if_ready_at_the_rising_edge),
	  TEST(stalls_lose_nothing_and_fifoda_needs_netrdy), TEST(stalled_byte_stays_presented),
	  TEST(peak_rates_are_one_sample_per_20_and_84_network_clocks),
	  TEST(chip_works_without_a_network))
