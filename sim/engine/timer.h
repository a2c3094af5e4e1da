/* SPDX-License-Identifier: BSD-2-Clause */
/* Heap of active timers. */
#ifndef TALLY_SIM_ENGINE_TIMER_H
#define TALLY_SIM_ENGINE_TIMER_H

#include "engine/tables.h"

/*
 * Note that an edge or a group may have something to do earlier than before. Whoever makes one of
 * its times earlier must call this.
 */
void timer_touch(struct engine *e, struct timer *t);
/* Set the time of an entry of the heap. NEVER takes it out. */
void timer_set(struct engine *e, struct timer *t, uint64_t at);
/* Return the group that has a timer, itself or on an edge. */
struct group *timer_owner(struct engine *e, const struct timer *t);
/* Forget the timers of a group and its edges. */
void timers_drop(struct engine *e, struct group *g);

#endif
