// SPDX-License-Identifier: BSD-2-Clause
/* The oracle against results worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/oracle.h"

/* Reduces elements of @size bytes, one from each of @n ranks, into @result. */
static void reduce(enum tally_op op, enum tally_type type, const void *in, unsigned int n,
		   void *result)
{
	uint32_t size = oracle_elem_size(op, type);
	struct oracle o = { 0 };

	assert_true(oracle_begin(&o, op, type, 1));
	for (unsigned int i = 0; i < n; i++)
		oracle_add(&o, (const uint8_t *)in + i * size);
	oracle_finish(&o, result);
	oracle_free(&o);
}

static void encodings(void **state)
{
	(void)state;
	assert_int_equal(oracle_encode(TALLY_TYPE_FP16, 1.0), 0x3c00);
	assert_int_equal(oracle_encode(TALLY_TYPE_FP16, -2.0), 0xc000);
	assert_int_equal(oracle_encode(TALLY_TYPE_FP16, 65504.0), 0x7bff);
	assert_int_equal(oracle_encode(TALLY_TYPE_FP16, 65520.0), 0x7c00);
	assert_int_equal(oracle_encode(TALLY_TYPE_FP16, 0x1p-24), 0x0001);
	assert_int_equal(oracle_encode(TALLY_TYPE_FP16, 0x1p-25), 0x0000);
	assert_int_equal(oracle_encode(TALLY_TYPE_FP16, 0x1.8p-25), 0x0001);
	assert_int_equal(oracle_encode(TALLY_TYPE_FP16, 1.0 + 0x1p-11), 0x3c00);
	assert_int_equal(oracle_encode(TALLY_TYPE_FP16, 1.0 + 0x3p-11), 0x3c02);
	assert_int_equal(oracle_encode(TALLY_TYPE_BF16, 1.0), 0x3f80);
	assert_int_equal(oracle_encode(TALLY_TYPE_BF16, -0.0), 0x8000);
	assert_int_equal(oracle_encode(TALLY_TYPE_FP32, 0x1p-149), 1);
	assert_int_equal(oracle_encode(TALLY_TYPE_FP32, 3.0), 0x40400000);
	assert_int_equal(oracle_encode(TALLY_TYPE_FP64, -1.5), 0xbff8000000000000);
}

static void integers(void **state)
{
	const int8_t bytes[] = { 100, 100, -3 };
	const uint8_t unsigneds[] = { 200, 100, 7 };
	int8_t r;
	uint8_t u;

	(void)state;
	reduce(TALLY_OP_SUM, TALLY_TYPE_INT8, bytes, 3, &r);
	assert_int_equal(r, -59);		/* 197, wrapped */
	reduce(TALLY_OP_AVG, TALLY_TYPE_INT8, bytes, 3, &r);
	assert_int_equal(r, -19);		/* -59 / 3, toward zero */
	reduce(TALLY_OP_MIN, TALLY_TYPE_INT8, bytes, 3, &r);
	assert_int_equal(r, -3);
	reduce(TALLY_OP_MAX, TALLY_TYPE_UINT8, unsigneds, 3, &u);
	assert_int_equal(u, 200);
	reduce(TALLY_OP_MIN, TALLY_TYPE_UINT8, unsigneds, 3, &u);
	assert_int_equal(u, 7);
	reduce(TALLY_OP_LXOR, TALLY_TYPE_UINT8, unsigneds, 3, &u);
	assert_int_equal(u, 1);
	reduce(TALLY_OP_LAND, TALLY_TYPE_UINT8, unsigneds, 1, &u);
	assert_int_equal(u, 200);		/* only one rank: the value is unchanged */
	reduce(TALLY_OP_BXOR, TALLY_TYPE_UINT8, unsigneds, 2, &u);
	assert_int_equal(u, 200 ^ 100);
	reduce(TALLY_OP_PROD, TALLY_TYPE_UINT8, unsigneds, 3, &u);
	assert_int_equal(u, (uint8_t)(200 * 100 * 7));
}

static void floats(void **state)
{
	const uint16_t halves[] = { 0x3c00, 0x4000, 0x4400 };	/* 1, 2, 4 */
	const uint16_t zeroes[] = { 0x0000, 0x8000 };
	const uint32_t nan[] = { 0x3f800000, 0xffc12345 };
	uint16_t h;
	uint32_t f;

	(void)state;
	reduce(TALLY_OP_SUM, TALLY_TYPE_FP16, halves, 3, &h);
	assert_int_equal(h, 0x4700);		/* 7 */
	reduce(TALLY_OP_PROD, TALLY_TYPE_FP16, halves, 3, &h);
	assert_int_equal(h, 0x4800);		/* 8 */
	reduce(TALLY_OP_AVG, TALLY_TYPE_FP16, halves, 3, &h);
	assert_int_equal(h, 0x40ab);		/* 2.333, rounded to nearest */
	reduce(TALLY_OP_MIN, TALLY_TYPE_FP16, zeroes, 2, &h);
	assert_int_equal(h, 0x8000);
	reduce(TALLY_OP_MAX, TALLY_TYPE_FP16, zeroes, 2, &h);
	assert_int_equal(h, 0x0000);
	reduce(TALLY_OP_MAX, TALLY_TYPE_FP32, nan, 2, &f);
	assert_int_equal(f, 0x7fc00000);
}

static void locations(void **state)
{
	const struct {
		int16_t value, pad;
		int32_t index;
	} pairs[] = { { 5, 77, 9 }, { -1, 77, 30 }, { -1, 77, 20 } };
	struct {
		uint64_t value;
		int32_t index;
		uint32_t pad;
	} wide[] = { { 3, 8, 1 }, { 4, 2, 1 } }, result;
	uint8_t out[8];
	int32_t index;

	(void)state;
	assert_int_equal(oracle_elem_size(TALLY_OP_MINLOC, TALLY_TYPE_INT16), 8);
	reduce(TALLY_OP_MINLOC, TALLY_TYPE_INT16, pairs, 3, out);
	memcpy(&index, out + 4, sizeof(index));
	assert_int_equal((int16_t)(out[0] | out[1] << 8), -1);
	assert_int_equal(out[2] | out[3], 0);
	assert_int_equal(index, 20);
	assert_int_equal(oracle_elem_size(TALLY_OP_MAXLOC, TALLY_TYPE_UINT64), 16);
	reduce(TALLY_OP_MAXLOC, TALLY_TYPE_UINT64, wide, 2, &result);
	assert_int_equal(result.value, 4);
	assert_int_equal(result.index, 2);
	assert_int_equal(result.pad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encodings),
		cmocka_unit_test(integers),
		cmocka_unit_test(floats),
		cmocka_unit_test(locations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
