/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How virtual time follows the wall clock when VMs are attached.
 *
 * Call the wall clock W and virtual time V, both counted from the start of the worker.
 *
 *  - V <= W always: virtual time never leads.
 *  - Asleep, V rests PACE_LAG or more behind W. The worker wakes for an event at T when
 *    W >= T + PACE_LAG, or when a guest rings.
 *  - Awake, V first moves up to W - PACE_LAG, but not past an event: crossing time in which nothing
 *    happens runs nothing. There the doorbells are looked at, and only then do events run. So a
 *    worker that comes late does not fire a time limit over a post that was already made.
 *  - Then every event up to W runs at once. A chain of events a few microseconds apart, which is
 *    what a collective operation is, uses up the lag and does not sleep in between; while the
 *    worker sleeps, the lag fills up again.
 *  - When events cost more than they are long, V falls further behind and nothing else changes.
 *
 * A time limit thus means to a guest what it says, give or take PACE_LAG and the time it takes to
 * wake up.
 */
#ifndef TALLY_SIM_SERVE_PACE_H
#define TALLY_SIM_SERVE_PACE_H

#include <stdbool.h>

#include "core/event.h"

/* An order above what a collective takes, an order below the shortest time limit. */
#define PACE_LAG	VT_MS

/* Events between two looks at the doorbells. */
#define PACE_BATCH	64

/*
 * One round at the wall time @wall: crosses empty time, calls doorbells(arg), which says whether
 * something was new, and runs up to PACE_BATCH moments of events. Returns false when neither had
 * anything, so that the worker may sleep.
 */
bool pace_step(struct sim *sim, vtime_t wall, bool (*doorbells)(void *arg), void *arg);

/* Wall time at which to wake up for the next event; VT_NEVER when there is none. */
vtime_t pace_wakeup(const struct sim *sim);

#endif
