/* SPDX-License-Identifier: Apache-2.0 */
/* A streaming JSON writer: values go out as they come; commas and quotes are its business. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include "base/io.h"

#define BASE_JSON_DEPTH 32

struct base_json {
	struct base_out *out;
	unsigned depth;
	bool pretty;                  /* a line a member; otherwise all on one line */
	bool filled[BASE_JSON_DEPTH]; /* something stands in the n-th open bracket already */
};

void base_json_init(struct base_json *json, struct base_out *out, bool pretty);

/* key is NULL inside an array and for the outermost value, behind which no newline is written: that
 * is the caller's. Nesting deeper than BASE_JSON_DEPTH, or closing what is not open, breaks the
 * writer with -KRON_EINVAL; see base_out_fail(). */
void base_json_object(struct base_json *json, const char *key);
void base_json_array(struct base_json *json, const char *key);
void base_json_end(struct base_json *json, char bracket); /* '}' or ']' */
/* UTF-8; bad bytes become U+FFFD. NULL: null. */
void base_json_string(struct base_json *json, const char *key, const char *value);
void base_json_unsigned(struct base_json *json, const char *key, uint64_t value);
void base_json_signed(struct base_json *json, const char *key, int64_t value);
void base_json_double(struct base_json *json, const char *key, double value); /* nan, inf: null */
void base_json_bool(struct base_json *json, const char *key, bool value);

#endif
