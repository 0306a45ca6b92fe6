/* SPDX-License-Identifier: Apache-2.0 */
/* multikron -- the MultiKron performance measurement chip.
 *
 *                      +-----------+
 *   D0..D63 <--------->|           |---> RDY        access complete
 *   A0..A6 RD WR ----->|           |
 *   C0..C7 ----------->|           |---> N0..N7 PARITY EOM   collection network
 *   X0..X15 ---------->| MultiKron |---> LOAD       a byte for the network
 *   TSCLK ------------>|           |---> NETCLK     node clock / 2
 *   RESET W0 W1 ------>|           |<--- FREE       the network can take a byte
 *   TEST ITEST OUTDIS->|           |---> T0..T7     internal test, never driven here
 *                      +-----------+
 *
 * A write to 96..111 is one trace sample, a write to 112..127 one resource sample.
 * Source:        NISTIR 4737, March 1992; docs/requirements/multikron.md.
 * Contract:      docs/chips/multikron.md, tick by tick.
 * Not modelled:  electrical timing, package, T0..T7; see the contract. */
#ifndef KRON_MULTIKRON_H
#define KRON_MULTIKRON_H

#include <kron/multikron_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* Inputs, in pins.control. */
#define MULTIKRON_X_SHIFT 0  /* X0..X15: external signals of the counters */
#define MULTIKRON_A_SHIFT 16 /* A0..A6: address */
#define MULTIKRON_C_SHIFT 23 /* C0..C7: CPU identification, not encoded */
#define MULTIKRON_X(i)    (UINT64_C(1) << (MULTIKRON_X_SHIFT + (i)))
#define MULTIKRON_A(addr) ((uint64_t)((addr) & 127) << MULTIKRON_A_SHIFT)
#define MULTIKRON_C(i)    (UINT64_C(1) << (MULTIKRON_C_SHIFT + (i)))
#define MULTIKRON_RESET   (UINT64_C(1) << 31)
#define MULTIKRON_TSCLK   (UINT64_C(1) << 32)
#define MULTIKRON_RD      (UINT64_C(1) << 33)
#define MULTIKRON_WR      (UINT64_C(1) << 34)
#define MULTIKRON_W0      (UINT64_C(1) << 35) /* wait states, bit 0; sampled during RESET */
#define MULTIKRON_W1      (UINT64_C(1) << 36) /* wait states, bit 1; sampled during RESET */
#define MULTIKRON_ITEST   (UINT64_C(1) << 37)
#define MULTIKRON_TEST    (UINT64_C(1) << 38)
#define MULTIKRON_OUTDIS  (UINT64_C(1) << 39)
#define MULTIKRON_FREE    (UINT64_C(1) << 40)
/* Outputs, in pins.control. */
#define MULTIKRON_RDY     (UINT64_C(1) << 41)
#define MULTIKRON_LOAD    (UINT64_C(1) << 42)
#define MULTIKRON_NETCLK  (UINT64_C(1) << 43)
#define MULTIKRON_N_SHIFT 44 /* N0..N7: network data */
#define MULTIKRON_N       (UINT64_C(0xff) << MULTIKRON_N_SHIFT)
#define MULTIKRON_PARITY  (UINT64_C(1) << 52)
#define MULTIKRON_EOM     (UINT64_C(1) << 53)
#define MULTIKRON_T_SHIFT 54 /* T0..T7 */
#define MULTIKRON_OUTPUTS (UINT64_C(0x1fffff) << 41)

/* Addresses: offsets of 32-bit words from the chip's base. */
enum multikron_address {
	MULTIKRON_SOFT_RESET = 0,
	MULTIKRON_CSR = 1,
	MULTIKRON_TIMESTAMP = 2,
	MULTIKRON_FILTER = 4,
	MULTIKRON_WAIT_COUNTER = 5,
	MULTIKRON_OVERRUN_COUNTER = 6,
	MULTIKRON_MUX_SEL = 8,
	MULTIKRON_RESOURCE_RESET = 10,
	MULTIKRON_RESOURCE_ENABLE = 11,
	MULTIKRON_RESOURCE_DISABLE = 12,
	MULTIKRON_FIFO_OUTPUT = 13,
	MULTIKRON_TEST_REGISTER = 14,
	MULTIKRON_SOURCE = 16,        /* +0..7 */
	MULTIKRON_COUNTER = 32,       /* +0..15 */
	MULTIKRON_TRACE = 96,         /* +filter level */
	MULTIKRON_RESOURCE = 112,     /* +filter level */
};

/* CSR bits; the enable and disable commands come in pairs. */
enum multikron_csr {
	MULTIKRON_CSR_SAMPLING = 1 << 0,       MULTIKRON_CSR_SAMPLING_OFF = 1 << 1,
	MULTIKRON_CSR_WRITE_WAIT = 1 << 2,     MULTIKRON_CSR_DISCARD = 1 << 3,
	MULTIKRON_CSR_READ_WAIT = 1 << 4,      MULTIKRON_CSR_READ_WAIT_OFF = 1 << 5,
	MULTIKRON_CSR_FIFO_FULL = 1 << 6,      MULTIKRON_CSR_SHADOW_FULL = 1 << 7,
	MULTIKRON_CSR_FIFO_OVERRUN = 1 << 8,   MULTIKRON_CSR_SHADOW_OVERRUN = 1 << 9,
	MULTIKRON_CSR_FIFO_BIT_128 = 1 << 10,
	MULTIKRON_CSR_WAIT_STATES_SHIFT = 12,
	MULTIKRON_CSR_SLOW_10US = 1 << 14,     MULTIKRON_CSR_SLOW_1US = 1 << 15,
};
/* clang-format on */

enum multikron_mux {
	MULTIKRON_MUX_SLOW = 0,
	MULTIKRON_MUX_EXTERNAL = 1,
	MULTIKRON_MUX_SOFTWARE = 2,
	MULTIKRON_MUX_NODE = 3
};

#define MULTIKRON_READ_ERROR (UINT64_C(1) << 63) /* in a counter read: the data are stale */

struct multikron {
	struct multikron_core core;
	uint64_t test_register; /* 48 bits */
	uint64_t mux_sel;       /* bits 15..0 and 47..32 */
	uint16_t enabled;
	bool slow_10us;
};

/* The chip as a hardware reset with W1 = W0 = 0 leaves it. config NULL means the defaults.
 * Returns false, and leaves *chip alone, if a field of config is out of its range. */
bool multikron_init(struct multikron *chip, const struct multikron_config *config);

/* One rising edge of the node clock: the pins before it in, the pins after it out.
 * Order: reset, count, bus, network, outputs. */
struct multikron_pins multikron_tick(struct multikron *chip, struct multikron_pins pins);

/* Exactly n ticks with these inputs, n >= 1; returns what the last one returns. Stretches in which
 * nothing happens but counting take constant time. */
struct multikron_pins multikron_run(struct multikron *chip, struct multikron_pins pins, uint64_t n);

/* The same, with the TSCLK bit of pins replaced at every tick by multikron_osc_step(osc). */
struct multikron_pins multikron_run_clocked(struct multikron *chip, struct multikron_pins pins,
					    uint64_t n, struct multikron_osc *osc);

/* The value of resource counter i (0..15) now. */
uint32_t multikron_counter(const struct multikron *chip, unsigned i);

/* True if the FIFO is empty and no access is under way: until the next access nothing will appear
 * on the network pins but NETCLK, whatever the inputs. */
bool multikron_quiet(const struct multikron *chip);

#ifdef __cplusplus
}
#endif
#endif
