// SPDX-License-Identifier: BSD-2-Clause
/* Reductions of a process have the bits of the ALU's model, for each pair of values and any alignment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "alu/alu.h"
#include "host/reduce.h"

#define RANDOM 24
#define MOST 64
#define GUARD 0xa5

static const uint8_t types[] = {
	TALLY_TYPE_INT8, TALLY_TYPE_INT16, TALLY_TYPE_INT32, TALLY_TYPE_INT64,
	TALLY_TYPE_UINT8, TALLY_TYPE_UINT16, TALLY_TYPE_UINT32, TALLY_TYPE_UINT64,
	TALLY_TYPE_FP16, TALLY_TYPE_FP32, TALLY_TYPE_FP64, TALLY_TYPE_BF16,
};

/* Zero, smallest and largest subnormal, normal numbers, infinity, NaNs: signalling, quiet, with payload. */
static const uint64_t fp32[] = {
	0, 1, 0x7fffff, 0x800000, 0x800001, 0x3f800000, 0x3f800001, 0x40490fdb, 0x7f7fffff, 0x7f800000,
	0x7f800001, 0x7fc00000, 0x7fc12345, 0x20000000, 0x5f000000, 0x4b800000, 0x33800000,
};

static const uint64_t fp64[] = {
	0, 1, 0xfffffffffffff, 0x10000000000000, 0x10000000000001, 0x3ff0000000000000,
	0x3ff0000000000001, 0x400921fb54442d18, 0x7fefffffffffffff, 0x7ff0000000000000,
	0x7ff0000000000001, 0x7ff8000000000000, 0x7ff8000012345678, 0x2000000000000000,
	0x5fe0000000000000, 0x4340000000000000, 0x3ca0000000000000,
};

static const uint64_t other[] = {
	0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7c00, 0x7c01, 0x7e00, 0x7f80, 0x7fc0, 0x3c00, 0x3f80,
	0x7fffffff, 0x80000000, 0x7fffffffffffffff, 0x8000000000000000,
};

static uint64_t draw(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return state ^ state >> 29;
}

/* Writes values of a type, both signs of each, and random ones. Returns their number. */
static unsigned int values_of(uint8_t type, uint64_t values[MOST])
{
	bool wide = type == TALLY_TYPE_FP64, narrow = type == TALLY_TYPE_FP32;
	const uint64_t *from = wide ? fp64 : narrow ? fp32 : other;
	unsigned int n = wide || narrow ? sizeof(fp32) / sizeof(*fp32) : sizeof(other) / sizeof(*other);
	uint64_t sign = 1ULL << (8 * alu_value_size(type) - 1);

	_Static_assert(sizeof(fp32) == sizeof(fp64), "as many of both");
	for (unsigned int i = 0; i < n; i++) {
		values[2 * i] = from[i];
		values[2 * i + 1] = from[i] ^ sign;
	}
	for (unsigned int i = 2 * n; i < MOST; i++)
		values[i] = draw();
	return MOST;
}

/* Compares for @count elements at @offset from a line, which are all there is to write. */
static void compare(uint8_t op, uint8_t type, const uint8_t *acc, const uint8_t *in, uint64_t count,
		    size_t offset)
{
	const size_t bytes = count * alu_elem_size(op, type), all = bytes + 2 * offset + 64;
	uint8_t *mine = malloc(all), *model = malloc(all), *from = malloc(bytes + offset + 1);

	assert_true(mine && model && from);
	memset(mine, GUARD, all);
	memcpy(mine + offset, acc, bytes);
	memcpy(model, mine, all);
	memcpy(from + offset, in, bytes);
	alu_reduce(op, type, model + offset, from + offset, count);
	tc_reduce(op, type, mine + offset, from + offset, count);
	assert_memory_equal(mine, model, all);
	free(mine);
	free(model);
	free(from);
}

static void all_pairs_of_values(uint8_t op, uint8_t type)
{
	static uint8_t acc[MOST * MOST * 16], in[MOST * MOST * 16];
	const uint32_t elem = alu_elem_size(op, type), size = alu_value_size(type);
	uint64_t values[MOST];
	unsigned int n = values_of(type, values);

	memset(acc, 0, sizeof(acc));
	memset(in, 0, sizeof(in));
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; j < n; j++) {
			memcpy(acc + (i * n + j) * elem, &values[i], size);
			memcpy(in + (i * n + j) * elem, &values[j], size);
		}
	compare(op, type, acc, in, n * n, 0);
	compare(op, type, acc, in, n * n - 1, 1);
	for (unsigned int count = 0; count < 40; count++)
		compare(op, type, acc, in, count, count % 9);
}

static void test_all(void **state)
{
	unsigned int pairs = 0;

	(void)state;
	for (unsigned int t = 0; t < sizeof(types); t++)
		for (unsigned int op = 0; op < 32; op++)
			if (alu_supported(op, types[t])) {
				all_pairs_of_values(op, types[t]);
				pairs++;
			}
	/* 13 operations on integers of 8 types, 7 on floating point of 4. */
	assert_int_equal(pairs, 13 * 8 + 7 * 4);
}

/* Data that are reduced with themselves. */
static void test_same(void **state)
{
	uint64_t values[MOST], model[MOST];

	(void)state;
	values_of(TALLY_TYPE_FP64, values);
	memcpy(model, values, sizeof(model));
	alu_reduce(TALLY_OP_SUM, TALLY_TYPE_FP64, model, model, MOST);
	tc_reduce(TALLY_OP_SUM, TALLY_TYPE_FP64, values, values, MOST);
	assert_memory_equal(values, model, sizeof(values));
}

/* A program may have changed how its CPU computes. The NIC does not know. */
static void test_modes_of_the_cpu(void **state)
{
#ifdef __SSE2__
	static const unsigned int modes[] = {
		0x8000,		/* subnormal results become zero */
		0x0040,		/* subnormal operands are zero */
		0x2000, 0x4000, 0x6000,	/* rounding down, up, toward zero */
	};
	const unsigned int usual = _mm_getcsr();

	for (unsigned int i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		_mm_setcsr(usual | modes[i]);
		all_pairs_of_values(TALLY_OP_SUM, TALLY_TYPE_FP32);
		all_pairs_of_values(TALLY_OP_PROD, TALLY_TYPE_FP64);
		_mm_setcsr(usual);
	}
	_mm_setcsr(usual & ~0x1f80u);	/* every exception ends the program */
	all_pairs_of_values(TALLY_OP_SUM, TALLY_TYPE_FP64);
	_mm_setcsr(usual);
#endif
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_modes_of_the_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
