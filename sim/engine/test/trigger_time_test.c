// SPDX-License-Identifier: BSD-2-Clause
/*
 * Latency of triggered descriptors: from the last message that a descriptor waits for to the packet
 * that it sends. One reduction is in between, whatever number of messages there is.
 */
#include "engine/test/testbed.h"
#include "plan/cycles.h"

#define PORT 5
#define UP 0
#define DOWN 1

static uint64_t seed;

static const struct engine_timing hardware = {
	.clock_mhz = 250,
	.request = ENGINE_CYCLES_REQUEST,
	.parse = ENGINE_CYCLES_PARSE,
	.alu = ENGINE_CYCLES_ALU,
	.chain = ENGINE_CYCLES_CHAIN,
	.encap = ENGINE_CYCLES_ENCAP,
	.status = ENGINE_CYCLES_STATUS,
};

/* Blocks that take less time: 35 cycles from packet to packet. */
static const struct engine_timing fast = {
	.clock_mhz = 250, .parse = 10, .alu = 15, .chain = 8, .encap = 10,
};

static const unsigned int children[] = { 1, 4, 16, 64 };

struct star {
	struct testbed *tb;
	struct tb_group g;
	struct tb_qp *qp[TB_MAX_NODES];
};

static struct star star_new(unsigned int nodes)
{
	const struct tb_group_cfg cfg = { .nodes = nodes + 1, .degree = nodes };
	struct star s;
	unsigned int i;

	s.tb = tb_new(cfg.nodes, seed);
	tb_group_plan(s.tb, &s.g, &cfg);
	tb_group_create_all(&s.g);
	for (i = 0; i < cfg.nodes; i++)
		s.qp[i] = tb_qp_create(&s.g, i, 1, 16, PORT);
	tb_run_for(s.tb, VT_MS);
	return s;
}

/* Post a REDUCE_MP of one number: a child's to the root, the root's to child 0. */
static void post(struct star *s, unsigned int node, unsigned int num)
{
	struct tb_post p = tb_request(&s->g, TALLY_OPCODE_REDUCE_MP, 0, 1);
	uint32_t flags = TALLY_WQE_F_CP | TALLY_WQE_F_SWP_MP;
	int64_t one = htole64(1);

	tb_inline(&p, &one, sizeof(one));
	p.w.op = TALLY_OP_SUM;
	p.w.dtype = TALLY_TYPE_INT64;
	p.w.count = htole64(1);
	p.w.counter = UP;
	p.w.dest_port = htole16(PORT);
	p.w.dest_counter = node ? UP : DOWN;
	p.w.branch = node ? num : 1;
	if (node) {
		flags |= TALLY_WQE_F_TO_PARENT;
	} else {
		flags |= TALLY_WQE_F_SWP_FLAG | TALLY_WQE_F_RFLAG;
		p.w.cpcnt = htole32(num);
		p.w.node_mask = htole64(1);
	}
	p.w.flags |= htole32(flags);
	tb_post_ring(tb_group_node(&s->g, node), s->qp[node], &p);
}

/*
 * Return the delay in nanoseconds of the root's packet after the last message, or if the root comes
 * last, after its own descriptor.
 */
static uint64_t latency(const struct engine_timing *timing, unsigned int num, bool root_last)
{
	struct star s = star_new(num);
	uint64_t delay;
	unsigned int i;

	engine_set_timing(tb_group_node(&s.g, 0)->e, timing);
	if (!root_last)
		post(&s, 0, num);
	for (i = 1; i <= num; i++) {
		tb_run_for(s.tb, VT_MS);
		assert_true(root_last || !s.qp[0]->wrs[0].retired);
		post(&s, i, num);
	}
	if (root_last) {
		tb_run_for(s.tb, VT_MS);
		post(&s, 0, num);
	}
	tb_finish(s.tb, VT_S);
	tb_assert_cqe(&s.qp[0]->wrs[0], TALLY_COLL_OK);
	delay = tb_group_node(&s.g, 0)->trigger_delay;
	tb_free(s.tb);
	return delay / VT_NS;
}

/* The delay is that of the stage before the reduction, of the reduction, and of the packet. */
static void check(const struct engine_timing *timing, bool root_last)
{
	uint32_t first = root_last ? timing->request : timing->parse;
	uint64_t want = (first + timing->alu + timing->encap) * 1000ull / timing->clock_mhz;
	unsigned int i;

	for (i = 0; i < sizeof(children) / sizeof(children[0]); i++) {
		uint64_t ns = latency(timing, children[i], root_last);

		if (ns != want)
			fail_msg("%u children: %llu ns, not %llu", children[i],
				 (unsigned long long)ns, (unsigned long long)want);
	}
}

static void one_reduction_after_the_last_message(void **state)
{
	(void)state;
	check(&hardware, false);
	check(&fast, false);
}

/* The messages are reduced already when the descriptor comes: its own data are added. */
static void one_reduction_after_a_late_descriptor(void **state)
{
	(void)state;
	check(&hardware, true);
	check(&fast, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_reduction_after_the_last_message),
		cmocka_unit_test(one_reduction_after_a_late_descriptor),
	};

	seed = tb_seed();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
