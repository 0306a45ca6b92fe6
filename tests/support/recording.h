/* SPDX-License-Identifier: Apache-2.0 */
/* Run `kron record` on a program and look at the trace it made: with our reader, and with babeltrace2.
 * Everything is in the current directory: trace, out, err. What cannot be done ends the test. */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include "trace/reader.h"

#define RECORDING_TRACE "trace"
/* The test programs, by a link in the working folder: their own path may have a space. */
#define RECORDING_PROGRAMS "programs"
#define RECORDING_PROGRAM  RECORDING_PROGRAMS "/kron_triggers"
void recording_link_programs(void);

struct recording {
	int status;         /* as waitpid() tells it */
	const char *out;    /* standard output of program and recorder; valid until the next run */
	const char *err;    /* standard error, likewise */
	uint64_t told;      /* the sum of what the program printed as `triggered N` */
	uint64_t triggered; /* of all streams, and lost_no_ring */
	uint64_t events;    /* read from the streams */
	uint64_t lost_full, lost_nested, lost_cut, lost_disk, lost_no_ring;
	uint64_t discarded; /* as the last packets tell */
	uint64_t waits;
	uint64_t nested; /* events of nested streams */
	unsigned streams, processes;
	unsigned cut_streams; /* that end inside a packet */
	bool complete;
};

/* Run `kron record -o trace ARGS...`, ARGS being separated by single spaces, and read the trace. */
void recording_run(struct recording *recording, const char *args);

/* The same without waiting or reading: returns its process id. */
int recording_start(const char *args);

/* Wait for it, and fill in status, out and err. */
void recording_wait(struct recording *recording, int pid);

/* Read the trace: accounts and all events. visit may be NULL. */
void recording_read(struct recording *recording,
		    void (*visit)(void *context, const struct trace_info *info, unsigned stream,
				  const struct trace_event *event, bool mark),
		    void *context);

/* triggered = stored + lost, for each stream and in all, in the accounts, in our reader and in the
 * packets; and the program told the same number. */
void recording_check(const struct recording *recording);

/* babeltrace2 reads the trace without an error and finds that many events, and as many discarded. Says
 * nothing where there is no babeltrace2. */
void recording_check_babeltrace(const struct recording *recording);

#endif
