/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CPU of a rank: it does one task at a time, and the system interrupts it at random. The time
 * between two interruptions is uniform between 0 and twice its mean.
 */
#ifndef TALLY_SIM_WORKLOAD_CPU_H
#define TALLY_SIM_WORKLOAD_CPU_H

#include "core/rng.h"
#include "workload/workload.h"

struct bench_cpu {
	struct rng rng;
	vtime_t busy;		/* end of the last task */
	vtime_t gap;		/* mean time between interruptions; 0: no interruptions */
	vtime_t length;		/* of an interruption */
	vtime_t next;		/* start of the next one */
};

void cpu_init(struct bench_cpu *cpu, const struct bench_workload *c, uint32_t rank);

/*
 * Returns the time at which a task of length @work that may begin at @from ends. Calls for one CPU
 * must be in the order of execution.
 */
vtime_t cpu_run(struct bench_cpu *cpu, vtime_t from, vtime_t work);

#endif
