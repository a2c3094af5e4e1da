// SPDX-License-Identifier: BSD-2-Clause
/* Segments that groups own and borrow, and the limits that nodes announce. */
#include "engine/test/test_job.h"

static uint64_t seed;

static struct engine *engine_of(const struct tb_group *g, unsigned int node)
{
	return tb_group_node(g, node)->e;
}

/* Leave `free` segments that a group may borrow, as if another group owned the others. */
static void leave_free(const struct tb_group *g, unsigned int free)
{
	unsigned int i;

	for (i = 0; i < g->cfg.nodes; i++)
		engine_of(g, i)->segs_owned = TALLY_MAX_SEG - free;
}

/* ---- The pool ---- */

/* A group borrows less than a quarter of what is left, and at most what it may hold. */
static void share_of_a_group(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .segs = 2, .max_segs = 32 };
	struct tb_group one;
	struct testbed *tb = tb_open(&one, &cfg, 1, seed);
	struct group *g = tb_group_state(&one, 0);
	struct engine *e = engine_of(&one, 0);

	(void)state;
	assert_int_equal(g->limit, 2);
	assert_false(pool_borrow(e, g, 2));
	assert_true(pool_borrow(e, g, 100));
	assert_int_equal(g->limit, 32);
	assert_int_equal(e->segs_lent, 30);
	/* each chunk that is done returns one of them, and then the limit rises again */
	while (g->done != 30)
		pool_advance(e, g);
	assert_int_equal(g->limit, 32);
	assert_int_equal(e->segs_lent, 0);
	pool_advance(e, g);
	assert_int_equal(g->limit, 33);
	leave_free(&one, 10);
	assert_true(pool_borrow(e, g, 100));
	assert_int_equal(e->segs_lent, 2); /* 0 of 10, 4 of 9, but not 8 of 8 */
	leave_free(&one, e->segs_lent);
	assert_false(pool_borrow(e, g, 100));
	e->segs_owned = 2;
	pool_end(e, g);
	assert_int_equal(e->segs_lent, 0);
	tb_free(tb);
}

/* What groups own must fit together, beside what is lent now. */
static void guarantees_fit(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .segs = 2, .max_segs = 32 };
	struct tb_group one, two;
	struct testbed *tb = tb_open(&one, &cfg, 1, seed);
	struct engine *e = engine_of(&one, 0);
	struct engine_result r;

	(void)state;
	tb_group_plan(tb, &two, &cfg);
	two.cfg.group = 1;
	assert_true(pool_borrow(e, tb_group_state(&one, 0), 3));
	leave_free(&one, 2);
	r = tb_group_try(&two, 0);
	assert_int_equal(r.status, TALLY_ADMIN_STATUS_NO_RESOURCE);
	assert_int_equal(r.bad_offset, offsetof(struct tally_group_cfg, num_segs));
	pool_advance(e, tb_group_state(&one, 0));
	assert_int_equal(tb_group_try(&two, 0).status, TALLY_ADMIN_STATUS_OK);
	tb_free(tb);
}

/* ---- Limits ---- */

struct watch {
	uint32_t limit[TB_MAX_NODES][TB_MAX_NODES]; /* that a node has told another */
	uint16_t widest; /* largest window */
	bool fell;
};

/* No limit may fall. */
static bool observe(void *arg, struct tb_packet *p)
{
	struct watch *w = arg;
	uint32_t limit = be32toh(p->tch.done) + be16toh(p->tch.limit);
	uint32_t *told;

	if (p->tch.kind == TALLY_KIND_OPEN || !p->to || (be16toh(p->tch.flags) & TALLY_TCH_F_MULTICAST))
		return true;
	told = &w->limit[p->from->index][p->to->index];
	w->fell |= serial_lt(limit, *told);
	*told = limit;
	if (be16toh(p->tch.limit) > w->widest)
		w->widest = be16toh(p->tch.limit);
	return true;
}

static const struct tb_group_cfg borrowers[] = {
	{ .nodes = 5, .ranks = 2, .segs = 1, .max_segs = 32 },
	{ .nodes = 5, .ranks = 2, .segs = 2, .max_segs = 32, .flags = TALLY_GROUP_F_MULTICAST },
	{ .nodes = 4, .ranks = 1, .segs = 1, .max_segs = 32, .mode = TALLY_MODE_EXCHANGE },
	{ .nodes = 3, .ranks = 2, .segs = 3, .max_segs = 5, .mode = TALLY_MODE_RING },
	{ .nodes = 6, .ranks = 1, .segs = 1, .max_segs = 256, .mode = TALLY_MODE_RING,
	  .flags = TALLY_GROUP_F_ORDERED },
};

static void run_job(struct job *job, struct tb_group *g, unsigned int messages)
{
	unsigned int i;

	job_init(job, g, seed, false);
	job_add(job, TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, 20000);
	for (i = 0; i < messages; i++)
		job_add_random(job);
	job_post_all(job, 50 * VT_US);
}

static void every_mode_borrows(void **state)
{
	unsigned int k, i;

	(void)state;
	for (k = 0; k < sizeof(borrowers) / sizeof(borrowers[0]); k++) {
		struct tb_group g;
		struct testbed *tb = tb_open(&g, &borrowers[k], borrowers[k].nodes, seed + k);
		struct watch w = { 0 };
		static struct job job;

		tb->net.hook = observe;
		tb->net.hook_arg = &w;
		run_job(&job, &g, 20);
		tb_finish(tb, VT_S);
		job_check(&job);
		assert_false(w.fell);
		assert_true(w.widest > g.cfg.segs && w.widest <= g.cfg.max_segs);
		tb_run_for(tb, VT_MS);
		/* an idle member has borrowed nothing */
		for (i = 0; i < g.cfg.nodes; i++)
			assert_int_equal(engine_of(&g, i)->segs_lent, 0);
		assert_int_equal(tb_counter(tb, TALLY_CTR_drop_window), 0);
		job_end(&job);
		tb_assert_all_empty(tb);
		tb_free(tb);
	}
}

/* Losses of announcements delay chunks, but nothing gets stuck. */
static void announcements_are_lost(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < sizeof(borrowers) / sizeof(borrowers[0]); k++) {
		struct tb_group g;
		struct testbed *tb = tb_open(&g, &borrowers[k], borrowers[k].nodes, seed + k);
		static struct job job;

		tb_lossy(tb, 0.1, 0.1, 0.2);
		run_job(&job, &g, 20);
		tb_finish(tb, 10 * VT_S);
		job_check(&job);
		job_end(&job);
		tb_free(tb);
	}
}

/* One group borrows all that is there; another, which has one segment, proceeds all the same. */
static void guarantee_is_kept(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .segs = 1, .max_segs = 32 };
	struct tb_group g[2];
	struct testbed *tb = tb_open(&g[0], &cfg, 3, seed);
	static struct job job[2];
	unsigned int i;

	(void)state;
	tb_group_plan(tb, &g[1], &cfg);
	g[1].cfg.group = 1;
	tb_group_create_all(&g[1]);
	tb_run_for(tb, VT_MS);
	leave_free(&g[0], 1);
	for (i = 0; i < 2; i++) {
		job_init(&job[i], &g[i], seed, false);
		job_add(&job[i], TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, 20000);
	}
	/* nobody posts at node 2, so group 0 holds what it has borrowed */
	for (i = 0; i < 2; i++)
		job_post(&job[0], &job[0].posters[i]);
	tb_run_for(tb, 50 * VT_US);
	assert_int_equal(engine_of(&g[0], 0)->segs_lent, 1);
	job_post_all(&job[1], 0);
	tb_run_for(tb, VT_MS);
	tb_assert_done(&g[1], 20);
	job_post(&job[0], &job[0].posters[2]);
	tb_finish(tb, VT_S);
	for (i = 0; i < 2; i++)
		job_check(&job[i]);
	tb_free(tb);
}

/* A chunk at the limit is dropped and counted. */
static void beyond_the_limit(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .segs = 2, .max_segs = 32 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 2, seed);
	struct group *root = tb_group_state(&g, 0);
	struct tch t = { .kind = TALLY_KIND_REDUCE, .opcode = TALLY_OPCODE_BARRIER,
			 .flags = TALLY_TCH_F_LAST, .num = 2, .mid = 2 };

	(void)state;
	assert_int_equal(slot_packet(engine_of(&g, 0), root, 0, &t, "", 0), RX_DROP);
	assert_int_equal(tb_counter(tb, TALLY_CTR_drop_window), 1);
	assert_true(pool_borrow(engine_of(&g, 0), root, 3));
	assert_int_equal(slot_packet(engine_of(&g, 0), root, 0, &t, "", 0), RX_STORED);
	tb_free(tb);
}

/* ---- The end ---- */

static bool is_writing(const struct tb_group *g, unsigned int node)
{
	const struct group *state = tb_group_state(g, node);
	struct engine *e = engine_of(g, node);
	uint32_t num;

	for (num = state->done; num != state->limit; num++)
		if (slot_of(e, state, num)->delivering)
			return true;
	return false;
}

/* What an epoch has borrowed returns when its results are written. */
static void segments_wait_for_writes(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .segs = 1, .max_segs = 32 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 2, seed);
	struct tb_node *node = tb_group_node(&g, 0);
	struct group *root = tb_group_state(&g, 0);
	static struct job job;
	unsigned int k;

	(void)state;
	node->slow = 3 * TALLY_COLLECT_MS * VT_MS;
	job_init(&job, &g, seed, false);
	job_add(&job, TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, 20000);
	job_post_all(&job, 0);
	for (k = 0; k < 1500 && !is_writing(&g, 0); k++)
		tb_run_for(tb, VT_MS);
	assert_true(is_writing(&g, 0) && node->e->segs_lent > 0);
	exception_raise(tb_enter(node), root, TALLY_COLL_ABORTED, 0, 1, 0, 0);
	firmware_run(node->e);
	tb_leave(node);
	tb_run_for(tb, 2 * TALLY_COLLECT_MS * VT_MS);
	assert_int_equal(root->state, TALLY_GROUP_COLLECT);
	assert_true(node->e->segs_lent > 0);
	tb_run_for(tb, 4 * TALLY_COLLECT_MS * VT_MS);
	assert_int_equal(root->state, TALLY_GROUP_DEAD);
	assert_int_equal(node->e->segs_lent, 0);
	tb_free(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(share_of_a_group),
		cmocka_unit_test(guarantees_fit),
		cmocka_unit_test(every_mode_borrows),
		cmocka_unit_test(announcements_are_lost),
		cmocka_unit_test(guarantee_is_kept),
		cmocka_unit_test(beyond_the_limit),
		cmocka_unit_test(segments_wait_for_writes),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
