/* SPDX-License-Identifier: Apache-2.0 */
/* kron doctor: what works here, what does not, and the package that would fix it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <kron/multikron2.h>
#include "base/json.h"
#include "cli/cli.h"

/* A program that says nothing for so long has no version. */
#define VERSION_WAIT_MS 2000

/* A part of Kron, with a test of its own, or a program that somebody else has to install. */
struct doctor_check {
	const char *name;
	const char *purpose;        /* what it is needed for */
	bool (*works)(void);        /* of a part of Kron: try it */
	const char *package;        /* of a program: the Debian package */
	const char *version_option; /* has the program print its version; NULL: it is not run */
};

static bool chips_work(void);

static const struct doctor_check checks[] = {
	{ "chip models", "kron chip drives them", .works = chips_work },
	{ "babeltrace2", "reads the traces Kron writes", .package = "babeltrace2",
	  .version_option = "--version" },
	/* The programs of gtkwave print no version without a display. */
	{ "gtkwave", "shows --vcd files", .package = "gtkwave" },
	{ "vcd2fst", "packs --vcd files for gtkwave", .package = "gtkwave" },
};

#define CHECK_COUNT (sizeof(checks) / sizeof(checks[0]))

enum doctor_status { DOCTOR_OK, DOCTOR_MISSING, DOCTOR_BROKEN };

static const struct {
	const char *name;
	const char *colour;
} statuses[] = {
	[DOCTOR_OK] = { "ok", "\033[32m" },
	[DOCTOR_MISSING] = { "missing", "\033[33m" },
	[DOCTOR_BROKEN] = { "broken", "\033[31m" },
};

struct doctor_finding {
	const struct doctor_check *check;
	enum doctor_status status;
	char path[4096]; /* empty: built in, or missing */
	char version[32];
};

struct doctor_options {
	bool json;
};

static const struct base_option doctor_table[] = {
	{ "json", 0, BASE_FLAG(struct doctor_options, json), .help = "print one JSON object" },
	{ 0 },
};

static const struct base_example doctor_examples[] = {
	{ "kron doctor", "a line for each thing that Kron can use" },
	{ "kron doctor --json", "the same for scripts" },
	{ 0 },
};

static const struct base_command doctor_command = {
	.name = "kron doctor",
	.summary = "Say what works here, what does not, and the Debian package that would fix it.",
	.options = doctor_table,
	.examples = doctor_examples,
	.footer = "Exit codes: 0 Kron itself works, whatever else is missing, 2 usage, 3 the "
		  "results could not be written, 4 a part of Kron is broken.",
};

/* One access to the chip. Returns whether it was acknowledged; *data is written or read. */
static bool chip_access(struct multikron2 *chip, uint64_t strobe, uint64_t *data)
{
	struct multikron_pins pins = { .data = *data };

	pins.control = strobe | MULTIKRON2_START | MULTIKRON2_A(MULTIKRON2_FILTER);
	for (unsigned clocks = 0; clocks < 16; clocks++) {
		struct multikron_pins after = multikron2_tick(chip, pins);

		if (after.control & MULTIKRON2_ACK) {
			*data = after.data;
			multikron2_tick(chip, (struct multikron_pins){ 0 });
			return true;
		}
		pins.control = 0;
	}
	return false;
}

/* What is written to the filter register can be read back. */
static bool chips_work(void)
{
	struct multikron2 chip;
	uint64_t value = 0x5aa5;

	if (!multikron2_init(&chip, NULL) || !chip_access(&chip, MULTIKRON2_WRITE, &value))
		return false;
	value = 0;
	return chip_access(&chip, MULTIKRON2_READ, &value) && (value & 0xffff) == 0x5aa5;
}

static bool is_program(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

/* The file that the shell would run for `name`. Returns whether there is one. */
static bool find_program(const char *name, char *path, size_t size)
{
	const char *folders = getenv("PATH");

	while (folders && *folders) {
		size_t length = strcspn(folders, ":");
		/* An empty entry is the current folder. */
		int wanted = snprintf(path, size, "%.*s%s%s", (int)length, folders,
				      length ? "/" : "./", name);

		if (wanted > 0 && (size_t)wanted < size && is_program(path))
			return true;
		folders += length + (folders[length] == ':');
	}
	path[0] = 0;
	return false;
}

/* Fill in how a program is to be started: its output in the pipe `output`, nothing else connected,
 * in a process group of its own, so that its children can be ended with it. */
static bool prepare_start(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes,
			  int output)
{
	return !posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) &&
	       !posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO) &&
	       !posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY,
						 0) &&
	       !posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP) &&
	       !posix_spawnattr_setpgroup(attributes, 0);
}

/* Start a program. Returns its id, with the reading end of its output in *output, or -1. */
static pid_t start_program(char *path, char *option, int *output)
{
	char *words[] = { path, option, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int ends[2];
	pid_t child = -1;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	if (posix_spawn_file_actions_init(&actions))
		goto out_pipe;
	if (posix_spawnattr_init(&attributes))
		goto out_actions;
	if (!prepare_start(&actions, &attributes, ends[1]) ||
	    posix_spawn(&child, path, &actions, &attributes, words, environ))
		child = -1;
	posix_spawnattr_destroy(&attributes);
out_actions:
	posix_spawn_file_actions_destroy(&actions);
out_pipe:
	close(ends[1]);
	if (child < 0)
		close(ends[0]);
	else
		*output = ends[0];
	return child;
}

/* What the program prints first, up to size - 1 bytes; empty if that takes too long. */
static void read_start(int fd, char *text, size_t size)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	ssize_t got = -1;

	if (poll(&wait, 1, VERSION_WAIT_MS) > 0)
		got = read(fd, text, size - 1);
	text[got > 0 ? got : 0] = 0;
}

/* The first word of the form 1.2 in text, a leading v not counted. */
static void find_version(const char *text, char *version, size_t size)
{
	version[0] = 0;
	while (*text) {
		const char *word = text + strspn(text, " \t\n(v");
		size_t digits = strspn(word, "0123456789");
		size_t length = strcspn(word, " \t\n,)\"");

		if (digits && word[digits] == '.') {
			snprintf(version, size, "%.*s", (int)length, word);
			return;
		}
		text = word + length + (word[length] != 0);
	}
}

/* Returns whether the program could be started; it need not have a version. */
static bool ask_version(struct doctor_finding *finding)
{
	char option[16], text[512];
	int fd = -1;
	pid_t child;

	snprintf(option, sizeof(option), "%s", finding->check->version_option);
	child = start_program(finding->path, option, &fd);
	if (child < 0)
		return false;
	read_start(fd, text, sizeof(text));
	find_version(text, finding->version, sizeof(finding->version));
	close(fd);
	kill(-child, SIGKILL); /* it has said what we wanted, or hangs */
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return true;
}

static void examine(const struct doctor_check *check, struct doctor_finding *finding)
{
	finding->check = check;
	finding->path[0] = 0;
	finding->version[0] = 0;
	if (check->works) {
		finding->status = check->works() ? DOCTOR_OK : DOCTOR_BROKEN;
		snprintf(finding->version, sizeof(finding->version), "%s", KRON_VERSION);
		return;
	}
	finding->status = DOCTOR_MISSING;
	if (!find_program(check->name, finding->path, sizeof(finding->path)))
		return;
	finding->status = DOCTOR_OK;
	if (check->version_option && !ask_version(finding))
		finding->status = DOCTOR_BROKEN;
}

static void print_line(struct cli *cli, const struct doctor_finding *finding)
{
	const struct doctor_check *check = finding->check;
	char name[64];

	snprintf(name, sizeof(name), "%s%s%s", check->name, *finding->version ? " " : "",
		 finding->version);
	base_out_printf(&cli->out, "%s%-7s%s %-19s %s",
			cli->colour_out ? statuses[finding->status].colour : "",
			statuses[finding->status].name, cli->colour_out ? "\033[0m" : "", name,
			check->purpose);
	if (finding->status != DOCTOR_OK && check->package)
		base_out_printf(&cli->out, "; apt install %s%s",
				finding->status == DOCTOR_BROKEN ? "--reinstall " : "",
				check->package);
	base_out_text(&cli->out, "\n");
}

static void print_object(struct base_json *json, const struct doctor_finding *finding)
{
	const struct doctor_check *check = finding->check;

	base_json_object(json, NULL);
	base_json_string(json, "name", check->name);
	base_json_string(json, "status", statuses[finding->status].name);
	base_json_string(json, "version", *finding->version ? finding->version : NULL);
	base_json_string(json, "path", *finding->path ? finding->path : NULL);
	base_json_string(json, "purpose", check->purpose);
	base_json_string(json, "package", check->package);
	base_json_end(json, '}');
}

static void print_json(struct cli *cli, const struct doctor_finding *findings)
{
	struct base_json json;

	base_json_init(&json, &cli->out, true);
	base_json_object(&json, NULL);
	base_json_string(&json, "schema", "kron.doctor/1");
	base_json_string(&json, "version", KRON_VERSION);
	base_json_array(&json, "checks");
	for (size_t i = 0; i < CHECK_COUNT; i++)
		print_object(&json, &findings[i]);
	base_json_end(&json, ']');
	base_json_end(&json, '}');
	base_out_text(&cli->out, "\n");
}

int cmd_doctor(struct cli *cli, int argc, char **argv)
{
	struct doctor_finding findings[CHECK_COUNT];
	struct doctor_options options;
	struct base_args args;
	int code = cli_parse(cli, &doctor_command, &options, argc, argv, &args);

	if (code != CLI_GO)
		return code;
	code = CLI_DONE;
	for (size_t i = 0; i < CHECK_COUNT; i++) {
		examine(&checks[i], &findings[i]);
		if (checks[i].works && findings[i].status == DOCTOR_BROKEN)
			code = CLI_INTERNAL;
	}
	if (options.json)
		print_json(cli, findings);
	else
		for (size_t i = 0; i < CHECK_COUNT; i++)
			print_line(cli, &findings[i]);
	return code;
}
