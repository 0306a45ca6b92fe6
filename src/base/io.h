/* SPDX-License-Identifier: Apache-2.0 */
/* Files behind a table, so that a test can fail the n-th call. */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Each as the system call of its name: -1 and errno on failure. Descriptors close on exec. */
struct base_io {
	int (*open)(struct base_io *io, const char *path, int flags, unsigned mode);
	int (*close)(struct base_io *io, int fd);
	ssize_t (*read)(struct base_io *io, int fd, void *data, size_t size);
	ssize_t (*write)(struct base_io *io, int fd, const void *data, size_t size);
	int (*mkdir)(struct base_io *io, const char *path, unsigned mode);
	int (*rename)(struct base_io *io, const char *from, const char *to);
	int (*unlink)(struct base_io *io, const char *path);
	int (*rmdir)(struct base_io *io, const char *path);
};

/* The system's. */
extern struct base_io base_io_system;

/* Write all of it, through interrupted and short writes. Returns 0 or -KRON_EIO. */
int base_io_write_all(struct base_io *io, int fd, const void *data, size_t size);

/* A buffered writer. The first error sticks: later calls do nothing, and base_out_flush() reports
 * it. The struct is the caller's; the descriptor is not closed. */
struct base_out {
	struct base_io *io;
	int fd;
	int error;       /* 0 or -KRON_E... */
	int saved_errno; /* errno of that error */
	size_t used;
	char buffer[16384];
};

void base_out_init(struct base_out *out, struct base_io *io, int fd);
void base_out_write(struct base_out *out, const void *data, size_t size);
void base_out_text(struct base_out *out, const char *text);
/* At most sizeof(buffer) - 1 bytes a call; more is an error (errno EMSGSIZE), never cut text. */
void base_out_printf(struct base_out *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* For layers above: from here on the writer is broken, as if a write had failed with errno
 * `cause`. */
void base_out_fail(struct base_out *out, int error, int cause);
/* Returns 0 or the first error, with errno restored to its cause. */
int base_out_flush(struct base_out *out);

/* A reader of lines, of at most BASE_LINE_MAX bytes each. Reads no further than it must, so it can
 * follow a pipe or a terminal. */
#define BASE_LINE_MAX 4095
struct base_lines {
	struct base_io *io;
	int fd;
	unsigned number; /* of the line returned last, from 1 */
	size_t start, end;
	bool at_end;
	bool skipping; /* the last line was too long, and its end has not been seen */
	char buffer[BASE_LINE_MAX + 1];
};

void base_lines_init(struct base_lines *lines, struct base_io *io, int fd);

/* The next line without its newline in *line, zero-terminated, valid until the next call. The last
 * line needs no newline. Returns 1, or 0 at the end.
 * Returns -KRON_ESYNTAX for a line that is too long or has a zero byte; the next call goes on
 * behind it.
 * Returns -KRON_EIO if reading fails. */
int base_lines_next(struct base_lines *lines, char **line);

#endif
