// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ALU against independent arithmetic: floating point against the host's own, result bits and
 * exception flags, integers against 128-bit arithmetic. TALLY_TEST_SEED repeats a random run.
 */
#include "engine/alu.h"

#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/rng.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define RANDOM_PAIRS 1000000

_Static_assert(FLT_EVAL_METHOD == 0, "the host must round every operation to its own type");

static struct rng rng;

/* A type under test and how to reckon with it on the host. */
struct lane {
	const char *name;
	uint8_t type;
	unsigned int bits;
	unsigned int man; /* floating point: fraction bits */
	uint64_t nan;     /* floating point: the canonical NaN */
	uint64_t (*host)(uint8_t op, uint64_t a, uint64_t b, uint16_t *err);
};

/* What one element gives. Both operands lie at odd addresses. */
static uint64_t reduce_one(const struct lane *l, uint8_t op, uint64_t a, uint64_t b, uint16_t *err)
{
	uint8_t acc[9], in[9];
	uint64_t out = 0;

	for (unsigned int i = 0; i < 8; i++) {
		acc[i + 1] = (uint8_t)(a >> 8 * i);
		in[i + 1] = (uint8_t)(b >> 8 * i);
	}
	*err = alu_reduce(op, l->type, acc + 1, in + 1, 1);
	for (unsigned int i = 0; i < l->bits / 8; i++)
		out |= (uint64_t)acc[i + 1] << 8 * i;
	return out;
}

/* Compares one element with the host and returns the flags. */
static uint16_t check_one(const struct lane *l, uint8_t op, uint64_t a, uint64_t b)
{
	uint16_t got_err, want_err = 0;
	uint64_t got = reduce_one(l, op, a, b, &got_err);
	uint64_t want = l->host(op, a, b, &want_err);

	if (got != want || got_err != want_err)
		fail_msg("%s op %u: %#" PRIx64 ", %#" PRIx64 " gave %#" PRIx64 " flags %#x, not %#" PRIx64
			 " flags %#x", l->name, op, a, b, got, got_err, want, want_err);
	return got_err;
}

/* ---- References ---- */

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
 * Volatile operands and result keep the operation between the clearing and the reading of the
 * flags. Adding NaNs is how minimum and maximum raise invalid for a signalling one.
 */
#define HOST_FP(name, real, word, canonical)                                            \
	static uint64_t name(uint8_t op, uint64_t a, uint64_t b, uint16_t *err)         \
	{                                                                               \
		volatile union { word bits; real value; } x, y, z;                      \
		real p, q;                                                              \
											\
		x.bits = (word)a;                                                       \
		y.bits = (word)b;                                                       \
		feclearexcept(FE_ALL_EXCEPT);                                           \
		p = x.value;                                                            \
		q = y.value;                                                            \
		if (op == TALLY_OP_SUM || isnan(p) || isnan(q))                         \
			z.value = p + q;                                                \
		else if (p < q || (p == q && signbit(p)))                               \
			z.value = op == TALLY_OP_MIN ? p : q;                           \
		else                                                                    \
			z.value = op == TALLY_OP_MIN ? q : p;                           \
		*err = host_flags();                                                    \
		return isnan(z.value) ? canonical : z.bits;                             \
	}

HOST_FP(host_fp32, float, uint32_t, 0x7fc00000)
HOST_FP(host_fp64, double, uint64_t, 0x7ff8000000000000)

static __int128 host_int(uint8_t op, __int128 a, __int128 b)
{
	switch (op) {
	case TALLY_OP_SUM:
		return a + b;
	case TALLY_OP_MIN:
		return a < b ? a : b;
	case TALLY_OP_MAX:
		return a > b ? a : b;
	case TALLY_OP_BAND:
		return a & b;
	case TALLY_OP_BOR:
		return a | b;
	default:
		return a ^ b;
	}
}

static uint64_t host_int32(uint8_t op, uint64_t a, uint64_t b, uint16_t *err)
{
	*err = 0;
	return (uint32_t)host_int(op, (int32_t)a, (int32_t)b);
}

static uint64_t host_int64(uint8_t op, uint64_t a, uint64_t b, uint16_t *err)
{
	*err = 0;
	return (uint64_t)host_int(op, (int64_t)a, (int64_t)b);
}

static const struct lane fp_lanes[] = {
	{ "fp32", TALLY_TYPE_FP32, 32, 23, 0x7fc00000, host_fp32 },
	{ "fp64", TALLY_TYPE_FP64, 64, 52, 0x7ff8000000000000, host_fp64 },
};
static const uint8_t fp_ops[] = { TALLY_OP_SUM, TALLY_OP_MIN, TALLY_OP_MAX };

static const struct lane int_lanes[] = {
	{ "int32", TALLY_TYPE_INT32, 32, 0, 0, host_int32 },
	{ "int64", TALLY_TYPE_INT64, 64, 0, 0, host_int64 },
};
static const uint8_t int_ops[] = {
	TALLY_OP_SUM, TALLY_OP_MIN, TALLY_OP_MAX, TALLY_OP_BAND, TALLY_OP_BOR, TALLY_OP_BXOR,
};

static uint64_t mask_of(const struct lane *l)
{
	return UINT64_MAX >> (64 - l->bits);
}

/* ---- Floating point ---- */

static uint64_t max_exp(const struct lane *l)
{
	return (1ULL << (l->bits - 1 - l->man)) - 1;
}

/* From sign, biased exponent and fraction; the fraction may be negative: the neighbour below. */
static uint64_t fp(const struct lane *l, bool sign, uint64_t exp, int64_t frac)
{
	return ((uint64_t)sign << (l->bits - 1)) | ((exp << l->man) + (uint64_t)frac);
}

#define MAX_CORNERS 256

/* Fills @v with corner cases of both signs, neighbours included; returns how many. */
static size_t corners(const struct lane *l, uint64_t *v)
{
	uint64_t top = max_exp(l), one = top / 2, half_frac = 1ULL << (l->man - 1);
	const uint64_t exps[] = {
		0, 1, 2, l->man, l->man + 1, l->man + 2,          /* subnormals and beside them */
		one - l->man - 3, one - l->man - 2, one - l->man - 1, one - l->man, /* ulps of 1 */
		one - 2, one - 1, one, one + 1, one + l->man, one + l->man + 1,
		top - l->man - 3, top - l->man - 2, top - l->man - 1, top - 2, top - 1, top,
	};
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(exps); i++) {
		for (int sign = 0; sign < 2; sign++) {
			for (int64_t frac = exps[i] ? -1 : 0; frac <= 1; frac++)
				v[n++] = fp(l, sign, exps[i], frac);
			v[n++] = fp(l, sign, exps[i], (int64_t)half_frac);
			v[n++] = fp(l, sign, exps[i], (int64_t)half_frac + 1);
		}
	}
	for (int sign = 0; sign < 2; sign++) {
		v[n++] = fp(l, sign, top, (int64_t)half_frac - 1);     /* largest signalling NaN */
		v[n++] = fp(l, sign, top, 2 * (int64_t)half_frac - 1); /* largest quiet NaN */
	}
	assert_true(n <= MAX_CORNERS);
	return n;
}

static void fp_corner_cases(void **state)
{
	uint64_t v[MAX_CORNERS];

	(void)state;
	for (size_t l = 0; l < ARRAY_SIZE(fp_lanes); l++) {
		size_t n = corners(&fp_lanes[l], v);

		for (size_t i = 0; i < ARRAY_SIZE(fp_ops) * n * n; i++)
			check_one(&fp_lanes[l], fp_ops[i / n / n], v[i / n % n], v[i % n]);
	}
}

/* Fractions: even, few ones, many ones, or a run of equal bits at the end. */
static int64_t random_fraction(const struct lane *l)
{
	uint64_t all = (1ULL << l->man) - 1, r = rng_next(&rng);
	uint64_t low = (1ULL << rng_below(&rng, l->man + 1)) - 1;

	switch (rng_below(&rng, 5)) {
	case 0:
		r &= rng_next(&rng) & rng_next(&rng);
		break;
	case 1:
		r |= rng_next(&rng) | rng_next(&rng);
		break;
	case 2:
		r &= ~low;
		break;
	case 3:
		r |= low;
		break;
	}
	return (int64_t)(r & all);
}

/* Any value; the ends of the exponent's range come often. */
static uint64_t random_fp(const struct lane *l)
{
	uint64_t exp;

	switch (rng_below(&rng, 4)) {
	case 0:
		exp = rng_below(&rng, 3);
		break;
	case 1:
		exp = max_exp(l) - rng_below(&rng, 3);
		break;
	default:
		exp = rng_below(&rng, max_exp(l) + 1);
	}
	return fp(l, rng_chance(&rng, 0.5), exp, random_fraction(l));
}

/* A value whose exponent is at most a significand's width away from that of @a. */
static uint64_t random_near(const struct lane *l, uint64_t a)
{
	uint64_t exp = (a >> l->man & max_exp(l)) + rng_below(&rng, 2 * l->man + 9);

	exp = exp < l->man + 4 ? 0 : exp - (l->man + 4);
	return fp(l, rng_chance(&rng, 0.5), exp < max_exp(l) ? exp : max_exp(l) - 1,
		  random_fraction(l));
}

/* -@a but for some low bits: a difference that cancels. */
static uint64_t random_cancel(const struct lane *l, uint64_t a)
{
	return (a ^ 1ULL << (l->bits - 1)) ^ (rng_next(&rng) & ((1ULL << rng_below(&rng, l->man)) - 1));
}

static uint64_t random_partner(const struct lane *l, uint64_t a)
{
	switch (rng_below(&rng, 4)) {
	case 0:
		return random_fp(l);
	case 1:
		return random_cancel(l, a);
	default:
		return random_near(l, a);
	}
}

/* Sums raise all but underflow; were a flag never seen, the vectors would be too tame. */
static uint16_t expected_flags(uint8_t op)
{
	if (op == TALLY_OP_SUM)
		return TALLY_ERR_FP_INVALID | TALLY_ERR_FP_OVERFLOW | TALLY_ERR_FP_INEXACT;
	return TALLY_ERR_FP_INVALID;
}

static void fp_random(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fp_lanes) * ARRAY_SIZE(fp_ops); i++) {
		const struct lane *l = &fp_lanes[i / ARRAY_SIZE(fp_ops)];
		uint8_t op = fp_ops[i % ARRAY_SIZE(fp_ops)];
		uint16_t seen = 0;

		for (unsigned int k = 0; k < RANDOM_PAIRS; k++) {
			uint64_t a = random_fp(l), b = random_partner(l, a);

			seen |= rng_chance(&rng, 0.5) ? check_one(l, op, a, b) : check_one(l, op, b, a);
		}
		assert_int_equal(seen, expected_flags(op));
	}
}

/* The rules of docs/alu.md by hand, so that they hold on any host. */
static void fp_rules(void **state)
{
	static const struct {
		uint8_t op;
		uint32_t a, b, want;
		uint16_t err;
	} cases[] = {
		{ TALLY_OP_SUM, 0x3f800000, 0x33800000, 0x3f800000, TALLY_ERR_FP_INEXACT }, /* tie: even */
		{ TALLY_OP_SUM, 0x3f800001, 0x33800000, 0x3f800002, TALLY_ERR_FP_INEXACT },
		{ TALLY_OP_SUM, 0x3f800000, 0x33800001, 0x3f800001, TALLY_ERR_FP_INEXACT },
		{ TALLY_OP_SUM, 0x7f7fffff, 0x73000000, 0x7f800000,
		  TALLY_ERR_FP_OVERFLOW | TALLY_ERR_FP_INEXACT },
		{ TALLY_OP_SUM, 0x7f7fffff, 0x72ffffff, 0x7f7fffff, TALLY_ERR_FP_INEXACT },
		{ TALLY_OP_SUM, 0x00800000, 0x80000001, 0x007fffff, 0 }, /* subnormal, exact */
		{ TALLY_OP_SUM, 0x00000001, 0x007fffff, 0x00800000, 0 },
		{ TALLY_OP_SUM, 0x3f800000, 0xbf800000, 0x00000000, 0 },
		{ TALLY_OP_SUM, 0x80000000, 0x80000000, 0x80000000, 0 },
		{ TALLY_OP_SUM, 0x80000000, 0x00000000, 0x00000000, 0 },
		{ TALLY_OP_SUM, 0x7f800000, 0xff7fffff, 0x7f800000, 0 },
		{ TALLY_OP_SUM, 0x7f800000, 0xff800000, 0x7fc00000, TALLY_ERR_FP_INVALID },
		{ TALLY_OP_SUM, 0xffc12345, 0x3f800000, 0x7fc00000, 0 },
		{ TALLY_OP_SUM, 0x3f800000, 0x7f800001, 0x7fc00000, TALLY_ERR_FP_INVALID },
		{ TALLY_OP_MIN, 0x80000000, 0x00000000, 0x80000000, 0 },
		{ TALLY_OP_MIN, 0x00000000, 0x80000000, 0x80000000, 0 },
		{ TALLY_OP_MAX, 0x80000000, 0x00000000, 0x00000000, 0 },
		{ TALLY_OP_MAX, 0x00000000, 0x80000000, 0x00000000, 0 },
		{ TALLY_OP_MIN, 0xff800000, 0x7fc00001, 0x7fc00000, 0 },
		{ TALLY_OP_MAX, 0xffc00001, 0x7f800000, 0x7fc00000, 0 },
		{ TALLY_OP_MIN, 0xffa00000, 0x7fc00001, 0x7fc00000, TALLY_ERR_FP_INVALID },
		{ TALLY_OP_MAX, 0x3f800000, 0x7fbfffff, 0x7fc00000, TALLY_ERR_FP_INVALID },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint16_t err;
		uint64_t got = reduce_one(&fp_lanes[0], cases[i].op, cases[i].a, cases[i].b, &err);

		if (got != cases[i].want || err != cases[i].err)
			fail_msg("case %zu gave %#" PRIx64 " flags %#x", i, got, err);
	}
}

/* ---- Integers ---- */

static uint64_t random_int(const struct lane *l)
{
	uint64_t edge = 1ULL << (l->bits - 1);
	uint64_t r = rng_next(&rng);

	switch (rng_below(&rng, 4)) {
	case 0:
		return (r & 3) - 2 + (r & 4 ? edge : 0); /* by zero, by the largest and smallest */
	case 1:
		return r >> (r & 63);
	case 2:
		return ~(r >> (r & 63));
	default:
		return r;
	}
}

static void int_random(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(int_lanes) * ARRAY_SIZE(int_ops); i++) {
		const struct lane *l = &int_lanes[i / ARRAY_SIZE(int_ops)];
		uint8_t op = int_ops[i % ARRAY_SIZE(int_ops)];

		for (unsigned int k = 0; k < RANDOM_PAIRS; k++)
			check_one(l, op, random_int(l) & mask_of(l), random_int(l) & mask_of(l));
	}
}

static void int_corner_cases(void **state)
{
	static const uint64_t v[] = {
		0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x100000000,
		INT64_MAX - 1, INT64_MAX, 0x8000000000000000, 0x8000000000000001, UINT64_MAX - 1,
		UINT64_MAX, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa,
	};
	const size_t n = ARRAY_SIZE(v);

	(void)state;
	for (size_t l = 0; l < ARRAY_SIZE(int_lanes); l++) {
		uint64_t mask = mask_of(&int_lanes[l]);

		for (size_t i = 0; i < ARRAY_SIZE(int_ops) * n * n; i++)
			check_one(&int_lanes[l], int_ops[i / n / n], v[i / n % n] & mask, v[i % n] & mask);
	}
}

/* ---- Vectors ---- */

#define VECTOR_MAX 67
#define GUARD 16

/* Reduces @count random elements at odd addresses and compares with one at a time. */
static void check_vector(const struct lane *l, uint8_t op, uint32_t count)
{
	uint8_t acc[VECTOR_MAX * 8 + 2 * GUARD], in[VECTOR_MAX * 8 + 2 * GUARD];
	uint8_t want[sizeof(acc)], in_before[sizeof(in)];
	size_t at = rng_below(&rng, GUARD), from = rng_below(&rng, GUARD), size = l->bits / 8;
	uint16_t want_err = 0;

	for (size_t i = 0; i < sizeof(acc); i++) {
		acc[i] = (uint8_t)rng_next(&rng);
		in[i] = (uint8_t)rng_next(&rng);
	}
	memcpy(want, acc, sizeof(acc));
	memcpy(in_before, in, sizeof(in));
	for (uint32_t i = 0; i < count; i++)
		want_err |= alu_reduce(op, l->type, want + at + i * size, in + from + i * size, 1);
	assert_int_equal(alu_reduce(op, l->type, acc + at, in + from, count), want_err);
	assert_memory_equal(acc, want, sizeof(acc));
	assert_memory_equal(in, in_before, sizeof(in));
}

static void vectors_and_guard_bytes(void **state)
{
	(void)state;
	for (uint32_t count = 0; count <= VECTOR_MAX; count++) {
		for (size_t l = 0; l < ARRAY_SIZE(fp_lanes); l++)
			for (size_t op = 0; op < ARRAY_SIZE(fp_ops); op++)
				check_vector(&fp_lanes[l], fp_ops[op], count);
		for (size_t l = 0; l < ARRAY_SIZE(int_lanes); l++)
			for (size_t op = 0; op < ARRAY_SIZE(int_ops); op++)
				check_vector(&int_lanes[l], int_ops[op], count);
	}
}

static void flags_of_all_elements(void **state)
{
	/* The largest number; infinity; 1.0. */
	uint8_t acc[] = { 0xff, 0xff, 0x7f, 0x7f, 0, 0, 0x80, 0x7f, 0, 0, 0x80, 0x3f };
	/* The largest number; -infinity; 2.0. */
	static const uint8_t in[] = { 0xff, 0xff, 0x7f, 0x7f, 0, 0, 0x80, 0xff, 0, 0, 0, 0x40 };
	static const uint8_t want[] = { 0, 0, 0x80, 0x7f, 0, 0, 0xc0, 0x7f, 0, 0, 0x40, 0x40 };
	uint16_t err = alu_reduce(TALLY_OP_SUM, TALLY_TYPE_FP32, acc, in, 3);

	(void)state;
	assert_int_equal(err, TALLY_ERR_FP_OVERFLOW | TALLY_ERR_FP_INEXACT | TALLY_ERR_FP_INVALID);
	assert_memory_equal(acc, want, sizeof(want));
}

static void in_place(void **state)
{
	uint8_t v[] = { 1, 0, 0, 0, 0, 0, 0, 0x40 };
	static const uint8_t want[] = { 2, 0, 0, 0, 0, 0, 0, 0x80 };

	(void)state;
	assert_int_equal(alu_reduce(TALLY_OP_SUM, TALLY_TYPE_INT32, v, v, 2), 0);
	assert_memory_equal(v, want, sizeof(want));
}

/* ---- The table ---- */

static void what_is_supported(void **state)
{
	const uint32_t reduce = 1U << TALLY_OP_SUM | 1U << TALLY_OP_MIN | 1U << TALLY_OP_MAX;
	const uint32_t bitwise = 1U << TALLY_OP_BAND | 1U << TALLY_OP_BOR | 1U << TALLY_OP_BXOR;

	(void)state;
	assert_int_equal(alu_ops(TALLY_TYPE_CLASS_INT), reduce | bitwise);
	assert_int_equal(alu_ops(TALLY_TYPE_CLASS_FP), reduce);
	assert_int_equal(alu_sizes(TALLY_TYPE_CLASS_INT), 1 << 2 | 1 << 3);
	assert_int_equal(alu_sizes(TALLY_TYPE_CLASS_FP), 1 << 2 | 1 << 3);
	/* What the ALU does is no more than uapi defines. */
	assert_int_equal(alu_ops(TALLY_TYPE_CLASS_INT) & ~TALLY_OPS_INT, 0);
	assert_int_equal(alu_ops(TALLY_TYPE_CLASS_FP) & ~TALLY_OPS_FP, 0);
	for (unsigned int c = 0; c < 256; c++) {
		if (c == TALLY_TYPE_CLASS_INT || c == TALLY_TYPE_CLASS_FP)
			continue;
		assert_int_equal(alu_ops((uint8_t)c), 0);
		assert_int_equal(alu_sizes((uint8_t)c), 0);
	}
}

/* Every pair of codes: the pair is good just when class masks say so, and so is its refusal. */
static void every_pair_of_codes(void **state)
{
	uint32_t any = alu_ops(TALLY_TYPE_CLASS_INT) | alu_ops(TALLY_TYPE_CLASS_FP);

	(void)state;
	for (unsigned int code = 0; code < 0x10000; code++) {
		uint8_t op = code >> 8, type = code & 0xff, log2 = type & 0xf;
		enum tally_coll_status want = TALLY_COLL_OK;

		if (op >= 32 || !(any >> op & 1))
			want = TALLY_COLL_BAD_OP;
		else if (log2 >= 8 || !(alu_sizes(type >> 4) >> log2 & 1))
			want = TALLY_COLL_BAD_TYPE;
		else if (!(alu_ops(type >> 4) >> op & 1))
			want = TALLY_COLL_BAD_PAIR;
		if (alu_check(op, type) != want)
			fail_msg("op %u type %#x: %d, not %d", op, type, alu_check(op, type), want);
		assert_int_equal(alu_supported(op, type), want == TALLY_COLL_OK);
	}
}

static void refusals(void **state)
{
	(void)state;
	assert_int_equal(alu_check(TALLY_OP_SUM, TALLY_TYPE_FP64), TALLY_COLL_OK);
	assert_int_equal(alu_check(TALLY_OP_BXOR, TALLY_TYPE_INT32), TALLY_COLL_OK);
	assert_int_equal(alu_check(TALLY_OP_NONE, TALLY_TYPE_INT32), TALLY_COLL_BAD_OP);
	assert_int_equal(alu_check(TALLY_OP_PROD, TALLY_TYPE_INT32), TALLY_COLL_BAD_OP);
	assert_int_equal(alu_check(255, 255), TALLY_COLL_BAD_OP);
	assert_int_equal(alu_check(TALLY_OP_SUM, TALLY_TYPE_NONE), TALLY_COLL_BAD_TYPE);
	assert_int_equal(alu_check(TALLY_OP_SUM, TALLY_TYPE_BF16), TALLY_COLL_BAD_TYPE);
	assert_int_equal(alu_check(TALLY_OP_SUM, 0x3f), TALLY_COLL_BAD_TYPE);
	assert_int_equal(alu_check(TALLY_OP_BAND, TALLY_TYPE_FP32), TALLY_COLL_BAD_PAIR);
}

#define ADD_ONE(name, value, doc) +1

static void element_sizes(void **state)
{
	int known = 0;

	(void)state;
	assert_int_equal(alu_elem_size(TALLY_TYPE_NONE), 1);
	assert_int_equal(alu_elem_size(TALLY_TYPE_INT8), 1);
	assert_int_equal(alu_elem_size(TALLY_TYPE_BF16), 2);
	assert_int_equal(alu_elem_size(TALLY_TYPE_INT32), 4);
	assert_int_equal(alu_elem_size(TALLY_TYPE_FP64), 8);
	assert_int_equal(alu_elem_size(0x30), 0);
	assert_int_equal(alu_elem_size(0x34), 0);
	assert_int_equal(alu_elem_size(0xff), 0);
	for (unsigned int type = 0; type < 256; type++)
		known += alu_elem_size((uint8_t)type) != 0;
	assert_int_equal(known, 0 TALLY_TYPE_LIST(ADD_ONE));
}

/* Reduces an unsupported pair in a child; true if that aborted it. */
static bool aborts(uint8_t op, uint8_t type)
{
	static const struct rlimit no_core;
	uint64_t a = 0, b = 0;
	int status;
	pid_t child = fork();

	assert_int_not_equal(child, -1);
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		setrlimit(RLIMIT_CORE, &no_core);
		alu_reduce(op, type, &a, &b, 1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void unsupported_pair_aborts(void **state)
{
	(void)state;
	assert_true(aborts(TALLY_OP_BAND, TALLY_TYPE_FP32));
	assert_true(aborts(TALLY_OP_SUM, TALLY_TYPE_NONE));
	assert_true(aborts(255, TALLY_TYPE_INT32));
	assert_false(aborts(TALLY_OP_SUM, TALLY_TYPE_INT32));
}

/* Returns 0 and starts the random numbers, or -1 if TALLY_TEST_SEED is no number. */
static int start_random(void **state)
{
	const char *text = getenv("TALLY_TEST_SEED");
	uint64_t seed = (uint64_t)time(NULL);
	char *end = "";

	(void)state;
	if (text)
		seed = strtoull(text, &end, 0);
	if (text && (end == text || *end)) {
		print_error("TALLY_TEST_SEED: \"%s\" is not a number\n", text);
		return -1;
	}
	print_message("TALLY_TEST_SEED=%" PRIu64 "\n", seed);
	rng_seed(&rng, seed);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_supported),
		cmocka_unit_test(every_pair_of_codes),
		cmocka_unit_test(refusals),
		cmocka_unit_test(element_sizes),
		cmocka_unit_test(unsupported_pair_aborts),
		cmocka_unit_test(fp_rules),
		cmocka_unit_test(fp_corner_cases),
		cmocka_unit_test(fp_random),
		cmocka_unit_test(int_corner_cases),
		cmocka_unit_test(int_random),
		cmocka_unit_test(vectors_and_guard_bytes),
		cmocka_unit_test(flags_of_all_elements),
		cmocka_unit_test(in_place),
	};

	return cmocka_run_group_tests_name("alu", tests, start_random, NULL);
}
