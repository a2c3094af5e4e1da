/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests of `tallysim bench`: TALLYSIM names the program, PARAMS the folder of parameter sets. */
#ifndef TALLY_SIM_BENCH_TEST_COMMAND_TESTING_H
#define TALLY_SIM_BENCH_TEST_COMMAND_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <json.h>

static char output[1 << 20];

/*
 * Runs `tallysim bench` with the parameter set of the cluster of today. Returns its exit status and
 * writes its output to `output`.
 */
__attribute__((format(printf, 1, 2)))
static int bench(const char *format, ...)
{
	const char *program = getenv("TALLYSIM"), *sets = getenv("PARAMS");
	char options[512], command[2048];
	size_t len;
	va_list args;
	int status;
	FILE *f;

	assert_non_null(program);
	assert_non_null(sets);
	va_start(args, format);
	vsnprintf(options, sizeof(options), format, args);
	va_end(args);
	snprintf(command, sizeof(command), "%s bench --params %s/ethernet100g.params %s 2>&1",
		 program, sets, options);
	f = popen(command, "r");
	assert_non_null(f);
	len = fread(output, 1, sizeof(output) - 1, f);
	output[len] = '\0';
	status = pclose(f);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Returns the object in line @line, from 0, of the output; the caller puts it. */
static struct json_object *object(unsigned int line)
{
	struct json_object *o;
	char *copy = strdup(output), *rest = copy, *text = NULL;

	for (unsigned int i = 0; i <= line; i++)
		text = strsep(&rest, "\n");
	o = text ? json_tokener_parse(text) : NULL;
	if (!o)
		fail_msg("no JSON in line %u of\n%s", line, output);
	free(copy);
	return o;
}

static struct json_object *member(struct json_object *o, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(o, key, &value))
		fail_msg("no %s in %s", key, json_object_to_json_string(o));
	return value;
}

static double number(unsigned int line, const char *key)
{
	struct json_object *o = object(line);
	double v = json_object_get_double(member(o, key));

	json_object_put(o);
	return v;
}

#endif
