/* SPDX-License-Identifier: BSD-2-Clause */
/* A rank that carries out its part of a plan. For exec.c. */
#ifndef TALLY_SIM_BASELINE_RANK_H
#define TALLY_SIM_BASELINE_RANK_H

#include "baseline/cluster.h"

/* The rank calls at @at. */
void baseline_rank_start(struct baseline_rank *r, vtime_t at);

/* @m can be seen by the rank's CPU. */
void baseline_rank_arrived(struct baseline_rank *r, struct baseline_message *m);

/* What the bed had for the last plan goes. */
void baseline_rank_reset(struct baseline_rank *r);

#endif
