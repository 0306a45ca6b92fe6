/* SPDX-License-Identifier: Apache-2.0 */
#include "chips/core.h"

#define GROUPS 4

/* TEST register: data in bits 31..0, the instruction above. */
#define TEST_BITS     ((UINT64_C(1) << 48) - 1)
#define TEST_SET(r)   ((unsigned)((r) >> 32) & 3)
#define TEST_INC(r)   ((unsigned)((r) >> 34) & 3)
#define TEST_GROUP(r) ((unsigned)((r) >> 36) & 3)
#define TEST_NET_OFF  (UINT64_C(1) << 38)
#define TEST_PATTERN  (UINT64_C(1) << 39)
#define TEST_ADVANCE  (UINT64_C(1) << 40)
enum test_group { TEST_NONE, TEST_ERROR_COUNTERS, TEST_TIMESTAMP, TEST_RESOURCE };

/* Header 1 byte, time stamp 5, source 4, data 6. */
static const struct core_layout layout = {
	.groups = GROUPS,
	.lsb_order = { 0, 5, 4, 3, 2, 1, 9, 8, 7, 6, 15, 14, 13, 12, 11, 10 },
};

static bool test_mode(const struct multikron *chip)
{
	return chip->core.last_control & MULTIKRON_TEST;
}

/* A choice in the TEST register that persists, and acts in test mode only. */
static bool test_choice(const struct multikron *chip, uint64_t bit)
{
	return test_mode(chip) && (chip->test_register & bit);
}

/* Work out what each counter counts. */
static void plan(struct multikron *chip)
{
	struct multikron_core *core = &chip->core;
	unsigned low = chip->mux_sel & 0xffff;
	unsigned high = chip->mux_sel >> 32 & 0xffff;

	core->external = (uint16_t)(chip->enabled & low & ~high);
	core->software = (uint16_t)(chip->enabled & high & ~low);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		unsigned code = (high >> i & 1) << 1 | (low >> i & 1);

		core->clock[i] = MULTIKRON_CLOCK_NONE;
		if (!(chip->enabled >> i & 1))
			continue;
		if (code == MULTIKRON_MUX_NODE)
			core->clock[i] = MULTIKRON_CLOCK_NODE;
		else if (code == MULTIKRON_MUX_SLOW)
			core->clock[i] = chip->slow_10us ? MULTIKRON_CLOCK_STAMP_100
							 : MULTIKRON_CLOCK_STAMP_10;
	}
}

static void clear_registers(struct multikron *chip)
{
	chip->test_register = 0;
	chip->mux_sel = 0;
	chip->enabled = 0;
	chip->slow_10us = false;
}

static void write_csr(struct multikron *chip, uint64_t data)
{
	struct multikron_core *core = &chip->core;

	core_csr_pair(core, data, 0, &core->sampling);
	core_csr_pair(core, data, 2, &core->write_wait);
	core_csr_pair(core, data, 4, &core->read_wait);
	core_csr_pair(core, data, 14, &chip->slow_10us);
}

static void clear_counters(struct multikron_core *core, uint64_t which)
{
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		if (which >> i & 1)
			core->counter[i] = 0;
	}
}

/* Each data bit becomes four bits of a counter. */
static uint64_t replicate(uint64_t data, unsigned bits)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bits; i++) {
		if (data >> i & 1)
			value |= UINT64_C(15) << (4 * i);
	}
	return value;
}

static void test_set(struct multikron_core *core, unsigned group, uint32_t data)
{
	if (group == TEST_ERROR_COUNTERS)
		core->wait_clocks = core->overruns = (uint32_t)replicate(data, 8);
	if (group == TEST_TIMESTAMP)
		core->timestamp = replicate(data, 14);
	for (unsigned i = 0; group == TEST_RESOURCE && i < MULTIKRON_COUNTERS; i++)
		core->counter[i] = data;
}

static void test_increment(struct multikron_core *core, unsigned group)
{
	if (group == TEST_ERROR_COUNTERS) {
		core->wait_clocks++;
		core->overruns++;
	}
	if (group == TEST_TIMESTAMP)
		core->timestamp = (core->timestamp + 1) & CORE_STAMP_BITS;
	for (unsigned i = 0; group == TEST_RESOURCE && i < MULTIKRON_COUNTERS; i++)
		core_add(core, i, 1);
}

static void write_test_register(struct multikron *chip, uint64_t data)
{
	struct multikron_core *core = &chip->core;
	unsigned set = TEST_SET(data);
	unsigned inc = TEST_INC(data);

	if (!test_mode(chip))
		return;
	if (set != TEST_NONE && set == inc)
		core->faults |= MULTIKRON_FAULT_TEST_SET_INC;
	chip->test_register = data & TEST_BITS;
	test_set(core, set, (uint32_t)data);
	test_increment(core, inc);
	if (data & TEST_PATTERN)
		core_push_pattern(core, (uint32_t)data, GROUPS);
	if (data & TEST_ADVANCE)
		core_advance(core);
}

static void take_sample(struct multikron *chip, bool resource, uint64_t data)
{
	struct multikron_core *core = &chip->core;
	uint64_t stamp = core_sample_time(core);
	uint32_t source = core->source[core->cpu];
	uint32_t header = (uint32_t)core->cpu << 5 | (resource ? 3u : 2u) << 3 |
			  (uint32_t)core->fifo_overrun << 2 | (uint32_t)core->shadow_overrun << 1;
	struct multikron_entry entry = {
		.group = { header << 24 | (uint32_t)(stamp >> 16 & 0xffffff),
			   (uint32_t)stamp << 16 | source >> 16,
			   source << 16 | (uint32_t)(data >> 32 & 0xffff), (uint32_t)data },
	};

	core_push_sample(core, &entry, resource);
}

/* Returns false if the sample must wait. */
static bool trigger(struct multikron *chip, unsigned level, bool resource, uint64_t data)
{
	bool pattern = test_choice(chip, TEST_PATTERN);
	enum core_verdict verdict =
		core_admit(&chip->core, level, resource && !pattern, test_mode(chip));

	if (verdict == CORE_TAKE && pattern)
		core_push_pattern(&chip->core, (uint32_t)chip->test_register, GROUPS);
	else if (verdict == CORE_TAKE)
		take_sample(chip, resource, data);
	return verdict != CORE_WAIT;
}

/* Table A-1, the single registers. What is not there ignores the write. */
static void write_register(struct multikron *chip, unsigned address, uint64_t data)
{
	struct multikron_core *core = &chip->core;

	core_settle(core); /* the write may change what the counters count */
	switch (address) {
	case MULTIKRON_SOFT_RESET:
		core_reset_soft(core);
		clear_registers(chip);
		break;
	case MULTIKRON_CSR:
		write_csr(chip, data);
		break;
	case MULTIKRON_FILTER:
		core->filter = (uint16_t)data;
		break;
	case MULTIKRON_WAIT_COUNTER:
		core->wait_clocks = 0;
		break;
	case MULTIKRON_OVERRUN_COUNTER:
		core->overruns = 0;
		break;
	case MULTIKRON_MUX_SEL:
		chip->mux_sel = data & UINT64_C(0x0000ffff0000ffff);
		break;
	case MULTIKRON_RESOURCE_RESET:
		clear_counters(core, data);
		break;
	case MULTIKRON_RESOURCE_ENABLE:
		chip->enabled |= (uint16_t)data;
		break;
	case MULTIKRON_RESOURCE_DISABLE:
		chip->enabled &= (uint16_t)~data;
		break;
	case MULTIKRON_TEST_REGISTER:
		write_test_register(chip, data);
		break;
	}
	plan(chip);
}

/* Table A-1, the single registers. What is not there reads 0. */
static uint64_t read_register(const struct multikron *chip, unsigned address)
{
	const struct multikron_core *core = &chip->core;

	switch (address) {
	case MULTIKRON_CSR:
		return core_csr_status(core) | (chip->slow_10us ? MULTIKRON_CSR_SLOW_10US : 0u);
	case MULTIKRON_TIMESTAMP:
		return core->timestamp;
	case MULTIKRON_FILTER:
		return core->filter;
	case MULTIKRON_WAIT_COUNTER:
		return core->wait_clocks;
	case MULTIKRON_OVERRUN_COUNTER:
		return core->overruns;
	case MULTIKRON_MUX_SEL:
		return chip->mux_sel;
	case MULTIKRON_RESOURCE_ENABLE:
		return chip->enabled;
	case MULTIKRON_FIFO_OUTPUT:
		/* Group 0 of the instruction is FIFO bits 31..0, the last word of the entry. */
		if (!test_mode(chip) || !core->fifo_count)
			return 0;
		return core_head(core)->group[GROUPS - 1 - TEST_GROUP(chip->test_register)];
	case MULTIKRON_TEST_REGISTER:
		return test_mode(chip) ? chip->test_register : 0;
	}
	return 0;
}

/* Returns false if the access must wait. */
static bool write_access(struct multikron *chip, unsigned address, uint64_t data)
{
	struct multikron_core *core = &chip->core;
	unsigned i = address & 15;

	if (address >= MULTIKRON_TRACE)
		return trigger(chip, i, address >= MULTIKRON_RESOURCE, data);
	if ((address & ~15u) == MULTIKRON_COUNTER) {
		if ((core->software >> i & 1) && !test_mode(chip))
			core_add(core, i, 1);
	} else if ((address & ~7u) == MULTIKRON_SOURCE) {
		core->source[i & 7] = (uint32_t)data;
	} else {
		write_register(chip, address, data);
	}
	return true;
}

/* Returns false if the access must wait. */
static bool read_access(struct multikron *chip, unsigned address)
{
	struct multikron_core *core = &chip->core;
	unsigned i = address & 15;

	if ((address & ~15u) == MULTIKRON_COUNTER) {
		bool stale = core->shadow_busy;

		if (!core_read_copy(core, test_mode(chip)))
			return false;
		core->data = core->shadow[i] | (stale ? MULTIKRON_READ_ERROR : 0);
	} else if ((address & ~7u) == MULTIKRON_SOURCE) {
		core->data = core->source[i & 7];
	} else {
		core->data = read_register(chip, address);
	}
	return true;
}

static void act(struct multikron *chip)
{
	struct multikron_core *core = &chip->core;
	bool done = core->writing ? write_access(chip, core->address, core->data)
				  : read_access(chip, core->address);

	if (done)
		core_bus_done(core, false);
}

static bool starts(struct multikron_pins in)
{
	return in.control & (MULTIKRON_RD | MULTIKRON_WR);
}

static unsigned wait_pins(struct multikron_pins in)
{
	return (in.control & MULTIKRON_W0 ? 1u : 0) + (in.control & MULTIKRON_W1 ? 2u : 0);
}

struct multikron_pins multikron_tick(struct multikron *chip, struct multikron_pins pins)
{
	struct multikron_core *core = &chip->core;

	if (pins.control & MULTIKRON_ITEST)
		core->faults |= MULTIKRON_FAULT_INTERNAL_TEST;
	if (pins.control & MULTIKRON_RESET) {
		clear_registers(chip);
		return core_reset_tick(core, pins, wait_pins(pins));
	}
	if (core->reset_clocks)
		core_reset_release(core);
	core_count(core, pins);
	bool disabled = test_choice(chip, TEST_NET_OFF); /* a write acts from the next tick on */
	if (core_bus_step(core, pins, starts(pins), false, MULTIKRON_COUNTER))
		act(chip);
	uint64_t network = core_net_step(core, pins, &layout, disabled);
	return core_outputs(core, pins, network);
}

static struct multikron_pins tick(struct multikron_core *core, struct multikron_pins in)
{
	return multikron_tick((struct multikron *)core, in);
}

static bool idle(const struct multikron_core *core, struct multikron_pins in)
{
	const struct multikron *chip = (const struct multikron *)core;

	return core_idle(core, in, starts(in), false, test_choice(chip, TEST_NET_OFF));
}

static const struct core_chip this_chip = { .tick = tick, .idle = idle };

bool multikron_init(struct multikron *chip, const struct multikron_config *config)
{
	struct multikron_config chosen = { 0 };

	if (config)
		chosen = *config;
	if (!core_config_complete(&chosen))
		return false;
	*chip = (struct multikron){ .core = { .config = chosen } };
	core_reset_hard(&chip->core);
	return true;
}

struct multikron_pins multikron_run(struct multikron *chip, struct multikron_pins pins, uint64_t n)
{
	return core_run(&chip->core, &this_chip, pins, n, 0);
}

struct multikron_pins multikron_run_clocked(struct multikron *chip, struct multikron_pins pins,
					    uint64_t n, struct multikron_osc *osc)
{
	return core_run(&chip->core, &this_chip, pins, n, osc);
}

uint32_t multikron_counter(const struct multikron *chip, unsigned i)
{
	return core_value(&chip->core, i);
}

bool multikron_quiet(const struct multikron *chip)
{
	return chip->core.fifo_count == 0 && chip->core.bus != MULTIKRON_BUS_BUSY;
}
