// SPDX-License-Identifier: BSD-2-Clause
/* Writes what each round of EXCHANGE combines, and which ranks its result covers. */
#include "firmware/cfg.h"
#include "firmware/group.h"
#include "firmware/group_fill.h"

struct round {
	uint64_t ins, outs;
	uint32_t own, parts, base, rank_first, rank_count;
};

/* Add the parts that come from neighbours, and find the position that is left for this node's. */
static void add_parts(struct round *r, const struct tally_group_edge *edges, uint32_t num,
		      uint32_t round)
{
	uint64_t places[2] = { 0 }; /* at most 65 parts, so positions are below 65 */
	uint32_t i;

	for (i = 0; i < num; i++) {
		const struct tally_group_edge *ge = &edges[i];

		if (ge->round != round)
			continue;
		if (edge_out(ge))
			r->outs |= fw_edge_bit(i);
		if (!edge_in(ge))
			continue;
		r->ins |= fw_edge_bit(i);
		r->parts++;
		places[ge->position / 64] |= 1ULL << ge->position % 64;
		r->rank_count += le32(ge->part_count);
		if (le32(ge->part_first) < r->rank_first)
			r->rank_first = le32(ge->part_first);
	}
	for (r->own = 0; places[r->own / 64] >> r->own % 64 & 1; r->own++)
		;
}

static void write_round(uint32_t group, uint32_t round, const struct round *r)
{
	ROUND_SET(group, round, ins, r->ins);
	ROUND_SET(group, round, outs, r->outs);
	ROUND_SET(group, round, own, r->own);
	ROUND_SET(group, round, parts, r->parts);
	ROUND_SET(group, round, base, r->base);
	ROUND_SET(group, round, rank_first, r->rank_first);
	ROUND_SET(group, round, rank_count, r->rank_count);
}

void rounds_fill(uint32_t group, const struct tally_group_cfg *cfg,
		 const struct tally_group_edge *edges, uint32_t num)
{
	struct round r = { .parts = cfg_ranks(cfg), .rank_first = le32(cfg->rank_first),
			   .rank_count = cfg_ranks(cfg) };
	uint32_t i;

	write_round(group, 0, &r);
	for (i = 1; i <= cfg->rounds; i++) {
		r.base += r.parts;
		r.ins = r.outs = 0;
		r.parts = 1;
		add_parts(&r, edges, num, i);
		write_round(group, i, &r);
	}
}
