/* SPDX-License-Identifier: Apache-2.0 */
/* The dump is read by a small parser here, and, where they are installed, goes through vcd2fst and
 * fst2vcd and is read again. */
#include "unit/test.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <kron/multikron.h>
#include <kron/multikron2.h>
#include "base/error.h"
#include "base/rng.h"
#include "boards/vcd.h"
#include "support/fault.h"
#include "support/files.h"

#define TICKS     40
#define NODES     2
#define NODE_HZ   50000000
#define PERIOD_PS 20000

/* ---- Reading a dump ---- */

static char *read_text(const char *path)
{
	uint8_t *data;

	files_read(path, &data);
	return (char *)data;
}

/* Copy the next word into `word` and return what is behind it; NULL at the end. */
static const char *next_word(const char *at, char *word, size_t size)
{
	size_t length = 0;

	while (isspace((unsigned char)*at))
		at++;
	if (!*at)
		return NULL;
	for (; *at && !isspace((unsigned char)*at); at++)
		if (length + 1 < size)
			word[length++] = *at;
	word[length] = '\0';
	return at;
}

/* The identifier code of a signal of a scope. */
static void find_code(const char *text, const char *scope, const char *name, char *code)
{
	char word[80], inside[80] = "", candidate[16];

	for (const char *at = text; (at = next_word(at, word, sizeof(word)));) {
		if (!strcmp(word, "$scope")) {
			at = next_word(at, word, sizeof(word));
			at = next_word(at, inside, sizeof(inside));
		} else if (!strcmp(word, "$var")) {
			at = next_word(at, word, sizeof(word));
			at = next_word(at, word, sizeof(word));
			at = next_word(at, candidate, sizeof(candidate));
			at = next_word(at, word, sizeof(word));
			word[strcspn(word, "[")] = '\0';
			if (!strcmp(inside, scope) && !strcmp(word, name)) {
				strcpy(code, candidate);
				return;
			}
		}
	}
	fail_msg("no signal %s in %s", name, scope);
}

/* The value of a signal at a time, all its digits, into value[65]. */
static void value_at(const char *text, const char *scope, const struct board_pin *pin,
		     uint64_t time, char *value)
{
	const char *at = strstr(text, "$enddefinitions");
	char word[80], code[16], digits[80] = "x";

	find_code(text, scope, pin->name, code);
	while ((at = next_word(at, word, sizeof(word)))) {
		if (word[0] == '#' && strtoull(word + 1, NULL, 10) > time)
			break;
		if (word[0] == 'b') {
			char of[16];

			at = next_word(at, of, sizeof(of));
			if (!strcmp(of, code))
				strcpy(digits, word + 1);
		} else if (strchr("01xz", word[0]) && !strcmp(word + 1, code)) {
			digits[0] = word[0];
			digits[1] = '\0';
		}
	}
	/* A short vector is extended on the left: by 0, or by x or z if it starts so. */
	size_t length = strlen(digits);
	memset(value, digits[0] == '1' ? '0' : digits[0], pin->width);
	strcpy(value + pin->width - length, digits);
}

static void check_value(const char *text, unsigned node, const struct board_pin *pin, uint64_t time,
			uint64_t bits, bool floating)
{
	char scope[16], value[66];

	snprintf(scope, sizeof(scope), "node%u", node);
	value_at(text, scope, pin, time, value);
	for (unsigned i = 0; i < pin->width; i++) {
		bool set = bits >> i & 1;
		char expected = floating ? 'z' : set != pin->active_low ? '1' : '0';

		if (value[pin->width - 1 - i] != expected)
			fail_msg("%s.%s at %llu: %s instead of bit %u %c", scope, pin->name,
				 (unsigned long long)time, value, i, expected);
	}
}

/* ---- Writing one ---- */

struct history {
	const struct board_pins *pins;
	struct multikron_pins in[TICKS][NODES];
	struct multikron_pins out[TICKS][NODES];
};

/* Random pins; the chip drives D at every third tick. */
static void make_history(struct history *history, const struct board_pins *pins, uint64_t outputs)
{
	struct base_rng rng;

	history->pins = pins;
	base_rng_seed(&rng, 1);
	for (unsigned tick = 0; tick < TICKS; tick++)
		for (unsigned node = 0; node < NODES; node++) {
			struct multikron_pins in = {
				.data = base_rng_next(&rng),
				.control = base_rng_next(&rng) & ~outputs & ~(UINT64_C(3) << 62),
			};
			struct multikron_pins out = in;

			if (base_rng_below(&rng, 4))
				in.control &= ~pins->outdis;
			out.control = in.control;
			if (!(in.control & pins->outdis)) {
				out.control |= base_rng_next(&rng) & outputs;
				if (tick % 3 == 0)
					out.data = base_rng_next(&rng);
			}
			history->in[tick][node] = in;
			history->out[tick][node] = out;
		}
}

static int write_dump(struct base_io *io, struct base_alloc *alloc, const char *path,
		      const struct history *history)
{
	struct base_out out;
	struct board_vcd vcd;
	int fd = io->open(io, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	int error, cause;

	if (fd < 0)
		return -KRON_EIO;
	base_out_init(&out, io, fd);
	error = board_vcd_open(&vcd, &out, alloc, history->pins, NODES, NODE_HZ);
	if (!error) {
		for (unsigned i = 0; i < TICKS; i++)
			board_vcd_tick(&vcd, history->in[i], history->out[i]);
		error = board_vcd_close(&vcd);
	}
	cause = errno;
	if (io->close(io, fd) && !error)
		return -KRON_EIO;
	errno = cause;
	return error;
}

/* Every pin of every node has the right level in both halves of every tick. */
static void check_dump(const char *text, const struct history *history)
{
	for (unsigned tick = 0; tick < TICKS; tick++)
		for (unsigned node = 0; node < NODES; node++)
			for (unsigned i = 0; i < history->pins->count; i++) {
				const struct board_pin *pin = &history->pins->pin[i];
				const struct multikron_pins *in = &history->in[tick][node];
				const struct multikron_pins *out = &history->out[tick][node];
				const struct multikron_pins *before =
					tick ? &history->out[tick - 1][node] : NULL;
				uint64_t low = PERIOD_PS * tick + PERIOD_PS / 2 - 1;
				uint64_t high = PERIOD_PS * tick + PERIOD_PS - 1;
				bool floating = in->control & history->pins->outdis && !pin->input;

				if (pin->place == BOARD_PIN_CLOCK) {
					check_value(text, node, pin, low, 0, false);
					check_value(text, node, pin, high, 1, false);
				} else if (pin->place == BOARD_PIN_DATA) {
					bool held =
						before &&
						before->data != history->in[tick - 1][node].data;

					check_value(text, node, pin, low,
						    held ? before->data : in->data, false);
					check_value(text, node, pin, high, out->data, false);
				} else {
					uint64_t was = pin->input ? in->control
						       : before   ? before->control
								  : 0;

					check_value(text, node, pin, low, was >> pin->shift,
						    floating);
					check_value(text, node, pin, high,
						    out->control >> pin->shift, floating);
				}
			}
}

static void a_dump_has_the_levels_of_every_pin(void **state)
{
	struct history history;
	char *text;

	(void)state;
	make_history(&history, &board_pins_multikron, MULTIKRON_OUTPUTS);
	CHECK_EQUAL(write_dump(&base_io_system, &base_alloc_system, "a.vcd", &history), 0);
	text = read_text("a.vcd");
	check_dump(text, &history);
	free(text);
}

/* The real tools agree with the parser above. */
static void gtkwave_tools_read_the_same(void **state)
{
	struct history history;
	char *text;

	(void)state;
	if (system("command -v vcd2fst fst2vcd >/dev/null"))
		skip();
	make_history(&history, &board_pins_multikron2, MULTIKRON2_OUTPUTS);
	CHECK_EQUAL(write_dump(&base_io_system, &base_alloc_system, "a.vcd", &history), 0);
	CHECK_EQUAL(system("vcd2fst a.vcd a.fst >tools.txt 2>&1"), 0);
	CHECK_EQUAL(system("fst2vcd a.fst >b.vcd 2>>tools.txt"), 0);
	text = read_text("tools.txt");
	assert_null(strstr(text, "rror"));
	assert_null(strstr(text, "arning"));
	free(text);
	text = read_text("b.vcd");
	assert_non_null(strstr(text, "1ps"));
	check_dump(text, &history);
	free(text);
}

/* ---- Small dumps, to the letter ---- */

static char *dump_of(const struct multikron_pins *in, const struct multikron_pins *out,
		     unsigned ticks, uint64_t node_hz, uint64_t skip)
{
	int fd = open("a.vcd", O_WRONLY | O_CREAT | O_TRUNC, 0666);
	struct base_out file;
	struct board_vcd vcd;

	base_out_init(&file, &base_io_system, fd);
	CHECK_EQUAL(
		board_vcd_open(&vcd, &file, &base_alloc_system, &board_pins_multikron2, 1, node_hz),
		0);
	for (unsigned i = 0; i < ticks; i++)
		board_vcd_tick(&vcd, &in[i], &out[i]);
	board_vcd_skip(&vcd, skip);
	CHECK_EQUAL(board_vcd_close(&vcd), 0);
	close(fd);
	return read_text("a.vcd");
}

static void the_header_declares_and_dumps_all_pins(void **state)
{
	static const char expected[] =
		"$version kron $end\n$timescale 1 ps $end\n"
		"$scope module multikron2 $end\n$scope module node0 $end\n"
		"$var wire 64 \" D [63:0] $end\n$var wire 16 # X [15:0] $end\n"
		"$var wire 7 $ A [6:0] $end\n$var wire 8 % C [7:0] $end\n"
		"$var wire 1 & RESETB $end\n$var wire 1 ! Node_clk $end\n"
		"$var wire 1 ( Timestamp_clk $end\n$var wire 1 ) READB $end\n"
		"$var wire 1 * WRITEB $end\n$var wire 1 + HOLDB $end\n"
		"$var wire 1 , STARTB $end\n$var wire 1 - WAITSTATE $end\n"
		"$var wire 1 . ACKB $end\n$var wire 8 / N [7:0] $end\n"
		"$var wire 1 0 ODD_PARITY $end\n$var wire 1 1 EOM $end\n"
		"$var wire 1 2 NETRDY $end\n$var wire 1 3 FIFODAB $end\n"
		"$var wire 1 4 NETCLK $end\n$var wire 1 5 TESTB $end\n"
		"$var wire 1 6 OUTDISB $end\n$var wire 8 7 T [7:0] $end\n"
		"$upscope $end\n$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n"
		"b0000000000000000000000000000000000000000000000000000000000000000 \"\n"
		"b0000000000000000 #\nb0000000 $\nb00000000 %\n1&\n0!\n0(\n1)\n1*\n1+\n1,\n0-\n1.\n"
		"b00000000 /\n00\n01\n02\n13\n04\n15\n16\nb00000000 7\n$end\n";
	char *text;

	(void)state;
	text = dump_of(NULL, NULL, 0, NODE_HZ, 0);
	assert_string_equal(text, expected);
	free(text);
}

static const char *body_of(const char *text)
{
	return strstr(strstr(text, "$dumpvars"), "$end\n") + 5;
}

/* Only changes are written; inputs at the falling edge, outputs at the rising one. */
static void changes_stand_at_their_edges(void **state)
{
	const struct multikron_pins in[] = { { .control = MULTIKRON2_READ | MULTIKRON2_START },
					     { .control = MULTIKRON2_TSCLK },
					     { .control = MULTIKRON2_TSCLK } };
	const struct multikron_pins out[] = {
		{ .control = in[0].control | MULTIKRON2_NETCLK },
		{ .control = in[1].control | MULTIKRON2_ACK, .data = 5 },
		{ .control = in[2].control | MULTIKRON2_NETCLK },
	};
	char *text = dump_of(in, out, 3, NODE_HZ, 3);

	(void)state;
	assert_string_equal(
		body_of(text),
		"0)\n0,\n#10000\n1!\n14\n"
		"#20000\n0!\n1(\n1)\n1,\n#30000\n1!\n"
		"b0000000000000000000000000000000000000000000000000000000000000101 \"\n0.\n04\n"
		/* The chip holds the data until the edge at which it takes ACK away. */
		"#40000\n0!\n#50000\n1!\n"
		"b0000000000000000000000000000000000000000000000000000000000000000 \"\n1.\n14\n"
		/* Skipped ticks are written, too. */
		"#60000\n0!\n#70000\n1!\n04\n#80000\n0!\n#90000\n1!\n14\n"
		"#100000\n0!\n#110000\n1!\n04\n#120000\n");
	free(text);
}

static void a_pulse_is_a_pulse_between_the_edges(void **state)
{
	const struct multikron_pins in = { .control = MULTIKRON2_X(1), .pulse = 0x8001 };
	const struct multikron_pins out = { .control = in.control };
	char *text = dump_of(&in, &out, 1, NODE_HZ, 0);

	(void)state;
	assert_string_equal(body_of(text), "b0000000000000010 #\n#2500\nb1000000000000011 #\n"
					   "#5000\nb0000000000000010 #\n#10000\n1!\n#20000\n");
	free(text);
}

static void disabled_outputs_float(void **state)
{
	const struct multikron_pins in[] = { { .control = MULTIKRON2_OUTDIS }, { .control = 0 } };
	char *text = dump_of(in, in, 2, NODE_HZ, 0);

	(void)state;
	assert_string_equal(body_of(text),
			    "z.\nbzzzzzzzz /\nz0\nz1\nz3\nz4\n06\nbzzzzzzzz 7\n#10000\n1!\n"
			    "#20000\n0!\n1.\nb00000000 /\n00\n01\n13\n04\n16\nb00000000 7\n"
			    "#30000\n1!\n#40000\n");
	free(text);
}

/* 3 Hz has a period of 333333333333.33 ps: the third tick ends at a whole second. */
static void periods_that_are_no_whole_picoseconds_do_not_drift(void **state)
{
	char *text = dump_of(NULL, NULL, 0, 3, 3);

	(void)state;
	assert_string_equal(body_of(text), "#166666666666\n1!\n14\n"
					   "#333333333333\n0!\n#500000000000\n1!\n04\n"
					   "#666666666666\n0!\n#833333333333\n1!\n14\n"
					   "#1000000000000\n");
	free(text);
}

static void nonsense_is_refused(void **state)
{
	struct base_out out;
	struct board_vcd vcd;

	(void)state;
	base_out_init(&out, &base_io_system, -1);
	CHECK(board_vcd_open(&vcd, &out, &base_alloc_system, &board_pins_multikron, 0, NODE_HZ) ==
	      -KRON_EINVAL);
	CHECK(board_vcd_open(&vcd, &out, &base_alloc_system, &board_pins_multikron,
			     BOARD_VCD_NODES_MAX + 1, NODE_HZ) == -KRON_EINVAL);
	CHECK(board_vcd_open(&vcd, &out, &base_alloc_system, &board_pins_multikron, 1, 0) ==
	      -KRON_EINVAL);
	CHECK(board_vcd_open(&vcd, &out, &base_alloc_system, &board_pins_multikron, 1,
			     BOARD_VCD_HZ_MAX + 1) == -KRON_EINVAL);
	CHECK_EQUAL(out.used, 0);
}

static int run_dump(struct fault *fault, void *context)
{
	int error = write_dump(&fault->io, &fault->alloc, "f.vcd", context), cause = errno;

	unlink("f.vcd");
	errno = cause;
	return error;
}

/* A full disk among them. */
static void every_failing_call_is_reported_and_nothing_leaks(void **state)
{
	struct history history;

	(void)state;
	make_history(&history, &board_pins_multikron2, MULTIKRON2_OUTPUTS);
	CHECK(fault_walk(run_dump, &history) > 5);
}

TEST_MAIN(TEST_IN_DIR(a_dump_has_the_levels_of_every_pin), TEST_IN_DIR(gtkwave_tools_read_the_same),
	  TEST_IN_DIR(the_header_declares_and_dumps_all_pins),
	  TEST_IN_DIR(changes_stand_at_their_edges),
	  TEST_IN_DIR(a_pulse_is_a_pulse_between_the_edges), TEST_IN_DIR(disabled_outputs_float),
	  TEST_IN_DIR(periods_that_are_no_whole_picoseconds_do_not_drift),
	  TEST_IN_DIR(nonsense_is_refused),
	  TEST_IN_DIR(every_failing_call_is_reported_and_nothing_leaks))
