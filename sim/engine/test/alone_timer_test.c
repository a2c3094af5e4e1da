// SPDX-License-Identifier: BSD-2-Clause
/* The heap of active timers, and the time limits of requests that are in no slot. */
#include "engine/common.h"
#include "engine/timer.h"
#include "engine/test/alone.h"
#include "engine/wr_timeout.h"

#include <endian.h>
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

/* Of the limits of the request and of the group, the shorter one counts. */
static void shorter_limit_counts(void **state)
{
	struct alone a;
	struct wr *wr;

	(void)state;
	alone_setup(&a);
	wr = wait_for(&a, WR_READY, TALLY_OPCODE_ALLREDUCE);
	assert_int_equal(wr_timeout_next(a.e, a.g), wr->since + 750 * MS);
	wr->w.timeout = 400 * MS;
	assert_int_equal(wr_timeout_next(a.e, a.g), wr->since + 300 * MS);
	wr->w.timeout = 2000 * MS;
	assert_int_equal(wr_timeout_next(a.e, a.g), wr->since + 750 * MS);
	wr->since = 0; /* it does not wait */
	assert_int_equal(wr_timeout_next(a.e, a.g), NEVER);
	alone_teardown(&a);
}

/* A group may have no limit; a request may still have one. */
static void request_alone_has_a_limit(void **state)
{
	struct alone a;
	struct wr *wr;

	(void)state;
	alone_setup(&a);
	a.g->timeout = NEVER;
	wr = wait_for(&a, WR_READY, TALLY_OPCODE_ALLREDUCE);
	assert_int_equal(wr_timeout_next(a.e, a.g), NEVER);
	wr->w.timeout = 400 * MS;
	assert_int_equal(wr_timeout_next(a.e, a.g), wr->since + 300 * MS);
	alone_teardown(&a);
}

/* Only requests that are in no slot have limits here. */
static void requests_with_a_limit(void **state)
{
	static const struct {
		enum wr_state state;
		uint8_t opcode;
		bool flag_written, timed;
	} rows[] = {
		{ WR_READY, TALLY_OPCODE_ALLREDUCE, false, true },
		{ WR_ACTIVE, TALLY_OPCODE_ALLREDUCE, false, false },
		{ WR_READY, TALLY_OPCODE_REDUCE_MP, false, true },
		{ WR_ACTIVE, TALLY_OPCODE_REDUCE_MP, false, true },
		{ WR_ACTIVE, TALLY_OPCODE_REDUCE_MP, true, false },
		{ WR_DONE, TALLY_OPCODE_REDUCE_MP, false, false },
		{ WR_SKIP, TALLY_OPCODE_QUERY, false, false },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct alone a;
		struct wr *wr;

		alone_setup(&a);
		wr = wait_for(&a, rows[i].state, rows[i].opcode);
		wr->flag_written = rows[i].flag_written;
		assert_int_equal(wr_timeout_next(a.e, a.g) != NEVER, rows[i].timed);
		a.e->now += 750 * MS;
		wr_timeout_expire(a.e, a.g);
		assert_int_equal(group_alive(a.g), !rows[i].timed);
		alone_teardown(&a);
	}
}

/* The earliest of all requests of all queue pairs counts, and only what is due expires. */
static void earliest_limit_counts(void **state)
{
	struct alone a;
	struct wr *wr;

	(void)state;
	alone_setup(&a);
	wr = alone_wr(alone_qp(&a, 1, 1), WR_READY, TALLY_OPCODE_BARRIER, 3, 1);
	wr->since = 3 * MS;
	alone_wr(&a.e->qps[1], WR_READY, TALLY_OPCODE_BARRIER, 4, 1)->since = 2 * MS;
	wr = alone_wr(alone_qp(&a, 2, 1), WR_READY, TALLY_OPCODE_BARRIER, 3, 1);
	wr->since = 4 * MS;
	assert_int_equal(wr_timeout_next(a.e, a.g), 752 * MS);
	a.e->now = 752 * MS - 1;
	assert_false(wr_timeout_expire(a.e, a.g));
	assert_true(group_alive(a.g));
	a.e->now++;
	assert_false(wr_timeout_expire(a.e, a.g));
	assert_false(group_alive(a.g));
	assert_int_equal(alone_exception(&a)->cause, TALLY_FW_CAUSE_TIME_OUT);
	alone_teardown(&a);
}

/* A descriptor whose message to this node finds no cell says so. */
static void descriptor_without_a_cell(void **state)
{
	struct alone a;
	struct wr *wr;

	(void)state;
	alone_setup(&a);
	wr = wait_for(&a, WR_ACTIVE, TALLY_OPCODE_BCAST_MP);
	wr->fired = wr->starved = true;
	wr->w.mid = 6;
	a.e->now = wr_timeout_next(a.e, a.g);
	wr_timeout_expire(a.e, a.g);
	assert_int_equal(alone_exception(&a)->status, TALLY_COLL_RMQ_OVERFLOW);
	assert_int_equal(alone_exception(&a)->contributors, 0);
	assert_int_equal(alone_exception(&a)->mid, 6);
	assert_int_equal(alone_exception(&a)->sid, NO_CHUNK);
	alone_teardown(&a);
}

/* One that lacks messages of a result fires without them, and tells those behind it. */
static void descriptor_fires_without_messages(void **state)
{
	struct alone a;
	struct wr *wr;

	(void)state;
	alone_setup(&a);
	wr = wait_for(&a, WR_ACTIVE, TALLY_OPCODE_REDUCE_MP);
	wr->w.flags = TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_SIGNALED;
	wr->data_ready = true;
	wr->buf = 1;
	a.e->qps[0].waiting = wr;
	a.e->now = wr_timeout_next(a.e, a.g);
	assert_true(wr_timeout_expire(a.e, a.g));
	assert_true(group_alive(a.g));
	assert_int_equal(a.cqes, 1);
	assert_int_equal(le16toh(a.cqe[0].cqe.coll_status), TALLY_COLL_MISMATCH);
	alone_teardown(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heap_keeps_its_order),
		cmocka_unit_test(descriptor_gives_up_early),
		cmocka_unit_test(descriptor_names_those_not_reached),
		cmocka_unit_test(limit_ahead_of_turn_runs_once),
		cmocka_unit_test(shorter_limit_counts),
		cmocka_unit_test(request_alone_has_a_limit),
		cmocka_unit_test(requests_with_a_limit),
		cmocka_unit_test(earliest_limit_counts),
		cmocka_unit_test(descriptor_without_a_cell),
		cmocka_unit_test(descriptor_fires_without_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
