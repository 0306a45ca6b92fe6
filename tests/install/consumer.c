/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody else's program, in C or C++: one trace sample through each chip. */
#include <kron/multikron.h>
#include <kron/multikron2.h>

int main(void)
{
	struct multikron chip;
	struct multikron2 chip2;
	struct multikron_pins pins = { 0, 0, 0 };

	if (!multikron_init(&chip, 0) || !multikron2_init(&chip2, 0))
		return 1;
	multikron_tick(&chip, pins);
	multikron2_tick(&chip2, pins);
	return multikron_quiet(&chip) && multikron2_quiet(&chip2) ? 0 : 1;
}
