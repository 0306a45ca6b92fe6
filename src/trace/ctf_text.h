/* SPDX-License-Identifier: Apache-2.0 */
/* The text files of a trace: what stands in metadata and .kron.json. */
#ifndef TRACE_CTF_TEXT_H
#define TRACE_CTF_TEXT_H

#include "base/io.h"
#include "trace/ctf.h"

void trace_text_metadata(struct base_out *out, const struct trace_ctf_info *info);
void trace_text_json(struct base_out *out, const struct trace_ctf_info *info);

#endif
