/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include "base/error.h"
#include "base/io.h"
#include "support/capture.h"
#include "support/fault.h"

static char folder[] = "/tmp/kron-base-io-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static const char *in_folder(const char *name)
{
	static char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void the_system_table_does_what_its_names_say(void **state)
{
	struct base_io *io = &base_io_system;
	char from[PATH_MAX], to[PATH_MAX], inside[PATH_MAX], text[8] = "";
	int fd;

	(void)state;
	snprintf(from, sizeof(from), "%s", in_folder("a"));
	snprintf(to, sizeof(to), "%s", in_folder("b"));
	snprintf(inside, sizeof(inside), "%s", in_folder("b/file"));
	CHECK_EQUAL(io->mkdir(io, from, 0777), 0);
	CHECK_EQUAL(io->rename(io, from, to), 0);
	fd = io->open(io, inside, O_RDWR | O_CREAT | O_EXCL, 0666);
	CHECK(fd >= 0);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	CHECK_EQUAL(io->write(io, fd, "kron", 4), 4);
	CHECK_EQUAL(lseek(fd, 0, SEEK_SET), 0);
	CHECK_EQUAL(io->read(io, fd, text, sizeof(text)), 4);
	assert_string_equal(text, "kron");
	CHECK_EQUAL(io->close(io, fd), 0);
	CHECK_EQUAL(io->rmdir(io, to), -1);
	CHECK_EQUAL(errno, ENOTEMPTY);
	CHECK_EQUAL(io->unlink(io, inside), 0);
	CHECK_EQUAL(io->rmdir(io, to), 0);
	CHECK_EQUAL(io->open(io, inside, O_RDONLY, 0), -1);
	CHECK_EQUAL(errno, ENOENT);
}

static void write_all_goes_on_after_short_and_interrupted_writes(void **state)
{
	static const enum fault_kind kinds[] = { FAULT_SHORT, FAULT_EINTR };
	struct fault fault;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char text[8] = "";
		int fd;

		fault_init(&fault, kinds[i], 1);
		fd = fault.io.open(&fault.io, in_folder("file"), O_RDWR | O_CREAT | O_TRUNC, 0666);
		CHECK_EQUAL(base_io_write_all(&fault.io, fd, "abcdef", 6), 0);
		CHECK(fault.hit);
		CHECK_EQUAL(pread(fd, text, 7, 0), 6);
		assert_string_equal(text, "abcdef");
		fault.io.close(&fault.io, fd);
	}
	CHECK_EQUAL(unlink(in_folder("file")), 0);
}

static void write_all_reports_a_full_disk(void **state)
{
	struct base_io *io = &base_io_system;
	int fd = io->open(io, "/dev/full", O_WRONLY, 0);

	(void)state;
	CHECK_EQUAL(base_io_write_all(io, fd, "x", 1), -KRON_EIO);
	CHECK_EQUAL(errno, ENOSPC);
	CHECK_EQUAL(base_io_write_all(io, fd, "", 0), 0); /* nothing to write: nothing to fail */
	io->close(io, fd);
}

static ssize_t write_nothing(struct base_io *io, int fd, const void *data, size_t size)
{
	(void)io, (void)fd, (void)data, (void)size;
	return 0;
}

static void write_all_gives_up_when_nothing_is_taken(void **state)
{
	struct base_io io = { .write = write_nothing };

	(void)state;
	CHECK_EQUAL(base_io_write_all(&io, 1, "x", 1), -KRON_EIO);
	CHECK_EQUAL(errno, EIO);
}

static void out_writes_nothing_before_it_is_flushed_or_full(void **state)
{
	static struct capture capture;

	(void)state;
	capture_init(&capture);
	base_out_text(&capture.out, "a");
	base_out_write(&capture.out, "b\0c", 3);
	base_out_printf(&capture.out, "%d", 42);
	CHECK_EQUAL(capture.writes, 0);
	CHECK_EQUAL(base_out_flush(&capture.out), 0);
	CHECK_EQUAL(capture.writes, 1);
	assert_memory_equal(capture.text, "ab\0c42", 6);
	CHECK_EQUAL(capture.length, 6);
	CHECK_EQUAL(base_out_flush(&capture.out), 0);
	CHECK_EQUAL(capture.writes, 1); /* nothing new */
}

static void out_takes_more_than_its_buffer(void **state)
{
	static struct capture capture;
	static char block[40000];

	(void)state;
	for (size_t i = 0; i < sizeof(block); i++)
		block[i] = (char)('a' + i % 26);
	capture_init(&capture);
	base_out_text(&capture.out, "-");
	base_out_write(&capture.out, block, sizeof(block));
	CHECK_EQUAL(base_out_flush(&capture.out), 0);
	CHECK_EQUAL(capture.length, sizeof(block) + 1);
	assert_memory_equal(capture.text + 1, block, sizeof(block));
}

/* Every position of the end of the buffer relative to the text. */
static void printf_is_not_cut_at_the_end_of_the_buffer(void **state)
{
	static struct capture capture;
	size_t full = sizeof(capture.out.buffer);

	(void)state;
	for (size_t before = full - 8; before <= full; before++) {
		capture_init(&capture);
		for (size_t i = 0; i < before; i++)
			base_out_write(&capture.out, ".", 1);
		base_out_printf(&capture.out, "%s", "12345");
		CHECK_EQUAL(base_out_flush(&capture.out), 0);
		CHECK_EQUAL(capture.length, before + 5);
		assert_memory_equal(capture.text + before, "12345", 5);
	}
}

static void printf_of_more_than_the_buffer_is_an_error_and_not_cut_text(void **state)
{
	static struct capture capture;
	size_t most = sizeof(capture.out.buffer) - 1;

	(void)state;
	capture_init(&capture);
	base_out_printf(&capture.out, "%*s", (int)most, "x");
	CHECK_EQUAL(base_out_flush(&capture.out), 0);
	CHECK_EQUAL(capture.length, most);
	base_out_printf(&capture.out, "%*s", (int)most + 1, "x");
	CHECK_EQUAL(base_out_flush(&capture.out), -KRON_EIO);
	CHECK_EQUAL(errno, EMSGSIZE);
	CHECK_EQUAL(capture.length, most);
}

static void printf_of_what_cannot_be_printed_is_an_error(void **state)
{
	static struct capture capture;

	(void)state;
	capture_init(&capture);
	base_out_printf(&capture.out, "%lc", (wint_t)0x20ac); /* not in the C locale */
	CHECK_EQUAL(base_out_flush(&capture.out), -KRON_EIO);
	CHECK_EQUAL(errno, EILSEQ);
}

static void the_first_error_of_out_sticks(void **state)
{
	static struct capture capture;

	(void)state;
	capture_init(&capture);
	capture.limit = 4;
	base_out_text(&capture.out, "123456");
	CHECK_EQUAL(base_out_flush(&capture.out), -KRON_EIO);
	CHECK_EQUAL(errno, ENOSPC);
	capture.limit = 100; /* room again: what was lost stays lost, so nothing may follow it */
	base_out_text(&capture.out, "789");
	base_out_write(&capture.out, "789", 3);
	base_out_printf(&capture.out, "789");
	base_out_fail(&capture.out, -KRON_EINVAL, EINVAL);
	errno = 0;
	CHECK_EQUAL(base_out_flush(&capture.out), -KRON_EIO);
	CHECK_EQUAL(errno, ENOSPC);
	assert_string_equal(capture_text(&capture), "1234");
}

static void out_broken_from_above_writes_no_more(void **state)
{
	static struct capture capture;

	(void)state;
	capture_init(&capture);
	base_out_text(&capture.out, "half");
	base_out_fail(&capture.out, -KRON_EINVAL, EINVAL);
	CHECK_EQUAL(base_out_flush(&capture.out), -KRON_EINVAL);
	CHECK_EQUAL(errno, EINVAL);
	CHECK_EQUAL(capture.length, 0);
}

static int write_file(struct fault *fault, void *ctx)
{
	struct base_out *out = ctx;
	const char *path = in_folder("file");
	int fd = fault->io.open(&fault->io, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	int error;

	if (fd < 0)
		return -KRON_EIO;
	base_out_init(out, &fault->io, fd);
	for (unsigned i = 0; i < 5000; i++)
		base_out_printf(out, "line %u\n", i);
	error = base_out_flush(out);
	if (fault->io.close(&fault->io, fd) && !error)
		error = -KRON_EIO;
	unlink(path);
	return error;
}

static void a_file_written_survives_every_fault(void **state)
{
	static struct base_out out;

	(void)state;
	CHECK(fault_walk(write_file, &out) >= 4 * 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_system_table_does_what_its_names_say),
		TEST(write_all_goes_on_after_short_and_interrupted_writes),
		TEST(write_all_reports_a_full_disk),
		TEST(write_all_gives_up_when_nothing_is_taken),
		TEST(out_writes_nothing_before_it_is_flushed_or_full),
		TEST(out_takes_more_than_its_buffer),
		TEST(printf_is_not_cut_at_the_end_of_the_buffer),
		TEST(printf_of_more_than_the_buffer_is_an_error_and_not_cut_text),
		TEST(printf_of_what_cannot_be_printed_is_an_error),
		TEST(the_first_error_of_out_sticks),
		TEST(out_broken_from_above_writes_no_more),
		TEST(a_file_written_survives_every_fault),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
