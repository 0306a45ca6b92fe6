/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and unloads a plug-in again and again; both trigger, each with its libkron. A second thread calls
 * the plug-in as well, and outlives it.
 *
 * Usage: kron_host PLUGIN ROUNDS EVENTS */
#include <dlfcn.h>
#include <kron/kron.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t step;
static void (*plugin_trigger)(unsigned events);
static unsigned rounds, events;

static void *second(void *unused)
{
	for (unsigned i = 0; i < rounds; i++) {
		pthread_barrier_wait(&step);
		plugin_trigger(events);
		pthread_barrier_wait(&step);
	}
	return unused;
}

static int play(const char *path)
{
	for (unsigned i = 0; i < rounds; i++) {
		void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);

		if (!plugin)
			return fprintf(stderr, "%s\n", dlerror()), 1;
		*(void **)&plugin_trigger = dlsym(plugin, "plugin_trigger");
		pthread_barrier_wait(&step);
		kron_trace(1, i);
		plugin_trigger(events);
		pthread_barrier_wait(&step);
		dlclose(plugin);
	}
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 4)
		return 2;
	rounds = (unsigned)atoi(argv[2]);
	events = (unsigned)atoi(argv[3]);
	pthread_barrier_init(&step, NULL, 2);
	pthread_create(&thread, NULL, second, NULL);
	if (play(argv[1]))
		return 1;
	pthread_join(thread, NULL);
	printf("triggered %u\n", rounds * (1 + 2 * (events + 2)));
	return 0;
}
