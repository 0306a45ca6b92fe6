/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a trace where something stands already. */
#include "unit/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "support/files.h"
#include "trace/ctf.h"

static const struct trace_ctf_info info = { .model = "multikron", .clock_hz = 1, .streams = 1 };

/* Write a trace with so many events, by which it can be told later. */
static int write_trace(struct base_io *io, const char *dir, unsigned events)
{
	struct trace_ctf ctf;
	int error = trace_ctf_open(&ctf, io, &base_alloc_system, dir, &info);

	if (error)
		return error;
	for (unsigned i = 0; i < events; i++)
		trace_ctf_event(&ctf, 0, &(struct trace_event){ .timestamp = i });
	return trace_ctf_close(&ctf, NULL);
}

static int try_open(const char *dir)
{
	return write_trace(&base_io_system, dir, 1);
}

static off_t size_of(const char *path)
{
	struct stat stat_;

	CHECK_EQUAL(stat(path, &stat_), 0);
	return stat_.st_size;
}

static void mark(const char *path)
{
	files_write(path, "mine", 4);
}

static void check_mark(const char *path)
{
	uint8_t *data;

	CHECK_EQUAL(files_read(path, &data), 4);
	assert_memory_equal(data, "mine", 4);
	free(data);
}

static void an_older_trace_is_kept_once(void **state)
{
	off_t one, two;

	(void)state;
	CHECK_EQUAL(write_trace(&base_io_system, "t", 1), 0);
	one = size_of("t/stream_0");
	CHECK_EQUAL(write_trace(&base_io_system, "t", 2), 0);
	two = size_of("t/stream_0");
	CHECK(one != two && size_of("t.old/stream_0") == one);
	CHECK(files_exist("t.old/metadata") && files_exist("t.old/.kron.json"));
	/* The third removes the first. */
	CHECK_EQUAL(write_trace(&base_io_system, "t/", 3), 0);
	CHECK(size_of("t.old/stream_0") == two);
}

static void an_empty_directory_is_used(void **state)
{
	struct stat before, after;

	(void)state;
	CHECK_EQUAL(mkdir("t", 0700), 0);
	CHECK_EQUAL(stat("t", &before), 0);
	CHECK_EQUAL(try_open("t"), 0);
	CHECK_EQUAL(stat("t", &after), 0);
	CHECK(before.st_ino == after.st_ino && before.st_mode == after.st_mode);
	CHECK(!files_exist("t.old"));
}

static void what_is_no_trace_is_not_touched(void **state)
{
	(void)state;
	mark("t");
	CHECK(try_open("t") == -KRON_EEXIST);
	check_mark("t");
	unlink("t");

	CHECK_EQUAL(mkdir("t", 0777), 0);
	mark("t/notes");
	CHECK(try_open("t") == -KRON_EEXIST);
	check_mark("t/notes");
	mark("t/metadata"); /* half a trace is none */
	CHECK(try_open("t") == -KRON_EEXIST);
	check_mark("t/metadata");
	CHECK(!files_exist("t.old") && !files_exist("t/stream_0"));
}

static void an_old_directory_that_is_no_trace_is_not_touched(void **state)
{
	(void)state;
	CHECK_EQUAL(try_open("t"), 0);
	mark("t.old");
	CHECK(try_open("t") == -KRON_EEXIST);
	check_mark("t.old");
	unlink("t.old");

	CHECK_EQUAL(mkdir("t.old", 0777), 0);
	CHECK(try_open("t") == -KRON_EEXIST);
	mark("t.old/notes");
	CHECK(try_open("t") == -KRON_EEXIST);
	check_mark("t.old/notes");
	CHECK(files_exist("t/metadata"));
	files_wipe("t.old");

	/* A trace with somebody's notes in it moves, but is not removed. */
	mark("t/notes");
	CHECK_EQUAL(try_open("t"), 0);
	check_mark("t.old/notes");
	CHECK(try_open("t") == -KRON_EEXIST);
	check_mark("t.old/notes");
	CHECK(files_exist("t.old/metadata") && files_exist("t/metadata"));
}

static void symbolic_links_are_not_followed(void **state)
{
	(void)state;
	/* To nowhere, to an empty directory, to a trace. */
	CHECK_EQUAL(symlink("nowhere", "t"), 0);
	CHECK(try_open("t") == -KRON_EEXIST);
	CHECK(try_open("t/") == -KRON_EEXIST);
	CHECK_EQUAL(mkdir("nowhere", 0777), 0);
	CHECK(try_open("t") == -KRON_EEXIST);
	CHECK(try_open("t//") == -KRON_EEXIST);
	CHECK(!files_exist("nowhere/metadata"));
	CHECK_EQUAL(try_open("nowhere"), 0);
	CHECK(try_open("t") == -KRON_EEXIST);
	unlink("t");

	/* Where the old trace would go. */
	CHECK_EQUAL(try_open("t"), 0);
	CHECK_EQUAL(symlink("nowhere", "t.old"), 0);
	CHECK(try_open("t") == -KRON_EEXIST);
	CHECK(files_exist("nowhere/metadata") && files_exist("nowhere/stream_0") &&
	      files_exist("t/metadata"));
	unlink("t.old");

	/* A link inside is no file of a trace. */
	CHECK_EQUAL(rename("t/metadata", "other"), 0);
	CHECK_EQUAL(symlink("../other", "t/metadata"), 0);
	CHECK(try_open("t") == -KRON_EEXIST);
	CHECK(!files_exist("t.old"));
}

/* Somebody is faster: the files of a trace are created, never opened. */
static int planted_mkdir(struct base_io *io, const char *path, unsigned mode)
{
	int result = base_io_system.mkdir(io, path, mode);

	if (!result)
		result = symlink("../victim", "t/metadata");
	return result;
}

static void a_planted_link_is_not_written_through(void **state)
{
	struct base_io io = base_io_system;

	(void)state;
	io.mkdir = planted_mkdir;
	mark("victim");
	CHECK(write_trace(&io, "t", 1) == -KRON_EEXIST);
	check_mark("victim");
	CHECK(files_exist("t/metadata"));
}

TEST_MAIN(TEST_IN_DIR(an_older_trace_is_kept_once), TEST_IN_DIR(an_empty_directory_is_used),
	  TEST_IN_DIR(what_is_no_trace_is_not_touched),
	  TEST_IN_DIR(an_old_directory_that_is_no_trace_is_not_touched),
	  TEST_IN_DIR(symbolic_links_are_not_followed),
	  TEST_IN_DIR(a_planted_link_is_not_written_through))
