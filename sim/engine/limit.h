/* SPDX-License-Identifier: BSD-2-Clause */
/* Time limits of work requests that are in no slot. */
#ifndef TALLY_SIM_ENGINE_LIMIT_H
#define TALLY_SIM_ENGINE_LIMIT_H

#include "engine/tables.h"

/* Returns whether a descriptor has fired, so that others may proceed. */
bool limit_timers(struct engine *e, struct group *g);
uint64_t limit_next(struct engine *e, const struct group *g);

#endif
