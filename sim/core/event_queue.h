/* SPDX-License-Identifier: BSD-2-Clause */
/* A queue of pending events, for the event kernel: a heap. */
#ifndef TALLY_SIM_CORE_EVENT_QUEUE_H
#define TALLY_SIM_CORE_EVENT_QUEUE_H

#include "core/event.h"

/* A pending event, with the key of the heap beside it: a comparison reads no event. */
struct event_entry {
	vtime_t at;
	uint64_t order;			/* position among events of the same time */
	uint32_t id;			/* of the event */
};

/* What is known of an event by its number, so that moving an entry writes to no event. */
struct event_named {
	struct sim_event *ev;
	const void *touches;
};

/* All zeroes: an empty queue. */
struct event_queue {
	struct event_entry *heap;	/* in heap[1..count], the earliest event first */
	struct event_named *named;	/* by id */
	uint32_t *place;		/* by id: place in the heap; of a free id, the next free one */
	uint32_t free_id;		/* 0: none */
	uint32_t ids;			/* largest id that has been used */
	uint32_t count;
	uint32_t room;			/* entries allocated, including number 0 */
};

void event_queue_free(struct event_queue *q);

/*
 * Add @ev, or move it if it is pending, in which case it is in this queue. Aborts the program if
 * there is no memory.
 */
void event_queue_put(struct event_queue *q, struct sim_event *ev, vtime_t at, uint64_t order);

/* Remove @ev, which is pending in this queue. */
void event_queue_remove(struct event_queue *q, struct sim_event *ev);

/* Remove the earliest event, which exists, and return it. Writes its key to @entry. */
struct sim_event *event_queue_take(struct event_queue *q, struct event_entry *entry);

/* Return the time of the earliest event; VT_NEVER if there is none. */
static inline vtime_t event_queue_time(const struct event_queue *q)
{
	return q->count ? q->heap[1].at : VT_NEVER;
}

/* Return whether there is an event up to @t. */
static inline bool event_queue_due(const struct event_queue *q, vtime_t t)
{
	return q->count && q->heap[1].at <= t;
}

/* Let the caches fetch the queue, then the first event, which exists, and what it touches. */
static inline __attribute__((always_inline)) void event_queue_expect(const struct event_queue *q)
{
	__builtin_prefetch(&q->heap[1]);
	__builtin_prefetch(&q->named[1]);
	__builtin_prefetch(q->place);
}

static inline __attribute__((always_inline)) void
event_queue_expect_first(const struct event_queue *q)
{
	const struct event_named *first = &q->named[q->heap[1].id];

	__builtin_prefetch(first->ev);
	__builtin_prefetch(first->touches);
}

#endif
