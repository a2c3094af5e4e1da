/* SPDX-License-Identifier: BSD-2-Clause */
#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_TIES 8 /* different values of MINLOC and MAXLOC: few, so that indices decide */

/* A value of any type: i for integers (as bits if unsigned), d for floats. */
struct value {
	int64_t i;
	double d;
};

bool oracle_is_loc(uint8_t op)
{
	return op == TALLY_OP_MINLOC || op == TALLY_OP_MAXLOC;
}

unsigned int oracle_value_size(uint8_t dtype)
{
	return 1U << (dtype & 0xf);
}

unsigned int oracle_elem_size(uint8_t op, uint8_t dtype)
{
	if (!oracle_is_loc(op))
		return oracle_value_size(dtype);
	return oracle_value_size(dtype) == 8 ? 16 : 8;
}

static unsigned int index_offset(uint8_t dtype)
{
	return oracle_value_size(dtype) == 8 ? 8 : 4;
}

static bool is_fp(uint8_t dtype)
{
	return dtype >> 4 == TALLY_TYPE_CLASS_FP || dtype >> 4 == TALLY_TYPE_CLASS_BF;
}

static bool is_signed(uint8_t dtype)
{
	return dtype >> 4 == TALLY_TYPE_CLASS_INT;
}

/* ---- Floats: bits of exponent and fraction ---- */
static unsigned int fraction_bits(uint8_t dtype)
{
	switch (dtype) {
	case TALLY_TYPE_FP16:
		return 10;
	case TALLY_TYPE_BF16:
		return 7;
	case TALLY_TYPE_FP32:
		return 23;
	default:
		return 52;
	}
}

static double decode(uint64_t bits, unsigned int width, unsigned int fraction)
{
	unsigned int exponents = width - 1 - fraction;
	int bias = (1 << (exponents - 1)) - 1;
	int exponent = bits >> fraction & ((1 << exponents) - 1);
	uint64_t low = bits & ((1ULL << fraction) - 1);
	double v;

	if (exponent)
		v = ldexp(low | 1ULL << fraction, exponent - bias - (int)fraction);
	else
		v = ldexp(low, 1 - bias - (int)fraction);
	return bits >> (width - 1) & 1 ? -v : v;
}

/*
 * Encodes a number within the range of the type; rounds to nearest, ties to even, as rint() does.
 */
static uint64_t encode(double v, unsigned int width, unsigned int fraction)
{
	int bias = (1 << (width - 2 - fraction)) - 1, exponent;
	uint64_t sign = signbit(v) ? 1ULL << (width - 1) : 0;

	if (v == 0)
		return sign;
	frexp(v, &exponent);
	exponent--;
	if (exponent < 1 - bias)
		exponent = 1 - bias;
	return sign + ((uint64_t)(exponent + bias - 1) << fraction) +
	       (uint64_t)rint(ldexp(fabs(v), (int)fraction - exponent));
}

static struct value load(uint8_t dtype, const uint8_t *at)
{
	unsigned int width = 8 * oracle_value_size(dtype);
	struct value v = {};
	uint64_t bits = 0;

	memcpy(&bits, at, width / 8); /* little-endian in memory and on the host */
	if (is_fp(dtype))
		v.d = decode(bits, width, fraction_bits(dtype));
	else if (is_signed(dtype))
		v.i = (int64_t)(bits << (64 - width)) >> (64 - width);
	else
		v.i = bits;
	return v;
}

static void store(uint8_t dtype, struct value v, uint8_t *at)
{
	unsigned int size = oracle_value_size(dtype);
	uint64_t bits = is_fp(dtype) ? encode(v.d, 8 * size, fraction_bits(dtype)) : (uint64_t)v.i;

	memcpy(at, &bits, size);
}

/* ---- Data ---- */
static uint64_t random_bits(void)
{
	return (uint64_t)mrand48() << 32 ^ (uint32_t)mrand48();
}

/* Returns true once in `n` times on average. */
static bool rarely(uint32_t n)
{
	return !(lrand48() % n);
}

/*
 * Products have few factors other than signs, all powers of two. Sums over all ranks keep all their
 * bits.
 */
static double random_fp(const struct arith *a, uint32_t rank)
{
	int64_t limit = (2LL << fraction_bits(a->dtype)) / a->ranks;

	if (oracle_is_loc(a->op))
		return (double)(lrand48() % LEAST_TIES) - LEAST_TIES / 2;
	if (a->op == TALLY_OP_PROD)
		return (rarely(2) ? -1 : 1) * ldexp(1, rank < 8 ? lrand48() % 3 - 1 : 0);
	return (double)((int64_t)(random_bits() >> 1) % (2 * limit + 1) - limit);
}

static int64_t random_int(const struct arith *a)
{
	switch (a->op) {
	case TALLY_OP_LAND:
		return rarely(2 * a->ranks) ? 0 : random_bits();
	case TALLY_OP_LOR:
		return rarely(2 * a->ranks) ? random_bits() : 0;
	case TALLY_OP_LXOR:
		return rarely(2) ? random_bits() : 0;
	case TALLY_OP_MINLOC:
	case TALLY_OP_MAXLOC:
		return lrand48() % LEAST_TIES - LEAST_TIES / 2;
	default:
		return random_bits();
	}
}

static struct value random_value(const struct arith *a, uint32_t rank)
{
	if (is_fp(a->dtype))
		return (struct value){ .d = random_fp(a, rank) };
	return (struct value){ .i = random_int(a) };
}

void oracle_fill_values(const struct arith *a, uint32_t rank, uint64_t count, uint8_t *to)
{
	for (; count; count--, to += oracle_value_size(a->dtype))
		store(a->dtype, random_value(a, rank), to);
}

void oracle_fill_pairs(const struct arith *a, uint32_t rank, uint64_t count, uint8_t *to)
{
	for (; count; count--, to += oracle_elem_size(a->op, a->dtype)) {
		int32_t index = mrand48() % 100;

		memset(to, mrand48(), oracle_elem_size(a->op, a->dtype));
		store(a->dtype, random_value(a, rank), to);
		memcpy(to + index_offset(a->dtype), &index, sizeof(index));
	}
}

static void store_pair(uint8_t dtype, struct value v, int32_t index, uint8_t *to)
{
	memset(to, 0, oracle_elem_size(TALLY_OP_MINLOC, dtype));
	store(dtype, v, to);
	memcpy(to + index_offset(dtype), &index, sizeof(index));
}

void oracle_expand(uint8_t dtype, uint64_t count, uint32_t first, const uint8_t *values,
		   uint8_t *pairs)
{
	for (uint64_t i = 0; i < count; i++)
		store_pair(dtype, load(dtype, values + i * oracle_value_size(dtype)), first + i,
			   pairs + i * oracle_elem_size(TALLY_OP_MINLOC, dtype));
}

/* ---- Arithmetic ---- */
static bool is_less(uint8_t dtype, struct value a, struct value b)
{
	if (is_fp(dtype))
		return a.d < b.d;
	return is_signed(dtype) ? a.i < b.i : (uint64_t)a.i < (uint64_t)b.i;
}

static struct value fold(const struct arith *a, struct value x, struct value y)
{
	switch (a->op) {
	case TALLY_OP_SUM:
	case TALLY_OP_AVG:
		return (struct value){ (uint64_t)x.i + (uint64_t)y.i, x.d + y.d };
	case TALLY_OP_PROD:
		return (struct value){ (uint64_t)x.i * (uint64_t)y.i, x.d * y.d };
	case TALLY_OP_MIN:
		return is_less(a->dtype, y, x) ? y : x;
	case TALLY_OP_MAX:
		return is_less(a->dtype, x, y) ? y : x;
	case TALLY_OP_LAND:
		return (struct value){ .i = x.i && y.i };
	case TALLY_OP_LOR:
		return (struct value){ .i = x.i || y.i };
	case TALLY_OP_LXOR:
		return (struct value){ .i = !x.i != !y.i };
	case TALLY_OP_BAND:
		return (struct value){ .i = x.i & y.i };
	case TALLY_OP_BOR:
		return (struct value){ .i = x.i | y.i };
	default:
		return (struct value){ .i = x.i ^ y.i };
	}
}

static void fold_pair(const struct arith *a, uint8_t *acc, const uint8_t *in)
{
	struct value x = load(a->dtype, acc), y = load(a->dtype, in);
	bool less = is_less(a->dtype, x, y), more = is_less(a->dtype, y, x);
	int32_t i, k;

	memcpy(&i, acc + index_offset(a->dtype), sizeof(i));
	memcpy(&k, in + index_offset(a->dtype), sizeof(k));
	if (!less && !more)
		store_pair(a->dtype, x, i < k ? i : k, acc);
	else if (less == (a->op == TALLY_OP_MINLOC))
		store_pair(a->dtype, x, i, acc);
	else
		store_pair(a->dtype, y, k, acc);
}

void oracle_fold(const struct arith *a, uint64_t count, uint8_t *acc, const uint8_t *in)
{
	unsigned int size = oracle_elem_size(a->op, a->dtype);

	for (; count; count--, acc += size, in += size) {
		if (oracle_is_loc(a->op))
			fold_pair(a, acc, in);
		else
			store(a->dtype, fold(a, load(a->dtype, acc), load(a->dtype, in)), acc);
	}
}

void oracle_average(const struct arith *a, uint64_t count, uint8_t *sums)
{
	for (; count; count--, sums += oracle_value_size(a->dtype)) {
		struct value v = load(a->dtype, sums);

		v.d /= a->ranks;
		v.i = is_signed(a->dtype) ? v.i / (int64_t)a->ranks :
					    (int64_t)((uint64_t)v.i / a->ranks);
		store(a->dtype, v, sums);
	}
}
