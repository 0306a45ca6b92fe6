/* SPDX-License-Identifier: Apache-2.0 */
/* Ending early, but in order: what was done so far is kept. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <signal.h>

/* The signal that asks to stop, or 0. */
extern volatile sig_atomic_t cli_interrupted;

/* From here on SIGINT and SIGTERM only set it; a read that waits ends with EINTR. One that is ignored
 * stays so: whoever started us in the background meant it. */
void cli_catch_interrupts(void);

#endif
