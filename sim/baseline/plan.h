/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plans of collective operations in software: what every rank sends, receives, reduces and copies,
 * in which order. A plan says nothing of time; baseline_exec.h has the executor.
 *
 * Each rank has one memory, counted in elements. Its first part holds the operation's data; see
 * struct baseline_task. The rest is room for what comes in.
 */
#ifndef TALLY_SIM_BASELINE_PLAN_H
#define TALLY_SIM_BASELINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/tally_hw.h"

#define BASELINE_MAX_RANKS	(1u << 20)	/* of a plan, all nodes together */
#define BASELINE_NAME_MAX	48
#define BASELINE_MIN_RADIX	2
#define BASELINE_MAX_RADIX	64

enum baseline_kind {
	BASELINE_SEND,	/* `count` elements at `from` to `peer`; goes on at once */
	BASELINE_RECV,	/* lets `count` elements from `peer` come to `to`; goes on at once */
	BASELINE_WAIT,	/* until the oldest RECV that no WAIT was for is complete */
	BASELINE_REDUCE,	/* combines `count` elements at `from` into those at `to` */
	BASELINE_COPY,	/* `count` elements from `from` to `to`; they do not overlap */
	BASELINE_SHARE,	/* `count` elements at `from` to all others of the node */
};

/*
 * A step. The n-th SEND (or SHARE) of a rank to another is for the n-th RECV there of it, and they
 * have the same count.
 */
struct baseline_step {
	uint32_t kind : 3;
	uint32_t peer : 29;	/* global rank */
	uint32_t to, from, count;
};

/*
 * What is to be done. Data in a rank's memory before and after, `count` being what a rank gives
 * (REDUCE_SCATTER: gets):
 *	ALLREDUCE	count elements, replaced by the result
 *	REDUCE		the same, the result at the root only
 *	BCAST		count elements, the root's at all
 *	ALLGATHER	total ranks * count elements; the rank's own block in its place before
 *	REDUCE_SCATTER	total ranks * count elements; its block of the result in its place after
 *	BARRIER		count is 0
 */
struct baseline_task {
	enum tally_opcode opcode;
	uint32_t nodes, ranks;	/* ranks of each node; global rank = node * ranks + local rank */
	uint32_t count;
	uint32_t elem;		/* bytes of an element, not 0 */
	uint32_t root;		/* REDUCE, BCAST: global rank; else 0 */
};

struct baseline_plan {
	uint32_t ranks;		/* all */
	uint32_t memory;	/* elements of each rank's memory */
	struct baseline_step *step;
	size_t used, room;
	size_t *first;		/* ranks + 1 entries: where a rank's steps begin */
};

/*
 * Plans @task by the algorithm @name. "smp-" before a name: the ranks of a node work through shared
 * memory, one of them does the algorithm with the other nodes. "A+B": ALLREDUCE as REDUCE by A,
 * then BCAST by B.
 *
 * 0, or -EINVAL: there is no such algorithm for the operation, or not for that many ranks or
 * elements; -EOVERFLOW: the memory of a rank, or the ranks, cannot be counted; -ENOMEM. After 0 the
 * plan is to be freed.
 */
int baseline_plan_make(struct baseline_plan *plan, const struct baseline_task *task,
		       const char *name);
void baseline_plan_free(struct baseline_plan *plan);

/*
 * The names of all algorithms that baseline_plan_make() knows for the task, one by one: writes the
 * @index-th and returns true, or false if there are not so many.
 */
bool baseline_plan_name(const struct baseline_task *task, unsigned int index,
			char name[BASELINE_NAME_MAX]);

/* Elements of the operation's data in each rank's memory. */
uint64_t baseline_task_data(const struct baseline_task *task);

uint32_t baseline_task_ranks(const struct baseline_task *task);

static inline bool baseline_is_pow2(uint32_t n)
{
	return !(n & (n - 1));
}

#endif
