/* SPDX-License-Identifier: BSD-2-Clause */
/* A rank that carries out its part of a plan. For soft_exec.c. */
#ifndef TALLY_SIM_BENCH_SOFT_RANK_H
#define TALLY_SIM_BENCH_SOFT_RANK_H

#include "bench/cpu.h"
#include "bench/soft_exec.h"
#include "bench/soft_net.h"

/* A RECV that was begun. */
struct soft_receive {
	uint32_t peer, to, count;
	bool matched, done;
};

struct soft_rank {
	struct soft_bed *bed;
	uint32_t number;
	struct bench_cpu cpu;
	struct sim_track *track;	/* or NULL */
	uint8_t *memory;		/* or NULL */
	size_t at, end;			/* the next step of the plan, and the last one's end */
	struct soft_receive *receive;	/* begun and not waited for: head .. tail - 1 */
	uint32_t head, tail, room;
	struct soft_message *early;	/* what no RECV was begun for, in order of arrival */
	struct soft_message *held;	/* what the rank has not looked at, in order of arrival */
	bool away;			/* it has not called, or computes */
	bool computed;
	struct sim_event back;		/* until then */
	vtime_t call, finish;
};

struct soft_bed {
	const struct bench_case *c;
	struct soft_task task;
	struct soft_net *net;
	const struct soft_plan *plan;
	struct soft_rank *rank;
	uint32_t left;			/* ranks that are not done */
	bool data;
	void (*fill)(void *arg, uint32_t rank, void *memory);
	void *fill_arg;
};

/* The rank calls at @at. */
void soft_rank_start(struct soft_rank *r, vtime_t at);

/* @m can be seen by the rank's CPU. */
void soft_rank_arrived(struct soft_rank *r, struct soft_message *m);

/* What the bed had for the last plan goes. */
void soft_rank_reset(struct soft_rank *r);

/* Steps that need no other rank's doing, in soft_step.c. */
void soft_do_step(struct soft_rank *r, const struct soft_step *s);

/* The rank's CPU works for @work, not before now. Returns when that is done. */
vtime_t soft_spend(struct soft_rank *r, const char *what, vtime_t work);

#endif
