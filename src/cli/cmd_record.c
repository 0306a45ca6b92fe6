/* SPDX-License-Identifier: Apache-2.0 */
/* kron record: run a program natively and collect its samples. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/error.h"
#include "cli/cli.h"
#include "cli/counter_list.h"
#include "cli/groups.h"
#include "collect/collect.h"

/* Exit codes of our own failures, as env(1) and timeout(1) have them. */
enum { RECORD_FAILED = 125, RECORD_CANNOT_RUN = 126, RECORD_NOT_FOUND = 127 };

#define RINGS      512 /* threads at a time */
#define SLEEP_MS   10
#define PRELOAD    "libkronpthread.so"
#define PATH_LIMIT 4096

struct record_options {
	const char *groups;
	uint64_t ring_bytes;
	unsigned on_full;
	const char *counters;
	bool pthread;
	const char *output;
	bool list_counters;
};

static const char *const policies[] = { "discard", "wait", NULL };

static const struct base_option record_table[] = {
	{ "groups", 'g', BASE_STRING(struct record_options, groups), .value = "GROUPS",
	  .preset = "all",
	  .help = "groups that the filter lets through: 0-3,7 or 0x8f, all, none" },
	{ "buffer", 'b',
	  BASE_UNSIGNED(struct record_options, ring_bytes, KRON_WIRE_RING_MIN, KRON_WIRE_RING_MAX),
	  .value = "BYTES", .preset = "1M", .help = "size of each thread's ring, a power of two",
	  .suffix = BASE_SUFFIX_BINARY },
	{ "on-full", 0, BASE_CHOICE(struct record_options, on_full, policies), .value = "POLICY",
	  .preset = "discard", .help = "what a trigger does when its ring is full" },
	{ "counters", 0, BASE_STRING(struct record_options, counters), .value = "LIST",
	  .help = "what the counters count: INDEX=SOURCE[:NAME],...; see --list-counters" },
	{ "pthread", 0, BASE_FLAG(struct record_options, pthread),
	  .help = "also trace lock, barrier, condition and join waits, thread start and exit" },
	{ "output", 'o', BASE_STRING(struct record_options, output), .value = "DIR",
	  .preset = "kron.data", .help = "the trace; an older one becomes DIR.old" },
	{ "list-counters", 0, BASE_FLAG(struct record_options, list_counters),
	  .help = "say which counters there are here, and why others are not" },
	{ 0 },
};

static const struct base_argument record_arguments[] = {
	{ "PROG", BASE_ARGUMENT_OPTIONAL, "the program to run" },
	{ "ARGS", BASE_ARGUMENT_MANY, "its arguments" },
	{ 0 },
};

static const struct base_example record_examples[] = {
	{ "kron record -- ./workqueue 4", "all groups, into kron.data" },
	{ "kron record --pthread -o locks -- ./server",
	  "an unmodified program: who waits for whom" },
	{ "kron record -g 0-3 --on-full wait -- ./prog", "four groups, and not one sample lost" },
	{ 0 },
};

static const struct base_command record_command = {
	.name = "kron record",
	.summary = "Run a program and collect its samples. Its exit code is passed through.",
	.options = record_table,
	.arguments = record_arguments,
	.examples = record_examples,
	.footer = "Exit codes: the program's own, 128 and the number for a signal; 125 if Kron "
		  "failed, "
		  "126 if the program could not be run, 127 if it was not found, 2 for wrong "
		  "options.",
	.stop_at_argument = true,
};

static volatile sig_atomic_t forward; /* a signal to pass on to the program */

static void on_child(int number)
{
	(void)number; /* it only has to end the sleep */
}

static void on_forward(int number)
{
	forward = number;
}

/* The terminal sends its interrupts to the program as well, and that decides what happens. Nobody who
 * reads our messages, or a file that may not grow, is an error, not the end. */
static const struct {
	int number;
	void (*handler)(int number);
	bool unless_ignored; /* as nohup(1) wants it */
} record_signals[] = {
	{ SIGCHLD, on_child, false }, { SIGTERM, on_forward, true }, { SIGHUP, on_forward, true },
	{ SIGINT, SIG_IGN, false },   { SIGQUIT, SIG_IGN, false },   { SIGPIPE, SIG_IGN, false },
	{ SIGXFSZ, SIG_IGN, false },
};

#define RECORD_SIGNALS (sizeof(record_signals) / sizeof(record_signals[0]))

struct record_run {
	struct cli *cli;
	const struct record_options *options;
	struct collect *collect;
	char **program;
	pid_t child;
	bool told; /* the disk error has been told */
	/* As we found them; the program gets them so. */
	struct sigaction signals[RECORD_SIGNALS];
	struct rlimit file_limit;
};

static void catch_signals(struct record_run *run)
{
	for (unsigned i = 0; i < RECORD_SIGNALS; i++) {
		struct sigaction action = { .sa_handler = record_signals[i].handler };

		sigaction(record_signals[i].number, NULL, &run->signals[i]);
		if (!record_signals[i].unless_ignored || run->signals[i].sa_handler != SIG_IGN)
			sigaction(record_signals[i].number, &action, NULL);
	}
}

/* Beside the program, in a build tree, or in the library folder beside the program's. */
static bool find_preload(char *path, size_t size)
{
	static const char *const places[] = { "", "../lib/", "../lib/x86_64-linux-gnu/",
					      "../lib64/" };
	char self[PATH_LIMIT];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (length < 0)
		return false;
	self[length] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int written = snprintf(path, size, "%s%s%s", self, places[i], PRELOAD);

		if (written > 0 && (size_t)written < size && access(path, R_OK) == 0)
			return true;
	}
	return false;
}

/* Put a word in front of a list that the loader splits at colons. */
static void prepend(const char *variable, const char *word)
{
	char list[2 * PATH_LIMIT + 128];
	const char *before = getenv(variable);
	bool more = before && *before;

	snprintf(list, sizeof(list), "%s%s%s", word, more ? ":" : "", more ? before : "");
	setenv(variable, list, 1);
}

/* The loader splits LD_PRELOAD at spaces, too: then it gets the name alone, and the folder by the
 * list of folders, which it does not. */
static int set_preload(struct cli *cli)
{
	char path[PATH_LIMIT + 64];

	if (!find_preload(path, sizeof(path))) {
		cli_error(cli, "--pthread: %s was not found beside kron or in ../lib", PRELOAD);
		return RECORD_FAILED;
	}
	if (strchr(path, ':')) {
		cli_error(cli, "--pthread: %s: the loader takes no path with a colon", path);
		return RECORD_FAILED;
	}
	if (strchr(path, ' ')) {
		prepend("LD_PRELOAD", PRELOAD);
		*strrchr(path, '/') = '\0';
		prepend("LD_LIBRARY_PATH", path);
	} else {
		prepend("LD_PRELOAD", path);
	}
	return CLI_GO;
}

static int cannot_run(struct cli *cli, const char *program, int cause)
{
	cli_error(cli, "%s: %s", program, strerror(cause));
	return cause == ENOENT ? RECORD_NOT_FOUND : RECORD_CANNOT_RUN;
}

/* 0, or why this file cannot be run. */
static int try_program(const char *path)
{
	struct stat status;

	if (stat(path, &status) || access(path, X_OK))
		return errno;
	return S_ISREG(status.st_mode) ? 0 : EACCES;
}

/* As execvp() will look for it. A name mistyped must not cost the last trace but one. */
static int find_program(struct cli *cli, const char *name)
{
	const char *folders = strchr(name, '/') ? "" : getenv("PATH");
	char path[PATH_LIMIT];
	int cause = *name ? try_program(name) : ENOENT;

	if (!folders)
		return CLI_GO; /* execvp() has a path of its own then */
	if (*folders)
		cause = ENOENT;
	while (cause && *name && *folders) {
		size_t length = strcspn(folders, ":");
		int written = snprintf(path, sizeof(path), "%.*s%s%s", (int)length, folders,
				       length ? "/" : "", name);
		int why = written < (int)sizeof(path) ? try_program(path) : ENOENT;

		if (why == 0 || why == EACCES)
			cause = why;
		folders += length + (folders[length] == ':');
	}
	return cause ? cannot_run(cli, name, cause) : CLI_GO;
}

/* In the child. Tells the parent through the pipe why it could not become the program. */
static void become_program(struct record_run *run, int report)
{
	int cause;

	for (unsigned i = 0; i < RECORD_SIGNALS; i++)
		sigaction(record_signals[i].number, &run->signals[i], NULL);
	setrlimit(RLIMIT_NOFILE, &run->file_limit);
	execvp(run->program[0], run->program);
	cause = errno;
	if (write(report, &cause, sizeof(cause)) != sizeof(cause))
		_exit(RECORD_FAILED);
	_exit(RECORD_NOT_FOUND);
}

/* Returns CLI_GO with the program running, or an exit code. */
static int start_program(struct record_run *run)
{
	int report[2], cause = 0;
	ssize_t got;

	if (pipe2(report, O_CLOEXEC))
		return cli_fail(run->cli, "pipe", -KRON_EIO), RECORD_FAILED;
	run->child = fork();
	if (run->child < 0) {
		close(report[0]);
		close(report[1]);
		return cli_fail(run->cli, "fork", -KRON_EIO), RECORD_FAILED;
	}
	if (run->child == 0)
		become_program(run, report[1]);
	close(report[1]);
	do
		got = read(report[0], &cause, sizeof(cause));
	while (got < 0 && errno == EINTR);
	close(report[0]);
	if (got == 0)
		return CLI_GO; /* the pipe was closed by the exec */
	waitpid(run->child, NULL, 0);
	return cannot_run(run->cli, run->program[0], cause);
}

static void tell_error(struct record_run *run)
{
	int error = collect_error(run->collect);

	if (!error || run->told)
		return;
	run->told = true;
	cli_error(run->cli,
		  "%s: %s; the program goes on, what cannot be written is counted as lost",
		  run->options->output, base_error_text(error));
}

static void pass_signal(struct record_run *run)
{
	int number = forward;

	if (!number)
		return;
	forward = 0;
	kill(run->child, number);
}

/* Until the program has ended. Returns its wait status. */
static int record_until_end(struct record_run *run)
{
	int status = 0;

	for (;;) {
		uint64_t bytes = collect_step(run->collect, false);
		pid_t ended = waitpid(run->child, &status, WNOHANG);

		tell_error(run);
		if (ended == run->child || (ended < 0 && errno == ECHILD))
			return status;
		pass_signal(run);
		if (bytes == 0)
			collect_sleep(run->collect, SLEEP_MS);
	}
}

static void tell_lost(struct cli *cli, uint64_t count, const char *why)
{
	if (count)
		cli_note(cli, "lost %llu: %s", (unsigned long long)count, why);
}

static void tell_totals(struct record_run *run, const struct collect_totals *totals)
{
	struct cli *cli = run->cli;

	cli_note(cli, "wrote %s: %llu sample%s of %u thread%s in %u process%s, %.1f MB",
		 run->options->output, (unsigned long long)totals->events,
		 totals->events == 1 ? "" : "s", totals->threads, totals->threads == 1 ? "" : "s",
		 totals->processes, totals->processes == 1 ? "" : "es",
		 (double)totals->bytes / 1e6);
	tell_lost(cli, totals->lost_full,
		  "a ring was full; -b makes them larger, --on-full wait waits");
	tell_lost(cli, totals->lost_no_ring, "more threads than there are rings and streams");
	tell_lost(cli, totals->lost_nested, "signal handlers interrupted each other");
	tell_lost(cli, totals->lost_cut,
		  "a thread was killed inside a trigger, or its ring made no sense");
	tell_lost(cli, totals->lost_disk, "could not be written");
	if (totals->waits)
		cli_note(cli, "%llu triggers waited for room", (unsigned long long)totals->waits);
	if (totals->refused)
		cli_note(cli,
			 "%u processes were not measured: more than %u at a time, or in a pid "
			 "namespace of their own",
			 totals->refused, KRON_WIRE_PROCESSES);
	if (totals->damaged)
		cli_note(cli, "%u rings were overwritten by the program and given up",
			 totals->damaged);
	if (totals->threads == 0 && totals->processes == 0 && !run->options->pthread)
		cli_hint(cli,
			 "no samples: link %s with -lkron, or trace its waits with kron record "
			 "--pthread",
			 run->program[0]);
	else if (totals->threads == 0)
		cli_hint(cli, "no samples: nothing of the groups that -g lets through came");
	else
		cli_hint(cli, "kron report %s", run->options->output);
}

static int exit_code_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Each thread has a stream file open. */
static void raise_file_limit(struct record_run *run)
{
	struct rlimit most;

	getrlimit(RLIMIT_NOFILE, &run->file_limit);
	most = run->file_limit;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
}

static int record(struct record_run *run)
{
	struct collect_totals totals;
	int status, code, error;

	setenv(KRON_WIRE_ENV, collect_environment(run->collect), 1);
	code = start_program(run);
	if (code != CLI_GO) {
		collect_close(run->collect, code, &totals);
		return code;
	}
	status = record_until_end(run);
	code = exit_code_of(status);
	tell_error(run);
	error = collect_close(run->collect, code, &totals);
	if (error && !run->told)
		cli_error(run->cli, "%s: %s", run->options->output, base_error_text(error));
	tell_totals(run, &totals);
	return code;
}

static char *join_words(struct cli *cli, char **words)
{
	size_t size = 1;
	char *text;

	for (unsigned i = 0; words[i]; i++)
		size += strlen(words[i]) + 1;
	text = base_alloc_get(cli->alloc, size);
	for (unsigned i = 0; text && words[i]; i++) {
		if (i)
			strcat(text, " ");
		strcat(text, words[i]);
	}
	return text;
}

static int open_collect(struct record_run *run)
{
	const struct record_options *options = run->options;
	struct collect_config config = { .dir = options->output,
					 .ring_bytes = options->ring_bytes,
					 .rings = RINGS,
					 .policy = options->on_full ? KRON_WIRE_WAIT
								    : KRON_WIRE_DISCARD };
	char *command;
	int error, code;

	code = cli_groups_parse(run->cli, "--groups", options->groups, &config.filter);
	if (code == CLI_GO)
		code = cli_counters_parse(run->cli, options->counters, config.counter);
	if (code != CLI_GO)
		return code;
	if (options->ring_bytes & (options->ring_bytes - 1)) {
		cli_error(run->cli, "--buffer: %llu is not a power of two",
			  (unsigned long long)options->ring_bytes);
		return CLI_USAGE;
	}
	command = join_words(run->cli, run->program);
	config.command = command ? command : "";
	error = collect_open(&run->collect, run->cli->io, run->cli->alloc, &config);
	base_alloc_free(run->cli->alloc, command);
	if (error == -KRON_EEXIST)
		cli_error(run->cli,
			  "%s: it, or %s.old, exists and is not a trace; it was not touched",
			  options->output, options->output);
	else if (error)
		cli_error(run->cli, "%s: %s", options->output, base_error_text(error));
	if (error == -KRON_EBUSY)
		cli_hint(run->cli, "kron record -o ANOTHER -- %s", run->program[0]);
	return error ? RECORD_FAILED : CLI_GO;
}

int cmd_record(struct cli *cli, int argc, char **argv)
{
	struct record_options options;
	struct record_run run = { .cli = cli, .options = &options };
	struct base_args args;
	int code = cli_parse(cli, &record_command, &options, argc, argv, &args);

	if (code != CLI_GO)
		return code;
	if (options.list_counters)
		return cli_counters_list(cli);
	if (args.count == 0) {
		cli_error(cli, "PROG is missing");
		cli_hint(cli, "kron record -- PROG ARGS");
		return CLI_USAGE;
	}
	run.program = args.list;
	catch_signals(&run);
	raise_file_limit(&run);
	code = find_program(cli, run.program[0]);
	if (code == CLI_GO && options.pthread)
		code = set_preload(cli);
	if (code == CLI_GO)
		code = open_collect(&run);
	return code == CLI_GO ? record(&run) : code;
}
