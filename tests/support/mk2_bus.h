/* SPDX-License-Identifier: Apache-2.0 */
/* A bus master and a network receiver for tests of struct multikron2.
 *
 * The master holds every input until a test changes it, strobes for one node clock, and keeps what
 * the chip sent. Nothing here knows what the chip should do: the tests say that. */
#ifndef MK2_BUS_H
#define MK2_BUS_H

#include <stddef.h>
#include <kron/multikron2.h>

#define MK2_BUS_ELEMENTS 2048
#define MK2_ADDRESSES    128
#define MK2_TRACE_BYTES  20
#define MK2_SAMPLE_BYTES 84

/* The unused upper half of a 32-bit register reads as ones. */
#define MK2_UPPER       UINT64_C(0xffffffff00000000)
#define MK2_WORD(value) (MK2_UPPER | (uint32_t)(value))
#define MK2_ONES        UINT64_MAX

/* As CHECK_EQUAL, and says which row of a table it was. */
#define CHECK_ROW(row, actual, expected)                                                           \
	do {                                                                                       \
		uintmax_t actual_ = (uintmax_t)(actual);                                           \
		uintmax_t expected_ = (uintmax_t)(expected);                                       \
		if (actual_ != expected_)                                                          \
			print_error("row %u: %s\n", (unsigned)(row), #actual);                     \
		CHECK_EQUAL(actual_, expected_);                                                   \
	} while (0)

/* One transfer to the network. */
struct mk2_element {
	uint64_t tick;
	uint8_t byte;
	bool parity;
	bool eom;
};

struct mk2_bus {
	struct multikron2 chip;
	uint64_t levels;           /* inputs that stay until changed; C0 after init */
	struct multikron_pins out; /* as the last tick left them */
	uint64_t ticks;            /* since init */
	unsigned clocks;           /* of the last access, from the strobe to ACK, both included */
	uint64_t samples;          /* ends of message received since init */
	size_t elements;           /* received since init or mk2_bus_forget() */
	struct mk2_element element[MK2_BUS_ELEMENTS];
};

/* A sample as received. */
struct mk2_sample {
	size_t bytes;
	uint64_t first_tick, last_tick; /* of its first and last byte */
	uint8_t header;
	uint64_t time;
	uint32_t source;
	uint64_t data;
	uint32_t counter[MULTIKRON_COUNTERS]; /* resource samples only */
};

/* Everything a processor and a network can find out about a chip, each item from a copy of it, so
 * that looking changes nothing. */
struct mk2_view {
	uint64_t reg[MK2_ADDRESSES];
	uint32_t counter[MULTIKRON_COUNTERS];
	uint8_t sent[1024]; /* what the network would receive from now on */
	size_t sent_bytes;
	unsigned sent_samples;
};

/* The default configuration, to change one field of. */
struct multikron2_config mk2_bus_config(void);

/* config NULL means the defaults. Inputs: C0 asserted, all others not. */
void mk2_bus_init(struct mk2_bus *bus, const struct multikron2_config *config);

void mk2_bus_set(struct mk2_bus *bus, uint64_t inputs);
void mk2_bus_clear(struct mk2_bus *bus, uint64_t inputs);
void mk2_bus_cpu(struct mk2_bus *bus, unsigned cpu);

/* One tick with control asserted beside the levels. */
void mk2_bus_drive(struct mk2_bus *bus, uint64_t control, uint64_t data);
void mk2_bus_pulse(struct mk2_bus *bus, uint16_t pulse);
void mk2_bus_clock(struct mk2_bus *bus, uint64_t n);
/* n ticks by multikron2_run(): nothing may be sent meanwhile. */
void mk2_bus_run(struct mk2_bus *bus, uint64_t n);
/* RESET for n ticks; the next tick is the first without it. */
void mk2_bus_reset(struct mk2_bus *bus, unsigned n);
/* n time stamp clocks at a third of the node clock. */
void mk2_bus_stamp(struct mk2_bus *bus, unsigned n);
/* One tick if need be, so that the next tick leaves NETCLK as told. */
void mk2_bus_align(struct mk2_bus *bus, bool next_netclk);

bool mk2_bus_acked(const struct mk2_bus *bus);
void mk2_bus_strobe_write(struct mk2_bus *bus, unsigned address, uint64_t data);
void mk2_bus_strobe_read(struct mk2_bus *bus, unsigned address);
/* After a strobe: tick until ACK, at most limit ticks; false if it did not come. */
bool mk2_bus_wait(struct mk2_bus *bus, unsigned limit);
/* Whole accesses; fail the test without ACK. The write returns its node clocks. */
unsigned mk2_bus_write(struct mk2_bus *bus, unsigned address, uint64_t data);
uint64_t mk2_bus_read(struct mk2_bus *bus, unsigned address);
/* A write with TEST asserted for just that access. */
void mk2_bus_test_write(struct mk2_bus *bus, unsigned address, uint64_t data);

/* Sampling on, all filter levels open, plus these CSR commands. */
void mk2_bus_open(struct mk2_bus *bus, uint64_t csr);
uint32_t mk2_bus_csr(struct mk2_bus *bus);

/* Let the network take everything; NETRDY is afterwards as it was. */
void mk2_bus_drain(struct mk2_bus *bus);
void mk2_bus_forget(struct mk2_bus *bus);
/* The k-th complete sample received; fails the test on wrong parity or length. */
struct mk2_sample mk2_bus_sample(const struct mk2_bus *bus, size_t k);

/* Fill a new chip with a value of its own in every register, stop the network, and leave two
 * samples in the FIFO (one if not busy), a pending shadow overrun, and the shadow registers busy or
 * free. Nothing counts, so the state stays as it is. */
void mk2_bus_populate(struct mk2_bus *bus, bool shadow_busy);

void mk2_bus_view(const struct mk2_bus *bus, struct mk2_view *view);
/* The view of a chip after hardware reset. */
void mk2_bus_reset_view(struct mk2_view *view);
void mk2_bus_check_view(unsigned row, const struct mk2_view *actual,
			const struct mk2_view *expected);
/* Append one FIFO entry to what a view expects to be sent; counters may be NULL. */
void mk2_bus_expect_sent(struct mk2_view *view, const uint32_t group[5], const uint32_t *counters);

#endif
