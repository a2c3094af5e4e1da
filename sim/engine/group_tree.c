// SPDX-License-Identifier: BSD-2-Clause
/*
 * Edges of the tree of a group: children with consecutive subtrees, and the parent. In a group of
 * TREE alone, all other edges lead to peers. In a group of several modes an edge may have roles in
 * other modes as well, and group_peers.c checks its other fields.
 */
#include "engine/group_tree.h"
#include "engine/cfg.h"
#include "engine/common.h"

#include <endian.h>

#define OK ((struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff })
#define REFUSE(what, type, field)                                                                  \
	((struct engine_result){ TALLY_ADMIN_STATUS_##what, offsetof(struct type, field) })

/*
 * Whether an edge leads to a child. If the child has no other role, this node has no contributor
 * index there.
 */
static bool is_child(const struct tally_group_edge *ge)
{
	return le16toh(ge->remote_index) == TALLY_CONTRIB_PARENT ||
	       (le16toh(ge->roles) & TALLY_ROLE_CHILD);
}

static bool is_parent(const struct tally_group_edge *ge)
{
	return le16toh(ge->roles) & TALLY_ROLE_PARENT;
}

uint32_t cfg_contributors(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
			  uint32_t num_edges)
{
	uint32_t i;

	if (!(cfg_modes(cfg) & TALLY_MODES_TREE) || cfg_root(cfg) || !num_edges)
		return num_edges;
	if (cfg_modes(cfg) != TALLY_MODES_TREE)
		for (i = 0; i < num_edges; i++)
			if (is_parent(&edges[i]))
				return num_edges;
	return num_edges - 1;
}

/* Whether ranks of the i-th edge also belong to this node or to an earlier edge. */
static bool ranks_taken(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
			uint32_t i)
{
	uint32_t first = le32toh(edges[i].rank_first), count = le32toh(edges[i].rank_count), k;

	if (ranges_overlap(first, count, le32toh(cfg->rank_first),
		    __builtin_popcountll(le64toh(cfg->rank_mask))))
		return true;
	for (k = 0; k < i; k++)
		if (ranges_overlap(first, count, le32toh(edges[k].rank_first),
			    le32toh(edges[k].rank_count)))
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
	bool sparse = le32toh(cfg->flags) & TALLY_GROUP_F_SPARSE;
	uint64_t first = le32toh(edges[i].rank_first), count = le32toh(edges[i].rank_count);

	if (first + count > le32toh(cfg->total_ranks))
		return group_edge_error(i, offsetof(struct tally_group_edge, rank_first));
	/* a subtree needs at least one rank */
	if (count < (sparse ? 1 : le16toh(edges[i].subtree_count)))
		return group_edge_error(i, offsetof(struct tally_group_edge, rank_count));
	if (ranks_taken(cfg, edges, i))
		return group_edge_error(i, offsetof(struct tally_group_edge, rank_first));
	return OK;
}

/*
 * The global ranks of this node and of every subtree lie within the group, and together they are
 * consecutive.
 */
static struct engine_result check_ranks(const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t contributors)
{
	uint64_t total = le32toh(cfg->total_ranks), sum, low, high, first, count;
	struct engine_result r;
	uint32_t i;

	sum = __builtin_popcountll(le64toh(cfg->rank_mask));
	low = le32toh(cfg->rank_first);
	high = low + sum;
	if (!total || total < sum || total > (uint64_t)TALLY_MAX_NODES * TALLY_MAX_RANKS)
		return REFUSE(BAD_FIELD, tally_group_cfg, total_ranks);
	if (high > total)
		return REFUSE(BAD_FIELD, tally_group_cfg, rank_first);
	for (i = 0; i < contributors; i++) {
		first = le32toh(edges[i].rank_first);
		count = le32toh(edges[i].rank_count);
		if (!is_child(&edges[i]))
			continue;
		r = check_child_ranks(cfg, edges, i);
		if (r.status != TALLY_ADMIN_STATUS_OK)
			return r;
		low = first < low ? first : low;
		high = first + count > high ? first + count : high;
		sum += count;
	}
	if (!sum) /* a node without children must have ranks */
		return REFUSE(BAD_FIELD, tally_group_cfg, rank_mask);
	if (high - low != sum) /* gap */
		return REFUSE(BAD_FIELD, tally_group_cfg, rank_first);
	if ((le32toh(cfg->flags) & TALLY_GROUP_F_ROOT) && sum != total)
		return REFUSE(BAD_FIELD, tally_group_cfg, total_ranks);
	return OK;
}

/* Check an edge that does not lead to a child. */
static struct engine_result check_other(const struct tally_group_edge *ge, uint32_t i)
{
	if (le16toh(ge->remote_index) >= TALLY_MAX_CONTRIBUTORS)
		return group_edge_error(i, offsetof(typeof(*ge), remote_index));
	if (ge->subtree_first)
		return group_edge_error(i, offsetof(typeof(*ge), subtree_first));
	if (ge->subtree_count)
		return group_edge_error(i, offsetof(typeof(*ge), subtree_count));
	if (ge->rank_first)
		return group_edge_error(i, offsetof(typeof(*ge), rank_first));
	if (ge->rank_count)
		return group_edge_error(i, offsetof(typeof(*ge), rank_count));
	return OK;
}

/* Check that fields of EXCHANGE and RING are zero. */
static struct engine_result check_unused(const struct tally_group_edge *ge, uint32_t i)
{
	if (ge->round)
		return group_edge_error(i, offsetof(typeof(*ge), round));
	if (ge->position)
		return group_edge_error(i, offsetof(typeof(*ge), position));
	if (ge->roles)
		return group_edge_error(i, offsetof(typeof(*ge), roles));
	if (ge->part_first)
		return group_edge_error(i, offsetof(typeof(*ge), part_first));
	if (ge->part_count)
		return group_edge_error(i, offsetof(typeof(*ge), part_count));
	return OK;
}

/*
 * A subtree lies within the group, and contains neither this node nor a node of an earlier subtree.
 */
static struct engine_result check_subtree(const struct tally_group_cfg *cfg,
					  const struct tally_group_edge *edges, uint32_t i)
{
	uint32_t first = le16toh(edges[i].subtree_first), count = le16toh(edges[i].subtree_count);
	uint32_t node = le16toh(cfg->node), nodes = le16toh(cfg->num_nodes), k;

	if (first >= nodes)
		return group_edge_error(i, offsetof(struct tally_group_edge, subtree_first));
	if (!count || first + count > nodes || (node >= first && node < first + count))
		return group_edge_error(i, offsetof(struct tally_group_edge, subtree_count));
	for (k = 0; k < i; k++) {
		uint32_t f = le16toh(edges[k].subtree_first);

		if (first < f + le16toh(edges[k].subtree_count) && f < first + count)
			return group_edge_error(i, offsetof(struct tally_group_edge, subtree_first));
	}
	return OK;
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
		uint16_t roles = le16toh(edges[i].roles);

		parents += !!is_parent(&edges[i]);
		if (parents > 1 || (roles & both) == both)
			return group_edge_error(i, offsetof(struct tally_group_edge, roles));
		if (le16toh(edges[i].remote_index) == TALLY_CONTRIB_PARENT && (roles & ~child))
			return group_edge_error(i, offsetof(struct tally_group_edge, roles));
		if (le16toh(edges[i].remote_index) > TALLY_CONTRIB_PARENT)
			return group_edge_error(i, offsetof(struct tally_group_edge, remote_index));
	}
	return OK;
}

/* Check the edge of a parent without an index, which is the last one. */
static struct engine_result check_last(const struct tally_group_edge *ge, uint32_t i)
{
	if (le16toh(ge->remote_index) >= TALLY_MAX_CONTRIBUTORS)
		return group_edge_error(i, offsetof(typeof(*ge), remote_index));
	return check_unused(ge, i);
}

struct engine_result group_check_tree(const struct tally_group_cfg *cfg,
				      const struct tally_group_edge *edges, uint32_t num_edges)
{
	uint32_t num = cfg_contributors(cfg, edges, num_edges), i;
	bool alone = cfg_modes(cfg) == TALLY_MODES_TREE;
	struct engine_result r = OK;

	for (i = 0; i < num && r.status == TALLY_ADMIN_STATUS_OK; i++)
		r = is_child(&edges[i]) ? check_subtree(cfg, edges, i) : check_other(&edges[i], i);
	for (i = 0; alone && i < num && r.status == TALLY_ADMIN_STATUS_OK; i++)
		r = check_unused(&edges[i], i);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_roles(cfg, edges, num);
	if (r.status == TALLY_ADMIN_STATUS_OK && num < num_edges)
		r = check_last(&edges[num], num);
	return r.status == TALLY_ADMIN_STATUS_OK ? check_ranks(cfg, edges, num) : r;
}

void group_fill_tree(struct group *g, const struct tally_group_edge *edges, uint32_t num)
{
	uint32_t i;

	g->subtree_first = g->rank_first;
	g->subtree_ranks = __builtin_popcountll(g->rank_mask);
	for (i = 0; i < num; i++) {
		struct edge *ed = &g->edges[i];

		if (is_parent(&edges[i]))
			g->parent = i;
		if (!is_child(&edges[i]))
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
