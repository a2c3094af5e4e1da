// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests the ALU's table of types and operations, its refusals, and vectors of elements. Other tests
 * check single elements. TALLY_TEST_SEED repeats a random run.
 */
#include "alu/alu.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "alu/alu_testing.h"

/* ---- The table ---- */

static const struct {
	uint8_t type_class;
	uint32_t ops;
	uint8_t sizes; /* bit log2(bytes) */
} classes[] = {
	{ TALLY_TYPE_CLASS_INT, TALLY_OPS_INT, 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 },
	{ TALLY_TYPE_CLASS_UINT, TALLY_OPS_UINT, 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 },
	{ TALLY_TYPE_CLASS_FP, TALLY_OPS_FP, 1 << 1 | 1 << 2 | 1 << 3 },
	{ TALLY_TYPE_CLASS_BF, TALLY_OPS_BF, 1 << 1 },
};

/* The table has all that uapi defines, and nothing else. */
static void the_whole_table(void **state)
{
	uint32_t ops[256] = { 0 };
	uint8_t sizes[256] = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		ops[classes[i].type_class] = classes[i].ops;
		sizes[classes[i].type_class] = classes[i].sizes;
	}
	for (unsigned int c = 0; c < 256; c++) {
		assert_int_equal(alu_ops((uint8_t)c), ops[c]);
		assert_int_equal(alu_sizes((uint8_t)c), sizes[c]);
	}
}

#define NAMED(name, value, doc) [value] = true,

/* The table has the types and operations that uapi names, except for NONE. */
static void every_name_of_uapi(void **state)
{
	static const bool types[256] = { TALLY_TYPE_LIST(NAMED) };
	static const bool ops[256] = { TALLY_OP_LIST(NAMED) };

	(void)state;
	for (unsigned int i = 0; i < 256; i++) {
		enum tally_coll_status type = alu_check(TALLY_OP_SUM, (uint8_t)i);
		enum tally_coll_status op = alu_check((uint8_t)i, TALLY_TYPE_INT32);

		assert_int_equal(type, types[i] && i != TALLY_TYPE_NONE ? TALLY_COLL_OK :
									  TALLY_COLL_BAD_TYPE);
		assert_int_equal(op, ops[i] && i != TALLY_OP_NONE ? TALLY_COLL_OK :
								    TALLY_COLL_BAD_OP);
	}
}

/*
 * A pair of codes is supported exactly if the class masks say so, and the refusal of others is
 * correct.
 */
static void every_pair_of_codes(void **state)
{
	const uint32_t any = TALLY_OPS_INT | TALLY_OPS_UINT | TALLY_OPS_FP | TALLY_OPS_BF;

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
	assert_int_equal(alu_check(TALLY_OP_LXOR, TALLY_TYPE_UINT8), TALLY_COLL_OK);
	assert_int_equal(alu_check(TALLY_OP_NONE, TALLY_TYPE_INT32), TALLY_COLL_BAD_OP);
	assert_int_equal(alu_check(12, TALLY_TYPE_INT32), TALLY_COLL_BAD_OP);
	assert_int_equal(alu_check(255, 255), TALLY_COLL_BAD_OP);
	assert_int_equal(alu_check(TALLY_OP_SUM, TALLY_TYPE_NONE), TALLY_COLL_BAD_TYPE);
	assert_int_equal(alu_check(TALLY_OP_SUM, 0x42), TALLY_COLL_BAD_TYPE);
	assert_int_equal(alu_check(TALLY_OP_SUM, 0x3f), TALLY_COLL_BAD_TYPE);
	assert_int_equal(alu_check(TALLY_OP_BAND, TALLY_TYPE_FP32), TALLY_COLL_BAD_PAIR);
	assert_int_equal(alu_check(TALLY_OP_LOR, TALLY_TYPE_BF16), TALLY_COLL_BAD_PAIR);
}

#define ADD_ONE(name, value, doc) +1

static void element_sizes(void **state)
{
	int known = 0, pairs = 0;

	(void)state;
	assert_int_equal(alu_value_size(TALLY_TYPE_NONE), 1);
	assert_int_equal(alu_value_size(0x30), 0);
	assert_int_equal(alu_elem_size(TALLY_OP_NONE, TALLY_TYPE_NONE), 1);
	assert_int_equal(alu_elem_size(255, TALLY_TYPE_INT32), 4);
	assert_int_equal(alu_elem_size(TALLY_OP_MINLOC, TALLY_TYPE_NONE), 0);
	assert_int_equal(alu_elem_size(TALLY_OP_MAXLOC, TALLY_TYPE_UINT8), 8);
	for (size_t i = 0; i < NUM_ALU_TYPES; i++) {
		uint8_t type = alu_types[i].type;
		uint32_t bytes = alu_types[i].bits / 8;

		assert_int_equal(alu_value_size(type), bytes);
		assert_int_equal(alu_elem_size(TALLY_OP_AVG, type), bytes);
		assert_int_equal(alu_elem_size(TALLY_OP_MINLOC, type), bytes == 8 ? 16 : 8);
		assert_int_equal(alu_elem_size(TALLY_OP_MAXLOC, type), bytes == 8 ? 16 : 8);
	}
	for (unsigned int type = 0; type < 256; type++) {
		known += alu_value_size((uint8_t)type) != 0;
		pairs += alu_elem_size(TALLY_OP_MINLOC, (uint8_t)type) != 0;
	}
	assert_int_equal(known, 0 TALLY_TYPE_LIST(ADD_ONE));
	assert_int_equal(pairs, NUM_ALU_TYPES);
}

/* ---- Faults of the caller ---- */

static void reduce(uint8_t op, uint8_t type)
{
	uint64_t a[2] = { 0 }, b[2] = { 0 };

	alu_reduce(op, type, a, b, 1);
}

static void scale(uint8_t n, uint8_t type)
{
	uint64_t a = 0;

	alu_scale(type, &a, 1, n);
}

static void expand(uint8_t unused, uint8_t type)
{
	uint64_t pair[2], value = 0;

	(void)unused;
	alu_expand_loc(type, pair, &value, 1, 0);
}

/* Call @fn in a child process. Returns true if that aborted the child. */
static bool aborts(void (*fn)(uint8_t, uint8_t), uint8_t arg, uint8_t type)
{
	static const struct rlimit no_core;
	int status;
	pid_t child = fork();

	assert_int_not_equal(child, -1);
	if (!child) {
		signal(SIGABRT, SIG_DFL);
		setrlimit(RLIMIT_CORE, &no_core);
		fn(arg, type);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void faults_of_the_caller_abort(void **state)
{
	(void)state;
	assert_true(aborts(reduce, TALLY_OP_BAND, TALLY_TYPE_FP32));
	assert_true(aborts(reduce, TALLY_OP_SUM, TALLY_TYPE_NONE));
	assert_true(aborts(reduce, 255, TALLY_TYPE_INT32));
	assert_false(aborts(reduce, TALLY_OP_MINLOC, TALLY_TYPE_FP64));
	assert_true(aborts(scale, 0, TALLY_TYPE_INT32));
	assert_true(aborts(scale, 1, TALLY_TYPE_NONE));
	assert_true(aborts(scale, 1, 0xff));
	assert_false(aborts(scale, 1, TALLY_TYPE_INT32));
	assert_true(aborts(expand, 0, TALLY_TYPE_NONE));
	assert_false(aborts(expand, 0, TALLY_TYPE_UINT64));
}

/* ---- Vectors ---- */

#define VECTOR_MAX 67
#define GUARD 16
#define PAIR_MAX 16

/* Reduce @count random elements at odd addresses and compare with one element at a time. */
static void check_vector(uint8_t type, uint8_t op, uint32_t count)
{
	uint8_t acc[VECTOR_MAX * PAIR_MAX + 2 * GUARD], in[sizeof(acc)], want[sizeof(acc)];
	uint8_t in_before[sizeof(in)];
	size_t at = rng_below(&alu_rng, GUARD), from = rng_below(&alu_rng, GUARD);
	size_t size = alu_elem_size(op, type);
	uint16_t want_err = 0;

	for (size_t i = 0; i < sizeof(acc); i++) {
		acc[i] = (uint8_t)rng_next(&alu_rng);
		in[i] = (uint8_t)rng_next(&alu_rng);
	}
	memcpy(want, acc, sizeof(acc));
	memcpy(in_before, in, sizeof(in));
	for (uint32_t i = 0; i < count; i++)
		want_err |= alu_reduce(op, type, want + at + i * size, in + from + i * size, 1);
	assert_int_equal(alu_reduce(op, type, acc + at, in + from, count), want_err);
	assert_memory_equal(acc, want, sizeof(acc));
	assert_memory_equal(in, in_before, sizeof(in));
}

static void vectors_and_guard_bytes(void **state)
{
	(void)state;
	for (uint32_t count = 0; count <= VECTOR_MAX; count++)
		for (size_t i = 0; i < NUM_ALU_TYPES; i++)
			for (uint8_t op = 0; op < 32; op++)
				if (alu_supported(op, alu_types[i].type))
					check_vector(alu_types[i].type, op, count);
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

/* acc and in may be the same vector, also if it is longer than a word. */
static void in_place(void **state)
{
	uint32_t v[21], want[21];

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(v); i++) {
		v[i] = (uint32_t)rng_next(&alu_rng);
		want[i] = 2 * v[i];
	}
	assert_int_equal(alu_reduce(TALLY_OP_SUM, TALLY_TYPE_INT32, v, v, ARRAY_SIZE(v)), 0);
	assert_memory_equal(v, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_table),
		cmocka_unit_test(every_name_of_uapi),
		cmocka_unit_test(every_pair_of_codes),
		cmocka_unit_test(refusals),
		cmocka_unit_test(element_sizes),
		cmocka_unit_test(faults_of_the_caller_abort),
		cmocka_unit_test(vectors_and_guard_bytes),
		cmocka_unit_test(flags_of_all_elements),
		cmocka_unit_test(in_place),
	};

	return cmocka_run_group_tests_name("alu", tests, alu_start_random, NULL);
}
