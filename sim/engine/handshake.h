/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening of edges. */
#ifndef TALLY_SIM_ENGINE_HANDSHAKE_H
#define TALLY_SIM_ENGINE_HANDSHAKE_H

#include "engine/tables.h"

void handshake_begin(struct engine *e, const struct group *g, struct edge *ed);
/* Repeat OPEN soon: the neighbour sends data already and waits for this side. */
void handshake_hurry(struct engine *e, struct edge *ed);
void handshake_timer(struct engine *e, struct group *g, unsigned int idx);
/* Handle an OPEN. Returns whether the edge is open now and was not before. */
bool handshake_packet(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		      const void *payload);

#endif
