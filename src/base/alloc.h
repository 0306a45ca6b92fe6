/* SPDX-License-Identifier: Apache-2.0 */
/* Memory behind a table, so that a test can fail the n-th request. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

struct base_alloc {
	/* As realloc(); size 0 frees and returns NULL. NULL for another size: out of memory, ptr
	 * still valid. */
	void *(*resize)(struct base_alloc *alloc, void *ptr, size_t size);
};

/* The C library's. */
extern struct base_alloc base_alloc_system;

/* Zeroed memory, or NULL. */
void *base_alloc_get(struct base_alloc *alloc, size_t size);

void base_alloc_free(struct base_alloc *alloc, void *ptr);

/* Make room for one more element in the array *items of `count` elements of `size` bytes each;
 * *capacity is kept. Returns 0, or -KRON_ENOMEM with the array as it was. */
int base_alloc_grow(struct base_alloc *alloc, void **items, size_t *capacity, size_t count,
		    size_t size);

#endif
