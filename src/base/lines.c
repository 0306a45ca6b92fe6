/* SPDX-License-Identifier: Apache-2.0 */
/* The line reader of base/io.h. buffer[start..end) is read and not yet returned. */
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "base/io.h"

void base_lines_init(struct base_lines *lines, struct base_io *io, int fd)
{
	lines->io = io;
	lines->fd = fd;
	lines->number = 0;
	lines->start = 0;
	lines->end = 0;
	lines->at_end = false;
	lines->skipping = false;
}

/* One read behind what is there; needs room. */
static int lines_fill(struct base_lines *lines)
{
	ssize_t got;

	do
		got = lines->io->read(lines->io, lines->fd, lines->buffer + lines->end,
				      sizeof(lines->buffer) - lines->end);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -KRON_EIO;
	if (got == 0)
		lines->at_end = true;
	lines->end += (size_t)got;
	return 0;
}

static char *lines_newline(struct base_lines *lines)
{
	return memchr(lines->buffer + lines->start, '\n', lines->end - lines->start);
}

/* The rest of a line that was too long: throw it away up to its newline. Only when somebody asks for the
 * line behind it, which may never come. */
static int lines_skip(struct base_lines *lines)
{
	char *newline = NULL;

	while (!newline && !lines->at_end) {
		int error;

		lines->start = 0;
		lines->end = 0;
		error = lines_fill(lines);
		if (error)
			return error;
		newline = lines_newline(lines);
	}
	lines->start = newline ? (size_t)(newline - lines->buffer) + 1 : lines->end;
	lines->skipping = false;
	return 0;
}

/* The line in buffer[start..stop) is complete. */
static int lines_take(struct base_lines *lines, size_t stop, char **line)
{
	char *text = lines->buffer + lines->start;
	size_t length = stop - lines->start;

	lines->number++;
	lines->start = stop < lines->end ? stop + 1 : stop;
	if (memchr(text, 0, length))
		return -KRON_ESYNTAX;
	text[length] = 0;
	*line = text;
	return 1;
}

int base_lines_next(struct base_lines *lines, char **line)
{
	for (;;) {
		char *newline;
		int error = lines->skipping ? lines_skip(lines) : 0;

		if (error)
			return error;
		newline = lines_newline(lines);
		if (newline)
			return lines_take(lines, (size_t)(newline - lines->buffer), line);
		memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
		lines->end -= lines->start;
		lines->start = 0;
		if (lines->end == sizeof(lines->buffer)) {
			lines->number++;
			lines->skipping = true;
			return -KRON_ESYNTAX;
		}
		if (lines->at_end)
			return lines->end ? lines_take(lines, lines->end, line) : 0;
		error = lines_fill(lines);
		if (error)
			return error;
	}
}
