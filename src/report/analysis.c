/* SPDX-License-Identifier: Apache-2.0 */
#include "report/analysis.h"
#include <inttypes.h>
#include <kron/wire.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"

/* More open at once than this, and the oldest are given up. */
#define OPEN_REGIONS_MAX 4096
#define OPEN_WAITS_MAX   16
#define HELD_MAX         64

struct open_region {
	uint64_t value; /* of its begin */
	uint64_t begin;
	uint64_t self;
	uint32_t region;
	bool over_loss;
};

struct open_wait {
	uint64_t value;
	uint64_t begin;
	uint32_t kind; /* enum report_wait */
};

struct held_lock {
	uint64_t begin;
	uint32_t lock;
};

/* A thread while its events come in. */
struct report_track {
	struct open_region *region; /* outermost first */
	size_t regions, region_room;
	uint64_t region_change; /* last time that a region began or ended */
	struct open_wait wait[OPEN_WAITS_MAX];
	size_t waits;
	struct held_lock held[HELD_MAX];
	size_t holds;
	uint64_t discarded;
	bool counted;                              /* there was a resource event */
	uint32_t source, source_cpu, source_index; /* of the last event */
};

/* Shared counters of a process, as last seen. */
struct report_shared {
	bool seen;
	uint32_t counter[TRACE_COUNTERS];
};

/* What a mark means; role NONE: nothing here. */
enum mark_role { MARK_NONE, MARK_REGION_BEGIN, MARK_REGION_END, MARK_WAIT, MARK_GO, MARK_FREE };

static const struct {
	enum mark_role role;
	enum report_wait wait;
} marks[] = {
	[KRON_WIRE_REGION_BEGIN] = { MARK_REGION_BEGIN, 0 },
	[KRON_WIRE_REGION_END] = { MARK_REGION_END, 0 },
	[KRON_WIRE_LOCK_WAIT] = { MARK_WAIT, REPORT_WAIT_LOCK },
	[KRON_WIRE_LOCK_GOT] = { MARK_GO, REPORT_WAIT_LOCK },
	[KRON_WIRE_LOCK_FREE] = { MARK_FREE, REPORT_WAIT_LOCK },
	[KRON_WIRE_BARRIER_WAIT] = { MARK_WAIT, REPORT_WAIT_BARRIER },
	[KRON_WIRE_BARRIER_GO] = { MARK_GO, REPORT_WAIT_BARRIER },
	[KRON_WIRE_COND_WAIT] = { MARK_WAIT, REPORT_WAIT_COND },
	[KRON_WIRE_COND_GO] = { MARK_GO, REPORT_WAIT_COND },
	[KRON_WIRE_JOIN_WAIT] = { MARK_WAIT, REPORT_WAIT_JOIN },
	[KRON_WIRE_JOIN_GO] = { MARK_GO, REPORT_WAIT_JOIN },
};

#define MARKS (sizeof(marks) / sizeof(marks[0]))

/* One event on its way through. */
struct step {
	struct report_analysis *analysis;
	const struct trace_reader *reader;
	const struct trace_event *event;
	struct report_thread *thread;
	struct report_track *track;
	unsigned stream;
	uint32_t process;
	uint64_t time;
};

/* ---- Memory ---- */

int report_analysis_open(struct report_analysis *analysis, struct base_alloc *alloc,
			 const struct trace_info *info)
{
	*analysis = (struct report_analysis){ .alloc = alloc, .info = info, .first = UINT64_MAX };
	analysis->native = !strcmp(info->model, "native");
	stats_map_init(&analysis->region_map, alloc);
	stats_map_init(&analysis->ids, alloc);
	stats_map_init(&analysis->lock_map, alloc);
	stats_map_init(&analysis->waiter_map, alloc);
	stats_map_init(&analysis->source_map, alloc);
	analysis->thread = base_alloc_get(alloc, (info->streams + 1) * sizeof(*analysis->thread));
	analysis->shared = base_alloc_get(alloc, (info->processes + 1) * sizeof(*analysis->shared));
	if (analysis->thread && analysis->shared)
		return 0;
	base_alloc_free(alloc, analysis->thread);
	base_alloc_free(alloc, analysis->shared);
	return -KRON_ENOMEM;
}

static void free_track(struct report_analysis *analysis, struct report_thread *thread)
{
	if (thread->track)
		base_alloc_free(analysis->alloc, thread->track->region);
	base_alloc_free(analysis->alloc, thread->track);
	thread->track = NULL;
}

void report_analysis_close(struct report_analysis *analysis)
{
	for (size_t i = 0; i < analysis->info->streams; i++)
		free_track(analysis, &analysis->thread[i]);
	for (size_t i = 0; i < analysis->regions; i++)
		stats_histogram_free(&analysis->region[i].time);
	base_alloc_free(analysis->alloc, analysis->region);
	base_alloc_free(analysis->alloc, analysis->thread);
	base_alloc_free(analysis->alloc, analysis->lock);
	base_alloc_free(analysis->alloc, analysis->waiter);
	base_alloc_free(analysis->alloc, analysis->source);
	base_alloc_free(analysis->alloc, analysis->shared);
	base_alloc_free(analysis->alloc, analysis->id_region);
	stats_map_free(&analysis->region_map);
	stats_map_free(&analysis->ids);
	stats_map_free(&analysis->lock_map);
	stats_map_free(&analysis->waiter_map);
	stats_map_free(&analysis->source_map);
}

const char *report_region_name(const struct report_analysis *analysis, size_t region)
{
	return stats_map_key(&analysis->region_map, (uint32_t)region);
}

/* ---- Who and what ---- */

/* The index of `key`, with room for it in the array of things of `size` bytes behind *items. Room
 * comes first, so that map and array have the same length whatever fails. Returns 1 if it is new. */
static int find(struct stats_map *map, const void *key, size_t length, void **items, size_t *room,
		size_t size, uint32_t *index)
{
	int error = base_alloc_grow(map->alloc, items, room, map->count, size);

	return error ? error : stats_map_add(map, key, length, index);
}

static int find_region_by_name(struct report_analysis *analysis, const char *name, uint32_t *index)
{
	void *items = analysis->region;
	int result = find(&analysis->region_map, name, strlen(name) + 1, &items,
			  &analysis->region_room, sizeof(*analysis->region), index);

	analysis->region = items;
	if (result <= 0)
		return result;
	analysis->region[*index] = (struct report_region){ 0 };
	stats_histogram_init(&analysis->region[*index].time, analysis->alloc);
	analysis->regions++;
	return 0;
}

/* A name that nobody told is known by its id. */
static int find_region(const struct step *step, uint64_t id, uint32_t *region)
{
	struct report_analysis *analysis = step->analysis;
	uint64_t key[2] = { step->process, id };
	const char *name;
	char unknown[32];
	void *items = analysis->id_region;
	uint32_t index;
	int result = find(&analysis->ids, key, sizeof(key), &items, &analysis->id_room,
			  sizeof(*analysis->id_region), &index);

	analysis->id_region = items;
	if (result > 0)
		analysis->id_region[index] = UINT32_MAX;
	if (result < 0)
		return result;
	/* UINT32_MAX after a failure, too: then it is tried again. */
	if (analysis->id_region[index] == UINT32_MAX) {
		name = trace_reader_name(step->reader, step->stream, id);
		snprintf(unknown, sizeof(unknown), "#%" PRIu64, id);
		result = find_region_by_name(analysis,
					     strcmp(name, TRACE_NAME_UNKNOWN) ? name : unknown,
					     &analysis->id_region[index]);
		if (result < 0)
			return result;
	}
	*region = analysis->id_region[index];
	return 0;
}

static int find_lock(const struct step *step, enum report_wait kind, uint64_t address,
		     uint32_t *index)
{
	struct report_analysis *analysis = step->analysis;
	uint64_t key[2] = { (uint64_t)step->process << 32 | kind, address };
	void *items = analysis->lock;
	int result = find(&analysis->lock_map, key, sizeof(key), &items, &analysis->lock_room,
			  sizeof(*analysis->lock), index);

	analysis->lock = items;
	if (result <= 0)
		return result;
	analysis->lock[*index] = (struct report_lock){
		.process = step->process,
		.kind = kind,
		.address = address,
	};
	analysis->locks++;
	return 0;
}

static int find_waiter(const struct step *step, uint32_t lock, uint32_t *index)
{
	struct report_analysis *analysis = step->analysis;
	uint32_t key[2] = { lock, step->stream };
	void *items = analysis->waiter;
	int result = find(&analysis->waiter_map, key, sizeof(key), &items, &analysis->waiter_room,
			  sizeof(*analysis->waiter), index);

	analysis->waiter = items;
	if (result <= 0)
		return result;
	analysis->waiter[*index] = (struct report_waiter){ .lock = lock, .stream = step->stream };
	analysis->waiters++;
	return 0;
}

static int find_source(const struct step *step, uint32_t source, uint32_t cpu, uint32_t *index)
{
	struct report_analysis *analysis = step->analysis;
	uint32_t key[3] = { step->stream, source, cpu };
	void *items = analysis->source;
	int result = find(&analysis->source_map, key, sizeof(key), &items, &analysis->source_room,
			  sizeof(*analysis->source), index);

	analysis->source = items;
	if (result <= 0)
		return result;
	analysis->source[*index] =
		(struct report_source){ .stream = step->stream, .source = source, .cpu = cpu };
	analysis->sources++;
	return 0;
}

static void add_time(struct report_sum *sum, uint64_t time)
{
	sum->count++;
	sum->total += time;
	if (time > sum->max)
		sum->max = time;
}

/* ---- Regions ---- */

/* The innermost region has had the time since the last change for itself. */
static void settle_self(const struct step *step)
{
	struct report_track *track = step->track;

	if (track->regions)
		track->region[track->regions - 1].self += step->time - track->region_change;
	track->region_change = step->time;
}

static void give_up_region(struct report_analysis *analysis, struct report_thread *thread, size_t i)
{
	analysis->region[thread->track->region[i].region].unmatched_begins++;
	analysis->unmatched_region_begins++;
	thread->unmatched++;
}

static void give_up_half(const struct step *step)
{
	struct report_track *track = step->track;
	size_t half = track->regions / 2;

	for (size_t i = 0; i < half; i++)
		give_up_region(step->analysis, step->thread, i);
	track->regions -= half;
	memmove(track->region, track->region + half, track->regions * sizeof(*track->region));
}

static int begin_region(const struct step *step, uint64_t value)
{
	struct report_track *track = step->track;
	void *items = track->region;
	uint32_t region;
	int error = find_region(step, value, &region);

	if (error)
		return error;
	if (track->regions == OPEN_REGIONS_MAX)
		give_up_half(step);
	error = base_alloc_grow(step->analysis->alloc, &items, &track->region_room, track->regions,
				sizeof(*track->region));
	track->region = items;
	if (error)
		return error;
	settle_self(step);
	track->region[track->regions++] = (struct open_region){
		.value = value,
		.begin = step->time,
		.region = region,
	};
	return 0;
}

static int end_region(const struct step *step, uint64_t value)
{
	struct report_analysis *analysis = step->analysis;
	struct report_track *track = step->track;
	struct report_region *region;
	struct open_region closed;
	size_t i = track->regions;
	uint32_t index;
	int error;

	while (i && track->region[i - 1].value != value)
		i--;
	settle_self(step);
	if (!i) {
		error = find_region(step, value, &index);
		if (error)
			return error;
		analysis->region[index].unmatched_ends++;
		analysis->unmatched_region_ends++;
		step->thread->unmatched++;
		return 0;
	}
	closed = track->region[i - 1];
	track->regions--;
	memmove(track->region + i - 1, track->region + i,
		(track->regions - (i - 1)) * sizeof(*track->region));
	region = &analysis->region[closed.region];
	region->self += closed.self;
	region->over_losses += closed.over_loss;
	analysis->over_losses += closed.over_loss;
	return stats_histogram_add(&region->time, step->time - closed.begin);
}

/* ---- Waits and locks ---- */

static void give_up_waits(struct report_analysis *analysis, struct report_thread *thread,
			  size_t from, size_t to)
{
	analysis->unmatched_waits += to - from;
	thread->unmatched += to - from;
}

static void begin_wait(const struct step *step, enum report_wait kind, uint64_t value)
{
	struct report_track *track = step->track;

	if (track->waits == OPEN_WAITS_MAX) {
		give_up_waits(step->analysis, step->thread, 0, track->waits);
		track->waits = 0;
	}
	track->wait[track->waits++] = (struct open_wait){ value, step->time, kind };
}

static void hold(struct report_track *track, uint32_t lock, uint64_t time)
{
	if (track->holds == HELD_MAX)
		memmove(track->held, track->held + 1, --track->holds * sizeof(*track->held));
	track->held[track->holds++] = (struct held_lock){ .begin = time, .lock = lock };
}

/* A wait that has found its end, `i` others around it. */
static int count_wait(const struct step *step, size_t i, uint32_t lock)
{
	struct report_analysis *analysis = step->analysis;
	const struct open_wait *wait = &step->track->wait[i];
	uint64_t time = step->time - wait->begin;
	uint32_t waiter;
	int error;

	if (wait->kind != REPORT_WAIT_JOIN) {
		error = find_waiter(step, lock, &waiter);
		if (error)
			return error;
		add_time(&analysis->lock[lock].wait, time);
		add_time(&analysis->waiter[waiter].wait, time);
	}
	add_time(&step->thread->wait[wait->kind], time);
	if (i == 0)
		step->thread->waiting += time;
	return 0;
}

/* Waits are nested, so what was begun behind the one that ends has lost its end. A lock may be got
 * without waiting; everything else must have been waited for. */
static int end_wait(const struct step *step, enum report_wait kind, uint64_t value)
{
	struct report_analysis *analysis = step->analysis;
	struct report_track *track = step->track;
	size_t i = track->waits;
	uint32_t lock = 0;
	int error = 0;

	while (i && (track->wait[i - 1].value != value || track->wait[i - 1].kind != kind))
		i--;
	if (kind != REPORT_WAIT_JOIN)
		error = find_lock(step, kind, value, &lock);
	if (!error && i)
		error = count_wait(step, i - 1, lock);
	if (error)
		return error;
	if (i) {
		give_up_waits(analysis, step->thread, i, track->waits);
		track->waits = i - 1;
	} else if (kind != REPORT_WAIT_LOCK) {
		analysis->unmatched_goes++;
		step->thread->unmatched++;
	}
	if (kind != REPORT_WAIT_JOIN)
		analysis->lock[lock].acquired++;
	if (kind == REPORT_WAIT_LOCK)
		hold(track, lock, step->time);
	return 0;
}

static int free_lock(const struct step *step, uint64_t value)
{
	struct report_analysis *analysis = step->analysis;
	struct report_track *track = step->track;
	size_t i = track->holds;
	uint32_t lock;
	int error = find_lock(step, REPORT_WAIT_LOCK, value, &lock);

	if (error)
		return error;
	while (i && track->held[i - 1].lock != lock)
		i--;
	if (!i)
		return 0;
	add_time(&analysis->lock[lock].held, step->time - track->held[i - 1].begin);
	track->holds--;
	memmove(track->held + i - 1, track->held + i,
		(track->holds - (i - 1)) * sizeof(*track->held));
	return 0;
}

static int take_mark(const struct step *step)
{
	uint64_t kind = step->event->data >> KRON_WIRE_KIND_SHIFT;
	uint64_t value = step->event->data & KRON_WIRE_VALUE_MASK;

	if (kind >= MARKS)
		return 0;
	switch (marks[kind].role) {
	case MARK_REGION_BEGIN:
		return begin_region(step, value);
	case MARK_REGION_END:
		return end_region(step, value);
	case MARK_WAIT:
		begin_wait(step, marks[kind].wait, value);
		return 0;
	case MARK_GO:
		return end_wait(step, marks[kind].wait, value);
	case MARK_FREE:
		return free_lock(step, value);
	case MARK_NONE:
		break;
	}
	return 0;
}

/* ---- Counters, sources, losses ---- */

/* What counter i has gone on by, see the header. */
static uint32_t gone_on(const struct step *step, unsigned i)
{
	uint32_t now = step->event->counter[i];
	struct report_shared *shared;
	uint32_t before;

	if (!step->analysis->info->counter[i].shared) {
		before = step->thread->counter[i];
		if (!step->track->counted)
			return step->analysis->native ? now : 0;
		return now >= before ? now - before : now;
	}
	/* A shared counter of an unknown process is kept behind those of the others. */
	shared = &step->analysis->shared[step->process < step->analysis->info->processes
						 ? step->process
						 : step->analysis->info->processes];
	before = shared->counter[i];
	if (shared->seen && now < before)
		return 0;
	shared->counter[i] = now;
	return shared->seen || step->analysis->native ? now - before : 0;
}

static void take_counters(const struct step *step)
{
	struct report_analysis *analysis = step->analysis;
	struct report_track *track = step->track;
	uint64_t *sum = analysis->outside;
	uint32_t process = step->process < analysis->info->processes
				   ? step->process
				   : (uint32_t)analysis->info->processes;

	if (track->regions)
		sum = analysis->region[track->region[track->regions - 1].region].counter;
	for (unsigned i = 0; i < TRACE_COUNTERS; i++)
		sum[i] += gone_on(step, i);
	memcpy(step->thread->counter, step->event->counter, sizeof(step->thread->counter));
	track->counted = true;
	analysis->shared[process].seen = true;
	step->thread->resources++;
	analysis->resources++;
}

/* A program's threads move between processors; what a chip's samples say of them is who triggered. */
static int take_source(const struct step *step)
{
	struct report_track *track = step->track;
	uint32_t source = step->event->source;
	uint32_t cpu = step->analysis->native ? UINT32_MAX : step->event->cpu;
	int error;

	if (step->thread->events == 0 || source != track->source || cpu != track->source_cpu) {
		error = find_source(step, source, cpu, &track->source_index);
		if (error)
			return error;
		track->source = source;
		track->source_cpu = cpu;
	}
	step->analysis->source[track->source_index].events++;
	return 0;
}

static void take_loss(const struct step *step)
{
	struct report_track *track = step->track;

	track->discarded = step->event->discarded;
	give_up_waits(step->analysis, step->thread, 0, track->waits);
	track->waits = 0;
	track->holds = 0;
	for (size_t i = 0; i < track->regions; i++)
		track->region[i].over_loss = true;
}

static void take_time(const struct step *step)
{
	struct report_analysis *analysis = step->analysis;
	struct report_thread *thread = step->thread;

	if (!thread->events)
		thread->first = step->time;
	thread->last = step->time;
	thread->events++;
	if (step->time < analysis->first)
		analysis->first = step->time;
	if (step->time > analysis->last)
		analysis->last = step->time;
	analysis->events++;
}

int report_analysis_event(struct report_analysis *analysis, const struct trace_reader *reader,
			  const struct trace_event *event, unsigned stream, bool mark)
{
	struct step step = {
		.analysis = analysis,
		.reader = reader,
		.event = event,
		.thread = &analysis->thread[stream],
		.stream = stream,
		.process = analysis->info->stream[stream].process,
		.time = event->timestamp,
	};
	int error;

	if (!step.thread->track) {
		step.thread->track = base_alloc_get(analysis->alloc, sizeof(*step.track));
		if (!step.thread->track)
			return -KRON_ENOMEM;
	}
	step.track = step.thread->track;
	error = take_source(&step);
	if (error)
		return error;
	if (event->discarded > step.track->discarded)
		take_loss(&step);
	take_time(&step);
	if (event->resource)
		take_counters(&step);
	return mark ? take_mark(&step) : 0;
}

void report_analysis_finish(struct report_analysis *analysis)
{
	for (size_t i = 0; i < analysis->info->streams; i++) {
		struct report_thread *thread = &analysis->thread[i];
		struct report_track *track = thread->track;

		if (!track)
			continue;
		for (size_t k = 0; k < track->regions; k++)
			give_up_region(analysis, thread, k);
		give_up_waits(analysis, thread, 0, track->waits);
		free_track(analysis, thread);
	}
}
