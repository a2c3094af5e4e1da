/* SPDX-License-Identifier: BSD-2-Clause */
/* What the host does without offload. Used by `tallysim coll`. */
#ifndef TALLY_SIM_BENCH_HOST_DEFAULT_H
#define TALLY_SIM_BENCH_HOST_DEFAULT_H

#include "baseline/baseline.h"

/*
 * Measures the default algorithms of MPICH and Open MPI and writes the faster one to @name and
 * @res. Returns as baseline_run().
 */
int bench_host_default(const struct bench_workload *c, struct bench_result *res,
		       char name[BASELINE_NAME_MAX]);

#endif
