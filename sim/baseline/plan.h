/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans of collective operations in software: the sends, receives, reductions and copies of every
 * rank, in order. A plan contains no times; exec.h declares the executor.
 *
 * Each rank has one memory, counted in elements. Its first part holds the operation's data, see
 * struct baseline_task. The rest is temporary room.
 */
#ifndef TALLY_SIM_BASELINE_PLAN_H
#define TALLY_SIM_BASELINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

#define BASELINE_MAX_RANKS	(1u << 20)	/* of a plan, on all nodes */
#define BASELINE_NAME_MAX	48
#define BASELINE_COMPETITIVE	"cp-"
#define BASELINE_MIN_RADIX	2
#define BASELINE_MAX_RADIX	64

enum baseline_kind {
	BASELINE_SEND,	/* sends `count` elements at `from` to `peer`; does not wait */
	BASELINE_RECV,	/* receives `count` elements from `peer` to `to`; does not wait */
	BASELINE_WAIT,	/* waits for the oldest RECV without a WAIT */
	BASELINE_REDUCE,	/* combines `count` elements at `from` into those at `to` */
	BASELINE_COPY,	/* copies `count` elements from `from` to `to`, without overlap */
	BASELINE_SHARE,	/* sends `count` elements at `from` to all others of the node */
};

/*
 * A step. The n-th SEND (or SHARE) of a rank to another one matches the n-th RECV from that rank;
 * both have the same count.
 */
struct baseline_step {
	uint32_t kind : 3;
	uint32_t peer : 29;	/* global rank */
	uint32_t to, from, count;
};

/*
 * A task. A rank's memory holds the following data before and after, `count` being the elements of
 * a rank's data (REDUCE_SCATTER: of its result):
 *	ALLREDUCE	count elements, replaced by the result
 *	REDUCE		as ALLREDUCE, with the result at the root only
 *	BCAST		count elements, replaced by those of the root
 *	ALLGATHER	total ranks * count elements; the rank's own block in its place before
 *	REDUCE_SCATTER	total ranks * count elements; its block of the result in its place after
 *	GATHER		total ranks * count elements in the order of ranks from the root on; a rank's
 *			own block in its place before, all blocks at the root after
 *	SCATTER		the same data, all at the root before, each rank's own block there after
 *	BARRIER		count is 0
 */
struct baseline_task {
	enum tally_opcode opcode;
	uint32_t nodes, ranks;	/* ranks of each node; global rank = node * ranks + local rank */
	uint32_t count;
	uint32_t elem;		/* bytes of an element, not 0 */
	uint32_t root;		/* REDUCE, BCAST, GATHER, SCATTER: global rank; otherwise 0 */
	const uint32_t *leader;	/* "cp-": [node] local rank; NULL: the root's */
};

struct baseline_plan {
	uint32_t ranks;		/* all ranks */
	uint32_t memory;	/* elements of each rank's memory */
	struct baseline_step *step;
	size_t used, room;
	size_t *first;		/* ranks + 1 entries: index of a rank's first step */
};

/*
 * Plans @task by the algorithm @name. The prefix "smp-" means that the ranks of a node work through
 * shared memory, and one of them executes the algorithm with the other nodes. "cp-" is the same for
 * BCAST with the competition of document 002: a node's leader is the rank that calls first, at the
 * root's node the root; baseline_run() finds the leaders. "A+B" means ALLREDUCE as REDUCE by A, then
 * BCAST by B.
 *
 * Returns 0; -EINVAL: there is no such algorithm for the operation, or not for this number of ranks
 * or elements; -EOVERFLOW: a rank's memory, or the number of ranks, is too large; -ENOMEM. After 0
 * the caller must free the plan.
 */
int baseline_plan_make(struct baseline_plan *plan, const struct baseline_task *task,
		       const char *name);
void baseline_plan_free(struct baseline_plan *plan);

/*
 * Enumerates the algorithms that baseline_plan_make() accepts for the task: writes name number
 * @index and returns true, or returns false if there are fewer.
 */
bool baseline_plan_name(const struct baseline_task *task, unsigned int index,
			char name[BASELINE_NAME_MAX]);

/* Returns the elements of the operation's data in each rank's memory. */
uint64_t baseline_task_data(const struct baseline_task *task);

uint32_t baseline_task_ranks(const struct baseline_task *task);

static inline bool baseline_is_pow2(uint32_t n)
{
	return !(n & (n - 1));
}

#endif
