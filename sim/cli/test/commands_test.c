// SPDX-License-Identifier: BSD-2-Clause
/* `tallysim campaign`, `ordered`, `stream` as commands; TALLYSIM names the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#define FAULTS " --drop 0.05 --dup 0.05 --reorder 0.1 --corrupt 0.01"

static char output[65536];

/* Runs the program; returns its exit status, and writes its output to `output`. */
static int run(const char *arguments)
{
	const char *program = getenv("TALLYSIM");
	char command[1024];
	size_t len;
	int status;
	FILE *f;

	assert_non_null(program);
	snprintf(command, sizeof(command), "%s %s 2>&1", program, arguments);
	f = popen(command, "r");
	assert_non_null(f);
	len = fread(output, 1, sizeof(output) - 1, f);
	output[len] = '\0';
	status = pclose(f);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void must_run(const char *arguments)
{
	int status = run(arguments);

	if (status)
		fail_msg("tallysim %s: exit status %d\n%s", arguments, status, output);
}

static void must_mention(const char *what)
{
	if (!strstr(output, what))
		fail_msg("no %s in\n%s", what, output);
}

static void digest(char to[17])
{
	const char *at = strstr(output, "\"digest\": \"");

	assert_non_null(at);
	snprintf(to, 17, "%s", at + strlen("\"digest\": \""));
}

/* A run must not pass because the cases that it should test are switched off. */
static void covers_everything(void **state)
{
	static const char *const opcodes[] = { "ALLREDUCE", "REDUCE", "BCAST", "BARRIER", "GATHER",
					       "SCATTER" };
	static const char *const ops[] = { "SUM", "MIN", "MAX", "MINLOC", "MAXLOC", "LAND", "LOR",
					   "LXOR", "BAND", "BOR", "BXOR", "PROD", "AVG" };
	static const char *const types[] = { "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16",
					     "UINT32", "UINT64", "FP16", "FP32", "FP64", "BF16" };
	char what[32];
	size_t i;

	(void)state;
	must_run("campaign --collectives 2000 --seed 11 --json" FAULTS);
	for (i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		snprintf(what, sizeof(what), "\"%s\": ", opcodes[i]);
		must_mention(what);
	}
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		snprintf(what, sizeof(what), "\"%s\": ", ops[i]);
		must_mention(what);
	}
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		snprintf(what, sizeof(what), "\"%s\": ", types[i]);
		must_mention(what);
	}
	must_mention("\"passed\": true");
}

static unsigned long number(const char *name)
{
	char what[32];
	const char *at;

	snprintf(what, sizeof(what), "\"%s\": ", name);
	at = strstr(output, what);
	assert_non_null(at);
	return strtoul(at + strlen(what), NULL, 10);
}

/* With few cells, packets are answered busy, and groups are delayed. */
static void few_cells_are_exhausted(void **state)
{
	(void)state;
	must_run("campaign --collectives 500 --seed 6 --mode exchange --heavy 0.3 --cells 64 --json");
	assert_true(number("busy") > 100);
	assert_true(number("delayed_for_cells") > 0);
	must_run("campaign --collectives 1500 --seed 8 --mode tree --ordered --cells 16 --json "
		 "--deaths 0.005 --aborts 0.02" FAULTS);
	assert_true(number("busy") > 100);
}

/* A descriptor that finds no cell until its time limit ends its group. Few runs come to that. */
static void lack_of_cells_ends_groups(void **state)
{
	unsigned long ended = 0;
	char command[128];

	(void)state;
	for (unsigned int seed = 1; seed <= 20 && !ended; seed++) {
		snprintf(command, sizeof(command), "campaign --collectives 20000 --seed %u --nodes 2 "
			 "--mode tree --heavy 0 --ordered --cells 16 --json", seed);
		must_run(command);
		ended = number("ended_for_cells");
	}
	assert_true(ended > 0);
}

/* With few segments, groups borrow what is there, and segments are owed to others. */
static void few_segments_are_owed(void **state)
{
	(void)state;
	must_run("campaign --collectives 1500 --seed 2 --mode mixed --segments 32 --deaths 0.004 "
		 "--aborts 0.01 --json" FAULTS);
	assert_true(number("segs_lent") > 100);
	assert_true(number("groups_owed") > 10);
	must_run("campaign --collectives 100 --seed 1 --mode mixed --json");
	assert_true(number("segs_lent") > 100);
	assert_int_equal(number("groups_owed"), 0);
}

static void same_seed_same_digest(void **state)
{
	char first[17], second[17], other[17];

	(void)state;
	must_run("campaign --collectives 700 --seed 5 --json --deaths 0.003 --aborts 0.005" FAULTS);
	digest(first);
	must_run("campaign --collectives 700 --seed 5 --json --deaths 0.003 --aborts 0.005" FAULTS);
	digest(second);
	must_run("campaign --collectives 700 --seed 6 --json --deaths 0.003 --aborts 0.005" FAULTS);
	digest(other);
	assert_string_equal(first, second);
	assert_string_not_equal(first, other);
}

static void bad_command_lines(void **state)
{
	static const struct {
		const char *arguments, *message;
	} lines[] = {
		{ "campaign --drop 0.5", "--drop 0.5: not a number from 0 to 0.3" },
		{ "campaign --nodes 0", "--nodes 0: not a whole number from 1 to 80" },
		{ "campaign --cells 15", "--cells 15: not a whole number from 16 to 1024" },
		{ "campaign --cells 1025", "--cells 1025: not a whole number from 16 to 1024" },
		{ "campaign --segments 31", "--segments 31: not a whole number from 32 to 2048" },
		{ "campaign --segments 2049", "--segments 2049: not a whole number from 32 to 2048" },
		{ "campaign --segments 63 --groups 8", "--segments 63: fewer than 8 for each of 8 groups" },
		{ "campaign --collectives -1", "--collectives -1: not a whole number" },
		{ "campaign what", "what: not an option" },
		{ "ordered --orders 1", "--orders 1: not a whole number" },
		{ "ordered --nodes 2 --ranks 1", "--nodes 2 --ranks 1: fewer than 3 ranks" },
		{ "stream --op scan", "--op scan: unknown" },
		{ "stream --size 2G", "--size 2G: not a size" },
		{ "stream --mtu 1000", "--mtu 1000: not a power of two" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(run(lines[i].arguments), 2);
		must_mention(lines[i].message);
	}
}

/* A command whose output cannot be written prints an error and fails. */
static void output_that_is_lost(void **state)
{
	static const char *const lines[] = {
		"--help", "campaign --help", "campaign --collectives 5", "campaign --collectives 5 --json",
		"ordered --orders 10", "stream --size 64K",
	};
	char arguments[128];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		/* The shell takes what run() appends as a comment. */
		snprintf(arguments, sizeof(arguments), "%s 2>&1 > /dev/full #", lines[i]);
		if (run(arguments) != 1)
			fail_msg("%s", arguments);
		must_mention("stdout cannot be written to");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(covers_everything),
		cmocka_unit_test(few_cells_are_exhausted),
		cmocka_unit_test(lack_of_cells_ends_groups),
		cmocka_unit_test(few_segments_are_owed),
		cmocka_unit_test(same_seed_same_digest),
		cmocka_unit_test(bad_command_lines),
		cmocka_unit_test(output_that_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
