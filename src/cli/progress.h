/* SPDX-License-Identifier: Apache-2.0 */
/* A progress line on standard error: on a terminal only, and only for work that takes over a second. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>
#include "cli/cli.h"

struct cli_progress {
	struct cli *cli;
	int64_t next_ns; /* when to show it next */
	bool terminal;
	bool shown; /* the line stands there */
};

void cli_progress_begin(struct cli_progress *progress, struct cli *cli);

/* `done` of `total`; cheap enough to call some thousand times a second. */
void cli_progress_show(struct cli_progress *progress, const char *what, uint64_t done,
		       uint64_t total);

/* Remove the line. */
void cli_progress_end(struct cli_progress *progress);

#endif
