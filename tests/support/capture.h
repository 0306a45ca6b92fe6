/* SPDX-License-Identifier: Apache-2.0 */
/* A writer into memory, to look at what was written. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "base/io.h"

struct capture {
	struct base_out out; /* give this to the code under test */
	struct base_io io;
	size_t length;
	size_t limit;     /* writes beyond so many bytes fail with ENOSPC */
	unsigned writes;  /* calls so far */
	char text[65536]; /* zero-terminated by capture_text() */
};

void capture_init(struct capture *capture);

/* Flush, and return all that was written so far; valid until the next write. */
const char *capture_text(struct capture *capture);

#endif
