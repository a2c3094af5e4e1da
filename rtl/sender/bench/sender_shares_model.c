// SPDX-License-Identifier: BSD-2-Clause
/* Includes the engine's slots, whose functions for requests are static. */
#include "engine/segment.c"

#include "sender_shares_model.h"

#include <stdlib.h>

#define NODE 3

static struct engine *e;

/* The slot of a chunk as it is opened and then narrowed by a request, which is the first one of the node. */
struct shares shares_of(uint8_t opcode, uint32_t flags, uint64_t ranks, uint64_t rank_mask, bool root_here, uint8_t root_rank)
{
	struct wqe w = { .opcode = opcode, .mode = TALLY_MODE_TREE, .flags = flags, .rank_mask = ranks, .node_mask = ~0ULL };
	struct shares of = {};
	uint64_t expected;
	struct group *g;
	struct slot *s;

	if (!e)
		e = calloc(1, sizeof(*e));
	if (!e)
		abort();
	g = &e->groups[0];
	s = &e->slots[0];
	memset(s, 0, sizeof(*s));
	g->node = NODE;
	g->rank_mask = rank_mask;
	w.root_node = s->root_node = root_here ? NODE : NODE + 1;
	w.root_rank = s->root_rank = root_rank;
	s->opcode = opcode;
	s->mode = TALLY_MODE_TREE;
	s->total = s->count = 1;
	chunk_plan(g, s);
	expected = s->up_ranks & ranks;
	if (!narrow(e, g, s, &w))
		abort();
	combine_ranks(e, g, s, &w);
	of.due = s->up_ranks & ranks & wqe_givers(g, &w);
	of.absent = expected & ~s->up_ranks;
	of.quits = ranks & ~s->up_ranks & ~s->deliver;
	return of;
}
