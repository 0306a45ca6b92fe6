/* SPDX-License-Identifier: Apache-2.0 */
/* The 127 signal pins of each chip by their package names, and where the model keeps them.
 *
 * Names and polarities of MultiKron II: NISTIR 5571, Tables C2 and C3; a final B means active low.
 * NISTIR 4737 names few of MultiKron's pins: these are the names of its text, spelt the same way,
 * and for the rest those of MultiKron II. */
#ifndef BOARDS_PINS_H
#define BOARDS_PINS_H

#include <stdbool.h>
#include <stdint.h>

enum board_pin_place {
	BOARD_PIN_CLOCK,   /* the node clock: the tick itself */
	BOARD_PIN_DATA,    /* struct multikron_pins, data */
	BOARD_PIN_CONTROL, /* struct multikron_pins, control */
};

/* One pin, or a row of pins with one name: D63..D0 is D, 64 wide. */
struct board_pin {
	const char *name;
	enum board_pin_place place;
	uint8_t shift; /* its lowest bit there */
	uint8_t width;
	bool active_low; /* low on the package when the model's bit is set */
	bool input;
	bool output; /* D is both */
};

struct board_pins {
	const char *model;
	const struct board_pin *pin;
	unsigned count;
	uint64_t outdis; /* in control: puts all outputs in high impedance */
	uint64_t netclk; /* in control: the output that toggles at every tick */
};

extern const struct board_pins board_pins_multikron;
extern const struct board_pins board_pins_multikron2;

#endif
