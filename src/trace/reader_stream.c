/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/reader_stream.h"
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/error.h"

#define TRACE_BYTES    16
#define RESOURCE_BYTES (16 + 4 * TRACE_COUNTERS)
#define TIME_BITS      56
#define TIME_MASK      ((UINT64_C(1) << TIME_BITS) - 1)
#define ID_TRACE       2
#define ID_RESOURCE    3

/* Descriptors held at most; a process has 1024 as a rule, and the caller wants some too. */
#define OPEN_MAX_STREAMS 256

static uint64_t get_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

/* ---- Descriptors ---- */

static void give_back(struct trace_files *files, struct trace_cursor *cursor)
{
	int saved_errno = errno;

	if (cursor->fd < 0)
		return;
	files->io->close(files->io, cursor->fd);
	cursor->fd = -1;
	files->opened--;
	errno = saved_errno;
}

/* Take the descriptor of some cursor, each in turn. */
static void take_one(struct trace_files *files)
{
	while (files->opened) {
		files->hand = (files->hand + 1) % files->cursors;
		if (files->cursor[files->hand].fd >= 0) {
			give_back(files, &files->cursor[files->hand]);
			return;
		}
	}
}

/* Not to wait for a writer if the file is a pipe, and not to leave the directory by a link. */
static int open_file(struct trace_files *files, const struct trace_cursor *cursor)
{
	return files->io->open(files->io, trace_path_file(&files->path, cursor->info->file),
			       O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
}

static bool is_regular(int fd)
{
	struct stat stat;

	return !fstat(fd, &stat) && S_ISREG(stat.st_mode);
}

static int end_here(struct trace_files *files, struct trace_cursor *cursor)
{
	give_back(files, cursor);
	base_alloc_free(files->alloc, cursor->window);
	cursor->window = NULL;
	cursor->ready = false;
	cursor->done = true;
	return 0;
}

static int damaged(struct trace_files *files, struct trace_cursor *cursor, uint64_t offset,
		   const char *why)
{
	cursor->info->damaged_at = offset;
	cursor->info->damage = why;
	return end_here(files, cursor);
}

/* Returns 1 if the cursor has a descriptor; 0 if it is damaged and done; -KRON_EIO. */
static int open_cursor(struct trace_files *files, struct trace_cursor *cursor)
{
	if (cursor->fd >= 0)
		return 1;
	if (cursor->missing)
		return damaged(files, cursor, 0, "there is no such file");
	if (files->opened >= OPEN_MAX_STREAMS)
		take_one(files);
	cursor->fd = open_file(files, cursor);
	while (cursor->fd < 0 && (errno == EMFILE || errno == ENFILE) && files->opened) {
		take_one(files);
		cursor->fd = open_file(files, cursor);
	}
	if (cursor->fd < 0 && errno == ENOENT)
		return damaged(files, cursor, cursor->offset + cursor->at, "the file has gone");
	if (cursor->fd < 0 && errno == ELOOP)
		return damaged(files, cursor, 0, "it is a symbolic link");
	if (cursor->fd < 0)
		return -KRON_EIO;
	files->opened++;
	cursor->fd_at = 0;
	if (!is_regular(cursor->fd))
		return damaged(files, cursor, 0, "it is not a file");
	return 1;
}

/* Read up to size bytes of the file from `from` on. Returns their number, fewer at the end of the
 * file only, or -KRON_EIO. */
static ssize_t read_at(struct trace_files *files, struct trace_cursor *cursor, uint64_t from,
		       uint8_t *data, size_t size)
{
	size_t done = 0;

	if (cursor->fd_at != from && lseek(cursor->fd, (off_t)from, SEEK_SET) < 0)
		return -KRON_EIO;
	cursor->fd_at = from;
	while (done < size) {
		ssize_t count = files->io->read(files->io, cursor->fd, data + done, size - done);

		if (count == 0)
			break;
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0) {
			cursor->fd_at = UINT64_MAX; /* after an error it may be anywhere */
			return -KRON_EIO;
		}
		done += (size_t)count;
		cursor->fd_at += (uint64_t)count;
	}
	return (ssize_t)done;
}

/* ---- The window ---- */

/* Have `wanted` bytes in the window, or all there are to the end of the file. Returns 1; 0 if the
 * cursor is damaged and done; -KRON_ENOMEM, -KRON_EIO. */
static int fill(struct trace_files *files, struct trace_cursor *cursor, size_t wanted)
{
	size_t held = cursor->end - cursor->at;
	ssize_t count;
	int opened;

	if (held >= wanted)
		return 1;
	opened = open_cursor(files, cursor);
	if (opened <= 0)
		return opened;
	if (!cursor->window) {
		cursor->window = files->alloc->resize(files->alloc, NULL, files->window_bytes);
		if (!cursor->window)
			return -KRON_ENOMEM;
	}
	memmove(cursor->window, cursor->window + cursor->at, held);
	cursor->offset += cursor->at;
	cursor->at = 0;
	cursor->end = held;
	count = read_at(files, cursor, cursor->offset + held, cursor->window + held,
			files->window_bytes - held);
	if (count < 0)
		return (int)count;
	cursor->end += (size_t)count;
	return 1;
}

/* ---- Packets ---- */

/* What is wrong with the packet header at `at`, or NULL. */
static const char *header_damage(const struct trace_cursor *cursor, const uint8_t *at)
{
	uint64_t begin = get_u64(at + 16), end = get_u64(at + 24);
	uint64_t content = get_u64(at + 32), size = get_u64(at + 40);

	if (get_u32(at) != TRACE_MAGIC)
		return "no packet starts here";
	if (get_u32(at + 4) != 0)
		return "unknown stream id";
	if (get_u64(at + 8) != cursor->number)
		return "a packet of another stream";
	if (content % CHAR_BIT || size % CHAR_BIT || content > size ||
	    content < TRACE_HEADER_BYTES * CHAR_BIT || size > TRACE_PACKET_BYTES * CHAR_BIT)
		return "impossible packet size";
	if (get_u64(at + 48) != cursor->packets)
		return "a packet is missing before this one";
	if (get_u64(at + 56) < cursor->discarded)
		return "the count of lost events falls";
	if (begin < cursor->time_end || end < begin)
		return "time goes back";
	return NULL;
}

/* Zero bytes between the content and the end of the packet. Returns 1 behind them, 0, or an error. */
static int skip_padding(struct trace_files *files, struct trace_cursor *cursor)
{
	while (cursor->padding) {
		int filled = fill(files, cursor, 1);

		if (filled <= 0)
			return filled;
		if (cursor->at == cursor->end)
			return damaged(files, cursor, cursor->offset + cursor->at,
				       "the file ends inside a packet");
		if (cursor->window[cursor->at])
			return damaged(files, cursor, cursor->offset + cursor->at,
				       "something stands behind the content of a packet");
		cursor->at++;
		cursor->padding--;
	}
	return 1;
}

/* The end of the file, where a packet may start. */
static int clean_end(struct trace_files *files, struct trace_cursor *cursor)
{
	if (cursor->info->events < cursor->info->recorded)
		return damaged(files, cursor, cursor->offset + cursor->at,
			       "the file ends early: events that were recorded are not there");
	return end_here(files, cursor);
}

/* Returns 1 with the cursor behind the header of the next packet; 0, or an error. */
static int next_packet(struct trace_files *files, struct trace_cursor *cursor)
{
	const char *damage;
	const uint8_t *at;
	int result = skip_padding(files, cursor);

	if (result > 0)
		result = fill(files, cursor, TRACE_HEADER_BYTES);
	if (result <= 0)
		return result;
	if (cursor->at == cursor->end)
		return clean_end(files, cursor);
	if (cursor->end - cursor->at < TRACE_HEADER_BYTES)
		return damaged(files, cursor, cursor->offset + cursor->at,
			       "the file ends inside the header of a packet");
	at = cursor->window + cursor->at;
	damage = header_damage(cursor, at);
	if (damage)
		return damaged(files, cursor, cursor->offset + cursor->at, damage);
	cursor->at += TRACE_HEADER_BYTES;
	cursor->content = get_u64(at + 32) / CHAR_BIT - TRACE_HEADER_BYTES;
	cursor->padding = (get_u64(at + 40) - get_u64(at + 32)) / CHAR_BIT;
	cursor->time = get_u64(at + 16);
	cursor->time_end = get_u64(at + 24);
	cursor->packets++;
	cursor->discarded = get_u64(at + 56);
	cursor->info->discarded = cursor->discarded;
	cursor->source = get_u32(at + 64);
	cursor->cpu = get_u32(at + 68);
	return 1;
}

/* ---- Events ---- */

/* The 64-bit time of a 56-bit stamp that follows `before`; UINT64_MAX if there is none. */
static uint64_t extend(uint64_t before, uint64_t stamp)
{
	uint64_t time = (before & ~TIME_MASK) | stamp;

	if (time >= before)
		return time;
	return time > UINT64_MAX - TIME_MASK - 1 ? UINT64_MAX : time + TIME_MASK + 1;
}

/* The cursor is at the content of a packet. Returns 1 with the event there ready, 0, or an error. */
static int next_event(struct trace_files *files, struct trace_cursor *cursor)
{
	uint64_t word, time;
	unsigned id;
	uint32_t size;

	if (cursor->end - cursor->at < RESOURCE_BYTES) {
		int filled = fill(files, cursor, RESOURCE_BYTES);

		if (filled <= 0)
			return filled;
	}
	if (cursor->end - cursor->at < TRACE_BYTES)
		return damaged(files, cursor, cursor->offset + cursor->at,
			       "the file ends inside a packet");
	word = get_u64(cursor->window + cursor->at);
	id = word >> TIME_BITS & 3;
	if (id != ID_TRACE && id != ID_RESOURCE)
		return damaged(files, cursor, cursor->offset + cursor->at,
			       "an event of unknown kind");
	size = id == ID_TRACE ? TRACE_BYTES : RESOURCE_BYTES;
	if (size > cursor->content)
		return damaged(files, cursor, cursor->offset + cursor->at,
			       "an event goes over the end of its packet");
	if (size > cursor->end - cursor->at)
		return damaged(files, cursor, cursor->offset + cursor->at,
			       "the file ends inside a packet");
	time = extend(cursor->time, word & TIME_MASK);
	if (time > cursor->time_end)
		return damaged(files, cursor, cursor->offset + cursor->at,
			       "the time of an event is not that of its packet");
	cursor->time = time;
	cursor->size = size;
	cursor->ready = true;
	return 1;
}

int trace_cursor_next(struct trace_files *files, struct trace_cursor *cursor)
{
	if (cursor->ready) {
		cursor->ready = false;
		cursor->at += cursor->size;
		cursor->content -= cursor->size;
		cursor->info->events++;
	}
	cursor->begun = true;
	if (cursor->done)
		return 0;
	while (!cursor->content) {
		int result = next_packet(files, cursor);

		if (result <= 0)
			return result;
		if (cursor->content && cursor->content < TRACE_BYTES)
			return damaged(files, cursor, cursor->offset + cursor->at,
				       "an event goes over the end of its packet");
	}
	return next_event(files, cursor);
}

void trace_cursor_event(const struct trace_cursor *cursor, struct trace_event *event, bool *mark)
{
	const uint8_t *at = cursor->window + cursor->at;
	uint64_t word = get_u64(at);

	event->resource = cursor->size == RESOURCE_BYTES;
	event->shadow_overrun = word >> 58 & 1;
	event->fifo_overrun = word >> 59 & 1;
	event->cpu = (cursor->cpu & ~UINT32_C(7)) | (uint32_t)(word >> 61);
	event->source = cursor->source;
	event->timestamp = cursor->time;
	event->data = get_u64(at + 8);
	event->discarded = cursor->discarded;
	*mark = word & TRACE_WORD_MARK;
	for (unsigned i = 0; event->resource && i < TRACE_COUNTERS; i++)
		event->counter[i] = get_u32(at + TRACE_BYTES + 4 * i);
}

int trace_cursor_peek(struct trace_files *files, struct trace_cursor *cursor, uint64_t *time)
{
	uint8_t header[TRACE_HEADER_BYTES];
	int opened = open_cursor(files, cursor);
	ssize_t count;

	*time = 0;
	if (opened <= 0)
		return opened;
	count = read_at(files, cursor, 0, header, sizeof(header));
	if (count < 0)
		return (int)count;
	if (count == sizeof(header) && !header_damage(cursor, header))
		*time = get_u64(header + 16);
	return 0;
}

void trace_cursor_rewind(struct trace_files *files, struct trace_cursor *cursor)
{
	struct trace_stream_info *info = cursor->info;

	end_here(files, cursor);
	*cursor = (struct trace_cursor){
		.info = info,
		.number = cursor->number,
		.missing = cursor->missing,
		.fd = -1,
	};
	info->events = 0;
	info->discarded = 0;
	info->damaged_at = UINT64_MAX;
	info->damage = NULL;
}
