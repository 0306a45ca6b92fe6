/* SPDX-License-Identifier: Apache-2.0 */
/* perf events of the calling thread. The program may close our descriptors, and open files of its own
 * in their place: every use first asks the kernel whether the descriptor still is that event. */
#include "probe/probe.h"
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FD_MIN 500 /* out of the way of programs that count on low numbers */

static bool still_ours(int fd, uint64_t id)
{
	uint64_t now;

	return fd >= 0 && ioctl(fd, PERF_EVENT_IOC_ID, &now) == 0 && now == id;
}

int probe_perf_open(uint32_t type, uint64_t config, uint64_t *id)
{
	struct perf_event_attr attr;
	int fd, high;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = type;
	attr.config = config;
	attr.exclude_hv = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		attr.exclude_kernel = 1; /* what an ordinary user may count */
		fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	}
	if (fd < 0)
		return -1;
	high = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	if (ioctl(fd, PERF_EVENT_IOC_ID, id) == 0)
		return fd;
	close(fd);
	return -1;
}

void probe_perf_close(int fd, uint64_t id)
{
	if (still_ours(fd, id))
		close(fd);
}

bool probe_perf_read(int fd, uint64_t id, uint64_t *value)
{
	return still_ours(fd, id) && read(fd, value, sizeof(*value)) == sizeof(*value);
}
