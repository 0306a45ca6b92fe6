/* SPDX-License-Identifier: Apache-2.0 */
/* A long recording: the accounts stay exact and the recorder's memory bounded. KRON_SOAK is its length in
 * seconds; `make check-long` takes ten minutes. */
#include "support/recording.h"
#include "support/files.h"
#include "unit/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROWTH_KB 65536 /* some hundred bytes for each of the threads that come and go */

static struct recording r;

/* What the recorder holds of its own, without the rings, which are shared. */
static unsigned long memory_kb(int pid)
{
	unsigned long anonymous = 0;
	char line[256], path[64];
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	status = fopen(path, "r");
	assert_non_null(status);
	while (fgets(line, sizeof(line), status))
		if (sscanf(line, "RssAnon: %lu", &anonymous) == 1)
			break;
	fclose(status);
	return anonymous;
}

static void record(const char *options, unsigned seconds)
{
	unsigned long before, after;
	char args[512];
	int recorder;

	snprintf(args, sizeof(args), "%s -- " RECORDING_PROGRAM " soak %u", options, seconds);
	recorder = recording_start(args);
	usleep(300000);
	before = memory_kb(recorder);
	usleep(seconds * 1000000 - 600000);
	after = memory_kb(recorder);
	CHECK(after < before + GROWTH_KB);
	recording_wait(&r, recorder);
	CHECK_EQUAL(r.status, 0);
	recording_read(&r, NULL, NULL);
	CHECK(r.complete);
	recording_check(&r);
	files_wipe(RECORDING_TRACE);
}

static void the_accounts_stay_exact(void **state)
{
	const char *text = getenv("KRON_SOAK");
	unsigned seconds = text ? (unsigned)atoi(text) / 2 : 1;

	(void)state;
	record("-b 4K", seconds);
	record("-b 4K --on-full wait", seconds);
	CHECK_EQUAL(r.lost_full, 0);
}

TEST_MAIN(TEST_IN_DIR(the_accounts_stay_exact))
