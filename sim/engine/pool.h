/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments that groups own and hold. */
#ifndef TALLY_SIM_ENGINE_POOL_H
#define TALLY_SIM_ENGINE_POOL_H

#include "engine/tables.h"

/* Return the number of segments that a further group may own. */
uint32_t pool_left(const struct engine *e);
/*
 * A group is created or destroyed. A new group is granted at least one of the segments that it owns;
 * the others are owed to it while they are lent. When some have come, `paid` is set and the group's
 * timer touched.
 */
void pool_join(struct engine *e, struct group *g);
void pool_leave(struct engine *e, struct group *g);
/* Set the granted segments aside, because an epoch begins; its numbers begin at 0. */
void pool_begin(struct engine *e, struct group *g);
/*
 * Borrow segments for numbers below `top`, all of which a local rank has posted, as far as the group
 * and the NIC have room. Returns whether the limit has risen.
 */
bool pool_borrow(struct engine *e, struct group *g, uint32_t top);
/* Set segments aside for all numbers below `limit`, as the pool of the host says. */
void pool_raise(struct engine *e, struct group *g, uint32_t limit);
/* The oldest chunk is done. */
void pool_advance(struct engine *e, struct group *g);
/* Give all segments back, because the epoch has ended. */
void pool_end(struct engine *e, struct group *g);

#endif
