/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a workload on the NICs: scripted hosts post, the NICs execute the collective. */
#ifndef TALLY_SIM_OFFLOAD_OFFLOAD_H
#define TALLY_SIM_OFFLOAD_OFFLOAD_H

#include "core/trace.h"
#include "plan/plan.h"
#include "workload/workload.h"

/* Order of the simulation's events (hosts/host_set.h). Both have the same times. */
enum offload_order {
	OFFLOAD_WINDOWS,		/* HOST_SET_WINDOWS, unless there is a trace */
	OFFLOAD_FIXED,			/* HOST_SET_FIXED */
};

/* Options of a program; zero: the planner chooses, and each rank posts for itself. */
struct offload_choice {
	enum tally_mode mode;
	bool shared;			/* one group for all operations; `mode` is the message's */
	uint32_t flags;			/* TALLY_GROUP_F_ORDERED, _MULTICAST */
	uint32_t degree;		/* TREE */
	uint32_t num_rounds;		/* EXCHANGE: entries of radix */
	uint8_t radix[TALLY_MAX_ROUNDS];
	bool leader;			/* one rank of a node posts for all */
	bool no_push;			/* queue pairs have no push buffer */
	enum offload_order order;
	const struct nic_units *units;	/* of the NICs (nic_cfg.units); NULL: none */
	FILE *commits;			/* of the NICs (nic_cfg.commits); NULL: nowhere */
};

struct offload_result {
	struct bench_result run;
	vtime_t floor;
	bool shared;			/* one group for all operations */
	bool checked;			/* results were compared bit by bit, and right */
	/* the plan, and the message's mode */
	enum tally_mode mode;
	uint32_t flags, degree, num_rounds, num_segs;
	uint8_t radix[TALLY_MAX_ROUNDS];
	uint64_t estimate_ns;
	char reason[128];
	/* how requests were posted */
	bool pushed, inlined;
	uint64_t retransmits;
};

/*
 * Runs the case; @trace may be NULL. Returns 0, or -1 with res->run.trouble set: the fabric or the
 * plan cannot be, a result was wrong, an operation failed.
 */
int offload_run(const struct bench_workload *c, const struct offload_choice *choice,
		struct sim_trace *trace, struct offload_result *res);

#endif
