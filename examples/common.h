/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the demonstration other than posting: setup of a node, waiting, checking, printing. */
#ifndef TALLY_DEMO_COMMON_H
#define TALLY_DEMO_COMMON_H

#include <infiniband/tallydv.h>

#define DEMO_COUNT 16   /* elements of a message */
#define DEMO_DEGREE 2   /* largest number of children of a node of the tree */
#define DEMO_TIMEOUT_MS 20000 /* of a message, in the time of the NIC */
#define DEMO_PATIENCE_S 300U
#define DEMO_WHY 256 /* bytes for a sentence that says why a call failed */
#define DEMO_MAX_NODES 64

/* The elements of a message, of either type. */
union demo_values {
	double fp64[DEMO_COUNT];
	int64_t int64[DEMO_COUNT];
};

/* Memory that the NIC reads and writes. */
struct demo_buffers {
	union demo_values in;
	union demo_values out;
};

/* The place of a NIC in the tree of the plan, for a program that composes operations by itself. */
struct demo_place {
	uint64_t children;         /* a bit for each child: its contributor index */
	unsigned int num_children;
	bool has_parent;
	unsigned int num_siblings; /* children of the parent, including this node */
};

/* One NIC, and the objects of this process on it. */
struct demo_node {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;            /* covers *buf */
	struct demo_buffers *buf;
	unsigned int index;           /* of the node in the group */
	struct demo_place place;
	struct tallydv_seg *seg;      /* NULL if the group was attached to */
	struct tallydv_group *group;
	struct ibv_cq_ex *cq;
	struct ibv_qp *qp;
};

/* A job: the nodes by index, their plan, and what its processes need to find each other. */
struct demo_job {
	unsigned int num_nodes;
	unsigned int ranks_per_node;
	struct ibv_device **list;     /* keeps the devices */
	struct ibv_device *device[DEMO_MAX_NODES];
	union ibv_gid gid[DEMO_MAX_NODES];
	uint8_t ranks[DEMO_MAX_NODES]; /* ranks_per_node for each node */
	struct tallydv_plan *plan;
	uint32_t jid;
	uint64_t join_key;
};

/* A row of the table: the completion of a rank. */
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

/* All functions that return int print an error message and return -1 on error. */

/*
 * Find the Tally NICs of this machine, and plan a group of them. In the order of their names they
 * become nodes 0, 1, ...
 */
int demo_find_nodes(struct demo_job *job, unsigned int ranks_per_node);
void demo_forget_nodes(struct demo_job *job);

/* Open the NIC of node `index` and register buffers. */
int demo_open(const struct demo_job *job, unsigned int index, struct demo_node *node);
/* Create the node's group for all its ranks. This process posts for `ranks`. */
int demo_create_group(const struct demo_job *job, struct demo_node *node, uint64_t ranks);
/* Attach to a group that another process created, to post for `ranks`. */
int demo_attach_group(const struct demo_job *job, struct demo_node *node, uint64_t ranks);
/* Create a completion queue and a queue pair. */
int demo_create_queues(struct demo_node *node, uint16_t port);
/* Destroy whatever the functions above have created. */
void demo_close(struct demo_node *node);

/*
 * Post one allreduce for the only rank of node->qp. It combines node->buf->in of every rank, and
 * writes the result to node->buf->out at every rank. No other call is needed.
 */
int demo_post_allreduce(struct demo_node *node, enum tally_op op, enum tally_type dtype,
			uint32_t mid);

/* Wait for the next completion of node->cq, and fill in `row` except for result_ok. */
int demo_wait(struct demo_node *node, struct demo_row *row);

/*
 * Set rank r's contribution to the sum (FP64) or maximum (INT64) over all ranks, and clear the
 * result.
 */
void demo_fill(struct demo_buffers *buf, enum tally_type dtype, unsigned int rank);
/* Check whether the result equals that of a plain loop over `num_ranks` ranks. */
bool demo_check(const struct demo_buffers *buf, enum tally_type dtype, unsigned int num_ranks);

/* Print a table of `count` rows; row i belongs to rank i. Returns true if all rows are good. */
bool demo_print(const char *title, const struct demo_row *rows, unsigned int count);

/*
 * Print the number of packets on the edges of all nodes, and of retransmissions on a lossy fabric.
 */
bool demo_print_packets(const struct demo_job *job, const struct demo_node *nodes);

/* Send a message of many chunks over all nodes, and print the bandwidth; see large.c. */
bool demo_large(const struct demo_job *job, struct demo_node *nodes, uint32_t mid);

/* Run the demonstration with a process for each rank; see processes.c. */
bool demo_processes(struct demo_job *job);

#endif
