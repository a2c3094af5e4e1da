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

static inline const struct group_plan *tally_group_plan(const struct tallydv_plan *dv)
{
	return (const struct group_plan *)((const char *)dv - offsetof(struct group_plan, dv));
}

#endif
