// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Translation of an error report: its bitmaps are those of the detector, but programs count nodes
 * and ranks.
 */
#include <errno.h>

#include "plan_group.h"
#include "versions.h"

/*
 * Returns the nodes and ranks behind an edge of the detector: a child's subtree, or the neighbour
 * alone.
 */
static struct tallydv_missing_nodes behind(const struct plan *plan, const struct plan_edge *edge)
{
	struct plan_node node;

	if (edge->subtree_count && plan->modes & TALLY_MODES_TREE)
		return (struct tallydv_missing_nodes){
			.first = edge->subtree_first, .count = edge->subtree_count,
			.rank_first = edge->rank_first, .rank_count = edge->rank_count,
		};
	plan_node(plan, edge->node, &node);
	return (struct tallydv_missing_nodes){
		.first = edge->node, .count = 1,
		.rank_first = node.rank_first, .rank_count = node.ranks,
	};
}

int _tallydv_plan_missing(const struct tallydv_plan *dv, uint16_t detector, uint64_t contributors,
			  uint64_t ranks, struct tallydv_missing *to, size_t size)
{
	const struct plan *plan = &tally_group_plan(dv)->plan;
	struct tallydv_missing missing = {};
	uint32_t num_contributors;
	struct plan_node node;

	if (detector >= plan->num_nodes)
		return EINVAL;
	plan_node(plan, detector, &node);
	num_contributors = node.num_edges - tally_plan_has_parent_last(plan, &node);
	missing.parent = num_contributors < node.num_edges ? node.edge[num_contributors].node :
							     detector;
	if ((num_contributors < 64 && contributors >> num_contributors) ||
	    (node.ranks < 64 && ranks >> node.ranks))
		return EINVAL;
	for (uint32_t i = 0; i < num_contributors; i++)
		if (contributors >> i & 1)
			missing.nodes[missing.num_nodes++] = behind(plan, &node.edge[i]);
	for (uint32_t i = 0; i < node.ranks; i++)
		if (ranks >> i & 1)
			missing.ranks[missing.num_ranks++] = node.rank_first + i;
	return tally_copy_out(to, size, &missing, sizeof(missing), sizeof(missing));
}
