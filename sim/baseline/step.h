/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of a plan that need no other rank's doing. For rank.c. */
#ifndef TALLY_SIM_BASELINE_STEP_H
#define TALLY_SIM_BASELINE_STEP_H

#include "baseline/cluster.h"

/* Carries out any step but RECV and WAIT. */
void baseline_do_step(struct baseline_rank *r, const struct baseline_step *s);

/* The rank's CPU works for @work, not before now. Returns when that is done. */
vtime_t baseline_spend(struct baseline_rank *r, const char *what, vtime_t work);

#endif
