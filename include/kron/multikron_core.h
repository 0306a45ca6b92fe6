/* SPDX-License-Identifier: Apache-2.0 */
/* What MultiKron and MultiKron II have in common.
 *
 * Both parts are a 64-bit bus slave, a time stamp counter, sixteen 32-bit counters behind one rank of
 * shadow registers, a small FIFO of samples, and a byte-wide output to a collection network. They
 * differ in the address map, the control of the counters and the layout of a sample; those
 * differences stand in multikron.h and multikron2.h. What one tick does, step by step, stands in
 * docs/chips/multikron.md.
 *
 * Everything is the caller's: a chip is one struct, copied to take a snapshot; nothing to free. */
#ifndef KRON_MULTIKRON_CORE_H
#define KRON_MULTIKRON_CORE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MULTIKRON_COUNTERS   16
#define MULTIKRON_CPUS       8
#define MULTIKRON_FIFO_MAX   64
#define MULTIKRON_GROUPS_MAX 5 /* 32-bit words of the widest FIFO entry */

/* The pins at one rising edge of the node clock. A set bit means asserted, whatever the polarity of
 * the package; the node clock itself is the call. Which control bit is which pin: the chip's header.
 * data:  D63..D0. Driven by the chip while it acknowledges a read, by the caller otherwise; what the
 *        caller drives passes through.
 * pulse: not pins. Bit i is a complete low-high-low on X[i] between two node clocks, for sources
 *        that may be as fast as the node clock and so cannot be seen as levels. */
struct multikron_pins {
	uint64_t data;
	uint64_t control;
	uint16_t pulse;
};

/* What the reports leave open. Zero is the reading taken by default (docs/requirements). */
struct multikron_config {
	/* Samples that the FIFO holds, 2..MULTIKRON_FIFO_MAX; 0: 8 (OQ-MK1-07, OQ-MK2-24). */
	unsigned fifo_depth;
	/* Node clocks of the shortest access, 1..255; 0: 2 (OQ-MK1-27). */
	unsigned base_clocks;
	bool lsb_first;        /* least significant byte of each field first (OQ-MK1-02) */
	bool enable_wins;      /* CSR write with both bits of a pair set (OQ-MK1-18) */
	bool stamp_at_request; /* a sample that waits has the time of its request (OQ-MK1-28) */
};

/* Uses of the part that its report forbids; first: MultiKron only, second: MultiKron II only. Sticky bits
 * in core.faults; the caller may clear them. */
enum multikron_fault {
	MULTIKRON_FAULT_TIMESTAMP_FAST = 1 << 0, /* time stamp clock above 1/3 of the node clock */
	MULTIKRON_FAULT_RESET_SHORT = 1 << 1,    /* RESET held for fewer than five node clocks */
	MULTIKRON_FAULT_CPU_LINES = 1 << 2,    /* trigger with no CPU line, or several, asserted */
	MULTIKRON_FAULT_CSR_PAIR = 1 << 3,     /* both bits of a CSR pair written as 1 */
	MULTIKRON_FAULT_BUS = 1 << 4,          /* read and write strobe together; taken as a read */
	MULTIKRON_FAULT_STROBE_HELD = 1 << 5,  /* second: strobe and START still there at ACK */
	MULTIKRON_FAULT_TEST_SET_INC = 1 << 6, /* first: set and increment of the same counters */
	MULTIKRON_FAULT_INTERNAL_TEST = 1 << 7, /* first: internal-test pin not grounded */
};

/* A square wave for the time stamp clock pin, exact for any two frequencies: of every node_hz node
 * clocks, hz see a rising edge. Start with phase 0, low; hz must not exceed node_hz / 3. */
struct multikron_osc {
	uint64_t hz;
	uint64_t node_hz;
	uint64_t phase; /* in [0, node_hz) */
};

/* Advance by one node clock; true if the pin is high at that clock. */
bool multikron_osc_step(struct multikron_osc *osc);

/* One FIFO entry. Bits 127..0 (MultiKron) or 159..0 (MultiKron II) are group[0], the most
 * significant, onwards. */
struct multikron_entry {
	uint32_t group[MULTIKRON_GROUPS_MAX];
	bool resource;    /* the 129th or 161st bit: the counters follow */
	bool owns_shadow; /* it is the sample that marked the shadow registers busy */
	bool orphan;      /* its shadow data were freed by a test command: never sent */
	uint64_t lost;    /* core.lost when it was accepted */
};

/* What a counter counts, worked out from the chip's control registers whenever they change. */
enum multikron_clock {
	MULTIKRON_CLOCK_NONE,
	MULTIKRON_CLOCK_NODE,
	MULTIKRON_CLOCK_NODE_10,
	MULTIKRON_CLOCK_NODE_100,
	MULTIKRON_CLOCK_STAMP,
	MULTIKRON_CLOCK_STAMP_10,
	MULTIKRON_CLOCK_STAMP_100,
	MULTIKRON_CLOCKS
};

enum multikron_bus { MULTIKRON_BUS_IDLE, MULTIKRON_BUS_BUSY, MULTIKRON_BUS_ACK };

/* Read the fields freely between ticks, counters excepted: counting is lazy, so ask
 * multikron_counter() or multikron2_counter(). Write nothing but faults. */
struct multikron_core {
	struct multikron_config config;
	uint32_t faults; /* enum multikron_fault */

	/* Registers. */
	uint64_t timestamp; /* 56 bits */
	uint32_t source[MULTIKRON_CPUS];
	uint32_t wait_clocks; /* Wait (Error) Counter */
	uint32_t overruns;    /* Overrun (Error) Counter */
	uint16_t filter;
	uint8_t wait_states; /* latched from the pins by RESET */
	bool sampling;
	bool write_wait;
	bool read_wait;
	bool fifo_overrun;   /* the next accepted sample carries and clears it */
	bool shadow_overrun; /* likewise */

	/* Counters, their sources, and the clocks seen since they were last brought up to date. */
	uint32_t counter[MULTIKRON_COUNTERS];
	uint32_t shadow[MULTIKRON_COUNTERS];
	bool shadow_busy;
	uint8_t clock
		[MULTIKRON_COUNTERS]; /* enum multikron_clock; NONE if disabled or not a clock */
	uint16_t external;            /* counters that count rising edges of X, enabled */
	uint16_t gated;               /* counters that count their clock only while X is high */
	uint16_t software;            /* counters that count software increments, enabled */
	uint16_t wide;                /* even counters that are the control half of a 64-bit pair */
	uint16_t x;                   /* X levels that gate now */
	bool odd_low;                 /* of a pair, the odd counter is the low word */
	uint64_t pending[MULTIKRON_CLOCKS];
	uint8_t node_phase;  /* node clocks since RESET, modulo 100 */
	uint8_t stamp_phase; /* time stamp clocks since RESET, modulo 100 */

	/* Sample FIFO and network output. */
	struct multikron_entry fifo[MULTIKRON_FIFO_MAX];
	uint8_t fifo_head;
	uint8_t fifo_count;
	uint8_t byte;   /* of the head's sample, next to be sent */
	bool presented; /* that byte stands on N7..N0 */
	uint64_t shown; /* as pins: N7..N0, PARITY, EOM */
	bool skip;      /* the next network clock is lost to a read of the shadow registers */
	bool netclk;

	/* Bus. */
	uint8_t bus;        /* enum multikron_bus */
	uint16_t countdown; /* node clocks until the access acts */
	bool writing;
	bool holding; /* HOLD was there when ACK was asserted */
	uint8_t address;
	uint8_t cpu;
	bool cpu_valid;        /* exactly one CPU line was asserted */
	uint64_t data;         /* written, or to be read */
	uint64_t request_time; /* time stamp when the access started */
	bool waited;           /* it had to wait for FIFO or shadow registers */

	/* For the next tick's edges and the timing faults. */
	uint64_t last_control;
	uint8_t reset_clocks; /* saturating at 5 */
	uint8_t stamp_gap; /* node clocks since the last rising time stamp clock, saturating at 3 */

	/* Accounts that no register holds. */
	uint64_t accepted;  /* entries that were put into the FIFO, test patterns too */
	uint64_t lost;      /* samples discarded because FIFO or shadow registers were full */
	uint64_t sent;      /* entries whose last byte left */
	uint64_t sent_lost; /* lost, when the sample that left last was accepted */
};

#ifdef __cplusplus
}
#endif
#endif
