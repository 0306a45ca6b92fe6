/* SPDX-License-Identifier: Apache-2.0 */
/* trace_ctf_mend() of trace/ctf.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"
#include "trace/ctf.h"
#include "trace/ctf_dir.h"

#define SIZE_OFFSET 40 /* of packet_size, in the packet */

static uint64_t get_u64(const uint8_t *at)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

/* Returns how many bytes were there to read, at most size, or -KRON_EIO. */
static int read_some(struct base_io *io, int fd, uint8_t *data, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t count = io->read(io, fd, data + done, size - done);

		if (count == 0)
			break;
		if (count > 0)
			done += (size_t)count;
		else if (errno != EINTR)
			return -KRON_EIO;
	}
	return (int)done;
}

/* Where the complete packets end. The descriptor ends up anywhere. */
static int find_end(struct base_io *io, int fd, uint64_t size, uint64_t *end)
{
	static const uint8_t magic[] = { TRACE_MAGIC & 0xff, TRACE_MAGIC >> 8 & 0xff,
					 TRACE_MAGIC >> 16 & 0xff, TRACE_MAGIC >> 24 };
	uint8_t header[TRACE_HEADER_BYTES];
	uint64_t bits;

	for (*end = 0; *end < size; *end += bits / CHAR_BIT) {
		int count;

		if (lseek(fd, (off_t)*end, SEEK_SET) < 0)
			return -KRON_EIO;
		count = read_some(io, fd, header, sizeof(header));
		if (count < 0)
			return count;
		if (memcmp(header, magic, count < 4 ? (size_t)count : sizeof(magic)))
			return -KRON_ECORRUPT;
		if (count < TRACE_HEADER_BYTES)
			return 0;
		bits = get_u64(header + SIZE_OFFSET);
		if (bits < TRACE_HEADER_BYTES * CHAR_BIT || bits % CHAR_BIT ||
		    bits > TRACE_PACKET_BYTES * CHAR_BIT)
			return -KRON_ECORRUPT;
		if (bits / CHAR_BIT > size - *end)
			return 0;
	}
	return 0;
}

static int mend_fd(struct base_io *io, int fd, uint64_t *removed)
{
	struct stat stat;
	uint64_t end;
	int error;

	if (fstat(fd, &stat))
		return -KRON_EIO;
	error = find_end(io, fd, (uint64_t)stat.st_size, &end);
	if (error || end == (uint64_t)stat.st_size)
		return error;
	if (ftruncate(fd, (off_t)end))
		return -KRON_EIO;
	*removed += (uint64_t)stat.st_size - end;
	return 0;
}

struct mending {
	struct base_io *io;
	struct trace_path path;
	uint64_t removed;
};

static int mend_entry(void *context, const struct dirent64 *entry)
{
	struct mending *mending = context;
	struct base_io *io = mending->io;
	int fd, error;

	if (!trace_dir_is_stream(entry->d_name))
		return 0;
	fd = io->open(io, trace_path_file(&mending->path, entry->d_name), O_RDWR | O_NOFOLLOW, 0);
	if (fd < 0)
		return -KRON_EIO;
	error = mend_fd(io, fd, &mending->removed);
	if (error) {
		int cause = errno;

		io->close(io, fd);
		errno = cause;
		return error;
	}
	return io->close(io, fd) ? -KRON_EIO : 0;
}

int trace_ctf_mend(struct base_io *io, struct base_alloc *alloc, const char *dir, uint64_t *removed)
{
	struct mending mending = { .io = io };
	enum trace_place place = TRACE_PLACE_OTHER;
	int fd = -1, error, cause;

	error = trace_path_init(&mending.path, alloc, dir, "");
	if (error)
		return error;
	error = trace_dir_place(io, trace_path_dir(&mending.path), &place);
	if (!error && place != TRACE_PLACE_TRACE && place != TRACE_PLACE_VISITED)
		error = -KRON_ECORRUPT;
	if (!error)
		error = trace_dir_open(io, trace_path_dir(&mending.path), &fd, &place);
	if (!error && fd < 0)
		error = -KRON_ECORRUPT;
	if (!error)
		error = trace_dir_walk(fd, mend_entry, &mending);
	cause = errno;
	if (fd >= 0)
		io->close(io, fd);
	base_alloc_free(alloc, mending.path.text);
	errno = cause;
	if (!error)
		*removed = mending.removed;
	return error;
}
