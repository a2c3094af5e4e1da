// SPDX-License-Identifier: BSD-2-Clause
/*
 * Segments of the NIC, which groups own and hold. A group owns num_segs of them from its creation
 * on: as many are always there for it, but not which ones. While its epoch runs, each running
 * number from done up to, but not including, limit has a segment set aside, which a table of the
 * group names. As done advances, the segment of a finished chunk returns to the list of free ones.
 *
 * A group borrows further segments, from those that no group owns, for chunks that a local rank has
 * posted. It never waits for them: what it owns is enough to proceed. A group borrows less than a
 * third of what is left, so that others find some too.
 *
 * A new group may own segments that are lent at present. They are owed to it: nothing is lent
 * while a debt exists, and what returns pays the oldest debt. While segments are lent, one stays
 * free for each further group that the NIC may have. So a new group always has at least one, with
 * which it can proceed, and the chunks of one group never wait for those of another.
 *
 * If the host has the pool (pool_host.c), it counts what is granted, owed and lent, and says how far
 * limits rise.
 */
#include "engine/pool.h"
#include "engine/common.h"
#include "engine/pool_host.h"
#include "engine/timer.h"

#define SHARE 3

_Static_assert(TALLY_MAX_SEG < NONE, "segments have 16-bit numbers");
_Static_assert(TALLY_MAX_SEG > TALLY_MAX_GROUP, "otherwise nothing can be lent");
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

void pool_raise(struct engine *e, struct group *g, uint32_t limit)
{
	for (; serial_lt(g->limit, limit); g->limit++)
		g->seg[g->limit % TALLY_MAX_GROUP_SEGS] = take(e);
}

/*
 * Return the number of segments that are neither granted nor lent, less one for each further group.
 * Without the latter, a new group might have none, and wait for chunks that wait for it.
 */
static uint32_t spare(const struct engine *e)
{
	uint32_t unused = e->max_segs - e->segs_granted - e->segs_lent;
	uint32_t kept = e->max_groups - e->num_groups;

	return unused > kept ? unused - kept : 0;
}

/* ---- Guarantees ---- */

uint32_t pool_left(const struct engine *e)
{
	return e->num_groups < e->max_groups ? e->max_segs - e->segs_owned : 0;
}

static void grant(struct engine *e, struct group *g, uint32_t num)
{
	g->granted += num;
	e->segs_granted += num;
}

static void owe(struct engine *e, struct group *g)
{
	uint16_t i = g - e->groups;

	g->next_owed = NONE;
	if (e->owed_first == NONE)
		e->owed_first = i;
	else
		e->groups[e->owed_last].next_owed = i;
	e->owed_last = i;
	count(e, TALLY_CTR_groups_owed, 1);
}

/* Remove a group from the list of those that segments are owed to. */
static void forgive(struct engine *e, const struct group *g)
{
	uint16_t i = g - e->groups, prev = NONE, at = e->owed_first;

	for (; at != i; at = e->groups[at].next_owed)
		prev = at;
	if (prev == NONE)
		e->owed_first = g->next_owed;
	else
		e->groups[prev].next_owed = g->next_owed;
	if (e->owed_last == i)
		e->owed_last = prev;
}

/* Whether the epoch of a group runs, so that its granted segments are set aside for numbers. */
static bool has_window(const struct group *g)
{
	return g->limit != g->done;
}

/* Pay debts with segments that have returned, the oldest debt first. */
static void pay(struct engine *e)
{
	while (e->owed_first != NONE && (!e->segs_lent || spare(e))) {
		struct group *g = &e->groups[e->owed_first];

		grant(e, g, 1);
		if (g->granted == g->num_segs)
			forgive(e, g);
		if (!has_window(g))
			continue;
		pool_raise(e, g, g->done + g->granted);
		g->paid = true;
		timer_touch(e, &g->timer);
	}
}

void pool_join(struct engine *e, struct group *g)
{
	uint32_t most;

	e->num_groups++;
	e->segs_owned += g->num_segs;
	if (host_stores(e)) {
		pool_host_join(e, g);
		return;
	}
	most = e->segs_lent ? spare(e) : g->num_segs;
	grant(e, g, most < g->num_segs ? most : g->num_segs);
	if (g->granted != g->num_segs)
		owe(e, g);
}

void pool_leave(struct engine *e, struct group *g)
{
	e->num_groups--;
	e->segs_owned -= g->num_segs;
	if (host_stores(e)) {
		pool_host_leave(e, g);
		return;
	}
	if (g->granted != g->num_segs)
		forgive(e, g);
	e->segs_granted -= g->granted;
	pay(e);
}

/* ---- The window of a group ---- */

void pool_begin(struct engine *e, struct group *g)
{
	g->done = g->limit = g->top = 0;
	g->paid = false;
	g->in_epoch = true;
	if (host_stores(e))
		pool_host_begin(e, g);
	else
		pool_raise(e, g, g->granted);
}

/* While a debt exists, nothing is spare, so nothing is lent. */
static bool may_borrow(const struct engine *e, const struct group *g)
{
	uint32_t borrowed = g->limit - g->done - g->granted;

	return borrowed * SHARE < spare(e);
}

bool pool_borrow(struct engine *e, struct group *g, uint32_t top)
{
	uint32_t most = g->done + g->max_segs, before = g->limit;

	if (serial_lt(most, top))
		top = most;
	if (host_stores(e)) {
		pool_host_borrow(e, g, top);
		return false;
	}
	while (serial_lt(g->limit, top) && may_borrow(e, g)) {
		pool_raise(e, g, g->limit + 1);
		e->segs_lent++;
	}
	count(e, TALLY_CTR_segs_lent, g->limit - before);
	return g->limit != before;
}

void pool_advance(struct engine *e, struct group *g)
{
	bool lent = g->limit - g->done > g->granted;

	give(e, g->seg[g->done % TALLY_MAX_GROUP_SEGS]);
	g->done++;
	if (host_stores(e))
		return;
	e->segs_lent -= lent;
	pool_raise(e, g, g->done + g->granted);
	if (lent)
		pay(e);
}

void pool_end(struct engine *e, struct group *g)
{
	if (g->in_epoch && host_stores(e))
		pool_host_end(e, g);
	else if (has_window(g))
		e->segs_lent -= g->limit - g->done - g->granted;
	g->in_epoch = false;
	while (has_window(g))
		give(e, g->seg[--g->limit % TALLY_MAX_GROUP_SEGS]);
	pay(e);
}
