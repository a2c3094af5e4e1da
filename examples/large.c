// SPDX-License-Identifier: BSD-2-Clause
/*
 * A large message: one work request for each rank, in place. The NICs cut it into chunks of an MTU,
 * and keep as many chunks in flight as the group has segments.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

#define LARGEST (16ULL << 20)
#define IN_ALL (64ULL << 20) /* total memory of all ranks */

struct large {
	uint32_t count;             /* INT32 elements */
	int32_t *data[DEMO_MAX_NODES];
	struct ibv_mr *mr[DEMO_MAX_NODES];
};

static int make_buffers(struct large *large, const struct demo_job *job, struct demo_node *nodes)
{
	uint64_t bytes = IN_ALL / job->num_nodes < LARGEST ? IN_ALL / job->num_nodes : LARGEST;

	large->count = bytes / sizeof(int32_t);
	bytes = (uint64_t)large->count * sizeof(int32_t);
	for (unsigned int i = 0; i < job->num_nodes; i++) {
		large->data[i] = malloc(bytes);
		if (!large->data[i]) {
			perror("demo: memory for a large message");
			return -1;
		}
		for (uint32_t k = 0; k < large->count; k++)
			large->data[i][k] = k + i;
		large->mr[i] = ibv_reg_mr(nodes[i].pd, large->data[i], bytes,
					  IBV_ACCESS_LOCAL_WRITE);
		if (!large->mr[i]) {
			perror("demo: ibv_reg_mr of a large message");
			return -1;
		}
	}
	return 0;
}

static void free_buffers(struct large *large)
{
	for (unsigned int i = 0; i < DEMO_MAX_NODES; i++) {
		if (large->mr[i])
			ibv_dereg_mr(large->mr[i]);
		free(large->data[i]);
	}
}

static int post_one(const struct large *large, struct demo_node *node, unsigned int i, uint32_t mid)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)large->data[i],
		.length = large->count * sizeof(int32_t),
		.lkey = large->mr[i]->lkey,
	};
	struct tallydv_send_wr wr = {
		.wr = {
			.wr_id = mid,
			.opcode = IBV_WR_DRIVER1,
			.send_flags = IBV_SEND_SIGNALED,
			.sg_list = &sge,
			.num_sge = 1,
		},
		.coll = {
			.opcode = TALLY_OPCODE_ALLREDUCE,
			.op = TALLY_OP_SUM,
			.dtype = TALLY_TYPE_INT32,
			.count = large->count,
			.mid = mid,
			.result_list = &sge, /* in place */
			.num_result = 1,
		},
	};
	struct ibv_send_wr *bad_wr;
	int err = ibv_post_send(node->qp, &wr.wr, &bad_wr);

	if (err)
		fprintf(stderr, "demo: ibv_post_send: %s: %s\n", strerror(err),
			tallydv_coll_status_str(tallydv_qp_last_refusal(node->qp)));
	return err ? -1 : 0;
}

static bool check(const struct large *large, unsigned int i, unsigned int num_ranks)
{
	uint32_t of_ranks = num_ranks * (num_ranks - 1) / 2;

	for (uint32_t k = 0; k < large->count; k++)
		if (large->data[i][k] != (int32_t)(num_ranks * k + of_ranks))
			return false;
	return true;
}

/*
 * Prints the bandwidth. All ranks take part after the last rank's doorbell, so that rank has the
 * time of the message.
 */
static void print_bandwidth(const struct large *large, const struct demo_row *rows,
			    unsigned int count)
{
	uint64_t bytes = (uint64_t)large->count * sizeof(int32_t);
	uint32_t ns = UINT32_MAX;

	for (unsigned int i = 0; i < count; i++)
		if (rows[i].elapsed_ns < ns)
			ns = rows[i].elapsed_ns;
	printf("%" PRIu64 " bytes at each rank in %.1f us of device time: %.1f Gb/s\n", bytes,
	       ns / 1e3, bytes * 8.0 / ns);
}

static bool run(struct large *large, const struct demo_job *job, struct demo_node *nodes,
		uint32_t mid)
{
	struct demo_row rows[DEMO_MAX_NODES] = {};
	bool good;

	if (make_buffers(large, job, nodes))
		return false;
	for (unsigned int i = 0; i < job->num_nodes; i++)
		if (post_one(large, &nodes[i], i, mid))
			return false;
	for (unsigned int i = 0; i < job->num_nodes; i++)
		if (!demo_wait(&nodes[i], &rows[i]))
			rows[i].result_ok = check(large, i, job->num_nodes);
	good = demo_print("ALLREDUCE of a large message, sum of INT32", rows, job->num_nodes);
	if (good)
		print_bandwidth(large, rows, job->num_nodes);
	return good;
}

bool demo_large(const struct demo_job *job, struct demo_node *nodes, uint32_t mid)
{
	struct large *large = calloc(1, sizeof(*large));
	bool good = large && run(large, job, nodes, mid);

	if (large)
		free_buffers(large);
	free(large);
	return good;
}
