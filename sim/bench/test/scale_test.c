// SPDX-License-Identifier: BSD-2-Clause
/* The memory of the bench on a large cluster, relative to a smaller one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MB	1024			/* in KiB */

/* Runs an allreduce by NICs on @nodes and returns the largest resident set of the program, in KiB. */
static long memory_of(const char *nodes)
{
	const char *program = getenv("TALLYSIM"), *sets = getenv("PARAMS");
	struct rusage usage;
	char params[512];
	pid_t pid;
	int status;

	assert_non_null(program);
	assert_non_null(sets);
	snprintf(params, sizeof(params), "%s/ethernet100g.params", sets);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (freopen("/dev/null", "w", stdout))
			execl(program, program, "bench", "--params", params, "--op", "allreduce",
			      "--mode", "exchange", "--topology", "fattree3", "--nodes", nodes,
			      "--iterations", "1", "--warmup", "1", "--no-host", NULL);
		_exit(127);
	}
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return usage.ru_maxrss;
}

/*
 * Four times as many nodes with wider rounds have 8.3 times as many packets. Packets are few beside
 * what a node keeps.
 */
static void memory_grows_with_the_nodes(void **state)
{
	long small = memory_of("256"), large = memory_of("1024");

	(void)state;
	assert_in_range(small, 10 * MB, 65 * MB);
	assert_in_range(large, 2 * small, 5 * small);
	assert_in_range(large, 40 * MB, 265 * MB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_grows_with_the_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
