// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Requests and the resulting plans: refusals, choices, places, segments. */
#include "verify.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KIB 1024ULL
#define MIB (1024 * KIB)

/* ---- Refusals name the field ---- */
static void refused(const struct plan_request *req, const char *field)
{
	char why[128] = "", tiny[4] = "xyz";
	struct plan plan;

	assert_int_equal(plan_make(&plan, req, why, sizeof(why)), -EINVAL);
	if (strncmp(why, field, strlen(field)) || why[strlen(field)] != ':')
		fail_msg("\"%s\" does not name %s", why, field);
	assert_null(plan.shape);
	/* The sentence is cut to the size of the buffer. */
	assert_int_equal(plan_make(&plan, req, tiny, sizeof(tiny)), -EINVAL);
	assert_memory_equal(tiny, why, 3);
	assert_int_equal(tiny[3], 0);
	assert_int_equal(plan_make(&plan, req, NULL, 0), -EINVAL);
}

#define REFUSED(field, ...) refused(&(struct plan_request){ __VA_ARGS__ }, field)

static void refused_with(const struct plan_request *req, const char *text)
{
	char why[128] = "";
	struct plan plan;

	assert_int_equal(plan_make(&plan, req, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, text);
}

#define REFUSED_WITH(text, ...) refused_with(&(struct plan_request){ __VA_ARGS__ }, text)

static void bad_nodes(void **state)
{
	static const uint8_t many[] = { 1, TALLY_MAX_RANKS + 1 }, none[] = { 0, 0 };

	(void)state;
	REFUSED("num_nodes", .num_nodes = 0);
	REFUSED("num_nodes", .num_nodes = TALLY_MAX_NODES + 1);
	REFUSED("num_levels", .num_nodes = 2, .num_levels = PLAN_MAX_LEVELS + 1);
	REFUSED("ranks", .num_nodes = 2, .ranks = many);
	REFUSED("ranks", .num_nodes = 2, .ranks = none);
}

static void bad_operations(void **state)
{
	(void)state;
	REFUSED("opcode", .num_nodes = 2, .opcode = TALLY_OPCODE_QUERY);
	REFUSED("opcode", .num_nodes = 2, .opcode = TALLY_OPCODE_PUT_MP);
	REFUSED("bytes", .num_nodes = 2, .bytes = TALLY_MAX_MESSAGE + 1ULL);
	REFUSED("bytes", .num_nodes = 2, .bytes = UINT64_MAX);
	REFUSED("op", .num_nodes = 2, .op = 12);
	REFUSED("dtype", .num_nodes = 2, .dtype = 0x42);
	REFUSED("op", .num_nodes = 2, .op = TALLY_OP_BAND, .dtype = TALLY_TYPE_FP32);
	REFUSED("flags", .num_nodes = 2, .flags = TALLY_GROUP_F_ROOT);
	REFUSED("flags", .num_nodes = 2, .flags = TALLY_GROUP_F_MULTICAST, .caps = TALLY_CAP_TREE);
	REFUSED("flags", .num_nodes = 2, .flags = TALLY_GROUP_F_ORDERED, .caps = TALLY_CAP_TREE);
	REFUSED("flags", .num_nodes = 2, .flags = TALLY_GROUP_F_ORDERED,
		.caps = TALLY_CAP_TREE | TALLY_CAP_MULTICAST);
	REFUSED_WITH("op: 9 (BAND) is not a reduction of type FP64", .num_nodes = 2,
		     .op = TALLY_OP_BAND);
	REFUSED_WITH("op: 99 (unknown) is not a reduction of type INT8", .num_nodes = 2, .op = 99,
		     .dtype = TALLY_TYPE_INT8);
	REFUSED("flags", .num_nodes = 2, .flags = TALLY_GROUP_F_MULTICAST,
		.mode = TALLY_MODE_RING);
}

static void bad_choices(void **state)
{
	(void)state;
	REFUSED("mode", .num_nodes = 2, .mode = TALLY_MODE_SWITCH);
	REFUSED("mode", .num_nodes = 2, .mode = 200);
	REFUSED("mode", .num_nodes = 2, .mode = 256 + TALLY_MODE_TREE);
	REFUSED("caps", .num_nodes = 2, .caps = TALLY_CAP_MULTICAST | 1ULL << 63);
	REFUSED("mode", .num_nodes = 2, .mode = TALLY_MODE_RING, .caps = TALLY_CAP_TREE);
	REFUSED("mode", .num_nodes = 2, .mode = TALLY_MODE_EXCHANGE, .opcode = TALLY_OPCODE_BCAST);
	REFUSED("mode", .num_nodes = 2, .opcode = TALLY_OPCODE_ALLGATHER, .caps = TALLY_CAP_TREE);
	REFUSED("degree", .num_nodes = 2, .degree = TALLY_MAX_CONTRIBUTORS + 1);
	REFUSED("degree", .num_nodes = 2, .degree = 2, .mode = TALLY_MODE_RING);
	REFUSED("degree", .num_nodes = 9, .degree = 2, .num_rounds = 2, .radix = { 3, 3 });
	REFUSED("degree", .num_nodes = 257, .degree = 1);
	REFUSED("num_rounds", .num_nodes = 9, .num_rounds = 13);
	REFUSED("num_rounds", .num_nodes = 9, .num_rounds = 2, .radix = { 3, 3 },
		.mode = TALLY_MODE_TREE);
	REFUSED("num_rounds", .num_nodes = 8, .num_rounds = 3, .radix = { 2, 2, 2 },
		.flags = TALLY_GROUP_F_MULTICAST);
	REFUSED("num_rounds", .num_nodes = 1, .num_rounds = 3, .radix = { 2, 2, 2 });
	REFUSED("radix", .num_nodes = 10, .num_rounds = 2, .radix = { 3, 3 });
	REFUSED("radix", .num_nodes = 3, .num_rounds = 2, .radix = { 3, 1 });
	REFUSED("radix", .num_nodes = 3, .num_rounds = 1, .radix = { 65 });
	REFUSED("radix", .num_nodes = 4096, .num_rounds = 2, .radix = { 64, 64 });
}

static void bad_segments(void **state)
{
	(void)state;
	REFUSED("num_segs", .num_nodes = 2, .num_segs = 3);
	REFUSED("num_segs", .num_nodes = 2, .num_segs = 512);
	REFUSED("num_segs", .num_nodes = 2, .num_segs = 16, .max_segs = 8);
	REFUSED("max_segs", .num_nodes = 2, .max_segs = TALLY_MAX_GROUP_SEGS + 1);
	REFUSED_WITH("num_segs: 128 are more than 100", .num_nodes = 8, .max_segs = 100,
		     .num_segs = 128, .num_rounds = 3, .radix = { 2, 2, 2 });
	REFUSED("mtu", .num_nodes = 2, .mtu = 128);
	REFUSED("mtu", .num_nodes = 2, .mtu = 3000);
	REFUSED("mtu", .num_nodes = 2, .mtu = 2 * TALLY_MAX_MTU);
}

/* ---- Modes ---- */
static enum tally_mode mode_for(enum tally_opcode opcode, uint32_t nodes, uint64_t bytes)
{
	struct plan_request req = { .num_nodes = nodes, .opcode = opcode, .bytes = bytes };
	enum tally_mode mode;
	struct plan plan;

	make_verified(&plan, &req);
	assert_memory_equal(plan.reason, "estimates: ", 11);
	mode = plan.mode;
	plan_free(&plan);
	return mode;
}

static void modes_of_operations(void **state)
{
	static const uint8_t exchanged[] = {
		TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BARRIER, TALLY_OPCODE_ALLGATHER,
		TALLY_OPCODE_REDUCE_SCATTER,
	};
	static const uint8_t treed[] = {
		TALLY_OPCODE_REDUCE, TALLY_OPCODE_GATHER, TALLY_OPCODE_SCATTER,
	};
	static const uint8_t ringed[] = {
		TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_ALLGATHER,
		TALLY_OPCODE_REDUCE_SCATTER,
	};

	(void)state;
	for (uint32_t n = 4; n <= 64; n *= 4) {
		for (uint32_t i = 0; i < 4; i++)
			assert_int_equal(mode_for(exchanged[i], n, 8), TALLY_MODE_EXCHANGE);
		for (uint32_t i = 0; i < 3; i++) {
			assert_int_equal(mode_for(treed[i], n, 8), TALLY_MODE_TREE);
			assert_int_equal(mode_for(treed[i], n, 64 * MIB), TALLY_MODE_TREE);
		}
		assert_int_equal(mode_for(TALLY_OPCODE_BCAST, n, 8), TALLY_MODE_TREE);
	}
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(mode_for(ringed[i], 16, 64 * MIB), TALLY_MODE_RING);
}

/* As messages grow, one mode after the other becomes the best one, and none returns. */
static void crossovers(void **state)
{
	enum tally_mode was = TALLY_MODE_EXCHANGE;

	(void)state;
	for (uint64_t bytes = 8; bytes <= 64 * MIB; bytes *= 2) {
		enum tally_mode mode = mode_for(TALLY_OPCODE_ALLREDUCE, 16, bytes);

		if (mode == was)
			continue;
		assert_true(was == TALLY_MODE_EXCHANGE || mode == TALLY_MODE_RING);
		assert_true(bytes > 4 * KIB);
		was = mode;
	}
	assert_int_equal(was, TALLY_MODE_RING);
}

/* The abilities of the devices and the caller's choice override the estimate. */
static void asked_for(void **state)
{
	struct plan_request req = { .num_nodes = 20, .opcode = TALLY_OPCODE_ALLREDUCE, .bytes = 8 };
	struct plan plan;

	(void)state;
	req.caps = TALLY_CAP_TREE | TALLY_CAP_RING;
	make_verified(&plan, &req);
	assert_int_equal(plan.mode, TALLY_MODE_TREE);
	plan_free(&plan);
	req.caps = 0;
	req.mode = TALLY_MODE_RING;
	make_verified(&plan, &req);
	assert_int_equal(plan.mode, TALLY_MODE_RING);
	assert_string_equal(plan.reason, "RING was asked for");
	plan_free(&plan);
	req.mode = 0;
	req.degree = 3;
	make_verified(&plan, &req);
	assert_int_equal(plan.mode, TALLY_MODE_TREE);
	assert_int_equal(plan.degree, 3);
	plan_free(&plan);
	req.degree = 0;
	req.num_rounds = 2;
	req.radix[0] = 4;
	req.radix[1] = 5;
	make_verified(&plan, &req);
	assert_int_equal(plan.mode, TALLY_MODE_EXCHANGE);
	assert_int_equal(plan.radix[0], 4);
	assert_int_equal(plan.radix[1], 5);
	plan_free(&plan);
}

static void multicast(void **state)
{
	struct plan_request req = { .num_nodes = 100, .opcode = TALLY_OPCODE_BCAST, .bytes = 8 };
	struct plan plan;

	(void)state;
	/* Multicast is chosen only by request, because it needs an address. */
	make_verified(&plan, &req);
	assert_false(plan.flags & TALLY_GROUP_F_MULTICAST);
	plan_free(&plan);
	req.caps = TALLY_CAP_TREE | TALLY_CAP_RING | TALLY_CAP_MULTICAST;
	make_verified(&plan, &req);
	assert_int_equal(plan.mode, TALLY_MODE_TREE);
	assert_true(plan.flags & TALLY_GROUP_F_MULTICAST);
	plan_free(&plan);
	/* A REDUCE has nothing that goes down. */
	req.opcode = TALLY_OPCODE_REDUCE;
	make_verified(&plan, &req);
	assert_false(plan.flags & TALLY_GROUP_F_MULTICAST);
	plan_free(&plan);
	req = (struct plan_request){ .num_nodes = 9, .flags = TALLY_GROUP_F_MULTICAST };
	make_verified(&plan, &req);
	assert_int_equal(plan.mode, TALLY_MODE_TREE);
	assert_true(plan.flags & TALLY_GROUP_F_MULTICAST);
	plan_free(&plan);
}

/* ---- Shapes ---- */
static void every_mode_of_few_nodes(void **state)
{
	static const uint8_t modes[] = { TALLY_MODE_TREE, TALLY_MODE_EXCHANGE, TALLY_MODE_RING };
	uint8_t ranks[70];
	uint32_t leaf[70];

	(void)state;
	for (uint32_t i = 0; i < 70; i++) {
		ranks[i] = 1 + i * 7 % 5;
		leaf[i] = i * 5 % 8;
	}
	for (uint32_t n = 1; n <= 70; n++)
		for (uint32_t i = 0; i < 12; i++) {
			struct plan_request req = {
				.num_nodes = n,
				.mode = modes[i % 3],
				.ranks = i % 2 ? ranks : NULL,
				.flags = i % 4 ? TALLY_GROUP_F_ORDERED : 0,
				.sw = { leaf },
				.num_levels = i / 6,
				.bytes = i % 5 * 3000,
			};
			struct plan plan;

			make_verified(&plan, &req);
			assert_int_equal(!(plan.flags & TALLY_GROUP_F_UNIFORM),
					 plan.mode != TALLY_MODE_RING || (i % 2 && n > 1));
			plan_free(&plan);
		}
}

/* Nodes that differ at all levels of the request share a switch above them. */
static void above_all_levels(void **state)
{
	static const uint32_t sw[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	static const uint8_t modes[] = { TALLY_MODE_TREE, TALLY_MODE_EXCHANGE, TALLY_MODE_RING };

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		struct plan_request req = {
			.num_nodes = 8,
			.mode = modes[i],
			.sw = { sw, sw, sw },
			.num_levels = PLAN_MAX_LEVELS,
		};
		struct plan far, near;

		make_verified(&far, &req);
		req.sw[PLAN_MAX_LEVELS - 1] = NULL;
		make_verified(&near, &req);
		assert_int_equal(far.estimate_ns, near.estimate_ns);
		plan_free(&far);
		plan_free(&near);
	}
}

/* A chain may have as many levels as a level number can express. */
static void the_deepest_tree(void **state)
{
	struct plan_request req = { .num_nodes = 256, .degree = 1 };
	struct plan_node node;
	struct plan plan;

	(void)state;
	make_verified(&plan, &req);
	plan_node(&plan, 255, &node);
	assert_int_equal(node.level, 255);
	plan_free(&plan);
	REFUSED("degree", .num_nodes = 257, .degree = 1);
}

/* Trees are depth first, and have the requested degree. */
static void trees_of_a_degree(void **state)
{
	uint32_t leaf[200];

	(void)state;
	for (uint32_t i = 0; i < 200; i++)
		leaf[i] = i / 12;
	for (uint32_t n = 1; n <= 200; n += 3)
		for (uint32_t degree = 1; degree <= 64; degree += degree < 8 ? 1 : 7)
			for (uint32_t levels = 0; levels < 2; levels++) {
				struct plan_request req = {
					.num_nodes = n,
					.mode = TALLY_MODE_TREE,
					.degree = degree,
					.sw = { leaf },
					.num_levels = levels,
				};
				struct plan plan;

				make_verified(&plan, &req);
				assert_true(plan.degree <= degree);
				plan_free(&plan);
			}
}

/* Cells for a fixed order. */
static void cells(void **state)
{
	struct plan_request req = { .num_nodes = 5, .flags = TALLY_GROUP_F_ORDERED, .degree = 4 };
	static const uint8_t ranks[] = { 3, 1, 1, 1, 2 };
	struct plan_node node;
	struct plan plan;

	(void)state;
	req.ranks = ranks;
	make_verified(&plan, &req);
	plan_node(&plan, 0, &node);
	assert_int_equal(node.msg_cells, 7);
	plan_node(&plan, 4, &node);
	assert_int_equal(node.msg_cells, 2);
	plan_free(&plan);
	req.degree = 0;
	req.mode = TALLY_MODE_RING;
	make_verified(&plan, &req);
	plan_node(&plan, 4, &node);
	assert_int_equal(node.msg_cells, 3);
	plan_free(&plan);
	/* The only neighbour in a ring of two nodes needs a cell too. */
	req.num_nodes = 2;
	make_verified(&plan, &req);
	plan_node(&plan, 0, &node);
	assert_int_equal(node.msg_cells, 4);
	plan_node(&plan, 1, &node);
	assert_int_equal(node.msg_cells, 2);
	plan_free(&plan);
	req.num_nodes = 5;
	req.flags = 0;
	make_verified(&plan, &req);
	plan_node(&plan, 4, &node);
	assert_int_equal(node.msg_cells, 0);
	plan_free(&plan);
}

/* Nodes without ranks are inside of the tree, or the plan is refused because they cannot be. */
static void nodes_without_ranks(void **state)
{
	uint8_t ranks[12] = { 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1 };
	struct plan_request req = { .num_nodes = 12, .ranks = ranks };
	struct plan plan;

	(void)state;
	make_verified(&plan, &req);
	assert_int_equal(plan.mode, TALLY_MODE_TREE);
	assert_true(plan.flags & TALLY_GROUP_F_SPARSE);
	assert_int_equal(plan.total_ranks, 10);
	plan_free(&plan);
	REFUSED("ranks", .num_nodes = 12, .ranks = ranks, .mode = TALLY_MODE_EXCHANGE);
	REFUSED("ranks", .num_nodes = 12, .ranks = ranks, .mode = TALLY_MODE_RING);
	/* One node with ranks is sufficient, at the end of a chain. */
	memset(ranks, 0, sizeof(ranks));
	ranks[5] = 1;
	make_verified(&plan, &req);
	assert_int_equal(plan.place[5], 11);
	plan_free(&plan);
	REFUSED("ranks", .num_nodes = 12, .ranks = ranks, .keep_order = true);
}

/* ---- Places ---- */
/* Nodes of a leaf, and leaves of a pod, are together, regardless of the caller's order. */
static void places(void **state)
{
	enum { N = 60 };
	uint32_t leaf[N], pod[N], seen = 0;
	struct plan_request req = {
		.num_nodes = N, .sw = { leaf, pod }, .num_levels = 2,
	};
	struct plan plan;

	(void)state;
	for (uint32_t i = 0; i < N; i++) {
		/* Each pod may use the same number for a leaf. */
		pod[i] = 1000 - i % 3;
		leaf[i] = 7 * (i / 3 % 4);
	}
	make_verified(&plan, &req);
	for (uint32_t i = 1; i < N; i++)
		seen += leaf[plan.node[i]] != leaf[plan.node[i - 1]] ||
			pod[plan.node[i]] != pod[plan.node[i - 1]];
	assert_int_equal(seen, 3 * 4 - 1);
	plan_free(&plan);
	req.keep_order = true;
	make_verified(&plan, &req);
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(plan.place[i], i);
	plan_free(&plan);
}

/* Every node computes the same plan. */
static void the_same_everywhere(void **state)
{
	uint32_t leaf[150];
	struct plan_request req = { .num_nodes = 150, .sw = { leaf }, .num_levels = 1 };
	struct plan_node a, b;
	struct plan one, two;

	(void)state;
	for (uint32_t i = 0; i < 150; i++)
		leaf[i] = i * i % 11;
	make_verified(&one, &req);
	make_verified(&two, &req);
	for (uint32_t i = 0; i < 150; i++) {
		plan_node(&one, i, &a);
		plan_node(&two, i, &b);
		assert_memory_equal(&a, &b, sizeof(a));
		assert_int_equal(one.node[i], two.node[i]);
	}
	plan_free(&one);
	plan_free(&two);
}

/* ---- Segments ---- */
static void segments(void **state)
{
	struct plan_request req = {
		.num_nodes = 16, .bytes = 64 * MIB, .opcode = TALLY_OPCODE_ALLREDUCE,
	};
	uint64_t rate;
	struct plan plan;

	(void)state;
	/* A ring that is never short of segments reaches 95% of the link rate. */
	make_verified(&plan, &req);
	assert_int_equal(plan.mode, TALLY_MODE_RING);
	rate = 64 * MIB * 2 * 15 / 16 * 8 * 1000 / plan.estimate_ns;
	assert_true(rate >= 95 * 1000);
	plan_free(&plan);
	req.max_segs = 16;
	make_verified(&plan, &req);
	assert_true(plan.num_segs <= 16);
	plan_free(&plan);
	req.num_segs = 4;
	make_verified(&plan, &req);
	assert_int_equal(plan.num_segs, 4);
	plan_free(&plan);
	/* A short message takes few segments and leaves the others free. */
	req = (struct plan_request){ .num_nodes = 512, .bytes = 8 };
	make_verified(&plan, &req);
	assert_true(plan.rounds > 1);
	assert_true(plan.num_segs <= TALLY_MAX_GROUP_SEGS / 4);
	plan_free(&plan);
}

/* A chunk of EXCHANGE has one segment for all rounds, so their number does not count. */
static void segments_of_rounds(void **state)
{
	struct plan_request req = {
		.num_nodes = 8, .bytes = 64 * MIB, .num_rounds = 3, .radix = { 2, 2, 2 },
	};
	struct plan plan;

	(void)state;
	for (uint32_t max = 1; max <= TALLY_MAX_GROUP_SEGS; max++) {
		req.max_segs = max;
		make_verified(&plan, &req);
		assert_int_equal(plan.rounds, 3);
		assert_true(plan.num_segs <= max);
		if (max < 32) /* the message takes all that it may have */
			assert_true(plan.num_segs * 2 > max);
		plan_free(&plan);
	}
	req.num_segs = req.max_segs = TALLY_MAX_GROUP_SEGS;
	make_verified(&plan, &req);
	assert_int_equal(plan.num_segs, TALLY_MAX_GROUP_SEGS);
	plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_nodes),
		cmocka_unit_test(bad_operations),
		cmocka_unit_test(bad_choices),
		cmocka_unit_test(bad_segments),
		cmocka_unit_test(modes_of_operations),
		cmocka_unit_test(crossovers),
		cmocka_unit_test(asked_for),
		cmocka_unit_test(multicast),
		cmocka_unit_test(every_mode_of_few_nodes),
		cmocka_unit_test(above_all_levels),
		cmocka_unit_test(the_deepest_tree),
		cmocka_unit_test(trees_of_a_degree),
		cmocka_unit_test(cells),
		cmocka_unit_test(nodes_without_ranks),
		cmocka_unit_test(places),
		cmocka_unit_test(the_same_everywhere),
		cmocka_unit_test(segments),
		cmocka_unit_test(segments_of_rounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
