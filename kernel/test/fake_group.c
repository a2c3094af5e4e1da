// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A correct description of a group. Each node has two ranks. */
#include "fake_group.h"

static struct tally_ureq_edge fake_child(u16 node)
{
	return (struct tally_ureq_edge){
		.gid = { 0xfe, [15] = node },
		.mac = { 0x02, [5] = node },
		.remote_index = TALLY_CONTRIB_PARENT,
		.rank_first = 2 * node,
		.rank_count = 2,
		.subtree_first = node,
		.subtree_count = 1,
	};
}

/**
 * tally_fake_group() - Fill in the description of a group.
 * @group: the description
 */
void tally_fake_group(struct fake_group *group)
{
	unsigned int i;

	group->req = (struct tally_ureq_group){
		.join_key = 1,
		.rank_mask = 0x3,
		.owner_ranks = 0x1,
		.jid = 0x42,
		.flags = TALLY_GROUP_F_ROOT,
		.timeout_ms = 1000,
		.epoch = 1,
		.mtu = 1024,
		.total_ranks = 2 * (1 + FAKE_NUM_EDGES),
		.num_nodes = 1 + FAKE_NUM_EDGES,
		.mode = TALLY_MODE_TREE,
		.edge_size = sizeof(group->edges[0]),
	};
	for (i = 0; i < FAKE_NUM_EDGES; i++)
		group->edges[i] = fake_child(i + 1);
}
