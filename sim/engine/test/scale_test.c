// SPDX-License-Identifier: BSD-2-Clause
/* Many groups on one NIC: memory and work follow use, and the limits are exact. */
#include <sys/mman.h>

#include "engine/test/testbed.h"

#define NODES 4
#define GROUPS 1000

static uint64_t seed;

/* Number of times that each of the groups was created, and of its messages since then. */
struct scale {
	struct testbed *tb;
	struct tb_group g; /* the group with the number cfg.group */
	uint32_t life[GROUPS], mid[GROUPS];
};

static void use_group(struct scale *s, unsigned int i)
{
	s->g.cfg.group = i;
	s->g.cfg.jid = 1 + i + s->life[i] * GROUPS;
}

static void make_group(struct scale *s, unsigned int i)
{
	s->life[i]++;
	s->mid[i] = 0;
	use_group(s, i);
	tb_group_create_all(&s->g);
}

static void destroy_group(struct scale *s, unsigned int i)
{
	unsigned int n;

	use_group(s, i);
	for (n = 0; n < NODES; n++)
		tb_group_destroy(&s->g, n);
}

static void scale_new(struct scale *s, unsigned int groups)
{
	const struct tb_group_cfg cfg = { .nodes = NODES, .degree = 2, .ranks = 1, .segs = 1 };
	unsigned int i;

	memset(s, 0, sizeof(*s));
	s->tb = tb_new(NODES, seed);
	tb_group_plan(s->tb, &s->g, &cfg);
	for (i = 0; i < groups; i++)
		make_group(s, i);
	tb_run_for(s->tb, VT_S); /* until nothing is left to do for any of them */
}

/* Run one ALLREDUCE in a group: the sum of the nodes' values. */
static void sum_in_group(struct scale *s, unsigned int i)
{
	struct tb_qp *qp[NODES];
	uint64_t at[NODES], sum = 0, value;
	unsigned int n;

	use_group(s, i);
	for (n = 0; n < NODES; n++) {
		struct tb_post p = tb_request(&s->g, TALLY_OPCODE_ALLREDUCE, s->mid[i], 1);

		qp[n] = tb_qp_create(&s->g, n, 1, 4, 0);
		at[n] = tb_alloc(&s->tb->nodes[n], sizeof(value));
		value = htole64(i * 10 + n);
		sum += i * 10 + n;
		p.w.op = TALLY_OP_SUM;
		p.w.dtype = TALLY_TYPE_UINT64;
		p.w.count = htole32(1);
		tb_inline(&p, &value, sizeof(value));
		tb_result(&p, at[n], sizeof(value));
		tb_post_ring(&s->tb->nodes[n], qp[n], &p);
	}
	tb_finish(s->tb, VT_S);
	for (n = 0; n < NODES; n++) {
		memcpy(&value, tb_at(&s->tb->nodes[n], at[n]), sizeof(value));
		assert_int_equal(le64toh(value), sum);
	}
	tb_run_for(s->tb, VT_MS);
	for (n = 0; n < NODES; n++)
		tb_qp_destroy(&s->g, n, qp[n]);
	tb_recycle(s->tb);
	s->mid[i]++;
}

/* Return the bytes of an engine that are in memory. */
static size_t resident(const struct engine *e)
{
	size_t pages = (sizeof(*e) + TABLE_PAGE - 1) / TABLE_PAGE, num = 0, i;
	unsigned char *in = malloc(pages);

	assert_non_null(in);
	assert_int_equal(mincore((void *)e, sizeof(*e), in), 0);
	for (i = 0; i < pages; i++)
		num += in[i] & 1;
	free(in);
	return num * TABLE_PAGE;
}

/* ---- A thousand groups ---- */

static void thousand_groups(void **state)
{
	static struct scale s;
	unsigned int i;

	(void)state;
	scale_new(&s, GROUPS);
	for (i = 0; i < GROUPS; i++)
		sum_in_group(&s, i);
	for (i = 1; i < GROUPS; i += 2)
		destroy_group(&s, i);
	tb_run_for(s.tb, VT_S);
	for (i = 1; i < GROUPS; i += 2)
		make_group(&s, i);
	tb_run_for(s.tb, VT_S);
	for (i = 0; i < GROUPS; i++)
		sum_in_group(&s, i);
	tb_free(s.tb);
}

/* ---- Memory ---- */

#define EMPTY_BYTES (32u << 10)
#define GROUP_BYTES (32u << 10) /* of a group with up to three edges that ran one message */
#define FREE_SEG_BYTES TABLE_PAGE	/* of a segment that carried no data */
#define REST_BYTES (1u << 20)

static void memory_follows_use(void **state)
{
	static struct scale s;
	const struct engine *e;
	unsigned int i;

	(void)state;
	scale_new(&s, 0);
	e = s.tb->nodes[0].e;
	assert_in_range(resident(e), 1, EMPTY_BYTES);
	for (i = 0; i < GROUPS; i++)
		make_group(&s, i);
	tb_run_for(s.tb, VT_S);
	assert_in_range(resident(e), 1, REST_BYTES + GROUPS * (GROUP_BYTES + FREE_SEG_BYTES));
	for (i = 0; i < GROUPS; i++)
		destroy_group(&s, i);
	tb_run_for(s.tb, VT_S);
	assert_in_range(resident(e), 1, REST_BYTES + TALLY_MAX_TOMBSTONES * GROUP_BYTES +
						GROUPS * FREE_SEG_BYTES);
	tb_free(s.tb);
}

/* A queue pair that has one request at a time uses no more memory after the hundredth. */
static void requests_share_places(void **state)
{
	static struct scale s;
	const struct engine *e;
	struct tb_qp *qp[NODES];
	unsigned int n, i;
	size_t first = 0;

	(void)state;
	scale_new(&s, 1);
	use_group(&s, 0);
	e = s.tb->nodes[0].e;
	for (n = 0; n < NODES; n++)
		qp[n] = tb_qp_create(&s.g, n, 1, 4, 0);
	for (i = 0; i < 100; i++) {
		for (n = 0; n < NODES; n++) {
			struct tb_post p = tb_request(&s.g, TALLY_OPCODE_BARRIER, i, 1);

			tb_post_ring(&s.tb->nodes[n], qp[n], &p);
		}
		tb_finish(s.tb, VT_S);
		tb_run_for(s.tb, VT_MS);
		first = i ? first : resident(e);
	}
	assert_in_range(resident(e), first, first + 4 * TABLE_PAGE);
	tb_free(s.tb);
}

/* ---- Work ---- */

/* Return how often an edge or a group is asked for its time in one message of group 0. */
static uint64_t visits(unsigned int groups)
{
	static struct scale s;
	uint64_t before, after;

	scale_new(&s, groups);
	before = s.tb->nodes[0].e->timer_visits;
	sum_in_group(&s, 0);
	after = s.tb->nodes[0].e->timer_visits;
	tb_free(s.tb);
	return after - before;
}

static void idle_groups_cost_nothing(void **state)
{
	uint64_t alone = visits(1);

	(void)state;
	assert_true(alone > 0);
	assert_in_range(visits(GROUPS), 1, alone + alone / 4);
}

/* ---- Limits ---- */

static void edges_are_limited(void **state)
{
	const struct tb_group_cfg cfg = { .nodes = TALLY_MAX_CONTRIBUTORS + 1,
					  .degree = TALLY_MAX_CONTRIBUTORS, .segs = 1 };
	struct testbed *tb = tb_new(cfg.nodes, seed);
	struct engine_result r;
	struct tb_group g;
	unsigned int i;

	(void)state;
	tb_group_plan(tb, &g, &cfg);
	for (i = 0; i < TALLY_MAX_EDGES / TALLY_MAX_CONTRIBUTORS; i++) {
		g.cfg.group = i;
		g.cfg.jid = 1 + i;
		tb_group_create(&g, 0);
	}
	g.cfg.group = i;
	g.cfg.jid = 1 + i;
	r = tb_group_try(&g, 0);
	assert_int_equal(r.status, TALLY_ADMIN_STATUS_NO_RESOURCE);
	assert_int_equal(r.bad_offset, offsetof(struct tally_group_cfg, num_edges));
	g.cfg.group = 0;
	tb_group_destroy(&g, 0);
	g.cfg.group = i;
	tb_group_create(&g, 0);
	tb_free(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thousand_groups),
		cmocka_unit_test(memory_follows_use),
		cmocka_unit_test(requests_share_places),
		cmocka_unit_test(idle_groups_cost_nothing),
		cmocka_unit_test(edges_are_limited),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
