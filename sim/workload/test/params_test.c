// SPDX-License-Identifier: BSD-2-Clause
/* Parameter files: values that are read, and messages of refused files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/cycles.h"
#include "workload/params.h"
#include "workload/params_keys.h"

static const char *const good[] = {
	"link.rate = 25 Gb/s -- s", "link.cable = 3 m -- s", "link.propagation = 4.9 ns/m -- s",
	"trunk.rate = 12.5 GB/s -- s", "trunk.cable = 20 m -- s", "switch.ports = 64 -- s",
	"switch.latency = 0.3 us -- s", "switch.mode = cut-through -- s",
	"switch.buffer = 1 MiB -- s", "switch.ecn = 100 KiB -- s", "mtu = 4096 B -- s",
	"nic.clock = 250 MHz -- s", "nic.request = 25 cycles -- s", "nic.parse = 15 cycles -- s",
	"nic.alu = 20 cycles -- s", "nic.chain = 8 cycles -- s", "nic.encap = 16 cycles -- s",
	"nic.status = 26 cycles -- s", "nic.access = 5 cycles -- s", "nic.event = 21 cycles -- s",
	"message.request = 24 cycles -- s", "message.parse = 14 cycles -- s",
	"message.encap = 13 cycles -- s", "message.status = 23 cycles -- s",
	"pcie.doorbell = 150 ns -- s", "pcie.read = 451 ns -- s", "pcie.write = 200 ns -- s",
	"pcie.rate = 200 Gb/s -- s", "host.post = 60 ns -- s", "host.push_rate = 8 GB/s -- s",
	"host.poll = 30 ns -- s", "host.copy_rate = 10 GB/s -- s",
	"host.reduce_rate = 5.5 GB/s -- s", "host.reduce_start = 7 ns -- s",
	"host.share = 80 ns -- s", "mpi.call = 0 ns -- s", "mpi.send = 100 ns -- s",
	"mpi.receive = 110 ns -- s", "mpi.eager_limit = 16 KiB -- s",
};

#define NUM_GOOD	(sizeof(good) / sizeof(good[0]))

static char why[256];

/* Reads the valid file with line @at (from 0) replaced by @line; NULL: removed. */
static int parse(struct bench_params *p, size_t at, const char *line)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int err;

	assert_non_null(f);
	for (size_t i = 0; i < NUM_GOOD; i++)
		if (i != at)
			fprintf(f, "%s\n", good[i]);
		else if (line)
			fprintf(f, "%s\n", line);
	fclose(f);
	f = fmemopen(text, size, "r");
	assert_non_null(f);
	why[0] = '\0';
	err = bench_params_parse(p, f, "some/set.params", why, sizeof(why));
	fclose(f);
	free(text);
	return err;
}

static void refused(size_t at, const char *line, const char *reason)
{
	struct bench_params p;

	assert_int_equal(parse(&p, at, line), -1);
	if (strcmp(why, reason))
		fail_msg("\"%s\" was refused with \"%s\", not \"%s\"", line ? line : "", why,
			 reason);
}

static void units_are_converted(void **state)
{
	struct bench_params p;

	(void)state;
	assert_int_equal(parse(&p, NUM_GOOD, NULL), 0);
	assert_string_equal(p.name, "set");
	assert_int_equal(p.link_rate, 25000000000);
	assert_int_equal(p.trunk_rate, 100000000000);
	assert_int_equal(bench_link_propagation(&p), 14700);
	assert_int_equal(bench_trunk_propagation(&p), 98000);
	assert_int_equal(p.switch_ports, 64);
	assert_int_equal(p.switch_latency, 300000);
	assert_int_equal(p.cut_through, 1);
	assert_int_equal(p.switch_buffer, 1048576);
	assert_int_equal(p.switch_ecn, 102400);
	assert_int_equal(p.doorbell, 150000);
	assert_int_equal(p.pcie_rate, 25000000000);
	assert_int_equal(p.reduce_rate, 5500000000);
	assert_int_equal(p.mpi_call, 0);
	assert_int_equal(p.mpi_eager, 16384);
	assert_int_equal(bench_bytes_time(11, p.reduce_rate), 2000);
	assert_int_equal(bench_bytes_time(1, p.reduce_rate), 182);
}

static void nic_is_as_described(void **state)
{
	struct bench_params p;
	struct nic_timing t;

	(void)state;
	assert_int_equal(parse(&p, 7, "switch.mode = store-and-forward -- s"), 0);
	assert_int_equal(p.cut_through, 0);
	t = bench_nic_timing(&p);
	assert_int_equal(t.doorbell_ns, 150);
	assert_int_equal(t.pcie_read_ns, 451);
	assert_int_equal(t.pcie_write_ns, 200);
	assert_int_equal(t.pcie_mbps, 200000);
	assert_int_equal(t.engine.clock_mhz, 250);
	assert_int_equal(t.engine.request, 25);
	assert_int_equal(t.engine.parse, 15);
	assert_int_equal(t.engine.alu, 20);
	assert_int_equal(t.engine.chain, 8);
	assert_int_equal(t.engine.encap, 16);
	assert_int_equal(t.engine.status, 26);
	assert_int_equal(p.message_request, 24);
	assert_int_equal(p.message_parse, 14);
	assert_int_equal(p.message_encap, 13);
	assert_int_equal(p.message_status, 23);
}

/* The lines of the engine's cycles, from 0. */
#define FIRST_CYCLES	12
#define NUM_CYCLES	12

/* Cycles that a set does not contain default to those of the hardware. */
static void cycles_are_those_of_the_hardware(void **state)
{
	static const uint64_t hardware[] = {
		ENGINE_CYCLES_REQUEST, ENGINE_CYCLES_PARSE, ENGINE_CYCLES_ALU, ENGINE_CYCLES_CHAIN,
		ENGINE_CYCLES_ENCAP, ENGINE_CYCLES_STATUS, ENGINE_CYCLES_ACCESS, ENGINE_CYCLES_EVENT,
		BLOCK_CYCLES_REQUEST, BLOCK_CYCLES_PARSE, BLOCK_CYCLES_ENCAP, BLOCK_CYCLES_STATUS,
	};

	(void)state;
	for (size_t i = 0; i < NUM_CYCLES; i++) {
		struct bench_params p;
		const uint64_t *const cycles[] = { &p.nic_request, &p.nic_parse, &p.nic_alu,
						   &p.nic_chain, &p.nic_encap, &p.nic_status,
						   &p.nic_access, &p.nic_event,
						   &p.message_request, &p.message_parse,
						   &p.message_encap, &p.message_status };

		assert_int_equal(parse(&p, FIRST_CYCLES + i, NULL), 0);
		assert_int_equal(*cycles[i], hardware[i]);
	}
}

static void every_other_key_is_needed(void **state)
{
	char reason[128], name[64];

	(void)state;
	assert_int_equal(NUM_GOOD, PARAMS_NUM_KEYS);
	for (size_t i = 0; i < NUM_GOOD; i++) {
		if (i >= FIRST_CYCLES && i < FIRST_CYCLES + NUM_CYCLES)
			continue;
		assert_int_equal(sscanf(good[i], "%63s", name), 1);
		snprintf(reason, sizeof(reason), "some/set.params:38: %s: missing", name);
		refused(i, NULL, reason);
	}
}

static void errors_name_line_and_key(void **state)
{
	static const struct {
		size_t at;
		const char *line, *reason;
	} cases[] = {
		{ 3, "trunk.speed = 1 Gb/s -- s", "4: trunk.speed: unknown key" },
		{ 3, "link.rate = 1 Gb/s -- s", "4: link.rate: given before, in line 1" },
		{ 3, "trunk.rate 1 Gb/s -- s", "4: not of the form \"key = value unit -- source\"" },
		{ 3, "trunk.rate = 1 Gb/s", "4: trunk.rate: no source (\"-- where the number is from\")" },
		{ 3, "trunk.rate = 1 Gb/s --  ", "4: trunk.rate: no source (\"-- where the number is from\")" },
		{ 3, "trunk.rate = 1 ns -- s", "4: trunk.rate: the unit is \"ns\"; it must be one of: "
		  "Gb/s, Mb/s, GB/s, MB/s" },
		{ 3, "trunk.rate = 1 -- s", "4: trunk.rate: the unit is \"\"; it must be one of: "
		  "Gb/s, Mb/s, GB/s, MB/s" },
		{ 3, "trunk.rate = fast -- s", "4: trunk.rate: \"fast\" is not a number" },
		{ 3, "trunk.rate = -1 Gb/s -- s", "4: trunk.rate: \"-1 Gb/s\" is not a number" },
		{ 3, "trunk.rate = 0x10 Gb/s -- s", "4: trunk.rate: \"0x10 Gb/s\" is not a number" },
		{ 3, "trunk.rate = 0 Gb/s -- s", "4: trunk.rate: not from 0.1 to 1000 Gb/s" },
		{ 3, "trunk.rate = 1001 Gb/s -- s", "4: trunk.rate: not from 0.1 to 1000 Gb/s" },
		{ 5, "switch.ports = 64 B -- s", "6: switch.ports: the unit is \"B\"; it must be one "
		  "of: none" },
		{ 5, "switch.ports = 1 -- s", "6: switch.ports: not from 2 to 1024 " },
		{ 5, "switch.ports = 3.5 -- s", "6: switch.ports: not a whole number" },
		{ 7, "switch.mode = fast -- s", "8: switch.mode: \"fast\" is neither cut-through nor "
		  "store-and-forward" },
		{ 9, "switch.ecn = 2 MiB -- s", "10: switch.ecn: more than switch.buffer" },
		{ 10, "mtu = 3000 B -- s", "11: mtu: not a power of two" },
		{ 10, "mtu = 8 KiB -- s", "11: mtu: not from 256 to 4096 B" },
		{ 12, "nic.request = 2.5 cycles -- s", "13: nic.request: not a whole number" },
		{ 18, "pcie.doorbell = 150.5 ns -- s",
		  "19: pcie.doorbell: not a whole number of nanoseconds" },
	};
	char reason[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(reason, sizeof(reason), "some/set.params:%s", cases[i].reason);
		refused(cases[i].at, cases[i].line, reason);
	}
}

static void a_line_too_long(void **state)
{
	char line[2000];

	(void)state;
	memset(line, '#', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	refused(0, line, "some/set.params:1: longer than 1022 bytes");
}

/* A line of NUL bytes, as from an endless device, never gets too long. */
static void a_nul_byte(void **state)
{
	struct bench_params p;
	FILE *from = fopen("/dev/zero", "re");

	(void)state;
	assert_non_null(from);
	assert_int_equal(bench_params_parse(&p, from, "some/set.params", why, sizeof(why)), -1);
	assert_string_equal(why, "some/set.params:1: has a NUL byte");
	fclose(from);
}

static void no_such_file(void **state)
{
	struct bench_params p;

	(void)state;
	assert_int_equal(bench_params_read(&p, "no/such.params", why, sizeof(why)), -1);
	assert_string_equal(why, "no/such.params: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_converted),
		cmocka_unit_test(nic_is_as_described),
		cmocka_unit_test(cycles_are_those_of_the_hardware),
		cmocka_unit_test(every_other_key_is_needed),
		cmocka_unit_test(errors_name_line_and_key),
		cmocka_unit_test(a_line_too_long),
		cmocka_unit_test(a_nul_byte),
		cmocka_unit_test(no_such_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
