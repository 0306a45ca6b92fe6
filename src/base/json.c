/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"

void base_json_init(struct base_json *json, struct base_out *out, bool pretty)
{
	json->out = out;
	json->depth = 0;
	json->pretty = pretty;
	memset(json->filled, 0, sizeof(json->filled));
}

static void json_newline(struct base_json *json)
{
	base_out_write(json->out, "\n", 1);
	for (unsigned i = 0; i < json->depth; i++)
		base_out_write(json->out, "  ", 2);
}

/* The length of the UTF-8 sequence at text, or 0 if there is none: stray or missing continuation
 * bytes, longer than needed, surrogates, beyond U+10FFFF. Stops at the terminating zero. */
static size_t utf8_length(const unsigned char *text)
{
	static const struct {
		unsigned char first, last; /* of the lead byte */
		unsigned char low, high;   /* of the byte behind it */
		unsigned char length;
	} forms[] = {
		/* clang-format off: Table 3-7 of the Unicode Standard */
		{ 0x00, 0x7f, 0, 0, 1 },       { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (text[0] < forms[i].first || text[0] > forms[i].last)
			continue;
		if (forms[i].length > 1 && (text[1] < forms[i].low || text[1] > forms[i].high))
			return 0;
		for (size_t j = 2; j < forms[i].length; j++)
			if ((text[j] & 0xc0) != 0x80)
				return 0;
		return forms[i].length;
	}
	return 0;
}

/* One character that cannot stand in a string as it is. */
static void json_escape(struct base_json *json, unsigned char c)
{
	static const char letters[] = "\"\\\b\f\n\r\t", escapes[] = "\"\\bfnrt";
	const char *found = strchr(letters, c);

	if (found)
		base_out_printf(json->out, "\\%c", escapes[found - letters]);
	else
		base_out_printf(json->out, "\\u%04x", (unsigned)c);
}

static void json_text(struct base_json *json, const char *text)
{
	base_out_write(json->out, "\"", 1);
	while (*text) {
		unsigned char c = (unsigned char)*text;
		size_t length = utf8_length((const unsigned char *)text);

		if (!length)
			base_out_text(json->out, "\xef\xbf\xbd"); /* U+FFFD */
		else if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
			json_escape(json, c);
		else
			base_out_write(json->out, text, length);
		text += length ? length : 1;
	}
	base_out_write(json->out, "\"", 1);
}

/* Everything that stands before a value: comma, new line, key. */
static void json_lead(struct base_json *json, const char *key)
{
	if (json->depth) {
		bool *filled = &json->filled[json->depth - 1];

		if (*filled)
			base_out_write(json->out, ",", 1);
		if (json->pretty)
			json_newline(json);
		else if (*filled)
			base_out_write(json->out, " ", 1);
		*filled = true;
	}
	if (key) {
		json_text(json, key);
		base_out_write(json->out, ": ", 2);
	}
}

static void json_open(struct base_json *json, const char *key, char bracket)
{
	if (json->depth == BASE_JSON_DEPTH) {
		base_out_fail(json->out, -KRON_EINVAL, EINVAL);
		return;
	}
	json_lead(json, key);
	base_out_write(json->out, &bracket, 1);
	json->filled[json->depth++] = false;
}

void base_json_object(struct base_json *json, const char *key)
{
	json_open(json, key, '{');
}

void base_json_array(struct base_json *json, const char *key)
{
	json_open(json, key, '[');
}

void base_json_end(struct base_json *json, char bracket)
{
	if (!json->depth) {
		base_out_fail(json->out, -KRON_EINVAL, EINVAL);
		return;
	}
	json->depth--;
	if (json->pretty && json->filled[json->depth])
		json_newline(json);
	base_out_write(json->out, &bracket, 1);
}

void base_json_string(struct base_json *json, const char *key, const char *value)
{
	json_lead(json, key);
	if (value)
		json_text(json, value);
	else
		base_out_text(json->out, "null");
}

void base_json_unsigned(struct base_json *json, const char *key, uint64_t value)
{
	json_lead(json, key);
	base_out_printf(json->out, "%" PRIu64, value);
}

void base_json_signed(struct base_json *json, const char *key, int64_t value)
{
	json_lead(json, key);
	base_out_printf(json->out, "%" PRId64, value);
}

void base_json_double(struct base_json *json, const char *key, double value)
{
	char text[32];

	json_lead(json, key);
	if (!isfinite(value)) {
		base_out_text(json->out, "null");
		return;
	}
	/* The shortest of them that reads back as the same number; 17 digits always do. */
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	base_out_text(json->out, text);
}

void base_json_bool(struct base_json *json, const char *key, bool value)
{
	json_lead(json, key);
	base_out_text(json->out, value ? "true" : "false");
}
