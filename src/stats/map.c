/* SPDX-License-Identifier: Apache-2.0 */
#include "stats/map.h"
#include <string.h>
#include "base/error.h"

#define SLOTS_MIN 16
#define KEY_ALIGN 8 /* so that a key that is a struct can be read in place */

/* Eight bytes at a time, mixed as in splitmix64 (see base/rng.h). */
static uint64_t hash_of(const void *key, size_t length)
{
	const char *at = key;
	uint64_t hash = length;

	while (length) {
		size_t part = length < 8 ? length : 8;
		uint64_t word = 0;

		memcpy(&word, at, part);
		hash = (hash ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
		hash ^= hash >> 29;
		at += part;
		length -= part;
	}
	hash *= UINT64_C(0x94d049bb133111eb);
	return hash ^ hash >> 31;
}

void stats_map_init(struct stats_map *map, struct base_alloc *alloc)
{
	*map = (struct stats_map){ .alloc = alloc };
}

void stats_map_free(struct stats_map *map)
{
	base_alloc_free(map->alloc, map->entry);
	base_alloc_free(map->alloc, map->slot);
	base_alloc_free(map->alloc, map->bytes);
	stats_map_init(map, map->alloc);
}

static void enter(uint32_t *slot, size_t slots, uint64_t hash, uint32_t value)
{
	size_t i = hash & (slots - 1);

	while (slot[i])
		i = (i + 1) & (slots - 1);
	slot[i] = value;
}

static int grow_slots(struct stats_map *map)
{
	size_t slots = map->slots ? 2 * map->slots : SLOTS_MIN;
	uint32_t *slot;

	if (2 * (map->count + 1) <= map->slots)
		return 0;
	slot = base_alloc_get(map->alloc, slots * sizeof(*slot));
	if (!slot)
		return -KRON_ENOMEM;
	for (size_t i = 0; i < map->count; i++)
		enter(slot, slots, map->entry[i].hash, (uint32_t)i + 1);
	base_alloc_free(map->alloc, map->slot);
	map->slot = slot;
	map->slots = slots;
	return 0;
}

static int grow_bytes(struct stats_map *map, size_t length)
{
	size_t room = 2 * (map->room + length);
	char *bytes;

	if (length <= map->room - map->used)
		return 0;
	bytes = map->alloc->resize(map->alloc, map->bytes, room);
	if (!bytes)
		return -KRON_ENOMEM;
	map->bytes = bytes;
	map->room = room;
	return 0;
}

static int append(struct stats_map *map, const void *key, size_t length, uint64_t hash)
{
	size_t wanted = (length / KEY_ALIGN + 1) * KEY_ALIGN; /* of the empty key, too */
	void *entries = map->entry;
	int error = map->count < UINT32_MAX - 1 ? grow_slots(map) : -KRON_ENOMEM;

	if (!error)
		error = grow_bytes(map, wanted);
	if (!error)
		error = base_alloc_grow(map->alloc, &entries, &map->capacity, map->count,
					sizeof(*map->entry));
	map->entry = entries;
	if (error)
		return error;
	memcpy(map->bytes + map->used, key, length);
	map->entry[map->count++] = (struct stats_map_entry){ hash, map->used, length };
	map->used += wanted;
	enter(map->slot, map->slots, hash, (uint32_t)map->count);
	return 1;
}

int stats_map_add(struct stats_map *map, const void *key, size_t length, uint32_t *index)
{
	uint64_t hash = hash_of(key, length);
	int result;

	for (size_t i = hash; map->slots && map->slot[i & (map->slots - 1)]; i++) {
		uint32_t found = map->slot[i & (map->slots - 1)] - 1;
		const struct stats_map_entry *entry = &map->entry[found];

		if (entry->hash == hash && entry->length == length &&
		    !memcmp(map->bytes + entry->offset, key, length)) {
			*index = found;
			return 0;
		}
	}
	result = append(map, key, length, hash);
	if (result > 0)
		*index = (uint32_t)map->count - 1;
	return result;
}

int stats_map_add_name(struct stats_map *map, const char *name, uint32_t *index)
{
	return stats_map_add(map, name, strlen(name) + 1, index);
}

const void *stats_map_key(const struct stats_map *map, uint32_t index)
{
	return map->bytes + map->entry[index].offset;
}
