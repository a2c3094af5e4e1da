// SPDX-License-Identifier: BSD-2-Clause
/*
 * Active timers: a heap of the edges and groups that have something to do at a time. An entry may be
 * earlier than the time at which its edge or group really has something to do, never later. It is
 * put right when it is the first of the heap. So a unit that makes a time earlier must call
 * timer_touch(), and none has to say that it made one later. An event thus visits the edges that it
 * concerns, whatever the number of others.
 */
#include "engine/timer.h"
#include "engine/common.h"

struct group *timer_owner(struct engine *e, const struct timer *t)
{
	return &e->groups[((const char *)t - (const char *)e->groups) / sizeof(struct group)];
}

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

void timer_set(struct engine *e, struct timer *t, uint64_t at)
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

void timer_touch(struct engine *e, struct timer *t)
{
	/* Tombstones, which are behind the groups, have timers of their own. */
	if (t->touched || (char *)t >= (char *)(e->groups + TALLY_MAX_GROUP))
		return;
	t->touched = true;
	t->next_touched = e->touched;
	e->touched = t;
}

/* Take the timers of a group off the list of those that were touched. */
static void untouch(struct engine *e, const struct group *g)
{
	struct timer **link = &e->touched;

	while (*link) {
		struct timer *t = *link;

		if (timer_owner(e, t) != g) {
			link = &t->next_touched;
			continue;
		}
		*link = t->next_touched;
		t->touched = false;
	}
}

void timers_drop(struct engine *e, struct group *g)
{
	unsigned int i;

	untouch(e, g);
	timer_set(e, &g->timer, NEVER);
	for_each_edge(g, i)
		timer_set(e, &g->edges[i].timer, NEVER);
}
