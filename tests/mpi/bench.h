/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of tests/mpi/bench.c: options, and the measurements. */
#ifndef TESTS_MPI_BENCH_H
#define TESTS_MPI_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "bench_data.h"

struct bench_options {
	uint64_t min, max;	     /* bytes */
	uint64_t most_memory;	     /* bytes of a rank's buffers */
	uint32_t iterations, warmup; /* of a size; 0 and UINT32_MAX: by the size */
	uint32_t tests;		     /* calls of MPI_Test() during the computation */
	bool compare, full, help;
	bool blocking[BENCH_NUM_OPS], nonblocking[BENCH_NUM_OPS];
};

extern const char *const bench_names[BENCH_NUM_OPS];

/* Returns false after a sentence about what is wrong, which only rank 0 prints. */
bool bench_read_options(struct bench_options *o, int argc, char **argv, uint32_t rank,
			uint32_t size);

/* Results that were compared at this rank, and those that were wrong. */
struct bench_count {
	uint64_t compared, wrong;
};

/* Measure an operation with all sizes, and print its table at rank 0. */
void bench_latency(const struct bench_options *o, enum bench_op op, struct bench_count *count);
void bench_overlap(const struct bench_options *o, enum bench_op op, struct bench_count *count);

#endif
