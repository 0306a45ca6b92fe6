/* SPDX-License-Identifier: Apache-2.0 */
#include "support/mini_recorder.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

bool mini_recorder_open(struct mini_recorder *recorder, uint32_t rings, uint64_t ring_bytes,
			uint32_t filter, enum kron_wire_policy policy)
{
	uint64_t process_bytes = (uint64_t)KRON_WIRE_PROCESSES * KRON_WIRE_PROCESS_STRIDE;
	uint64_t ring_offset = KRON_WIRE_PAGE + process_bytes;
	uint64_t stride = KRON_WIRE_PAGE + ring_bytes;
	uint64_t total = ring_offset + rings * stride;
	int fd = memfd_create("kron", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	void *map;

	if (fd < 0)
		return false;
	if (ftruncate(fd, (off_t)total) != 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0 ||
	    (map = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED) {
		close(fd);
		return false;
	}
	recorder->fd = fd;
	recorder->wire = map;
	*recorder->wire = (struct kron_wire){
		.magic = KRON_WIRE_MAGIC,
		.version = KRON_WIRE_VERSION,
		.total_bytes = total,
		.process_offset = KRON_WIRE_PAGE,
		.ring_offset = ring_offset,
		.ring_bytes = ring_bytes,
		.ring_stride = stride,
		.rings = rings,
		.recorder_pid = (uint32_t)getpid(),
		.filter = filter,
		.policy = policy,
	};
	return true;
}

void mini_recorder_close(struct mini_recorder *recorder)
{
	munmap(recorder->wire, recorder->wire->total_bytes);
	close(recorder->fd);
}

static void run_child(const char *ring, const char *preload, const char *const argv[], int output)
{
	dup2(output, STDOUT_FILENO);
	if (ring)
		setenv(KRON_WIRE_ENV, ring, 1);
	else
		unsetenv(KRON_WIRE_ENV);
	if (preload) { /* by name and folder: the loader splits LD_PRELOAD at spaces */
		const char *name = strrchr(preload, '/') + 1;
		char folder[4096];

		snprintf(folder, sizeof(folder), "%.*s", (int)(name - preload), preload);
		setenv("LD_LIBRARY_PATH", folder, 1);
		setenv("LD_PRELOAD", name, 1);
	}
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

static void read_all(int fd, char *output, size_t size)
{
	char rest[4096]; /* what does not fit is read, too, or the program would wait */
	size_t length = 0;
	ssize_t got;

	do {
		bool room = length + 1 < size;

		got = room ? read(fd, output + length, size - 1 - length)
			   : read(fd, rest, sizeof(rest));
		if (got > 0 && room)
			length += (size_t)got;
	} while (got > 0);
	if (size)
		output[length] = '\0';
}

int mini_recorder_run(const struct mini_recorder *recorder, const char *preload,
		      const char *const argv[], char *output, size_t size)
{
	char ring[64];
	int ends[2];
	int status = -1;
	pid_t child;

	if (recorder)
		snprintf(ring, sizeof(ring), "/proc/%d/fd/%d", (int)getpid(), recorder->fd);
	if (pipe(ends) != 0)
		return -1;
	child = fork();
	if (child == 0) {
		close(ends[0]);
		run_child(recorder ? ring : NULL, preload, argv, ends[1]);
	}
	close(ends[1]);
	if (child > 0) {
		read_all(ends[0], output, size);
		if (waitpid(child, &status, 0) != child)
			status = -1;
	}
	close(ends[0]);
	return status;
}

struct kron_wire_process *mini_recorder_process(const struct mini_recorder *recorder, uint32_t i)
{
	return (void *)((char *)recorder->wire + recorder->wire->process_offset +
			(uint64_t)i * KRON_WIRE_PROCESS_STRIDE);
}

struct kron_wire_ring *mini_recorder_ring(const struct mini_recorder *recorder, uint32_t i)
{
	return (void *)((char *)recorder->wire + recorder->wire->ring_offset +
			(uint64_t)i * recorder->wire->ring_stride);
}

bool mini_recorder_next(const struct mini_recorder *recorder, const struct kron_wire_ring *ring,
			uint64_t *offset, struct mini_event *event)
{
	/* Counts from ring_bytes on; nothing is ever consumed here. */
	uint64_t used = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) - recorder->wire->ring_bytes;
	const char *base = (const char *)ring + KRON_WIRE_PAGE;

	if (used > recorder->wire->ring_bytes)
		return false;
	while (*offset < used) {
		const uint64_t *slot = (const void *)(base + *offset);
		unsigned type = slot[0] >> KRON_WIRE_TYPE_SHIFT & 3;
		bool resource = type == KRON_WIRE_RESOURCE;

		*offset += resource ? KRON_WIRE_RESOURCE_BYTES : KRON_WIRE_TRACE_BYTES;
		if (type == KRON_WIRE_PAD || type == KRON_WIRE_NOTE)
			continue;
		*event = (struct mini_event){ slot[0], slot[1],
					      resource ? (const uint32_t *)(slot + 2) : NULL };
		return true;
	}
	return false;
}
