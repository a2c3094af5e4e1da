// SPDX-License-Identifier: BSD-2-Clause
/* Windows change no result: what takes how long, and what is on the wire. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "offload/offload.h"
#include "offload/test/set.h"

/* Rates at which frames of several hosts often reach a switch at the same time. */
static struct bench_params even(void)
{
	struct bench_params p = set;

	p.switch_ports = 32;
	p.pcie_rate = 40000000000;
	p.push_rate = 40000000000;
	return p;
}

static struct offload_result run(const struct bench_workload *c, enum tally_mode mode,
				 uint32_t flags, enum offload_order order)
{
	const struct offload_choice choice = { .mode = mode, .flags = flags, .order = order };
	struct offload_result res;

	if (offload_run(c, &choice, NULL, &res))
		fail_msg("%u nodes, %ju bytes: %s", c->nodes, (uintmax_t)c->bytes, res.run.trouble);
	return res;
}

static void compare(const struct bench_workload *c, enum tally_mode mode, uint32_t flags)
{
	struct offload_result fixed = run(c, mode, flags, OFFLOAD_FIXED);
	struct offload_result windows = run(c, mode, flags, OFFLOAD_WINDOWS);

	assert_int_equal(windows.run.time, fixed.run.time);
	assert_int_equal(windows.run.wire_bytes, fixed.run.wire_bytes);
	assert_int_equal(windows.retransmits, fixed.retransmits);
	assert_true(windows.checked);
}

static void compare_offered(const struct bench_workload *c)
{
	if (TALLY_OPCODES_TREE >> c->opcode & 1)
		compare(c, TALLY_MODE_TREE, 0);
	if (TALLY_OPCODES_EXCHANGE >> c->opcode & 1)
		compare(c, TALLY_MODE_EXCHANGE, 0);
	if (TALLY_OPCODES_RING >> c->opcode & 1)
		compare(c, TALLY_MODE_RING, 0);
	if (c->opcode == TALLY_OPCODE_ALLREDUCE || c->opcode == TALLY_OPCODE_BCAST)
		compare(c, TALLY_MODE_TREE, TALLY_GROUP_F_MULTICAST);
}

static void compare_modes(struct bench_workload *c)
{
	static const uint64_t sizes[] = { 8, 5000, 40000 };
	static const enum topo_kind kinds[] = { TOPO_SWITCH, TOPO_FATTREE2, TOPO_FATTREE3 };

	for (unsigned int s = 0; s < 3; s++) {
		c->bytes = c->opcode == TALLY_OPCODE_BARRIER ? 0 : sizes[s];
		c->topology = kinds[s];
		compare_offered(c);
	}
}

static void set_operation(struct bench_workload *c, enum tally_opcode opcode)
{
	const struct message m = { .opcode = opcode };

	c->opcode = opcode;
	c->op = message_reduces(&m) ? TALLY_OP_SUM : TALLY_OP_NONE;
	c->type = opcode == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : TALLY_TYPE_FP64;
}

static void operations(void **state)
{
	static const enum tally_opcode opcodes[] = {
		TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_BCAST, TALLY_OPCODE_BARRIER,
		TALLY_OPCODE_REDUCE, TALLY_OPCODE_ALLGATHER, TALLY_OPCODE_REDUCE_SCATTER,
	};
	const struct bench_params p = even();
	struct bench_workload c = { .params = &p, .ranks = 1, .seed = 1, .warmup = 1,
				    .iterations = 2 };

	(void)state;
	for (unsigned int i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		set_operation(&c, opcodes[i]);
		c.nodes = 13 + i;
		compare_modes(&c);
	}
}

/* Ranks that share a NIC, and call at random times. */
static void ranks(void **state)
{
	const struct bench_params p = even();
	struct bench_workload c = { .params = &p, .topology = TOPO_FATTREE2, .nodes = 24, .ranks = 3,
				    .opcode = TALLY_OPCODE_ALLREDUCE, .op = TALLY_OP_SUM,
				    .type = TALLY_TYPE_FP64, .bytes = 20000, .seed = 1,
				    .warmup = 1, .iterations = 2 };

	(void)state;
	compare(&c, TALLY_MODE_TREE, 0);
	c.skew = 3 * VT_US;
	c.noise_rate = 10000;
	c.noise_time = 2 * VT_US;
	compare(&c, TALLY_MODE_EXCHANGE, 0);
}

/* The order is the same for few and for many nodes; here much depends on it. */
static void many_nodes(void **state)
{
	const struct bench_params p = even();
	struct bench_workload c = { .params = &p, .topology = TOPO_FATTREE3, .ranks = 1,
				    .opcode = TALLY_OPCODE_ALLREDUCE, .op = TALLY_OP_SUM,
				    .type = TALLY_TYPE_FP64, .bytes = 65536, .seed = 1,
				    .iterations = 1 };

	(void)state;
	c.nodes = 64;
	compare(&c, TALLY_MODE_TREE, 0);
	c.nodes = 257;
	compare(&c, TALLY_MODE_TREE, 0);
}

/* There are no windows if the fabric does not permit them. */
static void fabrics_without_windows(void **state)
{
	const struct bench_params p = even();
	struct bench_workload c = { .params = &p, .topology = TOPO_RING, .nodes = 8, .ranks = 1,
				    .opcode = TALLY_OPCODE_ALLREDUCE, .op = TALLY_OP_SUM,
				    .type = TALLY_TYPE_FP64, .bytes = 5000, .seed = 1,
				    .warmup = 1, .iterations = 1 };

	(void)state;
	compare(&c, TALLY_MODE_RING, 0);
	c.topology = TOPO_DIRECT;
	c.nodes = 2;
	compare(&c, TALLY_MODE_EXCHANGE, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations),
		cmocka_unit_test(ranks),
		cmocka_unit_test(many_nodes),
		cmocka_unit_test(fabrics_without_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
