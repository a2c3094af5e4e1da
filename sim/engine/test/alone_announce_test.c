// SPDX-License-Identifier: BSD-2-Clause
/* What a node tells its neighbours of its window, and when. */
#include "engine/common.h"
#include "engine/edge.h"
#include "engine/test/alone.h"
#include "engine/window.h"

#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct alone a;
static struct edge *parent;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	alone_parent(&a, EDGE_PARENT);
	parent = &a.g->edges[EDGE_PARENT];
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

/* Check when a neighbour will be told, in picoseconds from now; NEVER: it will not. */
static void check_announced(unsigned int idx, uint64_t in)
{
	struct edge *ed = &a.g->edges[idx];

	assert_int_equal(ed->announce_at, in == NEVER ? NEVER : a.e->now + in);
	assert_int_equal(alone_touched(&a, &ed->timer), in != NEVER);
	ed->announce_at = NEVER;
}

/* ---- Windows ---- */

/* With multicast the parent is told the lowest values of the subtree, wherever numbers wrap. */
static void window_of_the_subtree(void **state)
{
	unsigned int i;

	(void)state;
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	a.g->done = 2;
	a.g->limit = 6;
	for (i = 0; i < 3; i++) {
		a.g->edges[i].peer_done = i - 1;
		a.g->edges[i].peer_limit = i + 3;
	}
	parent->told_limit = -1;
	assert_true(window_of_subtree(a.g, parent));
	assert_int_equal(window_done(a.g, parent), UINT32_MAX);
	assert_int_equal(window_limit(a.g, parent), 3);
	a.g->children = 6;
	assert_int_equal(window_done(a.g, parent), 0);
	assert_int_equal(window_limit(a.g, parent), 4);
	a.g->done = -2;
	a.g->limit = 2;
	assert_int_equal(window_done(a.g, parent), UINT32_MAX - 1);
	assert_int_equal(window_limit(a.g, parent), 2);
	parent->told_limit = 3; /* it never falls */
	assert_int_equal(window_limit(a.g, parent), 3);
	parent->told_limit = -2;
	a.g->edges[2].peer_limit = -1;
	assert_int_equal(window_limit(a.g, parent), UINT32_MAX);
}

static void window_of_the_node(void **state)
{
	unsigned int i;

	(void)state;
	a.g->done = 2;
	for (i = 0; i < 3; i++) {
		a.g->edges[i].peer_limit = 3;
		a.g->edges[i].told_limit = 9;
	}
	assert_false(window_of_subtree(a.g, parent));
	assert_int_equal(window_done(a.g, parent), 2);
	assert_int_equal(window_limit(a.g, parent), 4);
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	for (i = 0; i < 3; i++) {
		assert_false(window_of_subtree(a.g, &a.g->edges[i]));
		assert_int_equal(window_done(a.g, &a.g->edges[i]), 2);
		assert_int_equal(window_limit(a.g, &a.g->edges[i]), 4);
	}
	a.g->parent = 1; /* a child cannot be it, but a contributor can */
	assert_true(window_of_subtree(a.g, &a.g->edges[1]));
	a.g->parent = NO_EDGE;
	assert_false(window_of_subtree(a.g, parent));
}

/* ---- Announcements ---- */

static void done_is_announced_soon(void **state)
{
	(void)state;
	a.g->edges[0].announce_at = a.e->now + 9;
	a.g->edges[1].state = TALLY_EDGE_OPENING;
	edge_announce(a.e, a.g);
	assert_int_equal(a.g->edges[0].announce_at, a.e->now + 9);
	assert_false(alone_touched(&a, &a.g->edges[0].timer));
	check_announced(1, NEVER);
	check_announced(2, 1 * US);
	check_announced(EDGE_PARENT, 1 * US);
	assert_int_equal(a.sent, 0);
}

/* Only values that a neighbour does not know are told. */
static void news_are_told_once(void **state)
{
	struct edge *ed = &a.g->edges[1];

	(void)state;
	ed->announce_at = a.e->now + 1;
	a.g->done = 1;
	edge_timers(a.e, a.g, 1);
	assert_int_equal(a.sent, 0);
	a.e->now++;
	edge_timers(a.e, a.g, 1);
	assert_int_equal(a.sent, 1);
	assert_int_equal(a.last.kind, TALLY_KIND_NOTIFY);
	assert_int_equal(be32toh(a.last.done), 1);
	assert_int_equal(be16toh(a.last.limit), 3);
	assert_int_equal(ed->announce_at, NEVER);
	assert_int_equal(ed->told_done, 1);
	ed->announce_at = a.e->now;
	edge_timers(a.e, a.g, 1);
	assert_int_equal(a.sent, 1);
	assert_int_equal(ed->announce_at, NEVER);
	a.g->limit++;
	edge_timers(a.e, a.g, 1); /* not before its time */
	assert_int_equal(a.sent, 1);
}

/* Let done be 10, the limit `limit`, and every neighbour know the limit `told`. */
static void set_limits(uint32_t limit, uint32_t told)
{
	unsigned int i;

	a.g->max_segs = 64;
	a.g->done = 10;
	a.g->limit = limit;
	for_each_edge(a.g, i) a.g->edges[i].told_limit = told;
}

/* A neighbour that can send nothing must know at once; one that knows the limit, need not. */
static void limit_is_urgent(void **state)
{
	unsigned int i;

	(void)state;
	set_limits(20, 10);
	a.g->edges[2].told_limit = 11;
	a.g->edges[1].state = TALLY_EDGE_OPENING;
	edge_hurry_limit(a.e, a.g, 0);
	check_announced(0, 0);
	check_announced(1, NEVER);
	check_announced(2, NEVER);
	check_announced(EDGE_PARENT, 0);
	a.g->max_segs = a.g->num_segs; /* it never borrows */
	edge_hurry_limit(a.e, a.g, 0);
	a.g->max_segs = 64;
	set_limits(20, 20);
	edge_hurry_limit(a.e, a.g, TALLY_MODE_TREE);
	set_limits(10, 10); /* no segment is left */
	edge_hurry_limit(a.e, a.g, TALLY_MODE_TREE);
	for_each_edge(a.g, i) check_announced(i, NEVER);
}

/* Who gives data in the mode of the posted chunks must know half of the numbers. */
static void givers_know_half_of_the_numbers(void **state)
{
	static const uint8_t givers[] = {
		[0] = 0, [TALLY_MODE_TREE] = 1, [TALLY_MODE_EXCHANGE] = 2, [TALLY_MODE_RING] = 4
	};
	unsigned int mode, i;

	(void)state;
	a.g->children = 1;
	a.g->edges[0].roles = TALLY_ROLE_CHILD | TALLY_ROLE_OUT | TALLY_ROLE_RING_OUT;
	a.g->edges[1].roles = TALLY_ROLE_IN | TALLY_ROLE_RING_OUT;
	a.g->left = 2;
	a.g->right = 1;
	for (mode = 0; mode <= TALLY_MODE_RING; mode++) {
		set_limits(20, 16); /* six of ten are known */
		edge_hurry_limit(a.e, a.g, mode);
		for_each_edge(a.g, i) check_announced(i, NEVER);
		set_limits(20, 15);
		edge_hurry_limit(a.e, a.g, mode);
		for (i = 0; i < 3; i++)
			check_announced(i, givers[mode] >> i & 1 ? 0 : NEVER);
		check_announced(EDGE_PARENT, mode == TALLY_MODE_TREE ? 0 : NEVER);
	}
}

static void numbers_of_limits_wrap(void **state)
{
	(void)state;
	set_limits(2, -2); /* one of five is known */
	a.g->done = -3;
	edge_hurry_limit(a.e, a.g, TALLY_MODE_TREE);
	check_announced(0, 0);
	edge_hurry_limit(a.e, a.g, 0);
	check_announced(0, NEVER);
	a.g->done = -2; /* none of four is */
	edge_hurry_limit(a.e, a.g, 0);
	check_announced(0, 0);
	set_limits(4, 1); /* two of five are known */
	a.g->done = -1;
	edge_hurry_limit(a.e, a.g, 0);
	check_announced(0, NEVER);
	edge_hurry_limit(a.e, a.g, TALLY_MODE_TREE);
	check_announced(0, 0);
}

/* Peers send no chunks, unless one of them is the parent. */
static void peers_need_no_limit(void **state)
{
	(void)state;
	set_limits(20, 10);
	a.g->peers = 6;
	a.g->children = a.g->contributors = 1;
	a.g->parent = 2;
	edge_hurry_limit(a.e, a.g, TALLY_MODE_TREE);
	check_announced(0, 0);
	check_announced(1, NEVER);
	check_announced(2, 0);
}

/* The root of the multicast waits for the slowest node, so it learns every limit at once. */
static void limit_of_the_subtree_is_urgent(void **state)
{
	(void)state;
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	set_limits(20, 19);
	a.g->edges[0].peer_limit = a.g->edges[1].peer_limit = a.g->edges[2].peer_limit = 20;
	a.g->edges[0].peer_done = a.g->edges[1].peer_done = a.g->edges[2].peer_done = 10;
	edge_hurry_limit(a.e, a.g, 0);
	check_announced(0, NEVER);
	check_announced(EDGE_PARENT, 0);
	set_limits(19, 19);
	edge_hurry_limit(a.e, a.g, 0);
	check_announced(EDGE_PARENT, NEVER);
}

/* The chunks that are posted are those of the oldest one's mode. */
static void announcement_hurries_limit(void **state)
{
	struct slot *s;

	(void)state;
	a.g->children = 1;
	a.g->left = 2;
	set_limits(20, 15);
	a.g->seg[10] = 2;
	s = slot_of(a.e, a.g, 10);
	s->mode = TALLY_MODE_RING;
	s->state = TALLY_SEG_BUSY;
	edge_announce(a.e, a.g);
	check_announced(0, 1 * US);
	check_announced(2, 0);
	s->state = TALLY_SEG_FREE; /* it was of an earlier chunk */
	edge_announce(a.e, a.g);
	check_announced(0, 1 * US);
	check_announced(2, 1 * US);
}

/* ---- The subtree ---- */

static void hear(unsigned int idx, uint32_t done, uint16_t limit)
{
	struct tch t = { .done = done, .limit = limit };

	edge_heard(a.e, a.g, idx, &t);
}

/* All of the subtree has finished two chunks of four, and child 0 is the last with the third. */
static void set_subtree(void)
{
	unsigned int i;

	a.g->flags = TALLY_GROUP_F_MULTICAST;
	a.g->done = 3;
	a.g->limit = 8;
	for (i = 0; i < 3; i++) {
		a.g->edges[i].peer_done = i ? 3 : 2;
		a.g->edges[i].peer_limit = 8;
	}
	parent->told_done = 2;
	parent->told_limit = 8;
}

static void subtree_advances(void **state)
{
	(void)state;
	set_subtree();
	hear(1, 4, 4);
	check_announced(EDGE_PARENT, NEVER);
	hear(0, 3, 5);
	check_announced(EDGE_PARENT, 1 * US);
	check_announced(0, NEVER);
	parent->announce_at = a.e->now + 9; /* it is to be told already */
	hear(0, 3, 5);
	check_announced(0, NEVER);
	assert_int_equal(parent->announce_at, a.e->now + 9);
	parent->announce_at = NEVER;
	parent->state = TALLY_EDGE_OPENING;
	hear(0, 3, 5);
	check_announced(EDGE_PARENT, NEVER);
}

static void limit_of_the_subtree_rises(void **state)
{
	(void)state;
	set_subtree();
	a.g->edges[0].peer_limit = 7;
	parent->told_limit = 7;
	a.g->max_segs = 8;
	hear(0, 2, 6);
	check_announced(EDGE_PARENT, 0);
	a.g->max_segs = a.g->num_segs; /* the limit rises only with done */
	hear(0, 2, 6);
	check_announced(EDGE_PARENT, 1 * US);
}

static void nothing_is_passed_on_without_multicast(void **state)
{
	(void)state;
	set_subtree();
	a.g->flags = 0;
	parent->told_done = 0;
	a.g->max_segs = 64;
	hear(0, 3, 5);
	check_announced(EDGE_PARENT, NEVER);
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	a.g->parent = NO_EDGE;
	hear(0, 3, 5);
	check_announced(EDGE_PARENT, NEVER);
}

static void notification(void **state)
{
	(void)state;
	a.g->done = 3;
	a.g->limit = 9;
	a.g->edges[2].remote_index = 5;
	edge_notify(a.e, a.g, 2);
	assert_int_equal(a.last.kind, TALLY_KIND_NOTIFY);
	assert_int_equal(a.last.contributor, 5);
	assert_int_equal(be32toh(a.last.jid), ALONE_JID);
	assert_int_equal(be32toh(a.last.epoch), ALONE_EPOCH);
	assert_int_equal(a.g->edges[2].told_done, 3);
	assert_int_equal(a.g->edges[2].told_limit, 9);
	assert_int_equal(a.g->edges[1].told_done, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(window_of_the_subtree),
		TEST(window_of_the_node),
		TEST(done_is_announced_soon),
		TEST(news_are_told_once),
		TEST(limit_is_urgent),
		TEST(givers_know_half_of_the_numbers),
		TEST(numbers_of_limits_wrap),
		TEST(peers_need_no_limit),
		TEST(limit_of_the_subtree_is_urgent),
		TEST(announcement_hurries_limit),
		TEST(subtree_advances),
		TEST(limit_of_the_subtree_rises),
		TEST(nothing_is_passed_on_without_multicast),
		TEST(notification),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
