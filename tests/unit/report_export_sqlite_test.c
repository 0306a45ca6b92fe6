/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite asks the system for memory and files by itself, so its faults are injected where SQLite
 * lets us: in its allocator, and in a VFS around the system's. */
#include "unit/test.h"
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "support/export_trace.h"

/* ---- Faults ---- */

static unsigned alloc_calls, alloc_nth; /* nth 0: none fails */
static unsigned io_calls, io_nth;

static sqlite3_mem_methods system_memory;

static void *faulty_malloc(int size)
{
	if (++alloc_calls == alloc_nth)
		return NULL;
	return system_memory.xMalloc(size);
}

static void *faulty_realloc(void *ptr, int size)
{
	if (++alloc_calls == alloc_nth)
		return NULL;
	return system_memory.xRealloc(ptr, size);
}

static sqlite3_vfs *system_vfs;
static const sqlite3_io_methods *system_io;
static sqlite3_io_methods faulty_io;

static int faulty_write(sqlite3_file *file, const void *data, int size, sqlite3_int64 offset)
{
	if (++io_calls == io_nth)
		return SQLITE_FULL;
	return system_io->xWrite(file, data, size, offset);
}

static int faulty_read(sqlite3_file *file, void *data, int size, sqlite3_int64 offset)
{
	if (++io_calls == io_nth)
		return SQLITE_IOERR_READ;
	return system_io->xRead(file, data, size, offset);
}

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
	int code;

	(void)vfs;
	if (++io_calls == io_nth) {
		file->pMethods = NULL;
		return SQLITE_CANTOPEN;
	}
	code = system_vfs->xOpen(system_vfs, name, file, flags, out);
	if (file->pMethods) {
		if (!system_io) {
			system_io = file->pMethods;
			faulty_io = *system_io;
			faulty_io.xWrite = faulty_write;
			faulty_io.xRead = faulty_read;
		}
		file->pMethods = &faulty_io;
	}
	return code;
}

static int set_up(void **state)
{
	static sqlite3_vfs faulty_vfs;
	sqlite3_mem_methods memory;

	(void)state;
	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &system_memory))
		return -1;
	memory = system_memory;
	memory.xMalloc = faulty_malloc;
	memory.xRealloc = faulty_realloc;
	if (sqlite3_config(SQLITE_CONFIG_MALLOC, &memory) || sqlite3_initialize())
		return -1;
	system_vfs = sqlite3_vfs_find(NULL);
	faulty_vfs = *system_vfs;
	faulty_vfs.zName = "faulty";
	faulty_vfs.xOpen = faulty_open;
	return sqlite3_vfs_register(&faulty_vfs, 1);
}

/* ---- Questions ---- */

static sqlite3 *db;

static void open_story(void)
{
	struct report_export_result result;

	export_trace_story("t");
	CHECK_EQUAL(export_trace_run(&base_io_system, &base_alloc_system, "t", REPORT_EXPORT_SQLITE,
				     "out", &result),
		    0);
	CHECK_EQUAL(result.lost, EXPORT_STORY_LOST);
	CHECK_EQUAL(sqlite3_open_v2("out", &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
}

/* The first column of the first row, as text. */
static void check(const char *sql, const char *expected)
{
	sqlite3_stmt *statement;

	CHECK_EQUAL(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	CHECK_EQUAL(sqlite3_step(statement), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(statement, 0), expected);
	sqlite3_finalize(statement);
}

static void the_story_is_told(void **state)
{
	(void)state;
	open_story();
	check("pragma integrity_check", "ok");
	check("pragma user_version", "1");
	check("select count(*) from event", "24");
	check("select sum(events) from stream", "24");
	check("select value from info where key = 'command'", "./prog -x 3");
	check("select count(*) from process", "2");
	check("select pid from process join stream on process.id = process where file = 'stream_3'",
	      "4712");
	check("select count(*) from counter", "16");
	sqlite3_close(db);
}

static void regions_join_by_name(void **state)
{
	(void)state;
	open_story();
	check("select count(*) from event join stream on stream.id = event.stream "
	      "join name on name.process = stream.process and name.id = event.value "
	      "where mark = 1 and text = 'parse'",
	      "2");
	check("select sum(duration_ns) from slice where name = 'parse'", "560"); /* 500, 60 */
	check("select duration_ns from slice where name = 'wait lock 0x5000'", "100");
	check("select duration_ns from slice where name = 'wait cond 0x7000'", "0");
	check("select count(*) from slice", "8");
	check("select name from mark where kind = 3", "lock_wait");
	sqlite3_close(db);
}

static void losses_and_counters_add_up(void **state)
{
	(void)state;
	open_story();
	check("select sum(lost) from loss", "7");
	check("select sum(lost) from stream", "7");
	check("select lost from loss where ns = 700", "5");
	check("select lost_no_ring from process where id = 0", "3");
	check("select group_concat(value) from (select value from counter_value join counter "
	      "on counter.id = counter where name = 'bytes' order by event)",
	      "100,150,7");
	check("select count(*) from counter_value", "8"); /* items, bytes; counter7 twice */
	check("select printf('%x', data) from event where stream = 2", "ffffffffffffffff");
	sqlite3_close(db);
}

static void a_cut_stream_says_where(void **state)
{
	struct report_export_result result;

	(void)state;
	export_trace_story("t");
	CHECK_EQUAL(truncate("t/stream_1", 300), 0);
	CHECK_EQUAL(export_trace_run(&base_io_system, &base_alloc_system, "t", REPORT_EXPORT_SQLITE,
				     "out", &result),
		    0);
	CHECK_EQUAL(sqlite3_open_v2("out", &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	check("select damage is not null and damaged_at <= 300 from stream where id = 1", "1");
	check("select count(damage) from stream", "1");
	sqlite3_close(db);
}

/* ---- Every call fails in turn ---- */

static int export_once(void)
{
	struct report_export_result result;
	int error = export_trace_run(&base_io_system, &base_alloc_system, "t", REPORT_EXPORT_SQLITE,
				     "out", &result);
	int cause = errno;

	CHECK(!!error == !!access("out", F_OK));
	CHECK(access("out.tmp", F_OK) != 0);
	unlink("out");
	errno = cause;
	return error;
}

/* SQLite goes on without some of its memory, so not every failure fails the export; but a file that
 * is there is whole. */
static void out_of_memory_is_reported(void **state)
{
	unsigned failed = 0;

	(void)state;
	export_trace_story("t");
	for (alloc_nth = 1;; alloc_nth++) {
		int error;

		alloc_calls = 0;
		error = export_once();
		if (error) {
			CHECK_EQUAL(-error, KRON_ENOMEM);
			failed++;
		}
		if (alloc_calls < alloc_nth)
			break;
	}
	alloc_nth = 0;
	CHECK(failed > 100);
}

static void failing_files_are_reported(void **state)
{
	unsigned failed = 0;

	(void)state;
	export_trace_story("t");
	for (io_nth = 1;; io_nth++) {
		int error;

		io_calls = 0;
		error = export_once();
		if (io_calls < io_nth)
			break;
		CHECK_EQUAL(-error, KRON_EIO);
		CHECK(errno != 0);
		failed++;
	}
	io_nth = 0;
	CHECK(failed > 10);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, export_trace_enter, export_trace_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(the_story_is_told),          IN_DIR(regions_join_by_name),
		IN_DIR(losses_and_counters_add_up), IN_DIR(a_cut_stream_says_where),
		IN_DIR(out_of_memory_is_reported),  IN_DIR(failing_files_are_reported),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
