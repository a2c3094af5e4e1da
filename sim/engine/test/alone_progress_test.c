// SPDX-License-Identifier: BSD-2-Clause
/* Progress of slots: sums go up, results come down and reach ranks, chunks finish or are late. */
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/segment.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct alone a;
static struct slot *s; /* of chunk 0 */
static struct qp *qp;
static struct wr *wr; /* of ranks 0, 1 and 4, for four INT32 */

/* A node with three ranks, two children, and a parent of index 64. */
static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 2);
	alone_parent(&a, EDGE_PARENT);
	a.g->rank_mask = 0x13;
	s = slot_of(a.e, a.g, 0);
	qp = alone_qp(&a, 0, 0x13);
	wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 0, 0x13);
	wr->begun = 1;
	wr->to_go = 100;
	wr->w.op = TALLY_OP_SUM;
	wr->w.dtype = TALLY_TYPE_INT32;
	wr->w.elem = wr->w.give = 4;
	wr->w.chunk = wr->w.count = wr->w.total = 4;
	wr->w.node_mask = 3;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static void be_root(void)
{
	a.g->parent = NO_EDGE;
	a.g->flags |= TALLY_GROUP_F_ROOT;
}

static void post(void)
{
	assert_true(slot_post(a.e, a.g, qp, wr, 0));
}

static void pump(void)
{
	slot_pump(a.e, a.g, s);
}

/* Let the data of the children arrive, as they do in packets. */
static void children_give(int32_t value)
{
	const int32_t data[] = { value, value, value, value };

	slot_combine(a.e, a.g, s, (struct span){ 0, 4, 0 }, data);
	s->up_contributors = 0;
}

static void acknowledged(unsigned int idx, uint8_t kind)
{
	const struct acked acked = { .kind = kind };

	slot_tx_acked(a.e, a.g, idx, &acked);
}

/* ---- Sums ---- */

static void sum_goes_up(void **state)
{
	struct edge *parent = &a.g->edges[EDGE_PARENT];
	int32_t sum[4];

	(void)state;
	memcpy(wr->w.data, &(int32_t){ 7 }, 4);
	post();
	pump();
	assert_int_equal(s->up_ranks | s->fetch, 0);
	assert_int_equal(s->cells | a.e->cell_fresh, 0);
	assert_int_equal(a.sent, 0);
	assert_false(s->up_complete);
	parent->peer_limit = 0;
	children_give(100);
	pump();
	assert_true(s->up_complete && s->up_send);
	assert_int_equal(a.sent, 0);
	parent->peer_limit = 1;
	pump();
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_REDUCE);
	assert_int_equal(a.len, 16);
	memcpy(sum, a.payload, 16);
	assert_int_equal(sum[0], 3 * 7 + 100);
	assert_int_equal(sum[1], 100);
	assert_true(s->up_waiting);
	assert_false(s->up_send || s->down_have);
	pump();
	assert_int_equal(a.sent, 1);
	acknowledged(EDGE_PARENT, TALLY_KIND_REDUCE);
	assert_false(s->up_waiting);
	assert_int_equal(wr->to_go, 100);
}

/* At the root the sum is the result. */
static void sum_turns(void **state)
{
	int32_t sum[4];

	(void)state;
	be_root();
	memcpy(wr->w.data, &(int32_t){ 7 }, 4);
	post();
	pump();
	assert_false(s->down_have);
	a.g->edges[0].peer_limit = 0;
	children_give(100);
	pump();
	assert_true(s->down_have);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_RESULT);
	memcpy(sum, a.payload, 16);
	assert_int_equal(sum[0], 121);
	assert_int_equal(sum[3], 100);
	assert_memory_equal(slot_down(s), sum, 16);
	assert_int_equal(s->down_todo, 1);
	assert_int_equal(s->down_waiting, 2);
	assert_int_equal(s->delivered, 0x13);
	assert_int_equal(wr->to_go, 97);
	a.g->edges[0].peer_limit = 1;
	pump();
	assert_int_equal(a.sent, 2);
	assert_int_equal(s->down_waiting, 3);
	assert_int_equal(a.counters[TALLY_CTR_mcast_repaired], 0);
	acknowledged(0, TALLY_KIND_RESULT);
	assert_int_equal(s->down_waiting, 2);
	pump();
	assert_int_equal(a.g->done, 0);
	acknowledged(1, TALLY_KIND_RESULT);
	pump();
	assert_int_equal(a.g->done, 1);
	assert_int_equal(a.g->mid_done, 1);
	assert_int_equal(a.sent, 2);
}

static void average_is_scaled_once(void **state)
{
	(void)state;
	be_root();
	wr->w.op = TALLY_OP_AVG;
	wr->w.dtype = TALLY_TYPE_FP32;
	post();
	s->up_ranks = s->fetch = 0;
	s->err_vector = 0x8000;
	for (unsigned int i = 0; i < 4; i++)
		((float *)slot_up(s))[i] = i ? 6 : 1e-45f;
	s->up_contributors = 0;
	pump();
	pump();
	assert_true(((float *)slot_down(s))[3] == 1.5f);
	assert_true(s->err_vector & TALLY_ERR_FP_UNDERFLOW);
	assert_true(s->err_vector & 0x8000);
}

/* ---- Data of ranks ---- */

static void data_are_read(void **state)
{
	(void)state;
	wr->w.num_gather = 3;
	wr->w.gather[2].addr = 0x1000;
	post();
	pump();
	assert_int_equal(a.reads, 3);
	assert_int_equal(a.read[2].sge.addr, 0x1000);
	assert_int_equal(a.read[2].sge.length, 16);
	assert_int_equal(s->fetch, 0);
	assert_int_equal(s->up_ranks, 0x13);
	pump();
	assert_int_equal(a.reads, 3);
}

/* In a fixed shape a rank without a cell waits, and those behind it, too. */
static void data_wait_for_cells(void **state)
{
	(void)state;
	a.g->flags = TALLY_GROUP_F_ORDERED;
	a.g->mtu = 4096;
	wr->w.chunk = wr->w.count = wr->w.total = 1024; /* too long for the slot */
	wr->w.num_gather = 3;
	post();
	assert_false(s->inputs_inside);
	a.e->cells_reserved = TALLY_RMQ_CELLS - 1;
	pump();
	assert_int_equal(a.reads, 1);
	assert_int_equal(s->fetch, 0x12);
	a.e->cells_reserved = 0;
	pump();
	assert_int_equal(a.reads, 3);
	assert_int_equal(s->fetch, 0);
}

/* ---- Results of ranks ---- */

/* Ranks get the result when they have posted the chunk, and each once. */
static void ranks_get_results(void **state)
{
	struct wr *late = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 0, 0x10);

	(void)state;
	wr->w.rank_mask = 3;
	wr->w.num_result = 1;
	post();
	s->up_ranks = s->up_contributors = s->fetch = 0;
	s->up_complete = s->down_have = true;
	s->up_send = false;
	s->down_todo = 0;
	s->err_vector = 0x20;
	pump();
	assert_int_equal(a.writes, 2);
	assert_int_equal(s->delivering, 3);
	assert_int_equal(s->deliver, 0x10);
	pump();
	assert_int_equal(a.writes, 2);
	slot_delivered(a.e, s, 1);
	assert_int_equal(s->delivering, 1);
	assert_int_equal(s->delivered, 2);
	assert_int_equal(wr->to_go, 99);
	assert_int_equal(wr->err_vector, 0x20);
	slot_delivered(a.e, s, 0);
	pump();
	assert_int_equal(a.g->done, 0);
	late->w = wr->w;
	late->w.rank_mask = 0x10;
	late->w.num_result = 0;
	late->begun = 1;
	late->to_go = 9;
	assert_true(slot_post(a.e, a.g, qp, late, 0));
	pump();
	assert_int_equal(s->delivered, 0x13);
	assert_int_equal(late->to_go, 8);
	assert_int_equal(wr->to_go, 98);
	assert_int_equal(a.g->done, 1);
}

/* A rank that gets nothing is finished once its data are here. */
static void ranks_that_only_give(void **state)
{
	(void)state;
	wr->w.opcode = TALLY_OPCODE_REDUCE;
	wr->w.root_node = 9;
	wr->w.num_gather = 3;
	post();
	pump();
	assert_int_equal(s->delivered, 0);
	s->up_ranks = 0x10;
	pump();
	assert_int_equal(s->delivered, 3);
	assert_int_equal(wr->to_go, 98);
	s->up_ranks = 0;
	pump();
	assert_int_equal(s->delivered, 0x13);
	assert_int_equal(wr->to_go, 97);
	pump();
	assert_int_equal(wr->to_go, 97);
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
		TEST(sum_goes_up),
		TEST(sum_turns),
		TEST(average_is_scaled_once),
		TEST(data_are_read),
		TEST(data_wait_for_cells),
		TEST(ranks_get_results),
		TEST(ranks_that_only_give),
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
