// SPDX-License-Identifier: BSD-2-Clause
/* What a group waits for: late ranks, the oldest chunk, and messages of descriptors. */
#include "engine/common.h"
#include "engine/late.h"
#include "engine/segment.h"
#include "engine/test/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct alone a;
static struct qp *qp; /* for ranks 0 and 1 of four */

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	a.g->rank_mask = 15;
	qp = alone_qp(&a, 0, 3);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static struct wr *post(enum wr_state wr_state, uint8_t opcode, uint32_t mid, uint64_t ranks)
{
	return alone_wr(qp, wr_state, opcode, mid, ranks);
}

static void expect_late(uint32_t mid, uint64_t ranks)
{
	assert_int_equal(late_ranks(a.e, a.g, mid), ranks);
}

#define ALLREDUCE TALLY_OPCODE_ALLREDUCE
#define BCAST TALLY_OPCODE_BCAST
#define SCATTER TALLY_OPCODE_SCATTER

/* ---- Late ranks ---- */

static void ranks_that_have_begun(void **state)
{
	(void)state;
	expect_late(0, 15);
	a.g->ranks[0].next_mid = 1;
	a.g->ranks[3].next_mid = 2;
	expect_late(0, 6);
	expect_late(1, 7);
	expect_late(2, 15);
	a.g->rank_mask = 5;
	expect_late(1, 5);
	a.g->ranks[0].next_mid = UINT32_MAX;
	a.g->ranks[2].next_mid = 1;
	expect_late(0, 1);
	expect_late(UINT32_MAX, 1);
	expect_late(UINT32_MAX - 1, 0);
}

static void ranks_that_have_posted(void **state)
{
	(void)state;
	post(WR_READY, ALLREDUCE, 5, 1);
	expect_late(5, 14);
	expect_late(4, 15);
	post(WR_READY, ALLREDUCE, 6, 2);
	expect_late(6, 13);
	post(WR_DONE, ALLREDUCE, 7, 3); /* it is over */
	expect_late(7, 15);
	post(WR_SKIP, ALLREDUCE, 8, 3);
	expect_late(8, 15);
	post(WR_READY, TALLY_OPCODE_REDUCE_MP, 9, 3); /* of no message */
	expect_late(9, 15);
	post(WR_ACTIVE, ALLREDUCE, 10, 3);
	expect_late(10, 12);
	post(WR_ACTIVE, ALLREDUCE, 12, 1); /* of a later message, which has begun */
	post(WR_READY, ALLREDUCE, 11, 2);
	expect_late(11, 13);
}

/* A request behind one that waits for this message never begins. */
static void order_of_requests(void **state)
{
	(void)state;
	post(WR_READY, ALLREDUCE, 5, 1);
	post(WR_READY, ALLREDUCE, 4, 2);
	expect_late(4, 15);
	expect_late(5, 14);
	post(WR_READY, ALLREDUCE, 5, 2);
	expect_late(5, 12);
	alone_qp(&a, 1, 8);
	alone_wr(&a.e->qps[1], WR_READY, ALLREDUCE, 5, 8); /* another queue pair may */
	expect_late(5, 4);
}

static void order_across_the_wrap(void **state)
{
	unsigned int r;

	(void)state;
	for (r = 0; r < 4; r++)
		a.g->ranks[r].next_mid = UINT32_MAX;
	post(WR_READY, ALLREDUCE, UINT32_MAX, 1);
	post(WR_READY, ALLREDUCE, 0, 2);
	expect_late(0, 13);
	expect_late(UINT32_MAX, 14);
}

static void queue_pairs_that_do_not_work(void **state)
{
	(void)state;
	post(WR_READY, ALLREDUCE, 5, 3);
	qp->state = TALLY_QPS_ERROR;
	expect_late(5, 15);
	qp->state = TALLY_QPS_RESET;
	expect_late(5, 15);
	qp->state = TALLY_QPS_RTS;
	qp->failing = true;
	expect_late(5, 15);
	qp->failing = false;
	expect_late(5, 12);
	qp->head++;
	expect_late(5, 15);
}

/* What is posted but not taken in may be anything, unless it can never be taken in. */
static void requests_that_are_not_known(void **state)
{
	struct wr *first;
	unsigned int i;

	(void)state;
	qp->posted = 1;
	expect_late(5, 12);
	qp->posted = 0;
	first = post(WR_ACTIVE, ALLREDUCE, 5, 1);
	for (i = 1; i < WR_WINDOW; i++)
		post(WR_DONE, ALLREDUCE, 4, 1);
	expect_late(6, 15);
	qp->posted++;
	qp->head++; /* there is room, so it is only not taken in yet */
	expect_late(5, 12);
	qp->head--;
	expect_late(6, 12); /* message 5 ends, and then the next request is taken in */
	expect_late(5, 14); /* the oldest waits for it */
	expect_late(4, 15);
	first->w.opcode = BCAST; /* it waits for nobody */
	expect_late(5, 12);
	first->w.opcode = SCATTER;
	expect_late(5, 12);
	first->w.opcode = ALLREDUCE;
	first->state = WR_DONE;
	expect_late(5, 12);
	first->state = WR_READY; /* it may begin */
	expect_late(5, 12);
	first->state = WR_ACTIVE;
	first->w.mid = UINT32_MAX;
	for (i = 0; i < 4; i++)
		a.g->ranks[i].next_mid = UINT32_MAX;
	expect_late(UINT32_MAX, 14);
	expect_late(0, 12);
}

/* One place of the window is free: what is posted will be taken in. */
static void window_that_is_not_full(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < WR_WINDOW - 1; i++)
		post(WR_ACTIVE, ALLREDUCE, 5, 1);
	expect_late(5, 14);
	qp->posted++;
	expect_late(5, 12);
	post(WR_ACTIVE, ALLREDUCE, 5, 1); /* that is taken in, and fills the window */
	expect_late(5, 14);
	qp->posted++;
	expect_late(5, 14);
}

static void messages_that_have_begun(void **state)
{
	(void)state;
	assert_false(late_begun(a.g, 0));
	a.g->ranks[3].next_mid = 1;
	assert_true(late_begun(a.g, 0));
	assert_false(late_begun(a.g, 1));
	a.g->ranks[0].next_mid = 3;
	assert_true(late_begun(a.g, 2));
	assert_false(late_begun(a.g, 3));
	a.g->ranks[4].next_mid = 9; /* of no rank */
	assert_false(late_begun(a.g, 5));
	a.g->ranks[0].next_mid = 0x80000000;
	assert_true(late_begun(a.g, 0x7fffffff));
	a.g->ranks[0].next_mid = a.g->ranks[3].next_mid = 2;
	assert_true(late_begun(a.g, UINT32_MAX));
	a.g->ranks[0].next_mid = a.g->ranks[1].next_mid = UINT32_MAX;
	a.g->ranks[2].next_mid = a.g->ranks[3].next_mid = UINT32_MAX;
	assert_false(late_begun(a.g, 1));
}

/* ---- The oldest chunk ---- */

static void oldest_chunk(void **state)
{
	struct slot *s;

	(void)state;
	assert_null(late_chunk(a.e, a.g));
	s = slot_of(a.e, a.g, 1);
	s->state = TALLY_SEG_BUSY;
	assert_null(late_chunk(a.e, a.g));
	s = slot_of(a.e, a.g, 0);
	s->state = TALLY_SEG_BUSY;
	assert_ptr_equal(late_chunk(a.e, a.g), s);
	s->state = TALLY_SEG_FINISHED;
	assert_null(late_chunk(a.e, a.g));
	s->state = TALLY_SEG_BUSY;
	a.g->limit = 0; /* it has no segment */
	assert_null(late_chunk(a.e, a.g));
	a.g->limit = 4;
	a.g->done = 1;
	assert_ptr_equal(late_chunk(a.e, a.g), slot_of(a.e, a.g, 1));
}

/* Contributors whose data are missing, or that have not acknowledged this node's. */
static void neighbours_of_a_chunk(void **state)
{
	struct slot *s = slot_of(a.e, a.g, 0);

	(void)state;
	alone_children(&a, 8);
	s->state = TALLY_SEG_BUSY;
	s->mode = TALLY_MODE_TREE;
	assert_int_equal(late_contributors(a.g, s), 0);
	s->up_contributors = 1;
	assert_int_equal(late_contributors(a.g, s), 1);
	s->down_waiting = 2;
	s->out_waiting = 4;
	s->out_todo = 8;
	assert_int_equal(late_contributors(a.g, s), 15);
	s->down_todo = 16;
	assert_int_equal(late_contributors(a.g, s), 15);
	s->down_have = true;
	assert_int_equal(late_contributors(a.g, s), 31);
}

/* ---- Descriptors ---- */

static void descriptors_of_all_queue_pairs(void **state)
{
	struct wr *wr;

	(void)state;
	alone_children(&a, 8);
	assert_int_equal(late_messages(a.e, a.g), 0);
	wr = post(WR_ACTIVE, TALLY_OPCODE_REDUCE_MP, 0, 1);
	wr->w.cpcnt = 8;
	qp->counters[0].counted[0] = 0x0f;
	qp->counters[0].count = 4;
	assert_int_equal(late_messages(a.e, a.g), 0xf0);
	alone_qp(&a, 1, 4);
	wr = alone_wr(&a.e->qps[1], WR_ACTIVE, TALLY_OPCODE_REDUCE_MP, 0, 4);
	wr->w.cpcnt = 8;
	a.e->qps[1].counters[0].counted[0] = 0xfe;
	a.e->qps[1].counters[0].count = 7;
	assert_int_equal(late_messages(a.e, a.g), 0xf1);
	qp->head++;
	assert_int_equal(late_messages(a.e, a.g), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(ranks_that_have_begun),
		TEST(ranks_that_have_posted),
		TEST(order_of_requests),
		TEST(order_across_the_wrap),
		TEST(queue_pairs_that_do_not_work),
		TEST(requests_that_are_not_known),
		TEST(window_that_is_not_full),
		TEST(messages_that_have_begun),
		TEST(oldest_chunk),
		TEST(neighbours_of_a_chunk),
		TEST(descriptors_of_all_queue_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
