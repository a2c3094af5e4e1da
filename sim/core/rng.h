/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deterministic random numbers: xoshiro256** of Blackman and Vigna, whose state splitmix64 fills.
 * The same seed gives the same numbers on every machine. Not for secrets.
 */
#ifndef TALLY_SIM_CORE_RNG_H
#define TALLY_SIM_CORE_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

/* Start the sequence of @seed, which may have any value, including 0. */
void rng_seed(struct rng *rng, uint64_t seed);

/* Return the next 64 random bits. */
uint64_t rng_next(struct rng *rng);

/* Return an unbiased number in 0 .. @bound - 1, or 0 if @bound is 0. */
uint64_t rng_below(struct rng *rng, uint64_t bound);

/*
 * Return true with @probability. If that is at most 0, the function returns false and draws no
 * number, so that a feature that is switched off does not change the sequence.
 */
bool rng_chance(struct rng *rng, double probability);

#endif
