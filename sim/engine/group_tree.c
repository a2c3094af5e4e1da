// SPDX-License-Identifier: BSD-2-Clause
/* Edges of the tree of a group, which the firmware has checked. */
#include "engine/group_tree.h"
#include "engine/common.h"
#include "firmware/cfg.h"

#include <endian.h>

void group_fill_tree(struct group *g, const struct tally_group_edge *edges, uint32_t num)
{
	uint32_t i;

	g->subtree_first = g->rank_first;
	g->subtree_ranks = __builtin_popcountll(g->rank_mask);
	for (i = 0; i < num; i++) {
		struct edge *ed = &g->edges[i];

		if (edge_to_parent(&edges[i]))
			g->parent = i;
		if (!edge_to_child(&edges[i]))
			continue;
		ed->first = le16toh(edges[i].subtree_first);
		ed->count = le16toh(edges[i].subtree_count);
		ed->rank_first = le32toh(edges[i].rank_first);
		ed->rank_count = le32toh(edges[i].rank_count);
		g->children |= 1ULL << i;
		if (ed->rank_first < g->subtree_first)
			g->subtree_first = ed->rank_first;
		g->subtree_ranks += ed->rank_count;
	}
	g->upstream = g->parent;
}
