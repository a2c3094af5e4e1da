// SPDX-License-Identifier: BSD-2-Clause
/* Descriptions of groups in which each node has two ranks. */
#include "firmware/test/groups.h"
#include "firmware/bytes.h"

struct described {
	struct tally_group_cfg *cfg;
	struct tally_group_edge *edges;
};

static struct tally_group_edge *add_edge(const struct described *d)
{
	unsigned int n = le16(d->cfg->num_edges);
	struct tally_group_edge *edge = &d->edges[n++];

	d->cfg->num_edges = le16(n);
	edge->gid[0] = 0xfe;
	edge->gid[15] = n;
	edge->mac[0] = 0x02;
	edge->mac[5] = n;
	return edge;
}

static void add_child(const struct described *d, uint16_t first_node, uint16_t nodes)
{
	struct tally_group_edge *edge = add_edge(d);

	edge->remote_index = le16(TALLY_CONTRIB_PARENT);
	edge->subtree_first = le16(first_node);
	edge->subtree_count = le16(nodes);
	edge->rank_first = le32(2 * first_node);
	edge->rank_count = le32(2 * nodes);
}

static void add_roles(const struct described *d, uint16_t roles, uint8_t round,
		      uint32_t part_first, uint32_t part_count, uint8_t position)
{
	struct tally_group_edge *edge = add_edge(d);

	edge->roles = le16(roles);
	edge->round = round;
	edge->position = position;
	edge->part_first = le32(part_first);
	edge->part_count = le32(part_count);
}

/* Sets the fields that the nodes of all groups have. */
static void set_cfg(const struct described *d, uint8_t mode, uint16_t node, uint16_t num_nodes)
{
	*d->cfg = (struct tally_group_cfg){
		.jid = le32(0x42),
		.flags = le32(node ? 0 : TALLY_GROUP_F_ROOT),
		.mode = mode,
		.node = le16(node),
		.num_nodes = le16(num_nodes),
		.num_segs = le16(GROUPS_SEGS),
		.timeout_ms = le32(1000),
		.rank_mask = le64(3),
		.epoch = le32(node ? 0 : 1),
		.retry_limit = le32(7),
		.rto_us = le32(1000),
		.mtu = le32(1024),
		.owner_ranks = le64(1),
		.total_ranks = le32(2 * num_nodes),
		.rank_first = le32(2 * node),
	};
}

/* Node 1 of the larger groups. */
static void describe_larger(const struct described *d, enum groups_base base)
{
	const uint16_t both = TALLY_ROLE_IN | TALLY_ROLE_OUT;

	if (base == TREE_OF_7) {
		/* 0: 1 4, 1: 2 3, 4: 5 6 */
		set_cfg(d, TALLY_MODE_TREE, 1, 7);
		add_child(d, 2, 1);
		add_child(d, 3, 1);
		add_edge(d);
	} else if (base == EXCHANGE_OF_5) {
		/* parts {0 1 2} and {3 4}: nodes 0 and 2 in round 1, node 4 in round 2 */
		set_cfg(d, TALLY_MODE_EXCHANGE, 1, 5);
		d->cfg->rounds = 2;
		d->cfg->msg_cells = le32(16);
		add_roles(d, both | TALLY_ROLE_EPOCH, 1, 0, 2, 0);
		add_roles(d, both, 1, 4, 2, 2);
		add_roles(d, both, 2, 6, 4, 1);
	} else {
		set_cfg(d, TALLY_MODE_RING, 1, 5);
		add_roles(d, TALLY_ROLE_RING_IN | TALLY_ROLE_EPOCH, 0, 0, 0, 0);
		add_roles(d, TALLY_ROLE_RING_OUT, 0, 0, 0, 0);
	}
}

static void describe(const struct described *d, enum groups_base base)
{
	const uint16_t both = TALLY_ROLE_IN | TALLY_ROLE_OUT;
	const uint16_t ring = TALLY_ROLE_RING_IN | TALLY_ROLE_RING_OUT;

	switch (base) {
	case TREE_ROOT:
		set_cfg(d, TALLY_MODE_TREE, 0, 3);
		add_child(d, 1, 1);
		add_child(d, 2, 1);
		break;
	case TREE_LEAF:
		set_cfg(d, TALLY_MODE_TREE, 2, 3);
		add_edge(d);
		break;
	case TREE_INNER:
		set_cfg(d, TALLY_MODE_TREE, 1, 3);
		add_child(d, 2, 1);
		add_edge(d);
		break;
	case EXCHANGE:
		/* node 1: first with node 0, then with node 3, which has combined 2 and 3 */
		set_cfg(d, TALLY_MODE_EXCHANGE, 1, 4);
		d->cfg->rounds = 2;
		d->cfg->msg_cells = le32(8);
		add_roles(d, both | TALLY_ROLE_EPOCH, 1, 0, 2, 0);
		add_roles(d, both, 2, 4, 4, 1);
		break;
	case RING:
		set_cfg(d, TALLY_MODE_RING, 1, 3);
		add_roles(d, TALLY_ROLE_RING_IN | TALLY_ROLE_EPOCH, 0, 0, 0, 0);
		add_roles(d, TALLY_ROLE_RING_OUT, 0, 0, 0, 0);
		break;
	case RING_OF_2:
		set_cfg(d, TALLY_MODE_RING, 0, 2);
		add_roles(d, ring, 0, 0, 0, 0);
		break;
	default:
		describe_larger(d, base);
	}
}

void groups_describe(struct tally_group_cfg *cfg, struct tally_group_edge *edges,
		     enum groups_base base)
{
	const struct described d = { cfg, edges };
	unsigned int i;

	for (i = 0; i < GROUPS_MAX_EDGES; i++)
		edges[i] = (struct tally_group_edge){ 0 };
	describe(&d, base);
}

void groups_change(struct tally_group_cfg *cfg, struct tally_group_edge *edges,
		   const struct groups_change *change)
{
	uint8_t *field = (uint8_t *)cfg + change->offset;
	unsigned int i;

	groups_describe(cfg, edges, change->base);
	if (change->offset >= sizeof(*cfg))
		field = (uint8_t *)edges + change->offset - sizeof(*cfg);
	for (i = 0; i < change->size; i++)
		field[i] = i < sizeof(change->value) ? (uint8_t)(change->value >> 8 * i) : 0;
}
