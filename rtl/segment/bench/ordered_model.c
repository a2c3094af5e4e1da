// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "alu/alu.h"
#include "engine/test/units.h"
#include "ordered_model.h"

static struct engine *engine;
static unsigned int combines;

/* Counts reductions only, each once. */
static void counted(void *ctx, enum tally_counter counter, uint64_t n)
{
	(void)ctx;
	(void)n;
	if (counter != TALLY_CTR_alu_words)
		abort();
	combines++;
}

static const struct engine_host host = { .count = counted };

void ordered_model_begin(unsigned int inputs, uint8_t op, uint8_t dtype, uint32_t count)
{
	unsigned int ranks = inputs < TALLY_MAX_RANKS ? inputs : TALLY_MAX_RANKS;
	struct group *g;
	struct slot *s;

	if (!engine) {
		engine = calloc(1, sizeof(*engine));
		if (!engine)
			abort();
		engine->host = &host;
		engine->cell_free = NONE;
	}
	g = &engine->groups[0];
	s = &engine->slots[0];
	s->mode = g->mode = TALLY_MODE_TREE;
	g->modes = TALLY_MODES_TREE;
	g->flags = TALLY_GROUP_F_ORDERED;
	g->rank_mask = ranks == 64 ? UINT64_MAX : (1ULL << ranks) - 1;
	g->num_contributors = (uint16_t)(inputs - ranks);
	g->msg_cells = ordered_inputs(g);
	s->op = op;
	s->dtype = dtype;
	s->count = count;
	s->elem = alu_elem_size(op, dtype);
	s->err_vector = 0;
	s->up_filled = false;
	s->stride = TALLY_MAX_MTU;
	combines = 0;
}

void ordered_model_input(unsigned int input, const void *data)
{
	struct group *g = &engine->groups[0];
	struct slot *s = &engine->slots[0];

	if (!data) {
		ordered_absent(engine, g, s, input);
		return;
	}
	if (!ordered_promise(engine, g, s, input))
		abort();
	ordered_give(engine, g, s, input, data);
}

const uint8_t *ordered_model_result(uint16_t *err_vector, unsigned int *num)
{
	struct slot *s = &engine->slots[0];

	if (s->cells || engine->groups[0].own_cells)
		abort();
	*err_vector = s->err_vector;
	*num = combines;
	return s->up_filled ? slot_up(s) : NULL;
}
