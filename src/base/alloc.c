/* SPDX-License-Identifier: Apache-2.0 */
#include "base/alloc.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"

#define FIRST_CAPACITY 16

static void *system_resize(struct base_alloc *alloc, void *ptr, size_t size)
{
	(void)alloc;
	if (!size) {
		free(ptr);
		return NULL;
	}
	return realloc(ptr, size);
}

struct base_alloc base_alloc_system = { .resize = system_resize };

void *base_alloc_get(struct base_alloc *alloc, size_t size)
{
	/* At least one byte, so that NULL always means out of memory. */
	size_t wanted = size ? size : 1;
	void *ptr = alloc->resize(alloc, NULL, wanted);

	if (ptr)
		memset(ptr, 0, wanted);
	return ptr;
}

void base_alloc_free(struct base_alloc *alloc, void *ptr)
{
	if (ptr)
		alloc->resize(alloc, ptr, 0);
}

int base_alloc_grow(struct base_alloc *alloc, void **items, size_t *capacity, size_t count,
		    size_t size)
{
	size_t wanted = *capacity ? *capacity : FIRST_CAPACITY;
	void *array;

	if (count < *capacity)
		return 0;
	if (*capacity && __builtin_mul_overflow(*capacity, 2, &wanted))
		return -KRON_ENOMEM;
	if (wanted > PTRDIFF_MAX / (size ? size : 1))
		return -KRON_ENOMEM;
	/* Callers pass the address of a struct foo *; memcpy reads it whatever its type. */
	memcpy(&array, items, sizeof(array));
	array = alloc->resize(alloc, array, wanted * (size ? size : 1));
	if (!array)
		return -KRON_ENOMEM;
	memcpy(items, &array, sizeof(array));
	*capacity = wanted;
	return 0;
}
