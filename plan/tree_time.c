// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* TREE: estimates the time of an operation. Children have higher places than their parents. */
#include "plan/plan_int.h"

#include <errno.h>
#include <stdlib.h>

bool plan_goes_up(enum tally_opcode opcode)
{
	return opcode != TALLY_OPCODE_BCAST && opcode != TALLY_OPCODE_SCATTER;
}

bool plan_goes_down(enum tally_opcode opcode)
{
	return opcode != TALLY_OPCODE_REDUCE && opcode != TALLY_OPCODE_GATHER;
}

static uint64_t hop(const struct plan *plan, uint32_t a, uint32_t b)
{
	return plan->shape->work.costs.hop_ns[plan_topo_distance(&plan->shape->topo, a, b)];
}

/*
 * Computes when each node has its partial result. The packets to one port are assumed to come
 * together.
 */
static void up(const struct plan *plan, const struct tree_pos *tree, uint64_t *at)
{
	const struct plan_costs *costs = &plan->shape->work.costs;

	for (uint32_t i = 0; i < plan->num_nodes; i++)
		at[i] = costs->request_ns;
	for (uint32_t i = plan->num_nodes; i-- > 0;) {
		const struct tree_pos *above = &tree[tree[i].parent];
		uint64_t there;

		if (tree[i].children)
			at[i] += costs->nic_ns +
				 (plan_levels(tree[i].children + 1) - 1) * costs->alu_ns;
		there = at[i] + hop(plan, i, tree[i].parent) +
			(uint64_t)above->children * costs->packet_ns;
		if (i && there > at[tree[i].parent])
			at[tree[i].parent] = there;
	}
}

/*
 * Computes when each node has the result, which the root has at at[0]. Children are sent to in
 * turn.
 */
static uint64_t down(const struct plan *plan, const struct tree_pos *tree, bool multicast,
		     uint64_t *at)
{
	const struct plan_costs *costs = &plan->shape->work.costs;
	uint64_t last = at[0];

	for (uint32_t i = 1; i < plan->num_nodes; i++) {
		uint32_t from = multicast ? 0 : tree[i].parent;

		at[i] = at[from] + costs->nic_ns + hop(plan, from, i) +
			(multicast ? 1ULL : tree[i].slot + 1ULL) * costs->packet_ns;
		last = at[i] > last ? at[i] : last;
	}
	return last;
}

/* Returns the number of packets that the busiest port sends or receives for a chunk. */
static uint32_t busiest(const struct plan *plan, const struct tree_pos *tree, bool multicast)
{
	enum tally_opcode opcode = plan->shape->work.opcode;
	uint32_t most = plan->num_nodes > 1;

	/* In these operations only one child has data of a chunk, or one packet serves all. */
	if (opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER ||
	    (multicast && !plan_goes_up(opcode)))
		return most;
	for (uint32_t i = 0; i < plan->num_nodes; i++) {
		/* Children send what goes up, and the parent sends what comes down. */
		uint32_t packets = tree[i].children + (i && plan_goes_up(opcode) && plan_goes_down(opcode));

		most = packets > most ? packets : most;
	}
	return most;
}

int plan_tree_estimate(const struct plan *plan, const struct tree_pos *tree, bool multicast,
		       struct plan_time *time)
{
	const struct plan_work *work = &plan->shape->work;
	uint64_t *at = malloc(plan->num_nodes * sizeof(*at));

	if (!at)
		return -ENOMEM;
	at[0] = work->costs.request_ns;
	if (plan_goes_up(work->opcode))
		up(plan, tree, at);
	/* Data of another root go to the tree's root first. */
	else if (plan->num_nodes > 1)
		at[0] += hop(plan, 0, plan->num_nodes - 1) + work->costs.packet_ns;
	time->first_ns = plan_goes_down(work->opcode) ? down(plan, tree, multicast, at) : at[0];
	time->next_ns = (uint64_t)busiest(plan, tree, multicast) * work->costs.packet_ns;
	time->parallel = 1;
	free(at);
	return 0;
}
