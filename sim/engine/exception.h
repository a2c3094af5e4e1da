/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions: what a unit of the engine reports when an epoch cannot go on. The exception freezes
 * the group at once: from then on no unit begins anything for it. Collecting reports, telling the
 * neighbours and having the requests completed are the task of the firmware. So a unit depends on
 * nothing that handles exceptions.
 */
#ifndef TALLY_SIM_ENGINE_EXCEPTION_H
#define TALLY_SIM_ENGINE_EXCEPTION_H

#include "engine/tables.h"

/*
 * Freeze a group whose epoch runs. A host that raises exceptions has done this by itself, or hears of it
 * with the exception.
 */
void exception_freeze(struct engine *e, struct group *g);
/*
 * End the epoch for a cause that the unit knows. @contributors and @ranks are those at fault or
 * missing, @mid and @sid say which message and chunk are concerned. Later exceptions of a group
 * that is frozen already are dropped: they follow from the first.
 */
void exception_raise(struct engine *e, struct group *g, uint16_t status, uint64_t contributors,
		     uint64_t ranks, uint32_t mid, uint32_t sid);
/* A time limit has passed: the report names what the oldest unfinished chunk lacks. */
void exception_time_out(struct engine *e, struct group *g);
/* A neighbour does not answer: the report names it, and the oldest unfinished chunk. */
void exception_silence(struct engine *e, struct group *g, uint64_t contributors);
/* End the epoch if ranks left before they posted chunk @num of message @mid. */
void exception_if_gone(struct engine *e, struct group *g, uint32_t num, uint32_t mid);

#endif
