// SPDX-License-Identifier: BSD-2-Clause
/*
 * Errors of non-blocking operations. MPICH would give errors of generalized requests to the error handler
 * of MPI_COMM_SELF, and replace their class. So it does not hear of them, and the functions that complete
 * requests return them. The error handler of the communicator has been called before.
 */
#include <dlfcn.h>

#include "mpi/mpich/perform.h"

static _Thread_local int withheld;

/* A status keeps the code in MPI_TAG, which MPICH does not change. */
int tcm_withhold(int err, MPI_Status *status)
{
	if (err) {
		status->MPI_TAG = err;
		withheld = err;
	}
	return MPI_SUCCESS;
}

/* The result of a call that completed one request with @err. */
static int result(int err)
{
	return err ? err : withheld;
}

/* The result of a call that completed @num requests. */
static int result_of_all(int err, int num, MPI_Status *statuses)
{
	if (err || !withheld)
		return err;
	for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < num; i++) {
		MPI_Status *s = &statuses[i];

		s->MPI_ERROR = MPI_SUCCESS;
		if (s->MPI_SOURCE == MPI_UNDEFINED && s->MPI_TAG != MPI_UNDEFINED) {
			s->MPI_ERROR = s->MPI_TAG;
			s->MPI_TAG = MPI_UNDEFINED;
		}
	}
	return MPI_ERR_IN_STATUS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	withheld = MPI_SUCCESS;
	return result(PMPI_Wait(request, status));
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	withheld = MPI_SUCCESS;
	return result(PMPI_Test(request, flag, status));
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
	withheld = MPI_SUCCESS;
	return result(PMPI_Waitany(count, requests, index, status));
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
	withheld = MPI_SUCCESS;
	return result(PMPI_Testany(count, requests, index, flag, status));
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses)
{
	withheld = MPI_SUCCESS;
	return result_of_all(PMPI_Waitall(count, requests, statuses), count, statuses);
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses)
{
	withheld = MPI_SUCCESS;
	return result_of_all(PMPI_Testall(count, requests, flag, statuses), count, statuses);
}

int MPI_Waitsome(int count, MPI_Request *requests, int *num, int *indices, MPI_Status *statuses)
{
	int err;

	withheld = MPI_SUCCESS;
	err = PMPI_Waitsome(count, requests, num, indices, statuses);
	return result_of_all(err, *num, statuses);
}

int MPI_Testsome(int count, MPI_Request *requests, int *num, int *indices, MPI_Status *statuses)
{
	int err;

	withheld = MPI_SUCCESS;
	err = PMPI_Testsome(count, requests, num, indices, statuses);
	return result_of_all(err, *num, statuses);
}

/* MPICH does not poll generalized requests here, so a program that only asks would never see one complete. */
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	tcm_poll(request);
	return PMPI_Request_get_status(request, flag, status);
}

/*
 * The functions of mpi_f08 call PMPI_. Those of MPICH convert the arguments; here the optional ierror, the
 * last argument, gets the error.
 */
#define FORTRAN(name, code, params, args)                                                       \
	void name params;                                                                       \
	void name params                                                                        \
	{                                                                                       \
		void (*next) params = dlsym(RTLD_NEXT, #name);                                  \
												\
		withheld = MPI_SUCCESS;                                                         \
		next args;                                                                      \
		if (ierror && !*ierror && withheld)                                             \
			*ierror = code;                                                         \
	}

FORTRAN(mpi_wait_f08_, withheld, (void *a, void *b, int *ierror), (a, b, ierror))
FORTRAN(mpi_test_f08_, withheld, (void *a, void *b, void *c, int *ierror), (a, b, c, ierror))
FORTRAN(mpi_waitany_f08_, withheld, (void *a, void *b, void *c, void *d, int *ierror),
	(a, b, c, d, ierror))
FORTRAN(mpi_testany_f08_, withheld, (void *a, void *b, void *c, void *d, void *e, int *ierror),
	(a, b, c, d, e, ierror))
FORTRAN(mpi_waitall_f08_, MPI_ERR_IN_STATUS, (void *a, void *b, void *c, int *ierror),
	(a, b, c, ierror))
FORTRAN(mpi_testall_f08_, MPI_ERR_IN_STATUS, (void *a, void *b, void *c, void *d, int *ierror),
	(a, b, c, d, ierror))
FORTRAN(mpi_waitsome_f08_, MPI_ERR_IN_STATUS,
	(void *a, void *b, void *c, void *d, void *e, int *ierror), (a, b, c, d, e, ierror))
FORTRAN(mpi_testsome_f08_, MPI_ERR_IN_STATUS,
	(void *a, void *b, void *c, void *d, void *e, int *ierror), (a, b, c, d, e, ierror))

void mpi_request_get_status_f08_(const MPI_Request *request, void *flag, void *status, int *ierror);
void mpi_request_get_status_f08_(const MPI_Request *request, void *flag, void *status, int *ierror)
{
	void (*next)(const MPI_Request *, void *, void *, int *) =
		dlsym(RTLD_NEXT, "mpi_request_get_status_f08_");

	tcm_poll(*request);
	next(request, flag, status, ierror);
}
