/* SPDX-License-Identifier: Apache-2.0 */
/* What is left when the program, the recorder or both are killed at any moment, and when the disk is full.
 * KRON_KILLS sets how many moments are tried. */
#include "support/recording.h"
#include "support/files.h"
#include "unit/test.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/rng.h"

#define WORDS   512
#define THREADS 3
#define BEAT    " -- " RECORDING_PROGRAMS "/kron_beat beats 3"

static struct recording r;
static struct base_rng rng;
static volatile uint64_t *words; /* see tests/programs/kron_beat.c */

static unsigned kills(void)
{
	const char *text = getenv("KRON_KILLS");

	return text ? (unsigned)atoi(text) : 8;
}

static void pause_us(uint64_t us)
{
	struct timespec time = { .tv_sec = (time_t)(us / 1000000),
				 .tv_nsec = (long)(us % 1000000) * 1000 };

	nanosleep(&time, NULL);
}

static uint64_t completed(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < THREADS; i++)
		sum += words[2 * i + 1];
	return sum;
}

/* Wait for it, but not for ever. */
static void wait_until(bool (*fact)(uint64_t value), uint64_t value)
{
	for (unsigned i = 0; i < 10000 && !fact(value); i++)
		pause_us(1000);
	CHECK(fact(value));
}

static bool beats_beyond(uint64_t value)
{
	return completed() > value;
}

static bool process_gone(uint64_t pid)
{
	return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* Start kron_beat under kron record; returns the recorder when all is well under way. */
static pid_t start(const char *args)
{
	static const uint64_t nothing[WORDS];
	char command[1024];
	pid_t recorder;
	int fd;

	files_wipe(RECORDING_TRACE);
	files_write("beats", nothing, sizeof(nothing));
	fd = open("beats", O_RDWR);
	words = mmap(NULL, sizeof(nothing), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	snprintf(command, sizeof(command), "%s" BEAT, args);
	recorder = recording_start(command);
	wait_until(beats_beyond, 10);
	return recorder;
}

static void finish(void)
{
	munmap((void *)(uintptr_t)words, WORDS * sizeof(*words));
}

struct counts {
	uint64_t events[THREADS];
	uint64_t last[THREADS];
};

static void count_event(void *context, const struct trace_info *info, unsigned stream,
			const struct trace_event *event, bool mark)
{
	struct counts *counts = context;
	uint64_t who = event->data >> 40;

	(void)info;
	(void)stream;
	CHECK(!mark && who < THREADS);
	counts->events[who]++;
	counts->last[who] = event->data & 0xffffffffff;
}

/* Everything completed is in the trace, or counted as lost; one event of each thread was cut at most. */
static void check_killed_program(bool waits)
{
	struct counts counts = { 0 };
	uint64_t begun = 0;

	recording_read(&r, count_event, &counts);
	CHECK(r.complete);
	CHECK_EQUAL(WEXITSTATUS(r.status), 128 + SIGKILL);
	CHECK_EQUAL(r.events + r.lost_full + r.lost_cut, r.triggered);
	CHECK(r.lost_cut <= THREADS);
	CHECK(r.triggered >= completed());
	for (unsigned i = 0; i < THREADS; i++)
		begun += words[2 * i];
	CHECK(r.triggered <= begun);
	for (unsigned i = 0; waits && i < THREADS; i++) {
		CHECK(counts.events[i] >= words[2 * i + 1]);
		CHECK_EQUAL(counts.events[i], counts.events[i] ? counts.last[i] + 1 : 0);
	}
}

static void a_killed_program_has_left_everything(void **state)
{
	static const char *const ways[] = { "-b 1M", "-b 4K", "-b 4K --on-full wait",
					    "-b 1M --on-full wait" };

	(void)state;
	for (unsigned i = 0; i < kills(); i++) {
		pid_t recorder = start(ways[i % 4]);

		pause_us(base_rng_below(&rng, 40000));
		kill((pid_t)words[WORDS - 2], SIGKILL);
		recording_wait(&r, recorder);
		check_killed_program(i % 4 >= 2);
		if (i < 4)
			recording_check_babeltrace(&r);
		finish();
	}
}

/* What a killed recorder has written is read up to the cut; babeltrace2 wants the cut mended. */
static void check_readable(void)
{
	struct counts counts = { 0 };
	uint64_t events, removed;

	recording_read(&r, count_event, &counts);
	CHECK(!r.complete);
	events = r.events;
	if (r.cut_streams) {
		CHECK_EQUAL(trace_ctf_mend(&base_io_system, &base_alloc_system, RECORDING_TRACE,
					   &removed),
			    0);
		CHECK(removed > 0);
		recording_read(&r, NULL, NULL);
		CHECK_EQUAL(r.cut_streams, 0);
		CHECK(r.events <= events);
	}
	recording_check_babeltrace(&r);
}

/* Nobody waits for the recorder to be buried: it stays a zombie while we look. */
static void the_program_goes_on_without_recorder(void **state)
{
	static const char *const ways[] = { "-b 4K --on-full wait", "-b 4K",
					    "-b 1M --on-full wait" };

	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (unsigned i = 0; i < kills(); i++) {
		pid_t recorder = start(ways[i % 3]), program = (pid_t)words[WORDS - 2];

		pause_us(20000 + base_rng_below(&rng, 40000));
		kill(recorder, SIGKILL);
		pause_us(1000);
		wait_until(beats_beyond, completed() + 100000); /* more than the rings hold */
		words[WORDS - 1] = 1;
		recording_wait(&r, recorder);
		CHECK_EQUAL(waitpid(program, &r.status, 0), program);
		CHECK_EQUAL(r.status, 0);
		check_readable();
		CHECK(r.events > 0 || i % 3 == 2); /* what is in large rings dies with it */
		finish();
	}
}

static void both_can_be_killed(void **state)
{
	(void)state;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (unsigned i = 0; i < kills() / 2; i++) {
		pid_t recorder = start(i % 2 ? "-b 4K --on-full wait" : "-b 64K");
		pid_t program = (pid_t)words[WORDS - 2];

		pause_us(base_rng_below(&rng, 40000));
		kill(i % 2 ? recorder : program, SIGKILL);
		kill(i % 2 ? program : recorder, SIGKILL);
		recording_wait(&r, recorder);
		waitpid(program, NULL, 0);
		CHECK(process_gone((uint64_t)program));
		check_readable();
		finish();
	}
}

/* ---- Full disks ---- */

static void check_full(const char *why)
{
	recording_read(&r, NULL, NULL);
	if (!strstr(r.err, why))
		print_error("%s", r.err);
	assert_non_null(strstr(r.err, why));
	CHECK_EQUAL(r.status, 0);
	CHECK(r.complete);
	CHECK(r.lost_disk > 0);
	CHECK(r.events > 0);
	recording_check(&r);
	recording_check_babeltrace(&r);
}

/* Threads that end while it is full, and one that does not. */
static void a_full_disk_is_told_and_counted(void **state)
{
	(void)state;
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		skip();
	CHECK_EQUAL(mkdir(RECORDING_TRACE, 0777), 0);
	CHECK_EQUAL(mount("none", RECORDING_TRACE, "tmpfs", 0, "size=1m"), 0);
	recording_wait(&r, recording_start("-b 64K --on-full wait -- " RECORDING_PROGRAM
					   " threads 4 100000"));
	check_full("No space left on device");
	CHECK_EQUAL(r.discarded, r.triggered - r.events); /* some room was kept for that */
	CHECK_EQUAL(umount(RECORDING_TRACE), 0);
}

static void a_file_that_may_not_grow_is_told_and_counted(void **state)
{
	struct rlimit before, limit;
	pid_t recorder;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit){ 9 << 20, before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &limit);
	recorder =
		recording_start("-b 4K --on-full wait -- " RECORDING_PROGRAM " threads 1 1000000");
	setrlimit(RLIMIT_FSIZE, &before);
	recording_wait(&r, recorder);
	check_full("File too large");
}

static int seed(void **state)
{
	const char *text = getenv("KRON_SEED");

	base_rng_seed(&rng, text ? strtoull(text, NULL, 10) : 1);
	return files_enter(state);
}

#define TEST_SEEDED(name) cmocka_unit_test_setup_teardown(name, seed, files_leave)

TEST_MAIN(TEST_SEEDED(a_killed_program_has_left_everything),
	  TEST_SEEDED(the_program_goes_on_without_recorder), TEST_SEEDED(both_can_be_killed),
	  TEST_IN_DIR(a_full_disk_is_told_and_counted),
	  TEST_IN_DIR(a_file_that_may_not_grow_is_told_and_counted))
