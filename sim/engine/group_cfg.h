/* SPDX-License-Identifier: BSD-2-Clause */
/* Configuration of groups. */
#ifndef TALLY_SIM_ENGINE_GROUP_CFG_H
#define TALLY_SIM_ENGINE_GROUP_CFG_H

#include "engine/tables.h"

/* Check a configuration. In the offset of an error, the edges follow the configuration. */
struct engine_result group_check(const struct engine *e, const struct tally_group_cfg *cfg,
				 const struct tally_group_edge *edges, uint32_t num_edges);
/* Fill in a group from a checked configuration; its edges begin to open. */
void group_fill(struct engine *e, struct group *g, const struct tally_group_cfg *cfg,
		const struct tally_group_edge *edges, uint32_t num_edges);

#endif
