/* SPDX-License-Identifier: Apache-2.0 */
#include "support/recording.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "support/files.h"
#include "unit/test.h"

#define WORDS 64

static void connect_output(const char *path, int fd)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	dup2(file, fd);
	close(file);
}

void recording_link_programs(void)
{
	CHECK(symlink(KRON_PROGRAMS, RECORDING_PROGRAMS) == 0 || errno == EEXIST);
}

int recording_start(const char *args)
{
	char *const kron[] = { (char *)(uintptr_t)KRON_BINARY, (char *)(uintptr_t) "record",
			       (char *)(uintptr_t) "-o", (char *)(uintptr_t)RECORDING_TRACE };
	char *text = strdup(args), *words[WORDS];
	size_t count = sizeof(kron) / sizeof(kron[0]);
	pid_t child;

	recording_link_programs();
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		memcpy(words, kron, sizeof(kron));
		for (char *word = strtok(text, " "); word && count < WORDS - 1;
		     word = strtok(NULL, " "))
			words[count++] = word;
		words[count] = NULL;
		connect_output("out", STDOUT_FILENO);
		connect_output("err", STDERR_FILENO);
		execv(words[0], words);
		_exit(99);
	}
	free(text);
	return child;
}

static const char *read_text(const char *path)
{
	static char text[2][65536];
	static unsigned next;
	char *into = text[next++ % 2];
	FILE *file = fopen(path, "r");
	size_t length;

	assert_non_null(file);
	length = fread(into, 1, sizeof(text[0]) - 1, file);
	into[length] = '\0';
	fclose(file);
	return into;
}

void recording_wait(struct recording *recording, int pid)
{
	*recording = (struct recording){ 0 };
	CHECK_EQUAL(waitpid(pid, &recording->status, 0), pid);
	recording->out = read_text("out");
	recording->err = read_text("err");
	for (const char *at = recording->out; (at = strstr(at, "triggered ")); at++)
		recording->told += strtoull(at + strlen("triggered "), NULL, 10);
}

static void add_stream(struct recording *recording, const struct trace_stream_info *stream)
{
	uint64_t triggered = 0, lost;

	for (unsigned i = 0; i < TRACE_GROUPS; i++)
		triggered += stream->triggered[i];
	recording->triggered += triggered;
	recording->lost_full += stream->lost_full;
	recording->lost_nested += stream->lost_nested;
	recording->lost_cut += stream->lost_cut;
	recording->lost_disk += stream->lost_disk;
	recording->waits += stream->waits;
	recording->events += stream->events;
	recording->nested += stream->nested ? stream->events : 0;
	recording->discarded += stream->discarded;
	recording->cut_streams += stream->damage != NULL;
	if (!recording->complete)
		return;
	lost = stream->lost_full + stream->lost_nested + stream->lost_cut + stream->lost_disk;
	assert_null(stream->damage);
	CHECK(stream->accounted);
	CHECK_EQUAL(stream->events, stream->recorded);
	CHECK_EQUAL(triggered, stream->events + lost);
	if (stream->lost_disk == 0) /* else there may be no room to tell */
		CHECK_EQUAL(stream->discarded, lost);
}

void recording_read(struct recording *recording,
		    void (*visit)(void *context, const struct trace_info *info, unsigned stream,
				  const struct trace_event *event, bool mark),
		    void *context)
{
	const struct trace_info *info;
	struct trace_reader *reader;
	struct trace_event event;
	unsigned stream;
	bool mark;
	int more;

	CHECK_EQUAL(
		trace_reader_open(&reader, &base_io_system, &base_alloc_system, RECORDING_TRACE),
		0);
	info = trace_reader_info(reader);
	*recording = (struct recording){ .status = recording->status,
					 .out = recording->out,
					 .err = recording->err,
					 .told = recording->told };
	while ((more = trace_reader_next(reader, &event, &stream, &mark)) == 1)
		if (visit)
			visit(context, info, stream, &event, mark);
	CHECK_EQUAL(more, 0);
	assert_null(info->problem);
	recording->complete = info->complete;
	recording->streams = (unsigned)info->streams;
	recording->processes = (unsigned)info->processes;
	for (size_t i = 0; i < info->streams; i++)
		add_stream(recording, &info->stream[i]);
	for (size_t i = 0; i < info->processes; i++)
		recording->lost_no_ring += info->process[i].lost_no_ring;
	recording->triggered += recording->lost_no_ring;
	trace_reader_close(reader);
}

void recording_run(struct recording *recording, const char *args)
{
	recording_wait(recording, recording_start(args));
	if (files_exist(RECORDING_TRACE))
		recording_read(recording, NULL, NULL);
}

static uint64_t lost_in_streams(const struct recording *recording)
{
	return recording->lost_full + recording->lost_nested + recording->lost_cut +
	       recording->lost_disk;
}

void recording_check(const struct recording *recording)
{
	if (recording->told != recording->triggered)
		print_error("%s%s", recording->out, recording->err);
	CHECK_EQUAL(recording->told, recording->triggered);
	CHECK_EQUAL(recording->triggered,
		    recording->events + lost_in_streams(recording) + recording->lost_no_ring);
}

/* The sum of the numbers behind `before` in the lines of a file that have it; another line fails. */
static uint64_t sum_of_lines(const char *path, const char *before)
{
	FILE *file = fopen(path, "r");
	uint64_t sum = 0;
	char line[1024];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		const char *found = strstr(line, before);

		if (!found)
			fail_msg("babeltrace2: %s", line);
		sum += strtoull(found + strlen(before), NULL, 10);
	}
	fclose(file);
	return sum;
}

void recording_check_babeltrace(const struct recording *recording)
{
	if (system("babeltrace2 --version >/dev/null 2>&1"))
		return;
	CHECK_EQUAL(system("babeltrace2 --clock-cycles " RECORDING_TRACE
			   " 2>discarded | wc -l | sed 's/^ */events /' >events"),
		    0);
	CHECK_EQUAL(sum_of_lines("events", "events "), recording->events);
	CHECK_EQUAL(sum_of_lines("discarded", "WARNING: Tracer discarded "), recording->discarded);
}
