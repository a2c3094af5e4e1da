/* SPDX-License-Identifier: BSD-2-Clause */
/* What steps and arrivals cost a CPU. For the executor and its bound. */
#ifndef TALLY_SIM_BASELINE_COST_H
#define TALLY_SIM_BASELINE_COST_H

#include "baseline/net.h"

/* To another node, of @bytes. */
static inline vtime_t baseline_send_cost(const struct bench_params *p, uint64_t bytes)
{
	return p->mpi_send + baseline_post_time(p, bytes > p->mpi_eager ? 0 : bytes);
}

/* Of what arrives from another node. */
static inline vtime_t baseline_arrival_cost(const struct bench_params *p,
					    enum baseline_message_kind kind, uint64_t bytes)
{
	switch (kind) {
	case BASELINE_EAGER:
		return p->poll + p->mpi_receive + bench_bytes_time(bytes, p->copy_rate);
	case BASELINE_READY:
		return p->poll + p->mpi_receive;
	case BASELINE_DATA:
		return p->poll;
	default:
		return bench_bytes_time(bytes, p->copy_rate);
	}
}

/* Of having the NIC read what is ready elsewhere. */
static inline vtime_t baseline_read_cost(const struct bench_params *p)
{
	return baseline_post_time(p, 0);
}

/* A receive from another node, all in all. */
static inline vtime_t baseline_receive_cost(const struct bench_params *p, uint64_t bytes)
{
	if (bytes <= p->mpi_eager)
		return baseline_arrival_cost(p, BASELINE_EAGER, bytes);
	return baseline_arrival_cost(p, BASELINE_READY, bytes) + baseline_read_cost(p) +
	       baseline_arrival_cost(p, BASELINE_DATA, bytes);
}

/* Within a node or within a rank. */
static inline vtime_t baseline_copy_cost(const struct bench_params *p, uint64_t bytes)
{
	return bench_bytes_time(bytes, p->copy_rate);
}

static inline vtime_t baseline_reduce_cost(const struct bench_params *p, uint64_t bytes)
{
	return p->reduce_start + bench_bytes_time(bytes, p->reduce_rate);
}

#endif
