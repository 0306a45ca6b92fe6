/* SPDX-License-Identifier: Apache-2.0 */
/* Random accesses on random pins: both chips against the oracle, at every tick.
 *
 * KRON_SEED repeats a run, KRON_OPS sets the number of bus operations of each comparison. A failure
 * names seed, operation, tick and the differing item, and prints the last ticks. Everything random
 * comes from the one generator in struct driver, so a seed says it all. */
#include "unit/test.h"
#include "oracle/multikron_oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SEED UINT64_C(0x4b726f6e)
#define DEFAULT_OPS  UINT64_C(1000000)
#define ENOUGH_OPS   UINT64_C(200000) /* for the coverage that finish() demands */
#define HISTORY      24

/* ---- What is compared ---- */

/* Fields that the models and the oracle call by the same name. */
/* clang-format off */
#define SHARED_ITEMS(X) \
	X(timestamp) X(wait_clocks) X(overruns) X(wait_states) X(sampling) X(write_wait) \
	X(read_wait) X(fifo_overrun) X(shadow_overrun) X(shadow_busy) X(fifo_count) X(faults) \
	X(accepted) X(lost) X(sent) X(sent_lost)
/* clang-format on */

#define ITEM(name) ITEM_##name,
enum item {
	SHARED_ITEMS(ITEM) ITEM_FILTER,
	ITEM_OWN, /* registers that only one of the chips has: six */
	ITEM_SOURCE = ITEM_OWN + 6,
	ITEM_COUNTER = ITEM_SOURCE + MULTIKRON_CPUS,
	ITEM_SHADOW = ITEM_COUNTER + MULTIKRON_COUNTERS,
	ITEMS = ITEM_SHADOW + MULTIKRON_COUNTERS
};
#undef ITEM

struct view {
	uint64_t item[ITEMS];
};

union chip {
	struct multikron one;
	struct multikron2 two;
};

/* How the pins behave for a while. "One in n": 0 means never. */
struct mood {
	unsigned trigger_percent;
	unsigned resource_percent; /* of the triggers */
	unsigned gap_max;          /* idle ticks between two operations */
	unsigned stall_max;        /* ticks of FREE low; 0: always high */
	unsigned free_max;
	unsigned stamp_style; /* 0 oscillator, 1 irregular, 2 wild, 3 stopped */
	unsigned x_one_in, pulse_one_in, hold_one_in, outdis_one_in;
	unsigned mischief_one_in; /* strobes that have no business there */
	bool start_tied;
};

struct driver {
	bool second;
	uint64_t seed;
	uint64_t random; /* state of the generator */
	union chip chip;
	struct oracle oracle;
	uint64_t op;
	uint64_t tick;

	struct mood mood;
	uint64_t mood_ends; /* operation */
	uint64_t session_ends;
	struct multikron_osc osc;
	uint16_t x;
	bool stamp, test, free;
	unsigned free_ticks, hold_ticks, outdis_ticks;
	bool rescue; /* let a waiting access end */

	/* What a receiver on the network sees. */
	unsigned received_bytes;
	bool received_whole; /* every byte since the last EOM was seen */
	uint64_t restarts;
	uint64_t received_trace;
	uint64_t received_resource;
	uint64_t fault_count[8];
	uint64_t hits[ORACLE_HITS]; /* of the sessions before this one */
	uint64_t addressed[2][128]; /* reads and writes */

	uint64_t run_ticks; /* the run that is being compared, for the report */
	struct multikron_pins run_in;
	struct multikron_pins in[HISTORY];
	struct multikron_pins out[HISTORY];
};

static const char *item_name(bool second, unsigned item, unsigned *index)
{
#define NAME(name) #name,
	static const char *const names[ITEM_OWN] = { SHARED_ITEMS(NAME) "filter" };
#undef NAME
	static const char *const own_one[6] = { "test_register", "mux_sel", "enabled",
						"slow_10us" };
	static const char *const own_two[6] = { "mode",       "clock_select", "enable",
						"high_order", "mode_32bit",   "network_off" };

	*index = 0;
	if (item < ITEM_OWN)
		return names[item];
	if (item < ITEM_SOURCE)
		return second ? own_two[item - ITEM_OWN] : own_one[item - ITEM_OWN];
	if (item < ITEM_COUNTER) {
		*index = item - ITEM_SOURCE;
		return "source";
	}
	*index = (item - ITEM_COUNTER) % MULTIKRON_COUNTERS;
	return item < ITEM_SHADOW ? "counter" : "shadow";
}

static struct multikron_core *core_of(bool second, union chip *chip)
{
	return second ? &chip->two.core : &chip->one.core;
}

#define VIEW(name) view->item[ITEM_##name] = from->name;

static void view_chip(bool second, union chip *chip, struct view *view)
{
	const struct multikron_core *from = core_of(second, chip);
	const struct multikron *one = &chip->one;
	const struct multikron2 *two = &chip->two;
	uint64_t *own = &view->item[ITEM_OWN];

	SHARED_ITEMS(VIEW)
	view->item[ITEM_FILTER] = from->filter;
	own[0] = second ? two->mode : one->test_register;
	own[1] = second ? two->clock_select : one->mux_sel;
	own[2] = second ? two->enable : one->enabled;
	own[3] = second ? two->high_order : one->slow_10us;
	own[4] = second ? two->mode_32bit : 0;
	own[5] = second ? two->network_off : 0;
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		view->item[ITEM_SOURCE + i] = from->source[i];
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		view->item[ITEM_COUNTER + i] =
			second ? multikron2_counter(two, i) : multikron_counter(one, i);
		view->item[ITEM_SHADOW + i] = from->shadow[i];
	}
}

static void view_oracle(const struct oracle *from, struct view *view)
{
	uint64_t *own = &view->item[ITEM_OWN];

	SHARED_ITEMS(VIEW)
	view->item[ITEM_FILTER] = oracle_filter(from);
	own[0] = from->second ? oracle_fields(from->mode) : from->test_register;
	own[1] = from->second ? oracle_fields(from->clock_select) : oracle_mux_sel(from);
	own[2] = from->second ? oracle_fields(from->enable) : oracle_enabled(from);
	own[3] = from->second ? from->high_order : from->slow_10us;
	own[4] = from->mode_32bit;
	own[5] = from->network_off;
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		view->item[ITEM_SOURCE + i] = from->source[i];
	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		view->item[ITEM_COUNTER + i] = from->counter[i];
		view->item[ITEM_SHADOW + i] = from->shadow[i];
	}
}

#undef VIEW

/* ---- Reports ---- */

static const char *chip_name(const struct driver *d)
{
	return d->second ? "MultiKron II" : "MultiKron";
}

static void print_history(const struct driver *d)
{
	uint64_t first = d->tick < HISTORY ? 0 : d->tick - HISTORY + 1;

	for (uint64_t t = first; t <= d->tick; t++) {
		const struct multikron_pins *in = &d->in[t % HISTORY];
		const struct multikron_pins *out = &d->out[t % HISTORY];

		print_message("tick %" PRIu64 ": in %016" PRIx64 " data %016" PRIx64
			      " pulse %04x -> out %016" PRIx64 " data %016" PRIx64 "\n",
			      t, in->control, in->data, in->pulse, out->control, out->data);
	}
}

static void mismatch(const struct driver *d, const char *item, unsigned index, uint64_t expected,
		     uint64_t got)
{
	const struct multikron_config *config = &d->oracle.config.core;

	print_history(d);
	print_message("last access %s %u, bus %u, fifo %u of %u, base %u, stamp_at_request %d\n",
		      d->oracle.writing ? "write" : "read", d->oracle.address, d->oracle.bus,
		      d->oracle.fifo_count, config->fifo_depth, config->base_clocks,
		      config->stamp_at_request);
	if (d->run_ticks > 0)
		print_message("then a run of %" PRIu64 ": control %016" PRIx64 " pulse %04x\n",
			      d->run_ticks, d->run_in.control, d->run_in.pulse);
	fail_msg("%s, KRON_SEED=%" PRIu64 ", operation %" PRIu64 ", tick %" PRIu64
		 ": %s[%u]: expected %016" PRIx64 ", got %016" PRIx64,
		 chip_name(d), d->seed, d->op, d->tick, item, index, expected, got);
}

static void compare_views(const struct driver *d, const struct view *expected,
			  const struct view *got)
{
	if (memcmp(expected, got, sizeof(*got)) == 0)
		return;
	for (unsigned i = 0; i < ITEMS; i++) {
		unsigned index;
		const char *name = item_name(d->second, i, &index);

		if (expected->item[i] != got->item[i])
			mismatch(d, name, index, expected->item[i], got->item[i]);
	}
}

static void compare_pins(const struct driver *d, struct multikron_pins expected,
			 struct multikron_pins got)
{
	if (expected.control != got.control)
		mismatch(d, "control pins", 0, expected.control, got.control);
	if (expected.data != got.data)
		mismatch(d, "data pins", 0, expected.data, got.data);
}

/* ---- Random numbers ---- */

static uint64_t draw(struct driver *d)
{
	/* splitmix64 */
	uint64_t z = (d->random += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static unsigned below(struct driver *d, unsigned n)
{
	return (unsigned)(draw(d) % n);
}

static bool one_in(struct driver *d, unsigned n)
{
	return n > 0 && below(d, n) == 0;
}

/* All ones, nearly all ones, both halves nearly full, small, sparse, or anything. In this file no
 * expression draws twice where the compiler could choose the order: a seed must mean the same
 * everywhere. */
static uint64_t draw_data(struct driver *d)
{
	uint64_t low = UINT32_MAX - below(d, 8);
	uint64_t high = UINT32_MAX - below(d, 8);

	switch (below(d, 8)) {
	case 0:
		return UINT64_MAX;
	case 1:
		return UINT64_MAX - below(d, 40);
	case 2:
		return below(d, 40);
	case 3:
		return draw(d) & draw(d) & draw(d);
	case 4:
		return (high << 32) | low;
	default:
		return draw(d);
	}
}

/* ---- The pins ---- */

static struct multikron_pins chip_tick(bool second, union chip *chip, struct multikron_pins in)
{
	return second ? multikron2_tick(&chip->two, in) : multikron_tick(&chip->one, in);
}

static bool next_stamp(struct driver *d)
{
	switch (d->mood.stamp_style) {
	case 0:
		return multikron_osc_step(&d->osc);
	case 1:
		return d->stamp != one_in(d, 4);
	case 2:
		return one_in(d, 2);
	default:
		return d->stamp;
	}
}

static bool next_free(struct driver *d)
{
	if (d->mood.stall_max == 0 || d->rescue)
		return true;
	if (d->free_ticks == 0) {
		d->free = !d->free;
		d->free_ticks = 1 + below(d, d->free ? d->mood.free_max : d->mood.stall_max);
	}
	d->free_ticks--;
	return d->free;
}

/* A pin that is high for a spell now and then. */
static bool next_spell(struct driver *d, unsigned *ticks, unsigned one_in_n)
{
	if (*ticks == 0 && one_in(d, one_in_n))
		*ticks = one_in(d, 20) ? 1 + below(d, 60) : 1 + below(d, 4);
	if (*ticks == 0)
		return false;
	(*ticks)--;
	return true;
}

/* Everything but the bus. Outputs of the chip are noise here: it must not look at them. */
static struct multikron_pins next_environment(struct driver *d)
{
	struct multikron_pins in = { .data = draw(d) };
	uint64_t noise = draw(d);

	if (one_in(d, d->mood.x_one_in))
		d->x ^= (uint16_t)(noise & (noise >> 16));
	if (one_in(d, d->mood.pulse_one_in))
		in.pulse = (uint16_t)((noise >> 32) & (noise >> 16));
	d->stamp = next_stamp(d);
	in.control = (noise & MULTIKRON_OUTPUTS) | (noise & MULTIKRON_W0) | d->x;
	if (d->stamp)
		in.control |= MULTIKRON_TSCLK;
	if (next_free(d))
		in.control |= MULTIKRON_FREE;
	if (d->test && !d->rescue)
		in.control |= MULTIKRON_TEST;
	if (next_spell(d, &d->outdis_ticks, d->mood.outdis_one_in))
		in.control |= MULTIKRON_OUTDIS;
	if (d->second) {
		if (next_spell(d, &d->hold_ticks, d->mood.hold_one_in) && !d->rescue)
			in.control |= MULTIKRON2_HOLD;
		if (d->mood.start_tied)
			in.control |= MULTIKRON2_START;
	} else {
		in.control |= noise & MULTIKRON_W1;
		if (noise % 4096 == 0)
			in.control |= MULTIKRON_ITEST;
	}
	return in;
}

/* What a receiver of bytes sees: every sample has its length, and odd parity.
 * MK1-133, MK1-139, MK1-140, MK1-144, MK1-145, MK2-095, MK2-096, MK2-156, MK2-161, MK2-172. */
static void receive(struct driver *d, struct multikron_pins out)
{
	unsigned trace = d->second ? 20 : 16;
	unsigned n = (unsigned)(out.control >> MULTIKRON_N_SHIFT) & 255;
	unsigned parity = (out.control & MULTIKRON_PARITY) != 0;

	if (d->restarts != d->oracle.restarts) {
		d->restarts = d->oracle.restarts;
		d->received_bytes = 0;
		d->received_whole = true;
	}
	if (out.control & MULTIKRON_OUTDIS)
		d->received_whole = false;
	if (!(out.control & MULTIKRON_NETCLK) || !(out.control & MULTIKRON_LOAD))
		return;
	if ((unsigned)__builtin_popcount(n) % 2 == parity)
		mismatch(d, "parity", 0, !parity, parity);
	d->received_bytes++;
	if (!(out.control & MULTIKRON_EOM))
		return;
	if (d->received_whole && d->received_bytes != trace && d->received_bytes != trace + 64)
		mismatch(d, "length of a sample", 0, trace, d->received_bytes);
	if (d->received_whole && d->received_bytes == trace)
		d->received_trace++;
	if (d->received_whole && d->received_bytes != trace)
		d->received_resource++;
	d->received_bytes = 0;
	d->received_whole = true;
}

static void check_quiet(const struct driver *d)
{
	bool quiet = d->second ? multikron2_quiet(&d->chip.two) : multikron_quiet(&d->chip.one);
	bool empty = d->oracle.fifo_count == 0;

	if (quiet && (!empty || d->oracle.bus == ORACLE_BUSY))
		mismatch(d, "quiet", 0, false, true);
	if (!quiet && empty && d->oracle.bus == ORACLE_IDLE)
		mismatch(d, "quiet", 0, true, false);
}

static void step_pins(struct driver *d, struct multikron_pins in)
{
	struct view expected;
	struct view got;
	struct multikron_pins out;
	struct multikron_pins oracle_out;

	d->tick++;
	out = chip_tick(d->second, &d->chip, in);
	d->in[d->tick % HISTORY] = in;
	d->out[d->tick % HISTORY] = out;
	oracle_out = oracle_tick(&d->oracle, in);
	compare_pins(d, oracle_out, out);
	view_oracle(&d->oracle, &expected);
	view_chip(d->second, &d->chip, &got);
	compare_views(d, &expected, &got);
	check_quiet(d);
	receive(d, out);
}

/* ---- Accesses ---- */

struct access {
	bool write;
	unsigned address;
	uint64_t data;
};

static void hardware_reset(struct driver *d)
{
	unsigned ticks = one_in(d, 3) ? 1 + below(d, 5) : 5 + below(d, 4);

	while (ticks-- > 0) {
		struct multikron_pins in = next_environment(d);

		in.control |= MULTIKRON_RESET | (draw(d) & (MULTIKRON_RD | MULTIKRON_WR));
		step_pins(d, in);
	}
}

static uint64_t draw_cpu_lines(struct driver *d)
{
	if (one_in(d, 50))
		return (draw(d) & 255) << MULTIKRON_C_SHIFT;
	return MULTIKRON_C(below(d, 8));
}

/* A tick between accesses, or between start and acknowledge: the chip must not care for address,
 * data and CPU lines, and not for strobes once an access has started. */
static void step_idle(struct driver *d)
{
	struct multikron_pins in = next_environment(d);

	in.control |= (draw(d) & 127) << MULTIKRON_A_SHIFT;
	in.control |= draw_cpu_lines(d);
	if (one_in(d, d->mood.mischief_one_in))
		in.control |= draw(d) & (MULTIKRON_RD | MULTIKRON_WR);
	if (d->second && one_in(d, d->mood.mischief_one_in))
		in.control |= MULTIKRON2_START;
	if (one_in(d, 3000) && !d->rescue)
		d->test = !d->test;
	step_pins(d, in);
	if (one_in(d, 20000))
		hardware_reset(d);
}

static void step_strobe(struct driver *d, const struct access *access, uint64_t cpu_lines)
{
	struct multikron_pins in = next_environment(d);

	in.control |= access->write ? MULTIKRON_WR : MULTIKRON_RD;
	if (one_in(d, 300))
		in.control |= MULTIKRON_RD | MULTIKRON_WR;
	if (d->second)
		in.control |= MULTIKRON2_START;
	in.control |= MULTIKRON_A(access->address) | cpu_lines;
	in.data = access->data;
	step_pins(d, in);
}

/* An access that waits for a network that is stalled, or switched off by a test command, would wait
 * for ever: after a while both are ended, and what still waits is reset. */
static void patience(struct driver *d, unsigned waited, unsigned limit)
{
	if (waited == limit)
		d->rescue = true;
	if (waited > limit && (waited - limit) % 20000 == 0)
		hardware_reset(d);
}

/* Strobe for a tick, or until acknowledged, or longer than that; then see it end. */
static void perform(struct driver *d, const struct access *access)
{
	unsigned style = below(d, 16);
	unsigned limit = one_in(d, 40) ? 2000 : 10 + below(d, 250);
	unsigned waited = 0;
	uint64_t cpu_lines = draw_cpu_lines(d);

	d->addressed[access->write][access->address]++;
	step_strobe(d, access, cpu_lines);
	if (style < 8) {
		while (d->oracle.bus != ORACLE_ACK) {
			patience(d, ++waited, limit);
			step_strobe(d, access, cpu_lines);
		}
	}
	if (style == 0)
		for (unsigned extra = 1 + below(d, 6); extra > 0; extra--)
			step_strobe(d, access, cpu_lines);
	while (d->oracle.bus == ORACLE_BUSY) {
		patience(d, ++waited, limit);
		step_idle(d);
	}
	d->rescue = false;
}

/* ---- Which accesses ---- */

static uint64_t draw_csr(struct driver *d)
{
	static const unsigned pairs[4] = { 0, 2, 4, 14 };
	uint64_t data = one_in(d, 2) ? draw(d) & ~UINT64_C(0xc03f) : 0;

	for (unsigned i = 0; i < 4; i++) {
		if (one_in(d, i == 0 ? 2 : 5))
			data |= UINT64_C(1) << pairs[i];
		if (one_in(d, i == 0 ? 60 : 5))
			data |= UINT64_C(2) << pairs[i];
	}
	return data;
}

/* Mostly open. */
static uint64_t draw_filter(struct driver *d)
{
	return one_in(d, 4) ? draw(d) : draw(d) | draw(d) | draw(d) | 0xff0f;
}

/* Mostly few bits, so that things stay as they are for a while. */
static uint64_t draw_mask(struct driver *d)
{
	return one_in(d, 4) ? draw(d) : draw(d) & draw(d) & draw(d);
}

static struct access draw_trigger(struct driver *d)
{
	bool resource = below(d, 100) < d->mood.resource_percent;
	unsigned level = below(d, 16);

	return (struct access){ true, (resource ? 112 : 96) + level, draw(d) };
}

/* Set, increment, group, network, load, advance: each field on its own random terms. */
static uint64_t draw_test_command(struct driver *d)
{
	uint64_t data = (uint32_t)draw_data(d);

	if (one_in(d, 2))
		data |= (uint64_t)below(d, 4) << 32;
	if (one_in(d, 2))
		data |= (uint64_t)below(d, 4) << 34;
	data |= (uint64_t)below(d, 4) << 36;
	if (one_in(d, 4))
		data |= UINT64_C(1) << 38;
	if (one_in(d, 4))
		data |= UINT64_C(1) << 39;
	if (one_in(d, 5))
		data |= UINT64_C(1) << 40;
	if (one_in(d, 8))
		data |= draw(d) << 41;
	return data;
}

static struct access draw_access_one(struct driver *d)
{
	unsigned pick = below(d, 100);
	unsigned i = below(d, 1 << 16);
	bool write = one_in(d, 2);
	bool write_mostly = !one_in(d, 4);
	bool write_rarely = one_in(d, 7);

	if ((d->test && pick < 40) || pick == 93)
		return (struct access){ write, 13 + i % 2, draw_test_command(d) };
	if (pick < 45)
		return (struct access){ write_mostly, MULTIKRON_CSR, draw_csr(d) };
	if (pick < 50)
		return (struct access){ write_mostly, MULTIKRON_FILTER, draw_filter(d) };
	if (pick < 70)
		return (struct access){ write, MULTIKRON_COUNTER + i % 16, draw(d) };
	if (pick < 75)
		return (struct access){ write, MULTIKRON_MUX_SEL, draw(d) };
	if (pick < 83)
		return (struct access){ write, MULTIKRON_RESOURCE_RESET + i % 3, draw_mask(d) };
	if (pick < 88)
		return (struct access){ write, MULTIKRON_SOURCE + i % 8, draw(d) };
	if (pick < 92)
		return (struct access){ write_rarely, MULTIKRON_WAIT_COUNTER + i % 2, draw(d) };
	if (pick < 93)
		return (struct access){ write_rarely, MULTIKRON_SOFT_RESET, draw(d) };
	return (struct access){ write, 1 + i % 127, draw(d) };
}

static struct access draw_test_two(struct driver *d)
{
	static const uint8_t addresses[] = { 2,  5,  6,  16, 17, 18, 19, 20, 20,
					     20, 21, 21, 25, 26, 27, 28, 29 };
	unsigned i = below(d, sizeof(addresses));

	return (struct access){ true, addresses[i], draw_data(d) };
}

static struct access draw_access_two(struct driver *d)
{
	unsigned pick = below(d, 100);
	unsigned i = below(d, 1 << 16);
	bool write = one_in(d, 2);
	bool write_mostly = !one_in(d, 4);
	bool write_rarely = one_in(d, 7);

	if ((d->test && pick < 40) || pick == 93)
		return draw_test_two(d);
	if (pick < 45)
		return (struct access){ write_mostly, MULTIKRON2_CSR, draw_csr(d) };
	if (pick < 50)
		return (struct access){ write_mostly, MULTIKRON2_FILTER, draw_filter(d) };
	if (pick < 71)
		return (struct access){ write, MULTIKRON2_COUNTER + i % 32, draw_data(d) };
	if (pick < 81)
		return (struct access){ write, MULTIKRON2_ENABLE + 2 * (i % 3), draw_mask(d) };
	if (pick < 85)
		return (struct access){ write, MULTIKRON2_SOURCE + i % 8, draw(d) };
	if (pick < 88)
		return (struct access){ write_rarely, MULTIKRON2_WAIT_COUNTER + i % 2, draw(d) };
	if (pick < 90)
		return (struct access){ write, MULTIKRON2_HIGH_ORDER, draw_data(d) };
	if (pick < 92)
		return (struct access){ false, MULTIKRON2_FIFO + i % 5, draw(d) };
	if (pick < 93)
		return (struct access){ write_rarely, MULTIKRON2_SOFT_RESET, draw(d) };
	return (struct access){ write, 1 + i % 127, draw(d) };
}

static struct access draw_access(struct driver *d)
{
	/* After a reset nothing would be sampled for long: set the chip going again. */
	if (!d->oracle.sampling && one_in(d, 4))
		return (struct access){ true, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING };
	if (oracle_filter(&d->oracle) == 0 && one_in(d, 4))
		return (struct access){ true, MULTIKRON_FILTER, UINT64_MAX };
	if (below(d, 100) < d->mood.trigger_percent)
		return draw_trigger(d);
	return d->second ? draw_access_two(d) : draw_access_one(d);
}

/* ---- Moods, sessions, operations ---- */

static void draw_mood(struct driver *d)
{
	static const unsigned stalls[6] = { 0, 0, 3, 20, 200, 2000 };
	struct mood *mood = &d->mood;

	mood->trigger_percent = below(d, 70);
	mood->resource_percent = below(d, 60);
	mood->gap_max = one_in(d, 8) ? 100 : below(d, 12);
	mood->stall_max = stalls[below(d, 6)];
	mood->free_max = 1 + below(d, 300);
	mood->stamp_style = below(d, 4);
	mood->x_one_in = 1 + below(d, 8);
	mood->pulse_one_in = one_in(d, 3) ? 1 + below(d, 6) : 0;
	mood->hold_one_in = one_in(d, 3) ? 1 + below(d, 12) : 0;
	mood->outdis_one_in = one_in(d, 4) ? 40 : 0;
	mood->mischief_one_in = one_in(d, 3) ? 1 + below(d, 30) : 0;
	mood->start_tied = one_in(d, 2);
	d->osc.node_hz = 3 + below(d, one_in(d, 2) ? 100 : 50000000);
	d->osc.hz = below(d, (unsigned)d->osc.node_hz / 3 + 1);
	d->osc.phase = 0;
	d->mood_ends = d->op + 20 + below(d, 400);
}

static struct multikron2_config draw_config(struct driver *d)
{
	static const unsigned depths[8] = { 2, 3, 4, 8, 8, 16, 33, MULTIKRON_FIFO_MAX };
	static const unsigned clocks[8] = { 1, 1, 2, 2, 2, 2, 3, 6 };
	struct multikron2_config config;

	config.core.fifo_depth = depths[below(d, 8)];
	config.core.base_clocks = one_in(d, 60) ? 255 : clocks[below(d, 8)];
	config.core.lsb_first = one_in(d, 3);
	config.core.enable_wins = one_in(d, 3);
	config.core.stamp_at_request = one_in(d, 3);
	config.odd_word_low = one_in(d, 3);
	config.mode_8_is_nop = one_in(d, 3);
	config.header_spare = one_in(d, 3);
	return config;
}

static void count_faults(struct driver *d)
{
	for (unsigned i = 0; i < 8; i++)
		d->fault_count[i] += (d->oracle.faults >> i) & 1;
	d->oracle.faults = 0;
	core_of(d->second, &d->chip)->faults = 0;
}

/* New chips of another configuration. */
static void start_session(struct driver *d)
{
	struct multikron2_config config = draw_config(d);

	for (unsigned i = 0; i < ORACLE_HITS; i++)
		d->hits[i] += d->oracle.hits[i];
	count_faults(d);
	if (d->second)
		CHECK(multikron2_init(&d->chip.two, &config));
	else
		CHECK(multikron_init(&d->chip.one, &config.core));
	oracle_init(&d->oracle, d->second, &config);
	d->restarts = 0;
	d->received_bytes = 0;
	d->received_whole = true;
	d->session_ends = d->op + (config.core.base_clocks > 10 ? 200 : 500 + below(d, 5000));
}

static void do_operation(struct driver *d)
{
	struct access access;

	if (d->op == d->session_ends)
		start_session(d);
	if (d->op == d->mood_ends)
		draw_mood(d);
	if (one_in(d, 4))
		count_faults(d);
	if (one_in(d, d->test ? 60 : 300))
		d->test = !d->test;
	if (one_in(d, 800))
		hardware_reset(d);
	if (one_in(d, 2) && d->mood.gap_max > 0)
		for (unsigned gap = below(d, d->mood.gap_max); gap > 0; gap--)
			step_idle(d);
	access = draw_access(d);
	perform(d, &access);
	d->op++;
}

static uint64_t environment_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static void start_driver(struct driver *d, bool second)
{
	memset(d, 0, sizeof(*d));
	d->second = second;
	d->seed = environment_number("KRON_SEED", DEFAULT_SEED);
	d->random = d->seed;
	print_message("%s: KRON_SEED=%" PRIu64 "\n", chip_name(d), d->seed);
	draw_mood(d);
	start_session(d);
}

static void print_coverage(const struct driver *d)
{
	print_message("%s: %" PRIu64 " operations, %" PRIu64 " ticks, received %" PRIu64
		      " trace, %" PRIu64 " resource\n",
		      chip_name(d), d->op, d->tick, d->received_trace, d->received_resource);
	for (unsigned i = 0; i < ORACLE_HITS; i++)
		print_message("  %-34s %10" PRIu64 "%s", oracle_hit_name(i), d->hits[i],
			      i % 2 == 1 ? "\n" : "");
	print_message("\n  operations with fault 0..7:");
	for (unsigned i = 0; i < 8; i++)
		print_message(" %" PRIu64, d->fault_count[i]);
	print_message("\n");
}

/* A comparison of nothing would pass: demand that everything happened. */
static void check_coverage(const struct driver *d)
{
	const uint64_t least = d->op / 100000;
	uint32_t faults = MULTIKRON_FAULT_TIMESTAMP_FAST | MULTIKRON_FAULT_RESET_SHORT |
			  MULTIKRON_FAULT_CPU_LINES | MULTIKRON_FAULT_CSR_PAIR |
			  MULTIKRON_FAULT_BUS;

	faults |= d->second ? MULTIKRON_FAULT_STROBE_HELD
			    : MULTIKRON_FAULT_TEST_SET_INC | MULTIKRON_FAULT_INTERNAL_TEST;
	for (unsigned i = 0; i < ORACLE_HITS; i++)
		if (oracle_hit_possible(i, d->second) && d->hits[i] < least)
			fail_msg("%s: too rare: %s", chip_name(d), oracle_hit_name(i));
	for (unsigned i = 0; i < 8; i++)
		if (((faults >> i) & 1) && d->fault_count[i] < least)
			fail_msg("%s: too rare: fault %u", chip_name(d), i);
	for (unsigned i = 0; i < 256; i++)
		if (d->addressed[i / 128][i % 128] < least)
			fail_msg("%s: too rare: address %u", chip_name(d), i % 128);
	CHECK(d->received_trace > d->op / 100);
	CHECK(d->received_resource > d->op / 500);
}

static void finish(struct driver *d)
{
	for (unsigned i = 0; i < ORACLE_HITS; i++)
		d->hits[i] += d->oracle.hits[i];
	print_coverage(d);
	if (d->op >= ENOUGH_OPS)
		check_coverage(d);
}

static void compare_with_oracle(bool second)
{
	static struct driver d;
	uint64_t ops = environment_number("KRON_OPS", DEFAULT_OPS);

	start_driver(&d, second);
	while (d.op < ops)
		do_operation(&d);
	finish(&d);
}

/* Registers, reset, counters, triggers, network and test mode.
 * MK1-001 MK1-002 MK1-003 MK1-006 MK1-007 MK1-008 MK1-009 MK1-011 MK1-014 MK1-015 MK1-016 MK1-017
 * MK1-019 MK1-020 MK1-021 MK1-022 MK1-023 MK1-024 MK1-025 MK1-026 MK1-027 MK1-028 MK1-029 MK1-030
 * MK1-031 MK1-032 MK1-033 MK1-034 MK1-035 MK1-036 MK1-037 MK1-038 MK1-039 MK1-040 MK1-041 MK1-042
 * MK1-043 MK1-044 MK1-045 MK1-046 MK1-047 MK1-048 MK1-052 MK1-053 MK1-054 MK1-055 MK1-056 MK1-057
 * MK1-058 MK1-059 MK1-060 MK1-061 MK1-062 MK1-063 MK1-064 MK1-065 MK1-066 MK1-067 MK1-068 MK1-069
 * MK1-070 MK1-071 MK1-072 MK1-073 MK1-074 MK1-075 MK1-076 MK1-077 MK1-078 MK1-079 MK1-080 MK1-081
 * MK1-083 MK1-084 MK1-085 MK1-086 MK1-087 MK1-088 MK1-089 MK1-090 MK1-091 MK1-092 MK1-093 MK1-094
 * MK1-095 MK1-096 MK1-097 MK1-098 MK1-099 MK1-100 MK1-101 MK1-102 MK1-103 MK1-104 MK1-105 MK1-106
 * MK1-107 MK1-108 MK1-110 MK1-111 MK1-112 MK1-113 MK1-114 MK1-116 MK1-117 MK1-119 MK1-120 MK1-121
 * MK1-122 MK1-123 MK1-124 MK1-125 MK1-126 MK1-127 MK1-128 MK1-129 MK1-130 MK1-131 MK1-132 MK1-134
 * MK1-137 MK1-138 MK1-144 MK1-146 MK1-147 MK1-148 MK1-149 MK1-150 MK1-152 MK1-153 MK1-154 MK1-155
 * MK1-156 MK1-157 MK1-158 MK1-160 MK1-161 MK1-162 MK1-163 MK1-164 MK1-165 MK1-166 MK1-167 MK1-168
 * MK1-169 MK1-170 MK1-171 MK1-172 */
static void multikron_matches_the_oracle(void **state)
{
	(void)state;
	compare_with_oracle(false);
}

/* The same, and START, HOLD, 32-bit mode and 64-bit counters.
 * MK2-001 MK2-002 MK2-003 MK2-005 MK2-007 MK2-008 MK2-009 MK2-010 MK2-013 MK2-014 MK2-015 MK2-016
 * MK2-017 MK2-018 MK2-019 MK2-020 MK2-021 MK2-023 MK2-025 MK2-026 MK2-027 MK2-028 MK2-029 MK2-030
 * MK2-031 MK2-032 MK2-033 MK2-034 MK2-035 MK2-036 MK2-037 MK2-038 MK2-039 MK2-040 MK2-041 MK2-042
 * MK2-043 MK2-044 MK2-045 MK2-046 MK2-047 MK2-048 MK2-049 MK2-050 MK2-051 MK2-052 MK2-053 MK2-054
 * MK2-055 MK2-056 MK2-057 MK2-058 MK2-059 MK2-060 MK2-061 MK2-062 MK2-063 MK2-064 MK2-065 MK2-066
 * MK2-068 MK2-070 MK2-071 MK2-072 MK2-073 MK2-074 MK2-075 MK2-076 MK2-077 MK2-078 MK2-079 MK2-080
 * MK2-081 MK2-082 MK2-083 MK2-084 MK2-085 MK2-086 MK2-087 MK2-088 MK2-089 MK2-090 MK2-091 MK2-092
 * MK2-093 MK2-094 MK2-097 MK2-098 MK2-099 MK2-100 MK2-102 MK2-103 MK2-104 MK2-105 MK2-106 MK2-107
 * MK2-108 MK2-109 MK2-110 MK2-111 MK2-112 MK2-113 MK2-114 MK2-115 MK2-116 MK2-117 MK2-118 MK2-119
 * MK2-120 MK2-121 MK2-122 MK2-123 MK2-124 MK2-125 MK2-126 MK2-127 MK2-128 MK2-129 MK2-130 MK2-131
 * MK2-132 MK2-133 MK2-135 MK2-136 MK2-137 MK2-138 MK2-139 MK2-140 MK2-141 MK2-142 MK2-143 MK2-144
 * MK2-145 MK2-146 MK2-147 MK2-148 MK2-149 MK2-150 MK2-151 MK2-152 MK2-153 MK2-157 MK2-159 MK2-162
 * MK2-163 MK2-164 MK2-165 MK2-166 MK2-167 MK2-168 MK2-169 MK2-170 MK2-171 MK2-173 MK2-174 MK2-175
 * MK2-176 MK2-177 */
static void multikron2_matches_the_oracle(void **state)
{
	(void)state;
	compare_with_oracle(true);
}

/* ---- Many ticks at once ---- */

/* Without an oscillator: run(). */
static struct multikron_pins chip_run(bool second, union chip *chip, struct multikron_pins in,
				      uint64_t n, struct multikron_osc *osc)
{
	if (osc)
		return second ? multikron2_run_clocked(&chip->two, in, n, osc)
			      : multikron_run_clocked(&chip->one, in, n, osc);
	return second ? multikron2_run(&chip->two, in, n) : multikron_run(&chip->one, in, n);
}

static void compare_chips(const struct driver *d, union chip *expected, union chip *got)
{
	struct view expected_view;
	struct view got_view;

	view_chip(d->second, expected, &expected_view);
	view_chip(d->second, got, &got_view);
	compare_views(d, &expected_view, &got_view);
}

/* Inputs that stand still for many ticks: with a strobe now and then, or in reset. */
static struct multikron_pins draw_still_inputs(struct driver *d)
{
	struct multikron_pins in = next_environment(d);

	in.control |= (draw(d) & 127) << MULTIKRON_A_SHIFT;
	in.control |= draw_cpu_lines(d);
	if (one_in(d, 3))
		in.control |= draw(d) & (MULTIKRON_RD | MULTIKRON_WR);
	if (one_in(d, 3))
		in.control |= MULTIKRON2_START;
	if (one_in(d, 30))
		in.control |= MULTIKRON_RESET;
	return in;
}

static void run_one_chip_and_tick_the_other(struct driver *d)
{
	static union chip ticked;
	static union chip ran;
	struct multikron_osc ran_osc = { .hz = d->osc.hz,
					 .node_hz = d->osc.node_hz,
					 .phase = draw(d) % d->osc.node_hz };
	struct multikron_osc ticked_osc = ran_osc;
	struct multikron_pins in = draw_still_inputs(d);
	struct multikron_pins ticked_out = in;
	struct multikron_pins ran_out;
	bool clocked = one_in(d, 2);
	uint64_t n = one_in(d, 40) ? 5000 : 1 + below(d, one_in(d, 2) ? 12 : 400);

	d->run_ticks = n;
	d->run_in = in;
	ticked = d->chip;
	ran = d->chip;
	for (uint64_t i = 0; i < n; i++) {
		struct multikron_pins now = in;

		if (clocked) {
			now.control &= ~MULTIKRON_TSCLK;
			if (multikron_osc_step(&ticked_osc))
				now.control |= MULTIKRON_TSCLK;
		}
		ticked_out = chip_tick(d->second, &ticked, now);
	}
	ran_out = chip_run(d->second, &ran, in, n, clocked ? &ran_osc : NULL);
	compare_pins(d, ticked_out, ran_out);
	if (ticked_osc.phase != ran_osc.phase)
		mismatch(d, "osc phase", 0, ticked_osc.phase, ran_osc.phase);
	compare_chips(d, &ticked, &ran);
	/* What cannot be seen now, such as the phase of a prescaler, will be. */
	for (unsigned i = below(d, 250); i > 0; i--) {
		in = draw_still_inputs(d);
		in.control &= ~MULTIKRON_RESET;
		compare_pins(d, chip_tick(d->second, &ticked, in), chip_tick(d->second, &ran, in));
	}
	compare_chips(d, &ticked, &ran);
	d->run_ticks = 0;
}

static void compare_runs(bool second)
{
	static struct driver d;
	uint64_t ops = environment_number("KRON_OPS", DEFAULT_OPS) / 10;

	start_driver(&d, second);
	while (d.op < ops) {
		do_operation(&d);
		if (one_in(&d, 8))
			run_one_chip_and_tick_the_other(&d);
	}
}

static void multikron_run_equals_ticks(void **state)
{
	(void)state;
	compare_runs(false);
}

static void multikron2_run_equals_ticks(void **state)
{
	(void)state;
	compare_runs(true);
}

/* Of every node_hz node clocks exactly hz see a rising edge, from any phase on. */
static void oscillator_is_exact(void **state)
{
	static struct driver d;

	(void)state;
	d.random = environment_number("KRON_SEED", DEFAULT_SEED);
	print_message("KRON_SEED=%" PRIu64 "\n", d.random);
	for (unsigned trial = 0; trial < 500; trial++) {
		struct multikron_osc osc = { .node_hz = 3 + below(&d, 3000) };
		uint64_t edges = 0;
		bool last;

		osc.hz = below(&d, (unsigned)osc.node_hz / 3 + 1);
		for (unsigned i = below(&d, 100); i > 0; i--)
			multikron_osc_step(&osc);
		last = multikron_osc_step(&osc);
		for (uint64_t i = 0; i < osc.node_hz; i++) {
			bool now = multikron_osc_step(&osc);

			edges += now && !last;
			last = now;
			CHECK(osc.phase < osc.node_hz);
		}
		CHECK_EQUAL(edges, osc.hz);
	}
}

TEST_MAIN(TEST(multikron_matches_the_oracle), TEST(multikron2_matches_the_oracle),
	  TEST(multikron_run_equals_ticks), TEST(multikron2_run_equals_ticks),
	  TEST(oscillator_is_exact))
