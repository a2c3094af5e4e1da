/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrival times of the parts of messages. */
#ifndef TALLY_SIM_ENGINE_ARRIVAL_H
#define TALLY_SIM_ENGINE_ARRIVAL_H

#include "engine/tables.h"

void arrival_begin(struct engine *e, struct group *g, const struct slot *s);
/* Note that local ranks have posted their part, or that contributors have sent theirs. */
void arrival_note(struct engine *e, struct group *g, const struct slot *s, uint64_t ranks,
		  uint64_t contributors);
void arrival_done(const struct engine *e, struct group *g, const struct slot *s);

#endif
