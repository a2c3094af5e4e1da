// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tombstones. A destroyed group returns its number, its segments and its cells at once. Its
 * tombstone answers the packets that neighbours may still send. It keeps job id, epoch, windows,
 * and the edges with their nonces and numbers. It acknowledges duplicates, repeats a KILL that was
 * not acknowledged, and answers every new packet with KILL. The table has a fixed size; when it is
 * full, a new tombstone replaces the oldest.
 */
#include "engine/tombstone.h"
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/events.h"
#include "engine/jid.h"
#include "engine/memory.h"
#include "engine/mirror.h"

#include <string.h>

_Static_assert(TALLY_MAX_TOMBSTONES == 64, "one bit of tombs for each");

/* Return how long a neighbour may repeat packets that the group has received. */
static uint64_t retry_span(const struct group *g)
{
	uint64_t span = 0;
	unsigned int tries;

	for (tries = 0; tries <= g->retry_limit && span < g->timeout; tries++)
		span += edge_backoff(g, tries);
	return span < g->timeout ? span : g->timeout;
}

static void tombstone_remove(struct engine *e, struct group *t)
{
	events_drop(e, t);
	jid_remove(e, t);
	mirror_remove(e, t);
	memory_forget(t, sizeof(*t));
}

void tombstone_forget(struct engine *e, struct group *t)
{
	tombstone_remove(e, t);
	e->tombs &= ~(1ULL << (t - e->tombstones));
}

static struct group *free_place(struct engine *e)
{
	struct group *oldest = &e->tombstones[0];
	unsigned int i;

	if (~e->tombs)
		return &e->tombstones[__builtin_ctzll(~e->tombs)];
	for (i = 1; i < TALLY_MAX_TOMBSTONES; i++)
		if (serial_lt(e->tombstones[i].buried, oldest->buried))
			oldest = &e->tombstones[i];
	tombstone_remove(e, oldest);
	count(e, TALLY_CTR_tombstones_evicted, 1);
	return oldest;
}

static uint64_t next_of(const struct group *t)
{
	uint64_t next = t->fw_at;
	unsigned int i;

	for_each_edge(t, i)
		next = t->edges[i].fw_at < next ? t->edges[i].fw_at : next;
	return next;
}

void tombstone_erect(struct engine *e, const struct group *g)
{
	struct group *t;
	unsigned int i;

	if (!g->num_contributors && !has_parent(g)) /* there are no neighbours */
		return;
	t = free_place(e);
	memcpy(t, g, offsetof(struct group, ranks));
	for_each_edge(g, i) {
		t->edges[i] = g->edges[i];
		if (group_alive(g)) /* it opens no edges any more */
			t->edges[i].fw_at = NEVER;
	}
	t->state = TALLY_GROUP_DEAD;
	t->ended_well = !t->report.status;
	t->buried = e->burials++;
	t->fw_at = e->now + retry_span(t);
	t->fence_at = NEVER;
	jid_add(e, t);
	mirror_tombstone(e, t);
	e->tombs |= 1ULL << (t - e->tombstones);
	if (next_of(t) < e->tombs_next)
		e->tombs_next = next_of(t);
}

bool is_tombstone(const struct engine *e, const struct group *g)
{
	return g >= e->tombstones && g < e->tombstones + TALLY_MAX_TOMBSTONES;
}

void tombstone_heard(struct engine *e, const struct group *g)
{
	if (is_tombstone(e, g) && next_of(g) < e->tombs_next)
		e->tombs_next = next_of(g);
}

void tombstone_timers(struct engine *e)
{
	uint64_t left = e->tombs;
	unsigned int i;

	e->tombs_next = NEVER;
	for (; left; left &= left - 1) {
		struct group *t = &e->tombstones[__builtin_ctzll(left)];

		for_each_edge(t, i)
			if (t->edges[i].fw_at <= e->now)
				events_timer(e, t, i, &t->edges[i].fw_at);
		if (t->fw_at <= e->now)
			events_timer(e, t, NO_EDGE, &t->fw_at);
		if (next_of(t) < e->tombs_next)
			e->tombs_next = next_of(t);
	}
}
