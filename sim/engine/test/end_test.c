// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ends of groups: ranks that are late or gone, nodes that die, aborts, disagreement, neighbours
 * that come late, never, or anew. In every case each work request has one outcome within the time
 * limit, and its report names the detector and what was missing.
 */
#include "engine/test/test_job.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define LIMIT_MS 200
#define ANY (-1)

static uint64_t seed;

/*
 * A group of seven nodes in a binary tree (0: 1 4, 1: 2 3, 4: 5 6), and a job with two processes
 * per node.
 */
struct scene {
	struct testbed *tb;
	struct tb_group g;
	struct job j;
};

/* Beds are expensive, so one that a scene leaves clean serves the next scene. */
static struct testbed *spare;

static struct testbed *bed_take(unsigned int nodes)
{
	struct testbed *tb = spare;

	if (!tb || tb->num_nodes != nodes)
		return tb_new(nodes, seed++);
	spare = NULL;
	return tb;
}

static void bed_give_back(struct testbed *tb)
{
	unsigned int i;

	if (spare)
		tb_free(spare);
	spare = tb;
	tb_lossy(tb, 0, 0, 0);
	tb->net.hook = NULL;
	for (i = 0; i < tb->num_nodes; i++) {
		struct tb_node *n = &tb->nodes[i];

		n->dead = n->fail_reads = n->fail_writes = false;
		n->slow = 0;
		n->num_events = 0;
		memset(n->counters, 0, sizeof(n->counters));
	}
}

static struct scene *scene_plan(const struct tb_group_cfg *cfg, bool lossy)
{
	struct scene *s = calloc(1, sizeof(*s));
	struct tb_group_cfg c = *cfg;

	assert_non_null(s);
	if (!c.nodes)
		c.nodes = 7;
	if (!c.ranks)
		c.ranks = 2;
	if (!c.timeout_ms)
		c.timeout_ms = LIMIT_MS;
	c.retry_limit = 8;
	s->tb = bed_take(c.nodes);
	if (lossy)
		tb_lossy(s->tb, 0.1, 0.1, 0.1);
	tb_group_plan(s->tb, &s->g, &c);
	return s;
}

static struct scene *scene_new(bool lossy)
{
	const struct tb_group_cfg cfg = { 0 };
	struct scene *s = scene_plan(&cfg, lossy);

	tb_group_create_all(&s->g);
	job_init(&s->j, &s->g, seed, false);
	return s;
}

static void scene_end(struct scene *s)
{
	job_end(&s->j);
	tb_assert_all_empty(s->tb);
	/* every KILL of a NIC is plausible to the others */
	assert_int_equal(tb_counter(s->tb, TALLY_CTR_drop_kill), 0);
	bed_give_back(s->tb);
	free(s);
}

static void add_allreduces(struct scene *s, unsigned int n)
{
	while (n--)
		job_add(&s->j, TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT32, 5);
}

/* Let all processes except `except` post up to message `end`. */
static void post_until(struct scene *s, unsigned int end, const struct job_poster *except)
{
	unsigned int i, mid;

	for (mid = 0; mid < end; mid++)
		for (i = 0; i < s->j.num_posters; i++)
			if (s->j.posters[i].next == mid && &s->j.posters[i] != except)
				job_post(&s->j, &s->j.posters[i]);
}

/* Run some messages successfully, so that the end does not always come at the beginning. */
static void warm_up(struct scene *s)
{
	add_allreduces(s, 3);
	post_until(s, 3, NULL);
	tb_finish(s->tb, LIMIT_MS * VT_MS);
}

static void finish(struct scene *s)
{
	tb_finish(s->tb, (s->g.cfg.timeout_ms + 1) * VT_MS);
}

struct report_want {
	int detector;
	uint64_t contributors, ranks;
	bool some_succeed; /* requests of some processes */
};

static void check_failure(const struct scene *s, const struct tb_wr *wr,
			  enum tally_coll_status status, const struct report_want *want)
{
	uint16_t st = le16toh(wr->cqe.coll_status);

	if (st != status)
		fail_msg("status %u, not %u", st, status);
	if (wr->cqe.status == TALLY_WC_WR_FLUSH_ERR)
		tb_assert_flushed(wr, status);
	else
		tb_assert_cqe(wr, status);
	if (want->detector == ANY)
		return;
	if (le16toh(wr->cqe.detector) != want->detector ||
	    le64toh(wr->cqe.contributors) != want->contributors ||
	    le64toh(wr->cqe.ranks) != want->ranks)
		fail_msg("detector %u, contributors %#llx, ranks %#llx; not %u, %#llx, %#llx",
			 le16toh(wr->cqe.detector),
			 (unsigned long long)le64toh(wr->cqe.contributors),
			 (unsigned long long)le64toh(wr->cqe.ranks), want->detector,
			 (unsigned long long)want->contributors, (unsigned long long)want->ranks);
	assert_true(wr->completed - wr->posted <= s->g.cfg.timeout_ms * VT_MS);
}

/*
 * Check that some requests of a process failed with `status`, or were flushed. Returns how many
 * have the status itself.
 */
static unsigned int check_process(const struct scene *s, const struct job_poster *p,
				  enum tally_coll_status status, const struct report_want *want)
{
	unsigned int failed = 0, named = 0, k;

	for (k = 0; k < p->qp->posted; k++) {
		const struct tb_wr *wr = &p->qp->wrs[k];

		assert_true(wr->retired && wr->has_cqe);
		if (!wr->cqe.coll_status)
			continue;
		failed++;
		named += wr->cqe.status != TALLY_WC_WR_FLUSH_ERR;
		check_failure(s, wr, status, want);
	}
	assert_true(failed > 0 || want->some_succeed);
	return named;
}

/*
 * Check that every process except `except` has failed requests, and at least one request has the
 * status.
 */
static void expect(const struct scene *s, enum tally_coll_status status,
		   const struct report_want *want, const struct job_poster *except)
{
	unsigned int i, named = 0;

	for (i = 0; i < s->j.num_posters; i++)
		if (&s->j.posters[i] != except && s->j.posters[i].qp->used)
			named += check_process(s, &s->j.posters[i], status, want);
	assert_true(named > 0);
}

/* Check that a dead group flushes a request that is posted now. */
static void expect_flush(struct scene *s)
{
	struct job_poster *p = &s->j.posters[tb_rand(s->tb, s->j.num_posters)];

	if (!p->qp->used)
		return;
	tb_run_for(s->tb, LIMIT_MS * VT_MS); /* until the end has reached all nodes */
	add_allreduces(s, 1);
	p->next = s->j.num_msgs - 1;
	job_post(&s->j, p);
	finish(s);
	tb_assert_flushed(&p->qp->wrs[p->qp->posted - 1],
			  tb_group_state(&s->g, p->node)->report.status);
}

static void twice(void (*run)(bool lossy))
{
	run(false);
	run(true);
}

/* ---- A rank that does not post ---- */

static void late_rank(unsigned int who, bool lossy)
{
	struct scene *s = scene_new(lossy);
	struct job_poster *late = &s->j.posters[who];
	struct report_want want = { late->node, 0, late->ranks, false };

	warm_up(s);
	add_allreduces(s, 6); /* more than the window */
	post_until(s, 9, late);
	finish(s);
	expect(s, TALLY_COLL_TIMEOUT, &want, late);
	job_post(&s->j, late);
	finish(s);
	tb_assert_flushed(&late->qp->wrs[3], TALLY_COLL_TIMEOUT);
	expect_flush(s);
	scene_end(s);
}

static void late_rank_is_named(void **state)
{
	unsigned int who;

	(void)state;
	for (who = 0; who < 14; who++) {
		late_rank(who, false);
		late_rank(who, true);
	}
}

/* The only rank of its node: the node learns from its parent's report that it is to blame. */
static void lone_late_rank(void **state)
{
	const struct tb_group_cfg cfg = { .ranks = 1 };
	unsigned int who, lossy;

	(void)state;
	for (who = 0; who < 7; who++)
		for (lossy = 0; lossy < 2; lossy++) {
			struct scene *s = scene_plan(&cfg, lossy);
			struct report_want want = { who, 0, 1, false };

			tb_group_create_all(&s->g);
			job_init(&s->j, &s->g, seed, false);
			warm_up(s);
			add_allreduces(s, 6);
			post_until(s, 9, &s->j.posters[who]);
			finish(s);
			expect(s, TALLY_COLL_TIMEOUT, &want, &s->j.posters[who]);
			scene_end(s);
		}
}

/* A work request has a time limit of its own, shorter than the group's. */
static void short_limit(void **state)
{
	struct scene *s = scene_new(false);
	struct tb_post p = tb_request(&s->g, TALLY_OPCODE_BARRIER, 0, 1);
	struct tb_qp *qp = s->j.posters[0].qp;
	struct tb_node *n = tb_group_node(&s->g, 0);

	(void)state;
	p.w.timeout_ms = htole32(20);
	tb_post_ring(n, qp, &p);
	tb_finish(s->tb, LIMIT_MS * VT_MS);
	tb_assert_cqe(&qp->wrs[0], TALLY_COLL_TIMEOUT);
	assert_true(qp->wrs[0].completed - qp->wrs[0].posted <= (20 + LIMIT_MS / 16 + 1) * VT_MS);
	scene_end(s);
}

/* ---- A node that dies ---- */

static bool is_below(const struct scene *s, unsigned int node, unsigned int top)
{
	return node >= top && node < top + s->g.subtree[top];
}

/* Check what the neighbours report about the dead node. */
static void check_parted(const struct scene *s, const struct job_poster *p, unsigned int dead)
{
	int parent = s->g.parent[dead];
	struct report_want want = { .detector = ANY };
	const struct tally_cqe *cqe = &p->qp->wrs[p->qp->posted - 1].cqe;
	uint16_t status = tb_group_state(&s->g, p->node)->report.status;

	assert_true(status == TALLY_COLL_RETRY_EXCEEDED || status == TALLY_COLL_TIMEOUT);
	if (p->node != dead && !is_below(s, p->node, dead)) {
		want.detector = parent;
		want.contributors = 1ULL << tb_group_slot(&s->g, dead);
	} else if (p->node != dead) {
		want.detector = le16toh(cqe->detector);
		assert_int_equal(s->g.parent[want.detector], dead);
	}
	check_process(s, p, status, &want);
}

static void dead_node(unsigned int dead, vtime_t after, bool lossy)
{
	struct scene *s = scene_new(lossy);
	unsigned int i;

	warm_up(s);
	add_allreduces(s, 20);
	post_until(s, 23, NULL);
	tb_run_for(s->tb, after);
	tb_group_node(&s->g, dead)->dead = true;
	finish(s);
	for (i = 0; i < s->j.num_posters; i++)
		check_parted(s, &s->j.posters[i], dead);
	tb_group_node(&s->g, dead)->dead = false;
	expect_flush(s);
	scene_end(s);
}

static void dead_node_is_named(void **state)
{
	static const vtime_t after[] = { 0, 900 * VT_NS, 4 * VT_US, 11 * VT_US, 20 * VT_US };
	unsigned int node, k;

	(void)state;
	for (node = 0; node < 7; node++)
		for (k = 0; k < ARRAY_SIZE(after); k++) {
			dead_node(node, after[k], false);
			dead_node(node, after[k], true);
		}
}

/* ---- Abort ---- */

/* More requests are ahead of the ABORT than the engine holds at a time. */
static void abort_group(bool lossy)
{
	struct scene *s = scene_new(lossy);
	struct job_poster *silent = &s->j.posters[13], *p = &s->j.posters[tb_rand(s->tb, 14)];
	struct report_want want = { p->node, 0, p->ranks, false };
	const struct tb_wr *wr;
	uint32_t index, k;
	struct tb_post a;

	warm_up(s);
	add_allreduces(s, 40);
	post_until(s, 43, silent);
	tb_run_for(s->tb, tb_rand(s->tb, 30 * VT_US));
	a = tb_request(&s->g, TALLY_OPCODE_ABORT, 0, p->ranks);
	index = tb_post_ring(tb_group_node(&s->g, p->node), p->qp, &a);
	finish(s);
	wr = &p->qp->wrs[index];
	tb_assert_cqe(wr, TALLY_COLL_OK);
	assert_int_equal(wr->cqe.flags, TALLY_CQE_F_NO_RETIRE);
	for (k = 0; k < index; k++)
		assert_true(p->qp->wrs[k].nth < wr->nth);
	p->qp->posted--; /* check the other requests like everyone's */
	expect(s, TALLY_COLL_ABORTED, &want, silent);
	p->qp->posted++;
	expect_flush(s);
	scene_end(s);
}

static void abort_ends_all(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 10; k++)
		twice(abort_group);
}

/*
 * Most of the requests are behind those that the engine holds when the group ends. Each completion
 * still has the message of its request and the cause. If the queue cannot be read any more, it has
 * only the cause.
 */
static void requests_never_fetched(void **state)
{
	struct scene *s = scene_new(false);
	struct job_poster *p = &s->j.posters[2], *blind = &s->j.posters[5];
	struct tb_post a = tb_request(&s->g, TALLY_OPCODE_ABORT, 0, p->ranks);
	const uint32_t last = JOB_MAX_MSGS - 1;
	uint32_t k;

	(void)state;
	add_allreduces(s, last + 1);
	post_until(s, last + 1, &s->j.posters[13]);
	tb_run_for(s->tb, 50 * VT_US);
	blind->qp->no_fetch = true;
	tb_post_ring(tb_group_node(&s->g, p->node), p->qp, &a);
	finish(s);
	for (k = 0; k <= last; k++) {
		const struct tally_cqe *cqe = &p->qp->wrs[k].cqe, *other = &blind->qp->wrs[k].cqe;

		assert_int_equal(le32toh(cqe->mid), k);
		assert_int_equal(cqe->opcode, TALLY_OPCODE_ALLREDUCE);
		assert_int_equal(le16toh(cqe->coll_status), TALLY_COLL_ABORTED);
		assert_int_equal(le16toh(cqe->detector), p->node);
		assert_int_equal(le64toh(cqe->ranks), p->ranks);
		assert_int_equal(le16toh(other->coll_status), TALLY_COLL_ABORTED);
	}
	tb_assert_flushed(&p->qp->wrs[last], TALLY_COLL_ABORTED);
	assert_int_equal(blind->qp->wrs[last].cqe.status, TALLY_WC_WR_FLUSH_ERR);
	assert_int_equal(blind->qp->wrs[last].cqe.opcode, 0);
	blind->qp->no_fetch = false;
	scene_end(s);
}

/*
 * Memory is so slow that the group ends before an access does. No request completes before its
 * access.
 */
static void slow_memory(void **state)
{
	struct scene *s = scene_new(false);
	struct job_poster *p = &s->j.posters[8];
	struct tb_node *n = tb_group_node(&s->g, p->node);
	struct report_want want = { p->node, 0, p->ranks, false };
	struct tb_post a;
	vtime_t posted;
	unsigned int k;

	(void)state;
	warm_up(s);
	add_allreduces(s, 4);
	n->slow = LIMIT_MS / 2 * VT_MS;
	for (k = 0; k < 4; k++)
		job_post(&s->j, p);
	tb_run_for(s->tb, 20 * VT_US);
	posted = sim_now(s->tb->sim);
	a = tb_request(&s->g, TALLY_OPCODE_ABORT, 0, p->ranks);
	tb_post_ring(n, p->qp, &a);
	finish(s);
	for (k = 3; k < 8; k++) /* requests 3 to 6 and the ABORT */
		assert_true(p->qp->wrs[k].completed - posted > LIMIT_MS / 3 * VT_MS);
	assert_true(p->qp->wrs[7].nth > p->qp->wrs[6].nth);
	p->qp->posted--;
	assert_true(check_process(s, p, TALLY_COLL_ABORTED, &want) > 0);
	p->qp->posted++;
	scene_end(s);
}

/* ---- Ranks that leave ---- */

static void qp_destroyed(bool lossy)
{
	struct scene *s = scene_new(lossy);
	struct job_poster *p = &s->j.posters[tb_rand(s->tb, 14)];
	struct job_poster *late = &s->j.posters[(p - s->j.posters + 5) % 14];
	struct report_want want = { p->node, 0, p->ranks, false };

	warm_up(s);
	add_allreduces(s, 2);
	post_until(s, 5, late);
	tb_run_for(s->tb, 5 * VT_US);
	tb_qp_destroy(&s->g, p->node, p->qp);
	tb_run_for(s->tb, VT_MS);
	job_post(&s->j, late);
	finish(s);
	expect(s, TALLY_COLL_RANK_GONE, &want, NULL);
	scene_end(s);
}

static void qp_destroyed_in_mid_collective(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 5; k++)
		twice(qp_destroyed);
}

static void detach(struct scene *s, const struct job_poster *p)
{
	struct tb_node *n = tb_group_node(&s->g, p->node);
	struct engine_result r = engine_detach_ranks(tb_enter(n), s->g.cfg.group, p->ranks);

	tb_leave(n);
	assert_int_equal(r.status, TALLY_ADMIN_STATUS_OK);
}

/* before: the rank leaves before the others post, otherwise while they wait for it. */
static void rank_leaves(bool before, bool lossy)
{
	struct scene *s = scene_new(lossy);
	struct job_poster *p = &s->j.posters[tb_rand(s->tb, 14)];
	struct report_want want = { p->node, 0, p->ranks, false };
	vtime_t posted;

	warm_up(s);
	add_allreduces(s, 3);
	if (before) {
		tb_qp_destroy(&s->g, p->node, p->qp);
		detach(s, p);
	}
	posted = sim_now(s->tb->sim);
	post_until(s, 6, p);
	if (!before) {
		tb_run_for(s->tb, 20 * VT_MS);
		tb_qp_destroy(&s->g, p->node, p->qp);
		detach(s, p);
	}
	finish(s);
	expect(s, TALLY_COLL_RANK_GONE, &want, NULL);
	/* noticed long before the time limit */
	if (sim_now(s->tb->sim) - posted > LIMIT_MS / 2 * VT_MS)
		fail_msg("noticed only after %llu us",
			 (unsigned long long)(sim_now(s->tb->sim) - posted) / VT_US);
	expect_flush(s);
	scene_end(s);
}

/* A group of one node has no neighbour that could query. */
static void rank_leaves_a_lone_node(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 1 };
	struct scene *s = scene_plan(&cfg, false);
	struct report_want want = { 0, 0, 2, false };

	(void)state;
	tb_group_create_all(&s->g);
	job_init(&s->j, &s->g, seed, false);
	warm_up(s);
	add_allreduces(s, 3);
	post_until(s, 6, &s->j.posters[1]);
	tb_run_for(s->tb, VT_MS);
	detach(s, &s->j.posters[1]);
	tb_finish(s->tb, LIMIT_MS / 8 * VT_MS);
	expect(s, TALLY_COLL_RANK_GONE, &want, &s->j.posters[1]);
	scene_end(s);
}

static void ranks_that_leave(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 8; k++) {
		rank_leaves(true, k % 2);
		rank_leaves(false, k % 2);
	}
}

/* ---- Groups destroyed ---- */

static void leave(struct scene *s, unsigned int node)
{
	unsigned int i;

	for (i = 0; i < s->j.num_posters; i++)
		if (s->j.posters[i].node == node)
			tb_qp_destroy(&s->g, node, s->j.posters[i].qp);
	tb_group_destroy(&s->g, node);
}

/* Test a destroyed group. At the end it is created again without work, for job_end(). */
static void destroyed(unsigned int node, vtime_t wait, enum tally_coll_status status, bool lossy)
{
	const struct tb_group_cfg no_ranks = { .rank_mask = { 3, 0, 3, 3, 0, 3, 3 } };
	const struct tb_group_cfg usual = { 0 };
	struct scene *s = scene_plan(status == TALLY_COLL_PEER_GONE ? &no_ranks : &usual, lossy);
	struct report_want want = { node, 0, s->g.rank_mask[node], false };
	unsigned int i;

	tb_group_create_all(&s->g);
	job_init(&s->j, &s->g, seed, false);
	warm_up(s);
	tb_run_for(s->tb, 10 * VT_MS);
	leave(s, node);
	tb_run_for(s->tb, wait);
	if (status == TALLY_COLL_RETRY_EXCEEDED) { /* even the tombstone has gone */
		assert_int_equal(tb_group_state(&s->g, node)->state, TALLY_GROUP_NONE);
		want = (struct report_want){ s->g.parent[node],
					     1ULL << tb_group_slot(&s->g, node), 0, false };
	}
	add_allreduces(s, 3);
	for (i = 0; i < s->j.num_posters; i++)
		if (s->j.posters[i].node == node)
			s->j.posters[i].next = 6;
	post_until(s, 6, NULL);
	finish(s);
	expect(s, status, &want, NULL);
	tb_group_create(&s->g, node);
	scene_end(s);
}

static void destroyed_group_answers(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 6; k++) {
		destroyed(k, k * 100 * VT_US, TALLY_COLL_RANK_GONE, k % 2);
		destroyed(k % 2 ? 4 : 1, k * 100 * VT_US, TALLY_COLL_PEER_GONE, k % 2);
		/* a leaf, which only its parent misses */
		destroyed(k % 2 ? 3 : 5, 2 * LIMIT_MS * VT_MS, TALLY_COLL_RETRY_EXCEEDED, k % 2);
	}
}

/*
 * Groups are destroyed as soon as their last request completes. The messages that have begun finish
 * everywhere.
 */
static void drain(bool lossy)
{
	struct scene *s = scene_new(lossy);
	vtime_t start = sim_now(s->tb->sim);
	unsigned int i, k, left[7];
	bool gone[7] = { false };

	add_allreduces(s, 10);
	for (k = 0; k < 5; k++)
		job_add_random(&s->j);
	for (i = 0; i < s->j.num_msgs; i++)
		s->j.msgs[i].silent = false;
	post_until(s, s->j.num_msgs, NULL);
	for (k = 0; k < 7;) {
		tb_run_for(s->tb, VT_US);
		memset(left, 0, sizeof(left));
		for (i = 0; i < s->j.num_posters; i++)
			left[s->j.posters[i].node] += s->j.num_msgs - s->j.posters[i].qp->retired;
		for (i = 0; i < 7; i++)
			if (!left[i] && !gone[i]) {
				gone[i] = true;
				leave(s, i);
				k++;
			}
		assert_true(sim_now(s->tb->sim) - start < LIMIT_MS * VT_MS);
	}
	job_check(&s->j);
	tb_run_for(s->tb, 3 * LIMIT_MS * VT_MS);
	for (i = 0; i < 7; i++) {
		assert_int_equal(tb_count_events(&s->tb->nodes[i], TALLY_EQE_GROUP_DRAINED), 1);
		assert_int_equal(tb_count_events(&s->tb->nodes[i], TALLY_EQE_GROUP_DEAD), 0);
	}
	assert_int_equal(tb_counter(s->tb, TALLY_CTR_kills_sent), 0);
	tb_assert_all_empty(s->tb);
	tb_free(s->tb);
	free(s);
}

static void destruction_finishes_what_was_begun(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 10; k++)
		twice(drain);
}

/* ---- Disagreement ---- */

static const struct job_msg right = { .opcode = TALLY_OPCODE_ALLREDUCE, .op = TALLY_OP_SUM,
				      .dtype = TALLY_TYPE_INT32, .count = 4 };
static const struct job_msg right_reduce = { .opcode = TALLY_OPCODE_REDUCE, .op = TALLY_OP_SUM,
					     .dtype = TALLY_TYPE_INT32, .count = 4,
					     .root_node = 3, .root_rank = 1 };

static void disagree(unsigned int who, const struct job_msg *usual, const struct job_msg *odd,
		     enum tally_coll_status status, bool lossy)
{
	struct scene *s = scene_new(lossy);
	/* a rank that only gives data to a root completes before the disagreement is noticed */
	struct report_want want = { ANY, 0, 0, usual->opcode == TALLY_OPCODE_REDUCE ||
					       odd->opcode == TALLY_OPCODE_REDUCE };
	struct job_poster *p = &s->j.posters[who];

	warm_up(s);
	s->j.num_msgs = 4;
	s->j.msgs[3] = *odd;
	if (lossy)
		job_post(&s->j, p);
	tb_run_for(s->tb, tb_rand(s->tb, 10 * VT_US));
	s->j.msgs[3] = *usual;
	post_until(s, 4, p);
	tb_run_for(s->tb, tb_rand(s->tb, 10 * VT_US));
	s->j.msgs[3] = *odd;
	if (!lossy)
		job_post(&s->j, p);
	finish(s);
	expect(s, status, &want, NULL);
	expect_flush(s);
	scene_end(s);
}

static void disagreement_is_noticed(void **state)
{
	static const enum tally_coll_status status[] = {
		TALLY_COLL_OP_MISMATCH,	    TALLY_COLL_TYPE_MISMATCH,	TALLY_COLL_COUNT_MISMATCH,
		TALLY_COLL_OPCODE_MISMATCH, TALLY_COLL_OPCODE_MISMATCH, TALLY_COLL_ROOT_MISMATCH,
		TALLY_COLL_ROOT_MISMATCH,   TALLY_COLL_OPCODE_MISMATCH,
	};
	struct job_msg odd[ARRAY_SIZE(status)];
	unsigned int k, who;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(odd); k++)
		odd[k] = k < 5 ? right : right_reduce;
	odd[0].op = TALLY_OP_MAX;
	odd[1].dtype = TALLY_TYPE_FP32;
	odd[2].count = 5;
	odd[3].opcode = TALLY_OPCODE_REDUCE;
	odd[4] = (struct job_msg){ .opcode = TALLY_OPCODE_BARRIER };
	odd[5].root_node = 4;
	odd[6].root_rank = 0;
	odd[7].opcode = TALLY_OPCODE_ALLREDUCE;
	odd[7].root_node = odd[7].root_rank = 0;
	for (k = 0; k < ARRAY_SIZE(odd); k++)
		for (who = 0; who < 14; who++)
			disagree(who, k < 5 ? &right : &right_reduce, &odd[k], status[k],
				 who % 3 == 0);
}

/* ---- Handshakes ---- */

/* Nodes create their groups up to seconds apart and post at once. */
static void late_creation(bool lossy)
{
	const struct tb_group_cfg cfg = { .timeout_ms = 20000 };
	struct scene *s = scene_plan(&cfg, lossy);
	unsigned int order[7], i, k;

	for (i = 0; i < 7; i++)
		order[i] = i;
	for (i = 7; i > 1; i--) {
		unsigned int o = order[k = tb_rand(s->tb, i)];

		order[k] = order[i - 1];
		order[i - 1] = o;
	}
	memset(&s->j, 0, sizeof(s->j));
	for (i = 0; i < 7; i++) {
		tb_group_create(&s->g, order[i]);
		tb_run_for(s->tb, tb_rand(s->tb, 2 * VT_S));
	}
	job_init(&s->j, &s->g, seed, false);
	for (k = 0; k < 10; k++)
		job_add_random(&s->j);
	job_post_all(&s->j, 100 * VT_US);
	tb_finish(s->tb, VT_S);
	job_check(&s->j);
	scene_end(s);
}

static void nodes_that_come_late(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < 6; k++)
		twice(late_creation);
}

/* Work that is posted before the neighbour exists waits for it. */
static void work_before_the_neighbour(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = 2, .ranks = 1, .timeout_ms = 10000 };
	unsigned int first;

	(void)state;
	for (first = 0; first < 2; first++) {
		struct scene *s = scene_plan(&cfg, first);
		struct tb_post p = tb_request(&s->g, TALLY_OPCODE_BARRIER, 0, 1);
		struct tb_qp *qp[2];

		tb_group_create(&s->g, first);
		qp[first] = tb_qp_create(&s->g, first, 1, 16, 0);
		tb_post_ring(tb_group_node(&s->g, first), qp[first], &p);
		tb_run_for(s->tb, 5 * VT_S);
		tb_group_create(&s->g, !first);
		qp[!first] = tb_qp_create(&s->g, !first, 1, 16, 0);
		tb_post_ring(tb_group_node(&s->g, !first), qp[!first], &p);
		tb_finish(s->tb, 100 * VT_MS);
		tb_assert_cqe(&qp[0]->wrs[0], TALLY_COLL_OK);
		tb_assert_cqe(&qp[1]->wrs[0], TALLY_COLL_OK);
		tb_free(s->tb);
		free(s);
	}
}

static bool lose_kill(void *arg, struct tb_packet *p)
{
	unsigned int *left = arg;

	if (!*left || p->tch.kind != TALLY_KIND_KILL)
		return true;
	--*left;
	return false;
}

/*
 * The middle one of three nodes ends before its neighbours exist. It repeats KILL until they
 * acknowledge.
 */
static void ended_first(uint32_t flags)
{
	const struct tb_group_cfg cfg = { .nodes = 3, .degree = 1, .ranks = 1, .flags = flags,
					  .timeout_ms = 1000 };
	struct scene *s = scene_plan(&cfg, false);
	struct tb_post p = tb_request(&s->g, TALLY_OPCODE_ABORT, 0, 1);
	struct tb_qp *qp;
	unsigned int lose = 4, i;

	tb_group_create(&s->g, 1);
	qp = tb_qp_create(&s->g, 1, 1, 16, 0);
	tb_post_ring(tb_group_node(&s->g, 1), qp, &p);
	tb_run_for(s->tb, 500 * VT_MS);
	assert_int_equal(tb_group_state(&s->g, 1)->state, TALLY_GROUP_DEAD);
	s->tb->net.hook = lose_kill;
	s->tb->net.hook_arg = &lose;
	tb_group_create(&s->g, 0);
	tb_group_create(&s->g, 2);
	tb_run_for(s->tb, 500 * VT_MS);
	assert_int_equal(lose, 0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(tb_group_state(&s->g, i)->state, TALLY_GROUP_DEAD);
		assert_int_equal(tb_group_state(&s->g, i)->report.status, TALLY_COLL_ABORTED);
	}
	tb_free(s->tb);
	free(s);
}

static void end_before_the_neighbours(void **state)
{
	(void)state;
	ended_first(0);
	ended_first(TALLY_GROUP_F_MULTICAST);
}

static void never_there(unsigned int node, bool lossy)
{
	const struct tb_group_cfg cfg = { 0 };
	struct scene *s = scene_plan(&cfg, lossy);
	struct report_want want = { .detector = ANY };
	unsigned int i, q;

	for (i = 0; i < 7; i++)
		if (i != node)
			tb_group_create(&s->g, i);
	memset(&s->j, 0, sizeof(s->j));
	s->j.g = &s->g;
	s->j.tb = s->tb;
	for (i = 0; i < 7; i++)
		for (q = 0; q < 2 && i != node; q++) {
			struct job_poster *p = &s->j.posters[s->j.num_posters++];

			p->node = i;
			p->ranks = 1ULL << q;
			p->qp = tb_qp_create(&s->g, i, p->ranks, 64, q);
		}
	add_allreduces(s, 6);
	post_until(s, 6, NULL);
	finish(s);
	expect(s, TALLY_COLL_NO_HANDSHAKE, &want, NULL);
	tb_group_create(&s->g, node);
	scene_end(s);
}

static void neighbour_that_never_comes(void **state)
{
	unsigned int node;

	(void)state;
	for (node = 0; node < 7; node++) {
		never_there(node, false);
		never_there(node, true);
	}
}

/* Drop the first handshake packets with CONFIRM. */
static bool lose_confirm(void *arg, struct tb_packet *p)
{
	unsigned int *left = arg;

	if (!*left || p->tch.kind != TALLY_KIND_OPEN ||
	    !(be16toh(p->tch.flags) & TALLY_TCH_F_CONFIRM))
		return true;
	--*left;
	return false;
}

/* A NIC that restarts and creates the group anew cannot join the old epoch. */
static void restarted(unsigned int node, bool lossy)
{
	struct scene *s = scene_new(lossy);
	unsigned int lose = 3;
	struct report_want want = { .detector = ANY };
	unsigned int i;

	warm_up(s);
	add_allreduces(s, 5);
	for (i = 0; i < s->j.num_posters; i++)
		if (s->j.posters[i].node == node)
			s->j.posters[i].next = 8;
	post_until(s, 8, NULL);
	tb_run_for(s->tb, tb_rand(s->tb, VT_MS));
	tb_node_reset(tb_group_node(&s->g, node));
	s->tb->net.hook = lose_confirm;
	s->tb->net.hook_arg = &lose;
	if (!node)
		s->g.cfg.epoch++;
	tb_group_create(&s->g, node);
	finish(s);
	expect(s, TALLY_COLL_EPOCH_CHANGED, &want, NULL);
	scene_end(s);
}

static void restarted_neighbour(void **state)
{
	unsigned int node;

	(void)state;
	for (node = 0; node < 7; node++) {
		restarted(node, false);
		restarted(node, true);
	}
}

/* ---- Configurations that differ ---- */

static bool next_to(const struct tb_group *g, unsigned int a, unsigned int b)
{
	return a == b || g->parent[a] == (int)b || g->parent[b] == (int)a;
}

static void configured(unsigned int node, void (*spoil)(struct tally_group_cfg *c), bool lossy)
{
	const struct tb_group_cfg cfg = { 0 };
	struct scene *s = scene_plan(&cfg, lossy);
	struct tally_group_edge edges[TB_MAX_NODES];
	struct report_want want = { .detector = ANY };
	struct tally_group_cfg c;
	unsigned int i, n;

	for (i = 0; i < 7; i++) {
		struct tb_node *nd = tb_group_node(&s->g, i);
		struct engine_result r;

		n = tb_group_config(&s->g, i, &c, edges);
		if (i == node)
			spoil(&c);
		r = engine_create_group(tb_enter(nd), s->g.cfg.group, &c, edges, n);
		tb_leave(nd);
		assert_int_equal(r.status, TALLY_ADMIN_STATUS_OK);
	}
	job_init(&s->j, &s->g, seed, false);
	add_allreduces(s, 6);
	post_until(s, 6, NULL);
	finish(s);
	for (i = 0; i < s->j.num_posters; i++) {
		/* a node that does not know the epoch cannot learn what others have noticed */
		if (!next_to(&s->g, s->j.posters[i].node, node))
			continue;
		assert_true(check_process(s, &s->j.posters[i], TALLY_COLL_CONFIG_MISMATCH,
					  &want) > 0);
	}
	scene_end(s);
}

static void another_plan(struct tally_group_cfg *c)
{
	c->plan = htole32(2);
}

static void smaller_mtu(struct tally_group_cfg *c)
{
	c->mtu = htole32(1024);
}

static void configurations_that_differ(void **state)
{
	unsigned int node;

	(void)state;
	for (node = 0; node < 7; node++) {
		configured(node, another_plan, node % 2);
		configured(node, smaller_mtu, !(node % 2));
	}
}

/* ---- Memory that fails ---- */

static void data_that_cannot_be_read(void **state)
{
	struct scene *s = scene_new(false);
	struct report_want want = { 2, 0, 1, false };

	(void)state;
	warm_up(s);
	add_allreduces(s, 2);
	tb_group_node(&s->g, 2)->fail_reads = true;
	job_post(&s->j, &s->j.posters[4]);
	tb_run_for(s->tb, 350 * VT_US);
	tb_group_node(&s->g, 2)->fail_reads = false;
	post_until(s, 5, NULL);
	finish(s);
	expect(s, TALLY_COLL_DMA_ERROR, &want, NULL);
	scene_end(s);
}

/* Only the rank whose result is lost gets the error; the others have their results. */
static void result_that_cannot_be_written(void **state)
{
	struct scene *s = scene_new(false);
	unsigned int i;

	(void)state;
	warm_up(s);
	add_allreduces(s, 1);
	tb_group_node(&s->g, 2)->fail_writes = true;
	post_until(s, 4, NULL);
	finish(s);
	for (i = 0; i < s->j.num_posters; i++)
		tb_assert_cqe(&s->j.posters[i].qp->wrs[3], s->j.posters[i].node == 2 ?
			      TALLY_COLL_DMA_ERROR : TALLY_COLL_OK);
	scene_end(s);
}

/* ---- Queue pair states ---- */

static enum tally_admin_status modify(struct scene *s, const struct job_poster *p,
				      enum tally_qp_state state)
{
	return tb_qp_modify(&s->g, p->node, p->qp, state);
}

static void error_state_flushes(void **state)
{
	struct scene *s = scene_new(false);
	struct job_poster *p = &s->j.posters[6];
	struct report_want want = { p->node, 0, p->ranks, false };

	(void)state;
	warm_up(s);
	assert_int_equal(modify(s, p, TALLY_QPS_RTS), TALLY_ADMIN_STATUS_BAD_STATE);
	add_allreduces(s, 40);
	post_until(s, 43, &s->j.posters[7]);
	tb_run_for(s->tb, 20 * VT_US);
	assert_int_equal(modify(s, p, TALLY_QPS_ERROR), TALLY_ADMIN_STATUS_OK);
	finish(s);
	expect(s, TALLY_COLL_RANK_GONE, &want, &s->j.posters[7]);
	assert_int_equal(modify(s, p, TALLY_QPS_RESET), TALLY_ADMIN_STATUS_OK);
	assert_int_equal(modify(s, p, TALLY_QPS_RTS), TALLY_ADMIN_STATUS_BAD_STATE);
	scene_end(s);
}

/*
 * A queue pair without begun requests may be reset, and its ranks continue with their next message.
 * A fetch in flight is not mistaken for new work.
 */
static void reset_between_messages(void **state)
{
	struct scene *s = scene_new(false);
	struct job_poster *p = &s->j.posters[3];
	struct tb_node *n = tb_group_node(&s->g, p->node);
	struct tb_post stale = tb_request(&s->g, TALLY_OPCODE_BARRIER, 3, p->ranks);
	unsigned int k;

	(void)state;
	warm_up(s);
	assert_int_equal(modify(s, p, TALLY_QPS_RESET), TALLY_ADMIN_STATUS_OK);
	assert_int_equal(modify(s, p, TALLY_QPS_RTS), TALLY_ADMIN_STATUS_OK);
	tb_post_ring(n, p->qp, &stale);
	assert_int_equal(modify(s, p, TALLY_QPS_RESET), TALLY_ADMIN_STATUS_OK);
	assert_int_equal(modify(s, p, TALLY_QPS_RTS), TALLY_ADMIN_STATUS_OK);
	add_allreduces(s, 5);
	post_until(s, 8, NULL);
	finish(s);
	for (k = 0; k < 5; k++)
		tb_assert_cqe(&p->qp->wrs[k], TALLY_COLL_OK);
	scene_end(s);
}

/* More requests are posted than the queue holds: the queue pair fails with all its requests. */
static void overrun_queue(void **state)
{
	struct scene *s = scene_new(false);
	struct job_poster *p = &s->j.posters[5];
	struct tb_node *n = tb_group_node(&s->g, p->node);
	unsigned int k;

	(void)state;
	warm_up(s);
	add_allreduces(s, 5);
	for (k = 0; k < 5; k++)
		job_post(&s->j, p);
	engine_doorbell(tb_enter(n), p->qp->qpn, 200);
	tb_leave(n);
	assert_int_equal(tb_count_events(n, TALLY_EQE_QP_FATAL), 1);
	post_until(s, 8, p);
	finish(s);
	for (k = 3; k < 8; k++)
		assert_true(p->qp->wrs[k].cqe.coll_status);
	scene_end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(destroyed_group_answers),
		cmocka_unit_test(destruction_finishes_what_was_begun),
		cmocka_unit_test(disagreement_is_noticed),
		cmocka_unit_test(nodes_that_come_late),
		cmocka_unit_test(work_before_the_neighbour),
		cmocka_unit_test(end_before_the_neighbours),
		cmocka_unit_test(neighbour_that_never_comes),
		cmocka_unit_test(restarted_neighbour),
		cmocka_unit_test(configurations_that_differ),
		cmocka_unit_test(data_that_cannot_be_read),
		cmocka_unit_test(result_that_cannot_be_written),
		cmocka_unit_test(error_state_flushes),
		cmocka_unit_test(reset_between_messages),
		cmocka_unit_test(overrun_queue),
		cmocka_unit_test(late_rank_is_named),
		cmocka_unit_test(lone_late_rank),
		cmocka_unit_test(short_limit),
		cmocka_unit_test(dead_node_is_named),
		cmocka_unit_test(abort_ends_all),
		cmocka_unit_test(requests_never_fetched),
		cmocka_unit_test(slow_memory),
		cmocka_unit_test(qp_destroyed_in_mid_collective),
		cmocka_unit_test(ranks_that_leave),
		cmocka_unit_test(rank_leaves_a_lone_node),
	};

	int failed;

	seed = tb_seed();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (spare)
		tb_free(spare);
	return failed;
}
