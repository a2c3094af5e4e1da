// SPDX-License-Identifier: BSD-2-Clause
/*
 * Processes that start others: the ranks spawn as many processes as they are, and operate with them
 * over the intercommunicator, over an intracommunicator that joins both, and within each world. The
 * spawned processes run this program, too. Every result is compared.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

#define SUMS 8

static long wrong, compared;

static void expect(const char *what, long is, long should)
{
	compared++;
	if (is == should)
		return;
	wrong++;
	printf("spawn: %s: %ld instead of %ld\n", what, is, should);
	fflush(stdout);
}

/* Each rank of `comm` gives its rank and the number of the sum. */
static void sums(const char *what, MPI_Comm comm, int ranks)
{
	int rank;

	MPI_Comm_rank(comm, &rank);
	for (long i = 0; i < SUMS; i++) {
		long mine = rank + i, sum = -1;

		MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, comm);
		expect(what, sum, ranks * (ranks - 1L) / 2 + ranks * i);
	}
}

static void operate(MPI_Comm others, bool spawned)
{
	int ranks, number;
	MPI_Comm all;

	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	sums("world", MPI_COMM_WORLD, ranks);
	/* Over an intercommunicator each side gets the sum of the other one, which is as large. */
	sums("intercommunicator", others, ranks);
	MPI_Intercomm_merge(others, spawned, &all);
	sums("both", all, 2 * ranks);
	number = spawned ? 0 : 7;
	MPI_Bcast(&number, 1, MPI_INT, 0, all);
	expect("broadcast to both", number, 7);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&others);
	sums("world afterwards", MPI_COMM_WORLD, ranks);
}

int main(int argc, char **argv)
{
	MPI_Comm others;
	int ranks, rank;
	long all[2], mine[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&others);
	if (others != MPI_COMM_NULL) {
		operate(others, true);
	} else {
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, ranks, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
			       &others, MPI_ERRCODES_IGNORE);
		operate(others, false);
	}
	mine[0] = compared;
	mine[1] = wrong;
	MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("spawn: %ld results compared, %ld wrong\n", all[0], all[1]);
	MPI_Finalize();
	return wrong != 0;
}
