// SPDX-License-Identifier: BSD-2-Clause
#include "hosts/group_config.h"

#include <endian.h>
#include <string.h>

struct group_config_node group_config_node_of(const struct host *h)
{
	struct group_config_node node = { 0 };

	memcpy(node.gid, h->gid, sizeof(node.gid));
	memcpy(node.mac, h->cfg.mac, sizeof(node.mac));
	return node;
}

static struct tally_group_edge make_edge(const struct plan_edge *edge,
					 const struct group_config_node *there)
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
		.part_first = htole32(edge->part_first),
		.part_count = htole32(edge->part_count),
	};

	memcpy(out.gid, there->gid, sizeof(out.gid));
	memcpy(out.mac, there->mac, sizeof(out.mac));
	return out;
}

static uint64_t ranks_of(const struct plan_node *n, const struct group_config_node *node)
{
	if (node->rank_mask || !n->ranks)
		return node->rank_mask;
	return ~0ULL >> (64 - n->ranks);
}

static struct tally_group_cfg make_cfg(const struct plan *plan, const struct plan_node *n,
				       const struct group_config_common *g,
				       const struct group_config_node *node)
{
	return (struct tally_group_cfg){
		.jid = htole32(g->jid),
		.flags = htole32(n->flags),
		.mode = plan->mode,
		.modes = plan->shared ? plan->modes : 0,
		.level = n->level,
		.node = htole16(n->node),
		.num_nodes = htole16(plan->num_nodes),
		.num_edges = htole16(n->num_edges),
		.num_segs = htole16(plan->num_segs),
		.max_segs = htole16(plan->shared ? plan->max_segs : g->max_segs),
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
		.plan = htole32(plan->hash),
		.chunk = htole32(plan->chunk),
	};
}

/* Sets the mode of each operation; a plan of one mode has no table. */
static void set_choices(struct tally_group_cfg *cfg, const struct plan *plan)
{
	memcpy(cfg->choice_small, plan->choice_small, sizeof(cfg->choice_small));
	memcpy(cfg->choice_middle, plan->choice_middle, sizeof(cfg->choice_middle));
	memcpy(cfg->choice_large, plan->choice_large, sizeof(cfg->choice_large));
	memcpy(cfg->choice_small_log, plan->choice_small_log, sizeof(cfg->choice_small_log));
	memcpy(cfg->choice_middle_log, plan->choice_middle_log, sizeof(cfg->choice_middle_log));
}

size_t group_config_make(const struct plan *plan, uint16_t place,
			 const struct group_config_common *g, const struct group_config_node *nodes,
			 struct group_config *config)
{
	struct plan_node n;

	plan_node(plan, place, &n);
	config->cfg = make_cfg(plan, &n, g, &nodes[plan->node[place]]);
	set_choices(&config->cfg, plan);
	if (n.flags & TALLY_GROUP_F_MULTICAST) {
		memcpy(config->cfg.mcast_gid, g->mcast_gid, sizeof(g->mcast_gid));
		memcpy(config->cfg.source_gid, nodes[plan->node[0]].gid, sizeof(nodes->gid));
	}
	for (uint32_t i = 0; i < n.num_edges; i++)
		config->edge[i] = make_edge(&n.edge[i], &nodes[plan->node[n.edge[i].node]]);
	return sizeof(config->cfg) + n.num_edges * sizeof(config->edge[0]);
}
