/* SPDX-License-Identifier: Apache-2.0 */
/* Calls every function that libkronpthread stands before, in every state that gives another result, and
 * prints what came back. The output must be the same with the library and without it.
 *
 * Not called, because it would hang or is undefined: locking a normal mutex twice, unlocking one of
 * another thread. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define BAD_CLOCK CLOCK_PROCESS_CPUTIME_ID

static const char *part = "";

/* A word for each result, so that a difference can be read. */
static const char *word(int result)
{
	const char *name = strerrorname_np(result);

	return result == 0 ? "0" : result == -1 ? "-1" : name ? name : "?";
}

#define SHOW(call)                                                                                 \
	do {                                                                                       \
		errno = 0;                                                                         \
		int shown = (call);                                                                \
		printf("%s: %s = %s, errno %d\n", part, #call, word(shown), errno);                \
	} while (0)

#define SHOW_C11(call)                                                                             \
	do {                                                                                       \
		errno = 0;                                                                         \
		int shown = (call);                                                                \
		printf("%s: %s = %d, errno %d\n", part, #call, shown, errno);                      \
	} while (0)

/* A moment from now on a clock. */
static struct timespec after(clockid_t clock, long ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ms * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

#define SOON      (&(struct timespec[]){ after(CLOCK_REALTIME, 3) }[0])
#define MONO_SOON (&(struct timespec[]){ after(CLOCK_MONOTONIC, 3) }[0])
#define LATER     (&(struct timespec[]){ after(CLOCK_REALTIME, 20000) }[0])

static const struct timespec invalid = { .tv_sec = 1, .tv_nsec = 2000000000 };
static const struct timespec past = { .tv_sec = 1 };

static void nap(long ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

/* A thread says that it holds the lock, and does so a while longer. */
static atomic_bool holding;

static void hold(void)
{
	atomic_store(&holding, true);
	nap(3);
}

static void wait_held(void)
{
	while (!atomic_exchange(&holding, false))
		nap(1);
}

/* Run this in a thread of its own, to its end. */
static void in_thread(void *(*routine)(void *), void *argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, routine, argument) != 0 ||
	    pthread_join(thread, NULL) != 0)
		abort();
}

/* Mutexes: four types, three protocols, robust or not. */

struct kind {
	int type;
	int protocol;
	int robust;
};

static bool make_mutex(pthread_mutex_t *mutex, const struct kind *kind)
{
	pthread_mutexattr_t attributes;
	int result;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, kind->type);
	pthread_mutexattr_setprotocol(&attributes, kind->protocol);
	pthread_mutexattr_setrobust(&attributes, kind->robust);
	result = pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return result == 0;
}

/* Another thread's view of a mutex that is taken. */
static void *try_taken(void *argument)
{
	pthread_mutex_t *mutex = argument;

	SHOW(pthread_mutex_trylock(mutex));
	SHOW(pthread_mutex_timedlock(mutex, SOON));
	SHOW(pthread_mutex_timedlock(mutex, &past));
	SHOW(pthread_mutex_timedlock(mutex, &invalid));
	SHOW(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, MONO_SOON));
	SHOW(pthread_mutex_clocklock(mutex, BAD_CLOCK, SOON));
	return NULL;
}

static void *unlock_other(void *mutex)
{
	SHOW(pthread_mutex_unlock(mutex));
	return NULL;
}

static void mutex_alone(pthread_mutex_t *mutex, const struct kind *kind)
{
	bool checks =
		kind->type == PTHREAD_MUTEX_ERRORCHECK || kind->type == PTHREAD_MUTEX_RECURSIVE;

	SHOW(pthread_mutex_clocklock(mutex, BAD_CLOCK, SOON));
	SHOW(pthread_mutex_lock(mutex));
	SHOW(pthread_mutex_trylock(mutex));
	if (pthread_mutex_trylock(mutex) == EINVAL) /* no right to its priority */
		return;
	if (kind->type == PTHREAD_MUTEX_RECURSIVE) {
		SHOW(pthread_mutex_unlock(mutex));
		SHOW(pthread_mutex_unlock(mutex));
	}
	in_thread(try_taken, mutex);
	if (checks) {
		in_thread(unlock_other, mutex);
		SHOW(pthread_mutex_lock(mutex));
		SHOW(pthread_mutex_timedlock(mutex, &past));
		SHOW(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &past));
	}
	if (kind->type == PTHREAD_MUTEX_RECURSIVE) {
		SHOW(pthread_mutex_unlock(mutex));
		SHOW(pthread_mutex_unlock(mutex));
		SHOW(pthread_mutex_unlock(mutex));
	}
	SHOW(pthread_mutex_unlock(mutex));
	if (checks)
		SHOW(pthread_mutex_unlock(mutex));
	SHOW(pthread_mutex_timedlock(mutex, &invalid));
	SHOW(pthread_mutex_unlock(mutex));
	SHOW(pthread_mutex_clocklock(mutex, CLOCK_REALTIME, &past));
	SHOW(pthread_mutex_unlock(mutex));
	SHOW(pthread_mutex_clocklock(mutex, BAD_CLOCK, SOON));
}

static void *hold_shortly(void *mutex)
{
	pthread_mutex_lock(mutex);
	hold();
	pthread_mutex_unlock(mutex);
	return NULL;
}

static void mutex_contended(pthread_mutex_t *mutex)
{
	for (int i = 0; i < 3; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, hold_shortly, mutex);
		wait_held();
		if (i == 0)
			SHOW(pthread_mutex_lock(mutex));
		else if (i == 1)
			SHOW(pthread_mutex_timedlock(mutex, LATER));
		else
			SHOW(pthread_mutex_clocklock(mutex, CLOCK_REALTIME, LATER));
		SHOW(pthread_mutex_unlock(mutex));
		pthread_join(thread, NULL);
	}
}

static void *die_as_owner(void *mutex)
{
	if (pthread_mutex_lock(mutex) == EOWNERDEAD)
		pthread_mutex_consistent(mutex);
	hold();
	return NULL;
}

static void *lock_lost(void *mutex)
{
	SHOW(pthread_mutex_lock(mutex));
	return NULL;
}

/* Owners that die: before anybody waits, and while somebody does. */
static void mutex_robust(pthread_mutex_t *mutex)
{
	pthread_t thread;

	in_thread(die_as_owner, mutex);
	wait_held();
	SHOW(pthread_mutex_lock(mutex));
	SHOW(pthread_mutex_consistent(mutex));
	SHOW(pthread_mutex_unlock(mutex));
	in_thread(die_as_owner, mutex);
	wait_held();
	SHOW(pthread_mutex_trylock(mutex));
	SHOW(pthread_mutex_consistent(mutex));
	SHOW(pthread_mutex_unlock(mutex));
	in_thread(die_as_owner, mutex);
	wait_held();
	SHOW(pthread_mutex_timedlock(mutex, LATER));
	SHOW(pthread_mutex_consistent(mutex));
	SHOW(pthread_mutex_unlock(mutex));
	pthread_create(&thread, NULL, die_as_owner, mutex);
	wait_held();
	SHOW(pthread_mutex_lock(mutex));
	pthread_join(thread, NULL);
	SHOW(pthread_mutex_unlock(mutex)); /* not made consistent: lost for good */
	SHOW(pthread_mutex_lock(mutex));
	in_thread(lock_lost, mutex);
	SHOW(pthread_mutex_timedlock(mutex, LATER));
	SHOW(pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &past));
	in_thread(lock_lost, mutex);
	SHOW(pthread_mutex_trylock(mutex)); /* the last: glibc 2.36 leaves it locked */
}

static void mutexes(void)
{
	static const int types[] = { PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
				     PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP };
	static const int protocols[] = { PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT,
					 PTHREAD_PRIO_PROTECT };
	static char name[64];

	part = name;
	for (unsigned i = 0; i < 4 * 3 * 2; i++) {
		struct kind kind = { types[i % 4], protocols[i / 4 % 3],
				     i / 12 ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED };
		pthread_mutex_t mutex;
		bool protect = kind.protocol == PTHREAD_PRIO_PROTECT;

		snprintf(name, sizeof(name), "mutex type %d protocol %d robust %d", kind.type,
			 kind.protocol, kind.robust);
		if (!make_mutex(&mutex, &kind))
			continue;
		mutex_alone(&mutex, &kind);
		if (!protect)
			mutex_contended(&mutex);
		if (!protect && kind.robust == PTHREAD_MUTEX_ROBUST)
			mutex_robust(&mutex);
	}
}

/* Locks for readers and writers. */

static void *try_rwlock(void *argument)
{
	pthread_rwlock_t *lock = argument;

	SHOW(pthread_rwlock_tryrdlock(lock));
	SHOW(pthread_rwlock_trywrlock(lock));
	SHOW(pthread_rwlock_timedrdlock(lock, SOON));
	SHOW(pthread_rwlock_timedwrlock(lock, SOON));
	SHOW(pthread_rwlock_timedrdlock(lock, &past));
	SHOW(pthread_rwlock_timedwrlock(lock, &invalid));
	SHOW(pthread_rwlock_clockrdlock(lock, CLOCK_MONOTONIC, MONO_SOON));
	SHOW(pthread_rwlock_clockwrlock(lock, CLOCK_MONOTONIC, MONO_SOON));
	SHOW(pthread_rwlock_clockwrlock(lock, BAD_CLOCK, SOON));
	return NULL;
}

static void *write_shortly(void *lock)
{
	pthread_rwlock_wrlock(lock);
	hold();
	pthread_rwlock_unlock(lock);
	return NULL;
}

static void rwlock_contended(pthread_rwlock_t *lock)
{
	for (int i = 0; i < 4; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, write_shortly, lock);
		wait_held();
		if (i == 0)
			SHOW(pthread_rwlock_rdlock(lock));
		else if (i == 1)
			SHOW(pthread_rwlock_wrlock(lock));
		else if (i == 2)
			SHOW(pthread_rwlock_timedrdlock(lock, LATER));
		else
			SHOW(pthread_rwlock_timedwrlock(lock, LATER));
		SHOW(pthread_rwlock_unlock(lock));
		pthread_join(thread, NULL);
	}
}

static void rwlocks(void)
{
	static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

	part = "rwlock";
	SHOW(pthread_rwlock_wrlock(&lock));
	SHOW(pthread_rwlock_wrlock(&lock));
	SHOW(pthread_rwlock_rdlock(&lock));
	SHOW(pthread_rwlock_trywrlock(&lock));
	SHOW(pthread_rwlock_timedwrlock(&lock, SOON));
	in_thread(try_rwlock, &lock);
	SHOW(pthread_rwlock_unlock(&lock));
	SHOW(pthread_rwlock_rdlock(&lock));
	SHOW(pthread_rwlock_tryrdlock(&lock));
	SHOW(pthread_rwlock_trywrlock(&lock));
	SHOW(pthread_rwlock_unlock(&lock));
	SHOW(pthread_rwlock_unlock(&lock));
	SHOW(pthread_rwlock_timedrdlock(&lock, &invalid));
	SHOW(pthread_rwlock_timedwrlock(&lock, &invalid));
	SHOW(pthread_rwlock_clockrdlock(&lock, BAD_CLOCK, SOON));
	SHOW(pthread_rwlock_clockwrlock(&lock, BAD_CLOCK, SOON));
	SHOW(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &invalid));
	SHOW(pthread_rwlock_timedrdlock(&lock, &past));
	SHOW(pthread_rwlock_unlock(&lock));
	rwlock_contended(&lock);
}

static void spins(void)
{
	static pthread_spinlock_t lock;

	part = "spin";
	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	SHOW(pthread_spin_lock(&lock));
	SHOW(pthread_spin_trylock(&lock));
	SHOW(pthread_spin_unlock(&lock));
	SHOW(pthread_spin_trylock(&lock));
	SHOW(pthread_spin_unlock(&lock));
}

/* Semaphores. */

static void on_signal(int number)
{
	(void)number;
}

static atomic_bool interrupted;

static void *interrupt(void *argument)
{
	pthread_t *other = argument;

	while (!atomic_load(&interrupted)) {
		nap(3);
		pthread_kill(*other, SIGUSR1);
	}
	return NULL;
}

static void *post_soon(void *sem)
{
	nap(3);
	sem_post(sem);
	return NULL;
}

static void sem_contended(sem_t *sem)
{
	for (int i = 0; i < 3; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, post_soon, sem);
		if (i == 0)
			SHOW(sem_wait(sem));
		else if (i == 1)
			SHOW(sem_timedwait(sem, LATER));
		else
			SHOW(sem_clockwait(sem, CLOCK_REALTIME, LATER));
		pthread_join(thread, NULL);
	}
}

static void semaphores(void)
{
	static sem_t sem;
	pthread_t thread, self = pthread_self();

	part = "sem";
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = on_signal }, NULL);
	sem_init(&sem, 0, 1);
	SHOW(sem_wait(&sem));
	SHOW(sem_trywait(&sem));
	SHOW(sem_timedwait(&sem, SOON));
	SHOW(sem_timedwait(&sem, &past));
	SHOW(sem_timedwait(&sem, &invalid));
	SHOW(sem_clockwait(&sem, CLOCK_MONOTONIC, MONO_SOON));
	SHOW(sem_clockwait(&sem, BAD_CLOCK, SOON));
	SHOW(sem_post(&sem));
	SHOW(sem_timedwait(&sem, &invalid));
	SHOW(sem_clockwait(&sem, BAD_CLOCK, SOON));
	SHOW(sem_timedwait(&sem, &past));
	sem_contended(&sem);
	pthread_create(&thread, NULL, interrupt, &self);
	SHOW(sem_wait(&sem));
	atomic_store(&interrupted, true);
	pthread_join(thread, NULL);
}

/* Conditions and barriers. */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open_gates;

static void *open_soon(void *unused)
{
	nap(3);
	pthread_mutex_lock(&gate);
	open_gates++;
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&gate);
	return unused;
}

static void wait_open(int how)
{
	pthread_t thread;
	int wanted;

	pthread_create(&thread, NULL, open_soon, NULL);
	pthread_mutex_lock(&gate);
	for (wanted = how + 1; open_gates < wanted;) {
		int result =
			how == 0   ? pthread_cond_wait(&opened, &gate)
			: how == 1 ? pthread_cond_timedwait(&opened, &gate, LATER)
				   : pthread_cond_clockwait(&opened, &gate, CLOCK_REALTIME, LATER);

		if (result)
			printf("%s: wait %d: %s\n", part, how, word(result));
	}
	SHOW(pthread_mutex_trylock(&gate)); /* it is ours again */
	SHOW(pthread_mutex_unlock(&gate));
	pthread_join(thread, NULL);
}

static void conditions(void)
{
	static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

	part = "cond";
	for (int how = 0; how < 3; how++)
		wait_open(how);
	pthread_mutex_lock(&checked);
	SHOW(pthread_cond_timedwait(&opened, &checked, SOON));
	SHOW(pthread_cond_timedwait(&opened, &checked, &past));
	SHOW(pthread_cond_timedwait(&opened, &checked, &invalid));
	SHOW(pthread_cond_clockwait(&opened, &checked, CLOCK_MONOTONIC, MONO_SOON));
	SHOW(pthread_cond_clockwait(&opened, &checked, BAD_CLOCK, SOON));
	SHOW(pthread_mutex_unlock(&checked));
	SHOW(pthread_cond_wait(&opened, &checked));
	SHOW(pthread_cond_timedwait(&opened, &checked, SOON));
	SHOW(pthread_mutex_unlock(&checked));
}

static void *meet(void *barrier)
{
	return (void *)(intptr_t)pthread_barrier_wait(barrier);
}

static void barriers(void)
{
	static pthread_barrier_t barrier;
	pthread_t thread[3];
	int serial = 0;

	part = "barrier";
	pthread_barrier_init(&barrier, NULL, 3);
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 3; i++)
			pthread_create(&thread[i], NULL, meet, &barrier);
		for (int i = 0; i < 3; i++) {
			void *value;

			pthread_join(thread[i], &value);
			serial += (intptr_t)value == PTHREAD_BARRIER_SERIAL_THREAD;
		}
	}
	SHOW(pthread_barrier_destroy(&barrier));
	printf("%s: %d serial threads\n", part, serial);
}

/* Ends of threads. */

static atomic_bool may_exit;

static void *wait_and_exit(void *value)
{
	while (!atomic_load(&may_exit))
		nap(1);
	pthread_exit(value);
}

static void unlock_seen(void *mutex)
{
	printf("%s: in the handler: trylock %s, ", part, word(pthread_mutex_trylock(mutex)));
	printf("unlock %s\n", word(pthread_mutex_unlock(mutex)));
}

static void *block_in_cond(void *mutex)
{
	pthread_mutex_lock(mutex);
	pthread_cleanup_push(unlock_seen, mutex);
	for (;;)
		pthread_cond_wait(&opened, mutex);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *block_in_sem(void *sem)
{
	sem_wait(sem);
	return NULL;
}

static void *block_in_join(void *thread)
{
	pthread_join(*(pthread_t *)thread, NULL);
	return NULL;
}

/* Cancelled before it comes to a semaphore that is free. */
static void *pending_at_sem(void *sem)
{
	pthread_cancel(pthread_self());
	sem_wait(sem);
	return NULL;
}

static void cancel(const char *what, void *(*routine)(void *), void *argument)
{
	pthread_t thread;
	void *value;

	pthread_create(&thread, NULL, routine, argument);
	nap(3);
	pthread_cancel(thread);
	pthread_join(thread, &value);
	printf("%s: %s: %s\n", part, what,
	       value == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
}

static void cancellations(void)
{
	static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	static sem_t closed, open;
	pthread_t sleeper;
	int value;

	part = "cancel";
	sem_init(&closed, 0, 0);
	sem_init(&open, 0, 1);
	atomic_store(&may_exit, false);
	pthread_create(&sleeper, NULL, wait_and_exit, NULL);
	cancel("join", block_in_join, &sleeper);
	cancel("cond", block_in_cond, &checked);
	cancel("sem", block_in_sem, &closed);
	cancel("pending", pending_at_sem, &open);
	sem_getvalue(&open, &value);
	printf("%s: semaphore is %d\n", part, value);
	SHOW(pthread_mutex_lock(&checked));
	SHOW(pthread_mutex_unlock(&checked));
	atomic_store(&may_exit, true);
	SHOW(pthread_join(sleeper, NULL));
}

static void joins(void)
{
	static int object;
	pthread_t thread;
	void *value = NULL;

	part = "join";
	pthread_create(&thread, NULL, wait_and_exit, &object);
	SHOW(pthread_tryjoin_np(thread, &value));
	SHOW(pthread_timedjoin_np(thread, &value, SOON));
	SHOW(pthread_clockjoin_np(thread, &value, CLOCK_MONOTONIC, MONO_SOON));
	SHOW(pthread_clockjoin_np(thread, &value, BAD_CLOCK, SOON));
	atomic_store(&may_exit, true);
	SHOW(pthread_join(thread, &value));
	printf("%s: value %s\n", part, value == &object ? "came through" : "is wrong");
	pthread_create(&thread, NULL, wait_and_exit, &object);
	SHOW(pthread_timedjoin_np(thread, &value, LATER));
	pthread_create(&thread, NULL, wait_and_exit, &object);
	while (pthread_tryjoin_np(thread, &value) == EBUSY)
		nap(1);
	SHOW(pthread_join(pthread_self(), NULL));
	atomic_store(&may_exit, false);
	pthread_create(&thread, NULL, wait_and_exit, &object);
	SHOW(pthread_detach(thread));
	SHOW(pthread_join(thread, NULL));
}

/* A stack that cannot be had. */
static void no_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	part = "create";
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
	for (int i = 0; i < 100; i++) { /* more than can be on their way at a time */
		int result = pthread_create(&thread, &attributes, wait_and_exit, NULL);

		if (result != EAGAIN)
			printf("%s: %s\n", part, word(result));
	}
	pthread_attr_destroy(&attributes);
}

/* C11. */

static mtx_t c11_mutex;
static cnd_t c11_cond;
static int c11_ready;

static int c11_other(void *unused)
{
	(void)unused;
	SHOW_C11(mtx_trylock(&c11_mutex));
	SHOW_C11(mtx_timedlock(&c11_mutex, SOON));
	return 0;
}

static int c11_returns(void *unused)
{
	(void)unused;
	return 7;
}

static int c11_exits(void *unused)
{
	(void)unused;
	mtx_lock(&c11_mutex);
	c11_ready = 1;
	cnd_broadcast(&c11_cond);
	mtx_unlock(&c11_mutex);
	thrd_exit(9);
}

static int c11_holds(void *unused)
{
	(void)unused;
	mtx_lock(&c11_mutex);
	hold();
	mtx_unlock(&c11_mutex);
	return 0;
}

static void c11_mutexes(void)
{
	thrd_t thread;
	int value = 0;

	SHOW_C11(mtx_init(&c11_mutex, mtx_timed));
	SHOW_C11(mtx_lock(&c11_mutex));
	value = thrd_create(&thread, c11_other, NULL); /* shown when the other is silent */
	thrd_join(thread, NULL);
	printf("%s: created %d\n", part, value);
	thrd_create(&thread, c11_returns, NULL);
	SHOW_C11(thrd_join(thread, &value));
	printf("%s: returned %d\n", part, value);
	SHOW_C11(mtx_unlock(&c11_mutex));
	SHOW_C11(mtx_trylock(&c11_mutex));
	SHOW_C11(mtx_unlock(&c11_mutex));
	for (int i = 0; i < 2; i++) {
		thrd_create(&thread, c11_holds, NULL);
		wait_held();
		if (i == 0)
			SHOW_C11(mtx_lock(&c11_mutex));
		else
			SHOW_C11(mtx_timedlock(&c11_mutex, LATER));
		SHOW_C11(mtx_unlock(&c11_mutex));
		thrd_join(thread, NULL);
	}
}

static void c11(void)
{
	thrd_t thread;
	int value = 0;

	part = "c11";
	c11_mutexes();
	SHOW_C11(cnd_init(&c11_cond));
	mtx_lock(&c11_mutex);
	SHOW_C11(cnd_timedwait(&c11_cond, &c11_mutex, SOON));
	thrd_create(&thread, c11_exits, NULL);
	while (!c11_ready)
		cnd_wait(&c11_cond, &c11_mutex);
	SHOW_C11(mtx_unlock(&c11_mutex));
	SHOW_C11(thrd_join(thread, &value));
	printf("%s: exited with %d\n", part, value);
	mtx_destroy(&c11_mutex);
	mtx_init(&c11_mutex, mtx_plain | mtx_recursive);
	SHOW_C11(mtx_lock(&c11_mutex));
	SHOW_C11(mtx_lock(&c11_mutex));
	SHOW_C11(mtx_unlock(&c11_mutex));
	SHOW_C11(mtx_unlock(&c11_mutex));
}

/* The child of a program with threads. */
static void forks(void)
{
	pid_t child;
	int status = -1;

	part = "fork";
	fflush(stdout);
	pthread_mutex_lock(&gate);
	child = fork();
	if (child == 0) {
		pthread_mutex_unlock(&gate);
		barriers();
		fflush(stdout);
		_exit(5);
	}
	pthread_mutex_unlock(&gate);
	waitpid(child, &status, 0);
	part = "fork";
	printf("%s: exit code %d\n", part, WEXITSTATUS(status));
}

int main(void)
{
	mutexes();
	rwlocks();
	spins();
	semaphores();
	conditions();
	barriers();
	joins();
	cancellations();
	no_thread();
	c11();
	forks();
	return 0;
}
