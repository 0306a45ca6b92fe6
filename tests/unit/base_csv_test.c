/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include "base/csv.h"
#include "support/capture.h"

/* A field is quoted only if it would be misread otherwise; quotes are doubled. */
static void fields_are_quoted_if_they_must_be(void **state)
{
	static const struct {
		const char *text, *field;
	} rows[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ " spaces ", " spaces " },
		{ "a,b", "\"a,b\"" },
		{ "say \"x\"", "\"say \"\"x\"\"\"" },
		{ "two\nlines", "\"two\nlines\"" },
		{ "\r", "\"\r\"" },
		{ "\"", "\"\"\"\"" },
	};
	static struct capture capture;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		capture_init(&capture);
		base_csv_text(&capture.out, rows[i].text);
		assert_string_equal(capture_text(&capture), rows[i].field);
	}
}

TEST_MAIN(TEST(fields_are_quoted_if_they_must_be))
