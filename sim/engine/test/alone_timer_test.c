// SPDX-License-Identifier: BSD-2-Clause
/* The heap of active timers, and the time limits of requests that are in no slot. */
#include "engine/common.h"
#include "engine/timer.h"
#include "engine/test/alone.h"
#include "engine/wr_timeout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- The heap ---- */

static void check_heap(const struct engine *e)
{
	uint32_t i;

	for (i = 0; i < e->num_timers; i++) {
		assert_int_equal(e->heap[i].timer->place, i + 1);
		if (i)
			assert_true(e->heap[(i - 1) / 2].at <= e->heap[i].at);
	}
}

/* Set, move and remove timers in any order: the heap stays one. */
static void heap_keeps_its_order(void **state)
{
	struct alone a;
	uint64_t x = 1;
	unsigned int i;

	(void)state;
	alone_setup(&a);
	for (i = 0; i < 20000; i++) {
		struct timer *t;

		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		t = &a.g->edges[(x >> 33) % MAX_EDGES].timer;
		timer_set(a.e, t, x >> 62 ? (x >> 40) % 1000 : NEVER);
		check_heap(a.e);
	}
	alone_teardown(&a);
}

/* ---- Requests in no slot ---- */

/* Give the group a queue pair with one request, which has waited since now. */
static struct wr *wait_for(struct alone *a, enum wr_state wr_state, uint8_t opcode)
{
	struct qp *qp = &a->e->qps[0];
	struct wr *wr = wr_take(qp, 0);

	qp->used = true;
	qp->admit = qp->posted = 1;
	qp->next_in_group = NONE;
	a->g->qps = 0;
	wr->state = wr_state;
	wr->since = a->e->now;
	wr->w.opcode = opcode;
	wr->w.rank_mask = 1;
	return wr;
}

/* Its receivers must learn of the missing messages within their own limits. */
static void descriptor_gives_up_early(void **state)
{
	struct alone a;
	struct wr *wr;

	(void)state;
	alone_setup(&a);
	wr = wait_for(&a, WR_ACTIVE, TALLY_OPCODE_REDUCE_MP);
	assert_int_equal(wr_timeout_next(a.e, a.g), wr->since + a.g->timeout / 4 * 3);
	wr->data_ready = true;
	wr->w.flags = TALLY_WQE_F_SWP_FLAG;
	assert_int_equal(wr_timeout_next(a.e, a.g), wr->since + a.g->timeout / 2);
	alone_teardown(&a);
}

static void descriptor_names_those_not_reached(void **state)
{
	struct alone a;
	struct wr *wr;

	(void)state;
	alone_setup(&a);
	alone_children(&a, 3);
	wr = wait_for(&a, WR_ACTIVE, TALLY_OPCODE_BCAST_MP);
	wr->fired = true;
	wr->send_todo = 2; /* the window of its edge is closed */
	wr->send_waiting = 4;
	a.e->now = wr_timeout_next(a.e, a.g);
	wr_timeout_expire(a.e, a.g);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_TIMEOUT);
	assert_int_equal(alone_exception(&a)->contributors, 6);
	alone_teardown(&a);
}

/* The limit of a request ends when it turns out that nobody is late. */
static void limit_ahead_of_turn_runs_once(void **state)
{
	struct alone a;
	struct wr *wr;

	(void)state;
	alone_setup(&a);
	wr = wait_for(&a, WR_READY, TALLY_OPCODE_ALLREDUCE);
	wr->w.mid = 5;
	a.g->ranks[0].next_mid = 1;
	a.e->now = wr_timeout_next(a.e, a.g);
	wr_timeout_expire(a.e, a.g);
	assert_true(group_alive(a.g));
	assert_int_equal(wr_timeout_next(a.e, a.g), NEVER);
	alone_teardown(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_keeps_its_order),
		cmocka_unit_test(descriptor_gives_up_early),
		cmocka_unit_test(descriptor_names_those_not_reached),
		cmocka_unit_test(limit_ahead_of_turn_runs_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
