// SPDX-License-Identifier: BSD-2-Clause
/* Edges of EXCHANGE and RING in a group, which the firmware has checked. Each edge has roles. */
#include "engine/group_peers.h"
#include "engine/common.h"
#include "firmware/cfg.h"

#include <endian.h>

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

		ed->roles = edge_roles(&edges[i]);
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
		if (edge_in(&edges[i])) {
			g->exchange_ins |= 1ULL << i;
			g->round[ed->round].ins |= 1ULL << i;
		}
		if (edge_out(&edges[i]))
			g->round[ed->round].outs |= 1ULL << i;
	}
	fill_rounds(g);
}
