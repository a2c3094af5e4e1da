// SPDX-License-Identifier: BSD-2-Clause
#include "core/rng.h"

static uint64_t rotl(uint64_t x, unsigned int k)
{
	return x << k | x >> (64 - k);
}

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

void rng_seed(struct rng *rng, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		rng->s[i] = splitmix64(&seed);
}

uint64_t rng_next(struct rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
	uint64_t excess, x;

	if (!bound)
		return 0;
	/* 2^64 mod bound: numbers below it would make small remainders more likely. */
	excess = -bound % bound;
	do {
		x = rng_next(rng);
	} while (x < excess);
	return x % bound;
}

bool rng_chance(struct rng *rng, double probability)
{
	if (!(probability > 0))
		return false;
	/* 53 random bits are a double in [0, 1) without rounding. */
	return (double)(rng_next(rng) >> 11) * 0x1p-53 < probability;
}
