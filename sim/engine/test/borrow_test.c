// SPDX-License-Identifier: BSD-2-Clause
/* Segments that groups own and borrow, and the limits that nodes announce. */
#include "engine/test/test_job.h"

static uint64_t seed;

static struct engine *engine_of(const struct tb_group *g, unsigned int node)
{
	return tb_group_node(g, node)->e;
}

/* Leave `free` segments to be lent, beside those that groups own now and `more` others. */
static void leave_free(const struct tb_group *g, unsigned int free, unsigned int more)
{
	unsigned int i;

	for (i = 0; i < g->cfg.nodes; i++) {
		struct engine *e = engine_of(g, i);

		engine_set_limits(e, e->num_groups + more, e->segs_granted + free + more);
	}
}

/* ---- The pool ---- */

/* A group borrows less than a third of what is left, and at most what it may hold. */
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
	leave_free(&one, 10, 0);
	assert_true(pool_borrow(e, g, 100));
	assert_int_equal(e->segs_lent, 3); /* 0 of 10, 3 of 9, 6 of 8, but not 9 of 7 */
	leave_free(&one, e->segs_lent, 0);
	assert_false(pool_borrow(e, g, 100));
	pool_end(e, g);
	assert_int_equal(e->segs_lent, 0);
	tb_free(tb);
}

/* A group that is alone on the NIC borrows as many as it may hold, whatever that is. */
static void alone_on_the_nic(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .segs = 2,
					  .max_segs = TALLY_MAX_GROUP_SEGS };
	struct tb_group one;
	struct testbed *tb = tb_open(&one, &cfg, 1, seed);
	struct group *g = tb_group_state(&one, 0);

	(void)state;
	assert_true(pool_borrow(engine_of(&one, 0), g, 1000));
	assert_int_equal(g->limit, TALLY_MAX_GROUP_SEGS);
	tb_free(tb);
}

/* ---- Debts ---- */

#define LONERS 8

/* Groups of one node on the same NIC; each has the number of its place. */
struct loners {
	struct testbed *tb;
	struct engine *e;
	struct tb_group g[LONERS];
};

static struct engine_result create_loner(struct loners *l, unsigned int i, unsigned int segs)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .segs = segs, .max_segs = 32 };

	tb_group_plan(l->tb, &l->g[i], &cfg);
	l->g[i].cfg.group = i;
	l->g[i].cfg.jid += i;
	return tb_group_try(&l->g[i], 0);
}

static void loners_new(struct loners *l, unsigned int groups, unsigned int segs)
{
	l->tb = tb_new(1, seed);
	l->e = l->tb->nodes[0].e;
	engine_set_limits(l->e, groups, segs);
}

static void advance(const struct loners *l, unsigned int i)
{
	tb_enter(&l->tb->nodes[0]);
	pool_advance(l->e, tb_group_state(&l->g[i], 0));
	tb_leave(&l->tb->nodes[0]);
}

static uint32_t window(const struct loners *l, unsigned int i)
{
	const struct group *g = tb_group_state(&l->g[i], 0);

	return g->limit - g->done;
}

static uint32_t owed(const struct loners *l, unsigned int i)
{
	struct tally_group_info info;

	assert_int_equal(engine_query_group(l->e, i, &info).status, TALLY_ADMIN_STATUS_OK);
	assert_int_equal(le16toh(info.segs), window(l, i));
	return le16toh(info.segs_owed);
}

/* What groups own must fit together, and then what is lent to others is no reason to refuse one. */
static void guarantees_fit(void **state)
{
	struct engine_result r;
	static struct loners l;

	(void)state;
	loners_new(&l, 4, 11);
	assert_int_equal(create_loner(&l, 0, 2).status, TALLY_ADMIN_STATUS_OK);
	/* 9 are left, of which 3 stay for other groups: 0 of 6, 3 of 5, but not 6 of 4 */
	assert_true(pool_borrow(l.e, tb_group_state(&l.g[0], 0), 100));
	assert_int_equal(l.e->segs_lent, 2);
	assert_int_equal(create_loner(&l, 1, 8).status, TALLY_ADMIN_STATUS_OK);
	assert_int_equal(owed(&l, 1), 3);
	assert_int_equal(tb_counter(l.tb, TALLY_CTR_groups_owed), 1);
	r = create_loner(&l, 2, 2);
	assert_int_equal(r.status, TALLY_ADMIN_STATUS_NO_RESOURCE);
	assert_int_equal(r.bad_offset, offsetof(struct tally_group_cfg, num_segs));
	assert_int_equal(create_loner(&l, 2, 1).status, TALLY_ADMIN_STATUS_OK);
	assert_int_equal(owed(&l, 2), 0);
	/* nothing is lent while a debt exists */
	assert_false(pool_borrow(l.e, tb_group_state(&l.g[2], 0), 100));
	advance(&l, 0);
	assert_int_equal(owed(&l, 1), 2);
	advance(&l, 0);
	assert_int_equal(l.e->segs_lent, 0);
	assert_int_equal(owed(&l, 1), 0);
	assert_int_equal(window(&l, 1), 8);
	tb_free(l.tb);
}

/* The oldest debt is paid first, and a group that is gone gets nothing. */
static void debts_are_paid_in_order(void **state)
{
	static struct loners l;
	unsigned int i;

	(void)state;
	loners_new(&l, 5, 20);
	assert_int_equal(create_loner(&l, 0, 1).status, TALLY_ADMIN_STATUS_OK);
	assert_true(pool_borrow(l.e, tb_group_state(&l.g[0], 0), 4));
	assert_int_equal(l.e->segs_lent, 3);
	assert_int_equal(create_loner(&l, 1, 13).status, TALLY_ADMIN_STATUS_OK);
	for (i = 2; i < 5; i++)
		assert_int_equal(create_loner(&l, i, 2).status, TALLY_ADMIN_STATUS_OK);
	assert_int_equal(owed(&l, 1), 0);
	for (i = 2; i < 5; i++)
		assert_int_equal(owed(&l, i), 1);
	tb_group_destroy(&l.g[3], 0);
	/* its segment stays for a group that may come in its place */
	assert_int_equal(owed(&l, 2), 1);
	advance(&l, 0);
	assert_int_equal(owed(&l, 2), 0);
	assert_int_equal(owed(&l, 4), 1);
	assert_int_equal(create_loner(&l, 3, 2).status, TALLY_ADMIN_STATUS_OK);
	assert_int_equal(owed(&l, 3), 1);
	advance(&l, 0);
	assert_int_equal(owed(&l, 4), 0);
	assert_int_equal(owed(&l, 3), 1);
	advance(&l, 0);
	assert_int_equal(owed(&l, 3), 0);
	tb_free(l.tb);
}

/* A group that dies returns what it has borrowed; what is owed to it comes for its next epoch. */
static void debts_outlive_epochs(void **state)
{
	static struct loners l;

	(void)state;
	loners_new(&l, 2, 8);
	assert_int_equal(create_loner(&l, 0, 1).status, TALLY_ADMIN_STATUS_OK);
	assert_true(pool_borrow(l.e, tb_group_state(&l.g[0], 0), 100));
	assert_int_equal(create_loner(&l, 1, 7).status, TALLY_ADMIN_STATUS_OK);
	assert_int_equal(owed(&l, 1), l.e->segs_lent);
	for (unsigned int i = 2; i--;) {
		exception_raise(tb_enter(&l.tb->nodes[0]), tb_group_state(&l.g[i], 0),
				TALLY_COLL_ABORTED, 0, 1, 0, 0);
		firmware_run(l.e);
		tb_leave(&l.tb->nodes[0]);
		tb_run_for(l.tb, VT_S);
		assert_int_equal(tb_group_state(&l.g[i], 0)->state, TALLY_GROUP_DEAD);
	}
	assert_int_equal(owed(&l, 1), 0);
	assert_int_equal(engine_reset_group(l.e, 1, l.g[1].cfg.epoch + 1).status,
			 TALLY_ADMIN_STATUS_OK);
	assert_int_equal(window(&l, 1), 7);
	tb_free(l.tb);
}

/*
 * Whatever happens: a group whose segments fit beside those of the others is created, it has at
 * least one segment at once, and when nothing is lent, nothing is owed.
 */
static void assert_pool(const struct loners *l, const unsigned int *segs)
{
	unsigned int granted = 0, lent = 0, debt = 0;

	for (unsigned int i = 0; i < LONERS; i++) {
		if (!segs[i])
			continue;
		debt += owed(l, i);
		granted += segs[i] - owed(l, i);
		assert_true(window(l, i) > 0);
		assert_true(window(l, i) >= segs[i] - owed(l, i));
		lent += window(l, i) - (segs[i] - owed(l, i));
	}
	assert_int_equal(lent, l->e->segs_lent);
	assert_true(granted + lent <= l->e->max_segs);
	assert_true(lent || !debt);
	assert_int_equal(!debt, l->e->owed_first == NONE);
}

static void step_at_random(struct loners *l, unsigned int *segs)
{
	unsigned int i = tb_rand(l->tb, LONERS), n = 1 + tb_rand(l->tb, 12), all = 0;

	for (unsigned int k = 0; k < LONERS; k++)
		all += segs[k];
	if (!segs[i]) {
		bool fits = all + n <= l->e->max_segs;

		assert_int_equal(create_loner(l, i, n).status,
				 fits ? TALLY_ADMIN_STATUS_OK : TALLY_ADMIN_STATUS_NO_RESOURCE);
		segs[i] = fits ? n : 0;
	} else if (!tb_rand(l->tb, 8)) {
		tb_group_destroy(&l->g[i], 0);
		segs[i] = 0;
	} else if (tb_rand(l->tb, 2)) {
		bool debt = l->e->owed_first != NONE;

		assert_false(pool_borrow(l->e, tb_group_state(&l->g[i], 0),
					 tb_group_state(&l->g[i], 0)->done + n) && debt);
	} else {
		advance(l, i);
	}
}

static void random_debts(void **state)
{
	static struct loners l;
	unsigned int segs[LONERS] = { 0 };

	(void)state;
	loners_new(&l, LONERS, 40);
	for (unsigned int k = 0; k < 20000; k++) {
		step_at_random(&l, segs);
		assert_pool(&l, segs);
	}
	assert_true(tb_counter(l.tb, TALLY_CTR_groups_owed) > 100);
	assert_true(tb_counter(l.tb, TALLY_CTR_segs_lent) > 1000);
	tb_free(l.tb);
}

/* ---- Limits ---- */

struct watch {
	uint32_t jid; /* of the group; 0: all */
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

	if (w->jid && be32toh(p->tch.jid) != w->jid)
		return true;
	if (!p->to || (be16toh(p->tch.flags) & TALLY_TCH_F_MULTICAST))
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

/* Post a message at node 0 alone, and note the limits that it tells before anybody else can answer. */
static void told_at_once(enum tally_mode mode, uint32_t count, struct watch *w)
{
	const struct tb_group_cfg cfg = { .nodes = 4, .degree = 3, .ranks = 1, .segs = 2,
					  .max_segs = 32, .mode = mode };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, cfg.nodes, seed);
	static struct job job;

	*w = (struct watch){ 0 };
	tb->net.hook = observe;
	tb->net.hook_arg = w;
	job_init(&job, &g, seed, false);
	job_add(&job, TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, count);
	job_post(&job, &job.posters[0]);
	tb_run_for(tb, 20 * VT_US);
	for (unsigned int i = 1; i < cfg.nodes; i++)
		job_post(&job, &job.posters[i]);
	tb->net.hook = NULL;
	tb_finish(tb, VT_S);
	job_check(&job);
	job_end(&job);
	tb_free(tb);
}

/* Neighbours that will send data of a long message hear at once how many chunks may come. */
static void long_messages_are_announced(void **state)
{
	struct watch w;

	(void)state;
	told_at_once(TALLY_MODE_TREE, 50000, &w);
	for (unsigned int i = 1; i < 4; i++)
		assert_int_equal(w.limit[0][i], 32);
	told_at_once(TALLY_MODE_RING, 50000, &w);
	assert_int_equal(w.limit[0][3], 32);
	/* the chunks of a short one have segments that the group owns */
	told_at_once(TALLY_MODE_TREE, 8, &w);
	assert_int_equal(w.widest, 0);
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
	leave_free(&g[0], 1, 0);
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

#define HOLDERS 3

/* Groups that borrow all segments of the nodes from `first` on; the ranks before do not post. */
struct holders {
	struct tb_group g[HOLDERS];
	struct job job[HOLDERS];
};

static struct testbed *holders_new(struct holders *h, unsigned int nodes, unsigned int first,
				   unsigned int owned)
{
	const struct tb_group_cfg cfg = { .nodes = nodes, .segs = 1, .max_segs = 32 };
	struct testbed *tb = tb_open(&h->g[0], &cfg, nodes, seed);
	unsigned int k, i;

	for (k = 1; k < HOLDERS; k++) {
		tb_group_plan(tb, &h->g[k], &cfg);
		h->g[k].cfg.group = k;
		tb_group_create_all(&h->g[k]);
	}
	tb_run_for(tb, VT_MS);
	for (i = 0; i < nodes; i++)
		engine_set_limits(engine_of(&h->g[0], i), HOLDERS + 1, HOLDERS + owned);
	for (k = 0; k < HOLDERS; k++) {
		job_init(&h->job[k], &h->g[k], seed, false);
		job_add(&h->job[k], TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, 20000);
		for (i = first; i < nodes; i++)
			job_post(&h->job[k], &h->job[k].posters[i]);
	}
	tb_run_for(tb, 50 * VT_US);
	return tb;
}

static void assert_granted(const struct tb_group *g, unsigned int first, unsigned int num)
{
	for (unsigned int i = first; i < g->cfg.nodes; i++)
		assert_int_equal(tb_group_state(g, i)->granted, num);
}

static void assert_neighbours_know(const struct tb_group *g, unsigned int limit)
{
	for (unsigned int i = 0; i < g->cfg.nodes; i++) {
		const struct group *s = tb_group_state(g, i);
		unsigned int k;

		for_each_edge(s, k)
			assert_int_equal(s->edges[k].peer_limit - s->done, limit);
	}
}

/*
 * A group is created while others have borrowed all that is lent, and wait for a rank. The new
 * group has one segment of the four that it owns. Its messages are done all the same; later it gets
 * the other segments, and its neighbours learn of them.
 */
static void owed_group_proceeds(const struct tb_group_cfg *cfg, unsigned int first)
{
	struct tb_group_cfg own = *cfg;
	static struct holders h;
	static struct job job;
	struct tb_group g;
	struct testbed *tb = holders_new(&h, cfg->nodes, first, 4);
	struct watch w = { 0 };
	unsigned int k, i;

	own.segs = 4;
	own.max_segs = 0;
	own.group = HOLDERS;
	tb_group_plan(tb, &g, &own);
	tb_group_create_all(&g);
	tb->net.hook = observe;
	tb->net.hook_arg = &w;
	w.jid = g.cfg.jid;
	run_job(&job, &g, 10);
	tb_run_for(tb, 200 * VT_MS);
	assert_true(job_posted(&job));
	assert_granted(&g, first, 1);
	tb_assert_done(&g, job_chunks_before(&job, job.num_msgs));
	/* the limits are told before the first chunk; multicast copies beyond them are repaired */
	if (!(cfg->flags & TALLY_GROUP_F_MULTICAST))
		assert_int_equal(tb_counter(tb, TALLY_CTR_drop_window), 0);
	for (k = 0; k < HOLDERS; k++)
		for (i = 0; i < first; i++)
			job_post(&h.job[k], &h.job[k].posters[i]);
	tb_finish(tb, VT_S);
	tb_run_for(tb, VT_MS);
	assert_granted(&g, 0, 4);
	assert_neighbours_know(&g, 4);
	assert_false(w.fell);
	for (k = 0; k < HOLDERS; k++)
		job_check(&h.job[k]);
	job_check(&job);
	tb_free(tb);
}

static void debts_stop_nothing(void **state)
{
	(void)state;
	for (unsigned int k = 0; k < sizeof(borrowers) / sizeof(borrowers[0]); k++) {
		owed_group_proceeds(&borrowers[k], 1);
		owed_group_proceeds(&borrowers[k], borrowers[k].nodes - 1);
	}
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
		cmocka_unit_test(alone_on_the_nic),
		cmocka_unit_test(guarantees_fit),
		cmocka_unit_test(debts_are_paid_in_order),
		cmocka_unit_test(debts_outlive_epochs),
		cmocka_unit_test(random_debts),
		cmocka_unit_test(every_mode_borrows),
		cmocka_unit_test(long_messages_are_announced),
		cmocka_unit_test(announcements_are_lost),
		cmocka_unit_test(guarantee_is_kept),
		cmocka_unit_test(debts_stop_nothing),
		cmocka_unit_test(beyond_the_limit),
		cmocka_unit_test(segments_wait_for_writes),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
