/* SPDX-License-Identifier: BSD-2-Clause */
/* Edges of a group in EXCHANGE and RING. */
#ifndef TALLY_SIM_ENGINE_GROUP_PEERS_H
#define TALLY_SIM_ENGINE_GROUP_PEERS_H

#include "engine/tables.h"

/* Fill in the roles of edges in EXCHANGE and RING. `num` counts the edges with an index. */
void group_fill_peers(struct group *g, const struct tally_group_edge *edges, uint32_t num);

#endif
