/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II: triggers that find the FIFO or the shadow registers full (Table B3a), and the two
 * error counters. */
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

#define DEPTH 4u

static void start(struct mk2_bus *bus, uint64_t csr)
{
	struct multikron2_config config = mk2_bus_config();

	config.core.fifo_depth = DEPTH;
	mk2_bus_init(bus, &config);
	mk2_bus_open(bus, csr);
}

/* With both full the resource sample is the last of the queue, so that the FIFO is free long before
 * the shadow registers. */
static void fill(struct mk2_bus *bus, bool fifo_full, bool shadow_busy)
{
	for (unsigned i = 0; fifo_full && i < DEPTH - shadow_busy; i++)
		mk2_bus_write(bus, MULTIKRON2_TRACE, 0xf111 + i);
	if (shadow_busy)
		mk2_bus_write(bus, MULTIKRON2_RESOURCE, 0x5ad0);
	CHECK_EQUAL(mk2_bus_csr(bus) & 0x3c0,
		    (fifo_full ? MULTIKRON2_CSR_FIFO_FULL : 0) |
			    (shadow_busy ? MULTIKRON2_CSR_SHADOW_FULL : 0));
}

enum outcome { TAKEN, WAITS_FOR_FIFO, WAITS_FOR_SHADOW, DISCARDED };

struct b3a_row {
	bool wait;
	bool trace, resource;
	bool fifo_full, shadow_full;
	uint8_t flags; /* of the next header: shadow overrun 4, FIFO overrun 2 */
	bool overrun, counts;
	enum outcome outcome;
};

/* clang-format off */
static const struct b3a_row b3a[] = {
	/* wait  T  R  FIFO shadow  flags  overrun wait */
	{ 1,     1, 1,  0,  0,      0,     0,      0,    TAKEN },            /* MK2-107 */
	{ 1,     1, 0,  0,  1,      0,     0,      0,    TAKEN },            /* MK2-108 */
	{ 1,     0, 1,  0,  1,      0,     0,      1,    WAITS_FOR_SHADOW }, /* MK2-109 */
	{ 1,     1, 1,  1,  0,      0,     0,      1,    WAITS_FOR_FIFO },   /* MK2-110 */
	{ 1,     1, 0,  1,  1,      0,     0,      1,    WAITS_FOR_FIFO },   /* MK2-111 */
	{ 1,     0, 1,  1,  1,      0,     0,      1,    WAITS_FOR_SHADOW }, /* MK2-112 */
	{ 0,     1, 1,  0,  0,      0,     0,      0,    TAKEN },            /* MK2-113 */
	{ 0,     1, 0,  0,  1,      0,     0,      0,    TAKEN },            /* MK2-114 */
	{ 0,     0, 1,  0,  1,      4,     1,      0,    DISCARDED },        /* MK2-115 */
	{ 0,     1, 1,  1,  0,      2,     1,      0,    DISCARDED },        /* MK2-116 */
	{ 0,     1, 0,  1,  1,      2,     1,      0,    DISCARDED },        /* MK2-117 */
	{ 0,     0, 1,  1,  1,      6,     1,      0,    DISCARDED },        /* MK2-118 */
};
/* clang-format on */

/* The tick in which the last byte of the k-th sample (k = 1...) left. */
static uint64_t left_at(const struct mk2_bus *bus, uint64_t k)
{
	return mk2_bus_sample(bus, k - 1).last_tick;
}

/* Nothing happens until the network moves; then the access acts in the very tick after the byte
 * that frees what it waits for, and every node clock until then is counted. */
static void check_wait(unsigned r, struct mk2_bus *bus, const struct b3a_row *row)
{
	uint64_t strobed = bus->ticks;
	bool last = row->outcome == WAITS_FOR_SHADOW;

	CHECK_ROW(r, mk2_bus_wait(bus, 57), false);
	mk2_bus_set(bus, MULTIKRON2_NETRDY);
	CHECK_ROW(r, mk2_bus_wait(bus, 1000), true);
	mk2_bus_clear(bus, MULTIKRON2_NETRDY);
	CHECK_ROW(r, bus->samples, last && row->fifo_full ? DEPTH : 1);
	CHECK_ROW(r, bus->ticks, left_at(bus, bus->samples) + 1);
	CHECK_ROW(r, bus->chip.core.wait_clocks, bus->ticks - strobed - 1);
	CHECK(bus->chip.core.wait_clocks > 57);
}

static void check_b3a(unsigned r, const struct b3a_row *row, bool resource)
{
	static struct mk2_bus bus;
	const uint32_t full = MULTIKRON2_CSR_FIFO_OVERRUN | MULTIKRON2_CSR_SHADOW_OVERRUN;

	start(&bus, row->wait ? MULTIKRON2_CSR_WRITE_WAIT : MULTIKRON2_CSR_DISCARD);
	fill(&bus, row->fifo_full, row->shadow_full);
	uint64_t before = bus.chip.core.accepted;

	mk2_bus_strobe_write(&bus, resource ? MULTIKRON2_RESOURCE : MULTIKRON2_TRACE, 0xabc);
	if (row->counts) {
		check_wait(r, &bus, row);
	} else {
		CHECK_ROW(r, mk2_bus_wait(&bus, 1), true); /* the shortest access: no delay */
		CHECK_ROW(r, bus.chip.core.wait_clocks, 0);
	}
	CHECK_ROW(r, bus.chip.core.overruns, row->overrun);
	CHECK_ROW(r, bus.chip.core.accepted, before + (row->outcome != DISCARDED));
	CHECK_ROW(r, bus.chip.core.lost, row->outcome == DISCARDED);
	CHECK_ROW(r, mk2_bus_csr(&bus) & full,
		  (row->flags & 2 ? MULTIKRON2_CSR_FIFO_OVERRUN : 0) |
			  (row->flags & 4 ? MULTIKRON2_CSR_SHADOW_OVERRUN : 0));
	mk2_bus_drain(&bus);
	if (row->outcome != DISCARDED) {
		struct mk2_sample taken = mk2_bus_sample(&bus, before);

		CHECK_ROW(r, taken.data, 0xabc);
		CHECK_ROW(r, taken.header, resource ? 0x18 : 0x10);
	}
	CHECK_ROW(r, bus.samples, before + (row->outcome != DISCARDED));
	/* The next header tells, the one after that does not. */
	mk2_bus_forget(&bus);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
	mk2_bus_drain(&bus);
	CHECK_ROW(r, mk2_bus_sample(&bus, 0).header, 0x10 | row->flags);
	CHECK_ROW(r, mk2_bus_sample(&bus, 1).header, 0x10);
	CHECK_ROW(r, mk2_bus_csr(&bus) & full, 0);
}

/* Table B3a, all twelve rows, with both kinds of sample where the row says so. A discarded
 * sample is acknowledged like any other. MK2-119 MK2-073 MK2-074 MK2-102 MK2-103 */
static void triggers_act_as_in_table_b3a(void **state)
{
	(void)state;
	for (unsigned r = 0; r < sizeof(b3a) / sizeof(b3a[0]); r++) {
		if (b3a[r].trace)
			check_b3a(r, &b3a[r], false);
		if (b3a[r].resource)
			check_b3a(r, &b3a[r], true);
	}
}

/* Worked out by hand: a resource sample leaves 84 bytes and 167 or 168 clocks later; the second one
 * comes two clocks after the first and fails until then. MK2-109 MK2-128 */
static void second_resource_sample_waits_166_or_167_clocks(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned phase = 0; phase < 2; phase++) {
		start(&bus, MULTIKRON2_CSR_WRITE_WAIT);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY);
		mk2_bus_align(&bus, phase);
		CHECK_EQUAL(mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 1), 2);
		unsigned clocks = mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 2);

		CHECK_ROW(phase, clocks, phase ? 168 : 169);
		CHECK_ROW(phase, mk2_bus_read(&bus, MULTIKRON2_WAIT_COUNTER),
			  MK2_WORD(phase ? 166 : 167));
	}
}

/* Clocks of the preset wait state and of a longer base access are not errors; only what comes on
 * top is counted. MK2-128 */
static void wait_counter_leaves_out_preset_waits(void **state)
{
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	config.core.fifo_depth = 2;
	config.core.base_clocks = 5;
	mk2_bus_init(&bus, &config);
	mk2_bus_set(&bus, MULTIKRON2_WAITSTATE);
	mk2_bus_reset(&bus, 5);
	mk2_bus_open(&bus, MULTIKRON2_CSR_WRITE_WAIT);
	mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
	CHECK_EQUAL(mk2_bus_write(&bus, MULTIKRON2_TRACE, 0), 6);
	CHECK_EQUAL(bus.chip.core.wait_clocks, 0);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	unsigned clocks = mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);

	CHECK(clocks > 30);
	CHECK_EQUAL(bus.chip.core.wait_clocks, clocks - 6);
}

/* Without a wait option nothing waits and nothing is counted: not a lost sample, not a stale read.
 * With one, a sample is never lost. MK2-128 MK2-129 */
static void each_error_counter_needs_its_option(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, 0);
	fill(&bus, true, true);
	for (unsigned i = 0; i < 10; i++) {
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
		mk2_bus_read(&bus, MULTIKRON2_COUNTER);
	}
	CHECK_EQUAL(bus.chip.core.wait_clocks, 0);
	CHECK_EQUAL(bus.chip.core.overruns, 20);
	CHECK_EQUAL(bus.chip.core.lost, 20);

	/* A read wait alone does not keep samples from being lost, nor the other way round. */
	start(&bus, MULTIKRON2_CSR_READ_WAIT);
	fill(&bus, true, true);
	CHECK_EQUAL(mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0), 2);
	CHECK_EQUAL(bus.chip.core.overruns, 1);
	CHECK_EQUAL(bus.chip.core.wait_clocks, 0);
	start(&bus, MULTIKRON2_CSR_WRITE_WAIT);
	fill(&bus, true, true);
	mk2_bus_read(&bus, MULTIKRON2_COUNTER);
	CHECK_EQUAL(bus.clocks, 2);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	for (unsigned i = 0; i < 10; i++)
		mk2_bus_write(&bus, MULTIKRON2_TRACE + 16 * (i & 1), 0);
	CHECK_EQUAL(bus.chip.core.overruns, 0);
	CHECK_EQUAL(bus.chip.core.lost, 0);
	CHECK(bus.chip.core.wait_clocks > 0);
}

/* Both error counters have 32 bits and go on from zero after the last value. MK2-128 MK2-129 */
static void error_counters_wrap(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, MULTIKRON2_CSR_WRITE_WAIT);
	mk2_bus_test_write(&bus, MULTIKRON2_WAIT_COUNTER, 0xfffffff0);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	mk2_bus_align(&bus, true);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_WAIT_COUNTER), MK2_WORD(166 - 16));

	start(&bus, 0);
	mk2_bus_test_write(&bus, MULTIKRON2_OVERRUN_COUNTER, 0xfffffffe);
	fill(&bus, true, true);
	for (unsigned i = 0; i < 5; i++) {
		mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
		CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON2_OVERRUN_COUNTER),
			  MK2_WORD(0xffffffffu + i));
	}
}

/* Any write clears them, whatever the data. MK2-030 MK2-031 */
static void error_counters_are_cleared_by_a_write(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, 0);
	mk2_bus_test_write(&bus, MULTIKRON2_WAIT_COUNTER, 0x12345678);
	mk2_bus_test_write(&bus, MULTIKRON2_OVERRUN_COUNTER, 0x9abcdef0);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_WAIT_COUNTER), MK2_WORD(0x12345678));
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_OVERRUN_COUNTER), MK2_WORD(0x9abcdef0));
	mk2_bus_write(&bus, MULTIKRON2_WAIT_COUNTER, 0xffff);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_WAIT_COUNTER), MK2_UPPER);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_OVERRUN_COUNTER), MK2_WORD(0x9abcdef0));
	mk2_bus_write(&bus, MULTIKRON2_OVERRUN_COUNTER, 0xffff);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_OVERRUN_COUNTER), MK2_UPPER);
}

/* Many losses are one flag, and it stays through rejected triggers, reads and other commands
 * until a sample of either kind is taken. A sample that waited takes it too. MK2-102 MK2-103 */
static void flags_stay_until_the_next_successful_sample(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, 0);
	mk2_bus_write(&bus, MULTIKRON2_FILTER, 0x7fff);
	fill(&bus, true, true);
	for (unsigned i = 0; i < 5; i++)
		mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
	mk2_bus_write(&bus, MULTIKRON2_TRACE + 15, 0); /* filtered */
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_WRITE_WAIT);
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x83c5);
	mk2_bus_write(&bus, MULTIKRON2_OVERRUN_COUNTER, 0); /* clears the count, not the flags */
	CHECK_EQUAL(mk2_bus_csr(&bus), 0x83c5);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 7);
	CHECK_EQUAL(mk2_bus_csr(&bus) & 0x300, 0);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(mk2_bus_sample(&bus, DEPTH).data, 7);
	CHECK_EQUAL(mk2_bus_sample(&bus, DEPTH).header, 0x1e);
	CHECK_EQUAL(bus.chip.core.lost, 5);
	CHECK_EQUAL(bus.chip.core.sent_lost, 5);
}

/* Trace samples have a deeper FIFO and are not blocked by busy shadow registers, but they leave in
 * their turn. MK2-108 MK2-114 */
static void trace_samples_queue_behind_a_resource_sample(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, 0);
	mk2_bus_set(&bus, MULTIKRON2_NETRDY);
	mk2_bus_write(&bus, MULTIKRON2_RESOURCE, 0);
	for (unsigned i = 1; i < DEPTH; i++)
		CHECK_ROW(i, mk2_bus_write(&bus, MULTIKRON2_TRACE, i), 2);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(bus.samples, DEPTH);
	for (unsigned i = 0; i < DEPTH; i++) {
		CHECK_ROW(i, mk2_bus_sample(&bus, i).data, i);
		CHECK_ROW(i, mk2_bus_sample(&bus, i).bytes, i ? MK2_TRACE_BYTES : MK2_SAMPLE_BYTES);
	}
}

/* A sample that had to wait has the time and the counters of the clock that took it; the knob gives
 * it the time of its request. The rest stays as requested. MK2-110 */
static void waiting_sample_is_assembled_when_taken(void **state)
{
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();

	(void)state;
	for (unsigned knob = 0; knob < 2; knob++) {
		config.core.fifo_depth = 2;
		config.core.stamp_at_request = knob;
		mk2_bus_init(&bus, &config);
		mk2_bus_open(&bus, MULTIKRON2_CSR_WRITE_WAIT);
		mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_ALL(MULTIKRON2_MODE_EXTERNAL));
		mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_RESET));
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_stamp(&bus, 100);
		mk2_bus_cpu(&bus, 6);
		mk2_bus_strobe_write(&bus, MULTIKRON2_RESOURCE, 0x66);
		mk2_bus_cpu(&bus, 1);
		mk2_bus_stamp(&bus, 11);
		mk2_bus_pulse(&bus, 0x8001);
		mk2_bus_set(&bus, MULTIKRON2_NETRDY);
		CHECK(mk2_bus_wait(&bus, 100));
		mk2_bus_pulse(&bus, 0x8001); /* too late */
		mk2_bus_stamp(&bus, 1);
		mk2_bus_drain(&bus);
		CHECK_ROW(knob, mk2_bus_sample(&bus, 2).time, knob ? 100 : 111);
		CHECK_ROW(knob, mk2_bus_sample(&bus, 2).counter[15], 1);
		CHECK_ROW(knob, mk2_bus_sample(&bus, 2).counter[0], 1);
		CHECK_ROW(knob, mk2_bus_sample(&bus, 2).header >> 5, 6);
		CHECK_ROW(knob, mk2_bus_sample(&bus, 2).data, 0x66);
	}
}

/* To the clock: with the knob the time is that of the tick of the strobe, after its count; a sample
 * that did not wait has the time of the tick that took it, knob or not. MK2-110 MK2-113 */
static void stamp_at_request_is_the_time_of_the_strobe(void **state)
{
	static struct mk2_bus bus;
	struct multikron2_config config = mk2_bus_config();
	const uint64_t trigger =
		MULTIKRON2_WRITE | MULTIKRON2_START | MULTIKRON2_A(MULTIKRON2_TRACE);

	(void)state;
	for (unsigned r = 0; r < 8; r++) {
		bool knob = r & 1, waits = r & 2, late = r & 4;

		config.core.fifo_depth = 2;
		config.core.stamp_at_request = knob;
		mk2_bus_init(&bus, &config);
		mk2_bus_open(&bus, MULTIKRON2_CSR_WRITE_WAIT);
		for (unsigned n = 0; waits && n < 2; n++)
			mk2_bus_write(&bus, MULTIKRON2_TRACE, 0);
		mk2_bus_stamp(&bus, 4);
		/* The fifth time stamp clock comes with the strobe or in the clock after it. */
		mk2_bus_drive(&bus, trigger | (late ? 0 : MULTIKRON2_TSCLK), 0x77);
		mk2_bus_drive(&bus, late ? MULTIKRON2_TSCLK : 0, 0);
		CHECK_ROW(r, mk2_bus_acked(&bus), !waits);
		mk2_bus_drain(&bus);
		CHECK_ROW(r, mk2_bus_sample(&bus, waits ? 2 : 0).data, 0x77);
		CHECK_ROW(r, mk2_bus_sample(&bus, waits ? 2 : 0).time,
			  knob && waits && late ? 4 : 5);
	}
}

/* Nothing blocks a load or an increment, and the sample being sent keeps its values. MK2-130 */
static void loads_and_increments_are_never_blocked(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	start(&bus, MULTIKRON2_CSR_WRITE_WAIT | MULTIKRON2_CSR_READ_WAIT);
	mk2_bus_write(&bus, MULTIKRON2_MODE, MULTIKRON2_ALL(MULTIKRON2_MODE_SOFTWARE));
	mk2_bus_write(&bus, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_RESET));
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		mk2_bus_write(&bus, MULTIKRON2_COUNTER + i, 0x100 + i);
	fill(&bus, true, true);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		CHECK_ROW(i, mk2_bus_write(&bus, MULTIKRON2_COUNTER + i, 0x200 + i), 2);
		CHECK_ROW(i, mk2_bus_write(&bus, MULTIKRON2_COUNTER_NO_COPY + i, 0), 2);
		CHECK_ROW(i, multikron2_counter(&bus.chip, i), 0x201 + i);
		CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON2_COUNTER_NO_COPY + i),
			  MK2_WORD(0x100 + i));
	}
	CHECK_EQUAL(bus.chip.core.wait_clocks, 0);
	mk2_bus_drain(&bus);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		CHECK_ROW(i, mk2_bus_sample(&bus, DEPTH - 1).counter[i], 0x100 + i);
}

TEST_MAIN(TEST(triggers_act_as_in_table_b3a), TEST(second_resource_sample_waits_166_or_167_clocks),
	  TEST(wait_counter_leaves_out_preset_waits), TEST(each_error_counter_needs_its_option),
	  TEST(error_counters_wrap), TEST(error_counters_are_cleared_by_a_write),
	  TEST(flags_stay_until_the_next_successful_sample),
	  TEST(trace_samples_queue_behind_a_resource_sample),
	  TEST(waiting_sample_is_assembled_when_taken),
	  TEST(stamp_at_request_is_the_time_of_the_strobe),
	  TEST(loads_and_increments_are_never_blocked))
