/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interposer for MPICH: libtallycoll_mpich.so is preloaded and defines the MPI_ functions of
 * collectives and communicators. Whatever libtallycoll does not offload goes to MPICH, by PMPI_.
 */
#ifndef TALLYCOLL_MPI_MPICH_JOB_H
#define TALLYCOLL_MPI_MPICH_JOB_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "mpi/call.h"
#include "tallycoll.h"

/* What this library knows of a communicator; an attribute of it. */
struct tcm_comm {
	struct tcm_comm *next;		/* in the job's list */
	struct tallycoll_team *team;	/* NULL: all goes to MPICH */
	MPI_Comm comm;			/* the communicator; its error handler, as long as it exists */
	uint32_t rank, size;
	atomic_uint users;		/* the communicator, and each non-blocking operation */
};

/*
 * Returns what is known of a communicator, or NULL: all goes to MPICH. With @make, in a call that is
 * collective and may block, a communicator that is not known yet gets its team.
 */
struct tcm_comm *tcm_comm_get(MPI_Comm comm, bool make);
/* Gives up a use. */
void tcm_comm_put(struct tcm_comm *c);

/* progress.c: whether MPICH makes the library progress. */
bool tcm_progress_is_ours(void);
/* A non-blocking operation begins, or has ended. */
void tcm_progress_begin(void);
void tcm_progress_end(void);

void tcm_job_progress_library(void);
/* Whether somebody makes progress for a non-blocking operation at every rank. */
bool tcm_job_progresses(void);

/* Gives MPICH the time that a rank spends in a blocking operation: others may wait for its data. */
void tcm_job_progress_mpi(void);

/*
 * Tells the communicator's error handler, and returns the error code. The code's text is @sentence, or
 * that of the status if it is NULL or empty.
 */
int tcm_raise(struct tcm_comm *c, enum tallycoll_status status, const char *sentence);

/* The same from the request of a call, or from its team if there is none. */
int tcm_raise_call(struct tcm_comm *c, const struct tcm_call *call, enum tallycoll_status status);

#endif
