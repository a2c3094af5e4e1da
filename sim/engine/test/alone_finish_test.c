// SPDX-License-Identifier: BSD-2-Clause
/* The end of slots: chunks finish in any order, or are late, and the end of an epoch frees all. */
#include "engine/common.h"
#include "engine/segment.h"
#include "engine/test/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct alone a;
static struct slot *s; /* of chunk 0 */
static struct qp *qp;
static struct wr *wr; /* of ranks 0, 1 and 4, for five INT32 */

static int setup(void **state)
{
	(void)state;
	wr = alone_sum(&a);
	qp = &a.e->qps[0];
	s = slot_of(a.e, a.g, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static void post(void)
{
	assert_true(slot_post(a.e, a.g, qp, wr, 0));
}

static void pump(void)
{
	slot_pump(a.e, a.g, s);
}

/* ---- The end of a chunk ---- */

/* Set the slot of a chunk to which nothing remains to be done. */
static void complete(uint32_t num, bool last)
{
	s = slot_of(a.e, a.g, num);
	*s = (struct slot){ .state = TALLY_SEG_BUSY,
			    .mode = TALLY_MODE_TREE,
			    .num = num,
			    .mid = num + 5,
			    .opcode = TALLY_OPCODE_REDUCE,
			    .op = TALLY_OP_SUM,
			    .count = 4,
			    .total = last ? 4 : 5,
			    .up_complete = true,
			    .posted = 0x13,
			    .delivered = 0x13,
			    .down_expected = true,
			    .down_have = true,
			    .up_edge = EDGE_PARENT,
			    .down_edge = EDGE_PARENT,
			    .stride = 4096 };
}

static void what_a_chunk_waits_for(void **state)
{
	(void)state;
#define UNFINISHED(field, value)                            \
	do {                                                \
		complete(0, true);                          \
		s->field = value;                           \
		pump();                                     \
		assert_int_equal(s->state, TALLY_SEG_BUSY); \
		assert_int_equal(a.g->done, 0);             \
	} while (0)
	a.g->edges[EDGE_PARENT].peer_limit = 0;
	a.g->edges[0].peer_limit = 0;
	UNFINISHED(up_send, true);
	UNFINISHED(up_waiting, true);
	UNFINISHED(out_todo, 1);
	UNFINISHED(out_waiting, 1);
	UNFINISHED(posted, 3);
	UNFINISHED(down_have, false);
	UNFINISHED(down_todo, 1);
	UNFINISHED(down_waiting, 1);
	UNFINISHED(delivering, 1);
#undef UNFINISHED
	complete(0, true);
	s->up_complete = false;
	s->up_contributors = 1;
	pump();
	assert_int_equal(a.g->done, 0);
	s->up_contributors = 0;
	s->down_have = s->down_expected = false;
	s->down_todo = 1; /* no result comes here */
	pump();
	assert_int_equal(a.g->done, 1);
	pump();
	assert_int_equal(a.g->done, 1);
}

/* Chunks may finish in any order; done counts those before the first that has not. */
static void chunks_finish_in_any_order(void **state)
{
	uint16_t seg = a.g->seg[0];

	(void)state;
	a.g->arrivals[6 % TALLY_NUM_ARRIVALS] = (struct arrival){ .used = true, .mid = 6 };
	a.g->edges[1].chunk_sent = 9;
	complete(1, true);
	s->sent[1] = 2;
	pump();
	assert_int_equal(s->state, TALLY_SEG_FINISHED);
	assert_int_equal(a.g->done, 0);
	assert_int_equal(a.g->edges[0].announce_at, NEVER);
	complete(0, false);
	s->sent[1] = 1;
	pump();
	assert_int_equal(a.g->done, 2);
	assert_int_equal(a.g->limit, 6);
	assert_int_equal(a.g->mid_done, 7); /* of message 6 it was the last chunk */
	assert_int_equal(a.g->edges[1].chunk_sent, 6);
	assert_int_equal(a.g->arrivals[6 % TALLY_NUM_ARRIVALS].done_at, a.e->now);
	assert_int_equal(a.g->edges[0].announce_at, a.e->now + 1 * US);
	assert_int_equal(a.e->slots[seg].state, TALLY_SEG_FREE);
	complete(2, false);
	pump();
	assert_int_equal(a.g->mid_done, 7);
}

/* Ranks that are not told otherwise learn of the end of the chunk. */
static void ranks_finish_with_the_chunk(void **state)
{
	(void)state;
	complete(0, true);
	s->down_expected = s->down_have = false;
	s->deliver = 0x12; /* of a result that does not come any more */
	s->delivered = 1;
	for (unsigned int i = 0; i < 5; i++)
		s->by[i] = (struct wr_ref){ 0, wr - qp->wrs };
	pump();
	assert_int_equal(a.g->done, 1);
	assert_int_equal(wr->to_go, 98);
}

/* A chunk that waits for older ones is finished, and nothing more is done for it. */
static void chunk_finishes_once(void **state)
{
	(void)state;
	complete(1, true);
	wr->num = 1;
	s->delivered = 3;
	s->by[4] = (struct wr_ref){ 0, wr - qp->wrs };
	s->down_expected = s->down_have = false;
	s->deliver = 0x10;
	pump();
	pump();
	assert_int_equal(s->state, TALLY_SEG_FINISHED);
	assert_int_equal(wr->to_go, 99);
}

/* A chunk returns the cells of inner rounds when it is finished. */
static void finished_chunk_returns_cells(void **state)
{
	(void)state;
	complete(0, true);
	s->kept = 2;
	s->cells = 1;
	s->partial[1] = 3;
	a.e->shared_used = 1;
	pump();
	assert_int_equal(a.e->shared_used, 0);
	assert_int_equal(a.e->cell_free, 3);
}

/* ---- Time ---- */

static void time_limits_of_chunks(void **state)
{
	(void)state;
	complete(0, true);
	s->started = 1000;
	s->limit = 803;
	assert_int_equal(slot_next(a.g, s), 1000 + 700);
	s->posted = 3;
	assert_int_equal(slot_next(a.g, s), 1000 + 600);
	s->posted = 0x13;
	s->up_contributors = 2;
	assert_int_equal(slot_next(a.g, s), 1000 + 600);
	s->down_todo = 1;
	assert_int_equal(slot_next(a.g, s), 1600);
	s->down_todo = 0;
	s->repair_at = 1599;
	assert_int_equal(slot_next(a.g, s), 1600);
	s->down_todo = 1;
	assert_int_equal(slot_next(a.g, s), 1599);
	s->down_have = false;
	assert_int_equal(slot_next(a.g, s), 1600);
	s->down_have = true;
	s->repair_at = 1601;
	assert_int_equal(slot_next(a.g, s), 1600);
	s->limit = NEVER;
	assert_int_equal(slot_next(a.g, s), 1601);
	s->down_have = false;
	assert_int_equal(slot_next(a.g, s), NEVER);
	s->limit = 803;
	s->state = TALLY_SEG_FINISHED;
	assert_int_equal(slot_next(a.g, s), NEVER);
	s->state = TALLY_SEG_FREE;
	assert_int_equal(slot_next(a.g, s), NEVER);
}

static void late_chunks_end_the_epoch(void **state)
{
	(void)state;
	complete(0, true);
	s->started = a.e->now;
	s->limit = 800;
	a.e->now += 699;
	slot_timer(a.e, a.g, s);
	assert_true(group_alive(a.g));
	a.e->now++;
	slot_timer(a.e, a.g, s);
	assert_false(group_alive(a.g));
	assert_int_equal(alone_exception(&a)->cause, TALLY_FW_CAUSE_TIME_OUT);
}

/* A repair that is due does not hide that the limit has passed. */
static void repairs_and_limits(void **state)
{
	(void)state;
	complete(0, true);
	s->started = a.e->now;
	s->limit = 800;
	s->down_todo = 1;
	s->repair_at = a.e->now + 900;
	a.e->now += 700;
	a.g->edges[0].peer_limit = 0;
	slot_timer(a.e, a.g, s);
	assert_false(group_alive(a.g));
	a.g->state = TALLY_GROUP_OPEN;
	s->repair_at = a.e->now;
	slot_timer(a.e, a.g, s);
	assert_true(group_alive(a.g));
	assert_int_equal(s->repair_at, 0);
	s->repair_at = a.e->now;
	s->down_todo = 0; /* nobody needs it */
	slot_timer(a.e, a.g, s);
	assert_false(group_alive(a.g));
	a.g->state = TALLY_GROUP_OPEN;
	s->repair_at = 0; /* copies are sent already */
	s->down_todo = 1;
	slot_timer(a.e, a.g, s);
	assert_false(group_alive(a.g));
}

/* The group's timer is touched when a slot has something to do earlier. */
static void timer_of_the_slots(void **state)
{
	(void)state;
	post();
	s->limit = 800;
	pump();
	assert_int_equal(a.g->slots_next, a.e->now + 600);
	assert_true(alone_touched(&a, &a.g->timer));
	pump();
	assert_false(alone_touched(&a, &a.g->timer));
	s->limit = 900;
	pump();
	assert_int_equal(a.g->slots_next, a.e->now + 600);
	assert_false(alone_touched(&a, &a.g->timer));
}

/* ---- All slots ---- */

static void slots_are_idle(void **state)
{
	uint32_t num;

	(void)state;
	a.g->done = -2;
	a.g->limit = 2;
	assert_true(slots_idle(a.e, a.g));
	for (num = -2; num != 2; num++) {
		a.g->seg[num % TALLY_MAX_GROUP_SEGS] = num + 2;
		a.e->slots[num + 2].state = TALLY_SEG_BUSY;
		assert_false(slots_idle(a.e, a.g));
		a.e->slots[num + 2].state = TALLY_SEG_FINISHED;
		assert_int_equal(slots_idle(a.e, a.g), num != a.g->done); /* that one waits for the host */
		a.e->slots[0].state = TALLY_SEG_FREE;
		assert_true(slots_idle(a.e, a.g));
	}
	a.e->slots[4].state = TALLY_SEG_BUSY; /* not of this group */
	assert_true(slots_idle(a.e, a.g));
}

static void slots_are_cleared(void **state)
{
	uint32_t num;

	(void)state;
	for (num = 0; num < 4; num++) {
		complete(num, true);
		s->kept = 2;
		s->cells = 1;
		s->partial[1] = num;
	}
	a.e->shared_used = 4;
	slots_clear(a.e, a.g);
	assert_int_equal(a.e->shared_used, 0);
	assert_int_equal(a.g->done, a.g->limit);
	for (num = 0; num < 4; num++)
		assert_int_equal(a.e->slots[num].state, TALLY_SEG_FREE);
	assert_true(slots_idle(a.e, a.g));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_a_chunk_waits_for),
		TEST(chunks_finish_in_any_order),
		TEST(ranks_finish_with_the_chunk),
		TEST(chunk_finishes_once),
		TEST(finished_chunk_returns_cells),
		TEST(time_limits_of_chunks),
		TEST(late_chunks_end_the_epoch),
		TEST(repairs_and_limits),
		TEST(timer_of_the_slots),
		TEST(slots_are_idle),
		TEST(slots_are_cleared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
