// SPDX-License-Identifier: BSD-2-Clause
/* The cost model: small cases, against sums made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "offload/offload.h"
#include "tally-push.h"
#include "offload/test/set.h"
#include "workload/cpu.h"

/* All times are in nanoseconds; see set.h. */
#define CALL		5
#define POST		60
#define PUSH		(3 * 64)	/* lines: request, 8 bytes padded to 16, a list entry */
#define DOORBELL	100
#define REQUEST		25
#define PARSE		15
#define ALU		20
#define ENCAP		16
#define STATUS		26
#define WIRE		(((8 + 142 + 24) * 80) / 1000.)
#define CABLE		50
#define BUS(bytes)	((bytes) / 10.)
#define WRITE		300
#define POLL		30

#define TO_ENGINE	(CALL + POST + PUSH + DOORBELL)
#define READ		500
#define SHARE		70
/* The result is written while the completion is formed. */
#define TO_PROGRAM	(BUS(64) + WRITE)

static struct offload_result run(const struct bench_workload *c,
				 const struct offload_choice *choice)
{
	struct offload_result res;

	if (offload_run(c, choice, NULL, &res))
		fail_msg("%s", res.run.trouble);
	assert_true(res.checked);
	assert_int_equal(res.retransmits, 0);
	return res;
}

static struct bench_workload case_of(uint32_t nodes)
{
	return (struct bench_workload){ .params = &set,
					.topology = TOPO_SWITCH,
					.nodes = nodes,
					.ranks = 1,
					.opcode = TALLY_OPCODE_ALLREDUCE,
					.op = TALLY_OP_SUM,
					.type = TALLY_TYPE_FP64,
					.bytes = 8,
					.seed = 1,
					.warmup = 1,
					.iterations = 1 };
}

/* A completion is noticed in the nanosecond of its time stamp. */
static void takes(const struct bench_workload *c, const struct offload_choice *choice,
		  double to_completion, unsigned int then)
{
	assert_int_equal(run(c, choice).run.time,
			 ((vtime_t)to_completion + then) * VT_NS);
}

static void alone(void **state)
{
	struct bench_workload c = case_of(1);
	struct offload_choice choice = { .mode = TALLY_MODE_EXCHANGE };

	(void)state;
	takes(&c, &choice, TO_ENGINE + REQUEST + STATUS + TO_PROGRAM, POLL);
}

/* Without a push buffer, the NIC reads the request, an entry of 256 bytes. */
static void not_pushed(void **state)
{
	struct bench_workload c = case_of(1);
	struct offload_choice choice = { .mode = TALLY_MODE_EXCHANGE, .no_push = true };

	(void)state;
	assert_false(run(&c, &choice).pushed);
	takes(&c, &choice, TO_ENGINE - PUSH + READ + BUS(256) + REQUEST + STATUS + TO_PROGRAM,
	      POLL);
}

/* libtally pushes requests that fit into half a push buffer, regardless of the cost. */
static void pushed_by_rule(void **state)
{
	const uint32_t most = TALLY_PUSH_LINES * TALLY_PUSH_PIECE - 128 - 16;
	struct bench_workload c = case_of(1);
	struct offload_choice choice = { .mode = TALLY_MODE_EXCHANGE };
	struct bench_params p = set;
	struct offload_result res;

	(void)state;
	p.push_rate = 40000000000;
	c.params = &p;
	c.bytes = most / 16 * 16;
	res = run(&c, &choice);
	assert_true(res.pushed && res.inlined);
	c.bytes += 16;
	res = run(&c, &choice);
	assert_true(res.pushed != res.inlined);
	p.push_rate = 1000000;
	c.bytes = 8;
	assert_true(run(&c, &choice).pushed);
}

static void two_exchange(void **state)
{
	struct bench_workload c = case_of(2);
	struct offload_choice choice = { .mode = TALLY_MODE_EXCHANGE };

	(void)state;
	c.topology = TOPO_DIRECT;
	takes(&c, &choice, TO_ENGINE + REQUEST + ENCAP + WIRE + CABLE + PARSE + ALU + STATUS +
	      TO_PROGRAM, POLL);
}

/* The child's contribution goes up, the sum comes down. */
static void two_in_a_tree(void **state)
{
	struct bench_workload c = case_of(2);
	struct offload_choice choice = { .mode = TALLY_MODE_TREE };

	(void)state;
	c.topology = TOPO_DIRECT;
	takes(&c, &choice, TO_ENGINE + REQUEST + ENCAP + WIRE + CABLE + PARSE + ALU + ENCAP +
	      WIRE + CABLE + PARSE + STATUS + TO_PROGRAM, POLL);
}

/* If pushing data is slower than reading them, the NIC reads them. */
static void two_with_data_in_memory(void **state)
{
	struct bench_workload c = case_of(2);
	struct offload_choice choice = { .mode = TALLY_MODE_EXCHANGE };
	double wire = (4096 + 142 + 24) * 80 / 1000.;
	unsigned int more_words = 4096 / 64 - 1;

	(void)state;
	c.topology = TOPO_DIRECT;
	c.bytes = 4096;
	assert_false(run(&c, &choice).inlined);
	/* the completion waits for the result, which takes longer on the bus than to form */
	takes(&c, &choice, TO_ENGINE + REQUEST + READ + BUS(4096) + ENCAP + wire + CABLE + PARSE +
	      ALU + more_words + BUS(4096) + TO_PROGRAM, POLL);
}

/* Requests that three ranks push at a time are serialized on the bus. */
static void ranks_share_the_bus(void **state)
{
	struct bench_workload c = case_of(1);
	struct offload_choice choice = { .mode = TALLY_MODE_EXCHANGE };
	vtime_t fast, slow;
	struct bench_params p = set;

	(void)state;
	p.push_rate = 40000000000;
	c.params = &p;
	c.ranks = 3;
	fast = run(&c, &choice).run.time;
	p.pcie_rate = 1000000000;
	slow = run(&c, &choice).run.time;
	/* three requests, and the completions on the way back; the bus is a tenth as fast */
	assert_in_range(slow - fast, (3 * PUSH + 3 * 64) * 9 / 10 * VT_NS - VT_NS,
			(3 * PUSH + 3 * 64) * 9 / 10 * VT_NS + VT_NS);
}

/* The leader waits for the other rank's call, posts for both, and notifies it at the end. */
static void a_leader(void **state)
{
	struct bench_workload c = case_of(1);
	struct offload_choice choice = { .mode = TALLY_MODE_EXCHANGE, .leader = true };
	unsigned int push = 4 * 64;	/* 128 and 4 list entries */

	(void)state;
	c.ranks = 2;
	takes(&c, &choice, CALL + SHARE + POST + push + DOORBELL + REQUEST + BUS(8) + READ +
	      BUS(8) + ALU + STATUS + TO_PROGRAM, POLL + SHARE);
}

static void non_blocking(void **state)
{
	struct bench_workload c = case_of(1);
	struct offload_choice choice = { .mode = TALLY_MODE_EXCHANGE };

	(void)state;
	c.overlap = true;
	c.compute = 100 * VT_NS;
	takes(&c, &choice, TO_ENGINE + REQUEST + STATUS + TO_PROGRAM, POLL);
	c.compute = 10000 * VT_NS;
	takes(&c, &choice, CALL + POST + PUSH + 10000, POLL);
}

/* The time counts from the last call; what the others did before does not matter. */
static void skewed(void **state)
{
	struct bench_workload c = case_of(2);
	struct offload_choice choice = { .mode = TALLY_MODE_EXCHANGE };
	vtime_t one, other, together = run(&c, &choice).run.time;

	(void)state;
	c.skew = 100 * VT_US;
	one = bench_arrival(&c, 1, 0);
	other = bench_arrival(&c, 1, 1);
	assert_true(one <= c.skew && other <= c.skew && one != other);
	/* the early rank's packet has arrived: the late rank sends its own as before */
	assert_in_range(run(&c, &choice).run.time, together - VT_NS, together + VT_NS);
}

static void interrupted(void **state)
{
	struct bench_workload c = case_of(1);
	struct offload_choice choice = { .mode = TALLY_MODE_EXCHANGE };
	vtime_t quiet = run(&c, &choice).run.time, noisy;

	(void)state;
	c.noise_rate = 500000;
	c.noise_time = VT_US;
	c.iterations = 101;
	noisy = run(&c, &choice).run.time;
	assert_in_range(noisy, quiet + 100 * VT_NS, quiet + 4 * VT_US);
	assert_int_equal(run(&c, &choice).run.time, noisy);
	c.seed = 2;
	assert_int_not_equal(run(&c, &choice).run.time, noisy);
}

static void refused(const struct bench_workload *c, const struct offload_choice *choice,
		    const char *reason)
{
	struct offload_result res;

	assert_int_equal(offload_run(c, choice, NULL, &res), -1);
	assert_string_equal(res.run.trouble, reason);
}

static void impossible(void **state)
{
	struct bench_workload c = case_of(9);
	struct offload_choice choice = { .mode = TALLY_MODE_EXCHANGE };

	(void)state;
	refused(&c, &choice, "one 8-port switch has room for 8 hosts, not 9");
	c = case_of(8);
	choice.num_rounds = 1;
	choice.radix[0] = 3;
	refused(&c, &choice, "radix: these rounds combine 3 nodes at most, not 8");
}

/* ---- The CPU ---- */

static void cpu_does_one_thing_at_a_time(void **state)
{
	struct bench_workload c = case_of(1);
	struct bench_cpu cpu;

	(void)state;
	cpu_init(&cpu, &c, 0);
	assert_int_equal(cpu_run(&cpu, 100, 50), 150);
	assert_int_equal(cpu_run(&cpu, 120, 50), 200);
	assert_int_equal(cpu_run(&cpu, 300, 0), 300);
}

/* In the long run, interruptions take their share of the time. */
static void cpu_is_interrupted(void **state)
{
	struct bench_workload c = case_of(1);
	struct bench_cpu cpu;
	vtime_t end;

	(void)state;
	c.noise_rate = 10000;
	c.noise_time = 25 * VT_US;
	cpu_init(&cpu, &c, 0);
	end = cpu_run(&cpu, 0, VT_S);
	/* 10,000 per second of work, 25 us each */
	assert_in_range(end, VT_S + 240 * VT_MS, VT_S + 260 * VT_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone),
		cmocka_unit_test(not_pushed),
		cmocka_unit_test(pushed_by_rule),
		cmocka_unit_test(two_exchange),
		cmocka_unit_test(two_in_a_tree),
		cmocka_unit_test(two_with_data_in_memory),
		cmocka_unit_test(ranks_share_the_bus),
		cmocka_unit_test(a_leader),
		cmocka_unit_test(non_blocking),
		cmocka_unit_test(skewed),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(impossible),
		cmocka_unit_test(cpu_does_one_thing_at_a_time),
		cmocka_unit_test(cpu_is_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
