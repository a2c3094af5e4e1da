/* SPDX-License-Identifier: BSD-2-Clause */
/* The choices of Open MPI. Used by baseline_default(). */
#ifndef TALLY_SIM_BASELINE_OPENMPI_H
#define TALLY_SIM_BASELINE_OPENMPI_H

#include "baseline/plan.h"

/*
 * Writes Open MPI's algorithm for the task, whose ranks are on nodes of their own. Returns false if
 * it is not modelled.
 */
bool baseline_openmpi(const struct baseline_task *task, char name[BASELINE_NAME_MAX]);

#endif
