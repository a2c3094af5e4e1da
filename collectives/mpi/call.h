/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A collective of MPI as an operation of libtallycoll. Data in a layout with gaps pass through packed
 * copies. Whether an operation is offloaded depends only on what MPI makes equal at all ranks, which
 * includes the bytes of a type signature, but not the layout.
 *
 *	tcm_call_init()		the library decides; OK: the caller goes on
 *	tcm_call_post()
 *	tallycoll_collective_test(call.request) or _wait()
 *	tcm_call_end()
 *
 * A persistent call may run again and again: tcm_call_start(), tests and tcm_call_finish() each time,
 * and tcm_call_free() at the end.
 */
#ifndef TALLYCOLL_MPI_CALL_H
#define TALLYCOLL_MPI_CALL_H

#include <mpi.h>
#include <stdbool.h>

#include "tallycoll.h"

/*
 * The arguments of MPI's function. Those that it does not have, or that are insignificant at this
 * rank, may have any value. BCAST and all reductions use recvbuf, recvcount and recvtype for what
 * their functions call buffer, count and datatype. recvcount of REDUCE_SCATTER is that of a block.
 */
struct tcm_args {
	enum tally_opcode opcode;
	const void *sendbuf;
	MPI_Count sendcount;
	MPI_Datatype sendtype;
	void *recvbuf;
	MPI_Count recvcount;
	MPI_Datatype recvtype;
	MPI_Op op;
	int root;
};

/* Data that are packed. */
struct tcm_packed {
	void *memory;		/* NULL: the type is contiguous */
	void *at;		/* the user's buffer */
	MPI_Count count;	/* elements */
	MPI_Datatype type;	/* kept, since the user may free the type meanwhile */
	bool fill, empty;	/* pack all before, unpack all after the operation */
};

struct tcm_call {
	struct tallycoll_request *request;
	struct tcm_packed src, dst;
	MPI_Count own_first, own_count;	/* elements of dst that are this rank's data in place */
	size_t own_offset;		/* in bytes of dst.memory */
};

/*
 * Returns OK; NOT_OFFLOADED, also for wrong arguments, about which MPI is to complain; or an error.
 * @rank and @size are those of the team.
 */
enum tallycoll_status tcm_call_init(struct tcm_call *call, struct tallycoll_team *team,
				    uint32_t rank, uint32_t size, const struct tcm_args *args,
				    uint32_t flags);
/* If it fails, tcm_call_end() must not be called. */
enum tallycoll_status tcm_call_post(struct tcm_call *call);
/* Ends a call whose operation ended with @status, and returns the status of the call. */
enum tallycoll_status tcm_call_end(struct tcm_call *call, enum tallycoll_status status);

/* As tcm_call_post() and tcm_call_end(), but the call remains until tcm_call_free(). */
enum tallycoll_status tcm_call_start(struct tcm_call *call);
enum tallycoll_status tcm_call_finish(struct tcm_call *call, enum tallycoll_status status);
void tcm_call_free(struct tcm_call *call);

#endif
