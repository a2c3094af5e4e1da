// SPDX-License-Identifier: BSD-2-Clause
/* Configuration of a group: checks every field, then fills in the group. */
#include "engine/group_cfg.h"
#include "engine/cfg.h"
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/group_peers.h"
#include "engine/group_tree.h"
#include "engine/handshake.h"
#include "engine/multicast.h"
#include "engine/pool.h"

#include <endian.h>
#include <string.h>

#define OK ((struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff })
#define REFUSE(what, type, field)                                                                  \
	((struct engine_result){ TALLY_ADMIN_STATUS_##what, offsetof(struct type, field) })

#define FLAGS                                                                                      \
	(TALLY_GROUP_F_ROOT | TALLY_GROUP_F_ORDERED | TALLY_GROUP_F_SPARSE |                       \
	 TALLY_GROUP_F_UNIFORM)

#define MODES (TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING)

static bool any_byte(const uint8_t *bytes, size_t n)
{
	while (n--)
		if (bytes[n])
			return true;
	return false;
}

/*
 * Whether the configuration is uniform as far as one node can know. The handshake makes sure that
 * all nodes say so.
 */
static bool is_uniform(const struct tally_group_cfg *cfg)
{
	uint64_t ranks = __builtin_popcountll(le64toh(cfg->rank_mask));

	return ranks && ranks * le16toh(cfg->num_nodes) == le32toh(cfg->total_ranks) &&
	       ranks * le16toh(cfg->node) == le32toh(cfg->rank_first);
}

/* Whether messages may have a mode that a choice names; 0 names none. */
static bool is_choice(const struct tally_group_cfg *cfg, uint8_t mode, unsigned int opcode)
{
	return !mode || ((mode_bit(mode) & cfg_modes(cfg)) && opcode_offered(mode, opcode));
}

static struct engine_result check_choice(const struct tally_group_cfg *cfg)
{
	unsigned int i;

	for (i = 0; i < NUM_CHOICES; i++) {
		if (!is_choice(cfg, cfg->choice_small[i], i + 1))
			return REFUSE(BAD_FIELD, tally_group_cfg, choice_small[i]);
		if (!is_choice(cfg, cfg->choice_large[i], i + 1))
			return REFUSE(BAD_FIELD, tally_group_cfg, choice_large[i]);
	}
	return OK;
}

static struct engine_result check_mode(const struct tally_group_cfg *cfg)
{
	uint32_t flags = le32toh(cfg->flags), nodes = le16toh(cfg->num_nodes);
	uint8_t modes = cfg_modes(cfg);
	bool alone = modes == TALLY_MODES_TREE, tree = modes & TALLY_MODES_TREE;
	bool exchange = modes & TALLY_MODES_EXCHANGE;

	if (!mode_bit(cfg->mode))
		return REFUSE(BAD_FIELD, tally_group_cfg, mode);
	if ((modes & ~MODES) || !(modes & mode_bit(cfg->mode)))
		return REFUSE(BAD_FIELD, tally_group_cfg, modes);
	if (flags & ~(tree ? FLAGS | TALLY_GROUP_F_MULTICAST : FLAGS))
		return REFUSE(BAD_FIELD, tally_group_cfg, flags);
	if (!cfg->rank_mask && !(flags & TALLY_GROUP_F_SPARSE))
		return REFUSE(BAD_FIELD, tally_group_cfg, rank_mask);
	if (!alone && ((flags & TALLY_GROUP_F_SPARSE) || cfg_root(cfg) != !cfg->node))
		return REFUSE(BAD_FIELD, tally_group_cfg, flags);
	if ((flags & TALLY_GROUP_F_UNIFORM) && !is_uniform(cfg))
		return REFUSE(BAD_FIELD, tally_group_cfg, flags);
	if (exchange && nodes > 1 ? !cfg->rounds || cfg->rounds > TALLY_MAX_ROUNDS : cfg->rounds)
		return REFUSE(BAD_FIELD, tally_group_cfg, rounds);
	return check_choice(cfg);
}

static struct engine_result check_nodes(const struct tally_group_cfg *cfg)
{
	uint32_t nodes = le16toh(cfg->num_nodes);

	if (!nodes || nodes > TALLY_MAX_NODES)
		return REFUSE(BAD_FIELD, tally_group_cfg, num_nodes);
	if (le16toh(cfg->node) >= nodes)
		return REFUSE(BAD_FIELD, tally_group_cfg, node);
	if (cfg->level >= nodes) /* neighbours would drop a KILL with this level */
		return REFUSE(BAD_FIELD, tally_group_cfg, level);
	return check_mode(cfg);
}

/*
 * Check the fields that depend on whether this node is the root. check_mode() has checked the root
 * flag itself.
 */
static struct engine_result check_place(const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t num_edges)
{
	bool root = cfg_root(cfg);

	if (le16toh(cfg->num_edges) != num_edges || (!root && !num_edges) ||
	    cfg_contributors(cfg, edges, num_edges) > TALLY_MAX_CONTRIBUTORS)
		return REFUSE(BAD_FIELD, tally_group_cfg, num_edges);
	/* the root draws the epoch, the other nodes learn it */
	if (!cfg->epoch != !root)
		return REFUSE(BAD_FIELD, tally_group_cfg, epoch);
	return OK;
}

static bool any_set(const uint8_t gid[16])
{
	static const uint8_t zero[16];

	return memcmp(gid, zero, sizeof(zero));
}

static struct engine_result check_multicast(const struct tally_group_cfg *cfg)
{
	bool wanted = le32toh(cfg->flags) & TALLY_GROUP_F_MULTICAST;

	if (wanted ? cfg->mcast_gid[0] != 0xff : any_set(cfg->mcast_gid))
		return REFUSE(BAD_FIELD, tally_group_cfg, mcast_gid);
	if (wanted ? !any_set(cfg->source_gid) || cfg->source_gid[0] == 0xff :
		     any_set(cfg->source_gid))
		return REFUSE(BAD_FIELD, tally_group_cfg, source_gid);
	return OK;
}

/* Return the number of inputs that a chunk may have in reductions of fixed shape. */
static uint32_t cfg_inputs(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
			   uint32_t num_edges)
{
	uint32_t ranks = __builtin_popcountll(le64toh(cfg->rank_mask));
	uint32_t rounds = cfg->rounds, children = 0, left = 0, i;

	if (cfg_modes(cfg) == TALLY_MODES_TREE)
		return ranks + cfg_contributors(cfg, edges, num_edges);
	for (i = 0; i < num_edges; i++) {
		rounds += !!(le16toh(edges[i].roles) & TALLY_ROLE_IN);
		left += !!(le16toh(edges[i].roles) & TALLY_ROLE_RING_IN);
		children += !!edges[i].subtree_count;
	}
	children = children > left ? children : left;
	return ranks + (rounds > children ? rounds : children);
}

/* Whether a reduction in fixed order with chunks of this length fits into a slot, at this node. */
static bool chunk_fits(const struct tally_group_cfg *cfg, uint32_t inputs)
{
	uint32_t chunk = le32toh(cfg->chunk);
	uint32_t results = cfg->rounds > 1 ? cfg->rounds + 1 : 2;

	return power_of_two(chunk) && chunk >= PAYLOAD_ALIGN && chunk <= TALLY_MAX_MTU &&
	       chunk * (results + inputs) <= SLOT_BYTES;
}

/*
 * Inputs are held in the slot, or else in cells, and the oldest chunk must find room for all its
 * inputs.
 */
static struct engine_result check_cells(const struct engine *e, const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t num_edges)
{
	bool fixed = (le32toh(cfg->flags) & TALLY_GROUP_F_ORDERED) ||
		     (cfg_modes(cfg) & TALLY_MODES_EXCHANGE);
	uint32_t cells = le32toh(cfg->msg_cells), inputs = cfg_inputs(cfg, edges, num_edges);

	if (cfg->chunk && !(fixed && chunk_fits(cfg, inputs)))
		return REFUSE(BAD_FIELD, tally_group_cfg, chunk);
	if (cells > TALLY_MAX_GROUP_CELLS || (fixed && !cfg->chunk && cells < inputs))
		return REFUSE(BAD_FIELD, tally_group_cfg, msg_cells);
	if (cells + e->cells_reserved + e->shared_used > TALLY_RMQ_CELLS)
		return REFUSE(NO_RESOURCE, tally_group_cfg, msg_cells);
	return OK;
}

static struct engine_result check_room(const struct engine *e, uint32_t num_edges)
{
	if (e->edges_used + num_edges > TALLY_MAX_EDGES)
		return REFUSE(NO_RESOURCE, tally_group_cfg, num_edges);
	return OK;
}

static struct engine_result check_retries(const struct tally_group_cfg *cfg)
{
	uint32_t retries = le32toh(cfg->retry_limit), rto = le32toh(cfg->rto_us);

	if (!retries || retries > TALLY_MAX_RETRIES)
		return REFUSE(BAD_FIELD, tally_group_cfg, retry_limit);
	if (!rto || rto > TALLY_MAX_RTO_US || retries * rto > TALLY_MAX_RETRY_MS * 1000)
		return REFUSE(BAD_FIELD, tally_group_cfg, rto_us);
	return OK;
}

static struct engine_result check_cfg(const struct engine *e, const struct tally_group_cfg *cfg)
{
	uint32_t n = le16toh(cfg->num_segs), most = le16toh(cfg->max_segs);
	uint32_t ms = le32toh(cfg->timeout_ms), mtu = le32toh(cfg->mtu);
	uint64_t ranks = le64toh(cfg->rank_mask);

	if (!cfg->jid)
		return REFUSE(BAD_FIELD, tally_group_cfg, jid);
	if (!n || n > TALLY_MAX_GROUP_SEGS)
		return REFUSE(BAD_FIELD, tally_group_cfg, num_segs);
	if (!pool_fits(e, n))
		return REFUSE(NO_RESOURCE, tally_group_cfg, num_segs);
	if (most && (most < n || most > TALLY_MAX_GROUP_SEGS))
		return REFUSE(BAD_FIELD, tally_group_cfg, max_segs);
	if (ms < TALLY_MIN_TIMEOUT_MS || ms > TALLY_MAX_TIMEOUT_MS)
		return REFUSE(BAD_FIELD, tally_group_cfg, timeout_ms);
	if (!power_of_two(mtu) || mtu < 256 || mtu > TALLY_MAX_MTU)
		return REFUSE(BAD_FIELD, tally_group_cfg, mtu);
	if (le64toh(cfg->owner_ranks) & ~ranks)
		return REFUSE(BAD_FIELD, tally_group_cfg, owner_ranks);
	if (cfg->rsvd1)
		return REFUSE(BAD_FIELD, tally_group_cfg, rsvd1);
	if (any_byte(cfg->__rsvd_a0, sizeof(cfg->__rsvd_a0)))
		return REFUSE(BAD_FIELD, tally_group_cfg, __rsvd_a0);
	return OK;
}

/* Sort the edges by what they are for, in any mode. */
static void fill_masks(struct group *g)
{
	uint64_t all = g->num_contributors < 64 ? (1ULL << g->num_contributors) - 1 : ~0ULL;

	g->contributors = g->children | g->exchange_ins;
	if (g->left != NO_EDGE)
		g->contributors |= 1ULL << g->left;
	g->peers = all & ~g->contributors;
}

static void fill_edges(struct engine *e, struct group *g, const struct tally_group_cfg *cfg,
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
		handshake_begin(e, g, ed);
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
		g->choice[i] = (struct choice){ cfg->choice_small[i], cfg->choice_large[i],
						le32toh(cfg->choice_bytes[i]) };
}

/*
 * The Ethernet address of an IPv6 multicast group has the last bytes of its IPv6 address (RFC
 * 2464).
 */
static void fill_multicast(struct engine *e, struct group *g, const struct tally_group_cfg *cfg)
{
	multicast_begin(e, g);
	g->slots_next = NEVER;
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
	g->msg_cells = le32toh(cfg->msg_cells);
	e->cells_reserved += g->msg_cells;
	g->qps = NONE;
	fill_multicast(e, g, cfg);
	pool_join(e, g);
	pool_begin(e, g);
}

struct engine_result group_check(const struct engine *e, const struct tally_group_cfg *cfg,
				 const struct tally_group_edge *edges, uint32_t num_edges)
{
	struct engine_result r = check_cfg(e, cfg);
	uint32_t num;

	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_retries(cfg);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_nodes(cfg);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_place(cfg, edges, num_edges);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_multicast(cfg);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_cells(e, cfg, edges, num_edges);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_room(e, num_edges);
	if (r.status != TALLY_ADMIN_STATUS_OK)
		return r;
	num = cfg_contributors(cfg, edges, num_edges);
	if (cfg_modes(cfg) != TALLY_MODES_TREE)
		r = group_check_peers(cfg, edges, num);
	if (r.status == TALLY_ADMIN_STATUS_OK && (cfg_modes(cfg) & TALLY_MODES_TREE))
		r = group_check_tree(cfg, edges, num_edges);
	return r;
}

void group_fill(struct engine *e, struct group *g, const struct tally_group_cfg *cfg,
		const struct tally_group_edge *edges, uint32_t num_edges)
{
	fill_context(e, g, cfg);
	fill_edges(e, g, cfg, edges, num_edges);
	g->num_edges = num_edges;
	e->edges_used += num_edges;
	g->state = num_edges ? TALLY_GROUP_OPENING : TALLY_GROUP_OPEN;
}
