/* SPDX-License-Identifier: Apache-2.0 */
/* A report for people: aligned tables, times in units that suit them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "report/report.h"

#define CELL_BYTES 256
#define CELL_WIDTH 40 /* of a name, at most; longer ones are cut */
#define GAP        2

#define STYLE_TITLE "\033[1m"
#define STYLE_HEAD  "\033[2m"
#define STYLE_OFF   "\033[0m"

struct page {
	const struct report *report;
	struct base_out *out;
	bool colour;
	size_t top;
};

/* A table on its way to the page. */
struct layout {
	const struct report_section *section;
	size_t rows;                        /* worth showing */
	bool shown[REPORT_COLUMNS_MAX];     /* the column is worth showing */
	unsigned width[REPORT_COLUMNS_MAX]; /* of its widest cell */
};

/* ---- Cells ---- */

/* Three digits and a unit. */
static void format_time(uint64_t ns, char *text)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	unsigned unit = 0;

	while (unit < 3 && value >= 999.5) {
		value /= 1000;
		unit++;
	}
	if (unit == 0 || value >= 99.95)
		snprintf(text, CELL_BYTES, "%.0f %s", value, units[unit]);
	else
		snprintf(text, CELL_BYTES, value >= 9.995 ? "%.1f %s" : "%.2f %s", value,
			 units[unit]);
}

static void format_share(double share, char *text)
{
	snprintf(text, CELL_BYTES, share > 0 && share < 0.001 ? "%.3f %%" : "%.1f %%", 100 * share);
}

/* Columns on a terminal, near enough: one a character of UTF-8. */
static unsigned width_of(const char *text)
{
	unsigned width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

/* Text from outside must not steer the terminal, nor take all of a line. */
static void format_name(const char *name, char *text)
{
	unsigned width = 0;
	size_t used = 0, cut = 0;

	for (; *name && used < CELL_BYTES - 8; name++) {
		unsigned char c = (unsigned char)*name;

		if ((c & 0xc0) != 0x80) {
			if (width == CELL_WIDTH - 3)
				cut = used;
			if (width == CELL_WIDTH)
				break;
			width++;
		}
		text[used++] = c < ' ' || c == 0x7f ? '?' : *name;
	}
	text[used] = '\0';
	if (*name)
		strcpy(text + (cut ? cut : used), "...");
}

static void format_cell(const struct report_column *column, const struct report_value *value,
			char *text)
{
	switch (column->kind) {
	case REPORT_TEXT:
		format_name(value->text ? value->text : "", text);
		break;
	case REPORT_COUNT:
		snprintf(text, CELL_BYTES, "%" PRIu64, value->number);
		break;
	case REPORT_TIME:
		if (value->number)
			format_time(value->number, text);
		else
			snprintf(text, CELL_BYTES, "-");
		break;
	case REPORT_SHARE:
		format_share(value->share, text);
		break;
	case REPORT_ADDRESS:
		snprintf(text, CELL_BYTES, "0x%" PRIx64, value->number);
		break;
	case REPORT_FLAG:
		snprintf(text, CELL_BYTES, value->number ? "yes" : "-");
		break;
	}
}

static bool is_zero(const struct report_column *column, const struct report_value *value)
{
	if (column->kind == REPORT_TEXT)
		return !value->text || !*value->text;
	return column->kind == REPORT_SHARE ? !(value->share > 0) : !value->number;
}

/* ---- Tables ---- */

/* Returns whether the row is worth showing. */
static bool get_row(const struct page *page, const struct report_section *section, size_t row,
		    struct report_value *value)
{
	memset(value, 0, REPORT_COLUMNS_MAX * sizeof(*value));
	section->row(page->report, row, value);
	if (!section->skip_zero)
		return true;
	for (unsigned i = 0; section->column[i].key; i++) {
		const struct report_column *column = &section->column[i];

		if (column->kind != REPORT_TEXT &&
		    !(column->flags & (REPORT_DATA_ONLY | REPORT_NAME)) &&
		    !is_zero(column, &value[i]))
			return true;
	}
	return false;
}

static void measure_row(struct layout *layout, const struct report_value *value)
{
	char text[CELL_BYTES];

	for (unsigned i = 0; layout->section->column[i].key; i++) {
		const struct report_column *column = &layout->section->column[i];
		unsigned width;

		if (column->flags & REPORT_DATA_ONLY)
			continue;
		format_cell(column, &value[i], text);
		width = width_of(text);
		if (width > layout->width[i])
			layout->width[i] = width;
		if (!(column->flags & REPORT_IF_ANY) || !is_zero(column, &value[i]))
			layout->shown[i] = true;
	}
}

/* Only the rows that will be printed count for the widths. */
static void measure(const struct page *page, struct layout *layout)
{
	const struct report_section *section = layout->section;
	struct report_value value[REPORT_COLUMNS_MAX];

	for (unsigned i = 0; section->column[i].key; i++)
		if (section->column[i].title)
			layout->width[i] = (unsigned)strlen(section->column[i].title);
	for (size_t row = 0; row < section->rows(page->report); row++) {
		if (!get_row(page, section, row, value))
			continue;
		layout->rows++;
		if (!page->top || layout->rows <= page->top)
			measure_row(layout, value);
	}
}

/* Names to the left, numbers to the right; nothing behind the last one. */
static void put_cell(const struct page *page, const struct layout *layout, unsigned i,
		     const char *text, bool last)
{
	bool left = layout->section->column[i].kind == REPORT_TEXT;
	int fill = (int)(layout->width[i] - width_of(text));

	base_out_printf(page->out, "%*s%*s%s%*s", GAP, "", left ? 0 : fill, "", text,
			left && !last ? fill : 0, "");
}

static unsigned last_column(const struct layout *layout)
{
	unsigned last = 0;

	for (unsigned i = 0; layout->section->column[i].key; i++)
		if (layout->shown[i])
			last = i;
	return last;
}

static void put_row(const struct page *page, const struct layout *layout,
		    const struct report_value *value)
{
	char text[CELL_BYTES];

	for (unsigned i = 0; layout->section->column[i].key; i++) {
		if (!layout->shown[i])
			continue;
		if (value)
			format_cell(&layout->section->column[i], &value[i], text);
		put_cell(page, layout, i, value ? text : layout->section->column[i].title,
			 i == last_column(layout));
	}
	base_out_text(page->out, "\n");
}

static const char *style(const struct page *page, const char *code)
{
	return page->colour ? code : "";
}

static void put_heads(const struct page *page, const struct layout *layout)
{
	const struct report_section *section = layout->section;
	bool native = page->report->analysis.native && section->native_title;

	base_out_printf(page->out, "\n%s%s%s\n%s", style(page, STYLE_TITLE),
			native ? section->native_title : section->title, style(page, STYLE_OFF),
			style(page, STYLE_HEAD));
	put_row(page, layout, NULL);
	base_out_text(page->out, style(page, STYLE_OFF));
}

static void put_table(const struct page *page, const struct report_section *section)
{
	struct layout layout = { .section = section };
	struct report_value value[REPORT_COLUMNS_MAX];
	size_t put = 0;

	measure(page, &layout);
	if (!layout.rows)
		return;
	put_heads(page, &layout);
	for (size_t row = 0; row < section->rows(page->report); row++) {
		if (!get_row(page, section, row, value))
			continue;
		if (page->top && put == page->top)
			break;
		put_row(page, &layout, value);
		put++;
	}
	if (put < layout.rows)
		base_out_printf(page->out, "%*s... and %zu more; --top 0 shows all\n", GAP, "",
				layout.rows - put);
}

/* ---- Around them ---- */

static void put_run(const struct page *page)
{
	const struct report *report = page->report;
	const struct trace_info *info = report->info;
	char time[CELL_BYTES], text[CELL_BYTES];

	format_name(report->trace, text);
	base_out_printf(page->out, "%s%s%s", style(page, STYLE_TITLE), text,
			style(page, STYLE_OFF));
	format_name(*info->command ? info->command : info->model, text);
	format_time(report_ns(report, report->run_ticks), time);
	base_out_printf(page->out, ": %s, %s", text, time);
	if (info->exit_code)
		base_out_printf(page->out, ", exit code %d", info->exit_code);
	base_out_printf(page->out, "\n%" PRIu64 " %s of %zu %s, %" PRIu64 " lost\n",
			report->analysis.events, report->analysis.events == 1 ? "event" : "events",
			report->threads,
			report->analysis.native ? report->threads == 1 ? "thread" : "threads"
			: report->threads == 1  ? "node"
						: "nodes",
			report->lost);
}

static void put_cost(const struct page *page)
{
	const struct report *report = page->report;
	uint64_t run_ns = report_ns(report, report->run_ticks);
	char time[CELL_BYTES], share[CELL_BYTES];

	if (!report->cost_ns)
		return;
	format_time(report->cost_ns, time);
	format_share(run_ns ? (double)report->cost_ns / (double)run_ns : 0, share);
	base_out_printf(page->out, "measuring took %s of processor time, %s of the run time\n",
			time, share);
}

void report_put_text(const struct report *report, struct base_out *out, bool colour, size_t top)
{
	struct page page = { .report = report, .out = out, .colour = colour, .top = top };

	put_run(&page);
	put_cost(&page);
	for (const struct report_section *section = report_sections; section->key; section++)
		if (section->title && !(section->chip_only && report->analysis.native))
			put_table(&page, section);
}
