/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CPU of a rank: it does one thing at a time, and the system interrupts it now and then. The
 * time between two interruptions is evenly spread from 0 to twice its mean.
 */
#ifndef TALLY_SIM_WORKLOAD_CPU_H
#define TALLY_SIM_WORKLOAD_CPU_H

#include "core/rng.h"
#include "workload/workload.h"

struct bench_cpu {
	struct rng rng;
	vtime_t busy;		/* until then */
	vtime_t gap;		/* mean time between interruptions; 0: there are none */
	vtime_t length;		/* of an interruption */
	vtime_t next;		/* begin of the next one */
};

void cpu_init(struct bench_cpu *cpu, const struct bench_workload *c, uint32_t rank);

/*
 * When work of @work that may begin at @from is done. Calls for one CPU come in the order in which
 * it does the work.
 */
vtime_t cpu_run(struct bench_cpu *cpu, vtime_t from, vtime_t work);

#endif
