/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes plans in virtual time. Every rank has a CPU that does the steps of its plan one after
 * the other, with a cost for each: sending, receiving, copying, combining. While it waits, it takes
 * in messages as they arrive, like the progress function of an MPI library.
 *
 * Data up to the eager limit are sent at once, and the receiver copies them. Longer ones are
 * announced, and the receiver's NIC reads them when the receive is posted. Ranks of one node
 * communicate through memory: the sender copies in, the receiver copies out.
 */
#ifndef TALLY_SIM_BASELINE_EXEC_H
#define TALLY_SIM_BASELINE_EXEC_H

#include "baseline/plan.h"
#include "core/trace.h"
#include "workload/workload.h"

/* Hosts, NICs and fabric of a workload, which execute plans one after the other. */
struct baseline_cluster;

/*
 * @c is borrowed. @data: messages carry real data, for baseline_cluster_fill(), instead of zeros.
 * @trace may be NULL. Returns NULL with the reason in @why.
 */
struct baseline_cluster *baseline_cluster_new(const struct bench_workload *c, bool data,
					      struct sim_trace *trace, char *why, size_t size);
/* Accepts NULL. */
void baseline_cluster_free(struct baseline_cluster *cluster);

/*
 * Converts a workload to a task. Returns 0; -EINVAL: there is no software algorithm for the
 * operation; -EOVERFLOW: there are too many elements.
 */
int baseline_task_of(const struct bench_workload *c, struct baseline_task *task);

/*
 * Executes @plan, which was made for the workload, for all iterations, or once if all of them would
 * be equal. Returns 0 with the result in @res; -ETIME if it takes longer than @limit, which is
 * ignored with skew or noise (the caller can only free @cluster then); -ENOMEM; or -EDEADLK if
 * the plan does not end.
 */
int baseline_cluster_run(struct baseline_cluster *cluster, const struct baseline_plan *plan,
			 vtime_t limit, struct bench_result *res);

/* Lets @choose return the plan of each iteration, which has as many ranks; 0 or -errno. */
void baseline_cluster_choose(struct baseline_cluster *cluster,
			     int (*choose)(void *arg, uint32_t iteration,
					   const struct baseline_plan **plan), void *arg);

/*
 * With data: a rank's memory has plan.memory elements, which are 64-bit integers. @fill(arg, rank,
 * memory) fills it at the start of every iteration, and the caller reads it after
 * baseline_cluster_run().
 */
void baseline_cluster_fill(struct baseline_cluster *cluster,
			   void (*fill)(void *arg, uint32_t rank, void *memory), void *arg);
const void *baseline_cluster_memory(const struct baseline_cluster *cluster, uint32_t rank);

/* Returns a lower bound of the time of @plan on @cluster, see bound.c; 0 if out of memory. */
vtime_t baseline_bound(const struct baseline_cluster *cluster, const struct baseline_plan *plan);

#endif
