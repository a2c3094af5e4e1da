// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The send queue: sizes of entries, long lists of a leader, and the time when entries are free
 * again.
 */
#include "requests.h"
#include "why.h"

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

static void capabilities(void **state)
{
	struct rig *rig = *state;
	const struct tally_uresp_alloc_ucontext *limits = &rig->ctx.info;
	const struct tally_call call = { .name = "test", .context = &rig->ctx.vctx.context };
	static const struct {
		struct ibv_qp_cap ask;
		int err;
		uint32_t depth, stride;
	} cases[] = {
		{ { .max_send_wr = 1 }, 0, 2, TALLY_MIN_WQE_SIZE },
		{ { .max_send_wr = 64, .max_send_sge = 4 }, 0, 128, 256 },
		{ { .max_send_wr = 63, .max_send_sge = 5 }, 0, 64, 512 },
		{ { .max_send_wr = 1, .max_send_sge = 12 }, 0, 2, 512 },
		{ { .max_send_wr = 1, .max_send_sge = 28 }, 0, 2, 1024 },
		{ { .max_send_wr = 1, .max_send_sge = 60 }, 0, 2, 2048 },
		{ { .max_send_wr = 1, .max_send_sge = 61 }, 0, 2, 4096 },
		{ { .max_send_wr = 7, .max_send_sge = 64, .max_inline_data = 256 }, 0, 8, 4096 },
		{ { .max_send_wr = 1, .max_send_sge = 1, .max_inline_data = 112 }, 0, 2, 256 },
		{ { .max_send_wr = 1, .max_send_sge = 1, .max_inline_data = 113 }, 0, 2, 512 },
		{ { .max_send_wr = 4095, .max_send_sge = 8, .max_inline_data = 256 }, 0, 4096, 512 },
		{ { .max_send_wr = 1, .max_send_sge = 1, .max_inline_data = 4096 }, 0, 2, 8192 },
		{ { .max_send_wr = 1, .max_send_sge = 64, .max_inline_data = 4096 }, 0, 2, 8192 },
		{ { .max_send_wr = 4096 }, EINVAL, 0, 0 },
		{ { .max_send_wr = UINT32_MAX }, EINVAL, 0, 0 },
		{ { .max_send_wr = 0 }, EINVAL, 0, 0 },
		{ { .max_send_wr = 1, .max_send_sge = 65 }, EINVAL, 0, 0 },
		{ { .max_send_wr = 1, .max_inline_data = 4097 }, EINVAL, 0, 0 },
		{ { .max_send_wr = 1, .max_inline_data = UINT32_MAX }, EINVAL, 0, 0 },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ibv_qp_cap cap = cases[i].ask;
		struct tally_qp qp = {};

		assert_int_equal(tally_check_cap(&call, &cap, limits), cases[i].err);
		if (cases[i].err)
			continue;
		assert_int_equal(tally_qp_alloc_queue(&qp, &cap, limits), 0);
		assert_int_equal(qp.tracker.mask + 1, cases[i].depth);
		assert_int_equal(1U << qp.stride_shift, cases[i].stride);
		assert_int_equal(cap.max_send_wr, cases[i].depth - 1);
		assert_true(cap.max_send_sge >= 1);
		assert_true(cap.max_inline_data >= cases[i].ask.max_inline_data);
		assert_true(sizeof(struct tally_wqe) + cap.max_inline_data +
			    cap.max_send_sge * sizeof(struct tally_sge) <= 1U << qp.stride_shift);
		tally_qp_free_queue(&qp);
	}
}

/* A device with larger limits than this library can encode, or with an impossible depth. */
static void odd_limits(void **state)
{
	struct rig *rig = *state;
	const struct tally_call call = { .name = "test", .context = &rig->ctx.vctx.context };
	struct tally_uresp_alloc_ucontext limits = rig->ctx.info;
	struct ibv_qp_cap cap = { .max_send_wr = 1, .max_send_sge = 512 };
	struct tally_qp qp = {};

	limits.max_sge = 512;
	assert_int_equal(tally_check_cap(&call, &cap, &limits), EINVAL);
	limits.max_sq_depth = 12;
	cap = (struct ibv_qp_cap){ .max_send_wr = 8 };
	assert_int_equal(tally_check_cap(&call, &cap, &limits), EINVAL);
	cap.max_send_wr = 7;
	assert_int_equal(tally_check_cap(&call, &cap, &limits), 0);
	assert_int_equal(tally_qp_alloc_queue(&qp, &cap, &limits), 0);
	tally_qp_free_queue(&qp);
}

/*
 * A leader posts for 64 ranks, each with an entry in both lists, which fit into the entry of the
 * queue.
 */
static void a_leader_of_64_ranks(void **state)
{
	struct rig *rig = *state;
	struct ibv_qp_cap cap = { .max_send_wr = 3, .max_send_sge = TALLY_MAX_SGE };
	struct ibv_sge give[TALLY_MAX_SGE], get[TALLY_MAX_SGE];
	struct tallydv_send_wr wr = allreduce();
	const struct tally_wqe *wqe;

	tally_qp_free_queue(&rig->qp);
	assert_int_equal(tally_qp_alloc_queue(&rig->qp, &cap, &rig->ctx.info), 0);
	for (unsigned int i = 0; i < TALLY_MAX_SGE; i++) {
		give[i] = (struct ibv_sge){ .addr = 1 + i, .length = 1000 + i, .lkey = 2000 + i };
		get[i] = (struct ibv_sge){ .addr = 3000 + i, .length = 1ULL << 31, .lkey = i };
	}
	wr.wr.sg_list = give;
	wr.wr.num_sge = TALLY_MAX_SGE;
	wr.coll.result_list = get;
	wr.coll.num_result = TALLY_MAX_SGE;
	for (uint64_t i = 0; i < 3; i++) {
		wr.coll.rank_mask = UINT64_MAX - i;
		post(rig, &wr);
	}
	for (uint64_t i = 0; i < 3; i++) {
		wqe = rig_wqe(rig, i);
		assert_int_equal(wqe->num_gather, TALLY_MAX_SGE);
		assert_int_equal(wqe->num_result, TALLY_MAX_SGE);
		assert_int_equal(le64toh(wqe->rank_mask), UINT64_MAX - i);
		assert_list(wqe + 1, give, TALLY_MAX_SGE);
		assert_list((const struct tally_sge *)(wqe + 1) + TALLY_MAX_SGE, get, TALLY_MAX_SGE);
	}
	assert_true((const char *)(wqe + 1) + 2 * TALLY_MAX_SGE * sizeof(struct tally_sge) <=
		    (const char *)wqe + stride_of(rig));
}

static int post_flag_word(struct rig *rig, uint32_t mid, unsigned int send_flags)
{
	struct tallydv_send_wr wr = allreduce();
	struct ibv_send_wr *bad;

	wr.wr.wr_id = mid;
	wr.wr.send_flags = send_flags;
	wr.coll.mid = mid;
	wr.coll.flags = TALLY_WQE_F_FLAG_WORD;
	return tally_post_send(&rig->qp.vqp.qp, &wr.wr, &bad);
}

/*
 * The flag word informs the program, but frees no entry: without a completion, the queue stays
 * full.
 */
static void flag_words_alone_fill_the_queue(void **state)
{
	struct rig *rig = *state;
	struct ibv_wc wc;

	for (uint32_t mid = 0; mid < 15; mid++)
		assert_int_equal(post_flag_word(rig, mid, 0), 0);
	assert_int_equal(post_flag_word(rig, 15, IBV_SEND_SIGNALED), ENOMEM);
	assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, 1, &wc), 0);
	assert_int_equal(post_flag_word(rig, 15, 0), ENOMEM);
	/* An ABORT still fits. Its completion is the last one, and therefore frees all entries. */
	assert_int_equal(rig_post(rig, TALLY_OPCODE_ABORT, 99), 0);
}

/* It suffices to signal one in every 15 requests. */
static void one_in_a_queueful_is_enough(void **state)
{
	struct rig *rig = *state;
	struct ibv_wc wc;

	for (uint32_t mid = 0; mid < 150; mid++) {
		bool last = mid % 15 == 14;

		assert_int_equal(post_flag_word(rig, mid, last ? IBV_SEND_SIGNALED : 0), 0);
		if (!last)
			continue;
		assert_int_equal(post_flag_word(rig, mid + 1, 0), ENOMEM);
		rig_complete(rig, mid, TALLY_OPCODE_ALLREDUCE);
		assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, 1, &wc), 1);
		assert_int_equal(wc.wr_id, mid);
		assert_int_equal(rig->qp.tracker.posted, rig->qp.tracker.retired);
	}
}

/* An unsignaled request that fails completes, too, and covers all requests before it. */
static void errors_free_entries(void **state)
{
	struct rig *rig = *state;
	struct ibv_wc wc;

	for (uint32_t mid = 0; mid < 15; mid++)
		assert_int_equal(post_flag_word(rig, mid, 0), 0);
	rig_write(rig, rig_cqe(RIG_QPN, 5, TALLY_OPCODE_ALLREDUCE, TALLY_WC_RESP_TIMEOUT_ERR,
			       TALLY_COLL_TIMEOUT));
	assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, 1, &wc), 1);
	assert_int_equal(wc.wr_id, 5);
	assert_int_equal(rig->qp.tracker.retired, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(capabilities, setup, teardown),
		cmocka_unit_test_setup_teardown(odd_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(a_leader_of_64_ranks, setup, teardown),
		cmocka_unit_test_setup_teardown(flag_words_alone_fill_the_queue, setup, teardown),
		cmocka_unit_test_setup_teardown(one_in_a_queueful_is_enough, setup, teardown),
		cmocka_unit_test_setup_teardown(errors_free_entries, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
