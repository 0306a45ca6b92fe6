/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the kron.json of a trace, to the reader and the report. Events never depend on it. */
#include "support/fuzz_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_trace_file(".kron.json", data, size);
	fuzz_trace_read(0);
	return 0;
}
