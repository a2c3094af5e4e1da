/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Internal structure of a plan. */
#ifndef TALLY_PLAN_GROUP_H
#define TALLY_PLAN_GROUP_H

#include "plan/plan.h"
#include "tallydv.h"

struct group_plan {
	struct tallydv_plan dv;
	struct plan plan;
	union ibv_gid *gids;
	uint8_t (*macs)[6];	/* NULL: derived from GIDs */
	union ibv_gid mcast_gid;
};

/* Returns whether the groups have several modes. */
static inline bool tally_plan_is_shared(const struct plan *plan)
{
	return plan->modes & (plan->modes - 1);
}

/*
 * Returns whether the last edge of the node leads to a parent that is no contributor, and has no
 * index. In a group of several modes it is the only one without a role.
 */
static inline bool tally_plan_has_parent_last(const struct plan *plan, const struct plan_node *node)
{
	if (!tally_plan_is_shared(plan))
		return plan->mode == TALLY_MODE_TREE && node->node;
	return node->num_edges && !node->edge[node->num_edges - 1].roles;
}

static inline const struct group_plan *tally_group_plan(const struct tallydv_plan *dv)
{
	return (const struct group_plan *)((const char *)dv - offsetof(struct group_plan, dv));
}

#endif
