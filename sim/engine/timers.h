/* SPDX-License-Identifier: BSD-2-Clause */
/* What is due. */
#ifndef TALLY_SIM_ENGINE_TIMERS_H
#define TALLY_SIM_ENGINE_TIMERS_H

#include "engine/tables.h"

/* Return when the next of all timers is due. */
uint64_t timers_next(struct engine *e);
/* Run what is due: the groups by their numbers, in a group first what is due on its edges. */
void timers_run(struct engine *e);

#endif
