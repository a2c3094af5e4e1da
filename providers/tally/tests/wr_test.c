// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ibv_wr_ calls: they build the same entries as ibv_post_send(), and refuse the same requests.
 */
#include <stdlib.h>
#include <string.h>

#include "requests.h"

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

static void start(struct rig *rig, uint64_t wr_id, unsigned int flags)
{
	ibv_wr_start(&rig->qp.vqp.qp_ex);
	rig->qp.vqp.qp_ex.wr_id = wr_id;
	rig->qp.vqp.qp_ex.wr_flags = flags;
}

/* Both ways of posting write the same bytes. */
static void assert_same_as_posted(struct rig *rig, struct tallydv_send_wr *wr)
{
	uint64_t at = rig->qp.tracker.posted - 1;
	struct tally_wqe *copy = malloc(stride_of(rig));

	memcpy(copy, rig_wqe(rig, at), stride_of(rig));
	memset(rig->qp.sq + ((at + 1) & rig->qp.tracker.mask) * stride_of(rig), 0, stride_of(rig));
	post(rig, wr);
	copy->index = htole32(at + 1);
	assert_memory_equal(copy, rig_wqe(rig, at + 1), stride_of(rig));
	assert_int_equal(rig->qp.tracker.wr[at].wr_id, rig->qp.tracker.wr[at + 1].wr_id);
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
	assert_int_equal(rig->qp.tracker.posted, 0);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_int_equal(le64toh(*rig->qp.doorbell.counter), 1);
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

/* Compares the whole fixed part of an entry. */
static void assert_fixed(struct rig *rig, uint32_t index, struct tally_wqe want)
{
	want.index = htole32(index);
	want.jid = htole32(RIG_JID);
	want.rank_mask = htole64(0x5);
	assert_memory_equal(rig_wqe(rig, index), &want, sizeof(want));
}

static void wr_of_each_kind(void **state)
{
	const struct tally_wqe base = { 0 };
	struct rig *rig = *state;
	struct tallydv_qp *dv = &rig->qp.dv;
	struct tally_wqe want[8];

	for (unsigned int i = 0; i < 8; i++)
		want[i] = base;
	/* Remains of earlier requests in the queue have no effect. */
	for (unsigned int i = 0; i < 8; i++)
		memset(rig->qp.sq + i * stride_of(rig), 0xee, sizeof(struct tally_wqe));
	start(rig, 1, 0);
	tallydv_wr_allreduce(dv, TALLY_OP_MAXLOC, TALLY_TYPE_BF16, 1ULL << 33, 0xffffffff);
	want[0].opcode = TALLY_OPCODE_ALLREDUCE;
	want[0].op = TALLY_OP_MAXLOC;
	want[0].dtype = TALLY_TYPE_BF16;
	want[0].count = htole64(1ULL << 33);
	want[0].mid = htole32(0xffffffff);
	tallydv_wr_reduce(dv, TALLY_OP_MIN, TALLY_TYPE_INT32, 4, 0, 0xfff, 63);
	want[1].opcode = TALLY_OPCODE_REDUCE;
	want[1].op = TALLY_OP_MIN;
	want[1].dtype = TALLY_TYPE_INT32;
	want[1].count = htole64(4);
	want[1].root_node = htole16(0xfff);
	want[1].root_rank = 63;
	tallydv_wr_bcast(dv, TALLY_TYPE_NONE, 100, 1, 4, 5);
	want[2].opcode = TALLY_OPCODE_BCAST;
	want[2].count = htole64(100);
	want[2].mid = htole32(1);
	want[2].root_node = htole16(4);
	want[2].root_rank = 5;
	tallydv_wr_gather(dv, TALLY_TYPE_FP16, 7, 2, 6, 8);
	want[3].opcode = TALLY_OPCODE_GATHER;
	want[3].dtype = TALLY_TYPE_FP16;
	want[3].count = htole64(7);
	want[3].mid = htole32(2);
	want[3].root_node = htole16(6);
	want[3].root_rank = 8;
	tallydv_wr_scatter(dv, TALLY_TYPE_UINT8, 9, 3, 10, 11);
	want[4].opcode = TALLY_OPCODE_SCATTER;
	want[4].dtype = TALLY_TYPE_UINT8;
	want[4].count = htole64(9);
	want[4].mid = htole32(3);
	want[4].root_node = htole16(10);
	want[4].root_rank = 11;
	tallydv_wr_barrier(dv, 4);
	want[5].opcode = TALLY_OPCODE_BARRIER;
	want[5].mid = htole32(4);
	tallydv_wr_query(dv, 1);
	want[6].opcode = TALLY_OPCODE_QUERY;
	want[6].flags = htole32(TALLY_WQE_F_SIGNALED);
	want[6].mid = htole32(1);
	tallydv_wr_abort(dv);
	want[7].opcode = TALLY_OPCODE_ABORT;
	want[7].flags = htole32(TALLY_WQE_F_SIGNALED);
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), 0);
	assert_int_equal(le64toh(*rig->qp.doorbell.counter), 8);
	for (unsigned int i = 0; i < 8; i++)
		assert_fixed(rig, i, want[i]);
}

static void wr_triggered(void **state)
{
	struct rig *rig = *state;
	const struct tallydv_trigger trigger = {
		.cpcnt = 2, .counter = 1, .dest_counter = 3, .dest_port = 0x907, .branch = 2,
		.err_vector = TALLY_ERR_FP_OVERFLOW,
	};
	struct tally_wqe want = {
		.opcode = TALLY_OPCODE_REDUCE_MP,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_FP32,
		.flags = htole32(TALLY_WQE_F_TO_SELF | TALLY_WQE_F_SWP_FLAG),
		.count = htole64(3),
		.mid = htole32(8),
		.cpcnt = htole32(2),
		.counter = 1,
		.dest_counter = 3,
		.dest_port = htole16(0x907),
		.branch = 2,
		.err_vector = htole16(TALLY_ERR_FP_OVERFLOW),
	};

	start(rig, 1, 0);
	tallydv_wr_reduce_mp(&rig->qp.dv, TALLY_OP_SUM, TALLY_TYPE_FP32, 3, 8,
			     TALLY_WQE_F_TO_SELF | TALLY_WQE_F_SWP_FLAG, 0, &trigger);
	tallydv_wr_bcast_mp(&rig->qp.dv, TALLY_OP_NONE, TALLY_TYPE_FP32, 3, 8,
			    TALLY_WQE_F_SWP_FLAG, 0x3, &trigger);
	tallydv_wr_put_mp(&rig->qp.dv, TALLY_OP_NONE, TALLY_TYPE_NONE, 3, 8, TALLY_WQE_F_CP,
			  1ULL << 63, &trigger);
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), 0);
	assert_fixed(rig, 0, want); /* its node mask is 0: to no contributor */
	want.opcode = TALLY_OPCODE_BCAST_MP;
	want.op = TALLY_OP_NONE;
	want.flags = htole32(TALLY_WQE_F_SWP_FLAG);
	want.node_mask = htole64(0x3);
	assert_fixed(rig, 1, want);
	want.opcode = TALLY_OPCODE_PUT_MP;
	want.dtype = TALLY_TYPE_NONE;
	want.flags = htole32(TALLY_WQE_F_CP);
	want.node_mask = htole64(1ULL << 63);
	assert_fixed(rig, 2, want);
}

/*
 * The operations that a group in a ring offers, in both ways of posting, and those that it refuses.
 */
static void wr_in_a_ring(void **state)
{
	static struct tally_ops ring;
	struct rig *rig = *state;
	struct tallydv_send_wr wr = allreduce();
	struct ibv_send_wr *bad;

	tally_ops_init(&ring, RIG_CAPS | TALLY_CAP_RING, UINT32_MAX, TALLY_CAP_RING, false);
	rig->qp.ops = &ring;
	start(rig, 42, IBV_SEND_SIGNALED);
	tallydv_wr_reduce_scatter(&rig->qp.dv, TALLY_OP_SUM, TALLY_TYPE_FP64, 8, 3);
	ibv_wr_set_sge_list(&rig->qp.vqp.qp_ex, 2, gather);
	tallydv_wr_set_result(&rig->qp.dv, 2, result);
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), 0);
	wr.coll.opcode = TALLY_OPCODE_REDUCE_SCATTER;
	assert_same_as_posted(rig, &wr);

	wr.coll.opcode = TALLY_OPCODE_GATHER;
	wr.coll.op = TALLY_OP_NONE;
	assert_int_equal(tally_post_send(&rig->qp.vqp.qp, &wr.wr, &bad), EOPNOTSUPP);
	assert_int_equal(tallydv_qp_last_refusal(&rig->qp.vqp.qp), TALLY_COLL_BAD_MODE);
	start(rig, 42, 0);
	tallydv_wr_scatter(&rig->qp.dv, TALLY_TYPE_FP64, 8, 3, 0, 0);
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), EOPNOTSUPP);
	assert_int_equal(tallydv_qp_last_refusal(&rig->qp.vqp.qp), TALLY_COLL_BAD_MODE);
}

static void wr_allgather(void **state)
{
	static struct tally_ops ring;
	struct rig *rig = *state;
	struct tallydv_send_wr wr = allreduce();

	tally_ops_init(&ring, RIG_CAPS | TALLY_CAP_RING, UINT32_MAX, TALLY_CAP_RING, false);
	rig->qp.ops = &ring;
	start(rig, 42, IBV_SEND_SIGNALED);
	tallydv_wr_allgather(&rig->qp.dv, TALLY_TYPE_INT16, 8, 3);
	ibv_wr_set_sge_list(&rig->qp.vqp.qp_ex, 2, gather);
	tallydv_wr_set_result(&rig->qp.dv, 2, result);
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), 0);
	wr.coll.opcode = TALLY_OPCODE_ALLGATHER;
	wr.coll.op = TALLY_OP_NONE;
	wr.coll.dtype = TALLY_TYPE_INT16;
	assert_same_as_posted(rig, &wr);
}

/* All members of tallydv_wr_coll() give the same entry as ibv_post_send(). */
static void wr_coll_says_all(void **state)
{
	struct rig *rig = *state;
	struct tallydv_send_wr wr = allreduce();

	wr.coll.op = TALLY_OP_MINLOC;
	wr.coll.flags = TALLY_WQE_F_FLAG_WORD | TALLY_WQE_F_LOC_VALUES | TALLY_WQE_F_ORDERED;
	wr.coll.seg_count = 2;
	wr.coll.timeout_ms = 50;
	wr.coll.rank_mask = 4;
	wr.coll.node_mask = 2;
	wr.coll.flag_addr = 0x5000;
	wr.coll.flag_lkey = 0x105;
	wr.coll.flag_value = 77;
	wr.coll.chunk_len = 128;
	wr.coll.loc_index = 1000;
	wr.coll.comp_mask = TALLYDV_COLL_ATTR_MODE;
	wr.coll.mode = TALLY_MODE_TREE;
	start(rig, 42, IBV_SEND_SIGNALED);
	tallydv_wr_coll(&rig->qp.dv, &wr.coll);
	ibv_wr_set_sge_list(&rig->qp.vqp.qp_ex, 2, gather);
	tallydv_wr_set_result(&rig->qp.dv, 2, result);
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), 0);
	assert_same_as_posted(rig, &wr);
}

static void assert_wr_error(struct rig *rig, int want, enum tally_coll_status refusal)
{
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), want);
	assert_int_equal(rig->qp.tracker.posted, 0);
	assert_int_equal(*rig->qp.doorbell.counter, 0);
	assert_int_equal(tallydv_qp_last_refusal(&rig->qp.vqp.qp), refusal);
}

/* A mode that the group does not have, and a later request of the chain. */
static void wr_refused_mode(void **state)
{
	struct rig *rig = *state;
	struct tallydv_send_wr wr = allreduce();

	wr.coll.comp_mask = TALLYDV_COLL_ATTR_MODE;
	wr.coll.mode = TALLY_MODE_RING;
	start(rig, 42, IBV_SEND_SIGNALED);
	tallydv_wr_coll(&rig->qp.dv, &wr.coll);
	ibv_wr_set_sge_list(&rig->qp.vqp.qp_ex, 2, gather);
	tallydv_wr_barrier(&rig->qp.dv, 0);
	assert_wr_error(rig, EOPNOTSUPP, TALLY_COLL_BAD_MODE);
}

static void wr_lists_in_the_wrong_place(void **state)
{
	struct rig *rig = *state;
	struct ibv_qp_ex *qp = &rig->qp.vqp.qp_ex;
	struct tallydv_qp *dv = &rig->qp.dv;
	uint64_t value = 0;

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	tallydv_wr_allreduce(dv, TALLY_OP_SUM, TALLY_TYPE_FP64, 8, 1);
	tallydv_wr_set_result(dv, 1, result);
	ibv_wr_set_sge_list(qp, 1, gather); /* too late: the result list has its place */
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_NUM_SGE);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	tallydv_wr_set_result(dv, 1, result);
	tallydv_wr_set_result(dv, 1, result); /* a second result list */
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_NUM_SGE);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	ibv_wr_set_sge(qp, 1, 2, 3);
	ibv_wr_set_inline_data(qp, &value, sizeof(value)); /* not both */
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_INLINE);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	ibv_wr_set_inline_data(qp, &value, sizeof(value));
	ibv_wr_set_sge(qp, 1, 2, 3);
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_NUM_SGE);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	tallydv_wr_set_result(dv, 1, result);
	ibv_wr_set_inline_data(qp, &value, sizeof(value)); /* after the result list */
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_INLINE);

	start(rig, 0, 0);
	ibv_wr_set_sge_list(qp, 1, gather); /* no request was begun */
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_NUM_SGE);
}

static void wr_too_much(void **state)
{
	struct rig *rig = *state;
	struct ibv_qp_ex *qp = &rig->qp.vqp.qp_ex;
	struct tallydv_qp *dv = &rig->qp.dv;
	uint8_t much[TALLY_MAX_INLINE + 1] = {};
	const struct ibv_data_buf parts[] = { { much, TALLY_MAX_INLINE }, { much, 1 } };

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	ibv_wr_set_inline_data_list(qp, 2, parts); /* each of them alone would fit */
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_INLINE);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	ibv_wr_set_inline_data(qp, much, sizeof(much));
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_INLINE);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	ibv_wr_set_sge_list(qp, 5, gather);
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_NUM_SGE);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	tallydv_wr_set_result(dv, 5, result);
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_NUM_SGE);

	start(rig, 0, 0);
	for (unsigned int i = 0; i < 16; i++)
		tallydv_wr_barrier(dv, i);
	assert_wr_error(rig, ENOMEM, TALLY_COLL_OK);
}

/* ibv_wr_complete() returns the first error of a chain. */
static void wr_cannot_be(void **state)
{
	struct rig *rig = *state;
	struct ibv_qp_ex *qp = &rig->qp.vqp.qp_ex;
	struct tallydv_qp *dv = &rig->qp.dv;

	start(rig, 0, IBV_SEND_FENCE);
	tallydv_wr_barrier(dv, 0);
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_FLAGS);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	tallydv_wr_allreduce(dv, TALLY_OP_BXOR, TALLY_TYPE_FP64, 8, 1);
	ibv_wr_set_sge_list(qp, 99, gather);
	tallydv_wr_allreduce(dv, TALLY_OP_NONE, TALLY_TYPE_FP64, 8, 2);
	assert_wr_error(rig, EOPNOTSUPP, TALLY_COLL_BAD_PAIR);

	start(rig, 0, 0);
	tallydv_wr_allreduce(dv, TALLY_OP_SUM, (enum tally_type)0x5f, 8, 0);
	assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_TYPE);

	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	ibv_wr_abort(qp);
	assert_int_equal(rig->qp.tracker.posted, 0);

	/* None of these had an effect, except on the reason of the last failure. */
	start(rig, 0, 0);
	tallydv_wr_barrier(dv, 0);
	assert_int_equal(ibv_wr_complete(qp), 0);
	assert_int_equal(le32toh(rig_wqe(rig, 0)->index), 0);
	assert_int_equal(tallydv_qp_last_refusal(&rig->qp.vqp.qp), TALLY_COLL_BAD_TYPE);
}

/* Numbers above 255 are not taken for their lowest 8 bits. */
static void wr_of_large_numbers(void **state)
{
	const enum tally_op op = (enum tally_op)(256 + TALLY_OP_SUM);
	const enum tally_type dtype = (enum tally_type)(256 + TALLY_TYPE_FP64);
	const struct tallydv_trigger trigger = {};
	struct rig *rig = *state;
	struct tallydv_qp *dv = &rig->qp.dv;

	tally_ops_init(&rig->ctx.ops, UINT64_MAX, UINT32_MAX, TALLY_OPS_MODES, false);
	rig->qp.ops = &rig->ctx.ops;
#define REFUSED(status, name, ...)                                         \
	do {                                                               \
		start(rig, 0, 0);                                          \
		tallydv_wr_##name(dv, __VA_ARGS__);                        \
		assert_wr_error(rig, EINVAL, TALLY_COLL_BAD_##status);     \
	} while (0)
	REFUSED(OP, allreduce, op, TALLY_TYPE_FP64, 8, 0);
	REFUSED(TYPE, allreduce, TALLY_OP_SUM, dtype, 8, 0);
	REFUSED(OP, reduce, op, TALLY_TYPE_FP64, 8, 0, 0, 0);
	REFUSED(TYPE, reduce, TALLY_OP_SUM, dtype, 8, 0, 0, 0);
	REFUSED(TYPE, bcast, dtype, 8, 0, 0, 0);
	REFUSED(TYPE, gather, dtype, 8, 0, 0, 0);
	REFUSED(TYPE, scatter, dtype, 8, 0, 0, 0);
	REFUSED(TYPE, allgather, dtype, 8, 0);
	REFUSED(OP, reduce_scatter, op, TALLY_TYPE_FP64, 8, 0);
	REFUSED(TYPE, reduce_scatter, TALLY_OP_SUM, dtype, 8, 0);
	REFUSED(OP, reduce_mp, op, TALLY_TYPE_FP64, 8, 0, 0, 1, &trigger);
	REFUSED(TYPE, reduce_mp, TALLY_OP_SUM, dtype, 8, 0, 0, 1, &trigger);
	REFUSED(OP, bcast_mp, op, TALLY_TYPE_FP64, 8, 0, 0, 1, &trigger);
	REFUSED(TYPE, put_mp, TALLY_OP_NONE, dtype, 8, 0, 0, 1, &trigger);
	REFUSED(OPCODE, triggered, (enum tally_opcode)(256 + TALLY_OPCODE_PUT_MP), TALLY_OP_NONE,
		TALLY_TYPE_FP64, 8, 0, 0, 1, &trigger);
#undef REFUSED
}

/* IBV_SEND_INLINE in wr_flags has no effect: the call that gives the data decides. */
static void wr_flag_inline(void **state)
{
	struct rig *rig = *state;

	start(rig, 0, IBV_SEND_INLINE);
	tallydv_wr_barrier(&rig->qp.dv, 0);
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), 0);
	assert_int_equal(le32toh(rig_wqe(rig, 0)->flags), 0);
	start(rig, 0, IBV_SEND_INLINE);
	tallydv_wr_allreduce(&rig->qp.dv, TALLY_OP_SUM, TALLY_TYPE_FP64, 8, 1);
	ibv_wr_set_sge_list(&rig->qp.vqp.qp_ex, 2, gather);
	assert_int_equal(ibv_wr_complete(&rig->qp.vqp.qp_ex), 0);
	assert_int_equal(le32toh(rig_wqe(rig, 1)->flags), 0);
	assert_int_equal(rig_wqe(rig, 1)->num_gather, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(wr_allreduce, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_inline, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_of_each_kind, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_triggered, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_in_a_ring, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_allgather, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_coll_says_all, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_refused_mode, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_lists_in_the_wrong_place, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_too_much, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_cannot_be, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_of_large_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(wr_flag_inline, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
