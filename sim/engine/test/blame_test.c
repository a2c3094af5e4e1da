// SPDX-License-Identifier: BSD-2-Clause
/*
 * A time-out must blame exactly the rank that has not posted the oldest unfinished message,
 * whatever else is posted, behind however many requests, and whichever chunk's timer expires first.
 */
#include "engine/test/testbed.h"
#include "firmware/blame.h"

#define LIMIT_MS 200
#define DEPTH 256
#define SEGS (2 * WR_WINDOW)
#define MANY 80	       /* messages of a rank, more than the engine holds */
#define DONE_BEFORE 40 /* so that the oldest chunk is not in the first segment */
#define HASTY_MS 20    /* limit of one message, which is not the oldest */

struct scene {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[TB_MAX_NODES][2]; /* any rank of a node may post on either */
	uint32_t hasty;			   /* message with a short limit */
};

/* Create three nodes: the root with rank 0, a child with ranks 1 and 2, and a child with rank 3. */
static struct scene *scene_new(uint8_t mode, uint32_t hasty)
{
	const struct tb_group_cfg cfg = { .nodes = 3,
					  .rank_mask = { 1, 6, 8 },
					  .segs = SEGS,
					  .timeout_ms = LIMIT_MS,
					  .retry_limit = 8,
					  .mode = mode };
	struct scene *s = calloc(1, sizeof(*s));
	unsigned int i, k;

	assert_non_null(s);
	s->hasty = hasty;
	s->tb = tb_new(3, tb_seed());
	tb_group_plan(s->tb, &s->g, &cfg);
	tb_group_create_all(&s->g);
	for (i = 0; i < 3; i++)
		for (k = 0; k < 2; k++)
			s->qp[i][k] = tb_qp_create(&s->g, i, s->g.rank_mask[i], DEPTH, k);
	return s;
}

static void scene_end(struct scene *s)
{
	tb_free(s->tb);
	free(s);
}

/* Post messages `first` to `end` - 1 of one rank. */
static void post_op(struct scene *s, uint8_t opcode, unsigned int node, unsigned int k,
		    uint64_t rank, uint32_t first, uint32_t end)
{
	for (; first != end; first++) {
		struct tb_post p = tb_request(&s->g, opcode, first, rank);

		if (first == s->hasty)
			p.w.timeout_ms = htole32(HASTY_MS);
		tb_post(tb_group_node(&s->g, node), s->qp[node][k], &p);
	}
	tb_ring(tb_group_node(&s->g, node), s->qp[node][k]);
}

static void post(struct scene *s, unsigned int node, unsigned int k, uint64_t rank, uint32_t first,
		 uint32_t end)
{
	post_op(s, TALLY_OPCODE_BARRIER, node, k, rank, first, end);
}

/* Post messages of both ranks of the second node, in turn. */
static void post_both(struct scene *s, uint32_t first, uint32_t end)
{
	for (; first != end; first++) {
		post(s, 1, 0, 2, first, first + 1);
		post(s, 1, 0, 4, first, first + 1);
	}
}

static void post_all(struct scene *s, uint32_t end)
{
	post(s, 0, 0, 1, 0, end);
	post_both(s, 0, end);
	post(s, 2, 0, 8, 0, end);
	tb_finish(s->tb, LIMIT_MS * VT_MS);
}

/*
 * Check that every NIC reports that exactly these ranks of this node are late, and no contributors.
 */
static void expect(struct scene *s, uint16_t detector, uint64_t ranks)
{
	unsigned int i;

	tb_finish(s->tb, (LIMIT_MS + 1) * VT_MS);
	for (i = 0; i < 3; i++) {
		const struct report *r = &tb_group_state(&s->g, i)->report;

		assert_int_equal(r->status, TALLY_COLL_TIMEOUT);
		if (r->detector != detector || r->ranks != ranks || r->contributors)
			fail_msg("node %u reports: detector %u, ranks %#llx, contributors %#llx", i,
				 r->detector, (unsigned long long)r->ranks,
				 (unsigned long long)r->contributors);
	}
	scene_end(s);
}

/*
 * Two ranks share a queue pair, so the engine holds 32 messages of each. Their neighbour has begun
 * 64, and gives up a message that both have posted, but that was not fetched.
 */
static void requests_behind_the_window(void **state)
{
	struct scene *s = scene_new(TALLY_MODE_TREE, DONE_BEFORE + 40);

	(void)state;
	post_all(s, DONE_BEFORE);
	post_both(s, DONE_BEFORE, DONE_BEFORE + MANY);
	post(s, 2, 0, 8, DONE_BEFORE, DONE_BEFORE + MANY);
	expect(s, 0, 1);
}

/* The late rank has posted later messages on its other queue pair, and is not late for those. */
static void late_for_the_oldest_only(void **state)
{
	struct scene *s = scene_new(TALLY_MODE_RING, DONE_BEFORE + 20);

	(void)state;
	post_all(s, DONE_BEFORE);
	post(s, 0, 0, 1, DONE_BEFORE, DONE_BEFORE + 30);
	post_both(s, DONE_BEFORE, DONE_BEFORE + 30);
	post(s, 2, 1, 8, DONE_BEFORE + 1, DONE_BEFORE + 30);
	expect(s, 2, 8);
}

/* A rank has skipped a message and then posted more requests than the engine fetches. */
static void skipped_ahead_of_a_full_window(void **state)
{
	struct scene *s = scene_new(TALLY_MODE_TREE, 20);

	(void)state;
	post(s, 0, 0, 1, 0, MANY);
	post_both(s, 0, MANY);
	post(s, 2, 0, 8, 1, MANY);
	expect(s, 2, 8);
}

/* The requests of one rank fill the window, and wait for those of the other rank behind them. */
static void rank_behind_another(void **state)
{
	struct scene *s = scene_new(TALLY_MODE_TREE, 20);

	(void)state;
	post(s, 0, 0, 1, 0, MANY);
	post(s, 1, 0, 2, 0, MANY);
	post(s, 1, 0, 4, 0, MANY);
	post(s, 2, 0, 8, 0, MANY);
	expect(s, 1, 4);
}

/*
 * The requests of one rank fill the window, but wait for a broadcast of a silent root, not for the
 * other rank.
 */
static void rank_behind_one_that_waits_for_others(void **state)
{
	struct scene *s = scene_new(TALLY_MODE_TREE, 20);

	(void)state;
	post_op(s, TALLY_OPCODE_BCAST, 1, 0, 2, 0, MANY);
	post_op(s, TALLY_OPCODE_BCAST, 1, 0, 4, 0, MANY);
	post_op(s, TALLY_OPCODE_BCAST, 2, 0, 8, 0, MANY);
	expect(s, 0, 1);
}

/*
 * Return the contributors that the first node names if another node has given up the sixth message.
 */
static uint64_t names_for_a_later_message(const struct scene *s)
{
	const struct report told = { .status = TALLY_COLL_TIMEOUT, .detector = 2, .mid = 5 };
	struct report mine;

	firmware_attach(tb_group_node(&s->g, 0)->e);
	return blame_view(s->g.cfg.group, &told, &mine) ? mine.contributors : 0;
}

/* What the oldest chunk lacks may only be late, until half of the chunk's time limit has passed. */
static void later_message_of_another(void **state)
{
	struct scene *s = scene_new(TALLY_MODE_TREE, NONE);

	(void)state;
	post(s, 0, 0, 1, 0, 1);
	tb_run_for(s->tb, (LIMIT_MS / 2 - 5) * VT_MS);
	assert_int_equal(names_for_a_later_message(s), 0);
	tb_run_for(s->tb, 10 * VT_MS);
	assert_int_equal(names_for_a_later_message(s), 3);
	scene_end(s);
}

/* Drop acknowledgements to the first node. */
static bool lose_acks(void *arg, struct tb_packet *packet)
{
	(void)arg;
	return packet->tch.kind != TALLY_KIND_ACK || packet->to->index;
}

/* Return the contributors that the first node would report as missing now. */
static uint64_t missing_now(const struct scene *s)
{
	firmware_attach(tb_group_node(&s->g, 0)->e);
	return blame_oldest(s->g.cfg.group).contributors;
}

/*
 * All data have arrived, but neighbours have not acknowledged theirs, so the chunk waits for those. The
 * same is true while windows keep this node's data back.
 */
static void data_that_nobody_took(void **state)
{
	struct scene *s = scene_new(TALLY_MODE_EXCHANGE, NONE);
	uint64_t waiting;
	struct slot *c;

	(void)state;
	tb_run_for(s->tb, VT_MS);
	s->tb->net.hook = lose_acks;
	post(s, 0, 0, 1, 0, 1);
	post_both(s, 0, 1);
	post(s, 2, 0, 8, 0, 1);
	tb_run_for(s->tb, 200 * VT_US);
	assert_int_equal(tb_group_state(&s->g, 0)->done, 0);
	c = slot_of(tb_group_node(&s->g, 0)->e, tb_group_state(&s->g, 0), 0);
	waiting = c->out_waiting;
	assert_int_not_equal(waiting, 0);
	assert_int_equal(missing_now(s), waiting);
	c->out_waiting = 0;
	c->out_todo = waiting;
	assert_int_equal(missing_now(s), waiting);
	c->out_waiting = waiting;
	c->out_todo = 0;
	s->tb->net.hook = NULL;
	tb_run_for(s->tb, LIMIT_MS / 2 * VT_MS);
	tb_assert_done(&s->g, 1);
	scene_end(s);
}

/* The reports are ordered from the best to the worst. */
static void order_of_reports(void **state)
{
	static const struct report order[] = {
		{ .status = TALLY_COLL_RANK_GONE, .detector = 3, .level = 2, .mid = 9, .ranks = 1 },
		{ .status = TALLY_COLL_ABORTED, .detector = 1, .level = 1, .mid = 4 },
		{ .status = TALLY_COLL_OP_MISMATCH, .detector = 2, .level = 1, .mid = 3 },
		/* older ones first, even if less is known; numbers wrap around */
		{ .status = TALLY_COLL_TIMEOUT, .detector = 5, .mid = ~0u },
		{ .status = TALLY_COLL_TIMEOUT, .detector = 9, .level = 3, .mid = 5, .ranks = 1 },
		{ .status = TALLY_COLL_TIMEOUT, .detector = 1, .mid = 5, .ranks = 1 },
		{ .status = TALLY_COLL_RETRY_EXCEEDED, .detector = 7, .mid = 5, .contributors = 1 },
		{ .status = TALLY_COLL_TIMEOUT,
		  .detector = 2,
		  .level = 4,
		  .mid = 5,
		  .contributors = 1 },
		{ .status = TALLY_COLL_TIMEOUT, .detector = 0, .level = 4, .mid = 5 },
		{ .status = TALLY_COLL_TIMEOUT,
		  .detector = 0,
		  .mid = 5,
		  .sid = 1,
		  .contributors = 1 },
		{ .status = TALLY_COLL_TIMEOUT, .detector = 0, .mid = 6, .ranks = 1 },
		{ .status = TALLY_COLL_TIMEOUT,
		  .detector = 0,
		  .mid = 3,
		  .sid = NO_CHUNK,
		  .contributors = 2 },
		{ .status = TALLY_COLL_TIMEOUT, .detector = 0, .mid = 2, .sid = NO_CHUNK },
	};
	const unsigned int n = sizeof(order) / sizeof(order[0]);
	unsigned int i, k;

	(void)state;
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			if (blame_better(&order[i], &order[k]) != (i < k))
				fail_msg("reports %u and %u are in the wrong order", i, k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_behind_the_window),
		cmocka_unit_test(late_for_the_oldest_only),
		cmocka_unit_test(skipped_ahead_of_a_full_window),
		cmocka_unit_test(rank_behind_another),
		cmocka_unit_test(rank_behind_one_that_waits_for_others),
		cmocka_unit_test(later_message_of_another),
		cmocka_unit_test(data_that_nobody_took),
		cmocka_unit_test(order_of_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
