// SPDX-License-Identifier: BSD-2-Clause
/*
 * hello [RANK STATUS]: each rank prints its number, its host, its VM, the variable TALLY_PROBE and the sum of all
 * ranks' numbers plus 1, which an MPI_Allreduce has made. Rank RANK then exits with STATUS, without finalizing MPI. The
 * others wait to be ended: in MPI_Finalize they might notice first, and end the job with a status of their own.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "-";
}

int main(int argc, char **argv)
{
	char host[64] = "";
	int rank, ranks, mine, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	mine = rank + 1;
	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	gethostname(host, sizeof(host) - 1);
	printf("rank %d of %d on %s in VM %s, probe %s, sum %d\n", rank, ranks, host,
	       variable("TALLY_VM"), variable("TALLY_PROBE"), sum);
	fflush(stdout);
	if (argc == 3 && rank == atoi(argv[1]))
		exit(atoi(argv[2]));
	while (argc == 3)
		pause();
	MPI_Finalize();
	return 0;
}
