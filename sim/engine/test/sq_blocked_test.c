// SPDX-License-Identifier: BSD-2-Clause
/*
 * A leader's queue pair posts for many ranks. One request for each rank works, in any order within
 * a message. A rank's request behind others that wait for it ends the group at once, unless it can
 * come from elsewhere.
 */
#include "engine/test/testbed.h"

#define NODES 2
#define DEPTH 256
#define FAR 1 /* the other node; at node 0, requests may block one another */
#define RESULTS (4 * TALLY_MAX_RANKS)
#define ROUND_TRIP (100 * VT_US) /* including the time to fetch what was posted */

struct scene {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[NODES];
	uint64_t data[NODES]; /* four bytes for each rank, then as many for the results */
	uint8_t opcode;
	unsigned int root_node, root_rank;
};

static struct scene *scene_new(unsigned int ranks, unsigned int segs, uint8_t opcode)
{
	const struct tb_group_cfg cfg = {
		.nodes = NODES, .ranks = ranks, .segs = segs, .timeout_ms = 200 };
	struct scene *s = calloc(1, sizeof(*s));
	unsigned int i;

	assert_non_null(s);
	s->opcode = opcode;
	s->tb = tb_open(&s->g, &cfg, NODES, tb_seed());
	for (i = 0; i < NODES; i++) {
		s->qp[i] = tb_qp_create(&s->g, i, s->g.rank_mask[i], DEPTH, 0);
		s->data[i] = tb_alloc(tb_group_node(&s->g, i), 2 * RESULTS);
	}
	return s;
}

static void scene_end(struct scene *s)
{
	tb_free(s->tb);
	free(s);
}

/* Each rank gives data and gets a result according to its part in the operation. */
static struct tb_post request(struct scene *s, unsigned int node, uint64_t ranks, uint32_t mid)
{
	struct tb_post p = tb_request(&s->g, s->opcode, mid, ranks);
	uint64_t root = node == s->root_node ? ranks & 1ULL << s->root_rank : 0, left;
	bool rooted = opcode_rooted(s->opcode), bcast = s->opcode == TALLY_OPCODE_BCAST;

	if (s->opcode == TALLY_OPCODE_BARRIER)
		return p;
	p.w.op = bcast ? TALLY_OP_NONE : TALLY_OP_SUM;
	p.w.dtype = TALLY_TYPE_INT32;
	p.w.count = htole64(1);
	p.w.root_node = rooted ? htole16(s->root_node) : 0;
	p.w.root_rank = rooted ? s->root_rank : 0;
	for (left = bcast ? root : ranks; left; left &= left - 1)
		tb_gather(&p, s->data[node] + 4 * __builtin_ctzll(left), 4);
	for (left = !rooted ? ranks : bcast ? ranks & ~root : root; left; left &= left - 1)
		tb_result(&p, s->data[node] + RESULTS + 4 * __builtin_ctzll(left), 4);
	return p;
}

/* Post messages [first, last) of these ranks with one request each, and one doorbell. */
static void post(struct scene *s, unsigned int node, uint64_t ranks, uint32_t first, uint32_t last)
{
	for (uint32_t mid = first; mid < last; mid++) {
		struct tb_post p = request(s, node, ranks, mid);

		tb_post(tb_group_node(&s->g, node), s->qp[node], &p);
	}
	tb_ring(tb_group_node(&s->g, node), s->qp[node]);
}

static void expect_all_well(struct scene *s)
{
	unsigned int i, k;

	tb_finish(s->tb, 200 * VT_MS);
	for (i = 0; i < NODES; i++)
		for (k = 0; k < s->qp[i]->posted; k++)
			tb_assert_cqe(&s->qp[i]->wrs[k], TALLY_COLL_OK);
	assert_int_equal(tb_counter(s->tb, TALLY_CTR_kills_sent), 0);
}

/*
 * All nodes know within a round trip, whatever they wait for. Flushed requests have the cause, too.
 */
static void expect_blocked(struct scene *s, uint64_t ranks)
{
	unsigned int i;

	tb_run_for(s->tb, ROUND_TRIP);
	for (i = 0; i < NODES; i++) {
		const struct group *g = tb_group_state(&s->g, i);

		assert_false(group_alive(g));
		assert_int_equal(g->report.status, TALLY_COLL_SQ_BLOCKED);
		assert_int_equal(g->report.detector, 0);
		assert_int_equal(g->report.ranks, ranks);
	}
	tb_finish(s->tb, 20 * VT_MS);
	assert_int_equal(s->qp[FAR]->wrs[0].cqe.status, TALLY_WC_REM_ABORT_ERR);
	tb_assert_flushed(&s->qp[0]->wrs[s->qp[0]->posted - 1], TALLY_COLL_SQ_BLOCKED);
	tb_assert_all_empty(s->tb);
}

/*
 * A node with the maximum number of ranks posts each rank's part separately, in any order, for
 * several messages.
 */
static void one_request_for_each_rank(void **state)
{
	struct scene *s = scene_new(TALLY_MAX_RANKS, 4, TALLY_OPCODE_ALLREDUCE);
	unsigned int r, mid;
	int32_t *data;

	(void)state;
	data = tb_at(tb_group_node(&s->g, 0), s->data[0]);
	for (r = 0; r < TALLY_MAX_RANKS; r++)
		data[r] = htole32(r);
	for (mid = 0; mid < 3; mid++)
		for (r = 0; r < TALLY_MAX_RANKS; r++)
			post(s, 0, 1ULL << (mid == 1 ? 63 - r : r), mid, mid + 1);
	for (mid = 0; mid < 3; mid++)
		for (r = 0; r < TALLY_MAX_RANKS; r++)
			post(s, FAR, 1ULL << r, mid, mid + 1);
	expect_all_well(s);
	for (r = 0; r < TALLY_MAX_RANKS; r++)
		assert_int_equal(le32toh(data[TALLY_MAX_RANKS + r]), 63 * 64 / 2);
	scene_end(s);
}

/* The messages of one rank fill the window and wait for the other rank. */
static void rank_after_rank(void **state)
{
	const uint8_t opcodes[] = { TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BARRIER };

	(void)state;
	for (unsigned int i = 0; i < sizeof(opcodes); i++) {
		struct scene *s = scene_new(2, 128, opcodes[i]);

		post(s, FAR, 3, 0, 1);
		tb_run_for(s->tb, 10 * VT_US);
		post(s, 0, 1, 0, WR_WINDOW);
		tb_run_for(s->tb, VT_MS);
		assert_int_equal(tb_counter(s->tb, TALLY_CTR_kills_sent), 0);
		post(s, 0, 2, 0, 1);
		expect_blocked(s, 2);
		scene_end(s);
	}
}

/* One message less than the window holds leaves room for the other rank. */
static void rank_after_rank_that_fits(void **state)
{
	struct scene *s = scene_new(2, 128, TALLY_OPCODE_ALLREDUCE);

	(void)state;
	post(s, FAR, 3, 0, WR_WINDOW);
	post(s, 0, 1, 0, WR_WINDOW - 1);
	post(s, 0, 2, 0, WR_WINDOW);
	post(s, 0, 1, WR_WINDOW - 1, WR_WINDOW);
	expect_all_well(s);
	scene_end(s);
}

/* A request for which no segment is left blocks the one that would free a segment. */
static void no_segment_left(void **state)
{
	struct scene *s = scene_new(2, 4, TALLY_OPCODE_ALLREDUCE);

	(void)state;
	post(s, FAR, 3, 0, 1);
	tb_run_for(s->tb, 10 * VT_US);
	post(s, 0, 1, 0, 5);
	tb_run_for(s->tb, VT_MS);
	assert_int_equal(tb_counter(s->tb, TALLY_CTR_kills_sent), 0);
	post(s, 0, 2, 0, 1);
	expect_blocked(s, 2);
	scene_end(s);
}

/*
 * Results of a broadcast need not wait for the other rank, so they come until the segments run out.
 */
static void broadcast_from_elsewhere(void **state)
{
	struct scene *s = scene_new(2, 128, TALLY_OPCODE_BCAST);

	(void)state;
	s->root_node = FAR;
	post(s, FAR, 3, 0, 100);
	post(s, 0, 1, 0, 100);
	post(s, 0, 2, 0, 100);
	expect_all_well(s);
	scene_end(s);

	s = scene_new(2, 4, TALLY_OPCODE_BCAST);
	s->root_node = FAR;
	post(s, FAR, 3, 0, 5);
	tb_run_for(s->tb, 10 * VT_US);
	post(s, 0, 1, 0, 4 + WR_WINDOW);
	tb_run_for(s->tb, VT_MS);
	assert_int_equal(tb_counter(s->tb, TALLY_CTR_kills_sent), 0);
	post(s, 0, 2, 0, 1);
	tb_run_for(s->tb, ROUND_TRIP);
	assert_int_equal(tb_group_state(&s->g, FAR)->report.status, TALLY_COLL_SQ_BLOCKED);
	assert_int_equal(tb_group_state(&s->g, FAR)->report.ranks, 2);
	scene_end(s);
}

/*
 * The root, on another node, has the same number as a rank that is late here. Requests do not wait
 * for that rank.
 */
static void broadcast_from_the_same_rank_elsewhere(void **state)
{
	struct scene *s = scene_new(2, 128, TALLY_OPCODE_BCAST);

	(void)state;
	s->root_node = FAR;
	s->root_rank = 1;
	post(s, 0, 1, 0, 100);
	post(s, 0, 2, 0, 100);
	tb_run_for(s->tb, VT_MS);
	assert_int_equal(tb_counter(s->tb, TALLY_CTR_kills_sent), 0);
	post(s, FAR, 3, 0, 100);
	expect_all_well(s);
	scene_end(s);
}

static void broadcast_of_the_other_rank(void **state)
{
	struct scene *s = scene_new(2, 128, TALLY_OPCODE_BCAST);

	(void)state;
	s->root_rank = 1;
	post(s, FAR, 3, 0, 1);
	tb_run_for(s->tb, 10 * VT_US);
	post(s, 0, 1, 0, WR_WINDOW);
	post(s, 0, 2, 0, 1);
	expect_blocked(s, 2);
	scene_end(s);
}

/* A rank that gets no result need not wait, so its requests make room one after another. */
static void reduction_to_elsewhere(void **state)
{
	struct scene *s = scene_new(2, 128, TALLY_OPCODE_REDUCE);

	(void)state;
	s->root_node = FAR;
	post(s, FAR, 3, 0, 100);
	tb_run_for(s->tb, 10 * VT_US);
	post(s, 0, 1, 0, 100);
	post(s, 0, 2, 0, 100);
	expect_all_well(s);
	scene_end(s);
}

/* While another queue pair may post for the rank, the group does not end. */
static void another_queue_pair(void **state)
{
	struct scene *s = scene_new(2, 4, TALLY_OPCODE_ALLREDUCE);
	struct tb_qp *first = s->qp[0];

	(void)state;
	post(s, FAR, 3, 0, 100);
	post(s, 0, 1, 0, 100);
	s->qp[0] = tb_qp_create(&s->g, 0, 2, DEPTH, 1);
	tb_run_for(s->tb, VT_MS);
	assert_int_equal(tb_counter(s->tb, TALLY_CTR_kills_sent), 0);
	post(s, 0, 2, 0, 100);
	expect_all_well(s);
	assert_int_equal(tb_unfinished(first), 0);
	scene_end(s);
}

/* If the rank's own queue pair was destroyed, its process is ending or creates another. */
static void destroyed_queue_pair(void **state)
{
	struct scene *s = scene_new(2, 4, TALLY_OPCODE_ALLREDUCE);

	(void)state;
	tb_qp_destroy(&s->g, 0, tb_qp_create(&s->g, 0, 2, DEPTH, 1));
	post(s, FAR, 3, 0, 100);
	post(s, 0, 1, 0, 100);
	tb_run_for(s->tb, VT_MS);
	assert_int_equal(tb_counter(s->tb, TALLY_CTR_kills_sent), 0);
	s->qp[0] = tb_qp_create(&s->g, 0, 2, DEPTH, 1);
	post(s, 0, 2, 0, 100);
	expect_all_well(s);
	scene_end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_request_for_each_rank),
		cmocka_unit_test(rank_after_rank),
		cmocka_unit_test(rank_after_rank_that_fits),
		cmocka_unit_test(no_segment_left),
		cmocka_unit_test(broadcast_from_elsewhere),
		cmocka_unit_test(broadcast_from_the_same_rank_elsewhere),
		cmocka_unit_test(broadcast_of_the_other_rank),
		cmocka_unit_test(reduction_to_elsewhere),
		cmocka_unit_test(another_queue_pair),
		cmocka_unit_test(destroyed_queue_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
