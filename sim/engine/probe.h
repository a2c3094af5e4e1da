/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes of silent neighbours. */
#ifndef TALLY_SIM_ENGINE_PROBE_H
#define TALLY_SIM_ENGINE_PROBE_H

#include "engine/tables.h"

/* Start probing the neighbours that the oldest unfinished chunk waits for. */
void probe_watch(struct engine *e, struct group *g);
void probe_timer(struct engine *e, struct group *g, unsigned int idx);
/* Answer a QUERY. */
void probe_packet(struct engine *e, struct group *g, unsigned int idx, const struct tch *t);

#endif
