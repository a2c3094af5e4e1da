// SPDX-License-Identifier: BSD-2-Clause
/* Edges of EXCHANGE and RING in a group. Each edge has roles. */
#include "engine/group_peers.h"
#include "engine/cfg.h"
#include "engine/common.h"

#include <endian.h>

#define OK ((struct engine_result){ TALLY_ADMIN_STATUS_OK, 0xffff })
#define EDGE_ERROR(i, field) group_edge_error(i, offsetof(struct tally_group_edge, field))
#define CFG_ERROR(field)                                                                           \
	((struct engine_result){ TALLY_ADMIN_STATUS_BAD_FIELD,                                     \
				 offsetof(struct tally_group_cfg, field) })

static uint16_t roles_of(const struct tally_group_edge *ge)
{
	return le16toh(ge->roles);
}

static bool is_in(const struct tally_group_edge *ge)
{
	return roles_of(ge) & TALLY_ROLE_IN;
}

static bool is_out(const struct tally_group_edge *ge)
{
	return roles_of(ge) & TALLY_ROLE_OUT;
}

/* Return the roles that edges of a group with these modes may have. */
static uint16_t roles_offered(uint8_t modes)
{
	uint16_t roles = modes & TALLY_MODES_TREE ? TALLY_ROLE_CHILD | TALLY_ROLE_PARENT :
						    TALLY_ROLE_EPOCH;

	if (modes & TALLY_MODES_EXCHANGE)
		roles |= TALLY_ROLE_IN | TALLY_ROLE_OUT;
	if (modes & TALLY_MODES_RING)
		roles |= TALLY_ROLE_RING_IN | TALLY_ROLE_RING_OUT;
	return roles;
}

/* ---- Checks of single edges ---- */

static struct engine_result check_edge(const struct tally_group_cfg *cfg,
				       const struct tally_group_edge *ge, uint32_t i)
{
	bool part = is_in(ge);

	if (roles_of(ge) & ~roles_offered(cfg_modes(cfg)))
		return EDGE_ERROR(i, roles);
	if (part || is_out(ge) ? !ge->round || ge->round > cfg->rounds : ge->round)
		return EDGE_ERROR(i, round);
	if (ge->position && !part)
		return EDGE_ERROR(i, position);
	if (ge->part_first && !part)
		return EDGE_ERROR(i, part_first);
	if (!part != !ge->part_count)
		return EDGE_ERROR(i, part_count);
	return OK;
}

/* Check that fields of TREE are zero; group_tree.c checks them in a group with a tree. */
static struct engine_result check_no_tree(const struct tally_group_edge *ge, uint32_t i)
{
	if (le16toh(ge->remote_index) >= TALLY_MAX_CONTRIBUTORS)
		return EDGE_ERROR(i, remote_index);
	if (ge->subtree_first)
		return EDGE_ERROR(i, subtree_first);
	if (ge->subtree_count)
		return EDGE_ERROR(i, subtree_count);
	if (ge->rank_first)
		return EDGE_ERROR(i, rank_first);
	if (ge->rank_count)
		return EDGE_ERROR(i, rank_count);
	return OK;
}

/* The node that draws the epoch learns it from no neighbour, every other node from exactly one. */
static struct engine_result check_epoch(const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t num)
{
	bool root = le32toh(cfg->flags) & TALLY_GROUP_F_ROOT;
	uint32_t sources = 0, last = 0, i;

	for (i = 0; i < num; i++)
		if (roles_of(&edges[i]) & TALLY_ROLE_EPOCH) {
			sources++;
			last = i;
		}
	if (sources == !root)
		return OK;
	return sources ? EDGE_ERROR(last, roles) : CFG_ERROR(num_edges);
}

/* ---- RING ---- */

static struct engine_result check_ring(const struct tally_group_cfg *cfg,
				       const struct tally_group_edge *edges, uint32_t num)
{
	uint32_t nodes = le16toh(cfg->num_nodes), wanted = nodes > 1, ins = 0, outs = 0, i;

	for (i = 0; i < num; i++) {
		bool in = roles_of(&edges[i]) & TALLY_ROLE_RING_IN;
		bool out = roles_of(&edges[i]) & TALLY_ROLE_RING_OUT;

		ins += in;
		outs += out;
		/* both neighbours are the same node only if there are two nodes */
		if (ins > wanted || outs > wanted || (in && out) != (in && nodes == 2))
			return EDGE_ERROR(i, roles);
	}
	return ins == wanted && outs == wanted ? OK : CFG_ERROR(num_edges);
}

/* ---- EXCHANGE ---- */

/* Global ranks that a partial result covers. */
struct part {
	uint64_t first, count;
};

/* Check the positions of a round: all differ, and one is left for this node's own part. */
static struct engine_result check_places(const struct tally_group_edge *edges, uint32_t num,
					 unsigned int round)
{
	uint64_t taken[4] = { 0 };
	unsigned int parts = 1;
	uint32_t i;

	for (i = 0; i < num; i++)
		parts += is_in(&edges[i]) && edges[i].round == round;
	for (i = 0; i < num; i++) {
		unsigned int at = edges[i].position;

		if (!is_in(&edges[i]) || edges[i].round != round)
			continue;
		if (at >= parts || (taken[at / 64] >> at % 64 & 1))
			return EDGE_ERROR(i, position);
		taken[at / 64] |= 1ULL << at % 64;
	}
	return OK;
}

/*
 * Add the parts of a round to the ranks already covered. Together they must be consecutive, and
 * none may occur twice.
 */
static struct engine_result add_round(const struct tally_group_cfg *cfg,
				      const struct tally_group_edge *edges, uint32_t num,
				      unsigned int round, struct part *sum)
{
	uint64_t low = sum->first, high = sum->first + sum->count, total = sum->count;
	uint32_t i, k, last = 0;

	for (i = 0; i < num; i++) {
		uint64_t first = le32toh(edges[i].part_first), n = le32toh(edges[i].part_count);

		if (!is_in(&edges[i]) || edges[i].round != round)
			continue;
		if (first + n > le32toh(cfg->total_ranks) ||
		    ranges_overlap(first, n, sum->first, sum->count))
			return EDGE_ERROR(i, part_first);
		for (k = 0; k < i; k++)
			if (is_in(&edges[k]) && edges[k].round == round &&
			    ranges_overlap(first, n, le32toh(edges[k].part_first),
					   le32toh(edges[k].part_count)))
				return EDGE_ERROR(i, part_first);
		low = first < low ? first : low;
		high = first + n > high ? first + n : high;
		total += n;
		last = i;
	}
	if (high - low != total) /* gap */
		return EDGE_ERROR(last, part_first);
	*sum = (struct part){ low, total };
	return OK;
}

static struct engine_result check_exchange(const struct tally_group_cfg *cfg,
					   const struct tally_group_edge *edges, uint32_t num)
{
	struct part sum = { le32toh(cfg->rank_first),
			    __builtin_popcountll(le64toh(cfg->rank_mask)) };
	struct engine_result r = OK;
	unsigned int round;

	for (round = 1; round <= cfg->rounds && r.status == TALLY_ADMIN_STATUS_OK; round++) {
		r = check_places(edges, num, round);
		if (r.status == TALLY_ADMIN_STATUS_OK)
			r = add_round(cfg, edges, num, round, &sum);
	}
	if (r.status == TALLY_ADMIN_STATUS_OK && sum.count != le32toh(cfg->total_ranks))
		return CFG_ERROR(total_ranks);
	return r;
}

static struct engine_result check_ranks(const struct tally_group_cfg *cfg)
{
	uint64_t total = le32toh(cfg->total_ranks), own = __builtin_popcountll(le64toh(cfg->rank_mask));

	/* check_mode() has checked that this node has a rank */
	if (total < own || total > (uint64_t)TALLY_MAX_NODES * TALLY_MAX_RANKS)
		return CFG_ERROR(total_ranks);
	if (le32toh(cfg->rank_first) + own > total)
		return CFG_ERROR(rank_first);
	return OK;
}

struct engine_result group_check_peers(const struct tally_group_cfg *cfg,
				       const struct tally_group_edge *edges, uint32_t num)
{
	struct engine_result r = check_ranks(cfg);
	uint8_t modes = cfg_modes(cfg);
	uint32_t i;

	for (i = 0; i < num && r.status == TALLY_ADMIN_STATUS_OK; i++) {
		r = check_edge(cfg, &edges[i], i);
		if (r.status == TALLY_ADMIN_STATUS_OK && !(modes & TALLY_MODES_TREE))
			r = check_no_tree(&edges[i], i);
	}
	if (r.status == TALLY_ADMIN_STATUS_OK && !(modes & TALLY_MODES_TREE))
		r = check_epoch(cfg, edges, num);
	if (r.status == TALLY_ADMIN_STATUS_OK && (modes & TALLY_MODES_RING))
		r = check_ring(cfg, edges, num);
	if (r.status == TALLY_ADMIN_STATUS_OK && (modes & TALLY_MODES_EXCHANGE))
		r = check_exchange(cfg, edges, num);
	return r;
}

/* ---- Filling in ---- */

/* Set what each round combines, and which ranks its result covers. */
static void fill_rounds(struct group *g)
{
	unsigned int r, i;

	g->round[0] = (struct round){ .parts = __builtin_popcountll(g->rank_mask),
				      .rank_first = g->rank_first };
	g->round[0].rank_count = g->round[0].parts;
	for (r = 1; r <= g->rounds; r++) {
		struct round *to = &g->round[r];
		const struct round *from = &g->round[r - 1];
		uint64_t places[2] = { 0 }; /* at most 65 parts, so positions are below 65 */
		uint64_t left = to->ins;

		to->base = from->base + from->parts;
		to->parts = 1 + __builtin_popcountll(to->ins);
		to->rank_first = from->rank_first;
		to->rank_count = from->rank_count;
		for (; left; left &= left - 1) {
			const struct edge *ed = &g->edges[__builtin_ctzll(left)];

			places[ed->position / 64] |= 1ULL << ed->position % 64;
			to->rank_count += ed->part_count;
			if (ed->part_first < to->rank_first)
				to->rank_first = ed->part_first;
		}
		for (i = 0; places[i / 64] >> i % 64 & 1; i++)
			;
		to->own = i;
	}
}

void group_fill_peers(struct group *g, const struct tally_group_edge *edges, uint32_t num)
{
	uint32_t i;

	for (i = 0; i < num; i++) {
		struct edge *ed = &g->edges[i];

		ed->roles = roles_of(&edges[i]);
		ed->round = edges[i].round;
		ed->position = edges[i].position;
		ed->part_first = le32toh(edges[i].part_first);
		ed->part_count = le32toh(edges[i].part_count);
		if (ed->roles & TALLY_ROLE_EPOCH)
			g->upstream = i;
		if (ed->roles & TALLY_ROLE_RING_IN)
			g->left = i;
		if (ed->roles & TALLY_ROLE_RING_OUT)
			g->right = i;
		if (is_in(&edges[i])) {
			g->exchange_ins |= 1ULL << i;
			g->round[ed->round].ins |= 1ULL << i;
		}
		if (is_out(&edges[i]))
			g->round[ed->round].outs |= 1ULL << i;
	}
	fill_rounds(g);
}
