// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hardware's side of the firmware alone: the queue of events, the commands, fibers, and the
 * runner, by which the firmware takes its time.
 */
#include "engine/commands.h"
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/events.h"
#include "engine/exception.h"
#include "engine/fiber.h"
#include "engine/firmware_run.h"
#include "engine/jid.h"
#include "engine/test/alone.h"
#include "firmware/port.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct alone a;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static const struct fw_event *next(void)
{
	events_next(a.e);
	return &a.e->event;
}

/* ---- Events ---- */

static void events_keep_their_order(void **state)
{
	uint64_t at = 5;

	(void)state;
	assert_false(events_wait(a.e));
	assert_int_equal(next()->type, TALLY_FW_EV_NONE);
	events_of_group(a.e, &a.e->groups[3], TALLY_FW_EV_BEGIN);
	events_after_end(a.e, &a.e->tombstones[2], 1);
	events_timer(a.e, &a.e->groups[4], 7, &at);
	assert_true(events_wait(a.e));
	assert_int_equal(a.e->events_raised, 3);
	assert_int_equal(at, NEVER);
	assert_int_equal(next()->type, TALLY_FW_EV_BEGIN);
	assert_int_equal(a.e->event.group, 3);
	assert_int_equal(a.e->event.edge, NO_EDGE);
	assert_int_equal(next()->type, TALLY_FW_EV_AFTER_END);
	assert_int_equal(a.e->event.group, TALLY_MAX_GROUP + 2);
	assert_int_equal(a.e->event.edge, 1);
	assert_int_equal(next()->type, TALLY_FW_EV_TIMER);
	assert_int_equal(a.e->event.group, 4);
	assert_int_equal(a.e->event.edge, 7);
	assert_int_equal(next()->type, TALLY_FW_EV_NONE);
	assert_int_equal(a.e->event.group, 0);
	assert_int_equal(a.e->events_shared, 0);
}

static void numbers_of_groups(void **state)
{
	const uint32_t last = TALLY_MAX_GROUP + TALLY_MAX_TOMBSTONES - 1;
	uint32_t n;

	(void)state;
	for (n = 0; n <= last; n++)
		assert_int_equal(events_number(a.e, events_group(a.e, n)), n);
	assert_ptr_equal(events_group(a.e, TALLY_MAX_GROUP - 1), &a.e->groups[TALLY_MAX_GROUP - 1]);
	assert_ptr_equal(events_group(a.e, TALLY_MAX_GROUP), &a.e->tombstones[0]);
}

static void packet(uint8_t kind, uint32_t mid)
{
	const struct tch t = { .kind = kind, .mid = mid };

	events_packet(a.e, a.g, 1, &t, "", 0);
}

/* Fill the queue with 64 packets. */
static void fill(void)
{
	unsigned int i;

	for (i = 0; i < TALLY_FW_EVENT_DEPTH; i++)
		packet(TALLY_KIND_KILL, i);
	assert_int_equal(a.counters[TALLY_CTR_drop_event], 0);
}

/* The 65th packet is dropped and counted, a timer comes again, and other events are never lost. */
static void queue_is_full(void **state)
{
	const struct report r = { 0 };
	uint64_t at = 5;
	unsigned int i;

	(void)state;
	fill();
	packet(TALLY_KIND_KILL, 99);
	assert_int_equal(a.counters[TALLY_CTR_drop_event], 1);
	events_after_end(a.e, a.g, 1);
	assert_int_equal(a.counters[TALLY_CTR_drop_event], 2);
	events_timer(a.e, a.g, 1, &at);
	assert_int_equal(at, a.e->now + 1 * US);
	assert_int_equal(a.counters[TALLY_CTR_drop_event], 2);
	assert_int_equal(a.e->events_raised, TALLY_FW_EVENT_DEPTH);
	events_exception(a.e, a.g, TALLY_FW_CAUSE_SILENCE, &r);
	events_of_group(a.e, a.g, TALLY_FW_EV_FENCED);
	events_of_group(a.e, a.g, TALLY_FW_EV_DRAINED);
	events_of_group(a.e, a.g, TALLY_FW_EV_BEGIN);
	events_query(a.e, &a.e->qps[5], 6);
	for (i = 0; i < TALLY_FW_EVENT_DEPTH; i++)
		assert_int_equal(next()->mid, i);
	assert_int_equal(next()->type, TALLY_FW_EV_EXCEPTION);
	assert_int_equal(next()->type, TALLY_FW_EV_FENCED);
	assert_int_equal(next()->type, TALLY_FW_EV_DRAINED);
	assert_int_equal(next()->type, TALLY_FW_EV_BEGIN);
	assert_int_equal(next()->type, TALLY_FW_EV_QUERY);
	assert_int_equal(a.e->event.qp, 5);
	assert_int_equal(a.e->event.mid, 6);
	assert_false(events_wait(a.e));
}

/* An event that is taken makes place for one packet, and only for one. */
static void place_becomes_free(void **state)
{
	(void)state;
	events_of_group(a.e, a.g, TALLY_FW_EV_BEGIN);
	fill();
	next(); /* has no part in the 64 */
	packet(TALLY_KIND_KILL, 99);
	assert_int_equal(a.counters[TALLY_CTR_drop_event], 1);
	next();
	packet(TALLY_KIND_KILL, 99);
	packet(TALLY_KIND_KILL, 99);
	assert_int_equal(a.counters[TALLY_CTR_drop_event], 2);
}

/* The queue is a ring; it begins anew when it is empty. */
static void queue_wraps(void **state)
{
	unsigned int i;

	(void)state;
	packet(TALLY_KIND_KILL, 0);
	for (i = 1; i < 2 * NUM_EVENTS + 10; i++) {
		packet(TALLY_KIND_KILL, i);
		assert_int_equal(next()->mid, i - 1);
		assert_true(events_wait(a.e));
	}
	assert_int_equal(next()->mid, i - 1);
	assert_false(events_wait(a.e));
	assert_int_equal(a.e->event_head, 0);
	assert_int_equal(a.e->event_tail, 0);
	assert_int_equal(a.counters[TALLY_CTR_drop_event], 0);
}

static void packets_have_their_fields(void **state)
{
	const struct tch t = { .kind = TALLY_KIND_OPEN,
			       .flags = 1,
			       .epoch = 2,
			       .mid = 3,
			       .sid = 4,
			       .done = UINT32_MAX,
			       .limit = 3 };
	struct tch closed = t, kill = t, ack = t;
	uint8_t data[64];

	(void)state;
	memset(data, 5, sizeof(data));
	closed.limit = 0;
	kill.kind = TALLY_KIND_KILL;
	ack.kind = TALLY_KIND_ACK;
	events_packet(a.e, a.g, 6, &t, data, sizeof(data));
	events_packet(a.e, a.g, EDGE_PARENT, &closed, data, 4);
	events_packet(a.e, a.g, 6, &kill, data, 4);
	events_packet(a.e, a.g, 6, &ack, data, 0);
	assert_int_equal(next()->type, TALLY_FW_EV_OPEN);
	assert_int_equal(a.e->event.edge, 6);
	assert_int_equal(a.e->event.flags, 1);
	assert_int_equal(a.e->event.epoch, 2);
	assert_int_equal(a.e->event.mid, 3);
	assert_int_equal(a.e->event.sid, 2); /* the sender's limit */
	assert_memory_equal(a.e->event.data, data, sizeof(data));
	assert_int_equal(next()->sid, 4); /* of an epoch that has ended */
	assert_int_equal(a.e->event.edge, EDGE_PARENT);
	assert_int_equal(a.e->event.data[0], 0x05050505);
	assert_int_equal(a.e->event.data[1], 0);
	assert_int_equal(next()->type, TALLY_FW_EV_KILL);
	assert_int_equal(a.e->event.sid, 4);
	assert_int_equal(next()->type, TALLY_FW_EV_KILL_ACK);
}

static void exceptions_have_their_fields(void **state)
{
	const struct report r = {
		.status = 1, .contributors = 1ULL << 40, .ranks = 1ULL << 41, .mid = 4, .sid = 5
	};

	(void)state;
	events_exception(a.e, &a.e->groups[6], TALLY_FW_CAUSE_TIME_OUT, &r);
	assert_int_equal(next()->cause, TALLY_FW_CAUSE_TIME_OUT);
	assert_int_equal(a.e->event.group, 6);
	assert_int_equal(a.e->event.edge, NO_EDGE);
	assert_int_equal(a.e->event.status, 1);
	assert_int_equal(a.e->event.contributors, 1ULL << 40);
	assert_int_equal(a.e->event.ranks, 1ULL << 41);
	assert_int_equal(a.e->event.mid, 4);
	assert_int_equal(a.e->event.sid, 5);
}

/* Of each of two groups, one packet, one event of its own, and one QUERY. */
static void raise_of_two(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		a.e->qps[i].cfg.group = i;
		events_after_end(a.e, &a.e->groups[i], 1);
		events_of_group(a.e, &a.e->groups[i], TALLY_FW_EV_DRAINED);
		events_query(a.e, &a.e->qps[i], i);
	}
}

static void check_left(uint32_t group, unsigned int num)
{
	assert_int_equal(next()->group, group);
	while (--num)
		assert_int_equal(next()->group, group);
	assert_int_equal(next()->type, TALLY_FW_EV_NONE);
	assert_int_equal(a.e->events_shared, 0);
}

static void events_of_a_group_are_dropped(void **state)
{
	(void)state;
	raise_of_two();
	events_drop(a.e, &a.e->groups[0]);
	assert_int_equal(a.e->events_shared, 1);
	check_left(1, 3);
	raise_of_two();
	events_drop(a.e, &a.e->groups[1]);
	check_left(0, 3);
	raise_of_two();
	events_drop(a.e, &a.e->groups[1]);
	events_drop(a.e, &a.e->groups[0]);
	assert_false(events_wait(a.e));
	assert_int_equal(a.e->events_shared, 0);
}

/* Where the queue wraps, too. */
static void events_are_dropped_across_the_wrap(void **state)
{
	(void)state;
	a.e->event_head = a.e->event_tail = NUM_EVENTS - 3;
	raise_of_two();
	events_drop(a.e, &a.e->groups[0]);
	check_left(1, 3);
}

static void queries_are_dropped_apart(void **state)
{
	(void)state;
	raise_of_two();
	events_drop_epoch(a.e, &a.e->groups[0]);
	events_drop(a.e, &a.e->groups[1]);
	assert_int_equal(next()->type, TALLY_FW_EV_QUERY);
	assert_false(events_wait(a.e));
	raise_of_two();
	events_query(a.e, &a.e->qps[2], 9);
	events_drop_query(a.e, &a.e->qps[0]);
	events_drop(a.e, &a.e->groups[1]);
	assert_int_equal(next()->type, TALLY_FW_EV_AFTER_END);
	assert_int_equal(next()->type, TALLY_FW_EV_DRAINED);
	assert_int_equal(next()->type, TALLY_FW_EV_QUERY);
	assert_int_equal(a.e->event.qp, 2);
	assert_false(events_wait(a.e));
}

/* ---- Exceptions ---- */

/* The first one freezes the group; those that follow from it are dropped. */
static void first_exception_counts(void **state)
{
	(void)state;
	a.g->fw_at = 7;
	exception_raise(a.e, a.g, TALLY_COLL_OP_MISMATCH, 1, 2, 3, 4);
	exception_time_out(a.e, a.g);
	exception_silence(a.e, a.g, 1);
	assert_int_equal(a.g->state, TALLY_GROUP_COLLECT);
	assert_int_equal(a.g->fw_at, NEVER);
	assert_int_equal(next()->status, TALLY_COLL_OP_MISMATCH);
	assert_int_equal(a.e->event.cause, TALLY_FW_CAUSE_KNOWN);
	assert_int_equal(a.e->event.contributors, 1);
	assert_int_equal(a.e->event.ranks, 2);
	assert_int_equal(a.e->event.mid, 3);
	assert_int_equal(a.e->event.sid, 4);
	assert_false(events_wait(a.e));
}

static void causes_of_exceptions(void **state)
{
	(void)state;
	exception_time_out(a.e, a.g);
	assert_int_equal(next()->cause, TALLY_FW_CAUSE_TIME_OUT);
	assert_int_equal(a.e->event.status, 0);
	a.g->state = TALLY_GROUP_OPENING;
	exception_silence(a.e, a.g, 6);
	assert_int_equal(next()->cause, TALLY_FW_CAUSE_SILENCE);
	assert_int_equal(a.e->event.contributors, 6);
	a.g->state = TALLY_GROUP_DRAINING;
	exception_time_out(a.e, a.g);
	assert_int_equal(next()->cause, TALLY_FW_CAUSE_TIME_OUT);
	a.g->state = TALLY_GROUP_DEAD;
	exception_time_out(a.e, a.g);
	assert_false(events_wait(a.e));
}

static void ranks_that_left(void **state)
{
	(void)state;
	a.g->rank_mask = 7;
	a.g->gone = 6;
	a.g->ranks[1].next_num = 5;
	a.g->ranks[2].next_num = 4;
	exception_if_gone(a.e, a.g, 3, 9);
	assert_true(group_alive(a.g));
	exception_if_gone(a.e, a.g, 4, 9);
	assert_int_equal(next()->status, TALLY_COLL_RANK_GONE);
	assert_int_equal(a.e->event.ranks, 4);
	assert_int_equal(a.e->event.mid, 9);
	a.g->state = TALLY_GROUP_OPEN;
	a.g->ranks[1].next_num = UINT32_MAX;
	a.g->ranks[2].next_num = 0;
	exception_if_gone(a.e, a.g, UINT32_MAX, 9);
	assert_int_equal(next()->ranks, 2);
}

/* ---- Commands ---- */

static void go(enum tally_fw_command_code code, unsigned int edge)
{
	commands_go(a.e, code | edge << 8);
}

static void command_send(void **state)
{
	struct fw_command *c = &a.e->command;

	(void)state;
	alone_children(&a, 2);
	*c = (struct fw_command){ .kind = TALLY_KIND_KILL,
				  .flags = 1,
				  .epoch = 2,
				  .key = 3,
				  .mid = 4,
				  .sid = 5,
				  .length = 8 };
	c->data[1] = 0x04030201;
	go(TALLY_FW_CMD_SEND, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_KILL);
	assert_int_equal(a.last.contributor, 1);
	assert_int_equal(be16toh(a.last.flags), 1);
	assert_int_equal(be32toh(a.last.epoch), 2);
	assert_int_equal(be32toh(a.last.key), 3);
	assert_int_equal(be32toh(a.last.mid), 4);
	assert_int_equal(be32toh(a.last.sid), 5);
	assert_int_equal(a.len, 8);
	assert_memory_equal(a.payload + 4, "\1\2\3\4", 4);
}

static void command_renew_edge(void **state)
{
	struct edge *ed = &a.g->edges[1];
	uint64_t nonce;
	uint32_t key;

	(void)state;
	alone_children(&a, 2);
	memset(&ed->nonce, 0x11, 16);
	ed->unconfirmed = true;
	ed->kill = ed->awaits_epoch = 1;
	ed->tx_una = ed->tx_next = 5;
	ed->tx_held = ed->chunk_top = ed->chunk_sent = ed->retries = ed->probes = 7;
	ed->peer_done = ed->told_done = 8;
	ed->fw_at = ed->rto_at = ed->ack_at = ed->announce_at = ed->probe_at = 9;
	a.g->limit = 3;
	a.g->num_segs = 2;
	go(TALLY_FW_CMD_RENEW_EDGE, 1);
	assert_int_equal(ed->state, TALLY_EDGE_OPENING);
	assert_true(ed->nonce && ed->nonce != 0x1111111111111111);
	assert_true(ed->key > 1);
	assert_int_equal(ed->peer_nonce | ed->peer_key, 0);
	assert_false(ed->unconfirmed);
	assert_int_equal(ed->kill | ed->awaits_epoch, 0);
	assert_int_equal(ed->tx_una, ed->tx_next);
	assert_true(ed->tx_una != 5);
	assert_int_equal(ed->tx_held | ed->chunk_top | ed->chunk_sent, 0);
	assert_int_equal(ed->peer_done | ed->told_done | ed->retries | ed->probes, 0);
	assert_int_equal(ed->peer_limit, 2);
	assert_int_equal(ed->told_limit, 3);
	assert_int_equal(ed->fw_at & ed->rto_at & ed->ack_at & ed->announce_at & ed->probe_at,
			 NEVER);
	nonce = ed->nonce;
	key = ed->key;
	go(TALLY_FW_CMD_RENEW_EDGE, 1);
	assert_true(ed->nonce != nonce && ed->key != key);
}

static void commands_of_an_open(void **state)
{
	const struct tally_tch_open o = { .nonce = htobe64(0x123456789),
					  .key = htobe32(0x80000001),
					  .first_seq = htobe32(0),
					  .num_segs = htobe16(7) };
	struct edge *ed = &a.g->edges[1];

	(void)state;
	memcpy(a.e->event.data, &o, sizeof(o));
	go(TALLY_FW_CMD_LEARN_PEER, 1);
	assert_int_equal(ed->peer_nonce, 0x123456789);
	assert_int_equal(ed->peer_key, 0x80000001);
	assert_int_equal(ed->state, TALLY_EDGE_NONE);
	a.e->event.sid = 12;
	ed->awaits_epoch = 1;
	go(TALLY_FW_CMD_OPEN_EDGE, 1);
	assert_int_equal(ed->state, TALLY_EDGE_OPEN);
	assert_true(ed->unconfirmed);
	assert_int_equal(ed->awaits_epoch, 0);
	assert_int_equal(ed->rx_top, UINT32_MAX);
	assert_int_equal(ed->rx_seen, ~0ULL);
	assert_int_equal(ed->peer_limit, 12);
	a.e->event.sid = 0;
	go(TALLY_FW_CMD_OPEN_EDGE, 1);
	assert_int_equal(ed->peer_limit, 7);
	go(TALLY_FW_CMD_SEND_OPEN, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_OPEN);
	assert_int_equal(be16toh(a.last.flags), 0);
	go(TALLY_FW_CMD_CONFIRM, 1);
	assert_int_equal(be16toh(a.last.flags), TALLY_TCH_F_CONFIRM);
}

static void settles(enum tally_group_state from, enum tally_group_state to)
{
	struct edge *ed = &a.g->edges[1];

	a.g->state = from;
	a.g->to_open = 1;
	a.e->proceeding = NULL;
	ed->unconfirmed = true;
	ed->fw_at = 5;
	go(TALLY_FW_CMD_SETTLE_EDGE, 1);
	assert_false(ed->unconfirmed);
	assert_int_equal(ed->fw_at, NEVER);
	assert_int_equal(a.g->to_open, 0);
	assert_int_equal(a.g->state, to);
	assert_ptr_equal(a.e->proceeding, a.g);
}

/* The last edge opens the group, unless that was frozen meanwhile or drains. */
static void command_settle_edge(void **state)
{
	(void)state;
	a.g->state = TALLY_GROUP_OPENING;
	a.g->to_open = 2;
	go(TALLY_FW_CMD_SETTLE_EDGE, 1);
	assert_int_equal(a.g->to_open, 1);
	assert_int_equal(a.g->state, TALLY_GROUP_OPENING);
	settles(TALLY_GROUP_OPENING, TALLY_GROUP_OPEN);
	settles(TALLY_GROUP_COLLECT, TALLY_GROUP_COLLECT);
	settles(TALLY_GROUP_DRAINING, TALLY_GROUP_DRAINING);
}

static void command_freeze(void **state)
{
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);

	(void)state;
	alone_children(&a, 2);
	edge_send(a.e, a.g, 1, &t, NULL, 0);
	a.g->edges[0].fw_at = a.g->edges[1].fw_at = 5;
	go(TALLY_FW_CMD_FREEZE, NO_EDGE);
	assert_int_equal(a.g->state, TALLY_GROUP_COLLECT);
	assert_int_equal(a.g->edges[0].fw_at & a.g->edges[1].fw_at, NEVER);
	assert_int_equal(a.g->edges[1].tx_held, 0);
	assert_int_equal(a.g->edges[1].rto_at, NEVER);
	assert_int_equal(a.g->unacked, 0);
	assert_int_equal(a.g->tx_free, 0); /* its entry is free */
}

static void command_fail(void **state)
{
	struct qp *first = alone_qp(&a, 1, 1), *second = alone_qp(&a, 2, 1);

	(void)state;
	alone_wr(first, WR_ACTIVE, TALLY_OPCODE_BARRIER, 0, 1);
	alone_wr(second, WR_ACTIVE, TALLY_OPCODE_BARRIER, 0, 1);
	slot_of(a.e, a.g, 0)->state = TALLY_SEG_BUSY;
	a.g->state = TALLY_GROUP_DEAD;
	a.g->report.status = TALLY_COLL_ABORTED;
	go(TALLY_FW_CMD_FAIL, NO_EDGE);
	assert_int_equal(a.cqes, 2);
	assert_int_equal(first->state, TALLY_QPS_ERROR);
	assert_int_equal(second->state, TALLY_QPS_ERROR);
	assert_int_equal(a.g->limit, a.g->done);
	assert_int_equal(a.eqes, 1);
	assert_int_equal(a.eqe.type, TALLY_EQE_GROUP_DEAD);
	assert_int_equal(a.eqe.id, 0);
	assert_int_equal(a.eqe.data, TALLY_COLL_ABORTED);
}

static void command_create(void **state)
{
	struct group *g = &a.e->groups[5];

	(void)state;
	g->jid = 77;
	g->num_segs = g->max_segs = 3;
	g->msg_cells = 4;
	g->num_edges = 6;
	g->parent = NO_EDGE;
	commands_go(a.e, TALLY_FW_CMD_CREATE | NO_EDGE << 8 | 5 << 16);
	assert_int_equal(a.e->cells_reserved, 4);
	assert_int_equal(a.e->edges_used, 6);
	assert_int_equal(a.e->segs_owned, 7);
	assert_ptr_equal(jid_first(a.e, 77), g);
	assert_int_equal(g->qps, NONE);
	assert_int_equal(g->limit - g->done, 3);
	assert_int_equal(g->slots_next & g->fw_at & g->fence_at & g->mcast_ack_at, NEVER);
	assert_int_equal(g->tx_free, NONE);
	assert_int_equal(next()->type, TALLY_FW_EV_BEGIN);
	assert_int_equal(a.e->event.group, 5);
}

static void command_begin(void **state)
{
	(void)state;
	alone_children(&a, 2);
	a.g->mid_done = a.g->ranks[3].next_mid = 5;
	a.g->arrivals[2].used = true;
	a.g->unacked = a.g->watched = 1;
	a.g->tx_fresh = 9;
	slot_of(a.e, a.g, 0)->state = TALLY_SEG_FREE;
	events_after_end(a.e, a.g, 1);
	events_query(a.e, &a.e->qps[0], 1);
	a.g->limit = a.g->done = 30; /* the former epoch gave its segments back */
	go(TALLY_FW_CMD_BEGIN, NO_EDGE);
	assert_int_equal(a.g->edges[0].state, TALLY_EDGE_OPENING);
	assert_int_equal(a.g->edges[1].state, TALLY_EDGE_OPENING);
	assert_int_equal(a.g->mid_done | a.g->ranks[3].next_mid | a.g->tx_fresh, 0);
	assert_int_equal(a.g->unacked | a.g->watched, 0);
	assert_false(a.g->arrivals[2].used);
	assert_int_equal(a.g->done, 0);
	assert_int_equal(a.g->limit, 4);
	assert_int_equal(next()->type, TALLY_FW_EV_QUERY); /* it is answered all the same */
	assert_int_equal(next()->type, TALLY_FW_EV_BEGIN);
	assert_false(events_wait(a.e));
}

static void command_ranks(void **state)
{
	struct slot *s = slot_of(a.e, a.g, 1);

	(void)state;
	a.g->gone = 1;
	go(TALLY_FW_CMD_RANKS, NO_EDGE);
	assert_true(group_alive(a.g)); /* nothing has begun */
	s->state = TALLY_SEG_BUSY;
	s->num = 1;
	s->mid = 6;
	a.g->ranks[0].next_num = 2;
	go(TALLY_FW_CMD_RANKS, NO_EDGE);
	assert_true(group_alive(a.g));
	a.g->ranks[0].next_num = 1;
	go(TALLY_FW_CMD_RANKS, NO_EDGE);
	assert_int_equal(next()->status, TALLY_COLL_RANK_GONE);
	assert_int_equal(a.e->event.mid, 6);
}

static void command_fence(void **state)
{
	struct slot *s = slot_of(a.e, a.g, 3);
	struct wr *wr;

	(void)state;
	go(TALLY_FW_CMD_FENCE, NO_EDGE);
	assert_int_equal(next()->type, TALLY_FW_EV_FENCED);
	assert_int_equal(a.g->fence_at, NEVER);
	wr = alone_wr(alone_qp(&a, 0, 1), WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 0, 1);
	wr->num = s->num = 3;
	wr->begun = 1;
	s->state = TALLY_SEG_BUSY;
	s->delivering = 1;
	go(TALLY_FW_CMD_FENCE, NO_EDGE);
	assert_false(events_wait(a.e));
	assert_int_equal(a.g->fence_at, a.e->now + FENCE_POLL);
	s->delivering = 0;
	go(TALLY_FW_CMD_FENCE, NO_EDGE);
	assert_int_equal(next()->type, TALLY_FW_EV_FENCED);
}

static void command_answer(void **state)
{
	struct qp *qp = alone_qp(&a, 3, 1);

	(void)state;
	a.g->node = 4;
	qp->asked = true;
	qp->question = (struct request){ TALLY_OPCODE_QUERY, 0, 8, 9 };
	a.e->command = (struct fw_command){ .qp = 3,
					    .flags = TALLY_CQE_F_PENDING,
					    .sid = 6,
					    .contributors = 1ULL << 50,
					    .ranks = 1ULL << 51 };
	go(TALLY_FW_CMD_ANSWER, NO_EDGE);
	assert_false(qp->asked);
	assert_ptr_equal(a.e->proceeding, a.g);
	assert_int_equal(a.cqe[0].cqe.flags, TALLY_CQE_F_PENDING | TALLY_CQE_F_NO_RETIRE);
	assert_int_equal(le32toh(a.cqe[0].cqe.wqe_index), 8);
	assert_int_equal(le32toh(a.cqe[0].cqe.sid), 6);
	assert_int_equal(le16toh(a.cqe[0].cqe.detector), 4);
	assert_int_equal(le64toh(a.cqe[0].cqe.contributors), 1ULL << 50);
	assert_int_equal(le64toh(a.cqe[0].cqe.ranks), 1ULL << 51);
	a.g->report = (struct report){ .status = TALLY_COLL_ABORTED, .detector = 2 };
	go(TALLY_FW_CMD_ANSWER, NO_EDGE);
	assert_int_equal(le16toh(a.cqe[1].cqe.detector), 2);
	assert_int_equal(le64toh(a.cqe[1].cqe.ranks), 0);
}

/* A group that is released returns everything, and leaves a tombstone. */
static void command_release(void **state)
{
	(void)state;
	alone_children(&a, 1);
	jid_add(a.e, a.g);
	a.e->edges_used = 1;
	a.g->msg_cells = a.e->cells_reserved = 3;
	events_after_end(a.e, a.g, 1);
	go(TALLY_FW_CMD_RELEASE, NO_EDGE);
	assert_false(events_wait(a.e));
	assert_int_equal(a.e->edges_used | a.e->cells_reserved | a.e->segs_owned, 0);
	assert_int_equal(a.e->segs_granted | a.e->num_groups, 0);
	assert_int_equal(a.e->tombs, 1);
	assert_int_equal(a.g->jid, 0);
	assert_int_equal(a.eqe.type, TALLY_EQE_GROUP_DRAINED);
	assert_ptr_equal(jid_first(a.e, ALONE_JID), &a.e->tombstones[0]);
	commands_go(a.e, TALLY_FW_CMD_RELEASE | NO_EDGE << 8 | TALLY_MAX_GROUP << 16);
	assert_int_equal(a.e->tombs, 0);
	assert_null(jid_first(a.e, ALONE_JID));
}

/* ---- Queue pairs ---- */

static void go_qp(enum tally_fw_command_code code, uint32_t qp)
{
	a.e->command.qp = qp;
	commands_go(a.e, code);
}

static void queue_pairs_join_and_leave(void **state)
{
	struct qp *qp = a.e->qps;
	unsigned int i;

	(void)state;
	for (i = 1; i <= 3; i++) {
		qp[i].cfg.ranks = 1 << i;
		qp[i].posted = 5;
		qp[i].failing = qp[i].left_behind = true;
		go_qp(TALLY_FW_CMD_CREATE_QP, i);
		assert_true(qp[i].used);
		assert_false(qp[i].failing || qp[i].left_behind);
		assert_int_equal(qp[i].posted, 0);
		assert_int_equal(qp[i].counters[3].head, NONE);
	}
	assert_int_equal(a.g->qps, 3);
	go_qp(TALLY_FW_CMD_FORGET_QP, 2);
	assert_int_equal(a.g->qps, 3);
	assert_int_equal(qp[3].next_in_group, 1);
	assert_false(qp[2].used);
	assert_int_equal(a.g->had_qp, 4);
	go_qp(TALLY_FW_CMD_FORGET_QP, 3);
	assert_int_equal(a.g->qps, 1);
	go_qp(TALLY_FW_CMD_FORGET_QP, 1);
	assert_int_equal(a.g->qps, NONE);
	assert_int_equal(a.g->had_qp, 14);
}

static void requests_that_have_begun(void **state)
{
	struct qp *qp = alone_qp(&a, 1, 5);
	struct wr *wr;

	(void)state;
	qp->head = qp->admit = qp->posted = UINT32_MAX;
	alone_wr(qp, WR_READY, TALLY_OPCODE_BARRIER, 3, 1);
	wr = alone_wr(qp, WR_DONE, TALLY_OPCODE_BARRIER, 4, 1);
	go_qp(TALLY_FW_CMD_ABANDON_QP, 1);
	assert_true(group_alive(a.g));
	wr->state = WR_ACTIVE;
	go_qp(TALLY_FW_CMD_ABANDON_QP, 1);
	assert_int_equal(next()->status, TALLY_COLL_RANK_GONE);
	assert_int_equal(a.e->event.ranks, 5);
	assert_int_equal(a.e->event.mid, 4);
}

/* A reset forgets everything, but the answer to a fetch in flight may still come. */
static void reset_of_a_queue_pair(void **state)
{
	struct qp *qp = alone_qp(&a, 1, 1);
	struct wr *wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_BCAST_MP, 0, 1);

	(void)state;
	wr->io = 2;
	wr->buf = 3;
	qp->bufs_used = 4;
	qp->scan = qp->posted = 9;
	qp->failing = qp->left_behind = qp->abort_pending = qp->asked = qp->fetching = true;
	qp->answered[63] = 1;
	qp->counters[0].count = qp->counters[0].alone[3] = 1;
	qp->counters[2].head = qp->counters[2].tail = 0;
	a.e->cells[0].next = NONE;
	a.e->cell_fresh = a.e->shared_used = qp->rmq_cells = 1;
	events_query(a.e, qp, 7);
	go_qp(TALLY_FW_CMD_DISCARD_QP, 1);
	assert_int_equal(qp->wrs_used | qp->bufs_used | qp->rmq_cells, 0);
	assert_int_equal(wr->state, WR_FREE);
	assert_int_equal(wr->io | wr->buf | wr->generation, 0);
	assert_int_equal(qp->posted | qp->admit | qp->scan | qp->head, 0);
	assert_false(qp->failing || qp->left_behind || qp->abort_pending || qp->asked);
	assert_true(qp->fetching && qp->fetch_stale && qp->used);
	assert_int_equal(qp->answered[63], 0);
	assert_int_equal(qp->counters[0].count | qp->counters[0].alone[3], 0);
	assert_int_equal(qp->counters[2].head, NONE);
	assert_int_equal(a.e->shared_used, 0);
	assert_false(events_wait(a.e));
	qp->fetching = false;
	go_qp(TALLY_FW_CMD_DISCARD_QP, 1);
	assert_false(qp->fetching || qp->fetch_stale);
}

static void requests_are_retired(void **state)
{
	struct qp *qp = alone_qp(&a, 1, 1);

	(void)state;
	alone_wr(qp, WR_READY, TALLY_OPCODE_BARRIER, 0, 1);
	go_qp(TALLY_FW_CMD_RETIRE_QP, 1);
	assert_int_equal(a.cqes, 0);
	qp->state = TALLY_QPS_ERROR;
	go_qp(TALLY_FW_CMD_RETIRE_QP, 1);
	assert_int_equal(a.cqes, 1);
}

/* ---- Fibers ---- */

#define FIBERS 1100 /* more than are kept */

struct steps {
	struct fiber *f;
	unsigned int at, end;
};

static void step(void *arg)
{
	struct steps *s = arg;
	volatile unsigned int i; /* is on the fiber's stack */

	for (i = 0; i < s->end; i++) {
		s->at++;
		fiber_yield(s->f);
		assert_int_equal(s->at, i + 1);
	}
}

static void fibers_take_turns(void **state)
{
	static struct steps s[FIBERS];
	unsigned int i, k;

	(void)state;
	for (k = 0; k < 2; k++) { /* the second time with the stacks of the first */
		for (i = 0; i < FIBERS; i++) {
			s[i] = (struct steps){ .end = 3 };
			s[i].f = fiber_new(step, &s[i]);
			assert_non_null(s[i].f);
			assert_int_equal(s[i].at, 0);
		}
		for (i = 0; i < 3 * FIBERS; i++) {
			assert_true(fiber_resume(s[i % FIBERS].f));
			assert_int_equal(s[i % FIBERS].at, i / FIBERS + 1);
		}
		for (i = 0; i < FIBERS; i++)
			assert_false(fiber_resume(s[i].f));
	}
}

static void fiber_that_does_not_go_on(void **state)
{
	struct steps s = { .end = 2 };

	(void)state;
	s.f = fiber_new(step, &s);
	assert_true(fiber_resume(s.f));
	fiber_free(s.f);
	s = (struct steps){ .end = 0 };
	s.f = fiber_new(step, &s);
	assert_false(fiber_resume(s.f));
	assert_int_equal(s.at, 0);
}

/* ---- The runner ---- */

/* An access takes 4 ns for each 32 bits, an event 40 ns. */
static void take_time(void)
{
	a.e->timing = (struct engine_timing){ .clock_mhz = 250, .access = 1, .event = 10 };
}

static void without_timing_it_takes_no_time(void **state)
{
	(void)state;
	exception_time_out(a.e, a.g);
	firmware_run(a.e);
	assert_false(events_wait(a.e));
	assert_null(a.e->firmware);
	assert_true(a.g->report.status);
	firmware_run(a.e);
	assert_null(a.e->firmware);
}

/*
 * The firmware takes an event after the time for it, which is the first that the hardware could
 * notice, and goes on in steps, each when its time has come.
 */
static void with_timing_it_yields(void **state)
{
	uint64_t begin = a.e->now, at;
	unsigned int steps = 0;

	(void)state;
	take_time();
	exception_time_out(a.e, a.g);
	firmware_run(a.e);
	assert_non_null(a.e->firmware);
	assert_int_equal(a.e->firmware_at, begin + 44 * NS);
	assert_true(events_wait(a.e));
	assert_int_equal(engine_next(a.e), a.e->firmware_at);
	a.e->now = a.e->firmware_at - 1;
	firmware_resume(a.e);
	assert_true(events_wait(a.e));
	firmware_run(a.e); /* is busy, and begins nothing else */
	assert_int_equal(a.e->firmware_at, begin + 44 * NS);
	for (a.e->now++; a.e->firmware; a.e->now = at) {
		firmware_resume(a.e);
		if (!a.e->firmware)
			break;
		at = a.e->firmware_at;
		assert_true(at > a.e->now);
		steps++;
	}
	assert_true(steps > 5);
	assert_true(a.g->report.status);
	assert_false(events_wait(a.e));
}

/* An admin command comes after the event that is being handled, which then takes no more time. */
static void admin_commands_hurry_it(void **state)
{
	uint64_t at;

	(void)state;
	take_time();
	exception_time_out(a.e, a.g);
	firmware_run(a.e);
	a.e->now = a.e->firmware_at;
	firmware_resume(a.e);
	events_of_group(a.e, &a.e->groups[9], TALLY_FW_EV_DRAINED);
	at = a.e->firmware_at;
	firmware_finish(a.e);
	assert_null(a.e->firmware);
	assert_false(a.e->firmware_hurries);
	assert_int_equal(a.e->firmware_at, at);
	assert_true(a.g->report.status);
	assert_true(events_wait(a.e)); /* the next one has its time */
	firmware_finish(a.e);
	assert_true(events_wait(a.e));
}

static void reset_forgets_it(void **state)
{
	(void)state;
	take_time();
	exception_time_out(a.e, a.g);
	firmware_run(a.e);
	assert_non_null(a.e->firmware);
	a.e->max_segs = 9;
	a.e->generation = 5;
	engine_reset(a.e);
	assert_null(a.e->firmware);
	assert_false(events_wait(a.e));
	assert_int_equal(a.e->timing.clock_mhz, 250);
	assert_int_equal(a.e->max_segs, 9);
	assert_int_equal(a.e->max_groups, TALLY_MAX_GROUP);
	assert_int_equal(a.e->generation, 5);
	assert_int_equal(a.e->now, 1 * MS);
	assert_int_equal(a.e->cell_free, NONE);
	assert_int_equal(a.e->seg_free, NONE);
	assert_int_equal(a.e->owed_first, NONE);
	assert_int_equal(a.e->tombs_next, NEVER);
	assert_int_equal(a.e->segs_owned, 0);
	assert_int_equal(engine_next(a.e), NEVER);
}

/* Two engines of one thread, as in a cluster: each firmware has the registers of its own. */
static void registers_of_two_engines(void **state)
{
	struct alone b;

	(void)state;
	alone_setup(&b);
	take_time();
	b.e->timing = a.e->timing;
	exception_time_out(a.e, a.g);
	exception_raise(b.e, b.g, TALLY_COLL_OP_MISMATCH, 0, 1, 5, 0);
	firmware_run(a.e);
	firmware_run(b.e);
	while (a.e->firmware || b.e->firmware) {
		a.e->now += 50 * NS;
		b.e->now += 50 * NS;
		firmware_resume(a.e);
		firmware_resume(b.e);
	}
	assert_int_equal(a.g->report.status, TALLY_COLL_TIMEOUT);
	assert_int_equal(b.g->report.status, TALLY_COLL_OP_MISMATCH);
	assert_int_equal(b.g->report.mid, 5);
	alone_teardown(&b);
}

/* When the firmware has confirmed an edge, its group sends what waited for it. */
static void group_proceeds_after_a_step(void **state)
{
	struct qp *qp = alone_qp(&a, 1, 1);

	(void)state;
	qp->posted = 1;
	a.e->proceeding = a.g;
	events_of_group(a.e, &a.e->groups[9], TALLY_FW_EV_NONE);
	firmware_run(a.e);
	assert_null(a.e->proceeding);
	assert_int_equal(a.fetches, 1);
	a.g->state = TALLY_GROUP_DEAD;
	qp->fetching = false;
	a.e->proceeding = a.g;
	events_of_group(a.e, &a.e->groups[9], TALLY_FW_EV_NONE);
	firmware_run(a.e);
	assert_int_equal(a.fetches, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_keep_their_order),
		TEST(numbers_of_groups),
		TEST(queue_is_full),
		TEST(place_becomes_free),
		TEST(queue_wraps),
		TEST(packets_have_their_fields),
		TEST(exceptions_have_their_fields),
		TEST(events_of_a_group_are_dropped),
		TEST(events_are_dropped_across_the_wrap),
		TEST(queries_are_dropped_apart),
		TEST(first_exception_counts),
		TEST(causes_of_exceptions),
		TEST(ranks_that_left),
		TEST(command_send),
		TEST(command_renew_edge),
		TEST(commands_of_an_open),
		TEST(command_settle_edge),
		TEST(command_freeze),
		TEST(command_fail),
		TEST(command_create),
		TEST(command_begin),
		TEST(command_ranks),
		TEST(command_fence),
		TEST(command_answer),
		TEST(command_release),
		TEST(queue_pairs_join_and_leave),
		TEST(requests_that_have_begun),
		TEST(reset_of_a_queue_pair),
		TEST(requests_are_retired),
		cmocka_unit_test(fibers_take_turns),
		cmocka_unit_test(fiber_that_does_not_go_on),
		TEST(without_timing_it_takes_no_time),
		TEST(with_timing_it_yields),
		TEST(admin_commands_hurry_it),
		TEST(reset_forgets_it),
		TEST(registers_of_two_engines),
		TEST(group_proceeds_after_a_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
