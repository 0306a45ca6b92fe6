/* SPDX-License-Identifier: Apache-2.0 */
#include "chips/core.h"
#include <kron/multikron2.h>

/* MultiKron II has MultiKron's pads on the same bits, so this file can use MultiKron's names. */
_Static_assert(MULTIKRON2_RESET == MULTIKRON_RESET && MULTIKRON2_TSCLK == MULTIKRON_TSCLK &&
		       MULTIKRON2_READ == MULTIKRON_RD && MULTIKRON2_WRITE == MULTIKRON_WR &&
		       MULTIKRON2_NETRDY == MULTIKRON_FREE && MULTIKRON2_ACK == MULTIKRON_RDY &&
		       MULTIKRON2_FIFODA == MULTIKRON_LOAD && MULTIKRON2_EOM == MULTIKRON_EOM &&
		       MULTIKRON2_TEST == MULTIKRON_TEST && MULTIKRON2_OUTDIS == MULTIKRON_OUTDIS &&
		       MULTIKRON2_N == MULTIKRON_N && MULTIKRON2_OUTPUTS == MULTIKRON_OUTPUTS,
	       "the two chips share their pads");

/* Low in the first half of its period, high in the second. */
static bool osc_high(const struct multikron_osc *osc)
{
	return osc->phase >= osc->node_hz - osc->phase;
}

bool multikron_osc_step(struct multikron_osc *osc)
{
	osc->phase += osc->hz;
	if (osc->phase >= osc->node_hz)
		osc->phase -= osc->node_hz;
	return osc_high(osc);
}

/* The time stamp clock's last edge is n node clocks further back. */
static void widen_gap(struct multikron_core *core, uint64_t n)
{
	core->stamp_gap = n > 3u - core->stamp_gap ? 3 : (uint8_t)(core->stamp_gap + n);
}

/* n node clocks of osc at once, after a tick with it: how many rising edges they see. Half periods
 * are whole numbers if everything is doubled; `since` is the way from the last rising edge. */
static uint64_t skip_osc(struct multikron_core *core, struct multikron_osc *osc, uint64_t n)
{
	unsigned __int128 period = 2 * (unsigned __int128)osc->node_hz;
	unsigned __int128 step = 2 * (unsigned __int128)osc->hz;
	unsigned __int128 since = (2 * (unsigned __int128)osc->phase + osc->node_hz) % period;
	uint64_t first = (uint64_t)((period - since + step - 1) / step);
	uint64_t edges = (uint64_t)((since + step * n) / period);

	if (edges && core->stamp_gap + first < 3)
		core->faults |= MULTIKRON_FAULT_TIMESTAMP_FAST;
	osc->phase = (uint64_t)((osc->phase + (unsigned __int128)osc->hz * n) % osc->node_hz);
	if (edges) {
		core->stamp_gap = 0;
		n = (uint64_t)((since + step * n) % period / step);
	}
	widen_gap(core, n);
	return edges;
}

bool core_config_complete(struct multikron_config *config)
{
	if (!config->fifo_depth)
		config->fifo_depth = 8;
	if (!config->base_clocks)
		config->base_clocks = 2;
	return config->fifo_depth >= 2 && config->fifo_depth <= MULTIKRON_FIFO_MAX &&
	       config->base_clocks >= 1 && config->base_clocks <= 255;
}

void core_reset_hard(struct multikron_core *core)
{
	*core = (struct multikron_core){
		.config = core->config,
		.faults = core->faults,
		.odd_low = core->odd_low,
		.stamp_gap = 3,
	};
}

void core_reset_soft(struct multikron_core *core)
{
	struct multikron_core old = *core;

	core_reset_hard(core);
	core->timestamp = old.timestamp;
	core->wait_states = old.wait_states;
	core->node_phase = old.node_phase;
	core->stamp_phase = old.stamp_phase;
	core->stamp_gap = old.stamp_gap;
	core->netclk = old.netclk;
	core->x = old.x;
	core->last_control = old.last_control;
	core->bus = old.bus;
	core->writing = old.writing;
	core->address = old.address;
	core->accepted = old.accepted;
	core->lost = old.lost;
	core->sent = old.sent;
	core->sent_lost = old.sent_lost;
}

struct multikron_pins core_reset_tick(struct multikron_core *core, struct multikron_pins in,
				      unsigned wait_states)
{
	uint8_t clocks = core->reset_clocks;

	core_reset_hard(core);
	core->wait_states = (uint8_t)wait_states;
	core->reset_clocks = clocks < 5 ? clocks + 1 : 5;
	core->last_control = in.control;
	core->x = (uint16_t)(in.control >> MULTIKRON_X_SHIFT);
	in.control &= ~MULTIKRON_OUTPUTS;
	return in;
}

void core_reset_release(struct multikron_core *core)
{
	if (core->reset_clocks < 5)
		core->faults |= MULTIKRON_FAULT_RESET_SHORT;
	core->reset_clocks = 0;
}

/* Clocks that counter i has seen since core_settle(). */
static uint64_t tally(const struct multikron_core *core, unsigned i)
{
	if ((core->gated >> i & 1) && !(core->x >> i & 1))
		return 0;
	return core->pending[core->clock[i]];
}

static uint64_t add_saturating(uint64_t value, uint64_t n, uint64_t top)
{
	return n > top - value ? top : value + n;
}

/* The 64-bit value of the pair that even counter i controls. */
static uint64_t pair_value(const struct multikron_core *core, unsigned i)
{
	uint64_t low = core->counter[i + core->odd_low];
	uint64_t high = core->counter[i + !core->odd_low];

	return high << 32 | low;
}

static bool in_pair(const struct multikron_core *core, unsigned i)
{
	return core->wide >> (i & ~1u) & 1;
}

uint32_t core_value(const struct multikron_core *core, unsigned i)
{
	unsigned even = i & ~1u;

	if (!in_pair(core, i))
		return (uint32_t)add_saturating(core->counter[i], tally(core, i), UINT32_MAX);
	uint64_t value = add_saturating(pair_value(core, even), tally(core, even), UINT64_MAX);
	bool low = (i & 1) == core->odd_low;
	return (uint32_t)(low ? value : value >> 32);
}

void core_settle(struct multikron_core *core)
{
	uint32_t value[MULTIKRON_COUNTERS];

	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		value[i] = core_value(core, i);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		core->counter[i] = value[i];
	for (unsigned i = 0; i < MULTIKRON_CLOCKS; i++)
		core->pending[i] = 0;
}

void core_add(struct multikron_core *core, unsigned i, uint64_t n)
{
	if (!in_pair(core, i)) {
		core->counter[i] = (uint32_t)add_saturating(core->counter[i], n, UINT32_MAX);
		return;
	}
	uint64_t value = add_saturating(pair_value(core, i), n, UINT64_MAX);
	core->counter[i + core->odd_low] = (uint32_t)value;
	core->counter[i + !core->odd_low] = (uint32_t)(value >> 32);
}

static void copy_counters(struct multikron_core *core)
{
	core_settle(core);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++)
		core->shadow[i] = core->counter[i];
}

bool core_read_copy(struct multikron_core *core, bool test)
{
	if (!core->shadow_busy) {
		copy_counters(core);
		return true;
	}
	if (core->read_wait)
		core->wait_clocks += !test;
	return !core->read_wait;
}

enum core_verdict core_admit(struct multikron_core *core, unsigned level, bool needs_shadow,
			     bool test)
{
	bool no_entry = core_fifo_full(core);
	bool no_shadow = needs_shadow && core->shadow_busy;

	if (!core->sampling || !(core->filter >> level & 1))
		return CORE_DROP;
	if (!core->cpu_valid)
		core->faults |= MULTIKRON_FAULT_CPU_LINES;
	if (!no_entry && !no_shadow)
		return CORE_TAKE;
	if (core->write_wait) {
		core->wait_clocks += !test;
		core->waited = true;
		return CORE_WAIT;
	}
	core->fifo_overrun |= no_entry;
	core->shadow_overrun |= no_shadow;
	core->overruns += !test;
	core->lost++;
	return CORE_DROP;
}

static void push(struct multikron_core *core, struct multikron_entry *entry)
{
	entry->lost = core->lost;
	core->fifo[core_fifo_index(core, core->fifo_count)] = *entry;
	core->fifo_count++;
	core->accepted++;
}

uint64_t core_sample_time(const struct multikron_core *core)
{
	bool at_request = core->config.stamp_at_request && core->waited;

	return at_request ? core->request_time : core->timestamp;
}

void core_push_sample(struct multikron_core *core, struct multikron_entry *entry, bool resource)
{
	core->fifo_overrun = false;
	core->shadow_overrun = false;
	if (resource) {
		copy_counters(core);
		core->shadow_busy = true;
	}
	entry->resource = resource;
	entry->owns_shadow = resource;
	push(core, entry);
}

void core_push_pattern(struct multikron_core *core, uint32_t pattern, unsigned groups)
{
	struct multikron_entry entry = { .resource = pattern & 1 };

	if (core_fifo_full(core))
		return;
	for (unsigned i = 0; i < groups; i++)
		entry.group[i] = pattern;
	push(core, &entry);
}

/* The head leaves the FIFO; the output starts again with the first byte of the next. */
static void pop(struct multikron_core *core)
{
	core->fifo_head = (uint8_t)core_fifo_index(core, 1);
	core->fifo_count--;
	core->byte = 0;
	core->presented = false;
}

void core_advance(struct multikron_core *core)
{
	if (core->fifo_count)
		pop(core);
	core->shadow_busy = false;
	for (unsigned i = 0; i < core->fifo_count; i++) {
		struct multikron_entry *entry = &core->fifo[core_fifo_index(core, i)];
		entry->orphan |= entry->owns_shadow;
	}
}

static unsigned sample_byte(const struct multikron_core *core, const struct core_layout *layout)
{
	unsigned k = core->byte;
	unsigned entry_bytes = 4u * layout->groups;
	const uint32_t *words = core_head(core)->group;

	if (k >= entry_bytes) {
		k -= entry_bytes;
		words = core->shadow;
		if (core->config.lsb_first)
			k ^= 3; /* within its counter, from the other end */
	} else if (core->config.lsb_first) {
		k = layout->lsb_order[k];
	}
	return words[k / 4] >> (24 - 8 * (k % 4)) & 0xff;
}

static bool odd_ones(unsigned byte)
{
	byte ^= byte >> 4;
	return 0x6996u >> (byte & 15) & 1; /* bit n: the number n has an odd number of ones */
}

void core_net_present(struct multikron_core *core, const struct core_layout *layout)
{
	while (core->fifo_count && core_head(core)->orphan)
		pop(core);
	core->presented = core->fifo_count != 0;
	if (!core->presented)
		return;
	unsigned byte = sample_byte(core, layout);
	bool last = core->byte + 1u == core_sample_bytes(core_head(core), layout);
	core->shown = (uint64_t)byte << MULTIKRON_N_SHIFT |
		      (odd_ones(byte) ? 0 : MULTIKRON_PARITY) | (last ? MULTIKRON_EOM : 0);
}

void core_net_taken(struct multikron_core *core, const struct core_layout *layout)
{
	const struct multikron_entry *head = core_head(core);

	core->presented = false;
	if (++core->byte < core_sample_bytes(head, layout))
		return;
	if (head->resource)
		core->shadow_busy = false;
	core->sent++;
	core->sent_lost = head->lost;
	pop(core);
}

void core_csr_pair(struct multikron_core *core, uint64_t data, unsigned bit, bool *setting)
{
	unsigned pair = data >> bit & 3; /* 1: enable, 2: disable */

	if (pair == 0)
		return;
	if (pair == 3)
		core->faults |= MULTIKRON_FAULT_CSR_PAIR;
	*setting = pair == 1 || (pair == 3 && core->config.enable_wins);
}

uint64_t core_csr_status(const struct multikron_core *core)
{
	bool resource = core->fifo_count && core_head(core)->resource;

	return (core->sampling ? MULTIKRON_CSR_SAMPLING : 0u) |
	       (core->write_wait ? MULTIKRON_CSR_WRITE_WAIT : 0u) |
	       (core->read_wait ? MULTIKRON_CSR_READ_WAIT : 0u) |
	       (core_fifo_full(core) ? MULTIKRON_CSR_FIFO_FULL : 0u) |
	       (core->shadow_busy ? MULTIKRON_CSR_SHADOW_FULL : 0u) |
	       (core->fifo_overrun ? MULTIKRON_CSR_FIFO_OVERRUN : 0u) |
	       (core->shadow_overrun ? MULTIKRON_CSR_SHADOW_OVERRUN : 0u) |
	       (resource ? MULTIKRON_CSR_FIFO_BIT_128 : 0u) |
	       (uint64_t)core->wait_states << MULTIKRON_CSR_WAIT_STATES_SHIFT;
}

void core_bus_begin(struct multikron_core *core, struct multikron_pins in)
{
	unsigned lines = in.control >> MULTIKRON_C_SHIFT & 0xff;

	if (in.control & MULTIKRON_RD && in.control & MULTIKRON_WR)
		core->faults |= MULTIKRON_FAULT_BUS;
	core->bus = MULTIKRON_BUS_BUSY;
	core->writing = !(in.control & MULTIKRON_RD);
	core->address = in.control >> MULTIKRON_A_SHIFT & 127;
	core->data = in.data;
	core->cpu_valid = lines && !(lines & (lines - 1));
	core->cpu = 0;
	while (lines && !(lines >> core->cpu & 1))
		core->cpu++;
	core->request_time = core->timestamp;
	core->waited = false;
	core->countdown = (uint16_t)(core->config.base_clocks - 1 + core->wait_states);
}

static void skip_prescaler(uint8_t *phase, uint64_t n, uint64_t *tens, uint64_t *hundreds)
{
	uint64_t tens_before = *phase / 10;
	uint64_t steps = n % 100 + *phase;

	*tens += n / 100 * 10 + steps / 10 - tens_before;
	*hundreds += n / 100 + steps / 100;
	*phase = (uint8_t)(steps % 100);
}

/* n ticks at once in which nothing but counting happens, with `stamps` rising time stamp clocks. */
static void skip(struct multikron_core *core, struct multikron_pins in, uint64_t n, uint64_t stamps)
{
	uint64_t tally_of[MULTIKRON_CLOCKS] = {
		[MULTIKRON_CLOCK_NODE] = n, [MULTIKRON_CLOCK_STAMP] = stamps
	};
	uint16_t pulses = in.pulse & core->external;

	core->netclk ^= n & 1;
	skip_prescaler(&core->node_phase, n, &tally_of[MULTIKRON_CLOCK_NODE_10],
		       &tally_of[MULTIKRON_CLOCK_NODE_100]);
	skip_prescaler(&core->stamp_phase, stamps, &tally_of[MULTIKRON_CLOCK_STAMP_10],
		       &tally_of[MULTIKRON_CLOCK_STAMP_100]);
	if (in.control & MULTIKRON_TEST)
		return;
	core->timestamp = (core->timestamp + stamps) & CORE_STAMP_BITS;
	bool huge = (core->pending[MULTIKRON_CLOCK_NODE] | n) >> 62; /* no other clock is faster */
	if (huge)
		core_settle(core);
	for (unsigned i = 0; i < MULTIKRON_CLOCKS; i++)
		core->pending[i] += tally_of[i];
	if (huge)
		core_settle(core);
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		if (pulses >> i & 1)
			core_add(core, i, n);
	}
}

struct multikron_pins core_run(struct multikron_core *core, const struct core_chip *chip,
			       struct multikron_pins in, uint64_t n, struct multikron_osc *osc)
{
	/* An oscillator beyond the specification has edges that levels do not show. */
	bool ticking = osc && osc->hz > osc->node_hz / 3;
	struct multikron_pins out;

	for (;;) {
		if (osc)
			in.control = (in.control & ~MULTIKRON_TSCLK) |
				     (multikron_osc_step(osc) ? MULTIKRON_TSCLK : 0);
		out = chip->tick(core, in);
		if (--n == 0)
			return out;
		if (n == 1 || ticking || !chip->idle(core, in))
			continue;
		uint64_t stamps = 0;
		if (osc && osc->hz)
			stamps = skip_osc(core, osc, n - 1);
		else
			widen_gap(core, n - 1);
		skip(core, in, n - 1, stamps);
		/* The levels between are gone; the edge detector goes on from the last of them. */
		if (osc)
			core->last_control = (core->last_control & ~MULTIKRON_TSCLK) |
					     (osc_high(osc) ? MULTIKRON_TSCLK : 0);
		n = 1;
	}
}
