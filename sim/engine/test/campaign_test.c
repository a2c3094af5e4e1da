// SPDX-License-Identifier: BSD-2-Clause
/*
 * Random campaigns: several groups at a time on the same nodes, with random modes, trees, ranks,
 * windows and sizes, under random losses, in random batches. Some groups are ended by force.
 */
#include "engine/test/test_job.h"

#define NODES 8
#define GROUPS 3
#define LIMIT_MS 500
#define NOBODY GROUPS

static uint64_t seed;

struct campaign {
	struct testbed *tb;
	struct tb_group g[GROUPS];
	struct job j[GROUPS];
	unsigned int collectives, ended;
};

static void random_loss(struct testbed *tb)
{
	static const double rates[] = { 0, 0, 0.01, 0.05, 0.15 };

	tb_lossy(tb, rates[tb_rand(tb, 5)], rates[tb_rand(tb, 5)], rates[tb_rand(tb, 5)]);
	tb->net.jitter = tb_rand(tb, 2 * VT_US);
}

/* Nodes with a subtree may have no ranks. */
static void random_ranks(struct testbed *tb, struct tb_group_cfg *cfg)
{
	struct tb_group shape;
	unsigned int i;

	tb_group_plan(tb, &shape, cfg);
	for (i = 0; i < cfg->nodes; i++)
		do
			cfg->rank_mask[i] = tb_rand(tb, 16);
		while (!cfg->rank_mask[i] && (cfg->mode || !shape.children[i]));
}

static void random_mode(struct testbed *tb, struct tb_group_cfg *cfg)
{
	unsigned int r;

	switch (tb_rand(tb, 4)) {
	case 0:
		cfg->mode = TALLY_MODE_RING;
		break;
	case 1:
		cfg->mode = TALLY_MODE_EXCHANGE;
		cfg->segs = 1u << tb_rand(tb, 4); /* of each round */
		for (r = 0; r < TALLY_MAX_ROUNDS; r++)
			cfg->radix[r] = 2 + tb_rand(tb, 4);
		break;
	case 2:
		cfg->flags = TALLY_GROUP_F_MULTICAST;
		break;
	default:
		break;
	}
	if (!tb_rand(tb, 4))
		cfg->flags |= TALLY_GROUP_F_ORDERED;
}

static void random_group(struct campaign *c, unsigned int k)
{
	struct testbed *tb = c->tb;
	struct tb_group_cfg cfg = {
		.nodes = 1 + tb_rand(tb, NODES),
		.degree = 1 + tb_rand(tb, 5),
		.segs = 1u << tb_rand(tb, 6),
		.group = 3 * k,
		.mtu = 256u << tb_rand(tb, 5),
		.timeout_ms = LIMIT_MS,
		.rto_us = 10 + tb_rand(tb, 50),
	};
	unsigned int i;

	cfg.first_node = tb_rand(tb, NODES - cfg.nodes + 1);
	random_mode(tb, &cfg);
	random_ranks(tb, &cfg);
	tb_group_plan(tb, &c->g[k], &cfg);
	for (i = 0; i < cfg.nodes; i++) {
		tb_group_create(&c->g[k], i);
		tb_run_for(tb, tb_rand(tb, 3) ? 0 : tb_rand(tb, VT_MS));
	}
	job_init(&c->j[k], &c->g[k], rng_next(sim_rng(tb->sim)), tb_rand(tb, 2));
}

/* Let one of several failures happen to a group. */
static void strike(struct campaign *c, unsigned int k)
{
	struct job *j = &c->j[k];
	struct job_poster *p = &j->posters[tb_rand(c->tb, j->num_posters)];
	struct tb_node *n = tb_group_node(&c->g[k], p->node);
	struct tb_post a = tb_request(&c->g[k], TALLY_OPCODE_ABORT, 0, p->ranks);

	switch (tb_rand(c->tb, 4)) {
	case 0:
		tb_post_ring(n, p->qp, &a);
		break;
	case 1:
		tb_qp_destroy(&c->g[k], p->node, p->qp);
		break;
	case 2:
		tb_qp_modify(&c->g[k], p->node, p->qp, TALLY_QPS_ERROR);
		break;
	default:
		a.w.opcode = 99;
		tb_post_ring(n, p->qp, &a);
		break;
	}
}

/* Let all processes of all jobs post in a random order. At a random point the victim fails. */
static void post_batches(struct campaign *c, unsigned int victim)
{
	struct testbed *tb = c->tb;
	unsigned int k, left = 0, strike_at;

	for (k = 0; k < GROUPS; k++) {
		unsigned int n = 1 + tb_rand(tb, 24);

		while (n--)
			job_add_random(&c->j[k]);
		left += c->j[k].num_msgs * c->j[k].num_posters;
		c->collectives += c->j[k].num_msgs;
	}
	strike_at = victim == NOBODY ? 0 : 1 + tb_rand(tb, left);
	while (left) {
		struct job *j = &c->j[tb_rand(tb, GROUPS)];
		struct job_poster *p = &j->posters[tb_rand(tb, j->num_posters)];
		unsigned int burst = 1 + tb_rand(tb, 4);

		for (; burst && p->next < j->num_msgs; burst--, left--) {
			if (p->qp->used)
				job_post(j, p);
			else
				p->next++;
			if (left == strike_at)
				strike(c, victim);
		}
		tb_run_for(tb, tb_rand(tb, VT_US));
	}
}

/* Several batches use the same queues, whose indices wrap around. */
static void well(struct campaign *c)
{
	unsigned int batches = 1 + tb_rand(c->tb, 4), k;

	while (batches--) {
		random_loss(c->tb);
		post_batches(c, NOBODY);
		tb_finish(c->tb, LIMIT_MS * VT_MS);
		for (k = 0; k < GROUPS; k++) {
			job_check(&c->j[k]);
			job_next_batch(&c->j[k]);
		}
	}
	tb_run_for(c->tb, 100 * VT_MS);
	for (k = 0; k < GROUPS; k++)
		tb_assert_done(&c->g[k], c->j[k].first_num);
	tb_assert_all_empty(c->tb);
}

/* The group that fails ends in time, in whatever way; the others are not affected. */
static void badly(struct campaign *c)
{
	unsigned int victim = tb_rand(c->tb, GROUPS), k;

	random_loss(c->tb);
	post_batches(c, victim);
	tb_finish(c->tb, (LIMIT_MS + 1) * VT_MS);
	for (k = 0; k < GROUPS; k++)
		if (k != victim)
			job_check(&c->j[k]);
	job_check_successful(&c->j[victim]);
	tb_run_for(c->tb, 100 * VT_MS);
	c->ended += tb_group_state(&c->g[victim], 0)->state == TALLY_GROUP_DEAD;
}

static void campaign(void **state)
{
	static struct campaign c;
	unsigned int round, k;

	(void)state;
	c.tb = tb_new(NODES, seed);
	for (round = 0; round < 60; round++) {
		for (k = 0; k < GROUPS; k++)
			random_group(&c, k);
		if (round % 3)
			well(&c);
		else
			badly(&c);
		for (k = 0; k < GROUPS; k++)
			job_end(&c.j[k]);
		tb_assert_all_empty(c.tb);
	}
	print_message("             %u collectives, %u groups ended by force\n", c.collectives,
		      c.ended);
	assert_true(c.collectives > 3000);
	assert_true(c.ended > 5);
	tb_free(c.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(campaign),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
