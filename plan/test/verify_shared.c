// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Verifies a plan for all operations: the union of the edges of its modes, and its table. */
#include "verify_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define EXCHANGE_ROLES (TALLY_ROLE_IN | TALLY_ROLE_OUT)
#define RING_ROLES (TALLY_ROLE_RING_IN | TALLY_ROLE_RING_OUT)
#define TREE_ROLES (TALLY_ROLE_CHILD | TALLY_ROLE_PARENT)
#define SLOT_BYTES (2 * TALLY_MAX_MTU)

static bool has(const struct plan *plan, enum tally_mode mode)
{
	return plan->modes >> (mode - 1) & 1;
}

static uint16_t roles_of(const struct plan *plan)
{
	uint16_t roles = 0;

	roles |= has(plan, TALLY_MODE_TREE) ? TREE_ROLES : TALLY_ROLE_EPOCH;
	roles |= has(plan, TALLY_MODE_EXCHANGE) ? EXCHANGE_ROLES : 0;
	return roles | (has(plan, TALLY_MODE_RING) ? RING_ROLES : 0);
}

/* Returns the roles that the other end of an edge must have. */
static uint16_t mirrored(uint16_t roles)
{
	static const uint16_t pairs[][2] = {
		{ TALLY_ROLE_IN, TALLY_ROLE_OUT },
		{ TALLY_ROLE_RING_IN, TALLY_ROLE_RING_OUT },
		{ TALLY_ROLE_CHILD, TALLY_ROLE_PARENT },
	};
	uint16_t there = 0;

	for (uint32_t i = 0; i < 3; i++) {
		there |= roles & pairs[i][0] ? pairs[i][1] : 0;
		there |= roles & pairs[i][1] ? pairs[i][0] : 0;
	}
	return there;
}

/* A parent without another role is the last edge and no contributor. */
static bool is_mere_parent(const struct plan_node *n, uint32_t i)
{
	return i + 1 == n->num_edges && n->edge[i].roles == TALLY_ROLE_PARENT;
}

static const struct plan_edge *other_end(const struct plan_node *nodes, const struct plan_node *n,
					 uint32_t i)
{
	const struct plan_edge *e = &n->edge[i];
	const struct plan_node *there = &nodes[e->node];
	const struct plan_edge *back;

	MUST(e->node < verify_nodes && e->node != n->node, n);
	if (e->remote_index == TALLY_CONTRIB_PARENT) {
		MUST(e->roles == TALLY_ROLE_CHILD && !is_mere_parent(n, i), n);
		MUST(there->num_edges && is_mere_parent(there, there->num_edges - 1), n);
		back = &there->edge[there->num_edges - 1];
	} else {
		MUST(e->remote_index < there->num_edges, n);
		MUST(!is_mere_parent(there, e->remote_index), n);
		back = &there->edge[e->remote_index];
	}
	MUST(back->node == n->node, n);
	MUST(back->remote_index == (is_mere_parent(n, i) ? TALLY_CONTRIB_PARENT : i), n);
	return back;
}

static void verify_edge(const struct plan *plan, const struct plan_node *nodes,
			const struct plan_node *n, uint32_t i)
{
	const struct plan_edge *e = &n->edge[i], *back = other_end(nodes, n, i);
	bool exchange = e->roles & EXCHANGE_ROLES, child = e->roles & TALLY_ROLE_CHILD;
	bool in = e->roles & TALLY_ROLE_IN;

	for (uint32_t k = 0; k < i; k++)
		MUST(n->edge[k].node != e->node, n);
	MUST(!(e->roles & ~roles_of(plan)) && e->roles & ~TALLY_ROLE_EPOCH, n);
	MUST((back->roles & ~TALLY_ROLE_EPOCH) == mirrored(e->roles), n);
	MUST(e->round == back->round, n);
	MUST(exchange ? e->round >= 1 && e->round <= plan->rounds : !e->round, n);
	MUST(in || (!e->position && !e->part_first && !e->part_count), n);
	MUST(child || (!e->subtree_first && !e->subtree_count), n);
	MUST(child || (!e->rank_first && !e->rank_count), n);
}

static const struct plan_edge *only(const struct plan_node *n, uint16_t role)
{
	const struct plan_edge *found = NULL;

	for (uint32_t i = 0; i < n->num_edges; i++) {
		if (!(n->edge[i].roles & role))
			continue;
		MUST(!found, n);
		found = &n->edge[i];
	}
	return found;
}

static void verify_tree(const struct plan *plan, const struct plan_node *nodes,
			const struct plan_node *n, uint32_t *end)
{
	const struct plan_edge *parent = only(n, TALLY_ROLE_PARENT);
	uint32_t at = n->node + 1, children = 0;

	MUST(!parent == !n->node, n);
	MUST(!parent || parent->node < n->node, n);
	/* Children have the order of their places. */
	for (uint32_t i = 0; i < n->num_edges; i++)
		children += !!(n->edge[i].roles & TALLY_ROLE_CHILD);
	MUST(children <= plan->degree, n);
	for (uint32_t found = 0; found < children; found++) {
		const struct plan_edge *e = n->edge;

		while (e < n->edge + n->num_edges &&
		       !(e->roles & TALLY_ROLE_CHILD && e->node == at))
			e++;
		MUST(e < n->edge + n->num_edges, n);
		MUST(e->subtree_first == at && e->subtree_count, n);
		MUST(nodes[at].level == n->level + 1, n);
		verify_ranks(plan, nodes, n, e->rank_first, e->rank_count,
			     (struct range){ at, e->subtree_count });
		at += e->subtree_count;
		MUST(at == end[e->node], n);
	}
	end[n->node] = at;
}

static void verify_ring(const struct plan_node *n)
{
	const struct plan_edge *left = only(n, TALLY_ROLE_RING_IN);
	const struct plan_edge *right = only(n, TALLY_ROLE_RING_OUT);

	if (verify_nodes == 1)
		return;
	MUST(left && (left->node + 1u) % verify_nodes == n->node, n);
	MUST(right && right->node == (n->node + 1u) % verify_nodes, n);
}

static void verify_epoch(const struct plan *plan, const struct plan_node *n)
{
	const struct plan_edge *e = only(n, TALLY_ROLE_EPOCH);

	MUST(!e == (!n->node || has(plan, TALLY_MODE_TREE)), n);
	MUST(!e || (e->roles & (TALLY_ROLE_IN | TALLY_ROLE_RING_IN) && e->node < n->node), n);
}

/*
 * Without cells, the inputs and results of a chunk fit into a slot. In EXCHANGE the inputs of a
 * round are its parts.
 */
static void verify_room(const struct plan *plan, const struct plan_node *n)
{
	bool ordered = plan->flags & TALLY_GROUP_F_ORDERED;
	bool exchange = has(plan, TALLY_MODE_EXCHANGE);
	uint32_t inputs = n->ranks + plan->rounds, results;

	for (uint32_t i = 0; i < n->num_edges; i++)
		inputs += !!(n->edge[i].roles & TALLY_ROLE_IN);
	MUST(!n->msg_cells, n);
	if (!ordered && !exchange) {
		MUST(!plan->chunk, n);
		return;
	}
	MUST(plan->chunk >= 16 && plan->chunk <= plan->mtu, n);
	MUST(!(plan->chunk & (plan->chunk - 1)), n);
	results = exchange && plan->rounds ? plan->rounds + 1 : 2;
	MUST(plan->chunk * (inputs + results) <= SLOT_BYTES, n);
	inputs = n->ranks + n->num_edges - (n->num_edges && is_mere_parent(n, n->num_edges - 1));
	MUST(plan->chunk * (inputs + results) <= SLOT_BYTES, n);
}

static void verify_choice(const struct plan *plan, enum tally_opcode opcode, enum tally_mode mode)
{
	static const uint32_t offered[] = {
		[TALLY_MODE_TREE] = TALLY_OPCODES_TREE,
		[TALLY_MODE_EXCHANGE] = TALLY_OPCODES_EXCHANGE,
		[TALLY_MODE_RING] = TALLY_OPCODES_RING,
	};
	bool possible = !(plan->flags & TALLY_GROUP_F_SPARSE && TALLY_OPCODES_BLOCKS >> opcode & 1);
	uint32_t modes = 0;

	for (uint32_t m = TALLY_MODE_TREE; m <= TALLY_MODE_RING && possible; m++)
		if (has(plan, m) && offered[m] >> opcode & 1)
			modes |= 1u << m;
	assert_true(mode <= TALLY_MODE_RING);
	/* 0 stands for the mode of the group. */
	if (mode)
		assert_true(modes >> mode & 1);
	else
		assert_true(!modes || modes >> plan->mode & 1);
}

static void verify_table(const struct plan *plan)
{
	for (uint32_t i = 0; i < PLAN_NUM_CHOICES; i++) {
		const uint8_t small = plan->choice_small[i], middle = plan->choice_middle[i];

		verify_choice(plan, i + 1, small);
		verify_choice(plan, i + 1, middle);
		verify_choice(plan, i + 1, plan->choice_large[i]);
		/* No column without messages, and no two columns of one mode side by side. */
		assert_true(!plan->choice_small_log[i] == (small == middle));
		assert_true(!plan->choice_middle_log[i] == (middle == plan->choice_large[i]));
		assert_true(!plan->choice_middle_log[i] ||
			    plan->choice_middle_log[i] > plan->choice_small_log[i]);
	}
	assert_true(has(plan, plan->mode));
	assert_true(plan->hash);
	assert_true(plan->num_segs && plan->num_segs <= plan->max_segs);
	assert_true(plan->max_segs <= TALLY_MAX_GROUP_SEGS);
}

/*
 * Gives roles to the edges that have none: those of a group of TREE alone, and that of a parent that
 * is nothing else.
 */
static void add_roles(const struct plan *plan, struct plan_node *n)
{
	bool alone = plan->modes == TALLY_CAP_TREE;

	for (uint32_t k = 0; k < n->num_edges; k++) {
		struct plan_edge *e = &n->edge[k];
		bool last = k + 1 == n->num_edges && n->node && has(plan, TALLY_MODE_TREE);

		MUST(!alone || !e->roles, n);
		if (!e->roles && last)
			e->roles = TALLY_ROLE_PARENT;
		else if (alone)
			e->roles = TALLY_ROLE_CHILD;
		else
			MUST(e->roles != TALLY_ROLE_PARENT, n);
	}
}

void verify_shared(const struct plan *plan, struct plan_node *nodes)
{
	uint32_t *end = calloc(verify_nodes, sizeof(*end));

	assert_non_null(end);
	for (uint32_t i = 0; i < verify_nodes; i++)
		add_roles(plan, &nodes[i]);
	for (uint32_t i = verify_nodes; i-- > 0;) {
		const struct plan_node *n = &nodes[i];
		uint32_t mere = n->num_edges && is_mere_parent(n, n->num_edges - 1);

		MUST(n->num_edges - mere <= TALLY_MAX_CONTRIBUTORS, n);
		for (uint32_t k = 0; k < n->num_edges; k++)
			verify_edge(plan, nodes, n, k);
		if (has(plan, TALLY_MODE_TREE))
			verify_tree(plan, nodes, n, end);
		if (has(plan, TALLY_MODE_RING))
			verify_ring(n);
		verify_epoch(plan, n);
		verify_room(plan, n);
	}
	assert_true(!has(plan, TALLY_MODE_TREE) || end[0] == verify_nodes);
	if (has(plan, TALLY_MODE_EXCHANGE))
		verify_rounds(plan, nodes);
	verify_table(plan);
	free(end);
}
