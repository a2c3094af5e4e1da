/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of parameters: what hosts, NICs, links and switches cost, from a file in which every number
 * has its source. Units are those of the simulator whatever the file says: picoseconds, bits and
 * bytes a second, bytes.
 */
#ifndef TALLY_SIM_WORKLOAD_PARAMS_H
#define TALLY_SIM_WORKLOAD_PARAMS_H

#include <stdio.h>

#include "fabric/params.h"
#include "nic/nic.h"

#define BENCH_NAME_MAX	64

struct bench_params {
	char name[BENCH_NAME_MAX];	/* of the file, without folder and ending */
	/* cables and switches; times are ps, lengths mm, propagation ps a metre */
	uint64_t link_rate, trunk_rate;		/* bits/s */
	uint64_t link_cable, trunk_cable;
	uint64_t propagation;
	uint64_t switch_ports;
	uint64_t switch_latency;
	uint64_t cut_through;			/* 0: switches store and forward */
	uint64_t switch_buffer, switch_ecn;	/* bytes */
	uint64_t mtu;
	/* the NIC: cycles of its clock, which is in MHz */
	uint64_t nic_clock, nic_request, nic_parse, nic_alu, nic_chain, nic_encap, nic_status;
	/* the way between host and NIC */
	uint64_t doorbell, pcie_read, pcie_write;
	uint64_t pcie_rate;			/* bytes/s */
	/* the CPU; rates are bytes/s */
	uint64_t post, poll, share, reduce_start;
	uint64_t push_rate, copy_rate, reduce_rate;
	uint64_t mpi_call, mpi_send, mpi_receive;
	uint64_t mpi_eager;			/* bytes */
};

/*
 * Reads @path. Returns 0, or -1 with the reason in `why`: file, line and key at fault, as far as
 * there are such. -- See docs/bench.md for the format and what each key means.
 */
int bench_params_read(struct bench_params *p, const char *path, char *why, size_t size);

/* The same from an open file that is called @path. */
int bench_params_parse(struct bench_params *p, FILE *from, const char *path, char *why,
		       size_t size);

/* Time that @bytes take at @rate bytes/s, rounded up to the picosecond. */
vtime_t bench_bytes_time(uint64_t bytes, uint64_t rate);

/* The parts of the simulator as a set describes them. */
struct nic_timing bench_nic_timing(const struct bench_params *p);
/* Propagation of a cable. */
vtime_t bench_link_propagation(const struct bench_params *p);
vtime_t bench_trunk_propagation(const struct bench_params *p);

#endif
