/* SPDX-License-Identifier: BSD-2-Clause */
/* Edges of a group in TREE. */
#ifndef TALLY_SIM_ENGINE_GROUP_TREE_H
#define TALLY_SIM_ENGINE_GROUP_TREE_H

#include "engine/tables.h"

/* Return the number of edges with an index; if the parent's edge has none, it follows them. */
uint32_t cfg_contributors(const struct tally_group_cfg *cfg, const struct tally_group_edge *edges,
			  uint32_t num_edges);
/* Check the roles of a group's edges in TREE. `num_edges` counts all edges. */
struct engine_result group_check_tree(const struct tally_group_cfg *cfg,
				      const struct tally_group_edge *edges, uint32_t num_edges);
/* Fill them in. `num` counts the edges with an index. */
void group_fill_tree(struct group *g, const struct tally_group_edge *edges, uint32_t num);

#endif
