/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that a module offers: X(name) for each. */
#ifndef TALLYCOLL_MPI_OPENMPI_LIST_H
#define TALLYCOLL_MPI_OPENMPI_LIST_H

/* Blocking, non-blocking, persistent. */
#define TALLY_KINDS(X, name) X(name) X(i##name) X(name##_init)

#define TALLY_ALL_FUNCTIONS(X)               \
	TALLY_KINDS(X, allgather)            \
	TALLY_KINDS(X, allreduce)            \
	TALLY_KINDS(X, barrier)              \
	TALLY_KINDS(X, bcast)                \
	TALLY_KINDS(X, gather)               \
	TALLY_KINDS(X, reduce)               \
	TALLY_KINDS(X, reduce_scatter)       \
	TALLY_KINDS(X, reduce_scatter_block) \
	TALLY_KINDS(X, scatter)

#endif
