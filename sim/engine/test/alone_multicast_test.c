// SPDX-License-Identifier: BSD-2-Clause
/* Results that go down the tree by multicast, and their acknowledgements. */
#include "engine/common.h"
#include "engine/multicast.h"
#include "engine/multicast_rx.h"
#include "engine/segment.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KEY 1
#define MID(num) ((num) + 7)

static struct alone a;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	a.g->mcast_key = KEY;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* Return the slot of chunk `num`, which has a result of five elements for all children. */
static struct slot *result(uint32_t num)
{
	struct slot *s = slot_of(a.e, a.g, num);

	memset(s, 0, offsetof(struct slot, data));
	s->state = TALLY_SEG_BUSY;
	s->mode = TALLY_MODE_TREE;
	s->opcode = TALLY_OPCODE_ALLREDUCE;
	s->num = num;
	s->mid = MID(num);
	s->total = s->count = 5;
	s->started = a.e->now;
	s->limit = 1000 * MS;
	s->elem = 4;
	s->stride = TALLY_MAX_MTU;
	s->down_todo = 7;
	s->down_have = s->down_expected = true;
	s->down_edge = EDGE_PARENT;
	return s;
}

static void be_root(void)
{
	a.g->flags |= TALLY_GROUP_F_ROOT;
	a.g->mcast.gid[0] = 0xff;
}

/* ---- Sending ---- */

static void root_draws_the_key(void **state)
{
	(void)state;
	a.g->mcast_ack_at = 5;
	multicast_begin(a.e, a.g);
	assert_int_equal(a.g->mcast_key, 0);
	assert_int_equal(a.g->mcast_ack_at, NEVER);
	be_root();
	multicast_begin(a.e, a.g);
	assert_int_not_equal(a.g->mcast_key, 0);
	a.g->flags = TALLY_GROUP_F_ROOT;
	multicast_begin(a.e, a.g);
	assert_int_equal(a.g->mcast_key, 0);
}

static void results_for_all_nodes(void **state)
{
	struct slot *s = result(0);
	unsigned int op;

	(void)state;
	for (op = 1; op <= TALLY_OPCODE_SCATTER; op++) {
		s->opcode = op;
		assert_int_equal(multicast_applies(a.g, s), op == TALLY_OPCODE_ALLREDUCE ||
								    op == TALLY_OPCODE_BCAST ||
								    op == TALLY_OPCODE_BARRIER);
	}
	s->opcode = TALLY_OPCODE_BCAST;
	s->mode = TALLY_MODE_RING;
	assert_false(multicast_applies(a.g, s));
	s->mode = TALLY_MODE_EXCHANGE;
	assert_false(multicast_applies(a.g, s));
	s->mode = TALLY_MODE_TREE;
	a.g->flags = 0;
	assert_false(multicast_applies(a.g, s));
}

static void root_sends_one_packet(void **state)
{
	struct slot *s = result(3);
	unsigned int i;

	(void)state;
	be_root();
	slot_down(s)[19] = 42;
	multicast_send(a.e, a.g, s);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_RESULT);
	assert_int_equal(be16toh(a.last.flags), TALLY_TCH_F_MULTICAST | TALLY_TCH_F_LAST);
	assert_int_equal(a.last.contributor, EDGE_PARENT);
	assert_int_equal(be32toh(a.last.key), KEY);
	assert_int_equal(be32toh(a.last.num), 3);
	assert_int_equal(be32toh(a.last.count), 5);
	assert_int_equal(a.to.gid[0], 0xff);
	assert_int_equal(a.len, 20);
	assert_int_equal(a.payload[19], 42);
	assert_true(s->mcast_sent);
	assert_int_equal(s->repair_at, a.e->now + a.g->rto);
	assert_int_equal(a.counters[TALLY_CTR_mcast_sent], 1);
	for (i = 0; i < 3; i++)
		assert_int_equal(a.g->edges[i].tx_next, 0);
	a.e->now++;
	multicast_send(a.e, a.g, s);
	assert_int_equal(a.sent, 1);
	assert_int_equal(s->repair_at, a.e->now - 1 + a.g->rto);
}

/* The packet goes to all nodes, so it waits until the windows of all subtrees are open. */
static void root_waits_for_all_windows(void **state)
{
	struct slot *s = result(3);

	(void)state;
	be_root();
	a.g->edges[2].peer_limit = 3;
	multicast_send(a.e, a.g, s);
	assert_false(s->mcast_sent);
	assert_int_equal(s->repair_at, NEVER);
	a.g->edges[2].peer_limit = 4;
	a.g->edges[0].state = TALLY_EDGE_OPENING;
	multicast_send(a.e, a.g, s);
	a.g->edges[0].state = TALLY_EDGE_OPEN;
	a.g->edges[1].unconfirmed = true;
	multicast_send(a.e, a.g, s);
	assert_int_equal(a.sent, 0);
	s->down_todo = 5; /* that one has it already, or takes no part */
	multicast_send(a.e, a.g, s);
	assert_int_equal(a.sent, 1);
}

static void windows_wrap(void **state)
{
	struct slot *s;

	(void)state;
	be_root();
	a.g->children = 1;
	a.g->done = -2;
	a.g->limit = 2;
	s = result(-1);
	s->down_todo = 1;
	a.g->edges[0].peer_limit = 1;
	multicast_send(a.e, a.g, s);
	assert_int_equal(a.sent, 1);
	s = result(1);
	s->down_todo = 1;
	a.g->edges[0].peer_limit = -1;
	multicast_send(a.e, a.g, s);
	assert_int_equal(a.sent, 1);
}

/* The other nodes only repair, after the same time. */
static void others_repair(void **state)
{
	struct slot *s = result(0);

	(void)state;
	alone_parent(&a, EDGE_PARENT);
	a.g->edges[1].peer_limit = 0;
	multicast_send(a.e, a.g, s);
	assert_int_equal(a.sent, 0);
	assert_true(s->mcast_sent);
	assert_int_equal(s->repair_at, a.e->now + a.g->rto);
	s = result(1);
	s->down_todo = 0;
	multicast_send(a.e, a.g, s);
	assert_false(s->mcast_sent);
	assert_int_equal(s->repair_at, 0);
}

/* Copies go, numbered, to those that have not acknowledged in time. */
static void copies_after_the_time_out(void **state)
{
	struct slot *s = result(0);

	(void)state;
	be_root();
	s->up_complete = true;
	a.g->rank_mask = 0;
	slot_pump(a.e, a.g, s);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.g->slots_next, s->repair_at);
	s->down_todo = 6;
	a.e->now = s->repair_at - 1;
	slot_timer(a.e, a.g, s);
	assert_int_equal(a.sent, 1);
	slot_pump(a.e, a.g, s);
	assert_int_equal(a.sent, 1);
	a.e->now++;
	slot_timer(a.e, a.g, s);
	assert_int_equal(a.sent, 3);
	assert_int_equal(be16toh(a.last.flags), TALLY_TCH_F_LAST);
	assert_int_equal(a.g->edges[0].tx_next, 0);
	assert_int_equal(a.g->edges[1].tx_next, 1);
	assert_int_equal(a.g->edges[2].tx_next, 1);
	assert_int_equal(s->down_todo, 0);
	assert_int_equal(s->down_waiting, 6);
	assert_int_equal(a.counters[TALLY_CTR_mcast_repaired], 2);
	assert_int_equal(a.counters[TALLY_CTR_mcast_sent], 1);
}

/* Whatever lets the chunk proceed at that time sends the copies. */
static void copies_at_the_time_out(void **state)
{
	struct slot *s = result(0);

	(void)state;
	be_root();
	s->up_complete = true;
	a.g->rank_mask = 0;
	slot_pump(a.e, a.g, s);
	a.e->now = s->repair_at;
	slot_pump(a.e, a.g, s);
	assert_int_equal(a.sent, 4);
}

/* ---- Arrival ---- */

static void be_child(void)
{
	alone_parent(&a, EDGE_PARENT);
	a.g->edges[EDGE_PARENT].remote_index = 11;
	a.g->edges[EDGE_PARENT].addr.gid[15] = 12;
}

static void arrive(uint32_t num, uint32_t sid)
{
	static const uint8_t payload[20];
	struct tch t = alone_chunk(TALLY_KIND_RESULT, 5);

	t.num = num;
	t.mid = MID(num);
	t.sid = sid;
	t.flags |= TALLY_TCH_F_MULTICAST;
	multicast_packet(a.e, a.g, &t, payload, sizeof(payload));
}

/* Acknowledgements wait for each other, and name the newest result with a bitmap. */
static void results_are_acknowledged(void **state)
{
	struct tally_tch_ack ack;

	(void)state;
	be_child();
	a.g->done = a.g->limit = 2; /* 0 and 1 are done */
	a.g->limit = 6;
	a.g->mcast_top = 8; /* of an earlier epoch */
	arrive(4, 0);
	assert_true(slot_of(a.e, a.g, 4)->down_have);
	assert_int_equal(a.g->mcast_ack_at, a.e->now + 300 * NS);
	assert_true(alone_touched(&a, &a.g->timer));
	a.e->now += 100 * NS;
	arrive(2, 0);
	arrive(2, 0);		      /* a copy */
	result(3)->down_have = false; /* it has begun, but its result is not here */
	assert_int_equal(a.g->mcast_ack_at, a.e->now + 200 * NS);
	assert_false(alone_touched(&a, &a.g->timer));
	assert_int_equal(a.g->mcast_top, 4);
	multicast_timer(a.e, a.g);
	assert_int_equal(a.sent, 0);
	a.e->now += 200 * NS;
	multicast_timer(a.e, a.g);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_ACK);
	assert_int_equal(be16toh(a.last.flags), TALLY_TCH_F_MULTICAST);
	assert_int_equal(a.last.contributor, 11);
	assert_int_equal(a.to.gid[15], 12);
	assert_int_equal(be32toh(a.last.num), 4);
	assert_int_equal(a.len, sizeof(ack));
	memcpy(&ack, a.payload, sizeof(ack));
	assert_true(be64toh(ack.seen) == (~0ULL & ~2ULL)); /* 3 lacks */
	assert_int_equal(a.g->mcast_ack_at, NEVER);
	assert_true(group_alive(a.g));
}

/* What does not enter is not acknowledged. */
static void results_that_do_not_enter(void **state)
{
	struct slot *s;

	(void)state;
	be_child();
	a.g->seg[4] = 9; /* it was of this group, and is of another one */
	a.e->slots[9] = (struct slot){ .state = TALLY_SEG_BUSY, .num = 4, .down_have = true };
	arrive(4, 0); /* beyond the limit */
	assert_int_equal(a.g->mcast_ack_at, NEVER);
	assert_int_equal(a.counters[TALLY_CTR_drop_window], 1);
	s = slot_of(a.e, a.g, 0);
	s->num = 0;
	s->down_have = true; /* it is not in use */
	a.g->edges[EDGE_PARENT].state = TALLY_EDGE_NONE;
	s = result(1);
	s->num = 5; /* the slot has another chunk, whose result is here */
	arrive(1, 0);
	assert_int_equal(a.g->mcast_ack_at, NEVER);
	assert_true(group_alive(a.g));
}

/* A node that has nothing to do with the chunk acknowledges the result, too. */
static void node_that_stands_aside(void **state)
{
	struct slot *s;

	(void)state;
	be_child();
	s = result(0);
	s->op = TALLY_OP_SUM;
	s->dtype = TALLY_TYPE_INT32;
	s->down_have = s->down_expected = false;
	s->empty = s->posted = 1;
	s->down_todo = 0;
	arrive(0, 0);
	assert_int_equal(a.g->mcast_ack_at, a.e->now + 300 * NS);
	assert_false(s->down_have);
	a.g->mcast_ack_at = NEVER;
	arrive(-1, 0); /* it is done already */
	assert_int_equal(a.g->mcast_ack_at, a.e->now + 300 * NS);
	assert_int_equal(a.g->mcast_top, UINT32_MAX);
}

/* A segment may still have a result of the same number from the epoch before. */
static void result_of_an_earlier_epoch(void **state)
{
	struct tally_tch_ack ack;

	(void)state;
	be_child();
	result(0)->state = TALLY_SEG_FREE;
	arrive(1, 0);
	a.e->now = a.g->mcast_ack_at;
	multicast_timer(a.e, a.g);
	memcpy(&ack, a.payload, sizeof(ack));
	assert_true(be64toh(ack.seen) == (~0ULL & ~2ULL));
	assert_int_equal(be32toh(a.last.num), 1);
}

static void end_is_not_acknowledged(void **state)
{
	struct slot *s;

	(void)state;
	be_child();
	s = result(0);
	s->op = TALLY_OP_MAX; /* it disagrees */
	arrive(0, 0);
	assert_false(group_alive(a.g));
	assert_int_equal(a.g->mcast_ack_at, NEVER);
}

/* ---- Acknowledgement by a child ---- */

static void acknowledge(unsigned int idx, uint32_t num, uint64_t seen)
{
	struct tch t = { .kind = TALLY_KIND_ACK, .num = num };

	multicast_ack(a.e, a.g, idx, &t, seen);
}

static void children_acknowledge(void **state)
{
	struct slot *s[4];
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++)
		s[i] = result(i);
	s[1]->opcode = TALLY_OPCODE_REDUCE;
	s[2]->state = TALLY_SEG_FINISHED;
	acknowledge(1, 3, 0x6);
	assert_int_equal(s[3]->down_todo, 7);
	assert_int_equal(s[2]->down_todo, 7);
	assert_int_equal(s[1]->down_todo, 7);
	s[1]->opcode = TALLY_OPCODE_BARRIER;
	acknowledge(1, 3, 0xb);
	assert_int_equal(s[3]->down_todo, 5);
	assert_int_equal(s[2]->down_todo, 7);
	assert_int_equal(s[1]->down_todo, 7);
	assert_int_equal(s[0]->down_todo, 5);
	acknowledge(2, 63, 1ULL << 63);
	assert_int_equal(s[0]->down_todo, 1);
	acknowledge(0, 64, ~0ULL);
	assert_int_equal(s[0]->down_todo, 1);
	assert_int_equal(s[1]->down_todo, 6);
	assert_int_equal(s[3]->down_todo, 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(root_draws_the_key),
		TEST(results_for_all_nodes),
		TEST(root_sends_one_packet),
		TEST(root_waits_for_all_windows),
		TEST(windows_wrap),
		TEST(others_repair),
		TEST(copies_after_the_time_out),
		TEST(copies_at_the_time_out),
		TEST(results_are_acknowledged),
		TEST(results_that_do_not_enter),
		TEST(node_that_stands_aside),
		TEST(result_of_an_earlier_epoch),
		TEST(end_is_not_acknowledged),
		TEST(children_acknowledge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
