// SPDX-License-Identifier: BSD-2-Clause
/*
 * Cases that no other test covered when bugs were planted (docs/planted-bugs.md): values at a
 * limit, requests in a queue whose counts have gone round, an end of an epoch in the middle of
 * something, and what a reset or a burial gives back.
 */
#include "engine/test/testbed.h"

static uint64_t seed;

static struct tb_post barrier(const struct tb_group *g, uint32_t mid, uint64_t ranks)
{
	return tb_request(g, TALLY_OPCODE_BARRIER, mid, ranks);
}

static struct tb_post allreduce(const struct tb_group *g, unsigned int node, uint32_t mid,
				uint64_t ranks, uint32_t count)
{
	struct tb_node *n = tb_group_node(g, node);
	uint64_t from = tb_alloc(n, count * 4);

	return tb_sum(g, mid, ranks, from, tb_alloc(n, count * 4), count);
}

/* Post a request alone, and return its status, or OK if it has not completed. */
static uint16_t status_of(struct testbed *tb, const struct tb_group *g, struct tb_qp *qp,
			  const struct tb_post *p)
{
	uint32_t index = tb_post_ring(tb_group_node(g, 0), qp, p);

	tb_run_for(tb, 50 * VT_US);
	return qp->wrs[index].has_cqe ? le16toh(qp->wrs[index].cqe.coll_status) : TALLY_COLL_OK;
}

/* ---- Requests ---- */

/* The indices of MINLOC are those of the whole message, which has a block for each rank. */
static void indices_of_all_blocks(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .mode = TALLY_MODE_RING, .ranks = 1 };
	const uint32_t count = 2, limit = 0x80000000u - 3 * 2;

	(void)state;
	for (uint32_t beyond = 0; beyond < 2; beyond++) {
		struct tb_group g;
		struct testbed *tb = tb_open(&g, &cfg, 3, seed);
		struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0);
		struct tb_post p = tb_request(&g, TALLY_OPCODE_REDUCE_SCATTER, 0, 1);

		p.w.op = TALLY_OP_MINLOC;
		p.w.dtype = TALLY_TYPE_INT32;
		p.w.count = htole64(count);
		p.w.flags |= htole32(TALLY_WQE_F_LOC_VALUES);
		p.w.loc_index = htole64(limit + beyond);
		tb_gather(&p, tb_alloc(tb_group_node(&g, 0), 64), 3 * count * 4);
		tb_result(&p, tb_alloc(tb_group_node(&g, 0), 64), count * 8);
		assert_int_equal(status_of(tb, &g, qp, &p),
				 beyond ? TALLY_COLL_BAD_LOC : TALLY_COLL_OK);
		tb_free(tb);
	}
}

/* A request may use as many segments as the group can hold, borrowed ones included. */
static void segments_that_can_be_borrowed(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .segs = 2, .max_segs = 8 };

	(void)state;
	for (unsigned int beyond = 0; beyond < 2; beyond++) {
		struct tb_group g;
		struct testbed *tb = tb_open(&g, &cfg, 2, seed);
		struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0);
		struct tb_post p = barrier(&g, 0, 1);

		p.w.seg_count = htole16(8 + beyond);
		assert_int_equal(status_of(tb, &g, qp, &p),
				 beyond ? TALLY_COLL_BAD_SEG : TALLY_COLL_OK);
		tb_free(tb);
	}
}

/* seg_count limits the chunks in flight exactly. */
static void chunks_in_flight(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .segs = 8, .mtu = 256 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 2, seed);
	struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0);
	struct tb_post p = allreduce(&g, 0, 0, 1, 6 * 64);

	(void)state;
	p.w.seg_count = htole16(2);
	assert_int_equal(status_of(tb, &g, qp, &p), TALLY_COLL_OK);
	assert_int_equal(tb_group_state(&g, 0)->top, 2);
	tb_free(tb);
}

/* In a group of several modes a parent has an index, so a descriptor could name it twice. */
static void parent_named_twice(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3,
					  .modes = TALLY_MODES_TREE | TALLY_MODES_RING,
					  .degree = 1 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 3, seed);
	struct tb_qp *qp = tb_qp_create(&g, 1, 1, 16, 0);
	struct tb_post p = tb_request(&g, TALLY_OPCODE_REDUCE_MP, 0, 1);
	uint32_t index;

	(void)state;
	p.w.op = TALLY_OP_SUM;
	p.w.dtype = TALLY_TYPE_INT32;
	p.w.branch = 1;
	p.w.flags |= htole32(TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP | TALLY_WQE_F_TO_PARENT);
	p.w.node_mask = htole64(1ULL << tb_modes_index(&g, 1, 0));
	index = tb_post_ring(tb_group_node(&g, 1), qp, &p);
	tb_run_for(tb, 50 * VT_US);
	tb_assert_cqe(&qp->wrs[index], TALLY_COLL_BAD_DEST);
	tb_free(tb);
}

/* ---- Queues ---- */

/*
 * A QUERY is answered ahead of its turn. The request that comes into its place when the numbers of
 * entries have gone round is not taken for answered.
 */
static void place_of_an_answered_query(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .ranks = 2 };
	const uint32_t far = TALLY_MAX_SQ_DEPTH + WR_WINDOW + 4;
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp[2] = { tb_qp_create(&g, 0, 1, 128, 0), tb_qp_create(&g, 0, 2, 128, 1) };
	struct tb_post p;
	uint32_t mid, query;

	(void)state;
	for (mid = 0; mid < WR_WINDOW + 2; mid++) {
		p = barrier(&g, mid, 1);
		tb_post(n, qp[0], &p);
	}
	p = tb_request(&g, TALLY_OPCODE_QUERY, 0, 1);
	query = tb_post_ring(n, qp[0], &p);
	tb_run_for(tb, VT_MS);
	assert_true(qp[0]->wrs[query].has_cqe);
	for (mid = 0; mid < far; mid++) {
		p = barrier(&g, mid, 2);
		tb_post_ring(n, qp[1], &p);
		p = barrier(&g, mid, 1);
		if (mid >= WR_WINDOW + 2)
			tb_post_ring(n, qp[0], &p);
		tb_run_for(tb, 10 * VT_US);
	}
	tb_finish(tb, VT_MS);
	tb_free(tb);
}

/* The search for QUERY is ahead of the requests taken in, also when the counts go round between. */
static void search_across_the_wrap(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct qp *qp = &n->e->qps[tb_qp_create(&g, 0, 1, 16, 0)->qpn];

	(void)state;
	qp->head = qp->admit = UINT32_MAX - 1;
	qp->scan = 1;
	qp->posted = 2;
	fetch_next(n->e, qp);
	assert_int_equal(qp->scan, 1);
	qp->fetching = false;
	qp->admit = 1; /* more was taken in than searched */
	qp->scan = UINT32_MAX;
	fetch_next(n->e, qp);
	assert_int_equal(qp->scan, 1);
	tb_free(tb);
}

/* A request is refused, but waits for the one before it. The NIC answers no QUERY behind it. */
static void query_behind_a_refused_request(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .ranks = 2 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0), *spare = tb_qp_create(&g, 0, 1, 16, 2);
	struct tb_qp *other = tb_qp_create(&g, 0, 2, 16, 1);
	struct tb_post p = barrier(&g, 0, 1);

	(void)state;
	(void)spare; /* the rank of the refused request may still take part */
	tb_post(n, qp, &p);
	p.w.jid = 0;
	tb_post(n, qp, &p);
	p = tb_request(&g, TALLY_OPCODE_QUERY, 0, 1);
	tb_post_ring(n, qp, &p);
	tb_run_for(tb, VT_MS);
	assert_false(qp->wrs[2].has_cqe);
	p = barrier(&g, 0, 2);
	tb_post_ring(n, other, &p);
	tb_finish(tb, VT_MS);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_OK);
	tb_assert_cqe(&qp->wrs[1], TALLY_COLL_BAD_JID);
	assert_int_equal(qp->wrs[2].cqe.status, TALLY_WC_WR_FLUSH_ERR);
	tb_free(tb);
}

/* An error wakes those who wait for solicited completions only. */
static void errors_are_solicited(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0);
	struct tb_post p = barrier(&g, 0, 1);

	(void)state;
	assert_int_equal(status_of(tb, &g, qp, &p), TALLY_COLL_OK);
	assert_int_equal(n->solicited, 0);
	p = barrier(&g, 1, 1);
	p.w.flags |= htole32(TALLY_WQE_F_SOLICITED);
	assert_int_equal(status_of(tb, &g, qp, &p), TALLY_COLL_OK);
	assert_int_equal(n->solicited, 1);
	assert_int_equal(status_of(tb, &g, qp, &p), TALLY_COLL_MID_BEHIND);
	assert_int_equal(n->solicited, 2);
	p = barrier(&g, 2, 1); /* it is flushed */
	assert_int_not_equal(status_of(tb, &g, qp, &p), TALLY_COLL_OK);
	assert_int_equal(n->solicited, 3);
	tb_free(tb);
}

/* Whoever posted another request than the others ends the message of all, whatever differs. */
static void every_mismatch_is_of_another(void **state)
{
	static const struct {
		const char *name;
		uint16_t value;
	} all[] = {
#define ENTRY(name, value, doc) { #name, value },
		TALLY_COLL_LIST(ENTRY)
#undef ENTRY
	};
	unsigned int k, found = 0;

	(void)state;
	for (k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		if (!strstr(all[k].name, "_MISMATCH"))
			continue;
		found++;
		if (coll_status_wc(all[k].value) != TALLY_WC_REM_ABORT_ERR)
			fail_msg("%s: work completion status %u", all[k].name,
				 coll_status_wc(all[k].value));
	}
	assert_true(found > 7);
}

/*
 * The requests of a rank wait because there is nothing to borrow now. That may change, so the other
 * rank, whose request is behind them, does not end the epoch.
 */
static void nothing_to_borrow_yet(void **state)
{
	const struct tb_group_cfg cfg = {
		.nodes = 1, .ranks = 2, .segs = 2, .max_segs = 16, .timeout_ms = 200
	};
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp = tb_qp_create(&g, 0, 3, 16, 0);
	struct tb_post p;
	uint32_t mid;

	(void)state;
	n->e->segs_owned = TALLY_MAX_SEG;
	for (mid = 0; mid < 4; mid++) {
		p = barrier(&g, mid, 1);
		tb_post(n, qp, &p);
	}
	for (mid = 0; mid < 4; mid++) {
		p = barrier(&g, mid, 2);
		tb_post(n, qp, &p);
	}
	tb_ring(n, qp);
	tb_run_for(tb, VT_MS);
	assert_true(group_alive(tb_group_state(&g, 0)));
	tb_free(tb);
}

/* ---- Descriptors ---- */

static struct tb_post trigger(const struct tb_group *g, uint8_t opcode, uint8_t op, uint32_t flags)
{
	struct tb_post p = tb_request(g, opcode, 0, 1);

	p.w.op = op;
	p.w.dtype = TALLY_TYPE_INT32;
	p.w.count = htole64(2);
	p.w.branch = 1;
	p.w.node_mask = 0;
	p.w.flags |= htole32(flags);
	return p;
}

#define TO_SELF (TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP | TALLY_WQE_F_TO_SELF)

/* A descriptor without an operation takes pairs of value and index as if they were values. */
static void pairs_taken_as_values(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0);
	struct tb_post p = trigger(&g, TALLY_OPCODE_REDUCE_MP, TALLY_OP_MINLOC, TO_SELF);

	(void)state;
	tb_gather(&p, tb_alloc(n, 16), 16);
	tb_post(n, qp, &p);
	p = trigger(&g, TALLY_OPCODE_BCAST_MP, TALLY_OP_NONE, TALLY_WQE_F_SWP_FLAG);
	p.w.cpcnt = htole32(1);
	tb_result(&p, tb_alloc(n, 8), 8);
	tb_post_ring(n, qp, &p);
	tb_finish(tb, VT_MS);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_OK);
	tb_assert_cqe(&qp->wrs[1], TALLY_COLL_MISMATCH);
	tb_free(tb);
}

/* A descriptor without SwpFlag names none of the contributors that spoilt an earlier one. */
static void disagreement_of_an_earlier_one(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 2, seed);
	struct tb_node *n = tb_group_node(&g, 0), *child = tb_group_node(&g, 1);
	struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0), *below = tb_qp_create(&g, 1, 1, 16, 0);
	struct tb_post p = trigger(&g, TALLY_OPCODE_REDUCE_MP, TALLY_OP_SUM,
				   TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP | TALLY_WQE_F_TO_PARENT);

	(void)state;
	p.w.err_vector = htole16(TALLY_ERR_MISMATCH);
	tb_gather(&p, tb_alloc(child, 8), 8);
	tb_post_ring(child, below, &p);
	p = trigger(&g, TALLY_OPCODE_REDUCE_MP, TALLY_OP_SUM, TALLY_WQE_F_SWP_FLAG);
	p.w.cpcnt = htole32(1);
	tb_result(&p, tb_alloc(n, 8), 8);
	tb_post(n, qp, &p);
	p = trigger(&g, TALLY_OPCODE_REDUCE_MP, TALLY_OP_SUM, TO_SELF);
	p.w.err_vector = htole16(TALLY_ERR_MISMATCH);
	tb_gather(&p, tb_alloc(n, 8), 8);
	tb_post_ring(n, qp, &p);
	tb_finish(tb, VT_MS);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_MISMATCH);
	assert_int_equal(le64toh(qp->wrs[0].cqe.contributors), 1);
	tb_assert_cqe(&qp->wrs[1], TALLY_COLL_MISMATCH);
	assert_int_equal(le64toh(qp->wrs[1].cqe.contributors), 0);
	tb_free(tb);
}

/*
 * A descriptor waits for a cell, gets one, and then waits for a neighbour until its time limit. The
 * cause is the neighbour.
 */
static void cell_that_came_late(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .timeout_ms = 50 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 2, seed);
	struct tb_node *n = tb_group_node(&g, 1);
	struct tb_qp *qp = tb_qp_create(&g, 1, 1, 16, 0);
	struct tb_post p =
		trigger(&g, TALLY_OPCODE_REDUCE_MP, TALLY_OP_SUM, TO_SELF | TALLY_WQE_F_TO_PARENT);

	(void)state;
	tb_gather(&p, tb_alloc(n, 8), 8);
	n->e->shared_used += TALLY_RMQ_CELLS;
	n->e->cells_reserved -= TALLY_RMQ_CELLS;
	n->e->cells_reserved += TALLY_RMQ_CELLS;
	tb_post_ring(n, qp, &p);
	tb_run_for(tb, VT_MS);
	assert_true(n->e->qps[qp->qpn].wrs[0].starved);
	n->e->shared_used -= TALLY_RMQ_CELLS;
	p = tb_request(&g, TALLY_OPCODE_QUERY, 0, 1);
	tb_post_ring(n, qp, &p); /* the queue pair is looked at again */
	tb_finish(tb, 100 * VT_MS);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_TIMEOUT);
	tb_free(tb);
}

/* ---- The end of an epoch ---- */

static void abort_of(const struct tb_group *g, unsigned int node, struct tb_qp *qp)
{
	struct tb_post p = tb_request(g, TALLY_OPCODE_ABORT, 0, 1);

	tb_post_ring(tb_group_node(g, node), qp, &p);
}

static void reset_all(struct tb_group *g, uint32_t epoch)
{
	for (unsigned int i = 0; i < g->cfg.nodes; i++) {
		struct tb_node *n = tb_group_node(g, i);

		assert_int_equal(engine_reset_group(tb_enter(n), g->cfg.group, epoch).status,
				 TALLY_ADMIN_STATUS_OK);
		tb_leave(n);
	}
}

/* A QUERY that the NIC reads while it collects reports is answered with the cause. */
static void query_after_the_end(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .ranks = 2, .timeout_ms = 200 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *first = tb_qp_create(&g, 0, 1, 16, 0),
		     *second = tb_qp_create(&g, 0, 2, 16, 1);
	struct tb_post p = tb_request(&g, TALLY_OPCODE_QUERY, 0, 2);

	(void)state;
	tb_post_ring(n, second, &p); /* the entry is being read */
	exception_raise(tb_enter(n), tb_group_state(&g, 0), TALLY_COLL_ABORTED, 0, 1, 0, 0);
	tb_leave(n);
	(void)first;
	tb_finish(tb, 100 * VT_MS);
	assert_int_equal(le64toh(second->wrs[0].cqe.ranks), 1);
	tb_free(tb);
}

/* Results of younger chunks are being written when the epoch ends. The group waits for them. */
static void younger_result_is_being_written(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .ranks = 2, .timeout_ms = 50 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp[2] = { tb_qp_create(&g, 0, 1, 16, 0), tb_qp_create(&g, 0, 2, 16, 1) };
	struct tb_qp *third = tb_qp_create(&g, 0, 1, 16, 2);
	struct tb_post p;

	(void)state;
	/* Rank 1 broadcasts twice; rank 0 takes no part in the first message until later. */
	for (uint32_t mid = 0; mid < 2; mid++) {
		p = tb_request(&g, TALLY_OPCODE_BCAST, mid, 2);
		p.w.dtype = TALLY_TYPE_INT32;
		p.w.count = htole64(1);
		p.w.root_rank = mid;
		if (mid)
			tb_gather(&p, tb_alloc(n, 4), 4);
		else
			tb_result(&p, tb_alloc(n, 4), 4);
		tb_post(n, qp[1], &p);
	}
	tb_ring(n, qp[1]);
	tb_run_for(tb, 50 * VT_US);
	(void)third;
	n->slow = 40 * VT_MS;
	p = tb_request(&g, TALLY_OPCODE_BCAST, 0, 1);
	p.w.dtype = TALLY_TYPE_INT32;
	p.w.count = htole64(1);
	tb_gather(&p, tb_alloc(n, 4), 4); /* is being read for long: message 0 is not finished */
	tb_post(n, qp[0], &p);
	p = tb_request(&g, TALLY_OPCODE_BCAST, 1, 1);
	p.w.dtype = TALLY_TYPE_INT32;
	p.w.count = htole64(1);
	p.w.root_rank = 1;
	tb_result(&p, tb_alloc(n, 4), 4); /* is being written for long */
	tb_post_ring(n, qp[0], &p);
	tb_run_for(tb, 100 * VT_US);
	assert_true(local_writing(n->e, slot_of(n->e, tb_group_state(&g, 0), 1)));
	abort_of(&g, 0, third);
	tb_run_for(tb, 20 * VT_MS);
	assert_int_equal(tb_group_state(&g, 0)->state, TALLY_GROUP_COLLECT);
	tb_run_for(tb, 100 * VT_MS);
	assert_int_equal(tb_group_state(&g, 0)->state, TALLY_GROUP_DEAD);
	tb_free(tb);
}

/* An ABORT completes when the epoch has ended, not before. */
static void abort_waits_for_the_end(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .timeout_ms = 160 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0);

	(void)state;
	abort_of(&g, 0, qp);
	tb_run_for(tb, 5 * VT_MS);
	assert_int_equal(tb_group_state(&g, 0)->state, TALLY_GROUP_COLLECT);
	assert_false(qp->wrs[0].has_cqe);
	tb_run_for(tb, 10 * VT_MS);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_OK);
	tb_free(tb);
}

/* A request that waits for its turn waits no longer because its queue is looked at meanwhile. */
static void wait_is_not_begun_again(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .ranks = 1, .timeout_ms = 200 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp = tb_qp_create(&g, 0, 1, 128, 0);
	struct tb_post p = barrier(&g, 1, 1);

	(void)state;
	tb_qp_create(&g, 0, 1, 16, 1); /* could bring message 0, but does not */
	tb_post_ring(n, qp, &p);
	for (unsigned int k = 0; k < 20; k++) {
		tb_run_for(tb, 10 * VT_MS);
		p = tb_request(&g, TALLY_OPCODE_QUERY, 0, 1);
		if (group_alive(tb_group_state(&g, 0)))
			tb_post_ring(n, qp, &p);
	}
	assert_false(group_alive(tb_group_state(&g, 0)));
	tb_free(tb);
}

/* A local rank is late, and a neighbour is not there either. The rank is blamed. */
static void late_rank_and_absent_neighbour(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .ranks = 2, .timeout_ms = 50 };
	struct testbed *tb = tb_new(2, seed);
	struct tb_group g;
	struct tb_qp *qp;
	struct tb_post p;

	(void)state;
	tb_group_plan(tb, &g, &cfg);
	tb_group_create(&g, 0);
	qp = tb_qp_create(&g, 0, 1, 16, 0);
	tb_qp_create(&g, 0, 2, 16, 1);
	p = barrier(&g, 0, 1);
	tb_post_ring(tb_group_node(&g, 0), qp, &p);
	tb_finish(tb, 100 * VT_MS);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_TIMEOUT);
	assert_int_equal(le64toh(qp->wrs[0].cqe.ranks), 2);
	tb_free(tb);
}

/* A rank leaves before it has posted the message that the other rank has begun. */
static void rank_leaves_without_a_message(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .ranks = 2, .timeout_ms = 400 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0);
	struct tb_post p = barrier(&g, 0, 1);

	(void)state;
	assert_int_equal(status_of(tb, &g, qp, &p), TALLY_COLL_OK);
	engine_detach_ranks(tb_enter(n), 0, 2);
	tb_leave(n);
	tb_run_for(tb, 50 * VT_MS);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_RANK_GONE);
	assert_int_equal(le64toh(qp->wrs[0].cqe.ranks), 2);
	tb_free(tb);
}

static struct tb_packet heard; /* the newest OPEN to node 0 */

static bool hear(void *arg, struct tb_packet *p)
{
	(void)arg;
	if (p->tch.kind == TALLY_KIND_OPEN && p->to && !p->to->index)
		heard = *p;
	return true;
}

/* An answer of a neighbour's former life, which the NIC may see late, ends nothing. */
static void answer_of_a_former_life(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2 };
	struct testbed *tb = tb_new(2, seed);
	struct tb_group g;
	struct {
		struct tally_tch tch;
		struct tally_tch_open open;
	} body;

	(void)state;
	tb->net.hook = hear;
	tb_group_plan(tb, &g, &cfg);
	tb_group_create_all(&g);
	tb_run_for(tb, 10 * VT_MS);
	body.tch = heard.tch;
	memcpy(&body.open, heard.payload, sizeof(body.open));
	body.tch.flags = htobe16(TALLY_TCH_F_CONFIRM);
	body.open.nonce ^= 1;
	body.open.echo = htobe64(tb_group_state(&g, 0)->edges[0].nonce);
	tb_inject(tb_group_node(&g, 0), &tb_group_node(&g, 1)->addr, &body, sizeof(body));
	tb_run_for(tb, VT_MS);
	assert_true(group_alive(tb_group_state(&g, 0)));
	body.tch.flags = 0; /* without CONFIRM it is a new life */
	tb_inject(tb_group_node(&g, 0), &tb_group_node(&g, 1)->addr, &body, sizeof(body));
	tb_run_for(tb, VT_MS);
	assert_int_equal(tb_group_state(&g, 0)->report.status, TALLY_COLL_EPOCH_CHANGED);
	tb_free(tb);
}

static vtime_t deaf_until; /* until then no KILL reaches node 1 */

static bool lose_kills(void *arg, struct tb_packet *p)
{
	const struct testbed *tb = arg;

	if (p->tch.kind == TALLY_KIND_OPEN && p->to && !p->to->index)
		heard = *p;
	return p->tch.kind != TALLY_KIND_KILL || sim_now(tb->sim) >= deaf_until;
}

/* Two nodes, of which node 0 ends the epoch, but node 1 hears nothing of it for now. */
static struct testbed *end_unheard(struct tb_group *g)
{
	const struct tb_group_cfg cfg = {
		.nodes = 2, .timeout_ms = 1600, .retry_limit = 2, .rto_us = 20000
	};
	struct testbed *tb = tb_new(2, seed);

	tb->net.hook = lose_kills;
	tb->net.hook_arg = tb;
	deaf_until = UINT64_MAX;
	tb_group_plan(tb, g, &cfg);
	tb_group_create_all(g);
	tb_run_for(tb, 10 * VT_MS);
	abort_of(g, 0, tb_qp_create(g, 0, 1, 16, 0));
	tb_run_for(tb, VT_MS);
	assert_false(group_alive(tb_group_state(g, 0)));
	return tb;
}

/* While reports are collected, KILL is repeated more often than the limit of retries says. */
static void kill_while_reports_are_collected(void **state)
{
	struct tb_group g;
	struct testbed *tb = end_unheard(&g);

	(void)state;
	deaf_until = sim_now(tb->sim) + 70 * VT_MS;
	tb_run_for(tb, 95 * VT_MS);
	assert_false(group_alive(tb_group_state(&g, 1)));
	tb_free(tb);
}

/* The acknowledgement of another report of the same node does not end the repetition of this one. */
static void acknowledgement_of_another_report(void **state)
{
	struct tb_group g;
	struct testbed *tb = end_unheard(&g);
	struct tally_tch ack = heard.tch;

	(void)state;
	ack.kind = TALLY_KIND_ACK;
	ack.flags = htobe16(TALLY_TCH_F_KILL_ACK);
	ack.key = htobe32(tb_group_state(&g, 0)->edges[0].key);
	ack.mid = 0;	      /* the detector */
	ack.sid = htobe32(1); /* its report has another weight */
	tb_inject(tb_group_node(&g, 0), &tb_group_node(&g, 1)->addr, &ack, sizeof(ack));
	tb_run_for(tb, VT_MS);
	deaf_until = 0;
	tb_run_for(tb, 50 * VT_MS);
	assert_false(group_alive(tb_group_state(&g, 1)));
	tb_free(tb);
}

/* ---- The next epoch ---- */

/* Epochs are compared as they go round; an answer to a read of the former epoch comes too late. */
static void epochs_go_round(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .epoch = 0xfffffffe, .timeout_ms = 100 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0);
	struct tb_post p = allreduce(&g, 0, 0, 1, 1);
	uint64_t out = p.result[0].addr;

	(void)state;
	n->slow = 30 * VT_MS;
	*(uint32_t *)tb_at(n, p.gather[0].addr) = htole32(1);
	tb_post(n, qp, &p);
	abort_of(&g, 0, qp);
	tb_run_for(tb, 20 * VT_MS);
	assert_int_equal(tb_group_state(&g, 0)->state, TALLY_GROUP_DEAD);
	assert_int_equal(engine_reset_group(tb_enter(n), 0, 0xfffffff0).status,
			 TALLY_ADMIN_STATUS_BAD_FIELD);
	tb_leave(n);
	reset_all(&g, 3);
	tb_qp_modify(&g, 0, qp, TALLY_QPS_RESET);
	tb_qp_modify(&g, 0, qp, TALLY_QPS_RTS);
	p = allreduce(&g, 0, 0, 1, 1);
	p.result[0].addr = out;
	*(uint32_t *)tb_at(n, p.gather[0].addr) = htole32(2);
	tb_post_ring(n, qp, &p);
	tb_finish(tb, VT_S);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_OK);
	assert_int_equal(le32toh(*(uint32_t *)tb_at(n, out)), 2);
	tb_free(tb);
}

/* After a reset an edge begins at 0 again, also as QUERY_EDGES and QUERY_ARRIVALS show it. */
static void reset_begins_anew(void **state)
{
	static struct tally_edge_info edges[MAX_EDGES];
	static struct tally_arrival arrivals[TALLY_NUM_ARRIVALS];
	const struct tb_group_cfg cfg = { .nodes = 2, .epoch = 1, .timeout_ms = 100 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 2, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp[2] = { tb_qp_create(&g, 0, 1, 16, 0), tb_qp_create(&g, 1, 1, 16, 0) };

	(void)state;
	for (uint32_t mid = 0; mid < 3; mid++)
		for (unsigned int i = 0; i < 2; i++) {
			struct tb_post p = barrier(&g, mid, 1);

			tb_post_ring(tb_group_node(&g, i), qp[i], &p);
		}
	tb_finish(tb, VT_MS);
	tb_run_for(tb, VT_MS);
	engine_query_edges(n->e, 0, edges);
	assert_int_equal(le32toh(edges[0].peer_done), 3);
	abort_of(&g, 0, qp[0]);
	tb_run_for(tb, 50 * VT_MS);
	reset_all(&g, 2);
	engine_query_edges(n->e, 0, edges);
	assert_int_equal(le32toh(edges[0].peer_done), 0);
	engine_query_arrivals(n->e, 0, arrivals);
	assert_int_equal(arrivals[0].opcode, 0);
	tb_free(tb);
}

/* ---- Queries and resources ---- */

/* The first message of an epoch is shown before it is done. */
static void first_arrival_is_shown(void **state)
{
	static struct tally_arrival arrivals[TALLY_NUM_ARRIVALS];
	const struct tb_group_cfg cfg = { .nodes = 2 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 2, seed);
	struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0);
	struct tb_post p = barrier(&g, 0, 1);

	(void)state;
	assert_int_equal(status_of(tb, &g, qp, &p), TALLY_COLL_OK);
	engine_query_arrivals(tb_group_node(&g, 0)->e, 0, arrivals);
	assert_int_equal(arrivals[0].opcode, TALLY_OPCODE_BARRIER);
	tb_free(tb);
}

/* A buried group returns its edges, and a neighbour's first limit is what its OPEN says. */
static void edges_come_and_go(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .segs = 4 };
	struct tally_group_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
	struct tally_group_cfg config;
	struct testbed *tb = tb_new(2, seed);
	struct tb_group g;
	struct tb_node *below;
	unsigned int num;

	(void)state;
	tb_group_plan(tb, &g, &cfg);
	tb_group_create(&g, 0);
	num = tb_group_config(&g, 1, &config, edges);
	config.num_segs = htole16(1);
	below = tb_group_node(&g, 1);
	assert_int_equal(engine_create_group(tb_enter(below), 0, &config, edges, num).status,
			 TALLY_ADMIN_STATUS_OK);
	tb_leave(below);
	tb_run_for(tb, 5 * VT_MS);
	assert_int_equal(tb_group_state(&g, 0)->edges[0].peer_limit, 1);
	assert_int_equal(tb_group_node(&g, 0)->e->edges_used, 1);
	for (unsigned int i = 0; i < 2; i++)
		tb_group_destroy(&g, i);
	tb_run_for(tb, 5 * VT_S);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(tb_group_node(&g, i)->e->edges_used, 0);
	tb_free(tb);
}

/* Of all groups that were buried, the newest have tombstones, wherever these are in the table. */
static void newest_tombstones_remain(void **state)
{
	struct tb_group_cfg cfg = { .nodes = 2 };
	struct testbed *tb = tb_new(2, seed);
	const struct engine *e = tb->nodes[0].e;
	const unsigned int burials = 2 * TALLY_MAX_TOMBSTONES + 1;
	struct tb_group g;

	(void)state;
	for (unsigned int k = 0; k < burials; k++) {
		cfg.jid = 1 + k;
		tb_group_plan(tb, &g, &cfg);
		tb_group_create(&g, 0);
		tb_group_destroy(&g, 0);
		tb_run_for(tb, 10 * VT_US);
	}
	for (unsigned int i = 0; i < TALLY_MAX_TOMBSTONES; i++)
		assert_true(e->tombstones[i].jid > burials - TALLY_MAX_TOMBSTONES);
	tb_free(tb);
}

/* A group cannot reserve cells that others use at the moment. */
static void cells_in_use(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .msg_cells = 8 };

	(void)state;
	for (unsigned int more = 0; more < 2; more++) {
		struct testbed *tb = tb_new(1, seed);
		struct tb_group g;

		tb_group_plan(tb, &g, &cfg);
		tb->nodes[0].e->shared_used = TALLY_RMQ_CELLS - 8 + more;
		assert_int_equal(tb_group_try(&g, 0).status,
				 more ? TALLY_ADMIN_STATUS_NO_RESOURCE : TALLY_ADMIN_STATUS_OK);
		tb_free(tb);
	}
}

/* The queue pair was reset while an entry was being read. The answer belongs to no request. */
static void entry_of_before_the_reset(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp = tb_qp_create(&g, 0, 1, 16, 0);
	static const uint8_t old[TB_STRIDE];
	struct engine *e;

	(void)state;
	e = tb_enter(n);
	engine_doorbell(e, qp->qpn, 1);
	engine_modify_qp(e, qp->qpn, TALLY_QPS_RESET);
	engine_modify_qp(e, qp->qpn, TALLY_QPS_RTS);
	engine_doorbell(e, qp->qpn, 1);
	engine_wqe(e, qp->qpn, 0, old, sizeof(old));
	assert_int_equal(n->counters[TALLY_CTR_wqes], 0);
	assert_true(e->qps[qp->qpn].fetching); /* the entry of now */
	tb_leave(n);
	tb_free(tb);
}

/* QUERY_EDGES shows probes that are not answered as retries. */
static void probes_are_retries(void **state)
{
	static struct tally_edge_info edges[MAX_EDGES];
	const struct tb_group_cfg cfg = { .nodes = 2 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 2, seed);

	(void)state;
	tb_group_state(&g, 0)->edges[0].probes = 3;
	engine_query_edges(tb_group_node(&g, 0)->e, 0, edges);
	assert_int_equal(le32toh(edges[0].retries), 3);
	tb_free(tb);
}

static enum tally_admin_status try_config(struct testbed *tb, struct tally_group_cfg *config,
					  const struct tally_group_edge *edges, unsigned int num)
{
	struct engine_result r =
		engine_create_group(tb_enter(&tb->nodes[0]), 0, config, edges, num);

	tb_leave(&tb->nodes[0]);
	return r.status;
}

/* In a group of several modes, a node with many children has more inputs than in its ring. */
static void chunk_for_all_children(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 4,
					  .degree = 3,
					  .ranks = 4,
					  .modes = TALLY_MODES_TREE | TALLY_MODES_RING,
					  .flags = TALLY_GROUP_F_ORDERED };
	struct tally_group_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
	struct tally_group_cfg config;
	struct testbed *tb = tb_new(4, seed);
	struct tb_group g;
	unsigned int num;

	(void)state;
	tb_group_plan(tb, &g, &cfg);
	num = tb_group_config(&g, 0, &config, edges);
	config.chunk =
		htole32(1024); /* nine payloads: four ranks, three children, sum and result */
	assert_int_equal(try_config(tb, &config, edges, num), TALLY_ADMIN_STATUS_BAD_FIELD);
	config.chunk = htole32(512);
	assert_int_equal(try_config(tb, &config, edges, num), TALLY_ADMIN_STATUS_OK);
	tb_free(tb);
}

/* A node may have no ranks, but a subtree needs one. */
static void subtree_without_ranks(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .degree = 1, .rank_mask = { 1, 0, 1 } };
	struct tally_group_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
	struct tally_group_cfg config;
	struct testbed *tb = tb_new(3, seed);
	struct tb_group g;
	unsigned int num;

	(void)state;
	tb_group_plan(tb, &g, &cfg);
	num = tb_group_config(&g, 0, &config, edges);
	edges[0].rank_count = 0;
	config.total_ranks = htole32(1);
	assert_int_equal(try_config(tb, &config, edges, num), TALLY_ADMIN_STATUS_BAD_FIELD);
	edges[0].rank_count = htole32(1);
	config.total_ranks = htole32(2);
	assert_int_equal(try_config(tb, &config, edges, num), TALLY_ADMIN_STATUS_OK);
	tb_free(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(indices_of_all_blocks),
		cmocka_unit_test(segments_that_can_be_borrowed),
		cmocka_unit_test(chunks_in_flight),
		cmocka_unit_test(parent_named_twice),
		cmocka_unit_test(place_of_an_answered_query),
		cmocka_unit_test(search_across_the_wrap),
		cmocka_unit_test(query_behind_a_refused_request),
		cmocka_unit_test(errors_are_solicited),
		cmocka_unit_test(every_mismatch_is_of_another),
		cmocka_unit_test(nothing_to_borrow_yet),
		cmocka_unit_test(pairs_taken_as_values),
		cmocka_unit_test(disagreement_of_an_earlier_one),
		cmocka_unit_test(cell_that_came_late),
		cmocka_unit_test(query_after_the_end),
		cmocka_unit_test(younger_result_is_being_written),
		cmocka_unit_test(epochs_go_round),
		cmocka_unit_test(reset_begins_anew),
		cmocka_unit_test(first_arrival_is_shown),
		cmocka_unit_test(edges_come_and_go),
		cmocka_unit_test(abort_waits_for_the_end),
		cmocka_unit_test(wait_is_not_begun_again),
		cmocka_unit_test(late_rank_and_absent_neighbour),
		cmocka_unit_test(rank_leaves_without_a_message),
		cmocka_unit_test(answer_of_a_former_life),
		cmocka_unit_test(newest_tombstones_remain),
		cmocka_unit_test(cells_in_use),
		cmocka_unit_test(entry_of_before_the_reset),
		cmocka_unit_test(probes_are_retries),
		cmocka_unit_test(kill_while_reports_are_collected),
		cmocka_unit_test(acknowledgement_of_another_report),
		cmocka_unit_test(chunk_for_all_children),
		cmocka_unit_test(subtree_without_ranks),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
