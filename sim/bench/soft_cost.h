/* SPDX-License-Identifier: BSD-2-Clause */
/* What steps and arrivals cost a CPU. For the executor and its bound. */
#ifndef TALLY_SIM_BENCH_SOFT_COST_H
#define TALLY_SIM_BENCH_SOFT_COST_H

#include "bench/soft_net.h"

/* To another node, of @bytes. */
static inline vtime_t soft_send_cost(const struct bench_params *p, uint64_t bytes)
{
	return p->mpi_send + soft_post_time(p, bytes > p->mpi_eager ? 0 : bytes);
}

/* Of what arrives from another node. */
static inline vtime_t soft_arrival_cost(const struct bench_params *p, enum soft_message_kind kind,
					uint64_t bytes)
{
	switch (kind) {
	case SOFT_EAGER:
		return p->poll + p->mpi_receive + bench_bytes_time(bytes, p->copy_rate);
	case SOFT_READY:
		return p->poll + p->mpi_receive;
	case SOFT_DATA:
		return p->poll;
	default:
		return bench_bytes_time(bytes, p->copy_rate);
	}
}

/* Of having the NIC read what is ready elsewhere. */
static inline vtime_t soft_read_cost(const struct bench_params *p)
{
	return soft_post_time(p, 0);
}

/* A receive from another node, all in all. */
static inline vtime_t soft_receive_cost(const struct bench_params *p, uint64_t bytes)
{
	if (bytes <= p->mpi_eager)
		return soft_arrival_cost(p, SOFT_EAGER, bytes);
	return soft_arrival_cost(p, SOFT_READY, bytes) + soft_read_cost(p) +
	       soft_arrival_cost(p, SOFT_DATA, bytes);
}

/* Within a node or within a rank. */
static inline vtime_t soft_copy_cost(const struct bench_params *p, uint64_t bytes)
{
	return bench_bytes_time(bytes, p->copy_rate);
}

static inline vtime_t soft_reduce_cost(const struct bench_params *p, uint64_t bytes)
{
	return p->reduce_start + bench_bytes_time(bytes, p->reduce_rate);
}

#endif
