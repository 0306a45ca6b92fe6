/* SPDX-License-Identifier: Apache-2.0 */
#include "boards/console.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/json.h"
#include "base/number.h"
#include "base/text.h"

#define ARGUMENTS_MAX   2
#define PROGRESS_CLOCKS 65536 /* between two calls of progress() when every clock is played */

struct argument {
	const char *name; /* as in the usage */
	uint64_t max;
};

struct command {
	const char *name;
	bool second_only; /* a pin that only MultiKron II has */
	struct argument argument[ARGUMENTS_MAX];
	int (*run)(struct board_console *console, const uint64_t *argument);
	const char *help;
};

static int run_help(struct board_console *console, const uint64_t *argument);

static int fail(struct board_console *console, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct board_console *console, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(console->message, sizeof(console->message), format, arguments);
	va_end(arguments);
	return error;
}

/* What the board tells us. */

static int keep_element(void *context, unsigned node, uint8_t byte, bool parity, bool eom)
{
	struct board_console *console = context;
	void *items = console->element;
	int error = base_alloc_grow(console->config.alloc, &items, &console->element_capacity,
				    console->elements, sizeof(*console->element));

	(void)node;
	console->element = items;
	if (error)
		return error;
	console->element[console->elements++] =
		(uint16_t)(byte | (parity ? 1u << 8 : 0) | (eom ? 1u << 9 : 0));
	return 0;
}

/* Trace time must not go back; the chip's clock does, after RESET and when a test sets it. */
static uint64_t trace_time(struct board_console *console, uint64_t timestamp)
{
	uint64_t time = console->epoch + timestamp;

	if (time < console->trace_time) {
		console->epoch += console->trace_time - time;
		time = console->trace_time;
	}
	console->trace_time = time;
	return time;
}

static int trace_sample(struct board_console *console, unsigned node,
			const struct board_sample *sample)
{
	struct trace_event event = {
		.resource = sample->resource,
		.fifo_overrun = sample->fifo_overrun,
		.shadow_overrun = sample->shadow_overrun,
		.cpu = sample->cpu,
		.source = sample->source,
		.timestamp = trace_time(console, sample->timestamp),
		.data = sample->data,
		.discarded = sample->lost,
	};

	memcpy(event.counter, sample->counter, sizeof(event.counter));
	return trace_ctf_event(console->config.trace, node, &event);
}

static int keep_sample(void *context, unsigned node, const struct board_sample *sample)
{
	struct board_console *console = context;
	void *items = console->sample;
	int error = base_alloc_grow(console->config.alloc, &items, &console->sample_capacity,
				    console->samples, sizeof(*console->sample));

	console->sample = items;
	if (error)
		return error;
	console->sample[console->samples++] = *sample;
	console->received++;
	return console->config.trace ? trace_sample(console, node, sample) : 0;
}

static int dump_tick(void *context)
{
	struct board_console *console = context;

	board_vcd_tick(console->config.vcd, &console->node.played, &console->node.out);
	return console->config.vcd->out->error;
}

/* The commands. */

static int run_reset(struct board_console *console, const uint64_t *argument)
{
	(void)argument;
	console->epoch += console->node.chip.core.timestamp;
	return board_reset(&console->board);
}

static int run_test(struct board_console *console, const uint64_t *argument)
{
	board_drive(&console->board, 0, MULTIKRON_TEST, argument[0]);
	return 0;
}

static int run_cpu(struct board_console *console, const uint64_t *argument)
{
	board_cpu(&console->board, 0, (unsigned)argument[0]);
	return 0;
}

static int answered(struct board_console *console, int answer)
{
	switch (answer) {
	case BOARD_BUSY:
		return fail(console, -KRON_EINVAL,
			    "the access before still waits; 'netrdy 1' and 'clock' let it finish");
	case BOARD_HELD:
		return fail(
			console, -KRON_EINVAL,
			"the acknowledge of the access before is still held; 'hold 0' releases it");
	case BOARD_NO_START:
		return fail(console, -KRON_EINVAL,
			    "no access starts while STARTB is not asserted; 'start 1' asserts it");
	case BOARD_NO_ANSWER:
		return fail(console, -KRON_EINVAL,
			    "no acknowledge after %u clocks: the access waits for the network; "
			    "'netrdy 1' lets samples out",
			    BOARD_PATIENCE);
	}
	return answer;
}

static int run_write(struct board_console *console, const uint64_t *argument)
{
	return answered(console,
			board_write(&console->board, 0, (unsigned)argument[0], argument[1]));
}

static int run_read(struct board_console *console, const uint64_t *argument)
{
	int error = answered(
		console, board_read(&console->board, 0, (unsigned)argument[0], &console->value));

	if (error)
		return error;
	console->has_value = true;
	base_out_printf(console->config.out, "0x%016llx\n", (unsigned long long)console->value);
	return 0;
}

static int run_clock(struct board_console *console, const uint64_t *argument)
{
	const struct board_console_config *config = &console->config;
	uint64_t left = argument[0];
	int error = 0;

	while (left && !error) {
		bool quick = !config->vcd && board_silent(&console->board, 0);
		uint64_t part = quick || left < PROGRESS_CLOCKS ? left : PROGRESS_CLOCKS;

		error = board_clock(&console->board, part);
		left -= part;
		if (config->progress &&
		    config->progress(config->context, argument[0] - left, argument[0]))
			return fail(console, BOARD_CONSOLE_INTERRUPTED, "interrupted");
	}
	return error;
}

static int run_ext(struct board_console *console, const uint64_t *argument)
{
	board_external(&console->board, 0, (uint16_t)argument[0]);
	return 0;
}

static int run_netrdy(struct board_console *console, const uint64_t *argument)
{
	board_drive(&console->board, 0, MULTIKRON_FREE, argument[0]);
	return 0;
}

static int run_hold(struct board_console *console, const uint64_t *argument)
{
	board_drive(&console->board, 0, MULTIKRON2_HOLD, argument[0]);
	return 0;
}

static int run_start(struct board_console *console, const uint64_t *argument)
{
	board_drive(&console->board, 0, MULTIKRON2_START, argument[0]);
	return 0;
}

static int run_bytes(struct board_console *console, const uint64_t *argument)
{
	(void)argument;
	for (size_t i = 0; i < console->elements; i++) {
		unsigned element = console->element[i];
		base_out_printf(console->config.out, "%02x %u %u\n", element & 0xff,
				element >> 8 & 1, element >> 9);
	}
	console->elements = 0;
	return 0;
}

static void print_sample(struct base_out *out, const struct board_sample *sample)
{
	struct base_json json;

	base_json_init(&json, out, false);
	base_json_object(&json, NULL);
	base_json_string(&json, "type", sample->resource ? "resource" : "trace");
	base_json_unsigned(&json, "cpu", sample->cpu);
	base_json_bool(&json, "fifo_overrun", sample->fifo_overrun);
	base_json_bool(&json, "shadow_overrun", sample->shadow_overrun);
	base_json_unsigned(&json, "timestamp", sample->timestamp);
	base_json_unsigned(&json, "source", sample->source);
	base_json_unsigned(&json, "data", sample->data);
	if (sample->resource) {
		base_json_array(&json, "counters");
		for (unsigned i = 0; i < BOARD_SAMPLE_COUNTERS; i++)
			base_json_unsigned(&json, NULL, sample->counter[i]);
		base_json_end(&json, ']');
	}
	base_json_end(&json, '}');
	base_out_text(out, "\n");
}

static int run_samples(struct board_console *console, const uint64_t *argument)
{
	(void)argument;
	for (size_t i = 0; i < console->samples; i++)
		print_sample(console->config.out, &console->sample[i]);
	console->samples = 0;
	return 0;
}

static int run_expect(struct board_console *console, const uint64_t *argument)
{
	if (!console->has_value)
		return fail(console, -KRON_ESYNTAX, "expect: nothing has been read yet");
	if (console->value == argument[0])
		return 0;
	return fail(console, BOARD_CONSOLE_DIFFERS, "expected 0x%016llx, read 0x%016llx",
		    (unsigned long long)argument[0], (unsigned long long)console->value);
}

/* clang-format off */
static const struct command commands[] = {
	{ "reset",   false, { { 0 } },                                     run_reset,   "hardware reset, five node clocks" },
	{ "write",   false, { { "ADDR", 127 }, { "VALUE", UINT64_MAX } },  run_write,   "write to the chip; takes the clocks it takes" },
	{ "read",    false, { { "ADDR", 127 } },                           run_read,    "read from the chip and print the value" },
	{ "expect",  false, { { "VALUE", UINT64_MAX } },                   run_expect,  "stop with exit code 1 if the last read differs" },
	{ "clock",   false, { { "N", UINT64_MAX } },                       run_clock,   "let N node clocks pass" },
	{ "cpu",     false, { { "N", 7 } },                                run_cpu,     "the CPU line that is asserted, 0..7" },
	{ "ext",     false, { { "MASK", 0xffff } },                        run_ext,     "levels of the external signals X15..X0" },
	{ "netrdy",  false, { { "0|1", 1 } },                              run_netrdy,  "can the collection network take bytes?" },
	{ "test",    false, { { "0|1", 1 } },                              run_test,    "test mode" },
	{ "hold",    true,  { { "0|1", 1 } },                              run_hold,    "HOLDB: extend acknowledges" },
	{ "start",   true,  { { "0|1", 1 } },                              run_start,   "STARTB: without it no access starts" },
	{ "samples", false, { { 0 } },                                     run_samples, "print the samples received, a JSON object each" },
	{ "bytes",   false, { { 0 } },                                     run_bytes,   "print the elements received: byte, parity, end" },
	{ "help",    false, { { 0 } },                                     run_help,    "print this" },
	{ 0 },
};
/* clang-format on */

static int run_help(struct board_console *console, const uint64_t *argument)
{
	struct base_out *out = console->config.out;

	(void)argument;
	for (const struct command *command = commands; command->name; command++) {
		char usage[32];

		if (command->second_only && console->config.board.model != BOARD_MULTIKRON2)
			continue;
		snprintf(usage, sizeof(usage), "%s %s %s", command->name,
			 command->argument[0].name ? command->argument[0].name : "",
			 command->argument[1].name ? command->argument[1].name : "");
		base_out_printf(out, "%-18s %s\n", usage, command->help);
	}
	return 0;
}

static const struct command *find_command(struct board_console *console, const char *word)
{
	const char *best = NULL;

	for (const struct command *command = commands; command->name; command++) {
		if (strcmp(command->name, word) == 0)
			return command;
		base_text_suggest(word, command->name, &best);
	}
	if (best)
		fail(console, 0, "unknown command '%s'; did you mean '%s'?", word, best);
	else
		fail(console, 0, "unknown command '%s'; 'help' lists them", word);
	return NULL;
}

static int parse_argument(struct board_console *console, const struct command *command,
			  const struct argument *argument, const char *word, uint64_t *value)
{
	if (!word)
		return fail(console, -KRON_ESYNTAX, "%s: %s is missing", command->name,
			    argument->name);
	if (base_number_parse(word, value))
		return fail(console, -KRON_ESYNTAX,
			    "%s: %s '%s' is not a number (decimal, or 0x and hexadecimal digits)",
			    command->name, argument->name, word);
	if (*value > argument->max)
		return fail(console, -KRON_ESYNTAX, "%s: %s %s is out of range (0..%llu)",
			    command->name, argument->name, word, (unsigned long long)argument->max);
	return 0;
}

static char *next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t\r");
	size_t length = strcspn(word, " \t\r");

	if (length == 0)
		return NULL;
	*rest = word + length;
	if (**rest)
		*(*rest)++ = '\0';
	return word;
}

static int parse_arguments(struct board_console *console, const struct command *command, char *rest,
			   uint64_t *value)
{
	const char *extra;
	int error = 0;

	for (unsigned i = 0; i < ARGUMENTS_MAX && command->argument[i].name && !error; i++)
		error = parse_argument(console, command, &command->argument[i], next_word(&rest),
				       &value[i]);
	if (error)
		return error;
	extra = next_word(&rest);
	if (extra)
		return fail(console, -KRON_ESYNTAX, "%s: '%s' is one argument too many",
			    command->name, extra);
	return 0;
}

/* What the reports forbid, in words. */
static const struct {
	uint32_t fault;
	const char *text;
} faults[] = {
	{ MULTIKRON_FAULT_CSR_PAIR, "both bits of an enable/disable pair written to the CSR; the "
				    "disabling one wins" },
	{ MULTIKRON_FAULT_TEST_SET_INC,
	  "the TEST instruction sets and increments the same counters" },
};

static void note_faults(struct board_console *console)
{
	uint32_t *raised = &console->node.chip.core.faults;

	console->warning[0] = '\0';
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (*raised & faults[i].fault)
			snprintf(console->warning, sizeof(console->warning), "%s", faults[i].text);
	}
	*raised = 0;
}

int board_console_line(struct board_console *console, char *line)
{
	uint64_t value[ARGUMENTS_MAX] = { 0 };
	const struct command *command;
	const char *word;
	int error;

	console->message[0] = '\0';
	console->warning[0] = '\0';
	line[strcspn(line, "#")] = '\0';
	word = next_word(&line);
	if (!word)
		return BOARD_CONSOLE_DONE;
	command = find_command(console, word);
	if (!command)
		return -KRON_ESYNTAX;
	if (command->second_only && console->config.board.model != BOARD_MULTIKRON2)
		return fail(console, -KRON_ESYNTAX,
			    "%s: MultiKron has no such pin; MultiKron II has", command->name);
	error = parse_arguments(console, command, line, value);
	if (error)
		return error;
	error = command->run(console, value);
	note_faults(console);
	return error;
}

int board_console_open(struct board_console *console, const struct board_console_config *config)
{
	struct board_listener listener = { .context = console,
					   .element = keep_element,
					   .sample = keep_sample,
					   .tick = config->vcd ? dump_tick : NULL };
	const char *wrong = board_config_check(&config->board);

	*console = (struct board_console){ .config = *config };
	if (wrong)
		return fail(console, -KRON_EINVAL, "%s", wrong);
	return board_init(&console->board, &config->board, &console->node, &listener);
}

void board_console_close(struct board_console *console)
{
	base_alloc_free(console->config.alloc, console->element);
	base_alloc_free(console->config.alloc, console->sample);
	console->element = NULL;
	console->sample = NULL;
}
