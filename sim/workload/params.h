/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of parameters: the costs of hosts, NICs, links and switches, from a file that states a
 * source for every number. Units are always those of the simulator: picoseconds, bits per second,
 * bytes per second, bytes.
 */
#ifndef TALLY_SIM_WORKLOAD_PARAMS_H
#define TALLY_SIM_WORKLOAD_PARAMS_H

#include <stdio.h>

#include "fabric/params.h"
#include "nic/nic.h"

#define BENCH_NAME_MAX	64

struct bench_params {
	char name[BENCH_NAME_MAX];	/* of the file, without folder and ending */
	/* cables and switches; times in ps, lengths in mm, propagation in ps per metre */
	uint64_t link_rate, trunk_rate;		/* bits/s */
	uint64_t link_cable, trunk_cable;
	uint64_t propagation;
	uint64_t switch_ports;
	uint64_t switch_latency;
	uint64_t cut_through;			/* 0: switches store and forward */
	uint64_t switch_buffer, switch_ecn;	/* bytes */
	uint64_t mtu;
	/* the NIC: its clock in MHz, and durations in cycles of it */
	uint64_t nic_clock, nic_request, nic_parse, nic_alu, nic_chain, nic_encap, nic_status;
	uint64_t nic_access, nic_event;
	/* those of a NIC that only moves messages, for software */
	uint64_t message_request, message_parse, message_encap, message_status;
	/* the path between host and NIC */
	uint64_t doorbell, pcie_read, pcie_write;
	uint64_t pcie_rate;			/* bytes/s */
	/* the CPU; rates are bytes/s */
	uint64_t post, poll, share, reduce_start;
	uint64_t push_rate, copy_rate, reduce_rate;
	uint64_t mpi_call, mpi_send, mpi_receive;
	uint64_t mpi_eager;			/* bytes */
};

/*
 * Reads @path. Returns 0, or -1 with the reason in `why`: the file, and the line and key at fault
 * where applicable. docs/bench.md describes the format and the keys.
 */
int bench_params_read(struct bench_params *p, const char *path, char *why, size_t size);

/* As bench_params_read(), from an open file that is called @path. */
int bench_params_parse(struct bench_params *p, FILE *from, const char *path, char *why,
		       size_t size);

/* Returns the time of @bytes at @rate bytes/s, rounded up to the picosecond. */
vtime_t bench_bytes_time(uint64_t bytes, uint64_t rate);

/* Returns the NIC's timing of a set. */
struct nic_timing bench_nic_timing(const struct bench_params *p);
/* Return the propagation delay of a cable. */
vtime_t bench_link_propagation(const struct bench_params *p);
vtime_t bench_trunk_propagation(const struct bench_params *p);

#endif
