// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reduction in a fixed shape: a binary tree over the inputs, which are the local
 * ranks in order and then the contributors in order. Pairs are combined when
 * both are there, whichever came first, so the bits of the result do not depend
 * on the order of arrival and the last one costs log k steps. What waits for its
 * partner lies in cells of the receive message queue.
 */
#include "engine/engine_int.h"
#include "alu/alu.h"

#include <string.h>

bool ordered_applies(const struct group *g, const struct slot *s)
{
	return is_ordered(g) && opcode_reduces(s->opcode) && s->count;
}

unsigned int ordered_inputs(const struct group *g)
{
	return __builtin_popcountll(g->rank_mask) + g->num_contributors;
}

bool ordered_promise(struct engine *e, struct group *g, struct slot *s, unsigned int input)
{
	/* the oldest chunk's cells are kept, so that it always gets on */
	uint32_t keep = s->num == g->done ? 0 : ordered_inputs(g);
	uint16_t cell = cell_take(e, g, keep);

	if (cell == NONE)
		return false;
	s->held[input] = (struct held){ cell, PROMISED };
	s->cells++;
	return true;
}

static void drop(struct engine *e, struct group *g, struct slot *s, uint16_t cell)
{
	if (cell == ABSENT)
		return;
	s->cells--;
	cell_give(e, g, cell);
}

/* The cell that holds both, given their cells; the left one is the first operand. */
static uint16_t combine(struct engine *e, struct group *g, struct slot *s, uint16_t left,
			uint16_t right)
{
	if (left == ABSENT || right == ABSENT)
		return left == ABSENT ? right : left;
	s->err_vector |= alu_reduce(s->op, s->dtype, e->cells[left].data, e->cells[right].data,
				    s->count);
	count(e, TALLY_CTR_alu_words, (s->count * s->elem + 63) / 64);
	drop(e, g, s, right);
	return left;
}

/* All inputs are combined. */
static void arrived(struct engine *e, struct group *g, struct slot *s, uint16_t cell)
{
	if (cell == ABSENT)
		return;
	memcpy(s->up, e->cells[cell].data, s->count * s->elem);
	s->up_filled = true;
	drop(e, g, s, cell);
}

/* An input goes up in the tree until its partner there is missing. */
static void climb(struct engine *e, struct group *g, struct slot *s, unsigned int input,
		  uint16_t cell)
{
	unsigned int num = ordered_inputs(g), level = 0, i = input;

	for (; 1u << level < num; level++, i >>= 1) {
		unsigned int partner = (i ^ 1) << level;
		struct held *h = &s->held[partner];

		if (partner >= num) /* none: it goes up alone */
			continue;
		if (h->level != level + 1) {
			s->held[i << level] = (struct held){ cell, level + 1 };
			return;
		}
		h->level = 0;
		cell = i & 1 ? combine(e, g, s, h->cell, cell) : combine(e, g, s, cell, h->cell);
	}
	arrived(e, g, s, cell);
}

void ordered_give(struct engine *e, struct group *g, struct slot *s, unsigned int input,
		  const void *data)
{
	uint16_t cell = s->held[input].cell;

	s->held[input].level = 0;
	memcpy(e->cells[cell].data, data, s->count * s->elem);
	climb(e, g, s, input, cell);
}

void ordered_absent(struct engine *e, struct group *g, struct slot *s, unsigned int input)
{
	climb(e, g, s, input, ABSENT);
}

void ordered_clear(struct engine *e, struct group *g, struct slot *s)
{
	unsigned int i, num = ordered_inputs(g);

	for (i = 0; s->cells && i < num; i++) {
		if (s->held[i].level)
			drop(e, g, s, s->held[i].cell);
		s->held[i].level = 0;
	}
}
