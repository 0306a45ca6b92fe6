/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphores, marked like locks: got by waiting, freed by posting, perhaps in another thread. */
#include "probe/preload/pthread_real.h"

struct wait {
	sem_t *sem;
	bool over; /* and the semaphore is ours */
};

static void wait_end(struct wait *wait)
{
	mark(KRON_WIRE_LOCK_GOT, wait->sem);
	if (!wait->over)
		mark(KRON_WIRE_LOCK_FREE, wait->sem);
}

static struct wait wait_begin(sem_t *sem)
{
	mark(KRON_WIRE_LOCK_WAIT, sem);
	return (struct wait){ .sem = sem };
}

static int wait_over(struct wait *wait, int result)
{
	wait->over = result == 0;
	return result;
}

/* Take it if that needs no waiting. The real functions act on a cancellation even then. */
static bool taken(sem_t *sem)
{
	int saved_errno = errno;

	pthread_testcancel();
	if (real()->sem_trywait(sem) == 0) {
		mark(KRON_WIRE_LOCK_GOT, sem);
		return true;
	}
	errno = saved_errno;
	return false;
}

EXPORT int sem_wait(sem_t *sem)
{
	if (!recorded())
		return real()->sem_wait(sem);
	if (taken(sem))
		return 0;
	AT_END(wait_end) struct wait wait = wait_begin(sem);
	return wait_over(&wait, real()->sem_wait(sem));
}

EXPORT int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict deadline)
{
	if (!recorded() || !deadline_is_valid(CLOCK_REALTIME, deadline))
		return real()->sem_timedwait(sem, deadline);
	if (taken(sem))
		return 0;
	AT_END(wait_end) struct wait wait = wait_begin(sem);
	return wait_over(&wait, real()->sem_timedwait(sem, deadline));
}

EXPORT int sem_clockwait(sem_t *restrict sem, clockid_t clock,
			 const struct timespec *restrict deadline)
{
	if (!recorded() || !deadline_is_valid(clock, deadline))
		return real()->sem_clockwait(sem, clock, deadline);
	if (taken(sem))
		return 0;
	AT_END(wait_end) struct wait wait = wait_begin(sem);
	return wait_over(&wait, real()->sem_clockwait(sem, clock, deadline));
}

EXPORT int sem_trywait(sem_t *sem)
{
	int result = real()->sem_trywait(sem);

	if (result == 0)
		mark(KRON_WIRE_LOCK_GOT, sem);
	return result;
}

EXPORT int sem_post(sem_t *sem)
{
	mark(KRON_WIRE_LOCK_FREE, sem);
	return real()->sem_post(sem);
}
