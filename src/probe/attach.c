/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the recorder at the start of a program, and what fork and thread ends mean to it. */
#include "probe/probe.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static const uint32_t no_groups;

EXPORT const volatile uint32_t *kron_detail_filter = &no_groups;
EXPORT __thread struct kron_wire_ring *kron_detail_ring;
__thread struct kron_wire_ring *probe_nested;

struct probe probe;

static pthread_key_t exit_key;
static bool exit_key_made, fork_watched;

/* Random bytes that the kernel gives every program it starts: they tell one exec from the next. */
static uint64_t image_id(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t id = 0;

	if (random)
		memcpy(&id, random, sizeof(id));
	return id;
}

static struct kron_wire_process *process_at(struct kron_wire *wire, uint32_t index)
{
	return (void *)((char *)wire + wire->process_offset +
			(uint64_t)index * KRON_WIRE_PROCESS_STRIDE);
}

/* A process in a pid namespace of its own has another number for the recorder, who could not tell when it
 * ends. Where there is no /proc, after a chroot, this process or its parent has been asked before. */
static bool known_by_pid(void)
{
	char self[32];
	ssize_t length = readlink("/proc/self", self, sizeof(self) - 1);

	if (length < 0)
		return true;
	self[length] = '\0';
	return strtol(self, NULL, 10) == getpid();
}

static void fill_process(struct kron_wire_process *process, uint32_t filter, uint32_t policy)
{
	process->pid = (uint32_t)getpid();
	process->image = image_id();
	process->filter = filter;
	process->policy = policy;
	process->shared_enabled = 0xffff;
	process->unloaded = 0;
	process->names_used = 0;
	memset(process->shared_counter, 0, sizeof(process->shared_counter));
	memset(process->lost_no_ring, 0, sizeof(process->lost_no_ring));
	strncpy(process->command, program_invocation_short_name, sizeof(process->command) - 1);
	process->command[sizeof(process->command) - 1] = '\0';
}

/* The child goes on with the ids that its parent's names have. */
static void inherit_names(struct kron_wire_process *child, const struct kron_wire_process *parent)
{
	uint32_t used = __atomic_load_n(&parent->names_used, __ATOMIC_ACQUIRE);

	if (used == 0 || used > KRON_WIRE_NAMES)
		return;
	memcpy(child->names, parent->names, used);
	child->names[used - 1] = '\0';
	child->names_used = used;
}

static void occupy(struct kron_wire *wire, uint32_t index)
{
	probe.wire = wire;
	probe.process = process_at(wire, index);
	probe.process_index = index;
	if (!__atomic_load_n(&wire->closed, __ATOMIC_ACQUIRE))
		kron_detail_filter = &probe.process->filter;
}

/* Take a free slot; parent is NULL, or the slot of the process that this one is a copy of. */
static bool claim_process(struct kron_wire *wire, const struct kron_wire_process *parent)
{
	uint32_t claim = KRON_WIRE_CLAIM(getpid());

	for (uint32_t i = 0; known_by_pid() && i < KRON_WIRE_PROCESSES; i++) {
		struct kron_wire_process *process = process_at(wire, i);
		uint32_t expected = KRON_WIRE_FREE;

		if (!__atomic_compare_exchange_n(&process->state, &expected, claim, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		if (parent) {
			fill_process(process, __atomic_load_n(&parent->filter, __ATOMIC_RELAXED),
				     __atomic_load_n(&parent->policy, __ATOMIC_RELAXED));
			inherit_names(process, parent);
		} else {
			fill_process(process, wire->filter, wire->policy);
		}
		/* Publishes the slot; pairs with the acquire in src/collect/collect.c. */
		__atomic_store_n(&process->state, KRON_WIRE_LIVE, __ATOMIC_RELEASE);
		occupy(wire, i);
		return true;
	}
	__atomic_fetch_add(&wire->refused, 1, __ATOMIC_RELAXED);
	return false;
}

/* Look at the slots that this process has already. What it was before it executed this program has ended;
 * a slot that an unloaded libkron has left is taken over. Returns whether there was one of these. */
static bool find_earlier(struct kron_wire *wire)
{
	uint32_t pid = (uint32_t)getpid();
	uint64_t image = image_id();

	for (uint32_t i = 0; i < KRON_WIRE_PROCESSES; i++) {
		struct kron_wire_process *process = process_at(wire, i);

		if (__atomic_load_n(&process->state, __ATOMIC_ACQUIRE) != KRON_WIRE_LIVE ||
		    process->pid != pid)
			continue;
		if (process->image != image) {
			__atomic_store_n(&process->state, KRON_WIRE_DONE, __ATOMIC_RELEASE);
		} else if (__atomic_exchange_n(&process->unloaded, 0, __ATOMIC_ACQUIRE)) {
			occupy(wire, i);
			return true;
		}
	}
	return false;
}

/* Only memory of the same user that cannot shrink: a file that is cut while it is mapped would kill the
 * program. */
static bool acceptable(int fd, uint64_t *bytes)
{
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &status) ||
	    status.st_uid != geteuid() || status.st_size < KRON_WIRE_PAGE)
		return false;
	*bytes = (uint64_t)status.st_size;
	return true;
}

static struct kron_wire *map_wire(const char *path)
{
	struct kron_wire *wire = NULL;
	uint64_t bytes;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return NULL;
	if (acceptable(fd, &bytes)) {
		void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
				 fd, 0);

		if (map != MAP_FAILED && kron_wire_good(map, bytes))
			wire = map;
		else if (map != MAP_FAILED)
			munmap(map, bytes);
	}
	close(fd);
	return wire;
}

void probe_detach(void)
{
	__atomic_store_n(&probe.process->filter, 0, __ATOMIC_RELAXED);
}

/* The child has one thread and shares the rings of its parent's: it takes rings of its own. */
static void after_fork(void)
{
	int saved_errno = errno;

	kron_detail_ring = NULL;
	probe_nested = NULL;
	if (probe.wire) {
		probe_names_after_fork();
		probe_counters_after_fork();
		kron_detail_filter = &no_groups;
		if (!claim_process(probe.wire, probe.process))
			probe.wire = NULL;
	}
	errno = saved_errno;
}

void probe_attach(struct kron_wire *wire)
{
	if (pthread_key_create(&exit_key, probe_ring_release))
		return;
	__atomic_store_n(&exit_key_made, true, __ATOMIC_RELEASE);
	if ((find_earlier(wire) || claim_process(wire, NULL)) && !fork_watched)
		fork_watched = pthread_atfork(NULL, NULL, after_fork) == 0;
}

__attribute__((constructor(101))) static void find_recorder(void)
{
	int saved_errno = errno;
	const char *path = secure_getenv(KRON_WIRE_ENV);
	struct kron_wire *wire = path && *path ? map_wire(path) : NULL;

	if (wire)
		probe_attach(wire);
	errno = saved_errno;
}

/* Rings of other threads stay theirs until they end; the recorder sees to that. */
__attribute__((destructor)) void probe_forget(void)
{
	if (__atomic_exchange_n(&exit_key_made, false, __ATOMIC_ACQ_REL))
		pthread_key_delete(exit_key);
	if (!probe.wire)
		return;
	probe_ring_release(NULL);
	__atomic_store_n(&probe.process->unloaded, 1, __ATOMIC_RELEASE);
}

/* Have probe_ring_release() called when this thread ends. */
void probe_watch_exit(void)
{
	if (__atomic_load_n(&exit_key_made, __ATOMIC_ACQUIRE))
		pthread_setspecific(exit_key, &probe);
}

EXPORT uint32_t kron_filter_get(void)
{
	return *kron_detail_filter & 0xffff;
}

EXPORT void kron_filter_set(uint32_t groups)
{
	if (probe.wire && probe_recorder_lives())
		__atomic_store_n(&probe.process->filter, groups & 0xffff, __ATOMIC_RELAXED);
}

EXPORT void kron_policy_set(enum kron_policy policy)
{
	if (probe.wire)
		__atomic_store_n(&probe.process->policy,
				 policy == KRON_POLICY_WAIT ? KRON_WIRE_WAIT : KRON_WIRE_DISCARD,
				 __ATOMIC_RELAXED);
}
