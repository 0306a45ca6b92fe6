/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <string.h>
#include <kron/multikron.h>
#include <kron/multikron2.h>
#include "boards/pins.h"

static uint64_t mask_of(const struct board_pin *pin)
{
	return UINT64_MAX >> (64 - pin->width) << pin->shift;
}

static const struct board_pin *find(const struct board_pins *pins, const char *name)
{
	for (unsigned i = 0; i < pins->count; i++)
		if (!strcmp(pins->pin[i].name, name))
			return &pins->pin[i];
	fail_msg("no pin %s", name);
	return NULL;
}

static unsigned widths(const struct board_pins *pins)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < pins->count; i++)
		sum += pins->pin[i].width;
	return sum;
}

/* MK1-173, MK2-178: the other 52 of the 179 are power and ground. */
static void both_chips_have_127_signal_pins(void **state)
{
	(void)state;
	CHECK_EQUAL(widths(&board_pins_multikron), 127);
	CHECK_EQUAL(widths(&board_pins_multikron2), 127);
}

/* MK1-176: the global interrupt of the earlier chip is gone. */
static void no_pin_is_an_interrupt(void **state)
{
	const struct board_pins *chips[] = { &board_pins_multikron, &board_pins_multikron2 };

	(void)state;
	for (unsigned chip = 0; chip < 2; chip++)
		for (unsigned i = 0; i < chips[chip]->count; i++) {
			const struct board_pin *pin = &chips[chip]->pin[i];

			CHECK(!strcasestr(pin->name, "INT") && !strcasestr(pin->name, "IRQ"));
			/* What goes out: bus, acknowledge, network, internal test. */
			CHECK(!pin->output || strchr("DRANEOLFT", pin->name[0]));
		}
}

/* A pin of a header, as name and bits. */
struct macro {
	const char *name;
	uint64_t mask;
};

/* Every macro is one entry of the table, and every control pin of the table is a macro. */
static void check_macros(const struct board_pins *pins, const struct macro *macro, unsigned count,
			 uint64_t outputs)
{
	uint64_t seen = 0, seen_outputs = 0;
	unsigned control = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct board_pin *pin = find(pins, macro[i].name);

		CHECK_EQUAL(pin->place, BOARD_PIN_CONTROL);
		CHECK_EQUAL(mask_of(pin), macro[i].mask);
		CHECK(!(seen & macro[i].mask));
		CHECK(pin->input != pin->output);
		seen |= macro[i].mask;
		seen_outputs |= pin->output ? macro[i].mask : 0;
	}
	for (unsigned i = 0; i < pins->count; i++)
		control += pins->pin[i].place == BOARD_PIN_CONTROL;
	CHECK_EQUAL(control, count);
	CHECK_EQUAL(seen, (UINT64_C(1) << 62) - 1);
	CHECK_EQUAL(seen_outputs, outputs);
	CHECK_EQUAL(pins->count, count + 2);
	CHECK_EQUAL(find(pins, "D")->place, BOARD_PIN_DATA);
	CHECK_EQUAL(find(pins, "D")->width, 64);
	CHECK(find(pins, "D")->input && find(pins, "D")->output);
	CHECK_EQUAL(find(pins, "Node_clk")->place, BOARD_PIN_CLOCK);
	CHECK_EQUAL(find(pins, "Node_clk")->width, 1);
	CHECK_EQUAL(find(pins, "OUTDISB")->shift, __builtin_ctzll(pins->outdis));
	CHECK_EQUAL(find(pins, "NETCLK")->shift, __builtin_ctzll(pins->netclk));
}

static void the_multikron_table_agrees_with_its_header(void **state)
{
	static const struct macro macros[] = {
		{ "X", UINT64_C(0xffff) << MULTIKRON_X_SHIFT },
		{ "A", MULTIKRON_A(127) },
		{ "C", UINT64_C(0xff) << MULTIKRON_C_SHIFT },
		{ "RESETB", MULTIKRON_RESET },
		{ "Timestamp_clk", MULTIKRON_TSCLK },
		{ "RDB", MULTIKRON_RD },
		{ "WRB", MULTIKRON_WR },
		{ "W0", MULTIKRON_W0 },
		{ "W1", MULTIKRON_W1 },
		{ "ITEST", MULTIKRON_ITEST },
		{ "TESTB", MULTIKRON_TEST },
		{ "OUTDISB", MULTIKRON_OUTDIS },
		{ "FREE", MULTIKRON_FREE },
		{ "RDYB", MULTIKRON_RDY },
		{ "LOADB", MULTIKRON_LOAD },
		{ "NETCLK", MULTIKRON_NETCLK },
		{ "N", MULTIKRON_N },
		{ "ODD_PARITY", MULTIKRON_PARITY },
		{ "EOM", MULTIKRON_EOM },
		{ "T", UINT64_C(0xff) << MULTIKRON_T_SHIFT },
	};

	(void)state;
	check_macros(&board_pins_multikron, macros, sizeof(macros) / sizeof(macros[0]),
		     MULTIKRON_OUTPUTS);
	CHECK_EQUAL(mask_of(find(&board_pins_multikron, "X")) & MULTIKRON_X(15), MULTIKRON_X(15));
	CHECK_EQUAL(mask_of(find(&board_pins_multikron, "C")) & MULTIKRON_C(7), MULTIKRON_C(7));
}

static void the_multikron2_table_agrees_with_its_header(void **state)
{
	static const struct macro macros[] = {
		{ "X", UINT64_C(0xffff) << MULTIKRON2_X_SHIFT },
		{ "A", MULTIKRON2_A(127) },
		{ "C", UINT64_C(0xff) << MULTIKRON2_C_SHIFT },
		{ "RESETB", MULTIKRON2_RESET },
		{ "Timestamp_clk", MULTIKRON2_TSCLK },
		{ "READB", MULTIKRON2_READ },
		{ "WRITEB", MULTIKRON2_WRITE },
		{ "WAITSTATE", MULTIKRON2_WAITSTATE },
		{ "HOLDB", MULTIKRON2_HOLD },
		{ "STARTB", MULTIKRON2_START },
		{ "TESTB", MULTIKRON2_TEST },
		{ "OUTDISB", MULTIKRON2_OUTDIS },
		{ "NETRDY", MULTIKRON2_NETRDY },
		{ "ACKB", MULTIKRON2_ACK },
		{ "FIFODAB", MULTIKRON2_FIFODA },
		{ "NETCLK", MULTIKRON2_NETCLK },
		{ "N", MULTIKRON2_N },
		{ "ODD_PARITY", MULTIKRON2_PARITY },
		{ "EOM", MULTIKRON2_EOM },
		{ "T", UINT64_C(0xff) << MULTIKRON2_T_SHIFT },
	};

	(void)state;
	check_macros(&board_pins_multikron2, macros, sizeof(macros) / sizeof(macros[0]),
		     MULTIKRON2_OUTPUTS);
	CHECK_EQUAL(mask_of(find(&board_pins_multikron2, "X")) & MULTIKRON2_X(15),
		    MULTIKRON2_X(15));
	CHECK_EQUAL(mask_of(find(&board_pins_multikron2, "C")) & MULTIKRON2_C(7), MULTIKRON2_C(7));
}

/* NISTIR 5571: "names ending with B indicate active low, all others active high". */
static void a_final_b_means_active_low(void **state)
{
	const struct board_pins *chips[] = { &board_pins_multikron, &board_pins_multikron2 };

	(void)state;
	for (unsigned chip = 0; chip < 2; chip++)
		for (unsigned i = 0; i < chips[chip]->count; i++) {
			const struct board_pin *pin = &chips[chip]->pin[i];
			size_t length = strlen(pin->name);

			CHECK_EQUAL(pin->active_low, length > 1 && pin->name[length - 1] == 'B');
		}
}

TEST_MAIN(TEST(both_chips_have_127_signal_pins), TEST(no_pin_is_an_interrupt),
	  TEST(the_multikron_table_agrees_with_its_header),
	  TEST(the_multikron2_table_agrees_with_its_header), TEST(a_final_b_means_active_low))
