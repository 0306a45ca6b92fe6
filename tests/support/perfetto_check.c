/* SPDX-License-Identifier: Apache-2.0 */
#include "support/perfetto_check.h"
#include <stdbool.h>
#include <string.h>

#define TRACKS_MAX    512
#define SEQUENCES_MAX 64

struct span {
	const uint8_t *at, *end;
};

struct field {
	unsigned number;
	unsigned wire;
	uint64_t value;   /* of a varint */
	struct span span; /* of bytes */
};

struct track {
	uint64_t uuid;
	bool counter;
	unsigned depth;
};

struct sequence {
	bool valid; /* its state */
	uint64_t time;
};

struct checker {
	struct track track[TRACKS_MAX];
	unsigned tracks;
	struct sequence sequence[SEQUENCES_MAX];
	struct perfetto_counts *counts;
};

/* What of a packet matters. */
struct packet {
	uint64_t time, sequence, flags, dropped;
	bool timed;
	struct span event, descriptor;
};

static bool get_varint(struct span *span, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && span->at < span->end; shift += 7) {
		uint8_t byte = *span->at++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Returns 1, 0 at the end, -1 if it is no field. */
static int next_field(struct span *span, struct field *field)
{
	uint64_t tag;

	if (span->at == span->end)
		return 0;
	if (!get_varint(span, &tag) || !get_varint(span, &field->value))
		return -1;
	field->number = (unsigned)(tag >> 3);
	field->wire = tag & 7;
	if (field->wire == 0)
		return 1;
	if (field->wire != 2 || field->value > (size_t)(span->end - span->at))
		return -1;
	field->span = (struct span){ span->at, span->at + field->value };
	span->at += field->value;
	return 1;
}

static struct track *find_track(struct checker *checker, uint64_t uuid)
{
	for (unsigned i = 0; i < checker->tracks; i++)
		if (checker->track[i].uuid == uuid)
			return &checker->track[i];
	return NULL;
}

static const char *check_descriptor(struct checker *checker, struct span span)
{
	struct track track = { 0 };
	struct field field;
	uint64_t parent = 0;
	int got;

	while ((got = next_field(&span, &field)) > 0) {
		if (field.number == 1)
			track.uuid = field.value;
		else if (field.number == 5)
			parent = field.value;
		else if (field.number == 8)
			track.counter = true;
	}
	if (got < 0)
		return "a track descriptor is malformed";
	if (!track.uuid || find_track(checker, track.uuid))
		return "a track is described twice, or without a uuid";
	if (parent && !find_track(checker, parent))
		return "a track comes before its parent";
	if (checker->tracks == TRACKS_MAX)
		return "too many tracks for this checker";
	checker->track[checker->tracks++] = track;
	checker->counts->tracks++;
	checker->counts->counter_tracks += track.counter;
	return NULL;
}

static const char *check_slice(struct checker *checker, struct track *track, bool begin)
{
	if (begin) {
		checker->counts->begins++;
		if (++track->depth > checker->counts->depth_max)
			checker->counts->depth_max = track->depth;
		return NULL;
	}
	checker->counts->ends++;
	return track->depth-- ? NULL : "an end without a begin";
}

static const char *check_event(struct checker *checker, struct span span)
{
	uint64_t type = 0, uuid = 0;
	struct track *track;
	struct field field;
	bool value = false;
	int got;

	while ((got = next_field(&span, &field)) > 0) {
		if (field.number == 9)
			type = field.value;
		else if (field.number == 11)
			uuid = field.value;
		else if (field.number == 30)
			value = true;
	}
	if (got < 0)
		return "a track event is malformed";
	track = find_track(checker, uuid);
	if (!track)
		return "an event on a track that was not described";
	if (track->counter != (type == 4) || track->counter != value)
		return "a counter track is for counters, and counters for it";
	checker->counts->counters += type == 4;
	checker->counts->instants += type == 3;
	if (type == 1 || type == 2)
		return check_slice(checker, track, type == 1);
	return type == 3 || type == 4 ? NULL : "an event of no known type";
}

static const char *check_sequence(struct checker *checker, const struct packet *packet)
{
	struct sequence *sequence;

	if (!packet->sequence || packet->sequence >= SEQUENCES_MAX)
		return "a packet without a sequence id";
	sequence = &checker->sequence[packet->sequence];
	if (packet->dropped) {
		checker->counts->dropped++;
		sequence->valid = false;
	}
	if (packet->flags & 1)
		sequence->valid = true;
	if ((packet->flags & 2 || packet->event.at) && !sequence->valid)
		return "a packet needs a state that is not there";
	if (packet->event.at && !packet->timed)
		return "an event without a time";
	if (packet->timed && packet->time < sequence->time)
		return "time goes back within a sequence";
	if (packet->timed)
		sequence->time = packet->time;
	return NULL;
}

static const char *check_packet(struct checker *checker, struct span span)
{
	struct packet packet = { 0 };
	const char *wrong;
	struct field field;
	int got;

	while ((got = next_field(&span, &field)) > 0) {
		switch (field.number) {
		case 8:
			packet.time = field.value;
			packet.timed = true;
			break;
		case 10:
			packet.sequence = field.value;
			break;
		case 11:
			packet.event = field.span;
			break;
		case 13:
			packet.flags = field.value;
			break;
		case 42:
			packet.dropped = field.value;
			break;
		case 60:
			packet.descriptor = field.span;
			break;
		}
	}
	if (got < 0)
		return "a packet is malformed";
	checker->counts->packets++;
	wrong = check_sequence(checker, &packet);
	if (!wrong && packet.descriptor.at)
		wrong = check_descriptor(checker, packet.descriptor);
	if (!wrong && packet.event.at)
		wrong = check_event(checker, packet.event);
	return wrong;
}

const char *perfetto_check(const void *data, size_t size, struct perfetto_counts *counts)
{
	static struct checker checker; /* large */
	struct span span = { data, (const uint8_t *)data + size };
	struct field field;
	int got;

	memset(&checker, 0, sizeof(checker));
	memset(counts, 0, sizeof(*counts));
	checker.counts = counts;
	while ((got = next_field(&span, &field)) > 0) {
		const char *wrong = field.number == 1 && field.wire == 2
					    ? check_packet(&checker, field.span)
					    : "something that is no packet";
		if (wrong)
			return wrong;
	}
	if (got < 0)
		return "the file is malformed";
	for (unsigned i = 0; i < checker.tracks; i++)
		if (checker.track[i].depth)
			return "a slice is open at the end";
	return NULL;
}
