// SPDX-License-Identifier: BSD-2-Clause
/*
 * The library's choice, by `tallysim coll --host`: with the library a program takes at most 3% longer
 * than with the host's default algorithm alone. A sample of docs/bench/coll.csv, and of coll-between.csv,
 * shapes and sizes that the table of the cost model has not. TALLYSIM names the program, PARAMS the
 * parameter files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>
#include <json.h>

#define MOST_SLOWER 1.03

struct shape {
	const char *nodes, *ranks, *sizes;
};

/* What the lines of a run said. */
struct found {
	unsigned int offloaded, slower, losses;
};

static const char *const ops[] = { "allreduce", "reduce",	"bcast",  "barrier",
				   "allgather", "reduce_scatter", "gather", "scatter" };

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *m;

	if (!json_object_object_get_ex(o, key, &m))
		fail_msg("no member %s", key);
	return m;
}

static void check_line(const char *line, struct found *found)
{
	struct json_object *o = json_tokener_parse(line);
	const char *reason;
	double with, host;

	if (!o)
		fail_msg("no JSON: %s", line);
	reason = json_object_get_string(member(o, "reason"));
	with = json_object_get_double(member(o, "with_ns"));
	host = json_object_get_double(member(o, "host_ns"));
	found->offloaded += !strcmp(reason, "OFFLOADED");
	found->slower += !strcmp(reason, "SLOWER");
	if (strcmp(reason, "OFFLOADED") && strcmp(reason, "SLOWER"))
		fail_msg("%s", line);
	if (with > MOST_SLOWER * host) {
		print_error("%.2f times as long as the host alone: %s", with / host, line);
		found->losses++;
	}
	json_object_put(o);
}

/* Runs an operation on all shapes and sizes of the lists. */
static void check(const char *op, const struct shape *s, struct found *found)
{
	const bool sized = strcmp(op, "barrier");
	char command[1024], line[1024];
	FILE *f;
	int status;

	snprintf(command, sizeof(command),
		 "%s coll --params %s/ethernet100g.params --topology fattree3 --iterations 1 --warmup 1 "
		 "--host --json --op %s --nodes %s --ranks %s%s%s", getenv("TALLYSIM"),
		 getenv("PARAMS"), op, s->nodes, s->ranks, sized ? " --size " : "",
		 sized ? s->sizes : "");
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		check_line(line, found);
	status = pclose(f);
	if (status)
		fail_msg("%s: %s %d", command, WIFEXITED(status) ? "exit status" : "signal",
			 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static void check_all(const struct shape *s, size_t num)
{
	struct found found = { 0 };

	for (size_t i = 0; i < num; i++)
		for (size_t o = 0; o < sizeof(ops) / sizeof(ops[0]); o++)
			check(ops[o], &s[i], &found);
	assert_int_equal(found.losses, 0);
	/* The test would see nothing if all operations took the same side. */
	assert_true(found.offloaded > 10 && found.slower > 10);
}

static void shapes_of_the_table(void **state)
{
	static const struct shape shapes[] = {
		{ "1", "4,16", "8,1K,16K,256K" },
		{ "2", "1,16", "8,1K,64K" },
		{ "16", "1,4", "8,1K,16K" },
		{ "64", "1", "8,4K" },
	};

	(void)state;
	check_all(shapes, sizeof(shapes) / sizeof(shapes[0]));
}

static void shapes_between(void **state)
{
	static const struct shape shapes[] = {
		{ "1", "3,6", "24,768,12K" },
		{ "3", "1,6", "24,3K,48K" },
		{ "12", "3", "24,384,6K" },
		{ "24", "1", "40,1536,24K" },
	};

	(void)state;
	check_all(shapes, sizeof(shapes) / sizeof(shapes[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_of_the_table),
		cmocka_unit_test(shapes_between),
	};

	setenv("TALLY_COLL_TUNE_FILE", "", 1);
	unsetenv("TALLY_COLL_TUNE");
	unsetenv("TALLY_COLL");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
