/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the configuration of a group. They depend on nothing but their arguments. */
#ifndef TALLY_FIRMWARE_GROUP_CHECK_H
#define TALLY_FIRMWARE_GROUP_CHECK_H

#include "firmware/result.h"

/* What the NIC has left for a further group. */
struct group_room {
	uint32_t segs, cells, edges;
};

/*
 * Check a configuration with `num_edges` edges, at most MAX_CONTRIBUTORS + 1. In the offset of an
 * error, the edges follow the configuration.
 */
struct engine_result group_check(const struct tally_group_cfg *cfg,
				 const struct tally_group_edge *edges, uint32_t num_edges,
				 const struct group_room *room);

#endif
