// SPDX-License-Identifier: BSD-2-Clause
/*
 * Features of a work request beyond the plain collective: participants, flag word, indices of
 * minima, chunk lengths. Also disagreement about them, the next epoch of a group, and the arrivals
 * that the driver can query.
 */
#include "engine/test/testbed.h"
#include "firmware/kill.h"

#define NODES 7
#define RANKS 2
#define COUNT 3000 /* int32 elements: three chunks of 4096 bytes */
#define LEN (4 * COUNT)

static uint64_t seed;

struct scene {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[NODES][RANKS];
	uint64_t in[NODES][RANKS], out[NODES][RANKS];
};

static struct scene *scene_new(const struct tb_group_cfg *extra)
{
	struct tb_group_cfg cfg = extra ? *extra : (struct tb_group_cfg){ 0 };
	struct scene *s = calloc(1, sizeof(*s));
	unsigned int i, r, k;

	assert_non_null(s);
	cfg.nodes = NODES;
	cfg.ranks = RANKS;
	cfg.timeout_ms = 1000;
	s->tb = tb_new(NODES, seed++);
	tb_group_plan(s->tb, &s->g, &cfg);
	tb_group_create_all(&s->g);
	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++) {
			struct tb_node *n = tb_group_node(&s->g, i);

			s->qp[i][r] = tb_qp_create(&s->g, i, 1u << r, 16, r);
			s->in[i][r] = tb_alloc(n, LEN);
			s->out[i][r] = tb_alloc(n, 4 * LEN);
			for (k = 0; k < COUNT; k++)
				((uint32_t *)tb_at(n, s->in[i][r]))[k] =
					htole32((i + 1) * 100000 + r * 1000000 + k);
		}
	tb_run_for(s->tb, VT_MS);
	return s;
}

static void scene_end(struct scene *s)
{
	tb_run_for(s->tb, 100 * VT_MS);
	tb_assert_all_empty(s->tb);
	tb_free(s->tb);
	free(s);
}

static struct tb_post allreduce(const struct scene *s, uint32_t mid, unsigned int i,
				unsigned int r)
{
	return tb_sum(&s->g, mid, 1u << r, s->in[i][r], s->out[i][r], COUNT);
}

static struct tb_post bcast(const struct scene *s, unsigned int i, unsigned int r,
			    unsigned int root)
{
	struct tb_post p = tb_request(&s->g, TALLY_OPCODE_BCAST, 0, 1u << r);

	p.w.dtype = TALLY_TYPE_INT32;
	p.w.count = htole64(COUNT);
	p.w.root_node = htole16(root);
	if (i == root && !r)
		tb_gather(&p, s->in[i][r], LEN);
	else
		tb_result(&p, s->out[i][r], LEN);
	return p;
}

static void post(struct scene *s, unsigned int i, unsigned int r, const struct tb_post *p)
{
	tb_post_ring(tb_group_node(&s->g, i), s->qp[i][r], p);
}

static const struct tb_wr *last(const struct scene *s, unsigned int i, unsigned int r)
{
	return &s->qp[i][r]->wrs[s->qp[i][r]->posted - 1];
}

static uint32_t result(const struct scene *s, unsigned int i, unsigned int r, unsigned int k)
{
	return le32toh(((uint32_t *)tb_at(tb_group_node(&s->g, i), s->out[i][r]))[k]);
}

static void expect_everywhere(const struct scene *s, enum tally_coll_status status)
{
	unsigned int i, r;

	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++)
			tb_assert_cqe(last(s, i, r), status);
}

/*
 * Check that all requests have the status. Some may have been flushed, as if posted after the end.
 */
static void expect_ends(const struct scene *s, enum tally_coll_status status)
{
	unsigned int i, r, named = 0;

	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++) {
			if (last(s, i, r)->cqe.status == TALLY_WC_WR_FLUSH_ERR) {
				tb_assert_flushed(last(s, i, r), status);
				continue;
			}
			tb_assert_cqe(last(s, i, r), status);
			named++;
		}
	assert_true(named >= 2); /* those between which the disagreement was noticed */
}

/* ---- Disagreement ---- */

/* Two nodes each take the other for the root, so no data ever meet. */
static void roots_that_cross(void **state)
{
	struct scene *s = scene_new(NULL);
	unsigned int i, r;

	(void)state;
	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++) {
			struct tb_post p = bcast(s, i, r, i == 1 ? 2 : 1);

			post(s, i, r, &p);
		}
	tb_finish(s->tb, 200 * VT_MS); /* long before the time limit */
	expect_everywhere(s, TALLY_COLL_ROOT_MISMATCH);
	scene_end(s);
}

static void odd_one(void (*spoil)(struct tb_post *p), enum tally_coll_status status)
{
	unsigned int odd, i, r;

	for (odd = 0; odd < NODES; odd++) {
		struct scene *s = scene_new(NULL);

		for (i = 0; i < NODES; i++)
			for (r = 0; r < RANKS; r++) {
				struct tb_post p = allreduce(s, 0, i, r);

				if (i == odd && r)
					spoil(&p);
				post(s, i, r, &p);
				tb_run_for(s->tb, tb_rand(s->tb, VT_US));
			}
		tb_finish(s->tb, 200 * VT_MS);
		expect_ends(s, status);
		scene_end(s);
	}
}

static void shorter_chunks(struct tb_post *p)
{
	p->w.chunk_len = htole32(1024);
}

static void fewer_contributors(struct tb_post *p)
{
	p->w.node_mask = 0;
	p->w.flags |= htole32(TALLY_WQE_F_NO_CONTRIBUTORS);
}

static void odd_chunks(void **state)
{
	(void)state;
	odd_one(shorter_chunks, TALLY_COLL_CHUNK_MISMATCH);
}

static void odd_node_masks(void **state)
{
	struct scene *s = scene_new(NULL);
	unsigned int r;

	(void)state;
	for (r = 0; r < RANKS; r++) {
		struct tb_post p = allreduce(s, 0, 0, r);

		if (r)
			fewer_contributors(&p);
		post(s, 0, r, &p);
	}
	tb_finish(s->tb, 200 * VT_MS);
	for (r = 0; r < RANKS; r++)
		tb_assert_cqe(last(s, 0, r), TALLY_COLL_MASK_MISMATCH);
	scene_end(s);
}

/* ---- Participants ---- */

/*
 * Node 1's subtree (1, 2, 3) does not take part: the parent's mask leaves it out, and its ranks
 * post EMPTY.
 */
static void part_of_the_group(void **state)
{
	const struct tb_group_cfg ordered = { .flags = TALLY_GROUP_F_ORDERED };
	uint32_t want = 0;
	unsigned int i, r, k, turn;
	struct scene *s;

	(void)state;
	for (i = 0; i < NODES; i++)
		want += i >= 1 && i <= 3 ? 0 : (i + 1) * 100000; /* rank 0 of the others */
	for (turn = 0; turn < 2; turn++) {
		s = scene_new(turn ? &ordered : NULL);
		assert_int_equal(s->g.subtree[1], 3);
		for (i = NODES; i-- > 0;)
			for (r = 0; r < RANKS; r++) {
				struct tb_post p = allreduce(s, 0, i, r);

				if ((i >= 1 && i <= 3) || r) {
					p.w.flags |= htole32(TALLY_WQE_F_EMPTY);
					p.w.num_gather = p.w.num_result = 0;
				}
				if (i >= 1 && i <= 3)
					fewer_contributors(&p);
				if (!i)
					p.w.node_mask = htole64(2); /* only the other child */
				post(s, i, r, &p);
				tb_run_for(s->tb, tb_rand(s->tb, 2 * VT_US));
			}
		tb_finish(s->tb, 100 * VT_MS);
		expect_everywhere(s, TALLY_COLL_OK);
		for (i = 0; i < NODES; i++)
			for (k = 0; k < COUNT && !(i >= 1 && i <= 3); k++)
				assert_int_equal(result(s, i, 0, k), want + 4 * k);
		tb_run_for(s->tb, VT_MS);
		tb_assert_done(&s->g, 3);
		scene_end(s);
	}
}

static void barrier_and_bcast(struct scene *s, unsigned int i, unsigned int r)
{
	struct tb_post p = tb_request(&s->g, TALLY_OPCODE_BARRIER, 0, 1u << r);

	post(s, i, r, &p);
	p = bcast(s, i, r, 4);
	p.w.mid = htole32(1);
	if (i >= 1 && i <= 3) {
		p.w.flags |= htole32(TALLY_WQE_F_EMPTY);
		p.w.num_gather = p.w.num_result = 0;
		fewer_contributors(&p);
	}
	if (!i)
		p.w.node_mask = htole64(2);
	post(s, i, r, &p);
}

/*
 * A broadcast passes a node whose ranks have not told it yet that the subtree of node 1 does not
 * take part. It goes to that subtree too, where an older message keeps the chunk from being done.
 */
static void result_for_who_takes_no_part(void **state)
{
	const struct tb_group_cfg multicast = { .flags = TALLY_GROUP_F_MULTICAST };
	unsigned int i, r, turn;

	(void)state;
	for (turn = 0; turn < 2; turn++) {
		struct scene *s = scene_new(turn ? &multicast : NULL);

		for (i = 1; i < NODES; i++)
			for (r = 0; r < RANKS; r++)
				barrier_and_bcast(s, i, r);
		tb_run_for(s->tb, 200 * VT_MS); /* longer than all retries take */
		for (r = 0; r < RANKS; r++)
			barrier_and_bcast(s, 0, r);
		tb_finish(s->tb, 100 * VT_MS);
		expect_everywhere(s, TALLY_COLL_OK);
		scene_end(s);
	}
}

/* ---- The flag word ---- */

#define FLAG 0xfeedf00d

static uint32_t flag_at(const struct scene *s, unsigned int i, uint64_t at)
{
	return le32toh(*(uint32_t *)tb_at(tb_group_node(&s->g, i), at));
}

static void with_flag(struct tb_post *p, uint64_t at)
{
	p->w.flags &= ~htole32(TALLY_WQE_F_SIGNALED);
	p->w.flags |= htole32(TALLY_WQE_F_FLAG_WORD);
	p->w.flag_addr = htole64(at);
	p->w.flag_lkey = htole32(TB_ANYWHERE);
	p->w.flag_value = htole32(FLAG);
}

/* The request is not signaled, so only the word tells that the whole result is there. */
static void flag_after_the_result(void **state)
{
	struct scene *s = scene_new(NULL);
	unsigned int i, r;
	uint64_t flag[NODES];

	(void)state;
	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++) {
			struct tb_post p = allreduce(s, 0, i, r);

			flag[i] = s->out[i][r] + LEN;
			tb_result(&p, flag[i], 4); /* tells the bed the address */
			p.w.num_result = 1;
			with_flag(&p, flag[i]);
			s->qp[i][r]->wrs = NULL;
			post(s, i, r, &p);
			s->qp[i][r]->wrs[0].result[1] = (struct engine_sge){ flag[i], 4, TB_ANYWHERE };
			s->qp[i][r]->wrs[0].num_result = 2;
		}
	for (i = 0; !flag_at(s, 0, flag[0]); i++) {
		assert_true(i < 10000);
		tb_run_for(s->tb, 100 * VT_NS);
	}
	assert_int_equal(flag_at(s, 0, flag[0]), FLAG);
	/* The sum over all 14 ranks. */
	for (i = 0; i < COUNT; i++)
		assert_int_equal(result(s, 0, RANKS - 1, i), 2 * 2800000 + 7 * 1000000 + 14 * i);
	tb_run_for(s->tb, VT_MS);
	for (i = 0; i < NODES; i++) {
		assert_int_equal(flag_at(s, i, flag[i]), FLAG);
		assert_int_equal(tb_group_node(&s->g, i)->num_cqes, 0);
		tb_group_node(&s->g, i)->open = 0;
	}
	scene_end(s);
}

static void no_flag_after_an_error(void **state)
{
	struct scene *s = scene_new(NULL);
	uint64_t flag = s->out[0][0] + LEN;
	struct tb_post p = allreduce(s, 0, 0, 0), a = tb_request(&s->g, TALLY_OPCODE_ABORT, 0, 2);

	(void)state;
	with_flag(&p, flag);
	post(s, 0, 0, &p);
	tb_run_for(s->tb, 10 * VT_US);
	post(s, 0, 1, &a);
	tb_finish(s->tb, 200 * VT_MS);
	tb_assert_cqe(last(s, 0, 0), TALLY_COLL_ABORTED);
	assert_int_equal(flag_at(s, 0, flag), 0);
	scene_end(s);
}

/* All ranks learn the reason that an ABORT gives, also those of other nodes. */
static void reason_of_an_abort(void **state)
{
	struct scene *s = scene_new(NULL);
	struct tb_post a = tb_request(&s->g, TALLY_OPCODE_ABORT, 0, 2);
	unsigned int i;

	(void)state;
	a.w.count = htole64(TALLY_COLL_COUNT_MISMATCH);
	for (i = 0; i < NODES; i++) {
		struct tb_post p = allreduce(s, 0, i, 0);

		post(s, i, 0, &p);
	}
	tb_run_for(s->tb, 10 * VT_US);
	post(s, 2, 1, &a);
	tb_finish(s->tb, 200 * VT_MS);
	for (i = 0; i < NODES; i++) {
		tb_assert_cqe(last(s, i, 0), TALLY_COLL_COUNT_MISMATCH);
		assert_int_equal(tb_group_state(&s->g, i)->report.detector, 2);
		assert_int_equal(tb_group_state(&s->g, i)->report.ranks, 2);
	}
	scene_end(s);
}

/* ---- Minima with their indices ---- */

static void places_of_minima(void **state)
{
	struct scene *s = scene_new(NULL);
	unsigned int i, r, k;

	(void)state;
	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++) {
			struct tb_post p = allreduce(s, 0, i, r);
			uint32_t *in = tb_at(tb_group_node(&s->g, i), s->in[i][r]);

			for (k = 0; k < COUNT; k++) /* rank k % 2 of node k % 7 has the minimum */
				in[k] = htole32(k % NODES == i && k % RANKS == r ? 5 : 6 + k);
			p.w.op = TALLY_OP_MINLOC;
			p.w.flags |= htole32(TALLY_WQE_F_LOC_VALUES);
			p.w.loc_index = htole64((i * RANKS + r) * COUNT);
			p.result[0].length = 2 * LEN; /* pairs */
			post(s, i, r, &p);
		}
	tb_finish(s->tb, 100 * VT_MS);
	expect_everywhere(s, TALLY_COLL_OK);
	for (k = 0; k < COUNT; k++) {
		unsigned int from = k % NODES * RANKS + k % RANKS;

		assert_int_equal(result(s, 3, 1, 2 * k), 5);
		assert_int_equal(result(s, 3, 1, 2 * k + 1), from * COUNT + k);
	}
	scene_end(s);
}

/* ---- The next epoch ---- */

static void works(struct scene *s, uint32_t mid)
{
	unsigned int i, r;

	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++) {
			struct tb_post p = allreduce(s, mid, i, r);

			post(s, i, r, &p);
		}
	tb_finish(s->tb, 200 * VT_MS);
	expect_everywhere(s, TALLY_COLL_OK);
}

static enum tally_admin_status reset_group(struct scene *s, unsigned int i, uint32_t epoch)
{
	struct tb_node *n = tb_group_node(&s->g, i);
	struct engine_result r = engine_reset_group(tb_enter(n), s->g.cfg.group, epoch);

	tb_leave(n);
	return r.status;
}

static void reset_node(struct scene *s, unsigned int i, uint32_t epoch)
{
	unsigned int r;

	assert_int_equal(reset_group(s, i, epoch), TALLY_ADMIN_STATUS_OK);
	for (r = 0; r < RANKS; r++) {
		tb_qp_modify(&s->g, i, s->qp[i][r], TALLY_QPS_RESET);
		assert_int_equal(tb_qp_modify(&s->g, i, s->qp[i][r], TALLY_QPS_RTS),
				 TALLY_ADMIN_STATUS_OK);
	}
}

/* All nodes get the next epoch, at different times, while packets of the last one are in flight. */
static void reset_and_reuse(void **state)
{
	const struct tb_group_cfg cfg = { .epoch = 0xfffffffe };
	struct scene *s = scene_new(&cfg);
	uint32_t epoch = cfg.epoch;
	unsigned int round, i;

	(void)state;
	tb_lossy(s->tb, 0.05, 0.1, 0.1);
	for (round = 0; round < 4; round++) {
		struct tb_post a = tb_request(&s->g, TALLY_OPCODE_ABORT, 1, 1);
		struct tb_post p = allreduce(s, 1, 2, 1);

		works(s, 0);
		assert_int_equal(reset_group(s, 3, epoch + 1), TALLY_ADMIN_STATUS_BAD_STATE);
		post(s, 2, 1, &p);
		post(s, 5, 0, &a);
		tb_run_for(s->tb, 200 * VT_MS);
		assert_int_equal(reset_group(s, 3, epoch), TALLY_ADMIN_STATUS_BAD_FIELD);
		assert_int_equal(tb_qp_modify(&s->g, 3, s->qp[3][0], TALLY_QPS_RESET),
				 TALLY_ADMIN_STATUS_OK);
		assert_int_equal(tb_qp_modify(&s->g, 3, s->qp[3][0], TALLY_QPS_RTS),
				 TALLY_ADMIN_STATUS_BAD_STATE); /* not before the group is reset */
		if (++epoch == 0)
			epoch++;
		for (i = 0; i < NODES; i++) {
			reset_node(s, i, epoch);
			tb_run_for(s->tb, tb_rand(s->tb, 300 * VT_US));
		}
	}
	works(s, 0);
	scene_end(s);
}

/*
 * The next epoch ends at a leaf before any other node begins it. All nodes learn of the end,
 * although nobody posts anything that would wait for the leaf.
 */
static void reset_after_the_next_end(void **state)
{
	const struct tb_group_cfg cfg = { .epoch = 7 };
	struct scene *s = scene_new(&cfg);
	struct tb_post a = tb_request(&s->g, TALLY_OPCODE_ABORT, 0, 1);
	const unsigned int leaf = NODES - 1;
	unsigned int i;

	(void)state;
	works(s, 0);
	post(s, 0, 0, &a);
	tb_run_for(s->tb, 200 * VT_MS);
	reset_node(s, leaf, 8);
	post(s, leaf, 0, &a);
	tb_run_for(s->tb, 200 * VT_MS);
	for (i = 0; i < leaf; i++)
		reset_node(s, i, 8);
	tb_run_for(s->tb, 200 * VT_MS);
	for (i = 0; i < NODES; i++) {
		assert_false(group_alive(tb_group_state(&s->g, i)));
		assert_int_equal(tb_group_state(&s->g, i)->report.detector, leaf);
		reset_node(s, i, 9);
	}
	works(s, 0);
	scene_end(s);
}

/*
 * All nodes get the next epoch, the lower ones first. They still learn the key of multicast results
 * from above, before their edges open.
 */
static void reset_with_multicast(void **state)
{
	const struct tb_group_cfg cfg = { .flags = TALLY_GROUP_F_MULTICAST };
	struct scene *s = scene_new(&cfg);
	uint32_t key = tb_group_state(&s->g, 0)->mcast_key, sent;
	struct tb_post a = tb_request(&s->g, TALLY_OPCODE_ABORT, 1, 1);
	unsigned int i, r;

	(void)state;
	works(s, 0);
	post(s, 5, 0, &a);
	tb_run_for(s->tb, 200 * VT_MS);
	for (i = NODES; i--;) {
		assert_int_equal(reset_group(s, i, s->g.cfg.epoch + 1), TALLY_ADMIN_STATUS_OK);
		for (r = 0; r < RANKS; r++) {
			tb_qp_modify(&s->g, i, s->qp[i][r], TALLY_QPS_RESET);
			tb_qp_modify(&s->g, i, s->qp[i][r], TALLY_QPS_RTS);
		}
		tb_run_for(s->tb, 300 * VT_US);
	}
	sent = tb_counter(s->tb, TALLY_CTR_mcast_sent);
	works(s, 0);
	assert_true(tb_counter(s->tb, TALLY_CTR_mcast_sent) > sent);
	assert_int_not_equal(tb_group_state(&s->g, 0)->mcast_key, key);
	for (i = 1; i < NODES; i++)
		assert_int_equal(tb_group_state(&s->g, i)->mcast_key,
				 tb_group_state(&s->g, 0)->mcast_key);
	assert_int_equal(tb_counter(s->tb, TALLY_CTR_drop_key), 0);
	assert_int_equal(tb_counter(s->tb, TALLY_CTR_mcast_repaired), 0);
	scene_end(s);
}

/* The group ends before a neighbour has been created. The neighbour is told when it comes. */
static void late_node_learns_of_the_end(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .timeout_ms = 5000 };
	struct testbed *tb = tb_new(3, seed);
	struct tb_qp *qp[3];
	struct tb_group g;
	struct tb_post p;
	unsigned int i;

	(void)state;
	tb_group_plan(tb, &g, &cfg);
	for (i = 0; i < 2; i++) {
		tb_group_create(&g, i);
		qp[i] = tb_qp_create(&g, i, 1, 16, 0);
	}
	tb_run_for(tb, VT_MS);
	p = tb_request(&g, TALLY_OPCODE_ABORT, 0, 1);
	tb_post_ring(tb_group_node(&g, 1), qp[1], &p);
	tb_run_for(tb, VT_S);
	/* no KILL before its key is known */
	assert_int_equal(tb_group_state(&g, 0)->edges[tb_group_slot(&g, 2)].kill, KILL_NONE);
	tb_group_create(&g, 2);
	qp[2] = tb_qp_create(&g, 2, 1, 16, 0);
	p = tb_request(&g, TALLY_OPCODE_BARRIER, 0, 1);
	tb_post_ring(tb_group_node(&g, 2), qp[2], &p);
	tb_run_for(tb, VT_S); /* reports are collected for a sixteenth of the limit */
	tb_assert_cqe(&qp[2]->wrs[0], TALLY_COLL_ABORTED);
	assert_int_equal(le16toh(qp[2]->wrs[0].cqe.detector), 1);
	tb_free(tb);
}

/* ---- Isolation, arrivals ---- */

/* Other groups use all cells that are not reserved; a group with cells of its own continues. */
static void reserved_cells_are_kept(void **state)
{
	const struct tb_group_cfg mine = { .nodes = 2, .msg_cells = 2, .timeout_ms = 500 };
	const struct tb_group_cfg hog = { .nodes = 2, .group = 1, .timeout_ms = 60000 };
	struct testbed *tb = tb_new(2, seed);
	struct tb_qp *qp[2], *full = NULL;
	struct tb_group g[2];
	struct tb_post p;
	unsigned int k;

	(void)state;
	tb_group_plan(tb, &g[0], &mine);
	tb_group_plan(tb, &g[1], &hog);
	tb_group_create_all(&g[0]);
	tb_group_create_all(&g[1]);
	tb_run_for(tb, VT_MS);
	for (k = 0; k < TALLY_RMQ_CELLS - mine.msg_cells; k++) { /* to itself, never taken */
		if (k % TALLY_RMQ_PORT_CAP == 0)
			full = tb_qp_create(&g[1], 0, 1, 128, k / TALLY_RMQ_PORT_CAP);
		p = tb_request(&g[1], TALLY_OPCODE_PUT_MP, 0, 1);
		p.w.flags |= htole32(TALLY_WQE_F_TO_SELF | TALLY_WQE_F_SWP_MP);
		p.w.dest_port = htole16(k / TALLY_RMQ_PORT_CAP);
		p.w.branch = 1;
		tb_post_ring(tb_group_node(&g[1], 0), full, &p);
	}
	tb_run_for(tb, VT_MS);
	assert_int_equal(tb->nodes[0].e->shared_used, TALLY_RMQ_CELLS - mine.msg_cells);
	for (k = 0; k < 2; k++)
		qp[k] = tb_qp_create(&g[0], k, 1, 16, 50);
	p = tb_request(&g[0], TALLY_OPCODE_PUT_MP, 0, 1);
	p.w.flags |= htole32(TALLY_WQE_F_TO_PARENT | TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP);
	p.w.dest_port = htole16(50);
	p.w.branch = 1;
	for (k = 0; k < mine.msg_cells + 1; k++)
		tb_post_ring(tb_group_node(&g[0], 1), qp[1], &p);
	tb_run_for(tb, VT_MS);
	assert_int_equal(tb_group_state(&g[0], 0)->own_cells, mine.msg_cells);
	assert_false(qp[1]->wrs[mine.msg_cells].retired); /* answered with BUSY */
	p = tb_request(&g[0], TALLY_OPCODE_PUT_MP, 0, 1);
	p.w.cpcnt = htole32(1);
	p.w.dest_port = htole16(50);
	p.w.dest_counter = 1;
	p.w.flags |= htole32(TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_TO_SELF | TALLY_WQE_F_CP);
	tb_post_ring(tb_group_node(&g[0], 0), qp[0], &p);
	tb_run_for(tb, 100 * VT_MS);
	assert_true(qp[1]->wrs[mine.msg_cells].retired);
	tb_assert_cqe(&qp[0]->wrs[0], TALLY_COLL_OK);
	tb_assert_cqe(&qp[1]->wrs[0], TALLY_COLL_OK);
	tb_free(tb);
}

static void arrivals_tell_the_skew(void **state)
{
	struct tally_arrival seen[TALLY_NUM_ARRIVALS];
	struct scene *s = scene_new(NULL);
	unsigned int i, r, mid;
	vtime_t first;

	(void)state;
	for (mid = 0; mid < TALLY_NUM_ARRIVALS + 3; mid++) {
		first = sim_now(s->tb->sim);
		for (i = 0; i < NODES; i++)
			for (r = 0; r < RANKS; r++) {
				struct tb_post p = allreduce(s, mid, i, r);

				post(s, i, r, &p);
				if (!i && !r)
					tb_run_for(s->tb, (mid + 1) * 100 * VT_US);
			}
		tb_finish(s->tb, 100 * VT_MS);
		tb_run_for(s->tb, VT_MS);
	}
	engine_query_arrivals(tb_group_node(&s->g, 0)->e, s->g.cfg.group, seen);
	assert_in_range(le64toh(seen[0].first_ns), first / VT_NS, first / VT_NS + 10000);
	for (i = 0; i < TALLY_NUM_ARRIVALS; i++) {
		uint64_t skew = le64toh(seen[i].last_ns) - le64toh(seen[i].first_ns);

		assert_int_equal(le32toh(seen[i].mid), --mid);
		assert_in_range(skew, (mid + 1) * 100000, (mid + 1) * 100000 + 20000);
		assert_true(le64toh(seen[i].done_ns) > le64toh(seen[i].last_ns));
		assert_int_equal(le64toh(seen[i].ranks), 3);
		assert_int_equal(le64toh(seen[i].contributors), 3);
		assert_int_equal(le64toh(seen[i].count), COUNT);
	}
	scene_end(s);
}

/* The results are longer than a completion can report, as if 64 ranks wrote 2 GiB each. */
static void bytes_saturate(void **state)
{
	struct scene *s = scene_new(NULL);
	unsigned int i, r;
	struct tb_post p;

	(void)state;
	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++) {
			p = allreduce(s, 0, i, r);
			if (i || r)
				post(s, i, r, &p);
		}
	tb_run_for(s->tb, VT_MS);
	wr_at(&tb_group_node(&s->g, 1)->e->qps[s->qp[1][0]->qpn], 0)->bytes = UINT32_MAX - LEN / 2;
	p = allreduce(s, 0, 0, 0);
	post(s, 0, 0, &p);
	tb_run_for(s->tb, 10 * VT_MS);
	expect_everywhere(s, TALLY_COLL_OK);
	assert_int_equal(le32toh(last(s, 1, 0)->cqe.byte_cnt), UINT32_MAX);
	assert_int_equal(le32toh(last(s, 1, 1)->cqe.byte_cnt), LEN);
	scene_end(s);
}

/* ---- Order and limits of requests ---- */

static struct tb_post barrier(const struct scene *s, uint32_t mid, unsigned int r)
{
	return tb_request(&s->g, TALLY_OPCODE_BARRIER, mid, 1u << r);
}

/* Let all ranks but one post a barrier. */
static void others_post(struct scene *s, uint32_t mid, unsigned int but_node, unsigned int but_rank)
{
	unsigned int i, r;

	for (i = 0; i < NODES; i++)
		for (r = 0; r < RANKS; r++) {
			struct tb_post p = barrier(s, mid, r);

			if (i != but_node || r != but_rank)
				post(s, i, r, &p);
		}
}

/* The send queue is full of requests that wait, and of an ABORT as the last. */
static void abort_in_a_full_queue(void **state)
{
	struct scene *s = scene_new(NULL);
	struct tb_node *n = tb_group_node(&s->g, 2);
	struct tb_qp *qp = s->qp[2][0];
	struct tb_post p = tb_request(&s->g, TALLY_OPCODE_ABORT, 0, 1);
	uint32_t mid;

	(void)state;
	for (mid = 0; mid < qp->depth - 1; mid++) {
		struct tb_post b = barrier(s, mid, 0);

		tb_post(n, qp, &b);
	}
	tb_post_ring(n, qp, &p);
	tb_finish(s->tb, 200 * VT_MS);
	assert_int_equal(tb_count_events(n, TALLY_EQE_QP_FATAL), 0);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_ABORTED);
	tb_assert_cqe(&qp->wrs[qp->depth - 1], TALLY_COLL_OK);
	scene_end(s);
}

/* The limit on segments counts those of the request, not those of unfinished messages before it. */
static void one_segment_behind_a_message(void **state)
{
	struct scene *s = scene_new(NULL);
	const struct qp *inside = &tb_group_node(&s->g, 1)->e->qps[s->qp[1][0]->qpn];
	unsigned int i, r;
	uint32_t mid;

	(void)state;
	for (mid = 0; mid < 2; mid++) {
		struct tb_post p = allreduce(s, mid, 1, 0);

		p.w.seg_count = htole16(mid);
		post(s, 1, 0, &p);
	}
	tb_run_for(s->tb, 50 * VT_US);
	assert_int_equal(inside->wrs[0].begun, 3);
	assert_int_equal(inside->wrs[1].begun, 1);
	for (mid = 0; mid < 2; mid++)
		for (i = 0; i < NODES; i++)
			for (r = 0; r < RANKS; r++) {
				struct tb_post p = allreduce(s, mid, i, r);

				if (i != 1 || r)
					post(s, i, r, &p);
			}
	tb_finish(s->tb, 200 * VT_MS);
	expect_everywhere(s, TALLY_COLL_OK);
	scene_end(s);
}

/*
 * A request is ahead of its turn for half the limit. Then it is the next message, and waits for the
 * window longer than the rest of the limit. The older message, which it waits for, is in time.
 */
static void ahead_and_then_shut_out(void **state)
{
	const struct tb_group_cfg cfg = { .segs = 1 };
	struct scene *s = scene_new(&cfg);
	struct tb_qp *second = tb_qp_create(&s->g, 1, 1, 16, RANKS);
	struct tb_post p = barrier(s, 1, 0);

	(void)state;
	post(s, 1, 0, &p);
	tb_run_for(s->tb, 400 * VT_MS); /* the limit is three quarters of a second */
	p = barrier(s, 0, 0);
	tb_post_ring(tb_group_node(&s->g, 1), second, &p);
	tb_run_for(s->tb, 500 * VT_MS);
	others_post(s, 0, 1, 0);
	others_post(s, 1, 1, 0);
	tb_finish(s->tb, 10 * VT_MS);
	tb_assert_cqe(&second->wrs[0], TALLY_COLL_OK);
	expect_everywhere(s, TALLY_COLL_OK);
	tb_qp_destroy(&s->g, 1, second);
	scene_end(s);
}

/* The group dies while the flag word of a finished request is written. The request succeeds. */
static void end_while_the_flag_is_written(void **state)
{
	struct scene *s = scene_new(NULL);
	struct tb_node *n = tb_group_node(&s->g, 1);
	struct tb_post p = barrier(s, 0, 0), a = tb_request(&s->g, TALLY_OPCODE_ABORT, 1, 1);

	(void)state;
	n->slow = 500 * VT_MS;
	with_flag(&p, s->out[1][0]);
	p.w.flags |= htole32(TALLY_WQE_F_SIGNALED);
	post(s, 1, 0, &p);
	s->qp[1][0]->wrs[0].result[0] = (struct engine_sge){ s->out[1][0], 4, TB_ANYWHERE };
	s->qp[1][0]->wrs[0].num_result = 1;
	others_post(s, 0, 1, 0);
	tb_run_for(s->tb, VT_MS);
	assert_true(n->e->qps[s->qp[1][0]->qpn].wrs[0].flag_written);
	post(s, 5, 0, &a);
	tb_run_for(s->tb, 200 * VT_MS);
	assert_int_equal(tb_group_state(&s->g, 1)->state, TALLY_GROUP_DEAD);
	assert_false(last(s, 1, 0)->retired);
	tb_run_for(s->tb, 500 * VT_MS);
	tb_assert_cqe(last(s, 1, 0), TALLY_COLL_OK);
	assert_int_equal(flag_at(s, 1, s->out[1][0]), FLAG);
	n->slow = 0;
	scene_end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roots_that_cross),
		cmocka_unit_test(odd_chunks),
		cmocka_unit_test(odd_node_masks),
		cmocka_unit_test(part_of_the_group),
		cmocka_unit_test(result_for_who_takes_no_part),
		cmocka_unit_test(flag_after_the_result),
		cmocka_unit_test(no_flag_after_an_error),
		cmocka_unit_test(reason_of_an_abort),
		cmocka_unit_test(places_of_minima),
		cmocka_unit_test(reset_and_reuse),
		cmocka_unit_test(reset_after_the_next_end),
		cmocka_unit_test(reset_with_multicast),
		cmocka_unit_test(late_node_learns_of_the_end),
		cmocka_unit_test(reserved_cells_are_kept),
		cmocka_unit_test(arrivals_tell_the_skew),
		cmocka_unit_test(bytes_saturate),
		cmocka_unit_test(abort_in_a_full_queue),
		cmocka_unit_test(one_segment_behind_a_message),
		cmocka_unit_test(ahead_and_then_shut_out),
		cmocka_unit_test(end_while_the_flag_is_written),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
