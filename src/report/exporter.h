/* SPDX-License-Identifier: Apache-2.0 */
/* What a format of report/export.h is made of. */
#ifndef REPORT_EXPORTER_H
#define REPORT_EXPORTER_H

#include "report/export.h"
#include "report/export_mark.h"
#include "report/export_slices.h"

/* What is remembered of a stream between its events. */
struct report_export_stream {
	uint64_t last_ns; /* of its last event; 0 before the first */
	uint64_t discarded;
};

struct report_export_event {
	const struct trace_event *event;
	const struct report_export_mark *mark; /* NULL: data is the program's own */
	unsigned stream;
	uint64_t ns;
	uint64_t lost; /* events of its stream lost since the one before */
	bool drawn;    /* a mark for time lines: a begin that slice() will end, or an instant */
};

struct report_export {
	const struct report_export_config *config;
	const struct report_exporter *exporter;
	const struct trace_reader *reader;
	const struct trace_info *info;
	const char *path;    /* of the file to be written, for those that open it themselves */
	struct base_out out; /* it, for the others */
	struct report_export_stream *stream;
	struct report_export_slices slices;
	void *state; /* the exporter's */
};

/* Functions return 0 or a negative enum kron_error. Errors of out need not be looked at. */
struct report_exporter {
	bool regular;      /* opens the file itself, which must be a regular one */
	size_t state_size; /* of state, zeroed at the beginning */
	int (*begin)(struct report_export *export);
	int (*event)(struct report_export *export, const struct report_export_event *event);
	/* A slice is over, at ns. The innermost first. NULL: not needed. */
	int (*slice)(struct report_export *export, unsigned stream,
		     const struct report_export_slice *slice, uint64_t ns);
	/* So many events of a stream were lost before the next one, at ns, or behind the last.
	 * Comes before slice() and event(). NULL: not needed. */
	int (*loss)(struct report_export *export, unsigned stream, uint64_t lost, uint64_t ns);
	int (*end)(struct report_export *export);
	/* Free what begin() took, however far it came. NULL: nothing. */
	void (*close)(struct report_export *export);
};

extern const struct report_exporter report_export_perfetto;
extern const struct report_exporter report_export_chrome;
extern const struct report_exporter report_export_csv;
extern const struct report_exporter report_export_sqlite;

/* The process of a stream; NULL: unknown, or a node of a simulated machine. */
const struct trace_process *report_export_process(const struct report_export *export,
						  unsigned stream);

/* What a stream is called: the name of its thread, or of its file. */
const char *report_export_stream_name(const struct report_export *export, unsigned stream);

/* The same for a time line: in buffer if signal handlers of a thread are to be told from the
 * thread. */
const char *report_export_stream_label(const struct report_export *export, unsigned stream,
				       char buffer[REPORT_EXPORT_LABEL]);

/* The name of a counter that somebody gave it, or NULL. */
const char *report_export_counter_name(const struct trace_info *info, unsigned counter);

/* Whether this value of a counter is worth telling: it has a name, or has ever counted. */
bool report_export_counter_used(const struct trace_info *info, unsigned counter, uint32_t value);

/* A counter as a line in time belongs to a stream or, if shared, to a process: 0..streams - 1, or
 * streams + process. */
size_t report_export_counter_owner(const struct report_export *export, unsigned stream,
				   unsigned counter);

/* A table of the last values of the counters of all owners, so that only changes are exported. */
struct report_export_values {
	bool known[TRACE_COUNTERS];
	uint32_t value[TRACE_COUNTERS];
};

/* Returns whether the value differs from the last one, and keeps it. */
bool report_export_counter_changes(struct report_export_values *values,
				   const struct trace_info *info, unsigned counter, uint32_t value);

#endif
