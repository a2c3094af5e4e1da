// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* RING: data come from the left neighbour and go to the right one. */
#include "plan/plan_int.h"

/*
 * Returns the number of times that a chunk goes around: once for the reduction and once for the
 * result. Operations with blocks of ranks need only one lap if all nodes have the same number of
 * ranks.
 */
static uint32_t laps(const struct plan_shape *shape)
{
	switch (shape->work.opcode) {
	case TALLY_OPCODE_BCAST:
	case TALLY_OPCODE_REDUCE:
		return 1;
	case TALLY_OPCODE_ALLGATHER:
	case TALLY_OPCODE_REDUCE_SCATTER:
		return shape->uniform ? 1 : 2;
	default:
		return 2;
	}
}

int plan_ring_make(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	const struct plan_work *work = &plan->shape->work;
	struct plan_time *time = &plan->shape->time;
	uint64_t n = plan->num_nodes, lap = 0, step;

	(void)req;
	(void)to;
	for (uint32_t i = 0; i < n; i++) {
		step = plan_topo_distance(&plan->shape->topo, i, (i + 1) % n);
		lap += work->costs.hop_ns[step] + work->costs.packet_ns + work->costs.nic_ns;
	}
	/* The last step of a lap would return to its beginning. */
	lap -= lap / n;
	time->first_ns = work->costs.request_ns + laps(plan->shape) * lap;
	/*
	 * The root of a BCAST sends every chunk, and that of a REDUCE receives it. In other
	 * operations chunks begin at all nodes in turn.
	 */
	time->next_ns = work->costs.packet_ns;
	if (work->opcode != TALLY_OPCODE_BCAST && work->opcode != TALLY_OPCODE_REDUCE) {
		time->next_ns = time->next_ns * laps(plan->shape) * (n - 1) / n;
		time->parallel = laps(plan->shape) * n; /* each chunk has its own node, going up or
							down */
	}
	return 0;
}

void plan_ring_node(const struct plan *plan, uint16_t place, struct plan_node *node)
{
	uint32_t n = plan->num_nodes;
	uint16_t epoch = place ? TALLY_ROLE_EPOCH : 0;

	if (plan->flags & TALLY_GROUP_F_ORDERED)
		node->msg_cells = node->ranks + (n > 1);
	if (n == 1)
		return;
	if (n == 2) {
		node->num_edges = 1;
		node->edge[0] = (struct plan_edge){
			.node = !place,
			.roles = TALLY_ROLE_RING_IN | TALLY_ROLE_RING_OUT | epoch,
		};
		return;
	}
	/* The left neighbour is edge 0 and the right one edge 1 at all nodes. */
	node->num_edges = 2;
	node->edge[0] = (struct plan_edge){
		.node = (place + n - 1) % n,
		.remote_index = 1,
		.roles = TALLY_ROLE_RING_IN | epoch,
	};
	node->edge[1] = (struct plan_edge){
		.node = (place + 1) % n,
		.remote_index = 0,
		.roles = TALLY_ROLE_RING_OUT,
	};
}
