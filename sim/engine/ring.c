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

/* What this node is on the way of a chunk. */
struct way {
	bool up;     /* the sum passes */
	bool begins; /* the sum begins here */
	bool turns;  /* the sum is complete here */
	bool down;   /* the result passes, or is made here */
	bool stops;  /* the result goes no further */
};

static uint32_t before(const struct group *g, uint32_t node)
{
	return (node ? node : g->num_nodes) - 1;
}

static uint32_t behind(const struct group *g, uint32_t node)
{
	return node + 1 < g->num_nodes ? node + 1 : 0;
}

static uint32_t distance(const struct group *g, uint32_t from, uint32_t to)
{
	return to >= from ? to - from : to + g->num_nodes - from;
}

/* The sum begins at node `first` and is complete at `last`; the result travels to `stop`. */
static struct way way_between(const struct group *g, uint32_t first, uint32_t last, uint32_t stop)
{
	uint32_t up = distance(g, first, g->node), up_end = distance(g, first, last);
	uint32_t down = distance(g, last, g->node), down_end = distance(g, last, stop);

	return (struct way){ up <= up_end, !up, up == up_end, down <= down_end, down == down_end };
}

/* Whether an element of a message that consists of blocks is in a block of a node's ranks. */
static bool owns(const struct group *g, const struct slot *s, uint32_t node, uint32_t element)
{
	uint32_t len = chunk_block(g, s->total) * __builtin_popcountll(g->rank_mask);

	return element - node * len < len;
}

/*
 * Return the way of a chunk of ALLGATHER or REDUCE_SCATTER between the first and the last node that
 * own a part of it. This node compares itself and its neighbours with these nodes, whose numbers
 * would cost a division.
 */
static struct way way_of_blocks(const struct group *g, const struct slot *s)
{
	uint32_t last = s->first + s->count - 1;
	uint32_t len = chunk_block(g, s->total) * __builtin_popcountll(g->rank_mask);
	bool between = g->node * len <= last && s->first < (g->node + 1) * len;
	bool is_first = owns(g, s, g->node, s->first), is_last = owns(g, s, g->node, last);

	if (s->opcode == TALLY_OPCODE_ALLGATHER)
		return (struct way){ between, is_first, is_last, true,
				     owns(g, s, behind(g, g->node), last) };
	return (struct way){ true, owns(g, s, before(g, g->node), s->first), is_first, between,
			     is_last };
}

static struct way way_of(const struct group *g, const struct slot *s)
{
	uint32_t root = s->root_node, first;

	if (s->opcode == TALLY_OPCODE_BCAST)
		return way_between(g, root, root, before(g, root));
	if (s->opcode == TALLY_OPCODE_REDUCE)
		return way_between(g, behind(g, root), root, root);
	if ((g->flags & TALLY_GROUP_F_UNIFORM) && opcode_blocked(s->opcode))
		return way_of_blocks(g, s);
	first = modulo(&g->by_nodes, s->sid);
	return way_between(g, first, before(g, first), before(g, before(g, first)));
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

	s->up_edge = g->right;
	s->down_edge = g->left;
	if (w.up) {
		s->up_ranks = givers(g, s);
		s->up_contributors = w.begins ? 0 : contributor_bit(g->left);
		s->up_send = !w.turns;
		s->turns = w.turns;
	}
	if (w.down) {
		s->down_expected = true;
		s->down_todo = w.stops ? 0 : contributor_bit(g->right);
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
