// SPDX-License-Identifier: BSD-2-Clause
/*
 * Groups of the bed that have other modes than TREE. Parts are consecutive nodes, of uneven size if the number of
 * nodes demands it.
 */
#include "engine/test/testbed.h"

static struct tb_edge *edge_to(struct tb_group *g, unsigned int i, unsigned int node)
{
	struct tb_edge *ed = g->edge[i];
	unsigned int k;

	for (k = 0; k < g->edges[i]; k++)
		if (ed[k].node == node)
			return &ed[k];
	assert_true(k < TALLY_MAX_CONTRIBUTORS);
	g->edges[i]++;
	ed[k] = (struct tb_edge){ .node = node };
	return &ed[k];
}

/* ---- RING ---- */

static void plan_ring(struct tb_group *g)
{
	unsigned int nodes = g->cfg.nodes, i;

	for (i = 0; i < nodes && nodes > 1; i++) {
		edge_to(g, i, (i + nodes - 1) % nodes)->roles |=
			TALLY_ROLE_RING_IN | (i ? TALLY_ROLE_EPOCH : 0);
		edge_to(g, i, (i + 1) % nodes)->roles |= TALLY_ROLE_RING_OUT;
	}
}

/* ---- EXCHANGE ---- */

struct part {
	unsigned int first, count;
};

/*
 * Return the member of another part that node i receives from: the one at the same place, modulo
 * the size of that part.
 */
static unsigned int member(const struct part *p, unsigned int place)
{
	return p->first + place % p->count;
}

static void join_parts(struct tb_group *g, const struct part *parts, unsigned int num,
		       unsigned int round)
{
	unsigned int a, b, place;

	for (a = 0; a < num; a++)
		for (b = 0; b < num; b++)
			for (place = 0; a != b && place < parts[a].count; place++) {
				unsigned int i = parts[a].first + place;
				unsigned int from = member(&parts[b], place);
				struct tb_edge *in = edge_to(g, i, from);
				struct tb_edge *out;

				*in = (struct tb_edge){ .node = from, .round = round, .position = b,
							.roles = in->roles | TALLY_ROLE_IN,
							.first = parts[b].first,
							.count = parts[b].count };
				out = edge_to(g, from, i);
				out->round = round;
				out->roles |= TALLY_ROLE_OUT;
			}
}

static void plan_exchange(struct tb_group *g)
{
	struct part parts[TB_MAX_NODES];
	unsigned int num = g->cfg.nodes, i, k;

	for (i = 0; i < num; i++)
		parts[i] = (struct part){ i, 1 };
	while (num > 1) {
		unsigned int radix = g->cfg.radix[g->rounds] ? g->cfg.radix[g->rounds] : 2, n = 0;

		g->rounds++;
		for (i = 0; i < num; i += radix) {
			unsigned int some = num - i < radix ? num - i : radix;
			struct part sum = { parts[i].first, 0 };

			join_parts(g, &parts[i], some, g->rounds);
			for (k = 0; k < some; k++)
				sum.count += parts[i + k].count;
			parts[n++] = sum;
		}
		num = n;
	}
}

/* The epoch comes from the lowest neighbour, which is closer to node 0. */
static void choose_epoch(struct tb_group *g)
{
	unsigned int i, k;

	for (i = 1; i < g->cfg.nodes; i++) {
		struct tb_edge *lowest = &g->edge[i][0];

		for (k = 1; k < g->edges[i]; k++)
			if (g->edge[i][k].node < lowest->node)
				lowest = &g->edge[i][k];
		lowest->roles |= TALLY_ROLE_EPOCH;
	}
}

/* ---- TREE ---- */

static bool has_edge(const struct tb_group *g, unsigned int i, unsigned int node)
{
	unsigned int k;

	for (k = 0; k < g->edges[i]; k++)
		if (g->edge[i][k].node == node)
			return true;
	return false;
}

/* A parent that is a neighbour in another mode, too, has an edge among the others. */
static void add_tree(struct tb_group *g)
{
	unsigned int i;

	for (i = 1; i < g->cfg.nodes; i++) {
		unsigned int p = g->parent[i];
		bool known = has_edge(g, i, p);
		struct tb_edge *child = edge_to(g, p, i);

		child->only_child = !known;
		if (known || i % 2) /* optional if there is no other role */
			child->roles |= TALLY_ROLE_CHILD;
		if (known)
			edge_to(g, i, p)->roles |= TALLY_ROLE_PARENT;
	}
}

static void remove_epoch(struct tb_group *g)
{
	unsigned int i, k;

	for (i = 0; i < g->cfg.nodes; i++)
		for (k = 0; k < g->edges[i]; k++)
			g->edge[i][k].roles &= ~TALLY_ROLE_EPOCH;
}

void tb_modes_plan(struct tb_group *g)
{
	uint8_t modes = g->cfg.modes ? g->cfg.modes : mode_bit(g->cfg.mode);

	if (modes & TALLY_MODES_EXCHANGE)
		plan_exchange(g);
	if (modes & TALLY_MODES_RING)
		plan_ring(g);
	else
		choose_epoch(g);
	if (modes & TALLY_MODES_TREE) {
		remove_epoch(g);
		add_tree(g);
	}
}

unsigned int tb_modes_index(const struct tb_group *g, unsigned int i, unsigned int node)
{
	unsigned int k;

	for (k = 0; g->edge[i][k].node != node; k++)
		assert_true(k < g->edges[i]);
	return k;
}

static void fill_child(const struct tb_group *g, struct tally_group_edge *edge, unsigned int c)
{
	edge->subtree_first = htole16(c);
	edge->subtree_count = htole16(g->subtree[c]);
	edge->rank_first = htole32(g->rank_first[c]);
	edge->rank_count = htole32(g->rank_first[c + g->subtree[c]] - g->rank_first[c]);
}

/* Write the edge of a parent that has no index, which is the last one. */
static unsigned int put_parent(const struct tb_group *g, unsigned int i,
			       struct tally_group_edge *edge)
{
	uint8_t modes = g->cfg.modes ? g->cfg.modes : mode_bit(g->cfg.mode);

	if (!(modes & TALLY_MODES_TREE) || !i || has_edge(g, i, g->parent[i]))
		return 0;
	tb_fill_addr(edge, tb_group_node(g, g->parent[i]));
	edge->remote_index = htole16(tb_modes_index(g, g->parent[i], i));
	return 1;
}

unsigned int tb_modes_edges(const struct tb_group *g, unsigned int i,
			    struct tally_group_edge *edges)
{
	unsigned int k;

	for (k = 0; k < g->edges[i]; k++) {
		const struct tb_edge *ed = &g->edge[i][k];

		tb_fill_addr(&edges[k], tb_group_node(g, ed->node));
		edges[k].remote_index = htole16(ed->only_child ? TALLY_CONTRIB_PARENT :
								 tb_modes_index(g, ed->node, i));
		if (ed->only_child || (ed->roles & TALLY_ROLE_CHILD))
			fill_child(g, &edges[k], ed->node);
		edges[k].round = ed->round;
		edges[k].position = ed->position;
		edges[k].roles = htole16(ed->roles);
		if (ed->count) {
			edges[k].part_first = htole32(g->rank_first[ed->first]);
			edges[k].part_count = htole32(g->rank_first[ed->first + ed->count] -
						      g->rank_first[ed->first]);
		}
	}
	return k + put_parent(g, i, &edges[k]);
}
