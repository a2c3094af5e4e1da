/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A job for tests of libtallycoll: its ranks are threads of this process, its network is software
 * (soft.h). Every rank runs the same function, with a context and the runtime's allgather.
 *
 * A rank that finds a fault calls job_fail(), usually through JOB_CHECK(). Then all groups end, all
 * allgathers fail, and the job fails.
 */
#ifndef TALLYCOLL_TESTING_JOB_H
#define TALLYCOLL_TESTING_JOB_H

#include "tallycoll.h"

#define JOB_MAX_FAULTS 4
#define JOB_MAX_KEPT 8

enum job_mapping {
	JOB_CONTIGUOUS,		/* ranks fill one machine after the other */
	JOB_ROUND_ROBIN,
	JOB_UNEVEN,		/* machine m gets m + 1 ranks, the last one the rest */
};

/* Calls of the platform that fail. */
enum job_call {
	JOB_NO_CALL,
	JOB_NET_OPEN,
	JOB_GROUP_OPEN,
	JOB_QUEUE_OPEN,
	JOB_MEMORY_NEW,
	JOB_REGION_OPEN,
	JOB_SHARE,
	JOB_POST,		/* -ENOMEM, which is not a full queue */
	JOB_REFUSE,		/* a post whose request the NIC refuses */
	JOB_NUM_CALLS,
};

/* From the @nth call of a rank on, counted from 1, so many calls fail; 0: all. */
struct job_fault {
	enum job_call call;
	uint32_t rank, nth, times;
};

struct job_cfg {
	uint32_t ranks;
	uint32_t machines, nics, sockets;	/* 0: 1; NICs and sockets of each machine */
	enum job_mapping mapping;
	bool threads;
	bool memory_released;	/* the test releases memory by job_munmap() only */
	uint64_t keep_bytes;	/* of registrations; 0: the library's default */
	uint32_t max_inline, queue_depth, max_groups;	/* 0: usual values */
	uint64_t no_caps;	/* TALLY_CAP_ that the NICs lack */
	uint32_t no_opcodes;	/* that those of the last machine lack: bit 1 << opcode */
	uint64_t seed;
	struct job_fault fault[JOB_MAX_FAULTS];
};

struct job;
struct job_seat;

struct job_rank {
	struct job *job;
	uint32_t rank, size;
	struct job_seat *world;
	struct tallycoll_context *context;
	void *host, *net;		/* of the platform */
	enum tallycoll_status created;	/* of the context */
	bool dead, failed;
	/* Objects of a rank that dies, which nobody destroys; leak checkers find them here. */
	void *kept[JOB_MAX_KEPT];
};

/* Runs the job. Returns 0 if @rank_main returned 0 at every rank, or -1 after printing the faults. */
int job_run(const struct job_cfg *cfg, int (*rank_main)(struct job_rank *), void *arg);
void *job_arg(const struct job_rank *r);
const struct job_cfg *job_cfg_of(const struct job_rank *r);

/* Notes a fault of the rank, and ends the job. Returns -1. */
int job_fail(struct job_rank *r, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#define JOB_FAIL(r, ...) job_fail(r, __FILE__, __LINE__, __VA_ARGS__)
#define JOB_CHECK(r, condition)                                  \
	do {                                                     \
		if (!(condition))                                \
			return JOB_FAIL(r, "%s", #condition);    \
	} while (0)

/* Whether a rank has failed, so that a loop need not go on. */
bool job_failed(const struct job_rank *r);

/* Waits until something has changed for the rank. */
void job_pause(struct job_rank *r);
/* Waits until the network has done what was posted, and calls nothing of the library. */
void job_settle(struct job_rank *r);

/* Ends the rank as a process that is killed. The caller returns 0 and calls nothing any more. */
void job_die(struct job_rank *r);
/*
 * Unmaps memory of the rank, and tells the library. The NIC keeps the pages that it had when it was
 * registered, so what it does with them is not seen at the address any more.
 */
void job_munmap(struct job_rank *r, void *start, size_t bytes);
/* Lets further calls of the rank fail; counting begins now. */
void job_set_fault(struct job_rank *r, enum job_call call, uint32_t nth, uint32_t times);
/* The machine of a rank, and the NIC of all machines. */
uint32_t job_machine(const struct job_rank *r, uint32_t rank);
uint32_t job_nic(const struct job_rank *r, uint32_t rank);

/* ---- Communicators: all members call these functions ---- */
/* As MPI_Comm_split(). NULL: @color is negative, or the job has failed. Freed with the job. */
struct job_seat *job_split(struct job_rank *r, struct job_seat *parent, int color, int key);
uint32_t job_seat_rank(const struct job_seat *seat);
uint32_t job_seat_size(const struct job_seat *seat);
/* Rank in the world of a member. */
uint32_t job_seat_world(const struct job_seat *seat, uint32_t rank);
struct tallycoll_oob job_oob(struct job_seat *seat);
/* Waits for all members. Returns 0, or -1 if that failed. */
int job_barrier(struct job_seat *seat);
enum tallycoll_status job_team(struct job_rank *r, struct job_seat *seat,
			       struct tallycoll_team **team);

#endif
