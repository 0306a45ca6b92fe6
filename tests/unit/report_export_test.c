/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same for all formats: which file is written, and when. */
#include "unit/test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "support/export_trace.h"
#include "support/fault.h"
#include "trace/reader.h"

static int export_as(enum report_export_format format, const char *path)
{
	struct report_export_result result;

	return export_trace_run(&base_io_system, &base_alloc_system, "t", format, path, &result);
}

static bool exists(const char *path)
{
	struct stat about;

	return !lstat(path, &about);
}

static void put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	CHECK(fputs(text, file) >= 0);
	CHECK_EQUAL(fclose(file), 0);
}

static void check_file(const char *path, const char *text)
{
	size_t size;
	char *data = export_trace_read(path, &size);

	assert_string_equal(data, text);
	free(data);
}

/* The cases in tests/cli/export/ use the story as files. After a change:
 * KRON_UPDATE_GOLDEN=1 build/tests/report_export_test */
static void the_golden_trace_is_the_story(void **state)
{
	static const char golden[] = KRON_TESTS_DIR "/golden/export";
	char command[512];

	(void)state;
	export_trace_story("story");
	if (getenv("KRON_UPDATE_GOLDEN")) {
		snprintf(command, sizeof(command),
			 "rm -rf '%s' && mkdir -p '%s' && cp -r story '%s'", golden, golden,
			 golden);
		CHECK_EQUAL(system(command), 0);
	}
	snprintf(command, sizeof(command), "diff -r story '%s/story'", golden);
	CHECK_EQUAL(system(command), 0);
}

static void the_same_trace_gives_the_same_bytes(void **state)
{
	(void)state;
	export_trace_story("t");
	for (unsigned i = 0; i < REPORT_EXPORT_FORMATS; i++) {
		char *a, *b;
		size_t size, other;

		CHECK_EQUAL(export_as(i, "a"), 0);
		CHECK_EQUAL(export_as(i, "b"), 0);
		a = export_trace_read("a", &size);
		b = export_trace_read("b", &other);
		CHECK_EQUAL(size, other);
		assert_memory_equal(a, b, size);
		free(a);
		free(b);
	}
}

static void a_file_is_replaced_and_nothing_left_beside_it(void **state)
{
	(void)state;
	export_trace_story("t");
	for (unsigned i = 0; i < REPORT_EXPORT_FORMATS; i++) {
		struct stat about;

		put_file("out", "old");
		CHECK_EQUAL(export_as(i, "out"), 0);
		CHECK_EQUAL(stat("out", &about), 0);
		CHECK(about.st_size > 1000);
		CHECK(!exists("out.tmp"));
	}
}

/* For SQLite it would be a URI, and the rest of it a question. */
static void any_name_is_a_name(void **state)
{
	static const char *const names[] = { "file:out?mode=memory", ":memory:", "a b%20c", "-" };

	(void)state;
	export_trace_story("t");
	for (unsigned i = 0; i < REPORT_EXPORT_FORMATS; i++)
		for (unsigned j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
			CHECK_EQUAL(export_as(i, names[j]), 0);
			CHECK(exists(names[j]));
			CHECK_EQUAL(unlink(names[j]), 0);
		}
}

static void a_directory_is_not_touched(void **state)
{
	(void)state;
	export_trace_story("t");
	CHECK_EQUAL(mkdir("out", 0777), 0);
	for (unsigned i = 0; i < REPORT_EXPORT_FORMATS; i++) {
		CHECK(export_as(i, "out") == -KRON_EIO);
		CHECK_EQUAL(errno, EISDIR);
		CHECK(!exists("out.tmp"));
	}
	CHECK(export_as(REPORT_EXPORT_CSV, "nowhere/out") == -KRON_EIO);
	CHECK_EQUAL(errno, ENOENT);
}

/* It may be somebody's, and a link might lead anywhere. */
static void what_has_the_temporary_name_is_not_touched(void **state)
{
	(void)state;
	export_trace_story("t");
	put_file("out", "old");
	put_file("out.tmp", "mine");
	for (unsigned i = 0; i < REPORT_EXPORT_FORMATS; i++)
		CHECK(export_as(i, "out") == -KRON_EEXIST);
	check_file("out.tmp", "mine");
	check_file("out", "old");
	unlink("out.tmp");
	put_file("victim", "mine");
	CHECK_EQUAL(symlink("victim", "out.tmp"), 0);
	for (unsigned i = 0; i < REPORT_EXPORT_FORMATS; i++)
		CHECK(export_as(i, "out") == -KRON_EEXIST);
	check_file("victim", "mine");
}

/* /dev/stdout is one. */
static void a_link_stays_a_link(void **state)
{
	struct stat about;

	(void)state;
	export_trace_story("t");
	CHECK_EQUAL(export_as(REPORT_EXPORT_CSV, "plain"), 0);
	put_file("there", "a longer text than nothing");
	CHECK_EQUAL(symlink("there", "out"), 0);
	CHECK_EQUAL(export_as(REPORT_EXPORT_CSV, "out"), 0);
	CHECK_EQUAL(lstat("out", &about), 0);
	CHECK(S_ISLNK(about.st_mode));
	CHECK_EQUAL(system("cmp plain there"), 0);
	CHECK(export_as(REPORT_EXPORT_SQLITE, "out") == -KRON_EINVAL);
	CHECK_EQUAL(system("cmp plain there"), 0);
}

static void a_device_is_written_as_it_is(void **state)
{
	(void)state;
	export_trace_story("t");
	for (unsigned i = 0; i < REPORT_EXPORT_SQLITE; i++) {
		CHECK_EQUAL(export_as(i, "/dev/null"), 0);
		CHECK(export_as(i, "/dev/full") == -KRON_EIO);
		CHECK_EQUAL(errno, ENOSPC);
	}
	CHECK(export_as(REPORT_EXPORT_SQLITE, "/dev/null") == -KRON_EINVAL);
	CHECK(!exists("/dev/null.tmp"));
}

static bool stop(void *context, uint64_t bytes)
{
	CHECK(bytes > *(uint64_t *)context);
	*(uint64_t *)context = bytes;
	return bytes > 3000 * 16;
}

static void a_stopped_export_leaves_the_old_file(void **state)
{
	static struct export_trace_event event[5000];

	(void)state;
	for (unsigned i = 0; i < 5000; i++)
		event[i].ticks = i;
	export_trace_write("t", "{}", event, 5000, 1, NULL);
	for (unsigned i = 0; i < REPORT_EXPORT_FORMATS; i++) {
		struct report_export_result result;
		uint64_t bytes = 0;
		struct report_export_config config = { .io = &base_io_system,
						       .alloc = &base_alloc_system,
						       .format = i,
						       .path = "out",
						       .progress = stop,
						       .context = &bytes };

		put_file("out", "old");
		CHECK_EQUAL(trace_reader_open(&config.reader, config.io, config.alloc, "t"), 0);
		CHECK_EQUAL(report_export_run(&config, &result), 0);
		trace_reader_close(config.reader);
		CHECK(result.stopped);
		CHECK_EQUAL(result.events, 3072);
		check_file("out", "old");
		CHECK(!exists("out.tmp"));
	}
}

/* ---- Damage ---- */

/* Cut at any byte, a trace gives what stands before. */
static void a_cut_trace_is_exported_up_to_the_cut(void **state)
{
	struct stat about;
	uint64_t before = 0;

	(void)state;
	export_trace_story("t");
	CHECK_EQUAL(stat("t/stream_0", &about), 0);
	CHECK_EQUAL(rename("t/stream_0", "whole"), 0);
	for (off_t cut = 0; cut <= about.st_size; cut += 8) {
		char command[64];

		snprintf(command, sizeof(command), "head -c %d whole > t/stream_0", (int)cut);
		CHECK_EQUAL(system(command), 0);
		for (unsigned i = 0; i < REPORT_EXPORT_FORMATS; i++) {
			struct report_export_result result;

			CHECK_EQUAL(export_trace_run(&base_io_system, &base_alloc_system, "t", i,
						     "out", &result),
				    0);
			CHECK(result.events >= before && result.events <= EXPORT_STORY_EVENTS);
			before = result.events;
		}
	}
	CHECK_EQUAL(before, EXPORT_STORY_EVENTS);
}

static void without_names_everything_is_still_there(void **state)
{
	struct report_export_result result;

	(void)state;
	export_trace_story("t");
	CHECK(!unlink("t/.kron.json") || !unlink("t/kron.json"));
	for (unsigned i = 0; i < REPORT_EXPORT_FORMATS; i++) {
		CHECK_EQUAL(export_trace_run(&base_io_system, &base_alloc_system, "t", i, "out",
					     &result),
			    0);
		CHECK_EQUAL(result.events, EXPORT_STORY_EVENTS);
		CHECK_EQUAL(result.lost, EXPORT_STORY_LOST - 3); /* no ring: only told there */
	}
}

/* ---- Every call fails in turn ---- */

static int run_format(struct fault *fault, void *context)
{
	enum report_export_format format = *(enum report_export_format *)context;
	struct report_export_result result;
	int error, cause;

	put_file("out", "old");
	error = export_trace_run(&fault->io, &fault->alloc, "t", format, "out", &result);
	cause = errno;
	if (error)
		check_file("out", "old"); /* whole or not at all */
	CHECK(!exists("out.tmp"));
	unlink("out");
	errno = cause;
	return error;
}

static void every_failing_call_is_reported_and_nothing_leaks(void **state)
{
	(void)state;
	export_trace_story("t");
	for (enum report_export_format i = 0; i < REPORT_EXPORT_FORMATS; i++)
		CHECK(fault_walk(run_format, &i) > 20);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, export_trace_enter, export_trace_leave)

TEST_MAIN(IN_DIR(the_golden_trace_is_the_story), IN_DIR(the_same_trace_gives_the_same_bytes),
	  IN_DIR(a_file_is_replaced_and_nothing_left_beside_it), IN_DIR(a_directory_is_not_touched),
	  IN_DIR(any_name_is_a_name), IN_DIR(what_has_the_temporary_name_is_not_touched),
	  IN_DIR(a_link_stays_a_link), IN_DIR(a_device_is_written_as_it_is),
	  IN_DIR(a_stopped_export_leaves_the_old_file),
	  IN_DIR(a_cut_trace_is_exported_up_to_the_cut),
	  IN_DIR(without_names_everything_is_still_there),
	  IN_DIR(every_failing_call_is_reported_and_nothing_leaks))
