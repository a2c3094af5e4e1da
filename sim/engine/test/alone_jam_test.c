// SPDX-License-Identifier: BSD-2-Clause
/*
 * Jams and failures of queue pairs alone: for which ranks nobody can post any more, and which
 * requests wait for what is behind them.
 */
#include "engine/common.h"
#include "engine/qp_failure.h"
#include "engine/sq_blocked.h"
#include "engine/test/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OLDEST 10 /* the oldest message that is not done */

/*
 * One queue pair posts for ranks 0, 1 and 2. Ranks 0 and 1 have begun the oldest message, rank 2 has
 * not.
 */
static struct alone a;
static struct qp *qp;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	a.g->rank_mask = 7;
	a.g->mid_done = OLDEST;
	a.g->ranks[0].next_mid = a.g->ranks[1].next_mid = OLDEST + 1;
	a.g->ranks[0].next_num = a.g->ranks[1].next_num = 1;
	a.g->ranks[2].next_mid = OLDEST;
	qp = alone_qp(&a, 0, 7);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static struct wr *request(enum wr_state wr_state, uint32_t mid, uint64_t ranks)
{
	struct wr *wr = alone_wr(qp, wr_state, TALLY_OPCODE_ALLREDUCE, mid, ranks);

	wr->w.total = 1;
	return wr;
}

/* Rank 0 waits for the window with its next message. */
static struct wr *shut_out(void)
{
	a.g->ranks[0].next_num = a.g->done + a.g->max_segs;
	return request(WR_READY, OLDEST + 1, 1);
}

/* Check whether the epoch ends, for which ranks; 0: it goes on. */
static void check_blocked(uint64_t ranks)
{
	const struct fw_event *ev;

	sq_blocked_check(a.e, qp);
	ev = alone_exception(&a);
	if (!ranks) {
		assert_int_equal(ev->type, TALLY_FW_EV_NONE);
		return;
	}
	assert_int_equal(ev->status, TALLY_COLL_SQ_BLOCKED);
	assert_int_equal(ev->ranks, ranks);
	assert_int_equal(ev->mid, a.g->mid_done);
	assert_int_equal(ev->contributors, 0);
	assert_false(group_alive(a.g));
}

/* ---- Behind a request that waits for the window ---- */

static void behind_one_that_is_shut_out(void **state)
{
	(void)state;
	shut_out();
	request(WR_READY, OLDEST, 4);
	check_blocked(4);
}

static void nothing_is_behind_yet(void **state)
{
	(void)state;
	shut_out();
	check_blocked(0);
}

static void ahead_of_one_that_is_shut_out(void **state)
{
	(void)state;
	request(WR_READY, OLDEST, 4);
	shut_out();
	check_blocked(0);
}

/* Rank 2 has posted the oldest message ahead, and rank 1 behind; only rank 1 is stuck. */
static void some_are_ahead_and_some_behind(void **state)
{
	(void)state;
	a.g->ranks[1].next_mid = OLDEST;
	request(WR_READY, OLDEST, 4);
	shut_out();
	request(WR_READY, OLDEST, 2);
	check_blocked(2);
}

static void another_message_is_behind(void **state)
{
	(void)state;
	shut_out();
	request(WR_READY, OLDEST + 1, 4);
	check_blocked(0);
}

/* It waits for the window only if all its ranks are at its message, and none has room. */
static void one_that_has_room(void **state)
{
	struct wr *wr = shut_out();

	(void)state;
	request(WR_READY, OLDEST, 4);
	a.g->ranks[0].next_num--;
	check_blocked(0);
	a.g->ranks[0].next_num++;
	wr->w.mid++;
	check_blocked(0);
	wr->w.mid--;
	wr->w.rank_mask = 3; /* rank 1 has room */
	check_blocked(0);
	wr->w.rank_mask = 1;
	wr->state = WR_ACTIVE;
	check_blocked(0);
	wr->state = WR_DONE;
	check_blocked(0);
	wr->state = WR_READY;
	wr->w.opcode = TALLY_OPCODE_BCAST_MP;
	check_blocked(0);
	wr->w.opcode = TALLY_OPCODE_ALLREDUCE;
	check_blocked(4);
}

static void numbers_wrap(void **state)
{
	(void)state;
	a.g->done = UINT32_MAX - 1;
	a.g->limit = a.g->done + 4;
	shut_out();
	assert_int_equal(a.g->ranks[0].next_num, 2);
	request(WR_READY, OLDEST, 4);
	check_blocked(4);
}

static void messages_wrap(void **state)
{
	(void)state;
	a.g->mid_done = a.g->ranks[2].next_mid = UINT32_MAX;
	a.g->ranks[0].next_mid = a.g->ranks[1].next_mid = 0;
	shut_out()->w.mid = 0;
	request(WR_READY, UINT32_MAX, 4);
	check_blocked(4);
}

/* Indices of requests may wrap, and those that have retired are not looked at. */
static void from_the_head_on(void **state)
{
	(void)state;
	qp->head = qp->admit = qp->scan = qp->posted = UINT32_MAX - 1;
	shut_out();
	request(WR_READY, OLDEST, 4);
	qp->head++;
	check_blocked(0);
	qp->head--;
	check_blocked(4);
}

/* ---- Nobody lacks anything ---- */

static void ranks_that_are_not_late(void **state)
{
	(void)state;
	shut_out();
	request(WR_READY, OLDEST, 4);
	a.g->ranks[2].next_mid = OLDEST + 1;
	check_blocked(0);
}

static void ranks_of_others(void **state)
{
	(void)state;
	shut_out();
	request(WR_READY, OLDEST, 4);
	alone_qp(&a, 1, 4); /* may post for rank 2 */
	check_blocked(0);
	a.e->qps[1].state = TALLY_QPS_RESET; /* may work again */
	check_blocked(0);
	a.e->qps[1].state = TALLY_QPS_ERROR;
	a.g->had_qp = 4; /* its process may create another */
	check_blocked(0);
	a.g->had_qp = 3;
	check_blocked(4);
}

static void queue_that_does_not_work(void **state)
{
	(void)state;
	shut_out();
	request(WR_READY, OLDEST, 4);
	qp->failing = true;
	check_blocked(0);
	qp->failing = false;
	qp->state = TALLY_QPS_ERROR;
	check_blocked(0);
	qp->state = TALLY_QPS_RTS;
	a.g->state = TALLY_GROUP_COLLECT;
	check_blocked(0);
	a.g->state = TALLY_GROUP_DRAINING;
	check_blocked(4);
}

/* ---- Behind a full window of requests ---- */

/* Rank 0 fills the window of requests from the oldest message on; all but the first have not begun. */
static struct wr *fill(void)
{
	struct wr *head = request(WR_ACTIVE, OLDEST, 1);
	unsigned int i;

	for (i = 1; i < WR_WINDOW; i++)
		request(WR_READY, OLDEST + i, 1);
	a.g->max_segs = 200;
	qp->posted = qp->admit + 1;
	return head;
}

static void nothing_can_be_taken_in(void **state)
{
	(void)state;
	fill();
	check_blocked(4);
}

static void room_for_another_request(void **state)
{
	(void)state;
	fill();
	qp->admit--;
	check_blocked(0);
}

static void nothing_else_is_posted(void **state)
{
	(void)state;
	fill();
	qp->posted--;
	check_blocked(0);
}

static void head_that_needs_nobody(void **state)
{
	struct wr *head = fill();

	(void)state;
	head->state = WR_DONE;
	check_blocked(0);
	head->state = WR_ACTIVE;
	head->w.mid = OLDEST - 1; /* its result is here, whoever is late now */
	check_blocked(0);
	head->w.mid = OLDEST + 1;
	check_blocked(4);
}

/* Whether a request at the head waits for rank 2, if the operation's root is that rank, or 1. */
static void check_head(uint8_t opcode, uint16_t root_node, uint8_t root_rank, uint32_t flags,
		       bool waits)
{
	struct wr *head;

	teardown(NULL);
	setup(NULL);
	head = fill();
	head->w.opcode = opcode;
	head->w.root_node = root_node;
	head->w.root_rank = root_rank;
	head->w.flags = flags;
	head->w.total = opcode != TALLY_OPCODE_BARRIER;
	check_blocked(waits ? 4 : 0);
}

static void heads_that_wait(void **state)
{
	(void)state;
	check_head(TALLY_OPCODE_ALLREDUCE, 0, 0, 0, true);
	check_head(TALLY_OPCODE_ALLREDUCE, 0, 0, TALLY_WQE_F_EMPTY, false);
	check_head(TALLY_OPCODE_BARRIER, 0, 0, 0, true);
	check_head(TALLY_OPCODE_BARRIER, 0, 0, TALLY_WQE_F_EMPTY, false);
	check_head(TALLY_OPCODE_ALLGATHER, 0, 0, 0, true);
	check_head(TALLY_OPCODE_REDUCE_SCATTER, 0, 0, 0, true);
	check_head(TALLY_OPCODE_REDUCE, 0, 0, 0, true);
	check_head(TALLY_OPCODE_REDUCE, 0, 1, 0, false); /* rank 0 gets no result */
	check_head(TALLY_OPCODE_REDUCE, 1, 0, 0, false);
	check_head(TALLY_OPCODE_GATHER, 0, 0, 0, true);
	check_head(TALLY_OPCODE_GATHER, 1, 0, 0, false);
	check_head(TALLY_OPCODE_BCAST, 0, 2, 0, true);
	check_head(TALLY_OPCODE_BCAST, 0, 1, 0, false);
	check_head(TALLY_OPCODE_BCAST, 1, 2, 0, false);
	check_head(TALLY_OPCODE_SCATTER, 0, 2, 0, true);
	check_head(TALLY_OPCODE_SCATTER, 1, 2, 0, false);
	check_head(TALLY_OPCODE_REDUCE_MP, 0, 0, 0, false);
}

static void head_without_elements(void **state)
{
	(void)state;
	fill()->w.total = 0;
	check_blocked(0);
}

static void head_that_is_shut_out(void **state)
{
	struct wr *head = fill();

	(void)state;
	head->state = WR_READY;
	head->w.mid = OLDEST + 1;
	a.g->ranks[0].next_num = 199;
	check_blocked(0);
	a.g->ranks[0].next_num = 200;
	check_blocked(4);
}

static void nothing_is_posted(void **state)
{
	(void)state;
	check_blocked(0);
}

/* ---- Failures of queue pairs ---- */

static void who_else_may_post(void **state)
{
	(void)state;
	assert_int_equal(qp_failure_mute(a.e, a.g, qp, ~0ULL), 7);
	assert_int_equal(qp_failure_mute(a.e, a.g, qp, 0x14), 4);
	alone_qp(&a, 1, 2);
	alone_qp(&a, 2, 4);
	assert_int_equal(qp_failure_mute(a.e, a.g, qp, 7), 1);
	a.e->qps[1].state = TALLY_QPS_ERROR;
	a.e->qps[2].state = TALLY_QPS_RESET;
	assert_int_equal(qp_failure_mute(a.e, a.g, qp, 7), 3);
	assert_int_equal(qp_failure_mute(a.e, a.g, &a.e->qps[2], 7), 0);
}

static void messages_that_never_come(void **state)
{
	struct wr *wr = request(WR_READY, OLDEST + 1, 7);

	(void)state;
	assert_int_equal(qp_failure_skips(a.e, a.g, qp, wr), 4);
	a.g->had_qp = 4;
	assert_int_equal(qp_failure_skips(a.e, a.g, qp, wr), 0);
	a.g->had_qp = 0;
	alone_qp(&a, 1, 4);
	assert_int_equal(qp_failure_skips(a.e, a.g, qp, wr), 0);
	a.g->ranks[1].next_mid = OLDEST;
	assert_int_equal(qp_failure_skips(a.e, a.g, qp, wr), 2);
	wr->w.rank_mask = 1;
	assert_int_equal(qp_failure_skips(a.e, a.g, qp, wr), 0);
}

/* Let a request of ranks 0 and 1 fail. Returns the ranks that the exception names. */
static uint64_t refuse(uint16_t status)
{
	const struct wr wr = { .status = status, .w.rank_mask = 3, .w.mid = 77 };
	uint32_t before = a.g->qp_errors;
	const struct fw_event *ev;
	uint64_t ranks;

	qp_failure_retired(a.e, a.g, qp, wr.status, wr.w.rank_mask, wr.w.mid);
	assert_int_equal(a.g->qp_errors, before + 1);
	ev = alone_exception(&a);
	ranks = ev->ranks;
	if (ranks) {
		assert_int_equal(ev->status, status);
		assert_int_equal(ev->mid, status == TALLY_COLL_WQE_FETCH ? OLDEST : 77);
	}
	alone_forget_events(&a);
	a.g->state = TALLY_GROUP_OPEN;
	return ranks;
}

static void failures_that_end_the_epoch(void **state)
{
	(void)state;
	assert_int_equal(refuse(TALLY_COLL_BAD_OP), 3);
	assert_int_equal(refuse(TALLY_COLL_DMA_ERROR), 3);
	assert_int_equal(refuse(TALLY_COLL_WQE_FETCH), 7);
	assert_int_equal(refuse(TALLY_COLL_TIMEOUT), 0);
	assert_int_equal(refuse(TALLY_COLL_FLUSHED), 0);
	alone_qp(&a, 1, 1);
	assert_int_equal(refuse(TALLY_COLL_BAD_OP), 2);
	alone_qp(&a, 2, 2);
	assert_int_equal(refuse(TALLY_COLL_BAD_OP), 0);
	assert_int_equal(refuse(TALLY_COLL_WQE_FETCH), 4);
}

static void failure_of_an_earlier_epoch(void **state)
{
	const struct wr wr = { .status = TALLY_COLL_BAD_OP, .w.rank_mask = 1 };

	(void)state;
	qp->left_behind = true;
	qp_failure_retired(a.e, a.g, qp, wr.status, wr.w.rank_mask, wr.w.mid);
	assert_int_equal(a.g->qp_errors, 0);
	assert_true(group_alive(a.g));
}

static void queue_overruns(void **state)
{
	(void)state;
	alone_qp(&a, 1, 2);
	qp_failure_queue_failed(a.e, a.g, qp, TALLY_COLL_SQ_OVERRUN);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_SQ_OVERRUN);
	assert_int_equal(alone_exception(&a)->ranks, 5);
	assert_int_equal(alone_exception(&a)->mid, OLDEST);
	alone_forget_events(&a);
	qp_failure_queue_failed(a.e, a.g, qp, TALLY_COLL_SQ_OVERRUN);
	assert_int_equal(alone_exception(&a)->type, TALLY_FW_EV_NONE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(behind_one_that_is_shut_out),
		TEST(nothing_is_behind_yet),
		TEST(ahead_of_one_that_is_shut_out),
		TEST(some_are_ahead_and_some_behind),
		TEST(another_message_is_behind),
		TEST(one_that_has_room),
		TEST(numbers_wrap),
		TEST(messages_wrap),
		TEST(from_the_head_on),
		TEST(ranks_that_are_not_late),
		TEST(ranks_of_others),
		TEST(queue_that_does_not_work),
		TEST(nothing_can_be_taken_in),
		TEST(room_for_another_request),
		TEST(nothing_else_is_posted),
		TEST(head_that_needs_nobody),
		TEST(heads_that_wait),
		TEST(head_without_elements),
		TEST(head_that_is_shut_out),
		TEST(nothing_is_posted),
		TEST(who_else_may_post),
		TEST(messages_that_never_come),
		TEST(failures_that_end_the_epoch),
		TEST(failure_of_an_earlier_epoch),
		TEST(queue_overruns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
