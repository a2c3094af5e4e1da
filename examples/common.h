/* SPDX-License-Identifier: BSD-2-Clause */
/* What the demonstration needs besides posting: setting a node up, waiting, checking, printing. */
#ifndef TALLY_DEMO_COMMON_H
#define TALLY_DEMO_COMMON_H

#include <infiniband/tallydv.h>

#define DEMO_COUNT 16   /* elements of a message */
#define DEMO_DEGREE 2   /* children of a node of the tree, at most */
#define DEMO_SEGS 64    /* chunks the group may have under way */
#define DEMO_TIMEOUT_MS 20000
#define DEMO_WHY 256 /* characters of a sentence that says why a call failed */
#define DEMO_MAX_NODES 64

/* The elements of a message, as one type or the other. */
union demo_values {
	double fp64[DEMO_COUNT];
	int64_t int64[DEMO_COUNT];
};

/* The memory that the NIC reads from and writes to. */
struct demo_buffers {
	union demo_values in;
	union demo_values out;
};

/* One NIC, and what this process has on it. */
struct demo_node {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;            /* of *buf */
	struct demo_buffers *buf;
	struct tallydv_tree_pos pos;  /* the NIC's place in the tree */
	struct tallydv_seg *seg;      /* NULL where the group was attached to */
	struct tallydv_group *group;
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;
};

/* A job: the nodes of the tree by index, and what its processes must know to find one another. */
struct demo_job {
	unsigned int num_nodes;
	unsigned int ranks_per_node;
	struct ibv_device **list;     /* keeps the devices */
	struct ibv_device *device[DEMO_MAX_NODES];
	union ibv_gid gid[DEMO_MAX_NODES];
	uint32_t jid;
	uint64_t join_key;
};

/* A line of the table: what a rank's completion said. */
struct demo_row {
	bool valid;           /* there was a completion */
	bool result_ok;
	enum ibv_wc_status status;
	enum tally_coll_status coll_status;
	uint32_t jid;
	uint32_t mid;
	uint32_t sid;
	uint16_t seg;
	uint64_t node_bitmap;
	uint64_t rank_bitmap;
	uint32_t elapsed_ns;
};

/* All functions that return int print what failed and return -1 on error. */

/* Find the Tally NICs of this machine, in order of name: they become nodes 0, 1, ... */
int demo_find_nodes(struct demo_job *job, unsigned int ranks_per_node);
void demo_forget_nodes(struct demo_job *job);

/* Open node `index`'s NIC and register buffers. */
int demo_open(const struct demo_job *job, unsigned int index, struct demo_node *node);
/* Create the node's group for all its ranks; this process posts for `ranks`. */
int demo_create_group(const struct demo_job *job, struct demo_node *node, uint64_t ranks);
/* Post for `ranks` of a group that another process created. */
int demo_attach_group(const struct demo_job *job, struct demo_node *node, uint64_t ranks);
/* Completion queue and queue pair. */
int demo_create_queues(struct demo_node *node, uint16_t port);
/* Whatever of the above was made. */
void demo_close(struct demo_node *node);

/*
 * Post one allreduce for the one rank of node->qp: node->buf->in at every rank, combined, will be in
 * node->buf->out at every rank. This is all it takes.
 */
int demo_post_allreduce(struct demo_node *node, enum tally_op op, enum tally_type dtype,
			uint32_t mid);

/* Wait for the next completion of node->cq and fill in `row` but for result_ok. */
int demo_wait(struct demo_node *node, struct demo_row *row);

/* Rank r's contribution to the sum (FP64) or maximum (INT64) over all ranks; clears the result. */
void demo_fill(struct demo_buffers *buf, enum tally_type dtype, unsigned int rank);
/* Is the result what a plain loop over `num_ranks` ranks gives? */
bool demo_check(const struct demo_buffers *buf, enum tally_type dtype, unsigned int num_ranks);

/* Print a table of `count` rows, row i of rank i. Returns true if all is well in all of them. */
bool demo_print(const char *title, const struct demo_row *rows, unsigned int count);

/* What the edges of all nodes carried, and how much of it a lossy fabric made them send again. */
bool demo_print_packets(const struct demo_job *job, const struct demo_node *nodes);

/* A message of many chunks over all nodes, and its bandwidth; see large.c. */
bool demo_large(const struct demo_job *job, struct demo_node *nodes, uint32_t mid);

/* The demonstration with a process for each rank; see processes.c. */
bool demo_processes(struct demo_job *job);

#endif
