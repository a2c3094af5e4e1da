/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options that `tallysim bench` and `tallysim coll` have in common. The functions take the option's
 * argument from optarg; those that fail print why.
 */
#ifndef TALLY_SIM_BENCH_TAKE_H
#define TALLY_SIM_BENCH_TAKE_H

#include "cli/options.h"
#include "workload/workload.h"

#define BENCH_MAX_SIZE		(1ull << 30)
#define BENCH_MAX_ITERATIONS	1000
#define BENCH_MAX_TIME		VT_S

bool bench_take_u32(const char *option, uint64_t min, uint64_t max, uint32_t *out);
/* Reads the file to @params, which the workload refers to from then on. */
bool bench_take_params(struct bench_workload *c, struct bench_params *params);
bool bench_take_type(struct bench_workload *c);
bool bench_take_topology(struct bench_workload *c);

/* Sets values that follow from the operation, then checks those that depend on one another. */
void bench_settle(struct bench_workload *c, struct option_list *sizes);
bool bench_check_sizes(const struct bench_workload *c, const struct option_list *sizes, bool sized);

#endif
