/* SPDX-License-Identifier: BSD-2-Clause */
/* A rank that carries out its part of a plan. For baseline_exec.c. */
#ifndef TALLY_SIM_BASELINE_RANK_H
#define TALLY_SIM_BASELINE_RANK_H

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

/* The rank calls at @at. */
void baseline_rank_start(struct baseline_rank *r, vtime_t at);

/* @m can be seen by the rank's CPU. */
void baseline_rank_arrived(struct baseline_rank *r, struct baseline_message *m);

/* What the bed had for the last plan goes. */
void baseline_rank_reset(struct baseline_rank *r);

/* Steps that need no other rank's doing, in baseline_step.c. */
void baseline_do_step(struct baseline_rank *r, const struct baseline_step *s);

/* The rank's CPU works for @work, not before now. Returns when that is done. */
vtime_t baseline_spend(struct baseline_rank *r, const char *what, vtime_t work);

#endif
