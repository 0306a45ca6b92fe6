/* SPDX-License-Identifier: Apache-2.0 */
/* The half of MultiKron and MultiKron II that is the same: bus handshake, counting, FIFO, network.
 * A chip's tick calls, in this order: core_reset_tick or core_count, core_bus_step and, if that says
 * so, its own register action, core_net_step, core_outputs. What runs at every tick is inline. */
#ifndef CHIPS_CORE_H
#define CHIPS_CORE_H

#include <kron/multikron.h>

#define CORE_STAMP_BITS ((UINT64_C(1) << 56) - 1)

/* How a sample lies in the FIFO. */
struct core_layout {
	uint8_t groups; /* 32-bit words of an entry */
	uint8_t lsb_order[4 *
			  MULTIKRON_GROUPS_MAX]; /* byte of the entry sent k-th under lsb_first */
};

enum core_verdict { CORE_TAKE, CORE_WAIT, CORE_DROP };

/* Replace zeros by the defaults. False if a field of config is out of its range. */
bool core_config_complete(struct multikron_config *config);

/* The state after a hardware reset. config and faults stay. */
void core_reset_hard(struct multikron_core *core);

/* The state after a software reset: as hard, but time stamp, prescalers, network clock, wait states,
 * accounts and the access under way stay. */
void core_reset_soft(struct multikron_core *core);

/* One tick with RESET asserted. */
struct multikron_pins core_reset_tick(struct multikron_core *core, struct multikron_pins in,
				      unsigned wait_states);

/* The first tick after RESET: was it long enough? */
void core_reset_release(struct multikron_core *core);

/* Bring all counters up to date. Call it before any change of what they count. */
void core_settle(struct multikron_core *core);

/* Counter i as it would be up to date. */
uint32_t core_value(const struct multikron_core *core, unsigned i);

/* Add n to counter i, or to the pair it controls, stopping at the top. */
void core_add(struct multikron_core *core, unsigned i, uint64_t n);

/* A trigger of this filter level arrives. CORE_WAIT and CORE_DROP have been accounted for. */
enum core_verdict core_admit(struct multikron_core *core, unsigned level, bool needs_shadow,
			     bool test);

/* A read of the counters copies them to the shadow registers, unless those are busy. Returns false if
 * it must wait for them. */
bool core_read_copy(struct multikron_core *core, bool test);

/* The time stamp of a sample taken now. */
uint64_t core_sample_time(const struct multikron_core *core);

/* Put a sample into the FIFO, which has room. Its header carried the pending overrun flags. A resource
 * sample takes the counters and the shadow registers. */
void core_push_sample(struct multikron_core *core, struct multikron_entry *entry, bool resource);

/* Put a test pattern into the FIFO, if it has room. */
void core_push_pattern(struct multikron_core *core, uint32_t pattern, unsigned groups);

/* The test command "advance the FIFO and free the shadow registers". */
void core_advance(struct multikron_core *core);

/* A CSR write of data: an enable bit at `bit`, its disable bit above it. */
void core_csr_pair(struct multikron_core *core, uint64_t data, unsigned bit, bool *setting);

/* CSR bits 0..13 as both chips read them. */
uint64_t core_csr_status(const struct multikron_core *core);

/* Latch the start of an access. */
void core_bus_begin(struct multikron_core *core, struct multikron_pins in);

/* What core_run needs to know of a chip. */
struct core_chip {
	struct multikron_pins (*tick)(struct multikron_core *core, struct multikron_pins in);
	/* After a tick with these inputs: further ones do nothing but count (core_idle). */
	bool (*idle)(const struct multikron_core *core, struct multikron_pins in);
};

/* n ticks with constant inputs, TSCLK by osc if that is not NULL. */
struct multikron_pins core_run(struct multikron_core *core, const struct core_chip *chip,
			       struct multikron_pins in, uint64_t n, struct multikron_osc *osc);

static inline unsigned core_fifo_index(const struct multikron_core *core, unsigned i)
{
	return (core->fifo_head + i) % MULTIKRON_FIFO_MAX;
}

static inline const struct multikron_entry *core_head(const struct multikron_core *core)
{
	return &core->fifo[core->fifo_head];
}

static inline bool core_fifo_full(const struct multikron_core *core)
{
	return core->fifo_count == core->config.fifo_depth;
}

/* One step of a divide-by-100 prescaler; its tenth and hundredth steps are counts. */
static inline void core_prescale(uint8_t *phase, uint64_t *tens, uint64_t *hundreds, bool counting)
{
	if (++*phase == 100) {
		*phase = 0;
		*hundreds += counting;
	}
	if (*phase % 10 == 0)
		*tens += counting;
}

static inline void core_count_stamp(struct multikron_core *core, bool counting)
{
	if (core->stamp_gap < 3)
		core->faults |= MULTIKRON_FAULT_TIMESTAMP_FAST;
	core->stamp_gap = 0;
	core_prescale(&core->stamp_phase, &core->pending[MULTIKRON_CLOCK_STAMP_10],
		      &core->pending[MULTIKRON_CLOCK_STAMP_100], counting);
	core->pending[MULTIKRON_CLOCK_STAMP] += counting;
	core->timestamp = (core->timestamp + counting) & CORE_STAMP_BITS;
}

/* Rising edges on X, and the levels that gate. */
static inline void core_count_external(struct multikron_core *core, uint16_t x, uint16_t rising,
				       bool counting)
{
	if ((x ^ core->x) & core->gated)
		core_settle(core);
	core->x = x;
	rising &= core->external;
	if (!rising || !counting)
		return;
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		if (rising >> i & 1)
			core_add(core, i, 1);
	}
}

/* Step 2 of a tick. Clocks are only tallied here; core_settle() gives them to the counters. */
static inline void core_count(struct multikron_core *core, struct multikron_pins in)
{
	uint64_t rising = in.control & ~core->last_control;
	bool counting = !(in.control & MULTIKRON_TEST);

	core->last_control = in.control;
	if (core->stamp_gap < 3)
		core->stamp_gap++;
	core_count_external(core, (uint16_t)(in.control >> MULTIKRON_X_SHIFT),
			    (uint16_t)(rising >> MULTIKRON_X_SHIFT) | in.pulse, counting);
	if (rising & MULTIKRON_TSCLK)
		core_count_stamp(core, counting);
	core->pending[MULTIKRON_CLOCK_NODE] += counting;
	core_prescale(&core->node_phase, &core->pending[MULTIKRON_CLOCK_NODE_10],
		      &core->pending[MULTIKRON_CLOCK_NODE_100], counting);
}

/* Step 3 of a tick: true if the access under way acts now. `start`: the pins start one if they may.
 * `hold`: the pins extend an acknowledge. `slow_read`: the
 * first of sixteen addresses whose reads take one clock more. */
static inline bool core_bus_step(struct multikron_core *core, struct multikron_pins in, bool start,
				 bool hold, unsigned slow_read)
{
	if (core->bus == MULTIKRON_BUS_BUSY) {
		if (core->countdown)
			core->countdown--;
		return core->countdown == 0;
	}
	if (core->bus == MULTIKRON_BUS_ACK && core->holding && hold)
		return false;
	core->bus = MULTIKRON_BUS_IDLE;
	if (!start)
		return false;
	core_bus_begin(core, in);
	if (!core->writing && (core->address & ~15u) == slow_read)
		core->countdown++;
	return core->countdown == 0;
}

/* The access has acted. */
static inline void core_bus_done(struct multikron_core *core, bool hold)
{
	core->bus = MULTIKRON_BUS_ACK;
	core->holding = hold;
}

static inline unsigned core_sample_bytes(const struct multikron_entry *entry,
					 const struct core_layout *layout)
{
	return 4u * layout->groups + (entry->resource ? 4 * MULTIKRON_COUNTERS : 0);
}

/* Put the next byte of the head's sample on the pins, if there is one. */
void core_net_present(struct multikron_core *core, const struct core_layout *layout);

/* The byte on the pins has been taken. */
void core_net_taken(struct multikron_core *core, const struct core_layout *layout);

/* Step 4 of a tick. Returns the network's output pins. */
static inline uint64_t core_net_step(struct multikron_core *core, struct multikron_pins in,
				     const struct core_layout *layout, bool disabled)
{
	bool ready = (in.control & MULTIKRON_FREE) && !core->skip;
	uint64_t pins = 0;

	core->netclk = !core->netclk;
	if (!core->netclk && disabled)
		core->presented = false;
	else if (!core->netclk && core->fifo_count && !core->presented)
		core_net_present(core, layout);
	if (core->netclk) {
		pins = MULTIKRON_NETCLK;
		core->skip = false;
	}
	if (!core->presented)
		return pins;
	pins |= core->shown | (ready ? MULTIKRON_LOAD : 0);
	if (core->netclk && ready)
		core_net_taken(core, layout);
	return pins;
}

/* Step 5 of a tick. */
static inline struct multikron_pins core_outputs(const struct multikron_core *core,
						 struct multikron_pins in, uint64_t network)
{
	in.control &= ~MULTIKRON_OUTPUTS;
	if (in.control & MULTIKRON_OUTDIS)
		return in;
	in.control |= network;
	if (core->bus == MULTIKRON_BUS_ACK) {
		in.control |= MULTIKRON_RDY;
		if (!core->writing)
			in.data = core->data;
	}
	return in;
}

/* True if ticks with these inputs, following one with the same inputs, do nothing but count. `start`
 * and `hold` as in core_bus_step, `disabled` as in core_net_step. */
static inline bool core_idle(const struct multikron_core *core, struct multikron_pins in,
			     bool start, bool hold, bool disabled)
{
	bool stalled = disabled || !(in.control & MULTIKRON_FREE);
	bool held = core->bus == MULTIKRON_BUS_ACK && core->holding && hold;

	if (!held && (core->bus != MULTIKRON_BUS_IDLE || start))
		return false;
	if (core->skip)
		return false;
	if (in.control & MULTIKRON_RESET)
		return false;
	return core->fifo_count == 0 ? !core->presented : stalled && core->presented == !disabled;
}

#endif
