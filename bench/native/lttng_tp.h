/* SPDX-License-Identifier: Apache-2.0 */
/* LTTng-UST's counterpart of kron_trace(): one event with 64 bits of data. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER kron_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_tp.h"

#if !defined(LTTNG_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define LTTNG_TP_H

#include <stdint.h>
#include <lttng/tracepoint.h>

/* clang-format off */
LTTNG_UST_TRACEPOINT_EVENT(kron_bench, event,
	LTTNG_UST_TP_ARGS(uint64_t, data),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, data, data))
)
/* clang-format on */

#endif

#include <lttng/tracepoint-event.h>
