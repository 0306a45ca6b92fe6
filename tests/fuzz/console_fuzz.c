/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a script for either chip. Whatever it says, every line is done or refused with a
 * message, and the account of samples balances. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "boards/console.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition))                                                                  \
			abort();                                                                   \
	} while (0)

static ssize_t discard(struct base_io *io, int fd, const void *data, size_t size)
{
	(void)io;
	(void)fd;
	(void)data;
	return (ssize_t)size;
}

/* Reads the input as the file that the script would be in. */
struct input {
	struct base_io io;
	const uint8_t *data;
	size_t left;
};

static ssize_t read_input(struct base_io *io, int fd, void *data, size_t size)
{
	struct input *input = (struct input *)io;
	size_t part = size < input->left ? size : input->left;

	(void)fd;
	memcpy(data, input->data, part);
	input->data += part;
	input->left -= part;
	return (ssize_t)part;
}

static void check(const struct board_console *console)
{
	const struct board_receiver_counts *counts = &console->node.receiver.counts;
	const struct multikron_core *core = &console->node.chip.core;

	REQUIRE(console->received == counts->samples);
	REQUIRE(counts->elements >= counts->delivered + counts->dropped);
	REQUIRE(core->fifo_count <= core->config.fifo_depth);
	REQUIRE(core->sent + core->fifo_count <= core->accepted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct base_out out;
	struct base_io sink = base_io_system;
	struct input input = { .io = base_io_system, .data = data, .left = size };
	struct board_console_config config = {
		.board = { .nodes = 1, .fifo_depth = 3 },
		.alloc = &base_alloc_system,
		.out = &out,
	};
	struct board_console console;
	struct base_lines lines;
	char *line;
	int got;

	config.board.model = size && data[0] == '#' ? BOARD_MULTIKRON2 : BOARD_MULTIKRON;
	sink.write = discard;
	input.io.read = read_input;
	base_out_init(&out, &sink, 1);
	base_lines_init(&lines, &input.io, 0);
	REQUIRE(board_console_open(&console, &config) == 0);
	while ((got = base_lines_next(&lines, &line)) != 0) {
		if (got < 0)
			continue;
		int result = board_console_line(&console, line);
		REQUIRE(result == BOARD_CONSOLE_DONE || console.message[0]);
		check(&console);
	}
	board_console_close(&console);
	return 0;
}
