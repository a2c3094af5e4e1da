/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Internal to the ALU: properties of the floating-point formats, which all lanes share. A number is
 * its bits, right-aligned in a word of 64 bits: sign, exponent field, fraction field.
 */
#ifndef TALLY_SIM_ALU_ALU_FLOAT_H
#define TALLY_SIM_ALU_ALU_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/tally_hw.h"

/* A constant format is folded into the arithmetic of a lane. */
#define ALU_INLINE static inline __attribute__((always_inline))

/* Conditions that hold only for unusual data. */
#define ALU_RARE(x) __builtin_expect(!!(x), 0)

struct fp_format {
	uint8_t bits; /* bits of a number */
	uint8_t man;  /* bits of its fraction field; the remaining ones are the exponent */
};

#define FP_FP16 ((struct fp_format){ .bits = 16, .man = 10 })
#define FP_FP32 ((struct fp_format){ .bits = 32, .man = 23 })
#define FP_FP64 ((struct fp_format){ .bits = 64, .man = 52 })
#define FP_BF16 ((struct fp_format){ .bits = 16, .man = 7 })

ALU_INLINE uint64_t fp_sign(struct fp_format f)
{
	return 1ULL << (f.bits - 1);
}

ALU_INLINE uint64_t fp_magnitude(struct fp_format f, uint64_t x)
{
	return x & (fp_sign(f) - 1);
}

/* The implicit leading one of a normal number, which is just above the fraction field. */
ALU_INLINE uint64_t fp_hidden(struct fp_format f)
{
	return 1ULL << f.man;
}

/* The magnitude of infinity: exponent all ones, fraction zero. NaNs have larger magnitudes. */
ALU_INLINE uint64_t fp_infinity(struct fp_format f)
{
	return fp_sign(f) - fp_hidden(f);
}

/* The only NaN that the ALU produces, so that no payload depends on the order of contributions. */
ALU_INLINE uint64_t fp_nan(struct fp_format f)
{
	return fp_infinity(f) | fp_hidden(f) >> 1;
}

ALU_INLINE bool fp_is_nan(struct fp_format f, uint64_t x)
{
	return fp_magnitude(f, x) > fp_infinity(f);
}

/* Signalling NaNs, which have a zero as the top bit of the fraction, are invalid operands. */
ALU_INLINE uint16_t fp_invalid(struct fp_format f, uint64_t x)
{
	bool signalling = fp_is_nan(f, x) && fp_magnitude(f, x) < fp_nan(f);

	return signalling ? TALLY_ERR_FP_INVALID : 0;
}

/* Map numbers to unsigned words of the same order, with -0 below +0. */
ALU_INLINE uint64_t fp_order(struct fp_format f, uint64_t x)
{
	return x & fp_sign(f) ? x ^ (2 * fp_sign(f) - 1) : x | fp_sign(f);
}

/* Return true, with the result in @out, if either operand is a NaN. */
ALU_INLINE bool fp_take_nan(struct fp_format f, uint64_t a, uint64_t b, uint64_t *out,
			    uint16_t *err)
{
	if (!ALU_RARE(fp_is_nan(f, a) | fp_is_nan(f, b)))
		return false;
	*err |= fp_invalid(f, a) | fp_invalid(f, b);
	*out = fp_nan(f);
	return true;
}

/* Return a sum with an operand that is not finite. */
ALU_INLINE uint64_t fp_sum_special(struct fp_format f, uint64_t a, uint64_t b, uint16_t *err)
{
	uint64_t nan;

	if (fp_take_nan(f, a, b, &nan, err))
		return nan;
	if (fp_magnitude(f, a) != fp_infinity(f))
		return b;
	if (fp_magnitude(f, b) != fp_infinity(f) || a == b)
		return a;
	*err |= TALLY_ERR_FP_INVALID;
	return fp_nan(f);
}

#endif
