// SPDX-License-Identifier: BSD-2-Clause
/* Progress of slots: sums go up, and results come down and reach ranks. */
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
	const int32_t data[] = { value, value, value, value, value };

	slot_combine(a.e, a.g, s, (struct span){ 0, 5, 0 }, data);
	s->up_contributors = 0;
}

static void acknowledged(unsigned int idx, uint8_t kind)
{
	const struct acked acked = { .kind = kind, .wqe = 3 };

	slot_tx_acked(a.e, a.g, idx, &acked);
}

/* ---- Sums ---- */

static void sum_goes_up(void **state)
{
	struct edge *parent = &a.g->edges[EDGE_PARENT];
	int32_t sum[5];

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
	assert_int_equal(a.len, 20);
	memcpy(sum, a.payload, 20);
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
	int32_t sum[5];

	(void)state;
	be_root();
	memcpy(wr->w.data, &(int32_t){ 7 }, 4);
	post();
	pump();
	assert_false(s->down_have);
	a.g->edges[0].peer_limit = 0;
	children_give(100);
	slot_down(s)[20] = 0x55;
	pump();
	assert_true(s->down_have);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_RESULT);
	memcpy(sum, a.payload, 20);
	assert_int_equal(sum[0], 121);
	assert_int_equal(sum[4], 100);
	assert_memory_equal(slot_down(s), sum, 20);
	assert_int_equal(slot_down(s)[20], 0x55);
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
	for (unsigned int i = 0; i < 5; i++)
		((float *)slot_up(s))[i] = i ? 6 : 1e-45f;
	s->up_contributors = 0;
	pump();
	pump();
	assert_true(((float *)slot_down(s))[4] == 1.5f);
	assert_true(s->err_vector & TALLY_ERR_FP_UNDERFLOW);
	assert_true(s->err_vector & 0x8000);
}

/* Blocks of 3 elements of four ranks, of which this node and child 1 have numbers 1 to 3. */
static void set_blocks(uint8_t opcode)
{
	wr->w.opcode = opcode;
	wr->w.op = TALLY_OP_NONE;
	wr->w.chunk = wr->w.total = 12;
	wr->w.count = 3;
	a.g->rank_mask = wr->w.rank_mask = 1;
	a.g->rank_first = a.g->subtree_first = 1;
	a.g->subtree_ranks = 3;
	a.g->edges[1].rank_first = 2;
	a.g->edges[1].rank_count = 2;
}

/* The blocks of the subtree go up, and those of a child's subtree down. */
static void blocks_of_subtrees(void **state)
{
	(void)state;
	set_blocks(TALLY_OPCODE_GATHER);
	post();
	s->up_ranks = s->fetch = s->up_contributors = 0;
	slot_up(s)[12] = 77;
	pump();
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.len, 36);
	assert_int_equal(a.payload[0], 77);
	s->state = TALLY_SEG_FREE;
	set_blocks(TALLY_OPCODE_SCATTER);
	wr->w.root_node = 9; /* above */
	post();
	assert_int_equal(s->down_todo, 2);
	s->up_ranks = s->fetch = s->up_contributors = 0;
	s->down_have = true;
	slot_down(s)[24] = 88;
	pump();
	assert_int_equal(a.sent, 2);
	assert_int_equal(a.last.kind, TALLY_KIND_RESULT);
	assert_int_equal(a.len, 24);
	assert_int_equal(a.payload[0], 88);
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
	assert_int_equal(a.read[2].sge.length, 20);
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
	slot_up(s)[16] = 1;
	slot_down(s)[16] = 2;
	pump();
	assert_int_equal(a.writes, 2);
	assert_int_equal(a.write[0].data[16], 2);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sum_goes_up),
		TEST(sum_turns),
		TEST(average_is_scaled_once),
		TEST(blocks_of_subtrees),
		TEST(data_are_read),
		TEST(data_wait_for_cells),
		TEST(ranks_get_results),
		TEST(ranks_that_only_give),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
