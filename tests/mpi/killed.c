// SPDX-License-Identifier: BSD-2-Clause
/*
 * killed PLACE COUNT FILE: the last rank is killed among collectives of COUNT elements on Tally NICs: "before" it
 * begins one that the others wait for, "behind" one that it has only begun, or "within" blocking ones, by another
 * thread at any time. Each of the others must get an error that tells of a lost process. It writes the sentence
 * to FILE.PID, since launchers drop output then, and ends without MPI_Finalize(), which would wait for all.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 12

/* Open MPI 4.1 has no class for it. */
#ifdef MPICH_VERSION
#define EXPECTED MPIX_ERR_PROC_FAILED
#else
#define EXPECTED MPI_ERR_OTHER
#endif

static int rank, size;
static const char *place;

static void die(void)
{
	kill(getpid(), SIGKILL);
	pause();
}

static void *die_soon(void *unused)
{
	(void)unused;
	usleep(5000);
	die();
	return NULL;
}

static void fail(const char *what)
{
	printf("rank %d of %d: %s\n", rank, size, what);
	fflush(stdout);
	_exit(1);
}

/* What the last rank does at the start of round @n. */
static void end_last(int n)
{
	pthread_t thread;

	if (rank != size - 1 || n != ROUNDS)
		return;
	if (!strcmp(place, "before"))
		die();
	if (!strcmp(place, "within") && pthread_create(&thread, NULL, die_soon, NULL))
		fail("no thread");
}

static int sum_up(int n, int count, const double *mine, double *sum, MPI_Comm comm)
{
	MPI_Request request;
	int err;

	if (!strcmp(place, "within"))
		return MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, comm);
	err = MPI_Iallreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, comm, &request);
	if (err)
		return err;
	if (rank == size - 1 && n == ROUNDS && !strcmp(place, "behind"))
		die();
	return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Performs a few collectives. Returns the first error. */
static int one_round(int n, int count, double *mine, double *sum, MPI_Comm comm)
{
	int err;

	for (int i = 0; i < count; i++)
		mine[i] = rank + n + i;
	err = sum_up(n, count, mine, sum, comm);
	if (!err)
		err = MPI_Bcast(mine, count, MPI_DOUBLE, n % size, comm);
	if (!err)
		err = MPI_Allreduce(MPI_IN_PLACE, mine, count, MPI_DOUBLE, MPI_MAX, comm);
	if (err)
		return err;
	for (int i = 0; i < count; i++)
		if (sum[i] != size * (size - 1) / 2 + (double)size * (n + i) ||
		    mine[i] != n % size + n + i)
			fail("a result is wrong");
	return MPI_Barrier(comm);
}

static void report(int err, MPI_Comm comm)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int class, again, length;

	MPI_Error_class(err, &class);
	MPI_Error_string(err, text, &length);
	if (class != EXPECTED)
		fail(text);
	again = MPI_Barrier(comm);
	if (!again)
		fail("the next barrier succeeds");
	MPI_Error_class(again, &class);
	if (class != EXPECTED)
		fail("the next barrier has another error");
	printf("rank %d of %d survives: %s\n", rank, size, text);
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	int count = argc > 3 ? atoi(argv[2]) : 1, err = 0;
	double *mine = calloc(count, sizeof(*mine)), *sum = calloc(count, sizeof(*sum));
	char path[4096];
	MPI_Comm comm;

	if (argc < 4 || !mine || !sum)
		return 2;
	snprintf(path, sizeof(path), "%s.%d", argv[3], getpid());
	if (!freopen(path, "w", stdout))
		return 2;
	place = argv[1];
	MPI_Init(&argc, &argv);
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	for (int n = 0; !err; n++) {
		end_last(n);
		err = one_round(n, count, mine, sum, comm);
	}
	report(err, comm);
	return 0;
}
