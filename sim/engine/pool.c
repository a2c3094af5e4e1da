// SPDX-License-Identifier: BSD-2-Clause
/*
 * Segments of the NIC, which groups own and hold. A group owns num_segs of them from its creation
 * on: as many are always there for it, but not which ones. While its epoch runs, each running
 * number from done up to, but not including, limit has a segment set aside, which a table of the
 * group names. As done advances, the segment of a finished chunk returns to the list of free ones.
 *
 * A group borrows further segments, from those that no group owns, for chunks that a local rank has
 * posted. It never waits for them: what it owns is enough to proceed. A group borrows less than a
 * quarter of what is left, so that others find some too.
 */
#include "engine/pool.h"
#include "engine/common.h"

#define SHARE 4

_Static_assert(TALLY_MAX_SEG < NONE, "segments have 16-bit numbers");
_Static_assert(!(TALLY_MAX_GROUP_SEGS & (TALLY_MAX_GROUP_SEGS - 1)),
	       "the table of a group continues where running numbers wrap");

static uint16_t take(struct engine *e)
{
	uint16_t i = e->seg_free == NONE ? e->seg_fresh++ : e->seg_free;

	if (i == e->seg_free)
		e->seg_free = e->seg_next[i];
	return i;
}

static void give(struct engine *e, uint16_t i)
{
	e->slots[i].state = TALLY_SEG_FREE;
	e->seg_next[i] = e->seg_free;
	e->seg_free = i;
}

/* Set segments aside for all numbers below `limit`. */
static void raise_limit(struct engine *e, struct group *g, uint32_t limit)
{
	for (; serial_lt(g->limit, limit); g->limit++)
		g->seg[g->limit % TALLY_MAX_GROUP_SEGS] = take(e);
}

uint32_t pool_left(const struct engine *e)
{
	return TALLY_MAX_SEG - e->segs_owned - e->segs_lent;
}

void pool_join(struct engine *e, const struct group *g)
{
	e->segs_owned += g->num_segs;
}

void pool_leave(struct engine *e, const struct group *g)
{
	e->segs_owned -= g->num_segs;
}

void pool_begin(struct engine *e, struct group *g)
{
	g->done = g->limit = g->top = 0;
	raise_limit(e, g, g->num_segs);
}

static bool may_borrow(const struct engine *e, const struct group *g)
{
	uint32_t borrowed = g->limit - g->done - g->num_segs;

	return borrowed * SHARE < (uint32_t)TALLY_MAX_SEG - e->segs_owned - e->segs_lent;
}

bool pool_borrow(struct engine *e, struct group *g, uint32_t top)
{
	uint32_t most = g->done + g->max_segs, before = g->limit;

	if (serial_lt(most, top))
		top = most;
	while (serial_lt(g->limit, top) && may_borrow(e, g)) {
		raise_limit(e, g, g->limit + 1);
		e->segs_lent++;
	}
	return g->limit != before;
}

void pool_advance(struct engine *e, struct group *g)
{
	e->segs_lent -= g->limit - g->done > g->num_segs;
	give(e, g->seg[g->done % TALLY_MAX_GROUP_SEGS]);
	g->done++;
	raise_limit(e, g, g->done + g->num_segs);
}

void pool_end(struct engine *e, struct group *g)
{
	if (g->limit != g->done)
		e->segs_lent -= g->limit - g->done - g->num_segs;
	while (g->limit != g->done)
		give(e, g->seg[--g->limit % TALLY_MAX_GROUP_SEGS]);
}
