// SPDX-License-Identifier: BSD-2-Clause
/* Configuration of a group: checks every field. */
#include "firmware/group_check.h"
#include "firmware/cfg.h"
#include "firmware/edges_check.h"

#define FLAGS                                                                                      \
	(TALLY_GROUP_F_ROOT | TALLY_GROUP_F_ORDERED | TALLY_GROUP_F_SPARSE |                       \
	 TALLY_GROUP_F_UNIFORM | TALLY_GROUP_F_SHARED)

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
	uint64_t ranks = cfg_ranks(cfg);

	return ranks && ranks * le16(cfg->num_nodes) == le32(cfg->total_ranks) &&
	       ranks * le16(cfg->node) == le32(cfg->rank_first);
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
			return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, choice_small[i]);
		if (!is_choice(cfg, cfg->choice_middle[i], i + 1))
			return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, choice_middle[i]);
		if (!is_choice(cfg, cfg->choice_large[i], i + 1))
			return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, choice_large[i]);
		if (cfg->choice_small_log[i] > TALLY_MAX_CHOICE_LOG)
			return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, choice_small_log[i]);
		if (cfg->choice_middle_log[i] > TALLY_MAX_CHOICE_LOG)
			return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, choice_middle_log[i]);
	}
	return ENGINE_OK;
}

static struct engine_result check_mode(const struct tally_group_cfg *cfg)
{
	uint32_t flags = le32(cfg->flags), nodes = le16(cfg->num_nodes);
	uint8_t modes = cfg_modes(cfg);
	bool alone = modes == TALLY_MODES_TREE, tree = modes & TALLY_MODES_TREE;
	bool exchange = modes & TALLY_MODES_EXCHANGE;

	if (!mode_bit(cfg->mode))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, mode);
	if ((modes & ~MODES) || !(modes & mode_bit(cfg->mode)))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, modes);
	if (flags & ~(tree ? FLAGS | TALLY_GROUP_F_MULTICAST : FLAGS))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, flags);
	if (!cfg->rank_mask && !(flags & TALLY_GROUP_F_SPARSE))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, rank_mask);
	if (!alone && ((flags & TALLY_GROUP_F_SPARSE) || cfg_root(cfg) != !cfg->node))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, flags);
	if ((flags & TALLY_GROUP_F_UNIFORM) && !is_uniform(cfg))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, flags);
	if (exchange && nodes > 1 ? !cfg->rounds || cfg->rounds > TALLY_MAX_ROUNDS : cfg->rounds)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, rounds);
	return check_choice(cfg);
}

static struct engine_result check_nodes(const struct tally_group_cfg *cfg)
{
	uint32_t nodes = le16(cfg->num_nodes);

	if (!nodes || nodes > TALLY_MAX_NODES)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, num_nodes);
	if (le16(cfg->node) >= nodes)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, node);
	if (cfg->level >= nodes) /* neighbours would drop a KILL with this level */
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, level);
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

	if (le16(cfg->num_edges) != num_edges || (!root && !num_edges) ||
	    cfg_contributors(cfg, edges, num_edges) > TALLY_MAX_CONTRIBUTORS)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, num_edges);
	/* the root draws the epoch, the other nodes learn it */
	if (!cfg->epoch != !root)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, epoch);
	return ENGINE_OK;
}

static struct engine_result check_multicast(const struct tally_group_cfg *cfg)
{
	bool wanted = le32(cfg->flags) & TALLY_GROUP_F_MULTICAST;

	if (wanted ? cfg->mcast_gid[0] != 0xff : any_byte(cfg->mcast_gid, 16))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, mcast_gid);
	if (wanted ? !any_byte(cfg->source_gid, 16) || cfg->source_gid[0] == 0xff :
		     any_byte(cfg->source_gid, 16))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, source_gid);
	return ENGINE_OK;
}

/* Return the number of inputs of a chunk that give data, in reductions of fixed shape. */
static uint32_t cfg_inputs(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
			   uint32_t num_edges)
{
	uint32_t ranks = cfg_ranks(cfg);
	uint32_t rounds = cfg->rounds, children = 0, left = 0, i;

	if (cfg_modes(cfg) == TALLY_MODES_TREE)
		return ranks + cfg_contributors(cfg, edges, num_edges);
	for (i = 0; i < num_edges; i++) {
		rounds += !!(le16(edges[i].roles) & TALLY_ROLE_IN);
		left += !!(le16(edges[i].roles) & TALLY_ROLE_RING_IN);
		children += !!edges[i].subtree_count;
	}
	children = children > left ? children : left;
	return ranks + (rounds > children ? rounds : children);
}

/* Return the number of places for inputs in a slot; outside of EXCHANGE each edge has one. */
static uint32_t cfg_places(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
			   uint32_t num_edges)
{
	uint32_t inputs = cfg_inputs(cfg, edges, num_edges);
	uint32_t sum = cfg_ranks(cfg) + cfg_contributors(cfg, edges, num_edges);

	return cfg_modes(cfg) == TALLY_MODES_EXCHANGE || inputs > sum ? inputs : sum;
}

/* Whether a reduction in fixed order with chunks of this length fits into a slot, at this node. */
static bool chunk_fits(const struct tally_group_cfg *cfg, uint32_t places)
{
	uint32_t chunk = le32(cfg->chunk);
	uint32_t results = cfg->rounds > 1 ? cfg->rounds + 1 : 2;

	return power_of_two(chunk) && chunk >= PAYLOAD_ALIGN && chunk <= TALLY_MAX_MTU &&
	       chunk * (results + places) <= SLOT_BYTES;
}

/*
 * Inputs are held in the slot, or else in cells, and the oldest chunk must find room for all its
 * inputs.
 */
static struct engine_result check_cells(const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t num_edges,
					const struct group_room *room)
{
	bool fixed = (le32(cfg->flags) & TALLY_GROUP_F_ORDERED) ||
		     (cfg_modes(cfg) & TALLY_MODES_EXCHANGE);
	uint32_t cells = le32(cfg->msg_cells), inputs = cfg_inputs(cfg, edges, num_edges);

	if (cfg->chunk && !(fixed && chunk_fits(cfg, cfg_places(cfg, edges, num_edges))))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, chunk);
	if (cells > TALLY_MAX_GROUP_CELLS || (fixed && !cfg->chunk && cells < inputs))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, msg_cells);
	if (cells > room->cells)
		return ENGINE_REFUSE(NO_RESOURCE, tally_group_cfg, msg_cells);
	return ENGINE_OK;
}

static struct engine_result check_retries(const struct tally_group_cfg *cfg)
{
	uint32_t retries = le32(cfg->retry_limit), rto = le32(cfg->rto_us);

	if (!retries || retries > TALLY_MAX_RETRIES)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, retry_limit);
	if (!rto || rto > TALLY_MAX_RTO_US || retries * rto > TALLY_MAX_RETRY_MS * 1000)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, rto_us);
	return ENGINE_OK;
}

static struct engine_result check_cfg(const struct tally_group_cfg *cfg,
				      const struct group_room *room)
{
	uint32_t n = le16(cfg->num_segs), most = le16(cfg->max_segs);
	uint32_t ms = le32(cfg->timeout_ms), mtu = le32(cfg->mtu);
	uint64_t ranks = le64(cfg->rank_mask);

	if (!cfg->jid)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, jid);
	if (!n || n > TALLY_MAX_GROUP_SEGS)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, num_segs);
	if (n > room->segs)
		return ENGINE_REFUSE(NO_RESOURCE, tally_group_cfg, num_segs);
	if (most && (most < n || most > TALLY_MAX_GROUP_SEGS))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, max_segs);
	if (ms && (ms < TALLY_MIN_TIMEOUT_MS || ms > TALLY_MAX_TIMEOUT_MS))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, timeout_ms);
	if (!power_of_two(mtu) || mtu < 256 || mtu > TALLY_MAX_MTU)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, mtu);
	if (le64(cfg->owner_ranks) & ~ranks)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, owner_ranks);
	if (cfg->rsvd1)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, rsvd1);
	if (any_byte(cfg->__rsvd_98, sizeof(cfg->__rsvd_98)))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, __rsvd_98);
	return ENGINE_OK;
}

static struct engine_result check_all(const struct tally_group_cfg *cfg,
				      const struct tally_group_edge *edges, uint32_t num_edges,
				      const struct group_room *room)
{
	struct engine_result r = check_cfg(cfg, room);

	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_retries(cfg);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_nodes(cfg);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_place(cfg, edges, num_edges);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_multicast(cfg);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_cells(cfg, edges, num_edges, room);
	if (r.status == TALLY_ADMIN_STATUS_OK && num_edges > room->edges)
		return ENGINE_REFUSE(NO_RESOURCE, tally_group_cfg, num_edges);
	return r;
}

struct engine_result group_check(const struct tally_group_cfg *cfg,
				 const struct tally_group_edge *edges, uint32_t num_edges,
				 const struct group_room *room)
{
	struct engine_result r = check_all(cfg, edges, num_edges, room);

	if (r.status == TALLY_ADMIN_STATUS_OK && cfg_modes(cfg) != TALLY_MODES_TREE)
		r = peers_check(cfg, edges, cfg_contributors(cfg, edges, num_edges));
	if (r.status == TALLY_ADMIN_STATUS_OK && (cfg_modes(cfg) & TALLY_MODES_TREE))
		r = tree_check(cfg, edges, num_edges);
	return r;
}
