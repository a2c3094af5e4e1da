// SPDX-License-Identifier: BSD-2-Clause
/* Hosts with NICs on every fabric: the same collective works on all, with plausible counters. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "offload/group.h"

#define NODES	24
#define COUNT	3000

static struct bench_group group;

static struct topo_cfg fabric(enum topo_kind kind)
{
	struct topo_cfg topo = TOPO_DEFAULTS;

	topo.kind = kind;
	topo.sw.cut_through = true;
	if (kind == TOPO_FATTREE2 || kind == TOPO_FATTREE3)
		topo.sw.ports = kind == TOPO_FATTREE2 ? 8 : 6;
	return topo;
}

static void check_result(const struct message *m, uint32_t nodes)
{
	uint32_t want[COUNT], got[COUNT];
	struct oracle oracle = { 0 };

	assert_true(message_expect(m, &oracle, want));
	for (uint32_t rank = 0; rank < nodes; rank++) {
		host_mr_read(&group.rank[rank].out, group.rank[rank].out.iova, got, sizeof(got));
		assert_memory_equal(got, want, sizeof(got));
	}
	oracle_free(&oracle);
}

static void allreduce(uint32_t nodes)
{
	const struct message m = {
		.opcode = TALLY_OPCODE_ALLREDUCE, .op = TALLY_OP_SUM, .type = TALLY_TYPE_INT32,
		.count = COUNT, .total_ranks = nodes, .seed = 4,
	};
	uint32_t data[COUNT];

	for (uint32_t rank = 0; rank < nodes; rank++) {
		message_input(&m, rank, data);
		host_mr_write(&group.rank[rank].in, group.rank[rank].in.iova, data, sizeof(data));
		bench_group_post(&group, rank, &m, 0, 0, false);
	}
	if (!bench_group_finish(&group, VT_S))
		fail_msg("%s", group.trouble);
	check_result(&m, nodes);
}

/* Nothing was lost, and every packet was on at least one cable. */
static void check_costs(uint32_t nodes)
{
	struct topo_totals sum = topo_totals(group.host_set.topo);
	struct fab_port_stats ports = host_set_port_stats(&group.host_set);

	assert_int_equal(sum.lost, 0);
	assert_int_equal(sum.queue_full, 0);
	assert_int_equal(ports.tx_frames, sum.frames);
	assert_int_equal(ports.rx_frames, sum.frames);
	assert_int_equal(ports.tx_bytes, sum.bytes);
	/* Every node but one sends its contribution, and gets the result. */
	assert_true(sum.bytes > 2 * (nodes - 1) * COUNT * sizeof(uint32_t));
	assert_true(host_set_counter(&group.host_set, TALLY_CTR_tx_frames) <= sum.frames);
	assert_int_equal(host_set_counter(&group.host_set, TALLY_CTR_tx_frames),
			 host_set_counter(&group.host_set, TALLY_CTR_rx_frames));
}

static void every_fabric(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < TOPO_KINDS; kind++) {
		struct bench_group_cfg cfg = BENCH_GROUP_DEFAULTS;

		cfg.nodes = kind == TOPO_DIRECT ? 2 : NODES;
		cfg.topo = fabric(kind);
		if (bench_group_build(&group, &cfg))
			fail_msg("%s: %s", topo_kind_name(kind), group.trouble);
		allreduce(cfg.nodes);
		bench_group_settle(&group);
		check_costs(cfg.nodes);
		bench_group_free(&group);
	}
}

/* Results go down the group's tree in the fabric, and each node gets its packet without a retry. */
static void multicast_on_every_fabric(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < TOPO_KINDS; kind++) {
		struct bench_group_cfg cfg = BENCH_GROUP_DEFAULTS;

		cfg.nodes = kind == TOPO_DIRECT ? 2 : NODES;
		cfg.topo = fabric(kind);
		cfg.plan.flags = TALLY_GROUP_F_MULTICAST;
		if (bench_group_build(&group, &cfg))
			fail_msg("%s: %s", topo_kind_name(kind), group.trouble);
		allreduce(cfg.nodes);
		bench_group_settle(&group);
		assert_int_equal(topo_totals(group.host_set.topo).lost, 0);
		assert_true(host_set_counter(&group.host_set, TALLY_CTR_mcast_sent) > 0);
		assert_int_equal(host_set_counter(&group.host_set, TALLY_CTR_mcast_repaired), 0);
		assert_int_equal(host_set_counter(&group.host_set, TALLY_CTR_drop_not_for_us), 0);
		bench_group_free(&group);
	}
}

/* Two children send to one parent at once: waiting packets are marked, and counted there. */
static void congestion_is_seen_by_nics(void **state)
{
	struct topo_totals sum;
	struct bench_group_cfg cfg = BENCH_GROUP_DEFAULTS;

	(void)state;
	cfg.nodes = 3;
	cfg.topo = fabric(TOPO_SWITCH);
	cfg.topo.sw.ecn_bytes = 1;
	if (bench_group_build(&group, &cfg))
		fail_msg("%s", group.trouble);
	bench_group_settle(&group); /* the edges do not open at the same time */
	allreduce(3);
	bench_group_settle(&group);
	sum = topo_totals(group.host_set.topo);
	assert_true(sum.ecn_marked > 0);
	assert_int_equal(sum.lost + sum.queue_full, 0);
	assert_int_equal(host_set_counter(&group.host_set, TALLY_CTR_ecn_marked), sum.ecn_marked);
	assert_int_equal(host_set_counter(&group.host_set, TALLY_CTR_retransmits), 0);
	bench_group_free(&group);
}

/* Returns the bytes on all cables and the end of the last rank, with drops of probability @drop. */
static uint64_t run_once(double drop, uint64_t *retransmits)
{
	const struct fab_faults faults = { .drop = drop };
	struct bench_group_cfg cfg = BENCH_GROUP_DEFAULTS;
	vtime_t last = 0;
	uint64_t bytes;

	cfg.nodes = NODES;
	cfg.topo = fabric(TOPO_FATTREE3);
	if (bench_group_build(&group, &cfg))
		fail_msg("%s", group.trouble);
	assert_int_equal(host_set_set_faults(&group.host_set, &faults), 0);
	allreduce(NODES);
	for (uint32_t rank = 0; rank < NODES; rank++)
		if (group.rank[rank].completed > last)
			last = group.rank[rank].completed;
	bytes = topo_totals(group.host_set.topo).bytes;
	*retransmits = host_set_counter(&group.host_set, TALLY_CTR_retransmits);
	bench_group_free(&group);
	return last * 31 + bytes;
}

static void faults_reach_every_cable(void **state)
{
	uint64_t none, some, again;

	(void)state;
	assert_int_not_equal(run_once(0, &none), run_once(0.01, &some));
	assert_int_equal(none, 0);
	assert_true(some > 0);
	assert_int_equal(run_once(0.01, &again), run_once(0.01, &some));
	assert_int_equal(again, some);
}

static void refusals(void **state)
{
	const unsigned int hosts[] = { 0, 1 };
	struct host_set_cfg cfg = HOST_SET_DEFAULTS;
	uint8_t gid[16] = { 0xff, 0x12, [15] = 1 };
	struct sim *sim = sim_new(1);
	struct host_set host_set;

	(void)state;
	cfg.hosts = 33;
	cfg.topo = fabric(TOPO_FATTREE2);
	assert_int_equal(host_set_build(&host_set, sim, &cfg), -EINVAL);
	assert_string_equal(host_set.why,
			    "fattree2 of 8-port switches has room for 32 hosts, not 33");
	host_set_free(&host_set);
	cfg.hosts = 2;
	assert_int_equal(host_set_build(&host_set, sim, &cfg), 0);
	assert_string_equal(host_set.why, "");
	assert_int_equal(host_set_join(&host_set, gid, hosts, 2), 0);
	gid[0] = 0xfe;
	assert_int_equal(host_set_join(&host_set, gid, hosts, 2), -EINVAL);
	host_set_free(&host_set);
	sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fabric),
		cmocka_unit_test(multicast_on_every_fabric),
		cmocka_unit_test(congestion_is_seen_by_nics),
		cmocka_unit_test(faults_reach_every_cable),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
