/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a report. The keys are promised to scripts: add, do not rename. */
#include "report/report.h"

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static const char *process_command(const struct report *report, uint32_t process)
{
	return process < report->info->processes ? report->info->process[process].command : "";
}

static uint32_t process_pid(const struct report *report, uint32_t process)
{
	return process < report->info->processes ? report->info->process[process].pid : 0;
}

/* A thread by its name; without one, a node by its file. */
static const char *thread_name(const struct report *report, size_t stream)
{
	const struct trace_stream_info *info = &report->info->stream[stream];

	return info->process == UINT32_MAX && info->tid == 0 ? info->file : info->thread;
}

static size_t each_stream(const struct report *report)
{
	return report->info->streams;
}

/* ---- run ---- */

/* clang-format off */
static const struct report_column run_columns[] = {
	{ "trace",              NULL, REPORT_TEXT,  REPORT_DATA_ONLY },
	{ "model",              NULL, REPORT_TEXT,  REPORT_DATA_ONLY },
	{ "command",            NULL, REPORT_TEXT,  REPORT_DATA_ONLY },
	{ "complete",           NULL, REPORT_FLAG,  REPORT_DATA_ONLY },
	{ "clock_hz",           NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "run_ns",             NULL, REPORT_TIME,  REPORT_DATA_ONLY },
	{ "streams",            NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "damaged",            NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "events",             NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "resource_events",    NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "lost",               NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "lost_no_ring",       NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "full_waits",         NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "full_wait_ns",       NULL, REPORT_TIME,  REPORT_DATA_ONLY },
	{ "unmatched",          NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "over_losses",        NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "cost_ns",            NULL, REPORT_TIME,  REPORT_DATA_ONLY },
	{ "cost_share",         NULL, REPORT_SHARE, REPORT_DATA_ONLY },
	{ 0 },
};
/* clang-format on */

static size_t once(const struct report *report)
{
	(void)report;
	return 1;
}

static void run_row(const struct report *report, size_t row, struct report_value *value)
{
	uint64_t run_ns = report_ns(report, report->run_ticks);

	(void)row;
	(value++)->text = report->trace;
	(value++)->text = report->info->model;
	(value++)->text = report->info->command;
	(value++)->number = report_complete(report);
	(value++)->number = report->info->clock_hz;
	(value++)->number = run_ns;
	(value++)->number = report->info->streams;
	(value++)->number = report->damaged;
	(value++)->number = report->analysis.events;
	(value++)->number = report->analysis.resources;
	(value++)->number = report->lost;
	(value++)->number = report->lost_no_ring;
	(value++)->number = report->waits;
	(value++)->number = report_ns(report, report->wait_ticks);
	(value++)->number = report->unmatched;
	(value++)->number = report->analysis.over_losses;
	(value++)->number = report->cost_ns;
	(value++)->share = share(report->cost_ns, run_ns);
}

/* ---- regions ---- */

/* clang-format off */
static const struct report_column region_columns[] = {
	{ "name",             "region",    REPORT_TEXT,  0 },
	{ "count",            "count",     REPORT_COUNT, 0 },
	{ "total_ns",         "total",     REPORT_TIME,  0 },
	{ "self_ns",          "self",      REPORT_TIME,  0 },
	{ "mean_ns",          "mean",      REPORT_TIME,  0 },
	{ "min_ns",           NULL,        REPORT_TIME,  REPORT_DATA_ONLY },
	{ "p50_ns",           "p50",       REPORT_TIME,  0 },
	{ "p99_ns",           "p99",       REPORT_TIME,  0 },
	{ "max_ns",           "max",       REPORT_TIME,  0 },
	{ "unmatched_begins", "no end",    REPORT_COUNT, REPORT_IF_ANY },
	{ "unmatched_ends",   "no begin",  REPORT_COUNT, REPORT_IF_ANY },
	{ "over_losses",      "over loss", REPORT_COUNT, REPORT_IF_ANY },
	{ 0 },
};
/* clang-format on */

static size_t region_rows(const struct report *report)
{
	return report->analysis.regions;
}

static void region_row(const struct report *report, size_t row, struct report_value *value)
{
	uint32_t index = report->region_order[row];
	const struct report_region *region = &report->analysis.region[index];
	const struct stats_histogram *time = &region->time;

	(value++)->text = report_region_name(&report->analysis, index);
	(value++)->number = time->count;
	(value++)->number = report_ns(report, time->total);
	(value++)->number = report_ns(report, region->self);
	(value++)->number = report_ns(report, stats_histogram_mean(time));
	(value++)->number = report_ns(report, time->count ? time->min : 0);
	(value++)->number = report_ns(report, stats_histogram_quantile(time, 500));
	(value++)->number = report_ns(report, stats_histogram_quantile(time, 990));
	(value++)->number = report_ns(report, time->max);
	(value++)->number = region->unmatched_begins;
	(value++)->number = region->unmatched_ends;
	(value++)->number = region->over_losses;
}

/* ---- region_counters ---- */

/* clang-format off */
static const struct report_column counted_columns[] = {
	{ "region",  "region",  REPORT_TEXT,  0 },
	{ "index",   NULL,      REPORT_COUNT, REPORT_DATA_ONLY },
	{ "counter", "counter", REPORT_TEXT,  0 },
	{ "value",   "counted", REPORT_COUNT, 0 },
	{ 0 },
};
/* clang-format on */

static size_t counted_rows(const struct report *report)
{
	return report->counteds;
}

static void counted_row(const struct report *report, size_t row, struct report_value *value)
{
	const struct report_counted *counted = &report->counted[row];
	bool outside = counted->region == UINT32_MAX;

	(value++)->text =
		outside ? "(outside)" : report_region_name(&report->analysis, counted->region);
	(value++)->number = counted->counter;
	(value++)->text = report->info->counter[counted->counter].name;
	(value++)->number =
		outside ? report->analysis.outside[counted->counter]
			: report->analysis.region[counted->region].counter[counted->counter];
}

/* ---- threads ---- */

/* clang-format off */
static const struct report_column thread_columns[] = {
	{ "thread",       "name",      REPORT_TEXT,  0 },
	{ "stream",       NULL,        REPORT_TEXT,  REPORT_DATA_ONLY },
	{ "command",      NULL,        REPORT_TEXT,  REPORT_DATA_ONLY },
	{ "pid",          NULL,        REPORT_COUNT, REPORT_DATA_ONLY },
	{ "tid",          "tid",       REPORT_COUNT, REPORT_IF_ANY | REPORT_NAME },
	{ "nested",       "signals",   REPORT_FLAG,  REPORT_IF_ANY | REPORT_NAME },
	{ "events",       "events",    REPORT_COUNT, 0 },
	{ "span_ns",      "span",      REPORT_TIME,  0 },
	{ "busy_ns",      "busy",      REPORT_TIME,  0 },
	{ "waiting_ns",   "waiting",   REPORT_TIME,  REPORT_IF_ANY },
	{ "waiting_share", "share",    REPORT_SHARE, REPORT_IF_ANY },
	{ "lock_ns",      "locks",     REPORT_TIME,  REPORT_IF_ANY },
	{ "barrier_ns",   "barriers",  REPORT_TIME,  REPORT_IF_ANY },
	{ "cond_ns",      "conditions", REPORT_TIME, REPORT_IF_ANY },
	{ "join_ns",      "joins",     REPORT_TIME,  REPORT_IF_ANY },
	{ "unmatched",    "unmatched", REPORT_COUNT, REPORT_IF_ANY },
	{ 0 },
};
/* clang-format on */

static void thread_row(const struct report *report, size_t row, struct report_value *value)
{
	const struct trace_stream_info *info = &report->info->stream[row];
	const struct report_thread *thread = &report->analysis.thread[row];
	uint64_t span = thread->last - thread->first;

	(value++)->text = thread_name(report, row);
	(value++)->text = info->file;
	(value++)->text = process_command(report, info->process);
	(value++)->number = process_pid(report, info->process);
	(value++)->number = info->tid;
	(value++)->number = info->nested;
	(value++)->number = thread->events;
	(value++)->number = report_ns(report, span);
	(value++)->number = report_ns(report, span - thread->waiting);
	(value++)->number = report_ns(report, thread->waiting);
	(value++)->share = share(thread->waiting, span);
	for (unsigned i = 0; i < REPORT_WAITS; i++)
		(value++)->number = report_ns(report, thread->wait[i].total);
	(value++)->number = thread->unmatched;
}

/* ---- locks ---- */

/* clang-format off */
static const struct report_column lock_columns[] = {
	{ "kind",         "kind",        REPORT_TEXT,    0 },
	{ "address",      "address",     REPORT_ADDRESS, 0 },
	{ "pid",          NULL,          REPORT_COUNT,   REPORT_DATA_ONLY },
	{ "acquired",     "acquired",    REPORT_COUNT,   0 },
	{ "waits",        "waits",       REPORT_COUNT,   0 },
	{ "wait_ns",      "total wait",  REPORT_TIME,    0 },
	{ "max_wait_ns",  "max wait",    REPORT_TIME,    0 },
	{ "holds",        NULL,          REPORT_COUNT,   REPORT_DATA_ONLY },
	{ "held_ns",      "total held",  REPORT_TIME,    REPORT_IF_ANY },
	{ "max_held_ns",  "max held",    REPORT_TIME,    REPORT_IF_ANY },
	{ "top_thread",   "most waited", REPORT_TEXT,    0 },
	{ "top_wait_ns",  "of it",       REPORT_TIME,    REPORT_IF_ANY },
	{ 0 },
};
/* clang-format on */

static const char *const lock_kinds[REPORT_WAITS] = { "lock", "barrier", "condition", "thread" };

static size_t lock_rows(const struct report *report)
{
	return report->analysis.locks;
}

static void lock_row(const struct report *report, size_t row, struct report_value *value)
{
	uint32_t index = report->lock_order[row];
	const struct report_lock *lock = &report->analysis.lock[index];
	uint32_t top = report->top_waiter[index];
	const struct report_waiter *waiter;

	(value++)->text = lock_kinds[lock->kind];
	(value++)->number = lock->address;
	(value++)->number = process_pid(report, lock->process);
	(value++)->number = lock->acquired;
	(value++)->number = lock->wait.count;
	(value++)->number = report_ns(report, lock->wait.total);
	(value++)->number = report_ns(report, lock->wait.max);
	(value++)->number = lock->held.count;
	(value++)->number = report_ns(report, lock->held.total);
	(value++)->number = report_ns(report, lock->held.max);
	if (top == UINT32_MAX) {
		(value++)->text = "";
		return;
	}
	waiter = &report->analysis.waiter[top];
	(value++)->text = thread_name(report, waiter->stream);
	(value++)->number = report_ns(report, waiter->wait.total);
}

/* ---- lock_waiters ---- */

/* clang-format off */
static const struct report_column waiter_columns[] = {
	{ "kind",        NULL, REPORT_TEXT,    REPORT_DATA_ONLY },
	{ "address",     NULL, REPORT_ADDRESS, REPORT_DATA_ONLY },
	{ "pid",         NULL, REPORT_COUNT,   REPORT_DATA_ONLY },
	{ "thread",      NULL, REPORT_TEXT,    REPORT_DATA_ONLY },
	{ "tid",         NULL, REPORT_COUNT,   REPORT_DATA_ONLY },
	{ "stream",      NULL, REPORT_TEXT,    REPORT_DATA_ONLY },
	{ "waits",       NULL, REPORT_COUNT,   REPORT_DATA_ONLY },
	{ "wait_ns",     NULL, REPORT_TIME,    REPORT_DATA_ONLY },
	{ "max_wait_ns", NULL, REPORT_TIME,    REPORT_DATA_ONLY },
	{ 0 },
};
/* clang-format on */

static size_t waiter_rows(const struct report *report)
{
	return report->analysis.waiters;
}

static void waiter_row(const struct report *report, size_t row, struct report_value *value)
{
	const struct report_waiter *waiter = &report->analysis.waiter[report->waiter_order[row]];
	const struct report_lock *lock = &report->analysis.lock[waiter->lock];

	(value++)->text = lock_kinds[lock->kind];
	(value++)->number = lock->address;
	(value++)->number = process_pid(report, lock->process);
	(value++)->text = thread_name(report, waiter->stream);
	(value++)->number = report->info->stream[waiter->stream].tid;
	(value++)->text = report->info->stream[waiter->stream].file;
	(value++)->number = waiter->wait.count;
	(value++)->number = report_ns(report, waiter->wait.total);
	(value++)->number = report_ns(report, waiter->wait.max);
}

/* ---- groups ---- */

static const struct report_column group_columns[] = {
	{ "group", "group", REPORT_COUNT, REPORT_NAME },
	{ "triggered", "triggered", REPORT_COUNT, 0 },
	{ 0 },
};

static size_t group_rows(const struct report *report)
{
	for (size_t i = 0; i < report->info->streams; i++)
		if (report->info->stream[i].accounted)
			return TRACE_GROUPS;
	return 0;
}

static void group_row(const struct report *report, size_t row, struct report_value *value)
{
	value[0].number = row;
	for (size_t i = 0; i < report->info->streams; i++)
		value[1].number += report->info->stream[i].triggered[row];
}

/* ---- losses ---- */

/* clang-format off */
static const struct report_column loss_columns[] = {
	{ "thread",       "name",         REPORT_TEXT,  0 },
	{ "stream",       NULL,           REPORT_TEXT,  REPORT_DATA_ONLY },
	{ "tid",          "tid",          REPORT_COUNT, REPORT_IF_ANY | REPORT_NAME },
	{ "lost",         "lost",         REPORT_COUNT, 0 },
	{ "full",         "ring full",    REPORT_COUNT, REPORT_IF_ANY },
	{ "nested",       "nested",       REPORT_COUNT, REPORT_IF_ANY },
	{ "cut",          "cut off",      REPORT_COUNT, REPORT_IF_ANY },
	{ "disk",         "disk full",    REPORT_COUNT, REPORT_IF_ANY },
	{ "unexplained",  "cause unknown", REPORT_COUNT, REPORT_IF_ANY },
	{ "triggered",    NULL,           REPORT_COUNT, REPORT_DATA_ONLY },
	{ "unaccounted",  "unaccounted",  REPORT_COUNT, REPORT_IF_ANY },
	{ "full_waits",   "waits",        REPORT_COUNT, REPORT_IF_ANY },
	{ "full_wait_ns", "waited",       REPORT_TIME,  REPORT_IF_ANY },
	{ 0 },
};
/* clang-format on */

/* Triggered, neither in the trace nor among the lost: 0 in a trace that is whole. */
static uint64_t unaccounted(const struct report *report, size_t stream, uint64_t triggered)
{
	const struct trace_stream_info *info = &report->info->stream[stream];
	uint64_t known = report->analysis.thread[stream].events + report_stream_lost(info);

	return info->accounted && triggered > known ? triggered - known : 0;
}

static void loss_row(const struct report *report, size_t row, struct report_value *value)
{
	const struct trace_stream_info *info = &report->info->stream[row];
	uint64_t triggered = 0;

	for (unsigned i = 0; i < TRACE_GROUPS; i++)
		triggered += info->triggered[i];
	(value++)->text = thread_name(report, row);
	(value++)->text = info->file;
	(value++)->number = info->tid;
	(value++)->number = report_stream_lost(info);
	(value++)->number = info->lost_full;
	(value++)->number = info->lost_nested;
	(value++)->number = info->lost_cut;
	(value++)->number = info->lost_disk;
	(value++)->number = report_stream_unexplained(info);
	(value++)->number = triggered;
	(value++)->number = unaccounted(report, row, triggered);
	(value++)->number = info->waits;
	(value++)->number = report_ns(report, info->wait_ticks);
}

/* ---- sources, counters ---- */

static const struct report_column source_columns[] = {
	{ "stream", "stream", REPORT_TEXT, 0 },
	{ "source", "source", REPORT_COUNT, 0 },
	{ "cpu", "cpu", REPORT_COUNT, 0 },
	{ "events", "events", REPORT_COUNT, 0 },
	{ 0 },
};

static size_t source_rows(const struct report *report)
{
	return report->analysis.sources;
}

static void source_row(const struct report *report, size_t row, struct report_value *value)
{
	const struct report_source *source = &report->analysis.source[row];

	value[0].text = report->info->stream[source->stream].file;
	value[1].number = source->source;
	value[2].number = source->cpu == UINT32_MAX ? 0 : source->cpu;
	value[3].number = source->events;
}

static const struct report_column last_columns[] = {
	{ "stream", "stream", REPORT_TEXT, 0 },
	{ "index", NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "counter", "counter", REPORT_TEXT, 0 },
	{ "value", "last value", REPORT_COUNT, 0 },
	{ 0 },
};

/* Of streams without resource events there is nothing to tell; in the text they are all zero. */
static size_t last_rows(const struct report *report)
{
	return report->info->streams * TRACE_COUNTERS;
}

static void last_row(const struct report *report, size_t row, struct report_value *value)
{
	size_t stream = row / TRACE_COUNTERS, counter = row % TRACE_COUNTERS;

	value[0].text = report->info->stream[stream].file;
	value[1].number = counter;
	value[2].text = report->info->counter[counter].name;
	value[3].number = report->analysis.thread[stream].counter[counter];
}

/* ---- cost ---- */

static const struct report_column cost_columns[] = {
	{ "thread", "name", REPORT_TEXT, 0 },
	{ "stream", NULL, REPORT_TEXT, REPORT_DATA_ONLY },
	{ "tid", "tid", REPORT_COUNT, REPORT_IF_ANY | REPORT_NAME },
	{ "triggers", "triggers", REPORT_COUNT, 0 },
	{ "cost_ns", "cost", REPORT_TIME, 0 },
	{ "share", "of the run", REPORT_SHARE, 0 },
	{ 0 },
};

static size_t cost_rows(const struct report *report)
{
	bool known = report->info->trace_cost_ps || report->info->resource_cost_ps;

	return known ? report->info->streams : 0;
}

static void cost_row(const struct report *report, size_t row, struct report_value *value)
{
	const struct trace_stream_info *info = &report->info->stream[row];
	uint64_t cost_ns = report_stream_cost_ns(report, row);

	value[0].text = thread_name(report, row);
	value[1].text = info->file;
	value[2].number = info->tid;
	value[3].number = report->analysis.thread[row].events + report_stream_lost(info);
	value[4].number = cost_ns;
	value[5].share = share(cost_ns, report_ns(report, report->run_ticks));
}

/* ---- damage ---- */

static const struct report_column damage_columns[] = {
	{ "stream", NULL, REPORT_TEXT, REPORT_DATA_ONLY },
	{ "offset", NULL, REPORT_COUNT, REPORT_DATA_ONLY },
	{ "reason", NULL, REPORT_TEXT, REPORT_DATA_ONLY },
	{ 0 },
};

static size_t damage_rows(const struct report *report)
{
	return report->damaged;
}

static void damage_row(const struct report *report, size_t row, struct report_value *value)
{
	const struct trace_stream_info *info = report->info->stream;

	while (!info->damage || row-- > 0)
		info++;
	value[0].text = info->file;
	value[1].number = info->damaged_at;
	value[2].text = info->damage;
}

const struct report_section report_sections[] = {
	{ .key = "run", .column = run_columns, .rows = once, .row = run_row },
	{ .key = "regions",
	  .title = "Regions",
	  .column = region_columns,
	  .rows = region_rows,
	  .row = region_row },
	{ .key = "region_counters",
	  .title = "Counters in regions",
	  .column = counted_columns,
	  .rows = counted_rows,
	  .row = counted_row },
	{ .key = "threads",
	  .title = "Nodes",
	  .native_title = "Threads",
	  .column = thread_columns,
	  .rows = each_stream,
	  .row = thread_row,
	  .skip_zero = true },
	{ .key = "locks",
	  .title = "Locks, barriers, conditions",
	  .column = lock_columns,
	  .rows = lock_rows,
	  .row = lock_row },
	{ .key = "lock_waiters", .column = waiter_columns, .rows = waiter_rows, .row = waiter_row },
	{ .key = "groups",
	  .title = "Groups",
	  .column = group_columns,
	  .rows = group_rows,
	  .row = group_row,
	  .skip_zero = true },
	{ .key = "sources",
	  .title = "Sources",
	  .column = source_columns,
	  .rows = source_rows,
	  .row = source_row,
	  .chip_only = true },
	{ .key = "counters",
	  .title = "Counters at the end",
	  .column = last_columns,
	  .rows = last_rows,
	  .row = last_row,
	  .skip_zero = true,
	  .chip_only = true },
	{ .key = "losses",
	  .title = "Losses and waits for room",
	  .column = loss_columns,
	  .rows = each_stream,
	  .row = loss_row,
	  .skip_zero = true },
	{ .key = "cost",
	  .title = "Cost of measuring",
	  .column = cost_columns,
	  .rows = cost_rows,
	  .row = cost_row,
	  .skip_zero = true },
	{ .key = "damage", .column = damage_columns, .rows = damage_rows, .row = damage_row },
	{ 0 },
};
