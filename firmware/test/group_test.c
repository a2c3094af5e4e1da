// SPDX-License-Identifier: BSD-2-Clause
/* Checks of the configuration of a group: single fields, choices, and what the NIC has left. */
#include "firmware/test/described.h"
#include "firmware/test/tests.h"

void groups_taken(void)
{
	struct setting s;
	unsigned int i;

	for (i = 0; i < GROUPS_NUM_BASES; i++) {
		setting_new(&s, i);
		expect_taken(&s, "as it is");
	}
	for (i = 0; i < groups_num_good; i++) {
		groups_change(&s.cfg, s.edges, &groups_good[i]);
		expect_taken(&s, groups_good[i].name);
	}
}

void groups_refused(void)
{
	struct setting s;
	unsigned int i;

	for (i = 0; i < groups_num_bad; i++) {
		groups_change(&s.cfg, s.edges, &groups_bad[i]);
		expect_refused(&s, groups_bad[i].blamed, groups_bad[i].name);
	}
	setting_new(&s, TREE_ROOT);
	s.cfg.__rsvd_98[0] = 1;
	expect_refused(&s, OF_GROUP(__rsvd_98), "the first reserved byte");
	s.cfg.__rsvd_98[0] = 0;
	s.cfg.__rsvd_98[sizeof(s.cfg.__rsvd_98) - 1] = 1;
	expect_refused(&s, OF_GROUP(__rsvd_98), "the last reserved byte");
}

/* Each value alone is within its limit, but both together are not. */
void spans_of_retries(void)
{
	struct setting s;

	setting_new(&s, TREE_ROOT);
	s.cfg.retry_limit = le32(8);
	s.cfg.rto_us = le32(1000000);
	expect_taken(&s, "eight times a second");
	s.cfg.retry_limit = le32(9);
	expect_refused(&s, OF_GROUP(rto_us), "nine times a second");
	s.cfg.retry_limit = le32(TALLY_MAX_RETRIES);
	s.cfg.rto_us = le32(31372);
	expect_taken(&s, "the longest of the most waits");
	s.cfg.rto_us = le32(31373);
	expect_refused(&s, OF_GROUP(rto_us), "a microsecond more");
}

/* What the NIC has left is exactly enough, or one too few of it. */
void room_of_the_nic(void)
{
	struct group_room room = { .segs = GROUPS_SEGS, .cells = 16, .edges = 3 };
	struct setting s;

	setting_new(&s, EXCHANGE_OF_5);
	expect_with(&s, &room, TALLY_ADMIN_STATUS_OK, NOWHERE, "enough of all");
	room.segs--;
	expect_with(&s, &room, TALLY_ADMIN_STATUS_NO_RESOURCE, OF_GROUP(num_segs), "segments");
	room.segs++;
	room.cells--;
	expect_with(&s, &room, TALLY_ADMIN_STATUS_NO_RESOURCE, OF_GROUP(msg_cells), "cells");
	room.cells++;
	room.edges--;
	expect_with(&s, &room, TALLY_ADMIN_STATUS_NO_RESOURCE, OF_GROUP(num_edges), "edges");
}

void multicast_addresses(void)
{
	struct setting s;

	setting_new(&s, TREE_LEAF);
	s.cfg.flags |= le32(TALLY_GROUP_F_MULTICAST);
	s.cfg.mcast_gid[0] = 0xff;
	s.cfg.source_gid[0] = 0xfe;
	expect_taken(&s, "multicast of a leaf");
	s.cfg.mcast_gid[0] = 0xfe;
	expect_refused(&s, OF_GROUP(mcast_gid), "to one station");
	s.cfg.mcast_gid[0] = 0xff;
	s.cfg.source_gid[0] = 0xff;
	expect_refused(&s, OF_GROUP(source_gid), "from many stations");
	s.cfg.source_gid[0] = 0;
	expect_refused(&s, OF_GROUP(source_gid), "from nobody");
	s.cfg.source_gid[15] = 1;
	expect_taken(&s, "an address of which only the last byte is set");
	setting_new(&s, EXCHANGE_OF_5);
	s.cfg.flags |= le32(TALLY_GROUP_F_MULTICAST);
	s.cfg.mcast_gid[0] = 0xff;
	s.cfg.source_gid[0] = 0xfe;
	expect_refused(&s, OF_GROUP(flags), "multicast in EXCHANGE");
	setting_new(&s, TREE_LEAF);
	s.cfg.mcast_gid[15] = 1;
	expect_refused(&s, OF_GROUP(mcast_gid), "an address without multicast");
}

/* EXCHANGE and RING in one group: the neighbours of node 1 of five have roles in both. */
void several_modes(void)
{
	struct setting s;

	setting_new(&s, EXCHANGE_OF_5);
	s.cfg.modes = TALLY_MODES_EXCHANGE | TALLY_MODES_RING;
	s.edges[0].roles |= le16(TALLY_ROLE_RING_IN);
	s.edges[1].roles |= le16(TALLY_ROLE_RING_OUT);
	expect_taken(&s, "two modes");
	s.cfg.mode = TALLY_MODE_TREE;
	expect_refused(&s, OF_GROUP(modes), "a mode that is none of them");
	s.cfg.mode = TALLY_MODE_RING;
	expect_taken(&s, "the other mode");
	s.cfg.modes |= 1u << 7;
	expect_refused(&s, OF_GROUP(modes), "an unknown mode");
	s.cfg.modes = TALLY_MODES_EXCHANGE | TALLY_MODES_RING | TALLY_MODES_TREE;
	expect_refused(&s, OF_EDGE(0, roles), "the tree tells the epoch");
	s.edges[0].roles &= ~le16(TALLY_ROLE_EPOCH);
	s.edges[0].roles |= le16(TALLY_ROLE_PARENT);
	expect_taken(&s, "a parent among the neighbours");
	s.edges[1].roles |= le16(TALLY_ROLE_PARENT);
	expect_refused(&s, OF_EDGE(1, roles), "two parents");
	s.edges[1].roles &= ~le16(TALLY_ROLE_PARENT);
	s.edges[0].roles |= le16(TALLY_ROLE_CHILD);
	s.edges[0].subtree_first = le16(2);
	s.edges[0].subtree_count = le16(1);
	s.edges[0].rank_first = le32(4);
	s.edges[0].rank_count = le32(2);
	expect_refused(&s, OF_EDGE(0, roles), "a parent that is a child");
}

/* A choice names a mode of the group that offers the operation, or none. */
void choices_of_modes(void)
{
	const unsigned int gather = TALLY_OPCODE_GATHER - 1, bcast = TALLY_OPCODE_BCAST - 1;
	struct setting s;

	setting_new(&s, RING_OF_5);
	s.cfg.choice_small[bcast] = TALLY_MODE_RING;
	s.cfg.choice_large[bcast] = TALLY_MODE_RING;
	expect_taken(&s, "a mode that has the operation");
	s.cfg.choice_large[bcast] = TALLY_MODE_TREE;
	expect_refused(&s, OF_GROUP(choice_large[2]), "a mode of other groups");
	s.cfg.choice_large[bcast] = TALLY_MODE_SWITCH;
	expect_refused(&s, OF_GROUP(choice_large[2]), "a mode of no group");
	s.cfg.choice_large[bcast] = 0;
	expect_taken(&s, "no mode");
	s.cfg.choice_small[gather] = TALLY_MODE_RING;
	expect_refused(&s, OF_GROUP(choice_small[6]), "a mode without the operation");
}
