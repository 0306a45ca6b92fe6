/* SPDX-License-Identifier: Apache-2.0 */
#include "support/capture.h"
#include <errno.h>
#include <string.h>

static ssize_t capture_write(struct base_io *io, int fd, const void *data, size_t size)
{
	struct capture *capture = (struct capture *)((char *)io - offsetof(struct capture, io));
	size_t room = capture->limit - capture->length;

	(void)fd;
	capture->writes++;
	if (size && !room) {
		errno = ENOSPC;
		return -1;
	}
	if (size > room)
		size = room;
	memcpy(capture->text + capture->length, data, size);
	capture->length += size;
	return (ssize_t)size;
}

void capture_init(struct capture *capture)
{
	memset(&capture->io, 0, sizeof(capture->io));
	capture->io.write = capture_write;
	capture->length = 0;
	capture->limit = sizeof(capture->text) - 1;
	capture->writes = 0;
	base_out_init(&capture->out, &capture->io, -1);
}

const char *capture_text(struct capture *capture)
{
	base_out_flush(&capture->out);
	capture->text[capture->length] = 0;
	return capture->text;
}
