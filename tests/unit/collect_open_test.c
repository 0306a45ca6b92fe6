/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's memory and directory: made, refused, cleaned up; slots that nobody ends; links. */
#include "support/fault.h"
#include "support/files.h"
#include "support/loopback.h"
#include "unit/test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/error.h"

static struct loopback loop;

static void open_loop(uint32_t rings)
{
	loop = (struct loopback){ .io = &base_io_system,
				  .alloc = &base_alloc_system,
				  .rings = rings,
				  .ring_bytes = 4096 };
	CHECK_EQUAL(loopback_open(&loop), 0);
}

/* Memory and files fail at every call: the error comes back, nothing is left. */
static int record_something(struct fault *fault, void *context)
{
	struct collect_totals totals;
	int error, cause;

	(void)context;
	loop = (struct loopback){
		.io = &fault->io, .alloc = &fault->alloc, .rings = 2, .ring_bytes = 4096
	};
	error = loopback_open(&loop);
	if (error) {
		cause = errno;
		CHECK(!files_exist(LOOPBACK_TRACE));
		errno = cause;
		return error;
	}
	for (unsigned i = 0; i < 100; i++)
		kron_trace(1, i);
	kron_region_begin("a name");
	collect_step(loop.collect, true);
	kron_trace(1, 100);
	error = loopback_close(&loop, &totals);
	cause = errno;
	CHECK_EQUAL(totals.triggered, 102);
	if (error != -KRON_ENOMEM) /* a process that cannot be noted has no account */
		CHECK_EQUAL(totals.triggered,
			    totals.events + totals.lost_disk + totals.lost_no_ring);
	files_wipe(LOOPBACK_TRACE);
	errno = cause;
	return error;
}

static void failures_are_survived(void **state)
{
	(void)state;
	CHECK(fault_walk(record_something, NULL) > 20);
}

static int try_open(const char *dir, uint32_t rings, uint64_t ring_bytes)
{
	struct collect_config config = {
		.dir = dir, .command = "", .ring_bytes = ring_bytes, .rings = rings
	};
	struct collect_totals totals;
	struct collect *collect;
	int error = collect_open(&collect, &base_io_system, &base_alloc_system, &config);

	if (!error)
		CHECK_EQUAL(collect_close(collect, 0, &totals), 0);
	return error;
}

static void nonsense_is_refused(void **state)
{
	(void)state;
	CHECK_EQUAL(try_open("a", 0, 4096), -KRON_EINVAL);
	CHECK_EQUAL(try_open("a", KRON_WIRE_RINGS_MAX + 1, 4096), -KRON_EINVAL);
	CHECK_EQUAL(try_open("a", 1, 2048), -KRON_EINVAL);
	CHECK_EQUAL(try_open("a", 1, 5000), -KRON_EINVAL);
	CHECK_EQUAL(try_open("a", 1, KRON_WIRE_RING_MAX * 2), -KRON_EINVAL);
	CHECK_EQUAL(try_open("", 1, 4096), -KRON_EINVAL);
	CHECK(!files_exist("a"));
	CHECK_EQUAL(try_open("absent/a", 1, 4096), -KRON_EIO);
	CHECK_EQUAL(try_open("a", 1, 4096), 0);
}

/* A link, dangling or not, is no place for a trace. */
static void links_are_not_followed(void **state)
{
	(void)state;
	CHECK_EQUAL(mkdir("victim", 0777), 0);
	CHECK_EQUAL(symlink("victim", "trace"), 0);
	CHECK_EQUAL(try_open("trace", 1, 4096), -KRON_EEXIST);
	CHECK_EQUAL(try_open("trace/", 1, 4096), -KRON_EEXIST);
	CHECK_EQUAL(unlink("trace"), 0);
	CHECK_EQUAL(symlink("nowhere", "trace"), 0);
	CHECK_EQUAL(try_open("trace", 1, 4096), -KRON_EEXIST);
	CHECK_EQUAL(rmdir("victim"), 0); /* empty still */
}

/* Somebody puts links into the directory while the recording goes on. */
static void links_in_the_directory_lead_nowhere(void **state)
{
	struct collect_totals totals;
	uint8_t *text;

	(void)state;
	files_write("victim", "precious", 8);
	open_loop(4);
	CHECK_EQUAL(symlink("../victim", "trace/stream_0"), 0);
	CHECK_EQUAL(symlink("../victim", "trace/.kron.json.new"), 0);
	CHECK_EQUAL(symlink("../victim", "trace/.metadata.new"), 0);
	kron_trace(1, 1);
	collect_step(loop.collect, true);
	CHECK_EQUAL(collect_error(loop.collect), -KRON_EIO);
	CHECK_EQUAL(loopback_close(&loop, &totals), -KRON_EIO);
	CHECK_EQUAL(totals.lost_disk, 1);
	CHECK_EQUAL(files_read("victim", &text), 8);
	CHECK(memcmp(text, "precious", 8) == 0);
	free(text);
}

/* A number that no process has: that of a child which has ended and been waited for. */
static uint32_t dead_pid(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	CHECK_EQUAL(waitpid(child, NULL, 0), child);
	return (uint32_t)child;
}

static void look(void)
{
	usleep(60000); /* it looks that often */
	collect_step(loop.collect, false);
}

/* Killed between claiming a slot and filling it in. */
static void slots_of_the_dead_are_freed(void **state)
{
	struct collect_totals totals;
	uint32_t pid = dead_pid();
	struct kron_wire_process *process;
	struct kron_wire_ring *ring;

	(void)state;
	open_loop(4);
	kron_trace(1, 1);
	ring = loopback_ring(&loop, 1);
	process = loopback_process(&loop, 1);
	loop.wire->rings_used = 3;
	ring->state = KRON_WIRE_CLAIM(pid);
	process->state = KRON_WIRE_CLAIM(pid);
	loopback_ring(&loop, 2)->state = KRON_WIRE_CLAIM(getpid()); /* that one lives */
	look();
	CHECK_EQUAL(ring->state, KRON_WIRE_FREE);
	CHECK_EQUAL(process->state, KRON_WIRE_FREE);
	CHECK_EQUAL(loopback_ring(&loop, 2)->state, KRON_WIRE_CLAIM(getpid()));
	CHECK_EQUAL(loopback_close(&loop, &totals), 0);
}

/* A thread that ended and did not say so. */
static void rings_of_dead_threads_are_freed(void **state)
{
	struct collect_totals totals;
	struct kron_wire_ring *ring;

	(void)state;
	open_loop(4);
	kron_trace(1, 1);
	ring = loopback_ring(&loop, 0);
	CHECK_EQUAL(ring->tid, getpid());
	ring->tid = dead_pid();
	kron_detail_ring = NULL; /* we play that thread, and it is no more */
	look();
	collect_step(loop.collect, false);
	CHECK_EQUAL(ring->state, KRON_WIRE_FREE);
	CHECK_EQUAL(loopback_close(&loop, &totals), 0);
	CHECK_EQUAL(totals.events, 1);
}

/* All rings are taken: what is triggered then is counted, and a ring that becomes free is used. */
static void without_a_ring_events_are_counted(void **state)
{
	struct collect_totals totals;

	(void)state;
	open_loop(1);
	loopback_ring(&loop, 0)->state = KRON_WIRE_CLAIM(getpid());
	for (unsigned i = 0; i < 10; i++)
		kron_trace(1, i);
	loopback_ring(&loop, 0)->state = KRON_WIRE_FREE;
	kron_trace(1, 10);
	CHECK_EQUAL(loopback_close(&loop, &totals), 0);
	CHECK_EQUAL(totals.triggered, 11);
	CHECK_EQUAL(totals.lost_no_ring, 10);
	CHECK_EQUAL(totals.events, 1);
}

/* Nobody but the user gets at the memory. */
static void the_memory_is_private_and_sealed(void **state)
{
	struct collect_totals totals;
	struct stat status;
	int fd;

	(void)state;
	open_loop(1);
	fd = open(collect_environment(loop.collect), O_RDWR);
	CHECK(fd >= 0);
	CHECK_EQUAL(fstat(fd, &status), 0);
	CHECK_EQUAL(status.st_mode & 0777, 0600);
	CHECK_EQUAL(status.st_uid, geteuid());
	CHECK(ftruncate(fd, 4096) != 0 && errno == EPERM);
	CHECK(ftruncate(fd, 1 << 30) != 0 && errno == EPERM);
	close(fd);
	CHECK_EQUAL(loopback_close(&loop, &totals), 0);
}

TEST_MAIN(TEST_IN_DIR(failures_are_survived), TEST_IN_DIR(nonsense_is_refused),
	  TEST_IN_DIR(links_are_not_followed), TEST_IN_DIR(links_in_the_directory_lead_nowhere),
	  TEST_IN_DIR(slots_of_the_dead_are_freed), TEST_IN_DIR(rings_of_dead_threads_are_freed),
	  TEST_IN_DIR(without_a_ring_events_are_counted),
	  TEST_IN_DIR(the_memory_is_private_and_sealed))
