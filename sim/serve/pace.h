/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The relation of virtual time to the wall clock when VMs are attached.
 *
 * Let W be the wall clock and V the virtual time, both counted from the start of the worker.
 *
 *  - V <= W always: virtual time never leads.
 *  - While the worker sleeps, V is PACE_LAG or more behind W. The worker wakes for an event at T
 *    when W >= T + PACE_LAG, or when a guest rings.
 *  - When the worker is awake, V first advances to W - PACE_LAG, but not past an event. The worker
 *    then polls the doorbells, and only after that do events run. Thus a worker that wakes late
 *    does not let a time limit expire for a post that was already made.
 *  - Then every event up to W runs at once. A collective operation is a chain of events a few
 *    microseconds apart. It consumes the lag without sleeping in between; while the worker sleeps,
 *    the lag grows again.
 *  - If events take longer to simulate than their virtual duration, V falls further behind. This
 *    has no other effect.
 *
 * Thus a guest sees time limits as specified, within PACE_LAG and the time of a wake-up.
 */
#ifndef TALLY_SIM_SERVE_PACE_H
#define TALLY_SIM_SERVE_PACE_H

#include <stdbool.h>

#include "core/event.h"

/* Ten times the duration of a collective, a tenth of the shortest time limit. */
#define PACE_LAG	VT_MS

/* Event times between two polls of the doorbells. */
#define PACE_BATCH	64

/*
 * Runs one round at the wall time @wall: advances over time without events, calls doorbells(arg),
 * which returns whether there was a new one, and runs the events of up to PACE_BATCH times. Returns
 * false if there were neither doorbells nor events, so that the worker may sleep.
 */
bool pace_step(struct sim *sim, vtime_t wall, bool (*doorbells)(void *arg), void *arg);

/* Returns the wall time at which to wake up for the next event; VT_NEVER if there is no event. */
vtime_t pace_wakeup(const struct sim *sim);

#endif
