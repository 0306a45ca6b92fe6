/* SPDX-License-Identifier: Apache-2.0 */
/* The fault injection itself: what it counts, fails and finds. */
#include "unit/test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/error.h"
#include "support/fault.h"

static void only_the_nth_request_for_memory_fails(void **state)
{
	struct fault fault;
	void *one, *three;

	(void)state;
	fault_init(&fault, FAULT_ENOMEM, 2);
	one = base_alloc_get(&fault.alloc, 1);
	assert_non_null(one);
	CHECK(!fault.hit);
	assert_null(base_alloc_get(&fault.alloc, 1));
	CHECK(fault.hit);
	three = base_alloc_get(&fault.alloc, 1);
	assert_non_null(three);
	CHECK_EQUAL(fault.alloc_calls, 3);
	base_alloc_free(&fault.alloc, one);
	CHECK_EQUAL(fault.alloc_calls, 3); /* a free cannot fail */
	CHECK_EQUAL(fault_leaked_blocks(&fault), 1);
	fault_clean(&fault);
	CHECK_EQUAL(fault_leaked_blocks(&fault), 0);
}

static void resized_memory_moves_and_keeps_its_content(void **state)
{
	struct fault fault;
	char *before, *after;

	(void)state;
	fault_init(&fault, FAULT_NONE, 0);
	before = base_alloc_get(&fault.alloc, 4);
	memcpy(before, "kron", 4);
	after = fault.alloc.resize(&fault.alloc, before, 2);
	assert_memory_equal(after, "kr", 2);
	after = fault.alloc.resize(&fault.alloc, after, 100);
	assert_memory_equal(after, "kr", 2);
	CHECK_EQUAL(fault_leaked_blocks(&fault), 1);
	base_alloc_free(&fault.alloc, after);
}

static void only_the_nth_io_call_fails(void **state)
{
	struct fault fault;
	char byte;
	int fd;

	(void)state;
	fault_init(&fault, FAULT_EIO, 2);
	fd = fault.io.open(&fault.io, "/dev/zero", O_RDONLY, 0);
	CHECK(fd >= 0);
	CHECK_EQUAL(fault.io.read(&fault.io, fd, &byte, 1), -1);
	CHECK_EQUAL(errno, EIO);
	CHECK_EQUAL(fault.io.read(&fault.io, fd, &byte, 1), 1);
	CHECK_EQUAL(fault_leaked_files(&fault), 1);
	CHECK_EQUAL(fault.io.close(&fault.io, fd), 0);
	CHECK_EQUAL(fault_leaked_files(&fault), 0);
}

static void a_full_disk_does_not_hinder_reading(void **state)
{
	struct fault fault;
	char byte;
	int fd;

	(void)state;
	fault_init(&fault, FAULT_ENOSPC, 1);
	fd = fault.io.open(&fault.io, "/dev/zero", O_RDWR, 0);
	CHECK_EQUAL(fault.io.read(&fault.io, fd, &byte, 1), 1);
	CHECK_EQUAL(fault.io.write(&fault.io, fd, "x", 1), -1);
	CHECK_EQUAL(errno, ENOSPC);
	CHECK_EQUAL(fault.io.close(&fault.io, fd), 0);
}

/* As on Linux: the descriptor is gone, so it is no leak and must not be closed again. */
static void a_failed_close_has_closed(void **state)
{
	struct fault fault;
	int fd;

	(void)state;
	fault_init(&fault, FAULT_EIO, 2);
	fd = fault.io.open(&fault.io, "/dev/null", O_WRONLY, 0);
	CHECK_EQUAL(fault.io.close(&fault.io, fd), -1);
	CHECK_EQUAL(errno, EIO);
	CHECK_EQUAL(fault_leaked_files(&fault), 0);
	CHECK_EQUAL(fcntl(fd, F_GETFD), -1);
}

static void short_and_interrupted_calls_are_what_they_say(void **state)
{
	struct fault fault;
	char bytes[4];
	int fd;

	(void)state;
	fault_init(&fault, FAULT_SHORT, 2);
	fd = fault.io.open(&fault.io, "/dev/zero", O_RDWR, 0);
	CHECK_EQUAL(fault.io.write(&fault.io, fd, "abcd", 4), 4);
	CHECK_EQUAL(fault.io.write(&fault.io, fd, "a", 1), 1); /* cannot be shorter: not counted */
	CHECK_EQUAL(fault.io.write(&fault.io, fd, "abcd", 4), 1);
	CHECK_EQUAL(fault.io.write(&fault.io, fd, "abcd", 4), 4);
	fault.io.close(&fault.io, fd);
	fault_init(&fault, FAULT_EINTR, 1);
	fd = fault.io.open(&fault.io, "/dev/zero", O_RDWR, 0);
	CHECK_EQUAL(fault.io.read(&fault.io, fd, bytes, 4), -1);
	CHECK_EQUAL(errno, EINTR);
	CHECK_EQUAL(fault.io.read(&fault.io, fd, bytes, 4), 4);
	fault.io.close(&fault.io, fd);
}

struct folder_run {
	char path[64];
	unsigned runs;
};

/* Two blocks, a folder, a file in it, its new name: every call of both tables. */
static int use_everything(struct fault *fault, void *ctx)
{
	struct folder_run *run = ctx;
	struct base_io *io = &fault->io;
	char from[96], to[96];
	void *one = NULL, *two = NULL;
	int fd = -1, error = -KRON_ENOMEM, saved_errno;

	run->runs++;
	snprintf(from, sizeof(from), "%s/from", run->path);
	snprintf(to, sizeof(to), "%s/to", run->path);
	one = base_alloc_get(&fault->alloc, 10);
	if (!one)
		goto out;
	two = base_alloc_get(&fault->alloc, 10);
	if (!two)
		goto out;
	error = -KRON_EIO;
	if (io->mkdir(io, run->path, 0777))
		goto out;
	fd = io->open(io, from, O_WRONLY | O_CREAT, 0666);
	if (fd < 0)
		goto out;
	error = base_io_write_all(io, fd, "kron", 4);
	if (error)
		goto out;
	error = -KRON_EIO;
	if (io->rename(io, from, to) || io->unlink(io, to) || io->rmdir(io, run->path))
		goto out;
	error = 0;
out:
	if (fd >= 0 && io->close(io, fd))
		error = -KRON_EIO;
	saved_errno = errno;
	unlink(from);
	unlink(to);
	rmdir(run->path);
	errno = saved_errno;
	base_alloc_free(&fault->alloc, one);
	base_alloc_free(&fault->alloc, two);
	return error;
}

static void a_walk_fails_every_call_once(void **state)
{
	struct folder_run run = { "/tmp/kron-base-fault-XXXXXX", 0 };
	/* ENOMEM 2; EIO 7; ENOSPC for mkdir, open, write, rename, close 5; EINTR 1; short 1. */
	unsigned faults = 2 + 7 + 5 + 1 + 1;

	(void)state;
	assert_non_null(mkdtemp(run.path));
	rmdir(run.path);
	CHECK_EQUAL(fault_walk(use_everything, &run), faults);
	/* One run without faults, and one of each of the five kinds in which the n-th call does not
	 * come any more. */
	CHECK_EQUAL(run.runs, faults + 6);
}

/* Runs that a walk must not accept. */
static int leak_memory(struct fault *fault, void *ctx)
{
	(void)ctx;
	return base_alloc_get(&fault->alloc, 1) ? 0 : -KRON_ENOMEM;
}

static int leak_descriptor(struct fault *fault, void *ctx)
{
	(void)ctx;
	return fault->io.open(&fault->io, "/dev/null", O_RDONLY, 0) < 0 ? -KRON_EIO : 0;
}

static int free_twice(struct fault *fault, void *ctx)
{
	void *ptr = base_alloc_get(&fault->alloc, 1);

	(void)ctx;
	base_alloc_free(&fault->alloc, ptr);
	base_alloc_free(&fault->alloc, ptr);
	return ptr ? 0 : -KRON_ENOMEM;
}

static int close_foreign(struct fault *fault, void *ctx)
{
	(void)ctx;
	return fault->io.close(&fault->io, STDIN_FILENO) ? -KRON_EIO : 0;
}

static int fail_always(struct fault *fault, void *ctx)
{
	(void)fault, (void)ctx;
	return -KRON_EINVAL;
}

static int hide_out_of_memory(struct fault *fault, void *ctx)
{
	(void)ctx;
	base_alloc_free(&fault->alloc, base_alloc_get(&fault->alloc, 1));
	return 0;
}

static int forget_errno(struct fault *fault, void *ctx)
{
	(void)ctx;
	if (!fault->io.rmdir(&fault->io, "/dev/null/x") || errno == ENOTDIR)
		return 0;
	errno = 0;
	return -KRON_EIO;
}

static int trust_one_write(struct fault *fault, void *ctx)
{
	int fd = fault->io.open(&fault->io, "/dev/null", O_WRONLY, 0);
	ssize_t written;

	(void)ctx;
	if (fd < 0)
		return -KRON_EIO;
	written = fault->io.write(&fault->io, fd, "kron", 4);
	if (fault->io.close(&fault->io, fd))
		return -KRON_EIO;
	return written == 4 ? 0 : -KRON_EIO;
}

static int (*bad_run)(struct fault *fault, void *ctx);

static void walk_bad_run(void **state)
{
	(void)state;
	fault_walk(bad_run, NULL);
}

/* A walk that fails ends its test, so it is done in a process of its own. */
static bool walk_fails(int (*run)(struct fault *fault, void *ctx))
{
	const struct CMUnitTest tests[] = { TEST(walk_bad_run) };
	int status;
	pid_t child;

	bad_run = run;
	fflush(NULL);
	child = fork();
	if (!child) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		_exit(cmocka_run_group_tests(tests, NULL, NULL));
	}
	CHECK_EQUAL(waitpid(child, &status, 0), child);
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status) == 1;
}

static int do_nothing(struct fault *fault, void *ctx)
{
	(void)fault, (void)ctx;
	return 0;
}

static void a_walk_finds_what_is_wrong(void **state)
{
	(void)state;
	CHECK(!walk_fails(do_nothing));
	CHECK(walk_fails(leak_memory));
	CHECK(walk_fails(leak_descriptor));
	CHECK(walk_fails(free_twice));
	CHECK(walk_fails(close_foreign));
	CHECK(walk_fails(fail_always));
	CHECK(walk_fails(hide_out_of_memory));
	CHECK(walk_fails(forget_errno));
	CHECK(walk_fails(trust_one_write));
}

TEST_MAIN(TEST(only_the_nth_request_for_memory_fails),
	  TEST(resized_memory_moves_and_keeps_its_content), TEST(only_the_nth_io_call_fails),
	  TEST(a_full_disk_does_not_hinder_reading), TEST(a_failed_close_has_closed),
	  TEST(short_and_interrupted_calls_are_what_they_say), TEST(a_walk_fails_every_call_once),
	  TEST(a_walk_finds_what_is_wrong))
