/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and files that fail when told to.
 *
 * The claim worth testing of code that allocates or does io is about every call it makes: should
 * this one fail, an error comes back and nothing is left behind. fault_walk() tries them all:
 *
 *   static int write_report(struct fault *fault, void *ctx)
 *   {
 *           return report_write(&fault->io, &fault->alloc, ctx);
 *   }
 *   ...
 *   fault_walk(write_report, path);
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/alloc.h"
#include "base/io.h"

enum fault_kind {
	FAULT_NONE,   /* nothing fails; calls are counted, leaks found */
	FAULT_ENOMEM, /* the n-th request for memory gets none */
	FAULT_EIO,    /* the n-th io call fails */
	FAULT_ENOSPC, /* the n-th io call that needs room on the disk fails */
	FAULT_EINTR,  /* the n-th read or write is interrupted before it did anything */
	FAULT_SHORT,  /* the n-th read or write of more than one byte does only one */
};

/* Give &fault->alloc and &fault->io to the code under test. */
struct fault {
	struct base_alloc alloc;
	struct base_io io;
	enum fault_kind kind;
	unsigned nth;         /* from 1: the call, of those that `kind` is about, that fails */
	unsigned calls;       /* of those, so far */
	bool hit;             /* the n-th has come */
	unsigned alloc_calls; /* requests for memory, not counting frees */
	unsigned io_calls;
	struct fault_block *blocks; /* memory handed out and not freed */
	struct fault_file *files;   /* descriptors opened and not closed */
};

void fault_init(struct fault *fault, enum fault_kind kind, unsigned nth);

/* How much is still held. */
size_t fault_leaked_blocks(const struct fault *fault);
size_t fault_leaked_files(const struct fault *fault);

/* Free and close whatever is still held. */
void fault_clean(struct fault *fault);

/* Run the code for every kind of fault and every n until the n-th call does not come. run() returns
 * what the code under test returned: 0 or more, or a negative enum kron_error. It must undo what it
 * has done, so that it can run again. The test fails, naming fault and n,
 *   - if the run without faults fails;
 *   - if a run with a fault does not return its error: -KRON_ENOMEM, or -KRON_EIO with its errno;
 *   - if an interrupted or short call makes a difference to the return value;
 *   - if any run leaves memory or a descriptor behind, frees or closes what it does not hold.
 * The close of a descriptor opened for reading never fails: nobody needs to look at that.
 * Returns how many faults were injected, so that a test can see that there were any. */
unsigned fault_walk(int (*run)(struct fault *fault, void *ctx), void *ctx);

#endif
