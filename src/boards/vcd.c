/* SPDX-License-Identifier: Apache-2.0 */
#include "boards/vcd.h"
#include <inttypes.h>
#include <kron/multikron.h>
#include <kron/multikron2.h>
#include "base/error.h"

_Static_assert(MULTIKRON_X_SHIFT == MULTIKRON2_X_SHIFT, "one shift for the pulses of both chips");

#define PS_PER_SECOND UINT64_C(1000000000000)
#define PHASES        8 /* of a tick: P/8 each */
#define PHASE_TOGGLE  1
#define PHASE_BACK    2
#define PHASE_RISE    4

/* What is known of a chip's pins, as the dump says. */
struct board_vcd_node {
	uint64_t data;
	uint64_t control;
	bool floating; /* outputs are in high impedance */
	bool driven;   /* the chip drives D, since the last rising edge */
};

static uint64_t mask_of(unsigned width)
{
	return UINT64_MAX >> (64 - width);
}

/* All bits in control that the chip drives. */
static uint64_t outputs_of(const struct board_pins *pins)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < pins->count; i++)
		if (pins->pin[i].place == BOARD_PIN_CONTROL && pins->pin[i].output)
			mask |= mask_of(pins->pin[i].width) << pins->pin[i].shift;
	return mask;
}

/* Identifier codes are numbers written in the printable characters. Code 0 is the node clock, which
 * all nodes share. */
static void put_code(struct base_out *out, unsigned code)
{
	do {
		char digit = (char)('!' + code % 94);

		base_out_write(out, &digit, 1);
		code /= 94;
	} while (code);
}

static unsigned code_of(const struct board_vcd *vcd, unsigned node, unsigned pin)
{
	if (vcd->pins->pin[pin].place == BOARD_PIN_CLOCK)
		return 0;
	return 1 + node * vcd->pins->count + pin;
}

static uint64_t level_of(const struct board_vcd *vcd, const struct board_vcd_node *state,
			 const struct board_pin *pin)
{
	uint64_t mask = mask_of(pin->width), bits;

	if (pin->place == BOARD_PIN_CLOCK)
		return vcd->node_clock;
	bits = (pin->place == BOARD_PIN_DATA ? state->data : state->control) >> pin->shift;
	return (pin->active_low ? ~bits : bits) & mask;
}

/* A pin that is not also an input; D in high impedance is what the caller drives. */
static bool floats(const struct board_vcd_node *state, const struct board_pin *pin)
{
	return state->floating && !pin->input;
}

static void put_value(struct board_vcd *vcd, unsigned node, unsigned number)
{
	const struct board_vcd_node *state = &vcd->node[node];
	const struct board_pin *pin = &vcd->pins->pin[number];
	uint64_t level = level_of(vcd, state, pin);
	char text[66];
	size_t length = 0;

	if (pin->width > 1)
		text[length++] = 'b';
	for (unsigned i = pin->width; i--;)
		text[length++] = floats(state, pin) ? 'z' : level >> i & 1 ? '1' : '0';
	if (pin->width > 1)
		text[length++] = ' ';
	base_out_write(vcd->out, text, length);
	put_code(vcd->out, code_of(vcd, node, number));
	base_out_text(vcd->out, "\n");
}

/* ---- Time ---- */

static uint64_t time_of(const struct board_vcd *vcd, unsigned phase)
{
	unsigned __int128 phases = (unsigned __int128)vcd->tick * PHASES + phase;

	return (uint64_t)(phases * PS_PER_SECOND / (vcd->node_hz * PHASES));
}

static void put_time(struct board_vcd *vcd, unsigned phase)
{
	uint64_t time_ps = time_of(vcd, phase);

	if (time_ps == vcd->time_ps)
		return;
	vcd->time_ps = time_ps;
	base_out_printf(vcd->out, "#%" PRIu64 "\n", time_ps);
}

static void put_node_clock(struct board_vcd *vcd, bool high)
{
	if (vcd->node_clock == high)
		return;
	vcd->node_clock = high;
	base_out_text(vcd->out, high ? "1" : "0");
	put_code(vcd->out, 0);
	base_out_text(vcd->out, "\n");
}

/* ---- Changes ---- */

static bool differs(const struct board_vcd_node *a, const struct board_vcd_node *b,
		    const struct board_pin *pin)
{
	uint64_t changed =
		pin->place == BOARD_PIN_DATA ? a->data ^ b->data : a->control ^ b->control;

	if (pin->place == BOARD_PIN_CLOCK)
		return false;
	if (floats(a, pin) || floats(b, pin))
		return floats(a, pin) != floats(b, pin);
	return changed >> pin->shift & mask_of(pin->width);
}

/* The chip's pins are now these: write what that changes. */
static void change(struct board_vcd *vcd, unsigned node, const struct board_vcd_node *now)
{
	struct board_vcd_node before = vcd->node[node];

	vcd->node[node] = *now;
	if (before.data == now->data && before.control == now->control &&
	    before.floating == now->floating)
		return;
	for (unsigned i = 0; i < vcd->pins->count; i++)
		if (differs(&before, now, &vcd->pins->pin[i]))
			put_value(vcd, node, i);
}

static void apply_inputs(struct board_vcd *vcd, unsigned node, const struct multikron_pins *in)
{
	struct board_vcd_node now = vcd->node[node];

	now.control = (in->control & ~vcd->outputs) | (now.control & vcd->outputs);
	now.floating = in->control & vcd->pins->outdis;
	if (!now.driven)
		now.data = in->data;
	change(vcd, node, &now);
}

static void apply_outputs(struct board_vcd *vcd, unsigned node, const struct multikron_pins *in,
			  const struct multikron_pins *out)
{
	struct board_vcd_node now = vcd->node[node];

	now.control = (now.control & ~vcd->outputs) | (out->control & vcd->outputs);
	now.data = out->data;
	/* What the caller drives passes through the model, so a difference is the chip's doing. */
	now.driven = out->data != in->data;
	change(vcd, node, &now);
}

static void toggle_x(struct board_vcd *vcd, const struct multikron_pins *in, unsigned phase)
{
	put_time(vcd, phase);
	for (unsigned i = 0; i < vcd->nodes; i++) {
		struct board_vcd_node now = vcd->node[i];

		now.control ^= (uint64_t)in[i].pulse << MULTIKRON_X_SHIFT;
		change(vcd, i, &now);
	}
}

static bool any_pulse(const struct board_vcd *vcd, const struct multikron_pins *in)
{
	for (unsigned i = 0; i < vcd->nodes; i++)
		if (in[i].pulse)
			return true;
	return false;
}

void board_vcd_tick(struct board_vcd *vcd, const struct multikron_pins *in,
		    const struct multikron_pins *out)
{
	put_time(vcd, 0);
	put_node_clock(vcd, false);
	for (unsigned i = 0; i < vcd->nodes; i++)
		apply_inputs(vcd, i, &in[i]);
	if (any_pulse(vcd, in)) {
		toggle_x(vcd, in, PHASE_TOGGLE);
		toggle_x(vcd, in, PHASE_BACK);
	}
	put_time(vcd, PHASE_RISE);
	put_node_clock(vcd, true);
	for (unsigned i = 0; i < vcd->nodes; i++)
		apply_outputs(vcd, i, &in[i], &out[i]);
	vcd->tick++;
}

void board_vcd_skip(struct board_vcd *vcd, uint64_t n)
{
	while (n-- && !vcd->out->error) {
		put_time(vcd, 0);
		put_node_clock(vcd, false);
		put_time(vcd, PHASE_RISE);
		put_node_clock(vcd, true);
		for (unsigned i = 0; i < vcd->nodes; i++) {
			struct board_vcd_node now = vcd->node[i];

			now.control ^= vcd->pins->netclk;
			change(vcd, i, &now);
		}
		vcd->tick++;
	}
}

/* ---- Opening and closing ---- */

static void put_variable(struct board_vcd *vcd, unsigned node, unsigned number)
{
	const struct board_pin *pin = &vcd->pins->pin[number];

	base_out_printf(vcd->out, "$var wire %u ", pin->width);
	put_code(vcd->out, code_of(vcd, node, number));
	base_out_printf(vcd->out, " %s", pin->name);
	if (pin->width > 1)
		base_out_printf(vcd->out, " [%u:0]", pin->width - 1);
	base_out_text(vcd->out, " $end\n");
}

static void put_scopes(struct board_vcd *vcd)
{
	base_out_printf(vcd->out, "$scope module %s $end\n", vcd->pins->model);
	for (unsigned node = 0; node < vcd->nodes; node++) {
		base_out_printf(vcd->out, "$scope module node%u $end\n", node);
		for (unsigned i = 0; i < vcd->pins->count; i++)
			put_variable(vcd, node, i);
		base_out_text(vcd->out, "$upscope $end\n");
	}
	base_out_text(vcd->out, "$upscope $end\n");
}

static void put_header(struct board_vcd *vcd)
{
	base_out_text(vcd->out, "$version kron $end\n$timescale 1 ps $end\n");
	put_scopes(vcd);
	/* vcd2fst takes no values that stand before the first time. */
	base_out_text(vcd->out, "$enddefinitions $end\n#0\n$dumpvars\n");
	for (unsigned node = 0; node < vcd->nodes; node++)
		for (unsigned i = 0; i < vcd->pins->count; i++)
			if (!node || vcd->pins->pin[i].place != BOARD_PIN_CLOCK)
				put_value(vcd, node, i);
	base_out_text(vcd->out, "$end\n");
}

int board_vcd_open(struct board_vcd *vcd, struct base_out *out, struct base_alloc *alloc,
		   const struct board_pins *pins, unsigned nodes, uint64_t node_hz)
{
	struct board_vcd_node *node;

	if (!nodes || nodes > BOARD_VCD_NODES_MAX || !node_hz || node_hz > BOARD_VCD_HZ_MAX)
		return -KRON_EINVAL;
	node = base_alloc_get(alloc, nodes * sizeof(*node));
	if (!node)
		return -KRON_ENOMEM;
	*vcd = (struct board_vcd){
		.out = out,
		.alloc = alloc,
		.pins = pins,
		.outputs = outputs_of(pins),
		.node = node,
		.nodes = nodes,
		.node_hz = node_hz,
	};
	put_header(vcd);
	return 0;
}

int board_vcd_close(struct board_vcd *vcd)
{
	put_time(vcd, 0);
	base_alloc_free(vcd->alloc, vcd->node);
	return base_out_flush(vcd->out);
}
