// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls of the NIC that the firmware carries out: each one lets it finish what it does, is for the
 * right engine, and has it handle the events that follow.
 */
#include "engine/common.h"
#include "engine/events.h"
#include "engine/firmware_run.h"
#include "engine/segment.h"
#include "engine/test/alone.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define NUMBER 9 /* of a group and a queue pair that only the other engine has */

static struct alone a, other;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_setup(&other);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	alone_teardown(&other);
	return 0;
}

/* ---- Before a command ---- */

/* Let the firmware of `a` be in the middle of an event, and that of the other engine have run last. */
static void interrupt(void)
{
	static const struct engine_timing slow = { .clock_mhz = 250, .access = 100, .event = 20 };

	alone_setup(&a);
	alone_setup(&other);
	other.e->groups[NUMBER].state = TALLY_GROUP_OPEN;
	other.e->groups[NUMBER].rank_mask = other.e->groups[NUMBER].attached = 1;
	other.e->groups[NUMBER].qps = NONE;
	other.e->groups[NUMBER].parent = NO_EDGE;
	other.e->qps[NUMBER].used = true;
	alone_children(&a, 2);
	engine_set_timing(a.e, &slow);
	events_of_group(a.e, a.g, TALLY_FW_EV_BEGIN);
	firmware_run(a.e);
	assert_non_null(a.e->firmware);
	firmware_attach(other.e);
}

static void expect_handled(struct engine_result r, enum tally_admin_status status)
{
	assert_int_equal(r.status, status);
	assert_int_equal(a.g->to_open, 2); /* the event has been handled ... */
	assert_int_equal(a.sent, 2);
	assert_null(a.e->firmware); /* ... to its end */
	assert_int_equal(other.sent, 0);
	alone_teardown(&a);
	alone_teardown(&other);
}

/* The firmware of the other engine has run last, and that of `a` does nothing. */
static void rest(void)
{
	interrupt();
	firmware_finish(a.e);
	firmware_attach(other.e);
}

#define EXPECT_NOT_FOUND(call)                                                                     \
	do {                                                                                       \
		interrupt();                                                                       \
		expect_handled(call, TALLY_ADMIN_STATUS_NOT_FOUND);                                \
		rest();                                                                            \
		expect_handled(call, TALLY_ADMIN_STATUS_NOT_FOUND);                                \
	} while (0)

static void commands_on_groups(void **state)
{
	(void)state;
	EXPECT_NOT_FOUND(engine_attach_ranks(a.e, NUMBER, 1));
	EXPECT_NOT_FOUND(engine_detach_ranks(a.e, NUMBER, 1));
	EXPECT_NOT_FOUND(engine_reset_group(a.e, NUMBER, 1));
	EXPECT_NOT_FOUND(engine_destroy_group(a.e, NUMBER));
}

static void queries_of_groups(void **state)
{
	static struct tally_edge_info edges[TALLY_MAX_CONTRIBUTORS + 1];
	static struct tally_seg_info segs[TALLY_MAX_GROUP_SEGS];
	static struct tally_arrival arrivals[TALLY_NUM_ARRIVALS];
	struct tally_group_info info;
	uint32_t num;

	(void)state;
	EXPECT_NOT_FOUND(engine_query_group(a.e, NUMBER, &info));
	EXPECT_NOT_FOUND(engine_query_edges(a.e, NUMBER, edges));
	EXPECT_NOT_FOUND(engine_query_segs(a.e, NUMBER, segs, &num));
	EXPECT_NOT_FOUND(engine_query_arrivals(a.e, NUMBER, arrivals));
}

static void commands_on_queue_pairs(void **state)
{
	const struct engine_qp_cfg cfg = { .group = NUMBER, .ranks = 1, .depth = 1, .stride = 256 };

	(void)state;
	EXPECT_NOT_FOUND(engine_create_qp(a.e, 1, &cfg));
	EXPECT_NOT_FOUND(engine_modify_qp(a.e, NUMBER, TALLY_QPS_ERROR));
	EXPECT_NOT_FOUND(engine_destroy_qp(a.e, NUMBER));
}

/* ---- After a command ---- */

/* The root of a tree with one child. */
static struct tally_group_cfg root_of_two(void)
{
	return (struct tally_group_cfg){
		.jid = htole32(ALONE_JID + 1),
		.flags = htole32(TALLY_GROUP_F_ROOT),
		.mode = TALLY_MODE_TREE,
		.num_nodes = htole16(2),
		.num_edges = htole16(1),
		.num_segs = htole16(2),
		.timeout_ms = htole32(1000),
		.rank_mask = htole64(1),
		.epoch = htole32(1),
		.retry_limit = htole32(7),
		.rto_us = htole32(1000),
		.mtu = htole32(1024),
		.total_ranks = htole32(2),
	};
}

static const struct tally_group_edge child = {
	.remote_index = 64,
	.subtree_first = 1,
	.subtree_count = 1,
	.rank_first = 1,
	.rank_count = 1,
};

static void group_begins_to_open(void **state)
{
	const struct tally_group_cfg cfg = root_of_two();
	struct group *g;

	(void)state;
	interrupt();
	a.e->groups[NUMBER].state = TALLY_GROUP_DEAD;
	expect_handled(engine_create_group(a.e, NUMBER, &cfg, &child, 1), TALLY_ADMIN_STATUS_ID_BUSY);
	rest();
	a.e->groups[NUMBER].state = TALLY_GROUP_DEAD;
	other.e->groups[NUMBER].state = TALLY_GROUP_NONE;
	expect_handled(engine_create_group(a.e, NUMBER, &cfg, &child, 1), TALLY_ADMIN_STATUS_ID_BUSY);
	alone_setup(&a);
	alone_setup(&other);
	g = &a.e->groups[NUMBER];
	assert_int_equal(engine_create_group(a.e, NUMBER, &cfg, &child, 1).status,
			 TALLY_ADMIN_STATUS_OK);
	assert_int_equal(a.sent, 1);
	assert_int_equal(g->to_open, 1);
	g->state = TALLY_GROUP_DEAD;
	g->to_open = 0;
	assert_int_equal(engine_reset_group(a.e, NUMBER, 2).status, TALLY_ADMIN_STATUS_OK);
	assert_int_equal(a.sent, 2);
	assert_int_equal(g->to_open, 1);
	assert_int_equal(be32toh(a.last.epoch), 2);
}

/* Let chunk 0 wait for rank 0, which has not posted it. */
static void chunk_lacks_a_rank(void)
{
	struct slot *s = slot_of(a.e, a.g, 0);

	s->state = TALLY_SEG_BUSY;
	s->mode = TALLY_MODE_TREE;
	a.g->attached = 1;
}

static void expect_rank_gone(void)
{
	assert_false(events_wait(a.e));
	assert_int_equal(a.g->report.status, TALLY_COLL_RANK_GONE);
	assert_int_equal(a.g->report.ranks, 1);
}

static void rank_leaves(void **state)
{
	(void)state;
	chunk_lacks_a_rank();
	assert_int_equal(engine_detach_ranks(a.e, 0, 1).status, TALLY_ADMIN_STATUS_OK);
	expect_rank_gone();
	alone_teardown(&a);
	alone_setup(&a);
	chunk_lacks_a_rank();
	assert_int_equal(engine_destroy_group(a.e, 0).status, TALLY_ADMIN_STATUS_OK);
	expect_rank_gone();
}

static void queue_pair_with_begun_request(void)
{
	alone_teardown(&a);
	alone_setup(&a);
	alone_wr(alone_qp(&a, 0, 1), WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, 0, 1);
}

static void queue_pair_stops(void **state)
{
	(void)state;
	queue_pair_with_begun_request();
	assert_int_equal(engine_modify_qp(a.e, 0, TALLY_QPS_ERROR).status, TALLY_ADMIN_STATUS_OK);
	expect_rank_gone();
	assert_int_equal(engine_qp_state(a.e, 0), TALLY_QPS_ERROR);
	queue_pair_with_begun_request();
	assert_int_equal(engine_destroy_qp(a.e, 0).status, TALLY_ADMIN_STATUS_OK);
	expect_rank_gone();
}

/* The completion queue of a queue pair is overrun. */
static void queue_pair_is_lost(void **state)
{
	(void)state;
	interrupt();
	alone_qp(&a, 0, 1);
	engine_qp_lost(a.e, 0);
	assert_int_equal(a.g->to_open, 2);
	firmware_finish(a.e);
	expect_rank_gone();
	alone_teardown(&a);
	alone_setup(&a);
	alone_qp(&a, 0, 1);
	engine_qp_lost(a.e, 0);
	expect_rank_gone();
	alone_teardown(&a);
	alone_setup(&a);
	alone_qp(&a, 0, 1);
	alone_qp(&a, 1, 1); /* that may post for the rank, too */
	engine_qp_lost(a.e, 0);
	assert_int_equal(a.g->report.status, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_on_groups),
		cmocka_unit_test(queries_of_groups),
		cmocka_unit_test(commands_on_queue_pairs),
		cmocka_unit_test_teardown(group_begins_to_open, teardown),
		TEST(rank_leaves),
		TEST(queue_pair_stops),
		cmocka_unit_test_teardown(queue_pair_is_lost, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
