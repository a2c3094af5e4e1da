/* SPDX-License-Identifier: BSD-2-Clause */
/* What Open MPI chooses. For baseline_default(). */
#ifndef TALLY_SIM_BASELINE_OPENMPI_H
#define TALLY_SIM_BASELINE_OPENMPI_H

#include "baseline/plan.h"

/*
 * Writes the algorithm of Open MPI for the task, whose ranks are on nodes of their own. False: it
 * is not modelled.
 */
bool baseline_openmpi(const struct baseline_task *task, char name[BASELINE_NAME_MAX]);

#endif
