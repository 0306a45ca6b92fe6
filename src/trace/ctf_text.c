/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/ctf_text.h"
#include <inttypes.h>
#include <stdio.h>
#include "base/json.h"
#include "trace/ctf_dir.h"

#define NS_PER_S UINT64_C(1000000000)

/* clang-format off */
static const char metadata_trace[] =
"/* CTF 1.8 */\n"
"\n"
"typealias integer { size = 1; align = 1; signed = false; } := uint1_t;\n"
"typealias integer { size = 2; align = 1; signed = false; } := uint2_t;\n"
"typealias integer { size = 3; align = 1; signed = false; } := uint3_t;\n"
"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
"typealias integer { size = 64; align = 8; signed = false; base = hex; } := hex64_t;\n"
"\n"
"trace {\n"
"	major = 1;\n"
"	minor = 8;\n"
"	byte_order = le;\n"
"	packet.header := struct {\n"
"		uint32_t magic;\n"
"		uint32_t stream_id;\n"
"		uint64_t stream_instance_id;\n"
"	};\n"
"};\n";

static const char metadata_stream[] =
"\n"
"typealias integer {\n"
"	size = 64; align = 8; signed = false; map = clock.timestamp.value;\n"
"} := time64_t;\n"
"typealias integer {\n"
"	size = 56; align = 1; signed = false; map = clock.timestamp.value;\n"
"} := time56_t;\n"
"\n"
"stream {\n"
"	id = 0;\n"
"	packet.context := struct {\n"
"		time64_t timestamp_begin;\n"
"		time64_t timestamp_end;\n"
"		uint64_t content_size;\n"
"		uint64_t packet_size;\n"
"		uint64_t packet_seq_num;\n"
"		uint64_t events_discarded;\n"
"		uint32_t source;\n"
"		uint32_t cpu_id;\n"
"	};\n"
"	event.header := struct {\n"
"		time56_t timestamp;\n"
"		uint2_t id;\n"
"	};\n"
"	event.context := struct {\n"
"		uint1_t shadow_overrun;\n"
"		uint1_t fifo_overrun;\n"
"		uint1_t spare;\n"
"		uint3_t cpu;\n"
"	};\n"
"};\n"
"\n"
"event {\n"
"	id = 2;\n"
"	name = \"trace\";\n"
"	stream_id = 0;\n"
"	fields := struct {\n"
"		hex64_t data;\n"
"	};\n"
"};\n"
"\n"
"event {\n"
"	id = 3;\n"
"	name = \"resource\";\n"
"	stream_id = 0;\n"
"	fields := struct {\n"
"		hex64_t data;\n"
"		uint32_t counters[16];\n"
"	};\n"
"};\n";
/* clang-format on */

/* A string literal of TSDL, which has C's escapes. */
static void put_literal(struct base_out *out, const char *text)
{
	base_out_text(out, "\"");
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			base_out_printf(out, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			base_out_printf(out, "\\%03o", c);
		else
			base_out_write(out, text, 1);
	}
	base_out_text(out, "\"");
}

void trace_text_metadata(struct base_out *out, const struct trace_ctf_info *info)
{
	base_out_text(out, metadata_trace);
	base_out_text(out, "\nenv {\n\ttracer_name = \"kron\";\n\tmodel = ");
	put_literal(out, info->model);
	base_out_text(out, ";\n};\n");
	/* Whole seconds, and the rest in ticks. */
	base_out_printf(out,
			"\nclock {\n\tname = timestamp;\n\tdescription = \"time stamp clock\";\n"
			"\tfreq = %" PRIu64 ";\n\toffset_s = %" PRIu64 ";\n\toffset = %" PRIu64
			";\n};\n",
			info->clock_hz, info->epoch_ns / NS_PER_S,
			(uint64_t)((unsigned __int128)(info->epoch_ns % NS_PER_S) * info->clock_hz /
				   NS_PER_S));
	base_out_text(out, metadata_stream);
}

static void put_nodes(struct base_json *json, unsigned streams)
{
	char name[TRACE_NAME_BYTES];

	base_json_array(json, "nodes");
	for (unsigned i = 0; i < streams; i++) {
		snprintf(name, sizeof(name), TRACE_FILE_STREAM "%u", i);
		base_json_object(json, NULL);
		base_json_unsigned(json, "node", i);
		base_json_string(json, "stream", name);
		base_json_end(json, '}');
	}
	base_json_end(json, ']');
}

static void put_counters(struct base_json *json, const char *const *counters)
{
	char name[TRACE_NAME_BYTES];

	base_json_array(json, "counters");
	for (unsigned i = 0; i < TRACE_COUNTERS; i++) {
		snprintf(name, sizeof(name), "counter%u", i);
		base_json_string(json, NULL, counters ? counters[i] : name);
	}
	base_json_end(json, ']');
}

void trace_text_json(struct base_out *out, const struct trace_ctf_info *info)
{
	struct base_json json;

	base_json_init(&json, out, true);
	base_json_object(&json, NULL);
	base_json_string(&json, "schema", "kron.trace/1");
	base_json_string(&json, "model", info->model);
	base_json_object(&json, "clock");
	base_json_string(&json, "name", "timestamp");
	base_json_unsigned(&json, "hz", info->clock_hz);
	base_json_unsigned(&json, "start", info->start);
	base_json_end(&json, '}');
	put_nodes(&json, info->streams);
	put_counters(&json, info->counters);
	base_json_end(&json, '}');
	base_out_text(out, "\n");
}
