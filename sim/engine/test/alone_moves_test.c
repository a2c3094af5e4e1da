// SPDX-License-Identifier: BSD-2-Clause
/*
 * The planners of moves alone: who contributes to a chunk, where the sum goes and who gets the
 * result, at several positions in a group of each mode.
 */
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/route.h"
#include "engine/test/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BLOCK 4 /* elements of a block */
#define ROOT_RANK 1
#define HERE 2 /* the root's bit among the ranks of its node */
#define LEFT 0
#define RIGHT 1

static struct alone a;
static struct slot s;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* Plan the elements [first, first + count) of a message that has one block for each rank. */
static void plan(uint8_t mode, uint8_t opcode, uint16_t root_node, uint32_t first, uint32_t count)
{
	memset(&s, 0, sizeof(s));
	s.mode = mode;
	s.opcode = opcode;
	s.root_node = root_node;
	s.root_rank = ROOT_RANK;
	s.total = a.g->total_ranks * BLOCK;
	s.first = first;
	s.count = count;
	s.elem = 1;
	s.stride = TALLY_MAX_MTU;
	chunk_plan(a.g, &s);
}

/* ---- Operations ---- */

static void kinds_of_operations(void **state)
{
	unsigned int op;

	(void)state;
	for (op = 0; op < 256; op++) {
		bool gather = op == TALLY_OPCODE_GATHER || op == TALLY_OPCODE_ALLGATHER;
		bool scatter = op == TALLY_OPCODE_SCATTER || op == TALLY_OPCODE_REDUCE_SCATTER;

		assert_int_equal(opcode_blocked(op), gather || scatter);
		assert_int_equal(opcode_rooted(op),
				 op == TALLY_OPCODE_REDUCE || op == TALLY_OPCODE_BCAST ||
					 op == TALLY_OPCODE_GATHER || op == TALLY_OPCODE_SCATTER);
		assert_int_equal(opcode_reduces(op), op == TALLY_OPCODE_ALLREDUCE ||
							     op == TALLY_OPCODE_REDUCE ||
							     op == TALLY_OPCODE_REDUCE_SCATTER);
	}
}

static void modes_of_flags(void **state)
{
	(void)state;
	assert_int_equal(mode_of_flags(0), TALLY_MODE_TREE);
	assert_int_equal(mode_of_flags((uint16_t) ~(TALLY_TCH_F_EXCHANGE | TALLY_TCH_F_RING)),
			 TALLY_MODE_TREE);
	assert_int_equal(mode_of_flags(TALLY_TCH_F_EXCHANGE | TALLY_TCH_F_LAST),
			 TALLY_MODE_EXCHANGE);
	assert_int_equal(mode_of_flags(TALLY_TCH_F_RING), TALLY_MODE_RING);
	assert_int_equal(mode_of_flags(TALLY_TCH_F_RING | TALLY_TCH_F_EXCHANGE), 0);
	assert_int_equal(tree_mode.flag, 0);
	assert_int_equal(ring_mode.flag, TALLY_TCH_F_RING);
	assert_int_equal(exchange_mode.flag, TALLY_TCH_F_EXCHANGE);
	assert_ptr_equal(mode_of(TALLY_MODE_TREE), &tree_mode);
	assert_ptr_equal(mode_of(TALLY_MODE_RING), &ring_mode);
	assert_ptr_equal(mode_of(TALLY_MODE_EXCHANGE), &exchange_mode);
	assert_true(tree_mode.narrows);
	assert_false(ring_mode.narrows || exchange_mode.narrows);
}

static uint8_t choose(uint8_t opcode, uint64_t count, uint32_t elem)
{
	return mode_choose(a.g, opcode, count, elem);
}

/* Up to 16 bytes are small, up to 64 are middle. */
static void choice_by_length(void **state)
{
	(void)state;
	a.g->choice[TALLY_OPCODE_SCATTER - 1] =
		(struct choice){ TALLY_MODE_EXCHANGE, TALLY_MODE_RING, TALLY_MODE_TREE, 4, 6 };
	assert_int_equal(choose(TALLY_OPCODE_SCATTER, 0, 4), TALLY_MODE_EXCHANGE);
	assert_int_equal(choose(TALLY_OPCODE_SCATTER, 4, 4), TALLY_MODE_EXCHANGE);
	assert_int_equal(choose(TALLY_OPCODE_SCATTER, 17, 1), TALLY_MODE_RING);
	assert_int_equal(choose(TALLY_OPCODE_SCATTER, 16, 4), TALLY_MODE_RING);
	assert_int_equal(choose(TALLY_OPCODE_SCATTER, 65, 1), TALLY_MODE_TREE);
	assert_int_equal(choose(TALLY_OPCODE_SCATTER, 1ULL << 62, 4), TALLY_MODE_TREE);
	assert_int_equal(choose(TALLY_OPCODE_SCATTER, ~0ULL, 16), TALLY_MODE_TREE);
	assert_int_equal(choose(TALLY_OPCODE_SCATTER, ~0ULL, 0), TALLY_MODE_EXCHANGE);
	a.g->choice[TALLY_OPCODE_SCATTER - 1].middle = TALLY_MODE_EXCHANGE;
	assert_int_equal(choose(TALLY_OPCODE_SCATTER, 16, 4), TALLY_MODE_EXCHANGE);
	a.g->choice[TALLY_OPCODE_SCATTER - 1].small_log = 32; /* 4 GiB */
	assert_int_equal(choose(TALLY_OPCODE_SCATTER, 1u << 30, 4), TALLY_MODE_EXCHANGE);
}

static void choice_of_the_group(void **state)
{
	(void)state;
	a.g->mode = TALLY_MODE_RING;
	assert_int_equal(choose(TALLY_OPCODE_ALLREDUCE, 1, 4), TALLY_MODE_RING);
	a.g->choice[0].large = TALLY_MODE_EXCHANGE;
	assert_int_equal(choose(TALLY_OPCODE_ALLREDUCE, 1, 1), TALLY_MODE_RING);
	assert_int_equal(choose(TALLY_OPCODE_ALLREDUCE, 2, 1), TALLY_MODE_EXCHANGE);
	assert_int_equal(choose(TALLY_OPCODE_REDUCE, 2, 1), TALLY_MODE_RING);
}

static void payloads_of_a_sum(void **state)
{
	(void)state;
	plan(TALLY_MODE_TREE, TALLY_OPCODE_ALLREDUCE, 0, 0, 4);
	s.stride = 16;
	assert_ptr_equal(tree_mode.accumulator(a.e, a.g, &s), s.data);
	assert_ptr_equal(tree_mode.partial(a.e, a.g, &s, 5), s.data);
	assert_ptr_equal(tree_mode.result(a.e, a.g, &s), s.data + 16);
	assert_ptr_equal(ring_mode.accumulator(a.e, a.g, &s), s.data);
	assert_ptr_equal(ring_mode.partial(a.e, a.g, &s, 5), s.data);
	assert_ptr_equal(ring_mode.result(a.e, a.g, &s), s.data + 16);
}

/* ---- Blocks ---- */

static void check_span(struct span sp, uint32_t lo, uint32_t hi, uint32_t base)
{
	assert_int_equal(sp.lo, lo);
	assert_int_equal(sp.hi, hi);
	assert_int_equal(sp.base, base);
}

/* Four ranks have blocks of four elements; the chunk has elements 6 to 10. */
static void parts_of_blocks(void **state)
{
	(void)state;
	plan(TALLY_MODE_TREE, TALLY_OPCODE_GATHER, 0, 6, 5);
	assert_int_equal(chunk_block(a.g, 16), 4);
	check_span(chunk_whole(&s), 6, 11, 0);
	check_span(chunk_blocks(a.g, &s, 0, 4), 6, 11, 0);
	check_span(chunk_blocks(a.g, &s, 1, 1), 6, 8, 4);
	check_span(chunk_blocks(a.g, &s, 1, 2), 6, 11, 4);
	check_span(chunk_blocks(a.g, &s, 2, 2), 8, 11, 8);
	check_span(chunk_blocks(a.g, &s, 2, 1), 8, 11, 8);
	check_span(chunk_blocks(a.g, &s, 0, 1), 6, 6, 0);  /* before the chunk */
	check_span(chunk_blocks(a.g, &s, 3, 1), 6, 6, 12); /* behind it */
	assert_true(chunk_moves(&s, (struct span){ 6, 7, 0 }));
	assert_false(chunk_moves(&s, (struct span){ 6, 6, 0 }));
	s.opcode = TALLY_OPCODE_BARRIER;
	assert_true(chunk_moves(&s, (struct span){ 0, 0, 0 }));
}

/* Ranks 3 and 5 of this node are global ranks 1 and 2. */
static void parts_of_ranks(void **state)
{
	static const struct {
		uint8_t opcode;
		bool gives_own, gets_own;
	} rows[] = {
		{ TALLY_OPCODE_ALLREDUCE, false, false },
		{ TALLY_OPCODE_BCAST, false, false },
		{ TALLY_OPCODE_GATHER, true, false },
		{ TALLY_OPCODE_ALLGATHER, true, false },
		{ TALLY_OPCODE_SCATTER, false, true },
		{ TALLY_OPCODE_REDUCE_SCATTER, false, true },
	};
	unsigned int i;

	(void)state;
	a.g->rank_mask = 1 << 3 | 1 << 5;
	a.g->rank_first = 1;
	assert_int_equal(group_rank_index(a.g, 3), 0);
	assert_int_equal(group_rank_index(a.g, 5), 1);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		s = (struct slot){ .opcode = rows[i].opcode, .total = 16, .first = 7, .count = 3 };
		if (rows[i].gives_own)
			check_span(chunk_given(a.g, &s, 5), 8, 10, 8);
		else
			check_span(chunk_given(a.g, &s, 5), 7, 10, 0);
		if (rows[i].gets_own)
			check_span(chunk_got(a.g, &s, 3), 7, 8, 4);
		else
			check_span(chunk_got(a.g, &s, 3), 7, 10, 0);
		s.first = 8; /* rank 3 has no part of it */
		assert_int_equal(chunk_givers(a.g, &s), rows[i].gives_own ? 1 << 5 : 5 << 3);
		assert_int_equal(chunk_getters(a.g, &s), rows[i].gets_own ? 1 << 5 : 5 << 3);
	}
}

static void index_of_the_last_rank(void **state)
{
	(void)state;
	a.g->rank_mask = ~0ULL;
	assert_int_equal(group_rank_index(a.g, 0), 0);
	assert_int_equal(group_rank_index(a.g, 63), 63);
}

/* A message with nothing in its blocks is complete at once, but not in TREE, whose root says so. */
static void blocks_are_empty(void **state)
{
	(void)state;
	alone_children(&a, 2);
	s = (struct slot){ .mode = TALLY_MODE_RING, .opcode = TALLY_OPCODE_ALLGATHER };
	chunk_plan(a.g, &s);
	assert_true(s.up_complete);
	assert_false(s.down_expected || s.up_ranks || s.deliver || s.up_send);
	assert_int_equal(s.up_edge, NO_EDGE);
	assert_int_equal(s.down_edge, NO_EDGE);
	s = (struct slot){ .mode = TALLY_MODE_EXCHANGE, .opcode = TALLY_OPCODE_BARRIER };
	chunk_plan(a.g, &s);
	assert_false(s.up_complete);
	assert_int_equal(s.up_ranks, 1);
	s = (struct slot){ .mode = TALLY_MODE_TREE, .opcode = TALLY_OPCODE_GATHER };
	chunk_plan(a.g, &s);
	assert_false(s.up_complete || s.down_expected);
	assert_int_equal(s.up_ranks | s.up_contributors, 0);
	assert_int_equal(s.node_mask, 3);
}

/* ---- Masks ---- */

static void masks_must_agree(void **state)
{
	struct wqe w = { .node_mask = 1 };

	(void)state;
	alone_children(&a, 2);
	plan(TALLY_MODE_TREE, TALLY_OPCODE_ALLREDUCE, 0, 0, 4);
	assert_int_equal(s.node_mask, 3);
	assert_false(s.masked);
	assert_true(chunk_narrow(a.g, &s, &w));
	assert_true(s.masked);
	assert_int_equal(s.node_mask, 1);
	assert_true(chunk_narrow(a.g, &s, &w));
	w.node_mask = 5; /* bit 2 is no child */
	assert_true(chunk_narrow(a.g, &s, &w));
	w.node_mask = ~0ULL;
	assert_false(chunk_narrow(a.g, &s, &w));
	assert_int_equal(s.node_mask, 1);
	w.node_mask = 0;
	assert_false(chunk_narrow(a.g, &s, &w));
}

static void who_is_concerned(void **state)
{
	(void)state;
	a.g->rank_mask = 3;
	s = (struct slot){ .empty = 1 };
	assert_true(chunk_concerns(a.g, &s));
	s.empty = 3;
	assert_false(chunk_concerns(a.g, &s));
	s.node_mask = 1ULL << 63;
	assert_true(chunk_concerns(a.g, &s));
}

/* ---- Ways to nodes ---- */

static void ways_to_nodes(void **state)
{
	(void)state;
	alone_children(&a, 3);
	a.g->edges[0].first = 2;
	a.g->edges[0].count = 3;
	a.g->edges[1].first = 5;
	a.g->edges[1].count = 0; /* is no child */
	a.g->edges[2].first = 5;
	a.g->edges[2].count = 1;
	assert_int_equal(group_route(a.g, 0), -1);
	assert_int_equal(group_route(a.g, 1), -1);
	assert_int_equal(group_route(a.g, 2), 0);
	assert_int_equal(group_route(a.g, 4), 0);
	assert_int_equal(group_route(a.g, 5), 2);
	assert_int_equal(group_route(a.g, 6), -1);
	assert_int_equal(group_route(a.g, UINT16_MAX), -1);
	a.g->num_contributors = 2;
	assert_int_equal(group_route(a.g, 5), -1);
}

/* ---- TREE ---- */

static void child(unsigned int idx, unsigned int first, unsigned int count)
{
	struct edge *ed = &a.g->edges[idx];

	ed->first = first;
	ed->count = count;
	ed->rank_first = 2 * first;
	ed->rank_count = 2 * count;
}

/*
 * Take a place in a tree of seven nodes with two ranks each: node 0 has the children 1 and 4, node
 * 1 has 2 and 3, node 4 has 5 and 6.
 */
static void tree(unsigned int node)
{
	unsigned int below = node % 3 == 1 ? 3 : node ? 1 : 7;

	alone_setup(&a);
	a.g->node = node;
	a.g->num_nodes = 7;
	a.g->total_ranks = 14;
	a.g->by_ranks = divisor_of(14);
	a.g->rank_mask = 3;
	a.g->rank_first = a.g->subtree_first = 2 * node;
	a.g->subtree_ranks = 2 * below;
	if (below > 1) {
		alone_children(&a, 2);
		child(0, node + 1, (below - 1) / 2);
		child(1, node + 1 + (below - 1) / 2, (below - 1) / 2);
	}
	if (node)
		alone_parent(&a, EDGE_PARENT);
	else
		a.g->flags |= TALLY_GROUP_F_ROOT;
}

struct moves {
	uint64_t up_ranks, up_contributors;
	bool up_send;
	uint64_t deliver, down_todo;
	bool down_expected, turns;
};

static void check_moves(const struct moves *m)
{
	assert_int_equal(s.up_ranks, m->up_ranks);
	assert_int_equal(s.up_contributors, m->up_contributors);
	assert_int_equal(s.up_send, m->up_send);
	assert_int_equal(s.deliver, m->deliver);
	assert_int_equal(s.down_todo, m->down_todo);
	assert_int_equal(s.down_expected, m->down_expected);
	assert_int_equal(s.turns, m->turns);
}

static void moves_in_a_tree(void **state)
{
	static const struct {
		unsigned int node;
		uint8_t opcode, root;
		struct moves m;
	} rows[] = {
		/* the tree's root */
		{ 0, TALLY_OPCODE_ALLREDUCE, 0, { 3, 3, false, 3, 3, true, true } },
		{ 0, TALLY_OPCODE_BARRIER, 0, { 3, 3, false, 3, 3, true, true } },
		{ 0, TALLY_OPCODE_REDUCE, 0, { 3, 3, false, HERE, 0, true, true } },
		{ 0, TALLY_OPCODE_REDUCE, 3, { 3, 3, false, 0, 1, true, true } },
		{ 0, TALLY_OPCODE_REDUCE, 4, { 3, 3, false, 0, 2, true, true } },
		{ 0, TALLY_OPCODE_BCAST, 0, { HERE, 0, false, 3 - HERE, 3, true, true } },
		{ 0, TALLY_OPCODE_BCAST, 6, { 0, 2, false, 3, 3, true, true } },
		/* a node between */
		{ 1, TALLY_OPCODE_ALLREDUCE, 0, { 3, 3, true, 3, 3, true, false } },
		{ 1, TALLY_OPCODE_BARRIER, 0, { 3, 3, true, 3, 3, true, false } },
		{ 1, TALLY_OPCODE_REDUCE, 1, { 3, 3, true, HERE, 0, true, false } },
		{ 1, TALLY_OPCODE_REDUCE, 2, { 3, 3, true, 0, 1, true, false } },
		{ 1, TALLY_OPCODE_REDUCE, 4, { 3, 3, true, 0, 0, false, false } },
		{ 1, TALLY_OPCODE_BCAST, 1, { HERE, 0, true, 3 - HERE, 3, true, false } },
		{ 1, TALLY_OPCODE_BCAST, 3, { 0, 2, true, 3, 3, true, false } },
		{ 1, TALLY_OPCODE_BCAST, 0, { 0, 0, false, 3, 3, true, false } },
		/* a leaf */
		{ 6, TALLY_OPCODE_ALLREDUCE, 0, { 3, 0, true, 3, 0, true, false } },
		{ 6, TALLY_OPCODE_REDUCE, 6, { 3, 0, true, HERE, 0, true, false } },
		{ 6, TALLY_OPCODE_REDUCE, 5, { 3, 0, true, 0, 0, false, false } },
		{ 6, TALLY_OPCODE_BCAST, 6, { HERE, 0, true, 3 - HERE, 0, true, false } },
		{ 6, TALLY_OPCODE_BCAST, 5, { 0, 0, false, 3, 0, true, false } },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree(rows[i].node);
		plan(TALLY_MODE_TREE, rows[i].opcode, rows[i].root, 0, 4);
		check_moves(&rows[i].m);
		assert_int_equal(s.up_edge, rows[i].node ? EDGE_PARENT : NO_EDGE);
		assert_int_equal(s.down_edge, s.up_edge);
		assert_int_equal(s.node_mask, a.g->children);
		assert_int_equal(s.up_complete, false);
		check_span(tree_mode.across(a.g, &s, 0, TALLY_KIND_REDUCE), 0, 4, 0);
		alone_teardown(&a);
	}
}

/* Node 1 has elements 8 to 15, its children 16 to 23 and 24 to 31. */
static void blocks_in_a_tree(void **state)
{
	static const struct {
		unsigned int node;
		uint32_t first, count;
		struct moves up, down; /* GATHER to node 5, and SCATTER from there */
	} rows[] = {
		{ 1, 0, 8, { 0 }, { 0 } },
		{ 1,
		  7,
		  2,
		  { .up_ranks = 1, .up_contributors = 0, .up_send = true },
		  { .deliver = 1, .down_expected = true } },
		{ 1,
		  12,
		  4,
		  { .up_ranks = 2, .up_contributors = 0, .up_send = true },
		  { .deliver = 2, .down_expected = true } },
		{ 1,
		  15,
		  1,
		  { .up_ranks = 2, .up_contributors = 0, .up_send = true },
		  { .deliver = 2, .down_expected = true } },
		{ 1,
		  16,
		  8,
		  { .up_ranks = 0, .up_contributors = 1, .up_send = true },
		  { .down_todo = 1, .down_expected = true } },
		{ 1,
		  23,
		  2,
		  { .up_ranks = 0, .up_contributors = 3, .up_send = true },
		  { .down_todo = 3, .down_expected = true } },
		{ 1,
		  31,
		  9,
		  { .up_ranks = 0, .up_contributors = 2, .up_send = true },
		  { .down_todo = 2, .down_expected = true } },
		{ 1, 32, 8, { 0 }, { 0 } },
		{ 0, 0, 5, { 3, 0, false, 0, 2, true, true }, { 0, 2, false, 3, 0, true, true } },
		{ 0, 31, 2, { 0, 3, false, 0, 2, true, true }, { 0, 2, false, 0, 3, true, true } },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		tree(rows[i].node);
		plan(TALLY_MODE_TREE, TALLY_OPCODE_GATHER, 5, rows[i].first, rows[i].count);
		check_moves(&rows[i].up);
		plan(TALLY_MODE_TREE, TALLY_OPCODE_SCATTER, 5, rows[i].first, rows[i].count);
		check_moves(&rows[i].down);
		alone_teardown(&a);
	}
}

/* The root of GATHER and SCATTER moves all chunks, which need not have its own block. */
static void blocks_of_the_root(void **state)
{
	static const struct moves gather = { .deliver = HERE, .down_expected = true };
	static const struct moves scatter = { .up_ranks = HERE, .up_send = true };
	static const struct moves to_child = { .down_todo = 1, .down_expected = true };
	static const struct moves from_child = { .up_contributors = 1, .up_send = true };

	(void)state;
	tree(1);
	plan(TALLY_MODE_TREE, TALLY_OPCODE_GATHER, 1, 40, 8);
	check_moves(&gather);
	plan(TALLY_MODE_TREE, TALLY_OPCODE_SCATTER, 1, 40, 8);
	check_moves(&scatter);
	plan(TALLY_MODE_TREE, TALLY_OPCODE_GATHER, 2, 40, 8);
	check_moves(&to_child);
	plan(TALLY_MODE_TREE, TALLY_OPCODE_SCATTER, 2, 40, 8);
	check_moves(&from_child);
	alone_teardown(&a);
}

/* A message without elements, but not of blocks, goes its way all the same. */
static void empty_messages_in_a_tree(void **state)
{
	static const struct moves reduce = { 3, 3, true, HERE, 0, true, false };
	static const struct moves bcast = { HERE, 0, true, 3 - HERE, 3, true, false };

	(void)state;
	tree(1);
	plan(TALLY_MODE_TREE, TALLY_OPCODE_REDUCE, 1, 0, 0);
	check_moves(&reduce);
	plan(TALLY_MODE_TREE, TALLY_OPCODE_BCAST, 1, 0, 0);
	check_moves(&bcast);
	alone_teardown(&a);
}

/* A message of empty blocks moves nothing, at the root either. */
static void empty_blocks_of_the_root(void **state)
{
	static const struct moves none;

	(void)state;
	tree(1);
	a.g->total_ranks = 0; /* makes the length 0 */
	plan(TALLY_MODE_TREE, TALLY_OPCODE_GATHER, 1, 0, 0);
	check_moves(&none);
	plan(TALLY_MODE_TREE, TALLY_OPCODE_SCATTER, 1, 0, 0);
	check_moves(&none);
	alone_teardown(&a);
	tree(0);
	plan(TALLY_MODE_TREE, TALLY_OPCODE_GATHER, 1, 0, 0);
	assert_false(s.turns);
	alone_teardown(&a);
}

static void spans_in_a_tree(void **state)
{
	(void)state;
	tree(1);
	plan(TALLY_MODE_TREE, TALLY_OPCODE_GATHER, 5, 14, 12); /* elements 14 to 25 */
	check_span(tree_mode.across(a.g, &s, 0, TALLY_KIND_REDUCE), 16, 24, 16);
	check_span(tree_mode.across(a.g, &s, 1, TALLY_KIND_REDUCE), 24, 26, 24);
	check_span(tree_mode.across(a.g, &s, EDGE_PARENT, TALLY_KIND_REDUCE), 14, 26, 8);
	check_span(tree_mode.across(a.g, &s, 1, TALLY_KIND_RESULT), 14, 26, 0);
	s.opcode = TALLY_OPCODE_SCATTER;
	check_span(tree_mode.across(a.g, &s, 0, TALLY_KIND_RESULT), 16, 24, 16);
	check_span(tree_mode.across(a.g, &s, 1, TALLY_KIND_REDUCE), 14, 26, 0);
	s.first = 6; /* begins before this subtree */
	check_span(tree_mode.across(a.g, &s, EDGE_PARENT, TALLY_KIND_RESULT), 8, 18, 8);
	alone_teardown(&a);
}

/* ---- RING ---- */

/* Take a place in a ring of nodes with two ranks each. */
static void ring(unsigned int nodes, unsigned int node)
{
	alone_setup(&a);
	a.g->node = node;
	a.g->num_nodes = nodes;
	a.g->by_nodes = divisor_of(nodes);
	a.g->total_ranks = 2 * nodes;
	a.g->by_ranks = divisor_of(2 * nodes);
	a.g->rank_mask = 3;
	a.g->rank_first = 2 * node;
	if (nodes == 1)
		return;
	alone_children(&a, 2);
	a.g->children = 0;
	a.g->left = LEFT;
	a.g->right = nodes == 2 ? LEFT : RIGHT;
}

/* Where the sum begins and becomes the result, and the last node that gets the result. */
struct way {
	unsigned int first, last, stop;
};

static unsigned int steps(unsigned int nodes, unsigned int from, unsigned int to)
{
	return (to + nodes - from) % nodes;
}

/* Check the moves of a chunk at one node. All ranks that take part are `give` and `get`. */
static void check_way(const struct way *w, uint64_t give, uint64_t get)
{
	unsigned int n = a.g->num_nodes, at = a.g->node;
	bool up = steps(n, w->first, at) <= steps(n, w->first, w->last);
	bool down = steps(n, w->last, at) <= steps(n, w->last, w->stop);
	struct moves m = {
		.up_ranks = up ? give : 0,
		.up_contributors = up && at != w->first ? contributor_bit(a.g->left) : 0,
		.up_send = up && at != w->last,
		.deliver = down ? get : 0,
		.down_todo = down && at != w->stop ? contributor_bit(a.g->right) : 0,
		.down_expected = down,
		.turns = up && at == w->last,
	};

	check_moves(&m);
	assert_int_equal(s.up_edge, a.g->right);
	assert_int_equal(s.down_edge, a.g->left);
	check_span(ring_mode.across(a.g, &s, 0, TALLY_KIND_REDUCE), s.first, s.first + s.count, 0);
}

static void once_around_a_ring(void **state)
{
	unsigned int n, at, sid;

	(void)state;
	for (n = 1; n <= 5; n++)
		for (at = 0; at < n; at++)
			for (sid = 0; sid < 3 * n; sid++) {
				unsigned int first = sid % n;
				struct way w = { first, (first + n - 1) % n,
						 (first + 2 * n - 2) % n };

				ring(n, at);
				a.g->flags |= sid & 1 ? TALLY_GROUP_F_UNIFORM : 0;
				s = (struct slot){ .mode = TALLY_MODE_RING,
						   .count = 1,
						   .total = 1,
						   .opcode = TALLY_OPCODE_ALLREDUCE,
						   .sid = sid };
				chunk_plan(a.g, &s);
				check_way(&w, 3, 3);
				s = (struct slot){ .mode = TALLY_MODE_RING,
						   .sid = sid,
						   .opcode = TALLY_OPCODE_BARRIER };
				chunk_plan(a.g, &s);
				check_way(&w, 3, 3);
				alone_teardown(&a);
			}
}

static void roots_in_a_ring(void **state)
{
	unsigned int n, at, root;

	(void)state;
	for (n = 1; n <= 5; n++)
		for (at = 0; at < n; at++)
			for (root = 0; root < n; root++) {
				struct way reduce = { (root + 1) % n, root, root };
				struct way bcast = { root, root, (root + n - 1) % n };
				bool here = root == at;

				ring(n, at);
				plan(TALLY_MODE_RING, TALLY_OPCODE_REDUCE, root, 0, 4);
				check_way(&reduce, 3, here ? HERE : 0);
				plan(TALLY_MODE_RING, TALLY_OPCODE_BCAST, root, 0, 4);
				check_way(&bcast, here ? HERE : 0, here ? 3 - HERE : 3);
				alone_teardown(&a);
			}
}

/* Return the ranks of a node of which a chunk has elements. */
static uint64_t ranks_in(unsigned int node, uint32_t first, uint32_t count)
{
	uint64_t ranks = 0;
	uint32_t i;

	for (i = first; i < first + count; i++)
		if (i / (2 * BLOCK) == node)
			ranks |= 1ULL << i / BLOCK % 2;
	return ranks;
}

/* Chunks of all lengths, everywhere in a message of blocks. */
static void blocks_in_a_ring(unsigned int n, unsigned int at, uint32_t first, uint32_t count)
{
	unsigned int owner = first / (2 * BLOCK), end = (first + count - 1) / (2 * BLOCK);
	struct way gather = { owner, end, (end + n - 1) % n };
	struct way scatter = { (owner + 1) % n, owner, end };

	plan(TALLY_MODE_RING, TALLY_OPCODE_ALLGATHER, 0, first, count);
	check_way(&gather, ranks_in(at, first, count), 3);
	plan(TALLY_MODE_RING, TALLY_OPCODE_REDUCE_SCATTER, 0, first, count);
	check_way(&scatter, 3, ranks_in(at, first, count));
}

static void short_ways_in_a_ring(void **state)
{
	unsigned int n, at;
	uint32_t first, count;

	(void)state;
	for (n = 1; n <= 4; n++)
		for (at = 0; at < n; at++) {
			ring(n, at);
			a.g->flags |= TALLY_GROUP_F_UNIFORM;
			for (first = 0; first < 2 * BLOCK * n; first++)
				for (count = 1; first + count <= 2 * BLOCK * n; count++)
					blocks_in_a_ring(n, at, first, count);
			alone_teardown(&a);
		}
}

/* If nodes have different numbers of ranks, blocks go the way of ALLREDUCE. */
static void long_ways_in_a_ring(void **state)
{
	static const struct way w = { 0, 3, 2 };

	(void)state;
	ring(4, 2);
	plan(TALLY_MODE_RING, TALLY_OPCODE_ALLGATHER, 0, 0, 4);
	check_way(&w, 0, 3);
	plan(TALLY_MODE_RING, TALLY_OPCODE_REDUCE_SCATTER, 0, 16, 4);
	check_way(&w, 3, 1);
	alone_teardown(&a);
}

/* The sum of an ALLGATHER must not overwrite blocks of this node's ranks. */
static void own_blocks_stay(void **state)
{
	uint8_t data[16];
	unsigned int i;

	(void)state;
	ring(4, 1); /* it has the elements 8 to 15 */
	plan(TALLY_MODE_RING, TALLY_OPCODE_ALLGATHER, 0, 4, 8);
	s.elem = 2;
	memset(data, 9, sizeof(data));
	memset(s.data, 1, 32);
	ring_mode.take(a.e, a.g, &s, chunk_whole(&s), data);
	for (i = 0; i < 32; i++)
		assert_int_equal(s.data[i], i < 8 ? 9 : 1);
	assert_true(s.up_filled);
	plan(TALLY_MODE_RING, TALLY_OPCODE_ALLGATHER, 0, 12, 8);
	s.elem = 2;
	memset(s.data, 1, 32);
	ring_mode.take(a.e, a.g, &s, chunk_whole(&s), data);
	for (i = 0; i < 32; i++)
		assert_int_equal(s.data[i], i >= 8 && i < 16 ? 9 : 1);
	alone_teardown(&a);
}

static void other_sums_are_combined(void **state)
{
	uint8_t data[4] = { 1, 2, 3, 4 };

	(void)state;
	ring(4, 1);
	plan(TALLY_MODE_RING, TALLY_OPCODE_ALLREDUCE, 0, 0, 4);
	s.op = TALLY_OP_SUM;
	s.dtype = TALLY_TYPE_UINT8;
	ring_mode.take(a.e, a.g, &s, chunk_whole(&s), data);
	ring_mode.take(a.e, a.g, &s, chunk_whole(&s), data);
	assert_int_equal(s.data[3], 8);
	s.up_waiting = true;
	ring_mode.acked(&s, LEFT);
	assert_false(s.up_waiting);
	s.up_contributors = 5;
	assert_int_equal(ring_mode.missing(a.g, &s), 5);
	alone_teardown(&a);
}

/* ---- EXCHANGE ---- */

/*
 * A node of eight with one rank each: edge 0 is its neighbour in the first round, edge 1 in the
 * second, and edge 2 in the third.
 */
static void exchange(void)
{
	unsigned int i;

	alone_setup(&a);
	alone_children(&a, 3);
	a.g->children = 0;
	a.g->modes = TALLY_MODES_EXCHANGE;
	a.g->exchange_ins = 7;
	a.g->rounds = 3;
	a.g->total_ranks = a.g->num_nodes = 8;
	a.g->by_ranks = divisor_of(8);
	a.g->round[0] = (struct round){ .rank_first = 0, .rank_count = 1 };
	for (i = 0; i < 3; i++) {
		struct edge *ed = &a.g->edges[i];

		a.g->round[i + 1] = (struct round){ .ins = 1 << i,
						    .outs = 1 << i,
						    .parts = 2,
						    .base = 1 + 2 * i,
						    .rank_count = 2 << i };
		ed->round = i + 1;
		ed->position = 1;
		ed->part_first = ed->part_count = 1 << i;
		ed->roles = TALLY_ROLE_IN | TALLY_ROLE_OUT;
	}
}

static void all_rounds_are_planned(void **state)
{
	static const struct moves m = { 1, 7, false, 1, 0, true, false };

	(void)state;
	exchange();
	plan(TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLREDUCE, 0, 0, 4);
	check_moves(&m);
	assert_int_equal(s.up_edge, NO_EDGE);
	assert_int_equal(s.down_edge, NO_EDGE);
	check_span(exchange_mode.across(a.g, &s, 2, TALLY_KIND_REDUCE), 0, 4, 0);
	plan(TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLGATHER, 0, 6, 14); /* ranks 1 to 4 */
	assert_int_equal(s.up_ranks, 0);
	assert_int_equal(s.deliver, 1);
	check_span(exchange_mode.across(a.g, &s, 0, TALLY_KIND_REDUCE), 6, 8, 4);
	check_span(exchange_mode.across(a.g, &s, 1, TALLY_KIND_REDUCE), 8, 16, 8);
	check_span(exchange_mode.across(a.g, &s, 2, TALLY_KIND_REDUCE), 16, 20, 16);
	plan(TALLY_MODE_EXCHANGE, TALLY_OPCODE_REDUCE_SCATTER, 0, 4, 4);
	assert_int_equal(s.up_ranks, 1);
	assert_int_equal(s.deliver, 0);
	alone_teardown(&a);
}

static const uint8_t *partial(unsigned int round)
{
	return exchange_mode.partial(a.e, a.g, &s, round);
}

/* A reduction keeps a partial result of each round, in cells if the slot has no room. */
static void places_of_partial_results(void **state)
{
	(void)state;
	exchange();
	plan(TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLREDUCE, 0, 0, 4);
	s.stride = 16;
	assert_ptr_equal(partial(0), s.data);
	assert_ptr_equal(partial(2), s.data + 32);
	assert_ptr_equal(exchange_mode.result(a.e, a.g, &s), s.data + 48);
	s.spread = true;
	s.stride = 4096;
	s.partial[1] = 5;
	s.partial[2] = 6;
	assert_ptr_equal(partial(0), s.data);
	assert_ptr_equal(partial(1), a.e->cells[5].data);
	assert_ptr_equal(partial(2), a.e->cells[6].data);
	assert_ptr_equal(partial(3), s.data + 4096);
	s.opcode = TALLY_OPCODE_ALLGATHER;
	assert_ptr_equal(partial(0), s.data);
	assert_ptr_equal(partial(2), s.data);
	assert_ptr_equal(exchange_mode.accumulator(a.e, a.g, &s), s.data);
	s.opcode = TALLY_OPCODE_ALLREDUCE;
	s.count = 0;
	assert_ptr_equal(partial(3), s.data);
	alone_teardown(&a);
}

/* Let the blocks of a round arrive. */
static void blocks_of_round(unsigned int round)
{
	s.up_contributors &= ~a.g->round[round].ins;
	exchange_mode.pump(a.e, a.g, &s);
}

static void check_round(unsigned int round, unsigned int sent, uint64_t waiting)
{
	assert_int_equal(s.round, round);
	assert_int_equal(a.sent, sent);
	assert_int_equal(s.out_waiting, waiting);
	assert_int_equal(s.out_todo, 0);
}

/* In each round a node sends what it has, and goes on when the others' parts are here. */
static void rounds_of_an_allgather(void **state)
{
	(void)state;
	exchange();
	plan(TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLGATHER, 0, 0, 32);
	exchange_mode.pump(a.e, a.g, &s);
	check_round(0, 0, 0);
	s.up_ranks = 0;
	exchange_mode.pump(a.e, a.g, &s);
	check_round(1, 1, 1);
	assert_int_equal(a.len, 4);
	assert_int_equal(a.last.round, 1);
	exchange_mode.acked(&s, 0);
	check_round(1, 1, 0);
	assert_true(s.own_given);
	s.up_contributors &= ~4ULL; /* a part of the last round comes early */
	exchange_mode.pump(a.e, a.g, &s);
	check_round(1, 1, 0);
	blocks_of_round(1);
	check_round(2, 2, 2);
	assert_int_equal(a.len, 8);
	assert_false(s.down_have || s.up_complete);
	blocks_of_round(2);
	check_round(3, 3, 6);
	assert_int_equal(a.len, 16);
	assert_true(s.down_have && s.up_complete);
	exchange_mode.pump(a.e, a.g, &s);
	check_round(3, 3, 6);
	alone_teardown(&a);
}

/* A neighbour that may not be sent to yet gets the same part later. */
static void round_waits_for_the_window(void **state)
{
	(void)state;
	exchange();
	plan(TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLGATHER, 0, 0, 32);
	s.up_ranks = 0;
	a.g->edges[0].peer_limit = 0;
	exchange_mode.pump(a.e, a.g, &s);
	assert_int_equal(a.sent, 0);
	assert_int_equal(s.out_todo, 1);
	blocks_of_round(1);
	assert_int_equal(s.out_todo, 1);
	assert_int_equal(s.out_waiting, 2);
	a.g->edges[0].peer_limit = 1;
	exchange_mode.pump(a.e, a.g, &s);
	assert_int_equal(a.sent, 2);
	assert_int_equal(a.len, 4);
	assert_int_equal(s.out_todo, 0);
	assert_int_equal(s.out_waiting, 3);
	alone_teardown(&a);
}

static void what_a_round_misses(void **state)
{
	(void)state;
	exchange();
	plan(TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLREDUCE, 0, 0, 4);
	assert_int_equal(exchange_mode.missing(a.g, &s), 1);
	s.up_contributors = 6;
	assert_int_equal(exchange_mode.missing(a.g, &s), 2);
	s.up_contributors = 4;
	assert_int_equal(exchange_mode.missing(a.g, &s), 4);
	s.up_contributors = 0;
	assert_int_equal(exchange_mode.missing(a.g, &s), 0);
	alone_teardown(&a);
}

/* The average is formed once, of the ranks of all nodes. */
static void average_of_all_ranks(void **state)
{
	(void)state;
	exchange();
	a.g->rounds = 0;
	plan(TALLY_MODE_EXCHANGE, TALLY_OPCODE_ALLREDUCE, 0, 0, 1);
	s.op = TALLY_OP_AVG;
	s.dtype = TALLY_TYPE_INT8;
	s.data[0] = 64;
	s.up_ranks = 0;
	exchange_mode.pump(a.e, a.g, &s);
	assert_int_equal(s.data[0], 8);
	exchange_mode.pump(a.e, a.g, &s);
	assert_int_equal(s.data[0], 8);
	alone_teardown(&a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_of_operations),
		cmocka_unit_test(modes_of_flags),
		TEST(choice_by_length),
		TEST(choice_of_the_group),
		TEST(payloads_of_a_sum),
		TEST(parts_of_blocks),
		TEST(parts_of_ranks),
		TEST(index_of_the_last_rank),
		TEST(blocks_are_empty),
		TEST(masks_must_agree),
		TEST(who_is_concerned),
		TEST(ways_to_nodes),
		cmocka_unit_test(moves_in_a_tree),
		cmocka_unit_test(blocks_in_a_tree),
		cmocka_unit_test(blocks_of_the_root),
		cmocka_unit_test(empty_messages_in_a_tree),
		cmocka_unit_test(empty_blocks_of_the_root),
		cmocka_unit_test(spans_in_a_tree),
		cmocka_unit_test(once_around_a_ring),
		cmocka_unit_test(roots_in_a_ring),
		cmocka_unit_test(short_ways_in_a_ring),
		cmocka_unit_test(long_ways_in_a_ring),
		cmocka_unit_test(own_blocks_stay),
		cmocka_unit_test(other_sums_are_combined),
		cmocka_unit_test(all_rounds_are_planned),
		cmocka_unit_test(places_of_partial_results),
		cmocka_unit_test(rounds_of_an_allgather),
		cmocka_unit_test(round_waits_for_the_window),
		cmocka_unit_test(what_a_round_misses),
		cmocka_unit_test(average_of_all_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
