/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "boards/console.h"
#include "support/capture.h"
#include "support/fault.h"

/* Play a script, a line at a time, up to the first that does not simply succeed. */
static int play(struct board_console *console, const char *script)
{
	char line[256];
	int result = BOARD_CONSOLE_DONE;

	while (*script && result == BOARD_CONSOLE_DONE) {
		size_t length = strcspn(script, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)length, script);
		result = board_console_line(console, line);
		script += length + (script[length] == '\n');
	}
	return result;
}

static void open_console(struct board_console *console, struct capture *capture,
			 enum board_model model)
{
	struct board_console_config config = { .board = { .model = model, .nodes = 1 },
					       .alloc = &base_alloc_system,
					       .out = &capture->out };

	capture_init(capture);
	CHECK_EQUAL(board_console_open(console, &config), 0);
}

/* One trace sample, from trigger to bytes and to JSON; each is printed once. */
static void script_takes_a_sample(void **state)
{
	struct board_console console;
	struct capture capture;

	(void)state;
	open_console(&console, &capture, BOARD_MULTIKRON);
	CHECK_EQUAL(play(&console, "# comment\n\n  write 4 0xffff # filter\n"
				   "write\t1\t1\ncpu 3\nwrite 19 0xdeadbeef\n"
				   "write 96 0xabcdef123456\nclock 33\nsamples\nsamples\n"),
		    BOARD_CONSOLE_DONE);
	assert_string_equal(capture_text(&capture),
			    "{\"type\": \"trace\", \"cpu\": 3, \"fifo_overrun\": false, "
			    "\"shadow_overrun\": false, \"timestamp\": 2, "
			    "\"source\": 3735928559, \"data\": 188900967593046}\n");
	capture_init(&capture);
	CHECK_EQUAL(play(&console, "bytes\nbytes\n"), BOARD_CONSOLE_DONE);
	assert_string_equal(capture_text(&capture),
			    "70 0 0\n00 1 0\n00 1 0\n00 1 0\n00 1 0\n02 0 0\n"
			    "de 1 0\nad 0 0\nbe 1 0\nef 0 0\n"
			    "ab 0 0\ncd 0 0\nef 0 0\n12 1 0\n34 0 0\n56 1 1\n");
	board_console_close(&console);
}

static void resource_sample_prints_its_counters(void **state)
{
	struct board_console console;
	struct capture capture;

	(void)state;
	open_console(&console, &capture, BOARD_MULTIKRON2);
	CHECK_EQUAL(play(&console, "write 4 1\nwrite 1 1\nwrite 79 0xffffffff\nwrite 64 5\n"
				   "write 112 1\nclock 200\nsamples\n"),
		    BOARD_CONSOLE_DONE);
	CHECK(strstr(capture_text(&capture), "\"type\": \"resource\"") != NULL);
	CHECK(strstr(capture_text(&capture), "\"counters\": [5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "
					     "0, 0, 0, 4294967295]}\n") != NULL);
	board_console_close(&console);
}

/* Each command, and what it does to the pins. */
static void commands_drive_the_pins(void **state)
{
	static const struct {
		const char *line;
		uint64_t set, clear;
	} rows[] = {
		{ "cpu 7", MULTIKRON2_C(7), MULTIKRON2_C(0) },
		{ "ext 0x8001", MULTIKRON2_X(15) | MULTIKRON2_X(0), MULTIKRON2_X(7) },
		{ "ext 0", 0, MULTIKRON2_X(15) | MULTIKRON2_X(0) },
		{ "netrdy 0", 0, MULTIKRON2_NETRDY },
		{ "netrdy 1", MULTIKRON2_NETRDY, 0 },
		{ "test 1", MULTIKRON2_TEST, 0 },
		{ "test 0", 0, MULTIKRON2_TEST },
		{ "hold 1", MULTIKRON2_HOLD, 0 },
		{ "hold 0", 0, MULTIKRON2_HOLD },
		{ "start 0", 0, MULTIKRON2_START },
		{ "start 1", MULTIKRON2_START, 0 },
	};
	struct board_console console;
	struct capture capture;

	(void)state;
	open_console(&console, &capture, BOARD_MULTIKRON2);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t pins;

		CHECK_EQUAL(play(&console, rows[i].line), BOARD_CONSOLE_DONE);
		CHECK_EQUAL(play(&console, "clock 1"), BOARD_CONSOLE_DONE);
		pins = console.node.played.control;
		CHECK_EQUAL(pins & rows[i].set, rows[i].set);
		CHECK_EQUAL(pins & rows[i].clear, 0);
	}
	board_console_close(&console);
}

/* A wrong line does nothing, and says what is wrong with it. */
static void wrong_lines_are_refused(void **state)
{
	static const struct {
		const char *line;
		const char *message;
	} rows[] = {
		{ "raed 1", "unknown command 'raed'; did you mean 'read'?" },
		{ "xyzzy", "unknown command 'xyzzy'; 'help' lists them" },
		{ "read", "read: ADDR is missing" },
		{ "write 3", "write: VALUE is missing" },
		{ "read 128", "read: ADDR 128 is out of range (0..127)" },
		{ "read 0x80", "read: ADDR 0x80 is out of range (0..127)" },
		{ "read 12x", "read: ADDR '12x' is not a number (decimal, or 0x and hexadecimal "
			      "digits)" },
		{ "write 1 0x10000000000000000",
		  "write: VALUE '0x10000000000000000' is not a number (decimal, or 0x and "
		  "hexadecimal digits)" },
		{ "read -1", "read: ADDR '-1' is not a number (decimal, or 0x and hexadecimal "
			     "digits)" },
		{ "read 1 2", "read: '2' is one argument too many" },
		{ "samples now", "samples: 'now' is one argument too many" },
		{ "cpu 8", "cpu: N 8 is out of range (0..7)" },
		{ "ext 0x10000", "ext: MASK 0x10000 is out of range (0..65535)" },
		{ "netrdy 2", "netrdy: 0|1 2 is out of range (0..1)" },
		{ "expect 0", "expect: nothing has been read yet" },
		{ "hold 1", "hold: MultiKron has no such pin; MultiKron II has" },
	};
	struct board_console console;
	struct capture capture;

	(void)state;
	open_console(&console, &capture, BOARD_MULTIKRON);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t clocks = console.board.clocks;

		CHECK_EQUAL(play(&console, rows[i].line), -KRON_ESYNTAX);
		assert_string_equal(console.message, rows[i].message);
		CHECK_EQUAL(console.board.clocks, clocks);
	}
	assert_string_equal(capture_text(&capture), "");
	board_console_close(&console);
}

static void expect_compares_with_the_last_read(void **state)
{
	struct board_console console;
	struct capture capture;

	(void)state;
	open_console(&console, &capture, BOARD_MULTIKRON);
	CHECK_EQUAL(play(&console, "write 4 0x1234\nread 4\nexpect 4660\nexpect 0x1234\n"),
		    BOARD_CONSOLE_DONE);
	CHECK_EQUAL(play(&console, "expect 0x1235"), BOARD_CONSOLE_DIFFERS);
	assert_string_equal(console.message,
			    "expected 0x0000000000001235, read 0x0000000000001234");
	assert_string_equal(capture_text(&capture), "0x0000000000001234\n");
	board_console_close(&console);
}

static void access_that_never_ends_is_an_error(void **state)
{
	struct board_console console;
	struct capture capture;

	(void)state;
	open_console(&console, &capture, BOARD_MULTIKRON2);
	CHECK_EQUAL(play(&console, "start 0\nread 1\n"), -KRON_EINVAL);
	CHECK(strstr(console.message, "start 1") != NULL);
	CHECK_EQUAL(play(&console, "start 1\nhold 1\nread 1\nread 1\n"), -KRON_EINVAL);
	CHECK(strstr(console.message, "hold 0") != NULL);
	CHECK_EQUAL(play(&console, "hold 0\nwrite 4 1\nwrite 1 5\nnetrdy 0\nwrite 112 1\n"
				   "write 112 2\n"),
		    -KRON_EINVAL);
	CHECK(strstr(console.message, "netrdy 1") != NULL);
	/* It still waits: another access would be answered in its place. */
	CHECK_EQUAL(play(&console, "read 4"), -KRON_EINVAL);
	CHECK(strstr(console.message, "still waits") != NULL);
	CHECK_EQUAL(play(&console, "netrdy 1\nclock 200\nread 4\nexpect 0xffffffffffff0001\n"),
		    BOARD_CONSOLE_DONE);
	board_console_close(&console);
}

/* What the reports forbid is possible, but not in silence. */
static void forbidden_uses_are_warned_of(void **state)
{
	struct board_console console;
	struct capture capture;

	(void)state;
	open_console(&console, &capture, BOARD_MULTIKRON);
	CHECK_EQUAL(play(&console, "write 1 3"), BOARD_CONSOLE_DONE);
	CHECK(strstr(console.warning, "CSR") != NULL);
	CHECK_EQUAL(play(&console, "test 1"), BOARD_CONSOLE_DONE);
	assert_string_equal(console.warning, "");
	CHECK_EQUAL(play(&console, "write 14 0x500000000"), BOARD_CONSOLE_DONE);
	CHECK(strstr(console.warning, "TEST") != NULL);
	board_console_close(&console);
}

static bool stop_at_once(void *context, uint64_t done, uint64_t total)
{
	unsigned *calls = context;

	++*calls;
	return done < total;
}

/* A long dump can be stopped in the middle. */
static void long_work_can_be_stopped(void **state)
{
	static struct capture capture, dump;
	struct board_console console;
	struct board_vcd vcd;
	unsigned calls = 0;
	struct board_console_config config = { .board = { .nodes = 1 },
					       .alloc = &base_alloc_system,
					       .out = &capture.out,
					       .vcd = &vcd,
					       .progress = stop_at_once,
					       .context = &calls };

	(void)state;
	capture_init(&capture);
	capture_init(&dump);
	dump.out.fd = open("/dev/null", O_WRONLY);
	dump.out.io = &base_io_system;
	CHECK_EQUAL(board_vcd_open(&vcd, &dump.out, &base_alloc_system, &board_pins_multikron, 1,
				   BOARD_NODE_HZ),
		    0);
	CHECK_EQUAL(board_console_open(&console, &config), 0);
	CHECK_EQUAL(play(&console, "clock 1000000000"), BOARD_CONSOLE_INTERRUPTED);
	CHECK_EQUAL(calls, 1);
	CHECK(console.board.clocks < 1000000);
	board_vcd_close(&vcd);
	board_console_close(&console);
	close(dump.out.fd);
}

/* Time in a trace goes on when RESET or a test sets the chip's clock back. */
static void trace_time_never_goes_back(void **state)
{
	char dir[] = "/tmp/kron-console-XXXXXX";
	char path[64], command[128];
	struct trace_ctf trace;
	struct trace_ctf_info info = { .model = "multikron2", .clock_hz = 10000000, .streams = 1 };
	struct board_console console;
	struct capture capture;
	struct board_console_config config = {
		.board = { .model = BOARD_MULTIKRON2, .nodes = 1 },
		.alloc = &base_alloc_system,
		.out = &capture.out,
		.trace = &trace,
	};

	(void)state;
	capture_init(&capture);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/t", dir);
	CHECK_EQUAL(trace_ctf_open(&trace, &base_io_system, &base_alloc_system, path, &info), 0);
	CHECK_EQUAL(board_console_open(&console, &config), 0);
	CHECK_EQUAL(play(&console, "write 4 1\nwrite 1 1\nclock 1000\nwrite 96 1\nclock 100\n"),
		    BOARD_CONSOLE_DONE);
	CHECK_EQUAL(console.trace_time, console.sample[0].timestamp);
	CHECK_EQUAL(play(&console, "reset\nwrite 4 1\nwrite 1 1\nwrite 96 2\nclock 100\n"),
		    BOARD_CONSOLE_DONE);
	CHECK(console.sample[1].timestamp < console.sample[0].timestamp);
	CHECK(console.trace_time > console.sample[0].timestamp);
	CHECK_EQUAL(play(&console, "clock 1000\nwrite 96 3\nclock 100\ntest 1\nwrite 2 0\n"
				   "test 0\nwrite 96 4\nclock 100\n"),
		    BOARD_CONSOLE_DONE);
	CHECK_EQUAL(console.received, 4);
	CHECK_EQUAL(trace_ctf_close(&trace, NULL), 0);
	board_console_close(&console);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	CHECK_EQUAL(system(command), 0);
}

/* Everything at once: samples kept and traced, pins dumped. */
static int play_all(struct fault *fault, void *context)
{
	const char *path = context;
	struct trace_ctf trace;
	struct trace_ctf_info info = { .model = "multikron", .clock_hz = 10000000, .streams = 1 };
	struct board_console console;
	struct board_vcd vcd;
	static struct base_out out, dump;
	struct board_console_config config = { .board = { .nodes = 1 },
					       .alloc = &fault->alloc,
					       .out = &out };
	char command[128], dump_path[64];
	int error, closed, fd;

	snprintf(command, sizeof(command), "rm -rf %s %s.old %s.vcd", path, path, path);
	snprintf(dump_path, sizeof(dump_path), "%s.vcd", path);
	if (system(command) != 0)
		return -KRON_EINVAL;
	error = trace_ctf_open(&trace, &fault->io, &fault->alloc, path, &info);
	if (error)
		return error;
	config.trace = &trace;
	fd = fault->io.open(&fault->io, dump_path, O_WRONLY | O_CREAT, 0666);
	if (fd < 0) {
		error = -KRON_EIO;
		goto out_trace;
	}
	base_out_init(&out, &base_io_system, 1);
	base_out_init(&dump, &fault->io, fd);
	error = board_vcd_open(&vcd, &dump, &fault->alloc, &board_pins_multikron, 1, 50000000);
	if (error)
		goto out_fd;
	config.vcd = &vcd;
	error = board_console_open(&console, &config);
	if (!error)
		error = play(&console, "write 4 1\nwrite 1 1\nwrite 96 1\nwrite 112 2\n"
				       "write 112 3\nclock 300\nwrite 96 4\nclock 50\n");
	board_console_close(&console);
	closed = board_vcd_close(&vcd);
	error = error ? error : closed;
out_fd:
	if (fault->io.close(&fault->io, fd) && !error)
		error = -KRON_EIO;
out_trace:
	closed = trace_ctf_close(&trace, NULL);
	return error ? error : closed;
}

static void every_failure_comes_back_and_leaks_nothing(void **state)
{
	char dir[] = "/tmp/kron-console-XXXXXX";
	char path[64], command[128];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/t", dir);
	CHECK(fault_walk(play_all, path) > 20);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	CHECK_EQUAL(system(command), 0);
}

TEST_MAIN(TEST(script_takes_a_sample), TEST(resource_sample_prints_its_counters),
	  TEST(commands_drive_the_pins), TEST(wrong_lines_are_refused),
	  TEST(expect_compares_with_the_last_read), TEST(access_that_never_ends_is_an_error),
	  TEST(forbidden_uses_are_warned_of), TEST(long_work_can_be_stopped),
	  TEST(trace_time_never_goes_back), TEST(every_failure_comes_back_and_leaks_nothing))
