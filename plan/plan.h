/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The planner. It chooses the mode, the tree or radices, and the place of each node for a group,
 * and derives the edges of every node. It is a pure computation, and gives the same result at every
 * node for the same request. libtally and the simulator use it.
 *
 * A *node* has a number in the caller's list. The plan gives it a *place*, which is its node index
 * in the group. Nodes that share a leaf switch get consecutive places.
 */
#ifndef TALLY_PLAN_H
#define TALLY_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

#define PLAN_MAX_EDGES (TALLY_MAX_CONTRIBUTORS + 1)
#define PLAN_MAX_LEVELS 3
#define PLAN_NUM_CHOICES TALLY_OPCODE_SCATTER

/*
 * Costs of rounds and hops, in nanoseconds. The defaults for zero are those of a current 100 Gb/s
 * cluster.
 */
struct plan_costs {
	uint32_t request_ns;		  /* from the doorbell to the first packet */
	uint32_t nic_ns;		  /* from a packet to the combined packet, one reduction */
	uint32_t packet_ns;		  /* one short packet on the wire */
	uint32_t hop_ns[PLAN_MAX_LEVELS + 1]; /* between neighbours whose lowest common switch
						 has level 1, 2, 3 or above; [0]: without a
						 switch */
	uint32_t alu_ns;		  /* each further reduction of a short packet */
	uint64_t bits_per_s;		  /* rate of a link */
};

/*
 * A request for a plan. Zero is the default of all members but num_nodes. Other values override the
 * planner's choice.
 *
 * With `modes`, the plan is shared: one group for all operations, in which every message has its
 * own mode. Otherwise the group has one mode, the best one for the operation.
 */
struct plan_request {
	uint32_t num_nodes;
	const uint8_t *ranks;	    /* local ranks of each node, 0..TALLY_MAX_RANKS; NULL: 1 each */
	const uint32_t *sw[PLAN_MAX_LEVELS]; /* number of each node's switch at each level, leaves
						first; NULL: one switch for all */
	uint32_t num_levels;	    /* number of levels; 0: one switch */
	/* purpose of the group */
	uint8_t opcode;		    /* enum tally_opcode; 0: ALLREDUCE */
	uint8_t op, dtype;	    /* enum tally_op, tally_type; 0: SUM, FP64 */
	uint64_t bytes;		    /* typical size of the `count` elements */
	uint64_t caps;		    /* TALLY_CAP_ of the devices; 0: all but MULTICAST, for
				       which the caller must have an address */
	uint32_t modes;		    /* shared plan: TALLY_CAP_TREE, _EXCHANGE, _RING; those that
				       devices or nodes cannot have are left out */
	struct plan_costs costs;
	/* choices of the caller */
	uint32_t mode;		    /* enum tally_mode; of a shared plan: for all operations
				       that it offers */
	uint32_t flags;		    /* required TALLY_GROUP_F_ORDERED, _MULTICAST */
	uint32_t degree;	    /* TREE: largest number of children of a node */
	uint32_t num_rounds;	    /* EXCHANGE: entries of radix */
	uint8_t radix[TALLY_MAX_ROUNDS]; /* largest number of parts of a round, from round 1 */
	uint32_t num_segs;	    /* segments of the group, a power of two; of a shared plan
				       any number */
	uint32_t max_segs;	    /* limit, lent ones included; 0: TALLY_MAX_GROUP_SEGS */
	uint32_t mtu;		    /* bytes; 0: TALLY_MAX_MTU */
	bool keep_order;	    /* node k gets index k */
};

/* A neighbour of a node. Nodes are given by their places. */
struct plan_edge {
	uint16_t node;
	uint16_t remote_index;	    /* contributor index of this node there */
	uint8_t round, position;
	uint16_t roles;		    /* TALLY_ROLE_ */
	uint16_t subtree_first, subtree_count;
	uint32_t rank_first, rank_count;	/* TREE: of the subtree of a child */
	uint32_t part_first, part_count;	/* EXCHANGE, role IN: ranks of the part */
};

/* The part of a node's configuration that the plan determines. */
struct plan_node {
	uint16_t node;
	uint8_t level;		    /* TREE: distance from the root */
	uint8_t ranks;
	uint32_t flags;		    /* TALLY_GROUP_F_ */
	uint32_t rank_first;
	uint32_t msg_cells;	    /* cells that the group needs; a program may reserve more */
	uint32_t num_edges;	    /* contributors and peers by their index, then the parent */
	struct plan_edge edge[PLAN_MAX_EDGES];
};

struct plan {
	enum tally_mode mode;	    /* shared plan: of messages for which there is no choice */
	uint32_t modes;		    /* TALLY_CAP_TREE, _EXCHANGE, _RING */
	bool shared;		    /* the request had `modes` */
	uint32_t flags;		    /* the same at all nodes: ORDERED, MULTICAST, SPARSE,
				       UNIFORM (RING only) */
	uint32_t num_nodes, total_ranks;
	uint32_t degree;	    /* TREE: largest number of children of a node */
	uint32_t rounds;	    /* EXCHANGE: number of rounds; 0 otherwise */
	uint8_t radix[TALLY_MAX_ROUNDS];
	uint32_t num_segs;	    /* segments that the group owns */
	uint32_t max_segs;	    /* all segments; shared plan: lent ones included */
	uint32_t mtu;
	/*
	 * Shared plan: mode of each operation by opcode - 1, for messages of up to two to the power
	 * of choice_small_log bytes, for longer ones of up to two to the power of choice_middle_log,
	 * and for those that are longer than both; 0: `mode`.
	 */
	uint8_t choice_small[PLAN_NUM_CHOICES], choice_middle[PLAN_NUM_CHOICES],
		choice_large[PLAN_NUM_CHOICES];
	uint8_t choice_small_log[PLAN_NUM_CHOICES], choice_middle_log[PLAN_NUM_CHOICES];
	uint32_t chunk;		    /* shared plan: most bytes of a chunk that is reduced in fixed
				       order, so that no node needs cells; 0: there is none */
	uint32_t hash;		    /* shared plan: of all that nodes must agree on, not 0 */
	uint64_t estimate_ns;	    /* time of the operation */
	char reason[128];	    /* why the planner chose this mode */
	uint16_t *place;	    /* place[k]: place of node k of the request */
	uint16_t *node;		    /* node[p]: node of the request at place p */
	struct plan_shape *shape;   /* private */
};

/*
 * Makes a plan, which the caller frees with plan_free(). Returns 0, -ENOMEM, or -EINVAL. With
 * -EINVAL it writes a sentence that begins with the field at fault to `why`, a buffer of `size`
 * bytes.
 */
int plan_make(struct plan *plan, const struct plan_request *req, char *why, size_t size);
void plan_free(struct plan *plan);

/* Returns the edges of the node at `place`, which is below plan->num_nodes. */
void plan_node(const struct plan *plan, uint16_t place, struct plan_node *node);

/*
 * Returns the mode of a message that names none, to which a rank contributes this number of bytes.
 */
enum tally_mode plan_mode_of(const struct plan *plan, enum tally_opcode opcode, uint64_t bytes);

/* Returns the place of the node of a global rank, which is below plan->total_ranks. */
uint16_t plan_place_of_rank(const struct plan *plan, uint32_t rank);

#endif
