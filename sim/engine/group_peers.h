/* SPDX-License-Identifier: BSD-2-Clause */
/* Edges of a group in EXCHANGE and RING. */
#ifndef TALLY_SIM_ENGINE_GROUP_PEERS_H
#define TALLY_SIM_ENGINE_GROUP_PEERS_H

#include "engine/tables.h"

/* Check the roles of a group's edges in EXCHANGE and RING. `num` counts the edges with an index. */
struct engine_result group_check_peers(const struct tally_group_cfg *cfg,
				       const struct tally_group_edge *edges, uint32_t num);
void group_fill_peers(struct group *g, const struct tally_group_edge *edges, uint32_t num);

#endif
