// SPDX-License-Identifier: BSD-2-Clause
#include "core/args.h"

#define KNOWN_FLAGS (TALLYCOLL_F_ALONE | TALLYCOLL_F_BLOCKING)

/* Sets of opcodes, because these checks are a part of every operation. */
#define SET(opcode) (1u << TALLY_OPCODE_##opcode)
#define ROOTED (SET(REDUCE) | SET(BCAST) | SET(GATHER) | SET(SCATTER))
#define ROOT_GETS (SET(REDUCE) | SET(GATHER))

static inline bool is_in(enum tally_opcode opcode, uint32_t set)
{
	return set >> opcode & 1;
}

/* What is equal at all ranks, so that all refuse it. */
static const char *call_fault(const struct tallycoll_args *a, uint32_t size)
{
	if (a->opcode < TALLY_OPCODE_ALLREDUCE || a->opcode > TALLY_OPCODE_SCATTER)
		return "opcode: this is no collective operation.";
	if (a->flags & ~KNOWN_FLAGS)
		return "flags: there is an unknown flag.";
	if (is_in(a->opcode, ROOTED) && a->root >= size)
		return "root: the team has no such rank.";
	if (a->opcode == TALLY_OPCODE_BARRIER && a->count)
		return "count: a BARRIER has no elements.";
	if (a->count > TC_MOST_ELEMENTS / size)
		return "count: no memory holds so many elements.";
	return NULL;
}

/* In place, a rank that gives has its data where its result goes, so it must get one. */
static const char *src_fault(const struct tallycoll_args *a, bool gets)
{
	if (!a->src)
		return "src: it is NULL, and this rank gives data.";
	if (a->src != TALLYCOLL_IN_PLACE)
		return NULL;
	return gets && a->opcode != TALLY_OPCODE_SCATTER ?
		       NULL :
		       "src: it is TALLYCOLL_IN_PLACE where that has no meaning.";
}

static const char *dst_fault(const struct tallycoll_args *a, bool root)
{
	if (!a->dst)
		return "dst: it is NULL, and this rank gets a result.";
	if (a->dst != TALLYCOLL_IN_PLACE || (a->opcode == TALLY_OPCODE_SCATTER && root))
		return NULL;
	return "dst: it is TALLYCOLL_IN_PLACE where that has no meaning.";
}

/* The buffers of this rank. Those that it does not use may be anything; BCAST uses dst alone. */
static const char *buffer_fault(const struct tallycoll_args *a, bool root)
{
	const bool gives = !is_in(a->opcode, SET(BCAST) | SET(SCATTER)) ||
			   (root && a->opcode == TALLY_OPCODE_SCATTER);
	const bool gets = root || !is_in(a->opcode, ROOT_GETS);
	const char *fault = gives ? src_fault(a, gets) : NULL;

	return gets && !fault ? dst_fault(a, root) : fault;
}

const char *tc_args_fault(const struct tallycoll_args *a, uint32_t rank, uint32_t size)
{
	const char *fault = call_fault(a, size);

	if (fault || !a->count)
		return fault;
	return buffer_fault(a, a->root == rank);
}
