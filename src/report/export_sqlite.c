/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite: a database to ask questions of. The tables are below; user_version is their version.
 *
 * Numbers of 64 bits are stored as they are; SQLite prints those from 2^63 on as negative ones.
 * Table counter_value leaves out counters that have no name and are 0.
 *
 * All is one transaction without a journal: the file is a new one, and worth nothing until it is
 * complete. SQLite asks the system for memory and writes by itself; see report/export.h for the
 * file. */
#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include "base/error.h"
#include "report/exporter.h"

/* Pages that SQLite may keep, in KiB. */
#define CACHE_KIB "8192"

/* clang-format off */
static const char schema[] =
"PRAGMA user_version = 1;"
"CREATE TABLE info (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
"CREATE TABLE process (id INTEGER PRIMARY KEY, pid INTEGER, command TEXT, lost_no_ring INTEGER);"
"CREATE TABLE name (process INTEGER, id INTEGER, text TEXT,"
"  PRIMARY KEY (process, id)) WITHOUT ROWID;"
"CREATE TABLE stream (id INTEGER PRIMARY KEY, process INTEGER, tid INTEGER, thread TEXT, file TEXT,"
"  nested INTEGER, events INTEGER, lost INTEGER, lost_full INTEGER, lost_nested INTEGER,"
"  lost_cut INTEGER, lost_disk INTEGER, waits INTEGER, wait_ticks INTEGER, damaged_at INTEGER,"
"  damage TEXT);"
"CREATE TABLE counter (id INTEGER PRIMARY KEY, name TEXT, source TEXT, shared INTEGER);"
"CREATE TABLE mark (kind INTEGER PRIMARY KEY, name TEXT);"
"CREATE TABLE event (id INTEGER PRIMARY KEY, ns INTEGER, ticks INTEGER, stream INTEGER,"
"  cpu INTEGER, source INTEGER, resource INTEGER, fifo_overrun INTEGER, shadow_overrun INTEGER,"
"  mark INTEGER, value INTEGER, data INTEGER);"
"CREATE TABLE counter_value (event INTEGER, counter INTEGER, value INTEGER,"
"  PRIMARY KEY (event, counter)) WITHOUT ROWID;"
"CREATE TABLE slice (id INTEGER PRIMARY KEY, stream INTEGER, ns INTEGER, duration_ns INTEGER,"
"  mark INTEGER, value INTEGER, name TEXT);"
"CREATE TABLE loss (stream INTEGER, ns INTEGER, lost INTEGER);";

static const char indexes[] =
"CREATE INDEX event_stream_ns ON event (stream, ns);"
"CREATE INDEX event_mark_value ON event (mark, value) WHERE mark IS NOT NULL;"
"CREATE INDEX slice_name ON slice (name);"
"CREATE INDEX slice_stream_ns ON slice (stream, ns);";
/* clang-format on */

enum statement {
	PUT_INFO,
	PUT_PROCESS,
	PUT_NAME,
	PUT_STREAM,
	PUT_COUNTER,
	PUT_MARK,
	PUT_EVENT,
	PUT_VALUE,
	PUT_SLICE,
	PUT_LOSS,
	STATEMENTS,
};

static const char *const statements[STATEMENTS] = {
	[PUT_INFO] = "INSERT INTO info VALUES (?, ?)",
	[PUT_PROCESS] = "INSERT INTO process VALUES (?, ?, ?, ?)",
	[PUT_NAME] = "INSERT OR IGNORE INTO name VALUES (?, ?, ?)",
	[PUT_STREAM] = "INSERT INTO stream VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[PUT_COUNTER] = "INSERT INTO counter VALUES (?, ?, ?, ?)",
	[PUT_MARK] = "INSERT INTO mark VALUES (?, ?)",
	[PUT_EVENT] = "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[PUT_VALUE] = "INSERT INTO counter_value VALUES (?, ?, ?)",
	[PUT_SLICE] = "INSERT INTO slice VALUES (NULL, ?, ?, ?, ?, ?, ?)",
	[PUT_LOSS] = "INSERT INTO loss VALUES (?, ?, ?)",
};

struct sqlite {
	sqlite3 *db;
	sqlite3_stmt *statement[STATEMENTS];
	int column; /* bound last */
	int bound;  /* not 0: one of them could not be */
	uint64_t events;
};

static struct sqlite *state_of(struct report_export *export)
{
	return export->state;
}

/* What went wrong in the database, as the rest of Kron says it. */
static int failure(struct sqlite *sqlite)
{
	int code = sqlite->db ? sqlite3_extended_errcode(sqlite->db) : SQLITE_NOMEM;
	int cause = sqlite->db ? sqlite3_system_errno(sqlite->db) : 0;

	if ((code & 0xff) == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM)
		return -KRON_ENOMEM;
	errno = (code & 0xff) == SQLITE_FULL ? ENOSPC : cause ? cause : EIO;
	return -KRON_EIO;
}

static int run(struct sqlite *sqlite, const char *sql)
{
	return sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL) ? failure(sqlite) : 0;
}

/* ---- Rows ---- */

/* Values go into the columns one after the other; insert() reports what failed. */
static void set_number(struct sqlite *sqlite, enum statement statement, uint64_t value)
{
	sqlite->bound |=
		sqlite3_bind_int64(sqlite->statement[statement], ++sqlite->column, (int64_t)value);
}

static void set_null(struct sqlite *sqlite, enum statement statement)
{
	sqlite->bound |= sqlite3_bind_null(sqlite->statement[statement], ++sqlite->column);
}

/* The text must live until the row is inserted. */
static void set_text(struct sqlite *sqlite, enum statement statement, const char *text)
{
	sqlite->bound |= sqlite3_bind_text(sqlite->statement[statement], ++sqlite->column, text, -1,
					   SQLITE_STATIC);
}

static int insert(struct sqlite *sqlite, enum statement statement)
{
	bool done = !sqlite->bound && sqlite3_step(sqlite->statement[statement]) == SQLITE_DONE;
	int error = done ? 0 : failure(sqlite);
	int cause = errno;

	sqlite3_reset(sqlite->statement[statement]);
	sqlite->column = 0;
	errno = cause;
	return error;
}

static int put_info(struct sqlite *sqlite, const char *key, const char *text, uint64_t number)
{
	set_text(sqlite, PUT_INFO, key);
	if (text)
		set_text(sqlite, PUT_INFO, text);
	else
		set_number(sqlite, PUT_INFO, number);
	return insert(sqlite, PUT_INFO);
}

static int put_infos(struct sqlite *sqlite, const struct trace_info *info)
{
	const struct {
		const char *key;
		const char *text;
		uint64_t number;
	} rows[] = {
		{ "model", info->model, 0 },
		{ "command", info->command, 0 },
		{ "clock_hz", NULL, info->clock_hz },
		{ "begin_ticks", NULL, info->begin_ticks },
		{ "end_ticks", NULL, info->end_ticks },
		{ "wall_ns", NULL, info->points ? info->point[0].wall_ns : 0 },
		{ "trace_cost_ps", NULL, info->trace_cost_ps },
		{ "resource_cost_ps", NULL, info->resource_cost_ps },
		{ "complete", NULL, info->complete || strcmp(info->model, "native") },
		{ "exit_code", NULL, (uint64_t)(int64_t)info->exit_code },
	};
	int error = 0;

	for (size_t i = 0; !error && i < sizeof(rows) / sizeof(rows[0]); i++)
		error = put_info(sqlite, rows[i].key, rows[i].text, rows[i].number);
	return error;
}

static int put_process(struct sqlite *sqlite, const struct trace_process *process, size_t id)
{
	int error;

	set_number(sqlite, PUT_PROCESS, id);
	set_number(sqlite, PUT_PROCESS, process->pid);
	set_text(sqlite, PUT_PROCESS, process->command);
	set_number(sqlite, PUT_PROCESS, process->lost_no_ring);
	error = insert(sqlite, PUT_PROCESS);
	for (size_t i = 0; !error && i < process->names; i++) {
		set_number(sqlite, PUT_NAME, id);
		set_number(sqlite, PUT_NAME, process->name[i].id);
		set_text(sqlite, PUT_NAME, process->name[i].text);
		error = insert(sqlite, PUT_NAME);
	}
	return error;
}

static int put_counters(struct sqlite *sqlite, const struct trace_info *info)
{
	int error = 0;

	for (unsigned i = 0; !error && i < TRACE_COUNTERS; i++) {
		set_number(sqlite, PUT_COUNTER, i);
		set_text(sqlite, PUT_COUNTER, info->counter[i].name);
		set_text(sqlite, PUT_COUNTER, info->counter[i].source);
		set_number(sqlite, PUT_COUNTER, info->counter[i].shared);
		error = insert(sqlite, PUT_COUNTER);
	}
	return error;
}

static int put_marks(struct sqlite *sqlite)
{
	int error = 0;

	for (unsigned i = 1; !error && i < REPORT_EXPORT_KINDS; i++) {
		set_number(sqlite, PUT_MARK, i);
		set_text(sqlite, PUT_MARK, report_export_mark_find(i)->name);
		error = insert(sqlite, PUT_MARK);
	}
	return error;
}

/* At the end, when the reader knows everything about it. */
static int put_stream(struct report_export *export, unsigned id)
{
	const struct trace_stream_info *stream = &export->info->stream[id];
	const uint64_t accounts[] = { stream->nested,    stream->events,      stream->discarded,
				      stream->lost_full, stream->lost_nested, stream->lost_cut,
				      stream->lost_disk, stream->waits,       stream->wait_ticks };
	struct sqlite *sqlite = state_of(export);

	set_number(sqlite, PUT_STREAM, id);
	if (report_export_process(export, id))
		set_number(sqlite, PUT_STREAM, stream->process);
	else
		set_null(sqlite, PUT_STREAM);
	set_number(sqlite, PUT_STREAM, stream->tid);
	set_text(sqlite, PUT_STREAM, report_export_stream_name(export, id));
	set_text(sqlite, PUT_STREAM, stream->file);
	for (size_t i = 0; i < sizeof(accounts) / sizeof(accounts[0]); i++)
		set_number(sqlite, PUT_STREAM, accounts[i]);
	if (stream->damage) {
		set_number(sqlite, PUT_STREAM, stream->damaged_at);
		set_text(sqlite, PUT_STREAM, stream->damage);
	} else {
		set_null(sqlite, PUT_STREAM);
		set_null(sqlite, PUT_STREAM);
	}
	return insert(sqlite, PUT_STREAM);
}

/* ---- Events ---- */

static int put_values(struct report_export *export, const struct trace_event *event)
{
	struct sqlite *sqlite = state_of(export);
	int error = 0;

	for (unsigned i = 0; !error && i < TRACE_COUNTERS; i++) {
		if (!report_export_counter_used(export->info, i, event->counter[i]))
			continue;
		set_number(sqlite, PUT_VALUE, sqlite->events);
		set_number(sqlite, PUT_VALUE, i);
		set_number(sqlite, PUT_VALUE, event->counter[i]);
		error = insert(sqlite, PUT_VALUE);
	}
	return error;
}

static int sqlite_event(struct report_export *export, const struct report_export_event *event)
{
	const struct trace_event *it = event->event;
	const uint64_t columns[] = { ++state_of(export)->events,
				     event->ns,
				     it->timestamp,
				     event->stream,
				     it->cpu,
				     it->source,
				     it->resource,
				     it->fifo_overrun,
				     it->shadow_overrun };
	struct sqlite *sqlite = state_of(export);
	int error;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		set_number(sqlite, PUT_EVENT, columns[i]);
	if (event->mark) {
		set_number(sqlite, PUT_EVENT, report_export_mark_kind(it->data));
		set_number(sqlite, PUT_EVENT, report_export_mark_value(it->data));
	} else {
		set_null(sqlite, PUT_EVENT);
		set_null(sqlite, PUT_EVENT);
	}
	set_number(sqlite, PUT_EVENT, it->data);
	error = insert(sqlite, PUT_EVENT);
	if (!error && it->resource)
		error = put_values(export, it);
	return error;
}

static int sqlite_slice(struct report_export *export, unsigned stream,
			const struct report_export_slice *slice, uint64_t ns)
{
	struct sqlite *sqlite = state_of(export);
	char buffer[REPORT_EXPORT_LABEL];

	set_number(sqlite, PUT_SLICE, stream);
	set_number(sqlite, PUT_SLICE, slice->begin_ns);
	set_number(sqlite, PUT_SLICE, ns - slice->begin_ns);
	set_number(sqlite, PUT_SLICE, report_export_mark_kind(slice->data));
	set_number(sqlite, PUT_SLICE, report_export_mark_value(slice->data));
	set_text(sqlite, PUT_SLICE,
		 report_export_mark_label(export->reader, stream, slice->data, buffer));
	return insert(sqlite, PUT_SLICE);
}

static int sqlite_loss(struct report_export *export, unsigned stream, uint64_t lost, uint64_t ns)
{
	struct sqlite *sqlite = state_of(export);

	set_number(sqlite, PUT_LOSS, stream);
	set_number(sqlite, PUT_LOSS, ns);
	set_number(sqlite, PUT_LOSS, lost);
	return insert(sqlite, PUT_LOSS);
}

/* ---- Beginning and end ---- */

static int open_database(struct report_export *export)
{
	struct sqlite *sqlite = state_of(export);

	if (sqlite3_open_v2(export->path, &sqlite->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    NULL))
		return failure(sqlite);
	return run(sqlite, "PRAGMA journal_mode = OFF;"
			   "PRAGMA synchronous = OFF;"
			   "PRAGMA locking_mode = EXCLUSIVE;"
			   "PRAGMA temp_store = FILE;"
			   "PRAGMA cache_size = -" CACHE_KIB ";"
			   "BEGIN;");
}

static int prepare(struct sqlite *sqlite)
{
	for (unsigned i = 0; i < STATEMENTS; i++)
		if (sqlite3_prepare_v2(sqlite->db, statements[i], -1, &sqlite->statement[i], NULL))
			return failure(sqlite);
	return 0;
}

static int sqlite_begin(struct report_export *export)
{
	const struct trace_info *info = export->info;
	struct sqlite *sqlite = state_of(export);
	int error = open_database(export);

	if (!error)
		error = run(sqlite, schema);
	if (!error)
		error = prepare(sqlite);
	if (!error)
		error = put_infos(sqlite, info);
	for (size_t i = 0; !error && i < info->processes; i++)
		error = put_process(sqlite, &info->process[i], i);
	if (!error)
		error = put_counters(sqlite, info);
	return error ? error : put_marks(sqlite);
}

static int sqlite_end(struct report_export *export)
{
	struct sqlite *sqlite = state_of(export);
	int error = 0;

	for (unsigned i = 0; !error && i < export->info->streams; i++)
		error = put_stream(export, i);
	if (!error)
		error = run(sqlite, indexes);
	return error ? error : run(sqlite, "COMMIT");
}

static void sqlite_close(struct report_export *export)
{
	struct sqlite *sqlite = state_of(export);

	for (unsigned i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(sqlite->statement[i]);
	sqlite3_close(sqlite->db);
}

const struct report_exporter report_export_sqlite = {
	.regular = true,
	.state_size = sizeof(struct sqlite),
	.begin = sqlite_begin,
	.event = sqlite_event,
	.slice = sqlite_slice,
	.loss = sqlite_loss,
	.end = sqlite_end,
	.close = sqlite_close,
};
