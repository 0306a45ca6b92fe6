/* SPDX-License-Identifier: Apache-2.0 */
/* Locks for one writer or many readers; the marks do not tell which. A deadline is looked at before a
 * lock is tried, because the C library refuses a bad one even where it need not wait. */
#include "probe/preload/pthread_real.h"

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	int result;

	if (!recorded())
		return real()->pthread_rwlock_rdlock(lock);
	result = real()->pthread_rwlock_tryrdlock(lock);
	if (mark_tried(lock, result))
		result = mark_waited(lock, real()->pthread_rwlock_rdlock(lock));
	return result;
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	return mark_got(lock, real()->pthread_rwlock_tryrdlock(lock));
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock,
				      const struct timespec *restrict deadline)
{
	int result;

	if (!recorded() || !deadline_is_valid(CLOCK_REALTIME, deadline))
		return real()->pthread_rwlock_timedrdlock(lock, deadline);
	result = real()->pthread_rwlock_tryrdlock(lock);
	if (mark_tried(lock, result))
		result = mark_waited(lock, real()->pthread_rwlock_timedrdlock(lock, deadline));
	return result;
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
				      const struct timespec *restrict deadline)
{
	int result;

	if (!recorded() || !deadline_is_valid(clock, deadline))
		return real()->pthread_rwlock_clockrdlock(lock, clock, deadline);
	result = real()->pthread_rwlock_tryrdlock(lock);
	if (mark_tried(lock, result))
		result = mark_waited(lock,
				     real()->pthread_rwlock_clockrdlock(lock, clock, deadline));
	return result;
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	int result;

	if (!recorded())
		return real()->pthread_rwlock_wrlock(lock);
	result = real()->pthread_rwlock_trywrlock(lock);
	if (mark_tried(lock, result))
		result = mark_waited(lock, real()->pthread_rwlock_wrlock(lock));
	return result;
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	return mark_got(lock, real()->pthread_rwlock_trywrlock(lock));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock,
				      const struct timespec *restrict deadline)
{
	int result;

	if (!recorded() || !deadline_is_valid(CLOCK_REALTIME, deadline))
		return real()->pthread_rwlock_timedwrlock(lock, deadline);
	result = real()->pthread_rwlock_trywrlock(lock);
	if (mark_tried(lock, result))
		result = mark_waited(lock, real()->pthread_rwlock_timedwrlock(lock, deadline));
	return result;
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
				      const struct timespec *restrict deadline)
{
	int result;

	if (!recorded() || !deadline_is_valid(clock, deadline))
		return real()->pthread_rwlock_clockwrlock(lock, clock, deadline);
	result = real()->pthread_rwlock_trywrlock(lock);
	if (mark_tried(lock, result))
		result = mark_waited(lock,
				     real()->pthread_rwlock_clockwrlock(lock, clock, deadline));
	return result;
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	mark(KRON_WIRE_LOCK_FREE, lock);
	return real()->pthread_rwlock_unlock(lock);
}
