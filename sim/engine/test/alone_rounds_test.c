// SPDX-License-Identifier: BSD-2-Clause
/* The rounds of an EXCHANGE on one node: partial results go out, those of neighbours come in. */
#include "engine/common.h"
#include "engine/segment.h"
#include "engine/segment_rx.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SHORT 5	  /* elements for which all payloads fit into the slot */
#define LONG 1024 /* those of the longest chunk, whose inputs and inner results are in cells */

static struct alone a;
static struct slot *s; /* of chunk 0 */
static struct qp *qp;
static struct wr *wr;

/* One rank and three rounds of two parts; edge 0 is that of round 1, and so on. */
static int setup(void **state)
{
	static const uint8_t own[] = { 0, 1, 0, 1 };
	unsigned int r;

	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	a.g->children = 0;
	a.g->modes = TALLY_MODES_EXCHANGE;
	a.g->rounds = 3;
	a.g->exchange_ins = 7;
	a.g->round[0].parts = 1;
	for (r = 1; r <= 3; r++) {
		a.g->round[r] = (struct round){ .ins = 1u << (r - 1),
						.outs = 1u << (r - 1),
						.own = own[r],
						.parts = 2,
						.base = 2 * r - 1 };
		a.g->edges[r - 1].round = r;
		a.g->edges[r - 1].position = !own[r];
	}
	s = slot_of(a.e, a.g, 0);
	qp = alone_qp(&a, 0, 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static void pump(void)
{
	slot_pump(a.e, a.g, s);
}

/* Post an ALLREDUCE whose data are read from memory. */
static void post(uint32_t count)
{
	wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 0, 1);
	wr->begun = 1;
	wr->to_go = 9;
	wr->w.mode = TALLY_MODE_EXCHANGE;
	wr->w.op = TALLY_OP_SUM;
	wr->w.dtype = TALLY_TYPE_INT32;
	wr->w.elem = wr->w.give = 4;
	wr->w.chunk = wr->w.count = wr->w.total = count;
	wr->w.num_gather = wr->w.num_result = 1;
	assert_true(slot_post(a.e, a.g, qp, wr, 0));
	pump();
}

static const int32_t *values(int32_t value)
{
	static int32_t data[LONG];
	unsigned int i;

	for (i = 0; i < LONG; i++)
		data[i] = value + i;
	return data;
}

static void rank_gives(int32_t value)
{
	slot_contribute(a.e, a.g, s, 0, values(value));
	pump();
}

static enum rx_verdict neighbour_gives(unsigned int idx, int32_t value)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, wr->w.total);
	enum rx_verdict verdict;

	t.flags |= TALLY_TCH_F_EXCHANGE;
	t.round = a.g->edges[idx].round;
	verdict = slot_packet(a.e, a.g, idx, &t, values(value), 4 * wr->w.total);
	pump();
	pump(); /* once more changes nothing */
	return verdict;
}

/* Check the last packet: it went to edge `idx`, and the sum of `inputs` values begins so. */
static void check_sent(unsigned int sent, unsigned int idx, int32_t value, unsigned int inputs)
{
	int32_t data[SHORT];

	assert_int_equal(a.sent, sent);
	assert_int_equal(a.last.kind, TALLY_KIND_REDUCE);
	assert_int_equal(a.last.contributor, idx);
	assert_int_equal(a.last.round, idx + 1);
	assert_int_equal(a.len, 4 * wr->w.total);
	memcpy(data, a.payload, sizeof(data));
	assert_int_equal(data[0], value);
	assert_int_equal(data[4], value + 4 * inputs);
	assert_true(s->out_waiting >> idx & 1);
}

static void check_written(int32_t value)
{
	int32_t data[SHORT];

	assert_int_equal(a.writes, 1);
	assert_int_equal(a.write[0].sge.length, 4 * wr->w.total);
	memcpy(data, a.write[0].data, sizeof(data));
	assert_int_equal(data[0], value);
	assert_int_equal(data[4], value + 4 * 4);
}

static void acknowledged(unsigned int idx)
{
	const struct acked acked = { .kind = TALLY_KIND_REDUCE };

	slot_tx_acked(a.e, a.g, idx, &acked);
	pump();
}

static void check_end(void)
{
	slot_delivered(a.e, s, 0);
	acknowledged(1);
	acknowledged(2);
	assert_int_equal(a.g->done, 0);
	acknowledged(0);
	assert_int_equal(a.g->done, 1);
	assert_int_equal(wr->to_go, 8);
	assert_int_equal(s->cells, 0);
	assert_int_equal(a.e->shared_used, 0);
	assert_int_equal(a.g->own_cells, 0);
}

static void rounds_in_turn(uint32_t count)
{
	post(count);
	assert_int_equal(a.sent, 0);
	rank_gives(1);
	check_sent(1, 0, 1, 1);
	assert_int_equal(neighbour_gives(0, 10), RX_STORED);
	check_sent(2, 1, 11, 2);
	assert_int_equal(neighbour_gives(1, 100), RX_STORED);
	check_sent(3, 2, 111, 3);
	assert_int_equal(a.writes, 0);
	assert_int_equal(neighbour_gives(2, 1000), RX_STORED);
	assert_int_equal(a.sent, 3);
	check_written(1111);
	check_end();
}

static void short_rounds(void **state)
{
	(void)state;
	rounds_in_turn(SHORT);
	assert_int_equal(a.e->cell_fresh, 0);
}

static void long_rounds(void **state)
{
	(void)state;
	rounds_in_turn(LONG);
	assert_int_not_equal(a.e->cell_fresh, 0);
}

/* Neighbours of later rounds, and those that are faster than the local rank, come early. */
static void early_neighbours(uint32_t count)
{
	post(count);
	assert_int_equal(neighbour_gives(2, 1000), RX_STORED);
	assert_int_equal(neighbour_gives(0, 10), RX_STORED);
	assert_int_equal(a.sent, 0);
	rank_gives(1);
	assert_int_equal(a.packet[0].contributor, 0);
	check_sent(2, 1, 11, 2);
	assert_int_equal(neighbour_gives(1, 100), RX_STORED);
	check_sent(3, 2, 111, 3);
	check_written(1111);
	check_end();
}

static void early_neighbours_of_a_short_chunk(void **state)
{
	(void)state;
	early_neighbours(SHORT);
}

static void early_neighbours_of_a_long_chunk(void **state)
{
	(void)state;
	early_neighbours(LONG);
}

/* Who cannot receive yet gets the partial result of its own round later. */
static void closed_window(uint32_t count)
{
	post(count);
	a.g->edges[0].peer_limit = a.g->edges[1].peer_limit = 0;
	rank_gives(1);
	neighbour_gives(0, 10);
	assert_int_equal(neighbour_gives(1, 100), RX_STORED);
	check_sent(1, 2, 111, 3);
	assert_int_equal(s->out_todo, 3);
	a.g->edges[1].peer_limit = 1;
	pump();
	check_sent(2, 1, 11, 2);
	a.g->edges[0].peer_limit = 1;
	pump();
	check_sent(3, 0, 1, 1);
	neighbour_gives(2, 1000);
	check_written(1111);
	check_end();
}

static void closed_window_of_a_short_chunk(void **state)
{
	(void)state;
	closed_window(SHORT);
}

static void closed_window_of_a_long_chunk(void **state)
{
	(void)state;
	closed_window(LONG);
}

/* The own partial result needs a cell, as those of neighbours do. */
static void own_input_waits_for_a_cell(void **state)
{
	(void)state;
	post(LONG);
	a.e->cells_reserved = TALLY_RMQ_CELLS;
	rank_gives(1);
	check_sent(1, 0, 1, 1);
	assert_false(s->own_given);
	a.e->cells_reserved = TALLY_RMQ_CELLS - 1;
	pump();
	assert_true(s->own_given);
	assert_int_equal(neighbour_gives(0, 10), RX_BUSY);
	assert_int_equal(a.sent, 1);
	a.e->cells_reserved = 0;
	assert_int_equal(neighbour_gives(0, 10), RX_STORED);
	check_sent(2, 1, 11, 2);
}

/* A round does not end without the own input, even if those of all neighbours are there. */
static void round_waits_for_the_own_input(void **state)
{
	(void)state;
	post(LONG);
	assert_int_equal(neighbour_gives(0, 10), RX_STORED);
	a.e->cells_reserved = TALLY_RMQ_CELLS - 1; /* the neighbour has the last one */
	rank_gives(1);
	check_sent(1, 0, 1, 1);
	assert_false(s->own_given);
	pump();
	assert_int_equal(a.sent, 1);
	a.e->cells_reserved = 0;
	pump();
	check_sent(2, 1, 11, 2);
}

/* In a round the node may serve neighbours from which it gets nothing, and the other way round. */
static void inputs_and_outputs_differ(void **state)
{
	(void)state;
	alone_children(&a, 5);
	a.g->children = 0;
	a.g->exchange_ins = 0xd; /* edge 1 gets the result of round 1, and edge 3 gives its own */
	a.g->round[2].outs = 0x12;
	a.g->round[2].ins = 8;
	a.g->edges[3].round = a.g->edges[4].round = 2;
	a.g->edges[3].position = 1;
	post(SHORT);
	rank_gives(1);
	assert_int_equal(neighbour_gives(0, 10), RX_STORED);
	assert_int_equal(a.sent, 3);
	assert_int_equal(a.packet[1].contributor, 1);
	assert_int_equal(a.packet[2].contributor, 4);
	assert_int_equal(s->out_waiting, 0x13);
	assert_int_equal(neighbour_gives(1, 5), RX_DROP);
	assert_int_equal(s->round, 2);
	assert_int_equal(neighbour_gives(3, 100), RX_STORED);
	assert_int_equal(a.sent, 4);
	assert_int_equal(s->round, 3);
}

/* The blocks of this node's part go out, and those of the neighbour's part come in. */
static void parts_of_an_allgather(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 20);

	(void)state;
	a.g->total_ranks = 10;
	a.g->by_ranks = divisor_of(10);
	a.g->rank_first = 4;
	a.g->round[0].rank_first = 4;
	a.g->round[0].rank_count = 1;
	a.g->round[1].rank_first = 4;
	a.g->round[1].rank_count = 3;
	a.g->edges[0].part_first = 5;
	a.g->edges[0].part_count = 2;
	wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_ALLGATHER, 0, 1);
	wr->begun = 1;
	wr->w.mode = TALLY_MODE_EXCHANGE;
	wr->w.dtype = TALLY_TYPE_INT32;
	wr->w.elem = wr->w.give = 4;
	wr->w.chunk = wr->w.total = 20;
	wr->w.count = 2;
	wr->w.num_gather = 1;
	assert_true(slot_post(a.e, a.g, qp, wr, 0));
	rank_gives(70);
	assert_int_equal(a.len, 8);
	assert_int_equal(a.payload[0], 70);
	t.opcode = TALLY_OPCODE_ALLGATHER;
	t.op = TALLY_OP_NONE;
	t.flags |= TALLY_TCH_F_EXCHANGE;
	t.round = 1;
	assert_int_equal(slot_packet(a.e, a.g, 0, &t, values(30), 16), RX_STORED);
	pump();
	assert_int_equal(a.sent, 2);
	assert_int_equal(a.len, 24);
	assert_int_equal(a.payload[0], 70);
	assert_int_equal(a.payload[4], 71);
	assert_int_equal(a.payload[8], 30);
	assert_int_equal(a.payload[20], 33);
}

/* The average is that of all elements of all ranks, and tells what rounding did. */
static void average(void **state)
{
	static const float data[SHORT] = { 1e-45f, 12, 12, 12, 12 };
	float result[SHORT];

	(void)state;
	a.g->rounds = 0;
	a.g->exchange_ins = 0;
	post(SHORT);
	s->op = TALLY_OP_AVG;
	s->dtype = TALLY_TYPE_FP32;
	s->err_vector = 0x8000;
	a.g->level = 2;
	slot_contribute(a.e, a.g, s, 0, data);
	pump();
	assert_int_equal(a.writes, 1);
	memcpy(result, a.write[0].data, sizeof(result));
	assert_true(result[1] == 3 && result[4] == 3);
	assert_true(s->err_vector & TALLY_ERR_FP_UNDERFLOW);
	assert_true(s->err_vector & 0x8000);
}

/* A sum of the type whose code is that of AVG is no average. */
static void sum_of_bytes(void **state)
{
	static const uint8_t data[SHORT] = { 8, 8, 8, 8, 8 };

	(void)state;
	a.g->rounds = 0;
	a.g->exchange_ins = 0;
	post(SHORT);
	s->dtype = TALLY_TYPE_INT8;
	s->elem = 1;
	slot_contribute(a.e, a.g, s, 0, data);
	pump();
	assert_int_equal(a.write[0].data[0], 8);
	assert_int_equal(a.write[0].data[4], 8);
}

/* A partial result goes out before the next one is computed. */
static void partial_results_leave_at_once(void **state)
{
	(void)state;
	post(SHORT);
	neighbour_gives(0, 10);
	a.g->edges[1].peer_limit = 0;
	a.e->timing.clock_mhz = 1000;
	a.e->timing.alu = 50;
	a.e->timing.encap = 2;
	rank_gives(1);
	check_sent(1, 0, 1, 1);
	assert_int_equal(a.delay, 2 * NS);
	a.g->edges[1].peer_limit = 1;
	pump();
	check_sent(2, 1, 11, 2);
	assert_int_equal(a.delay, 52 * NS);
}

/* A message of empty blocks needs no packets. */
static void nothing_to_gather(void **state)
{
	(void)state;
	wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_ALLGATHER, 0, 1);
	wr->begun = 1;
	wr->to_go = 9;
	wr->w.mode = TALLY_MODE_EXCHANGE;
	wr->w.dtype = TALLY_TYPE_INT32;
	wr->w.elem = wr->w.give = 4;
	assert_true(slot_post(a.e, a.g, qp, wr, 0));
	pump();
	assert_int_equal(a.sent, 0);
	assert_int_equal(a.g->done, 1);
	assert_int_equal(wr->to_go, 8);
}

/* A barrier has rounds without data. */
static void barrier(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 0);

	(void)state;
	wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_BARRIER, 0, 1);
	wr->begun = 1;
	wr->to_go = 9;
	wr->w.mode = TALLY_MODE_EXCHANGE;
	t.opcode = TALLY_OPCODE_BARRIER;
	t.op = TALLY_OP_NONE;
	t.dtype = TALLY_TYPE_NONE;
	t.flags |= TALLY_TCH_F_EXCHANGE;
	assert_true(slot_post(a.e, a.g, qp, wr, 0));
	pump();
	assert_int_equal(a.sent, 1);
	for (t.round = 1; t.round <= 3; t.round++) {
		assert_int_equal(slot_packet(a.e, a.g, t.round - 1, &t, NULL, 0), RX_STORED);
		pump();
	}
	assert_int_equal(a.sent, 3);
	assert_int_equal(a.len, 0);
	slot_delivered(a.e, s, 0);
	assert_int_equal(s->cells, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(short_rounds),
		TEST(long_rounds),
		TEST(early_neighbours_of_a_short_chunk),
		TEST(early_neighbours_of_a_long_chunk),
		TEST(closed_window_of_a_short_chunk),
		TEST(closed_window_of_a_long_chunk),
		TEST(own_input_waits_for_a_cell),
		TEST(round_waits_for_the_own_input),
		TEST(inputs_and_outputs_differ),
		TEST(parts_of_an_allgather),
		TEST(average),
		TEST(sum_of_bytes),
		TEST(partial_results_leave_at_once),
		TEST(nothing_to_gather),
		TEST(barrier),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
