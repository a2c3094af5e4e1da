// SPDX-License-Identifier: BSD-2-Clause
/*
 * The message queue alone: what a message must be, which intermediate result takes it, what a
 * firing takes, and whose cells are used and returned.
 */
#include "engine/common.h"
#include "engine/rmq.h"
#include "engine/rmq_cells.h"
#include "engine/sum.h"
#include "engine/test/alone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PORT 4
#define CP TALLY_TCH_F_CP
#define SWP TALLY_TCH_F_SWP_MP

static struct alone a;
static struct qp *qp;
static struct counter *c; /* counter 1 */
static struct wr wr;	  /* a descriptor of that counter */
static int32_t result[2];

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	qp = alone_qp(&a, PORT, 1);
	c = &qp->counters[1];
	wr = (struct wr){ .w.counter = 1 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static struct tch header(uint16_t flags, uint8_t branch)
{
	return (struct tch){ .kind = TALLY_KIND_TRIGGER,
			     .opcode = TALLY_OPCODE_REDUCE_MP,
			     .op = TALLY_OP_SUM,
			     .dtype = TALLY_TYPE_INT32,
			     .counter = 1,
			     .port = PORT,
			     .flags = flags,
			     .branch = branch,
			     .count = flags & SWP ? 2 : 0 };
}

/* Let a contributor send v and 10 v. */
static enum rx_verdict message(unsigned int from, uint16_t flags, uint8_t branch, int32_t v)
{
	const struct tch t = header(flags, branch);
	const int32_t data[2] = { v, 10 * v };

	return rmq_packet(a.e, a.g, from, &t, data, flags & SWP ? 8 : 0);
}

static void stored(unsigned int from, uint16_t flags, uint8_t branch, int32_t v)
{
	assert_int_equal(message(from, flags, branch, v), RX_STORED);
}

/* Return the intermediate result of a later firing, counted from 0 on. */
static const struct cell *later(unsigned int i)
{
	uint16_t at = c->head;

	for (; i && at != NONE; i--)
		at = a.e->cells[at].next;
	assert_int_not_equal(at, NONE);
	return &a.e->cells[at];
}

static void check_data(const uint8_t *data, int32_t v)
{
	int32_t got[2];

	memcpy(got, data, 8);
	assert_int_equal(got[0], v);
	assert_int_equal(got[1], 10 * v);
}

/* Let the descriptor wait for a result, and fire with so many messages. */
static void begin_to_wait(void)
{
	rmq_wait(a.e, qp, &wr, (uint8_t *)result);
}

static uint16_t fire(uint32_t cpcnt)
{
	wr.w.cpcnt = cpcnt;
	assert_true(rmq_reached(qp, &wr));
	return rmq_fire(a.e, qp, &wr);
}

static void check_empty(void)
{
	assert_int_equal(c->head, NONE);
	assert_int_equal(qp->rmq_cells, 0);
	assert_int_equal(a.e->shared_used, 0);
	assert_int_equal(a.g->own_cells, 0);
}

/* ---- What a message must be ---- */

#define VERDICT(want, length, ...)                                                   \
	do {                                                                         \
		struct tch t = header(CP | SWP, 1);                                  \
		static const uint8_t data[TALLY_MAX_MTU];                            \
                                                                                     \
		teardown(NULL);                                                      \
		setup(NULL);                                                         \
		__VA_ARGS__;                                                         \
		assert_int_equal(rmq_packet(a.e, a.g, 0, &t, data, length), want);   \
		assert_int_equal(a.counters[TALLY_CTR_drop_tch], (want) == RX_DROP); \
	} while (0)

static void messages_that_are_plausible(void **state)
{
	(void)state;
	VERDICT(RX_STORED, 8, );
	VERDICT(RX_DROP, 8, t.opcode = TALLY_OPCODE_REDUCE_MP - 1);
	VERDICT(RX_STORED, 8, t.opcode = TALLY_OPCODE_PUT_MP);
	VERDICT(RX_DROP, 8, t.opcode = TALLY_OPCODE_PUT_MP + 1);
	VERDICT(RX_STORED, 8, t.counter = TALLY_NUM_CP_COUNTERS - 1);
	VERDICT(RX_DROP, 8, t.counter = TALLY_NUM_CP_COUNTERS);
	VERDICT(RX_STORED, 8, a.g->mtu = 8);
	VERDICT(RX_DROP, 8, a.g->mtu = 7);
	VERDICT(RX_DROP, 8, t.branch = 0);
	VERDICT(RX_STORED, 8, t.flags = SWP);
	VERDICT(RX_STORED, 0, t.flags = CP; t.branch = 0; t.count = 0);
	VERDICT(RX_DROP, 8, t.flags = CP);
	VERDICT(RX_DROP, 0, t.flags = 0; t.count = 0);
	VERDICT(RX_STORED, 8, t.op = TALLY_OP_NONE);
	VERDICT(RX_DROP, 8, t.op = 77);
	VERDICT(RX_DROP, 8, t.op = TALLY_OP_BAND; t.dtype = TALLY_TYPE_FP32);
}

static void ports(void **state)
{
	(void)state;
	VERDICT(RX_BUSY, 8, t.port = PORT + 1);
	VERDICT(RX_BUSY, 8, qp->state = TALLY_QPS_RESET);
	VERDICT(RX_BUSY, 8, qp->state = TALLY_QPS_ERROR);
	VERDICT(RX_STORED, 8, alone_qp(&a, 9, 1); t.port = PORT);
	assert_int_equal(qp->rmq_cells, 1);
	assert_int_equal(a.e->qps[9].rmq_cells, 0);
	VERDICT(RX_STORED, 8, alone_qp(&a, 9, 1); t.port = 9);
	assert_int_equal(a.e->qps[9].rmq_cells, 1);
}

static void to_this_node_itself(void **state)
{
	struct tch t = header(CP | SWP, 1);
	const int32_t data[2] = { 3, 30 };

	(void)state;
	assert_int_equal(rmq_to_self(a.e, a.g, &t, data, 8), TALLY_COLL_OK);
	assert_int_equal(c->order[0], TALLY_CONTRIB_SELF);
	assert_int_equal(c->counted[1], 2);
	check_data(later(0)->data, 3);
	t.port++;
	assert_int_equal(rmq_to_self(a.e, a.g, &t, data, 8), TALLY_COLL_BAD_DEST);
	t.port--;
	qp->rmq_cells = TALLY_RMQ_PORT_CAP;
	assert_int_equal(rmq_to_self(a.e, a.g, &t, data, 8), TALLY_COLL_RMQ_OVERFLOW);
	qp->state = TALLY_QPS_ERROR;
	assert_int_equal(rmq_to_self(a.e, a.g, &t, data, 8), TALLY_COLL_BAD_DEST);
}

/* ---- Counting ---- */

/* Each contributor counts once for a firing; those that are first leave first. */
static void contributors_count_once(void **state)
{
	(void)state;
	stored(2, CP, 0, 0);
	stored(0, CP, 0, 0);
	stored(2, CP, 0, 0);
	assert_int_equal(c->count, 2);
	assert_int_equal(c->counted[0], 5);
	assert_int_equal(c->alone[2], 2);
	wr.w.cpcnt = 3;
	assert_false(rmq_reached(qp, &wr));
	assert_int_equal(fire(1), 0);
	assert_int_equal(c->count, 2); /* 2 counts again, behind 0 */
	assert_int_equal(c->order[0], 0);
	assert_int_equal(c->order[1], 2);
	assert_int_equal(c->alone[2], 1);
	fire(2);
	assert_int_equal(c->count, 0);
	assert_int_equal(c->counted[0], 0);
	assert_int_equal(c->alone[0] | c->alone[2], 0);
	wr.w.cpcnt = 0;
	assert_true(rmq_reached(qp, &wr));
	check_empty();
}

static void all_contributors_count(void **state)
{
	struct tch t = header(CP, 0);
	unsigned int i;

	(void)state;
	for (i = 0; i <= EDGE_PARENT; i++)
		stored(i, CP, 0, 0);
	assert_int_equal(rmq_to_self(a.e, a.g, &t, NULL, 0), TALLY_COLL_OK);
	assert_int_equal(c->count, 66);
	assert_int_equal(c->counted[0], ~0ULL);
	assert_int_equal(c->counted[1], 3);
	fire(TALLY_MAX_CPCNT);
	assert_int_equal(c->count, 1);
	assert_int_equal(c->order[0], TALLY_CONTRIB_SELF);
	assert_int_equal(c->counted[0], 0);
	assert_int_equal(c->counted[1], 2);
}

static void waiting_counts_are_limited(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < MAX_ALONE; i++)
		stored(0, CP, 0, 0);
	assert_int_equal(message(0, CP, 0, 0), RX_BUSY);
	assert_int_equal(c->alone[0], MAX_ALONE);
	fire(1);
	stored(0, CP, 0, 0);
}

static void counters_are_apart(void **state)
{
	struct tch t = header(CP, 0);

	(void)state;
	t.counter = 2;
	assert_int_equal(rmq_packet(a.e, a.g, 0, &t, NULL, 0), RX_STORED);
	assert_int_equal(c->count, 0);
	assert_int_equal(qp->counters[2].count, 1);
}

/* Their errors belong to the next firing, and to no other. */
static void errors_of_counts(void **state)
{
	struct tch t = header(CP, 0);

	(void)state;
	t.err_vector = TALLY_ERR_FP_INVALID;
	assert_int_equal(rmq_packet(a.e, a.g, 0, &t, NULL, 0), RX_STORED);
	t.err_vector = TALLY_ERR_FP_INEXACT;
	assert_int_equal(rmq_packet(a.e, a.g, 1, &t, NULL, 0), RX_STORED);
	assert_int_equal(fire(1), TALLY_ERR_FP_INVALID | TALLY_ERR_FP_INEXACT);
	assert_int_equal(fire(1), 0);
}

/* ---- Intermediate results ---- */

static void messages_of_later_firings(void **state)
{
	(void)state;
	stored(0, CP | SWP, 2, 1);
	stored(0, CP | SWP, 2, 2); /* the next one's */
	stored(1, CP | SWP, 2, 4);
	stored(0, CP | SWP, 2, 8);
	assert_int_equal(qp->rmq_cells, 3);
	check_data(later(0)->data, 5);
	check_data(later(1)->data, 2);
	check_data(later(2)->data, 8);
	stored(2, CP | SWP, 2, 16); /* the first is complete, so it is the second's */
	check_data(later(1)->data, 18);
	assert_int_equal(later(0)->sum.messages, 2);
	assert_int_equal(later(0)->sum.from[0], 3);
	assert_int_equal(later(1)->sum.from[0], 5);
	assert_int_equal(c->count, 3);
	begin_to_wait();
	assert_int_equal(fire(2), 0);
	check_data((uint8_t *)result, 5);
	begin_to_wait();
	assert_int_equal(fire(2), 0);
	check_data((uint8_t *)result, 18);
	assert_int_equal(c->count, 1);
	assert_int_equal(qp->rmq_cells, 1);
	begin_to_wait();
	assert_int_equal(qp->sum.messages, 1);
	check_data((uint8_t *)result, 8);
	check_empty();
}

/* What a descriptor waits for is in its buffer, and needs no cell. */
static void message_for_the_one_that_waits(void **state)
{
	(void)state;
	a.e->shared_used = TALLY_RMQ_CELLS;
	begin_to_wait();
	assert_ptr_equal(qp->waiting, &wr);
	stored(0, CP | SWP, 2, 1);
	assert_int_equal(message(0, CP | SWP, 2, 2), RX_BUSY);
	stored(1, CP | SWP, 2, 4);
	assert_int_equal(message(2, CP | SWP, 2, 8), RX_BUSY);
	check_data((uint8_t *)result, 5);
	assert_int_equal(c->count, 2); /* what was answered BUSY does not count */
	assert_int_equal(fire(2), 0);
	assert_null(qp->waiting);
}

/* A descriptor of another counter does not take it. */
static void message_for_another_counter(void **state)
{
	(void)state;
	wr.w.counter = 2;
	begin_to_wait();
	stored(0, CP | SWP, 1, 1);
	assert_int_equal(qp->sum.messages, 0);
	check_data(later(0)->data, 1);
}

static void ports_have_a_limit(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < TALLY_RMQ_PORT_CAP; i++)
		stored(0, CP | SWP, 1, i);
	assert_int_equal(message(0, CP | SWP, 1, 0), RX_BUSY);
	assert_int_equal(qp->rmq_cells, TALLY_RMQ_PORT_CAP);
	for (i = 0; i < TALLY_RMQ_PORT_CAP; i++) {
		begin_to_wait();
		check_data((uint8_t *)result, i);
		assert_int_equal(fire(1), 0);
	}
	check_empty();
	assert_int_equal(c->count, 0);
}

/* CPCnt is smaller than the number of messages of the result: too many came. */
static void more_messages_than_cpcnt(void **state)
{
	(void)state;
	begin_to_wait();
	stored(0, CP | SWP, 2, 1);
	stored(1, CP | SWP, 2, 2);
	assert_int_equal(fire(1), TALLY_ERR_MISMATCH);
	assert_int_equal(qp->sum.disagree, 2);
	assert_int_equal(c->count, 0);
}

/* A message of the firing is in a later result: it is taken out there. */
static void fewer_messages_than_cpcnt(void **state)
{
	(void)state;
	begin_to_wait();
	stored(0, CP | SWP, 1, 1);
	stored(1, CP | SWP, 1, 2);
	stored(2, CP | SWP, 1, 4);
	assert_int_equal(qp->rmq_cells, 2);
	assert_int_equal(fire(2), TALLY_ERR_MISMATCH);
	assert_int_equal(qp->sum.disagree, 2);
	assert_int_equal(qp->rmq_cells, 1);
	check_data(later(0)->data, 4);
	assert_int_equal(c->count, 1);
	assert_int_equal(c->tail, c->head);
	stored(0, CP | SWP, 1, 8);
	check_data(later(1)->data, 8);
}

/* A firing without a result only takes counts; the data stay. */
static void data_stay(void **state)
{
	(void)state;
	stored(0, CP | SWP, 1, 1);
	assert_int_equal(fire(1), 0);
	assert_int_equal(c->count, 0);
	assert_int_equal(later(0)->sum.counted[0], 0);
	check_data(later(0)->data, 1);
	stored(0, CP, 0, 0);
	stored(0, CP | SWP, 1, 2);
	fire(1); /* the one without data is the older one */
	assert_int_equal(c->alone[0], 0);
	assert_int_equal(c->count, 1);
}

/* ---- Sums ---- */

static void add(struct sum *s, uint8_t branch, uint8_t op, uint32_t count, unsigned int from,
		uint16_t err_vector)
{
	const struct tch t = { .op = op,
			       .dtype = TALLY_TYPE_INT32,
			       .count = count,
			       .branch = branch,
			       .flags = CP,
			       .err_vector = err_vector };
	const int32_t data[2] = { 1, 10 };

	sum_message(a.e, s, (uint8_t *)result, &t, from, data, 4 * count);
}

static void sums_that_are_open(void **state)
{
	struct sum s = { 0 };

	(void)state;
	assert_true(sum_is_open(&s));
	assert_false(sum_is_complete(&s));
	s.branch = 2;
	s.messages = 1;
	assert_true(sum_is_open(&s));
	assert_false(sum_is_complete(&s));
	s.messages = 2;
	assert_false(sum_is_open(&s));
	assert_true(sum_is_complete(&s));
	s.branch = 0; /* they disagree, so any number may be right */
	assert_true(sum_is_open(&s));
	assert_true(sum_is_complete(&s));
}

static void sums_know_their_messages(void **state)
{
	struct sum s = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i <= TALLY_CONTRIB_SELF; i++) {
		assert_false(sum_has(&s, i) || sum_counts(&s, i));
		add(&s, 66, TALLY_OP_SUM, 2, i, 0);
		assert_true(sum_has(&s, i) && sum_counts(&s, i));
	}
	assert_int_equal(s.messages, 66);
	assert_true(sum_is_complete(&s));
	assert_int_equal(s.err_vector, 0);
	check_data((uint8_t *)result, 66);
	assert_int_equal(a.counters[TALLY_CTR_alu_words], 65);
}

static void sums_that_disagree(void **state)
{
	struct sum s = { 0 };

	(void)state;
	add(&s, 3, TALLY_OP_SUM, 2, 0, 0);
	add(&s, 3, TALLY_OP_MAX, 2, 1, 0);
	assert_int_equal(s.err_vector, TALLY_ERR_MISMATCH);
	assert_int_equal(s.disagree, 2);
	s = (struct sum){ 0 };
	add(&s, 3, TALLY_OP_SUM, 2, 0, 0);
	add(&s, 3, TALLY_OP_SUM, 1, 2, 0);
	assert_int_equal(s.disagree, 4);
	s = (struct sum){ 0 };
	add(&s, 3, TALLY_OP_NONE, 2, 0, 0);
	assert_int_equal(s.err_vector, 0);
	add(&s, 3, TALLY_OP_NONE, 2, 3, 0);
	assert_int_equal(s.disagree, 8);
	s = (struct sum){ 0 };
	add(&s, 3, TALLY_OP_SUM, 2, 0, 0);
	add(&s, 2, TALLY_OP_SUM, 2, EDGE_PARENT, 0);
	assert_int_equal(s.branch, 0);
	assert_int_equal(s.err_vector, TALLY_ERR_MISMATCH);
	assert_int_equal(s.disagree, 0); /* the parent has no bit */
	add(&s, 3, TALLY_OP_SUM, 2, 1, 0);
	assert_int_equal(s.branch, 0);
	s = (struct sum){ 0 };
	add(&s, 3, TALLY_OP_SUM, 2, 5, TALLY_ERR_MISMATCH | TALLY_ERR_FP_INVALID);
	assert_int_equal(s.err_vector, TALLY_ERR_MISMATCH | TALLY_ERR_FP_INVALID);
	assert_int_equal(s.disagree, 32);
	assert_false(s.filled);
}

static void own_data_join_the_sum(void **state)
{
	const struct wqe w = {
		.op = TALLY_OP_SUM, .dtype = TALLY_TYPE_INT32, .elem = 4, .count = 2
	};
	const int32_t data[2] = { 5, 50 };
	struct sum s = { 0 };

	(void)state;
	sum_own(a.e, &s, (uint8_t *)result, &w, data);
	check_data((uint8_t *)result, 5);
	assert_int_equal(s.messages, 0); /* it is no message */
	add(&s, 1, TALLY_OP_SUM, 2, 0, 0);
	check_data((uint8_t *)result, 6);
	assert_true(sum_is_complete(&s));
}

/* ---- Cells ---- */

/* A group takes its own cells first, but leaves some for others of its uses. */
static void cells_of_a_group(void **state)
{
	uint16_t cell[4];

	(void)state;
	a.g->msg_cells = a.e->cells_reserved = 3;
	cell[0] = cell_take(a.e, a.g, 1);
	cell[1] = cell_take(a.e, a.g, 1);
	assert_int_equal(a.g->own_cells, 2);
	assert_int_equal(a.e->shared_used, 0);
	cell[2] = cell_take(a.e, a.g, 1);
	assert_int_equal(a.g->own_cells, 2);
	assert_int_equal(a.e->shared_used, 1);
	cell[3] = cell_take(a.e, a.g, 0);
	assert_int_equal(a.g->own_cells, 3);
	assert_int_equal(a.e->cell_fresh, 4);
	cell_give(a.e, a.g, cell[2]);
	assert_int_equal(a.e->shared_used, 0);
	cell_give(a.e, a.g, cell[0]);
	assert_int_equal(a.g->own_cells, 2);
	assert_int_equal(cell_take(a.e, a.g, 0), cell[0]); /* the newest first */
	assert_int_equal(cell_take(a.e, a.g, 0), cell[2]);
	assert_int_equal(a.e->cell_fresh, 4);
	assert_int_equal(a.e->shared_used, 1);
}

static void shared_cells_run_out(void **state)
{
	unsigned int i;

	(void)state;
	a.e->cells_reserved = 5; /* of another group */
	for (i = 0; i < TALLY_RMQ_CELLS - 5; i++)
		assert_int_equal(cell_take(a.e, a.g, 0), i);
	assert_int_equal(cell_take(a.e, a.g, 0), NONE);
	cell_give(a.e, a.g, 7);
	assert_int_equal(cell_take(a.e, a.g, 0), 7);
	assert_int_equal(cell_take(a.e, a.g, 0), NONE);
}

/* A flush returns the cells of all counters, and forgets everything. */
static void flush_returns_everything(void **state)
{
	unsigned int i;

	(void)state;
	a.g->msg_cells = a.e->cells_reserved = 2;
	for (i = 0; i < TALLY_NUM_CP_COUNTERS; i++) {
		struct tch t = header(CP | SWP, 1);
		const int32_t data[2] = { 0 };

		t.counter = i;
		assert_int_equal(rmq_packet(a.e, a.g, 0, &t, data, 8), RX_STORED);
		assert_int_equal(rmq_packet(a.e, a.g, 0, &t, data, 8), RX_STORED);
	}
	begin_to_wait();
	assert_int_equal(qp->rmq_cells, 7);
	rmq_flush(a.e, qp);
	check_empty();
	assert_null(qp->waiting);
	for (i = 0; i < TALLY_NUM_CP_COUNTERS; i++) {
		assert_int_equal(qp->counters[i].count, 0);
		assert_int_equal(qp->counters[i].head, NONE);
		assert_int_equal(qp->counters[i].tail, NONE);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(messages_that_are_plausible),
		TEST(ports),
		TEST(to_this_node_itself),
		TEST(contributors_count_once),
		TEST(all_contributors_count),
		TEST(waiting_counts_are_limited),
		TEST(counters_are_apart),
		TEST(errors_of_counts),
		TEST(messages_of_later_firings),
		TEST(message_for_the_one_that_waits),
		TEST(message_for_another_counter),
		TEST(ports_have_a_limit),
		TEST(more_messages_than_cpcnt),
		TEST(fewer_messages_than_cpcnt),
		TEST(data_stay),
		TEST(sums_that_are_open),
		TEST(sums_know_their_messages),
		TEST(sums_that_disagree),
		TEST(own_data_join_the_sum),
		TEST(cells_of_a_group),
		TEST(shared_cells_run_out),
		TEST(flush_returns_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
