/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/ctf_dir.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "base/error.h"

/* Trailing slashes would make a symbolic link its target, and "x/.old" of "x/" + ".old". */
int trace_path_init(struct trace_path *path, struct base_alloc *alloc, const char *dir,
		    const char *suffix)
{
	size_t length = strlen(dir);

	while (length && dir[length - 1] == '/')
		length--;
	if (!length)
		return -KRON_EINVAL;
	path->dir = length + strlen(suffix);
	path->text = base_alloc_get(alloc, path->dir + TRACE_NAME_BYTES);
	if (!path->text)
		return -KRON_ENOMEM;
	memcpy(path->text, dir, length);
	memcpy(path->text + length, suffix, strlen(suffix));
	return 0;
}

const char *trace_path_dir(struct trace_path *path)
{
	path->text[path->dir] = '\0';
	return path->text;
}

const char *trace_path_file(struct trace_path *path, const char *name)
{
	size_t length = strlen(name);

	assert(length < TRACE_NAME_BYTES - 1);
	path->text[path->dir] = '/';
	memcpy(path->text + path->dir + 1, name, length + 1);
	return path->text;
}

const char *trace_path_stream(struct trace_path *path, unsigned stream)
{
	snprintf(path->text + path->dir, TRACE_NAME_BYTES, "/" TRACE_FILE_STREAM "%u", stream);
	return path->text;
}

bool trace_dir_is_stream(const char *name)
{
	size_t prefix = strlen(TRACE_FILE_STREAM), length = strlen(name);

	return length > prefix && length < TRACE_NAME_BYTES - 1 &&
	       !memcmp(name, TRACE_FILE_STREAM, prefix) &&
	       strspn(name + prefix, "0123456789") == length - prefix;
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

int trace_dir_error(void)
{
	return errno == EEXIST ? -KRON_EEXIST : -KRON_EIO;
}

/* struct base_io has no call for this; getdents64() needs nothing but the descriptor. */
int trace_dir_walk(int fd, int (*visit)(void *context, const struct dirent64 *entry), void *context)
{
	_Alignas(struct dirent64) char buffer[4096];
	ssize_t size;
	int error = 0;

	while (!error && (size = getdents64(fd, buffer, sizeof(buffer))) != 0) {
		if (size < 0)
			return -KRON_EIO;
		for (char *at = buffer; !error && at < buffer + size;) {
			struct dirent64 *entry = (void *)at;

			if (!is_dots(entry->d_name))
				error = visit(context, entry);
			at += entry->d_reclen;
		}
	}
	return error;
}

struct census {
	bool metadata, json, streams, others;
};

static int census_take(void *context, const struct dirent64 *entry)
{
	struct census *census = context;
	bool file = entry->d_type == DT_REG || entry->d_type == DT_UNKNOWN;

	if (file && !strcmp(entry->d_name, TRACE_FILE_METADATA))
		census->metadata = true;
	else if (file && !strcmp(entry->d_name, TRACE_FILE_JSON))
		census->json = true;
	else if (file && trace_dir_is_stream(entry->d_name))
		census->streams = true;
	else
		census->others = true;
	return 0;
}

int trace_dir_open(struct base_io *io, const char *path, int *fd, enum trace_place *place)
{
	*fd = io->open(io, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
	if (*fd >= 0)
		return 0;
	if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
		return -KRON_EIO;
	*place = errno == ENOENT ? TRACE_PLACE_ABSENT : TRACE_PLACE_OTHER;
	return 0;
}

int trace_dir_place(struct base_io *io, const char *path, enum trace_place *place)
{
	struct census census = { 0 };
	int fd, error;

	error = trace_dir_open(io, path, &fd, place);
	if (error || fd < 0)
		return error;
	error = trace_dir_walk(fd, census_take, &census);
	io->close(io, fd);
	if (census.metadata && census.json)
		*place = census.others ? TRACE_PLACE_VISITED : TRACE_PLACE_TRACE;
	else if (census.metadata || census.json || census.streams || census.others)
		*place = TRACE_PLACE_OTHER;
	else
		*place = TRACE_PLACE_EMPTY;
	return error;
}

struct removal {
	struct base_io *io;
	struct trace_path *path;
};

static int remove_stream(void *context, const struct dirent64 *entry)
{
	struct removal *removal = context;

	if (!trace_dir_is_stream(entry->d_name))
		return 0;
	return removal->io->unlink(removal->io, trace_path_file(removal->path, entry->d_name))
		       ? -KRON_EIO
		       : 0;
}

/* Streams first: until the last of them is gone it is still a trace, so if this is interrupted the
 * next one can go on. */
static int remove_trace(struct base_io *io, struct trace_path *path)
{
	struct removal removal = { io, path };
	enum trace_place place;
	int fd, error;

	error = trace_dir_open(io, trace_path_dir(path), &fd, &place);
	if (error)
		return error;
	if (fd < 0)
		return -KRON_EEXIST;
	error = trace_dir_walk(fd, remove_stream, &removal);
	io->close(io, fd);
	if (error)
		return error;
	if (io->unlink(io, trace_path_file(path, TRACE_FILE_JSON)) ||
	    io->unlink(io, trace_path_file(path, TRACE_FILE_METADATA)) ||
	    io->rmdir(io, trace_path_dir(path)))
		return -KRON_EIO;
	return 0;
}

/* Rename the trace at path to old, in place of the trace there. */
static int move_aside(struct base_io *io, struct trace_path *path, struct trace_path *old)
{
	enum trace_place place;
	int error;

	error = trace_dir_place(io, trace_path_dir(old), &place);
	if (error)
		return error;
	if (place != TRACE_PLACE_ABSENT && place != TRACE_PLACE_TRACE)
		return -KRON_EEXIST;
	if (place == TRACE_PLACE_TRACE) {
		error = remove_trace(io, old);
		if (error)
			return error;
	}
	return io->rename(io, trace_path_dir(path), trace_path_dir(old)) ? trace_dir_error() : 0;
}

int trace_dir_lock(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -KRON_EIO;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	close(fd);
	return -KRON_EBUSY;
}

int trace_dir_make(struct base_io *io, struct trace_path *path, struct trace_path *old,
		   bool *created)
{
	enum trace_place place;
	int error;

	*created = false;
	error = trace_dir_place(io, trace_path_dir(path), &place);
	if (error || place == TRACE_PLACE_EMPTY)
		return error;
	if (place == TRACE_PLACE_OTHER)
		return -KRON_EEXIST;
	if (place != TRACE_PLACE_ABSENT) {
		int lock = trace_dir_lock(trace_path_dir(path));

		if (lock == -KRON_EBUSY)
			return lock;
		error = move_aside(io, path, old);
		if (lock >= 0)
			close(lock);
		if (error)
			return error;
	}
	if (io->mkdir(io, trace_path_dir(path), 0777))
		return trace_dir_error();
	*created = true;
	return 0;
}
