/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by topology.c, topo_wire.c, topo_route.c and topo_path.c. */
#ifndef TALLY_SIM_FABRIC_TOPO_INT_H
#define TALLY_SIM_FABRIC_TOPO_INT_H

#include <stdbool.h>

#include "fabric/topology.h"

/* Ports of the switch inside a NIC of a ring. */
enum { RING_NIC, RING_RIGHT, RING_LEFT, RING_PORTS };

/*
 * A fat tree. Ports of a leaf: 0 .. half - 1 go down; half .. 2 half - 1 go up, each to a different
 * upper switch. The same holds for aggregation switches, one level up. Spines and cores have a port
 * for each leaf or pod. Switches are numbered as follows: leaves, then spines; or leaves,
 * aggregation switches pod by pod, cores. Core u * half + c is at up-port c of aggregation switch u
 * of each pod.
 */
struct topo_tree {
	unsigned int half;	/* down-ports of a leaf or aggregation switch */
	unsigned int leaves, pods;
	unsigned int uppers;	/* all spines, or aggregation switches of a pod; 0: one leaf */
	unsigned int cores;	/* 0: one pod, or no third level */
};

struct topo {
	struct sim *sim;
	struct topo_cfg cfg;
	struct topo_tree tree;		/* of fat trees */
	struct fab_link **cable;	/* cables of hosts first */
	unsigned int num_cables, room;
	unsigned int host_cables;
	struct fab_link **inner;	/* ring: from each NIC to its switch */
	struct fab_switch **sw;		/* ring: inside the NICs */
	unsigned int num_switches;
};

static inline bool topo_is_tree(const struct topo *t)
{
	return t->cfg.kind == TOPO_FATTREE2 || t->cfg.kind == TOPO_FATTREE3;
}

/* Return the numbers of switches of a tree. */
static inline unsigned int topo_spine(const struct topo_tree *tree, unsigned int spine)
{
	return tree->leaves + spine;
}

static inline unsigned int topo_agg(const struct topo_tree *tree, unsigned int pod,
				    unsigned int upper)
{
	return tree->leaves + pod * tree->uppers + upper;
}

static inline unsigned int topo_core(const struct topo_tree *tree, unsigned int upper,
				     unsigned int core)
{
	return topo_agg(tree, tree->pods, 0) + upper * tree->half + core;
}

/* Returns the number of cables from @from to @to of the ring, going right. */
static inline unsigned int topo_ring_right(const struct topo *t, unsigned int from, unsigned int to)
{
	return (to + t->cfg.hosts - from) % t->cfg.hosts;
}

/* Returns whether the path from @from to @to, the shorter way round, begins at the right cable. */
static inline bool topo_ring_turns_right(const struct topo *t, unsigned int from, unsigned int to)
{
	/* Of two hosts, only the first has a right cable. */
	if (t->cfg.hosts == 2)
		return from == 0;
	return 2 * topo_ring_right(t, from, to) <= t->cfg.hosts;
}

/* Returns the shape of the tree of a configuration, which has been checked. */
struct topo_tree topo_tree_of(const struct topo_cfg *cfg);

/* Makes switches and cables. Returns 0 or -errno; the caller calls topo_free() in either case. */
int topo_wire(struct topo *t);

#endif
