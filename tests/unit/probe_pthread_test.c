/* SPDX-License-Identifier: Apache-2.0 */
/* libkronpthread: programs do the same with it as without it, and the marks tell what they did. */
#include "support/mini_recorder.h"
#include "unit/test.h"
#include <kron/kron.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREAD_MARKS (UINT32_C(1) << KRON_GROUP_THREAD)
#define ALL_GROUPS   UINT32_C(0xffff)
#define RINGS        1024 /* none is emptied, so each thread that ever lives has its own */
#define RING_BYTES   (UINT64_C(1) << 15)

#define NO_HANDLERS UINT64_MAX /* instead of the object that signal handlers use */

#define PROGRAM(name) KRON_PROGRAMS "/" name

struct mark {
	uint64_t time;
	uint64_t value;
	uint32_t tid;
	unsigned kind;
	uint32_t ring;
	bool nested; /* of a signal handler that interrupted another mark */
};

/* All marks of a run, ring by ring. */
static struct {
	struct mark *mark;
	size_t count, room;
	size_t others; /* events that are no marks */
} marks;

static char plain[1 << 17], traced[1 << 17];

static void collect_mark(const struct kron_wire_ring *ring, uint32_t index,
			 const struct mini_event *event)
{
	if (marks.count == marks.room) {
		marks.room = marks.room ? 2 * marks.room : 1024;
		marks.mark = realloc(marks.mark, marks.room * sizeof(*marks.mark));
		assert_non_null(marks.mark);
	}
	marks.mark[marks.count++] = (struct mark){
		.time = event->word & KRON_WIRE_TIME_MASK,
		.value = event->data & KRON_WIRE_VALUE_MASK,
		.tid = ring->tid,
		.kind = (unsigned)(event->data >> KRON_WIRE_KIND_SHIFT),
		.ring = index,
		.nested = ring->nested,
	};
}

/* The marks of all rings; nothing may be lost. */
static void collect(const struct mini_recorder *recorder)
{
	marks.count = marks.others = 0;
	for (uint32_t i = 0; i < recorder->wire->rings_used; i++) {
		const struct kron_wire_ring *ring = mini_recorder_ring(recorder, i);
		uint64_t offset = 0, triggered = 0, found = 0;
		struct mini_event event;

		for (; mini_recorder_next(recorder, ring, &offset, &event); found++) {
			if (event.word & KRON_WIRE_MARK)
				collect_mark(ring, i, &event);
			else
				marks.others++;
		}
		for (unsigned group = 0; group < KRON_WIRE_GROUPS; group++)
			triggered += ring->triggered[group];
		CHECK_EQUAL(ring->lost_full + ring->lost_nested, 0);
		CHECK_EQUAL(triggered, found);
	}
	for (uint32_t i = 0; i < KRON_WIRE_PROCESSES; i++)
		CHECK_EQUAL(mini_recorder_process(recorder, i)->lost_no_ring[KRON_GROUP_THREAD], 0);
	CHECK_EQUAL(recorder->wire->refused, 0);
}

/* Run a program with the library and a recorder, and collect the marks. */
static void record(const char *const argv[], uint32_t filter)
{
	struct mini_recorder recorder;

	CHECK(mini_recorder_open(&recorder, RINGS, RING_BYTES, filter, KRON_WIRE_DISCARD));
	CHECK_EQUAL(mini_recorder_run(&recorder, KRON_PRELOAD, argv, traced, sizeof(traced)), 0);
	collect(&recorder);
	mini_recorder_close(&recorder);
}

/* A program prints the same as without the library: not recorded, recorded, and with the group off. */
static void same_output(const char *program)
{
	const char *const argv[] = { program, NULL };

	CHECK_EQUAL(mini_recorder_run(NULL, NULL, argv, plain, sizeof(plain)), 0);
	CHECK(plain[0]);
	CHECK_EQUAL(mini_recorder_run(NULL, KRON_PRELOAD, argv, traced, sizeof(traced)), 0);
	assert_string_equal(traced, plain);
	record(argv, ALL_GROUPS & ~THREAD_MARKS);
	assert_string_equal(traced, plain);
	CHECK_EQUAL(marks.count, 0);
	record(argv, THREAD_MARKS);
	assert_string_equal(traced, plain);
	CHECK(marks.count > 0);
}

/* The end that belongs to a beginning; 0 if the mark is no beginning. */
static unsigned end_of(unsigned kind)
{
	switch (kind) {
	case KRON_WIRE_LOCK_WAIT:
		return KRON_WIRE_LOCK_GOT;
	case KRON_WIRE_BARRIER_WAIT:
		return KRON_WIRE_BARRIER_GO;
	case KRON_WIRE_COND_WAIT:
		return KRON_WIRE_COND_GO;
	case KRON_WIRE_JOIN_WAIT:
		return KRON_WIRE_JOIN_GO;
	default:
		return 0;
	}
}

/* The next mark of the same thread, leaving out one object that a signal handler uses. */
static const struct mark *next_of_thread(const struct mark *mark, uint64_t handlers)
{
	const struct mark *end = marks.mark + marks.count;

	for (const struct mark *next = mark + 1; next < end && next->ring == mark->ring; next++)
		if (next->value != handlers)
			return next;
	return NULL;
}

/* A thread that waits does nothing else, so the end of a wait is its next mark. */
static void check_waits(uint64_t handlers)
{
	for (const struct mark *mark = marks.mark; mark < marks.mark + marks.count; mark++) {
		unsigned end = end_of(mark->kind);

		if (!end)
			continue;
		const struct mark *next = next_of_thread(mark, handlers);
		assert_non_null(next);
		CHECK_EQUAL(next->kind, end);
		CHECK_EQUAL(next->value, mark->value);
		CHECK(next->time >= mark->time);
	}
}

static size_t count_marks(unsigned kind, uint64_t value)
{
	size_t count = 0;

	for (size_t i = 0; i < marks.count; i++)
		count += marks.mark[i].kind == kind && (!value || marks.mark[i].value == value);
	return count;
}

/* Nothing is before it in the same thread, leaving out the same. */
static bool first_of_thread(const struct mark *mark, uint64_t handlers)
{
	for (const struct mark *last = mark; last-- > marks.mark && last->ring == mark->ring;)
		if (last->value != handlers)
			return false;
	return true;
}

/* A thread starts before all it does, and ends once, as what it started as. */
static void check_threads(uint64_t handlers)
{
	for (size_t i = 0; i < marks.count; i++) {
		const struct mark *mark = &marks.mark[i];
		size_t ends = 0;

		if (mark->kind != KRON_WIRE_THREAD_START)
			continue;
		CHECK(first_of_thread(mark, handlers));
		for (size_t j = i; j < marks.count && marks.mark[j].ring == mark->ring; j++) {
			if (marks.mark[j].kind != KRON_WIRE_THREAD_EXIT)
				continue;
			CHECK_EQUAL(marks.mark[j].value, mark->value);
			ends++;
		}
		CHECK_EQUAL(ends, 1);
	}
	CHECK_EQUAL(count_marks(KRON_WIRE_THREAD_EXIT, 0), count_marks(KRON_WIRE_THREAD_START, 0));
}

static int by_time(const void *a, const void *b)
{
	const struct mark *left = a, *right = b;

	return (left->time > right->time) - (left->time < right->time);
}

/* Taken and freed in turn, by one thread at a time, in the order of the time stamps. */
static void check_exclusion(uint64_t lock, size_t times)
{
	struct mark *sorted = malloc((marks.count + 1) * sizeof(*sorted));
	size_t count = 0;

	assert_non_null(sorted);
	for (size_t i = 0; i < marks.count; i++)
		if (marks.mark[i].value == lock && (marks.mark[i].kind == KRON_WIRE_LOCK_GOT ||
						    marks.mark[i].kind == KRON_WIRE_LOCK_FREE))
			sorted[count++] = marks.mark[i];
	qsort(sorted, count, sizeof(*sorted), by_time);
	CHECK_EQUAL(count, 2 * times);
	for (size_t i = 0; i < count; i += 2) {
		CHECK_EQUAL(sorted[i].kind, KRON_WIRE_LOCK_GOT);
		CHECK_EQUAL(sorted[i + 1].kind, KRON_WIRE_LOCK_FREE);
		CHECK_EQUAL(sorted[i].tid, sorted[i + 1].tid);
	}
	free(sorted);
}

/* The address that the program printed behind a name. */
static uint64_t address(const char *name)
{
	const char *line = traced;
	size_t length = strlen(name);

	while (strncmp(line, name, length) != 0 || line[length] != ' ') {
		line = strchr(line, '\n');
		assert_non_null(line);
		line++;
	}
	return strtoull(line + length, NULL, 16);
}

/* Who was joined: a thread that started, or one that had ended before. */
static void check_joins(size_t joins)
{
	CHECK_EQUAL(count_marks(KRON_WIRE_JOIN_WAIT, 0), joins);
	for (size_t i = 0; i < marks.count; i++) {
		const struct mark *mark = &marks.mark[i];
		bool known = mark->value == 0;

		if (mark->kind != KRON_WIRE_JOIN_WAIT)
			continue;
		for (size_t j = 0; j < marks.count && !known; j++)
			known = marks.mark[j].kind == KRON_WIRE_THREAD_START &&
				marks.mark[j].tid == mark->value;
		CHECK(known);
	}
}

/* While a thread waits for a condition the mutex is free. */
static void check_conditions(uint64_t cond, uint64_t mutex, uint64_t handlers)
{
	for (size_t i = 0; i < marks.count; i++) {
		const struct mark *mark = &marks.mark[i];

		if (mark->kind != KRON_WIRE_COND_GO)
			continue;
		CHECK_EQUAL(mark->value, cond);
		mark = next_of_thread(mark, handlers);
		assert_non_null(mark);
		CHECK_EQUAL(mark->kind, KRON_WIRE_LOCK_GOT);
		CHECK_EQUAL(mark->value, mutex);
	}
}

static void stress(unsigned threads, unsigned rounds)
{
	char thread_count[16], round_count[16];
	const char *const argv[] = { PROGRAM("pthread_stress"), thread_count, round_count, NULL };
	size_t times = (size_t)threads * rounds;

	snprintf(thread_count, sizeof(thread_count), "%u", threads);
	snprintf(round_count, sizeof(round_count), "%u", rounds);
	record(argv, THREAD_MARKS);
	CHECK_EQUAL(address("sums"), 1);
	check_waits(address("sem"));
	check_threads(address("sem"));
	check_joins(2 * (size_t)threads);
	check_exclusion(address("mutex"), times + 1);
	check_exclusion(address("spin"), times);
	check_exclusion(address("turn"), threads + count_marks(KRON_WIRE_COND_GO, 0));
	check_conditions(address("cond"), address("turn"), address("sem"));
	CHECK_EQUAL(count_marks(KRON_WIRE_LOCK_GOT, address("rwlock")), 2 * times);
	CHECK_EQUAL(count_marks(KRON_WIRE_LOCK_FREE, address("rwlock")), 2 * times);
	CHECK_EQUAL(count_marks(KRON_WIRE_BARRIER_WAIT, address("barrier")), 2 * threads);
	CHECK_EQUAL(count_marks(KRON_WIRE_THREAD_CREATE, 0), 2 * threads);
	CHECK_EQUAL(count_marks(KRON_WIRE_THREAD_START, address("work")), threads);
	CHECK_EQUAL(count_marks(KRON_WIRE_THREAD_START, 0), 2 * threads);
}

static void every_function_returns_the_same(void **state)
{
	(void)state;
	same_output(PROGRAM("pthread_results"));
	check_waits(NO_HANDLERS);
	check_threads(NO_HANDLERS);
}

static void few_threads_leave_marks_in_order(void **state)
{
	(void)state;
	stress(4, 100);
	CHECK(count_marks(KRON_WIRE_LOCK_WAIT, 0) > 0);
}

static void two_hundred_threads_leave_marks_in_order(void **state)
{
	(void)state;
	stress(200, 20);
}

static void a_malloc_that_locks_is_no_trouble(void **state)
{
	(void)state;
	same_output(PROGRAM("own_malloc"));
	check_waits(NO_HANDLERS);
	check_threads(NO_HANDLERS);
	CHECK_EQUAL(count_marks(KRON_WIRE_LOCK_GOT, 0), count_marks(KRON_WIRE_LOCK_FREE, 0));
	CHECK(count_marks(KRON_WIRE_LOCK_GOT, 0) >= 1600);
}

/* std::mutex and its kin, std::condition_variable, std::thread. */
static void cplusplus_is_seen(void **state)
{
	(void)state;
	if (access(PROGRAM("cplusplus"), X_OK) != 0)
		skip(); /* no C++ compiler */
	same_output(PROGRAM("cplusplus"));
	check_waits(NO_HANDLERS);
	check_threads(NO_HANDLERS);
	CHECK_EQUAL(count_marks(KRON_WIRE_LOCK_GOT, 0), count_marks(KRON_WIRE_LOCK_FREE, 0));
	CHECK_EQUAL(count_marks(KRON_WIRE_THREAD_CREATE, 0), 11);
	CHECK_EQUAL(count_marks(KRON_WIRE_THREAD_START, 0), 11);
	CHECK(count_marks(KRON_WIRE_COND_WAIT, 0) >= 2);
}

/* Programs that use libkron themselves, shared or with a copy of their own. */
static void programs_with_libkron_are_seen(void **state)
{
	static const char *const programs[] = { PROGRAM("kron_user"), PROGRAM("kron_user_static") };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *const argv[] = { programs[i], NULL };

		record(argv, THREAD_MARKS | 1u << 3);
		CHECK_EQUAL(marks.others, 200);
		CHECK_EQUAL(count_marks(KRON_WIRE_LOCK_GOT, 0), 200);
		CHECK_EQUAL(count_marks(KRON_WIRE_LOCK_FREE, 0), 200);
		check_waits(NO_HANDLERS);
		check_threads(NO_HANDLERS);
	}
}

TEST_MAIN(TEST(every_function_returns_the_same), TEST(few_threads_leave_marks_in_order),
	  TEST(two_hundred_threads_leave_marks_in_order), TEST(a_malloc_that_locks_is_no_trouble),
	  TEST(cplusplus_is_seen), TEST(programs_with_libkron_are_seen))
