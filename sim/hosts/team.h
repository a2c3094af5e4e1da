/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A group that is simply there: hosts on one switch, the same number of ranks on each, a queue pair
 * and two memory regions for each rank. For runs of one group, driven from outside the events of
 * the simulation.
 */
#ifndef TALLY_SIM_HOSTS_TEAM_H
#define TALLY_SIM_HOSTS_TEAM_H

#include "hosts/fleet.h"
#include "hosts/message.h"
#include "hosts/qp.h"
#include "hosts/tree.h"

struct team_cfg {
	unsigned int nodes, degree, ranks;	/* ranks of each node; total up to TREE_MAX_NODES */
	uint64_t seed;
	uint32_t flags;			/* TALLY_GROUP_F_ORDERED */
	uint32_t num_segs, mtu, timeout_ms, rto_us;
	uint64_t buffer;		/* bytes of each region */
	uint64_t window;		/* of host_mr_cfg, pages of 2 MiB; 0: all is there */
	struct nic_timing timing;
};

#define TEAM_DEFAULTS {				\
	.nodes = 4,				\
	.degree = 2,				\
	.ranks = 1,				\
	.num_segs = 64,				\
	.mtu = 4096,				\
	.timeout_ms = 10000,			\
	.rto_us = 200,				\
	.buffer = 65536,			\
	.timing = nic_timing_default,		\
}

struct team;

/* A rank. */
struct team_rank {
	struct team *team;
	unsigned int node, local;
	struct host_cq cq;
	struct host_qp qp;
	struct host_mr in, out;		/* what the device reads, and may write */
	unsigned int outstanding;
	struct tally_cqe last;		/* newest completion */
	vtime_t completed;		/* when the device wrote it, to the nanosecond */
	unsigned int errors;		/* completions without success */
};

struct team {
	struct team_cfg cfg;
	struct sim *sim;
	struct fleet fleet;
	struct tree tree;
	struct tree_group group;
	struct team_rank rank[TREE_MAX_NODES];
	uint32_t number[TREE_MAX_NODES];	/* of the group, at each node */
	unsigned int pending;			/* answers awaited */
	char trouble[128];			/* the first thing that went wrong; "": nothing */
};

/* Builds it and waits until all of it is there. Returns 0, or -1 with t->trouble set. */
int team_build(struct team *t, const struct team_cfg *cfg);
void team_free(struct team *t);

/*
 * Posts message @mid for a rank, signaled, its data at the start of `in` plus @offset, its result
 * there in `out`. The data are the caller's to write.
 */
void team_post(struct team *t, uint32_t rank, const struct message *m, uint32_t mid,
	       uint64_t offset);

/* Runs until nothing is outstanding; false: something still is after @limit, or went wrong. */
bool team_finish(struct team *t, vtime_t limit);

#endif
