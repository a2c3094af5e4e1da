// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rounds of EXCHANGE mode, which is recursive multiplying. Round 0 combines the local ranks. In
 * each later round a node sends its partial result to its neighbours of that round, and combines
 * their partial results with its own. The shape of the reduction is the same at all of them, so
 * every node has the same bits after the last round. The slot holds the partial result that goes
 * into a round until the neighbours have acknowledged it, and the result. ALLGATHER puts blocks in
 * their places instead, in one payload for all rounds.
 */
#include "engine/chunk.h"
#include "engine/chunk_send.h"
#include "engine/common.h"
#include "engine/mode.h"
#include "engine/ordered.h"
#include "engine/segment.h"
#include "alu/alu.h"

#include <string.h>

/* Return the neighbours of all rounds that get partial results. */
static uint64_t outs(const struct group *g)
{
	uint64_t edges = 0;
	unsigned int r;

	for (r = 1; r <= g->rounds; r++)
		edges |= g->round[r].outs;
	return edges;
}

static void plan(const struct group *g, struct slot *s)
{
	s->up_ranks = chunk_givers(g, s);
	s->up_contributors = g->exchange_ins;
	s->down_expected = true;
	s->deliver = chunk_getters(g, s);
	if (s->words) /* the store sends to all of them, some time */
		s->out_todo = outs(g);
}

/* Return the partial result after a round. After the last round, it is the result. */
static uint8_t *partial(struct engine *e, const struct group *g, struct slot *s, unsigned int round)
{
	if (!opcode_reduces(s->opcode) || !s->count)
		return slot_payload(s, 0);
	if (!s->spread)
		return slot_payload(s, round);
	return !round || round == g->rounds ? slot_payload(s, !!round) :
					      e->cells[s->partial[round]].data;
}

/* Return the part that a node sends in a round; in ALLGATHER, the blocks of its part. */
static struct span partial_span(const struct group *g, const struct slot *s, unsigned int round)
{
	const struct round *r = &g->round[round];

	if (s->opcode == TALLY_OPCODE_ALLGATHER)
		return chunk_blocks(g, s, r->rank_first, r->rank_count);
	return (struct span){ s->first, s->first + s->count, 0 };
}

static void send_out(struct engine *e, struct group *g, struct slot *s)
{
	uint64_t left = s->out_todo;

	for (; left; left &= left - 1) {
		unsigned int c = __builtin_ctzll(left), round = g->edges[c].round - 1;
		struct span sp = partial_span(g, s, round);
		const uint8_t *data = partial(e, g, s, round);

		if (!slot_send(e, g, s, c, TALLY_KIND_REDUCE, sp, data))
			continue;
		s->out_todo &= ~(1ULL << c);
		s->out_waiting |= 1ULL << c;
	}
}

/*
 * Make this node's partial result an input of the round. Returns false if no cell is free for it.
 */
static bool give_own(struct engine *e, struct group *g, struct slot *s)
{
	const struct round *r = &g->round[s->round];
	const uint8_t *data = partial(e, g, s, s->round - 1);
	unsigned int input = r->base + r->own;

	if (ordered_applies(g, s)) {
		if (!ordered_promise(e, g, s, input))
			return false;
		ordered_give(e, g, s, input, data);
	}
	s->own_given = true;
	return true;
}

static bool round_full(const struct group *g, const struct slot *s)
{
	return s->round ? !(s->up_contributors & g->round[s->round].ins) : !s->up_ranks;
}

static void finish(struct engine *e, const struct group *g, struct slot *s)
{
	s->up_complete = s->down_have = true;
	if (s->op == TALLY_OP_AVG)
		s->err_vector |= alu_scale(s->dtype, partial(e, g, s, g->rounds), s->count,
					   g->total_ranks);
}

static void pump(struct engine *e, struct group *g, struct slot *s)
{
	while (s->down_expected && !s->down_have) {
		if (s->round && !s->own_given && !give_own(e, g, s))
			break;
		if (!round_full(g, s))
			break;
		if (s->round == g->rounds) {
			finish(e, g, s);
			break;
		}
		s->round++;
		s->own_given = false;
		s->out_todo |= g->round[s->round].outs;
		send_out(e, g, s); /* the neighbours wait for it */
	}
	send_out(e, g, s);
}

static struct span across(const struct group *g, const struct slot *s, unsigned int idx,
			  uint8_t kind)
{
	const struct edge *ed = &g->edges[idx];

	(void)kind;
	if (s->opcode == TALLY_OPCODE_ALLGATHER)
		return chunk_blocks(g, s, ed->part_first, ed->part_count);
	return chunk_whole(s);
}

static uint8_t *result(struct engine *e, const struct group *g, struct slot *s)
{
	return s->words ? slot_down(s) : partial(e, g, s, g->rounds);
}

static void acked(struct slot *s, unsigned int idx)
{
	s->out_waiting &= ~(1ULL << idx);
}

/* A later round may lack data only because an earlier round lacks them elsewhere. */
static uint64_t missing(const struct group *g, const struct slot *s)
{
	unsigned int r;

	for (r = 1; r <= g->rounds; r++)
		if (s->up_contributors & g->round[r].ins)
			return s->up_contributors & g->round[r].ins;
	return s->up_contributors;
}

const struct mode exchange_mode = {
	.flag = TALLY_TCH_F_EXCHANGE,
	.plan = plan,
	.across = across,
	.accumulator = result,
	.result = result,
	.partial = partial,
	.take = slot_combine,
	.pump = pump,
	.acked = acked,
	.missing = missing,
};
