// SPDX-License-Identifier: BSD-2-Clause
/*
 * Effect of a refused request, and of other failures of a queue pair, on other ranks. If the ranks
 * of the request have no other queue pair, all nodes learn at once whose request failed, and why;
 * otherwise nobody is affected.
 */
#include "engine/test/testbed.h"

#define NODES 3
#define RANKS 2
#define GUILTY 1 /* the node; its second rank makes the mistake */
#define RANK 2ULL
#define ROUND_TRIP (30 * VT_US) /* including the time to fetch and refuse the request */

struct scene {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[NODES][RANKS];
};

static struct scene *scene_new(void)
{
	const struct tb_group_cfg cfg = { .nodes = NODES, .ranks = RANKS, .timeout_ms = 200 };
	struct scene *s = calloc(1, sizeof(*s));
	unsigned int i, r;

	assert_non_null(s);
	s->tb = tb_open(&s->g, &cfg, NODES, tb_seed());
	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++)
			s->qp[i][r] = tb_qp_create(&s->g, i, 1ULL << r, 64, r);
	return s;
}

static void scene_end(struct scene *s)
{
	tb_free(s->tb);
	free(s);
}

static struct tb_qp *second_qp(struct scene *s)
{
	return tb_qp_create(&s->g, GUILTY, RANK, 64, RANKS);
}

static void post(struct scene *s, unsigned int node, struct tb_qp *qp, uint64_t rank, uint32_t mid)
{
	struct tb_post p = tb_request(&s->g, TALLY_OPCODE_BARRIER, mid, rank);

	tb_post_ring(tb_group_node(&s->g, node), qp, &p);
}

/* Let all ranks but the guilty one post a message, for which they wait. */
static void others_post(struct scene *s, uint32_t mid)
{
	unsigned int i, r;

	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++)
			if (i != GUILTY || r != 1)
				post(s, i, s->qp[i][r], 1ULL << r, mid);
	tb_run_for(s->tb, 10 * VT_US);
}

static void post_refused(struct scene *s, struct tb_qp *qp, uint64_t ranks, uint32_t mid)
{
	uint64_t at = tb_alloc(tb_group_node(&s->g, GUILTY), 64);
	struct tb_post p = tb_sum(&s->g, mid, ranks, at, at, 4);

	p.gather[0].lkey = 0x4444;
	tb_post_ring(tb_group_node(&s->g, GUILTY), qp, &p);
}

static void expect_nobody_told(const struct scene *s)
{
	assert_int_equal(tb_counter(s->tb, TALLY_CTR_kills_sent), 0);
	assert_int_equal(tb_group_state(&s->g, GUILTY)->state, TALLY_GROUP_OPEN);
}

/*
 * Check that all NICs know within a round trip. All requests for message `mid` that wait get the
 * status, as another's fault.
 */
static void expect_told_of(struct scene *s, enum tally_coll_status status, uint32_t mid)
{
	unsigned int i, r;

	tb_run_for(s->tb, ROUND_TRIP);
	for (i = 0; i < NODES; i++) {
		const struct group *g = tb_group_state(&s->g, i);

		assert_false(group_alive(g));
		assert_int_equal(g->report.status, status);
		assert_int_equal(g->report.detector, GUILTY);
		assert_int_equal(g->report.ranks, RANK);
	}
	tb_finish(s->tb, 20 * VT_MS);
	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++) {
			const struct tally_cqe *cqe;

			if (i == GUILTY && r == 1) /* has not posted a valid request */
				continue;
			cqe = &s->qp[i][r]->wrs[mid].cqe;
			assert_int_equal(le16toh(cqe->coll_status), status);
			assert_int_equal(cqe->status, TALLY_WC_REM_ABORT_ERR);
			assert_int_equal(le16toh(cqe->detector), GUILTY);
			assert_int_equal(le64toh(cqe->ranks), RANK);
		}
}

static void expect_told(struct scene *s, enum tally_coll_status status)
{
	expect_told_of(s, status, 0);
}

static void expect_refused(const struct tb_wr *wr, enum tally_coll_status status,
			   enum tally_wc_status wc)
{
	assert_int_equal(le16toh(wr->cqe.coll_status), status);
	assert_int_equal(wr->cqe.status, wc);
}

static void only_queue_pair(void **state)
{
	struct scene *s = scene_new();

	(void)state;
	others_post(s, 0);
	post_refused(s, s->qp[GUILTY][1], RANK, 0);
	expect_told(s, TALLY_COLL_BAD_LKEY);
	expect_refused(&s->qp[GUILTY][1]->wrs[0], TALLY_COLL_BAD_LKEY, TALLY_WC_LOC_PROT_ERR);
	scene_end(s);
}

/* The rank posts the message correctly from its other queue pair, which then fails too. */
static void last_queue_pair(void **state)
{
	struct scene *s = scene_new();
	struct tb_qp *second = second_qp(s);

	(void)state;
	others_post(s, 0);
	post_refused(s, s->qp[GUILTY][1], RANK, 0);
	tb_run_for(s->tb, VT_MS);
	expect_refused(&s->qp[GUILTY][1]->wrs[0], TALLY_COLL_BAD_LKEY, TALLY_WC_LOC_PROT_ERR);
	expect_nobody_told(s);
	post(s, GUILTY, second, RANK, 0);
	tb_finish(s->tb, VT_MS);
	tb_assert_cqe(&second->wrs[0], TALLY_COLL_OK);
	post_refused(s, second, RANK, 1);
	tb_run_for(s->tb, ROUND_TRIP);
	assert_int_equal(tb_group_state(&s->g, 0)->report.status, TALLY_COLL_BAD_LKEY);
	scene_end(s);
}

/* A queue pair that is reset may work again, so its rank is not lost. */
static void beside_one_in_reset(void **state)
{
	struct scene *s = scene_new();
	struct tb_qp *second = second_qp(s);

	(void)state;
	tb_qp_modify(&s->g, GUILTY, second, TALLY_QPS_RESET);
	others_post(s, 0);
	post_refused(s, s->qp[GUILTY][1], RANK, 0);
	tb_run_for(s->tb, VT_MS);
	expect_nobody_told(s);
	tb_qp_modify(&s->g, GUILTY, second, TALLY_QPS_RTS);
	post(s, GUILTY, second, RANK, 0);
	tb_finish(s->tb, VT_MS);
	tb_assert_cqe(&second->wrs[0], TALLY_COLL_OK);
	scene_end(s);
}

/*
 * The request names ranks that the queue pair may not post for, so nobody knows whose mistake it
 * is.
 */
static void no_valid_rank(void **state)
{
	struct scene *s = scene_new();

	(void)state;
	others_post(s, 0);
	post_refused(s, s->qp[GUILTY][1], ~RANK, 0);
	tb_run_for(s->tb, VT_MS);
	expect_nobody_told(s);
	tb_finish(s->tb, 200 * VT_MS); /* the rank times out */
	tb_assert_cqe(&s->qp[0][0]->wrs[0], TALLY_COLL_TIMEOUT);
	assert_int_equal(le64toh(s->qp[0][0]->wrs[0].cqe.ranks), RANK);
	scene_end(s);
}

static void skipped_message(void **state)
{
	struct scene *s = scene_new();

	(void)state;
	others_post(s, 0);
	post(s, GUILTY, s->qp[GUILTY][1], RANK, 1);
	expect_told(s, TALLY_COLL_MID_SKIPPED);
	expect_refused(&s->qp[GUILTY][1]->wrs[0], TALLY_COLL_MID_SKIPPED, TALLY_WC_LOC_QP_OP_ERR);
	scene_end(s);
}

/* Another queue pair may bring the skipped message, until it fails. */
static void skipped_behind_a_refusal(void **state)
{
	struct scene *s = scene_new();
	struct tb_qp *second = second_qp(s);

	(void)state;
	others_post(s, 0);
	post(s, GUILTY, second, RANK, 1);
	tb_run_for(s->tb, VT_MS);
	expect_nobody_told(s);
	post_refused(s, s->qp[GUILTY][1], RANK, 0);
	expect_told(s, TALLY_COLL_MID_SKIPPED);
	expect_refused(&second->wrs[0], TALLY_COLL_MID_SKIPPED, TALLY_WC_LOC_QP_OP_ERR);
	scene_end(s);
}

/*
 * A queue pair fails after the engine has looked at another one that waits for it, so the engine looks at
 * that one again.
 */
static void skipped_behind_a_repetition(void **state)
{
	struct scene *s = scene_new();
	struct tb_qp *second = second_qp(s);

	(void)state;
	others_post(s, 0);
	post(s, GUILTY, s->qp[GUILTY][1], RANK, 0);
	tb_finish(s->tb, VT_MS);
	others_post(s, 1);
	post(s, GUILTY, second, RANK, 2);
	tb_run_for(s->tb, VT_MS);
	expect_nobody_told(s);
	post(s, GUILTY, s->qp[GUILTY][1], RANK, 0);
	expect_told_of(s, TALLY_COLL_MID_SKIPPED, 1);
	expect_refused(&s->qp[GUILTY][1]->wrs[1], TALLY_COLL_MID_BEHIND, TALLY_WC_LOC_QP_OP_ERR);
	expect_refused(&second->wrs[0], TALLY_COLL_MID_SKIPPED, TALLY_WC_LOC_QP_OP_ERR);
	scene_end(s);
}

/* A process ends: its queue pairs are destroyed one after the other, then it detaches its rank. */
static void process_that_ends(void **state)
{
	struct scene *s = scene_new();
	struct tb_qp *second = second_qp(s);
	struct tb_node *n = tb_group_node(&s->g, GUILTY);

	(void)state;
	others_post(s, 0);
	post(s, GUILTY, second, RANK, 1);
	tb_run_for(s->tb, VT_MS);
	tb_qp_destroy(&s->g, GUILTY, s->qp[GUILTY][1]);
	tb_run_for(s->tb, VT_MS);
	expect_nobody_told(s);
	tb_qp_destroy(&s->g, GUILTY, second);
	engine_detach_ranks(tb_enter(n), s->g.cfg.group, RANK);
	tb_leave(n);
	expect_told(s, TALLY_COLL_RANK_GONE);
	scene_end(s);
}

/* The requests before the refused one on its queue pair finish first. */
static void in_its_turn(void **state)
{
	struct scene *s = scene_new();

	(void)state;
	post(s, GUILTY, s->qp[GUILTY][1], RANK, 0);
	post_refused(s, s->qp[GUILTY][1], RANK, 1);
	tb_run_for(s->tb, VT_MS);
	expect_nobody_told(s);
	others_post(s, 0);
	tb_run_for(s->tb, ROUND_TRIP);
	tb_assert_cqe(&s->qp[GUILTY][1]->wrs[0], TALLY_COLL_OK);
	assert_int_equal(tb_group_state(&s->g, 0)->report.status, TALLY_COLL_BAD_LKEY);
	scene_end(s);
}

/* ---- Other failures of a queue pair ---- */

static void overrun(struct scene *s)
{
	engine_doorbell(tb_enter(tb_group_node(&s->g, GUILTY)), s->qp[GUILTY][1]->qpn, 200);
	tb_leave(tb_group_node(&s->g, GUILTY));
}

static void loses_completions(struct scene *s)
{
	tb_qp_modify(&s->g, GUILTY, s->qp[GUILTY][1], TALLY_QPS_ERROR);
	engine_qp_lost(tb_enter(tb_group_node(&s->g, GUILTY)), s->qp[GUILTY][1]->qpn);
	tb_leave(tb_group_node(&s->g, GUILTY));
}

static void unreadable(struct scene *s)
{
	s->qp[GUILTY][1]->no_fetch = true;
	post(s, GUILTY, s->qp[GUILTY][1], RANK, 0);
}

static const struct {
	void (*act)(struct scene *s);
	enum tally_coll_status status;
} mistakes[] = {
	{ overrun, TALLY_COLL_SQ_OVERRUN },
	{ unreadable, TALLY_COLL_WQE_FETCH },
	{ loses_completions, TALLY_COLL_RANK_GONE },
};

static void queue_that_fails(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct scene *s = scene_new();

		others_post(s, 0);
		mistakes[i].act(s);
		expect_told(s, mistakes[i].status);
		scene_end(s);
	}
}

/* The rank takes part with its other queue pair. */
static void queue_that_fails_beside_another(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct scene *s = scene_new();
		struct tb_qp *second = second_qp(s);

		others_post(s, 0);
		mistakes[i].act(s);
		tb_run_for(s->tb, VT_MS);
		expect_nobody_told(s);
		post(s, GUILTY, second, RANK, 0);
		tb_finish(s->tb, VT_MS);
		tb_assert_cqe(&second->wrs[0], TALLY_COLL_OK);
		tb_assert_cqe(&s->qp[0][0]->wrs[0], TALLY_COLL_OK);
		scene_end(s);
	}
}

/*
 * The rank's other queue pair has lost the same completion queue, with a request that waits for one
 * of the first.
 */
static void shared_completion_queue(void **state)
{
	struct scene *s = scene_new();
	struct tb_qp *second = second_qp(s);

	(void)state;
	others_post(s, 0);
	post(s, GUILTY, second, RANK, 1);
	tb_run_for(s->tb, VT_MS);
	tb_qp_modify(&s->g, GUILTY, second, TALLY_QPS_ERROR);
	loses_completions(s);
	expect_told(s, TALLY_COLL_RANK_GONE);
	scene_end(s);
}

/* The user may move the queue pair back to RTS. */
static void moved_by_its_user(void **state)
{
	struct scene *s = scene_new();

	(void)state;
	tb_qp_modify(&s->g, GUILTY, s->qp[GUILTY][1], TALLY_QPS_ERROR);
	others_post(s, 0);
	tb_run_for(s->tb, VT_MS);
	expect_nobody_told(s);
	tb_qp_modify(&s->g, GUILTY, s->qp[GUILTY][1], TALLY_QPS_RESET);
	tb_qp_modify(&s->g, GUILTY, s->qp[GUILTY][1], TALLY_QPS_RTS);
	post(s, GUILTY, s->qp[GUILTY][1], RANK, 0);
	tb_finish(s->tb, VT_MS);
	tb_assert_cqe(&s->qp[0][0]->wrs[0], TALLY_COLL_OK);
	scene_end(s);
}

/*
 * A move to RESET takes a begun request away, so its message can never be finished: all are told at once,
 * and the queue pair works again only in the next epoch.
 */
static void reset_with_begun_work(void **state)
{
	struct scene *s = scene_new();
	const struct report *told;

	(void)state;
	post(s, 0, s->qp[0][0], 1, 0);
	post(s, GUILTY, s->qp[GUILTY][1], RANK, 0);
	tb_run_for(s->tb, 10 * VT_US);
	tb_qp_modify(&s->g, GUILTY, s->qp[GUILTY][1], TALLY_QPS_RESET);
	tb_run_for(s->tb, ROUND_TRIP);
	told = &tb_group_state(&s->g, 0)->report;
	assert_int_equal(told->status, TALLY_COLL_RANK_GONE);
	assert_int_equal(told->detector, GUILTY);
	assert_int_equal(told->ranks, RANK);
	tb_run_for(s->tb, 20 * VT_MS);
	expect_refused(&s->qp[0][0]->wrs[0], TALLY_COLL_RANK_GONE, TALLY_WC_REM_ABORT_ERR);
	assert_int_equal(tb_qp_modify(&s->g, GUILTY, s->qp[GUILTY][1], TALLY_QPS_RTS),
			 TALLY_ADMIN_STATUS_BAD_STATE);
	scene_end(s);
}

/* A message that was skipped on the failing queue pair can no longer come. */
static void skipped_behind_a_queue_that_fails(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct scene *s = scene_new();
		struct tb_qp *second = second_qp(s);

		others_post(s, 0);
		post(s, GUILTY, second, RANK, 1);
		tb_run_for(s->tb, VT_MS);
		expect_nobody_told(s);
		mistakes[i].act(s);
		expect_told(s, TALLY_COLL_MID_SKIPPED);
		scene_end(s);
	}
}

/* A request that was begun ends with those of the others, as the fault of its own rank. */
static void overrun_behind_work(void **state)
{
	struct scene *s = scene_new();

	(void)state;
	post(s, 0, s->qp[0][0], 1, 0);
	post(s, GUILTY, s->qp[GUILTY][1], RANK, 0);
	post(s, GUILTY, s->qp[GUILTY][1], RANK, 1);
	tb_run_for(s->tb, 10 * VT_US);
	overrun(s);
	tb_finish(s->tb, 20 * VT_MS);
	expect_refused(&s->qp[0][0]->wrs[0], TALLY_COLL_SQ_OVERRUN, TALLY_WC_REM_ABORT_ERR);
	expect_refused(&s->qp[GUILTY][1]->wrs[0], TALLY_COLL_SQ_OVERRUN, TALLY_WC_LOC_QP_OP_ERR);
	scene_end(s);
}

/*
 * Post a reduction to the guilty rank, whose memory fails; the others wait in a barrier behind it.
 */
static void reduce_and_wait(struct scene *s)
{
	unsigned int i, r;

	tb_group_node(&s->g, GUILTY)->fail_writes = true;
	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++) {
			struct tb_post p = tb_request(&s->g, TALLY_OPCODE_REDUCE, 0, 1ULL << r);
			uint64_t at = tb_alloc(tb_group_node(&s->g, i), 64);

			p.w.op = TALLY_OP_SUM;
			p.w.dtype = TALLY_TYPE_INT32;
			p.w.count = htole64(4);
			p.w.root_node = htole16(GUILTY);
			p.w.root_rank = 1;
			tb_gather(&p, at, 16);
			if (i == GUILTY && r == 1)
				tb_result(&p, at, 16);
			tb_post_ring(tb_group_node(&s->g, i), s->qp[i][r], &p);
		}
	others_post(s, 1);
}

static void result_that_cannot_be_written(void **state)
{
	struct scene *s = scene_new();

	(void)state;
	reduce_and_wait(s);
	expect_told_of(s, TALLY_COLL_DMA_ERROR, 1);
	expect_refused(&s->qp[GUILTY][1]->wrs[0], TALLY_COLL_DMA_ERROR, TALLY_WC_LOC_ACCESS_ERR);
	tb_assert_cqe(&s->qp[0][0]->wrs[0], TALLY_COLL_OK);
	scene_end(s);
}

static void result_lost_beside_another_queue_pair(void **state)
{
	struct scene *s = scene_new();
	struct tb_qp *second = second_qp(s);

	(void)state;
	reduce_and_wait(s);
	tb_run_for(s->tb, VT_MS);
	expect_refused(&s->qp[GUILTY][1]->wrs[0], TALLY_COLL_DMA_ERROR, TALLY_WC_LOC_ACCESS_ERR);
	expect_nobody_told(s);
	post(s, GUILTY, second, RANK, 1);
	tb_finish(s->tb, VT_MS);
	tb_assert_cqe(&s->qp[0][0]->wrs[1], TALLY_COLL_OK);
	scene_end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_queue_pair),
		cmocka_unit_test(last_queue_pair),
		cmocka_unit_test(beside_one_in_reset),
		cmocka_unit_test(no_valid_rank),
		cmocka_unit_test(skipped_message),
		cmocka_unit_test(skipped_behind_a_refusal),
		cmocka_unit_test(skipped_behind_a_repetition),
		cmocka_unit_test(process_that_ends),
		cmocka_unit_test(in_its_turn),
		cmocka_unit_test(queue_that_fails),
		cmocka_unit_test(queue_that_fails_beside_another),
		cmocka_unit_test(skipped_behind_a_queue_that_fails),
		cmocka_unit_test(shared_completion_queue),
		cmocka_unit_test(moved_by_its_user),
		cmocka_unit_test(reset_with_begun_work),
		cmocka_unit_test(overrun_behind_work),
		cmocka_unit_test(result_that_cannot_be_written),
		cmocka_unit_test(result_lost_beside_another_queue_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
