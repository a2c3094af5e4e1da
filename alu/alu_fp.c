// SPDX-License-Identifier: BSD-2-Clause
/*
 * Floating-point lanes, in integer arithmetic without branches that depend on ordinary data: a
 * branch that cannot be predicted costs more than the rest of a sum.
 */
#include "alu/alu_float.h"
#include "alu/alu_lanes.h"

/*
 * A finite magnitude before rounding: sig * 2^(exp - 63 - bias). The leading one is at bit 63,
 * unless exp is 1, the scale of the subnormals. Bits that were lost below bit 0 are ORed into it
 * (sticky).
 */
struct unpacked {
	uint64_t sig;
	int64_t exp;
};

ALU_INLINE int max_exp(struct fp_format f)
{
	return (1 << (f.bits - 1 - f.man)) - 1;
}

/* Unpack a finite number; its hidden bit, if it has one, moves to bit 63. */
ALU_INLINE struct unpacked unpack(struct fp_format f, uint64_t x)
{
	uint64_t exp = fp_magnitude(f, x) >> f.man;

	exp += !exp;
	return (struct unpacked){
		.sig = (fp_magnitude(f, x) - ((exp - 1) << f.man)) << (63 - f.man),
		.exp = exp,
	};
}

/* Unpack a finite number that is not zero, with the leading one at bit 63 for subnormals too. */
ALU_INLINE struct unpacked unpack_normal(struct fp_format f, uint64_t x)
{
	struct unpacked u = unpack(f, x);
	int up = __builtin_clzll(u.sig);

	return (struct unpacked){ .sig = u.sig << up, .exp = u.exp - up };
}

/* Shift right by 0 to 63. Bits that fall out are ORed into the last bit. */
ALU_INLINE uint64_t shift_sticky(uint64_t x, unsigned int by)
{
	uint64_t kept = x >> by;

	return kept | (kept << by != x);
}

/* Round to nearest, ties to even, and pack a magnitude. The exponent is at least 1. */
ALU_INLINE uint64_t round_pack(struct fp_format f, struct unpacked u, uint16_t *err)
{
	const unsigned int drop = 63 - f.man;
	const uint64_t half = 1ULL << (drop - 1);
	uint64_t rest = u.sig & (2 * half - 1);
	uint64_t sig = u.sig >> drop;
	uint64_t mag;

	sig += rest + (sig & 1) > half;
	/* The hidden bit, if there is one, and a carry out of rounding increase the exponent. */
	mag = ((uint64_t)(u.exp - 1) << f.man) + sig;
	*err |= rest ? TALLY_ERR_FP_INEXACT : 0;
	if (ALU_RARE(mag >= fp_infinity(f))) {
		*err |= TALLY_ERR_FP_OVERFLOW | TALLY_ERR_FP_INEXACT;
		return fp_infinity(f);
	}
	return mag;
}

/*
 * Round and pack a number with its leading one at bit 63 and any exponent. A number that is below
 * the normal numbers, even if rounded with an unbounded exponent, underflows if it is inexact.
 */
ALU_INLINE uint64_t round_pack_any(struct fp_format f, struct unpacked u, uint16_t *err)
{
	const uint64_t half = 1ULL << (62 - f.man);
	uint16_t raised = 0;
	unsigned int down;
	uint64_t mag;
	bool tiny;

	if (!ALU_RARE(u.exp < 1))
		return round_pack(f, u, err);
	tiny = u.exp < 0 || u.sig + half > u.sig; /* no carry to the smallest normal number */
	down = u.exp < -62 ? 63 : (unsigned int)(1 - u.exp);
	u = (struct unpacked){ .sig = shift_sticky(u.sig, down), .exp = 1 };
	mag = round_pack(f, u, &raised);
	if (tiny && raised)
		raised |= TALLY_ERR_FP_UNDERFLOW;
	*err |= raised;
	return mag;
}

ALU_INLINE uint64_t fp_min(struct fp_format f, uint64_t a, uint64_t b, uint16_t *err)
{
	uint64_t nan;

	if (fp_take_nan(f, a, b, &nan, err))
		return nan;
	return fp_order(f, b) < fp_order(f, a) ? b : a;
}

ALU_INLINE uint64_t fp_max(struct fp_format f, uint64_t a, uint64_t b, uint16_t *err)
{
	uint64_t nan;

	if (fp_take_nan(f, a, b, &nan, err))
		return nan;
	return fp_order(f, a) < fp_order(f, b) ? b : a;
}

/* A subnormal sum is exact, so there is no underflow. */
ALU_INLINE uint64_t fp_sum(struct fp_format f, uint64_t a, uint64_t b, uint16_t *err)
{
	uint64_t swap = (a ^ b) & (0 - (uint64_t)(fp_magnitude(f, a) < fp_magnitude(f, b)));
	uint64_t large = a ^ swap, small = b ^ swap;
	uint64_t differ = 0 - ((a ^ b) >> (f.bits - 1));
	struct unpacked ul = unpack(f, large), us = unpack(f, small);
	unsigned int down = (unsigned int)(ul.exp - us.exp), up;
	uint64_t sum;

	if (ALU_RARE(fp_magnitude(f, large) >= fp_infinity(f)))
		return fp_sum_special(f, a, b, err);
	/*
	 * There is one bit of room above for the carry. There are enough bits below: a shift left
	 * by more than one, after a cancellation, only follows a shift right by at most one.
	 */
	sum = shift_sticky(us.sig >> 1, down < 63 ? down : 63);
	sum = (ul.sig >> 1) + ((sum ^ differ) - differ);
	if (ALU_RARE(!sum))
		return large & small & fp_sign(f); /* an exact cancellation gives +0 */
	/* Move the leading one to bit 63, but no further than the scale of the subnormals. */
	up = (unsigned int)__builtin_clzll(sum);
	up = up < (unsigned int)ul.exp ? up : (unsigned int)ul.exp;
	ul = (struct unpacked){ .sig = sum << up, .exp = ul.exp + 1 - (int)up };
	return (large & fp_sign(f)) | round_pack(f, ul, err);
}

/* Return a product with an operand that is zero or not finite. */
ALU_INLINE uint64_t prod_special(struct fp_format f, uint64_t a, uint64_t b, uint16_t *err)
{
	uint64_t ma = fp_magnitude(f, a), mb = fp_magnitude(f, b), nan;
	uint64_t sign = (a ^ b) & fp_sign(f);

	if (fp_take_nan(f, a, b, &nan, err))
		return nan;
	if (ma && mb)
		return sign | fp_infinity(f);
	if (ma < fp_infinity(f) && mb < fp_infinity(f))
		return sign;
	*err |= TALLY_ERR_FP_INVALID;
	return fp_nan(f);
}

ALU_INLINE uint64_t fp_prod(struct fp_format f, uint64_t a, uint64_t b, uint16_t *err)
{
	uint64_t ma = fp_magnitude(f, a), mb = fp_magnitude(f, b);
	struct unpacked ua, ub;
	unsigned __int128 wide;
	uint64_t sig;
	int up;

	/* Zero minus one is above everything. */
	if (ALU_RARE(ma - 1 >= fp_infinity(f) - 1 || mb - 1 >= fp_infinity(f) - 1))
		return prod_special(f, a, b, err);
	ua = unpack_normal(f, a);
	ub = unpack_normal(f, b);
	wide = (unsigned __int128)ua.sig * ub.sig;
	sig = (uint64_t)(wide >> 64) | ((uint64_t)wide != 0);
	/* Significands are in [1, 2), so the product is in [1, 4). */
	up = __builtin_clzll(sig);
	ua.exp += ub.exp - max_exp(f) / 2 + 1 - up;
	ua.sig = sig << up;
	return ((a ^ b) & fp_sign(f)) | round_pack_any(f, ua, err);
}

ALU_INLINE uint64_t fp_divide(struct fp_format f, uint64_t a, uint32_t n, uint16_t *err)
{
	int n_up = __builtin_clz(n), up;
	uint64_t divisor = (uint64_t)n << n_up; /* leading one at bit 31 */
	uint64_t high, low, rest, nan;
	struct unpacked u;

	if (fp_take_nan(f, a, 0, &nan, err))
		return nan;
	if (!fp_magnitude(f, a) || fp_magnitude(f, a) == fp_infinity(f))
		return a;
	u = unpack_normal(f, a);
	/*
	 * Divide in two digits of 32 bits. No significand uses the last bit, so it can be cut off.
	 */
	rest = u.sig >> 1;
	high = rest / divisor;
	rest = rest % divisor << 32;
	low = rest / divisor;
	u.sig = (high << 32 | low) | (rest % divisor != 0);
	/* Both significands are in [1, 2), so their quotient is above 1/2. */
	up = __builtin_clzll(u.sig);
	u = (struct unpacked){ .sig = u.sig << up, .exp = u.exp + n_up - 31 - up };
	return (a & fp_sign(f)) | round_pack_any(f, u, err);
}

/* Return whether the host can run alu_sum.c. */
static inline bool has_vectors(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

/* The sum one by one, which runs on any host, and the choice between both. */
#define SHORT_SUM_LANES(t, T, f)                                                         \
	ALU_REDUCE_LANE(alu_sum1_##t, T, fp_sum(f, a, b, &err))                          \
	uint16_t alu_sum_##t(void *acc, const void *in, uint32_t words)                  \
	{                                                                                \
		return (has_vectors() ? alu_sum8_##t : alu_sum1_##t)(acc, in, words);    \
	}

SHORT_SUM_LANES(fp16, uint16_t, FP_FP16)
SHORT_SUM_LANES(fp32, uint32_t, FP_FP32)
SHORT_SUM_LANES(bf16, uint16_t, FP_BF16)
ALU_REDUCE_LANE(alu_sum_fp64, uint64_t, fp_sum(FP_FP64, a, b, &err))

#define FP_LANES(t, T, f)                                                                \
	ALU_REDUCE_LANE(alu_prod_##t, T, fp_prod(f, a, b, &err))                         \
	ALU_REDUCE_LANE(alu_min_##t, T, fp_min(f, a, b, &err))                           \
	ALU_REDUCE_LANE(alu_max_##t, T, fp_max(f, a, b, &err))                           \
	ALU_SCALE_LANE(alu_scale_##t, T, fp_divide(f, a, d->n, &err))

FP_LANES(fp16, uint16_t, FP_FP16)
FP_LANES(fp32, uint32_t, FP_FP32)
FP_LANES(fp64, uint64_t, FP_FP64)
FP_LANES(bf16, uint16_t, FP_BF16)
