/* SPDX-License-Identifier: BSD-2-Clause */
/* The ranks that carry out a plan. For exec.c, rank.c and step.c. */
#ifndef TALLY_SIM_BASELINE_CLUSTER_H
#define TALLY_SIM_BASELINE_CLUSTER_H

#include "baseline/exec.h"
#include "baseline/net.h"
#include "workload/cpu.h"

/* A RECV that was begun. */
struct baseline_receive {
	uint32_t peer, to, count;
	bool matched, done;
};

struct baseline_rank {
	struct baseline_cluster *bed;
	uint32_t number;
	struct bench_cpu cpu;
	struct sim_track *track;	/* or NULL */
	uint8_t *memory;		/* or NULL */
	size_t at, end;			/* the next step of the plan, and the last one's end */
	struct baseline_receive *receive;	/* begun and not waited for: head .. tail - 1 */
	uint32_t head, tail, room;
	struct baseline_message *early;	/* what no RECV was begun for, in order of arrival */
	struct baseline_message *held;	/* what the rank has not looked at, in order of arrival */
	bool away;			/* it has not called, or computes */
	bool computed;
	struct sim_event back;		/* until then */
	vtime_t call, finish;
};

struct baseline_cluster {
	const struct bench_workload *c;
	struct baseline_task task;
	struct baseline_net *net;
	const struct baseline_plan *plan;
	struct baseline_rank *rank;
	uint32_t left;			/* ranks that are not done */
	bool data;
	void (*fill)(void *arg, uint32_t rank, void *memory);
	void *fill_arg;
};

#endif
