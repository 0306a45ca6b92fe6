/* SPDX-License-Identifier: Apache-2.0 */
#include "support/mk_bus.h"
#include "unit/test.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void mk_bus_expect(const char *file, int line, const char *row, uint64_t actual, uint64_t expected)
{
	if (actual == expected)
		return;
	print_error("%s: 0x%" PRIx64 ", expected 0x%" PRIx64 "\n", row, actual, expected);
	_fail(file, line);
}

const char *mk_bus_row(const char *format, ...)
{
	static char row[128];
	va_list list;

	va_start(list, format);
	vsnprintf(row, sizeof(row), format, list);
	va_end(list);
	return row;
}

void mk_bus_init(struct mk_bus *bus, const struct multikron_config *config)
{
	memset(bus, 0, sizeof(*bus));
	CHECK(multikron_init(&bus->chip, config));
	bus->hold = MULTIKRON_FREE | MULTIKRON_C(0);
}

void mk_bus_init_sampling(struct mk_bus *bus, const struct multikron_config *config, uint64_t csr)
{
	mk_bus_init(bus, config);
	mk_bus_write(bus, MULTIKRON_FILTER, 0xffff);
	mk_bus_write(bus, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING | csr);
}

static void record(struct mk_bus *bus)
{
	const uint64_t transfer = MULTIKRON_NETCLK | MULTIKRON_LOAD;
	uint64_t control = bus->out.control;
	uint64_t element = (control & MULTIKRON_N) >> MULTIKRON_N_SHIFT;

	if ((control & transfer) != transfer)
		return;
	if (control & MULTIKRON_PARITY)
		element |= MK_BUS_PARITY;
	if (control & MULTIKRON_EOM)
		element |= MK_BUS_EOM;
	CHECK(bus->elements < MK_BUS_ELEMENTS);
	bus->element[bus->elements++] = (uint16_t)element;
}

struct multikron_pins mk_bus_tick(struct mk_bus *bus, uint64_t control, uint64_t data)
{
	struct multikron_pins pins = { .data = data, .control = bus->hold | control };

	bus->out = multikron_tick(&bus->chip, pins);
	bus->ticks++;
	CHECK_EQUAL(bus->out.control & ~MULTIKRON_OUTPUTS, pins.control & ~MULTIKRON_OUTPUTS);
	record(bus);
	return bus->out;
}

void mk_bus_clock(struct mk_bus *bus, uint64_t n)
{
	while (n--)
		mk_bus_tick(bus, 0, 0);
}

void mk_bus_run(struct mk_bus *bus, uint64_t n)
{
	struct multikron_pins pins = { .control = bus->hold };

	bus->out = multikron_run(&bus->chip, pins, n);
	bus->ticks += n;
}

void mk_bus_reset(struct mk_bus *bus, unsigned w)
{
	uint64_t pins = MULTIKRON_RESET;

	if (w & 1)
		pins |= MULTIKRON_W0;
	if (w & 2)
		pins |= MULTIKRON_W1;
	for (int i = 0; i < 5; i++)
		mk_bus_tick(bus, pins, 0);
	bus->ticks = 0;
}

void mk_bus_stamp(struct mk_bus *bus, unsigned n)
{
	while (n--) {
		mk_bus_tick(bus, MULTIKRON_TSCLK, 0);
		mk_bus_clock(bus, 2);
	}
}

void mk_bus_external(struct mk_bus *bus, uint16_t x, unsigned n)
{
	while (n--) {
		mk_bus_tick(bus, (uint64_t)x << MULTIKRON_X_SHIFT, 0);
		mk_bus_clock(bus, 1);
	}
}

static bool ready(const struct mk_bus *bus)
{
	return (bus->out.control & MULTIKRON_RDY) != 0;
}

bool mk_bus_start(struct mk_bus *bus, uint64_t strobe, unsigned address, uint64_t data)
{
	mk_bus_tick(bus, strobe | MULTIKRON_A(address), data);
	bus->access_ticks = 1;
	return ready(bus);
}

bool mk_bus_wait(struct mk_bus *bus, uint64_t limit)
{
	while (limit--) {
		mk_bus_tick(bus, 0, UINT64_MAX);
		bus->access_ticks++;
		if (ready(bus))
			return true;
	}
	return false;
}

static void complete(struct mk_bus *bus, uint64_t strobe, unsigned address, uint64_t data)
{
	if (!mk_bus_start(bus, strobe, address, data) && !mk_bus_wait(bus, MK_BUS_PATIENCE))
		MK_BUS_EXPECT(mk_bus_row("access to %u acknowledged", address), false, true);
}

void mk_bus_write(struct mk_bus *bus, unsigned address, uint64_t data)
{
	complete(bus, MULTIKRON_WR, address, data);
}

uint64_t mk_bus_read(struct mk_bus *bus, unsigned address)
{
	complete(bus, MULTIKRON_RD, address, UINT64_MAX);
	return bus->out.data;
}

void mk_bus_test(struct mk_bus *bus, uint64_t value)
{
	uint64_t held = bus->hold;

	bus->hold |= MULTIKRON_TEST;
	mk_bus_write(bus, MULTIKRON_TEST_REGISTER, value);
	bus->hold = held;
}

static void load_counters(struct mk_bus *bus)
{
	mk_bus_test(bus, MK_BUS_INSTRUCTION(1, 0x5a));       /* Wait and Overrun */
	mk_bus_test(bus, MK_BUS_INSTRUCTION(2, 0x1555));     /* time stamp */
	mk_bus_test(bus, MK_BUS_INSTRUCTION(3, 0x12345678)); /* resource counters */
}

void mk_bus_init_busy(struct mk_bus *bus, unsigned w)
{
	mk_bus_init(bus, NULL);
	mk_bus_reset(bus, w);
	bus->hold &= ~MULTIKRON_FREE;
	load_counters(bus);
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		mk_bus_write(bus, MULTIKRON_SOURCE + i, 0xc0de0001 + i);
	mk_bus_write(bus, MULTIKRON_MUX_SEL, UINT64_C(0x0000ffff0000ffff));
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		mk_bus_write(bus, MULTIKRON_RESOURCE_ENABLE, UINT64_C(1) << i);
	mk_bus_write(bus, MULTIKRON_FILTER, 0xffff);
	mk_bus_write(bus, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING);
	mk_bus_write(bus, MULTIKRON_RESOURCE, 1);
	mk_bus_fill(bus);
	mk_bus_write(bus, MULTIKRON_TRACE, 2);    /* lost: FIFO */
	mk_bus_write(bus, MULTIKRON_RESOURCE, 3); /* lost: both */
	mk_bus_write(bus, MULTIKRON_CSR,
		     MULTIKRON_CSR_WRITE_WAIT | MULTIKRON_CSR_READ_WAIT | MULTIKRON_CSR_SLOW_10US);
}

void mk_bus_fill(struct mk_bus *bus)
{
	bus->hold &= ~MULTIKRON_FREE;
	while (bus->chip.core.fifo_count < bus->chip.core.config.fifo_depth)
		mk_bus_write(bus, MULTIKRON_TRACE, bus->chip.core.fifo_count);
	CHECK(mk_bus_read(bus, MULTIKRON_CSR) & MULTIKRON_CSR_FIFO_FULL);
}

void mk_bus_drain(struct mk_bus *bus)
{
	bus->hold |= MULTIKRON_FREE;
	for (unsigned i = 0; !multikron_quiet(&bus->chip); i++) {
		CHECK(i < 2 * 80 * MULTIKRON_FIFO_MAX);
		mk_bus_clock(bus, 1);
	}
}

unsigned mk_bus_samples(const struct mk_bus *bus)
{
	unsigned n = 0;

	for (unsigned i = 0; i < bus->elements; i++)
		n += (bus->element[i] & MK_BUS_EOM) != 0;
	return n;
}

static uint64_t field(const struct mk_bus_sample *sample, unsigned first, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | sample->byte[first + i];
	return value;
}

static unsigned sample_start(const struct mk_bus *bus, unsigned n)
{
	unsigned i = 0;

	while (n) {
		CHECK(i < bus->elements);
		n -= (bus->element[i++] & MK_BUS_EOM) != 0;
	}
	return i;
}

struct mk_bus_sample mk_bus_sample(const struct mk_bus *bus, unsigned n)
{
	struct mk_bus_sample sample = { .length = 0 };
	unsigned i = sample_start(bus, n);
	uint16_t element;

	do {
		CHECK(i < bus->elements);
		CHECK(sample.length < sizeof(sample.byte));
		element = bus->element[i++];
		CHECK(__builtin_parity(element & (0xff | MK_BUS_PARITY)));
		sample.byte[sample.length++] = (uint8_t)element;
	} while (!(element & MK_BUS_EOM));
	CHECK(sample.length == 16 || sample.length == 80);
	sample.header = sample.byte[0];
	sample.timestamp = field(&sample, 1, 5);
	sample.source = (uint32_t)field(&sample, 6, 4);
	sample.data = field(&sample, 10, 6);
	for (unsigned c = 0; c < MULTIKRON_COUNTERS; c++)
		sample.counter[c] = (uint32_t)field(&sample, 16 + 4 * c, 4);
	return sample;
}

/* All slots, so that nothing need be known of how the model wraps its ring. */
static const char *fifo_difference(const struct multikron_core *a, const struct multikron_core *b)
{
	if (a->fifo_count != b->fifo_count || a->fifo_head != b->fifo_head)
		return "fifo_count";
	for (unsigned i = 0; i < MULTIKRON_FIFO_MAX; i++) {
		const struct multikron_entry *p = &a->fifo[i];
		const struct multikron_entry *q = &b->fifo[i];

		for (unsigned g = 0; g < 4; g++)
			if (p->group[g] != q->group[g])
				return "fifo group";
		if (p->resource != q->resource || p->orphan != q->orphan ||
		    p->owns_shadow != q->owns_shadow || p->lost != q->lost)
			return "fifo entry";
	}
	return NULL;
}

static const char *counter_difference(const struct multikron *a, const struct multikron *b)
{
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		if (multikron_counter(a, i) != multikron_counter(b, i))
			return "counter";
		if (a->core.shadow[i] != b->core.shadow[i])
			return "shadow";
	}
	return NULL;
}

static const char *core_difference(const struct multikron_core *a, const struct multikron_core *b)
{
#define DIFFERS(member)                                                                            \
	do {                                                                                       \
		if (a->member != b->member)                                                        \
			return #member;                                                            \
	} while (0)
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		DIFFERS(source[i]);
	DIFFERS(faults);
	DIFFERS(timestamp);
	DIFFERS(wait_clocks);
	DIFFERS(overruns);
	DIFFERS(filter);
	DIFFERS(wait_states);
	DIFFERS(sampling);
	DIFFERS(write_wait);
	DIFFERS(read_wait);
	DIFFERS(fifo_overrun);
	DIFFERS(shadow_overrun);
	DIFFERS(shadow_busy);
	DIFFERS(node_phase);
	DIFFERS(stamp_phase);
	DIFFERS(byte);
	DIFFERS(presented);
	DIFFERS(netclk);
	DIFFERS(accepted);
	DIFFERS(lost);
	DIFFERS(sent);
	DIFFERS(sent_lost);
#undef DIFFERS
	return fifo_difference(a, b);
}

const char *mk_bus_difference(const struct multikron *a, const struct multikron *b)
{
	const char *difference = core_difference(&a->core, &b->core);

	if (difference)
		return difference;
	if (a->test_register != b->test_register)
		return "test_register";
	if (a->mux_sel != b->mux_sel)
		return "mux_sel";
	if (a->enabled != b->enabled)
		return "enabled";
	if (a->slow_10us != b->slow_10us)
		return "slow_10us";
	return counter_difference(a, b);
}
