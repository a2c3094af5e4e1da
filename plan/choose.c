// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Chooses the mode for an operation by the estimates. */
#include "plan/plan_int.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OPCODE_NAME(name, value, doc) [value] = #name,

const char *plan_opcode_name(enum tally_opcode opcode)
{
	static const char *const opcodes[] = { TALLY_OPCODE_LIST(OPCODE_NAME) };
	bool known = opcode < sizeof(opcodes) / sizeof(opcodes[0]) && opcodes[opcode];

	return known ? opcodes[opcode] : "this opcode";
}

bool plan_mode_offers(enum tally_mode mode, enum tally_opcode opcode)
{
	static const uint32_t offered[] = {
		[TALLY_MODE_TREE] = TALLY_OPCODES_TREE,
		[TALLY_MODE_EXCHANGE] = TALLY_OPCODES_EXCHANGE,
		[TALLY_MODE_RING] = TALLY_OPCODES_RING,
	};

	return offered[mode] >> opcode & 1;
}

bool plan_has_rankless(const struct plan_request *req)
{
	for (uint32_t i = 0; i < req->num_nodes; i++)
		if (!request_ranks(req, i))
			return true;
	return false;
}

static const char *const names[] = {
	[TALLY_MODE_TREE] = "TREE",
	[TALLY_MODE_EXCHANGE] = "EXCHANGE",
	[TALLY_MODE_RING] = "RING",
};

const char *plan_mode_name(enum tally_mode mode)
{
	return names[mode];
}

int plan_mode_possible(const struct plan_request *req, enum tally_mode mode,
		       const struct refusal *to)
{
	static const uint64_t cap[] = {
		[TALLY_MODE_TREE] = TALLY_CAP_TREE,
		[TALLY_MODE_EXCHANGE] = TALLY_CAP_EXCHANGE,
		[TALLY_MODE_RING] = TALLY_CAP_RING,
	};

	if (!mode || mode > TALLY_MODE_RING)
		return plan_refuse(to, "mode: %u is not TREE, EXCHANGE or RING", mode);
	if (req->caps && !(req->caps & cap[mode]))
		return plan_refuse(to, "mode: the devices do not offer %s", names[mode]);
	if (req->opcode && !plan_mode_offers(mode, req->opcode))
		return plan_refuse(to, "mode: %s does not offer %s", names[mode],
				   plan_opcode_name(req->opcode));
	if (mode != TALLY_MODE_TREE && req->flags & TALLY_GROUP_F_MULTICAST)
		return plan_refuse(to, "flags: MULTICAST is for TREE, not %s", names[mode]);
	if (mode != TALLY_MODE_TREE && plan_has_rankless(req))
		return plan_refuse(to, "ranks: a node without any can be in a TREE only, not %s",
				   names[mode]);
	return 0;
}

static enum tally_mode asked_for(const struct plan_request *req)
{
	if (req->mode)
		return req->mode;
	if (req->degree || req->flags & TALLY_GROUP_F_MULTICAST)
		return TALLY_MODE_TREE;
	return req->num_rounds ? TALLY_MODE_EXCHANGE : 0;
}

/* Makes the plan in this mode, and sets plan->estimate_ns. */
static int make(struct plan *plan, const struct plan_request *req, enum tally_mode mode,
		const struct refusal *to)
{
	struct plan_shape *shape = plan->shape;
	int err;

	plan->mode = mode;
	plan->rounds = 0;
	if (mode == TALLY_MODE_TREE)
		err = plan_tree_make(plan, req, to);
	else if (mode == TALLY_MODE_EXCHANGE)
		err = plan_exchange_make(plan, req, to);
	else
		err = plan_ring_make(plan, req, to);
	if (err)
		return err;
	if (mode == TALLY_MODE_EXCHANGE)
		plan->rounds = shape->parts.rounds;
	return plan_choose_segs(plan, req, to);
}

/* Frees the plans of modes that were not chosen. */
static void drop_others(struct plan *plan)
{
	if (plan->mode != TALLY_MODE_TREE)
		plan_tree_free(plan);
	if (plan->mode != TALLY_MODE_EXCHANGE)
		plan_exchange_free(plan);
}

void plan_describe(struct plan *plan)
{
	const struct plan_shape *shape = plan->shape;

	for (uint32_t r = 0; r < plan->rounds; r++)
		plan->radix[r] = plan_parts_most(&shape->parts.level[r],
						 &shape->parts.level[r + 1]);
	if (plan->modes & TALLY_CAP_RING && shape->uniform)
		plan->flags |= TALLY_GROUP_F_UNIFORM;
	if (!shape->tree)
		return;
	if (shape->multicast)
		plan->flags |= TALLY_GROUP_F_MULTICAST;
	for (uint32_t i = 0; i < plan->num_nodes; i++)
		if (shape->tree[i].children > plan->degree)
			plan->degree = shape->tree[i].children;
}

void plan_add_reason(struct plan *plan, enum tally_mode mode, uint64_t ns)
{
	size_t used = strlen(plan->reason), size = sizeof(plan->reason);

	if (used)
		snprintf(plan->reason + used, size - used, ", %s %" PRIu64 " ns", names[mode], ns);
	else
		snprintf(plan->reason, size, "estimates: %s %" PRIu64 " ns",
			 names[mode], ns);
}

/* Makes a plan in every possible mode, and takes the best one. */
static int choose(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	struct plan best = { .estimate_ns = UINT64_MAX };
	struct plan_time time = { 0 };
	char text[128] = "";
	struct refusal here = { text, sizeof(text) };

	for (uint32_t mode = TALLY_MODE_TREE; mode <= TALLY_MODE_RING; mode++) {
		int err = plan_mode_possible(req, mode, &here);

		if (!err)
			err = make(plan, req, mode, &here);
		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		plan_add_reason(plan, mode, plan->estimate_ns);
		if (plan->estimate_ns < best.estimate_ns) {
			best = *plan;
			time = plan->shape->time;
		}
	}
	if (!best.mode)	/* the reason of the last mode is returned for all */
		return plan_refuse(to, "%s", text);
	plan->mode = best.mode;
	plan->rounds = best.rounds;
	plan->num_segs = best.num_segs;
	plan->max_segs = best.max_segs;
	plan->estimate_ns = best.estimate_ns;
	plan->shape->time = time;
	return 0;
}

int plan_choose_mode(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	enum tally_mode mode = asked_for(req);
	int err;

	if (mode) {
		err = plan_mode_possible(req, mode, to);
		if (!err)
			err = make(plan, req, mode, to);
		if (!err)
			snprintf(plan->reason, sizeof(plan->reason), "%s was asked for",
				 names[mode]);
	} else {
		err = choose(plan, req, to);
	}
	if (err)
		return err;
	if (plan->mode == TALLY_MODE_EXCHANGE && plan->shape->rebalanced.node)
		plan_move(plan, req, &plan->shape->rebalanced);
	drop_others(plan);
	plan->modes = plan_mode_bit(plan->mode);
	plan_describe(plan);
	return 0;
}
