// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests MINLOC and MAXLOC: against a plain comparison, their laws, the bytes of pairs, and pairs
 * made from values. TALLY_TEST_SEED repeats a random run.
 */
#include "alu/alu.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "alu/alu_testing.h"

#define RANDOM_PAIRS 30000
#define MAX_PAIR 16

static const uint8_t ops[] = { TALLY_OP_MINLOC, TALLY_OP_MAXLOC };

struct pair {
	uint64_t value;
	int32_t index;
};

/* Lay out a pair as docs/alu.md says, over bytes of @junk. */
static void pack(const struct alu_type *t, struct pair p, uint8_t junk, uint8_t *out)
{
	memset(out, junk, MAX_PAIR);
	memcpy(out, &p.value, t->bits / 8);
	memcpy(out + (t->bits == 64 ? 8 : 4), &p.index, sizeof(p.index));
}

static struct pair unpack(const struct alu_type *t, const uint8_t *in)
{
	struct pair p = { 0 };

	memcpy(&p.value, in, t->bits / 8);
	memcpy(&p.index, in + (t->bits == 64 ? 8 : 4), sizeof(p.index));
	return p;
}

/*
 * Reduce one pair. All bytes outside value and index must become zero, whatever the operands have.
 */
static struct pair pick(const struct alu_type *t, uint8_t op, struct pair a, struct pair b,
			uint16_t *err)
{
	uint8_t acc[MAX_PAIR], in[MAX_PAIR], clean[MAX_PAIR];
	uint32_t size = alu_elem_size(op, t->type);
	struct pair out;

	pack(t, a, 0xa5, acc);
	pack(t, b, 0x5a, in);
	*err = alu_reduce(op, t->type, acc, in, 1);
	out = unpack(t, acc);
	pack(t, out, 0, clean);
	assert_memory_equal(acc, clean, size);
	return out;
}

/* Return the exact value of a number; a long double holds 64 bits. */
static long double number(const struct alu_type *t, uint64_t x)
{
	double wide;

	if (!t->man)
		return (long double)alu_int_value(t, x);
	if (t->bits <= 32)
		return alu_widen(t, x);
	memcpy(&wide, &x, sizeof(wide));
	return wide;
}

static struct pair reference(const struct alu_type *t, uint8_t op, struct pair a, struct pair b,
			     uint16_t *err)
{
	bool nan_a = alu_is_nan(t, a.value), nan_b = alu_is_nan(t, b.value), max, less;
	struct pair lower = a.index < b.index ? a : b;
	uint16_t none;

	*err = alu_is_signalling(t, a.value) || alu_is_signalling(t, b.value) ?
		       TALLY_ERR_FP_INVALID : 0;
	if (nan_a || nan_b)
		return (struct pair){ t->nan, nan_a && nan_b ? lower.index :
							       nan_a ? a.index : b.index };
	max = op == TALLY_OP_MAXLOC;
	less = number(t, a.value) < number(t, b.value);
	if (number(t, a.value) != number(t, b.value))
		return less != max ? a : b;
	if (a.index == b.index)
		lower.value = alu_reference(t, max ? TALLY_OP_MAX : TALLY_OP_MIN, a.value, b.value,
					    &none);
	return lower;
}

static void check_one(const struct alu_type *t, uint8_t op, struct pair a, struct pair b)
{
	uint16_t err, want_err;
	struct pair got = pick(t, op, a, b, &err), want = reference(t, op, a, b, &want_err);

	if (got.value != want.value || got.index != want.index || err != want_err)
		fail_msg("%s op %u: (%#" PRIx64 ", %" PRId32 "), (%#" PRIx64 ", %" PRId32 ") gave "
			 "(%#" PRIx64 ", %" PRId32 ") flags %#x, not (%#" PRIx64 ", %" PRId32 ") "
			 "flags %#x", t->name, op, a.value, a.index, b.value, b.index, got.value,
			 got.index, err, want.value, want.index, want_err);
}

static struct pair random_pair(const struct alu_type *t)
{
	static const int32_t limits[] = { 0, 1, INT32_MAX, INT32_MIN, -1 };
	uint64_t r = rng_next(&alu_rng);

	return (struct pair){
		.value = alu_random(t),
		.index = r & 1 ? limits[(r >> 1) % ARRAY_SIZE(limits)] : (int32_t)(r >> 32),
	};
}

static void random_pairs(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_ALU_TYPES * ARRAY_SIZE(ops); i++) {
		const struct alu_type *t = &alu_types[i / ARRAY_SIZE(ops)];

		for (unsigned int k = 0; k < RANDOM_PAIRS; k++) {
			struct pair a = random_pair(t), b = random_pair(t);

			if (k % 4 == 0)
				b.value = a.value;
			check_one(t, ops[i % ARRAY_SIZE(ops)], a, b);
		}
	}
}

/* Write all corner values, with two indices each. */
static size_t corner_pairs(const struct alu_type *t, struct pair out[2 * MAX_CORNERS])
{
	uint64_t v[MAX_CORNERS];
	size_t n = alu_corners(t, v);

	for (size_t i = 0; i < 2 * n; i++)
		out[i] = (struct pair){ v[i / 2], i % 2 ? 7 : -3 };
	return 2 * n;
}

static void corner_cases(void **state)
{
	struct pair v[2 * MAX_CORNERS];

	(void)state;
	for (size_t i = 0; i < NUM_ALU_TYPES * ARRAY_SIZE(ops); i++) {
		const struct alu_type *t = &alu_types[i / ARRAY_SIZE(ops)];
		size_t n = corner_pairs(t, v);

		for (size_t k = 0; k < n * n; k++)
			check_one(t, ops[i % ARRAY_SIZE(ops)], v[k / n], v[k % n]);
	}
}

static void assert_same(const struct alu_type *t, struct pair a, uint16_t err_a, struct pair b,
			uint16_t err_b)
{
	if (a.value != b.value || a.index != b.index || err_a != err_b)
		fail_msg("%s: (%#" PRIx64 ", %" PRId32 ") flags %#x and (%#" PRIx64 ", %" PRId32
			 ") flags %#x", t->name, a.value, a.index, err_a, b.value, b.index, err_b);
}

/* Check a op b = b op a and (a op b) op c = a op (b op c), including the flags. */
static void check_laws(const struct alu_type *t, uint8_t op, struct pair a, struct pair b,
		       struct pair c)
{
	uint16_t ab_err, ba_err, bc_err, left_err, right_err;
	struct pair ab = pick(t, op, a, b, &ab_err), ba = pick(t, op, b, a, &ba_err);
	struct pair bc = pick(t, op, b, c, &bc_err);
	struct pair left = pick(t, op, ab, c, &left_err), right = pick(t, op, a, bc, &right_err);

	assert_same(t, ab, ab_err, ba, ba_err);
	assert_same(t, left, left_err | ab_err, right, right_err | bc_err);
}

static void laws(void **state)
{
	struct pair v[2 * MAX_CORNERS];

	(void)state;
	for (size_t i = 0; i < NUM_ALU_TYPES * ARRAY_SIZE(ops); i++) {
		const struct alu_type *t = &alu_types[i / ARRAY_SIZE(ops)];
		size_t n = corner_pairs(t, v);

		for (unsigned int k = 0; k < RANDOM_PAIRS; k++)
			check_laws(t, ops[i % ARRAY_SIZE(ops)], v[rng_below(&alu_rng, n)],
				   v[rng_below(&alu_rng, n)], v[rng_below(&alu_rng, n)]);
	}
}

/* The rules of docs/alu.md, worked out by hand in binary32. */
static void rules(void **state)
{
	static const struct {
		uint8_t op;
		struct pair a, b, want;
		uint16_t err;
	} cases[] = {
		{ TALLY_OP_MINLOC, { 0x40000000, 1 }, { 0x3f800000, 2 }, { 0x3f800000, 2 }, 0 },
		{ TALLY_OP_MAXLOC, { 0x40000000, 1 }, { 0x3f800000, 2 }, { 0x40000000, 1 }, 0 },
		{ TALLY_OP_MINLOC, { 0x40000000, 9 }, { 0x40000000, 2 }, { 0x40000000, 2 }, 0 },
		{ TALLY_OP_MAXLOC, { 0x40000000, 9 }, { 0x40000000, 2 }, { 0x40000000, 2 }, 0 },
		{ TALLY_OP_MAXLOC, { 0x40000000, 0 }, { 0x40000000, -1 }, { 0x40000000, -1 }, 0 },
		{ TALLY_OP_MINLOC, { 0x00000000, 1 }, { 0x80000000, 2 }, { 0x00000000, 1 }, 0 },
		{ TALLY_OP_MINLOC, { 0x00000000, 1 }, { 0x80000000, 1 }, { 0x80000000, 1 }, 0 },
		{ TALLY_OP_MAXLOC, { 0x00000000, 1 }, { 0x80000000, 1 }, { 0x00000000, 1 }, 0 },
		{ TALLY_OP_MINLOC, { 0xff800000, 1 }, { 0x7fc00000, 2 }, { 0x7fc00000, 2 }, 0 },
		{ TALLY_OP_MAXLOC, { 0xffc12345, 5 }, { 0x7fc00000, 4 }, { 0x7fc00000, 4 }, 0 },
		{ TALLY_OP_MAXLOC, { 0x7f800001, 3 }, { 0x7f800000, 2 }, { 0x7fc00000, 3 },
		  TALLY_ERR_FP_INVALID },
	};
	const struct alu_type *fp32 = &alu_types[NUM_INT_TYPES + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint16_t err;
		struct pair got = pick(fp32, cases[i].op, cases[i].a, cases[i].b, &err);

		if (got.value != cases[i].want.value || got.index != cases[i].want.index ||
		    err != cases[i].err)
			fail_msg("case %zu gave (%#" PRIx64 ", %" PRId32 ") flags %#x", i,
				 got.value, got.index, err);
	}
}

/* Pairs are made from values, in a separate buffer and in the buffer of the values. */
static void expansion(void **state)
{
	enum { COUNT = 21, FIRST = 0x7fffff00 };
	uint8_t values[COUNT * 8], pairs[COUNT * MAX_PAIR + 1], want[sizeof(pairs)];

	(void)state;
	for (size_t i = 0; i < NUM_ALU_TYPES; i++) {
		const struct alu_type *t = &alu_types[i];
		uint32_t size = t->bits / 8, pair_size = alu_elem_size(TALLY_OP_MINLOC, t->type);

		memset(pairs, 0xee, sizeof(pairs));
		memset(want, 0xee, sizeof(want));
		for (uint32_t k = 0; k < sizeof(values); k++)
			values[k] = (uint8_t)rng_next(&alu_rng);
		for (uint32_t k = 0; k < COUNT; k++) {
			struct pair p = { .index = (int32_t)(FIRST + k) };
			uint8_t one[MAX_PAIR];

			memcpy(&p.value, values + k * size, size);
			pack(t, p, 0, one);
			memcpy(want + k * pair_size, one, pair_size);
		}
		alu_expand_loc(t->type, pairs, values, COUNT, FIRST);
		assert_memory_equal(pairs, want, sizeof(want));
		memset(pairs, 0xee, sizeof(pairs));
		memcpy(pairs, values, COUNT * size);
		memset(pairs + COUNT * pair_size, 0xee, sizeof(pairs) - COUNT * pair_size);
		alu_expand_loc(t->type, pairs, pairs, COUNT, FIRST);
		assert_memory_equal(pairs, want, sizeof(want));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules),
		cmocka_unit_test(corner_cases),
		cmocka_unit_test(random_pairs),
		cmocka_unit_test(laws),
		cmocka_unit_test(expansion),
	};

	return cmocka_run_group_tests_name("alu_loc", tests, alu_start_random, NULL);
}
