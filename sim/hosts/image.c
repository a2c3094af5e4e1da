// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/image.h"

#include <endian.h>
#include <string.h>

struct image_node image_node_of(const struct host *h)
{
	struct image_node node = { 0 };

	memcpy(node.gid, h->gid, sizeof(node.gid));
	memcpy(node.mac, h->cfg.mac, sizeof(node.mac));
	return node;
}

static struct tally_group_edge image_edge(const struct plan_edge *edge,
					  const struct image_node *there)
{
	struct tally_group_edge out = {
		.remote_index = htole16(edge->remote_index),
		.subtree_first = htole16(edge->subtree_first),
		.subtree_count = htole16(edge->subtree_count),
		.round = edge->round,
		.position = edge->position,
		.roles = htole16(edge->roles),
		.rank_first = htole32(edge->rank_first),
		.rank_count = htole32(edge->rank_count),
	};

	memcpy(out.gid, there->gid, sizeof(out.gid));
	memcpy(out.mac, there->mac, sizeof(out.mac));
	return out;
}

static uint64_t ranks_of(const struct plan_node *n, const struct image_node *node)
{
	if (node->rank_mask || !n->ranks)
		return node->rank_mask;
	return ~0ULL >> (64 - n->ranks);
}

static struct tally_group_cfg image_cfg(const struct plan *plan, const struct plan_node *n,
					const struct image_group *g, const struct image_node *node)
{
	return (struct tally_group_cfg){
		.jid = htole32(g->jid),
		.flags = htole32(n->flags),
		.mode = plan->mode,
		.level = n->level,
		.node = htole16(n->node),
		.num_nodes = htole16(plan->num_nodes),
		.num_edges = htole16(n->num_edges),
		.seg_base = htole16(node->seg_base),
		.num_segs = htole16(plan->num_segs),
		.timeout_ms = htole32(g->timeout_ms),
		.rank_mask = htole64(ranks_of(n, node)),
		.epoch = htole32(n->flags & TALLY_GROUP_F_ROOT ? g->epoch : 0),
		.retry_limit = htole32(g->retry_limit),
		.rto_us = htole32(g->rto_us),
		.mtu = htole32(plan->mtu),
		.owner_ranks = htole64(ranks_of(n, node)),
		.total_ranks = htole32(plan->total_ranks),
		.rank_first = htole32(n->rank_first),
		.msg_cells = htole32(n->msg_cells > g->msg_cells ? n->msg_cells : g->msg_cells),
		.rounds = plan->rounds,
	};
}

size_t image_make(const struct plan *plan, uint16_t place, const struct image_group *g,
		  const struct image_node *nodes, struct image *image)
{
	struct plan_node n;

	plan_node(plan, place, &n);
	image->cfg = image_cfg(plan, &n, g, &nodes[plan->node[place]]);
	if (n.flags & TALLY_GROUP_F_MULTICAST) {
		memcpy(image->cfg.mcast_gid, g->mcast_gid, sizeof(g->mcast_gid));
		memcpy(image->cfg.source_gid, nodes[plan->node[0]].gid, sizeof(nodes->gid));
	}
	for (uint32_t i = 0; i < n.num_edges; i++)
		image->edge[i] = image_edge(&n.edge[i], &nodes[plan->node[n.edge[i].node]]);
	return sizeof(image->cfg) + n.num_edges * sizeof(image->edge[0]);
}
