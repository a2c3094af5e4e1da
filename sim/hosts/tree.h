/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shape of a group: nodes numbered so that every subtree is a consecutive range, the ranks of
 * the nodes, and the configuration of each node.
 */
#ifndef TALLY_SIM_HOSTS_TREE_H
#define TALLY_SIM_HOSTS_TREE_H

#include "core/rng.h"
#include "hosts/host.h"

#define TREE_MAX_NODES	256

struct tree_node {
	struct host *host;
	int parent;			/* -1: the root */
	unsigned int level;
	unsigned int subtree;		/* number of nodes, including this one */
	unsigned int children;
	unsigned int slot;		/* contributor index at the parent */
	uint64_t ranks;			/* local ranks */
	uint32_t rank_first;		/* global rank of the lowest local rank */
};

struct tree {
	unsigned int num_nodes;
	uint32_t total_ranks;
	struct tree_node node[TREE_MAX_NODES];
};

/* Sets the parents of a balanced tree in which every node has up to @degree children. */
void tree_plan(struct tree *t, unsigned int nodes, unsigned int degree);

/* Sets the parents of a random tree in which no node has more than @degree children. */
void tree_random(struct tree *t, unsigned int nodes, unsigned int degree, struct rng *rng);

/* Counts the ranks; call it once all masks are set. */
void tree_count_ranks(struct tree *t);

/* Converts a global rank below total_ranks to a node and a local rank. */
void tree_rank(const struct tree *t, uint32_t rank, unsigned int *node, unsigned int *local);

/* Parameters that the nodes of a group have in common. */
struct tree_group {
	uint32_t jid, epoch;
	uint32_t flags;			/* TALLY_GROUP_F_ORDERED, _SPARSE, _MULTICAST */
	uint8_t mcast_gid[16];		/* with _MULTICAST */
	uint32_t num_segs, max_segs;	/* max_segs 0: num_segs */
	uint32_t timeout_ms, retry_limit, rto_us, mtu;
	uint32_t msg_cells;		/* 0: the number that ORDERED needs at each node */
};

struct tree_config {
	struct tally_group_cfg cfg;
	struct tally_group_edge edge[TALLY_MAX_CONTRIBUTORS + 1];
};

/* Makes the configuration of node @i; returns its bytes. */
size_t tree_config(const struct tree *t, const struct tree_group *g, unsigned int i,
		   struct tree_config *config);

#endif
