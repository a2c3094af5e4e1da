/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Deterministic random numbers: xoshiro256** of Blackman and Vigna, its state filled by splitmix64.
 * The same seed gives the same numbers on every machine. Not for secrets.
 */
#ifndef TALLY_SIM_CORE_RNG_H
#define TALLY_SIM_CORE_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

/* Starts the sequence that belongs to @seed; every seed is good, 0 too. */
void rng_seed(struct rng *rng, uint64_t seed);

/* The next 64 random bits. */
uint64_t rng_next(struct rng *rng);

/* An unbiased number in 0 .. @bound - 1; 0 when @bound is 0. */
uint64_t rng_below(struct rng *rng, uint64_t bound);

/*
 * True with @probability. At 0 and below it is false and draws nothing, so that a feature that is
 * switched off leaves the sequence alone.
 */
bool rng_chance(struct rng *rng, double probability);

#endif
