// SPDX-License-Identifier: BSD-2-Clause
/*
 * Software collectives over the fabric: results of real data, which travel in real packets, and
 * times that are worked out by hand.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baseline/baseline.h"
#include "baseline/exec.h"
#include "wire/icrc.h"
#include "wire/roce_layout.h"

#define NS(n)	((n) * VT_NS)

/* With AddressSanitizer only some numbers of nodes, which reach all code. */
#ifdef __SANITIZE_ADDRESS__
#define STEP	3
#else
#define STEP	1
#endif

/* Round numbers; a byte takes 80 ps on a cable, 50 ps over PCIe. */
static const struct bench_params params = {
	.link_rate = 100000000000, .trunk_rate = 100000000000,
	.link_cable = 2000, .trunk_cable = 20000, .propagation = 5 * VT_NS,
	.switch_ports = 8, .switch_latency = NS(400), .switch_buffer = 1 << 20,
	.mtu = 1024,
	.nic_clock = 250,
	.message_request = 25, .message_parse = 15, .message_encap = 15, .message_status = 25,
	.doorbell = NS(100), .pcie_read = NS(500), .pcie_write = NS(300), .pcie_rate = 20000000000,
	.post = NS(200), .poll = NS(50), .share = NS(120), .reduce_start = NS(20),
	.push_rate = 2500000000, .copy_rate = 5000000000, .reduce_rate = 4000000000,
	.mpi_call = NS(40), .mpi_send = NS(30), .mpi_receive = NS(220), .mpi_eager = 4096,
};

static struct bench_workload a_case(enum tally_opcode opcode, uint32_t nodes, uint64_t bytes)
{
	bool reduces = opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
		       opcode == TALLY_OPCODE_REDUCE_SCATTER;

	return (struct bench_workload){
		.params = &params,
		.topology = nodes == 2 ? TOPO_DIRECT : nodes < 8 ? TOPO_SWITCH : TOPO_FATTREE3,
		.nodes = nodes, .ranks = 1, .opcode = opcode,
		.op = reduces ? TALLY_OP_SUM : TALLY_OP_NONE,
		.type = opcode == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : TALLY_TYPE_FP64,
		.bytes = bytes, .seed = 1, .iterations = 1,
	};
}

/* Returns the time on a cable of the frame of a packet with @bytes between BTH and ICRC. */
static vtime_t wire(uint64_t bytes)
{
	uint64_t frame = ETH_HEADER_BYTES + IP6_BYTES + UDP_BYTES + BTH_BYTES + bytes + ICRC_BYTES;

	return (frame + ETH_OVERHEAD_BYTES) * 80;
}

static vtime_t cable(void)
{
	return NS(10);
}

static struct bench_result run(const struct bench_workload *c, const char *name)
{
	struct bench_result res;

	if (baseline_run(c, name, NULL, &res))
		fail_msg("%s", res.trouble);
	return res;
}

/* Returns the time of each message to the NIC, out of it, and into the host. */
static vtime_t nics(void)
{
	return NS(100) + NS(160) + NS(160) + NS(300);
}

/* Eight bytes over a cable, in both directions at once. */
static void test_time_of_two(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_ALLREDUCE, 2, 8);
	vtime_t sent = NS(40) + NS(30) + NS(200) + 8 * 400;
	vtime_t seen = sent + nics() + wire(16 + 8) + cable() + (16 + 8) * 50;
	struct bench_result res = run(&c, "recursive-doubling");

	(void)state;
	assert_int_equal(res.time, seen + NS(50) + NS(220) + 8 * 200 + NS(20) + 8 * 250);
	assert_int_equal(res.wire_bytes, 2 * wire(16 + 8) / 80);
}

/* Returns the time from the arrival of a packet of 1024 bytes until the CPU sees the completion. */
static vtime_t packet_in(void)
{
	return NS(60) + 1024 * 50 + NS(100) + NS(300);
}

/* The message is too long to be pushed: the NIC reads it, and the packets follow each other. */
static void test_time_of_packets(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_BCAST, 2, 4096);
	vtime_t posted = NS(40) + NS(30) + NS(200) + NS(100) + NS(100);
	vtime_t first = posted + 1024 * 50 + NS(500) + NS(60);
	vtime_t here = first + wire(16 + 1024) + 3 * wire(1024) + cable();

	(void)state;
	assert_int_equal(run(&c, "linear").time,
			 here + packet_in() + NS(50) + NS(220) + 4096 * 200);
}

/* If the bus is slower than the cable, packets that arrive queue for the bus. */
static void test_time_of_slow_bus(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_BCAST, 2, 2048);
	struct bench_params slow = params;
	vtime_t first = NS(40) + NS(30) + NS(200) + 2048 * 400 + NS(100) + NS(160) +
			wire(16 + 1024) + cable();

	(void)state;
	slow.pcie_rate = 5000000000;
	c.params = &slow;
	assert_int_equal(run(&c, "linear").time,
			 first + NS(60) + (16 + 2048) * 200 + NS(100) + NS(300) +
			 NS(50) + NS(220) + 2048 * 200);
}

/* The NIC reads two messages: the data of the second one arrive after those of the first. */
static void test_time_of_two_reads(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_BCAST, 2, 4096);
	struct bench_params slow = params;
	vtime_t one;

	(void)state;
	slow.pcie_rate = 5000000000;
	c.params = &slow;
	c.topology = TOPO_SWITCH;
	one = run(&c, "linear").time;
	c.nodes = 3;
	assert_int_equal(run(&c, "linear").time, one + 4096 * 200);
}

/* Rank 0 sends a long message to rank 2, while ranks 1 and 3 exchange @turns short ones. */
static vtime_t time_beside(uint32_t turns)
{
	struct bench_workload c = a_case(TALLY_OPCODE_BCAST, 2, 1 << 20);
	struct baseline_step step[256] = {
		{ BASELINE_SEND, 2, 0, 0, 1 << 17 },
	};
	size_t first[5] = { 0, 1 }, n = 1;
	struct baseline_plan plan = { .ranks = 4, .memory = 1 << 17, .step = step, .first = first };
	struct bench_result res;
	char why[160];
	struct baseline_cluster *cluster;

	c.ranks = 2;
	for (uint32_t i = 0; i < turns; i++) {
		step[n++] = (struct baseline_step){ BASELINE_SEND, 3, 0, 0, 1 };
		step[n++] = (struct baseline_step){ BASELINE_RECV, 3, 0, 0, 1 };
		step[n++] = (struct baseline_step){ .kind = BASELINE_WAIT };
	}
	first[2] = n;
	step[n++] = (struct baseline_step){ BASELINE_RECV, 0, 0, 0, 1 << 17 };
	step[n++] = (struct baseline_step){ .kind = BASELINE_WAIT };
	first[3] = n;
	for (uint32_t i = 0; i < turns; i++) {
		step[n++] = (struct baseline_step){ BASELINE_RECV, 1, 0, 0, 1 };
		step[n++] = (struct baseline_step){ .kind = BASELINE_WAIT };
		step[n++] = (struct baseline_step){ BASELINE_SEND, 1, 0, 0, 1 };
	}
	first[4] = plan.used = n;
	cluster = baseline_cluster_new(&c, false, NULL, why, sizeof(why));
	assert_non_null(cluster);
	assert_false(baseline_cluster_run(cluster, &plan, VT_NEVER, &res));
	baseline_cluster_free(cluster);
	return res.time;
}

/* Short messages pass between the packets of a long answer, and are not delayed. */
static void test_short_ones_pass(void **state)
{
	vtime_t alone = time_beside(0), both = time_beside(20);

	(void)state;
	assert_true(both > alone);
	assert_true(both < alone + NS(1000));
}

/* Above the eager limit, data are announced, requested and read; nothing is copied. */
static void test_time_of_rendezvous(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_BCAST, 2, 5120);
	vtime_t told = NS(40) + NS(30) + NS(200) + nics() + wire(36) + cable() + 36 * 50;
	vtime_t asked = told + NS(50) + NS(220) + NS(200) + NS(100) + NS(160) + wire(16) + cable();
	vtime_t first = asked + NS(60) + 1024 * 50 + NS(500) + NS(60);
	vtime_t here = first + 2 * wire(4 + 1024) + 3 * wire(1024) + cable();

	(void)state;
	assert_int_equal(run(&c, "linear").time, here + packet_in() + NS(50));
}

/* Within a node no NIC is used; the data are copied in and out. */
static void test_time_of_memory(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_BCAST, 1, 1000);

	(void)state;
	c.ranks = 2;
	assert_int_equal(run(&c, "linear").time, NS(40) + 1000 * 200 + NS(120) + 1000 * 200);
	assert_int_equal(run(&c, "linear").wire_bytes, 0);
	c.ranks = 5;
	assert_int_equal(run(&c, "smp-linear").time, NS(40) + 1000 * 200 + NS(120) + 1000 * 200);
}

/* The CPU computes between call and wait: messages that arrive meanwhile wait. */
static void test_overlap(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_ALLREDUCE, 2, 8);
	vtime_t alone = run(&c, "recursive-doubling").time;
	vtime_t taking = NS(50) + NS(220) + 8 * 200 + NS(20) + 8 * 250;

	(void)state;
	c.overlap = true;
	assert_int_equal(run(&c, "recursive-doubling").time, alone);
	c.compute = NS(10000);
	assert_int_equal(run(&c, "recursive-doubling").time,
			 NS(40) + NS(30) + NS(200) + 8 * 400 + NS(10000) + taking);
}

/* All ranks wait for the one that calls last. */
static void test_skew_and_noise(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_ALLREDUCE, 16, 8);
	vtime_t calm = run(&c, "recursive-doubling").time, late, noisy;

	(void)state;
	c.iterations = 9;
	c.skew = NS(100000);
	late = run(&c, "recursive-doubling").time;
	assert_true(late <= calm && late > calm / 2);
	assert_int_equal(run(&c, "recursive-doubling").time, late);
	c.skew = 0;
	c.noise_rate = 100000;
	c.noise_time = NS(5000);
	noisy = run(&c, "recursive-doubling").time;
	assert_true(noisy > calm);
	assert_int_equal(run(&c, "recursive-doubling").time, noisy);
}

/* Document 002: with a leader that is not late, ranks wait for the root alone. */
static void test_competition(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_BCAST, 8, 8);
	vtime_t calm, p, cp;

	(void)state;
	c.topology = TOPO_SWITCH;
	c.ranks = 8;
	calm = run(&c, "smp-k-nomial-2").rank_max;
	assert_int_equal(calm, run(&c, "smp-k-nomial-2").time);
	assert_int_equal(run(&c, "cp-k-nomial-2").rank_max, calm);
	c.iterations = 200;
	c.skew = NS(1000000);
	p = run(&c, "smp-k-nomial-2").rank_max;
	cp = run(&c, "cp-k-nomial-2").rank_max;
	/* The mean wait for one process is a sixth of the skew, for two of them a quarter. */
	assert_true(cp > NS(1000000 / 6) && cp < NS(1000000 / 4));
	assert_true(p > NS(1000000 / 4) + calm);
}

/* Each element contains its rank and index. */
static uint64_t given(uint32_t rank, uint64_t element)
{
	return (rank + 1) * 1000003ull + element * 7919;
}

/* Whether a rank has its block only. */
static bool own_block(enum tally_opcode opcode)
{
	return opcode == TALLY_OPCODE_ALLGATHER || opcode == TALLY_OPCODE_GATHER;
}

static void fill(void *arg, uint32_t rank, void *memory)
{
	const struct baseline_task *t = arg;
	uint64_t *to = memory;

	for (uint64_t e = 0; e < baseline_task_data(t); e++)
		to[e] = own_block(t->opcode) && e / t->count != rank ? 0 : given(rank, e);
}

static uint64_t expected(const struct baseline_task *t, uint64_t element)
{
	uint64_t n = baseline_task_ranks(t);

	if (t->opcode == TALLY_OPCODE_BCAST || t->opcode == TALLY_OPCODE_SCATTER)
		return given(0, element);
	if (own_block(t->opcode))
		return given(element / t->count, element);
	return n * (n + 1) / 2 * 1000003 + n * element * 7919;
}

static void check(const struct baseline_task *t, const struct baseline_cluster *cluster,
		  const char *name)
{
	for (uint32_t r = 0; r < baseline_task_ranks(t); r++) {
		const uint64_t *got = baseline_cluster_memory(cluster, r);

		if ((t->opcode == TALLY_OPCODE_REDUCE || t->opcode == TALLY_OPCODE_GATHER) && r)
			continue;
		for (uint64_t e = 0; e < baseline_task_data(t); e++) {
			if ((t->opcode == TALLY_OPCODE_REDUCE_SCATTER ||
			     t->opcode == TALLY_OPCODE_SCATTER) && e / t->count != r)
				continue;
			if (got[e] != expected(t, e))
				fail_msg("%s of %u: rank %u, element %lu", name, t->nodes, r,
					 (unsigned long)e);
		}
	}
}

/* Runs every algorithm; none is faster than its bound. */
static void with_data(enum tally_opcode opcode, uint32_t nodes, uint32_t ranks, uint64_t bytes)
{
	struct bench_workload c = a_case(opcode, nodes, bytes);
	char name[BASELINE_NAME_MAX], why[160];
	struct bench_result res;
	struct baseline_task task;
	struct baseline_plan plan;
	struct baseline_cluster *cluster;

	c.ranks = ranks;
	cluster = baseline_cluster_new(&c, true, NULL, why, sizeof(why));
	if (!cluster)
		fail_msg("%s", why);
	assert_false(baseline_task_of(&c, &task));
	baseline_cluster_fill(cluster, fill, &task);
	for (unsigned int i = 0; baseline_plan_name(&task, i, name); i++) {
		assert_false(baseline_plan_make(&plan, &task, name));
		assert_false(baseline_cluster_run(cluster, &plan, VT_NEVER, &res));
		check(&task, cluster, name);
		if (res.time < baseline_bound(cluster, &plan))
			fail_msg("%s of %u: %lu ps, not below %lu", name, nodes,
				 (unsigned long)res.time,
				 (unsigned long)baseline_bound(cluster, &plan));
		baseline_plan_free(&plan);
	}
	baseline_cluster_free(cluster);
}

static const enum tally_opcode opcodes[] = {
	TALLY_OPCODE_ALLREDUCE, TALLY_OPCODE_REDUCE, TALLY_OPCODE_BCAST,
	TALLY_OPCODE_ALLGATHER, TALLY_OPCODE_REDUCE_SCATTER, TALLY_OPCODE_GATHER,
	TALLY_OPCODE_SCATTER,
};

/* Data that are pushed, read by the NIC, in several packets, and by rendezvous. */
static void test_data(void **state)
{
	static const uint64_t sizes[] = { 8, 1000, 3000, 20000 };

	(void)state;
	for (size_t o = 0; o < sizeof(opcodes) / sizeof(opcodes[0]); o++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
			for (uint32_t n = 1; n <= 9; n += STEP)
				with_data(opcodes[o], n, 1 + n % 3 * 2 % 3, sizes[s]);
	with_data(TALLY_OPCODE_ALLREDUCE, 33, 1, 8);
	with_data(TALLY_OPCODE_ALLREDUCE, 64, 1, 8);
}

/* The search finds the same algorithm as a trial of all of them. */
static void test_best(void **state)
{
	static const uint64_t sizes[] = { 8, 6000, 100000 };

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (uint32_t n = 1; n <= 17; n += 4) {
			struct bench_workload c = a_case(TALLY_OPCODE_ALLREDUCE, n, sizes[s]);
			struct bench_result res;
			vtime_t least = VT_NEVER;
			char name[BASELINE_NAME_MAX];

			assert_false(baseline_best(&c, &res, name));
			for (const char *const *a = baseline_algorithms(&c); *a; a++)
				least = run(&c, *a).time < least ? run(&c, *a).time : least;
			assert_int_equal(res.time, least);
			assert_int_equal(run(&c, name).time, least);
		}
}

static void test_best_with_chance(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_ALLREDUCE, 12, 8);
	struct bench_result res;
	char name[BASELINE_NAME_MAX];

	(void)state;
	c.skew = NS(1000);
	c.iterations = 5;
	assert_false(baseline_best(&c, &res, name));
	assert_int_equal(run(&c, name).time, res.time);
	assert_true(res.time <= run(&c, "recursive-doubling").time);
}

/* A trace has the spans of the CPUs, and does not change the run. */
static void test_trace(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_ALLREDUCE, 2, 8);
	char path[] = "/tmp/baseline-trace-XXXXXX", text[65536] = "";
	struct bench_result res;
	struct sim_trace *trace;
	FILE *f;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	trace = sim_trace_open(path);
	assert_non_null(trace);
	assert_false(baseline_run(&c, "recursive-doubling", trace, &res));
	assert_false(sim_trace_close(trace));
	f = fdopen(fd, "r");
	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	remove(path);
	assert_int_equal(res.time, run(&c, "recursive-doubling").time);
	assert_non_null(strstr(text, "host 0"));
	assert_non_null(strstr(text, "rank 1"));
	assert_non_null(strstr(text, "\"call\""));
	assert_non_null(strstr(text, "\"send\""));
	assert_non_null(strstr(text, "\"receive\""));
	assert_non_null(strstr(text, "\"reduce\""));
}

static void test_trouble(void **state)
{
	struct bench_workload c = a_case(TALLY_OPCODE_ALLREDUCE, 4, 8);
	struct bench_result res;
	char name[BASELINE_NAME_MAX];

	(void)state;
	assert_int_equal(baseline_run(&c, "rnig", NULL, &res), -EINVAL);
	assert_string_equal(res.trouble,
			    "rnig does not exist for this case; docs/bench.md lists the names");
	c.topology = TOPO_DIRECT;
	assert_int_equal(baseline_run(&c, "ring", NULL, &res), -EINVAL);
	assert_true(strlen(res.trouble) > 0);
	assert_int_equal(baseline_best(&c, &res, name), -EINVAL);
	assert_true(strlen(res.trouble) > 0);
	c = a_case(TALLY_OPCODE_QUERY, 4, 8);
	assert_int_equal(baseline_run(&c, "ring", NULL, &res), -EINVAL);
	assert_null(baseline_algorithms(&c)[0]);
	assert_null(baseline_default(&c, "mpich"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_of_two),
		cmocka_unit_test(test_time_of_packets),
		cmocka_unit_test(test_time_of_slow_bus),
		cmocka_unit_test(test_time_of_two_reads),
		cmocka_unit_test(test_short_ones_pass),
		cmocka_unit_test(test_time_of_rendezvous),
		cmocka_unit_test(test_time_of_memory),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_skew_and_noise),
		cmocka_unit_test(test_competition),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_best),
		cmocka_unit_test(test_best_with_chance),
		cmocka_unit_test(test_trace),
		cmocka_unit_test(test_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
