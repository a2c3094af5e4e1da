// SPDX-License-Identifier: BSD-2-Clause
/* QUERY requests, which the firmware answers after the time that it takes. */
#include "engine/test/testbed.h"
#include "plan/cycles.h"

static uint64_t seed;

/* A node whose only rank, 0, waits for rank 1 with message 0, and a queue pair for rank 1. */
struct scene {
	struct testbed *tb;
	struct tb_group g;
	struct tb_node *n;
	struct tb_qp *qp;
};

static void scene_setup(struct scene *s, unsigned int access)
{
	const struct engine_timing timing = {
		.clock_mhz = 250,
		.access = access,
		.event = ENGINE_CYCLES_EVENT,
	};
	const struct tb_group_cfg cfg = { .nodes = 1, .ranks = 2, .timeout_ms = 200 };
	struct tb_post p;

	s->tb = tb_open(&s->g, &cfg, 1, seed);
	s->n = tb_group_node(&s->g, 0);
	engine_set_timing(s->n->e, &timing);
	s->qp = tb_qp_create(&s->g, 0, 2, 16, 1);
	p = tb_request(&s->g, TALLY_OPCODE_BARRIER, 0, 1);
	tb_post_ring(s->n, tb_qp_create(&s->g, 0, 1, 16, 0), &p);
	tb_run_for(s->tb, 10 * VT_US);
}

static uint32_t ask(struct scene *s, uint32_t mid)
{
	struct tb_post p = tb_request(&s->g, TALLY_OPCODE_QUERY, mid, 2);

	return tb_post_ring(s->n, s->qp, &p);
}

static bool answered(const struct scene *s, uint32_t index)
{
	return s->qp->wrs[index].has_cqe;
}

/* Return the time until a QUERY is answered, in steps of 100 ns. */
static vtime_t time_of_answer(unsigned int access)
{
	struct scene s;
	vtime_t time = 0;
	uint32_t index;

	scene_setup(&s, access);
	index = ask(&s, 0);
	for (; !answered(&s, index); time += 100 * VT_NS)
		tb_run_for(s.tb, 100 * VT_NS);
	assert_int_equal(le64toh(s.qp->wrs[index].cqe.ranks), 2);
	tb_free(s.tb);
	return time;
}

/* An answer takes some dozen accesses to registers, and not more for other chunks that wait. */
static void answer_takes_time(void **state)
{
	vtime_t slow = time_of_answer(1000), fast = time_of_answer(500);

	(void)state;
	assert_in_range(slow - fast, 10 * 2 * VT_US, 40 * 2 * VT_US);
}

/* Requests behind a QUERY wait for its answer, each QUERY has one of its own, and the work goes on. */
static void several_are_answered_in_turn(void **state)
{
	struct scene s;
	struct tb_post p;
	uint32_t first, second, work;

	(void)state;
	scene_setup(&s, 500);
	first = ask(&s, 0);
	second = ask(&s, 7);
	p = tb_request(&s.g, TALLY_OPCODE_BARRIER, 0, 2);
	work = tb_post_ring(s.n, s.qp, &p);
	while (!answered(&s, first))
		tb_run_for(s.tb, VT_US);
	assert_false(answered(&s, second));
	assert_false(answered(&s, work));
	tb_finish(s.tb, 10 * VT_MS);
	assert_int_equal(s.qp->wrs[first].cqe.flags, TALLY_CQE_F_NO_RETIRE | TALLY_CQE_F_PENDING);
	assert_int_equal(s.qp->wrs[second].cqe.flags, TALLY_CQE_F_NO_RETIRE | TALLY_CQE_F_UNKNOWN);
	assert_int_equal(le64toh(s.qp->wrs[second].cqe.ranks), 0);
	assert_int_equal(le64toh(s.qp->wrs[second].cqe.contributors), 0);
	tb_assert_cqe(&s.qp->wrs[work], TALLY_COLL_OK);
	tb_free(s.tb);
}

/* A reset takes a QUERY back that waits for the firmware, and the next one has its own answer. */
static void reset_takes_it_back(void **state)
{
	struct scene s;
	struct tb_post p;
	uint32_t index;

	(void)state;
	scene_setup(&s, 5000);
	p = tb_request(&s.g, TALLY_OPCODE_QUERY, 0, 1);
	/* the firmware is busy with the QUERY of another queue pair */
	tb_post_ring(s.n, tb_qp_create(&s.g, 0, 1, 16, 2), &p);
	tb_run_for(s.tb, 5 * VT_US);
	index = ask(&s, 0);
	tb_run_for(s.tb, 5 * VT_US);
	assert_true(s.n->e->qps[s.qp->qpn].asked);
	assert_true(s.n->e->event_head != s.n->e->event_tail);
	assert_int_equal(tb_qp_modify(&s.g, 0, s.qp, TALLY_QPS_RESET), TALLY_ADMIN_STATUS_OK);
	assert_int_equal(s.n->e->event_head, s.n->e->event_tail);
	assert_false(s.n->e->qps[s.qp->qpn].asked);
	assert_int_equal(tb_qp_modify(&s.g, 0, s.qp, TALLY_QPS_RTS), TALLY_ADMIN_STATUS_OK);
	tb_run_for(s.tb, VT_MS);
	assert_false(answered(&s, index));
	tb_free(s.tb);
}

/* Of the events of an epoch that is over, a QUERY remains; none does of a group that is released. */
static void next_epoch_keeps_it(void **state)
{
	struct scene s;
	struct engine *e;
	struct group *g;

	(void)state;
	scene_setup(&s, 500);
	e = tb_enter(s.n);
	g = tb_group_state(&s.g, 0);
	events_of_group(e, g, TALLY_FW_EV_BEGIN);
	events_query(e, &e->qps[s.qp->qpn], 5);
	events_of_group(e, g, TALLY_FW_EV_DRAINED);
	events_drop_epoch(e, g);
	events_next(e);
	assert_int_equal(e->event.type, TALLY_FW_EV_QUERY);
	assert_int_equal(e->event.qp, s.qp->qpn);
	assert_int_equal(e->event.mid, 5);
	assert_false(events_wait(e));

	events_query(e, &e->qps[s.qp->qpn], 6);
	events_drop_query(e, &e->qps[s.qp->qpn ? 0 : 1]);
	assert_true(events_wait(e));
	events_drop(e, g);
	assert_false(events_wait(e));
	tb_leave(s.n);
	tb_free(s.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answer_takes_time),
		cmocka_unit_test(several_are_answered_in_turn),
		cmocka_unit_test(reset_takes_it_back),
		cmocka_unit_test(next_epoch_keeps_it),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
