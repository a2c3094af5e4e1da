/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A group that is simply there: hosts on a fabric, the same number of ranks on each, the group as
 * the planner makes it, a queue pair and two memory regions for each rank. For runs of one group,
 * driven from outside the events of the simulation.
 *
 * Ranks are numbered as the group numbers them: node by node in the order of the plan's places.
 */
#ifndef TALLY_SIM_OFFLOAD_GROUP_H
#define TALLY_SIM_OFFLOAD_GROUP_H

#include "core/trace.h"
#include "hosts/host_set.h"
#include "hosts/message.h"
#include "hosts/qp.h"
#include "plan/plan.h"

struct bench_group;

struct bench_group_cfg {
	struct topo_cfg topo;		/* hosts is filled in */
	unsigned int nodes, ranks;	/* ranks of each node */
	/* Nodes, ranks and where they are, and costs that are all zero, are filled in. */
	struct plan_request plan;
	uint32_t timeout_ms, rto_us;
	bool leader;			/* the lowest rank of a node posts for all */
	bool push;			/* requests are pushed */
	uint32_t stride;		/* of send queues; a power of two */
	uint64_t buffer;		/* bytes of each region */
	uint64_t window;		/* of host_mr_cfg, pages of 2 MiB; 0: all is there */
	struct nic_timing timing;
	struct sim_trace *trace;	/* NULL: none */
	uint64_t seed;
	/* Called for each microsecond of virtual time while bench_group_finish() waits; NULL: not. */
	void (*tick)(const struct bench_group *t);
};

#define BENCH_GROUP_DEFAULTS {				\
	.topo = TOPO_DEFAULTS,			\
	.nodes = 4,				\
	.ranks = 1,				\
	.plan = { .mode = TALLY_MODE_TREE, .degree = 2, .num_segs = 64, .keep_order = true },	\
	.timeout_ms = 10000,			\
	.rto_us = 200,				\
	.stride = 512,				\
	.buffer = 65536,			\
	.timing = nic_timing_default,		\
}

/* A rank. Those that others post for have no queues. */
struct bench_group_rank {
	struct bench_group *group;
	unsigned int node, local;	/* number of the host, and among its ranks */
	struct host_cq cq;
	struct host_qp qp;
	struct host_mr in, out;		/* what the device reads, and may write */
	unsigned int outstanding;
	struct tally_cqe last;		/* newest completion */
	vtime_t completed;		/* when the device wrote it, to the nanosecond */
	unsigned int errors;		/* completions without success */
};

struct bench_group {
	struct bench_group_cfg cfg;
	struct sim *sim;
	struct host_set host_set;
	struct plan plan;
	uint32_t jid;
	uint32_t total_ranks;
	struct bench_group_rank *rank;
	uint32_t *number;		/* of the group, at each host */
	unsigned int pending;		/* answers awaited */
	char trouble[160];		/* the first thing that went wrong; "": nothing */
};

/* Builds it and waits until all of it is there. Returns 0, or -1 with t->trouble set. */
int bench_group_build(struct bench_group *t, const struct bench_group_cfg *cfg);
void bench_group_free(struct bench_group *t);

/* Does this rank post, be it for all of its node? */
bool bench_group_posts(const struct bench_group *t, uint32_t rank);

/* Bytes of the request of a rank that posts. */
uint32_t bench_group_request_bytes(const struct bench_group *t, uint32_t rank,
				   const struct message *m, bool inlined);

/*
 * Posts message @mid for a rank that posts, signaled, its data at the start of `in` plus @offset,
 * its result there in `out`. The data are the caller's to write. @inlined: they go in the request;
 * for one rank only, and up to TALLY_MAX_INLINE.
 */
void bench_group_post(struct bench_group *t, uint32_t rank, const struct message *m, uint32_t mid,
		      uint64_t offset, bool inlined);

/* Runs until nothing is outstanding; false: something still is after @limit, or went wrong. */
bool bench_group_finish(struct bench_group *t, vtime_t limit);

/* Runs until nothing was put on a cable for a while. */
void bench_group_settle(struct bench_group *t);

#endif
