/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Software baseline for the offload bench: the same operations in software, over point-to-point
 * messages of the same NICs on the same hosts and fabric. docs/bench.md describes the model, the
 * simplifications in favour of software, and the sources of the libraries' choices.
 */
#ifndef TALLY_SIM_BASELINE_BASELINE_H
#define TALLY_SIM_BASELINE_BASELINE_H

#include "baseline/plan.h"
#include "core/trace.h"
#include "workload/workload.h"

/*
 * Measures a workload with the named algorithm; @trace may be NULL. Returns 0 with the result in
 * @res; or, with a sentence in res->trouble, -EINVAL (no such algorithm or fabric), -EOVERFLOW (too
 * many elements) or -ENOMEM.
 */
int baseline_run(const struct bench_workload *c, const char *algorithm, struct sim_trace *trace,
		 struct bench_result *res);

/*
 * Finds the fastest of baseline_algorithms() and writes its name to @name; of equals, the first
 * one. Algorithms that cannot be the fastest are not executed to the end: their baseline_bound() is
 * too high, or the time limit ends them. With skew or noise, the BASELINE_FINALISTS fastest ones
 * without are measured. Returns as baseline_run().
 */
int baseline_best(const struct bench_workload *c, struct bench_result *res,
		  char name[BASELINE_NAME_MAX]);

#define BASELINE_FINALISTS 8

/*
 * Returns the names of all algorithms for a workload, terminated by NULL. The list is empty if
 * there is no software algorithm for the operation. The next call overwrites it.
 */
const char *const *baseline_algorithms(const struct bench_workload *c);

/*
 * Returns the algorithm that a library chooses by default: a name for baseline_run(), valid until
 * the next call. @library is "mpich" or "openmpi". Returns NULL if the library is unknown or has no
 * algorithm for the workload.
 */
const char *baseline_default(const struct bench_workload *c, const char *library);

#endif
