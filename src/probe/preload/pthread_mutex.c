/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes and spin locks. Trying first must not change a result: what it refuses with EBUSY the real
 * function decides, and everything else both return for the same reasons. */
#include "probe/preload/pthread_real.h"

/* Bits of a mutex's kind, which the C library does not name in its headers but keeps for ever, because
 * programs with different ones may share a mutex (glibc, nptl/pthreadP.h). */
#define KIND_ROBUST  16
#define KIND_PROTECT 64

/* Lock it if that needs no waiting, otherwise EBUSY. */
static int try(pthread_mutex_t *mutex)
{
	static const struct timespec past;
	int kind = __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED);
	int result;

	/* Trying changes the thread's priority and back, which may fail where locking would not. Nobody
	 * can say, therefore, whether it waits. */
	if (kind & KIND_PROTECT)
		return EBUSY;
	if (!(kind & KIND_ROBUST))
		return real()->pthread_mutex_trylock(mutex);
	/* Of a mutex that is not recoverable trylock says so but leaves it locked (glibc 2.36), and the
	 * next who asks waits for ever. */
	result = real()->pthread_mutex_timedlock(mutex, &past);
	return result == ETIMEDOUT ? EBUSY : result;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int result;

	if (!recorded())
		return real()->pthread_mutex_lock(mutex);
	result = try(mutex);
	if (mark_tried(mutex, result))
		result = mark_waited(mutex, real()->pthread_mutex_lock(mutex));
	return result;
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	return mark_got(mutex, real()->pthread_mutex_trylock(mutex));
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex,
				   const struct timespec *restrict deadline)
{
	int result;

	if (!recorded())
		return real()->pthread_mutex_timedlock(mutex, deadline);
	result = try(mutex);
	if (mark_tried(mutex, result))
		result = mark_waited(mutex, real()->pthread_mutex_timedlock(mutex, deadline));
	return result;
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
				   const struct timespec *restrict deadline)
{
	int result;

	if (!recorded() || !clock_is_known(clock))
		return real()->pthread_mutex_clocklock(mutex, clock, deadline);
	result = try(mutex);
	if (mark_tried(mutex, result))
		result =
			mark_waited(mutex, real()->pthread_mutex_clocklock(mutex, clock, deadline));
	return result;
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	mark(KRON_WIRE_LOCK_FREE, mutex);
	return real()->pthread_mutex_unlock(mutex);
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	int result;

	if (!recorded())
		return real()->pthread_spin_lock(lock);
	result = real()->pthread_spin_trylock(lock);
	if (mark_tried(lock, result))
		result = mark_waited(lock, real()->pthread_spin_lock(lock));
	return result;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	return mark_got(lock, real()->pthread_spin_trylock(lock));
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	mark(KRON_WIRE_LOCK_FREE, lock);
	return real()->pthread_spin_unlock(lock);
}

/* The C11 mutexes: the same with other results. */

static int as_pthread(int c11_result)
{
	switch (c11_result) {
	case thrd_success:
		return 0;
	case thrd_busy:
		return EBUSY;
	default:
		return EINVAL; /* any that is not a success */
	}
}

EXPORT int mtx_lock(mtx_t *mutex)
{
	int result;

	if (!recorded())
		return real()->mtx_lock(mutex);
	result = real()->mtx_trylock(mutex);
	if (mark_tried(mutex, as_pthread(result))) {
		result = real()->mtx_lock(mutex);
		mark_waited(mutex, as_pthread(result));
	}
	return result;
}

EXPORT int mtx_trylock(mtx_t *mutex)
{
	int result = real()->mtx_trylock(mutex);

	mark_got(mutex, as_pthread(result));
	return result;
}

EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict deadline)
{
	int result;

	if (!recorded())
		return real()->mtx_timedlock(mutex, deadline);
	result = real()->mtx_trylock(mutex);
	if (mark_tried(mutex, as_pthread(result))) {
		result = real()->mtx_timedlock(mutex, deadline);
		mark_waited(mutex, as_pthread(result));
	}
	return result;
}

EXPORT int mtx_unlock(mtx_t *mutex)
{
	mark(KRON_WIRE_LOCK_FREE, mutex);
	return real()->mtx_unlock(mutex);
}
