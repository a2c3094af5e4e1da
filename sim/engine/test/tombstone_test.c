// SPDX-License-Identifier: BSD-2-Clause
/*
 * Nothing remains for long. A destroyed group drains, and a dying one collects reports, for a
 * bounded time, whatever its time limit. After that it has returned everything, and a tombstone
 * answers for it. The number of tombstones is bounded.
 */
#include "engine/test/test_job.h"
#include "firmware/kill.h"

#define LONG_MS TALLY_MAX_TIMEOUT_MS
#define DRAIN (TALLY_DRAIN_MS * VT_MS)
#define COLLECT (TALLY_COLLECT_MS * VT_MS)

/* Two nodes with one rank each, of which 0 is the root. Time limits of messages are long. */
struct pair {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[2];
};

static const struct tb_group_cfg two = { .nodes = 2, .ranks = 1, .timeout_ms = LONG_MS };

static void pair_plan(struct pair *p, const struct tb_group_cfg *cfg)
{
	*p = (struct pair){ .tb = tb_new(cfg->nodes, tb_seed()) };
	tb_group_plan(p->tb, &p->g, cfg);
}

static void pair_join(struct pair *p, unsigned int node)
{
	tb_group_create(&p->g, node);
	p->qp[node] = tb_qp_create(&p->g, node, 1, 16, 0);
}

static void pair_leave(struct pair *p, unsigned int node)
{
	tb_qp_destroy(&p->g, node, p->qp[node]);
	tb_group_destroy(&p->g, node);
}

static void pair_new(struct pair *p, const struct tb_group_cfg *cfg)
{
	pair_plan(p, cfg);
	pair_join(p, 0);
	pair_join(p, 1);
	tb_run_for(p->tb, VT_MS);
	assert_int_equal(tb_group_state(&p->g, 0)->state, TALLY_GROUP_OPEN);
}

static void post_barrier(struct pair *p, unsigned int node, uint32_t mid)
{
	struct tb_post post = tb_request(&p->g, TALLY_OPCODE_BARRIER, mid, 1);

	tb_post_ring(tb_group_node(&p->g, node), p->qp[node], &post);
}

/* Post the root's part of a broadcast, which completes as soon as its data are in the NIC. */
static void post_bcast(struct pair *p, uint32_t mid)
{
	struct tb_post post = tb_request(&p->g, TALLY_OPCODE_BCAST, mid, 1);

	post.w.dtype = TALLY_TYPE_UINT8;
	post.w.count = htole64(4);
	tb_inline(&post, "data", 4);
	tb_post_ring(tb_group_node(&p->g, 0), p->qp[0], &post);
}

static unsigned int drained(const struct pair *p, unsigned int node)
{
	return tb_count_events(tb_group_node(&p->g, node), TALLY_EQE_GROUP_DRAINED);
}

static unsigned int tombstones(const struct pair *p, unsigned int node)
{
	return __builtin_popcountll(tb_group_node(&p->g, node)->e->tombs);
}

static bool has_segs(const struct pair *p, unsigned int node)
{
	return tb_group_node(&p->g, node)->e->segs_owned;
}

/* ---- Bounds ---- */

/*
 * The last message of the process at node 0 waits for a neighbour that does not come, or has no
 * room.
 */
static void drain_for(bool neighbour)
{
	struct tb_group_cfg cfg = two;
	struct pair p;

	cfg.segs = 1;
	pair_plan(&p, &cfg);
	pair_join(&p, 0);
	if (neighbour)
		pair_join(&p, 1);
	tb_run_for(p.tb, VT_MS);
	post_bcast(&p, 0);
	if (neighbour)
		post_bcast(&p, 1);
	tb_run_for(p.tb, VT_MS);
	assert_true(p.qp[0]->wrs[neighbour].retired);
	pair_leave(&p, 0);
	assert_int_equal(tb_group_state(&p.g, 0)->state, TALLY_GROUP_DRAINING);
	tb_run_for(p.tb, DRAIN - 10 * VT_MS);
	assert_int_equal(drained(&p, 0), 0);
	assert_true(has_segs(&p, 0));
	tb_run_for(p.tb, 20 * VT_MS + COLLECT);
	assert_int_equal(drained(&p, 0), 1);
	assert_false(has_segs(&p, 0));
	if (neighbour) {
		post_barrier(&p, 1, 0);
		tb_finish(p.tb, VT_S);
		tb_assert_flushed(&p.qp[1]->wrs[0], TALLY_COLL_RANK_GONE);
		assert_int_equal(tb_group_state(&p.g, 1)->report.status, TALLY_COLL_RANK_GONE);
		assert_int_equal(tb_group_state(&p.g, 1)->report.detector, 0);
		assert_int_equal(tb_group_state(&p.g, 1)->report.ranks, 1);
	}
	tb_free(p.tb);
}

static void draining_is_bounded(void **state)
{
	(void)state;
	drain_for(false);
	drain_for(true);
}

/* A process dies after a message has begun. All nodes learn of the end soon. */
static void collecting_is_bounded(void **state)
{
	struct pair p;

	(void)state;
	pair_new(&p, &two);
	post_barrier(&p, 0, 0);
	tb_run_for(p.tb, VT_MS);
	pair_leave(&p, 0);
	assert_int_equal(tb_group_state(&p.g, 0)->state, TALLY_GROUP_COLLECT);
	tb_run_for(p.tb, COLLECT - VT_MS);
	assert_int_equal(drained(&p, 0), 0);
	tb_run_for(p.tb, 2 * VT_MS);
	assert_int_equal(drained(&p, 0), 1);
	assert_int_equal(tb_count_events(tb_group_node(&p.g, 1), TALLY_EQE_GROUP_DEAD), 1);
	tb_free(p.tb);
}

/* Drop the first `lose` KILLs. */
static bool lose_kills(void *arg, struct tb_packet *packet)
{
	unsigned int *lose = arg;

	if (packet->tch.kind != TALLY_KIND_KILL || !*lose)
		return true;
	--*lose;
	return false;
}

/*
 * Node 0 times out and tells the NIC of the late rank, whose answer comes while reports are
 * collected. KILLs are lost, and the retransmission time-out is much longer than that.
 */
static void late_rank_is_named_in_time(void **state)
{
	const struct tb_group_cfg cfg = {
		.nodes = 2, .ranks = 1, .timeout_ms = 20000, .rto_us = 1000000, .retry_limit = 8
	};
	unsigned int lose = 4;
	struct tb_wr *wr;
	struct pair p;

	(void)state;
	pair_new(&p, &cfg);
	p.tb->net.hook = lose_kills;
	p.tb->net.hook_arg = &lose;
	post_barrier(&p, 0, 0);
	tb_finish(p.tb, 20 * VT_S);
	wr = &p.qp[0]->wrs[0];
	tb_assert_cqe(wr, TALLY_COLL_TIMEOUT);
	assert_int_equal(lose, 0);
	assert_int_equal(le16toh(wr->cqe.detector), 1);
	assert_int_equal(le64toh(wr->cqe.ranks), 1);
	tb_free(p.tb);
}

/* A neighbour that is gone counts as dead within seconds, whatever the limits are. */
static void retransmissions_are_bounded(void **state)
{
	static const struct {
		uint32_t retry_limit, rto_us;
	} longest[] = { { 255, 31000 }, { 255, 1 }, { 8, 1000000 }, { 80, 100000 } };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(longest) / sizeof(longest[0]); i++) {
		struct tb_group_cfg cfg = two;
		struct pair p;

		cfg.retry_limit = longest[i].retry_limit;
		cfg.rto_us = longest[i].rto_us;
		pair_new(&p, &cfg);
		pair_leave(&p, 0);
		post_barrier(&p, 1, 0);
		tb_run_for(p.tb, TALLY_MAX_RETRY_MS * VT_MS / 8 * 9 + VT_S);
		assert_int_equal(tombstones(&p, 0), 0);
		pair_leave(&p, 1);
		tb_free(p.tb);
	}
}

/* ---- Burial ---- */

static void drained_at_burial(void **state)
{
	struct tb_group_cfg cfg = two;
	struct pair p;

	(void)state;
	cfg.msg_cells = TALLY_MAX_GROUP_CELLS;
	pair_new(&p, &cfg);
	post_barrier(&p, 0, 0);
	post_barrier(&p, 1, 0);
	tb_finish(p.tb, VT_S);
	tb_run_for(p.tb, VT_MS);
	assert_int_equal(tb_group_node(&p.g, 0)->e->cells_reserved, TALLY_MAX_GROUP_CELLS);
	pair_leave(&p, 0);
	assert_int_equal(drained(&p, 0), 1);
	assert_int_equal(tb_group_node(&p.g, 0)->e->cells_reserved, 0);
	assert_int_equal(tombstones(&p, 0), 1);
	/* number, segments and cells get a new owner at the same instant */
	p.g.cfg.jid++;
	tb_group_create(&p.g, 0);
	tb_free(p.tb);
}

/* A group of one node has no neighbour that could ask. */
static void lonely_groups_leave_no_tombstone(void **state)
{
	const struct tb_group_cfg one = { .nodes = 1, .ranks = 1, .timeout_ms = LONG_MS };
	struct pair p;

	(void)state;
	pair_plan(&p, &one);
	pair_join(&p, 0);
	pair_leave(&p, 0);
	assert_int_equal(drained(&p, 0), 1);
	assert_int_equal(tombstones(&p, 0), 0);
	tb_free(p.tb);
}

/* Drop acknowledgements of node 0 while `arg` points to true. */
static bool lose_acks(void *arg, struct tb_packet *packet)
{
	return !*(bool *)arg || packet->tch.kind != TALLY_KIND_ACK || packet->from->index;
}

/* Let another group take the number and the segments at node 0. */
static struct tb_group take_over(const struct pair *p)
{
	struct tb_group other = p->g;

	other.cfg.jid += 100;
	tb_group_create(&other, 0);
	return other;
}

/*
 * A packet that node 1 repeats is acknowledged, a new one is answered with KILL. The new owner is
 * not affected.
 */
static void tombstone_answers(void **state)
{
	struct tb_group other;
	bool lossy = true;
	struct pair p;

	(void)state;
	pair_new(&p, &two);
	p.tb->net.hook = lose_acks;
	p.tb->net.hook_arg = &lossy;
	post_barrier(&p, 0, 0);
	post_barrier(&p, 1, 0);
	tb_finish(p.tb, VT_S);
	tb_run_for(p.tb, VT_MS);
	pair_leave(&p, 0);
	assert_int_equal(drained(&p, 0), 1);
	assert_true(tb_group_state(&p.g, 1)->edges[EDGE_PARENT].tx_held);
	other = take_over(&p);
	lossy = false;
	tb_run_for(p.tb, 20 * VT_MS);
	assert_int_equal(tb_group_state(&p.g, 1)->edges[EDGE_PARENT].tx_held, 0);
	assert_int_equal(tb_counter(p.tb, TALLY_CTR_kills_sent), 0);
	post_barrier(&p, 1, 1);
	tb_finish(p.tb, VT_S);
	tb_assert_cqe(&p.qp[1]->wrs[1], TALLY_COLL_RANK_GONE);
	assert_int_equal(tb_group_state(&other, 0)->state, TALLY_GROUP_OPENING);
	assert_int_equal(tb_group_state(&other, 0)->report.status, 0);
	tb_run_for(p.tb, 10 * VT_S);
	assert_int_equal(tombstones(&p, 0), 0);
	tb_free(p.tb);
}

/* A delayed acknowledgement is sent at burial, so that nobody has to ask. */
static void acknowledgements_are_not_buried(void **state)
{
	struct pair p;

	(void)state;
	pair_new(&p, &two);
	post_barrier(&p, 1, 0);
	tb_run_for(p.tb, VT_MS);
	post_barrier(&p, 0, 0);
	tb_finish(p.tb, VT_S);
	assert_true(tb_group_state(&p.g, 1)->edges[EDGE_PARENT].ack_at != NEVER);
	pair_leave(&p, 1);
	assert_int_equal(drained(&p, 1), 1);
	tb_group_node(&p.g, 1)->e->tombs = 0; /* as if it had been evicted */
	tb_run_for(p.tb, VT_MS);
	assert_int_equal(tb_group_state(&p.g, 0)->edges[0].tx_held, 0);
	assert_int_equal(tb_counter(p.tb, TALLY_CTR_retransmits), 0);
	tb_free(p.tb);
}

/* A KILL that was not acknowledged before the burial is repeated after it. */
static void tombstone_repeats_its_kill(void **state)
{
	unsigned int lose = 20;
	struct pair p;

	(void)state;
	pair_new(&p, &two);
	p.tb->net.hook = lose_kills;
	p.tb->net.hook_arg = &lose;
	post_barrier(&p, 0, 0);
	tb_run_for(p.tb, VT_MS);
	pair_leave(&p, 0);
	tb_run_for(p.tb, COLLECT + VT_MS);
	assert_int_equal(drained(&p, 0), 1);
	assert_int_equal(tb_group_state(&p.g, 1)->state, TALLY_GROUP_OPEN);
	lose = 0;
	take_over(&p);
	tb_run_for(p.tb, VT_S);
	assert_int_equal(tb_group_state(&p.g, 1)->state, TALLY_GROUP_DEAD);
	assert_int_equal(tb_group_state(&p.g, 1)->report.status, TALLY_COLL_RANK_GONE);
	tb_free(p.tb);
}

/* A tombstone has nothing to repeat until a late neighbour asks. Then it repeats KILL in time. */
static void late_neighbour_is_told(void **state)
{
	unsigned int lose = 3;
	struct pair p;

	(void)state;
	pair_plan(&p, &two);
	p.tb->net.hook = lose_kills;
	p.tb->net.hook_arg = &lose;
	pair_join(&p, 0);
	pair_leave(&p, 0);
	assert_int_equal(tombstones(&p, 0), 1);
	pair_join(&p, 1);
	tb_run_for(p.tb, 50 * VT_MS);
	assert_int_equal(lose, 0);
	assert_false(group_alive(tb_group_state(&p.g, 1)));
	assert_int_equal(tb_group_state(&p.g, 1)->report.status, TALLY_COLL_RANK_GONE);
	tb_free(p.tb);
}

/* A group that ended before it was destroyed still reports the cause. */
static void tombstone_keeps_the_cause(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .ranks = 1, .timeout_ms = 200 };
	struct pair p;

	(void)state;
	pair_plan(&p, &cfg);
	pair_join(&p, 0);
	post_barrier(&p, 0, 0);
	tb_finish(p.tb, VT_S);
	tb_assert_cqe(&p.qp[0]->wrs[0], TALLY_COLL_NO_HANDSHAKE);
	pair_leave(&p, 0);
	pair_join(&p, 1);
	tb_run_for(p.tb, 50 * VT_MS);
	assert_false(group_alive(tb_group_state(&p.g, 1)));
	assert_int_equal(tb_group_state(&p.g, 1)->report.status, TALLY_COLL_NO_HANDSHAKE);
	assert_int_equal(tb_group_state(&p.g, 1)->report.contributors, 1);
	tb_free(p.tb);
}

/* ---- KILLs that are given up ---- */

static void post_abort(struct pair *p, unsigned int node)
{
	struct tb_post post = tb_request(&p->g, TALLY_OPCODE_ABORT, 0, 1);

	tb_post_ring(tb_group_node(&p->g, node), p->qp[node], &post);
}

static void pair_reset(struct pair *p, unsigned int node, uint32_t epoch)
{
	struct tb_node *n = tb_group_node(&p->g, node);

	tb_qp_modify(&p->g, node, p->qp[node], TALLY_QPS_RESET);
	assert_int_equal(engine_reset_group(tb_enter(n), p->g.cfg.group, epoch).status, 0);
	tb_leave(n);
	tb_qp_modify(&p->g, node, p->qp[node], TALLY_QPS_RTS);
}

/*
 * The last epoch's KILL was repeated until it was given up. The next epoch's KILL has all its
 * tries.
 */
static void next_kill_has_all_tries(void **state)
{
	const struct tb_group_cfg cfg = {
		.nodes = 2, .ranks = 1, .timeout_ms = LONG_MS, .retry_limit = 8
	};
	unsigned int lose = UINT32_MAX, i;
	struct pair p;

	(void)state;
	pair_new(&p, &cfg);
	p.tb->net.hook = lose_kills;
	p.tb->net.hook_arg = &lose;
	for (i = 0; i < 2; i++)
		post_abort(&p, i);
	tb_run_for(p.tb, 10 * VT_S);
	for (i = 0; i < 2; i++)
		assert_int_equal(tb_group_state(&p.g, i)->edges[i ? EDGE_PARENT : 0].kill,
				 KILL_ACKED);
	for (i = 0; i < 2; i++)
		pair_reset(&p, i, p.g.cfg.epoch + 1);
	tb_run_for(p.tb, VT_S);
	assert_int_equal(tb_group_state(&p.g, 1)->state, TALLY_GROUP_OPEN);
	lose = 6;
	post_abort(&p, 0);
	tb_run_for(p.tb, VT_S);
	assert_int_equal(tb_group_state(&p.g, 1)->report.status, TALLY_COLL_ABORTED);
	tb_free(p.tb);
}

static void oldest_is_evicted(void **state)
{
	const uint32_t more = 3;
	struct engine *e;
	struct pair p;
	uint32_t i;

	(void)state;
	pair_plan(&p, &two);
	e = tb_group_node(&p.g, 0)->e;
	p.g.cfg.jid = 1000;
	for (i = 0; i < TALLY_MAX_TOMBSTONES + more; i++, p.g.cfg.jid++) {
		tb_group_create(&p.g, 0);
		tb_group_destroy(&p.g, 0);
		tb_run_for(p.tb, VT_US);
	}
	assert_int_equal(drained(&p, 0), TALLY_MAX_TOMBSTONES + more);
	assert_int_equal(tb_counter(p.tb, TALLY_CTR_tombstones_evicted), more);
	for (i = 0; i < TALLY_MAX_TOMBSTONES + more; i++)
		assert_int_equal(!!jid_first(e, 1000 + i), i >= more);
	tb_run_for(p.tb, 10 * VT_S);
	assert_int_equal(tombstones(&p, 0), 0);
	tb_free(p.tb);
}

/* A tombstone stays until a neighbour has repeated a packet for the last time and given up. */
static void outlasts_the_retransmissions(void **state)
{
	struct tb_group_cfg cfg = two;
	uint64_t span = 0;
	struct pair p;
	unsigned int i;

	(void)state;
	cfg.retry_limit = 3;
	cfg.rto_us = 1000;
	pair_new(&p, &cfg);
	for (i = 0; i <= cfg.retry_limit; i++)
		span += edge_backoff(tb_group_state(&p.g, 0), i);
	pair_leave(&p, 0);
	tb_run_for(p.tb, span - VT_US);
	assert_int_equal(tombstones(&p, 0), 1);
	tb_run_for(p.tb, 2 * VT_US);
	assert_int_equal(tombstones(&p, 0), 0);
	tb_free(p.tb);
}

/* ---- A job id used again ---- */

/* A packet with neither key nor nonce is answered for the last life. */
static void last_life_answers(void **state)
{
	struct tch t = { .kind = TALLY_KIND_QUERY };
	struct engine *e;
	struct pair p;

	(void)state;
	pair_plan(&p, &two);
	e = tb_group_node(&p.g, 0)->e;
	for (unsigned int i = 0; i < 3; i++, p.g.cfg.epoch++) {
		tb_group_create(&p.g, 0);
		tb_group_destroy(&p.g, 0);
	}
	t.jid = p.g.cfg.jid;
	assert_int_equal(group_of_packet(e, &t, NULL)->epoch, p.g.cfg.epoch - 1);
	tb_free(p.tb);
}

/* Return the next life of a pair's group, with another number. */
static struct pair next_life(const struct pair *p)
{
	struct pair next = *p;

	next.g.cfg.epoch += 5;
	next.g.cfg.group++;
	return next;
}

/* Node 0 is in its second life while node 1 still works in the first. */
static void old_epoch_goes_to_the_tombstone(void **state)
{
	struct pair old, new;

	(void)state;
	pair_new(&old, &two);
	pair_leave(&old, 0);
	new = next_life(&old);
	pair_join(&new, 0);
	post_barrier(&new, 0, 0);
	post_barrier(&old, 1, 0);
	assert_int_equal(tombstones(&old, 0), 1);
	tb_run_for(old.tb, COLLECT + VT_MS);
	tb_assert_cqe(&old.qp[1]->wrs[0], TALLY_COLL_RANK_GONE);
	pair_leave(&old, 1);
	pair_join(&new, 1);
	post_barrier(&new, 1, 0);
	tb_finish(old.tb, VT_S);
	tb_assert_cqe(&new.qp[0]->wrs[0], TALLY_COLL_OK);
	tb_assert_cqe(&new.qp[1]->wrs[0], TALLY_COLL_OK);
	tb_free(old.tb);
}

/* A NIC that is reset forgets its tombstones. */
static void reset_clears_tombstones(void **state)
{
	struct pair p;

	(void)state;
	pair_new(&p, &two);
	pair_leave(&p, 0);
	assert_int_equal(tombstones(&p, 0), 1);
	tb_node_reset(tb_group_node(&p.g, 0));
	assert_int_equal(tombstones(&p, 0), 0);
	pair_join(&p, 0);
	tb_free(p.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draining_is_bounded),
		cmocka_unit_test(collecting_is_bounded),
		cmocka_unit_test(late_rank_is_named_in_time),
		cmocka_unit_test(retransmissions_are_bounded),
		cmocka_unit_test(drained_at_burial),
		cmocka_unit_test(lonely_groups_leave_no_tombstone),
		cmocka_unit_test(tombstone_answers),
		cmocka_unit_test(acknowledgements_are_not_buried),
		cmocka_unit_test(tombstone_repeats_its_kill),
		cmocka_unit_test(late_neighbour_is_told),
		cmocka_unit_test(tombstone_keeps_the_cause),
		cmocka_unit_test(next_kill_has_all_tries),
		cmocka_unit_test(oldest_is_evicted),
		cmocka_unit_test(outlasts_the_retransmissions),
		cmocka_unit_test(last_life_answers),
		cmocka_unit_test(old_epoch_goes_to_the_tombstone),
		cmocka_unit_test(reset_clears_tombstones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
