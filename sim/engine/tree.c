// SPDX-License-Identifier: BSD-2-Clause
/*
 * TREE mode: sums go up to the root of the tree, results come down. Only in this mode some ranks,
 * nodes or contributors may have no part in a message.
 */
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/route.h"
#include "engine/segment.h"

static struct span across(const struct group *g, const struct slot *s, unsigned int idx,
			  uint8_t kind)
{
	uint8_t partial = kind == TALLY_KIND_REDUCE ? TALLY_OPCODE_GATHER : TALLY_OPCODE_SCATTER;

	if (s->opcode != partial)
		return chunk_whole(s);
	if (idx == g->parent) /* also at the root, whose subtree is the group */
		return chunk_blocks(g, s, g->subtree_first, g->subtree_ranks);
	return chunk_blocks(g, s, g->edges[idx].rank_first, g->edges[idx].rank_count);
}

static uint64_t children_with(const struct group *g, const struct slot *s, uint8_t kind)
{
	uint64_t left = g->children, with = 0;

	if (!opcode_blocked(s->opcode))
		return left;
	for (; left; left &= left - 1)
		if (chunk_moves(s, across(g, s, __builtin_ctzll(left), kind)))
			with |= left & -left;
	return with;
}

static bool subtree_with(const struct group *g, const struct slot *s, uint8_t kind)
{
	return chunk_moves(s, across(g, s, g->parent, kind));
}

/* The data of one rank go along the path to the tree's root. */
static void plan_up_from_root(const struct group *g, struct slot *s, uint64_t root, uint64_t route)
{
	if (opcode_blocked(s->opcode) && !s->count)
		return;
	s->up_ranks = root;
	s->up_contributors = route;
	s->up_send = !is_root(g) && (root || route);
}

static void plan_up_from_all(const struct group *g, struct slot *s)
{
	s->up_ranks = chunk_givers(g, s);
	s->up_contributors = children_with(g, s, TALLY_KIND_REDUCE);
	s->up_send = !is_root(g) && subtree_with(g, s, TALLY_KIND_REDUCE);
}

/* The result goes along the path from the tree's root to one rank. */
static void plan_down_to_root(struct slot *s, uint64_t root, uint64_t route)
{
	if (opcode_blocked(s->opcode) && !s->count)
		return;
	s->deliver = root;
	s->down_todo = route;
	s->down_expected = root || route;
}

static void plan_down_to_all(const struct group *g, struct slot *s, uint64_t root)
{
	s->deliver = chunk_getters(g, s);
	if (s->opcode == TALLY_OPCODE_BCAST)
		s->deliver &= ~root;
	s->down_todo = children_with(g, s, TALLY_KIND_RESULT);
	s->down_expected = subtree_with(g, s, TALLY_KIND_RESULT);
}

static void plan(const struct group *g, struct slot *s)
{
	uint64_t root = s->root_node == g->node ? 1ULL << s->root_rank : 0;
	int to = group_route(g, s->root_node);
	uint64_t route = to >= 0 ? 1ULL << to : 0;

	s->node_mask = g->children;
	s->up_edge = s->down_edge = g->parent;
	if (s->opcode == TALLY_OPCODE_BCAST || s->opcode == TALLY_OPCODE_SCATTER)
		plan_up_from_root(g, s, root, route);
	else
		plan_up_from_all(g, s);
	if (s->opcode == TALLY_OPCODE_REDUCE || s->opcode == TALLY_OPCODE_GATHER)
		plan_down_to_root(s, root, route);
	else
		plan_down_to_all(g, s, root);
	s->turns = is_root(g) && s->down_expected;
}

const struct mode tree_mode = {
	.narrows = true,
	.plan = plan,
	.across = across,
	.accumulator = mode_sum,
	.result = mode_down,
	.partial = mode_only_sum,
	.take = slot_combine,
	.pump = slot_pump_sum,
	.acked = slot_sum_acked,
	.missing = slot_missing_inputs,
};
