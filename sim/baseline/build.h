/* SPDX-License-Identifier: BSD-2-Clause */
/* For the algorithms: writes the steps of one rank. */
#ifndef TALLY_SIM_BASELINE_BUILD_H
#define TALLY_SIM_BASELINE_BUILD_H

#include "baseline/plan.h"

/* The rank whose steps are written. */
struct baseline_build {
	struct baseline_plan *plan;
	uint64_t tmp;		/* elements of its memory in use */
	uint64_t tmp_max;
	bool no_memory;
};

/*
 * Ranks that work together: member v is global rank base + (v + shift) % n * stride. The root, if
 * there is one, is member 0; shift serves for this.
 */
struct baseline_group {
	uint32_t base, stride, shift;
	const uint32_t *leader;	/* if not NULL, [node] is in place of `base` */
	uint32_t n, me;
	uint32_t count;		/* elements of their vector, which is at 0 in memory */
	uint32_t param;		/* radix, or elements of a segment */
};

/* Write a step. @peer is a member of the group. */
void baseline_send(struct baseline_build *b, const struct baseline_group *t, uint32_t peer,
		   uint64_t from, uint64_t count);
void baseline_recv(struct baseline_build *b, const struct baseline_group *t, uint32_t peer,
		   uint64_t to, uint64_t count);
void baseline_wait(struct baseline_build *b);
void baseline_reduce(struct baseline_build *b, uint64_t to, uint64_t from, uint64_t count);
void baseline_copy(struct baseline_build *b, uint64_t to, uint64_t from, uint64_t count);
void baseline_share(struct baseline_build *b, uint64_t from, uint64_t count);

/* Writes a RECV and its WAIT. */
void baseline_recv_wait(struct baseline_build *b, const struct baseline_group *t, uint32_t peer,
			uint64_t to, uint64_t count);

/*
 * Waits for the last @n receives one by one and combines each, of @count elements, into the vector.
 * They are contiguous in memory from @from on.
 */
void baseline_wait_reduce(struct baseline_build *b, uint32_t n, uint64_t from, uint64_t count);

/* Allocates room for @count elements; to free it, restore the earlier value of b->tmp. */
uint64_t baseline_alloc(struct baseline_build *b, uint64_t count);

/* Returns the start of block @i of @n nearly equal blocks in a vector of @count elements. */
static inline uint64_t baseline_block(uint64_t count, uint32_t i, uint32_t n)
{
	return count * i / n;
}

/* Returns the largest power of two that is at most @n; @n is not 0. */
static inline uint32_t baseline_pow2(uint32_t n)
{
	return 1u << (31 - __builtin_clz(n));
}

/* Algorithms on a group. Trees, in tree.c. */
void baseline_knomial_reduce(struct baseline_build *b, const struct baseline_group *t);
void baseline_knomial_bcast(struct baseline_build *b, const struct baseline_group *t);
void baseline_binary_reduce(struct baseline_build *b, const struct baseline_group *t);
void baseline_binary_bcast(struct baseline_build *b, const struct baseline_group *t);
void baseline_linear_reduce(struct baseline_build *b, const struct baseline_group *t);
void baseline_linear_bcast(struct baseline_build *b, const struct baseline_group *t);
/* Chains, in chain.c; param 0: one segment. */
void baseline_chain_reduce(struct baseline_build *b, const struct baseline_group *t);
void baseline_chain_bcast(struct baseline_build *b, const struct baseline_group *t);
/* Exchanges of whole vectors, in exchange.c. */
void baseline_doubling(struct baseline_build *b, const struct baseline_group *t);
void baseline_multiplying(struct baseline_build *b, const struct baseline_group *t);
void baseline_folded(struct baseline_build *b, const struct baseline_group *t);
void baseline_dissemination(struct baseline_build *b, const struct baseline_group *t);
void baseline_reduce_bcast(struct baseline_build *b, const struct baseline_group *t);
void baseline_linear_both(struct baseline_build *b, const struct baseline_group *t);
/* Halving and doubling of vectors, in halving.c. */
void baseline_rabenseifner(struct baseline_build *b, const struct baseline_group *t);
void baseline_rabenseifner_reduce(struct baseline_build *b, const struct baseline_group *t);
void baseline_halving_scatter(struct baseline_build *b, const struct baseline_group *t);
/* Algorithms on blocks of the vector; block v is that of member v. In blocks.c. */
void baseline_ring_allreduce(struct baseline_build *b, const struct baseline_group *t);
void baseline_ring_allgather(struct baseline_build *b, const struct baseline_group *t);
void baseline_ring_scatter(struct baseline_build *b, const struct baseline_group *t);
void baseline_pairwise_scatter(struct baseline_build *b, const struct baseline_group *t);
void baseline_spread_scatter(struct baseline_build *b, const struct baseline_group *t);
void baseline_spread_allgather(struct baseline_build *b, const struct baseline_group *t);
void baseline_binomial_scatter(struct baseline_build *b, const struct baseline_group *t);
void baseline_binomial_gather(struct baseline_build *b, const struct baseline_group *t);
void baseline_linear_distribute(struct baseline_build *b, const struct baseline_group *t);
void baseline_linear_gather(struct baseline_build *b, const struct baseline_group *t);
void baseline_linear_scatter(struct baseline_build *b, const struct baseline_group *t);
void baseline_doubling_allgather(struct baseline_build *b, const struct baseline_group *t);
void baseline_neighbour_allgather(struct baseline_build *b, const struct baseline_group *t);
void baseline_bruck_allgather(struct baseline_build *b, const struct baseline_group *t);
void baseline_scatter_ring_bcast(struct baseline_build *b, const struct baseline_group *t);
void baseline_scatter_doubling_bcast(struct baseline_build *b, const struct baseline_group *t);

#endif
