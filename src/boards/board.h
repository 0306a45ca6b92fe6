/* SPDX-License-Identifier: Apache-2.0 */
/* A board: N nodes, each a chip on a bus of its own with a receiver behind its network port. All nodes
 * share the node clock, the time stamp clock and RESET, so their time stamps agree.
 *
 * The board drives every pin: it holds the levels that last (CPU line, X, network ready, test mode,
 * ...) and adds address, data and strobe for an access. Nothing is allocated; the nodes are the
 * caller's array. */
#ifndef BOARDS_BOARD_H
#define BOARDS_BOARD_H

#include <kron/multikron.h>
#include <kron/multikron2.h>
#include "boards/receiver.h"
#include "boards/sample.h"

enum board_model { BOARD_MULTIKRON, BOARD_MULTIKRON2, BOARD_MODELS };

#define BOARD_NODE_HZ      50000000
#define BOARD_TIMESTAMP_HZ 10000000

struct board_config {
	enum board_model model;
	unsigned nodes;
	uint64_t node_hz;      /* 0: BOARD_NODE_HZ */
	uint64_t timestamp_hz; /* 0: BOARD_TIMESTAMP_HZ; at most a third of node_hz */
	unsigned wait_states;  /* the wait-state pins: 0..3, MultiKron II 0..1 */
	unsigned fifo_depth;   /* 0: the chip's default */
};

/* What the board tells its owner. Each may be NULL; a negative return value stops the board and is
 * returned by the call that was under way. */
struct board_listener {
	void *context;
	/* The network took an element. */
	int (*element)(void *context, unsigned node, uint8_t byte, bool parity, bool eom);
	/* An undamaged sample is complete. *sample is valid during the call. */
	int (*sample)(void *context, unsigned node, const struct board_sample *sample);
	/* One node clock has passed: see played and out of the nodes. With this, every single clock is
	 * played, all nodes together. */
	int (*tick)(void *context);
};

struct board_node {
	union {
		struct multikron_core core; /* both chips begin with it */
		struct multikron multikron;
		struct multikron2 multikron2;
	} chip;
	struct multikron_pins in;     /* the levels that last, and those of the access under way */
	struct multikron_pins played; /* what the last tick was given: in, and TSCLK */
	struct multikron_pins out;    /* as the last tick left the pins */
	struct board_receiver receiver;
	struct board_time time;
	uint64_t last_sample; /* board.clocks when it came, or at RESET */
	uint64_t lost_before; /* samples lost before RESET last cleared the chip's account */
};

struct board {
	struct board_config config;
	struct board_node *nodes;
	struct board_listener listener;
	struct multikron_osc osc;
	uint64_t clocks; /* node clocks since board_init */
};

/* Why an access was not acknowledged. */
enum board_answer {
	BOARD_ACKNOWLEDGED,
	BOARD_BUSY,     /* the access before has still not been acknowledged */
	BOARD_HELD,     /* HOLD still extends the acknowledge of the previous access */
	BOARD_NO_START, /* START is not asserted */
	BOARD_NO_ANSWER, /* no acknowledge within BOARD_PATIENCE clocks: it waits for a network that is
			   * not ready */
};

/* Longer than any wait that ends: the deepest FIFO full of samples leaves in fewer clocks. */
#define BOARD_PATIENCE 20000

/* Power on, with RESET for five clocks. listener may be NULL; it is copied. nodes has config->nodes
 * elements. Returns 0; -KRON_EINVAL if config makes no sense (board_config_check() tells what), or
 * the listener's error. */
int board_init(struct board *board, const struct board_config *config, struct board_node *nodes,
	       const struct board_listener *listener);

/* NULL if config makes sense, else what is wrong with it. */
const char *board_config_check(const struct board_config *config);

/* RESET for five node clocks. Returns 0 or the listener's error. */
int board_reset(struct board *board);

/* n node clocks. Returns 0 or the listener's error. */
int board_clock(struct board *board, uint64_t n);

/* One access of a node's processor; all nodes play the clocks it takes. Returns enum board_answer, or the
 * listener's error. *data is the result of a read, and untouched unless acknowledged. */
int board_write(struct board *board, unsigned node, unsigned address, uint64_t data);
int board_read(struct board *board, unsigned node, unsigned address, uint64_t *data);

/* Set or clear pins that last. */
void board_drive(struct board *board, unsigned node, uint64_t pins, bool asserted);

/* The CPU line that is asserted, 0..7, and the levels of X15..X0. */
void board_cpu(struct board *board, unsigned node, unsigned cpu);
void board_external(struct board *board, unsigned node, uint16_t levels);

/* True if the node can send nothing until its inputs change, so that any number of clocks is quickly
 * played. */
bool board_silent(const struct board *board, unsigned node);

/* Samples the node's chip has discarded since board_init. */
uint64_t board_lost(const struct board *board, unsigned node);

#endif
