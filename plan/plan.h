/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The planner: which mode, which tree or radices and which place for each node suit a group, and
 * from that the edges of every node. Pure computation, the same at every node that asks with the
 * same request; used by libtally and by the simulator.
 *
 * A *node* is known by its number in the caller's list until the plan has given it a *place*: its
 * node index in the group. Nodes that share a leaf switch get consecutive indices.
 */
#ifndef TALLY_PLAN_H
#define TALLY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

#define PLAN_MAX_EDGES (TALLY_MAX_CONTRIBUTORS + 1)
#define PLAN_MAX_LEVELS 3

/*
 * What makes a round or a hop dear, in nanoseconds. What is zero is that of a 100 Gb/s cluster of
 * today.
 */
struct plan_costs {
	uint32_t request_ns;		  /* doorbell to first packet out */
	uint32_t nic_ns;		  /* packet in to combined packet out, with one reduction */
	uint32_t packet_ns;		  /* one short packet on the wire */
	uint32_t hop_ns[PLAN_MAX_LEVELS + 1]; /* way between neighbours that share the lowest
						 switch of level 1, 2, 3 (or of none of
						 them); [0]: without a switch */
	uint32_t alu_ns;		  /* each further reduction of a short packet */
	uint64_t bits_per_s;		  /* of a link */
};

/*
 * What is to be planned. Zero is a default everywhere but in num_nodes; what is not zero overrides
 * the planner's choice.
 */
struct plan_request {
	uint32_t num_nodes;
	const uint8_t *ranks;	    /* local ranks of each node, 0..TALLY_MAX_RANKS; NULL: 1 */
	const uint32_t *sw[PLAN_MAX_LEVELS]; /* number of each node's switch of a level (leaf first),
						any numbers; NULL: one for all */
	uint32_t num_levels;	    /* of those; 0: one switch */
	/* what the group is for */
	uint8_t opcode;		    /* enum tally_opcode; 0: ALLREDUCE */
	uint8_t op, dtype;	    /* enum tally_op, tally_type; 0: SUM, FP64 */
	uint64_t bytes;		    /* of `count` elements, typically */
	uint64_t caps;		    /* TALLY_CAP_ of the devices; 0: all but MULTICAST, for
				       which the caller must have an address */
	struct plan_costs costs;
	/* choices */
	uint8_t mode;		    /* enum tally_mode */
	uint32_t flags;		    /* TALLY_GROUP_F_ORDERED, _MULTICAST: wanted in any case */
	uint32_t degree;	    /* TREE: children of a node at most */
	uint32_t num_rounds;	    /* EXCHANGE: entries of radix */
	uint8_t radix[TALLY_MAX_ROUNDS]; /* parts a round combines at most, first round first */
	uint32_t num_segs;	    /* of a round; a power of two */
	uint32_t max_segs;	    /* that a group may own in all; 0: TALLY_MAX_GROUP_SEGS */
	uint32_t mtu;		    /* bytes; 0: TALLY_MAX_MTU */
	bool keep_order;	    /* node k gets index k */
};

/* A neighbour of a node. Indices are places. */
struct plan_edge {
	uint16_t node;
	uint16_t remote_index;	    /* as in struct tally_group_edge */
	uint8_t round, position;
	uint16_t roles;		    /* TALLY_ROLE_ */
	uint16_t subtree_first, subtree_count;
	uint32_t rank_first, rank_count;
};

/* What a node's configuration says. */
struct plan_node {
	uint16_t node;
	uint8_t level;		    /* TREE: distance from the root */
	uint8_t ranks;
	uint32_t flags;		    /* TALLY_GROUP_F_ */
	uint32_t rank_first;
	uint32_t msg_cells;	    /* that it needs; a program may reserve more */
	uint32_t num_edges;	    /* contributors and peers in order of index, then the parent */
	struct plan_edge edge[PLAN_MAX_EDGES];
};

struct plan {
	enum tally_mode mode;
	uint32_t flags;		    /* the same at all nodes: ORDERED, MULTICAST, SPARSE,
				       UNIFORM (RING only) */
	uint32_t num_nodes, total_ranks;
	uint32_t degree;	    /* TREE: children of a node at most */
	uint32_t rounds;	    /* EXCHANGE; else 0 */
	uint8_t radix[TALLY_MAX_ROUNDS];
	uint32_t num_segs;	    /* of a round */
	uint32_t mtu;
	uint64_t estimate_ns;	    /* of the operation, by the costs */
	char reason[128];	    /* why this mode */
	uint16_t *place;	    /* of node k of the request */
	uint16_t *node;		    /* node of the request at a place */
	struct plan_shape *shape;   /* private */
};

/*
 * Makes a plan, to be freed with plan_free(). Returns 0, or -ENOMEM, or -EINVAL with the reason
 * in `why` (a sentence that names the field at fault; `size` bytes).
 */
int plan_make(struct plan *plan, const struct plan_request *req, char *why, size_t size);
void plan_free(struct plan *plan);

/* The edges of the node at `place`, below plan->num_nodes. */
void plan_node(const struct plan *plan, uint16_t place, struct plan_node *node);

/* The place of the node that has a global rank below plan->total_ranks. */
uint16_t plan_place_of_rank(const struct plan *plan, uint32_t rank);

#endif
