/* SPDX-License-Identifier: Apache-2.0 */
/* The ring is read in place and written straight to the file: a packet is a run of events as they lie
 * in the ring, behind a head of our own. The program may change the memory while we look at it, so
 * every word is read once, and what has been checked decides how far we go, never what is there later.
 */
#include "collect/stream.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <kron/clock.h>
#include "base/error.h"
#include "trace/packet.h"

#define RUN_BYTES (TRACE_PACKET_BYTES - TRACE_HEADER_BYTES)
#define FUTURE_TICKS                                                                               \
	(UINT64_C(1) << 32) /* that the clocks of two processors may differ by, or more */

/* A run of events that will be one packet. */
struct run {
	const char *start;
	uint64_t bytes;
	uint64_t events;
	uint64_t begin, end; /* times */
	uint64_t now;        /* what is much later than that is no time */
};

static void fail(struct collect_stream *stream)
{
	if (stream->error)
		return;
	stream->error = -KRON_EIO;
	stream->cause = errno;
}

/* A packet that is not whole is taken back, so that the file always ends with one that is. */
static bool write_packet(struct collect_stream *stream, struct base_io *io, const uint8_t *head,
			 const struct run *run)
{
	int error;

	if (stream->broken)
		return false;
	error = base_io_write_all(io, stream->fd, head, TRACE_HEADER_BYTES);
	if (!error && run->bytes)
		error = base_io_write_all(io, stream->fd, run->start, run->bytes);
	if (!error)
		return true;
	fail(stream);
	if (ftruncate(stream->fd, (off_t)stream->bytes) ||
	    lseek(stream->fd, (off_t)stream->bytes, SEEK_SET) < 0)
		stream->broken = true;
	return false;
}

static void put_packet(struct collect_stream *stream, struct base_io *io, const struct run *run,
		       uint64_t discarded)
{
	if (discarded < stream->told)
		discarded =
			stream->told; /* whatever a program notes, readers want no falling count */

	uint8_t head[TRACE_HEADER_BYTES];
	struct trace_packet packet = {
		.stream = stream->number,
		.begin = run->events ? run->begin : stream->time,
		.end = run->events ? run->end : stream->time,
		.bytes = run->bytes,
		.number = stream->packets,
		.discarded = discarded,
		.source = stream->source,
	};

	trace_packet_head(head, &packet);
	if (!write_packet(stream, io, head, run)) {
		stream->lost_disk += run->events;
		return;
	}
	stream->packets++;
	stream->bytes += TRACE_HEADER_BYTES + run->bytes;
	stream->events += run->events;
	stream->told = discarded;
}

static uint64_t discarded(const struct collect_stream *stream)
{
	return stream->noted + stream->lost_disk;
}

/* Readers know a loss by the difference of two packets, and show it between their ends: see ctf.h. */
static void flush(struct collect_stream *stream, struct base_io *io, struct run *run)
{
	static const struct run nothing;

	if (!run->events)
		return;
	if (!stream->packets && discarded(stream))
		put_packet(stream, io, &nothing, 0);
	put_packet(stream, io, run, discarded(stream));
	stream->time = run->end;
	*run = (struct run){ .now = run->now };
}

/* 56 bits of time, extended by the time of the event before. False if it goes back, or is yet to come. */
static bool extend(uint64_t word, uint64_t before, uint64_t now, uint64_t *time)
{
	uint64_t step = (word - before) & KRON_WIRE_TIME_MASK;

	*time = before + step;
	return step <= KRON_WIRE_TIME_MASK / 2 && *time <= now + FUTURE_TICKS;
}

static void take_note(struct collect_stream *stream, uint64_t data)
{
	uint64_t value = data & KRON_WIRE_VALUE_MASK;

	switch (data >> KRON_WIRE_KIND_SHIFT) {
	case KRON_WIRE_NOTE_LOST:
		if (value > stream->noted)
			stream->noted = value;
		break;
	case KRON_WIRE_NOTE_SOURCE:
		stream->source = (uint32_t)value;
		break;
	}
}

/* One record at `data`, of at most `left` bytes. Returns its length, 0 if it makes no sense. */
static unsigned take_record(struct collect_stream *stream, struct base_io *io, struct run *run,
			    const char *data, uint64_t left)
{
	uint64_t word = __atomic_load_n((const uint64_t *)(const void *)data, __ATOMIC_RELAXED);
	unsigned type = word >> KRON_WIRE_TYPE_SHIFT & 3;
	unsigned bytes =
		type == KRON_WIRE_RESOURCE ? KRON_WIRE_RESOURCE_BYTES : KRON_WIRE_TRACE_BYTES;
	uint64_t time;

	if (bytes > left)
		return 0;
	if (type == KRON_WIRE_PAD || type == KRON_WIRE_NOTE) {
		flush(stream, io, run);
		if (type == KRON_WIRE_NOTE)
			take_note(stream,
				  __atomic_load_n((const uint64_t *)(const void *)(data + 8),
						  __ATOMIC_RELAXED));
		return bytes;
	}
	if (!extend(word, run->events ? run->end : stream->time, run->now, &time)) {
		flush(stream, io, run);
		return bytes; /* no reader would take it; it will be missing in the account */
	}
	/* The event behind a loss is a packet of its own, so that the loss is seen just there. */
	if (discarded(stream) != stream->told || run->bytes + bytes > RUN_BYTES)
		flush(stream, io, run);
	if (!run->events)
		*run = (struct run){ .start = data, .begin = time, .now = run->now };
	run->bytes += bytes;
	run->events++;
	run->end = time;
	return bytes;
}

uint64_t collect_stream_drain(struct collect_stream *stream, struct base_io *io,
			      struct kron_wire_ring *ring, const char *data)
{
	/* Pairs with the release in kron.h: the records up to head are complete. */
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
	uint64_t start = stream->tail;
	struct run run = { .now = kron_clock() };

	if (head - start > stream->ring_bytes || head % KRON_WIRE_TRACE_BYTES)
		stream->damaged = true;
	if (stream->damaged) /* the program must not wait for us all the same */
		stream->tail = head;
	while (stream->tail != head && !stream->damaged) {
		uint64_t offset = stream->tail & (stream->ring_bytes - 1);
		uint64_t left = stream->ring_bytes - offset;
		unsigned bytes;

		if (offset == 0)
			flush(stream, io, &run); /* the run would go over the end */
		if (left > head - stream->tail)
			left = head - stream->tail;
		bytes = take_record(stream, io, &run, data + offset, left);
		stream->damaged = bytes == 0;
		stream->tail += bytes;
	}
	flush(stream, io, &run);
	/* Pairs with the acquire in src/probe/ring.c: this part may be written again. And whoever said
	 * that he waits before he saw it is seen by the one who wakes. */
	__atomic_store_n(&ring->tail, stream->tail, __ATOMIC_SEQ_CST);
	return stream->tail - start;
}

bool collect_stream_owes(const struct collect_stream *stream)
{
	return discarded(stream) > stream->told && !stream->broken;
}

void collect_stream_tell(struct collect_stream *stream, struct base_io *io)
{
	static const struct run nothing;

	if (!collect_stream_owes(stream))
		return;
	if (!stream->packets)
		put_packet(stream, io, &nothing, 0);
	put_packet(stream, io, &nothing, discarded(stream));
}

void collect_stream_end(struct collect_stream *stream, struct base_io *io,
			const struct kron_wire_ring *ring)
{
	uint64_t triggered = 0, known, lost;

	for (unsigned i = 0; i < KRON_WIRE_GROUPS; i++) {
		stream->triggered[i] = __atomic_load_n(&ring->triggered[i], __ATOMIC_RELAXED);
		triggered += stream->triggered[i];
	}
	stream->lost_full = __atomic_load_n(&ring->lost_full, __ATOMIC_RELAXED);
	stream->lost_nested = __atomic_load_n(&ring->lost_nested, __ATOMIC_RELAXED);
	stream->waits = __atomic_load_n(&ring->waits, __ATOMIC_RELAXED);
	stream->wait_ticks = __atomic_load_n(&ring->wait_ticks, __ATOMIC_RELAXED);
	known = stream->events + stream->lost_disk + stream->lost_full + stream->lost_nested;
	/* What was triggered and is nowhere: the thread was killed in the middle of it, or the ring's
	 * contents made no sense. */
	stream->lost_cut = triggered > known ? triggered - known : 0;
	lost = stream->lost_full + stream->lost_nested + stream->lost_cut;
	if (lost > stream->noted)
		stream->noted = lost;
	collect_stream_tell(stream, io);
}
