/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"
#include <errno.h>
#include <stdlib.h>
#include "base/error.h"

#define PROGRESS_EVENTS 65536
#define NS_PER_SECOND   1000000000

static uint64_t clamp(unsigned __int128 value)
{
	return value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

uint64_t report_ns(const struct report *report, uint64_t ticks)
{
	return clamp((unsigned __int128)ticks * NS_PER_SECOND / report->info->clock_hz);
}

bool report_complete(const struct report *report)
{
	return !report->damaged && !report->info->problem &&
	       (report->info->complete || !report->analysis.native);
}

/* ---- Losses and cost ---- */

static uint64_t explained(const struct trace_stream_info *stream)
{
	return clamp((unsigned __int128)stream->lost_full + stream->lost_nested + stream->lost_cut +
		     stream->lost_disk);
}

uint64_t report_stream_unexplained(const struct trace_stream_info *stream)
{
	uint64_t causes = explained(stream);

	return stream->discarded > causes ? stream->discarded - causes : 0;
}

uint64_t report_stream_lost(const struct trace_stream_info *stream)
{
	uint64_t causes = explained(stream);

	return stream->discarded > causes ? stream->discarded : causes;
}

uint64_t report_stream_cost_ns(const struct report *report, size_t stream)
{
	const struct report_thread *thread = &report->analysis.thread[stream];
	const struct trace_info *info = report->info;
	unsigned __int128 traces = thread->events - thread->resources;

	traces += report_stream_lost(&info->stream[stream]);
	return clamp((traces * info->trace_cost_ps +
		      (unsigned __int128)thread->resources * info->resource_cost_ps) /
		     1000);
}

static void add_up(struct report *report)
{
	const struct trace_info *info = report->info;
	const struct report_analysis *analysis = &report->analysis;

	for (size_t i = 0; i < info->streams; i++) {
		report->lost += report_stream_lost(&info->stream[i]);
		report->waits += info->stream[i].waits;
		report->wait_ticks += info->stream[i].wait_ticks;
		report->cost_ns += report_stream_cost_ns(report, i);
		report->threads += analysis->thread[i].events != 0;
		report->damaged += info->stream[i].damage != NULL;
	}
	for (size_t i = 0; i < info->processes; i++)
		report->lost_no_ring += info->process[i].lost_no_ring;
	report->lost += report->lost_no_ring;
	report->unmatched = analysis->unmatched_region_begins + analysis->unmatched_region_ends +
			    analysis->unmatched_waits + analysis->unmatched_goes;
	if (info->end_ticks > info->begin_ticks)
		report->run_ticks = info->end_ticks - info->begin_ticks;
	else if (analysis->events)
		report->run_ticks = analysis->last - analysis->first;
}

/* ---- Order ---- */

/* Descending totals; equals in the order of first sight. */
static int compare_totals(uint64_t left, uint64_t right, uint32_t a, uint32_t b)
{
	if (left != right)
		return left > right ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int compare_regions(const void *a, const void *b, void *context)
{
	const struct report_region *region = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return compare_totals(region[x].time.total, region[y].time.total, x, y);
}

static int compare_locks(const void *a, const void *b, void *context)
{
	const struct report_lock *lock = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (lock[x].wait.total == lock[y].wait.total)
		return compare_totals(lock[x].acquired, lock[y].acquired, x, y);
	return compare_totals(lock[x].wait.total, lock[y].wait.total, x, y);
}

static int compare_waiters(const void *a, const void *b, void *context)
{
	const struct report_waiter *waiter = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return compare_totals(waiter[x].wait.total, waiter[y].wait.total, x, y);
}

static uint32_t *order(struct base_alloc *alloc, size_t count, void *items,
		       int (*compare)(const void *a, const void *b, void *context))
{
	uint32_t *list = base_alloc_get(alloc, (count + 1) * sizeof(*list));

	for (size_t i = 0; list && i < count; i++)
		list[i] = (uint32_t)i;
	if (list && count)
		qsort_r(list, count, sizeof(*list), compare, items);
	return list;
}

static int put_in_order(struct report *report)
{
	struct report_analysis *analysis = &report->analysis;
	struct base_alloc *alloc = analysis->alloc;

	report->region_order = order(alloc, analysis->regions, analysis->region, compare_regions);
	report->lock_order = order(alloc, analysis->locks, analysis->lock, compare_locks);
	report->waiter_order = order(alloc, analysis->waiters, analysis->waiter, compare_waiters);
	report->top_waiter =
		base_alloc_get(alloc, (analysis->locks + 1) * sizeof(*report->top_waiter));
	if (!report->region_order || !report->lock_order || !report->waiter_order ||
	    !report->top_waiter)
		return -KRON_ENOMEM;
	for (size_t i = 0; i < analysis->locks; i++)
		report->top_waiter[i] = UINT32_MAX;
	for (size_t i = analysis->waiters; i > 0; i--) {
		uint32_t waiter = report->waiter_order[i - 1];

		report->top_waiter[analysis->waiter[waiter].lock] = waiter;
	}
	return 0;
}

/* Which counters have something to tell about which regions. */
static int list_counted(struct report *report, uint32_t region, const uint64_t *counter)
{
	for (uint32_t i = 0; i < TRACE_COUNTERS; i++) {
		void *items = report->counted;
		int error;

		if (!counter[i])
			continue;
		error = base_alloc_grow(report->analysis.alloc, &items, &report->counted_room,
					report->counteds, sizeof(*report->counted));
		report->counted = items;
		if (error)
			return error;
		report->counted[report->counteds++] = (struct report_counted){ region, i };
	}
	return 0;
}

static int list_all_counted(struct report *report)
{
	const struct report_analysis *analysis = &report->analysis;
	int error = 0;

	for (size_t i = 0; !error && i < analysis->regions; i++)
		error = list_counted(report, report->region_order[i],
				     analysis->region[report->region_order[i]].counter);
	return error ? error : list_counted(report, UINT32_MAX, analysis->outside);
}

/* ---- All of it ---- */

static int read_events(struct report *report, const struct report_config *config)
{
	uint64_t events = 0;
	int result;

	for (;;) {
		struct trace_event event;
		unsigned stream;
		bool mark;

		result = trace_reader_next(config->reader, &event, &stream, &mark);
		if (result <= 0)
			break;
		result = report_analysis_event(&report->analysis, config->reader, &event, stream,
					       mark);
		if (result)
			break;
		if (++events % PROGRESS_EVENTS == 0 && config->progress)
			config->progress(config->context, events);
	}
	return result;
}

int report_open(struct report *report, const struct report_config *config)
{
	int error, cause;

	*report = (struct report){ .trace = config->trace,
				   .info = trace_reader_info(config->reader) };
	error = report_analysis_open(&report->analysis, config->alloc, report->info);
	if (error)
		return error;
	error = read_events(report, config);
	if (!error) {
		report_analysis_finish(&report->analysis);
		add_up(report);
		error = put_in_order(report);
	}
	if (!error)
		error = list_all_counted(report);
	if (error) {
		cause = errno;
		report_close(report);
		errno = cause;
	}
	return error;
}

void report_close(struct report *report)
{
	struct base_alloc *alloc = report->analysis.alloc;

	base_alloc_free(alloc, report->region_order);
	base_alloc_free(alloc, report->lock_order);
	base_alloc_free(alloc, report->waiter_order);
	base_alloc_free(alloc, report->top_waiter);
	base_alloc_free(alloc, report->counted);
	report_analysis_close(&report->analysis);
}
