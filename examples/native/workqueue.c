/* SPDX-License-Identifier: Apache-2.0 */
/* A work queue: a few threads take jobs from one queue, under one lock. The lock is held longer than
 * it needs to be, on purpose: see who waits for whom.
 *
 *   cc workqueue.c -o workqueue -lkron -lpthread
 *   kron record --pthread --counters 0=software:jobs,1=software:steps -- ./workqueue
 *   kron report
 *
 * Kron's part of it: a region around each step, a counter of jobs, a sample with all counters at the
 * end of each job. Without `kron record` none of it does anything. */
#include <kron/kron.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS_MAX   64
#define GROUP_JOBS    1 /* kron record -g 1 collects these samples only */
#define COUNTER_JOBS  0
#define COUNTER_STEPS 1
#define STARTS        200 /* numbers to try in one job */

struct queue {
	pthread_mutex_t lock;
	unsigned next; /* job to be taken */
	unsigned jobs;
	unsigned long sum; /* of the results */
	unsigned long waste;
};

/* Something that takes time and cannot be optimised away. */
static unsigned long collatz(unsigned long n)
{
	unsigned long steps = 0;

	for (; n != 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

static unsigned long compute(unsigned job)
{
	unsigned long steps = 0;

	KRON_SCOPE("compute");
	for (unsigned i = 0; i < STARTS; i++)
		steps += collatz(1 + 1000UL * job + i);
	kron_count(COUNTER_JOBS);
	kron_add(COUNTER_STEPS, (uint32_t)steps);
	kron_resource(GROUP_JOBS, job);
	return steps;
}

/* Returns false when all jobs are taken. */
static int take_job(struct queue *queue, unsigned *job)
{
	int found;

	KRON_SCOPE("take job");
	pthread_mutex_lock(&queue->lock);
	found = queue->next < queue->jobs;
	*job = queue->next++;
	for (unsigned i = 0; i < STARTS; i++) /* the mistake: work that needs no lock */
		queue->waste += collatz(837799 + i);
	pthread_mutex_unlock(&queue->lock);
	return found;
}

static void *worker(void *argument)
{
	struct queue *queue = argument;
	unsigned job;

	while (take_job(queue, &job)) {
		unsigned long steps = compute(job);

		pthread_mutex_lock(&queue->lock);
		queue->sum += steps;
		pthread_mutex_unlock(&queue->lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	struct queue queue = { .lock = PTHREAD_MUTEX_INITIALIZER,
			       .jobs = argc > 2 ? (unsigned)atoi(argv[2]) : 2000 };
	pthread_t thread[THREADS_MAX];
	unsigned long expected = 0;

	if (threads < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: workqueue [THREADS [JOBS]], 1 to %d threads\n",
			THREADS_MAX);
		return 2;
	}
	kron_region_begin("all jobs");
	for (unsigned i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, worker, &queue);
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	kron_region_end("all jobs");
	for (unsigned job = 0; job < queue.jobs; job++)
		for (unsigned i = 0; i < STARTS; i++)
			expected += collatz(1 + 1000UL * job + i);
	printf("%u jobs, %lu steps: %s\n", queue.jobs, queue.sum,
	       queue.sum == expected ? "right" : "WRONG");
	return queue.sum != expected;
}
