/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLYCOLL_MPI_MPICH_PERFORM_H
#define TALLYCOLL_MPI_MPICH_PERFORM_H

#include "mpi/mpich/job.h"

/*
 * Perform an operation, or begin it. Return false if MPICH is to do so; otherwise the result of the
 * MPI function is in @err.
 */
bool tcm_perform(MPI_Comm comm, const struct tcm_args *args, int *err);
bool tcm_begin(MPI_Comm comm, const struct tcm_args *args, MPI_Request *request, int *err);

/* Polls the operation of a request, if it is one of this layer. */
void tcm_poll(MPI_Request request);

/*
 * Returns what a generalized request that ended with @err tells MPICH: that there is no error. The
 * functions that complete requests will return it.
 */
int tcm_withhold(int err, MPI_Status *status);

#endif
