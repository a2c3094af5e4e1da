/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Division by a number that is fixed for a group. The firmware computes an inverse when the group is
 * created. The units multiply by it, so none of them divides.
 */
#ifndef TALLY_SIM_ENGINE_DIVIDE_H
#define TALLY_SIM_ENGINE_DIVIDE_H

#include <stdint.h>

struct divisor {
	uint32_t n, inverse; /* 2^32 + inverse is 2^(32 + shift) / n, rounded up */
	uint8_t shift;	     /* log2 of n, rounded up */
};

/* Return the divisor for n, which is at least 1. This is firmware. */
static inline struct divisor divisor_of(uint32_t n)
{
	uint8_t shift = n > 1 ? 32 - __builtin_clz(n - 1) : 0;
	uint64_t above = (1ULL << shift) - n;

	return (struct divisor){ n, (uint32_t)((above << 32) / n + 1), shift };
}

static inline uint32_t quotient(const struct divisor *d, uint32_t value)
{
	return (uint32_t)((((uint64_t)value * d->inverse >> 32) + value) >> d->shift);
}

static inline uint32_t modulo(const struct divisor *d, uint32_t value)
{
	return value - quotient(d, value) * d->n;
}

#endif
