// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "device.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void create_queues(struct fixture *f, unsigned int i, struct ibv_comp_channel *channel)
{
	struct demo_node *node = &f->nodes[i];
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 16, .channel = channel };
	struct tallydv_qp_init_attr dv_attr = { .group = node->group, .port = 1 };
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = node->pd,
		.cap = { .max_send_wr = 7, .max_send_sge = 1, .max_inline_data = 128 },
	};

	node->cq = ibv_create_cq_ex(node->context, &cq_attr);
	assert_non_null(node->cq);
	attr.send_cq = ibv_cq_ex_to_cq(node->cq);
	node->qp = tallydv_create_qp(node->context, &attr, &dv_attr, NULL, 0);
	assert_non_null(node->qp);
	assert_int_equal(attr.cap.max_send_wr, 7);
	f->qp_ex[i] = ibv_qp_to_qp_ex(node->qp);
	assert_non_null(f->qp_ex[i]);
	f->dv[i] = tallydv_qp_from_ibv_qp_ex(f->qp_ex[i]);
}

/* Creates node i's part of a tree. */
static void create_tree(struct fixture *f, unsigned int i)
{
	struct demo_node *node = &f->nodes[i];
	struct tallydv_tree_pos *pos = &f->pos[i];
	struct tallydv_neighbour children[DEMO_DEGREE] = {}, parent = {};
	struct tallydv_group_attr attr = {
		.jid = f->job.jid,
		.mode = TALLY_MODE_TREE,
		.node = i,
		.num_nodes = f->job.num_nodes,
		.children = children,
		.rank_mask = 1,
		.owner_ranks = 1,
		.total_ranks = f->job.num_nodes,
		.timeout_ms = DEMO_TIMEOUT_MS,
	};

	assert_int_equal(tallydv_plan_tree(f->job.num_nodes, DEMO_DEGREE, i, pos), 0);
	for (unsigned int k = 0; k < pos->num_children; k++) {
		children[k].gid = f->job.gid[pos->child[k].node];
		children[k].subtree_first = pos->child[k].node;
		children[k].subtree_count = pos->child[k].count;
	}
	parent.gid = f->job.gid[pos->parent];
	parent.remote_index = pos->index;
	attr.level = pos->level;
	attr.num_children = pos->num_children;
	attr.parent = pos->level ? &parent : NULL;
	node->seg = tallydv_alloc_seg(node->context, DEVICE_SEGS);
	assert_non_null(node->seg);
	attr.seg = node->seg;
	node->group = tallydv_create_group(node->context, &attr, NULL, 0);
	assert_non_null(node->group);
}

int device_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	assert_int_equal(demo_find_nodes(&f->job, 1), 0);
	for (unsigned int i = 0; i < f->job.num_nodes; i++) {
		assert_int_equal(demo_open(&f->job, i, &f->nodes[i]), 0);
		create_tree(f, i);
		create_queues(f, i, NULL);
	}
	return 0;
}

int device_teardown(void **state)
{
	struct fixture *f = *state;

	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		demo_close(&f->nodes[i]);
	demo_forget_nodes(&f->job);
	free(f);
	return 0;
}

void wr_start(struct fixture *f, unsigned int i, uint64_t wr_id)
{
	ibv_wr_start(f->qp_ex[i]);
	f->qp_ex[i]->wr_id = wr_id;
	f->qp_ex[i]->wr_flags = IBV_SEND_SIGNALED;
}

void post_sum(struct fixture *f, unsigned int i, uint32_t mid)
{
	struct demo_node *node = &f->nodes[i];
	struct ibv_sge out = {
		.addr = (uintptr_t)&node->buf->out,
		.length = sizeof(node->buf->out),
		.lkey = node->mr->lkey,
	};

	demo_fill(node->buf, TALLY_TYPE_FP64, i);
	wr_start(f, i, mid);
	tallydv_wr_allreduce(f->dv[i], TALLY_OP_SUM, TALLY_TYPE_FP64, DEMO_COUNT, mid);
	ibv_wr_set_inline_data(f->qp_ex[i], &node->buf->in, sizeof(node->buf->in));
	tallydv_wr_set_result(f->dv[i], 1, &out);
	assert_int_equal(ibv_wr_complete(f->qp_ex[i]), 0);
}

struct ibv_cq_ex *next(struct fixture *f, unsigned int i)
{
	struct ibv_poll_cq_attr attr = {};
	struct ibv_cq_ex *cq = f->nodes[i].cq;
	unsigned int patience = DEMO_TIMEOUT_MS * 2;
	int err;

	while ((err = ibv_start_poll(cq, &attr)) == ENOENT && patience--)
		usleep(1000);
	assert_int_equal(err, 0);
	return cq;
}

void assert_next(struct fixture *f, unsigned int i, uint64_t wr_id, enum tally_coll_status status)
{
	struct ibv_cq_ex *cq = next(f, i);

	assert_int_equal(cq->wr_id, wr_id);
	assert_string_equal(tallydv_coll_status_name(tallydv_wc_read_coll_status(cq)),
			    tallydv_coll_status_name(status));
	ibv_end_poll(cq);
}

void assert_sums(struct fixture *f, uint32_t mid)
{
	for (unsigned int i = 0; i < f->job.num_nodes; i++) {
		assert_next(f, i, mid, TALLY_COLL_OK);
		assert_true(demo_check(f->nodes[i].buf, TALLY_TYPE_FP64, f->job.num_nodes));
	}
}
