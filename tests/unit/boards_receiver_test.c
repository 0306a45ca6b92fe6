/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/test.h"
#include <string.h>
#include "base/rng.h"
#include "boards/receiver.h"

struct element {
	uint8_t byte;
	bool parity;
	bool eom;
};

/* Samples one after the other. Sample i is element[start[i]] up to element[start[i + 1]]. */
#define SAMPLES  10
#define ELEMENTS (SAMPLES * BOARD_SAMPLE_MAX + 4)
struct stream {
	const struct board_layout *layout;
	struct element element[ELEMENTS];
	unsigned start[SAMPLES + 1];
};

static bool odd_parity(uint8_t byte)
{
	return __builtin_popcount(byte) % 2 == 0;
}

static struct element good_element(uint8_t byte, bool eom)
{
	return (struct element){ byte, odd_parity(byte), eom };
}

/* Bytes that could all be headers are the hardest for the receiver: any of them may be taken for
 * the start of a sample. */
enum style { RANDOM, HEADERS, STYLES };

static uint8_t random_byte(struct base_rng *rng, enum style style)
{
	uint8_t byte = (uint8_t)base_rng_next(rng);

	return style == HEADERS ? (byte & 0xfe) | 0x10 : byte;
}

/* Trace and resource samples so that every kind of neighbours is there, at the ends too. */
static void make_stream(struct stream *stream, const struct board_layout *layout, enum style style,
			uint64_t seed)
{
	static const char kinds[SAMPLES + 1] = "ttrrtrrttr";
	struct base_rng rng;
	unsigned at = 0;

	base_rng_seed(&rng, seed);
	stream->layout = layout;
	for (unsigned i = 0; i < SAMPLES; i++) {
		bool resource = (kinds[i] == 'r') == (seed % 2);
		unsigned size = resource ? layout->resource_bytes : layout->trace_bytes;
		unsigned header = (random_byte(&rng, style) & 0xe6U) | (resource ? 0x18 : 0x10);

		stream->start[i] = at;
		stream->element[at++] = good_element((uint8_t)header, false);
		for (unsigned j = 1; j < size; j++)
			stream->element[at++] =
				good_element(random_byte(&rng, style), j == size - 1);
	}
	stream->start[SAMPLES] = at;
}

static unsigned sample_size(const struct stream *stream, unsigned sample)
{
	return stream->start[sample + 1] - stream->start[sample];
}

/* Whether the sample is the one that these elements are. */
static bool same(const struct board_layout *layout, const struct board_sample *sample,
		 const struct element *element, unsigned count)
{
	uint8_t bytes[BOARD_SAMPLE_MAX];

	if (board_sample_encode(layout, sample, bytes) != (int)count)
		return false;
	/* The bit of MultiKron II's header that means nothing is not in the sample. */
	if ((bytes[0] ^ element[0].byte) & ~(layout->must_be_zero ? 0 : 1))
		return false;
	for (unsigned i = 1; i < count; i++)
		if (bytes[i] != element[i].byte)
			return false;
	return true;
}

enum damage {
	FLIP,       /* bit `value` of the ten */
	SUBSTITUTE, /* byte `value` with good parity */
	LOSE,
	DOUBLE,
	INSERT,     /* the byte `value` before it, */
	INSERT_BAD, /* with bad parity, */
	INSERT_EOM, /* with EOM, */
	INSERT_BAD_EOM,
	DAMAGES
};

/* Put what becomes of one element into out[0..2]; returns how many elements that is. */
static unsigned hurt(struct element in, enum damage damage, unsigned value, struct element *out)
{
	struct element extra = good_element((uint8_t)value, damage >= INSERT_EOM);

	out[0] = in;
	switch (damage) {
	case FLIP:
		out[0].byte = (uint8_t)(in.byte ^ (value < 8 ? 1U << value : 0));
		out[0].parity = in.parity ^ (value == 8);
		out[0].eom = in.eom ^ (value == 9);
		return 1;
	case SUBSTITUTE:
		out[0] = good_element((uint8_t)value, in.eom);
		return 1;
	case LOSE:
		return 0;
	case DOUBLE:
		out[1] = in;
		return 2;
	default:
		extra.parity ^= damage == INSERT_BAD || damage == INSERT_BAD_EOM;
		out[0] = extra;
		out[1] = in;
		return 2;
	}
}

/* One damage: element `at` of sample `sample`. */
struct wound {
	enum damage damage;
	unsigned value;
	unsigned sample;
	unsigned at;
	struct element became[2];
	unsigned count;
};

/* What may come out of a wounded sample. */
enum outcome { INTACT = 1, CHANGED = 2, NOTHING = 4 };

static unsigned allowed(const struct stream *stream, const struct wound *wound)
{
	unsigned size = sample_size(stream, wound->sample);
	bool last = wound->at == size - 1;

	switch (wound->damage) {
	case SUBSTITUTE: /* nothing to be seen, unless it is the header */
		if (board_sample_size(stream->layout, wound->became[0].byte) == size || wound->at)
			return CHANGED;
		return NOTHING;
	case DOUBLE: /* the first of two EOMs ends the sample */
		return last ? INTACT : NOTHING;
	case INSERT:
		/* Limit 2 of receiver.h. */
		if (!wound->at && board_sample_size(stream->layout, (uint8_t)wound->value) >= size)
			return NOTHING;
		return wound->at ? NOTHING : INTACT;
	case INSERT_EOM:
		if (last)
			return CHANGED;
		return wound->at ? NOTHING : INTACT;
	case INSERT_BAD:
	case INSERT_BAD_EOM:
		return wound->at ? NOTHING : INTACT;
	default:
		return NOTHING;
	}
}

/* The wounded sample as it may come out: up to its size, with the damage in it. */
static bool same_changed(const struct stream *stream, const struct wound *wound,
			 const struct board_sample *sample)
{
	struct element element[BOARD_SAMPLE_MAX];
	unsigned size = sample_size(stream, wound->sample);

	memcpy(element, stream->element + stream->start[wound->sample], size * sizeof(*element));
	element[wound->at] = wound->became[0];
	return same(stream->layout, sample, element, size);
}

struct feed {
	struct board_receiver receiver;
	struct board_sample sample[SAMPLES + 1];
	unsigned count;
};

static void feed(struct feed *feed, const struct element *element, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		assert_true(feed->count <= SAMPLES);
		feed->count += (unsigned)board_receiver_element(&feed->receiver, element[i].byte,
								element[i].parity, element[i].eom,
								&feed->sample[feed->count]);
	}
}

/* All elements of the stream from sample `first` up to sample `end`. */
static void feed_samples(struct feed *target, const struct stream *stream, unsigned first,
			 unsigned end)
{
	feed(target, stream->element + stream->start[first],
	     stream->start[end] - stream->start[first]);
}

static void check_sums(const struct board_receiver *receiver)
{
	const struct board_receiver_counts *counts = &receiver->counts;

	CHECK_EQUAL(counts->elements, counts->delivered + counts->dropped + receiver->length);
	CHECK(board_receiver_drops(receiver) <= counts->dropped);
	CHECK(counts->samples * receiver->layout->trace_bytes <= counts->delivered);
}

/* Feed the samples from wound->sample on, up to `end`, to a receiver that is ready for them, with
 * the wound, and see that it costs what it may cost. */
static void try_wound(const struct stream *stream, const struct board_receiver *ready,
		      struct wound *wound, unsigned end)
{
	const struct element *first = stream->element + stream->start[wound->sample];
	unsigned may = allowed(stream, wound), next = 0;
	struct feed f;

	f.receiver = *ready;
	f.count = 0;

	feed(&f, first, wound->at);
	feed(&f, wound->became, wound->count);
	feed(&f, first + wound->at + 1, sample_size(stream, wound->sample) - wound->at - 1);
	feed_samples(&f, stream, wound->sample + 1, end);
	board_receiver_cut(&f.receiver);

	if (may == INTACT)
		CHECK(same(stream->layout, &f.sample[next++], first,
			   sample_size(stream, wound->sample)));
	else if (may == CHANGED)
		CHECK(same_changed(stream, wound, &f.sample[next++]));
	for (unsigned i = wound->sample + 1; i < end; i++)
		CHECK(same(stream->layout, &f.sample[next++], stream->element + stream->start[i],
			   sample_size(stream, i)));
	CHECK_EQUAL(f.count, next);

	check_sums(&f.receiver);
	/* One piece, unless the end of the sample was doubled by the damage, or nothing shows. */
	uint64_t drops = board_receiver_drops(&f.receiver) - board_receiver_drops(ready);
	if (wound->damage == SUBSTITUTE && may == CHANGED)
		CHECK_EQUAL(drops, 0);
	else if (wound->damage == INSERT_BAD_EOM &&
		 wound->at == sample_size(stream, wound->sample) - 1)
		CHECK_EQUAL(drops, 2);
	else
		CHECK_EQUAL(drops, 1);
}

static unsigned values_of(enum damage damage)
{
	if (damage == FLIP)
		return 10;
	return damage == LOSE || damage == DOUBLE ? 1 : 256;
}

/* Every byte where a header stands, of which much depends; every seventh elsewhere. */
static unsigned step_of(const struct wound *wound)
{
	return wound->at && values_of(wound->damage) == 256 ? 7 : 1;
}

static void try_values(const struct stream *stream, const struct board_receiver *ready,
		       struct wound *wound, unsigned end)
{
	struct element was = stream->element[stream->start[wound->sample] + wound->at];

	for (wound->value = 0; wound->value < values_of(wound->damage);
	     wound->value += step_of(wound)) {
		if (wound->damage == SUBSTITUTE && wound->value == was.byte)
			continue;
		wound->count = hurt(was, wound->damage, wound->value, wound->became);
		try_wound(stream, ready, wound, end);
	}
}

static void try_all_wounds(const struct stream *stream)
{
	struct feed f = { 0 };

	board_receiver_init(&f.receiver, stream->layout);
	for (struct wound w = { 0 }; w.sample < SAMPLES; w.sample++) {
		unsigned end = w.sample + 4 < SAMPLES ? w.sample + 4 : SAMPLES;

		for (w.at = 0; w.at < sample_size(stream, w.sample); w.at++)
			for (w.damage = 0; w.damage < DAMAGES; w.damage++)
				try_values(stream, &f.receiver, &w, end);
		feed_samples(&f, stream, w.sample, w.sample + 1);
	}
	CHECK_EQUAL(f.count, SAMPLES);
}

static void damage_costs_only_the_sample_it_touches(void **state)
{
	const struct board_layout *layouts[] = { &board_layout_multikron,
						 &board_layout_multikron2 };
	struct stream stream;

	(void)state;
	for (unsigned layout = 0; layout < 2; layout++)
		for (enum style style = 0; style < STYLES; style++)
			for (unsigned seed = 0; seed < 2; seed++) {
				make_stream(&stream, layouts[layout], style, seed);
				try_all_wounds(&stream);
			}
}

static void an_undamaged_stream_arrives_whole(void **state)
{
	struct stream stream;

	(void)state;
	for (unsigned seed = 0; seed < 100; seed++) {
		struct feed f = { 0 };

		make_stream(&stream,
			    seed % 4 < 2 ? &board_layout_multikron : &board_layout_multikron2,
			    seed % 8 < 4 ? RANDOM : HEADERS, seed);
		board_receiver_init(&f.receiver, stream.layout);
		feed_samples(&f, &stream, 0, SAMPLES);
		CHECK_EQUAL(f.count, SAMPLES);
		for (unsigned i = 0; i < SAMPLES; i++)
			CHECK(same(stream.layout, &f.sample[i], stream.element + stream.start[i],
				   sample_size(&stream, i)));
		CHECK_EQUAL(f.receiver.counts.elements, stream.start[SAMPLES]);
		CHECK_EQUAL(f.receiver.counts.samples, SAMPLES);
		CHECK_EQUAL(f.receiver.counts.dropped, 0);
		CHECK_EQUAL(board_receiver_drops(&f.receiver), 0);
	}
}

static void a_stream_cut_off_gives_what_was_complete(void **state)
{
	struct stream stream;

	(void)state;
	make_stream(&stream, &board_layout_multikron, HEADERS, 3);
	for (unsigned sample = 0; sample < SAMPLES; sample++)
		for (unsigned at = 0; at < sample_size(&stream, sample); at++) {
			struct feed f = { 0 };

			board_receiver_init(&f.receiver, stream.layout);
			feed_samples(&f, &stream, 0, sample);
			feed(&f, stream.element + stream.start[sample], at);
			CHECK_EQUAL(f.count, sample);
			CHECK_EQUAL(f.receiver.length, at);
			board_receiver_cut(&f.receiver);
			check_sums(&f.receiver);
			CHECK_EQUAL(board_receiver_drops(&f.receiver), at ? 1 : 0);
			CHECK_EQUAL(f.receiver.counts.dropped, at);
		}
}

/* The tails, in elements, that can be taken for debris and a trace sample, and little damage: up to
 * two elements slipped in, or a trace sample with its EOM lost. */
static bool tail_may_deceive(unsigned tail)
{
	unsigned trace = board_layout_multikron.trace_bytes;

	return (tail >= trace && tail <= trace + 2) ||
	       (tail >= 2 * trace - 1 && tail <= 2 * trace + 1);
}

/* Start in the first sample, `tail` elements before its end. */
static void try_tail(const struct stream *stream, unsigned tail)
{
	const struct element *first = &stream->element[stream->start[1] - tail];
	unsigned joined = tail + sample_size(stream, 1), next = 0;
	unsigned size = board_sample_size(stream->layout, first->byte);
	struct feed f = { 0 };

	board_receiver_init(&f.receiver, stream->layout);
	feed(&f, first, tail);
	CHECK(!f.count || (f.count == 1 && tail_may_deceive(tail)));
	next = f.count;
	feed_samples(&f, stream, 1, SAMPLES);
	check_sums(&f.receiver);
	/* The first whole sample may be taken for the rest of what the tail looks like. */
	unsigned lost = f.count - next == SAMPLES - 2 && (joined == size || joined == size + 1);
	for (unsigned i = 1 + lost; i < SAMPLES; i++)
		CHECK(same(stream->layout, &f.sample[next++], stream->element + stream->start[i],
			   sample_size(stream, i)));
	CHECK_EQUAL(f.count, next);
}

/* Limit 4: everything from the second whole sample on arrives; with few exceptions the first whole
 * one, too, and nothing of the tail. */
static void a_stream_that_starts_inside_a_sample_is_caught_up_with(void **state)
{
	struct stream stream;

	(void)state;
	for (unsigned seed = 0; seed < 80; seed++) {
		make_stream(&stream, &board_layout_multikron, seed % 4 < 2 ? RANDOM : HEADERS,
			    seed);
		for (unsigned tail = 1; tail < sample_size(&stream, 0); tail++)
			try_tail(&stream, tail);
	}
}

/* Many damages, each with whole samples around it. */
static void damages_far_apart_do_not_add_up(void **state)
{
	struct board_receiver receiver;
	struct stream stream;
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 4);
	board_receiver_init(&receiver, &board_layout_multikron2);
	for (unsigned round = 0; round < 20000; round++) {
		struct wound w = { .damage = (enum damage)base_rng_below(&rng, DAMAGES) };
		struct element was;

		make_stream(&stream, &board_layout_multikron2, round % STYLES, round);
		w.value = (unsigned)base_rng_below(&rng, values_of(w.damage));
		w.at = (unsigned)base_rng_below(&rng, sample_size(&stream, 0));
		was = stream.element[w.at];
		if (w.damage == SUBSTITUTE && w.value == was.byte)
			continue;
		w.count = hurt(was, w.damage, w.value, w.became);
		try_wound(&stream, &receiver, &w, 3);
		/* For the next round: the same again, now for good. */
		struct feed f = { .receiver = receiver };
		feed(&f, stream.element, w.at);
		feed(&f, w.became, w.count);
		feed(&f, stream.element + w.at + 1, stream.start[3] - w.at - 1);
		receiver = f.receiver;
	}
	check_sums(&receiver);
	CHECK(receiver.counts.parity && receiver.counts.type && receiver.counts.early &&
	      receiver.counts.late);
}

/* Whatever comes: what is delivered are the last elements as they came, all with good parity. */
static void noise_delivers_nothing_with_bad_parity(void **state)
{
	const struct board_layout *layouts[] = { &board_layout_multikron,
						 &board_layout_multikron2 };
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 5);
	for (unsigned round = 0; round < 200; round++) {
		const struct board_layout *layout = layouts[round % 2];
		struct element seen[2000];
		struct board_receiver receiver;
		struct board_sample sample;

		board_receiver_init(&receiver, layout);
		for (unsigned i = 0; i < 2000; i++) {
			/* EOMs often where samples end, so that something gets through. */
			uint64_t one_in = receiver.length + 1 == layout->trace_bytes ? 2 : 40;

			seen[i] = good_element(random_byte(&rng, HEADERS),
					       !base_rng_below(&rng, one_in));
			if (!base_rng_below(&rng, 50))
				seen[i].parity ^= true;
			if (!board_receiver_element(&receiver, seen[i].byte, seen[i].parity,
						    seen[i].eom, &sample))
				continue;
			unsigned size =
				sample.resource ? layout->resource_bytes : layout->trace_bytes;
			assert_true(size <= i + 1 && seen[i].eom);
			CHECK(same(layout, &sample, seen + i + 1 - size, size));
			for (unsigned j = i + 1 - size; j <= i; j++)
				CHECK(seen[j].parity == odd_parity(seen[j].byte));
		}
		check_sums(&receiver);
	}
}

static void an_endless_message_is_forgotten_but_for_its_end(void **state)
{
	struct stream stream;

	(void)state;
	make_stream(&stream, &board_layout_multikron, RANDOM, 6);
	for (unsigned length = 1; length < 3 * BOARD_RECEIVER_BUFFER; length++) {
		struct feed f = { 0 };

		board_receiver_init(&f.receiver, stream.layout);
		feed_samples(&f, &stream, 0, 1);
		for (unsigned i = 0; i < length; i++)
			feed(&f, &(struct element){ .byte = 0, .parity = false }, 1);
		feed_samples(&f, &stream, 1, 3);
		CHECK_EQUAL(f.receiver.counts.dropped, length);
		CHECK_EQUAL(f.receiver.counts.overflow, length > BOARD_RECEIVER_BUFFER);
		CHECK_EQUAL(f.receiver.counts.parity, length <= BOARD_RECEIVER_BUFFER);
		CHECK_EQUAL(f.count, 3);
		for (unsigned i = 0; i < 3; i++)
			CHECK(same(stream.layout, &f.sample[i], stream.element + stream.start[i],
				   sample_size(&stream, i)));
	}
}

/* Limit 3: a sample loses its end to a reset of the chip. */
static void a_sample_cut_short_by_a_reset_costs_no_more_if_it_can_be_told(void **state)
{
	struct stream stream;

	(void)state;
	for (unsigned seed = 0; seed < 4; seed++) {
		make_stream(&stream, &board_layout_multikron, RANDOM, seed);
		for (unsigned sample = 0; sample + 2 < SAMPLES; sample++) {
			unsigned size = sample_size(&stream, sample);

			for (unsigned at = 1; at < size; at++) {
				unsigned joined = at + sample_size(&stream, sample + 1);
				bool told = joined > size + BOARD_RECEIVER_SLACK && joined != 80;
				struct feed f = { 0 }, cut;

				board_receiver_init(&f.receiver, stream.layout);
				feed_samples(&f, &stream, 0, sample);
				feed(&f, stream.element + stream.start[sample], at);
				cut = f;
				feed_samples(&f, &stream, sample + 1, sample + 3);
				/* At the very start of a stream debris is no surprise. */
				if (sample && told)
					CHECK_EQUAL(f.count, sample + 2);
				check_sums(&f.receiver);
				board_receiver_cut(&cut.receiver);
				feed_samples(&cut, &stream, sample + 1, sample + 3);
				CHECK_EQUAL(cut.count, sample + 2);
			}
		}
	}
}

static struct board_receiver_counts counts_after(const struct stream *stream, enum damage damage,
						 unsigned value, unsigned at)
{
	struct element became[2];
	struct feed f = { 0 };

	board_receiver_init(&f.receiver, stream->layout);
	feed(&f, stream->element, at);
	feed(&f, became, hurt(stream->element[at], damage, value, became));
	feed(&f, stream->element + at + 1, stream->start[SAMPLES] - at - 1);
	CHECK_EQUAL(board_receiver_drops(&f.receiver), 1);
	return f.receiver.counts;
}

static void drops_are_counted_by_cause(void **state)
{
	struct stream stream;

	(void)state;
	make_stream(&stream, &board_layout_multikron, RANDOM,
		    0); /* starts with a resource sample */
	CHECK_EQUAL(sample_size(&stream, 0), 80);
	CHECK_EQUAL(counts_after(&stream, FLIP, 3, 7).parity, 1);
	CHECK_EQUAL(counts_after(&stream, FLIP, 8, 0).parity, 1);
	CHECK_EQUAL(counts_after(&stream, FLIP, 9, 40).early, 1);
	CHECK_EQUAL(counts_after(&stream, FLIP, 9, 40).dropped, 80);
	CHECK_EQUAL(counts_after(&stream, FLIP, 9, 79).late, 1);
	CHECK_EQUAL(counts_after(&stream, FLIP, 9, 79).dropped, 80);
	CHECK_EQUAL(counts_after(&stream, LOSE, 0, 20).early, 1);
	CHECK_EQUAL(counts_after(&stream, DOUBLE, 0, 20).late, 1);
	CHECK_EQUAL(counts_after(&stream, DOUBLE, 0, 20).dropped, 81);
	CHECK_EQUAL(counts_after(&stream, SUBSTITUTE, 0x00, 0).type, 1);
	CHECK_EQUAL(counts_after(&stream, SUBSTITUTE, 0x19, 0).type, 1); /* read error */
	CHECK_EQUAL(counts_after(&stream, SUBSTITUTE, 0x10, 0).late, 1);
}

/* MultiKron's read error bit must be 0; MultiKron II's bit 0 may be anything. */
static void bit_0_of_the_header_is_checked_on_multikron_only(void **state)
{
	const struct board_layout *layouts[] = { &board_layout_multikron,
						 &board_layout_multikron2 };
	struct stream stream;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct feed f = { 0 };

		make_stream(&stream, layouts[i], RANDOM, 1);
		stream.element[0] = good_element(stream.element[0].byte | 1, false);
		board_receiver_init(&f.receiver, layouts[i]);
		feed_samples(&f, &stream, 0, 1);
		CHECK_EQUAL(f.count, i);
		CHECK_EQUAL(f.receiver.counts.type, 1 - i);
	}
}

/* MK1-051: 40-bit stamps give the time of an experiment of any length, as long as no two samples
 * are a whole wrap apart. */
static void stamps_extend_to_unlimited_duration(void **state)
{
	static const unsigned bits[] = { 40, 56, 8, 1, 64 };
	struct base_rng rng;

	(void)state;
	base_rng_seed(&rng, 7);
	for (unsigned i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		uint64_t mask = UINT64_MAX >> (64 - bits[i]);
		struct board_time time = { .bits = bits[i] };
		uint64_t truth = 0;

		for (unsigned round = 0; round < 100; round++) {
			/* From the same tick to one short of a whole wrap. */
			uint64_t step = round % 4 == 0 ? 0 : base_rng_next(&rng) & mask;

			if (bits[i] == 64)
				step >>= 8;
			truth += round % 4 == 1 ? mask >> (bits[i] == 64 ? 8 : 0) : step;
			CHECK_EQUAL(board_time_extend(&time, truth & mask, UINT64_MAX), truth);
		}
		CHECK(bits[i] == 64 || truth >> bits[i] >= 20); /* many wraps */
	}
}

/* A lower stamp is a wrap only if there was time for one: a test may set the clock back. */
static void clock_set_back_is_not_a_wrap(void **state)
{
	struct board_time time = { .bits = 40 };
	uint64_t top = (UINT64_C(1) << 40) - 1;

	(void)state;
	CHECK_EQUAL(board_time_extend(&time, 1000, 1000), 1000);
	CHECK_EQUAL(board_time_extend(&time, 5, 1000), 5);
	CHECK_EQUAL(board_time_extend(&time, top, UINT64_MAX), top);
	CHECK_EQUAL(board_time_extend(&time, 4, 5), top + 5);
	CHECK_EQUAL(board_time_extend(&time, 3, top - 1), 3);
}

TEST_MAIN(TEST(clock_set_back_is_not_a_wrap), TEST(an_undamaged_stream_arrives_whole),
	  TEST(damage_costs_only_the_sample_it_touches),
	  TEST(a_stream_cut_off_gives_what_was_complete),
	  TEST(a_stream_that_starts_inside_a_sample_is_caught_up_with),
	  TEST(damages_far_apart_do_not_add_up), TEST(noise_delivers_nothing_with_bad_parity),
	  TEST(an_endless_message_is_forgotten_but_for_its_end),
	  TEST(a_sample_cut_short_by_a_reset_costs_no_more_if_it_can_be_told),
	  TEST(drops_are_counted_by_cause), TEST(bit_0_of_the_header_is_checked_on_multikron_only),
	  TEST(stamps_extend_to_unlimited_duration))
