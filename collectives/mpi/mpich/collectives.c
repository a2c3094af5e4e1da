// SPDX-License-Identifier: BSD-2-Clause
/*
 * MPI's collectives, blocking and not, and with both widths of counts. Persistent collectives and
 * those with a count for each rank are MPICH's.
 */
#include "mpi/mpich/perform.h"

/* Defines a function for an int and for an MPI_Count. */
#define FOR_BOTH_COUNTS(define) \
	define(, int)           \
	define(_c, MPI_Count)

/*
 * A function, and its non-blocking form. @params and @args are those in common, in parentheses;
 * @fields initializes struct tcm_args.
 */
#define STRIP(...) __VA_ARGS__
#define COLLECTIVE(name, iname, params, args, ...)                                              \
	int MPI_##name(STRIP params, MPI_Comm comm)                                             \
	{                                                                                       \
		const struct tcm_args a = { __VA_ARGS__ };                                      \
		int err;                                                                        \
												\
		return tcm_perform(comm, &a, &err) ? err : PMPI_##name(STRIP args, comm);       \
	}                                                                                       \
												\
	int MPI_##iname(STRIP params, MPI_Comm comm, MPI_Request *request)                      \
	{                                                                                       \
		const struct tcm_args a = { __VA_ARGS__ };                                      \
		int err;                                                                        \
												\
		return tcm_begin(comm, &a, request, &err) ?                                     \
			       err :                                                            \
			       PMPI_##iname(STRIP args, comm, request);                         \
	}

int MPI_Barrier(MPI_Comm comm)
{
	const struct tcm_args a = { .opcode = TALLY_OPCODE_BARRIER };
	int err;

	return tcm_perform(comm, &a, &err) ? err : PMPI_Barrier(comm);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
	const struct tcm_args a = { .opcode = TALLY_OPCODE_BARRIER };
	int err;

	return tcm_begin(comm, &a, request, &err) ? err : PMPI_Ibarrier(comm, request);
}

#define BCAST(c, count_t)                                                                       \
	COLLECTIVE(Bcast##c, Ibcast##c, (void *buffer, count_t count, MPI_Datatype type, int root), \
		   (buffer, count, type, root), .opcode = TALLY_OPCODE_BCAST,                   \
		   .recvbuf = buffer, .recvcount = count, .recvtype = type, .root = root)
FOR_BOTH_COUNTS(BCAST)

#define ALLREDUCE(c, count_t)                                                                   \
	COLLECTIVE(Allreduce##c, Iallreduce##c,                                                 \
		   (const void *sendbuf, void *recvbuf, count_t count, MPI_Datatype type,       \
		    MPI_Op op),                                                                 \
		   (sendbuf, recvbuf, count, type, op), .opcode = TALLY_OPCODE_ALLREDUCE,       \
		   .sendbuf = sendbuf, .recvbuf = recvbuf, .recvcount = count,                  \
		   .recvtype = type, .op = op)
FOR_BOTH_COUNTS(ALLREDUCE)

#define REDUCE(c, count_t)                                                                      \
	COLLECTIVE(Reduce##c, Ireduce##c,                                                       \
		   (const void *sendbuf, void *recvbuf, count_t count, MPI_Datatype type,       \
		    MPI_Op op, int root),                                                       \
		   (sendbuf, recvbuf, count, type, op, root), .opcode = TALLY_OPCODE_REDUCE,    \
		   .sendbuf = sendbuf, .recvbuf = recvbuf, .recvcount = count,                  \
		   .recvtype = type, .op = op, .root = root)
FOR_BOTH_COUNTS(REDUCE)

#define REDUCE_SCATTER_BLOCK(c, count_t)                                                        \
	COLLECTIVE(Reduce_scatter_block##c, Ireduce_scatter_block##c,                           \
		   (const void *sendbuf, void *recvbuf, count_t count, MPI_Datatype type,       \
		    MPI_Op op),                                                                 \
		   (sendbuf, recvbuf, count, type, op), .opcode = TALLY_OPCODE_REDUCE_SCATTER,  \
		   .sendbuf = sendbuf, .recvbuf = recvbuf, .recvcount = count,                  \
		   .recvtype = type, .op = op)
FOR_BOTH_COUNTS(REDUCE_SCATTER_BLOCK)

/* The count that all ranks have, or -1, with which the operation goes to MPICH. */
#define EQUAL_COUNT(c, count_t)                                                                 \
	static count_t equal_count##c(const count_t *counts, MPI_Comm comm)                     \
	{                                                                                       \
		int size;                                                                       \
												\
		if (!counts || comm == MPI_COMM_NULL || PMPI_Comm_size(comm, &size))            \
			return -1;                                                              \
		for (int r = 1; r < size; r++)                                                  \
			if (counts[r] != counts[0])                                             \
				return -1;                                                      \
		return counts[0];                                                               \
	}
FOR_BOTH_COUNTS(EQUAL_COUNT)

#define REDUCE_SCATTER(c, count_t)                                                              \
	COLLECTIVE(Reduce_scatter##c, Ireduce_scatter##c,                                       \
		   (const void *sendbuf, void *recvbuf, const count_t *counts,                  \
		    MPI_Datatype type, MPI_Op op),                                              \
		   (sendbuf, recvbuf, counts, type, op), .opcode = TALLY_OPCODE_REDUCE_SCATTER, \
		   .sendbuf = sendbuf, .recvbuf = recvbuf,                                      \
		   .recvcount = equal_count##c(counts, comm), .recvtype = type, .op = op)
FOR_BOTH_COUNTS(REDUCE_SCATTER)

#define ALLGATHER(c, count_t)                                                                   \
	COLLECTIVE(Allgather##c, Iallgather##c,                                                 \
		   (const void *sendbuf, count_t sendcount, MPI_Datatype sendtype,              \
		    void *recvbuf, count_t recvcount, MPI_Datatype recvtype),                   \
		   (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype),                \
		   TALLY_OPCODE_ALLGATHER, sendbuf, sendcount, sendtype, recvbuf, recvcount,    \
		   recvtype, MPI_OP_NULL, 0)
FOR_BOTH_COUNTS(ALLGATHER)

#define ROOTED(name, iname, code, count_t)                                                      \
	COLLECTIVE(name, iname,                                                                 \
		   (const void *sendbuf, count_t sendcount, MPI_Datatype sendtype,              \
		    void *recvbuf, count_t recvcount, MPI_Datatype recvtype, int root),         \
		   (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root), code,    \
		   sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, MPI_OP_NULL,     \
		   root)
#define GATHER(c, count_t) ROOTED(Gather##c, Igather##c, TALLY_OPCODE_GATHER, count_t)
#define SCATTER(c, count_t) ROOTED(Scatter##c, Iscatter##c, TALLY_OPCODE_SCATTER, count_t)
FOR_BOTH_COUNTS(GATHER)
FOR_BOTH_COUNTS(SCATTER)
