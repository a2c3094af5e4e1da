// SPDX-License-Identifier: BSD-2-Clause
/*
 * Broadcasts by the methods of document 002: the algorithms between nodes, and what competition for
 * the leader is good for. PARAMS names the folder of parameters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coll/measure.h"
#include "coll/operation.h"

static struct bench_params params;

static const char *const ways[][2] = {
	{ "cp-bt", "p-bt" }, { "cp-rdaas", "p-rdaas" }, { "cp-ringaas", "p-ringaas" },
	{ "node", "fixed" },
};

#define NUM_WAYS (sizeof(ways) / sizeof(ways[0]))

static int setup(void **state)
{
	char path[512], why[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/infiniband100g.params", getenv("PARAMS"));
	if (!bench_params_read(&params, path, why, sizeof(why)))
		return 0;
	fprintf(stderr, "%s\n", why);
	return -1;
}

static void set_way(const char *way)
{
	char rule[64];

	snprintf(rule, sizeof(rule), "bcast=%s", way);
	setenv("TALLY_COLL_TUNE", rule, 1);
}

/* ---- Results ---- */
#define FLYING 3	/* operations at once */

static struct coll_expected expected[FLYING];
static const uint32_t counts[] = { 1, 13, 5000, 70001 };

static void broadcast(struct coll_rank *r, struct tallycoll_team *team, uint32_t ranks, uint32_t n)
{
	struct coll_operation o[FLYING];
	enum tallycoll_reason reason;

	for (uint32_t i = 0; i < FLYING; i++) {
		o[i] = (struct coll_operation){
			.r = r,
			.rank = coll_number(r),
			.m = { .opcode = TALLY_OPCODE_BCAST, .type = TALLY_TYPE_FP32,
			       .count = counts[(n + i) % 4], .total_ranks = ranks,
			       .root = (5 * n + 7 * i) % ranks, .seed = 1 + FLYING * n + i },
		};
		if (!coll_operation_new(&o[i]))
			return;
		coll_operation_fill(&o[i]);
		if (coll_operation_init(&o[i], team, &reason) ||
		    tallycoll_collective_post(o[i].request)) {
			coll_fail(r, "not offloaded: %s", tallycoll_reason_name(reason));
			return;
		}
	}
	for (uint32_t i = 0; i < FLYING; i++) {
		if (tallycoll_collective_wait(o[i].request))
			coll_fail(r, "%s", tallycoll_request_error(o[i].request));
		coll_operation_check(&o[i], &expected[i]);
		tallycoll_collective_finalize(o[i].request);
		coll_operation_free(&o[i]);
	}
}

static void broadcasts(struct coll_rank *r, void *arg)
{
	const struct sim_coll_cfg *cfg = arg;
	const struct tallycoll_context_params cp = { .oob = coll_oob(r, NULL, 0) };
	const struct tallycoll_team_params tp = { .oob = cp.oob };
	struct tallycoll_context *context;
	struct tallycoll_team *team;
	char why[200];

	if (tc_context_create(&cp, &coll_platform, r, &context, why, sizeof(why)) ||
	    tallycoll_team_create(context, &tp, &team)) {
		coll_fail(r, "no team");
		return;
	}
	for (uint32_t n = 0; n < 4; n++) {
		coll_compute(r, coll_number(r) * 5 % 7 * VT_US);
		broadcast(r, team, cfg->num_ranks, n);
	}
	tallycoll_team_destroy(team);
	tallycoll_context_destroy(context);
}

/* @node_of: the nodes of the ranks, of three. */
static void run_on(const uint32_t *node_of, uint32_t ranks, const char *way, double drop)
{
	struct sim_coll_cfg cfg = {
		.c = { .params = &params, .topology = TOPO_SWITCH, .nodes = 3, .seed = 1 },
		.node_of = node_of, .num_ranks = ranks, .memory = 8 << 20,
		.faults = { .drop = drop },
	};
	char why[200];
	struct sim_coll *s = sim_coll_new(&cfg, why, sizeof(why));

	if (!s)
		fail_msg("%s", why);
	set_way(way);
	if (sim_coll_run(s, broadcasts, &cfg))
		fail_msg("%s: %s", way, sim_coll_trouble(s));
	sim_coll_free(s);
}

/* The vector of a node lies in places, not in the order of ranks; on the last nodes a rank is alone. */
static void results_are_right(void **state)
{
	static const uint32_t uneven[] = { 1, 0, 2, 2, 0, 1, 2, 2, 1 }, alone[] = { 1, 0, 1, 2, 1 };

	(void)state;
	for (size_t i = 0; i < 2 * NUM_WAYS; i++) {
		run_on(uneven, 9, ways[i / 2][i % 2], 0);
		run_on(alone, 5, ways[i / 2][i % 2], 0);
	}
	run_on(uneven, 9, "cp-rdaas", 0.01);
}

/* ---- Times ---- */
static struct coll_measured measure(const char *way, uint64_t bytes, vtime_t skew, uint32_t iterations)
{
	const struct sim_coll_cfg cfg = {
		.c = { .params = &params, .topology = TOPO_SWITCH, .nodes = 16, .ranks = 8,
		       .opcode = TALLY_OPCODE_BCAST, .type = TALLY_TYPE_FP64, .bytes = bytes,
		       .skew = skew, .warmup = 2, .iterations = iterations, .seed = 1 },
	};
	struct coll_measured res;

	set_way(way);
	if (coll_measure(&cfg, &res))
		fail_msg("%s: %s", way, res.trouble);
	assert_int_equal(res.offloaded, res.calls);
	assert_true(res.checked);
	return res;
}

static void algorithms_differ(void **state)
{
	vtime_t tree = measure("cp-bt", 8, 0, 1).mean, exchange = measure("cp-rdaas", 8, 0, 1).mean;

	(void)state;
	assert_true(exchange > tree);
	assert_true(measure("cp-ringaas", 8, 0, 1).mean > exchange);
}

/*
 * If all call at once, competition costs at most 3%. A rank that leads for the first time registers the
 * shared memory, so short operations need some iterations.
 */
static void balanced_arrival(void **state)
{
	static const uint64_t sizes[] = { 8, 600 << 10 };

	(void)state;
	for (size_t i = 0; i < NUM_WAYS; i++)
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			uint32_t iterations = sizes[k] > 4096 ? 2 : 25;
			vtime_t cp = measure(ways[i][0], sizes[k], 0, iterations).rank_max;
			vtime_t p = measure(ways[i][1], sizes[k], 0, iterations).rank_max;

			if (cp > p + p * 3 / 100)
				fail_msg("%s, %ju bytes: %ju ps, fixed %ju", ways[i][0],
					 (uintmax_t)sizes[k], (uintmax_t)cp, (uintmax_t)p);
		}
}

/* Equation 7 in equation 4: the time of the root for @steps steps of @time, @n ranks of each node. */
static double equation(double time, double width, unsigned int steps, unsigned int n)
{
	double waited = 0;

	for (unsigned int i = 0; i < steps; i++) {
		double left = 1 - (waited + i * time) / width, wait = width / (n + 1) / (n + 2);

		for (unsigned int k = 0; k < n + 2; k++)
			wait *= left > 0 ? left : 0;
		waited += wait;
	}
	return waited + steps * time;
}

/*
 * Ranks call within 500 us. The root takes at most 1.2 times what 002's equations predict, if a
 * message takes as long as between two nodes. A rank waits for the root alone, a sixth of the width;
 * with a fixed leader for it as well, a quarter.
 */
static void uneven_arrival(void **state)
{
	static const uint64_t sizes[] = { 8, 64 << 10 };
	const double width = 500 * VT_US;

	(void)state;
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		struct coll_measured calm = measure("cp-bt", sizes[k], 0, 1);
		uint32_t iterations = sizes[k] > 8 ? 50 : 200;
		struct coll_measured cp = measure("cp-bt", sizes[k], width, iterations);
		struct coll_measured p = measure("p-bt", sizes[k], width, iterations);
		double message = calm.mean / 4.0;	/* of four steps between 16 nodes */

		assert_true(cp.root_mean <= 1.2 * equation(message, width, 4, 8));
		assert_true(cp.rank_mean <= 1.2 * (width / 6 + calm.rank_mean));
		assert_true(p.rank_mean >= 1.15 * cp.rank_mean);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_are_right),
		cmocka_unit_test(algorithms_differ),
		cmocka_unit_test(balanced_arrival),
		cmocka_unit_test(uneven_arrival),
	};
	int failed = cmocka_run_group_tests(tests, setup, NULL);

	for (uint32_t i = 0; i < FLYING; i++)
		coll_expected_free(&expected[i]);
	return failed;
}
