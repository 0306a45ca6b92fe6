/* SPDX-License-Identifier: Apache-2.0 */
/* With KRON_DISABLE all of it compiles and nothing is left: this is not linked with libkron. */
#define KRON_DISABLE
#include <kron/kron.h>
#include <stdio.h>

int main(void)
{
	KRON_SCOPE("scope");
	kron_region_begin("region");
	kron_trace(1, 2);
	kron_resource(1, 2);
	kron_count(1);
	kron_add(1, 2);
	kron_source(3);
	kron_filter_set(0xffff);
	kron_policy_set(KRON_POLICY_WAIT);
	kron_counter_select(1, KRON_COUNTER_CLOCK);
	kron_counter_enable(1);
	kron_counter_disable(1);
	kron_counter_reset(1);
	kron_counter_write(1, 2);
	kron_watch_start(1);
	kron_watch_stop(1);
	kron_region_end("region");
	printf("%u\n", kron_filter_get() + kron_counter_read(1) + kron_name("name"));
	return 0;
}
