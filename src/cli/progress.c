/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND INT64_C(1000000000)

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

void cli_progress_begin(struct cli_progress *progress, struct cli *cli)
{
	*progress = (struct cli_progress){ .cli = cli,
					   .next_ns = now_ns() + NS_PER_SECOND,
					   .terminal = isatty(STDERR_FILENO) };
}

void cli_progress_show(struct cli_progress *progress, const char *what, uint64_t done,
		       uint64_t total)
{
	struct base_out *err = &progress->cli->err;
	int64_t now;

	if (!progress->terminal || (now = now_ns()) < progress->next_ns)
		return;
	progress->next_ns = now + NS_PER_SECOND / 5;
	progress->shown = true;
	base_out_printf(err, "\r\033[Kkron: %s: %.1f %%", what,
			total ? 100.0 * (double)done / (double)total : 100.0);
	base_out_flush(err);
}

void cli_progress_end(struct cli_progress *progress)
{
	if (!progress->shown)
		return;
	base_out_text(&progress->cli->err, "\r\033[K");
	base_out_flush(&progress->cli->err);
	progress->shown = false;
}
