/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II: test mode. What each address does in it stands in the test of the map. */
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

static void push(struct mk2_bus *bus, uint32_t data)
{
	mk2_bus_test_write(bus, MULTIKRON2_FIFO, data);
}

static uint32_t group(struct mk2_bus *bus, unsigned i)
{
	return (uint32_t)mk2_bus_read(bus, MULTIKRON2_FIFO + i);
}

/* The pin alone makes test mode: no write does, and without the pin nothing of it is left.
 * MK2-162 */
static void test_mode_is_entered_by_the_pin_only(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	for (unsigned i = 1; i < MK2_ADDRESSES; i++) /* try them all, then a command */
		mk2_bus_write(&bus, i, 0xffff5555ffff5555);
	mk2_bus_write(&bus, MULTIKRON2_INC_TIMESTAMP, 0);
	CHECK_EQUAL(bus.chip.core.timestamp, 0);
	mk2_bus_set(&bus, MULTIKRON2_TEST);
	mk2_bus_write(&bus, MULTIKRON2_INC_TIMESTAMP, 0);
	CHECK_EQUAL(bus.chip.core.timestamp, 1);
	mk2_bus_clear(&bus, MULTIKRON2_TEST);
	mk2_bus_write(&bus, MULTIKRON2_INC_TIMESTAMP, 0);
	CHECK_EQUAL(bus.chip.core.timestamp, 1);
	mk2_bus_stamp(&bus, 4);
	CHECK_EQUAL(bus.chip.core.timestamp, 5);
}

/* In test mode nothing counts by itself: no mode, no clock, no time stamp; outside it all do.
 * MK2-163 */
static void counters_stop_in_test_mode(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_MODE, UINT64_C(0x4444333311111111));
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, UINT64_C(0x4444321443214321));
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_RESET));
	for (unsigned turn = 0; turn < 2; turn++) {
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			mk2_bus_write(&bus, MULTIKRON2_COUNTER + i, 0);
		mk2_bus_set(&bus, turn ? 0 : MULTIKRON2_TEST);
		mk2_bus_clock(&bus, 1);
		uint32_t before[MULTIKRON_COUNTERS];

		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			before[i] = multikron2_counter(&bus.chip, i);
		for (unsigned n = 0; n < 100; n++) {
			mk2_bus_set(&bus, UINT64_C(0xffff));
			mk2_bus_stamp(&bus, 2); /* seven clocks a turn: no multiple of ten */
			mk2_bus_clear(&bus, UINT64_C(0xffff));
			mk2_bus_pulse(&bus, 0xffff);
		}
		for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
			CHECK_ROW(i, multikron2_counter(&bus.chip, i) != before[i], turn);
		CHECK_ROW(turn, bus.chip.core.timestamp, turn ? 200 : 0);
		mk2_bus_clear(&bus, MULTIKRON2_TEST);
	}
}

/* The prescalers run on: after test mode a tenth clock still falls on every tenth clock since
 * RESET, and a level that rose meanwhile is no edge. MK2-163 */
static void prescalers_run_on_in_test_mode(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_MODE_CLOCK);
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_CLOCK_NODE_10);
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, UINT64_C(0x22));
	uint64_t start = bus.ticks;

	mk2_bus_set(&bus, MULTIKRON2_TEST);
	mk2_bus_clock(&bus, 33);
	mk2_bus_set(&bus, MULTIKRON2_X(1) | MULTIKRON2_TSCLK);
	mk2_bus_clock(&bus, 4);
	mk2_bus_clear(&bus, MULTIKRON2_TEST);
	CHECK_EQUAL(multikron2_counter(&bus.chip, 0), 0);
	uint64_t end = bus.ticks;

	CHECK(end / 10 > start / 10);
	for (unsigned n = 0; n < 40; n++) {
		mk2_bus_clock(&bus, 1);
		CHECK_ROW(n, multikron2_counter(&bus.chip, 0), bus.ticks / 10 - end / 10);
	}
	CHECK_EQUAL(multikron2_counter(&bus.chip, 1), 0);
	CHECK_EQUAL(bus.chip.core.timestamp, 0);
}

/* The processor loads and increments the stopped counters; an increment needs what it needs
 * outside. MK2-163 */
static void counters_are_loaded_and_incremented_in_test_mode(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_ALL(MULTIKRON2_MODE_SOFTWARE));
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, UINT64_C(0x1222222222222222));
	mk2_bus_set(&bus, MULTIKRON2_TEST);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		mk2_bus_write(&bus, MULTIKRON2_COUNTER + i, 0xfffffffd + i % 2);
		for (unsigned n = 0; n < 2; n++)
			mk2_bus_write(&bus, MULTIKRON2_COUNTER_NO_COPY + i, 0);
		CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON2_COUNTER + i),
			  i == 15 ? MK2_WORD(0xfffffffe) : MK2_ONES); /* 15 is disabled */
	}
}

/* Waiting and losing go on in test mode, but nobody counts them; flags are set as ever. MK2-163 */
static void error_counters_stop_in_test_mode(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_open(&bus, 0);
	mk2_bus_set(&bus, MULTIKRON2_TEST);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_OVERRUN_COUNTER), MK2_UPPER);
	CHECK_EQUAL(mk2_bus_csr(&bus) & 0x300, MULTIKRON2_CSR_SHADOW_OVERRUN);
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_WRITE_WAIT);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	CHECK(mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0) > 100);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_WAIT_COUNTER), MK2_UPPER);
}

/* Time stamp, Wait and Overrun counters: loaded and incremented in test mode, past their last
 * value to zero; outside, a write to the latter two clears. MK2-164 MK2-171 MK2-030 MK2-031
 * MK2-039 MK2-040 MK2-041 MK2-066 */
static void time_and_error_counters_are_writable_in_test_mode_only(void **state)
{
	/* clang-format off */
	static const struct {
		unsigned address, increment;
		uint64_t unused, max;
		bool clears;
	} rows[] = {
		{ MULTIKRON2_TIMESTAMP, MULTIKRON2_INC_TIMESTAMP,
		  0xff00000000000000, 0x00ffffffffffffff, false },
		{ MULTIKRON2_WAIT_COUNTER, MULTIKRON2_INC_WAIT, MK2_UPPER, UINT32_MAX, true },
		{ MULTIKRON2_OVERRUN_COUNTER, MULTIKRON2_INC_OVERRUN, MK2_UPPER, UINT32_MAX, true },
	};
	/* clang-format on */
	static struct mk2_bus bus;

	(void)state;
	for (unsigned r = 0; r < 3; r++) {
		const unsigned address = rows[r].address;

		mk2_bus_init(&bus, NULL);
		mk2_bus_test_write(&bus, address, rows[r].max - 2);
		for (uint64_t n = 0; n < 6; n++) {
			uint64_t value = (rows[r].max - 2 + n) & rows[r].max;

			CHECK_ROW(r, mk2_bus_read(&bus, address), rows[r].unused | value);
			mk2_bus_write(&bus, rows[r].increment, 0); /* without TEST */
			CHECK_ROW(r, mk2_bus_read(&bus, address), rows[r].unused | value);
			mk2_bus_test_write(&bus, rows[r].increment, 0);
		}
		mk2_bus_test_write(&bus, address, 77);
		mk2_bus_write(&bus, address, 88);
		CHECK_ROW(r, mk2_bus_read(&bus, address),
			  rows[r].unused | (rows[r].clears ? 0 : 77));
	}
}

/* The output stops in the middle of a sample and goes on where it was; no byte is lost or sent
 * twice. Commands without the pin do not count. MK2-042 MK2-043 MK2-165 */
static void network_stops_and_starts_in_test_mode_only(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned n = 0; n < 44; n++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_open(&bus, 0);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, UINT64_C(0x0102030405060708));
		mk2_bus_set(&bus, MULTIKRON2_TEST);
		mk2_bus_clock(&bus, n);
		mk2_bus_write(&bus, MULTIKRON2_NETWORK_OFF, 0);
		mk2_bus_clock(&bus, 2); /* a byte on its way may still arrive */
		size_t sent = bus.elements;

		for (unsigned i = 0; i < 60; i++) {
			mk2_bus_clock(&bus, 1);
			CHECK_ROW(n, bus.out.control & (MULTIKRON2_N | MULTIKRON2_FIFODA), 0);
		}
		CHECK_ROW(n, bus.elements, sent);
		mk2_bus_write(&bus, MULTIKRON2_NETWORK_ON, 0);
		mk2_bus_clock(&bus, 60);
		CHECK_ROW(n, bus.elements, MK2_TRACE_BYTES);
		CHECK_ROW(n, mk2_bus_sample(&bus, 0).data, UINT64_C(0x0102030405060708));

		mk2_bus_clear(&bus, MULTIKRON2_TEST);
		mk2_bus_write(&bus, MULTIKRON2_NETWORK_OFF, 0);
		mk2_bus_set(&bus, MULTIKRON2_TEST);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 9);
		mk2_bus_clock(&bus, 60);
		CHECK_ROW(n, bus.samples, 2);
	}
}

/* Stopped is stopped while the pin is there; without it the network runs, and with it again it is
 * stopped again, until it is started or the chip is reset. MK2-165 */
static void stopped_network_runs_outside_test_mode(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned reset = 0; reset < 3; reset++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_open(&bus, 0);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY);
		mk2_bus_test_write(&bus, MULTIKRON2_NETWORK_OFF, 0);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_clock(&bus, 60);
		CHECK_ROW(reset, bus.samples, 1);
		mk2_bus_set(&bus, MULTIKRON2_TEST);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_clock(&bus, 60);
		CHECK_ROW(reset, bus.samples, 1);
		if (reset == 0)
			mk2_bus_write(&bus, MULTIKRON2_NETWORK_ON, 0);
		if (reset == 1)
			mk2_bus_write(&bus, MULTIKRON2_SOFT_RESET, 0);
		if (reset == 2)
			mk2_bus_reset(&bus, 5);
		mk2_bus_open(&bus, 0);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_clock(&bus, 100);
		CHECK_ROW(reset, bus.samples, reset ? 2 : 3);
	}
}

/* To the clock: the command decides about the next byte, not about one that is already
 * presented, and the pin counts at once. MK2-165 */
static void presented_byte_still_goes_when_the_network_is_stopped(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_open(&bus, 0);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY | MULTIKRON2_TEST);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_clock(&bus, 6);
		mk2_bus_align(&bus, phase);
		mk2_bus_write(&bus, MULTIKRON2_NETWORK_OFF, 0);
		size_t sent = bus.elements;

		/* Acting at a falling edge of NETCLK, it finds a byte just presented. */
		mk2_bus_clock(&bus, 20);
		CHECK_ROW(phase, bus.elements, sent + phase);
		mk2_bus_align(&bus, false);
		mk2_bus_clear(&bus, MULTIKRON2_TEST);
		mk2_bus_clock(&bus, 1); /* the pin is away, a byte is presented */
		mk2_bus_set(&bus, MULTIKRON2_TEST);
		mk2_bus_clock(&bus, 20);
		CHECK_ROW(phase, bus.elements, sent + phase + 1);
	}
}

/* A direct write is one entry, with the 32 bits five times over and bit 0 as the 161st bit,
 * whichever of the five addresses is used. MK2-047 MK2-168 */
static void direct_write_replicates_the_data(void **state)
{
	static const uint32_t rows[] = { 0xcafe0000, 0x12345678, 0x9abcdef0, 0xfffffffe, 0 };
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	for (unsigned i = 0; i < 5; i++)
		mk2_bus_test_write(&bus, MULTIKRON2_FIFO + i,
				   UINT64_C(0x5555555500000000) | rows[i]);
	CHECK_EQUAL(bus.chip.core.fifo_count, 5);
	CHECK_EQUAL(group(&bus, 0), 0xcafe0000); /* the head stays the first */
	mk2_bus_drain(&bus);
	CHECK_EQUAL(bus.samples, 5);
	for (unsigned i = 0; i < 5; i++) {
		struct mk2_sample sample = mk2_bus_sample(&bus, i);

		CHECK_ROW(i, sample.bytes, MK2_TRACE_BYTES);
		CHECK_ROW(i, sample.header, rows[i] >> 24);
		CHECK_ROW(i, sample.time, (uint64_t)(rows[i] & 0xffffff) << 32 | rows[i]);
		CHECK_ROW(i, sample.source, rows[i]);
		CHECK_ROW(i, sample.data, (uint64_t)rows[i] << 32 | rows[i]);
	}
	push(&bus, 0x81);
	for (unsigned i = 0; i < 5; i++)
		CHECK_ROW(i, group(&bus, i), 0x81);
	CHECK_EQUAL(mk2_bus_csr(&bus) & MULTIKRON2_CSR_FIFO_BIT_160, MULTIKRON2_CSR_FIFO_BIT_160);
}

/* With the 161st bit the shadow registers follow, as they are. MK2-168 */
static void direct_write_with_bit_0_sends_the_shadow_registers(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		mk2_bus_write(&bus, MULTIKRON2_COUNTER + i, 0x100 + i);
	mk2_bus_read(&bus, MULTIKRON2_COUNTER);
	push(&bus, 0x81);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(mk2_bus_sample(&bus, 0).bytes, MK2_SAMPLE_BYTES);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_ROW(i, mk2_bus_sample(&bus, 0).counter[i], 0x100 + i);
}

/* Stop before byte 20 + n, have the shadow registers replaced with `stall` clocks of a network
 * that is not ready, and return counter 0 as it was sent. */
static uint32_t sent_around_a_copy(unsigned n, bool stall)
{
	static struct mk2_bus bus;

	mk2_bus_init(&bus, NULL);
	mk2_bus_write(&bus, MULTIKRON2_COUNTER, 0x11223344);
	mk2_bus_read(&bus, MULTIKRON2_COUNTER);
	mk2_bus_write(&bus, MULTIKRON2_COUNTER, 0xaabbccdd);
	push(&bus, 0x81);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	while (bus.elements < MK2_TRACE_BYTES + n)
		mk2_bus_clock(&bus, 1);
	if (stall) {
		mk2_bus_clear(&bus, MULTIKRON2_NETRDY);
		mk2_bus_clock(&bus, 2);
	}
	/* Without a stall: presented with the strobe, transferred with the copy. */
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_COUNTER), MK2_WORD(0xaabbccdd));
	mk2_bus_drain(&bus);
	return mk2_bus_sample(&bus, 0).counter[0];
}

/* A byte that stands on the pins stays as it is, whatever happens to the register it came from; the
 * bytes after it are the new ones. */
static void presented_byte_is_latched(void **state)
{
	(void)state;
	for (unsigned stall = 0; stall < 2; stall++) {
		CHECK_ROW(stall, sent_around_a_copy(0, stall), 0x11bbccdd);
		CHECK_ROW(stall, sent_around_a_copy(1, stall), 0x1122ccdd);
		CHECK_ROW(stall, sent_around_a_copy(3, stall), 0x11223344);
	}
}

/* A direct write to a full FIFO is ignored and raises nothing. MK2-168 */
static void direct_write_to_a_full_fifo_is_ignored(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	for (unsigned i = 0; i < 12; i++)
		push(&bus, 2 * i);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x8040);
	CHECK_EQUAL(bus.chip.core.overruns, 0);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(bus.samples, 8);
	CHECK_EQUAL(mk2_bus_sample(&bus, 7).source, 14);
}

/* Reading shifts nothing; the advance command drops one entry per write and frees the shadow
 * registers, also with an empty FIFO. MK2-044 MK2-166 MK2-169 */
static void advance_shifts_the_fifo_and_frees_the_shadow_registers(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_open(&bus, 0);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 1);
	for (unsigned i = 2; i <= 4; i++)
		mk2_bus_write(&bus, MULTIKRON2_TRACE, i);
	mk2_bus_set(&bus, MULTIKRON2_TEST);
	mk2_bus_write(&bus, MULTIKRON2_NETWORK_OFF, 0);
	for (unsigned i = 1; i <= 4; i++) {
		for (unsigned n = 0; n < 20; n++)
			CHECK_ROW(i, group(&bus, 4), i);
		CHECK_ROW(i, bus.chip.core.shadow_busy, i == 1);
		mk2_bus_write(&bus, MULTIKRON2_ADVANCE, 0);
	}
	CHECK_EQUAL(bus.chip.core.fifo_count, 0);
	CHECK_EQUAL(group(&bus, 4), 0);
	mk2_bus_write(&bus, MULTIKRON2_ADVANCE, 0);
	CHECK_EQUAL(bus.chip.core.fifo_count, 0);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 5);
	CHECK_EQUAL(group(&bus, 4), 5);
	CHECK_EQUAL(bus.elements, 0);
}

/* An advance in the middle of a sample: the rest of it is never sent, and the next one starts
 * with its own first byte. MK2-169 */
static void advance_cuts_a_sample_and_starts_the_next_afresh(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned n = 0; n < 30; n++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_open(&bus, 0);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY | MULTIKRON2_TEST);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 1);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, UINT64_C(0x1122334455667788));
		mk2_bus_clock(&bus, n);
		mk2_bus_write(&bus, MULTIKRON2_ADVANCE, 0);
		size_t sent = bus.elements;

		CHECK_ROW(n, sent < MK2_TRACE_BYTES, true);
		CHECK_ROW(n, bus.samples, 0);
		bus.elements = 0;
		mk2_bus_drain(&bus);
		CHECK_ROW(n, bus.elements, MK2_TRACE_BYTES);
		CHECK_ROW(n, mk2_bus_sample(&bus, 0).header, 0x10);
		CHECK_ROW(n, mk2_bus_sample(&bus, 0).data, UINT64_C(0x1122334455667788));
	}
}

/* A resource sample further back has lost its counters to the advance: it is dropped, not sent with
 * wrong ones, and the next resource sample may use the shadow registers at once. MK2-169 */
static void resource_sample_without_its_counters_is_never_sent(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_open(&bus, 0);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 1);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 2);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 3);
	mk2_bus_test_write(&bus, MULTIKRON2_ADVANCE, 0);
	CHECK_EQUAL(mk2_bus_csr(&bus) & MULTIKRON2_CSR_SHADOW_FULL, 0);
	mk2_bus_write(&bus, MULTIKRON2_COUNTER + 4, 0x44);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 4);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 5);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(bus.samples, 3);
	CHECK_EQUAL(bus.elements, 20 + 84 + 20);
	CHECK_EQUAL(mk2_bus_sample(&bus, 0).data, 2);
	CHECK_EQUAL(mk2_bus_sample(&bus, 1).data, 4);
	CHECK_EQUAL(mk2_bus_sample(&bus, 1).counter[4], 0x44);
	CHECK_EQUAL(mk2_bus_sample(&bus, 2).data, 5);
	CHECK_EQUAL(bus.chip.core.lost, 0);
	CHECK_EQUAL(bus.chip.core.shadow_busy, false);

	/* The same if it is the very next in the queue. */
	mk2_bus_forget(&bus);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 6);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 7);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 8);
	mk2_bus_test_write(&bus, MULTIKRON2_ADVANCE, 0);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(bus.elements, MK2_TRACE_BYTES);
	CHECK_EQUAL(mk2_bus_sample(&bus, 0).data, 8);
}

/* A sample is an indirect write of the FIFO, in test mode too. MK2-167 */
static void samples_are_taken_in_test_mode(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	mk2_bus_init(&bus, NULL);
	mk2_bus_open(&bus, 0);
	mk2_bus_set(&bus, MULTIKRON2_TEST);
	mk2_bus_write(&bus, MULTIKRON2_TIMESTAMP, UINT64_C(0x00112233445566));
	mk2_bus_write(&bus, MULTIKRON2_SOURCE, 0x778899aa);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, UINT64_C(0xbbccddeeff001122));
	CHECK_EQUAL(group(&bus, 0), 0x10001122);
	CHECK_EQUAL(group(&bus, 1), 0x33445566);
	CHECK_EQUAL(group(&bus, 2), 0x778899aa);
	CHECK_EQUAL(group(&bus, 3), 0xbbccddee);
	CHECK_EQUAL(group(&bus, 4), 0xff001122);
}

TEST_MAIN(TEST(test_mode_is_entered_by_the_pin_only), TEST(counters_stop_in_test_mode),
	  TEST(prescalers_run_on_in_test_mode),
	  TEST(counters_are_loaded_and_incremented_in_test_mode),
	  TEST(error_counters_stop_in_test_mode),
	  TEST(time_and_error_counters_are_writable_in_test_mode_only),
	  TEST(network_stops_and_starts_in_test_mode_only),
	  TEST(stopped_network_runs_outside_test_mode),
	  TEST(presented_byte_still_goes_when_the_network_is_stopped),
	  TEST(presented_byte_is_latched), TEST(direct_write_replicates_the_data),
	  TEST(direct_write_with_bit_0_sends_the_shadow_registers),
	  TEST(direct_write_to_a_full_fifo_is_ignored),
	  TEST(advance_shifts_the_fifo_and_frees_the_shadow_registers),
	  TEST(advance_cuts_a_sample_and_starts_the_next_afresh),
	  TEST(resource_sample_without_its_counters_is_never_sent),
	  TEST(samples_are_taken_in_test_mode))
