// SPDX-License-Identifier: BSD-2-Clause
/* EXCHANGE and RING groups: refused configurations and work requests, and the end of an epoch. */
#include "engine/test/test_job.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define CFG(field) offsetof(struct tally_group_cfg, field)
#define EDGE(i, field)                                                                             \
	(sizeof(struct tally_group_cfg) + (i) * sizeof(struct tally_group_edge) +                  \
	 offsetof(struct tally_group_edge, field))

static uint64_t seed;

/*
 * Node 1 of five, with two ranks each. EXCHANGE: parts {0 1 2} and {3 4}; its edges are nodes 0 and
 * 2 in round 1, node 4 in round 2. RING: its edges are nodes 0 and 2.
 */
struct setting {
	struct testbed *tb;
	struct tb_group g;
	struct tally_group_cfg cfg;
	struct tally_group_edge edges[TALLY_MAX_CONTRIBUTORS + 1];
	unsigned int num;
};

static void setting_new(struct setting *s, uint8_t mode)
{
	const struct tb_group_cfg cfg = { .nodes = 5, .ranks = 2, .timeout_ms = 100, .mode = mode,
					  .radix = { 3, 2 } };

	s->tb = tb_new(5, seed);
	tb_group_plan(s->tb, &s->g, &cfg);
	s->num = tb_group_config(&s->g, 1, &s->cfg, s->edges);
}

static struct engine_result create(struct setting *s)
{
	struct tb_node *n = &s->tb->nodes[1];
	struct engine_result r;

	r = engine_create_group(tb_enter(n), 0, &s->cfg, s->edges, s->num);
	tb_leave(n);
	return r;
}

/* firmware/test checks the single fields. */
#define SPOIL(name, ...)                                                                           \
	static void name(struct setting *s)                                                        \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}

static void set_role(struct setting *s, unsigned int i, uint16_t role, bool on)
{
	uint16_t roles = le16toh(s->edges[i].roles);

	s->edges[i].roles = htole16(on ? roles | role : roles & ~role);
}

SPOIL(multicast, s->cfg.flags |= htole32(TALLY_GROUP_F_MULTICAST); s->cfg.mcast_gid[0] = 0xff;
      s->cfg.source_gid[0] = 0xfe)
SPOIL(not_uniform, s->cfg.flags |= htole32(TALLY_GROUP_F_UNIFORM); s->cfg.rank_mask = htole64(7))
SPOIL(position_twice, s->edges[1].position = 0)
SPOIL(part_gap, s->edges[1].part_count = htole32(1))
SPOIL(part_missing, s->edges[2].part_count = htole32(3))
SPOIL(ring_both_ways, set_role(s, 1, TALLY_ROLE_RING_IN, true))

static const struct {
	const char *name;
	uint8_t mode;
	void (*spoil)(struct setting *s);
	size_t offset;
} refusals[] = {
#define BOTH(spoil, offset) EXCHANGE(spoil, offset), RING(spoil, offset)
#define EXCHANGE(spoil, offset) { #spoil, TALLY_MODE_EXCHANGE, spoil, offset }
#define RING(spoil, offset) { #spoil " (ring)", TALLY_MODE_RING, spoil, offset }
	BOTH(multicast, CFG(flags)),
	BOTH(not_uniform, CFG(flags)),
	EXCHANGE(position_twice, EDGE(1, position)),
	EXCHANGE(part_gap, EDGE(2, part_first)),
	EXCHANGE(part_missing, CFG(total_ranks)),
	RING(ring_both_ways, EDGE(1, roles)),
};

static void groups_refused(void **state)
{
	struct engine_result r;
	struct setting s;
	unsigned int k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(refusals); k++) {
		setting_new(&s, refusals[k].mode);
		refusals[k].spoil(&s);
		r = create(&s);
		if (r.status != TALLY_ADMIN_STATUS_BAD_FIELD || r.bad_offset != refusals[k].offset)
			fail_msg("%s: status %u, offset %u; not %zu", refusals[k].name, r.status,
				 r.bad_offset, refusals[k].offset);
		/* the refused call has taken nothing: a correct one succeeds in its place */
		s.num = tb_group_config(&s.g, 1, &s.cfg, s.edges);
		assert_int_equal(create(&s).status, TALLY_ADMIN_STATUS_OK);
		tb_free(s.tb);
	}
}

/* ---- Work requests ---- */

static const struct {
	uint8_t mode, opcode;
	uint32_t flags;
	uint64_t node_mask;
	enum tally_coll_status status;
} requests[] = {
	{ TALLY_MODE_EXCHANGE, TALLY_OPCODE_REDUCE, 0, 0, TALLY_COLL_BAD_MODE },
	{ TALLY_MODE_EXCHANGE, TALLY_OPCODE_BCAST, 0, 0, TALLY_COLL_BAD_MODE },
	{ TALLY_MODE_EXCHANGE, TALLY_OPCODE_GATHER, 0, 0, TALLY_COLL_BAD_MODE },
	{ TALLY_MODE_EXCHANGE, TALLY_OPCODE_SCATTER, 0, 0, TALLY_COLL_BAD_MODE },
	{ TALLY_MODE_RING, TALLY_OPCODE_GATHER, 0, 0, TALLY_COLL_BAD_MODE },
	{ TALLY_MODE_RING, TALLY_OPCODE_SCATTER, 0, 0, TALLY_COLL_BAD_MODE },
	{ TALLY_MODE_TREE, TALLY_OPCODE_ALLGATHER, 0, 0, TALLY_COLL_BAD_MODE },
	{ TALLY_MODE_TREE, TALLY_OPCODE_REDUCE_SCATTER, 0, 0, TALLY_COLL_BAD_MODE },
	{ TALLY_MODE_EXCHANGE, TALLY_OPCODE_BARRIER, TALLY_WQE_F_EMPTY, 0, TALLY_COLL_BAD_FLAGS },
	{ TALLY_MODE_RING, TALLY_OPCODE_BARRIER, TALLY_WQE_F_NO_CONTRIBUTORS, 0,
	  TALLY_COLL_BAD_FLAGS },
	{ TALLY_MODE_EXCHANGE, TALLY_OPCODE_BARRIER, 0, 1, TALLY_COLL_BAD_NODE_MASK },
	{ TALLY_MODE_RING, TALLY_OPCODE_BARRIER, 0, 1, TALLY_COLL_BAD_NODE_MASK },
	{ TALLY_MODE_RING, TALLY_OPCODE_ALLGATHER, TALLY_WQE_F_EMPTY, 0, TALLY_COLL_BAD_FLAGS },
};

static void requests_refused(void **state)
{
	unsigned int k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(requests); k++) {
		struct tb_post p;
		struct setting s;
		struct tb_qp *qp;

		setting_new(&s, requests[k].mode);
		tb_group_create(&s.g, 1);
		qp = tb_qp_create(&s.g, 1, 1, 16, 0);
		p = tb_request(&s.g, requests[k].opcode, 0, 1);
		p.w.flags |= htole32(requests[k].flags);
		p.w.node_mask = htole64(requests[k].node_mask);
		tb_post_ring(tb_group_node(&s.g, 1), qp, &p);
		tb_finish(s.tb, VT_MS);
		assert_int_equal(le16toh(qp->wrs[0].cqe.coll_status), requests[k].status);
		tb_free(s.tb);
	}
}

/* ---- End of an epoch ---- */

/* A rank that never posts is named by its own NIC, and every rank gets that report. */
static void late_rank(uint8_t mode)
{
	static struct job j;
	struct setting s;
	unsigned int i;

	setting_new(&s, mode);
	tb_group_create_all(&s.g);
	tb_run_for(s.tb, VT_MS);
	job_init(&j, &s.g, seed, false);
	job_add(&j, TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT64, 4);
	for (i = 0; i < j.num_posters; i++)
		if (j.posters[i].node != 3 || j.posters[i].ranks != 2)
			job_post(&j, &j.posters[i]);
	tb_finish(s.tb, 100 * VT_MS);
	for (i = 0; i < j.num_posters; i++) {
		const struct tally_cqe *cqe;

		if (!j.posters[i].next)
			continue;
		cqe = &j.posters[i].qp->wrs[0].cqe;
		assert_int_equal(le16toh(cqe->coll_status), TALLY_COLL_TIMEOUT);
		assert_int_equal(le16toh(cqe->detector), 3);
		assert_int_equal(le64toh(cqe->ranks), 2);
	}
	tb_free(s.tb);
}

static void ranks_that_are_late(void **state)
{
	(void)state;
	late_rank(TALLY_MODE_EXCHANGE);
	late_rank(TALLY_MODE_RING);
}

/* A neighbour notices a NIC that is gone, and every rank gets its report. */
static void dead_node(uint8_t mode)
{
	static struct job j;
	struct setting s;
	unsigned int i;

	setting_new(&s, mode);
	tb_group_create_all(&s.g);
	tb_run_for(s.tb, VT_MS);
	job_init(&j, &s.g, seed, false);
	job_add(&j, TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM, TALLY_TYPE_INT64, 4);
	s.tb->nodes[3].dead = true;
	for (i = 0; i < j.num_posters; i++)
		if (j.posters[i].node != 3)
			job_post(&j, &j.posters[i]);
	tb_finish(s.tb, 100 * VT_MS);
	for (i = 0; i < j.num_posters; i++) {
		const struct tally_cqe *cqe;

		if (j.posters[i].node == 3)
			continue;
		cqe = &j.posters[i].qp->wrs[0].cqe;
		assert_int_equal(le16toh(cqe->coll_status), TALLY_COLL_RETRY_EXCEEDED);
		assert_int_not_equal(le64toh(cqe->contributors), 0);
		assert_int_equal(le64toh(cqe->ranks), 0);
	}
	tb_free(s.tb);
}

static void dead_nodes(void **state)
{
	(void)state;
	dead_node(TALLY_MODE_EXCHANGE);
	dead_node(TALLY_MODE_RING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_refused),
		cmocka_unit_test(requests_refused),
		cmocka_unit_test(ranks_that_are_late),
		cmocka_unit_test(dead_nodes),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
