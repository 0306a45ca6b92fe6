/* SPDX-License-Identifier: Apache-2.0 */
/* Triggers in one of the ways below and prints how often, as `triggered N`: what the trace must tell.
 *
 * Usage: kron_triggers WAY [NUMBER [NUMBER]] */
#include <errno.h>
#include <kron/kron.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char **words;
static unsigned long numbers[2];
static atomic_ulong triggered;

/* Data tells who and the how-manieth, so that a test can see that none is missing or there twice. */
static void trigger(uint64_t who, uint64_t events)
{
	for (uint64_t i = 0; i < events; i++)
		kron_trace((unsigned)who % 8, who << 32 | i);
	triggered += events;
}

static void *thread_main(void *who)
{
	trigger((uintptr_t)who, numbers[1]);
	return NULL;
}

/* So many threads at once, so many events each. */
static void threads(void)
{
	pthread_t *thread = calloc(numbers[0], sizeof(*thread));

	for (uintptr_t i = 0; i < numbers[0]; i++)
		if (pthread_create(&thread[i], NULL, thread_main, (void *)i))
			abort();
	for (unsigned long i = 0; i < numbers[0]; i++)
		pthread_join(thread[i], NULL);
	free(thread);
}

/* The same, one after the other. */
static void short_threads(void)
{
	for (uintptr_t i = 0; i < numbers[0]; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, thread_main, (void *)i))
			abort();
		pthread_join(thread, NULL);
	}
}

/* More room than there is is asked for at once, then a pause, then a little more. */
static void bursts(void)
{
	struct timespec pause = { .tv_nsec = 30000000 };

	for (uint64_t i = 0; i < numbers[0]; i++) {
		trigger(i, numbers[1]);
		nanosleep(&pause, NULL);
	}
	trigger(numbers[0], 1);
}

/* Resource events, whose eighty bytes seldom end where the ring does, between trace events. */
static void mixed(void)
{
	for (uint64_t i = 0; i < numbers[0]; i++) {
		kron_resource(1, i);
		for (uint64_t j = 0; j < i % 7; j++, triggered++)
			kron_trace(2, i << 8 | j);
		triggered++;
	}
}

/* What the children triggered comes as their exit code. */
static void reap(void)
{
	int status;

	while (wait(&status) > 0)
		triggered += (unsigned long)WEXITSTATUS(status);
}

/* The place has its name's id from the parent, also in the child. */
static void in_both(void)
{
	KRON_SCOPE("in both");
	triggered += 2;
}

/* Children that go on as copies; they end in different ways. */
static void forks(void)
{
	kron_region_begin("only in the parent");
	trigger(0, 9);
	in_both();
	for (uint64_t i = 1; i <= numbers[0]; i++) {
		if (fork() == 0) {
			kron_region_begin("in a child");
			in_both();
			trigger(i, 20);
			if (i % 2)
				_exit(23);
			exit(23);
		}
		trigger(0, 1);
	}
	triggered++;
	reap();
}

/* Children that become another program, which triggers ten times. */
static void execs(void)
{
	char *const program[] = { words[0], (char *)(uintptr_t) "exit", (char *)(uintptr_t) "10",
				  NULL };

	for (uint64_t i = 0; i < numbers[0]; i++) {
		if (fork() == 0) {
			trigger(i, 5);
			execv("/proc/self/exe", program);
			_exit(0);
		}
	}
	reap();
	triggered += 5 * numbers[0];
}

/* So many children at once; not all of them are measured, and those know. */
static void crowd(void)
{
	int ends[2];
	char byte;

	if (pipe(ends))
		abort();
	for (uint64_t i = 0; i < numbers[0]; i++) {
		if (fork() == 0) {
			close(ends[1]);
			trigger(i, 10);
			if (read(ends[0], &byte, 1))
				abort();
			_exit(kron_filter_get() ? 10 : 0);
		}
	}
	usleep(200000);
	close(ends[1]);
	reap();
}

/* The exit code is the number of triggers. */
static void exit_code(void)
{
	trigger(1, numbers[0]);
	_exit((int)numbers[0]);
}

static void on_signal(int number)
{
	static atomic_ulong seen;

	kron_trace(9, (uint64_t)9 << 32 | seen++);
	triggered++;
	if (number == SIGALRM && seen % 3 == 0)
		raise(SIGUSR1);
	if (number == SIGUSR1 && seen % 5 == 0)
		raise(SIGUSR2);
}

/* A storm of signals whose handlers trigger, and interrupt each other. */
static void signals(void)
{
	static const int numbers_of[] = { SIGALRM, SIGUSR1, SIGUSR2 };
	struct sigaction action = { .sa_handler = on_signal };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	struct itimerspec every = { { 0, 50000 }, { 0, 50000 } }, never = { { 0, 0 }, { 0, 0 } };
	timer_t timer;

	for (unsigned i = 0; i < 3; i++)
		sigaction(numbers_of[i], &action, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &every, NULL))
		abort();
	for (uint64_t i = 0; i < numbers[0]; i++) {
		kron_count(3);
		kron_trace(1, (uint64_t)1 << 32 | i);
	}
	timer_settime(timer, 0, &never, NULL);
	timer_delete(timer);
	triggered += numbers[0];
}

/* Each in the handler of the one before, and the first in the middle of a trigger, sooner or later. */
static void on_profile(int number)
{
	(void)number;
	kron_trace(9, 0);
	kron_count(0);
	triggered++;
}

static void profile(void)
{
	struct sigaction action = { .sa_handler = on_profile, .sa_flags = SA_NODEFER };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } };
	unsigned long counted = 0;

	sigaction(SIGPROF, &action, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	for (; counted < numbers[0]; counted++)
		kron_count(0);
	memset(&every, 0, sizeof(every));
	setitimer(ITIMER_PROF, &every, NULL);
	printf("counted %s\n", kron_counter_read(0) == counted + triggered ? "all" : "wrong");
}

/* A program that closes what it does not know. */
static void close_all(void)
{
	trigger(0, 10);
	for (int i = 3; i < 1024; i++)
		close(i);
	kron_resource(0, 0);
	triggered++;
	trigger(1, numbers[0]);
}

static void leaves_errno(void)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < numbers[0]; i++) {
		errno = 4711;
		kron_trace(0, i);
		kron_resource(0, i);
		kron_count(i);
		kron_source(i);
		kron_counter_reset(i);
		kron_watch_start(i);
		kron_filter_set(0xffff);
		kron_policy_set(KRON_POLICY_DISCARD);
		kron_region_begin("a");
		kron_region_end("a");
		(void)kron_counter_read(i);
		bad += errno != 4711;
		triggered += 4;
	}
	printf("changed %u\n", bad);
}

/* Wait first, then discard, then wait again. */
static void policies(void)
{
	kron_policy_set(KRON_POLICY_WAIT);
	trigger(1, numbers[0]);
	kron_policy_set(KRON_POLICY_DISCARD);
	trigger(2, numbers[0]);
	kron_policy_set(KRON_POLICY_WAIT);
	trigger(3, numbers[0]);
}

static void sources(void)
{
	for (uint32_t i = 0; i < numbers[0]; i++) {
		kron_source(1000 + i);
		trigger(i, i % 5);
	}
}

static void filters(void)
{
	printf("filter 0x%04x\n", (unsigned)kron_filter_get());
	for (unsigned i = 0; i < KRON_GROUPS; i++) {
		kron_trace(i, i);
		triggered += kron_filter_get() >> i & 1;
	}
	kron_filter_set(0);
	trigger(1, 10);
	triggered -= 10;
	kron_filter_set(1u << 2);
	kron_trace(2, 2);
	kron_trace(3, 3);
	triggered += kron_filter_get() >> 2 & 1;
}

/* Names more than there is room for; the regions are all there. */
static void names(void)
{
	static char name[100];

	for (unsigned long i = 0; i < numbers[0]; i++) {
		uint32_t id = 0;

		snprintf(name, sizeof(name), "region \xff \"%lu\" %060d", i, 0);
		kron_detail_region(KRON_WIRE_REGION_BEGIN, &id, name);
		kron_detail_region(KRON_WIRE_REGION_END, &id, name);
		triggered += 2;
	}
}

/* Two threads that trigger for so many seconds; beside them threads, children and signals that come and
 * go. */
static atomic_bool soaked;

static void *soak_thread(void *who)
{
	struct timespec pause = { .tv_nsec = 5000000 };

	while (!soaked) {
		KRON_SCOPE("round");
		trigger((uintptr_t)who, 300);
		triggered += 2;
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void soak(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct itimerval every = { { 0, 10000 }, { 0, 10000 } }, never = { { 0, 0 }, { 0, 0 } };
	double end = seconds_now() + (double)numbers[0];
	pthread_t thread[3];

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	numbers[1] = 50;
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, soak_thread, (void *)i);
	while (seconds_now() < end) {
		pthread_create(&thread[2], NULL, thread_main, (void *)2);
		pthread_join(thread[2], NULL);
		if (fork() == 0) {
			unsigned long before = triggered;

			trigger(3, 20);
			_exit((int)(triggered - before));
		}
		reap();
		usleep(100000);
	}
	soaked = true;
	for (unsigned i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	setitimer(ITIMER_REAL, &never, NULL);
}

/* For others to send signals to, or to look at. */
static void runs(void)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	printf("pid %d\n", (int)getpid());
	fflush(stdout);
	for (uint64_t i = 0; i < numbers[0]; i++) {
		trigger(1, 1);
		nanosleep(&pause, NULL);
	}
}

static void dies(void)
{
	trigger(1, 100);
	printf("triggered 100\n");
	fflush(stdout);
	raise((int)numbers[0]);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "threads", threads },   { "short", short_threads }, { "bursts", bursts },
	{ "mixed", mixed },       { "forks", forks },         { "execs", execs },
	{ "crowd", crowd },       { "exit", exit_code },      { "signals", signals },
	{ "profile", profile },   { "close", close_all },     { "errno", leaves_errno },
	{ "policies", policies }, { "sources", sources },     { "filters", filters },
	{ "names", names },       { "soak", soak },           { "runs", runs },
	{ "dies", dies },
};

int main(int argc, char **argv)
{
	words = argv;
	for (int i = 0; i < 2 && i + 2 < argc; i++)
		numbers[i] = strtoul(argv[i + 2], NULL, 10);
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(ways[i].name, argv[1]))
			continue;
		ways[i].run();
		printf("triggered %lu\n", (unsigned long)triggered);
		return 0;
	}
	return 2;
}
