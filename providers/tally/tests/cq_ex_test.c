// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completions as the readers of an extended completion queue return them. */
#include <string.h>

#include "rig.h"

#define CQ_DEPTH 4

static int setup(void **state)
{
	*state = rig_new(15, CQ_DEPTH);
	return 0;
}

static int teardown(void **state)
{
	rig_free(*state);
	return 0;
}

static int poll_one(struct rig *rig, struct ibv_wc *wc)
{
	return tally_poll_cq(&rig->cq.vcq.cq, 1, wc);
}

static void assert_empty(struct rig *rig)
{
	struct ibv_wc wc;

	assert_int_equal(poll_one(rig, &wc), 0);
}

static void readers(void **state)
{
	struct rig *rig = *state;
	struct ibv_cq_ex *cq = &rig->cq.vcq.cq_ex;
	struct ibv_poll_cq_attr attr = {};

	assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
	rig_post(rig, TALLY_OPCODE_ALLREDUCE, 77);
	rig_post(rig, TALLY_OPCODE_ALLREDUCE, 78);
	rig_write(rig, rig_cqe(RIG_QPN, 0, TALLY_OPCODE_ALLREDUCE, TALLY_WC_RESP_TIMEOUT_ERR,
			       TALLY_COLL_TIMEOUT));
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	/* A completion that is being read does not change with the ring. */
	memset(rig->cq.ring, 0, sizeof(rig->cq.ring[0]));
	assert_int_equal(cq->wr_id, 77);
	assert_int_equal(cq->status, IBV_WC_RESP_TIMEOUT_ERR);
	assert_int_equal(ibv_wc_read_opcode(cq), IBV_WC_DRIVER1);
	assert_int_equal(ibv_wc_read_vendor_err(cq), TALLY_COLL_TIMEOUT);
	assert_int_equal(ibv_wc_read_byte_len(cq), 0x1100);
	assert_int_equal(ibv_wc_read_qp_num(cq), RIG_QPN);
	assert_int_equal(ibv_wc_read_completion_ts(cq), 0x6666666666666666);
	assert_int_equal(ibv_wc_read_wc_flags(cq), 0);
	assert_int_equal(ibv_wc_read_src_qp(cq), 0);
	assert_int_equal(ibv_wc_read_imm_data(cq), 0);
	assert_int_equal(ibv_wc_read_slid(cq), 0);
	assert_int_equal(ibv_wc_read_sl(cq), 0);
	assert_int_equal(ibv_wc_read_dlid_path_bits(cq), 0);
	assert_int_equal(tallydv_wc_read_jid(cq), RIG_JID);
	assert_int_equal(tallydv_wc_read_mid(cq), 0x2200);
	assert_int_equal(tallydv_wc_read_sid(cq), 0x3300);
	assert_int_equal(tallydv_wc_read_seg(cq), 0x88);
	assert_int_equal(tallydv_wc_read_coll_status(cq), TALLY_COLL_TIMEOUT);
	assert_int_equal(tallydv_wc_read_opcode(cq), TALLY_OPCODE_ALLREDUCE);
	assert_int_equal(tallydv_wc_read_flags(cq), 0);
	assert_int_equal(tallydv_wc_read_node_bitmap(cq), 0x4444444444444444);
	assert_int_equal(tallydv_wc_read_rank_bitmap(cq), 0x5555555555555555);
	assert_int_equal(tallydv_wc_read_detector(cq), 0x99);
	assert_int_equal(tallydv_wc_read_err_vector(cq), TALLY_ERR_FP_INEXACT);
	assert_int_equal(tallydv_wc_read_timestamp_ns(cq), 0x6666666666666666);
	assert_int_equal(tallydv_wc_read_elapsed_ns(cq), 0x77777777);
	assert_int_equal(ibv_next_poll(cq), ENOENT);
	rig_complete(rig, 1, TALLY_OPCODE_ALLREDUCE);
	assert_int_equal(ibv_next_poll(cq), 0);
	assert_int_equal(cq->wr_id, 78);
	assert_int_equal(cq->status, IBV_WC_SUCCESS);
	ibv_end_poll(cq);
	assert_int_equal(le64toh(rig->cq.record->consumed), 2);
}

/*
 * Every status that the device may write is returned by poll and by the readers; so is the answer
 * of a QUERY.
 */
static void each_status(void **state)
{
	struct rig *rig = *state;
	struct ibv_cq_ex *cq = &rig->cq.vcq.cq_ex;
	struct ibv_poll_cq_attr attr = {};
	struct ibv_wc wc;
	uint32_t index = 0;

#define STATUS(name, value, doc) value,
	static const uint16_t statuses[] = { TALLY_COLL_LIST(STATUS) };
#undef STATUS

	for (unsigned int i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		for (unsigned int k = 0; k < 2; k++, index++) {
			rig_post(rig, TALLY_OPCODE_BARRIER, index);
			rig_write(rig, rig_cqe(RIG_QPN, index, TALLY_OPCODE_BARRIER,
					       TALLY_WC_GENERAL_ERR, statuses[i]));
		}
		assert_int_equal(poll_one(rig, &wc), 1);
		assert_int_equal(wc.vendor_err, statuses[i]);
		assert_int_equal(ibv_start_poll(cq, &attr), 0);
		assert_int_equal(tallydv_wc_read_coll_status(cq), statuses[i]);
		assert_int_equal(ibv_wc_read_vendor_err(cq), statuses[i]);
		ibv_end_poll(cq);
	}
}

static void answer_to_a_query(void **state)
{
	struct rig *rig = *state;
	struct ibv_cq_ex *cq = &rig->cq.vcq.cq_ex;
	struct ibv_poll_cq_attr attr = {};
	struct tally_cqe cqe = rig_cqe(RIG_QPN, 0, TALLY_OPCODE_QUERY, TALLY_WC_SUCCESS, 0);

	rig_post(rig, TALLY_OPCODE_QUERY, 5);
	cqe.flags |= TALLY_CQE_F_PENDING;
	rig_write(rig, cqe);
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(tallydv_wc_read_opcode(cq), TALLY_OPCODE_QUERY);
	assert_int_equal(tallydv_wc_read_flags(cq), TALLY_CQE_F_NO_RETIRE | TALLY_CQE_F_PENDING);
	assert_int_equal(tallydv_wc_read_node_bitmap(cq), 0x4444444444444444);
	assert_int_equal(tallydv_wc_read_rank_bitmap(cq), 0x5555555555555555);
	ibv_end_poll(cq);
}

static void extended_errors(void **state)
{
	struct rig *rig = *state;
	struct ibv_cq_ex *cq = &rig->cq.vcq.cq_ex;
	struct ibv_poll_cq_attr bad_attr = { .comp_mask = 1 }, attr = {};

	assert_int_equal(ibv_start_poll(cq, &bad_attr), EINVAL);
	rig_write(rig, rig_cqe(99, 0, 0, 0, 0));
	assert_int_equal(ibv_start_poll(cq, &attr), EIO);
	assert_int_equal(le64toh(rig->cq.record->consumed), 1);
	/* The lock is free again; otherwise this would hang. */
	assert_int_equal(ibv_start_poll(cq, &attr), ENOENT);
	rig_post(rig, TALLY_OPCODE_BARRIER, 1);
	rig_complete(rig, 0, TALLY_OPCODE_BARRIER);
	rig_write(rig, rig_cqe(99, 0, 0, 0, 0));
	assert_int_equal(ibv_start_poll(cq, &attr), 0);
	assert_int_equal(ibv_next_poll(cq), EIO);
	ibv_end_poll(cq);
	assert_empty(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(readers, setup, teardown),
		cmocka_unit_test_setup_teardown(each_status, setup, teardown),
		cmocka_unit_test_setup_teardown(answer_to_a_query, setup, teardown),
		cmocka_unit_test_setup_teardown(extended_errors, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
