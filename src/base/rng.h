/* SPDX-License-Identifier: Apache-2.0 */
/* Repeatable random numbers: xoshiro256**, its state filled by splitmix64 from one seed.
 * Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47
 * (2021); the public-domain code at prng.di.unimi.it. Not for secrets. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

/* Copy it to replay from here. */
struct base_rng {
	uint64_t state[4]; /* never all zero */
};

/* Every seed is good, 0 too. */
void base_rng_seed(struct base_rng *rng, uint64_t seed);

/* 64 random bits. */
uint64_t base_rng_next(struct base_rng *rng);

/* 0 .. bound - 1, each equally likely; 0 for bound 0. */
uint64_t base_rng_below(struct base_rng *rng, uint64_t bound);

#endif
