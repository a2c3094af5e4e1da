// SPDX-License-Identifier: BSD-2-Clause
/* Integer lanes, in two's complement. Sums and products wrap, and no operation sets a flag. */
#include "alu/alu_lanes.h"

/*
 * The quotient is floor((a + 1) * inverse / 2^64). (a + 1) / n exceeds the quotient by at least 1/n
 * and at most 1. The inverse is rounded down, which takes something away, but less than 1/n,
 * because a and n have 32 bits.
 */
static inline uint32_t divide32(uint32_t a, const struct alu_divisor *d)
{
	return (uint32_t)((unsigned __int128)d->inverse * ((uint64_t)a + 1) >> 64);
}

static inline uint64_t divide64(uint64_t a, const struct alu_divisor *d)
{
	return a / d->n;
}

/* Rounds toward zero: divides the magnitude. @a is sign-extended. */
#define DIVIDE_SIGNED(divide, a)                                                         \
	((a) < 0 ? 0 - divide(0 - (uint64_t)(a), d) : divide((uint64_t)(a), d))

/*
 * Sums and products are unsigned, because wrapping is defined there; 1U keeps short types from int.
 */
#define INT_LANES(t, unsigned_t, quotient)                                               \
	ALU_REDUCE_LANE(alu_sum_##t, unsigned_t, 1U * a + b)                             \
	ALU_REDUCE_LANE(alu_prod_##t, unsigned_t, 1U * a * b)                            \
	ALU_REDUCE_LANE(alu_min_##t, t##_t, b < a ? b : a)                               \
	ALU_REDUCE_LANE(alu_max_##t, t##_t, a < b ? b : a)                               \
	ALU_REDUCE_LANE(alu_land_##t, t##_t, (a != 0) & (b != 0))                        \
	ALU_REDUCE_LANE(alu_lor_##t, t##_t, (a | b) != 0)                                \
	ALU_REDUCE_LANE(alu_lxor_##t, t##_t, (a != 0) ^ (b != 0))                        \
	ALU_REDUCE_LANE(alu_band_##t, t##_t, a & b)                                      \
	ALU_REDUCE_LANE(alu_bor_##t, t##_t, a | b)                                       \
	ALU_REDUCE_LANE(alu_bxor_##t, t##_t, a ^ b)                                      \
	ALU_SCALE_LANE(alu_scale_##t, t##_t, quotient)

INT_LANES(int8, uint8_t, DIVIDE_SIGNED(divide32, a))
INT_LANES(int16, uint16_t, DIVIDE_SIGNED(divide32, a))
INT_LANES(int32, uint32_t, DIVIDE_SIGNED(divide32, a))
INT_LANES(int64, uint64_t, DIVIDE_SIGNED(divide64, a))
INT_LANES(uint8, uint8_t, divide32(a, d))
INT_LANES(uint16, uint16_t, divide32(a, d))
INT_LANES(uint32, uint32_t, divide32(a, d))
INT_LANES(uint64, uint64_t, divide64(a, d))
