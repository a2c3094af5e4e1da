// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/tree.h"

#include <endian.h>
#include <string.h>

/* Links node @i below @parent; parents come first. */
static void adopt(struct tree *t, unsigned int i, int parent)
{
	struct tree_node *n = &t->node[i];

	n->parent = parent;
	if (parent < 0)
		return;
	n->level = t->node[parent].level + 1;
	n->slot = t->node[parent].children++;
}

static void plan_below(struct tree *t, unsigned int first, unsigned int nodes, int parent,
		       unsigned int degree)
{
	unsigned int left = nodes - 1, at = first + 1;

	adopt(t, first, parent);
	for (unsigned int parts = degree; left; parts--) {
		unsigned int part = (left + parts - 1) / parts;

		plan_below(t, at, part, (int)first, degree);
		at += part;
		left -= part;
	}
}

static void count_subtrees(struct tree *t)
{
	for (unsigned int i = 0; i < t->num_nodes; i++)
		t->node[i].subtree = 1;
	for (unsigned int i = t->num_nodes; i-- > 1;)
		t->node[t->node[i].parent].subtree += t->node[i].subtree;
}

void tree_plan(struct tree *t, unsigned int nodes, unsigned int degree)
{
	*t = (struct tree){ .num_nodes = nodes };
	plan_below(t, 0, nodes, -1, degree);
	count_subtrees(t);
}

/* Subtrees must be ranges, so the parent is the previous node or one of its ancestors. */
void tree_random(struct tree *t, unsigned int nodes, unsigned int degree, struct rng *rng)
{
	*t = (struct tree){ .num_nodes = nodes };
	adopt(t, 0, -1);
	for (unsigned int i = 1; i < nodes; i++) {
		int parent = (int)i - 1;

		while (t->node[parent].parent >= 0 &&
		       (t->node[parent].children >= degree || rng_below(rng, 2)))
			parent = t->node[parent].parent;
		if (t->node[parent].children >= degree)
			parent = (int)i - 1;
		adopt(t, i, parent);
	}
	count_subtrees(t);
}

void tree_count_ranks(struct tree *t)
{
	t->total_ranks = 0;
	for (unsigned int i = 0; i < t->num_nodes; i++) {
		t->node[i].rank_first = t->total_ranks;
		t->total_ranks += __builtin_popcountll(t->node[i].ranks);
	}
}

void tree_rank(const struct tree *t, uint32_t rank, unsigned int *node, unsigned int *local)
{
	unsigned int i = t->num_nodes - 1;
	uint64_t ranks;

	while (t->node[i].rank_first > rank || !t->node[i].ranks)
		i--;
	ranks = t->node[i].ranks;
	for (rank -= t->node[i].rank_first; rank; rank--)
		ranks &= ranks - 1;
	*node = i;
	*local = __builtin_ctzll(ranks);
}

static void address(struct tally_group_edge *edge, const struct host *h)
{
	*edge = (struct tally_group_edge){ 0 };
	memcpy(edge->gid, h->gid, sizeof(edge->gid));
	memcpy(edge->mac, h->cfg.mac, sizeof(edge->mac));
}

static uint32_t subtree_ranks(const struct tree *t, unsigned int i)
{
	unsigned int end = i + t->node[i].subtree;

	return (end < t->num_nodes ? t->node[end].rank_first : t->total_ranks) -
	       t->node[i].rank_first;
}

/* Writes the edges: children in the order of their slots, then the parent. */
static unsigned int fill_edges(const struct tree *t, unsigned int i, struct tally_group_edge *edge)
{
	const struct tree_node *n = &t->node[i];
	unsigned int c = i + 1, k;

	for (k = 0; k < n->children; k++, c += t->node[c].subtree) {
		address(&edge[k], t->node[c].host);
		edge[k].remote_index = htole16(TALLY_CONTRIB_PARENT);
		edge[k].subtree_first = htole16(c);
		edge[k].subtree_count = htole16(t->node[c].subtree);
		edge[k].rank_first = htole32(t->node[c].rank_first);
		edge[k].rank_count = htole32(subtree_ranks(t, c));
	}
	if (n->parent >= 0) {
		address(&edge[k], t->node[n->parent].host);
		edge[k++].remote_index = htole16(n->slot);
	}
	return k;
}

static uint32_t cells(const struct tree_node *n, const struct tree_group *g)
{
	if (g->msg_cells || !(g->flags & TALLY_GROUP_F_ORDERED))
		return g->msg_cells;
	return __builtin_popcountll(n->ranks) + n->children;
}

size_t tree_config(const struct tree *t, const struct tree_group *g, unsigned int i,
		   struct tree_config *config)
{
	const struct tree_node *n = &t->node[i];
	unsigned int edges = fill_edges(t, i, config->edge);

	config->cfg = (struct tally_group_cfg){
		.jid = htole32(g->jid),
		.flags = htole32(g->flags | (i ? 0 : TALLY_GROUP_F_ROOT)),
		.mode = TALLY_MODE_TREE,
		.level = n->level,
		.node = htole16(i),
		.num_nodes = htole16(t->num_nodes),
		.num_edges = htole16(edges),
		.num_segs = htole16(g->num_segs),
		.max_segs = htole16(g->max_segs),
		.timeout_ms = htole32(g->timeout_ms),
		.rank_mask = htole64(n->ranks),
		.epoch = htole32(i ? 0 : g->epoch),
		.retry_limit = htole32(g->retry_limit),
		.rto_us = htole32(g->rto_us),
		.mtu = htole32(g->mtu),
		.owner_ranks = htole64(n->ranks),
		.total_ranks = htole32(t->total_ranks),
		.rank_first = htole32(n->rank_first),
		.msg_cells = htole32(cells(n, g)),
	};
	if (g->flags & TALLY_GROUP_F_MULTICAST) {
		memcpy(config->cfg.mcast_gid, g->mcast_gid, sizeof(g->mcast_gid));
		memcpy(config->cfg.source_gid, t->node[0].host->gid,
		       sizeof(config->cfg.source_gid));
	}
	return sizeof(config->cfg) + edges * sizeof(config->edge[0]);
}
