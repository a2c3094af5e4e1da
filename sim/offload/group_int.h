/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files of the group. */
#ifndef TALLY_SIM_OFFLOAD_GROUP_INT_H
#define TALLY_SIM_OFFLOAD_GROUP_INT_H

#include "offload/group.h"

/*
 * Makes the plan and counts the ranks. Returns 0, or -errno with the planner's reason in
 * t->trouble.
 */
int bench_group_plan(struct bench_group *t);

#endif
