// SPDX-License-Identifier: BSD-2-Clause
#include "workload/params_keys.h"

#include <stdio.h>
#include <string.h>

#include "plan/cycles.h"
#include "workload/params.h"

#define AT(field)	offsetof(struct bench_params, field)

#define KEY(called, of, field, least, most)						\
	{ .name = called, .kind = of, .offset = AT(field), .min = least, .max = most }
#define TIME(name, field, max)		KEY(name, PARAMS_TIME, field, 0, max)
#define BIT_RATE(name, field)		KEY(name, PARAMS_BIT_RATE, field, 0.1, 1000)
#define BYTE_RATE(name, field)		KEY(name, PARAMS_BYTE_RATE, field, 0.001, 1000)
#define BYTES(name, field, min)		KEY(name, PARAMS_BYTES, field, min, 1 << 30)
#define LENGTH(name, field, max)	KEY(name, PARAMS_LENGTH, field, 0, max)
/* The default is the cycles that the hardware takes. */
#define CYCLES(called, field, hardware)						\
	{ .name = called, .kind = PARAMS_CYCLES, .offset = AT(field), .max = 65535,	\
	  .optional = true, .otherwise = hardware }

/* Times in nanoseconds. A rate of 0 would never end; the limit of cables is that of links. */
const struct params_key params_keys[PARAMS_NUM_KEYS] = {
	BIT_RATE("link.rate", link_rate),
	LENGTH("link.cable", link_cable, 1000),
	KEY("link.propagation", PARAMS_DELAY, propagation, 0, 100),
	BIT_RATE("trunk.rate", trunk_rate),
	LENGTH("trunk.cable", trunk_cable, 10000),
	KEY("switch.ports", PARAMS_COUNT, switch_ports, 2, 1024),
	TIME("switch.latency", switch_latency, 1e5),
	KEY("switch.mode", PARAMS_SWITCHING, cut_through, 0, 1),
	BYTES("switch.buffer", switch_buffer, 16384),
	BYTES("switch.ecn", switch_ecn, 0),
	{ .name = "mtu", .kind = PARAMS_BYTES, .offset = AT(mtu), .min = 256, .max = TALLY_MAX_MTU,
	  .power_of_two = true },
	KEY("nic.clock", PARAMS_CLOCK, nic_clock, 1, 10000),
	CYCLES("nic.request", nic_request, ENGINE_CYCLES_REQUEST),
	CYCLES("nic.parse", nic_parse, ENGINE_CYCLES_PARSE),
	CYCLES("nic.alu", nic_alu, ENGINE_CYCLES_ALU),
	CYCLES("nic.chain", nic_chain, ENGINE_CYCLES_CHAIN),
	CYCLES("nic.encap", nic_encap, ENGINE_CYCLES_ENCAP),
	CYCLES("nic.status", nic_status, ENGINE_CYCLES_STATUS),
	CYCLES("nic.access", nic_access, ENGINE_CYCLES_ACCESS),
	CYCLES("nic.event", nic_event, ENGINE_CYCLES_EVENT),
	CYCLES("message.request", message_request, BLOCK_CYCLES_REQUEST),
	CYCLES("message.parse", message_parse, BLOCK_CYCLES_PARSE),
	CYCLES("message.encap", message_encap, BLOCK_CYCLES_ENCAP),
	CYCLES("message.status", message_status, BLOCK_CYCLES_STATUS),
	TIME("pcie.doorbell", doorbell, 1e6),
	TIME("pcie.read", pcie_read, 1e6),
	TIME("pcie.write", pcie_write, 1e6),
	BYTE_RATE("pcie.rate", pcie_rate),
	TIME("host.post", post, 1e6),
	BYTE_RATE("host.push_rate", push_rate),
	TIME("host.poll", poll, 1e6),
	BYTE_RATE("host.copy_rate", copy_rate),
	BYTE_RATE("host.reduce_rate", reduce_rate),
	TIME("host.reduce_start", reduce_start, 1e6),
	TIME("host.share", share, 1e6),
	TIME("mpi.call", mpi_call, 1e6),
	TIME("mpi.send", mpi_send, 1e6),
	TIME("mpi.receive", mpi_receive, 1e6),
	BYTES("mpi.eager_limit", mpi_eager, 0),
};

static const struct params_unit units[] = {
	{ "ns", PARAMS_TIME, 1e3 },
	{ "us", PARAMS_TIME, 1e6 },
	{ "Gb/s", PARAMS_BIT_RATE, 1e9 },
	{ "Mb/s", PARAMS_BIT_RATE, 1e6 },
	{ "GB/s", PARAMS_BIT_RATE, 8e9 },
	{ "MB/s", PARAMS_BIT_RATE, 8e6 },
	{ "GB/s", PARAMS_BYTE_RATE, 1e9 },
	{ "MB/s", PARAMS_BYTE_RATE, 1e6 },
	{ "Gb/s", PARAMS_BYTE_RATE, 1e9 / 8 },
	{ "Mb/s", PARAMS_BYTE_RATE, 1e6 / 8 },
	{ "B", PARAMS_BYTES, 1 },
	{ "KiB", PARAMS_BYTES, 1 << 10 },
	{ "MiB", PARAMS_BYTES, 1 << 20 },
	{ "GiB", PARAMS_BYTES, 1 << 30 },
	{ "m", PARAMS_LENGTH, 1000 },
	{ "ns/m", PARAMS_DELAY, 1000 },
	{ "MHz", PARAMS_CLOCK, 1 },
	{ "cycles", PARAMS_CYCLES, 1 },
	{ "", PARAMS_COUNT, 1 },
	{ "", PARAMS_SWITCHING, 1 },
};

#define NUM_UNITS	(sizeof(units) / sizeof(units[0]))

const struct params_unit *params_unit(enum params_kind kind, const char *name)
{
	for (size_t i = 0; i < NUM_UNITS; i++)
		if (units[i].kind == kind && (!name || !strcmp(units[i].name, name)))
			return &units[i];
	return NULL;
}

void params_unit_names(enum params_kind kind, char *to, size_t size)
{
	size_t len = 0;

	to[0] = '\0';
	for (size_t i = 0; i < NUM_UNITS && len < size; i++)
		if (units[i].kind == kind)
			len += snprintf(to + len, size - len, "%s%s", len ? ", " : "",
					units[i].name);
}

int params_switching(const char *word)
{
	if (!strcmp(word, "cut-through"))
		return 1;
	return strcmp(word, "store-and-forward") ? -1 : 0;
}
