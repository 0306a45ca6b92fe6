/* SPDX-License-Identifier: Apache-2.0 */
/* The half of the oracle that is MultiKron II's own: its counters and its registers. */
#include "oracle/multikron2_oracle.h"

#define ONES_HIGH UINT64_C(0xffffffff00000000)
#define ALL_ONES  UINT64_MAX

/* ---- Count ---- */

/* MK2-133, MK2-152, MK2-153: even is a counter's index, it and its neighbour one 64-bit count. */
static void bump_pair(struct oracle *o, unsigned even)
{
	unsigned low = o->config.odd_word_low ? even + 1 : even;
	unsigned high = o->config.odd_word_low ? even : even + 1;

	if (o->counter[low] != UINT32_MAX) {
		o->counter[low]++;
	} else if (o->counter[high] != UINT32_MAX) {
		o->hits[ORACLE_PAIR_CARRY]++;
		o->counter[low] = 0;
		o->counter[high]++;
	} else {
		o->hits[ORACLE_PAIR_SATURATED]++;
	}
}

/* MK2-146. */
static bool selected_clock(const struct oracle *o, unsigned i, bool stamp_clock)
{
	switch (o->clock_select[i]) {
	case 1:
	case 5:
		return true;
	case 2:
	case 6:
		return o->node_steps % 10 == 0;
	case 3:
	case 7:
		return o->node_steps == 0;
	default:
		return stamp_clock;
	}
}

/* MK2-143, MK2-147, MK2-150, MK2-151: does counter i count in this tick? */
static bool counts(const struct oracle *o, struct multikron_pins in, unsigned i, bool stamp_clock)
{
	if (o->enable[i] != MULTIKRON2_ENABLE_KEEP)
		return false;
	switch (o->mode[i] % 8) {
	case 1:
	case 5:
		return selected_clock(o, i, stamp_clock);
	case 3:
	case 7:
		return selected_clock(o, i, stamp_clock) && (in.control & MULTIKRON2_X(i));
	case 4:
		return oracle_external_event(o, in, i);
	default:
		return false;
	}
}

/* MK2-144: only an even field's bit 3 makes a pair. */
static bool paired(const struct oracle *o, unsigned i)
{
	return o->mode[i - i % 2] >= 8;
}

void oracle2_count(struct oracle *o, struct multikron_pins in, bool stamp_clock)
{
	for (unsigned i = 0; i < 16; i++) {
		if (paired(o, i) && i % 2 == 1)
			continue;
		if (!counts(o, in, i, stamp_clock))
			continue;
		if (paired(o, i))
			bump_pair(o, i);
		else
			oracle_bump(o, i);
	}
}

/* ---- MultiKron II's registers ---- */

static bool second_read_counter(struct oracle *o, uint64_t *value)
{
	bool stale;

	if (o->address < 80) { /* MK2-136 */
		if (!oracle_read_with_copy(o, &stale))
			return false;
	} else { /* MK2-124..126 */
		oracle_row(o, o->shadow_busy ? ORACLE_ROW_125 : ORACLE_ROW_124);
		if (o->shadow_busy)
			o->skip = true;
	}
	*value = ONES_HIGH + o->shadow[o->address % 16]; /* MK2-139 */
	return true;
}

bool oracle2_read(struct oracle *o, uint64_t *value)
{
	unsigned a = o->address;

	*value = ALL_ONES; /* MK2-002, MK2-008 */
	if (a == MULTIKRON2_CSR)
		*value = ALL_ONES - 0xffff + oracle_read_csr(o); /* MK2-087 */
	else if (a == MULTIKRON2_TIMESTAMP)
		*value = ALL_ONES - ORACLE_STAMP_MAX + o->timestamp; /* MK2-068 */
	else if (a == MULTIKRON2_FILTER)
		*value = ALL_ONES - 0xffff + oracle_filter(o);
	else if (a == MULTIKRON2_WAIT_COUNTER)
		*value = ONES_HIGH + o->wait_clocks;
	else if (a == MULTIKRON2_OVERRUN_COUNTER)
		*value = ONES_HIGH + o->overruns;
	else if (a == MULTIKRON2_HIGH_ORDER)
		*value = ONES_HIGH + o->high_order;
	else if (a == MULTIKRON2_ENABLE)
		*value = oracle_fields(o->enable);
	else if (a == MULTIKRON2_MODE)
		*value = oracle_fields(o->mode);
	else if (a == MULTIKRON2_CLOCK_SELECT)
		*value = oracle_fields(o->clock_select);
	else if (a >= 25 && a <= 29)
		*value = ONES_HIGH + oracle_head_group(o, a - 25); /* MK2-046, MK2-166 */
	else if (a >= 32 && a <= 39)
		*value = ONES_HIGH + o->source[a - 32]; /* MK2-049 */
	else if (a >= 64 && a <= 95 && !second_read_counter(o, value))
		return false;
	if (a != MULTIKRON2_HIGH_ORDER)
		o->high_order = (uint32_t)(*value >> 32); /* MK2-010, MK2-013 */
	return true;
}

/* MK2-145. */
static void write_mode_field(struct oracle *o, unsigned i, unsigned field)
{
	if (field == 0)
		return;
	if (field == 8 && o->config.mode_8_is_nop)
		return;
	if (field % 8 == 0)
		o->mode[i] = o->mode[i] % 8 + 8;
	else
		o->mode[i] = field;
}

/* MK2-148, MK2-149, MK2-153. */
static void write_enable_field(struct oracle *o, unsigned i, unsigned field)
{
	if (field % 4 == 1)
		o->enable[i] = 1;
	if (field % 4 == 2)
		o->enable[i] = 2;
	if (field % 4 == 3) {
		o->enable[i] = 2;
		if (!paired(o, i)) {
			o->counter[i] = 0;
		} else if (i % 2 == 0) {
			o->counter[i] = 0;
			o->counter[i + 1] = 0;
		}
	}
}

/* MK2-140..142. */
static void write_fields(struct oracle *o, uint64_t data)
{
	for (unsigned i = 0; i < 16; i++) {
		unsigned field = (unsigned)(data >> (4 * i)) % 16;

		if (o->address == MULTIKRON2_MODE)
			write_mode_field(o, i, field);
		if (o->address == MULTIKRON2_CLOCK_SELECT && field % 8 != 0) /* MK2-146 */
			o->clock_select[i] = field % 8;
		if (o->address == MULTIKRON2_ENABLE)
			write_enable_field(o, i, field);
	}
}

/* MK2-138: address 80+i. */
static void software_increment(struct oracle *o, unsigned i)
{
	bool software = o->mode[i] % 8 == 2 || o->mode[i] % 8 == 6;

	if (paired(o, i) && i % 2 == 1)
		return;
	if (o->enable[i] != MULTIKRON2_ENABLE_KEEP || !software)
		return;
	if (paired(o, i))
		bump_pair(o, i);
	else
		oracle_bump(o, i);
}

/* MK2-027, MK2-030, MK2-031, MK2-039..047, MK2-171: the writes that TEST enables or changes. */
static void second_test_write(struct oracle *o, uint64_t data)
{
	unsigned a = o->address;

	if (a == MULTIKRON2_TIMESTAMP) {
		o->hits[ORACLE_TEST_SET_STAMP]++;
		o->timestamp = data % (ORACLE_STAMP_MAX + 1);
	} else if (a == MULTIKRON2_WAIT_COUNTER) {
		o->hits[ORACLE_TEST_SET_ERRORS]++;
		o->wait_clocks = (uint32_t)data;
	} else if (a == MULTIKRON2_OVERRUN_COUNTER) {
		o->hits[ORACLE_TEST_SET_ERRORS]++;
		o->overruns = (uint32_t)data;
	} else if (a == MULTIKRON2_INC_TIMESTAMP) {
		oracle_increment_stamp(o);
	} else if (a == MULTIKRON2_INC_WAIT) {
		o->hits[ORACLE_TEST_INC_ERRORS]++;
		o->wait_clocks++;
	} else if (a == MULTIKRON2_INC_OVERRUN) {
		o->hits[ORACLE_TEST_INC_OVERRUN]++;
		o->overruns++;
	} else if (a == MULTIKRON2_NETWORK_OFF) {
		o->network_off = true;
	} else if (a == MULTIKRON2_NETWORK_ON) {
		o->network_off = false;
	} else if (a == MULTIKRON2_ADVANCE) {
		oracle_advance(o);
	} else if (a >= 25 && a <= 29) {
		oracle_load_pattern(o, (uint32_t)data);
	}
}

/* MK2-055. */
static void second_write_outside_test(struct oracle *o)
{
	if (o->address == MULTIKRON2_WAIT_COUNTER)
		o->wait_clocks = 0;
	else if (o->address == MULTIKRON2_OVERRUN_COUNTER)
		o->overruns = 0;
	else if (o->address == MULTIKRON2_TIMESTAMP || o->address >= 16)
		o->hits[ORACLE_TEST_WRITE_OUTSIDE]++;
}

bool oracle2_write(struct oracle *o, struct multikron_pins in)
{
	unsigned a = o->address;
	uint64_t data = o->data;

	if (o->mode_32bit) /* MK2-009, MK2-097 */
		data = ((uint64_t)o->high_order << 32) + data % (UINT64_C(1) << 32);
	if (a == MULTIKRON2_SOFT_RESET)
		oracle_soft_reset(o);
	else if (a == MULTIKRON2_CSR)
		oracle_write_csr(o, data);
	else if (a == MULTIKRON2_FILTER)
		oracle_write_filter(o, data);
	else if (a == MULTIKRON2_HIGH_ORDER)
		o->high_order = (uint32_t)data;
	else if (a == MULTIKRON2_ENABLE || a == MULTIKRON2_MODE || a == MULTIKRON2_CLOCK_SELECT)
		write_fields(o, data);
	else if (a >= 32 && a <= 39)
		o->source[a - 32] = (uint32_t)data;
	else if (a >= 64 && a <= 79)
		o->counter[a - 64] = (uint32_t)data; /* MK2-135 */
	else if (a >= 80 && a <= 95)
		software_increment(o, a - 80);
	else if (a >= 96)
		return oracle_trigger(o, in, data);
	else if (a < 30 && oracle_in_test_mode(in))
		second_test_write(o, data);
	else if (a < 30)
		second_write_outside_test(o);
	return true;
}
