/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

/* Longer than anything but a stopped network can delay an access. */
#define ACK_LIMIT 200000
/* A read that waits for a stopped network; no register reads like this. */
#define BLOCKED UINT64_C(0x00b10c4ed)

struct multikron2_config mk2_bus_config(void)
{
	struct multikron2_config config = { .core = { .fifo_depth = 8, .base_clocks = 2 } };

	return config;
}

void mk2_bus_init(struct mk2_bus *bus, const struct multikron2_config *config)
{
	memset(bus, 0, sizeof(*bus));
	CHECK(multikron2_init(&bus->chip, config));
	bus->levels = MULTIKRON2_C(0);
}

void mk2_bus_set(struct mk2_bus *bus, uint64_t inputs)
{
	bus->levels |= inputs;
}

void mk2_bus_clear(struct mk2_bus *bus, uint64_t inputs)
{
	bus->levels &= ~inputs;
}

void mk2_bus_cpu(struct mk2_bus *bus, unsigned cpu)
{
	bus->levels &= ~(UINT64_C(0xff) << MULTIKRON2_C_SHIFT);
	bus->levels |= MULTIKRON2_C(cpu);
}

/* A receiver takes what stands on N at a rising edge of NETCLK with FIFODA. */
static void receive(struct mk2_bus *bus)
{
	const uint64_t taken = MULTIKRON2_NETCLK | MULTIKRON2_FIFODA;

	if ((bus->out.control & taken) != taken)
		return;
	CHECK(bus->elements < MK2_BUS_ELEMENTS);
	bus->element[bus->elements++] = (struct mk2_element){
		.tick = bus->ticks,
		.byte = (uint8_t)(bus->out.control >> MULTIKRON2_N_SHIFT),
		.parity = (bus->out.control & MULTIKRON2_PARITY) != 0,
		.eom = (bus->out.control & MULTIKRON2_EOM) != 0,
	};
	if (bus->out.control & MULTIKRON2_EOM)
		bus->samples++;
}

static void tick(struct mk2_bus *bus, uint64_t control, uint64_t data, uint16_t pulse)
{
	struct multikron_pins in = { data, bus->levels | control, pulse };

	bus->out = multikron2_tick(&bus->chip, in);
	bus->ticks++;
	receive(bus);
}

void mk2_bus_drive(struct mk2_bus *bus, uint64_t control, uint64_t data)
{
	tick(bus, control, data, 0);
}

void mk2_bus_pulse(struct mk2_bus *bus, uint16_t pulse)
{
	tick(bus, 0, 0, pulse);
}

void mk2_bus_clock(struct mk2_bus *bus, uint64_t n)
{
	while (n--)
		tick(bus, 0, 0, 0);
}

void mk2_bus_run(struct mk2_bus *bus, uint64_t n)
{
	struct multikron_pins in = { 0, bus->levels, 0 };

	bus->out = multikron2_run(&bus->chip, in, n);
	bus->ticks += n;
}

void mk2_bus_reset(struct mk2_bus *bus, unsigned n)
{
	while (n--)
		tick(bus, MULTIKRON2_RESET, 0, 0);
}

void mk2_bus_stamp(struct mk2_bus *bus, unsigned n)
{
	while (n--) {
		tick(bus, MULTIKRON2_TSCLK, 0, 0);
		tick(bus, 0, 0, 0);
		tick(bus, 0, 0, 0);
	}
}

void mk2_bus_align(struct mk2_bus *bus, bool next_netclk)
{
	bool netclk = (bus->out.control & MULTIKRON2_NETCLK) != 0;

	if (netclk == next_netclk)
		tick(bus, 0, 0, 0);
}

bool mk2_bus_acked(const struct mk2_bus *bus)
{
	return (bus->out.control & MULTIKRON2_ACK) != 0;
}

static void strobe(struct mk2_bus *bus, uint64_t which, unsigned address, uint64_t data)
{
	tick(bus, which | MULTIKRON2_START | MULTIKRON2_A(address), data, 0);
	bus->clocks = 1;
}

void mk2_bus_strobe_write(struct mk2_bus *bus, unsigned address, uint64_t data)
{
	strobe(bus, MULTIKRON2_WRITE, address, data);
}

void mk2_bus_strobe_read(struct mk2_bus *bus, unsigned address)
{
	strobe(bus, MULTIKRON2_READ, address, 0);
}

bool mk2_bus_wait(struct mk2_bus *bus, unsigned limit)
{
	while (!mk2_bus_acked(bus) && limit--) {
		tick(bus, 0, 0, 0);
		bus->clocks++;
	}
	return mk2_bus_acked(bus);
}

unsigned mk2_bus_write(struct mk2_bus *bus, unsigned address, uint64_t data)
{
	mk2_bus_strobe_write(bus, address, data);
	if (!mk2_bus_wait(bus, ACK_LIMIT))
		fail_msg("write to %u: no acknowledge", address);
	return bus->clocks;
}

uint64_t mk2_bus_read(struct mk2_bus *bus, unsigned address)
{
	mk2_bus_strobe_read(bus, address);
	if (!mk2_bus_wait(bus, ACK_LIMIT))
		fail_msg("read of %u: no acknowledge", address);
	return bus->out.data;
}

void mk2_bus_test_write(struct mk2_bus *bus, unsigned address, uint64_t data)
{
	uint64_t levels = bus->levels;

	mk2_bus_set(bus, MULTIKRON2_TEST);
	mk2_bus_write(bus, address, data);
	bus->levels = levels;
}

void mk2_bus_open(struct mk2_bus *bus, uint64_t csr)
{
	mk2_bus_write(bus, MULTIKRON2_FILTER, 0xffff);
	mk2_bus_write(bus, MULTIKRON2_CSR, MULTIKRON2_CSR_SAMPLING | csr);
}

uint32_t mk2_bus_csr(struct mk2_bus *bus)
{
	return (uint32_t)mk2_bus_read(bus, MULTIKRON2_CSR) & 0xffff;
}

void mk2_bus_drain(struct mk2_bus *bus)
{
	uint64_t levels = bus->levels;
	unsigned limit = 20000;

	mk2_bus_set(bus, MULTIKRON2_NETRDY);
	do
		tick(bus, 0, 0, 0);
	while (!multikron2_quiet(&bus->chip) && --limit);
	CHECK(limit);
	bus->levels = levels;
}

void mk2_bus_forget(struct mk2_bus *bus)
{
	bus->elements = 0;
}

static uint64_t number(const struct mk2_element *element, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | element[i].byte;
	return value;
}

static bool odd(const struct mk2_element *element)
{
	return (__builtin_popcount(element->byte) + (element->parity ? 1 : 0)) % 2 == 1;
}

struct mk2_sample mk2_bus_sample(const struct mk2_bus *bus, size_t k)
{
	struct mk2_sample sample = { 0 };
	size_t first = 0, end;

	for (;; first = end) {
		for (end = first; end < bus->elements && !bus->element[end].eom; end++)
			;
		if (end == bus->elements)
			fail_msg("sample %zu: not received", k);
		end++;
		if (k-- == 0)
			break;
	}
	const struct mk2_element *element = &bus->element[first];

	sample.bytes = end - first;
	if (sample.bytes != MK2_TRACE_BYTES && sample.bytes != MK2_SAMPLE_BYTES)
		fail_msg("a sample of %zu bytes", sample.bytes);
	for (size_t i = 0; i < sample.bytes; i++)
		CHECK(odd(&element[i]));
	sample.first_tick = element[0].tick;
	sample.last_tick = element[sample.bytes - 1].tick;
	sample.header = element[0].byte;
	sample.time = number(element + 1, 7);
	sample.source = (uint32_t)number(element + 8, 4);
	sample.data = number(element + 12, 8);
	for (size_t i = 0; i < MULTIKRON_COUNTERS && sample.bytes == MK2_SAMPLE_BYTES; i++)
		sample.counter[i] = (uint32_t)number(element + 20 + 4 * i, 4);
	return sample;
}

/* Even counters are enabled for software increments, odd ones have other modes and are disabled, so
 * that some increments count and others do not. */
static void populate_counters(struct mk2_bus *bus)
{
	mk2_bus_write(bus, MULTIKRON2_MODE, UINT64_C(0x4232425272326212));
	mk2_bus_write(bus, MULTIKRON2_CLOCK_SELECT, UINT64_C(0x4321765443217654));
	mk2_bus_write(bus, MULTIKRON2_ENABLE, UINT64_C(0x1212121212121212));
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		mk2_bus_write(bus, MULTIKRON2_COUNTER + i, 0xc0de0000u + i * 0x11u);
}

void mk2_bus_populate(struct mk2_bus *bus, bool shadow_busy)
{
	mk2_bus_init(bus, NULL);
	populate_counters(bus);
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		mk2_bus_write(bus, MULTIKRON2_SOURCE + i, 0x50000000u + i * 0x01010101u);
	mk2_bus_test_write(bus, MULTIKRON2_TIMESTAMP, UINT64_C(0x00a1b2c3d4e5f607));
	mk2_bus_test_write(bus, MULTIKRON2_WAIT_COUNTER, 0x11223344);
	mk2_bus_test_write(bus, MULTIKRON2_OVERRUN_COUNTER, 0x55667788);
	mk2_bus_open(bus, 0);
	mk2_bus_write(bus, MULTIKRON2_RESOURCE + 1, UINT64_C(0x1111111122222222));
	mk2_bus_write(bus, MULTIKRON2_RESOURCE + 1, 0); /* lost: shadow overrun pending */
	if (shadow_busy) {
		mk2_bus_write(bus, MULTIKRON2_TRACE + 2, UINT64_C(0x3333333344444444));
		mk2_bus_write(bus, MULTIKRON2_RESOURCE + 1, 0); /* lost again */
	} else {
		mk2_bus_test_write(bus, MULTIKRON2_ADVANCE, 0);
		mk2_bus_test_write(bus, MULTIKRON2_FIFO, 0x5a5a5a5a);
	}
	/* Live and shadow values differ from here on. */
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		mk2_bus_write(bus, MULTIKRON2_COUNTER + i, 0xbeef0000u + i * 0x101u);
	mk2_bus_write(bus, MULTIKRON2_FILTER, 0xa5c3);
	mk2_bus_write(bus, MULTIKRON2_HIGH_ORDER, 0xcafef00d);
	mk2_bus_clock(bus, 1);
}

static uint64_t look(struct mk2_bus *probe, const struct mk2_bus *bus, unsigned address)
{
	probe->chip = bus->chip;
	probe->levels = bus->levels;
	probe->out = bus->out;
	mk2_bus_strobe_read(probe, address);
	return mk2_bus_wait(probe, 10) ? probe->out.data : BLOCKED;
}

void mk2_bus_view(const struct mk2_bus *bus, struct mk2_view *view)
{
	static struct mk2_bus probe;

	memset(view, 0, sizeof(*view));
	memset(&probe, 0, sizeof(probe));
	for (unsigned i = 0; i < MK2_ADDRESSES; i++)
		view->reg[i] = look(&probe, bus, i);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		view->counter[i] = multikron2_counter(&bus->chip, i);
	probe.chip = bus->chip;
	probe.levels = bus->levels | MULTIKRON2_NETRDY;
	probe.elements = 0;
	mk2_bus_clock(&probe, sizeof(view->sent) * 2);
	CHECK(probe.elements < sizeof(view->sent));
	for (size_t i = 0; i < probe.elements; i++) {
		view->sent[i] = probe.element[i].byte;
		view->sent_samples += probe.element[i].eom;
	}
	view->sent_bytes = probe.elements;
}

/* Addresses that cannot be read give all ones, registers of 32 bits the upper ones. */
void mk2_bus_reset_view(struct mk2_view *view)
{
	memset(view, 0, sizeof(*view));
	memset(view->reg, 0xff, sizeof(view->reg));
	view->reg[MULTIKRON2_CSR] = UINT64_C(0xffffffffffff8000);
	view->reg[MULTIKRON2_TIMESTAMP] = UINT64_C(0xff00000000000000);
	view->reg[MULTIKRON2_FILTER] = UINT64_C(0xffffffffffff0000);
	view->reg[MULTIKRON2_WAIT_COUNTER] = MK2_UPPER;
	view->reg[MULTIKRON2_OVERRUN_COUNTER] = MK2_UPPER;
	view->reg[MULTIKRON2_HIGH_ORDER] = MK2_UPPER;
	view->reg[MULTIKRON2_ENABLE] = UINT64_C(0x1111111111111111);
	view->reg[MULTIKRON2_MODE] = UINT64_C(0x4444444444444444);
	view->reg[MULTIKRON2_CLOCK_SELECT] = UINT64_C(0x4444444444444444);
	for (unsigned i = 0; i < 5; i++)
		view->reg[MULTIKRON2_FIFO + i] = MK2_UPPER;
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		view->reg[MULTIKRON2_SOURCE + i] = MK2_UPPER;
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		view->reg[MULTIKRON2_COUNTER + i] = MK2_UPPER;
		view->reg[MULTIKRON2_COUNTER_NO_COPY + i] = MK2_UPPER;
	}
}

void mk2_bus_check_view(unsigned row, const struct mk2_view *actual,
			const struct mk2_view *expected)
{
	for (unsigned i = 0; i < MK2_ADDRESSES; i++) {
		if (actual->reg[i] != expected->reg[i])
			print_error("register %u\n", i);
		CHECK_ROW(row, actual->reg[i], expected->reg[i]);
	}
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		if (actual->counter[i] != expected->counter[i])
			print_error("counter %u\n", i);
		CHECK_ROW(row, actual->counter[i], expected->counter[i]);
	}
	CHECK_ROW(row, actual->sent_samples, expected->sent_samples);
	CHECK_ROW(row, actual->sent_bytes, expected->sent_bytes);
	for (size_t i = 0; i < actual->sent_bytes; i++)
		CHECK_ROW(row, actual->sent[i], expected->sent[i]);
}

static void expect_word(struct mk2_view *view, uint32_t word)
{
	for (unsigned shift = 32; shift; shift -= 8)
		view->sent[view->sent_bytes++] = (uint8_t)(word >> (shift - 8));
}

void mk2_bus_expect_sent(struct mk2_view *view, const uint32_t group[5], const uint32_t *counters)
{
	for (unsigned i = 0; i < 5; i++)
		expect_word(view, group[i]);
	for (unsigned i = 0; counters && i < MULTIKRON_COUNTERS; i++)
		expect_word(view, counters[i]);
	view->sent_samples++;
}
