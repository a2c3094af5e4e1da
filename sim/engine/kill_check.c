// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a KILL may claim, as far as a node can know without asking the detector.
 * Its message (any number that a user gave, or that is to come) and the
 * contributors of another node cannot be judged.
 */
#include "engine/engine_int.h"

/* How many ranks the node may have, another one. */
static uint32_t most_ranks(const struct group *g, uint16_t node)
{
	uint32_t here = __builtin_popcountll(g->rank_mask), most;
	int route = group_route(g, node);

	if (g->flags & TALLY_GROUP_F_UNIFORM)
		return here;
	if (g->mode != TALLY_MODE_TREE)
		most = g->total_ranks - here;
	else if (route >= 0)
		most = g->edges[route].rank_count;
	else
		most = g->total_ranks - g->subtree_ranks;
	return most < TALLY_MAX_RANKS ? most : TALLY_MAX_RANKS;
}

/* Causes that are a local rank's doing. */
static bool blames_rank(uint16_t status)
{
	return status == TALLY_COLL_RANK_GONE || status == TALLY_COLL_ABORTED;
}

bool kill_plausible(const struct group *g, const struct report *r)
{
	if (!status_ends_epoch(r->status) || r->detector >= g->num_nodes ||
	    r->level >= g->num_nodes)
		return false;
	if (r->sid != NO_CHUNK && r->sid >= TALLY_MAX_MESSAGE)
		return false;
	if (blames_rank(r->status) && !r->ranks)
		return false;
	/* only what was said here can come back, and with it the epoch ended */
	if (r->detector == g->node)
		return !group_alive(g);
	return (uint32_t)__builtin_popcountll(r->ranks) <= most_ranks(g, r->detector);
}
