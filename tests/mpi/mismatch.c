// SPDX-License-Identifier: BSD-2-Clause
/*
 * Ranks whose calls do not match, on Tally NICs: every rank learns so, the communicator is broken, and all
 * others go on. Without Tally the same calls may do anything.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

static bool good = true;
static int rank, size;

static void expect(const char *what, int error, int class)
{
	int is = MPI_SUCCESS;

	if (error)
		MPI_Error_class(error, &is);
	if (is == class)
		return;
	printf("rank %d: %s: class %d instead of %d\n", rank, what, is, class);
	fflush(stdout);
	good = false;
}

static void expect_sum(const char *what, MPI_Comm comm)
{
	int one = 1, sum = 0;

	expect(what, MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
	if (sum != size) {
		printf("rank %d: %s: %d instead of %d\n", rank, what, sum, size);
		good = false;
	}
}

static int begin_and_wait(int *numbers, MPI_Comm comm)
{
	MPI_Request request = MPI_REQUEST_NULL;
	int error = MPI_Iallreduce(MPI_IN_PLACE, numbers, rank ? 2 : 3, MPI_INT, MPI_SUM, comm,
				   &request);

	return error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/*
 * Ranks name one of two roots. Those that have got what their root gave may be done; then the next
 * operation fails.
 */
static int different_roots(int *numbers, MPI_Comm comm)
{
	int error = MPI_Bcast(numbers, 3, MPI_INT, rank % 2, comm);

	return error ? error : MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "first", "second", "third" };
	int numbers[4] = { 1, 2, 3, 4 }, all;
	MPI_Comm broken[3], other, later;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 3; i++) {
		MPI_Comm_dup(MPI_COMM_WORLD, &broken[i]);
		MPI_Comm_set_name(broken[i], names[i]);
		MPI_Comm_set_errhandler(broken[i], MPI_ERRORS_RETURN);
	}
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	for (int i = 0; i < 3; i++)
		expect_sum("before", broken[i]);
	expect("different counts",
	       MPI_Allreduce(MPI_IN_PLACE, numbers, rank ? 2 : 3, MPI_INT, MPI_SUM, broken[0]),
	       MPI_ERR_ARG);
	expect("different counts, not blocking", begin_and_wait(numbers, broken[1]), MPI_ERR_ARG);
	expect("different roots", different_roots(numbers, broken[2]), MPI_ERR_ARG);
	expect("the same communicator again", MPI_Barrier(broken[0]), MPI_ERR_ARG);
	expect_sum("another communicator", other);
	for (int i = 0; i < 3; i++)
		MPI_Comm_free(&broken[i]);
	MPI_Comm_dup(other, &later);
	expect_sum("a later communicator", later);
	MPI_Allreduce(&(int){ good }, &all, 1, MPI_INT, MPI_MIN, other);
	MPI_Comm_free(&later);
	MPI_Comm_free(&other);
	MPI_Finalize();
	if (!rank && all)
		printf("mismatch: PASS\n");
	return !good;
}
