/* SPDX-License-Identifier: BSD-2-Clause */
/* Edges of a group in TREE. */
#ifndef TALLY_SIM_ENGINE_GROUP_TREE_H
#define TALLY_SIM_ENGINE_GROUP_TREE_H

#include "engine/tables.h"

/* Fill in the roles of edges in TREE. `num` counts the edges with an index. */
void group_fill_tree(struct group *g, const struct tally_group_edge *edges, uint32_t num);

#endif
