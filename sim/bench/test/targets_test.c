// SPDX-License-Identifier: BSD-2-Clause
/* The targets of the NICs on a cluster of today, on samples; `make bench` measures more. */
#include "command_testing.h"
#include "plan/cycles.h"

#define HOSTS_A_LEAF	16	/* of fat trees of 32-port switches */

static void must_run(const char *options)
{
	if (bench("--topology fattree3 --json %s", options))
		fail_msg("%s: %s", options, output);
}

static void must_be(bool good, unsigned int line)
{
	if (!good)
		fail_msg("%s", json_object_to_json_string(object(line)));
}

static unsigned int rounds_of(unsigned int line)
{
	struct json_object *o = object(line);
	unsigned int rounds = json_object_array_length(member(o, "radices"));

	json_object_put(o);
	return rounds;
}

/*
 * Return the nanoseconds that the NICs of an EXCHANGE take longer, at 250 MHz, than with paths that meet
 * their goals (plan/cycles.h): for the request, for each round that is passed on, and for the result.
 * Targets are those of the NIC that meets them.
 */
static double over_goals(unsigned int line)
{
	const int request = ENGINE_CYCLES_REQUEST + ENGINE_CYCLES_ENCAP - GOAL_CYCLES_POST;
	const int round = ENGINE_CYCLES_PARSE + ENGINE_CYCLES_ALU + ENGINE_CYCLES_ENCAP - GOAL_CYCLES_COMBINE;
	const int result = ENGINE_CYCLES_PARSE + ENGINE_CYCLES_STATUS - GOAL_CYCLES_RESULT;

	return (request + ((int)rounds_of(line) - 1) * round + result) * 4;
}

static double at_goals(unsigned int line)
{
	return number(line, "offload_ns") - over_goals(line);
}

/* 8 bytes: at the goals as fast as software between two nodes; faster from three nodes on, as it is. */
static void short_allreduce(void **state)
{
	(void)state;
	must_run("--nodes 2");
	must_be(at_goals(0) <= 1.05 * number(0, "host_best_ns"), 0);
	must_run("--nodes 3:17:1,24,31,32,33,64,100");
	for (unsigned int i = 0; i < 21; i++)
		must_be(number(i, "offload_ns") < number(i, "host_best_ns"), i);
}

static void many_nodes(void **state)
{
	(void)state;
	must_run("--nodes 256");
	must_be(4 * number(0, "offload_ns") <= number(0, "host_default_ns"), 0);
	must_be(2 * number(0, "offload_ns") <= number(0, "host_best_ns"), 0);
}

#define FULL_LEAVES	2.2
#define ANY_NUMBER	2.5

static void close_to_the_floor(void **state)
{
	const unsigned int runs = 19 + 4 + 13;

	(void)state;
	must_run("--no-host --iterations 1 --warmup 1 --nodes 2:20:1,16:128,"
		 "23,31,33,47,63,65,97,100,129,160,200,255,257");
	for (unsigned int i = 0; i < runs; i++) {
		bool full = (unsigned int)number(i, "nodes") % HOSTS_A_LEAF == 0;

		must_be(at_goals(i) <= (full ? FULL_LEAVES : ANY_NUMBER) * number(i, "floor_ns"), i);
	}
}

static double step(const char *type, unsigned int from, unsigned int to)
{
	if (bench("--nodes 16 --no-host --json --type %s --size %u,%u", type, from, to))
		fail_msg("%s", output);
	return number(1, "offload_ns") - number(0, "offload_ns");
}

/*
 * The time has no steps where lists, completions or requests end in other designs. The only step is
 * the engine's word of 64 bytes, which costs one cycle per reduction in a row; completions carry
 * whole nanoseconds.
 */
static void no_steps(void **state)
{
	(void)state;
	assert_true(step("fp64", 48, 56) <= step("fp64", 32, 40) + 2);
	assert_true(step("int8", 256, 257) <= step("int8", 192, 193) + 2);
	assert_true(step("int8", 255, 256) <= step("int8", 254, 255) + 2);
}

/*
 * Bus bandwidth: the bytes that a link must carry if the nodes form the sum, 2 (n - 1) / n times
 * the message, divided by the time. Payload rate: 4096 of the 4096 + 142 + 24 bytes of a packet.
 */
static void long_allreduce(void **state)
{
	const double bytes = 8 << 20, payload_rate = 12.5 * 4096 / (4096 + 142 + 24);

	(void)state;
	must_run("--nodes 16 --size 8M --mode ring --no-host --iterations 1 --warmup 0");
	must_be(bytes * 2 * 15 / 16 / number(0, "offload_ns") >= 0.95 * payload_rate, 0);
}

/*
 * With the constants of one fast host, the libraries' default choices take about the time that was
 * measured for software on such a fabric: Graham and others, "Scalable hierarchical aggregation
 * protocol (SHArP)", COM-HPC 2016: 8 bytes over 128 hosts, 36-port switches of 90 ns.
 */
static void software_on_a_fast_host(void **state)
{
	const double published = 6010;

	(void)state;
	must_run("--params $PARAMS/infiniband100g.params --topology fattree2 --nodes 128 "
		 "--size 8 --iterations 1 --warmup 1");
	must_be(number(0, "host_default_ns") >= 0.9 * published &&
		number(0, "host_default_ns") <= 1.1 * published, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_allreduce),
		cmocka_unit_test(many_nodes),
		cmocka_unit_test(close_to_the_floor),
		cmocka_unit_test(no_steps),
		cmocka_unit_test(long_allreduce),
		cmocka_unit_test(software_on_a_fast_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
