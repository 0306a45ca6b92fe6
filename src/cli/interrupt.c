/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/interrupt.h"
#include <stddef.h>

volatile sig_atomic_t cli_interrupted;

static void on_interrupt(int number)
{
	cli_interrupted = number;
}

void cli_catch_interrupts(void)
{
	static const int signals[] = { SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = on_interrupt }; /* no SA_RESTART */

	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction before;

		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}
