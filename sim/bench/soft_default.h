/* SPDX-License-Identifier: BSD-2-Clause */
/* What libraries choose. For soft_default(). */
#ifndef TALLY_SIM_BENCH_SOFT_DEFAULT_H
#define TALLY_SIM_BENCH_SOFT_DEFAULT_H

#include "bench/soft_plan.h"

/*
 * Writes the algorithm of Open MPI for the task, whose ranks are on nodes of their own. False: it
 * is not modelled.
 */
bool soft_openmpi(const struct soft_task *task, char name[SOFT_NAME_MAX]);

static inline bool soft_is_pow2(uint32_t n)
{
	return !(n & (n - 1));
}

#endif
