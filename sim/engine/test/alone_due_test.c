// SPDX-License-Identifier: BSD-2-Clause
/* What is due: the list of touched timers, the first of the heap, and what runs at a time. */
#include "engine/common.h"
#include "engine/test/alone.h"
#include "engine/timer.h"
#include "engine/timers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct alone a;

static int setup(void **state)
{
	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	alone_parent(&a, EDGE_PARENT);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	alone_teardown(&a);
	return 0;
}

static void touch(unsigned int idx)
{
	timer_touch(a.e, &a.g->edges[idx].timer);
}

/* ---- The heap ---- */

/* Take out the first timer again and again: they come in their order. */
static void heap_is_sorted(void **state)
{
	uint64_t last = 0;
	uint32_t x = 1;
	unsigned int i;

	(void)state;
	for (i = 0; i < 60; i++) {
		x = x * 1664525 + 1013904223;
		timer_set(a.e, &a.g->edges[i].timer, x >> 28);
	}
	assert_int_equal(a.e->num_timers, 60);
	timer_set(a.e, &a.g->edges[60].timer, NEVER); /* it is not there */
	assert_int_equal(a.e->num_timers, 60);
	for (i = 60; i; i--) {
		struct timer_entry first = a.e->heap[0];

		assert_true(first.at >= last);
		last = first.at;
		assert_int_equal(first.timer->place, 1);
		timer_set(a.e, first.timer, NEVER);
		assert_int_equal(first.timer->place, 0);
		assert_int_equal(a.e->num_timers, i - 1);
	}
}

static void timers_have_owners(void **state)
{
	struct group *last = &a.e->groups[TALLY_MAX_GROUP - 1];

	(void)state;
	assert_ptr_equal(timer_owner(a.e, &a.g->timer), a.g);
	assert_ptr_equal(timer_owner(a.e, &last->timer), last);
	assert_ptr_equal(timer_owner(a.e, &last->edges[EDGE_PARENT].timer), last);
	timer_touch(a.e, &last->edges[EDGE_PARENT].timer);
	assert_true(alone_touched(&a, &last->edges[EDGE_PARENT].timer));
	timer_touch(a.e, &a.e->tombstones[0].timer);
	timer_touch(a.e, &a.e->tombstones[0].edges[0].timer);
	assert_null(a.e->touched);
	timer_touch(a.e, &a.g->timer); /* the first of all */
	assert_true(alone_touched(&a, &a.g->timer));
}

static void timer_is_touched_once(void **state)
{
	(void)state;
	touch(0);
	touch(1);
	touch(0);
	assert_true(alone_touched(&a, &a.g->edges[0].timer));
	assert_true(alone_touched(&a, &a.g->edges[1].timer));
	assert_null(a.e->touched);
}

/* The timers of a group that ends go, and those of others remain. */
static void timers_of_a_group_are_dropped(void **state)
{
	struct group *other = &a.e->groups[5];

	(void)state;
	timer_set(a.e, &other->timer, 10);
	timer_set(a.e, &a.g->timer, 20);
	timer_set(a.e, &a.g->edges[0].timer, 5);
	timer_set(a.e, &a.g->edges[EDGE_PARENT].timer, 15);
	touch(2);
	timer_touch(a.e, &other->edges[1].timer);
	touch(1);
	timer_touch(a.e, &other->edges[2].timer);
	timer_touch(a.e, &a.g->timer);
	timers_drop(a.e, a.g);
	assert_int_equal(a.e->num_timers, 1);
	assert_ptr_equal(a.e->heap[0].timer, &other->timer);
	assert_false(a.g->timer.touched || a.g->edges[1].timer.touched ||
		     a.g->edges[2].timer.touched);
	assert_true(alone_touched(&a, &other->edges[2].timer));
	assert_true(alone_touched(&a, &other->edges[1].timer));
	assert_null(a.e->touched);
}

/* ---- The next time ---- */

static void touched_timers_are_asked(void **state)
{
	(void)state;
	assert_int_equal(timers_next(a.e), NEVER);
	a.g->edges[1].ack_at = 500;
	assert_int_equal(timers_next(a.e), NEVER); /* nobody has said so */
	touch(1);
	a.e->timer_visits = 0;
	assert_int_equal(timers_next(a.e), 500);
	assert_int_equal(a.e->timer_visits, 2); /* as it was touched, and as it is the first */
	assert_null(a.e->touched);
	assert_false(a.g->edges[1].timer.touched);
	a.g->edges[2].rto_at = 400;
	touch(2);
	assert_int_equal(timers_next(a.e), 400);
	a.g->mcast_ack_at = 300;
	timer_touch(a.e, &a.g->timer);
	assert_int_equal(timers_next(a.e), 300);
}

/* Entries whose edge has nothing to do so early are put right. */
static void late_timers_are_put_right(void **state)
{
	(void)state;
	a.g->edges[0].ack_at = 100;
	a.g->edges[1].ack_at = 200;
	touch(0);
	touch(1);
	timers_next(a.e);
	a.g->edges[0].ack_at = 250;
	assert_int_equal(timers_next(a.e), 200);
	a.g->edges[1].ack_at = NEVER;
	assert_int_equal(timers_next(a.e), 250);
	assert_int_equal(a.e->num_timers, 1);
	a.g->edges[0].ack_at = NEVER;
	assert_int_equal(timers_next(a.e), NEVER);
	assert_int_equal(a.e->num_timers, 0);
}

/* Of a group that is frozen only the firmware's timers count. */
static void timers_of_a_frozen_group(void **state)
{
	(void)state;
	a.g->edges[0].ack_at = 100;
	a.g->edges[0].fw_at = 300;
	a.g->mcast_ack_at = 200;
	a.g->fence_at = 400;
	touch(0);
	timer_touch(a.e, &a.g->timer);
	assert_int_equal(timers_next(a.e), 100);
	a.g->state = TALLY_GROUP_COLLECT;
	assert_int_equal(timers_next(a.e), 300);
	a.g->edges[0].fw_at = NEVER;
	assert_int_equal(timers_next(a.e), 400);
}

/* ---- What is due ---- */

/* What is due runs: edges in the order of their numbers, the parent, then the group itself. */
static void what_is_due_runs(void **state)
{
	static const uint8_t order[] = { 0, 2, EDGE_PARENT, EDGE_PARENT };
	unsigned int i;

	(void)state;
	a.g->flags = TALLY_GROUP_F_MULTICAST; /* its acknowledgement goes to the parent */
	a.g->edges[2].ack_at = a.g->edges[0].ack_at = a.g->mcast_ack_at = a.e->now;
	a.g->edges[EDGE_PARENT].ack_at = a.e->now - 1;
	a.g->edges[1].ack_at = a.e->now + 1;
	for_each_edge(a.g, i) touch(i);
	timer_touch(a.e, &a.g->timer);
	timers_run(a.e);
	assert_int_equal(a.sent, 4);
	for (i = 0; i < 4; i++) {
		assert_int_equal(a.packet[i].contributor, order[i]);
		assert_int_equal(a.packet[i].kind, TALLY_KIND_ACK);
	}
	assert_int_equal(timers_next(a.e), a.e->now + 1);
	a.e->now++;
	timers_run(a.e);
	assert_int_equal(a.sent, 5);
	assert_int_equal(a.last.contributor, 1);
	assert_int_equal(timers_next(a.e), NEVER);
	assert_int_equal(a.g->due, 0);
	assert_false(a.g->due_self || a.g->due_parent);
}

/* An entry that is too early is put right, and runs at its own time. */
static void early_entries_do_not_run(void **state)
{
	(void)state;
	a.g->edges[1].ack_at = a.e->now;
	touch(1);
	timers_next(a.e);
	a.g->edges[1].ack_at = a.e->now + 5;
	timers_run(a.e);
	assert_int_equal(a.sent, 0);
	assert_int_equal(a.e->heap[0].at, a.e->now + 5);
	a.e->now += 5;
	timers_run(a.e);
	assert_int_equal(a.sent, 1);
}

/* A time that has run is asked for again: a retransmission has a next one. */
static void what_has_run_is_asked_again(void **state)
{
	struct edge *ed = &a.g->edges[1];

	(void)state;
	ed->rto_at = a.e->now;
	ed->tx_una = ed->tx_next = 5;
	touch(1);
	timers_run(a.e);
	assert_int_equal(timers_next(a.e), a.e->now + 2 * a.g->rto);
}

/* Groups in several words of the bitmap are all looked at. */
static void groups_by_their_numbers(void **state)
{
	static const unsigned int numbers[] = { 1023, 64, 63, 0, 127 };
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		struct group *g = &a.e->groups[numbers[i]];

		g->state = TALLY_GROUP_COLLECT;
		g->fence_at = NEVER;
		g->fw_at = a.e->now;
		timer_touch(a.e, &g->timer);
	}
	timers_run(a.e);
	assert_int_equal(a.e->events_raised, 5);
	assert_int_equal(a.e->events[0].group, 0);
	assert_int_equal(a.e->events[1].group, 63);
	assert_int_equal(a.e->events[2].group, 64);
	assert_int_equal(a.e->events[3].group, 127);
	assert_int_equal(a.e->events[4].group, 1023);
	for (i = 0; i < TALLY_MAX_GROUP / 64; i++)
		assert_int_equal(a.e->due[i], 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(heap_is_sorted),
		TEST(timers_have_owners),
		TEST(timer_is_touched_once),
		TEST(timers_of_a_group_are_dropped),
		TEST(touched_timers_are_asked),
		TEST(late_timers_are_put_right),
		TEST(timers_of_a_frozen_group),
		TEST(what_is_due_runs),
		TEST(early_entries_do_not_run),
		TEST(what_has_run_is_asked_again),
		TEST(groups_by_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
