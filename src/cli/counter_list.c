/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/counter_list.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/number.h"
#include "base/text.h"

/* What a counter can count. perf events by the names that perf(1) uses. */
static const struct counter_source {
	const char *name;
	uint32_t source;
	uint32_t perf_type;
	uint64_t perf_config;
	const char *help;
} sources[] = {
	/* clang-format off */
	{ "software",         KRON_WIRE_SOFTWARE,  0, 0, "kron_count() and kron_add() in the program" },
	{ "clock",            KRON_WIRE_CLOCK,     0, 0, "time stamp clock while enabled, 1024 ticks a count" },
	{ "stopwatch",        KRON_WIRE_STOPWATCH, 0, 0, "the same between kron_watch_start() and kron_watch_stop()" },
	{ "page-faults",      KRON_WIRE_PERF, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page faults of the thread" },
	{ "minor-faults",     KRON_WIRE_PERF, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "those that needed no disk" },
	{ "major-faults",     KRON_WIRE_PERF, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "those that did" },
	{ "context-switches", KRON_WIRE_PERF, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "times the thread left a processor" },
	{ "cpu-migrations",   KRON_WIRE_PERF, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "times it went on on another" },
	{ "task-clock",       KRON_WIRE_PERF, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "nanoseconds on a processor" },
	{ "cycles",           KRON_WIRE_PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "processor cycles" },
	{ "instructions",     KRON_WIRE_PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions" },
	{ "cache-references", KRON_WIRE_PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "last-level cache accesses" },
	{ "cache-misses",     KRON_WIRE_PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "last-level cache misses" },
	{ "branch-misses",    KRON_WIRE_PERF, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "mispredicted branches" },
	/* clang-format on */
};

#define SOURCES (sizeof(sources) / sizeof(sources[0]))

/* 0, or errno: why this event cannot be counted here. */
static int probe_source(const struct counter_source *source)
{
	struct perf_event_attr attr;
	int fd;

	if (source->source != KRON_WIRE_PERF)
		return 0;
	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = source->perf_type;
	attr.config = source->perf_config;
	attr.exclude_hv = 1;
	attr.exclude_kernel = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static const char *why_not(int cause)
{
	switch (cause) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return "this machine, or its virtual processor, has no such counter";
	case EACCES:
	case EPERM:
		return "not permitted: see /proc/sys/kernel/perf_event_paranoid";
	case ENOSYS:
		return "this kernel has no perf events";
	}
	return strerror(cause);
}

int cli_counters_list(struct cli *cli)
{
	for (unsigned i = 0; i < SOURCES; i++) {
		int cause = probe_source(&sources[i]);

		base_out_printf(&cli->out, "%-8s %-17s %s%s%s\n", cause ? "missing" : "ok",
				sources[i].name, sources[i].help, cause ? ": " : "",
				cause ? why_not(cause) : "");
	}
	return CLI_DONE;
}

static const struct counter_source *find(struct cli *cli, const char *name)
{
	const char *best = NULL;

	for (unsigned i = 0; i < SOURCES; i++) {
		if (strcmp(sources[i].name, name) == 0)
			return &sources[i];
		base_text_suggest(name, sources[i].name, &best);
	}
	if (best)
		cli_error(cli, "--counters: no source '%s'; did you mean '%s'?", name, best);
	else
		cli_error(cli, "--counters: no source '%s'", name);
	cli_hint(cli, "kron record --list-counters");
	return NULL;
}

/* INDEX=[shared:]SOURCE[:NAME] */
static int parse_part(struct cli *cli, char *part, struct kron_wire_counter *counter)
{
	char *source = strchr(part, '=');
	const struct counter_source *found;
	uint64_t index;
	bool shared;
	char *name;
	int cause;

	if (source)
		*source++ = '\0';
	if (!source || base_number_parse(part, &index) || index >= KRON_WIRE_COUNTERS) {
		if (source)
			source[-1] = '=';
		cli_error(cli, "--counters: '%s' is not INDEX=SOURCE[:NAME] with an index 0..15",
			  part);
		return CLI_USAGE;
	}
	shared = strncmp(source, "shared:", 7) == 0;
	if (shared)
		source += 7;
	name = strchr(source, ':');
	if (name)
		*name++ = '\0';
	found = find(cli, source);
	if (!found)
		return CLI_USAGE;
	cause = probe_source(found);
	if (cause || (shared && found->source != KRON_WIRE_SOFTWARE)) {
		cli_error(cli, "--counters: %s: %s", source,
			  cause ? why_not(cause) : "only software counters can be shared");
		return CLI_USAGE;
	}
	counter += index;
	counter->source = found->source;
	counter->shared = shared;
	counter->perf_type = found->perf_type;
	counter->perf_config = found->perf_config;
	snprintf(counter->name, sizeof(counter->name), "%s",
		 name                                  ? name
		 : found->source == KRON_WIRE_SOFTWARE ? ""
						       : found->name);
	return CLI_GO;
}

int cli_counters_parse(struct cli *cli, const char *list, struct kron_wire_counter *counter)
{
	char part[128];

	memset(counter, 0, KRON_WIRE_COUNTERS * sizeof(*counter));
	while (list && *list) {
		size_t length = strcspn(list, ",");
		int code;

		if (length >= sizeof(part)) {
			cli_error(cli, "--counters: '%.20s...' is too long", list);
			return CLI_USAGE;
		}
		memcpy(part, list, length);
		part[length] = '\0';
		code = parse_part(cli, part, counter);
		if (code != CLI_GO)
			return code;
		list += length + (list[length] == ',');
	}
	return CLI_GO;
}
