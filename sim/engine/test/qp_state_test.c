// SPDX-License-Identifier: BSD-2-Clause
/*
 * States of queue pairs around the end of an epoch. Whatever state a queue pair is moved to, and
 * whenever, it works in the next epoch after RESET and RTS, and requests of the epoch before do the
 * next one no harm.
 */
#include "engine/test/testbed.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define NODES 4
#define RANKS 2
#define LIMIT_MS 200
#define VICTIM 1 /* node of the queue pair that is moved; its first rank */
#define OTHER 2	 /* node that ends the epoch */
#define SLOW (100 * VT_MS)

struct scene {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[NODES][RANKS];
	uint32_t epoch;
};

static void scene_begin(struct scene *s, uint8_t mode)
{
	const struct tb_group_cfg cfg = {
		.nodes = NODES, .ranks = RANKS, .timeout_ms = LIMIT_MS, .mode = mode, .epoch = 1
	};
	unsigned int i, r;

	s->tb = tb_open(&s->g, &cfg, NODES, tb_seed());
	s->epoch = 1;
	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++)
			s->qp[i][r] = tb_qp_create(&s->g, i, 1ULL << r, 16, r);
}

static void post(struct scene *s, unsigned int node, unsigned int rank, uint8_t opcode,
		 uint32_t mid)
{
	struct tb_post p = tb_request(&s->g, opcode, mid, 1ULL << rank);

	tb_post_ring(tb_group_node(&s->g, node), s->qp[node][rank], &p);
}

/* Post a request whose data are read from a key; of an unknown key, it is refused. */
static void post_read(struct scene *s, unsigned int node, unsigned int rank, uint32_t lkey)
{
	uint64_t at = tb_alloc(tb_group_node(&s->g, node), 64);
	struct tb_post p = tb_sum(&s->g, 0, 1ULL << rank, at, at, 4);

	p.gather[0].lkey = lkey;
	tb_post_ring(tb_group_node(&s->g, node), s->qp[node][rank], &p);
}

static void move(struct scene *s, unsigned int node, unsigned int rank, enum tally_qp_state state)
{
	assert_int_equal(tb_qp_modify(&s->g, node, s->qp[node][rank], state),
			 TALLY_ADMIN_STATUS_OK);
}

static void abort_epoch(struct scene *s)
{
	post(s, OTHER, 0, TALLY_OPCODE_ABORT, 0);
	while (tb_group_state(&s->g, VICTIM)->state != TALLY_GROUP_COLLECT)
		tb_run_for(s->tb, VT_US);
}

static void wait_dead(struct scene *s)
{
	unsigned int i;

	for (i = 0; i < NODES; i++)
		while (tb_group_state(&s->g, i)->state != TALLY_GROUP_DEAD)
			tb_run_for(s->tb, VT_US);
}

static void next_epoch(struct scene *s)
{
	unsigned int i;

	s->epoch++;
	for (i = 0; i < NODES; i++) {
		struct tb_node *n = tb_group_node(&s->g, i);

		assert_int_equal(engine_reset_group(tb_enter(n), s->g.cfg.group, s->epoch).status,
				 TALLY_ADMIN_STATUS_OK);
		tb_leave(n);
	}
	tb_run_for(s->tb, VT_MS);
}

static bool is_victim(unsigned int node, unsigned int rank)
{
	return node == VICTIM && !rank;
}

static void revive_others(struct scene *s)
{
	unsigned int i, r;

	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++)
			if (!is_victim(i, r)) {
				move(s, i, r, TALLY_QPS_RESET);
				move(s, i, r, TALLY_QPS_RTS);
			}
}

/* Check that the ranks of all queue pairs complete a barrier at once, and that nobody is blamed. */
static void expect_barrier(struct scene *s, uint32_t mid, const char *what)
{
	unsigned int i, r;

	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++)
			post(s, i, r, TALLY_OPCODE_BARRIER, mid);
	tb_run_for(s->tb, VT_MS);
	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++) {
			const struct tb_qp *qp = s->qp[i][r];
			const struct tb_wr *wr = &qp->wrs[qp->posted - 1];

			if (!wr->has_cqe || wr->cqe.coll_status)
				fail_msg("mode %u, %s: node %u rank %u has %s %u", s->g.cfg.mode,
					 what, i, r, wr->has_cqe ? "status" : "no completion",
					 wr->cqe.coll_status);
		}
}

/* ---- Moves at every moment ---- */

/* States to move to: r RESET, e ERROR, R RESET and RTS, unless RESET has ended the epoch. */
static void moves(struct scene *s, const char *to)
{
	for (; *to; to++) {
		move(s, VICTIM, 0, *to == 'e' ? TALLY_QPS_ERROR : TALLY_QPS_RESET);
		if (*to == 'R' && group_alive(tb_group_state(&s->g, VICTIM)))
			move(s, VICTIM, 0, TALLY_QPS_RTS);
	}
}

static void refuse_rts(struct scene *s)
{
	assert_int_equal(tb_qp_modify(&s->g, VICTIM, s->qp[VICTIM][0], TALLY_QPS_RTS),
			 TALLY_ADMIN_STATUS_BAD_STATE);
}

/* Whether the last move was to RESET, in which the queue pair must still be. */
static bool ends_in_reset(const char *const to[4])
{
	unsigned int k = 4;

	while (k && !*to[k - 1])
		k--;
	return k && to[k - 1][strlen(to[k - 1]) - 1] == 'r';
}

/*
 * Move the queue pair before the end of the epoch, while reports are collected, when the group is
 * dead, and in the next epoch. `busy`: a request of the queue pair has begun, or waits there.
 */
static void life(struct scene *s, bool busy, const char *const to[4])
{
	char what[64];

	snprintf(what, sizeof(what), "%s, moves %s/%s/%s/%s", busy ? "busy" : "idle", to[0], to[1],
		 to[2], to[3]);
	expect_barrier(s, 0, what);
	if (busy) {
		post(s, VICTIM, 0, TALLY_OPCODE_BARRIER, 1);
		post(s, VICTIM, 0, TALLY_OPCODE_BARRIER, 3);
		tb_run_for(s->tb, 20 * VT_US);
	}
	moves(s, to[0]);
	abort_epoch(s);
	moves(s, to[1]);
	refuse_rts(s);
	wait_dead(s);
	moves(s, to[2]);
	refuse_rts(s);
	next_epoch(s);
	moves(s, to[3]);
	revive_others(s);
	if (!ends_in_reset(to))
		move(s, VICTIM, 0, TALLY_QPS_RESET);
	move(s, VICTIM, 0, TALLY_QPS_RTS);
}

static void all_moves(uint8_t mode)
{
	static const char *const before[] = { "", "r", "e", "er", "R" };
	static const char *const in[] = { "", "r", "e", "er" };
	unsigned int a, b, c, d, busy;
	struct scene s;

	scene_begin(&s, mode);
	for (busy = 0; busy < 2; busy++)
		for (a = 0; a < ARRAY_SIZE(before); a++)
			for (b = 0; b < ARRAY_SIZE(in); b++)
				for (c = 0; c < ARRAY_SIZE(in); c++)
					for (d = 0; d < 2; d++) {
						const char *const to[] = { before[a], in[b],
									   in[c], d ? "e" : "" };

						life(&s, busy, to);
					}
	expect_barrier(&s, 0, "last");
	tb_finish(s.tb, VT_MS);
	tb_assert_all_empty(s.tb);
	tb_free(s.tb);
}

static void moves_in_tree(void **state)
{
	(void)state;
	all_moves(TALLY_MODE_TREE);
}

static void moves_in_exchange(void **state)
{
	(void)state;
	all_moves(TALLY_MODE_EXCHANGE);
}

static void moves_in_ring(void **state)
{
	(void)state;
	all_moves(TALLY_MODE_RING);
}

/* ---- Requests that retire in the next epoch ---- */

/*
 * A request of the victim still reads its data when the group is reset. It retires in the next
 * epoch, and with it a refused one behind it.
 */
static void late_retirement(struct scene *s, bool refused_behind)
{
	struct tb_node *n;

	scene_begin(s, TALLY_MODE_TREE);
	n = tb_group_node(&s->g, VICTIM);
	n->slow = SLOW;
	post_read(s, VICTIM, 0, TB_ANYWHERE);
	tb_run_for(s->tb, 20 * VT_US);
	if (refused_behind)
		post_read(s, VICTIM, 0, 0x4444);
	n->slow = 0;
}

static void expect_harmless(struct scene *s)
{
	unsigned int i;

	wait_dead(s);
	next_epoch(s);
	revive_others(s);
	assert_false(s->qp[VICTIM][0]->wrs[0].retired);
	tb_run_for(s->tb, SLOW);
	assert_true(s->qp[VICTIM][0]->wrs[0].retired);
	for (i = 0; i < NODES; i++)
		assert_int_equal(tb_group_state(&s->g, i)->state, TALLY_GROUP_OPEN);
	move(s, VICTIM, 0, TALLY_QPS_RESET);
	move(s, VICTIM, 0, TALLY_QPS_RTS);
	expect_barrier(s, 0, "late retirement");
	tb_free(s->tb);
}

/* The group ended by a refused request of another rank, whose status is that of all requests. */
static void end_of_the_former_epoch(void **state)
{
	struct scene s;

	(void)state;
	late_retirement(&s, false);
	post_read(&s, VICTIM, 1, 0x4444);
	expect_harmless(&s);
}

static void qp_failure_of_the_former_epoch(void **state)
{
	struct scene s;

	(void)state;
	late_retirement(&s, true);
	abort_epoch(&s);
	expect_harmless(&s);
}

/* ABORT completes after all requests of its queue pair, though the group has a new epoch then. */
static void abort_of_the_former_epoch(void **state)
{
	struct scene s;

	(void)state;
	late_retirement(&s, false);
	post(&s, VICTIM, 0, TALLY_OPCODE_ABORT, 0);
	wait_dead(&s);
	next_epoch(&s);
	tb_run_for(s.tb, SLOW);
	tb_assert_cqe(&s.qp[VICTIM][0]->wrs[0], TALLY_COLL_ABORTED);
	tb_assert_cqe(&s.qp[VICTIM][0]->wrs[1], TALLY_COLL_OK);
	tb_free(s.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_in_tree),
		cmocka_unit_test(moves_in_exchange),
		cmocka_unit_test(moves_in_ring),
		cmocka_unit_test(end_of_the_former_epoch),
		cmocka_unit_test(qp_failure_of_the_former_epoch),
		cmocka_unit_test(abort_of_the_former_epoch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
