// SPDX-License-Identifier: BSD-2-Clause
/*
 * Active timers: a heap of the edges and groups that have something to do at a time. An entry may be
 * earlier than the time at which its edge or group really has something to do, never later. It is
 * put right when it is the first of the heap. So a unit that makes a time earlier must call
 * timer_touch(), and none has to say that it made one later. An event thus visits the edges that it
 * concerns, whatever the number of others.
 */
#include "engine/engine_int.h"

static struct group *owner_of(struct engine *e, const struct timer *t)
{
	return &e->groups[((const char *)t - (const char *)e->groups) / sizeof(struct group)];
}

static struct edge *edge_of(struct timer *t)
{
	return (struct edge *)((char *)t - offsetof(struct edge, timer));
}

static uint64_t edge_time(const struct group *g, const struct edge *ed)
{
	return group_alive(g) ? edge_next(ed) : kill_edge_next(ed);
}

static uint64_t time_of(struct engine *e, struct timer *t)
{
	struct group *g = owner_of(e, t);

	e->timer_visits++;
	return t == &g->timer ? group_next(e, g) : edge_time(g, edge_of(t));
}

/* ---- The heap ---- */

static void put(struct engine *e, uint32_t i, struct timer_entry entry)
{
	e->heap[i] = entry;
	entry.timer->place = i + 1;
}

static void sift_up(struct engine *e, uint32_t i, struct timer_entry entry)
{
	for (; i && entry.at < e->heap[(i - 1) / 2].at; i = (i - 1) / 2)
		put(e, i, e->heap[(i - 1) / 2]);
	put(e, i, entry);
}

static void sift_down(struct engine *e, uint32_t i, struct timer_entry entry)
{
	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= e->num_timers)
			break;
		if (child + 1 < e->num_timers && e->heap[child + 1].at < e->heap[child].at)
			child++;
		if (entry.at <= e->heap[child].at)
			break;
		put(e, i, e->heap[child]);
		i = child;
	}
	put(e, i, entry);
}

static void move(struct engine *e, uint32_t i, struct timer_entry entry)
{
	if (entry.at < e->heap[i].at)
		sift_up(e, i, entry);
	else
		sift_down(e, i, entry);
}

static void set(struct engine *e, struct timer *t, uint64_t at)
{
	struct timer_entry entry = { at, t };
	uint32_t i = t->place - 1;

	if (t->place && at != NEVER) {
		move(e, i, entry);
	} else if (t->place) {
		t->place = 0;
		entry = e->heap[--e->num_timers];
		if (i < e->num_timers)
			move(e, i, entry);
	} else if (at != NEVER) {
		sift_up(e, e->num_timers++, entry);
	}
}

/* ---- Keeping it right ---- */

void timer_touch(struct engine *e, struct timer *t)
{
	const char *at = (const char *)t;

	/* Tombstones have timers of their own. */
	if (t->touched || at < (char *)e->groups || at >= (char *)(e->groups + TALLY_MAX_GROUP))
		return;
	t->touched = true;
	t->next_touched = e->touched;
	e->touched = t;
}

static void settle(struct engine *e)
{
	struct timer *t;

	while ((t = e->touched)) {
		e->touched = t->next_touched;
		t->touched = false;
		set(e, t, time_of(e, t));
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
		set(e, first.timer, at);
	}
	return NEVER;
}

void timers_drop(struct engine *e, struct group *g)
{
	unsigned int i;

	settle(e);
	set(e, &g->timer, NEVER);
	for_each_edge(g, i)
		set(e, &g->edges[i].timer, NEVER);
}

/* ---- What is due ---- */

/* Note what is due. What has run is asked again for its time. */
static void note(struct engine *e, struct timer *t)
{
	struct group *g = owner_of(e, t);
	unsigned int n = g - e->groups;

	if (t == &g->timer)
		g->due_self = true;
	else if (edge_of(t) == &g->edges[EDGE_PARENT])
		g->due_parent = true;
	else
		g->due |= contributor_bit(edge_of(t) - g->edges);
	e->due[n / 64] |= 1ULL << n % 64;
	set(e, t, NEVER);
	timer_touch(e, t);
}

void timers_run(struct engine *e)
{
	unsigned int w;

	settle(e);
	while (e->num_timers && e->heap[0].at <= e->now) {
		struct timer *t = e->heap[0].timer;
		uint64_t at = time_of(e, t);

		if (at <= e->now)
			note(e, t);
		else
			set(e, t, at);
	}
	for (w = 0; w < TALLY_MAX_GROUP / 64; w++)
		while (e->due[w]) {
			unsigned int n = w * 64 + __builtin_ctzll(e->due[w]);

			e->due[w] &= e->due[w] - 1;
			group_timers(e, &e->groups[n]);
		}
}
