// SPDX-License-Identifier: BSD-2-Clause
/* Configuration calls: refusals, with the field at fault, and the state that a group reports. */
#include "engine/test/testbed.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define CFG(field) offsetof(struct tally_group_cfg, field)
#define EDGE(i, field)                                                                             \
	(sizeof(struct tally_group_cfg) + (i) * sizeof(struct tally_group_edge) +                  \
	 offsetof(struct tally_group_edge, field))
#define NOWHERE 0xffff

static uint64_t seed;

/* Node 1 of a tree 0: 1 4, 1: 2 3, 4: 5 6. Its edges are nodes 2, 3 and the parent. */
struct setting {
	struct testbed *tb;
	struct tb_group g;
	struct tally_group_cfg cfg;
	struct tally_group_edge edges[TB_MAX_NODES];
	unsigned int num;
};

static void setting_new(struct setting *s, unsigned int node)
{
	const struct tb_group_cfg cfg = { .nodes = 7, .ranks = 2, .timeout_ms = 100 };

	s->tb = tb_new(7, seed);
	tb_group_plan(s->tb, &s->g, &cfg);
	s->num = tb_group_config(&s->g, node, &s->cfg, s->edges);
}

static struct engine_result create(struct setting *s, unsigned int node, uint32_t group)
{
	struct tb_node *n = &s->tb->nodes[node];
	struct engine_result r;

	r = engine_create_group(tb_enter(n), group, &s->cfg, s->edges, s->num);
	tb_leave(n);
	return r;
}

static void expect_result(struct engine_result r, enum tally_admin_status status, size_t offset,
			  const char *name)
{
	if (r.status != status || r.bad_offset != offset)
		fail_msg("%s: status %u, offset %u; not %u, %zu", name, r.status, r.bad_offset,
			 status, offset);
}

/* ---- Groups: firmware/test checks the single fields ---- */

#define SPOIL(name, ...)                                                                           \
	static void name(struct setting *s)                                                        \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}

SPOIL(ranks_with_a_gap, s->edges[0].rank_count = htole32(1))
SPOIL(ranks_twice_and_a_gap, s->cfg.rank_first = htole32(8); s->edges[1].rank_first = htole32(5))
SPOIL(edges_differ, s->cfg.num_edges = htole16(2))
SPOIL(subtree_long, s->edges[1].subtree_count = htole16(5))
SPOIL(subtrees_overlap, s->edges[0].subtree_count = htole16(2))

static const struct {
	const char *name;
	void (*spoil)(struct setting *s);
	size_t offset;
} refusals[] = {
#define CASE(spoil, offset) { #spoil, spoil, offset }
	CASE(ranks_with_a_gap, CFG(rank_first)),
	CASE(ranks_twice_and_a_gap, EDGE(1, rank_first)),
	CASE(edges_differ, CFG(num_edges)),
	CASE(subtree_long, EDGE(1, subtree_count)),
	CASE(subtrees_overlap, EDGE(1, subtree_first)),
#undef CASE
};

static void groups_refused(void **state)
{
	struct setting s;
	unsigned int k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(refusals); k++) {
		setting_new(&s, 1);
		refusals[k].spoil(&s);
		expect_result(create(&s, 1, 0), TALLY_ADMIN_STATUS_BAD_FIELD, refusals[k].offset,
			      refusals[k].name);
		/* the refused call has taken nothing: a correct one succeeds in its place */
		s.num = tb_group_config(&s.g, 1, &s.cfg, s.edges);
		expect_result(create(&s, 1, 0), TALLY_ADMIN_STATUS_OK, NOWHERE, refusals[k].name);
		tb_free(s.tb);
	}
}

static void roots_and_leaves_refused(void **state)
{
	struct setting s;

	(void)state;
	setting_new(&s, 0);
	s.cfg.epoch = 0;
	expect_result(create(&s, 0, 0), TALLY_ADMIN_STATUS_BAD_FIELD, CFG(epoch), "root's epoch");
	tb_free(s.tb);
	setting_new(&s, 2);
	s.cfg.rank_mask = s.cfg.owner_ranks = 0;
	s.cfg.flags |= htole32(TALLY_GROUP_F_SPARSE);
	expect_result(create(&s, 2, 0), TALLY_ADMIN_STATUS_BAD_FIELD, CFG(rank_mask), "leaf");
	tb_free(s.tb);
}

static void numbers_in_use(void **state)
{
	struct setting s;

	(void)state;
	setting_new(&s, 1);
	expect_result(create(&s, 1, 3), TALLY_ADMIN_STATUS_OK, NOWHERE, "first");
	expect_result(create(&s, 1, 3), TALLY_ADMIN_STATUS_ID_BUSY, NOWHERE, "number");
	expect_result(create(&s, 1, 4), TALLY_ADMIN_STATUS_EXISTS, CFG(jid), "job id");
	s.cfg.jid ^= 1;
	expect_result(create(&s, 1, 4), TALLY_ADMIN_STATUS_OK, NOWHERE, "second");
	tb_free(s.tb);
}

/* ---- Queue pairs ---- */

static struct engine_result create_qp(struct setting *s, const struct engine_qp_cfg *cfg,
				      uint32_t qpn)
{
	struct tb_node *n = &s->tb->nodes[1];
	struct engine_result r = engine_create_qp(tb_enter(n), qpn, cfg);

	tb_leave(n);
	return r;
}

#define QP(field) offsetof(struct tally_cmd_create_qp, field)

static void queue_pairs_refused(void **state)
{
	const struct engine_qp_cfg good = { .pd = TB_PD, .group = 0, .ranks = 2, .depth = 64,
					    .stride = 512, .port = 9 };
	struct setting s;
	struct engine_qp_cfg c = good;

	(void)state;
	setting_new(&s, 1);
	s.cfg.owner_ranks = htole64(2);
	expect_result(create_qp(&s, &c, 0), TALLY_ADMIN_STATUS_NOT_FOUND, QP(group), "no group");
	expect_result(create(&s, 1, 0), TALLY_ADMIN_STATUS_OK, NOWHERE, "group");
	c.group = TALLY_MAX_GROUP;
	expect_result(create_qp(&s, &c, 0), TALLY_ADMIN_STATUS_NOT_FOUND, QP(group), "group number");
	c = good;
	c.ranks = 0;
	expect_result(create_qp(&s, &c, 0), TALLY_ADMIN_STATUS_BAD_FIELD, QP(ranks), "no ranks");
	c.ranks = 3; /* one rank is not attached */
	expect_result(create_qp(&s, &c, 0), TALLY_ADMIN_STATUS_BAD_FIELD, QP(ranks), "rank not attached");
	c = good;
	c.depth = 63;
	expect_result(create_qp(&s, &c, 0), TALLY_ADMIN_STATUS_BAD_FIELD, QP(depth), "depth");
	c.depth = 2 * TALLY_MAX_SQ_DEPTH;
	expect_result(create_qp(&s, &c, 0), TALLY_ADMIN_STATUS_BAD_FIELD, QP(depth), "deep");
	c = good;
	c.stride = TALLY_MIN_WQE_SIZE / 2;
	expect_result(create_qp(&s, &c, 0), TALLY_ADMIN_STATUS_BAD_FIELD, QP(stride), "narrow");
	c.stride = TALLY_MAX_WQE_SIZE * 2;
	expect_result(create_qp(&s, &c, 0), TALLY_ADMIN_STATUS_BAD_FIELD, QP(stride), "wide");
	expect_result(create_qp(&s, &good, 0), TALLY_ADMIN_STATUS_OK, NOWHERE, "good");
	expect_result(create_qp(&s, &good, 1), TALLY_ADMIN_STATUS_IN_USE, QP(port), "port");
	c = good;
	c.port = 10;
	expect_result(create_qp(&s, &c, 0), TALLY_ADMIN_STATUS_ID_BUSY, QP(qpn), "number");
	expect_result(create_qp(&s, &c, 1), TALLY_ADMIN_STATUS_OK, NOWHERE, "second");
	tb_free(s.tb);
}

/* Request entries are used up by deep queues, and a queue pair that is destroyed gives its own back. */
static void request_entries(void **state)
{
	struct engine_qp_cfg cfg = { .pd = TB_PD, .group = 0, .ranks = 2, .depth = 256, .stride = 256 };
	struct setting s;
	uint32_t n;

	(void)state;
	setting_new(&s, 1);
	s.cfg.owner_ranks = htole64(2);
	expect_result(create(&s, 1, 0), TALLY_ADMIN_STATUS_OK, NOWHERE, "group");
	for (n = 0; n < TALLY_MAX_REQUESTS / TALLY_QP_REQUESTS - 1; n++) {
		cfg.port = n;
		expect_result(create_qp(&s, &cfg, n), TALLY_ADMIN_STATUS_OK, NOWHERE, "deep");
	}
	cfg.port = n;
	cfg.depth = TALLY_REQUEST_STEP;
	expect_result(create_qp(&s, &cfg, n), TALLY_ADMIN_STATUS_OK, NOWHERE, "shallow");
	cfg.port = n + 1;
	cfg.depth = TALLY_QP_REQUESTS;
	expect_result(create_qp(&s, &cfg, n + 1), TALLY_ADMIN_STATUS_NO_RESOURCE, QP(depth), "none left");
	cfg.depth = TALLY_QP_REQUESTS / 2;
	expect_result(create_qp(&s, &cfg, n + 1), TALLY_ADMIN_STATUS_OK, NOWHERE, "some left");
	expect_result(engine_destroy_qp(tb_enter(&s.tb->nodes[1]), n), TALLY_ADMIN_STATUS_OK, NOWHERE,
		      "destroyed");
	tb_leave(&s.tb->nodes[1]);
	cfg.port = n;
	expect_result(create_qp(&s, &cfg, n), TALLY_ADMIN_STATUS_OK, NOWHERE, "given back");
	cfg.port = n + 2;
	cfg.depth = 1;
	expect_result(create_qp(&s, &cfg, n + 2), TALLY_ADMIN_STATUS_NO_RESOURCE, QP(depth), "all used");
	tb_free(s.tb);
}

/* ---- Ranks, queries, destruction ---- */

#define RANKS(field) offsetof(struct tally_cmd_group_ranks, field)

static void ranks_attach_once(void **state)
{
	struct setting s;
	struct engine *e;

	(void)state;
	setting_new(&s, 1);
	s.cfg.owner_ranks = htole64(1);
	e = s.tb->nodes[1].e;
	expect_result(engine_attach_ranks(e, 0, 2), TALLY_ADMIN_STATUS_NOT_FOUND, RANKS(group),
		      "no group");
	expect_result(create(&s, 1, 0), TALLY_ADMIN_STATUS_OK, NOWHERE, "group");
	expect_result(engine_attach_ranks(e, 0, 0), TALLY_ADMIN_STATUS_BAD_FIELD, RANKS(ranks),
		      "none");
	expect_result(engine_attach_ranks(e, 0, 4), TALLY_ADMIN_STATUS_BAD_FIELD, RANKS(ranks),
		      "outside");
	expect_result(engine_attach_ranks(e, 0, 3), TALLY_ADMIN_STATUS_IN_USE, RANKS(ranks),
		      "rank of the owner");
	expect_result(engine_attach_ranks(e, 0, 2), TALLY_ADMIN_STATUS_OK, NOWHERE, "attach");
	expect_result(engine_attach_ranks(e, 0, 2), TALLY_ADMIN_STATUS_IN_USE, RANKS(ranks),
		      "twice");
	expect_result(engine_detach_ranks(e, 0, 4), TALLY_ADMIN_STATUS_BAD_FIELD, RANKS(ranks),
		      "stranger");
	expect_result(engine_detach_ranks(e, 0, 2), TALLY_ADMIN_STATUS_OK, NOWHERE, "detach");
	expect_result(engine_attach_ranks(e, 0, 2), TALLY_ADMIN_STATUS_IN_USE, RANKS(ranks),
		      "rank that left");
	tb_free(s.tb);
}

static void a_group_tells_of_itself(void **state)
{
	struct tally_group_info info;
	struct setting s;
	struct engine *e;

	(void)state;
	setting_new(&s, 1);
	e = s.tb->nodes[1].e;
	expect_result(engine_query_group(e, 0, &info), TALLY_ADMIN_STATUS_NOT_FOUND,
		      offsetof(struct tally_cmd_query, id), "no group");
	tb_group_create(&s.g, 1);
	engine_query_group(e, 0, &info);
	assert_int_equal(info.state, TALLY_GROUP_OPENING);
	assert_int_equal(info.epoch, 0);
	tb_group_create(&s.g, 0);
	tb_group_create(&s.g, 3);
	tb_run_for(s.tb, 50 * VT_MS);
	engine_query_group(e, 0, &info);
	assert_int_equal(info.state, TALLY_GROUP_OPENING);
	assert_int_equal(le32toh(info.jid), s.g.cfg.jid);
	assert_int_equal(le32toh(info.epoch), s.g.cfg.epoch);
	assert_int_equal(le64toh(info.open_edges), 2);
	assert_int_equal(info.parent_open, 1);
	assert_int_equal(le64toh(info.attached), 3);
	tb_group_create(&s.g, 2);
	tb_group_create(&s.g, 4);
	tb_run_for(s.tb, 50 * VT_MS);
	engine_query_group(e, 0, &info);
	assert_int_equal(info.state, TALLY_GROUP_OPEN);
	assert_int_equal(le64toh(info.open_edges), 3);
	tb_free(s.tb);
}

static void expect_edge(const struct setting *s, const struct tally_edge_info *info,
			unsigned int index, unsigned int node)
{
	const struct tb_node *n = tb_group_node(&s->g, node);

	assert_memory_equal(info->gid, n->addr.gid, sizeof(info->gid));
	assert_memory_equal(info->mac, n->addr.mac, sizeof(info->mac));
	assert_int_equal(info->state, TALLY_EDGE_OPEN);
	assert_int_equal(info->index, index);
}

/* Node 1 waits in a barrier: one of its ranks, the leaf 3 and the others have not posted it. */
static void edges_tell_of_themselves(void **state)
{
	const struct tally_edge_info none = { 0 };
	struct tally_edge_info edges[TALLY_MAX_CONTRIBUTORS + 1];
	struct tb_post p;
	struct setting s;

	(void)state;
	setting_new(&s, 1);
	tb_group_create_all(&s.g);
	tb_run_for(s.tb, 50 * VT_MS);
	p = tb_request(&s.g, TALLY_OPCODE_BARRIER, 0, 3);
	tb_post_ring(tb_group_node(&s.g, 2), tb_qp_create(&s.g, 2, 3, 16, 0), &p);
	tb_run_for(s.tb, VT_MS);
	memset(edges, 0xff, sizeof(edges));
	expect_result(engine_query_edges(s.tb->nodes[1].e, 0, edges), TALLY_ADMIN_STATUS_OK,
		      NOWHERE, "edges");
	expect_edge(&s, &edges[0], 0, 2);
	expect_edge(&s, &edges[1], 1, 3);
	expect_edge(&s, &edges[TALLY_CONTRIB_PARENT], TALLY_CONTRIB_PARENT, 0);
	assert_memory_equal(&edges[2], &none, sizeof(none));
	assert_int_equal(le16toh(edges[1].subtree_first), 3);
	assert_int_equal(le16toh(edges[1].subtree_count), 1);
	assert_int_equal(le64toh(edges[0].received), 1);
	assert_int_equal(le64toh(edges[1].received), 0);
	engine_query_edges(s.tb->nodes[2].e, 0, edges);
	assert_int_equal(le64toh(edges[TALLY_CONTRIB_PARENT].sent), 1);
	assert_int_equal(le32toh(edges[TALLY_CONTRIB_PARENT].outstanding), 0);
	tb_free(s.tb);
}

static void segments_tell_of_themselves(void **state)
{
	struct tally_seg_info segs[TALLY_MAX_GROUP_SEGS];
	struct setting s;
	struct tb_post p;
	uint32_t num;

	(void)state;
	setting_new(&s, 1);
	tb_group_create_all(&s.g);
	tb_run_for(s.tb, 50 * VT_MS);
	p = tb_request(&s.g, TALLY_OPCODE_BARRIER, 0, 1);
	tb_post_ring(tb_group_node(&s.g, 1), tb_qp_create(&s.g, 1, 1, 16, 0), &p);
	p = tb_request(&s.g, TALLY_OPCODE_BARRIER, 0, 3);
	tb_post_ring(tb_group_node(&s.g, 2), tb_qp_create(&s.g, 2, 3, 16, 0), &p);
	tb_run_for(s.tb, VT_MS);
	memset(segs, 0xff, sizeof(segs));
	expect_result(engine_query_segs(s.tb->nodes[1].e, 0, segs, &num), TALLY_ADMIN_STATUS_OK,
		      NOWHERE, "segments");
	assert_int_equal(num, s.g.cfg.segs);
	assert_int_equal(segs[0].state, TALLY_SEG_BUSY);
	assert_int_equal(segs[0].opcode, TALLY_OPCODE_BARRIER);
	assert_int_equal(le64toh(segs[0].ranks), 2);
	assert_int_equal(le64toh(segs[0].contributors), 2);
	assert_int_equal(le64toh(segs[0].receivers), 3);
	assert_int_equal(segs[1].state, TALLY_SEG_FREE);
	assert_int_equal(le64toh(segs[1].ranks), 0);
	assert_int_equal(segs[num].state, 0xff);
	tb_free(s.tb);
}

static void destruction_goes_inwards(void **state)
{
	struct setting s;
	struct tb_qp *qp;
	struct engine *e;

	(void)state;
	setting_new(&s, 1);
	e = s.tb->nodes[1].e;
	expect_result(engine_destroy_group(e, 0), TALLY_ADMIN_STATUS_NOT_FOUND,
		      offsetof(struct tally_cmd_object, id), "no group");
	tb_group_create(&s.g, 1);
	qp = tb_qp_create(&s.g, 1, 1, 16, 0);
	expect_result(engine_destroy_group(e, 0), TALLY_ADMIN_STATUS_IN_USE,
		      offsetof(struct tally_cmd_object, id), "group with a queue pair");
	tb_qp_destroy(&s.g, 1, qp);
	expect_result(engine_destroy_qp(e, qp->qpn), TALLY_ADMIN_STATUS_NOT_FOUND,
		      offsetof(struct tally_cmd_object, id), "queue pair twice");
	tb_group_destroy(&s.g, 1);
	expect_result(engine_destroy_group(e, 0), TALLY_ADMIN_STATUS_NOT_FOUND,
		      offsetof(struct tally_cmd_object, id), "twice");
	/* no work was unfinished: job id, number and segments are free at once */
	assert_int_equal(tb_count_events(&s.tb->nodes[1], TALLY_EQE_GROUP_DRAINED), 1);
	s.num = tb_group_config(&s.g, 1, &s.cfg, s.edges);
	expect_result(create(&s, 1, 0), TALLY_ADMIN_STATUS_OK, NOWHERE, "again");
	tb_free(s.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_refused),
		cmocka_unit_test(roots_and_leaves_refused),
		cmocka_unit_test(numbers_in_use),
		cmocka_unit_test(queue_pairs_refused),
		cmocka_unit_test(request_entries),
		cmocka_unit_test(ranks_attach_once),
		cmocka_unit_test(a_group_tells_of_itself),
		cmocka_unit_test(edges_tell_of_themselves),
		cmocka_unit_test(segments_tell_of_themselves),
		cmocka_unit_test(destruction_goes_inwards),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
