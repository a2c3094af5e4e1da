/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cluster of collective engines for tests: N nodes, each an engine with a host of its own (flat
 * memory, memory regions, send queues, recorded completions, events and counters), connected by a
 * network that drops, duplicates and delays packets at random. Everything happens in virtual time
 * and is a function of the seed.
 *
 * The bed itself fails the test if a work request has a second completion or one out of order, or
 * if a result is written to memory after the completion of its request.
 */
#ifndef TALLY_SIM_ENGINE_TEST_TESTBED_H
#define TALLY_SIM_ENGINE_TEST_TESTBED_H

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/event.h"
#include "engine/test/units.h"

#define TB_MAX_NODES 66
#define TB_MAX_QPS 64  /* of a node */
#define TB_MAX_MRS 32
#define TB_MAX_PEERS 16
#define TB_ONE_MORE(name, value, doc) +1
#define TB_NUM_COUNTERS (0 TALLY_CTR_LIST(TB_ONE_MORE))
#define TB_STRIDE 512
#define TB_INLINE 256 /* bytes that fit into an entry besides the lists */
#define TB_ANYWHERE 1 /* key of the region that covers all memory of a node */
#define TB_PD 7

struct testbed;
struct tb_node;

/* ---- The network ---- */
struct tb_packet {
	struct tb_node *from, *to; /* to: NULL if nobody has the address */
	struct tally_tch tch;
	uint8_t payload[TALLY_MAX_MTU];
	size_t len; /* of the payload */
};

struct tb_net {
	double drop, dup, reorder;
	vtime_t latency, jitter; /* one way: latency, plus up to jitter */
	vtime_t delay;		 /* maximum additional delay of a reordered packet */
	/* Sees every packet that is sent, and may change it. Returns false to drop it. */
	bool (*hook)(void *arg, struct tb_packet *p);
	void *hook_arg;
};

/* ---- Nodes ---- */
/* A work request and its outcome. */
struct tb_wr {
	uint32_t index, mid;
	uint8_t opcode;
	bool signaled, retired; /* retired: completed by its own CQE or a later one */
	bool has_cqe;
	struct tally_cqe cqe;
	vtime_t posted, completed;
	uint64_t nth; /* number of its outcome among those of its node */
	struct engine_sge result[TALLY_MAX_SGE];
	unsigned int num_result;
};

struct tb_qp {
	bool used;
	unsigned int life; /* number of creations; answers for an earlier life are dropped */
	uint32_t qpn, group, depth, stride;
	uint64_t sq; /* offset in the node's memory */
	uint32_t posted, rung, retired;
	struct tb_wr *wrs; /* index: work request index */
	uint32_t room;
	bool no_fetch; /* the send queue cannot be read */
};

struct tb_event {
	enum tally_eqe_type type;
	uint32_t id;
	uint64_t data;
	vtime_t at;
};

struct tb_mr {
	uint32_t lkey, access;
	uint64_t first, length;
};

struct tb_node {
	struct testbed *tb;
	struct engine *e;
	unsigned int index;
	struct engine_addr addr;
	uint8_t *mem;
	uint64_t mem_used;
	struct tb_mr mrs[TB_MAX_MRS];
	unsigned int num_mrs;
	struct tb_qp qps[TB_MAX_QPS];
	struct tally_cqe *cqes; /* all CQEs, in order */
	size_t num_cqes, cqe_room;
	unsigned int solicited; /* number of solicited ones */
	struct tb_event *events;
	size_t num_events, event_room;
	uint64_t counters[TB_NUM_COUNTERS];
	struct sim_event timer;
	bool dead; /* the network neither delivers to it nor sends for it */
	bool fail_reads, fail_writes;
	vtime_t slow; /* additional time of every memory access */
	vtime_t trigger_delay; /* latency of the engine for its newest packet of kind TRIGGER */
	uint64_t outcomes;
	unsigned int open; /* posted requests without an outcome */
	unsigned int calls; /* into the engine, while it has many edges */
};

struct testbed {
	struct sim *sim;
	struct tb_net net;
	struct tb_node nodes[TB_MAX_NODES];
	unsigned int num_nodes;
	struct tb_op *ops; /* operations in flight */
};

#define TB_MEM_SIZE (8u << 20)

struct testbed *tb_new(unsigned int nodes, uint64_t seed);
/* Free a bed. Operations in flight are dropped. */
void tb_free(struct testbed *tb);
void tb_lossy(struct testbed *tb, double drop, double dup, double reorder);

void tb_run_for(struct testbed *tb, vtime_t time);
uint64_t tb_rand(struct testbed *tb, uint64_t bound);
bool tb_chance(struct testbed *tb, double probability);

/* Allocate memory of a node; addresses are offsets, aligned to 64. */
uint64_t tb_alloc(struct tb_node *n, size_t len);
/* Free all memory of the nodes that have no queue pair. */
void tb_recycle(struct testbed *tb);
void *tb_at(struct tb_node *n, uint64_t addr);
uint32_t tb_mr_add(struct tb_node *n, uint64_t first, uint64_t length, uint32_t access);
void tb_mr_remove(struct tb_node *n, uint32_t lkey);

/* Calls into the engine are made between these two. */
struct engine *tb_enter(struct tb_node *n);
void tb_leave(struct tb_node *n);
/* Return the number of groups, which are put into @list; it has room for TALLY_MAX_GROUP. */
unsigned int tb_groups(struct engine *e, struct group **list);
/* Restart a NIC: the engine forgets everything, and operations of the host in flight are lost. */
void tb_node_reset(struct tb_node *n);
/* Deliver a packet that nobody sent: header in wire order and payload, `len` bytes in all. */
void tb_inject(struct tb_node *to, const struct engine_addr *from, const void *body, size_t len);

/* ---- Groups ---- */
struct tb_group_cfg {
	unsigned int nodes, degree; /* nodes 0.. of the group are nodes first_node.. of the bed */
	unsigned int first_node;
	unsigned int ranks;		 /* number of ranks of each node */
	uint64_t rank_mask[TB_MAX_NODES]; /* used instead of ranks if any mask is not 0 */
	unsigned int segs, max_segs; /* max_segs 0: segs */
	uint32_t jid, epoch, group;
	uint32_t mtu, timeout_ms, retry_limit, rto_us;
	bool no_limit; /* messages have none; timeout_ms is not used */
	uint32_t flags; /* ORDERED, MULTICAST; SPARSE is set if necessary */
	uint8_t mode;	/* 0: TREE */
	uint8_t modes;	/* TALLY_MODES_; 0: only that of `mode` */
	/* choice of a mode by opcode - 1 */
	uint8_t small[NUM_CHOICES], middle[NUM_CHOICES], large[NUM_CHOICES];
	uint8_t small_log[NUM_CHOICES], middle_log[NUM_CHOICES];
	uint8_t radix[TALLY_MAX_ROUNDS]; /* EXCHANGE: parts of each round; 0: 2 */
	uint32_t msg_cells;
};

/* A neighbour of a node in EXCHANGE and RING, or in a group of several modes. */
struct tb_edge {
	unsigned int node;
	uint8_t round, position;
	uint16_t roles;
	bool only_child; /* it is a child and nothing else, so this node has no index there */
	unsigned int first, count; /* IN: nodes of the neighbour's part */
};

struct tb_group {
	struct testbed *tb;
	struct tb_group_cfg cfg;
	int parent[TB_MAX_NODES];
	unsigned int level[TB_MAX_NODES], subtree[TB_MAX_NODES];
	unsigned int child[TB_MAX_NODES][TB_MAX_NODES], children[TB_MAX_NODES];
	uint64_t rank_mask[TB_MAX_NODES];
	/* Peers; their indices follow those of the children. */
	unsigned int peer[TB_MAX_NODES][TB_MAX_PEERS], peers[TB_MAX_NODES];
	uint32_t rank_first[TB_MAX_NODES + 1]; /* global ranks; the last entry: their number */
	struct tb_edge edge[TB_MAX_NODES][TALLY_MAX_CONTRIBUTORS];
	unsigned int edges[TB_MAX_NODES], rounds;
};

/*
 * Plan a group: set fields that are 0, and the shape of the tree: DFS preorder, up to `degree`
 * children.
 */
void tb_group_plan(struct testbed *tb, struct tb_group *g, const struct tb_group_cfg *cfg);
/*
 * Plan the edges of a group that has other modes than TREE, and write those of node i as its
 * configuration has them.
 */
void tb_modes_plan(struct tb_group *g);
/* Return the contributor index of node k at node i in such a group. */
unsigned int tb_modes_index(const struct tb_group *g, unsigned int i, unsigned int k);
unsigned int tb_modes_edges(const struct tb_group *g, unsigned int i,
			    struct tally_group_edge *edges);
/*
 * Make two nodes peers, unless they are already. Must be called before the configuration is used.
 */
void tb_group_peer(struct tb_group *g, unsigned int i, unsigned int k);
/* Return the contributor index of peer k at node i. */
unsigned int tb_group_peer_index(const struct tb_group *g, unsigned int i, unsigned int k);
/* Write the configuration of node i, which a test may change before it is used. */
unsigned int tb_group_config(const struct tb_group *g, unsigned int i, struct tally_group_cfg *cfg,
			     struct tally_group_edge *edges);
struct engine_result tb_group_try(struct tb_group *g, unsigned int i);
void tb_group_create(struct tb_group *g, unsigned int i);
void tb_group_create_all(struct tb_group *g);
void tb_group_destroy(struct tb_group *g, unsigned int i);
/*
 * Create a bed with one group, whose edges are open. Nodes that are not in the group are strangers.
 */
struct testbed *tb_open(struct tb_group *g, const struct tb_group_cfg *cfg, unsigned int nodes,
			uint64_t seed);
struct tb_node *tb_group_node(const struct tb_group *g, unsigned int i);
struct group *tb_group_state(const struct tb_group *g, unsigned int i);
/* Return the contributor index of this node at its parent. */
unsigned int tb_group_slot(const struct tb_group *g, unsigned int i);

/* ---- Queue pairs and work ---- */
struct tb_qp *tb_qp_create(struct tb_group *g, unsigned int i, uint64_t ranks, uint32_t depth,
			   uint16_t port);
void tb_qp_destroy(struct tb_group *g, unsigned int i, struct tb_qp *qp);

/* Modify a queue pair. RESET also forgets the requests posted. */
enum tally_admin_status tb_qp_modify(struct tb_group *g, unsigned int i, struct tb_qp *qp,
				     enum tally_qp_state state);

/* A work request to post. The fields that the bed can fill in are in host byte order. */
struct tb_post {
	struct tally_wqe w;
	struct engine_sge gather[TALLY_MAX_SGE], result[TALLY_MAX_SGE];
	const void *data; /* inline data */
};

/* Return a request for `ranks` with jid, node mask and SIGNALED set. */
struct tb_post tb_request(const struct tb_group *g, uint8_t opcode, uint32_t mid, uint64_t ranks);
/* Return a request for the sum of `count` elements of INT32 at `from`, to be written to `to`. */
struct tb_post tb_sum(const struct tb_group *g, uint32_t mid, uint64_t ranks, uint64_t from,
		      uint64_t to, uint32_t count);
void tb_inline(struct tb_post *p, const void *data, size_t len);
void tb_gather(struct tb_post *p, uint64_t addr, size_t len);
void tb_result(struct tb_post *p, uint64_t addr, size_t len);
/* Write a request with its index into the queue, without a doorbell. Returns the index. */
uint32_t tb_post(struct tb_node *n, struct tb_qp *qp, const struct tb_post *p);
void tb_ring(struct tb_node *n, struct tb_qp *qp);
uint32_t tb_post_ring(struct tb_node *n, struct tb_qp *qp, const struct tb_post *p);
/*
 * Run until every posted request of every live node has its outcome. The test fails after `limit`.
 */
void tb_finish(struct testbed *tb, vtime_t limit);

/* ---- Invariants ---- */
/*
 * Check that the engine holds no entry, cell or buffer, that all slots are free, and that no
 * request is inside.
 */
void tb_assert_empty(struct tb_node *n);
void tb_assert_all_empty(struct testbed *tb);
/* Check that `done` is the same at all nodes after a successful end. */
void tb_assert_done(const struct tb_group *g, uint32_t done);
void tb_assert_cqe(const struct tb_wr *wr, enum tally_coll_status status);
/* Check that a request was not begun, and that its completion has the cause of the group's end. */
void tb_assert_flushed(const struct tb_wr *wr, enum tally_coll_status cause);

unsigned int tb_count_events(const struct tb_node *n, enum tally_eqe_type type);
uint64_t tb_counter(const struct testbed *tb, enum tally_counter c); /* sum over the nodes */

/* ---- Internal to the bed ---- */
void tb_fill_addr(struct tally_group_edge *edge, const struct tb_node *n);
void tb_note_completion(struct tb_node *n, const struct tally_cqe *cqe);
/* Check that the request of a result that is written has no outcome yet. */
void tb_check_write(struct tb_node *n, const struct engine_sge *sge);
/* Return the number of requests of a queue pair that have no outcome. */
unsigned int tb_unfinished(const struct tb_qp *qp);

/* Return the seed of a run, TALLY_TEST_SEED or a fixed one, and print it. */
uint64_t tb_seed(void);

#endif
