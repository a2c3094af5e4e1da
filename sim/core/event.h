/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event kernel: virtual time and the queue of things that happen in it.
 *
 * Virtual time counts picoseconds from the start of the run. Events are structures embedded in
 * their owner, so that scheduling allocates nothing per event. Events run in order of time, those
 * of the same time in the order in which they were scheduled: a run is a function of its inputs
 * and its seed. One struct sim belongs to one thread.
 */
#ifndef TALLY_SIM_CORE_EVENT_H
#define TALLY_SIM_CORE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"

/* Virtual time in picoseconds; 64 bits last 213 days. */
typedef uint64_t vtime_t;

#define VT_PS		((vtime_t)1)
#define VT_NS		(1000 * VT_PS)
#define VT_US		(1000 * VT_NS)
#define VT_MS		(1000 * VT_US)
#define VT_S		(1000 * VT_MS)
#define VT_NEVER	UINT64_MAX

struct sim;

/* An event; its fields are private to the kernel. It must not go away while it is pending. */
struct sim_event {
	void (*fn)(void *arg);
	void *arg;
	vtime_t at;
	uint64_t order;		/* position among events of the same time */
	size_t slot;		/* place in the heap, counted from 1; 0 = not pending */
};

/* A simulation at time 0 whose random numbers follow from @seed. NULL: no memory. */
struct sim *sim_new(uint64_t seed);

/*
 * Frees the kernel, not the events: these belong to their owners, who cancel them before this
 * call or just drop them after it. NULL is allowed.
 */
void sim_free(struct sim *sim);

/* Current virtual time. */
vtime_t sim_now(const struct sim *sim);

/* The run's random numbers; owned by @sim. */
struct rng *sim_rng(struct sim *sim);

/* Prepares @ev to call fn(arg) when it fires. Not for an event that is pending. */
void sim_event_init(struct sim_event *ev, void (*fn)(void *arg), void *arg);

/*
 * Makes @ev fire at @at, a time already past meaning now. A pending event is moved and counts as
 * scheduled anew. The event is no longer pending when its function runs, so the function may
 * schedule it again or free it. Aborts the program when the queue cannot grow: a run that lost an
 * event would be a wrong run.
 */
void sim_schedule(struct sim *sim, struct sim_event *ev, vtime_t at);

/* Like sim_schedule, @delay from now; a sum past the end of time becomes VT_NEVER. */
void sim_schedule_in(struct sim *sim, struct sim_event *ev, vtime_t delay);

/* Takes @ev out of the queue; no effect when it is not pending. */
void sim_cancel(struct sim *sim, struct sim_event *ev);

static inline bool sim_pending(const struct sim_event *ev)
{
	return ev->slot != 0;
}

/* Time of the earliest pending event into @t; false (and @t untouched) when there is none. */
bool sim_next_time(const struct sim *sim, vtime_t *t);

/*
 * Runs every event up to and including time @t, those scheduled on the way too, then sets the
 * clock to @t; the clock never goes back. Not to be called from an event. Returns the number of
 * events run.
 */
uint64_t sim_run_until(struct sim *sim, vtime_t t);

/*
 * Runs until nothing is pending (true; the clock stays at the last event) or the next event would
 * be later than @limit (false; the clock is at @limit). Not to be called from an event.
 */
bool sim_run_idle(struct sim *sim, vtime_t limit);

#endif
