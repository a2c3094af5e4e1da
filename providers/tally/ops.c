// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Opcodes, operations and types; see ops.h. uapi/tally.yaml defines the sets. */
#include "ops.h"

#include <errno.h>
#include <string.h>

#include "gen/tally_hw.h"

#define KNOWN_CASE(name, value, doc) case value:

static bool is_known_opcode(uint32_t opcode)
{
	switch (opcode) {
	TALLY_OPCODE_LIST(KNOWN_CASE)
		return true;
	default:
		return false;
	}
}

static bool is_known_op(uint32_t op)
{
	switch (op) {
	TALLY_OP_LIST(KNOWN_CASE)
		return true;
	default:
		return false;
	}
}

static bool is_known_type(uint32_t dtype)
{
	switch (dtype) {
	TALLY_TYPE_LIST(KNOWN_CASE)
		return true;
	default:
		return false;
	}
}

/* ---- The table ---- */
static const uint32_t none_ok[UINT8_MAX + 1];

const struct tally_ops tally_no_ops = { .rule = { [0 ... UINT8_MAX] = { .ok = none_ok } } };

static uint32_t ops_of_class(uint32_t type_class)
{
	switch (type_class) {
	case TALLY_TYPE_CLASS_INT:
		return TALLY_OPS_INT;
	case TALLY_TYPE_CLASS_UINT:
		return TALLY_OPS_UINT;
	case TALLY_TYPE_CLASS_FP:
		return TALLY_OPS_FP;
	case TALLY_TYPE_CLASS_BF:
		return TALLY_OPS_BF;
	default:
		return 0;
	}
}

uint8_t tally_mode_bit(uint32_t mode)
{
	return mode >= TALLY_MODE_TREE && mode <= TALLY_MODE_RING ? 1U << (mode - 1) : 0;
}

/*
 * Returns the opcodes that groups of any of these modes offer. A SPARSE group cannot place blocks.
 */
static uint32_t opcodes_of(uint64_t modes, bool sparse)
{
	uint32_t opcodes = 0;

	if (modes & TALLY_CAP_TREE)
		opcodes |= TALLY_OPCODES_TREE;
	if (modes & TALLY_CAP_EXCHANGE)
		opcodes |= TALLY_OPCODES_EXCHANGE;
	if (modes & TALLY_CAP_RING)
		opcodes |= TALLY_OPCODES_RING;
	return sparse ? opcodes & ~TALLY_OPCODES_BLOCKS : opcodes;
}

bool tally_ops_mode_offers(uint8_t modes, uint32_t mode, uint32_t opcode)
{
	bool collective = opcode >= TALLY_OPCODE_ALLREDUCE && opcode <= TALLY_OPCODE_SCATTER;

	return collective && opcodes_of(modes & tally_mode_bit(mode), false) >> opcode & 1;
}

static enum tally_ops_row row_of(uint32_t opcode, uint64_t caps, uint32_t opcodes)
{
	if (opcode >= 32 || !(opcodes >> opcode & 1))
		return TALLY_OPS_NEVER;
	switch (opcode) {
	case TALLY_OPCODE_ALLREDUCE:
	case TALLY_OPCODE_REDUCE:
	case TALLY_OPCODE_REDUCE_SCATTER:
		return TALLY_OPS_REDUCES;
	case TALLY_OPCODE_BCAST:
	case TALLY_OPCODE_GATHER:
	case TALLY_OPCODE_SCATTER:
	case TALLY_OPCODE_ALLGATHER:
		return TALLY_OPS_MOVES;
	case TALLY_OPCODE_BARRIER:
		return TALLY_OPS_BARRIER;
	case TALLY_OPCODE_QUERY:
	case TALLY_OPCODE_ABORT:
		return TALLY_OPS_OUT_OF_ORDER;
	case TALLY_OPCODE_REDUCE_MP:
		return caps & TALLY_CAP_TRIGGERED ? TALLY_OPS_REDUCES : TALLY_OPS_NEVER;
	case TALLY_OPCODE_BCAST_MP:
		return caps & TALLY_CAP_TRIGGERED ? TALLY_OPS_FORWARDS : TALLY_OPS_NEVER;
	case TALLY_OPCODE_PUT_MP:
		return caps & TALLY_CAP_PUT_MP ? TALLY_OPS_FORWARDS : TALLY_OPS_NEVER;
	default:
		return TALLY_OPS_NEVER;
	}
}

static struct tally_rule rule_of(const struct tally_ops *ops, uint32_t opcode,
				 enum tally_ops_row row, uint64_t modes, bool sparse)
{
	bool offered = opcode < 32 && opcodes_of(modes, sparse) >> opcode & 1;
	enum tally_ops_row use = row;
	bool out_of_order = row == TALLY_OPS_OUT_OF_ORDER;

	if (!offered && row != TALLY_OPS_NEVER && !out_of_order)
		row = TALLY_OPS_NO_MODE;
	return (struct tally_rule){
		.ok = ops->ok[row],
		.state = out_of_order ? TALLY_WR_OUT_OF_ORDER : TALLY_WR_IN_ORDER,
		.row = row,
		.use = use,
		/* Only its own completion retires a request that completes out of order. */
		.flags = out_of_order ? TALLY_WQE_F_SIGNALED : 0,
	};
}

void tally_ops_init(struct tally_ops *ops, uint64_t caps, uint32_t opcodes, uint64_t modes, bool sparse)
{
	const uint32_t none = 1U << TALLY_OP_NONE;

	memset(ops, 0, sizeof(*ops));
	for (uint32_t opcode = 0; opcode <= UINT8_MAX; opcode++)
		ops->rule[opcode] = rule_of(ops, opcode, row_of(opcode, caps, opcodes), modes,
					    sparse);
	for (uint32_t dtype = 0; dtype <= UINT8_MAX; dtype++) {
		ops->ok[TALLY_OPS_OUT_OF_ORDER][dtype] = UINT32_MAX;
		if (!is_known_type(dtype))
			continue;
		ops->ok[TALLY_OPS_MOVES][dtype] = none;
		ops->ok[TALLY_OPS_REDUCES][dtype] = ops_of_class(dtype >> 4);
		ops->ok[TALLY_OPS_FORWARDS][dtype] = ops_of_class(dtype >> 4) | none;
	}
	ops->ok[TALLY_OPS_BARRIER][TALLY_TYPE_NONE] = none;
}

/* ---- Refusals ---- */
/* Checks in the order in which the device does. */
static enum tally_coll_status check_pair(const struct tally_ops *ops, uint32_t op, uint32_t dtype)
{
	const uint32_t *ops_of_type = ops->ok[TALLY_OPS_REDUCES];
	uint32_t any = 0;

	for (uint32_t i = 0; i <= UINT8_MAX; i++)
		any |= ops_of_type[i];
	if (op >= 32 || !(any >> op & 1))
		return TALLY_COLL_BAD_OP;
	if (!ops_of_type[dtype])
		return TALLY_COLL_BAD_TYPE;
	return ops_of_type[dtype] >> op & 1 ? TALLY_COLL_OK : TALLY_COLL_BAD_PAIR;
}

/* Checks a request in a group of a mode that offers the opcode. */
static enum tally_coll_status check_use(const struct tally_ops *ops, uint8_t row, uint32_t op,
					uint32_t dtype)
{
	if (row == TALLY_OPS_NEVER)
		return TALLY_COLL_BAD_OPCODE;
	if (row == TALLY_OPS_OUT_OF_ORDER)
		return op < 32 ? TALLY_COLL_OK : TALLY_COLL_BAD_OP;
	if (!is_known_type(dtype) || (row == TALLY_OPS_BARRIER && dtype != TALLY_TYPE_NONE))
		return TALLY_COLL_BAD_TYPE;
	if (op == TALLY_OP_NONE && row != TALLY_OPS_REDUCES)
		return TALLY_COLL_OK;
	if (row == TALLY_OPS_BARRIER || row == TALLY_OPS_MOVES)
		return TALLY_COLL_BAD_OP;
	return check_pair(ops, op, dtype);
}

/*
 * The mode is checked last, so that a request with several faults gets the same status in a group
 * of any mode.
 */
enum tally_coll_status tally_ops_check(const struct tally_ops *ops, uint32_t opcode, uint32_t op,
				       uint32_t dtype)
{
	static const struct tally_rule never = { .use = TALLY_OPS_NEVER };
	const struct tally_rule *rule = opcode <= UINT8_MAX ? &ops->rule[opcode] : &never;
	enum tally_coll_status status = check_use(ops, rule->use, op, dtype);

	if (status == TALLY_COLL_OK && rule->row == TALLY_OPS_NO_MODE)
		return TALLY_COLL_BAD_MODE;
	return status;
}

int tally_ops_query_type(const struct tally_ops *ops, uint32_t dtype,
			 struct tallydv_type_attr *attr)
{
	const uint32_t loc = 1U << TALLY_OP_MINLOC | 1U << TALLY_OP_MAXLOC;
	uint32_t size = 1U << (dtype & 0xf), all;

	if (!is_known_type(dtype))
		return EINVAL;
	all = ops->ok[TALLY_OPS_REDUCES][dtype];
	*attr = (struct tallydv_type_attr){ .ops = all, .size = size };
	if (all & loc) {
		/* MPI's layout of pairs: the index is an aligned int after the value. */
		attr->index_offset = size < sizeof(int32_t) ? sizeof(int32_t) : size;
		attr->pair_size = size <= sizeof(int32_t) ? 8 : 16;
	}
	return 0;
}

int tally_ops_errno(uint32_t opcode, uint32_t op, uint32_t dtype)
{
	if (is_known_opcode(opcode) && is_known_op(op) && is_known_type(dtype))
		return EOPNOTSUPP;
	return EINVAL;
}
