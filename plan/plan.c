// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Makes a plan from a request. */
#include "plan/plan_int.h"

#include <errno.h>
#include <stdlib.h>

static int allocate(struct plan *plan, const struct plan_request *req)
{
	uint32_t n = req->num_nodes;

	plan->num_nodes = n;
	plan->mtu = req->mtu ? req->mtu : TALLY_MAX_MTU;
	plan->place = malloc(n * sizeof(*plan->place));
	plan->node = malloc(n * sizeof(*plan->node));
	plan->shape = calloc(1, sizeof(*plan->shape));
	if (plan->shape)
		plan->shape->rank_first = malloc((n + 1) * sizeof(*plan->shape->rank_first));
	return plan->place && plan->node && plan->shape && plan->shape->rank_first ? 0 : -ENOMEM;
}

static int fill(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	int err = allocate(plan, req);

	if (!err)
		err = plan_place_nodes(plan, req);
	if (err)
		return err;
	plan_count_ranks(plan, req);
	plan->shape->work = plan_work_of(plan, req);
	plan->shape->max_edges = TALLY_MAX_CONTRIBUTORS;
	plan->flags |= req->flags;
	return req->modes ? plan_shared_make(plan, req, to) : plan_choose_mode(plan, req, to);
}

int plan_make(struct plan *plan, const struct plan_request *req, char *why, size_t size)
{
	struct refusal to = { why, size };
	int err;

	*plan = (struct plan){ 0 };
	err = plan_check(req, &to);
	if (!err)
		err = fill(plan, req, &to);
	if (err)
		plan_free(plan);
	return err;
}

void plan_free(struct plan *plan)
{
	free(plan->place);
	free(plan->node);
	if (plan->shape) {
		free(plan->shape->rank_first);
		plan_tree_free(plan);
		plan_exchange_free(plan);
		plan_topo_free(&plan->shape->topo);
		plan_placement_free(&plan->shape->rebalanced);
		free(plan->shape);
	}
	*plan = (struct plan){ 0 };
}

void plan_node(const struct plan *plan, uint16_t place, struct plan_node *node)
{
	const uint32_t *first = plan->shape->rank_first;

	*node = (struct plan_node){
		.node = place,
		.ranks = first[place + 1] - first[place],
		.rank_first = first[place],
		.flags = plan->flags | (place ? 0 : TALLY_GROUP_F_ROOT),
	};
	if (plan->shared)
		plan_shared_node(plan, place, node);
	else if (plan->mode == TALLY_MODE_TREE)
		plan_tree_node(plan, place, node);
	else if (plan->mode == TALLY_MODE_EXCHANGE)
		plan_exchange_node(plan, place, node);
	else
		plan_ring_node(plan, place, node);
}

enum tally_mode plan_mode_of(const struct plan *plan, enum tally_opcode opcode, uint64_t bytes)
{
	uint32_t i = opcode - 1;
	uint8_t choice = plan->choice_large[i];

	if (bytes <= 1ULL << plan->choice_small_log[i])
		choice = plan->choice_small[i];
	else if (bytes <= 1ULL << plan->choice_middle_log[i])
		choice = plan->choice_middle[i];
	return choice ? choice : plan->mode;
}

uint16_t plan_place_of_rank(const struct plan *plan, uint32_t rank)
{
	const uint32_t *first = plan->shape->rank_first;
	uint32_t low = 0, high = plan->num_nodes;

	while (high - low > 1) {
		uint32_t mid = (low + high) / 2;

		if (first[mid] <= rank)
			low = mid;
		else
			high = mid;
	}
	return low;
}
