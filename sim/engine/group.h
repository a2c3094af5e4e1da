/* SPDX-License-Identifier: BSD-2-Clause */
/* Group contexts and their timers. */
#ifndef TALLY_SIM_ENGINE_GROUP_H
#define TALLY_SIM_ENGINE_GROUP_H

#include "engine/tables.h"

/*
 * Return the group or tombstone that a well-formed packet proves to know. If there is none, return
 * the newest with the packet's job id, or NULL.
 */
struct group *group_of_packet(struct engine *e, const struct tch *t, const void *payload);
/*
 * Return the group of a job that is not destroyed, otherwise one that drains, otherwise the newest
 * tombstone, or NULL.
 */
struct group *group_of_job(struct engine *e, uint32_t jid);
/* Retry everything that waited for a window, an edge, a number or a buffer. */
void group_pump(struct engine *e, struct group *g);
void group_timers(struct engine *e, struct group *g);
/* Release a destroyed group; from now on a tombstone answers for it. */
void group_bury(struct engine *e, struct group *g);
/* Raise the event FENCED as soon as no result of the group is being written. */
void group_fence(struct engine *e, struct group *g);
/* Return when a group has something to do that is not a matter of one of its edges. */
uint64_t group_next(struct engine *e, const struct group *g);

#endif
