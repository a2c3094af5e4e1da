// SPDX-License-Identifier: BSD-2-Clause
/* Parameters and results of messages of blocks, against values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "hosts/message.h"

#define RANKS	3
#define COUNT	5
#define ELEMS	(RANKS * COUNT)
#define MANY	200

static struct message message_of(enum tally_opcode opcode)
{
	return (struct message){
		.opcode = opcode,
		.op = opcode == TALLY_OPCODE_REDUCE_SCATTER ? TALLY_OP_SUM : TALLY_OP_NONE,
		.type = TALLY_TYPE_UINT16,
		.count = COUNT,
		.total_ranks = RANKS,
		.seed = 7,
	};
}

static void allgather(void **state)
{
	const struct message m = message_of(TALLY_OPCODE_ALLGATHER);
	uint16_t want[ELEMS], block[COUNT];
	struct oracle o = { 0 };

	(void)state;
	assert_false(message_has_root(&m));
	assert_int_equal(message_give_bytes(&m), COUNT * sizeof(uint16_t));
	assert_int_equal(message_get_bytes(&m), ELEMS * sizeof(uint16_t));
	assert_int_equal(message_expect_bytes(&m), ELEMS * sizeof(uint16_t));
	assert_true(message_expect(&m, &o, want));
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		assert_true(message_gives(&m, rank) && message_gets(&m, rank));
		assert_int_equal(message_expect_offset(&m, rank), 0);
		message_input(&m, rank, block);
		assert_memory_equal(want + rank * COUNT, block, sizeof(block));
	}
	oracle_free(&o);
}

static void reduce_scatter(void **state)
{
	const struct message m = message_of(TALLY_OPCODE_REDUCE_SCATTER);
	uint16_t want[ELEMS], data[ELEMS], sum[ELEMS] = { 0 };
	struct oracle o = { 0 };

	(void)state;
	assert_int_equal(message_give_elements(&m), ELEMS);
	assert_int_equal(message_give_bytes(&m), sizeof(data));
	assert_int_equal(message_get_bytes(&m), COUNT * sizeof(uint16_t));
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		message_input(&m, rank, data);
		for (unsigned int i = 0; i < ELEMS; i++)
			sum[i] += data[i];
		assert_int_equal(message_expect_offset(&m, rank),
				 rank * COUNT * sizeof(uint16_t));
	}
	assert_true(message_expect(&m, &o, want));
	assert_memory_equal(want, sum, sizeof(sum));
	oracle_free(&o);
}

/* Chunks are cut from all blocks together. */
static void chunks(void **state)
{
	struct message m = message_of(TALLY_OPCODE_ALLGATHER);

	(void)state;
	m.chunk_len = 2 * 4 * sizeof(uint16_t);
	assert_int_equal(message_chunks(&m, 4096), 2);	/* 15 elements, 8 per chunk */
	m.chunk_len = 0;
	assert_int_equal(message_chunks(&m, 4096), 1);
	m.count = 0;
	assert_int_equal(message_chunks(&m, 4096), 1);
}

/* The sums depend on the order of additions; otherwise campaigns could not detect a wrong order. */
static void rounded_values(void **state)
{
	struct message m = message_of(TALLY_OPCODE_ALLREDUCE);
	float v[RANKS][MANY];
	unsigned int differ = 0;

	(void)state;
	m.op = TALLY_OP_SUM;
	m.type = TALLY_TYPE_FP32;
	m.rounded = true;
	m.count = MANY;
	for (uint32_t rank = 0; rank < RANKS; rank++)
		message_input(&m, rank, v[rank]);
	for (unsigned int i = 0; i < MANY; i++) {
		volatile float left = v[0][i] + v[1][i], right = v[1][i] + v[2][i];

		assert_true(v[0][i] > 0 && v[0][i] < 16);
		left += v[2][i];
		right += v[0][i];
		differ += left != right;
	}
	assert_true(differ > 0);
}

/* ---- One entry for several ranks ---- */

static const uint32_t pair[] = { 1, 2 };

/* Blocks lie one after the other, as data and as results. */
static void joint_blocks(void **state)
{
	struct message m = message_of(TALLY_OPCODE_GATHER);
	uint16_t got[ELEMS], want[ELEMS];
	struct oracle o = { 0 };

	(void)state;
	assert_int_equal(message_joint_give_bytes(&m, 2), 2 * COUNT * sizeof(uint16_t));
	assert_int_equal(message_joint_get_bytes(&m, 2), ELEMS * sizeof(uint16_t));
	assert_true(message_joint_input(&m, &o, pair, 2, got));
	message_input(&m, 1, want);
	message_input(&m, 2, want + COUNT);
	assert_memory_equal(got, want, 2 * COUNT * sizeof(uint16_t));
	m.opcode = TALLY_OPCODE_SCATTER;
	m.root = 2;
	assert_int_equal(message_joint_give_bytes(&m, 2), sizeof(got));
	assert_int_equal(message_joint_get_bytes(&m, 2), 2 * COUNT * sizeof(uint16_t));
	assert_true(message_joint_input(&m, &o, pair, 2, got));
	message_input(&m, 2, want);
	assert_memory_equal(got, want, sizeof(got));
}

/* Only the data are reduced; the division of an average comes at the end. */
static void joint_sums(void **state)
{
	struct message m = message_of(TALLY_OPCODE_ALLREDUCE);
	uint16_t got[COUNT], one[COUNT], other[COUNT];
	struct oracle o = { 0 };

	(void)state;
	for (unsigned int k = 0; k < 2; k++) {
		m.op = k ? TALLY_OP_AVG : TALLY_OP_SUM;
		assert_int_equal(message_joint_give_bytes(&m, 2), sizeof(got));
		assert_int_equal(message_joint_get_bytes(&m, 2), sizeof(got));
		assert_true(message_joint_input(&m, &o, pair, 2, got));
		message_input(&m, 1, one);
		message_input(&m, 2, other);
		for (unsigned int i = 0; i < COUNT; i++)
			assert_int_equal(got[i], (uint16_t)(one[i] + other[i]));
	}
	oracle_free(&o);
}

/* Ranks that give values without indices give pairs together. */
static void joint_locations(void **state)
{
	struct message m = message_of(TALLY_OPCODE_ALLREDUCE);
	struct { int32_t value, index; } got[COUNT];
	struct oracle o = { 0 };
	int32_t one[COUNT], other[COUNT];

	(void)state;
	m.op = TALLY_OP_MINLOC;
	m.type = TALLY_TYPE_INT32;
	m.loc_values = true;
	m.loc_index = 100;
	assert_int_equal(message_joint_give_bytes(&m, 2), sizeof(got));
	assert_true(message_joint_input(&m, &o, pair, 2, got));
	message_input(&m, 1, one);
	message_input(&m, 2, other);
	for (int32_t i = 0; i < COUNT; i++) {
		assert_int_equal(got[i].value, one[i] < other[i] ? one[i] : other[i]);
		assert_int_equal(got[i].index, 100 + i);
	}
	oracle_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allgather),
		cmocka_unit_test(reduce_scatter),
		cmocka_unit_test(chunks),
		cmocka_unit_test(rounded_values),
		cmocka_unit_test(joint_blocks),
		cmocka_unit_test(joint_sums),
		cmocka_unit_test(joint_locations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
