// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A balanced tree, numbered depth first. */
#include <errno.h>
#include <string.h>

#include "tallydv.h"
#include "versions.h"

/* Divides the subtree of `root`, which has `count` nodes, among the children of `root`. */
static void divide_subtree(struct tallydv_tree_pos *pos, uint32_t root, uint32_t count,
			   uint32_t degree)
{
	uint32_t left = count - 1, children = left < degree ? left : degree, next = root + 1;

	pos->node = root;
	pos->subtree_count = count;
	pos->num_children = children;
	for (uint32_t i = 0; i < children; i++) {
		/* The first children get the remainder. */
		uint32_t share = left / children + (i < left % children);

		pos->child[i].node = next;
		pos->child[i].count = share;
		next += share;
	}
}

int _tallydv_plan_tree(uint32_t num_nodes, uint32_t degree, uint32_t node,
		       struct tallydv_tree_pos *to, size_t size)
{
	struct tallydv_tree_pos pos = {};

	if (num_nodes < 1 || num_nodes > TALLY_MAX_NODES || node >= num_nodes)
		return EINVAL;
	if (degree < 1 || degree > TALLY_MAX_CONTRIBUTORS)
		return EINVAL;
	/* Only a chain can be too deep: with two children, TALLY_MAX_NODES need 12 levels. */
	if (degree == 1 && num_nodes - 1 > UINT8_MAX)
		return EINVAL;
	divide_subtree(&pos, 0, num_nodes, degree);
	while (pos.node != node) {
		uint32_t i = 0, parent = pos.node;

		while (node >= (uint32_t)pos.child[i].node + pos.child[i].count)
			i++;
		pos.level++;
		pos.parent = parent;
		pos.index = i;
		divide_subtree(&pos, pos.child[i].node, pos.child[i].count, degree);
	}
	/* Entries after num_children belong to an upper level. */
	memset(&pos.child[pos.num_children], 0,
	       (TALLY_MAX_CONTRIBUTORS - pos.num_children) * sizeof(pos.child[0]));
	return tally_copy_out(to, size, &pos, sizeof(pos), sizeof(pos));
}
