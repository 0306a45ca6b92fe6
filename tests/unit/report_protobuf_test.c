/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <errno.h>
#include <string.h>
#include "base/error.h"
#include "report/protobuf.h"
#include "support/capture.h"

static struct report_protobuf pb;
static struct capture capture;

static int enter(void **state)
{
	(void)state;
	report_protobuf_init(&pb);
	capture_init(&capture);
	return 0;
}

static void check_bytes(const char *expected, size_t size)
{
	CHECK_EQUAL(report_protobuf_flush(&pb, &capture.out), 0);
	capture_text(&capture);
	CHECK_EQUAL(capture.length, size);
	assert_memory_equal(capture.text, expected, size);
}

#define CHECK_BYTES(text) check_bytes(text, sizeof(text) - 1)

/* The example of protobuf.dev: 150 in field 1. */
static void a_number_is_a_varint(void **state)
{
	(void)state;
	report_protobuf_unsigned(&pb, 1, 150);
	CHECK_BYTES("\x08\x96\x01");
}

static void the_largest_number_takes_ten_bytes(void **state)
{
	(void)state;
	report_protobuf_unsigned(&pb, 2, UINT64_MAX);
	CHECK_BYTES("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

static void a_negative_number_is_its_complement(void **state)
{
	(void)state;
	report_protobuf_signed(&pb, 1, -2);
	CHECK_BYTES("\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

static void field_numbers_may_take_two_bytes(void **state)
{
	(void)state;
	report_protobuf_unsigned(&pb, 16, 0);
	report_protobuf_unsigned(&pb, 60, 1);
	CHECK_BYTES("\x80\x01\x00\xe0\x03\x01");
}

/* The example of protobuf.dev: "testing" in field 2, and a message in field 3. */
static void text_and_messages_have_a_length(void **state)
{
	(void)state;
	report_protobuf_text(&pb, 2, "testing");
	report_protobuf_begin(&pb, 3);
	report_protobuf_unsigned(&pb, 1, 150);
	report_protobuf_end(&pb);
	report_protobuf_begin(&pb, 4);
	report_protobuf_end(&pb);
	CHECK_BYTES("\x12\x07testing\x1a\x03\x08\x96\x01\x22\x00");
}

/* Lengths of 128 and more take two bytes, in the inner and in the outer message. */
static void long_messages_move_up(void **state)
{
	char text[129] = { 0 };
	char expected[6 + 128 + 2] = "\x0a\x85\x01\x12\x82\x01";

	(void)state;
	memset(text, 'x', 126);
	report_protobuf_begin(&pb, 1);
	report_protobuf_begin(&pb, 2);
	report_protobuf_text(&pb, 3, text);
	report_protobuf_text(&pb, 4, "");
	report_protobuf_end(&pb);
	report_protobuf_end(&pb);
	memcpy(expected + 6, "\x1a\x7e", 2);
	memset(expected + 8, 'x', 126);
	memcpy(expected + 134, "\x22\x00", 2);
	check_bytes(expected, sizeof(expected));
}

static void long_text_is_cut_between_characters(void **state)
{
	char text[REPORT_PROTOBUF_TEXT + 10] = { 0 };

	(void)state;
	memset(text, 'x', REPORT_PROTOBUF_TEXT - 1);
	memcpy(text + REPORT_PROTOBUF_TEXT - 1, "\xc2\xb5z", 3); /* it ends inside of this */
	report_protobuf_text(&pb, 1, text);
	CHECK_EQUAL(report_protobuf_flush(&pb, &capture.out), 0);
	capture_text(&capture);
	CHECK_EQUAL(capture.length, 3 + REPORT_PROTOBUF_TEXT - 1);
	CHECK(capture.text[capture.length - 1] == 'x');
	memset(text, 'x', REPORT_PROTOBUF_TEXT);
	text[REPORT_PROTOBUF_TEXT] = 0;
	report_protobuf_text(&pb, 1, text);
	CHECK_EQUAL(report_protobuf_flush(&pb, &capture.out), 0);
	capture_text(&capture);
	CHECK_EQUAL(capture.length, 2 * (3 + REPORT_PROTOBUF_TEXT) - 1);
}

static void check_refused(void)
{
	CHECK(report_protobuf_flush(&pb, &capture.out) == -KRON_EINVAL);
	capture_text(&capture);
	CHECK_EQUAL(capture.length, 0);
	report_protobuf_unsigned(&pb, 1, 1); /* and all is well again */
	CHECK_BYTES("\x08\x01");
	capture.length = 0;
}

static void what_is_not_whole_is_not_written(void **state)
{
	(void)state;
	report_protobuf_begin(&pb, 1);
	check_refused();
	report_protobuf_end(&pb);
	check_refused();
	for (unsigned i = 0; i < REPORT_PROTOBUF_DEPTH + 1; i++)
		report_protobuf_begin(&pb, 1);
	for (unsigned i = 0; i < REPORT_PROTOBUF_DEPTH + 1; i++)
		report_protobuf_end(&pb);
	check_refused();
}

/* Whatever call finds the buffer full. */
static void too_much_is_refused(void **state)
{
	(void)state;
	for (size_t fill = REPORT_PROTOBUF_BYTES - 16; fill <= REPORT_PROTOBUF_BYTES; fill++) {
		report_protobuf_init(&pb);
		pb.used = fill;
		report_protobuf_begin(&pb, 1);
		report_protobuf_unsigned(&pb, 1, UINT64_MAX);
		report_protobuf_text(&pb, 1, "abc");
		report_protobuf_end(&pb);
		CHECK(pb.broken);
		CHECK(pb.used <= REPORT_PROTOBUF_BYTES);
	}
	report_protobuf_init(&pb);
	report_protobuf_begin(&pb, 1);
	pb.used = REPORT_PROTOBUF_BYTES; /* no room for the second byte of the length */
	report_protobuf_end(&pb);
	check_refused();
}

#define PROTOBUF(test) cmocka_unit_test_setup(test, enter)

TEST_MAIN(PROTOBUF(a_number_is_a_varint), PROTOBUF(the_largest_number_takes_ten_bytes),
	  PROTOBUF(a_negative_number_is_its_complement), PROTOBUF(field_numbers_may_take_two_bytes),
	  PROTOBUF(text_and_messages_have_a_length), PROTOBUF(long_messages_move_up),
	  PROTOBUF(long_text_is_cut_between_characters), PROTOBUF(what_is_not_whole_is_not_written),
	  PROTOBUF(too_much_is_refused))
