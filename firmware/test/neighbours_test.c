// SPDX-License-Identifier: BSD-2-Clause
/* Checks of edges: peers, children in any order, and roles of several modes. */
#include "firmware/test/described.h"
#include "firmware/test/tests.h"

/* A peer has no field of a child. */
void peers_of_a_tree(void)
{
	struct setting s;

	setting_new(&s, TREE_OF_7);
	s.edges[0] = (struct tally_group_edge){ .remote_index = le16(TALLY_CONTRIB_PARENT - 1) };
	s.edges[1].rank_first = le32(4);
	expect_taken(&s, "a peer");
	s.edges[0].subtree_first = le16(1);
	expect_refused(&s, OF_EDGE(0, subtree_first), "a first node of a peer");
	s.edges[0].subtree_first = 0;
	s.edges[0].subtree_count = le16(1);
	expect_refused(&s, OF_EDGE(0, subtree_count), "nodes of a peer");
	s.edges[0].subtree_count = 0;
	s.edges[0].rank_first = le32(1);
	expect_refused(&s, OF_EDGE(0, rank_first), "a first rank of a peer");
	s.edges[0].rank_first = 0;
	s.edges[0].rank_count = le32(1);
	expect_refused(&s, OF_EDGE(0, rank_count), "ranks of a peer");
}

static void swap(struct tally_group_edge *a, struct tally_group_edge *b)
{
	struct tally_group_edge c = *a;

	*a = *b;
	*b = c;
}

/* Nodes and ranks of a subtree may be on either side of this node's, and edges in any order. */
void order_of_children(void)
{
	struct setting s;

	setting_new(&s, TREE_ROOT);
	swap(&s.edges[0], &s.edges[1]);
	expect_taken(&s, "the later child first");
	s.edges[1].subtree_count = le16(2);
	expect_refused(&s, OF_EDGE(1, subtree_first), "a subtree that reaches into the next one");
	setting_new(&s, TREE_INNER);
	s.cfg.node = le16(2);
	s.edges[0].subtree_first = le16(1);
	expect_taken(&s, "a child with a lower node");
	s.cfg.rank_first = le32(4);
	s.edges[0].rank_first = le32(2);
	expect_taken(&s, "a child with lower ranks");
	s.cfg.num_nodes = le16(4);
	s.edges[0].subtree_count = le16(2);
	expect_refused(&s, OF_EDGE(0, subtree_count), "a subtree that ends with this node");
	s.cfg.node = 0;
	expect_taken(&s, "a subtree behind this node");
	s.edges[0].subtree_first = 0;
	expect_refused(&s, OF_EDGE(0, subtree_count), "a subtree that begins with this node");
}

/* Node 1 of a tree and a ring: the parent is the left one, the child the right one. */
static void tree_and_ring(struct setting *s)
{
	setting_new(s, TREE_INNER);
	s->cfg.mode = TALLY_MODE_RING;
	s->cfg.modes = TALLY_MODES_TREE | TALLY_MODES_RING;
	s->edges[0].remote_index = s->edges[1].remote_index = 0;
	s->edges[0].roles = le16(TALLY_ROLE_CHILD | TALLY_ROLE_RING_OUT);
	s->edges[1].roles = le16(TALLY_ROLE_PARENT | TALLY_ROLE_RING_IN);
}

void roles_among_several_modes(void)
{
	struct setting s;

	tree_and_ring(&s);
	expect_taken(&s, "a tree and a ring");
	s.edges[0].remote_index = le16(TALLY_CONTRIB_PARENT);
	expect_refused(&s, OF_EDGE(0, roles), "a child without an index that has another role");
	s.edges[0].remote_index = le16(TALLY_CONTRIB_PARENT + 1);
	expect_refused(&s, OF_EDGE(0, remote_index), "a child with an index behind the parent's");
	tree_and_ring(&s);
	s.edges[1].roles = le16(TALLY_ROLE_RING_IN);
	s.edges[2] = (struct tally_group_edge){ .remote_index = le16(3) };
	s.cfg.num_edges = le16(3);
	expect_taken(&s, "a parent without a role is the last");
	s.edges[2].roles = le16(TALLY_ROLE_RING_IN);
	expect_refused(&s, OF_EDGE(2, roles), "a parent without an index that has a role");
	tree_and_ring(&s);
	s.edges[0].subtree_first = le16(1);
	expect_refused(&s, OF_EDGE(0, subtree_count), "a subtree with this node");
}

/* Node 3 of four, with parts of ranks 4 and 5, then of 0 to 3; a third neighbour only takes. */
static void node_that_gives(struct setting *s)
{
	setting_new(s, EXCHANGE);
	s->cfg.node = le16(3);
	s->cfg.rank_first = le32(6);
	s->edges[0].part_first = le32(4);
	s->edges[1].part_first = 0;
	s->edges[1].position = 0;
	s->edges[2] = (struct tally_group_edge){ .roles = le16(TALLY_ROLE_OUT), .round = 1 };
	s->cfg.num_edges = le16(3);
}

void neighbours_that_only_take(void)
{
	struct setting s;

	node_that_gives(&s);
	expect_taken(&s, "a neighbour that only takes");
	s.edges[0].position = 2;
	expect_refused(&s, OF_EDGE(0, position), "its part has no position");
	node_that_gives(&s);
	s.edges[2].round = 0;
	expect_refused(&s, OF_EDGE(2, round), "it takes in no round");
	node_that_gives(&s);
	s.edges[2].part_count = le32(1);
	expect_refused(&s, OF_EDGE(2, part_count), "ranks of what it does not give");
	node_that_gives(&s);
	s.edges[0].roles = le16(TALLY_ROLE_IN | TALLY_ROLE_EPOCH);
	expect_taken(&s, "a neighbour that only gives");
	s.edges[0].round = 0;
	expect_refused(&s, OF_EDGE(0, round), "it gives in no round");
}

/* The first edge that overlaps is told, not the last one of the round. */
void parts_that_overlap(void)
{
	struct setting s;

	setting_new(&s, EXCHANGE_OF_5);
	s.edges[0].part_first = le32(2);
	expect_refused(&s, OF_EDGE(0, part_first), "this node's ranks");
	setting_new(&s, EXCHANGE_OF_5);
	s.edges[2].round = 1;
	s.edges[2].position = 3;
	expect_taken(&s, "all in one round");
	s.edges[1].part_first = 0;
	expect_refused(&s, OF_EDGE(1, part_first), "ranks of an earlier edge");
	setting_new(&s, EXCHANGE_OF_5);
	swap(&s.edges[0], &s.edges[2]);
	expect_taken(&s, "the second round first");
	s.edges[0].part_first = 0;
	s.edges[0].part_count = le32(2);
	expect_refused(&s, OF_EDGE(0, part_first), "ranks of the round before");
}

void many_neighbours_in_a_ring(void)
{
	struct setting s;

	setting_new(&s, RING_OF_5);
	s.cfg.num_edges = le16(3);
	s.edges[2] = (struct tally_group_edge){ .roles = le16(TALLY_ROLE_RING_OUT) };
	expect_refused(&s, OF_EDGE(2, roles), "two right ones");
	s.edges[2].roles = le16(TALLY_ROLE_RING_IN);
	expect_refused(&s, OF_EDGE(2, roles), "two left ones");
	s.edges[2].roles = 0;
	expect_taken(&s, "a peer");
	s.edges[2].remote_index = le16(TALLY_MAX_CONTRIBUTORS - 1);
	expect_taken(&s, "the last index at a peer");
	s.edges[2].remote_index = le16(TALLY_MAX_CONTRIBUTORS);
	expect_refused(&s, OF_EDGE(2, remote_index), "the index of a parent");
	setting_new(&s, RING_OF_5);
	s.edges[0].roles = le16(TALLY_ROLE_RING_IN | TALLY_ROLE_RING_OUT | TALLY_ROLE_EPOCH);
	s.edges[1].roles = 0;
	expect_refused(&s, OF_EDGE(0, roles), "the same neighbour on both sides");
}
