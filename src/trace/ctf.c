/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/ctf.h"
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "base/error.h"
#include "trace/ctf_dir.h"
#include "trace/ctf_text.h"
#include "trace/packet.h"

#define EVENT_BYTES (16 + 4 * TRACE_COUNTERS) /* of the longest */
#define TIME_BITS   56
#define ID_TRACE    2
#define ID_RESOURCE 3

struct trace_stream {
	int fd;
	uint8_t *packet; /* TRACE_PACKET_BYTES; the one under construction */
	size_t used;     /* of these; TRACE_HEADER_BYTES if there is no event */
	uint64_t bytes;  /* written: complete packets */
	uint64_t packets;
	uint64_t begin; /* time of the first event in the packet */
	uint64_t last;  /* time of the last event, or of the start */
	uint64_t discarded;
	uint32_t source;
	uint32_t cpu;
};

static int create(struct base_io *io, const char *path)
{
	return io->open(io, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
}

/* The text files, in the order of writing: with the first, whatever else there is, is readable. */
static const struct {
	const char *name;
	void (*put)(struct base_out *out, const struct trace_ctf_info *info);
} texts[] = {
	{ TRACE_FILE_METADATA, trace_text_metadata },
	{ TRACE_FILE_JSON, trace_text_json },
};

#define TEXTS (sizeof(texts) / sizeof(texts[0]))

/* Write text file i; *created counts it if it is there now, complete or not. */
static int write_text(struct base_io *io, struct trace_path *path,
		      const struct trace_ctf_info *info, unsigned i, unsigned *created)
{
	struct base_out out;
	int fd = create(io, trace_path_file(path, texts[i].name));
	int error, cause;

	if (fd < 0)
		return trace_dir_error();
	++*created;
	base_out_init(&out, io, fd);
	texts[i].put(&out, info);
	error = base_out_flush(&out);
	cause = errno;
	if (io->close(io, fd) && !error)
		return -KRON_EIO;
	errno = cause;
	return error;
}

static int open_streams(struct trace_ctf *ctf, struct trace_path *path, unsigned streams,
			uint64_t start)
{
	ctf->stream = base_alloc_get(ctf->alloc, streams * sizeof(*ctf->stream));
	if (!ctf->stream)
		return -KRON_ENOMEM;
	for (; ctf->streams < streams; ctf->streams++) {
		struct trace_stream *stream = &ctf->stream[ctf->streams];

		stream->used = TRACE_HEADER_BYTES;
		stream->last = start;
		/* Not zeroed: of a packet that never fills, most pages are never touched. */
		stream->packet = ctf->alloc->resize(ctf->alloc, NULL, TRACE_PACKET_BYTES);
		if (!stream->packet)
			return -KRON_ENOMEM;
		stream->fd = create(ctf->io, trace_path_stream(path, ctf->streams));
		if (stream->fd < 0) {
			int cause = errno;

			base_alloc_free(ctf->alloc, stream->packet);
			errno = cause;
			return trace_dir_error();
		}
	}
	return 0;
}

/* Close all streams and free them. Returns 0, or -KRON_EIO and errno of the first that failed. */
static int close_streams(struct trace_ctf *ctf)
{
	int error = 0, cause = 0;

	for (unsigned i = 0; i < ctf->streams; i++) {
		if (ctf->io->close(ctf->io, ctf->stream[i].fd) && !error) {
			error = -KRON_EIO;
			cause = errno;
		}
		base_alloc_free(ctf->alloc, ctf->stream[i].packet);
	}
	base_alloc_free(ctf->alloc, ctf->stream);
	if (error)
		errno = cause;
	return error;
}

static int fill_dir(struct trace_ctf *ctf, struct trace_path *path,
		    const struct trace_ctf_info *info, unsigned *created)
{
	int error;

	for (unsigned i = 0; i < TEXTS; i++) {
		error = write_text(ctf->io, path, info, i, created);
		if (error)
			return error;
	}
	return open_streams(ctf, path, info->streams, info->start);
}

/* Undo fill_dir(), however far it came. */
static void clear_dir(struct trace_ctf *ctf, struct trace_path *path, unsigned created)
{
	for (unsigned i = 0; i < ctf->streams; i++)
		ctf->io->unlink(ctf->io, trace_path_stream(path, i));
	close_streams(ctf);
	while (created)
		ctf->io->unlink(ctf->io, trace_path_file(path, texts[--created].name));
}

static int open_at(struct trace_ctf *ctf, struct trace_path *path, struct trace_path *old,
		   const struct trace_ctf_info *info)
{
	unsigned texts_created = 0;
	bool dir_created;
	int error, cause;

	error = trace_dir_make(ctf->io, path, old, &dir_created);
	if (error)
		return error;
	error = fill_dir(ctf, path, info, &texts_created);
	if (!error)
		return 0;
	cause = errno;
	clear_dir(ctf, path, texts_created);
	if (dir_created)
		ctf->io->rmdir(ctf->io, trace_path_dir(path));
	errno = cause;
	return error;
}

static bool info_good(const struct trace_ctf_info *info)
{
	if (!info->model || !info->clock_hz || !info->streams || info->streams > TRACE_STREAMS_MAX)
		return false;
	for (unsigned i = 0; info->counters && i < TRACE_COUNTERS; i++)
		if (!info->counters[i])
			return false;
	return true;
}

/* The last time that is less than 2^63 nanoseconds, even for a reader that works it out in floating
 * point, and that the next wrap of a time stamp in an event cannot take beyond 64 bits. */
static uint64_t time_limit(uint64_t hz)
{
	unsigned __int128 limit = (unsigned __int128)(INT64_MAX - 4096) * hz / 1000000000;
	uint64_t max = UINT64_MAX - (UINT64_C(1) << TIME_BITS);

	return limit < max ? (uint64_t)limit : max;
}

int trace_ctf_open(struct trace_ctf *ctf, struct base_io *io, struct base_alloc *alloc,
		   const char *dir, const struct trace_ctf_info *info)
{
	struct trace_ctf opened = { .io = io, .alloc = alloc };
	struct trace_path path = { 0 }, old = { 0 };
	int error, cause;

	if (!info_good(info) || info->start > time_limit(info->clock_hz))
		return -KRON_EINVAL;
	opened.time_max = time_limit(info->clock_hz);
	error = trace_path_init(&path, alloc, dir, "");
	if (error)
		goto out;
	error = trace_path_init(&old, alloc, dir, ".old");
	if (error)
		goto out;
	error = open_at(&opened, &path, &old, info);
	if (!error)
		*ctf = opened;
out:
	cause = errno;
	base_alloc_free(alloc, path.text);
	base_alloc_free(alloc, old.text);
	errno = cause;
	return error;
}

static int first_error(const struct trace_ctf *ctf)
{
	if (ctf->error)
		errno = ctf->saved_errno;
	return ctf->error;
}

static void packet_header(const struct trace_ctf *ctf, struct trace_stream *stream)
{
	bool empty = stream->used == TRACE_HEADER_BYTES;
	struct trace_packet packet = {
		.stream = (uint64_t)(stream - ctf->stream),
		.begin = empty ? stream->last : stream->begin,
		.end = stream->last,
		.bytes = stream->used - TRACE_HEADER_BYTES,
		.number = stream->packets,
		.discarded = stream->discarded,
		.source = stream->source,
		.cpu = stream->cpu,
	};

	trace_packet_head(stream->packet, &packet);
}

/* Write the packet under construction and start the next. */
static void packet_end(struct trace_ctf *ctf, struct trace_stream *stream)
{
	int error;

	packet_header(ctf, stream);
	error = base_io_write_all(ctf->io, stream->fd, stream->packet, stream->used);
	if (error) {
		ctf->error = error;
		ctf->saved_errno = errno;
		/* Invariant 5. Should this fail too, trace_ctf_mend() is left. */
		(void)!ftruncate(stream->fd, (off_t)stream->bytes);
		return;
	}
	stream->bytes += stream->used;
	stream->packets++;
	stream->used = TRACE_HEADER_BYTES;
}

static void packet_flush(struct trace_ctf *ctf, struct trace_stream *stream)
{
	if (!ctf->error && stream->used > TRACE_HEADER_BYTES)
		packet_end(ctf, stream);
}

/* From here on so many events of the stream are lost in all (invariants 2 and 3). */
static void packet_lost(struct trace_ctf *ctf, struct trace_stream *stream, uint64_t discarded)
{
	packet_flush(ctf, stream);
	if (!ctf->error && !stream->packets)
		packet_end(ctf, stream);
	stream->discarded = discarded;
}

static void packet_append(struct trace_stream *stream, const struct trace_event *event)
{
	uint64_t word = event->timestamp & ((UINT64_C(1) << TIME_BITS) - 1);
	uint8_t *at = stream->packet + stream->used;

	word |= (uint64_t)(event->resource ? ID_RESOURCE : ID_TRACE) << TIME_BITS;
	word |= (uint64_t)event->shadow_overrun << 58;
	word |= (uint64_t)event->fifo_overrun << 59;
	word |= (uint64_t)(event->cpu & 7) << 61;
	at = trace_packet_u64(at, word);
	at = trace_packet_u64(at, event->data);
	for (unsigned i = 0; event->resource && i < TRACE_COUNTERS; i++)
		at = trace_packet_u32(at, event->counter[i]);
	if (stream->used == TRACE_HEADER_BYTES)
		stream->begin = event->timestamp;
	stream->used = (size_t)(at - stream->packet);
	stream->last = event->timestamp;
	stream->source = event->source;
	stream->cpu = event->cpu;
}

int trace_ctf_event(struct trace_ctf *ctf, unsigned stream_number, const struct trace_event *event)
{
	struct trace_stream *stream;
	bool lost;

	if (stream_number >= ctf->streams)
		return -KRON_EINVAL;
	stream = &ctf->stream[stream_number];
	if (event->timestamp < stream->last || event->timestamp > ctf->time_max ||
	    event->discarded < stream->discarded)
		return -KRON_EINVAL;
	lost = event->discarded > stream->discarded;
	if (lost)
		packet_lost(ctf, stream, event->discarded);
	else if (event->source != stream->source || event->cpu != stream->cpu ||
		 stream->used + EVENT_BYTES > TRACE_PACKET_BYTES)
		packet_flush(ctf, stream);
	if (ctf->error)
		return first_error(ctf);
	packet_append(stream, event);
	if (lost)
		packet_end(ctf, stream);
	return first_error(ctf);
}

int trace_ctf_close(struct trace_ctf *ctf, const uint64_t *discarded)
{
	bool fell = false;
	int error;

	for (unsigned i = 0; i < ctf->streams && !ctf->error; i++) {
		struct trace_stream *stream = &ctf->stream[i];

		packet_flush(ctf, stream);
		if (discarded && discarded[i] > stream->discarded) {
			packet_lost(ctf, stream, discarded[i]);
			if (!ctf->error)
				packet_end(ctf, stream);
		}
		fell |= discarded && discarded[i] < stream->discarded;
	}
	error = close_streams(ctf);
	if (ctf->error)
		return first_error(ctf);
	return error || !fell ? error : -KRON_EINVAL;
}
