/* SPDX-License-Identifier: Apache-2.0 */
/* Beginning, end and joining of threads. A thread that is created while the group is recorded starts in
 * a function of ours, which marks its beginning and, however it comes, its end. What comes after that,
 * the destructors of thread-local data, is marked behind the THREAD_EXIT. */
#include "probe/preload/pthread_real.h"
#include <sys/mman.h>

/* What a thread was created to do. */
struct start {
	union {
		void *(*of_pthread)(void *);
		thrd_start_t of_c11;
	} routine;
	void *argument;
	enum { PLACE_FREE, PLACE_TAKEN, PLACE_MAPPED } place;
};

/* From the creator to the thread, which empties the place at once. So few are on their way at a time
 * that the table is hardly ever full; then a page is mapped for one. */
#define PLACES 64
static struct start places[PLACES];

static struct start *place_find(void)
{
	int saved_errno = errno;
	struct start *start;

	for (unsigned i = 0; i < PLACES; i++) {
		start = &places[i];
		if (__atomic_load_n(&start->place, __ATOMIC_RELAXED) == PLACE_FREE &&
		    /* Pairs with the release in start_take(): the last user has read it. */
		    __atomic_exchange_n(&start->place, PLACE_TAKEN, __ATOMIC_ACQUIRE) == PLACE_FREE)
			return start;
	}
	start = mmap(NULL, sizeof(*start), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	errno = saved_errno;
	if (start == MAP_FAILED)
		return NULL;
	start->place = PLACE_MAPPED;
	return start;
}

static struct start start_take(struct start *from)
{
	struct start start = *from;

	if (start.place == PLACE_MAPPED)
		munmap(from, sizeof(*from));
	else
		__atomic_store_n(&from->place, PLACE_FREE, __ATOMIC_RELEASE);
	return start;
}

static void mark_exit(const uint64_t *routine)
{
	mark_value(KRON_WIRE_THREAD_EXIT, *routine);
}

static void *run_pthread(void *from)
{
	struct start start = start_take(from);
	AT_END(mark_exit) uint64_t routine = (uintptr_t)start.routine.of_pthread;

	mark_value(KRON_WIRE_THREAD_START, routine);
	return start.routine.of_pthread(start.argument);
}

static int run_c11(void *from)
{
	struct start start = start_take(from);
	AT_END(mark_exit) uint64_t routine = (uintptr_t)start.routine.of_c11;

	mark_value(KRON_WIRE_THREAD_START, routine);
	return start.routine.of_c11(start.argument);
}

/* THREAD_CREATE comes before the THREAD_START of the other thread, so also where there will be none
 * because the system refuses one more thread. */
EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
			  void *(*routine)(void *), void *restrict argument)
{
	struct start *start = recorded() ? place_find() : NULL;
	int result;

	if (!start)
		return real()->pthread_create(thread, attributes, routine, argument);
	start->routine.of_pthread = routine;
	start->argument = argument;
	mark_value(KRON_WIRE_THREAD_CREATE, (uintptr_t)routine);
	result = real()->pthread_create(thread, attributes, run_pthread, start);
	if (result != 0)
		start_take(start);
	return result;
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	struct start *start = recorded() ? place_find() : NULL;
	int result;

	if (!start)
		return real()->thrd_create(thread, routine, argument);
	start->routine.of_c11 = routine;
	start->argument = argument;
	mark_value(KRON_WIRE_THREAD_CREATE, (uintptr_t)routine);
	result = real()->thrd_create(thread, run_c11, start);
	if (result != thrd_success)
		start_take(start);
	return result;
}

/* The kernel's number of a thread; 0 if it has ended. The kernel writes it into the clock of the
 * thread's processor time: all bits inverted, above three others. */
static uint64_t tid_of(pthread_t thread)
{
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) != 0)
		return 0;
	return ~(uint32_t)(clock >> 3);
}

static uint64_t join_begin(pthread_t thread)
{
	uint64_t tid = tid_of(thread);

	mark_value(KRON_WIRE_JOIN_WAIT, tid);
	return tid;
}

static void join_end(const uint64_t *tid)
{
	mark_value(KRON_WIRE_JOIN_GO, *tid);
}

#define JOINING(thread) AT_END(join_end) uint64_t tid = join_begin(thread)

EXPORT int pthread_join(pthread_t thread, void **value)
{
	if (!recorded())
		return real()->pthread_join(thread, value);
	JOINING(thread);
	return real()->pthread_join(thread, value);
}

EXPORT int pthread_tryjoin_np(pthread_t thread, void **value)
{
	uint64_t tid = recorded() ? tid_of(thread) : 0;
	int result = real()->pthread_tryjoin_np(thread, value);

	if (result == 0) {
		mark_value(KRON_WIRE_JOIN_WAIT, tid);
		mark_value(KRON_WIRE_JOIN_GO, tid);
	}
	return result;
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *deadline)
{
	if (!recorded())
		return real()->pthread_timedjoin_np(thread, value, deadline);
	JOINING(thread);
	return real()->pthread_timedjoin_np(thread, value, deadline);
}

EXPORT int pthread_clockjoin_np(pthread_t thread, void **value, clockid_t clock,
				const struct timespec *deadline)
{
	if (!recorded())
		return real()->pthread_clockjoin_np(thread, value, clock, deadline);
	JOINING(thread);
	return real()->pthread_clockjoin_np(thread, value, clock, deadline);
}

EXPORT int thrd_join(thrd_t thread, int *result)
{
	if (!recorded())
		return real()->thrd_join(thread, result);
	JOINING(thread);
	return real()->thrd_join(thread, result);
}
