// SPDX-License-Identifier: BSD-2-Clause
/*
 * The default choices of MPICH 4.3.2 on its device ch4, for commutative operations of the standard.
 * The table maint/tuning/coll/ch4/generic.json composes collectives of those within a node and
 * those between nodes; maint/tuning/coll/mpir/generic.json chooses the latter. With one rank on
 * each node there is nothing to compose.
 */
#include <stdio.h>
#include <string.h>

#include "baseline/baseline.h"
#include "baseline/exec.h"
#include "baseline/openmpi.h"

#define BCAST_SHORT		12288
#define BCAST_LONG		524288
#define BCAST_MIN_RANKS		8
#define ALLREDUCE_SHORT		8
#define REDUCE_SHORT		2048
#define ALLGATHER_SHORT		81920
#define ALLGATHER_LONG		524288
#define REDUCE_SCATTER_LONG	524288

static uint32_t pow2_below(uint32_t n)
{
	return 1u << (31 - __builtin_clz(n));
}

/* maint/tuning/coll/mpir/generic.json, comm_hierarchy=any, for @n members. */
static const char *mpir(const struct baseline_task *t, uint32_t n)
{
	uint64_t bytes = (uint64_t)t->count * t->elem;

	switch (t->opcode) {
	case TALLY_OPCODE_ALLREDUCE:
		return bytes <= ALLREDUCE_SHORT || t->count < pow2_below(n) ?
			"recursive-doubling" : "rabenseifner";
	case TALLY_OPCODE_REDUCE:
		return bytes <= REDUCE_SHORT || t->count < pow2_below(n) ?
			"k-nomial-2" : "rabenseifner";
	case TALLY_OPCODE_BCAST:
		if (n < BCAST_MIN_RANKS || bytes <= BCAST_SHORT)
			return "k-nomial-2";
		return baseline_is_pow2(n) && bytes <= BCAST_LONG ? "scatter-doubling" : "scatter-ring";
	case TALLY_OPCODE_BARRIER:
		return "dissemination-2";
	case TALLY_OPCODE_ALLGATHER:
		bytes *= n;
		if (baseline_is_pow2(n))
			return bytes < ALLGATHER_LONG ? "recursive-doubling" : "ring";
		return bytes < ALLGATHER_SHORT ? "bruck" : "ring";
	case TALLY_OPCODE_GATHER:
	case TALLY_OPCODE_SCATTER:
		return "binomial";
	default:
		return bytes * n < REDUCE_SCATTER_LONG ? "recursive-halving" : "pairwise";
	}
}

/* maint/tuning/coll/ch4/generic.json: whether the ranks of a node are combined first. */
static bool composes(const struct baseline_task *t)
{
	uint64_t bytes = (uint64_t)t->count * t->elem;
	uint32_t n = baseline_task_ranks(t);

	if (t->ranks == 1 || t->opcode == TALLY_OPCODE_ALLGATHER ||
	    t->opcode == TALLY_OPCODE_REDUCE_SCATTER || t->opcode == TALLY_OPCODE_GATHER ||
	    t->opcode == TALLY_OPCODE_SCATTER)
		return false;
	if (t->opcode != TALLY_OPCODE_BCAST)
		return true;
	return n < BCAST_MIN_RANKS || bytes < (baseline_is_pow2(n) ? BCAST_LONG : BCAST_SHORT);
}

static bool baseline_mpich(const struct baseline_task *task, char name[BASELINE_NAME_MAX])
{
	bool smp = composes(task);

	snprintf(name, BASELINE_NAME_MAX, "%s%s", smp ? "smp-" : "",
		 mpir(task, smp ? task->nodes : baseline_task_ranks(task)));
	return true;
}

const char *baseline_default(const struct bench_workload *c, const char *library)
{
	static char name[BASELINE_NAME_MAX];
	struct baseline_task task;

	if (baseline_task_of(c, &task))
		return NULL;
	if (!strcmp(library, "mpich"))
		return baseline_mpich(&task, name) ? name : NULL;
	if (!strcmp(library, "openmpi") && task.ranks == 1)
		return baseline_openmpi(&task, name) ? name : NULL;
	return NULL;
}
