// SPDX-License-Identifier: BSD-2-Clause
/*
 * The request processor alone: when a descriptor begins and fires, what it sends, writes and keeps
 * until it is acknowledged, and when it disagrees with the messages that it takes.
 */
#include "engine/common.h"
#include "engine/rmq.h"
#include "engine/test/alone.h"
#include "engine/trigger.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNTER 2
#define QPN 4

/* Three children and a parent. */
static struct alone a;
static struct qp *qp;
static struct wr *wr;

static struct wr *descriptor(uint8_t opcode, uint32_t flags)
{
	struct wr *w = alone_wr(qp, WR_READY, opcode, 6, 1);

	w->w.op = opcode == TALLY_OPCODE_REDUCE_MP ? TALLY_OP_SUM : TALLY_OP_NONE;
	w->w.dtype = TALLY_TYPE_INT32;
	w->w.elem = w->w.give = 4;
	w->w.count = w->w.total = 2;
	w->w.give_len = w->w.get_len = 8;
	w->w.counter = COUNTER;
	w->w.dest_counter = 1;
	w->w.dest_port = 0x203;
	w->w.branch = 3;
	w->w.flags = TALLY_WQE_F_SIGNALED | flags;
	w->w.gather[0] = (struct engine_sge){ 0x1000, 8, 1 };
	w->w.result[0] = (struct engine_sge){ 0x2000, 8, 2 };
	memcpy(w->w.data, "\1\0\0\0\2\0\0\0", 8);
	return w;
}

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	alone_parent(&a, EDGE_PARENT);
	a.g->node = 3;
	qp = alone_qp(&a, QPN, 1);
	wr = descriptor(TALLY_OPCODE_REDUCE_MP, TALLY_WQE_F_SWP_MP);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static void start(struct wr *w)
{
	assert_true(trigger_start(a.e, qp, w));
}

/* Let a child send a message that counts, with two numbers. */
static void message(unsigned int from, uint8_t branch, uint16_t err_vector)
{
	const int32_t data[2] = { 10 * (from + 1), 20 * (from + 1) };
	const struct tch t = { .kind = TALLY_KIND_TRIGGER,
			       .opcode = TALLY_OPCODE_REDUCE_MP,
			       .op = TALLY_OP_SUM,
			       .dtype = TALLY_TYPE_INT32,
			       .counter = COUNTER,
			       .branch = branch,
			       .port = QPN,
			       .count = 2,
			       .err_vector = err_vector,
			       .flags = TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP };

	assert_int_equal(rmq_packet(a.e, a.g, from, &t, data, 8), RX_STORED);
}

/* Let a child count only. */
static void count_one(unsigned int from)
{
	const struct tch t = { .kind = TALLY_KIND_TRIGGER,
			       .opcode = TALLY_OPCODE_REDUCE_MP,
			       .counter = COUNTER,
			       .port = QPN,
			       .flags = TALLY_TCH_F_CP };

	assert_int_equal(rmq_packet(a.e, a.g, from, &t, NULL, 0), RX_STORED);
}

static void acknowledge(unsigned int idx, const struct wr *w)
{
	const struct acked x = { TALLY_KIND_TRIGGER, 0, QPN, w->w.index };

	trigger_tx_acked(a.e, idx, &x);
}

static void check_sent(int32_t first, int32_t second)
{
	int32_t data[2];

	assert_int_equal(a.len, 8);
	memcpy(data, a.payload, 8);
	assert_int_equal(data[0], first);
	assert_int_equal(data[1], second);
}

/* ---- Buffers ---- */

static void four_have_buffers(void **state)
{
	struct wr *w[TALLY_SEND_BUFS + 1];
	unsigned int i;

	(void)state;
	for (i = 0; i <= TALLY_SEND_BUFS; i++) {
		w[i] = descriptor(TALLY_OPCODE_BCAST_MP, TALLY_WQE_F_SWP_MP);
		w[i]->w.node_mask = 1;
	}
	for (i = 0; i < TALLY_SEND_BUFS; i++) {
		start(w[i]);
		assert_int_equal(w[i]->buf, i + 1);
		assert_int_equal(w[i]->state, WR_ACTIVE);
		assert_memory_equal(qp->bufs[i].data, w[i]->w.data, 8);
	}
	a.e->now += 3;
	assert_false(trigger_start(a.e, qp, w[TALLY_SEND_BUFS]));
	assert_int_equal(w[TALLY_SEND_BUFS]->state, WR_READY);
	assert_int_equal(w[TALLY_SEND_BUFS]->since, a.e->now); /* its time limit runs already */
	assert_int_equal(qp->bufs_used, 15);
	acknowledge(0, w[2]);
	assert_int_equal(w[2]->buf, 0);
	assert_int_equal(qp->bufs_used, 11);
	start(w[TALLY_SEND_BUFS]);
	assert_int_equal(w[TALLY_SEND_BUFS]->buf, 3);
}

/* One that has a buffer already takes no other. */
static void buffer_is_taken_once(void **state)
{
	(void)state;
	wr->buf = 2;
	qp->bufs_used = 2;
	wr->w.cpcnt = 1;
	start(wr);
	assert_int_equal(wr->buf, 2);
	assert_int_equal(qp->bufs_used, 2);
}

/* ---- Data ---- */

static void data_in_the_request(void **state)
{
	(void)state;
	wr->w.node_mask = 2;
	start(wr);
	assert_true(wr->data_ready && wr->fired);
	assert_int_equal(a.reads, 0);
	check_sent(1, 2);
}

/* One that sends its own data leaves messages to others, and has nothing to do with their sum. */
static void own_data_are_sent_alone(void **state)
{
	struct wr *first = wr;

	(void)state;
	first->w.flags |= TALLY_WQE_F_SWP_FLAG;
	first->w.cpcnt = 1;
	message(0, 1, 0);
	message(0, 1, 0);
	start(first);
	assert_true(first->fired);
	wr = descriptor(TALLY_OPCODE_REDUCE_MP, TALLY_WQE_F_SWP_MP);
	wr->w.node_mask = 2;
	start(wr);
	check_sent(1, 2);
	assert_null(qp->waiting);
	assert_int_equal(qp->rmq_cells, 1);
}

static void data_are_read(void **state)
{
	const int32_t data[2] = { 7, 8 };

	(void)state;
	wr->w.node_mask = 2;
	wr->w.num_gather = 1;
	start(wr);
	assert_int_equal(a.reads, 1);
	assert_int_equal(a.read[0].sge.addr, 0x1000);
	assert_int_equal(a.read[0].sge.length, 8);
	assert_false(wr->data_ready || wr->fired);
	assert_int_equal(a.sent, 0);
	trigger_data(a.e, qp, wr, data);
	trigger_pump(a.e, qp, wr);
	assert_true(wr->fired);
	check_sent(7, 8);
}

static void values_get_indices(void **state)
{
	uint32_t pair[4];

	(void)state;
	wr->w.op = TALLY_OP_MINLOC;
	wr->w.flags |= TALLY_WQE_F_LOC_VALUES;
	wr->w.elem = 8;
	wr->w.loc_index = 50;
	wr->w.node_mask = 2;
	start(wr);
	assert_int_equal(a.len, 16);
	memcpy(pair, a.payload, 16);
	assert_int_equal(pair[0], 1);
	assert_int_equal(pair[1], 50);
	assert_int_equal(pair[3], 51);
}

/* ---- Firing ---- */

static void counter_reaches_cpcnt(void **state)
{
	(void)state;
	wr->w.cpcnt = 2;
	wr->w.node_mask = 1;
	start(wr);
	assert_false(wr->fired);
	count_one(0);
	trigger_pump(a.e, qp, wr);
	assert_false(wr->fired);
	count_one(2);
	trigger_pump(a.e, qp, wr);
	assert_true(wr->fired);
	assert_int_equal(qp->counters[COUNTER].count, 0);
	assert_int_equal(a.counters[TALLY_CTR_fired], 1);
	trigger_pump(a.e, qp, wr);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.counters[TALLY_CTR_fired], 1);
}

static void result_takes_the_place_of_data(void **state)
{
	(void)state;
	wr->w.flags |= TALLY_WQE_F_SWP_FLAG;
	wr->w.cpcnt = 2;
	wr->w.node_mask = 4;
	message(0, 2, 0);
	start(wr);
	assert_true(wr->data_ready);
	message(1, 2, 0);
	trigger_pump(a.e, qp, wr);
	assert_true(wr->fired);
	check_sent(30, 60);
}

static void own_data_take_part(void **state)
{
	(void)state;
	wr->w.flags |= TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_RFLAG;
	wr->w.cpcnt = 1;
	wr->w.node_mask = 4;
	start(wr);
	message(1, 1, 0);
	trigger_pump(a.e, qp, wr);
	check_sent(21, 42);
}

/* The counter is reached by messages that only count, but the result lacks some. */
static void result_is_not_complete(void **state)
{
	(void)state;
	wr->w.flags |= TALLY_WQE_F_SWP_FLAG;
	wr->w.cpcnt = 2;
	start(wr);
	assert_false(trigger_lacks_messages(qp, wr));
	message(0, 2, 0);
	count_one(1);
	a.g->timer.touched = false;
	trigger_pump(a.e, qp, wr);
	assert_false(wr->fired);
	assert_true(trigger_lacks_messages(qp, wr));
	assert_true(a.g->timer.touched);
	wr->w.flags &= ~TALLY_WQE_F_SWP_FLAG;
	assert_false(trigger_lacks_messages(qp, wr));
	wr->w.flags |= TALLY_WQE_F_SWP_FLAG;
	wr->data_ready = false;
	assert_false(trigger_lacks_messages(qp, wr));
	wr->data_ready = true;
	wr->fired = true;
	assert_false(trigger_lacks_messages(qp, wr));
	wr->fired = false;
	wr->state = WR_READY;
	assert_false(trigger_lacks_messages(qp, wr));
	wr->state = WR_ACTIVE;
	wr->w.opcode = TALLY_OPCODE_ALLREDUCE;
	assert_false(trigger_lacks_messages(qp, wr));
}

static void error_vectors_come_together(void **state)
{
	(void)state;
	wr->w.flags |= TALLY_WQE_F_SWP_FLAG;
	wr->w.err_vector = TALLY_ERR_FP_INVALID;
	wr->w.cpcnt = 1;
	wr->w.node_mask = 1;
	start(wr);
	message(0, 1, TALLY_ERR_FP_INEXACT);
	trigger_pump(a.e, qp, wr);
	assert_int_equal(be16toh(a.last.err_vector), TALLY_ERR_FP_INVALID | TALLY_ERR_FP_INEXACT);
	assert_int_equal(wr->err_vector, TALLY_ERR_FP_INVALID | TALLY_ERR_FP_INEXACT);
	assert_int_equal(wr->status, 0);
}

/* ---- Agreement ---- */

/* Whether a descriptor agrees with the result of so many messages, of two INT32 with SUM. */
static bool agrees(uint8_t opcode, uint8_t op, uint8_t dtype, uint32_t count, unsigned int messages)
{
	bool spoilt;
	unsigned int i;

	teardown(NULL);
	setup(NULL);
	wr->w.opcode = opcode;
	wr->w.op = op;
	wr->w.dtype = dtype;
	wr->w.count = count;
	wr->w.flags |= TALLY_WQE_F_SWP_FLAG;
	wr->w.cpcnt = messages;
	wr->w.node_mask = 1;
	start(wr);
	for (i = 0; i < messages; i++)
		message(i, messages, 0);
	trigger_pump(a.e, qp, wr);
	assert_true(wr->fired);
	spoilt = wr->err_vector & TALLY_ERR_MISMATCH;
	assert_int_equal(wr->status, spoilt ? TALLY_COLL_MISMATCH : TALLY_COLL_OK);
	assert_int_equal(a.len, spoilt ? 0 : 8);
	return !spoilt;
}

static void descriptors_that_disagree(void **state)
{
	const uint8_t reduce = TALLY_OPCODE_REDUCE_MP, bcast = TALLY_OPCODE_BCAST_MP;

	(void)state;
	assert_true(agrees(reduce, TALLY_OP_SUM, TALLY_TYPE_INT32, 2, 2));
	assert_false(agrees(reduce, TALLY_OP_MAX, TALLY_TYPE_INT32, 2, 2));
	assert_false(agrees(reduce, TALLY_OP_MAX, TALLY_TYPE_INT32, 2, 1));
	assert_false(agrees(reduce, TALLY_OP_SUM, TALLY_TYPE_UINT32, 2, 1));
	assert_false(agrees(reduce, TALLY_OP_SUM, TALLY_TYPE_INT32, 1, 1));
	assert_false(agrees(reduce, TALLY_OP_SUM, TALLY_TYPE_INT32, 3, 1));
	/* a broadcast only passes on, unless it names the operation of several messages */
	assert_true(agrees(bcast, TALLY_OP_NONE, TALLY_TYPE_INT32, 2, 1));
	assert_true(agrees(bcast, TALLY_OP_NONE, TALLY_TYPE_INT32, 2, 2));
	assert_true(agrees(bcast, TALLY_OP_MAX, TALLY_TYPE_INT32, 2, 1));
	assert_false(agrees(bcast, TALLY_OP_MAX, TALLY_TYPE_INT32, 2, 2));
	assert_true(agrees(bcast, TALLY_OP_SUM, TALLY_TYPE_INT32, 2, 2));
}

/* Elements of another size disagree, although type and count are the same. */
static void pairs_are_no_values(void **state)
{
	(void)state;
	wr->w.opcode = TALLY_OPCODE_BCAST_MP;
	wr->w.flags |= TALLY_WQE_F_SWP_FLAG;
	wr->w.cpcnt = 1;
	wr->w.elem = 8;
	start(wr);
	message(0, 1, 0);
	trigger_pump(a.e, qp, wr);
	assert_int_equal(wr->err_vector, TALLY_ERR_MISMATCH);
}

/* It writes no result, tells those it sends to, and its completion names who disagreed. */
static void disagreement_is_told(void **state)
{
	(void)state;
	wr->w.flags |= TALLY_WQE_F_SWP_FLAG;
	wr->w.cpcnt = 2;
	wr->w.node_mask = 1;
	wr->w.num_result = 1;
	start(wr);
	message(0, 2, 0);
	message(1, 3, 0); /* disagrees in Branch */
	trigger_pump(a.e, qp, wr);
	assert_true(wr->fired);
	assert_int_equal(a.writes, 0);
	assert_int_equal(be16toh(a.last.err_vector), TALLY_ERR_MISMATCH);
	assert_int_equal(be32toh(a.last.count) | be32toh(a.last.total), 0);
	assert_int_equal(wr->report.status, TALLY_COLL_MISMATCH);
	assert_int_equal(wr->report.detector, 3);
	assert_int_equal(wr->report.contributors, 2);
	assert_int_equal(wr->report.mid, 6);
	assert_true(group_alive(a.g));
	acknowledge(0, wr);
	assert_int_equal(a.cqes, 1);
	assert_int_equal(le16toh(a.cqe[0].cqe.coll_status), TALLY_COLL_MISMATCH);
}

static void firing_without_messages(void **state)
{
	(void)state;
	wr->w.flags |= TALLY_WQE_F_SWP_FLAG;
	wr->w.cpcnt = 2;
	wr->w.node_mask = 1;
	start(wr);
	message(0, 2, 0);
	count_one(1);
	trigger_give_up(a.e, qp, wr);
	assert_true(wr->fired);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.len, 0);
	assert_int_equal(wr->status, TALLY_COLL_MISMATCH);
}

/* A mark of a disagreement before is passed on, even by one that only counts. */
static void mark_is_passed_on(void **state)
{
	(void)state;
	wr->w.err_vector = TALLY_ERR_MISMATCH;
	wr->w.node_mask = 1;
	start(wr);
	assert_int_equal(a.len, 0);
	assert_int_equal(wr->report.contributors, 0);
	assert_int_equal(wr->status, TALLY_COLL_MISMATCH);
}

/* ---- Sending ---- */

static void header_of_a_message(void **state)
{
	(void)state;
	wr->w.node_mask = 1;
	wr->w.flags |= TALLY_WQE_F_CP;
	a.g->edges[0].remote_index = 9;
	start(wr);
	assert_int_equal(a.last.kind, TALLY_KIND_TRIGGER);
	assert_int_equal(a.last.contributor, 9);
	assert_int_equal(a.last.opcode, TALLY_OPCODE_REDUCE_MP);
	assert_int_equal(a.last.op, TALLY_OP_SUM);
	assert_int_equal(a.last.dtype, TALLY_TYPE_INT32);
	assert_int_equal(a.last.branch, 3);
	assert_int_equal(a.last.counter, 1);
	assert_int_equal(be16toh(a.last.port), 0x203);
	assert_int_equal(be32toh(a.last.mid), 6);
	assert_int_equal(be32toh(a.last.count), 2);
	assert_int_equal(be32toh(a.last.total), 2);
	assert_int_equal(be16toh(a.last.flags), TALLY_TCH_F_CP | TALLY_TCH_F_SWP_MP);
	assert_int_equal(a.g->tx[0].qp, QPN);
	assert_int_equal(a.g->tx[0].wqe, wr->w.index);
}

/* A message that only counts has no data, though the descriptor writes them to memory. */
static void message_that_only_counts(void **state)
{
	(void)state;
	wr->w.node_mask = 1;
	wr->w.num_result = 1;
	wr->w.flags = TALLY_WQE_F_CP;
	start(wr);
	assert_int_equal(be16toh(a.last.flags), TALLY_TCH_F_CP);
	assert_int_equal(a.len, 0);
	assert_int_equal(be32toh(a.last.count), 0);
	assert_int_equal(a.writes, 1);
	assert_int_equal(a.write[0].sge.addr, 0x2000);
	assert_memory_equal(a.write[0].data, "\1\0\0\0\2\0\0\0", 8);
}

static void all_must_acknowledge(void **state)
{
	(void)state;
	wr->w.node_mask = 5;
	wr->w.num_result = 1;
	wr->w.flags |= TALLY_WQE_F_TO_PARENT;
	start(wr);
	assert_int_equal(a.sent, 3);
	assert_int_equal(wr->send_todo, 0);
	assert_int_equal(wr->send_waiting, 5);
	assert_false(wr->parent_todo);
	assert_true(wr->parent_waiting && wr->write_todo);
	acknowledge(2, wr);
	assert_int_equal(wr->send_waiting, 1);
	trigger_written(a.e, qp, wr);
	assert_false(wr->write_todo);
	acknowledge(0, wr);
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_int_equal(qp->bufs_used, 1);
	wr->io = 0;
	acknowledge(EDGE_PARENT, wr);
	assert_int_equal(wr->state, WR_FREE);
	assert_int_equal(qp->bufs_used, 0);
	assert_int_equal(a.cqes, 1);
	assert_int_equal(a.cqe[0].cqe.status, TALLY_WC_SUCCESS);
}

static void write_comes_last(void **state)
{
	(void)state;
	wr->w.node_mask = 1;
	wr->w.num_result = 1;
	start(wr);
	acknowledge(0, wr);
	assert_int_equal(wr->state, WR_ACTIVE);
	wr->io = 0;
	trigger_written(a.e, qp, wr);
	assert_int_equal(a.cqes, 1);
}

/* A neighbour without a number to spare gets the message later, the others at once. */
static void edges_without_a_number(void **state)
{
	(void)state;
	wr->w.node_mask = 3;
	wr->w.flags |= TALLY_WQE_F_TO_PARENT;
	a.g->edges[0].tx_next = TALLY_EDGE_WINDOW;
	a.g->edges[EDGE_PARENT].unconfirmed = true;
	start(wr);
	assert_int_equal(a.sent, 1);
	assert_int_equal(wr->send_todo, 1);
	assert_int_equal(wr->send_waiting, 2);
	assert_true(wr->parent_todo);
	acknowledge(1, wr);
	assert_int_equal(wr->state, WR_ACTIVE);
	a.g->edges[0].tx_una = 1;
	trigger_pump(a.e, qp, wr);
	assert_int_equal(a.sent, 2);
	assert_int_equal(wr->send_todo, 0);
	assert_int_equal(wr->send_waiting, 1);
	a.g->edges[EDGE_PARENT].unconfirmed = false;
	trigger_pump(a.e, qp, wr);
	assert_int_equal(a.sent, 3);
	acknowledge(0, wr);
	assert_int_equal(wr->state, WR_ACTIVE);
	acknowledge(EDGE_PARENT, wr);
	assert_int_equal(wr->state, WR_FREE);
}

/* The flag word is written when everything else is done; acknowledgements then change nothing. */
static void flag_word_comes_last(void **state)
{
	(void)state;
	wr->w.node_mask = 1;
	wr->w.flags |= TALLY_WQE_F_FLAG_WORD;
	start(wr);
	assert_int_equal(a.writes, 0);
	acknowledge(0, wr);
	assert_int_equal(a.writes, 1);
	assert_int_equal(wr->buf, 0);
	acknowledge(0, wr);
	trigger_pump(a.e, qp, wr);
	assert_int_equal(a.writes, 1);
	assert_int_equal(a.sent, 1);
}

/* ---- To this node ---- */

static void message_to_itself(void **state)
{
	const struct counter *c = &qp->counters[1];

	(void)state;
	wr->w.flags |= TALLY_WQE_F_TO_SELF | TALLY_WQE_F_CP;
	wr->w.dest_port = QPN;
	start(wr);
	assert_int_equal(wr->state, WR_FREE);
	assert_int_equal(c->count, 1);
	assert_int_equal(c->order[0], TALLY_CONTRIB_SELF);
	assert_memory_equal(a.e->cells[c->head].data, "\1\0\0\0\2\0\0\0", 8);
}

static void no_cell_for_itself(void **state)
{
	(void)state;
	wr->w.flags |= TALLY_WQE_F_TO_SELF;
	wr->w.dest_port = QPN;
	a.e->shared_used = TALLY_RMQ_CELLS;
	start(wr);
	assert_int_equal(wr->state, WR_ACTIVE);
	assert_true(wr->starved && wr->self_todo);
	assert_true(group_alive(a.g));
	a.e->shared_used--;
	trigger_pump(a.e, qp, wr);
	assert_int_equal(wr->state, WR_FREE);
	assert_int_equal(a.cqes, 1);
}

/* Others wait for what it would have sent, so the epoch ends. */
static void no_port_for_itself(void **state)
{
	(void)state;
	wr->w.flags |= TALLY_WQE_F_TO_SELF;
	wr->w.dest_port = QPN + 1;
	start(wr);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_BAD_DEST);
	assert_int_equal(alone_exception(&a)->ranks, 1);
	assert_int_equal(alone_exception(&a)->contributors, 0);
	assert_int_equal(alone_exception(&a)->mid, 6);
	assert_int_equal(alone_exception(&a)->sid, NO_CHUNK);
}

/* ---- Blame ---- */

static void contributors_that_lack(void **state)
{
	(void)state;
	wr->w.cpcnt = 3;
	start(wr);
	assert_int_equal(trigger_lacking(a.g, qp, wr), 7);
	count_one(1);
	assert_int_equal(trigger_lacking(a.g, qp, wr), 5);
	wr->w.cpcnt = 2; /* any two would do */
	assert_int_equal(trigger_lacking(a.g, qp, wr), 0);
	wr->w.cpcnt = 4;
	assert_int_equal(trigger_lacking(a.g, qp, wr), 5);
	wr->fired = true;
	assert_int_equal(trigger_lacking(a.g, qp, wr), 0);
	wr->fired = false;
	wr->w.opcode = TALLY_OPCODE_BCAST_MP;
	assert_int_equal(trigger_lacking(a.g, qp, wr), 0);
	wr->w.opcode = TALLY_OPCODE_REDUCE_MP;
	wr->state = WR_READY;
	assert_int_equal(trigger_lacking(a.g, qp, wr), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(four_have_buffers),
		TEST(buffer_is_taken_once),
		TEST(data_in_the_request),
		TEST(own_data_are_sent_alone),
		TEST(data_are_read),
		TEST(values_get_indices),
		TEST(counter_reaches_cpcnt),
		TEST(result_takes_the_place_of_data),
		TEST(own_data_take_part),
		TEST(result_is_not_complete),
		TEST(error_vectors_come_together),
		TEST(descriptors_that_disagree),
		TEST(pairs_are_no_values),
		TEST(disagreement_is_told),
		TEST(firing_without_messages),
		TEST(mark_is_passed_on),
		TEST(header_of_a_message),
		TEST(message_that_only_counts),
		TEST(all_must_acknowledge),
		TEST(write_comes_last),
		TEST(edges_without_a_number),
		TEST(flag_word_comes_last),
		TEST(message_to_itself),
		TEST(no_cell_for_itself),
		TEST(no_port_for_itself),
		TEST(contributors_that_lack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
