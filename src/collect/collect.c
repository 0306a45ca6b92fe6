/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/collect.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/error.h"
#include "collect/output.h"
#include "collect/stream.h"

#define AGE_NS    INT64_C(200000000)  /* events older than that are drained though they are few */
#define LOOK_NS   INT64_C(50000000)   /* how often to look for processes that are gone */
#define POINT_NS  INT64_C(1000000000) /* how often to compare the clocks */
#define NO_STREAM UINT32_MAX
#define FORGONE   (UINT32_MAX - 1) /* there is a tenant and no stream for it */

/* A ring slot as the recorder sees it. */
struct slot {
	uint32_t stream; /* of the tenant, or NO_STREAM, FORGONE */
	int64_t since;   /* when there was first something in the ring; 0: nothing */
};

struct collect {
	struct base_io *io;
	struct base_alloc *alloc;
	int memory; /* the memfd */
	struct kron_wire *wire;
	struct kron_wire start; /* as written at the start: the geometry we rely on */
	char environment[64];
	struct collect_output output;
	struct slot *slot;
	int64_t next_look, next_point;
	struct robust_list_head presence; /* what the kernel does for us when we die */
	struct robust_list_head *previous;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static struct kron_wire_process *process_at(const struct collect *collect, uint32_t i)
{
	return (void *)((char *)collect->wire + collect->start.process_offset +
			(uint64_t)i * KRON_WIRE_PROCESS_STRIDE);
}

static struct kron_wire_ring *ring_at(const struct collect *collect, uint32_t i)
{
	return (void *)((char *)collect->wire + collect->start.ring_offset +
			(uint64_t)i * collect->start.ring_stride);
}

/* How many slots there may be a tenant in. */
static uint32_t rings_used(const struct collect *collect)
{
	uint32_t used = __atomic_load_n(&collect->wire->rings_used, __ATOMIC_ACQUIRE);

	return used < collect->start.rings ? used : collect->start.rings;
}

static uint32_t state_of(const uint32_t *state)
{
	/* Pairs with the releases in src/probe. */
	return __atomic_load_n(state, __ATOMIC_ACQUIRE);
}

static bool config_good(const struct collect_config *config)
{
	return config->rings >= 1 && config->rings <= KRON_WIRE_RINGS_MAX &&
	       config->ring_bytes >= KRON_WIRE_RING_MIN &&
	       config->ring_bytes <= KRON_WIRE_RING_MAX &&
	       !(config->ring_bytes & (config->ring_bytes - 1));
}

static void fill_wire(struct kron_wire *wire, const struct collect_config *config)
{
	memset(wire, 0, sizeof(*wire));
	wire->magic = KRON_WIRE_MAGIC;
	wire->version = KRON_WIRE_VERSION;
	wire->process_offset = KRON_WIRE_PAGE;
	wire->ring_offset = KRON_WIRE_RING_OFFSET;
	wire->ring_bytes = config->ring_bytes;
	wire->ring_stride = config->ring_bytes + KRON_WIRE_PAGE;
	wire->rings = config->rings;
	wire->total_bytes = wire->ring_offset + wire->rings * wire->ring_stride;
	wire->recorder_pid = (uint32_t)gettid();
	wire->filter = config->filter & 0xffff;
	wire->policy = config->policy;
	memcpy(wire->counter, config->counter, sizeof(wire->counter));
}

/* Sealed, so that no program can shrink it under our feet. */
static int make_memory(struct collect *collect)
{
	uint64_t bytes = collect->start.total_bytes;
	void *map;

	collect->memory = memfd_create("kron", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (collect->memory < 0)
		return -KRON_EIO;
	if (fchmod(collect->memory, 0600) || ftruncate(collect->memory, (off_t)bytes) ||
	    fcntl(collect->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return -KRON_EIO;
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, collect->memory,
		   0);
	if (map == MAP_FAILED)
		return -KRON_EIO;
	collect->wire = map;
	memcpy(collect->wire, &collect->start, sizeof(collect->start));
	snprintf(collect->environment, sizeof(collect->environment), "/proc/%d/fd/%d", getpid(),
		 collect->memory);
	return 0;
}

/* However this thread ends, the kernel notes it in wire->recorder_pid: a program that waits for room must
 * not wait for the dead. It does so for a robust futex in the middle of being locked; the C library has a
 * list of those of its own for each thread, which is out of use meanwhile. */
static void show_presence(struct collect *collect)
{
	struct robust_list_head *head = &collect->presence;
	size_t size;

	head->list.next = &head->list;
	head->list_op_pending = (void *)&collect->wire->recorder_pid;
	if (syscall(SYS_get_robust_list, 0, &collect->previous, &size) == 0)
		syscall(SYS_set_robust_list, head, sizeof(*head));
}

static void hide_presence(struct collect *collect)
{
	if (collect->previous)
		syscall(SYS_set_robust_list, collect->previous, sizeof(*collect->previous));
}

static void release(struct collect *collect)
{
	hide_presence(collect);
	if (collect->wire)
		munmap(collect->wire, collect->start.total_bytes);
	if (collect->memory >= 0)
		close(collect->memory);
	base_alloc_free(collect->alloc, collect->slot);
	base_alloc_free(collect->alloc, collect);
}

int collect_open(struct collect **collect, struct base_io *io, struct base_alloc *alloc,
		 const struct collect_config *config)
{
	struct collect *made;
	int error, cause;

	if (!config_good(config))
		return -KRON_EINVAL;
	made = base_alloc_get(alloc, sizeof(*made));
	if (!made)
		return -KRON_ENOMEM;
	made->io = io;
	made->alloc = alloc;
	made->memory = -1;
	fill_wire(&made->start, config);
	made->slot = base_alloc_get(alloc, config->rings * sizeof(*made->slot));
	error = made->slot ? make_memory(made) : -KRON_ENOMEM;
	for (uint32_t i = 0; !error && i < config->rings; i++)
		made->slot[i].stream = NO_STREAM;
	if (!error)
		error = collect_output_open(&made->output, io, alloc, config);
	if (!error) {
		show_presence(made);
		*collect = made;
		return 0;
	}
	cause = errno;
	release(made);
	errno = cause;
	return error;
}

const char *collect_environment(const struct collect *collect)
{
	return collect->environment;
}

int collect_error(const struct collect *collect)
{
	return collect_output_error(&collect->output);
}

/* The number in the trace of the process that a ring belongs to. */
static uint32_t process_of(struct collect *collect, const struct kron_wire_ring *ring)
{
	uint32_t slot = __atomic_load_n(&ring->process, __ATOMIC_RELAXED) % KRON_WIRE_PROCESSES;

	return collect_output_process(&collect->output, slot, process_at(collect, slot));
}

/* A new tenant: give it a stream. */
static struct collect_stream *admit(struct collect *collect, uint32_t i)
{
	struct kron_wire_ring *ring = ring_at(collect, i);
	struct collect_stream *stream = collect_output_stream(&collect->output);

	if (!stream)
		return NULL;
	stream->ring_bytes = collect->start.ring_bytes;
	stream->tail = stream->ring_bytes;
	stream->process = process_of(collect, ring);
	stream->pid = ring->pid;
	stream->tid = ring->tid;
	stream->source = ring->source;
	stream->nested = ring->nested;
	memcpy(stream->thread, ring->thread_name, sizeof(stream->thread));
	stream->thread[sizeof(stream->thread) - 1] = '\0';
	collect->slot[i].stream = stream->number;
	return stream;
}

/* A program that waits for room is woken when it has some. */
static void wake(struct kron_wire_ring *ring)
{
	if (__atomic_load_n(&ring->waiting, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &ring->waiting, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static uint64_t drain(struct collect *collect, uint32_t i, struct collect_stream *stream)
{
	struct kron_wire_ring *ring = ring_at(collect, i);
	uint64_t bytes = collect_stream_drain(stream, collect->io, ring,
					      (const char *)ring + KRON_WIRE_PAGE);

	collect_output_heed(&collect->output, stream);
	collect->slot[i].since = 0;
	wake(ring);
	return bytes;
}

/* A tenant without a stream: it must not wait for us. */
static void pass_over(struct collect *collect, uint32_t i)
{
	struct kron_wire_ring *ring = ring_at(collect, i);

	collect->slot[i].stream = FORGONE;
	__atomic_store_n(&ring->tail, __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE),
			 __ATOMIC_SEQ_CST);
	wake(ring);
}

/* The tenant has gone, or the recording ends: settle its account. */
static void settle(struct collect *collect, uint32_t i)
{
	struct kron_wire_ring *ring = ring_at(collect, i);
	uint32_t number = collect->slot[i].stream;

	collect->slot[i].stream = NO_STREAM;
	if (number == FORGONE) {
		collect_output_forgone(&collect->output, process_of(collect, ring), ring);
	} else if (number != NO_STREAM) {
		struct collect_stream *stream = &collect->output.stream[number];

		collect_stream_end(stream, collect->io, ring);
		collect_output_done(&collect->output, stream);
	}
}

/* Is there so much in the ring, or for so long, that it is worth a packet? */
static bool worth(struct collect *collect, uint32_t i, const struct collect_stream *stream,
		  int64_t now)
{
	uint64_t used =
		__atomic_load_n(&ring_at(collect, i)->head, __ATOMIC_RELAXED) - stream->tail;
	struct slot *slot = &collect->slot[i];

	if (used == 0)
		return false;
	if (!slot->since)
		slot->since = now;
	return used >= collect->start.ring_bytes / 4 || now - slot->since > AGE_NS;
}

static uint64_t step_ring(struct collect *collect, uint32_t i, bool all, int64_t now)
{
	struct kron_wire_ring *ring = ring_at(collect, i);
	uint32_t state = state_of(&ring->state);
	struct collect_stream *stream = NULL;
	uint64_t bytes = 0;

	if (state != KRON_WIRE_LIVE && state != KRON_WIRE_DONE)
		return 0;
	if (collect->slot[i].stream == NO_STREAM)
		stream = admit(collect, i);
	else if (collect->slot[i].stream != FORGONE)
		stream = &collect->output.stream[collect->slot[i].stream];
	if (!stream)
		pass_over(collect, i);
	else if (all || state == KRON_WIRE_DONE || worth(collect, i, stream, now))
		bytes = drain(collect, i, stream);
	if (state == KRON_WIRE_DONE) {
		settle(collect, i);
		__atomic_store_n(&ring->state, KRON_WIRE_FREE, __ATOMIC_RELEASE);
	}
	return bytes;
}

static bool process_gone(uint32_t pid)
{
	return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static bool thread_gone(const struct kron_wire_ring *ring)
{
	return syscall(SYS_tgkill, ring->pid, ring->tid, 0) != 0 && errno == ESRCH;
}

/* Who claimed a slot and died before it was filled in does not need it. */
static void free_claim(uint32_t *state, uint32_t seen)
{
	if (KRON_WIRE_STATE(seen) == KRON_WIRE_CLAIMED && process_gone(KRON_WIRE_CLAIMER(seen)))
		__atomic_compare_exchange_n(state, &seen, KRON_WIRE_FREE, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
}

/* A thread can end without libkron knowing: it was unloaded, or there are destructors behind its own. */
static void look_for_threads(struct collect *collect)
{
	for (uint32_t i = 0; i < rings_used(collect); i++) {
		struct kron_wire_ring *ring = ring_at(collect, i);
		uint32_t state = state_of(&ring->state);

		free_claim(&ring->state, state);
		if (state == KRON_WIRE_LIVE && thread_gone(ring))
			__atomic_store_n(&ring->state, KRON_WIRE_DONE, __ATOMIC_RELEASE);
	}
}

/* The process is gone, or has become another program: so are its rings. */
static void end_process(struct collect *collect, uint32_t i)
{
	struct kron_wire_process *process = process_at(collect, i);

	for (uint32_t r = 0; r < rings_used(collect); r++) {
		struct kron_wire_ring *ring = ring_at(collect, r);
		uint32_t state = state_of(&ring->state);

		if ((state != KRON_WIRE_LIVE && state != KRON_WIRE_DONE) || ring->process != i)
			continue;
		__atomic_store_n(&ring->state, KRON_WIRE_DONE, __ATOMIC_RELEASE);
		step_ring(collect, r, true, 0);
	}
	collect_output_process_end(&collect->output, i, process);
	__atomic_store_n(&process->state, KRON_WIRE_FREE, __ATOMIC_RELEASE);
}

static void look_for_processes(struct collect *collect)
{
	for (uint32_t i = 0; i < KRON_WIRE_PROCESSES; i++) {
		struct kron_wire_process *process = process_at(collect, i);
		uint32_t state = state_of(&process->state);

		free_claim(&process->state, state);
		if (state != KRON_WIRE_LIVE && state != KRON_WIRE_DONE)
			continue;
		collect_output_process(&collect->output, i, process);
		if (state == KRON_WIRE_DONE || process_gone(process->pid))
			end_process(collect, i);
	}
}

uint64_t collect_step(struct collect *collect, bool all)
{
	int64_t now = now_ns();
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < rings_used(collect); i++)
		bytes += step_ring(collect, i, all, now);
	if (now >= collect->next_look) {
		look_for_threads(collect);
		look_for_processes(collect);
		collect->next_look = now + LOOK_NS;
	}
	if (now >= collect->next_point) {
		collect_output_point(&collect->output);
		collect->next_point = now + POINT_NS;
	}
	return bytes;
}

void collect_sleep(struct collect *collect, unsigned milliseconds)
{
	struct timespec timeout = { .tv_sec = milliseconds / 1000,
				    .tv_nsec = (long)(milliseconds % 1000) * 1000000 };
	uint32_t *asleep = &collect->wire->asleep;

	__atomic_store_n(asleep, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, asleep, FUTEX_WAIT, 1, &timeout, NULL, 0);
	__atomic_store_n(asleep, 0, __ATOMIC_RELAXED);
}

/* From here on nothing is triggered; what still comes in the same instant is not part of the trace. */
static void stop_triggers(struct collect *collect)
{
	__atomic_store_n(&collect->wire->closed, 1, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < KRON_WIRE_PROCESSES; i++)
		__atomic_store_n(&process_at(collect, i)->filter, 0, __ATOMIC_SEQ_CST);
}

int collect_close(struct collect *collect, int exit_code, struct collect_totals *totals)
{
	int error, cause;

	stop_triggers(collect);
	collect_step(collect, true);
	for (uint32_t i = 0; i < KRON_WIRE_PROCESSES; i++) {
		struct kron_wire_process *process = process_at(collect, i);
		uint32_t state = state_of(&process->state);

		if (state == KRON_WIRE_LIVE || state == KRON_WIRE_DONE)
			collect_output_process(&collect->output, i, process);
	}
	collect_output_use_reserve(&collect->output);
	/* The slots are not freed: programs that go on may be at the end of a trigger. */
	for (uint32_t i = 0; i < collect->start.rings; i++)
		settle(collect, i);
	for (uint32_t i = 0; i < KRON_WIRE_PROCESSES; i++)
		collect_output_process_end(&collect->output, i, process_at(collect, i));
	error = collect_output_close(&collect->output, exit_code,
				     __atomic_load_n(&collect->wire->refused, __ATOMIC_RELAXED),
				     totals);
	cause = errno;
	release(collect);
	errno = cause;
	return error;
}
