// SPDX-License-Identifier: BSD-2-Clause
#include "core/choose.h"

#include "alu/alu.h"
#include "core/area.h"

static bool has_blocks(enum tally_opcode opcode)
{
	return opcode == TALLY_OPCODE_ALLGATHER || opcode == TALLY_OPCODE_REDUCE_SCATTER ||
	       opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER;
}

void tc_fill_can(struct tallycoll_context *c)
{
	for (uint32_t opcode = 1; opcode < TC_NUM_OPCODES; opcode++)
		for (uint32_t dtype = 0; dtype < TC_NUM_TYPES; dtype++)
			for (uint32_t op = 0; op <= TALLY_OP_AVG; op++)
				if (!c->net->ops->can(c->net, opcode, op, dtype))
					c->can[opcode][dtype] |= 1u << op;
}

bool tc_can(const struct tallycoll_context *c, uint32_t opcode, uint32_t op, uint32_t dtype)
{
	return dtype < TC_NUM_TYPES && op <= TALLY_OP_AVG && c->can[opcode][dtype] >> op & 1;
}

/* A type with which no operation is performed is not supported; otherwise it is the operation. */
static enum tallycoll_reason refusal(const struct tallycoll_team *t,
				     const struct tallycoll_args *a)
{
	const struct tallycoll_context *c = t->context;

	if (!(c->opcodes >> a->opcode & 1)) /* some device does not perform it */
		return TALLYCOLL_REASON_UNSUPPORTED_OP;
	if (tc_can(c, a->opcode, a->op, a->dtype))
		return TALLYCOLL_REASON_NONE;
	return (uint32_t)a->dtype < TC_NUM_TYPES && c->can[a->opcode][a->dtype] ?
		       TALLYCOLL_REASON_UNSUPPORTED_OP : TALLYCOLL_REASON_UNSUPPORTED_TYPE;
}

/* Whether the NIC ends an operation that nobody progresses: a single message that is posted at once. */
static bool ends_alone(const struct tallycoll_team *t, const struct tallycoll_args *a,
		       const struct tc_way *way)
{
	uint64_t bytes = a->count * alu_elem_size(a->op, a->dtype);

	if (has_blocks(a->opcode))
		bytes *= t->oob.size;
	return way == &tc_way_direct && bytes <= TC_STAGING_MOST / 2;
}

/*
 * The way that is faster, of those that the team and the caller allow. @host: whether the host's
 * algorithm is faster still. Where the ranks of a node combine, they do so in calls of the library, so
 * only a caller that waits gains by it; the NIC alone works beside a computation.
 */
static const struct tc_way *best_way(const struct tallycoll_team *t, const struct tallycoll_args *a,
				     uint64_t bytes, bool *host)
{
	const struct tc_shape *s = &t->mg->shape;
	const uint32_t verdict = tc_cost_find(&t->mg->cost[a->opcode], bytes);

	*host = verdict & TC_COST_HOST_WINS;
	if (s->crowded)
		return &tc_way_node;
	if (s->most_local > 1 && (a->flags & TALLYCOLL_F_BLOCKING) && !(a->flags & TALLYCOLL_F_ALONE))
		return verdict & TC_COST_NODE_WINS ? &tc_way_node : &tc_way_direct;
	*host = verdict & TC_COST_HOST_BEATS_DIRECT;
	return &tc_way_direct;
}

/* Sockets cannot post blocks, which are those of all ranks of a node. */
static const struct tc_way *socket_way(const struct tc_shape *s, const struct tallycoll_args *a)
{
	if (s->crowded || (s->most_local > 1 && has_blocks(a->opcode)))
		return &tc_way_node;
	if (s->most_local == 1)
		return &tc_way_direct;
	return s->has_sockets ? &tc_way_socket : &tc_way_node;
}

/* Whether all devices perform what a BCAST that scatters consists of. */
static bool scatters(const struct tallycoll_context *c)
{
	const uint32_t both = 1u << TALLY_OPCODE_SCATTER | 1u << TALLY_OPCODE_ALLGATHER;

	return (c->opcodes & both) == both;
}

/*
 * Blocks need a node way at all nodes, and a place for one element of each rank. A team that has not
 * gets the tree; a device without a mode, what the group chooses.
 */
static const struct tc_way *between_way(const struct tallycoll_team *t,
					const struct tallycoll_args *a, enum tc_tune_way word)
{
	static const struct tc_way *const ways[] = {
		[TC_TUNE_CP_BT] = &tc_way_cp_bt,
		[TC_TUNE_CP_RDAAS] = &tc_way_cp_rdaas,
		[TC_TUNE_CP_RINGAAS] = &tc_way_cp_ringaas,
		[TC_TUNE_P_BT] = &tc_way_p_bt,
		[TC_TUNE_P_RDAAS] = &tc_way_p_rdaas,
		[TC_TUNE_P_RINGAAS] = &tc_way_p_ringaas,
	};
	static const uint64_t cap[] = {
		[TALLY_MODE_TREE] = TALLY_CAP_TREE,
		[TALLY_MODE_EXCHANGE] = TALLY_CAP_EXCHANGE,
		[TALLY_MODE_RING] = TALLY_CAP_RING,
	};
	const struct tc_way *way = ways[word], *tree = way->fixed ? &tc_way_p_bt : &tc_way_cp_bt;
	const struct tc_shape *s = &t->mg->shape;

	if (s->most_local == 1)
		return &tc_way_direct;
	if (way->scatters &&
	    (s->crowded || !scatters(t->context) || s->least_local == 1 || !(t->context->caps & cap[way->mode]) ||
	     (uint64_t)s->size * alu_elem_size(a->op, a->dtype) > TC_AREA_NET))
		way = tree;
	if (a->opcode != TALLY_OPCODE_BCAST || !(t->context->caps & cap[way->mode]))
		return way->fixed ? &tc_way_fixed : &tc_way_node;
	return way;
}

/* Replaces the way by that of a rule. @host_wins: whether the model leaves the operation to the host. */
static enum tallycoll_reason apply_rule(const struct tallycoll_team *t,
					const struct tallycoll_args *a, uint64_t bytes,
					bool host_wins, const struct tc_way **way)
{
	const enum tc_tune_way word = tc_tune_find(&t->context->tune, a->opcode, bytes);
	const struct tc_shape *s = &t->mg->shape;

	switch (word) {
	case TC_TUNE_HOST:
		return TALLYCOLL_REASON_OVERRIDDEN;
	case TC_TUNE_DIRECT:
		*way = s->crowded ? &tc_way_node : &tc_way_direct;
		break;
	case TC_TUNE_NODE:
		*way = s->most_local > 1 ? &tc_way_node : &tc_way_direct;
		break;
	case TC_TUNE_FIXED:
		*way = s->most_local > 1 ? &tc_way_fixed : &tc_way_direct;
		break;
	case TC_TUNE_SOCKET:
		*way = socket_way(s, a);
		break;
	case TC_TUNE_CP_BT ... TC_TUNE_P_RINGAAS:
		*way = between_way(t, a, word);
		break;
	case TC_TUNE_NIC:
		break;
	default:
		return host_wins ? TALLYCOLL_REASON_SLOWER : TALLYCOLL_REASON_NONE;
	}
	return TALLYCOLL_REASON_NONE;
}

enum tallycoll_reason tc_choose(const struct tallycoll_team *t, const struct tallycoll_args *a,
				const struct tc_way **way)
{
	const uint64_t bytes = a->count * alu_elem_size(a->op, a->dtype);
	enum tallycoll_reason reason = t->reason;
	const struct tc_shape *s;
	bool host_wins;

	if (reason)
		return reason;
	s = &t->mg->shape;
	if (!a->count && a->opcode != TALLY_OPCODE_BARRIER)
		return TALLYCOLL_REASON_EMPTY;
	reason = refusal(t, a);
	if (reason)
		return reason;
	if (s->crowded && (has_blocks(a->opcode) || a->op == TALLY_OP_AVG))
		return TALLYCOLL_REASON_TOO_MANY_RANKS;
	*way = best_way(t, a, bytes, &host_wins);
	if (t->context->tune.num_rules)
		reason = apply_rule(t, a, bytes, host_wins, way);
	else if (host_wins)
		reason = TALLYCOLL_REASON_SLOWER;
	if (reason)
		return reason;
	if ((a->flags & TALLYCOLL_F_ALONE) && !ends_alone(t, a, *way))
		return TALLYCOLL_REASON_NOT_ALONE;
	return TALLYCOLL_REASON_NONE;
}
