// SPDX-License-Identifier: BSD-2-Clause
/* The memory and the work of the bench on a large cluster, relative to a smaller one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MB	1024			/* in KiB */

struct run {
	long memory;		/* largest resident set of the program, in KiB */
	uint64_t wire_bytes;	/* of one allreduce */
};

static uint64_t number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	assert_non_null(at);
	return strtoull(at + strlen(key), NULL, 10);
}

/* Runs an allreduce by NICs on @nodes. */
static struct run run(const char *nodes)
{
	const char *program = getenv("TALLYSIM"), *sets = getenv("PARAMS");
	struct rusage usage;
	char params[512], out[4096];
	int status, ends[2];
	ssize_t length = 0, more;
	pid_t pid;

	assert_non_null(program);
	assert_non_null(sets);
	snprintf(params, sizeof(params), "%s/ethernet100g.params", sets);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (dup2(ends[1], STDOUT_FILENO) >= 0 && !close(ends[0]) && !close(ends[1]))
			execl(program, program, "bench", "--params", params, "--op", "allreduce",
			      "--mode", "exchange", "--topology", "fattree3", "--nodes", nodes,
			      "--iterations", "1", "--warmup", "1", "--no-host", "--json", NULL);
		_exit(127);
	}
	close(ends[1]);
	while ((more = read(ends[0], out + length, sizeof(out) - 1 - length)) > 0)
		length += more;
	out[length] = 0;
	close(ends[0]);
	assert_int_equal(wait4(pid, &status, 0, &usage), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	return (struct run){ usage.ru_maxrss, number_after(out, "\"wire_bytes\": ") };
}

/*
 * Four times as many nodes have 8.3 times as many packets, since they take two rounds that are twice as
 * wide, and more of them cross three levels. Nearly all work of the simulator is that of a packet on a cable.
 */
static void memory_and_work_grow_with_the_nodes(void **state)
{
	struct run small = run("256"), large = run("1024");

	(void)state;
	assert_in_range(small.memory, 10 * MB, 65 * MB);
	assert_in_range(large.memory, 2 * small.memory, 5 * small.memory);
	assert_in_range(large.memory, 40 * MB, 300 * MB);
	assert_in_range(large.wire_bytes, 8 * small.wire_bytes, 14 * small.wire_bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_and_work_grow_with_the_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
