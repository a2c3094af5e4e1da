/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments that groups own and hold. */
#ifndef TALLY_SIM_ENGINE_POOL_H
#define TALLY_SIM_ENGINE_POOL_H

#include "engine/tables.h"

/* Return the number of segments that a further group may own. */
uint32_t pool_left(const struct engine *e);
/* Count the segments of a group that is created or destroyed. */
void pool_join(struct engine *e, const struct group *g);
void pool_leave(struct engine *e, const struct group *g);
/* Set the segments aside that the group owns, because an epoch begins; its numbers begin at 0. */
void pool_begin(struct engine *e, struct group *g);
/*
 * Borrow segments for numbers below `top`, all of which a local rank has posted, as far as the group
 * and the NIC have room. Returns whether the limit has risen.
 */
bool pool_borrow(struct engine *e, struct group *g, uint32_t top);
/* The oldest chunk is done. */
void pool_advance(struct engine *e, struct group *g);
/* Give all segments back, because the epoch has ended. */
void pool_end(struct engine *e, struct group *g);

#endif
