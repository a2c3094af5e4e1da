// SPDX-License-Identifier: BSD-2-Clause
/*
 * RING mode. The sum of a chunk begins at one node and grows around the ring up to another
 * node, where it becomes the result. The result travels on as far as it is needed. In the order of
 * the ring:
 *
 *   ALLREDUCE, BARRIER  from node sid mod N once around, then once around
 *   REDUCE              once around to the root's node, where the result stays
 *   BCAST               from the root once around
 *   ALLGATHER           from the first node with a block in the chunk to the last, then once around
 *   REDUCE_SCATTER      once around to the first node that gets a block of the chunk, on to the last
 *
 * The last two are possible only if a node knows the owner of each block, which it does if all
 * nodes have the same number of ranks (flag UNIFORM). Otherwise they go the way of ALLREDUCE.
 */
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/segment.h"

#include <string.h>

/* Nodes: the sum begins at `first` and is complete at `last`; the result travels to `stop`. */
struct way {
	uint32_t first, last, stop;
};

static uint32_t before(const struct group *g, uint32_t node)
{
	return (node + g->num_nodes - 1) % g->num_nodes;
}

static uint32_t distance(const struct group *g, uint32_t from, uint32_t to)
{
	return (to + g->num_nodes - from) % g->num_nodes;
}

static struct way once_around(const struct group *g, uint32_t first)
{
	uint32_t last = before(g, first);

	return (struct way){ first, last, before(g, last) };
}

/* Return the nodes whose blocks are in a chunk. Returns false if they are not known. */
static bool owners(const struct group *g, const struct slot *s, uint32_t *first, uint32_t *last)
{
	uint32_t ranks = __builtin_popcountll(g->rank_mask), block = s->total / g->total_ranks;

	if (!(g->flags & TALLY_GROUP_F_UNIFORM) || !opcode_blocked(s->opcode))
		return false;
	*first = s->first / block / ranks;
	*last = (s->first + s->count - 1) / block / ranks;
	return true;
}

static struct way way_of(const struct group *g, const struct slot *s)
{
	uint32_t first, last;

	if (s->opcode == TALLY_OPCODE_BCAST)
		return (struct way){ s->root_node, s->root_node, before(g, s->root_node) };
	if (s->opcode == TALLY_OPCODE_REDUCE)
		return (struct way){ (s->root_node + 1) % g->num_nodes, s->root_node, s->root_node };
	if (!owners(g, s, &first, &last))
		return once_around(g, s->sid % g->num_nodes);
	if (s->opcode == TALLY_OPCODE_ALLGATHER)
		return (struct way){ first, last, before(g, last) };
	return (struct way){ (first + 1) % g->num_nodes, first, last };
}

static uint64_t givers(const struct group *g, const struct slot *s)
{
	uint64_t root = s->root_node == g->node ? 1ULL << s->root_rank : 0;

	return s->opcode == TALLY_OPCODE_BCAST ? root : chunk_givers(g, s);
}

static uint64_t getters(const struct group *g, const struct slot *s)
{
	uint64_t root = s->root_node == g->node ? 1ULL << s->root_rank : 0;

	if (s->opcode == TALLY_OPCODE_REDUCE)
		return root;
	return s->opcode == TALLY_OPCODE_BCAST ? g->rank_mask & ~root : chunk_getters(g, s);
}

static void plan(const struct group *g, struct slot *s)
{
	struct way w = way_of(g, s);
	uint32_t up = distance(g, w.first, g->node), up_end = distance(g, w.first, w.last);
	uint32_t down = distance(g, w.last, g->node), down_end = distance(g, w.last, w.stop);

	s->up_edge = g->right;
	s->down_edge = g->left;
	if (up <= up_end) {
		s->up_ranks = givers(g, s);
		s->up_contributors = up ? contributor_bit(g->left) : 0;
		s->up_send = up < up_end;
		s->turns = up == up_end;
	}
	if (down <= down_end) {
		s->down_expected = true;
		s->down_todo = down < down_end ? contributor_bit(g->right) : 0;
		s->deliver = getters(g, s);
	}
}

static struct span across(const struct group *g, const struct slot *s, unsigned int idx,
			  uint8_t kind)
{
	(void)g;
	(void)idx;
	(void)kind;
	return chunk_whole(s);
}

/*
 * Take the sum of an ALLGATHER, except the blocks of this node's ranks, which may already be in the
 * slot.
 */
static void take(struct engine *e, const struct group *g, struct slot *s, struct span sp,
		 const void *data)
{
	struct span own;
	uint32_t lo, hi;

	if (s->opcode != TALLY_OPCODE_ALLGATHER) {
		slot_combine(e, g, s, sp, data);
		return;
	}
	own = chunk_blocks(g, s, g->rank_first, __builtin_popcountll(g->rank_mask));
	lo = (own.lo - s->first) * s->elem;
	hi = (own.hi - s->first) * s->elem;
	memcpy(slot_up(s), data, lo);
	memcpy(slot_up(s) + hi, (const uint8_t *)data + hi, s->count * s->elem - hi);
	s->up_filled = true;
}

const struct mode ring_mode = {
	.flag = TALLY_TCH_F_RING,
	.plan = plan,
	.across = across,
	.accumulator = mode_sum,
	.result = mode_down,
	.partial = mode_only_sum,
	.take = take,
	.pump = slot_pump_sum,
	.acked = slot_sum_acked,
	.missing = slot_missing_inputs,
};
