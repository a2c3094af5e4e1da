// SPDX-License-Identifier: BSD-2-Clause
/* Tests the trace file as Python reads it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/trace.h"

struct file {
	char path[32];
	struct sim_trace *trace;
};

static int setup(void **state)
{
	static struct file f;
	int fd;

	strcpy(f.path, "/tmp/tally-trace-XXXXXX");
	fd = mkstemp(f.path);
	assert_true(fd >= 0);
	close(fd);
	f.trace = sim_trace_open(f.path);
	assert_non_null(f.trace);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct file *f = *state;

	return unlink(f->path);
}

/* End the file and compare the listing of trace_check.py. */
static void expect(struct file *f, const char *listing)
{
	char command[sizeof(TRACE_CHECK) + 64], got[4096];
	size_t len;
	FILE *p;

	assert_int_equal(sim_trace_close(f->trace), 0);
	snprintf(command, sizeof(command), "python3 '%s' %s", TRACE_CHECK, f->path);
	p = popen(command, "r");
	assert_non_null(p);
	len = fread(got, 1, sizeof(got) - 1, p);
	got[len] = '\0';
	assert_int_equal(pclose(p), 0);
	assert_string_equal(got, listing);
}

static void empty(void **state)
{
	struct file *f = *state;

	sim_trace_track(f->trace, "host 0", "cpu", SIM_TRACK_ROWS);
	expect(f, "");
}

static void names_and_numbers(void **state)
{
	struct file *f = *state;
	struct sim_track *cpu = sim_trace_track(f->trace, "host \"0\"\\", "c\tpu", SIM_TRACK_ROWS);
	struct sim_track *nic = sim_trace_track(f->trace, "nic 0", "dma", SIM_TRACK_ROWS);
	const struct sim_trace_arg args[] = { { "bytes", 64 }, { "tag", UINT64_MAX } };

	assert_ptr_equal(cpu, sim_trace_track(f->trace, "host \"0\"\\", "c\tpu", SIM_TRACK_ROWS));
	assert_ptr_not_equal(nic, sim_trace_track(f->trace, "nic 0", "wire", SIM_TRACK_ROWS));
	sim_trace_span(cpu, "post", 0, 1);
	sim_trace_span(cpu, "poll", 1234567 * VT_US + 7, 1234568 * VT_US);
	sim_trace_span_args(nic, "read", 5 * VT_NS, 5 * VT_NS, args, 2);
	expect(f, "host \"0\"\\|c\tpu|0|1|post\n"
		  "host \"0\"\\|c\tpu|1234567000007|999993|poll\n"
		  "nic 0|dma|5000|0|read bytes=64 tag=18446744073709551615\n");
}

static void rows(void **state)
{
	struct file *f = *state;
	struct sim_track *dma = sim_trace_track(f->trace, "nic", "dma", SIM_TRACK_ROWS);

	sim_trace_span(dma, "a", 0, 10);
	sim_trace_span(dma, "b", 2, 4);
	sim_trace_span(dma, "c", 3, 12);
	sim_trace_span(dma, "d", 4, 9);
	sim_trace_span(dma, "e", 10, 11);
	/* Written after later spans. */
	sim_trace_span(dma, "f", 1, 3);
	expect(f, "nic|dma|0|10|a\n"
		  "nic|dma|10|1|e\n"
		  "nic|dma 2|2|2|b\n"
		  "nic|dma 2|4|5|d\n"
		  "nic|dma 3|3|9|c\n"
		  "nic|dma 4|1|2|f\n");
}

static void nested(void **state)
{
	struct file *f = *state;
	struct sim_track *cpu = sim_trace_track(f->trace, "host", "cpu", SIM_TRACK_NESTED);

	sim_trace_span(cpu, "outer", 0, 10);
	sim_trace_span(cpu, "inner", 0, 4);
	sim_trace_span(cpu, "innermost", 2, 4);
	sim_trace_span(cpu, "across", 5, 12);
	/* It must not be placed where "across" was tried. */
	sim_trace_span(cpu, "late", 3, 5);
	sim_trace_span(cpu, "second", 5, 10);
	expect(f, "host|cpu|0|4|inner\n"
		  "host|cpu|0|10|outer\n"
		  "host|cpu|2|2|innermost\n"
		  "host|cpu|5|5|second\n"
		  "host|cpu 2|5|7|across\n"
		  "host|cpu 3|3|2|late\n");
}

/* Spans nested deeper than a row allows: the others go to another row, and none is lost. */
static void deep(void **state)
{
	struct file *f = *state;
	struct sim_track *cpu = sim_trace_track(f->trace, "host", "cpu", SIM_TRACK_NESTED);
	char listing[2048] = "";

	for (unsigned int i = 0; i < 20; i++) {
		sim_trace_span(cpu, "x", i, 100 - i);
		snprintf(listing + strlen(listing), sizeof(listing) - strlen(listing),
			 "host|cpu%s|%u|%u|x\n", i < 16 ? "" : " 2", i, 100 - 2 * i);
	}
	expect(f, listing);
}

static void errors(void **state)
{
	struct sim_trace *t;

	(void)state;
	assert_null(sim_trace_open("/proc/nonexistent/trace.json"));
	assert_int_equal(errno, ENOENT);
	t = sim_trace_open("/dev/full");
	assert_non_null(t);
	for (unsigned int i = 0; i < 100000; i++)
		sim_trace_span(sim_trace_track(t, "host", "cpu", SIM_TRACK_ROWS), "x", i, i + 1);
	assert_int_equal(sim_trace_close(t), -ENOSPC);
	/* A failure to write the last bytes is reported too. */
	t = sim_trace_open("/dev/full");
	assert_int_equal(sim_trace_close(t), -ENOSPC);
	assert_int_equal(sim_trace_close(NULL), 0);
}

static void of_a_simulation(void **state)
{
	struct file *f = *state;
	struct sim *sim = sim_new(1);

	assert_null(sim_trace(sim));
	sim_set_trace(sim, f->trace);
	assert_ptr_equal(sim_trace(sim), f->trace);
	sim_free(sim);
	expect(f, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(empty), TEST(names_and_numbers), TEST(rows), TEST(nested), TEST(deep),
		cmocka_unit_test(errors), TEST(of_a_simulation),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
