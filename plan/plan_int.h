/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Internal declarations of the planner.
 *
 *   plan.c      makes a plan from a request
 *   check.c     checks every field of a request
 *   choose.c    chooses the mode
 *   costs.c     computes the costs of an operation's chunks
 *   segs.c      chooses the number of segments
 *   place.c     assigns places to nodes, and finds their common switches
 *   tree.c      TREE: chooses the shape
 *   tree_time.c TREE: estimates the time of an operation
 *   parts.c     EXCHANGE: ranges of nodes that each round combines
 *   shapes.c    EXCHANGE: chooses the best parts
 *   rebalance.c EXCHANGE: tries other places for nodes of small leaves
 *   edges.c     EXCHANGE: derives the edges from the parts
 *   exchange.c  EXCHANGE: builds the configuration of a node from parts and edges
 *   estimate.c  EXCHANGE: estimates the time of an operation
 *   ring.c      RING
 *   shared.c    a plan for all operations: its modes, and the union of their edges
 *   table.c     the mode of each operation in such a plan
 *   hash.c      the hash of such a plan
 */
#ifndef TALLY_PLAN_INT_H
#define TALLY_PLAN_INT_H

#include "plan/plan.h"

/* The topology by place: places with the same number share a switch of that level. */
struct plan_topo {
	uint32_t levels;
	uint16_t *sw[PLAN_MAX_LEVELS];	/* dense, ascending */
};

/* An alternative assignment of nodes to places. */
struct placement {
	uint16_t *node;			/* node of the request, by place; NULL: none */
	struct plan_topo topo;
};

/* TREE: a node. Its subtree is a range of places that begins with its own. */
struct tree_pos {
	uint16_t parent, slot;		/* the root: 0, 0 */
	uint16_t subtree, children;
	uint8_t level;
};

/*
 * EXCHANGE: the parts that exist after a round. After round 0 the parts are single nodes. Part p
 * has the places start[p] to start[p + 1] - 1.
 */
struct round_parts {
	uint32_t num;
	uint16_t *start;		/* num + 1 entries */
};

struct parts {
	uint32_t rounds;
	struct round_parts level[TALLY_MAX_ROUNDS + 1];
};

/* EXCHANGE, and the union of a shared plan: internal form of an edge. */
struct exchange_edge {
	uint16_t node;
	uint8_t remote_index, round, position, roles;
};

struct exchange_node {
	uint8_t num_edges;
	struct exchange_edge edge[TALLY_MAX_CONTRIBUTORS];
};

/*
 * An operation with the costs of its chunks. In `costs`, only alu_ns may be 0; packet_ns and nic_ns
 * are those of a chunk.
 */
struct plan_work {
	enum tally_opcode opcode;
	uint64_t chunks;
	uint32_t chunk;			/* bytes of the first one */
	uint32_t max_segs;		/* limit on the segments of the group */
	struct plan_costs costs;
};

/* Times of an operation. */
struct plan_time {
	uint64_t first_ns;		/* time of one chunk */
	uint64_t next_ns;		/* time of each further chunk, limited by ports */
	uint32_t parallel;		/* first chunks, which begin at different nodes at once */
};

struct plan_shape {
	uint32_t *rank_first;		/* by place; the last entry is the total */
	bool uniform;			/* all nodes have the same number of ranks */
	struct plan_topo topo;
	struct tree_pos *tree;
	bool multicast;			/* TREE: results go down by multicast */
	struct parts parts;
	struct exchange_node *exchange;
	uint32_t max_edges;		/* EXCHANGE: most neighbours of a node */
	struct placement rebalanced;	/* EXCHANGE: other places, if they are better */
	struct plan_work work;
	struct plan_time time;
};

/* Destination of the caller's sentence, which plan_refuse() writes. It returns -EINVAL. */
struct refusal {
	char *why;
	size_t size;
};

int plan_refuse(const struct refusal *to, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

const char *plan_mode_name(enum tally_mode mode);
const char *plan_opcode_name(enum tally_opcode opcode);
/* Returns the bit of a mode in plan->modes. */
static inline uint32_t plan_mode_bit(enum tally_mode mode)
{
	return 1u << (mode - 1);
}

bool plan_mode_offers(enum tally_mode mode, enum tally_opcode opcode);
/* Returns whether some node has no ranks. */
bool plan_has_rankless(const struct plan_request *req);
/* Returns 0, or -EINVAL with the reason why the mode is impossible. */
int plan_mode_possible(const struct plan_request *req, enum tally_mode mode,
		       const struct refusal *to);
/* Makes the plan in the best mode, or in the requested one. */
int plan_choose_mode(struct plan *plan, const struct plan_request *req, const struct refusal *to);

/* Copies facts from the shape to the plan. */
void plan_describe(struct plan *plan);
/* Adds a mode's estimate to plan->reason. */
void plan_add_reason(struct plan *plan, enum tally_mode mode, uint64_t ns);

/* Chooses the number of segments, and adjusts the estimate to it. Returns 0 or -EINVAL. */
int plan_choose_segs(struct plan *plan, const struct plan_request *req, const struct refusal *to);
/* Returns the number of segments that a constant stream of chunks needs. */
uint64_t plan_wanted_segs(enum tally_mode mode, const struct plan_work *work,
			  const struct plan_time *time);
/* Sets the segments of a shared plan, whose streams need up to `wanted` of them. */
int plan_share_segs(struct plan *plan, const struct plan_request *req, uint64_t wanted,
		    const struct refusal *to);

int plan_check(const struct plan_request *req, const struct refusal *to);

struct plan_work plan_work_of(const struct plan *plan, const struct plan_request *req);
/* Returns an operation of another opcode and length, with chunks of up to `most` bytes. */
struct plan_work plan_work_for(const struct plan *plan, const struct plan_request *req,
			       enum tally_opcode opcode, uint64_t bytes, uint32_t most);
/* Sets the costs of a chunk of these bytes. */
void plan_set_chunk(struct plan_work *work, const struct plan_request *req, uint64_t bytes);
/* Returns the time of all chunks with the largest possible number of segments. */
uint64_t plan_total(const struct plan_work *work, const struct plan_time *time);

/* Returns the number of ranks of node k of the request. */
static inline uint32_t request_ranks(const struct plan_request *req, uint32_t k)
{
	return req->ranks ? req->ranks[k] : 1;
}

/* Fills in plan->place and plan->node, and the shape's topo and ranks. Returns 0 or -ENOMEM. */
int plan_place_nodes(struct plan *plan, const struct plan_request *req);
/* Counts the ranks by place. */
void plan_count_ranks(struct plan *plan, const struct plan_request *req);
/*
 * Computes places for EXCHANGE that may be better, and sets *any if there are any. Returns 0 or
 * -ENOMEM. The caller frees `to` in any case.
 */
int plan_rebalance(const struct plan *plan, struct placement *to, bool *any);
void plan_placement_free(struct placement *placement);
/* Moves the nodes of the plan to these places. */
void plan_move(struct plan *plan, const struct plan_request *req, struct placement *to);
void plan_topo_free(struct plan_topo *topo);

/* Returns the level, from 1, of the lowest switch that two places share. */
uint32_t plan_topo_distance(const struct plan_topo *topo, uint16_t a, uint16_t b);

/* Each of these functions makes a plan in one mode and returns its times. */
int plan_tree_make(struct plan *plan, const struct plan_request *req, const struct refusal *to);
int plan_exchange_make(struct plan *plan, const struct plan_request *req, const struct refusal *to);
int plan_ring_make(struct plan *plan, const struct plan_request *req, const struct refusal *to);
void plan_tree_free(struct plan *plan);
void plan_exchange_free(struct plan *plan);

/* Return whether contributions go up, and whether results go down. */
bool plan_goes_up(enum tally_opcode opcode);
bool plan_goes_down(enum tally_opcode opcode);
/*
 * Estimates the times of a tree. With `multicast`, results go down by multicast. Returns 0 or
 * -ENOMEM.
 */
int plan_tree_estimate(const struct plan *plan, const struct tree_pos *tree, bool multicast,
		       struct plan_time *time);
void plan_tree_node(const struct plan *plan, uint16_t place, struct plan_node *node);

void plan_parts_free(struct parts *parts);
/* Allocates room for `max` parts. Returns 0 or -ENOMEM, as do the functions below. */
int plan_parts_alloc(struct round_parts *level, uint32_t max);
int plan_parts_singles(struct round_parts *level, uint32_t num_nodes);
int plan_parts_all(struct round_parts *level, uint32_t num_nodes);
/*
 * Adds `rounds` rounds, which lead from the parts `low`, with which the present rounds end, to the
 * parts `high`. Round r combines up to radix[r - 1] parts.
 */
int plan_parts_refine(struct parts *parts, const struct round_parts *low,
		      const struct round_parts *high, uint32_t rounds, const uint8_t *radix);
/* Returns the largest number of parts of `low` in a part of `high`. */
uint32_t plan_parts_most(const struct round_parts *low, const struct round_parts *high);
/*
 * Computes radices, as equal as possible, of rounds that combine `count` parts. Returns false if
 * there are none.
 */
bool plan_radices(uint32_t count, uint32_t rounds, uint8_t *radix);
/* Chooses the best parts, within the requested radices if there are any. */
int plan_parts_choose(struct plan *plan, const struct plan_request *req, const struct refusal *to);
/* Returns the part of a round that contains a place. */
uint32_t plan_parts_find(const struct round_parts *level, uint16_t place);

/*
 * Returns the depth of a reduction of this number of inputs: the reductions that the last input
 * waits for.
 */
uint32_t plan_levels(uint32_t inputs);

/* Estimates the times of an EXCHANGE. Returns 0 or -ENOMEM. */
int plan_exchange_estimate(const struct plan_topo *topo, const struct plan_costs *costs,
			   const struct parts *parts, const struct exchange_node *nodes,
			   struct plan_time *time);
/* Estimates the times roughly, but faster. Returns -E2BIG if some node needs too many edges. */
int plan_exchange_rough(const struct plan_topo *topo, const struct plan_costs *costs,
			const struct parts *parts, uint32_t max_edges, struct plan_time *time);

/* Computes the edges of all nodes. Returns -E2BIG if some node needs more than `max_edges`. */
int plan_exchange_edges(const struct parts *parts, uint32_t max_edges, struct exchange_node *nodes);
/* Returns the edge of a node to another one, or NULL. */
struct exchange_edge *plan_edge_to(struct exchange_node *n, uint16_t node);
/*
 * Computes the remote index of each edge, which is CONTRIB_PARENT if the neighbour has no edge
 * here. Call it once all edges are there.
 */
void plan_set_remote_indices(struct exchange_node *nodes, uint32_t num_nodes);
/* Sets the edges from which nodes learn the epoch. */
void plan_exchange_set_epoch(struct exchange_node *nodes, uint32_t num_nodes);
void plan_exchange_node(const struct plan *plan, uint16_t place, struct plan_node *node);

void plan_ring_node(const struct plan *plan, uint16_t place, struct plan_node *node);

/* Makes a plan for all operations. */
int plan_shared_make(struct plan *plan, const struct plan_request *req, const struct refusal *to);
void plan_shared_node(const struct plan *plan, uint16_t place, struct plan_node *node);
/*
 * Chooses the mode of each operation and of the group, and computes the estimate and the segments
 * from them. Returns 0, -ENOMEM or -EINVAL.
 */
int plan_choose_table(struct plan *plan, const struct plan_request *req, const struct refusal *to);
uint32_t plan_hash(const struct plan *plan);

#endif
