// SPDX-License-Identifier: BSD-2-Clause
/* The functions of Open MPI's interface: the library's arguments, or the call of the previous module. */
#include "mpi/openmpi/component.h"

#include "mpi/openmpi/list.h"

/*
 * For each operation its parameters, its arguments, and a function that maps them. The function
 * returns false if the operation is the previous module's, which must be so at all ranks.
 */
#define BLOCKS_PARAMETERS                                                             \
	const void *sendbuf, int sendcount, ompi_datatype_t *sendtype, void *recvbuf, \
		int recvcount, ompi_datatype_t *recvtype,
#define BLOCKS_ARGUMENTS sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,

#define allgather_PARAMETERS BLOCKS_PARAMETERS
#define allgather_ARGUMENTS BLOCKS_ARGUMENTS
#define gather_PARAMETERS BLOCKS_PARAMETERS int root,
#define gather_ARGUMENTS BLOCKS_ARGUMENTS root,
#define scatter_PARAMETERS BLOCKS_PARAMETERS int root,
#define scatter_ARGUMENTS BLOCKS_ARGUMENTS root,

#define allreduce_PARAMETERS \
	const void *sendbuf, void *recvbuf, int count, ompi_datatype_t *type, ompi_op_t *op,
#define allreduce_ARGUMENTS sendbuf, recvbuf, count, type, op,
#define reduce_PARAMETERS allreduce_PARAMETERS int root,
#define reduce_ARGUMENTS allreduce_ARGUMENTS root,
#define reduce_scatter_block_PARAMETERS allreduce_PARAMETERS
#define reduce_scatter_block_ARGUMENTS allreduce_ARGUMENTS
#define reduce_scatter_PARAMETERS                                                              \
	const void *sendbuf, void *recvbuf, const int *counts, ompi_datatype_t *type, ompi_op_t *op,
#define reduce_scatter_ARGUMENTS sendbuf, recvbuf, counts, type, op,

#define bcast_PARAMETERS void *buffer, int count, ompi_datatype_t *type, int root,
#define bcast_ARGUMENTS buffer, count, type, root,
#define barrier_PARAMETERS
#define barrier_ARGUMENTS

static bool map_allgather(struct tcm_args *a, allgather_PARAMETERS ompi_communicator_t *comm)
{
	(void)comm;
	*a = (struct tcm_args){
		.opcode = TALLY_OPCODE_ALLGATHER,
		.sendbuf = sendbuf,
		.sendcount = sendcount,
		.sendtype = sendtype,
		.recvbuf = recvbuf,
		.recvcount = recvcount,
		.recvtype = recvtype,
	};
	return true;
}

static bool map_gather(struct tcm_args *a, gather_PARAMETERS ompi_communicator_t *comm)
{
	map_allgather(a, allgather_ARGUMENTS comm);
	a->opcode = TALLY_OPCODE_GATHER;
	a->root = root;
	return true;
}

static bool map_scatter(struct tcm_args *a, scatter_PARAMETERS ompi_communicator_t *comm)
{
	map_allgather(a, allgather_ARGUMENTS comm);
	a->opcode = TALLY_OPCODE_SCATTER;
	a->root = root;
	return true;
}

static bool map_allreduce(struct tcm_args *a, allreduce_PARAMETERS ompi_communicator_t *comm)
{
	(void)comm;
	*a = (struct tcm_args){
		.opcode = TALLY_OPCODE_ALLREDUCE,
		.sendbuf = sendbuf,
		.recvbuf = recvbuf,
		.recvcount = count,
		.recvtype = type,
		.op = op,
	};
	return true;
}

static bool map_reduce(struct tcm_args *a, reduce_PARAMETERS ompi_communicator_t *comm)
{
	map_allreduce(a, allreduce_ARGUMENTS comm);
	a->opcode = TALLY_OPCODE_REDUCE;
	a->root = root;
	return true;
}

static bool map_reduce_scatter_block(struct tcm_args *a,
				     reduce_scatter_block_PARAMETERS ompi_communicator_t *comm)
{
	map_allreduce(a, allreduce_ARGUMENTS comm);
	a->opcode = TALLY_OPCODE_REDUCE_SCATTER;
	return true;
}

/* The counts are the same at all ranks; blocks of unequal length are left to the previous module. */
static bool map_reduce_scatter(struct tcm_args *a,
			       reduce_scatter_PARAMETERS ompi_communicator_t *comm)
{
	for (int r = 1; r < ompi_comm_size(comm); r++)
		if (counts[r] != counts[0])
			return false;
	return map_reduce_scatter_block(a, sendbuf, recvbuf, counts[0], type, op, comm);
}

static bool map_bcast(struct tcm_args *a, bcast_PARAMETERS ompi_communicator_t *comm)
{
	(void)comm;
	*a = (struct tcm_args){
		.opcode = TALLY_OPCODE_BCAST,
		.recvbuf = buffer,
		.recvcount = count,
		.recvtype = type,
		.root = root,
	};
	return true;
}

static bool map_barrier(struct tcm_args *a, ompi_communicator_t *comm)
{
	(void)comm;
	*a = (struct tcm_args){ .opcode = TALLY_OPCODE_BARRIER };
	return true;
}

/* ---- The functions, all alike ---- */
#define COMM ompi_communicator_t *comm,
#define REQUEST ompi_request_t **request,
#define MODULE mca_coll_base_module_t *module

#define DEFINE(name, operation, parameters, arguments, perform)                                    \
	static int tally_##name(operation##_PARAMETERS COMM parameters MODULE)                     \
	{                                                                                          \
		struct tally_module *m = (struct tally_module *)module;                            \
		struct tcm_args args;                                                              \
		int err = TALLY_PREVIOUS;                                                          \
                                                                                                   \
		if (map_##operation(&args, operation##_ARGUMENTS comm))                            \
			err = perform;                                                             \
		if (err != TALLY_PREVIOUS)                                                         \
			return err;                                                                \
		return m->previous.coll_##name(operation##_ARGUMENTS comm, arguments               \
					       m->previous.coll_##name##_module);                  \
	}

#define NOTHING
#define INFO_REQUEST struct ompi_info_t *info, REQUEST

#define DEFINE_KINDS(name)                                                                         \
	DEFINE(name, name, NOTHING, NOTHING, tally_perform(m, &args))                              \
	DEFINE(i##name, name, REQUEST, request TALLY_COMMA, tally_begin(m, &args, false, request)) \
	DEFINE(name##_init, name, INFO_REQUEST, info TALLY_COMMA request TALLY_COMMA,              \
	       tally_begin(m, &args, true, request))

#define TALLY_COMMA ,

DEFINE_KINDS(allgather)
DEFINE_KINDS(allreduce)
DEFINE_KINDS(barrier)
DEFINE_KINDS(bcast)
DEFINE_KINDS(gather)
DEFINE_KINDS(reduce)
DEFINE_KINDS(reduce_scatter)
DEFINE_KINDS(reduce_scatter_block)
DEFINE_KINDS(scatter)

#define SET(name) module->coll_##name = tally_##name;

void tally_set_functions(mca_coll_base_module_t *module)
{
	TALLY_ALL_FUNCTIONS(SET)
}
