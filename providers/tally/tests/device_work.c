// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Work requests on devices beyond the sums of device_test.c, and queries of a group. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"

static struct ibv_sge sge_of(const struct demo_node *node, const void *addr, uint32_t length)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)addr, .length = length, .lkey = node->mr->lkey
	};
}

/* Expects a successful completion at every node. */
static void assert_all(struct fixture *f, uint64_t wr_id)
{
	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		assert_next(f, i, wr_id, TALLY_COLL_OK);
}

/* A post refuses what cannot be done, and leaves queue and message unchanged. */
static void refused_at_post(void **state)
{
	struct fixture *f = *state;
	struct ibv_poll_cq_attr attr = {};
	struct ibv_qp *qp = f->nodes[0].qp;

	wr_start(f, 0, 0);
	tallydv_wr_allreduce(f->dv[0], TALLY_OP_BXOR, TALLY_TYPE_FP64, DEMO_COUNT, 0);
	assert_int_equal(ibv_wr_complete(f->qp_ex[0]), EOPNOTSUPP);
	assert_int_equal(tallydv_qp_last_refusal(qp), TALLY_COLL_BAD_PAIR);
	assert_int_equal(tallydv_query_op(f->nodes[0].context, TALLY_OPCODE_ALLREDUCE,
					  TALLY_OP_BXOR, TALLY_TYPE_FP64), TALLY_COLL_BAD_PAIR);
	assert_int_equal(ibv_start_poll(f->nodes[0].cq, &attr), ENOENT);
	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		post_sum(f, i, 0);
	assert_sums(f, 0);
}

/* The rank of the last node has all blocks, in the order of ranks. */
static void gather_and_scatter(void **state)
{
	struct fixture *f = *state;
	unsigned int n = f->job.num_nodes, root = n - 1;
	struct demo_buffers *whole = f->nodes[root].buf;

	for (unsigned int i = 0; i < n; i++) {
		struct demo_node *node = &f->nodes[i];
		struct ibv_sge out = sge_of(node, &node->buf->out, n * sizeof(int64_t));

		demo_fill(node->buf, TALLY_TYPE_INT64, 0);
		node->buf->in.int64[0] = 100 + i;
		wr_start(f, i, 0);
		tallydv_wr_gather(f->dv[i], TALLY_TYPE_INT64, 1, 0, root, 0);
		ibv_wr_set_inline_data(f->qp_ex[i], &node->buf->in, sizeof(int64_t));
		if (i == root)
			tallydv_wr_set_result(f->dv[i], 1, &out);
		assert_int_equal(ibv_wr_complete(f->qp_ex[i]), 0);
	}
	assert_all(f, 0);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(whole->out.int64[i], 100 + i);
	for (unsigned int i = 0; i < n; i++) {
		struct demo_node *node = &f->nodes[i];
		struct ibv_sge in = sge_of(node, &whole->in, n * sizeof(int64_t));
		struct ibv_sge out = sge_of(node, &node->buf->out, sizeof(int64_t));

		whole->in.int64[i] = 200 + i;
		wr_start(f, i, 1);
		tallydv_wr_scatter(f->dv[i], TALLY_TYPE_INT64, 1, 1, root, 0);
		if (i == root)
			ibv_wr_set_sge_list(f->qp_ex[i], 1, &in);
		tallydv_wr_set_result(f->dv[i], 1, &out);
		assert_int_equal(ibv_wr_complete(f->qp_ex[i]), 0);
	}
	assert_all(f, 1);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(f->nodes[i].buf->out.int64[0], 200 + i);
}

/* Posts inline data; the flag word replaces the data in memory. */
static void post_with_flag(struct fixture *f, unsigned int i, uint32_t mid, unsigned int wr_flags)
{
	struct demo_node *node = &f->nodes[i];
	struct ibv_sge out = sge_of(node, &node->buf->out, sizeof(node->buf->out));
	struct tallydv_coll_attr attr = {
		.opcode = TALLY_OPCODE_ALLREDUCE,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_FP64,
		.count = DEMO_COUNT,
		.mid = mid,
		.flags = TALLY_WQE_F_FLAG_WORD,
		.flag_addr = (uintptr_t)&node->buf->in,
		.flag_lkey = node->mr->lkey,
		.flag_value = 0xf1a60000 + mid,
	};

	demo_fill(node->buf, TALLY_TYPE_FP64, i);
	wr_start(f, i, mid);
	f->qp_ex[i]->wr_flags = wr_flags;
	tallydv_wr_coll(f->dv[i], &attr);
	ibv_wr_set_inline_data(f->qp_ex[i], &node->buf->in, sizeof(node->buf->in));
	tallydv_wr_set_result(f->dv[i], 1, &out);
	assert_int_equal(ibv_wr_complete(f->qp_ex[i]), 0);
}

/*
 * A program waits on memory alone. One request in a full queue is signaled, which frees all
 * entries.
 */
static void flag_word(void **state)
{
	struct fixture *f = *state;
	struct ibv_poll_cq_attr attr = {};

	for (uint32_t mid = 0; mid < 21; mid++) {
		bool last = mid % 7 == 6;

		for (unsigned int i = 0; i < f->job.num_nodes; i++)
			post_with_flag(f, i, mid, last ? IBV_SEND_SIGNALED : 0);
		for (unsigned int i = 0; i < f->job.num_nodes; i++) {
			const volatile uint32_t *flag = (void *)&f->nodes[i].buf->in;
			unsigned int patience = DEMO_TIMEOUT_MS * 2;

			while (*flag != 0xf1a60000 + mid && patience--)
				usleep(1000);
			assert_int_equal(*flag, 0xf1a60000 + mid);
			assert_true(demo_check(f->nodes[i].buf, TALLY_TYPE_FP64, f->job.num_nodes));
		}
		if (last)
			assert_all(f, mid);
		else
			assert_int_equal(ibv_start_poll(f->nodes[0].cq, &attr), ENOENT);
	}
}

/*
 * Values are reduced to the least value and its index, at the last node, which contributes
 * descending values.
 */
static void minloc_of_values(void **state)
{
	struct fixture *f = *state;
	unsigned int n = f->job.num_nodes;

	for (unsigned int i = 0; i < n; i++) {
		struct demo_node *node = &f->nodes[i];
		struct ibv_sge out = sge_of(node, &node->buf->out, 2 * 8);
		float values[2] = { -1.5f * i, 7 };
		struct tallydv_coll_attr attr = {
			.opcode = TALLY_OPCODE_ALLREDUCE,
			.op = TALLY_OP_MINLOC,
			.dtype = TALLY_TYPE_FP32,
			.count = 2,
			.flags = TALLY_WQE_F_LOC_VALUES,
			.loc_index = 10 * i,
		};

		wr_start(f, i, 0);
		tallydv_wr_coll(f->dv[i], &attr);
		ibv_wr_set_inline_data(f->qp_ex[i], values, sizeof(values));
		tallydv_wr_set_result(f->dv[i], 1, &out);
		assert_int_equal(ibv_wr_complete(f->qp_ex[i]), 0);
	}
	assert_all(f, 0);
	for (unsigned int i = 0; i < n; i++) {
		const struct { float value; int32_t index; } *pairs = (void *)&f->nodes[i].buf->out;

		assert_true(pairs[0].value == -1.5f * (n - 1));
		assert_int_equal(pairs[0].index, 10 * (n - 1));
		assert_true(pairs[1].value == 7);
		assert_int_equal(pairs[1].index, 1); /* the lowest index of equal values */
	}
}

/* A message of five chunks, the last of which is short. */
static void long_message(void **state)
{
	enum { COUNT = 4 * TALLY_MAX_MTU / sizeof(uint32_t) + 3 };
	struct fixture *f = *state;
	unsigned int n = f->job.num_nodes;
	struct ibv_mr *mr[DEMO_MAX_NODES];
	uint32_t *data[DEMO_MAX_NODES];

	for (unsigned int i = 0; i < n; i++) {
		struct ibv_sge sge = { .length = COUNT * sizeof(uint32_t) };

		data[i] = malloc(sge.length);
		mr[i] = ibv_reg_mr(f->nodes[i].pd, data[i], sge.length, IBV_ACCESS_LOCAL_WRITE);
		assert_non_null(mr[i]);
		for (unsigned int k = 0; k < COUNT; k++)
			data[i][k] = k + i;
		sge.addr = (uintptr_t)data[i];
		sge.lkey = mr[i]->lkey;
		wr_start(f, i, 0);
		tallydv_wr_allreduce(f->dv[i], TALLY_OP_SUM, TALLY_TYPE_UINT32, COUNT, 0);
		ibv_wr_set_sge_list(f->qp_ex[i], 1, &sge);
		tallydv_wr_set_result(f->dv[i], 1, &sge); /* in place */
		assert_int_equal(ibv_wr_complete(f->qp_ex[i]), 0);
	}
	for (unsigned int i = 0; i < n; i++) {
		struct ibv_cq_ex *cq = next(f, i);

		assert_int_equal(tallydv_wc_read_coll_status(cq), TALLY_COLL_OK);
		assert_int_equal(tallydv_wc_read_sid(cq), 4);
		assert_int_equal(ibv_wc_read_byte_len(cq), COUNT * sizeof(uint32_t));
		ibv_end_poll(cq);
		for (unsigned int k = 0; k < COUNT; k++)
			assert_int_equal(data[i][k], n * k + n * (n - 1) / 2);
		assert_int_equal(ibv_dereg_mr(mr[i]), 0);
		free(data[i]);
	}
}

/* ---- Queries of a group ---- */
static void edges(void **state)
{
	struct fixture *f = *state;

	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		post_sum(f, i, 0);
	assert_sums(f, 0);
	for (unsigned int i = 0; i < f->job.num_nodes; i++) {
		const struct tallydv_tree_pos *pos = &f->pos[i];
		struct tallydv_edge_info edge[TALLY_MAX_CONTRIBUTORS + 1];
		uint32_t want = pos->num_children + !!pos->level, count = 1;

		if (want) {
			assert_int_equal(tallydv_query_edges(f->nodes[i].group, edge, &count), 0);
			assert_int_equal(count, want);
		}
		count = TALLY_MAX_CONTRIBUTORS + 1;
		assert_int_equal(tallydv_query_edges(f->nodes[i].group, edge, &count), 0);
		assert_int_equal(count, want);
		for (unsigned int k = 0; k < count; k++) {
			bool child = k < pos->num_children;
			unsigned int other = child ? pos->child[k].node : pos->parent;

			assert_int_equal(edge[k].state, TALLY_EDGE_OPEN);
			assert_int_equal(edge[k].index, child ? k : TALLY_CONTRIB_PARENT);
			assert_memory_equal(&edge[k].gid, &f->job.gid[other], sizeof(edge[k].gid));
			assert_true(edge[k].sent && edge[k].received);
		}
	}
}

/* Returns the segment that holds the message, or NULL. Any segment of the group may hold it. */
static const struct tallydv_seg_info *find_seg(const struct tallydv_seg_info *segs, uint32_t mid)
{
	for (unsigned int i = 0; i < DEVICE_SEGS; i++)
		if (segs[i].state == TALLY_SEG_BUSY && segs[i].mid == mid)
			return &segs[i];
	return NULL;
}

static void segments_and_arrivals(void **state)
{
	const struct tallydv_seg_info *seg = NULL;
	struct fixture *f = *state;
	struct tallydv_arrival arrivals[TALLY_NUM_ARRIVALS];
	struct tallydv_seg_info segs[DEVICE_SEGS];
	uint32_t count = TALLY_NUM_ARRIVALS;

	for (uint32_t mid = 0; mid < 3; mid++) {
		for (unsigned int i = 0; i < f->job.num_nodes; i++)
			post_sum(f, i, mid);
		assert_sums(f, mid);
	}
	assert_int_equal(tallydv_query_arrivals(f->nodes[0].group, arrivals, &count), 0);
	assert_int_equal(count, 3);
	for (uint32_t k = 0; k < count; k++) {
		const struct tallydv_arrival *a = &arrivals[k];

		assert_int_equal(a->mid, 2 - k);
		assert_int_equal(a->opcode, TALLY_OPCODE_ALLREDUCE);
		assert_int_equal(a->op, TALLY_OP_SUM);
		assert_int_equal(a->dtype, TALLY_TYPE_FP64);
		assert_int_equal(a->count, DEMO_COUNT);
		assert_int_equal(a->ranks, 1);
		assert_int_equal(a->contributors, (1ULL << f->pos[0].num_children) - 1);
		assert_true(a->first_ns && a->first_ns <= a->last_ns && a->last_ns < a->done_ns);
	}
	count = DEVICE_SEGS;
	assert_int_equal(tallydv_query_segs(f->nodes[0].group, segs, &count), 0);
	assert_int_equal(count, DEVICE_SEGS);
	/* One rank posts ahead of the others, so its chunk waits for them. */
	if (f->job.num_nodes == 1)
		return;
	post_sum(f, 0, 3);
	for (unsigned int patience = DEMO_TIMEOUT_MS; patience; patience--) {
		assert_int_equal(tallydv_query_segs(f->nodes[0].group, segs, &count), 0);
		seg = find_seg(segs, 3);
		if (seg && !seg->ranks)
			break;
		usleep(1000);
	}
	assert_non_null(seg);
	assert_int_equal(seg->num, 3);
	assert_int_equal(seg->contributors, (1ULL << f->pos[0].num_children) - 1);
	for (unsigned int i = 1; i < f->job.num_nodes; i++)
		post_sum(f, i, 3);
	assert_sums(f, 3);
}

/* ---- Reset of a group ---- */
static void wait_dead(struct tallydv_group *group, struct tallydv_group_info *info)
{
	for (unsigned int patience = DEMO_TIMEOUT_MS; patience; patience--) {
		assert_int_equal(tallydv_query_group(group, info), 0);
		if (info->state == TALLY_GROUP_DEAD)
			break;
		usleep(1000);
	}
	assert_int_equal(info->state, TALLY_GROUP_DEAD);
}

static void reset_group(void **state)
{
	struct fixture *f = *state;
	struct tallydv_group_info info;
	struct ibv_qp_attr attr;

	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		post_sum(f, i, 0);
	assert_sums(f, 0);
	assert_int_equal(tallydv_query_group(f->nodes[0].group, &info), 0);
	assert_int_equal(tallydv_reset_group(f->nodes[0].group, info.epoch + 1), EBUSY);
	wr_start(f, 0, 99);
	tallydv_wr_abort(f->dv[0]);
	assert_int_equal(ibv_wr_complete(f->qp_ex[0]), 0);
	assert_next(f, 0, 99, TALLY_COLL_OK);
	for (unsigned int i = 0; i < f->job.num_nodes; i++)
		wait_dead(f->nodes[i].group, &info);
	assert_int_equal(tallydv_reset_group(f->nodes[0].group, info.epoch), EINVAL);
	for (unsigned int i = 0; i < f->job.num_nodes; i++) {
		uint32_t epoch = info.epoch + 1 ? info.epoch + 1 : 1;

		assert_int_equal(tallydv_reset_group(f->nodes[i].group, epoch), 0);
		attr.qp_state = IBV_QPS_RESET;
		assert_int_equal(ibv_modify_qp(f->nodes[i].qp, &attr, IBV_QP_STATE), 0);
		attr.qp_state = IBV_QPS_RTS;
		assert_int_equal(ibv_modify_qp(f->nodes[i].qp, &attr, IBV_QP_STATE), 0);
	}
	for (uint32_t mid = 0; mid < 3; mid++) {
		for (unsigned int i = 0; i < f->job.num_nodes; i++)
			post_sum(f, i, mid);
		assert_sums(f, mid);
	}
}

/* ---- Events ---- */
static void barrier(struct fixture *f, uint32_t mid, unsigned int wr_flags)
{
	for (unsigned int i = 0; i < f->job.num_nodes; i++) {
		wr_start(f, i, mid);
		f->qp_ex[i]->wr_flags = wr_flags;
		tallydv_wr_barrier(f->dv[i], mid);
		assert_int_equal(ibv_wr_complete(f->qp_ex[i]), 0);
	}
	assert_all(f, mid);
}

static void assert_event(struct ibv_comp_channel *channel, const struct ibv_cq *want)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	assert_int_equal(poll(&fd, 1, DEMO_TIMEOUT_MS), 1);
	assert_int_equal(ibv_get_cq_event(channel, &cq, &context), 0);
	assert_ptr_equal(cq, want);
	ibv_ack_cq_events(cq, 1);
}

/* Armed for solicited completions: other completions raise no event, but an error does. */
static void solicited_events(void **state)
{
	struct fixture *f = *state;
	struct demo_node *node = &f->nodes[0];
	struct ibv_comp_channel *channel = ibv_create_comp_channel(node->context);
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
	struct ibv_cq *cq;

	assert_int_equal(ibv_destroy_qp(node->qp), 0);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(node->cq)), 0);
	create_queues(f, 0, channel);
	cq = ibv_cq_ex_to_cq(node->cq);
	assert_int_equal(ibv_req_notify_cq(cq, 1), 0);
	barrier(f, 0, IBV_SEND_SIGNALED);
	assert_int_equal(poll(&fd, 1, 50), 0);
	barrier(f, 1, IBV_SEND_SIGNALED | IBV_SEND_SOLICITED);
	assert_event(channel, cq);
	assert_int_equal(ibv_req_notify_cq(cq, 1), 0);
	/* The request is behind its turn, so it is refused, signaled or not. */
	wr_start(f, 0, 2);
	f->qp_ex[0]->wr_flags = 0;
	tallydv_wr_barrier(f->dv[0], 0);
	assert_int_equal(ibv_wr_complete(f->qp_ex[0]), 0);
	assert_event(channel, cq);
	assert_next(f, 0, 2, TALLY_COLL_MID_BEHIND);
	ibv_destroy_qp(node->qp);
	node->qp = NULL;
	assert_int_equal(ibv_destroy_cq(cq), 0);
	node->cq = NULL;
	assert_int_equal(ibv_destroy_comp_channel(channel), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, device_setup, device_teardown)

int device_work_tests(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refused_at_post),
		TEST(gather_and_scatter),
		TEST(flag_word),
		TEST(minloc_of_values),
		TEST(long_message),
		TEST(edges),
		TEST(segments_and_arrivals),
		TEST(reset_group),
		TEST(solicited_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
