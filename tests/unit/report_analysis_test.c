/* SPDX-License-Identifier: Apache-2.0 */
/* The analysis of a trace against a second one that is slow and obvious: it has all events in an array,
 * and looks for the partner of each by walking back. */
#include "unit/test.h"
#include <errno.h>
#include <inttypes.h>
#include <kron/wire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/rng.h"
#include "report/report.h"
#include "support/fault.h"
#include "support/files.h"
#include "support/native_trace.h"

#define DIR_NAME "trace"
#define STREAMS  3
#define EVENTS   150 /* of a stream */
#define NONE     SIZE_MAX

static const char json[] =
	"{ \"schema\": \"kron.trace/1\", \"model\": \"native\", \"clock\": { \"hz\": 1000000000 "
	"},\n"
	"  \"complete\": true, \"cost\": { \"trace_ps\": 10000, \"resource_ps\": 30000 },\n"
	"  \"counters\": [ { \"index\": 1, \"name\": \"common\", \"shared\": true } ],\n"
	"  \"processes\": [\n"
	"    { \"pid\": 1, \"names\": [ { \"id\": 1, \"text\": \"a\" }, { \"id\": 2, \"text\": "
	"\"b\" } ] },\n"
	"    { \"pid\": 2, \"names\": [ { \"id\": 1, \"text\": \"b\" } ] } ],\n"
	"  \"streams\": [ { \"file\": \"stream_0\", \"process\": 0 },\n"
	"    { \"file\": \"stream_1\", \"process\": 0 }, { \"file\": \"stream_2\", \"process\": 1 "
	"} ] }";

static const uint32_t process_of[STREAMS] = { 0, 0, 1 };

static const char *name_of(unsigned stream, uint64_t id)
{
	static const char *const names[2][4] = { { "#0", "a", "b", "#3" },
						 { "#0", "b", "#2", "#3" } };

	return names[process_of[stream]][id];
}

struct item {
	uint64_t time, value, discarded;
	unsigned kind; /* 0: user data */
	bool resource;
	uint32_t counter[TRACE_COUNTERS];
	size_t partner; /* begin of an end, end of a begin, or NONE */
};

struct oracle {
	struct item item[STREAMS][EVENTS];
	struct list_entry {
		unsigned stream;
		size_t index;
	} merged[STREAMS * EVENTS];
};

/* ---- Making events ---- */

static unsigned random_kind(struct base_rng *rng)
{
	static const unsigned kinds[] = { 0,
					  KRON_WIRE_REGION_BEGIN,
					  KRON_WIRE_REGION_END,
					  KRON_WIRE_REGION_BEGIN,
					  KRON_WIRE_REGION_END,
					  KRON_WIRE_LOCK_WAIT,
					  KRON_WIRE_LOCK_GOT,
					  KRON_WIRE_LOCK_GOT,
					  KRON_WIRE_LOCK_FREE,
					  KRON_WIRE_BARRIER_WAIT,
					  KRON_WIRE_BARRIER_GO,
					  KRON_WIRE_COND_WAIT,
					  KRON_WIRE_COND_GO,
					  KRON_WIRE_JOIN_WAIT,
					  KRON_WIRE_JOIN_GO,
					  KRON_WIRE_THREAD_EXIT,
					  99 };

	return kinds[base_rng_below(rng, sizeof(kinds) / sizeof(kinds[0]))];
}

static bool is_wait(unsigned kind)
{
	return kind == KRON_WIRE_LOCK_WAIT || kind == KRON_WIRE_BARRIER_WAIT ||
	       kind == KRON_WIRE_COND_WAIT || kind == KRON_WIRE_JOIN_WAIT;
}

/* The kind of the begin that an end belongs to, or 0. */
static unsigned begin_of(unsigned kind)
{
	switch (kind) {
	case KRON_WIRE_REGION_END:
	case KRON_WIRE_LOCK_GOT:
	case KRON_WIRE_BARRIER_GO:
	case KRON_WIRE_COND_GO:
	case KRON_WIRE_JOIN_GO:
		return kind - 1;
	default:
		return 0;
	}
}

/* Losses come before the number of open waits that the analysis keeps track of is reached. */
static void make_stream(struct base_rng *rng, struct item *item)
{
	struct item last = { .partner = NONE };
	unsigned waits = 0;

	for (size_t i = 0; i < EVENTS; i++) {
		last.time += base_rng_below(rng, 5);
		last.kind = random_kind(rng);
		last.value = base_rng_below(rng, 4);
		last.resource = base_rng_below(rng, 5) == 0;
		waits += is_wait(last.kind);
		if (waits > 16 || base_rng_below(rng, 40) == 0) {
			last.discarded += 1 + base_rng_below(rng, 3);
			waits = is_wait(last.kind);
		}
		for (unsigned k = 0; last.resource && k < TRACE_COUNTERS; k++)
			last.counter[k] =
				(uint32_t)base_rng_below(rng, 10) == 0
					? 0
					: last.counter[k] + (uint32_t)base_rng_below(rng, 9);
		item[i] = last;
	}
}

static void write_trace(const struct oracle *oracle)
{
	struct native_trace trace;

	native_trace_init(&trace, DIR_NAME, STREAMS);
	for (unsigned s = 0; s < STREAMS; s++) {
		for (size_t i = 0; i < EVENTS; i++) {
			const struct item *item = &oracle->item[s][i];
			struct trace_event event = { .timestamp = item->time,
						     .data = item->value,
						     .resource = item->resource,
						     .discarded = item->discarded,
						     .source = s };

			event.data |= (uint64_t)item->kind << KRON_WIRE_KIND_SHIFT;
			memcpy(event.counter, item->counter, sizeof(event.counter));
			native_trace_event(&trace, s, &event, item->kind != 0);
		}
	}
	native_trace_write(&trace, json);
}

/* ---- The oracle: who belongs to whom ---- */

static bool lost_between(const struct item *item, size_t from, size_t to)
{
	return item[to].discarded > item[from].discarded;
}

/* Is the wait at i still open just before event j? */
static bool wait_open(const struct item *item, size_t i, size_t j)
{
	if (!is_wait(item[i].kind) || lost_between(item, i, j) || item[i].partner < j)
		return false;
	for (size_t k = i + 1; k < j; k++)
		if (begin_of(item[k].kind) && item[k].kind != KRON_WIRE_REGION_END &&
		    item[k].partner < i)
			return false; /* a wait around it has ended */
	return true;
}

static bool could_end(const struct item *item, size_t i, size_t j)
{
	if (item[i].kind != begin_of(item[j].kind) || item[i].value != item[j].value)
		return false;
	if (item[j].kind == KRON_WIRE_REGION_END)
		return item[i].partner == NONE;
	return wait_open(item, i, j);
}

static void pair(struct item *item)
{
	for (size_t j = 0; j < EVENTS; j++)
		for (size_t i = j; begin_of(item[j].kind) && i-- > 0;)
			if (could_end(item, i, j)) {
				item[i].partner = j;
				item[j].partner = i;
				break;
			}
}

/* The innermost region open just before event j. */
static size_t innermost(const struct item *item, size_t j)
{
	for (size_t i = j; i-- > 0;)
		if (item[i].kind == KRON_WIRE_REGION_BEGIN && item[i].partner >= j)
			return i;
	return NONE;
}

/* Is the lock got at i still held just before j? FREE pairs are kept in partner of FREE only. */
static bool held(const struct item *item, size_t i, size_t j)
{
	if (item[i].kind != KRON_WIRE_LOCK_GOT || lost_between(item, i, j))
		return false;
	for (size_t k = i + 1; k < j; k++)
		if (item[k].kind == KRON_WIRE_LOCK_FREE && item[k].partner == i)
			return false;
	return true;
}

static void pair_holds(struct item *item)
{
	for (size_t j = 0; j < EVENTS; j++) {
		size_t i = j;

		if (item[j].kind != KRON_WIRE_LOCK_FREE)
			continue;
		while (i-- > 0 && !(held(item, i, j) && item[i].value == item[j].value))
			;
		item[j].partner = i;
	}
}

/* ---- Comparing ---- */

struct sum {
	uint64_t count, total, max;
};

static void add(struct sum *sum, uint64_t time)
{
	sum->count++;
	sum->total += time;
	sum->max = time > sum->max ? time : sum->max;
}

static void check_sum(const struct report_sum *actual, const struct sum *expected)
{
	CHECK_EQUAL(actual->count, expected->count);
	CHECK_EQUAL(actual->total, expected->total);
	CHECK_EQUAL(actual->max, expected->max);
}

static void check_region(const struct oracle *oracle, const struct report *report, size_t r)
{
	const struct report_region *region = &report->analysis.region[r];
	const char *name = report_region_name(&report->analysis, r);
	uint64_t self = 0, begins = 0, ends = 0, over = 0;
	struct sum sum = { 0 };

	for (unsigned s = 0; s < STREAMS; s++) {
		const struct item *item = oracle->item[s];

		for (size_t j = 0; j < EVENTS; j++) {
			bool mine = item[j].kind && !strcmp(name_of(s, item[j].value), name);
			size_t in = innermost(item, j);

			if (in != NONE && item[in].partner != NONE &&
			    !strcmp(name_of(s, item[in].value), name))
				self += item[j].time - item[j - 1].time;
			if (mine && item[j].kind == KRON_WIRE_REGION_BEGIN)
				begins += item[j].partner == NONE;
			if (!mine || item[j].kind != KRON_WIRE_REGION_END)
				continue;
			if (item[j].partner == NONE) {
				ends++;
				continue;
			}
			add(&sum, item[j].time - item[item[j].partner].time);
			over += lost_between(item, item[j].partner, j);
		}
	}
	CHECK_EQUAL(region->time.count, sum.count);
	CHECK_EQUAL(region->time.total, sum.total);
	CHECK_EQUAL(region->time.max, sum.max);
	CHECK_EQUAL(region->self, self);
	CHECK_EQUAL(region->unmatched_begins, begins);
	CHECK_EQUAL(region->unmatched_ends, ends);
	CHECK_EQUAL(region->over_losses, over);
}

static void check_thread(const struct oracle *oracle, const struct report *report, unsigned s)
{
	static const unsigned kinds[REPORT_WAITS] = { KRON_WIRE_LOCK_GOT, KRON_WIRE_BARRIER_GO,
						      KRON_WIRE_COND_GO, KRON_WIRE_JOIN_GO };
	const struct report_thread *thread = &report->analysis.thread[s];
	const struct item *item = oracle->item[s];
	uint64_t waiting = 0, resources = 0;

	for (unsigned w = 0; w < REPORT_WAITS; w++) {
		struct sum sum = { 0 };

		for (size_t j = 0; j < EVENTS; j++) {
			bool outermost = true;

			if (item[j].kind != kinds[w] || item[j].partner == NONE)
				continue;
			add(&sum, item[j].time - item[item[j].partner].time);
			for (size_t i = 0; i < item[j].partner; i++)
				outermost &= !wait_open(item, i, j);
			waiting += outermost ? item[j].time - item[item[j].partner].time : 0;
		}
		check_sum(&thread->wait[w], &sum);
	}
	for (size_t j = 0; j < EVENTS; j++)
		resources += item[j].resource;
	CHECK_EQUAL(thread->events, EVENTS);
	CHECK_EQUAL(thread->resources, resources);
	CHECK_EQUAL(thread->first, item[0].time);
	CHECK_EQUAL(thread->last, item[EVENTS - 1].time);
	CHECK_EQUAL(thread->waiting, waiting);
	CHECK(thread->waiting <= thread->last - thread->first);
}

/* Begins and ends without partner; a lock may be got without waiting. */
static void check_unmatched(const struct oracle *oracle, const struct report *report)
{
	const struct report_analysis *analysis = &report->analysis;
	uint64_t begins = 0, ends = 0, waits = 0, goes = 0;

	for (unsigned s = 0; s < STREAMS; s++) {
		uint64_t before = begins + ends + waits + goes;

		for (size_t j = 0; j < EVENTS; j++) {
			const struct item *item = &oracle->item[s][j];

			if (item->partner != NONE)
				continue;
			begins += item->kind == KRON_WIRE_REGION_BEGIN;
			ends += item->kind == KRON_WIRE_REGION_END;
			waits += is_wait(item->kind);
			goes += begin_of(item->kind) && item->kind != KRON_WIRE_REGION_END &&
				item->kind != KRON_WIRE_LOCK_GOT;
		}
		CHECK_EQUAL(analysis->thread[s].unmatched, begins + ends + waits + goes - before);
	}
	CHECK_EQUAL(analysis->unmatched_region_begins, begins);
	CHECK_EQUAL(analysis->unmatched_region_ends, ends);
	CHECK_EQUAL(analysis->unmatched_waits, waits);
	CHECK_EQUAL(analysis->unmatched_goes, goes);
	CHECK_EQUAL(report->unmatched, begins + ends + waits + goes);
}

static void check_lock(const struct oracle *oracle, const struct report *report, size_t l)
{
	static const unsigned kinds[REPORT_WAITS] = { KRON_WIRE_LOCK_GOT, KRON_WIRE_BARRIER_GO,
						      KRON_WIRE_COND_GO, KRON_WIRE_JOIN_GO };
	const struct report_lock *lock = &report->analysis.lock[l];
	struct sum all = { 0 }, holds = { 0 };
	uint64_t acquired = 0;

	for (unsigned s = 0; s < STREAMS; s++) {
		const struct item *item = oracle->item[s];
		struct sum mine = { 0 };

		for (size_t j = 0; j < EVENTS && process_of[s] == lock->process; j++) {
			size_t i = item[j].partner;

			if (item[j].value != lock->address)
				continue;
			if (item[j].kind == kinds[lock->kind]) {
				acquired++;
				if (i != NONE) {
					add(&all, item[j].time - item[i].time);
					add(&mine, item[j].time - item[i].time);
				}
			}
			if (item[j].kind == KRON_WIRE_LOCK_FREE && i != NONE &&
			    lock->kind == REPORT_WAIT_LOCK)
				add(&holds, item[j].time - item[i].time);
		}
		for (size_t w = 0; w < report->analysis.waiters; w++)
			if (report->analysis.waiter[w].lock == l &&
			    report->analysis.waiter[w].stream == s) {
				check_sum(&report->analysis.waiter[w].wait, &mine);
				mine.count = 0;
			}
		CHECK_EQUAL(mine.count, 0); /* who waited is on the list */
	}
	CHECK_EQUAL(lock->acquired, acquired);
	check_sum(&lock->wait, &all);
	check_sum(&lock->held, &holds);
}

static int by_time(const void *a, const void *b, void *context)
{
	const struct list_entry *x = a, *y = b;
	const struct oracle *oracle = context;
	uint64_t left = oracle->item[x->stream][x->index].time;
	uint64_t right = oracle->item[y->stream][y->index].time;

	if (left != right)
		return left < right ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* What counter c has gone on by at event j of stream s; counter 1 is shared by a process. */
static uint64_t went_on(const struct oracle *oracle, unsigned s, size_t j, unsigned c)
{
	const struct item *item = oracle->item[s];
	uint32_t highest = 0;
	bool seen = false;

	if (c != 1) {
		for (size_t i = j; i-- > 0;)
			if (item[i].resource)
				return item[j].counter[c] >= item[i].counter[c]
					       ? item[j].counter[c] - item[i].counter[c]
					       : item[j].counter[c];
		return item[j].counter[c]; /* a native thread starts at zero */
	}
	for (size_t m = 0; m < STREAMS * EVENTS; m++) {
		const struct list_entry *entry = &oracle->merged[m];
		const struct item *other = &oracle->item[entry->stream][entry->index];

		if (entry->stream == s && entry->index == j)
			break;
		if (!other->resource || process_of[entry->stream] != process_of[s])
			continue;
		highest = !seen || other->counter[c] > highest ? other->counter[c] : highest;
		seen = true;
	}
	return item[j].counter[c] > highest ? item[j].counter[c] - highest : 0;
}

/* r == NONE: outside of all regions. */
static void check_counters(const struct oracle *oracle, const struct report *report, size_t r)
{
	const uint64_t *actual =
		r == NONE ? report->analysis.outside : report->analysis.region[r].counter;
	const char *name = r == NONE ? "" : report_region_name(&report->analysis, r);
	uint64_t expected[TRACE_COUNTERS] = { 0 };

	for (unsigned s = 0; s < STREAMS; s++)
		for (size_t j = 0; j < EVENTS; j++) {
			const struct item *item = oracle->item[s];
			size_t in = innermost(item, j);
			const char *where = in == NONE ? "" : name_of(s, item[in].value);

			for (unsigned c = 0; item[j].resource && c < TRACE_COUNTERS; c++)
				if (!strcmp(where, name))
					expected[c] += went_on(oracle, s, j, c);
		}
	for (unsigned c = 0; c < TRACE_COUNTERS; c++)
		CHECK_EQUAL(actual[c], expected[c]);
}

static void open_report(struct report *report, struct report_config *config)
{
	*config = (struct report_config){ .alloc = &base_alloc_system, .trace = DIR_NAME };
	CHECK_EQUAL(
		trace_reader_open(&config->reader, &base_io_system, &base_alloc_system, DIR_NAME),
		0);
	CHECK_EQUAL(report_open(report, config), 0);
}

static void check_cost(const struct oracle *oracle, const struct report *report)
{
	uint64_t cost_ns = 0;

	for (unsigned s = 0; s < STREAMS; s++) {
		for (size_t j = 0; j < EVENTS; j++)
			cost_ns += oracle->item[s][j].resource ? 30 : 10;
		cost_ns += 10 * oracle->item[s][EVENTS - 1].discarded;
	}
	CHECK_EQUAL(report->cost_ns, cost_ns);
}

static void try_seed(uint64_t seed)
{
	static struct oracle oracle;
	struct report_config config;
	struct report report;
	struct base_rng rng;

	base_rng_seed(&rng, seed);
	for (unsigned s = 0; s < STREAMS; s++) {
		make_stream(&rng, oracle.item[s]);
		for (size_t i = 0; i < EVENTS; i++)
			oracle.merged[s * EVENTS + i] = (struct list_entry){ s, i };
	}
	qsort_r(oracle.merged, STREAMS * EVENTS, sizeof(oracle.merged[0]), by_time, &oracle);
	write_trace(&oracle);
	for (unsigned s = 0; s < STREAMS; s++) {
		pair(oracle.item[s]);
		pair_holds(oracle.item[s]);
	}
	open_report(&report, &config);
	for (size_t r = 0; r < report.analysis.regions; r++) {
		check_region(&oracle, &report, r);
		check_counters(&oracle, &report, r);
	}
	check_counters(&oracle, &report, NONE);
	for (unsigned s = 0; s < STREAMS; s++)
		check_thread(&oracle, &report, s);
	for (size_t l = 0; l < report.analysis.locks; l++)
		check_lock(&oracle, &report, l);
	check_unmatched(&oracle, &report);
	check_cost(&oracle, &report);
	report_close(&report);
	trace_reader_close(config.reader);
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

/* Any events, with losses: the same figures as by the obvious way. */
static void random_traces_agree_with_the_oracle(void **state)
{
	uint64_t seed = from_environment("KRON_SEED", 1);
	uint64_t rounds = from_environment("KRON_OPS", 300000) / 10000;

	(void)state;
	print_message("KRON_SEED=%" PRIu64 " %" PRIu64 " traces\n", seed, rounds);
	for (uint64_t i = 0; i < rounds; i++)
		try_seed(seed + i);
}

/* Begins without ends, more than anybody nests, neither grow without limit nor get lost. */
static void endless_begins_are_counted(void **state)
{
	enum { BEGINS = 100000 };
	struct native_trace trace;
	struct report_config config;
	struct report report;

	(void)state;
	native_trace_init(&trace, DIR_NAME, 1);
	for (unsigned i = 0; i < BEGINS; i++) {
		native_trace_mark(&trace, 0, i, KRON_WIRE_REGION_BEGIN, i % 3);
		native_trace_mark(&trace, 0, i, KRON_WIRE_LOCK_WAIT, i % 3);
		native_trace_mark(&trace, 0, i, KRON_WIRE_LOCK_GOT, 7);
	}
	native_trace_write(&trace, NULL);
	open_report(&report, &config);
	CHECK_EQUAL(report.analysis.unmatched_region_begins, BEGINS);
	CHECK_EQUAL(report.analysis.unmatched_waits, BEGINS);
	CHECK_EQUAL(report.analysis.events, 3 * BEGINS);
	report_close(&report);
	trace_reader_close(config.reader);
}

/* Depth is no problem where ends come: recursion a thousand deep is measured. */
static void deep_recursion_is_measured(void **state)
{
	enum { DEPTH = 4000 };
	struct native_trace trace;
	struct report_config config;
	struct report report;

	(void)state;
	native_trace_init(&trace, DIR_NAME, 1);
	for (unsigned i = 0; i < DEPTH; i++)
		native_trace_mark(&trace, 0, i, KRON_WIRE_REGION_BEGIN, 1);
	for (unsigned i = 0; i < DEPTH; i++)
		native_trace_mark(&trace, 0, DEPTH + i, KRON_WIRE_REGION_END, 1);
	native_trace_write(&trace, NULL);
	open_report(&report, &config);
	CHECK_EQUAL(report.analysis.region[0].time.count, DEPTH);
	CHECK_EQUAL(report.analysis.region[0].time.max, 2 * DEPTH - 1);
	CHECK_EQUAL(report.analysis.region[0].self, 2 * DEPTH - 1);
	CHECK_EQUAL(report.unmatched, 0);
	report_close(&report);
	trace_reader_close(config.reader);
}

static int read_and_report(struct fault *fault, void *ctx)
{
	struct report_config config = { .alloc = &fault->alloc, .trace = DIR_NAME };
	struct report report;
	int error, cause, regions;

	(void)ctx;
	error = trace_reader_open(&config.reader, &fault->io, &fault->alloc, DIR_NAME);
	if (error)
		return error;
	error = report_open(&report, &config);
	cause = errno;
	regions = error ? 0 : (int)report.analysis.regions;
	if (!error)
		report_close(&report);
	trace_reader_close(config.reader);
	errno = cause;
	return error ? error : regions;
}

static void every_call_may_fail(void **state)
{
	static struct oracle oracle;
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 5);
	for (unsigned s = 0; s < STREAMS; s++)
		make_stream(&rng, oracle.item[s]);
	write_trace(&oracle);
	CHECK(fault_walk(read_and_report, NULL) > 100);
}

TEST_MAIN(TEST_IN_DIR(random_traces_agree_with_the_oracle), TEST_IN_DIR(endless_begins_are_counted),
	  TEST_IN_DIR(deep_recursion_is_measured), TEST_IN_DIR(every_call_may_fail))
