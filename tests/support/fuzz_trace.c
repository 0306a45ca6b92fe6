/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fuzz_trace.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "report/report.h"
#include "support/native_trace.h"

static char dir[64];

void fuzz_require(int condition)
{
	if (!condition)
		abort();
}

static void remove_trace(void)
{
	static const char *const names[] = { "metadata", ".kron.json", "stream_0", "stream_1" };
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

static void make_trace(void)
{
	struct native_trace trace;

	strcpy(dir,
	       access("/dev/shm", W_OK) ? "/tmp/kron_fuzz_XXXXXX" : "/dev/shm/kron_fuzz_XXXXXX");
	fuzz_require(mkdtemp(dir) != NULL);
	atexit(remove_trace);
	native_trace_init(&trace, dir, 2);
	native_trace_data(&trace, 1, 100, 1);
	native_trace_data(&trace, 1, 200, 2);
	native_trace_write(&trace, "{ \"schema\": \"kron.trace/1\", \"model\": \"native\" }");
}

void fuzz_trace_file(const char *name, const uint8_t *data, size_t size)
{
	char path[128];
	int fd;

	if (!*dir)
		make_trace();
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	fuzz_require(fd >= 0);
	fuzz_require(write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static void check_events(struct trace_reader *reader, size_t bytes)
{
	const struct trace_info *info = trace_reader_info(reader);
	struct trace_event event;
	uint64_t last = 0;
	unsigned stream;
	bool mark;
	int result;

	while ((result = trace_reader_next(reader, &event, &stream, &mark)) > 0) {
		fuzz_require(stream < info->streams && event.timestamp >= last);
		last = event.timestamp;
		fuzz_require(trace_reader_name(reader, stream, event.data) != NULL);
		trace_reader_ns(reader, event.timestamp);
	}
	fuzz_require(result == 0);
	for (size_t i = 0; i < info->streams; i++) {
		fuzz_require(!info->stream[i].damage == (info->stream[i].damaged_at == UINT64_MAX));
		if (!strcmp(info->stream[i].file, "stream_0"))
			fuzz_require(
				info->stream[i].events <= bytes / 16 &&
				(!info->stream[i].damage || info->stream[i].damaged_at <= bytes));
		if (!strcmp(info->stream[i].file, "stream_1"))
			fuzz_require(info->stream[i].events == 2);
	}
}

static void write_reports(struct trace_reader *reader)
{
	struct report_config config = { .alloc = &base_alloc_system,
					.reader = reader,
					.trace = dir };
	struct report report;
	struct base_out out;
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	fuzz_require(fd >= 0);
	fuzz_require(report_open(&report, &config) == 0);
	base_out_init(&out, &base_io_system, fd);
	report_put_text(&report, &out, true, 5);
	report_put_json(&report, &out);
	report_put_csv(&report, &out);
	fuzz_require(base_out_flush(&out) == 0);
	close(fd);
	report_close(&report);
}

void fuzz_trace_read(size_t stream_0_bytes)
{
	struct trace_reader *reader;

	fuzz_require(trace_reader_open(&reader, &base_io_system, &base_alloc_system, dir) == 0);
	check_events(reader, stream_0_bytes);
	fuzz_require(trace_reader_rewind(reader) == 0);
	write_reports(reader);
	trace_reader_close(reader);
}
