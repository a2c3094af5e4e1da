// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fortran. mpif.h and the module mpi call the MPI_ functions of C, which this library defines. So do
 * the collectives with buffers of the module mpi_f08, but its other functions call PMPI_, so they are
 * defined here. A handle is a structure of an int, which is C's handle.
 */
#include "mpi/mpich/job.h"

/* The last argument is optional: NULL if it is left out. */
static void result(int *ierror, int err)
{
	if (ierror)
		*ierror = err;
}

void mpi_init_f08_(int *ierror);
void mpi_init_f08_(int *ierror)
{
	result(ierror, MPI_Init(NULL, NULL));
}

void mpi_init_thread_f08_(const int *required, int *provided, int *ierror);
void mpi_init_thread_f08_(const int *required, int *provided, int *ierror)
{
	result(ierror, MPI_Init_thread(NULL, NULL, *required, provided));
}

void mpi_finalize_f08_(int *ierror);
void mpi_finalize_f08_(int *ierror)
{
	result(ierror, MPI_Finalize());
}

void mpi_barrier_f08_(const MPI_Comm *comm, int *ierror);
void mpi_barrier_f08_(const MPI_Comm *comm, int *ierror)
{
	result(ierror, MPI_Barrier(*comm));
}

void mpi_ibarrier_f08_(const MPI_Comm *comm, MPI_Request *request, int *ierror);
void mpi_ibarrier_f08_(const MPI_Comm *comm, MPI_Request *request, int *ierror)
{
	result(ierror, MPI_Ibarrier(*comm, request));
}

void mpi_comm_dup_f08_(const MPI_Comm *comm, MPI_Comm *made, int *ierror);
void mpi_comm_dup_f08_(const MPI_Comm *comm, MPI_Comm *made, int *ierror)
{
	result(ierror, MPI_Comm_dup(*comm, made));
}

void mpi_comm_split_f08_(const MPI_Comm *comm, const int *color, const int *key, MPI_Comm *made,
			 int *ierror);
void mpi_comm_split_f08_(const MPI_Comm *comm, const int *color, const int *key, MPI_Comm *made,
			 int *ierror)
{
	result(ierror, MPI_Comm_split(*comm, *color, *key, made));
}

void mpi_error_class_f08_(const int *code, int *class, int *ierror);
void mpi_error_class_f08_(const int *code, int *class, int *ierror)
{
	result(ierror, MPI_Error_class(*code, class));
}
