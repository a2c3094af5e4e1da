/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MPI's types and operations as those of Tally. These sources are compiled once for each MPI. They
 * use handles and PMPI_ functions only, so they depend on no MPI's inner structures.
 */
#ifndef TALLYCOLL_MPI_TYPES_H
#define TALLYCOLL_MPI_TYPES_H

#include <infiniband/tally_types.h>
#include <mpi.h>
#include <stdbool.h>

/* Finds out what the predefined types are. Call it once, after MPI_Init(). */
void tcm_types_init(void);

/*
 * A reduction as the ALU performs it. A type without a counterpart has dtype TALLY_TYPE_NONE, an
 * operation without one, or that MPI does not define for the type, has op TALLY_OP_NONE. The library
 * refuses both with its reason.
 */
struct tcm_reduction {
	enum tally_op op;
	enum tally_type dtype;
	unsigned int values;	/* elements of dtype in one of MPI's type: 2 for complex numbers */
};

struct tcm_reduction tcm_reduction(MPI_Op op, MPI_Datatype type);

/* Whether the bytes of elements in memory are those of MPI_Pack(). false: perhaps. Each MPI has its own. */
bool tcm_contiguous(MPI_Datatype type);

/*
 * Keeps a type for as long as an operation uses it, also if the user frees it: stores the handle to use,
 * which tcm_drop_type() gives back. Returns an error code of MPI. Each MPI has its own.
 */
int tcm_keep_type(MPI_Datatype type, MPI_Datatype *kept);
void tcm_drop_type(MPI_Datatype *kept);

/* As MPI_Pack() and MPI_Unpack(), but for any number of bytes. Return an error code of MPI. */
int tcm_pack(const void *from, MPI_Count count, MPI_Datatype type, void *packed);
int tcm_unpack(const void *packed, void *to, MPI_Count count, MPI_Datatype type);

#endif
