/* SPDX-License-Identifier: BSD-2-Clause */
/* Contexts of groups. */
#ifndef TALLY_SIM_ENGINE_GROUP_CFG_H
#define TALLY_SIM_ENGINE_GROUP_CFG_H

#include "engine/tables.h"

/* Fill in a group from a configuration that the firmware has checked; its edges begin to open. */
void group_fill(struct engine *e, struct group *g, const struct tally_group_cfg *cfg,
		const struct tally_group_edge *edges, uint32_t num_edges);

#endif
