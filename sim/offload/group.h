/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets up one group of identical hosts on a fabric: the same number of ranks on each host, a group
 * made by the planner, a queue pair and two memory regions for each rank. The functions are called
 * from outside the events of the simulation.
 *
 * Ranks have the numbers of the group: node by node in the order of the plan's places.
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
	struct topo_cfg topo;		/* bench_group_build() sets hosts */
	unsigned int nodes, ranks;	/* ranks of each node */
	/* bench_group_build() sets nodes, ranks, locations, and the costs if all are zero. */
	struct plan_request plan;
	uint32_t timeout_ms, rto_us;
	bool leader;			/* the lowest rank of a node posts for all */
	bool push;			/* push the requests */
	uint32_t stride;		/* of send queues; a power of two */
	uint64_t buffer;		/* bytes of each region */
	uint64_t window;		/* as in host_mr_cfg, with pages of 2 MiB; 0: no window */
	struct nic_timing timing;
	struct sim_trace *trace;	/* NULL: none */
	enum host_set_order order;	/* of events */
	const struct nic_units *units;	/* of the NICs (nic_cfg.units); NULL: none */
	FILE *commits;			/* of the NICs (nic_cfg.commits); NULL: nowhere */
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

/* A rank. A rank has no queues if another one posts for it. */
struct bench_group_rank {
	struct bench_group *group;
	unsigned int node, local;	/* number of the host, and local rank */
	struct host_cq cq;
	struct host_qp qp;
	struct host_mr in, out;		/* regions that the device reads, and writes */
	unsigned int outstanding;
	struct tally_cqe last;		/* newest completion */
	vtime_t completed;		/* time of that completion, to the nanosecond */
	vtime_t written;		/* when an entry of cq was last written; only with units */
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
	unsigned int pending;		/* number of pending answers */
	char trouble[160];		/* message of the first error; "": none */
};

/* Builds the group and waits until it is complete. Returns 0, or -1 with t->trouble set. */
int bench_group_build(struct bench_group *t, const struct bench_group_cfg *cfg);
void bench_group_free(struct bench_group *t);

/* Returns whether this rank posts, for itself or for all of its node. */
bool bench_group_posts(const struct bench_group *t, uint32_t rank);

/* Returns the bytes of the work request of a rank that posts. */
uint32_t bench_group_request_bytes(const struct bench_group *t, uint32_t rank,
				   const struct message *m, bool inlined);

/*
 * Posts message @mid, signaled, for a rank that posts. Its data are in `in` at @offset, its result
 * goes to `out` at @offset. The caller writes the data. @inlined: the request contains the data, up
 * to TALLY_MAX_INLINE; for one rank only.
 */
void bench_group_post(struct bench_group *t, uint32_t rank, const struct message *m, uint32_t mid,
		      uint64_t offset, bool inlined);

/* Runs until nothing is outstanding. Returns false after @limit or an error. */
bool bench_group_finish(struct bench_group *t, vtime_t limit);

/* Runs until no frame was sent for a while. */
void bench_group_settle(struct bench_group *t);

#endif
