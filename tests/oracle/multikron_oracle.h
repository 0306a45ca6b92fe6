/* SPDX-License-Identifier: Apache-2.0 */
/* A second model of MultiKron and MultiKron II, slow and obvious.
 *
 * Written from docs/requirements and the contract in docs/chips alone, to be compared with the
 * models in src/chips at every tick. Everything is done in every tick: no lazy counting, the FIFO
 * shifts down, samples are byte arrays, fields are arrays. It counts how often each interesting
 * thing happened, so that a test can tell that it tested something.
 *
 * Pads that both chips have stand on the same bits, so the MULTIKRON_ names serve both. */
#ifndef MULTIKRON_ORACLE_H
#define MULTIKRON_ORACLE_H

#include <kron/multikron.h>
#include <kron/multikron2.h>

#define ORACLE_ENTRY_MAX  20 /* bytes of the wider FIFO entry */
#define ORACLE_SAMPLE_MAX 84 /* bytes of the longest sample */

/* What happened, counted. The rows of the two tables are those of NISTIR 5571, which hold for both
 * chips: row n is requirement MK2-n. A waiting access counts once, at its first try.
 * The second column says which chip can do it at all. */
enum oracle_chips { ORACLE_FIRST, ORACLE_SECOND, ORACLE_BOTH };

/* clang-format off */
#define ORACLE_HIT_LIST(X) \
	X(ORACLE_ROW_107, ORACLE_BOTH, "B3a wait=1, both free") \
	X(ORACLE_ROW_108, ORACLE_BOTH, "B3a wait=1, trace, shadow busy") \
	X(ORACLE_ROW_109, ORACLE_BOTH, "B3a wait=1, resource, shadow busy") \
	X(ORACLE_ROW_110, ORACLE_BOTH, "B3a wait=1, FIFO full") \
	X(ORACLE_ROW_111, ORACLE_BOTH, "B3a wait=1, trace, both full") \
	X(ORACLE_ROW_112, ORACLE_BOTH, "B3a wait=1, resource, both full") \
	X(ORACLE_ROW_113, ORACLE_BOTH, "B3a wait=0, both free") \
	X(ORACLE_ROW_114, ORACLE_BOTH, "B3a wait=0, trace, shadow busy") \
	X(ORACLE_ROW_115, ORACLE_BOTH, "B3a wait=0, resource, shadow busy") \
	X(ORACLE_ROW_116, ORACLE_BOTH, "B3a wait=0, FIFO full") \
	X(ORACLE_ROW_117, ORACLE_BOTH, "B3a wait=0, trace, both full") \
	X(ORACLE_ROW_118, ORACLE_BOTH, "B3a wait=0, resource, both full") \
	X(ORACLE_ROW_120, ORACLE_BOTH, "B3b wait=1, copy, shadow free") \
	X(ORACLE_ROW_121, ORACLE_BOTH, "B3b wait=1, copy, shadow busy") \
	X(ORACLE_ROW_122, ORACLE_BOTH, "B3b wait=0, copy, shadow free") \
	X(ORACLE_ROW_123, ORACLE_BOTH, "B3b wait=0, copy, shadow busy") \
	X(ORACLE_ROW_124, ORACLE_SECOND, "B3b no copy, shadow free") \
	X(ORACLE_ROW_125, ORACLE_SECOND, "B3b no copy, shadow busy") \
	X(ORACLE_FILTERED, ORACLE_BOTH, "trigger filtered out") \
	X(ORACLE_SAMPLING_OFF, ORACLE_BOTH, "trigger while sampling is off") \
	X(ORACLE_FLAGS_CARRIED, ORACLE_BOTH, "sample with an overrun flag") \
	X(ORACLE_WAITED_SAMPLE, ORACLE_BOTH, "sample that waited") \
	X(ORACLE_SATURATED, ORACLE_BOTH, "count of a full counter") \
	X(ORACLE_PAIR_SATURATED, ORACLE_SECOND, "count of a full pair") \
	X(ORACLE_PAIR_CARRY, ORACLE_SECOND, "carry within a pair") \
	X(ORACLE_STAMP_WRAP, ORACLE_BOTH, "time stamp wrapped") \
	X(ORACLE_WAIT_WRAP, ORACLE_BOTH, "Wait Counter wrapped") \
	X(ORACLE_OVERRUN_WRAP, ORACLE_BOTH, "Overrun Counter wrapped") \
	X(ORACLE_HARD_RESET, ORACLE_BOTH, "hardware reset") \
	X(ORACLE_SOFT_RESET, ORACLE_BOTH, "software reset") \
	X(ORACLE_SOFT_RESET_SENDING, ORACLE_BOTH, "software reset within a sample") \
	X(ORACLE_ACK_HELD, ORACLE_SECOND, "clock of a held acknowledge") \
	X(ORACLE_SKIPPED_BYTE, ORACLE_SECOND, "transfer lost to a read") \
	X(ORACLE_STALLED_BYTE, ORACLE_BOTH, "transfer lost to the network") \
	X(ORACLE_TEST_SET_ERRORS, ORACLE_BOTH, "test: set Wait, Overrun") \
	X(ORACLE_TEST_SET_STAMP, ORACLE_BOTH, "test: set time stamp") \
	X(ORACLE_TEST_SET_COUNTERS, ORACLE_FIRST, "test: set counters") \
	X(ORACLE_TEST_INC_ERRORS, ORACLE_BOTH, "test: increment Wait") \
	X(ORACLE_TEST_INC_OVERRUN, ORACLE_SECOND, "test: increment Overrun alone") \
	X(ORACLE_TEST_INC_STAMP, ORACLE_BOTH, "test: increment time stamp") \
	X(ORACLE_TEST_INC_COUNTERS, ORACLE_FIRST, "test: increment counters") \
	X(ORACLE_TEST_GROUP_0, ORACLE_BOTH, "FIFO group 0 (A) read") \
	X(ORACLE_TEST_GROUP_1, ORACLE_BOTH, "FIFO group 1 (B) read") \
	X(ORACLE_TEST_GROUP_2, ORACLE_BOTH, "FIFO group 2 (C) read") \
	X(ORACLE_TEST_GROUP_3, ORACLE_BOTH, "FIFO group 3 (D) read") \
	X(ORACLE_TEST_GROUP_4, ORACLE_SECOND, "FIFO group 4 (E) read") \
	X(ORACLE_TEST_NETWORK_OFF, ORACLE_BOTH, "test: network off, entry waiting") \
	X(ORACLE_TEST_LOAD, ORACLE_BOTH, "test: FIFO load") \
	X(ORACLE_TEST_LOAD_FULL, ORACLE_BOTH, "test: FIFO load, full") \
	X(ORACLE_TEST_PATTERN_TRIGGER, ORACLE_FIRST, "test: trigger of the pattern") \
	X(ORACLE_TEST_ADVANCE, ORACLE_BOTH, "test: advance") \
	X(ORACLE_TEST_ADVANCE_EMPTY, ORACLE_BOTH, "test: advance, empty") \
	X(ORACLE_ORPHAN_DROPPED, ORACLE_BOTH, "orphan dropped") \
	X(ORACLE_TEST_WRITE_OUTSIDE, ORACLE_BOTH, "test command outside test mode")
/* clang-format on */
enum oracle_hit {
#define HIT(hit, chips, name) hit,
	ORACLE_HIT_LIST(HIT)
#undef HIT
		ORACLE_HITS
};

enum oracle_bus { ORACLE_IDLE, ORACLE_BUSY, ORACLE_ACK };

struct oracle_entry {
	uint8_t bytes[ORACLE_ENTRY_MAX]; /* the most significant first */
	bool resource;
	bool owns_shadow;
	bool orphan;
	uint64_t lost;
};

struct oracle {
	bool second; /* MultiKron II */
	struct multikron2_config config;
	uint64_t hits[ORACLE_HITS];
	uint64_t restarts; /* how often the output went back to a first byte */

	uint64_t last; /* control pins of the last tick */
	uint64_t reset_ticks;
	uint64_t ticks_since_stamp;
	uint32_t faults;

	/* Registers of both. */
	uint64_t timestamp;
	uint32_t wait_clocks;
	uint32_t overruns;
	uint32_t source[8];
	bool filter[16];
	unsigned wait_states;
	bool sampling;
	bool write_wait;
	bool read_wait;
	bool fifo_overrun;
	bool shadow_overrun;
	uint32_t counter[16];
	uint32_t shadow[16];
	bool shadow_busy;

	/* MultiKron. */
	uint64_t test_register;
	unsigned mux[16];
	bool enabled[16];
	bool slow_10us;
	unsigned stamp_steps; /* of the slow-clock prescaler */

	/* MultiKron II; the fields as they read back. */
	unsigned mode[16];
	unsigned clock_select[16];
	unsigned enable[16];
	uint32_t high_order;
	bool mode_32bit;
	bool network_off;
	unsigned node_steps;

	struct oracle_entry fifo[MULTIKRON_FIFO_MAX]; /* fifo[0] is the head */
	unsigned fifo_count;
	unsigned position; /* of the head's sample, the next byte to send */
	bool presented;
	bool skip;
	uint8_t n;
	bool parity;
	bool eom;
	bool shown; /* n, parity and eom stand on the pins */
	bool load;
	bool netclk;

	enum oracle_bus bus;
	unsigned remaining; /* ticks until the access acts */
	bool writing;
	bool holding;
	bool waited; /* at least one try failed */
	unsigned address;
	unsigned cpu;
	bool cpu_valid;
	uint64_t data;      /* as written */
	uint64_t read_data; /* on the bus while a read is acknowledged */
	uint64_t request_time;

	uint64_t accepted;
	uint64_t lost;
	uint64_t sent;
	uint64_t sent_lost;
};

/* The chip after a hardware reset with the wait-state pins low. The MultiKron II part of config is
 * ignored for MultiKron. */
void oracle_init(struct oracle *o, bool second, const struct multikron2_config *config);

/* One rising edge of the node clock. */
struct multikron_pins oracle_tick(struct oracle *o, struct multikron_pins in);

/* Registers that the oracle keeps as arrays, as the processor reads them. */
uint64_t oracle_filter(const struct oracle *o);
uint64_t oracle_mux_sel(const struct oracle *o);
uint64_t oracle_enabled(const struct oracle *o);
uint64_t oracle_fields(const unsigned fields[16]);

const char *oracle_hit_name(enum oracle_hit hit);
bool oracle_hit_possible(enum oracle_hit hit, bool second);

#endif
