// SPDX-License-Identifier: BSD-2-Clause
#include "core/event.h"

#include <stdlib.h>

#include "core/pool.h"
#include "core/trace.h"

#define CHILDREN	4		/* of a place of the heap; fewer levels than with 2 */

/* A pending event, with the key of the heap beside it: a comparison reads no event. */
struct entry {
	vtime_t at;
	uint64_t order;			/* position among events of the same time */
	uint32_t id;			/* of the event */
};

/* What is known of an event by its number, so that moving an entry writes to no event. */
struct named {
	struct sim_event *ev;
	const void *touches;
};

struct sim {
	vtime_t now;
	uint64_t running;		/* order of the event that runs; UINT64_MAX: none does */
	uint64_t next_order;
	uint64_t events;		/* that have run */
	struct entry *heap;		/* in heap[1..count], the earliest event first */
	struct named *named;		/* by id */
	uint32_t *place;		/* by id: place in the heap; of a free id, the next free one */
	uint32_t free_id;		/* 0: none */
	uint32_t ids;			/* that have been used, including 0 */
	uint32_t count;
	uint32_t room;			/* entries allocated, including number 0 */
	struct rng rng;
	struct sim_trace *trace;
};

struct sim *sim_new(uint64_t seed)
{
	struct sim *sim = calloc(1, sizeof(*sim));

	if (!sim)
		return NULL;
	rng_seed(&sim->rng, seed);
	sim->running = UINT64_MAX;
	sim->next_order = 1;
	sim->ids = 1;
	return sim;
}

void sim_free(struct sim *sim)
{
	if (!sim)
		return;
	free(sim->heap);
	free(sim->named);
	free(sim->place);
	free(sim);
	pool_trim();
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

/* One comparison of 128 bits, because branches on the order of events are not predictable. */
static bool earlier(const struct entry *a, const struct entry *b)
{
	return ((unsigned __int128)a->at << 64 | a->order) <
	       ((unsigned __int128)b->at << 64 | b->order);
}

static void put(struct sim *sim, uint32_t slot, const struct entry *entry)
{
	sim->heap[slot] = *entry;
	sim->place[entry->id] = slot;
}

static uint32_t parent_of(uint32_t slot)
{
	return (slot + CHILDREN - 2) / CHILDREN;
}

static uint32_t first_child_of(uint32_t slot)
{
	return CHILDREN * (slot - 1) + 2;
}

/* Move @entry from the free place @slot towards the root. */
static void sift_up(struct sim *sim, uint32_t slot, const struct entry *entry)
{
	while (slot > 1 && earlier(entry, &sim->heap[parent_of(slot)])) {
		put(sim, slot, &sim->heap[parent_of(slot)]);
		slot = parent_of(slot);
	}
	put(sim, slot, entry);
}

static uint32_t earlier_of(const struct sim *sim, uint32_t a, uint32_t b)
{
	return earlier(&sim->heap[b], &sim->heap[a]) ? b : a;
}

/* Return the earliest child of @slot, or 0 if it has none. */
static uint32_t earliest_child(const struct sim *sim, uint32_t slot)
{
	uint32_t first = first_child_of(slot), best = first, i;

	if (first > sim->count)
		return 0;
	if (first + CHILDREN - 1 <= sim->count)
		return earlier_of(sim, earlier_of(sim, first, first + 1),
				  earlier_of(sim, first + 2, first + 3));
	for (i = first + 1; i <= sim->count; i++)
		best = earlier_of(sim, best, i);
	return best;
}

/* Move @entry from the free place @slot towards the leaves. */
static void sift_down(struct sim *sim, uint32_t slot, const struct entry *entry)
{
	uint32_t child;

	while ((child = earliest_child(sim, slot)) && earlier(&sim->heap[child], entry)) {
		put(sim, slot, &sim->heap[child]);
		slot = child;
	}
	put(sim, slot, entry);
}

/* Put @entry into the heap, where heap[slot] is free. */
static void sift(struct sim *sim, uint32_t slot, const struct entry *entry)
{
	if (slot > 1 && earlier(entry, &sim->heap[parent_of(slot)]))
		sift_up(sim, slot, entry);
	else
		sift_down(sim, slot, entry);
}

static void *grown(void *array, uint32_t room, size_t size)
{
	void *bigger = reallocarray(array, room, size);

	if (!bigger)
		abort();
	return bigger;
}

static void grow(struct sim *sim)
{
	uint32_t room = sim->room ? 2 * sim->room : 64;

	if (room < sim->room)
		abort();
	sim->heap = grown(sim->heap, room, sizeof(*sim->heap));
	sim->named = grown(sim->named, room, sizeof(*sim->named));
	sim->place = grown(sim->place, room, sizeof(*sim->place));
	sim->room = room;
}

/* Give @ev a number. There are as many numbers as places of the heap. */
static void name(struct sim *sim, struct sim_event *ev)
{
	if (sim->free_id) {
		ev->id = sim->free_id;
		sim->free_id = sim->place[ev->id];
	} else {
		ev->id = sim->ids++;
	}
	sim->named[ev->id] = (struct named){ ev, ev->touches };
}

static void forget(struct sim *sim, struct sim_event *ev)
{
	sim->place[ev->id] = sim->free_id;
	sim->free_id = ev->id;
	ev->id = 0;
}

uint64_t sim_reserve(struct sim *sim)
{
	return sim->next_order++;
}

bool sim_passed(const struct sim *sim, vtime_t at, uint64_t order)
{
	return at < sim->now || (at == sim->now && order <= sim->running);
}

void sim_schedule_reserved(struct sim *sim, struct sim_event *ev, vtime_t at, uint64_t order)
{
	struct entry entry = { .at = at < sim->now ? sim->now : at, .order = order };

	if (sim_pending(ev)) {
		entry.id = ev->id;
		sim->named[ev->id].touches = ev->touches;
		sift(sim, sim->place[ev->id], &entry);
		return;
	}
	if (sim->count + 1 >= sim->room)
		grow(sim);
	name(sim, ev);
	entry.id = ev->id;
	sift_up(sim, ++sim->count, &entry);
}

void sim_schedule(struct sim *sim, struct sim_event *ev, vtime_t at)
{
	sim_schedule_reserved(sim, ev, at, sim_reserve(sim));
}

void sim_schedule_in(struct sim *sim, struct sim_event *ev, vtime_t delay)
{
	vtime_t at;

	if (__builtin_add_overflow(sim->now, delay, &at))
		at = VT_NEVER;
	sim_schedule(sim, ev, at);
}

/* Take the entry at @slot out of the heap. */
static void take_out(struct sim *sim, uint32_t slot)
{
	struct entry last = sim->heap[sim->count--];

	if (slot <= sim->count)
		sift(sim, slot, &last);
}

void sim_cancel(struct sim *sim, struct sim_event *ev)
{
	uint32_t slot;

	if (!sim_pending(ev))
		return;
	slot = sim->place[ev->id];
	forget(sim, ev);
	take_out(sim, slot);
}

bool sim_next_time(const struct sim *sim, vtime_t *t)
{
	if (!sim->count)
		return false;
	*t = sim->heap[1].at;
	return true;
}

uint64_t sim_events(const struct sim *sim)
{
	return sim->events;
}

/*
 * The caches fetch what the next event touches, while the first one runs, and the names of those that
 * come after it unless others are scheduled. (GCC drops calls of a function that does nothing but
 * prefetch.)
 */
static inline __attribute__((always_inline)) void expect_next(const struct sim *sim)
{
	const struct named *next;
	uint32_t i;

	if (!sim->count)
		return;
	next = &sim->named[sim->heap[1].id];
	__builtin_prefetch(next->ev);
	__builtin_prefetch(next->touches);
	if (sim->count <= CHILDREN)
		return;
	for (i = 0; i < CHILDREN; i++)
		__builtin_prefetch(&sim->named[sim->heap[2 + i].id]);
}

static void run_first(struct sim *sim)
{
	struct entry first = sim->heap[1];
	struct sim_event *ev = sim->named[first.id].ev;

	forget(sim, ev);
	take_out(sim, 1);
	expect_next(sim);
	sim->now = first.at;
	sim->running = first.order;
	sim->events++;
	ev->fn(ev->arg);
}

/* Run all events up to @t. */
static void run(struct sim *sim, vtime_t t)
{
	while (sim->count && sim->heap[1].at <= t)
		run_first(sim);
	sim->running = UINT64_MAX;
}

uint64_t sim_run_until(struct sim *sim, vtime_t t)
{
	uint64_t before = sim->events;

	run(sim, t);
	if (sim->now < t)
		sim->now = t;
	return sim->events - before;
}

bool sim_run_idle(struct sim *sim, vtime_t limit)
{
	run(sim, limit);
	if (!sim->count)
		return true;
	if (sim->now < limit)
		sim->now = limit;
	return false;
}
