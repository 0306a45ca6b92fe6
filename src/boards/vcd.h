/* SPDX-License-Identifier: Apache-2.0 */
/* What the pins of a board's chips do, as a value change dump (IEEE 1364, clause 18), for GTKWave
 * and the like.
 *
 * Levels are those on the package: active-low pins are inverted, outputs disabled by OUTDIS are z.
 * Every chip is a scope, node0, node1, ...; the node clock is one signal, seen in all of them.
 * Of a node clock period P, tick k occupies
 *
 *   k P         node clock low, inputs of this tick. D is what the caller drives, unless the chip
 *               has driven it since the tick before: it lets go only at the rising edge.
 *   k P + P/8   X pins with a pulse toggle
 *   k P + P/4   ... and toggle back
 *   k P + P/2   node clock high, outputs of this tick
 *
 * in whole picoseconds, rounded down, without drift. Every clock edge is written, which makes some
 * tens of bytes per tick. Nothing depends on the date: the same ticks give the same dump. */
#ifndef BOARDS_VCD_H
#define BOARDS_VCD_H

#include <stdint.h>
#include <kron/multikron_core.h>
#include "base/alloc.h"
#include "base/io.h"
#include "boards/pins.h"

#define BOARD_VCD_HZ_MAX    UINT64_C(100000000000) /* so that P/8 is a picosecond at least */
#define BOARD_VCD_NODES_MAX 4096

struct board_vcd_node; /* in vcd.c */

/* The caller's. */
struct board_vcd {
	struct base_out *out;
	struct base_alloc *alloc;
	const struct board_pins *pins;
	uint64_t outputs; /* bits in control that the chip drives */
	struct board_vcd_node *node;
	unsigned nodes;
	uint64_t node_hz;
	uint64_t tick;    /* number of the next one */
	uint64_t time_ps; /* as written last */
	bool node_clock;  /* as written last */
};

/* Write the header and the values before the first tick: nothing asserted, clocks low. out stays
 * the caller's, must outlive the dump, and keeps the first write error.
 * Returns 0; -KRON_ENOMEM; -KRON_EINVAL if nodes is not in 1..BOARD_VCD_NODES_MAX or node_hz not
 * in 1..BOARD_VCD_HZ_MAX. */
int board_vcd_open(struct board_vcd *vcd, struct base_out *out, struct base_alloc *alloc,
		   const struct board_pins *pins, unsigned nodes, uint64_t node_hz);

/* One tick: in[i] and out[i] are what the chip of node i was given and what it returned. Allocates
 * nothing. */
void board_vcd_tick(struct board_vcd *vcd, const struct multikron_pins *in,
		    const struct multikron_pins *out);

/* n ticks in which no pin changes but the node clock and NETCLK, which are written. The time stamp
 * clock is a pin like any other: where it changes, call board_vcd_tick(). */
void board_vcd_skip(struct board_vcd *vcd, uint64_t n);

/* Write the end time, flush out and free everything. Returns 0 or the first error of out. */
int board_vcd_close(struct board_vcd *vcd);

#endif
