/* SPDX-License-Identifier: Apache-2.0 */
/* From names, or other bytes, to numbers: each new key gets the next index, from 0. What is counted
 * under a name is kept by the caller in arrays. */
#ifndef STATS_MAP_H
#define STATS_MAP_H

#include <stddef.h>
#include <stdint.h>
#include "base/alloc.h"

struct stats_map_entry {
	uint64_t hash;
	size_t offset; /* of the key in bytes[] */
	size_t length;
};

struct stats_map {
	struct base_alloc *alloc;
	struct stats_map_entry *entry;
	size_t count, capacity;
	uint32_t *slot; /* index + 1 of an entry, 0: free; a power of two, at most half full */
	size_t slots;
	char *bytes; /* all keys, one behind the other */
	size_t used, room;
};

void stats_map_init(struct stats_map *map, struct base_alloc *alloc);
void stats_map_free(struct stats_map *map);

/* The index of a key, which is added if it is not there. Returns 1 if it was added, 0 if not, or
 * -KRON_ENOMEM with the map as it was. */
int stats_map_add(struct stats_map *map, const void *key, size_t length, uint32_t *index);

/* The same for a string. */
int stats_map_add_name(struct stats_map *map, const char *name, uint32_t *index);

/* The key of an index, as it was added; a name is zero-terminated. Valid until the next is added. */
const void *stats_map_key(const struct stats_map *map, uint32_t index);

#endif
