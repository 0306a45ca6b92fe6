/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions and barriers. While a thread waits for a condition the mutex is free. */
#include "probe/preload/pthread_real.h"

struct wait {
	const void *cond;
	const void *mutex;
	bool mutex_lost; /* afterwards the mutex is not ours */
};

static void wait_end(struct wait *wait)
{
	mark(KRON_WIRE_COND_GO, wait->cond);
	if (!wait->mutex_lost)
		mark(KRON_WIRE_LOCK_GOT, wait->mutex);
}

static struct wait wait_begin(const void *cond, const void *mutex)
{
	mark(KRON_WIRE_LOCK_FREE, mutex);
	mark(KRON_WIRE_COND_WAIT, cond);
	return (struct wait){ .cond = cond, .mutex = mutex };
}

/* EPERM: it never was ours; ENOTRECOVERABLE: nobody's ever again. */
static int wait_over(struct wait *wait, int result)
{
	wait->mutex_lost = result == EPERM || result == ENOTRECOVERABLE;
	return result;
}

EXPORT int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
	if (!recorded())
		return real()->pthread_cond_wait(cond, mutex);
	AT_END(wait_end) struct wait wait = wait_begin(cond, mutex);
	return wait_over(&wait, real()->pthread_cond_wait(cond, mutex));
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
				  const struct timespec *restrict deadline)
{
	if (!recorded())
		return real()->pthread_cond_timedwait(cond, mutex, deadline);
	AT_END(wait_end) struct wait wait = wait_begin(cond, mutex);
	return wait_over(&wait, real()->pthread_cond_timedwait(cond, mutex, deadline));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
				  clockid_t clock, const struct timespec *restrict deadline)
{
	if (!recorded())
		return real()->pthread_cond_clockwait(cond, mutex, clock, deadline);
	AT_END(wait_end) struct wait wait = wait_begin(cond, mutex);
	return wait_over(&wait, real()->pthread_cond_clockwait(cond, mutex, clock, deadline));
}

EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	if (!recorded())
		return real()->cnd_wait(cond, mutex);
	AT_END(wait_end) struct wait wait = wait_begin(cond, mutex);
	return real()->cnd_wait(cond, mutex);
}

EXPORT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
			 const struct timespec *restrict deadline)
{
	if (!recorded())
		return real()->cnd_timedwait(cond, mutex, deadline);
	AT_END(wait_end) struct wait wait = wait_begin(cond, mutex);
	return real()->cnd_timedwait(cond, mutex, deadline);
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	int result;

	mark(KRON_WIRE_BARRIER_WAIT, barrier);
	result = real()->pthread_barrier_wait(barrier);
	mark(KRON_WIRE_BARRIER_GO, barrier);
	return result;
}
