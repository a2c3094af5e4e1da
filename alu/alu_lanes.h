/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internal to the ALU: lanes process words of 512 bits that are full of elements of one type, as
 * the hardware does. Each pair of operation and type has a function of its own, so that the
 * compiler unrolls and vectorizes it; alu.c has the table of these functions.
 */
#ifndef TALLY_SIM_ALU_ALU_LANES_H
#define TALLY_SIM_ALU_ALU_LANES_H

#include <stdint.h>

/* Elements are little-endian, and lanes use them in the host's byte order. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the ALU's C model: little-endian hosts");

#define ALU_WORD 64 /* in bytes */

/* Divisor of scale lanes, prepared once for a vector. */
struct alu_divisor {
	uint32_t n;
	uint64_t inverse; /* floor((2^64 - 1) / n) */
};

/* acc = acc op in over @words words. Returns TALLY_ERR_FP_*. */
typedef uint16_t alu_reduce_lane(void *acc, const void *in, uint32_t words);
/* acc = acc / d over @words words. Returns TALLY_ERR_FP_*. */
typedef uint16_t alu_scale_lane(void *acc, uint32_t words, const struct alu_divisor *d);

/*
 * Define a lane on elements of @T. @expr computes an element from @a and @b and may OR
 * TALLY_ERR_FP_* into @err. @acc and @in point to the same memory or do not overlap, so no element
 * depends on another; ivdep tells the compiler.
 */
#define ALU_REDUCE_LANE(name, T, expr)                                                   \
	uint16_t name(void *acc, const void *in, uint32_t words)                         \
	{                                                                                \
		typedef T elem __attribute__((aligned(1), may_alias));                   \
		const unsigned int n = ALU_WORD / sizeof(T);                             \
		const elem *y = in;                                                      \
		uint16_t err = 0;                                                        \
		elem *x = acc;                                                           \
											 \
		for (; words; words--, x += n, y += n) {                                 \
			_Pragma("GCC ivdep")                                             \
			for (unsigned int i = 0; i < n; i++) {                           \
				T a = x[i], b = y[i];                                    \
											 \
				x[i] = (T)(expr);                                        \
			}                                                                \
		}                                                                        \
		return err;                                                              \
	}

/* Define a lane that computes the quotient of @a and @d. */
#define ALU_SCALE_LANE(name, T, expr)                                                    \
	uint16_t name(void *acc, uint32_t words, const struct alu_divisor *d)            \
	{                                                                                \
		typedef T elem __attribute__((aligned(1), may_alias));                   \
		const unsigned int n = ALU_WORD / sizeof(T);                             \
		uint16_t err = 0;                                                        \
		elem *x = acc;                                                           \
											 \
		for (; words; words--, x += n) {                                         \
			for (unsigned int i = 0; i < n; i++) {                           \
				T a = x[i];                                              \
											 \
				x[i] = (T)(expr);                                        \
			}                                                                \
		}                                                                        \
		return err;                                                              \
	}

/* Lanes of every type: on numbers (alu_int.c, alu_fp.c) and on pairs (alu_loc.c). */
#define ALU_NUMBER_LANES(t)                                                              \
	alu_reduce_lane alu_sum_##t, alu_min_##t, alu_max_##t, alu_prod_##t;             \
	alu_reduce_lane alu_minloc_##t, alu_maxloc_##t;                                  \
	alu_scale_lane alu_scale_##t;
/* Lanes of integers only. */
#define ALU_BIT_LANES(t)                                                                 \
	alu_reduce_lane alu_land_##t, alu_lor_##t, alu_lxor_##t;                         \
	alu_reduce_lane alu_band_##t, alu_bor_##t, alu_bxor_##t;

#define ALU_INT_TYPES(X) X(int8) X(int16) X(int32) X(int64) X(uint8) X(uint16) X(uint32) X(uint64)
#define ALU_FP_TYPES(X) X(fp16) X(fp32) X(fp64) X(bf16)

/* Lanes of alu_sum_ for short floats: one by one (alu_fp.c) or eight at a time (alu_sum.c). */
#define ALU_SHORT_SUM_LANES(t) alu_reduce_lane alu_sum1_##t, alu_sum8_##t;
#define ALU_SHORT_FP_TYPES(X) X(fp16) X(fp32) X(bf16)

ALU_INT_TYPES(ALU_NUMBER_LANES)
ALU_INT_TYPES(ALU_BIT_LANES)
ALU_FP_TYPES(ALU_NUMBER_LANES)
ALU_SHORT_FP_TYPES(ALU_SHORT_SUM_LANES)

#endif
