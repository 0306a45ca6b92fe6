/* SPDX-License-Identifier: Apache-2.0 */
#include "base/io.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"

static int system_open(struct base_io *io, const char *path, int flags, unsigned mode)
{
	(void)io;
	return open(path, flags | O_CLOEXEC, mode);
}

static int system_close(struct base_io *io, int fd)
{
	(void)io;
	return close(fd);
}

static ssize_t system_read(struct base_io *io, int fd, void *data, size_t size)
{
	(void)io;
	return read(fd, data, size);
}

static ssize_t system_write(struct base_io *io, int fd, const void *data, size_t size)
{
	(void)io;
	return write(fd, data, size);
}

static int system_mkdir(struct base_io *io, const char *path, unsigned mode)
{
	(void)io;
	return mkdir(path, mode);
}

static int system_rename(struct base_io *io, const char *from, const char *to)
{
	(void)io;
	return rename(from, to);
}

static int system_unlink(struct base_io *io, const char *path)
{
	(void)io;
	return unlink(path);
}

static int system_rmdir(struct base_io *io, const char *path)
{
	(void)io;
	return rmdir(path);
}

struct base_io base_io_system = {
	.open = system_open,
	.close = system_close,
	.read = system_read,
	.write = system_write,
	.mkdir = system_mkdir,
	.rename = system_rename,
	.unlink = system_unlink,
	.rmdir = system_rmdir,
};

int base_io_write_all(struct base_io *io, int fd, const void *data, size_t size)
{
	const char *rest = data;

	while (size) {
		ssize_t written = io->write(io, fd, rest, size);

		if (written > 0) {
			rest += written;
			size -= (size_t)written;
		} else if (written == 0) {
			/* Nothing taken and nothing said: trying again could go on for ever. */
			errno = EIO;
			return -KRON_EIO;
		} else if (errno != EINTR) {
			return -KRON_EIO;
		}
	}
	return 0;
}
