/* SPDX-License-Identifier: Apache-2.0 */
/* The obvious model. The order of the functions is that of a tick, from the bottom up. */
#include "oracle/multikron2_oracle.h"

#include <string.h>

#define LONG_AGO 1000

bool oracle_bit(uint64_t value, unsigned i)
{
	return (value >> i) % 2 == 1;
}

bool oracle_in_test_mode(struct multikron_pins in)
{
	return (in.control & MULTIKRON_TEST) != 0;
}

static unsigned entry_bytes(const struct oracle *o)
{
	return o->second ? 20 : 16;
}

static bool fifo_full(const struct oracle *o)
{
	return o->fifo_count == o->config.core.fifo_depth;
}

uint64_t oracle_filter(const struct oracle *o)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 16; i++)
		if (o->filter[i])
			value += UINT64_C(1) << i;
	return value;
}

/* MK1-116: the low bits of the codes in 15:0, the high bits in 47:32. */
uint64_t oracle_mux_sel(const struct oracle *o)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 16; i++) {
		value += (uint64_t)(o->mux[i] % 2) << i;
		value += (uint64_t)(o->mux[i] / 2) << (32 + i);
	}
	return value;
}

uint64_t oracle_enabled(const struct oracle *o)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 16; i++)
		if (o->enabled[i])
			value += UINT64_C(1) << i;
	return value;
}

/* MK2-141: field i in bits 4i+3..4i. */
uint64_t oracle_fields(const unsigned fields[16])
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 16; i++)
		value += (uint64_t)fields[i] << (4 * i);
	return value;
}

/* ---- Reset ---- */

/* The state that both resets restore. MK1-042, MK1-045, MK2-058..064. */
static void clear_registers(struct oracle *o)
{
	o->wait_clocks = 0;
	o->overruns = 0;
	o->sampling = false;
	o->write_wait = false;
	o->read_wait = false;
	o->fifo_overrun = false;
	o->shadow_overrun = false;
	o->shadow_busy = false;
	o->test_register = 0;
	o->slow_10us = false;
	o->high_order = 0;
	o->mode_32bit = false;
	o->network_off = false;
	for (unsigned i = 0; i < 8; i++)
		o->source[i] = 0;
	for (unsigned i = 0; i < 16; i++) {
		o->filter[i] = false;
		o->counter[i] = 0;
		o->shadow[i] = 0;
		o->mux[i] = 0;
		o->enabled[i] = false;
		o->mode[i] = MULTIKRON2_MODE_EXTERNAL;
		o->clock_select[i] = MULTIKRON2_CLOCK_STAMP;
		o->enable[i] = MULTIKRON2_DISABLE;
	}
}

static void restart_output(struct oracle *o)
{
	o->restarts++;
	o->position = 0;
	o->presented = false;
	o->shown = false;
}

static void clear_output(struct oracle *o)
{
	o->fifo_count = 0;
	o->skip = false;
	restart_output(o);
}

/* MK1-041, MK1-043, MK1-044, MK2-057: what clear_registers() leaves alone survives. */
void oracle_soft_reset(struct oracle *o)
{
	o->hits[ORACLE_SOFT_RESET]++;
	if (o->position > 0)
		o->hits[ORACLE_SOFT_RESET_SENDING]++;
	clear_registers(o);
	clear_output(o);
}

static void hold_in_reset(struct oracle *o, struct multikron_pins in)
{
	clear_registers(o);
	clear_output(o);
	o->timestamp = 0; /* MK1-040, MK2-057 */
	o->stamp_steps = 0;
	o->node_steps = 0;
	o->ticks_since_stamp = LONG_AGO;
	o->netclk = false;
	o->load = false;
	o->bus = ORACLE_IDLE;
	o->accepted = 0;
	o->lost = 0;
	o->sent = 0;
	o->sent_lost = 0;
	o->wait_states = 0; /* MK1-015, MK1-043, MK2-023 */
	if (in.control & MULTIKRON_W0)
		o->wait_states += 1;
	if (!o->second && (in.control & MULTIKRON_W1))
		o->wait_states += 2;
}

void oracle_init(struct oracle *o, bool second, const struct multikron2_config *config)
{
	memset(o, 0, sizeof(*o));
	o->second = second;
	o->config = *config;
	hold_in_reset(o, (struct multikron_pins){ 0 });
}

/* ---- Count ---- */

static bool rose(const struct oracle *o, struct multikron_pins in, uint64_t pin)
{
	return (in.control & pin) && !(o->last & pin);
}

bool oracle_external_event(const struct oracle *o, struct multikron_pins in, unsigned i)
{
	return rose(o, in, MULTIKRON_X(i)) || oracle_bit(in.pulse, i);
}

/* MK1-108, MK2-133: no wrap. */
void oracle_bump(struct oracle *o, unsigned i)
{
	if (o->counter[i] == UINT32_MAX)
		o->hits[ORACLE_SATURATED]++;
	else
		o->counter[i]++;
}

/* MK1-110..113. */
static void count_first(struct oracle *o, struct multikron_pins in, bool stamp_clock)
{
	bool clock_1us = stamp_clock && o->stamp_steps % 10 == 0;
	bool clock_10us = stamp_clock && o->stamp_steps == 0;

	for (unsigned i = 0; i < 16; i++) {
		if (!o->enabled[i])
			continue;
		if (o->mux[i] == MULTIKRON_MUX_SLOW && (o->slow_10us ? clock_10us : clock_1us))
			oracle_bump(o, i);
		if (o->mux[i] == MULTIKRON_MUX_EXTERNAL && oracle_external_event(o, in, i))
			oracle_bump(o, i);
		if (o->mux[i] == MULTIKRON_MUX_NODE)
			oracle_bump(o, i);
	}
}

static void count(struct oracle *o, struct multikron_pins in)
{
	bool stamp_clock = rose(o, in, MULTIKRON_TSCLK);

	o->ticks_since_stamp++;
	o->node_steps = (o->node_steps + 1) % 100;
	if (stamp_clock) {
		if (o->ticks_since_stamp < 3) /* MK1-014, MK2-007 */
			o->faults |= MULTIKRON_FAULT_TIMESTAMP_FAST;
		o->ticks_since_stamp = 0;
		o->stamp_steps = (o->stamp_steps + 1) % 100;
	}
	if (oracle_in_test_mode(in)) /* MK1-154, MK2-163 */
		return;
	if (stamp_clock) { /* MK1-046, MK2-065 */
		if (o->timestamp == ORACLE_STAMP_MAX)
			o->hits[ORACLE_STAMP_WRAP]++;
		o->timestamp = o->timestamp == ORACLE_STAMP_MAX ? 0 : o->timestamp + 1;
	}
	if (o->second)
		oracle2_count(o, in, stamp_clock);
	else
		count_first(o, in, stamp_clock);
}

/* ---- FIFO ---- */

static void put_bytes(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
}

static void push(struct oracle *o, struct oracle_entry entry)
{
	entry.lost = o->lost;
	o->fifo[o->fifo_count] = entry;
	o->fifo_count++;
	o->accepted++;
}

static void shift_down(struct oracle *o)
{
	for (unsigned i = 1; i < o->fifo_count; i++)
		o->fifo[i - 1] = o->fifo[i];
	o->fifo_count--;
}

/* Group 0 is the most significant. MK1-168, MK2-166: reading removes nothing. */
uint32_t oracle_head_group(struct oracle *o, unsigned group)
{
	uint32_t value = 0;

	if (o->fifo_count == 0)
		return 0;
	o->hits[ORACLE_TEST_GROUP_0 + group]++;
	for (unsigned i = 0; i < 4; i++)
		value = value * 256 + o->fifo[0].bytes[4 * group + i];
	return value;
}

/* MK1-165, MK2-168: the same 32 bits in every group. */
static void push_pattern(struct oracle *o, uint32_t pattern)
{
	struct oracle_entry entry = { .resource = oracle_bit(pattern, 0) };

	for (unsigned i = 0; i < entry_bytes(o); i += 4)
		put_bytes(&entry.bytes[i], pattern, 4);
	push(o, entry);
}

void oracle_load_pattern(struct oracle *o, uint32_t pattern)
{
	o->hits[ORACLE_TEST_LOAD]++;
	if (fifo_full(o))
		o->hits[ORACLE_TEST_LOAD_FULL]++;
	else
		push_pattern(o, pattern);
}

/* MK1-167, MK2-044, MK2-169. A resource sample further back loses its counters. */
void oracle_advance(struct oracle *o)
{
	o->hits[ORACLE_TEST_ADVANCE]++;
	o->shadow_busy = false;
	if (o->fifo_count == 0) {
		o->hits[ORACLE_TEST_ADVANCE_EMPTY]++;
		return;
	}
	shift_down(o);
	restart_output(o);
	for (unsigned i = 0; i < o->fifo_count; i++)
		if (o->fifo[i].owns_shadow)
			o->fifo[i].orphan = true;
}

/* ---- Triggers ---- */

void oracle_row(struct oracle *o, enum oracle_hit hit)
{
	if (!o->waited)
		o->hits[hit]++;
}

static void copy_counters(struct oracle *o)
{
	for (unsigned i = 0; i < 16; i++)
		o->shadow[i] = o->counter[i];
}

/* MK1-149, MK2-100: the overrun flags changed places. */
static uint8_t header(const struct oracle *o, bool resource)
{
	unsigned value = o->cpu * 32 + (resource ? 3U : 2U) * 8;

	if (o->fifo_overrun)
		value += o->second ? 2 : 4;
	if (o->shadow_overrun)
		value += o->second ? 4 : 2;
	if (o->second && o->config.header_spare)
		value += 1;
	return (uint8_t)value;
}

static bool pattern_mode(const struct oracle *o, struct multikron_pins in)
{
	return !o->second && oracle_in_test_mode(in) && oracle_bit(o->test_register, 39);
}

/* MK1-144, MK1-170, MK2-095, MK2-167. */
static void assemble(const struct oracle *o, struct oracle_entry *entry, uint64_t time,
		     uint64_t data)
{
	if (o->second) {
		put_bytes(&entry->bytes[1], time, 7);
		put_bytes(&entry->bytes[8], o->source[o->cpu], 4);
		put_bytes(&entry->bytes[12], data, 8);
	} else {
		put_bytes(&entry->bytes[1], time, 5);
		put_bytes(&entry->bytes[6], o->source[o->cpu], 4);
		put_bytes(&entry->bytes[10], data, 6);
	}
}

static bool take(struct oracle *o, struct multikron_pins in, bool resource, uint64_t data)
{
	struct oracle_entry entry = { .resource = resource, .owns_shadow = resource };
	bool old_time = o->config.core.stamp_at_request && o->waited;

	if (o->waited)
		o->hits[ORACLE_WAITED_SAMPLE]++;
	if (pattern_mode(o, in)) { /* MK1-166 */
		o->hits[ORACLE_TEST_PATTERN_TRIGGER]++;
		push_pattern(o, (uint32_t)o->test_register);
		return true;
	}
	if (o->fifo_overrun || o->shadow_overrun)
		o->hits[ORACLE_FLAGS_CARRIED]++;
	entry.bytes[0] = header(o, resource);
	assemble(o, &entry, old_time ? o->request_time : o->timestamp, data);
	push(o, entry);
	o->fifo_overrun = false; /* MK1-102, MK1-103, MK2-102, MK2-103 */
	o->shadow_overrun = false;
	if (resource) { /* MK1-085, MK2-105 */
		copy_counters(o);
		o->shadow_busy = true;
	}
	return true;
}

static bool discard(struct oracle *o, struct multikron_pins in, bool no_fifo, bool no_shadow)
{
	o->lost++;
	if (no_fifo)
		o->fifo_overrun = true;
	if (no_shadow)
		o->shadow_overrun = true;
	if (!oracle_in_test_mode(in)) { /* MK1-094, MK1-095, MK1-097, MK2-129 */
		if (o->overruns == UINT32_MAX)
			o->hits[ORACLE_OVERRUN_WRAP]++;
		o->overruns++;
	}
	return true;
}

/* Table B3a with the wait option. False means: withhold the acknowledge. */
static bool trigger_waiting(struct oracle *o, struct multikron_pins in, bool resource,
			    bool needs_shadow, uint64_t data)
{
	bool full = fifo_full(o);
	bool busy = o->shadow_busy;

	if (!full && !busy) {
		oracle_row(o, ORACLE_ROW_107); /* MK2-107, MK1-089 */
		return take(o, in, resource, data);
	}
	if (!needs_shadow && !full && busy) {
		oracle_row(o, ORACLE_ROW_108); /* MK2-108, MK1-088 */
		return take(o, in, resource, data);
	}
	if (needs_shadow && !full && busy) {
		oracle_row(o, ORACLE_ROW_109); /* MK2-109, MK1-091 */
		return false;
	}
	if (full && !busy) {
		oracle_row(o, ORACLE_ROW_110); /* MK2-110, MK1-092 */
		return false;
	}
	if (!needs_shadow) {
		oracle_row(o, ORACLE_ROW_111); /* MK2-111 */
		return false;
	}
	oracle_row(o, ORACLE_ROW_112); /* MK2-112, MK1-093 */
	return false;
}

/* Table B3a without it. */
static bool trigger_discarding(struct oracle *o, struct multikron_pins in, bool resource,
			       bool needs_shadow, uint64_t data)
{
	bool full = fifo_full(o);
	bool busy = o->shadow_busy;

	if (!full && !busy) {
		oracle_row(o, ORACLE_ROW_113); /* MK2-113 */
		return take(o, in, resource, data);
	}
	if (!needs_shadow && !full && busy) {
		oracle_row(o, ORACLE_ROW_114); /* MK2-114 */
		return take(o, in, resource, data);
	}
	if (needs_shadow && !full && busy) {
		oracle_row(o, ORACLE_ROW_115); /* MK2-115, MK1-090 */
		return discard(o, in, false, true);
	}
	if (full && !busy) {
		oracle_row(o, ORACLE_ROW_116); /* MK2-116 */
		return discard(o, in, true, false);
	}
	if (!needs_shadow) {
		oracle_row(o, ORACLE_ROW_117); /* MK2-117 */
		return discard(o, in, true, false);
	}
	oracle_row(o, ORACLE_ROW_118); /* MK2-118, MK1-097 */
	return discard(o, in, true, true);
}

bool oracle_trigger(struct oracle *o, struct multikron_pins in, uint64_t data)
{
	bool resource = o->address >= 112;
	bool needs_shadow = resource && !pattern_mode(o, in);

	if (!o->sampling) { /* MK1-074, MK1-078, MK2-091 */
		o->hits[ORACLE_SAMPLING_OFF]++;
		return true;
	}
	if (!o->filter[o->address % 16]) { /* MK1-075, MK1-077, MK2-089, MK2-090 */
		o->hits[ORACLE_FILTERED]++;
		return true;
	}
	if (!o->cpu_valid)
		o->faults |= MULTIKRON_FAULT_CPU_LINES;
	if (o->write_wait)
		return trigger_waiting(o, in, resource, needs_shadow, data);
	return trigger_discarding(o, in, resource, needs_shadow, data);
}

/* ---- Registers of both chips ---- */

static void csr_pair(struct oracle *o, uint64_t data, unsigned enable_bit, bool *flag)
{
	bool on = oracle_bit(data, enable_bit);
	bool off = oracle_bit(data, enable_bit + 1);

	if (on && off) { /* MK1-070 */
		o->faults |= MULTIKRON_FAULT_CSR_PAIR;
		*flag = o->config.core.enable_wins;
	} else if (on) {
		*flag = true;
	} else if (off) {
		*flag = false;
	}
}

/* MK1-052, MK2-070. */
void oracle_write_csr(struct oracle *o, uint64_t data)
{
	csr_pair(o, data, 0, &o->sampling);
	csr_pair(o, data, 2, &o->write_wait);
	csr_pair(o, data, 4, &o->read_wait);
	csr_pair(o, data, 14, o->second ? &o->mode_32bit : &o->slow_10us);
}

/* MK1-053..069, MK2-071..086. */
uint64_t oracle_read_csr(const struct oracle *o)
{
	uint64_t value = 0;

	if (o->sampling)
		value += 1 << 0;
	if (o->write_wait)
		value += 1 << 2;
	if (o->read_wait)
		value += 1 << 4;
	if (fifo_full(o))
		value += 1 << 6;
	if (o->shadow_busy)
		value += 1 << 7;
	if (o->fifo_overrun)
		value += 1 << 8;
	if (o->shadow_overrun)
		value += 1 << 9;
	if (o->fifo_count > 0 && o->fifo[0].resource)
		value += 1 << 10;
	value += (uint64_t)o->wait_states << 12;
	if (o->second)
		value += o->mode_32bit ? 1 << 14 : 1 << 15;
	else if (o->slow_10us)
		value += 1 << 14;
	return value;
}

void oracle_write_filter(struct oracle *o, uint64_t data)
{
	for (unsigned i = 0; i < 16; i++)
		o->filter[i] = oracle_bit(data, i);
}

/* A read with copy: rows MK2-120..123, MK1-127..130. False: withhold the acknowledge. *stale tells
 * that the shadow registers were not copied. */
bool oracle_read_with_copy(struct oracle *o, bool *stale)
{
	*stale = false;
	if (!o->shadow_busy) {
		oracle_row(o, o->read_wait ? ORACLE_ROW_120 : ORACLE_ROW_122);
		copy_counters(o);
		return true;
	}
	if (o->read_wait) {
		oracle_row(o, ORACLE_ROW_121);
		return false;
	}
	oracle_row(o, ORACLE_ROW_123);
	*stale = true;
	return true;
}

/* ---- MultiKron's registers ---- */

/* MK1-157, MK1-158: each bit in four neighbouring bits. */
static uint64_t spread(uint64_t data, unsigned bits)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bits; i++)
		if (oracle_bit(data, i))
			value += UINT64_C(15) << (4 * i);
	return value;
}

/* MK1-155, MK1-156. */
static void test_set(struct oracle *o, unsigned group, uint32_t data)
{
	if (group == 1) {
		o->hits[ORACLE_TEST_SET_ERRORS]++;
		o->wait_clocks = (uint32_t)spread(data, 8);
		o->overruns = (uint32_t)spread(data, 8);
	}
	if (group == 2) {
		o->hits[ORACLE_TEST_SET_STAMP]++;
		o->timestamp = spread(data, 14);
	}
	if (group == 3) {
		o->hits[ORACLE_TEST_SET_COUNTERS]++;
		for (unsigned i = 0; i < 16; i++)
			o->counter[i] = data;
	}
}

void oracle_increment_stamp(struct oracle *o)
{
	o->hits[ORACLE_TEST_INC_STAMP]++;
	o->timestamp = o->timestamp == ORACLE_STAMP_MAX ? 0 : o->timestamp + 1;
}

/* MK1-160. */
static void test_increment(struct oracle *o, unsigned group)
{
	if (group == 1) {
		o->hits[ORACLE_TEST_INC_ERRORS]++;
		o->wait_clocks++;
		o->overruns++;
	}
	if (group == 2)
		oracle_increment_stamp(o);
	if (group == 3) {
		o->hits[ORACLE_TEST_INC_COUNTERS]++;
		for (unsigned i = 0; i < 16; i++)
			oracle_bump(o, i);
	}
}

/* MK1-152, MK1-153. */
static void write_test_register(struct oracle *o, struct multikron_pins in, uint64_t data)
{
	unsigned set = (unsigned)(data >> 32) % 4;
	unsigned increment = (unsigned)(data >> 34) % 4;

	if (!oracle_in_test_mode(in)) {
		o->hits[ORACLE_TEST_WRITE_OUTSIDE]++;
		return;
	}
	o->test_register = data % (UINT64_C(1) << 48);
	if (set != 0 && set == increment) /* MK1-161 */
		o->faults |= MULTIKRON_FAULT_TEST_SET_INC;
	test_set(o, set, (uint32_t)data);
	test_increment(o, increment);
	if (oracle_bit(data, 39))
		oracle_load_pattern(o, (uint32_t)data);
	if (oracle_bit(data, 40))
		oracle_advance(o);
}

static bool first_read(struct oracle *o, struct multikron_pins in, uint64_t *value)
{
	unsigned a = o->address;
	bool stale;

	*value = 0; /* MK1-002, MK1-019, MK1-020 */
	if (a == MULTIKRON_CSR)
		*value = oracle_read_csr(o);
	else if (a == MULTIKRON_TIMESTAMP)
		*value = o->timestamp; /* MK1-047 */
	else if (a == MULTIKRON_FILTER)
		*value = oracle_filter(o);
	else if (a == MULTIKRON_WAIT_COUNTER)
		*value = o->wait_clocks;
	else if (a == MULTIKRON_OVERRUN_COUNTER)
		*value = o->overruns;
	else if (a == MULTIKRON_MUX_SEL)
		*value = oracle_mux_sel(o);
	else if (a == MULTIKRON_RESOURCE_ENABLE)
		*value = oracle_enabled(o);
	else if (a == MULTIKRON_FIFO_OUTPUT && oracle_in_test_mode(in))
		*value = oracle_head_group(o, 3 - (unsigned)(o->test_register >> 36) %
							      4); /* MK1-162 */
	else if (a == MULTIKRON_TEST_REGISTER && oracle_in_test_mode(in))
		*value = o->test_register;
	else if (a >= 16 && a <= 23)
		*value = o->source[a - 16]; /* MK1-033 */
	if (a >= 32 && a <= 47) {
		if (!oracle_read_with_copy(o, &stale))
			return false;
		*value = o->shadow[a - 32];
		if (stale)
			*value += UINT64_C(1) << 63;
	}
	return true;
}

static void first_write_counters(struct oracle *o, uint64_t data)
{
	for (unsigned i = 0; i < 16; i++) {
		if (o->address == MULTIKRON_MUX_SEL) /* MK1-116, MK1-117, MK1-119 */
			o->mux[i] = (unsigned)oracle_bit(data, i) +
				    2U * (unsigned)oracle_bit(data, 32 + i);
		if (o->address == MULTIKRON_RESOURCE_RESET && oracle_bit(data, i)) /* MK1-120 */
			o->counter[i] = 0;
		if (o->address == MULTIKRON_RESOURCE_ENABLE && oracle_bit(data, i)) /* MK1-121 */
			o->enabled[i] = true;
		if (o->address == MULTIKRON_RESOURCE_DISABLE && oracle_bit(data, i)) /* MK1-122 */
			o->enabled[i] = false;
	}
}

static bool first_write(struct oracle *o, struct multikron_pins in)
{
	unsigned a = o->address;

	if (a == MULTIKRON_SOFT_RESET)
		oracle_soft_reset(o);
	else if (a == MULTIKRON_CSR)
		oracle_write_csr(o, o->data);
	else if (a == MULTIKRON_FILTER)
		oracle_write_filter(o, o->data);
	else if (a == MULTIKRON_WAIT_COUNTER)
		o->wait_clocks = 0; /* MK1-025 */
	else if (a == MULTIKRON_OVERRUN_COUNTER)
		o->overruns = 0; /* MK1-026 */
	else if (a >= MULTIKRON_MUX_SEL && a <= MULTIKRON_RESOURCE_DISABLE)
		first_write_counters(o, o->data);
	else if (a == MULTIKRON_TEST_REGISTER)
		write_test_register(o, in, o->data);
	else if (a >= 16 && a <= 23)
		o->source[a - 16] = (uint32_t)o->data;
	else if (a >= 32 && a <= 47) { /* MK1-112, MK1-125, MK1-126 */
		if (o->enabled[a - 32] && o->mux[a - 32] == MULTIKRON_MUX_SOFTWARE &&
		    !oracle_in_test_mode(in))
			oracle_bump(o, a - 32);
	} else if (a >= 96) {
		return oracle_trigger(o, in, o->data); /* MK1-008 */
	}
	return true;
}

/* ---- Bus ---- */

static bool strobed(const struct oracle *o, struct multikron_pins in)
{
	if (o->second && !(in.control & MULTIKRON2_START)) /* MK2-015, MK2-016 */
		return false;
	return (in.control & MULTIKRON_RD) || (in.control & MULTIKRON_WR);
}

static void latch_cpu(struct oracle *o, struct multikron_pins in)
{
	unsigned asserted = 0;

	o->cpu = 0;
	for (unsigned i = 8; i-- > 0;) {
		if (in.control & MULTIKRON_C(i)) {
			asserted++;
			o->cpu = i;
		}
	}
	o->cpu_valid = asserted == 1; /* MK1-079, MK2-093 */
}

static void start_access(struct oracle *o, struct multikron_pins in)
{
	o->bus = ORACLE_BUSY;
	o->writing = !(in.control & MULTIKRON_RD);
	if ((in.control & MULTIKRON_RD) && (in.control & MULTIKRON_WR))
		o->faults |= MULTIKRON_FAULT_BUS;
	o->address = (unsigned)(in.control >> MULTIKRON_A_SHIFT) % 128;
	o->data = in.data;
	latch_cpu(o, in);
	o->request_time = o->timestamp;
	o->waited = false;
	o->remaining = o->config.core.base_clocks - 1 + o->wait_states;
	if (!o->second && !o->writing && o->address >= 32 && o->address <= 47) /* MK1-016 */
		o->remaining++;
}

static bool act(struct oracle *o, struct multikron_pins in)
{
	if (o->second)
		return o->writing ? oracle2_write(o, in) : oracle2_read(o, &o->read_data);
	return o->writing ? first_write(o, in) : first_read(o, in, &o->read_data);
}

static void try_access(struct oracle *o, struct multikron_pins in)
{
	if (act(o, in)) {
		o->bus = ORACLE_ACK;
		o->holding = o->second && (in.control & MULTIKRON2_HOLD);
		if (o->second && strobed(o, in)) /* MK2-018 */
			o->faults |= MULTIKRON_FAULT_STROBE_HELD;
		return;
	}
	o->waited = true;
	if (!oracle_in_test_mode(in)) { /* MK1-098, MK1-100, MK2-128 */
		if (o->wait_clocks == UINT32_MAX)
			o->hits[ORACLE_WAIT_WRAP]++;
		o->wait_clocks++;
	}
}

static void bus(struct oracle *o, struct multikron_pins in)
{
	if (o->bus == ORACLE_ACK) {
		if (o->holding && (in.control & MULTIKRON2_HOLD)) { /* MK2-021 */
			o->hits[ORACLE_ACK_HELD]++;
			return;
		}
		o->bus = ORACLE_IDLE;
	}
	if (o->bus == ORACLE_IDLE) {
		if (!strobed(o, in))
			return;
		start_access(o, in);
	} else if (o->remaining > 0) {
		o->remaining--;
	}
	if (o->remaining == 0)
		try_access(o, in);
}

/* ---- Network ---- */

static bool output_stopped(const struct oracle *o, struct multikron_pins in)
{
	if (!oracle_in_test_mode(in))
		return false;
	return o->second ? o->network_off : oracle_bit(o->test_register, 38); /* MK1-163, MK2-165 */
}

static void reverse(uint8_t *bytes, unsigned count_of)
{
	for (unsigned i = 0; i < count_of / 2; i++) {
		uint8_t kept = bytes[i];

		bytes[i] = bytes[count_of - 1 - i];
		bytes[count_of - 1 - i] = kept;
	}
}

/* The head's sample as it goes out now. Returns its length. MK1-145, MK1-150, MK2-096, MK2-161. */
static unsigned head_sample(const struct oracle *o, uint8_t sample[ORACLE_SAMPLE_MAX])
{
	static const unsigned first_fields[4] = { 1, 5, 4, 6 };
	static const unsigned second_fields[4] = { 1, 7, 4, 8 };
	const unsigned *fields = o->second ? second_fields : first_fields;
	unsigned length = entry_bytes(o);
	unsigned at = 0;

	memcpy(sample, o->fifo[0].bytes, length);
	for (unsigned i = 0; o->config.core.lsb_first && i < 4; i++) {
		reverse(&sample[at], fields[i]);
		at += fields[i];
	}
	for (unsigned i = 0; o->fifo[0].resource && i < 16; i++) {
		put_bytes(&sample[length], o->shadow[i], 4);
		if (o->config.core.lsb_first)
			reverse(&sample[length], 4);
		length += 4;
	}
	return length;
}

static void drop_orphans(struct oracle *o)
{
	while (o->fifo_count > 0 && o->fifo[0].orphan) {
		o->hits[ORACLE_ORPHAN_DROPPED]++;
		shift_down(o);
		restart_output(o);
	}
}

static void present(struct oracle *o, bool stopped)
{
	uint8_t sample[ORACLE_SAMPLE_MAX];
	unsigned length;
	bool odd = false;

	if (o->presented && !stopped)
		return; /* MK1-137: a byte that was not taken is held as it is */
	o->presented = false;
	if (stopped) {
		if (o->fifo_count > 0)
			o->hits[ORACLE_TEST_NETWORK_OFF]++;
		return;
	}
	drop_orphans(o);
	if (o->fifo_count == 0)
		return;
	o->presented = true;
	length = head_sample(o, sample);
	o->n = sample[o->position];
	o->eom = o->position == length - 1; /* MK1-140 */
	for (unsigned i = 0; i < 8; i++)
		if (oracle_bit(o->n, i))
			odd = !odd;
	o->parity = !odd; /* MK1-139 */
}

static void transfer(struct oracle *o)
{
	o->presented = false;
	o->position++;
	if (!o->eom)
		return;
	o->position = 0;
	o->sent++;
	o->sent_lost = o->fifo[0].lost;
	if (o->fifo[0].resource) /* MK1-106 */
		o->shadow_busy = false;
	shift_down(o);
}

static void network(struct oracle *o, struct multikron_pins in, bool stopped)
{
	bool free_now = (in.control & MULTIKRON_FREE) != 0;

	o->netclk = !o->netclk; /* MK1-134, MK2-157 */
	if (!o->netclk) {
		present(o, stopped);
		o->shown = o->presented;
		o->load = o->presented && free_now && !o->skip; /* MK1-137, MK2-159 */
		return;
	}
	o->shown = o->presented;
	o->load = o->presented && free_now && !o->skip;
	if (o->presented && !free_now)
		o->hits[ORACLE_STALLED_BYTE]++;
	if (o->presented && o->skip) /* MK2-126 */
		o->hits[ORACLE_SKIPPED_BYTE]++;
	o->skip = false;
	if (o->load)
		transfer(o);
}

/* ---- The tick ---- */

static struct multikron_pins outputs(const struct oracle *o, struct multikron_pins in)
{
	struct multikron_pins out = in;

	out.control &= ~MULTIKRON_OUTPUTS;
	if (in.control & MULTIKRON_OUTDIS) /* MK1-172 */
		return out;
	if (o->bus == ORACLE_ACK) { /* MK1-011, MK2-019, MK2-020 */
		out.control |= MULTIKRON_RDY;
		if (!o->writing)
			out.data = o->read_data;
	}
	if (o->netclk)
		out.control |= MULTIKRON_NETCLK;
	if (o->load)
		out.control |= MULTIKRON_LOAD;
	if (o->shown) {
		out.control |= (uint64_t)o->n << MULTIKRON_N_SHIFT;
		if (o->parity)
			out.control |= MULTIKRON_PARITY;
		if (o->eom)
			out.control |= MULTIKRON_EOM;
	}
	return out;
}

static void check_reset_length(struct oracle *o)
{
	if (o->reset_ticks > 0) {
		o->hits[ORACLE_HARD_RESET]++;
		if (o->reset_ticks < 5) /* MK1-039, MK2-056 */
			o->faults |= MULTIKRON_FAULT_RESET_SHORT;
	}
	o->reset_ticks = 0;
}

struct multikron_pins oracle_tick(struct oracle *o, struct multikron_pins in)
{
	bool stopped;

	if (!o->second && (in.control & MULTIKRON_ITEST)) /* MK1-172 */
		o->faults |= MULTIKRON_FAULT_INTERNAL_TEST;
	if (in.control & MULTIKRON_RESET) {
		o->reset_ticks++;
		hold_in_reset(o, in);
	} else {
		check_reset_length(o);
		count(o, in);
		/* Before the bus: a register written in a tick acts from the next one on. */
		stopped = output_stopped(o, in);
		bus(o, in);
		network(o, in, stopped);
	}
	o->last = in.control;
	return outputs(o, in);
}

const char *oracle_hit_name(enum oracle_hit hit)
{
#define NAME(hit, chips, name) [hit] = name,
	static const char *const names[ORACLE_HITS] = { ORACLE_HIT_LIST(NAME) };
#undef NAME

	return names[hit];
}

bool oracle_hit_possible(enum oracle_hit hit, bool second)
{
#define CHIPS(hit, chips, name) [hit] = chips,
	static const enum oracle_chips possible[ORACLE_HITS] = { ORACLE_HIT_LIST(CHIPS) };
#undef CHIPS

	return possible[hit] == ORACLE_BOTH ||
	       possible[hit] == (second ? ORACLE_SECOND : ORACLE_FIRST);
}
