/* SPDX-License-Identifier: Apache-2.0 */
/* Anything in the memory that programs share with the recorder: it must not crash, read or write outside,
 * write more than the rings can have held, or write what readers do not take.
 *
 * An input is a list of steps, each a byte that chooses, two bytes of place, and what the step needs. They
 * are done to a ring in memory of exactly its size, for one stream, and to the memory of a whole recorder,
 * which lives for many inputs. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "collect/collect.h"
#include "collect/stream.h"
#include "support/fuzz_trace.h"
#include "trace/packet.h"
#include "trace/reader.h"

#define RING      4096
#define RINGS     3
#define INPUTS    400 /* for one recorder */
#define STEPS_MAX 64
/* A note and an event of 32 bytes in the ring are a packet of 88; the first may need an empty one. */
#define FILE_MAX (STEPS_MAX * (RING / 32 * 88 + 2 * TRACE_HEADER_BYTES))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t left;
};

static uint64_t take(struct input *input, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes && input->left; i++, input->left--)
		value |= (uint64_t)*input->data++ << 8 * i;
	return value;
}

static void take_bytes(struct input *input, char *into, size_t room)
{
	size_t size = take(input, 1);

	if (size > room)
		size = room;
	if (size > input->left)
		size = input->left;
	memcpy(into, input->data, size);
	input->data += size;
	input->left -= size;
}

/* ---- One stream ---- */

static void check_events(const uint8_t *at, const uint8_t *end, uint64_t time, uint64_t last)
{
	while (at < end) {
		uint64_t word;
		unsigned type;

		fuzz_require(end - at >= KRON_WIRE_TRACE_BYTES);
		memcpy(&word, at, sizeof(word));
		type = word >> KRON_WIRE_TYPE_SHIFT & 3;
		fuzz_require(type == KRON_WIRE_TRACE || type == KRON_WIRE_RESOURCE);
		fuzz_require(
			(word & KRON_WIRE_TIME_MASK) ==
			((time + ((word - time) & KRON_WIRE_TIME_MASK)) & KRON_WIRE_TIME_MASK));
		time += (word - time) & KRON_WIRE_TIME_MASK;
		at += type == KRON_WIRE_TRACE ? KRON_WIRE_TRACE_BYTES : KRON_WIRE_RESOURCE_BYTES;
		fuzz_require(at <= end && time <= last);
	}
}

/* Whole packets, with numbers, times and losses that do not go back. */
static void check_file(int fd, const struct collect_stream *stream)
{
	static uint8_t file[FILE_MAX + 1];
	ssize_t size = pread(fd, file, sizeof(file), 0);
	uint64_t number = 0, time = 0, lost = 0, head[9];

	fuzz_require(size >= 0 && size <= FILE_MAX && (uint64_t)size == stream->bytes);
	for (size_t at = 0; at < (size_t)size; at += head[4] / 8) {
		fuzz_require((size_t)size - at >= TRACE_HEADER_BYTES);
		memcpy(head, file + at, sizeof(head));
		fuzz_require(head[4] == head[5] && head[4] / 8 <= (size_t)size - at);
		fuzz_require(head[4] / 8 <= TRACE_PACKET_BYTES);
		fuzz_require(head[2] >= time && head[3] >= head[2]);
		fuzz_require(head[6] == number++ && head[7] >= lost);
		check_events(file + at + TRACE_HEADER_BYTES, file + at + head[4] / 8, head[2],
			     head[3]);
		time = head[3];
		lost = head[7];
	}
}

static void one_step(struct input *input, struct kron_wire_ring *ring, char *data,
		     struct collect_stream *stream)
{
	uint64_t choice = take(input, 1), place = take(input, 2);

	switch (choice % 6) {
	case 0: /* anything anywhere */
		place %= RING;
		take_bytes(input, data + place, RING - place);
		break;
	case 1: /* a record that makes more sense */
		place = place % (RING / 16) * 16;
		memcpy(data + place, &(uint64_t){ take(input, 8) }, 8);
		memcpy(data + place + 8, &(uint64_t){ take(input, 8) }, 8);
		break;
	case 2:
		ring->head += place * 16;
		break;
	case 3:
		ring->head = take(input, 8);
		break;
	case 4:
		place %= sizeof(*ring);
		take_bytes(input, (char *)ring + place, sizeof(*ring) - place);
		break;
	case 5:
		collect_stream_drain(stream, &base_io_system, ring, data);
		fuzz_require(ring->tail == stream->tail);
		break;
	}
}

static void fuzz_stream(struct input input)
{
	struct kron_wire_ring *ring = aligned_alloc(64, sizeof(*ring));
	char *data = aligned_alloc(64, RING);
	struct collect_stream stream = { .ring_bytes = RING, .tail = RING };

	fuzz_require(ring && data);
	memset(ring, 0, sizeof(*ring));
	memset(data, 0, RING);
	ring->head = ring->tail = RING;
	stream.fd = memfd_create("stream", MFD_CLOEXEC);
	for (unsigned i = 0; i < STEPS_MAX - 1 && input.left; i++)
		one_step(&input, ring, data, &stream);
	collect_stream_drain(&stream, &base_io_system, ring, data);
	collect_stream_end(&stream, &base_io_system, ring);
	check_file(stream.fd, &stream);
	close(stream.fd);
	free(data);
	free(ring);
}

/* ---- The recorder ---- */

static char directory[] = "/tmp/kron_ring_fuzz_XXXXXX";
static struct collect *collect;
static struct kron_wire *wire;
static unsigned inputs;

static void forget_directory(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s %s.old", directory, directory);
	fuzz_require(system(command) == 0);
}

static void open_recorder(void)
{
	struct collect_config config = { .dir = directory,
					 .command = "fuzz",
					 .ring_bytes = RING,
					 .rings = RINGS,
					 .filter = 0xffff };
	uint64_t bytes = KRON_WIRE_RING_OFFSET + RINGS * (RING + KRON_WIRE_PAGE);
	int fd;

	if (!inputs) {
		fuzz_require(mkdtemp(directory) != NULL);
		atexit(forget_directory);
	}
	fuzz_require(collect_open(&collect, &base_io_system, &base_alloc_system, &config) == 0);
	fd = open(collect_environment(collect), O_RDWR | O_CLOEXEC);
	wire = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	fuzz_require(fd >= 0 && wire != MAP_FAILED);
	close(fd);
}

/* All of it is readable, whatever programs did. */
static void read_trace(void)
{
	struct trace_reader *reader;
	struct trace_event event;
	unsigned stream;
	bool mark;

	fuzz_require(trace_reader_open(&reader, &base_io_system, &base_alloc_system, directory) ==
		     0);
	while (trace_reader_next(reader, &event, &stream, &mark) == 1)
		;
	for (size_t i = 0; i < trace_reader_info(reader)->streams; i++)
		fuzz_require(!trace_reader_info(reader)->stream[i].damage);
	trace_reader_close(reader);
}

static void close_recorder(void)
{
	uint64_t bytes = KRON_WIRE_RING_OFFSET + RINGS * (RING + KRON_WIRE_PAGE);
	struct collect_totals totals;

	munmap(wire, bytes);
	fuzz_require(collect_close(collect, 0, &totals) == 0);
	fuzz_require(totals.bytes <= (uint64_t)INPUTS * 2 * RINGS * FILE_MAX);
	read_trace();
	collect = NULL;
}

static void fuzz_recorder(struct input input)
{
	if (!collect)
		open_recorder();
	for (unsigned i = 0; i < STEPS_MAX && input.left; i++) {
		struct kron_wire_ring *ring =
			(void *)((char *)wire + KRON_WIRE_RING_OFFSET +
				 take(&input, 1) % RINGS * (RING + KRON_WIRE_PAGE));
		char *process = (char *)wire + KRON_WIRE_PAGE +
				take(&input, 1) % KRON_WIRE_PROCESSES * KRON_WIRE_PROCESS_STRIDE;
		uint64_t choice = take(&input, 1), place = take(&input, 2);

		if (choice % 4 == 0)
			take_bytes(&input, process + place % 512, 256);
		else if (choice % 4 == 1)
			take_bytes(&input, (char *)ring + place % (RING + KRON_WIRE_PAGE - 256),
				   256);
		else if (choice % 4 == 2)
			ring->state = (uint32_t)place % 5;
		else
			take_bytes(&input, (char *)wire + place % (KRON_WIRE_PAGE - 256), 256);
		wire->rings_used = choice & 128 ? UINT32_MAX : RINGS;
	}
	collect_step(collect, true);
	if (++inputs % INPUTS == 0)
		close_recorder();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_stream((struct input){ data, size });
	fuzz_recorder((struct input){ data, size });
	return 0;
}
