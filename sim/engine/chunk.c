// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ranks that give data to a chunk and get data of it, the part of it that crosses each edge,
 * and the nodes that take part in TREE mode. In GATHER, SCATTER, ALLGATHER and REDUCE_SCATTER the
 * message consists of one block for each rank, in the order of global ranks. The ranks of a subtree
 * or part are consecutive, so an edge carries one range of the chunk.
 */
#include "engine/engine_int.h"

bool opcode_reduces(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

bool opcode_blocked(uint8_t opcode)
{
	return opcode < 32 && TALLY_OPCODES_BLOCKS >> opcode & 1;
}

bool opcode_rooted(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_REDUCE || opcode == TALLY_OPCODE_BCAST ||
	       opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER;
}

bool opcode_offered(uint8_t mode, uint8_t opcode)
{
	static const uint32_t offered[] = {
		[TALLY_MODE_TREE] = TALLY_OPCODES_TREE,
		[TALLY_MODE_EXCHANGE] = TALLY_OPCODES_EXCHANGE,
		[TALLY_MODE_RING] = TALLY_OPCODES_RING,
	};

	return opcode < 32 && offered[mode] >> opcode & 1;
}

/* ---- Spans ---- */

static struct span whole(const struct slot *s)
{
	return (struct span){ s->first, s->first + s->count, 0 };
}

struct span chunk_blocks(const struct group *g, const struct slot *s, uint32_t first, uint32_t num)
{
	uint32_t block = s->total / g->total_ranks;
	struct span sp = { first * block, (first + num) * block, first * block };

	sp.lo = sp.lo > s->first ? sp.lo : s->first;
	sp.hi = sp.hi < s->first + s->count ? sp.hi : s->first + s->count;
	if (sp.hi < sp.lo)
		sp.hi = sp.lo = s->first;
	return sp;
}

static struct span block_of(const struct group *g, const struct slot *s, unsigned int rank)
{
	return chunk_blocks(g, s, g->rank_first + group_rank_index(g, rank), 1);
}

struct span chunk_given(const struct group *g, const struct slot *s, unsigned int rank)
{
	bool own = s->opcode == TALLY_OPCODE_GATHER || s->opcode == TALLY_OPCODE_ALLGATHER;

	return own ? block_of(g, s, rank) : whole(s);
}

struct span chunk_got(const struct group *g, const struct slot *s, unsigned int rank)
{
	bool own = s->opcode == TALLY_OPCODE_SCATTER || s->opcode == TALLY_OPCODE_REDUCE_SCATTER;

	return own ? block_of(g, s, rank) : whole(s);
}

struct span chunk_across(const struct group *g, const struct slot *s, unsigned int idx,
			 uint8_t kind)
{
	uint8_t partial = is_exchange(g)		? TALLY_OPCODE_ALLGATHER :
			  kind == TALLY_KIND_REDUCE ? TALLY_OPCODE_GATHER :
						      TALLY_OPCODE_SCATTER;

	if (s->opcode != partial)
		return whole(s);
	if (idx == EDGE_PARENT)
		return chunk_blocks(g, s, g->subtree_first, g->subtree_ranks);
	return chunk_blocks(g, s, g->edges[idx].rank_first, g->edges[idx].rank_count);
}

/* ---- Participants ---- */

/* Whether a part must be moved: not if the message consists of blocks and the part is empty. */
static bool moves(const struct slot *s, struct span sp)
{
	return !opcode_blocked(s->opcode) || sp.lo < sp.hi;
}

static uint64_t ranks_with(const struct group *g, const struct slot *s,
			   struct span (*part)(const struct group *g, const struct slot *s,
					       unsigned int rank))
{
	uint64_t left = g->rank_mask, with = 0;

	if (!opcode_blocked(s->opcode))
		return left;
	for (; left; left &= left - 1)
		if (moves(s, part(g, s, __builtin_ctzll(left))))
			with |= left & -left;
	return with;
}

uint64_t chunk_givers(const struct group *g, const struct slot *s)
{
	return ranks_with(g, s, chunk_given);
}

uint64_t chunk_getters(const struct group *g, const struct slot *s)
{
	return ranks_with(g, s, chunk_got);
}

static uint64_t contributors_with(const struct group *g, const struct slot *s, uint8_t kind)
{
	uint64_t left = g->contributors, with = 0;

	if (!opcode_blocked(s->opcode))
		return left;
	for (; left; left &= left - 1)
		if (moves(s, chunk_across(g, s, __builtin_ctzll(left), kind)))
			with |= left & -left;
	return with;
}

static bool parent_with(const struct group *g, const struct slot *s, uint8_t kind)
{
	return moves(s, chunk_across(g, s, EDGE_PARENT, kind));
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
	s->up_contributors = contributors_with(g, s, TALLY_KIND_REDUCE);
	s->up_send = !is_root(g) && parent_with(g, s, TALLY_KIND_REDUCE);
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
	s->down_todo = contributors_with(g, s, TALLY_KIND_RESULT);
	s->down_expected = parent_with(g, s, TALLY_KIND_RESULT);
}

static void tree_plan(const struct group *g, struct slot *s)
{
	uint64_t root = s->root_node == g->node ? 1ULL << s->root_rank : 0;
	int to = group_route(g, s->root_node);
	uint64_t route = to >= 0 ? 1ULL << to : 0;

	s->up_edge = s->down_edge = is_root(g) ? NO_EDGE : EDGE_PARENT;
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

/* Whether a message has only empty blocks, in EXCHANGE or RING. Then no node need do anything. */
static bool is_nothing(const struct group *g, const struct slot *s)
{
	return g->mode != TALLY_MODE_TREE && opcode_blocked(s->opcode) && !s->total;
}

void chunk_plan(const struct group *g, struct slot *s)
{
	s->node_mask = g->contributors;
	s->up_edge = s->down_edge = NO_EDGE;
	if (is_nothing(g, s))
		s->up_complete = true;
	else if (is_exchange(g))
		exchange_plan(g, s);
	else if (g->mode == TALLY_MODE_RING)
		ring_plan(g, s);
	else
		tree_plan(g, s);
}

bool chunk_narrow(const struct group *g, struct slot *s, const struct wqe *w)
{
	uint64_t mask = w->node_mask & g->contributors;

	if (s->masked && mask != s->node_mask)
		return false;
	s->masked = true;
	s->node_mask = mask;
	return true;
}

bool chunk_concerns(const struct group *g, const struct slot *s)
{
	return (g->rank_mask & ~s->empty) || s->node_mask;
}
