// SPDX-License-Identifier: BSD-2-Clause
/*
 * A demonstration in which every Tally NIC of this machine is a node of one group, and the NICs
 * combine the ranks' data among themselves. The first part uses collective work requests of several
 * kinds, the second part triggered descriptors over the tree of the plan, and the third part a large
 * message. docs/tutorial.md explains it. On a fabric that loses packets the results are the same,
 * and the last line shows the retransmissions.
 *
 *     tally_demo              one process posts for all ranks, one on each NIC
 *     tally_demo --short      without the large message, for packet captures that people read
 *     tally_demo --processes  a process for each rank, two on each NIC
 */
#include <stdio.h>
#include <string.h>

#include "common.h"

/* ---- A collective work request ---- */
int demo_post_allreduce(struct demo_node *node, enum tally_op op, enum tally_type dtype,
			uint32_t mid)
{
	struct ibv_sge in = {
		.addr = (uintptr_t)&node->buf->in,
		.length = sizeof(node->buf->in),
		.lkey = node->mr->lkey,
	};
	struct ibv_sge out = {
		.addr = (uintptr_t)&node->buf->out,
		.length = sizeof(node->buf->out),
		.lkey = node->mr->lkey,
	};
	struct tallydv_send_wr wr = {
		.wr = {
			.wr_id = mid,
			.opcode = IBV_WR_DRIVER1,
			.send_flags = IBV_SEND_SIGNALED,
			.sg_list = &in,
			.num_sge = 1,
		},
		.coll = {
			.opcode = TALLY_OPCODE_ALLREDUCE,
			.op = op,
			.dtype = dtype,
			.count = DEMO_COUNT,
			.mid = mid,
			.result_list = &out,
			.num_result = 1,
		},
	};
	struct ibv_send_wr *bad_wr;
	int err = ibv_post_send(node->qp, &wr.wr, &bad_wr);

	if (err)
		fprintf(stderr, "demo: ibv_post_send: %s\n", strerror(err));
	return err ? -1 : 0;
}

/* The same group broadcasts: the root gives its data, all others get them. */
static int post_bcast(struct demo_node *node, unsigned int root, uint32_t mid)
{
	bool gives = node->index == root;
	struct ibv_sge sge = {
		.addr = (uintptr_t)(gives ? &node->buf->in : &node->buf->out),
		.length = sizeof(node->buf->in),
		.lkey = node->mr->lkey,
	};
	struct tallydv_send_wr wr = {
		.wr = {
			.wr_id = mid,
			.opcode = IBV_WR_DRIVER1,
			.send_flags = IBV_SEND_SIGNALED,
			.sg_list = &sge,
			.num_sge = gives,
		},
		.coll = {
			.opcode = TALLY_OPCODE_BCAST,
			.dtype = TALLY_TYPE_FP64,
			.count = DEMO_COUNT,
			.mid = mid,
			.root_node = root,
			.result_list = &sge,
			.num_result = !gives,
		},
	};
	struct ibv_send_wr *bad_wr;
	int err = ibv_post_send(node->qp, &wr.wr, &bad_wr);

	if (err)
		fprintf(stderr, "demo: ibv_post_send: %s\n", strerror(err));
	return err ? -1 : 0;
}

/* ---- The same with triggered descriptors ---- */
enum {
	PORT = 1,     /* every node's queue pair has this port number */
	CTR_UP = 0,   /* CP counter of partial results on their way up, */
	CTR_DOWN = 1, /* and of the result on its way down */
};

static int post_triggered(struct demo_node *node, uint64_t wr_id, unsigned int send_flags,
			  struct ibv_sge *in, struct tallydv_coll_attr *coll)
{
	struct tallydv_send_wr wr = {
		.wr = {
			.wr_id = wr_id,
			.opcode = IBV_WR_DRIVER1,
			.send_flags = send_flags,
			.sg_list = in,
			.num_sge = in ? 1 : 0,
		},
		.coll = *coll,
	};
	struct ibv_send_wr *bad_wr;
	int err = ibv_post_send(node->qp, &wr.wr, &bad_wr);

	if (err)
		fprintf(stderr, "demo: ibv_post_send: %s\n", strerror(err));
	return err ? -1 : 0;
}

/*
 * The way up: once the messages of all children have arrived, combine them with the node's own data
 * and send the result to the parent. A leaf does not wait. The root sends to itself, which starts
 * the way down.
 */
static int post_reduce_mp(struct demo_node *node, uint32_t mid)
{
	unsigned int children = node->place.num_children;
	struct ibv_sge in = {
		.addr = (uintptr_t)&node->buf->in,
		.length = sizeof(node->buf->in),
		.lkey = node->mr->lkey,
	};
	struct tallydv_coll_attr coll = {
		.opcode = TALLY_OPCODE_REDUCE_MP,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_FP64,
		.count = DEMO_COUNT,
		.mid = mid,
		.flags = TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP,
		.trigger = { .counter = CTR_UP, .cpcnt = children, .dest_port = PORT },
	};

	if (children)
		coll.flags |= TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_RFLAG;
	if (node->place.has_parent) {
		coll.flags |= TALLY_WQE_F_TO_PARENT;
		coll.trigger.dest_counter = CTR_UP;
		coll.trigger.branch = node->place.num_siblings; /* messages combined there */
	} else {
		coll.flags |= TALLY_WQE_F_TO_SELF;
		coll.trigger.dest_counter = CTR_DOWN;
		coll.trigger.branch = 1;
	}
	return post_triggered(node, 0, 0, &in, &coll);
}

/* The way down: once the result has arrived, pass it on to the children, and write it to memory. */
static int post_bcast_mp(struct demo_node *node, uint32_t mid)
{
	struct ibv_sge out = {
		.addr = (uintptr_t)&node->buf->out,
		.length = sizeof(node->buf->out),
		.lkey = node->mr->lkey,
	};
	struct tallydv_coll_attr coll = {
		.opcode = TALLY_OPCODE_BCAST_MP,
		.dtype = TALLY_TYPE_FP64,
		.count = DEMO_COUNT,
		.mid = mid,
		.flags = TALLY_WQE_F_SWP_FLAG,
		.result_list = &out,
		.num_result = 1,
		.trigger = { .counter = CTR_DOWN, .cpcnt = 1 },
	};

	if (node->place.num_children) {
		coll.flags |= TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP;
		coll.node_mask = node->place.children;
		coll.trigger.dest_port = PORT;
		coll.trigger.dest_counter = CTR_DOWN;
		coll.trigger.branch = 1;
	}
	return post_triggered(node, 1, IBV_SEND_SIGNALED, NULL, &coll);
}

/* ---- One process, all ranks ---- */
static bool collect(const char *title, const struct demo_job *job, struct demo_node *nodes,
		    enum tally_type dtype)
{
	struct demo_row rows[DEMO_MAX_NODES] = {};

	for (unsigned int i = 0; i < job->num_nodes; i++)
		if (!demo_wait(&nodes[i], &rows[i]))
			rows[i].result_ok = demo_check(nodes[i].buf, dtype, job->num_nodes);
	return demo_print(title, rows, job->num_nodes);
}

static bool allreduce(const char *title, const struct demo_job *job, struct demo_node *nodes,
		      enum tally_op op, enum tally_type dtype, uint32_t mid)
{
	for (unsigned int i = 0; i < job->num_nodes; i++) {
		demo_fill(nodes[i].buf, dtype, i);
		if (demo_post_allreduce(&nodes[i], op, dtype, mid))
			return false;
	}
	return collect(title, job, nodes, dtype);
}

static bool bcast(const char *title, const struct demo_job *job, struct demo_node *nodes,
		  unsigned int root, uint32_t mid)
{
	struct demo_row rows[DEMO_MAX_NODES] = {};

	for (unsigned int i = 0; i < job->num_nodes; i++) {
		demo_fill(nodes[i].buf, TALLY_TYPE_FP64, i);
		if (post_bcast(&nodes[i], root, mid))
			return false;
	}
	for (unsigned int i = 0; i < job->num_nodes; i++)
		if (!demo_wait(&nodes[i], &rows[i]))
			rows[i].result_ok = i == root || !memcmp(&nodes[i].buf->out,
								 &nodes[root].buf->in,
								 sizeof(nodes[i].buf->out));
	return demo_print(title, rows, job->num_nodes);
}

static bool by_hand(const char *title, const struct demo_job *job, struct demo_node *nodes,
		    uint32_t mid)
{
	for (unsigned int i = 0; i < job->num_nodes; i++) {
		demo_fill(nodes[i].buf, TALLY_TYPE_FP64, i);
		if (post_reduce_mp(&nodes[i], mid) || post_bcast_mp(&nodes[i], mid))
			return false;
	}
	return collect(title, job, nodes, TALLY_TYPE_FP64);
}

static bool one_process(const struct demo_job *job, struct demo_node *nodes, bool large)
{
	for (unsigned int i = 0; i < job->num_nodes; i++)
		if (demo_open(job, i, &nodes[i]) || demo_create_group(job, &nodes[i], 1) ||
		    demo_create_queues(&nodes[i], PORT))
			return false;
	return allreduce("ALLREDUCE, sum of FP64", job, nodes, TALLY_OP_SUM, TALLY_TYPE_FP64, 0) &&
	       allreduce("ALLREDUCE, max of INT64", job, nodes, TALLY_OP_MAX, TALLY_TYPE_INT64, 1) &&
	       bcast("BCAST of the last rank's data", job, nodes, job->num_nodes - 1, 2) &&
	       by_hand("REDUCE_MP and BCAST_MP, sum of FP64", job, nodes, 0) &&
	       (!large || demo_large(job, nodes, 3)) && demo_print_packets(job, nodes);
}

int main(int argc, char **argv)
{
	bool processes = argc == 2 && !strcmp(argv[1], "--processes");
	bool brief = argc == 2 && !strcmp(argv[1], "--short");
	static struct demo_node nodes[DEMO_MAX_NODES];
	struct demo_job job;
	bool good;

	if (argc > 1 && !processes && !brief) {
		fprintf(stderr, "usage: tally_demo [--short | --processes]\n");
		return 2;
	}
	good = !demo_find_nodes(&job, processes ? 2 : 1) &&
	       (processes ? demo_processes(&job) : one_process(&job, nodes, !brief));
	for (unsigned int i = 0; i < DEMO_MAX_NODES; i++)
		demo_close(&nodes[i]);
	demo_forget_nodes(&job);
	puts(good ? "\ndemo: PASS" : "\ndemo: FAIL");
	return good ? 0 : 1;
}
