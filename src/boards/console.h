/* SPDX-License-Identifier: Apache-2.0 */
/* The script console: one chip on a board, driven by one command a line. `kron chip` reads the lines
 * and says what went wrong; the commands are the table in console.c, also printed by `help`. */
#ifndef BOARDS_CONSOLE_H
#define BOARDS_CONSOLE_H

#include "base/alloc.h"
#include "base/io.h"
#include "boards/board.h"
#include "boards/vcd.h"
#include "trace/ctf.h"

struct board_console_config {
	struct board_config board; /* of one node */
	struct base_alloc *alloc;
	struct base_out *out;    /* results */
	struct trace_ctf *trace; /* gets every sample; NULL: no trace */
	struct board_vcd *vcd;   /* gets every pin; NULL: no dump */
	/* Called now and then during long work; true stops it. May be NULL. */
	bool (*progress)(void *context, uint64_t done, uint64_t total);
	void *context;
};

/* What a line did. Negative: enum kron_error, with console.message. */
enum board_console_result {
	BOARD_CONSOLE_DONE,
	BOARD_CONSOLE_DIFFERS,     /* `expect` and the last read disagree; see console.message */
	BOARD_CONSOLE_INTERRUPTED, /* progress() said stop */
};

/* The caller's. */
struct board_console {
	struct board_console_config config;
	struct board board;
	struct board_node node;
	bool has_value;
	uint64_t value;    /* of the last read */
	uint16_t *element; /* received and not yet printed: byte, parity << 8, EOM << 9 */
	size_t elements, element_capacity;
	struct board_sample *sample; /* likewise */
	size_t samples, sample_capacity;
	uint64_t received; /* samples in all */
	uint64_t
		epoch; /* trace time of time stamp 0; grows when RESET or a test sets the clock back */
	uint64_t trace_time; /* of the sample written last */
	char message[192];   /* why the last line failed */
	char warning[192];   /* what the last line did that the part's report forbids, or empty */
};

/* Power the chip on. Returns 0; -KRON_EINVAL with console.message; or the error of trace or vcd. Close it
 * even then. */
int board_console_open(struct board_console *console, const struct board_console_config *config);

/* Execute one line; it is cut into words in place. Empty lines and # comments do nothing.
 * Returns enum board_console_result.
 * Returns -KRON_ESYNTAX if the line is wrong: nothing was done.
 * Returns -KRON_EINVAL if the access cannot be acknowledged.
 * Returns -KRON_ENOMEM, -KRON_EIO if results could not be kept or written. */
int board_console_line(struct board_console *console, char *line);

/* Free what was received. */
void board_console_close(struct board_console *console);

#endif
