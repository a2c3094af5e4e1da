// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* tallydv_plan_tree(): every result is a valid tree. */
#include <stdlib.h>

#include "rig.h"

static void bad_input(void **state)
{
	struct tallydv_tree_pos pos;

	(void)state;
	assert_int_equal(tallydv_plan_tree(0, 2, 0, &pos), EINVAL);
	assert_int_equal(tallydv_plan_tree(TALLY_MAX_NODES + 1, 2, 0, &pos), EINVAL);
	assert_int_equal(tallydv_plan_tree(4, 2, 4, &pos), EINVAL);
	assert_int_equal(tallydv_plan_tree(4, 0, 0, &pos), EINVAL);
	assert_int_equal(tallydv_plan_tree(4, TALLY_MAX_CONTRIBUTORS + 1, 0, &pos), EINVAL);
	/* A chain that is deeper than a level number can express. */
	assert_int_equal(tallydv_plan_tree(256, 1, 255, &pos), 0);
	assert_int_equal(tallydv_plan_tree(257, 1, 256, &pos), EINVAL);
	/* No node gets a place in it. */
	assert_int_equal(tallydv_plan_tree(257, 1, 0, &pos), EINVAL);
	assert_int_equal(tallydv_plan_tree(TALLY_MAX_NODES, 1, 255, &pos), EINVAL);
	assert_int_equal(tallydv_plan_tree(4, 2, 0, NULL), EINVAL);
}

static void seven_nodes_of_degree_two(void **state)
{
	struct tallydv_tree_pos pos;

	(void)state;
	assert_int_equal(tallydv_plan_tree(7, 2, 0, &pos), 0);
	assert_int_equal(pos.num_children, 2);
	assert_int_equal(pos.child[0].node, 1);
	assert_int_equal(pos.child[0].count, 3);
	assert_int_equal(pos.child[1].node, 4);
	assert_int_equal(pos.child[1].count, 3);
	assert_int_equal(tallydv_plan_tree(7, 2, 6, &pos), 0);
	assert_int_equal(pos.node, 6);
	assert_int_equal(pos.parent, 4);
	assert_int_equal(pos.index, 1);
	assert_int_equal(pos.level, 2);
	assert_int_equal(pos.num_children, 0);
	assert_int_equal(pos.subtree_count, 1);
}

static void assert_children(const struct tallydv_tree_pos *all, uint32_t node, uint32_t degree)
{
	const struct tallydv_tree_pos *pos = &all[node];
	uint32_t next = node + 1;

	assert_true(pos->num_children <= degree);
	for (uint32_t i = 0; i < pos->num_children; i++) {
		const struct tallydv_tree_pos *child = &all[pos->child[i].node];

		assert_int_equal(pos->child[i].node, next);
		assert_int_equal(child->parent, node);
		assert_int_equal(child->index, i);
		assert_int_equal(child->level, pos->level + 1);
		assert_int_equal(child->subtree_count, pos->child[i].count);
		next += pos->child[i].count;
	}
	assert_int_equal(next, node + pos->subtree_count);
	for (uint32_t i = pos->num_children; i < TALLY_MAX_CONTRIBUTORS; i++)
		assert_int_equal(pos->child[i].count, 0);
}

/* The tree is not deeper than a complete tree of that degree. */
static void assert_balanced(const struct tallydv_tree_pos *all, uint32_t n, uint32_t degree)
{
	uint64_t room = 1, level_size = 1;
	uint32_t depth = 0;

	while (room < n) {
		level_size *= degree;
		room += level_size;
		depth++;
	}
	for (uint32_t i = 0; i < n; i++)
		assert_true(all[i].level <= depth);
}

static void all_small_trees(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 70; n++) {
		struct tallydv_tree_pos *all = calloc(n, sizeof(*all));

		for (uint32_t degree = 1; degree <= TALLY_MAX_CONTRIBUTORS; degree++) {
			for (uint32_t i = 0; i < n; i++)
				assert_int_equal(tallydv_plan_tree(n, degree, i, &all[i]), 0);
			assert_int_equal(all[0].level, 0);
			assert_int_equal(all[0].parent, 0);
			assert_int_equal(all[0].subtree_count, n);
			for (uint32_t i = 0; i < n; i++) {
				assert_int_equal(all[i].node, i);
				assert_children(all, i, degree);
			}
			assert_balanced(all, n, degree);
		}
		free(all);
	}
}

static void the_largest_tree(void **state)
{
	struct tallydv_tree_pos pos;

	(void)state;
	assert_int_equal(tallydv_plan_tree(TALLY_MAX_NODES, 2, TALLY_MAX_NODES - 1, &pos), 0);
	assert_int_equal(pos.node, TALLY_MAX_NODES - 1);
	assert_int_equal(pos.num_children, 0);
	assert_true(pos.level <= 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_input),
		cmocka_unit_test(seven_nodes_of_degree_two),
		cmocka_unit_test(all_small_trees),
		cmocka_unit_test(the_largest_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
