// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completions: order, wrap-around, and invalid completions of a faulty device. */
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

static void assert_completed(struct rig *rig, uint64_t wr_id)
{
	struct ibv_wc wc = {};

	assert_int_equal(poll_one(rig, &wc), 1);
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
}

static void assert_empty(struct rig *rig)
{
	struct ibv_wc wc;

	assert_int_equal(poll_one(rig, &wc), 0);
}

static uint64_t used(const struct rig *rig)
{
	return rig->qp.tracker.posted - rig->qp.tracker.retired;
}

static void work_completion(void **state)
{
	struct rig *rig = *state;
	struct ibv_wc wc[2];

	memset(wc, 0xee, sizeof(wc));
	assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, 2, wc), 0);
	rig_post(rig, TALLY_OPCODE_ALLREDUCE, 0xfeedfacecafe);
	rig_write(rig, rig_cqe(RIG_QPN, 0, TALLY_OPCODE_ALLREDUCE, TALLY_WC_REM_ABORT_ERR,
			       TALLY_COLL_RANK_GONE));
	assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, 2, wc), 1);
	assert_int_equal(wc[0].wr_id, 0xfeedfacecafe);
	assert_int_equal(wc[0].opcode, IBV_WC_DRIVER1);
	assert_int_equal(wc[0].status, IBV_WC_REM_ABORT_ERR);
	assert_int_equal(wc[0].vendor_err, TALLY_COLL_RANK_GONE);
	assert_int_equal(wc[0].byte_len, 0x1100);
	assert_int_equal(wc[0].qp_num, RIG_QPN);
	/* Nothing was received, so the other fields are 0, and do not keep old contents. */
	assert_int_equal(wc[0].imm_data, 0);
	assert_int_equal(wc[0].src_qp, 0);
	assert_int_equal(wc[0].wc_flags, 0);
	assert_int_equal(wc[0].pkey_index, 0);
	assert_int_equal(wc[0].slid, 0);
	assert_int_equal(wc[0].sl, 0);
	assert_int_equal(wc[0].dlid_path_bits, 0);
	assert_int_equal(le64toh(rig->cq.record->consumed), 1);
	assert_empty(rig);
}

/* Every entry of several laps is seen once, and none before it is written. */
static void phase_wraps(void **state)
{
	struct rig *rig = *state;

	for (uint64_t i = 0; i < 5 * CQ_DEPTH + 1; i++) {
		assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, i), 0);
		assert_empty(rig);
		rig_complete(rig, i, TALLY_OPCODE_BARRIER);
		assert_completed(rig, i);
		assert_int_equal(le64toh(rig->cq.record->consumed), i + 1);
	}
}

static void a_full_ring_is_polled_in_one_go(void **state)
{
	struct rig *rig = *state;
	struct ibv_wc wc[CQ_DEPTH + 1];

	for (unsigned int pass = 0; pass < 3; pass++) {
		for (unsigned int i = 0; i < CQ_DEPTH; i++) {
			rig_post(rig, TALLY_OPCODE_BARRIER, i);
			rig_complete(rig, pass * CQ_DEPTH + i, TALLY_OPCODE_BARRIER);
		}
		assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, CQ_DEPTH + 1, wc), CQ_DEPTH);
		for (unsigned int i = 0; i < CQ_DEPTH; i++)
			assert_int_equal(wc[i].wr_id, i);
	}
}

static void one_completion_stands_for_all_before(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 15; i++)
		rig_post(rig, TALLY_OPCODE_BARRIER, 100 + i);
	rig_complete(rig, 9, TALLY_OPCODE_BARRIER);
	assert_completed(rig, 109);
	assert_int_equal(used(rig), 5);
	rig_complete(rig, 14, TALLY_OPCODE_BARRIER);
	assert_completed(rig, 114);
	assert_int_equal(used(rig), 0);
}

static void a_query_overtakes_and_retires_itself_only(void **state)
{
	struct rig *rig = *state;

	rig_post(rig, TALLY_OPCODE_ALLREDUCE, 10);
	rig_post(rig, TALLY_OPCODE_QUERY, 11);
	rig_post(rig, TALLY_OPCODE_ALLREDUCE, 12);
	rig_complete(rig, 1, TALLY_OPCODE_QUERY);
	assert_completed(rig, 11);
	assert_int_equal(used(rig), 3); /* entry 0 is the oldest and outstanding */
	rig_complete(rig, 0, TALLY_OPCODE_ALLREDUCE);
	assert_completed(rig, 10);
	assert_int_equal(used(rig), 1);
	rig_complete(rig, 2, TALLY_OPCODE_ALLREDUCE);
	assert_completed(rig, 12);
	assert_int_equal(used(rig), 0);
}

static void a_late_query_holds_its_entry(void **state)
{
	struct rig *rig = *state;

	rig_post(rig, TALLY_OPCODE_QUERY, 10);
	for (unsigned int i = 1; i < 15; i++)
		rig_post(rig, TALLY_OPCODE_BARRIER, 10 + i);
	rig_complete(rig, 14, TALLY_OPCODE_BARRIER);
	assert_completed(rig, 24);
	assert_int_equal(used(rig), 15);
	assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, 0), ENOMEM);
	rig_complete(rig, 0, TALLY_OPCODE_QUERY);
	assert_completed(rig, 10);
	assert_int_equal(used(rig), 0);
	assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, 25), 0);
	rig_complete(rig, 15, TALLY_OPCODE_BARRIER);
	assert_completed(rig, 25);
}

static void abort_completes_last(void **state)
{
	struct rig *rig = *state;

	rig_post(rig, TALLY_OPCODE_ALLREDUCE, 1);
	rig_post(rig, TALLY_OPCODE_ABORT, 2);
	rig_post(rig, TALLY_OPCODE_ALLREDUCE, 3);
	rig_complete(rig, 0, TALLY_OPCODE_ALLREDUCE);
	rig_complete(rig, 2, TALLY_OPCODE_ALLREDUCE);
	rig_complete(rig, 1, TALLY_OPCODE_ABORT);
	assert_completed(rig, 1);
	assert_completed(rig, 3);
	assert_int_equal(used(rig), 2);
	assert_completed(rig, 2);
	assert_int_equal(used(rig), 0);
}

/*
 * Random work requests against a plain model: a flag for each outstanding index, and a queue that
 * is full when the oldest outstanding request is depth - 1 entries back.
 */
static void random_order(void **state)
{
	enum { STEPS = 20000 };
	struct rig *rig = *state;
	bool outstanding[STEPS] = {}, out_of_order[STEPS] = {};
	uint64_t posted = 0, oldest = 0;
	uint32_t random = 12345;

	for (unsigned int step = 0; step < STEPS; step++) {
		random = random * 1664525 + 1013904223;
		if (random >> 31) {
			uint8_t opcode = random >> 20 & 3 ? TALLY_OPCODE_BARRIER :
							    TALLY_OPCODE_QUERY;
			int want = posted - oldest >= 15 ? ENOMEM : 0;

			assert_int_equal(rig_post(rig, opcode, posted), want);
			if (want)
				continue;
			out_of_order[posted] = opcode == TALLY_OPCODE_QUERY;
			outstanding[posted++] = true;
		} else if (posted != oldest) {
			uint64_t i = oldest + (random >> 8) % (posted - oldest);

			if (!outstanding[i])
				continue;
			rig_complete(rig, i,
				     out_of_order[i] ? TALLY_OPCODE_QUERY : TALLY_OPCODE_BARRIER);
			assert_completed(rig, i);
			outstanding[i] = false;
			for (uint64_t k = oldest; k < i && !out_of_order[i]; k++)
				if (!out_of_order[k])
					outstanding[k] = false;
			while (oldest < posted && !outstanding[oldest])
				oldest++;
		}
		assert_int_equal(used(rig), posted - oldest);
	}
	assert_true(posted > STEPS / 4);
}

/* ---- A faulty device ---- */
static void assert_bad(struct rig *rig, uint32_t qpn, uint32_t index)
{
	struct ibv_wc wc;

	rig_write(rig, rig_cqe(qpn, index, TALLY_OPCODE_BARRIER, TALLY_WC_SUCCESS, 0));
	assert_int_equal(poll_one(rig, &wc), -EIO);
	assert_empty(rig);
}

static void bad_completions_are_reported(void **state)
{
	struct rig *rig = *state;

	rig_post(rig, TALLY_OPCODE_BARRIER, 50);
	assert_bad(rig, RIG_QPN + 2, 0);   /* no such queue pair */
	assert_bad(rig, RIG_QPN + 1, 0);   /* queue pair of another completion queue */
	assert_bad(rig, TALLY_MAX_QP, 0);  /* outside of the table */
	assert_bad(rig, UINT32_MAX, 0);
	assert_bad(rig, RIG_QPN, 1);       /* not posted yet */
	assert_bad(rig, RIG_QPN, UINT32_MAX);
	assert_int_equal(used(rig), 1);
	rig_complete(rig, 0, TALLY_OPCODE_BARRIER);
	assert_completed(rig, 50);
	assert_bad(rig, RIG_QPN, 0);       /* completed twice */
	assert_int_equal(le64toh(rig->cq.record->consumed), 8);
}

/*
 * A request of a chain that is being built does not belong to the device yet; nor does one of an
 * aborted chain.
 */
static void completions_of_a_chain_under_way(void **state)
{
	struct rig *rig = *state;
	struct ibv_qp_ex *qp = &rig->qp.vqp.qp_ex;

	ibv_wr_start(qp);
	qp->wr_id = 60;
	qp->wr_flags = IBV_SEND_SIGNALED;
	tallydv_wr_barrier(&rig->qp.dv, 0);
	assert_bad(rig, RIG_QPN, 0);
	ibv_wr_abort(qp);
	assert_bad(rig, RIG_QPN, 0);
	assert_int_equal(used(rig), 0);
	rig_post(rig, TALLY_OPCODE_BARRIER, 61);
	rig_complete(rig, 0, TALLY_OPCODE_BARRIER);
	assert_completed(rig, 61);
}

static void bad_completion_behind_good_ones(void **state)
{
	struct rig *rig = *state;
	struct ibv_wc wc[4];

	rig_post(rig, TALLY_OPCODE_BARRIER, 1);
	rig_post(rig, TALLY_OPCODE_BARRIER, 2);
	rig_complete(rig, 0, TALLY_OPCODE_BARRIER);
	rig_write(rig, rig_cqe(99, 0, 0, 0, 0));
	rig_complete(rig, 1, TALLY_OPCODE_BARRIER);
	assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, 4, wc), 1);
	assert_int_equal(wc[0].wr_id, 1);
	assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, 4, wc), -EIO);
	assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, 4, wc), 1);
	assert_int_equal(wc[0].wr_id, 2);
}

static void unknown_status_is_an_error(void **state)
{
	struct rig *rig = *state;
	struct ibv_wc wc;

	for (unsigned int status = 0; status < 256; status++) {
		rig_post(rig, TALLY_OPCODE_BARRIER, status);
		rig_write(rig, rig_cqe(RIG_QPN, status, 0, status, 0));
		assert_int_equal(poll_one(rig, &wc), 1);
		if (status == TALLY_WC_SUCCESS)
			assert_int_equal(wc.status, IBV_WC_SUCCESS);
		else
			assert_true(wc.status > IBV_WC_SUCCESS && wc.status <= IBV_WC_GENERAL_ERR);
	}
}

/* ---- Destruction ---- */
static void completions_of_a_destroyed_queue_pair_vanish(void **state)
{
	struct rig *rig = *state;

	rig_post(rig, TALLY_OPCODE_BARRIER, 1);
	rig_complete(rig, 0, TALLY_OPCODE_BARRIER);
	assert_completed(rig, 1);
	rig_post(rig, TALLY_OPCODE_BARRIER, 2);
	rig_post(rig, TALLY_OPCODE_BARRIER, 3);
	rig_complete(rig, 1, TALLY_OPCODE_BARRIER);
	rig_complete(rig, 2, TALLY_OPCODE_BARRIER);
	tally_cq_detach(&rig->cq, &rig->qp);
	/* Its number is reused at once. */
	tally_wr_tracker_reset(&rig->qp.tracker);
	tally_cq_attach(&rig->cq, &rig->qp);
	rig_post(rig, TALLY_OPCODE_BARRIER, 4);
	rig_complete(rig, 0, TALLY_OPCODE_BARRIER);
	assert_completed(rig, 4);
	assert_empty(rig);
	assert_int_equal(le64toh(rig->cq.record->consumed), 4);
	tally_cq_detach(&rig->cq, &rig->qp);
	assert_bad(rig, RIG_QPN, 0);
}

/*
 * All entries of the ring are dropped, but only once: later completions in their places are seen.
 */
static void a_ring_full_of_a_destroyed_queue_pair(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < CQ_DEPTH; i++)
		rig_post(rig, TALLY_OPCODE_BARRIER, i);
	for (unsigned int i = 0; i < CQ_DEPTH; i++)
		rig_complete(rig, i, TALLY_OPCODE_BARRIER);
	tally_cq_detach(&rig->cq, &rig->qp);
	tally_wr_tracker_reset(&rig->qp.tracker);
	tally_cq_attach(&rig->cq, &rig->qp);
	assert_empty(rig);
	for (unsigned int i = 0; i < 2 * CQ_DEPTH; i++) {
		rig_post(rig, TALLY_OPCODE_BARRIER, 10 + i);
		rig_complete(rig, i, TALLY_OPCODE_BARRIER);
		assert_completed(rig, 10 + i);
	}
}

/*
 * Requests that complete out of order advance the start of the order. No later request is taken for
 * completed.
 */
static void many_queries_then_some_in_order(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 40; i++) {
		rig_post(rig, TALLY_OPCODE_QUERY, i);
		rig_complete(rig, i, TALLY_OPCODE_QUERY);
		assert_completed(rig, i);
	}
	for (unsigned int i = 40; i < 43; i++)
		rig_post(rig, TALLY_OPCODE_BARRIER, i);
	rig_complete(rig, 41, TALLY_OPCODE_BARRIER);
	assert_completed(rig, 41);
	assert_int_equal(used(rig), 1);
	rig_complete(rig, 42, TALLY_OPCODE_BARRIER);
	assert_completed(rig, 42);
	assert_int_equal(used(rig), 0);
}

/* Both counts restart. */
static void order_after_a_reset(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 10; i++) {
		rig_post(rig, TALLY_OPCODE_BARRIER, i);
		rig_complete(rig, i, TALLY_OPCODE_BARRIER);
		assert_completed(rig, i);
	}
	tally_wr_tracker_reset(&rig->qp.tracker);
	rig_post(rig, TALLY_OPCODE_BARRIER, 20);
	rig_post(rig, TALLY_OPCODE_BARRIER, 21);
	rig_complete(rig, 1, TALLY_OPCODE_BARRIER);
	assert_completed(rig, 21);
	assert_int_equal(used(rig), 0);
}

/* ---- Arming ---- */
static void arm_word(void **state)
{
	struct rig *rig = *state;
	struct ibv_cq *cq = &rig->cq.vcq.cq;

	assert_int_equal(tally_req_notify_cq(cq, 0), 0);
	assert_int_equal(le64toh(*rig->cq.doorbell.arm), 2);
	assert_int_equal(rig->rung, 0);
	rig->status.need_wake = htole32(1);
	assert_int_equal(tally_req_notify_cq(cq, 1), 0);
	assert_int_equal(le64toh(*rig->cq.doorbell.arm), 5);
	assert_int_equal(le32toh(rig->rung), RIG_WAKE_VALUE);
	assert_int_equal(tally_req_notify_cq(cq, 0), 0);
	assert_int_equal(le64toh(*rig->cq.doorbell.arm), 6);
}

/* A poll stores its count in memory; only arming stores it in the device. */
static void consumed_in_memory(void **state)
{
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 3; i++) {
		rig_post(rig, TALLY_OPCODE_BARRIER, i);
		rig_complete(rig, i, TALLY_OPCODE_BARRIER);
		assert_completed(rig, i);
		assert_int_equal(le64toh(rig->cq.record->consumed), i + 1);
		assert_int_equal(le64toh(*rig->cq.doorbell.counter), 0);
	}
	assert_int_equal(tally_req_notify_cq(&rig->cq.vcq.cq, 0), 0);
	assert_int_equal(le64toh(*rig->cq.doorbell.counter), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(work_completion, setup, teardown),
		cmocka_unit_test_setup_teardown(phase_wraps, setup, teardown),
		cmocka_unit_test_setup_teardown(consumed_in_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_ring_is_polled_in_one_go, setup, teardown),
		cmocka_unit_test_setup_teardown(one_completion_stands_for_all_before, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_query_overtakes_and_retires_itself_only, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_late_query_holds_its_entry, setup, teardown),
		cmocka_unit_test_setup_teardown(abort_completes_last, setup, teardown),
		cmocka_unit_test_setup_teardown(random_order, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_completions_are_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(completions_of_a_chain_under_way, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_completion_behind_good_ones, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown_status_is_an_error, setup, teardown),
		cmocka_unit_test_setup_teardown(completions_of_a_destroyed_queue_pair_vanish, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_ring_full_of_a_destroyed_queue_pair, setup,
						teardown),
		cmocka_unit_test_setup_teardown(many_queries_then_some_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(order_after_a_reset, setup, teardown),
		cmocka_unit_test_setup_teardown(arm_word, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
