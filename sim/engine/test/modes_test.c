// SPDX-License-Identifier: BSD-2-Clause
/*
 * EXCHANGE, RING and multicast results: every number of nodes, several radices, with and without
 * losses.
 */
#include "engine/test/test_job.h"

#include <math.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_NODES 24
/* With AddressSanitizer only some numbers of nodes, which reach all code. */
#ifdef __SANITIZE_ADDRESS__
#define FIRST 4
#define STEP 5
#else
#define FIRST 1
#define STEP 1
#endif

static uint64_t seed;

static const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BARRIER,
				   TALLY_OPCODE_BCAST, TALLY_OPCODE_ALLGATHER,
				   TALLY_OPCODE_REDUCE_SCATTER, TALLY_OPCODE_REDUCE,
				   TALLY_OPCODE_GATHER, TALLY_OPCODE_SCATTER };

static uint8_t type_for(uint8_t opcode, unsigned int turn)
{
	static const uint8_t types[] = { TALLY_TYPE_INT32, TALLY_TYPE_FP64, TALLY_TYPE_INT64 };

	return opcode == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : types[turn % 3];
}

/*
 * Add each opcode that the mode offers, with no element, one element, a part of a chunk, and many
 * chunks.
 */
static void fill(struct job *j)
{
	static const uint32_t counts[] = { 0, 1, 9, 300 }, blocks[] = { 0, 1, 5, 40 };
	unsigned int o, c, turn = 0;

	for (o = 0; o < ARRAY_SIZE(opcodes); o++)
		for (c = 0; c < (o == 1 ? 1 : ARRAY_SIZE(counts)); c++, turn++) {
			struct job_msg *m;

			if (!opcode_offered(j->g->cfg.mode, opcodes[o]))
				continue;
			m = job_add(j, opcodes[o],
				    opcode_reduces(opcodes[o]) ? TALLY_OP_SUM : TALLY_OP_NONE,
				    type_for(opcodes[o], turn),
				    opcode_blocked(opcodes[o]) ? blocks[c] : counts[c]);
			m->in_place = turn % 2;
			m->inline_data = turn % 3 == 0;
			if (opcode_rooted(opcodes[o]))
				job_root(j, m, turn * 5);
		}
}

static void run(struct testbed *tb, const struct tb_group_cfg *cfg, bool lossy)
{
	static struct job j;
	struct tb_group g;

	tb_group_plan(tb, &g, cfg);
	tb_group_create_all(&g);
	tb_run_for(tb, lossy ? VT_US : 20 * VT_MS);
	job_init(&j, &g, seed, cfg->nodes % 2);
	fill(&j);
	job_run(&j, 2 * VT_S, lossy);
	if (!lossy)
		assert_int_equal(tb_counter(tb, TALLY_CTR_mcast_repaired), 0);
	job_end(&j);
}

static void every_size(struct tb_group_cfg cfg, bool lossy)
{
	static const unsigned int segs[] = { 1, 2, 8 };
	struct testbed *tb = tb_new(MAX_NODES, seed);

	tb->net.jitter = 0; /* no packet overtakes another, unless reordering is on */
	if (lossy)
		tb_lossy(tb, 0.1, 0.1, 0.1);
	cfg.mtu = 256;
	/* runs with losses take longer, so they test fewer of the larger numbers */
	for (cfg.nodes = FIRST; cfg.nodes <= MAX_NODES;
	     cfg.nodes += lossy ? 1 + cfg.nodes / 3 : STEP) {
		cfg.segs = segs[cfg.nodes % 3];
		cfg.ranks = 1 + cfg.nodes % 2;
		run(tb, &cfg, lossy);
	}
	tb_free(tb);
}

static void ring(void **state)
{
	(void)state;
	every_size((struct tb_group_cfg){ .mode = TALLY_MODE_RING }, false);
}

static void ring_under_loss(void **state)
{
	(void)state;
	every_size((struct tb_group_cfg){ .mode = TALLY_MODE_RING }, true);
}

static void ring_in_fixed_order(void **state)
{
	(void)state;
	every_size((struct tb_group_cfg){ .mode = TALLY_MODE_RING, .flags = TALLY_GROUP_F_ORDERED },
		   false);
}

static const struct tb_group_cfg exchanges[] = {
	{ .mode = TALLY_MODE_EXCHANGE },
	{ .mode = TALLY_MODE_EXCHANGE, .radix = { 3, 3, 3 } },
	{ .mode = TALLY_MODE_EXCHANGE, .radix = { 5, 2, 3 } },
	{ .mode = TALLY_MODE_EXCHANGE, .radix = { 24 } },
	{ .mode = TALLY_MODE_EXCHANGE, .radix = { 4, 6 } },
};

static void exchange(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(exchanges); i++)
		every_size(exchanges[i], false);
}

static void exchange_under_loss(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(exchanges); i++)
		every_size(exchanges[i], true);
}

static void multicast(void **state)
{
	(void)state;
	every_size((struct tb_group_cfg){ .flags = TALLY_GROUP_F_MULTICAST, .degree = 3 }, false);
}

static void multicast_under_loss(void **state)
{
	(void)state;
	every_size((struct tb_group_cfg){ .flags = TALLY_GROUP_F_MULTICAST, .degree = 3 }, true);
}

static bool count_frames(void *arg, struct tb_packet *p)
{
	(void)p;
	++*(unsigned int *)arg;
	return true;
}

/* There is nobody to send a result to. */
static void multicast_of_one_node(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .ranks = 2, .segs = 2, .mtu = 256,
					  .flags = TALLY_GROUP_F_MULTICAST };
	struct testbed *tb = tb_new(1, seed);
	unsigned int frames = 0;

	(void)state;
	tb->net.hook = count_frames;
	tb->net.hook_arg = &frames;
	run(tb, &cfg, false);
	assert_int_equal(frames, 0);
	assert_int_equal(tb_counter(tb, TALLY_CTR_mcast_sent), 0);
	tb_free(tb);
}

/* Without UNIFORM, the numbers of ranks of the nodes differ, and no block has a fixed place. */
static void ring_of_uneven_nodes(void **state)
{
	struct tb_group_cfg cfg = { .mode = TALLY_MODE_RING, .mtu = 256, .segs = 4 };
	struct testbed *tb = tb_new(MAX_NODES, seed);
	unsigned int i;

	(void)state;
	tb->net.jitter = 0;
	for (i = 0; i < MAX_NODES; i++)
		cfg.rank_mask[i] = (2u << i % 3) - 1;
	for (cfg.nodes = 2; cfg.nodes < 8; cfg.nodes++)
		run(tb, &cfg, false);
	tb_free(tb);
}

/* ---- The error vector ---- */

#define ERR_NODES 6

static const struct tb_group_cfg err_groups[] = {
	{ .degree = 2 },
	{ .degree = 2, .flags = TALLY_GROUP_F_ORDERED },
	{ .degree = 2, .flags = TALLY_GROUP_F_MULTICAST },
	{ .mode = TALLY_MODE_EXCHANGE },
	{ .mode = TALLY_MODE_EXCHANGE, .radix = { 3, 2 } },
	{ .mode = TALLY_MODE_RING },
	{ .mode = TALLY_MODE_RING, .flags = TALLY_GROUP_F_ORDERED },
};

/* Reduce one double of each rank, and check the error vector in the completions. */
static void reduce_doubles(const struct tb_group_cfg *extra, uint8_t op,
			   const double values[ERR_NODES][2], uint16_t err)
{
	struct tb_group_cfg cfg = *extra;
	struct tb_qp *qp[ERR_NODES][2];
	struct testbed *tb = tb_new(ERR_NODES, seed);
	struct tb_group g;
	unsigned int i, r;

	cfg.nodes = ERR_NODES;
	cfg.ranks = 2;
	tb_group_plan(tb, &g, &cfg);
	tb_group_create_all(&g);
	for (i = 0; i < ERR_NODES; i++)
		for (r = 0; r < 2; r++) {
			struct tb_node *n = tb_group_node(&g, i);
			struct tb_post p = tb_request(&g, TALLY_OPCODE_ALLREDUCE, 0, 1ULL << r);

			qp[i][r] = tb_qp_create(&g, i, 1ULL << r, 16, r);
			p.w.op = op;
			p.w.dtype = TALLY_TYPE_FP64;
			p.w.count = htole64(1);
			tb_inline(&p, &values[i][r], sizeof(double));
			tb_result(&p, tb_alloc(n, sizeof(double)), sizeof(double));
			tb_post_ring(n, qp[i][r], &p);
		}
	tb_finish(tb, VT_S);
	for (i = 0; i < ERR_NODES; i++)
		for (r = 0; r < 2; r++) {
			tb_assert_cqe(&qp[i][r]->wrs[0], TALLY_COLL_OK);
			assert_int_equal(le16toh(qp[i][r]->wrs[0].cqe.err_vector), err);
		}
	tb_free(tb);
}

/* Every rank gets the error vector, wherever the error occurred. */
static void errors_reach_every_rank(void **state)
{
	double values[ERR_NODES][2];
	unsigned int k, i;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(err_groups); k++) {
		memset(values, 0, sizeof(values));
		reduce_doubles(&err_groups[k], TALLY_OP_SUM, values, 0);
		/* only the division is inexact */
		values[3][0] = 1;
		reduce_doubles(&err_groups[k], TALLY_OP_SUM, values, 0);
		reduce_doubles(&err_groups[k], TALLY_OP_AVG, values, TALLY_ERR_FP_INEXACT);
		/* infinities of opposite sign, at one node and at two */
		for (i = 0; i < ERR_NODES; i++) {
			memset(values, 0, sizeof(values));
			values[i][0] = HUGE_VAL;
			values[i][1] = -HUGE_VAL;
			reduce_doubles(&err_groups[k], TALLY_OP_SUM, values, TALLY_ERR_FP_INVALID);
			values[i][1] = 0;
			values[(i + 2) % ERR_NODES][1] = -HUGE_VAL;
			reduce_doubles(&err_groups[k], TALLY_OP_SUM, values, TALLY_ERR_FP_INVALID);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring),
		cmocka_unit_test(ring_in_fixed_order),
		cmocka_unit_test(exchange),
		cmocka_unit_test(multicast),
		cmocka_unit_test(multicast_of_one_node),
		cmocka_unit_test(ring_of_uneven_nodes),
		cmocka_unit_test(errors_reach_every_rank),
		cmocka_unit_test(ring_under_loss),
		cmocka_unit_test(exchange_under_loss),
		cmocka_unit_test(multicast_under_loss),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
