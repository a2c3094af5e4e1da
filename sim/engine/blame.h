/* SPDX-License-Identifier: BSD-2-Clause */
/* Blame for the end of an epoch. */
#ifndef TALLY_SIM_ENGINE_BLAME_H
#define TALLY_SIM_ENGINE_BLAME_H

#include "engine/tables.h"

/*
 * Return the local ranks that have not posted a message. A rank whose request only waits for the
 * window has posted.
 */
uint64_t blame_late_ranks(struct engine *e, const struct group *g, uint32_t mid);
/* Report the oldest unfinished chunk, and the neighbours and late ranks that it waits for. */
struct report blame_oldest(struct engine *e, const struct group *g);
/* Return the report on the cause of a group's exception. */
struct report blame_cause(struct engine *e, const struct group *g);
/*
 * Report what this NIC knows in addition to the report of a NIC that has timed out. Returns false
 * if it knows nothing.
 */
bool blame_view(struct engine *e, const struct group *g, const struct report *told,
		struct report *mine);
/* Return how close a report is to the cause. */
unsigned int blame_weight(const struct report *r);
bool blame_better(const struct report *a, const struct report *b);

#endif
