/* SPDX-License-Identifier: Apache-2.0 */
/* Triggers for ever in some threads, and counts in a file before and after each trigger, so that whoever
 * kills it knows what must be in the trace: word 2 i is how many thread i has begun, word 2 i + 1 how many
 * it has completed. The last word but one becomes its process id; it ends when the last is not zero.
 *
 * Usage: kron_beat FILE THREADS */
#include <fcntl.h>
#include <kron/kron.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORDS 512

static volatile uint64_t *words;

static void *beat(void *number)
{
	uintptr_t i = (uintptr_t)number;

	while (!words[WORDS - 1]) {
		uint64_t count = words[2 * i];

		__atomic_store_n(&words[2 * i], count + 1, __ATOMIC_SEQ_CST);
		if (count % 64 == 0)
			kron_resource((unsigned)i % 8, i << 40 | count);
		else
			kron_trace((unsigned)i % 8, i << 40 | count);
		__atomic_store_n(&words[2 * i + 1], count + 1, __ATOMIC_SEQ_CST);
		if (count % 1024 == 0)
			usleep(100);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc == 3 ? open(argv[1], O_RDWR) : -1;
	pthread_t thread;
	void *map;

	if (fd < 0)
		return 2;
	map = mmap(NULL, WORDS * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return 2;
	words = map;
	words[WORDS - 2] = (uint64_t)getpid();
	for (uintptr_t i = 1; i < strtoul(argv[2], NULL, 10); i++)
		if (pthread_create(&thread, NULL, beat, (void *)i))
			return 2;
	beat((void *)0);
	return 0;
}
