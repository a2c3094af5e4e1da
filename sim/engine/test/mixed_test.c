// SPDX-License-Identifier: BSD-2-Clause
/*
 * Groups of several modes: results of messages of all modes, the choice of a mode, disagreements,
 * and a parent that is an ordinary contributor.
 */
#include "engine/test/test_job.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALL_MODES (TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING)

static uint64_t seed;

/* ---- Results ---- */

static uint32_t count_for(uint8_t opcode, unsigned int turn)
{
	static const uint32_t counts[] = { 1, 300, 0, 9 }, blocks[] = { 5, 0, 40, 1 };

	if (opcode == TALLY_OPCODE_BARRIER)
		return 0;
	return opcode_blocked(opcode) ? blocks[turn % 4] : counts[turn % 4];
}

/* Add every opcode that a mode offers, for all modes in turn, so that neighbours differ in mode. */
static void fill(struct job *j, uint8_t modes)
{
	unsigned int turn;

	for (turn = 0; turn < 3 * NUM_CHOICES; turn++) {
		uint8_t mode = TALLY_MODE_TREE + turn % 3, opcode = 1 + (turn / 3 + turn) % NUM_CHOICES;
		uint8_t op = opcode_reduces(opcode) ? TALLY_OP_SUM : TALLY_OP_NONE;
		uint8_t type = opcode == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : TALLY_TYPE_FP64;
		struct job_msg *m;

		if (!(modes & mode_bit(mode)) || !opcode_offered(mode, opcode))
			continue;
		m = job_add(j, opcode, op, type, count_for(opcode, turn));
		m->mode = mode;
		m->in_place = turn % 2;
		m->inline_data = turn % 5 == 0;
		if (opcode_rooted(opcode))
			job_root(j, m, turn * 5);
	}
}

static void run(struct testbed *tb, const struct tb_group_cfg *cfg, bool lossy)
{
	static struct job j;
	struct tb_group g;

	tb_group_plan(tb, &g, cfg);
	tb_group_create_all(&g);
	tb_run_for(tb, lossy ? VT_US : 20 * VT_MS);
	job_init(&j, &g, seed, cfg->nodes % 2);
	fill(&j, cfg->modes);
	job_run(&j, 4 * VT_S, lossy);
	job_end(&j);
}

static void every_size(struct tb_group_cfg cfg, bool lossy)
{
	static const unsigned int nodes[] = { 1, 2, 3, 5, 9, 12 }, segs[] = { 2, 1, 8 };
	unsigned int k;

	cfg.mtu = 256;
	cfg.timeout_ms = 5000;
	for (k = 0; k < ARRAY_SIZE(nodes); k++) {
		struct testbed *tb = tb_new(nodes[k], seed + k);

		tb->net.jitter = 0; /* no packet overtakes another, unless reordering is on */
		if (lossy)
			tb_lossy(tb, 0.1, 0.1, 0.1);
		cfg.nodes = nodes[k];
		cfg.segs = segs[k % 3];
		cfg.ranks = 1 + k % 2;
		run(tb, &cfg, lossy);
		tb_free(tb);
	}
}

static const struct tb_group_cfg groups[] = {
	{ .modes = ALL_MODES },
	{ .modes = ALL_MODES, .radix = { 3, 2, 2 }, .degree = 4 },
	{ .modes = ALL_MODES, .mode = TALLY_MODE_RING, .degree = 1, .flags = TALLY_GROUP_F_ORDERED },
	{ .modes = ALL_MODES, .degree = 3, .flags = TALLY_GROUP_F_MULTICAST },
	{ .modes = TALLY_MODES_TREE | TALLY_MODES_RING },
	{ .modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE, .radix = { 12 } },
	{ .modes = TALLY_MODES_EXCHANGE | TALLY_MODES_RING, .mode = TALLY_MODE_EXCHANGE },
};

static void results(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(groups); k++)
		every_size(groups[k], false);
}

static void results_under_loss(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(groups); k++)
		every_size(groups[k], true);
}

static bool count_results(void *arg, struct tb_packet *p)
{
	unsigned int *num = arg;

	*num += p->tch.kind == TALLY_KIND_RESULT;
	return true;
}

/*
 * Every rank is the root of a REDUCE around the ring, of no element up to several chunks. The sum
 * ends at the root's node, so no result travels on.
 */
static void reduce_around_the_ring(void **state)
{
	static const uint32_t counts[] = { 0, 1, 32, 100 };
	static struct job j;
	const struct tb_group_cfg cfg = { .nodes = 5, .ranks = 2, .mode = TALLY_MODE_RING,
					  .mtu = 256 };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 5, seed);
	unsigned int root, c, results = 0;

	(void)state;
	tb->net.hook = count_results;
	tb->net.hook_arg = &results;
	for (c = 0; c < ARRAY_SIZE(counts); c++) {
		job_init(&j, &g, seed, false);
		j.first_mid = 10 * c;
		j.first_num = tb_group_state(&g, 0)->done;
		for (root = 0; root < 10; root++)
			job_root(&j, job_add(&j, TALLY_OPCODE_REDUCE, TALLY_OP_SUM,
					     TALLY_TYPE_FP64, counts[c]), root);
		job_post_all(&j, 20 * VT_US);
		tb_finish(tb, VT_S);
		job_check(&j);
		while (j.num_posters--)
			tb_qp_destroy(&g, j.posters[j.num_posters].node,
				      j.posters[j.num_posters].qp);
	}
	assert_int_equal(results, 0);
	tb_free(tb);
}

/* ---- Requests of single ranks ---- */

struct scene {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[TB_MAX_NODES][2]; /* of each node and rank */
	uint64_t out[TB_MAX_NODES];
};

static void scene_open(struct scene *s, const struct tb_group_cfg *cfg)
{
	unsigned int i, r;

	s->tb = tb_open(&s->g, cfg, cfg->nodes, seed);
	for (i = 0; i < cfg->nodes; i++)
		for (r = 0; r < s->g.cfg.ranks; r++)
			s->qp[i][r] = tb_qp_create(&s->g, i, 1ULL << r, 16, r);
}

static struct tb_post request(struct scene *s, uint8_t opcode, uint32_t mid, unsigned int rank,
			      uint8_t mode)
{
	struct tb_post p = tb_request(&s->g, opcode, mid, 1ULL << rank);

	p.w.mode = mode;
	return p;
}

static void post(struct scene *s, unsigned int node, unsigned int rank, struct tb_post *p)
{
	tb_post_ring(tb_group_node(&s->g, node), s->qp[node][rank], p);
}

static void post_barrier(struct scene *s, unsigned int node, unsigned int rank, uint8_t mode)
{
	struct tb_post p = request(s, TALLY_OPCODE_BARRIER, 0, rank, mode);

	post(s, node, rank, &p);
}

/* Post a sum of doubles at every node, whose results go to s->out. */
static void post_sum(struct scene *s, uint32_t mid, const double *data, uint32_t count,
		     uint8_t mode)
{
	unsigned int i;

	for (i = 0; i < s->g.cfg.nodes; i++) {
		struct tb_node *n = tb_group_node(&s->g, i);
		struct tb_post p = request(s, TALLY_OPCODE_ALLREDUCE, mid, 0, mode);
		uint64_t from = tb_alloc(n, count * 8 + 1);

		s->out[i] = tb_alloc(n, count * 8 + 1);
		memcpy(tb_at(n, from), data + i * count, count * 8);
		p.w.op = TALLY_OP_SUM;
		p.w.dtype = TALLY_TYPE_FP64;
		p.w.count = htole64(count);
		tb_gather(&p, from, count * 8);
		tb_result(&p, s->out[i], count * 8);
		post(s, i, 0, &p);
	}
}

/* In a ring, a rank beside the root has finished a REDUCE when its data are read. */
static void reduce_lets_others_go(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .ranks = 2, .mode = TALLY_MODE_RING };
	uint8_t value[8] = { 0 };
	struct scene s;
	unsigned int r;

	(void)state;
	scene_open(&s, &cfg);
	for (r = 0; r < 2; r++) {
		struct tb_post p = request(&s, TALLY_OPCODE_REDUCE, 0, r, 0);

		p.w.op = TALLY_OP_SUM;
		p.w.dtype = TALLY_TYPE_FP64;
		p.w.count = htole64(1);
		tb_inline(&p, value, sizeof(value));
		if (!r)
			tb_result(&p, tb_alloc(tb_group_node(&s.g, 0), 8), 8);
		post(&s, 0, r, &p);
	}
	tb_run_for(s.tb, VT_MS);
	assert_false(s.qp[0][0]->wrs[0].has_cqe); /* node 1 has not posted */
	tb_assert_cqe(&s.qp[0][1]->wrs[0], TALLY_COLL_OK);
	tb_free(s.tb);
}

/* ---- Equal calls give equal bits ---- */

#define SUMS 40 /* elements, in several chunks */

/* The sums depend on where they begin, and the calls have other running numbers. */
static void equal_bits_in_a_ring(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 5, .mode = TALLY_MODE_RING, .mtu = 256 };
	uint8_t first[SUMS * 8];
	double data[5 * SUMS];
	struct scene s;
	uint32_t mid;
	unsigned int i;

	(void)state;
	scene_open(&s, &cfg);
	for (i = 0; i < ARRAY_SIZE(data); i++)
		data[i] = (i % 5 ? 1.0 : 1e16) / (3 + i / SUMS);
	for (mid = 0; mid < 3; mid++) {
		post_sum(&s, mid, data, SUMS, 0);
		tb_finish(s.tb, VT_S);
		if (!mid)
			memcpy(first, tb_at(tb_group_node(&s.g, 0), s.out[0]), sizeof(first));
		for (i = 0; i < 5; i++)
			assert_memory_equal(tb_at(tb_group_node(&s.g, i), s.out[i]), first,
					    sizeof(first));
	}
	/* otherwise the test shows nothing */
	assert_int_not_equal(tb_group_state(&s.g, 0)->done / 3 % 5, 0);
	tb_free(s.tb);
}

/* ---- The choice of a mode ---- */

static bool note_modes(void *arg, struct tb_packet *p)
{
	uint8_t *seen = arg;

	if (p->tch.kind == TALLY_KIND_REDUCE || p->tch.kind == TALLY_KIND_RESULT)
		*seen |= mode_bit(mode_of_flags(be16toh(p->tch.flags)));
	return true;
}

#define MOST 192 /* elements of a rank */

/* Return the modes of the packets of one message. */
static uint8_t modes_of(struct scene *s, uint32_t mid, uint32_t count, uint8_t mode)
{
	double data[3 * MOST] = { 0 };
	uint8_t seen = 0;

	assert_true(s->g.cfg.nodes * count <= 3 * MOST);

	s->tb->net.hook = note_modes;
	s->tb->net.hook_arg = &seen;
	post_sum(s, mid, data, count, mode);
	tb_finish(s->tb, VT_S);
	tb_assert_cqe(&s->qp[0][0]->wrs[mid], TALLY_COLL_OK);
	tb_run_for(s->tb, VT_MS);
	return seen;
}

static void choice_by_length(void **state)
{
	const unsigned int allreduce = TALLY_OPCODE_ALLREDUCE - 1;
	struct tb_group_cfg cfg = { .nodes = 3, .modes = ALL_MODES };
	struct scene s;

	(void)state;
	cfg.small[allreduce] = TALLY_MODE_EXCHANGE;
	cfg.middle[allreduce] = TALLY_MODE_TREE;
	cfg.large[allreduce] = TALLY_MODE_RING;
	cfg.small_log[allreduce] = 6;
	cfg.middle_log[allreduce] = 7;
	scene_open(&s, &cfg);
	assert_int_equal(modes_of(&s, 0, 0, 0), TALLY_MODES_EXCHANGE);
	assert_int_equal(modes_of(&s, 1, 8, 0), TALLY_MODES_EXCHANGE);
	assert_int_equal(modes_of(&s, 2, 9, 0), TALLY_MODES_TREE);
	assert_int_equal(modes_of(&s, 3, 16, 0), TALLY_MODES_TREE);
	assert_int_equal(modes_of(&s, 4, 17, 0), TALLY_MODES_RING);
	/* a request that names a mode has it */
	assert_int_equal(modes_of(&s, 5, 8, TALLY_MODE_TREE), TALLY_MODES_TREE);
	assert_int_equal(modes_of(&s, 6, 17, TALLY_MODE_EXCHANGE), TALLY_MODES_EXCHANGE);
	tb_free(s.tb);
}

/* A choice of two modes has no middle, and logs may have the largest value. */
static void choice_of_two(void **state)
{
	const unsigned int allreduce = TALLY_OPCODE_ALLREDUCE - 1;
	struct tb_group_cfg cfg = { .nodes = 3, .modes = ALL_MODES };
	struct scene s;

	(void)state;
	cfg.small[allreduce] = TALLY_MODE_EXCHANGE;
	cfg.large[allreduce] = TALLY_MODE_RING;
	cfg.small_log[allreduce] = 6;
	scene_open(&s, &cfg);
	assert_int_equal(modes_of(&s, 0, 8, 0), TALLY_MODES_EXCHANGE);
	assert_int_equal(modes_of(&s, 1, 9, 0), TALLY_MODES_RING);
	tb_free(s.tb);
	cfg.small_log[allreduce] = cfg.middle_log[allreduce] =
		TALLY_MAX_CHOICE_LOG;
	scene_open(&s, &cfg);
	assert_int_equal(modes_of(&s, 0, MOST, 0), TALLY_MODES_EXCHANGE);
	tb_free(s.tb);
}

/* An entry of 0 chooses the group's mode. */
static void choice_of_the_group(void **state)
{
	const unsigned int allreduce = TALLY_OPCODE_ALLREDUCE - 1;
	struct tb_group_cfg cfg = { .nodes = 3, .modes = ALL_MODES, .mode = TALLY_MODE_RING };
	struct scene s;

	(void)state;
	cfg.small[allreduce] = TALLY_MODE_TREE;
	scene_open(&s, &cfg);
	assert_int_equal(modes_of(&s, 0, 0, 0), TALLY_MODES_TREE);
	assert_int_equal(modes_of(&s, 1, 1, 0), TALLY_MODES_RING);
	tb_free(s.tb);
}

/* ---- Disagreement ---- */

static void expect_mismatch(const struct scene *s, unsigned int node, uint64_t contributors,
			    uint64_t ranks)
{
	const struct group *g = tb_group_state(&s->g, node);

	assert_int_equal(g->report.status, TALLY_COLL_MODE_MISMATCH);
	assert_int_equal(g->report.detector, node);
	assert_int_equal(g->report.contributors, contributors);
	assert_int_equal(g->report.ranks, ranks);
}

/* Two ranks of a node disagree. */
static void mismatch_of_ranks(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .ranks = 2, .modes = ALL_MODES };
	struct scene s;

	(void)state;
	scene_open(&s, &cfg);
	post_barrier(&s, 1, 0, TALLY_MODE_RING);
	tb_run_for(s.tb, VT_US);
	post_barrier(&s, 1, 1, TALLY_MODE_TREE);
	tb_run_for(s.tb, 200 * VT_MS);
	expect_mismatch(&s, 1, 0, 2);
	tb_assert_cqe(&s.qp[1][0]->wrs[0], TALLY_COLL_MODE_MISMATCH);
	tb_free(s.tb);
}

/* A packet disagrees with the ranks of the node where it arrives. */
static void mismatch_of_a_packet(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 5, .modes = ALL_MODES };
	struct scene s;

	(void)state;
	scene_open(&s, &cfg);
	post_barrier(&s, 0, 0, TALLY_MODE_RING);
	tb_run_for(s.tb, VT_US);
	post_barrier(&s, 1, 0, TALLY_MODE_TREE);
	post_barrier(&s, 2, 0, TALLY_MODE_TREE);
	tb_run_for(s.tb, 400 * VT_MS);
	/* node 1 has the sum of node 0, and was told of TREE only then */
	expect_mismatch(&s, 1, 1ULL << tb_modes_index(&s.g, 1, 0), 0);
	tb_assert_cqe(&s.qp[2][0]->wrs[0], TALLY_COLL_MODE_MISMATCH);
	assert_int_equal(s.qp[2][0]->wrs[0].cqe.status, TALLY_WC_REM_ABORT_ERR);
	tb_free(s.tb);
}

static bool no_data(void *arg, struct tb_packet *p)
{
	unsigned int *data = arg;

	*data += p->tch.kind == TALLY_KIND_REDUCE || p->tch.kind == TALLY_KIND_RESULT;
	return true;
}

/*
 * Node 1 waits for its parent, node 0, which waits for its left neighbour, node 2. Nobody sends
 * data, so only the QUERY of a waiting node shows the disagreement.
 */
static void mismatch_in_a_query(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .modes = ALL_MODES };
	static const uint8_t modes[] = { TALLY_MODE_RING, TALLY_MODE_TREE };
	unsigned int i, detector, data = 0;
	struct scene s;

	(void)state;
	scene_open(&s, &cfg);
	s.tb->net.hook = no_data;
	s.tb->net.hook_arg = &data;
	for (i = 0; i < 2; i++) {
		struct tb_post p = request(&s, TALLY_OPCODE_BCAST, 0, 0, modes[i]);

		p.w.root_node = htole16(2);
		post(&s, i, 0, &p);
	}
	tb_run_for(s.tb, 400 * VT_MS);
	detector = tb_group_state(&s.g, 0)->report.detector; /* both ask each other */
	assert_true(detector < 2);
	expect_mismatch(&s, detector, 1ULL << tb_modes_index(&s.g, detector, !detector), 0);
	assert_int_equal(data, 0);
	tb_free(s.tb);
}

/* ---- A parent that is an ordinary contributor ---- */

/* When it dies, a report of its child names it. */
static void parent_with_an_index(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .degree = 2, .timeout_ms = 1000,
					  .modes = TALLY_MODES_TREE | TALLY_MODES_RING };
	struct scene s;
	unsigned int i;

	(void)state;
	scene_open(&s, &cfg);
	for (i = 1; i < 3; i++)
		assert_int_equal(tb_group_state(&s.g, i)->parent, tb_modes_index(&s.g, i, 0));
	tb_group_node(&s.g, 0)->dead = true;
	for (i = 1; i < 3; i++)
		post_barrier(&s, i, 0, TALLY_MODE_TREE);
	tb_finish(s.tb, 2 * VT_S);
	for (i = 1; i < 3; i++) {
		const struct tally_cqe *cqe = &s.qp[i][0]->wrs[0].cqe;
		unsigned int detector = le16toh(cqe->detector);

		tb_assert_cqe(&s.qp[i][0]->wrs[0], TALLY_COLL_RETRY_EXCEEDED);
		assert_int_equal(le64toh(cqe->contributors),
				 1ULL << tb_modes_index(&s.g, detector, 0));
	}
	tb_free(s.tb);
}

/* TO_PARENT names a parent that has an index, too, but only once. */
static void descriptor_to_the_parent(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3,
					  .modes = TALLY_MODES_TREE | TALLY_MODES_RING };
	struct scene s;
	struct tb_post p;

	(void)state;
	scene_open(&s, &cfg);
	p = request(&s, TALLY_OPCODE_PUT_MP, 0, 0, 0);
	p.w.flags |= htole32(TALLY_WQE_F_TO_PARENT | TALLY_WQE_F_CP);
	p.w.node_mask = 0;
	post(&s, 2, 0, &p);
	tb_finish(s.tb, VT_S);
	tb_assert_cqe(&s.qp[2][0]->wrs[0], TALLY_COLL_OK);
	p.w.opcode = TALLY_OPCODE_BCAST_MP;
	p.w.node_mask = htole64(1ULL << tb_modes_index(&s.g, 2, 0));
	post(&s, 2, 0, &p);
	tb_finish(s.tb, VT_S);
	tb_assert_cqe(&s.qp[2][0]->wrs[1], TALLY_COLL_BAD_DEST);
	tb_free(s.tb);
}

/* ---- Refused requests and packets ---- */

static void requests_refused(void **state)
{
	static const struct {
		uint8_t mode, opcode;
		uint32_t flags;
		uint64_t node_mask;
		enum tally_coll_status status;
	} rows[] = {
		{ TALLY_MODE_EXCHANGE, TALLY_OPCODE_BCAST, 0, 0, TALLY_COLL_BAD_MODE },
		{ TALLY_MODE_RING, TALLY_OPCODE_BARRIER, 0, 0, TALLY_COLL_BAD_MODE },
		{ TALLY_MODE_SWITCH, TALLY_OPCODE_BARRIER, 0, 0, TALLY_COLL_BAD_MODE },
		{ TALLY_MODE_TREE, TALLY_OPCODE_ALLGATHER, 0, 0, TALLY_COLL_BAD_MODE },
		{ TALLY_MODE_EXCHANGE, TALLY_OPCODE_BARRIER, TALLY_WQE_F_EMPTY, 0,
		  TALLY_COLL_BAD_FLAGS },
		{ TALLY_MODE_EXCHANGE, TALLY_OPCODE_BARRIER, 0, 1, TALLY_COLL_BAD_NODE_MASK },
		{ TALLY_MODE_TREE, TALLY_OPCODE_QUERY, 0, 0, TALLY_COLL_BAD_RESERVED },
	};
	const struct tb_group_cfg cfg = { .nodes = 3,
					  .modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE };
	unsigned int k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(rows); k++) {
		struct tb_post p;
		struct scene s;

		scene_open(&s, &cfg);
		p = request(&s, rows[k].opcode, 0, 0, rows[k].mode);
		p.w.flags |= htole32(rows[k].flags);
		p.w.node_mask = htole64(rows[k].node_mask);
		post(&s, 0, 0, &p);
		tb_finish(s.tb, VT_MS);
		assert_int_equal(le16toh(s.qp[0][0]->wrs[0].cqe.coll_status), rows[k].status);
		tb_free(s.tb);
	}
}

/* In a message of the tree, only some take part: the mask names children. */
static void part_of_the_tree(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .modes = ALL_MODES };
	uint64_t child;
	struct tb_post p;
	struct scene s;

	(void)state;
	scene_open(&s, &cfg);
	child = 1ULL << tb_modes_index(&s.g, 0, 1);
	p = request(&s, TALLY_OPCODE_BARRIER, 0, 0, TALLY_MODE_TREE);
	p.w.node_mask = htole64(child);
	post(&s, 0, 0, &p);
	post_barrier(&s, 1, 0, TALLY_MODE_TREE);
	p = request(&s, TALLY_OPCODE_BARRIER, 0, 0, TALLY_MODE_TREE);
	p.w.flags |= htole32(TALLY_WQE_F_EMPTY);
	post(&s, 2, 0, &p);
	tb_finish(s.tb, VT_S);
	tb_assert_cqe(&s.qp[0][0]->wrs[0], TALLY_COLL_OK);
	tb_assert_cqe(&s.qp[1][0]->wrs[0], TALLY_COLL_OK);
	tb_assert_cqe(&s.qp[2][0]->wrs[0], TALLY_COLL_OK);
	tb_free(s.tb);
}

struct spoil {
	uint8_t kind;
	uint16_t flags;
	unsigned int left; /* packets to be changed */
};

static bool set_flags(void *arg, struct tb_packet *p)
{
	struct spoil *spoil = arg;

	if (p->tch.kind != spoil->kind || !spoil->left)
		return true;
	spoil->left--;
	p->tch.flags |= htobe16(spoil->flags);
	return true;
}

/* Flags that name no mode, or one that the group does not have, or no mode of this kind. */
static void packets_dropped(void **state)
{
	static const struct spoil rows[] = {
		{ TALLY_KIND_REDUCE, TALLY_TCH_F_EXCHANGE | TALLY_TCH_F_RING, 2 },
		{ TALLY_KIND_REDUCE, TALLY_TCH_F_RING, 2 },
		{ TALLY_KIND_RESULT, TALLY_TCH_F_RING, 2 },
		{ TALLY_KIND_ACK, TALLY_TCH_F_EXCHANGE, 2 },
		{ TALLY_KIND_NOTIFY, TALLY_TCH_F_RING, 1 },
	};
	const struct tb_group_cfg cfg = { .nodes = 3,
					  .modes = TALLY_MODES_TREE | TALLY_MODES_EXCHANGE };
	unsigned int k, i;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(rows); k++) {
		struct spoil spoil = rows[k];
		struct scene s;

		scene_open(&s, &cfg);
		s.tb->net.hook = set_flags;
		s.tb->net.hook_arg = &spoil;
		for (i = 0; i < 3; i++)
			post_barrier(&s, i, 0, TALLY_MODE_TREE);
		tb_finish(s.tb, VT_S);
		tb_run_for(s.tb, 10 * VT_MS);
		assert_int_equal(tb_counter(s.tb, TALLY_CTR_drop_tch), rows[k].left);
		/* it was sent again, and everything went on */
		for (i = 0; i < 3; i++)
			tb_assert_cqe(&s.qp[i][0]->wrs[0], TALLY_COLL_OK);
		tb_free(s.tb);
	}
}

/* ---- Configurations ---- */

#define CFG(field) offsetof(struct tally_group_cfg, field)
#define EDGE(i, field)                                                                             \
	(sizeof(struct tally_group_cfg) + (i) * sizeof(struct tally_group_edge) +                  \
	 offsetof(struct tally_group_edge, field))

struct setting {
	struct testbed *tb;
	struct tb_group g;
	struct tally_group_cfg cfg;
	struct tally_group_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
	unsigned int num;
	/* Edges of node 1: the child gives nothing in EXCHANGE, the other one is not in the tree. */
	unsigned int parent, child, left, other;
};

/*
 * Node 1 of seven, of a binary tree: its parent is node 0, its children are nodes 2 and 3. It has
 * EXCHANGE edges with nodes 0, 3 and 5, and its ring neighbours are nodes 0 and 2.
 */
static void setting_new(struct setting *s)
{
	const struct tb_group_cfg cfg = { .nodes = 7, .ranks = 2, .modes = ALL_MODES };
	unsigned int i;

	s->tb = tb_new(7, seed);
	tb_group_plan(s->tb, &s->g, &cfg);
	s->num = tb_group_config(&s->g, 1, &s->cfg, s->edges);
	s->parent = tb_modes_index(&s->g, 1, 0);
	for (i = 0; i < s->num; i++) {
		uint16_t roles = le16toh(s->edges[i].roles);

		if ((roles & TALLY_ROLE_CHILD) && !(roles & TALLY_ROLE_IN))
			s->child = i;
		if (roles & TALLY_ROLE_RING_IN)
			s->left = i;
		if (!(roles & (TALLY_ROLE_CHILD | TALLY_ROLE_PARENT)))
			s->other = i;
	}
}

#define SPOIL(name, ...)                                                                           \
	static size_t name(struct setting *s)                                                      \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}
#define ROLE(i, role) (s->edges[i].roles |= htole16(TALLY_ROLE_##role))
#define NO_ROLE(i, role) (s->edges[i].roles &= ~htole16(TALLY_ROLE_##role))

SPOIL(modes_unknown, s->cfg.modes |= 8; return CFG(modes))
SPOIL(mode_not_of_the_group, s->cfg.modes &= ~TALLY_MODES_TREE; return CFG(modes))
SPOIL(choice_unknown, s->cfg.choice_small[2] = 77; return CFG(choice_small[2]))
SPOIL(choice_switch, s->cfg.choice_large[0] = TALLY_MODE_SWITCH; return CFG(choice_large[0]))
SPOIL(choice_does_not_offer, s->cfg.choice_small[TALLY_OPCODE_BCAST - 1] = TALLY_MODE_EXCHANGE;
      return CFG(choice_small[TALLY_OPCODE_BCAST - 1]))
SPOIL(middle_does_not_offer, s->cfg.choice_middle[TALLY_OPCODE_REDUCE - 1] = TALLY_MODE_EXCHANGE;
      return CFG(choice_middle[TALLY_OPCODE_REDUCE - 1]))
SPOIL(small_too_long, s->cfg.choice_small_log[3] = 32; return CFG(choice_small_log[3]))
SPOIL(middle_too_long, s->cfg.choice_middle_log[7] = 255; return CFG(choice_middle_log[7]))
SPOIL(large_does_not_offer, s->cfg.choice_large[TALLY_OPCODE_ALLGATHER - 1] = TALLY_MODE_TREE;
      return CFG(choice_large[TALLY_OPCODE_ALLGATHER - 1]))
SPOIL(sparse, s->cfg.flags |= htole32(TALLY_GROUP_F_SPARSE); return CFG(flags))
SPOIL(root_elsewhere, s->cfg.flags |= htole32(TALLY_GROUP_F_ROOT); return CFG(flags))
SPOIL(no_rounds, s->cfg.rounds = 0; return CFG(rounds))
SPOIL(few_cells, s->cfg.msg_cells = htole32(5); return CFG(msg_cells))
SPOIL(epoch_from_a_neighbour, ROLE(s->left, EPOCH); return EDGE(s->left, roles))
SPOIL(role_unknown, s->edges[0].roles |= htole16(1 << 7); return EDGE(0, roles))
SPOIL(two_parents, ROLE(s->other, PARENT);
      return EDGE(s->other > s->parent ? s->other : s->parent, roles))
SPOIL(parent_and_child, NO_ROLE(s->parent, PARENT); ROLE(s->child, PARENT);
      return EDGE(s->child, roles))
SPOIL(no_ring_in, NO_ROLE(s->left, RING_IN); return CFG(num_edges))
SPOIL(subtree_of_no_child, s->edges[s->parent].subtree_count = htole16(1);
      return EDGE(s->parent, subtree_count))
SPOIL(ranks_of_no_child, s->edges[s->parent].rank_count = htole32(1);
      return EDGE(s->parent, rank_count))
SPOIL(part_missing, s->edges[s->other].part_count = 0; return EDGE(s->other, part_count))
SPOIL(part_of_no_input, s->edges[s->child].part_first = htole32(1);
      return EDGE(s->child, part_first))
SPOIL(child_without_subtree, s->edges[s->child].subtree_count = 0;
      return EDGE(s->child, subtree_count))
SPOIL(index_behind, s->edges[s->left].remote_index = htole16(TALLY_CONTRIB_PARENT + 1);
      return EDGE(s->left, remote_index))
SPOIL(roles_without_index, s->edges[s->left].remote_index = htole16(TALLY_CONTRIB_PARENT);
      s->edges[s->left].subtree_first = htole16(6); s->edges[s->left].subtree_count = htole16(1);
      s->edges[s->left].rank_first = htole32(12); s->edges[s->left].rank_count = htole32(2);
      return EDGE(s->left, roles))

static void configurations_refused(void **state)
{
	static const struct {
		const char *name;
		size_t (*spoil)(struct setting *s);
	} cases[] = {
#define CASE(name) { #name, name }
		CASE(modes_unknown), CASE(mode_not_of_the_group), CASE(choice_unknown),
		CASE(choice_switch), CASE(choice_does_not_offer), CASE(large_does_not_offer),
		CASE(middle_does_not_offer), CASE(small_too_long), CASE(middle_too_long),
		CASE(sparse), CASE(root_elsewhere), CASE(no_rounds), CASE(few_cells),
		CASE(epoch_from_a_neighbour), CASE(role_unknown), CASE(parent_and_child),
		CASE(two_parents), CASE(no_ring_in), CASE(subtree_of_no_child),
		CASE(ranks_of_no_child), CASE(part_missing), CASE(child_without_subtree),
		CASE(index_behind), CASE(roles_without_index), CASE(part_of_no_input),
	};
	struct engine_result r;
	struct setting s;
	unsigned int k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(cases); k++) {
		struct tb_node *n;
		size_t offset;

		setting_new(&s);
		n = &s.tb->nodes[1];
		offset = cases[k].spoil(&s);
		r = engine_create_group(tb_enter(n), 0, &s.cfg, s.edges, s.num);
		tb_leave(n);
		if (r.status != TALLY_ADMIN_STATUS_BAD_FIELD || r.bad_offset != offset)
			fail_msg("%s: status %u, offset %u; not %zu", cases[k].name, r.status,
				 r.bad_offset, offset);
		/* the refused call has taken nothing: a correct one succeeds in its place */
		tb_group_create(&s.g, 1);
		tb_free(s.tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results),
		cmocka_unit_test(reduce_around_the_ring),
		cmocka_unit_test(reduce_lets_others_go),
		cmocka_unit_test(equal_bits_in_a_ring),
		cmocka_unit_test(choice_by_length),
		cmocka_unit_test(choice_of_two),
		cmocka_unit_test(choice_of_the_group),
		cmocka_unit_test(mismatch_of_ranks),
		cmocka_unit_test(mismatch_of_a_packet),
		cmocka_unit_test(mismatch_in_a_query),
		cmocka_unit_test(parent_with_an_index),
		cmocka_unit_test(descriptor_to_the_parent),
		cmocka_unit_test(requests_refused),
		cmocka_unit_test(part_of_the_tree),
		cmocka_unit_test(packets_dropped),
		cmocka_unit_test(configurations_refused),
		cmocka_unit_test(results_under_loss),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
