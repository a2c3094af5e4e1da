// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reduction in a fixed shape: a binary tree over the inputs, which are the local ranks in order and
 * then the contributors in order. In EXCHANGE there is one tree for the local ranks, and one for
 * the parts of each round. A pair is combined when both are there, whichever came first. So the
 * bits of the result do not depend on the order of arrival, and the last input costs log k steps.
 * An input that waits for its partner is in the slot, if there is room for all inputs, or in a cell
 * of the receive message queue.
 */
#include "engine/ordered.h"
#include "engine/rmq_cells.h"
#include "engine/chunk.h"
#include "engine/common.h"
#include "engine/mode.h"
#include "alu/alu.h"

#include <string.h>

/* Inputs of one such tree, among those of a slot. */
struct shape {
	unsigned int base, num;
	unsigned int round; /* EXCHANGE */
};

bool ordered_applies(const struct group *g, const struct slot *s)
{
	return !s->words && (is_ordered(g) || is_exchange(s)) && opcode_reduces(s->opcode) &&
	       s->count;
}

static unsigned int num_ranks(const struct group *g)
{
	return __builtin_popcountll(g->rank_mask);
}

/* Return the number of inputs of a chunk in EXCHANGE, and in the other modes. */
static unsigned int inputs_of_rounds(const struct group *g)
{
	return g->round[g->rounds].base + g->round[g->rounds].parts;
}

static unsigned int inputs_of_sum(const struct group *g)
{
	return num_ranks(g) + g->num_contributors;
}

unsigned int ordered_inputs(const struct group *g)
{
	unsigned int rounds = group_has(g, TALLY_MODES_EXCHANGE) ? inputs_of_rounds(g) : 0;
	unsigned int sum = g->modes != TALLY_MODES_EXCHANGE ? inputs_of_sum(g) : 0;

	return rounds > sum ? rounds : sum;
}

unsigned int ordered_input_of(const struct group *g, const struct slot *s, unsigned int idx)
{
	const struct edge *ed = &g->edges[idx];

	return is_exchange(s) ? g->round[ed->round].base + ed->position : num_ranks(g) + idx;
}

static struct shape shape_of(const struct group *g, const struct slot *s, unsigned int input)
{
	unsigned int r = g->rounds;

	if (!is_exchange(s))
		return (struct shape){ 0, inputs_of_sum(g), 0 };
	while (input < g->round[r].base)
		r--;
	return (struct shape){ g->round[r].base, g->round[r].parts, r };
}

bool ordered_promise(struct engine *e, struct group *g, struct slot *s, unsigned int input)
{
	/* The cells of the oldest chunk are reserved, so that it can always proceed. */
	uint32_t keep = s->num == g->done ? 0 : ordered_inputs(g);
	uint16_t cell = s->inputs_inside ? input : cell_take(e, g, keep);

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
	if (!s->inputs_inside)
		cell_give(e, g, cell);
}

static uint8_t *data_of(struct engine *e, struct slot *s, uint16_t cell)
{
	return s->inputs_inside ? slot_payload(s, s->inputs_at + cell) : e->cells[cell].data;
}

/*
 * Combine two cells, of which the left one is the first operand. Returns the cell with the result.
 */
static uint16_t combine(struct engine *e, struct group *g, struct slot *s, uint16_t left,
			uint16_t right)
{
	if (left == ABSENT || right == ABSENT)
		return left == ABSENT ? right : left;
	s->err_vector |= combine_data(e, s->op, s->dtype, data_of(e, s, left),
				      data_of(e, s, right), s->count);
	alu_passed(e, s->count * s->elem);
	drop(e, g, s, right);
	return left;
}

/* Handle the result of all inputs. */
static void arrived(struct engine *e, struct group *g, struct slot *s, const struct shape *shape,
		    uint16_t cell)
{
	if (cell == ABSENT)
		return;
	s->up_filled = true;
	if (s->spread && shape->round && shape->round < g->rounds) {
		s->partial[shape->round] = cell;
		s->kept |= 1u << shape->round;
		return;
	}
	memcpy(mode_of(s->mode)->partial(e, g, s, shape->round), data_of(e, s, cell),
	       s->count * s->elem);
	drop(e, g, s, cell);
}

/* Move an input up the tree until a partner is missing. */
static void climb(struct engine *e, struct group *g, struct slot *s, unsigned int input,
		  uint16_t cell)
{
	const struct shape shape = shape_of(g, s, input);
	unsigned int level = 0, i = input - shape.base;
	struct held *held = s->held + shape.base;

	for (; 1u << level < shape.num; level++, i >>= 1) {
		unsigned int partner = (i ^ 1) << level;
		struct held *h = &held[partner];

		if (partner >= shape.num) /* no partner: it goes up alone */
			continue;
		if (h->level != level + 1) {
			held[i << level] = (struct held){ cell, level + 1 };
			return;
		}
		h->level = 0;
		cell = i & 1 ? combine(e, g, s, h->cell, cell) : combine(e, g, s, cell, h->cell);
	}
	arrived(e, g, s, &shape, cell);
}

void ordered_give(struct engine *e, struct group *g, struct slot *s, unsigned int input,
		  const void *data)
{
	uint16_t cell = s->held[input].cell;

	s->held[input].level = 0;
	memcpy(data_of(e, s, cell), data, s->count * s->elem);
	climb(e, g, s, input, cell);
}

void ordered_absent(struct engine *e, struct group *g, struct slot *s, unsigned int input)
{
	climb(e, g, s, input, ABSENT);
}

void ordered_end(struct engine *e, struct group *g, struct slot *s)
{
	for (; s->kept; s->kept &= s->kept - 1)
		drop(e, g, s, s->partial[__builtin_ctz(s->kept)]);
}

void ordered_clear(struct engine *e, struct group *g, struct slot *s)
{
	unsigned int i, num = ordered_inputs(g);

	ordered_end(e, g, s);
	for (i = 0; s->cells && i < num; i++) {
		if (s->held[i].level)
			drop(e, g, s, s->held[i].cell);
		s->held[i].level = 0;
	}
}
