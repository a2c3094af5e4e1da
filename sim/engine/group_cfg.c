// SPDX-License-Identifier: BSD-2-Clause
/* Configuration of a group: every field is checked, then it is filled in. */
#include "engine/engine_int.h"

#include <endian.h>
#include <string.h>

#define OK ((struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff })
#define REFUSE(what, type, field)                                                                  \
	((struct engine_result){ TALLY_ADMIN_STATUS_##what, offsetof(struct type, field) })

static struct engine_result check_shape(const struct tally_group_cfg *cfg, uint32_t num_edges)
{
	bool root = le32toh(cfg->flags) & TALLY_GROUP_F_ROOT;
	uint32_t nodes = le16toh(cfg->num_nodes);

	if (le32toh(cfg->flags) & ~(TALLY_GROUP_F_ROOT | TALLY_GROUP_F_ORDERED | TALLY_GROUP_F_SPARSE))
		return REFUSE(BAD_FIELD, tally_group_cfg, flags);
	if (cfg->mode != TALLY_MODE_TREE)
		return REFUSE(BAD_FIELD, tally_group_cfg, mode);
	if (!nodes || nodes > TALLY_MAX_NODES)
		return REFUSE(BAD_FIELD, tally_group_cfg, num_nodes);
	if (le16toh(cfg->node) >= nodes)
		return REFUSE(BAD_FIELD, tally_group_cfg, node);
	if (le16toh(cfg->num_edges) != num_edges ||
	    num_edges > TALLY_MAX_CONTRIBUTORS + (root ? 0 : 1) || (!root && !num_edges))
		return REFUSE(BAD_FIELD, tally_group_cfg, num_edges);
	if (!cfg->rank_mask && !(le32toh(cfg->flags) & TALLY_GROUP_F_SPARSE))
		return REFUSE(BAD_FIELD, tally_group_cfg, flags);
	/* the root draws the epoch, the others learn it */
	if (!cfg->epoch != !root)
		return REFUSE(BAD_FIELD, tally_group_cfg, epoch);
	return OK;
}

/* An ordered reduction holds its inputs in cells; each oldest chunk must find room for them all. */
static struct engine_result check_cells(const struct engine *e, const struct tally_group_cfg *cfg,
					uint32_t num_edges)
{
	uint32_t root = !!(le32toh(cfg->flags) & TALLY_GROUP_F_ROOT);
	uint32_t inputs = __builtin_popcountll(le64toh(cfg->rank_mask)) + num_edges - (root ? 0 : 1);
	uint32_t cells = le32toh(cfg->msg_cells);

	if (cells > TALLY_MAX_GROUP_CELLS ||
	    ((le32toh(cfg->flags) & TALLY_GROUP_F_ORDERED) && cells < inputs))
		return REFUSE(BAD_FIELD, tally_group_cfg, msg_cells);
	if (cells + e->cells_reserved + e->shared_used + e->shared_promised > TALLY_RMQ_CELLS)
		return REFUSE(NO_RESOURCE, tally_group_cfg, msg_cells);
	return OK;
}

static struct engine_result check_cfg(const struct engine *e, const struct tally_group_cfg *cfg)
{
	uint32_t base = le16toh(cfg->seg_base), n = le16toh(cfg->num_segs), i;
	uint32_t ms = le32toh(cfg->timeout_ms), mtu = le32toh(cfg->mtu);
	uint64_t ranks = le64toh(cfg->rank_mask);

	if (!cfg->jid)
		return REFUSE(BAD_FIELD, tally_group_cfg, jid);
	if (!power_of_two(n) || n > TALLY_MAX_GROUP_SEGS)
		return REFUSE(BAD_FIELD, tally_group_cfg, num_segs);
	if (base + n > TALLY_MAX_SEG)
		return REFUSE(BAD_FIELD, tally_group_cfg, seg_base);
	for (i = base; i < base + n; i++)
		if (e->slot_owned[i])
			return REFUSE(IN_USE, tally_group_cfg, seg_base);
	if (ms < TALLY_MIN_TIMEOUT_MS || ms > TALLY_MAX_TIMEOUT_MS)
		return REFUSE(BAD_FIELD, tally_group_cfg, timeout_ms);
	if (!power_of_two(mtu) || mtu < 256 || mtu > TALLY_MAX_MTU)
		return REFUSE(BAD_FIELD, tally_group_cfg, mtu);
	if (le64toh(cfg->owner_ranks) & ~ranks)
		return REFUSE(BAD_FIELD, tally_group_cfg, owner_ranks);
	if (!le32toh(cfg->retry_limit) || le32toh(cfg->retry_limit) > 255)
		return REFUSE(BAD_FIELD, tally_group_cfg, retry_limit);
	if (!le32toh(cfg->rto_us) || le32toh(cfg->rto_us) > 1000000)
		return REFUSE(BAD_FIELD, tally_group_cfg, rto_us);
	if (cfg->rsvd0)
		return REFUSE(BAD_FIELD, tally_group_cfg, rsvd0);
	return OK;
}

/* A neighbour outside the tree, which has a contributor index for this node as this has for it. */
static bool is_peer(const struct tally_group_edge *ge)
{
	return le16toh(ge->remote_index) != TALLY_CONTRIB_PARENT;
}

static struct engine_result edge_error(uint32_t i, size_t field)
{
	return (struct engine_result){ TALLY_ADMIN_STATUS_BAD_FIELD,
				       sizeof(struct tally_group_cfg) +
					       i * sizeof(struct tally_group_edge) + field };
}

static bool overlap(uint64_t a, uint64_t num_a, uint64_t b, uint64_t num_b)
{
	return a < b + num_b && b < a + num_a;
}

/* Are ranks of the i-th edge also this node's, or those of an edge before it? */
static bool ranks_taken(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
			uint32_t i)
{
	uint32_t first = le32toh(edges[i].rank_first), count = le32toh(edges[i].rank_count), k;

	if (overlap(first, count, le32toh(cfg->rank_first),
		    __builtin_popcountll(le64toh(cfg->rank_mask))))
		return true;
	for (k = 0; k < i; k++)
		if (overlap(first, count, le32toh(edges[k].rank_first),
			    le32toh(edges[k].rank_count)))
			return true;
	return false;
}

/*
 * Global ranks: this node's and those of every subtree lie within the group, and together they
 * are consecutive.
 */
static struct engine_result check_ranks(const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t contributors)
{
	uint64_t total = le32toh(cfg->total_ranks), sum, low, high, first, count;
	uint32_t i;

	sum = __builtin_popcountll(le64toh(cfg->rank_mask));
	low = le32toh(cfg->rank_first);
	high = low + sum;
	if (!total || total > (uint64_t)TALLY_MAX_NODES * TALLY_MAX_RANKS)
		return REFUSE(BAD_FIELD, tally_group_cfg, total_ranks);
	if (high > total)
		return REFUSE(BAD_FIELD, tally_group_cfg, rank_first);
	for (i = 0; i < contributors; i++) {
		first = le32toh(edges[i].rank_first);
		count = le32toh(edges[i].rank_count);
		if (is_peer(&edges[i]))
			continue;
		if (first + count > total)
			return edge_error(i, offsetof(struct tally_group_edge, rank_first));
		if (!count)
			return edge_error(i, offsetof(struct tally_group_edge, rank_count));
		if (ranks_taken(cfg, edges, i))
			return edge_error(i, offsetof(struct tally_group_edge, rank_first));
		low = first < low ? first : low;
		high = first + count > high ? first + count : high;
		sum += count;
	}
	if (!sum) /* who has nobody below must have something to give */
		return REFUSE(BAD_FIELD, tally_group_cfg, rank_mask);
	if (high - low != sum) /* a gap */
		return REFUSE(BAD_FIELD, tally_group_cfg, rank_first);
	if ((le32toh(cfg->flags) & TALLY_GROUP_F_ROOT) && sum != total)
		return REFUSE(BAD_FIELD, tally_group_cfg, total_ranks);
	return OK;
}

static struct engine_result check_peer(const struct tally_group_edge *ge, uint32_t i)
{
	if (le16toh(ge->remote_index) >= TALLY_MAX_CONTRIBUTORS)
		return edge_error(i, offsetof(typeof(*ge), remote_index));
	if (ge->subtree_first || ge->subtree_count)
		return edge_error(i, offsetof(typeof(*ge), subtree_count));
	if (ge->rank_first || ge->rank_count)
		return edge_error(i, offsetof(typeof(*ge), rank_count));
	return OK;
}

/* A subtree lies within the group, and holds neither this node nor a node of one before it. */
static struct engine_result check_subtree(const struct tally_group_cfg *cfg,
					  const struct tally_group_edge *edges, uint32_t i)
{
	uint32_t first = le16toh(edges[i].subtree_first), count = le16toh(edges[i].subtree_count);
	uint32_t node = le16toh(cfg->node), nodes = le16toh(cfg->num_nodes), k;

	if (first >= nodes)
		return edge_error(i, offsetof(struct tally_group_edge, subtree_first));
	if (!count || first + count > nodes || (node >= first && node < first + count))
		return edge_error(i, offsetof(struct tally_group_edge, subtree_count));
	for (k = 0; k < i; k++) {
		uint32_t f = le16toh(edges[k].subtree_first);

		if (first < f + le16toh(edges[k].subtree_count) && f < first + count)
			return edge_error(i, offsetof(struct tally_group_edge, subtree_first));
	}
	return OK;
}

static struct engine_result check_edges(const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t num)
{
	uint32_t contributors = num - !(le32toh(cfg->flags) & TALLY_GROUP_F_ROOT), i;
	struct engine_result r = OK;

	for (i = 0; i < contributors && r.status == TALLY_ADMIN_STATUS_OK; i++)
		r = is_peer(&edges[i]) ? check_peer(&edges[i], i) : check_subtree(cfg, edges, i);
	if (r.status == TALLY_ADMIN_STATUS_OK && num > contributors &&
	    le16toh(edges[contributors].remote_index) >= TALLY_MAX_CONTRIBUTORS)
		r = edge_error(contributors, offsetof(struct tally_group_edge, remote_index));
	return r;
}

static void fill_edges(struct engine *e, struct group *g, const struct tally_group_edge *edges,
		       uint32_t num)
{
	uint32_t i, contributors = num - !is_root(g);

	g->num_contributors = contributors;
	g->subtree_first = g->rank_first;
	g->subtree_ranks = __builtin_popcountll(g->rank_mask);
	for (i = 0; i < num; i++) {
		struct edge *ed = &g->edges[i < contributors ? i : EDGE_PARENT];

		memcpy(ed->addr.gid, edges[i].gid, sizeof(ed->addr.gid));
		memcpy(ed->addr.mac, edges[i].mac, sizeof(ed->addr.mac));
		ed->remote_index = le16toh(edges[i].remote_index);
		if (i < contributors && is_peer(&edges[i])) {
			g->peers |= 1ULL << i;
		} else if (i < contributors) {
			ed->first = le16toh(edges[i].subtree_first);
			ed->count = le16toh(edges[i].subtree_count);
			ed->rank_first = le32toh(edges[i].rank_first);
			ed->rank_count = le32toh(edges[i].rank_count);
			g->contributors |= 1ULL << i;
			if (ed->rank_first < g->subtree_first)
				g->subtree_first = ed->rank_first;
			g->subtree_ranks += ed->rank_count;
		}
		handshake_begin(e, ed);
	}
}

static void fill_context(struct engine *e, struct group *g, const struct tally_group_cfg *cfg)
{
	unsigned int i;

	memset(g, 0, offsetof(struct group, tx));
	g->jid = le32toh(cfg->jid);
	g->epoch = le32toh(cfg->epoch);
	g->flags = le32toh(cfg->flags);
	g->mtu = le32toh(cfg->mtu);
	g->num_segs = le16toh(cfg->num_segs);
	g->seg_base = le16toh(cfg->seg_base);
	g->node = le16toh(cfg->node);
	g->num_nodes = le16toh(cfg->num_nodes);
	g->level = cfg->level;
	g->mode = cfg->mode;
	g->rank_mask = le64toh(cfg->rank_mask);
	g->attached = le64toh(cfg->owner_ranks);
	g->timeout = le32toh(cfg->timeout_ms) * MS;
	g->rto = le32toh(cfg->rto_us) * US;
	g->retry_limit = le32toh(cfg->retry_limit);
	g->total_ranks = le32toh(cfg->total_ranks);
	g->rank_first = le32toh(cfg->rank_first);
	g->msg_cells = le32toh(cfg->msg_cells);
	e->cells_reserved += g->msg_cells;
	g->qps = NONE;
	for (i = 0; i < g->num_segs; i++) {
		struct slot *s = &e->slots[g->seg_base + i];

		s->state = TALLY_SEG_FREE;
		e->slot_owned[g->seg_base + i] = true;
	}
}

struct engine_result group_check(const struct engine *e, const struct tally_group_cfg *cfg,
				 const struct tally_group_edge *edges, uint32_t num_edges)
{
	struct engine_result r = check_cfg(e, cfg);

	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_shape(cfg, num_edges);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_cells(e, cfg, num_edges);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_edges(cfg, edges, num_edges);
	if (r.status == TALLY_ADMIN_STATUS_OK)
		r = check_ranks(cfg, edges,
				num_edges - !(le32toh(cfg->flags) & TALLY_GROUP_F_ROOT));
	return r;
}

void group_fill(struct engine *e, struct group *g, const struct tally_group_cfg *cfg,
		const struct tally_group_edge *edges, uint32_t num_edges)
{
	fill_context(e, g, cfg);
	fill_edges(e, g, edges, num_edges);
	g->state = num_edges ? TALLY_GROUP_OPENING : TALLY_GROUP_OPEN;
}
