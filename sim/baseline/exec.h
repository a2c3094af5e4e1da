/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans in virtual time. Every rank has a CPU that does the steps of its plan one after the other
 * and pays for each: sending, receiving, copying, combining. While it waits it takes in whatever
 * arrives, as the progress function of an MPI library does.
 *
 * Up to the eager limit data are sent at once, and copied by the receiver from where they arrived.
 * Longer ones are announced; the receiver's NIC reads them when the receive is posted. Ranks of one
 * node talk through memory: the sender copies in, the receiver out.
 */
#ifndef TALLY_SIM_BASELINE_EXEC_H
#define TALLY_SIM_BASELINE_EXEC_H

#include "baseline/plan.h"
#include "core/trace.h"
#include "workload/workload.h"

/* Hosts, NICs and fabric of a case, on which one plan after the other can be carried out. */
struct baseline_cluster;

/*
 * @c is borrowed. @data: real data, as baseline_data() sees them, instead of zeros that nobody looks
 * at. @trace may be NULL. NULL: why not is in @why.
 */
struct baseline_cluster *baseline_cluster_new(const struct bench_workload *c, bool data,
					      struct sim_trace *trace, char *why, size_t size);
/* NULL is allowed. */
void baseline_cluster_free(struct baseline_cluster *bed);

/* What the case asks for. -EINVAL: software does not do that; -EOVERFLOW: too many elements. */
int baseline_task_of(const struct bench_workload *c, struct baseline_task *task);

/*
 * Carries out @plan, made for the case, as often as the case says, unless that can only give the
 * same again. 0 and the result in @res; -ETIME: it takes more than @limit, which is not looked at
 * with skew or noise (the bed is then only good to be freed); -ENOMEM; -EDEADLK: the plan does not
 * come to an end.
 */
int baseline_cluster_run(struct baseline_cluster *bed, const struct baseline_plan *plan,
			 vtime_t limit, struct bench_result *res);

/*
 * With data: the memory of a rank, of plan.memory elements, which are 64-bit integers. To be filled
 * from @fill(arg, rank, memory) at the begin of every iteration, to be looked at after
 * baseline_cluster_run().
 */
void baseline_cluster_fill(struct baseline_cluster *bed,
			   void (*fill)(void *arg, uint32_t rank, void *memory), void *arg);
const void *baseline_cluster_memory(const struct baseline_cluster *bed, uint32_t rank);

/* No run of @plan on @bed can take less; how little, see baseline_bound.c. 0 where memory is short. */
vtime_t baseline_bound(const struct baseline_cluster *bed, const struct baseline_plan *plan);

#endif
