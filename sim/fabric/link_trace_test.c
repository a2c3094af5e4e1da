// SPDX-License-Identifier: BSD-2-Clause
/* Frames in a trace, as Python reads it: the wire, the time and the kind of each frame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/trace.h"
#include "fabric/topo_testing.h"
#include "gen/tally_hw.h"
#include "wire/roce.h"

#define LISTING	(1u << 16)

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

static unsigned int lines(void)
{
	unsigned int n = 0;

	for (const char *p = listing; (p = strchr(p, '\n')); p++)
		n++;
	return n;
}

static void expect(const char *line)
{
	if (!strstr(listing, line))
		fail_msg("no span \"%s\" in:\n%s", line, listing);
}

static void send_collective(struct topo *topo)
{
	const struct tally_tch tch = {
		.tag = htobe32(TALLY_TCH_TAG), .kind = TALLY_KIND_RESULT, .jid = htobe32(77),
	};
	struct roce_hdr h = {
		.dmac = { 2, 0, 0, 0, 0, 1 }, .smac = { 2 }, .sgid = { 0xfe, 0x80 },
		.dgid = { 0xfe, 0x80, [15] = 1 }, .opcode = TALLY_BTH_OPCODE_COLL,
	};
	struct frame *f = roce_build(&h, &tch, sizeof(tch), NULL, 0);

	assert_non_null(f);
	assert_int_equal(fab_send(topo_port(topo, 0), f), 0);
}

/*
 * 976 bytes take 80 ns on the wire. The first frame's first bit leaves the switch 300 ns and a
 * cable later, before its last bit has arrived there; the second frame waits at the host.
 */
static void frames_on_two_cables(void **state)
{
	char path[] = "/tmp/link-trace-XXXXXX", line[160];
	struct topo_cfg cfg = TOPO_DEFAULTS;
	struct sim *sim = sim_new(1);
	struct sim_trace *trace;
	struct world w = { .sim = sim };
	size_t bytes;

	(void)state;
	assert_int_not_equal(close(mkstemp(path)), -1);
	trace = sim_trace_open(path);
	assert_non_null(trace);
	sim_set_trace(sim, trace);
	cfg.hosts = 2;
	cfg.sw.cut_through = true;
	w.topo = topo_new(sim, &cfg, line, sizeof(line));
	assert_non_null(w.topo);
	assert_int_equal(topo_learn(w.topo, 1, (const uint8_t[]){ 2, 0, 0, 0, 0, 1 }), 0);
	assert_int_equal(send_to(&w, 0, 1, 976), 0);
	assert_int_equal(send_to(&w, 0, 1, 976), 0);
	send_collective(w.topo);
	assert_true(sim_run_idle(sim, VT_S));
	bytes = topo_totals(w.topo).bytes / 2 - 2 * 976;
	topo_free(w.topo);
	sim_free(sim);
	assert_int_equal(sim_trace_close(trace), 0);
	list(path);
	unlink(path);
	expect("link host0-switch|host0 to switch|0|80000|frame bytes=976");
	expect("link host0-switch|host0 to switch|80000|80000|frame bytes=976");
	expect("link host1-switch|switch to host1|325000|80000|frame bytes=976");
	expect("link host1-switch|switch to host1|405000|80000|frame bytes=976");
	snprintf(line, sizeof(line), "host0 to switch|160000|%zu|RESULT bytes=%zu jid=77",
		 (bytes + 24) * 80, bytes);
	expect(line);
	snprintf(line, sizeof(line), "switch to host1|485000|%zu|RESULT bytes=%zu jid=77",
		 (bytes + 24) * 80, bytes);
	expect(line);
	assert_int_equal(lines(), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(frames_on_two_cables) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
