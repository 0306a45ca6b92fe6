/* SPDX-License-Identifier: Apache-2.0 */
/* The way to the register is the program's own: its environment names the recorder's memory. */
#include "collect/peek.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <kron/wire.h>

#define ENVIRONMENT_MAX (1 << 20)

/* Find NAME=value among zero-terminated strings. */
static const char *find_variable(const char *text, size_t size, const char *name)
{
	size_t length = strlen(name);

	for (size_t at = 0; at < size; at += strlen(text + at) + 1) {
		if (strncmp(text + at, name, length) == 0 && text[at + length] == '=')
			return text + at + length + 1;
	}
	return NULL;
}

/* The recorder's memory, as the environment of the process names it; false if it does not. */
static bool find_memory(pid_t pid, char *path, size_t size)
{
	static char environment[ENVIRONMENT_MAX + 1];
	const char *value;
	char name[64];
	size_t used = 0;
	ssize_t got;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/environ", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (used < ENVIRONMENT_MAX &&
	       (got = read(fd, environment + used, ENVIRONMENT_MAX - used)) > 0)
		used += (size_t)got;
	close(fd);
	environment[used] = '\0';
	value = find_variable(environment, used, KRON_WIRE_ENV);
	if (!value || strlen(value) >= size)
		return false;
	strcpy(path, value);
	return true;
}

/* Everything before the rings. Only memory of the same user that cannot shrink under our feet. */
static struct kron_wire *map_memory(const char *path)
{
	struct kron_wire *wire = MAP_FAILED;
	struct stat status;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int seals = fd < 0 ? -1 : fcntl(fd, F_GET_SEALS);

	if (seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(fd, &status) == 0 &&
	    status.st_uid == geteuid() && status.st_size >= (off_t)KRON_WIRE_RING_OFFSET)
		wire = mmap(NULL, KRON_WIRE_RING_OFFSET, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (wire != MAP_FAILED && kron_wire_good(wire, (uint64_t)status.st_size))
		return wire;
	if (wire != MAP_FAILED)
		munmap(wire, KRON_WIRE_RING_OFFSET);
	return NULL;
}

/* All slots of the process: it may have several copies of libkron. */
static bool access_slots(struct kron_wire *wire, pid_t pid, const uint32_t *groups,
			 uint32_t *before)
{
	bool found = false;

	for (uint32_t i = 0; i < KRON_WIRE_PROCESSES; i++) {
		struct kron_wire_process *process =
			(void *)((char *)wire + KRON_WIRE_PAGE + i * KRON_WIRE_PROCESS_STRIDE);

		if (__atomic_load_n(&process->state, __ATOMIC_ACQUIRE) != KRON_WIRE_LIVE ||
		    process->pid != (uint32_t)pid)
			continue;
		found = true;
		*before = __atomic_load_n(&process->filter, __ATOMIC_RELAXED);
		if (groups)
			__atomic_store_n(&process->filter, *groups & 0xffff, __ATOMIC_RELAXED);
	}
	return found;
}

enum collect_peek_result collect_peek_filter(pid_t pid, const uint32_t *groups, uint32_t *before)
{
	struct kron_wire *wire;
	struct stat status;
	char path[4096];
	bool found;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &status))
		return COLLECT_PEEK_NO_PROCESS;
	if (status.st_uid != geteuid())
		return COLLECT_PEEK_NOT_YOURS;
	if (!find_memory(pid, path, sizeof(path)))
		return COLLECT_PEEK_NOT_RECORDED;
	wire = map_memory(path);
	if (!wire)
		return COLLECT_PEEK_NOT_RECORDED;
	found = !__atomic_load_n(&wire->closed, __ATOMIC_ACQUIRE) &&
		access_slots(wire, pid, groups, before);
	munmap(wire, KRON_WIRE_RING_OFFSET);
	return found ? COLLECT_PEEK_DONE : COLLECT_PEEK_NOT_RECORDED;
}
