/* SPDX-License-Identifier: Apache-2.0 */
/* Counters as people type them: "0=software:items,1=clock,2=page-faults". */
#ifndef CLI_COUNTER_LIST_H
#define CLI_COUNTER_LIST_H

#include <kron/wire.h>
#include "cli/cli.h"

/* list may be NULL: all software. Returns CLI_GO, or CLI_USAGE having said what is wrong. */
int cli_counters_parse(struct cli *cli, const char *list, struct kron_wire_counter *counter);

/* Print which sources there are here, and why others are not. Returns an exit code. */
int cli_counters_list(struct cli *cli);

#endif
