/* SPDX-License-Identifier: BSD-2-Clause */
/* For the algorithms: writing the steps of one rank. */
#ifndef TALLY_SIM_BENCH_SOFT_BUILD_H
#define TALLY_SIM_BENCH_SOFT_BUILD_H

#include "bench/soft_plan.h"

/* The rank whose steps are being written. */
struct soft_build {
	struct soft_plan *plan;
	uint64_t tmp;		/* elements of its memory in use */
	uint64_t tmp_max;
	bool no_memory;
};

/*
 * Ranks that do something together: member v is global rank base + (v + shift) % n * stride. Where
 * there is a root it is member 0, which is what shift is for.
 */
struct soft_team {
	uint32_t base, stride, shift;
	uint32_t n, me;
	uint32_t count;		/* elements of the vector that they work on, at 0 in memory */
	uint32_t param;		/* radix, or elements of a segment */
};

/* @peer is a member of the team. */
void soft_send(struct soft_build *b, const struct soft_team *t, uint32_t peer, uint64_t from,
	       uint64_t count);
void soft_recv(struct soft_build *b, const struct soft_team *t, uint32_t peer, uint64_t to,
	       uint64_t count);
void soft_wait(struct soft_build *b);
void soft_reduce(struct soft_build *b, uint64_t to, uint64_t from, uint64_t count);
void soft_copy(struct soft_build *b, uint64_t to, uint64_t from, uint64_t count);
void soft_share(struct soft_build *b, uint64_t from, uint64_t count);

/* soft_recv() and soft_wait(). */
void soft_take(struct soft_build *b, const struct soft_team *t, uint32_t peer, uint64_t to,
	       uint64_t count);

/* Waits for the last @n receives one by one and combines each, of @count elements, into the vector;
 * they are one after the other from @from on. */
void soft_take_in(struct soft_build *b, uint32_t n, uint64_t from, uint64_t count);

/* Room for @count elements; b->tmp set back to what it was before gives it back. */
uint64_t soft_room(struct soft_build *b, uint64_t count);

/* Where block @i of @n begins in a vector of @count elements; blocks are as equal as can be. */
static inline uint64_t soft_block(uint64_t count, uint32_t i, uint32_t n)
{
	return count * i / n;
}

/* The largest power of two that is at most @n, which is not 0. */
static inline uint32_t soft_pow2(uint32_t n)
{
	return 1u << (31 - __builtin_clz(n));
}

/* Algorithms on a team. Trees are in soft_tree.c. */
void soft_knomial_reduce(struct soft_build *b, const struct soft_team *t);
void soft_knomial_bcast(struct soft_build *b, const struct soft_team *t);
void soft_binary_reduce(struct soft_build *b, const struct soft_team *t);
void soft_binary_bcast(struct soft_build *b, const struct soft_team *t);
void soft_linear_reduce(struct soft_build *b, const struct soft_team *t);
void soft_linear_bcast(struct soft_build *b, const struct soft_team *t);
/* Chains, in soft_chain.c; param 0: one segment. */
void soft_chain_reduce(struct soft_build *b, const struct soft_team *t);
void soft_chain_bcast(struct soft_build *b, const struct soft_team *t);
/* Every pair of parts exchanges, in soft_exchange.c. */
void soft_doubling(struct soft_build *b, const struct soft_team *t);
void soft_multiplying(struct soft_build *b, const struct soft_team *t);
void soft_folded(struct soft_build *b, const struct soft_team *t);
void soft_dissemination(struct soft_build *b, const struct soft_team *t);
void soft_reduce_bcast(struct soft_build *b, const struct soft_team *t);
void soft_linear_both(struct soft_build *b, const struct soft_team *t);
/* Halving and doubling of vectors, in soft_halving.c. */
void soft_rabenseifner(struct soft_build *b, const struct soft_team *t);
void soft_rabenseifner_reduce(struct soft_build *b, const struct soft_team *t);
void soft_halving_scatter(struct soft_build *b, const struct soft_team *t);
/* Blocks of the vector, of which member v has or gets the v-th, in soft_blocks.c. */
void soft_ring_allreduce(struct soft_build *b, const struct soft_team *t);
void soft_ring_allgather(struct soft_build *b, const struct soft_team *t);
void soft_ring_scatter(struct soft_build *b, const struct soft_team *t);
void soft_pairwise_scatter(struct soft_build *b, const struct soft_team *t);
void soft_spread_scatter(struct soft_build *b, const struct soft_team *t);
void soft_spread_allgather(struct soft_build *b, const struct soft_team *t);
void soft_linear_scatter(struct soft_build *b, const struct soft_team *t);
void soft_doubling_allgather(struct soft_build *b, const struct soft_team *t);
void soft_neighbour_allgather(struct soft_build *b, const struct soft_team *t);
void soft_bruck_allgather(struct soft_build *b, const struct soft_team *t);
void soft_scatter_ring_bcast(struct soft_build *b, const struct soft_team *t);
void soft_scatter_doubling_bcast(struct soft_build *b, const struct soft_team *t);

#endif
