// SPDX-License-Identifier: BSD-2-Clause
/*
 * Requests with flag COMBINED, in which one entry of a list stands for all ranks of the request:
 * results in all modes, beside requests without the flag, in fixed order and under loss.
 */
#include "engine/test/test_job.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ALL_MODES (TALLY_MODES_TREE | TALLY_MODES_EXCHANGE | TALLY_MODES_RING)

static uint64_t seed;

/* ---- Results ---- */

/* Add a message of an opcode and a mode, of which every fifth is not combined. */
static void add(struct job *j, uint8_t opcode, uint8_t mode, uint32_t count)
{
	uint8_t op = opcode_reduces(opcode) ? TALLY_OP_SUM : TALLY_OP_NONE;
	bool barrier = opcode == TALLY_OPCODE_BARRIER;
	struct job_msg *m;

	if (!opcode_offered(mode, opcode))
		return;
	m = job_add(j, opcode, op, barrier ? TALLY_TYPE_NONE : TALLY_TYPE_FP64,
		    barrier ? 0 : count);
	m->mode = mode;
	m->combined = j->num_msgs % 5;
	m->inline_data = j->num_msgs % 7 == 0;
	if (opcode_rooted(opcode))
		job_root(j, m, j->num_msgs * 5);
}

/* Add every opcode in every mode, with one element and with several chunks; every fifth has none. */
static void fill(struct job *j)
{
	unsigned int k;

	for (k = 0; k < 3 * NUM_CHOICES; k++) {
		uint8_t mode = TALLY_MODE_TREE + k % 3, opcode = TALLY_OPCODE_ALLREDUCE + k / 3;

		add(j, opcode, mode, k % 5 ? 1 : 0);
		add(j, opcode, mode, opcode_blocked(opcode) ? 30 : 150);
	}
}

static void run(const struct tb_group_cfg *cfg, bool by_node, bool lossy)
{
	static struct job j;
	struct testbed *tb = tb_new(cfg->nodes, seed);
	struct tb_group g;

	if (lossy)
		tb_lossy(tb, 0.1, 0.1, 0.1);
	tb_group_plan(tb, &g, cfg);
	tb_group_create_all(&g);
	if (by_node)
		job_init_by_node(&j, &g, seed);
	else
		job_init(&j, &g, seed, true);
	fill(&j);
	job_post_all(&j, 50 * VT_US);
	tb_finish(tb, 4 * VT_S);
	job_check(&j);
	tb_run_for(tb, 200 * VT_MS);
	tb_assert_all_empty(tb);
	tb_assert_done(&g, job_chunks_before(&j, j.num_msgs));
	job_end(&j);
	tb_free(tb);
}

static void results(void **state)
{
	static const unsigned int nodes[] = { 1, 2, 3, 5, 8 };
	unsigned int k;

	(void)state;
	for (k = 0; k < 4 * ARRAY_SIZE(nodes); k++) {
		const struct tb_group_cfg cfg = {
			.nodes = nodes[k / 4],
			.ranks = 1 + k % 3,
			.segs = 1 << k % 4,
			.mtu = 256,
			.timeout_ms = 5000,
			.modes = ALL_MODES,
			.degree = 2 + k % 2,
			.flags = k % 3 ? 0 : TALLY_GROUP_F_ORDERED,
		};

		run(&cfg, k % 4 != 3, k % 2);
	}
}

/* ---- Refusals ---- */

/* Post a request for the only node's three ranks, and return the status of its completion. */
static uint16_t status_of(uint8_t opcode, uint64_t ranks, unsigned int entries, size_t give,
			  size_t get, uint32_t flags)
{
	const struct tb_group_cfg cfg = { .nodes = 1, .ranks = 3, .modes = ALL_MODES };
	struct tb_group g;
	struct testbed *tb = tb_open(&g, &cfg, 1, seed);
	struct tb_node *n = tb_group_node(&g, 0);
	struct tb_qp *qp = tb_qp_create(&g, 0, 7, 16, 0);
	struct tb_post p = tb_request(&g, opcode, 0, ranks);
	uint16_t status;

	p.w.flags |= htole32(TALLY_WQE_F_COMBINED | flags);
	p.w.mode = opcode == TALLY_OPCODE_QUERY ? 0 : TALLY_MODE_RING;
	p.w.op = opcode_reduces(opcode) ? TALLY_OP_SUM : TALLY_OP_NONE;
	p.w.dtype = opcode == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : TALLY_TYPE_INT32;
	p.w.count = htole64(opcode == TALLY_OPCODE_BARRIER ? 0 : 2);
	for (; entries; entries--) {
		if (give)
			tb_gather(&p, tb_alloc(n, give), give);
		if (get)
			tb_result(&p, tb_alloc(n, get), get);
	}
	tb_post_ring(n, qp, &p);
	tb_run_for(tb, VT_MS);
	status = qp->wrs[0].has_cqe ? le16toh(qp->wrs[0].cqe.coll_status) : TALLY_COLL_OK;
	tb_free(tb);
	return status;
}

static void refusals(void **state)
{
	(void)state;
	assert_int_equal(status_of(TALLY_OPCODE_ALLREDUCE, 7, 1, 8, 8, 0), TALLY_COLL_OK);
	assert_int_equal(status_of(TALLY_OPCODE_ALLREDUCE, 7, 3, 8, 8, 0), TALLY_COLL_BAD_NUM_SGE);
	assert_int_equal(status_of(TALLY_OPCODE_ALLREDUCE, 7, 1, 24, 8, 0),
			 TALLY_COLL_BAD_SGE_LENGTH);
	assert_int_equal(status_of(TALLY_OPCODE_ALLGATHER, 7, 1, 24, 24, 0), TALLY_COLL_OK);
	assert_int_equal(status_of(TALLY_OPCODE_ALLGATHER, 7, 1, 8, 24, 0),
			 TALLY_COLL_BAD_SGE_LENGTH);
	assert_int_equal(status_of(TALLY_OPCODE_ALLGATHER, 3, 1, 16, 24, 0),
			 TALLY_COLL_BAD_RANK_MASK);
	assert_int_equal(status_of(TALLY_OPCODE_REDUCE_SCATTER, 7, 1, 24, 24, 0), TALLY_COLL_OK);
	assert_int_equal(status_of(TALLY_OPCODE_REDUCE_SCATTER, 7, 1, 24, 8, 0),
			 TALLY_COLL_BAD_SGE_LENGTH);
	assert_int_equal(status_of(TALLY_OPCODE_BCAST, 7, 1, 8, 0, 0), TALLY_COLL_OK);
	assert_int_equal(status_of(TALLY_OPCODE_BCAST, 7, 1, 8, 8, 0), TALLY_COLL_BAD_NUM_SGE);
	assert_int_equal(status_of(TALLY_OPCODE_BARRIER, 7, 0, 0, 0, 0), TALLY_COLL_BAD_FLAGS);
	assert_int_equal(status_of(TALLY_OPCODE_QUERY, 7, 0, 0, 0, 0), TALLY_COLL_BAD_FLAGS);
	assert_int_equal(status_of(TALLY_OPCODE_ALLREDUCE, 7, 0, 0, 0, TALLY_WQE_F_EMPTY),
			 TALLY_COLL_BAD_FLAGS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results),
		cmocka_unit_test(refusals),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
