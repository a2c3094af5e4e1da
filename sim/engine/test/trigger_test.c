// SPDX-License-Identifier: BSD-2-Clause
/*
 * Triggered descriptors: an allreduce built from REDUCE_MP and BCAST_MP over trees, firings of fast
 * and slow children, full queues, late ports, and descriptors that disagree.
 */
#include "engine/test/testbed.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ROUNDS 150
#define UP 0   /* CP counter of messages to the root */
#define DOWN 1 /* CP counter of results */
#define PORT 5

static uint64_t seed;

struct tree {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[TB_MAX_NODES];
	uint32_t count; /* number of int64 elements */
	uint64_t result[TB_MAX_NODES][ROUNDS];
	uint32_t up[TB_MAX_NODES][ROUNDS], down[TB_MAX_NODES][ROUNDS]; /* indices of requests */
};

static struct tree *tree_new(const struct tb_group_cfg *cfg, uint32_t count)
{
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->count = count;
	t->tb = tb_new(cfg->nodes, seed + cfg->nodes * 100 + cfg->degree * 10 + count);
	tb_group_plan(t->tb, &t->g, cfg);
	tb_group_create_all(&t->g);
	return t;
}

static void tree_ports(struct tree *t)
{
	unsigned int i;

	for (i = 0; i < t->g.cfg.nodes; i++)
		t->qp[i] = tb_qp_create(&t->g, i, 1, 512, PORT);
}

static void tree_free(struct tree *t)
{
	tb_free(t->tb);
	free(t);
}

static void tree_end(struct tree *t)
{
	tb_run_for(t->tb, 200 * VT_MS);
	tb_assert_all_empty(t->tb);
	tree_free(t);
}

static int64_t value(unsigned int node, unsigned int round, uint32_t i)
{
	return (int64_t)(node + 1) * 1000003 + (int64_t)round * (node + 7) * 10007 + i;
}

static uint64_t contributors(const struct tree *t, unsigned int i)
{
	return t->g.children[i] < 64 ? (1ULL << t->g.children[i]) - 1 : ~0ULL;
}

/* ---- Posting ---- */

/*
 * Return the descriptor that adds the messages from below to the node's own data and sends the sum
 * up.
 */
static struct tb_post reduce_mp(struct tree *t, unsigned int i, unsigned int round)
{
	struct tb_post p = tb_request(&t->g, TALLY_OPCODE_REDUCE_MP, round, 1);
	struct tb_node *n = tb_group_node(&t->g, i);
	uint64_t own = tb_alloc(n, t->count * 8);
	int64_t *data = tb_at(n, own);
	uint32_t flags = TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP, k;

	for (k = 0; k < t->count; k++)
		data[k] = htole64(value(i, round, k));
	tb_gather(&p, own, t->count * 8);
	p.w.op = TALLY_OP_SUM;
	p.w.dtype = TALLY_TYPE_INT64;
	p.w.count = htole64(t->count);
	p.w.counter = UP;
	p.w.cpcnt = htole32(t->g.children[i]);
	p.w.dest_port = htole16(PORT);
	if (t->g.children[i])
		flags |= TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_RFLAG;
	if (i) {
		flags |= TALLY_WQE_F_TO_PARENT;
		p.w.dest_counter = UP;
		p.w.branch = t->g.children[t->g.parent[i]];
	} else {
		flags |= TALLY_WQE_F_TO_SELF;
		p.w.dest_counter = DOWN;
		p.w.branch = 1;
	}
	p.w.flags |= htole32(flags);
	return p;
}

/* Return the descriptor that waits for the result, writes it and sends it down. */
static struct tb_post bcast_mp(struct tree *t, unsigned int i, unsigned int round)
{
	struct tb_post p = tb_request(&t->g, TALLY_OPCODE_BCAST_MP, round, 1);
	struct tb_node *n = tb_group_node(&t->g, i);
	uint32_t flags = TALLY_WQE_F_SWP_FLAG;

	t->result[i][round] = tb_alloc(n, t->count * 8);
	tb_result(&p, t->result[i][round], t->count * 8);
	p.w.dtype = TALLY_TYPE_INT64;
	p.w.count = htole64(t->count);
	p.w.counter = DOWN;
	p.w.cpcnt = htole32(1);
	if (t->g.children[i]) {
		flags |= TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP;
		p.w.node_mask = htole64(contributors(t, i));
		p.w.dest_port = htole16(PORT);
		p.w.dest_counter = DOWN;
		p.w.branch = 1;
	}
	p.w.flags |= htole32(flags);
	return p;
}

static void post_up(struct tree *t, unsigned int i, unsigned int round)
{
	struct tb_post p = reduce_mp(t, i, round);

	t->up[i][round] = tb_post_ring(tb_group_node(&t->g, i), t->qp[i], &p);
}

static void post_down(struct tree *t, unsigned int i, unsigned int round)
{
	struct tb_post p = bcast_mp(t, i, round);

	t->down[i][round] = tb_post_ring(tb_group_node(&t->g, i), t->qp[i], &p);
}

static void post_round(struct tree *t, unsigned int i, unsigned int round)
{
	post_up(t, i, round);
	post_down(t, i, round);
}

static void check_round(const struct tree *t, unsigned int round)
{
	unsigned int i, k;
	uint32_t el;

	for (i = 0; i < t->g.cfg.nodes; i++) {
		const int64_t *got = tb_at(tb_group_node(&t->g, i), t->result[i][round]);

		tb_assert_cqe(&t->qp[i]->wrs[t->up[i][round]], TALLY_COLL_OK);
		tb_assert_cqe(&t->qp[i]->wrs[t->down[i][round]], TALLY_COLL_OK);
		for (el = 0; el < t->count; el++) {
			int64_t want = 0;

			for (k = 0; k < t->g.cfg.nodes; k++)
				want += value(k, round, el);
			if ((int64_t)le64toh(got[el]) != want)
				fail_msg("node %u, round %u, element %u: %lld, not %lld", i, round,
					 el, (long long)le64toh(got[el]), (long long)want);
		}
	}
}

static void post_barrier(struct tree *t, unsigned int i, unsigned int mid)
{
	struct tb_post p = tb_request(&t->g, TALLY_OPCODE_BARRIER, mid, 1);

	tb_post_ring(tb_group_node(&t->g, i), t->qp[i], &p);
}

/* Let every node post its rounds at random times. */
static void run_rounds(struct tree *t, unsigned int rounds, bool barriers, vtime_t spread)
{
	unsigned int next[TB_MAX_NODES] = { 0 }, left = rounds * t->g.cfg.nodes, i, r;

	while (left) {
		i = tb_rand(t->tb, t->g.cfg.nodes);
		if (next[i] == rounds)
			continue;
		if (barriers)
			post_barrier(t, i, next[i]);
		post_round(t, i, next[i]++);
		left--;
		tb_run_for(t->tb, tb_rand(t->tb, spread + 1));
	}
	tb_finish(t->tb, VT_S);
	for (r = 0; r < rounds; r++)
		check_round(t, r);
}

/* ---- Trees ---- */

static void trees(bool lossy)
{
	static const uint32_t counts[] = { 1, 5, 32, 512 };
	unsigned int n, degree;

	for (n = 2; n <= 9; n++)
		for (degree = 1; degree < n; degree += 1 + degree / 2) {
			struct tb_group_cfg cfg = { .nodes = n, .degree = degree };
			struct tree *t = tree_new(&cfg, counts[(n + degree) % 4]);

			if (lossy)
				tb_lossy(t->tb, 0.1, 0.1, 0.1);
			tree_ports(t);
			run_rounds(t, 8, n % 2, 2 * VT_US); /* odd n: with collectives */
			assert_int_equal(tb_counter(t->tb, TALLY_CTR_fired), 8 * 2 * n);
			tree_end(t);
		}
}

static void trees_of_every_shape(void **state)
{
	(void)state;
	trees(false);
}

static void trees_under_loss(void **state)
{
	(void)state;
	trees(true);
}

/*
 * A firing takes a message of the maximum number of contributors, in a queue that hardly holds
 * more.
 */
static void widest_tree(void **state)
{
	struct tb_group_cfg cfg = { .nodes = TALLY_MAX_CONTRIBUTORS + 1,
				    .degree = TALLY_MAX_CONTRIBUTORS };
	struct tree *t = tree_new(&cfg, 1);

	(void)state;
	tb_lossy(t->tb, 0.02, 0.02, 0.02);
	tree_ports(t);
	run_rounds(t, 4, false, 10 * VT_NS);
	tree_end(t);
}

/* ---- Fast and slow children ---- */

/* All children but one are rounds ahead. A firing takes one message of each child, the oldest. */
static void fast_children(bool lossy)
{
	struct tb_group_cfg cfg = { .nodes = 4, .degree = 3 };
	struct tree *t = tree_new(&cfg, 3);
	unsigned int i, r;

	if (lossy)
		tb_lossy(t->tb, 0.15, 0.1, 0.2);
	tree_ports(t);
	for (r = 0; r < 6; r++)
		for (i = 0; i < 3; i++)
			post_up(t, i, r);
	tb_run_for(t->tb, 100 * VT_US);
	for (r = 0; r < 6; r++) {
		assert_false(t->qp[0]->wrs[t->up[0][r]].retired);
		post_up(t, 3, r);
		tb_run_for(t->tb, tb_rand(t->tb, 5 * VT_US));
	}
	for (r = 0; r < 6; r++)
		for (i = 0; i < 4; i++)
			post_down(t, i, r);
	tb_finish(t->tb, VT_S);
	for (r = 0; r < 6; r++)
		check_round(t, r);
	tree_end(t);
}

static void fast_child_cannot_stand_in(void **state)
{
	(void)state;
	fast_children(false);
}

static void fast_child_under_loss(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 20; k++) {
		seed++;
		fast_children(true);
	}
}

/* ---- Queues that are full, or do not exist yet ---- */

/*
 * Children run ahead until the parent's port is full and answers BUSY. The messages that its next
 * firing needs are accepted nevertheless, also from a child that comes last.
 */
static void full_queue(double loss)
{
	struct tb_group_cfg cfg = { .nodes = 4, .degree = 3 };
	struct tree *t = tree_new(&cfg, 2);
	unsigned int i, r, rounds = 90;

	tb_lossy(t->tb, loss, loss, loss);
	tree_ports(t);
	for (r = 0; r < rounds; r++)
		for (i = 2; i < 4; i++)
			post_up(t, i, r);
	tb_run_for(t->tb, 2 * VT_MS);
	assert_true(tb_counter(t->tb, TALLY_CTR_busy_received) > 0);
	assert_int_equal(t->qp[0]->retired, 0);
	for (r = 0; r < rounds; r++) {
		post_round(t, 0, r);
		post_up(t, 1, r);
	}
	for (r = 0; r < rounds; r++)
		for (i = 1; i < 4; i++)
			post_down(t, i, r);
	tb_finish(t->tb, VT_S);
	for (r = 0; r < rounds; r++)
		check_round(t, r);
	tree_end(t);
}

static void full_queue_answers_busy(void **state)
{
	(void)state;
	full_queue(0);
	full_queue(0.1);
}

static void late_port(void **state)
{
	struct tb_group_cfg cfg = { .nodes = 3, .degree = 2 };
	struct tree *t = tree_new(&cfg, 4);
	unsigned int i;

	(void)state;
	for (i = 1; i < 3; i++) {
		t->qp[i] = tb_qp_create(&t->g, i, 1, 64, PORT);
		post_round(t, i, 0);
	}
	tb_run_for(t->tb, 300 * VT_MS);
	t->qp[0] = tb_qp_create(&t->g, 0, 1, 64, PORT);
	post_round(t, 0, 0);
	tb_finish(t->tb, VT_S);
	check_round(t, 0);
	assert_true(tb_counter(t->tb, TALLY_CTR_busy_received) > 0);
	tree_end(t);
}

/* ---- Ends ---- */

/*
 * Check that every request of every node has one outcome, and that the group ended with `status`.
 */
static void expect_end(struct tree *t, enum tally_coll_status status, unsigned int detector)
{
	unsigned int i, named = 0;
	uint32_t k;

	tb_finish(t->tb, (vtime_t)t->g.cfg.timeout_ms * VT_MS);
	for (i = 0; i < t->g.cfg.nodes; i++)
		for (k = 0; k < t->qp[i]->posted; k++) {
			const struct tb_wr *wr = &t->qp[i]->wrs[k];
			uint16_t st = le16toh(wr->cqe.coll_status);

			if (st == TALLY_COLL_OK)
				continue;
			assert_int_equal(st, status);
			assert_int_equal(le16toh(wr->cqe.detector), detector);
			named += wr->cqe.status != TALLY_WC_WR_FLUSH_ERR;
		}
	assert_true(named > 0);
	for (i = 0; i < t->g.cfg.nodes; i++)
		assert_int_equal(tb_group_state(&t->g, i)->report.status, status);
	tree_end(t);
}

/* Begin a round of three nodes in which child 1 posts something else. */
static struct tree *spoilt_round(void (*spoil)(struct tb_post *p))
{
	struct tb_group_cfg cfg = { .nodes = 3, .degree = 2, .timeout_ms = 100 };
	struct tree *t = tree_new(&cfg, 4);
	struct tb_post p;

	tree_ports(t);
	p = reduce_mp(t, 1, 0);
	spoil(&p);
	tb_post_ring(tb_group_node(&t->g, 1), t->qp[1], &p);
	post_down(t, 1, 0);
	post_round(t, 0, 0);
	post_round(t, 2, 0);
	return t;
}

static void other_branch(struct tb_post *p)
{
	p->w.branch = 3;
}

static void other_op(struct tb_post *p)
{
	p->w.op = TALLY_OP_MAX;
}

static void other_type(struct tb_post *p)
{
	p->w.dtype = TALLY_TYPE_FP64;
}

static void shorter(struct tb_post *p)
{
	p->w.count = htole64(3);
	p->gather[0].length = 24;
}

static void check_mismatch(const struct tree *t, unsigned int i, uint32_t index,
			   uint64_t contributors)
{
	const struct tb_wr *wr = &t->qp[i]->wrs[index];

	tb_assert_cqe(wr, TALLY_COLL_MISMATCH);
	assert_int_equal(le16toh(wr->cqe.detector), i);
	assert_int_equal(le64toh(wr->cqe.contributors), contributors);
	assert_true(le16toh(wr->cqe.err_vector) & TALLY_ERR_MISMATCH);
	assert_int_equal(le32toh(wr->cqe.byte_cnt), 0);
}

/* A message after a disagreement has no data. */
static bool sees_no_data(void *arg, struct tb_packet *p)
{
	(void)arg;
	if (p->tch.kind == TALLY_KIND_TRIGGER &&
	    (be16toh(p->tch.err_vector) & TALLY_ERR_MISMATCH))
		assert_int_equal(p->len, 0);
	return true;
}

/*
 * Check that round 0 of the tree of spoilt_round() has failed at all nodes, without a result and
 * without further harm: the next round is right.
 */
static void expect_spoilt_round(struct tree *t, uint64_t disagree)
{
	static const uint8_t zeros[64];
	unsigned int i;

	t->tb->net.hook = sees_no_data;
	tb_finish(t->tb, (vtime_t)t->g.cfg.timeout_ms * VT_MS);
	check_mismatch(t, 0, t->up[0][0], disagree);
	for (i = 0; i < 3; i++) {
		check_mismatch(t, i, t->down[i][0], 0);
		assert_memory_equal(tb_at(tb_group_node(&t->g, i), t->result[i][0]), zeros,
				    t->count * 8);
		if (i)
			tb_assert_cqe(&t->qp[i]->wrs[t->up[i][0]], TALLY_COLL_OK);
	}
	for (i = 0; i < 3; i++)
		post_round(t, i, 1);
	tb_finish(t->tb, VT_S);
	check_round(t, 1);
	assert_true(group_alive(tb_group_state(&t->g, 0)));
	tree_end(t);
}

static void disagreement_ends_the_message(void **state)
{
	static void (*const spoils[])(struct tb_post *p) = { other_op, other_type, shorter };
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(spoils); i++)
		expect_spoilt_round(spoilt_round(spoils[i]), 1);
}

/* Either child may be the one that is said to disagree; the first decides. */
static void branches_that_disagree(void **state)
{
	struct tree *t = spoilt_round(other_branch);
	uint64_t disagree;

	(void)state;
	tb_finish(t->tb, VT_S);
	disagree = le64toh(t->qp[0]->wrs[0].cqe.contributors);
	assert_true(disagree == 1 || disagree == 2);
	expect_spoilt_round(t, disagree);
}

static void without_data(struct tb_post *p)
{
	p->w.flags &= ~htole32(TALLY_WQE_F_SWP_MP);
	p->w.num_gather = p->w.count = 0;
}

/*
 * One of two messages only counts, while the other says that there are two to reduce. The root gives
 * up early enough for the others to learn of it in time.
 */
static void uncounted_branch(void **state)
{
	struct tree *t = spoilt_round(without_data);

	(void)state;
	tb_run_for(t->tb, 49 * VT_MS);
	assert_false(t->qp[0]->wrs[0].retired);
	expect_spoilt_round(t, 0);
}

/* The root takes both messages, but says that one is enough. */
static void cpcnt_below_branch(void **state)
{
	struct tb_group_cfg cfg = { .nodes = 3, .degree = 2, .timeout_ms = 100 };
	struct tree *t = tree_new(&cfg, 4);
	struct tb_post p;
	unsigned int i;

	(void)state;
	tree_ports(t);
	p = reduce_mp(t, 0, 0);
	p.w.cpcnt = htole32(1);
	tb_post_ring(tb_group_node(&t->g, 0), t->qp[0], &p);
	post_down(t, 0, 0);
	for (i = 1; i < 3; i++)
		post_round(t, i, 0);
	expect_spoilt_round(t, 2);
}

/* What a descriptor takes has another type than it says, so it cannot be written. */
static void taken_as_another_type(void **state)
{
	struct tb_group_cfg cfg = { .nodes = 2, .timeout_ms = 100 };
	struct tree *t = tree_new(&cfg, 4);
	struct tb_post p;

	(void)state;
	tree_ports(t);
	post_round(t, 0, 0);
	post_up(t, 1, 0);
	p = bcast_mp(t, 1, 0);
	p.w.dtype = TALLY_TYPE_UINT64;
	p.w.flags |= htole32(TALLY_WQE_F_FLAG_WORD);
	p.w.flag_addr = htole64(t->result[1][0] + 32);
	p.w.flag_lkey = htole32(TB_ANYWHERE);
	p.w.flag_value = htole32(1);
	t->down[1][0] = tb_post_ring(tb_group_node(&t->g, 1), t->qp[1], &p);
	tb_finish(t->tb, VT_S);
	check_mismatch(t, 1, t->down[1][0], 0);
	assert_int_equal(*(uint32_t *)tb_at(tb_group_node(&t->g, 1), t->result[1][0] + 32), 0);
	tree_end(t);
}

/* A descriptor without own data takes a sum as a maximum. */
static void taken_by_another_operation(void **state)
{
	struct tb_group_cfg cfg = { .nodes = 2, .timeout_ms = 100 };
	struct tree *t = tree_new(&cfg, 4);
	struct tb_post p;

	(void)state;
	tree_ports(t);
	post_up(t, 1, 0);
	p = reduce_mp(t, 0, 0);
	p.w.op = TALLY_OP_MAX;
	p.w.flags &= ~htole32(TALLY_WQE_F_RFLAG);
	p.w.num_gather = 0;
	tb_post_ring(tb_group_node(&t->g, 0), t->qp[0], &p);
	tb_run_for(t->tb, VT_MS);
	check_mismatch(t, 0, 0, 0);
	post_down(t, 0, 0);
	post_down(t, 1, 0);
	tb_finish(t->tb, VT_S);
	tree_end(t);
}

/* ---- Flags ---- */

/* A descriptor with CPCnt 0 collects messages that do not count. */
static void collected_without_counting(void **state)
{
	struct tb_group_cfg cfg = { .nodes = 3, .degree = 2, .timeout_ms = 1000 };
	struct tree *t = tree_new(&cfg, 4);
	struct tb_post p;
	unsigned int i;

	(void)state;
	tree_ports(t);
	p = reduce_mp(t, 0, 0);
	p.w.cpcnt = 0;
	t->up[0][0] = tb_post_ring(tb_group_node(&t->g, 0), t->qp[0], &p);
	post_down(t, 0, 0);
	for (i = 1; i < 3; i++) {
		tb_run_for(t->tb, VT_MS);
		assert_false(t->qp[0]->wrs[0].retired);
		p = reduce_mp(t, i, 0);
		p.w.flags &= ~htole32(TALLY_WQE_F_CP);
		t->up[i][0] = tb_post_ring(tb_group_node(&t->g, i), t->qp[i], &p);
		post_down(t, i, 0);
	}
	tb_finish(t->tb, VT_S);
	check_round(t, 0);
	tree_end(t);
}

/*
 * A child sends data that do not count, and later a message that only counts. The descriptor's data
 * are those of the former, and it fires with the latter.
 */
static void data_and_counts_apart(void **state)
{
	struct tb_group_cfg cfg = { .nodes = 2, .timeout_ms = 1000 };
	struct tree *t = tree_new(&cfg, 4);
	struct tb_post p;

	(void)state;
	tree_ports(t);
	post_round(t, 0, 0);
	p = reduce_mp(t, 1, 0);
	p.w.flags &= ~htole32(TALLY_WQE_F_CP);
	tb_post_ring(tb_group_node(&t->g, 1), tb_qp_create(&t->g, 1, 1, 16, 77), &p);
	tb_run_for(t->tb, 10 * VT_MS);
	assert_false(t->qp[0]->wrs[t->up[0][0]].retired);
	p = reduce_mp(t, 1, 0);
	without_data(&p);
	t->up[1][0] = tb_post_ring(tb_group_node(&t->g, 1), t->qp[1], &p);
	post_down(t, 1, 0);
	tb_finish(t->tb, VT_S);
	check_round(t, 0);
	tree_end(t);
}

/*
 * A descriptor writes its data to its own memory and tells its parent, which gets a message without
 * data. Error vectors of such messages arrive, too.
 */
static void notice_with_an_error_vector(void **state)
{
	struct tb_group_cfg cfg = { .nodes = 2, .timeout_ms = 100 };
	struct tree *t = tree_new(&cfg, 4);
	struct tb_post p;

	(void)state;
	tree_ports(t);
	p = reduce_mp(t, 1, 0);
	p.w.flags &= ~htole32(TALLY_WQE_F_SWP_MP);
	p.w.err_vector = htole16(TALLY_ERR_FP_INEXACT);
	t->result[1][0] = tb_alloc(tb_group_node(&t->g, 1), 32);
	tb_result(&p, t->result[1][0], 32);
	tb_post_ring(tb_group_node(&t->g, 1), t->qp[1], &p);
	p = tb_request(&t->g, TALLY_OPCODE_PUT_MP, 0, 1);
	p.w.counter = UP;
	p.w.cpcnt = htole32(1);
	p.w.dest_port = htole16(PORT);
	p.w.dest_counter = DOWN;
	p.w.flags |= htole32(TALLY_WQE_F_CP | TALLY_WQE_F_TO_SELF);
	tb_post_ring(tb_group_node(&t->g, 0), t->qp[0], &p);
	tb_finish(t->tb, VT_S);
	tb_post_ring(tb_group_node(&t->g, 0), t->qp[0], &p);
	p.w.cpcnt = 0;
	p.w.dest_counter = UP;
	p.w.flags ^= htole32(TALLY_WQE_F_TO_SELF | TALLY_WQE_F_TO_PARENT);
	tb_post_ring(tb_group_node(&t->g, 1), t->qp[1], &p);
	tb_finish(t->tb, VT_S);
	tb_assert_cqe(&t->qp[0]->wrs[1], TALLY_COLL_OK);
	assert_int_equal(le16toh(t->qp[0]->wrs[1].cqe.err_vector), 0);
	tb_assert_cqe(&t->qp[1]->wrs[0], TALLY_COLL_OK);
	assert_int_equal(le64toh(*(uint64_t *)tb_at(tb_group_node(&t->g, 1), t->result[1][0])),
			 value(1, 0, 0));
	tb_assert_cqe(&t->qp[0]->wrs[0], TALLY_COLL_OK);
	assert_int_equal(le16toh(t->qp[0]->wrs[0].cqe.err_vector), TALLY_ERR_FP_INEXACT);
	tree_end(t);
}

/* ---- Ports ---- */

static void to_nobody(struct tb_post *p)
{
	p->w.dest_port = htole16(PORT + 1);
}

/* A message to a port that never exists is answered with BUSY until the time limit. */
static void port_that_never_comes(void **state)
{
	struct tree *t = spoilt_round(to_nobody);

	(void)state;
	tb_finish(t->tb, 100 * VT_MS);
	assert_int_equal(le16toh(t->qp[0]->wrs[0].cqe.coll_status), TALLY_COLL_TIMEOUT);
	assert_int_equal(le16toh(t->qp[0]->wrs[0].cqe.detector), 0);
	assert_int_equal(le64toh(t->qp[0]->wrs[0].cqe.contributors), 1); /* child 1 is missing */
	tree_end(t);
}

/* A port sends more messages to itself than the queue holds. */
static void to_self_without_a_cell(void **state)
{
	struct tb_group_cfg cfg = { .nodes = 2, .timeout_ms = 100 };
	struct tree *t = tree_new(&cfg, 1);
	unsigned int k;

	(void)state;
	tree_ports(t);
	for (k = 0; k < TALLY_RMQ_PORT_CAP + 1; k++) {
		struct tb_post p = reduce_mp(t, 0, 0);

		p.w.cpcnt = 0;
		p.w.flags &= ~htole32(TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_RFLAG);
		tb_post_ring(tb_group_node(&t->g, 0), t->qp[0], &p);
	}
	tb_run_for(t->tb, VT_MS);
	for (k = 0; k < TALLY_RMQ_PORT_CAP; k++)
		tb_assert_cqe(&t->qp[0]->wrs[k], TALLY_COLL_OK);
	post_up(t, 1, 0);
	expect_end(t, TALLY_COLL_RMQ_OVERFLOW, 0);
}

static void to_self_without_a_port(void **state)
{
	struct tb_group_cfg cfg = { .nodes = 2, .timeout_ms = 100 };
	struct tree *t = tree_new(&cfg, 1);
	struct tb_post p;

	(void)state;
	tree_ports(t);
	p = reduce_mp(t, 0, 0);
	p.w.dest_port = htole16(PORT + 1);
	tb_post_ring(tb_group_node(&t->g, 0), t->qp[0], &p);
	post_up(t, 1, 0);
	expect_end(t, TALLY_COLL_BAD_DEST, 0);
}

/* The messages for a descriptor do not come, while earlier descriptors have succeeded. */
static void missing_message_times_out(void **state)
{
	struct tb_group_cfg cfg = { .nodes = 4, .degree = 3, .timeout_ms = 50 };
	struct tree *t = tree_new(&cfg, 1);
	unsigned int i;

	(void)state;
	tree_ports(t);
	for (i = 0; i < 4; i++)
		post_round(t, i, 0);
	tb_finish(t->tb, 50 * VT_MS);
	check_round(t, 0);
	for (i = 0; i < 4; i++)
		if (i != 2)
			post_round(t, i, 1);
	tb_finish(t->tb, 50 * VT_MS);
	for (i = 0; i < 4; i++) {
		const struct tally_cqe *cqe = &t->qp[i]->wrs[2].cqe;

		if (i == 2)
			continue;
		/* those earlier in the queue had done their part */
		if (i)
			cqe = &t->qp[i]->wrs[3].cqe;
		assert_int_equal(le16toh(cqe->coll_status), TALLY_COLL_TIMEOUT);
		assert_int_equal(le16toh(cqe->detector), 0);
		assert_int_equal(le64toh(cqe->contributors), 1 << 1);
	}
	tree_end(t);
}

/*
 * A descriptor has fired, and memory is so slow that its time limit passes while its flag word is being
 * written. That does not end the group.
 */
static void flag_word_beyond_the_limit(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .degree = 1, .timeout_ms = 50 };
	struct tree *t = tree_new(&cfg, 2);
	struct tb_post p;

	(void)state;
	tree_ports(t);
	post_up(t, 1, 0);
	p = bcast_mp(t, 1, 0);
	p.w.flags |= htole32(TALLY_WQE_F_FLAG_WORD);
	p.w.flag_addr = htole64(t->result[1][0] + 8);
	p.w.flag_lkey = htole32(TB_ANYWHERE);
	t->down[1][0] = tb_post_ring(tb_group_node(&t->g, 1), t->qp[1], &p);
	tb_run_for(t->tb, VT_MS);
	tb_group_node(&t->g, 1)->slow = 30 * VT_MS;
	post_round(t, 0, 0);
	tb_run_for(t->tb, 80 * VT_MS);
	tb_assert_cqe(&t->qp[1]->wrs[t->down[1][0]], TALLY_COLL_OK);
	assert_true(group_alive(tb_group_state(&t->g, 1)));
	tree_end(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_queue_answers_busy),
		cmocka_unit_test(late_port),
		cmocka_unit_test(disagreement_ends_the_message),
		cmocka_unit_test(branches_that_disagree),
		cmocka_unit_test(uncounted_branch),
		cmocka_unit_test(cpcnt_below_branch),
		cmocka_unit_test(taken_as_another_type),
		cmocka_unit_test(taken_by_another_operation),
		cmocka_unit_test(collected_without_counting),
		cmocka_unit_test(data_and_counts_apart),
		cmocka_unit_test(notice_with_an_error_vector),
		cmocka_unit_test(port_that_never_comes),
		cmocka_unit_test(to_self_without_a_cell),
		cmocka_unit_test(to_self_without_a_port),
		cmocka_unit_test(missing_message_times_out),
		cmocka_unit_test(flag_word_beyond_the_limit),
		cmocka_unit_test(trees_of_every_shape),
		cmocka_unit_test(trees_under_loss),
		cmocka_unit_test(widest_tree),
		cmocka_unit_test(fast_child_cannot_stand_in),
		cmocka_unit_test(fast_child_under_loss),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
