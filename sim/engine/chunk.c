// SPDX-License-Identifier: BSD-2-Clause
/*
 * The ranks that give data to a chunk and get data of it. In GATHER, SCATTER, ALLGATHER and REDUCE_SCATTER the
 * message consists of one block for each rank, in the order of global ranks. The ranks of a subtree
 * or part are consecutive, so an edge carries one range of the chunk.
 */
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/route.h"

bool opcode_reduces(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_ALLREDUCE || opcode == TALLY_OPCODE_REDUCE ||
	       opcode == TALLY_OPCODE_REDUCE_SCATTER;
}

bool opcode_blocked(uint8_t opcode)
{
	return opcode < 32 && TALLY_OPCODES_BLOCKS >> opcode & 1;
}

bool opcode_rooted(uint8_t opcode)
{
	return opcode == TALLY_OPCODE_REDUCE || opcode == TALLY_OPCODE_BCAST ||
	       opcode == TALLY_OPCODE_GATHER || opcode == TALLY_OPCODE_SCATTER;
}

/* ---- Spans ---- */

struct span chunk_whole(const struct slot *s)
{
	return (struct span){ s->first, s->first + s->count, 0 };
}

uint32_t chunk_block(const struct group *g, uint32_t total)
{
	return quotient(&g->by_ranks, total);
}

struct span chunk_blocks(const struct group *g, const struct slot *s, uint32_t first, uint32_t num)
{
	uint32_t block = chunk_block(g, s->total);
	struct span sp = { first * block, (first + num) * block, first * block };

	sp.lo = sp.lo > s->first ? sp.lo : s->first;
	sp.hi = sp.hi < s->first + s->count ? sp.hi : s->first + s->count;
	if (sp.hi < sp.lo)
		sp.hi = sp.lo = s->first;
	return sp;
}

static struct span block_of(const struct group *g, const struct slot *s, unsigned int rank)
{
	if (s->combined)
		return chunk_blocks(g, s, g->rank_first, __builtin_popcountll(g->rank_mask));
	return chunk_blocks(g, s, g->rank_first + group_rank_index(g, rank), 1);
}

struct span chunk_given(const struct group *g, const struct slot *s, unsigned int rank)
{
	bool own = s->opcode == TALLY_OPCODE_GATHER || s->opcode == TALLY_OPCODE_ALLGATHER;

	return own ? block_of(g, s, rank) : chunk_whole(s);
}

struct span chunk_got(const struct group *g, const struct slot *s, unsigned int rank)
{
	bool own = s->opcode == TALLY_OPCODE_SCATTER || s->opcode == TALLY_OPCODE_REDUCE_SCATTER;

	return own ? block_of(g, s, rank) : chunk_whole(s);
}

bool chunk_moves(const struct slot *s, struct span sp)
{
	return !opcode_blocked(s->opcode) || sp.lo < sp.hi;
}

/* ---- Participants ---- */

static uint64_t ranks_with(const struct group *g, const struct slot *s,
			   struct span (*part)(const struct group *g, const struct slot *s,
					       unsigned int rank))
{
	uint64_t left = g->rank_mask, with = 0;

	if (!opcode_blocked(s->opcode))
		return left;
	for (; left; left &= left - 1)
		if (chunk_moves(s, part(g, s, __builtin_ctzll(left))))
			with |= left & -left;
	return with;
}

uint64_t chunk_givers(const struct group *g, const struct slot *s)
{
	return ranks_with(g, s, chunk_given);
}

uint64_t chunk_getters(const struct group *g, const struct slot *s)
{
	return ranks_with(g, s, chunk_got);
}

/* Whether a message has only empty blocks, in EXCHANGE or RING. Then no node need do anything. */
static bool is_nothing(const struct slot *s)
{
	return s->mode != TALLY_MODE_TREE && opcode_blocked(s->opcode) && !s->total;
}

void chunk_plan(const struct group *g, struct slot *s)
{
	s->up_edge = s->down_edge = NO_EDGE;
	if (is_nothing(s))
		s->up_complete = true;
	else
		mode_of(s->mode)->plan(g, s);
}

bool chunk_narrow(const struct group *g, struct slot *s, const struct wqe *w)
{
	uint64_t mask = w->node_mask & g->children;
	if (s->masked && mask != s->node_mask)
		return false;
	s->masked = true;
	s->node_mask = mask;
	return true;
}

bool chunk_concerns(const struct group *g, const struct slot *s)
{
	return (g->rank_mask & ~s->empty) || s->node_mask;
}
