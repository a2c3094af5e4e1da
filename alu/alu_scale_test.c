// SPDX-License-Identifier: BSD-2-Clause
/*
 * Compares the division of AVG with longer arithmetic: 128 bits for integers, binary128 or binary64
 * for floating point. TALLY_TEST_SEED repeats a random run.
 */
#include "alu/alu.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "alu/alu_testing.h"

#define RANDOM_QUOTIENTS 100000

static const uint32_t divisors[] = {
	1, 2, 3, 5, 6, 7, 10, 127, 128, 255, 256, 641, 4095, 4096, 65535, 65536, 16777217,
	0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
};

static uint16_t check_one(const struct alu_type *t, uint64_t a, uint32_t n)
{
	uint16_t err, want_err;
	uint64_t got = a, want = alu_reference_scale(t, a, n, &want_err);

	err = alu_scale(t->type, &got, 1, n);
	if (got != want || err != want_err)
		fail_msg("%s: %#" PRIx64 " / %" PRIu32 " gave %#" PRIx64 " flags %#x, not %#" PRIx64
			 " flags %#x", t->name, a, n, got, err, want, want_err);
	return err;
}

static void corner_cases(void **state)
{
	uint64_t v[MAX_CORNERS];

	(void)state;
	for (size_t i = 0; i < NUM_ALU_TYPES; i++) {
		size_t n = alu_corners(&alu_types[i], v);

		for (size_t k = 0; k < n * ARRAY_SIZE(divisors); k++)
			check_one(&alu_types[i], v[k % n], divisors[k / n]);
	}
}

/* Checks all values of the short types. */
static void all_short_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_ALU_TYPES; i++) {
		const struct alu_type *t = &alu_types[i];

		for (uint32_t a = 0; t->bits <= 16 && a <= alu_mask(t); a++)
			check_one(t, a, divisors[rng_below(&alu_rng, ARRAY_SIZE(divisors))]);
	}
}

/* Return a multiple of @n or a neighbour of one, where the quotient changes. */
static uint64_t random_multiple(const struct alu_type *t, uint32_t n)
{
	uint64_t r = rng_next(&alu_rng);

	return ((r >> (r & 63)) * n + r % 3 - 1) & alu_mask(t);
}

static void random_quotients(void **state)
{
	const uint16_t all = TALLY_ERR_FP_INVALID | TALLY_ERR_FP_UNDERFLOW | TALLY_ERR_FP_INEXACT;

	(void)state;
	for (size_t i = 0; i < NUM_ALU_TYPES; i++) {
		const struct alu_type *t = &alu_types[i];
		uint16_t seen = 0;

		for (unsigned int k = 0; k < RANDOM_QUOTIENTS; k++) {
			uint64_t r = rng_next(&alu_rng);
			uint32_t n = (uint32_t)r >> (r >> 32 & 31);

			n = n ? n : 1;
			seen |= check_one(t, k % 2 ? alu_random(t) : random_multiple(t, n), n);
		}
		assert_int_equal(seen, t->man ? all : 0);
	}
}

static void vectors(void **state)
{
	uint8_t acc[300], want[sizeof(acc)];

	(void)state;
	for (size_t i = 0; i < NUM_ALU_TYPES; i++) {
		const struct alu_type *t = &alu_types[i];
		uint32_t size = t->bits / 8;

		for (uint32_t count = 0; 9 + count * size < sizeof(acc); count++) {
			uint16_t want_err = 0;

			for (size_t k = 0; k < sizeof(acc); k++)
				acc[k] = (uint8_t)rng_next(&alu_rng);
			memcpy(want, acc, sizeof(acc));
			for (uint32_t k = 0; k < count; k++)
				want_err |= alu_scale(t->type, want + 9 + k * size, 1, 3);
			assert_int_equal(alu_scale(t->type, acc + 9, count, 3), want_err);
			assert_memory_equal(acc, want, sizeof(acc));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corner_cases),
		cmocka_unit_test(all_short_values),
		cmocka_unit_test(random_quotients),
		cmocka_unit_test(vectors),
	};

	return cmocka_run_group_tests_name("alu_scale", tests, alu_start_random, NULL);
}
