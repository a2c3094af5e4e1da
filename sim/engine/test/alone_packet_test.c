// SPDX-License-Identifier: BSD-2-Clause
/* The parser of packets alone: the unit that an admitted packet goes to. */
#include "engine/test/alone_arrive.h"
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/events.h"

#include <endian.h>

/* ---- The unit that a packet goes to ---- */

static void contribution_enters_its_slot(void **state)
{
	const struct slot *s;

	(void)state;
	TAKEN(reduce, w->mid = htobe32(9); w->num = htobe32(2); p.payload[0] = 42;
	      w->err_vector = htobe16(TALLY_ERR_FP_INEXACT); w->done = htobe32(1);
	      w->limit = htobe16(11));
	s = slot_of(a.e, a.g, 2);
	assert_int_equal(s->state, TALLY_SEG_BUSY);
	assert_int_equal(s->num, 2);
	assert_int_equal(s->mid, 9);
	assert_int_equal(s->sid, 0);
	assert_int_equal(s->opcode, TALLY_OPCODE_ALLREDUCE);
	assert_int_equal(s->op, TALLY_OP_SUM);
	assert_int_equal(s->dtype, TALLY_TYPE_INT32);
	assert_int_equal(s->total, 2);
	assert_int_equal(s->count, 2);
	assert_int_equal(s->mode, TALLY_MODE_TREE);
	assert_int_equal(s->err_vector, TALLY_ERR_FP_INEXACT);
	assert_int_equal(s->up_contributors, 1);
	assert_int_equal(s->data[0], 42);
	assert_int_equal(a.g->edges[1].rx_top, 500);
	assert_int_equal(a.g->edges[1].received, 1);
	assert_int_equal(a.g->edges[1].peer_done, 1);
	assert_int_equal(a.g->edges[1].peer_limit, 12);
	assert_int_equal(a.g->edges[1].ack_at, a.e->now + ACK_DELAY);
	DROPPED(duplicates, reduce, );
	DROPPED(drop_window, reduce, w->edge_seq = htobe32(500 + TALLY_EDGE_WINDOW + 1));
	DROPPED(drop_window, reduce, w->edge_seq = htobe32(500 - TALLY_EDGE_WINDOW));
}

static void root_is_passed_on(void **state)
{
	(void)state;
	TAKEN(reduce, w->opcode = TALLY_OPCODE_REDUCE; w->root_node = htobe16(3);
	      w->root_rank = 33);
	assert_int_equal(slot_of(a.e, a.g, 0)->root_node, 3);
	assert_int_equal(slot_of(a.e, a.g, 0)->root_rank, 33);
}

static void chunk_is_passed_on(void **state)
{
	const struct slot *s;

	(void)state;
	TAKEN(reduce, w->sid = htobe32(3); w->total = htobe32(9); w->flags = 0);
	s = slot_of(a.e, a.g, 0);
	assert_int_equal(s->sid, 3);
	assert_int_equal(s->first, 6);
	assert_int_equal(s->total, 9);
}

static void result_is_passed_on(void **state)
{
	(void)state;
	TAKEN(result, p.payload[4] = 5);
	assert_true(slot_of(a.e, a.g, 0)->down_have);
	assert_int_equal(slot_down(slot_of(a.e, a.g, 0))[4], 5);
	assert_int_equal(a.g->edges[EDGE_PARENT].received, 1);
}

/* Messages to one counter keep their order; the one in num must be stored before. */
static void message_goes_to_its_port(void **state)
{
	const struct counter *c;
	struct qp *qp;

	(void)state;
	TAKEN(trigger, qp = alone_qp(&a, PORT, 1); w->counter = 2; p.payload[0] = 7;
	      w->err_vector = htobe16(TALLY_ERR_FP_INVALID));
	c = &qp->counters[2];
	assert_int_equal(c->counted[0], 2);
	assert_int_equal(a.e->cells[c->head].data[0], 7);
	assert_int_equal(a.e->cells[c->head].sum.branch, 2);
	assert_int_equal(a.e->cells[c->head].sum.op, TALLY_OP_SUM);
	assert_int_equal(a.e->cells[c->head].sum.dtype, TALLY_TYPE_INT32);
	assert_int_equal(a.e->cells[c->head].sum.count, 2);
	assert_int_equal(a.e->cells[c->head].sum.err_vector, TALLY_ERR_FP_INVALID);
	assert_int_equal(a.g->edges[1].rx_top, 500);
	DROPPED(drop_window, trigger, w->edge_seq = htobe32(502); w->num = htobe32(501));
	ARRIVE(trigger, drop_window, 0, w->edge_seq = w->num = htobe32(501); w->counter = 1);
	ARRIVE(trigger, drop_window, 0, w->edge_seq = htobe32(502); w->num = htobe32(501));
	assert_int_equal(a.counters[TALLY_CTR_busy_sent], 0);
	ARRIVE(trigger, drop_window, 0, w->edge_seq = w->num = htobe32(503); w->port = 0);
	assert_int_equal(a.counters[TALLY_CTR_busy_sent], 1);
	assert_int_equal(a.last.kind, TALLY_KIND_BUSY);
	assert_int_equal(be32toh(a.last.edge_seq), 503);
}

static void send_three(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);

		edge_send(a.e, a.g, 1, &t, NULL, 0);
	}
}

/* Contributions need not come in the order in which they were sent. */
static void contribution_out_of_order(void **state)
{
	(void)state;
	a.g->edges[1].rx_top = 1;
	ARRIVE(reduce, drop_window, 0, w->edge_seq = htobe32(2); w->num = htobe32(3));
	assert_int_equal(slot_of(a.e, a.g, 3)->state, TALLY_SEG_BUSY);
}

/* What arrives is no acknowledgement, whatever its payload says. */
static void data_acknowledge_nothing(void **state)
{
	struct edge *ed = &a.g->edges[1];

	(void)state;
	ed->tx_una = 500;
	ed->tx_next = 501;
	ed->tx_held = 1ULL << 500 % TALLY_EDGE_WINDOW;
	ARRIVE(reduce, drop_tch, 0, memset(p.payload, 0xff, 8));
	assert_int_equal(ed->tx_una, 500);
	assert_int_equal(a.counters[TALLY_CTR_busy_received], 0);
	assert_int_equal(a.sent, 0);
}

/* Two of three packets are acknowledged. */
static void acknowledgement_goes_to_its_edge(void **state)
{
	const uint64_t seen = htobe64(5);
	struct slot *s = slot_of(a.e, a.g, 0), *other = slot_of(a.e, a.g, 1);

	(void)state;
	send_three();
	a.g->tx[2].tch.num = 1;
	*s = *other = (struct slot){ .mode = TALLY_MODE_TREE, .up_waiting = true };
	ARRIVE(ack, drop_tch, 0, w->edge_seq = htobe32(2); memcpy(p.payload, &seen, 8));
	assert_int_equal(a.g->edges[1].tx_held, 2);
	assert_int_equal(a.g->edges[1].tx_una, 1);
	assert_int_equal(a.g->edges[0].tx_held, 0);
	assert_false(s->up_waiting || other->up_waiting);
	assert_int_equal(a.counters[TALLY_CTR_busy_received], 0);
}

static void acknowledgement_of_a_message(void **state)
{
	const uint64_t seen = htobe64(1);
	struct tch t = { .kind = TALLY_KIND_TRIGGER };
	struct tx_entry *tx;
	struct wr *wr;

	(void)state;
	wr = alone_wr(alone_qp(&a, 6, 1), WR_ACTIVE, TALLY_OPCODE_BCAST_MP, 0, 1);
	wr->send_waiting = 3;
	tx = edge_send(a.e, a.g, 1, &t, NULL, 0);
	tx->qp = 6;
	tx->wqe = 0;
	ARRIVE(ack, drop_tch, 0, memcpy(p.payload, &seen, 8));
	assert_int_equal(wr->send_waiting, 1);
}

static void acknowledgement_of_multicasts(void **state)
{
	const uint64_t seen = htobe64(1);
	struct slot *s = slot_of(a.e, a.g, 0);

	(void)state;
	a.g->flags |= TALLY_GROUP_F_MULTICAST;
	*s = (struct slot){ .state = TALLY_SEG_BUSY,
			    .mode = TALLY_MODE_TREE,
			    .down_todo = 3,
			    .opcode = TALLY_OPCODE_BARRIER,
			    .repair_at = NEVER };
	send_three();
	ARRIVE(ack, drop_tch, 0, memcpy(p.payload, &seen, 8);
	       w->flags = htobe16(TALLY_TCH_F_MULTICAST));
	assert_int_equal(s->down_todo, 1);
	assert_int_equal(a.g->edges[1].tx_held, 7);
}

static void busy_goes_to_its_edge(void **state)
{
	(void)state;
	send_three();
	a.g->edges[1].retries = 2;
	ARRIVE(busy, drop_tch, 0, w->edge_seq = htobe32(2));
	assert_int_equal(a.counters[TALLY_CTR_busy_received], 1);
	assert_int_equal(a.g->edges[1].retries, 0);
	assert_int_equal(a.g->edges[1].busy, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_REDUCE); /* it is not answered */
}

static void query_is_answered(void **state)
{
	(void)state;
	a.g->edges[1].probes = 2;
	ARRIVE(query, drop_tch, 0, w->num = htobe32(UINT32_MAX));
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_NOTIFY);
	assert_int_equal(a.g->edges[1].probes, 0);
	ARRIVE(notify, drop_tch, 0, w->done = htobe32(3));
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.g->edges[1].peer_done, 3);
}

/* A packet may open a window for which others of the group wait. */
static void group_proceeds(void **state)
{
	struct qp *qp = alone_qp(&a, 6, 1);

	(void)state;
	qp->posted = 1;
	ARRIVE(notify, drop_tch, 0, );
	assert_int_equal(a.fetches, 1);
	qp->fetching = false;
	ARRIVE(multicast, drop_tch, 0, );
	assert_int_equal(a.fetches, 2);
}

/* The firmware handles what has come for it. */
static void firmware_runs(void **state)
{
	(void)state;
	a.e->firmware = NULL;
	ARRIVE(kill, drop_tch, 0, );
	assert_int_equal(a.counters[TALLY_CTR_kills_received] + a.counters[TALLY_CTR_drop_kill], 1);
	assert_false(events_wait(a.e));
}

static const struct fw_event *next_event(void)
{
	events_next(a.e);
	return &a.e->event;
}

static void some_are_for_the_firmware(void **state)
{
	const struct fw_event *ev;

	(void)state;
	ARRIVE(open, drop_tch, 0, p.payload[55] = 4; w->epoch = htobe32(5);
	       w->flags = htobe16(TALLY_TCH_F_CONFIRM); w->sid = htobe32(8); w->done = htobe32(10);
	       w->limit = htobe16(2));
	ARRIVE(kill, drop_tch, 0, w->sid = htobe32(8));
	ARRIVE(kill_ack, drop_tch, 0, w->mid = htobe32(7); w->sid = htobe32(8));
	ev = next_event();
	assert_int_equal(ev->type, TALLY_FW_EV_OPEN);
	assert_int_equal(ev->edge, 1);
	assert_int_equal(ev->group, 0);
	assert_int_equal(ev->epoch, 5);
	assert_int_equal(ev->flags, TALLY_TCH_F_CONFIRM);
	assert_int_equal(ev->sid, 12);
	assert_int_equal(ev->data[13] >> 24, 4);
	ev = next_event();
	assert_int_equal(ev->type, TALLY_FW_EV_KILL);
	assert_int_equal(ev->sid, 8);
	ev = next_event();
	assert_int_equal(ev->type, TALLY_FW_EV_KILL_ACK);
	assert_int_equal(ev->mid, 7);
	assert_int_equal(ev->sid, 8);
	assert_int_equal(next_event()->type, TALLY_FW_EV_NONE);
}

/* The hardware takes its time to receive and to form a packet. */
static void packets_take_time(void **state)
{
	(void)state;
	a.e->timing = (struct engine_timing){ .clock_mhz = 250, .parse = 5, .encap = 3 };
	ARRIVE(query, drop_tch, 0, w->num = htobe32(UINT32_MAX));
	assert_int_equal(a.delay, 8 * 4 * NS);
	ARRIVE(query, drop_tch, 0, w->num = htobe32(UINT32_MAX));
	assert_int_equal(a.delay, 8 * 4 * NS);
}

/* ---- After the end ---- */

/* In a group that was destroyed, what its neighbours repeat is answered, and what is new is told. */
static void end_that_was_good(void **state)
{
	(void)state;
	a.g->state = TALLY_GROUP_DEAD;
	a.g->ended_well = true;
	a.g->done = a.g->limit = 4;
	ARRIVE(reduce, duplicates, 1, w->edge_seq = htobe32(499));
	assert_int_equal(a.last.kind, TALLY_KIND_ACK);
	assert_int_equal(next_event()->type, TALLY_FW_EV_NONE);
	ARRIVE(query, drop_tch, 0, w->num = htobe32(3));
	assert_int_equal(a.last.kind, TALLY_KIND_NOTIFY);
	assert_int_equal(next_event()->type, TALLY_FW_EV_NONE);
	ARRIVE(query, drop_tch, 0, w->num = htobe32(4));
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	ARRIVE(reduce, drop_tch, 0, );
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	assert_int_equal(a.sent, 2);
	ARRIVE(reduce, duplicates, 0, w->edge_seq = htobe32(499);
	       a.g->edges[1].state = TALLY_EDGE_OPENING);
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
}

static void end_by_an_error(void **state)
{
	(void)state;
	a.g->state = TALLY_GROUP_DEAD;
	a.g->done = a.g->limit = 4;
	ARRIVE(reduce, duplicates, 0, w->edge_seq = htobe32(499));
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	assert_int_equal(a.e->event.edge, 1);
	ARRIVE(result, drop_tch, 0, );
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	ARRIVE(trigger, drop_tch, 0, );
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	ARRIVE(query, drop_tch, 0, w->num = htobe32(3));
	assert_int_equal(next_event()->type, TALLY_FW_EV_AFTER_END);
	ARRIVE(multicast, drop_tch, 0, );
	assert_int_equal(next_event()->edge, EDGE_PARENT);
	ARRIVE(multicast, drop_tch, 0, a.g->parent = 1);
	assert_int_equal(next_event()->edge, 1);
	ARRIVE(ack, drop_tch, 0, );
	ARRIVE(busy, drop_tch, 0, );
	ARRIVE(notify, drop_tch, 0, );
	assert_int_equal(next_event()->type, TALLY_FW_EV_NONE);
	ARRIVE(kill, drop_tch, 0, );
	assert_int_equal(next_event()->type, TALLY_FW_EV_KILL);
	assert_int_equal(a.sent, 0);
	assert_int_equal(slot_of(a.e, a.g, 0)->state, TALLY_SEG_FREE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, arrive_setup, arrive_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(contribution_enters_its_slot),
		TEST(root_is_passed_on),
		TEST(chunk_is_passed_on),
		TEST(result_is_passed_on),
		TEST(message_goes_to_its_port),
		TEST(contribution_out_of_order),
		TEST(data_acknowledge_nothing),
		TEST(acknowledgement_goes_to_its_edge),
		TEST(acknowledgement_of_a_message),
		TEST(acknowledgement_of_multicasts),
		TEST(busy_goes_to_its_edge),
		TEST(query_is_answered),
		TEST(group_proceeds),
		TEST(firmware_runs),
		TEST(some_are_for_the_firmware),
		TEST(packets_take_time),
		TEST(end_that_was_good),
		TEST(end_by_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
