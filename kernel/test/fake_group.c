// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Descriptions of groups that are right. Each node has two ranks, except in the tree in a row. */
#include <asm/unaligned.h>

#include "fake_group.h"

static struct tally_group_edge *add_edge(struct fake_group *group)
{
	struct tally_group_edge *edge = &group->edges[group->num++];

	memset(edge, 0, sizeof(*edge));
	edge->gid[0] = 0xfe;
	edge->gid[15] = group->num;
	edge->mac[0] = 0x02;
	edge->mac[5] = group->num;
	return edge;
}

static void add_child(struct fake_group *group, u16 first_node, u16 nodes)
{
	struct tally_group_edge *edge = add_edge(group);

	edge->remote_index = cpu_to_le16(TALLY_CONTRIB_PARENT);
	edge->subtree_first = cpu_to_le16(first_node);
	edge->subtree_count = cpu_to_le16(nodes);
	edge->rank_first = cpu_to_le32(2 * first_node);
	edge->rank_count = cpu_to_le32(2 * nodes);
}

static void add_roles(struct fake_group *group, u16 roles, u8 round, u32 rank_first,
		      u32 rank_count, u8 position)
{
	struct tally_group_edge *edge = add_edge(group);

	edge->roles = cpu_to_le16(roles);
	edge->round = round;
	edge->position = position;
	edge->rank_first = cpu_to_le32(rank_first);
	edge->rank_count = cpu_to_le32(rank_count);
}

/* What nodes of all groups have in common. */
static void set_req(struct fake_group *group, u8 mode, u16 node, u16 num_nodes)
{
	group->req = (struct tally_ureq_group){
		.join_key = 1,
		.rank_mask = 0x3,
		.owner_ranks = 0x1,
		.jid = 0x42,
		.flags = node ? 0 : TALLY_GROUP_F_ROOT,
		.timeout_ms = 1000,
		.epoch = node ? 0 : 1,
		.mtu = 1024,
		.total_ranks = 2 * num_nodes,
		.rank_first = 2 * node,
		.node = node,
		.num_nodes = num_nodes,
		.mode = mode,
	};
}

/**
 * tally_fake_group() - Describe a group.
 * @group: the description
 * @base: which one
 */
void tally_fake_group(struct fake_group *group, enum fake_base base)
{
	memset(group, 0, sizeof(*group));
	switch (base) {
	case TREE_ROOT:
		set_req(group, TALLY_MODE_TREE, 0, 3);
		add_child(group, 1, 1);
		add_child(group, 2, 1);
		break;
	case TREE_LEAF:
		set_req(group, TALLY_MODE_TREE, 2, 3);
		add_edge(group);
		break;
	case TREE_INNER:
		set_req(group, TALLY_MODE_TREE, 1, 3);
		add_child(group, 2, 1);
		add_edge(group);
		break;
	case EXCHANGE:
		/* Node 1: with node 0 first, then with node 3, which has combined 2 and 3. */
		set_req(group, TALLY_MODE_EXCHANGE, 1, 4);
		group->req.rounds = 2;
		group->req.msg_cells = 8;
		add_roles(group, TALLY_ROLE_IN | TALLY_ROLE_OUT | TALLY_ROLE_EPOCH, 1, 0, 2, 0);
		add_roles(group, TALLY_ROLE_IN | TALLY_ROLE_OUT, 2, 4, 4, 1);
		break;
	case RING:
		set_req(group, TALLY_MODE_RING, 1, 3);
		add_roles(group, TALLY_ROLE_IN | TALLY_ROLE_EPOCH, 0, 0, 0, 0);
		add_roles(group, TALLY_ROLE_OUT, 0, 0, 0, 0);
		break;
	default:
		set_req(group, TALLY_MODE_RING, 0, 2);
		add_roles(group, TALLY_ROLE_IN | TALLY_ROLE_OUT, 0, 0, 0, 0);
	}
}

/* Fields of a group are in the machine's byte order, those of an edge little-endian. */
static void put(void *field, size_t size, u64 value, bool little_endian)
{
	switch (size) {
	case 1:
		*(u8 *)field = value;
		break;
	case 2:
		*(u16 *)field = little_endian ? (__force u16)cpu_to_le16(value) : value;
		break;
	case 4:
		*(u32 *)field = little_endian ? (__force u32)cpu_to_le32(value) : value;
		break;
	case 8:
		*(u64 *)field = little_endian ? (__force u64)cpu_to_le64(value) : value;
		break;
	default:	/* an address, or reserved bytes */
		memset(field, 0, size);
		*(u8 *)field = value;
	}
}

/**
 * tally_fake_change() - Describe a group with a change.
 * @group: the description
 * @change: what is changed in which one
 */
void tally_fake_change(struct fake_group *group, const struct fake_change *change)
{
	u8 *base = change->edge == OF_GROUP ? (u8 *)&group->req :
					      (u8 *)&group->edges[change->edge];

	tally_fake_group(group, change->base);
	put(base + change->offset, change->size, change->value, change->edge != OF_GROUP);
}
