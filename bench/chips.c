/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the chip models run, in node clocks per second; the real part has 50 M of them.
 *
 *   sampling  one trace sample triggered every 100 clocks, all sixteen counters counting node clocks,
 *             the time stamp clock at 10 MHz, every byte of the network taken one by one
 *   counting  the same without triggers: nothing happens but counting
 *   tick      multikron_tick() alone, at every clock
 *
 * Each figure is the median of RUNS, interleaved. The limit of `sampling` is `tick`: a sample is 32
 * (MultiKron II: 40) clocks of network output, which have to be played one by one. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <kron/multikron.h>
#include <kron/multikron2.h>

#define RUNS         9
#define SAMPLE_EVERY 100
#define REAL_TIME    50e6

/* Both chips behind one face. The shared pads stand on the same bits. */
struct bench_chip {
	const char *name;
	struct multikron_pins (*tick)(struct multikron_pins pins);
	struct multikron_pins (*run)(struct multikron_pins pins, uint64_t n);
	bool (*quiet)(void);
	void (*setup)(void);
};

static struct multikron first;
static struct multikron2 second;
static struct multikron_osc osc;
static volatile uint64_t bytes_taken;

static const struct multikron_pins idle_pins = {
	.control = MULTIKRON_FREE | MULTIKRON_C(0) | MULTIKRON2_START,
};

static uint64_t stamp_clock(void)
{
	return multikron_osc_step(&osc) ? MULTIKRON_TSCLK : 0;
}

static struct multikron_pins first_tick(struct multikron_pins pins)
{
	pins.control = (pins.control & ~MULTIKRON_ITEST) | stamp_clock();
	return multikron_tick(&first, pins);
}

static struct multikron_pins first_run(struct multikron_pins pins, uint64_t n)
{
	pins.control &= ~MULTIKRON_ITEST;
	return multikron_run_clocked(&first, pins, n, &osc);
}

static bool first_quiet(void)
{
	return multikron_quiet(&first);
}

static struct multikron_pins second_tick(struct multikron_pins pins)
{
	pins.control |= stamp_clock();
	return multikron2_tick(&second, pins);
}

static struct multikron_pins second_run(struct multikron_pins pins, uint64_t n)
{
	return multikron2_run_clocked(&second, pins, n, &osc);
}

static bool second_quiet(void)
{
	return multikron2_quiet(&second);
}

/* One tick; takes the byte that the network may show. */
static struct multikron_pins step(const struct bench_chip *chip, struct multikron_pins pins)
{
	const uint64_t byte = MULTIKRON_NETCLK | MULTIKRON_LOAD;
	struct multikron_pins out = chip->tick(pins);

	if ((out.control & byte) == byte)
		bytes_taken++;
	return out;
}

/* Returns the clocks it took. */
static uint64_t write_chip(const struct bench_chip *chip, unsigned address, uint64_t data)
{
	struct multikron_pins pins = idle_pins;
	uint64_t clocks = 1;

	pins.data = data;
	pins.control |= MULTIKRON_A(address) | MULTIKRON_WR;
	pins = step(chip, pins);
	while (!(pins.control & MULTIKRON_RDY)) {
		pins = step(chip, idle_pins);
		clocks++;
	}
	return clocks;
}

static void first_setup(void);
static void second_setup(void);

static const struct bench_chip chips[] = {
	{ "MultiKron", first_tick, first_run, first_quiet, first_setup },
	{ "MultiKron II", second_tick, second_run, second_quiet, second_setup },
};

#define CHIPS (sizeof(chips) / sizeof(chips[0]))

static void first_setup(void)
{
	const struct bench_chip *chip = &chips[0];

	multikron_init(&first, NULL);
	write_chip(chip, MULTIKRON_FILTER, 0xffff);
	write_chip(chip, MULTIKRON_CSR, MULTIKRON_CSR_SAMPLING);
	write_chip(chip, MULTIKRON_MUX_SEL, UINT64_C(0x0000ffff0000ffff));
	write_chip(chip, MULTIKRON_RESOURCE_ENABLE, 0xffff);
}

static void second_setup(void)
{
	const struct bench_chip *chip = &chips[1];

	multikron2_init(&second, NULL);
	write_chip(chip, MULTIKRON2_FILTER, 0xffff);
	write_chip(chip, MULTIKRON2_CSR, MULTIKRON2_CSR_SAMPLING);
	write_chip(chip, MULTIKRON2_MODE, MULTIKRON2_ALL(MULTIKRON2_MODE_CLOCK));
	write_chip(chip, MULTIKRON2_CLOCK_SELECT, MULTIKRON2_ALL(MULTIKRON2_CLOCK_NODE));
	write_chip(chip, MULTIKRON2_ENABLE, MULTIKRON2_ALL(MULTIKRON2_ENABLE_RESET));
}

static void play_sampling(const struct bench_chip *chip, uint64_t clocks)
{
	while (clocks >= SAMPLE_EVERY) {
		uint64_t left = SAMPLE_EVERY - write_chip(chip, MULTIKRON_TRACE, clocks);

		while (left && !chip->quiet()) {
			step(chip, idle_pins);
			left--;
		}
		if (left)
			chip->run(idle_pins, left);
		clocks -= SAMPLE_EVERY;
	}
}

/* In stretches of SAMPLE_EVERY clocks, as an owner that looks at it now and then would. */
static void play_counting(const struct bench_chip *chip, uint64_t clocks)
{
	for (; clocks >= SAMPLE_EVERY; clocks -= SAMPLE_EVERY)
		chip->run(idle_pins, SAMPLE_EVERY);
}

static void play_tick(const struct bench_chip *chip, uint64_t clocks)
{
	while (clocks--)
		step(chip, idle_pins);
}

static const struct bench_row {
	const char *name;
	void (*play)(const struct bench_chip *chip, uint64_t clocks);
	uint64_t clocks;
	double bar; /* clocks per second asked for; 0: none */
} rows[] = {
	{ "sampling", play_sampling, 10000000, 50e6 },
	{ "counting", play_counting, 1000000000, 1e9 },
	{ "tick", play_tick, 5000000, 0 },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	static double rate[CHIPS][ROWS][RUNS];

	for (unsigned run = 0; run < RUNS; run++) {
		for (unsigned c = 0; c < CHIPS; c++) {
			for (unsigned r = 0; r < ROWS; r++) {
				osc = (struct multikron_osc){ .hz = 10000000, .node_hz = 50000000 };
				chips[c].setup();
				double start = seconds();
				rows[r].play(&chips[c], rows[r].clocks);
				rate[c][r][run] = (double)rows[r].clocks / (seconds() - start);
			}
		}
	}
	printf("%-13s %-9s %12s %12s %10s\n", "chip", "load", "M clocks/s", "x real time", "bar");
	for (unsigned c = 0; c < CHIPS; c++) {
		for (unsigned r = 0; r < ROWS; r++) {
			char bar[16] = "-";
			double median;

			qsort(rate[c][r], RUNS, sizeof(double), compare);
			median = rate[c][r][RUNS / 2];
			if (rows[r].bar > 0)
				snprintf(bar, sizeof(bar), "%.0f %s", rows[r].bar / 1e6,
					 median >= rows[r].bar ? "met" : "MISSED");
			printf("%-13s %-9s %12.1f %12.1f %10s\n", chips[c].name, rows[r].name,
			       median / 1e6, median / REAL_TIME, bar);
		}
	}
	return 0;
}
