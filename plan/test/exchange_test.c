// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * EXCHANGE at every number of nodes on fat trees. Each plan must be valid for a group, and the
 * estimate of an allreduce of 8 bytes must be close enough to the floor. On all trees this is
 * tested with a NIC that meets its goals (plan/cycles.h), and with reductions of a round that take no
 * longer than one; on those of switches with 32 ports also with the default costs.
 *
 * The aim is 2.5 times the floor, and 2.2 times with full leaves. With the default costs, what the NIC
 * takes longer than its goals does not count. Then the aim is missed if each further level of a reduction
 * has its cost. Those bounds are the actual results, marked "measured"; they must return to the aim when
 * levels are cheaper in hardware.
 *
 * Above EVERY_UP_TO nodes, the test takes full leaves and every fifth number of nodes, or all
 * numbers if EVERY_NUMBER is set in the environment (a minute).
 */
#include "plan/cycles.h"
#include "verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define MAX_NODES 1024
/* Nanoseconds: the NIC reads a request and writes a completion; hops, and packets on the wire. */
#define PCIE_IN 300
#define PCIE_OUT 300
#define PACKET 14
static const uint32_t hops[] = { 0, 350, 1000, 1650 };
/* Slow builds test only some numbers of nodes, which reach all code. */
#if defined(__SANITIZE_ADDRESS__) || defined(TALLY_COVERAGE)
#define STEP 13
#else
#define STEP 1
#endif
#define EVERY_UP_TO 256

struct fat_tree {
	uint32_t leaf;		/* nodes of a leaf, and leaves of a pod */
	uint32_t levels;
	bool goals;		/* the NIC's costs are its goals */
	uint32_t alu_ns;	/* cost of each further level of a reduction; 0: the default */
	double worst, worst_full;	/* bounds, as multiples of the floor */
};

#define CYCLE_NS	4
#define GOAL_REQUEST	(GOAL_CYCLES_POST * CYCLE_NS)
#define GOAL_NIC	(GOAL_CYCLES_COMBINE * CYCLE_NS)
/* What the NIC takes longer, for a request and for each round. */
#define OVER_REQUEST	((ENGINE_CYCLES_REQUEST + ENGINE_CYCLES_ENCAP) * CYCLE_NS - GOAL_REQUEST)
#define OVER_ROUND									\
	((ENGINE_CYCLES_PARSE + ENGINE_CYCLES_ALU + ENGINE_CYCLES_ENCAP) * CYCLE_NS - GOAL_NIC)
#define AIM		2.5
#define AIM_FULL	2.2

static uint32_t sw[2][MAX_NODES];

static void set_switches(const struct fat_tree *ft)
{
	for (uint32_t i = 0; i < MAX_NODES; i++) {
		sw[0][i] = i / ft->leaf;
		sw[1][i] = i / ft->leaf / ft->leaf;
	}
}

/* Number of nodes of a tree whose switches have twice as many ports as a leaf has nodes. */
static uint32_t capacity(const struct fat_tree *ft)
{
	uint32_t nodes = 2 * ft->leaf;

	for (uint32_t l = 1; l < ft->levels; l++)
		nodes *= ft->leaf;
	return nodes < MAX_NODES ? nodes : MAX_NODES;
}

static struct plan_request request(const struct fat_tree *ft, uint32_t n)
{
	struct plan_request req = {
		.num_nodes = n,
		.num_levels = ft->levels - 1,
		.sw = { sw[0], ft->levels > 2 ? sw[1] : NULL },
		.mode = TALLY_MODE_EXCHANGE,
		.bytes = 8,
		.costs.alu_ns = ft->alu_ns,
	};

	if (ft->goals) {
		req.costs.request_ns = GOAL_REQUEST;
		req.costs.nic_ns = GOAL_NIC;
	}
	return req;
}

static double ratio(const struct fat_tree *ft, uint32_t n, const struct plan *plan)
{
	uint32_t level = n <= ft->leaf ? 1 : n <= ft->leaf * ft->leaf || ft->levels == 2 ? 2 : 3;
	double ns = PCIE_IN + plan->estimate_ns + PCIE_OUT;

	if (!ft->goals)
		ns -= OVER_REQUEST + (int)plan->rounds * OVER_ROUND;
	return ns / (PCIE_IN + hops[level] + PACKET + PCIE_OUT);
}

static bool looked_at(const struct fat_tree *ft, uint32_t n)
{
	return n <= EVERY_UP_TO || n % ft->leaf == 0 || n % 5 == 0 || getenv("EVERY_NUMBER");
}

static void every_number(void **state)
{
	const struct fat_tree *ft = *state;
	/* The nodes of one pod form a tree of two levels. */
	uint32_t first = ft->levels > 2 ? ft->leaf * ft->leaf : 1, at = 0, at_full = 0;
	double worst = 0, worst_full = 0;

	set_switches(ft);
	for (uint32_t n = first; n <= capacity(ft); n += STEP) {
		struct plan_request req = request(ft, n);
		struct plan plan;
		double r;

		if (!looked_at(ft, n))
			continue;
		make_verified(&plan, &req);
		r = n > 1 ? ratio(ft, n, &plan) : 0;
		if (r > worst) {
			worst = r;
			at = n;
		}
		if (n % ft->leaf == 0 && r > worst_full) {
			worst_full = r;
			at_full = n;
		}
		plan_free(&plan);
	}
	printf("Leaves of %u, %u levels: %.3f times the floor at %u nodes, %.3f at %u with full leaves\n",
	       ft->leaf, ft->levels, worst, at, worst_full, at_full);
	assert_true(worst <= ft->worst);
	assert_true(worst_full <= ft->worst_full);
}

/* Leaves of random sizes, as a scheduler may leave them free. */
static void leaves_of_any_size(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (uint32_t run = 0; run < 60; run++) {
		struct fat_tree ft = { .levels = 2 + run % 2 };
		struct plan_request req;
		struct plan plan;
		uint32_t n = 0, leaf = 0;

		while (n < 20 + run * 12) {
			uint32_t size = 1 + (seed = seed * 1664525 + 1013904223) / 65536 % 40;

			for (uint32_t i = 0; i < size; i++, n++) {
				sw[0][n] = leaf;
				sw[1][n] = leaf / 5;
			}
			leaf++;
		}
		req = request(&ft, n);
		make_verified(&plan, &req);
		assert_true(plan.rounds <= 4);
		plan_free(&plan);
	}
}

static void most_nodes_of_all(void **state)
{
	struct plan_request req = { .num_nodes = TALLY_MAX_NODES, .mode = TALLY_MODE_EXCHANGE };
	struct plan plan;

	(void)state;
	make_verified(&plan, &req);
	assert_int_equal(plan.rounds, 3);
	plan_free(&plan);
}

/*
 * Any radices with a sufficient product are possible, unless a node would have too many neighbours.
 */
static void try_radices(const struct fat_tree *ft, uint32_t n, const uint8_t *radix)
{
	struct plan_request req = request(ft, n);
	uint32_t room = 1, neighbours = 0;
	char why[128] = "";
	struct plan plan;

	for (uint32_t r = 0; r < 4 && radix[r]; r++) {
		req.radix[req.num_rounds++] = radix[r];
		room *= radix[r];
		neighbours += radix[r] - 1;
	}
	if (plan_make(&plan, &req, why, sizeof(why))) {
		assert_memory_equal(why, "radix:", 6);
		assert_true(n > room || neighbours >= TALLY_MAX_CONTRIBUTORS);
		return;
	}
	assert_true(n <= room);
	verify_plan(&plan);
	for (uint32_t r = 0; r < plan.rounds; r++)
		assert_true(plan.radix[r] <= radix[r]);
	plan_free(&plan);
}

static void given_radices(void **state)
{
	static const uint8_t radices[][4] = {
		{ 2, 2, 2, 2 }, { 3, 5, 0, 0 }, { 16, 0, 0, 0 }, { 2, 64, 0, 0 }, { 64, 64, 0, 0 },
		{ 4, 4, 4, 4 }, { 7, 3, 2, 0 }, { 2, 3, 5, 7 },
	};
	struct fat_tree ft = { .leaf = 6, .levels = 2 };

	(void)state;
	set_switches(&ft);
	for (uint32_t i = 0; i < sizeof(radices) / sizeof(radices[0]); i++)
		for (uint32_t n = 2; n <= 300; n += STEP)
			try_radices(&ft, n, radices[i]);
}

/* Returns the sum of the radices, for each of which a node sends one packet less. */
static uint32_t radix_sum(const struct plan *plan)
{
	uint32_t sum = 0;

	for (uint32_t r = 0; r < plan->rounds; r++)
		sum += plan->radix[r];
	return sum;
}

/* A plan that is faster by little is not worth twice as many packets and edges. */
static void hardly_faster(void **state)
{
	const struct fat_tree ft = { .leaf = 8, .levels = 3, .goals = true };
	struct plan_request req = request(&ft, 512);
	struct plan few, many;

	(void)state;
	set_switches(&ft);
	make_verified(&few, &req);
	req.num_rounds = 2;
	req.radix[0] = 16;
	req.radix[1] = 32;
	make_verified(&many, &req);
	assert_int_equal(few.rounds, 3);
	assert_int_equal(radix_sum(&few), 8 + 8 + 8);
	assert_int_equal(radix_sum(&many), 16 + 32);
	assert_in_range(few.estimate_ns, many.estimate_ns + 1,
			many.estimate_ns + many.estimate_ns / 32);
	plan_free(&few);
	plan_free(&many);
}

int main(void)
{
	static struct fat_tree trees[] = {
		{ 16, 2, true, 1, AIM, AIM_FULL },
		{ 18, 2, true, 1, AIM, AIM_FULL },
		{ 32, 2, true, 1, AIM, AIM_FULL },
		{ 16, 3, true, 1, AIM, AIM_FULL },
		{ 18, 3, true, 1, AIM, AIM_FULL },
		{ 32, 3, true, 1, AIM, AIM_FULL },
		{ 16, 2, false, 0, 2.56, 2.31 /* measured */ },
	};
	const struct CMUnitTest tests[] = {
		{ "every_number_16_2", every_number, NULL, NULL, &trees[0] },
		{ "every_number_18_2", every_number, NULL, NULL, &trees[1] },
		{ "every_number_32_2", every_number, NULL, NULL, &trees[2] },
		{ "every_number_16_3", every_number, NULL, NULL, &trees[3] },
		{ "every_number_18_3", every_number, NULL, NULL, &trees[4] },
		{ "every_number_32_3", every_number, NULL, NULL, &trees[5] },
		{ "every_number_16_2_deep", every_number, NULL, NULL, &trees[6] },
		cmocka_unit_test(leaves_of_any_size),
		cmocka_unit_test(most_nodes_of_all),
		cmocka_unit_test(given_radices),
		cmocka_unit_test(hardly_faster),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
