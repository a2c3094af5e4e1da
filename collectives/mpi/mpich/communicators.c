// SPDX-License-Identifier: BSD-2-Clause
/*
 * Functions that create communicators, and may block, create their teams. A communicator of any other
 * origin, such as MPI_Comm_idup(), gets its team by its first blocking collective.
 */
#include "mpi/mpich/job.h"

/* @params and @args without the new communicator, in parentheses. */
#define STRIP(...) __VA_ARGS__
#define CONSTRUCTOR(name, params, args)                        \
	int MPI_##name(STRIP params, MPI_Comm *made)           \
	{                                                      \
		int err = PMPI_##name(STRIP args, made);       \
							       \
		if (!err && *made != MPI_COMM_NULL)            \
			tcm_comm_get(*made, true);             \
		return err;                                    \
	}

CONSTRUCTOR(Comm_dup, (MPI_Comm comm), (comm))
CONSTRUCTOR(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info), (comm, info))
CONSTRUCTOR(Comm_split, (MPI_Comm comm, int color, int key), (comm, color, key))
CONSTRUCTOR(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info),
	    (comm, type, key, info))
CONSTRUCTOR(Comm_create, (MPI_Comm comm, MPI_Group group), (comm, group))
CONSTRUCTOR(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag), (comm, group, tag))
CONSTRUCTOR(Cart_create,
	    (MPI_Comm comm, int ndims, const int *dims, const int *periods, int reorder),
	    (comm, ndims, dims, periods, reorder))
CONSTRUCTOR(Cart_sub, (MPI_Comm comm, const int *remain), (comm, remain))
CONSTRUCTOR(Graph_create,
	    (MPI_Comm comm, int nnodes, const int *index, const int *edges, int reorder),
	    (comm, nnodes, index, edges, reorder))
CONSTRUCTOR(Dist_graph_create,
	    (MPI_Comm comm, int n, const int *sources, const int *degrees, const int *destinations,
	     const int *weights, MPI_Info info, int reorder),
	    (comm, n, sources, degrees, destinations, weights, info, reorder))
CONSTRUCTOR(Dist_graph_create_adjacent,
	    (MPI_Comm comm, int indegree, const int *sources, const int *sourceweights,
	     int outdegree, const int *destinations, const int *destweights, MPI_Info info,
	     int reorder),
	    (comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
	     reorder))
CONSTRUCTOR(Intercomm_merge, (MPI_Comm comm, int high), (comm, high))
