/* SPDX-License-Identifier: Apache-2.0 */
/* multikron2 -- the MultiKron II performance measurement chip.
 *
 *                       +------------+
 *   D0..D63 <---------->|            |---> ACK        access complete
 *   A0..A6 READ WRITE ->|            |
 *   START HOLD -------->|            |---> N0..N7 PARITY EOM   collection network
 *   C0..C7 ------------>| MultiKron  |---> FIFODA     a byte for the network
 *   X0..X15 ----------->|     II     |---> NETCLK     node clock / 2
 *   TSCLK ------------->|            |<--- NETRDY     the network can take a byte
 *   RESET WAITSTATE --->|            |
 *   TEST OUTDIS ------->|            |---> T0..T7     internal test, never driven here
 *                       +------------+
 *
 * A write to 96..111 is one trace sample, a write to 112..127 one resource sample.
 * Pads that MultiKron has too stand on the same bits; W1 became HOLD, and ITEST, which must be
 * grounded on MultiKron, became START, active low: grounded, it is asserted.
 * Source:        NISTIR 5571, December 1994; docs/requirements/multikron2.md.
 * Contract:      docs/chips/multikron2.md.
 * Not modelled:  electrical timing, packages, T0..T7; see the contract. */
#ifndef KRON_MULTIKRON2_H
#define KRON_MULTIKRON2_H

#include <kron/multikron_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* Inputs, in pins.control. */
#define MULTIKRON2_X_SHIFT   0  /* X0..X15: external signals of the counters */
#define MULTIKRON2_A_SHIFT   16 /* A0..A6: address */
#define MULTIKRON2_C_SHIFT   23 /* C0..C7: CPU identification, not encoded */
#define MULTIKRON2_X(i)      (UINT64_C(1) << (MULTIKRON2_X_SHIFT + (i)))
#define MULTIKRON2_A(addr)   ((uint64_t)((addr) & 127) << MULTIKRON2_A_SHIFT)
#define MULTIKRON2_C(i)      (UINT64_C(1) << (MULTIKRON2_C_SHIFT + (i)))
#define MULTIKRON2_RESET     (UINT64_C(1) << 31)
#define MULTIKRON2_TSCLK     (UINT64_C(1) << 32)
#define MULTIKRON2_READ      (UINT64_C(1) << 33)
#define MULTIKRON2_WRITE     (UINT64_C(1) << 34)
#define MULTIKRON2_WAITSTATE (UINT64_C(1) << 35) /* one wait state; sampled during RESET */
#define MULTIKRON2_HOLD      (UINT64_C(1) << 36)
#define MULTIKRON2_START     (UINT64_C(1) << 37)
#define MULTIKRON2_TEST      (UINT64_C(1) << 38)
#define MULTIKRON2_OUTDIS    (UINT64_C(1) << 39)
#define MULTIKRON2_NETRDY    (UINT64_C(1) << 40)
/* Outputs, in pins.control. */
#define MULTIKRON2_ACK       (UINT64_C(1) << 41)
#define MULTIKRON2_FIFODA    (UINT64_C(1) << 42)
#define MULTIKRON2_NETCLK    (UINT64_C(1) << 43)
#define MULTIKRON2_N_SHIFT   44 /* N0..N7: network data */
#define MULTIKRON2_N         (UINT64_C(0xff) << MULTIKRON2_N_SHIFT)
#define MULTIKRON2_PARITY    (UINT64_C(1) << 52)
#define MULTIKRON2_EOM       (UINT64_C(1) << 53)
#define MULTIKRON2_T_SHIFT   54 /* T0..T7 */
#define MULTIKRON2_OUTPUTS   (UINT64_C(0x1fffff) << 41)

enum multikron2_address {
	MULTIKRON2_SOFT_RESET = 0,
	MULTIKRON2_CSR = 1,
	MULTIKRON2_TIMESTAMP = 2,         /* writable in test mode */
	MULTIKRON2_FILTER = 4,
	MULTIKRON2_WAIT_COUNTER = 5,
	MULTIKRON2_OVERRUN_COUNTER = 6,
	MULTIKRON2_HIGH_ORDER = 7,
	MULTIKRON2_ENABLE = 8,
	MULTIKRON2_MODE = 10,
	MULTIKRON2_CLOCK_SELECT = 12,
	MULTIKRON2_INC_TIMESTAMP = 16,    /* 16..21: test mode only */
	MULTIKRON2_INC_WAIT = 17,
	MULTIKRON2_INC_OVERRUN = 18,
	MULTIKRON2_NETWORK_OFF = 19,
	MULTIKRON2_NETWORK_ON = 20,
	MULTIKRON2_ADVANCE = 21,
	MULTIKRON2_FIFO = 25,             /* +0..4: groups A..E; writable in test mode */
	MULTIKRON2_SOURCE = 32,           /* +0..7 */
	MULTIKRON2_COUNTER = 64,          /* +0..15: load; read with copy */
	MULTIKRON2_COUNTER_NO_COPY = 80,  /* +0..15: increment; read without copy */
	MULTIKRON2_TRACE = 96,            /* +filter level */
	MULTIKRON2_RESOURCE = 112,        /* +filter level */
};

/* CSR bits; the enable and disable commands come in pairs. */
enum multikron2_csr {
	MULTIKRON2_CSR_SAMPLING = 1 << 0,      MULTIKRON2_CSR_SAMPLING_OFF = 1 << 1,
	MULTIKRON2_CSR_WRITE_WAIT = 1 << 2,    MULTIKRON2_CSR_DISCARD = 1 << 3,
	MULTIKRON2_CSR_READ_WAIT = 1 << 4,     MULTIKRON2_CSR_READ_WAIT_OFF = 1 << 5,
	MULTIKRON2_CSR_FIFO_FULL = 1 << 6,     MULTIKRON2_CSR_SHADOW_FULL = 1 << 7,
	MULTIKRON2_CSR_FIFO_OVERRUN = 1 << 8,  MULTIKRON2_CSR_SHADOW_OVERRUN = 1 << 9,
	MULTIKRON2_CSR_FIFO_BIT_160 = 1 << 10,
	MULTIKRON2_CSR_WAIT_STATE = 1 << 12,
	MULTIKRON2_CSR_32BIT = 1 << 14,        MULTIKRON2_CSR_64BIT = 1 << 15,
};

/* Four-bit fields, field i for counter i. Zero leaves a field as it is. */
enum multikron2_mode {
	MULTIKRON2_MODE_CLOCK = 1, MULTIKRON2_MODE_SOFTWARE = 2, MULTIKRON2_MODE_GATED = 3,
	MULTIKRON2_MODE_EXTERNAL = 4, MULTIKRON2_MODE_DOUBLE = 8
};
enum multikron2_clock_select {
	MULTIKRON2_CLOCK_NODE = 1, MULTIKRON2_CLOCK_NODE_10 = 2, MULTIKRON2_CLOCK_NODE_100 = 3,
	MULTIKRON2_CLOCK_STAMP = 4
};
enum multikron2_enable {
	MULTIKRON2_DISABLE = 1, MULTIKRON2_ENABLE_KEEP = 2, MULTIKRON2_ENABLE_RESET = 3
};
/* clang-format on */

/* value in field i, and in all sixteen fields, of the Mode, Clock Select or Enable register. */
#define MULTIKRON2_FIELD(i, value) ((uint64_t)(value) << (4 * (i)))
#define MULTIKRON2_ALL(value)      ((uint64_t)(value)*UINT64_C(0x1111111111111111))

/* What the report leaves open beyond struct multikron_config. */
struct multikron2_config {
	struct multikron_config core;
	bool odd_word_low;  /* of a 64-bit pair, the odd counter is the low word (OQ-MK2-11) */
	bool mode_8_is_nop; /* Mode field 1000 changes nothing at all (OQ-MK2-09) */
	bool header_spare;  /* the unused header bit (OQ-MK2-03) */
};

struct multikron2 {
	struct multikron_core core;
	struct multikron2_config config;
	uint64_t mode;         /* as read back */
	uint64_t clock_select; /* as read back */
	uint64_t enable;       /* as read back */
	uint32_t high_order;
	bool mode_32bit;
	bool network_off; /* by test command; acts in test mode only */
};

/* The chip as a hardware reset with WAITSTATE = 0 leaves it. config NULL means the defaults.
 * Returns false, and leaves *chip alone, if a field of config is out of its range. */
bool multikron2_init(struct multikron2 *chip, const struct multikron2_config *config);

/* One rising edge of the node clock: the pins before it in, the pins after it out.
 * Order: reset, count, bus, network, outputs. */
struct multikron_pins multikron2_tick(struct multikron2 *chip, struct multikron_pins pins);

/* Exactly n ticks with these inputs, n >= 1; returns what the last one returns. Stretches in which
 * nothing happens but counting take constant time. */
struct multikron_pins multikron2_run(struct multikron2 *chip, struct multikron_pins pins,
				     uint64_t n);

/* The same, with the TSCLK bit of pins replaced at every tick by multikron_osc_step(osc). */
struct multikron_pins multikron2_run_clocked(struct multikron2 *chip, struct multikron_pins pins,
					     uint64_t n, struct multikron_osc *osc);

/* The value of resource counter i (0..15) now. */
uint32_t multikron2_counter(const struct multikron2 *chip, unsigned i);

/* True if the FIFO is empty and no access is under way: until the next access nothing will appear
 * on the network pins but NETCLK, whatever the inputs. */
bool multikron2_quiet(const struct multikron2 *chip);

#ifdef __cplusplus
}
#endif
#endif
