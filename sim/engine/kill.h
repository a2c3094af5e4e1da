/* SPDX-License-Identifier: BSD-2-Clause */
/* End of an epoch. */
#ifndef TALLY_SIM_ENGINE_KILL_H
#define TALLY_SIM_ENGINE_KILL_H

#include "engine/tables.h"

/* Handle the exceptions that the present work has raised. */
void kill_exceptions(struct engine *e);
void kill_packet(struct engine *e, struct group *g, unsigned int idx, const struct tch *t,
		 const void *payload);
/* Set the report of a destroyed group, for neighbours that still need something from it. */
void kill_peer_gone(struct group *g);
/* Send KILL to one neighbour until it acknowledges. */
void kill_tell(struct engine *e, struct group *g, struct edge *ed);
/* End the epoch of a destroyed group that has not drained in time. */
void kill_undrained(struct engine *e, struct group *g);
void kill_edge_timer(struct engine *e, struct group *g, struct edge *ed);
uint64_t kill_edge_next(const struct edge *ed);
/* The time to collect reports is over. */
void kill_finish(struct engine *e, struct group *g);

#endif
