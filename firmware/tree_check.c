// SPDX-License-Identifier: BSD-2-Clause
/*
 * Edges of the tree of a group: children with consecutive subtrees, and the parent. In a group of
 * TREE alone, all other edges lead to peers. In a group of several modes an edge may have roles in
 * other modes as well, and peers_check.c checks its other fields.
 */
#include "firmware/cfg.h"
#include "firmware/edges_check.h"

uint32_t cfg_contributors(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
			  uint32_t num_edges)
{
	uint32_t i;

	if (!(cfg_modes(cfg) & TALLY_MODES_TREE) || cfg_root(cfg) || !num_edges)
		return num_edges;
	if (cfg_modes(cfg) != TALLY_MODES_TREE)
		for (i = 0; i < num_edges; i++)
			if (edge_to_parent(&edges[i]))
				return num_edges;
	return num_edges - 1;
}

/* Whether ranks of the i-th edge also belong to this node or to an earlier edge. */
static bool ranks_taken(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
			uint32_t i)
{
	uint32_t first = le32(edges[i].rank_first), count = le32(edges[i].rank_count), k;

	if (ranges_overlap(first, count, le32(cfg->rank_first),
		    cfg_ranks(cfg)))
		return true;
	for (k = 0; k < i; k++)
		if (ranges_overlap(first, count, le32(edges[k].rank_first),
			    le32(edges[k].rank_count)))
			return true;
	return false;
}

/*
 * Ranks of a subtree belong to the group and to no other edge. Each node of a subtree has at least
 * one, unless the group is SPARSE.
 */
static struct engine_result check_child_ranks(const struct tally_group_cfg *cfg,
					      const struct tally_group_edge *edges, uint32_t i)
{
	bool sparse = le32(cfg->flags) & TALLY_GROUP_F_SPARSE;
	uint64_t first = le32(edges[i].rank_first), count = le32(edges[i].rank_count);

	if (first + count > le32(cfg->total_ranks))
		return EDGE_ERROR(i, rank_first);
	/* a subtree needs at least one rank */
	if (count < (sparse ? 1 : le16(edges[i].subtree_count)))
		return EDGE_ERROR(i, rank_count);
	if (ranks_taken(cfg, edges, i))
		return EDGE_ERROR(i, rank_first);
	return ENGINE_OK;
}

/*
 * The global ranks of this node and of every subtree lie within the group, and together they are
 * consecutive.
 */
static struct engine_result check_ranks(const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t contributors)
{
	uint64_t total = le32(cfg->total_ranks), sum, low, high, first, count;
	struct engine_result r;
	uint32_t i;

	sum = cfg_ranks(cfg);
	low = le32(cfg->rank_first);
	high = low + sum;
	if (!total || total < sum || total > (uint64_t)TALLY_MAX_NODES * TALLY_MAX_RANKS)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, total_ranks);
	if (high > total)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, rank_first);
	for (i = 0; i < contributors; i++) {
		first = le32(edges[i].rank_first);
		count = le32(edges[i].rank_count);
		if (!edge_to_child(&edges[i]))
			continue;
		r = check_child_ranks(cfg, edges, i);
		if (r.status != TALLY_ADMIN_STATUS_OK)
			return r;
		low = first < low ? first : low;
		high = first + count > high ? first + count : high;
		sum += count;
	}
	if (!sum) /* a node without children must have ranks */
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, rank_mask);
	if (high - low != sum) /* gap */
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, rank_first);
	if ((le32(cfg->flags) & TALLY_GROUP_F_ROOT) && sum != total)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, total_ranks);
	return ENGINE_OK;
}

struct engine_result no_child_check(const struct tally_group_edge *ge, uint32_t i)
{
	if (le16(ge->remote_index) >= TALLY_MAX_CONTRIBUTORS)
		return EDGE_ERROR(i, remote_index);
	if (ge->subtree_first)
		return EDGE_ERROR(i, subtree_first);
	if (ge->subtree_count)
		return EDGE_ERROR(i, subtree_count);
	if (ge->rank_first)
		return EDGE_ERROR(i, rank_first);
	if (ge->rank_count)
		return EDGE_ERROR(i, rank_count);
	return ENGINE_OK;
}

/* Check that fields of EXCHANGE and RING are zero. */
static struct engine_result check_unused(const struct tally_group_edge *ge, uint32_t i)
{
	if (ge->round)
		return EDGE_ERROR(i, round);
	if (ge->position)
		return EDGE_ERROR(i, position);
	if (ge->roles)
		return EDGE_ERROR(i, roles);
	if (ge->part_first)
		return EDGE_ERROR(i, part_first);
	if (ge->part_count)
		return EDGE_ERROR(i, part_count);
	return ENGINE_OK;
}

/*
 * A subtree lies within the group, and contains neither this node nor a node of an earlier subtree.
 */
static struct engine_result check_subtree(const struct tally_group_cfg *cfg,
					  const struct tally_group_edge *edges, uint32_t i)
{
	uint32_t first = le16(edges[i].subtree_first), count = le16(edges[i].subtree_count);
	uint32_t node = le16(cfg->node), nodes = le16(cfg->num_nodes), k;

	if (first >= nodes)
		return EDGE_ERROR(i, subtree_first);
	if (!count || first + count > nodes || (node >= first && node < first + count))
		return EDGE_ERROR(i, subtree_count);
	for (k = 0; k < i; k++) {
		uint32_t f = le16(edges[k].subtree_first);

		if (first < f + le16(edges[k].subtree_count) && f < first + count)
			return EDGE_ERROR(i, subtree_first);
	}
	return ENGINE_OK;
}

/*
 * A child at which this node has no contributor index has no other role. There is at most one
 * parent, and none at the root.
 */
static struct engine_result check_roles(const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t num)
{
	const uint16_t child = TALLY_ROLE_CHILD, both = child | TALLY_ROLE_PARENT;
	unsigned int parents = cfg_root(cfg);
	uint32_t i;

	for (i = 0; i < num; i++) {
		uint16_t roles = le16(edges[i].roles);

		parents += !!edge_to_parent(&edges[i]);
		if (parents > 1 || (roles & both) == both)
			return EDGE_ERROR(i, roles);
		if (le16(edges[i].remote_index) == TALLY_CONTRIB_PARENT && (roles & ~child))
			return EDGE_ERROR(i, roles);
		if (le16(edges[i].remote_index) > TALLY_CONTRIB_PARENT)
			return EDGE_ERROR(i, remote_index);
	}
	return ENGINE_OK;
}

/* Check the edge of a parent without an index, which is the last one. */
static struct engine_result check_last(const struct tally_group_edge *ge, uint32_t i)
{
	if (le16(ge->remote_index) >= TALLY_MAX_CONTRIBUTORS)
		return EDGE_ERROR(i, remote_index);
	return check_unused(ge, i);
}

struct engine_result tree_check(const struct tally_group_cfg *cfg,
				      const struct tally_group_edge *edges, uint32_t num_edges)
{
	uint32_t num = cfg_contributors(cfg, edges, num_edges), i;
	bool alone = cfg_modes(cfg) == TALLY_MODES_TREE;
	struct engine_result r = ENGINE_OK;

	for (i = 0; i < num && r.status == TALLY_ADMIN_STATUS_OK; i++)
		r = edge_to_child(&edges[i]) ? check_subtree(cfg, edges, i) :
					       no_child_check(&edges[i], i);
	for (i = 0; alone && i < num && r.status == TALLY_ADMIN_STATUS_OK; i++)
		r = check_unused(&edges[i], i);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_roles(cfg, edges, num);
	if (r.status == TALLY_ADMIN_STATUS_OK && num < num_edges)
		r = check_last(&edges[num], num);
	return r.status == TALLY_ADMIN_STATUS_OK ? check_ranks(cfg, edges, num) : r;
}
