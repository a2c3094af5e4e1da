// SPDX-License-Identifier: BSD-2-Clause
/* Edges of EXCHANGE and RING in a group. Each edge has roles. */
#include "firmware/cfg.h"
#include "firmware/edges_check.h"

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
	bool part = edge_in(ge);

	if (edge_roles(ge) & ~roles_offered(cfg_modes(cfg)))
		return EDGE_ERROR(i, roles);
	if (part || edge_out(ge) ? !ge->round || ge->round > cfg->rounds : ge->round)
		return EDGE_ERROR(i, round);
	if (ge->position && !part)
		return EDGE_ERROR(i, position);
	if (ge->part_first && !part)
		return EDGE_ERROR(i, part_first);
	if (!part != !ge->part_count)
		return EDGE_ERROR(i, part_count);
	return ENGINE_OK;
}

/* The node that draws the epoch learns it from no neighbour, every other node from exactly one. */
static struct engine_result check_epoch(const struct tally_group_cfg *cfg,
					const struct tally_group_edge *edges, uint32_t num)
{
	uint32_t sources = 0, last = 0, i;

	for (i = 0; i < num; i++)
		if (edge_roles(&edges[i]) & TALLY_ROLE_EPOCH) {
			sources++;
			last = i;
		}
	if (sources == !cfg_root(cfg))
		return ENGINE_OK;
	return sources ? EDGE_ERROR(last, roles) : ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, num_edges);
}

/* ---- RING ---- */

static struct engine_result check_ring(const struct tally_group_cfg *cfg,
				       const struct tally_group_edge *edges, uint32_t num)
{
	uint32_t nodes = le16(cfg->num_nodes), wanted = nodes > 1, ins = 0, outs = 0, i;

	for (i = 0; i < num; i++) {
		bool in = edge_roles(&edges[i]) & TALLY_ROLE_RING_IN;
		bool out = edge_roles(&edges[i]) & TALLY_ROLE_RING_OUT;

		ins += in;
		outs += out;
		/* both neighbours are the same node only if there are two nodes */
		if (ins > wanted || outs > wanted || (in && out) != (in && nodes == 2))
			return EDGE_ERROR(i, roles);
	}
	return ins == wanted && outs == wanted ? ENGINE_OK : ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, num_edges);
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
		parts += edge_in(&edges[i]) && edges[i].round == round;
	for (i = 0; i < num; i++) {
		unsigned int at = edges[i].position;

		if (!edge_in(&edges[i]) || edges[i].round != round)
			continue;
		if (at >= parts || (taken[at / 64] >> at % 64 & 1))
			return EDGE_ERROR(i, position);
		taken[at / 64] |= 1ULL << at % 64;
	}
	return ENGINE_OK;
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
		uint64_t first = le32(edges[i].part_first), n = le32(edges[i].part_count);

		if (!edge_in(&edges[i]) || edges[i].round != round)
			continue;
		if (first + n > le32(cfg->total_ranks) ||
		    ranges_overlap(first, n, sum->first, sum->count))
			return EDGE_ERROR(i, part_first);
		for (k = 0; k < i; k++)
			if (edge_in(&edges[k]) && edges[k].round == round &&
			    ranges_overlap(first, n, le32(edges[k].part_first),
					   le32(edges[k].part_count)))
				return EDGE_ERROR(i, part_first);
		low = first < low ? first : low;
		high = first + n > high ? first + n : high;
		total += n;
		last = i;
	}
	if (high - low != total) /* gap */
		return EDGE_ERROR(last, part_first);
	*sum = (struct part){ low, total };
	return ENGINE_OK;
}

static struct engine_result check_exchange(const struct tally_group_cfg *cfg,
					   const struct tally_group_edge *edges, uint32_t num)
{
	struct part sum = { le32(cfg->rank_first),
			    cfg_ranks(cfg) };
	struct engine_result r = ENGINE_OK;
	unsigned int round;

	for (round = 1; round <= cfg->rounds && r.status == TALLY_ADMIN_STATUS_OK; round++) {
		r = check_places(edges, num, round);
		if (r.status == TALLY_ADMIN_STATUS_OK)
			r = add_round(cfg, edges, num, round, &sum);
	}
	if (r.status == TALLY_ADMIN_STATUS_OK && sum.count != le32(cfg->total_ranks))
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, total_ranks);
	return r;
}

static struct engine_result check_ranks(const struct tally_group_cfg *cfg)
{
	uint64_t total = le32(cfg->total_ranks), own = cfg_ranks(cfg);

	/* check_mode() has checked that this node has a rank */
	if (total < own || total > (uint64_t)TALLY_MAX_NODES * TALLY_MAX_RANKS)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, total_ranks);
	if (le32(cfg->rank_first) + own > total)
		return ENGINE_REFUSE(BAD_FIELD, tally_group_cfg, rank_first);
	return ENGINE_OK;
}

struct engine_result peers_check(const struct tally_group_cfg *cfg,
				       const struct tally_group_edge *edges, uint32_t num)
{
	struct engine_result r = check_ranks(cfg);
	uint8_t modes = cfg_modes(cfg);
	uint32_t i;

	for (i = 0; i < num && r.status == TALLY_ADMIN_STATUS_OK; i++) {
		r = check_edge(cfg, &edges[i], i);
		if (r.status == TALLY_ADMIN_STATUS_OK && !(modes & TALLY_MODES_TREE))
			r = no_child_check(&edges[i], i);
	}
	if (r.status == TALLY_ADMIN_STATUS_OK && !(modes & TALLY_MODES_TREE))
		r = check_epoch(cfg, edges, num);
	if (r.status == TALLY_ADMIN_STATUS_OK && (modes & TALLY_MODES_RING))
		r = check_ring(cfg, edges, num);
	if (r.status == TALLY_ADMIN_STATUS_OK && (modes & TALLY_MODES_EXCHANGE))
		r = check_exchange(cfg, edges, num);
	return r;
}
