// SPDX-License-Identifier: BSD-2-Clause
/* Ways to the nodes of a group, and positions of its ranks. */
#include "engine/route.h"
#include "engine/common.h"

int group_route(const struct group *g, uint16_t node)
{
	unsigned int i;

	for (i = 0; i < g->num_contributors; i++) {
		const struct edge *ed = &g->edges[i];

		if (node >= ed->first && node - ed->first < ed->count)
			return i;
	}
	return -1;
}

unsigned int group_rank_index(const struct group *g, unsigned int rank)
{
	return __builtin_popcountll(g->rank_mask & ((1ULL << rank) - 1));
}
