/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Inside the planner.
 *
 *   plan.c      request in, plan out
 *   check.c     every field of a request
 *   choose.c    which mode
 *   costs.c     what the chunks of an operation cost
 *   segs.c      how many segments
 *   place.c     which node gets which index, and which switches they share
 *   tree.c      TREE: shapes
 *   tree_time.c TREE: how long an operation takes
 *   parts.c     EXCHANGE: which ranges of nodes each round combines
 *   shapes.c    EXCHANGE: which parts are best
 *   rebalance.c EXCHANGE: other places for nodes that are few
 *   edges.c     EXCHANGE: the edges that follow from the parts
 *   exchange.c  EXCHANGE: both, and what a node is told of them
 *   estimate.c  EXCHANGE: how long an operation takes
 *   ring.c      RING
 */
#ifndef TALLY_PLAN_INT_H
#define TALLY_PLAN_INT_H

#include "plan/plan.h"

/* Where nodes are, by place: those with the same number share a switch of that level. */
struct plan_topo {
	uint32_t levels;
	uint16_t *sw[PLAN_MAX_LEVELS];	/* dense, ascending */
};

/* Other places for the nodes. */
struct placing {
	uint16_t *node;			/* of the request, by place; NULL: none */
	struct plan_topo topo;
};

/* TREE: a node. Its subtree are the places from its own on. */
struct tree_pos {
	uint16_t parent, slot;		/* the root: 0, 0 */
	uint16_t subtree, children;
	uint8_t level;
};

/*
 * EXCHANGE: the parts that are combined by the end of a round, round 0 being single nodes. Part p
 * holds the places start[p] to start[p + 1] - 1.
 */
struct round_parts {
	uint32_t num;
	uint16_t *start;		/* num + 1 entries */
};

struct parts {
	uint32_t rounds;
	struct round_parts level[TALLY_MAX_ROUNDS + 1];
};

/* EXCHANGE: an edge as it is kept. */
struct exchange_edge {
	uint16_t node;
	uint8_t remote_index, round, position, roles;
};

struct exchange_node {
	uint8_t num_edges;
	struct exchange_edge edge[TALLY_MAX_CONTRIBUTORS];
};

/*
 * An operation as its chunks cost: `costs` with no zero among them but alu_ns, packet_ns and nic_ns
 * for a chunk.
 */
struct plan_work {
	enum tally_opcode opcode;
	uint64_t chunks;
	uint32_t max_segs;		/* that the group may own */
	struct plan_costs costs;
};

/* What it takes. */
struct plan_time {
	uint64_t first_ns;		/* one chunk */
	uint64_t next_ns;		/* each further one, as ports allow */
	uint32_t apart;			/* the first so many begin each elsewhere, and wait for none */
	uint32_t rounds;		/* each of which has segments of its own */
};

struct plan_shape {
	uint32_t *rank_first;		/* by place, and the total at the end */
	bool uniform;			/* all nodes have as many */
	struct plan_topo topo;
	struct tree_pos *tree;
	bool multicast;			/* TREE: results go down so */
	struct parts parts;
	struct exchange_node *exchange;
	struct placing rebalanced;		/* EXCHANGE: the places, if others are better */
	struct plan_work work;
	struct plan_time time;
};

/* A sentence for the caller; returns -EINVAL. */
struct refusal {
	char *why;
	size_t size;
};

int plan_refuse(const struct refusal *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

bool plan_mode_offers(enum tally_mode mode, enum tally_opcode opcode);
/* 0, or why not. */
int plan_mode_possible(const struct plan_request *req, enum tally_mode mode,
		       const struct refusal *to);
/* Makes the plan in the mode that is best, or asked for. */
int plan_choose_mode(struct plan *plan, const struct plan_request *req, const struct refusal *to);

/* 0 or -EINVAL; sets the estimate to what so many segments allow. */
int plan_choose_segs(struct plan *plan, const struct plan_request *req, const struct refusal *to);

int plan_check(const struct plan_request *req, const struct refusal *to);

struct plan_work plan_work_of(const struct plan *plan, const struct plan_request *req);
/* Of all chunks, with as many segments as there may be. */
uint64_t plan_total(const struct plan_work *work, const struct plan_time *time);

/* Ranks of node k of the request. */
static inline uint32_t request_ranks(const struct plan_request *req, uint32_t k)
{
	return req->ranks ? req->ranks[k] : 1;
}

/* Fills in plan->place and ->node, the shape's topo and ranks. 0 or -ENOMEM. */
int plan_place_nodes(struct plan *plan, const struct plan_request *req);
/* Counts ranks by place. */
void plan_count_ranks(struct plan *plan, const struct plan_request *req);
/* Places for EXCHANGE that may be better; *any: there are. 0 or -ENOMEM; free `to` if either. */
int plan_rebalance(const struct plan *plan, struct placing *to, bool *any);
void plan_placing_free(struct placing *placing);
/* Moves the nodes of the plan there. */
void plan_move(struct plan *plan, const struct plan_request *req, struct placing *to);
void plan_topo_free(struct plan_topo *topo);

/* Level of the lowest switch that two places share, from 1. */
uint32_t plan_topo_distance(const struct plan_topo *topo, uint16_t a, uint16_t b);

/* Each of these makes the plan's mode and says what it takes. */
int plan_tree_make(struct plan *plan, const struct plan_request *req, const struct refusal *to);
int plan_exchange_make(struct plan *plan, const struct plan_request *req, const struct refusal *to);
int plan_ring_make(struct plan *plan, const struct plan_request *req, const struct refusal *to);
void plan_tree_free(struct plan *plan);
void plan_exchange_free(struct plan *plan);

/* Do contributions go up, and results down? */
bool plan_goes_up(enum tally_opcode opcode);
bool plan_goes_down(enum tally_opcode opcode);
/* What a tree takes; `multicast`: results go down so. 0 or -ENOMEM. */
int plan_tree_estimate(const struct plan *plan, const struct tree_pos *tree, bool multicast,
		       struct plan_time *time);
void plan_tree_node(const struct plan *plan, uint16_t place, struct plan_node *node);

void plan_parts_free(struct parts *parts);
/* Room for `max` parts, none of them there. 0 or -ENOMEM; so do those below. */
int plan_parts_alloc(struct round_parts *level, uint32_t max);
int plan_parts_singles(struct round_parts *level, uint32_t num_nodes);
int plan_parts_all(struct round_parts *level, uint32_t num_nodes);
/*
 * Adds `rounds` rounds that lead from the parts `low`, which those so far end with, to the parts
 * `high`; round r combines up to radix[r - 1].
 */
int plan_parts_refine(struct parts *parts, const struct round_parts *low,
		      const struct round_parts *high, uint32_t rounds, const uint8_t *radix);
/* The largest number of parts of `low` in one of `high`. */
uint32_t plan_parts_most(const struct round_parts *low, const struct round_parts *high);
/* Radices, as equal as can be, of rounds that combine `count`; false: there are none. */
bool plan_radices(uint32_t count, uint32_t rounds, uint8_t *radix);
/* The parts that are best, or best with the radices asked for. */
int plan_parts_choose(struct plan *plan, const struct plan_request *req, const struct refusal *to);
/* The part of a round that holds a place. */
uint32_t plan_parts_find(const struct round_parts *level, uint16_t place);

/* Halvings of so many inputs: reductions that the last of them waits for. */
uint32_t plan_levels(uint32_t inputs);

/* What an EXCHANGE takes. 0 or -ENOMEM. */
int plan_exchange_estimate(const struct plan_topo *topo, const struct plan_costs *costs,
			   const struct parts *parts, const struct exchange_node *nodes,
			   struct plan_time *time);
/* Nearly that, quickly; -E2BIG: some node would need more edges than there are. */
int plan_exchange_rough(const struct plan_topo *topo, const struct plan_costs *costs,
			const struct parts *parts, struct plan_time *time);

/* The edges of all nodes; -E2BIG: some node would need more than a group may have. */
int plan_exchange_edges(const struct parts *parts, struct exchange_node *nodes);
/* Then, once: what each edge is to the node at its other end, and the way of the epoch. */
void plan_exchange_join_ends(struct exchange_node *nodes, uint32_t num_nodes);
void plan_exchange_node(const struct plan *plan, uint16_t place, struct plan_node *node);

void plan_ring_node(const struct plan *plan, uint16_t place, struct plan_node *node);

#endif
