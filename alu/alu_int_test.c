// SPDX-License-Identifier: BSD-2-Clause
/* Compares integers in the ALU with 128-bit arithmetic. TALLY_TEST_SEED repeats a random run. */
#include "alu/alu.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "alu/alu_testing.h"

#define RANDOM_PAIRS 50000

static const uint8_t ops[] = {
	TALLY_OP_SUM, TALLY_OP_MIN, TALLY_OP_MAX, TALLY_OP_LAND, TALLY_OP_LOR, TALLY_OP_LXOR,
	TALLY_OP_BAND, TALLY_OP_BOR, TALLY_OP_BXOR, TALLY_OP_PROD, TALLY_OP_AVG,
};

static void check_one(const struct alu_type *t, uint8_t op, uint64_t a, uint64_t b)
{
	uint16_t err, none;
	uint64_t got = alu_one(t, op, a, b, &err), want = alu_reference(t, op, a, b, &none);

	if (got != want || err)
		fail_msg("%s op %u: %#" PRIx64 ", %#" PRIx64 " gave %#" PRIx64 " flags %#x, not %#"
			 PRIx64, t->name, op, a, b, got, err, want);
}

static void corner_cases(void **state)
{
	uint64_t v[MAX_CORNERS];

	(void)state;
	for (size_t i = 0; i < NUM_INT_TYPES * ARRAY_SIZE(ops); i++) {
		const struct alu_type *t = &alu_types[i / ARRAY_SIZE(ops)];
		size_t n = alu_corners(t, v);

		for (size_t k = 0; k < n * n; k++)
			check_one(t, ops[i % ARRAY_SIZE(ops)], v[k / n], v[k % n]);
	}
}

/* Checks all pairs of the shortest types. */
static void all_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_INT_TYPES * ARRAY_SIZE(ops); i++) {
		const struct alu_type *t = &alu_types[i / ARRAY_SIZE(ops)];

		for (unsigned int k = 0; t->bits == 8 && k < 0x10000; k++)
			check_one(t, ops[i % ARRAY_SIZE(ops)], k >> 8, k & 0xff);
	}
}

static void random_pairs(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUM_INT_TYPES * ARRAY_SIZE(ops); i++) {
		const struct alu_type *t = &alu_types[i / ARRAY_SIZE(ops)];

		for (unsigned int k = 0; k < RANDOM_PAIRS; k++) {
			uint64_t a = alu_random(t), b = alu_random(t);

			check_one(t, ops[i % ARRAY_SIZE(ops)], a, b);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corner_cases),
		cmocka_unit_test(all_bytes),
		cmocka_unit_test(random_pairs),
	};

	return cmocka_run_group_tests_name("alu_int", tests, alu_start_random, NULL);
}
