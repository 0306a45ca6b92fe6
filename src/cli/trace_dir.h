/* SPDX-License-Identifier: Apache-2.0 */
/* The trace that a command reads. */
#ifndef CLI_TRACE_DIR_H
#define CLI_TRACE_DIR_H

#include "cli/cli.h"
#include "trace/reader.h"

/* Where kron record writes and the others look if nothing is said. */
#define CLI_TRACE_DIR "kron.data"

/* Returns CLI_GO, or an exit code, having said what is wrong. */
int cli_trace_open(struct cli *cli, const char *dir, struct trace_reader **reader);

/* When it has been read: say what of it could not be. Returns CLI_DONE, or CLI_INPUT if it is not
 * whole. */
int cli_trace_damage(struct cli *cli, const char *dir, const struct trace_info *info);

#endif
