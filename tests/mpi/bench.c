// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench [OPTION...] [COLLECTIVE...]: latency of MPI's collectives, and how much of the non-blocking
 * ones a computation hides. Options, columns and the definition of overlap are those of the OSU
 * micro-benchmarks, but the result of each iteration is compared. It knows of no Tally.
 */
#include <mpi.h>
#include <stdio.h>

#include "bench.h"

int main(int argc, char **argv)
{
	struct bench_count count = { 0 };
	unsigned long long mine[2], all[2];
	struct bench_options o;
	int rank, size;
	bool good;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	good = bench_read_options(&o, argc, argv, rank, size);
	if (!good || o.help) {
		MPI_Finalize();
		return good ? 0 : 2;
	}
	for (enum bench_op op = 0; op < BENCH_NUM_OPS; op++)
		if (o.blocking[op])
			bench_latency(&o, op, &count);
	for (enum bench_op op = 0; op < BENCH_NUM_OPS; op++)
		if (o.nonblocking[op])
			bench_overlap(&o, op, &count);
	mine[0] = count.compared;
	mine[1] = count.wrong;
	MPI_Allreduce(mine, all, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!rank && o.compare)
		printf("\nbench: %llu results compared, %llu wrong\n", all[0], all[1]);
	MPI_Finalize();
	return all[1] != 0;
}
