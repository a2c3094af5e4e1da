/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of a group's edges, by modes. group_check.c has checked the configuration itself. */
#ifndef TALLY_FIRMWARE_EDGES_CHECK_H
#define TALLY_FIRMWARE_EDGES_CHECK_H

#include "firmware/result.h"

#include <stdbool.h>

/* Check the roles of a group's edges in TREE. `num_edges` counts all edges. */
struct engine_result tree_check(const struct tally_group_cfg *cfg,
				const struct tally_group_edge *edges, uint32_t num_edges);
/* Check the roles of a group's edges in EXCHANGE and RING. `num` counts the edges with an index. */
struct engine_result peers_check(const struct tally_group_cfg *cfg,
				 const struct tally_group_edge *edges, uint32_t num);

/* Check the i-th edge, which does not lead to a child: the fields of children are zero. */
struct engine_result no_child_check(const struct tally_group_edge *ge, uint32_t i);

/* Report an error in a field of the i-th edge. */
#define EDGE_ERROR(i, field) edge_error(i, offsetof(struct tally_group_edge, field))

static inline struct engine_result edge_error(uint32_t i, size_t field)
{
	return (struct engine_result){ TALLY_ADMIN_STATUS_BAD_FIELD,
				       sizeof(struct tally_group_cfg) +
					       i * sizeof(struct tally_group_edge) + field };
}

static inline bool ranges_overlap(uint64_t a, uint64_t num_a, uint64_t b, uint64_t num_b)
{
	return a < b + num_b && b < a + num_a;
}

#endif
