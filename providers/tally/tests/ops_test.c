// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Valid combinations of opcodes, operations and types, and the statuses that refuse the others. */
#include <stdlib.h>

#include "rig.h"

#define ALL_CAPS UINT64_MAX
#define TREE_CAPS TALLY_CAP_TREE

static struct tally_ops ops;

static void use(uint64_t caps)
{
	tally_ops_init(&ops, caps, UINT32_MAX, caps & TALLY_OPS_MODES, false);
}

static void single_cases(void **state)
{
	static const struct {
		uint32_t opcode, op, dtype;
		enum tally_coll_status status;
		int err;
	} cases[] = {
#define CASE(opcode, op, dtype, status, err) \
	{ TALLY_OPCODE_##opcode, TALLY_OP_##op, TALLY_TYPE_##dtype, TALLY_COLL_##status, err }
		CASE(ALLREDUCE, SUM, FP64, OK, 0),
		CASE(ALLREDUCE, BXOR, FP64, BAD_PAIR, EOPNOTSUPP),
		CASE(ALLREDUCE, LAND, BF16, BAD_PAIR, EOPNOTSUPP),
		CASE(ALLREDUCE, MINLOC, FP16, OK, 0),
		CASE(ALLREDUCE, PROD, UINT8, OK, 0),
		CASE(ALLREDUCE, AVG, BF16, OK, 0),
		CASE(ALLREDUCE, NONE, FP64, BAD_OP, EOPNOTSUPP),
		CASE(ALLREDUCE, SUM, NONE, BAD_TYPE, EOPNOTSUPP),
		CASE(REDUCE, LXOR, INT16, OK, 0),
		CASE(BCAST, NONE, NONE, OK, 0),
		CASE(BCAST, NONE, FP32, OK, 0),
		CASE(BCAST, SUM, FP32, BAD_OP, EOPNOTSUPP),
		CASE(GATHER, NONE, NONE, OK, 0),
		CASE(GATHER, MAX, INT8, BAD_OP, EOPNOTSUPP),
		CASE(SCATTER, NONE, INT64, OK, 0),
		CASE(BARRIER, NONE, NONE, OK, 0),
		CASE(BARRIER, NONE, INT8, BAD_TYPE, EOPNOTSUPP),
		CASE(BARRIER, SUM, NONE, BAD_OP, EOPNOTSUPP),
		CASE(QUERY, NONE, NONE, OK, 0),
		CASE(ABORT, SUM, FP64, OK, 0),
		CASE(REDUCE_MP, NONE, FP64, BAD_OP, EOPNOTSUPP),
		CASE(REDUCE_MP, MAXLOC, FP64, OK, 0),
		CASE(BCAST_MP, NONE, NONE, OK, 0),
		CASE(BCAST_MP, SUM, NONE, BAD_TYPE, EOPNOTSUPP),
		CASE(BCAST_MP, SUM, FP64, OK, 0),
		CASE(BCAST_MP, BOR, FP64, BAD_PAIR, EOPNOTSUPP),
		CASE(PUT_MP, NONE, INT32, OK, 0),
		CASE(ALLGATHER, NONE, NONE, BAD_MODE, EOPNOTSUPP),
		CASE(REDUCE_SCATTER, SUM, FP64, BAD_MODE, EOPNOTSUPP),
		/* The mode is checked last. */
		CASE(REDUCE_SCATTER, BXOR, FP64, BAD_PAIR, EOPNOTSUPP),
		CASE(ALLGATHER, SUM, FP64, BAD_OP, EOPNOTSUPP),
#undef CASE
		{ 0, 0, 0, TALLY_COLL_BAD_OPCODE, EINVAL },
		{ 256 + TALLY_OPCODE_BARRIER, 0, 0, TALLY_COLL_BAD_OPCODE, EINVAL },
		{ TALLY_OPCODE_ALLREDUCE, 32 + TALLY_OP_SUM, TALLY_TYPE_FP64, TALLY_COLL_BAD_OP,
		  EINVAL },
		{ TALLY_OPCODE_ALLREDUCE, 12, TALLY_TYPE_FP64, TALLY_COLL_BAD_OP, EINVAL },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, 0x30, TALLY_COLL_BAD_TYPE, EINVAL },
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, 0x100 + TALLY_TYPE_FP64,
		  TALLY_COLL_BAD_TYPE, EINVAL },
		{ TALLY_OPCODE_BCAST, TALLY_OP_NONE, 0x42, TALLY_COLL_BAD_TYPE, EINVAL },
		{ TALLY_OPCODE_ALLGATHER, 0, 0x42, TALLY_COLL_BAD_TYPE, EINVAL },
		{ TALLY_OPCODE_REDUCE_SCATTER, 99, TALLY_TYPE_FP64, TALLY_COLL_BAD_OP, EINVAL },
		{ TALLY_OPCODE_QUERY, 32, 0, TALLY_COLL_BAD_OP, EINVAL },
	};

	(void)state;
	use(RIG_CAPS);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum tally_coll_status status = tally_ops_check(&ops, cases[i].opcode, cases[i].op,
								cases[i].dtype);

		if (status != cases[i].status)
			fail_msg("case %u: %s", i, tallydv_coll_status_name(status));
		if (cases[i].err)
			assert_int_equal(tally_ops_errno(cases[i].opcode, cases[i].op,
							 cases[i].dtype), cases[i].err);
	}
}

/* The table that a post looks up agrees with tally_ops_check() for all numbers. */
static void every_number(void **state)
{
	unsigned int allowed = 0;

	(void)state;
	use(RIG_CAPS);
	for (uint32_t opcode = 0; opcode < 256; opcode++)
		for (uint32_t op = 0; op < 256; op++)
			for (uint32_t dtype = 0; dtype < 256; dtype++) {
				bool can = tally_rule_allows(&ops.rule[opcode], op, dtype);

				if (can != (tally_ops_check(&ops, opcode, op, dtype) ==
					    TALLY_COLL_OK))
					fail_msg("%u %u %u", opcode, op, dtype);
				allowed += can;
			}
	assert_true(allowed > 0);
}

/* A device that lacks some capabilities. */
static void capabilities(void **state)
{
	(void)state;
	use(TREE_CAPS);
	assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_REDUCE_MP, TALLY_OP_SUM,
					 TALLY_TYPE_FP64), TALLY_COLL_BAD_OPCODE);
	assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_PUT_MP, 0, 0), TALLY_COLL_BAD_OPCODE);
	assert_int_equal(tally_ops_errno(TALLY_OPCODE_PUT_MP, 0, 0), EOPNOTSUPP);
	use(TREE_CAPS | TALLY_CAP_TRIGGERED);
	assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_BCAST_MP, 0, 0), TALLY_COLL_OK);
	assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_PUT_MP, 0, 0), TALLY_COLL_BAD_OPCODE);
	use(TALLY_CAP_RING);
	assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_ALLGATHER, 0, 0), TALLY_COLL_OK);
	assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_BCAST, 0, 0), TALLY_COLL_OK);
	assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_GATHER, 0, 0), TALLY_COLL_BAD_MODE);
	use(ALL_CAPS);
	assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_GATHER, 0, 0), TALLY_COLL_OK);
	assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_REDUCE_SCATTER, TALLY_OP_SUM,
					 TALLY_TYPE_FP64), TALLY_COLL_OK);
}

#define ALL_MODES (TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING)

/*
 * What a group of each mode offers on a device with all capabilities; `blocks`: not if it is
 * SPARSE.
 */
static void modes_of_groups(void **state)
{
	static const struct {
		uint32_t opcode, op;
		uint64_t modes;
		bool blocks;
	} cases[] = {
		{ TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, ALL_MODES, false },
		{ TALLY_OPCODE_BARRIER, 0, ALL_MODES, false },
		{ TALLY_OPCODE_REDUCE, TALLY_OP_SUM, TALLY_CAP_TREE | TALLY_CAP_RING, false },
		{ TALLY_OPCODE_BCAST, 0, TALLY_CAP_TREE | TALLY_CAP_RING, false },
		{ TALLY_OPCODE_GATHER, 0, TALLY_CAP_TREE, true },
		{ TALLY_OPCODE_SCATTER, 0, TALLY_CAP_TREE, true },
		{ TALLY_OPCODE_ALLGATHER, 0, TALLY_CAP_EXCHANGE | TALLY_CAP_RING, true },
		{ TALLY_OPCODE_REDUCE_SCATTER, TALLY_OP_SUM, TALLY_CAP_EXCHANGE | TALLY_CAP_RING,
		  true },
		{ TALLY_OPCODE_REDUCE_MP, TALLY_OP_SUM, ALL_MODES, false },
		{ TALLY_OPCODE_BCAST_MP, 0, ALL_MODES, false },
		{ TALLY_OPCODE_PUT_MP, 0, ALL_MODES, false },
		{ TALLY_OPCODE_QUERY, 0, ALL_MODES, false },
		{ TALLY_OPCODE_ABORT, 0, ALL_MODES, false },
	};

	(void)state;
	for (uint64_t mode = TALLY_CAP_TREE; mode <= TALLY_CAP_RING; mode <<= 1)
		for (unsigned int i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
			bool sparse = i % 2, offered = cases[i / 2].modes & mode &&
						       !(sparse && cases[i / 2].blocks);
			uint32_t opcode = cases[i / 2].opcode, op = cases[i / 2].op;
			uint32_t dtype = op ? TALLY_TYPE_FP64 : TALLY_TYPE_NONE;

			tally_ops_init(&ops, ALL_CAPS, UINT32_MAX, mode, sparse);
			assert_int_equal(tally_ops_check(&ops, opcode, op, dtype),
					 offered ? TALLY_COLL_OK : TALLY_COLL_BAD_MODE);
			assert_int_equal(tally_rule_allows(&ops.rule[opcode], op, dtype), offered);
			assert_int_equal(tally_ops_errno(opcode, op, dtype), EOPNOTSUPP);
		}
}

/* What the device does not perform is refused like an unknown opcode, in each group. */
static void device_without_opcodes(void **state)
{
	const uint32_t lacking = 1U << TALLY_OPCODE_GATHER | 1U << TALLY_OPCODE_PUT_MP;

	(void)state;
	for (uint64_t modes = 1; modes <= TALLY_OPS_MODES; modes++) {
		tally_ops_init(&ops, ALL_CAPS, ~lacking, modes, false);
		assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_GATHER, 0, 0), TALLY_COLL_BAD_OPCODE);
		assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_PUT_MP, 0, 0), TALLY_COLL_BAD_OPCODE);
		assert_false(tally_rule_allows(&ops.rule[TALLY_OPCODE_GATHER], 0, 0));
		assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_BARRIER, 0, 0), TALLY_COLL_OK);
		assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_BCAST_MP, 0, 0), TALLY_COLL_OK);
		assert_int_equal(tally_ops_check(&ops, TALLY_OPCODE_QUERY, 0, 0), TALLY_COLL_OK);
	}
}

/* A group of several modes offers what any of them offers. */
static void several_modes(void **state)
{
	static const struct { uint32_t opcode, op; uint64_t modes; } cases[] = {
		{ TALLY_OPCODE_GATHER, 0, TALLY_CAP_TREE },
		{ TALLY_OPCODE_REDUCE, TALLY_OP_SUM, TALLY_CAP_TREE | TALLY_CAP_RING },
		{ TALLY_OPCODE_BCAST, 0, TALLY_CAP_TREE | TALLY_CAP_RING },
		{ TALLY_OPCODE_ALLGATHER, 0, TALLY_CAP_EXCHANGE | TALLY_CAP_RING },
		{ TALLY_OPCODE_BARRIER, 0, ALL_MODES },
	};

	(void)state;
	for (uint64_t modes = 1; modes <= TALLY_OPS_MODES; modes++)
		for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			uint32_t dtype = cases[i].op ? TALLY_TYPE_FP64 : TALLY_TYPE_NONE;

			tally_ops_init(&ops, ALL_CAPS, UINT32_MAX, modes, false);
			assert_int_equal(tally_ops_check(&ops, cases[i].opcode, cases[i].op, dtype),
					 cases[i].modes & modes ? TALLY_COLL_OK : TALLY_COLL_BAD_MODE);
			for (uint32_t mode = 0; mode < 9; mode++) {
				bool has = mode && mode <= TALLY_MODE_RING &&
					   modes & cases[i].modes & 1U << (mode - 1);

				assert_int_equal(tally_ops_mode_offers(modes, mode, cases[i].opcode),
						 has);
			}
		}
	/* Other requests have no mode. */
	assert_false(tally_ops_mode_offers(TALLY_OPS_MODES, TALLY_MODE_TREE, 0));
	assert_false(tally_ops_mode_offers(TALLY_OPS_MODES, TALLY_MODE_TREE, TALLY_OPCODE_ABORT));
	assert_false(tally_ops_mode_offers(TALLY_OPS_MODES, TALLY_MODE_TREE, TALLY_OPCODE_PUT_MP));
	assert_false(tally_ops_mode_offers(TALLY_OPS_MODES, TALLY_MODE_TREE, 32));
}

static void types(void **state)
{
	static const struct {
		uint32_t dtype;
		struct tallydv_type_attr want;
	} cases[] = {
		{ TALLY_TYPE_NONE, { .size = 1 } },
		{ TALLY_TYPE_INT8, { .ops = TALLY_OPS_INT, .size = 1, .pair_size = 8,
				     .index_offset = 4 } },
		{ TALLY_TYPE_BF16, { .ops = TALLY_OPS_BF, .size = 2, .pair_size = 8,
				     .index_offset = 4 } },
		{ TALLY_TYPE_FP32, { .ops = TALLY_OPS_FP, .size = 4, .pair_size = 8,
				     .index_offset = 4 } },
		{ TALLY_TYPE_UINT64, { .ops = TALLY_OPS_UINT, .size = 8, .pair_size = 16,
				       .index_offset = 8 } },
	};
	struct tallydv_type_attr attr;

	(void)state;
	use(RIG_CAPS);
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		attr = (struct tallydv_type_attr){};
		assert_int_equal(tally_ops_query_type(&ops, cases[i].dtype, &attr), 0);
		assert_memory_equal(&attr, &cases[i].want, sizeof(attr));
	}
	assert_int_equal(tally_ops_query_type(&ops, 0x30, &attr), EINVAL);
	assert_int_equal(tally_ops_query_type(&ops, 0x133, &attr), EINVAL);
}

/*
 * A device of another provider has no types and no groups. An unknown capability bit has no effect.
 */
static void of_another_device(void **state)
{
	struct tallydv_type_attr attr = {};
	struct rig *rig = rig_new(1, 1);
	struct ibv_context *context = &rig->ctx.vctx.context;

	(void)state;
	assert_int_equal(tallydv_query_type(context, TALLY_TYPE_FP64, &attr), EOPNOTSUPP);
	assert_int_equal(tallydv_query_op(context, TALLY_OPCODE_BARRIER, 0, 0),
			 TALLY_COLL_NO_GROUP);
	rig_free(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_cases),
		cmocka_unit_test(every_number),
		cmocka_unit_test(capabilities),
		cmocka_unit_test(modes_of_groups),
		cmocka_unit_test(several_modes),
		cmocka_unit_test(device_without_opcodes),
		cmocka_unit_test(types),
		cmocka_unit_test(of_another_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
