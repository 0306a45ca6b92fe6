/* SPDX-License-Identifier: Apache-2.0 */
/* The accounts of a recording: what was triggered, stored and lost, by whom and why. */
#ifndef COLLECT_ACCOUNT_H
#define COLLECT_ACCOUNT_H

#include "collect/output.h"

void collect_account_sum(const struct collect_output *output, struct collect_totals *totals);

/* The text of .kron.json; the reader's view of it is struct trace_info. `complete` is false while the
 * recording goes on. */
void collect_account_put(struct base_out *out, const struct collect_output *output, int exit_code,
			 bool complete);

#endif
