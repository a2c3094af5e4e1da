// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What posting puts into the send queue and the doorbell. */
#include <stdlib.h>
#include <string.h>

#include "rig.h"

static const struct ibv_sge gather[] = {
	{ .addr = 0x1000, .length = 64, .lkey = 0x101 },
	{ .addr = 0x2000, .length = 64, .lkey = 0x102 },
};
static const struct ibv_sge result[] = {
	{ .addr = 0x3000, .length = 64, .lkey = 0x103 },
	{ .addr = 0x4000, .length = 64, .lkey = 0x104 },
};

static size_t stride_of(const struct rig *rig)
{
	return (size_t)1 << rig->qp.stride_shift;
}

static int setup(void **state)
{
	*state = rig_new(15, 16);
	return 0;
}

static int teardown(void **state)
{
	rig_free(*state);
	return 0;
}

static struct tallydv_send_wr allreduce(void)
{
	return (struct tallydv_send_wr){
		.wr = {
			.wr_id = 42,
			.opcode = IBV_WR_DRIVER1,
			.send_flags = IBV_SEND_SIGNALED,
			.sg_list = (struct ibv_sge *)gather,
			.num_sge = 2,
		},
		.coll = {
			.opcode = TALLY_OPCODE_ALLREDUCE,
			.op = TALLY_OP_SUM,
			.dtype = TALLY_TYPE_FP64,
			.mid = 3,
			.count = 8,
			.result_list = result,
			.num_result = 2,
		},
	};
}

static void post(struct rig *rig, struct tallydv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	assert_int_equal(tally_post_send(&rig->qp.vqp.qp, &wr->wr, &bad), 0);
}

static int post_error(struct rig *rig, struct tallydv_send_wr *wr)
{
	uint64_t posted = rig->qp.ring.posted;
	struct ibv_send_wr *bad = NULL;
	int err = tally_post_send(&rig->qp.vqp.qp, &wr->wr, &bad);

	assert_ptr_equal(bad, &wr->wr);
	assert_int_equal(rig->qp.ring.posted, posted);
	assert_int_equal(le64toh(*rig->qp.bell.counter), posted);
	return err;
}

static void assert_list(const void *at, const struct ibv_sge *list, unsigned int count)
{
	const struct tally_sge *sge = at;

	for (unsigned int i = 0; i < count; i++) {
		assert_int_equal(le64toh(sge[i].addr), list[i].addr);
		assert_int_equal(le32toh(sge[i].length), list[i].length);
		assert_int_equal(le32toh(sge[i].lkey), list[i].lkey);
	}
}

/* The whole fixed part, byte for byte, with what a work request leaves to the defaults. */
static void allreduce_bytes(void **state)
{
	struct tallydv_send_wr wr = allreduce();
	struct rig *rig = *state;
	const struct tally_wqe *wqe = rig_wqe(rig, 0);
	struct tally_wqe want = {
		.opcode = 1,
		.op = 1,
		.dtype = 0x33,
		.num_gather = 2,
		.flags = htole32(1),
		.count = htole64(8),
		.jid = htole32(RIG_JID),
		.mid = htole32(3),
		.num_result = 2,
		.rank_mask = htole64(0x5),
		.node_mask = htole64(UINT64_MAX),
	};

	memset(rig->qp.sq, 0xff, stride_of(rig));
	post(rig, &wr);
	assert_memory_equal(wqe, &want, sizeof(want));
	assert_list(wqe + 1, gather, 2);
	assert_list((const char *)(wqe + 1) + 32, result, 2);
	assert_int_equal(le64toh(*rig->qp.bell.counter), 1);
}

static void every_field(void **state)
{
	struct tallydv_send_wr wr = allreduce();
	struct rig *rig = *state;
	const struct tally_wqe *wqe = rig_wqe(rig, 1);
	struct tally_wqe want = {
		.opcode = TALLY_OPCODE_REDUCE_MP,
		.op = TALLY_OP_MAXLOC,
		.dtype = TALLY_TYPE_INT32,
		.flags = htole32(TALLY_WQE_F_CP | TALLY_WQE_F_TO_PARENT | TALLY_WQE_F_SOLICITED),
		.index = htole32(1),
		.count = htole64(1ULL << 40),
		.jid = htole32(RIG_JID),
		.mid = htole32(0xfffffffe),
		.root_node = htole16(0x123),
		.root_rank = 0x45,
		.seg_first = htole16(0x67),
		.seg_count = htole16(0x89),
		.rank_mask = htole64(4),
		.flag_addr = htole64(0x1122334455667788),
		.flag_lkey = htole32(0x99aabbcc),
		.flag_value = htole32(0xddeeff00),
		.cpcnt = htole32(65),
		.counter = 1,
		.dest_counter = 2,
		.dest_port = htole16(0x3344),
		.branch = 5,
		.err_vector = htole16(TALLY_ERR_MISMATCH),
		.chunk_len = htole32(512),
		.loc_index = htole64(1ULL << 50),
		.timeout_ms = htole32(777),
	};

	post(rig, &wr);
	wr.wr.send_flags = IBV_SEND_SOLICITED;
	wr.wr.num_sge = 0;
	wr.coll = (struct tallydv_coll_attr){
		.opcode = TALLY_OPCODE_REDUCE_MP,
		.op = TALLY_OP_MAXLOC,
		.dtype = TALLY_TYPE_INT32,
		.root_rank = 0x45,
		.root_node = 0x123,
		.seg_first = 0x67,
		.seg_count = 0x89,
		.flags = TALLY_WQE_F_CP | TALLY_WQE_F_TO_PARENT,
		.mid = 0xfffffffe,
		.timeout_ms = 777,
		.count = 1ULL << 40,
		.rank_mask = 4,
		.flag_addr = 0x1122334455667788,
		.flag_lkey = 0x99aabbcc,
		.flag_value = 0xddeeff00,
		.loc_index = 1ULL << 50,
		.chunk_len = 512,
		.trigger = {
			.cpcnt = 65,
			.counter = 1,
			.dest_counter = 2,
			.dest_port = 0x3344,
			.branch = 5,
			.err_vector = TALLY_ERR_MISMATCH,
		},
	};
	post(rig, &wr);
	assert_memory_equal(wqe, &want, sizeof(want));
}

static void inline_data(void **state)
{
	char text[] = "0123456789abcdefghijklmnop";
	struct ibv_sge pieces[] = {
		{ .addr = (uintptr_t)text, .length = 10 },
		{ .addr = (uintptr_t)text + 10, .length = 11 },
	};
	struct tallydv_send_wr wr = allreduce();
	struct rig *rig = *state;
	const struct tally_wqe *wqe = rig_wqe(rig, 0);

	wr.wr.send_flags |= IBV_SEND_INLINE;
	wr.wr.sg_list = pieces;
	post(rig, &wr);
	assert_int_equal(le32toh(wqe->flags), TALLY_WQE_F_SIGNALED | TALLY_WQE_F_INLINE);
	assert_int_equal(le32toh(wqe->inline_len), 21);
	assert_int_equal(wqe->num_gather, 0);
	assert_memory_equal(wqe + 1, text, 21);
	/* The result list begins at the next multiple of 16. */
	assert_list((const char *)(wqe + 1) + 32, result, 2);
}

static void largest_inline_leaves_room_for_the_result(void **state)
{
	struct rig *rig = *state;
	uint8_t data[TALLY_MAX_INLINE + 1] = { 1 };
	struct ibv_sge piece = { .addr = (uintptr_t)data, .length = TALLY_MAX_INLINE };
	struct ibv_sge four[4] = { { .addr = 9, .length = 9, .lkey = 9 } };
	struct tallydv_send_wr wr = allreduce();

	wr.wr.send_flags |= IBV_SEND_INLINE;
	wr.wr.sg_list = &piece;
	wr.wr.num_sge = 1;
	wr.coll.result_list = four;
	wr.coll.num_result = 4;
	post(rig, &wr);
	assert_true(sizeof(struct tally_wqe) + TALLY_MAX_INLINE + sizeof(struct tally_sge) * 4 <=
		    stride_of(rig));
	assert_list((const char *)(rig_wqe(rig, 0) + 1) + TALLY_MAX_INLINE, four, 4);
	piece.length++;
	assert_int_equal(post_error(rig, &wr), EINVAL);
}

static void flags_of_signalling(void **state)
{
	struct rig *rig = *state;

	rig_post(rig, TALLY_OPCODE_BARRIER, 0);
	assert_int_equal(le32toh(rig_wqe(rig, 0)->flags), 0);
	/* Their entries are freed by their completions alone. */
	rig_post(rig, TALLY_OPCODE_QUERY, 0);
	assert_int_equal(le32toh(rig_wqe(rig, 1)->flags), TALLY_WQE_F_SIGNALED);
	rig_post(rig, TALLY_OPCODE_ABORT, 0);
	assert_int_equal(le32toh(rig_wqe(rig, 2)->flags), TALLY_WQE_F_SIGNALED);
	rig->qp.signal_all = true;
	rig_post(rig, TALLY_OPCODE_BARRIER, 0);
	assert_int_equal(le32toh(rig_wqe(rig, 3)->flags), TALLY_WQE_F_SIGNALED);
}

static void refused(void **state)
{
	struct rig *rig = *state;
	struct tallydv_send_wr wr = allreduce();

	wr.wr.opcode = IBV_WR_SEND;
	assert_int_equal(post_error(rig, &wr), EINVAL);
	wr = allreduce();
	wr.wr.num_sge = 5;
	assert_int_equal(post_error(rig, &wr), EINVAL);
	wr.wr.num_sge = -1;
	assert_int_equal(post_error(rig, &wr), EINVAL);
	wr = allreduce();
	wr.coll.num_result = 5;
	assert_int_equal(post_error(rig, &wr), EINVAL);
	wr = allreduce();
	wr.wr.send_flags = IBV_SEND_FENCE;
	assert_int_equal(post_error(rig, &wr), EINVAL);
}

static void chain_stops_at_the_bad_one(void **state)
{
	struct rig *rig = *state;
	struct tallydv_send_wr wr[4] = { allreduce(), allreduce(), allreduce(), allreduce() };
	struct ibv_send_wr *bad = NULL;

	for (unsigned int i = 0; i < 3; i++)
		wr[i].wr.next = &wr[i + 1].wr;
	for (unsigned int i = 0; i < 4; i++)
		wr[i].coll.mid = i;
	wr[2].wr.num_sge = 99;
	assert_int_equal(tally_post_send(&rig->qp.vqp.qp, &wr[0].wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr[2].wr);
	assert_int_equal(le64toh(*rig->qp.bell.counter), 2);
	wr[2].wr.num_sge = 2;
	assert_int_equal(tally_post_send(&rig->qp.vqp.qp, bad, &bad), 0);
	assert_int_equal(le64toh(*rig->qp.bell.counter), 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(le32toh(rig_wqe(rig, i)->mid), i);
		assert_int_equal(le32toh(rig_wqe(rig, i)->index), i);
	}
}

static void wakes_only_a_sleeping_device(void **state)
{
	struct rig *rig = *state;

	rig_post(rig, TALLY_OPCODE_BARRIER, 0);
	assert_int_equal(rig->rung, 0);
	rig->need_wake = htole32(1);
	rig_post(rig, TALLY_OPCODE_BARRIER, 0);
	assert_int_equal(le32toh(rig->rung), RIG_RING_VALUE);
	/* Nothing posted: nothing to tell. */
	rig->rung = 0;
	assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, 0), 0);
	rig->rung = 0;
	ibv_wr_start(&rig->qp.vqp.qp_ex);
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), 0);
	assert_int_equal(rig->rung, 0);
}

static void full_queue_has_room_for_one_abort(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 15; i++)
		assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, i), 0);
	assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, 15), ENOMEM);
	assert_int_equal(rig_post(rig, TALLY_OPCODE_QUERY, 15), ENOMEM);
	assert_int_equal(rig_post(rig, TALLY_OPCODE_ABORT, 16), 0);
	assert_int_equal(rig_post(rig, TALLY_OPCODE_ABORT, 17), ENOMEM);
	assert_int_equal(le64toh(*rig->qp.bell.counter), 16);
}

/* ---- ibv_wr_ calls ---- */
static void start(struct rig *rig, uint64_t wr_id, unsigned int flags)
{
	ibv_wr_start(&rig->qp.vqp.qp_ex);
	rig->qp.vqp.qp_ex.wr_id = wr_id;
	rig->qp.vqp.qp_ex.wr_flags = flags;
}

/* Both ways of posting write the same bytes. */
static void assert_same_as_posted(struct rig *rig, struct tallydv_send_wr *wr)
{
	uint64_t at = rig->qp.ring.posted - 1;
	struct tally_wqe *copy = malloc(stride_of(rig));

	memcpy(copy, rig_wqe(rig, at), stride_of(rig));
	memset(rig->qp.sq + (at + 1) % rig->qp.ring.depth * stride_of(rig), 0, stride_of(rig));
	post(rig, wr);
	copy->index = htole32(at + 1);
	assert_memory_equal(copy, rig_wqe(rig, at + 1), stride_of(rig));
	assert_int_equal(rig->qp.ring.wr_id[at], rig->qp.ring.wr_id[at + 1]);
	free(copy);
}

static void wr_allreduce(void **state)
{
	struct rig *rig = *state;
	struct ibv_qp_ex *qp = &rig->qp.vqp.qp_ex;
	struct tallydv_qp *dv = tallydv_qp_from_ibv_qp_ex(qp);
	struct tallydv_send_wr wr = allreduce();

	start(rig, 42, IBV_SEND_SIGNALED);
	tallydv_wr_allreduce(dv, TALLY_OP_SUM, TALLY_TYPE_FP64, 8, 3);
	ibv_wr_set_sge_list(qp, 2, gather);
	tallydv_wr_set_result(dv, 2, result);
	assert_int_equal(rig->qp.ring.posted, 0);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_int_equal(le64toh(*rig->qp.bell.counter), 1);
	assert_same_as_posted(rig, &wr);
}

static void wr_inline(void **state)
{
	struct rig *rig = *state;
	struct ibv_qp_ex *qp = &rig->qp.vqp.qp_ex;
	double value = 1.5;
	struct ibv_sge piece = { .addr = (uintptr_t)&value, .length = sizeof(value) };
	struct tallydv_send_wr wr = allreduce();

	start(rig, 42, IBV_SEND_SIGNALED);
	tallydv_wr_allreduce(&rig->qp.dv, TALLY_OP_SUM, TALLY_TYPE_FP64, 8, 3);
	ibv_wr_set_inline_data(qp, &value, sizeof(value));
	tallydv_wr_set_result(&rig->qp.dv, 2, result);
	assert_int_equal(ibv_wr_complete(qp), 0);
	wr.wr.send_flags |= IBV_SEND_INLINE;
	wr.wr.sg_list = &piece;
	wr.wr.num_sge = 1;
	assert_same_as_posted(rig, &wr);
}

static void wr_of_each_kind(void **state)
{
	struct rig *rig = *state;
	const struct tallydv_trigger trigger = { .cpcnt = 2, .dest_port = 9, .branch = 2 };

	start(rig, 1, 0);
	tallydv_wr_reduce(&rig->qp.dv, TALLY_OP_MIN, TALLY_TYPE_INT32, 4, 0, 3, 2);
	tallydv_wr_bcast(&rig->qp.dv, TALLY_TYPE_NONE, 100, 1, 4, 5);
	tallydv_wr_barrier(&rig->qp.dv, 2);
	tallydv_wr_query(&rig->qp.dv, 1);
	tallydv_wr_abort(&rig->qp.dv);
	tallydv_wr_reduce_mp(&rig->qp.dv, TALLY_OP_SUM, TALLY_TYPE_FP32, 1, 0,
			     TALLY_WQE_F_TO_SELF | TALLY_WQE_F_SWP_FLAG, 0, &trigger);
	tallydv_wr_bcast_mp(&rig->qp.dv, TALLY_OP_NONE, TALLY_TYPE_FP32, 1, 0,
			    TALLY_WQE_F_SWP_FLAG, 0x3, &trigger);
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), 0);
	assert_int_equal(le64toh(*rig->qp.bell.counter), 7);
	assert_int_equal(rig_wqe(rig, 0)->opcode, TALLY_OPCODE_REDUCE);
	assert_int_equal(le16toh(rig_wqe(rig, 0)->root_node), 3);
	assert_int_equal(rig_wqe(rig, 0)->root_rank, 2);
	assert_int_equal(rig_wqe(rig, 1)->opcode, TALLY_OPCODE_BCAST);
	assert_int_equal(le64toh(rig_wqe(rig, 1)->count), 100);
	assert_int_equal(rig_wqe(rig, 2)->opcode, TALLY_OPCODE_BARRIER);
	assert_int_equal(rig_wqe(rig, 3)->opcode, TALLY_OPCODE_QUERY);
	assert_int_equal(rig_wqe(rig, 4)->opcode, TALLY_OPCODE_ABORT);
	assert_int_equal(rig_wqe(rig, 5)->opcode, TALLY_OPCODE_REDUCE_MP);
	assert_int_equal(le64toh(rig_wqe(rig, 5)->node_mask), 0);
	assert_int_equal(le32toh(rig_wqe(rig, 5)->cpcnt), 2);
	assert_int_equal(le32toh(rig_wqe(rig, 5)->flags),
			 TALLY_WQE_F_TO_SELF | TALLY_WQE_F_SWP_FLAG);
	assert_int_equal(rig_wqe(rig, 6)->opcode, TALLY_OPCODE_BCAST_MP);
	assert_int_equal(le64toh(rig_wqe(rig, 6)->node_mask), 0x3);
	assert_int_equal(le16toh(rig_wqe(rig, 6)->dest_port), 9);
}

static void assert_wr_error(struct rig *rig, int want)
{
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), want);
	assert_int_equal(rig->qp.ring.posted, 0);
	assert_int_equal(*rig->qp.bell.counter, 0);
}

static void wr_errors_post_nothing(void **state)
{
	struct rig *rig = *state;
	struct ibv_qp_ex *qp = &rig->qp.vqp.qp_ex;
	struct tallydv_qp *dv = &rig->qp.dv;
	uint8_t much[TALLY_MAX_INLINE + 1] = {};

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	tallydv_wr_allreduce(dv, TALLY_OP_SUM, TALLY_TYPE_FP64, 8, 1);
	tallydv_wr_set_result(dv, 1, result);
	ibv_wr_set_sge_list(qp, 1, gather); /* too late: the result list has its place */
	assert_wr_error(rig, EINVAL);

	start(rig, 0, 0);
	ibv_wr_set_sge_list(qp, 1, gather); /* of what? */
	assert_wr_error(rig, EINVAL);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	ibv_wr_set_inline_data(qp, much, sizeof(much));
	assert_wr_error(rig, EINVAL);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	ibv_wr_set_sge_list(qp, 5, gather);
	assert_wr_error(rig, EINVAL);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	tallydv_wr_set_result(dv, 5, result);
	assert_wr_error(rig, EINVAL);

	start(rig, 0, IBV_SEND_FENCE);
	tallydv_wr_barrier(dv, 0);
	assert_wr_error(rig, EINVAL);

	start(rig, 0, 0);
	for (unsigned int i = 0; i < 16; i++)
		tallydv_wr_barrier(dv, i);
	assert_wr_error(rig, ENOMEM);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	ibv_wr_abort(qp);
	assert_int_equal(rig->qp.ring.posted, 0);

	/* None of these left anything behind. */
	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_int_equal(le32toh(rig_wqe(rig, 0)->index), 0);
}

static void capabilities(void **state)
{
	const struct tally_uresp_alloc_ucontext *limits = &((struct rig *)*state)->ctx.info;
	static const struct {
		struct ibv_qp_cap ask;
		int err;
		uint32_t depth, stride;
	} cases[] = {
		{ { .max_send_wr = 1 }, 0, 2, TALLY_MIN_WQE_SIZE },
		{ { .max_send_wr = 64, .max_send_sge = 4 }, 0, 128, 256 },
		{ { .max_send_wr = 63, .max_send_sge = 5 }, 0, 64, 512 },
		{ { .max_send_wr = 4095, .max_send_sge = 8, .max_inline_data = 256 }, 0, 4096, 512 },
		{ { .max_send_wr = 4096 }, EINVAL, 0, 0 },
		{ { .max_send_wr = UINT32_MAX }, EINVAL, 0, 0 },
		{ { .max_send_wr = 0 }, EINVAL, 0, 0 },
		{ { .max_send_wr = 1, .max_send_sge = 9 }, EINVAL, 0, 0 },
		{ { .max_send_wr = 1, .max_inline_data = 257 }, EINVAL, 0, 0 },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibv_qp_cap cap = cases[i].ask;
		struct tally_qp qp = {};

		assert_int_equal(tally_qp_alloc_queue(&qp, &cap, limits), cases[i].err);
		if (cases[i].err)
			continue;
		assert_int_equal(qp.ring.depth, cases[i].depth);
		assert_int_equal(1U << qp.stride_shift, cases[i].stride);
		assert_int_equal(cap.max_send_wr, cases[i].depth - 1);
		assert_true(cap.max_send_sge >= 1);
		assert_true(cap.max_inline_data >= cases[i].ask.max_inline_data);
		assert_true(sizeof(struct tally_wqe) + cap.max_inline_data +
			    cap.max_send_sge * sizeof(struct tally_sge) <= 1U << qp.stride_shift);
		tally_qp_free_queue(&qp);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(allreduce_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(every_field, setup, teardown),
		cmocka_unit_test_setup_teardown(inline_data, setup, teardown),
		cmocka_unit_test_setup_teardown(largest_inline_leaves_room_for_the_result, setup,
						teardown),
		cmocka_unit_test_setup_teardown(flags_of_signalling, setup, teardown),
		cmocka_unit_test_setup_teardown(refused, setup, teardown),
		cmocka_unit_test_setup_teardown(chain_stops_at_the_bad_one, setup, teardown),
		cmocka_unit_test_setup_teardown(wakes_only_a_sleeping_device, setup, teardown),
		cmocka_unit_test_setup_teardown(full_queue_has_room_for_one_abort, setup,
						teardown),
		cmocka_unit_test_setup_teardown(wr_allreduce, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_inline, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_of_each_kind, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_errors_post_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(capabilities, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
