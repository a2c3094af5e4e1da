// SPDX-License-Identifier: BSD-2-Clause
/*
 * What an epoch that ends in the middle of a reduction leaves to the next: no cell, no input, and
 * no other epoch than the one that the command gave.
 */
#include "engine/test/testbed.h"

#define NODES 3
#define MAX_POSTERS (2 * NODES)

struct scene {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[MAX_POSTERS]; /* of each rank; ranks of a node follow each other */
	uint64_t out[MAX_POSTERS];
	unsigned int ranks, posters;
	uint32_t epoch;
};

static unsigned int node_of(const struct scene *s, unsigned int k)
{
	return k / s->ranks;
}

static void scene_begin(struct scene *s, unsigned int nodes, unsigned int ranks, uint32_t flags)
{
	const struct tb_group_cfg cfg = { .nodes = nodes, .degree = 2, .ranks = ranks, .epoch = 1,
					  .timeout_ms = 100, .flags = flags };
	unsigned int k;

	s->tb = tb_open(&s->g, &cfg, nodes, tb_seed());
	s->epoch = 1;
	s->ranks = ranks;
	s->posters = nodes * ranks;
	for (k = 0; k < s->posters; k++) {
		s->qp[k] = tb_qp_create(&s->g, node_of(s, k), 1u << k % ranks, 16, k % ranks);
		s->out[k] = tb_alloc(tb_group_node(&s->g, node_of(s, k)), 4);
	}
}

static void end_epoch(struct scene *s)
{
	struct tb_post p = tb_request(&s->g, TALLY_OPCODE_ABORT, 0, 1);
	unsigned int i;

	tb_post_ring(tb_group_node(&s->g, 0), s->qp[0], &p);
	tb_run_for(s->tb, 4 * TALLY_COLLECT_MS * VT_MS);
	for (i = 0; i < s->g.cfg.nodes; i++) {
		const struct engine *e = tb_group_node(&s->g, i)->e;

		assert_int_equal(tb_group_state(&s->g, i)->state, TALLY_GROUP_DEAD);
		assert_int_equal(tb_group_state(&s->g, i)->own_cells, 0);
		assert_int_equal(e->shared_used, 0);
	}
}

static void reset_group(struct scene *s, unsigned int i, uint32_t epoch)
{
	struct tb_node *n = tb_group_node(&s->g, i);

	assert_int_equal(engine_reset_group(tb_enter(n), s->g.cfg.group, epoch).status,
			 TALLY_ADMIN_STATUS_OK);
	tb_leave(n);
}

static void next_epoch(struct scene *s)
{
	unsigned int i, k;

	end_epoch(s);
	s->epoch++;
	for (i = 0; i < s->g.cfg.nodes; i++)
		reset_group(s, i, s->epoch);
	for (k = 0; k < s->posters; k++) {
		tb_qp_modify(&s->g, node_of(s, k), s->qp[k], TALLY_QPS_RESET);
		tb_qp_modify(&s->g, node_of(s, k), s->qp[k], TALLY_QPS_RTS);
	}
	tb_run_for(s->tb, VT_MS);
}

/* Each value is another power of 10, times a factor of the epoch. */
static uint32_t value(const struct scene *s, unsigned int k)
{
	uint32_t v = 1 + s->epoch % 7;

	while (k--)
		v *= 10;
	return v;
}

/* Let the ranks of a set post, one after the other. */
static void post(struct scene *s, unsigned int set)
{
	unsigned int k;

	for (k = 0; k < s->posters; k++) {
		struct tb_post p = tb_request(&s->g, TALLY_OPCODE_ALLREDUCE, 0, 1u << k % s->ranks);
		uint32_t v = htole32(value(s, k));

		if (!(set >> k & 1))
			continue;
		p.w.op = TALLY_OP_SUM;
		p.w.dtype = TALLY_TYPE_INT32;
		p.w.count = htole64(1);
		tb_inline(&p, &v, 4);
		tb_result(&p, s->out[k], 4);
		tb_post_ring(tb_group_node(&s->g, node_of(s, k)), s->qp[k], &p);
		tb_run_for(s->tb, 10 * VT_US);
	}
}

static bool has_result(const struct scene *s, unsigned int k)
{
	return s->qp[k]->posted && s->qp[k]->wrs[0].retired;
}

static void expect_sum(const struct scene *s, unsigned int before)
{
	uint32_t sum = 0, got;
	unsigned int k;

	for (k = 0; k < s->posters; k++)
		sum += value(s, k);
	for (k = 0; k < s->posters; k++) {
		tb_assert_cqe(&s->qp[k]->wrs[0], TALLY_COLL_OK);
		memcpy(&got, tb_at(tb_group_node(&s->g, node_of(s, k)), s->out[k]), 4);
		if (le32toh(got) != sum)
			fail_msg("inputs %#x in the former epoch: sum %u, not %u", before,
				 le32toh(got), sum);
	}
}

/*
 * The epoch ends when some ranks have contributed. In the next one those contribute last, so an
 * input that was left behind would take their place.
 */
static void end_amid_a_reduction(struct scene *s, unsigned int before)
{
	unsigned int all = (1u << s->posters) - 1, k;

	post(s, before);
	next_epoch(s);
	post(s, all & ~before);
	for (k = 0; before && k < s->posters; k++)
		assert_false(has_result(s, k));
	post(s, before);
	tb_run_for(s->tb, VT_MS);
	expect_sum(s, before);
	next_epoch(s);
}

static void inputs_of_the_former_epoch(void **state)
{
	unsigned int ranks, before;
	struct scene s;

	(void)state;
	for (ranks = 1; ranks <= 2; ranks++) {
		scene_begin(&s, NODES, ranks, TALLY_GROUP_F_ORDERED);
		for (before = 0; before < (1u << s.posters) - 1; before++)
			end_amid_a_reduction(&s, before);
		tb_free(s.tb);
	}
}

/*
 * The command has given the node its epoch, and only the key of multicast results is to come from
 * the root. The root has another epoch, which the node does not take.
 */
static void another_epoch_after_a_reset(void **state)
{
	struct scene s;

	(void)state;
	scene_begin(&s, 2, 1, TALLY_GROUP_F_MULTICAST);
	end_epoch(&s);
	reset_group(&s, 1, 5);
	reset_group(&s, 0, 6);
	tb_run_for(s.tb, 5 * VT_MS);
	assert_int_equal(tb_group_state(&s.g, 1)->epoch, 5);
	assert_int_equal(tb_group_state(&s.g, 1)->state, TALLY_GROUP_OPENING);
	assert_int_equal(tb_group_state(&s.g, 0)->state, TALLY_GROUP_OPENING);
	tb_free(s.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inputs_of_the_former_epoch),
		cmocka_unit_test(another_epoch_after_a_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
