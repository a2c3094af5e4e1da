// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is due: when the first of the active timers (timer.c) is really due, and the groups and edges
 * whose timers are.
 */
#include "engine/timers.h"
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/group.h"
#include "engine/timer.h"

static struct edge *edge_of(struct timer *t)
{
	return (struct edge *)((char *)t - offsetof(struct edge, timer));
}

static uint64_t edge_time(const struct group *g, const struct edge *ed)
{
	return group_alive(g) ? edge_next(ed) : ed->fw_at;
}

static uint64_t time_of(struct engine *e, struct timer *t)
{
	struct group *g = timer_owner(e, t);

	e->timer_visits++;
	return t == &g->timer ? group_next(e, g) : edge_time(g, edge_of(t));
}

static void settle(struct engine *e)
{
	struct timer *t;

	while ((t = e->touched)) {
		e->touched = t->next_touched;
		t->touched = false;
		timer_set(e, t, time_of(e, t));
	}
}

uint64_t timers_next(struct engine *e)
{
	settle(e);
	while (e->num_timers) {
		struct timer_entry first = e->heap[0];
		uint64_t at = time_of(e, first.timer);

		if (at == first.at)
			return at;
		timer_set(e, first.timer, at);
	}
	return NEVER;
}

/* Note what is due. What has run is asked again for its time. */
static void note(struct engine *e, struct timer *t)
{
	struct group *g = timer_owner(e, t);
	unsigned int n = g - e->groups;

	if (t == &g->timer)
		g->due_self = true;
	else if (edge_of(t) == &g->edges[EDGE_PARENT])
		g->due_parent = true;
	else
		g->due |= contributor_bit(edge_of(t) - g->edges);
	e->due[n / 64] |= 1ULL << n % 64;
	timer_set(e, t, NEVER);
	timer_touch(e, t);
}

static void run_due(struct engine *e)
{
	unsigned int w;

	for (w = 0; w < TALLY_MAX_GROUP / 64; w++)
		while (e->due[w]) {
			unsigned int n = w * 64 + __builtin_ctzll(e->due[w]);

			e->due[w] &= e->due[w] - 1;
			group_timers(e, &e->groups[n]);
		}
}

/* Nearly all calls find nothing due, so they do not look for the groups. */
void timers_run(struct engine *e)
{
	bool any = false;

	settle(e);
	while (e->num_timers && e->heap[0].at <= e->now) {
		struct timer *t = e->heap[0].timer;
		uint64_t at = time_of(e, t);

		if (at <= e->now) {
			note(e, t);
			any = true;
		} else {
			timer_set(e, t, at);
		}
	}
	if (any)
		run_due(e);
}
