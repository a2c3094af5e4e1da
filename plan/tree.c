// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * TREE: nodes are numbered depth first, so that every subtree is a range of places. The first node
 * of a leaf is the root of the other nodes there, and the first nodes of the leaves form a tree. If
 * leaves are disregarded, all nodes count as one leaf.
 */
#include "plan/plan_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Limits of a node's children: those in its own leaf, and those that are the first of another leaf.
 */
struct degrees {
	uint32_t local, leaves;
};

struct trees {
	struct plan *plan;
	struct round_parts leaves, all;
	struct tree_pos *tree, *over;	/* tree being built, and the tree of the leaves */
	struct tree_pos *best;
	uint64_t best_ns;
	uint32_t best_depth;
	bool rankless;			/* a tree had nodes without ranks below them */
};

/* Builds a balanced tree of `count` nodes. Parents come before their children. */
static void build_balanced(struct tree_pos *tree, uint32_t count, uint32_t degree)
{
	tree[0] = (struct tree_pos){ .subtree = count };
	for (uint32_t i = 0; i < count; i++) {
		uint32_t left = tree[i].subtree - 1, at = i + 1;
		uint32_t parts = left < degree ? left : degree;

		tree[i].children = parts;
		for (uint32_t k = 0; k < parts; k++) {
			/* The first children get the remainder. */
			uint32_t share = left / parts + (k < left % parts);

			tree[at] = (struct tree_pos){ .parent = i, .slot = k, .subtree = share };
			at += share;
		}
	}
}

/*
 * Builds the tree of each leaf, then places the first node of each leaf as the tree of leaves
 * requires.
 */
static void build(struct trees *t, const struct round_parts *leaves, const struct degrees *d)
{
	build_balanced(t->over, leaves->num, d->leaves);
	for (uint32_t p = 0; p < leaves->num; p++) {
		uint32_t first = leaves->start[p], count = leaves->start[p + 1] - first;

		build_balanced(&t->tree[first], count, d->local);
		for (uint32_t i = first + 1; i < first + count; i++)
			t->tree[i].parent += first;
	}
	for (uint32_t p = 0; p < leaves->num; p++) {
		const struct tree_pos *over = &t->over[p];
		struct tree_pos *head = &t->tree[leaves->start[p]];

		head->subtree = leaves->start[p + over->subtree] - leaves->start[p];
		if (!p)
			continue;
		head->parent = leaves->start[over->parent];
		head->slot = t->tree[head->parent].children++;
	}
}

/*
 * Sets the levels and returns the depth. Above UINT8_MAX the tree is too deep for a level number.
 */
static uint32_t set_levels(struct tree_pos *tree, uint32_t n)
{
	uint32_t depth = 0;

	for (uint32_t i = 1; i < n; i++) {
		uint32_t level = tree[tree[i].parent].level + 1;

		if (level > UINT8_MAX)
			return level;
		tree[i].level = level;
		depth = level > depth ? level : depth;
	}
	return depth;
}

/* Returns whether every subtree has a rank. */
static bool has_ranks(const struct plan_shape *shape, const struct tree_pos *tree, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (shape->rank_first[i] == shape->rank_first[i + tree[i].subtree])
			return false;
	return true;
}

static int try_tree(struct trees *t, const struct round_parts *leaves, const struct degrees *d,
		    bool multicast)
{
	struct plan_shape *shape = t->plan->shape;
	uint32_t n = t->plan->num_nodes, depth;
	struct plan_time time;
	uint64_t ns;
	int err;

	build(t, leaves, d);
	depth = set_levels(t->tree, n);
	if (depth > UINT8_MAX)
		return 0;
	if (!has_ranks(shape, t->tree, n)) {
		t->rankless = true;
		return 0;
	}
	err = plan_tree_estimate(t->plan, t->tree, multicast, &time);
	ns = err ? UINT64_MAX : plan_total(&shape->work, &time);
	/* Of two equally good trees, the flatter one is taken. */
	if (ns < t->best_ns || (ns == t->best_ns && !err && depth < t->best_depth)) {
		struct tree_pos *swap = t->best;

		t->best = t->tree;
		t->tree = swap;
		t->best_ns = ns;
		t->best_depth = depth;
		shape->time = time;
		shape->multicast = multicast;
	}
	return err;
}

/* Returns whether the tree is a chain that is used up and down, which is a ring with a gap. */
static bool is_poor_ring(const struct plan *plan, uint32_t degree)
{
	enum tally_opcode opcode = plan->shape->work.opcode;

	return degree == 1 && plan->num_nodes > 2 && plan_goes_up(opcode) &&
	       plan_goes_down(opcode);
}

static int try_all(struct trees *t, uint32_t degree, bool multicast)
{
	static const uint8_t degrees[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64 };
	int err = 0;

	for (uint32_t i = 0; i < sizeof(degrees) && !err; i++) {
		uint32_t d = degree ? degree : degrees[i];

		if (!degree && is_poor_ring(t->plan, d))
			continue;
		err = try_tree(t, &t->all, &(struct degrees){ d, d }, multicast);
		for (uint32_t k = 0; k < sizeof(degrees) && !err && degrees[k] < d; k++)
			err = try_tree(t, &t->leaves,
				       &(struct degrees){ d - degrees[k], degrees[k] }, multicast);
		if (degree)
			break;
	}
	return err;
}

/*
 * Multicast is for results that go to all nodes. It needs an address, so the caller must ask for
 * it.
 */
static bool may_multicast(const struct plan *plan, const struct plan_request *req)
{
	enum tally_opcode opcode = plan->shape->work.opcode;

	return req->caps & TALLY_CAP_MULTICAST &&
	       (opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_BARRIER ||
		opcode == TALLY_OPCODE_BCAST);
}

static int find_leaves(struct trees *t)
{
	const struct plan_topo *topo = &t->plan->shape->topo;
	uint32_t n = t->plan->num_nodes;

	if (plan_parts_alloc(&t->leaves, n))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (!i || (topo->levels && topo->sw[0][i] != topo->sw[0][i - 1]))
			t->leaves.start[t->leaves.num++] = i;
	t->leaves.start[t->leaves.num] = n;
	return plan_parts_all(&t->all, n);
}

static int begin(struct trees *t)
{
	uint32_t n = t->plan->num_nodes;

	t->tree = calloc(n, sizeof(*t->tree));
	t->over = calloc(n, sizeof(*t->over));
	t->best = calloc(n, sizeof(*t->best));
	return t->tree && t->over && t->best ? find_leaves(t) : -ENOMEM;
}

int plan_tree_make(struct plan *plan, const struct plan_request *req, const struct refusal *to)
{
	struct trees t = { .plan = plan, .best_ns = UINT64_MAX };
	bool asked = req->flags & TALLY_GROUP_F_MULTICAST;
	int err = begin(&t);

	if (!err && !asked)
		err = try_all(&t, req->degree, false);
	if (!err && (asked || may_multicast(plan, req)))
		err = try_all(&t, req->degree, true);
	free(t.tree);
	free(t.over);
	free(t.leaves.start);
	free(t.all.start);
	plan->shape->tree = t.best;
	if (err || t.best_ns != UINT64_MAX)
		return err;
	if (t.rankless)
		return plan_refuse(to, "ranks: too many nodes have none; of those below a node of "
				       "a tree some must have a rank");
	return plan_refuse(to, "degree: %u makes a tree of %u nodes deeper than %u levels",
			   req->degree, plan->num_nodes, UINT8_MAX);
}

void plan_tree_free(struct plan *plan)
{
	free(plan->shape->tree);
	plan->shape->tree = NULL;
}

void plan_tree_node(const struct plan *plan, uint16_t place, struct plan_node *node)
{
	const struct plan_shape *shape = plan->shape;
	const struct tree_pos *pos = &shape->tree[place];
	uint32_t c = place + 1;

	node->level = pos->level;
	node->num_edges = pos->children + (place ? 1 : 0);
	for (uint32_t i = 0; i < pos->children; i++, c += shape->tree[c].subtree)
		node->edge[i] = (struct plan_edge){
			.node = c,
			.remote_index = TALLY_CONTRIB_PARENT,
			.subtree_first = c,
			.subtree_count = shape->tree[c].subtree,
			.rank_first = shape->rank_first[c],
			.rank_count = shape->rank_first[c + shape->tree[c].subtree] -
				      shape->rank_first[c],
		};
	if (place)
		node->edge[pos->children] = (struct plan_edge){
			.node = pos->parent,
			.remote_index = pos->slot,
		};
	if (plan->flags & TALLY_GROUP_F_ORDERED)
		node->msg_cells = node->ranks + pos->children;
}
