// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "engine/store_parts.h"
#include "store_parts_model.h"

_Static_assert(PARTS_MODES == TALLY_FW_PART_MODES && PARTS_MOST == TALLY_FW_STORE_PARTS, "");

static void copy_rows(const struct store_parts *p, struct parts_rows *rows)
{
	unsigned int i;

	rows->num = p->num;
	for (i = 0; i < PARTS_MOST; i++) {
		rows->ins[i] = p->part[i].ins;
		rows->outs[i] = p->part[i].outs;
		rows->inner[i] = p->part[i].inner;
		rows->next[i] = p->part[i].next.part;
		rows->right[i] = p->part[i].next.right;
	}
	for (i = 0; i < PARTS_RANKS; i++) {
		rows->rank_part[i] = p->rank[i].part;
		rows->rank_right[i] = p->rank[i].right;
		rows->edge_part[i] = p->edge[i];
	}
}

void parts_model_rows(const struct parts_node *node, struct parts_rows rows[PARTS_MODES])
{
	static struct group g;
	struct store_tables t;
	unsigned int i;

	g.rank_mask = node->rank_mask;
	g.rounds = node->rounds;
	g.chunk = 64;
	g.flags = node->ordered ? TALLY_GROUP_F_ORDERED : 0;
	g.modes = node->modes;
	g.children = node->children;
	g.num_contributors = node->contributors;
	g.left = node->left;
	for (i = 1; i <= node->rounds; i++) {
		g.round[i].own = node->own[i];
		g.round[i].parts = node->parts[i];
		g.round[i].ins = node->ins[i];
		g.round[i].outs = node->outs[i];
	}
	for (i = 0; i < PARTS_EDGES; i++)
		g.edges[i].position = node->position[i];
	if (!store_tables(&g, &t))
		abort();
	for (i = 0; i < PARTS_MODES; i++)
		copy_rows(&t.mode[i], &rows[i]);
}
