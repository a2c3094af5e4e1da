// SPDX-License-Identifier: BSD-2-Clause
/* Slots of one node: requests enter them, data are combined, sums and results go on. */
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/pool.h"
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

/* A node with ranks 0, 1 and 4, two children, and a parent of index 64. */
static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 2);
	alone_parent(&a, EDGE_PARENT);
	a.g->rank_mask = 0x13;
	s = slot_of(a.e, a.g, 0);
	qp = alone_qp(&a, 3, 0x13);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* Return a request of ranks for a message of ten INT32 in chunks of three, with inline data. */
static struct wr *request(uint8_t opcode, uint64_t ranks)
{
	struct wr *wr = alone_wr(qp, WR_ACTIVE, opcode, 0, ranks);
	int32_t value = ranks, i;

	wr->begun = 4;
	wr->to_go = 100;
	wr->w.op = opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ?
			   TALLY_OP_SUM :
			   TALLY_OP_NONE;
	wr->w.dtype = TALLY_TYPE_INT32;
	wr->w.elem = wr->w.give = 4;
	wr->w.chunk = 3;
	wr->w.chunks = 4;
	wr->w.count = wr->w.total = 10;
	for (i = 0; i < 10; i++, value++)
		memcpy(wr->w.data + 4 * i, &value, 4);
	return wr;
}

static bool post(struct wr *wr)
{
	return slot_post(a.e, a.g, qp, wr, 0);
}

/* ---- Opening ---- */

static void slot_begins_anew(void **state)
{
	const struct message m = { .mode = TALLY_MODE_TREE,
				   .opcode = TALLY_OPCODE_REDUCE,
				   .op = TALLY_OP_MINLOC,
				   .dtype = TALLY_TYPE_INT64,
				   .root_rank = 4,
				   .root_node = 2,
				   .num = 2,
				   .mid = 5,
				   .sid = 1,
				   .total = 9,
				   .first = 4,
				   .count = 5 };

	(void)state;
	s = slot_of(a.e, a.g, 2);
	memset(s, 0xff, sizeof(*s));
	slot_open(a.e, a.g, s, &m);
	assert_int_equal(s->state, TALLY_SEG_BUSY);
	assert_int_equal(s->mode, TALLY_MODE_TREE);
	assert_int_equal(s->opcode, TALLY_OPCODE_REDUCE);
	assert_int_equal(s->op, TALLY_OP_MINLOC);
	assert_int_equal(s->dtype, TALLY_TYPE_INT64);
	assert_int_equal(s->root_rank, 4);
	assert_int_equal(s->root_node, 2);
	assert_int_equal(s->num, 2);
	assert_int_equal(s->mid, 5);
	assert_int_equal(s->sid, 1);
	assert_int_equal(s->total, 9);
	assert_int_equal(s->first, 4);
	assert_int_equal(s->count, 5);
	assert_int_equal(s->elem, 16);
	assert_int_equal(s->started, a.e->now);
	assert_int_equal(s->limit, a.g->timeout);
	assert_int_equal(s->stride, TALLY_MAX_MTU);
	assert_int_equal(slot_up(s)[0], 0xff); /* that is left as it is */
	assert_int_equal(s->up_ranks, 0x13);
	assert_int_equal(s->up_contributors, 3);
	assert_int_equal(s->posted | s->err_vector | s->fetch | s->cells | s->sent[0], 0);
	assert_false(s->up_filled || s->down_have || s->masked);
	assert_int_equal(a.g->top, 3);
	assert_true(group_alive(a.g));
}

static void newest_chunk_is_noted(void **state)
{
	struct message m = { .mode = TALLY_MODE_TREE, .opcode = TALLY_OPCODE_BARRIER };

	(void)state;
	a.g->top = -2;
	for (m.num = -3; m.num != 2; m.num++) {
		slot_open(a.e, a.g, s, &m);
		assert_int_equal(a.g->top, m.num + 1);
	}
	m.num = -1;
	slot_open(a.e, a.g, s, &m);
	assert_int_equal(a.g->top, 2);
}

/* A chunk that a rank will never post ends the epoch when it opens. */
static void chunk_of_a_rank_that_is_gone(void **state)
{
	struct message m = {
		.mode = TALLY_MODE_TREE, .opcode = TALLY_OPCODE_BARRIER, .num = 1, .mid = 6
	};

	(void)state;
	a.g->gone = 0x10;
	a.g->ranks[4].next_num = 2;
	slot_open(a.e, a.g, s, &m);
	assert_true(group_alive(a.g));
	m.num = 2;
	slot_open(a.e, a.g, s, &m);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_RANK_GONE);
	assert_int_equal(alone_exception(&a)->ranks, 0x10);
	assert_int_equal(alone_exception(&a)->mid, 6);
}

/* ---- Combination ---- */

static void data_are_combined(void **state)
{
	const struct span sp = { 2, 4, 0 };
	const int32_t one[] = { 5, 6 }, two[] = { 100, 200 };
	int32_t *sum;

	(void)state;
	*s = (struct slot){ .mode = TALLY_MODE_TREE,
			    .opcode = TALLY_OPCODE_REDUCE,
			    .op = TALLY_OP_SUM,
			    .dtype = TALLY_TYPE_INT32,
			    .first = 2,
			    .count = 2,
			    .elem = 4,
			    .stride = 4096 };
	sum = (int32_t *)slot_up(s);
	slot_combine(a.e, a.g, s, (struct span){ 2, 2, 0 }, NULL);
	assert_false(s->up_filled);
	slot_combine(a.e, a.g, s, sp, one);
	assert_true(s->up_filled);
	assert_int_equal(sum[0], 5);
	assert_int_equal(a.counters[TALLY_CTR_alu_words], 0);
	slot_combine(a.e, a.g, s, sp, two);
	assert_int_equal(sum[0], 105);
	assert_int_equal(sum[1], 206);
	assert_int_equal(a.counters[TALLY_CTR_alu_words], 1);
	s->opcode = TALLY_OPCODE_GATHER;
	slot_combine(a.e, a.g, s, (struct span){ 3, 4, 0 }, one);
	assert_int_equal(sum[0], 105);
	assert_int_equal(sum[1], 5);
	assert_int_equal(a.counters[TALLY_CTR_alu_words], 1);
}

static void events_are_collected(void **state)
{
	const float large = 3e38f;

	(void)state;
	*s = (struct slot){ .mode = TALLY_MODE_TREE,
			    .opcode = TALLY_OPCODE_REDUCE,
			    .op = TALLY_OP_SUM,
			    .dtype = TALLY_TYPE_FP32,
			    .count = 1,
			    .elem = 4,
			    .stride = 4096,
			    .err_vector = 0x8000 };
	slot_combine(a.e, a.g, s, (struct span){ 0, 1, 0 }, &large);
	slot_combine(a.e, a.g, s, (struct span){ 0, 1, 0 }, &large);
	assert_int_equal(s->err_vector & (0x8000 | TALLY_ERR_FP_OVERFLOW),
			 0x8000 | TALLY_ERR_FP_OVERFLOW);
}

static void ranks_contribute_once(void **state)
{
	const int32_t data[] = { 1, 2, 3, 4 };

	(void)state;
	assert_true(post(request(TALLY_OPCODE_ALLREDUCE, 1)));
	slot_contribute(a.e, a.g, s, 4, data);
	assert_int_equal(s->up_ranks, 3);
	slot_contribute(a.e, a.g, s, 4, data);
	slot_contribute(a.e, a.g, s, 5, data);
	assert_int_equal(s->up_ranks, 3);
	slot_contribute(a.e, a.g, s, 1, data);
	assert_int_equal(s->up_ranks, 1);
	assert_int_equal(((int32_t *)slot_up(s))[2], 6);
	assert_int_equal(a.counters[TALLY_CTR_alu_words], 1);
}

/* ---- Requests ---- */

static void requests_enter_slots(void **state)
{
	struct wr *wr = request(TALLY_OPCODE_REDUCE, 0x11),
		  *other = request(TALLY_OPCODE_REDUCE, 2);
	struct slot *last;

	(void)state;
	pool_advance(a.e, a.g);
	last = slot_of(a.e, a.g, 4);
	wr->num = other->num = 1;
	wr->w.mid = other->w.mid = 7;
	wr->w.count = other->w.count = 9;
	wr->w.root_node = other->w.root_node = 3;
	wr->w.root_rank = other->w.root_rank = 9;
	assert_true(slot_post(a.e, a.g, qp, wr, 3));
	assert_int_equal(last->state, TALLY_SEG_BUSY);
	assert_int_equal(last->num, 4);
	assert_int_equal(last->mid, 7);
	assert_int_equal(last->sid, 3);
	assert_int_equal(last->first, 9);
	assert_int_equal(last->count, 1);
	assert_int_equal(last->total, 10);
	assert_int_equal(last->root_node, 3);
	assert_int_equal(last->root_rank, 9);
	assert_int_equal(last->posted, 0x11);
	assert_int_equal(last->fetch, 0x11);
	assert_int_equal(last->by[4].wr, wr - qp->wrs);
	assert_int_equal(last->by[4].qp, 3);
	assert_int_equal(last->limit, a.g->timeout);
	assert_true(slot_post(a.e, a.g, qp, other, 3));
	assert_int_equal(last->posted, 0x13);
	assert_int_equal(last->by[1].wr, other - qp->wrs);
	assert_int_equal(last->by[4].wr, wr - qp->wrs);
	assert_int_equal(slot_missing_ranks(a.g, last), 0);
	assert_int_equal(a.g->arrivals[7].ranks, 0);
	assert_true(slot_post(a.e, a.g, qp, wr, 0));
	assert_int_equal(a.g->arrivals[7].ranks, 0x11);
	assert_int_equal(a.g->arrivals[7].contributors, 0);
	assert_int_equal(slot_of(a.e, a.g, 1)->first, 0);
	assert_int_equal(slot_of(a.e, a.g, 1)->count, 3);
	assert_int_equal(slot_missing_ranks(a.g, slot_of(a.e, a.g, 1)), 2);
}

static void last_chunk_is_shorter(void **state)
{
	struct wr *wr = request(TALLY_OPCODE_ALLREDUCE, 1);

	(void)state;
	wr->w.chunk = 2;
	wr->w.chunks = 5;
	wr->w.count = wr->w.total = 9;
	assert_true(slot_post(a.e, a.g, qp, wr, 3));
	assert_int_equal(slot_of(a.e, a.g, 3)->first, 6);
	assert_int_equal(slot_of(a.e, a.g, 3)->count, 2); /* of three */
	pool_advance(a.e, a.g);
	assert_true(slot_post(a.e, a.g, qp, wr, 4));
	assert_int_equal(slot_of(a.e, a.g, 4)->count, 1);
}

/* Only ranks that give data are asked for them, and only once. */
static void who_is_asked_for_data(void **state)
{
	struct wr *wr = request(TALLY_OPCODE_BCAST, 0x13);

	(void)state;
	wr->w.root_rank = 4;
	assert_true(post(wr));
	assert_int_equal(s->fetch, 0x10);
	s->state = TALLY_SEG_FREE;
	wr = request(TALLY_OPCODE_BCAST, 0x13);
	wr->w.root_node = 1;
	assert_true(post(wr));
	assert_int_equal(s->fetch, 0);
	s->state = TALLY_SEG_FREE;
	assert_true(post(request(TALLY_OPCODE_ALLREDUCE, 1)));
	s->up_ranks = 0;
	s->fetch = 0;
	assert_true(post(request(TALLY_OPCODE_ALLREDUCE, 2)));
	assert_int_equal(s->fetch, 0);
}

static void limits_of_requests(void **state)
{
	struct wr *wr = request(TALLY_OPCODE_ALLREDUCE, 1);

	(void)state;
	wr->w.timeout = 2 * a.g->timeout;
	assert_true(post(wr));
	assert_int_equal(s->limit, a.g->timeout);
	wr = request(TALLY_OPCODE_ALLREDUCE, 2);
	wr->w.timeout = 7;
	assert_true(post(wr));
	assert_int_equal(s->limit, 7);
}

static void requests_that_disagree(void **state)
{
	struct wr *wr = request(TALLY_OPCODE_ALLREDUCE, 0x12);

	(void)state;
	assert_true(post(request(TALLY_OPCODE_ALLREDUCE, 1)));
	wr->w.total = 11;
	wr->w.node_mask = 3; /* the mask disagrees, too */
	assert_false(post(wr));
	assert_int_equal(s->posted, 1);
	assert_int_equal(s->err_vector, TALLY_ERR_MISMATCH);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_COUNT_MISMATCH);
	assert_int_equal(alone_exception(&a)->contributors, 0);
	assert_int_equal(alone_exception(&a)->ranks, 0x12);
	assert_int_equal(alone_exception(&a)->cause, TALLY_FW_CAUSE_KNOWN);
	assert_false(post(request(TALLY_OPCODE_ALLREDUCE, 0x12))); /* the group is frozen */
	assert_int_equal(s->posted, 1);
}

static void place_of_a_disagreement(void **state)
{
	(void)state;
	s->mid = 5;
	s->sid = 6;
	s->err_vector = 2;
	slot_disagree(a.e, a.g, s, TALLY_COLL_OP_MISMATCH, 2, 8);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_OP_MISMATCH);
	assert_int_equal(alone_exception(&a)->contributors, 2);
	assert_int_equal(alone_exception(&a)->ranks, 8);
	assert_int_equal(alone_exception(&a)->mid, 5);
	assert_int_equal(alone_exception(&a)->sid, 6);
	assert_int_equal(s->err_vector, 2 | TALLY_ERR_MISMATCH);
}

/* ---- Participation ---- */

static struct wr *masked(uint64_t ranks, uint64_t children, uint32_t flags)
{
	struct wr *wr = request(TALLY_OPCODE_ALLREDUCE, ranks);

	wr->w.node_mask = children;
	wr->w.flags |= flags;
	return wr;
}

static void children_are_left_out(void **state)
{
	(void)state;
	assert_true(post(masked(1, 2, 0)));
	assert_int_equal(s->up_contributors, 2);
	assert_int_equal(s->down_todo, 2);
	assert_int_equal(s->held[3].level, 0); /* this sum has no shape */
	s->down_todo = 3;		       /* a later request of the message changes nothing */
	assert_true(post(masked(2, 2, 0)));
	assert_int_equal(s->down_todo, 3);
	assert_false(post(masked(0x10, 3, 0)));
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_MASK_MISMATCH);
	assert_int_equal(alone_exception(&a)->ranks, 0x10);
}

/* Data of a child that is left out are in the sum already. */
static void child_left_out_too_late(void **state)
{
	struct wr *wr = masked(1, 2, 0), *late = masked(2, 2, 0);

	(void)state;
	wr->w.op = late->w.op = TALLY_OP_MAX;
	assert_true(post(wr));
	s->masked = false; /* as if packets had opened the slot */
	s->up_contributors = 3;
	assert_true(post(late));
	s->masked = false;
	s->up_contributors = 2; /* those of child 0 have come */
	assert_false(post(late));
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_MASK_MISMATCH);
}

/* Data of a child are no mistake if nothing is reduced. */
static void child_left_out_of_a_broadcast(void **state)
{
	struct wr *wr = request(TALLY_OPCODE_BCAST, 0x13);

	(void)state;
	wr->w.root_node = 3;
	wr->w.node_mask = 2;
	assert_true(post(wr));
	assert_int_equal(s->up_contributors, 0);
	assert_int_equal(s->down_todo, 2);
	assert_true(group_alive(a.g));
}

static void ranks_take_no_part(void **state)
{
	(void)state;
	assert_true(post(masked(0x12, 3, TALLY_WQE_F_EMPTY)));
	assert_int_equal(s->empty, 0x12);
	assert_int_equal(s->up_ranks, 1);
	assert_int_equal(s->deliver, 1);
	assert_int_equal(s->posted, 0x12);
	assert_int_equal(s->fetch, 0);
	assert_int_equal(s->up_contributors, 3);
	assert_false(slot_stands_aside(a.g, s));
}

/* In a fixed shape those that take no part are inputs without data. */
static void shape_without_some_inputs(void **state)
{
	(void)state;
	a.g->flags = TALLY_GROUP_F_ORDERED;
	assert_true(post(masked(0x11, 2, TALLY_WQE_F_EMPTY)));
	assert_int_equal(s->held[0].level, 1); /* ranks 0 and 4 are the inputs 0 and 2 */
	assert_int_equal(s->held[0].cell, ABSENT);
	assert_int_equal(s->held[2].level, 2); /* child 0, input 3, went up together with rank 4 */
	assert_int_equal(s->held[2].cell, ABSENT);
	assert_int_equal(s->held[1].level | s->held[3].level | s->held[4].level, 0);
	assert_int_equal(s->held[5].level, 0); /* there is no such input */
	assert_int_equal(s->cells, 0);
	assert_true(post(masked(2, 2, 0)));
	slot_pump(a.e, a.g, s);
	assert_int_equal(s->up_ranks, 0);
	assert_int_equal(s->cells, 1);
	assert_int_equal(s->held[0].level, 3); /* alone of the first four it waits for the last */
	assert_int_equal(s->held[0].cell, 1);
}

static void shape_without_the_last_child(void **state)
{
	(void)state;
	a.g->flags = TALLY_GROUP_F_ORDERED;
	assert_true(post(masked(0x11, 1, TALLY_WQE_F_EMPTY)));
	assert_int_equal(s->held[0].level, 1);
	assert_int_equal(s->held[2].level, 1);
	assert_int_equal(s->held[4].level, 3); /* it went up alone */
	assert_int_equal(s->held[4].cell, ABSENT);
}

/* Neighbours that are no children are no inputs of a sum, nor of a round of EXCHANGE. */
static void neighbours_that_give_nothing(void **state)
{
	struct wr *wr = masked(1, 2, 0);
	unsigned int i;

	(void)state;
	a.g->flags = TALLY_GROUP_F_ORDERED;
	a.g->children = 2;
	assert_true(post(wr));
	assert_int_equal(s->held[3].level, 1);
	assert_int_equal(s->held[3].cell, ABSENT);
	assert_int_equal(s->held[4].level, 0);
	a.g->modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE;
	a.g->round[0].parts = 3;
	wr->w.mode = TALLY_MODE_EXCHANGE;
	wr->num = wr->w.mid = 1;
	s = slot_of(a.e, a.g, 1);
	assert_true(post(wr));
	for (i = 0; i < MAX_INPUTS; i++)
		assert_int_equal(s->held[i].level, 0);
}

/* Blocks that do not come are zero, and not what was in the slot before. */
static void blocks_begin_as_zero(void **state)
{
	const struct message m = {
		.mode = TALLY_MODE_RING,
		.opcode = TALLY_OPCODE_ALLGATHER,
		.dtype = TALLY_TYPE_INT16,
		.total = 8,
		.count = 8,
	};

	(void)state;
	memset(s, 0xff, sizeof(*s));
	slot_open(a.e, a.g, s, &m);
	assert_int_equal(slot_up(s)[0] | slot_up(s)[15], 0);
	assert_int_equal(slot_up(s)[16], 0xff);
}

/* Let all ranks post the chunk as EMPTY, one after the other. */
static void post_empty(uint64_t children)
{
	static const uint64_t ranks[] = { 1, 2, 0x10 };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		assert_int_equal(a.g->done, 0);
		assert_true(post(masked(ranks[i], children, TALLY_WQE_F_EMPTY)));
		slot_pump(a.e, a.g, s);
	}
	assert_int_equal(a.sent, 0);
}

/* If neither ranks nor children take part, nothing is sent, and nothing awaited. */
static void node_steps_aside(void **state)
{
	(void)state;
	post_empty(0);
	assert_true(slot_stands_aside(a.g, s));
	assert_int_equal(a.g->done, 1);
	assert_int_equal(a.g->mid_done, 0); /* more chunks of the message follow */
}

static void child_takes_part(void **state)
{
	(void)state;
	post_empty(1);
	assert_int_equal(a.g->done, 0);
	assert_int_equal(s->up_contributors, 1);
	assert_true(s->up_send && s->down_expected);
	assert_false(slot_stands_aside(a.g, s));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(slot_begins_anew),
		TEST(newest_chunk_is_noted),
		TEST(chunk_of_a_rank_that_is_gone),
		TEST(data_are_combined),
		TEST(events_are_collected),
		TEST(ranks_contribute_once),
		TEST(requests_enter_slots),
		TEST(last_chunk_is_shorter),
		TEST(who_is_asked_for_data),
		TEST(limits_of_requests),
		TEST(requests_that_disagree),
		TEST(place_of_a_disagreement),
		TEST(children_are_left_out),
		TEST(child_left_out_too_late),
		TEST(child_left_out_of_a_broadcast),
		TEST(ranks_take_no_part),
		TEST(shape_without_some_inputs),
		TEST(shape_without_the_last_child),
		TEST(neighbours_that_give_nothing),
		TEST(blocks_begin_as_zero),
		TEST(node_steps_aside),
		TEST(child_takes_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
