/* SPDX-License-Identifier: Apache-2.0 */
/* The waveforms in tests/chips/: what the pins of a chip do, one line per node clock.
 *
 *   chip multikron            first of all: multikron or multikron2
 *   config fifo_depth=4       the chip's configuration where it is not the default
 *   hold   FREE C0            inputs asserted in every row that follows; replaces the last hold
 *   watch  RDY LOAD           outputs compared in every row that follows; at first all of them
 *   WR A=4 D=0xff |           a row: inputs, a bar, outputs
 *                 | RDY
 *   12x           |           twelve such rows
 *
 * Inputs that are neither named nor held are not asserted. Watched outputs that are not named must
 * not be asserted; others are compared only where they are named, and !NAME says not asserted. The
 * data bus D is compared only where it is named. Pins are named as in the chip's header: single
 * pins RDY or C3, groups A=4, X=0xffff, C=8, N=0x70. A # starts a comment. The chip starts as after
 * a hardware reset. */
#include "unit/test.h"

#include <kron/multikron.h>
#include <kron/multikron2.h>

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef KRON_TESTS_DIR
#define KRON_TESTS_DIR "tests"
#endif

struct signal {
	const char *name;
	unsigned shift, width;
};

/* clang-format off */
#define COMMON_SIGNALS \
	{ "X", MULTIKRON_X_SHIFT, 16 }, { "A", MULTIKRON_A_SHIFT, 7 }, { "C", MULTIKRON_C_SHIFT, 8 }, \
	{ "RESET", 31, 1 }, { "TSCLK", 32, 1 }, { "TEST", 38, 1 }, { "OUTDIS", 39, 1 }, \
	{ "NETCLK", 43, 1 }, { "N", MULTIKRON_N_SHIFT, 8 }, { "PARITY", 52, 1 }, { "EOM", 53, 1 }, \
	{ "T", MULTIKRON_T_SHIFT, 8 }

static const struct signal multikron_signals[] = {
	COMMON_SIGNALS,
	{ "RD", 33, 1 }, { "WR", 34, 1 }, { "W0", 35, 1 }, { "W1", 36, 1 }, { "ITEST", 37, 1 },
	{ "FREE", 40, 1 }, { "RDY", 41, 1 }, { "LOAD", 42, 1 },
	{ NULL, 0, 0 },
};

static const struct signal multikron2_signals[] = {
	COMMON_SIGNALS,
	{ "READ", 33, 1 }, { "WRITE", 34, 1 }, { "WAITSTATE", 35, 1 }, { "HOLD", 36, 1 },
	{ "START", 37, 1 }, { "NETRDY", 40, 1 }, { "ACK", 41, 1 }, { "FIFODA", 42, 1 },
	{ NULL, 0, 0 },
};
/* clang-format on */

/* One side of a row: levels, and which of them were named. */
struct levels {
	uint64_t control, named;
	uint64_t data;
	bool data_named;
};

struct wave {
	const struct signal *signals; /* NULL until the chip line */
	bool second;                  /* multikron2 */
	struct multikron chip;
	struct multikron2 chip2;
	uint64_t hold, watch;
	unsigned line;
	char error[256]; /* empty while all is well */
};

/* Note the first error; always false. */
__attribute__((format(printf, 2, 3))) static bool wave_fail(struct wave *wave, const char *format,
							    ...)
{
	va_list list;

	if (!wave->error[0]) {
		int n = snprintf(wave->error, sizeof(wave->error), "line %u: ", wave->line);

		va_start(list, format);
		vsnprintf(wave->error + n, sizeof(wave->error) - (size_t)n, format, list);
		va_end(list);
	}
	return false;
}

static const struct signal *find_signal(const struct wave *wave, const char *name, size_t length)
{
	for (const struct signal *s = wave->signals; s->name; s++)
		if (strlen(s->name) == length && !strncmp(s->name, name, length))
			return s;
	return NULL;
}

static bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	*value = strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end;
}

/* NAME=value: a group or the data bus. */
static bool parse_group(struct wave *wave, const char *word, const char *equals, struct levels *to)
{
	const struct signal *s = find_signal(wave, word, (size_t)(equals - word));
	uint64_t value;

	if (!parse_number(equals + 1, &value))
		return wave_fail(wave, "bad value in '%s'", word);
	if (!s && equals - word == 1 && *word == 'D') {
		to->data = value;
		to->data_named = true;
		return true;
	}
	if (!s || value >> s->width)
		return wave_fail(wave, "bad group '%s'", word);
	to->control |= value << s->shift;
	to->named |= ((UINT64_C(1) << s->width) - 1) << s->shift;
	return true;
}

/* NAME, NAME with the number of a pin, or either after an exclamation mark. */
static bool parse_pin(struct wave *wave, const char *word, struct levels *to)
{
	const char *name = word + (*word == '!');
	size_t letters = strcspn(name, "0123456789");
	const struct signal *s = find_signal(wave, name, strlen(name));
	uint64_t pin = 0;

	if (!s && name[letters]) {
		s = find_signal(wave, name, letters);
		if (!s || !parse_number(name + letters, &pin))
			return wave_fail(wave, "no pin '%s'", word);
	} else if (s && s->width > 1) {
		return wave_fail(wave, "group '%s' without a value", word);
	}
	if (!s || pin >= s->width)
		return wave_fail(wave, "no pin '%s'", word);
	to->named |= UINT64_C(1) << (s->shift + pin);
	if (*word != '!')
		to->control |= UINT64_C(1) << (s->shift + pin);
	return true;
}

/* All words of a text that is cut up on the way. A repeat count goes to *times, if wanted. */
static bool parse_levels(struct wave *wave, char *text, struct levels *to, uint64_t *times)
{
	char *save = NULL;

	*to = (struct levels){ 0 };
	for (char *word = strtok_r(text, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save)) {
		char *equals = strchr(word, '=');
		size_t digits = strspn(word, "0123456789");

		if (times && digits && word[digits] == 'x' && !word[digits + 1])
			*times = strtoull(word, NULL, 10);
		else if (equals ? !parse_group(wave, word, equals, to) : !parse_pin(wave, word, to))
			return false;
	}
	return true;
}

static struct multikron_pins wave_tick(struct wave *wave, struct multikron_pins pins)
{
	return wave->second ? multikron2_tick(&wave->chip2, pins)
			    : multikron_tick(&wave->chip, pins);
}

/* The names of the pins in a set, for a message. */
static const char *name_pins(const struct wave *wave, uint64_t pins)
{
	static char names[160];
	size_t used = 0;

	names[0] = 0;
	for (const struct signal *s = wave->signals; s->name; s++) {
		uint64_t value = pins >> s->shift & ((UINT64_C(1) << s->width) - 1);

		if (value && used < sizeof(names) - 24)
			used += (size_t)(s->width > 1 ? sprintf(names + used, " %s=0x%" PRIx64,
								s->name, value)
						      : sprintf(names + used, " %s", s->name));
	}
	return used ? names : " nothing";
}

static bool compare(struct wave *wave, struct multikron_pins got, const struct levels *want)
{
	const uint64_t compared = (wave->watch | want->named) & MULTIKRON_OUTPUTS;
	char wanted[160];

	if ((got.control ^ want->control) & compared) {
		strcpy(wanted, name_pins(wave, want->control & compared));
		return wave_fail(wave, "expected%s, got%s", wanted,
				 name_pins(wave, got.control & compared));
	}
	if (want->data_named && got.data != want->data)
		return wave_fail(wave, "expected D=0x%" PRIx64 ", got D=0x%" PRIx64, want->data,
				 got.data);
	return true;
}

static bool run_row(struct wave *wave, char *inputs, char *outputs)
{
	struct levels in, out;
	uint64_t times = 1;

	if (!parse_levels(wave, inputs, &in, &times) || !parse_levels(wave, outputs, &out, NULL))
		return false;
	if (in.control & MULTIKRON_OUTPUTS)
		return wave_fail(wave, "an output is driven");
	if (out.named & ~MULTIKRON_OUTPUTS)
		return wave_fail(wave, "an input is expected");
	while (times--) {
		struct multikron_pins pins = { .data = in.data,
					       .control = in.control | wave->hold };

		if (!compare(wave, wave_tick(wave, pins), &out))
			return false;
	}
	return true;
}

static bool run_config(struct wave *wave, char *text)
{
	struct multikron_config config = { .fifo_depth = 8, .base_clocks = 2 };
	struct multikron2_config config2 = { .core = config };
	char *save = NULL;

	for (char *word = strtok_r(text, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save)) {
		if (sscanf(word, "fifo_depth=%u", &config.fifo_depth) == 1 ||
		    sscanf(word, "base_clocks=%u", &config.base_clocks) == 1)
			continue;
		if (!strcmp(word, "lsb_first"))
			config.lsb_first = true;
		else if (!strcmp(word, "enable_wins"))
			config.enable_wins = true;
		else if (!strcmp(word, "stamp_at_request"))
			config.stamp_at_request = true;
		else
			return wave_fail(wave, "no configuration '%s'", word);
	}
	config2.core = config;
	if (!multikron_init(&wave->chip, &config) || !multikron2_init(&wave->chip2, &config2))
		return wave_fail(wave, "configuration out of range");
	return true;
}

static bool run_chip(struct wave *wave, const char *name)
{
	if (!strcmp(name, "multikron"))
		wave->signals = multikron_signals;
	else if (!strcmp(name, "multikron2"))
		wave->signals = multikron2_signals;
	else
		return wave_fail(wave, "no chip '%s'", name);
	wave->second = wave->signals == multikron2_signals;
	return true;
}

/* A line that is not a row. */
static bool run_directive(struct wave *wave, char *text)
{
	char name[32] = "";
	struct levels levels;

	if (sscanf(text, " chip %31s", name) == 1)
		return run_chip(wave, name);
	if (!wave->signals)
		return wave_fail(wave, "the chip must come first");
	char *word = text + strspn(text, " \t");
	size_t length = strcspn(word, " \t\n");
	char *rest = word + length;
	if (length == 6 && !strncmp(word, "config", 6))
		return run_config(wave, rest);
	if (length == 4 && !strncmp(word, "hold", 4) && parse_levels(wave, rest, &levels, NULL)) {
		wave->hold = levels.control;
		return true;
	}
	if (length == 5 && !strncmp(word, "watch", 5)) {
		/* A group is watched by its bare name. */
		wave->watch = 0;
		char *save = NULL;
		for (word = strtok_r(rest, " \t\n", &save); word;
		     word = strtok_r(NULL, " \t\n", &save)) {
			const struct signal *s = find_signal(wave, word, strlen(word));

			if (!s)
				return wave_fail(wave, "no pin '%s'", word);
			wave->watch |= ((UINT64_C(1) << s->width) - 1) << s->shift;
		}
		return true;
	}
	return wave_fail(wave, "what is '%.*s'?", (int)length, word);
}

static bool run_line(struct wave *wave, char *text)
{
	char *bar;

	text[strcspn(text, "#\n")] = 0;
	if (!text[strspn(text, " \t")])
		return true;
	bar = strchr(text, '|');
	if (!bar)
		return run_directive(wave, text);
	if (!wave->signals)
		return wave_fail(wave, "the chip must come first");
	*bar = 0;
	return run_row(wave, text, bar + 1);
}

/* Run a whole waveform. The wave's error is empty if the chip did as it says. */
static void run_wave(struct wave *wave, FILE *file)
{
	char text[512];

	memset(wave, 0, sizeof(*wave));
	wave->watch = MULTIKRON_OUTPUTS;
	multikron_init(&wave->chip, NULL);
	multikron2_init(&wave->chip2, NULL);
	do {
		wave->line++;
	} while (fgets(text, sizeof(text), file) && run_line(wave, text));
}

static const char *run_text(const char *text)
{
	static struct wave wave;
	char copy[1024];

	strcpy(copy, text);
	FILE *file = fmemopen(copy, strlen(copy), "r");
	assert_non_null(file);
	run_wave(&wave, file);
	fclose(file);
	return wave.error;
}

static unsigned run_file(const char *name)
{
	static struct wave wave;
	char path[512];

	snprintf(path, sizeof(path), "%s/chips/%s", KRON_TESTS_DIR, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	run_wave(&wave, file);
	fclose(file);
	if (wave.error[0])
		print_error("%s: %s\n", path, wave.error);
	return wave.error[0] != 0;
}

static bool is_wave(const char *name)
{
	size_t length = strlen(name);

	return length > 5 && !strcmp(name + length - 5, ".pins");
}

/* Every waveform in the folder is what the chip does. An empty folder is a mistake, not a success.
 * */
static void every_waveform_holds(void **state)
{
	unsigned found = 0, failed = 0;
	DIR *folder = opendir(KRON_TESTS_DIR "/chips");

	(void)state;
	assert_non_null(folder);
	for (struct dirent *entry; (entry = readdir(folder));)
		if (is_wave(entry->d_name)) {
			found++;
			failed += run_file(entry->d_name);
		}
	closedir(folder);
	CHECK(found > 0);
	CHECK_EQUAL(failed, 0);
}

/* clang-format off */
static const struct { const char *text, *error; } mistakes[] = {
	{ "chip multikron\n| NETCLK\n|\n", "" },
	{ "chip multikron\n2x | NETCLK\n", "line 2: expected NETCLK, got nothing" },
	{ "chip multikron\n|\n", "line 2: expected nothing, got NETCLK" },
	{ "chip multikron\n| !NETCLK\n", "line 2: expected nothing, got NETCLK" },
	{ "chip multikron\nwatch RDY\nRD A=4 |\n|\n", "line 4: expected nothing, got RDY" },
	{ "chip multikron\nwatch RDY\nRD A=4 |\n| RDY D=1\n", "line 4: expected D=0x1, got D=0x0" },
	{ "chip multikron\nwatch N\n| N=0x10\n", "line 3: expected N=0x10, got nothing" },
	{ "chip multikron2\nwatch ACK\nREAD START A=4 |\n| ACK D=0xffffffffffff0000\n", "" },
	{ "chip multikron2\nRD |\n", "line 2: no pin 'RD'" },
	{ "chip multikron\nSTART |\n", "line 2: no pin 'START'" },
	{ "chip multikron\nC8 |\n", "line 2: no pin 'C8'" },
	{ "chip multikron\nA=128 |\n", "line 2: bad group 'A=128'" },
	{ "chip multikron\nA |\n", "line 2: group 'A' without a value" },
	{ "chip multikron\nA=z |\n", "line 2: bad value in 'A=z'" },
	{ "chip multikron\nRDY |\n", "line 2: an output is driven" },
	{ "chip multikron\n| RD\n", "line 2: an input is expected" },
	{ "chip multikron\nconfig fifo_depth=1\n", "line 2: configuration out of range" },
	{ "chip multikron\nconfig depth=1\n", "line 2: no configuration 'depth=1'" },
	{ "chip tsc16\n", "line 1: no chip 'tsc16'" },
	{ "| NETCLK\n", "line 1: the chip must come first" },
	{ "chip multikron\nfoo\n", "line 2: what is 'foo'?" },
	{ "chip multikron\nwatch FOO\n", "line 2: no pin 'FOO'" },
};
/* clang-format on */

/* A waveform that is wrong, or does not say what it means, must not pass. */
static void mistakes_in_a_waveform_are_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
		assert_string_equal(run_text(mistakes[i].text), mistakes[i].error);
}

TEST_MAIN(TEST(every_waveform_holds), TEST(mistakes_in_a_waveform_are_found))
