/* SPDX-License-Identifier: Apache-2.0 */
/* The directory that is a trace: what stands at a path, and making room for a new one. */
#ifndef TRACE_CTF_DIR_H
#define TRACE_CTF_DIR_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/alloc.h"
#include "base/io.h"

#define TRACE_FILE_METADATA "metadata"
#define TRACE_FILE_JSON     ".kron.json"
#define TRACE_FILE_STREAM   "stream_" /* and a number */
#define TRACE_NAME_BYTES    32        /* of any of these, its slash and its number included */

/* What a path is, as far as it matters here. */
enum trace_place {
	TRACE_PLACE_ABSENT,
	TRACE_PLACE_EMPTY,   /* a directory without entries */
	TRACE_PLACE_TRACE,   /* a trace and nothing else */
	TRACE_PLACE_VISITED, /* a trace and other things */
	TRACE_PLACE_OTHER,   /* all else; symbolic links, too */
};

/* A directory's path, and with a name behind it a file's. */
struct trace_path {
	char *text; /* to be freed */
	size_t dir; /* length of the directory's part */
};

/* The path of dir with a suffix. Returns 0; -KRON_EINVAL if dir is empty or the root;
 * -KRON_ENOMEM. */
int trace_path_init(struct trace_path *path, struct base_alloc *alloc, const char *dir,
		    const char *suffix);

/* The directory, or a file in it. Valid until the next such call. */
const char *trace_path_dir(struct trace_path *path);
const char *trace_path_file(struct trace_path *path, const char *name);
const char *trace_path_stream(struct trace_path *path, unsigned stream);

bool trace_dir_is_stream(const char *name);

/* After a failed system call: -KRON_EEXIST or -KRON_EIO, by errno. */
int trace_dir_error(void);

/* Open the directory at path without following a symbolic link. Returns 0 and its descriptor in
 * *fd; 0, -1 in *fd and what it is in *place if it is absent or no directory; -KRON_EIO. */
int trace_dir_open(struct base_io *io, const char *path, int *fd, enum trace_place *place);

/* Call visit() for every entry but . and .. of an open directory; what it returns, if not 0, ends
 * the walk. Returns 0, that value, or -KRON_EIO. */
int trace_dir_walk(int fd, int (*visit)(void *context, const struct dirent64 *entry),
		   void *context);

/* Returns 0 or -KRON_EIO. */
int trace_dir_place(struct base_io *io, const char *path, enum trace_place *place);

/* Keep others from moving a trace aside while it is written. Returns a descriptor that holds the lock until
 * it is closed or the process ends; -KRON_EBUSY if somebody else has it; -KRON_EIO. */
int trace_dir_lock(const char *dir);

/* See to an empty directory at path, as trace_ctf_open() says; *created tells whether it was made
 * here. Returns 0, -KRON_EEXIST, -KRON_EBUSY, -KRON_EIO. */
int trace_dir_make(struct base_io *io, struct trace_path *path, struct trace_path *old,
		   bool *created);

#endif
