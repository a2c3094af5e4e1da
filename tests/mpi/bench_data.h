/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of tests/mpi/bench.c: what each rank gives in an iteration, and what it must get. It
 * knows of no MPI, so that a unit test can show that the comparison notices every wrong word.
 */
#ifndef TESTS_MPI_BENCH_DATA_H
#define TESTS_MPI_BENCH_DATA_H

#include <stdint.h>

enum bench_op {
	BENCH_ALLREDUCE,
	BENCH_REDUCE,
	BENCH_REDUCE_SCATTER,
	BENCH_BCAST,
	BENCH_ALLGATHER,
	BENCH_GATHER,
	BENCH_SCATTER,
	BENCH_BARRIER,
	BENCH_NUM_OPS,
};

/* Words that follow each result and must not change. */
#define BENCH_GUARD 16

/* One iteration at one rank. Reductions are sums modulo 2^32. */
struct bench_turn {
	enum bench_op op;
	uint32_t rank, size, root;
	uint64_t count;	 /* words of each rank, or of each block */
	uint32_t number; /* of the iteration: each has other data */
};

struct bench_wrong {
	uint64_t words, index; /* how many are wrong, and the first one */
	uint32_t is, expected;
};

/* Words that this rank gives, and gets. The data of BCAST are in the result's buffer. */
uint64_t bench_given(const struct bench_turn *t);
uint64_t bench_gotten(const struct bench_turn *t);
/* Fill the buffers before the operation. `dst` has room for BENCH_GUARD words more. */
void bench_fill(const struct bench_turn *t, uint32_t *src, uint32_t *dst);
/* Compare the buffers after it; a source must not have changed. */
struct bench_wrong bench_compare(const struct bench_turn *t, const uint32_t *src,
				 const uint32_t *dst);

#endif
