// SPDX-License-Identifier: BSD-2-Clause
/* Segments and windows where running numbers wrap. */
#include "engine/multicast_rx.h"
#include "engine/pool.h"
#include "engine/test/alone.h"
#include "engine/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Let the window begin one table of segments before number 0, so that it wraps soon. */
static void begin_before_wrap(struct group *g)
{
	g->done -= TALLY_MAX_GROUP_SEGS;
	g->limit -= TALLY_MAX_GROUP_SEGS;
	g->top -= TALLY_MAX_GROUP_SEGS;
}

static void limit_rises_across_wrap(void **state)
{
	struct alone a;
	unsigned int i;

	(void)state;
	alone_setup(&a);
	begin_before_wrap(a.g);
	for (i = 0; i < 2 * TALLY_MAX_GROUP_SEGS; i++) {
		pool_advance(a.e, a.g);
		assert_int_equal(a.g->limit - a.g->done, a.g->num_segs);
	}
	assert_int_equal(a.g->done, TALLY_MAX_GROUP_SEGS);
	assert_true(a.e->seg_fresh <= a.g->num_segs + 1);
	alone_teardown(&a);
}

/* Whatever a request wants, a group holds at most max_segs, wherever its numbers are. */
static void max_segs_holds_across_wrap(void **state)
{
	struct alone a;
	unsigned int i;

	(void)state;
	alone_setup(&a);
	a.g->max_segs = 8;
	begin_before_wrap(a.g);
	for (i = 0; i < TALLY_MAX_GROUP_SEGS + 16; i++) {
		pool_borrow(a.e, a.g, a.g->done + 100);
		assert_int_equal(a.g->limit - a.g->done, 8);
		pool_borrow(a.e, a.g, a.g->done + 3);
		assert_int_equal(a.g->limit - a.g->done, 8);
		pool_advance(a.e, a.g);
		assert_int_equal(a.e->segs_lent, 3);
	}
	alone_teardown(&a);
}

static void newest_multicast_result_across_wrap(void **state)
{
	struct alone a;
	struct tch t = alone_chunk(TALLY_KIND_RESULT, 1);

	(void)state;
	alone_setup(&a);
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	alone_parent(&a, EDGE_PARENT);
	a.g->done = a.g->limit = a.g->top = 2;
	t.num = UINT32_MAX;
	multicast_packet(a.e, a.g, &t, NULL, 0);
	t.num = 1;
	multicast_packet(a.e, a.g, &t, NULL, 0);
	assert_int_equal(a.g->mcast_top, 1);
	t.num = UINT32_MAX - 1;
	multicast_packet(a.e, a.g, &t, NULL, 0);
	assert_int_equal(a.g->mcast_top, 1);
	alone_teardown(&a);
}

/* A child that has packets of this node to acknowledge counts for the limit of the subtree, too. */
static void limit_of_subtree(void **state)
{
	const struct edge *parent;
	struct alone a;

	(void)state;
	alone_setup(&a);
	a.g->flags = TALLY_GROUP_F_MULTICAST;
	alone_children(&a, 2);
	alone_parent(&a, EDGE_PARENT);
	parent = &a.g->edges[EDGE_PARENT];
	a.g->edges[EDGE_PARENT].told_limit = 2;
	a.g->edges[0].peer_limit = 3;
	assert_int_equal(window_limit(a.g, parent), 3);
	a.g->unacked = 1;
	assert_int_equal(window_limit(a.g, parent), 3);
	assert_int_equal(window_limit(a.g, &a.g->edges[1]), 4);
	alone_teardown(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit_rises_across_wrap),
		cmocka_unit_test(max_segs_holds_across_wrap),
		cmocka_unit_test(newest_multicast_result_across_wrap),
		cmocka_unit_test(limit_of_subtree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
