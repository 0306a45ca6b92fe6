/* SPDX-License-Identifier: Apache-2.0 */
#include "boards/pins.h"
#include <kron/multikron.h>
#include <kron/multikron2.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define CLOCK         BOARD_PIN_CLOCK
#define DATA          BOARD_PIN_DATA
#define CONTROL       BOARD_PIN_CONTROL
#define BIT(mask)     ((uint8_t)__builtin_ctzll(mask))

/* Polarities. Stated: RESET, RD, WR, RDY and Load are active low, FREE and EOM active high, and
 * ITEST is to be grounded in normal use.
 * Guess: TEST and OUTDIS are active low, because they are on MultiKron II, whose report lists the
 * two pads that changed; these are not among them. */
/* clang-format off */
static const struct board_pin multikron[] = {
	/* name            place    shift                  width low    input  output */
	{ "D",             DATA,    0,                        64, false, true,  true },
	{ "X",             CONTROL, MULTIKRON_X_SHIFT,        16, false, true,  false },
	{ "A",             CONTROL, MULTIKRON_A_SHIFT,         7, false, true,  false },
	{ "C",             CONTROL, MULTIKRON_C_SHIFT,         8, false, true,  false },
	{ "RESETB",        CONTROL, BIT(MULTIKRON_RESET),      1, true,  true,  false },
	{ "Node_clk",      CLOCK,   0,                         1, false, true,  false },
	{ "Timestamp_clk", CONTROL, BIT(MULTIKRON_TSCLK),      1, false, true,  false },
	{ "RDB",           CONTROL, BIT(MULTIKRON_RD),         1, true,  true,  false },
	{ "WRB",           CONTROL, BIT(MULTIKRON_WR),         1, true,  true,  false },
	{ "W0",            CONTROL, BIT(MULTIKRON_W0),         1, false, true,  false },
	{ "W1",            CONTROL, BIT(MULTIKRON_W1),         1, false, true,  false },
	{ "RDYB",          CONTROL, BIT(MULTIKRON_RDY),        1, true,  false, true },
	{ "N",             CONTROL, MULTIKRON_N_SHIFT,         8, false, false, true },
	{ "ODD_PARITY",    CONTROL, BIT(MULTIKRON_PARITY),     1, false, false, true },
	{ "EOM",           CONTROL, BIT(MULTIKRON_EOM),        1, false, false, true },
	{ "FREE",          CONTROL, BIT(MULTIKRON_FREE),       1, false, true,  false },
	{ "LOADB",         CONTROL, BIT(MULTIKRON_LOAD),       1, true,  false, true },
	{ "NETCLK",        CONTROL, BIT(MULTIKRON_NETCLK),     1, false, false, true },
	{ "TESTB",         CONTROL, BIT(MULTIKRON_TEST),       1, true,  true,  false },
	{ "ITEST",         CONTROL, BIT(MULTIKRON_ITEST),      1, false, true,  false },
	{ "OUTDISB",       CONTROL, BIT(MULTIKRON_OUTDIS),     1, true,  true,  false },
	{ "T",             CONTROL, MULTIKRON_T_SHIFT,         8, false, false, true },
};

/* Every active-low pin of Table C3 is called so there. */
static const struct board_pin multikron2[] = {
	/* name            place    shift                  width low    input  output */
	{ "D",             DATA,    0,                        64, false, true,  true },
	{ "X",             CONTROL, MULTIKRON2_X_SHIFT,       16, false, true,  false },
	{ "A",             CONTROL, MULTIKRON2_A_SHIFT,        7, false, true,  false },
	{ "C",             CONTROL, MULTIKRON2_C_SHIFT,        8, false, true,  false },
	{ "RESETB",        CONTROL, BIT(MULTIKRON2_RESET),     1, true,  true,  false },
	{ "Node_clk",      CLOCK,   0,                         1, false, true,  false },
	{ "Timestamp_clk", CONTROL, BIT(MULTIKRON2_TSCLK),     1, false, true,  false },
	{ "READB",         CONTROL, BIT(MULTIKRON2_READ),      1, true,  true,  false },
	{ "WRITEB",        CONTROL, BIT(MULTIKRON2_WRITE),     1, true,  true,  false },
	{ "HOLDB",         CONTROL, BIT(MULTIKRON2_HOLD),      1, true,  true,  false },
	{ "STARTB",        CONTROL, BIT(MULTIKRON2_START),     1, true,  true,  false },
	{ "WAITSTATE",     CONTROL, BIT(MULTIKRON2_WAITSTATE), 1, false, true,  false },
	{ "ACKB",          CONTROL, BIT(MULTIKRON2_ACK),       1, true,  false, true },
	{ "N",             CONTROL, MULTIKRON2_N_SHIFT,        8, false, false, true },
	{ "ODD_PARITY",    CONTROL, BIT(MULTIKRON2_PARITY),    1, false, false, true },
	{ "EOM",           CONTROL, BIT(MULTIKRON2_EOM),       1, false, false, true },
	{ "NETRDY",        CONTROL, BIT(MULTIKRON2_NETRDY),    1, false, true,  false },
	{ "FIFODAB",       CONTROL, BIT(MULTIKRON2_FIFODA),    1, true,  false, true },
	{ "NETCLK",        CONTROL, BIT(MULTIKRON2_NETCLK),    1, false, false, true },
	{ "TESTB",         CONTROL, BIT(MULTIKRON2_TEST),      1, true,  true,  false },
	{ "OUTDISB",       CONTROL, BIT(MULTIKRON2_OUTDIS),    1, true,  true,  false },
	{ "T",             CONTROL, MULTIKRON2_T_SHIFT,        8, false, false, true },
};
/* clang-format on */

const struct board_pins board_pins_multikron = {
	.model = "multikron",
	.pin = multikron,
	.count = LENGTH(multikron),
	.outdis = MULTIKRON_OUTDIS,
	.netclk = MULTIKRON_NETCLK,
};

const struct board_pins board_pins_multikron2 = {
	.model = "multikron2",
	.pin = multikron2,
	.count = LENGTH(multikron2),
	.outdis = MULTIKRON2_OUTDIS,
	.netclk = MULTIKRON2_NETCLK,
};
