/* SPDX-License-Identifier: BSD-2-Clause */
/* Ways to nodes, positions of ranks. */
#ifndef TALLY_SIM_ENGINE_ROUTE_H
#define TALLY_SIM_ENGINE_ROUTE_H

#include "engine/tables.h"

/* Return the contributor whose subtree holds a node, or -1 if the node is this one or above it. */
int group_route(const struct group *g, uint16_t node);
/* Return the position of a rank among the group's local ranks. */
unsigned int group_rank_index(const struct group *g, unsigned int rank);

#endif
