// SPDX-License-Identifier: BSD-2-Clause
/* Fills in a group from its configuration, which the firmware has checked. */
#include "engine/group_cfg.h"
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/group_peers.h"
#include "engine/group_tree.h"
#include "engine/multicast.h"
#include "engine/pool.h"
#include "firmware/cfg.h"

#include <endian.h>
#include <string.h>

/* Sort the edges by what they are for, in any mode. */
static void fill_masks(struct group *g)
{
	uint64_t all = g->num_contributors < 64 ? (1ULL << g->num_contributors) - 1 : ~0ULL;

	g->contributors = g->children | g->exchange_ins;
	if (g->left != NO_EDGE)
		g->contributors |= 1ULL << g->left;
	g->peers = all & ~g->contributors;
}

static void fill_edges(struct group *g, const struct tally_group_cfg *cfg,
		       const struct tally_group_edge *edges, uint32_t num)
{
	uint32_t i;

	g->num_contributors = cfg_contributors(cfg, edges, num);
	g->parent = g->num_contributors < num ? EDGE_PARENT : NO_EDGE;
	g->upstream = g->left = g->right = NO_EDGE;
	for (i = 0; i < num; i++) {
		struct edge *ed = &g->edges[i < g->num_contributors ? i : EDGE_PARENT];

		memcpy(ed->addr.gid, edges[i].gid, sizeof(ed->addr.gid));
		memcpy(ed->addr.mac, edges[i].mac, sizeof(ed->addr.mac));
		ed->remote_index = le16toh(edges[i].remote_index);
	}
	if (g->modes != TALLY_MODES_TREE)
		group_fill_peers(g, edges, g->num_contributors);
	if (group_has(g, TALLY_MODES_TREE))
		group_fill_tree(g, edges, g->num_contributors);
	fill_masks(g);
}

static void fill_choice(struct group *g, const struct tally_group_cfg *cfg)
{
	unsigned int i;

	for (i = 0; i < NUM_CHOICES; i++)
		g->choice[i] = (struct choice){
			.small = cfg->choice_small[i],
			.middle = cfg->choice_middle[i],
			.large = cfg->choice_large[i],
			.small_log = cfg->choice_small_log[i],
			.middle_log = cfg->choice_middle_log[i],
		};
}

/*
 * The Ethernet address of an IPv6 multicast group has the last bytes of its IPv6 address (RFC
 * 2464).
 */
static void fill_multicast(struct engine *e, struct group *g, const struct tally_group_cfg *cfg)
{
	multicast_begin(e, g);
	g->slots_next = g->fw_at = g->fence_at = NEVER;
	memcpy(g->mcast.gid, cfg->mcast_gid, sizeof(g->mcast.gid));
	g->mcast.mac[0] = g->mcast.mac[1] = 0x33;
	memcpy(g->mcast.mac + 2, cfg->mcast_gid + 12, 4);
	memcpy(g->source_gid, cfg->source_gid, sizeof(g->source_gid));
}

/*
 * Limit the back-off to an eighth of the time limit, and to an equal share of the time that all
 * retransmissions may take.
 */
static void fill_backoff(struct group *g)
{
	uint64_t part = TALLY_MAX_RETRY_MS * MS / g->retry_limit;

	g->max_backoff = part < g->timeout / 8 ? part : g->timeout / 8;
}

static void fill_divisors(struct group *g)
{
	g->by_nodes = divisor_of(g->num_nodes);
	g->by_ranks = divisor_of(g->total_ranks);
	g->by_segs = divisor_of(g->max_segs);
}

static void fill_context(struct engine *e, struct group *g, const struct tally_group_cfg *cfg)
{
	edge_release_all(g);
	g->jid = le32toh(cfg->jid);
	g->epoch = le32toh(cfg->epoch);
	g->flags = le32toh(cfg->flags);
	g->mtu = le32toh(cfg->mtu);
	g->num_segs = le16toh(cfg->num_segs);
	g->max_segs = cfg->max_segs ? le16toh(cfg->max_segs) : g->num_segs;
	g->chunk = le32toh(cfg->chunk);
	g->node = le16toh(cfg->node);
	g->num_nodes = le16toh(cfg->num_nodes);
	g->level = cfg->level;
	g->mode = cfg->mode;
	g->modes = cfg_modes(cfg);
	fill_choice(g, cfg);
	g->plan = le32toh(cfg->plan);
	g->rounds = cfg->rounds;
	g->rank_mask = le64toh(cfg->rank_mask);
	g->attached = le64toh(cfg->owner_ranks);
	g->timeout = le32toh(cfg->timeout_ms) * MS;
	g->rto = le32toh(cfg->rto_us) * US;
	g->retry_limit = le32toh(cfg->retry_limit);
	fill_backoff(g);
	g->total_ranks = le32toh(cfg->total_ranks);
	g->rank_first = le32toh(cfg->rank_first);
	fill_divisors(g);
	g->msg_cells = le32toh(cfg->msg_cells);
	e->cells_reserved += g->msg_cells;
	g->qps = NONE;
	fill_multicast(e, g, cfg);
	pool_join(e, g);
	pool_begin(e, g);
}

void group_fill(struct engine *e, struct group *g, const struct tally_group_cfg *cfg,
		const struct tally_group_edge *edges, uint32_t num_edges)
{
	fill_context(e, g, cfg);
	fill_edges(g, cfg, edges, num_edges);
	g->num_edges = num_edges;
	e->edges_used += num_edges;
	g->state = num_edges ? TALLY_GROUP_OPENING : TALLY_GROUP_OPEN;
}
