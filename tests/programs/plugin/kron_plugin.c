/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that triggers; linked with the shared libkron, and with the static one. */
#include <kron/kron.h>

void plugin_trigger(unsigned events);

void plugin_trigger(unsigned events)
{
	KRON_SCOPE("plug-in");
	for (unsigned i = 0; i < events; i++)
		kron_trace(5, i);
}
