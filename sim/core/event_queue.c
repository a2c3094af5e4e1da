// SPDX-License-Identifier: BSD-2-Clause
#include "core/event_queue.h"

#include <stdlib.h>

#define CHILDREN	4		/* of a place of the heap; fewer levels than with 2 */
#define FIRST_ROOM	16

void event_queue_free(struct event_queue *q)
{
	free(q->heap);
	free(q->named);
	free(q->place);
}

/* One comparison of 128 bits, because branches on the order of events are not predictable. */
static bool earlier(const struct event_entry *a, const struct event_entry *b)
{
	return ((unsigned __int128)a->at << 64 | a->order) <
	       ((unsigned __int128)b->at << 64 | b->order);
}

static void put(struct event_queue *q, uint32_t slot, const struct event_entry *entry)
{
	q->heap[slot] = *entry;
	q->place[entry->id] = slot;
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
static void sift_up(struct event_queue *q, uint32_t slot, const struct event_entry *entry)
{
	while (slot > 1 && earlier(entry, &q->heap[parent_of(slot)])) {
		put(q, slot, &q->heap[parent_of(slot)]);
		slot = parent_of(slot);
	}
	put(q, slot, entry);
}

static uint32_t earlier_of(const struct event_queue *q, uint32_t a, uint32_t b)
{
	return earlier(&q->heap[b], &q->heap[a]) ? b : a;
}

/* Return the earliest child of @slot, or 0 if it has none. */
static uint32_t earliest_child(const struct event_queue *q, uint32_t slot)
{
	uint32_t first = first_child_of(slot), best = first, i;

	if (first > q->count)
		return 0;
	if (first + CHILDREN - 1 <= q->count)
		return earlier_of(q, earlier_of(q, first, first + 1),
				  earlier_of(q, first + 2, first + 3));
	for (i = first + 1; i <= q->count; i++)
		best = earlier_of(q, best, i);
	return best;
}

/* Move @entry from the free place @slot towards the leaves. */
static void sift_down(struct event_queue *q, uint32_t slot, const struct event_entry *entry)
{
	uint32_t child;

	while ((child = earliest_child(q, slot)) && earlier(&q->heap[child], entry)) {
		put(q, slot, &q->heap[child]);
		slot = child;
	}
	put(q, slot, entry);
}

/* Put @entry into the heap, where heap[slot] is free. */
static void sift(struct event_queue *q, uint32_t slot, const struct event_entry *entry)
{
	if (slot > 1 && earlier(entry, &q->heap[parent_of(slot)]))
		sift_up(q, slot, entry);
	else
		sift_down(q, slot, entry);
}

static void *grown(void *array, uint32_t room, size_t size)
{
	void *bigger = reallocarray(array, room, size);

	if (!bigger)
		abort();
	return bigger;
}

static void grow(struct event_queue *q)
{
	uint32_t room = q->room ? 2 * q->room : FIRST_ROOM;

	if (room < q->room)
		abort();
	q->heap = grown(q->heap, room, sizeof(*q->heap));
	q->named = grown(q->named, room, sizeof(*q->named));
	q->place = grown(q->place, room, sizeof(*q->place));
	q->room = room;
}

/* Give @ev a number. There are as many numbers as places of the heap. */
static void name(struct event_queue *q, struct sim_event *ev)
{
	if (q->free_id) {
		ev->id = q->free_id;
		q->free_id = q->place[ev->id];
	} else {
		ev->id = ++q->ids;
	}
	q->named[ev->id] = (struct event_named){ ev, ev->touches };
}

static void forget(struct event_queue *q, struct sim_event *ev)
{
	q->place[ev->id] = q->free_id;
	q->free_id = ev->id;
	ev->id = 0;
}

void event_queue_put(struct event_queue *q, struct sim_event *ev, vtime_t at, uint64_t order)
{
	struct event_entry entry = { .at = at, .order = order };

	if (sim_pending(ev)) {
		entry.id = ev->id;
		q->named[ev->id].touches = ev->touches;
		sift(q, q->place[ev->id], &entry);
		return;
	}
	if (q->count + 1 >= q->room)
		grow(q);
	name(q, ev);
	entry.id = ev->id;
	sift_up(q, ++q->count, &entry);
}

/* Take the entry at @slot out of the heap. */
static void take_out(struct event_queue *q, uint32_t slot)
{
	struct event_entry last = q->heap[q->count--];

	if (slot <= q->count)
		sift(q, slot, &last);
}

void event_queue_remove(struct event_queue *q, struct sim_event *ev)
{
	uint32_t slot = q->place[ev->id];

	forget(q, ev);
	take_out(q, slot);
}

/*
 * The caches fetch what the next event touches, and what those touch of which one comes after it
 * unless others are scheduled, while the first one runs; and the names of those that follow these. (GCC
 * drops calls of a function that does nothing but prefetch.)
 */
static inline __attribute__((always_inline)) void expect_next(const struct event_queue *q)
{
	const struct event_named *next;
	uint32_t i;

	if (!q->count)
		return;
	event_queue_expect_first(q);
	if (q->count <= CHILDREN)
		return;
	for (i = 0; i < CHILDREN; i++) {
		next = &q->named[q->heap[2 + i].id];
		__builtin_prefetch(next->ev);
		__builtin_prefetch(next->touches);
	}
	if (q->count <= CHILDREN * (CHILDREN + 1))
		return;
	for (i = 0; i < CHILDREN * CHILDREN; i++)
		__builtin_prefetch(&q->named[q->heap[2 + CHILDREN + i].id]);
}

struct sim_event *event_queue_take(struct event_queue *q, struct event_entry *entry)
{
	struct sim_event *ev = q->named[q->heap[1].id].ev;

	*entry = q->heap[1];
	forget(q, ev);
	take_out(q, 1);
	expect_next(q);
	return ev;
}
