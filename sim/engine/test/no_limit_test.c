// SPDX-License-Identifier: BSD-2-Clause
/*
 * Groups without a time limit for messages. They wait for ever for a rank that is late, but for a
 * bounded time for a neighbour's NIC, and end at once with a process that ends.
 */
#include "engine/test/testbed.h"

#define LONG (600 * VT_S) /* as long as the longest time limit */
/* All probes of a silent neighbour, and what comes before them and behind. */
#define DETECTION ((TALLY_MAX_RETRY_MS + 4000) * VT_MS)
#define HANDSHAKE (TALLY_HANDSHAKE_MS * VT_MS)
#define REQUEST_MS 50
#define NOBODY TB_MAX_NODES

static uint64_t seed;

struct scene {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[TB_MAX_NODES];
	uint32_t mid[TB_MAX_NODES]; /* next message of each node */
};

/* Probes are seldom, so that long times pass quickly. */
static struct scene *scene_plan(const struct tb_group_cfg *cfg)
{
	struct tb_group_cfg c = *cfg;
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	c.no_limit = true;
	c.rto_us = 20000;
	c.retry_limit = 20;
	s->tb = tb_new(c.nodes, seed++);
	tb_group_plan(s->tb, &s->g, &c);
	return s;
}

static void join(struct scene *s, unsigned int node)
{
	tb_group_create(&s->g, node);
	if (s->g.rank_mask[node])
		s->qp[node] = tb_qp_create(&s->g, node, s->g.rank_mask[node], 64, 0);
}

static struct scene *scene_new(const struct tb_group_cfg *cfg)
{
	struct scene *s = scene_plan(cfg);
	unsigned int i;

	for (i = 0; i < cfg->nodes; i++)
		join(s, i);
	tb_run_for(s->tb, 100 * VT_MS);
	return s;
}

static void scene_end(struct scene *s)
{
	tb_run_for(s->tb, DETECTION);
	tb_assert_all_empty(s->tb);
	tb_free(s->tb);
	free(s);
}

/* Post the next message of some ranks of a node. */
static void post_some(struct scene *s, unsigned int node, uint64_t ranks, uint32_t limit_ms)
{
	struct tb_post p = tb_request(&s->g, TALLY_OPCODE_BARRIER, s->mid[node], ranks);

	p.w.mode = s->g.cfg.mode;
	p.w.timeout_ms = htole32(limit_ms);
	tb_post_ring(tb_group_node(&s->g, node), s->qp[node], &p);
}

static void post(struct scene *s, unsigned int node)
{
	if (!s->qp[node])
		return;
	post_some(s, node, s->g.rank_mask[node], 0);
	s->mid[node]++;
}

static void post_all_but(struct scene *s, unsigned int late)
{
	unsigned int i;

	for (i = 0; i < s->g.cfg.nodes; i++)
		if (i != late)
			post(s, i);
}

static void expect_alive(const struct scene *s)
{
	unsigned int i;

	for (i = 0; i < s->g.cfg.nodes; i++)
		assert_int_equal(tb_group_state(&s->g, i)->state, TALLY_GROUP_OPEN);
}

/* Check that every request has succeeded. */
static void expect_success(const struct scene *s)
{
	unsigned int i;
	uint32_t k;

	for (i = 0; i < s->g.cfg.nodes; i++)
		for (k = 0; s->qp[i] && k < s->qp[i]->posted; k++)
			tb_assert_cqe(&s->qp[i]->wrs[k], TALLY_COLL_OK);
}

/* Check that all nodes but one know that the epoch has ended, and why. */
static void expect_end(const struct scene *s, unsigned int except, enum tally_coll_status status,
		       unsigned int detector, uint64_t contributors, uint64_t ranks)
{
	unsigned int i;

	for (i = 0; i < s->g.cfg.nodes; i++) {
		const struct group *g = tb_group_state(&s->g, i);

		if (i == except)
			continue;
		assert_int_equal(g->state, TALLY_GROUP_DEAD);
		assert_int_equal(g->report.status, status);
		assert_int_equal(g->report.detector, detector);
		assert_int_equal(g->report.contributors, contributors);
		assert_int_equal(g->report.ranks, ranks);
	}
}

/* ---- A rank that is late ---- */

static void late(const struct tb_group_cfg *cfg, unsigned int node, bool lossy)
{
	struct scene *s = scene_new(cfg);

	if (lossy)
		tb_lossy(s->tb, 0.05, 0.05, 0.05);
	post_all_but(s, NOBODY);
	tb_finish(s->tb, 10 * VT_S);
	post_all_but(s, node);
	tb_run_for(s->tb, LONG);
	expect_alive(s);
	post(s, node);
	tb_finish(s->tb, 10 * VT_S);
	expect_success(s);
	scene_end(s);
}

static void late_rank_is_awaited(void **state)
{
	unsigned int mode, node;

	(void)state;
	for (mode = TALLY_MODE_TREE; mode <= TALLY_MODE_RING; mode++)
		for (node = 0; node < 4; node++) {
			const struct tb_group_cfg cfg = { .nodes = 4, .mode = mode };

			late(&cfg, node, node % 2);
		}
}

/* One of two ranks of a node posts, and the other one is ahead of its turn. */
static void rank_that_skips_is_awaited(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .ranks = 2 };
	struct scene *s = scene_new(&cfg);
	struct tb_qp *other = tb_qp_create(&s->g, 0, 3, 64, 1);
	struct tb_post ahead = tb_request(&s->g, TALLY_OPCODE_BARRIER, 1, 2);

	(void)state;
	post(s, 1);
	post(s, 1);
	post_some(s, 0, 1, 0);
	tb_post_ring(tb_group_node(&s->g, 0), other, &ahead);
	tb_run_for(s->tb, LONG);
	expect_alive(s);
	post_some(s, 0, 2, 0);
	s->mid[0]++;
	post_some(s, 0, 1, 0);
	tb_finish(s->tb, 10 * VT_S);
	expect_success(s);
	tb_assert_cqe(&other->wrs[0], TALLY_COLL_OK);
	scene_end(s);
}

/* ---- A neighbour that dies ---- */

/*
 * Node `dead` of a chain dies while the others wait, if they have posted, for its message. Nothing
 * is repeated to it: only probes find it.
 */
static void dead_in_chain(const struct tb_group_cfg *cfg, unsigned int dead, unsigned int detector,
			  uint64_t contributors)
{
	struct scene *s = scene_new(cfg);
	unsigned int i;

	post_all_but(s, dead);
	tb_run_for(s->tb, 60 * VT_S);
	expect_alive(s);
	for (i = 0; i < cfg->nodes; i++)
		assert_int_equal(tb_group_state(&s->g, i)->unacked, 0);
	tb_group_node(&s->g, dead)->dead = true;
	tb_run_for(s->tb, DETECTION);
	expect_end(s, dead, TALLY_COLL_RETRY_EXCEEDED, detector, contributors, 0);
	tb_free(s->tb);
	free(s);
}

static void dead_neighbour_is_found(void **state)
{
	const struct tb_group_cfg chain = { .nodes = 3, .degree = 1 };
	const struct tb_group_cfg pair[] = { { .nodes = 2 },
					     { .nodes = 2, .mode = TALLY_MODE_EXCHANGE },
					     { .nodes = 2, .mode = TALLY_MODE_RING } };
	/* node 1, which has no rank, learns of the message only from probes */
	const struct tb_group_cfg sparse = { .nodes = 3, .degree = 1, .rank_mask = { 1, 0, 1 } };

	(void)state;
	dead_in_chain(&chain, 2, 1, 1);
	dead_in_chain(&pair[0], 0, 1, 0); /* the parent has no bit */
	dead_in_chain(&pair[0], 1, 0, 1);
	dead_in_chain(&pair[1], 1, 0, 1);
	dead_in_chain(&pair[2], 0, 1, 1);
	dead_in_chain(&sparse, 2, 1, 1);
}

/* The result is lost with the root, while a node between has no rank. */
static void dead_root_is_found(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .degree = 1, .rank_mask = { 1, 0, 1 } };

	(void)state;
	dead_in_chain(&cfg, 0, 1, 0);
}

/* ---- A process that ends ---- */

static void ended_process_is_known_at_once(void **state)
{
	unsigned int mode, k;

	(void)state;
	for (mode = TALLY_MODE_TREE; mode <= TALLY_MODE_RING; mode++)
		for (k = 0; k < 6; k++) {
			const struct tb_group_cfg cfg = { .nodes = 3, .ranks = 2, .mode = mode };
			unsigned int node = k % 3;
			struct scene *s = scene_new(&cfg);

			post_all_but(s, node);
			if (k / 3)
				post_some(s, node, 1, 0);
			tb_run_for(s->tb, 60 * VT_S);
			expect_alive(s);
			engine_detach_ranks(tb_enter(tb_group_node(&s->g, node)), 0, 2);
			tb_leave(tb_group_node(&s->g, node));
			tb_finish(s->tb, VT_S);
			tb_run_for(s->tb, VT_S);
			expect_end(s, NOBODY, TALLY_COLL_RANK_GONE, node, 0, 2);
			scene_end(s);
		}
}

/* ---- Limits of requests ---- */

static void limit_of_a_request(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .segs = 4 };
	unsigned int late;

	(void)state;
	for (late = 0; late < 3; late++) {
		struct scene *s = scene_new(&cfg);
		unsigned int i;

		post_all_but(s, late); /* nothing limits message 0 */
		tb_run_for(s->tb, 60 * VT_S);
		expect_alive(s);
		for (i = 0; i < 3; i++)
			if (i != late)
				post_some(s, i, 1, REQUEST_MS);
		tb_finish(s->tb, (REQUEST_MS + TALLY_COLLECT_MS) * VT_MS);
		tb_run_for(s->tb, VT_S);
		expect_end(s, NOBODY, TALLY_COLL_TIMEOUT, late, 0, 1);
		scene_end(s);
	}
}

/* ---- Edges that do not open ---- */

/* A neighbour may come late, but not later than the limit for edges. */
static void absent(unsigned int node, bool comes, bool late_rank)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .ranks = 2 };
	struct scene *s = scene_plan(&cfg);

	join(s, !node);
	tb_run_for(s->tb, LONG); /* as long as nothing is posted, nothing ends */
	assert_int_equal(tb_group_state(&s->g, !node)->state, TALLY_GROUP_OPENING);
	post_some(s, !node, late_rank ? 1 : 3, 0);
	tb_run_for(s->tb, HANDSHAKE - VT_S);
	assert_int_equal(tb_group_state(&s->g, !node)->state, TALLY_GROUP_OPENING);
	if (comes) {
		join(s, node);
		post_some(s, node, 3, 0);
		tb_run_for(s->tb, LONG);
		if (late_rank)
			post_some(s, !node, 2, 0);
		tb_finish(s->tb, VT_S);
		expect_success(s);
	} else {
		tb_finish(s->tb, VT_S + 200 * VT_MS);
		expect_end(s, node, TALLY_COLL_NO_HANDSHAKE, !node, node ? 1 : 0, 0);
	}
	scene_end(s);
}

static void neighbour_that_is_absent(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 8; k++)
		absent(k & 1, k & 2, k & 4);
}

/* A node that only waits for the epoch does not take its neighbours for absent. */
static void absent_neighbour_of_a_neighbour(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .degree = 1 };
	struct scene *s = scene_plan(&cfg);

	(void)state;
	join(s, 1);
	join(s, 2);
	post(s, 2);
	tb_run_for(s->tb, VT_S);
	post(s, 1);
	tb_finish(s->tb, HANDSHAKE + VT_S);
	expect_end(s, 0, TALLY_COLL_NO_HANDSHAKE, 1, 0, 0);
	scene_end(s);
}

/* A neighbour that has answered, but not learned the epoch, dies. */
static void dead_while_it_awaits_the_epoch(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .degree = 1 };
	struct scene *s = scene_plan(&cfg);

	(void)state;
	join(s, 1);
	join(s, 2);
	tb_run_for(s->tb, 10 * VT_S);
	tb_group_node(&s->g, 2)->dead = true;
	join(s, 0);
	post_all_but(s, 2);
	tb_run_for(s->tb, HANDSHAKE - VT_S);
	assert_int_equal(tb_group_state(&s->g, 1)->report.status, TALLY_COLL_OK);
	tb_finish(s->tb, 2 * VT_S);
	expect_end(s, 2, TALLY_COLL_NO_HANDSHAKE, 1, 1, 0);
	tb_free(s->tb);
	free(s);
}

/* ---- Triggered descriptors ---- */

/* Post the descriptor of the leaf that sends to the root, or that of the root that waits for it. */
static void post_descriptor(struct scene *s, unsigned int i)
{
	uint8_t opcode = i ? TALLY_OPCODE_REDUCE_MP : TALLY_OPCODE_BCAST_MP;
	struct tb_post p = tb_request(&s->g, opcode, 0, 1);
	struct tb_node *n = tb_group_node(&s->g, i);

	p.w.dtype = TALLY_TYPE_INT64;
	p.w.count = htole64(1);
	p.w.node_mask = 0;
	if (i) {
		p.w.op = TALLY_OP_SUM;
		p.w.flags |= htole32(TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP | TALLY_WQE_F_TO_PARENT);
		p.w.branch = 1;
		tb_gather(&p, tb_alloc(n, 8), 8);
	} else {
		p.w.flags |= htole32(TALLY_WQE_F_SWP_FLAG);
		p.w.cpcnt = htole32(1);
		tb_result(&p, tb_alloc(n, 8), 8);
	}
	tb_post_ring(n, s->qp[i], &p);
}

static void message_of_a_late_descriptor(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2 };
	struct scene *s = scene_new(&cfg);

	(void)state;
	post_descriptor(s, 0);
	tb_run_for(s->tb, LONG);
	expect_alive(s);
	post_descriptor(s, 1);
	tb_finish(s->tb, VT_S);
	expect_success(s);
	scene_end(s);
}

static void dead_sender_of_messages(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2 };
	struct scene *s = scene_new(&cfg);

	(void)state;
	post_descriptor(s, 0);
	tb_run_for(s->tb, 60 * VT_S);
	tb_group_node(&s->g, 1)->dead = true;
	tb_finish(s->tb, DETECTION);
	expect_end(s, 1, TALLY_COLL_RETRY_EXCEEDED, 0, 1, 0);
	tb_free(s->tb);
	free(s);
}

/* ---- Afterwards ---- */

/* The tombstone stays for as long as a neighbour may repeat packets, not for ever. */
static void group_leaves_nothing(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2 };
	struct scene *s = scene_new(&cfg);

	(void)state;
	post_all_but(s, NOBODY);
	tb_finish(s->tb, VT_S);
	tb_qp_destroy(&s->g, 0, s->qp[0]);
	tb_group_destroy(&s->g, 0);
	tb_run_for(s->tb, 100 * VT_MS);
	assert_int_equal(tb_group_node(&s->g, 0)->e->tombs, 1);
	tb_run_for(s->tb, (TALLY_MAX_RETRY_MS + 1000) * VT_MS);
	assert_int_equal(tb_group_node(&s->g, 0)->e->tombs, 0);
	scene_end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_rank_is_awaited),
		cmocka_unit_test(rank_that_skips_is_awaited),
		cmocka_unit_test(dead_neighbour_is_found),
		cmocka_unit_test(dead_root_is_found),
		cmocka_unit_test(ended_process_is_known_at_once),
		cmocka_unit_test(limit_of_a_request),
		cmocka_unit_test(neighbour_that_is_absent),
		cmocka_unit_test(absent_neighbour_of_a_neighbour),
		cmocka_unit_test(dead_while_it_awaits_the_epoch),
		cmocka_unit_test(message_of_a_late_descriptor),
		cmocka_unit_test(dead_sender_of_messages),
		cmocka_unit_test(group_leaves_nothing),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
