/* SPDX-License-Identifier: Apache-2.0 */
/* Names of regions: an append-only list of strings in the process slot. The same name has one id. */
#include "probe/probe.h"
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* The id of a name that is there already; 0 if it is not. */
static uint32_t find(const struct kron_wire_process *process, const char *name, uint32_t used)
{
	for (uint32_t at = 0; at < used; at += (uint32_t)strlen(process->names + at) + 1) {
		if (strcmp(process->names + at, name) == 0)
			return at + 1;
	}
	return 0;
}

static uint32_t busy; /* a thread is appending */

void probe_names_after_fork(void)
{
	busy = 0; /* that thread is not in the child */
}

/* Only one thread appends at a time; the others wait for it. A signal handler that registers a name
 * while its own thread does so would wait for ever, so it gives up instead. */
EXPORT uint32_t kron_name(const char *name)
{
	struct kron_wire_process *process = probe.process;
	uint32_t used, id;
	size_t length;

	if (!probe.wire || !name)
		return 0;
	length = strlen(name) + 1;
	for (unsigned tries = 0; __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE); tries++) {
		if (tries == 100000)
			return 0;
		kron_clock_pause();
	}
	used = process->names_used;
	id = find(process, name, used);
	if (!id && length > KRON_WIRE_NAMES - used) {
		id = KRON_WIRE_NAMELESS;
	} else if (!id) {
		memcpy(process->names + used, name, length);
		id = used + 1;
		/* Publishes the name; pairs with the acquire in src/collect/collect.c. */
		__atomic_store_n(&process->names_used, used + (uint32_t)length, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
	return id;
}
