/* SPDX-License-Identifier: Apache-2.0 */
/* MultiKron II on a 32-bit bus: the High Order register and what it does to every access. */
#include <kron/multikron2.h>
#include "support/mk2_bus.h"
#include "unit/test.h"

/* A 32-bit processor drives D31..D0; the other lines float, here to a value that must not
 * matter. */
#define FLOAT UINT64_C(0xdeadbeef00000000)

static void write32(struct mk2_bus *bus, unsigned address, uint32_t data)
{
	mk2_bus_write(bus, address, FLOAT | data);
}

static uint32_t read32(struct mk2_bus *bus, unsigned address)
{
	return (uint32_t)mk2_bus_read(bus, address);
}

static void write64(struct mk2_bus *bus, unsigned address, uint64_t data)
{
	write32(bus, MULTIKRON2_HIGH_ORDER, (uint32_t)(data >> 32));
	write32(bus, address, (uint32_t)data);
}

static uint64_t read64(struct mk2_bus *bus, unsigned address)
{
	uint64_t low = read32(bus, address);

	return (uint64_t)read32(bus, MULTIKRON2_HIGH_ORDER) << 32 | low;
}

static void init32(struct mk2_bus *bus)
{
	mk2_bus_init(bus, NULL);
	write32(bus, MULTIKRON2_CSR, MULTIKRON2_CSR_32BIT);
}

/* In 32-bit mode the upper half of a write is the High Order register, whatever the pins say; first
 * the half, then the target, for every 64-bit register there is. MK2-009 MK2-011 MK2-085 */
static void upper_half_of_a_write_comes_from_high_order(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	init32(&bus);
	write64(&bus, MULTIKRON2_MODE, UINT64_C(0x1234123412341234));
	CHECK_EQUAL(bus.chip.mode, UINT64_C(0x1234123412341234));
	write64(&bus, MULTIKRON2_CLOCK_SELECT, UINT64_C(0x4321432132143214));
	CHECK_EQUAL(bus.chip.clock_select, UINT64_C(0x4321432132143214));
	write64(&bus, MULTIKRON2_ENABLE, UINT64_C(0x1211211112112111));
	CHECK_EQUAL(bus.chip.enable, UINT64_C(0x1211211112112111));
	mk2_bus_set(&bus, MULTIKRON2_TEST);
	write64(&bus, MULTIKRON2_TIMESTAMP, UINT64_C(0x00fedcba98765432));
	CHECK_EQUAL(bus.chip.core.timestamp, UINT64_C(0x00fedcba98765432));
	/* The register stays: a second target gets the same upper half. */
	write32(&bus, MULTIKRON2_TIMESTAMP, 1);
	CHECK_EQUAL(bus.chip.core.timestamp, UINT64_C(0x00fedcba00000001));
}

/* In 64-bit mode the pins supply the upper half, and the High Order register stays as it is.
 * MK2-032 MK2-086 */
static void upper_half_of_a_write_comes_from_the_pins_in_64_bit_mode(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	init32(&bus);
	write32(&bus, MULTIKRON2_HIGH_ORDER, 0x11111111);
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_64BIT);
	mk2_bus_write(&bus, MULTIKRON2_CLOCK_SELECT, UINT64_C(0x2222222233333333));
	CHECK_EQUAL(bus.chip.clock_select, UINT64_C(0x2222222233333333));
	CHECK_EQUAL(bus.chip.high_order, 0x11111111);
	mk2_bus_write(&bus, MULTIKRON2_HIGH_ORDER, UINT64_C(0x4444444455555555));
	CHECK_EQUAL(bus.chip.high_order, 0x55555555);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_HIGH_ORDER), MK2_WORD(0x55555555));
}

/* A write to the High Order register takes its own data, not its own old contents. MK2-011 */
static void high_order_is_written_from_the_low_pins(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	init32(&bus);
	for (unsigned i = 0; i < 32; i++) {
		write32(&bus, MULTIKRON2_HIGH_ORDER, 1u << i);
		CHECK_ROW(i, bus.chip.high_order, 1u << i);
	}
}

/* In both modes a read leaves its upper half in the High Order register: target first, then the
 * half. MK2-010 MK2-011 */
static void reads_leave_their_upper_half_in_high_order(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	for (unsigned mode = 0; mode < 2; mode++) {
		mk2_bus_init(&bus, NULL);
		mk2_bus_test_write(&bus, MULTIKRON2_TIMESTAMP, UINT64_C(0x0123456789abcdef));
		mk2_bus_write(&bus, MULTIKRON2_MODE, UINT64_C(0x3333333322222222));
		mk2_bus_write(&bus, MULTIKRON2_CSR,
			      mode ? MULTIKRON2_CSR_32BIT : MULTIKRON2_CSR_64BIT);
		/* Bits 63:56 of the time stamp are unused and read as ones. */
		CHECK_ROW(mode, read64(&bus, MULTIKRON2_TIMESTAMP), UINT64_C(0xff23456789abcdef));
		CHECK_ROW(mode, read64(&bus, MULTIKRON2_MODE), UINT64_C(0x3333333322222222));
		CHECK_ROW(mode, read64(&bus, MULTIKRON2_ENABLE), UINT64_C(0x1111111111111111));
		CHECK_ROW(mode, read64(&bus, MULTIKRON2_FILTER), UINT64_C(0xffffffffffff0000));
	}
}

/* The whole word still stands on the pins of a read in 32-bit mode. MK2-010 */
static void reads_drive_all_pins_in_32_bit_mode(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	init32(&bus);
	CHECK_EQUAL(mk2_bus_read(&bus, MULTIKRON2_MODE), UINT64_C(0x4444444444444444));
}

/* Reading the half again gives the half again: address 7 does not overwrite itself. MK2-013 */
static void reading_high_order_keeps_it(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	init32(&bus);
	read32(&bus, MULTIKRON2_MODE);
	for (unsigned i = 0; i < 4; i++)
		CHECK_ROW(i, mk2_bus_read(&bus, MULTIKRON2_HIGH_ORDER), MK2_WORD(0x44444444));
}

/* Nothing keeps two accesses together: a write of somebody else between the halves takes the half,
 * and a read of somebody else replaces it. The chip must show this hazard. MK2-012 */
static void interleaved_accesses_corrupt_each_other(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	init32(&bus);
	mk2_bus_open(&bus, 0);

	/* Process A: half of its data. An interrupt: a whole sample of process B. Process A: the
	 * rest. */
	write32(&bus, MULTIKRON2_HIGH_ORDER, 0xaaaaaaaa);
	write64(&bus, MULTIKRON2_TRACE, UINT64_C(0xbbbbbbbb00000002));
	write32(&bus, MULTIKRON2_TRACE, 1);
	/* The same with a read in the middle. */
	write32(&bus, MULTIKRON2_HIGH_ORDER, 0xaaaaaaaa);
	read32(&bus, MULTIKRON2_MODE);
	write32(&bus, MULTIKRON2_TRACE, 3);
	mk2_bus_drain(&bus);
	CHECK_EQUAL(mk2_bus_sample(&bus, 0).data, UINT64_C(0xbbbbbbbb00000002));
	CHECK_EQUAL(mk2_bus_sample(&bus, 1).data, UINT64_C(0xbbbbbbbb00000001));
	CHECK_EQUAL(mk2_bus_sample(&bus, 2).data, UINT64_C(0x4444444400000003));

	/* A read, interrupted by another read, gets the other's upper half. */
	mk2_bus_test_write(&bus, MULTIKRON2_INC_TIMESTAMP, 0);
	CHECK_EQUAL(read32(&bus, MULTIKRON2_TIMESTAMP), 1);
	CHECK_EQUAL(read32(&bus, MULTIKRON2_ENABLE), 0x11111111);
	CHECK_EQUAL(read32(&bus, MULTIKRON2_HIGH_ORDER), 0x11111111);
}

/* 64 bits of user data in a sample cost two writes on a 32-bit bus; one alone uses a stale half.
 * MK2-014 MK2-097 */
static void sample_data_take_two_writes_in_32_bit_mode(void **state)
{
	static struct mk2_bus bus;

	(void)state;
	init32(&bus);
	mk2_bus_open(&bus, 0);
	write64(&bus, MULTIKRON2_TRACE + 3, UINT64_C(0x0123456789abcdef));
	write32(&bus, MULTIKRON2_TRACE + 3, 0x5555aaaa);
	write64(&bus, MULTIKRON2_RESOURCE + 3, UINT64_C(0xfedcba9876543210));
	mk2_bus_drain(&bus);
	CHECK_EQUAL(mk2_bus_sample(&bus, 0).data, UINT64_C(0x0123456789abcdef));
	CHECK_EQUAL(mk2_bus_sample(&bus, 1).data, UINT64_C(0x012345675555aaaa));
	CHECK_EQUAL(mk2_bus_sample(&bus, 2).data, UINT64_C(0xfedcba9876543210));
	CHECK_EQUAL(mk2_bus_sample(&bus, 2).bytes, MK2_SAMPLE_BYTES);
}

/* The mode is chosen by command, survives other commands, and a reset of either kind goes back to
 * 64 bits. MK2-064 MK2-085 MK2-086 */
static void width_is_chosen_in_the_csr_and_64_bits_after_reset(void **state)
{
	static struct mk2_bus bus;
	const uint32_t both = MULTIKRON2_CSR_32BIT | MULTIKRON2_CSR_64BIT;

	(void)state;
	mk2_bus_init(&bus, NULL);
	CHECK_EQUAL(mk2_bus_csr(&bus) & both, MULTIKRON2_CSR_64BIT);
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_32BIT);
	CHECK_EQUAL(mk2_bus_csr(&bus) & both, MULTIKRON2_CSR_32BIT);
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_SAMPLING);
	CHECK_EQUAL(mk2_bus_csr(&bus) & both, MULTIKRON2_CSR_32BIT);
	mk2_bus_write(&bus, MULTIKRON2_SOFT_RESET, 0);
	CHECK_EQUAL(mk2_bus_csr(&bus) & both, MULTIKRON2_CSR_64BIT);
	mk2_bus_write(&bus, MULTIKRON2_CSR, MULTIKRON2_CSR_32BIT);
	mk2_bus_reset(&bus, 5);
	CHECK_EQUAL(mk2_bus_csr(&bus) & both, MULTIKRON2_CSR_64BIT);
}

TEST_MAIN(TEST(upper_half_of_a_write_comes_from_high_order),
	  TEST(upper_half_of_a_write_comes_from_the_pins_in_64_bit_mode),
	  TEST(high_order_is_written_from_the_low_pins),
	  TEST(reads_leave_their_upper_half_in_high_order),
	  TEST(reads_drive_all_pins_in_32_bit_mode), TEST(reading_high_order_keeps_it),
	  TEST(interleaved_accesses_corrupt_each_other),
	  TEST(sample_data_take_two_writes_in_32_bit_mode),
	  TEST(width_is_chosen_in_the_csr_and_64_bits_after_reset))
