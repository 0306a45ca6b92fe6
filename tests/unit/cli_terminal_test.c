/* SPDX-License-Identifier: Apache-2.0 */
/* kron on a terminal: colour, and no colour for those who do not want it. */
#include "unit/test.h"
#include <pty.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What `kron word` prints on a terminal, with or without a variable. */
static const char *terminal_output(const char *word, const char *name, const char *value)
{
	static char text[8192];
	size_t length = 0;
	ssize_t got;
	int fd;
	pid_t child = forkpty(&fd, NULL, NULL, NULL);

	CHECK(child >= 0);
	if (!child) {
		setenv("TERM", "xterm", 1);
		unsetenv("NO_COLOR");
		if (name)
			setenv(name, value, 1);
		execl(KRON_BINARY, "kron", word, (char *)NULL);
		_exit(126);
	}
	/* The read fails once the last user of the terminal is gone. */
	while ((got = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = 0;
	close(fd);
	waitpid(child, NULL, 0);
	return text;
}

static bool coloured(const char *text)
{
	return strchr(text, '\033');
}

static void results_and_errors_are_coloured_on_a_terminal(void **state)
{
	(void)state;
	CHECK(coloured(terminal_output("doctor", NULL, NULL)));
	CHECK(coloured(terminal_output("frobnicate", NULL, NULL)));
	assert_non_null(strstr(terminal_output("frobnicate", NULL, NULL), "unknown command"));
}

static void no_color_is_respected(void **state)
{
	(void)state;
	assert_non_null(strstr(terminal_output("doctor", "NO_COLOR", "1"), "chip models"));
	CHECK(!coloured(terminal_output("doctor", "NO_COLOR", "1")));
	CHECK(!coloured(terminal_output("frobnicate", "NO_COLOR", "1")));
}

/* no-color.org: set to something, not just set. */
static void an_empty_no_color_means_nothing(void **state)
{
	(void)state;
	CHECK(coloured(terminal_output("doctor", "NO_COLOR", "")));
}

static void a_dumb_terminal_gets_no_colour(void **state)
{
	(void)state;
	CHECK(!coloured(terminal_output("doctor", "TERM", "dumb")));
	CHECK(!coloured(terminal_output("doctor", "TERM", "")));
}

TEST_MAIN(TEST(results_and_errors_are_coloured_on_a_terminal), TEST(no_color_is_respected),
	  TEST(an_empty_no_color_means_nothing), TEST(a_dumb_terminal_gets_no_colour))
