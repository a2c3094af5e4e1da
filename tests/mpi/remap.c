// SPDX-License-Identifier: BSD-2-Clause
/*
 * remap [ROUNDS]: allreduces of 256 KiB from and to memory that is unmapped, and mapped again at the
 * same address, in various ways between them. A NIC that still used the old pages would give wrong
 * results. With MPI_THREAD_MULTIPLE in the environment of Open MPI the same is done beside a thread
 * that allocates and frees.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define COUNT 32768
#define BYTES (COUNT * sizeof(long))

static int rank, ranks;
static long wrong, compared;
static atomic_bool stop;

static long *map(void *at, int flags)
{
	void *memory = mmap(at, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags,
			    -1, 0);

	if (memory == MAP_FAILED || (at && memory != at)) {
		perror("remap: mmap");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	return memory;
}

static void fill(long *src, long salt)
{
	for (long i = 0; i < COUNT; i++)
		src[i] = (salt + i) * (rank + 1);
}

static void check(const long *dst, long salt)
{
	const long all = (long)ranks * (ranks + 1) / 2;

	for (long i = 0; i < COUNT; i++) {
		if (dst[i] != (salt + i) * all && !wrong++)
			printf("remap: rank %d, sum %ld, element %ld: %ld instead of %ld\n", rank,
			       salt, i, dst[i], (salt + i) * all);
		compared++;
	}
}

static void sum(long *src, long *dst, long salt)
{
	fill(src, salt);
	memset(dst, 0xee, BYTES);
	MPI_Allreduce(src, dst, COUNT, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	check(dst, salt);
}

/* Gives the address other pages. */
static void change(long *at, long way)
{
	long *other;

	switch (way % 4) {
	case 0:
		munmap(at, BYTES);
		map(at, MAP_FIXED_NOREPLACE);
		break;
	case 1:
		map(at, MAP_FIXED);
		break;
	case 2:
		madvise(at, BYTES, MADV_DONTNEED);
		break;
	default:
		other = map(NULL, 0);
		mremap(at, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, other);
		munmap(other, BYTES);
		map(at, MAP_FIXED_NOREPLACE);
		break;
	}
}

/* malloc() maps blocks of this size, and gives an address that was free again. */
static void sum_on_heap(long salt)
{
	long *src = malloc(BYTES), *dst = malloc(BYTES);

	sum(src, dst, salt);
	free(src);
	free(dst);
}

static void *disturb(void *arg)
{
	(void)arg;
	while (!stop) {
		char *memory = malloc(BYTES);

		memset(memory, 1, BYTES);
		free(memory);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const long rounds = argc > 1 ? atol(argv[1]) : 12;
	long *src, *dst, all_wrong;
	int level;
	pthread_t thread;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	src = map(NULL, 0);
	dst = map(NULL, 0);
	if (level == MPI_THREAD_MULTIPLE && pthread_create(&thread, NULL, disturb, NULL))
		level = MPI_THREAD_SINGLE;
	for (long k = 0; k < rounds; k++) {
		sum(src, dst, 3 * k);
		sum(src, dst, 3 * k + 1);
		sum_on_heap(3 * k + 2);
		change(k % 2 ? src : dst, k / 2);
	}
	stop = true;
	if (level == MPI_THREAD_MULTIPLE)
		pthread_join(thread, NULL);
	MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("remap: %ld comparisons, %ld wrong\nremap: %s\n", compared, all_wrong,
		       all_wrong ? "FAIL" : "PASS");
	munmap(src, BYTES);
	munmap(dst, BYTES);
	MPI_Finalize();
	return all_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
