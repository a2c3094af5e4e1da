// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The send queue and the doorbell after a post. */
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

static int post_error(struct rig *rig, struct tallydv_send_wr *wr)
{
	uint64_t posted = rig->qp.tracker.posted;
	struct ibv_send_wr *bad = NULL;
	int err = tally_post_send(&rig->qp.vqp.qp, &wr->wr, &bad);

	assert_ptr_equal(bad, &wr->wr);
	assert_int_equal(rig->qp.tracker.posted, posted);
	assert_int_equal(le64toh(*rig->qp.doorbell.counter), posted);
	return err;
}

/* The whole fixed part, byte for byte, of a work request that leaves the rest to defaults. */
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
	};

	memset(rig->qp.sq, 0xff, stride_of(rig));
	post(rig, &wr);
	assert_memory_equal(wqe, &want, sizeof(want));
	assert_list(wqe + 1, gather, 2);
	assert_list((const char *)(wqe + 1) + 32, result, 2);
	assert_int_equal(le64toh(*rig->qp.doorbell.counter), 1);
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

/* ---- The mode of a message ---- */
static struct tallydv_send_wr allreduce_in(enum tally_mode mode)
{
	struct tallydv_send_wr wr = allreduce();

	wr.coll.comp_mask = TALLYDV_COLL_ATTR_MODE;
	wr.coll.mode = mode;
	return wr;
}

static void modes(void **state)
{
	struct rig *rig = *state;
	struct tallydv_send_wr wr;

	rig->qp.modes = TALLY_MODES_TREE | TALLY_MODES_RING;
	for (uint32_t mode = 0; mode <= TALLY_MODE_RING; mode++) {
		wr = allreduce_in(mode);
		memset(rig->qp.sq, 0xff, stride_of(rig));
		if (mode == TALLY_MODE_EXCHANGE)
			continue;
		post(rig, &wr);
		assert_int_equal(rig_wqe(rig, rig->qp.tracker.posted - 1)->mode, mode);
	}
	/* Without the bit, the member may be anything. */
	wr.coll.comp_mask = 0;
	wr.coll.mode = wr.coll.reserved = UINT32_MAX;
	post(rig, &wr);
	assert_int_equal(rig_wqe(rig, rig->qp.tracker.posted - 1)->mode, 0);
}

static void assert_bad_mode(struct rig *rig, struct tallydv_send_wr wr, int err,
			    enum tally_coll_status status)
{
	rig->qp.refusal = TALLY_COLL_OK;
	assert_int_equal(post_error(rig, &wr), err);
	assert_int_equal(tallydv_qp_last_refusal(&rig->qp.vqp.qp), status);
}

static void refused_modes(void **state)
{
	struct tallydv_send_wr wr = allreduce_in(TALLY_MODE_TREE);
	struct rig *rig = *state;

	rig->qp.modes = TALLY_MODES_TREE | TALLY_MODES_RING;
	assert_bad_mode(rig, allreduce_in(TALLY_MODE_EXCHANGE), EOPNOTSUPP, TALLY_COLL_BAD_MODE);
	assert_bad_mode(rig, allreduce_in(TALLY_MODE_SWITCH), EINVAL, TALLY_COLL_BAD_MODE);
	assert_bad_mode(rig, allreduce_in(256 + TALLY_MODE_TREE), EINVAL, TALLY_COLL_BAD_MODE);
	wr.coll.reserved = 1;
	assert_bad_mode(rig, wr, EINVAL, TALLY_COLL_BAD_RESERVED);
	wr.coll.reserved = 0;
	wr.coll.trigger.reserved = TALLY_MODE_TREE;
	assert_bad_mode(rig, wr, EINVAL, TALLY_COLL_BAD_RESERVED);
	wr.coll.comp_mask = 0;
	assert_bad_mode(rig, wr, EINVAL, TALLY_COLL_BAD_RESERVED);
	wr.coll.comp_mask = 1ULL << 63;
	assert_bad_mode(rig, wr, EOPNOTSUPP, TALLY_COLL_BAD_FLAGS);
	/* The mode exists, but does not offer the opcode; or the opcode has none. */
	wr = allreduce_in(TALLY_MODE_RING);
	wr.coll.opcode = TALLY_OPCODE_GATHER;
	wr.coll.op = TALLY_OP_NONE;
	assert_bad_mode(rig, wr, EOPNOTSUPP, TALLY_COLL_BAD_MODE);
	wr.coll.opcode = TALLY_OPCODE_REDUCE_MP;
	wr.coll.op = TALLY_OP_SUM;
	assert_bad_mode(rig, wr, EOPNOTSUPP, TALLY_COLL_BAD_MODE);
}

static void inline_data(void **state)
{
	char text[] = "0123456789abcdefghijklmnop";
	struct ibv_sge pieces[] = {
		{ .addr = (uintptr_t)text, .length = 10 },
		{ .addr = 0, .length = 0 },
		{ .addr = (uintptr_t)text + 10, .length = 11 },
	};
	struct tallydv_send_wr wr = allreduce();
	struct rig *rig = *state;
	const struct tally_wqe *wqe = rig_wqe(rig, 0);

	wr.wr.send_flags |= IBV_SEND_INLINE;
	wr.wr.sg_list = pieces;
	wr.wr.num_sge = 3;
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
	assert_int_equal(tallydv_qp_last_refusal(&rig->qp.vqp.qp), TALLY_COLL_BAD_INLINE);
}

static void flags_of_signalling(void **state)
{
	struct rig *rig = *state;

	rig_post(rig, TALLY_OPCODE_BARRIER, 0);
	assert_int_equal(le32toh(rig_wqe(rig, 0)->flags), 0);
	/* Only their own completions free their entries. */
	rig_post(rig, TALLY_OPCODE_QUERY, 0);
	assert_int_equal(le32toh(rig_wqe(rig, 1)->flags), TALLY_WQE_F_SIGNALED);
	rig_post(rig, TALLY_OPCODE_ABORT, 0);
	assert_int_equal(le32toh(rig_wqe(rig, 2)->flags), TALLY_WQE_F_SIGNALED);
	rig->qp.flags = TALLY_WQE_F_SIGNALED;
	rig_post(rig, TALLY_OPCODE_BARRIER, 0);
	assert_int_equal(le32toh(rig_wqe(rig, 3)->flags), TALLY_WQE_F_SIGNALED);
}

static void assert_refused(struct rig *rig, struct tallydv_send_wr *wr, int err,
			   enum tally_coll_status refusal)
{
	assert_int_equal(post_error(rig, wr), err);
	assert_int_equal(tallydv_qp_last_refusal(&rig->qp.vqp.qp), refusal);
}

static void refused(void **state)
{
	struct rig *rig = *state;
	struct tallydv_send_wr wr = allreduce();

	assert_int_equal(tallydv_qp_last_refusal(&rig->qp.vqp.qp), TALLY_COLL_OK);
	wr.wr.opcode = IBV_WR_SEND;
	assert_refused(rig, &wr, EINVAL, TALLY_COLL_BAD_OPCODE);
	wr = allreduce();
	wr.wr.num_sge = 5;
	assert_refused(rig, &wr, EINVAL, TALLY_COLL_BAD_NUM_SGE);
	wr.wr.num_sge = -1;
	assert_refused(rig, &wr, EINVAL, TALLY_COLL_BAD_NUM_SGE);
	wr = allreduce();
	wr.coll.num_result = 5;
	assert_refused(rig, &wr, EINVAL, TALLY_COLL_BAD_NUM_SGE);
	wr = allreduce();
	wr.wr.send_flags = IBV_SEND_FENCE;
	assert_refused(rig, &wr, EINVAL, TALLY_COLL_BAD_FLAGS);
	wr = allreduce();
	wr.coll.opcode = 99;
	assert_refused(rig, &wr, EINVAL, TALLY_COLL_BAD_OPCODE);
	wr.coll.opcode = TALLY_OPCODE_ALLGATHER;
	assert_refused(rig, &wr, EOPNOTSUPP, TALLY_COLL_BAD_OP);
	wr.coll.op = TALLY_OP_NONE;
	assert_refused(rig, &wr, EOPNOTSUPP, TALLY_COLL_BAD_MODE);
	wr.coll.dtype = 0x42;
	assert_refused(rig, &wr, EINVAL, TALLY_COLL_BAD_TYPE);
	wr = allreduce();
	wr.coll.op = TALLY_OP_LAND;
	assert_refused(rig, &wr, EOPNOTSUPP, TALLY_COLL_BAD_PAIR);
	wr.coll.op = 255;
	assert_refused(rig, &wr, EINVAL, TALLY_COLL_BAD_OP);
	/* A successful post does not change it. */
	wr = allreduce();
	post(rig, &wr);
	assert_int_equal(tallydv_qp_last_refusal(&rig->qp.vqp.qp), TALLY_COLL_BAD_OP);
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
	assert_int_equal(le64toh(*rig->qp.doorbell.counter), 2);
	wr[2].wr.num_sge = 2;
	assert_int_equal(tally_post_send(&rig->qp.vqp.qp, bad, &bad), 0);
	assert_int_equal(le64toh(*rig->qp.doorbell.counter), 4);
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
	rig->status.need_wake = htole32(1);
	rig_post(rig, TALLY_OPCODE_BARRIER, 0);
	assert_int_equal(le32toh(rig->rung), RIG_WAKE_VALUE);
	/* An empty chain does not wake the device. */
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
	rig->qp.refusal = TALLY_COLL_BAD_PAIR;
	assert_int_equal(rig_post(rig, TALLY_OPCODE_ABORT, 17), ENOMEM);
	assert_int_equal(tallydv_qp_last_refusal(&rig->qp.vqp.qp), TALLY_COLL_OK);
	assert_int_equal(le64toh(*rig->qp.doorbell.counter), 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(allreduce_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(every_field, setup, teardown),
		cmocka_unit_test_setup_teardown(modes, setup, teardown),
		cmocka_unit_test_setup_teardown(refused_modes, setup, teardown),
		cmocka_unit_test_setup_teardown(inline_data, setup, teardown),
		cmocka_unit_test_setup_teardown(largest_inline_leaves_room_for_the_result, setup,
						teardown),
		cmocka_unit_test_setup_teardown(flags_of_signalling, setup, teardown),
		cmocka_unit_test_setup_teardown(refused, setup, teardown),
		cmocka_unit_test_setup_teardown(chain_stops_at_the_bad_one, setup, teardown),
		cmocka_unit_test_setup_teardown(wakes_only_a_sleeping_device, setup, teardown),
		cmocka_unit_test_setup_teardown(full_queue_has_room_for_one_abort, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
