// SPDX-License-Identifier: BSD-2-Clause
/* Collectives over trees of every small size, with and without losses, against an oracle. */
#include "engine/test/test_job.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_NODES 9
/* With AddressSanitizer only some of the trees, which reach all code. */
#ifdef __SANITIZE_ADDRESS__
#define STEP 4
#else
#define STEP 1
#endif

static uint64_t seed;

struct variant {
	void (*fill)(struct job *j);
	bool lossy, leaders;
	vtime_t spread;
};

/* Without losses, nothing is sent twice or in vain. */
static void assert_undisturbed(const struct testbed *tb)
{
	unsigned int c;

	for (c = TALLY_CTR_drop_tch; c <= TALLY_CTR_kills_received; c++)
		if (c != TALLY_CTR_probes && tb_counter(tb, c))
			fail_msg("counter %u is %llu, not 0", c, (unsigned long long)tb_counter(tb, c));
}

/* Run and check one job in a new group, and check that nothing of it remains. */
static void run_group(struct testbed *tb, const struct tb_group_cfg *cfg, const struct variant *v)
{
	static struct job j;
	struct tb_group g;

	tb_group_plan(tb, &g, cfg);
	tb_group_create_all(&g);
	if (!v->lossy)
		tb_run_for(tb, 100 * VT_US); /* until all edges are open */
	job_init(&j, &g, seed, v->leaders);
	v->fill(&j);
	job_post_all(&j, v->spread);
	tb_finish(tb, 2 * VT_S);
	job_check(&j);
	tb_run_for(tb, 200 * VT_MS); /* for acknowledgements that were lost */
	tb_assert_all_empty(tb);
	tb_assert_done(&g, job_chunks_before(&j, j.num_msgs));
	if (!v->lossy)
		assert_undisturbed(tb);
	job_end(&j);
}

/*
 * Run trees of every size and degree and with every number of ranks; the window is smaller than the
 * load.
 */
static void for_all_trees(void (*fill)(struct job *j), bool lossy, bool leaders, vtime_t spread)
{
	const struct variant v = { fill, lossy, leaders, spread };
	static const unsigned int segs[] = { 1, 2, 4 };
	struct testbed *tb = tb_new(MAX_NODES, seed);
	struct tb_group_cfg cfg = { 0 };
	unsigned int turn = 0;

	if (lossy)
		tb_lossy(tb, 0.1, 0.1, 0.1);
	for (cfg.nodes = 1; cfg.nodes <= MAX_NODES; cfg.nodes++)
		for (cfg.degree = 1; cfg.degree <= 4 && cfg.degree <= cfg.nodes; cfg.degree++)
			for (cfg.ranks = 1; cfg.ranks <= 3; cfg.ranks++) {
				cfg.segs = segs[turn % 3];
				if (turn++ % STEP == 0)
					run_group(tb, &cfg, &v);
			}
	tb_free(tb);
}

/* ---- Everything that reduces ---- */

static const uint8_t types[] = { TALLY_TYPE_INT32, TALLY_TYPE_INT64, TALLY_TYPE_FP32,
				 TALLY_TYPE_FP64 };
static const uint8_t ops[] = { TALLY_OP_SUM,  TALLY_OP_MIN, TALLY_OP_MAX,
			       TALLY_OP_BAND, TALLY_OP_BOR, TALLY_OP_BXOR };

static bool defined(uint8_t op, uint8_t dtype)
{
	return op <= TALLY_OP_MAX || dtype == TALLY_TYPE_INT32 || dtype == TALLY_TYPE_INT64;
}

static void fill_reductions(struct job *j)
{
	const uint32_t counts[] = { 0, 1, 7, 33 };
	unsigned int t, o, turn = 0;

	for (t = 0; t < ARRAY_SIZE(types); t++)
		for (o = 0; o < ARRAY_SIZE(ops); o++) {
			uint32_t most = j->g->cfg.mtu / job_elem_size(types[t]);
			struct job_msg *m;

			if (!defined(ops[o], types[t]))
				continue;
			m = job_add(j, TALLY_OPCODE_ALLREDUCE, ops[o], types[t],
				    turn % 5 < 4 ? counts[turn % 5] : most);
			m->in_place = turn % 2;
			m->inline_data = turn % 3;
			turn++;
		}
}

static void every_reduction(void **state)
{
	(void)state;
	for_all_trees(fill_reductions, false, false, 50 * VT_US);
}

static void every_reduction_under_loss(void **state)
{
	(void)state;
	for_all_trees(fill_reductions, true, false, 50 * VT_US);
}

/* ---- Every root ---- */

static void fill_roots(struct job *j)
{
	unsigned int k;

	for (k = 0; k < job_ranks(j); k++) {
		struct job_msg *m = job_add(j, TALLY_OPCODE_REDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32,
					    1 + 2 * k);

		job_root(j, m, k);
		m->in_place = k % 2;
		m = job_add(j, TALLY_OPCODE_BCAST, TALLY_OP_NONE, TALLY_TYPE_UINT8, 8 * k);
		job_root(j, m, k);
		m->inline_data = k % 2;
	}
}

static void every_root(void **state)
{
	(void)state;
	for_all_trees(fill_roots, false, false, 200 * VT_US);
}

static void every_root_under_loss(void **state)
{
	(void)state;
	for_all_trees(fill_roots, true, false, 200 * VT_US);
}

static void every_root_with_leaders(void **state)
{
	(void)state;
	for_all_trees(fill_roots, false, true, 100 * VT_US);
}

/* ---- Mixtures ---- */

static void fill_barriers(struct job *j)
{
	unsigned int k;

	for (k = 0; k < 10; k++)
		job_add(j, TALLY_OPCODE_BARRIER, TALLY_OP_NONE, TALLY_TYPE_NONE, 0);
}

static void barriers(void **state)
{
	(void)state;
	for_all_trees(fill_barriers, false, false, 500 * VT_US);
	for_all_trees(fill_barriers, true, true, 500 * VT_US);
}

static void fill_mixture(struct job *j)
{
	unsigned int k;

	for (k = 0; k < 40; k++)
		job_add_random(j);
}

static void mixtures(void **state)
{
	(void)state;
	for_all_trees(fill_mixture, false, false, 300 * VT_US);
	for_all_trees(fill_mixture, false, true, 10 * VT_US);
}

static void mixtures_under_loss(void **state)
{
	(void)state;
	for_all_trees(fill_mixture, true, false, 300 * VT_US);
	for_all_trees(fill_mixture, true, true, 3 * VT_MS);
}

/* A group with the maximum number of contributors. */
static void widest_tree(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = TALLY_MAX_CONTRIBUTORS + 1,
					  .degree = TALLY_MAX_CONTRIBUTORS };
	const struct variant v = { fill_mixture, true, false, 300 * VT_US };
	struct testbed *tb = tb_new(cfg.nodes, seed);

	(void)state;
	tb_lossy(tb, 0.05, 0.05, 0.05);
	run_group(tb, &cfg, &v);
	tb_free(tb);
}

/* ---- Pace ---- */

/*
 * With one segment, every message waits until the nodes know that the one before it is done
 * everywhere. They are told at once, without a query.
 */
static void small_windows_are_not_held_up(void **state)
{
	static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BCAST };
	static struct job j;
	unsigned int o, k;

	(void)state;
	for (o = 0; o < ARRAY_SIZE(opcodes); o++) {
		struct tb_group_cfg cfg = { .nodes = 7, .segs = 1 };
		struct testbed *tb = tb_new(7, seed);
		struct tb_group g;
		vtime_t start;

		tb_group_plan(tb, &g, &cfg);
		tb_group_create_all(&g);
		job_init(&j, &g, seed, false);
		for (k = 0; k < 40; k++) {
			struct job_msg *m = job_add(&j, opcodes[o], o ? TALLY_OP_NONE : TALLY_OP_SUM,
						    TALLY_TYPE_INT32, 2);

			if (o)
				job_root(&j, m, k);
		}
		tb_run_for(tb, VT_MS);
		start = sim_now(tb->sim);
		job_post_all(&j, 0);
		tb_finish(tb, VT_S);
		job_check(&j);
		/* two hops up, two down, memory accesses, and the announcement of done */
		assert_in_range((sim_now(tb->sim) - start) / 40, 4 * VT_US, 12 * VT_US);
		assert_int_equal(tb_counter(tb, TALLY_CTR_probes), 0);
		job_end(&j);
		tb_free(tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reduction),
		cmocka_unit_test(every_reduction_under_loss),
		cmocka_unit_test(every_root),
		cmocka_unit_test(every_root_with_leaders),
		cmocka_unit_test(every_root_under_loss),
		cmocka_unit_test(barriers),
		cmocka_unit_test(mixtures),
		cmocka_unit_test(mixtures_under_loss),
		cmocka_unit_test(widest_tree),
		cmocka_unit_test(small_windows_are_not_held_up),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
