/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The workload of a benchmark: a collective operation on a number of nodes, under conditions. The
 * NICs and the software baseline get the same structure, so that both run on the same hosts over
 * the same fabric.
 */
#ifndef TALLY_SIM_WORKLOAD_WORKLOAD_H
#define TALLY_SIM_WORKLOAD_WORKLOAD_H

#include "fabric/topology.h"
#include "gen/tally_hw.h"
#include "hosts/message.h"
#include "workload/params.h"

#define BENCH_MAX_NODES	TOPO_MAX_HOSTS

struct bench_workload {
	const struct bench_params *params;
	enum topo_kind topology;
	uint32_t nodes;			/* node k is host k of the fabric */
	uint32_t ranks;			/* of each node; global rank = node * ranks + local rank */
	enum tally_opcode opcode;
	enum tally_op op;		/* TALLY_OP_NONE if the opcode does not reduce */
	enum tally_type type;
	/*
	 * Bytes of a rank's data; for REDUCE_SCATTER, of its result. A multiple of the element's
	 * size; 0 for BARRIER. The root of REDUCE and BCAST is rank 0.
	 */
	uint64_t bytes;
	/* conditions */
	vtime_t skew;			/* interval in which the ranks call */
	double noise_rate;		/* interruptions of each rank's CPU per second */
	vtime_t noise_time;		/* of each interruption */
	bool overlap;			/* non-blocking, with `compute` between call and wait */
	vtime_t compute;
	uint64_t seed;
	uint32_t warmup, iterations;	/* iterations: at least 1 */
};

struct bench_result {
	/* Median over the iterations: from the last rank's call to the last rank's return. */
	vtime_t time;
	uint64_t wire_bytes;		/* of that iteration, all cables, with ETH_OVERHEAD_BYTES */
	vtime_t rank_max;		/* software: mean time from call to return, longest of all ranks */
	char trouble[160];		/* error message */
};

uint32_t bench_total_ranks(const struct bench_workload *c);

/* Returns the message of the workload, with data that follow from its seed. */
struct message bench_message(const struct bench_workload *c);

/* Returns the configuration of the fabric. */
struct topo_cfg bench_topology(const struct bench_workload *c);

/* Returns the frame bytes of a collective packet with @payload, without ETH_OVERHEAD_BYTES. */
size_t bench_frame_bytes(size_t payload);

/* Returns the delay of a rank's call in an iteration: 0 to skew. */
vtime_t bench_arrival(const struct bench_workload *c, uint32_t iteration, uint32_t rank);

/*
 * Returns the start of an iteration, @now or later. With noise, NICs and software start their
 * iterations at the same times, which are far apart. Thus both meet the same interruptions of the
 * same CPUs, however long the operation takes.
 */
vtime_t bench_begin(const struct bench_workload *c, uint32_t iteration, vtime_t now);

/* Returns the index of the median of @n times, at least 1: the lower of two, first of equals. */
uint32_t bench_median(const vtime_t *time, uint32_t n);

/*
 * Returns the share of the operation that was hidden by computing for the same time. The total is
 * the compute time plus the part that was not hidden.
 */
double bench_hidden(vtime_t blocking, vtime_t total);

#endif
