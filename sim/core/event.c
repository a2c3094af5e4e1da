// SPDX-License-Identifier: BSD-2-Clause
#include "core/event.h"

#include <stdlib.h>

#include "core/trace.h"

#define CHILDREN	4		/* of a place of the heap; fewer levels than with 2 */

/* A pending event, with the key of the heap beside it: a comparison reads no event. */
struct entry {
	vtime_t at;
	uint64_t order;			/* position among events of the same time */
	struct sim_event *ev;
};

struct sim {
	vtime_t now;
	uint64_t next_order;
	struct entry *heap;		/* in heap[1..count], the earliest event first */
	size_t count;
	size_t room;			/* entries allocated, including heap[0] */
	struct rng rng;
	struct sim_trace *trace;
};

struct sim *sim_new(uint64_t seed)
{
	struct sim *sim = calloc(1, sizeof(*sim));

	if (sim)
		rng_seed(&sim->rng, seed);
	return sim;
}

void sim_free(struct sim *sim)
{
	if (!sim)
		return;
	free(sim->heap);
	free(sim);
}

vtime_t sim_now(const struct sim *sim)
{
	return sim->now;
}

struct rng *sim_rng(struct sim *sim)
{
	return &sim->rng;
}

void sim_set_trace(struct sim *sim, struct sim_trace *t)
{
	sim->trace = t;
}

struct sim_trace *sim_trace(const struct sim *sim)
{
	return sim->trace;
}

void sim_event_init(struct sim_event *ev, void (*fn)(void *arg), void *arg)
{
	*ev = (struct sim_event){ .fn = fn, .arg = arg };
}

static bool earlier(const struct entry *a, const struct entry *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void place(struct sim *sim, size_t slot, const struct entry *entry)
{
	sim->heap[slot] = *entry;
	entry->ev->slot = slot;
}

static size_t parent_of(size_t slot)
{
	return (slot + CHILDREN - 2) / CHILDREN;
}

static size_t first_child_of(size_t slot)
{
	return CHILDREN * (slot - 1) + 2;
}

/* Move @entry from the free place @slot towards the root. */
static void sift_up(struct sim *sim, size_t slot, const struct entry *entry)
{
	while (slot > 1 && earlier(entry, &sim->heap[parent_of(slot)])) {
		place(sim, slot, &sim->heap[parent_of(slot)]);
		slot = parent_of(slot);
	}
	place(sim, slot, entry);
}

/* Return the earliest child of @slot, or 0 if it has none. */
static size_t earliest_child(const struct sim *sim, size_t slot)
{
	size_t first = first_child_of(slot), best = first, i;

	if (first > sim->count)
		return 0;
	for (i = first + 1; i < first + CHILDREN && i <= sim->count; i++)
		if (earlier(&sim->heap[i], &sim->heap[best]))
			best = i;
	return best;
}

/* Move @entry from the free place @slot towards the leaves. */
static void sift_down(struct sim *sim, size_t slot, const struct entry *entry)
{
	size_t child;

	while ((child = earliest_child(sim, slot)) && earlier(&sim->heap[child], entry)) {
		place(sim, slot, &sim->heap[child]);
		slot = child;
	}
	place(sim, slot, entry);
}

/* Put @entry into the heap, where heap[slot] is free. */
static void sift(struct sim *sim, size_t slot, const struct entry *entry)
{
	if (slot > 1 && earlier(entry, &sim->heap[parent_of(slot)]))
		sift_up(sim, slot, entry);
	else
		sift_down(sim, slot, entry);
}

static void grow(struct sim *sim)
{
	size_t room = sim->room ? 2 * sim->room : 64;
	struct entry *heap = reallocarray(sim->heap, room, sizeof(*heap));

	if (!heap)
		abort();
	sim->heap = heap;
	sim->room = room;
}

void sim_schedule(struct sim *sim, struct sim_event *ev, vtime_t at)
{
	struct entry entry = { .at = at < sim->now ? sim->now : at, .ev = ev };

	ev->at = entry.at;
	entry.order = sim->next_order++;
	if (sim_pending(ev)) {
		sift(sim, ev->slot, &entry);
		return;
	}
	if (sim->count + 1 >= sim->room)
		grow(sim);
	sift_up(sim, ++sim->count, &entry);
}

void sim_schedule_in(struct sim *sim, struct sim_event *ev, vtime_t delay)
{
	vtime_t at;

	if (__builtin_add_overflow(sim->now, delay, &at))
		at = VT_NEVER;
	sim_schedule(sim, ev, at);
}

void sim_cancel(struct sim *sim, struct sim_event *ev)
{
	struct entry last;
	size_t slot = ev->slot;

	if (!slot)
		return;
	ev->slot = 0;
	last = sim->heap[sim->count--];
	if (last.ev != ev)
		sift(sim, slot, &last);
}

bool sim_next_time(const struct sim *sim, vtime_t *t)
{
	if (!sim->count)
		return false;
	*t = sim->heap[1].at;
	return true;
}

static void run_first(struct sim *sim)
{
	struct sim_event *ev = sim->heap[1].ev;

	sim_cancel(sim, ev);
	sim->now = ev->at;
	ev->fn(ev->arg);
}

uint64_t sim_run_until(struct sim *sim, vtime_t t)
{
	uint64_t events = 0;

	while (sim->count && sim->heap[1].at <= t) {
		run_first(sim);
		events++;
	}
	if (sim->now < t)
		sim->now = t;
	return events;
}

bool sim_run_idle(struct sim *sim, vtime_t limit)
{
	while (sim->count && sim->heap[1].at <= limit)
		run_first(sim);
	if (!sim->count)
		return true;
	if (sim->now < limit)
		sim->now = limit;
	return false;
}
