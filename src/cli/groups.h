/* SPDX-License-Identifier: Apache-2.0 */
/* Groups as people type them: "all", "none", "0-3,7", "0x8f". */
#ifndef CLI_GROUPS_H
#define CLI_GROUPS_H

#include <stdint.h>
#include "cli/cli.h"

/* Returns CLI_GO, or CLI_USAGE having said what is wrong with `option`. */
int cli_groups_parse(struct cli *cli, const char *option, const char *text, uint32_t *groups);

/* The other way: "0-3,7". size of at least 64. */
void cli_groups_print(uint32_t groups, char *text, size_t size);

#endif
