/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder, as the program sees it: is it there, and how to wake it. */
#include "probe/probe.h"
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel tells: a process that has been killed and not waited for still has its number, and a number
 * may have got another process. */
bool probe_recorder_lives(void)
{
	return !__atomic_load_n(&probe.wire->closed, __ATOMIC_ACQUIRE) &&
	       !(__atomic_load_n(&probe.wire->recorder_pid, __ATOMIC_ACQUIRE) & FUTEX_OWNER_DIED);
}

/* Once is enough: whoever comes next finds that it has been done. */
void probe_recorder_wake(void)
{
	uint32_t *asleep = &probe.wire->asleep;

	if (!__atomic_load_n(asleep, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(asleep, 0, __ATOMIC_RELAXED);
	syscall(SYS_futex, asleep, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void probe_recorder_wait(uint32_t *word, uint32_t value, unsigned timeout_ms)
{
	struct timespec timeout = { .tv_sec = timeout_ms / 1000,
				    .tv_nsec = (long)(timeout_ms % 1000) * 1000000 };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}
