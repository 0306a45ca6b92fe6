/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <stdlib.h>
#include <string.h>
#include "support/export_trace.h"

#define COLUMNS 32
#define ROWS    64

/* A file taken apart by the rules of RFC 4180, with plain line ends. The cells point into its text. */
struct table {
	char *text;
	unsigned rows;
	char *cell[ROWS][COLUMNS];
};

/* Take one cell off *at; returns what stood behind it. */
static char take_cell(char **at, char **cell)
{
	char *from = *at, *to = *at, end;
	bool quoted = *from == '"';

	*cell = to;
	if (quoted)
		from++;
	while (quoted ? from[0] != '"' || from[1] == '"' : !strchr(",\n", *from)) {
		CHECK(*from);
		CHECK(quoted || (*from != '"' && *from != '\r'));
		if (quoted && *from == '"')
			from++;
		*to++ = *from++;
	}
	if (quoted)
		from++;
	end = *from++;
	CHECK(end == ',' || end == '\n');
	*at = from;
	*to = '\0';
	return end;
}

static void load(struct table *table, const char *path)
{
	size_t size;
	char *at;

	table->rows = 0;
	table->text = at = export_trace_read(path, &size);
	while (*at) {
		unsigned column = 0;

		CHECK(table->rows < ROWS);
		do
			CHECK(column < COLUMNS);
		while (take_cell(&at, &table->cell[table->rows][column++]) == ',');
		CHECK_EQUAL(column, COLUMNS);
		table->rows++;
	}
	CHECK_EQUAL(at - table->text, size);
}

static const char *cell(const struct table *table, unsigned row, const char *name)
{
	for (unsigned i = 0; i < COLUMNS; i++)
		if (!strcmp(table->cell[0][i], name))
			return table->cell[row][i];
	fail_msg("no column %s", name);
	return NULL;
}

static unsigned find_row(const struct table *table, const char *name, const char *text)
{
	for (unsigned row = 1; row < table->rows; row++)
		if (!strcmp(cell(table, row, name), text))
			return row;
	fail_msg("no row where %s is %s", name, text);
	return 0;
}

static void export_story(struct table *table)
{
	struct report_export_result result;

	export_trace_story("t");
	CHECK_EQUAL(export_trace_run(&base_io_system, &base_alloc_system, "t", REPORT_EXPORT_CSV,
				     "out", &result),
		    0);
	load(table, "out");
}

static void a_row_per_event_in_order_of_time(void **state)
{
	struct table table;

	(void)state;
	export_story(&table);
	CHECK_EQUAL(table.rows, 1 + EXPORT_STORY_EVENTS);
	for (unsigned i = 2; i < table.rows; i++)
		CHECK(strtoull(cell(&table, i, "ns"), NULL, 10) >=
		      strtoull(cell(&table, i - 1, "ns"), NULL, 10));
	assert_string_equal(cell(&table, 1, "ns"), "100");
	assert_string_equal(cell(&table, 1, "ticks"), "1100");
	free(table.text);
}

static void text_comes_back_as_it_was(void **state)
{
	struct table table;
	unsigned row;

	(void)state;
	export_story(&table);
	row = find_row(&table, "mark", "region_end");
	assert_string_equal(cell(&table, row, "name"), "solve, \"fast\"\n\xc2\xb5");
	assert_string_equal(cell(&table, row, "value"), "7");
	row = find_row(&table, "stream", "1");
	assert_string_equal(cell(&table, row, "thread"), "worker, 1");
	assert_string_equal(cell(&table, row, "pid"), "4711");
	assert_string_equal(cell(&table, row, "tid"), "4713");
	free(table.text);
}

static void what_an_event_has_not_is_empty(void **state)
{
	struct table table;
	unsigned row;

	(void)state;
	export_story(&table);
	row = find_row(&table, "data", "18446744073709551615");
	assert_string_equal(cell(&table, row, "mark"), "");
	assert_string_equal(cell(&table, row, "name"), "");
	assert_string_equal(cell(&table, row, "value"), "");
	assert_string_equal(cell(&table, row, "counter7"), "");
	row = find_row(&table, "data", "5");
	assert_string_equal(cell(&table, row, "type"), "resource");
	assert_string_equal(cell(&table, row, "counter0:items"), "10");
	assert_string_equal(cell(&table, row, "counter2:bytes"), "100");
	assert_string_equal(cell(&table, row, "counter7"), "42");
	assert_string_equal(cell(&table, row, "counter15"), "0");
	free(table.text);
}

static void losses_stand_where_they_were(void **state)
{
	struct table table;
	unsigned row;

	(void)state;
	export_story(&table);
	row = find_row(&table, "lost_before", "5");
	assert_string_equal(cell(&table, row, "fifo_overrun"), "1");
	assert_string_equal(cell(&table, row, "ns"), "700");
	for (unsigned i = 1; i < table.rows; i++)
		CHECK(i == row || !strcmp(cell(&table, i, "lost_before"), "0"));
	free(table.text);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, export_trace_enter, export_trace_leave)

TEST_MAIN(IN_DIR(a_row_per_event_in_order_of_time), IN_DIR(text_comes_back_as_it_was),
	  IN_DIR(what_an_event_has_not_is_empty), IN_DIR(losses_stand_where_they_were))
