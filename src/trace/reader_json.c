/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/reader_json.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "base/number.h"
#include "trace/ctf_dir.h"

/* ---- Memory ----
 * jansson has one pair of functions for the whole program and no context. So each thread notes whose
 * memory its calls are about; without a note it is the system's, as if nothing had been set. */

static _Thread_local struct base_alloc *json_alloc;
static _Thread_local bool json_starved; /* a request was refused */

static void *json_resize(size_t size)
{
	struct base_alloc *alloc = json_alloc ? json_alloc : &base_alloc_system;
	void *ptr = alloc->resize(alloc, NULL, size);

	json_starved |= !ptr;
	return ptr;
}

static void json_drop(void *ptr)
{
	base_alloc_free(json_alloc ? json_alloc : &base_alloc_system, ptr);
}

static void memory_of(struct base_alloc *alloc)
{
	json_set_alloc_funcs(json_resize, json_drop);
	json_alloc = alloc;
}

/* ---- The file ---- */

static void complain(struct trace_json *json, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The first complaint is kept. */
static void complain(struct trace_json *json, const char *format, ...)
{
	va_list list;

	if (json->problem[0])
		return;
	va_start(list, format);
	vsnprintf(json->problem, sizeof(json->problem), format, list);
	va_end(list);
}

/* Append to *text what one read gives. Returns its size, 0 at the end, or an error. */
static ssize_t read_more(struct trace_json *json, struct base_io *io, int fd, char **text,
			 size_t *room, size_t size)
{
	ssize_t count;

	if (size == *room) {
		size_t more = *room ? 2 * *room : 16384;
		char *grown = json->alloc->resize(json->alloc, *text, more);

		if (!grown)
			return -KRON_ENOMEM;
		*text = grown;
		*room = more;
	}
	do
		count = io->read(io, fd, *text + size, *room - size);
	while (count < 0 && errno == EINTR);
	return count < 0 ? -KRON_EIO : count;
}

/* All of the file in *text, to be freed whatever is returned. Returns 0 or an error. */
static int read_all(struct trace_json *json, struct base_io *io, int fd, char **text, size_t *size)
{
	size_t room = 0;
	ssize_t count;

	*size = 0;
	do {
		count = read_more(json, io, fd, text, &room, *size);
		if (count < 0)
			return (int)count;
		*size += (size_t)count;
	} while (count > 0 && *size <= TRACE_JSON_BYTES_MAX);
	return 0;
}

static int parse(struct trace_json *json, const char *text, size_t size)
{
	json_error_t error;

	if (size > TRACE_JSON_BYTES_MAX) {
		complain(json, "larger than %d bytes", TRACE_JSON_BYTES_MAX);
		return 0;
	}
	memory_of(json->alloc);
	json_starved = false;
	json->root = json_loadb(text, size, 0, &error);
	if (json_starved) {
		json_decref(json->root);
		json->root = NULL;
	}
	memory_of(NULL);
	if (json_starved)
		return -KRON_ENOMEM;
	if (!json->root)
		complain(json, "line %d: %s", error.line, error.text);
	else if (!json_is_object(json->root))
		complain(json, "not an object");
	return 0;
}

int trace_json_open(struct trace_json *json, struct base_io *io, struct base_alloc *alloc,
		    const char *path)
{
	char *text = NULL;
	size_t size;
	int fd, error, cause;

	*json = (struct trace_json){ .alloc = alloc };
	fd = io->open(io, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0 && errno != ENOENT && errno != ELOOP)
		return -KRON_EIO;
	if (fd < 0) {
		complain(json, errno == ELOOP
				       ? "it is a symbolic link"
				       : "it is missing: no names, processes, losses or cost");
		return 0;
	}
	error = read_all(json, io, fd, &text, &size);
	if (!error)
		error = parse(json, text, size);
	cause = errno;
	base_alloc_free(alloc, text);
	io->close(io, fd);
	errno = cause;
	return error;
}

void trace_json_close(struct trace_json *json)
{
	base_alloc_free(json->alloc, json->process);
	base_alloc_free(json->alloc, json->name);
	base_alloc_free(json->alloc, json->point);
	memory_of(json->alloc);
	json_decref(json->root);
	memory_of(NULL);
	json->root = NULL;
}

/* ---- Members ---- */

/* An object in the file, and where it stands. */
struct place {
	struct trace_json *json;
	json_t *object;
	const char *array; /* "streams", or NULL for the outermost object and those in it */
	size_t index;      /* in it */
	const char *part;  /* member of that: "lost", or NULL */
};

static void wrong(const struct place *place, const char *key, const char *expected)
{
	const char *part = place->part ? place->part : "";
	const char *dot = place->part ? "." : "";

	if (place->array)
		complain(place->json, "%s[%zu].%s%s%s: not %s", place->array, place->index, part,
			 dot, key, expected);
	else
		complain(place->json, "%s%s%s: not %s", part, dot, key, expected);
}

static struct place part_of(const struct place *whole, const char *key)
{
	struct place part = *whole;

	part.part = key;
	part.object = json_object_get(whole->object, key);
	if (part.object && !json_is_object(part.object)) {
		wrong(whole, key, "an object");
		part.object = NULL;
	}
	return part;
}

/* *value stays as it is if the member is missing or wrong. */
static void get_number(const struct place *place, const char *key, uint64_t max, uint64_t *value)
{
	const json_t *member = json_object_get(place->object, key);

	if (!member)
		return;
	if (!json_is_integer(member) || json_integer_value(member) < 0 ||
	    (uint64_t)json_integer_value(member) > max)
		wrong(place, key, "a number in its range");
	else
		*value = (uint64_t)json_integer_value(member);
}

static void get_u64(const struct place *place, const char *key, uint64_t *value)
{
	get_number(place, key, UINT64_MAX, value);
}

static void get_u32(const struct place *place, const char *key, uint32_t *value)
{
	uint64_t number = *value;

	get_number(place, key, UINT32_MAX, &number);
	*value = (uint32_t)number;
}

static void get_bool(const struct place *place, const char *key, bool *value)
{
	const json_t *member = json_object_get(place->object, key);

	if (!member)
		return;
	if (json_is_boolean(member))
		*value = json_is_true(member);
	else
		wrong(place, key, "true or false");
}

static void get_text(const struct place *place, const char *key, const char **value)
{
	const json_t *member = json_object_get(place->object, key);

	if (!member)
		return;
	if (json_is_string(member))
		*value = json_string_value(member);
	else
		wrong(place, key, "text");
}

/* A member that is an array, or NULL. */
static const json_t *get_array(const struct place *place, const char *key)
{
	const json_t *member = json_object_get(place->object, key);

	if (member && !json_is_array(member)) {
		wrong(place, key, "an array");
		return NULL;
	}
	return member;
}

/* The i-th element of an array of objects. Returns whether it is an object. */
static bool get_element(struct trace_json *json, const char *name, const json_t *array, size_t i,
			struct place *element)
{
	*element = (struct place){
		.json = json,
		.object = json_array_get(array, i),
		.array = name,
		.index = i,
	};
	if (json_is_object(element->object))
		return true;
	complain(json, "%s[%zu]: not an object", name, i);
	return false;
}

/* ---- Streams ---- */

bool trace_stream_number(const char *file, uint32_t *number)
{
	const char *digits = file + strlen(TRACE_FILE_STREAM);
	uint64_t value;

	if (!trace_dir_is_stream(file) || (digits[0] == '0' && digits[1]) ||
	    base_number_parse(digits, &value) || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

int trace_json_streams(const struct trace_json *json, int (*visit)(void *context, uint32_t number),
		       void *context)
{
	const json_t *array = json_object_get(json->root, "streams");
	int error = 0;

	for (size_t i = 0; i < json_array_size(array) && !error; i++) {
		const json_t *file = json_object_get(json_array_get(array, i), "file");
		uint32_t number;

		if (json_is_string(file) && trace_stream_number(json_string_value(file), &number))
			error = visit(context, number);
	}
	return error;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

/* The info of the stream that the element is about, or NULL. */
static struct trace_stream_info *find_stream(const struct place *place, struct trace_info *info,
					     const uint32_t *number)
{
	const char *file = "";
	const uint32_t *found;
	uint32_t wanted;

	get_text(place, "file", &file);
	if (!trace_stream_number(file, &wanted)) {
		wrong(place, "file", "the name of a stream");
		return NULL;
	}
	found = bsearch(&wanted, number, info->streams, sizeof(*number), compare_numbers);
	return found ? &info->stream[found - number] : NULL;
}

static void get_triggered(const struct place *place, struct trace_stream_info *stream)
{
	const json_t *array = get_array(place, "triggered");

	if (!array)
		return;
	for (size_t i = 0; i < TRACE_GROUPS; i++) {
		const json_t *element = json_array_get(array, i);

		if (json_is_integer(element) && json_integer_value(element) >= 0)
			stream->triggered[i] = (uint64_t)json_integer_value(element);
		else
			wrong(place, "triggered", "16 numbers");
	}
}

static void get_accounts(const struct place *place, struct trace_stream_info *stream)
{
	struct place lost = part_of(place, "lost");

	stream->accounted = get_array(place, "triggered") && lost.object;
	get_triggered(place, stream);
	get_u64(&lost, "full", &stream->lost_full);
	get_u64(&lost, "nested", &stream->lost_nested);
	get_u64(&lost, "cut", &stream->lost_cut);
	get_u64(&lost, "disk", &stream->lost_disk);
	get_u64(place, "waits", &stream->waits);
	get_u64(place, "wait_ticks", &stream->wait_ticks);
	get_u64(place, "events", &stream->recorded);
}

static void fill_streams(struct trace_json *json, const struct place *top, struct trace_info *info,
			 const uint32_t *number)
{
	const json_t *array = get_array(top, "streams");

	for (size_t i = 0; i < json_array_size(array); i++) {
		struct trace_stream_info *stream;
		struct place place;

		if (!get_element(json, "streams", array, i, &place))
			continue;
		stream = find_stream(&place, info, number);
		if (!stream)
			continue;
		get_u32(&place, "process", &stream->process);
		if (stream->process != UINT32_MAX && stream->process >= info->processes) {
			wrong(&place, "process", "the index of a process");
			stream->process = UINT32_MAX;
		}
		get_u32(&place, "tid", &stream->tid);
		get_text(&place, "thread", &stream->thread);
		get_bool(&place, "nested", &stream->nested);
		get_accounts(&place, stream);
	}
}

/* ---- Processes ---- */

static int compare_names(const void *a, const void *b)
{
	const struct trace_name *left = a, *right = b;

	return (left->id > right->id) - (left->id < right->id);
}

/* Append the names of a process to `names`. Returns their number. */
static size_t fill_names(const struct place *process, struct trace_name *names)
{
	const json_t *array = get_array(process, "names");
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(array); i++) {
		struct place place = { .json = process->json,
				       .object = json_array_get(array, i),
				       .array = process->array,
				       .index = process->index,
				       .part = "names[]" };
		struct trace_name name = { .id = UINT32_MAX, .text = NULL };

		get_u32(&place, "id", &name.id);
		get_text(&place, "text", &name.text);
		if (name.text && name.id != UINT32_MAX)
			names[count++] = name;
		else
			wrong(process, "names", "names with an id and a text");
	}
	if (count)
		qsort(names, count, sizeof(*names), compare_names);
	return count;
}

static size_t count_names(const json_t *processes)
{
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(processes); i++)
		count += json_array_size(json_object_get(json_array_get(processes, i), "names"));
	return count;
}

/* An element that is no object keeps its place: streams tell their process by its index. */
static int fill_processes(struct trace_json *json, const struct place *top, struct trace_info *info)
{
	const json_t *array = get_array(top, "processes");
	size_t count = json_array_size(array), names = count_names(array);
	struct trace_name *next;

	if (!count)
		return 0;
	json->process = base_alloc_get(json->alloc, count * sizeof(*json->process));
	json->name = base_alloc_get(json->alloc, (names + 1) * sizeof(*json->name));
	if (!json->process || !json->name)
		return -KRON_ENOMEM;
	next = json->name;
	for (size_t i = 0; i < count; i++) {
		struct trace_process *process = &json->process[i];
		struct place place;

		process->command = TRACE_NAME_UNKNOWN;
		process->name = next;
		if (!get_element(json, "processes", array, i, &place))
			continue;
		get_u32(&place, "pid", &process->pid);
		get_text(&place, "command", &process->command);
		get_u64(&place, "lost_no_ring", &process->lost_no_ring);
		process->names = fill_names(&place, next);
		next += process->names;
	}
	info->process = json->process;
	info->processes = count;
	return 0;
}

/* ---- The rest ---- */

/* Points must go forward, or times between them would not. */
static int fill_points(struct trace_json *json, const struct place *top, struct trace_info *info)
{
	const json_t *array = get_array(top, "points");
	size_t count = 0;

	if (!json_array_size(array))
		return 0;
	json->point = base_alloc_get(json->alloc, json_array_size(array) * sizeof(*json->point));
	if (!json->point)
		return -KRON_ENOMEM;
	for (size_t i = 0; i < json_array_size(array); i++) {
		struct trace_point point = { UINT64_MAX, UINT64_MAX };
		struct place place;

		if (!get_element(json, "points", array, i, &place))
			continue;
		get_u64(&place, "ticks", &point.ticks);
		get_u64(&place, "wall_ns", &point.wall_ns);
		if (point.ticks == UINT64_MAX || point.wall_ns == UINT64_MAX)
			complain(json, "points[%zu]: not a tick and a time", i);
		else if (count && (point.ticks <= json->point[count - 1].ticks ||
				   point.wall_ns < json->point[count - 1].wall_ns))
			complain(json, "points[%zu]: goes back", i);
		else
			json->point[count++] = point;
	}
	info->point = json->point;
	info->points = count;
	return 0;
}

/* Objects with an index, as a recorder writes them, or names alone, as a chip's trace has them. */
static void fill_counters(struct trace_json *json, const struct place *top, struct trace_info *info)
{
	const json_t *array = get_array(top, "counters");

	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *element = json_array_get(array, i);
		struct trace_counter_info *counter;
		uint32_t index = UINT32_MAX;
		struct place place;

		if (json_is_string(element) && i < TRACE_COUNTERS) {
			info->counter[i].name = json_string_value(element);
			continue;
		}
		if (!get_element(json, "counters", array, i, &place))
			continue;
		get_u32(&place, "index", &index);
		if (index >= TRACE_COUNTERS) {
			wrong(&place, "index", "that of a counter");
			continue;
		}
		counter = &info->counter[index];
		get_text(&place, "name", &counter->name);
		get_text(&place, "source", &counter->source);
		get_bool(&place, "shared", &counter->shared);
	}
}

static void fill_run(const struct place *top, struct trace_info *info)
{
	struct place clock = part_of(top, "clock"), cost = part_of(top, "cost");
	const json_t *code = json_object_get(top->object, "exit_code");

	get_text(top, "model", &info->model);
	get_text(top, "command", &info->command);
	get_u64(&clock, "hz", &info->clock_hz);
	get_u64(top, "begin_ticks", &info->begin_ticks);
	get_u64(top, "end_ticks", &info->end_ticks);
	get_u64(&cost, "trace_ps", &info->trace_cost_ps);
	get_u64(&cost, "resource_ps", &info->resource_cost_ps);
	get_bool(top, "complete", &info->complete);
	if (json_is_integer(code) && json_integer_value(code) >= INT32_MIN &&
	    json_integer_value(code) <= INT32_MAX)
		info->exit_code = (int)json_integer_value(code);
	else if (code)
		wrong(top, "exit_code", "a number in its range");
}

int trace_json_fill(struct trace_json *json, struct trace_info *info, const uint32_t *number)
{
	struct place top = { .json = json, .object = json->root };
	const char *schema = "";
	int error;

	if (!json_is_object(json->root))
		return 0;
	get_text(&top, "schema", &schema);
	if (strcmp(schema, "kron.trace/1"))
		complain(json, "schema is '%.40s', not 'kron.trace/1'", schema);
	fill_run(&top, info);
	fill_counters(json, &top, info);
	error = fill_points(json, &top, info);
	if (!error)
		error = fill_processes(json, &top, info);
	if (!error)
		fill_streams(json, &top, info, number);
	return error;
}
