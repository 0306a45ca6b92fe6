/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a stream of a trace, to the reader and the report. */
#include "support/fuzz_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_trace_file("stream_0", data, size);
	fuzz_trace_read(size);
	return 0;
}
