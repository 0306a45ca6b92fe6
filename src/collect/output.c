/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/output.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <kron/clock.h>
#include "base/error.h"
#include "base/json.h"
#include "collect/account.h"
#include "trace/ctf_text.h"

#define HZ_MEASURE_NS 20000000 /* how long the first look at the clock's frequency takes */
#define FILE_RESERVE  ".reserve"
#define RESERVE_MAX   (4 << 20)
#define RESERVE_MIN   (64 << 10)

static void fail(struct collect_output *output, int error)
{
	if (output->error)
		return;
	output->error = error;
	output->cause = errno;
}

int collect_output_error(const struct collect_output *output)
{
	if (output->error)
		errno = output->cause;
	return output->error;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The clocks are read between two readings of the ticks, so the error is at most half of the time
 * that takes. The best of some tries: the recorder may have been interrupted. */
static struct collect_point compare_clocks(void)
{
	struct collect_point best = { 0 };
	uint64_t best_width = UINT64_MAX;

	for (unsigned i = 0; i < 8; i++) {
		uint64_t before = kron_clock();
		uint64_t wall = clock_ns(CLOCK_REALTIME);
		uint64_t steady = clock_ns(CLOCK_MONOTONIC);
		uint64_t width = kron_clock() - before;

		if (width < best_width) {
			best_width = width;
			best = (struct collect_point){ before + width / 2, wall, steady };
		}
	}
	return best;
}

/* Points come at equal distances; when there are too many, every second one goes. */
void collect_output_point(struct collect_output *output)
{
	if (output->points && output->point_skipped + 1 < output->point_every) {
		output->point_skipped++;
		return;
	}
	output->point_skipped = 0;
	if (output->points == COLLECT_POINTS - 1) { /* the last is for the end */
		for (size_t i = 0; 2 * i < output->points; i++)
			output->point[i] = output->point[2 * i];
		output->points = (output->points + 1) / 2;
		output->point_every *= 2;
	}
	output->point[output->points++] = compare_clocks();
}

static uint64_t frequency(struct collect_point a, struct collect_point b)
{
	if (b.steady_ns <= a.steady_ns || b.ticks <= a.ticks)
		return 0;
	return (uint64_t)((unsigned __int128)(b.ticks - a.ticks) * 1000000000 /
			  (b.steady_ns - a.steady_ns));
}

static void first_point(struct collect_output *output)
{
	struct timespec pause = { .tv_nsec = HZ_MEASURE_NS };
	struct collect_point second;

	output->point_every = 1;
	collect_output_point(output);
	nanosleep(&pause, NULL);
	second = compare_clocks();
	output->hz = frequency(output->point[0], second);
	if (!output->hz)
		output->hz = 1000000000; /* no clock that ticks; readers want a number */
}

/* A text file is written beside its place and moved there, so that there is always a whole one. */
static int write_text(struct collect_output *output, const char *name,
		      void (*put)(struct base_out *out, const struct collect_output *output,
				  int exit_code, bool complete),
		      int exit_code, bool complete)
{
	struct base_io *io = output->io;
	struct base_out out;
	char temporary[32], target[4096];
	int fd, error, cause;

	snprintf(temporary, sizeof(temporary), ".%s.new", name[0] == '.' ? name + 1 : name);
	snprintf(target, sizeof(target), "%s", trace_path_file(&output->path, name));
	if (io->unlink(io, trace_path_file(&output->path, temporary)) && errno != ENOENT)
		return -KRON_EIO;
	fd = io->open(io, trace_path_file(&output->path, temporary),
		      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return -KRON_EIO;
	base_out_init(&out, io, fd);
	put(&out, output, exit_code, complete);
	error = base_out_flush(&out);
	cause = errno;
	if (io->close(io, fd) && !error) {
		error = -KRON_EIO;
		cause = errno;
	}
	if (!error && io->rename(io, trace_path_file(&output->path, temporary), target)) {
		error = -KRON_EIO;
		cause = errno;
	}
	if (error)
		io->unlink(io, trace_path_file(&output->path, temporary));
	errno = cause;
	return error;
}

static void put_metadata(struct base_out *out, const struct collect_output *output, int exit_code,
			 bool complete)
{
	uint64_t since_zero =
		(uint64_t)((unsigned __int128)output->point[0].ticks * 1000000000 / output->hz);
	struct trace_ctf_info info = { .model = "native",
				       .clock_hz = output->hz,
				       .streams = 1,
				       .epoch_ns = output->point[0].wall_ns > since_zero
							   ? output->point[0].wall_ns - since_zero
							   : 0 };

	(void)exit_code;
	(void)complete;
	trace_text_metadata(out, &info);
}

static int write_texts(struct collect_output *output, int exit_code, bool complete)
{
	int error = write_text(output, TRACE_FILE_METADATA, put_metadata, exit_code, complete);

	if (error)
		return error;
	return write_text(output, TRACE_FILE_JSON, collect_account_put, exit_code, complete);
}

static int make_dir(struct collect_output *output, const char *dir)
{
	struct trace_path old = { 0 };
	int error = trace_path_init(&output->path, output->alloc, dir, "");

	if (!error)
		error = trace_path_init(&old, output->alloc, dir, ".old");
	if (!error)
		error = trace_dir_make(output->io, &output->path, &old, &output->created);
	base_alloc_free(output->alloc, old.text);
	output->lock = error ? -1 : trace_dir_lock(trace_path_dir(&output->path));
	return error;
}

static void unlock(struct collect_output *output)
{
	if (output->lock >= 0)
		close(output->lock);
	output->lock = -1;
}

static void unmake_dir(struct collect_output *output)
{
	struct base_io *io = output->io;

	io->unlink(io, trace_path_file(&output->path, FILE_RESERVE));
	io->unlink(io, trace_path_file(&output->path, TRACE_FILE_JSON));
	io->unlink(io, trace_path_file(&output->path, TRACE_FILE_METADATA));
	if (output->created)
		io->rmdir(io, trace_path_dir(&output->path));
}

/* Keep some room on the disk for what must be told even if the events fill it. Where the file system
 * cannot, or has none, we do without. */
static int make_reserve(struct collect_output *output)
{
	struct base_io *io = output->io;
	const char *name = trace_path_file(&output->path, FILE_RESERVE);
	int cause;

	output->reserve =
		io->open(io, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (output->reserve < 0)
		return -KRON_EIO;
	if (io->unlink(io, name)) {
		cause = errno;
		io->close(io, output->reserve);
		errno = cause;
		return -KRON_EIO;
	}
	for (off_t size = RESERVE_MAX; size >= RESERVE_MIN; size /= 2)
		if (fallocate(output->reserve, 0, 0, size) == 0)
			break;
	return 0;
}

void collect_output_use_reserve(struct collect_output *output)
{
	if (output->reserve >= 0 && output->io->close(output->io, output->reserve))
		fail(output, -KRON_EIO);
	output->reserve = -1;
}

int collect_output_open(struct collect_output *output, struct base_io *io, struct base_alloc *alloc,
			const struct collect_config *config)
{
	size_t length = strlen(config->command) + 1;
	int error, cause;

	*output = (struct collect_output){ .io = io, .alloc = alloc, .reserve = -1 };
	memcpy(output->counter, config->counter, sizeof(output->counter));
	output->trace_ps = collect_calibrate_trace();
	output->resource_ps = collect_calibrate_resource();
	first_point(output);
	output->command = base_alloc_get(alloc, length);
	error = output->command ? make_dir(output, config->dir) : -KRON_ENOMEM;
	if (!error) {
		memcpy(output->command, config->command, length);
		error = write_texts(output, 0, false);
		if (!error)
			error = make_reserve(output);
		if (!error)
			return 0;
		cause = errno;
		unlock(output);
		unmake_dir(output);
		errno = cause;
	}
	cause = errno;
	base_alloc_free(alloc, output->command);
	base_alloc_free(alloc, output->path.text);
	errno = cause;
	return error;
}

static int open_stream(struct collect_output *output, const struct collect_stream *stream,
		       int flags)
{
	return output->io->open(output->io, trace_path_stream(&output->path, stream->number),
				O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags, 0666);
}

struct collect_stream *collect_output_stream(struct collect_output *output)
{
	void *items = output->stream;
	struct collect_stream *stream;
	int error;

	if (output->streams == COLLECT_STREAMS)
		return NULL;
	error = base_alloc_grow(output->alloc, &items, &output->stream_capacity, output->streams,
				sizeof(*output->stream));
	output->stream = items;
	if (error) {
		fail(output, error);
		return NULL;
	}
	stream = &output->stream[output->streams];
	*stream = (struct collect_stream){ .number = (uint32_t)output->streams,
					   .time = output->point[0].ticks };
	output->streams++;
	stream->fd = open_stream(output, stream, O_CREAT | O_EXCL);
	if (stream->fd < 0) {
		stream->broken = true;
		fail(output, -KRON_EIO);
	}
	return stream;
}

void collect_output_heed(struct collect_output *output, const struct collect_stream *stream)
{
	if (!stream->error)
		return;
	errno = stream->cause;
	fail(output, stream->error);
}

void collect_output_forgone(struct collect_output *output, uint32_t process,
			    const struct kron_wire_ring *ring)
{
	for (unsigned i = 0; process < output->processes && i < KRON_WIRE_GROUPS; i++)
		output->process[process].forgone +=
			__atomic_load_n(&ring->triggered[i], __ATOMIC_RELAXED);
}

void collect_output_done(struct collect_output *output, struct collect_stream *stream)
{
	collect_output_heed(output, stream);
	if (stream->fd >= 0 && output->io->close(output->io, stream->fd))
		fail(output, -KRON_EIO);
	stream->fd = -1;
}

static void update_process(struct collect_process *known, const struct kron_wire_process *process)
{
	known->lost_no_ring = known->forgone;
	for (unsigned i = 0; i < KRON_WIRE_GROUPS; i++)
		known->lost_no_ring += __atomic_load_n(&process->lost_no_ring[i], __ATOMIC_RELAXED);
}

uint32_t collect_output_process(struct collect_output *output, uint32_t slot,
				const struct kron_wire_process *process)
{
	void *items = output->process;
	struct collect_process *known;

	if (output->tenant[slot] && output->process[output->tenant[slot] - 1].pid == process->pid) {
		update_process(&output->process[output->tenant[slot] - 1], process);
		return output->tenant[slot] - 1;
	}
	if (output->processes == COLLECT_PROCESSES)
		return UINT32_MAX;
	if (base_alloc_grow(output->alloc, &items, &output->process_capacity, output->processes,
			    sizeof(*output->process))) {
		fail(output, -KRON_ENOMEM);
		return UINT32_MAX;
	}
	output->process = items;
	known = &output->process[output->processes++];
	*known = (struct collect_process){ .pid = process->pid };
	memcpy(known->command, process->command, sizeof(known->command));
	known->command[sizeof(known->command) - 1] = '\0';
	update_process(known, process);
	output->tenant[slot] = (uint32_t)output->processes;
	return output->tenant[slot] - 1;
}

void collect_output_process_end(struct collect_output *output, uint32_t slot,
				const struct kron_wire_process *process)
{
	struct collect_process *known;
	uint32_t used;

	if (!output->tenant[slot])
		return;
	known = &output->process[output->tenant[slot] - 1];
	output->tenant[slot] = 0;
	update_process(known, process);
	/* Pairs with the release in src/probe/names.c. */
	used = __atomic_load_n(&process->names_used, __ATOMIC_ACQUIRE);
	if (used == 0 || used > KRON_WIRE_NAMES || used > COLLECT_NAMES_BYTES - output->names_bytes)
		return;
	known->names = base_alloc_get(output->alloc, used + 1u);
	if (!known->names) {
		fail(output, -KRON_ENOMEM);
		return;
	}
	memcpy(known->names, process->names, used);
	known->names_used = used;
	output->names_bytes += used;
}

static void release(struct collect_output *output)
{
	unlock(output);
	for (size_t i = 0; i < output->processes; i++)
		base_alloc_free(output->alloc, output->process[i].names);
	base_alloc_free(output->alloc, output->process);
	base_alloc_free(output->alloc, output->stream);
	base_alloc_free(output->alloc, output->command);
	base_alloc_free(output->alloc, output->path.text);
}

/* Streams that ended while the disk was full. */
static void tell_what_is_owed(struct collect_output *output)
{
	for (size_t i = 0; i < output->streams; i++) {
		struct collect_stream *stream = &output->stream[i];

		if (!collect_stream_owes(stream))
			continue;
		stream->fd = open_stream(output, stream, O_APPEND);
		if (stream->fd < 0)
			continue; /* kron.json will tell */
		collect_stream_tell(stream, output->io);
		collect_output_done(output, stream);
	}
}

int collect_output_close(struct collect_output *output, int exit_code, uint32_t refused,
			 struct collect_totals *totals)
{
	uint64_t hz;
	int error;

	output->point[output->points++] = compare_clocks();
	hz = frequency(output->point[0], output->point[output->points - 1]);
	if (hz)
		output->hz = hz;
	tell_what_is_owed(output);
	collect_account_sum(output, totals);
	totals->refused = refused;
	error = write_texts(output, exit_code, true);
	if (error)
		fail(output, error);
	release(output);
	return collect_output_error(output);
}
