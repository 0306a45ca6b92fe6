/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II: the address map, Table B4, all 128 addresses, written and read, in and out of
 * test mode, with the shadow registers busy and free. Every access starts from the same chip,
 * full of values of their own; every register, counter and byte to be sent is compared
 * afterwards, so that a write which should do nothing is seen to do nothing. */
#include <string.h>
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

/* Where an access happens, and what is known of the chip afterwards. */
struct scene {
	bool test, busy;
	struct mk2_view view;
	bool network_off;
};

#define LIVE(i)   (0xbeef0000u + (i)*0x101u)
#define SHADOW(i) (0xc0de0000u + (i)*0x11u)

/* clang-format off */
static const uint32_t resource_entry[5] = {
	0x18a1b2c3, 0xd4e5f607, 0x50000000, 0x11111111, 0x22222222
};
static const uint32_t trace_entry[5] = {
	0x14a1b2c3, 0xd4e5f607, 0x50000000, 0x33333333, 0x44444444
};
static const uint32_t pattern_entry[5] = {
	0x5a5a5a5a, 0x5a5a5a5a, 0x5a5a5a5a, 0x5a5a5a5a, 0x5a5a5a5a
};
/* clang-format on */

static void expect_head(struct mk2_view *view, const uint32_t group[5])
{
	for (unsigned i = 0; i < 5; i++)
		view->reg[MULTIKRON2_FIFO + i] = MK2_WORD(group[i]);
}

static void expect_counters(struct mk2_view *view, bool busy)
{
	uint32_t shadow[MULTIKRON_COUNTERS];

	for (unsigned i = 0; i < MULTIKRON_COUNTERS; i++) {
		shadow[i] = SHADOW(i);
		view->counter[i] = LIVE(i);
		view->reg[MULTIKRON2_COUNTER + i] = MK2_WORD(busy ? SHADOW(i) : LIVE(i));
		view->reg[MULTIKRON2_COUNTER_NO_COPY + i] = MK2_WORD(SHADOW(i));
	}
	if (busy) {
		mk2_bus_expect_sent(view, resource_entry, shadow);
		mk2_bus_expect_sent(view, trace_entry, NULL);
	} else {
		mk2_bus_expect_sent(view, pattern_entry, NULL);
	}
}

/* What mk2_bus_populate() put where, by the map of Table B4. */
static void expect_populated(struct mk2_view *view, bool busy)
{
	mk2_bus_reset_view(view);
	view->reg[MULTIKRON2_CSR] = UINT64_C(0xffffffffffff0000) | (busy ? 0x8681 : 0x8201);
	view->reg[MULTIKRON2_TIMESTAMP] = UINT64_C(0xffa1b2c3d4e5f607);
	view->reg[MULTIKRON2_FILTER] = UINT64_C(0xffffffffffffa5c3);
	view->reg[MULTIKRON2_WAIT_COUNTER] = MK2_WORD(0x11223344);
	view->reg[MULTIKRON2_OVERRUN_COUNTER] = MK2_WORD(busy ? 0x5566778a : 0x55667789);
	view->reg[MULTIKRON2_HIGH_ORDER] = MK2_WORD(0xcafef00d);
	view->reg[MULTIKRON2_ENABLE] = UINT64_C(0x1212121212121212);
	view->reg[MULTIKRON2_MODE] = UINT64_C(0x4232425272326212);
	view->reg[MULTIKRON2_CLOCK_SELECT] = UINT64_C(0x4321765443217654);
	for (unsigned i = 0; i < MULTIKRON_CPUS; i++)
		view->reg[MULTIKRON2_SOURCE + i] = MK2_WORD(0x50000000u + i * 0x01010101u);
	expect_head(view, busy ? resource_entry : pattern_entry);
	expect_counters(view, busy);
}

/* The effects a write can have on what is known, one function each. */

static void nothing(struct scene *s, unsigned i, uint64_t data)
{
	(void)s;
	(void)i;
	(void)data;
}

static void resets(struct scene *s, unsigned i, uint64_t data)
{
	uint64_t stamp = s->view.reg[MULTIKRON2_TIMESTAMP];

	(void)i;
	(void)data;
	mk2_bus_reset_view(&s->view);
	s->view.reg[MULTIKRON2_TIMESTAMP] = stamp;
}

/* The row writes 1 to all read-only bits, to write wait and to 32-bit mode. */
static void commands(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	(void)data;
	s->view.reg[MULTIKRON2_CSR] &= ~(uint64_t)MULTIKRON2_CSR_64BIT;
	s->view.reg[MULTIKRON2_CSR] |= MULTIKRON2_CSR_32BIT | MULTIKRON2_CSR_WRITE_WAIT;
}

static void sets_time(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	s->view.reg[MULTIKRON2_TIMESTAMP] = data | UINT64_C(0xff00000000000000);
}

static void sets_filter(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	s->view.reg[MULTIKRON2_FILTER] = data | UINT64_C(0xffffffffffff0000);
}

static void clears_waits(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	(void)data;
	s->view.reg[MULTIKRON2_WAIT_COUNTER] = MK2_UPPER;
}

static void sets_waits(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	s->view.reg[MULTIKRON2_WAIT_COUNTER] = MK2_WORD(data);
}

static void clears_overruns(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	(void)data;
	s->view.reg[MULTIKRON2_OVERRUN_COUNTER] = MK2_UPPER;
}

static void sets_overruns(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	s->view.reg[MULTIKRON2_OVERRUN_COUNTER] = MK2_WORD(data);
}

static void sets_high_order(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	s->view.reg[MULTIKRON2_HIGH_ORDER] = MK2_WORD(data);
}

/* The row disables counter 0, clears and enables counter 3 and enables counter 5. */
static void enables(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	(void)data;
	s->view.reg[MULTIKRON2_ENABLE] = UINT64_C(0x1212121212222211);
	s->view.counter[3] = 0;
	if (!s->busy)
		s->view.reg[MULTIKRON2_COUNTER + 3] = MK2_UPPER;
}

/* The rows change fields 1 and 15. */
static void sets_modes(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	(void)data;
	s->view.reg[MULTIKRON2_MODE] = UINT64_C(0x6232425272326242);
}

static void selects_clocks(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	(void)data;
	s->view.reg[MULTIKRON2_CLOCK_SELECT] = UINT64_C(0x1321765443217624);
}

static void increments_time(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	(void)data;
	s->view.reg[MULTIKRON2_TIMESTAMP]++;
}

static void increments_waits(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	(void)data;
	s->view.reg[MULTIKRON2_WAIT_COUNTER]++;
}

static void increments_overruns(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	(void)data;
	s->view.reg[MULTIKRON2_OVERRUN_COUNTER]++;
}

static void stops_network(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	(void)data;
	s->network_off = true;
}

static void starts_network(struct scene *s, unsigned i, uint64_t data)
{
	(void)i;
	(void)data;
	s->network_off = false;
}

static void advances(struct scene *s, unsigned i, uint64_t data)
{
	static const uint32_t zero[5];

	(void)i;
	(void)data;
	s->view.sent_bytes = 0;
	s->view.sent_samples = 0;
	if (s->busy)
		mk2_bus_expect_sent(&s->view, trace_entry, NULL);
	expect_head(&s->view, s->busy ? trace_entry : zero);
	s->view.reg[MULTIKRON2_CSR] &=
		~(uint64_t)(MULTIKRON2_CSR_SHADOW_FULL | MULTIKRON2_CSR_FIFO_BIT_160);
	for (unsigned j = 0; j < MULTIKRON_COUNTERS; j++)
		s->view.reg[MULTIKRON2_COUNTER + j] = MK2_WORD(LIVE(j));
}

static void pushes(struct scene *s, unsigned i, uint64_t data)
{
	uint32_t word = (uint32_t)data;
	uint32_t group[5] = { word, word, word, word, word };

	(void)i;
	mk2_bus_expect_sent(&s->view, group, NULL);
}

static void sets_source(struct scene *s, unsigned i, uint64_t data)
{
	s->view.reg[MULTIKRON2_SOURCE + i] = MK2_WORD(data);
}

static void loads(struct scene *s, unsigned i, uint64_t data)
{
	s->view.counter[i] = (uint32_t)data;
	if (!s->busy)
		s->view.reg[MULTIKRON2_COUNTER + i] = MK2_WORD(data);
}

/* Even counters are enabled and in software mode. */
static void increments(struct scene *s, unsigned i, uint64_t data)
{
	(void)data;
	if (i % 2 == 0)
		loads(s, i, s->view.counter[i] + 1);
}

static void traces(struct scene *s, unsigned i, uint64_t data)
{
	uint32_t group[5] = { 0x14a1b2c3, 0xd4e5f607, 0x50000000, (uint32_t)(data >> 32),
			      (uint32_t)data };

	if (!(0xa5c3 >> i & 1))
		return;
	mk2_bus_expect_sent(&s->view, group, NULL);
	s->view.reg[MULTIKRON2_CSR] &= ~(uint64_t)MULTIKRON2_CSR_SHADOW_OVERRUN;
}

static void takes_resource(struct scene *s, uint64_t data)
{
	uint32_t group[5] = { 0x1ca1b2c3, 0xd4e5f607, 0x50000000, (uint32_t)(data >> 32),
			      (uint32_t)data };

	mk2_bus_expect_sent(&s->view, group, s->view.counter);
	s->view.reg[MULTIKRON2_CSR] &= ~(uint64_t)MULTIKRON2_CSR_SHADOW_OVERRUN;
	s->view.reg[MULTIKRON2_CSR] |= MULTIKRON2_CSR_SHADOW_FULL;
	for (unsigned j = 0; j < MULTIKRON_COUNTERS; j++)
		s->view.reg[MULTIKRON2_COUNTER_NO_COPY + j] = MK2_WORD(LIVE(j));
}

/* Without free shadow registers it is lost; in test mode nobody counts that. */
static void samples(struct scene *s, unsigned i, uint64_t data)
{
	if (!(0xa5c3 >> i & 1))
		return;
	if (!s->busy)
		takes_resource(s, data);
	else if (!s->test)
		s->view.reg[MULTIKRON2_OVERRUN_COUNTER]++;
}

struct map_row {
	unsigned first, last;
	uint64_t data;
	void (*normal)(struct scene *, unsigned, uint64_t);
	void (*test)(struct scene *, unsigned, uint64_t);
	bool network_off; /* stop the network first, to see it start */
};

#define JUNK UINT64_C(0xfedcba9876543210)

/* clang-format off */
static const struct map_row map[] = {
	/* address  data                normal mode      test mode            network off first */
	{   0,   0, JUNK,               resets,          resets,              0 }, /* MK2-025 */
	{   1,   1, 0xffffffffffff7fc4, commands,        commands,            0 }, /* MK2-026 */
	{   2,   2, 0x5a00123456789abc, nothing,         sets_time,           0 }, /* MK2-027 */
	{   3,   3, JUNK,               nothing,         nothing,             0 }, /* MK2-028 */
	{   4,   4, 0x3c3c3c3c3c3c1248, sets_filter,     sets_filter,         0 }, /* MK2-029 */
	{   5,   5, 0x00000000fedcba98, clears_waits,    sets_waits,          0 }, /* MK2-030 */
	{   6,   6, 0x0000000089abcdef, clears_overruns, sets_overruns,       0 }, /* MK2-031 */
	{   7,   7, 0x0123456776543210, sets_high_order, sets_high_order,     0 }, /* MK2-032 */
	{   8,   8, 0x0000000000203001, enables,         enables,             0 }, /* MK2-033 */
	{   9,   9, JUNK,               nothing,         nothing,             0 }, /* MK2-034 */
	{  10,  10, 0x6000000000000040, sets_modes,      sets_modes,          0 }, /* MK2-035 */
	{  11,  11, JUNK,               nothing,         nothing,             0 }, /* MK2-036 */
	{  12,  12, 0x1000000000000020, selects_clocks,  selects_clocks,      0 }, /* MK2-037 */
	{  13,  15, JUNK,               nothing,         nothing,             0 }, /* MK2-038 */
	{  16,  16, JUNK,               nothing,         increments_time,     0 }, /* MK2-039 */
	{  17,  17, JUNK,               nothing,         increments_waits,    0 }, /* MK2-040 */
	{  18,  18, JUNK,               nothing,         increments_overruns, 0 }, /* MK2-041 */
	{  19,  19, JUNK,               nothing,         stops_network,       0 }, /* MK2-042 */
	{  20,  20, JUNK,               nothing,         starts_network,      1 }, /* MK2-043 */
	{  21,  21, JUNK,               nothing,         advances,            0 }, /* MK2-044 */
	{  22,  24, JUNK,               nothing,         nothing,             0 }, /* MK2-045 */
	{  25,  29, 0x777777770badcafe, nothing,         pushes,              0 }, /* MK2-047 */
	{  30,  31, JUNK,               nothing,         nothing,             0 }, /* MK2-048 */
	{  32,  39, 0x0000000044332211, sets_source,     sets_source,         0 }, /* MK2-049 */
	{  40,  63, JUNK,               nothing,         nothing,             0 }, /* MK2-050 */
	{  64,  79, 0x1234567887654321, loads,           loads,               0 }, /* MK2-051 */
	{  80,  95, JUNK,               increments,      increments,          0 }, /* MK2-052 */
	{  96, 111, 0x0011223344556677, traces,          traces,              0 }, /* MK2-053 */
	{ 112, 127, 0x8899aabbccddeeff, samples,         samples,             0 }, /* MK2-054 */
};
/* clang-format on */

/* The chip seen in both modes: stopping the network shows in test mode only. */
static void check_scene(unsigned row, const struct mk2_bus *bus, const struct scene *s)
{
	static struct mk2_bus look;
	static struct mk2_view view, expected;

	look = *bus;
	mk2_bus_clear(&look, MULTIKRON2_TEST);
	mk2_bus_view(&look, &view);
	mk2_bus_check_view(row, &view, &s->view);

	look = *bus;
	mk2_bus_set(&look, MULTIKRON2_TEST);
	mk2_bus_view(&look, &view);
	expected = s->view;
	if (s->network_off) {
		expected.sent_bytes = 0;
		expected.sent_samples = 0;
	}
	mk2_bus_check_view(row, &view, &expected);
}

static void enter(struct mk2_bus *bus, struct scene *s, bool test, bool busy, bool network_off)
{
	mk2_bus_populate(bus, busy);
	if (network_off)
		mk2_bus_test_write(bus, MULTIKRON2_NETWORK_OFF, 0);
	if (test)
		mk2_bus_set(bus, MULTIKRON2_TEST);
	s->test = test;
	s->busy = busy;
	s->network_off = network_off;
	expect_populated(&s->view, busy);
}

static void write_all(bool test, bool busy)
{
	static struct mk2_bus bus;
	static struct scene scene;
	unsigned next = 0;

	for (size_t r = 0; r < sizeof(map) / sizeof(map[0]); r++) {
		CHECK_EQUAL(map[r].first, next); /* no address forgotten */
		for (unsigned i = map[r].first; i <= map[r].last; i++, next++) {
			enter(&bus, &scene, test, busy, map[r].network_off);
			CHECK_ROW(i, mk2_bus_write(&bus, i, map[r].data), 2);
			(test ? map[r].test : map[r].normal)(&scene, i - map[r].first, map[r].data);
			check_scene(i, &bus, &scene);
		}
	}
	CHECK_EQUAL(next, MK2_ADDRESSES);
}

/* Table B4, write column, with samples and overruns of both kinds at hand. Unassigned and test-only
 * addresses change nothing and are acknowledged all the same. MK2-008 MK2-055 MK2-171 */
static void writes_do_what_the_map_says_in_normal_mode(void **state)
{
	(void)state;
	write_all(false, true);
	write_all(false, false);
}

/* Table B4, write column, rows marked as test mode. MK2-164 */
static void writes_do_what_the_map_says_in_test_mode(void **state)
{
	(void)state;
	write_all(true, true);
	write_all(true, false);
}

/* Table B4, read column: every address holds what was put there and nothing else; addresses without
 * a read give all ones, FIFO groups can be read in any mode. MK2-002 MK2-008 MK2-046 */
static void reads_return_what_the_map_says(void **state)
{
	static struct mk2_bus bus;
	static struct scene scene;

	(void)state;
	for (unsigned s = 0; s < 4; s++) {
		enter(&bus, &scene, s & 1, s & 2, false);
		check_scene(s, &bus, &scene);
	}
}

/* The only marks a read leaves are the High Order register and, for a counter read with copy, the
 * shadow registers. MK2-010 MK2-013 MK2-127 MK2-166 */
static void reads_change_only_high_order_and_shadow_registers(void **state)
{
	static struct mk2_bus bus;
	static struct scene scene;

	(void)state;
	for (unsigned i = 0; i < 4 * MK2_ADDRESSES; i++) {
		unsigned address = i / 4;
		bool busy = i & 2;

		enter(&bus, &scene, i & 1, busy, false);
		uint64_t value = mk2_bus_read(&bus, address);

		CHECK_ROW(address, bus.clocks, 2);
		CHECK_ROW(address, value, scene.view.reg[address]);
		if (address != MULTIKRON2_HIGH_ORDER)
			scene.view.reg[MULTIKRON2_HIGH_ORDER] = MK2_WORD(value >> 32);
		for (unsigned j = 0; address / 16 == 4 && !busy && j < MULTIKRON_COUNTERS; j++)
			scene.view.reg[MULTIKRON2_COUNTER_NO_COPY + j] = MK2_WORD(LIVE(j));
		check_scene(address, &bus, &scene);
	}
}

/* Data bits a register does not have are ignored: a write with them all set and one with them all
 * clear leave the same chip. MK2-003 */
static void unused_data_bits_are_ignored_on_write(void **state)
{
	/* clang-format off */
	static const struct {
		unsigned first, last;
		bool test;
		uint64_t used;
	} rows[] = {
		{ MULTIKRON2_SOFT_RESET, MULTIKRON2_SOFT_RESET, false, 0 },
		{ MULTIKRON2_CSR, MULTIKRON2_CSR, false, 0xc03f },
		{ MULTIKRON2_TIMESTAMP, MULTIKRON2_TIMESTAMP, true, UINT64_C(0x00ffffffffffffff) },
		{ MULTIKRON2_FILTER, MULTIKRON2_FILTER, false, 0xffff },
		{ MULTIKRON2_WAIT_COUNTER, MULTIKRON2_OVERRUN_COUNTER, false, 0 },
		{ MULTIKRON2_WAIT_COUNTER, MULTIKRON2_OVERRUN_COUNTER, true, 0xffffffff },
		{ MULTIKRON2_HIGH_ORDER, MULTIKRON2_HIGH_ORDER, false, 0xffffffff },
		{ MULTIKRON2_ENABLE, MULTIKRON2_ENABLE, false, UINT64_C(0x3333333333333333) },
		{ MULTIKRON2_CLOCK_SELECT, MULTIKRON2_CLOCK_SELECT, false, 0x7777777777777777 },
		{ MULTIKRON2_INC_TIMESTAMP, MULTIKRON2_ADVANCE, true, 0 },
		{ MULTIKRON2_FIFO, MULTIKRON2_FIFO + 4, true, 0xffffffff },
		{ MULTIKRON2_SOURCE, MULTIKRON2_SOURCE + 7, false, 0xffffffff },
		{ MULTIKRON2_COUNTER, MULTIKRON2_COUNTER + 15, false, 0xffffffff },
		{ MULTIKRON2_COUNTER_NO_COPY, MULTIKRON2_COUNTER_NO_COPY + 15, false, 0 },
	};
	/* clang-format on */
	static struct mk2_bus bus;
	static struct scene scene;
	static struct mk2_view with, without;
	/* As CSR commands, no pair; as Enable fields, all four codes. */
	const uint64_t value = UINT64_C(0x1030201030208010) | MULTIKRON2_CSR_SAMPLING;

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		for (unsigned i = rows[r].first; i <= rows[r].last; i++) {
			uint64_t unused = ~rows[r].used;

			enter(&bus, &scene, rows[r].test, true, false);
			mk2_bus_write(&bus, i, (value & rows[r].used) | unused);
			mk2_bus_clear(&bus, MULTIKRON2_TEST);
			mk2_bus_view(&bus, &with);
			enter(&bus, &scene, rows[r].test, true, false);
			mk2_bus_write(&bus, i, value & rows[r].used);
			mk2_bus_clear(&bus, MULTIKRON2_TEST);
			mk2_bus_view(&bus, &without);
			mk2_bus_check_view(i, &with, &without);
		}
	}
}

TEST_MAIN(TEST(writes_do_what_the_map_says_in_normal_mode),
	  TEST(writes_do_what_the_map_says_in_test_mode), TEST(reads_return_what_the_map_says),
	  TEST(reads_change_only_high_order_and_shadow_registers),
	  TEST(unused_data_bits_are_ignored_on_write))
