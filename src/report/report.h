/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a trace: what an analysis found, as tables. One description of the tables (sections.c)
 * makes the text, the JSON and the CSV, so that the three cannot disagree. */
#ifndef REPORT_H
#define REPORT_H

#include "base/io.h"
#include "report/analysis.h"

/* What a column holds, and so how it is written. */
enum report_kind {
	REPORT_TEXT,
	REPORT_COUNT,
	REPORT_TIME,    /* nanoseconds */
	REPORT_SHARE,   /* of 1 */
	REPORT_ADDRESS, /* hexadecimal; in JSON a string */
	REPORT_FLAG,    /* yes or no; in JSON true or false, in CSV 1 or 0 */
};

enum report_column_flags {
	REPORT_DATA_ONLY = 1, /* not in the text */
	REPORT_IF_ANY = 2,    /* in the text only if it is not zero everywhere */
	REPORT_NAME = 4,      /* a number that says who or what; it counts for no row */
};

struct report_column {
	const char *key;   /* in JSON and CSV */
	const char *title; /* in the text; NULL with REPORT_DATA_ONLY */
	enum report_kind kind;
	unsigned flags;
};

struct report_value {
	const char *text;
	uint64_t number;
	double share;
};

#define REPORT_COLUMNS_MAX 20

struct report;

struct report_section {
	const char *key;
	const char *title;                  /* in the text; NULL: not there */
	const char *native_title;           /* of a native trace, if that has another */
	const struct report_column *column; /* ends with a NULL key */
	size_t (*rows)(const struct report *report);
	/* Fill in value[] in the order of the columns; zeroed before. */
	void (*row)(const struct report *report, size_t row, struct report_value *value);
	bool skip_zero; /* rows in which nothing is counted are not in the text */
	bool chip_only; /* not in the text of a native trace */
};

/* The first is about the run as a whole and has one row. Ends with a NULL key. */
extern const struct report_section report_sections[];

struct report_counted {
	uint32_t region; /* UINT32_MAX: outside of all */
	uint32_t counter;
};

struct report {
	const char *trace; /* its directory */
	const struct trace_info *info;
	struct report_analysis analysis;
	uint64_t run_ticks; /* from begin to end of the recording, or of the events */
	uint64_t lost;      /* in all, for want of a ring included */
	uint64_t lost_no_ring;
	uint64_t waits, wait_ticks; /* of triggers, for room */
	uint64_t cost_ns;           /* of all triggers */
	uint64_t unmatched;
	size_t threads;                                     /* streams with events */
	size_t damaged;                                     /* streams */
	uint32_t *region_order, *lock_order, *waiter_order; /* longest total first */
	uint32_t *top_waiter;                               /* of each lock, or UINT32_MAX */
	struct report_counted *counted;                     /* what is not zero */
	size_t counteds, counted_room;
};

struct report_config {
	struct base_alloc *alloc;
	struct trace_reader *reader; /* at its first event; needed as long as the report */
	const char *trace;
	/* Called now and then with the events read so far. NULL: nobody asks. */
	void (*progress)(void *context, uint64_t events);
	void *context;
};

/* Read all events. Returns 0, and the report must be closed; -KRON_ENOMEM, -KRON_EIO. */
int report_open(struct report *report, const struct report_config *config);
void report_close(struct report *report);

/* Events of a stream that were lost, by all causes and those of no known cause. */
uint64_t report_stream_lost(const struct trace_stream_info *stream);
uint64_t report_stream_unexplained(const struct trace_stream_info *stream);

/* What the triggers of a stream took, lost ones too. */
uint64_t report_stream_cost_ns(const struct report *report, size_t stream);

/* Is the trace whole: no stream is damaged, .kron.json is good, the recorder came to its end? Lost
 * events do not count: they are accounted for. */
bool report_complete(const struct report *report);

uint64_t report_ns(const struct report *report, uint64_t ticks);

/* Text of tables; no more than `top` rows each, 0: all. */
void report_put_text(const struct report *report, struct base_out *out, bool colour, size_t top);
/* One object, schema kron.report/1: the run's members, then each other section as an array. */
void report_put_json(const struct report *report, struct base_out *out);
/* Each section: a line with "section" and its keys, lines with its name and the values, an empty
 * line. */
void report_put_csv(const struct report *report, struct base_out *out);

#endif
