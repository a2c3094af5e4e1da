/* SPDX-License-Identifier: BSD-2-Clause */
/* What a host that has the pool of segments is told (pool.h). */
#ifndef TALLY_SIM_ENGINE_POOL_HOST_H
#define TALLY_SIM_ENGINE_POOL_HOST_H

#include "engine/tables.h"

/* A group is counted, or not any more. */
void pool_host_join(struct engine *e, struct group *g);
void pool_host_leave(struct engine *e, const struct group *g);
/* The firmware takes no event until the host has begun the epoch. */
void pool_host_begin(struct engine *e, struct group *g);
void pool_host_end(struct engine *e, const struct group *g);
/* Ask for segments of numbers below `top`, unless that was in vain since done has moved. */
void pool_host_borrow(struct engine *e, struct group *g, uint32_t top);

#endif
