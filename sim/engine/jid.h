/* SPDX-License-Identifier: BSD-2-Clause */
/* Lookup of groups and tombstones by job id. */
#ifndef TALLY_SIM_ENGINE_JID_H
#define TALLY_SIM_ENGINE_JID_H

#include "engine/tables.h"

void jid_add(struct engine *e, struct group *g);
void jid_remove(struct engine *e, struct group *g);
/* Return the first group or tombstone with this job id, and the next one after `g`, or NULL. */
struct group *jid_first(struct engine *e, uint32_t jid);
struct group *jid_next(const struct group *g);

#endif
