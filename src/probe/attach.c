/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the recorder at the start of a program, and what fork and thread ends mean to it. */
#include "probe/probe.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static const uint32_t no_groups;

EXPORT const volatile uint32_t *kron_detail_filter = &no_groups;
EXPORT __thread struct kron_wire_ring *kron_detail_ring;
__thread struct kron_wire_ring *probe_nested;

struct probe probe;

static pthread_key_t exit_key;
static bool exit_key_made;

void probe_futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void probe_futex_wait(uint32_t *word, uint32_t value, unsigned timeout_ms)
{
	struct timespec timeout = { .tv_sec = timeout_ms / 1000,
				    .tv_nsec = (long)(timeout_ms % 1000) * 1000000 };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0);
}

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

static bool geometry_good(const struct kron_wire *wire, uint64_t size)
{
	uint64_t rings_end = wire->ring_offset + wire->rings * wire->ring_stride;

	return wire->magic == KRON_WIRE_MAGIC && wire->version == KRON_WIRE_VERSION &&
	       wire->total_bytes == size && wire->rings <= KRON_WIRE_RINGS_MAX &&
	       wire->ring_bytes >= KRON_WIRE_RING_MIN && wire->ring_bytes <= KRON_WIRE_RING_MAX &&
	       !(wire->ring_bytes & (wire->ring_bytes - 1)) && rings_end <= size;
}

static void fill_process(struct kron_wire_process *process, const struct kron_wire *wire,
			 uint32_t filter, uint32_t policy)
{
	process->pid = (uint32_t)getpid();
	process->image = image_id();
	process->filter = filter;
	process->policy = policy;
	process->shared_enabled = 0xffff;
	process->names_used = 0;
	memset(process->shared_counter, 0, sizeof(process->shared_counter));
	memset(process->lost_no_ring, 0, sizeof(process->lost_no_ring));
	strncpy(process->command, program_invocation_short_name, sizeof(process->command) - 1);
	process->command[sizeof(process->command) - 1] = '\0';
	if (__atomic_load_n(&wire->closed, __ATOMIC_ACQUIRE))
		process->filter = 0;
}

/* What this process was before it executed this program has ended. */
static void end_earlier_image(struct kron_wire *wire)
{
	uint32_t pid = (uint32_t)getpid();
	uint64_t image = image_id();

	for (uint32_t i = 0; i < KRON_WIRE_PROCESSES; i++) {
		struct kron_wire_process *process = process_at(wire, i);

		if (__atomic_load_n(&process->state, __ATOMIC_ACQUIRE) == KRON_WIRE_LIVE &&
		    process->pid == pid && process->image != image)
			__atomic_store_n(&process->state, KRON_WIRE_DONE, __ATOMIC_RELEASE);
	}
}

static bool claim_process(struct kron_wire *wire, uint32_t filter, uint32_t policy)
{
	for (uint32_t i = 0; i < KRON_WIRE_PROCESSES; i++) {
		struct kron_wire_process *process = process_at(wire, i);
		uint32_t expected = KRON_WIRE_FREE;

		if (!__atomic_compare_exchange_n(&process->state, &expected, KRON_WIRE_CLAIMED,
						 false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		fill_process(process, wire, filter, policy);
		/* Publishes the slot; pairs with the acquire in src/collect/collect.c. */
		__atomic_store_n(&process->state, KRON_WIRE_LIVE, __ATOMIC_RELEASE);
		probe.wire = wire;
		probe.process = process;
		probe.process_index = i;
		kron_detail_filter = &process->filter;
		return true;
	}
	__atomic_fetch_add(&wire->refused, 1, __ATOMIC_RELAXED);
	return false;
}

static struct kron_wire *map_wire(const char *path)
{
	struct kron_wire *wire = NULL;
	struct stat status;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	/* Only what the same user made. */
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
	    status.st_size >= KRON_WIRE_PAGE) {
		void *map = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_NORESERVE, fd, 0);

		if (map != MAP_FAILED && geometry_good(map, (uint64_t)status.st_size))
			wire = map;
		else if (map != MAP_FAILED)
			munmap(map, (size_t)status.st_size);
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
		uint32_t filter = __atomic_load_n(&probe.process->filter, __ATOMIC_RELAXED);
		uint32_t policy = __atomic_load_n(&probe.process->policy, __ATOMIC_RELAXED);

		kron_detail_filter = &no_groups;
		if (!claim_process(probe.wire, filter, policy))
			probe.wire = NULL;
	}
	errno = saved_errno;
}

__attribute__((constructor(101))) static void attach(void)
{
	const char *path = secure_getenv(KRON_WIRE_ENV);
	int saved_errno = errno;
	struct kron_wire *wire;

	if (!path || !*path)
		return;
	wire = map_wire(path);
	if (wire && pthread_key_create(&exit_key, probe_ring_release) == 0) {
		exit_key_made = true;
		end_earlier_image(wire);
		if (claim_process(wire, wire->filter, wire->policy))
			pthread_atfork(NULL, NULL, after_fork);
	}
	errno = saved_errno;
}

/* A plug-in with a libkron of its own is unloaded: no thread may call back into it. */
__attribute__((destructor)) static void forget(void)
{
	if (exit_key_made)
		pthread_key_delete(exit_key);
	exit_key_made = false;
}

/* Have probe_ring_release() called when this thread ends. */
void probe_watch_exit(void)
{
	if (exit_key_made)
		pthread_setspecific(exit_key, &probe);
}

EXPORT uint32_t kron_filter_get(void)
{
	return *kron_detail_filter & 0xffff;
}

EXPORT void kron_filter_set(uint32_t groups)
{
	if (probe.wire && !__atomic_load_n(&probe.wire->closed, __ATOMIC_ACQUIRE))
		__atomic_store_n(&probe.process->filter, groups & 0xffff, __ATOMIC_RELAXED);
}

EXPORT void kron_policy_set(enum kron_policy policy)
{
	if (probe.wire)
		__atomic_store_n(&probe.process->policy,
				 policy == KRON_POLICY_WAIT ? KRON_WIRE_WAIT : KRON_WIRE_DISCARD,
				 __ATOMIC_RELAXED);
}
