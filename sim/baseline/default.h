/* SPDX-License-Identifier: BSD-2-Clause */
/* What libraries choose. For baseline_default(). */
#ifndef TALLY_SIM_BASELINE_DEFAULT_H
#define TALLY_SIM_BASELINE_DEFAULT_H

#include "baseline/plan.h"

/*
 * Writes the algorithm of Open MPI for the task, whose ranks are on nodes of their own. False: it
 * is not modelled.
 */
bool baseline_openmpi(const struct baseline_task *task, char name[BASELINE_NAME_MAX]);

static inline bool baseline_is_pow2(uint32_t n)
{
	return !(n & (n - 1));
}

#endif
