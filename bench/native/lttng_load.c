/* SPDX-License-Identifier: Apache-2.0 */
/* LTTng-UST's part of bench/native: the modes of load_modes.h. */
#include <stdio.h>
#include "lttng_tp.h"

static inline void load_trigger(uint64_t data)
{
	lttng_ust_tracepoint(kron_bench, event, data);
}

#include "load_modes.h"

int main(int argc, char **argv)
{
	struct load load;

	load_start(&load, argc, argv);
	if (!lttng_ust_tracepoint_enabled(kron_bench, event)) {
		fprintf(stderr, "lttng_load: no session has the event enabled\n");
		return 1;
	}
	load_rdtsc(&load);
	return load_common_mode(&load) ? 0 : 2;
}
