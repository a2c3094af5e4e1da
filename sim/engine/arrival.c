// SPDX-License-Identifier: BSD-2-Clause
/*
 * Arrival times of the parts of the last messages, which show who was late when a collective is
 * slow. The skew of a message is that of its first chunk.
 */
#include "engine/arrival.h"
#include "engine/common.h"

static struct arrival *arrival_of(struct group *g, const struct slot *s)
{
	struct arrival *a = &g->arrivals[s->mid % TALLY_NUM_ARRIVALS];

	return a->used && a->mid == s->mid ? a : NULL;
}

void arrival_begin(struct engine *e, struct group *g, const struct slot *s)
{
	if (!s->sid)
		g->arrivals[s->mid % TALLY_NUM_ARRIVALS] = (struct arrival){
			.used = true,
			.mid = s->mid,
			.opcode = s->opcode,
			.op = s->op,
			.dtype = s->dtype,
			.count = s->total,
			.first_at = e->now,
			.last_at = e->now,
		};
}

void arrival_note(struct engine *e, struct group *g, const struct slot *s, uint64_t ranks,
			 uint64_t contributors)
{
	struct arrival *a = s->sid ? NULL : arrival_of(g, s);

	if (!a)
		return;
	a->last_at = e->now;
	a->ranks |= ranks;
	a->contributors |= contributors;
	a->last = ranks ? 63 - __builtin_clzll(ranks) :
			  TALLY_MAX_RANKS + __builtin_ctzll(contributors);
}

void arrival_done(const struct engine *e, struct group *g, const struct slot *s)
{
	struct arrival *a = arrival_of(g, s);

	if (a)
		a->done_at = e->now;
}
