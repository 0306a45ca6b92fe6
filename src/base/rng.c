/* SPDX-License-Identifier: Apache-2.0 */
#include "base/rng.h"

static uint64_t rotate(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t word = *state += UINT64_C(0x9e3779b97f4a7c15);

	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return word ^ word >> 31;
}

void base_rng_seed(struct base_rng *rng, uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++)
		rng->state[i] = splitmix64(&seed);
}

uint64_t base_rng_next(struct base_rng *rng)
{
	uint64_t *s = rng->state;
	uint64_t result = rotate(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate(s[3], 45);
	return result;
}

uint64_t base_rng_below(struct base_rng *rng, uint64_t bound)
{
	uint64_t excess, word;

	if (!bound)
		return 0;
	/* 2^64 mod bound: without that many values the rest divides evenly. */
	excess = -bound % bound;
	do
		word = base_rng_next(rng);
	while (word < excess);
	return word % bound;
}
