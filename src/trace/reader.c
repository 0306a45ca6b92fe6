/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of a trace as one, in order of time.
 *
 * Every stream that has something left is in a heap. Its key is the time of its next event, or,
 * before the stream is begun, a time that is not later, from the header of its first packet: so a
 * stream has no window before its time has come. A window goes when the stream ends. */
#include "trace/reader.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/number.h"
#include "trace/reader_json.h"
#include "trace/reader_stream.h"

#define METADATA_MAX    65536 /* Kron writes less than 4096 */
#define WINDOWS_MAX     (64 << 20)
#define WINDOW_MIN      4096
#define WINDOW_MAX      65536
#define NS_PER_SECOND   UINT64_C(1000000000)
#define CLOCK_HZ_UNTOLD NS_PER_SECOND

struct heap_item {
	uint64_t time;
	uint32_t stream;
};

struct trace_reader {
	struct trace_info info;
	struct trace_files files;
	struct trace_json json;
	struct heap_item *heap; /* the first `live`: never later than the two at 2i+1 and 2i+2 */
	size_t live;
	struct trace_cursor *current; /* its event has been handed out */
	uint32_t *number;             /* of stream i; ascending */
	bool *present;                /* the file of stream i is there */
	size_t numbers, capacity;
	char (*file)[TRACE_NAME_BYTES];
	char counter[TRACE_COUNTERS][16];
	char model[64];
	char problem[300];
};

/* ---- metadata ---- */

/* Returns the size of what is there, up to METADATA_MAX, or -KRON_EIO. */
static int read_metadata(struct base_io *io, const char *path, char *text)
{
	size_t size = 0;
	ssize_t count;
	int fd = io->open(io, path, O_RDONLY | O_NONBLOCK, 0);
	int cause;

	if (fd < 0)
		return -KRON_EIO;
	do {
		count = io->read(io, fd, text + size, METADATA_MAX - size);
		if (count > 0)
			size += (size_t)count;
	} while (count > 0 || (count < 0 && errno == EINTR));
	cause = errno;
	io->close(io, fd);
	errno = cause;
	text[size] = '\0';
	return count < 0 ? -KRON_EIO : (int)size;
}

/* The text between `before` and `after`, if it is there and fits. */
static bool find_between(const char *text, const char *before, const char *after, char *found,
			 size_t size)
{
	const char *start = strstr(text, before);
	const char *end = start ? strstr(start + strlen(before), after) : NULL;
	size_t length;

	if (!end)
		return false;
	start += strlen(before);
	length = (size_t)(end - start);
	if (length >= size)
		return false;
	memcpy(found, start, length);
	found[length] = '\0';
	return true;
}

/* What makes the trace one of Kron's, and what can be had without .kron.json. */
static int understand_metadata(struct trace_reader *reader, const char *text)
{
	char hz[24];
	uint64_t value;

	if (strncmp(text, "/* CTF 1.8 */", strlen("/* CTF 1.8 */")) ||
	    !strstr(text, "\ttracer_name = \"kron\";"))
		return -KRON_ECORRUPT;
	if (find_between(text, "\tmodel = \"", "\";", reader->model, sizeof(reader->model)))
		reader->info.model = reader->model;
	if (find_between(text, "\tfreq = ", ";", hz, sizeof(hz)) && !base_number_parse(hz, &value))
		reader->info.clock_hz = value;
	return 0;
}

static int load_metadata(struct trace_reader *reader)
{
	struct trace_files *files = &reader->files;
	char *text = base_alloc_get(files->alloc, METADATA_MAX + 1);
	int result, cause;

	if (!text)
		return -KRON_ENOMEM;
	result = read_metadata(files->io, trace_path_file(&files->path, TRACE_FILE_METADATA), text);
	if (result >= 0)
		result = understand_metadata(reader, text);
	cause = errno;
	base_alloc_free(files->alloc, text);
	errno = cause;
	return result;
}

/* ---- Which streams there are ---- */

static int add_number(void *context, uint32_t number)
{
	struct trace_reader *reader = context;
	void *items = reader->number;
	int error = base_alloc_grow(reader->files.alloc, &items, &reader->capacity, reader->numbers,
				    sizeof(*reader->number));

	reader->number = items;
	if (!error)
		reader->number[reader->numbers++] = number;
	return error;
}

static int add_file(void *context, const struct dirent64 *entry)
{
	uint32_t number;

	if (!trace_stream_number(entry->d_name, &number))
		return 0;
	return add_number(context, number);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

static void sort_numbers(struct trace_reader *reader)
{
	size_t kept = 0;

	if (!reader->numbers)
		return;
	qsort(reader->number, reader->numbers, sizeof(*reader->number), compare_numbers);
	for (size_t i = 0; i < reader->numbers; i++)
		if (!i || reader->number[i] != reader->number[kept - 1])
			reader->number[kept++] = reader->number[i];
	reader->numbers = kept;
}

static int list_files(struct trace_reader *reader)
{
	struct trace_files *files = &reader->files;
	int fd =
		files->io->open(files->io, trace_path_dir(&files->path), O_RDONLY | O_DIRECTORY, 0);
	int error, cause;

	if (fd < 0)
		return -KRON_EIO;
	error = trace_dir_walk(fd, add_file, reader);
	cause = errno;
	files->io->close(files->io, fd);
	errno = cause;
	return error;
}

/* The files, and those that should be there. */
static int list_streams(struct trace_reader *reader)
{
	struct base_alloc *alloc = reader->files.alloc;
	uint32_t *found;
	size_t files;
	int error = list_files(reader);

	if (error)
		return error;
	sort_numbers(reader);
	files = reader->numbers;
	found = base_alloc_get(alloc, (files + 1) * sizeof(*found));
	if (!found)
		return -KRON_ENOMEM;
	if (files)
		memcpy(found, reader->number, files * sizeof(*found));
	error = trace_json_streams(&reader->json, add_number, reader);
	sort_numbers(reader);
	if (!error) {
		reader->present = base_alloc_get(alloc, reader->numbers + 1);
		error = reader->present ? 0 : -KRON_ENOMEM;
	}
	for (size_t i = 0, k = 0; !error && k < files; i++)
		if (reader->number[i] == found[k]) {
			reader->present[i] = true;
			k++;
		}
	base_alloc_free(alloc, found);
	return error;
}

/* ---- Opening ---- */

static void default_info(struct trace_reader *reader)
{
	struct trace_info *info = &reader->info;

	info->model = TRACE_NAME_UNKNOWN;
	info->command = "";
	info->clock_hz = 0;
	for (unsigned i = 0; i < TRACE_COUNTERS; i++) {
		snprintf(reader->counter[i], sizeof(reader->counter[i]), "counter%u", i);
		info->counter[i].name = reader->counter[i];
		info->counter[i].source = "";
	}
}

static void default_stream(struct trace_reader *reader, size_t i)
{
	snprintf(reader->file[i], sizeof(reader->file[i]), TRACE_FILE_STREAM "%" PRIu32,
		 reader->number[i]);
	reader->info.stream[i] = (struct trace_stream_info){
		.file = reader->file[i],
		.process = UINT32_MAX,
		.thread = TRACE_NAME_UNKNOWN,
		.damaged_at = UINT64_MAX,
	};
	reader->files.cursor[i] = (struct trace_cursor){
		.info = &reader->info.stream[i],
		.number = reader->number[i],
		.missing = !reader->present[i],
		.fd = -1,
	};
}

static int make_streams(struct trace_reader *reader)
{
	struct trace_files *files = &reader->files;
	size_t count = reader->numbers, window = WINDOWS_MAX / (count ? count : 1);

	reader->file = base_alloc_get(files->alloc, (count + 1) * sizeof(*reader->file));
	reader->heap = base_alloc_get(files->alloc, (count + 1) * sizeof(*reader->heap));
	reader->info.stream =
		base_alloc_get(files->alloc, (count + 1) * sizeof(*reader->info.stream));
	files->cursor = base_alloc_get(files->alloc, (count + 1) * sizeof(*files->cursor));
	if (!reader->file || !reader->heap || !reader->info.stream || !files->cursor)
		return -KRON_ENOMEM;
	files->cursors = count;
	files->window_bytes = window < WINDOW_MIN   ? WINDOW_MIN
			      : window > WINDOW_MAX ? WINDOW_MAX
						    : window / WINDOW_MIN * WINDOW_MIN;
	reader->info.streams = count;
	for (size_t i = 0; i < count; i++)
		default_stream(reader, i);
	return 0;
}

static void settle_info(struct trace_reader *reader)
{
	struct trace_info *info = &reader->info;

	if (reader->json.problem[0])
		snprintf(reader->problem, sizeof(reader->problem), "%s", reader->json.problem);
	else if (!info->clock_hz)
		snprintf(reader->problem, sizeof(reader->problem),
			 "the frequency of the clock is unknown; 1 GHz is assumed");
	if (!info->clock_hz)
		info->clock_hz = CLOCK_HZ_UNTOLD;
	if (info->end_ticks < info->begin_ticks)
		info->begin_ticks = info->end_ticks = 0;
	info->problem = reader->problem[0] ? reader->problem : NULL;
}

static int open_parts(struct trace_reader *reader)
{
	struct trace_files *files = &reader->files;
	int error = load_metadata(reader);

	if (!error)
		error = trace_json_open(&reader->json, files->io, files->alloc,
					trace_path_file(&files->path, TRACE_FILE_JSON));
	if (!error)
		error = list_streams(reader);
	if (!error)
		error = make_streams(reader);
	if (!error)
		error = trace_json_fill(&reader->json, &reader->info, reader->number);
	if (error)
		return error;
	settle_info(reader);
	return trace_reader_rewind(reader);
}

int trace_reader_open(struct trace_reader **reader, struct base_io *io, struct base_alloc *alloc,
		      const char *dir)
{
	struct trace_reader *opened = base_alloc_get(alloc, sizeof(*opened));
	int error, cause;

	if (!opened)
		return -KRON_ENOMEM;
	opened->files.io = io;
	opened->files.alloc = alloc;
	opened->json.alloc = alloc;
	default_info(opened);
	error = trace_path_init(&opened->files.path, alloc, dir, "");
	if (!error)
		error = open_parts(opened);
	if (error) {
		cause = errno;
		trace_reader_close(opened);
		errno = cause;
		return error;
	}
	*reader = opened;
	return 0;
}

void trace_reader_close(struct trace_reader *reader)
{
	struct base_alloc *alloc = reader->files.alloc;

	for (size_t i = 0; i < reader->files.cursors; i++)
		trace_cursor_rewind(&reader->files, &reader->files.cursor[i]);
	base_alloc_free(alloc, reader->files.cursor);
	base_alloc_free(alloc, reader->files.path.text);
	base_alloc_free(alloc, reader->info.stream);
	base_alloc_free(alloc, reader->heap);
	base_alloc_free(alloc, reader->file);
	base_alloc_free(alloc, reader->present);
	base_alloc_free(alloc, reader->number);
	trace_json_close(&reader->json);
	base_alloc_free(alloc, reader);
}

const struct trace_info *trace_reader_info(const struct trace_reader *reader)
{
	return &reader->info;
}

/* ---- The heap ---- */

static bool earlier(struct heap_item a, struct heap_item b)
{
	return a.time < b.time || (a.time == b.time && a.stream < b.stream);
}

/* Put `item` where item i was, or further down. */
static void heap_sink(struct trace_reader *reader, size_t i, struct heap_item item)
{
	struct heap_item *heap = reader->heap;
	size_t child;

	while ((child = 2 * i + 1) < reader->live) {
		if (child + 1 < reader->live && earlier(heap[child + 1], heap[child]))
			child++;
		if (!earlier(heap[child], item))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = item;
}

static void heap_drop_first(struct trace_reader *reader)
{
	reader->live--;
	if (reader->live)
		heap_sink(reader, 0, reader->heap[reader->live]);
}

int trace_reader_rewind(struct trace_reader *reader)
{
	struct trace_files *files = &reader->files;

	reader->live = 0;
	reader->current = NULL;
	for (size_t i = 0; i < files->cursors; i++)
		trace_cursor_rewind(files, &files->cursor[i]);
	for (size_t i = 0; i < files->cursors; i++) {
		struct heap_item item = { .stream = (uint32_t)i };
		int error = trace_cursor_peek(files, &files->cursor[i], &item.time);

		if (error)
			return error;
		if (!files->cursor[i].done)
			reader->heap[reader->live++] = item;
	}
	for (size_t i = reader->live; i > 0; i--)
		heap_sink(reader, i - 1, reader->heap[i - 1]);
	return 0;
}

/* Move the first stream of the heap on to its next event, and to its new place. */
static int heap_advance(struct trace_reader *reader)
{
	struct heap_item first = reader->heap[0];
	struct trace_cursor *cursor = &reader->files.cursor[first.stream];
	int result = trace_cursor_next(&reader->files, cursor);

	if (result < 0)
		return result;
	if (result == 0) {
		heap_drop_first(reader);
		return 0;
	}
	first.time = cursor->time;
	heap_sink(reader, 0, first);
	return 0;
}

int trace_reader_next(struct trace_reader *reader, struct trace_event *event, unsigned *stream,
		      bool *mark)
{
	/* The event handed out last is left only now; if that fails, it can be tried again. */
	if (reader->current) {
		int error = heap_advance(reader);

		if (error)
			return error;
		reader->current = NULL;
	}
	while (reader->live) {
		struct trace_cursor *cursor = &reader->files.cursor[reader->heap[0].stream];
		int error;

		if (cursor->ready) {
			trace_cursor_event(cursor, event, mark);
			*stream = reader->heap[0].stream;
			reader->current = cursor;
			return 1;
		}
		error = heap_advance(reader);
		if (error)
			return error;
	}
	return 0;
}

/* ---- Names and times ---- */

static int compare_name(const void *wanted, const void *item)
{
	uint64_t id = *(const uint64_t *)wanted, other = ((const struct trace_name *)item)->id;

	return (id > other) - (id < other);
}

const char *trace_reader_name(const struct trace_reader *reader, unsigned stream, uint64_t id)
{
	const struct trace_info *info = &reader->info;
	const struct trace_process *process;
	const struct trace_name *name;

	if (stream >= info->streams || info->stream[stream].process >= info->processes)
		return TRACE_NAME_UNKNOWN;
	process = &info->process[info->stream[stream].process];
	if (!process->names)
		return TRACE_NAME_UNKNOWN;
	name = bsearch(&id, process->name, process->names, sizeof(*name), compare_name);
	return name ? name->text : TRACE_NAME_UNKNOWN;
}

static uint64_t scale(uint64_t value, uint64_t by, uint64_t of)
{
	unsigned __int128 scaled = (unsigned __int128)value * by / of;

	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

/* The last point that is not later; there is one. */
static size_t point_before(const struct trace_info *info, uint64_t ticks)
{
	size_t low = 0, high = info->points;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (info->point[middle].ticks <= ticks)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint64_t trace_reader_ns(const struct trace_reader *reader, uint64_t ticks)
{
	const struct trace_info *info = &reader->info;
	const struct trace_point *at;
	uint64_t since;
	size_t i;

	if (!info->points)
		return scale(ticks, NS_PER_SECOND, info->clock_hz);
	if (ticks < info->point[0].ticks)
		return 0;
	i = point_before(info, ticks);
	at = &info->point[i];
	if (i + 1 < info->points)
		since = scale(ticks - at->ticks, at[1].wall_ns - at->wall_ns,
			      at[1].ticks - at->ticks);
	else
		since = scale(ticks - at->ticks, NS_PER_SECOND, info->clock_hz);
	since += at->wall_ns - info->point[0].wall_ns;
	return since < at->wall_ns - info->point[0].wall_ns ? UINT64_MAX : since;
}
