// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Checks every field of a request before it is used. */
#include "plan/plan_int.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int plan_refuse(const struct refusal *to, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (to->size)
		vsnprintf(to->why, to->size, format, args);
	va_end(args);
	return -EINVAL;
}

static bool power_of_two(uint32_t v)
{
	return v && !(v & (v - 1));
}

static int check_nodes(const struct plan_request *req, const struct refusal *to)
{
	uint32_t total = 0;

	if (!req->num_nodes || req->num_nodes > TALLY_MAX_NODES)
		return plan_refuse(to, "num_nodes: %u is not in 1 to %u", req->num_nodes,
			      TALLY_MAX_NODES);
	if (req->num_levels > PLAN_MAX_LEVELS)
		return plan_refuse(to, "num_levels: %u is more than %u", req->num_levels,
			      PLAN_MAX_LEVELS);
	for (uint32_t i = 0; i < req->num_nodes; i++) {
		if (request_ranks(req, i) > TALLY_MAX_RANKS)
			return plan_refuse(to, "ranks: %u of node %u are more than %u",
				      request_ranks(req, i), i, TALLY_MAX_RANKS);
		total += request_ranks(req, i);
	}
	return total ? 0 : plan_refuse(to, "ranks: no node has any");
}

/* Returns the reductions that exist for a type, or 0 if there is no such type. */
static uint32_t ops_of(uint8_t dtype)
{
#define KNOWN(name, value, text) known |= dtype == (value);
	bool known = false;

	TALLY_TYPE_LIST(KNOWN)
#undef KNOWN
	switch (known ? dtype >> 4 : 0) {
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

#define NAME_CASE(name, value, text) case value: return #name;

static const char *op_name(uint8_t op)
{
	switch (op) {
	TALLY_OP_LIST(NAME_CASE)
	default:
		return "unknown";
	}
}

static const char *type_name(uint8_t dtype)
{
	switch (dtype) {
	TALLY_TYPE_LIST(NAME_CASE)
	default:
		return "unknown";
	}
}

static int check_reduction(const struct plan_request *req, const struct refusal *to)
{
	uint32_t ops = ops_of(req->dtype ? req->dtype : TALLY_TYPE_FP64);
	uint8_t op = req->op ? req->op : TALLY_OP_SUM;

	if (!ops)
		return plan_refuse(to, "dtype: %u is not a data type", req->dtype);
	if (op >= 32 || !(ops >> op & 1))
		return plan_refuse(to, "op: %u (%s) is not a reduction of type %s", op, op_name(op),
				   type_name(req->dtype ? req->dtype : TALLY_TYPE_FP64));
	return 0;
}

/* The capabilities that are modes of groups. */
#define MODES (TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING)

static int check_caps(const struct plan_request *req, const struct refusal *to)
{
	if (req->modes & ~MODES)
		return plan_refuse(to, "modes: 0x%x are not TREE, EXCHANGE or RING", req->modes);
	if (req->modes && req->mode > TALLY_MODE_RING)
		return plan_refuse(to, "mode: %u is not TREE, EXCHANGE or RING", req->mode);
	if (req->caps && !(req->caps & MODES))
		return plan_refuse(to, "caps: 0x%llx have no mode: TREE, EXCHANGE or RING",
				   (unsigned long long)req->caps);
	return 0;
}

static int check_operation(const struct plan_request *req, const struct refusal *to)
{
	if (req->opcode > TALLY_OPCODE_SCATTER)
		return plan_refuse(to, "opcode: %u is not a collective operation", req->opcode);
	if (req->bytes > TALLY_MAX_MESSAGE)
		return plan_refuse(to, "bytes: %llu are more than %u", (unsigned long long)req->bytes,
			      TALLY_MAX_MESSAGE);
	if (req->flags & ~(TALLY_GROUP_F_ORDERED | TALLY_GROUP_F_MULTICAST))
		return plan_refuse(to, "flags: 0x%x are not ORDERED or MULTICAST", req->flags);
	if (req->flags & TALLY_GROUP_F_MULTICAST && req->caps && !(req->caps & TALLY_CAP_MULTICAST))
		return plan_refuse(to, "flags: the devices do not offer MULTICAST");
	if (req->flags & TALLY_GROUP_F_ORDERED && req->caps && !(req->caps & TALLY_CAP_ORDERED))
		return plan_refuse(to, "flags: the devices do not offer ORDERED");
	return 0;
}

static int check_tree(const struct plan_request *req, const struct refusal *to)
{
	if (req->degree > TALLY_MAX_CONTRIBUTORS)
		return plan_refuse(to, "degree: %u is more than %u", req->degree,
			      TALLY_MAX_CONTRIBUTORS);
	if (req->degree && req->num_rounds && !req->modes)
		return plan_refuse(to, "degree: is for TREE, num_rounds for EXCHANGE; give one");
	if (req->degree && !req->modes && req->mode && req->mode != TALLY_MODE_TREE)
		return plan_refuse(to, "degree: is for TREE only");
	return 0;
}

static int check_radices(const struct plan_request *req, const struct refusal *to)
{
	uint64_t room = 1;

	if (!req->num_rounds)
		return 0;
	if (!req->modes && req->mode && req->mode != TALLY_MODE_EXCHANGE)
		return plan_refuse(to, "num_rounds: is for EXCHANGE only");
	if (!req->modes && req->flags & TALLY_GROUP_F_MULTICAST)
		return plan_refuse(to, "num_rounds: is for EXCHANGE, flag MULTICAST for TREE; give one");
	if (req->num_nodes == 1)
		return plan_refuse(to, "num_rounds: is %u, but one node has no rounds",
				   req->num_rounds);
	if (req->num_rounds > TALLY_MAX_ROUNDS)
		return plan_refuse(to, "num_rounds: %u is more than %u", req->num_rounds,
			      TALLY_MAX_ROUNDS);
	for (uint32_t r = 0; r < req->num_rounds; r++) {
		if (req->radix[r] < 2 || req->radix[r] > TALLY_MAX_CONTRIBUTORS)
			return plan_refuse(to, "radix: %u of round %u is not in 2 to %u", req->radix[r],
				      r + 1, TALLY_MAX_CONTRIBUTORS);
		room *= room < req->num_nodes ? req->radix[r] : 1;
	}
	if (room < req->num_nodes)
		return plan_refuse(to, "radix: these rounds combine %u nodes at most, not %u",
			      (uint32_t)room, req->num_nodes);
	return 0;
}

static int check_segs(const struct plan_request *req, const struct refusal *to)
{
	if (req->max_segs > TALLY_MAX_GROUP_SEGS)
		return plan_refuse(to, "max_segs: %u is more than %u", req->max_segs,
			      TALLY_MAX_GROUP_SEGS);
	if (req->num_segs && !req->modes && !power_of_two(req->num_segs))
		return plan_refuse(to, "num_segs: %u is not a power of two", req->num_segs);
	if (req->mtu && (!power_of_two(req->mtu) || req->mtu < 256 || req->mtu > TALLY_MAX_MTU))
		return plan_refuse(to, "mtu: %u is not a power of two in 256 to %u", req->mtu,
			      TALLY_MAX_MTU);
	return 0;
}

int plan_check(const struct plan_request *req, const struct refusal *to)
{
	int err = check_nodes(req, to);

	if (!err)
		err = check_caps(req, to);
	if (!err)
		err = check_operation(req, to);
	if (!err)
		err = check_reduction(req, to);
	if (!err)
		err = check_tree(req, to);
	if (!err)
		err = check_radices(req, to);
	if (!err)
		err = check_segs(req, to);
	return err;
}
