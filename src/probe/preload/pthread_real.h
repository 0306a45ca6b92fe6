/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of libkronpthread, which stands between a program and the pthread functions of its C
 * library and marks in the trace what they do. `kron record --pthread` preloads it.
 *
 * A function here calls the real one with the same arguments and returns the same result; errno is
 * left as the real one leaves it. While group KRON_GROUP_THREAD is not recorded that is all. Otherwise
 *   - a lock is tried first. LOCK_WAIT says that it was taken by somebody, LOCK_GOT that it is ours;
 *   - a wait that gives up (time-out, signal, cancellation, error) ends with LOCK_GOT and LOCK_FREE at
 *     once, so every LOCK_WAIT has its LOCK_GOT and nothing seems held;
 *   - LOCK_FREE is marked before the lock is opened, so in the order of time stamps it comes before the
 *     LOCK_GOT of the next owner;
 *   - waits that are cancelled end as others do. */
#ifndef PTHREAD_REAL_H
#define PTHREAD_REAL_H

#include <errno.h>
#include <kron/kron.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#define EXPORT __attribute__((visibility("default")))

/* All functions that are stood before. The locks come first: a malloc that is not the C library's may
 * use them while the others are looked up. */
/* clang-format off */
#define REAL_FUNCTIONS(X)            \
	X(pthread_mutex_lock)        \
	X(pthread_mutex_trylock)     \
	X(pthread_mutex_timedlock)   \
	X(pthread_mutex_clocklock)   \
	X(pthread_mutex_unlock)      \
	X(pthread_spin_lock)         \
	X(pthread_spin_trylock)      \
	X(pthread_spin_unlock)       \
	X(pthread_rwlock_rdlock)     \
	X(pthread_rwlock_tryrdlock)  \
	X(pthread_rwlock_timedrdlock)\
	X(pthread_rwlock_clockrdlock)\
	X(pthread_rwlock_wrlock)     \
	X(pthread_rwlock_trywrlock)  \
	X(pthread_rwlock_timedwrlock)\
	X(pthread_rwlock_clockwrlock)\
	X(pthread_rwlock_unlock)     \
	X(sem_wait)                  \
	X(sem_trywait)               \
	X(sem_timedwait)             \
	X(sem_clockwait)             \
	X(sem_post)                  \
	X(pthread_cond_wait)         \
	X(pthread_cond_timedwait)    \
	X(pthread_cond_clockwait)    \
	X(pthread_barrier_wait)      \
	X(pthread_create)            \
	X(pthread_join)              \
	X(pthread_tryjoin_np)        \
	X(pthread_timedjoin_np)      \
	X(pthread_clockjoin_np)      \
	X(mtx_lock)                  \
	X(mtx_trylock)               \
	X(mtx_timedlock)             \
	X(mtx_unlock)                \
	X(cnd_wait)                  \
	X(cnd_timedwait)             \
	X(thrd_create)               \
	X(thrd_join)
/* clang-format on */

/* The real functions, under their names. */
struct real {
#define REAL_MEMBER(name) __typeof__(&(name)) name;
	REAL_FUNCTIONS(REAL_MEMBER)
#undef REAL_MEMBER
};

extern struct real real_table;
extern bool real_found;

/* Look the real functions up, once. Another library's constructor may call us before ours has run. */
void real_find(void);

static inline const struct real *real(void)
{
	if (__builtin_expect(!__atomic_load_n(&real_found, __ATOMIC_ACQUIRE), 0))
		real_find();
	return &real_table;
}

static inline bool recorded(void)
{
	return kron_detail_open(KRON_GROUP_THREAD);
}

/* The group may be switched off between the two marks of a wait. */
static inline void mark_value(enum kron_wire_mark kind, uint64_t value)
{
	if (recorded())
		kron_detail_trigger(
			KRON_GROUP_THREAD,
			(uint64_t)kind << KRON_WIRE_KIND_SHIFT | (value & KRON_WIRE_VALUE_MASK),
			(uint64_t)KRON_WIRE_TRACE << KRON_WIRE_TYPE_SHIFT | KRON_WIRE_MARK);
}

static inline void mark(enum kron_wire_mark kind, const volatile void *object)
{
	mark_value(kind, (uintptr_t)object);
}

/* Before a variable: call this function with it however its scope is left, a cancellation included,
 * which is why this library is compiled with -fexceptions. Handlers of pthread_cleanup_push() would
 * stay behind in a program that leaves a wait by siglongjmp(). */
#define AT_END(function) __attribute__((cleanup(function), unused))

/* A robust lock whose owner died is ours like any other. */
static inline bool lock_is_ours(int result)
{
	return result == 0 || result == EOWNERDEAD;
}

/* A lock was tried, with this result: mark it. True if it is not free and must be waited for. */
static inline bool mark_tried(const volatile void *lock, int result)
{
	if (result == EBUSY)
		mark(KRON_WIRE_LOCK_WAIT, lock);
	else if (lock_is_ours(result))
		mark(KRON_WIRE_LOCK_GOT, lock);
	return result == EBUSY;
}

/* The wait is over, with this result, which is returned. */
static inline int mark_waited(const volatile void *lock, int result)
{
	mark(KRON_WIRE_LOCK_GOT, lock);
	if (!lock_is_ours(result))
		mark(KRON_WIRE_LOCK_FREE, lock);
	return result;
}

/* A function that never waits has returned this. */
static inline int mark_got(const volatile void *lock, int result)
{
	if (lock_is_ours(result))
		mark(KRON_WIRE_LOCK_GOT, lock);
	return result;
}

/* Would the C library wait by this clock? If not it refuses at once, even where the lock is free. */
static inline bool clock_is_known(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

static inline bool deadline_is_valid(clockid_t clock, const struct timespec *deadline)
{
	return clock_is_known(clock) && deadline->tv_nsec >= 0 && deadline->tv_nsec < 1000000000;
}

#endif
