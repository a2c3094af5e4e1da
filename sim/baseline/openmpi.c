// SPDX-License-Identifier: BSD-2-Clause
/*
 * The choices of Open MPI 5.0.9 between nodes with one rank each: the fixed rules of coll/tuned,
 * ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, for commutative operations. They are the same in
 * 4.1.8 and 5.0.10. Segments, fan-outs and the radix of k-nomial trees are the defaults of
 * coll_tuned_*_decision.c: none, 1 and 4. With several ranks on a node, Open MPI uses coll/han,
 * which is not modelled.
 *
 * If the simulator lacks an algorithm of a rule, the nearest one replaces it:
 *	segmented ring (without segments)	ring
 *	chain, pipeline (without segments)	chain
 *	split binary, in-order binary tree	binary
 *	butterfly, recursive doubling of reduce_scatter_block	recursive halving
 *	linear of gather with a handshake, linear of scatter without waiting	linear
 */
#include "baseline/openmpi.h"

#include <stdio.h>
#include <string.h>

#define ANY	UINT64_MAX
#define K	1024ull

/* Applies below these numbers of members and bytes, if no earlier rule applies. */
struct rule {
	uint64_t members, bytes;
	const char *name;
};

#define DOUBLING	"recursive-doubling"
#define BINOMIAL	"k-nomial-2"
#define KNOMIAL		"k-nomial-4"
/* Reduce, then broadcast, each by its own rules. */
#define REDUCE_BCAST	""

static const struct rule allreduce[] = {
	{ 4, 8, "ring" }, { 4, 4 * K, DOUBLING }, { 4, 8 * K, "ring" }, { 4, 16 * K, DOUBLING },
	{ 4, 256 * K, "ring" }, { 4, ANY, "rabenseifner" },
	{ 8, 16, "ring" }, { 8, 8 * K, DOUBLING }, { 8, ANY, "rabenseifner" },
	{ 16, 8 * K, DOUBLING }, { 16, ANY, "rabenseifner" },
	{ 32, 64, "ring" }, { 32, 4 * K, DOUBLING }, { 32, ANY, "rabenseifner" },
	{ 64, 128, "ring" }, { 64, ANY, "rabenseifner" },
	{ 128, 256 * K, DOUBLING }, { 128, ANY, "rabenseifner" },
	{ 256, 128 * K, REDUCE_BCAST }, { 256, 256 * K, DOUBLING }, { 256, ANY, "rabenseifner" },
	{ 512, 4 * K, REDUCE_BCAST }, { 512, ANY, "rabenseifner" },
	{ 2048, 2 * K, REDUCE_BCAST }, { 2048, 16 * K, DOUBLING }, { 2048, ANY, "rabenseifner" },
};

static const struct rule reduce[] = {
	{ 4, 8, "rabenseifner" }, { 4, 16, "binary" }, { 4, 32, "chain" }, { 4, 256 * K, "linear" },
	{ 4, ANY, "chain" },
	{ 8, 4 * K, "binary" }, { 8, 64 * K, "chain" }, { 8, 256 * K, BINOMIAL },
	{ 8, 512 * K, "linear" }, { 8, 1024 * K, BINOMIAL }, { 8, ANY, "linear" },
	{ 16, 8 * K, "binary" }, { 16, ANY, BINOMIAL },
	{ 32, 4 * K, "binary" }, { 32, ANY, BINOMIAL },
	{ 256, ANY, BINOMIAL },
	{ 512, 8 * K, BINOMIAL }, { 512, 16 * K, "binary" }, { 512, ANY, BINOMIAL },
	{ 2048, ANY, BINOMIAL },
};

static const struct rule bcast[] = {
	{ 4, 32, "chain" }, { 4, 256, "binary" }, { 4, 512, "chain" }, { 4, K, KNOMIAL },
	{ 4, 32 * K, "linear" }, { 4, 128 * K, "binary" }, { 4, 256 * K, "chain" },
	{ 4, 512 * K, "linear" }, { 4, 1024 * K, BINOMIAL }, { 4, ANY, "binary" },
	{ 8, 64, "binary" }, { 8, 128, BINOMIAL }, { 8, 2 * K, "binary" }, { 8, 8 * K, BINOMIAL },
	{ 8, 1024 * K, "linear" }, { 8, ANY, "chain" },
	{ 16, 8, KNOMIAL }, { 16, 64, "binary" }, { 16, 4 * K, KNOMIAL }, { 16, 16 * K, "binary" },
	{ 16, 32 * K, BINOMIAL }, { 16, ANY, "linear" },
	{ 32, 4 * K, KNOMIAL }, { 32, 1024 * K, BINOMIAL }, { 32, ANY, "scatter-doubling" },
	{ 64, 2 * K, BINOMIAL }, { 64, ANY, KNOMIAL },
	{ 128, ANY, KNOMIAL },
	{ 256, 2, BINOMIAL }, { 256, 16 * K, "binary" }, { 256, 32 * K, "linear" },
	{ 256, 64 * K, "binary" }, { 256, ANY, KNOMIAL },
	{ 1024, 16 * K, KNOMIAL }, { 1024, 32 * K, "binary" }, { 1024, ANY, KNOMIAL },
	{ 2048, 512 * K, KNOMIAL }, { 2048, ANY, "scatter-doubling" },
};

static const struct rule barrier[] = {
	{ 4, ANY, DOUBLING }, { 8, ANY, "linear" }, { 64, ANY, DOUBLING },
	{ 256, ANY, "dissemination-2" }, { 512, ANY, "tree-2" }, { 1024, ANY, "dissemination-2" },
	{ 2048, ANY, "tree-2" },
};

/* Bytes are those of a rank's block. */
static const struct rule allgather[] = {
	{ 32, ANY, DOUBLING },
	{ 64, K, DOUBLING }, { 64, 64 * K, "neighbour" }, { 64, ANY, "ring" },
	{ 128, 512, DOUBLING }, { 128, 64 * K, "neighbour" }, { 128, ANY, "ring" },
	{ 256, 512, DOUBLING }, { 256, 128 * K, "neighbour" }, { 256, 512 * K, "ring" },
	{ 256, 1024 * K, "neighbour" }, { 256, ANY, "ring" },
	{ 512, 32, DOUBLING }, { 512, 128, "bruck" }, { 512, K, DOUBLING },
	{ 512, 128 * K, "neighbour" }, { 512, 512 * K, "ring" }, { 512, 1024 * K, "neighbour" },
	{ 512, ANY, "ring" },
	{ 1024, 64, DOUBLING }, { 1024, 256, "bruck" }, { 1024, 2 * K, DOUBLING },
	{ 1024, ANY, "neighbour" },
	{ 2048, 4, DOUBLING }, { 2048, 8, "bruck" }, { 2048, 16, DOUBLING }, { 2048, 32, "bruck" },
	{ 2048, 256, DOUBLING }, { 2048, 512, "bruck" }, { 2048, 4 * K, DOUBLING },
	{ 2048, ANY, "neighbour" },
};

static const struct rule reduce_scatter[] = {
	{ 4, 128 * K, "recursive-halving" }, { 4, ANY, "linear" },
	{ 8, 1024 * K, "recursive-halving" }, { 8, ANY, "linear" },
	{ 16, 4, "linear" }, { 16, 512 * K, "recursive-halving" }, { 16, 4096 * K, "linear" },
	{ 16, ANY, "recursive-halving" },
	{ 32, 32, "linear" }, { 32, 512 * K, "recursive-halving" }, { 32, 2048 * K, "linear" },
	{ 32, ANY, "recursive-halving" },
	{ 2048, 4, "recursive-halving" }, { 2048, 16, "linear" },
	{ 2048, 64 * K, "recursive-halving" }, { 2048, 256 * K, "linear" },
	{ 2048, ANY, "recursive-halving" },
};

/* Bytes are those of a rank's block. */
static const struct rule gather[] = {
	{ 4, 4, "linear" }, { 4, 32 * K, "binomial" }, { 4, 64 * K, "linear" },
	{ 4, 128 * K, "binomial" }, { 4, ANY, "linear" },
	{ 8, K, "binomial" }, { 8, 8 * K, "linear" }, { 8, 32 * K, "binomial" },
	{ 8, ANY, "linear" },
	{ 256, ANY, "binomial" },
	{ 512, 2 * K, "binomial" }, { 512, 8 * K, "linear" }, { 512, ANY, "binomial" },
	{ ANY, ANY, "binomial" },
};

static const struct rule scatter[] = {
	{ 4, ANY, "linear" },
	{ 8, 2 * K, "binomial" }, { 8, 4 * K, "linear" }, { 8, 8 * K, "binomial" },
	{ 8, ANY, "linear" },
	{ 32, 16 * K, "binomial" }, { 32, ANY, "linear" },
	{ 64, 512, "binomial" }, { 64, 8 * K, "linear" }, { 64, 16 * K, "binomial" },
	{ 64, ANY, "linear" },
	{ ANY, 512, "binomial" }, { ANY, ANY, "linear" },
};

#define RULES(r)	r, sizeof(r) / sizeof((r)[0])

static const char *find(const struct rule *rule, size_t n, const struct baseline_task *t)
{
	uint64_t bytes = (uint64_t)t->count * t->elem;

	for (size_t i = 0; i < n; i++)
		if (t->nodes < rule[i].members && (bytes < rule[i].bytes || rule[i].bytes == ANY))
			return rule[i].name;
	return NULL;
}

/* With few elements or some numbers of members, these algorithms fall back to another one. */

static const char *reduce_name(const struct baseline_task *t)
{
	const char *name = find(RULES(reduce), t);

	if (name && !strcmp(name, "rabenseifner") &&
	    (t->nodes < 2 || t->count < 1u << (31 - __builtin_clz(t->nodes))))
		return "linear";
	return name;
}

static const char *bcast_name(const struct baseline_task *t)
{
	const char *name = find(RULES(bcast), t);

	if (name && !strcmp(name, "scatter-doubling") && !baseline_is_pow2(t->nodes))
		return "scatter-ring";
	return name;
}

static const char *allreduce_name(const struct baseline_task *t)
{
	const char *name = find(RULES(allreduce), t);

	if (name && !strcmp(name, "ring") && t->count < t->nodes)
		return DOUBLING;
	if (name && !strcmp(name, "rabenseifner") &&
	    t->count < 1u << (31 - __builtin_clz(t->nodes)))
		return "linear+linear";
	return name;
}

static const char *allgather_name(const struct baseline_task *t)
{
	const char *name = find(RULES(allgather), t);

	if (name && !strcmp(name, DOUBLING) && !baseline_is_pow2(t->nodes))
		return "bruck";
	if (name && !strcmp(name, "neighbour") && t->nodes % 2)
		return "ring";
	return name;
}

static const char *name_of(const struct baseline_task *t)
{
	switch (t->opcode) {
	case TALLY_OPCODE_ALLREDUCE:
		return allreduce_name(t);
	case TALLY_OPCODE_REDUCE:
		return reduce_name(t);
	case TALLY_OPCODE_BCAST:
		return bcast_name(t);
	case TALLY_OPCODE_BARRIER:
		return find(RULES(barrier), t);
	case TALLY_OPCODE_ALLGATHER:
		return allgather_name(t);
	case TALLY_OPCODE_GATHER:
		return find(RULES(gather), t);
	case TALLY_OPCODE_SCATTER:
		return find(RULES(scatter), t);
	default:
		return find(RULES(reduce_scatter), t);
	}
}

bool baseline_openmpi(const struct baseline_task *task, char name[BASELINE_NAME_MAX])
{
	const char *found = name_of(task);

	if (!found)
		return false;
	if (*found)
		snprintf(name, BASELINE_NAME_MAX, "%s", found);
	else
		snprintf(name, BASELINE_NAME_MAX, "%s+%s", reduce_name(task), bcast_name(task));
	return true;
}
