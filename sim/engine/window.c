// SPDX-License-Identifier: BSD-2-Clause
/* What a node tells a neighbour of its window: done, and the limit below which chunks may come. */
#include "engine/window.h"
#include "engine/common.h"

/* Whether a neighbour is told the lowest values of this node's subtree. */
bool window_of_subtree(const struct group *g, const struct edge *ed)
{
	/* the root's multicast packets go to the whole subtree */
	return has_multicast(g) && has_parent(g) && ed == &g->edges[g->parent];
}

uint32_t window_done(const struct group *g, const struct edge *ed)
{
	uint32_t done = g->done;
	uint64_t left = g->children;

	if (!window_of_subtree(g, ed))
		return done;
	for (; left; left &= left - 1) {
		uint32_t below = g->edges[__builtin_ctzll(left)].peer_done;

		done = serial_lt(below, done) ? below : done;
	}
	return done;
}

uint32_t window_limit(const struct group *g, const struct edge *ed)
{
	uint32_t limit = g->limit;
	uint64_t left = g->children;

	if (!window_of_subtree(g, ed))
		return limit;
	for (; left; left &= left - 1) {
		uint32_t below = g->edges[__builtin_ctzll(left)].peer_limit;

		limit = serial_lt(below, limit) ? below : limit;
	}
	/* a child may turn out to have fewer segments than it owns; what was told does not fall */
	return serial_lt(limit, ed->told_limit) ? ed->told_limit : limit;
}
