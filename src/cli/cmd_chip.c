/* SPDX-License-Identifier: Apache-2.0 */
/* kron chip: drive a model of a measurement chip from a script. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "boards/console.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/progress.h"

struct chip_options {
	uint64_t fifo_depth;
	uint64_t node_hz;
	uint64_t timestamp_hz;
	uint64_t wait_states;
	const char *trace;
	const char *vcd;
};

static const struct base_option chip_table[] = {
	{ "fifo-depth", 0, BASE_UNSIGNED(struct chip_options, fifo_depth, 2, MULTIKRON_FIFO_MAX),
	  .value = "N", .preset = "8", .help = "samples that the chip's FIFO holds" },
	{ "node-hz", 0, BASE_UNSIGNED(struct chip_options, node_hz, 3, BOARD_VCD_HZ_MAX),
	  .value = "HZ", .preset = "50M", .help = "frequency of the node clock",
	  .suffix = BASE_SUFFIX_DECIMAL },
	{ "timestamp-hz", 0, BASE_UNSIGNED(struct chip_options, timestamp_hz, 1, BOARD_VCD_HZ_MAX),
	  .value = "HZ", .preset = "10M",
	  .help = "frequency of the time stamp clock, at most a third of the node clock's",
	  .suffix = BASE_SUFFIX_DECIMAL },
	{ "wait-states", 0, BASE_UNSIGNED(struct chip_options, wait_states, 0, 3), .value = "N",
	  .preset = "0", .help = "clocks added to every access; multikron2: 0 or 1" },
	{ "trace", 0, BASE_STRING(struct chip_options, trace), .value = "DIR",
	  .help = "write the samples received as a CTF trace; an older one becomes DIR.old" },
	{ "vcd", 0, BASE_STRING(struct chip_options, vcd), .value = "FILE",
	  .help = "write all pins at every clock, for GTKWave" },
	{ 0 },
};

static const struct base_argument chip_arguments[] = {
	{ "MODEL", BASE_ARGUMENT_REQUIRED, "multikron or multikron2" },
	{ "SCRIPT", BASE_ARGUMENT_OPTIONAL,
	  "one command a line; standard input if it is missing or -. The command 'help' lists "
	  "them" },
	{ 0 },
};

static const struct base_example chip_examples[] = {
	{ "kron chip multikron2 examples/chip/stopwatch.chip", "run a script" },
	{ "echo 'read 1' | kron chip multikron", "the control and status register after power-on" },
	{ "kron chip multikron2 --trace kron.data s.chip && babeltrace2 kron.data",
	  "collect samples and look at them" },
	{ 0 },
};

static const struct base_command chip_command = {
	.name = "kron chip",
	.summary = "Drive a model of a measurement chip, pin by pin, from a script.",
	.options = chip_table,
	.arguments = chip_arguments,
	.examples = chip_examples,
	.footer = CLI_EXIT_CODES,
};

static const struct {
	const char *name;
	enum board_model model;
	const struct board_pins *pins;
	unsigned wait_states_max;
} models[] = {
	{ "multikron", BOARD_MULTIKRON, &board_pins_multikron, 3 },
	{ "multikron2", BOARD_MULTIKRON2, &board_pins_multikron2, 1 },
};

#define MODEL_COUNT (sizeof(models) / sizeof(models[0]))

/* The cli's io, but an interrupt ends the script. */
struct script_io {
	struct base_io io;
	struct base_io *below;
};

/* Everything that is open while a script runs. */
struct chip_run {
	struct cli *cli;
	const struct chip_options *options;
	unsigned model; /* index in models */
	const char *script;
	int script_fd;
	struct script_io script_io;
	bool terminal; /* somebody types the script */
	bool tracing;
	struct trace_ctf trace;
	int vcd_fd;
	struct base_out vcd_out;
	bool dumping;
	struct board_vcd vcd;
	struct cli_progress progress;
	struct board_console console;
};

static ssize_t read_script(struct base_io *io, int fd, void *data, size_t size)
{
	struct script_io *script = (struct script_io *)io;
	ssize_t got = script->below->read(script->below, fd, data, size);

	return got < 0 && errno == EINTR && cli_interrupted ? 0 : got;
}

static bool on_progress(void *context, uint64_t done, uint64_t total)
{
	struct chip_run *run = context;

	cli_progress_show(&run->progress, "clock", done, total);
	return cli_interrupted;
}

static int find_model(struct cli *cli, const char *name, unsigned *model)
{
	for (unsigned i = 0; i < MODEL_COUNT; i++) {
		if (strcmp(models[i].name, name) == 0) {
			*model = i;
			return CLI_GO;
		}
	}
	cli_error(cli, "unknown model '%s'; there are multikron and multikron2", name);
	cli_hint(cli, "kron chip --help");
	return CLI_USAGE;
}

/* Limits that depend on each other or on the model. */
static int check_options(struct cli *cli, const struct chip_options *options, unsigned model)
{
	if (options->timestamp_hz > options->node_hz / 3) {
		cli_error(cli, "--timestamp-hz: %llu is more than a third of --node-hz, %llu",
			  (unsigned long long)options->timestamp_hz,
			  (unsigned long long)options->node_hz);
		return CLI_USAGE;
	}
	if (options->wait_states > models[model].wait_states_max) {
		cli_error(cli, "--wait-states: %llu is out of range for %s (0..%u)",
			  (unsigned long long)options->wait_states, models[model].name,
			  models[model].wait_states_max);
		return CLI_USAGE;
	}
	return CLI_GO;
}

static int open_script(struct chip_run *run, const char *name)
{
	run->script_io = (struct script_io){ .io = *run->cli->io, .below = run->cli->io };
	run->script_io.io.read = read_script;
	run->script_fd = STDIN_FILENO;
	run->script = "<stdin>";
	if (name && strcmp(name, "-") != 0) {
		run->script = name;
		run->script_fd = run->cli->io->open(run->cli->io, name, O_RDONLY | O_CLOEXEC, 0);
	}
	if (run->script_fd < 0)
		return cli_fail(run->cli, name, -KRON_EIO);
	run->terminal = isatty(run->script_fd);
	return CLI_GO;
}

static int open_trace(struct chip_run *run)
{
	struct trace_ctf_info info = { .model = models[run->model].name,
				       .clock_hz = run->options->timestamp_hz,
				       .streams = 1 };
	int error;

	if (!run->options->trace)
		return CLI_GO;
	error = trace_ctf_open(&run->trace, run->cli->io, run->cli->alloc, run->options->trace,
			       &info);
	if (error == -KRON_EEXIST) {
		cli_error(run->cli,
			  "%s: it, or %s.old, exists and is not a trace; it was not touched",
			  run->options->trace, run->options->trace);
		return CLI_INPUT;
	}
	if (error)
		return cli_fail(run->cli, run->options->trace, error);
	run->tracing = true;
	return CLI_GO;
}

static int open_vcd(struct chip_run *run)
{
	struct cli *cli = run->cli;
	int error;

	if (!run->options->vcd)
		return CLI_GO;
	run->vcd_fd = cli->io->open(cli->io, run->options->vcd,
				    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (run->vcd_fd < 0)
		return cli_fail(cli, run->options->vcd, -KRON_EIO);
	base_out_init(&run->vcd_out, cli->io, run->vcd_fd);
	error = board_vcd_open(&run->vcd, &run->vcd_out, cli->alloc, models[run->model].pins, 1,
			       run->options->node_hz);
	if (error)
		return cli_fail(cli, run->options->vcd, error);
	run->dumping = true;
	return CLI_GO;
}

static struct board_config board_config(const struct chip_run *run)
{
	return (struct board_config){
		.model = models[run->model].model,
		.nodes = 1,
		.node_hz = run->options->node_hz,
		.timestamp_hz = run->options->timestamp_hz,
		.wait_states = (unsigned)run->options->wait_states,
		.fifo_depth = (unsigned)run->options->fifo_depth,
	};
}

static int open_console(struct chip_run *run)
{
	struct board_console_config config = {
		.board = board_config(run),
		.alloc = run->cli->alloc,
		.out = &run->cli->out,
		.trace = run->tracing ? &run->trace : NULL,
		.vcd = run->dumping ? &run->vcd : NULL,
		.progress = on_progress,
		.context = run,
	};
	int error = board_console_open(&run->console, &config);

	if (!error)
		return CLI_GO;
	cli_error(run->cli, "%s",
		  run->console.message[0] ? run->console.message : base_error_text(error));
	return CLI_INPUT;
}

/* Say why a line failed. Returns the exit code. */
static int line_failed(struct chip_run *run, unsigned number, int result)
{
	const struct board_console *console = &run->console;

	if (result == BOARD_CONSOLE_INTERRUPTED)
		return 128 + cli_interrupted;
	if (console->message[0])
		cli_error(run->cli, "%s:%u: %s", run->script, number, console->message);
	else if (run->dumping && run->vcd_out.error)
		return CLI_INPUT; /* told when it is closed */
	else if (run->tracing && run->trace.error)
		return CLI_INPUT; /* likewise */
	else
		cli_error(run->cli, "%s:%u: %s", run->script, number, base_error_text(result));
	return result == BOARD_CONSOLE_DIFFERS ? CLI_NO : CLI_INPUT;
}

static int run_line(struct chip_run *run, unsigned number, char *line)
{
	int result;

	cli_progress_begin(&run->progress, run->cli);
	result = board_console_line(&run->console, line);
	cli_progress_end(&run->progress);
	if (run->console.warning[0])
		cli_note(run->cli, "%s:%u: warning: %s", run->script, number, run->console.warning);
	/* Whoever writes the script line by line wants the answer now. */
	if (run->script_fd == STDIN_FILENO)
		base_out_flush(&run->cli->out);
	return result == BOARD_CONSOLE_DONE ? CLI_DONE : line_failed(run, number, result);
}

static void prompt(struct chip_run *run)
{
	if (!run->terminal)
		return;
	base_out_printf(&run->cli->err, "%s> ", models[run->model].name);
	base_out_flush(&run->cli->err);
}

/* All lines, up to the first that fails; on a terminal, all. */
static int run_script(struct chip_run *run)
{
	struct base_lines lines;
	int code = CLI_DONE;
	char *line;

	base_lines_init(&lines, &run->script_io.io, run->script_fd);
	while (code == CLI_DONE || run->terminal) {
		int got;

		prompt(run);
		got = cli_interrupted ? 0 : base_lines_next(&lines, &line);
		if (got == 0)
			break;
		if (got == -KRON_ESYNTAX) {
			cli_error(run->cli, "%s:%u: the line is too long or has a zero byte",
				  run->script, lines.number);
			code = CLI_INPUT;
			continue;
		}
		if (got < 0)
			return cli_fail(run->cli, run->script, got);
		got = run_line(run, lines.number, line);
		if (got != CLI_DONE)
			code = got;
	}
	return cli_interrupted ? 128 + cli_interrupted : code;
}

static const char *samples(uint64_t count)
{
	return count == 1 ? "sample" : "samples";
}

static int close_trace(struct chip_run *run, int code)
{
	uint64_t lost = board_lost(&run->console.board, 0);
	const char *dir = run->options->trace;
	int error = trace_ctf_close(&run->trace, &lost);

	if (error) {
		cli_error(run->cli, "%s: %s; it is readable up to there", dir,
			  base_error_text(error));
		return code == CLI_DONE ? CLI_INPUT : code;
	}
	cli_note(run->cli, "wrote %s: %llu %s, %llu lost", dir,
		 (unsigned long long)run->console.received, samples(run->console.received),
		 (unsigned long long)lost);
	cli_hint(run->cli, "babeltrace2 %s", dir);
	return code;
}

static int close_vcd(struct chip_run *run, int code)
{
	struct base_io *io = run->cli->io;
	int error = board_vcd_close(&run->vcd);

	if (io->close(io, run->vcd_fd) && !error)
		error = -KRON_EIO;
	run->vcd_fd = -1;
	if (error) {
		cli_fail(run->cli, run->options->vcd, error);
		return code == CLI_DONE ? CLI_INPUT : code;
	}
	cli_note(run->cli, "wrote %s: %llu clocks", run->options->vcd,
		 (unsigned long long)run->console.board.clocks);
	cli_hint(run->cli, "gtkwave %s", run->options->vcd);
	return code;
}

/* What did not arrive. */
static void tell_losses(struct chip_run *run)
{
	const struct board_node *node = &run->console.node;
	const struct multikron_core *core = &node->chip.core;
	uint64_t lost = board_lost(&run->console.board, 0);
	/* Of what came since the last end, more than the sample on its way has sent was cut off. */
	uint64_t cut = board_receiver_drops(&node->receiver) + (node->receiver.length > core->byte);

	if (lost && !run->tracing)
		cli_note(run->cli, "lost %llu %s: FIFO or shadow registers were full",
			 (unsigned long long)lost, samples(lost));
	if (cut)
		cli_note(run->cli, "lost %llu %s: cut short by a reset", (unsigned long long)cut,
			 samples(cut));
	if (core->fifo_count)
		cli_note(run->cli, "%u %s still in the chip: 'netrdy 1' and 'clock' bring them out",
			 core->fifo_count, samples(core->fifo_count));
}

static int run_chip(struct chip_run *run, const char *script)
{
	struct cli *cli = run->cli;
	int code = open_script(run, script);

	run->vcd_fd = -1;
	if (code == CLI_GO)
		code = open_vcd(run);
	if (code == CLI_GO)
		code = open_trace(run); /* last: it moves an older trace aside */
	if (code == CLI_GO) {
		code = open_console(run);
		if (code == CLI_GO) {
			cli_catch_interrupts();
			code = run_script(run);
			tell_losses(run);
		}
		if (run->tracing)
			code = close_trace(run, code);
		if (run->dumping)
			code = close_vcd(run, code);
		board_console_close(&run->console);
	} else if (run->dumping) {
		board_vcd_close(&run->vcd);
	}
	if (run->vcd_fd >= 0)
		cli->io->close(cli->io, run->vcd_fd);
	if (run->script_fd > STDIN_FILENO)
		cli->io->close(cli->io, run->script_fd);
	return code;
}

int cmd_chip(struct cli *cli, int argc, char **argv)
{
	struct chip_options options;
	struct chip_run run = { .cli = cli, .options = &options };
	struct base_args args;
	int code = cli_parse(cli, &chip_command, &options, argc, argv, &args);

	if (code != CLI_GO)
		return code;
	code = find_model(cli, args.list[0], &run.model);
	if (code != CLI_GO)
		return code;
	code = check_options(cli, &options, run.model);
	if (code != CLI_GO)
		return code;
	return run_chip(&run, args.count > 1 ? args.list[1] : NULL);
}
