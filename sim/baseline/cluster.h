/* SPDX-License-Identifier: BSD-2-Clause */
/* The ranks that execute a plan. Used by exec.c, rank.c and step.c. */
#ifndef TALLY_SIM_BASELINE_CLUSTER_H
#define TALLY_SIM_BASELINE_CLUSTER_H

#include "baseline/exec.h"
#include "baseline/net.h"
#include "workload/cpu.h"

/* A RECV that has started. */
struct baseline_receive {
	uint32_t peer, to, count;
	bool matched, done;
};

struct baseline_rank {
	struct baseline_cluster *cluster;
	uint32_t number;
	struct bench_cpu cpu;
	struct sim_track *track;	/* or NULL */
	uint8_t *memory;		/* or NULL */
	size_t at, end;			/* next step of the plan, and end of the steps */
	struct baseline_receive *receive;	/* started and not waited for: head .. tail - 1 */
	uint32_t head, tail, room;
	struct baseline_message *early;	/* messages without a RECV, in order of arrival */
	struct baseline_message *held;	/* messages not looked at, in order of arrival */
	bool away;			/* it has not called, or it computes */
	bool computed;
	struct sim_event back;		/* end of that */
	vtime_t call, finish;
	vtime_t spent;			/* in the operations measured */
};

struct baseline_cluster {
	const struct bench_workload *c;
	struct baseline_task task;
	struct baseline_net *net;
	const struct baseline_plan *plan;
	struct baseline_rank *rank;
	uint32_t left;			/* ranks that have not finished */
	bool data;
	int (*choose)(void *arg, uint32_t iteration, const struct baseline_plan **plan);
	void *choose_arg;
	void (*fill)(void *arg, uint32_t rank, void *memory);
	void *fill_arg;
};

#endif
