/* SPDX-License-Identifier: Apache-2.0 */
#include "support/loopback.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "unit/test.h"

/* The recorder's own mapping. */
static struct kron_wire *find_memory(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start = 0, found;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "/memfd:kron") && sscanf(line, "%lx", &found) == 1)
			if (!start || ((struct kron_wire *)found)->closed == 0)
				start = found;
	fclose(maps);
	CHECK(start);
	return (void *)start;
}

static void *map_memory(const char *path, void *place, uint64_t bytes)
{
	int fd = open(path, O_RDWR);
	void *map = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (place ? MAP_FIXED : 0),
			 fd, 0);

	CHECK(map != MAP_FAILED);
	close(fd);
	return map;
}

int loopback_open(struct loopback *loopback)
{
	struct collect_config config = { .dir = LOOPBACK_TRACE,
					 .command = "loopback",
					 .ring_bytes = loopback->ring_bytes,
					 .rings = loopback->rings,
					 .filter = 0xffff,
					 .policy = loopback->policy };
	int error = collect_open(&loopback->collect, loopback->io, loopback->alloc, &config);

	if (error)
		return error;
	loopback->wire = find_memory();
	if (!loopback->same_addresses)
		loopback->wire = map_memory(collect_environment(loopback->collect), NULL,
					    loopback->wire->total_bytes);
	probe_attach(loopback->wire);
	CHECK_EQUAL(kron_filter_get(), 0xffff);
	return 0;
}

int loopback_close(struct loopback *loopback, struct collect_totals *totals)
{
	uint64_t bytes = loopback->wire->total_bytes;
	char path[64];
	int fd = open(collect_environment(loopback->collect), O_RDWR);
	int error;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	probe_forget();
	error = collect_close(loopback->collect, 0, totals);
	if (loopback->same_addresses)
		map_memory(path, loopback->wire, bytes);
	close(fd);
	return error;
}

struct kron_wire_ring *loopback_ring(const struct loopback *loopback, uint32_t i)
{
	return (void *)((char *)loopback->wire + loopback->wire->ring_offset +
			i * loopback->wire->ring_stride);
}

struct kron_wire_process *loopback_process(const struct loopback *loopback, uint32_t i)
{
	return (void *)((char *)loopback->wire + loopback->wire->process_offset +
			(uint64_t)i * KRON_WIRE_PROCESS_STRIDE);
}
