/* SPDX-License-Identifier: Apache-2.0 */
#include "chips/core.h"
#include <kron/multikron2.h>

#define GROUPS         5
#define UNUSED_HIGH(n) (~UINT64_C(0) << (n)) /* unused data bits read 1 */
#define NO_SLOW_READ   128                   /* no address: no read takes an extra clock */

/* Header 1 byte, time stamp 7, source 4, data 8. */
static const struct core_layout layout = {
	.groups = GROUPS,
	.lsb_order = { 0, 7, 6, 5, 4, 3, 2, 1, 11, 10, 9, 8, 19, 18, 17, 16, 15, 14, 13, 12 },
};

static bool test_mode(const struct multikron2 *chip)
{
	return chip->core.last_control & MULTIKRON2_TEST;
}

static bool network_disabled(const struct multikron2 *chip)
{
	return test_mode(chip) && chip->network_off;
}

static unsigned field(uint64_t control, unsigned i)
{
	return control >> (4 * i) & 15;
}

static void set_field(uint64_t *control, unsigned i, unsigned value)
{
	*control &= ~MULTIKRON2_FIELD(i, 15);
	*control |= MULTIKRON2_FIELD(i, value);
}

/* Tables B5 and B6: codes 5, 6, 7 are aliases of 1, 2, 3. */
static unsigned without_alias(unsigned code)
{
	code &= 7;
	return code > 4 ? code - 4 : code;
}

static uint8_t selected_clock(const struct multikron2 *chip, unsigned i)
{
	switch (without_alias(field(chip->clock_select, i))) {
	case MULTIKRON2_CLOCK_NODE:
		return MULTIKRON_CLOCK_NODE;
	case MULTIKRON2_CLOCK_NODE_10:
		return MULTIKRON_CLOCK_NODE_10;
	case MULTIKRON2_CLOCK_NODE_100:
		return MULTIKRON_CLOCK_NODE_100;
	}
	return MULTIKRON_CLOCK_STAMP;
}

static bool is_double(const struct multikron2 *chip, unsigned i)
{
	return field(chip->mode, i & ~1u) & MULTIKRON2_MODE_DOUBLE;
}

/* Work out what counter i counts. */
static void plan_counter(struct multikron2 *chip, unsigned i)
{
	struct multikron_core *core = &chip->core;
	uint16_t bit = (uint16_t)(1u << i);

	core->clock[i] = MULTIKRON_CLOCK_NONE;
	if ((i & 1) && is_double(chip, i))
		return; /* a word of its even partner's count */
	if (is_double(chip, i))
		core->wide |= bit;
	if (field(chip->enable, i) != MULTIKRON2_ENABLE_KEEP)
		return;
	switch (without_alias(field(chip->mode, i))) {
	case MULTIKRON2_MODE_GATED:
		core->gated |= bit;
		core->clock[i] = selected_clock(chip, i);
		break;
	case MULTIKRON2_MODE_CLOCK:
		core->clock[i] = selected_clock(chip, i);
		break;
	case MULTIKRON2_MODE_SOFTWARE:
		core->software |= bit;
		break;
	case MULTIKRON2_MODE_EXTERNAL:
		core->external |= bit;
		break;
	}
}

static void plan(struct multikron2 *chip)
{
	struct multikron_core *core = &chip->core;

	core->external = core->gated = core->software = core->wide = 0;
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		plan_counter(chip, i);
}

static void clear_registers(struct multikron2 *chip)
{
	chip->mode = MULTIKRON2_ALL(MULTIKRON2_MODE_EXTERNAL);
	chip->clock_select = MULTIKRON2_ALL(MULTIKRON2_CLOCK_STAMP);
	chip->enable = MULTIKRON2_ALL(MULTIKRON2_DISABLE);
	chip->high_order = 0;
	chip->mode_32bit = false;
	chip->network_off = false;
}

static void write_csr(struct multikron2 *chip, uint64_t data)
{
	struct multikron_core *core = &chip->core;

	core_csr_pair(core, data, 0, &core->sampling);
	core_csr_pair(core, data, 2, &core->write_wait);
	core_csr_pair(core, data, 4, &core->read_wait);
	core_csr_pair(core, data, 14, &chip->mode_32bit);
}

static void write_mode(struct multikron2 *chip, uint64_t data)
{
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		unsigned value = field(data, i);

		if (value == 0 || (value == MULTIKRON2_MODE_DOUBLE && chip->config.mode_8_is_nop))
			continue;
		if ((value & 7) == 0) /* precision only */
			value |= field(chip->mode, i) & 7;
		set_field(&chip->mode, i, value);
	}
}

static void write_clock_select(struct multikron2 *chip, uint64_t data)
{
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		if (field(data, i) & 7)
			set_field(&chip->clock_select, i, field(data, i) & 7);
	}
}

static void reset_counter(struct multikron2 *chip, unsigned i)
{
	bool wide = is_double(chip, i);

	if (wide && (i & 1))
		return;
	chip->core.counter[i] = 0;
	if (wide)
		chip->core.counter[i + 1] = 0;
}

static void write_enable(struct multikron2 *chip, uint64_t data)
{
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		unsigned value = field(data, i) & 3;

		if (value == MULTIKRON2_ENABLE_RESET) {
			reset_counter(chip, i);
			value = MULTIKRON2_ENABLE_KEEP;
		}
		if (value)
			set_field(&chip->enable, i, value);
	}
}

/* Writes that do something in test mode only. */
static void write_test_command(struct multikron2 *chip, unsigned address, uint64_t data)
{
	struct multikron_core *core = &chip->core;

	switch (address) {
	case MULTIKRON2_TIMESTAMP:
		core->timestamp = data & CORE_STAMP_BITS;
		break;
	case MULTIKRON2_INC_TIMESTAMP:
		core->timestamp = (core->timestamp + 1) & CORE_STAMP_BITS;
		break;
	case MULTIKRON2_INC_WAIT:
		core->wait_clocks++;
		break;
	case MULTIKRON2_INC_OVERRUN:
		core->overruns++;
		break;
	case MULTIKRON2_NETWORK_OFF:
		chip->network_off = true;
		break;
	case MULTIKRON2_NETWORK_ON:
		chip->network_off = false;
		break;
	case MULTIKRON2_ADVANCE:
		core_advance(core);
		break;
	default:
		if (address >= MULTIKRON2_FIFO && address < MULTIKRON2_FIFO + GROUPS)
			core_push_pattern(core, (uint32_t)data, GROUPS);
	}
}

/* Table B4, the single registers. What is not there ignores the write. */
static void write_register(struct multikron2 *chip, unsigned address, uint64_t data)
{
	struct multikron_core *core = &chip->core;
	bool test = test_mode(chip);

	core_settle(core); /* the write may change what the counters count */
	switch (address) {
	case MULTIKRON2_SOFT_RESET:
		core_reset_soft(core);
		clear_registers(chip);
		break;
	case MULTIKRON2_CSR:
		write_csr(chip, data);
		break;
	case MULTIKRON2_FILTER:
		core->filter = (uint16_t)data;
		break;
	case MULTIKRON2_WAIT_COUNTER:
		core->wait_clocks = test ? (uint32_t)data : 0;
		break;
	case MULTIKRON2_OVERRUN_COUNTER:
		core->overruns = test ? (uint32_t)data : 0;
		break;
	case MULTIKRON2_HIGH_ORDER:
		chip->high_order = (uint32_t)data;
		break;
	case MULTIKRON2_ENABLE:
		write_enable(chip, data);
		break;
	case MULTIKRON2_MODE:
		write_mode(chip, data);
		break;
	case MULTIKRON2_CLOCK_SELECT:
		write_clock_select(chip, data);
		break;
	default:
		if (test)
			write_test_command(chip, address, data);
	}
	plan(chip);
}

/* Table B4, the single registers. What is not there reads all ones. */
static uint64_t read_register(const struct multikron2 *chip, unsigned address)
{
	const struct multikron_core *core = &chip->core;

	switch (address) {
	case MULTIKRON2_CSR:
		return UNUSED_HIGH(16) | core_csr_status(core) |
		       (chip->mode_32bit ? MULTIKRON2_CSR_32BIT : MULTIKRON2_CSR_64BIT);
	case MULTIKRON2_TIMESTAMP:
		return UNUSED_HIGH(56) | core->timestamp;
	case MULTIKRON2_FILTER:
		return UNUSED_HIGH(16) | core->filter;
	case MULTIKRON2_WAIT_COUNTER:
		return UNUSED_HIGH(32) | core->wait_clocks;
	case MULTIKRON2_OVERRUN_COUNTER:
		return UNUSED_HIGH(32) | core->overruns;
	case MULTIKRON2_HIGH_ORDER:
		return UNUSED_HIGH(32) | chip->high_order;
	case MULTIKRON2_ENABLE:
		return chip->enable;
	case MULTIKRON2_MODE:
		return chip->mode;
	case MULTIKRON2_CLOCK_SELECT:
		return chip->clock_select;
	}
	if (address < MULTIKRON2_FIFO || address >= MULTIKRON2_FIFO + GROUPS)
		return UNUSED_HIGH(0);
	if (!core->fifo_count)
		return UNUSED_HIGH(32);
	return UNUSED_HIGH(32) | core_head(core)->group[address - MULTIKRON2_FIFO];
}

static void take_sample(struct multikron2 *chip, bool resource, uint64_t data)
{
	struct multikron_core *core = &chip->core;
	uint64_t stamp = core_sample_time(core);
	uint32_t header = (uint32_t)core->cpu << 5 | (resource ? 3u : 2u) << 3 |
			  (uint32_t)core->shadow_overrun << 2 | (uint32_t)core->fifo_overrun << 1 |
			  chip->config.header_spare;
	struct multikron_entry entry = {
		.group = { header << 24 | (uint32_t)(stamp >> 32), (uint32_t)stamp,
			   core->source[core->cpu], (uint32_t)(data >> 32), (uint32_t)data },
	};

	core_push_sample(core, &entry, resource);
}

/* Returns false if the sample must wait. */
static bool trigger(struct multikron2 *chip, unsigned level, bool resource, uint64_t data)
{
	enum core_verdict verdict = core_admit(&chip->core, level, resource, test_mode(chip));

	if (verdict == CORE_TAKE)
		take_sample(chip, resource, data);
	return verdict != CORE_WAIT;
}

/* Returns false if the access must wait. */
static bool write_access(struct multikron2 *chip, unsigned address, uint64_t data)
{
	struct multikron_core *core = &chip->core;
	unsigned i = address & 15;

	if (chip->mode_32bit)
		data = (uint64_t)chip->high_order << 32 | (uint32_t)data;
	if (address >= MULTIKRON2_TRACE)
		return trigger(chip, i, address >= MULTIKRON2_RESOURCE, data);
	if ((address & ~15u) == MULTIKRON2_COUNTER) {
		core_settle(core);
		core->counter[i] = (uint32_t)data;
	} else if ((address & ~15u) == MULTIKRON2_COUNTER_NO_COPY) {
		if (core->software >> i & 1)
			core_add(core, i, 1);
	} else if ((address & ~7u) == MULTIKRON2_SOURCE) {
		core->source[i & 7] = (uint32_t)data;
	} else {
		write_register(chip, address, data);
	}
	return true;
}

/* Returns false if the access must wait. */
static bool read_access(struct multikron2 *chip, unsigned address)
{
	struct multikron_core *core = &chip->core;
	unsigned i = address & 15;

	if ((address & ~15u) == MULTIKRON2_COUNTER) {
		if (!core_read_copy(core, test_mode(chip)))
			return false;
		core->data = UNUSED_HIGH(32) | core->shadow[i];
	} else if ((address & ~15u) == MULTIKRON2_COUNTER_NO_COPY) {
		core->data = UNUSED_HIGH(32) | core->shadow[i];
		core->skip |= core->shadow_busy; /* one data bus serves both */
	} else if ((address & ~7u) == MULTIKRON2_SOURCE) {
		core->data = UNUSED_HIGH(32) | core->source[i & 7];
	} else {
		core->data = read_register(chip, address);
	}
	if (address != MULTIKRON2_HIGH_ORDER)
		chip->high_order = (uint32_t)(core->data >> 32);
	return true;
}

static bool starts(struct multikron_pins in)
{
	return (in.control & MULTIKRON2_START) &&
	       (in.control & (MULTIKRON2_READ | MULTIKRON2_WRITE));
}

static void act(struct multikron2 *chip, struct multikron_pins in)
{
	struct multikron_core *core = &chip->core;
	bool done = core->writing ? write_access(chip, core->address, core->data)
				  : read_access(chip, core->address);

	if (!done)
		return;
	if (starts(in))
		core->faults |= MULTIKRON_FAULT_STROBE_HELD;
	core_bus_done(core, in.control & MULTIKRON2_HOLD);
}

struct multikron_pins multikron2_tick(struct multikron2 *chip, struct multikron_pins pins)
{
	struct multikron_core *core = &chip->core;

	if (pins.control & MULTIKRON2_RESET) {
		clear_registers(chip);
		return core_reset_tick(core, pins, (pins.control & MULTIKRON2_WAITSTATE) != 0);
	}
	if (core->reset_clocks)
		core_reset_release(core);
	core_count(core, pins);
	bool disabled = network_disabled(chip); /* a write acts from the next tick on */
	if (core_bus_step(core, pins, starts(pins), pins.control & MULTIKRON2_HOLD, NO_SLOW_READ))
		act(chip, pins);
	uint64_t network = core_net_step(core, pins, &layout, disabled);
	return core_outputs(core, pins, network);
}

static struct multikron_pins tick(struct multikron_core *core, struct multikron_pins in)
{
	return multikron2_tick((struct multikron2 *)core, in);
}

static bool idle(const struct multikron_core *core, struct multikron_pins in)
{
	return core_idle(core, in, starts(in), in.control & MULTIKRON2_HOLD,
			 network_disabled((const struct multikron2 *)core));
}

static const struct core_chip this_chip = { .tick = tick, .idle = idle };

bool multikron2_init(struct multikron2 *chip, const struct multikron2_config *config)
{
	struct multikron2_config chosen = { .core = { 0 } };

	if (config)
		chosen = *config;
	if (!core_config_complete(&chosen.core))
		return false;
	*chip = (struct multikron2){
		.core = { .config = chosen.core, .odd_low = chosen.odd_word_low },
		.config = chosen,
	};
	core_reset_hard(&chip->core);
	clear_registers(chip);
	return true;
}

struct multikron_pins multikron2_run(struct multikron2 *chip, struct multikron_pins pins,
				     uint64_t n)
{
	return core_run(&chip->core, &this_chip, pins, n, 0);
}

struct multikron_pins multikron2_run_clocked(struct multikron2 *chip, struct multikron_pins pins,
					     uint64_t n, struct multikron_osc *osc)
{
	return core_run(&chip->core, &this_chip, pins, n, osc);
}

uint32_t multikron2_counter(const struct multikron2 *chip, unsigned i)
{
	return core_value(&chip->core, i);
}

bool multikron2_quiet(const struct multikron2 *chip)
{
	return chip->core.fifo_count == 0 && chip->core.bus != MULTIKRON_BUS_BUSY;
}
