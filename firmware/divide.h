/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inverses of numbers that are fixed for a group. The firmware computes them when it creates the
 * group; the hardware multiplies by them, so none of its units divides.
 */
#ifndef TALLY_FIRMWARE_DIVIDE_H
#define TALLY_FIRMWARE_DIVIDE_H

#include <stdint.h>

struct divisor {
	uint32_t n, inverse; /* 2^32 + inverse is 2^(32 + shift) / n, rounded up */
	uint8_t shift;	     /* log2 of n, rounded up */
};

/* Return the divisor for n, which is at least 1. */
struct divisor divisor_of(uint32_t n);
/* Return a / b, rounded down. */
uint64_t divide(uint64_t a, uint32_t b);

#endif
