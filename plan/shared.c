// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A plan for all operations. The places of the nodes serve every mode: they follow the switches. The
 * tree is numbered depth first in this order, the ring goes along it, and the parts of EXCHANGE are
 * ranges of it. A node has one edge to each neighbour, with all roles of that neighbour. The edges
 * of EXCHANGE come first, in the order of sending; then those of the ring, then those of the tree.
 * A parent without another role is no contributor, so it is the last edge and has no role.
 */
#include "plan/plan_int.h"

#include <errno.h>
#include <stdlib.h>

#define DEGREE 4
/* Edges cost memory in the NIC. EXCHANGE has no more than this if enough rounds make it possible. */
#define FEW_EDGES 34
#define RING_EDGES 2
/* Bytes of a slot, which hold all payloads of a chunk in fixed order. */
#define SLOT_BYTES (2 * TALLY_MAX_MTU)

static bool has(const struct plan *plan, enum tally_mode mode)
{
	return plan->modes & plan_mode_bit(mode);
}

/* ---- Modes ---- */

static int find_modes(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	uint32_t modes = req->modes;

	if (req->caps)
		modes &= req->caps;
	if (!modes)
		return plan_refuse(to, "modes: the devices offer none of 0x%x", req->modes);
	if (plan_has_rankless(req))
		modes &= TALLY_CAP_TREE;
	if (!modes)
		return plan_refuse(to, "ranks: a node without any can be in a TREE only");
	plan->modes = modes;
	plan->shared = true;
	if (req->mode && !has(plan, req->mode))
		return plan_refuse(to, "mode: %s is not one that the group can have",
				   plan_mode_name(req->mode));
	if (req->flags & TALLY_GROUP_F_MULTICAST && !has(plan, TALLY_MODE_TREE))
		return plan_refuse(to, "flags: MULTICAST is for TREE, which the group cannot have");
	if (req->degree && !has(plan, TALLY_MODE_TREE))
		return plan_refuse(to, "degree: is for TREE, which the group cannot have");
	if (req->num_rounds && !has(plan, TALLY_MODE_EXCHANGE))
		return plan_refuse(to, "num_rounds: is for EXCHANGE, which the group cannot have");
	return 0;
}

/* ---- Shapes ---- */

/* Makes a narrow tree, or any tree if too many nodes have no ranks. */
static int make_tree(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	struct plan_request narrow = *req;
	int err;

	narrow.degree = req->degree ? req->degree : DEGREE;
	err = plan_tree_make(plan, &narrow, to);
	if (err != -EINVAL || req->degree)
		return err;
	plan_tree_free(plan);
	return plan_tree_make(plan, req, to);
}

static uint32_t most_children(const struct plan *plan)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < plan->num_nodes && has(plan, TALLY_MODE_TREE); i++)
		if (plan->shape->tree[i].children > most)
			most = plan->shape->tree[i].children;
	return most;
}

/* Returns the number of edges that EXCHANGE may use beside those of the other modes. */
static uint32_t exchange_edges(const struct plan *plan)
{
	uint32_t others = most_children(plan) + (has(plan, TALLY_MODE_RING) ? RING_EDGES : 0);

	/* So few nodes cannot be too many neighbours. */
	if (plan->num_nodes <= TALLY_MAX_CONTRIBUTORS + 1)
		return TALLY_MAX_CONTRIBUTORS;
	return others < TALLY_MAX_CONTRIBUTORS ? TALLY_MAX_CONTRIBUTORS - others : 0;
}

/* The nodes keep their places. */
static int make_exchange(struct plan *plan, const struct plan_request *req,
			 const struct refusal *to)
{
	struct plan_request fixed = *req;
	uint32_t most = exchange_edges(plan);
	int err;

	fixed.keep_order = true;
	plan->shape->max_edges = most < FEW_EDGES || req->num_rounds ? most : FEW_EDGES;
	err = plan_exchange_make(plan, &fixed, to);
	if (err != -EINVAL || plan->shape->max_edges == most)
		return err;
	plan_exchange_free(plan);
	plan->shape->max_edges = most;
	return plan_exchange_make(plan, &fixed, to);
}

/* ---- Union of the edges ---- */

static void add_role(struct exchange_node *n, uint16_t node, uint8_t role)
{
	struct exchange_edge *e = plan_edge_to(n, node);

	if (!e) {
		e = &n->edge[n->num_edges++];
		*e = (struct exchange_edge){ .node = node };
	}
	e->roles |= role;
}

static void add_ring(struct plan *plan)
{
	uint32_t n = plan->num_nodes;

	for (uint32_t i = 0; i < n && n > 1; i++) {
		add_role(&plan->shape->exchange[i], (i + n - 1) % n, TALLY_ROLE_RING_IN);
		add_role(&plan->shape->exchange[i], (i + 1) % n, TALLY_ROLE_RING_OUT);
	}
}

static void add_tree(struct plan *plan)
{
	struct plan_shape *shape = plan->shape;

	/* Parents have lower places, so children have the order of their slots. */
	for (uint32_t i = 1; i < plan->num_nodes; i++) {
		struct exchange_edge *up = plan_edge_to(&shape->exchange[i], shape->tree[i].parent);

		add_role(&shape->exchange[shape->tree[i].parent], i, TALLY_ROLE_CHILD);
		if (up)
			up->roles |= TALLY_ROLE_PARENT;
	}
}

/* Every node but 0 learns the epoch from its parent, otherwise from an input of another mode. */
static void set_epoch(struct plan *plan)
{
	struct exchange_node *nodes = plan->shape->exchange;

	for (uint32_t i = 0; i < plan->num_nodes; i++)
		for (uint32_t k = 0; k < nodes[i].num_edges; k++)
			nodes[i].edge[k].roles &= ~TALLY_ROLE_EPOCH;
	if (has(plan, TALLY_MODE_TREE))
		return;
	if (has(plan, TALLY_MODE_EXCHANGE))
		plan_exchange_set_epoch(nodes, plan->num_nodes);
	else
		for (uint32_t i = 1; i < plan->num_nodes; i++)
			plan_edge_to(&nodes[i], i - 1)->roles |= TALLY_ROLE_EPOCH;
}

static int join(struct plan *plan)
{
	struct plan_shape *shape = plan->shape;

	if (!shape->exchange)
		shape->exchange = calloc(plan->num_nodes, sizeof(*shape->exchange));
	if (!shape->exchange)
		return -ENOMEM;
	if (has(plan, TALLY_MODE_RING))
		add_ring(plan);
	if (has(plan, TALLY_MODE_TREE))
		add_tree(plan);
	plan_set_remote_indices(shape->exchange, plan->num_nodes);
	set_epoch(plan);
	return 0;
}

/* ---- Chunks ---- */

/*
 * Returns the number of payloads that a node keeps of a chunk that is reduced in fixed order: the
 * inputs, and the results. In EXCHANGE the partial result of a round is also an input of the next
 * round. In other modes there are a sum and a result, and every contributor counts as an input. The
 * engine lays out the chunks of all modes alike.
 */
static uint32_t payloads(const struct plan *plan, uint16_t place)
{
	const struct exchange_node *n = &plan->shape->exchange[place];
	const uint32_t *first = plan->shape->rank_first;
	uint32_t in = plan->rounds, results = plan->rounds > 1 ? plan->rounds + 1 : 2;

	for (uint32_t i = 0; i < n->num_edges; i++)
		in += !!(n->edge[i].roles & TALLY_ROLE_IN);
	if (in < n->num_edges)
		in = n->num_edges;
	return first[place + 1] - first[place] + in + results;
}

static void choose_chunk(struct plan *plan)
{
	uint32_t most = 0;

	if (!has(plan, TALLY_MODE_EXCHANGE) && !(plan->flags & TALLY_GROUP_F_ORDERED))
		return;
	for (uint32_t i = 0; i < plan->num_nodes; i++)
		if (payloads(plan, i) > most)
			most = payloads(plan, i);
	plan->chunk = plan->mtu;
	while (plan->chunk * most > SLOT_BYTES)
		plan->chunk /= 2;
}

/* ---- Plan ---- */

static int make_shapes(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	struct plan_shape *shape = plan->shape;
	int err = 0;

	/* Short messages need the best shape. */
	shape->work = plan_work_for(plan, req, TALLY_OPCODE_ALLREDUCE, sizeof(uint64_t), plan->mtu);
	if (has(plan, TALLY_MODE_TREE))
		err = make_tree(plan, req, to);
	if (!err && has(plan, TALLY_MODE_EXCHANGE))
		err = make_exchange(plan, req, to);
	if (err)
		return err;
	plan->rounds = shape->parts.rounds;
	return join(plan);
}

int plan_shared_make(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	int err = find_modes(plan, req, to);

	if (!err)
		err = make_shapes(plan, req, to);
	if (err)
		return err;
	plan_describe(plan);
	choose_chunk(plan);
	err = plan_choose_table(plan, req, to);
	if (!err)
		plan->hash = plan_hash(plan);
	return err;
}

static void add_part(const struct plan_shape *shape, struct plan_edge *edge)
{
	const struct round_parts *level = &shape->parts.level[edge->round - 1];
	uint32_t p = plan_parts_find(level, edge->node);

	edge->part_first = shape->rank_first[level->start[p]];
	edge->part_count = shape->rank_first[level->start[p + 1]] - edge->part_first;
}

static void add_subtree(const struct plan_shape *shape, struct plan_edge *edge)
{
	uint32_t first = edge->node, count = shape->tree[first].subtree;

	edge->subtree_first = first;
	edge->subtree_count = count;
	edge->rank_first = shape->rank_first[first];
	edge->rank_count = shape->rank_first[first + count] - edge->rank_first;
}

/* Adds the edge to a parent that is nothing else. It needs no role. */
static void add_parent(const struct plan_shape *shape, struct plan_node *node)
{
	uint32_t parent = shape->tree[node->node].parent;
	struct exchange_node *there = &shape->exchange[parent];

	node->edge[node->num_edges++] = (struct plan_edge){
		.node = parent,
		.remote_index = plan_edge_to(there, node->node) - there->edge,
	};
}

void plan_shared_node(const struct plan *plan, uint16_t place, struct plan_node *node)
{
	const struct plan_shape *shape = plan->shape;
	struct exchange_node *n = &shape->exchange[place];

	node->num_edges = n->num_edges;
	for (uint32_t i = 0; i < n->num_edges; i++) {
		const struct exchange_edge *e = &n->edge[i];

		node->edge[i] = (struct plan_edge){
			.node = e->node,
			.remote_index = e->remote_index,
			.round = e->round,
			.position = e->position,
			.roles = e->roles,
		};
		if (e->roles & TALLY_ROLE_IN)
			add_part(shape, &node->edge[i]);
		if (e->roles & TALLY_ROLE_CHILD)
			add_subtree(shape, &node->edge[i]);
	}
	if (!has(plan, TALLY_MODE_TREE))
		return;
	node->level = shape->tree[place].level;
	if (place && !plan_edge_to(n, shape->tree[place].parent))
		add_parent(shape, node);
	/* In a group of TREE alone, edges have no roles. */
	for (uint32_t i = 0; i < node->num_edges && plan->modes == TALLY_CAP_TREE; i++)
		node->edge[i].roles = 0;
}
