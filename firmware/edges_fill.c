// SPDX-License-Identifier: BSD-2-Clause
/* Writes the edges of a group that were checked, and sorts them by what they are for. */
#include "firmware/cfg.h"
#include "firmware/group.h"
#include "firmware/group_fill.h"

static void fill_address(uint32_t group, uint32_t edge, const struct tally_group_edge *ge)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		NEIGHBOUR_SET_AT(group, edge, gid, i, word_of(ge->gid + 4 * i));
	NEIGHBOUR_SET_AT(group, edge, mac, 0, word_of(ge->mac));
	NEIGHBOUR_SET_AT(group, edge, mac, 1, ge->mac[4] | (uint32_t)ge->mac[5] << 8);
	NEIGHBOUR_SET(group, edge, remote_index, le16(ge->remote_index));
}

static void fill_edge(uint32_t group, uint32_t edge, const struct tally_group_edge *ge)
{
	NEIGHBOUR_SET(group, edge, roles, edge_roles(ge));
	NEIGHBOUR_SET(group, edge, round, ge->round);
	NEIGHBOUR_SET(group, edge, position, ge->position);
	NEIGHBOUR_SET(group, edge, part_first, le32(ge->part_first));
	NEIGHBOUR_SET(group, edge, part_count, le32(ge->part_count));
	EDGE_SET(group, edge, subtree_first, le16(ge->subtree_first));
	EDGE_SET(group, edge, subtree_count, le16(ge->subtree_count));
	NEIGHBOUR_SET(group, edge, rank_first, le32(ge->rank_first));
	EDGE_SET(group, edge, rank_count, le32(ge->rank_count));
}

/* What the edges with an index are for. */
struct sorted {
	uint64_t children, ins;
	uint32_t parent, upstream, left, right;
	uint32_t rank_first, ranks; /* of this node and its subtree; only of a tree */
};

static void sort_edge(struct sorted *s, const struct tally_group_edge *ge, uint32_t i, bool tree)
{
	uint16_t roles = edge_roles(ge);

	if (roles & TALLY_ROLE_EPOCH)
		s->upstream = i;
	if (roles & TALLY_ROLE_RING_IN)
		s->left = i;
	if (roles & TALLY_ROLE_RING_OUT)
		s->right = i;
	if (edge_in(ge))
		s->ins |= fw_edge_bit(i);
	if (edge_to_parent(ge))
		s->parent = i;
	if (!tree || !edge_to_child(ge))
		return;
	s->children |= fw_edge_bit(i);
	if (le32(ge->rank_first) < s->rank_first)
		s->rank_first = le32(ge->rank_first);
	s->ranks += le32(ge->rank_count);
}

static void write_sorted(uint32_t group, const struct sorted *s, uint32_t num)
{
	uint64_t all = num < 64 ? (1ULL << num) - 1 : UINT64_MAX;
	uint64_t combined = s->children | s->ins | fw_edge_bit(s->left);

	GROUP_SET(group, children, s->children);
	GROUP_SET(group, exchange_ins, s->ins);
	GROUP_SET(group, combined, combined);
	GROUP_SET(group, peers, all & ~combined);
	GROUP_SET(group, num_edges, num);
	GROUP_SET(group, parent, s->parent);
	GROUP_SET(group, upstream, s->upstream);
	SETUP_SET(group, left, s->left);
	SETUP_SET(group, right, s->right);
	SETUP_SET(group, subtree_first, s->rank_first);
	GROUP_SET(group, subtree_ranks, s->ranks);
}

void edges_fill(uint32_t group, const struct tally_group_cfg *cfg,
		const struct tally_group_edge *edges, uint32_t num_edges)
{
	static const struct tally_group_edge none;
	uint32_t num = cfg_contributors(cfg, edges, num_edges), i;
	bool tree = cfg_modes(cfg) & TALLY_MODES_TREE;
	struct sorted s = { .parent = TALLY_FW_NO_EDGE, .upstream = TALLY_FW_NO_EDGE,
			    .left = TALLY_FW_NO_EDGE, .right = TALLY_FW_NO_EDGE };

	if (tree) {
		s.rank_first = le32(cfg->rank_first);
		s.ranks = cfg_ranks(cfg);
	}
	for (i = 0; i < num; i++) {
		fill_address(group, i, &edges[i]);
		fill_edge(group, i, &edges[i]);
		sort_edge(&s, &edges[i], i, tree);
	}
	if (num < num_edges) {
		s.parent = TALLY_MAX_CONTRIBUTORS;
		fill_address(group, s.parent, &edges[num]);
		fill_edge(group, s.parent, &none);
	}
	if (tree)
		s.upstream = s.parent;
	write_sorted(group, &s, num);
	SETUP_SET(group, all_edges, num_edges);
}
