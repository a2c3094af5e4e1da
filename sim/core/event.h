/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event kernel: virtual time and the queue of events.
 *
 * Virtual time counts picoseconds from the start of the run. Events are structures embedded in
 * their owners, so scheduling allocates no memory for an event. Events run in the order of their
 * times, and events of the same time in the order in which they were scheduled. So a run is a
 * function of its inputs and its seed. One struct sim belongs to one thread.
 *
 * Windows are another order for a simulation of many nodes on a network, where the events in order
 * of time always belong to another node, whose memory is in no cache. Each event has a domain, which
 * is that of a node or that of the network. An event of a node changes only that node, and schedules
 * events of the node and, later by some distance, of the network. An event of the network does so
 * for the network and, later by some distance, for nodes. So the events of a node within a window of
 * time do not depend on those of others in that window, and run in a row: the window of node 1, of
 * node 2 and so on, then that of the network. Each domain runs its events in the order of their
 * times, as it would without windows.
 */
#ifndef TALLY_SIM_CORE_EVENT_H
#define TALLY_SIM_CORE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rng.h"

/* Virtual time in picoseconds; 64 bits are enough for 213 days. */
typedef uint64_t vtime_t;

#define VT_PS		((vtime_t)1)
#define VT_NS		(1000 * VT_PS)
#define VT_US		(1000 * VT_NS)
#define VT_MS		(1000 * VT_US)
#define VT_S		(1000 * VT_MS)
#define VT_NEVER	UINT64_MAX

struct sim;

/*
 * An event; its fields are private to the kernel, except @touches and @domain. It must stay in place
 * while it is pending, and in its domain.
 */
struct sim_event {
	void (*fn)(void *arg);
	void *arg;
	const void *touches;	/* what fn will read first, for the cache; NULL: nothing in particular */
	uint32_t id;		/* number among the pending events, from 1; 0: not pending */
	uint16_t domain;	/* 0: network; in windows, others are those of nodes */
};

/*
 * Create a simulation at time 0, whose random numbers follow from @seed. Returns NULL if there is
 * no memory.
 */
struct sim *sim_new(uint64_t seed);

/*
 * Free the kernel, which may be NULL, but not the events. Their owners either cancel them before
 * this call, or ignore them after it.
 */
void sim_free(struct sim *sim);

#define SIM_MAX_NODES	1024

/* The least time from an event to one that it schedules in another domain, not 0. */
struct sim_windows {
	unsigned int nodes;	/* whose domains are 1 and following ones */
	vtime_t to_network;	/* from an event of a node */
	vtime_t to_node;	/* from an event of the network */
};

/*
 * Let the simulation run in windows, before anything is scheduled. Returns 0, -EINVAL or -ENOMEM. An
 * event that schedules another one too early, or in the domain of another node, aborts the program.
 */
int sim_set_windows(struct sim *sim, const struct sim_windows *win);

/*
 * In windows, fn(arg, ahead) is called before the events of @node run: while those of the fourth node
 * before it do (@ahead = 4), of the third, of the second and of the one before it (1). It lets the
 * caches fetch what the events will touch; what one call lets them fetch can be read by the next one.
 * It changes nothing.
 */
#define SIM_MAX_AHEAD	4

void sim_set_expect(struct sim *sim, unsigned int node, void (*fn)(void *arg, unsigned int ahead),
		    void *arg);

/* Return the current virtual time, during an event the time of that event. */
vtime_t sim_now(const struct sim *sim);

/* Return the run's random number generator, which @sim owns. */
struct rng *sim_rng(struct sim *sim);

/* Prepare @ev to call fn(arg) when it fires. The event must not be pending. */
void sim_event_init(struct sim_event *ev, void (*fn)(void *arg), void *arg);

/*
 * Schedule @ev to fire at @at, or now if that is in the past. A pending event is moved and counts
 * as scheduled anew. The event is no longer pending when its function runs, so the function may
 * schedule it again or free it. Aborts the program if the queue cannot grow, because a run that
 * loses an event has wrong results.
 */
void sim_schedule(struct sim *sim, struct sim_event *ev, vtime_t at);

/* Schedule @ev to fire @delay from now. A sum beyond the end of time becomes VT_NEVER. */
void sim_schedule_in(struct sim *sim, struct sim_event *ev, vtime_t delay);

/*
 * Reserve the next place among events of the same time. An event that takes this place later runs
 * as if it had been scheduled now. So a part that knows a row of future events needs to have only
 * the first of them pending, and an event that turns out to be useless need not be scheduled.
 */
uint64_t sim_reserve(struct sim *sim);

/*
 * As sim_schedule(), in the place @order, which sim_reserve() returned and only @ev takes. Places below
 * SIM_FIXED_ORDERS, which precede all of these, are for events of which the order of scheduling
 * must not matter: it differs between windows and no windows for events that other domains schedule.
 */
#define SIM_FIXED_ORDERS	((uint64_t)1 << 32)

void sim_schedule_reserved(struct sim *sim, struct sim_event *ev, vtime_t at, uint64_t order);

/* Return whether an event at @at in the place @order has run by now, or would have. */
bool sim_passed(const struct sim *sim, vtime_t at, uint64_t order);

/* Remove @ev from the queue, if it is pending. */
void sim_cancel(struct sim *sim, struct sim_event *ev);

static inline bool sim_pending(const struct sim_event *ev)
{
	return ev->id != 0;
}

/*
 * Write the time of the earliest pending event to @t. Returns false, with @t unchanged, if there is
 * none.
 */
bool sim_next_time(const struct sim *sim, vtime_t *t);

/*
 * Run every event up to and including time @t, including those that are scheduled meanwhile, then
 * set the clock to @t; the clock never goes back. Must not be called from an event. Returns the
 * number of events that ran.
 */
uint64_t sim_run_until(struct sim *sim, vtime_t t);

/* Return the number of events that have run. */
uint64_t sim_events(const struct sim *sim);

/*
 * Run until nothing is pending or the next event would be later than @limit. Returns true in the
 * first case, with the clock at the last event, false in the second, with the clock at @limit. Must
 * not be called from an event.
 */
bool sim_run_idle(struct sim *sim, vtime_t limit);

#endif
