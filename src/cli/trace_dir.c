/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/trace_dir.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "trace/ctf_dir.h"

int cli_trace_open(struct cli *cli, const char *dir, struct trace_reader **reader)
{
	int error = trace_reader_open(reader, cli->io, cli->alloc, dir);
	bool absent = error == -KRON_EIO && errno == ENOENT;

	if (!error)
		return CLI_GO;
	if (error == -KRON_ECORRUPT || (absent && !access(dir, F_OK))) {
		cli_error(cli, "%s: this is not a trace of Kron", dir);
		return CLI_INPUT;
	}
	cli_error(cli, "%s: %s", dir, base_error_text(error));
	if (absent)
		cli_hint(cli, "kron record -o %s -- PROG makes one", dir);
	return CLI_INPUT;
}

int cli_trace_damage(struct cli *cli, const char *dir, const struct trace_info *info)
{
	int code = CLI_DONE;

	if (info->problem) {
		cli_error(cli, "%s/" TRACE_FILE_JSON ": %s", dir, info->problem);
		code = CLI_INPUT;
	}
	for (size_t i = 0; i < info->streams; i++) {
		const struct trace_stream_info *stream = &info->stream[i];

		if (!stream->damage)
			continue;
		cli_error(cli, "%s/%s: offset %llu: %s; the %llu events before it were read", dir,
			  stream->file, (unsigned long long)stream->damaged_at, stream->damage,
			  (unsigned long long)stream->events);
		code = CLI_INPUT;
	}
	if (!strcmp(info->model, "native") && !info->complete && !info->problem) {
		cli_error(cli,
			  "%s: its recorder did not come to an end; the last events, and the "
			  "account of losses, are missing",
			  dir);
		code = CLI_INPUT;
	}
	return code;
}
