/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libtallycoll: the collectives of a parallel runtime on Tally NICs.
 *
 * A *context* belongs to a process of a job, a *team* to a communicator, a *request* to one
 * operation. The runtime tells the library who the ranks are, and lends it an allgather for set-up.
 * For each operation the runtime asks for a request. If the library does not offload the operation,
 * it says so with a reason, at all ranks alike, and the runtime performs the operation itself.
 *
 * Conventions: functions return a status. A structure that the caller passes in is not kept, except
 * for callbacks and buffers. Every rank of a team calls the functions of the team, and posts its
 * requests, in the same order. Functions of one context may be called from several threads if
 * `threads` is set. Ranks without a further word are ranks of the team.
 */
#ifndef TALLYCOLL_H
#define TALLYCOLL_H

#include <infiniband/tally_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tallycoll_status {
	TALLYCOLL_OK = 0,
	TALLYCOLL_INPROGRESS = 1,
	TALLYCOLL_NOT_OFFLOADED = 2,	/* the reason says why; nothing has begun at any rank */
	TALLYCOLL_ERR_PARAM = -1,	/* an argument is wrong; nothing has begun */
	TALLYCOLL_ERR_MEMORY = -2,
	TALLYCOLL_ERR_OOB = -3,		/* the runtime's allgather failed */
	TALLYCOLL_ERR_RANK_GONE = -4,	/* a process ended during the operation */
	TALLYCOLL_ERR_MISMATCH = -5,	/* the ranks' calls do not match */
	TALLYCOLL_ERR_NETWORK = -6,	/* any other failure of the operation */
};

/* Why an operation, or all operations of a team, are not offloaded. */
enum tallycoll_reason {
	TALLYCOLL_REASON_NONE,		/* it is offloaded */
	TALLYCOLL_REASON_DISABLED,	/* by TALLY_COLL=off */
	TALLYCOLL_REASON_NO_DEVICE,	/* a rank of the job has no NIC, or could not open it */
	TALLYCOLL_REASON_ONE_RANK,	/* the team has one rank */
	TALLYCOLL_REASON_NO_GROUP,	/* a device or quota has no room for a group */
	TALLYCOLL_REASON_NO_MEMORY,
	TALLYCOLL_REASON_TOO_MANY_RANKS,	/* blocks or AVG, and a node has more ranks than contributors */
	TALLYCOLL_REASON_TEAM_BROKEN,	/* not offloaded, and an error: one of the team has failed */
	TALLYCOLL_REASON_UNSUPPORTED_OP,	/* the devices do not perform the operation */
	TALLYCOLL_REASON_UNSUPPORTED_TYPE,
	TALLYCOLL_REASON_EMPTY,		/* there are no elements */
	TALLYCOLL_REASON_SLOWER,	/* the host's algorithm is faster by the cost model */
	TALLYCOLL_REASON_OVERRIDDEN,	/* by TALLY_COLL_TUNE */
	TALLYCOLL_REASON_NOT_ALONE,	/* the NIC cannot finish the operation alone */
	TALLYCOLL_NUM_REASONS,
};

/*
 * The runtime's allgather among the ranks of a context or team: each rank gives `bytes` bytes, and
 * all get those of all ranks in order. Returns 0, or another value on failure. While it waits it should
 * call tallycoll_progress(), since another rank may wait for an operation before it comes.
 */
struct tallycoll_oob {
	int (*allgather)(void *arg, const void *mine, void *all, size_t bytes);
	void *arg;
	uint32_t rank, size;
};

struct tallycoll_context;
struct tallycoll_team;
struct tallycoll_request;

struct tallycoll_context_params {
	struct tallycoll_oob oob;	/* all processes of the job */
	bool threads;			/* several threads call the library */
	/*
	 * The runtime calls tallycoll_memory_released(). Then registrations of user memory are kept for
	 * further operations, up to `keep_bytes` bytes (0: 256 MiB). Otherwise each operation, or
	 * request that is posted again, has its own.
	 */
	bool memory_released;
	uint64_t keep_bytes;
	const char *tune;		/* rules of the runtime, as in TALLY_COLL_TUNE; NULL: none */
};

/*
 * Create the context of a process. All processes of the job call this function. A process without a
 * usable NIC gets a context too, and then no team of the job is offloaded. The caller must call
 * tallycoll_context_destroy() after TALLYCOLL_OK. On error a sentence is written to `why`, a buffer
 * of `size` bytes: ERR_PARAM (a wrong environment variable, which the sentence names), ERR_MEMORY,
 * ERR_OOB. Only the first rank with a wrong variable gets the sentence, and the others an empty one,
 * so that a job can print it once.
 */
enum tallycoll_status tallycoll_context_create(const struct tallycoll_context_params *params,
					       struct tallycoll_context **context, char *why,
					       size_t size);
/*
 * Destroy the context. Its teams should have been destroyed; otherwise it remains until they are.
 * If another rank of this machine posts data that this one has given, waits until it has, or has
 * ended. NULL: does nothing.
 */
void tallycoll_context_destroy(struct tallycoll_context *context);

/*
 * Tell that memory of this process is about to be unmapped, or to get other pages. Call it before that
 * happens, for all memory of the process, whether the library has used it or not. Any thread may call
 * it at any time while the context exists, also within the other functions of the library, whatever
 * `threads` is. It neither waits nor allocates memory.
 */
void tallycoll_memory_released(struct tallycoll_context *context, const void *start, size_t bytes);

struct tallycoll_team_params {
	struct tallycoll_oob oob;	/* the ranks of the team */
	const uint32_t *ranks;		/* context's rank of each rank of the team; NULL: the same */
};

/*
 * Create a team. All its ranks call this function. A team for which there is no group is created
 * too, and offloads nothing; tallycoll_team_reason() says why. With NO_GROUP the library tries again
 * when the team's operations have doubled in number, in a tallycoll_collective_init() with
 * TALLYCOLL_F_BLOCKING. ERR_PARAM, at all ranks, if a list of ranks is wrong or the lists differ;
 * ERR_MEMORY; ERR_OOB.
 */
enum tallycoll_status tallycoll_team_create(struct tallycoll_context *context,
					    const struct tallycoll_team_params *params,
					    struct tallycoll_team **team);
/*
 * Destroy the team. Its requests should have been finalized; otherwise it remains until they are, and
 * offers no further ones. Waits for no other process. NULL: does nothing.
 */
void tallycoll_team_destroy(struct tallycoll_team *team);
/* Returns why the team offloads nothing, or TALLYCOLL_REASON_NONE. */
enum tallycoll_reason tallycoll_team_reason(const struct tallycoll_team *team);
/*
 * Returns the sentence for the first failure of an operation of the team. If none has failed: that for
 * the ERR_PARAM of the last tallycoll_collective_init(), which names the argument, or an empty one.
 */
const char *tallycoll_team_error(const struct tallycoll_team *team);

enum tallycoll_flags {
	/*
	 * Nobody calls tallycoll_progress() while the operation runs: offload it only if the NIC can
	 * finish it alone.
	 */
	TALLYCOLL_F_ALONE = 1 << 0,
	/*
	 * The caller waits for the operation, as a blocking one. Equal at all ranks. A team without a
	 * group makes later attempts to get one in such calls only, since all ranks must come. Other
	 * operations go by the way that works beside a computation.
	 */
	TALLYCOLL_F_BLOCKING = 1 << 1,
};

#define TALLYCOLL_IN_PLACE ((const void *)-1)

/*
 * An operation. `count`, opcode, op, dtype and root are equal at all ranks. Data consist of `count`
 * elements of each rank, or of a block of `count` elements for each rank in the order of ranks:
 *
 *	opcode          src                     dst
 *	ALLREDUCE       count                   count
 *	REDUCE          count                   root: count
 *	BCAST           root: count             others: count
 *	BARRIER         -                       -
 *	ALLGATHER       count                   blocks
 *	REDUCE_SCATTER  blocks                  count
 *	GATHER          count                   root: blocks
 *	SCATTER         root: blocks            count
 *
 * op is TALLY_OP_NONE for operations that do not reduce; BARRIER has count 0 and TALLY_TYPE_NONE.
 * Elements of TALLY_TYPE_NONE are bytes. src may be TALLYCOLL_IN_PLACE with the meaning that
 * MPI_IN_PLACE has; for SCATTER the root's dst may be TALLYCOLL_IN_PLACE, for BCAST all ranks give
 * dst, and src is ignored. Buffers that a rank does not use, or that have no elements, may be NULL.
 * count times the ranks of the team is at most 2^42.
 */
struct tallycoll_args {
	enum tally_opcode opcode;
	enum tally_op op;
	enum tally_type dtype;
	uint32_t flags;			/* TALLYCOLL_F_ */
	uint64_t count;
	uint32_t root;
	const void *src;
	void *dst;
};

/*
 * Prepare an operation. Returns TALLYCOLL_OK with the request; TALLYCOLL_NOT_OFFLOADED with the
 * reason in `*reason`; ERR_PARAM; ERR_MEMORY; ERR_OOB; the error of an earlier operation of the team, which is
 * then broken. OK and NOT_OFFLOADED are the same at all ranks. A rank that does not know yet that the
 * team is broken gets OK, and then the error when it tests the request.
 */
enum tallycoll_status tallycoll_collective_init(struct tallycoll_team *team,
						const struct tallycoll_args *args,
						struct tallycoll_request **request,
						enum tallycoll_reason *reason);
/* Begin the operation. A request whose operation is complete may be posted again. */
enum tallycoll_status tallycoll_collective_post(struct tallycoll_request *request);
/*
 * Progress the context. Returns INPROGRESS, OK or the error with which the operation ended. When it
 * has ended, nothing uses its buffers any more, also after an error.
 */
enum tallycoll_status tallycoll_collective_test(struct tallycoll_request *request);
/* As tallycoll_collective_test(), but returns when the operation has ended. */
enum tallycoll_status tallycoll_collective_wait(struct tallycoll_request *request);
/*
 * Free a request. If its operation is in progress, it is freed when that has ended, and uses its
 * buffers until then. NULL, and a request that was freed and is not in use again: does nothing; other
 * functions return ERR_PARAM for these.
 */
void tallycoll_collective_finalize(struct tallycoll_request *request);
/* Returns the sentence for the error with which the operation ended. Valid until finalized. */
const char *tallycoll_request_error(const struct tallycoll_request *request);

/* Progress all operations of the context. Returns how many have ended. */
unsigned int tallycoll_progress(struct tallycoll_context *context);

/* Static strings: the name, and a sentence. */
const char *tallycoll_reason_name(enum tallycoll_reason reason);
const char *tallycoll_reason_str(enum tallycoll_reason reason);
const char *tallycoll_status_str(enum tallycoll_status status);

/* Print a table of this process's operations: how many were offloaded, and the reasons of the rest. */
void tallycoll_context_summary(const struct tallycoll_context *context, FILE *to);

#ifdef __cplusplus
}
#endif

#endif
