/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers on behalf of destroyed groups. */
#ifndef TALLY_SIM_ENGINE_TOMBSTONE_H
#define TALLY_SIM_ENGINE_TOMBSTONE_H

#include "engine/tables.h"

bool is_tombstone(const struct engine *e, const struct group *g);
/* Keep the state of a destroyed group for as long as a neighbour may repeat packets to it. */
void tombstone_erect(struct engine *e, const struct group *g);
/* Note that a packet may have given a tombstone something to repeat. Other groups are ignored. */
void tombstone_heard(struct engine *e, const struct group *g);
void tombstone_timers(struct engine *e);
void tombstone_forget(struct engine *e, struct group *t);

#endif
