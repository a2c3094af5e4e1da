// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Plans for all operations. */
#include "verify.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ALL (TALLY_CAP_TREE | TALLY_CAP_EXCHANGE | TALLY_CAP_RING)
#define MIB (1024 * 1024)
/* Slow builds verify fewer plans. */
#if defined(__SANITIZE_ADDRESS__) || defined(TALLY_COVERAGE)
#define RUNS 150
#else
#define RUNS 1500
#endif

static uint32_t sw[PLAN_MAX_LEVELS][TALLY_MAX_NODES];
static uint8_t ranks[TALLY_MAX_NODES];

/* ---- Random groups ---- */
static uint32_t seed;

static uint32_t below(uint32_t bound)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % bound;
}

static uint32_t random_nodes(uint32_t run)
{
	if (run % 128 == 127)
		return TALLY_MAX_NODES - below(3 * TALLY_MAX_NODES / 4);
	switch (run % 8) {
	case 0:
		return 1 + below(TALLY_MAX_NODES / 8);
	case 1 ... 3:
		return 1 + below(300);
	default:
		return 1 + below(70);
	}
}

/* Switches of random sizes, or switches with numbers in any order. */
static void random_switches(struct plan_request *req)
{
	uint32_t most = 1 + below(48);

	req->num_levels = below(PLAN_MAX_LEVELS + 1);
	for (uint32_t l = 0; l < req->num_levels; l++, most *= 1 + below(20)) {
		bool mixed = !below(4);

		for (uint32_t i = 0, left = 0, at = 0; i < req->num_nodes; i++, left--) {
			if (!left) {
				left = 1 + below(most);
				at++;
			}
			sw[l][i] = mixed ? below(1 + req->num_nodes / most) : at;
		}
		req->sw[l] = below(8) ? sw[l] : NULL;
	}
}

static void random_ranks(struct plan_request *req)
{
	uint32_t most = below(4) ? 4 : TALLY_MAX_RANKS, same = below(3) ? 0 : 1 + below(most);
	bool sparse = !below(10);

	for (uint32_t i = 0; i < req->num_nodes; i++)
		ranks[i] = same ? same : 1 + below(most);
	for (uint32_t i = 1; sparse && i < req->num_nodes; i++)
		if (!below(4))
			ranks[i] = 0;
	req->ranks = below(4) ? ranks : NULL;
}

static struct plan_request random_request(uint32_t run)
{
	struct plan_request req = {
		.num_nodes = random_nodes(run),
		.modes = below(3) ? ALL : 1 + below(ALL),
		.bytes = 1ULL << below(30),
		.flags = below(4) ? 0 : TALLY_GROUP_F_ORDERED,
		.mtu = 256u << below(5),
		.max_segs = below(3) ? 0 : 1 + below(TALLY_MAX_GROUP_SEGS),
		.keep_order = !below(4),
	};

	random_switches(&req);
	random_ranks(&req);
	if (req.modes & TALLY_CAP_TREE && !below(6))
		req.degree = 1 + below(20);
	return req;
}

/*
 * A plan is refused only if nodes without ranks, or a deep tree, exclude it. Otherwise it is
 * valid.
 */
static void random_groups(void **state)
{
	(void)state;
	for (uint32_t run = 0; run < RUNS; run++) {
		struct plan_request req;
		char why[128] = "";
		struct plan plan;

		seed = run;
		req = random_request(run);
		if (plan_make(&plan, &req, why, sizeof(why))) {
			if (memcmp(why, "ranks:", 6) && (memcmp(why, "degree:", 7) || !req.degree))
				fail_msg("seed %u, %u nodes: %s", run, req.num_nodes, why);
			continue;
		}
		verify_plan(&plan);
		assert_int_equal(plan.modes & ~req.modes, 0);
		plan_free(&plan);
	}
}

static void every_small_number(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 80; n++)
		for (uint32_t modes = 1; modes <= ALL; modes++) {
			struct plan_request req = {
				.num_nodes = n, .modes = modes, .sw = { sw[0] }, .num_levels = 1,
			};
			struct plan plan;

			for (uint32_t i = 0; i < n; i++)
				sw[0][i] = i / (1 + modes * 3);
			make_verified(&plan, &req);
			assert_int_equal(plan.modes, modes);
			plan_free(&plan);
		}
}

/* ---- Edges ---- */
static uint32_t most_edges(const struct plan *plan)
{
	struct plan_node node;
	uint32_t most = 0;

	for (uint32_t i = 0; i < plan->num_nodes; i++) {
		plan_node(plan, i, &node);
		most = node.num_edges > most ? node.num_edges : most;
	}
	return most;
}

/* Nodes have few neighbours, whatever the size of a leaf is. */
static void few_edges(void **state)
{
	static const struct {
		uint32_t nodes, most;
	} aims[] = { { 64, 26 }, { 256, 37 }, { 1024, 40 }, { TALLY_MAX_NODES, 40 } };
	static const uint32_t leaf[] = { 16, 18, 20, 32, TALLY_MAX_NODES };

	(void)state;
	for (uint32_t k = 0; k < 5; k++)
		for (uint32_t i = 0; i < 4; i++) {
			struct plan_request req = {
				.num_nodes = aims[i].nodes, .modes = ALL,
				.sw = { sw[0], sw[1] }, .num_levels = 2,
			};
			struct plan plan;

			for (uint32_t n = 0; n < TALLY_MAX_NODES; n++) {
				sw[0][n] = n / leaf[k];
				sw[1][n] = n / leaf[k] / leaf[k];
			}
			make_verified(&plan, &req);
			if (most_edges(&plan) > aims[i].most)
				fail_msg("%u nodes in leaves of %u: %u edges", aims[i].nodes,
					 leaf[k], most_edges(&plan));
			plan_free(&plan);
		}
}

/* Rounds that a program asks for leave room for the edges of the ring and of the tree. */
static void room_for_other_edges(void **state)
{
	(void)state;
	for (uint32_t radix = 57; radix <= 64; radix++) {
		const struct plan_request req = {
			.num_nodes = 2 * radix, .modes = ALL, .num_rounds = 2,
			.radix = { radix, 2 }, .keep_order = true,
		};
		struct plan plan;
		char why[128] = "";
		int err = plan_make(&plan, &req, why, sizeof(why));

		/* radix edges of both rounds, two of the ring, and at least three children in the tree */
		if (!err != (radix + 2 + 3 <= TALLY_MAX_CONTRIBUTORS))
			fail_msg("radix %u: %d, %s", radix, err, why);
		if (!err)
			plan_free(&plan);
	}
}

/*
 * The neighbours of node 1 of four in EXCHANGE are all others. Its parent 0 is also its left
 * neighbour.
 */
static void one_edge_for_all(void **state)
{
	struct plan_request req = { .num_nodes = 4, .modes = ALL };
	const uint16_t both = TALLY_ROLE_IN | TALLY_ROLE_OUT;
	struct plan_node node;
	struct plan plan;

	(void)state;
	make_verified(&plan, &req);
	plan_node(&plan, 1, &node);
	assert_int_equal(node.num_edges, 3);
	for (uint32_t i = 0; i < 3; i++) {
		uint16_t others = node.edge[i].node == 0 ? TALLY_ROLE_PARENT | TALLY_ROLE_RING_IN :
				  node.edge[i].node == 2 ? TALLY_ROLE_RING_OUT : 0;

		assert_int_equal(node.edge[i].roles, both | others);
		assert_true(node.edge[i].remote_index < 3);
	}
	plan_free(&plan);
}

/*
 * A parent that is nothing else is the last edge and has no role. There, this node has the index of
 * a parent.
 */
static void mere_parent(void **state)
{
	struct plan_request req = {
		.num_nodes = 13, .modes = TALLY_CAP_TREE | TALLY_CAP_RING, .degree = 3,
	};
	struct plan_node node, there;
	struct plan plan;

	(void)state;
	make_verified(&plan, &req);
	plan_node(&plan, 5, &node);
	assert_int_equal(node.num_edges, 1 + 1 + 2 + 1);
	assert_int_equal(node.edge[4].roles, 0);
	assert_int_equal(node.edge[4].node, 0);
	plan_node(&plan, 0, &there);
	assert_int_equal(there.edge[node.edge[4].remote_index].remote_index,
			 TALLY_CONTRIB_PARENT);
	plan_free(&plan);
}

/* ---- Modes ---- */
static struct plan plan_of(struct plan_request req)
{
	struct plan plan;

	make_verified(&plan, &req);
	return plan;
}

/* Modes that the nodes or devices cannot have are left out. */
static void impossible_modes(void **state)
{
	static const uint8_t sparse[] = { 0, 2, 1 };
	struct plan plan;

	(void)state;
	plan = plan_of((struct plan_request){ .num_nodes = 3, .modes = ALL, .ranks = sparse });
	assert_int_equal(plan.modes, TALLY_CAP_TREE);
	assert_int_equal(plan.choice_small[TALLY_OPCODE_GATHER - 1], 0);
	assert_int_equal(plan.choice_small[TALLY_OPCODE_ALLREDUCE - 1], TALLY_MODE_TREE);
	plan_free(&plan);
	plan = plan_of((struct plan_request){ .num_nodes = 3, .modes = ALL,
					      .caps = TALLY_CAP_TREE | TALLY_CAP_RING });
	assert_int_equal(plan.modes, TALLY_CAP_TREE | TALLY_CAP_RING);
	assert_int_equal(plan.rounds, 0);
	plan_free(&plan);
}

static void refused(struct plan_request req, const char *field)
{
	char why[128] = "";
	struct plan plan;

	assert_int_equal(plan_make(&plan, &req, why, sizeof(why)), -EINVAL);
	if (strncmp(why, field, strlen(field)) || why[strlen(field)] != ':')
		fail_msg("\"%s\" does not name %s", why, field);
}

#define REFUSED(field, ...) refused((struct plan_request){ __VA_ARGS__ }, field)

static void refusals(void **state)
{
	static const uint8_t sparse[] = { 0, 2, 1 };

	(void)state;
	REFUSED("modes", .num_nodes = 3, .modes = TALLY_CAP_SWITCH | TALLY_CAP_TREE);
	REFUSED("modes", .num_nodes = 3, .modes = TALLY_CAP_RING, .caps = TALLY_CAP_TREE);
	REFUSED("ranks", .num_nodes = 3, .modes = TALLY_CAP_RING, .ranks = sparse);
	REFUSED("mode", .num_nodes = 3, .modes = ALL, .mode = TALLY_MODE_SWITCH);
	REFUSED("mode", .num_nodes = 3, .modes = TALLY_CAP_TREE, .mode = TALLY_MODE_RING);
	REFUSED("mode", .num_nodes = 3, .modes = ALL, .mode = TALLY_MODE_RING, .ranks = sparse);
	REFUSED("mode", .num_nodes = 3, .modes = ALL, .mode = TALLY_MODE_RING,
		.opcode = TALLY_OPCODE_GATHER);
	REFUSED("opcode", .num_nodes = 3, .modes = TALLY_CAP_TREE,
		.opcode = TALLY_OPCODE_ALLGATHER);
	REFUSED("flags", .num_nodes = 3, .modes = TALLY_CAP_RING,
		.flags = TALLY_GROUP_F_MULTICAST);
	REFUSED("degree", .num_nodes = 3, .modes = TALLY_CAP_RING, .degree = 2);
	REFUSED("num_rounds", .num_nodes = 3, .modes = TALLY_CAP_RING, .num_rounds = 1,
		.radix = { 3 });
	REFUSED("radix", .num_nodes = 1000, .modes = ALL, .num_rounds = 2, .radix = { 32, 32 });
	REFUSED("num_segs", .num_nodes = 3, .modes = ALL, .num_segs = 9, .max_segs = 8);
}

/* ---- Choices ---- */
static void check_choice(const struct plan *plan, enum tally_opcode opcode, enum tally_mode small,
			 enum tally_mode large)
{
	assert_int_equal(plan->choice_small[opcode - 1], small);
	assert_int_equal(plan->choice_large[opcode - 1], large);
	if (small == large)
		assert_int_equal(plan->choice_small_log[opcode - 1], 0);
	else
		assert_in_range(plan->choice_small_log[opcode - 1], 6, 20);
}

static void choices(void **state)
{
	struct plan plan = plan_of((struct plan_request){ .num_nodes = 16, .modes = ALL });
	const enum tally_mode tree = TALLY_MODE_TREE, ring = TALLY_MODE_RING,
			      exchange = TALLY_MODE_EXCHANGE;

	(void)state;
	check_choice(&plan, TALLY_OPCODE_ALLREDUCE, exchange, ring);
	check_choice(&plan, TALLY_OPCODE_BCAST, tree, ring);
	check_choice(&plan, TALLY_OPCODE_BARRIER, exchange, exchange);
	check_choice(&plan, TALLY_OPCODE_ALLGATHER, exchange, ring);
	check_choice(&plan, TALLY_OPCODE_REDUCE_SCATTER, exchange, ring);
	check_choice(&plan, TALLY_OPCODE_GATHER, tree, tree);
	check_choice(&plan, TALLY_OPCODE_SCATTER, tree, tree);
	check_choice(&plan, TALLY_OPCODE_REDUCE, tree, ring);
	assert_int_equal(plan.mode, exchange);
	assert_memory_equal(plan.reason, "estimates: TREE ", 16);
	plan_free(&plan);
}

/*
 * In 64 nodes EXCHANGE is best for short sums, TREE for longer ones, which chunks of 256 bytes would
 * delay, and RING for the longest.
 */
static void three_modes(void **state)
{
	const uint32_t opcode = TALLY_OPCODE_ALLREDUCE;
	struct plan plan = plan_of((struct plan_request){ .num_nodes = 64, .modes = ALL });
	uint64_t middle = 1ULL << plan.choice_middle_log[opcode - 1];

	(void)state;
	check_choice(&plan, opcode, TALLY_MODE_EXCHANGE, TALLY_MODE_RING);
	assert_int_equal(plan.choice_middle[opcode - 1], TALLY_MODE_TREE);
	assert_int_equal(plan_mode_of(&plan, opcode, 1024), TALLY_MODE_EXCHANGE);
	assert_int_equal(plan_mode_of(&plan, opcode, 32 * 1024), TALLY_MODE_TREE);
	assert_int_equal(plan_mode_of(&plan, opcode, middle), TALLY_MODE_TREE);
	assert_int_equal(plan_mode_of(&plan, opcode, middle + 1), TALLY_MODE_RING);
	assert_int_equal(plan_mode_of(&plan, opcode, UINT64_MAX), TALLY_MODE_RING);
	plan_free(&plan);
}

/* The mode that the caller asks for is that of all operations that it offers. */
static void one_mode_for_most(void **state)
{
	struct plan plan = plan_of((struct plan_request){
		.num_nodes = 16, .modes = ALL, .mode = TALLY_MODE_RING });

	(void)state;
	assert_int_equal(plan.mode, TALLY_MODE_RING);
	check_choice(&plan, TALLY_OPCODE_ALLREDUCE, 0, 0);
	check_choice(&plan, TALLY_OPCODE_GATHER, TALLY_MODE_TREE, TALLY_MODE_TREE);
	plan_free(&plan);
}

/* Groups of one mode have estimates of their own; a mode of a shared plan is not much slower. */
static void crossover(void **state)
{
	struct plan shared = plan_of((struct plan_request){ .num_nodes = 64, .modes = ALL,
							     .bytes = 8 });
	struct plan alone = plan_of((struct plan_request){ .num_nodes = 64, .bytes = 8 });

	(void)state;
	assert_int_equal(shared.mode, alone.mode);
	assert_in_range(shared.estimate_ns, alone.estimate_ns, alone.estimate_ns * 11 / 10);
	plan_free(&shared);
	plan_free(&alone);
}

/* ---- Segments and chunks ---- */
static void segments(void **state)
{
	struct plan plan = plan_of((struct plan_request){ .num_nodes = 16, .modes = ALL });

	(void)state;
	assert_int_equal(plan.num_segs, 2);
	assert_int_equal(plan.max_segs, TALLY_MAX_GROUP_SEGS);
	plan_free(&plan);
	plan = plan_of((struct plan_request){ .num_nodes = 16, .modes = ALL, .num_segs = 5,
					      .max_segs = 100 });
	assert_int_equal(plan.num_segs, 5);
	assert_int_equal(plan.max_segs, 64);
	plan_free(&plan);
	plan = plan_of((struct plan_request){ .num_nodes = 16, .modes = ALL, .max_segs = 1 });
	assert_int_equal(plan.num_segs, 1);
	assert_int_equal(plan.max_segs, 1);
	plan_free(&plan);
}

/*
 * 64 nodes exchange in two rounds of 8: 1 rank, 16 parts, and the partial results of rounds 0 to 2
 * make 20 payloads of at most 409 bytes. With more neighbours there are 22 of at most 372. One node
 * with more ranks concerns all nodes.
 */
static void chunks(void **state)
{
	struct plan_request req = { .num_nodes = 64, .modes = ALL, .num_rounds = 2,
				    .radix = { 8, 8 } };
	struct plan plan = plan_of(req);

	(void)state;
	assert_int_equal(plan.chunk, 256);
	plan_free(&plan);
	memset(ranks, 1, 64);
	ranks[3] = 10;
	req.ranks = ranks;
	plan = plan_of(req);
	assert_int_equal(plan.chunk, 256);
	plan_free(&plan);
	ranks[3] = 14;
	plan = plan_of(req);
	assert_int_equal(plan.chunk, 128);
	plan_free(&plan);
	plan = plan_of((struct plan_request){ .num_nodes = 64,
					      .modes = TALLY_CAP_TREE | TALLY_CAP_RING });
	assert_int_equal(plan.chunk, 0);
	plan_free(&plan);
	/* 1 rank, 4 children, a sum and a result */
	plan = plan_of((struct plan_request){ .num_nodes = 64, .modes = TALLY_CAP_TREE,
					      .flags = TALLY_GROUP_F_ORDERED });
	assert_int_equal(plan.chunk, 1024);
	plan_free(&plan);
}

/* ---- Hash ---- */
static uint32_t hash_of(struct plan_request req)
{
	struct plan plan = plan_of(req);
	uint32_t hash = plan.hash;

	plan_free(&plan);
	return hash;
}

/* The hash is the same for the same request, and differs if nodes would not fit together. */
static void hashes(void **state)
{
	const struct plan_request base = { .num_nodes = 40, .modes = ALL, .sw = { sw[0] } };
	struct plan_request other = base;
	uint32_t hash = hash_of(base);

	(void)state;
	assert_int_equal(hash_of(other), hash);
	other.num_segs = 7;	/* need not agree */
	assert_int_equal(hash_of(other), hash);
	other = base;
	other.mtu = 1024;
	assert_int_not_equal(hash_of(other), hash);
	other = base;
	other.degree = 2;
	assert_int_not_equal(hash_of(other), hash);
	other = base;
	other.modes = TALLY_CAP_TREE | TALLY_CAP_RING;
	assert_int_not_equal(hash_of(other), hash);
	other = base;
	other.mode = TALLY_MODE_RING;
	assert_int_not_equal(hash_of(other), hash);
	other = base;
	other.costs.bits_per_s = 1000000000;	/* another table */
	assert_int_not_equal(hash_of(other), hash);
	memset(ranks, 1, 40);
	ranks[39] = 2;
	other = base;
	other.ranks = ranks;
	assert_int_not_equal(hash_of(other), hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_groups),
		cmocka_unit_test(every_small_number),
		cmocka_unit_test(few_edges),
		cmocka_unit_test(room_for_other_edges),
		cmocka_unit_test(one_edge_for_all),
		cmocka_unit_test(mere_parent),
		cmocka_unit_test(impossible_modes),
		cmocka_unit_test(refusals),
		cmocka_unit_test(choices),
		cmocka_unit_test(three_modes),
		cmocka_unit_test(one_mode_for_most),
		cmocka_unit_test(crossover),
		cmocka_unit_test(segments),
		cmocka_unit_test(chunks),
		cmocka_unit_test(hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
