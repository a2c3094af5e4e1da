// SPDX-License-Identifier: BSD-2-Clause
/*
 * Algorithms that the author of a library can build from triggered descriptors alone, between
 * freely chosen peers: a binomial reduction (fan-in), a dissemination barrier (chains) and a
 * pipelined ring. Each runs many times, with and without losses.
 */
#include "engine/test/testbed.h"

#define PORT 3
#define ROUNDS 24
#define MAX_NODES 16

static uint64_t seed;

struct net {
	struct testbed *tb;
	struct tb_group g;
	unsigned int nodes;
	struct tb_qp *qp[MAX_NODES];
	uint64_t out[MAX_NODES][ROUNDS]; /* where the last descriptor of a round writes */
	uint32_t last[MAX_NODES][ROUNDS]; /* index of that descriptor */
	vtime_t posted[MAX_NODES][ROUNDS];
};

/* Create a group of one rank per node, with the peers that `join` adds. */
static struct net *net_new(unsigned int nodes, bool lossy,
			   void (*join)(struct tb_group *g, unsigned int nodes))
{
	const struct tb_group_cfg cfg = { .nodes = nodes, .degree = 3, .timeout_ms = 500 };
	struct net *n = calloc(1, sizeof(*n));
	unsigned int i;

	assert_non_null(n);
	n->nodes = nodes;
	n->tb = tb_new(nodes, seed + nodes);
	if (lossy)
		tb_lossy(n->tb, 0.05, 0.05, 0.1);
	tb_group_plan(n->tb, &n->g, &cfg);
	join(&n->g, nodes);
	tb_group_create_all(&n->g);
	for (i = 0; i < nodes; i++)
		n->qp[i] = tb_qp_create(&n->g, i, 1, 512, PORT);
	return n;
}

static void net_end(struct net *n)
{
	tb_run_for(n->tb, 200 * VT_MS);
	tb_assert_all_empty(n->tb);
	tb_free(n->tb);
	free(n);
}

static int64_t value(unsigned int node, unsigned int round)
{
	return (int64_t)(node + 1) * 1000003 + (int64_t)round * (node + 7) * 10007;
}

static int64_t sum(const struct net *n, unsigned int round)
{
	int64_t total = 0;
	unsigned int i;

	for (i = 0; i < n->nodes; i++)
		total += value(i, round);
	return total;
}

/* ---- Descriptors ---- */

/* Return a descriptor with one int64 of this node, fired by `cpcnt` messages at `counter`. */
static struct tb_post descriptor(struct net *n, uint8_t opcode, unsigned int node,
				 unsigned int round, uint8_t counter, uint32_t cpcnt)
{
	struct tb_post p = tb_request(&n->g, opcode, round, 1);
	uint64_t own = tb_alloc(tb_group_node(&n->g, node), 8);
	int64_t v = htole64(value(node, round));

	memcpy(tb_at(tb_group_node(&n->g, node), own), &v, sizeof(v));
	tb_gather(&p, own, 8);
	p.w.dtype = TALLY_TYPE_INT64;
	p.w.count = htole64(1);
	p.w.counter = counter;
	p.w.cpcnt = htole32(cpcnt);
	p.w.dest_port = htole16(PORT);
	return p;
}

/* Let a descriptor reduce the messages that fired it with its own value, if it has one. */
static void reduces(struct tb_post *p, uint32_t cpcnt)
{
	p->w.op = TALLY_OP_SUM;
	if (cpcnt)
		p->w.flags |= htole32(TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_RFLAG);
}

/* Let a descriptor forward the messages that fired it instead of a value of its own. */
static void passes_on(struct tb_post *p)
{
	p->w.num_gather = 0;
	p->w.flags |= htole32(TALLY_WQE_F_SWP_FLAG);
}

static void to_peer(struct net *n, struct tb_post *p, unsigned int from, unsigned int to,
		    uint8_t counter, uint8_t branch)
{
	p->w.node_mask |= htole64(1ULL << tb_group_peer_index(&n->g, from, to));
	p->w.dest_counter = counter;
	p->w.branch = branch;
	p->w.flags |= htole32(TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP);
}

/* Let a descriptor send a message that only counts, without data. */
static void notifies_peer(struct net *n, struct tb_post *p, unsigned int from, unsigned int to,
			  uint8_t counter)
{
	p->w.node_mask |= htole64(1ULL << tb_group_peer_index(&n->g, from, to));
	p->w.dest_counter = counter;
	p->w.flags |= htole32(TALLY_WQE_F_CP);
	p->w.num_gather = 0;
	p->w.count = 0;
}

static void to_memory(struct net *n, struct tb_post *p, unsigned int node, unsigned int round)
{
	n->out[node][round] = tb_alloc(tb_group_node(&n->g, node), 8);
	tb_result(p, n->out[node][round], 8);
}

static void post(struct net *n, unsigned int node, unsigned int round, const struct tb_post *p)
{
	n->posted[node][round] = sim_now(n->tb->sim);
	n->last[node][round] = tb_post_ring(tb_group_node(&n->g, node), n->qp[node], p);
}

static void expect(const struct net *n, unsigned int node, unsigned int round, int64_t want)
{
	int64_t got;

	memcpy(&got, tb_at(tb_group_node(&n->g, node), n->out[node][round]), sizeof(got));
	tb_assert_cqe(&n->qp[node]->wrs[n->last[node][round]], TALLY_COLL_OK);
	if ((int64_t)le64toh(got) != want)
		fail_msg("%u nodes, node %u, round %u: %lld, not %lld", n->nodes, node, round,
			 (long long)le64toh(got), (long long)want);
}

/* Let every node post its rounds at its own pace. */
static void run(struct net *n, void (*post_round)(struct net *n, unsigned int i, unsigned int r))
{
	unsigned int next[MAX_NODES] = { 0 }, left = n->nodes * ROUNDS;

	while (left) {
		unsigned int i = tb_rand(n->tb, n->nodes);

		if (next[i] == ROUNDS)
			continue;
		post_round(n, i, next[i]++);
		left--;
		tb_run_for(n->tb, tb_rand(n->tb, 2 * VT_US));
	}
	tb_finish(n->tb, 500 * VT_MS);
}

static void for_all_sizes(bool lossy, void (*join)(struct tb_group *g, unsigned int nodes),
			  void (*post_round)(struct net *n, unsigned int i, unsigned int r),
			  void (*check)(const struct net *n, unsigned int r))
{
	unsigned int nodes, r;

	for (nodes = 2; nodes <= MAX_NODES; nodes++) {
		struct net *n = net_new(nodes, lossy, join);

		run(n, post_round);
		for (r = 0; r < ROUNDS; r++)
			check(n, r);
		net_end(n);
	}
}

/* ---- Binomial reduction to node 0 ---- */

static unsigned int binomial_parent(unsigned int i)
{
	return i & (i - 1);
}

static unsigned int binomial_children(unsigned int i, unsigned int nodes)
{
	unsigned int bit, children = 0;

	for (bit = 1; !(i & bit) && (i | bit) < nodes; bit <<= 1)
		children++;
	return children;
}

static void binomial_join(struct tb_group *g, unsigned int nodes)
{
	unsigned int i;

	for (i = 1; i < nodes; i++)
		tb_group_peer(g, i, binomial_parent(i));
}

static void binomial_post(struct net *n, unsigned int i, unsigned int r)
{
	unsigned int fan_in = binomial_children(i, n->nodes), parent = binomial_parent(i);
	struct tb_post p = descriptor(n, TALLY_OPCODE_REDUCE_MP, i, r, 0, fan_in);

	reduces(&p, fan_in);
	if (i)
		to_peer(n, &p, i, parent, 0, binomial_children(parent, n->nodes));
	else
		to_memory(n, &p, i, r);
	post(n, i, r, &p);
}

static void binomial_check(const struct net *n, unsigned int r)
{
	expect(n, 0, r, sum(n, r));
}

static void binomial_reduce(void **state)
{
	(void)state;
	for_all_sizes(false, binomial_join, binomial_post, binomial_check);
}

static void binomial_reduce_under_loss(void **state)
{
	(void)state;
	for_all_sizes(true, binomial_join, binomial_post, binomial_check);
}

/* ---- Dissemination barrier: in step k, a message to the node 2^k further on ---- */

static void dissemination_join(struct tb_group *g, unsigned int nodes)
{
	unsigned int i, step;

	for (i = 0; i < nodes; i++)
		for (step = 1; step < nodes; step <<= 1)
			tb_group_peer(g, i, (i + step) % nodes);
}

static void dissemination_post(struct net *n, unsigned int i, unsigned int r)
{
	unsigned int k, step;
	struct tb_post p;

	for (k = 0, step = 1; step < n->nodes; k++, step <<= 1) {
		/* fired by the message of the step before; the first fires at once */
		p = descriptor(n, TALLY_OPCODE_PUT_MP, i, r, k ? k - 1 : 0, k ? 1 : 0);
		notifies_peer(n, &p, i, (i + step) % n->nodes, k);
		tb_post(tb_group_node(&n->g, i), n->qp[i], &p);
	}
	p = descriptor(n, TALLY_OPCODE_BCAST_MP, i, r, k - 1, 1);
	to_memory(n, &p, i, r);
	post(n, i, r, &p);
}

/* Check that no node has left the barrier before the last one has entered it. */
static void dissemination_check(const struct net *n, unsigned int r)
{
	vtime_t entered = 0;
	unsigned int i;

	for (i = 0; i < n->nodes; i++)
		entered = n->posted[i][r] > entered ? n->posted[i][r] : entered;
	for (i = 0; i < n->nodes; i++) {
		expect(n, i, r, value(i, r));
		assert_true(n->qp[i]->wrs[n->last[i][r]].completed > entered);
	}
}

static void dissemination_barrier(void **state)
{
	(void)state;
	for_all_sizes(false, dissemination_join, dissemination_post, dissemination_check);
}

static void dissemination_barrier_under_loss(void **state)
{
	(void)state;
	for_all_sizes(true, dissemination_join, dissemination_post, dissemination_check);
}

/* ---- Pipelined ring: sums go once around, and the results follow ---- */

#define SUMS 0
#define RESULTS 1

static void ring_join(struct tb_group *g, unsigned int nodes)
{
	unsigned int i;

	for (i = 0; i < nodes; i++)
		tb_group_peer(g, i, (i + 1) % nodes);
}

static void ring_post(struct net *n, unsigned int i, unsigned int r)
{
	unsigned int next = (i + 1) % n->nodes, last = n->nodes - 1;
	struct tb_post p = descriptor(n, TALLY_OPCODE_REDUCE_MP, i, r, SUMS, i ? 1 : 0);

	/* the last node's sum is complete, so it is the first result */
	reduces(&p, i ? 1 : 0);
	to_peer(n, &p, i, next, i == last ? RESULTS : SUMS, 1);
	if (i == last)
		to_memory(n, &p, i, r);
	if (i == last) {
		post(n, i, r, &p);
		return;
	}
	tb_post(tb_group_node(&n->g, i), n->qp[i], &p);
	p = descriptor(n, TALLY_OPCODE_BCAST_MP, i, r, RESULTS, 1);
	passes_on(&p);
	to_memory(n, &p, i, r);
	if (next != last)
		to_peer(n, &p, i, next, RESULTS, 1);
	post(n, i, r, &p);
}

static void ring_check(const struct net *n, unsigned int r)
{
	unsigned int i;

	for (i = 0; i < n->nodes; i++)
		expect(n, i, r, sum(n, r));
}

static void pipelined_ring(void **state)
{
	(void)state;
	for_all_sizes(false, ring_join, ring_post, ring_check);
}

static void pipelined_ring_under_loss(void **state)
{
	(void)state;
	for_all_sizes(true, ring_join, ring_post, ring_check);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binomial_reduce),
		cmocka_unit_test(binomial_reduce_under_loss),
		cmocka_unit_test(dissemination_barrier),
		cmocka_unit_test(dissemination_barrier_under_loss),
		cmocka_unit_test(pipelined_ring),
		cmocka_unit_test(pipelined_ring_under_loss),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
