/* SPDX-License-Identifier: BSD-2-Clause */
/* A rank that executes its part of a plan. Used by exec.c. */
#ifndef TALLY_SIM_BASELINE_RANK_H
#define TALLY_SIM_BASELINE_RANK_H

#include "baseline/cluster.h"

/* Makes the rank call at @at. */
void baseline_rank_start(struct baseline_rank *r, vtime_t at);

/* Makes @m visible to the rank's CPU. */
void baseline_rank_arrived(struct baseline_rank *r, struct baseline_message *m);

/* Frees the state of the last plan. */
void baseline_rank_reset(struct baseline_rank *r);

#endif
