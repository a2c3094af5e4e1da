/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of a plan that do not depend on other ranks. Used by rank.c. */
#ifndef TALLY_SIM_BASELINE_STEP_H
#define TALLY_SIM_BASELINE_STEP_H

#include "baseline/cluster.h"

/* Executes any step except RECV and WAIT. */
void baseline_do_step(struct baseline_rank *r, const struct baseline_step *s);

/* Keeps the rank's CPU busy for @work, from now on at the earliest. Returns the end. */
vtime_t baseline_spend(struct baseline_rank *r, const char *what, vtime_t work);

#endif
