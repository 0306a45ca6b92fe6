/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads on few locks, and a sum that is wrong if a lock fails. Prints the addresses of the
 * objects, as `name address`, and what it counted.
 *
 * Usage: pthread_stress THREADS ROUNDS */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define POSTS 500 /* by the handler, at most, on a slow machine */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_cond_t turn_came = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t turn_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static sem_t from_handler;
static atomic_long posted;
static atomic_uint arrived;

static unsigned threads, rounds;
static unsigned turn;
static uint64_t by_mutex, by_spin, by_rwlock;

/* Posting is allowed in a handler; it may come in the middle of a mark. */
static void on_alarm(int number)
{
	int saved_errno = errno;

	(void)number;
	if (atomic_load(&posted) < POSTS) {
		sem_post(&from_handler);
		atomic_fetch_add(&posted, 1);
	}
	errno = saved_errno;
}

static void count(void)
{
	pthread_mutex_lock(&mutex);
	by_mutex++;
	pthread_mutex_unlock(&mutex);
	pthread_spin_lock(&spin);
	by_spin++;
	pthread_spin_unlock(&spin);
	pthread_rwlock_rdlock(&rwlock);
	uint64_t seen = by_rwlock;
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_wrlock(&rwlock);
	by_rwlock += by_rwlock >= seen;
	pthread_rwlock_unlock(&rwlock);
}

/* Each in turn, so that all but one wait. */
static void take_turn(unsigned self)
{
	pthread_mutex_lock(&turn_mutex);
	while (turn != self)
		pthread_cond_wait(&turn_came, &turn_mutex);
	turn++;
	pthread_cond_broadcast(&turn_came);
	pthread_mutex_unlock(&turn_mutex);
}

/* One end in three is a return, one pthread_exit(), one a cancellation. */
static void end(unsigned self)
{
	if (self % 3 == 1)
		pthread_exit(NULL);
	if (self % 3 == 2) {
		pthread_cancel(pthread_self());
		pthread_testcancel();
	}
}

static void *work(void *argument)
{
	unsigned self = (unsigned)(uintptr_t)argument;

	pthread_setspecific(key, &key);
	pthread_barrier_wait(&barrier);
	atomic_fetch_add(&arrived, 1);
	for (unsigned i = 0; i < rounds; i++)
		count();
	take_turn(self);
	pthread_barrier_wait(&barrier);
	end(self);
	return NULL;
}

static void *nothing(void *argument)
{
	return argument;
}

static void run(pthread_t *thread)
{
	pthread_mutex_lock(&mutex);
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)i) != 0)
			abort();
	/* So that somebody waits. */
	while (atomic_load(&arrived) < threads)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL);
	pthread_mutex_unlock(&mutex);
	for (unsigned i = 0; i < threads; i++)
		if (pthread_join(thread[i], NULL) != 0)
			abort();
	for (unsigned i = 0; i < threads; i++) { /* short-lived ones, on stacks used before */
		if (pthread_create(&thread[i], NULL, nothing, NULL) != 0 ||
		    pthread_join(thread[i], NULL) != 0)
			abort();
	}
}

int main(int argc, char **argv)
{
	const struct itimerval every = { .it_interval.tv_usec = 500, .it_value.tv_usec = 500 };
	const struct itimerval never = { 0 };
	int value;

	if (argc != 3)
		return 2;
	threads = (unsigned)strtoul(argv[1], NULL, 10);
	rounds = (unsigned)strtoul(argv[2], NULL, 10);
	pthread_t *thread = calloc(threads, sizeof(*thread));
	if (!thread)
		return 2;
	pthread_key_create(&key, NULL);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_barrier_init(&barrier, NULL, threads);
	sem_init(&from_handler, 0, 0);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm, .sa_flags = SA_RESTART },
		  NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	run(thread);
	setitimer(ITIMER_REAL, &never, NULL);
	sem_getvalue(&from_handler, &value);
	free(thread);
	printf("mutex %p\nspin %p\nrwlock %p\nbarrier %p\ncond %p\nturn %p\nsem %p\nwork %p\n",
	       (void *)&mutex, (void *)(uintptr_t)&spin, (void *)&rwlock, (void *)&barrier,
	       (void *)&turn_came, (void *)&turn_mutex, (void *)&from_handler,
	       (void *)(uintptr_t)work);
	printf("sums %d\n", by_mutex == (uint64_t)threads * rounds && by_spin == by_mutex &&
				    by_rwlock == by_mutex && value == atomic_load(&posted));
	return 0;
}
