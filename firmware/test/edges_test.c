// SPDX-License-Identifier: BSD-2-Clause
/* Checks of the edges of a group, alone and together. */
#include "firmware/test/described.h"
#include "firmware/test/tests.h"

/* Node 1 of a tree 0: 1 4, 1: 2 3, 4: 5 6. Its edges are nodes 2, 3 and the parent. */
void ranks_of_a_tree(void)
{
	struct setting s;

	setting_new(&s, TREE_OF_7);
	s.edges[0].rank_count = le32(1);
	expect_refused(&s, OF_GROUP(rank_first), "ranks with a gap");
	setting_new(&s, TREE_OF_7);
	s.cfg.rank_first = le32(8);
	s.edges[1].rank_first = le32(5);
	expect_refused(&s, OF_EDGE(1, rank_first), "ranks twice and a gap");
	setting_new(&s, TREE_OF_7);
	s.edges[1].subtree_count = le16(5);
	expect_refused(&s, OF_EDGE(1, subtree_count), "a long subtree");
	setting_new(&s, TREE_OF_7);
	s.edges[0].subtree_count = le16(2);
	expect_refused(&s, OF_EDGE(1, subtree_first), "subtrees that overlap");
	setting_new(&s, TREE_OF_7);
	s.edges[0].remote_index = le16(2);
	s.edges[0].subtree_first = s.edges[0].subtree_count = 0;
	s.edges[0].rank_first = s.edges[0].rank_count = 0;
	s.edges[1].rank_first = le32(4);
	expect_taken(&s, "a peer in place of a child");
}

/* Node 1 of five: nodes 0 and 2 in round 1, node 4 in round 2. */
void parts_of_an_exchange(void)
{
	struct setting s;

	setting_new(&s, EXCHANGE_OF_5);
	s.edges[1].position = 0;
	expect_refused(&s, OF_EDGE(1, position), "a position twice");
	setting_new(&s, EXCHANGE_OF_5);
	s.edges[1].position = 1;
	expect_taken(&s, "the other position");
	s.edges[1].position = 3;
	expect_refused(&s, OF_EDGE(1, position), "a position behind the last");
	setting_new(&s, EXCHANGE_OF_5);
	s.edges[1].part_count = le32(1);
	expect_refused(&s, OF_EDGE(2, part_first), "a gap between parts");
	setting_new(&s, EXCHANGE_OF_5);
	s.edges[2].part_count = le32(3);
	expect_refused(&s, OF_GROUP(total_ranks), "a part that is too small");
	setting_new(&s, EXCHANGE_OF_5);
	s.edges[0].part_first = le32(5);
	s.edges[1].part_first = le32(4);
	expect_refused(&s, OF_EDGE(1, part_first), "a rank of two parts");
	setting_new(&s, EXCHANGE_OF_5);
	s.edges[1].roles = le16(TALLY_ROLE_IN | TALLY_ROLE_OUT | TALLY_ROLE_EPOCH);
	expect_refused(&s, OF_EDGE(1, roles), "two who tell the epoch");
}

void directions_of_a_ring(void)
{
	struct setting s;

	setting_new(&s, RING_OF_5);
	s.edges[1].roles |= le16(TALLY_ROLE_RING_IN);
	expect_refused(&s, OF_EDGE(1, roles), "a neighbour on both sides");
	setting_new(&s, RING_OF_2);
	s.edges[0].roles = le16(TALLY_ROLE_RING_IN);
	expect_refused(&s, OF_EDGE(0, roles), "no way out to the only neighbour");
	s.edges[0].roles = le16(TALLY_ROLE_RING_OUT);
	expect_refused(&s, OF_GROUP(num_edges), "no way in from the only neighbour");
}

void roots_and_leaves(void)
{
	struct setting s;

	setting_new(&s, TREE_ROOT);
	s.cfg.epoch = 0;
	expect_refused(&s, OF_GROUP(epoch), "a root without epoch");
	setting_new(&s, TREE_LEAF);
	s.cfg.num_edges = 0;
	expect_refused(&s, OF_GROUP(num_edges), "a leaf without edges");
	setting_new(&s, TREE_ROOT);
	s.cfg.num_edges = le16(TALLY_MAX_CONTRIBUTORS + 1);
	expect_refused(&s, OF_GROUP(num_edges), "a root with an edge too many");
	setting_new(&s, TREE_ROOT);
	test_equal("edges that the configuration does not count",
		   group_check(&s.cfg, s.edges, 1, &(struct group_room){ 8, 8, 8 }).bad_offset,
		   OF_GROUP(num_edges));
}

/* A node without ranks is valid if it is SPARSE and forwards data of others. */
void nodes_without_ranks(void)
{
	struct setting s;

	setting_new(&s, TREE_ROOT);
	s.cfg.rank_mask = s.cfg.owner_ranks = 0;
	expect_refused(&s, OF_GROUP(rank_mask), "no rank");
	s.cfg.flags |= le32(TALLY_GROUP_F_SPARSE);
	s.cfg.total_ranks = le32(4);
	s.edges[0].rank_first = 0;
	s.edges[1].rank_first = le32(2);
	expect_taken(&s, "no rank, and SPARSE");
	setting_new(&s, TREE_LEAF);
	s.cfg.rank_mask = s.cfg.owner_ranks = 0;
	s.cfg.flags |= le32(TALLY_GROUP_F_SPARSE);
	expect_refused(&s, OF_GROUP(rank_mask), "nothing at all");
	setting_new(&s, TREE_INNER);
	s.cfg.num_nodes = le16(4);
	s.edges[0].subtree_count = le16(2);
	expect_taken(&s, "two ranks of two nodes");
	s.edges[0].rank_count = le32(1);
	expect_refused(&s, OF_EDGE(0, rank_count), "one rank of two nodes");
	s.cfg.flags |= le32(TALLY_GROUP_F_SPARSE);
	expect_taken(&s, "one rank of two nodes, and SPARSE");
}

/* All nodes must have the same number of ranks, as far as one node can check. */
void uniform_groups(void)
{
	struct setting s;

	setting_new(&s, EXCHANGE_OF_5);
	s.cfg.flags |= le32(TALLY_GROUP_F_UNIFORM);
	expect_taken(&s, "uniform");
	s.cfg.rank_mask = le64(7);
	expect_refused(&s, OF_GROUP(flags), "a rank more than the others");
	setting_new(&s, TREE_LEAF);
	s.cfg.flags |= le32(TALLY_GROUP_F_UNIFORM);
	s.cfg.rank_first = le32(3);
	expect_refused(&s, OF_GROUP(flags), "a wrong first rank");
	s.cfg.rank_first = le32(4);
	s.cfg.total_ranks = le32(7);
	expect_refused(&s, OF_GROUP(flags), "a wrong total");
}
