/* SPDX-License-Identifier: Apache-2.0 */
#include "boards/board.h"
#include "base/error.h"

/* A sample may wait so long in the chip, and so may the clocks that are being played. */
#define STAMPS_IN_FLIGHT (UINT64_C(1) << 32)

/* The models differ in their functions only: the shared pads stand on the same bits. */
static const struct board_chip {
	const struct board_layout *layout;
	unsigned wait_states_max;
	unsigned timestamp_bits; /* in a sample */
	uint64_t tied;           /* pins asserted from the start */
} chips[BOARD_MODELS] = {
	[BOARD_MULTIKRON] = { &board_layout_multikron, 3, 40, 0 },
	[BOARD_MULTIKRON2] = { &board_layout_multikron2, 1, 56, MULTIKRON2_START },
};

static bool chip_init(struct board_node *node, const struct board_config *config)
{
	struct multikron2_config second = {
		.core = { .fifo_depth = config->fifo_depth },
	};

	if (config->model == BOARD_MULTIKRON)
		return multikron_init(&node->chip.multikron, &second.core);
	return multikron2_init(&node->chip.multikron2, &second);
}

static struct multikron_pins chip_run(struct board_node *node, enum board_model model,
				      struct multikron_pins in, uint64_t n,
				      struct multikron_osc *osc)
{
	if (model == BOARD_MULTIKRON)
		return multikron_run_clocked(&node->chip.multikron, in, n, osc);
	return multikron2_run_clocked(&node->chip.multikron2, in, n, osc);
}

static bool chip_quiet(const struct board_node *node, enum board_model model)
{
	if (model == BOARD_MULTIKRON)
		return multikron_quiet(&node->chip.multikron);
	return multikron2_quiet(&node->chip.multikron2);
}

const char *board_config_check(const struct board_config *config)
{
	uint64_t node_hz = config->node_hz ? config->node_hz : BOARD_NODE_HZ;
	uint64_t stamp_hz = config->timestamp_hz ? config->timestamp_hz : BOARD_TIMESTAMP_HZ;

	if (config->nodes == 0)
		return "a board has at least one node";
	if (config->wait_states > chips[config->model].wait_states_max)
		return config->model == BOARD_MULTIKRON ? "MultiKron has 0 to 3 wait states"
							: "MultiKron II has 0 or 1 wait state";
	if (config->fifo_depth == 1 || config->fifo_depth > MULTIKRON_FIFO_MAX)
		return "the FIFO holds 2 to 64 samples";
	if (stamp_hz > node_hz / 3)
		return "the time stamp clock must not exceed a third of the node clock";
	return 0;
}

/* Time stamp clocks since some node clock: at most so many, as the node may be within a stretch. */
static uint64_t stamps_since(const struct board *board, uint64_t clocks)
{
	unsigned __int128 stamps = (unsigned __int128)(board->clocks - clocks) * board->osc.hz;

	return (uint64_t)(stamps / board->osc.node_hz) + STAMPS_IN_FLIGHT;
}

/* The byte on the network pins is taken. */
static int take_byte(struct board *board, unsigned index)
{
	struct board_node *node = &board->nodes[index];
	const struct board_listener *listener = &board->listener;
	uint64_t pins = node->out.control;
	uint8_t byte = (uint8_t)(pins >> MULTIKRON_N_SHIFT);
	struct board_sample sample;
	int error = 0;

	if (listener->element)
		error = listener->element(listener->context, index, byte, pins & MULTIKRON_PARITY,
					  pins & MULTIKRON_EOM);
	if (!board_receiver_element(&node->receiver, byte, pins & MULTIKRON_PARITY,
				    pins & MULTIKRON_EOM, &sample))
		return error;
	sample.timestamp = board_time_extend(&node->time, sample.timestamp,
					     stamps_since(board, node->last_sample));
	node->last_sample = board->clocks;
	sample.lost = node->lost_before + node->chip.core.sent_lost;
	if (listener->sample && !error)
		error = listener->sample(listener->context, index, &sample);
	return error;
}

/* n clocks of one node; no byte may appear but in the last of them. */
static int run_node(struct board *board, unsigned index, uint64_t n, struct multikron_osc *osc)
{
	struct board_node *node = &board->nodes[index];
	const uint64_t byte = MULTIKRON_NETCLK | MULTIKRON_LOAD;

	node->out = chip_run(node, board->config.model, node->in, n, osc);
	node->played = node->in;
	node->played.control |= node->out.control & MULTIKRON_TSCLK;
	return (node->out.control & byte) == byte ? take_byte(board, index) : 0;
}

bool board_silent(const struct board *board, unsigned index)
{
	const struct board_node *node = &board->nodes[index];

	return chip_quiet(node, board->config.model) || !(node->in.control & MULTIKRON_FREE);
}

static int play_node(struct board *board, unsigned index, uint64_t n, struct multikron_osc *osc)
{
	int error = 0;

	while (n) {
		uint64_t stretch = board_silent(board, index) ? n : 1;
		int failed = run_node(board, index, stretch, osc);

		if (!error)
			error = failed;
		n -= stretch;
	}
	return error;
}

/* The nodes do not see each other, so each can play its clocks alone. After an error of the listener
 * the clocks are played all the same: the nodes stay in step. */
static int play(struct board *board, uint64_t n)
{
	struct multikron_osc osc = board->osc;
	int error = 0;

	for (unsigned i = 0; i < board->config.nodes; i++) {
		osc = board->osc;
		int failed = play_node(board, i, n, &osc);
		if (!error)
			error = failed;
	}
	board->osc = osc;
	board->clocks += n;
	if (board->listener.tick && !error)
		error = board->listener.tick(board->listener.context);
	return error;
}

int board_clock(struct board *board, uint64_t n)
{
	int error = 0;

	if (!board->listener.tick)
		return n ? play(board, n) : 0;
	while (n-- && !error)
		error = play(board, 1);
	return error;
}

int board_reset(struct board *board)
{
	int error;

	for (unsigned i = 0; i < board->config.nodes; i++) {
		struct board_node *node = &board->nodes[i];

		node->lost_before += node->chip.core.lost;
		board_drive(board, i, MULTIKRON_RESET, true);
		board_drive(board, i, MULTIKRON_W0, board->config.wait_states & 1);
		if (board->config.model == BOARD_MULTIKRON)
			board_drive(board, i, MULTIKRON_W1, board->config.wait_states & 2);
		board_receiver_cut(&node->receiver);
		node->time.last = 0;
		node->last_sample = board->clocks;
	}
	error = board_clock(board, 5);
	for (unsigned i = 0; i < board->config.nodes; i++)
		board_drive(board, i, MULTIKRON_RESET, false);
	return error;
}

int board_init(struct board *board, const struct board_config *config, struct board_node *nodes,
	       const struct board_listener *listener)
{
	if (board_config_check(config))
		return -KRON_EINVAL;
	*board = (struct board){ .config = *config, .nodes = nodes };
	if (listener)
		board->listener = *listener;
	board->osc.node_hz = config->node_hz ? config->node_hz : BOARD_NODE_HZ;
	board->osc.hz = config->timestamp_hz ? config->timestamp_hz : BOARD_TIMESTAMP_HZ;
	for (unsigned i = 0; i < config->nodes; i++) {
		nodes[i] = (struct board_node){ .time.bits = chips[config->model].timestamp_bits };
		chip_init(&nodes[i], config);
		board_receiver_init(&nodes[i].receiver, chips[config->model].layout);
		nodes[i].in.control = chips[config->model].tied | MULTIKRON_FREE | MULTIKRON_C(0);
	}
	return board_reset(board);
}

void board_drive(struct board *board, unsigned node, uint64_t pins, bool asserted)
{
	uint64_t *control = &board->nodes[node].in.control;

	*control = asserted ? *control | pins : *control & ~pins;
}

void board_cpu(struct board *board, unsigned node, unsigned cpu)
{
	board_drive(board, node, UINT64_C(0xff) << MULTIKRON_C_SHIFT, false);
	board_drive(board, node, MULTIKRON_C(cpu), true);
}

void board_external(struct board *board, unsigned node, uint16_t levels)
{
	board_drive(board, node, UINT64_C(0xffff) << MULTIKRON_X_SHIFT, false);
	board_drive(board, node, (uint64_t)levels << MULTIKRON_X_SHIFT, true);
}

uint64_t board_lost(const struct board *board, unsigned node)
{
	return board->nodes[node].lost_before + board->nodes[node].chip.core.lost;
}

/* Why no access can start at all. */
static enum board_answer blocked(const struct board *board, const struct board_node *node)
{
	if (node->chip.core.bus == MULTIKRON_BUS_BUSY)
		return BOARD_BUSY;
	if (board->config.model != BOARD_MULTIKRON2)
		return BOARD_ACKNOWLEDGED;
	if (!(node->in.control & MULTIKRON2_START))
		return BOARD_NO_START;
	if ((node->in.control & MULTIKRON2_HOLD) && (node->out.control & MULTIKRON2_ACK))
		return BOARD_HELD;
	return BOARD_ACKNOWLEDGED;
}

/* The strobe lasts one clock: both chips latch the access, and MultiKron II wants it gone before the
 * acknowledge. */
static int access_node(struct board *board, unsigned index, uint64_t strobe, unsigned address,
		       uint64_t *data)
{
	struct board_node *node = &board->nodes[index];
	int answer = (int)blocked(board, node);
	int error;

	if (answer != BOARD_ACKNOWLEDGED)
		return answer;
	board_drive(board, index, strobe | MULTIKRON_A(address), true);
	node->in.data = *data;
	error = play(board, 1);
	board_drive(board, index, strobe | MULTIKRON_A(127), false);
	node->in.data = 0;
	for (unsigned i = 0; !error && !(node->out.control & MULTIKRON_RDY); i++) {
		if (i == BOARD_PATIENCE)
			return BOARD_NO_ANSWER;
		error = play(board, 1);
	}
	if (!error)
		*data = node->out.data;
	return error;
}

int board_write(struct board *board, unsigned node, unsigned address, uint64_t data)
{
	return access_node(board, node, MULTIKRON_WR, address, &data);
}

int board_read(struct board *board, unsigned node, unsigned address, uint64_t *data)
{
	uint64_t value = 0;
	int answer = access_node(board, node, MULTIKRON_RD, address, &value);

	if (answer == BOARD_ACKNOWLEDGED)
		*data = value;
	return answer;
}
