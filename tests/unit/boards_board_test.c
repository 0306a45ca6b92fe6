/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include "base/error.h"
#include "boards/board.h"

#define NODES 5

struct log {
	unsigned samples[NODES];
	struct board_sample last[NODES];
	unsigned elements;
	uint64_t ticks;
	int answer; /* what the listener returns */
};

static int log_sample(void *context, unsigned node, const struct board_sample *sample)
{
	struct log *log = context;

	log->samples[node]++;
	log->last[node] = *sample;
	return log->answer;
}

static int log_element(void *context, unsigned node, uint8_t byte, bool parity, bool eom)
{
	struct log *log = context;

	(void)node;
	(void)byte;
	(void)parity;
	(void)eom;
	log->elements++;
	return log->answer;
}

static int log_tick(void *context)
{
	struct log *log = context;

	log->ticks++;
	return 0;
}

static struct board_listener listen_to(struct log *log)
{
	return (struct board_listener){ .context = log,
					.element = log_element,
					.sample = log_sample };
}

static void open_all(struct board *board, unsigned node)
{
	/* CSR and Filter have the same place in both chips. */
	CHECK_EQUAL(board_write(board, node, MULTIKRON_FILTER, 0xffff), BOARD_ACKNOWLEDGED);
	CHECK_EQUAL(board_write(board, node, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING),
		    BOARD_ACKNOWLEDGED);
}

/* MK1-013: 50 MHz and 10 MHz unless told otherwise: five node clocks are one time stamp clock. */
static void clocks_are_the_nominal_ones_by_default(void **state)
{
	struct board_config config = { .model = BOARD_MULTIKRON, .nodes = 1 };
	struct board_node node;
	struct board board;

	(void)state;
	CHECK_EQUAL(board_init(&board, &config, &node, NULL), 0);
	CHECK_EQUAL(board.osc.node_hz, 50000000);
	CHECK_EQUAL(board.osc.hz, 10000000);
	CHECK_EQUAL(board_clock(&board, 50000000), 0); /* one second */
	CHECK_EQUAL(node.chip.core.timestamp, 10000000);
}

/* MK1-014, MK2-007: a time stamp clock above a third of the node clock is refused. */
static void config_outside_the_part_is_refused(void **state)
{
	static const struct {
		struct board_config config;
		bool good;
	} rows[] = {
		{ { .nodes = 1 }, true },
		{ { .nodes = 0 }, false },
		{ { .nodes = 1, .node_hz = 30, .timestamp_hz = 10 }, true },
		{ { .nodes = 1, .node_hz = 30, .timestamp_hz = 11 }, false },
		{ { .nodes = 1, .node_hz = 40000000, .timestamp_hz = 13300000 }, true },
		{ { .nodes = 1, .node_hz = 20000000 }, false }, /* with the default 10 MHz */
		{ { .nodes = 1, .wait_states = 3 }, true },
		{ { .nodes = 1, .wait_states = 4 }, false },
		{ { .nodes = 1, .model = BOARD_MULTIKRON2, .wait_states = 1 }, true },
		{ { .nodes = 1, .model = BOARD_MULTIKRON2, .wait_states = 2 }, false },
		{ { .nodes = 1, .fifo_depth = 1 }, false },
		{ { .nodes = 1, .fifo_depth = 64 }, true },
		{ { .nodes = 1, .fifo_depth = 65 }, false },
	};
	struct board_node node;
	struct board board;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int error = board_init(&board, &rows[i].config, &node, NULL);

		CHECK_EQUAL(error, rows[i].good ? 0 : -KRON_EINVAL);
		CHECK_EQUAL(board_config_check(&rows[i].config) == NULL, rows[i].good);
	}
}

/* MK1-049, MK2-069: one clock and one reset, so samples of all nodes have the same time, whatever
 * each of them did before. */
static void time_stamps_of_all_nodes_agree(void **state)
{
	(void)state;
	for (unsigned model = 0; model < BOARD_MODELS; model++) {
		struct board_config config = { .model = model, .nodes = NODES };
		struct board_node nodes[NODES];
		struct log log = { 0 };
		struct board_listener listener = listen_to(&log);
		struct board board;

		CHECK_EQUAL(board_init(&board, &config, nodes, &listener), 0);
		for (unsigned i = 0; i < NODES; i++)
			open_all(&board, i);
		/* Some are busy sending, one is stalled, one had a software reset. */
		board_write(&board, 1, MULTIKRON_TRACE, 1);
		board_drive(&board, 2, MULTIKRON_FREE, false);
		board_write(&board, 2, MULTIKRON_RESOURCE, 2);
		board_write(&board, 3, MULTIKRON_SOFT_RESET, 0);
		open_all(&board, 3);
		board_clock(&board, 12345);
		for (unsigned i = 1; i < NODES; i++) {
			CHECK_EQUAL(nodes[i].chip.core.timestamp, nodes[0].chip.core.timestamp);
			CHECK_EQUAL(nodes[i].chip.core.netclk, nodes[0].chip.core.netclk);
		}
		board_drive(&board, 2, MULTIKRON_FREE, true);
		board_clock(&board, 200);
		CHECK_EQUAL(log.samples[1], 1);
		CHECK_EQUAL(log.samples[2], 1);
		CHECK(log.last[2].timestamp >= log.last[1].timestamp);

		/* A trigger in the same clock on every node: the same time stamp. */
		for (unsigned i = 0; i < NODES; i++) {
			board_drive(&board, i, MULTIKRON_WR | MULTIKRON_A(MULTIKRON_TRACE), true);
			nodes[i].in.data = 100 + i;
		}
		board_clock(&board, 1);
		for (unsigned i = 0; i < NODES; i++)
			board_drive(&board, i, MULTIKRON_WR | MULTIKRON_A(MULTIKRON_TRACE), false);
		board_clock(&board, 200);
		for (unsigned i = 0; i < NODES; i++) {
			CHECK_EQUAL(log.last[i].data, 100 + i);
			CHECK_EQUAL(log.last[i].timestamp, log.last[0].timestamp);
		}
		/* After a common RESET they start again together. */
		board_reset(&board);
		board_clock(&board, 777);
		for (unsigned i = 0; i < NODES; i++)
			CHECK_EQUAL(nodes[i].chip.core.timestamp, nodes[0].chip.core.timestamp);
	}
}

/* Every clock played or stretches skipped: nobody can tell. */
static void watching_every_tick_changes_nothing(void **state)
{
	(void)state;
	for (unsigned model = 0; model < BOARD_MODELS; model++) {
		struct board_config config = { .model = model, .nodes = 1 };
		struct board_node nodes[2];
		struct board board[2];
		struct log log[2] = { 0 };

		for (unsigned i = 0; i < 2; i++) {
			struct board_listener listener = listen_to(&log[i]);

			listener.tick = i ? log_tick : NULL;
			CHECK_EQUAL(board_init(&board[i], &config, &nodes[i], &listener), 0);
			open_all(&board[i], 0);
			board_write(&board[i], 0, MULTIKRON_RESOURCE + 3, 7);
			board_clock(&board[i], 60);
			board_drive(&board[i], 0, MULTIKRON_FREE, false);
			board_clock(&board[i], 1001);
			board_write(&board[i], 0, MULTIKRON_TRACE, 8);
			board_drive(&board[i], 0, MULTIKRON_FREE, true);
			board_clock(&board[i], 5000);
		}
		CHECK_EQUAL(log[1].ticks, board[1].clocks);
		CHECK_EQUAL(board[0].clocks, board[1].clocks);
		CHECK_EQUAL(log[0].samples[0], 2);
		CHECK_EQUAL(log[0].elements, log[1].elements);
		CHECK_EQUAL(log[0].last[0].timestamp, log[1].last[0].timestamp);
		CHECK_EQUAL(nodes[0].chip.core.timestamp, nodes[1].chip.core.timestamp);
		CHECK_EQUAL(board[0].osc.phase, board[1].osc.phase);
	}
}

/* The account of losses goes on over a RESET, and each sample knows how many were lost before it. */
static void losses_are_counted_for_ever(void **state)
{
	struct board_config config = { .model = BOARD_MULTIKRON2, .nodes = 1, .fifo_depth = 2 };
	struct log log = { 0 };
	struct board_listener listener = listen_to(&log);
	struct board_node node;
	struct board board;

	(void)state;
	CHECK_EQUAL(board_init(&board, &config, &node, &listener), 0);
	for (unsigned round = 1; round <= 3; round++) {
		open_all(&board, 0);
		board_drive(&board, 0, MULTIKRON2_NETRDY, false);
		for (unsigned i = 0; i < 5; i++)
			board_write(&board, 0, MULTIKRON2_TRACE, i);
		board_drive(&board, 0, MULTIKRON2_NETRDY, true);
		board_clock(&board, 100);
		board_write(&board, 0, MULTIKRON2_TRACE, 5);
		board_clock(&board, 100);
		CHECK_EQUAL(log.last[0].data, 5);
		CHECK(log.last[0].fifo_overrun);
		CHECK_EQUAL(log.last[0].lost, 3 * round);
		CHECK_EQUAL(board_lost(&board, 0), 3 * round);
		board_reset(&board);
	}
}

/* Pins that keep an access from being acknowledged are named, not waited for in vain. */
static void access_without_answer_says_why(void **state)
{
	struct board_config config = { .model = BOARD_MULTIKRON2, .nodes = 1, .fifo_depth = 2 };
	struct board_node node;
	struct board board;
	uint64_t value = 77;

	(void)state;
	CHECK_EQUAL(board_init(&board, &config, &node, NULL), 0);
	board_drive(&board, 0, MULTIKRON2_START, false);
	CHECK_EQUAL(board_read(&board, 0, MULTIKRON2_CSR, &value), BOARD_NO_START);
	CHECK_EQUAL(value, 77);
	board_drive(&board, 0, MULTIKRON2_START, true);
	board_drive(&board, 0, MULTIKRON2_HOLD, true);
	CHECK_EQUAL(board_read(&board, 0, MULTIKRON2_FILTER, &value), BOARD_ACKNOWLEDGED);
	CHECK_EQUAL(value, UINT64_C(0xffffffffffff0000));
	CHECK_EQUAL(board_read(&board, 0, MULTIKRON2_CSR, &value), BOARD_HELD);
	board_drive(&board, 0, MULTIKRON2_HOLD, false);
	open_all(&board, 0);
	board_write(&board, 0, MULTIKRON2_CSR, MULTIKRON2_CSR_WRITE_WAIT);
	board_drive(&board, 0, MULTIKRON2_NETRDY, false);
	CHECK_EQUAL(board_write(&board, 0, MULTIKRON2_TRACE, 1), BOARD_ACKNOWLEDGED);
	CHECK_EQUAL(board_write(&board, 0, MULTIKRON2_TRACE, 2), BOARD_ACKNOWLEDGED);
	CHECK_EQUAL(board_write(&board, 0, MULTIKRON2_TRACE, 3), BOARD_NO_ANSWER);
}

static void wait_state_pins_are_set_during_reset(void **state)
{
	(void)state;
	for (unsigned w = 0; w <= 3; w++) {
		struct board_config config = { .nodes = 1, .wait_states = w };
		struct board_node node;
		struct board board;
		uint64_t value, before;

		CHECK_EQUAL(board_init(&board, &config, &node, NULL), 0);
		before = board.clocks;
		CHECK_EQUAL(board_read(&board, 0, MULTIKRON_CSR, &value), BOARD_ACKNOWLEDGED);
		CHECK_EQUAL(value, w << MULTIKRON_CSR_WAIT_STATES_SHIFT);
		CHECK_EQUAL(board.clocks - before, 2 + w);
	}
}

/* An owner that cannot keep a sample is told so by the call that brought it, and time goes on. */
static void error_of_the_listener_comes_back(void **state)
{
	struct board_config config = { .nodes = 1 };
	struct log log = { 0 };
	struct board_listener listener = listen_to(&log);
	struct board_node node;
	struct board board;

	(void)state;
	listener.element = NULL;
	CHECK_EQUAL(board_init(&board, &config, &node, &listener), 0);
	open_all(&board, 0);
	log.answer = -KRON_ENOMEM;
	CHECK_EQUAL(board_write(&board, 0, MULTIKRON_TRACE, 1), BOARD_ACKNOWLEDGED);
	CHECK_EQUAL(board_clock(&board, 100), -KRON_ENOMEM);
	CHECK_EQUAL(log.samples[0], 1);
	CHECK(multikron_quiet(&node.chip.multikron));
	log.answer = 0;
	CHECK_EQUAL(board_clock(&board, 100), 0);
}

TEST_MAIN(TEST(clocks_are_the_nominal_ones_by_default), TEST(config_outside_the_part_is_refused),
	  TEST(time_stamps_of_all_nodes_agree), TEST(watching_every_tick_changes_nothing),
	  TEST(losses_are_counted_for_ever), TEST(access_without_answer_says_why),
	  TEST(wait_state_pins_are_set_during_reset), TEST(error_of_the_listener_comes_back))
