// SPDX-License-Identifier: BSD-2-Clause
/*
 * Plausibility of a KILL, as far as a node can judge without asking the detector. It cannot judge
 * the message, which may be any number that a user gave or one that will come, nor the contributors
 * of another node.
 */
#include "engine/kill_validate.h"
#include "engine/coll_status.h"
#include "engine/common.h"
#include "engine/route.h"

/* Return the largest number of ranks that another node may have. */
static uint32_t most_ranks(const struct group *g, uint16_t node)
{
	uint32_t here = __builtin_popcountll(g->rank_mask), most;
	int route = group_route(g, node);

	if (g->flags & TALLY_GROUP_F_UNIFORM)
		return here;
	if (!group_has(g, TALLY_MODES_TREE))
		most = g->total_ranks - here;
	else if (route >= 0)
		most = g->edges[route].rank_count;
	else
		most = g->total_ranks - g->subtree_ranks;
	return most < TALLY_MAX_RANKS ? most : TALLY_MAX_RANKS;
}

/* Whether the cause is a local rank of the detector. */
static bool blames_rank(uint16_t status)
{
	return status == TALLY_COLL_RANK_GONE || status == TALLY_COLL_ABORTED;
}

bool kill_report_valid(const struct group *g, const struct report *r)
{
	if (!coll_status_ends_epoch(r->status) || r->detector >= g->num_nodes ||
	    r->level >= g->num_nodes)
		return false;
	if (r->sid != NO_CHUNK && r->sid >= TALLY_MAX_MESSAGE)
		return false;
	if (blames_rank(r->status) && !r->ranks)
		return false;
	/*
	 * Only a report of this node can name it as detector, and its epoch has ended with that
	 * report.
	 */
	if (r->detector == g->node)
		return !group_alive(g);
	return (uint32_t)__builtin_popcountll(r->ranks) <= most_ranks(g, r->detector);
}
