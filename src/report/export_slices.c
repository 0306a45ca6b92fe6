/* SPDX-License-Identifier: Apache-2.0 */
#include "report/export_slices.h"
#include "base/error.h"

int report_export_slices_open(struct report_export_slices *slices, struct base_alloc *alloc,
			      size_t streams)
{
	struct report_export_stack **stack = base_alloc_get(alloc, streams * sizeof(*stack));

	if (!stack)
		return -KRON_ENOMEM;
	*slices =
		(struct report_export_slices){ .alloc = alloc, .stack = stack, .streams = streams };
	return 0;
}

void report_export_slices_close(struct report_export_slices *slices)
{
	for (size_t i = 0; i < slices->streams; i++)
		base_alloc_free(slices->alloc, slices->stack[i]);
	base_alloc_free(slices->alloc, slices->stack);
	slices->stack = NULL;
}

int report_export_slices_push(struct report_export_slices *slices, unsigned stream, uint64_t data,
			      uint64_t ns)
{
	struct report_export_stack *stack = slices->stack[stream];

	if (!stack)
		stack = slices->stack[stream] = base_alloc_get(slices->alloc, sizeof(*stack));
	if (!stack)
		return -KRON_ENOMEM;
	if (stack->depth == REPORT_EXPORT_DEPTH) {
		stack->beyond++;
		slices->too_deep++;
		return 0;
	}
	stack->slice[stack->depth++] = (struct report_export_slice){ .begin_ns = ns, .data = data };
	return 1;
}

unsigned report_export_slices_match(struct report_export_slices *slices, unsigned stream,
				    uint64_t data, bool alone)
{
	struct report_export_stack *stack = slices->stack[stream];

	if (stack && stack->beyond) {
		stack->beyond--;
		return 0;
	}
	for (unsigned depth = stack ? stack->depth : 0; depth > 0; depth--)
		if (stack->slice[depth - 1].data == data)
			return stack->depth - depth + 1;
	slices->unmatched += !alone;
	return 0;
}

bool report_export_slices_pop(struct report_export_slices *slices, unsigned stream,
			      struct report_export_slice *slice)
{
	struct report_export_stack *stack = slices->stack[stream];

	if (!stack || !stack->depth)
		return false;
	*slice = stack->slice[--stack->depth];
	return true;
}
