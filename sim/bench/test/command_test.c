// SPDX-License-Identifier: BSD-2-Clause
/* `tallysim bench`: its options, its output, and its errors. */
#include "command_testing.h"

static void must_run(const char *options)
{
	int status = bench("%s", options);

	if (status)
		fail_msg("tallysim bench %s: exit status %d\n%s", options, status, output);
}

static void must_mention(const char *what)
{
	if (!strstr(output, what))
		fail_msg("no %s in\n%s", what, output);
}

static void text_is(struct json_object *o, const char *key, const char *text)
{
	assert_string_equal(json_object_get_string(member(o, key)), text);
}

static void all_fields(void **state)
{
	struct json_object *o;

	(void)state;
	must_run("--op allreduce --type fp64 --size 8 --nodes 3 --topology fattree3 --engine model "
		 "--mode exchange --json");
	o = object(0);
	assert_int_equal(json_object_get_int(member(o, "nodes")), 3);
	assert_int_equal(json_object_get_int(member(o, "size")), 8);
	text_is(o, "type", "fp64");
	text_is(o, "op", "allreduce");
	text_is(o, "engine", "model");
	text_is(o, "topology", "fattree3");
	text_is(o, "mode", "exchange");
	text_is(o, "params", "ethernet100g");
	assert_true(json_object_get_boolean(member(o, "checked")));
	assert_true(number(0, "floor_ns") > 0);
	assert_true(number(0, "offload_ns") > number(0, "floor_ns"));
	assert_true(number(0, "host_best_ns") > number(0, "floor_ns"));
	assert_true(number(0, "host_default_ns") >= number(0, "host_best_ns"));
	assert_true(json_object_get_string_len(member(o, "host_best_algorithm")) > 0);
	/* three nodes, each with two others, over two cables each way, and acknowledgements */
	assert_true(number(0, "wire_bytes") >= 3 * 2 * 2 * (8 + 142 + 24));
	assert_int_equal(json_object_array_length(member(o, "radices")), 1);
	json_object_put(o);
}

/* Lists of nodes and of sizes give a line for each pair; sizes vary faster than nodes. */
static void lists(void **state)
{
	static const struct {
		unsigned int nodes, size;
	} lines[] = {
		{ 2, 8 }, { 2, 16 }, { 2, 1024 }, { 4, 8 }, { 4, 16 }, { 4, 1024 },
		{ 5, 8 }, { 5, 16 }, { 5, 1024 }, { 7, 8 }, { 7, 16 }, { 7, 1024 },
	};

	(void)state;
	must_run("--nodes 2:4,5:7:2 --size 8,16,1K --no-host --json");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(number(i, "nodes"), lines[i].nodes);
		assert_int_equal(number(i, "size"), lines[i].size);
	}
}

static void every_operation_in_every_mode(void **state)
{
	static const char *const runs[] = {
		"--op allreduce --mode tree", "--op allreduce --mode multicast",
		"--op allreduce --mode exchange", "--op allreduce --mode ring",
		"--op barrier --mode tree", "--op barrier --mode exchange",
		"--op barrier --mode ring", "--op bcast --mode tree", "--op bcast --mode multicast",
		"--op bcast --mode ring", "--op reduce --mode tree", "--op allgather --mode ring",
		"--op allgather --mode exchange", "--op reduce_scatter --mode ring",
		"--op reduce_scatter --mode exchange",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct json_object *o;

		if (bench("%s --nodes 5 --ranks 2%s --no-host --json", runs[i],
			  strstr(runs[i], "barrier") ? "" : " --size 8192"))
			fail_msg("%s: %s", runs[i], output);
		o = object(0);
		assert_true(json_object_get_boolean(member(o, "checked")));
		text_is(o, "mode", strstr(runs[i], "--mode ") + strlen("--mode "));
		json_object_put(o);
	}
}

static void every_operation_planned(void **state)
{
	static const char *const ops[] = { "allreduce", "barrier", "bcast", "reduce", "allgather",
					   "reduce_scatter" };

	(void)state;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		for (unsigned int nodes = 1; nodes <= 6; nodes++)
			if (bench("--op %s --nodes %u --type int32 --no-host%s", ops[i], nodes,
				  strcmp(ops[i], "barrier") ? " --size 4,4096,20000" : ""))
				fail_msg("%s over %u nodes: %s", ops[i], nodes, output);
}

static void every_topology(void **state)
{
	static const char *const names[] = { "ring", "switch", "fattree2", "fattree3" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (bench("--topology %s --nodes 7 --leader --ranks 3", names[i]))
			fail_msg("%s: %s", names[i], output);
	must_run("--topology direct --nodes 2");
}

static void conditions(void **state)
{
	double quiet;

	(void)state;
	must_run("--nodes 4 --json --overlap");
	quiet = number(0, "offload_ns");
	assert_true(number(0, "offload_total_ns") < 2 * quiet);
	assert_in_range(100 * number(0, "offload_overlap"), 50, 100);
	assert_in_range(100 * number(0, "host_default_overlap"), 0, 100);
	must_run("--nodes 4 --json --no-host --compute 50us");
	assert_in_range(number(0, "offload_ns"), 50000, 51000);
	must_run("--nodes 4 --json --no-host --skew 20us");
	assert_in_range(number(0, "offload_ns"), quiet / 2, quiet * 1.05);
	must_run("--nodes 4 --json --noise-rate 100000 --noise-time 2us --iterations 21 "
		 "--algorithm recursive-doubling");
	assert_true(number(0, "offload_ns") > quiet);
	assert_true(number(0, "host_ns") > quiet);
}

static void same_seed_same_output(void **state)
{
	const char *options = "--nodes 5,8 --size 8,10000 --noise-rate 100000 --noise-time 1us "
			      "--skew 3us --json --seed";
	char first[sizeof(output) / 16];

	(void)state;
	assert_int_equal(bench("%s 7", options), 0);
	assert_true(strlen(output) < sizeof(first));
	strcpy(first, output);
	assert_int_equal(bench("%s 7", options), 0);
	assert_string_equal(output, first);
	assert_int_equal(bench("%s 8", options), 0);
	assert_string_not_equal(output, first);
}

static void a_trace(void **state)
{
	char path[] = "/tmp/bench-trace-XXXXXX";
	struct json_object *o, *events;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(bench("--nodes 3 --no-host --trace %s", path), 0);
	o = json_object_from_fd(fd);
	assert_non_null(o);
	events = member(o, "traceEvents");
	assert_true(json_object_array_length(events) > 50);
	json_object_put(o);
	/* a refused run removes its trace, */
	assert_int_equal(bench("--nodes 3 --op bcast --mode exchange --trace %s", path), 1);
	assert_int_equal(access(path, F_OK), -1);
	/* but not a file that is not regular */
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_equal(bench("--nodes 3 --op bcast --mode exchange --trace %s", path), 1);
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
}

/* The share of the operation that computing hides is in the table too. */
static void overlap(void **state)
{
	char share[32];

	(void)state;
	must_run("--nodes 2 --overlap --json");
	snprintf(share, sizeof(share), " %.1f%% ", 100 * number(0, "offload_overlap"));
	must_run("--nodes 2 --overlap");
	must_mention(" overlap software ");
	must_mention(share);
	must_run("--nodes 2 --overlap --no-host");
	must_mention("        -  ");
}

static void refused(void **state)
{
	static const struct {
		const char *options;
		int status;
		const char *message;
	} lines[] = {
		{ "--op scan", 2, "--op scan: unknown; there are allreduce, barrier, bcast, reduce, "
		  "allgather, reduce_scatter" },
		{ "--type fp128", 2, "--type fp128: unknown" },
		{ "--size 12", 2, "--size: 12 bytes are no multiple of an element's 8" },
		{ "--op barrier --size 8", 2, "--size is for operations with data, and --op selects "
		  "barrier" },
		{ "--size 8 --op barrier", 2, "--size is for operations with data" },
		{ "--size 2G", 2, "--size 2G: not a size" },
		{ "--nodes 0", 2, "--nodes 0: not a whole number from 1 to 1024" },
		{ "--nodes 1025", 2, "--nodes 1025: not a whole number from 1 to 1024" },
		{ "--nodes 8:4", 2, "--nodes: 8:4 ends before it begins" },
		{ "--nodes 1:2:3:4", 2, "--nodes: a range of more than A:B:STEP" },
		{ "--nodes 2:4:0", 2, "--nodes 0: not a whole number from 1 to" },
		{ "--nodes 4,", 2, "--nodes : not a whole number" },
		{ "--ranks 65", 2, "--ranks 65: not a whole number from 1 to 64" },
		{ "--topology mesh", 2, "--topology mesh: unknown" },
		{ "--engine warp", 2, "--engine warp: unknown engine" },
		{ "--mode star", 2, "--mode star: unknown" },
		{ "--radix 1", 2, "--radix 1: not a whole number from 2" },
		{ "--mode tree --radix 2,2", 2, "--radix is for exchange only" },
		{ "--mode multicast --radix 2", 2, "--radix is for exchange only" },
		{ "--mode ring --degree 2", 2, "--degree is for trees only" },
		{ "--radix 2,2 --degree 2", 2, "exclude each other" },
		{ "--skew 5", 2, "--skew 5: not a time from 0 to" },
		{ "--noise-rate 5", 2, "--noise-rate and --noise-time go together" },
		{ "--noise-rate 1000 --noise-time 1ms", 2, "less than a tenth of the CPU" },
		{ "--overlap --compute 1us", 2, "--overlap and --compute exclude each other" },
		{ "--nodes 2,3 --trace x", 2, "--trace: more than one size or number of nodes" },
		{ "--trace /no/such/folder/x", 1, "--trace /no/such/folder/x: No such file" },
		{ "what", 2, "what: not an option" },
		{ "--params no/such", 2, "no/such: No such file or directory" },
		{ "--nodes 33", 1, "one 32-port switch has room for 32 hosts, not 33" },
		{ "--nodes 3 --topology direct", 1, "direct" },
		{ "--nodes 8 --mode exchange --radix 3", 1, "radix: these rounds combine 3" },
		{ "--nodes 8 --mode exchange --op bcast", 1, "EXCHANGE does not offer BCAST" },
		{ "--size 8:1G:1", 2, "--size: a list of more than 4096 numbers" },
		{ "--bogus", 2, "Try 'tallysim bench --help'" },
		{ "--nodes 2 --algorithm magic", 1, "magic does not exist for this case; docs/bench.md "
		  "lists the names" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		int status = bench("%s", lines[i].options);

		if (status != lines[i].status)
			fail_msg("%s: exit status %d\n%s", lines[i].options, status, output);
		must_mention(lines[i].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_fields),
		cmocka_unit_test(lists),
		cmocka_unit_test(every_operation_in_every_mode),
		cmocka_unit_test(every_operation_planned),
		cmocka_unit_test(every_topology),
		cmocka_unit_test(conditions),
		cmocka_unit_test(same_seed_same_output),
		cmocka_unit_test(a_trace),
		cmocka_unit_test(overlap),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
