/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "base/io.h"
#include "base/rng.h"
#include "support/fault.h"

/* Input from memory, at most `chunk` bytes a read. */
struct feed {
	struct base_io io;
	struct base_lines lines;
	const char *text;
	size_t size, at, chunk;
	unsigned reads;
	int failure;    /* errno of every read once the text is used up; 0: the end */
	bool interrupt; /* every other read is interrupted */
};

static ssize_t feed_read(struct base_io *io, int fd, void *data, size_t size)
{
	struct feed *feed = (struct feed *)((char *)io - offsetof(struct feed, io));
	size_t part = feed->size - feed->at;

	(void)fd;
	assert_true(size > 0); /* a read of nothing would look like the end */
	if (feed->interrupt && feed->reads++ % 2 == 0) {
		errno = EINTR;
		return -1;
	}
	if (!part && feed->failure) {
		errno = feed->failure;
		return -1;
	}
	if (part > feed->chunk)
		part = feed->chunk;
	if (part > size)
		part = size;
	memcpy(data, feed->text + feed->at, part);
	feed->at += part;
	return (ssize_t)part;
}

static void feed_init(struct feed *feed, const char *text, size_t size)
{
	*feed = (struct feed){
		.io = { .read = feed_read }, .text = text, .size = size, .chunk = size
	};
	base_lines_init(&feed->lines, &feed->io, 0);
}

static void next_is(struct feed *feed, const char *wanted)
{
	char *line;

	CHECK_EQUAL(base_lines_next(&feed->lines, &line), 1);
	assert_string_equal(line, wanted);
}

static void next_returns(struct feed *feed, int wanted)
{
	char *line = NULL;

	CHECK_EQUAL(base_lines_next(&feed->lines, &line), wanted);
	assert_null(line); /* results are untouched on failure */
}

static void lines_come_one_by_one_without_their_newline(void **state)
{
	struct feed feed;

	(void)state;
	feed_init(&feed, "one\n\ntwo \r\n", 11);
	next_is(&feed, "one");
	CHECK_EQUAL(feed.lines.number, 1);
	next_is(&feed, "");
	next_is(&feed, "two \r");
	CHECK_EQUAL(feed.lines.number, 3);
	next_returns(&feed, 0);
	next_returns(&feed, 0);
	CHECK_EQUAL(feed.lines.number, 3);
}

static void the_last_line_needs_no_newline(void **state)
{
	struct feed feed;

	(void)state;
	feed_init(&feed, "one\ntwo", 7);
	next_is(&feed, "one");
	next_is(&feed, "two");
	next_returns(&feed, 0);
}

static void an_empty_input_has_no_line(void **state)
{
	struct feed feed;

	(void)state;
	feed_init(&feed, "", 0);
	next_returns(&feed, 0);
	CHECK_EQUAL(feed.lines.number, 0);
}

/* Else a person at a terminal would have to type the next line to see the answer to this one. */
static void a_line_that_is_there_is_returned_without_reading_on(void **state)
{
	struct feed feed;

	(void)state;
	feed_init(&feed, "one\ntwo\nthree\n", 14);
	feed.chunk = 8;
	next_is(&feed, "one");
	next_is(&feed, "two");
	CHECK_EQUAL(feed.at, 8);
	next_is(&feed, "three");
}

static void a_line_may_come_byte_by_byte_and_interrupted(void **state)
{
	struct feed feed;

	(void)state;
	feed_init(&feed, "one\ntwo", 7);
	feed.chunk = 1;
	feed.interrupt = true;
	next_is(&feed, "one");
	next_is(&feed, "two");
	next_returns(&feed, 0);
}

/* A line of `length` bytes before "next", with and without the newline that makes room scarce. */
static void check_long(size_t length, size_t chunk, bool newline)
{
	static char text[3 * BASE_LINE_MAX + 16];
	struct feed feed;
	char *line;

	memset(text, 'x', length);
	strcpy(text + length, newline ? "\nnext\n" : "");
	feed_init(&feed, text, strlen(text));
	feed.chunk = chunk;
	if (length > BASE_LINE_MAX) {
		next_returns(&feed, -KRON_ESYNTAX);
	} else {
		CHECK_EQUAL(base_lines_next(&feed.lines, &line), 1);
		CHECK_EQUAL(strlen(line), length);
	}
	CHECK_EQUAL(feed.lines.number, 1);
	if (newline) {
		next_is(&feed, "next");
		CHECK_EQUAL(feed.lines.number, 2);
	}
	next_returns(&feed, 0);
}

static void a_line_too_long_is_an_error_and_the_next_one_is_read(void **state)
{
	static const size_t lengths[] = { BASE_LINE_MAX - 1,     BASE_LINE_MAX,
					  BASE_LINE_MAX + 1,     BASE_LINE_MAX + 2,
					  2 * BASE_LINE_MAX + 1, 2 * BASE_LINE_MAX + 2,
					  2 * BASE_LINE_MAX + 3 };
	static const size_t chunks[] = { 1, 7, BASE_LINE_MAX, BASE_LINE_MAX + 1, 1 << 20 };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (size_t j = 0; j < sizeof(chunks) / sizeof(chunks[0]); j++) {
			check_long(lengths[i], chunks[j], true);
			check_long(lengths[i], chunks[j], false);
		}
}

static void a_long_line_fits_behind_others(void **state)
{
	static char text[BASE_LINE_MAX + 16];
	struct feed feed;
	char *line;

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, "one\n", 4);
	text[4 + BASE_LINE_MAX] = '\n';
	feed_init(&feed, text, 4 + BASE_LINE_MAX + 1);
	next_is(&feed, "one");
	CHECK_EQUAL(base_lines_next(&feed.lines, &line), 1);
	CHECK_EQUAL(strlen(line), BASE_LINE_MAX);
	next_returns(&feed, 0);
}

static void a_zero_byte_is_an_error_and_the_next_line_is_read(void **state)
{
	struct feed feed;

	(void)state;
	feed_init(&feed, "a\0b\ntwo\n\0", 9);
	next_returns(&feed, -KRON_ESYNTAX);
	CHECK_EQUAL(feed.lines.number, 1);
	next_is(&feed, "two");
	next_returns(&feed, -KRON_ESYNTAX);
	CHECK_EQUAL(feed.lines.number, 3);
	next_returns(&feed, 0);
}

static void a_failing_read_is_an_error_after_the_lines_before_it(void **state)
{
	struct feed feed;

	(void)state;
	feed_init(&feed, "one\ntw", 6);
	feed.failure = EIO;
	next_is(&feed, "one");
	next_returns(&feed, -KRON_EIO);
	CHECK_EQUAL(errno, EIO);
	feed.failure = 0; /* over: what was read before is not lost */
	next_is(&feed, "tw");
	CHECK_EQUAL(feed.lines.number, 2);
}

static void a_failing_read_inside_a_line_too_long_is_an_error(void **state)
{
	static char text[BASE_LINE_MAX + 5];
	struct feed feed;

	(void)state;
	memset(text, 'x', sizeof(text));
	feed_init(&feed, text, sizeof(text));
	feed.failure = EISDIR;
	next_returns(&feed, -KRON_ESYNTAX);
	next_returns(&feed, -KRON_EIO);
	CHECK_EQUAL(errno, EISDIR);
}

/* The obvious way, with the whole input in memory. Returns the length of the line at text. */
static size_t slow_length(const char *text, size_t size)
{
	const char *newline = memchr(text, '\n', size);

	return newline ? (size_t)(newline - text) : size;
}

static void random_inputs_agree_with_the_obvious_way(void **state)
{
	static char text[20000];
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 1);
	for (unsigned round = 0; round < 300; round++) {
		size_t size = base_rng_below(&rng, sizeof(text)), at = 0;
		uint64_t rarity = 1 + base_rng_below(&rng, 6000);
		struct feed feed;
		char *line;

		for (size_t i = 0; i < size; i++)
			text[i] = !base_rng_below(&rng, rarity)       ? '\n'
				  : !base_rng_below(&rng, 3 * rarity) ? '\0'
								      : 'x';
		feed_init(&feed, text, size);
		feed.chunk = 1 + base_rng_below(&rng, 9000);
		while (at < size) {
			size_t length = slow_length(text + at, size - at);
			bool bad = length > BASE_LINE_MAX || memchr(text + at, 0, length);

			CHECK_EQUAL(base_lines_next(&feed.lines, &line), bad ? -KRON_ESYNTAX : 1);
			if (!bad) {
				CHECK_EQUAL(strlen(line), length);
				assert_memory_equal(line, text + at, length);
			}
			at += length + 1;
		}
		next_returns(&feed, 0);
	}
}

static int count_lines(struct fault *fault, void *ctx)
{
	struct base_lines lines;
	int fd = fault->io.open(&fault->io, ctx, O_RDONLY, 0);
	int count = 0, got;
	char *line;

	if (fd < 0)
		return -KRON_EIO;
	base_lines_init(&lines, &fault->io, fd);
	while ((got = base_lines_next(&lines, &line)) > 0)
		count++;
	fault->io.close(&fault->io, fd);
	return got < 0 ? got : count;
}

static void a_file_read_survives_every_fault(void **state)
{
	char path[] = "/tmp/kron-base-lines-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		CHECK_EQUAL(write(fd, "a line of text\n", 15), 15);
	close(fd);
	CHECK(fault_walk(count_lines, path) > 10);
	unlink(path);
}

TEST_MAIN(TEST(lines_come_one_by_one_without_their_newline), TEST(the_last_line_needs_no_newline),
	  TEST(an_empty_input_has_no_line),
	  TEST(a_line_that_is_there_is_returned_without_reading_on),
	  TEST(a_line_may_come_byte_by_byte_and_interrupted),
	  TEST(a_line_too_long_is_an_error_and_the_next_one_is_read),
	  TEST(a_long_line_fits_behind_others),
	  TEST(a_zero_byte_is_an_error_and_the_next_line_is_read),
	  TEST(a_failing_read_is_an_error_after_the_lines_before_it),
	  TEST(a_failing_read_inside_a_line_too_long_is_an_error),
	  TEST(random_inputs_agree_with_the_obvious_way), TEST(a_file_read_survives_every_fault))
