// SPDX-License-Identifier: BSD-2-Clause
/*
 * errors WORLD COMM: operations that fail, with the error handler "fatal" or "return" of MPI_COMM_WORLD and
 * of a communicator. It runs with fake_tallycoll.c and FAKE_FAIL=2. Prints what rank 0 learns.
 * errors refused: operations that the library refuses leave no memory.
 */
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;

static void handle(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
	if (!rank)
		printf("the handler was called\n");
}

static void tell(const char *what, int code)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length, class = MPI_SUCCESS;

	MPI_Error_class(code, &class);
	MPI_Error_string(code, text, &length);
	if (!rank)
		printf("%s: %s, %s\n", what,
		       class == MPI_ERR_ARG	  ? "MPI_ERR_ARG" :
		       class == MPI_ERR_IN_STATUS ? "MPI_ERR_IN_STATUS" :
		       class == MPI_ERR_ROOT	  ? "MPI_ERR_ROOT" :
		       class			  ? "?" :
						    "success",
		       class == MPI_ERR_ROOT ? "by MPI itself." : text);
}

static void set(MPI_Comm comm, const char *name, MPI_Errhandler own)
{
	MPI_Comm_set_errhandler(comm, !strcmp(name, "return") ? MPI_ERRORS_RETURN :
				      !strcmp(name, "own") ? own : MPI_ERRORS_ARE_FATAL);
}

#define PAIRS 500000
#define TIMES 20

static size_t memory(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* The layer makes room for a packed copy before the library refuses the operation. */
static int refuse(void)
{
	int *data = calloc(2 * PAIRS, sizeof(*data));
	size_t before = 0;
	MPI_Datatype gaps;

	MPI_Type_vector(PAIRS, 1, 2, MPI_INT, &gaps);
	MPI_Type_commit(&gaps);
	for (int i = 0; i < 2 * TIMES; i++) {
		if (i == TIMES)
			before = memory();
		MPI_Bcast(data, 1, gaps, 0, MPI_COMM_WORLD);
	}
	if (memory() > before + TIMES / 2 * PAIRS * sizeof(*data))
		printf("rank %d: refused operations leave memory\n", rank);
	MPI_Type_free(&gaps);
	free(data);
	return MPI_Finalize();
}

/* Requests of MPI's own, behind one that failed. */
static int test_others(void)
{
	MPI_Request both[2];
	MPI_Status status[2];
	int flag = 0, err = MPI_SUCCESS;

	MPI_Irecv(NULL, 0, MPI_INT, rank, 2, MPI_COMM_WORLD, &both[0]);
	MPI_Isend(NULL, 0, MPI_INT, rank, 2, MPI_COMM_WORLD, &both[1]);
	while (!flag && !err)
		err = MPI_Testall(2, both, &flag, status);
	return err;
}

int main(int argc, char **argv)
{
	MPI_Request both[2];
	MPI_Status status[2];
	MPI_Errhandler own;
	MPI_Comm comm;
	int size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!strcmp(argv[1], "refused"))
		return refuse();
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_create_errhandler(handle, &own);
	set(MPI_COMM_WORLD, argv[1], own);
	set(MPI_COMM_SELF, argv[1], own);
	set(comm, argv[2], own);
	if (!strcmp(argv[2], "return"))
		tell("wrong root", MPI_Bcast(&size, 1, MPI_INT, size, comm));
	tell("first", MPI_Barrier(comm));
	tell("ibarrier", MPI_Ibarrier(comm, &both[0]));
	tell("wait", MPI_Wait(&both[0], status));
	tell("barrier", MPI_Barrier(comm));
	tell("ibarrier", MPI_Ibarrier(comm, &both[0]));
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	set(comm, argv[2], own);
	MPI_Barrier(comm);
	MPI_Ibarrier(comm, &both[0]);
	MPI_Isend(NULL, 0, MPI_INT, rank, 1, MPI_COMM_WORLD, &both[1]);
	tell("waitall", MPI_Waitall(2, both, status));
	tell("its first status", status[0].MPI_ERROR);
	tell("its second status", status[1].MPI_ERROR);
	tell("testall", test_others());
	MPI_Recv(NULL, 0, MPI_INT, rank, 1, MPI_COMM_WORLD, status);
	MPI_Finalize();
	return 0;
}
