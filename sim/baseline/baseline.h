/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What NICs that do collective operations are compared with: the same operations in software, over
 * point-to-point messages of the same NICs on the same hosts and fabric. docs/bench.md says what is
 * modelled, what is left out in favour of software, and where the libraries' choices are from.
 */
#ifndef TALLY_SIM_BASELINE_BASELINE_H
#define TALLY_SIM_BASELINE_BASELINE_H

#include "baseline/plan.h"
#include "core/trace.h"
#include "workload/workload.h"

/*
 * Measures the case with the algorithm of that name; @trace may be NULL. 0 and the result in @res,
 * or with a sentence in res->trouble -EINVAL (no such algorithm or no such fabric), -EOVERFLOW (too
 * many elements), -ENOMEM.
 */
int baseline_run(const struct bench_workload *c, const char *algorithm, struct sim_trace *trace,
		 struct bench_result *res);

/*
 * The fastest of all algorithms of baseline_algorithms(), its name in @name; of equals the first. Those
 * that cannot be it are not carried out to the end: baseline_bound() is too high, or time is up. With
 * skew or noise the BASELINE_FINALISTS fastest without are measured. Returns as baseline_run().
 */
int baseline_best(const struct bench_workload *c, struct bench_result *res,
		  char name[BASELINE_NAME_MAX]);

#define BASELINE_FINALISTS 8

/*
 * The names of all algorithms for the case, NULL behind the last one; empty where software does not
 * do the operation. Overwritten by the next call.
 */
const char *const *baseline_algorithms(const struct bench_workload *c);

/*
 * What the library chooses for the case when nobody tells it otherwise: a name for baseline_run(),
 * valid until the next call. @library is "mpich" or "openmpi". NULL: not known, or nothing for the
 * case.
 */
const char *baseline_default(const struct bench_workload *c, const char *library);

#endif
