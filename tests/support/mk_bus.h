/* SPDX-License-Identifier: Apache-2.0 */
/* A bus master and a collection network for one MultiKron.
 *
 * It holds the chip by value, asserts what `hold` says at every tick, strobes one access at a time,
 * and records every element that a receiver would take from the network pins. A check that fails
 * inside a helper ends the test. */
#ifndef MK_BUS_H
#define MK_BUS_H

#include <kron/multikron.h>

#define MK_BUS_ELEMENTS 32768
#define MK_BUS_PATIENCE 4096 /* node clocks before an access counts as never acknowledged */

/* An element is what the ten network outputs carry. */
#define MK_BUS_PARITY 0x100
#define MK_BUS_EOM    0x200

struct mk_bus {
	struct multikron chip;
	uint64_t hold;             /* inputs asserted at every tick; FREE and C0 at first */
	uint64_t ticks;            /* since initialisation or hardware reset */
	uint64_t access_ticks;     /* of the last access, from the strobe to RDY, both included */
	struct multikron_pins out; /* of the last tick */
	unsigned elements;
	uint16_t element[MK_BUS_ELEMENTS];
};

/* A sample as its bytes say, most significant byte of each field first. */
struct mk_bus_sample {
	unsigned length; /* bytes: 16 or 80 */
	uint8_t byte[80];
	uint8_t header;
	uint64_t timestamp;
	uint32_t source;
	uint64_t data;
	uint32_t counter[MULTIKRON_COUNTERS];
};

/* A fresh chip; config NULL means the defaults. */
void mk_bus_init(struct mk_bus *bus, const struct multikron_config *config);

/* The same with sampling on, every filter level open and the given further CSR bits. */
void mk_bus_init_sampling(struct mk_bus *bus, const struct multikron_config *config, uint64_t csr);

/* Five node clocks of RESET with the wait-state pins at w. */
void mk_bus_reset(struct mk_bus *bus, unsigned w);

/* One node clock with these inputs beside the held ones, which the chip must leave as they are. */
struct multikron_pins mk_bus_tick(struct mk_bus *bus, uint64_t control, uint64_t data);

/* n node clocks with nothing but the held inputs, each seen by the recorder. */
void mk_bus_clock(struct mk_bus *bus, uint64_t n);

/* n node clocks in one call of multikron_run: nothing is recorded. */
void mk_bus_run(struct mk_bus *bus, uint64_t n);

/* n time stamp clocks of three node clocks each, n pulses of two node clocks each on the X pins. */
void mk_bus_stamp(struct mk_bus *bus, unsigned n);
void mk_bus_external(struct mk_bus *bus, uint16_t x, unsigned n);

/* A strobe of one node clock. True if that clock acknowledged it. */
bool mk_bus_start(struct mk_bus *bus, uint64_t strobe, unsigned address, uint64_t data);

/* Wait for RDY for at most `limit` node clocks. */
bool mk_bus_wait(struct mk_bus *bus, uint64_t limit);

/* A whole access. The data bus is all ones while the chip is expected to drive it. */
void mk_bus_write(struct mk_bus *bus, unsigned address, uint64_t data);
uint64_t mk_bus_read(struct mk_bus *bus, unsigned address);

/* Write the TEST register with the TEST pin asserted for this access only. */
void mk_bus_test(struct mk_bus *bus, uint64_t value);

/* The value of such a write: instruction bits 15:0 above data bits 31:0. */
#define MK_BUS_INSTRUCTION(instruction, data) ((uint64_t)(instruction) << 32 | (data))

/* A fresh chip with something in every register, every flag pending, FIFO and shadow registers
 * full, all counters running on the node clock, each two clocks behind the one before it, and no
 * network to take anything away. */
void mk_bus_init_busy(struct mk_bus *bus, unsigned w);

/* Trace samples until the FIFO is full, with FREE taken away first. */
void mk_bus_fill(struct mk_bus *bus);

/* Give FREE back and clock until the FIFO is empty. */
void mk_bus_drain(struct mk_bus *bus);

/* The n-th recorded sample, of 16 or 80 bytes with correct parity and the end flag in its place. */
struct mk_bus_sample mk_bus_sample(const struct mk_bus *bus, unsigned n);

/* Recorded samples: elements that carry the end flag. */
unsigned mk_bus_samples(const struct mk_bus *bus);

/* The name of the first difference that a user of the chip could ever see, bus activity excepted;
 * NULL if there is none. */
const char *mk_bus_difference(const struct multikron *a, const struct multikron *b);

/* Like CHECK_EQUAL, naming the row of the table at hand. */
#define MK_BUS_EXPECT(row, actual, expected)                                                       \
	mk_bus_expect(__FILE__, __LINE__, row, (uint64_t)(actual), (uint64_t)(expected))
void mk_bus_expect(const char *file, int line, const char *row, uint64_t actual, uint64_t expected);

/* Printf into a buffer that the next call reuses: a name for a table row. */
const char *mk_bus_row(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
