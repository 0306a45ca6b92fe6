/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fault.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "unit/test.h"

/* More than any test needs; a walk that gets this far does not end. */
#define WALK_MAX 100000

struct fault_block {
	struct fault_block *next;
	void *ptr;
	size_t size;
};

struct fault_file {
	struct fault_file *next;
	int fd;
	bool writable;
};

static const struct {
	const char *name;
	int cause; /* errno; 0 for a fault that callers are to survive */
	int error; /* what they are to return */
} kinds[] = {
	[FAULT_NONE] = { "no fault", 0, 0 },
	[FAULT_ENOMEM] = { "ENOMEM", ENOMEM, -KRON_ENOMEM },
	[FAULT_EIO] = { "EIO", EIO, -KRON_EIO },
	[FAULT_ENOSPC] = { "ENOSPC", ENOSPC, -KRON_EIO },
	[FAULT_EINTR] = { "EINTR", 0, 0 },
	[FAULT_SHORT] = { "short read or write", 0, 0 },
};

#define KIND_COUNT (sizeof(kinds) / sizeof(kinds[0]))

static struct fault *of_alloc(struct base_alloc *alloc)
{
	return (struct fault *)((char *)alloc - offsetof(struct fault, alloc));
}

static struct fault *of_io(struct base_io *io)
{
	return (struct fault *)((char *)io - offsetof(struct fault, io));
}

/* A call that `kind` is about. Is it the one that fails? */
static bool strikes(struct fault *fault, enum fault_kind kind)
{
	if (fault->kind != kind || ++fault->calls != fault->nth)
		return false;
	fault->hit = true;
	return true;
}

/* An io call that may fail as a whole. */
static bool refuses(struct fault *fault, bool needs_room)
{
	fault->io_calls++;
	if (strikes(fault, FAULT_EIO) || (needs_room && strikes(fault, FAULT_ENOSPC))) {
		errno = kinds[fault->kind].cause;
		return true;
	}
	return false;
}

/* Unlink the block of ptr from the list; the test fails if it is not there. */
static struct fault_block *take_block(struct fault *fault, void *ptr)
{
	for (struct fault_block **link = &fault->blocks; *link; link = &(*link)->next) {
		struct fault_block *block = *link;

		if (block->ptr == ptr) {
			*link = block->next;
			return block;
		}
	}
	fail_msg("memory freed or resized that was not handed out, or twice");
	return NULL;
}

static void drop_block(struct fault_block *block)
{
	free(block->ptr);
	free(block);
}

static void *fault_resize(struct base_alloc *alloc, void *ptr, size_t size)
{
	struct fault *fault = of_alloc(alloc);
	struct fault_block *block;

	if (!size) {
		if (ptr)
			drop_block(take_block(fault, ptr));
		return NULL;
	}
	fault->alloc_calls++;
	if (strikes(fault, FAULT_ENOMEM)) {
		errno = ENOMEM;
		return NULL;
	}
	block = calloc(1, sizeof(*block));
	assert_non_null(block);
	block->ptr = malloc(size);
	assert_non_null(block->ptr);
	block->size = size;
	/* Not the zeros that fresh memory often has, and never the old place: code that relies on
	 * either is wrong. */
	memset(block->ptr, 0xa5, size);
	if (ptr) {
		struct fault_block *old = take_block(fault, ptr);

		memcpy(block->ptr, old->ptr, old->size < size ? old->size : size);
		drop_block(old);
	}
	block->next = fault->blocks;
	fault->blocks = block;
	return block->ptr;
}

static int fault_open(struct base_io *io, const char *path, int flags, unsigned mode)
{
	struct fault *fault = of_io(io);
	struct fault_file *file;
	int fd;

	if (refuses(fault, flags & O_CREAT))
		return -1;
	fd = base_io_system.open(&base_io_system, path, flags, mode);
	if (fd < 0)
		return -1;
	file = calloc(1, sizeof(*file));
	assert_non_null(file);
	file->fd = fd;
	file->writable = (flags & O_ACCMODE) != O_RDONLY;
	file->next = fault->files;
	fault->files = file;
	return fd;
}

/* As on Linux, the descriptor is gone even if closing reports an error. */
static int fault_close(struct base_io *io, int fd)
{
	struct fault *fault = of_io(io);
	struct fault_file **link = &fault->files;
	struct fault_file *file;
	bool writable;

	while (*link && (*link)->fd != fd)
		link = &(*link)->next;
	file = *link;
	if (!file) {
		fail_msg("descriptor %d closed that was not opened, or twice", fd);
		return -1;
	}
	writable = file->writable;
	*link = file->next;
	free(file);
	if (base_io_system.close(&base_io_system, fd))
		return -1;
	return writable && refuses(fault, true) ? -1 : 0;
}

/* What a read or write is told to do: false, or a smaller *size. */
static bool transfers(struct fault *fault, bool needs_room, size_t *size)
{
	if (refuses(fault, needs_room))
		return false;
	if (strikes(fault, FAULT_EINTR)) {
		errno = EINTR;
		return false;
	}
	if (*size > 1 && strikes(fault, FAULT_SHORT))
		*size = 1;
	return true;
}

static ssize_t fault_read(struct base_io *io, int fd, void *data, size_t size)
{
	if (!transfers(of_io(io), false, &size))
		return -1;
	return base_io_system.read(&base_io_system, fd, data, size);
}

static ssize_t fault_write(struct base_io *io, int fd, const void *data, size_t size)
{
	if (!transfers(of_io(io), true, &size))
		return -1;
	return base_io_system.write(&base_io_system, fd, data, size);
}

static int fault_mkdir(struct base_io *io, const char *path, unsigned mode)
{
	if (refuses(of_io(io), true))
		return -1;
	return base_io_system.mkdir(&base_io_system, path, mode);
}

static int fault_rename(struct base_io *io, const char *from, const char *to)
{
	if (refuses(of_io(io), true))
		return -1;
	return base_io_system.rename(&base_io_system, from, to);
}

static int fault_unlink(struct base_io *io, const char *path)
{
	if (refuses(of_io(io), false))
		return -1;
	return base_io_system.unlink(&base_io_system, path);
}

static int fault_rmdir(struct base_io *io, const char *path)
{
	if (refuses(of_io(io), false))
		return -1;
	return base_io_system.rmdir(&base_io_system, path);
}

void fault_init(struct fault *fault, enum fault_kind kind, unsigned nth)
{
	*fault = (struct fault){
		.alloc = { .resize = fault_resize },
		.io = { .open = fault_open,
			.close = fault_close,
			.read = fault_read,
			.write = fault_write,
			.mkdir = fault_mkdir,
			.rename = fault_rename,
			.unlink = fault_unlink,
			.rmdir = fault_rmdir },
		.kind = kind,
		.nth = nth,
	};
}

size_t fault_leaked_blocks(const struct fault *fault)
{
	size_t count = 0;

	for (const struct fault_block *block = fault->blocks; block; block = block->next)
		count++;
	return count;
}

size_t fault_leaked_files(const struct fault *fault)
{
	size_t count = 0;

	for (const struct fault_file *file = fault->files; file; file = file->next)
		count++;
	return count;
}

void fault_clean(struct fault *fault)
{
	while (fault->blocks) {
		struct fault_block *block = fault->blocks;

		fault->blocks = block->next;
		drop_block(block);
	}
	while (fault->files) {
		struct fault_file *file = fault->files;

		fault->files = file->next;
		base_io_system.close(&base_io_system, file->fd);
		free(file);
	}
}

static void check_leaks(struct fault *fault, const char *name)
{
	size_t blocks = fault_leaked_blocks(fault), files = fault_leaked_files(fault);

	fault_clean(fault);
	if (blocks || files)
		fail_msg("%s at call %u leaves %zu blocks of memory and %zu descriptors", name,
			 fault->nth, blocks, files);
}

/* One run with a fault. Returns whether the n-th call came. */
static bool walk_step(struct fault *fault, int (*run)(struct fault *fault, void *ctx), void *ctx,
		      int good)
{
	const char *name = kinds[fault->kind].name;
	int cause = kinds[fault->kind].cause;
	int result, seen;

	errno = 0;
	result = run(fault, ctx);
	seen = errno;
	check_leaks(fault, name);
	if (fault->hit && kinds[fault->kind].error) {
		if (result != kinds[fault->kind].error)
			fail_msg("%s at call %u: returned %d instead of %d", name, fault->nth,
				 result, kinds[fault->kind].error);
		if (result == -KRON_EIO && seen != cause)
			fail_msg("%s at call %u: errno is %d (%s) instead of %d", name, fault->nth,
				 seen, strerror(seen), cause);
	} else if (result != good) {
		fail_msg("%s at call %u: returned %d instead of %d", name, fault->nth, result,
			 good);
	}
	return fault->hit;
}

unsigned fault_walk(int (*run)(struct fault *fault, void *ctx), void *ctx)
{
	struct fault fault;
	unsigned injected = 0;
	int good;

	fault_init(&fault, FAULT_NONE, 0);
	good = run(&fault, ctx);
	check_leaks(&fault, kinds[FAULT_NONE].name);
	if (good < 0)
		fail_msg("the run without faults returned %d", good);
	for (unsigned kind = FAULT_ENOMEM; kind < KIND_COUNT; kind++) {
		for (unsigned nth = 1;; nth++) {
			if (nth > WALK_MAX)
				fail_msg("%s: no end after %d runs", kinds[kind].name, WALK_MAX);
			fault_init(&fault, kind, nth);
			if (!walk_step(&fault, run, ctx, good))
				break;
			injected++;
		}
	}
	return injected;
}
