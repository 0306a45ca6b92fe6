/* SPDX-License-Identifier: Apache-2.0 */
/* Comma-separated values as RFC 4180 has them, but for the line ends: those are the system's. */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/io.h"

/* One field, quoted if it must be. */
void base_csv_text(struct base_out *out, const char *text);

#endif
