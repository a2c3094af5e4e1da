// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "verify_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

uint32_t verify_nodes;

/* `next` is the range after the current round. */
struct state {
	struct range has, next;
	uint64_t shape;		/* ranges and positions that the partial result was made from */
};

static const struct plan_edge *mirror(const struct plan_node *nodes, const struct plan_node *n,
				      uint32_t i)
{
	const struct plan_edge *e = &n->edge[i];
	const struct plan_node *there = &nodes[e->node];

	MUST(e->node < verify_nodes && e->node != n->node, n);
	MUST(e->remote_index < there->num_edges, n);
	MUST(there->edge[e->remote_index].node == n->node, n);
	MUST(there->edge[e->remote_index].remote_index == i, n);
	return &there->edge[e->remote_index];
}

/*
 * All nodes but 0 have one edge for the epoch, to a lower place, so that the epoch comes from node
 * 0.
 */
static void verify_epoch(const struct plan_node *n)
{
	uint32_t num = 0;

	for (uint32_t i = 0; i < n->num_edges; i++)
		if (n->edge[i].roles & TALLY_ROLE_EPOCH) {
			MUST(n->edge[i].roles & (TALLY_ROLE_IN | TALLY_ROLE_RING_IN), n);
			MUST(n->edge[i].node < n->node, n);
			num++;
		}
	MUST(num == (n->node ? 1 : 0), n);
}

static void verify_peers(const struct plan *plan, const struct plan_node *nodes,
			 const struct plan_node *n)
{
	bool ring = plan->mode == TALLY_MODE_RING;
	uint16_t in = ring ? TALLY_ROLE_RING_IN : TALLY_ROLE_IN;
	uint16_t out = ring ? TALLY_ROLE_RING_OUT : TALLY_ROLE_OUT;

	MUST(n->num_edges <= TALLY_MAX_CONTRIBUTORS, n);
	for (uint32_t i = 0; i < n->num_edges; i++) {
		const struct plan_edge *e = &n->edge[i], *m = mirror(nodes, n, i);

		MUST(!(e->roles & in) == !(m->roles & out), n);
		MUST(e->roles & (in | out), n);
		MUST(!(e->roles & ~(in | out | TALLY_ROLE_EPOCH)), n);
		MUST(e->round == m->round, n);
		if (plan->mode == TALLY_MODE_EXCHANGE)
			MUST(e->round >= 1 && e->round <= plan->rounds, n);
		else
			MUST(!e->round && !e->position && !e->part_count, n);
		MUST(!e->subtree_first && !e->subtree_count, n);
	}
	verify_epoch(n);
}

static uint32_t rank_end(const struct plan *plan, const struct plan_node *nodes, struct range r)
{
	uint32_t end = r.first + r.count;

	return end < verify_nodes ? nodes[end].rank_first : plan->total_ranks;
}

void verify_ranks(const struct plan *plan, const struct plan_node *nodes, const struct plan_node *n,
		  uint32_t rank_first, uint32_t rank_count, struct range r)
{
	MUST(rank_first == nodes[r.first].rank_first, n);
	MUST(rank_first + rank_count == rank_end(plan, nodes, r), n);
	MUST(rank_count > 0, n);
}

/* Collects the inputs of a round by position. Returns their number. */
static uint32_t collect(const struct plan *plan, const struct plan_node *nodes,
			const struct state *state, const struct plan_node *n, uint32_t round,
			struct range *input)
{
	uint64_t taken = 0;
	uint32_t num = 1;

	for (uint32_t i = 0; i < n->num_edges; i++) {
		const struct plan_edge *e = &n->edge[i];

		if (e->round != round || !(e->roles & TALLY_ROLE_IN))
			continue;
		MUST(e->position < TALLY_MAX_CONTRIBUTORS && !(taken >> e->position & 1), n);
		taken |= 1ULL << e->position;
		input[e->position] = state[e->node].has;
		verify_ranks(plan, nodes, n, e->part_first, e->part_count, state[e->node].has);
		num++;
	}
	MUST(num <= TALLY_MAX_CONTRIBUTORS, n);
	/* One position below the number of inputs remains for the node's own part. */
	MUST(__builtin_popcountll(taken) == (int)num - 1, n);
	MUST(num == 64 || !(taken >> num), n);
	input[__builtin_ctzll(~taken)] = state[n->node].has;
	return num;
}

/* The union of the inputs is again a range, and contains no node twice. */
static void combine(struct state *s, const struct plan_node *n, const struct range *input,
		    uint32_t num)
{
	uint32_t low = UINT32_MAX, high = 0, sum = 0;

	s->shape = 14695981039346656037ULL;
	for (uint32_t i = 0; i < num; i++) {
		uint32_t end = input[i].first + input[i].count;

		low = input[i].first < low ? input[i].first : low;
		high = end > high ? end : high;
		sum += input[i].count;
		s->shape = (s->shape ^ input[i].first) * 1099511628211ULL;
		s->shape = (s->shape ^ input[i].count) * 1099511628211ULL;
		for (uint32_t k = 0; k < i; k++)
			MUST(input[k].first >= end ||
			     input[i].first >= input[k].first + input[k].count, n);
	}
	MUST(sum == high - low, n);
	s->next = (struct range){ low, sum };
}

void verify_rounds(const struct plan *plan, const struct plan_node *nodes)
{
	struct state *state = calloc(verify_nodes, sizeof(*state));
	struct range input[TALLY_MAX_CONTRIBUTORS + 1];

	for (uint32_t i = 0; i < verify_nodes; i++)
		state[i].has = (struct range){ i, 1 };
	for (uint32_t r = 1; r <= plan->rounds; r++) {
		for (uint32_t i = 0; i < verify_nodes; i++)
			combine(&state[i], &nodes[i], input,
				collect(plan, nodes, state, &nodes[i], r, input));
		for (uint32_t i = 0; i < verify_nodes; i++) {
			state[i].has = state[i].next;
			/* All nodes of a part have the same bits; its first node represents it. */
			MUST(state[i].shape == state[state[i].has.first].shape, &nodes[i]);
		}
	}
	for (uint32_t i = 0; i < verify_nodes; i++)
		MUST(state[i].has.count == verify_nodes, &nodes[i]);
	free(state);
}

static void verify_exchange(const struct plan *plan, const struct plan_node *nodes)
{
	for (uint32_t i = 0; i < verify_nodes; i++) {
		uint32_t cells = nodes[i].ranks + plan->rounds;

		verify_peers(plan, nodes, &nodes[i]);
		for (uint32_t k = 0; k < nodes[i].num_edges; k++)
			cells += !!(nodes[i].edge[k].roles & TALLY_ROLE_IN);
		MUST(nodes[i].msg_cells == cells && cells <= TALLY_MAX_GROUP_CELLS, &nodes[i]);
	}
	verify_rounds(plan, nodes);
}

static void verify_ring(const struct plan *plan, const struct plan_node *nodes)
{
	for (uint32_t i = 0; i < verify_nodes; i++) {
		const struct plan_node *n = &nodes[i];

		verify_peers(plan, nodes, n);
		MUST(n->num_edges == (verify_nodes > 2 ? 2 : verify_nodes - 1), n);
		if (verify_nodes == 1)
			continue;
		MUST(n->edge[0].roles & TALLY_ROLE_RING_IN, n);
		MUST(n->edge[n->num_edges - 1].roles & TALLY_ROLE_RING_OUT, n);
		MUST((n->edge[0].node + 1) % verify_nodes == i, n);
	}
}

static void verify_tree_node(const struct plan *plan, const struct plan_node *nodes,
			     const struct plan_node *n, uint32_t *end)
{
	uint32_t children = n->num_edges - (n->node ? 1 : 0), at = n->node + 1;

	MUST(children <= plan->degree && children <= TALLY_MAX_CONTRIBUTORS, n);
	for (uint32_t i = 0; i < children; i++) {
		const struct plan_edge *e = &n->edge[i];
		const struct plan_node *child = &nodes[e->node];
		const struct plan_edge *up = &child->edge[child->num_edges - 1];

		MUST(e->node == at && e->subtree_first == at && e->subtree_count, n);
		MUST(e->remote_index == TALLY_CONTRIB_PARENT, n);
		MUST(up->node == n->node && up->remote_index == i, n);
		MUST(child->level == n->level + 1, n);
		verify_ranks(plan, nodes, n, e->rank_first, e->rank_count,
			     (struct range){ at, e->subtree_count });
		at += e->subtree_count;
		MUST(at == end[e->node], n);
	}
	for (uint32_t i = 0; i < n->num_edges; i++)
		MUST(!n->edge[i].roles && !n->edge[i].round, n);
	end[n->node] = at;
}

static void verify_tree(const struct plan *plan, const struct plan_node *nodes)
{
	uint32_t *end = calloc(verify_nodes, sizeof(*end));

	for (uint32_t i = verify_nodes; i-- > 0;)
		verify_tree_node(plan, nodes, &nodes[i], end);
	assert_int_equal(end[0], verify_nodes);
	assert_int_equal(nodes[0].level, 0);
	free(end);
}

/* Places and nodes are each other's inverse, and ranks are counted by place. */
static void verify_common(const struct plan *plan, const struct plan_node *nodes)
{
	uint32_t rank = 0;

	for (uint32_t i = 0; i < verify_nodes; i++) {
		const struct plan_node *n = &nodes[i];

		MUST(plan->node[i] < verify_nodes && plan->place[plan->node[i]] == i, n);
		MUST(n->node == i && n->rank_first == rank, n);
		MUST(!(n->flags & TALLY_GROUP_F_ROOT) == (i > 0), n);
		MUST((n->flags & ~TALLY_GROUP_F_ROOT) == plan->flags, n);
		for (uint32_t r = 0; r < n->ranks; r++)
			MUST(plan_place_of_rank(plan, rank + r) == i, n);
		rank += n->ranks;
	}
	assert_int_equal(rank, plan->total_ranks);
	if (plan->shared)
		return;
	assert_true(plan->num_segs && !(plan->num_segs & (plan->num_segs - 1)));
	assert_int_equal(plan->max_segs, plan->num_segs);
	assert_true(plan->max_segs <= TALLY_MAX_GROUP_SEGS);
	assert_int_equal(plan->modes, 1 << (plan->mode - 1));
}

void verify_plan(const struct plan *plan)
{
	struct plan_node *nodes = calloc(plan->num_nodes, sizeof(*nodes));

	assert_non_null(nodes);
	verify_nodes = plan->num_nodes;
	for (uint32_t i = 0; i < verify_nodes; i++)
		plan_node(plan, i, &nodes[i]);
	verify_common(plan, nodes);
	if (plan->shared)
		verify_shared(plan, nodes);
	else if (plan->mode == TALLY_MODE_TREE)
		verify_tree(plan, nodes);
	else if (plan->mode == TALLY_MODE_EXCHANGE)
		verify_exchange(plan, nodes);
	else
		verify_ring(plan, nodes);
	free(nodes);
}

void make_verified(struct plan *plan, const struct plan_request *req)
{
	char why[128] = "";

	if (plan_make(plan, req, why, sizeof(why)))
		fail_msg("%u nodes: %s", req->num_nodes, why);
	assert_string_equal(why, "");
	verify_plan(plan);
}
