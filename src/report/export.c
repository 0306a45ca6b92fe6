/* SPDX-License-Identifier: Apache-2.0 */
/* The common part of all formats: the file, the loop over the events, what is nested in what. */
#include "report/export.h"
#include <errno.h>
#include <fcntl.h>
#include <kron/wire.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/error.h"
#include "report/exporter.h"

/* Events between two questions whether to go on. */
#define PROGRESS_EVENTS 1024

static const struct report_exporter *const exporters[REPORT_EXPORT_FORMATS] = {
	[REPORT_EXPORT_PERFETTO] = &report_export_perfetto,
	[REPORT_EXPORT_CHROME] = &report_export_chrome,
	[REPORT_EXPORT_CSV] = &report_export_csv,
	[REPORT_EXPORT_SQLITE] = &report_export_sqlite,
};

/* ---- What exporters ask ---- */

static bool known(const char *text)
{
	return text && *text && strcmp(text, TRACE_NAME_UNKNOWN) != 0;
}

const struct trace_process *report_export_process(const struct report_export *export,
						  unsigned stream)
{
	uint32_t process = export->info->stream[stream].process;

	return process < export->info->processes ? &export->info->process[process] : NULL;
}

const char *report_export_stream_name(const struct report_export *export, unsigned stream)
{
	const struct trace_stream_info *about = &export->info->stream[stream];

	return known(about->thread) ? about->thread : about->file;
}

/* A thread has one line of its own; the rest goes by another name. */
const char *report_export_stream_label(const struct report_export *export, unsigned stream,
				       char buffer[REPORT_EXPORT_LABEL])
{
	const char *name = report_export_stream_name(export, stream);
	int length;

	if (!export->info->stream[stream].nested)
		return name;
	length = snprintf(buffer, REPORT_EXPORT_LABEL, "%s (signals)", name);
	return length < REPORT_EXPORT_LABEL ? buffer : name;
}

const char *report_export_counter_name(const struct trace_info *info, unsigned counter)
{
	const char *name = info->counter[counter].name;
	char nameless[16];

	snprintf(nameless, sizeof(nameless), "counter%u", counter);
	return known(name) && strcmp(name, nameless) != 0 ? name : NULL;
}

bool report_export_counter_used(const struct trace_info *info, unsigned counter, uint32_t value)
{
	return value || report_export_counter_name(info, counter);
}

size_t report_export_counter_owner(const struct report_export *export, unsigned stream,
				   unsigned counter)
{
	const struct trace_process *process = report_export_process(export, stream);

	if (!process || !export->info->counter[counter].shared)
		return stream;
	return export->info->streams + (size_t)(process - export->info->process);
}

bool report_export_counter_changes(struct report_export_values *values,
				   const struct trace_info *info, unsigned counter, uint32_t value)
{
	if (values->known[counter]) {
		if (values->value[counter] == value)
			return false;
	} else if (!report_export_counter_used(info, counter, value)) {
		return false;
	}
	values->known[counter] = true;
	values->value[counter] = value;
	return true;
}

/* ---- Events ---- */

/* End the slices that this event ends. Returns how many, or an error. */
static int end_slices(struct report_export *export, const struct report_export_event *event)
{
	uint64_t value = report_export_mark_value(event->event->data);
	uint64_t begin = (uint64_t)event->mark->begin << KRON_WIRE_KIND_SHIFT | value;
	bool alone = event->mark->role == REPORT_EXPORT_END_IF_ANY;
	unsigned count = report_export_slices_match(&export->slices, event->stream, begin, alone);
	struct report_export_slice slice;
	int error = 0;

	for (unsigned i = 0; !error && i < count; i++) {
		report_export_slices_pop(&export->slices, event->stream, &slice);
		if (export->exporter->slice)
			error = export->exporter->slice(export, event->stream, &slice, event->ns);
	}
	return error ? error : (int)count;
}

static int put_loss(struct report_export *export, unsigned stream, uint64_t lost, uint64_t ns)
{
	if (!lost || !export->exporter->loss)
		return 0;
	return export->exporter->loss(export, stream, lost, ns);
}

/* What it means for the slices of its stream; then the event itself. */
static int put_marked(struct report_export *export, struct report_export_event *event)
{
	uint64_t data = event->event->data;
	int result = 0;

	event->mark = report_export_mark_find(report_export_mark_kind(data));
	switch (event->mark->role) {
	case REPORT_EXPORT_BEGIN:
		result = report_export_slices_push(&export->slices, event->stream, data, event->ns);
		event->drawn = result > 0;
		break;
	case REPORT_EXPORT_END:
		result = end_slices(export, event);
		break;
	case REPORT_EXPORT_END_IF_ANY:
		result = end_slices(export, event);
		event->drawn = result == 0;
		break;
	case REPORT_EXPORT_INSTANT:
		event->drawn = true;
		break;
	}
	return result < 0 ? result : export->exporter->event(export, event);
}

static int put_one(struct report_export *export, const struct trace_event *event, unsigned number,
		   bool marked)
{
	struct report_export_stream *stream = &export->stream[number];
	struct report_export_event about = {
		.event = event,
		.stream = number,
		.ns = trace_reader_ns(export->reader, event->timestamp),
		.lost = event->discarded - stream->discarded,
	};
	int error;

	/* Conversion by the nearest points might step back where they meet; time lines must not. */
	if (about.ns < stream->last_ns)
		about.ns = stream->last_ns;
	stream->last_ns = about.ns;
	stream->discarded = event->discarded;
	error = put_loss(export, number, about.lost, about.ns);
	if (error)
		return error;
	return marked ? put_marked(export, &about) : export->exporter->event(export, &about);
}

static int put_events(struct report_export *export, struct report_export_result *result)
{
	const struct report_export_config *config = export->config;
	uint64_t bytes = 0;

	for (;;) {
		struct trace_event event;
		unsigned stream;
		bool mark;
		int got = trace_reader_next(config->reader, &event, &stream, &mark);

		result->reading = got < 0;
		if (got <= 0)
			return got;
		got = put_one(export, &event, stream, mark);
		if (got || export->out.error)
			return got;
		bytes += event.resource ? KRON_WIRE_RESOURCE_BYTES : KRON_WIRE_TRACE_BYTES;
		if (++result->events % PROGRESS_EVENTS == 0 && config->progress &&
		    config->progress(config->context, bytes)) {
			result->stopped = true;
			return 0;
		}
	}
}

/* The streams are at their ends: so are their open slices and their accounts of losses. */
static int end_stream(struct report_export *export, unsigned number,
		      struct report_export_result *result)
{
	const struct trace_stream_info *about = &export->info->stream[number];
	const struct report_export_stream *stream = &export->stream[number];
	struct report_export_slice slice;
	int error = 0;

	while (!error && report_export_slices_pop(&export->slices, number, &slice)) {
		result->unclosed++;
		if (export->exporter->slice)
			error = export->exporter->slice(export, number, &slice, stream->last_ns);
	}
	result->lost += about->discarded;
	if (error || about->discarded <= stream->discarded)
		return error;
	return put_loss(export, number, about->discarded - stream->discarded, stream->last_ns);
}

static int end_streams(struct report_export *export, struct report_export_result *result)
{
	const struct trace_info *info = export->info;

	for (size_t i = 0; i < info->processes; i++)
		result->lost += info->process[i].lost_no_ring;
	for (unsigned i = 0; i < info->streams; i++) {
		int error = end_stream(export, i, result);

		if (error)
			return error;
	}
	result->unmatched = export->slices.unmatched;
	result->too_deep = export->slices.too_deep;
	return 0;
}

/* ---- The file ---- */

/* Where the bytes go. */
struct target {
	const char *path; /* the final one; NULL: a descriptor of the caller */
	char *tmp;        /* written first; NULL: path is written as it is */
	int fd;           /* -1: none open */
};

/* SQLite takes a path that begins with file: for a URI. */
static int make_tmp(struct base_alloc *alloc, struct target *target)
{
	const char *here = strncmp(target->path, "file:", 5) ? "" : "./";
	size_t size = strlen(here) + strlen(target->path) + sizeof(REPORT_EXPORT_SUFFIX);

	target->tmp = base_alloc_get(alloc, size);
	if (!target->tmp)
		return -KRON_ENOMEM;
	snprintf(target->tmp, size, "%s%s" REPORT_EXPORT_SUFFIX, here, target->path);
	return 0;
}

/* Create the temporary file; it is never an existing one, nor what a link points to. */
static int open_tmp(const struct report_export_config *config, struct target *target)
{
	int error = make_tmp(config->alloc, target);

	if (error)
		return error;
	target->fd = config->io->open(config->io, target->tmp,
				      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (target->fd >= 0)
		return 0;
	error = errno == EEXIST ? -KRON_EEXIST : -KRON_EIO;
	base_alloc_free(config->alloc, target->tmp);
	target->tmp = NULL; /* not ours to remove */
	return error;
}

static int open_target(const struct report_export_config *config, bool regular,
		       struct target *target)
{
	struct stat about;
	bool there;

	*target = (struct target){ .path = config->path, .fd = config->fd };
	if (!config->path)
		return regular ? -KRON_EINVAL : 0;
	target->fd = -1;
	there = !lstat(config->path, &about);
	if (!there || S_ISREG(about.st_mode))
		return open_tmp(config, target);
	if (S_ISDIR(about.st_mode)) {
		errno = EISDIR;
		return -KRON_EIO;
	}
	if (regular)
		return -KRON_EINVAL;
	target->fd = config->io->open(config->io, config->path, O_WRONLY | O_TRUNC | O_CLOEXEC, 0);
	return target->fd < 0 ? -KRON_EIO : 0;
}

/* Close, and give the file its name, or remove it. Returns the first error. */
static int close_target(const struct report_export_config *config, struct target *target, int error,
			bool keep)
{
	struct base_io *io = config->io;
	int cause = errno;

	if (target->path && target->fd >= 0 && io->close(io, target->fd) && !error) {
		error = -KRON_EIO;
		cause = errno;
	}
	if (target->tmp && !error && keep && io->rename(io, target->tmp, target->path)) {
		error = -KRON_EIO;
		cause = errno;
	}
	if (target->tmp && (error || !keep))
		io->unlink(io, target->tmp);
	base_alloc_free(config->alloc, target->tmp);
	errno = cause;
	return error;
}

/* ---- All of it ---- */

static int run_exporter(struct report_export *export, struct report_export_result *result)
{
	int error = export->exporter->begin(export);
	int cause;

	if (!error)
		error = put_events(export, result);
	if (!error && !result->stopped)
		error = end_streams(export, result);
	if (!error && !result->stopped)
		error = export->exporter->end(export);
	cause = errno;
	if (export->exporter->close)
		export->exporter->close(export);
	errno = cause;
	return error ? error : base_out_flush(&export->out);
}

static int prepare(struct report_export *export)
{
	struct base_alloc *alloc = export->config->alloc;
	size_t streams = export->info->streams;

	export->stream = base_alloc_get(alloc, streams * sizeof(*export->stream));
	export->state = base_alloc_get(alloc, export->exporter->state_size);
	if (!export->stream || !export->state)
		return -KRON_ENOMEM;
	return report_export_slices_open(&export->slices, alloc, streams);
}

static void release(struct report_export *export)
{
	struct base_alloc *alloc = export->config->alloc;

	if (export->slices.stack)
		report_export_slices_close(&export->slices);
	base_alloc_free(alloc, export->state);
	base_alloc_free(alloc, export->stream);
	base_alloc_free(alloc, export);
}

int report_export_run(const struct report_export_config *config,
		      struct report_export_result *result)
{
	struct report_export *export = base_alloc_get(config->alloc, sizeof(*export));
	struct target target = { .fd = -1 };
	int error;

	*result = (struct report_export_result){ 0 };
	if (!export)
		return -KRON_ENOMEM;
	export->config = config;
	export->exporter = exporters[config->format];
	export->reader = config->reader;
	export->info = trace_reader_info(config->reader);
	error = open_target(config, export->exporter->regular, &target);
	if (error)
		goto out;
	export->path = target.tmp;
	base_out_init(&export->out, config->io, target.fd);
	error = prepare(export);
	if (!error)
		error = run_exporter(export, result);
	error = close_target(config, &target, error, !result->stopped);
out:
	release(export);
	return error;
}
