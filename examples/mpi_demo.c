// SPDX-License-Identifier: BSD-2-Clause
/*
 * An ordinary MPI program: an iteration with sums, a broadcast and a non-blocking sum beside
 * computation. It knows nothing of Tally. Its result is the same with offload and without; see
 * make demo-mpi.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 4096 /* of each rank */
#define STEPS 20

/* One step of diffusion on a ring of cells. Returns the sum of the squares of all changes. */
static double relax(double *cell, double *next, int rank, int size)
{
	double left, right, change = 0, sum;

	MPI_Sendrecv(&cell[CELLS - 1], 1, MPI_DOUBLE, (rank + 1) % size, 0, &left, 1, MPI_DOUBLE,
		     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&cell[0], 1, MPI_DOUBLE, (rank + size - 1) % size, 1, &right, 1, MPI_DOUBLE,
		     (rank + 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < CELLS; i++) {
		double a = i ? cell[i - 1] : left, b = i < CELLS - 1 ? cell[i + 1] : right;

		next[i] = cell[i] + (a - 2 * cell[i] + b) / 4;
		change += (next[i] - cell[i]) * (next[i] - cell[i]);
	}
	MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

/* Returns the mass, which is summed while the largest cell is searched. */
static double mass(const double *cell, double *largest)
{
	double mine = 0, sum;
	MPI_Request request;

	for (int i = 0; i < CELLS; i++)
		mine += cell[i];
	MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
	*largest = 0;
	for (int i = 0; i < CELLS; i++)
		*largest = fmax(*largest, cell[i]);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Allreduce(MPI_IN_PLACE, largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return sum;
}

int main(int argc, char **argv)
{
	static double cell[2][CELLS];
	int rank, size, all[64];
	double change = 0, largest, before, after;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0)
		for (int i = 0; i < CELLS; i++)
			cell[0][i] = i % 64 == 0 ? 64 : 0;
	MPI_Bcast(cell[0], CELLS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	before = mass(cell[0], &largest);
	for (int step = 0; step < STEPS; step++)
		change = relax(cell[step % 2], cell[(step + 1) % 2], rank, size);
	MPI_Barrier(MPI_COMM_WORLD);
	after = mass(cell[STEPS % 2], &largest);
	/* NICs do not perform this one: every rank sends each of the others something else. */
	for (int i = 0; i < size && i < 64; i++)
		all[i] = rank;
	if (size <= 64)
		MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%d ranks: mass %.1f, then %.1f; largest cell %.6f; last change %.6f: %s\n", size,
		       before, after, largest, change, before == after ? "right" : "WRONG");
	MPI_Finalize();
	return before != after;
}
