/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody else's program, in C or C++, that measures itself; nobody records it. */
#include <kron/kron.h>

int main(void)
{
	KRON_SCOPE("all of it");
	kron_count(0);
	kron_trace(3, 1);
	kron_resource(3, 2);
	kron_region_begin("part");
	kron_region_end("part");
	return kron_filter_get() == 0 ? 0 : 1;
}
