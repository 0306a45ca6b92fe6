/* SPDX-License-Identifier: Apache-2.0 */
/* The buffered writer of base/io.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/io.h"

void base_out_init(struct base_out *out, struct base_io *io, int fd)
{
	out->io = io;
	out->fd = fd;
	out->error = 0;
	out->saved_errno = 0;
	out->used = 0;
}

void base_out_fail(struct base_out *out, int error, int cause)
{
	if (out->error)
		return;
	out->error = error;
	out->saved_errno = cause;
}

static void out_drain(struct base_out *out)
{
	int error;

	if (out->error || !out->used)
		return;
	error = base_io_write_all(out->io, out->fd, out->buffer, out->used);
	if (error)
		base_out_fail(out, error, errno);
	out->used = 0;
}

void base_out_write(struct base_out *out, const void *data, size_t size)
{
	const char *rest = data;

	while (size && !out->error) {
		size_t part = sizeof(out->buffer) - out->used;

		if (!part) {
			out_drain(out);
			continue;
		}
		if (part > size)
			part = size;
		memcpy(out->buffer + out->used, rest, part);
		out->used += part;
		rest += part;
		size -= part;
	}
}

void base_out_text(struct base_out *out, const char *text)
{
	base_out_write(out, text, strlen(text));
}

/* Returns whether it fitted behind what is there; if not, the buffer counts as it was. */
static bool out_format(struct base_out *out, const char *format, va_list list)
	__attribute__((format(printf, 2, 0)));

static bool out_format(struct base_out *out, const char *format, va_list list)
{
	size_t room = sizeof(out->buffer) - out->used;
	int length = vsnprintf(out->buffer + out->used, room, format, list);

	if (length < 0) {
		base_out_fail(out, -KRON_EIO, errno);
		return true;
	}
	if ((size_t)length >= room)
		return false;
	out->used += (size_t)length;
	return true;
}

void base_out_printf(struct base_out *out, const char *format, ...)
{
	va_list list, again;

	if (out->error)
		return;
	va_start(list, format);
	va_copy(again, list);
	if (!out_format(out, format, list)) {
		out_drain(out);
		if (!out->error && !out_format(out, format, again))
			base_out_fail(out, -KRON_EIO, EMSGSIZE);
	}
	va_end(again);
	va_end(list);
}

int base_out_flush(struct base_out *out)
{
	out_drain(out);
	if (out->error)
		errno = out->saved_errno;
	return out->error;
}
