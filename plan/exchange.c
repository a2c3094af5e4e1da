// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* EXCHANGE: the best parts, their edges, and the configuration of a node. */
#include "plan/plan_int.h"

#include <errno.h>
#include <stdlib.h>

int plan_exchange_make(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	struct plan_shape *shape = plan->shape;
	int err;

	shape->exchange = calloc(plan->num_nodes, sizeof(*shape->exchange));
	if (!shape->exchange)
		return -ENOMEM;
	err = plan_parts_choose(plan, req, to);
	if (!err)
		err = plan_exchange_edges(&shape->parts, shape->max_edges, shape->exchange);
	if (err)
		return err;
	plan_set_remote_indices(shape->exchange, plan->num_nodes);
	plan_exchange_set_epoch(shape->exchange, plan->num_nodes);
	return 0;
}

void plan_exchange_free(struct plan *plan)
{
	free(plan->shape->exchange);
	plan->shape->exchange = NULL;
	plan_parts_free(&plan->shape->parts);
}

void plan_exchange_node(const struct plan *plan, uint16_t place, struct plan_node *node)
{
	const struct plan_shape *shape = plan->shape;
	const struct exchange_node *n = &shape->exchange[place];

	node->num_edges = n->num_edges;
	node->msg_cells = node->ranks + plan->rounds;
	for (uint32_t i = 0; i < n->num_edges; i++) {
		const struct exchange_edge *e = &n->edge[i];

		node->edge[i] = (struct plan_edge){
			.node = e->node,
			.remote_index = e->remote_index,
			.round = e->round,
			.position = e->position,
			.roles = e->roles,
		};
		if (e->roles & TALLY_ROLE_IN) {
			const struct round_parts *level = &shape->parts.level[e->round - 1];
			uint32_t p = plan_parts_find(level, e->node);

			node->edge[i].part_first = shape->rank_first[level->start[p]];
			node->edge[i].part_count = shape->rank_first[level->start[p + 1]] -
						   node->edge[i].part_first;
			node->msg_cells++;
		}
	}
}
