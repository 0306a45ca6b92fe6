/* SPDX-License-Identifier: Apache-2.0 */
/* A program that triggers itself, a hundred times in each of two threads, between its locks. */
#include <kron/kron.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
	for (unsigned i = 0; i < 100; i++) {
		pthread_mutex_lock(&mutex);
		kron_trace(3, i);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	work(NULL);
	pthread_join(thread, NULL);
	puts("done");
	return 0;
}
