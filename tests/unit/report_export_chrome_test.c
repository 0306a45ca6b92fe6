/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of Chrome's JSON, as far as Kron uses it. */
#include "unit/test.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "support/export_trace.h"

#define LINES_MAX 64

/* A line of a viewer: pid and tid. */
struct line {
	json_int_t pid, tid;
	unsigned depth;
	double time;
	bool named;
};

struct counts {
	struct line line[LINES_MAX];
	unsigned lines;
	unsigned begins, instants, counters, names;
};

static json_int_t number_of(const json_t *event, const char *key)
{
	const json_t *member = json_object_get(event, key);

	CHECK(json_is_integer(member));
	return json_integer_value(member);
}

static const char *text_of(const json_t *event, const char *key)
{
	const json_t *member = json_object_get(event, key);

	CHECK(json_is_string(member));
	return json_string_value(member);
}

static struct line *line_of(struct counts *counts, const json_t *event)
{
	json_int_t pid = number_of(event, "pid"), tid = number_of(event, "tid");

	for (unsigned i = 0; i < counts->lines; i++)
		if (counts->line[i].pid == pid && counts->line[i].tid == tid)
			return &counts->line[i];
	CHECK(counts->lines < LINES_MAX);
	counts->line[counts->lines] = (struct line){ .pid = pid, .tid = tid };
	return &counts->line[counts->lines++];
}

static void check_name(struct counts *counts, const json_t *event)
{
	const char *what = text_of(event, "name");

	CHECK(!strcmp(what, "process_name") || !strcmp(what, "thread_name"));
	CHECK(*text_of(json_object_get(event, "args"), "name"));
	if (what[0] == 't')
		line_of(counts, event)->named = true;
	counts->names++;
}

static void check_timed(struct counts *counts, const json_t *event, char phase)
{
	const json_t *time = json_object_get(event, "ts");
	struct line *line = line_of(counts, event);

	CHECK(json_is_number(time));
	CHECK(json_number_value(time) >= line->time);
	CHECK(line->named);
	line->time = json_number_value(time);
	if (phase == 'E') {
		CHECK(line->depth-- > 0);
		return;
	}
	CHECK(*text_of(event, "name"));
	if (phase == 'C') {
		CHECK(number_of(json_object_get(event, "args"), "value") >= 0);
		counts->counters++;
		return;
	}
	CHECK(*text_of(event, "cat"));
	if (phase == 'B') {
		line->depth++;
		counts->begins++;
		return;
	}
	CHECK(phase == 'i');
	assert_string_equal(text_of(event, "s"), "t");
	counts->instants++;
}

static json_t *check_file(const char *path, struct counts *counts)
{
	json_error_t error;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error), *events;

	if (!root)
		fail_msg("line %d: %s", error.line, error.text);
	assert_string_equal(text_of(root, "displayTimeUnit"), "ns");
	events = json_object_get(root, "traceEvents");
	CHECK(json_is_array(events));
	memset(counts, 0, sizeof(*counts));
	for (size_t i = 0; i < json_array_size(events); i++) {
		const json_t *event = json_array_get(events, i);
		const char *phase = text_of(event, "ph");

		CHECK_EQUAL(strlen(phase), 1);
		if (phase[0] == 'M')
			check_name(counts, event);
		else
			check_timed(counts, event, phase[0]);
	}
	for (unsigned i = 0; i < counts->lines; i++)
		CHECK_EQUAL(counts->line[i].depth, 0);
	return root;
}

static void export_to(const char *path)
{
	struct report_export_result result;

	CHECK_EQUAL(export_trace_run(&base_io_system, &base_alloc_system, "t", REPORT_EXPORT_CHROME,
				     path, &result),
		    0);
}

static void the_story_is_told(void **state)
{
	struct counts counts;
	json_t *root;

	(void)state;
	export_trace_story("t");
	export_to("out");
	root = check_file("out", &counts);
	json_decref(root);
	CHECK_EQUAL(counts.names, 2 + 4);
	CHECK_EQUAL(counts.lines, 4);
	CHECK_EQUAL(counts.begins, 8);
	CHECK_EQUAL(counts.instants, 4 + 5 + 2);
	CHECK_EQUAL(counts.counters, 1 + 2 + 2 + 2);
}

/* The event with that name whose member of args is text, or NULL. */
static const json_t *find(const json_t *root, const char *name, const char *key)
{
	const json_t *events = json_object_get(root, "traceEvents");

	for (size_t i = 0; i < json_array_size(events); i++) {
		const json_t *event = json_array_get(events, i);
		const json_t *it = json_object_get(event, "name");

		if (it && !strcmp(json_string_value(it), name) &&
		    json_object_get(json_object_get(event, "args"), key))
			return event;
	}
	return NULL;
}

static void nothing_is_rounded(void **state)
{
	static const struct export_trace_event event[] = {
		{ 0, UINT64_C(8640000000000123), 0, .data = UINT64_MAX - 1 }, /* 100 days */
	};
	struct counts counts;
	const json_t *found;
	json_t *root;

	(void)state;
	export_trace_write("t", "{}", event, 1, 1, NULL);
	export_to("out");
	root = check_file("out", &counts);
	found = find(root, "trace", "data");
	assert_non_null(found);
	assert_string_equal(text_of(json_object_get(found, "args"), "data"), "0xfffffffffffffffe");
	CHECK(json_real_value(json_object_get(found, "ts")) == 8640000000000.123);
	json_decref(root);
}

static void an_empty_trace_is_valid(void **state)
{
	struct counts counts;

	(void)state;
	export_trace_write("t", "{}", NULL, 0, 0, NULL);
	export_to("out");
	json_decref(check_file("out", &counts));
	CHECK_EQUAL(counts.lines, 0);
}

#define EVENTS 500

static void whatever_happens_the_file_is_sound(void **state)
{
	static struct export_trace_event event[EVENTS];
	struct counts counts;
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 2);
	for (unsigned i = 0; i < EVENTS; i++)
		event[i] = (struct export_trace_event){
			.stream = (unsigned)base_rng_below(&rng, 3),
			.ticks = 1000 + i,
			.kind = (unsigned)base_rng_below(&rng, 16),
			.data = base_rng_below(&rng, 4),
			.lost = i / 50,
		};
	export_trace_write("t", "{}", event, EVENTS, 3, NULL);
	export_to("out");
	json_decref(check_file("out", &counts));
	CHECK(counts.begins > EVENTS / 8);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, export_trace_enter, export_trace_leave)

TEST_MAIN(IN_DIR(the_story_is_told), IN_DIR(nothing_is_rounded), IN_DIR(an_empty_trace_is_valid),
	  IN_DIR(whatever_happens_the_file_is_sound))
