/* SPDX-License-Identifier: Apache-2.0 */
/* A report for programs: JSON and CSV. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/csv.h"
#include "base/json.h"
#include "report/report.h"

static void get_row(const struct report *report, const struct report_section *section, size_t row,
		    struct report_value *value)
{
	memset(value, 0, REPORT_COLUMNS_MAX * sizeof(*value));
	section->row(report, row, value);
}

/* ---- JSON ---- */

static void put_member(struct base_json *json, const struct report_column *column,
		       const struct report_value *value)
{
	char address[24];

	switch (column->kind) {
	case REPORT_TEXT:
		base_json_string(json, column->key, value->text);
		break;
	case REPORT_COUNT:
	case REPORT_TIME:
		base_json_unsigned(json, column->key, value->number);
		break;
	case REPORT_SHARE:
		base_json_double(json, column->key, value->share);
		break;
	case REPORT_ADDRESS:
		snprintf(address, sizeof(address), "0x%" PRIx64, value->number);
		base_json_string(json, column->key, address);
		break;
	case REPORT_FLAG:
		base_json_bool(json, column->key, value->number);
		break;
	}
}

static void put_members(struct base_json *json, const struct report *report,
			const struct report_section *section, size_t row)
{
	struct report_value value[REPORT_COLUMNS_MAX];

	get_row(report, section, row, value);
	for (unsigned i = 0; section->column[i].key; i++)
		put_member(json, &section->column[i], &value[i]);
}

void report_put_json(const struct report *report, struct base_out *out)
{
	const struct report_section *section = report_sections;
	struct base_json json;

	base_json_init(&json, out, true);
	base_json_object(&json, NULL);
	base_json_string(&json, "schema", "kron.report/1");
	put_members(&json, report, section, 0);
	base_json_signed(&json, "exit_code", report->info->exit_code);
	base_json_string(&json, "problem", report->info->problem);
	while ((++section)->key) {
		base_json_array(&json, section->key);
		for (size_t row = 0; row < section->rows(report); row++) {
			base_json_object(&json, NULL);
			put_members(&json, report, section, row);
			base_json_end(&json, '}');
		}
		base_json_end(&json, ']');
	}
	base_json_end(&json, '}');
	base_out_text(out, "\n");
}

/* ---- CSV ---- */

static void put_field(struct base_out *out, const struct report_column *column,
		      const struct report_value *value)
{
	switch (column->kind) {
	case REPORT_TEXT:
		base_csv_text(out, value->text ? value->text : "");
		break;
	case REPORT_COUNT:
	case REPORT_TIME:
	case REPORT_FLAG:
		base_out_printf(out, "%" PRIu64, value->number);
		break;
	case REPORT_SHARE:
		base_out_printf(out, "%.6g", value->share);
		break;
	case REPORT_ADDRESS:
		base_out_printf(out, "0x%" PRIx64, value->number);
		break;
	}
}

static void put_section(struct base_out *out, const struct report *report,
			const struct report_section *section)
{
	struct report_value value[REPORT_COLUMNS_MAX];

	base_out_text(out, "section");
	for (unsigned i = 0; section->column[i].key; i++)
		base_out_printf(out, ",%s", section->column[i].key);
	base_out_text(out, "\n");
	for (size_t row = 0; row < section->rows(report); row++) {
		get_row(report, section, row, value);
		base_out_text(out, section->key);
		for (unsigned i = 0; section->column[i].key; i++) {
			base_out_text(out, ",");
			put_field(out, &section->column[i], &value[i]);
		}
		base_out_text(out, "\n");
	}
}

void report_put_csv(const struct report *report, struct base_out *out)
{
	for (const struct report_section *section = report_sections; section->key; section++) {
		if (section != report_sections)
			base_out_text(out, "\n");
		put_section(out, report, section);
	}
}
