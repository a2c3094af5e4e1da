// SPDX-License-Identifier: BSD-2-Clause
/* Contributions, results and queries of neighbours, which enter slots or are compared with them. */
#include "engine/common.h"
#include "engine/segment.h"
#include "engine/segment_rx.h"
#include "engine/test/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct alone a;
static struct tch t; /* chunk 0 of message 0: an ALLREDUCE of three INT32 */
static int32_t data[1024];

/* Two children, a parent of index 64, and chunks 0 to 3 in the window. */
static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 2);
	alone_parent(&a, EDGE_PARENT);
	t = alone_chunk(TALLY_KIND_REDUCE, 3);
	data[0] = 10;
	data[2] = 12;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static struct slot *slot(uint32_t num)
{
	return slot_of(a.e, a.g, num);
}

static void arrive(unsigned int idx, enum rx_verdict verdict)
{
	assert_int_equal(slot_packet(a.e, a.g, idx, &t, data, t.count * 4), verdict);
}

static void check_dropped(enum tally_counter counter, unsigned int times)
{
	assert_int_equal(a.counters[counter], times);
	assert_true(group_alive(a.g));
}

/* Check that the epoch has ended, and what for; then let it live again. */
static void check_end(uint16_t status, uint64_t contributors)
{
	const struct fw_event *ev = alone_exception(&a);

	assert_int_equal(ev->status, status);
	assert_int_equal(ev->contributors, contributors);
	assert_int_equal(ev->ranks, 0);
	assert_int_equal(ev->mid, t.mid);
	assert_int_equal(ev->sid, t.sid);
	alone_forget_events(&a);
	a.g->state = TALLY_GROUP_OPEN;
}

/* ---- Contributions ---- */

static void contributions_enter(void **state)
{
	struct slot *s = slot(0);

	(void)state;
	a.g->edges[1].round = 2; /* in EXCHANGE */
	t.err_vector = 0x40;
	arrive(1, RX_STORED);
	assert_int_equal(s->state, TALLY_SEG_BUSY);
	assert_int_equal(s->up_contributors, 1);
	assert_int_equal(s->err_vector, 0x40);
	assert_true(s->up_filled);
	assert_memory_equal(slot_up(s), data, 12);
	assert_int_equal(a.g->arrivals[0].contributors, 2);
	assert_int_equal(a.g->arrivals[0].last, TALLY_MAX_RANKS + 1);
	t.err_vector = 0x4;
	arrive(0, RX_STORED);
	assert_int_equal(s->up_contributors, 0);
	assert_int_equal(s->err_vector, 0x44);
	assert_int_equal(((int32_t *)slot_up(s))[2], 24);
	assert_int_equal(a.sent, 0);
	check_dropped(TALLY_CTR_drop_slot, 0);
	arrive(1, RX_DROP); /* once more, with another number */
	check_dropped(TALLY_CTR_drop_slot, 1);
	assert_int_equal(((int32_t *)slot_up(s))[2], 24);
}

/* The window has a beginning and an end. */
static void contributions_within_the_window(void **state)
{
	(void)state;
	a.g->done = -1;
	a.g->limit = 3;
	t.num = t.mid = -2;
	arrive(0, RX_STORED); /* done: it is acknowledged */
	t.num = t.mid = 3;
	arrive(0, RX_DROP);
	check_dropped(TALLY_CTR_drop_window, 1);
	assert_int_equal(slot(2)->state, TALLY_SEG_FREE);
	t.num = t.mid = 2;
	arrive(0, RX_STORED);
	assert_int_equal(slot(2)->state, TALLY_SEG_BUSY);
	check_dropped(TALLY_CTR_drop_window, 1);
	check_dropped(TALLY_CTR_drop_slot, 0);
}

static void impossible_contributions(void **state)
{
	(void)state;
	t.count = 2; /* it is not the last chunk */
	arrive(0, RX_DROP);
	check_dropped(TALLY_CTR_drop_tch, 1);
	t.count = 3;
	assert_int_equal(slot_packet(a.e, a.g, 0, &t, data, 11), RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 1);
	assert_int_equal(slot(0)->up_contributors, 3);
	t.round = 1;
	arrive(0, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 2);
	t.round = 0;
	arrive(EDGE_PARENT, RX_DROP); /* the parent gives nothing to a sum */
	check_dropped(TALLY_CTR_drop_slot, 3);
	slot(0)->state = TALLY_SEG_FINISHED;
	arrive(0, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 4);
	slot(0)->state = TALLY_SEG_BUSY;
	arrive(0, RX_STORED);
	check_dropped(TALLY_CTR_drop_tch, 1);
}

/* The chunk must be that of the slot in num, mid and sid; what else differs is a disagreement. */
static void chunks_are_compared(void **state)
{
	struct slot *s = slot(0);

	(void)state;
	arrive(0, RX_STORED);
	t.dtype = TALLY_TYPE_UINT32;
	arrive(1, RX_DROP);
	assert_int_equal(s->err_vector, TALLY_ERR_MISMATCH);
	check_end(TALLY_COLL_TYPE_MISMATCH, 2);
	t.mid = 1; /* of another message: it is dropped */
	arrive(1, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 1);
	t.mid = 0;
	t.dtype = TALLY_TYPE_INT32;
	s->num = TALLY_MAX_GROUP_SEGS;
	arrive(1, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 2);
	s->num = 0;
	s->first = 1;
	arrive(1, RX_DROP);
	check_end(TALLY_COLL_CHUNK_MISMATCH, 2);
	assert_int_equal(s->up_contributors, 2);
}

/* A frozen group takes nothing. */
static void chunk_of_a_rank_that_is_gone(void **state)
{
	(void)state;
	a.g->gone = 1;
	arrive(1, RX_DROP);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_RANK_GONE);
	assert_int_equal(slot(0)->up_contributors, 3);
}

static void longest_contribution(void **state)
{
	(void)state;
	a.g->mtu = 1024;
	a.g->modes = TALLY_MODES_EXCHANGE;
	a.g->chunk = 12;
	t.flags |= TALLY_TCH_F_EXCHANGE;
	t.op = TALLY_OP_MINLOC;
	t.count = t.total = 2; /* 16 bytes */
	t.num = 1;
	t.mid = 7;
	arrive(1, RX_DROP);
	check_end(TALLY_COLL_CHUNK_MISMATCH, 2);
	assert_int_equal(slot(1)->state, TALLY_SEG_FREE);
	t.op = TALLY_OP_MAX;
	t.count = 3;
	t.total = 7;
	t.flags = TALLY_TCH_F_EXCHANGE;
	arrive(1, RX_DROP); /* it gives nothing in EXCHANGE */
	check_dropped(TALLY_CTR_drop_slot, 1);
	assert_int_equal(slot(1)->state, TALLY_SEG_BUSY);
	t.opcode = TALLY_OPCODE_ALLGATHER;
	t.op = TALLY_OP_NONE;
	t.count = 4; /* what is not reduced may be longer */
	t.total = 8;
	t.num = 2;
	arrive(1, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 2);
}

static void rounds_of_contributions(void **state)
{
	(void)state;
	a.g->modes = TALLY_MODES_EXCHANGE;
	a.g->exchange_ins = 3;
	a.g->rounds = 2;
	a.g->round[0].parts = 1;
	a.g->round[1] = (struct round){ .ins = 1, .parts = 2, .base = 1 };
	a.g->round[2] = (struct round){ .ins = 2, .parts = 2, .base = 3 };
	a.g->edges[0].round = 1;
	a.g->edges[1].round = 2;
	a.g->edges[0].position = a.g->edges[1].position = 1;
	t.flags |= TALLY_TCH_F_EXCHANGE;
	t.round = 1;
	arrive(1, RX_DROP);
	t.round = 0;
	arrive(1, RX_DROP);
	t.round = 2;
	arrive(0, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 3);
	arrive(1, RX_STORED);
	t.round = 1;
	arrive(0, RX_STORED);
	assert_int_equal(slot(0)->up_contributors, 0);
}

/* In a fixed shape a contribution needs a cell. */
static void contributions_wait_for_cells(void **state)
{
	struct slot *s = slot(0);

	(void)state;
	a.g->flags = TALLY_GROUP_F_ORDERED;
	t.count = t.total = 1024;
	t.err_vector = 1;
	a.e->cells_reserved = TALLY_RMQ_CELLS;
	arrive(1, RX_BUSY);
	assert_int_equal(s->up_contributors, 3);
	assert_int_equal(s->err_vector, 0);
	assert_int_equal(a.g->arrivals[0].contributors, 0);
	a.e->cells_reserved--;
	arrive(1, RX_STORED);
	assert_int_equal(s->up_contributors, 1);
	assert_int_equal(s->err_vector, 1);
	assert_int_equal(s->cells, 1);
	assert_int_equal(s->held[2].level, 2); /* rank 0, child 0; child 1 went up alone */
	assert_false(s->up_filled);
}

/* ---- Results ---- */

static void results_enter(void **state)
{
	struct slot *s = slot(0);

	(void)state;
	t.kind = TALLY_KIND_RESULT;
	t.round = 9; /* of no meaning in a result */
	t.err_vector = 2;
	arrive(1, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 1);
	assert_int_equal(slot_packet(a.e, a.g, EDGE_PARENT, &t, data, 13), RX_DROP);
	arrive(EDGE_PARENT, RX_STORED);
	assert_true(s->down_have);
	assert_memory_equal(slot_down(s), data, 12);
	assert_int_equal(s->err_vector, 2);
	assert_int_equal(s->up_contributors, 3);
	arrive(EDGE_PARENT, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 3);
}

static void results_that_nobody_awaits(void **state)
{
	struct slot *s = slot(0);

	(void)state;
	arrive(0, RX_STORED);
	t.kind = TALLY_KIND_RESULT;
	s->turns = true; /* the result is made here */
	arrive(EDGE_PARENT, RX_DROP);
	s->turns = false;
	s->down_expected = false;
	arrive(EDGE_PARENT, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 2);
	s->empty = s->posted = 1; /* the parent does not know that nobody takes part */
	arrive(EDGE_PARENT, RX_STORED);
	assert_false(s->down_have);
	t.kind = TALLY_KIND_REDUCE;
	s->up_contributors = 0;
	arrive(1, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 3);
	t.kind = TALLY_KIND_RESULT;
	s->posted = 0; /* a rank may yet take part */
	arrive(EDGE_PARENT, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 4);
	s->posted = 1;
	s->empty = 0; /* it takes part, but the result does not come here */
	arrive(EDGE_PARENT, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 5);
}

/* With multicast a result may come twice, and at a finished slot, too. */
static void copies_of_results(void **state)
{
	struct slot *s = slot(0);

	(void)state;
	t.kind = TALLY_KIND_RESULT;
	arrive(EDGE_PARENT, RX_STORED);
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	data[0]++;
	arrive(EDGE_PARENT, RX_STORED);
	assert_int_equal(((int32_t *)slot_down(s))[0], 10);
	s->state = TALLY_SEG_FINISHED;
	arrive(EDGE_PARENT, RX_STORED);
	check_dropped(TALLY_CTR_drop_slot, 0);
	s->mid = 1; /* of another chunk */
	arrive(EDGE_PARENT, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 1);
}

/* Only in TREE results come by multicast. */
static void no_copies_in_other_modes(void **state)
{
	(void)state;
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	a.g->modes |= TALLY_MODES_RING;
	a.g->by_nodes = divisor_of(4);
	a.g->left = 0;
	a.g->right = 1;
	a.g->node = 1;
	t.flags |= TALLY_TCH_F_RING;
	t.kind = TALLY_KIND_RESULT;
	arrive(0, RX_STORED);
	arrive(0, RX_DROP);
	check_dropped(TALLY_CTR_drop_slot, 1);
}

/* A block of a SCATTER has its place within the chunk. */
static void results_have_a_place(void **state)
{
	struct slot *s = slot(1);

	(void)state;
	a.g->subtree_first = a.g->rank_first = 2;
	a.g->subtree_ranks = 1;
	t.kind = TALLY_KIND_RESULT;
	t.opcode = TALLY_OPCODE_SCATTER;
	t.op = TALLY_OP_NONE;
	t.root_node = 3;
	t.total = 24; /* six for each rank, so those from 12 to 17 come here */
	t.count = 8;
	t.flags = 0;
	t.sid = t.num = 1;
	memset(s->data, 0x55, sizeof(s->data));
	assert_int_equal(slot_packet(a.e, a.g, EDGE_PARENT, &t, data, 20), RX_DROP);
	assert_int_equal(slot_packet(a.e, a.g, EDGE_PARENT, &t, data, 16), RX_STORED);
	assert_int_equal(((int32_t *)slot_down(s))[3], 0x55555555);
	assert_int_equal(((int32_t *)slot_down(s))[4], 10);
	assert_int_equal(((int32_t *)slot_down(s))[6], 12);
	assert_int_equal(((int32_t *)slot_down(s))[8], 0x55555555);
	t.flags = TALLY_TCH_F_LAST;
	t.sid = t.num = 2;
	s = slot(2);
	memset(s->data, 0x55, sizeof(s->data));
	assert_int_equal(slot_packet(a.e, a.g, EDGE_PARENT, &t, data, 8), RX_STORED);
	assert_int_equal(((int32_t *)slot_down(s))[0], 10);
	assert_int_equal(((int32_t *)slot_down(s))[2], 0x55555555);
}

/* ---- Roots ---- */

static void roots_are_checked(void **state)
{
	(void)state;
	a.g->node = 2;
	a.g->rank_mask = 4;
	t.root_node = 2;
	t.root_rank = 1;
	t.num = 1;
	t.mid = 3;
	arrive(1, RX_STORED); /* an ALLREDUCE has no root */
	t.num = 2;
	t.mid = 4;
	t.opcode = TALLY_OPCODE_REDUCE;
	arrive(1, RX_DROP);
	check_end(TALLY_COLL_BAD_ROOT, 2);
	assert_int_equal(slot(2)->state, TALLY_SEG_FREE);
	t.root_rank = 2;
	arrive(1, RX_STORED);
	t.num = 3;
	t.mid = 5;
	t.root_node = 1;
	t.root_rank = 1; /* its node knows whether it exists */
	arrive(1, RX_STORED);
}

/* ---- Queries ---- */

static void compare(unsigned int idx)
{
	t.kind = TALLY_KIND_QUERY;
	slot_compare(a.e, a.g, idx, &t);
}

static void queries_are_compared(void **state)
{
	(void)state;
	compare(1); /* nothing to compare with, and ranks will say more */
	assert_int_equal(slot(0)->state, TALLY_SEG_FREE);
	arrive(0, RX_STORED);
	compare(1);
	assert_true(group_alive(a.g));
	t.op = TALLY_OP_MIN;
	compare(1);
	assert_int_equal(slot(0)->err_vector, TALLY_ERR_MISMATCH);
	check_end(TALLY_COLL_OP_MISMATCH, 2);
	compare(EDGE_PARENT);
	check_end(TALLY_COLL_OP_MISMATCH, 0);
}

static void queries_that_are_not_compared(void **state)
{
	struct slot *s = slot(0);

	(void)state;
	arrive(0, RX_STORED);
	t.op = TALLY_OP_MIN;
	s->state = TALLY_SEG_FINISHED;
	compare(1);
	s->state = TALLY_SEG_BUSY;
	s->num = 4;
	compare(1);
	s->num = 0;
	s->mid = 1;
	compare(1);
	s->mid = 0;
	t.num = TALLY_MAX_GROUP_SEGS; /* the same place, beyond the window */
	s->num = t.num;
	compare(1);
	s->num = t.num = 0;
	t.op = TALLY_OP_NONE; /* impossible */
	compare(1);
	t.op = TALLY_OP_MIN;
	a.g->state = TALLY_GROUP_COLLECT;
	compare(1);
	assert_int_equal(alone_exception(&a)->type, TALLY_FW_EV_NONE);
	assert_int_equal(s->err_vector, 0);
	a.g->state = TALLY_GROUP_DRAINING;
	compare(1);
	check_end(TALLY_COLL_OP_MISMATCH, 2);
}

/* A node without ranks learns of a message from a query. */
static void query_opens_a_slot(void **state)
{
	(void)state;
	a.g->rank_mask = 0;
	t.mid = 5;
	compare(1);
	assert_int_equal(slot(0)->state, TALLY_SEG_BUSY);
	assert_int_equal(slot(0)->mid, 5);
	assert_int_equal(slot(0)->up_contributors, 3);
	slot(0)->up_contributors = 2; /* those of child 0 have come */
	compare(1);
	assert_int_equal(slot(0)->up_contributors, 2);
	t.num = 1;
	t.mid = 6;
	t.sid = 0;
	t.opcode = TALLY_OPCODE_BCAST;
	t.op = TALLY_OP_NONE;
	compare(1);
	check_end(TALLY_COLL_BAD_ROOT, 2);
	assert_int_equal(slot(1)->state, TALLY_SEG_FREE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(contributions_enter),
		TEST(contributions_within_the_window),
		TEST(impossible_contributions),
		TEST(chunks_are_compared),
		TEST(chunk_of_a_rank_that_is_gone),
		TEST(longest_contribution),
		TEST(rounds_of_contributions),
		TEST(contributions_wait_for_cells),
		TEST(results_enter),
		TEST(results_that_nobody_awaits),
		TEST(copies_of_results),
		TEST(no_copies_in_other_modes),
		TEST(results_have_a_place),
		TEST(roots_are_checked),
		TEST(queries_are_compared),
		TEST(queries_that_are_not_compared),
		TEST(query_opens_a_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
