// SPDX-License-Identifier: BSD-2-Clause
/* The lower bound of an operation's time, against sums made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "offload/floor.h"
#include "offload/test/set.h"

/* Ethernet 14, IPv6 40, UDP 8, BTH 12, header 64, ICRC 4; preamble, gap and check sequence 24. */
#define HEADERS		142
#define BYTE		80	/* ps on a cable */
#define WIRE(payload)	(((payload) + HEADERS + 24) * BYTE)
#define BUS		(400 * VT_NS)	/* doorbell and pcie_write */

static vtime_t floor_of(const struct bench_params *p, enum topo_kind topology, uint32_t nodes,
			enum tally_opcode opcode, uint64_t bytes)
{
	struct bench_workload c = { .params = p, .topology = topology, .nodes = nodes, .ranks = 2,
				.opcode = opcode, .bytes = bytes };
	const struct topo_cfg cfg = bench_topology(&c);
	struct sim *sim = sim_new(1);
	char why[160];
	struct topo *fabric = topo_new(sim, &cfg, why, sizeof(why));
	vtime_t floor;

	assert_non_null(fabric);
	floor = bench_floor(&c, fabric);
	topo_free(fabric);
	sim_free(sim);
	return floor;
}

static void one_node(void **state)
{
	(void)state;
	assert_int_equal(floor_of(&set, TOPO_SWITCH, 1, TALLY_OPCODE_ALLREDUCE, 1 << 20), BUS);
}

static void a_cable(void **state)
{
	(void)state;
	assert_int_equal(floor_of(&set, TOPO_DIRECT, 2, TALLY_OPCODE_ALLREDUCE, 8),
			 BUS + WIRE(8) + 50 * VT_NS);
	assert_int_equal(floor_of(&set, TOPO_DIRECT, 2, TALLY_OPCODE_BARRIER, 0),
			 BUS + WIRE(0) + 50 * VT_NS);
}

static void stored_and_forwarded(void **state)
{
	struct bench_params p = set;

	(void)state;
	p.cut_through = 0;
	/* two cables of 50 ns, and one switch */
	assert_int_equal(floor_of(&p, TOPO_SWITCH, 2, TALLY_OPCODE_REDUCE, 8),
			 BUS + 2 * (WIRE(8) + 50 * VT_NS) + 400 * VT_NS);
}

static void cut_through(void **state)
{
	(void)state;
	assert_int_equal(floor_of(&set, TOPO_SWITCH, 8, TALLY_OPCODE_REDUCE, 8),
			 BUS + WIRE(8) + 2 * 50 * VT_NS + 400 * VT_NS);
	/* four hosts per leaf: the fifth one is three switches and two cables of 200 ns away */
	assert_int_equal(floor_of(&set, TOPO_FATTREE2, 5, TALLY_OPCODE_REDUCE, 8),
			 BUS + WIRE(8) + 2 * 50 * VT_NS + 2 * 200 * VT_NS + 3 * 400 * VT_NS);
	assert_int_equal(floor_of(&set, TOPO_FATTREE2, 4, TALLY_OPCODE_REDUCE, 8),
			 BUS + WIRE(8) + 2 * 50 * VT_NS + 400 * VT_NS);
}

/* The packets after the first one take at least their wire time on the last cable. */
static void long_messages(void **state)
{
	vtime_t way = BUS + 50 * VT_NS;

	(void)state;
	assert_int_equal(floor_of(&set, TOPO_DIRECT, 2, TALLY_OPCODE_BCAST, 10000),
			 way + 2 * WIRE(4096) + WIRE(1808));
	/* of two ranks at one other node */
	assert_int_equal(floor_of(&set, TOPO_DIRECT, 2, TALLY_OPCODE_ALLGATHER, 1000),
			 way + WIRE(2000));
	/* for two ranks */
	assert_int_equal(floor_of(&set, TOPO_DIRECT, 2, TALLY_OPCODE_REDUCE_SCATTER, 4000),
			 way + WIRE(4096) + WIRE(3904));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_node),
		cmocka_unit_test(a_cable),
		cmocka_unit_test(stored_and_forwarded),
		cmocka_unit_test(cut_through),
		cmocka_unit_test(long_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
