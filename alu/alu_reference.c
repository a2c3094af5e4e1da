// SPDX-License-Identifier: BSD-2-Clause
/*
 * Expected results of the ALU. The host computes binary32 and binary64 in the type itself,
 * including exception flags, the short formats in binary64, then rounded by scaling, and integers
 * with 128 bits.
 *
 * Rounding first to binary64 and then to p bits gives the correct result. For sums and products of
 * p bits, 2p + 2 bits are enough. A quotient of p bits by 32 bits that is not a tie differs from
 * one by at least 2^-(p + 33), relatively.
 */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "alu/alu_testing.h"

_Static_assert(FLT_EVAL_METHOD == 0, "the host must round every operation to its own type");

static uint16_t host_flags(void)
{
	int raised = fetestexcept(FE_ALL_EXCEPT);
	uint16_t err = 0;

	if (raised & FE_INVALID)
		err |= TALLY_ERR_FP_INVALID;
	if (raised & FE_OVERFLOW)
		err |= TALLY_ERR_FP_OVERFLOW;
	if (raised & FE_UNDERFLOW)
		err |= TALLY_ERR_FP_UNDERFLOW;
	if (raised & FE_INEXACT)
		err |= TALLY_ERR_FP_INEXACT;
	return err;
}

/*
 * Volatile operands and results keep the operation between clearing and reading the flags. Minimum
 * and maximum add NaNs, which raises invalid for a signalling one.
 */
#define HOST_FP(name, real, word)                                                        \
	static uint64_t name(const struct alu_type *t, uint8_t op, uint64_t a,           \
			     uint64_t b, uint16_t *err)                                  \
	{                                                                                \
		volatile union { word bits; real value; } x, y, z;                       \
		real p, q;                                                               \
											 \
		x.bits = (word)a;                                                        \
		y.bits = (word)b;                                                        \
		feclearexcept(FE_ALL_EXCEPT);                                            \
		p = x.value;                                                             \
		q = y.value;                                                             \
		if (op == TALLY_OP_PROD)                                                 \
			z.value = p * q;                                                 \
		else if (op == TALLY_OP_SUM || op == TALLY_OP_AVG || isnan(p) || isnan(q)) \
			z.value = p + q;                                                 \
		else if (p < q || (p == q && signbit(p)))                                \
			z.value = op == TALLY_OP_MIN ? p : q;                            \
		else                                                                     \
			z.value = op == TALLY_OP_MIN ? q : p;                            \
		*err = host_flags();                                                     \
		return isnan(z.value) ? t->nan : z.bits;                                 \
	}                                                                                \
	static uint64_t name##_scale(const struct alu_type *t, uint64_t a, uint32_t n,   \
				     uint16_t *err)                                      \
	{                                                                                \
		volatile union { word bits; real value; } x, z;                          \
		volatile __float128 q;                                                   \
											 \
		x.bits = (word)a;                                                        \
		feclearexcept(FE_ALL_EXCEPT);                                            \
		q = x.value;                                                             \
		q = q / n;                                                               \
		z.value = (real)q;                                                       \
		*err = host_flags();                                                     \
		return isnan(z.value) ? t->nan : z.bits;                                 \
	}

HOST_FP(host_fp32, float, uint32_t)
HOST_FP(host_fp64, double, uint64_t)

double alu_widen(const struct alu_type *t, uint64_t x)
{
	uint64_t magnitude = x & (alu_sign(t) - 1), exp = magnitude >> t->man;
	int bias = (1 << (t->bits - 2 - t->man)) - 1;
	double value = INFINITY;

	if (!exp)
		exp = 1;
	if (magnitude != alu_infinity(t)) /* the subtraction leaves the hidden bit */
		value = ldexp((double)(magnitude - ((exp - 1) << t->man)),
			      (int)exp - bias - (int)t->man);
	return x & alu_sign(t) ? -value : value;
}

uint64_t alu_narrow(const struct alu_type *t, double value, uint16_t *err)
{
	int man = (int)t->man, bias = (1 << (t->bits - 2 - t->man)) - 1, exp, ulp;
	uint64_t sign = signbit(value) ? alu_sign(t) : 0;
	double units, rounded, unbounded;

	value = fabs(value);
	if (value == 0 || isinf(value))
		return sign | (value == 0 ? 0 : alu_infinity(t));
	frexp(value, &exp);
	exp--; /* value = 1.something * 2^exp */
	ulp = (exp < 1 - bias ? 1 - bias : exp) - man;
	units = ldexp(value, -ulp);
	rounded = nearbyint(units);
	unbounded = ldexp(nearbyint(ldexp(value, man - exp)), exp - man);
	if (rounded != units)
		*err |= TALLY_ERR_FP_INEXACT;
	if (ldexp(rounded, ulp) >= ldexp(1, bias + 1)) {
		*err |= TALLY_ERR_FP_OVERFLOW | TALLY_ERR_FP_INEXACT;
		return sign | alu_infinity(t);
	}
	if (unbounded < ldexp(1, 1 - bias) && (*err & TALLY_ERR_FP_INEXACT))
		*err |= TALLY_ERR_FP_UNDERFLOW;
	/* The hidden bit, if there is one, increases the exponent. */
	return sign | (((uint64_t)(ulp + man + bias - 1) << man) + (uint64_t)rounded);
}

/* Round a result that the host computed in binary64, with the flags since they were cleared. */
static uint64_t narrow_result(const struct alu_type *t, double value, uint16_t *err)
{
	*err = host_flags();
	return isnan(value) ? t->nan : alu_narrow(t, value, err);
}

static uint64_t short_nan(const struct alu_type *t, uint64_t a, uint64_t b, uint16_t *err)
{
	*err = alu_is_signalling(t, a) || alu_is_signalling(t, b) ? TALLY_ERR_FP_INVALID : 0;
	return t->nan;
}

static uint64_t short_fp(const struct alu_type *t, uint8_t op, uint64_t a, uint64_t b,
			 uint16_t *err)
{
	volatile double p, q, z;

	if (alu_is_nan(t, a) || alu_is_nan(t, b))
		return short_nan(t, a, b, err);
	p = alu_widen(t, a);
	q = alu_widen(t, b);
	feclearexcept(FE_ALL_EXCEPT);
	if (op == TALLY_OP_PROD)
		z = p * q;
	else if (op == TALLY_OP_SUM || op == TALLY_OP_AVG)
		z = p + q;
	else if (p < q || (p == q && signbit(p)))
		z = op == TALLY_OP_MIN ? p : q;
	else
		z = op == TALLY_OP_MIN ? q : p;
	return narrow_result(t, z, err);
}

static uint64_t short_scale(const struct alu_type *t, uint64_t a, uint32_t n, uint16_t *err)
{
	volatile double p, z;

	if (alu_is_nan(t, a))
		return short_nan(t, a, 0, err);
	p = alu_widen(t, a);
	feclearexcept(FE_ALL_EXCEPT);
	z = p / n;
	return narrow_result(t, z, err);
}

__int128 alu_int_value(const struct alu_type *t, uint64_t x)
{
	return t->is_signed && (x & alu_sign(t)) ? (__int128)x - alu_mask(t) - 1 : (__int128)x;
}

static uint64_t int_result(uint8_t op, __int128 a, __int128 b)
{
	switch (op) {
	case TALLY_OP_SUM:
	case TALLY_OP_AVG:
		return (uint64_t)(a + b);
	case TALLY_OP_PROD:
		return (uint64_t)((unsigned __int128)a * (unsigned __int128)b);
	case TALLY_OP_MIN:
		return (uint64_t)(a < b ? a : b);
	case TALLY_OP_MAX:
		return (uint64_t)(a > b ? a : b);
	case TALLY_OP_LAND:
		return a && b;
	case TALLY_OP_LOR:
		return a || b;
	case TALLY_OP_LXOR:
		return !a != !b;
	case TALLY_OP_BAND:
		return (uint64_t)(a & b);
	case TALLY_OP_BOR:
		return (uint64_t)(a | b);
	case TALLY_OP_BXOR:
		return (uint64_t)(a ^ b);
	default:
		fail_msg("no reference for op %u", op);
		return 0;
	}
}

uint64_t alu_reference(const struct alu_type *t, uint8_t op, uint64_t a, uint64_t b, uint16_t *err)
{
	if (t->type == TALLY_TYPE_FP32)
		return host_fp32(t, op, a, b, err);
	if (t->type == TALLY_TYPE_FP64)
		return host_fp64(t, op, a, b, err);
	if (t->man)
		return short_fp(t, op, a, b, err);
	*err = 0;
	return int_result(op, alu_int_value(t, a), alu_int_value(t, b)) & alu_mask(t);
}

uint64_t alu_reference_scale(const struct alu_type *t, uint64_t a, uint32_t n, uint16_t *err)
{
	if (t->type == TALLY_TYPE_FP32)
		return host_fp32_scale(t, a, n, err);
	if (t->type == TALLY_TYPE_FP64)
		return host_fp64_scale(t, a, n, err);
	if (t->man)
		return short_scale(t, a, n, err);
	*err = 0;
	return (uint64_t)(alu_int_value(t, a) / n) & alu_mask(t);
}
