// SPDX-License-Identifier: BSD-2-Clause
/* The trace of an allreduce, as Python reads it: the times of each NIC's steps. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hosts/test/chain.h"
#include "plan/cycles.h"

#define LISTING	(1u << 20)
#define NS	1000
#define CYCLES(name)	(ENGINE_CYCLES_##name * 4 * NS)	/* at 250 MHz */

static char listing[LISTING];

static void list(const char *path)
{
	char command[sizeof(TRACE_CHECK) + 64];
	size_t len;
	FILE *p;

	snprintf(command, sizeof(command), "python3 '%s' %s", TRACE_CHECK, path);
	p = popen(command, "r");
	assert_non_null(p);
	len = fread(listing, 1, sizeof(listing) - 1, p);
	listing[len] = '\0';
	assert_int_equal(pclose(p), 0);
}

/* Expects a span of the NIC @who that begins at @start. */
static void expect(const char *who, const char *track, vtime_t start, vtime_t length,
		   const char *name)
{
	char line[160];

	snprintf(line, sizeof(line), "nic %s|%s|%" PRIu64 "|%" PRIu64 "|%s", who, track, start,
		 length, name);
	if (!strstr(listing, line))
		fail_msg("no span \"%s\" in:\n%s", line, listing);
}

/* Checks that names, starts and lengths of all spans follow from the timing and the wire. */
static void check(const struct chain *c, vtime_t at)
{
	vtime_t in = chain_packet(c, 0, LEAF, TALLY_KIND_REDUCE)->arrival;
	vtime_t result = chain_packet(c, 0, MIDDLE, TALLY_KIND_RESULT)->arrival;
	vtime_t written = result + CYCLES(PARSE);

	expect("root", "work requests", at + 150 * NS, 0, "pushed qpn=0");
	expect("leaf", "doorbells", at, 150 * NS, "doorbell qpn=0");
	expect("leaf", "work requests", at + 150 * NS, 460240, "fetch qpn=0");
	expect("leaf", "engine", at + 610240, CYCLES(REQUEST) + CYCLES(ENCAP),
	       "REDUCE jid=77 mid=0 num=0 bytes=8");
	expect("middle", "engine", in, CYCLES(PARSE) + CYCLES(ALU) + CYCLES(ENCAP),
	       "REDUCE jid=77 mid=0 num=0 bytes=8");
	expect("leaf", "engine", result, CYCLES(PARSE), "write bytes=8");
	expect("leaf", "DMA writes", written, 200320, "write bytes=8");
	expect("leaf", "engine", written, CYCLES(STATUS),
	       "completion qpn=0 jid=77 mid=0 coll_status=0");
	expect("leaf", "completions", written + CYCLES(STATUS), 202560,
	       "CQE write qpn=0 jid=77 mid=0 coll_status=0");
}

/* Runs the test; a run with a trace must equal a run without one. */
static vtime_t run(struct chain *c, struct sim_trace *trace)
{
	vtime_t at;

	chain_build(c, true, trace);
	at = sim_now(c->sim);
	c->num_sent = 0;
	for (unsigned int i = 0; i < CHAIN; i++) {
		chain_post(c, i, 0, 2);
		(i == LEAF ? host_qp_ring : host_qp_push)(&c->member[i].qp);
	}
	chain_run(c);
	return at;
}

static void an_allreduce(void **state)
{
	static struct chain c, plain;
	char path[] = "/tmp/tally-trace-XXXXXX";
	int fd = mkstemp(path);
	struct sim_trace *trace;
	vtime_t at;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	trace = sim_trace_open(path);
	assert_non_null(trace);
	at = run(&c, trace);
	chain_free(&c);
	assert_int_equal(sim_trace_close(trace), 0);
	list(path);
	unlink(path);
	check(&c, at);
	assert_int_equal(run(&plain, NULL), at);
	chain_free(&plain);
	assert_int_equal(plain.num_sent, c.num_sent);
	assert_memory_equal(plain.sent, c.sent, sizeof(c.sent));
}

/* With more frames than the cable has room for, frames wait, and the trace shows how long. */
static void wait_for_the_wire(void **state)
{
	static struct chain c;
	char path[] = "/tmp/tally-trace-XXXXXX";
	int fd = mkstemp(path);
	struct sim_trace *trace = sim_trace_open(path);

	(void)state;
	assert_true(fd >= 0 && trace);
	close(fd);
	chain_build(&c, true, trace);
	fab_link_port(c.link[1], 1)->queue_limit = 1;
	fab_link_port(c.link[1], 1)->rate.byte_time = 8000; /* slower than the requests come */
	for (uint32_t mid = 0; mid < 4; mid++)
		chain_post(&c, LEAF, mid, 24);
	host_qp_ring(&c.member[LEAF].qp);
	chain_run(&c);
	chain_free(&c);
	assert_int_equal(sim_trace_close(trace), 0);
	list(path);
	unlink(path);
	assert_non_null(strstr(listing, "nic leaf|wait for the wire|"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_allreduce),
		cmocka_unit_test(wait_for_the_wire),
	};

	return cmocka_run_group_tests_name("trace of NICs", tests, NULL, NULL);
}
