// SPDX-License-Identifier: BSD-2-Clause
/*
 * Compares floating point in the ALU with independent references, result bits and flags.
 * TALLY_TEST_SEED repeats a random run.
 */
#include "alu/alu.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "alu/alu_lanes.h"
#include "alu/alu_testing.h"

#define RANDOM_PAIRS 100000
#define ALL_FLAGS (TALLY_ERR_FP_INVALID | TALLY_ERR_FP_OVERFLOW | TALLY_ERR_FP_UNDERFLOW | \
		   TALLY_ERR_FP_INEXACT)

static const struct alu_type *const fp_types = &alu_types[NUM_INT_TYPES];
#define NUM_FP_TYPES (NUM_ALU_TYPES - NUM_INT_TYPES)

static const uint8_t ops[] = {
	TALLY_OP_SUM, TALLY_OP_MIN, TALLY_OP_MAX, TALLY_OP_PROD, TALLY_OP_AVG,
};

/* Compare one element with the reference. Returns the flags. */
static uint16_t check_one(const struct alu_type *t, uint8_t op, uint64_t a, uint64_t b)
{
	uint16_t err, want_err;
	uint64_t got = alu_one(t, op, a, b, &err), want = alu_reference(t, op, a, b, &want_err);

	if (got != want || err != want_err)
		fail_msg("%s op %u: %#" PRIx64 ", %#" PRIx64 " gave %#" PRIx64 " flags %#x, not %#"
			 PRIx64 " flags %#x", t->name, op, a, b, got, err, want, want_err);
	return err;
}

/* The rules of docs/alu.md, worked out by hand in binary32, so that they hold on any host. */
static void rules(void **state)
{
	static const struct {
		uint8_t op;
		uint32_t a, b, want;
		uint16_t err;
	} cases[] = {
		/* A tie goes to even. */
		{ TALLY_OP_SUM, 0x3f800000, 0x33800000, 0x3f800000, TALLY_ERR_FP_INEXACT },
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
		{ TALLY_OP_PROD, 0x80000000, 0x40a00000, 0x80000000, 0 },
		{ TALLY_OP_PROD, 0x7f800000, 0xc0000000, 0xff800000, 0 },
		{ TALLY_OP_PROD, 0x7f800000, 0x80000000, 0x7fc00000, TALLY_ERR_FP_INVALID },
		{ TALLY_OP_PROD, 0x7f800000, 0xffc00001, 0x7fc00000, 0 },
		{ TALLY_OP_PROD, 0x7f7fffff, 0x40000000, 0x7f800000,
		  TALLY_ERR_FP_OVERFLOW | TALLY_ERR_FP_INEXACT },
		{ TALLY_OP_PROD, 0x00800000, 0x3f000000, 0x00400000, 0 }, /* subnormal, exact */
		{ TALLY_OP_PROD, 0x00000001, 0x3f000000, 0x00000000,
		  TALLY_ERR_FP_UNDERFLOW | TALLY_ERR_FP_INEXACT },
		{ TALLY_OP_PROD, 0x80000001, 0x3f400000, 0x80000001,
		  TALLY_ERR_FP_UNDERFLOW | TALLY_ERR_FP_INEXACT },
		/* Rounded up to the smallest normal number, from 24 bits and with 24 bits. */
		{ TALLY_OP_PROD, 0x00800000, 0x3f7fffff, 0x00800000,
		  TALLY_ERR_FP_UNDERFLOW | TALLY_ERR_FP_INEXACT },
		{ TALLY_OP_PROD, 0x00fffffe, 0x3f000001, 0x00800000, TALLY_ERR_FP_INEXACT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint16_t err;
		uint64_t got = alu_one(&fp_types[1], cases[i].op, cases[i].a, cases[i].b, &err);

		if (got != cases[i].want || err != cases[i].err)
			fail_msg("case %zu gave %#" PRIx64 " flags %#x", i, got, err);
	}
}

/*
 * Rounding by scaling, the reference of the short formats, is correct where the host can check it.
 */
static void the_reference_rounds_like_the_host(void **state)
{
	const struct alu_type *t = &fp_types[1];

	(void)state;
	for (unsigned int k = 0; k < RANDOM_PAIRS; k++) {
		uint64_t a = alu_random(t), b = alu_random_inverse(t, a), got, want;
		uint16_t err = 0, want_err;

		if (alu_is_nan(t, a) || alu_is_nan(t, b) || isinf(alu_widen(t, a)))
			continue;
		got = alu_narrow(t, alu_widen(t, a) * alu_widen(t, b), &err);
		want = alu_reference(t, TALLY_OP_PROD, a, b, &want_err);
		if (got != want || err != want_err)
			fail_msg("%#" PRIx64 " * %#" PRIx64 " is %#" PRIx64 " flags %#x, not %#"
				 PRIx64 " flags %#x", a, b, got, err, want, want_err);
	}
}

static void corner_cases(void **state)
{
	uint64_t v[MAX_CORNERS];

	(void)state;
	for (size_t i = 0; i < NUM_FP_TYPES * ARRAY_SIZE(ops); i++) {
		const struct alu_type *t = &fp_types[i / ARRAY_SIZE(ops)];
		size_t n = alu_corners(t, v);

		for (size_t k = 0; k < n * n; k++)
			check_one(t, ops[i % ARRAY_SIZE(ops)], v[k / n], v[k % n]);
	}
}

/* If a flag were never seen, the operands would not be extreme enough. */
static uint16_t expected_flags(uint8_t op)
{
	switch (op) {
	case TALLY_OP_PROD:
		return ALL_FLAGS;
	case TALLY_OP_SUM:
	case TALLY_OP_AVG:
		return ALL_FLAGS & ~TALLY_ERR_FP_UNDERFLOW;
	default:
		return TALLY_ERR_FP_INVALID;
	}
}

static void random_pairs(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_FP_TYPES * ARRAY_SIZE(ops); i++) {
		const struct alu_type *t = &fp_types[i / ARRAY_SIZE(ops)];
		uint8_t op = ops[i % ARRAY_SIZE(ops)];
		uint16_t seen = 0;

		for (unsigned int k = 0; k < RANDOM_PAIRS; k++) {
			uint64_t a = alu_random(t);
			uint64_t b = op == TALLY_OP_PROD && k % 2 ? alu_random_inverse(t, a) :
								    alu_random_partner(t, a);

			seen |= k & 2 ? check_one(t, op, a, b) : check_one(t, op, b, a);
		}
		assert_int_equal(seen, expected_flags(op));
	}
}

#define SUM_LANES(t) { #t, alu_sum1_##t, alu_sum8_##t },

/* Short formats: random bits, where every word has something unusual, and ordinary numbers. */
static void sums_by_one_and_by_eight_agree(void **state)
{
	static const struct {
		const char *name;
		alu_reduce_lane *one, *eight;
	} lanes[] = { ALU_SHORT_FP_TYPES(SUM_LANES) };
	uint64_t a[ALU_WORD / 8], b[ALU_WORD / 8], c[ALU_WORD / 8];

	(void)state;
#ifdef __x86_64__
	if (!__builtin_cpu_supports("avx2"))
		return; /* no sums of eight on this host */
#endif
	for (unsigned int k = 0; k < RANDOM_PAIRS; k++) {
		size_t i = k % ARRAY_SIZE(lanes);
		uint16_t err;

		for (size_t w = 0; w < ARRAY_SIZE(a); w++) {
			uint64_t common = k & 1 ? 0x9fff9fff9fff9fff : UINT64_MAX;

			a[w] = rng_next(&alu_rng) & common;
			b[w] = k & 2 ? rng_next(&alu_rng) & common : a[w] ^ 0x8000000880000008;
		}
		memcpy(c, a, sizeof(c));
		err = lanes[i].one(a, b, 1);
		if (lanes[i].eight(c, b, 1) != err || memcmp(a, c, sizeof(a)))
			fail_msg("%s: word %u differs", lanes[i].name, k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),
		cmocka_unit_test(the_reference_rounds_like_the_host),
		cmocka_unit_test(corner_cases),
		cmocka_unit_test(random_pairs),
		cmocka_unit_test(sums_by_one_and_by_eight_agree),
	};

	return cmocka_run_group_tests_name("alu_fp", tests, alu_start_random, NULL);
}
