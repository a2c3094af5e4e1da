/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of the team share. */
#ifndef TALLY_SIM_HOSTS_TEAM_INT_H
#define TALLY_SIM_HOSTS_TEAM_INT_H

#include "hosts/team.h"

/* Makes the plan and counts the ranks. 0 or -errno, with the planner's reason in t->trouble. */
int team_plan(struct team *t);

#endif
