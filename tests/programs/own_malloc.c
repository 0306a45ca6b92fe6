/* SPDX-License-Identifier: Apache-2.0 */
/* A program with a malloc of its own, which locks a mutex: the dynamic linker calls it before any
 * constructor has run. Nothing is ever freed. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA (16 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(16) char arena[ARENA];
static size_t used;

static void *take(size_t size)
{
	char *place = NULL;

	size = (size + 31) & ~(size_t)15; /* the size stands before the memory */
	pthread_mutex_lock(&lock);
	if (size <= ARENA - used) {
		place = arena + used;
		used += size;
	}
	pthread_mutex_unlock(&lock);
	if (!place)
		return NULL;
	*(size_t *)(void *)place = size - 16;
	return place + 16;
}

void *malloc(size_t size)
{
	return take(size);
}

void free(void *memory)
{
	(void)memory;
}

void *calloc(size_t count, size_t size)
{
	return take(count * size);
}

void *realloc(void *memory, size_t size)
{
	size_t old = memory ? *(size_t *)(void *)((char *)memory - 16) : 0;
	void *place = take(size);

	if (place && memory)
		memcpy(place, memory, old < size ? old : size);
	return place;
}

static void *work(void *unused)
{
	for (int i = 0; i < 400; i++)
		*(volatile char *)malloc(16) = 1;
	return unused;
}

int main(void)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	printf("used %d\n", used >= 1600 * 32);
	return 0;
}
