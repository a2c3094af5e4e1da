// SPDX-License-Identifier: BSD-2-Clause
/* Progress and time of a group: what is tried again, when it is due next, and what runs then. */
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/events.h"
#include "engine/group.h"
#include "engine/segment.h"
#include "engine/test/alone.h"

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
	alone_children(&a, 2);
	alone_parent(&a, EDGE_PARENT);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* Let a chunk wait for child 0, which is late three quarters of `limit` from now on. */
static struct slot *busy(uint32_t num, uint64_t limit)
{
	struct slot *s = slot_of(a.e, a.g, num);

	s->state = TALLY_SEG_BUSY;
	s->num = num;
	s->mode = TALLY_MODE_TREE;
	s->up_contributors = 1;
	s->started = a.e->now;
	s->limit = limit;
	a.g->top = num + 1;
	return s;
}

static void run_timers(void)
{
	a.g->due_self = true;
	group_timers(a.e, a.g);
	assert_false(a.g->due_self);
}

static void expect_event(enum tally_fw_event_type type, uint32_t edge)
{
	events_next(a.e);
	assert_int_equal(a.e->event.type, type);
	assert_int_equal(a.e->event.group, 0);
	assert_int_equal(a.e->event.edge, edge);
}

static void expect_no_event(void)
{
	assert_false(events_wait(a.e));
}

/* ---- When a group is due ---- */

static void times_of_a_group(void **state)
{
	struct qp *qp;

	(void)state;
	assert_int_equal(group_next(a.e, a.g), NEVER);
	a.g->fw_at = 2000 * MS;
	assert_int_equal(group_next(a.e, a.g), 2000 * MS);
	a.g->fence_at = 1900 * MS;
	assert_int_equal(group_next(a.e, a.g), 1900 * MS);
	qp = alone_qp(&a, 0, 1);
	alone_wr(qp, WR_READY, TALLY_OPCODE_ALLREDUCE, 0, 1)->since = a.e->now;
	assert_true(group_next(a.e, a.g) > a.e->now && group_next(a.e, a.g) < 1900 * MS);
	a.g->slots_next = 500 * MS;
	assert_int_equal(group_next(a.e, a.g), 500 * MS);
	a.g->mcast_ack_at = 400 * MS;
	assert_int_equal(group_next(a.e, a.g), 400 * MS);
	a.g->slots_next = 300 * MS;
	assert_int_equal(group_next(a.e, a.g), 300 * MS);
	a.g->paid = true;
	assert_int_equal(group_next(a.e, a.g), a.e->now);
	a.g->state = TALLY_GROUP_COLLECT; /* the firmware's times remain */
	assert_int_equal(group_next(a.e, a.g), 1900 * MS);
	a.g->fw_at = 5;
	assert_int_equal(group_next(a.e, a.g), 5);
}

/* ---- What runs ---- */

static void timer_of_the_firmware(void **state)
{
	(void)state;
	a.g->fw_at = a.e->now + 1;
	run_timers();
	expect_no_event();
	a.e->now++;
	group_timers(a.e, a.g); /* the group itself is not due */
	expect_no_event();
	run_timers();
	expect_event(TALLY_FW_EV_TIMER, NO_EDGE);
	expect_no_event();
	assert_int_equal(a.g->fw_at, NEVER);
}

static void fence_is_looked_at_again(void **state)
{
	struct slot *s = busy(1, 1000 * MS);
	struct wr *wr = alone_wr(alone_qp(&a, 0, 1), WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 0, 1);

	(void)state;
	wr->num = wr->begun = 1;
	a.g->fence_at = a.e->now + 1;
	run_timers();
	expect_no_event();
	a.e->now++;
	s->delivering = 1;
	run_timers();
	expect_no_event();
	assert_int_equal(a.g->fence_at, a.e->now + FENCE_POLL);
	assert_true(alone_touched(&a, &a.g->timer));
	a.e->now += FENCE_POLL;
	s->state = TALLY_SEG_FREE; /* of an earlier chunk */
	run_timers();
	expect_event(TALLY_FW_EV_FENCED, NO_EDGE);
	assert_int_equal(a.g->fence_at, NEVER);
}

static void chunks_are_looked_at(void **state)
{
	(void)state;
	busy(0, 400 * US);
	busy(1, 200 * US);
	busy(2, 800 * US);
	a.g->slots_next = a.e->now + 1;
	run_timers();
	assert_int_equal(a.g->slots_next, a.e->now + 1);
	a.g->slots_next = a.e->now;
	run_timers();
	assert_int_equal(a.g->slots_next, a.e->now + 150 * US);
	assert_true(group_alive(a.g));
	a.e->now = a.g->slots_next;
	run_timers();
	expect_event(TALLY_FW_EV_EXCEPTION, NO_EDGE);
	assert_int_equal(a.e->event.cause, TALLY_FW_CAUSE_TIME_OUT);
	expect_no_event();
	a.g->slots_next = 7; /* the group is frozen */
	run_timers();
	assert_int_equal(a.g->slots_next, 7);
}

/* A chunk behind done is none of this group any more. */
static void chunks_of_the_window(void **state)
{
	(void)state;
	busy(0, 4);
	busy(1, 400 * US);
	a.g->done = 1;
	a.e->now += 10;
	a.g->slots_next = a.e->now;
	run_timers();
	expect_no_event();
	assert_int_equal(a.g->slots_next, a.e->now - 10 + 300 * US);
	a.g->limit = 1; /* chunk 1 has no segment, either */
	a.g->slots_next = a.e->now;
	run_timers();
	assert_int_equal(a.g->slots_next, NEVER);
}

static void segments_that_were_owed(void **state)
{
	(void)state;
	a.g->paid = true;
	run_timers();
	assert_false(a.g->paid);
	assert_int_not_equal(a.g->edges[0].announce_at, NEVER);
	a.g->edges[0].announce_at = NEVER;
	run_timers();
	assert_int_equal(a.g->edges[0].announce_at, NEVER);
	a.g->paid = true;
	a.g->state = TALLY_GROUP_COLLECT;
	run_timers();
	assert_true(a.g->paid);
	assert_int_equal(a.g->edges[0].announce_at, NEVER);
}

static void acknowledgement_of_multicast(void **state)
{
	(void)state;
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	a.g->mcast_ack_at = a.e->now;
	a.g->state = TALLY_GROUP_COLLECT;
	run_timers();
	assert_int_equal(a.sent, 0);
	a.g->state = TALLY_GROUP_OPEN;
	run_timers();
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.contributor, EDGE_PARENT);
}

/* ---- Edges ---- */

static void timers_of_edges(void **state)
{
	struct edge *ed = a.g->edges;

	(void)state;
	ed[0].fw_at = ed[EDGE_PARENT].fw_at = a.e->now;
	ed[1].fw_at = a.e->now + 1;
	a.g->due = 3;
	a.g->due_parent = true;
	group_timers(a.e, a.g);
	expect_event(TALLY_FW_EV_TIMER, 0);
	expect_event(TALLY_FW_EV_TIMER, EDGE_PARENT);
	expect_no_event();
	assert_int_equal(ed[0].fw_at, NEVER);
	assert_int_equal(ed[1].fw_at, a.e->now + 1);
	assert_int_equal(a.g->due, 0);
	assert_false(a.g->due_parent);
}

/* Of a frozen group only the firmware's timers run. */
static void edges_of_a_frozen_group(void **state)
{
	struct edge *ed = a.g->edges;

	(void)state;
	a.g->state = TALLY_GROUP_COLLECT;
	ed[0].fw_at = ed[0].ack_at = ed[0].probe_at = a.e->now;
	a.g->due = 1;
	group_timers(a.e, a.g);
	expect_event(TALLY_FW_EV_TIMER, 0);
	assert_int_equal(a.sent, 0);
	assert_int_equal(ed[0].ack_at, a.e->now);
	assert_int_equal(ed[0].probe_at, a.e->now);
}

/* The silence of a neighbour freezes the group; then the others' acknowledgements do not go. */
static void silence_stops_the_others(void **state)
{
	struct edge *ed = a.g->edges;
	struct tch t = alone_chunk(TALLY_KIND_REDUCE, 1);

	(void)state;
	edge_send(a.e, a.g, 0, &t, NULL, 0);
	ed[0].retries = a.g->retry_limit;
	a.e->now = ed[0].rto_at;
	ed[0].probe_at = a.e->now;
	ed[1].ack_at = ed[EDGE_PARENT].ack_at = a.e->now;
	a.g->due = 3;
	a.g->due_parent = true;
	a.sent = 0;
	run_timers();
	expect_event(TALLY_FW_EV_EXCEPTION, NO_EDGE);
	assert_int_equal(a.e->event.cause, TALLY_FW_CAUSE_SILENCE);
	assert_int_equal(a.sent, 0);
	assert_int_equal(ed[0].probe_at, a.e->now);
	assert_int_equal(a.g->due, 0);
	assert_false(a.g->due_parent);
}

static void silent_edge_is_probed(void **state)
{
	(void)state;
	busy(0, 1000 * MS);
	group_pump(a.e, a.g);
	assert_int_not_equal(a.g->edges[0].probe_at, NEVER);
	a.e->now = a.g->edges[0].probe_at;
	a.g->due = 1;
	group_timers(a.e, a.g);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_QUERY);
}

static void frozen_group_probes_nobody(void **state)
{
	(void)state;
	busy(0, 1000 * MS);
	a.g->state = TALLY_GROUP_COLLECT;
	group_pump(a.e, a.g);
	assert_int_equal(a.g->edges[0].probe_at, NEVER);
}

/* ---- Progress ---- */

/* Begin at this chunk, whose sum waits until the parent's window permits it. */
static struct slot *sum_waits(uint32_t done)
{
	struct qp *qp = alone_qp(&a, 0, 1);
	struct wr *wr = alone_wr(qp, WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 0, 1);
	struct slot *s;
	unsigned int i;

	for (i = 0; i < 2; i++)
		a.g->edges[i].peer_limit = a.g->edges[i].peer_done = done;
	a.g->edges[EDGE_PARENT].peer_done = a.g->edges[EDGE_PARENT].peer_limit = done;
	wr->begun = 1;
	wr->num = done;
	wr->w.op = TALLY_OP_SUM;
	wr->w.dtype = TALLY_TYPE_INT32;
	wr->w.elem = wr->w.give = 4;
	wr->w.count = wr->w.total = 1;
	wr->w.flags = TALLY_WQE_F_NO_CONTRIBUTORS;
	assert_true(slot_post(a.e, a.g, qp, wr, 0));
	s = slot_of(a.e, a.g, done);
	slot_pump(a.e, a.g, s);
	assert_int_equal(a.sent, 0);
	return s;
}

static void sum_is_sent_once_it_may(void **state)
{
	(void)state;
	sum_waits(0);
	group_pump(a.e, a.g);
	assert_int_equal(a.sent, 0);
	a.g->edges[EDGE_PARENT].peer_limit = 1;
	group_pump(a.e, a.g);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_REDUCE);
	group_pump(a.e, a.g);
	assert_int_equal(a.sent, 1);
}

/* Chunk 0 follows chunk 2^32 - 1, which has not begun, and waits for nobody. */
static void chunks_across_the_wrap(void **state)
{
	uint16_t seg[4];
	unsigned int i;

	(void)state;
	memcpy(seg, a.g->seg, sizeof(seg));
	for (i = 0; i < 4; i++)
		a.g->seg[(UINT32_MAX + i) % TALLY_MAX_GROUP_SEGS] = seg[i];
	a.g->done = UINT32_MAX;
	a.g->limit = 3;
	sum_waits(0);
	a.g->edges[EDGE_PARENT].peer_limit = 1;
	group_pump(a.e, a.g);
	assert_int_equal(a.sent, 1);
}

static void frozen_group_sends_nothing(void **state)
{
	(void)state;
	sum_waits(0);
	a.g->edges[EDGE_PARENT].peer_limit = 1;
	a.g->state = TALLY_GROUP_COLLECT;
	group_pump(a.e, a.g);
	assert_int_equal(a.sent, 0);
}

/* Requests of all queue pairs begin, also those of one that is not the first. */
static void all_queue_pairs_proceed(void **state)
{
	unsigned int n;

	(void)state;
	a.g->rank_mask = 7;
	for (n = 0; n < 3; n++) {
		struct wr *wr = alone_wr(alone_qp(&a, n, 1u << n), WR_READY, TALLY_OPCODE_ALLREDUCE, 0,
					 1u << n);

		wr->w.op = TALLY_OP_SUM;
		wr->w.dtype = TALLY_TYPE_INT32;
		wr->w.elem = wr->w.give = 4;
		wr->w.count = wr->w.total = 1;
		wr->w.node_mask = 3;
	}
	group_pump(a.e, a.g);
	for (n = 0; n < 3; n++)
		assert_int_equal(a.g->ranks[n].next_mid, 1);
}

/* ABORT has a place of its own, so it counts as work of a queue pair that has no request. */
static void abort_is_work(void **state)
{
	struct qp *qp = alone_qp(&a, 0, 1);

	(void)state;
	a.g->state = TALLY_GROUP_DEAD;
	a.g->report.status = TALLY_COLL_ABORTED;
	qp->left_behind = qp->abort_pending = true;
	qp->abort.flags = TALLY_WQE_F_SIGNALED;
	group_pump(a.e, a.g);
	assert_false(qp->abort_pending);
	assert_int_equal(a.cqes, 1);
}

/* ---- Draining ---- */

static void drained_group_says_so_once(void **state)
{
	struct slot *s = busy(1, 1000 * MS);

	(void)state;
	a.g->state = TALLY_GROUP_DRAINING;
	group_pump(a.e, a.g);
	expect_no_event();
	s->state = TALLY_SEG_FREE;
	a.g->state = TALLY_GROUP_OPEN;
	group_pump(a.e, a.g);
	expect_no_event();
	assert_false(a.g->drained);
	a.g->state = TALLY_GROUP_DRAINING;
	group_pump(a.e, a.g);
	expect_event(TALLY_FW_EV_DRAINED, NO_EDGE);
	group_pump(a.e, a.g);
	expect_no_event();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(times_of_a_group),
		TEST(timer_of_the_firmware),
		TEST(fence_is_looked_at_again),
		TEST(chunks_are_looked_at),
		TEST(chunks_of_the_window),
		TEST(segments_that_were_owed),
		TEST(acknowledgement_of_multicast),
		TEST(timers_of_edges),
		TEST(edges_of_a_frozen_group),
		TEST(silence_stops_the_others),
		TEST(silent_edge_is_probed),
		TEST(frozen_group_probes_nobody),
		TEST(sum_is_sent_once_it_may),
		TEST(chunks_across_the_wrap),
		TEST(frozen_group_sends_nothing),
		TEST(all_queue_pairs_proceed),
		TEST(abort_is_work),
		TEST(drained_group_says_so_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
