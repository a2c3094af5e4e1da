/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What NICs that do collective operations are compared with: the same operations in software, over
 * point-to-point messages of the same NICs on the same hosts and fabric. docs/bench.md says what is
 * modelled, what is left out in favour of software, and where the libraries' choices are from.
 */
#ifndef TALLY_SIM_BENCH_SOFT_H
#define TALLY_SIM_BENCH_SOFT_H

#include "bench/case.h"
#include "bench/soft_plan.h"
#include "core/trace.h"

/*
 * Measures the case with the algorithm of that name; @trace may be NULL. 0 and the result in @res,
 * or with a sentence in res->trouble -EINVAL (no such algorithm or no such fabric), -EOVERFLOW (too
 * many elements), -ENOMEM.
 */
int soft_run(const struct bench_case *c, const char *algorithm, struct sim_trace *trace,
	     struct bench_result *res);

/*
 * The fastest of all algorithms of soft_algorithms(), its name in @name; of equals the first. Those
 * that cannot be it are not carried out to the end: soft_bound() is too high, or time is up. With
 * skew or noise the SOFT_FINALISTS fastest without are measured. Returns as soft_run().
 */
int soft_best(const struct bench_case *c, struct bench_result *res, char name[SOFT_NAME_MAX]);

#define SOFT_FINALISTS	8

/*
 * The names of all algorithms for the case, NULL behind the last one; empty where software does not
 * do the operation. Overwritten by the next call.
 */
const char *const *soft_algorithms(const struct bench_case *c);

/*
 * What the library chooses for the case when nobody tells it otherwise: a name for soft_run(),
 * valid until the next call. @library is "mpich" or "openmpi". NULL: not known, or nothing for the
 * case.
 */
const char *soft_default(const struct bench_case *c, const char *library);

#endif
