/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time of an operation by each way, and by the host's own algorithm: between measured times
 * (cost_table.c), it is interpolated. Integers only, so that all ranks get the same.
 */
#ifndef TALLYCOLL_CORE_COST_H
#define TALLYCOLL_CORE_COST_H

#include "tallycoll.h"

/* What performs an operation. */
enum tc_cost_by {
	TC_COST_DIRECT,
	TC_COST_NODE,
	TC_COST_HOST,	/* the faster of the default algorithms of MPICH and Open MPI */
	TC_COST_NUM,
};

/* Of the table. */
#define TC_COST_OPCODES TALLY_OPCODE_SCATTER
#define TC_COST_NODES 10
#define TC_COST_RANKS 9
#define TC_COST_SIZES 25

/* Times in ns for the numbers of bytes of tc_cost_sizes. */
struct tc_cost_times {
	uint32_t ns[TC_COST_SIZES][TC_COST_NUM];
};

extern const uint32_t tc_cost_nodes[TC_COST_NODES], tc_cost_ranks[TC_COST_RANKS],
	tc_cost_sizes[TC_COST_SIZES];
/*
 * By number of nodes, the numbers of ranks whose times were measured; and those that are used: these, and
 * all above them, whose times follow from fewer nodes.
 */
extern const uint32_t tc_cost_measured[TC_COST_NODES], tc_cost_usable[TC_COST_NODES];
extern const struct tc_cost_times tc_cost_table[TC_COST_OPCODES][TC_COST_NODES][TC_COST_RANKS];

/* Those of a team. */
struct tc_cost_row {
	struct tc_cost_times times;
	uint32_t margin;	/* offload must be faster than the host by 1 part of so many */
};

/* The times of an operation (TALLY_OPCODE_) among @nodes with up to @ranks ranks each. */
void tc_cost_row(struct tc_cost_row *row, uint32_t opcode, uint32_t nodes, uint32_t ranks);

/* Those with @bytes, count times element as of struct tallycoll_args. */
void tc_cost_at(const struct tc_cost_row *row, uint64_t bytes, uint64_t ns[TC_COST_NUM]);

/* What the times of a number of bytes say; an OR of these. */
enum tc_cost_verdict {
	TC_COST_NODE_WINS = 1 << 0,	/* against direct */
	TC_COST_HOST_WINS = 1 << 1,	/* against both */
	TC_COST_HOST_BEATS_DIRECT = 1 << 2,
};

/* The host wins unless offload is faster by the margin, which covers the error of the estimates. */
uint32_t tc_cost_verdict(const uint64_t ns[TC_COST_NUM], uint32_t margin);

#define TC_COST_STEPS 32

/* Verdicts by the number of bytes: each holds from its number on. */
struct tc_cost_steps {
	uint32_t num;
	struct {
		uint32_t from, verdict;
	} step[TC_COST_STEPS];
};

/* The verdicts of an operation, as tc_cost_row(). */
void tc_cost_steps(struct tc_cost_steps *steps, uint32_t opcode, uint32_t nodes, uint32_t ranks);

static inline uint32_t tc_cost_find(const struct tc_cost_steps *steps, uint64_t bytes)
{
	uint32_t i = 0;

	while (i + 1 < steps->num && bytes >= steps->step[i + 1].from)
		i++;
	return steps->step[i].verdict;
}

#endif
