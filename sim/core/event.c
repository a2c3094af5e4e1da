// SPDX-License-Identifier: BSD-2-Clause
#include "core/event.h"

#include <stdlib.h>

#include "core/trace.h"

struct sim {
	vtime_t now;
	uint64_t next_order;
	struct sim_event **heap;	/* binary heap in heap[1..count] */
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

static bool earlier(const struct sim_event *a, const struct sim_event *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void place(struct sim *sim, size_t slot, struct sim_event *ev)
{
	sim->heap[slot] = ev;
	ev->slot = slot;
}

/* Move @ev from the free place @slot towards the root. */
static void sift_up(struct sim *sim, size_t slot, struct sim_event *ev)
{
	while (slot > 1 && earlier(ev, sim->heap[slot / 2])) {
		place(sim, slot, sim->heap[slot / 2]);
		slot /= 2;
	}
	place(sim, slot, ev);
}

/* Move @ev from the free place @slot towards the leaves. */
static void sift_down(struct sim *sim, size_t slot, struct sim_event *ev)
{
	size_t child;

	while ((child = 2 * slot) <= sim->count) {
		if (child < sim->count && earlier(sim->heap[child + 1], sim->heap[child]))
			child++;
		if (!earlier(sim->heap[child], ev))
			break;
		place(sim, slot, sim->heap[child]);
		slot = child;
	}
	place(sim, slot, ev);
}

/* Put @ev into the heap, where heap[slot] is free. */
static void sift(struct sim *sim, size_t slot, struct sim_event *ev)
{
	if (slot > 1 && earlier(ev, sim->heap[slot / 2]))
		sift_up(sim, slot, ev);
	else
		sift_down(sim, slot, ev);
}

static void grow(struct sim *sim)
{
	size_t room = sim->room ? 2 * sim->room : 64;
	struct sim_event **heap = reallocarray(sim->heap, room, sizeof(*heap));

	if (!heap)
		abort();
	sim->heap = heap;
	sim->room = room;
}

void sim_schedule(struct sim *sim, struct sim_event *ev, vtime_t at)
{
	ev->at = at < sim->now ? sim->now : at;
	ev->order = sim->next_order++;
	if (sim_pending(ev)) {
		sift(sim, ev->slot, ev);
		return;
	}
	if (sim->count + 1 >= sim->room)
		grow(sim);
	sift_up(sim, ++sim->count, ev);
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
	struct sim_event *last;
	size_t slot = ev->slot;

	if (!slot)
		return;
	ev->slot = 0;
	last = sim->heap[sim->count--];
	if (last != ev)
		sift(sim, slot, last);
}

bool sim_next_time(const struct sim *sim, vtime_t *t)
{
	if (!sim->count)
		return false;
	*t = sim->heap[1]->at;
	return true;
}

static void run_first(struct sim *sim)
{
	struct sim_event *ev = sim->heap[1];

	sim_cancel(sim, ev);
	sim->now = ev->at;
	ev->fn(ev->arg);
}

uint64_t sim_run_until(struct sim *sim, vtime_t t)
{
	uint64_t events = 0;

	while (sim->count && sim->heap[1]->at <= t) {
		run_first(sim);
		events++;
	}
	if (sim->now < t)
		sim->now = t;
	return events;
}

bool sim_run_idle(struct sim *sim, vtime_t limit)
{
	while (sim->count && sim->heap[1]->at <= limit)
		run_first(sim);
	if (!sim->count)
		return true;
	if (sim->now < limit)
		sim->now = limit;
	return false;
}
