// SPDX-License-Identifier: BSD-2-Clause
/* `tallysim coll` as a command; TALLYSIM names the program, PARAMS the folder of parameter sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <json.h>

static char output[1 << 16];

/* Runs the command with the usual parameters; writes its output. Returns the exit status. */
static int coll(const char *options)
{
	char command[1024];
	size_t len;
	int status;
	FILE *f;

	snprintf(command, sizeof(command), "%s coll --params %s/ethernet100g.params %s 2>&1",
		 getenv("TALLYSIM"), getenv("PARAMS"), options);
	f = popen(command, "r");
	assert_non_null(f);
	len = fread(output, 1, sizeof(output) - 1, f);
	output[len] = '\0';
	status = pclose(f);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* As coll() with --json; returns a member of the only line. */
static double number(const char *options, const char *key)
{
	struct json_object *o, *member;
	char with_json[512];
	double v;

	snprintf(with_json, sizeof(with_json), "%s --json", options);
	if (coll(with_json))
		fail_msg("%s: %s", options, output);
	o = json_tokener_parse(output);
	if (!o || !json_object_object_get_ex(o, key, &member))
		fail_msg("no %s in %s", key, output);
	v = json_object_get_double(member);
	json_object_put(o);
	return v;
}

static void must_mention(const char *what)
{
	if (!strstr(output, what))
		fail_msg("no %s in\n%s", what, output);
}

static void all_operations(void **state)
{
	static const char *const ops[] = { "allreduce", "reduce", "bcast", "allgather",
					   "reduce_scatter", "gather", "scatter" };
	char options[128];

	(void)state;
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		snprintf(options, sizeof(options), "--op %s --ranks 3 --size 8,6000,40K", ops[i]);
		if (coll(options))
			fail_msg("%s: %s", options, output);
		must_mention(ops[i]);
		must_mention("right");
		assert_null(strstr(output, "unchecked"));
	}
	assert_int_equal(coll("--op barrier --ranks 3"), 0);
	must_mention("100%");
}

static void ways_of_the_environment(void **state)
{
	(void)state;
	assert_int_equal((int)number("--way host", "offloaded"), 0);
	must_mention("OVERRIDDEN");
	assert_int_equal((int)number("--way bcast=host", "offloaded"), 1);
	/* Without registered memory of each rank's own, another way takes another time. */
	assert_true(number("--ranks 4 --size 64K --way node", "mean_ns") !=
		    number("--ranks 4 --size 64K --way direct", "mean_ns"));
	assert_int_equal(coll("--way bogus"), 1);
	must_mention("bogus");
}

static void same_seed_same_output(void **state)
{
	static char first[sizeof(output)];

	(void)state;
	assert_int_equal(coll("--ranks 2 --skew 50us --drop 0.02 --seed 4 --json"), 0);
	strcpy(first, output);
	assert_int_equal(coll("--ranks 2 --skew 50us --drop 0.02 --seed 4 --json"), 0);
	assert_string_equal(first, output);
	assert_int_equal(coll("--ranks 2 --skew 50us --drop 0.02 --seed 5 --json"), 0);
	assert_string_not_equal(first, output);
}

/* Ranks that come early wait for the last one; the operation itself takes its usual time. */
static void skew(void **state)
{
	double quick = number("--ranks 2", "rank_mean_ns");

	(void)state;
	assert_true(number("--ranks 2 --skew 100us", "rank_mean_ns") > quick + 30000);
	assert_true(number("--ranks 2 --skew 100us", "max_ns") < 2 * quick);
}

/* The root of a broadcast over NICs waits for nobody; the slowest rank's mean is the program of 002. */
static void means_of_ranks(void **state)
{
	const char *late = "--op bcast --nodes 8 --ranks 4 --way node --skew 100us --iterations 50";
	double root = number(late, "root_mean_ns"), all = number(late, "rank_mean_ns");
	double slowest = number(late, "rank_max_ns");

	(void)state;
	assert_true(root < 5000);
	assert_true(all > 100000 / 6 && all < 100000 / 4);
	assert_true(slowest > all && slowest < 2 * all);
}

/* One counter of each socket's ranks, instead of one of all. */
static void sockets(void **state)
{
	(void)state;
	assert_true(number("--ranks 32 --sockets 2 --way socket", "mean_ns") <
		    0.8 * number("--ranks 32 --sockets 2 --way node", "mean_ns"));
}

/*
 * The NIC alone performs an operation by the way direct, so computing hides it. By the way node the ranks
 * combine, which they do only within calls of the library.
 */
static void overlap(void **state)
{
	double idle, called;

	(void)state;
	assert_true(number("--size 64K --overlap --way direct", "overlap") >= 0.95);
	assert_true(number("--size 64K --overlap --way node", "overlap") >= 0.95);
	assert_true(number("--size 64K --overlap --way direct --ranks 4", "overlap") >= 0.95);
	must_mention("\"checked\": true");
	idle = number("--size 64K --overlap --way node --ranks 4", "overlap");
	called = number("--size 64K --overlap --way node --ranks 4 --progress 16", "overlap");
	assert_true(idle < 0.1);
	assert_true(called > 0.2 && called < 0.95);
	/* The way that is chosen for a non-blocking operation, where node is the faster one. */
	assert_true(number("--size 64K --overlap --ranks 16", "overlap") >= 0.95);
	assert_true(number("--size 64K --ranks 16", "mean_ns") <
		    number("--size 64K --way direct --ranks 16", "mean_ns"));
	assert_true(number("--size 64K --overlap --way direct", "total_ns") >
		    number("--size 64K --overlap --way direct", "mean_ns"));
}

/* Without noise all ranks but the root's turn make them call alike; the file has every call. */
static void programs(void **state)
{
	const char *program = "--op bcast --nodes 3 --ranks 2 --way node --work 50us --iterations 90";
	char path[] = "/tmp/tally-coll-XXXXXX", options[256], line[64];
	int fd = mkstemp(path), lines = 0;
	double quiet, noisy;
	FILE *f;

	(void)state;
	assert_true(fd >= 0);
	quiet = number(program, "arrival_ns");
	snprintf(options, sizeof(options), "%s --noise-rate 1000 --noise-time 100us --arrivals %s",
		 program, path);
	noisy = number(options, "arrival_ns");
	must_mention("\"checked\": true");
	assert_true(quiet < 5000 && noisy > 20000 && noisy < 2000000);
	f = fdopen(fd, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_string_equal(line, "iteration,rank,ns\n");
	while (fgets(line, sizeof(line), f))
		lines++;
	fclose(f);
	unlink(path);
	assert_int_equal(lines, 90 * 6);
	assert_int_equal(coll("--nodes 2 --arrivals /no/such/folder/file"), 1);
	must_mention("/no/such/folder/file");
}

/* The named algorithm runs beside the library. */
static void named_algorithm(void **state)
{
	const char *options = "--op bcast --ranks 4 --way node --algorithm cp-k-nomial-2 --skew 100us";

	(void)state;
	assert_true(number(options, "host_rank_max_ns") > 100000 / 10);
	must_mention("cp-k-nomial-2");
	assert_int_equal(coll("--op bcast --algorithm nothing"), 1);
	must_mention("nothing");
}

static void losses(void **state)
{
	(void)state;
	assert_int_equal((int)number("--size 64K", "retransmits"), 0);
	assert_true(number("--size 64K --drop 0.05", "retransmits") > 0);
	must_mention("\"checked\": true");
}

/* Without offload the program takes the time of the host's algorithm. */
static void beside_the_host(void **state)
{
	double host = number("--nodes 16 --host", "host_ns");

	(void)state;
	must_mention("\"host_algorithm\": \"recursive-doubling\"");
	assert_true(number("--nodes 16 --host --way direct", "with_ns") < host);
	assert_true(number("--nodes 16 --host --way host", "with_ns") == host);
	assert_int_equal(coll("--op scatter --ranks 3 --host"), 0);
	must_mention("host us");
	assert_int_equal(coll("--op gather --topology fattree3 --nodes 40 --host"), 0);
}

static void bad_command_lines(void **state)
{
	static const struct {
		const char *options, *word;
	} lines[] = {
		{ "--op nothing", "--op nothing" },	     { "--size 12", "--size" },
		{ "--op barrier --size 8", "barrier" },	     { "--ranks 257", "--ranks" },
		{ "--nodes 0", "--nodes" },		     { "--drop 0.2", "--drop" },
		{ "--topology mesh", "--topology mesh" }, { "--progress 3", "--overlap" },    { "--type fp80", "--type fp80" },
		{ "--params /no/such/file", "/no/such/file" },
		{ "--work 1us --skew 1us", "--work" },  { "--noise-rate 5", "--noise-time" },
		{ "--size 8,16 --arrivals /tmp/file", "--arrivals" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(coll(lines[i].options), 2);
		must_mention(lines[i].word);
	}
	assert_int_equal(coll("--nodes 3 --topology direct"), 1);
	must_mention("tallysim: coll: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_operations),
		cmocka_unit_test(ways_of_the_environment),
		cmocka_unit_test(same_seed_same_output),
		cmocka_unit_test(skew),
		cmocka_unit_test(means_of_ranks),
		cmocka_unit_test(sockets),
		cmocka_unit_test(programs),
		cmocka_unit_test(named_algorithm),
		cmocka_unit_test(overlap),
		cmocka_unit_test(losses),
		cmocka_unit_test(beside_the_host),
		cmocka_unit_test(bad_command_lines),
	};

	unsetenv("TALLY_COLL_TUNE");
	unsetenv("TALLY_COLL");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
