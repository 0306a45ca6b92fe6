/* SPDX-License-Identifier: Apache-2.0 */
/* The filter register of a program that is being recorded, from outside. */
#ifndef COLLECT_PEEK_H
#define COLLECT_PEEK_H

#include <stdint.h>
#include <sys/types.h>

enum collect_peek_result {
	COLLECT_PEEK_DONE,
	COLLECT_PEEK_NO_PROCESS,   /* there is no such process */
	COLLECT_PEEK_NOT_YOURS,    /* it belongs to another user */
	COLLECT_PEEK_NOT_RECORDED, /* no recorder, or the program does not use libkron */
};

/* Read the filter register of a process into *before and, if groups is not NULL, set it to *groups. */
enum collect_peek_result collect_peek_filter(pid_t pid, const uint32_t *groups, uint32_t *before);

#endif
