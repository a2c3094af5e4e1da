// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Steps of the planner, whose results are computed by hand: estimates, guests, edges. */
#include "verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan_int.h"

/* ---- Estimates ---- */
/* Costs that are easy to tell apart in a sum. */
#define REQUEST 100000
#define NIC 2000
#define PACKET 1
static const struct plan_costs costs = {
	.request_ns = REQUEST, .nic_ns = NIC, .packet_ns = PACKET, .alu_ns = 1,
	.hop_ns = { 5, 10, 20, 40 },
};

static uint64_t estimate(struct plan_request req)
{
	struct plan plan;
	uint64_t ns;

	if (!req.opcode)
		req.opcode = TALLY_OPCODE_BARRIER;
	req.costs = costs;
	make_verified(&plan, &req);
	ns = plan.estimate_ns;
	plan_free(&plan);
	return ns;
}

/* A step of a ring crosses the lowest common switch, and a barrier goes around twice. */
static void rings(void **state)
{
	static const uint32_t one[] = { 0, 0, 0, 0 }, two[] = { 0, 0, 1, 1 };
	struct plan_request req = { .num_nodes = 2, .mode = TALLY_MODE_RING };
	const uint64_t step = PACKET + NIC;
	uint64_t once;

	(void)state;
	req.num_levels = 1;
	req.sw[0] = one;
	assert_int_equal(estimate(req), REQUEST + 2 * (10 + step));
	req.sw[0] = two + 1;
	assert_int_equal(estimate(req), REQUEST + 2 * (20 + step));
	req.num_levels = 2;
	req.sw[1] = one;
	assert_int_equal(estimate(req), REQUEST + 2 * (20 + step));
	req.sw[1] = two + 1;
	assert_int_equal(estimate(req), REQUEST + 2 * (40 + step));
	/* A lap of four nodes in two leaves has three steps, of the four whose mean is 15. */
	req.num_nodes = 4;
	req.num_levels = 1;
	req.sw[0] = two;
	assert_int_equal(estimate(req), REQUEST + 2 * 3 * (15 + step));
	/* The sum of a reduction goes around once, to the root, as the data of a broadcast from it. */
	req.opcode = TALLY_OPCODE_BCAST;
	once = estimate(req);
	req.opcode = TALLY_OPCODE_REDUCE;
	assert_int_equal(estimate(req), once);
}

static void trees(void **state)
{
	static const uint32_t one[] = { 0, 0 }, two[] = { 0, 1 };
	struct plan_request req = { .num_nodes = 2, .mode = TALLY_MODE_TREE, .num_levels = 1 };
	uint64_t near, far;

	(void)state;
	req.sw[0] = one;
	near = estimate(req);
	req.sw[0] = two;
	far = estimate(req);
	assert_int_equal(far - near, 2 * (20 - 10));
}

/*
 * A segment is free again when the last round of its chunk is acknowledged. Chunks of three rounds
 * begin as often as the segments permit, each of which serves all rounds.
 */
static void short_of_segments(void **state)
{
	enum { CHUNKS = 9, SEGS = 8, ACK_DELAY = 2600 };
	struct plan_request req = {
		.num_nodes = 8, .opcode = TALLY_OPCODE_ALLREDUCE, .bytes = TALLY_MAX_MTU,
		.num_rounds = 3, .radix = { 2, 2, 2 }, .max_segs = SEGS,
	};
	uint64_t first = estimate(req);

	(void)state;
	req.bytes *= CHUNKS;
	assert_int_equal(estimate(req), first + (CHUNKS - 1) * ((first + ACK_DELAY) / SEGS));
}

/*
 * Estimates three rounds of ten nodes: the pairs 1 and 2 to 7 and 8, then node 0 and the pairs,
 * then these and node 9. Packets take 100 ns of a port, and 50 ns instead of 1 to another leaf.
 * Nodes begin at 1000 ns.
 *
 * Node 0 sends eight packets in round 2, the last one to node 6 at 1800 ns, and node 9 as many in
 * round 3, the one to node 6 at 1700 ns.
 */
static uint64_t ten_nodes(uint16_t *leaf)
{
	enum { N = 10 };
	uint16_t singles[N + 1], pairs[] = { 0, 1, 3, 5, 7, 9, 10 }, most[] = { 0, 9, 10 };
	uint16_t all[] = { 0, N };
	const struct parts parts = { .rounds = 3, .level = {
		{ N, singles }, { 6, pairs }, { 2, most }, { 1, all } } };
	const struct plan_topo topo = { .levels = 1, .sw = { leaf } };
	const struct plan_costs slow = {
		.request_ns = 1000, .nic_ns = 1, .packet_ns = 100, .hop_ns = { 1, 1, 50, 50 },
	};
	struct exchange_node nodes[N];
	struct plan_time time;

	for (uint32_t i = 0; i <= N; i++)
		singles[i] = i;
	assert_int_equal(plan_exchange_edges(&parts, TALLY_MAX_CONTRIBUTORS, nodes), 0);
	assert_int_equal(plan_exchange_estimate(&topo, &slow, &parts, nodes, &time), 0);
	return time.first_ns;
}

/*
 * Node 0 has its result of round 2 early, but its packet of round 3 leaves after those of round 2,
 * at 1900 ns. It is the last one, because only nodes 0 and 6 are in their leaf.
 */
static void busy_sender(void **state)
{
	uint16_t leaf[] = { 0, 1, 1, 1, 1, 1, 0, 1, 1, 1 };

	(void)state;
	assert_int_equal(ten_nodes(leaf), 1900 + 50 + 1);
}

/* Node 6, in a leaf of its own, receives from node 9 only after it has received from node 0. */
static void busy_receiver(void **state)
{
	uint16_t leaf[] = { 0, 0, 0, 0, 0, 0, 1, 0, 0, 0 };

	(void)state;
	assert_int_equal(ten_nodes(leaf), 1800 + 50 + 100 + 1);
}

/* ---- Guests ---- */
/* Returns the order of the nodes of these leaves with guests, or NULL if there are none. */
static const uint16_t *order(const uint8_t *sizes, uint32_t num)
{
	static uint16_t nodes[64];
	uint32_t leaf[64], n = 0;
	struct placement placement = { 0 };
	struct plan_request req = { .sw = { leaf }, .num_levels = 1, .mode = TALLY_MODE_TREE };
	struct plan plan;
	bool any;

	for (uint32_t k = 0; k < num; k++)
		for (uint32_t i = 0; i < sizes[k]; i++)
			leaf[n++] = k;
	req.num_nodes = n;
	make_verified(&plan, &req);
	assert_int_equal(plan_rebalance(&plan, &placement, &any), 0);
	if (any)
		memcpy(nodes, placement.node, n * sizeof(nodes[0]));
	plan_placement_free(&placement);
	plan_free(&plan);
	return any ? nodes : NULL;
}

/* The nodes of a leaf with at most two thirds of the largest one are guests. */
static void small_leaves(void **state)
{
	(void)state;
	assert_non_null(order((const uint8_t[]){ 6, 4 }, 2));
	assert_null(order((const uint8_t[]){ 6, 5 }, 2));
	assert_null(order((const uint8_t[]){ 5, 5 }, 2));
}

/* Guests go to the large leaf before their own, then to the one before that, and so on around. */
static void guests(void **state)
{
	static const uint16_t first[] = { 1, 2, 3, 4, 5, 6, 0 };
	static const uint16_t second[] = { 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 4 };

	(void)state;
	assert_memory_equal(order((const uint8_t[]){ 1, 3, 3 }, 3), first, sizeof(first));
	assert_memory_equal(order((const uint8_t[]){ 3, 2, 3, 3 }, 4), second, sizeof(second));
}

/* ---- Edges ---- */
static uint32_t most_edges(const struct plan_request *req)
{
	uint32_t most = 0;
	struct plan_node node;
	struct plan plan;

	make_verified(&plan, req);
	for (uint32_t i = 0; i < req->num_nodes; i++) {
		plan_node(&plan, i, &node);
		most = node.num_edges > most ? node.num_edges : most;
	}
	plan_free(&plan);
	return most;
}

/* The members of a small part share the load of two larger ones: one more edge each. */
static void shared_load(void **state)
{
	static const uint32_t leaf[] = { 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2 };
	const struct plan_request req = {
		.num_nodes = 11, .sw = { leaf }, .num_levels = 1, .num_rounds = 2,
		.radix = { 4, 3 }, .keep_order = true,
	};

	(void)state;
	assert_int_equal(most_edges(&req), 3 + 2);
}

/* A node may have as many neighbours as there are contributors. */
static void most_neighbours(void **state)
{
	const struct plan_request req = {
		.num_nodes = 128, .num_rounds = 2, .radix = { 64, 2 },
	};

	(void)state;
	assert_int_equal(most_edges(&req), TALLY_MAX_CONTRIBUTORS);
}

/* EXCHANGE needs a cell for each rank, each neighbour and each round. */
static void exchange_cells(void **state)
{
	struct plan_request req = {
		.num_nodes = 9, .num_rounds = 2, .radix = { 3, 3 },
	};
	struct plan_node node;
	struct plan plan;

	(void)state;
	make_verified(&plan, &req);
	plan_node(&plan, 4, &node);
	assert_int_equal(node.msg_cells, 1 + 4 + 2);
	plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings),
		cmocka_unit_test(trees),
		cmocka_unit_test(short_of_segments),
		cmocka_unit_test(busy_sender),
		cmocka_unit_test(busy_receiver),
		cmocka_unit_test(small_leaves),
		cmocka_unit_test(guests),
		cmocka_unit_test(shared_load),
		cmocka_unit_test(most_neighbours),
		cmocka_unit_test(exchange_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
