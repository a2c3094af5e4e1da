// SPDX-License-Identifier: BSD-2-Clause
/*
 * A library that is loaded before an MPI program, and counts its calls of collectives, also of those that are never
 * offered to libtallycoll. Rank 0 prints them in MPI_Finalize(). tools/check-mpi links it with each MPI.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>

/*
 * All parameters of these functions are pointers and integers, at most ten, which eight-byte words pass in either ABI.
 * So mpi.h is not needed, whose handles differ between MPIs.
 */
typedef long word;
typedef int forwarded(word, word, word, word, word, word, word, word, word, word);

#define COLLECTIVES \
	BOTH(Barrier, barrier) BOTH(Bcast, bcast) BOTH(Reduce, reduce) BOTH(Allreduce, allreduce) \
	BOTH(Reduce_scatter, reduce_scatter) BOTH(Reduce_scatter_block, reduce_scatter_block) \
	BOTH(Allgather, allgather) BOTH(Allgatherv, allgatherv) BOTH(Gather, gather) BOTH(Gatherv, gatherv) \
	BOTH(Scatter, scatter) BOTH(Scatterv, scatterv) BOTH(Alltoall, alltoall) BOTH(Alltoallv, alltoallv) \
	BOTH(Alltoallw, alltoallw) BOTH(Scan, scan) BOTH(Exscan, exscan)

#define BOTH(name, small) ONE(name) ONE(I##small)
#define ONE(name) CALLS_##name,
enum { COLLECTIVES NUM_CALLS };
#undef ONE

#define ONE(name) #name,
static const char *const names[] = { COLLECTIVES };
#undef ONE

static atomic_ulong calls[NUM_CALLS];

/* A race of threads is harmless: they find the same function. */
#define FORWARD(name) \
	static forwarded *next; \
	if (!next) \
		next = (forwarded *)dlsym(RTLD_NEXT, "MPI_" #name); \
	return next(a, b, c, d, e, f, g, h, i, j)

#define ONE(name) \
	int MPI_##name(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j) \
	{ \
		atomic_fetch_add(&calls[CALLS_##name], 1); \
		FORWARD(name); \
	}
COLLECTIVES
#undef ONE

static int rank = -1;

static void learn_rank(void)
{
	int (*communicator_rank)(word, int *) = (int (*)(word, int *))dlsym(RTLD_NEXT, "MPI_Comm_rank");
	void *world = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");

	communicator_rank(world ? (word)world : 0x44000000, &rank); /* MPI_COMM_WORLD of Open MPI, and of MPICH */
}

static void print_calls(void)
{
	fprintf(stderr, "called:");
	for (int n = 0; n < NUM_CALLS; n++)
		if (calls[n])
			fprintf(stderr, " %s %lu", names[n], atomic_load(&calls[n]));
	fputc('\n', stderr);
}

int MPI_Finalize(void)
{
	int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize");

	learn_rank();
	if (rank == 0)
		print_calls();
	return next();
}
