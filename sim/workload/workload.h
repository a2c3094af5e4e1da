/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a benchmark measures: a collective operation on a number of nodes, under conditions. The
 * same structure goes to the NICs and to the software they are compared with, so that both run on
 * the same hosts over the same fabric.
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
	enum tally_op op;		/* TALLY_OP_NONE where nothing is reduced */
	enum tally_type type;
	/*
	 * A rank's data: what it gives; REDUCE_SCATTER: what it gets. A multiple of the element's
	 * size; BARRIER: 0. The root of REDUCE and BCAST is rank 0.
	 */
	uint64_t bytes;
	/* conditions */
	vtime_t skew;			/* ranks call within so long */
	double noise_rate;		/* interruptions of each rank's CPU in a second */
	vtime_t noise_time;		/* of each */
	bool overlap;			/* non-blocking, with `compute` between call and wait */
	vtime_t compute;
	uint64_t seed;
	uint32_t warmup, iterations;	/* iterations: at least 1 */
};

struct bench_result {
	/* Median over the iterations, from the last rank's call until the last rank goes on. */
	vtime_t time;
	uint64_t wire_bytes;		/* of that iteration, on all cables, ETH_OVERHEAD_BYTES included */
	char trouble[160];		/* what went wrong */
};

uint32_t bench_total_ranks(const struct bench_workload *c);

/* The message of the case, with what its seed gives as data. */
struct message bench_message(const struct bench_workload *c);

/* The fabric of the case. */
struct topo_cfg bench_topology(const struct bench_workload *c);

/* Bytes of a collective packet's frame with so much payload, without ETH_OVERHEAD_BYTES. */
size_t bench_frame_bytes(size_t payload);

/* How long after the first possible moment of an iteration a rank calls: 0 to skew. */
vtime_t bench_arrival(const struct bench_workload *c, uint32_t iteration, uint32_t rank);

/*
 * When an iteration begins, @now or later. With noise both sides begin at the same moments, so far
 * apart that each meets interruptions of its own: same CPUs, same interruptions, whatever it is
 * that takes the time.
 */
vtime_t bench_begin(const struct bench_workload *c, uint32_t iteration, vtime_t now);

/* Which of @n times, at least 1, is the middle one: the lower of two, the first of equal ones. */
uint32_t bench_median(const vtime_t *time, uint32_t n);

#endif
