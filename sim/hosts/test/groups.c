// SPDX-License-Identifier: BSD-2-Clause
/* Descriptions of groups in which each node has two ranks. */
#include "hosts/test/groups.h"

#include <endian.h>
#include <string.h>

static struct tally_group_edge *add_edge(struct group_config *config)
{
	unsigned int n = le16toh(config->cfg.num_edges);
	struct tally_group_edge *edge = &config->edge[n++];

	config->cfg.num_edges = htole16(n);
	edge->gid[0] = 0xfe;
	edge->gid[15] = n;
	edge->mac[0] = 0x02;
	edge->mac[5] = n;
	return edge;
}

static void add_child(struct group_config *config, uint16_t first_node, uint16_t nodes)
{
	struct tally_group_edge *edge = add_edge(config);

	edge->remote_index = htole16(TALLY_CONTRIB_PARENT);
	edge->subtree_first = htole16(first_node);
	edge->subtree_count = htole16(nodes);
	edge->rank_first = htole32(2 * first_node);
	edge->rank_count = htole32(2 * nodes);
}

static void add_roles(struct group_config *config, uint16_t roles, uint8_t round,
		      uint32_t part_first, uint32_t part_count, uint8_t position)
{
	struct tally_group_edge *edge = add_edge(config);

	edge->roles = htole16(roles);
	edge->round = round;
	edge->position = position;
	edge->part_first = htole32(part_first);
	edge->part_count = htole32(part_count);
}

/* Sets the fields that the nodes of all groups have. */
static void set_cfg(struct group_config *config, uint8_t mode, uint16_t node, uint16_t num_nodes)
{
	config->cfg = (struct tally_group_cfg){
		.jid = htole32(0x42),
		.flags = htole32(node ? 0 : TALLY_GROUP_F_ROOT),
		.mode = mode,
		.node = htole16(node),
		.num_nodes = htole16(num_nodes),
		.num_segs = htole16(GROUPS_SEGS),
		.timeout_ms = htole32(1000),
		.rank_mask = htole64(3),
		.epoch = htole32(node ? 0 : 1),
		.retry_limit = htole32(7),
		.rto_us = htole32(1000),
		.mtu = htole32(1024),
		.owner_ranks = htole64(1),
		.total_ranks = htole32(2 * num_nodes),
		.rank_first = htole32(2 * node),
	};
}

void groups_describe(struct group_config *config, enum groups_base base)
{
	const uint16_t both = TALLY_ROLE_IN | TALLY_ROLE_OUT;
	const uint16_t ring = TALLY_ROLE_RING_IN | TALLY_ROLE_RING_OUT;

	memset(config, 0, sizeof(*config));
	switch (base) {
	case TREE_ROOT:
		set_cfg(config, TALLY_MODE_TREE, 0, 3);
		add_child(config, 1, 1);
		add_child(config, 2, 1);
		break;
	case TREE_LEAF:
		set_cfg(config, TALLY_MODE_TREE, 2, 3);
		add_edge(config);
		break;
	case TREE_INNER:
		set_cfg(config, TALLY_MODE_TREE, 1, 3);
		add_child(config, 2, 1);
		add_edge(config);
		break;
	case EXCHANGE:
		/* node 1: first with node 0, then with node 3, which has combined 2 and 3 */
		set_cfg(config, TALLY_MODE_EXCHANGE, 1, 4);
		config->cfg.rounds = 2;
		config->cfg.msg_cells = htole32(8);
		add_roles(config, both | TALLY_ROLE_EPOCH, 1, 0, 2, 0);
		add_roles(config, both, 2, 4, 4, 1);
		break;
	case RING:
		set_cfg(config, TALLY_MODE_RING, 1, 3);
		add_roles(config, TALLY_ROLE_RING_IN | TALLY_ROLE_EPOCH, 0, 0, 0, 0);
		add_roles(config, TALLY_ROLE_RING_OUT, 0, 0, 0, 0);
		break;
	default:
		set_cfg(config, TALLY_MODE_RING, 0, 2);
		add_roles(config, ring, 0, 0, 0, 0);
	}
}

void groups_change(struct group_config *config, const struct groups_change *change)
{
	uint8_t *field = (uint8_t *)config + change->offset;

	groups_describe(config, change->base);
	for (size_t i = 0; i < change->size; i++)
		field[i] = i < sizeof(change->value) ? (uint8_t)(change->value >> 8 * i) : 0;
}

size_t groups_bytes(const struct group_config *config)
{
	return offsetof(struct group_config, edge) +
	       le16toh(config->cfg.num_edges) * sizeof(config->edge[0]);
}
