/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv.h"
#include <string.h>

void base_csv_text(struct base_out *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		base_out_text(out, text);
		return;
	}
	base_out_text(out, "\"");
	for (; *text; text++) {
		if (*text == '"')
			base_out_text(out, "\"");
		base_out_write(out, text, 1);
	}
	base_out_text(out, "\"");
}
