/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPU costs of steps and arrivals. Used by the executor and the bound. */
#ifndef TALLY_SIM_BASELINE_COST_H
#define TALLY_SIM_BASELINE_COST_H

#include "baseline/net.h"

/* Cost of sending @bytes to another node. */
static inline vtime_t baseline_send_cost(const struct bench_params *p, uint64_t bytes)
{
	return p->mpi_send + baseline_post_time(p, bytes > p->mpi_eager ? 0 : bytes);
}

/* Cost of a message that arrives from another node. */
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

/* Cost of posting a read of data that are ready at another node. */
static inline vtime_t baseline_read_cost(const struct bench_params *p)
{
	return baseline_post_time(p, 0);
}

/* Total cost of a receive from another node. */
static inline vtime_t baseline_receive_cost(const struct bench_params *p, uint64_t bytes)
{
	if (bytes <= p->mpi_eager)
		return baseline_arrival_cost(p, BASELINE_EAGER, bytes);
	return baseline_arrival_cost(p, BASELINE_READY, bytes) + baseline_read_cost(p) +
	       baseline_arrival_cost(p, BASELINE_DATA, bytes);
}

/* Cost of a copy within a node or a rank. */
static inline vtime_t baseline_copy_cost(const struct bench_params *p, uint64_t bytes)
{
	return bench_bytes_time(bytes, p->copy_rate);
}

static inline vtime_t baseline_reduce_cost(const struct bench_params *p, uint64_t bytes)
{
	return p->reduce_start + bench_bytes_time(bytes, p->reduce_rate);
}

#endif
